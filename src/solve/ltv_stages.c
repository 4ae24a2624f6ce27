// The stages of one step for linear equations: a linear system, solved once (theory manual, eqs.
// 5.58-5.61).
//
// Collocation at Radau's nodes for M a + C v + K y + shares + load(t) = 0: with the transformation
// T of A^-1 the constant part splits into one real and (s-1)/2 complex systems (s M + C + K/s), s =
// gamma/h, factored once for each length of the step.
#include <math.h>
#include <string.h>

#include "solve/ltv.h"
#include "solve/point.h"

static size_t bytes(int n) {
    return sizeof(double) * (size_t)n;
}

static FbStatus invert(int n, bool is_complex, double* x) {
    for (int e = 0; e < n; e++) {
        double re = is_complex ? x[2 * e] : x[e], im = is_complex ? x[2 * e + 1] : 0.0;
        double size = re * re + im * im;
        if (!(size > 0.0)) {
            return FB_RETRY;
        }
        x[is_complex ? 2 * e : e] = re / size;
        if (is_complex) {
            x[2 * e + 1] = -im / size;
        }
    }
    return FB_OK;
}

// s M + C + K/s of each system; of modes, which it does not couple, the reciprocals.
static FbStatus factor(FbLtv* s, FbLtvFactors* f, double h) {
    const FbLtvUnknowns* u = &s->unknowns;
    int count = fb_pattern_count(&u->pattern);
    f->h = 0.0;
    f->has_columns = false;
    for (int k = 0; k <= s->method.n_pair; k++) {
        double complex shift = fb_ltv_shift(&s->method, k, h), inverse = 1.0 / shift;
        double* values = u->is_modal ? f->inverse[k] : fb_linear_values(f->system[k]);
        double sr = creal(shift), si = cimag(shift), ir = creal(inverse), ii = cimag(inverse);
        for (int i = 0; i < count && k == 0; i++) {
            values[i] = sr * u->M[i] + u->C[i] + ir * u->K[i];
        }
        for (int i = 0; i < count && k > 0; i++) {
            values[2 * i] = sr * u->M[i] + u->C[i] + ir * u->K[i];
            values[2 * i + 1] = si * u->M[i] + ii * u->K[i];
        }
        s->stats.factorizations++;
        FbStatus status =
            u->is_modal ? invert(count, k > 0, values) : fb_linear_factor(f->system[k]);
        if (status != FB_OK) {
            return status;
        }
    }
    f->h = h;
    return FB_OK;
}

void fb_ltv_system_solve(const FbLtv* s, const FbLtvFactors* f, int k, double* x) {
    const double* inverse = f->inverse[k];
    if (!s->unknowns.is_modal) {
        fb_linear_solve(f->system[k], x);
        return;
    }
    for (int e = 0; e < s->unknowns.n && k == 0; e++) {
        x[e] *= inverse[e];
    }
    for (int e = 0; e < s->unknowns.n && k > 0; e++) {
        double re = x[2 * e], im = x[2 * e + 1];
        x[2 * e] = re * inverse[2 * e] - im * inverse[2 * e + 1];
        x[2 * e + 1] = re * inverse[2 * e + 1] + im * inverse[2 * e];
    }
}

FbStatus fb_ltv_factors_find(FbLtv* s, double h, FbLtvFactors** out) {
    FbLtvFactors* oldest = &s->sets[0];
    *out = NULL;
    for (int i = 0; i < s->n_sets; i++) {
        FbLtvFactors* f = &s->sets[i];
        oldest = f->used < oldest->used ? f : oldest;
        *out = f->h == h ? f : *out;
    }
    FbStatus status = FB_OK;
    if (!*out) {
        *out = oldest;
        status = factor(s, oldest, h);
    }
    (*out)->used = ++s->uses;
    return status;
}

