// The effective damping of a run in readable form: the requested output and the table of cycles.
#include "damping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// "theta:9": the output and how many cycles; a colon not followed by a number is part of the name.
static void split_option(const char* text, char name[256], int* cycles) {
    snprintf(name, 256, "%s", text);
    char* colon = strrchr(name, ':');
    char* end = NULL;
    long n = colon != NULL ? strtol(colon + 1, &end, 10) : 0;
    if (colon != NULL && end != colon + 1 && *end == '\0' && n > 0 && n < 1000000000) {
        *colon = '\0';
        *cycles = (int)n;
    }
}

int choose_damping(const Options* options, const FbModel* model, char name[256], FbDampingDef* def,
                   const FbDampingDef** out) {
    const FbDampingDef* own = fb_model_get_damping(model);
    *out = own;
    if (options->damping == NULL) {
        return EXIT_OK;
    }
    int cycles = 0;
    split_option(options->damping, name, &cycles);
    if (fb_model_find_output(model, name) < 0) {
        return usage_error(options, "--damping %s: the model records no output '%s'",
                           options->damping, name);
    }
    // The model's own request keeps its bound and energy where it is about the same output.
    bool is_same = own != NULL && strcmp(own->output, name) == 0;
    *def = is_same ? *own : fb_damping_def_default();
    def->output = name;
    def->cycles = cycles > 0 ? cycles : def->cycles;
    *out = def;
    return EXIT_OK;
}

static void print_cycle(const FbDamping* d, int k) {
    const FbDampingCycle* c = &d->cycles[k];
    printf("  %5d %12.6g %14.8g %12.8f %12.8f %12.6g", k + 1, c->t, c->amplitude, c->ratio,
           c->overall, c->frequency_hz);
    if (!isnan(c->energy_change)) {
        printf(" %12.5g", c->energy_change);
    }
    printf(" %10.4g %10.4g\n", c->growing_s, c->falling_s);
}

static void print_overall(const FbDamping* d) {
    if (d->is_complete) {
        printf("  damping ratio %.12g over %d cycles, %.9g Hz\n", d->ratio, d->n_asked,
               d->frequency_hz);
    }
    if (d->is_complete && !isnan(d->bound)) {
        printf("  %.4g %% of the bound %.9g\n", 100.0 * d->share, d->bound);
    }
}

void print_damping(const FbDamping* d) {
    enum { SHOWN = 40 };
    printf("\ndamping of %s", d->output);
    if (d->n_cycles == 0) {
        printf(": no full cycle\n");
        return;
    }
    printf(", from %.9g%s%s at t = %.6g s%s; phases from the %s\n", d->amplitude_0,
           d->unit[0] ? " " : "", d->unit, d->t_0, d->starts_at_rest ? ", at rest" : "",
           d->phases_from);
    bool has_energy = !isnan(d->cycles[0].energy_change);
    printf("  %5s %12s %14s %12s %12s %12s%s %10s %10s\n", "cycle", "peak at s", "amplitude",
           "ratio", "overall", "Hz", has_energy ? "    change J" : "", "growing s", "falling s");
    int n_clear = fb_damping_count_clear(d);
    for (int k = 0; k < n_clear && k < SHOWN; k++) {
        print_cycle(d, k);
    }
    if (n_clear > SHOWN) {
        printf("  ... and %d more (--json lists all)\n", n_clear - SHOWN);
    } else if (n_clear < d->n_cycles) {
        printf("  then the vibration is lost in ripples (--json lists all %d peaks)\n",
               d->n_cycles);
    }
    print_overall(d);
}
