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
    if (!(s->atol > 0.0) || !isfinite(s->atol)) {
        return fail(c, "atol", is_same(s->atol, m->atol), "is %g; it must be > 0", s->atol);
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

FbStatus fb_settings_find_integrator(const FbModel* model, const FbSettings* s,
                                     const FbIntegratorType** type, FbError* err) {
    Check c = {model, s, err};
    const char* name = s->integrator ? s->integrator : "auto";
    *type = strcmp(name, "auto") == 0 ? &fb_integrator_auto : fb_integrator_find(name);
    return *type ? FB_OK : fail_unknown_integrator(&c, name);
}

FbStatus fb_settings_check(const FbModel* model, const FbSettings* s, FbError* err) {
    Check c = {model, s, err};
    const FbIntegratorType* type;
    FB_TRY(check_times(&c));
    FB_TRY(check_tolerances(&c));
    FB_TRY(check_start(&c));
    return fb_settings_find_integrator(model, s, &type, err);
}
