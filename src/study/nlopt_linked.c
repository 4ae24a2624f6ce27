// NLopt as a library that the program is linked with.
#include "study/nlopt_table.h"

static const FbNloptTable table = {nlopt_create,
                                   nlopt_destroy,
                                   nlopt_optimize,
                                   nlopt_force_stop,
                                   nlopt_srand,
                                   nlopt_get_errmsg,
                                   nlopt_result_to_string,
                                   nlopt_set_min_objective,
                                   nlopt_add_inequality_mconstraint,
                                   nlopt_set_lower_bounds1,
                                   nlopt_set_upper_bounds1,
                                   nlopt_set_xtol_abs1,
                                   nlopt_set_ftol_rel,
                                   nlopt_set_maxeval,
                                   nlopt_set_initial_step1};

FbStatus fb_nlopt_get(const FbNloptTable** out, FbError* err) {
    (void)err;
    *out = &table;
    return FB_OK;
}
