// Assembly of the initial state: what was set is kept, the rest follows by the smallest change of
// the drawing.
//
// Newton steps solve [W A'; A -e] (d, mu) = (0, -c) with all constraint rows and set values in c, A
// their gradients and W a metric (positions: the model's units, velocities: the mass matrix). All
// is scaled by units, so that its entries are about 1. Set values are approached in small steps
// from the closed drawing, so that links do not flip (theory manual, eqs. 4.10-4.12).
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "system/part.h"

// Largest rotation (rad) or, in units of the model, translation in one Newton step and in one step
// of the approach.
static const double MAX_MOVE = 0.3;
static const double APPROACH = 0.2;
// Largest error of an assembled model, in units of its rows (velocities: and of what is set).
static const double CLOSED = 1e-12;
// Rounding of a far drawing, of its distance from the origin.
static const double DRAWN = 16.0 * DBL_EPSILON;
// Of the diagonal: what keeps the matrix regular where rows are dependent (velocities, whose metric
// may span many decades: less), or nothing has inertia.
static const double REGULARIZATION = 1e-11, VELOCITY_REGULARIZATION = 1e-13, INERTIA = 1e-12;
// Repeats of the velocities end where they change, of the fastest, by less than this, or where the
// changes and errors do not shrink any more.
static const double SETTLED = 1e-14;
enum { MAX_NEWTON = 200, MAX_APPROACH = 400, MAX_REPEATS = 60 };

typedef struct Assembler {
    FbSystem* s;
    double t;
    FbArena* arena;
    int n_v, n_row, n_cond;  // rows of the model, conditions in use
    const FbCondition** condition;
    double* target;        // [n_cond]
    double* all_targets;   // [conditions of the model]
    FbPattern pattern, a;  // a: [n_row + n_cond x n_v]
    FbLinear* solver;
    double* values;  // of a
    int *of_a, *of_at, *of_w, *of_diagonal;
    double *x, *c;
    double* total;  // [n_v + n_row + n_cond] sum of the steps so far, scaled; velocities only
    double *unit_v, *unit;  // [n_v] and [n_row + n_cond]: what a scaled unknown or equation of 1 is
    double* dense;          // [n_v]
    bool is_velocity;
} Assembler;

static bool is_used(const Assembler* as, const FbCondition* condition) {
    return (as->s->m->signals[condition->signal].kind == FB_SIGNAL_RATE) == as->is_velocity;
}

// Three of these hold the orientation of a ball joint: its turn from the one that was set.
static bool is_ball(const FbSignal* signal) {
    return signal->n_terms == 0 && signal->kind == FB_SIGNAL_VALUE;
}

static const FbLink* ball_of(const FbModel* m, const FbSignal* signal) {
    return &m->tree.links[m->tree.link_of_v[signal->index]];
}

static double ball_value(const FbModel* m, const FbSignal* signal, const double* q) {
    const FbLink* ball = ball_of(m, signal);
    double xi[3];
    fb_vec3_to(fb_quaternion_minus(q + ball->q0, m->q_drawn + ball->q0), xi);
    return xi[signal->index - ball->v0];
}

static void ball_gradient(const FbModel* m, const FbSignal* signal, const double* q,
                          double* dense) {
    const FbLink* ball = ball_of(m, signal);
    FbVec3 xi = fb_quaternion_minus(q + ball->q0, m->q_drawn + ball->q0);
    for (int k = 0; k < 3; k++) {
        double rate[3];
        fb_vec3_to(fb_rotation_chart_rate(xi, fb_vec3(k == 0, k == 1, k == 2)), rate);
        dense[ball->v0 + k] = rate[signal->index - ball->v0];
    }
}

