// The model's own lengths and mass, by which solvers judge what is small.
//
// Nothing here depends on where the origin of the ground is or how the model is turned: lengths are
// distances between points of the model in the drawing, or inside one body. A constraint row has
// the length of the loop that it closes, so that a small mechanism next to a large one is judged by
// its own size (theory manual, section 4.6).
#include <math.h>

#include "compile/compile.h"

typedef struct Drawing {
    const FbModel* m;
    FbKinematics k;
    FbVec3 near;  // positions are counted from here
} Drawing;

static bool is_slide(const FbModel* m, int v) {
    FbLinkKind kind = m->tree.links[m->tree.link_of_v[v]].kind;
    return kind == FB_LINK_SLIDE || kind == FB_LINK_TRANSLATE3;
}

static FbVec3 point_of(const Drawing* d, int link, FbVec3 p) {
    FbVec3 base = link >= 0 ? fb_base_from(&d->k, d->near, link) : fb_scale(-1.0, d->near);
    return fb_add(base, fb_link_point(&d->k, link, p));
}

// The link of a free slider is only a number, the way along its guide: it is nowhere in the
// drawing.
static bool is_place(const FbModel* m, int link) {
    for (int i = 0; i < m->n_sliders; i++) {
        int v = m->sliders[i].coordinate_v;
        if (v >= 0 && m->tree.link_of_v[v] == link) {
            return false;
        }
    }
    return true;
}

// The radius of gyration, and so a length of the body that no frame can change.
static double gyration(const FbLink* link) {
    double trace = link->inertia.m[0][0] + link->inertia.m[1][1] + link->inertia.m[2][2];
    return link->has_mass && link->mass > 0.0 && trace > 0.0 ? sqrt(0.5 * trace / link->mass) : 0.0;
}

// How far a link reaches from the point p: its joint, its centre, its own size.
static double reach(const Drawing* d, int i, FbVec3 p) {
    const FbLink* link = &d->m->tree.links[i];
    double size = fmax(fb_norm(fb_sub(point_of(d, i, fb_vec3(0, 0, 0)), p)), gyration(link));
    if (link->has_mass) {
        size = fmax(size, fb_norm(fb_sub(point_of(d, i, link->center), p)));
    }
    // What a drawing with everything in one place does not show.
    return link->parent >= 0 ? fmax(size, fb_norm(link->p_PJ)) : size;
}

// The length of the loop of a term, or 0.
static double term_length(const Drawing* d, const FbTerm* term) {
    FbVec3 p = point_of(d, term->link_b, term->p_b);
    double size = term->radius;
    if (term->kind == FB_TERM_DISTANCE) {
        size = fmax(size, fb_norm(fb_sub(point_of(d, term->link_a, term->p_a), p)));
    }
    for (int k = term->path; k < term->path + term->n_path; k++) {
        size = fmax(size, reach(d, d->m->tree.link_of_v[d->m->paths.v[k]], p));
    }
    return size;
}

// The largest distance from the mean of all joints and centres.
static void calc_length(Drawing* d, FbModel* m) {
    const FbTree* tree = &m->tree;
    FbVec3 sum = {0, 0, 0};
    int n = 0, n_mass = 0;
    double mass = 0.0;
    for (int i = 0; i < tree->n_link; i++) {
        if (is_place(m, i)) {
            sum = fb_add(sum, point_of(d, i, tree->links[i].center));
            n++;
        }
        mass += tree->links[i].has_mass ? tree->links[i].mass : 0.0;
        n_mass += tree->links[i].has_mass && tree->links[i].mass > 0.0;
    }
    FbVec3 middle = fb_scale(n > 0 ? 1.0 / n : 0.0, sum);
    double size = 0.0;
    for (int i = 0; i < tree->n_link; i++) {
        size = is_place(m, i) ? fmax(size, reach(d, i, middle)) : size;
    }
    m->length = size > 0.0 ? size : 1.0;  // a model without any length: points in one place
    m->mass = n_mass > 0 ? mass / n_mass : 1.0;
}

