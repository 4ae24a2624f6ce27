// The magnitudes by which integrators judge errors: units of the coordinates, and the rate at which
// the motion begins (theory manual, section 6.1).
#include <float.h>
#include <math.h>
#include <string.h>

#include "system/part.h"

// Changes in the duration at least, where nothing moves at the start.
static const double LEAST_STEPS = 3.0;
// The motion changes in the time of half a turn, or half a swing.
static const double HALF_TURN = 3.14159265358979323846;
// Forces balance up to this part of them.
static const double ROUNDING = 4.0 * DBL_EPSILON;

// Does the chain of turns that ends in `link` begin at a translation of the same joint? Those of
// nodes, which turn little, are the components of a rotation; those of a gimbal have axes of their
// own.
static bool turns_node(const FbTree* tree, int link) {
    int joint = tree->links[link].joint, i = link;
    while (i >= 0 && tree->links[i].kind == FB_LINK_TURN && tree->links[i].joint == joint) {
        i = tree->links[i].parent;
    }
    return i >= 0 && tree->links[i].joint == joint &&
           (tree->links[i].kind == FB_LINK_TRANSLATE3 || tree->links[i].kind == FB_LINK_SLIDE);
}

// Is velocity j a component of the same vector as the one before? The spins of a body's ball are
// not: they have the axes of the body, and a small one across a large one (a nutation) has to be
// followed as closely as if it were alone. A structure's node has no axes of its own.
static bool continues_vector(const FbModel* m, int j) {
    const FbTree* tree = &m->tree;
    int a = j > 0 ? tree->link_of_v[j - 1] : -1, b = tree->link_of_v[j];
    if (a < 0 || m->unit_v[j - 1] != m->unit_v[j]) {
        return false;
    }
    const FbLink *first = &tree->links[a], *second = &tree->links[b];
    if (a == b) {
        return first->kind == FB_LINK_TRANSLATE3 ||
               (first->kind == FB_LINK_BALL && first->joint >= 0 && m->is_node[first->joint]);
    }
    if (second->parent != a || first->joint != second->joint || first->kind != second->kind) {
        return false;
    }
    return first->kind == FB_LINK_SLIDE || (first->kind == FB_LINK_TURN && turns_node(tree, b));
}

FbStatus fb_scales_create(FbSystem* s, FbError* err) {
    const FbModel* m = s->m;
    int n_v = m->tree.n_v;
    s->v_scale = FB_TAKE(s->arena, double, n_v + 1);
    s->q_closed = FB_TAKE(s->arena, double, m->tree.n_q + 1);
    s->held_v = FB_TAKE(s->arena, double, n_v + 1);
    s->least_v = FB_TAKE(s->arena, double, n_v + 1);
    s->vector = FB_TAKE(s->arena, int, n_v + 1);
    if (!s->v_scale || !s->q_closed || !s->held_v || !s->least_v || !s->vector) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < n_v; j++) {
        s->vector[j] = continues_vector(m, j) ? s->vector[j - 1] : j;
    }
    memset(s->held_v, 0, sizeof(double) * (size_t)n_v);
    for (int i = 0; i < m->n_structures; i++) {
        for (int k = 0; k < m->structures[i].n_v; k++) {
            s->held_v[m->structures[i].v[k]] = 1.0;
        }
    }
    for (int r = 0; r < m->n_rows; r++) {
        for (int t = m->rows[r].term; t < m->rows[r].term + m->rows[r].n_terms; t++) {
            const FbTerm* term = &m->terms[t];
            if (term->kind == FB_TERM_COORDINATE) {
                s->held_v[term->coordinate_v] = 1.0;
            }
            for (int k = term->path; k < term->path + term->n_path; k++) {
                s->held_v[m->paths.v[k]] = 1.0;
            }
        }
    }
    for (int j = 0; j < n_v; j++) {  // a vector is held if one of its components is
        s->held_v[s->vector[j]] = fmax(s->held_v[s->vector[j]], s->held_v[j]);
    }
    for (int j = 0; j < n_v; j++) {
        s->held_v[j] = s->held_v[s->vector[j]];
    }
    s->dynamics.q_scale = m->unit_v;
    memcpy(s->q_closed, m->q_drawn, sizeof(double) * (size_t)m->tree.n_q);
    s->dynamics.q_origin = s->q_closed;
    s->dynamics.v_scale = s->v_scale;
    s->dynamics.least = s->least_v;
    s->dynamics.vector = s->vector;
    s->dynamics.is_stiff = m->has_structures;
    fb_scales_set(s, NULL);
    return FB_OK;
}