// The gradient of equation i into dense and the support of its signal or row.
static void equation_gradient(Assembler* as, const FbPoint* p, int i) {
    FbSystem* s = as->s;
    memset(as->dense, 0, sizeof(double) * (size_t)as->n_v);
    if (i < as->n_row) {
        fb_row_add_gradient(s, i, as->dense);
        return;
    }
    const FbCondition* condition = as->condition[i - as->n_row];
    if (is_ball(&s->m->signals[condition->signal])) {
        ball_gradient(s->m, &s->m->signals[condition->signal], p->q, as->dense);
        return;
    }
    FbGradient* g = &s->gradient;
    fb_signal_add_gradient(s, p, condition->signal, 1.0, g);
    for (int j = 0; j < g->n_touched; j++) {
        as->dense[g->touched[j]] = as->is_velocity ? g->v[g->touched[j]] : g->q[g->touched[j]];
    }
    fb_gradient_clear(s, g);
}

static void add_equation_support(Assembler* as, FbPatternBuilder* b, int i) {
    const FbModel* m = as->s->m;
    int term, n_terms;
    if (i < as->n_row) {
        const FbCarriage* carriage =
            m->rows[i].carriage ? &m->carriages[m->rows[i].carriage - 1] : NULL;
        for (int j = 0; carriage && j < carriage->n; j++) {
            fb_pattern_builder_add(b, i, carriage->v[j]);
        }
        term = m->rows[i].term;
        n_terms = m->rows[i].n_terms;
    } else {
        const FbSignal* signal = &m->signals[as->condition[i - as->n_row]->signal];
        term = signal->term;
        n_terms = signal->n_terms;
        for (int k = 0; is_ball(signal) && k < 3; k++) {
            fb_pattern_builder_add(b, i, ball_of(m, signal)->v0 + k);
        }
        if (n_terms == 0) {
            fb_pattern_builder_add(b, i, signal->index);
        }
    }
    for (int t = term; t < term + n_terms; t++) {
        if (m->terms[t].kind == FB_TERM_COORDINATE) {
            fb_pattern_builder_add(b, i, m->terms[t].coordinate_v);
        }
        for (int j = m->terms[t].path; j < m->terms[t].path + m->terms[t].n_path; j++) {
            fb_pattern_builder_add(b, i, m->paths.v[j]);
        }
    }
}

static FbStatus build_patterns(Assembler* as, FbError* err) {
    const FbPattern* vv = &as->s->m->vv;
    int n_eq = as->n_row + as->n_cond, n_v = as->n_v;
    FbPatternBuilder* b = fb_pattern_builder_create(n_eq, n_v);
    if (!b) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < n_eq; i++) {
        add_equation_support(as, b, i);
    }
    FbStatus status = fb_pattern_builder_finish(b, as->arena, &as->a, err);
    fb_pattern_builder_destroy(b);
    FB_TRY(status);
    b = fb_pattern_builder_create(n_v + n_eq, n_v + n_eq);
    if (!b) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < n_v; col++) {
        for (int i = vv->start[col]; i < vv->start[col + 1]; i++) {
            fb_pattern_builder_add(b, vv->row[i], col);
        }
        for (int i = as->a.start[col]; i < as->a.start[col + 1]; i++) {
            fb_pattern_builder_add(b, n_v + as->a.row[i], col);
            fb_pattern_builder_add(b, col, n_v + as->a.row[i]);
        }
    }
    for (int i = 0; i < n_eq; i++) {
        fb_pattern_builder_add(b, n_v + i, n_v + i);
    }
    status = fb_pattern_builder_finish(b, as->arena, &as->pattern, err);
    fb_pattern_builder_destroy(b);
    return status;
}

