// Convergence of Newton's iteration with a frozen matrix (theory manual, section 5.13).
#include "solve/contraction.h"

#include <float.h>
#include <math.h>

enum { MAX_ITERATIONS = 25, STEPS_PER_FLOOR = 200 };
// An observed contraction counts less with every step that does not measure it again: of 1e-12, a
// linear problem, after about ten steps.
static const double AGE = 0.9;
static const double SLOWEST = 0.9;
static const double FLOOR_REACH = 4.0;  // increments of rounding vary by so much
// Increments that do not shrink any more are rounding where they are that part of the first one.
static const double SMALL = 1e-5, STUCK = 0.5;

void fb_contraction_restart(FbContraction* c) {
    *c = (FbContraction){.eta = 1.0, .age = -1};
}

void fb_contraction_forget(FbContraction* c) {
    c->theta = 0.0;
    c->eta = 1.0;
}

void fb_contraction_begin(FbContraction* c) {
    c->eta = pow(fmax(c->eta, DBL_EPSILON), AGE);
    c->before = 0.0;
    c->count = 0;
    c->age += c->age >= 0;
    c->is_beyond = false;
    c->n_stuck = 0;
}

// The iteration has converged. Now and then one more shows what rounding does.
static FbNewtonState finish(FbContraction* c) {
    bool is_due = c->age < 0 || c->age > STEPS_PER_FLOOR;
    if (!is_due || c->count < 2) {
        return FB_NEWTON_DONE;
    }
    c->is_beyond = true;
    return FB_NEWTON_MORE;
}

static bool is_rounding(const FbContraction* c, double size) {
    return c->age >= 0 && size <= FLOOR_REACH * c->floor;
}

// theta from two increments, the largest of the step; the later ones may be nothing but rounding.
static void measure(FbContraction* c, double size, double noise) {
    if (c->count > 2 && size <= noise) {
        return;
    }
    double theta = (is_rounding(c, size) ? 0.1 * fmin(size, c->floor) : size) / c->before;
    c->theta = c->count > 2 ? fmax(theta, c->theta) : theta;
    c->eta = c->theta < SLOWEST ? fmax(c->theta, DBL_EPSILON) / (1.0 - c->theta) : 10.0;
}

static void set_floor(FbContraction* c, double size) {
    c->floor = size;
    c->age = 0;
}

FbNewtonState fb_contraction_judge(FbContraction* c, double size, double tolerance, double noise) {
    c->count++;
    if (!(size < INFINITY)) {
        return FB_NEWTON_FAILED;
    }
    c->first = c->count == 1 ? size : c->first;
    bool is_small = size <= noise || size <= SMALL * c->first;
    bool is_stuck = c->count > 1 && is_small && size > STUCK * c->before;
    if (c->is_beyond) {
        set_floor(c, is_stuck ? size : 0.0);
        return FB_NEWTON_DONE;
    }
    c->n_stuck = is_stuck ? c->n_stuck + 1 : 0;
    if (is_stuck && (size <= noise || c->n_stuck > 1)) {
        set_floor(c, size);
        return FB_NEWTON_DONE;
    }
    if (c->count > 1) {
        measure(c, size, noise);
        c->floor = c->age >= 0 ? fmin(c->floor, size) : 0.0;
        if (c->theta >= SLOWEST && c->count > 2 && !is_stuck) {
            return FB_NEWTON_FAILED;
        }
    }
    c->before = fmax(size, DBL_MIN);
    if (c->eta * size <= fmax(tolerance, fmin(c->floor, noise))) {
        return finish(c);
    }
    return c->count < MAX_ITERATIONS ? FB_NEWTON_MORE : FB_NEWTON_FAILED;
}
