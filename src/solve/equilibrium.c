// Equilibrium of a constrained system: where the constrained accelerations vanish, at rest or in
// steady motion.
//
// With a and lambda from forward dynamics, r(q, v, a, x, lambda) = 0; the Newton step asks r(q + d,
// v, 0, x + dx, lambda + dl) = 0 and c(q + d, v, x + dx) = 0 (eqs. 7.1, 7.2):
//   [K + mu M  G'  Rx; G  -e  0; Xq  0  Xx - sqrt(mu)] (d, dl, dx) = (M a, 0, -c).
// mu = 0 is Newton's method (with line search on the kinetic norm of a); a large mu is overdamped
// relaxation d = a/mu, which moves along the unbalanced force and so finds stable positions from
// afar. K + mu M with falling mu joins the two (pseudo-transient continuation).
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/linear.h"
#include "solve/operating_point.h"

// Relative to the acting forces: what is asked, and what is accepted where rounding ends the
// progress.
static const double TARGET = 1e-15, ACCEPTED = 1e-12;
static const double MAX_MOVE = 0.3;  // rad, or m relative to the model's length, in one step
// Balanced as a position of the model's size can be, small displacements may still gain digits:
// down to this rounding of the acting forces, by steps that are small and halve the merit.
static const double ROUNDING = 1e-14, SMALL_MOVE = 1e-6, GAIN = 0.5;
// Relaxation: after steps shorter than this the next ones may be longer.
static const double SHORT_MOVE = 0.02, FASTER = 0.7;
enum { MAX_FULL = 15, MAX_NEWTON = 60, MAX_RELAXATION = 4000, MAX_HALVINGS = 12 };
// Load steps: the first one, the shortest, the iterations of each and the part of its load that may
// remain unbalanced in between.
static const double FIRST_LOAD = 0.5, LEAST_LOAD = 1.0 / 256, LOAD_ACCURACY = 0.2;
enum { MAX_LOADED = 6 };

typedef struct Search {
    FbOperatingPoint* op;
    FbDynamics* d;
    FbArena* arena;
    FbPattern pattern;
    FbLinear* solver;
    int *of_vv, *of_g, *of_gt, *of_diagonal, *of_x;  // of_x: [2 n n_x + n_x^2] of Rx, Xq and Xx
    int n, n_c, n_x;
    double *x, *unbalanced, *q_kept, *q_new;
    double *q_first, *x_first, *q_begin, *load;
    double held;                      // the part of the load that is still held back
    double *state_rate, *state_kept;  // [n_x]
    double state_weight;              // of the states' rates in the merit
    bool has_control;                 // forces depend on states
    FbBlocks b;
    double* unit;     // [n] displacements of the model's size: its length, 1 rad
    double merit;     // sqrt(a' M a), and the rates of states
    double swiftest;  // acceleration in these units, 1/s^2: the largest, but a millionth of what
                      // the acting forces could give
    double residual;  // largest unbalanced force or rate of a state, relative
    double fraction;  // largest unbalanced force, of the acting ones alone
    int worst;        // its velocity
    int worst_state;  // or its state, -1: none
} Search;

// dv/dq (and, as its square, da/dq) of what turns steadily: from column `from` to column `to`.
typedef void (*SpinVisit)(void* self, int from, int to, double by_v, double by_a);

static void visit_spins(Search* s, SpinVisit visit, void* self) {
    const FbSpins* x = &s->op->spins;
    for (int i = 0; i < x->n_entries; i++) {
        const FbSpinEntry* e = &x->entries[i];
        visit(self, e->row, e->col, e->value, 0.0);
        for (int k = 0; k < x->n_entries; k++) {
            if (x->entries[k].row == e->col) {
                visit(self, e->row, x->entries[k].col, 0.0, e->value * x->entries[k].value);
            }
        }
    }
    for (int i = 0; i < x->n_spins; i++) {
        int j = x->spins[i].ball;
        const double* w = s->op->p.v + j;
        for (int k = 0; j >= 0 && k < 3; k++) {  // [w] by columns: the body's rates turn with it
            visit(self, j + (k + 1) % 3, j + k, w[(k + 2) % 3], 0.0);
            visit(self, j + (k + 2) % 3, j + k, -w[(k + 1) % 3], 0.0);
        }
    }
}