static FbStatus build_maps(Assembler* as, FbError* err) {
    const FbPattern* vv = &as->s->m->vv;
    int n_eq = as->n_row + as->n_cond, n_v = as->n_v;
    as->values = FB_TAKE(as->arena, double, fb_pattern_count(&as->a) + 1);
    as->of_a = FB_TAKE(as->arena, int, fb_pattern_count(&as->a) + 1);
    as->of_at = FB_TAKE(as->arena, int, fb_pattern_count(&as->a) + 1);
    as->of_w = FB_TAKE(as->arena, int, fb_pattern_count(vv) + 1);
    as->of_diagonal = FB_TAKE(as->arena, int, n_eq + 1);
    as->x = FB_TAKE(as->arena, double, n_v + n_eq + 1);
    as->total = FB_TAKE(as->arena, double, n_v + n_eq + 1);
    as->c = FB_TAKE(as->arena, double, n_eq + 1);
    as->dense = FB_TAKE(as->arena, double, n_v + 1);
    as->unit_v = FB_TAKE(as->arena, double, n_v + 1);
    as->unit = FB_TAKE(as->arena, double, n_eq + 1);
    if (fb_arena_has_failed(as->arena)) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < n_v; col++) {
        for (int i = vv->start[col]; i < vv->start[col + 1]; i++) {
            as->of_w[i] = fb_pattern_index(&as->pattern, vv->row[i], col);
        }
        for (int i = as->a.start[col]; i < as->a.start[col + 1]; i++) {
            as->of_a[i] = fb_pattern_index(&as->pattern, n_v + as->a.row[i], col);
            as->of_at[i] = fb_pattern_index(&as->pattern, col, n_v + as->a.row[i]);
        }
    }
    for (int i = 0; i < n_eq; i++) {
        as->of_diagonal[i] = fb_pattern_index(&as->pattern, n_v + i, n_v + i);
    }
    return fb_linear_create(&as->pattern, FB_LINEAR_AUTO, false, &as->solver, err);
}

static FbStatus assembler_init(Assembler* as, FbSystem* s, double t, bool is_velocity,
                               FbError* err) {
    *as = (Assembler){
        .s = s, .t = t, .is_velocity = is_velocity, .n_v = s->m->tree.n_v, .n_row = s->m->n_rows};
    if (!is_velocity) {
        as->n_row = s->m->n_holonomic;
    }
    as->arena = fb_arena_create();
    if (!as->arena) {
        return fb_fail_memory(err);
    }
    as->condition = FB_TAKE(as->arena, const FbCondition*, s->m->n_conditions + 1);
    as->target = FB_TAKE(as->arena, double, s->m->n_conditions + 1);
    as->all_targets = FB_TAKE(as->arena, double, s->m->n_conditions + 1);
    if (fb_arena_has_failed(as->arena)) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < s->m->n_conditions; i++) {
        if (is_used(as, &s->m->conditions[i])) {
            as->condition[as->n_cond++] = &s->m->conditions[i];
        }
    }
    FB_TRY(build_patterns(as, err));
    return build_maps(as, err);
}

static void assembler_free(Assembler* as) {
    fb_linear_destroy(as->solver);
    fb_arena_destroy(as->arena);
}

static double condition_value(FbSystem* s, const FbPoint* p, const FbCondition* condition) {
    const FbSignal* signal = &s->m->signals[condition->signal];
    if (signal->n_terms == 0) {
        return signal->kind == FB_SIGNAL_RATE ? p->v[signal->index]
                                              : ball_value(s->m, signal, p->q);
    }
    return fb_signal_calc(s, p, condition->signal);
}

// A position is as good as its coordinates, counted from the origin, allow.
static double natural_size(const Assembler* as, int i) {
    return i < as->n_row ? fb_row_calc_size(as->s, i, true) : as->condition[i - as->n_row]->unit;
}

// The errors of all equations at p; returns the largest in units of the equations, and where.
static double calc_errors(Assembler* as, const FbPoint* p, bool with_conditions, int* worst) {
    FbSystem* s = as->s;
    fb_system_realize(s, p->q, p->v, NULL);
    fb_parts_realize(s, p);
    fb_rows_realize(s, p->q, p->v, false);
    double largest = 0.0;
    *worst = -1;
    for (int i = 0; i < as->n_row + as->n_cond; i++) {
        if (i < as->n_row) {
            as->c[i] =
                as->is_velocity ? fb_row_calc_rate(s, i, as->t) : fb_row_calc_error(s, i, as->t);
        } else {
            as->c[i] = with_conditions ? condition_value(s, p, as->condition[i - as->n_row]) -
                                             as->target[i - as->n_row]
                                       : 0.0;
        }
        double error = fabs(as->c[i]) / natural_size(as, i);
        if (!(error <= largest)) {
            largest = error;
            *worst = i;
        }
    }
    return largest;
}

