// Linearizations: memory, the choice of method, inputs and outputs, frequency response,
// participation and shapes.
#include "linear/linearization.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"

FbLinearOptions fb_linear_options_default(void) {
    return (FbLinearOptions){.method = FB_METHOD_INDEPENDENT, .penalty = 1e7};
}

static void take_nullspace(FbArena* a, FbNullspace* s, int n, int m) {
    s->n = n;
    s->m = m;
    s->f = n - m;
    s->work = FB_TAKE(a, double, (size_t)m*(size_t)n + 1);
    s->dependent =
        FB_TAKE(a, int, m + n + 1);  // the flags of the elimination live behind the indices
    s->independent = FB_TAKE(a, int, s->f + 1);
    s->N = FB_TAKE(a, double, (size_t)n*(size_t)s->f + 1);
    s->scale = FB_TAKE(a, double, n + 1);
}

static void take_blocks(FbLinearization* l) {
    FbDenseBlocks* b = &l->b;
    size_t n = (size_t)b->n, m = (size_t)b->m, n_x = (size_t)b->n_x;
    b->M = FB_TAKE(l->arena, double, n* n + 1);
    b->C = FB_TAKE(l->arena, double, n* n + 1);
    b->K = FB_TAKE(l->arena, double, n* n + 1);
    b->G = FB_TAKE(l->arena, double, m* n + 1);
    b->Gq = FB_TAKE(l->arena, double, m* n + 1);
    b->Rx = FB_TAKE(l->arena, double, n* n_x + 1);
    b->Xq = FB_TAKE(l->arena, double, n* n_x + 1);
    b->Xv = FB_TAKE(l->arena, double, n* n_x + 1);
    b->Xx = FB_TAKE(l->arena, double, n_x* n_x + 1);
    bool has_tangents = l->op->dynamics->n_ball > 0 || l->op->spins.n_entries > 0;
    b->W = has_tangents ? FB_TAKE(l->arena, double, n* n) : NULL;
    bool is_moving = !l->op->info.is_equilibrium;  // or about to
    for (size_t j = 0; j < n; j++) {
        is_moving = is_moving || l->op->p.v[j] != 0.0;
    }
    if (is_moving && m > 0) {
        b->G_rate = FB_TAKE(l->arena, double, m* n);
        b->Gq_rate = FB_TAKE(l->arena, double, m* n);
        b->moved_q = FB_TAKE(l->arena, double, l->op->dynamics->size.n_q);
        b->moved_v = FB_TAKE(l->arena, double, n);
        b->step = FB_TAKE(l->arena, double, n);
    }
}

static void take_reduced(FbLinearization* l) {
    size_t n = (size_t)l->b.n, f = (size_t)l->f, p = (size_t)l->p, N = (size_t)l->n_reduced,
           size = (size_t)l->size;
    size_t s = n + (size_t)l->b.m;
    size_t largest = size * size;
    largest = largest > s * s ? largest : s * s;
    largest = largest > n * (f + p) ? largest : n * (f + p);
    largest = largest > N * N ? largest : N * N;
    l->Mr = FB_TAKE(l->arena, double, p* p + 1);
    l->Cr = FB_TAKE(l->arena, double, p* p + 1);
    l->Kr = FB_TAKE(l->arena, double, p* f + 1);
    l->Bv = FB_TAKE(l->arena, double, n* f + 1);
    l->Dv = FB_TAKE(l->arena, double, n*(f + p) + 1);
    l->A = FB_TAKE(l->arena, double, N* N + 1);
    l->work_a = FB_TAKE(l->arena, double, largest + 1);
    l->work_e = FB_TAKE(l->arena, double, largest + 1);
    l->MN = FB_TAKE(l->arena, double, n* p + 1);
    l->lu = FB_TAKE(l->arena, double, p* p + 1);
    l->mass_unit = FB_TAKE(l->arena, double, p + 1);
    l->pivot = FB_TAKE(l->arena, int, s + size + 1);
    l->dense = FB_TAKE(l->arena, double, 4 * s + (size_t)l->b.n_x + 1);
}

