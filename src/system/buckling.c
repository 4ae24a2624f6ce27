// Can linear guides carry their sliders? Linear elements do not know that a pressed beam buckles.
//
// The weight of everything and the loads at the start give the axial forces N of all linear
// elements by linear statics, and these a geometric stiffness (eqs. 8.73, 8.74)
//   K u = f,   K_G = sum_e J0' E' N_e int N_x' Q N_x dx E J0.
// Where K + K_G is no longer positive the structure buckles. Sliders are moved along their guides,
// one at a time, to find where that happens.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/sparse.h"
#include "system/port.h"
#include "system/slider_state.h"

enum { MOST_COORDINATES = 20000, MANY_COORDINATES = 2000, BISECTIONS = 30 };
static const double PENALTY = 1e6;  // of constraints, next to the largest stiffness

typedef struct Buckling {
    FbSystem* system;
    const FbModel* m;
    FbArena* arena;
    const FbBlocks* b;
    int n, n_c;
    int* own;      // [n_v] index of the coordinates that linear structures have to themselves, -1
    int* v;        // [n]
    double* load;  // [n] without sliders
    double* at;    // [n_sliders] where they are
    double* mass;  // [n_sliders]
    double* u;     // [n + n_c]
    double* dq;    // [n_v]
    FbPattern pattern;
    FbLinear* solver;          // of K with the constraints
    int *row_start, *row_col;  // G by rows, own columns: [n_c + 1], [entries]
    double* row_value;
    FbTriplet* list;
    size_t n_list, capacity;
} Buckling;

static bool is_in(const char* joint, const char* structure) {
    size_t n = strlen(structure);
    return strncmp(joint, structure, n) == 0 && joint[n] == '.';
}

static bool is_own(const FbModel* m, int v) {
    int joint = m->tree.links[m->tree.link_of_v[v]].joint;
    for (int i = 0; joint >= 0 && i < m->n_structures; i++) {
        if (!m->structures[i].is_nonlinear && is_in(m->joints[joint].name, m->structures[i].name)) {
            return true;
        }
    }
    return false;
}

static FbStatus take(Buckling* k, FbError* err) {
    int n_v = k->m->tree.n_v;
    k->own = FB_TAKE(k->arena, int, n_v + 1);
    k->v = FB_TAKE(k->arena, int, n_v + 1);
    k->load = FB_TAKE(k->arena, double, n_v + 1);
    k->dq = FB_TAKE(k->arena, double, n_v + 1);
    k->u = FB_TAKE(k->arena, double, n_v + k->n_c + 1);
    k->at = FB_TAKE(k->arena, double, k->m->n_sliders + 1);
    k->mass = FB_TAKE(k->arena, double, k->m->n_sliders + 1);
    if (fb_arena_has_failed(k->arena)) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < n_v; j++) {
        k->own[j] = is_own(k->m, j) ? k->n : -1;
        if (k->own[j] >= 0) {
            k->v[k->n++] = j;
        }
    }
    return FB_OK;
}

static FbStatus build_solver(Buckling* k, FbError* err) {
    const FbPattern *vv = k->b->vv, *cv = k->b->cv;
    int size = k->n + k->n_c;
    FbPatternBuilder* builder = fb_pattern_builder_create(size, size);
    if (!builder) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < k->n; c++) {
        for (int e = vv->start[k->v[c]]; e < vv->start[k->v[c] + 1]; e++) {
            if (k->own[vv->row[e]] >= 0) {
                fb_pattern_builder_add(builder, k->own[vv->row[e]], c);
            }
        }
        for (int e = k->n_c ? cv->start[k->v[c]] : 0; k->n_c && e < cv->start[k->v[c] + 1]; e++) {
            fb_pattern_builder_add(builder, k->n + cv->row[e], c);
            fb_pattern_builder_add(builder, c, k->n + cv->row[e]);
        }
    }
    for (int i = k->n; i < size; i++) {
        fb_pattern_builder_add(builder, i, i);
    }
    FbStatus status = fb_pattern_builder_finish(builder, k->arena, &k->pattern, err);
    fb_pattern_builder_destroy(builder);
    FB_TRY(status);
    return fb_linear_create(&k->pattern, FB_LINEAR_AUTO, false, &k->solver, err);
}