// Nodes of structures stay where they are drawn as long as anything else can move: displacing
// them would strain the structure.
static const double NODE_MOVE = 1e-5;

static bool moves_node(const FbModel* m, int v) {
    int joint = m->tree.links[m->tree.link_of_v[v]].joint;
    if (m->n_beams == 0 || joint < 0) {
        return false;
    }
    int body = m->tree.links[m->joints[joint].first_link + m->joints[joint].n_links - 1].body;
    return body >= 0 && m->drawing.bodies[body].role == FB_DRAWN_NODE;
}

// Positions: each coordinate weighs by its unit. Velocities: the mass matrix, with a little more on
// its diagonal, since parts may have no inertia.
static void fill_metric(Assembler* as, const FbPoint* p, double* values) {
    FbSystem* s = as->s;
    const FbModel* m = s->m;
    const FbPattern* vv = &m->vv;
    for (int j = 0; j < as->n_v && !as->is_velocity; j++) {
        as->unit_v[j] = m->unit_v[j] * (moves_node(m, j) ? NODE_MOVE : 1.0);
        values[as->of_w[fb_at(vv, j, j)]] = 1.0;
    }
    if (!as->is_velocity) {
        return;
    }
    memset(s->blocks.M, 0, sizeof(double) * (size_t)fb_pattern_count(vv));
    fb_tree_add_mass_matrix(&m->tree, &s->k, vv, s->blocks.M);
    fb_parts_add_mass(s, p->q, s->blocks.M);
    for (int j = 0; j < as->n_v; j++) {
        double mass = s->blocks.M[fb_at(vv, j, j)], lever = m->length / m->unit_v[j];
        as->unit_v[j] = 1.0 / sqrt(mass > 0.0 ? mass : m->mass * lever * lever);
    }
    for (int j = 0; j < as->n_v; j++) {
        for (int i = vv->start[j]; i < vv->start[j + 1]; i++) {
            values[as->of_w[i]] = s->blocks.M[i] * as->unit_v[vv->row[i]] * as->unit_v[j];
        }
        values[as->of_w[fb_at(vv, j, j)]] += INERTIA;
    }
}

// What equation i comes to in the scaled unknowns: its own unit and those on its path.
static double equation_unit(const Assembler* as, int i) {
    const FbModel* m = as->s->m;
    double most = 0.0;
    for (int j = 0; j < as->n_v; j++) {
        most = as->dense[j] != 0.0 ? fmax(most, as->unit_v[j] / m->unit_v[j]) : most;
    }
    double unit = i < as->n_row ? m->rows[i].unit : as->condition[i - as->n_row]->unit;
    return most > 0.0 ? unit * most : unit;
}

static FbStatus factor(Assembler* as, const FbPoint* p, bool with_conditions, FbError* err) {
    double* values = fb_linear_values(as->solver);
    double regularization = as->is_velocity ? VELOCITY_REGULARIZATION : REGULARIZATION;
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(&as->pattern));
    fill_metric(as, p, values);
    for (int i = 0; i < as->n_row + as->n_cond; i++) {
        values[as->of_diagonal[i]] = -1.0;
        as->unit[i] = 1.0;
        if (i >= as->n_row && !with_conditions) {
            continue;
        }
        equation_gradient(as, p, i);
        as->unit[i] = equation_unit(as, i);
        double size = 0.0;
        for (int j = 0; j < as->n_v; j++) {
            int at = as->dense[j] != 0.0 ? fb_at(&as->a, i, j) : -1;
            if (at >= 0) {
                double x = as->dense[j] * as->unit_v[j] / as->unit[i];
                values[as->of_a[at]] = values[as->of_at[at]] = x;
                size += x * x;
            }
        }
        values[as->of_diagonal[i]] = -regularization * fmax(size, 1.0);
    }
    if (fb_linear_factor(as->solver) != FB_OK) {
        return fb_system_fail_singular(as->s, fb_linear_bad_column(as->solver), err);
    }
    return FB_OK;
}

