// How what travelling parts touch responds to forces there, in the stepper for linear equations:
// the responses H of eq. (5.60), once per factorization and element.
#include <string.h>

#include "base/wide.h"
#include "solve/ltv.h"

enum { G = FB_MOVING };

static size_t bytes(int n) {
    return sizeof(double) * (size_t)n;
}

// out = wr re - wi im of [force][number], into every `stride`-th row of out; `adds`: to what is
// there. A constant at each call.
static inline void weigh(bool adds, int numbers, double wr, const double* re, double wi,
                         const double* im, int stride, double* out) {
    for (int force = 0; force < numbers; force++, out += stride) {
        for (int e = 0; e < numbers; e += G, re += G, im += G) {
            FbFour change = *(const FbFour*)re * wr - *(const FbFour*)im * wi;
            if (adds) {
                change += *(const FbFour*)(out + e);
            }
            *(FbFour*)(out + e) = change;
        }
    }
}

// The motion of all three kinds at all stages by forces at all stages, from system k: the real part
// of weights times the complex numbers [force][number]. The first system, which is real, begins.
FB_WIDE static void add_response(FbLtv* s, FbLtvFactors* f, int k, const double* re,
                                 const double* im) {
    const FbRadauMethod* m = &s->method;
    int numbers = G * s->moving.n, stride = m->s * numbers;
    int kinds = f->has_places ? 3 : 2;
    double complex shift = fb_ltv_shift(m, k, f->h), inverse = fb_ltv_reciprocal(shift);
    for (int i = 0; i < m->s; i++) {
        for (int j = 0; j < m->s; j++) {
            double complex weight = fb_ltv_weight_back(m, k, i) * fb_ltv_weight_into(m, k, j);
            const double complex by_kind[FB_LTV_KINDS] = {weight * shift, weight, weight * inverse};
            for (int x = 0; x < kinds; x++) {
                double* out = f->response[x] + (j * stride + i) * numbers;
                double wr = creal(by_kind[x]), wi = cimag(by_kind[x]);
                if (k == 0) {
                    weigh(false, numbers, wr, re, wi, im, stride, out);
                } else {
                    weigh(true, numbers, wr, re, wi, im, stride, out);
                }
            }
        }
    }
}

// What unit force j on the groups' numbers is for the unknowns.
static const double* unit_force(FbLtv* s, int j) {
    FbLtvMoving* m = &s->moving;
    if (m->E) {
        return m->E + j * s->unknowns.n;
    }
    memset(m->force, 0, bytes(G * m->n));
    m->force[j] = 1.0;
    memset(s->b, 0, bytes(s->unknowns.n));
    fb_ltv_scatter(s, m->force, s->b);
    return s->b;
}

// i x of n complex numbers
static void turn(int n, const double* x, double* out) {
    for (int i = 0; i < n; i++) {
        out[2 * i] = -x[2 * i + 1];
        out[2 * i + 1] = x[2 * i];
    }
}

static void calc_columns(FbLtv* s, FbLtvFactors* f) {
    FbLtvMoving* m = &s->moving;
    int n = s->unknowns.n, numbers = G * m->n, count = numbers * numbers;
    double *re = m->re, *im = re + count;
    f->has_places = m->has_places;
    for (int k = 0; k <= s->method.n_pair; k++) {
        int parts = k > 0 ? 2 : 1;
        for (int j = 0; j < numbers; j++) {
            double* column = f->columns[k] + j * parts * n;
            const double* unit = unit_force(s, j);
            for (int i = 0; i < n; i++) {
                column[parts * i] = unit[i];
                column[parts * i + parts - 1] = parts > 1 ? 0.0 : unit[i];
            }
            fb_ltv_system_solve(s, f, k, column);
            if (parts > 1) {
                turn(n, column, column + numbers * 2 * n);
            }
            for (int part = 0; part < parts; part++) {
                const double* const seen = column + part;
                fb_ltv_gather(s, 1, &seen, parts, (part == 0 ? re : im) + j * numbers);
            }
        }
        if (k == 0) {
            memcpy(f->real, re, bytes(count));
            memset(im, 0, bytes(count));
        }
        add_response(s, f, k, re, im);
    }
    f->has_columns = true;
}

void fb_ltv_responses_ensure(FbLtv* s, FbLtvFactors* f) {
    FbLtvMoving* m = &s->moving;
    for (int i = 0; i < s->method.s * m->n; i++) {
        m->has_places |= fb_ltv_shares(s, i / m->n)[i % m->n].has_places;
    }
    if (!f->has_columns || (m->has_places && !f->has_places)) {
        calc_columns(s, f);
    }
}
