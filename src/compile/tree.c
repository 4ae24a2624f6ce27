// The spanning tree: which joints carry coordinates, which close loops; links, masses and the drawn
// coordinates.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "describe/shape.h"
#include "math/rotation.h"

// A search outwards from ground, nearest bodies first, so that the tree is shallow. Among the
// joints of one body those whose coordinates are set come first, then those with fewer freedoms (a
// loop is best closed where it costs few rows).
typedef struct Search {
    FbBuilder* b;
    int* queue;  // bodies in tree order
    int n_queue;
    bool* is_reached;
    int* joint_order;
    int* first;  // [n_bodies + 2] incident joints of each body (index body + 1), as offsets into
                 // incident
    int* incident;
} Search;

static bool is_set(const FbJointDef* def) {
    for (int i = 0; i < FB_MAX_JOINT_V; i++) {
        if (def->has_position[i] || def->has_velocity[i]) {
            return true;
        }
    }
    return false;
}

static int priority(const FbBuilder* b, int j) {
    return 10 * !is_set(&b->def->joints[j]) + b->m->joints[j].type->n_v;
}

static bool search_init(Search* s, FbBuilder* b) {
    FbModel* m = b->m;
    size_t nb = (size_t)m->n_bodies + 2, nj = (size_t)m->n_joints + 1;
    *s = (Search){.b = b};
    s->queue = malloc(sizeof(int) * nb);
    s->is_reached = calloc(nb, sizeof(bool));
    s->first = calloc(nb + 1, sizeof(int));
    s->incident = malloc(sizeof(int) * 2 * nj);
    s->joint_order = malloc(sizeof(int) * nj);
    if (!s->queue || !s->is_reached || !s->first || !s->incident || !s->joint_order) {
        return false;
    }
    // Joints by priority, stable, so that each body's incident list comes out sorted.
    int n = 0;
    for (int p = 0; p <= 16; p++) {
        for (int j = 0; j < m->n_joints; j++) {
            if (priority(b, j) == p) {
                s->joint_order[n++] = j;
            }
        }
    }
    for (int j = 0; j < m->n_joints; j++) {
        s->first[b->frame_a[j].link + 2]++;
        s->first[b->frame_b[j].link + 2]++;
    }
    for (int i = 1; i < m->n_bodies + 2; i++) {
        s->first[i] += s->first[i - 1];
    }
    int* fill = calloc(nb, sizeof(int));
    if (!fill) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        int j = s->joint_order[i];
        int a = b->frame_a[j].link + 1, c = b->frame_b[j].link + 1;
        s->incident[s->first[a] + fill[a]++] = j;
        s->incident[s->first[c] + fill[c]++] = j;
    }
    free(fill);
    return true;
}

static void search_free(Search* s) {
    free(s->queue);
    free(s->is_reached);
    free(s->first);
    free(s->incident);
    free(s->joint_order);
}

static FbLink* new_link(FbModel* m, FbLinkKind kind, int parent, const FbMat3* R, FbVec3 p,
                        int joint) {
    FbTree* tree = &m->tree;
    FbLink* link = &tree->links[tree->n_link++];
    *link = (FbLink){.kind = kind,
                     .parent = parent,
                     .q0 = tree->n_q,
                     .v0 = tree->n_v,
                     .sign = 1.0,
                     .R_PJ = *R,
                     .p_PJ = p,
                     .joint = joint,
                     .body = -1,
                     .inertia = {{{0}}}};
    link->n_v = kind == FB_LINK_FIXED                                ? 0
                : kind == FB_LINK_TRANSLATE3 || kind == FB_LINK_BALL ? 3
                                                                     : 1;
    link->n_q = kind == FB_LINK_BALL ? 4 : link->n_v;
    for (int j = 0; j < link->n_v; j++) {
        tree->link_of_v[tree->n_v + j] = tree->n_link - 1;
    }
    tree->n_q += link->n_q;
    tree->n_v += link->n_v;
    fb_tree_find_base(tree, tree->n_link - 1);
    return link;
}

