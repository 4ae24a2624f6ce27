// From the ends of an element to the model's coordinates: poses and motions, forces on links, and
// blocks (theory manual, eqs. 8.35-8.38).
#ifndef FLYBALL_SYSTEM_PORT_H
#define FLYBALL_SYSTEM_PORT_H

#include "system/work.h"

// How twelve (or six) element quantities vary with each velocity of a path; arrays [n][12].
typedef struct FbColumns {
    int n;
    const int* v;
    const uint32_t* moves;     // which ends each velocity moves (FbPortPath); NULL: both
    const double* pose;        // d pose/dq = d velocity/dv = d acceleration/da
    const double* velocity_q;  // d velocity/dq at fixed v; NULL: zero
    const double* accel_q;     // d acceleration/dq
    const double* accel_v;     // d acceleration/dv
} FbColumns;

// Displacement of a velocity's coordinate from the drawing; balls never carry linear elements.
static inline double fb_displacement(const FbModel* m, const double* q, int v) {
    int i = m->q_of_v[v];
    return i >= 0 ? q[i] - m->q_drawn[i] : 0.0;
}
// Linear elements: how the displacements of the ends, and the field, vary with the coordinates.
static inline FbColumns fb_beam_end_columns(const FbBeamElement* e) {
    return (FbColumns){.n = e->base.path.n, .v = e->base.path.v, .pose = e->base.J0};
}
static inline FbColumns fb_beam_field_columns(const FbBeamElement* e) {
    const FbPortPath* path = fb_field_path(e);
    return (FbColumns){.n = path->n, .v = path->v, .pose = e->EJ0};
}

// The pose and motion of a frame; accelerations contain -g.
void fb_port_realize(const FbSystem* s, const FbLinkFrame* frame, FbPort* port);
// Those of both ends of an element, with positions from that of end A, which is returned.
FbVec3 fb_beam_realize_ports(const FbSystem* s, const FbBeamElement* e, FbPort port[2]);
// The field of a linear element, likewise from end A in the drawing.
static inline void fb_beam_calc_linear_field(const FbBeamElement* e,
                                             double E[FB_BEAM_DOF * FB_BEAM_DOF],
                                             double e0[FB_BEAM_DOF]) {
    FbVec3 zero = {0, 0, 0}, step = fb_sub(e->p_drawn[1], e->p_drawn[0]);
    fb_field_calc_linear(&e->beam, &e->base.R_drawn, zero, step, E, e0);
}
// The element resists with f: the links feel -f.
void fb_port_push(FbSystem* s, const FbLinkFrame* frame, const double f[6]);

// The motion of an end about its own point, spatial, as seen from its base; and how its place and
// turn (pose [6]), its velocity and its acceleration vary with velocity k. vq NULL: the place
// alone.
typedef struct FbEndMotion {
    FbVec3 at;
    FbVec6 V, A;
} FbEndMotion;
FbEndMotion fb_end_motion(const FbSystem* s, const FbLinkFrame* frame);
void fb_end_calc_column(const FbSystem* s, const FbEndMotion* end, int k, double* pose, double* vq,
                        double* aq, double* av);

// Columns of two ends (end_b NULL: one); only_pose leaves the motions out. Uses s->port_columns.
FbColumns fb_ports_calc_columns(FbSystem* s, const FbPortPath* path, const FbLinkFrame* end_a,
                                const FbLinkFrame* end_b, bool only_pose);
// The derivative of J' f at fixed f.
void fb_ports_add_geometric(const FbSystem* s, const FbPortPath* path, const FbLinkFrame* end_a,
                            const FbLinkFrame* end_b, const double* f, double* K);

// M, C, K [12 x 12] row-major into the blocks (C and K may be NULL: mass alone).
void fb_columns_add(const FbSystem* s, const FbColumns* c, const double* M, const double* C,
                    const double* K, FbBlocks* b);
// u' K u alone.
void fb_columns_add_stiffness(const FbSystem* s, const FbColumns* c, const double* K, FbBlocks* b);
// The row of velocity `row` whose residual depends on the element: by acceleration, velocity, pose.
void fb_columns_add_row(const FbSystem* s, const FbColumns* c, int row, const double* by_a,
                        const double* by_v, const double* by_q, FbBlocks* b);
// The column of velocity `col`: element forces that depend on its coordinate.
void fb_columns_add_column(const FbSystem* s, const FbColumns* c, int col, const double* by_a,
                           const double* by_v, const double* by_q, FbBlocks* b);
// values[k] = column k . f
void fb_columns_project(const FbColumns* c, const double* f, double* values);
// y[v] += factor times (column of v) . f
void fb_columns_add_force(const FbColumns* c, double factor, const double* f, double* y);
// out += columns times x; displacement: times q - q_drawn
void fb_columns_add_motion(const FbColumns* c, const double* x, double* out);
void fb_columns_add_displacement(const FbModel* m, const FbColumns* c, const double* q,
                                 double* out);

#endif
