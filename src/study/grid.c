// The points of a study's grid, and the command that runs the model at a point.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "study/samples.h"

long fb_study_count_points(const FbStudy* study) {
    if (study->samples.n > 0) {
        return fb_samples_count(study);
    }
    long n = 1;
    for (int i = 0; i < study->n_parameters; i++) {
        n *= study->parameters[i].n;
        if (n > FB_STUDY_MAX_POINTS) {
            return -1;
        }
    }
    return n;
}

void fb_study_get_point(const FbStudy* study, int index, double* parameters) {
    if (study->samples.n > 0) {
        fb_samples_get_point(study, index, parameters);
        return;
    }
    for (int i = study->n_parameters - 1; i >= 0; i--) {
        const FbStudyParameter* p = &study->parameters[i];
        parameters[i] = p->values[index % p->n];
        index /= p->n;
    }
}

static void add_pair(FbText* out, const char* option, const char* name, const char* value) {
    FbText word;
    fb_text_init(&word);
    fb_text_addf(&word, "%s=%s", name, value);
    fb_text_addf(out, " %s", option);
    fb_text_add_word(out, word.has_failed ? "" : word.data);
    out->has_failed |= word.has_failed;
    fb_text_free(&word);
}

static void add_settings(const FbStudy* s, FbText* out) {
    static const char* const options[] = {"--duration", "--sample", "--rtol", "--atol",
                                          "--max-step"};
    const double values[] = {s->settings.duration, s->settings.sample, s->settings.rtol,
                             s->settings.atol, s->settings.max_step};
    for (int i = 0; i < 5; i++) {
        if (s->has_setting[i] && values[i] > 0.0) {
            char number[32];
            fb_format_double(values[i], number);
            fb_text_addf(out, " %s %s", options[i], number);
        }
    }
    if (s->has_setting[5]) {
        fb_text_addf(out, " --integrator %s", s->settings.integrator);
    }
}

// The operating point, of commands that have one.
static void add_point(const FbStudy* s, const double* parameters, FbText* out) {
    double* work = calloc(s->work_size + 1, sizeof *work);
    out->has_failed |= !work;
    for (int i = 0; work && i < s->modes.n_steady; i++) {
        char number[32];
        fb_format_double(fb_study_eval(s->modes.steady[i].expr, parameters, work), number);
        add_pair(out, "--steady", s->modes.steady[i].joint, number);
    }
    fb_text_add(out, s->modes.is_initial ? " --at initial" : "");
    free(work);
}

void fb_study_write_command(const FbStudy* s, const double* parameters, FbText* out) {
    bool has_run = s->modes.has_run || !(s->modes.has_modes || s->modes.has_outputs);
    fb_text_addf(out, "flyball %s", has_run ? "run" : s->modes.has_modes ? "modes" : "equilibrium");
    fb_text_add_word(out, s->model_path);
    for (int i = 0; i < s->n_overrides; i++) {
        add_pair(out, "--set", s->overrides[i].name, s->overrides[i].value);
    }
    for (int i = 0; i < s->n_parameters; i++) {
        char number[32];
        fb_format_double(parameters[i], number);
        add_pair(out, "--set", s->parameters[i].name, number);
    }
    if (!has_run) {
        add_point(s, parameters, out);
        return;
    }
    add_settings(s, out);
    for (int i = 0; i < s->n_measures; i++) {
        const FbStudyMeasure* m = &s->measures[i];
        if (m->kind == FB_STUDY_DAMPING) {
            fb_text_addf(out, " --damping %s", m->output);
            if (m->cycles > 0) {
                fb_text_addf(out, ":%d", m->cycles);
            }
            return;
        }
    }
}
