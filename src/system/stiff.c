// Whether there are rates so much faster than the motion that an implicit method should begin.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system/part.h"
#include "system/tree_mass.h"

// The matrices at one point; deep trees: as recursions, with what forces add.
typedef struct Rates {
    FbSystem* s;
    FbBlocks b;
    FbVariation* tree;  // NULL: the blocks are complete
    FbTreeMass* mass;
} Rates;

// y = M^-1 A x, A = C or K of the blocks; y has room for multipliers.
static void apply(const Rates* r, const double* A, const double* x, double* y) {
    int n = r->s->dynamics.size.n_v;
    memset(y, 0, sizeof(double) * (size_t)(n + r->s->dynamics.size.n_c));
    fb_pattern_multiply(r->b.vv, A, 1.0, x, y);
    if (!r->tree) {
        fb_kkt_solve(r->s, y);
        return;
    }
    bool is_stiffness = A == r->b.K;
    fb_variation_add_product(r->tree, 1.0, is_stiffness ? x : NULL, is_stiffness ? NULL : x, NULL,
                             1, y);
    fb_tree_mass_solve(r->mass, y);
}

// |x| in the metric of M; Mx is room.
static double energy_norm(const Rates* r, const double* x, double* Mx) {
    int n = r->s->dynamics.size.n_v;
    double sum = 0.0;
    memset(Mx, 0, sizeof(double) * (size_t)n);
    if (r->tree) {
        fb_tree_mass_add_product(r->mass, 1.0, x, Mx);
    } else {
        fb_pattern_multiply(r->b.vv, r->b.M, 1.0, x, Mx);
    }
    for (int j = 0; j < n; j++) {
        sum += x[j] * Mx[j];
    }
    return sqrt(fmax(sum, 0.0));
}

static double mass_of(const Rates* r, int j) {
    return r->tree ? fb_tree_mass_get_diagonal(r->mass, j) : r->b.M[fb_at(r->b.vv, j, j)];
}

// The largest growth of x -> M^-1 A x in the metric of M, which no axes and units change: about the
// largest |eigenvalue|.
static double largest_rate(const Rates* r, const double* A) {
    enum { MOST = 100 };
    static const double SETTLED = 1e-4;
    FbSystem* s = r->s;
    int n = s->dynamics.size.n_v;
    double *x = s->work_v[0], *y = s->work_v[1], rate = 0.0;
    double* rhs = r->tree ? s->work_v[2] : s->kkt.rhs;
    for (int j = 0; j < n; j++) {
        double mass = mass_of(r, j);
        x[j] = (1.0 + 0.1 * (j % 7)) / (mass > 0.0 ? sqrt(mass) : 1.0);
    }
    double before, norm = energy_norm(r, x, y);
    for (int i = 0; i < MOST && norm > 0.0; i++) {
        for (int j = 0; j < n; j++) {
            x[j] /= norm;
        }
        apply(r, A, x, rhs);
        memcpy(x, rhs, sizeof(double) * (size_t)n);
        before = rate;
        rate = norm = energy_norm(r, x, y);
        if (i > 2 && fabs(rate - before) <= SETTLED * rate) {
            break;
        }
    }
    return rate;
}

