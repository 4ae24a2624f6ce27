// Measures of benchmark cases that are linearized about their equilibrium.
#include "study/bench_linear.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

FbStatus fb_linear_case_create(const FbModelDef* def, const FbModel* model, bool has_absolute,
                               FbLinearCase* out, FbError* err) {
    *out = (FbLinearCase){.model = model};
    FbOperatingOptions options = fb_operating_options_default();
    FB_TRY(fb_operating_point_create(model, &options, &out->point, err));
    if (!has_absolute) {
        return FB_OK;
    }
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStatus status = diagnostics != NULL
                          ? fb_model_create_absolute(def, &out->absolute_model, diagnostics)
                          : FB_ERR_MEMORY;
    fb_diagnostics_destroy(diagnostics);
    if (status < 0) {
        return fb_fail(err, status, NULL, "absolute coordinates are not available for this model");
    }
    return fb_operating_point_create_like(out->absolute_model, out->point, &out->absolute_point,
                                          err);
}

void fb_linear_case_free(FbLinearCase* c) {
    fb_operating_point_destroy(c->absolute_point);
    fb_operating_point_destroy(c->point);
    fb_model_destroy(c->absolute_model);
    *c = (FbLinearCase){0};
}

// Linearizes as the measure asks; *error is that of its exact eigenvalues, *wall_s the time of all
// executions.
static FbStatus linearize(const FbCaseMeasure* m, const FbLinearCase* c,
                          const FbLinearOptions* options, double* error, double* wall_s,
                          FbError* err) {
    FbLinearization* l = NULL;
    FbStatus status =
        fb_linearization_create(m->is_absolute ? c->absolute_point : c->point, options, &l, err);
    if (status >= 0) {
        status = fb_linearization_run_repeatedly(l, m->repeat, NULL, wall_s, err);
    }
    FbExactValue* exact = calloc((size_t)m->n_exact + 1, sizeof *exact);
    if (exact == NULL) {
        status = fb_fail_memory(err);
    }
    for (int i = 0; exact != NULL && i < m->n_exact / 2; i++) {
        exact[i] = (FbExactValue){m->exact[2 * i], m->exact[2 * i + 1]};
    }
    *error = NAN;
    if (status >= 0) {
        status = fb_calc_spectrum_error(l, exact, m->n_exact / 2, error, err);
    }
    free(exact);
    fb_linearization_destroy(l);
    return status;
}

static FbLinearOptions make_options(const FbCaseMeasure* m) {
    FbLinearOptions options = fb_linear_options_default();
    options.method = m->kind == FB_CASE_PENALTY_ORDER ? FB_METHOD_PENALTY : m->method;
    return options;
}

// |slope + 1| of log(error) over log(factor), by least squares.
static FbStatus calc_penalty_order(const FbCaseMeasure* m, const FbLinearCase* c, double* error,
                                   FbError* err) {
    FbLinearOptions options = make_options(m);
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, n = m->n_factors;
    for (int i = 0; i < m->n_factors; i++) {
        double e, wall_s;
        options.penalty = m->factors[i];
        FB_TRY(linearize(m, c, &options, &e, &wall_s, err));
        double x = log(m->factors[i]), y = log(e);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    *error = fabs((n * sxy - sx * sy) / (n * sxx - sx * sx) + 1.0);
    return FB_OK;
}

static FbStatus calc_equilibrium_error(const FbCaseMeasure* m, const FbLinearCase* c, double* error,
                                       FbError* err) {
    double* values = calloc((size_t)fb_model_get_output_count(c->model) + 1, sizeof(double));
    if (values == NULL) {
        return fb_fail_memory(err);
    }
    FbStatus status = fb_operating_point_calc_outputs(c->point, values, err);
    *error = 0.0;
    for (int i = 0; status >= 0 && i < m->n_outputs; i++) {
        int column = fb_model_find_output(c->model, m->outputs[i]);
        if (column < 0) {
            status = fb_fail(err, FB_ERR_NAME, NULL, "the model has no output '%s'", m->outputs[i]);
            break;
        }
        double e = fabs(values[column] - m->exact[i]);
        *error = e > *error || isnan(e) ? e : *error;
    }
    free(values);
    return status;
}

// Of the natural frequency that is nearest to omega (rad/s).
static double calc_frequency_error(const FbLinearization* l, double omega) {
    double error = INFINITY;
    for (int k = 0; k < fb_linearization_get_mode_count(l); k++) {
        const FbMode* mode = fb_linearization_get_mode(l, k);
        error = fmin(error, fabs(mode->im - omega) / omega);
    }
    return error;
}

static FbStatus calc_frequency_errors(const FbCaseMeasure* m, const FbLinearCase* c, double* error,
                                      FbError* err) {
    FbLinearOptions options = fb_linear_options_default();
    FbLinearization* l = NULL;
    FbStatus status = fb_linearization_create(c->point, &options, &l, err);
    if (status >= 0) {
        status = fb_linearization_run_undamped(l, err);
    }
    *error = status >= 0 ? 0.0 : NAN;
    for (int i = 0; status >= 0 && i < m->n_exact; i++) {
        *error = fmax(*error, calc_frequency_error(l, m->exact[i]));
    }
    fb_linearization_destroy(l);
    return status;
}

FbStatus fb_case_calc_linear(const FbCaseMeasure* m, const FbLinearCase* c, double* error,
                             FbError* err) {
    FbLinearOptions options = make_options(m);
    double other;
    switch (m->kind) {
        case FB_CASE_EQUILIBRIUM:
            return calc_equilibrium_error(m, c, error, err);
        case FB_CASE_FREQUENCIES:
            return calc_frequency_errors(m, c, error, err);
        case FB_CASE_PENALTY_ORDER:
            return calc_penalty_order(m, c, error, err);
        case FB_CASE_LINEARIZATION_TIME:
            return linearize(m, c, &options, &other, error, err);
        default:
            return linearize(m, c, &options, error, &other, err);
    }
}