// The smallest change in x that removes the errors.
static void solve(Assembler* as) {
    memset(as->x, 0, sizeof(double) * (size_t)as->n_v);
    for (int k = 0; k < as->n_row + as->n_cond; k++) {
        as->x[as->n_v + k] = -as->c[k] / as->unit[k];
    }
    fb_linear_solve(as->solver, as->x);
    for (int j = 0; j < as->n_v; j++) {
        as->x[j] *= as->unit_v[j];
    }
}

// Right side of a further step: what the motion so far lacks to the least kinetic energy, without
// the addition to the mass matrix.
static void calc_excess(const Assembler* as, double* x) {
    const double* values = fb_linear_values(as->solver);
    for (int col = 0; col < as->n_v; col++) {
        const FbPattern* vv = &as->s->m->vv;
        x[col] += INERTIA * as->total[col];
        for (int i = vv->start[col]; i < vv->start[col + 1]; i++) {
            x[vv->row[i]] -= values[as->of_w[i]] * as->total[col];
        }
        for (int i = as->a.start[col]; i < as->a.start[col + 1]; i++) {
            x[col] -= values[as->of_at[i]] * as->total[as->n_v + as->a.row[i]];
        }
    }
}

// Adds the slowest motion that removes the errors that are left; returns how much that is, of all.
static double add_slowest(Assembler* as, FbPoint* p) {
    double change = 0.0, size = 0.0;
    int n_eq = as->n_row + as->n_cond;
    memset(as->x, 0, sizeof(double) * (size_t)as->n_v);
    calc_excess(as, as->x);
    for (int k = 0; k < n_eq; k++) {
        as->x[as->n_v + k] = -as->c[k] / as->unit[k];
    }
    fb_linear_solve(as->solver, as->x);
    for (int i = 0; i < as->n_v + n_eq; i++) {
        as->total[i] += as->x[i];
    }
    for (int j = 0; j < as->n_v; j++) {
        p->v[j] += as->x[j] * as->unit_v[j];
        change = fmax(change, fabs(as->x[j]));
        size = fmax(size, fabs(as->total[j]));
    }
    return size > 0.0 ? change / size : 0.0;
}

// Shortens the step so that no coordinate moves further than allowed.
static double step_length(const Assembler* as) {
    double longest = 0.0;
    for (int j = 0; j < as->n_v; j++) {
        longest = fmax(longest, fabs(as->x[j]) / as->s->m->unit_v[j]);
    }
    return longest > MAX_MOVE ? MAX_MOVE / longest : 1.0;
}

// Newton's method; returns the error reached, in units.
static FbStatus close_positions(Assembler* as, FbPoint* p, bool with_conditions, double* reached,
                                int* worst, FbError* err) {
    FbSystem* s = as->s;
    double best = INFINITY;
    int stalled = 0;
    for (int i = 0; i < MAX_NEWTON; i++) {
        *reached = calc_errors(as, p, with_conditions, worst);
        if (!(*reached > (i > 1 ? 1e-15 : 0.0)) || isnan(*reached)) {
            break;
        }
        // Rounding, or no way to go: a few more steps without progress are enough.
        stalled = *reached < 0.9 * best ? 0 : stalled + 1;
        best = fmin(best, *reached);
        if (stalled > (*reached < CLOSED ? 1 : 25)) {
            break;
        }
        FB_TRY(factor(as, p, with_conditions, err));
        solve(as);
        double f = step_length(as);
        for (int j = 0; j < as->n_v; j++) {
            as->x[j] *= f;
        }
        fb_tree_plus(&s->m->tree, p->q, as->x, s->work_q[0]);
        memcpy(p->q, s->work_q[0], sizeof(double) * (size_t)s->m->tree.n_q);
        fb_tree_normalize(&s->m->tree, p->q);
        fb_system_realize(s, p->q, NULL, NULL);
        fb_turns_start(s, as->t, p->q);
    }
    return FB_OK;
}