typedef struct SpinPattern {
    const FbPattern* vv;
    FbPatternBuilder* builder;
} SpinPattern;

static void add_spin_column(void* self, int from, int to, double by_v, double by_a) {
    SpinPattern* x = self;
    (void)by_v;
    (void)by_a;
    for (int e = x->vv->start[from]; e < x->vv->start[from + 1]; e++) {
        fb_pattern_builder_add(x->builder, x->vv->row[e], to);
    }
}

static void add_spin_pattern(Search* s, FbPatternBuilder* builder) {
    SpinPattern x = {s->b.vv, builder};
    visit_spins(s, add_spin_column, &x);
}

// K += C dv/dq + M da/dq
static void add_spin_values(void* self, int from, int to, double by_v, double by_a) {
    Search* s = self;
    double* values = fb_linear_values(s->solver);
    for (int e = s->b.vv->start[from]; e < s->b.vv->start[from + 1]; e++) {
        values[fb_pattern_index(&s->pattern, s->b.vv->row[e], to)] +=
            s->b.C[e] * by_v + s->b.M[e] * by_a;
    }
}

// Next to x: what is scaled by it does not round.
static double power_of_two(double x) {
    int exponent;
    frexp(x, &exponent);
    return x > 0.0 && isfinite(x) ? ldexp(0.5, exponent) : 1.0;
}

static FbStatus build(Search* s, FbError* err) {
    const FbPattern *vv = s->b.vv, *cv = s->b.cv;
    int n = s->n, n_c = s->n_c, n_x = s->n_x, size = n + n_c + n_x;
    FbPatternBuilder* builder = fb_pattern_builder_create(size, size);
    if (!builder) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < n; col++) {
        for (int e = vv->start[col]; e < vv->start[col + 1]; e++) {
            fb_pattern_builder_add(builder, vv->row[e], col);
        }
        for (int e = cv->start[col]; n_c > 0 && e < cv->start[col + 1]; e++) {
            fb_pattern_builder_add(builder, n + cv->row[e], col);
            fb_pattern_builder_add(builder, col, n + cv->row[e]);
        }
    }
    for (int c = 0; c < n_c; c++) {
        fb_pattern_builder_add(builder, n + c, n + c);
    }
    add_spin_pattern(s, builder);
    for (int i = 0; i < n_x; i++) {
        for (int j = 0; j < n; j++) {
            fb_pattern_builder_add(builder, j, n + n_c + i);
            fb_pattern_builder_add(builder, n + n_c + i, j);
        }
        for (int j = 0; j < n_x; j++) {
            fb_pattern_builder_add(builder, n + n_c + j, n + n_c + i);
        }
    }
    FbStatus status = fb_pattern_builder_finish(builder, s->arena, &s->pattern, err);
    fb_pattern_builder_destroy(builder);
    FB_TRY(status);
    s->of_vv = FB_TAKE(s->arena, int, fb_pattern_count(vv) + 1);
    s->of_g = FB_TAKE(s->arena, int, n_c > 0 ? fb_pattern_count(cv) + 1 : 1);
    s->of_gt = FB_TAKE(s->arena, int, n_c > 0 ? fb_pattern_count(cv) + 1 : 1);
    s->of_diagonal = FB_TAKE(s->arena, int, n_c + 1);
    s->of_x = FB_TAKE(s->arena, int, n_x*(2 * n + n_x) + 1);
    s->x = FB_TAKE(s->arena, double, size + 1);
    s->unit = FB_TAKE(s->arena, double, n + 1);
    s->state_rate = FB_TAKE(s->arena, double, n_x + 1);
    s->state_kept = FB_TAKE(s->arena, double, n_x + 1);
    s->unbalanced = FB_TAKE(s->arena, double, n + 1);
    s->q_kept = FB_TAKE(s->arena, double, s->d->size.n_q + 1);
    s->q_new = FB_TAKE(s->arena, double, s->d->size.n_q + 1);
    s->q_first = FB_TAKE(s->arena, double, s->d->size.n_q + 1);
    s->x_first = FB_TAKE(s->arena, double, n_x + 1);
    s->q_begin = FB_TAKE(s->arena, double, s->d->size.n_q + 1);
    s->load = FB_TAKE(s->arena, double, n + 1);
    if (fb_arena_has_failed(s->arena)) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < n; col++) {
        s->unit[col] = power_of_two(fb_model_displacement(s->op->model, col));
        for (int e = vv->start[col]; e < vv->start[col + 1]; e++) {
            s->of_vv[e] = fb_pattern_index(&s->pattern, vv->row[e], col);
        }
        for (int e = cv->start[col]; n_c > 0 && e < cv->start[col + 1]; e++) {
            s->of_g[e] = fb_pattern_index(&s->pattern, n + cv->row[e], col);
            s->of_gt[e] = fb_pattern_index(&s->pattern, col, n + cv->row[e]);
        }
    }
    for (int c = 0; c < n_c; c++) {
        s->of_diagonal[c] = fb_pattern_index(&s->pattern, n + c, n + c);
    }
    int* at = s->of_x;
    for (int i = 0; i < n_x; i++) {
        for (int j = 0; j < n; j++) {
            *at++ = fb_pattern_index(&s->pattern, j, n + n_c + i);
            *at++ = fb_pattern_index(&s->pattern, n + n_c + i, j);
        }
        for (int j = 0; j < n_x; j++) {
            *at++ = fb_pattern_index(&s->pattern, n + n_c + j, n + n_c + i);
        }
    }
    return fb_linear_create(&s->pattern, FB_LINEAR_SYMMETRIC, false, &s->solver, err);
}

