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

static double complex shift_of(const FbRadauMethod* m, int k, double h) {
    return (k == 0 ? m->gamma0 : m->gamma[k - 1]) / h;
}

static FbStatus factor(FbLtv* s, FbLtvFactors* f, double h) {
    const FbLtvUnknowns* u = &s->unknowns;
    int count = fb_pattern_count(&u->pattern);
    f->h = 0.0;
    f->has_columns = false;
    for (int k = 0; k <= s->method.n_pair; k++) {
        double complex shift = shift_of(&s->method, k, h), inverse = 1.0 / shift;
        double* values = fb_linear_values(f->system[k]);
        double sr = creal(shift), si = cimag(shift), ir = creal(inverse), ii = cimag(inverse);
        for (int i = 0; i < count && k == 0; i++) {
            values[i] = sr * u->M[i] + u->C[i] + ir * u->K[i];
        }
        for (int i = 0; i < count && k > 0; i++) {
            values[2 * i] = sr * u->M[i] + u->C[i] + ir * u->K[i];
            values[2 * i + 1] = si * u->M[i] + ii * u->K[i];
        }
        s->stats.factorizations++;
        FbStatus status = fb_linear_factor(f->system[k]);
        if (status != FB_OK) {
            return status;
        }
    }
    f->h = h;
    return FB_OK;
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
    if (status == FB_OK && s->moving.n > 0 && !(*out)->has_columns) {
        fb_ltv_calc_columns(s, *out);
    }
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

// The motion with the acceleration of the start at all stages, and what it leaves of the equations.
static void predict(FbLtv* s, FbLtvStages* c) {
    const FbLtvUnknowns* u = &s->unknowns;
    const FbRadauMethod* m = &s->method;
    int n = u->n;
    double* inertia = s->b;
    memset(inertia, 0, bytes(n));
    fb_pattern_multiply(&u->pattern, u->M, 1.0, c->a, inertia);
    for (int i = 0; i < m->s; i++) {
        double dt = m->c[i] * c->h, *R = s->R + i * n;
        double *A = c->A + i * n, *V = c->V + i * n, *Y = c->Y + i * n;
        for (int k = 0; k < n; k++) {
            A[k] = c->a[k];
            V[k] = c->v[k] + dt * c->a[k];
            Y[k] = c->y[k] + dt * (c->v[k] + 0.5 * dt * c->a[k]);
        }
        fb_ltv_share_calc(s, c->t + dt, i, R);
        for (int k = 0; k < n; k++) {
            R[k] += inertia[k];
        }
        if (u->has_damping) {
            fb_pattern_multiply(&u->pattern, u->C, 1.0, V, R);
        }
        fb_pattern_multiply(&u->pattern, u->K, 1.0, Y, R);
        fb_ltv_share_add(s, i, A, V, Y, R);
        add_reaction(s, c->t + dt, Y, R);
    }
}

// w = T^-1 R, then the solutions of the systems.
static void solve_systems(FbLtv* s, const FbLtvFactors* f) {
    const FbRadauMethod* m = &s->method;
    int n = s->unknowns.n;
    for (int k = 0; k <= m->n_pair; k++) {
        double* w = s->w[k];
        memset(w, 0, bytes((k > 0 ? 2 : 1) * n));
        for (int i = 0; i < m->s; i++) {
            const double* R = s->R + i * n;
            double complex weight = k == 0 ? m->t0_inv[i] : m->t_inv[k - 1][i];
            double re = creal(weight), im = cimag(weight);
            for (int e = 0; e < n && k == 0; e++) {
                w[e] += re * R[e];
            }
            for (int e = 0; e < n && k > 0; e++) {
                w[2 * e] += re * R[e];
                w[2 * e + 1] += im * R[e];
            }
        }
        fb_linear_solve(f->system[k], w);
    }
}

// The corrections of accelerations, velocities and displacements at the stages.
static void update(FbLtv* s, FbLtvStages* c) {
    const FbRadauMethod* m = &s->method;
    int n = s->unknowns.n;
    for (int k = 0; k <= m->n_pair; k++) {
        const double* w = s->w[k];
        double complex shift = shift_of(m, k, c->h);
        for (int i = 0; i < m->s; i++) {
            double complex weight = k == 0 ? m->t0[i] : 2.0 * m->t[i][k - 1];
            double complex wa = weight * shift, wy = weight / shift;
            double *A = c->A + i * n, *V = c->V + i * n, *Y = c->Y + i * n;
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
}

// One solution for the residuals in s->R.
static FbStatus solve(FbLtv* s, FbLtvFactors* f, FbLtvStages* c) {
    solve_systems(s, f);
    FbStatus status = s->moving.n > 0 ? fb_ltv_correct_stages(s, f) : FB_OK;
    if (status == FB_OK) {
        update(s, c);
        s->stats.newton_iterations++;
    }
    return status;
}

// The largest displacement at the stages.
static double largest(const FbLtv* s, const double* Y) {
    double size = 0.0;
    for (int k = 0; k < s->method.s * s->unknowns.n; k++) {
        size = fmax(size, fabs(Y[k]));
    }
    return size;
}

// The reaction that the last correction adds is the residual of the next, eq. (5.61): it is small
// next to the stiffness, and so is each correction next to the one before.
static FbStatus follow_reaction(FbLtv* s, FbLtvFactors* f, FbLtvStages* c) {
    enum { MOST = 40 };
    static const double ENOUGH = 1e-12;  // of the displacements
    int n = s->unknowns.n, count = s->method.s * n;
    for (int k = 0; k < MOST; k++) {
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
        if (solve(s, f, c) != FB_OK) {
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
    predict(s, c);
    if (s->form.has_reaction) {
        memcpy(s->change, c->Y, bytes(s->method.s * s->unknowns.n));
    }
    status = solve(s, f, c);
    return status == FB_OK && s->form.has_reaction ? follow_reaction(s, f, c) : status;
}

// Works by the quadrature of the method.
void fb_ltv_stages_calc_works(FbLtv* s, FbLtvStages* c) {
    FbDynamics* d = s->base.dynamics;
    const FbRadauMethod* m = &s->method;
    int n = s->unknowns.n, n_w = s->size.n_w;
    if (n_w == 0) {
        return;
    }
    fb_array_copy(c->w_end, c->w, n_w);
    for (int i = 0; i < m->s; i++) {
        double* power = c->powers + i * n_w;
        s->stage.t = c->t + m->c[i] * c->h;
        fb_ltv_set_point(s, c->Y + i * n, c->V + i * n, c->A + i * n, &s->stage);
        if (s->unknowns.has_drives) {
            fb_ltv_set_multipliers(s, i, &s->stage);
        }
        d->ops->powers(d, &s->stage, power);
        for (int k = 0; k < n_w; k++) {
            c->w_end[k] += c->h * m->A[m->s - 1][i] * power[k];
        }
    }
}

// Inside the step: the polynomial of the accelerations through the start and all stages, integrated
// once and twice, and moved to meet the end (as radau, section 5.6).
void fb_ltv_stages_at(FbLtv* s, const FbLtvStages* c, double t, FbPoint* p) {
    const FbRadauMethod* m = &s->method;
    int n = s->unknowns.n, last = (m->s - 1) * n, n_w = s->size.n_w;
    double once[FB_LTV_STAGES + 1], twice[FB_LTV_STAGES + 1];
    double h = c->h, u = (t - c->t) / h;
    double *y = s->defect_q, *v = s->defect_v;
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
