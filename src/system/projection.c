// Projections of positions and velocities onto the constraints, in the mass metric (theory manual,
// eqs. 4.8, 4.9), with the matrix of kkt.c.
#include <math.h>
#include <string.h>

#include "system/part.h"

// Projection stops when the largest error in units of its row is below this, or no longer shrinks
// below ROUNDED (velocities), ...
static const double PROJECTION_TARGET = 2e-13, ROUNDED = 2e-9;
// ... and what is left must be below this.
static const double PROJECTION_LIMIT = 1e-10;
// A factorization serves also for coordinates that differ by this many units.
static const double NEAR = 1e-6;
enum { MAX_ITERATIONS = 12 };

// Is a projection's matrix factored there?
static bool is_near(const FbSystem* s, const double* q) {
    if (!s->kkt.is_factored || !s->kkt.is_projection) {
        return false;
    }
    for (int l = 0; l < s->m->tree.n_link; l++) {
        const FbLink* link = &s->m->tree.links[l];
        double unit = link->n_v > 0 ? s->m->unit_v[link->v0] : 1.0;
        for (int i = link->q0; i < link->q0 + link->n_q; i++) {
            if (!(fabs(q[i] - s->kkt.q[i]) < NEAR * unit)) {
                return false;
            }
        }
    }
    return true;
}

// The matrix of projections; one that is singular at a trial point asks for a smaller step.
static FbStatus factor_projection(FbSystem* s, const double* q, FbError* err) {
    FbStatus status = fb_kkt_factor(s, q, true, err);
    if (status == FB_ERR_SINGULAR && s->kkt.was_regular) {
        fb_fail(&s->trouble, FB_RETRY, NULL,
                "the constraints cannot be satisfied: the position is singular, or a trial step "
                "went too far");
        s->has_trouble = true;
        return FB_RETRY;
    }
    return status;
}

// The smallest change, in the mass metric, that removes the errors x[n_v ...), into x [n_v].
static void solve_errors(FbSystem* s, double* x) {
    int n_v = s->dynamics.size.n_v, n_c = s->dynamics.size.n_c;
    memset(x, 0, sizeof(double) * (size_t)n_v);
    for (int c = 0; c < n_c; c++) {
        x[n_v + c] = -x[n_v + c];
    }
    fb_kkt_solve(s, x);
}

// Largest |g| of the active holonomic rows in units of the rows; the errors go to g, the largest
// one (m, rad) to *raw where it is not NULL.
static double position_errors(FbSystem* s, double t, const double* q, double* g, double* raw) {
    fb_turns_predict(s, t);
    fb_system_realize(s, q, NULL, NULL);
    fb_rows_realize(s, q, NULL, true);
    double largest = 0.0, most = 0.0;
    for (int c = 0; c < s->dynamics.size.n_c; c++) {
        g[c] = c < s->dynamics.size.n_g ? fb_row_calc_error(s, s->active[c], t) : 0.0;
        double error = fabs(g[c]) / fb_row_calc_size(s, s->active[c], false);
        largest = error > largest || isnan(error) ? error : largest;
        most = fmax(most, fabs(g[c]));
    }
    if (raw) {
        *raw = isnan(largest) ? largest : most;
    }
    return largest;
}

FbStatus fb_system_project_position(FbDynamics* d, double t, double* q, double* error,
                                    FbError* err) {
    FbSystem* s = fb_system_of(d);
    int n_v = d->size.n_v;
    fb_tree_normalize(&s->m->tree, q);
    if (d->size.n_g == 0) {
        if (error) {
            *error = 0.0;
        }
        return FB_OK;
    }
    double* x = s->kkt.rhs;
    double last = INFINITY, now = position_errors(s, t, q, x + n_v, error);
    for (int i = 0; i < MAX_ITERATIONS && now > PROJECTION_TARGET; i++) {
        // Newton's matrix is kept while it contracts well.
        if (i == 0 || now > 0.1 * last) {
            if (i > 0 && now > 0.5 * last && now < PROJECTION_LIMIT) {
                break;  // rounding
            }
            FbStatus status = factor_projection(s, q, err);
            if (status != FB_OK) {
                return status;
            }
        }
        solve_errors(s, x);
        fb_tree_plus(&s->m->tree, q, x, s->work_q[0]);
        memcpy(q, s->work_q[0], sizeof(double) * (size_t)d->size.n_q);
        last = now;
        now = position_errors(s, t, q, x + n_v, NULL);
    }
    return now < PROJECTION_LIMIT ? FB_OK : FB_RETRY;
}

// The contributions to the rates of the rows: laws, and the fastest motion of the model. Not only
// that of the row's own coordinates, which may be rounding of the others.
static void calc_rate_sizes(FbSystem* s, double t, const double* v, double* size) {
    const FbModel* m = s->m;
    double fastest = 0.0;
    for (int j = 0; j < s->dynamics.size.n_v; j++) {
        fastest = fmax(fastest, fabs(v[j]) / m->unit_v[j]);
    }
    for (int c = 0; c < s->dynamics.size.n_c; c++) {
        const FbRow* row = &m->rows[s->active[c]];
        double law[3] = {0};
        if (row->law >= 0) {
            fb_law_now(s, row->law, t, law);
        }
        size[c] = fmax(fabs(law[1]), fastest * row->unit);
    }
}

// The velocity errors into g [n_c]; returns the largest compared with the sizes, which are at least
// as large as the first errors were.
static double velocity_errors(FbSystem* s, double t, const double* q, const double* v, double* g,
                              double* size, double* raw) {
    fb_tree_realize_velocity(&s->m->tree, v, &s->k);
    fb_rows_realize(s, q, v, true);
    double largest = 0.0, most = 0.0;
    for (int c = 0; c < s->dynamics.size.n_c; c++) {
        double error = fabs(g[c] = fb_row_calc_rate(s, s->active[c], t));
        size[c] = raw ? fmax(size[c], error) : size[c];
        most = fmax(most, error);
        error = error > 0.0 ? error / size[c] : error;
        largest = error > largest || isnan(error) ? error : largest;
    }
    if (raw) {
        *raw = most;
    }
    return largest;
}

FbStatus fb_system_project_velocity(FbDynamics* d, double t, const double* q, double* v,
                                    double* error, FbError* err) {
    FbSystem* s = fb_system_of(d);
    int n_v = d->size.n_v, n_c = d->size.n_c;
    double *x = s->kkt.rhs, *size = s->kkt.correction, last = INFINITY, raw = 0.0;
    if (n_c > 0) {
        fb_turns_predict(s, t);
        fb_system_realize(s, q, NULL, NULL);
        calc_rate_sizes(s, t, v, size);
    }
    for (int i = 0; n_c > 0 && i < MAX_ITERATIONS; i++) {
        double now = velocity_errors(s, t, q, v, x + n_v, size, i == 0 ? &raw : NULL);
        if (!(now > PROJECTION_TARGET) || (now > 0.5 * last && now < ROUNDED)) {
            last = isnan(now) ? INFINITY : 0.0;
            break;
        }
        if ((i == 0 && !is_near(s, q)) || (i > 0 && now > 0.1 * last)) {
            FbStatus status = factor_projection(s, q, err);
            if (status != FB_OK) {
                return status;
            }
        }
        solve_errors(s, x);
        for (int j = 0; j < n_v; j++) {
            v[j] += x[j];
        }
        last = now;
    }
    if (error) {
        *error = raw;
    }
    return n_c == 0 || last < PROJECTION_LIMIT ? FB_OK : FB_RETRY;
}
