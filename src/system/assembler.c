// Patterns, gradients, metric and solution of the equations of an assembly.
//
// Newton steps solve [W A'; A -e] (d, mu) = (0, -c) with all constraint rows and set values in c, A
// their gradients and W a metric (positions: the model's units, velocities: the mass matrix). All
// is scaled by units, so that its entries are about 1 (theory manual, eqs. 4.10-4.12).
#include "system/assembler.h"

#include <math.h>
#include <string.h>

#include "math/rotation.h"

// Of the diagonal: what keeps the matrix regular where rows are dependent (velocities, whose metric
// may span many decades: less), or nothing has inertia.
static const double REGULARIZATION = 1e-11, VELOCITY_REGULARIZATION = 1e-13, INERTIA = 1e-12;

static bool is_used(const FbAssembler* as, const FbCondition* condition) {
    return (as->s->m->signals[condition->signal].kind == FB_SIGNAL_RATE) == as->is_velocity;
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
static void equation_gradient(FbAssembler* as, const FbPoint* p, int i) {
    FbSystem* s = as->s;
    memset(as->dense, 0, sizeof(double) * (size_t)as->n_v);
    if (i < as->n_row) {
        fb_row_add_gradient(s, i, as->dense);
        return;
    }
    const FbCondition* condition = as->condition[i - as->n_row];
    if (fb_condition_is_ball(&s->m->signals[condition->signal])) {
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

static void add_equation_support(FbAssembler* as, FbPatternBuilder* b, int i) {
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
        for (int k = 0; fb_condition_is_ball(signal) && k < 3; k++) {
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

static FbStatus build_patterns(FbAssembler* as, FbError* err) {
    const FbPattern* vv = as->w;
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

static FbStatus build_maps(FbAssembler* as, FbError* err) {
    const FbPattern* vv = as->w;
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
    return as->is_velocity && as->s->m->is_deep
               ? fb_tree_mass_create(&as->s->m->tree, &as->pattern, &as->mass, err)
               : fb_linear_create(&as->pattern, FB_LINEAR_AUTO, false, &as->solver, err);
}

FbStatus fb_assembler_init(FbAssembler* as, FbSystem* s, double t, bool is_velocity, FbError* err) {
    *as = (FbAssembler){
        .s = s, .t = t, .is_velocity = is_velocity, .n_v = s->m->tree.n_v, .n_row = s->m->n_rows};
    if (!is_velocity) {
        as->n_row = s->m->n_holonomic;
    }
    as->w = s->m->is_deep ? &s->m->own : &s->m->vv;  // the tree's share of deep ones is `mass`
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
    if (as->n_row + as->n_cond == 0) {
        return FB_OK;  // nothing will be solved
    }
    FB_TRY(build_patterns(as, err));
    return build_maps(as, err);
}

void fb_assembler_free(FbAssembler* as) {
    fb_linear_destroy(as->solver);
    fb_tree_mass_destroy(as->mass);
    fb_arena_destroy(as->arena);
}

double fb_assembler_condition(FbSystem* s, const FbPoint* p, const FbCondition* condition) {
    const FbSignal* signal = &s->m->signals[condition->signal];
    if (signal->n_terms == 0) {
        return signal->kind == FB_SIGNAL_RATE ? p->v[signal->index]
                                              : ball_value(s->m, signal, p->q);
    }
    return fb_signal_calc(s, p, condition->signal);
}

// A position is as good as its coordinates, counted from the origin, allow.
static double natural_size(const FbAssembler* as, int i) {
    return i < as->n_row ? fb_row_calc_size(as->s, i, true) : as->condition[i - as->n_row]->unit;
}

// The errors of all equations at p; returns the largest in units of the equations, and where.
double fb_assembler_calc_errors(FbAssembler* as, const FbPoint* p, bool with_conditions,
                                int* worst) {
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
            as->c[i] = with_conditions
                           ? fb_assembler_condition(s, p, as->condition[i - as->n_row]) -
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
    FbDrawnRole role = body >= 0 ? m->drawing.bodies[body].role : FB_DRAWN_BODY;
    return role == FB_DRAWN_NODE || role == FB_DRAWN_ROW;
}

// Positions: each coordinate weighs by its unit. Velocities: the mass matrix, with a little more on
// its diagonal, since parts may have no inertia.
static double unit_of_mass(const FbModel* m, int j, double mass) {
    double lever = m->length / m->unit_v[j];
    return 1.0 / sqrt(mass > 0.0 ? mass : m->mass * lever * lever);
}

static void fill_metric(FbAssembler* as, const FbPoint* p, double* values) {
    FbSystem* s = as->s;
    const FbModel* m = s->m;
    const FbPattern* vv = as->w;
    for (int j = 0; j < as->n_v && !as->is_velocity; j++) {
        as->unit_v[j] = m->unit_v[j] * (moves_node(m, j) ? NODE_MOVE : 1.0);
        values[as->of_w[fb_at(vv, j, j)]] = 1.0;
    }
    for (int j = 0; j < as->n_v && as->mass; j++) {
        double unit = unit_of_mass(m, j, fb_tree_mass_get_diagonal(as->mass, j));
        as->unit_v[j] = unit;
        values[as->of_w[fb_at(vv, j, j)]] = INERTIA / (unit * unit);
    }
    if (!as->is_velocity || as->mass) {
        return;
    }
    memset(s->blocks.M, 0, sizeof(double) * (size_t)fb_pattern_count(vv));
    fb_tree_add_mass_matrix(&m->tree, &s->k, vv, s->blocks.M);
    fb_parts_add_mass(s, p->q, s->blocks.M);
    for (int j = 0; j < as->n_v; j++) {
        as->unit_v[j] = unit_of_mass(m, j, s->blocks.M[fb_at(vv, j, j)]);
    }
    for (int j = 0; j < as->n_v; j++) {
        for (int i = vv->start[j]; i < vv->start[j + 1]; i++) {
            values[as->of_w[i]] = s->blocks.M[i] * as->unit_v[vv->row[i]] * as->unit_v[j];
        }
        values[as->of_w[fb_at(vv, j, j)]] += INERTIA;
    }
}

// What equation i comes to in the scaled unknowns: its own unit and those on its path.
static double equation_unit(const FbAssembler* as, int i) {
    const FbModel* m = as->s->m;
    double most = 0.0;
    for (int j = 0; j < as->n_v; j++) {
        most = as->dense[j] != 0.0 ? fmax(most, as->unit_v[j] / m->unit_v[j]) : most;
    }
    double unit = i < as->n_row ? m->rows[i].unit : as->condition[i - as->n_row]->unit;
    return most > 0.0 ? unit * most : unit;
}

// Velocities satisfy redundant rows if they satisfy the others. What such a row is made of may be
// rounding of a far drawing, which must not hold anything.
static bool is_left_out(const FbAssembler* as, int i, bool with_conditions) {
    return i < as->n_row ? as->is_velocity && as->s->slot_of_row[i] < 0 : !with_conditions;
}

static double* values_of(const FbAssembler* as) {
    return as->mass ? fb_tree_mass_values(as->mass) : fb_linear_values(as->solver);
}

static double* begin_values(FbAssembler* as) {
    if (as->mass) {
        fb_tree_mass_set(as->mass, &as->s->k);
    }
    return values_of(as);
}

// Values of deep trees are not scaled by the units of velocities.
static double own_unit(const FbAssembler* as, int j) {
    return as->mass ? as->unit_v[j] : 1.0;
}

FbStatus fb_assembler_factor(FbAssembler* as, const FbPoint* p, bool with_conditions,
                             FbError* err) {
    double* values = begin_values(as);
    double regularization = as->is_velocity ? VELOCITY_REGULARIZATION : REGULARIZATION;
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(&as->pattern));
    fill_metric(as, p, values);
    for (int i = 0; i < as->n_row + as->n_cond; i++) {
        values[as->of_diagonal[i]] = -1.0;
        as->unit[i] = 1.0;
        if (is_left_out(as, i, with_conditions)) {
            continue;
        }
        equation_gradient(as, p, i);
        as->unit[i] = equation_unit(as, i);
        double size = 0.0;
        for (int j = 0; j < as->n_v; j++) {
            int at = as->dense[j] != 0.0 ? fb_at(&as->a, i, j) : -1;
            if (at >= 0) {
                double x = as->dense[j] * as->unit_v[j] / as->unit[i];
                values[as->of_a[at]] = values[as->of_at[at]] = x / own_unit(as, j);
                size += x * x;
            }
        }
        values[as->of_diagonal[i]] = -regularization * fmax(size, 1.0);
    }
    if (as->mass) {
        return fb_tree_mass_factor(as->mass) == FB_OK ? FB_OK
                                                      : fb_system_fail_singular(as->s, -1, err);
    }
    FbStatus status = fb_linear_factor(as->solver);
    return status == FB_OK ? FB_OK : fb_system_fail_factor(as->s, status, as->solver, err);
}

static void solve_scaled(FbAssembler* as) {
    if (!as->mass) {
        fb_linear_solve(as->solver, as->x);
        return;
    }
    for (int j = 0; j < as->n_v; j++) {
        as->x[j] /= as->unit_v[j];
    }
    fb_tree_mass_solve(as->mass, as->x);
    for (int j = 0; j < as->n_v; j++) {
        as->x[j] /= as->unit_v[j];
    }
}

// The smallest change in x that removes the errors.
void fb_assembler_solve(FbAssembler* as) {
    memset(as->x, 0, sizeof(double) * (size_t)as->n_v);
    for (int k = 0; k < as->n_row + as->n_cond; k++) {
        as->x[as->n_v + k] = -as->c[k] / as->unit[k];
    }
    solve_scaled(as);
    for (int j = 0; j < as->n_v; j++) {
        as->x[j] *= as->unit_v[j];
    }
}

// x -= (M + the addition) total, in units.
static void subtract_product(const FbAssembler* as, double* x) {
    double *v = as->s->work_v[0], *y = as->s->work_v[1];
    for (int j = 0; j < as->n_v; j++) {
        v[j] = as->unit_v[j] * as->total[j];
        y[j] = 0.0;
    }
    fb_tree_mass_add_product(as->mass, 1.0, v, y);
    for (int j = 0; j < as->n_v; j++) {
        x[j] -= as->unit_v[j] * y[j] + INERTIA * as->total[j];
    }
}

// Right side of a further step: what the motion so far lacks for the least kinetic energy, without
// the addition to the mass matrix.
static void calc_excess(const FbAssembler* as, double* x) {
    const double* values = values_of(as);
    for (int col = 0; col < as->n_v; col++) {
        const FbPattern* vv = as->w;
        x[col] += INERTIA * as->total[col];
        for (int i = vv->start[col]; !as->mass && i < vv->start[col + 1]; i++) {
            x[vv->row[i]] -= values[as->of_w[i]] * as->total[col];
        }
        for (int i = as->a.start[col]; i < as->a.start[col + 1]; i++) {
            x[col] -= values[as->of_at[i]] * own_unit(as, col) * as->total[as->n_v + as->a.row[i]];
        }
    }
    if (as->mass) {
        subtract_product(as, x);
    }
}

// Adds the slowest motion that removes the errors that are left; returns how much that is, of all.
double fb_assembler_add_slowest(FbAssembler* as, FbPoint* p) {
    double change = 0.0, size = 0.0;
    int n_eq = as->n_row + as->n_cond;
    memset(as->x, 0, sizeof(double) * (size_t)as->n_v);
    calc_excess(as, as->x);
    for (int k = 0; k < n_eq; k++) {
        as->x[as->n_v + k] = -as->c[k] / as->unit[k];
    }
    solve_scaled(as);
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
