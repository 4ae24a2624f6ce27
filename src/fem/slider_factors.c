// The inertia of a mass that slides along a linear element as a matrix of low rank (theory manual,
// eqs. 9.9-9.14 for one direction, in which N is the row of the four shape functions h).
#include <string.h>

#include "fem/slider.h"

static void set_row(double row[4], double factor, const double h[4]) {
    for (int i = 0; i < 4; i++) {
        row[i] = factor * h[i];
    }
}

static void add_row(double row[4], double factor, const double h[4]) {
    for (int i = 0; i < 4; i++) {
        row[i] += factor * h[i];
    }
}

// m N' (N x'' + 2 s' N_s x' + (s'^2 N_ss + s'' N_s) x), and J times the same one derivative higher.
static void set_convective(const FbSliderMass* mass, const FbSliderMotion* m, double h[4][4],
                           FbSliderFactors* out) {
    const double inertia[2] = {mass->mass, mass->rotary};
    const int n = mass->rotary != 0.0 ? 2 : 1;
    out->rank = n;
    out->has_places = true;
    for (int r = 0; r < n; r++) {
        set_row(out->U[r], 1.0, h[r]);
        set_row(out->B[0][r], inertia[r], h[r]);
        set_row(out->B[1][r], 2.0 * m->ds * inertia[r], h[r + 1]);
        set_row(out->B[2][r], m->ds * m->ds * inertia[r], h[r + 2]);
        add_row(out->B[2][r], m->dds * inertia[r], h[r + 1]);
    }
}

// m (N' N x'' + s' (N' N_s + N_s' N) x'), and J times the same one derivative higher.
static void set_form_1(const FbSliderMass* mass, const FbSliderMotion* m, double h[4][4],
                       FbSliderFactors* out) {
    const double inertia[2] = {mass->mass, mass->rotary};
    int n = mass->rotary != 0.0 ? 2 : 1;
    out->rank = n + 1;
    for (int r = 0; r < out->rank; r++) {
        set_row(out->U[r], 1.0, h[r]);
    }
    for (int r = 0; r < n; r++) {
        add_row(out->B[0][r], inertia[r], h[r]);
        add_row(out->B[1][r], m->ds * inertia[r], h[r + 1]);
        add_row(out->B[1][r + 1], m->ds * inertia[r], h[r]);
    }
}

void fb_slider_calc_factors(const FbSliderMass* mass, double length, const FbSliderMotion* motion,
                            FbSliderFactors* out) {
    double h[4][4];
    bool is_form_1 = mass->theory == FB_SLIDER_FORM_1A || mass->theory == FB_SLIDER_FORM_1B;
    memset(out, 0, sizeof *out);
    fb_field_calc_shapes(length, motion->s / length, h);
    if (is_form_1) {
        set_form_1(mass, motion, h, out);
    } else {
        set_convective(mass, motion, h, out);
    }
}