// Accelerations, blocks, unbalanced forces and merit at the current q.
static FbStatus evaluate(Search* s, FbError* err) {
    FbPoint* p = &s->op->p;
    fb_operating_follow(s->op);
    FbStatus status = s->d->ops->accelerations(s->d, p, err);
    if (status != FB_OK) {
        return status;
    }
    FbPoint still = *p;
    double* none = s->q_new;  // n_q >= n_v; zeros for the accelerations, or those of what turns
    memset(none, 0, sizeof(double) * (size_t)s->d->size.n_q);
    for (int j = 0; s->op->spins.n_spins > 0 && j < s->n; j++) {
        none[j] = s->op->steady_a[j];
        p->a[j] -= none[j];
    }
    still.a = none;
    status = s->d->ops->jacobian(s->d, &still, &s->b, err);
    if (status != FB_OK) {
        return status;
    }
    memset(s->unbalanced, 0, sizeof(double) * (size_t)s->n);
    fb_pattern_multiply(s->b.vv, s->b.M, 1.0, p->a, s->unbalanced);
    double energy = 0.0, scale, largest = 0.0;
    s->swiftest = 0.0;
    for (int j = 0; j < s->n; j++) {
        energy += s->unbalanced[j] * p->a[j];
        largest = fmax(largest, fabs(s->unbalanced[j]) * s->unit[j]);
        s->swiftest = fmax(s->swiftest, fabs(p->a[j]) / s->unit[j]);
    }
    s->residual = fb_operating_residual(s->op, &s->b, s->unbalanced, &scale, &s->worst);
    s->fraction = scale > 0.0 ? largest / scale : 0.0;
    double inertia = 0.0;
    for (int j = 0; j < s->n; j++) {
        int e = fb_pattern_index(s->b.vv, j, j);
        inertia = e >= 0 ? fmax(inertia, s->b.M[e] * s->unit[j] * s->unit[j]) : inertia;
    }
    s->swiftest = inertia > 0.0 ? fmax(s->swiftest, 1e-6 * scale / inertia) : s->swiftest;
    double drift = fb_operating_state_residual(s->op, &s->b, s->state_rate, &s->worst_state);
    if (drift > s->residual) {
        s->residual = drift;
    } else {
        s->worst_state = -1;
    }
    double rates = 0.0;
    for (int i = 0; i < s->n_x; i++) {
        rates += s->state_rate[i] * s->state_rate[i];
        s->has_control = s->has_control || s->op->is_followed[i];
    }
    if (s->state_weight == 0.0) {  // at the start both count alike
        s->state_weight = rates > 0.0 && energy > 0.0 ? energy / rates : 1.0;
    }
    s->merit = sqrt(fmax(energy, 0.0) + s->state_weight * rates);
    return isfinite(s->merit) ? FB_OK : FB_RETRY;
}

