// Steps of a fixed length: a step that has this length up to rounding has it exactly, so that
// its matrix is the previous one.
#ifndef FLYBALL_SOLVE_FIXED_STEP_H
#define FLYBALL_SOLVE_FIXED_STEP_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

// The length of the step from t and, into *t_end, its end: at most t_limit.
static inline double fb_fixed_step(double h, double t, double t_limit, double* t_end) {
    double rest = t_limit - t, rounding = 1e-9 * h + 8.0 * DBL_EPSILON * fabs(t_limit);
    bool is_last = h + rounding >= rest;
    *t_end = is_last ? t_limit : t + h;
    return is_last && fabs(rest - h) > rounding ? rest : h;
}

#endif