// R += the reaction of travelling parts to y.
static void add_reaction(FbLtv* s, double t, const double* y, double* R) {
    FbDynamics* d = s->base.dynamics;
    const FbLtvUnknowns* u = &s->unknowns;
    if (!s->form.has_reaction) {
        return;
    }
    fb_ltv_expand(u, y, s->full_q);
    memset(s->full, 0, bytes(u->n_v));
    d->ops->add_reaction(d, t, s->full_q, s->full);
    fb_ltv_reduce(u, s->full, u->work);
    for (int k = 0; k < u->n; k++) {
        R[k] += u->work[k];
    }
}

// w += weight x, of n numbers, complex where k > 0
static void add_weighted(int n, int k, double complex weight, const double* restrict x,
                         double* restrict w) {
    double re = creal(weight), im = cimag(weight);
    for (int e = 0; e < n && k == 0; e++) {
        w[e] += re * x[e];
    }
    for (int e = 0; e < n && k > 0; e++) {
        w[2 * e] += re * x[e];
        w[2 * e + 1] += im * x[e];
    }
}

// w = T^-1 R of the motion with the acceleration of the start at all stages, without loads and
// shares: M a + C v + K y with v and y linear and quadratic in time.
static void set_start(FbLtv* s, const FbLtvStages* c) {
    const FbLtvUnknowns* u = &s->unknowns;
    const double* motion[3] = {c->y, c->v, c->a};
    int n = u->n;
    double* x = s->b;
    for (int p = 0; p < 3; p++) {
        memset(x, 0, bytes(n));
        fb_ltv_multiply(u, u->K, motion[p], x);
        if (u->has_damping && p < 2) {
            fb_ltv_multiply(u, u->C, motion[p + 1], x);
        }
        if (p == 0) {
            fb_ltv_multiply(u, u->M, c->a, x);
        }
        double step = p == 0 ? 1.0 : p == 1 ? c->h : c->h * c->h;
        for (int k = 0; k <= s->method.n_pair; k++) {
            if (p == 0) {
                memset(s->w[k], 0, bytes((k > 0 ? 2 : 1) * n));
            }
            add_weighted(n, k, step * s->powers_into[k][p], x, s->w[k]);
        }
    }
}

// s->w += T^-1 R
static void add_residuals(FbLtv* s) {
    const FbRadauMethod* m = &s->method;
    int n = s->unknowns.n;
    for (int k = 0; k <= m->n_pair; k++) {
        for (int i = 0; i < m->s; i++) {
            add_weighted(n, k, fb_ltv_weight_into(m, k, i), s->R + i * n, s->w[k]);
        }
    }
}

// Loads and shares at the stages.
static void set_loads(FbLtv* s, const FbLtvStages* c) {
    int n = s->unknowns.n;
    s->has_load = false;
    memset(s->R, 0, bytes(s->method.s * n));
    for (int i = 0; i < s->method.s; i++) {
        s->has_load |= fb_ltv_share_calc(s, c->t + s->method.c[i] * c->h, i, s->R + i * n);
    }
}

// Accelerations, velocities and displacements at stage i: those of a constant acceleration, and the
// changes of (5.58).
static void set_stage(const FbLtv* s, FbLtvStages* c, int i) {
    const FbRadauMethod* m = &s->method;
    int n = s->unknowns.n;
    double dt = m->c[i] * c->h;
    double* restrict A = c->A + i * n, * restrict V = c->V + i * n, * restrict Y = c->Y + i * n;
    for (int e = 0; e < n; e++) {
        A[e] = c->a[e];
        V[e] = c->v[e] + dt * c->a[e];
        Y[e] = c->y[e] + dt * (c->v[e] + 0.5 * dt * c->a[e]);
    }
    for (int k = 0; k <= m->n_pair; k++) {
        const double* restrict w = c->change[k];
        double complex shift = fb_ltv_shift(m, k, c->h);
        double complex weight = fb_ltv_weight_back(m, k, i);
        double complex wa = weight * shift, wy = weight / shift;
        double ar = creal(wa), ai = cimag(wa), vr = creal(weight), vi = cimag(weight);
        double yr = creal(wy), yi = cimag(wy);
        for (int e = 0; e < n && k == 0; e++) {
            A[e] -= ar * w[e];
            V[e] -= vr * w[e];
            Y[e] -= yr * w[e];
        }
        for (int e = 0; e < n && k > 0; e++) {
            double re = w[2 * e], im = w[2 * e + 1];
            A[e] -= ar * re - ai * im;
            V[e] -= vr * re - vi * im;
            Y[e] -= yr * re - yi * im;
        }
    }
}