// The rows and columns of the states; one that no force depends on stays as it is.
static void fill_states(Search* s, double mu, double* values) {
    const int* at = s->of_x;
    for (int i = 0; i < s->n_x; i++) {
        bool is_followed = s->op->is_followed[i];
        for (int j = 0; j < s->n; j++) {
            values[*at++] = is_followed ? s->b.Rx[(size_t)i * (size_t)s->n + (size_t)j] : 0.0;
            values[*at++] = is_followed ? s->b.Xq[(size_t)j * (size_t)s->n_x + (size_t)i] : 0.0;
        }
        for (int j = 0; j < s->n_x; j++) {
            bool is_both = is_followed && s->op->is_followed[j];
            double x = is_both ? s->b.Xx[(size_t)i * (size_t)s->n_x + (size_t)j] : 0.0;
            values[*at++] = j != i ? x : is_followed ? x - sqrt(mu) : 1.0;
        }
        s->x[s->n + s->n_c + i] = -s->state_rate[i];
    }
}

// What an unknown of 1 is: a displacement, a multiplier that does the energy along its row's
// length.
static double column_unit(const Search* s, double energy, int i) {
    if (i < s->n) {
        return s->unit[i];
    }
    double length = s->d->c_scale && i < s->n + s->n_c ? s->d->c_scale[i - s->n] : 1.0;
    return i < s->n + s->n_c ? energy / power_of_two(length) : 1.0;
}

// Equations of forces count in energies, those of constraints in their own lengths: whatever the
// units of the model are, entries are about 1.
static void scale_rows(Search* s, double energy, double* values) {
    const FbPattern* p = &s->pattern;
    int n = s->n, end = n + s->n_c;
    for (int col = 0; col < p->n_col; col++) {
        double unit = column_unit(s, energy, col);
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            int row = p->row[e];
            values[e] *= unit * (row < end ? column_unit(s, energy, row) / energy : 1.0);
        }
    }
    for (int i = 0; i < end; i++) {
        s->x[i] *= column_unit(s, energy, i) / energy;
    }
}

// Solves for the step with shift mu; false where the matrix is singular.
static bool solve_step(Search* s, double mu) {
    double* values = fb_linear_values(s->solver);
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(&s->pattern));
    double size_k = 0.0, size_m = 0.0;
    for (int j = 0; j < s->n; j++) {
        for (int e = s->b.vv->start[j]; e < s->b.vv->start[j + 1]; e++) {
            double size = s->unit[s->b.vv->row[e]] * s->unit[j];
            size_k = fmax(size_k, fabs(s->b.K[e]) * size);
            size_m = fmax(size_m, fabs(s->b.M[e]) * size);
        }
    }
    // Coordinates that no force resists (a freely turning shaft) must not make the matrix singular.
    double tiny = size_m > 0.0 ? 1e-12 * size_k / size_m + DBL_MIN : 0.0;
    for (int e = 0; e < fb_pattern_count(s->b.vv); e++) {
        values[s->of_vv[e]] = s->b.K[e] + (mu + tiny) * s->b.M[e];
    }
    for (int e = 0; s->n_c > 0 && e < fb_pattern_count(s->b.cv); e++) {
        values[s->of_g[e]] = values[s->of_gt[e]] = s->b.G[e];
    }
    visit_spins(s, add_spin_values, s);
    memset(s->x, 0, sizeof(double) * (size_t)(s->n + s->n_c));
    for (int j = 0; j < s->n; j++) {
        s->x[j] = s->unbalanced[j] - s->held * s->load[j];
    }
    fill_states(s, mu, values);
    double energy = power_of_two(fmax(size_k, mu * size_m));
    scale_rows(s, energy, values);
    if (fb_linear_factor(s->solver) != FB_OK) {
        return false;
    }
    fb_linear_solve(s->solver, s->x);
    for (int i = 0; i < s->n + s->n_c; i++) {
        s->x[i] *= column_unit(s, energy, i);
    }
    double sum = 0.0;
    for (int j = 0; j < s->n + s->n_c + s->n_x; j++) {
        sum += s->x[j] * 0.0;
    }
    return sum == 0.0;
}

