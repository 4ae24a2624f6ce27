// Forces: applying them to links, and their work; their blocks are in force_blocks.c.
#include <math.h>
#include <string.h>

#include "system/force_state.h"

const FbTermState* fb_force_realize_term(FbSystem* s, const FbPoint* p, int t) {
    FbTermState* state = &s->term[t];
    fb_term_calc_position(&s->m->terms[t], &s->k, p->q, s->turns, state);
    fb_term_calc_rate(&s->m->terms[t], &s->k, p->v, state);
    return state;
}

double fb_force_calc_force(FbSystem* s, const FbPoint* p, const FbForce* e,
                           const FbTermState* state, FbScalarForce* out) {
    *out = (FbScalarForce){0, 0, 0};
    if (fb_force_is_off(s, e)) {
        return 0.0;
    }
    if (e->type->scalar) {
        e->type->scalar(e->def, e->rest, state->value, state->rate, out);
    }
    double total = out->q;
    if (e->function[0] >= 0) {
        total += e->type->expression_sign *
                 fb_function_calc(s, p, e->function[0], state->value, state->rate);
    }
    if (e->law >= 0) {
        double law[3];
        fb_law_now(s, e->law, p->t, law);
        total += e->type->expression_sign * law[0];
    }
    return total;
}

// The origin of a frame, from the base of its link.
FbVec3 fb_force_frame_point(const FbSystem* s, const FbLinkFrame* f) {
    return fb_link_point(&s->k, f->link, f->p);
}
static FbMat3 ground_axes(const FbSystem* s, const FbLinkFrame* f) {
    return f->link >= 0 ? fb_mat3_mul(&s->k.R[f->link], &f->R) : f->R;
}

static void apply_scalar(FbSystem* s, const FbPoint* p, const FbForce* e) {
    const FbTerm* term = &s->m->terms[e->term];
    const FbTermState* state = fb_force_realize_term(s, p, e->term);
    FbScalarForce law;
    double q = fb_force_calc_force(s, p, e, state, &law);
    if (term->kind == FB_TERM_COORDINATE) {
        s->k.tau[term->coordinate_v] += q;
        return;
    }
    fb_term_push(term, &s->k, state, q);
}

static void calc_relative(const FbSystem* s, const FbForce* e, FbRelative* r) {
    FbMat3 Rb = ground_axes(s, &e->b);
    r->Ra = ground_axes(s, &e->a);
    r->at_b = fb_force_frame_point(s, &e->b);
    r->at_a = fb_from_base(&s->k, e->a.link, e->b.link, r->at_b);
    FbVec6 Vr = fb_sub6(fb_velocity_about(&s->k, e->b.link, r->at_b),
                        fb_velocity_about(&s->k, e->a.link, r->at_a));
    Vr.lin = fb_add(Vr.lin, fb_base_velocity_step(&s->k, e->a.link, e->b.link));
    r->w_ground = Vr.ang;
    r->R_AB = fb_mat3_mul_tn(&r->Ra, &Rb);
    r->p_AB =
        fb_mul3_transposed(&r->Ra, fb_from_point(&s->k, e->a.link, e->a.p, e->b.link, r->at_b));
    r->w_AB = fb_mul3_transposed(&r->Ra, Vr.ang);
    r->v_AB = fb_mul3_transposed(&r->Ra, Vr.lin);
}

// From torque and force in a's axes to a spatial force about b's origin.
FbVec6 fb_force_lift(const FbRelative* r, const double f[6]) {
    return fb_vec6(fb_mul3(&r->Ra, fb_vec3_from(f)), fb_mul3(&r->Ra, fb_vec3_from(f + 3)));
}

FbVec6 fb_force_calc_wrench(FbSystem* s, const FbForce* e, FbRelative* r, FbWrenchLaw* law) {
    calc_relative(s, e, r);
    e->type->wrench(e->def, &r->R_AB, r->p_AB, r->w_AB, r->v_AB, law);
    return fb_force_lift(r, law->force);
}

static FbVec3 calc_components(FbSystem* s, const FbPoint* p, const FbForce* e) {
    return fb_vec3(fb_function_calc(s, p, e->function[0], 0, 0),
                   fb_function_calc(s, p, e->function[1], 0, 0),
                   fb_function_calc(s, p, e->function[2], 0, 0));
}

FbVec3 fb_force_calc_vector(FbSystem* s, const FbPoint* p, const FbForce* e, FbMat3* axes) {
    *axes = e->in_body_frame ? ground_axes(s, &e->a) : fb_mat3_identity();
    return fb_mul3(axes, calc_components(s, p, e));
}

// About the point of the force.
FbVec6 fb_force_of_vector(const FbForce* e, FbVec3 v) {
    FbVec3 zero = {0, 0, 0};
    return e->measure == FB_MEASURE_POINT_FORCE ? fb_vec6(zero, v) : fb_vec6(v, zero);
}

