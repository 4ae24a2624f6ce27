// Steady motions: which velocities stay, and what turns with what.
#include <math.h>
#include <string.h>

#include "solve/operating_point.h"

// Relative to the fastest velocity: what constraints may miss.
static const double POSSIBLE = 1e-9;
// How far a steady motion is followed to see that it is one, rad; and the unbalanced forces that
// may appear on the way: relative to the acting ones, or to what rounding of positions makes.
static const double FOLLOWED = 0.3, STEADY = 1e-6, ROUNDING = 1e-11;

static FbStatus find_coordinate(const FbOperatingPoint* op, const FbSteadyRate* steady,
                                int* velocity, FbError* err) {
    for (int i = 0; i < op->info.n_coordinates; i++) {
        bool is_first = op->index[i] == 0 &&
                        strcmp(op->model->joints[op->joint[i]].name, steady->coordinate) == 0;
        if (is_first || strcmp(op->names[i], steady->coordinate) == 0) {
            *velocity = op->model->joints[op->joint[i]].velocity[op->index[i]];
            if (*velocity < 0) {
                return fb_fail(
                    err, FB_ERR_MODEL, NULL,
                    "'%s' closes a loop; name another joint of that loop as the steady one",
                    steady->coordinate);
            }
            return FB_OK;
        }
    }
    return fb_fail(err, FB_ERR_NAME, NULL,
                   "there is no joint coordinate '%s' to keep at a steady rate",
                   steady->coordinate);
}

// Everything is at rest except these, the first of which belong to drives; beams move with the
// bodies that carry them.
static FbStatus set_velocities(FbOperatingPoint* op, const FbRate* rates, int n, int n_driven,
                               FbError* err) {
    int n_v = op->dynamics->size.n_v;
    memset(op->p.v, 0, sizeof(double) * (size_t)n_v);
    double fastest = 1.0;
    FbConstraintErrors errors;
    if (op->model->n_beams > 0 && n > 0) {
        FB_TRY(fb_system_carry_structures(op->system, &op->p, rates + n_driven, n - n_driven, err));
    }
    for (int i = 0; i < n; i++) {
        op->p.v[rates[i].v] = rates[i].rate;
    }
    for (int j = 0; j < n_v; j++) {
        fastest = fmax(fastest, fabs(op->p.v[j]));
    }
    fb_system_calc_constraint_errors(op->system, &op->p, &errors);
    if (!(errors.velocity < POSSIBLE * fastest)) {
        return fb_fail(
            err, FB_ERR_MODEL, NULL,
            "the constraints do not allow this steady motion (violated by %.3g m/s or rad/s); an "
            "equilibrium requires everything else to be at rest, and no law may drive a coordinate",
            errors.velocity);
    }
    const char* beam = fb_system_find_strained_beam(op->system, &op->p);
    return beam ? fb_fail(err, FB_ERR_MODEL, NULL,
                          "this is not a steady motion, because it strains beam '%s'; simulate the "
                          "motion instead",
                          beam)
                : FB_OK;
}

static bool is_driven(const FbRate* rates, int n, const FbRate* asked) {
    bool is_same = false;
    for (int i = 0; i < n; i++) {
        is_same |= rates[i].v == asked->v &&
                   fabs(rates[i].rate - asked->rate) <= POSSIBLE * fabs(asked->rate);
    }
    return is_same;
}

FbStatus fb_operating_set_steady(FbOperatingPoint* op, const FbOperatingOptions* o, FbError* err) {
    int n = op->dynamics->size.n_v + op->model->n_rows + o->n_steady;
    FbRate* rates = FB_TAKE(op->arena, FbRate, n + 1);
    op->steady_a = FB_TAKE(op->arena, double, op->dynamics->size.n_v + 1);
    if (fb_arena_has_failed(op->arena)) {
        return fb_fail_memory(err);
    }
    int n_rates = 0;
    bool is_known = fb_system_get_driven_rates(op->system, &op->p, rates, &n_rates);
    if (!is_known && o->n_steady == 0) {
        return fb_fail(
            err, FB_ERR_MODEL, NULL,
            "a law that drives a constraint is moving at t = %g s, and not at a steady rate",
            op->p.t);
    }
    int n_driven = n_rates;
    for (int i = 0; i < o->n_steady; i++) {
        FbRate rate = {-1, o->steady[i].rate};
        FB_TRY(find_coordinate(op, &o->steady[i], &rate.v, err));
        if (!is_driven(rates, n_driven, &rate)) {
            rates[n_rates++] = rate;
        }
    }
    FB_TRY(set_velocities(op, rates, n_rates, n_driven, err));
    FB_TRY(fb_system_find_spins(op->system, &op->p, op->arena, &op->spins, err));
    op->is_turning = n_rates > 0;
    fb_operating_follow(op);
    return FB_OK;
}