static FbLinkKind link_kind(FbMotionKind kind) {
    switch (kind) {
        case FB_ROTATE:
            return FB_LINK_TURN;
        case FB_SLIDE:
            return FB_LINK_SLIDE;
        case FB_SCREW:
            return FB_LINK_SCREW;
        case FB_TRANSLATE3:
            return FB_LINK_TRANSLATE3;
        case FB_BALL:
            return FB_LINK_BALL;
    }
    return FB_LINK_FIXED;
}

// Puts a body on a link: its frame, mass and inertia in link coordinates. `R`, `p`: link frame in
// the body.
static bool carry_body(FbBuilder* b, int body, int link_index, const FbMat3* R, FbVec3 p) {
    FbModel* m = b->m;
    FbBody* carried = &m->bodies[body];
    FbLink* link = &m->tree.links[link_index];
    FbMat3 identity = fb_mat3_identity();
    carried->link = link_index;
    carried->R_LB = fb_mat3_mul_tn(R, &identity);
    carried->p_LB = fb_scale(-1.0, fb_mul3_transposed(R, p));
    link->body = body;
    double mass, center[3], I[6];
    FbError err;
    if (fb_body_calc_mass(&b->def->bodies[body], &mass, center, I, &err) < 0) {
        fb_diagnose_error(b->diagnostics, &err);
        return false;
    }
    FbMat3 inertia = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
    FbMat3 RI = fb_mat3_mul(&carried->R_LB, &inertia);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            link->inertia.m[r][c] = RI.m[r][0] * carried->R_LB.m[c][0] +
                                    RI.m[r][1] * carried->R_LB.m[c][1] +
                                    RI.m[r][2] * carried->R_LB.m[c][2];
        }
    }
    link->mass = mass;
    link->center = fb_add(carried->p_LB, fb_mul3(&carried->R_LB, fb_vec3_from(center)));
    link->has_mass = mass > 0.0 || I[0] + I[1] + I[2] > 0.0;
    return true;
}

// The frame of a body-fixed frame in the link of that body.
static FbLinkFrame on_link(const FbModel* m, const FbLinkFrame* f) {
    FbLinkFrame out = *f;
    if (f->link >= 0) {
        const FbBody* body = &m->bodies[f->link];
        out.p = fb_add(body->p_LB, fb_mul3(&body->R_LB, f->p));
        out.R = fb_mat3_mul(&body->R_LB, &f->R);
        out.link = body->link;
    }
    return out;
}

// The links of a joint towards a new body.
static bool grow_joint(FbBuilder* b, int j, int child, bool is_reversed) {
    FbModel* m = b->m;
    FbJoint* joint = &m->joints[j];
    const FbJointType* type = joint->type;
    FbLinkFrame parent = on_link(m, is_reversed ? &b->frame_b[j] : &b->frame_a[j]);
    const FbLinkFrame* end = is_reversed ? &b->frame_a[j] : &b->frame_b[j];
    FbMat3 R = parent.R;
    FbVec3 p = parent.p;
    int at = parent.link;
    joint->is_reversed = is_reversed;
    joint->first_link = m->tree.n_link;
    if (type->n_motions == 0) {
        new_link(m, FB_LINK_FIXED, at, &R, p, j);
    }
    for (int i = 0; i < type->n_motions; i++) {
        int motion_index = is_reversed ? type->n_motions - 1 - i : i;
        const FbMotion* motion = &type->motions[motion_index];
        FbLink* link = new_link(m, link_kind(motion->kind), at, &R, p, j);
        link->axis = motion->axis;
        link->sign = is_reversed ? -1.0 : 1.0;
        link->pitch = b->def->joints[j].pitch / (2.0 * 3.14159265358979323846);
        int coordinate = 0;
        for (int l = 0; l < motion_index; l++) {
            coordinate +=
                type->motions[l].kind == FB_TRANSLATE3 || type->motions[l].kind == FB_BALL ? 3 : 1;
        }
        for (int l = 0; l < link->n_v; l++) {
            joint->velocity[coordinate + l] = link->v0 + l;
            joint->coordinate[coordinate + l] = link->kind == FB_LINK_BALL ? -1 : link->q0 + l;
        }
        R = fb_mat3_identity();
        p = fb_vec3(0, 0, 0);
        at = m->tree.n_link - 1;
    }
    joint->n_links = m->tree.n_link - joint->first_link;
    return carry_body(b, child, m->tree.n_link - 1, &end->R, end->p);
}

