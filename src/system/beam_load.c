// Line loads on beams: the work-equivalent forces, their blocks and their power.
#include "fem/mat12.h"
#include "system/block.h"
#include "system/port.h"

// Work-equivalent forces of a constant force per length q, dual to e: L int h q (eq. 8.33).
static void load_vector(double length, FbVec3 q, double f[FB_BEAM_DOF]) {
    double weight[4] = {0.5 * length, length / 12.0, 0.5 * length, -length / 12.0};
    for (int i = 0; i < 4; i++) {
        fb_vec3_to(fb_scale(weight[i], q), f + 3 * i);
    }
}

static FbVec3 load_now(FbSystem* s, const FbPoint* p, const FbBeamElement* e) {
    double q[3];
    for (int i = 0; i < 3; i++) {
        q[i] = e->load[i] >= 0 ? fb_function_calc(s, p, e->load[i], 0.0, 0.0) : 0.0;
    }
    return fb_vec3_from(q);
}

void fb_beam_calc_load(FbSystem* s, const FbPoint* p, const FbBeamElement* e,
                       double f[FB_BEAM_DOF]) {
    load_vector(e->beam.length, fb_scale(-1.0, load_now(s, p, e)), f);
}

// The load's force per unit of q along axis c, on the element's path.
static void load_row(FbSystem* s, const FbBeamElement* e, const FbPort port[2], FbVec3 q,
                     double* row) {
    double f[FB_BEAM_DOF], g[FB_BEAM_DOF];
    load_vector(e->beam.length, q, f);
    if (e->is_linear) {
        FbColumns c = fb_beam_field_columns(e);
        fb_columns_project(&c, f, row);
        return;
    }
    FbBeamField field;
    fb_field_calc(port, &field);
    fb_mat12_mul_transposed(field.J, f, g);
    FbColumns c = fb_ports_calc_columns(s, &e->base.path, &e->end[0], &e->end[1], true);
    fb_columns_project(&c, g, row);
}

void fb_beam_apply_load(FbSystem* s, const FbPoint* p, const FbBeamElement* e) {
    FbPort port[2];
    size_t mark = s->scratch_used;
    double* row = fb_scratch_take(s, (size_t)e->base.path.n);
    fb_beam_realize_ports(s, e, port);
    load_row(s, e, port, load_now(s, p, e), row);
    for (int k = 0; k < e->base.path.n; k++) {
        s->k.tau[e->base.path.v[k]] += row[k];
    }
    s->scratch_used = mark;
}

// A load fixed in ground axes on a beam that turns: d(J' f).
static void add_load_stiffness(FbSystem* s, const FbPoint* p, const FbBeamElement* e,
                               const FbPort port[2], FbBlocks* b) {
    double f[FB_BEAM_DOF], g[FB_BEAM_DOF], K[FB_BEAM_DOF * FB_BEAM_DOF] = {0},
                                                           zero[FB_BEAM_DOF * FB_BEAM_DOF] = {0};
    FbBeamField field;
    fb_beam_calc_load(s, p, e, f);
    fb_field_calc(port, &field);
    fb_field_add_second(port, f, K);
    fb_mat12_mul_transposed(field.J, f, g);
    FbColumns c = fb_ports_calc_columns(s, &e->base.path, &e->end[0], &e->end[1], false);
    fb_columns_add(s, &c, zero, zero, K, b);
    fb_ports_add_geometric(s, &e->base.path, &e->end[0], &e->end[1], g, b->K);
}

void fb_beam_add_load_blocks(FbSystem* s, const FbPoint* p, const FbBeamElement* e, FbBlocks* b) {
    FbPort port[2];
    fb_beam_realize_ports(s, e, port);
    if (!e->is_linear) {
        add_load_stiffness(s, p, e, port, b);
    }
    size_t mark = s->scratch_used;
    double* row = fb_scratch_take(s, (size_t)e->base.path.n);
    for (int i = 0; i < 3; i++) {
        if (e->load[i] < 0) {
            continue;
        }
        double d[2];
        fb_function_add_gradient(s, p, e->load[i], 0.0, 0.0, 1.0, d, &s->gradient);
        load_row(s, e, port, fb_vec3(i == 0, i == 1, i == 2), row);
        fb_block_add_outer(s, e->base.path.v, row, e->base.path.n, &s->gradient, b);
        fb_gradient_clear(s, &s->gradient);
    }
    s->scratch_used = mark;
}

double fb_beam_calc_load_power(FbSystem* s, const FbPoint* p, const FbBeamElement* e) {
    FbPort port[2];
    double power = 0.0;
    size_t mark = s->scratch_used;
    double* row = fb_scratch_take(s, (size_t)e->base.path.n);
    fb_beam_realize_ports(s, e, port);
    load_row(s, e, port, load_now(s, p, e), row);
    for (int k = 0; k < e->base.path.n; k++) {
        power += row[k] * p->v[e->base.path.v[k]];
    }
    s->scratch_used = mark;
    return power;
}