void fb_operating_follow(FbOperatingPoint* op) {
    if (op->spins.n_spins > 0) {
        memset(op->steady_a, 0, sizeof(double) * (size_t)op->dynamics->size.n_v);
        fb_system_calc_spin(op->system, &op->spins, op->p.q, op->p.v, op->steady_a);
    }
}

// Twice the kinetic energy: of hinges that turn with nothing to resist them no force acts along any
// coordinate that others could be compared with.
static double calc_vis_viva(const FbBlocks* b, const FbPoint* p, int n, double* room) {
    double sum = 0.0;
    memset(room, 0, sizeof(double) * (size_t)n);
    fb_pattern_multiply(b->vv, b->M, 1.0, p->v, room);
    for (int j = 0; j < n; j++) {
        sum += p->v[j] * room[j];
    }
    return sum;
}

// After part of a turn nothing may have changed; forces that do not rotate with it would show.
FbStatus fb_operating_check_steady(FbOperatingPoint* op, FbError* err) {
    FbDynamics* d = op->dynamics;
    int n = d->size.n_v;
    double fastest = 0.0;
    for (int i = 0; i < op->spins.n_spins; i++) {
        const double* w = op->spins.spins[i].w;
        fastest = fmax(fastest, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    }
    for (int j = 0; op->spins.n_spins == 0 && j < n; j++) {  // hinges and guides alone
        fastest = fmax(fastest, fabs(op->p.v[j]) / (d->q_scale ? d->q_scale[j] : 1.0));
    }
    if (!(fastest > 0.0)) {
        return FB_OK;
    }
    double* room = FB_TAKE(op->arena, double, 4 * (size_t)(n + 1) + (size_t)d->size.n_q);
    if (!room) {
        return fb_fail_memory(err);
    }
    FbPoint kept = op->p;
    double *xi = room, *unbalanced = room + n + 1, time = FOLLOWED / fastest, scale;
    int worst;
    FbBlocks b;
    op->p.v = room + 2 * (n + 1);
    op->p.a = room + 3 * (n + 1);
    op->p.q = room + 4 * (n + 1);
    memcpy(op->p.v, kept.v, sizeof(double) * (size_t)n);
    fb_system_turn_spin(op->system, &op->spins, kept.q, time, kept.v, xi);
    d->ops->plus(d, kept.q, xi, op->p.q);
    op->p.t += time;
    fb_operating_follow(op);
    FbStatus status = d->ops->accelerations(d, &op->p, err);
    for (int j = 0; j < n; j++) {
        op->p.a[j] -= op->steady_a[j];
    }
    double residual = INFINITY, part = INFINITY;
    if (status == FB_OK && d->ops->jacobian(d, &op->p, &b, err) == FB_OK) {
        fb_pattern_multiply(b.vv, b.M, 1.0, op->p.a, unbalanced);
        residual = fb_operating_residual(op, &b, unbalanced, &scale, &worst);
        part = residual > 0.0 ? fabs(unbalanced[worst]) / scale : 0.0;
        double work = fabs(unbalanced[worst]) * fb_model_displacement(op->model, worst);
        bool is_small = op->spins.n_spins == 0 && work <= STEADY * calc_vis_viva(&b, &op->p, n, xi);
        part = is_small ? 0.0 : part;
    }
    op->p = kept;
    fb_operating_follow(op);
    return status < 0 ? status
           : part <= STEADY || residual <= ROUNDING
               ? FB_OK
               : fb_fail(
                     err, FB_ERR_MODEL, NULL,
                     "this is not a steady motion: after a further rotation of %g rad the "
                     "unbalanced forces are %.2g of the acting ones, because something (gravity, a "
                     "spring to the ground or to a part at rest) does not rotate with it; name all "
                     "joints that turn, or simulate the motion instead",
                     FOLLOWED, part);
}
