// What the regularisation of a Newton matrix leaves of an error of the multipliers: by the power
// method for e <- A^-1 (0, 0, epsilon e) (theory manual, eq. 5.68).
#include <math.h>
#include <string.h>

#include "solve/newton_parts.h"

enum { ITERATIONS = 3 };  // one direction is by far the worst where it matters

double fb_newton_system_calc_left(FbNewtonMatrix* m, FbNewtonSystem* sys, double epsilon) {
    static const double GOLDEN = 0.6180339887498949;  // multiples of it, modulo 1, look random
    int stride = sys->is_complex ? 2 : 1, first = stride * (m->n - m->size.n_c),
        count = stride * m->size.n_c;
    double left = 0.0, *e = m->probe + first;
    for (int i = 0; i < count; i++) {
        e[i] = fmod((i + 1) * GOLDEN, 1.0) - 0.25;
    }
    for (int k = 0; k < ITERATIONS; k++) {
        double before = 0.0, after = 0.0;
        memset(m->probe, 0, sizeof(double) * (size_t)first);
        for (int i = 0; i < count; i++) {
            before += e[i] * e[i];
            e[i] *= epsilon;
        }
        if (m->is_deep) {
            fb_tree_fronts_solve(sys->fronts, &m->tree, m->probe);
        } else {
            fb_linear_solve(sys->linear, m->probe);
        }
        for (int i = 0; i < count; i++) {
            after += e[i] * e[i];
        }
        left = before > 0.0 ? sqrt(after / before) : 0.0;
    }
    return left;
}
