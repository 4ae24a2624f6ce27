// Simulates tether.yaml, or the file that is named, with two functions of this program: the law of
// a tether that pulls only when it is taut, and a winch that reels it in, 20 times a second.
#include <flyball/flyball.h>
#include <math.h>
#include <stdio.h>

static const double STIFFNESS = 400.0, DAMPING = 5.0;  // N/m, N s/m

// Arguments: length, its rate, reeled length. A smooth transition, so that slopes exist.
static FbStatus pull(void* self, double t, const double* u, double* y, FbError* err) {
    double slack = 1e-3, x = (u[0] - u[2]) / slack;
    double stretch = 0.5 * slack * (x + sqrt(x * x + 1.0)),
           share = 0.5 * (1.0 + x / sqrt(x * x + 1.0));
    (void)self, (void)t, (void)err;
    y[0] = STIFFNESS * stretch + DAMPING * share * u[1];
    return FB_OK;
}

static FbStatus pull_slopes(void* self, double t, const double* u, double* d, FbError* err) {
    double slack = 1e-3, x = (u[0] - u[2]) / slack, root = sqrt(x * x + 1.0);
    double share = 0.5 * (1.0 + x / root), bend = 0.5 / (root * root * root * slack);
    (void)self, (void)t, (void)err;
    d[0] = STIFFNESS * share + DAMPING * bend * u[1];
    d[1] = DAMPING * share;
    d[2] = -d[0];
    return FB_OK;
}

// Arguments: length, and its own last result: a controller with a memory.
static FbStatus winch(void* self, double t, const double* u, double* y, FbError* err) {
    double goal = *(const double*)self;
    (void)t;
    if (u[0] > 2.0) {
        snprintf(err->text, sizeof err->text, "the tether is %.3g m long: is it torn?", u[0]);
        return FB_ERR_RANGE;  // ends the run with this message
    }
    y[0] = fmax(goal, u[1] - 0.01);
    return FB_OK;
}

int main(int argc, char** argv) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbResult* result = NULL;
    FbError err = {0};
    double goal = 0.6;
    FbCallback law = {.calc = pull, .calc_derivatives = pull_slopes};
    FbCallback control = {.calc = winch, .self = &goal};
    if (fb_model_def_read_file(argc > 1 ? argv[1] : "tether.yaml", NULL, &def, messages) != FB_OK ||
        fb_model_def_set_callback(def, "pull", &law, &err) != FB_OK ||
        fb_model_def_set_callback(def, "winch", &control, &err) != FB_OK ||
        fb_model_create(def, &model, messages) != FB_OK) {
        fprintf(stderr, "%s\n", err.status ? err.text : fb_diagnostics_get(messages, 0)->text);
        return 1;
    }
    FbRunOptions options = fb_run_options_default(model);
    FbStatus status = fb_simulate(model, &options, &result, &err);
    for (int i = 0; status == FB_OK && i < fb_result_get_row_count(result); i++) {
        printf("%.1f s  length %.4f m  reeled to %.2f m\n", fb_result_get_time(result, i),
               fb_result_get_value(result, i, 0), fb_result_get_value(result, i, 1));
    }
    if (status != FB_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    fb_result_destroy(result);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(messages);
    return status == FB_OK ? 0 : 1;
}