// On a node of a linear structure: the link feels the force where it is, for reactions; along the
// coordinates it acts as in the drawing (eq. 8.40).
static void apply_vector(FbSystem* s, const FbPoint* p, const FbForce* e) {
    FbMat3 axes;
    FbVec6 f = fb_force_of_vector(e, fb_force_calc_vector(s, p, e, &axes));
    FbVec3 at = fb_force_frame_point(s, &e->a);
    fb_push(&s->k, e->a.link, at, f);
    if (!e->linear_rows) {
        return;
    }
    FbVec3 v = calc_components(s, p, e);
    for (int j = 0; j < e->n_path; j++) {
        int k = s->m->paths.v[e->path + j];
        s->k.tau[k] += fb_dot(fb_vec3_from(e->linear_rows + 3 * j), v) -
                       fb_dot6(fb_column_at(&s->k, k, at), f);
    }
}

static void apply(FbSystem* s, const FbPoint* p, const double* a) {
    (void)a;
    for (int i = 0; i < s->m->n_forces; i++) {
        const FbForce* e = &s->m->forces[i];
        if (fb_force_is_off(s, e)) {
            continue;
        }
        FbRelative r;
        FbWrenchLaw law;
        FbVec6 f;
        switch (e->measure) {
            case FB_MEASURE_FRAMES:
                f = fb_force_calc_wrench(s, e, &r, &law);
                fb_push(&s->k, e->b.link, r.at_b, f);
                fb_push(&s->k, e->a.link, r.at_a, fb_scale6(-1.0, f));
                break;
            case FB_MEASURE_POINT_FORCE:
            case FB_MEASURE_POINT_TORQUE:
                apply_vector(s, p, e);
                break;
            default:
                apply_scalar(s, p, e);
                break;
        }
    }
}

// Where all forces are linear: those along coordinates, and loads on nodes.
static void add_load(FbSystem* s, const FbPoint* p, double* r) {
    for (int i = 0; i < s->m->n_forces; i++) {
        const FbForce* e = &s->m->forces[i];
        bool is_constant = e->law < 0;
        for (int c = 0; c < 3; c++) {
            is_constant &= e->function[c] < 0 || fb_function_is_constant(s->m, e->function[c]);
        }
        if (is_constant || fb_force_is_off(s, e)) {
            continue;
        }
        if (!e->linear_rows) {
            FbScalarForce law;
            const FbTermState* state = fb_force_realize_term(s, p, e->term);
            r[s->m->terms[e->term].coordinate_v] -= fb_force_calc_force(s, p, e, state, &law);
            continue;
        }
        FbVec3 v = calc_components(s, p, e);
        for (int j = 0; j < e->n_path; j++) {
            r[s->m->paths.v[e->path + j]] -= fb_dot(fb_vec3_from(e->linear_rows + 3 * j), v);
        }
    }
}

// Stored in springs and bushings.
static void add_energies(FbSystem* s, const FbPoint* p, double* kinetic, double* potential) {
    double sum = 0.0;
    (void)kinetic;
    for (int i = 0; i < s->m->n_forces; i++) {
        const FbForce* e = &s->m->forces[i];
        if (e->term >= 0) {
            fb_term_calc_position(&s->m->terms[e->term], &s->k, p->q, s->turns, &s->term[e->term]);
        }
        if (fb_force_is_off(s, e)) {
            continue;
        }
        if (e->measure == FB_MEASURE_FRAMES) {
            FbRelative r;
            FbWrenchLaw law;
            fb_force_calc_wrench(s, e, &r, &law);
            sum += law.energy;
        } else if (e->type->energy && e->term >= 0) {
            sum += e->type->energy(e->def, e->rest, s->term[e->term].value);
        }
    }
    *potential += sum;
}

// Power of a bushing's damping: the wrench without its velocity part does the rest.
static double wrench_dissipation(FbSystem* s, const FbForce* e) {
    FbRelative r;
    FbWrenchLaw moving, still;
    FbVec3 zero = {0, 0, 0};
    fb_force_calc_wrench(s, e, &r, &moving);
    e->type->wrench(e->def, &r.R_AB, r.p_AB, zero, zero, &still);
    double rate[6] = {r.w_AB.x, r.w_AB.y, r.w_AB.z, r.v_AB.x, r.v_AB.y, r.v_AB.z};
    double power = 0.0;
    for (int i = 0; i < 6; i++) {
        power -= (moving.force[i] - still.force[i]) * rate[i];
    }
    return power;
}