// A body that no joint holds moves freely from where it is drawn.
static bool grow_free(FbBuilder* b, int body) {
    FbModel* m = b->m;
    FbMat3 identity = fb_mat3_identity();
    FbVec3 zero = {0, 0, 0};
    new_link(m, FB_LINK_TRANSLATE3, -1, &identity, zero, -1);
    new_link(m, FB_LINK_BALL, m->tree.n_link - 1, &identity, zero, -1);
    return carry_body(b, body, m->tree.n_link - 1, &identity, zero);
}

static bool search_from(Search* s, int body) {
    FbBuilder* b = s->b;
    for (int i = s->first[body + 1]; !b->is_absolute && i < s->first[body + 2]; i++) {
        int j = s->incident[i];
        FbJoint* joint = &b->m->joints[j];
        bool is_reversed = b->frame_b[j].link == body;
        int child = is_reversed ? b->frame_a[j].link : b->frame_b[j].link;
        if (child < 0 || s->is_reached[child]) {
            continue;
        }
        joint->is_loop = false;
        s->is_reached[child] = true;
        s->queue[s->n_queue++] = child;
        if (!grow_joint(b, j, child, is_reversed)) {
            return false;
        }
    }
    return true;
}

static bool search_all(Search* s) {
    FbModel* m = s->b->m;
    int done = 0;
    bool is_ok = search_from(s, FB_GROUND);
    for (int i = 0; i <= m->n_bodies; i++) {
        // Carriages first: the parts attached to them move with them. They are the last bodies.
        int next = i < m->n_carriages ? m->n_bodies - 1 - i : i - m->n_carriages;
        while (done < s->n_queue) {
            is_ok = search_from(s, s->queue[done++]) && is_ok;
        }
        if (i < m->n_bodies && !s->is_reached[next]) {
            s->is_reached[next] = true;
            s->queue[s->n_queue++] = next;
            is_ok = grow_free(s->b, next) && is_ok;
        }
    }
    return is_ok;
}

