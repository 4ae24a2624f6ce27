// How far linear structures have turned: they are for small displacements from the drawing.
#include <math.h>
#include <stdio.h>

#include "system/port.h"

// rad: the linear theory is off by half the square of the turn, 2 % here; and nonsense here, unless
// it was asked for (growth in a linear theory is a result, too).
static const double LARGE = 0.2, TOO_LARGE = 1.0;

FbStatus fb_structures_check_turns(FbSystem* s, const FbPoint* p, FbError* err) {
    const FbModel* m = s->m;
    bool is_too_large = false;
    for (int i = 0; i < m->n_linear_turns; i++) {
        double turn = fabs(fb_displacement(m, p->q, m->linear_turns[i]));
        is_too_large = is_too_large || (i < m->n_open_turns && turn > TOO_LARGE);
        if (turn > s->largest_turn) {
            s->largest_turn = turn;
            s->turned = m->linear_turns[i];
        }
    }
    if (!is_too_large) {
        return FB_OK;
    }
    return fb_fail(
        err, FB_ERR_MODEL, NULL,
        "at t = %.6g s '%s' has rotated by %.4g rad, but the linear structure that moves with it "
        "is valid only for small displacements from the drawing (beyond %g rad the run stops); use "
        "`theory: nonlinear`, or set `theory: linear` explicitly if this is intended",
        p->t, s->dynamics.ops->name_of_velocity(&s->dynamics, s->turned), s->largest_turn,
        TOO_LARGE);
}

void fb_structures_write_turn(const FbSystem* s, char* text, size_t size) {
    text[0] = '\0';
    if (s->largest_turn > LARGE) {
        snprintf(text, size,
                 "'%s' rotated by up to %.3g rad, but the linear structure that moves with it is "
                 "valid only for small displacements from the drawing (at %g rad its error is "
                 "about 2 %%); use "
                 "`theory: nonlinear`",
                 s->dynamics.ops->name_of_velocity(&s->dynamics, s->turned), s->largest_turn,
                 LARGE);
    }
}
