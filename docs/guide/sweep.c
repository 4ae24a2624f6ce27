// Runs a study over its grid, on all processors, and prints what each point measures.
#include <flyball/flyball.h>
#include <stdio.h>

int main(void) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbStudy* study = NULL;
    FbStudyRun* run = NULL;
    FbError err;
    if (fb_study_read("studies/phase.yaml", NULL, 0, &study, messages) != FB_OK) {
        fprintf(stderr, "%s\n", fb_diagnostics_get(messages, 0)->text);
        return 1;
    }
    FbStudyOptions options = fb_study_options_default("phase.csv");
    FbStatus status = fb_study_sweep(study, &options, &run, &err);
    if (status != FB_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    for (int i = 0; status == FB_OK && i < fb_study_run_get_trial_count(run); i++) {
        const FbTrial* t = fb_study_run_get_trial(run, i);
        printf("phase %.4f stroke %.2f: zeta %.5f\n", t->values[0], t->values[1], t->values[2]);
    }
    fb_study_run_destroy(run);
    fb_study_destroy(study);
    fb_diagnostics_destroy(messages);
    return status == FB_OK ? 0 : 1;
}
