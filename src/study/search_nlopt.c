// NLopt: the methods that need no derivatives.
#include <stdlib.h>
#include <string.h>

#include "study/nlopt_table.h"
#include "study/search.h"

typedef struct Call {
    const FbSearch* search;
    const FbNloptTable* nlopt;
    nlopt_opt opt;
    double* last_x;       // [n] where `value` and `constraints` are known
    double* constraints;  // [n_constraints]
    double value;
    bool is_known, is_stopped;
} Call;

static const nlopt_algorithm algorithms[] = {NLOPT_LN_COBYLA,   NLOPT_LN_BOBYQA, NLOPT_LN_SBPLX,
                                             NLOPT_GN_DIRECT_L, NLOPT_GN_ISRES,  NLOPT_GN_CRS2_LM};

bool fb_search_is_available(void) {
    return true;
}

// NLopt asks for the value and for the constraints one after the other.
static void evaluate(Call* c, const double* x) {
    size_t size = sizeof(double) * (size_t)c->search->n;
    if ((c->is_known && memcmp(c->last_x, x, size) == 0) || c->is_stopped) {
        return;
    }
    memcpy(c->last_x, x, size);
    c->is_known = true;
    if (!c->search->evaluate(c->search->self, x, &c->value, c->constraints)) {
        c->is_stopped = true;
        c->nlopt->force_stop(c->opt);
    }
}

static double calc_value(unsigned n, const double* x, double* gradient, void* self) {
    (void)n;
    (void)gradient;
    Call* c = self;
    evaluate(c, x);
    return c->value;
}

static void calc_constraints(unsigned m, double* result, unsigned n, const double* x,
                             double* gradient, void* self) {
    (void)n;
    (void)gradient;
    Call* c = self;
    evaluate(c, x);
    memcpy(result, c->constraints, sizeof(double) * m);
}

static bool configure(Call* c) {
    const FbSearch* s = c->search;
    nlopt_opt opt = c->opt;
    bool is_good = c->nlopt->set_min_objective(opt, calc_value, c) > 0 &&
                   c->nlopt->set_lower_bounds1(opt, 0.0) > 0 &&
                   c->nlopt->set_upper_bounds1(opt, 1.0) > 0 &&
                   c->nlopt->set_xtol_abs1(opt, s->settings.xtol) > 0 &&
                   c->nlopt->set_ftol_rel(opt, s->settings.ftol) > 0 &&
                   c->nlopt->set_maxeval(opt, s->settings.evaluations) > 0 &&
                   c->nlopt->set_initial_step1(opt, s->settings.step) > 0;
    if (is_good && s->n_constraints > 0) {
        double* tolerances = calloc((size_t)s->n_constraints, sizeof *tolerances);
        for (int i = 0; tolerances && i < s->n_constraints; i++) {
            tolerances[i] = 1e-8;
        }
        is_good =
            tolerances && c->nlopt->add_inequality_mconstraint(opt, (unsigned)s->n_constraints,
                                                               calc_constraints, c, tolerances) > 0;
        free(tolerances);
    }
    return is_good;
}

static const char* describe(nlopt_result result) {
    switch (result) {
        case NLOPT_FTOL_REACHED:
            return "the objective no longer changes (ftol)";
        case NLOPT_XTOL_REACHED:
            return "the parameters no longer move (xtol)";
        case NLOPT_MAXEVAL_REACHED:
            return "the limit of evaluations was reached";
        case NLOPT_ROUNDOFF_LIMITED:
            return "rounding errors allow no further progress";
        case NLOPT_FORCED_STOP:
            return "stopped";
        default:
            return "finished";
    }
}

static FbStatus optimize(Call* c, double* x, const char** reason, FbError* err) {
    double value;
    if (!configure(c)) {
        return fb_fail(
            err, FB_ERR_ARGUMENT, NULL, "the search cannot be set up: %s",
            c->nlopt->get_errmsg(c->opt) ? c->nlopt->get_errmsg(c->opt) : "out of memory");
    }
    c->nlopt->srand((unsigned long)c->search->settings.seed);
    nlopt_result result = c->nlopt->optimize(c->opt, x, &value);
    *reason = describe(result);
    if (c->is_stopped) {
        return FB_STOPPED;
    }
    if (result == NLOPT_OUT_OF_MEMORY) {
        return fb_fail_memory(err);
    }
    if (result < 0 && result != NLOPT_ROUNDOFF_LIMITED && result != NLOPT_FAILURE) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL, "the search failed: %s",
                       c->nlopt->get_errmsg(c->opt) ? c->nlopt->get_errmsg(c->opt)
                                                    : c->nlopt->result_to_string(result));
    }
    return FB_OK;
}

FbStatus fb_search_run(const FbSearch* search, double* x, const char** reason, FbError* err) {
    const FbNloptTable* nlopt;
    *reason = "";
    FB_TRY(fb_nlopt_get(&nlopt, err));
    Call c = {.search = search,
              .nlopt = nlopt,
              .last_x = calloc((size_t)search->n + 1, sizeof(double)),
              .constraints = calloc((size_t)search->n_constraints + 1, sizeof(double)),
              .opt = nlopt->create(algorithms[search->settings.algorithm], (unsigned)search->n)};
    FbStatus status =
        c.last_x && c.constraints && c.opt ? optimize(&c, x, reason, err) : fb_fail_memory(err);
    nlopt->destroy(c.opt);
    free(c.last_x);
    free(c.constraints);
    return status;
}