static FbStatus list_rows(Buckling* k, FbError* err) {
    const FbPattern* cv = k->b->cv;
    if (k->n_c == 0) {
        return FB_OK;
    }
    k->row_start = FB_TAKE(k->arena, int, k->n_c + 2);
    k->row_col = FB_TAKE(k->arena, int, fb_pattern_count(cv) + 1);
    k->row_value = FB_TAKE(k->arena, double, fb_pattern_count(cv) + 1);
    if (fb_arena_has_failed(k->arena)) {
        return fb_fail_memory(err);
    }
    int* next = k->row_start + 1;  // where row r goes on; at last its end, the start of r + 1
    for (int c = 0; c < k->n; c++) {
        for (int e = cv->start[k->v[c]]; e < cv->start[k->v[c] + 1]; e++) {
            next[cv->row[e] + 1]++;
        }
    }
    for (int r = 1; r < k->n_c; r++) {
        next[r] += next[r - 1];
    }
    for (int c = 0; c < k->n; c++) {
        for (int e = cv->start[k->v[c]]; e < cv->start[k->v[c] + 1]; e++) {
            int at = next[cv->row[e]]++;
            k->row_col[at] = c;
            k->row_value[at] = k->b->G[e];
        }
    }
    return FB_OK;
}

// *is_firm false: something moves without stiffness, which is told elsewhere.
static FbStatus factor(Buckling* k, bool* is_firm, FbError* err) {
    const FbPattern *vv = k->b->vv, *cv = k->b->cv, *p = &k->pattern;
    double *values = fb_linear_values(k->solver), most = 0.0;
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(p));
    for (int c = 0; c < k->n; c++) {
        for (int e = vv->start[k->v[c]]; e < vv->start[k->v[c] + 1]; e++) {
            int r = k->own[vv->row[e]];
            if (r >= 0) {
                values[fb_pattern_index(p, r, c)] = k->b->K[e];
                most = fmax(most, fabs(k->b->K[e]));
            }
        }
        for (int e = k->n_c ? cv->start[k->v[c]] : 0; k->n_c && e < cv->start[k->v[c] + 1]; e++) {
            values[fb_pattern_index(p, k->n + cv->row[e], c)] = k->b->G[e];
            values[fb_pattern_index(p, c, k->n + cv->row[e])] = k->b->G[e];
        }
    }
    for (int i = 0; i < k->n_c; i++) {
        values[fb_pattern_index(p, k->n + i, k->n + i)] = most > 0.0 ? -1e-12 / most : -1.0;
    }
    FbStatus status = fb_linear_factor(k->solver);
    *is_firm = status == FB_OK && fb_linear_rcond(k->solver) > 1e-16;
    return status < 0 ? fb_fail_memory(err) : FB_OK;
}

// The element that a slider is on at s, and the place on it.
static const FbBeamElement* element_at(const FbModel* m, const FbSlider* slider, double s,
                                       double* along) {
    int i = slider->n_pieces - 1;
    while (i > 0 && s < slider->pieces[i].start) {
        i--;
    }
    const FbGuidePiece* piece = &slider->pieces[i];
    const FbBeamElement* e = &m->beams[piece->beam];
    double x = fmin(fmax(s - piece->start, 0.0), e->beam.length);
    *along = piece->is_reversed ? e->beam.length - x : x;
    return e;
}

static bool is_on_linear(const FbModel* m, const FbSlider* slider) {
    return slider->n_pieces > 0 && m->beams[slider->pieces[0].beam].is_linear;
}

// What a slider of unit mass presses on its guide with; one that is free does not along it.
static FbVec3 weight(const Buckling* k, const FbSlider* slider, const FbBeamElement* e) {
    FbVec3 g = k->m->tree.gravity, axis = fb_mat3_col(&e->R_drawn, 0);
    return slider->coordinate_v >= 0 ? fb_axpy(-fb_dot(axis, g), axis, g) : g;
}

static void add_slider_load(Buckling* k, int i) {
    const FbSlider* slider = &k->m->sliders[i];
    double along, h[4][4];
    const FbBeamElement* e = element_at(k->m, slider, k->at[i], &along);
    FbVec3 force = fb_scale(k->mass[i], weight(k, slider, e));
    fb_field_calc_shapes(e->beam.length, along / e->beam.length, h);
    for (int c = 0; c < e->path.n; c++) {
        int row = k->own[e->path.v[c]];
        for (int j = 0; row >= 0 && j < 4; j++) {
            k->u[row] += h[0][j] * fb_dot(fb_vec3_from(e->EJ0 + c * FB_DOF + 3 * j), force);
        }
    }
}

