// Kinematics, inverse dynamics and distances of a tree as formulas.
#include "tree/trace.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// What is known of a link: the turn of its joint, its origin in the parent's axes, and its motion
// in its own.
typedef struct FbLinkTrace {
    int sine, cosine;  // of a turn
    FbMat3 R_PJ;
    FbFormula3 moved;  // displacement by the joint, in the parent's axes ...
    FbFormula3 arm;    // ... and with the constant offset
    FbFormula3 w, alpha, a;
    FbFormula3 n, f;  // that the subtree needs
} FbLinkTrace;

// Components of what was computed from unit vectors: so much is the rounding of zero.
static const double ROUNDING = 4.0 * DBL_EPSILON;

static double snap(double x, double size) {
    return fabs(x) <= ROUNDING * size ? 0.0 : x;
}

// Components that are rounding next to the vector itself are zero.
static FbVec3 snap_vector(FbVec3 x) {
    double size = fb_norm(x);
    return fb_vec3(snap(x.x, size), snap(x.y, size), snap(x.z, size));
}

static FbMat3 snap_rotation(const FbMat3* R) {
    FbMat3 out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            double x = R->m[r][c], one = copysign(1.0, x);
            out.m[r][c] = fabs(x - one) <= ROUNDING ? one : snap(x, 1.0);
        }
    }
    return out;
}

static FbMat3 snap_inertia(const FbMat3* inertia) {
    FbMat3 out;
    double size = inertia->m[0][0] + inertia->m[1][1] + inertia->m[2][2];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out.m[r][c] = snap(inertia->m[r][c], size);
        }
    }
    return out;
}

bool fb_tree_can_trace(const FbTree* tree) {
    return tree->n_ball == 0 && tree->n_charts == 0 && tree->n_v > 0;
}

bool fb_tree_trace_init(FbTreeTrace* t, FbFormulas* f, const FbTree* tree) {
    *t = (FbTreeTrace){.f = f, .tree = tree};
    t->links = calloc((size_t)tree->n_link + 1, sizeof *t->links);
    return t->links != NULL;
}

void fb_tree_trace_free(FbTreeTrace* t) {
    free(t->links);
    t->links = NULL;
}

static FbFormula3 zero3(FbFormulas* f) {
    return fb_formula3(f, fb_vec3(0, 0, 0));
}

static void get(FbFormula3 x, int out[3]) {
    out[0] = x.x;
    out[1] = x.y;
    out[2] = x.z;
}

static FbFormula3 along(FbFormulas* f, int axis, int x) {
    int out[3];
    get(zero3(f), out);
    out[axis] = x;
    return (FbFormula3){out[0], out[1], out[2]};
}

static bool turns(const FbLink* link) {
    return link->kind == FB_LINK_TURN || link->kind == FB_LINK_SCREW;
}

// Turns the components across the axis by the angle of the joint, or back.
static FbFormula3 turn(FbFormulas* f, const FbLink* link, const FbLinkTrace* l, FbFormula3 x,
                       bool is_back) {
    if (!turns(link)) {
        return x;
    }
    int c[3], i = (link->axis + 1) % 3, j = (link->axis + 2) % 3;
    int sine = is_back ? fb_formula_neg(f, l->sine) : l->sine;
    get(x, c);
    int xi = fb_formula_sub(f, fb_formula_mul(f, l->cosine, c[i]), fb_formula_mul(f, sine, c[j]));
    int xj = fb_formula_add(f, fb_formula_mul(f, sine, c[i]), fb_formula_mul(f, l->cosine, c[j]));
    c[i] = xi;
    c[j] = xj;
    return (FbFormula3){c[0], c[1], c[2]};
}

static FbFormula3 to_parent(const FbTreeTrace* t, int i, FbFormula3 x) {
    const FbLinkTrace* l = &t->links[i];
    return fb_formula3_mul(t->f, &l->R_PJ, turn(t->f, &t->tree->links[i], l, x, false));
}

static FbFormula3 to_link(const FbTreeTrace* t, int i, FbFormula3 x) {
    const FbLinkTrace* l = &t->links[i];
    return turn(t->f, &t->tree->links[i], l, fb_formula3_mul_transposed(t->f, &l->R_PJ, x), true);
}