static const char* owner_of(const FbModel* m, const FbRow* row, const char** kind, FbPlace* place) {
    if (row->carriage) {
        *kind = "the carriage of slider";
        *place = m->sliders[row->owner].place;
        return m->sliders[row->owner].name;
    }
    *kind = row->is_joint ? "joint" : "constraint";
    *place = row->is_joint ? m->joints[row->owner].place : m->constraints[row->owner].place;
    return row->is_joint ? m->joints[row->owner].name : m->constraints[row->owner].name;
}

static FbStatus report_open(const Assembler* as, int worst, FbError* err) {
    const FbModel* m = as->s->m;
    double reached = worst >= 0 ? fabs(as->c[worst]) : 0.0;
    const char* what = as->is_velocity ? "m/s or rad/s" : "m or rad";
    if (worst >= as->n_row) {
        const FbCondition* c = as->condition[worst - as->n_row];
        return fb_fail(err, FB_ERR_ASSEMBLY, &c->place,
                       "%s cannot be %g together with the other constraints and set values: the "
                       "error is %.3g (%s); set fewer values",
                       c->text, c->value, reached, what);
    }
    const char* kind;
    FbPlace place;
    const FbRow* row = &m->rows[worst < 0 ? 0 : worst];
    const char* name = owner_of(m, row, &kind, &place);
    return fb_fail(err, FB_ERR_ASSEMBLY, &place,
                   as->is_velocity
                       ? "the set velocities contradict %s '%s': its %s is violated by %.3g (%s)"
                       : "the mechanism cannot be closed at %s '%s': its %s is violated by %.3g "
                         "(%s); check lengths and positions, or set fewer initial values",
                   kind, name, row->text, reached, what);
}

// How many steps from the current values to the requested ones.
static int approach_steps(Assembler* as, const FbPoint* p, double* from) {
    double longest = 0.0;
    fb_system_realize(as->s, p->q, p->v, NULL);
    for (int i = 0; i < as->n_cond; i++) {
        from[i] = condition_value(as->s, p, as->condition[i]);
        longest = fmax(longest, fabs(as->condition[i]->value - from[i]) / as->condition[i]->unit);
    }
    double n = ceil(longest / APPROACH);
    return n < 1.0 ? 1 : n > MAX_APPROACH ? MAX_APPROACH : (int)n;
}

// Structures follow the bodies that carry them before the remaining loops are closed. Nothing to do
// if no row and no set value requires a position other than the drawn one.
static FbStatus place_structures(Assembler* as, FbPoint* p, bool with_conditions, FbError* err) {
    const FbModel* m = as->s->m;
    if (m->n_beams == 0) {
        return FB_OK;
    }
    int worst;
    bool is_moved = calc_errors(as, p, false, &worst) > CLOSED;
    double* target = as->all_targets;
    for (int i = 0, k = 0; with_conditions && i < m->n_conditions; i++) {
        const FbCondition* c = &m->conditions[i];
        if (k < as->n_cond && as->condition[k] == c) {
            target[i] = as->target[k++];
            is_moved = is_moved || (!c->is_of_node && (is_ball(&m->signals[c->signal]) ||
                                                       target[i] != condition_value(as->s, p, c)));
        }
    }
    return is_moved ? fb_system_place_structures(as->s, p, with_conditions ? target : NULL, err)
                    : FB_OK;
}

// To the targets of the moment.
static FbStatus approach(Assembler* as, FbPoint* p, double* reached, int* worst, FbError* err) {
    FB_TRY(place_structures(as, p, true, err));
    return close_positions(as, p, true, reached, worst, err);
}