static void solve_statics(Buckling* k) {
    memset(k->u, 0, sizeof(double) * (size_t)(k->n + k->n_c));
    memcpy(k->u, k->load, sizeof(double) * (size_t)k->n);
    for (int i = 0; i < k->m->n_sliders; i++) {
        if (is_on_linear(k->m, &k->m->sliders[i])) {
            add_slider_load(k, i);
        }
    }
    fb_linear_solve(k->solver, k->u);
    for (int j = 0; j < k->m->tree.n_v; j++) {
        k->dq[j] = k->own[j] >= 0 ? k->u[k->own[j]] : 0.0;
    }
}

// EA times the mean stretch of an element.
static double mean_tension(const Buckling* k, const FbBeamElement* e) {
    FbVec3 axis = fb_mat3_col(&e->R_drawn, 0);
    double stretch = 0.0;
    for (int c = 0; c < e->path.n; c++) {
        const double* d = e->J0 + c * FB_DOF;
        FbVec3 apart = fb_sub(fb_vec3_from(d + 6), fb_vec3_from(d));
        stretch += fb_dot(axis, apart) * k->dq[e->path.v[c]];
    }
    return e->beam.EA * stretch / e->beam.length;
}

static FbStatus add_entry(Buckling* k, int row, int col, double value, FbError* err) {
    if (k->n_list == k->capacity) {
        size_t more = 2 * k->capacity + 256;
        FbTriplet* list = realloc(k->list, sizeof(FbTriplet) * more);
        if (!list) {
            return fb_fail_memory(err);
        }
        k->list = list;
        k->capacity = more;
    }
    k->list[k->n_list++] = (FbTriplet){row, col, value};
    return FB_OK;
}

// J0' E' A E J0 with A [12 x 12] dual to the field.
static FbStatus add_element(Buckling* k, const FbBeamElement* e, const double* A, FbError* err) {
    for (int c = 0; c < e->path.n; c++) {
        int col = k->own[e->path.v[c]];
        double y[FB_DOF] = {0};
        for (int i = 0; col >= 0 && i < FB_DOF * FB_DOF; i++) {
            y[i / FB_DOF] += A[i] * e->EJ0[c * FB_DOF + i % FB_DOF];
        }
        for (int r = 0; col >= 0 && r < e->path.n; r++) {
            int row = k->own[e->path.v[r]];
            double sum = 0.0;
            for (int i = 0; i < FB_DOF; i++) {
                sum += e->EJ0[r * FB_DOF + i] * y[i];
            }
            if (row >= 0) {
                FB_TRY(add_entry(k, row, col, sum, err));
            }
        }
    }
    return FB_OK;
}

// The tension jumps by the axial load F of a slider at x: N - F x/L behind it and N + F (1 - x/L)
// before it, with the mean N of the element.
static FbStatus add_geometric(Buckling* k, const FbBeamElement* e, FbError* err) {
    double L = e->beam.length, mean = mean_tension(k, e), f[FB_DOF], A[FB_DOF * FB_DOF] = {0};
    FbVec3 axis = fb_mat3_col(&e->R_drawn, 0);
    for (int i = 0; i < k->m->n_sliders; i++) {
        const FbSlider* slider = &k->m->sliders[i];
        double x;
        if (!is_on_linear(k->m, slider) || element_at(k->m, slider, k->at[i], &x) != e) {
            continue;
        }
        double F = k->mass[i] * fb_dot(axis, weight(k, slider, e));
        mean -= F * x / L;
        fb_field_add_axial(L, x, F, axis, e->e0, e->e0, f, A, NULL);
    }
    fb_field_add_axial(L, L, mean, axis, e->e0, e->e0, f, A, NULL);
    return add_element(k, e, A, err);
}

static FbStatus add_stiffness(Buckling* k, double* most, FbError* err) {
    const FbPattern* vv = k->b->vv;
    for (int c = 0; c < k->n; c++) {
        for (int e = vv->start[k->v[c]]; e < vv->start[k->v[c] + 1]; e++) {
            int r = k->own[vv->row[e]];
            if (r >= 0) {  // half of it here, half at the mirror image
                FB_TRY(add_entry(k, r, c, 0.5 * k->b->K[e], err));
                FB_TRY(add_entry(k, c, r, 0.5 * k->b->K[e], err));
                *most = fmax(*most, fabs(k->b->K[e]));
            }
        }
    }
    return FB_OK;
}

