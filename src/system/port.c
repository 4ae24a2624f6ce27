// From the ends of an element to the model's coordinates.
#include "system/port.h"

#include <string.h>

#include "fem/mat12.h"

static FbVec6 velocity_of(const FbSystem* s, int link) {
    return link >= 0 ? s->k.V[link] : fb_zero6();
}
static FbVec6 acceleration_of(const FbSystem* s, int link) {
    return link >= 0 ? s->k.A[link] : s->k.A_ground;
}

// a = A_lin + A_ang x p + w x v: from the spatial to the ordinary acceleration of a point.
static FbVec3 point_acceleration(FbVec6 V, FbVec6 A, FbVec3 p) {
    return fb_add(fb_velocity_at(A, p), fb_cross(V.ang, fb_velocity_at(V, p)));
}

void fb_port_realize(const FbSystem* s, const FbLinkFrame* frame, FbPort* port) {
    int l = frame->link;
    FbVec6 V = velocity_of(s, l), A = acceleration_of(s, l);
    port->R = l >= 0 ? fb_mat3_mul(&s->k.R[l], &frame->R) : frame->R;
    port->p = l >= 0 ? fb_add(s->k.p[l], fb_mul3(&s->k.R[l], frame->p)) : frame->p;
    port->v = fb_velocity_at(V, port->p);
    port->w = V.ang;
    port->a = point_acceleration(V, A, port->p);
    port->dw = A.ang;
}

void fb_port_push(FbSystem* s, const FbLinkFrame* frame, const FbPort* port, const double f[6]) {
    if (frame->link < 0) {
        return;
    }
    FbVec3 force = fb_vec3_from(f);
    FbVec6 wrench = fb_vec6(fb_add(fb_vec3_from(f + 3), fb_cross(port->p, force)), force);
    s->k.external[frame->link] = fb_sub6(s->k.external[frame->link], wrench);
}

// How one end varies with velocity k, eqs. (8.35)-(8.37): S carries it; its velocity and
// acceleration are turned along.
static void end_column(const FbSystem* s, const FbPort* port, FbVec6 V, FbVec6 A, int k,
                       double* pose, double* vq, double* aq, double* av) {
    const FbTree* tree = &s->m->tree;
    FbVec6 S = s->k.S[k];
    FbVec3 dp = fb_velocity_at(S, port->p);
    fb_vec3_to(dp, pose);
    fb_vec3_to(S.ang, pose + 3);
    if (!vq) {
        return;
    }
    int link = tree->link_of_v[k], parent = tree->links[link].parent;
    FbVec6 Vp = velocity_of(s, parent), Ap = acceleration_of(s, parent);
    FbVec6 psi = fb_cross_motion(Vp, S), relative = fb_sub6(V, Vp);
    FbVec6 dV = fb_cross_motion(S, relative);
    FbVec6 dA = fb_add6(fb_cross_motion(psi, relative), fb_cross_motion(S, fb_sub6(A, Ap)));
    FbVec3 dv = fb_add(fb_velocity_at(dV, port->p), fb_cross(V.ang, dp));
    fb_vec3_to(dv, vq);
    fb_vec3_to(dV.ang, vq + 3);
    FbVec3 da = fb_add(fb_add(fb_velocity_at(dA, port->p), fb_cross(A.ang, dp)),
                       fb_add(fb_cross(dV.ang, port->v), fb_cross(V.ang, dv)));
    fb_vec3_to(da, aq);
    fb_vec3_to(dA.ang, aq + 3);
    FbVec6 dAv = fb_add6(psi, fb_cross_motion(S, fb_sub6(V, s->k.V[link])));
    FbVec3 by_v =
        fb_add(fb_velocity_at(dAv, port->p), fb_add(fb_cross(S.ang, port->v), fb_cross(V.ang, dp)));
    fb_vec3_to(by_v, av);
    fb_vec3_to(dAv.ang, av + 3);
}

FbColumns fb_ports_calc_columns(FbSystem* s, const FbPortPath* path, const FbLinkFrame* end_a,
                                const FbLinkFrame* end_b, const FbPort* port, bool only_pose) {
    const FbLinkFrame* end[2] = {end_a, end_b};
    size_t n = (size_t)path->n * FB_DOF;
    double *pose = s->port_columns, *vq = pose + n, *aq = vq + n, *av = aq + n;
    memset(pose, 0, sizeof(double) * n * (only_pose ? 1 : 4));
    for (int side = 0; side < 2 && end[side]; side++) {
        FbVec6 V = velocity_of(s, end[side]->link), A = acceleration_of(s, end[side]->link);
        for (int i = 0; i < path->n; i++) {
            int at = i * FB_DOF + 6 * side;
            if (path->moves[i] & (1 << side)) {
                end_column(s, &port[side], V, A, path->v[i], pose + at, only_pose ? NULL : vq + at,
                           aq + at, av + at);
            }
        }
    }
    return (FbColumns){.n = path->n,
                       .v = path->v,
                       .pose = pose,
                       .velocity_q = only_pose ? NULL : vq,
                       .accel_q = only_pose ? NULL : aq,
                       .accel_v = only_pose ? NULL : av};
}