static void draw_joint(FbBuilder* b, int j) {
    FbModel* m = b->m;
    const FbJoint* joint = &m->joints[j];
    const FbLinkFrame *fa = &b->frame_a[j], *fb = &b->frame_b[j];
    FbMat3 Ra = fa->R, Rb = fb->R;
    FbVec3 pa = fa->p, pb = fb->p;
    if (fa->link >= 0) {
        const FbBody* body = &m->bodies[fa->link];
        Ra = fb_mat3_mul(&body->R_GB, &fa->R);
        pa = fb_add(body->p_GB, fb_mul3(&body->R_GB, fa->p));
    }
    if (fb->link >= 0) {
        const FbBody* body = &m->bodies[fb->link];
        Rb = fb_mat3_mul(&body->R_GB, &fb->R);
        pb = fb_add(body->p_GB, fb_mul3(&body->R_GB, fb->p));
    }
    FbMat3 R = fb_mat3_mul_tn(&Ra, &Rb);
    FbVec3 p = fb_mul3_transposed(&Ra, fb_sub(pb, pa));
    for (int i = 0; i < joint->type->n_v; i++) {
        if (joint->coordinate[i] >= 0) {
            double x = fb_coordinate_of_pose(&joint->type->coordinates[i], &R, p);
            // The drawing shows angles only up to full turns; the offset says which.
            if (joint->type->coordinates[i].kind != FB_COORD_SLIDE &&
                !b->def->joints[j].has_frames) {
                x = b->def->joints[j].offset[i];
            }
            m->q_drawn[joint->coordinate[i]] = x;
        }
    }
    for (int l = joint->first_link; l < joint->first_link + joint->n_links; l++) {
        const FbLink* link = &m->tree.links[l];
        if (link->kind == FB_LINK_BALL) {
            FbMat3 inverse = fb_mat3_mul_tn(&R, &(FbMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
            fb_quaternion_from_rotation(joint->is_reversed ? &inverse : &R, m->q_drawn + link->q0);
        }
    }
}

static void draw_free(FbModel* m, int l) {
    const FbLink* ball = &m->tree.links[l];
    const FbBody* body = &m->bodies[ball->body];
    fb_vec3_to(body->p_GB, m->q_drawn + m->tree.links[l - 1].q0);
    fb_quaternion_from_rotation(&body->R_GB, m->q_drawn + ball->q0);
}

static FbStatus collect_balls(FbModel* m) {
    FbTree* tree = &m->tree;
    tree->ball_v = FB_TAKE(m->arena, int, tree->n_link + 1);
    tree->ball_link = FB_TAKE(m->arena, int, tree->n_link + 1);
    m->q_drawn = FB_TAKE(m->arena, double, tree->n_q + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int l = 0; l < tree->n_link; l++) {
        if (tree->links[l].kind == FB_LINK_BALL) {
            tree->ball_link[tree->n_ball] = l;
            tree->ball_v[tree->n_ball++] = tree->links[l].v0;
        }
    }
    return FB_OK;
}

// A body is held by one joint, or moves freely by two motions.
static size_t most_links(const FbModel* m) {
    int most = 2;
    for (int j = 0; j < m->n_joints; j++) {
        most = m->joints[j].type->n_motions > most ? m->joints[j].type->n_motions : most;
    }
    return (size_t)most * (size_t)m->n_bodies + 1;
}

static void mark_carriers(FbTree* tree) {
    for (int l = tree->n_link - 1; l >= 0; l--) {
        FbLink* link = &tree->links[l];
        link->carries_mass = link->carries_mass || link->has_mass;
        if (link->parent >= 0 && link->carries_mass) {
            tree->links[link->parent].carries_mass = true;
        }
    }
}

FbStatus fb_compile_tree(FbBuilder* b) {
    FbModel* m = b->m;
    size_t most = most_links(m);
    m->tree.links = FB_TAKE(m->arena, FbLink, most);
    m->tree.link_of_v = FB_TAKE(m->arena, int, 6 * (size_t)m->n_bodies + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int j = 0; j < m->n_joints; j++) {
        m->joints[j].is_loop = true;
        for (int i = 0; i < FB_MAX_JOINT_V; i++) {
            m->joints[j].velocity[i] = m->joints[j].coordinate[i] = -1;
        }
    }
    Search s;
    bool is_ok = search_init(&s, b);
    if (is_ok) {
        search_all(&s);
    }
    search_free(&s);
    if (!is_ok) {
        return FB_ERR_MEMORY;
    }
    FB_TRY(collect_balls(m));
    for (int j = 0; j < m->n_joints; j++) {
        FbJoint* joint = &m->joints[j];
        joint->a = on_link(m, &b->frame_a[j]);
        joint->b = on_link(m, &b->frame_b[j]);
        m->n_loops += joint->is_loop && joint->type->n_rows > 0;
        if (!joint->is_loop) {
            draw_joint(b, j);
        }
    }
    for (int l = 0; l < m->tree.n_link; l++) {
        if (m->tree.links[l].joint < 0 && m->tree.links[l].kind == FB_LINK_BALL) {
            draw_free(m, l);
        }
    }
    mark_carriers(&m->tree);
    return FB_OK;
}
