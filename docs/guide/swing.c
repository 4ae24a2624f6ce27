// Simulates the model in swing.yaml, or in the file that is named, and prints its first output.
#include <flyball/flyball.h>
#include <stdio.h>

int main(int argc, char** argv) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbResult* result = NULL;
    FbError err;
    if (fb_model_def_read_file(argc > 1 ? argv[1] : "swing.yaml", NULL, &def, messages) != FB_OK ||
        fb_model_create(def, &model, messages) != FB_OK) {
        fprintf(stderr, "%s\n", fb_diagnostics_get(messages, 0)->text);
        return 1;
    }
    FbRunOptions options = fb_run_options_default(model);
    options.settings.duration = 1.0;
    if (fb_simulate(model, &options, &result, &err) != FB_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (int i = 0; i < fb_result_get_row_count(result); i++) {
        printf("%.1f %.6f\n", fb_result_get_time(result, i), fb_result_get_value(result, i, 0));
    }
    fb_result_destroy(result);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(messages);
    return 0;
}
