// The functions of NLopt that are used, as a table: linked (nlopt_linked.c), or loaded when they
// are first needed (nlopt_loaded.c).
#ifndef FLYBALL_STUDY_NLOPT_TABLE_H
#define FLYBALL_STUDY_NLOPT_TABLE_H

#include <nlopt.h>

#include "base/error.h"

typedef struct FbNloptTable {
    __typeof__(nlopt_create)* create;
    __typeof__(nlopt_destroy)* destroy;
    __typeof__(nlopt_optimize)* optimize;
    __typeof__(nlopt_force_stop)* force_stop;
    __typeof__(nlopt_srand)* srand;
    __typeof__(nlopt_get_errmsg)* get_errmsg;
    __typeof__(nlopt_result_to_string)* result_to_string;
    __typeof__(nlopt_set_min_objective)* set_min_objective;
    __typeof__(nlopt_add_inequality_mconstraint)* add_inequality_mconstraint;
    __typeof__(nlopt_set_lower_bounds1)* set_lower_bounds1;
    __typeof__(nlopt_set_upper_bounds1)* set_upper_bounds1;
    __typeof__(nlopt_set_xtol_abs1)* set_xtol_abs1;
    __typeof__(nlopt_set_ftol_rel)* set_ftol_rel;
    __typeof__(nlopt_set_maxeval)* set_maxeval;
    __typeof__(nlopt_set_initial_step1)* set_initial_step1;
} FbNloptTable;

// FB_ERR_UNAVAILABLE: it is not available. Any thread may call it.
FbStatus fb_nlopt_get(const FbNloptTable** out, FbError* err);

#endif
