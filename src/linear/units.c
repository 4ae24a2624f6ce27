// The blocks in the model's own units of length, energy and time, for the methods that compare
// entries of all kinds with each other: QZ, dependent coordinates, the evidence of classification.
//
// With displacements u of the model's size, the energy E of the stiffness along them, the rate r of
// E against the masses, and rows times g:  M <- u M u r^2/E,  C <- u C u r/E,  K <- u K u/E,
// G <- g G u,  and so on; all of them powers of two, so that nothing rounds. Eigenvalues come out
// divided by r.
#include <math.h>

#include "linear/linearization.h"

static double power_of_two(double x) {
    int exponent;
    frexp(x, &exponent);
    return x > 0.0 && isfinite(x) ? ldexp(0.5, exponent) : 1.0;
}

static double unit_of(const FbLinearization* l, int j) {
    return power_of_two(fb_model_displacement(l->op->model, j));
}

// The largest diagonal entry along displacements of the model's size.
static double largest(const FbLinearization* l, const double* a) {
    double most = 0.0;
    for (int j = 0; j < l->b.n; j++) {
        double u = unit_of(l, j);
        most = fmax(most, fabs(a[(size_t)j * (size_t)l->b.n + (size_t)j]) * u * u);
    }
    return most;
}

static void choose_units(FbLinearization* l) {
    double mass = largest(l, l->b.M), stiffness = largest(l, l->b.K);
    double rate = mass > 0.0 ? sqrt(stiffness / mass) : 0.0;
    rate = mass > 0.0 ? fmax(rate, largest(l, l->b.C) / mass) : rate;
    l->unit_rate = power_of_two(rate > 0.0 ? rate : 1.0);
    l->unit_energy = power_of_two(fmax(stiffness, mass * l->unit_rate * l->unit_rate));
}

// a [rows x n] times f, row r times `row[r]` (NULL: u of velocity r), column times u.
static void scale(FbLinearization* l, double* a, int rows, const double* row, double f) {
    for (int j = 0; a && j < l->b.n; j++) {
        double u = unit_of(l, j) * f;
        for (int r = 0; r < rows; r++) {
            a[(size_t)j * (size_t)rows + (size_t)r] *= u * (row ? row[r] : unit_of(l, r));
        }
    }
}

static void scale_rows_of_constraints(FbLinearization* l) {
    FbDenseBlocks* b = &l->b;
    double* g = l->dense;                                   // [m], free here
    bool is_free = l->options.method == FB_METHOD_PENALTY;  // rows count as the penalty says
    for (int r = 0; r < b->m; r++) {
        const double* size = l->op->dynamics->c_scale;
        g[r] = size && !is_free ? 1.0 / power_of_two(size[r]) : 1.0;
    }
    double rate = 1.0 / l->unit_rate;
    scale(l, b->G, b->m, g, 1.0);
    scale(l, b->Gq, b->m, g, rate);
    scale(l, b->G_rate, b->m, g, rate);
    scale(l, b->Gq_rate, b->m, g, rate * rate);
}

void fb_linear_scale(FbLinearization* l) {
    FbDenseBlocks* b = &l->b;
    int n = b->n, n_x = b->n_x;
    choose_units(l);
    double r = l->unit_rate, E = l->unit_energy;
    scale(l, b->M, n, NULL, r * r / E);
    scale(l, b->C, n, NULL, r / E);
    scale(l, b->K, n, NULL, 1.0 / E);
    scale_rows_of_constraints(l);
    for (int i = 0; i < n * n_x; i++) {
        b->Rx[i] *= unit_of(l, i % n) / E;
        b->Xq[i] *= unit_of(l, i / n_x) / r;
        b->Xv[i] *= unit_of(l, i / n_x);
    }
    for (int i = 0; i < n_x * n_x; i++) {
        b->Xx[i] /= r;
    }
    for (int i = 0; b->W && i < n * n; i++) {
        b->W[i] *= unit_of(l, i / n) / (unit_of(l, i % n) * r);
    }
    l->options.penalty /= E;
    l->options.baumgarte_rate /= r;
}

void fb_linear_unscale(FbLinearization* l) {
    int n = l->b.n;
    double r = l->unit_rate;
    for (int k = 0; k < l->n_modes; k++) {
        FbMode* mode = &l->modes[k];
        if (!mode->is_infinite) {
            l->w[k] *= r;
            mode->re *= r;
            mode->im *= r;
            mode->frequency_hz *= r;
        }
        for (int j = 0; j < n; j++) {
            l->xq[(size_t)k * (size_t)n + (size_t)j] *= unit_of(l, j);
            l->xv[(size_t)k * (size_t)n + (size_t)j] *= unit_of(l, j) * r;
        }
    }
    l->options.penalty *= l->unit_energy;
    l->options.baumgarte_rate *= r;
}
