// The forces of a mass that slides along a curve fixed in a rigid body (eqs. 9.21, 9.22).
//
// Mass and rotary inertia have the same form. With y = R c and y1, y2 its derivatives along the
// curve (rotary: one derivative further, and no p),
//   A = p'' + w' x y + w x (w x y) + 2 s' w x y1 + s'^2 y2 + s'' y1,   F = c A,   moment = y x F,
//   along = F.y1.
// All derivatives are this formula's change by a change of its arguments.
#include <string.h>

#include "fem/curve.h"

typedef struct Part {
    double c;
    bool has_place;  // moves with p: the mass does, the tangent does not
    FbVec3 y[4], F;
} Part;

// Change of the arguments: either the body turns by `turn` or the mass slides on by a unit.
typedef struct Change {
    FbVec3 a, w, dw, turn;
    bool is_slide;
    double ds, dds;
} Change;

static FbVec3 calc_acceleration(const Part* part, const FbPort* port, const FbSliderMotion* at) {
    const FbVec3* y = part->y;
    FbVec3 a = fb_cross(port->dw, y[0]);
    FbVec3 wy = fb_axpy(2.0 * at->ds, y[1], fb_cross(port->w, y[0]));
    a = fb_add(a, fb_cross(port->w, wy));
    a = fb_axpy(at->ds * at->ds, y[2], fb_axpy(at->dds, y[1], a));
    return part->has_place ? fb_add(port->a, a) : a;
}

static FbVec3 calc_change(const Part* part, const FbPort* port, const FbSliderMotion* at,
                          const Change* d, const FbVec3 dy[3]) {
    const FbVec3 *y = part->y, w = port->w;
    const double ds = at->ds;
    FbVec3 x = fb_add(fb_cross(d->dw, y[0]), fb_cross(port->dw, dy[0]));
    FbVec3 inner = fb_add(fb_cross(d->w, y[0]), fb_cross(w, dy[0]));
    inner = fb_axpy(2.0 * d->ds, y[1], fb_axpy(2.0 * ds, dy[1], inner));
    FbVec3 wy = fb_axpy(2.0 * ds, y[1], fb_cross(w, y[0]));
    x = fb_add(x, fb_add(fb_cross(d->w, wy), fb_cross(w, inner)));
    x = fb_axpy(2.0 * ds * d->ds, y[2], fb_axpy(ds * ds, dy[2], x));
    x = fb_axpy(d->dds, y[1], fb_axpy(at->dds, dy[1], x));
    return part->has_place ? fb_add(d->a, x) : x;
}

// Change of force, moment and along [7], added.
static void add_change(const Part* part, const FbPort* port, const FbSliderMotion* at,
                       const Change* d, double out[7]) {
    FbVec3 dy[3];
    for (int k = 0; k < 3; k++) {
        dy[k] = d->is_slide ? part->y[k + 1] : fb_cross(d->turn, part->y[k]);
    }
    FbVec3 dF = fb_scale(part->c, calc_change(part, port, at, d, dy));
    FbVec3 moment = fb_add(fb_cross(dy[0], part->F), fb_cross(part->y[0], dF));
    const double values[7] = {part->has_place ? dF.x : 0.0,
                              part->has_place ? dF.y : 0.0,
                              part->has_place ? dF.z : 0.0,
                              moment.x,
                              moment.y,
                              moment.z,
                              fb_dot(dF, part->y[1]) + fb_dot(part->F, dy[1])};
    for (int i = 0; i < 7; i++) {
        out[i] += values[i];
    }
}

typedef struct Context {
    const Part* parts;
    int n_parts;
    const FbPort* port;
    const FbSliderMotion* at;
} Context;

static void calc_column(const Context* x, const Change* d, double out[7]) {
    memset(out, 0, 7 * sizeof *out);
    for (int i = 0; i < x->n_parts; i++) {
        add_change(&x->parts[i], x->port, x->at, d, out);
    }
}

