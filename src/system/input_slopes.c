// How accelerations, rates of states and outputs change with the inputs, everything else being as
// it is (eq. 7.30).
#include <float.h>
#include <math.h>
#include <string.h>

#include "system/part.h"
#include "system/system.h"

// sum += matrix times the direction, by the columns of the inputs behind those of the states.
static void add_columns(const FbSystem* s, const double* matrix, int n_row, const double* direction,
                        double factor, double* sum) {
    for (int k = 0; k < s->m->n_inputs; k++) {
        const double* column = matrix + (size_t)(s->m->n_states + k) * (size_t)n_row;
        for (int j = 0; direction[k] != 0.0 && j < n_row; j++) {
            sum[j] += factor * direction[k] * column[j];
        }
    }
}

// Trees have no matrix, but articulated bodies: the difference that a force along the coordinates
// makes, which is linear in it; it is taken large, so that rounding of the accelerations themselves
// is small against it.
static const double LARGE = 0x1p40;
static FbStatus solve_tree(FbSystem* s, const FbPoint* p, const double* force, double* a,
                           FbError* err) {
    FbPoint at = {p->t, p->q, p->v, s->work_v[0], p->x, s->ahead.lambda, p->w};
    FB_TRY(fb_system_accelerations(&s->dynamics, &at, err));
    fb_tree_clear_forces(&s->m->tree, &s->k);
    fb_parts_apply(s, p, s->zero_v);
    for (int j = 0; j < s->m->tree.n_v; j++) {
        s->k.tau[j] += LARGE * force[j];
    }
    if (fb_tree_calc_accelerations(&s->m->tree, &s->k, a) >= 0) {
        return fb_fail(err, FB_ERR_SINGULAR, NULL, "the accelerations are not determined");
    }
    for (int j = 0; j < s->m->tree.n_v; j++) {
        a[j] = (a[j] - at.a[j]) / LARGE;
    }
    return FB_OK;
}

// [M G'; G 0] (a', lambda') = (-r_u, 0)
static FbStatus solve(FbSystem* s, const FbPoint* p, const double* force, double* a, double* lambda,
                      FbError* err) {
    int n_v = s->dynamics.size.n_v, n_c = s->dynamics.size.n_c;
    double* x = s->kkt.rhs;
    if (n_c == 0 && !s->m->has_structures) {
        return solve_tree(s, p, force, a, err);
    }
    fb_parts_realize(s, p);
    fb_rows_realize(s, p->q, p->v, true);
    FB_TRY(fb_kkt_factor(s, p->q, false, err));
    memcpy(x, force, sizeof(double) * (size_t)n_v);
    memset(x + n_v, 0, sizeof(double) * (size_t)n_c);
    fb_kkt_solve_refined(s, x);
    memcpy(a, x, sizeof(double) * (size_t)n_v);
    memcpy(lambda, x + n_v, sizeof(double) * (size_t)n_c);
    return FB_OK;
}

FbStatus fb_system_calc_input_slopes(FbSystem* s, const FbPoint* p, const double* direction,
                                     double* a, double* lambda, double* x_rate, FbError* err) {
    FbBlocks b;
    double* force = s->work_v[1];
    FbStatus status = fb_system_ops.jacobian(&s->dynamics, p, &b, err);
    if (status != FB_OK) {
        return status < 0 ? status
                          : fb_fail(err, FB_ERR_SINGULAR, NULL, "the derivatives are not finite");
    }
    memset(force, 0, sizeof(double) * (size_t)s->m->tree.n_v);
    add_columns(s, b.Rx, s->m->tree.n_v, direction, -1.0, force);
    memset(x_rate, 0, sizeof(double) * (size_t)s->m->n_states);
    add_columns(s, b.Xx, s->m->n_states, direction, 1.0, x_rate);
    return solve(s, p, force, a, lambda, err);
}