static void take_modes(FbLinearization* l) {
    size_t n = (size_t)l->b.n, N = (size_t)l->n_reduced, size = (size_t)l->size;
    size = size > N ? size : N;
    l->w = FB_TAKE(l->arena, double complex, size + 1);
    l->alpha = FB_TAKE(l->arena, double complex, size + 2 * n + 1);
    l->beta = FB_TAKE(l->arena, double, size + 1);
    l->right = FB_TAKE(l->arena, double complex, size* size + 1);
    bool needs_left =
        l->options.method == FB_METHOD_DESCRIPTOR || l->options.method == FB_METHOD_INDEPENDENT;
    l->left = needs_left ? FB_TAKE(l->arena, double complex, size* size + 1) : NULL;
    size_t room = n > N ? n : N;  // deflation keeps its vectors there first
    l->xq = FB_TAKE(l->arena, double complex, room* size + 1);
    l->xv = FB_TAKE(l->arena, double complex, n* size + 1);
    l->xx = FB_TAKE(l->arena, double complex, (size_t)l->b.n_x* size + 1);
    l->balance = FB_TAKE(l->arena, double, N + 1);
    l->Q = FB_TAKE(l->arena, double, N* N + 1);
    l->T = FB_TAKE(l->arena, double, N* N + 1);
    l->modes = FB_TAKE(l->arena, FbMode, size + 1);
    l->order = FB_TAKE(l->arena, int, size + 1);
    l->motions = FB_TAKE(l->arena, double, 12 * (size_t)l->op->model->n_bodies + 1);
    l->moving = -1;
}

static void take_input_output(FbLinearization* l) {
    size_t N = (size_t)l->n_reduced;
    l->n_u = fb_system_get_input_count(l->op->system);
    size_t most = (size_t)l->op->model->n_outputs;
    l->Bu = FB_TAKE(l->arena, double, N*(size_t)l->n_u + 1);
    l->Cy = FB_TAKE(l->arena, double, N* most + 1);
    l->D = FB_TAKE(l->arena, double, most*(size_t)l->n_u + 1);
    l->by_input = FB_TAKE(l->arena, double, l->n_u + 1);
    l->output_of = FB_TAKE(l->arena, int, most + 1);
}

FbStatus fb_linearization_create(FbOperatingPoint* point, const FbLinearOptions* options,
                                 FbLinearization** out, FbError* err) {
    *out = NULL;
    FB_TRY(fb_system_check_linear(point->system, err));
    FbLinearization* l = calloc(1, sizeof *l);
    if (!l || !(l->arena = fb_arena_create())) {
        free(l);
        return fb_fail_memory(err);
    }
    const FbSizes* size = &point->dynamics->size;
    l->op = point;
    l->options = *options;
    l->b.n = size->n_v;
    l->b.m = size->n_c;
    l->b.m_h = size->n_g;
    l->b.n_x = size->n_x;
    l->is_holonomic = size->n_g == size->n_c;
    l->f = size->n_v - size->n_g;
    l->p = size->n_v - size->n_c;
    l->n_reduced = l->f + l->p + size->n_x;
    bool is_descriptor = options->method == FB_METHOD_DESCRIPTOR;
    l->size = options->method == FB_METHOD_INDEPENDENT
                  ? l->n_reduced
                  : 2 * size->n_v + (is_descriptor ? size->n_c + size->n_x : 0);
    take_blocks(l);
    take_nullspace(l->arena, &l->all, size->n_v, size->n_c);
    if (l->is_holonomic) {
        l->holonomic = l->all;
    } else {
        take_nullspace(l->arena, &l->holonomic, size->n_v, size->n_g);
    }
    take_reduced(l);
    take_modes(l);
    take_input_output(l);
    if (fb_arena_has_failed(l->arena)) {
        fb_linearization_destroy(l);
        return fb_fail_memory(err);
    }
    *out = l;
    return FB_OK;
}

void fb_linearization_destroy(FbLinearization* l) {
    if (l) {
        fb_arena_destroy(l->arena);
        free(l);
    }
}

static FbStatus solve_scaled(FbLinearization* l, FbError* err) {
    switch (l->options.method) {
        case FB_METHOD_DESCRIPTOR:
            return fb_linear_descriptor(l, err);
        case FB_METHOD_ODE:
            return fb_linear_ode(l, err);
        case FB_METHOD_PENALTY:
            return fb_linear_penalty(l, err);
        case FB_METHOD_INDEPENDENT:
            break;
    }
    return FB_OK;
}

FbStatus fb_linearization_run(FbLinearization* l, FbError* err) {
    l->has_run = false;
    l->n_modes = 0;
    l->moving = -1;
    memset(l->modes, 0, sizeof(FbMode) * (size_t)(l->size > l->n_reduced ? l->size : l->n_reduced));
    if (l->p == 0 && l->f == 0 && l->b.n_x == 0) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "the mechanism has no degree of freedom, so it cannot vibrate");
    }
    fb_system_clear_failure(l->op->system);
    FbStatus taken = fb_linear_take_blocks(l, err);
    FB_TRY(fb_system_conclude(l->op->system, taken, err));
    if (l->options.method == FB_METHOD_INDEPENDENT) {  // its matrices are results, in SI
        FB_TRY(fb_linear_independent(l, err));
        fb_linear_classify(l);
    } else {
        fb_linear_scale(l);
        FbStatus status = solve_scaled(l, err);
        if (status == FB_OK) {
            fb_linear_classify(l);
        }
        fb_linear_unscale(l);
        FB_TRY(status);
    }
    l->has_run = true;
    return FB_OK;
}