// The largest rate of the states by their own equations: a bound on the eigenvalues (Gershgorin).
static double largest_state_rate(const FbBlocks* b, int n) {
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += fabs(b->Xx[i + j * n]);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

// The rate of the motion at p: how fast coordinates move, and begin to move, through their scales.
// Those of one joint with one unit are a vector, whatever its axes.
static double motion_rate(const FbSystem* s, const FbPoint* p, double duration) {
    const FbDynamics* d = &s->dynamics;
    const FbTree* tree = &s->m->tree;
    double rate = 1.0 / duration, v = 0.0, a = 0.0;
    for (int j = 0, last = -1; j < d->size.n_v; j++) {
        double scale = d->q_scale[j];
        int joint = tree->links[tree->link_of_v[j]].joint;
        bool goes_on = joint == last && scale == d->q_scale[j - 1];
        last = joint >= 0 ? joint : -2;
        v = hypot(goes_on ? v : 0.0, p->v[j] / scale);
        a = hypot(goes_on ? a : 0.0, p->a[j] / scale);
        rate = fmax(rate, fmax(v, sqrt(a)));
    }
    return rate;
}

// An explicit method of order 8 needs about rate/6 steps a second for stability; this many more
// than accuracy asks for is stiff. Undamped vibrations may have to be resolved anyway, so they
// count only where they are much faster.
static const double STIFF_DAMPING = 30.0, STIFF_VIBRATION = 300.0;

// The fastest rates at one point: those of dampers and states, and those of vibrations.
typedef struct Fastest {
    double damping, frequency;  // 1/s
    bool has_no_inertia;        // some part of the mass matrix is singular
} Fastest;

static void find_rates(const Rates* r, Fastest* out) {
    int n_x = r->s->dynamics.size.n_x;
    out->damping = fmax(largest_rate(r, r->b.C), largest_state_rate(&r->b, n_x));
    out->frequency = sqrt(largest_rate(r, r->b.K));
}

// The same without full matrices.
static bool find_deep(FbSystem* s, const FbPoint* p, Fastest* out) {
    FbVariation tree;
    FbError err;
    FbArena* arena = fb_arena_create();
    Rates r = {.s = s, .tree = &tree};
    bool is_good = arena && fb_tree_mass_create(&s->m->tree, &s->m->own, &r.mass, &err) == FB_OK;
    if (is_good) {
        fb_variation_init(&s->m->tree, arena, &tree);
        is_good = !fb_arena_has_failed(arena) &&
                  s->dynamics.ops->split_jacobian(&s->dynamics, p, &r.b, &err) == FB_OK;
    }
    if (is_good) {
        fb_variation_set(&tree, r.b.tree, p->v);
        fb_tree_mass_set(r.mass, &s->k);
        is_good = fb_tree_mass_factor(r.mass) == FB_OK;
    }
    if (is_good) {
        find_rates(&r, out);
    }
    fb_tree_mass_destroy(r.mass);
    fb_arena_destroy(arena);
    return is_good;
}

// false: they are not known.
static bool find_fastest(FbSystem* s, const FbPoint* p, Fastest* out) {
    FbError err;
    Rates r = {.s = s};
    *out = (Fastest){0};
    if (s->dynamics.is_deep) {
        return find_deep(s, p, out);
    }
    if (s->dynamics.size.n_v == 0 ||
        s->dynamics.ops->jacobian(&s->dynamics, p, &r.b, &err) != FB_OK) {
        return false;
    }
    fb_rows_realize(s, p->q, p->v, true);
    // The factorization overwrites M and G only, with the same values; C and K stay.
    out->has_no_inertia = fb_kkt_factor(s, p->q, false, &err) < 0;
    if (!out->has_no_inertia) {
        find_rates(&r, out);
    }
    return true;
}

double fb_system_calc_fastest_rate(FbDynamics* d, const FbPoint* p) {
    Fastest fastest;
    return find_fastest(fb_system_of(d), p, &fastest) ? fmax(fastest.damping, fastest.frequency)
                                                      : 0.0;
}

bool fb_system_is_stiff(FbSystem* s, const FbPoint* p, double duration, char* reason, size_t size) {
    Fastest fastest;
    snprintf(reason, size, "no stiff forces");
    if (!find_fastest(s, p, &fastest)) {
        return false;
    }
    if (fastest.has_no_inertia) {
        snprintf(reason, size,
                 "the mass matrix is singular, which only the implicit method can handle");
        return true;
    }
    double needed = motion_rate(s, p, duration);
    if (fastest.damping > STIFF_DAMPING * needed || fastest.frequency > STIFF_VIBRATION * needed) {
        snprintf(reason, size, "stiff: rates up to %.2g 1/s next to motion of about %.2g 1/s",
                 fmax(fastest.damping, fastest.frequency), needed);
        return true;
    }
    return false;
}