// The length of a difference along the direction: a part of the inputs themselves, of their range
// where that is known, or of 1.
static double difference(const FbSystem* s, const double* direction) {
    double h = INFINITY;
    for (int k = 0; k < s->m->n_inputs; k++) {
        double range = s->m->inputs[k].max - s->m->inputs[k].min;
        double size = fmax(fabs(s->inputs[k]), isfinite(range) && range > 0.0 ? range : 0.0);
        if (direction[k] != 0.0) {
            h = fmin(h, cbrt(DBL_EPSILON) * (size > 0.0 ? size : 1.0) / fabs(direction[k]));
        }
    }
    return h;
}

static void move(FbSystem* s, const double* direction, double h, const FbPoint* from,
                 const double* a, const double* lambda, FbPoint* to) {
    for (int k = 0; k < s->m->n_inputs; k++) {
        s->inputs[k] += h * direction[k];
    }
    for (int j = 0; j < s->dynamics.size.n_v; j++) {
        to->a[j] = from->a[j] + h * a[j];
    }
    for (int c = 0; c < s->dynamics.size.n_c; c++) {
        to->lambda[c] = from->lambda[c] + h * lambda[c];
    }
}

// Accelerations along coordinates and of points are linear in those of the coordinates.
static void accelerate_outputs(FbSystem* s, const FbPoint* p, const double* a,
                               FbOutputSlopes* out) {
    const FbModel* m = s->m;
    for (int pass = 0; pass < 2; pass++) {
        FbPoint at = {p->t, p->q, p->v, out->a, p->x, p->lambda, p->w};
        for (int j = 0; j < m->tree.n_v; j++) {
            at.a[j] = p->a[j] + (pass == 0 ? LARGE * a[j] : 0.0);
        }
        fb_system_realize(s, p->q, p->v, at.a);
        for (int i = 0; i < m->n_outputs; i++) {
            if (m->signals[m->outputs[i].signal].kind == FB_SIGNAL_ACCELERATION) {
                double value = fb_signal_calc(s, &at, m->outputs[i].signal);
                out->values[i] += (pass == 0 ? value : -value) / LARGE;
                out->has_gradient[i] = true;
            }
        }
    }
}

// Outputs without a gradient: by the difference of their values at inputs and accelerations that
// belong together.
static void difference_outputs(FbSystem* s, const FbPoint* p, const double* direction,
                               const double* a, const double* lambda, FbOutputSlopes* out) {
    const FbModel* m = s->m;
    double h = difference(s, direction);
    memcpy(out->inputs, s->inputs, sizeof(double) * (size_t)m->n_inputs);
    for (int side = 1; isfinite(h) && side >= -1; side -= 2) {
        FbPoint at = {p->t, p->q, p->v, out->a, p->x, out->lambda, p->w};
        move(s, direction, side * h, p, a, lambda, &at);
        fb_system_realize_outputs(s, &at);
        for (int i = 0; i < m->n_outputs; i++) {
            double value =
                out->has_gradient[i] ? 0.0 : fb_signal_calc(s, &at, m->outputs[i].signal);
            out->values[i] += out->has_gradient[i] ? 0.0 : side * value / (2.0 * h);
        }
        memcpy(s->inputs, out->inputs, sizeof(double) * (size_t)m->n_inputs);
    }
}

void fb_system_calc_output_slopes(FbSystem* s, const FbPoint* p, const double* direction,
                                  const double* a, const double* lambda, FbOutputSlopes* out) {
    const FbModel* m = s->m;
    bool needs_difference = false;
    fb_system_realize(s, p->q, p->v, NULL);
    for (int i = 0; i < m->n_outputs; i++) {
        FbGradient* g = &s->gradient;
        out->has_gradient[i] = fb_signal_has_gradient(m, m->outputs[i].signal);
        out->values[i] = 0.0;
        needs_difference |= !out->has_gradient[i];
        if (out->has_gradient[i]) {
            fb_signal_add_gradient(s, p, m->outputs[i].signal, 1.0, g);
            for (int k = 0; k < m->n_inputs; k++) {
                out->values[i] += direction[k] * g->x[m->n_states + k];
            }
            fb_gradient_clear(s, g);
        }
    }
    if (needs_difference) {
        accelerate_outputs(s, p, a, out);
        difference_outputs(s, p, direction, a, lambda, out);
    }
}