// penalty G' G
static FbStatus add_constraints(Buckling* k, double penalty, FbError* err) {
    const FbPattern* cv = k->b->cv;
    for (int a = 0; k->n_c > 0 && a < k->n; a++) {
        for (int e = cv->start[k->v[a]]; e < cv->start[k->v[a] + 1]; e++) {
            for (int i = k->row_start[cv->row[e]]; i < k->row_start[cv->row[e] + 1]; i++) {
                double value = penalty * k->b->G[e] * k->row_value[i];
                FB_TRY(add_entry(k, a, k->row_col[i], value, err));
            }
        }
    }
    return FB_OK;
}

// Is K + K_G positive, with the sliders where they are said to be?
static FbStatus check(Buckling* k, bool* is_stable, FbError* err) {
    FbArena* arena = fb_arena_create();
    FbSparse T;
    double most = 0.0, value;
    int where;
    if (!arena) {
        return fb_fail_memory(err);
    }
    solve_statics(k);
    k->n_list = 0;
    FbStatus status = add_stiffness(k, &most, err);
    for (int i = 0; i < k->m->n_beams && status == FB_OK; i++) {
        if (k->m->beams[i].is_linear) {
            status = add_geometric(k, &k->m->beams[i], err);
        }
    }
    status = status == FB_OK ? add_constraints(k, PENALTY * most, err) : status;
    if (status == FB_OK) {
        status = fb_sparse_from_triplets(k->n, k->n, k->list, k->n_list, arena, &T, err);
    }
    if (status == FB_OK) {
        status = fb_sparse_check_semidefinite(&T, 1e-13, &where, &value, err);
    }
    *is_stable = status == FB_OK;
    fb_arena_destroy(arena);
    return status > 0 ? FB_OK : status;
}

static FbStatus bisect(Buckling* k, double* moved, double good, double bad, double* last,
                       FbError* err) {
    for (int i = 0; i < BISECTIONS; i++) {
        bool is_stable;
        *moved = 0.5 * (good + bad);
        FB_TRY(check(k, &is_stable, err));
        *(is_stable ? &good : &bad) = *moved;
    }
    *last = good;
    return FB_OK;
}

// The farthest place towards an end of its guide that the slider may reach; infinite: the end.
static FbStatus find_limit(Buckling* k, int i, bool is_up, double* limit, FbError* err) {
    double start = k->at[i], good = start, end = is_up ? k->m->sliders[i].length : 0.0;
    int steps = k->n > MANY_COORDINATES ? 2 : 12;
    *limit = is_up ? INFINITY : -INFINITY;
    for (int j = 1; j <= steps; j++) {
        bool is_stable;
        k->at[i] = start + (end - start) * j / steps;
        FB_TRY(check(k, &is_stable, err));
        if (!is_stable) {
            FB_TRY(bisect(k, &k->at[i], good, k->at[i], limit, err));
            break;
        }
        good = k->at[i];
    }
    k->at[i] = start;
    return FB_OK;
}

static FbStatus refuse(Buckling* k, int i, FbError* err) {
    const FbSlider* slider = &k->m->sliders[i];
    double full = k->mass[i], most;
    FB_TRY(bisect(k, &k->mass[i], 0.0, full, &most, err));
    return fb_fail(err, FB_ERR_MODEL, &slider->place,
                   "slider '%s' is heavier than its guide '%s' can carry: with the mass at s = "
                   "%.4g m the guide buckles under %.5g kg, and it has %.5g kg; make the guide "
                   "stiffer, or take `theory: nonlinear`, which knows what happens then",
                   slider->name, slider->guide, k->at[i], most, full);
}

// Without sliders; then with one after the other where it starts; then along their guides.
static FbStatus search(Buckling* k, FbError* err) {
    const FbModel* m = k->m;
    bool is_stable;
    for (int i = 0; i < m->n_sliders; i++) {
        k->mass[i] = 0.0;
        k->at[i] = k->system->motion[i].s;
    }
    FB_TRY(check(k, &is_stable, err));
    k->system->has_buckled = !is_stable;
    for (int i = 0; is_stable && i < m->n_sliders; i++) {
        if (is_on_linear(m, &m->sliders[i])) {
            k->mass[i] = m->sliders[i].mass.mass;
            FB_TRY(check(k, &is_stable, err));
            FB_TRY(is_stable ? FB_OK : refuse(k, i, err));
        }
    }
    for (int i = 0; is_stable && i < m->n_sliders; i++) {
        if (is_on_linear(m, &m->sliders[i])) {
            FB_TRY(find_limit(k, i, true, &k->system->slider_high[i], err));
            FB_TRY(find_limit(k, i, false, &k->system->slider_low[i], err));
        }
    }
    return FB_OK;
}