void fb_ltv_stages_expand(const FbLtv* s, FbLtvStages* c) {
    for (int i = 0; i < s->method.s - 1 && !c->has_stages; i++) {
        set_stage(s, c, i);
    }
    c->has_stages = true;
}

// The changes, one more: the solution for s->w, which holds the transformed residuals of the motion
// from `start` (NULL: without a start), added to those of c.
static FbStatus solve(FbLtv* s, FbLtvFactors* f, FbLtvStages* c, const FbLtvStages* start) {
    int n = s->unknowns.n;
    for (int k = 0; k <= s->method.n_pair; k++) {
        fb_ltv_system_solve(s, f, k, s->w[k]);
    }
    FbStatus status = s->moving.n > 0 ? fb_ltv_correct_stages(s, f, start) : FB_OK;
    if (status != FB_OK) {
        return status;
    }
    for (int k = 0; k <= s->method.n_pair; k++) {
        for (int e = 0; e < (k > 0 ? 2 : 1) * n; e++) {
            c->change[k][e] = s->w[k][e] + (start ? 0.0 : c->change[k][e]);
        }
    }
    set_stage(s, c, s->method.s - 1);
    c->has_stages = false;
    s->stats.newton_iterations++;
    return FB_OK;
}

// The largest displacement at the stages.
static double largest(const FbLtv* s, const double* Y) {
    double size = 0.0;
    for (int k = 0; k < s->method.s * s->unknowns.n; k++) {
        size = fmax(size, fabs(Y[k]));
    }
    return size;
}

// The motion without any change, and the reaction to it.
static void begin_reaction(FbLtv* s, FbLtvStages* c) {
    int n = s->unknowns.n;
    for (int k = 0; k <= s->method.n_pair; k++) {
        memset(c->change[k], 0, bytes((k > 0 ? 2 : 1) * n));
    }
    for (int i = 0; i < s->method.s; i++) {
        set_stage(s, c, i);
        add_reaction(s, c->t + s->method.c[i] * c->h, c->Y + i * n, s->R + i * n);
    }
    memcpy(s->change, c->Y, bytes(s->method.s * n));
    s->has_load = true;
}

// The reaction that the last correction adds is the residual of the next, eq. (5.61): it is small
// next to the stiffness, and so is each correction next to the one before.
static FbStatus follow_reaction(FbLtv* s, FbLtvFactors* f, FbLtvStages* c) {
    enum { MOST = 40 };
    static const double ENOUGH = 1e-12;  // of the displacements
    int n = s->unknowns.n, count = s->method.s * n;
    for (int k = 0; k < MOST; k++) {
        fb_ltv_stages_expand(s, c);
        for (int i = 0; i < count; i++) {
            s->change[i] = c->Y[i] - s->change[i];
        }
        if (largest(s, s->change) <= ENOUGH * largest(s, c->Y)) {
            return FB_OK;
        }
        memset(s->R, 0, bytes(count));
        for (int i = 0; i < s->method.s; i++) {
            add_reaction(s, c->t + s->method.c[i] * c->h, s->change + i * n, s->R + i * n);
        }
        memcpy(s->change, c->Y, bytes(count));
        for (int j = 0; j <= s->method.n_pair; j++) {
            memset(s->w[j], 0, bytes((j > 0 ? 2 : 1) * n));
        }
        add_residuals(s);
        if (solve(s, f, c, NULL) != FB_OK) {
            return FB_RETRY;
        }
    }
    return FB_RETRY;
}