static void calc_drawn_distance(const Drawing* d, FbModel* m) {
    FbVec3 zero = {0, 0, 0};
    for (int i = 0; i < m->tree.n_link; i++) {
        m->drawn_distance = fmax(m->drawn_distance, fb_norm(fb_ground_point(&d->k, i, zero)));
    }
}

// Slides: the longest loop that they are part of.
static void calc_velocity_units(Drawing* d, FbModel* m) {
    for (int j = 0; j < m->tree.n_v; j++) {
        m->unit_v[j] = is_slide(m, j) ? 0.0 : 1.0;
    }
    for (int r = 0; r < m->n_rows; r++) {
        for (int t = m->rows[r].term; t < m->rows[r].term + m->rows[r].n_terms; t++) {
            const FbTerm* term = &m->terms[t];
            double size = fb_term_is_position(term->kind) ? term_length(d, term) : 0.0;
            for (int k = term->path; k < term->path + term->n_path; k++) {
                int v = m->paths.v[k];
                m->unit_v[v] = is_slide(m, v) ? fmax(m->unit_v[v], size) : 1.0;
            }
        }
    }
    for (int i = 0; i < m->n_carriages; i++) {
        const FbCarriage* c = &m->carriages[i];
        for (int k = 0; k < c->n; k++) {
            bool is_length = is_slide(m, c->v[k]);
            double size = is_length ? m->sliders[c->slider].length : 1.0;
            m->unit_v[c->v[k]] = is_length ? fmax(m->unit_v[c->v[k]], size) : 1.0;
        }
    }
    for (int j = 0; j < m->tree.n_v; j++) {
        m->unit_v[j] = m->unit_v[j] > 0.0 ? m->unit_v[j] : m->length;
    }
}

static double term_unit(const Drawing* d, const FbTerm* term) {
    if (term->kind == FB_TERM_COORDINATE) {
        return d->m->unit_v[term->coordinate_v];
    }
    double size = fb_term_is_position(term->kind) ? term_length(d, term) : 1.0;
    return size > 0.0 ? size : d->m->length;
}

static double sum_unit(const Drawing* d, int term, int n_terms) {
    double unit = 0.0;
    for (int t = term; t < term + n_terms; t++) {
        const FbTerm* x = &d->m->terms[t];
        unit = fmax(unit, fabs(x->factor) * term_unit(d, x));
    }
    return unit > 0.0 ? unit : 1.0;
}

FbStatus fb_compile_units(FbBuilder* b, FbError* err) {
    FbModel* m = b->m;
    Drawing d = {.m = m};
    FbArena* scratch = fb_arena_create();
    m->unit_v = FB_TAKE(m->arena, double, m->tree.n_v + 1);
    if (!scratch || !m->unit_v || fb_kinematics_init_position(&m->tree, scratch, &d.k, err) < 0) {
        fb_arena_destroy(scratch);
        return fb_fail_memory(err);
    }
    fb_tree_realize_position(&m->tree, m->q_drawn, &d.k);
    for (int i = m->tree.n_link - 1; i >= 0; i--) {
        d.near = is_place(m, i) ? d.k.base_p[m->tree.links[i].base] : d.near;
    }
    calc_length(&d, m);
    calc_drawn_distance(&d, m);
    calc_velocity_units(&d, m);
    for (int r = 0; r < m->n_rows; r++) {
        const FbRow* row = &m->rows[r];
        bool is_place = row->carriage && row->component < FB_CARRIAGE_TURN;
        m->rows[r].unit =
            is_place ? m->sliders[row->owner].length : sum_unit(&d, row->term, row->n_terms);
    }
    for (int i = 0; i < m->n_conditions; i++) {
        const FbSignal* s = &m->signals[m->conditions[i].signal];
        m->conditions[i].unit =
            s->n_terms > 0 ? sum_unit(&d, s->term, s->n_terms) : m->unit_v[s->index];
    }
    fb_arena_destroy(scratch);
    return FB_OK;
}
