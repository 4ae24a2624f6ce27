// The lowest modes of a large system as a list: each pair substituted into the equations,
// classified, counted once; and what is known about the list.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/lowest.h"
#include "linear/proportional.h"
#include "linear/sparse_search.h"

// A pair with a larger residual is not a mode.
static const double CLEAN = 1e-9, STEADY = 1e-5;

FbLowestOptions fb_lowest_options_default(void) {
    return (FbLowestOptions){.count = 10, .tolerance = 1e-13};
}

// While the list is made.
typedef struct Maker {
    FbSparseSearch search;
    FbLowest* out;
    double complex *u, *z;  // [n_state], [n]
    double complex* rigid;  // [n x count] orthonormal basis of the rigid-body motions listed
    int n_rigid;
    bool is_clean;  // all pairs are modes
    FbProportional damping;
} Maker;

// In the damped problem zero is a double eigenvalue for each rigid-body motion, and its computed
// vectors are some mixture: a motion is listed once, if it is not a combination of those listed
// before.
static bool is_new_motion(Maker* m) {
    int n = m->out->n;
    double complex* rest = m->u;  // free now
    memcpy(rest, m->z, sizeof(double complex) * (size_t)n);
    for (int k = 0; k < 2 * m->n_rigid; k++) {
        const double complex* q = m->rigid + (size_t)(k % m->n_rigid) * (size_t)n;
        double complex c = 0.0;
        for (int i = 0; i < n; i++) {
            c += conj(q[i]) * rest[i];
        }
        for (int i = 0; i < n; i++) {
            rest[i] -= c * q[i];
        }
    }
    double size = 0.0, whole = 0.0;
    for (int i = 0; i < n; i++) {
        size += creal(rest[i] * conj(rest[i]));
        whole += creal(m->z[i] * conj(m->z[i]));
    }
    if (!(size > 1e-6 * whole)) {
        return false;
    }
    double complex* q = m->rigid + (size_t)m->n_rigid++ * (size_t)n;
    for (int i = 0; i < n; i++) {
        q[i] = rest[i] / sqrt(size);
    }
    return true;
}

static FbModeClass class_of(const FbSparsePair* pair) {
    if (!(pair->constraint_residual < CLEAN)) {
        return FB_MODE_CONSTRAINT;
    }
    if (!(pair->residual < CLEAN && pair->drift < STEADY)) {
        return FB_MODE_ARTEFACT;
    }
    return pair->is_rigid ? FB_MODE_RIGID_BODY : FB_MODE_PHYSICAL;
}

static FbMode describe(const FbSparsePair* pair, FbModeClass class_, bool is_symmetric,
                       const FbProportional* damping) {
    double complex lambda = class_ == FB_MODE_RIGID_BODY ? 0.0 : pair->lambda;
    if (damping->is_used && class_ != FB_MODE_RIGID_BODY) {
        lambda = fb_proportional_root(damping, creal(pair->key));
    }
    double size = cabs(lambda);
    return (FbMode){.re = creal(lambda),
                    .im = cimag(lambda),
                    .class_ = class_,
                    .residual = pair->residual,
                    .constraint_residual = pair->constraint_residual,
                    .condition = is_symmetric ? 1.0 : 0.0,
                    .frequency_hz = size / (2.0 * acos(-1.0)),
                    .damping_ratio = size > 0.0 ? -creal(lambda) / size : 0.0};
}

// Inserts a mode by |lambda|.
static void insert(FbLowest* l, const FbMode* mode, const double complex* z) {
    size_t n = (size_t)l->n;
    int at = l->count++;
    for (; at > 0 && l->modes[at - 1].frequency_hz > mode->frequency_hz; at--) {
        l->modes[at] = l->modes[at - 1];
        memcpy(l->velocities + (size_t)at * n, l->velocities + (size_t)(at - 1) * n,
               sizeof(double complex) * n);
    }
    double complex lambda = CMPLX(mode->re, mode->im);
    double complex factor = mode->class_ == FB_MODE_RIGID_BODY ? 1.0 : lambda;
    l->modes[at] = *mode;
    for (size_t i = 0; i < n; i++) {
        l->velocities[(size_t)at * n + i] = factor * z[i];
    }
}

