// From the ends of an element to the model's coordinates.
#include "system/port.h"

#include <string.h>

#include "fem/mat12.h"

void fb_port_realize(const FbSystem* s, const FbLinkFrame* frame, FbPort* port) {
    int l = frame->link;
    FbVec3 at = fb_link_point(&s->k, l, frame->p);
    FbVec6 A = fb_acceleration_about(&s->k, l, at);
    port->R = l >= 0 ? fb_mat3_mul(&s->k.R[l], &frame->R) : frame->R;
    port->p = fb_add(fb_base_position(&s->k, l), at);
    port->v = fb_point_velocity(&s->k, l, at);
    port->w = l >= 0 ? s->k.V[l].ang : fb_vec3(0, 0, 0);
    port->a = A.lin;
    port->dw = A.ang;
}

FbVec3 fb_beam_realize_ports(const FbSystem* s, const FbBeamElement* e, FbPort port[2]) {
    const FbLinkFrame *a = &e->end[0], *b = &e->end[1];
    fb_port_realize(s, a, &port[0]);
    fb_port_realize(s, b, &port[1]);
    FbVec3 origin = port[0].p, at_b = fb_link_point(&s->k, b->link, b->p);
    port[0].p = fb_vec3(0, 0, 0);
    port[1].p = fb_from_point(&s->k, a->link, a->p, b->link, at_b);
    return origin;
}

void fb_port_push(FbSystem* s, const FbLinkFrame* frame, const double f[6]) {
    FbVec6 wrench = fb_vec6(fb_vec3_from(f + 3), fb_vec3_from(f));
    fb_push(&s->k, frame->link, fb_link_point(&s->k, frame->link, frame->p),
            fb_scale6(-1.0, wrench));
}

FbEndMotion fb_end_motion(const FbSystem* s, const FbLinkFrame* frame) {
    FbVec3 at = fb_link_point(&s->k, frame->link, frame->p);
    return (FbEndMotion){at, fb_velocity_about(&s->k, frame->link, at),
                         fb_spatial_acceleration_about(&s->k, frame->link, at)};
}

// Eqs. (8.35)-(8.37): S carries the end; its velocity and acceleration are rotated along with it.
void fb_end_calc_column(const FbSystem* s, const FbEndMotion* end, int k, double* pose, double* vq,
                        double* aq, double* av) {
    const FbTree* tree = &s->m->tree;
    FbVec6 S = fb_column_at(&s->k, k, end->at), V = end->V, A = end->A;
    FbVec3 dp = S.lin;
    fb_vec3_to(dp, pose);
    fb_vec3_to(S.ang, pose + 3);
    if (!vq) {
        return;
    }
    int link = tree->link_of_v[k], parent = tree->links[link].parent;
    FbVec6 Vp = fb_velocity_about(&s->k, parent, end->at);
    FbVec6 Ap = fb_spatial_acceleration_about(&s->k, parent, end->at);
    FbVec6 psi = fb_cross_motion(Vp, S), relative = fb_sub6(V, Vp);
    FbVec6 dV = fb_cross_motion(S, relative);
    FbVec6 dA = fb_add6(fb_cross_motion(psi, relative), fb_cross_motion(S, fb_sub6(A, Ap)));
    FbVec3 dv = fb_add(dV.lin, fb_cross(V.ang, dp));
    fb_vec3_to(dv, vq);
    fb_vec3_to(dV.ang, vq + 3);
    FbVec3 da = fb_add(fb_add(dA.lin, fb_cross(A.ang, dp)),
                       fb_add(fb_cross(dV.ang, V.lin), fb_cross(V.ang, dv)));
    fb_vec3_to(da, aq);
    fb_vec3_to(dA.ang, aq + 3);
    FbVec6 own = fb_velocity_about(&s->k, link, end->at);
    FbVec6 dAv = fb_add6(psi, fb_cross_motion(S, fb_sub6(V, own)));
    FbVec3 by_v = fb_add(dAv.lin, fb_add(fb_cross(S.ang, V.lin), fb_cross(V.ang, dp)));
    fb_vec3_to(by_v, av);
    fb_vec3_to(dAv.ang, av + 3);
}

