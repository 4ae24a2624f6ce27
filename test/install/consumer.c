// A stranger's program: a pendulum built through the public headers alone, swung from one side to
// the other.
#include <flyball/flyball.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char model_text[] =
    "flyball: 1\n"
    "name: pendulum\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  bob:\n"
    "    shapes: [{type: point, at: [1, 0, 0], mass: 2}]\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, bob], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "outputs:\n"
    "  angle: pivot.q\n"
    "simulation: {duration: 1, sample: 0.1, rtol: 1e-10, atol: 1e-12}\n";

static int report(const FbDiagnostics* list) {
    for (int i = 0; i < fb_diagnostics_count(list); i++) {
        char line[1024];
        fb_diagnostic_format(fb_diagnostics_get(list, i), line, sizeof line);
        fprintf(stderr, "%s\n", line);
    }
    return 1;
}

// A bob released level from rest at 1 m is level again, on the other side (pi further), after 1.184
// s; before that it is below: energy gives angle'^2 = 2 g sin(angle).
static int check_result(const FbResult* result) {
    int last = fb_result_get_row_count(result) - 1;
    double t = fb_result_get_time(result, last);
    double angle = fb_result_get_value(result, last, 0);
    printf("flyball %s: angle(%g s) = %.10f rad\n", fb_version(), t, angle);
    return t == 1.0 && fabs(angle) > 2.0 && fabs(angle) < 3.1415926 ? 0 : 1;
}

int main(void) {
    FbDiagnostics* list = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbResult* result = NULL;
    FbError err;
    int failed = 1;
    if (fb_model_def_read_text(model_text, strlen(model_text), "pendulum.yaml", NULL, &def, list) ||
        fb_model_create(def, &model, list)) {
        report(list);
    } else {
        FbRunOptions options = fb_run_options_default(model);
        if (fb_simulate(model, &options, &result, &err)) {
            fprintf(stderr, "%s\n", err.text);
        } else {
            failed = check_result(result);
        }
    }
    fb_result_destroy(result);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(list);
    return failed;
}