static void add_pair(Maker* m, const FbSparsePair* pair) {
    const FbSparseSearch* s = &m->search;
    FbModeClass class_ = class_of(pair);
    bool is_conjugate = cimag(pair->lambda) < -1e-12 * cabs(pair->lambda);
    bool is_again =
        class_ == FB_MODE_RIGID_BODY ? s->p.is_damped && !is_new_motion(m) : is_conjugate;
    if (is_again) {
        return;
    }
    FbMode mode = describe(pair, class_, s->p.is_symmetric, &m->damping);
    insert(m->out, &mode, m->z);
    m->is_clean = m->is_clean && (class_ == FB_MODE_PHYSICAL || class_ == FB_MODE_RIGID_BODY);
}

// Real vectors, refined some at a time: that reads the factors once for all of them.
static FbStatus list_real_modes(Maker* m, FbError* err) {
    enum { AT_ONCE = 8 };
    FbSparseSearch* s = &m->search;
    size_t n = (size_t)s->p.n, size = (size_t)s->p.size;
    double* x = malloc(sizeof(double) * AT_ONCE * (n + size) + 1);
    double* u = x ? x + AT_ONCE * size : NULL;
    FbStatus status = x ? FB_OK : fb_fail_memory(err);
    for (int k = 0; status == FB_OK && k < s->n_basis && m->out->count < s->options.count;) {
        int index[AT_ONCE], count = 0, left = s->options.count - m->out->count;
        for (; k < s->n_basis && count < AT_ONCE && count < left; k++) {
            if (s->nu[s->order[k]] != 0.0) {  // infinite: no inertia
                index[count++] = s->order[k];
            }
        }
        for (int i = 0; i < count; i++) {
            fb_sparse_search_calc_real_vector(s, index[i], u + (size_t)i * n);
        }
        memcpy(x, u, sizeof(double) * n * (size_t)count);
        status = fb_sparse_pencil_refine(&s->p, count, x);
        for (int i = 0; status == FB_OK && i < count; i++) {
            FbSparsePair pair;
            fb_sparse_pencil_check_real(&s->p, creal(s->nu[index[i]]), u + (size_t)i * n,
                                        x + (size_t)i * size, m->z, &pair);
            add_pair(m, &pair);
        }
    }
    free(x);
    return status;
}

static FbStatus list_modes(Maker* m, FbError* err) {
    FbSparseSearch* s = &m->search;
    m->is_clean = true;
    if (s->p.is_symmetric) {
        return list_real_modes(m, err);
    }
    for (int k = 0; k < s->n_basis && m->out->count < s->options.count; k++) {
        FbSparsePair pair;
        int index = s->order[k];
        if (s->nu[index] == 0.0) {
            continue;  // infinite: no inertia
        }
        fb_sparse_search_calc_vector(s, index, m->u);
        fb_sparse_pencil_check(&s->p, s->nu[index], m->u, m->z, &pair);
        add_pair(m, &pair);
    }
    return FB_OK;
}

static FbStatus check_options(const FbOperatingPoint* point, const FbLowestOptions* o,
                              FbError* err) {
    const FbSizes* size = &point->dynamics->size;
    if (o->count < 1 || !(o->tolerance > 0.0) || !isfinite(o->shift) || !isfinite(o->shift_im)) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "the lowest modes need a count >= 1 (it is %d), a tolerance > 0 (it is %g) "
                       "and a finite shift",
                       o->count, o->tolerance);
    }
    if (size->n_v + size->n_x <= size->n_c) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "the mechanism has no degree of freedom, so it cannot vibrate");
    }
    for (int j = 0; !o->is_damped && j < size->n_v; j++) {
        if (point->p.v[j] != 0.0) {
            return fb_fail(
                err, FB_ERR_UNAVAILABLE, NULL,
                "undamped modes require a state of rest, but here %s moves; use damped modes",
                point->dynamics->ops->name_of_velocity(point->dynamics, j));
        }
    }
    return FB_OK;
}

static FbStatus check_states(const FbSparsePencil* p, FbError* err) {
    size_t count = (size_t)p->n * (size_t)p->op->dynamics->size.n_x;
    for (size_t e = 0; !p->is_damped && e < count; e++) {
        if (p->b.Rx[e] != 0.0) {
            return fb_fail(
                err, FB_ERR_UNAVAILABLE, NULL,
                "undamped modes ignore the states that act on this model; use damped modes");
        }
    }
    return FB_OK;
}