// The link's own x, of v or a: along its axis, or along three.
static FbFormula3 own_slide(const FbTreeTrace* t, const FbLink* link,
                            int (*input)(const FbTreeTrace*, int)) {
    FbFormulas* f = t->f;
    int sign = fb_formula_constant(f, link->sign);
    if (link->kind == FB_LINK_TRANSLATE3) {
        return fb_formula3_scale(
            f, sign,
            (FbFormula3){input(t, link->v0), input(t, link->v0 + 1), input(t, link->v0 + 2)});
    }
    double pitch = link->kind == FB_LINK_SLIDE   ? 1.0
                   : link->kind == FB_LINK_SCREW ? link->pitch
                                                 : 0.0;
    if (pitch == 0.0) {
        return zero3(f);
    }
    return along(f, link->axis,
                 fb_formula_mul(f, fb_formula_constant(f, link->sign * pitch), input(t, link->v0)));
}

static FbFormula3 own_turn(const FbTreeTrace* t, const FbLink* link,
                           int (*input)(const FbTreeTrace*, int)) {
    FbFormulas* f = t->f;
    return turns(link)
               ? along(f, link->axis,
                       fb_formula_mul(f, fb_formula_constant(f, link->sign), input(t, link->v0)))
               : zero3(f);
}

// Coordinates are numbered as velocities where there are no balls.
static void trace_position(FbTreeTrace* t, int i) {
    FbFormulas* f = t->f;
    const FbLink* link = &t->tree->links[i];
    FbLinkTrace* l = &t->links[i];
    l->R_PJ = snap_rotation(&link->R_PJ);
    if (turns(link)) {
        int q = fb_trace_q(t, link->v0);
        l->cosine = fb_formula_cos(f, q);
        l->sine = fb_formula_mul(f, fb_formula_constant(f, link->sign), fb_formula_sin(f, q));
    }
    l->moved = fb_formula3_mul(f, &l->R_PJ, own_slide(t, link, fb_trace_q));
    l->arm = fb_formula3_add(f, fb_formula3(f, snap_vector(link->p_PJ)), l->moved);
}

static void trace_positions(FbTreeTrace* t) {
    for (int i = 0; i < t->tree->n_link; i++) {
        trace_position(t, i);
    }
}

// The ground's acceleration -g in the axes of the first joint frame, which only turn it.
static FbFormula3 ground_acceleration(const FbTreeTrace* t, int i) {
    const FbLinkTrace* l = &t->links[i];
    FbVec3 g = fb_mul3_transposed(&l->R_PJ, fb_scale(-1.0, t->tree->gravity));
    return turn(t->f, &t->tree->links[i], l, fb_formula3(t->f, snap_vector(g)), true);
}

// eq. (2.6) in the axes of the link.
static void trace_motion(FbTreeTrace* t, int i) {
    FbFormulas* f = t->f;
    const FbLink* link = &t->tree->links[i];
    FbLinkTrace* l = &t->links[i];
    FbFormula3 w = zero3(f), alpha = w, a;
    if (link->parent >= 0) {
        const FbLinkTrace* up = &t->links[link->parent];
        FbFormula3 swing = fb_formula3_cross(f, up->w, fb_formula3_cross(f, up->w, l->arm));
        FbFormula3 carried = fb_formula3_add(f, fb_formula3_cross(f, up->alpha, l->arm), swing);
        w = to_link(t, i, up->w);
        alpha = to_link(t, i, up->alpha);
        a = to_link(t, i, fb_formula3_add(f, up->a, carried));
    } else {
        a = ground_acceleration(t, i);
    }
    FbFormula3 rate = own_turn(t, link, fb_trace_v), speed = own_slide(t, link, fb_trace_v);
    FbFormula3 twice = fb_formula3_scale(f, fb_formula_constant(f, 2.0), speed);
    l->w = fb_formula3_add(f, w, rate);
    l->alpha = fb_formula3_add(f, fb_formula3_add(f, alpha, fb_formula3_cross(f, w, rate)),
                               own_turn(t, link, fb_trace_a));
    l->a = fb_formula3_add(f, fb_formula3_add(f, a, fb_formula3_cross(f, w, twice)),
                           own_slide(t, link, fb_trace_a));
}

// eq. (2.7) in the axes of the link.
static void trace_inertia(FbTreeTrace* t, int i) {
    FbFormulas* f = t->f;
    const FbLink* link = &t->tree->links[i];
    FbLinkTrace* l = &t->links[i];
    l->n = l->f = zero3(f);
    if (!link->has_mass) {
        return;
    }
    FbMat3 inertia = snap_inertia(&link->inertia);
    FbFormula3 c = fb_formula3(f, snap_vector(link->center));
    FbFormula3 swing = fb_formula3_cross(f, l->w, fb_formula3_cross(f, l->w, c));
    FbFormula3 a =
        fb_formula3_add(f, l->a, fb_formula3_add(f, fb_formula3_cross(f, l->alpha, c), swing));
    FbFormula3 L = fb_formula3_mul(f, &inertia, l->w);
    l->f = fb_formula3_scale(f, fb_formula_constant(f, link->mass), a);
    l->n =
        fb_formula3_add(f, fb_formula3_mul(f, &inertia, l->alpha), fb_formula3_cross(f, l->w, L));
    l->n = fb_formula3_add(f, l->n, fb_formula3_cross(f, c, l->f));
}

