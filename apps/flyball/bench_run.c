// Runs the model of a benchmark case with the settings of the case, for its report.
#include "bench_run.h"

#include <math.h>

#include "study/bench_run.h"
#include "terminal.h"

void refine_samples(FbSettings* s, int min_rows) {
    double sample = s->sample > 0.0 ? s->sample : s->duration / 100.0;
    double rows = sample > 0.0 ? s->duration / sample : 1.0;
    s->sample = sample / fmax(1.0, ceil(min_rows / rows - 1e-9));
}

FbBenchOptions make_bench_options(const Options* options) {
    FbBenchOptions bench = fb_bench_options_default();
    bench.is_tight = options->is_tight;
    bench.integrator = options->integrator;
    bench.rtol = options->rtol;
    bench.atol = options->atol;
    return bench;
}

static FbRunOptions make_run_options(const Options* options, const FbBenchCase* c, int min_rows,
                                     const FbModel* model, ProgressBar* bar) {
    FbBenchOptions bench = make_bench_options(options);
    FbRunOptions run = fb_bench_make_run_options(c, &bench, model);
    refine_samples(&run.settings, min_rows);
    run.record_poses = true;
    run.progress = show_progress;
    run.progress_self = bar;
    return run;
}

int load_case_model(const Options* options, const FbBenchCase* c, const char* path,
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

int run_case_model(const Options* options, const FbBenchCase* c, const char* path, int min_rows,
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