// The longest move in a coordinate: rad, or m relative to the model's length.
static double calc_longest(const Search* s) {
    double longest = 0.0;
    for (int j = 0; j < s->n; j++) {
        longest = fmax(longest, fabs(s->x[j]) / fb_model_displacement(s->op->model, j));
    }
    return longest;
}

static void limit_step(Search* s) {
    double longest = calc_longest(s);
    for (int j = 0; longest > MAX_MOVE && j < s->n + s->n_c + s->n_x; j++) {
        s->x[j] *= MAX_MOVE / longest;
    }
}

// q = q_kept (+) x, back on the constraints, evaluated.
static FbStatus move(Search* s, double factor, FbError* err) {
    FbPoint* p = &s->op->p;
    double* xi = s->unbalanced;  // overwritten by evaluate
    for (int j = 0; j < s->n; j++) {
        xi[j] = factor * s->x[j];
    }
    s->d->ops->plus(s->d, s->q_kept, xi, s->q_new);
    memcpy(p->q, s->q_new, sizeof(double) * (size_t)s->d->size.n_q);
    for (int i = 0; i < s->n_x; i++) {
        p->x[i] = s->state_kept[i] + factor * s->x[s->n + s->n_c + i];
    }
    fb_dynamics_tell_states(s->d, p->x);
    FbStatus status = s->d->ops->project_position(s->d, p->t, p->q, NULL, err);
    return status == FB_OK ? evaluate(s, err) : status;
}

static void keep(Search* s) {
    memcpy(s->q_kept, s->op->p.q, sizeof(double) * (size_t)s->d->size.n_q);
    memcpy(s->state_kept, s->op->p.x, sizeof(double) * (size_t)s->n_x);
}

static FbStatus go_back(Search* s, FbError* err) {
    memcpy(s->op->p.q, s->q_kept, sizeof(double) * (size_t)s->d->size.n_q);
    memcpy(s->op->p.x, s->state_kept, sizeof(double) * (size_t)s->n_x);
    return evaluate(s, err);
}

static double dot_unbalanced(const Search* s) {
    double sum = 0.0;
    for (int j = 0; j < s->n; j++) {
        sum += s->x[j] * s->unbalanced[j];
    }
    return sum;
}

// Digits of displacements that are small next to the model: the last steps of Newton's method.
static FbStatus polish(Search* s, FbError* err) {
    for (int i = 0; i < MAX_NEWTON && s->fraction > ROUNDING; i++) {
        double before = s->merit;
        keep(s);
        if (!solve_step(s, 0.0) || !(calc_longest(s) <= SMALL_MOVE)) {
            return FB_OK;
        }
        FbStatus status = move(s, 1.0, err);
        s->op->info.iterations++;
        if (status < 0) {
            return status;
        }
        if (status != FB_OK || !(s->merit < GAIN * before)) {
            status = go_back(s, err);
            return status < 0 ? status : FB_OK;
        }
    }
    return FB_OK;
}

// Beams that bend are stiff along their axis: the unbalanced forces rise for a step before they
// vanish, and a line search would take tiny steps along the bend. So a few whole steps are tried
// first, as long as they go along the unbalanced force; FB_RETRY: back where it began.
static FbStatus newton_in_full(Search* s, FbError* err) {
    FbPoint* p = &s->op->p;
    FbStatus status = FB_OK;
    memcpy(s->q_first, p->q, sizeof(double) * (size_t)s->d->size.n_q);
    memcpy(s->x_first, p->x, sizeof(double) * (size_t)s->n_x);
    for (int i = 0; i < MAX_FULL && status == FB_OK; i++) {
        keep(s);
        bool is_along = solve_step(s, 0.0) && (i > 0 || s->has_control || dot_unbalanced(s) > 0.0);
        if (!is_along) {
            break;
        }
        limit_step(s);
        status = move(s, 1.0, err);
        s->op->info.iterations++;
        if (status == FB_OK && s->residual <= ACCEPTED) {
            return FB_OK;
        }
    }
    memcpy(p->q, s->q_first, sizeof(double) * (size_t)s->d->size.n_q);
    memcpy(p->x, s->x_first, sizeof(double) * (size_t)s->n_x);
    status = status < 0 ? status : evaluate(s, err);
    return status == FB_OK ? FB_RETRY : status;
}