static double vector_power(FbSystem* s, const FbPoint* p, const FbForce* e) {
    FbMat3 axes;
    double power = 0.0;
    if (!e->linear_rows) {
        FbVec6 f = fb_force_of_vector(e, fb_force_calc_vector(s, p, e, &axes));
        FbVec3 velocity = fb_point_velocity(&s->k, e->a.link, fb_force_frame_point(s, &e->a));
        return fb_dot(f.ang, s->k.V[e->a.link].ang) + fb_dot(f.lin, velocity);
    }
    FbVec3 v = calc_components(s, p, e);
    for (int j = 0; j < e->n_path; j++) {
        power += fb_dot(fb_vec3_from(e->linear_rows + 3 * j), v) * p->v[s->m->paths.v[e->path + j]];
    }
    return power;
}

static FbVec6 wrench_of(FbSystem* s, const FbPoint* p, const FbForce* e) {
    if (fb_force_is_off(s, e)) {
        return fb_zero6();
    }
    FbRelative r;
    FbWrenchLaw law;
    FbMat3 axes;
    FbScalarForce scalar;
    const FbTermState* state;
    switch (e->measure) {
        case FB_MEASURE_FRAMES:
            return fb_force_calc_wrench(s, e, &r, &law);
        case FB_MEASURE_POINT_FORCE:
        case FB_MEASURE_POINT_TORQUE:
            return fb_force_of_vector(e, fb_force_calc_vector(s, p, e, &axes));
        default:  // Q w, section 3.2
            state = fb_force_realize_term(s, p, e->term);
            return fb_scale6(fb_force_calc_force(s, p, e, state, &scalar), state->w);
    }
}

static double power_of(FbSystem* s, const FbPoint* p, const FbForce* e) {
    if (fb_force_is_off(s, e)) {
        return 0.0;
    }
    FbRelative r;
    FbWrenchLaw law;
    FbScalarForce scalar;
    const FbTermState* state;
    switch (e->measure) {
        case FB_MEASURE_FRAMES:
            fb_force_calc_wrench(s, e, &r, &law);
            return fb_dot(fb_vec3_from(law.force), r.w_AB) +
                   fb_dot(fb_vec3_from(law.force + 3), r.v_AB);
        case FB_MEASURE_POINT_FORCE:
        case FB_MEASURE_POINT_TORQUE:
            return vector_power(s, p, e);
        default:
            state = fb_force_realize_term(s, p, e->term);
            return fb_force_calc_force(s, p, e, state, &scalar) * state->rate;
    }
}

static void add_powers(FbSystem* s, const FbPoint* p, double* supplied, double* dissipated) {
    for (int i = 0; i < s->m->n_forces; i++) {
        const FbForce* e = &s->m->forces[i];
        if (fb_force_is_off(s, e)) {
            continue;
        }
        if (e->measure == FB_MEASURE_FRAMES) {
            *dissipated += wrench_dissipation(s, e);
        } else if (e->measure == FB_MEASURE_POINT_FORCE || e->measure == FB_MEASURE_POINT_TORQUE) {
            *supplied += vector_power(s, p, e);
        } else {
            const FbTermState* state = fb_force_realize_term(s, p, e->term);
            FbScalarForce law;
            double q = fb_force_calc_force(s, p, e, state, &law);
            *supplied += (q - law.q) * state->rate;
            if (e->type->dissipation) {
                *dissipated += e->type->dissipation(e->def, e->rest, state->value, state->rate);
            }
        }
    }
}

static FbVec3 to_frame(const FbSystem* s, const FbSignal* signal, FbVec3 v) {
    FbMat3 R = signal->frame_link >= 0 ? fb_mat3_mul(&s->k.R[signal->frame_link], &signal->frame_R)
                                       : signal->frame_R;
    return fb_mul3_transposed(&R, v);
}

static double calc_signal(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    const FbForce* e = &s->m->forces[signal->index];
    if (signal->output == FB_FORCE_OUTPUT_POWER) {
        return power_of(s, p, e);
    }
    FbVec6 f = wrench_of(s, p, e);
    double x[3];
    fb_vec3_to(to_frame(s, signal, signal->output == FB_FORCE_OUTPUT_FORCE ? f.lin : f.ang), x);
    return x[signal->component];
}

static void find_functions(const FbModel* m, const FbSignal* signal, int functions[3]) {
    memcpy(functions, m->forces[signal->index].function, sizeof(int[3]));
}

static void take(FbSystem* s) {
    s->is_off = FB_TAKE(s->arena, bool, s->m->n_forces + 1);
}

static int count(const FbModel* m) {
    return m->n_forces;
}

static void remember(FbSystem* s, FbMemory* m) {
    fb_memory_flags(m, s->is_off, s->m->n_forces);
}

const FbPartKind fb_part_forces = {
    .name = "force",
    .count = count,
    .take = take,
    .remember = remember,
    .apply = apply,
    .add_blocks = fb_forces_add_blocks,
    .check_linear = fb_forces_check_linear,
    .add_load = add_load,
    .add_energies = add_energies,
    .add_powers = add_powers,
    .calc_signal = calc_signal,
    .find_functions = find_functions,
};