FbColumns fb_ports_calc_columns(FbSystem* s, const FbPortPath* path, const FbLinkFrame* end_a,
                                const FbLinkFrame* end_b, bool only_pose) {
    const FbLinkFrame* end[2] = {end_a, end_b};
    size_t n = (size_t)path->n * FB_BEAM_DOF;
    double *pose = s->port_columns, *vq = pose + n, *aq = vq + n, *av = aq + n;
    memset(pose, 0, sizeof(double) * n * (only_pose ? 1 : 4));
    for (int side = 0; side < 2 && end[side]; side++) {
        FbEndMotion motion = fb_end_motion(s, end[side]);
        for (int i = 0; i < path->n; i++) {
            int at = i * FB_BEAM_DOF + 6 * side;
            if (path->moves[i] & (1 << side)) {
                fb_end_calc_column(s, &motion, path->v[i], pose + at, only_pose ? NULL : vq + at,
                                   aq + at, av + at);
            }
        }
    }
    return (FbColumns){.n = path->n,
                       .v = path->v,
                       .moves = path->moves,
                       .pose = pose,
                       .velocity_q = only_pose ? NULL : vq,
                       .accel_q = only_pose ? NULL : aq,
                       .accel_v = only_pose ? NULL : av};
}

// S_j . F with F = (m, f) about the end: S_j rotates with its link, and the end moves
// (eq. 8.38).
void fb_ports_add_geometric(const FbSystem* s, const FbPortPath* path, const FbLinkFrame* end_a,
                            const FbLinkFrame* end_b, const double* f, double* K) {
    const int* link_of_v = s->m->tree.link_of_v;
    const FbLinkFrame* end[2] = {end_a, end_b};
    for (int side = 0; side < 2 && end[side]; side++) {
        FbVec3 force = fb_vec3_from(f + 6 * side);
        FbVec6 wrench = fb_vec6(fb_vec3_from(f + 6 * side + 3), force);
        FbVec3 at = fb_link_point(&s->k, end[side]->link, end[side]->p);
        for (int c = 0; c < path->n; c++) {
            if (!(path->moves[c] & (1 << side))) {
                continue;
            }
            int k = path->v[c];
            FbVec6 S = fb_column_at(&s->k, k, at);
            FbVec3 turn = fb_cross(S.lin, force);
            int place = s->m->vv.start[k];
            for (int r = 0; r < path->n; r++) {
                int j = path->v[r];
                if (!(path->moves[r] & (1 << side))) {
                    continue;
                }
                FbVec6 S_j = fb_column_at(&s->k, j, at);
                double x = fb_dot(S_j.ang, turn);
                if (link_of_v[k] <= link_of_v[j]) {
                    x += fb_dot6(fb_cross_motion(S, S_j), wrench);
                }
                place = fb_pattern_seek(&s->m->vv, j, k, place);
                K[place] += x;
            }
        }
    }
}

// Which twelve or six entries of column k may differ from zero.
typedef struct Span {
    int first, n;
} Span;

static Span span_of(const FbColumns* c, int k) {
    const uint32_t both = 3, moves = c->moves ? c->moves[k] & both : both;
    return moves == both ? (Span){0, FB_BEAM_DOF} : (Span){moves == 1 ? 0 : 6, 6};
}

// y += A x
static void add_product(const double* A, const double* x, Span at, double* y) {
    if (at.n == FB_BEAM_DOF) {
        fb_mat12_add_product(A, x, y);
        return;
    }
    A += at.first;
    x += at.first;
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        const double* a = A + i * FB_BEAM_DOF;
        y[i] += a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + a[3] * x[3] + a[4] * x[4] + a[5] * x[5];
    }
}

static double dot(const double* x, const double* y, Span at) {
    if (at.n == FB_BEAM_DOF) {
        return fb_dot12(x, y);
    }
    x += at.first;
    y += at.first;
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5];
}