int fb_linearization_get_mode_count(const FbLinearization* l) {
    return l->n_modes;
}

const FbMode* fb_linearization_get_mode(const FbLinearization* l, int index) {
    return index >= 0 && index < l->n_modes ? &l->modes[l->order[index]] : NULL;
}

// Real and imaginary velocities w x of a mode, into dense[0 .. 2 n).
void fb_linearization_calc_velocities(FbLinearization* l, int index, double** re, double** im) {
    int n = l->b.n, k = l->order[index];
    double complex w = l->w[k] != 0.0 && !l->modes[k].is_infinite ? l->w[k] : 1.0;
    *re = l->dense;
    *im = l->dense + n;
    for (int j = 0; j < n; j++) {
        double complex v = w * l->xq[(size_t)k * (size_t)n + (size_t)j];
        (*re)[j] = creal(v);
        (*im)[j] = cimag(v);
    }
}

FbStatus fb_linearization_calc_participation(FbLinearization* l, int mode, double* fractions) {
    if (mode < 0 || mode >= l->n_modes) {
        return FB_ERR_ARGUMENT;
    }
    int n = l->op->model->n_bodies;
    double *re, *im, sum = 0.0;
    double* second = malloc(sizeof(double) * ((size_t)n + 1));
    if (!second) {
        return FB_ERR_MEMORY;
    }
    fb_linearization_calc_velocities(l, mode, &re, &im);
    fb_system_calc_body_energies(l->op->system, l->op->p.q, re, fractions);
    fb_system_calc_body_energies(l->op->system, l->op->p.q, im, second);
    for (int b = 0; b < n; b++) {
        fractions[b] += second[b];
        sum += fractions[b];
    }
    for (int b = 0; b < n; b++) {
        fractions[b] = sum > 0.0 ? fractions[b] / sum : 0.0;
    }
    free(second);
    return FB_OK;
}

// v + w x arm, from the velocity and angular velocity of a body.
static void move_point(const double motion[6], const double arm[3], double out[3]) {
    FbVec3 w = fb_vec3_from(motion + 3);
    fb_vec3_to(fb_add(fb_vec3_from(motion), fb_cross(w, fb_vec3_from(arm))), out);
}

void fb_linear_move_point(FbOperatingPoint* op, const double* motions, int body, const double at[3],
                          double re[3], double im[3]) {
    double arm[3];
    fb_system_turn_to_ground(op->system, body, at, arm);
    move_point(motions + 6 * (size_t)body, arm, re);
    move_point(motions + 6 * (size_t)(op->model->n_bodies + body), arm, im);
}

FbStatus fb_linearization_calc_shape(FbLinearization* l, int mode, int body, const double at[3],
                                     double re[3], double im[3]) {
    if (mode < 0 || mode >= l->n_modes || body < 0 || body >= l->op->model->n_bodies) {
        return FB_ERR_ARGUMENT;
    }
    if (l->moving != mode) {
        size_t n = 6 * (size_t)l->op->model->n_bodies;
        fb_linearization_calc_motions(l, mode, l->motions, l->motions + n);
        l->moving = mode;
    }
    fb_linear_move_point(l->op, l->motions, body, at, re, im);
    return FB_OK;
}

void fb_linearization_calc_motions(FbLinearization* l, int mode, double* re, double* im) {
    double *vr, *vi;
    fb_linearization_calc_velocities(l, mode, &vr, &vi);
    fb_system_calc_body_motions(l->op->system, l->op->p.q, vr, re);
    fb_system_calc_body_motions(l->op->system, l->op->p.q, vi, im);
}

void fb_linearization_get_matrices(const FbLinearization* l, FbReducedMatrices* m) {
    *m = (FbReducedMatrices){.f = l->f,
                             .p = l->p,
                             .n_x = l->b.n_x,
                             .n = l->n_reduced,
                             .M = l->Mr,
                             .C = l->Cr,
                             .K = l->Kr,
                             .A = l->A,
                             .n_u = l->n_u,
                             .n_inputs = l->op->model->n_inputs,
                             .n_y = l->n_y,
                             .B = l->Bu,
                             .Cy = l->Cy,
                             .D = l->D};
}

const char* fb_linearization_get_input_name(const FbLinearization* l, int index) {
    return index >= 0 && index < l->n_u ? fb_system_get_input_name(l->op->system, index) : NULL;
}

const char* fb_linearization_get_output_name(const FbLinearization* l, int index) {
    return index >= 0 && index < l->n_y ? l->op->model->outputs[l->output_of[index]].name : NULL;
}

// The joint of an independent coordinate or velocity, or the state.
const char* fb_linearization_get_state_name(const FbLinearization* l, int index) {
    if (index < 0 || index >= l->n_reduced) {
        return NULL;
    }
    if (index >= l->f + l->p) {
        return l->op->model->states[index - l->f - l->p].name;
    }
    int v = index < l->f ? l->holonomic.independent[index] : l->all.independent[index - l->f];
    return l->op->dynamics->ops->name_of_velocity(l->op->dynamics, v);
}