// Forces and stiffness of the drawing at rest, without sliders.
static FbStatus calc_statics(Buckling* k, double t, double* x, FbBlocks* b, FbError* err) {
    FbSystem* s = k->system;
    FbPoint p = {.t = t,
                 .q = k->m->q_drawn,
                 .v = s->zero_v,
                 .a = s->zero_v,
                 .x = x,
                 .lambda = s->ahead.lambda};
    bool was_held = s->is_held;
    memset(p.lambda, 0, sizeof(double) * (size_t)k->m->n_rows);
    s->is_held = s->has_no_sliders = true;
    FbStatus status =
        s->dynamics.ops->residual(&s->dynamics, &p, s->work_v[0], s->ahead.x, s->all_lambda);
    for (int i = 0; i < k->n; i++) {
        k->load[i] = -s->work_v[0][k->v[i]];
    }
    status = status == FB_OK ? s->dynamics.ops->jacobian(&s->dynamics, &p, b, err) : status;
    s->is_held = was_held;
    s->has_no_sliders = false;
    return status;
}

static bool has_linear_beams(const FbModel* m) {
    for (int i = 0; i < m->n_beams; i++) {
        if (m->beams[i].is_linear) {
            return true;
        }
    }
    return false;
}

static bool is_loaded(const Buckling* k) {
    FbVec3 g = k->m->tree.gravity;
    double sum = k->m->n_sliders > 0 ? fb_dot(g, g) : 0.0;
    for (int i = 0; i < k->n; i++) {
        sum += fabs(k->load[i]);
    }
    return sum > 0.0;
}

static FbStatus examine(Buckling* k, const FbPoint* p, FbError* err) {
    FbBlocks b;
    FB_TRY(take(k, err));
    if (k->n == 0 || k->n > MOST_COORDINATES) {
        return FB_OK;
    }
    FbStatus status = calc_statics(k, p->t, p->x, &b, err);
    if (status != FB_OK) {
        return status < 0 ? status : FB_OK;  // the run will meet it, and say more
    }
    if (!is_loaded(k)) {
        return FB_OK;
    }
    k->b = &b;
    FB_TRY(list_rows(k, err));
    FB_TRY(build_solver(k, err));
    bool is_firm;
    FB_TRY(factor(k, &is_firm, err));
    return is_firm ? search(k, err) : FB_OK;
}

FbStatus fb_system_check_buckling(FbSystem* s, const FbPoint* p, FbError* err) {
    for (int i = 0; i < s->m->n_sliders; i++) {
        s->slider_low[i] = -INFINITY;
        s->slider_high[i] = INFINITY;
    }
    if (!has_linear_beams(s->m)) {
        return FB_OK;
    }
    Buckling k = {.system = s, .m = s->m, .n_c = s->dynamics.size.n_c, .arena = fb_arena_create()};
    FbStatus status = k.arena ? examine(&k, p, err) : fb_fail_memory(err);
    fb_linear_destroy(k.solver);
    fb_arena_destroy(k.arena);
    free(k.list);
    return status;
}

FbStatus fb_sliders_check_limits(FbSystem* s, const FbPoint* p, FbError* err) {
    for (int i = 0; i < s->m->n_sliders; i++) {
        const FbSlider* slider = &s->m->sliders[i];
        if (s->slider_low[i] == -INFINITY && s->slider_high[i] == INFINITY) {
            continue;
        }
        double at = fb_slider_motion(s, p, slider).s;
        if (at > s->slider_high[i] || at < s->slider_low[i]) {
            return fb_fail(err, FB_ERR_MODEL, &slider->place,
                           "slider '%s' is heavier than its guide '%s' can carry: at t = %.6g s it "
                           "is at s = %.6g m, and beyond s = %.5g m the guide buckles under its "
                           "%.5g kg; make the guide stiffer, or take `theory: nonlinear`",
                           slider->name, slider->guide, p->t, at,
                           at > s->slider_high[i] ? s->slider_high[i] : s->slider_low[i],
                           slider->mass.mass);
        }
    }
    return FB_OK;
}
