// Linearization methods by name, timed executions, and the error of a spectrum.
#include "linear/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

const char* const fb_method_names[FB_N_METHODS] = {"independent", "descriptor", "ode", "penalty"};
const char* const fb_class_names[FB_N_CLASSES] = {"physical", "rigid-body", "constraint",
                                                  "artefact"};

int fb_find_method(const char* name) {
    for (int m = 0; m < FB_N_METHODS; m++) {
        if (strcmp(name, fb_method_names[m]) == 0) {
            return m;
        }
    }
    return -1;
}

bool fb_mode_is_true(const FbMode* mode) {
    return mode->class_ == FB_MODE_PHYSICAL || mode->class_ == FB_MODE_RIGID_BODY;
}

FbStatus fb_linearization_run_repeatedly(FbLinearization* l, int repeat, bool (*is_stopped)(void),
                                         double* wall_s, FbError* err) {
    if (repeat > 1) {
        FB_TRY(fb_linearization_run(l, err));  // fills the caches before the clock starts
    }
    double start = fb_clock_wall_s();
    for (int i = 0; i < repeat; i++) {
        FB_TRY(fb_linearization_run(l, err));
        if (is_stopped != NULL && is_stopped()) {
            return FB_STOPPED;
        }
    }
    *wall_s = fb_clock_wall_s() - start;
    return FB_OK;
}

// The squared distance to the nearest true mode that is not used yet; marks it.
static double take_nearest(const FbLinearization* l, double re, double im, bool* is_used) {
    int best = -1;
    double least = NAN;
    for (int k = 0; k < fb_linearization_get_mode_count(l); k++) {
        const FbMode* mode = fb_linearization_get_mode(l, k);
        double dr = mode->re - re, di = mode->im - im, distance = dr * dr + di * di;
        if (fb_mode_is_true(mode) && !is_used[k] && !(distance >= least)) {
            least = distance;
            best = k;
        }
    }
    if (best >= 0) {
        is_used[best] = true;
    }
    return least;
}

FbStatus fb_calc_spectrum_error(const FbLinearization* l, const FbExactValue* exact, int n,
                                double* error, FbError* err) {
    int n_modes = fb_linearization_get_mode_count(l);
    bool* is_used = calloc((size_t)n_modes + 1, sizeof(bool));
    *error = NAN;
    if (is_used == NULL) {
        return fb_fail_memory(err);
    }
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += take_nearest(l, exact[i].re, exact[i].im, is_used);
        if (exact[i].im != 0.0) {
            sum += take_nearest(l, exact[i].re, -exact[i].im, is_used);
        }
    }
    free(is_used);
    *error = sqrt(sum);
    return FB_OK;
}
