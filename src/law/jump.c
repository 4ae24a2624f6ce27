// Where a law is not smooth: the first jump of its value, rate or acceleration.
#include <math.h>

#include "law/law.h"

// Jumps below this part of the largest value seen are rounding.
static const double ROUNDING = 1e-6;
static const double BEGIN = 1e-9;  // of the interval: what jumps before is at its start
enum { SAMPLES = 512 };

// The largest |value|, |rate| and |acceleration| on a grid.
static void measure(const FbLaw* law, double t0, double t1, double largest[3]) {
    largest[0] = largest[1] = largest[2] = 0.0;
    for (int i = 0; i <= SAMPLES; i++) {
        double out[3];
        fb_law_calc(law, t0 + (t1 - t0) * i / SAMPLES, out);
        for (int k = 0; k < 3; k++) {
            largest[k] = fmax(largest[k], fabs(out[k]));
        }
    }
}

// The lowest derivative that jumps between two neighbouring times; -1: none.
static int jump_between(const FbLaw* law, double before, double after, int order,
                        const double largest[3]) {
    double left[3], right[3];
    fb_law_calc(law, before, left);
    fb_law_calc(law, after, right);
    for (int k = 0; k <= order && k < 3; k++) {
        // A change from one time to the next that follows from the rate is not a jump.
        double moved =
            k < 2 ? 4.0 * (after - before) * fmax(fabs(left[k + 1]), fabs(right[k + 1])) : 0.0;
        double size = fmax(largest[k], fmax(fabs(left[k]), fabs(right[k])));
        if (fabs(right[k] - left[k]) > moved + ROUNDING * size) {
            return k;
        }
    }
    return -1;
}

bool fb_law_first_jump(const FbLaw* law, int order, double t0, double t1, double* t,
                       int* derivative) {
    // At t0 itself an expression may be on the border of a piece that it does not enter.
    double largest[3], from = t0 + BEGIN * (t1 - t0);
    *t = INFINITY;
    *derivative = -1;
    if (fb_law_roughness(law) > order && law->type->next_piece == NULL) {
        return false;
    }
    measure(law, t0, t1, largest);
    while (from < t1) {
        double next = fb_law_next_break(law, from), before = nextafter(next, -INFINITY);
        if (law->type->next_piece != NULL) {
            next = law->type->next_piece(law, from, t1, &before);
        }
        if (!(next < t1)) {
            return false;
        }
        *derivative = jump_between(law, before, next, order, largest);
        if (*derivative >= 0) {
            *t = next;
            return true;
        }
        from = next;
    }
    return false;
}