static FbStatus fill_inputs(FbLinearization* l, FbError* err) {
    int n = l->b.n, N = l->n_reduced;
    memset(l->Bu, 0, sizeof(double) * (size_t)N * (size_t)l->n_u);
    for (int u = 0; u < l->n_u; u++) {
        memset(l->dense, 0, sizeof(double) * (size_t)n);
        double* column = l->Bu + (size_t)u * (size_t)N + (size_t)l->f;
        FB_TRY(fb_system_calc_input_direction(l->op->system, &l->op->p, u, l->dense, column + l->p,
                                              err));
        for (int i = 0; i < l->p; i++) {
            for (int j = 0; j < n; j++) {
                column[i] += l->all.N[(size_t)i * (size_t)n + (size_t)j] * l->dense[j];
            }
        }
        if (l->p > 0) {
            fb_linear_solve_mass(l, column);
        }
    }
    return FB_OK;
}

static void fill_outputs(FbLinearization* l) {
    int n = l->b.n, N = l->n_reduced, most = l->op->model->n_outputs;
    double *by_q = l->dense, *by_v = l->dense + n, *by_x = l->dense + 2 * n;
    l->n_y = 0;
    for (int o = 0; o < most; o++) {
        if (fb_system_calc_output_gradient(l->op->system, &l->op->p, o, by_q, by_v, by_x)) {
            l->output_of[l->n_y++] = o;
        }
    }
    for (int y = 0; y < l->n_y; y++) {
        fb_system_calc_output_gradient(l->op->system, &l->op->p, l->output_of[y], by_q, by_v, by_x);
        for (int j = 0; j < N; j++) {
            double sum = j >= l->f + l->p ? by_x[j - l->f - l->p] : 0.0;
            for (int c = 0; j < l->f + l->p && c < n; c++) {
                sum += j < l->f ? by_q[c] * l->holonomic.N[(size_t)j * (size_t)n + (size_t)c] +
                                      by_v[c] * l->Bv[(size_t)j * (size_t)n + (size_t)c]
                                : by_v[c] * l->all.N[(size_t)(j - l->f) * (size_t)n + (size_t)c];
            }
            l->Cy[(size_t)j * (size_t)l->n_y + (size_t)y] = sum;
        }
    }
    for (int y = 0; y < l->n_y; y++) {
        fb_system_calc_output_feedthrough(l->op->system, &l->op->p, l->output_of[y], l->by_input);
        for (int u = 0; u < l->n_u; u++) {
            l->D[(size_t)u * (size_t)l->n_y + (size_t)y] = l->by_input[u];
        }
    }
}

FbStatus fb_linearization_calc_input_output(FbLinearization* l, FbError* err) {
    if (!l->has_run || l->options.method != FB_METHOD_INDEPENDENT) {
        return fb_fail(
            err, FB_ERR_ARGUMENT, NULL,
            "inputs and outputs are available only for the independent method, after it has run");
    }
    FB_TRY(fb_system_check_inputs(l->op->system, err));
    FB_TRY(fill_inputs(l, err));
    fill_outputs(l);
    return fb_system_conclude(l->op->system, FB_OK, err);
}

FbStatus fb_linearization_calc_response(FbLinearization* l, int input, int output, double omega,
                                        double* re, double* im, FbError* err) {
    int N = l->n_reduced;
    if (input < 0 || input >= l->n_u || output < 0 || output >= l->n_y) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "there is no input %d or output %d", input,
                       output);
    }
    double complex* a = malloc(sizeof(double complex) * ((size_t)N * (size_t)N + (size_t)N));
    if (!a) {
        return fb_fail_memory(err);
    }
    double complex* x = a + (size_t)N * (size_t)N;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            a[(size_t)j * (size_t)N + (size_t)i] =
                CMPLX(-l->A[(size_t)j * (size_t)N + (size_t)i], i == j ? omega : 0.0);
        }
        x[j] = l->Bu[(size_t)input * (size_t)N + (size_t)j];
    }
    bool is_singular = fb_lu_factor_complex(N, a, l->pivot + l->p) >= 0;
    double complex y = l->D[(size_t)input * (size_t)l->n_y + (size_t)output];
    if (!is_singular) {
        fb_lu_solve_complex(N, a, l->pivot + l->p, x);
        for (int j = 0; j < N; j++) {
            y += l->Cy[(size_t)j * (size_t)l->n_y + (size_t)output] * x[j];
        }
    }
    free(a);
    *re = is_singular ? INFINITY : creal(y);
    *im = is_singular ? 0.0 : cimag(y);
    return FB_OK;
}
