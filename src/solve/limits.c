// Reports which limits of drives were active during a run, as fractions of its samples.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "solve/simulation.h"

void fb_simulation_count_limits(FbSimulation* sim, const double* row) {
    const FbModel* m = sim->model;
    for (int i = 0; i < m->n_outputs; i++) {
        for (int k = 0; m->outputs[i].limits && k < FB_RESULT_LIMITS; k++) {
            bool is_bound = isfinite(row[i]) && ((int)row[i] >> k & 1) != 0;
            sim->result->limits[i * FB_RESULT_LIMITS + k] += is_bound;
        }
    }
}

// The part of the rows in which the bit of the output's sum was set, in percent.
static double share_of(const FbResult* result, int output, int bit) {
    int n = result->limits[output * FB_RESULT_LIMITS + bit];
    return result->n_row > 0 ? 100.0 * n / result->n_row : 0.0;
}

// "speed 12 %, acceleration 3 %"; empty if none bound.
static void write_shares(const FbResult* result, int output, const char* names, char* text,
                         size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int bit = 0; names && bit < FB_RESULT_LIMITS; bit++) {
        int length = (int)strcspn(names, "|");
        double share = share_of(result, output, bit);
        if (share > 0.0 && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%.*s %.3g %%",
                                     used > 0 ? ", " : "", length, names, share);
        }
        names = names[length] ? names + length + 1 : NULL;
    }
}

void fb_simulation_report_limits(FbSimulation* sim) {
    const FbModel* m = sim->model;
    for (int i = 0; i < m->n_outputs; i++) {
        char shares[200], text[512];
        write_shares(sim->result, i, m->outputs[i].limits, shares, sizeof shares);
        if (shares[0]) {
            snprintf(text, sizeof text, "limits were active in part of the samples: %.160s (%.80s)",
                     shares, m->outputs[i].name);
            fb_result_add_warning(sim->result, text, NULL);
        }
    }
}