void fb_columns_add(const FbSystem* s, const FbColumns* c, const double* M, const double* C,
                    const double* K, FbBlocks* b) {
    for (int k = 0; k < c->n; k++) {
        const Span own = span_of(c, k);
        const double* u = c->pose + k * FB_BEAM_DOF;
        double m[FB_BEAM_DOF] = {0}, d[FB_BEAM_DOF] = {0}, e[FB_BEAM_DOF] = {0};
        add_product(M, u, own, m);
        if (C) {
            add_product(C, u, own, d);
            add_product(K, u, own, e);
        }
        if (C && c->velocity_q) {
            add_product(M, c->accel_v + k * FB_BEAM_DOF, own, d);
            add_product(C, c->velocity_q + k * FB_BEAM_DOF, own, e);
            add_product(M, c->accel_q + k * FB_BEAM_DOF, own, e);
        }
        int at = s->m->vv.start[c->v[k]];
        for (int j = 0; j < c->n; j++) {
            const Span row = span_of(c, j);
            const double* w = c->pose + j * FB_BEAM_DOF;
            at = fb_pattern_seek(&s->m->vv, c->v[j], c->v[k], at);
            b->M[at] += dot(w, m, row);
            if (C) {
                b->C[at] += dot(w, d, row);
                b->K[at] += dot(w, e, row);
            }
        }
    }
}

void fb_columns_add_stiffness(const FbSystem* s, const FbColumns* c, const double* K, FbBlocks* b) {
    for (int k = 0; k < c->n; k++) {
        double e[FB_BEAM_DOF] = {0};
        add_product(K, c->pose + k * FB_BEAM_DOF, span_of(c, k), e);
        int at = s->m->vv.start[c->v[k]];
        for (int j = 0; j < c->n; j++) {
            at = fb_pattern_seek(&s->m->vv, c->v[j], c->v[k], at);
            b->K[at] += dot(c->pose + j * FB_BEAM_DOF, e, span_of(c, j));
        }
    }
}

void fb_columns_add_row(const FbSystem* s, const FbColumns* c, int row, const double* by_a,
                        const double* by_v, const double* by_q, FbBlocks* b) {
    for (int k = 0; k < c->n; k++) {
        int at = fb_at(&s->m->vv, row, c->v[k]);
        const double* u = c->pose + k * FB_BEAM_DOF;
        b->M[at] += fb_dot12(by_a, u);
        if (!by_v) {
            continue;
        }
        b->C[at] += fb_dot12(by_v, u);
        b->K[at] += fb_dot12(by_q, u);
        if (c->velocity_q) {
            b->C[at] += fb_dot12(by_a, c->accel_v + k * FB_BEAM_DOF);
            b->K[at] += fb_dot12(by_v, c->velocity_q + k * FB_BEAM_DOF) +
                        fb_dot12(by_a, c->accel_q + k * FB_BEAM_DOF);
        }
    }
}

void fb_columns_add_column(const FbSystem* s, const FbColumns* c, int col, const double* by_a,
                           const double* by_v, const double* by_q, FbBlocks* b) {
    for (int j = 0; j < c->n; j++) {
        int at = fb_at(&s->m->vv, c->v[j], col);
        const double* w = c->pose + j * FB_BEAM_DOF;
        b->M[at] += fb_dot12(w, by_a);
        if (by_v) {
            b->C[at] += fb_dot12(w, by_v);
            b->K[at] += fb_dot12(w, by_q);
        }
    }
}

void fb_columns_project(const FbColumns* c, const double* f, double* values) {
    for (int k = 0; k < c->n; k++) {
        values[k] = fb_dot12(c->pose + k * FB_BEAM_DOF, f);
    }
}

void fb_columns_add_force(const FbColumns* c, double factor, const double* f, double* y) {
    for (int k = 0; k < c->n; k++) {
        y[c->v[k]] += factor * fb_dot12(c->pose + k * FB_BEAM_DOF, f);
    }
}

void fb_columns_add_motion(const FbColumns* c, const double* x, double* out) {
    for (int k = 0; k < c->n; k++) {
        for (int i = 0; i < FB_BEAM_DOF; i++) {
            out[i] += c->pose[k * FB_BEAM_DOF + i] * x[c->v[k]];
        }
    }
}

void fb_columns_add_displacement(const FbModel* m, const FbColumns* c, const double* q,
                                 double* out) {
    for (int k = 0; k < c->n; k++) {
        double dq = fb_displacement(m, q, c->v[k]);
        for (int i = 0; i < FB_BEAM_DOF; i++) {
            out[i] += c->pose[k * FB_BEAM_DOF + i] * dq;
        }
    }
}