// S_j . F with F = (m + p x f, f): S_j turns with what carries it, and p moves (eq. 8.38).
void fb_ports_add_geometric(const FbSystem* s, const FbPortPath* path, const FbPort* port,
                            const double* f, double* K) {
    const int* link_of_v = s->m->tree.link_of_v;
    for (int side = 0; side < 2; side++) {
        FbVec3 force = fb_vec3_from(f + 6 * side);
        FbVec6 wrench =
            fb_vec6(fb_add(fb_vec3_from(f + 6 * side + 3), fb_cross(port[side].p, force)), force);
        for (int c = 0; c < path->n; c++) {
            if (!(path->moves[c] & (1 << side))) {
                continue;
            }
            int k = path->v[c];
            FbVec6 S = s->k.S[k];
            FbVec3 turn = fb_cross(fb_velocity_at(S, port[side].p), force);
            for (int r = 0; r < path->n; r++) {
                int j = path->v[r];
                if (!(path->moves[r] & (1 << side))) {
                    continue;
                }
                double x = fb_dot(s->k.S[j].ang, turn);
                if (link_of_v[k] <= link_of_v[j]) {
                    x += fb_dot6(fb_cross_motion(S, s->k.S[j]), wrench);
                }
                K[fb_at(&s->m->vv, j, k)] += x;
            }
        }
    }
}

void fb_columns_add(const FbSystem* s, const FbColumns* c, const double* M, const double* C,
                    const double* K, FbBlocks* b) {
    for (int k = 0; k < c->n; k++) {
        const double* u = c->pose + k * FB_DOF;
        double m[FB_DOF] = {0}, d[FB_DOF] = {0}, e[FB_DOF] = {0};
        fb_mat12_add_product(M, u, m);
        if (C) {
            fb_mat12_add_product(C, u, d);
            fb_mat12_add_product(K, u, e);
        }
        if (C && c->velocity_q) {
            fb_mat12_add_product(M, c->accel_v + k * FB_DOF, d);
            fb_mat12_add_product(C, c->velocity_q + k * FB_DOF, e);
            fb_mat12_add_product(M, c->accel_q + k * FB_DOF, e);
        }
        for (int j = 0; j < c->n; j++) {
            int at = fb_at(&s->m->vv, c->v[j], c->v[k]);
            const double* w = c->pose + j * FB_DOF;
            b->M[at] += fb_dot12(w, m);
            if (C) {
                b->C[at] += fb_dot12(w, d);
                b->K[at] += fb_dot12(w, e);
            }
        }
    }
}

void fb_columns_add_row(const FbSystem* s, const FbColumns* c, int row, const double* by_a,
                        const double* by_v, const double* by_q, FbBlocks* b) {
    for (int k = 0; k < c->n; k++) {
        int at = fb_at(&s->m->vv, row, c->v[k]);
        const double* u = c->pose + k * FB_DOF;
        b->M[at] += fb_dot12(by_a, u);
        if (!by_v) {
            continue;
        }
        b->C[at] += fb_dot12(by_v, u);
        b->K[at] += fb_dot12(by_q, u);
        if (c->velocity_q) {
            b->C[at] += fb_dot12(by_a, c->accel_v + k * FB_DOF);
            b->K[at] += fb_dot12(by_v, c->velocity_q + k * FB_DOF) +
                        fb_dot12(by_a, c->accel_q + k * FB_DOF);
        }
    }
}

void fb_columns_add_column(const FbSystem* s, const FbColumns* c, int col, const double* by_a,
                           const double* by_v, const double* by_q, FbBlocks* b) {
    for (int j = 0; j < c->n; j++) {
        int at = fb_at(&s->m->vv, c->v[j], col);
        const double* w = c->pose + j * FB_DOF;
        b->M[at] += fb_dot12(w, by_a);
        if (by_v) {
            b->C[at] += fb_dot12(w, by_v);
            b->K[at] += fb_dot12(w, by_q);
        }
    }
}

void fb_columns_project(const FbColumns* c, const double* f, double* values) {
    for (int k = 0; k < c->n; k++) {
        values[k] = fb_dot12(c->pose + k * FB_DOF, f);
    }
}

void fb_columns_add_force(const FbColumns* c, double factor, const double* f, double* y) {
    for (int k = 0; k < c->n; k++) {
        y[c->v[k]] += factor * fb_dot12(c->pose + k * FB_DOF, f);
    }
}

void fb_columns_add_motion(const FbColumns* c, const double* x, double* out) {
    for (int k = 0; k < c->n; k++) {
        for (int i = 0; i < FB_DOF; i++) {
            out[i] += c->pose[k * FB_DOF + i] * x[c->v[k]];
        }
    }
}

void fb_columns_add_displacement(const FbModel* m, const FbColumns* c, const double* q,
                                 double* out) {
    for (int k = 0; k < c->n; k++) {
        double dq = fb_displacement(m, q, c->v[k]);
        for (int i = 0; i < FB_DOF; i++) {
            out[i] += c->pose[k * FB_DOF + i] * dq;
        }
    }
}