static FbStatus assemble_positions(FbSystem* s, FbPoint* p, FbAssembly* out, FbError* err) {
    Assembler as;
    FbStatus status = assembler_init(&as, s, p->t, false, err);
    double reached = 0.0, limit = CLOSED;
    int worst = -1;
    double* from = status == FB_OK ? FB_TAKE(as.arena, double, as.n_cond + 1) : NULL;
    if (status == FB_OK && !from) {
        status = fb_fail_memory(err);
    }
    if (status == FB_OK) {
        fb_turns_start(s, p->t, p->q);
        status = place_structures(&as, p, false, err);
    }
    if (status == FB_OK) {
        status = close_positions(&as, p, false, &reached, &worst, err);
    }
    if (status == FB_OK &&
        !(reached <
          limit)) {  // the drawing alone does not close: perhaps it does with what was set
        memcpy(p->q, s->m->q_drawn, sizeof(double) * (size_t)s->m->tree.n_q);
    }
    int n = status == FB_OK ? (reached < limit ? approach_steps(&as, p, from) : 1) : 0;
    for (int k = 1; status == FB_OK && k <= n; k++) {
        for (int i = 0; i < as.n_cond; i++) {
            double to = as.condition[i]->value;
            as.target[i] = k == n ? to : from[i] + (to - from[i]) * k / n;
        }
        status = approach(&as, p, &reached, &worst, err);
    }
    if (status == FB_OK && !(reached < limit)) {
        status = report_open(&as, worst, err);
    }
    out->position_error = worst >= 0 ? fabs(as.c[worst]) : 0.0;
    assembler_free(&as);
    return status;
}

// The slowest motion (least kinetic energy) that satisfies all velocity equations, relative to the
// motion of structures with their supports.
static FbStatus assemble_velocities(FbSystem* s, FbPoint* p, FbAssembly* out, FbError* err) {
    Assembler as;
    FbStatus status = assembler_init(&as, s, p->t, true, err);
    double reached = 0.0, fastest = 0.0;  // what is set, by values or laws, at rest
    int worst = -1;
    for (int i = 0; status == FB_OK && i < as.n_cond; i++) {
        as.target[i] = as.condition[i]->value;
    }
    // The regularization leaves a part of the errors of weak rows, and more of them the lighter
    // what they move is.
    double before = INFINITY, change = INFINITY, change_before = INFINITY;
    for (int i = 0; status == FB_OK && i < MAX_REPEATS; i++) {
        reached = calc_errors(&as, p, true, &worst);
        fastest = fmax(fastest, reached);
        bool is_settled = change <= SETTLED || (i > 1 && !(change < 0.9 * change_before));
        if (i == 0 ? !(reached > 0.0) : is_settled && !(reached < 0.9 * before)) {
            break;
        }
        before = reached;
        change_before = change;
        status = i == 0 ? factor(&as, p, true, err) : FB_OK;
        if (status == FB_OK) {
            change = add_slowest(&as, p);
        }
    }
    if (status == FB_OK) {
        reached = calc_errors(&as, p, true, &worst);
        for (int j = 0; j < as.n_v; j++) {
            fastest = fmax(fastest, fabs(p->v[j]) / s->m->unit_v[j]);
        }
        // Axes and points of a far drawing contradict each other by their rounding.
        double drawn = DRAWN * s->m->drawn_distance / s->m->length;
        if (!(reached <= fmax(CLOSED, drawn) * fastest)) {
            status = report_open(&as, worst, err);
        }
    }
    out->velocity_error = worst >= 0 ? fabs(as.c[worst]) : 0.0;
    assembler_free(&as);
    return status;
}

