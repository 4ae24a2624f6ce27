// Checks the settings of a run, and finds the integrator that they name. A setting of the file that
// was not replaced since is reported at its place.
#include "solve/settings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "describe/def.h"
#include "solve/auto.h"

static const double MOST_STEPS = 1e12;  // as times, they differ by more than rounding

typedef struct Check {
    const FbModel* model;
    const FbSettings* s;
    FbError* err;
} Check;

static bool is_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

// `is_from_file`: the setting has the value that the model gives it.
static FbStatus fail(const Check* c, const char* key, bool is_from_file, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
static FbStatus fail(const Check* c, const char* key, bool is_from_file, const char* format, ...) {
    char text[FB_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    FbPlace place = fb_origin_place(&c->model->simulation, key);
    bool is_known = is_from_file && place.line > 0;
    return fb_fail(c->err, FB_ERR_RANGE, is_known ? &place : NULL, "simulation.%s %s", key, text);
}

static FbStatus check_times(const Check* c) {
    const FbSettings *s = c->s, *m = &c->model->settings;
    if (!(s->duration >= 0.0) || !isfinite(s->duration)) {
        return fail(c, "duration", is_same(s->duration, m->duration), "is %g s; it must be >= 0",
                    s->duration);
    }
    if (!isfinite(s->start)) {
        return fail(c, "start", is_same(s->start, m->start), "is %g s; it must be finite",
                    s->start);
    }
    if (!(s->sample >= 0.0) || (s->sample > 0.0 && s->duration / s->sample > 1e8)) {
        return fail(c, "sample", is_same(s->sample, m->sample),
                    "is %g s; it must be 0 (duration/100) or > duration/1e8", s->sample);
    }
    if (!(s->max_step >= 0.0)) {
        return fail(c, "max_step", is_same(s->max_step, m->max_step),
                    "is %g s; it must be >= 0 (0: no limit)", s->max_step);
    }
    return FB_OK;
}

static FbStatus check_tolerances(const Check* c) {
    const FbSettings *s = c->s, *m = &c->model->settings;
    if (!(s->rtol >= 1e-14) || !(s->rtol <= 0.1)) {
        return fail(c, "rtol", is_same(s->rtol, m->rtol), "is %g; it must be from 1e-14 to 0.1",
                    s->rtol);
    }
    if (!(s->atol >= 0.0) || !isfinite(s->atol)) {
        return fail(c, "atol", is_same(s->atol, m->atol),
                    "is %g; it must be >= 0 (0: a hundredth of rtol)", s->atol);
    }
    return FB_OK;
}

static FbStatus check_step(const Check* c) {
    const FbSettings *s = c->s, *m = &c->model->settings;
    bool is_own = is_same(s->step, m->step);
    if (!(s->step >= 0.0) || !isfinite(s->step)) {
        return fail(c, "step", is_own, "is %g s; it must be > 0, or 0 for error control", s->step);
    }
    if (s->step > s->duration) {
        return fail(c, "step", is_own, "is %g s, longer than the duration of %g s", s->step,
                    s->duration);
    }
    if (s->step > 0.0 && s->max_step > 0.0 && s->max_step < s->step) {
        return fail(c, "max_step", is_same(s->max_step, m->max_step),
                    "is %g s, less than the fixed step of %g s; leave max_step out", s->max_step,
                    s->step);
    }
    if (s->step > 0.0 && s->duration / s->step > MOST_STEPS) {
        return fail(c, "step", is_own, "is %g s: %g steps; use a longer one", s->step,
                    s->duration / s->step);
    }
    if (!(s->spectral_radius >= 0.0) || !(s->spectral_radius <= 1.0)) {
        return fail(c, "spectral_radius", is_same(s->spectral_radius, m->spectral_radius),
                    "is %g; it must be from 0 to 1", s->spectral_radius);
    }
    return FB_OK;
}

static FbStatus check_start(const Check* c) {
    const FbSettings *s = c->s, *m = &c->model->settings;
    if (s->start_mode < 0) {
        return fail(c, "start_mode", s->start_mode == m->start_mode,
                    "is %d; it must be >= 0 (0: no mode)", s->start_mode);
    }
    if (s->max_steps < 0) {
        return fail(c, "max_steps", s->max_steps == m->max_steps,
                    "is %d; it must be >= 0 (0: no limit)", s->max_steps);
    }
    if (s->n_release > 0 && !s->starts_at_equilibrium) {
        return fb_fail(c->err, FB_ERR_ARGUMENT, NULL,
                       "simulation.release needs a run that starts at an equilibrium");
    }
    return FB_OK;
}

static FbStatus fail_unknown_integrator(const Check* c, const char* name) {
    const char* names[16] = {"auto"};
    char list[160] = "auto";
    int n = 1;
    for (; fb_integrator_types[n - 1] && n < 16; n++) {
        names[n] = fb_integrator_types[n - 1]->name;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, ", %s", names[n]);
    }
    const char* close = fb_did_you_mean(name, names, n);
    const char* own = c->model->settings.integrator;
    FbPlace place = fb_origin_place(&c->model->simulation, "integrator");
    bool is_from_file = place.line > 0 && own && strcmp(own, name) == 0;
    return fb_fail(c->err, FB_ERR_NAME, is_from_file ? &place : NULL,
                   "unknown integrator '%s'%s%s%s (%s)", name, close ? "; did you mean '" : "",
                   close ? close : "", close ? "'?" : "", list);
}

// "alpha, radau"
static void list_fixed(char* list, size_t size) {
    list[0] = '\0';
    for (int i = 0; fb_integrator_types[i]; i++) {
        if (fb_integrator_types[i]->takes_fixed_steps) {
            size_t length = strlen(list);
            snprintf(list + length, size - length, "%s%s", length > 0 ? ", " : "",
                     fb_integrator_types[i]->name);
        }
    }
}

FbStatus fb_settings_find_integrator(const FbModel* model, const FbSettings* s,
                                     const FbIntegratorType** type, FbError* err) {
    Check c = {model, s, err};
    const char* name = s->integrator ? s->integrator : "auto";
    bool is_auto = strcmp(name, "auto") == 0, is_fixed = s->step > 0.0;
    *type = !is_auto   ? fb_integrator_find(name)
            : is_fixed ? &fb_integrator_alpha
                       : &fb_integrator_auto;
    if (!*type) {
        return fail_unknown_integrator(&c, name);
    }
    if (is_fixed && !(*type)->takes_fixed_steps) {
        char list[160];
        list_fixed(list, sizeof list);
        return fail(&c, "step", is_same(s->step, model->settings.step),
                    "is %g s, but integrator %s chooses its own steps; use one of %s, or leave "
                    "step out",
                    s->step, name, list);
    }
    if (!is_fixed && (*type)->has_no_control) {
        return fail(&c, "step", false,
                    "is missing: integrator %s takes steps of a fixed length only; give one "
                    "(--step SECONDS), about a twentieth of the shortest period of interest",
                    name);
    }
    return FB_OK;
}

FbStatus fb_settings_check(const FbModel* model, const FbSettings* s, FbError* err) {
    Check c = {model, s, err};
    const FbIntegratorType* type;
    FB_TRY(check_times(&c));
    FB_TRY(check_tolerances(&c));
    FB_TRY(check_step(&c));
    FB_TRY(check_start(&c));
    return fb_settings_find_integrator(model, s, &type, err);
}
