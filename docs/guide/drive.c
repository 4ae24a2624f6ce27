// Balances the pole of pole.yaml, or of the file that is named, from outside: every 10 ms a
// controller of this program measures the outputs and sets the force on the cart.
#include <flyball/flyball.h>
#include <stdio.h>

static FbStatus balance(FbSimulation* sim, int push, FbError* err) {
    static const double gain[] = {3.16, 5.66, 39.6, 11.2};  // of x, v, lean and its rate
    FbStatus status = FB_OK;
    for (int k = 0; status == FB_OK && k <= 300; k++) {
        double y[4], force = 0.0;
        status = fb_simulation_calc_outputs(sim, y, err);
        for (int i = 0; status == FB_OK && i < 4; i++) {
            force += gain[i] * y[i];
        }
        if (status == FB_OK && k % 60 == 0) {
            printf("%.1f s  x %8.5f m  lean %8.5f rad\n", fb_simulation_get_time(sim), y[0], y[2]);
        }
        if (status == FB_OK) {
            status = fb_simulation_set_input(sim, push, force, err);
        }
        if (status == FB_OK) {
            status = fb_simulation_step(sim, 0.01, err);
        }
    }
    return status;
}

int main(int argc, char** argv) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbSimulation* sim = NULL;
    FbError err = {0};
    if (fb_model_def_read_file(argc > 1 ? argv[1] : "pole.yaml", NULL, &def, messages) != FB_OK ||
        fb_model_create(def, &model, messages) != FB_OK) {
        fprintf(stderr, "%s\n", fb_diagnostics_get(messages, 0)->text);
        return 1;
    }
    FbRunOptions options = fb_run_options_default(model);
    FbStatus status = fb_simulation_create(model, &options, &sim, &err);
    if (status == FB_OK) {
        status = balance(sim, fb_model_find_input(model, "push"), &err);
    }
    if (status != FB_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(messages);
    return status == FB_OK ? 0 : 1;
}