FbStatus fb_ltv_stages_solve(FbLtv* s, FbLtvStages* c) {
    FbLtvFactors* f;
    FbStatus status = fb_ltv_factors_find(s, c->h, &f);
    if (status != FB_OK) {
        return status;
    }
    set_loads(s, c);
    if (s->form.has_reaction) {
        begin_reaction(s, c);
    }
    set_start(s, c);
    if (s->has_load) {
        add_residuals(s);
    }
    status = solve(s, f, c, c);
    return status == FB_OK && s->form.has_reaction ? follow_reaction(s, f, c) : status;
}

// The point of stage i, as far as powers read it.
static void set_powers_point(FbLtv* s, const FbLtvStages* c, int i) {
    int n = s->unknowns.n;
    s->stage.t = c->t + s->method.c[i] * c->h;
    if (s->form.has_near_powers) {
        fb_ltv_near_set(s, c, i, &s->stage);
        return;
    }
    fb_ltv_set_point(s, c->Y + i * n, c->V + i * n, c->A + i * n, &s->stage);
    if (s->unknowns.has_drives) {
        fb_ltv_set_multipliers(s, i, &s->stage);
    }
}

// Works by the quadrature of the method.
void fb_ltv_stages_calc_works(FbLtv* s, FbLtvStages* c) {
    FbDynamics* d = s->base.dynamics;
    const FbRadauMethod* m = &s->method;
    int n_w = s->size.n_w;
    if (n_w == 0) {
        return;
    }
    if (s->form.has_near_powers && s->moving.near_of_y) {
        fb_ltv_near_begin(s, c);
    } else {
        fb_ltv_stages_expand(s, c);
    }
    fb_array_copy(c->w_end, c->w, n_w);
    for (int i = 0; i < m->s; i++) {
        double* power = c->powers + i * n_w;
        set_powers_point(s, c, i);
        d->ops->powers(d, &s->stage, power);
        for (int k = 0; k < n_w; k++) {
            c->w_end[k] += c->h * m->A[m->s - 1][i] * power[k];
        }
    }
}

// Inside the step: the polynomial of the accelerations through the start and all stages, integrated
// once and twice, and moved to meet the end (as radau, section 5.6).
void fb_ltv_stages_at(FbLtv* s, FbLtvStages* c, double t, FbPoint* p) {
    const FbRadauMethod* m = &s->method;
    int n = s->unknowns.n, last = (m->s - 1) * n, n_w = s->size.n_w;
    double once[FB_LTV_STAGES + 1], twice[FB_LTV_STAGES + 1];
    double h = c->h, u = (t - c->t) / h;
    double *y = s->defect_q, *v = s->defect_v;
    fb_ltv_stages_expand(s, c);
    fb_radau_wide_integrals(m, u, once, twice);
    const double *once1 = s->once, *twice1 = s->twice;
    double H = u * u * (3.0 - 2.0 * u), dH = 6.0 * u * (1.0 - u) / h;
    double G = h * u * u * (u - 1.0), dG = u * (3.0 * u - 2.0);
    for (int k = 0; k < n; k++) {
        double sv = once[0] * c->a[k], sy = twice[0] * c->a[k];
        double ev = once1[0] * c->a[k], ey = twice1[0] * c->a[k];
        for (int j = 0; j < m->s; j++) {
            double a = c->A[j * n + k];
            sv += once[j + 1] * a;
            sy += twice[j + 1] * a;
            ev += once1[j + 1] * a;
            ey += twice1[j + 1] * a;
        }
        double dy = c->Y[last + k] - (c->y[k] + h * (c->v[k] + h * ey));
        double dv = c->V[last + k] - (c->v[k] + h * ev);
        y[k] = c->y[k] + h * (u * c->v[k] + h * sy) + dy * H + dv * G;
        v[k] = c->v[k] + h * sv + dy * dH + dv * dG;
    }
    p->t = t;
    fb_ltv_set_point(s, y, v, NULL, p);
    for (int k = 0; k < n_w; k++) {
        double sum = once[0] * c->power[k];
        for (int j = 0; j < m->s; j++) {
            sum += once[j + 1] * c->powers[j * n_w + k];
        }
        p->w[k] = c->w[k] + h * sum;
    }
}