// Realizes what mass_of() needs: composites, or M where parts add to it.
static void realize_masses(FbSystem* s, const double* q) {
    const FbModel* m = s->m;
    if (!m->has_structures) {
        fb_tree_realize_composites(&m->tree, &s->k);
        return;
    }
    memset(s->blocks.M, 0, sizeof(double) * (size_t)fb_pattern_count(&m->vv));
    fb_tree_add_mass_matrix(&m->tree, &s->k, &m->vv, s->blocks.M);
    fb_parts_add_mass(s, q, s->blocks.M);
    s->kkt.is_factored = false;
}

static double own_mass(const FbSystem* s, int j) {
    if (s->m->has_structures) {
        return s->blocks.M[fb_at(&s->m->vv, j, j)];
    }
    int i = s->m->tree.link_of_v[j];
    FbVec6 U = fb_inertia_mul(&s->k.Ic[i], s->k.S[j]);
    return fb_link_dot(s->m->tree.links[i].kind, &s->k.S[j], &U);
}

// The inertia of velocity j: the mean over its vector, which is the same in all axes.
static double mass_of(const FbSystem* s, int j) {
    int first = s->vector[j], n = 0;
    double sum = 0.0;
    for (int k = first; k < s->m->tree.n_v && s->vector[k] == first; k++, n++) {
        sum += own_mass(s, k);
    }
    return sum / n;
}

// The largest force on a unit of mass, m/s^2: weight, or what acts on a body or in a joint. Needs
// masses.
static double calc_load(FbSystem* s, const FbPoint* p) {
    const FbModel* m = s->m;
    const FbTree* tree = &m->tree;
    double load = fb_norm(tree->gravity), force = 0.0;
    fb_tree_clear_forces(tree, &s->k);
    fb_parts_apply_loads(s, p);
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        if (link->has_mass && link->mass > 0.0) {
            load = fmax(load, fb_norm(s->k.external[i].lin) / link->mass);
        }
    }
    for (int j = 0; j < tree->n_v; j++) {
        double inertia = mass_of(s, j) * m->unit_v[j];
        force = hypot(s->vector[j] < j ? force : 0.0, s->k.tau[j]);
        load = inertia > 0.0 ? fmax(load, force / inertia * m->length) : load;
    }
    fb_tree_clear_forces(tree, &s->k);
    return load;
}

// Is velocity j one of a frame that nothing up to the ground turns?
static bool is_shift(const FbSystem* s, int j) {
    return s->m->tree.links[s->m->tree.link_of_v[j]].is_base_moving;
}

// sum of M_jj e_j (e_j . u), or of M_jj e_j v_j, over all translations.
static FbVec3 calc_momentum(const FbSystem* s, const double* v, FbVec3 u) {
    FbVec3 sum = {0};
    for (int j = 0; j < s->m->tree.n_v; j++) {
        FbVec3 e = s->k.S[j].lin;
        double own = is_shift(s, j) ? mass_of(s, j) * (v ? v[j] : fb_dot(e, u)) : 0.0;
        sum = fb_add(sum, fb_scale(own, e));
    }
    return sum;
}

// The velocity that all translations have in common, eq. (6.13): least squares by conjugate
// gradients, which leave the directions in which nothing slides unchanged.
static FbVec3 calc_common_velocity(const FbSystem* s, const double* v) {
    FbVec3 u = {0}, r = calc_momentum(s, v, u), d = r;
    double rr = fb_dot(r, r), enough = DBL_EPSILON * DBL_EPSILON * rr;
    for (int i = 0; i < 3 && rr > enough; i++) {
        FbVec3 Nd = calc_momentum(s, NULL, d);
        double step = rr / fb_dot(d, Nd), before = rr;
        u = fb_add(u, fb_scale(step, d));
        r = fb_sub(r, fb_scale(step, Nd));
        rr = fb_dot(r, r);
        d = fb_add(r, fb_scale(rr / before, d));
    }
    return u;
}