// Column k of a 6 x 6 block with its entry of `along`; d = NULL: zero.
static void put_column(const Context* x, const Change* d, int k, double* block, double* along) {
    double column[7] = {0};
    if (d != NULL) {
        calc_column(x, d, column);
    }
    for (int i = 0; i < 6; i++) {
        block[i * FB_BEAM_DOF + k] = column[i];
    }
    along[k] = column[6];
}

static void calc_blocks(const Context* x, FbCurveForces* out) {
    for (int k = 0; k < 3; k++) {
        double unit[3] = {0};
        unit[k] = 1.0;
        FbVec3 u = fb_vec3_from(unit);
        put_column(x, NULL, k, out->port.K, out->along_pose);
        put_column(x, &(Change){.turn = u}, 3 + k, out->port.K, out->along_pose);
        put_column(x, NULL, k, out->port.C, out->along_velocity);
        put_column(x, &(Change){.w = u}, 3 + k, out->port.C, out->along_velocity);
        put_column(x, &(Change){.a = u}, k, out->port.M, out->along_acceleration);
        put_column(x, &(Change){.dw = u}, 3 + k, out->port.M, out->along_acceleration);
    }
    double by[3][7];
    calc_column(x, &(Change){.is_slide = true}, by[0]);
    calc_column(x, &(Change){.ds = 1.0}, by[1]);
    calc_column(x, &(Change){.dds = 1.0}, by[2]);
    memcpy(out->f_s, by[0], sizeof out->f_s);
    memcpy(out->f_ds, by[1], sizeof out->f_ds);
    memcpy(out->f_dds, by[2], sizeof out->f_dds);
    out->along_s = by[0][6];
    out->along_ds = by[1][6];
    out->along_dds = by[2][6];
}

// Velocity of the part's point (of the tangent: its rate).
static FbVec3 calc_velocity(const Part* part, const FbPort* port, const FbSliderMotion* at) {
    FbVec3 v = fb_axpy(at->ds, part->y[1], fb_cross(port->w, part->y[0]));
    return part->has_place ? fb_add(port->v, v) : v;
}

static void add_part(const Part* part, const FbPort* port, const FbSliderMotion* at,
                     FbCurveForces* out) {
    FbVec3 v = calc_velocity(part, port, at);
    FbVec3 moment = fb_add(fb_vec3_from(out->port.f + 3), fb_cross(part->y[0], part->F));
    if (part->has_place) {
        fb_vec3_to(part->F, out->port.f);
    }
    fb_vec3_to(moment, out->port.f + 3);
    out->along += fb_dot(part->F, part->y[1]);
    out->kinetic += 0.5 * part->c * fb_dot(v, v);
}

void fb_curve_slider_calc(const FbSliderMass* mass, const FbCurve* curve, const FbPort* port,
                          const FbSliderMotion* motion, bool has_blocks, FbCurveForces* out) {
    FbVec3 c[5];
    Part parts[2] = {{.c = mass->mass, .has_place = true}, {.c = mass->rotary}};
    const int n_parts = mass->rotary != 0.0 ? 2 : 1;
    fb_curve_calc_all(curve, motion->s, c);
    for (int k = 0; k < 5; k++) {
        FbVec3 x = fb_mul3(&port->R, c[k]);
        if (k < 4) {
            parts[0].y[k] = x;
        }
        if (k > 0) {
            parts[1].y[k - 1] = x;
        }
    }
    memset(out->port.f, 0, sizeof out->port.f);
    out->along = 0.0;
    out->kinetic = 0.0;
    for (int i = 0; i < n_parts; i++) {
        parts[i].F = fb_scale(parts[i].c, calc_acceleration(&parts[i], port, motion));
        add_part(&parts[i], port, motion, out);
    }
    out->contact = fb_scale(-1.0, parts[0].F);
    out->position = fb_add(port->p, parts[0].y[0]);
    out->velocity = calc_velocity(&parts[0], port, motion);
    if (has_blocks) {
        calc_blocks(&(Context){parts, n_parts, port, motion}, out);
    }
}
