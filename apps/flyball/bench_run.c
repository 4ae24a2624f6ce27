// Runs the model of a benchmark case with the settings of the case.
#include "bench_run.h"

#include <math.h>

#include "terminal.h"

void refine_samples(FbSettings* s, int min_rows) {
    double sample = s->sample > 0.0 ? s->sample : s->duration / 100.0;
    double rows = sample > 0.0 ? s->duration / sample : 1.0;
    s->sample = sample / fmax(1.0, ceil(min_rows / rows - 1e-9));
}

static FbRunOptions make_run_options(const Options* options, const BenchCase* c, int min_rows,
                                     const FbModel* model, ProgressBar* bar) {
    FbRunOptions run = fb_run_options_default(model);
    FbSettings* s = &run.settings;
    s->duration = isnan(c->duration) ? s->duration : c->duration;
    s->sample = isnan(c->sample) ? s->sample : c->sample;
    s->integrator = options->integrator != NULL ? options->integrator : s->integrator;
    double rtol = !isnan(options->rtol) ? options->rtol : options->is_tight ? c->tight_rtol : NAN;
    double atol = !isnan(options->atol)                       ? options->atol
                  : options->is_tight && isnan(options->rtol) ? c->tight_atol
                                                              : NAN;
    if (!isnan(rtol)) {
        // A tighter relative tolerance alone would leave the absolute one in charge: they keep
        // their ratio.
        s->atol *= rtol / s->rtol;
        s->rtol = rtol;
    }
    s->atol = isnan(atol) ? s->atol : atol;
    if (min_rows > 0) {
        refine_samples(s, min_rows);
        run.record_poses = true;
    }
    run.progress = show_progress;
    run.progress_self = bar;
    return run;
}

int load_case_model(const Options* options, const BenchCase* c, const char* path,
                    LoadedModel* loaded, FbError* err) {
    Options load = {.is_quiet = options->is_quiet, .n_overrides = c->n_overrides};
    for (int i = 0; i < c->n_overrides && i < MAX_OVERRIDES; i++) {
        load.overrides[i] = c->overrides[i];
    }
    int code = load_model(&load, path, loaded);
    if (code != EXIT_OK) {
        snprintf(err->text, sizeof err->text, "the model could not be read");
    }
    return code;
}

int run_case_model(const Options* options, const BenchCase* c, const char* path, int min_rows,
                   LoadedModel* loaded, FbResult** result, FbError* err) {
    int code = load_case_model(options, c, path, loaded, err);
    if (code != EXIT_OK) {
        return code;
    }
    ProgressBar bar;
    init_progress(&bar, c->name, options->is_quiet);
    FbRunOptions run = make_run_options(options, c, min_rows, loaded->model, &bar);
    FbStatus status = fb_simulate(loaded->model, &run, result, err);
    end_progress(&bar);
    if (status < 0) {
        print_error(err);
    }
    return is_interrupted() ? EXIT_INTERRUPTED : exit_code_of_run(options, status);
}