// Means over all coordinates, weighted by inertia: a light part that starts with a jerk does not
// set the pace of the whole. Nor does a velocity common to all.
static double calc_rate(FbSystem* s, const FbPoint* p) {
    const FbModel* m = s->m;
    double mass = 0.0, speed = 0.0, acceleration = 0.0;
    realize_masses(s, p->q);
    FbVec3 common = calc_common_velocity(s, p->v);
    for (int j = 0; j < m->tree.n_v; j++) {
        double own = mass_of(s, j);
        double v = p->v[j] - (is_shift(s, j) ? fb_dot(s->k.S[j].lin, common) : 0.0);
        mass += own * m->unit_v[j] * m->unit_v[j];
        speed += own * v * v;
        acceleration += own * p->a[j] * p->a[j];
    }
    s->dynamics.w_scale = mass;  // becomes an energy by the square of the rate
    double pace = mass > 0.0 ? fmax(speed / mass, sqrt(acceleration / mass)) : 0.0;
    s->load = calc_load(s, p) / m->length;
    return sqrt(fmax(pace, s->load)) / HALF_TURN;
}

// How far a point is from the drawing, in units of the scales.
static double calc_displacement(const FbSystem* s, const FbPoint* p) {
    const FbModel* m = s->m;
    double largest = 0.0, length = 0.0;
    for (int j = 0; p && j < m->tree.n_v; j++) {
        int i = m->q_of_v[j];
        double own = i >= 0 ? (p->q[i] - m->q_drawn[i]) / m->unit_v[j] : 0.0;
        length = hypot(s->vector[j] < j ? length : 0.0, own);
        largest = fmax(largest, length);
    }
    return largest;
}

// Motion that is rounding, in units of the scales. The stiff forces of structures multiply the
// rounding of loads and of the displacements that they are in balance with, however short the run;
// those of large rotations also that of lengths: of these all motion below the scales counts as
// that.
static double calc_noise(const FbSystem* s, const FbPoint* p) {
    static const double NOISE = 256.0, STIFF_NOISE = 1e6, DRAWN = 64.0 * DBL_EPSILON;
    for (int i = 0; i < s->m->n_beams; i++) {
        if (!s->m->beams[i].is_linear) {
            return 1.0;
        }
    }
    if (!s->m->has_structures) {
        // Loads in balance about lengths that were rounded where they were drawn are not quite.
        double drawn = DRAWN * s->m->drawn_distance / s->m->length;
        return fmax(NOISE * s->dynamics.rounding, drawn * s->dynamics.rounding / ROUNDING);
    }
    return STIFF_NOISE * fmax(s->dynamics.rounding, ROUNDING * calc_displacement(s, p));
}

void fb_scales_set(FbSystem* s, const FbPoint* p) {
    const FbModel* m = s->m;
    double rate = LEAST_STEPS / m->settings.duration;
    s->load = 0.0;
    double started = p ? calc_rate(s, p) : 0.0;
    s->rate = isfinite(started) ? fmax(rate, started) : rate;
    s->dynamics.w_scale *= s->rate * s->rate;
    // Loads that are balanced leave their rounding; without any, the smallest motion is exact.
    s->dynamics.rounding = ROUNDING * fmin(1.0, s->load / (s->rate * s->rate));
    s->dynamics.noise = calc_noise(s, p);
    // What has weight falls by its own length in time: smaller motion is small next to that.
    double fall = fmin(1.0, fb_norm(m->tree.gravity) / (m->length * s->rate * s->rate));
    for (int j = 0; j < m->tree.n_v; j++) {
        s->v_scale[j] = m->unit_v[j] * s->rate;
        s->least_v[j] = fmax(s->held_v[j], fall);
    }
}
