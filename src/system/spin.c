// Bodies and nodes that only have their own coordinates against the ground and turn steadily with
// the parts they are connected to: how their velocities follow their positions.
//
// A point p of a part that turns with w about p0, which moves with v0, has the velocity
// v0 + w x (p - p0). Along the axes e_i of slides and the axes S_k of balls, at any position
// (eqs. 7.23, 7.24):
//
//   v_i = e_i . (v0 + w x (p - p0)),   a_i = e_i . w x (v0 + w x (p - p0)),
//   w_k = S_k . w,   w_k' = 0.
#include <math.h>

#include "system/work.h"
#include "tree/motion.h"

// The links of a joint that starts at the ground: slides first, then a ball or turns.
typedef struct Chain {
    int slide[3], n_slides;
    int ball;  // first of its velocities, -1: none
    int last;  // link
} Chain;

static bool is_slide(const FbLink* link) {
    return link->kind == FB_LINK_SLIDE || link->kind == FB_LINK_TRANSLATE3;
}

static bool read_chain(const FbModel* m, int first, Chain* c) {
    const FbLink* links = m->tree.links;
    *c = (Chain){.ball = -1, .last = first};
    int joint = links[first].joint, body = links[first].body;
    for (int l = first; l < m->tree.n_link; l++) {
        bool is_next = l == first || links[l].parent == c->last;
        bool is_same = links[l].joint == joint && (joint >= 0 || body < 0);
        if (!is_next || !is_same) {
            break;
        }
        for (int k = 0; is_slide(&links[l]) && k < links[l].n_v && c->n_slides < 3; k++) {
            c->slide[c->n_slides++] = links[l].v0 + k;
        }
        c->ball = links[l].kind == FB_LINK_BALL ? links[l].v0 : c->ball;
        c->last = l;
        body = links[l].body;
    }
    return c->n_slides > 0 || c->ball >= 0;
}

// How each link turns. A hinge of a truss has no rotation; its members have: the first child that
// turns counts.
static void list_turns(const FbSystem* s, FbVec3* turns) {
    const FbTree* tree = &s->m->tree;
    for (int l = 0; l < tree->n_link; l++) {
        int parent = tree->links[l].parent;
        turns[l] = s->k.V[l].ang;
        if (parent >= 0 && fb_norm(turns[parent]) == 0.0) {
            turns[parent] = turns[l];
        }
    }
}

static FbStatus add_entries(FbSystem* s, const FbSpin* spin, FbSpins* out) {
    for (int i = 0; i < spin->n_slides; i++) {
        for (int j = 0; j < spin->n_slides; j++) {
            FbVec3 a = s->k.S[spin->slide[i]].lin, b = s->k.S[spin->slide[j]].lin;
            double value = fb_dot(a, fb_cross(fb_vec3_from(spin->w), b));
            if (value != 0.0) {
                out->entries[out->n_entries++] =
                    (FbSpinEntry){spin->slide[i], spin->slide[j], value};
            }
        }
    }
    return FB_OK;
}

FbStatus fb_system_find_spins(FbSystem* s, const FbPoint* p, FbArena* arena, FbSpins* out,
                              FbError* err) {
    const FbTree* tree = &s->m->tree;
    *out = (FbSpins){0};
    out->spins = FB_TAKE(arena, FbSpin, tree->n_link + 1);
    out->entries = FB_TAKE(arena, FbSpinEntry, 3 * tree->n_v + 1);
    FbVec3* turns = FB_TAKE(arena, FbVec3, tree->n_link + 1);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    fb_system_realize(s, p->q, p->v, NULL);
    list_turns(s, turns);
    for (int l = 0; l < tree->n_link; l++) {
        Chain c;
        if (tree->links[l].parent >= 0 || !read_chain(s->m, l, &c)) {
            continue;
        }
        FbVec3 w = turns[c.last];
        if (!(fb_norm(w) > 0.0)) {
            continue;
        }
        FbSpin* spin = &out->spins[out->n_spins++];
        *spin = (FbSpin){.n_slides = c.n_slides, .ball = c.ball, .last = c.last};
        for (int i = 0; i < c.n_slides; i++) {
            spin->slide[i] = c.slide[i];
        }
        fb_vec3_to(w, spin->w);
        fb_vec3_to(fb_ground_point(&s->k, c.last, fb_vec3(0, 0, 0)), spin->at);
        fb_vec3_to(fb_point_velocity(&s->k, c.last, s->k.p[c.last]), spin->v);
        FB_TRY(add_entries(s, spin, out));
    }
    return FB_OK;
}

// From where the velocity is known to where the node is.
static FbVec3 arm_of(const FbSystem* s, const FbSpin* x) {
    FbVec3 none = {0, 0, 0};
    return fb_sub(fb_ground_point(&s->k, x->last, none), fb_vec3_from(x->at));
}

void fb_system_calc_spin(FbSystem* s, const FbSpins* spins, const double* q, double* v, double* a) {
    fb_system_realize(s, q, NULL, NULL);
    for (int i = 0; i < spins->n_spins; i++) {
        const FbSpin* x = &spins->spins[i];
        FbVec3 w = fb_vec3_from(x->w), arm = arm_of(s, x);
        FbVec3 velocity = fb_add(fb_vec3_from(x->v), fb_cross(w, arm));
        FbVec3 acceleration = fb_cross(w, velocity);
        for (int k = 0; k < x->n_slides; k++) {
            FbVec3 e = s->k.S[x->slide[k]].lin;
            v[x->slide[k]] = fb_dot(e, velocity);
            a[x->slide[k]] = fb_dot(e, acceleration);
        }
        for (int k = 0; x->ball >= 0 && k < 3; k++) {
            v[x->ball + k] = fb_dot(s->k.S[x->ball + k].ang, w);
        }
    }
}

void fb_system_turn_spin(FbSystem* s, const FbSpins* spins, const double* q, double time,
                         const double* v, double* xi) {
    fb_system_realize(s, q, NULL, NULL);
    for (int j = 0; j < s->m->tree.n_v; j++) {
        xi[j] = time * v[j];
    }
    for (int i = 0; i < spins->n_spins; i++) {
        const FbSpin* x = &spins->spins[i];
        FbVec3 w = fb_vec3_from(x->w), arm = arm_of(s, x);
        double rate = fb_norm(w), angle = rate * time;
        FbVec3 velocity = fb_add(fb_vec3_from(x->v), fb_cross(w, arm));
        FbVec3 inward = fb_cross(w, velocity);  // Rodrigues, with what moves along the axis
        FbVec3 along = fb_scale(fb_dot(w, velocity) / (rate * rate), w);
        FbVec3 across = fb_sub(velocity, along);
        FbVec3 way = fb_add(fb_scale(sin(angle) / rate, across), fb_scale(time, along));
        way = fb_axpy((1.0 - cos(angle)) / (rate * rate), inward, way);
        for (int k = 0; k < x->n_slides; k++) {
            xi[x->slide[k]] = fb_dot(s->k.S[x->slide[k]].lin, way);
        }
    }
}