// Redundant rows, gathered by part.
static FbStatus list_redundancies(FbSystem* s, FbError* err) {
    const FbModel* m = s->m;
    s->n_redundancies = 0;
    s->redundancies = FB_TAKE(s->arena, FbRedundancy, m->n_rows + 1);
    if (!s->redundancies) {
        return fb_fail_memory(err);
    }
    for (int r = 0; r < m->n_rows; r++) {
        if (s->slot_of_row[r] >= 0) {
            continue;
        }
        const char* kind;
        FbPlace place;
        const char* name = owner_of(m, &m->rows[r], &kind, &place);
        FbRedundancy* last = s->n_redundancies > 0 ? &s->redundancies[s->n_redundancies - 1] : NULL;
        if (last && last->part == name) {
            last->rows = fb_arena_format(s->arena, "%s, %s", last->rows, m->rows[r].text);
            last->n_rows++;
        } else {
            s->redundancies[s->n_redundancies++] =
                (FbRedundancy){.part = name, .place = place, .rows = m->rows[r].text, .n_rows = 1};
        }
    }
    return fb_arena_has_failed(s->arena) ? fb_fail_memory(err) : FB_OK;
}

// What follows from the position: velocities, independent rows, accelerations.
static FbStatus complete(FbSystem* s, FbPoint* p, FbAssembly* out, FbError* err) {
    const FbModel* m = s->m;
    FB_TRY(fb_system_carry_structures(s, p, NULL, 0, err));
    FB_TRY(assemble_velocities(s, p, out, err));
    fb_turns_accept(s, p);
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    fb_charts_accept(s, p);
    FB_TRY(fb_rows_choose(s, p->q, err));
    FB_TRY(list_redundancies(s, err));
    out->n_redundancies = s->n_redundancies;
    out->n_redundant_rows = m->n_rows - s->dynamics.size.n_c;
    out->degrees_of_freedom = m->tree.n_v - s->dynamics.size.n_c;
    memset(p->a, 0, sizeof(double) * (size_t)m->tree.n_v);
    memset(p->lambda, 0, sizeof(double) * (size_t)m->n_rows);
    fb_samples_start(s, p);
    FbStatus status = fb_system_accelerations(&s->dynamics, p, err);
    if (status > 0) {
        const FbError* cause = fb_system_trouble(&s->dynamics);
        return fb_fail(err, FB_ERR_SINGULAR, cause && cause->place.line > 0 ? &cause->place : NULL,
                       "the accelerations at the start are not finite: %.400s",
                       cause ? cause->text : "check masses and forces");
    }
    if (status == FB_OK) {
        fb_scales_set(s, p);
    }
    return status < 0 ? status : fb_system_find_ambiguous(s, p, &out->n_ambiguous, err);
}

FbStatus fb_system_assemble_at(FbSystem* s, FbPoint* p, FbAssembly* out, FbError* err) {
    fb_system_realize(s, p->q, s->zero_v, NULL);
    fb_turns_start(s, p->t, p->q);
    return complete(s, p, out, err);
}

FbStatus fb_system_assemble(FbSystem* s, double t, FbPoint* p, FbAssembly* out, FbError* err) {
    const FbModel* m = s->m;
    memset(out, 0, sizeof(*out));
    fb_parts_reset(s);
    fb_charts_reset(s);
    p->t = t;
    memcpy(p->q, m->q_drawn, sizeof(double) * (size_t)m->tree.n_q);
    memset(p->v, 0, sizeof(double) * (size_t)m->tree.n_v);
    for (int i = 0; i < m->n_states; i++) {
        p->x[i] = m->states[i].initial;
    }
    memset(p->w, 0, sizeof(double) * (size_t)s->dynamics.size.n_w);
    fb_system_realize(s, p->q, p->v, NULL);
    fb_turns_draw(s);
    FB_TRY(assemble_positions(s, p, out, err));
    return complete(s, p, out, err);
}

void fb_system_get_redundancy(const FbSystem* s, int index, FbRedundancy* out) {
    *out = (FbRedundancy){0};
    if (index >= 0 && index < s->n_redundancies) {
        *out = s->redundancies[index];
    }
}