// r of the link's own velocities, S . F.
static void trace_rows(FbTreeTrace* t, int i, int* r) {
    FbFormulas* f = t->f;
    const FbLink* link = &t->tree->links[i];
    const FbLinkTrace* l = &t->links[i];
    int force[3], moment[3], sign = fb_formula_constant(f, link->sign);
    get(l->f, force);
    get(l->n, moment);
    if (link->kind == FB_LINK_TRANSLATE3) {
        for (int k = 0; k < 3; k++) {
            r[link->v0 + k] = fb_formula_mul(f, sign, force[k]);
        }
    } else if (link->kind == FB_LINK_SLIDE) {
        r[link->v0] = fb_formula_mul(f, sign, force[link->axis]);
    } else if (turns(link)) {
        double pitch = link->kind == FB_LINK_SCREW ? link->pitch : 0.0;
        int along_axis = fb_formula_mul(f, fb_formula_constant(f, pitch), force[link->axis]);
        r[link->v0] = fb_formula_mul(f, sign, fb_formula_add(f, moment[link->axis], along_axis));
    }
}

void fb_tree_trace_residual(FbTreeTrace* t, int* r) {
    trace_positions(t);
    for (int i = 0; i < t->tree->n_link; i++) {
        trace_motion(t, i);
        trace_inertia(t, i);
    }
    for (int i = t->tree->n_link - 1; i >= 0; i--) {
        int parent = t->tree->links[i].parent;
        trace_rows(t, i, r);
        if (parent >= 0) {
            FbLinkTrace* up = &t->links[parent];
            FbFormula3 force = to_parent(t, i, t->links[i].f);
            FbFormula3 moment = fb_formula3_add(t->f, to_parent(t, i, t->links[i].n),
                                                fb_formula3_cross(t->f, t->links[i].arm, force));
            up->f = fb_formula3_add(t->f, up->f, force);
            up->n = fb_formula3_add(t->f, up->n, moment);
        }
    }
}

bool fb_tree_can_trace_term(const FbTerm* term) {
    return (term->kind == FB_TERM_COORDINATE && term->chart == 0) || term->kind == FB_TERM_DISTANCE;
}

static bool is_above(const FbTree* tree, int link, int of) {
    for (; of >= 0 && of != link; of = tree->links[of].parent) {
    }
    return of == link;  // the ground is above all
}

// The point p of a link in the axes of a link above it: what moves, and the constant offset of the
// last step, apart. Constants of both ends are subtracted first: only their difference, which does
// not change, rounds as far ones do.
static FbFormula3 trace_point(const FbTreeTrace* t, int link, FbVec3 p, int above, FbVec3* offset) {
    FbFormulas* f = t->f;
    FbFormula3 x = zero3(f);
    *offset = p;
    while (link != above) {
        const FbLink* l = &t->tree->links[link];
        x = fb_formula3_add(f, x, fb_formula3(f, snap_vector(*offset)));
        x = fb_formula3_add(f, to_parent(t, link, x), t->links[link].moved);
        *offset = l->p_PJ;
        link = l->parent;
    }
    return x;
}

// |p_B - p_A| in the axes of the last link that carries both.
static int trace_distance(const FbTreeTrace* t, const FbTerm* term) {
    FbFormulas* f = t->f;
    int above = term->link_a;
    while (!is_above(t->tree, above, term->link_b)) {
        above = t->tree->links[above].parent;
    }
    FbVec3 offset_a, offset_b;
    FbFormula3 a = trace_point(t, term->link_a, term->p_a, above, &offset_a);
    FbFormula3 b = trace_point(t, term->link_b, term->p_b, above, &offset_b);
    FbFormula3 apart = fb_formula3(f, snap_vector(fb_sub(offset_b, offset_a)));
    FbFormula3 d = fb_formula3_add(f, fb_formula3_sub(f, b, a), apart);
    return fb_formula_sqrt(f, fb_formula3_dot(f, d, d));
}

int fb_tree_trace_term(FbTreeTrace* t, const FbTerm* term) {
    return term->kind == FB_TERM_COORDINATE ? fb_trace_q(t, term->coordinate_v)
                                            : trace_distance(t, term);
}