// What is unbalanced besides the load that is held back, as an energy of displacements of the
// model's size.
static double calc_loaded(const Search* s) {
    double sum = 0.0;
    for (int j = 0; j < s->n; j++) {
        double energy = s->unit[j] * (s->unbalanced[j] - s->held * s->load[j]);
        sum += energy * energy;
    }
    return sqrt(sum);
}

static FbStatus balance_load(Search* s, double accepted, FbError* err) {
    FbStatus status = FB_OK;
    for (int i = 0; i < MAX_LOADED && status == FB_OK; i++) {
        keep(s);
        if (!solve_step(s, 0.0)) {
            return FB_RETRY;
        }
        limit_step(s);
        status = move(s, 1.0, err);
        s->op->info.iterations++;
        if (status == FB_OK && calc_loaded(s) <= accepted) {
            return FB_OK;
        }
    }
    return status < 0 ? status : FB_RETRY;
}

// Beams under loads that bend them far: what is unbalanced in the drawing acts in steps, each
// balanced by whole Newton steps from the one before, r(q) = h r(q_0) with h from 1 to 0
// (section 7.1). FB_RETRY: back where it began.
static FbStatus load_in_steps(Search* s, FbError* err) {
    FbPoint* p = &s->op->p;
    size_t q_size = sizeof(double) * (size_t)s->d->size.n_q;
    memcpy(s->load, s->unbalanced, sizeof(double) * (size_t)s->n);
    memcpy(s->q_first, p->q, q_size);
    double whole = calc_loaded(s), step = FIRST_LOAD, reached = 1.0;
    FbStatus status = FB_OK;
    while (status == FB_OK && reached > 0.0 && step >= LEAST_LOAD) {
        memcpy(s->q_begin, p->q, q_size);
        s->held = fmax(reached - step, 0.0);
        status = balance_load(s, LOAD_ACCURACY * step * whole, err);
        if (status == FB_OK) {
            reached = s->held;
            step *= 2.0;
        } else if (status > 0) {
            memcpy(p->q, s->q_begin, q_size);
            step *= 0.25;
            status = evaluate(s, err);
        }
    }
    s->held = 0.0;
    if (status != FB_OK || reached == 0.0) {
        return status;
    }
    memcpy(p->q, s->q_first, q_size);
    status = evaluate(s, err);
    return status == FB_OK ? FB_RETRY : status;
}

// Newton with line search; FB_RETRY: no progress any more.
static FbStatus newton(Search* s, FbError* err) {
    for (int i = 0; i < MAX_NEWTON; i++) {
        double before = s->merit, residual = s->residual;
        if (s->residual <= TARGET) {
            return polish(s, err);
        }
        keep(s);
        // A step against the unbalanced force heads for an unstable position: relaxation finds a
        // stable one instead.
        // (Feedback through states balances what would otherwise fall, so nothing is rejected
        // there.)
        if (!solve_step(s, 0.0) ||
            (s->residual > 1e-6 && !s->has_control && dot_unbalanced(s) < 0.0)) {
            return FB_RETRY;
        }
        limit_step(s);
        bool is_better = false;
        double factor = 1.0;
        for (int k = 0; k < MAX_HALVINGS && !is_better; k++, factor *= 0.5) {
            FbStatus status = move(s, factor, err);
            if (status < 0) {
                return status;
            }
            is_better = status == FB_OK && s->merit < (1.0 - 1e-4 * factor) * before;
        }
        s->op->info.iterations++;
        if (!is_better) {
            FbStatus status = go_back(s, err);
            return status < 0 ? status : residual <= ACCEPTED ? FB_OK : FB_RETRY;
        }
    }
    return s->residual <= ACCEPTED ? FB_OK : FB_RETRY;
}