static FbStatus take_memory(Maker* m, FbError* err) {
    FbSparseSearch* s = &m->search;
    FbLowest* l = m->out;
    size_t n = (size_t)l->n, k = (size_t)s->options.count;
    m->u = FB_TAKE(s->arena, double complex, (size_t)s->p.n_state + 1);
    m->z = FB_TAKE(s->arena, double complex, n + 1);
    m->rigid = FB_TAKE(s->arena, double complex, n* k + 1);
    l->modes = calloc(k + 1, sizeof *l->modes);
    l->velocities = calloc(n * k + 1, sizeof *l->velocities);
    l->parts = calloc(2 * n + 1, sizeof *l->parts);
    l->motions = calloc(12 * (size_t)l->point->model->n_bodies + 1, sizeof *l->motions);
    l->moving = -1;
    bool is_there =
        l->modes && l->velocities && l->parts && l->motions && !fb_arena_has_failed(s->arena);
    return is_there ? FB_OK : fb_fail_memory(err);
}

static FbStatus make(Maker* m, FbError* err) {
    FbSparseSearch* s = &m->search;
    const FbLowestOptions* o = &s->options;
    bool is_complex = o->is_damped && o->has_shift && o->shift_im != 0.0;
    bool is_damped = o->is_damped && !m->damping.is_used;
    FB_TRY(fb_sparse_pencil_init(&s->p, m->out->point, is_damped, is_complex, err));
    FB_TRY(check_states(&s->p, err));
    FB_TRY(fb_sparse_search_init(s, err));
    FB_TRY(take_memory(m, err));
    FB_TRY(fb_sparse_search_run(s, err));
    FB_TRY(list_modes(m, err));
    bool is_changed;
    FB_TRY(fb_sparse_count_prove(s, &is_changed, err));
    if (is_changed) {
        m->out->count = m->n_rigid = 0;
        FB_TRY(list_modes(m, err));
    }
    s->info.is_complete = s->info.is_complete && m->is_clean;
    FB_TRY(fb_sparse_count_look_below(s, err));
    m->out->info = s->info;
    m->out->is_real = s->p.is_symmetric;
    m->out->info.n_factorizations = s->p.n_factorizations;
    m->out->info.n_solves = s->p.n_solves;
    return FB_OK;
}

static FbStatus make_with(FbLowest* l, const FbLowestOptions* options, FbProportional damping,
                          FbError* err) {
    Maker m = {.search = {.options = *options}, .out = l, .damping = damping};
    FbStatus status = make(&m, err);
    fb_arena_destroy(m.search.arena);
    fb_sparse_pencil_free(&m.search.p);
    return status;
}

// Unstable and overdamped modes are not ordered as the undamped ones are.
static bool is_order_kept(const FbLowest* l, const FbProportional* damping) {
    bool is_kept = l->info.unstable_rate == 0.0;
    for (int k = 0; k < l->count; k++) {
        double w = 2.0 * acos(-1.0) * l->modes[k].frequency_hz;
        is_kept = is_kept && (l->modes[k].class_ == FB_MODE_RIGID_BODY
                                  ? damping->alpha == 0.0
                                  : fb_proportional_keeps_order(damping, w));
    }
    return is_kept;
}

static void forget(FbLowest* l) {
    free(l->modes);
    free(l->velocities);
    free(l->parts);
    free(l->motions);
    l->modes = NULL;
    l->velocities = NULL;
    l->parts = l->motions = NULL;
    l->count = 0;
}

FbStatus fb_modes_lowest(FbOperatingPoint* point, const FbLowestOptions* options, FbLowest** out,
                         FbError* err) {
    *out = NULL;
    FB_TRY(check_options(point, options, err));
    FB_TRY(fb_system_check_linear(point->system, err));
    FbLowest* l = calloc(1, sizeof *l);
    if (!l) {
        return fb_fail_memory(err);
    }
    l->point = point;
    l->n = point->dynamics->size.n_v;
    FbProportional damping = {0};
    if (options->is_damped && !options->has_shift) {
        fb_proportional_find(point, &damping);
    }
    FbStatus status = make_with(l, options, damping, err);
    if (status == FB_OK && damping.is_used && !is_order_kept(l, &damping)) {
        forget(l);
        status = make_with(l, options, (FbProportional){0}, err);
    }
    if (status != FB_OK) {
        fb_lowest_destroy(l);
        return status;
    }
    *out = l;
    return FB_OK;
}