// Relaxation until Newton's method takes over from nearby.
static FbStatus relax(Search* s, FbError* err) {
    double mu = s->swiftest / 0.05 + DBL_MIN;  // a first step of 0.05
    double start = s->merit;
    for (int i = 0; i < MAX_RELAXATION; i++) {
        if (s->residual < 1e-6 || s->merit < 1e-5 * start) {
            return FB_OK;
        }
        double before = s->merit;
        keep(s);
        // The step must go along the unbalanced force, not against it: otherwise it heads for an
        // unstable position.
        bool is_good = solve_step(s, mu) && dot_unbalanced(s) > 0.0;
        double faster = is_good && s->n_x == 0 && calc_longest(s) < SHORT_MOVE ? FASTER : 1.0;
        if (is_good) {
            limit_step(s);
            FbStatus status = move(s, 1.0, err);
            if (status < 0) {
                return status;
            }
            is_good = status == FB_OK && s->merit < 10.0 * before;
        }
        s->op->info.relaxations++;
        if (is_good) {
            mu *= faster * fmax(0.3, fmin(1.5, s->merit / before));
            continue;
        }
        mu *= 4.0;
        FbStatus status = go_back(s, err);
        if (status != FB_OK) {
            return status;
        }
    }
    return FB_RETRY;
}

static bool has_bending(const FbModel* m) {
    bool has_any = false;
    for (int i = 0; i < m->n_structures; i++) {
        has_any |= m->structures[i].is_nonlinear;
    }
    return has_any;
}

static FbStatus report(const Search* s, FbError* err) {
    if (s->worst_state >= 0) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                       "no equilibrium found: the state '%s', on which forces depend, keeps "
                       "changing by %.4g per second",
                       s->op->model->states[s->worst_state].name, s->state_rate[s->worst_state]);
    }
    return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                   "no equilibrium found: at '%s' a force of %.4g (N or N m, %.2g of the acting "
                   "forces) remains unbalanced. Check that the model can come to rest (supports, "
                   "springs, gravity), or draw it closer to its equilibrium%s",
                   s->d->ops->name_of_velocity(s->d, s->worst), s->unbalanced[s->worst],
                   s->residual,
                   has_bending(s->op->model)
                       ? ": a rope drawn straight between its ends has no lateral stiffness, so "
                         "draw it with some sag, or simulate it with damping until it comes to rest"
                       : "");
}

FbStatus fb_find_equilibrium(FbOperatingPoint* op, FbError* err) {
    Search s = {.op = op,
                .d = op->dynamics,
                .n = op->dynamics->size.n_v,
                .n_c = op->dynamics->size.n_c,
                .n_x = op->keeps_states ? 0 : op->dynamics->size.n_x,
                .worst_state = -1};
    if (s.n == 0) {
        return FB_OK;
    }
    s.arena = fb_arena_create();
    if (!s.arena) {
        return fb_fail_memory(err);
    }
    FbStatus status = op->dynamics->ops->jacobian(op->dynamics, &op->p, &s.b, err);
    if (status == FB_OK) {
        status = build(&s, err);
    }
    if (status == FB_OK) {
        status = evaluate(&s, err);
    }
    if (status == FB_OK && has_bending(op->model) && s.residual > ACCEPTED) {
        FbStatus whole = newton_in_full(&s, err);
        if (whole == FB_RETRY && s.n_x == 0) {
            whole = load_in_steps(&s, err);
        }
        status = whole < 0 ? whole : FB_OK;
    }
    for (int round = 0; round < 3 && status == FB_OK; round++) {
        status = newton(&s, err);
        if (status != FB_RETRY) {
            break;
        }
        status = relax(&s, err);
    }
    if (status >= 0 && !(s.residual <= ACCEPTED)) {
        status = report(&s, err);
    }
    fb_linear_destroy(s.solver);
    fb_arena_destroy(s.arena);
    return status > 0 ? FB_OK : status;
}
