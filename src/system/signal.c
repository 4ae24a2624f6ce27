// Values and gradients of signals and of expressions of them.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "system/part.h"

static void touch(FbGradient* g, int j) {
    if (!g->is_touched[j]) {
        g->is_touched[j] = true;
        g->touched[g->n_touched++] = j;
    }
}

void fb_gradient_clear(const FbSystem* s, FbGradient* g) {
    for (int i = 0; i < g->n_touched; i++) {
        int j = g->touched[i];
        g->q[j] = g->v[j] = 0.0;
        g->is_touched[j] = false;
    }
    g->n_touched = 0;
    if (s->m->n_states + s->m->n_inputs > 0) {
        memset(g->x, 0, sizeof(double) * (size_t)(s->m->n_states + s->m->n_inputs));
    }
}

// d value/d q_k = sign S_k . w;  d rate/d q_k = sign (S_k . D'Vr + w . (S_k x (V_B - V_parent))),
// eqs. (3.4), (3.6)
void fb_term_path_gradients(const FbSystem* s, const FbTerm* term, const FbTermState* state,
                            double* value, double* rate) {
    const FbPaths* paths = &s->m->paths;
    FbVec6 change = fb_zero6(), V[2] = {fb_zero6(), fb_zero6()};
    if (rate) {
        change = fb_term_direction_change_transposed(term, state, state->Vr);
        V[0] = fb_term_velocity_b(term, &s->k, state, -1.0);
        V[1] = fb_term_velocity_b(term, &s->k, state, 1.0);
    }
    for (int i = 0; i < term->n_path; i++) {
        int k = paths->v[term->path + i];
        double sign = paths->sign[term->path + i];
        value[i] = sign * fb_term_slope(&s->k, state, k, sign);
        if (rate) {
            FbVec6 S = fb_term_column(&s->k, state, k, sign);
            int parent = s->m->tree.links[s->m->tree.link_of_v[k]].parent;
            FbVec3 at = sign > 0.0 ? state->at_b : state->at_a;
            FbVec6 relative = fb_sub6(V[sign > 0.0], fb_velocity_about(&s->k, parent, at));
            rate[i] = sign * (fb_dot6(S, change) + fb_dot6(state->w, fb_cross_motion(S, relative)));
        }
    }
}

static void add_term_gradient(FbSystem* s, const FbPoint* p, const FbTerm* term, bool is_rate,
                              double factor, FbGradient* g) {
    FbTermState state;
    fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
    fb_term_calc_rate(term, &s->k, p->v, &state);
    factor *= term->factor;
    if (state.kind == FB_TERM_COORDINATE) {
        touch(g, term->coordinate_v);
        (is_rate ? g->v : g->q)[term->coordinate_v] += factor;
        return;
    }
    size_t mark = s->scratch_used;
    double* value = fb_scratch_take(s, (size_t)term->n_path);
    double* rate = fb_scratch_take(s, (size_t)term->n_path);
    fb_term_path_gradients(s, term, &state, value, is_rate ? rate : NULL);
    for (int i = 0; i < term->n_path; i++) {
        int j = s->m->paths.v[term->path + i];
        touch(g, j);
        if (is_rate) {
            g->q[j] += factor * rate[i];
            g->v[j] += factor * value[i];
        } else {
            g->q[j] += factor * value[i];
        }
    }
    s->scratch_used = mark;
}

const FbExpr* fb_function_gather(FbSystem* s, const FbPoint* p, int function, double value,
                                 double rate, double** inputs, double** scratch) {
    const FbExpr* expr = s->m->functions[function].expr;
    int n = fb_expr_input_count(expr);
    const int* index = fb_expr_inputs(expr);
    *inputs = fb_scratch_take(s, (size_t)n);
    *scratch = fb_scratch_take(s, fb_expr_scratch(expr));
    for (int i = 0; i < n; i++) {
        (*inputs)[i] = index[i] == FB_INPUT_VALUE  ? value
                       : index[i] == FB_INPUT_RATE ? rate
                                                   : fb_signal_calc(s, p, index[i]);
    }
    return expr;
}

static const FbPiece* held_pieces(const FbSystem* s, int function) {
    const FbFunction* f = &s->m->functions[function];
    return s->holds_pieces && f->n_switches > 0 ? s->pieces + f->first_switch : NULL;
}

double fb_function_calc(FbSystem* s, const FbPoint* p, int function, double value, double rate) {
    size_t mark = s->scratch_used;
    double *inputs, *scratch;
    const FbExpr* expr = fb_function_gather(s, p, function, value, rate, &inputs, &scratch);
    const FbPiece* pieces = held_pieces(s, function);
    double result = pieces ? fb_expr_held_value(expr, inputs, pieces, scratch) : NAN;
    // A held piece may have no value beyond its border: sqrt(max(0, x)).
    if (!pieces || !isfinite(result)) {
        result = fb_expr_value(expr, inputs, scratch);
    }
    s->scratch_used = mark;
    return result;
}

double fb_function_add_gradient(FbSystem* s, const FbPoint* p, int function, double value,
                                double rate, double factor, double d[2], FbGradient* g) {
    size_t mark = s->scratch_used;
    double *inputs, *scratch;
    const FbExpr* expr = fb_function_gather(s, p, function, value, rate, &inputs, &scratch);
    int n = fb_expr_input_count(expr);
    const int* index = fb_expr_inputs(expr);
    double* gradient = fb_scratch_take(s, (size_t)n);
    const FbPiece* pieces = held_pieces(s, function);
    double result = pieces ? fb_expr_held_gradient(expr, inputs, pieces, scratch, gradient) : NAN;
    if (!pieces || !isfinite(result)) {
        result = fb_expr_gradient(expr, inputs, scratch, gradient);
    }
    for (int i = 0; i < n; i++) {
        if (index[i] == FB_INPUT_VALUE) {
            d[0] = gradient[i];
        } else if (index[i] == FB_INPUT_RATE) {
            d[1] = gradient[i];
        } else if (gradient[i] != 0.0) {
            fb_signal_add_gradient(s, p, index[i], factor * gradient[i], g);
        }
    }
    s->scratch_used = mark;
    return result;
}

static double term_sum(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    double sum = 0.0;
    for (int t = signal->term; t < signal->term + signal->n_terms; t++) {
        const FbTerm* term = &s->m->terms[t];
        FbTermState state;
        fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
        double x = state.value;
        if (signal->kind != FB_SIGNAL_VALUE) {
            fb_term_calc_rate(term, &s->k, p->v, &state);
            x = signal->kind == FB_SIGNAL_RATE
                    ? state.rate
                    : fb_term_calc_acceleration(term, &s->k, p->a, &state);
        }
        sum += term->factor * x;
    }
    return sum;
}

// Tension of a spring (positive pulls), else the generalized force.
static double element_sign(const FbForce* e) {
    return e->type->expression_sign < 0.0 ? -1.0 : 1.0;
}

static double element_force(FbSystem* s, const FbPoint* p, const FbForce* e) {
    FbTermState state;
    const FbTerm* term = &s->m->terms[e->term];
    fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
    fb_term_calc_rate(term, &s->k, p->v, &state);
    FbScalarForce out;
    return element_sign(e) * fb_force_calc_force(s, p, e, &state, &out);
}

// R_frame' R_body
static FbMat3 relative_rotation(const FbSystem* s, const double* q, const FbSignal* signal) {
    FbMat3 link = fb_link_calc_rotation(s, q, signal->link),
           other = fb_link_calc_rotation(s, q, signal->frame_link);
    FbMat3 body = fb_mat3_mul(&link, &signal->R), frame = fb_mat3_mul(&other, &signal->frame_R);
    return fb_mat3_mul_tn(&frame, &body);
}

static double orientation_value(const FbSystem* s, const double* q, const FbSignal* signal) {
    FbMat3 R = relative_rotation(s, q, signal);
    if (signal->kind == FB_SIGNAL_QUATERNION) {
        double e[4];
        fb_quaternion_from_rotation(&R, e);
        return e[signal->component];
    }
    switch (signal->component) {
        case 0:
            return atan2(R.m[1][0], R.m[0][0]);
        case 1:
            return asin(fmax(-1.0, fmin(1.0, -R.m[2][0])));
        default:
            return atan2(R.m[2][1], R.m[2][2]);
    }
}

static double component_of(FbVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

// R' (a - g): what a body feels, along its own axes.
static double accelerometer_value(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    double a[3];
    for (int i = 0; i < 3; i++) {
        FbSignal one = {.kind = FB_SIGNAL_ACCELERATION, .term = signal->term + i, .n_terms = 1};
        a[i] = term_sum(s, p, &one);
    }
    FbVec3 felt = fb_vec3_from(a);
    if (signal->index) {
        felt = fb_sub(felt, s->m->tree.gravity);
    }
    FbMat3 link = fb_link_calc_rotation(s, p->q, signal->link), R = fb_mat3_mul(&link, &signal->R);
    return component_of(fb_mul3_transposed(&R, felt), signal->component);
}

// Of the tree and all parts.
static FbMomenta calc_momenta(FbSystem* s, const FbPoint* p) {
    FbTreeEnergy e;
    fb_tree_calc_energy(&s->m->tree, &s->k, &e);
    FbMomenta sums = {e.mass, e.momentum, e.angular_momentum, fb_scale(e.mass, e.center)};
    fb_parts_add_momenta(s, p, &sums);
    return sums;
}

// The centre of mass of nothing is the origin.
static FbVec3 center_of(const FbMomenta* sums) {
    return sums->mass > 0.0 ? fb_scale(1.0 / sums->mass, sums->first_moment) : fb_vec3(0, 0, 0);
}

static double energy_value(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    if (signal->kind == FB_SIGNAL_ENERGY) {
        FbEnergies e;
        fb_system_sum_energies(s, p, &e);
        double values[] = {e.kinetic, e.potential, e.kinetic + e.potential, e.supplied,
                           e.dissipated};
        return values[signal->component];
    }
    FbMomenta e = calc_momenta(s, p);
    FbVec3 v = signal->kind == FB_SIGNAL_MOMENTUM ? e.momentum
               : signal->kind == FB_SIGNAL_CENTER ? center_of(&e)
                                                  : e.angular_momentum;
    return component_of(v, signal->component);
}

// The torque that a drive about axis j of a joint exerts on the next body: none about the others,
// so that it is along j unless the joint is a gimbal, whose three axes are not perpendicular.
static FbVec3 drive_direction(const FbSystem* s, const FbJoint* joint, int j) {
    FbVec3 axes[3];
    int n = 0, own = 0;
    for (int l = joint->first_link; l < joint->first_link + joint->n_links; l++) {
        const FbLink* link = &s->m->tree.links[l];
        if (link->kind == FB_LINK_TURN) {
            own = link->v0 == j ? n : own;
            axes[n++] = s->k.S[link->v0].ang;
        }
    }
    if (n < 3) {
        return s->k.S[j].ang;
    }
    FbVec3 across = fb_cross(axes[(own + 1) % 3], axes[(own + 2) % 3]);
    return fb_scale(1.0 / fb_dot(axes[own], across), across);
}

// Adds a force about a point that is at `lever` from the origin of frame b.
static FbVec6 add_at(FbVec6 sum, double factor, FbVec3 lever, FbVec6 f) {
    f.ang = fb_add(f.ang, fb_cross(lever, f.lin));
    return fb_axpy6(factor, f, sum);
}

// Force and torque about the origin of frame b, on b, through a joint: from the transmitted force
// of the tree, or from the multipliers of a loop.
static FbVec6 joint_reaction(const FbSystem* s, const FbJoint* joint, const FbVec6* F,
                             const double* tau, const double* lambda) {
    FbVec6 f = fb_zero6();
    const FbTree* tree = &s->m->tree;
    FbVec3 origin = fb_link_point(&s->k, joint->b.link, joint->b.p);
    if (joint->is_loop) {
        for (int r = joint->first_row; r < joint->first_row + joint->n_rows; r++) {
            const FbRow* row = &s->m->rows[r];
            for (int t = row->term; t < row->term + row->n_terms; t++) {
                int link = s->m->terms[t].link_b;
                FbVec3 lever = fb_add(fb_sub(s->term[t].at_b, origin),
                                      fb_base_step(&s->k, joint->b.link, link));
                f = add_at(f, -lambda[r] * s->m->terms[t].factor, lever, s->term[t].w);
            }
        }
        return f;
    }
    int last = joint->first_link + joint->n_links - 1;
    // From the origin of b to that of the link.
    FbVec3 lever = fb_add(fb_sub(s->k.p[last], origin), fb_base_step(&s->k, joint->b.link, last));
    f = add_at(f, 1.0, lever, F[last]);
    // What actuators and springs act along the joint's own coordinates is not a reaction. Forces
    // along slides act at the origin of b, as where the joint closes a loop.
    FbVec3 zero = {0, 0, 0};
    for (int i = joint->first_link; i <= last; i++) {
        const FbLink* link = &tree->links[i];
        bool is_slide = link->kind == FB_LINK_SLIDE || link->kind == FB_LINK_TRANSLATE3;
        for (int j = link->v0; j < link->v0 + link->n_v; j++) {
            FbVec6 S = s->k.S[j];
            FbVec6 unit =
                is_slide ? fb_vec6(zero, S.lin) : fb_vec6(drive_direction(s, joint, j), zero);
            f = fb_axpy6(-tau[j], unit, f);
        }
    }
    return joint->is_reversed ? fb_scale6(-1.0, f) : f;
}

static double along_frame(const FbSystem* s, const FbSignal* signal, FbVec3 v) {
    FbMat3 frame = signal->frame_link >= 0
                       ? fb_mat3_mul(&s->k.R[signal->frame_link], &signal->frame_R)
                       : signal->frame_R;
    return component_of(fb_mul3_transposed(&frame, v), signal->component);
}

double fb_reaction_calc(const FbSystem* s, const FbSignal* signal, const FbVec6* F,
                        const double* tau, const double* lambda) {
    const FbJoint* joint = &s->m->joints[signal->index];
    FbVec6 f = joint_reaction(s, joint, F, tau, lambda);
    return along_frame(s, signal, signal->kind == FB_SIGNAL_REACTION_FORCE ? f.lin : f.ang);
}

double fb_signal_calc(FbSystem* s, const FbPoint* p, int index) {
    const FbSignal* signal = &s->m->signals[index];
    double law[3];
    switch (signal->kind) {
        case FB_SIGNAL_TIME:
            return p->t;
        case FB_SIGNAL_STATE:
            return p->x[signal->index];
        case FB_SIGNAL_INPUT:
            return s->inputs[signal->index];
        case FB_SIGNAL_LAW:
            fb_law_now(s, signal->index, p->t, law);
            return law[signal->component];
        case FB_SIGNAL_VALUE:
        case FB_SIGNAL_RATE:
        case FB_SIGNAL_ACCELERATION:
            return term_sum(s, p, signal);
        case FB_SIGNAL_ACCELEROMETER:
            return accelerometer_value(s, p, signal);
        case FB_SIGNAL_FUNCTION:
            return fb_function_calc(s, p, signal->index, 0.0, 0.0);
        case FB_SIGNAL_CALLBACK:
            return fb_callback_calc(s, p, signal);
        case FB_SIGNAL_SCALAR_FORCE:
            return element_force(s, p, &s->m->forces[signal->index]);
        case FB_SIGNAL_SAMPLE:
            return fb_sample_is_shown(s, signal->index)
                       ? s->samples[signal->index].value
                       : fb_function_calc(s, p, s->m->samplers[signal->index].function, 0.0, 0.0);
        case FB_SIGNAL_QUATERNION:
        case FB_SIGNAL_ANGLE:
            return orientation_value(s, p->q, signal);
        case FB_SIGNAL_PART:
            return signal->part->calc_signal(s, p, signal);
        case FB_SIGNAL_REACTION_FORCE:
        case FB_SIGNAL_REACTION_TORQUE:
            return fb_reaction_calc(s, signal, s->k.F, s->k.tau, s->all_lambda);
        case FB_SIGNAL_MULTIPLIER:
            return s->all_lambda[signal->index];
        case FB_SIGNAL_ENERGY:
        case FB_SIGNAL_MOMENTUM:
        case FB_SIGNAL_ANGULAR_MOMENTUM:
        case FB_SIGNAL_CENTER:
            return energy_value(s, p, signal);
        case FB_SIGNAL_SLIDER:
            fb_sliders_realize(s, p);
            return signal->component == 0 ? s->motion[signal->index].s
                                          : s->motion[signal->index].ds;
    }
    return NAN;
}

void fb_law_add_gradient(const FbSystem* s, int index, double t, int component, double factor,
                         FbGradient* g) {
    const FbLaw* law = &s->m->laws[s->law_of[index]];
    for (int i = 0; law->has_inputs && i < s->m->n_inputs; i++) {
        double slope = component > 0 && s->is_frozen
                           ? 0.0
                           : fb_law_calc_slope(law, t, s->inputs, component, i);
        g->x[s->m->n_states + i] += factor * slope;
    }
}

static void add_element_gradient(FbSystem* s, const FbPoint* p, const FbForce* e, double factor,
                                 FbGradient* g) {
    if (fb_force_is_off(s, e)) {
        return;
    }
    FbTermState state;
    const FbTerm* term = &s->m->terms[e->term];
    fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
    fb_term_calc_rate(term, &s->k, p->v, &state);
    FbScalarForce out;
    double sign = factor * element_sign(e);
    fb_force_calc_force(s, p, e, &state, &out);
    if (e->function[0] >= 0) {
        double d[2] = {0, 0};
        double es = e->type->expression_sign;
        fb_function_add_gradient(s, p, e->function[0], state.value, state.rate, sign * es, d, g);
        out.dq_dvalue += es * d[0];
        out.dq_drate += es * d[1];
    }
    if (e->law >= 0) {
        fb_law_add_gradient(s, e->law, p->t, 0, sign * e->type->expression_sign, g);
    }
    add_term_gradient(s, p, term, false, sign * out.dq_dvalue, g);
    add_term_gradient(s, p, term, true, sign * out.dq_drate, g);
}

static void add_slider_gradient(const FbSystem* s, const FbSignal* signal, double factor,
                                FbGradient* g) {
    const FbSlider* slider = &s->m->sliders[signal->index];
    if (slider->command >= 0) {
        g->x[signal->component == 0 ? slider->state_s : slider->state_v] += factor;
    } else if (slider->coordinate_v >= 0) {
        touch(g, slider->coordinate_v);
        (signal->component == 0 ? g->q : g->v)[slider->coordinate_v] += factor;
    }
}

void fb_signal_add_gradient(FbSystem* s, const FbPoint* p, int index, double factor,
                            FbGradient* g) {
    const FbSignal* signal = &s->m->signals[index];
    double d[2] = {0, 0};
    switch (signal->kind) {
        case FB_SIGNAL_STATE:
            g->x[signal->index] += factor;
            return;
        case FB_SIGNAL_INPUT:
            g->x[s->m->n_states + signal->index] += factor;
            return;
        case FB_SIGNAL_LAW:
            fb_law_add_gradient(s, signal->index, p->t, signal->component, factor, g);
            return;
        case FB_SIGNAL_VALUE:
        case FB_SIGNAL_RATE:
            for (int t = signal->term; t < signal->term + signal->n_terms; t++) {
                add_term_gradient(s, p, &s->m->terms[t], signal->kind == FB_SIGNAL_RATE, factor, g);
            }
            if (signal->n_terms == 0) {  // a held direction of a ball
                touch(g, signal->index);
                (signal->kind == FB_SIGNAL_RATE ? g->v : g->q)[signal->index] += factor;
            }
            return;
        case FB_SIGNAL_FUNCTION:
            fb_function_add_gradient(s, p, signal->index, 0.0, 0.0, factor, d, g);
            return;
        case FB_SIGNAL_SCALAR_FORCE:
            add_element_gradient(s, p, &s->m->forces[signal->index], factor, g);
            return;
        case FB_SIGNAL_SAMPLE:
            if (!fb_sample_is_shown(s, signal->index)) {
                int function = s->m->samplers[signal->index].function;
                fb_function_add_gradient(s, p, function, 0.0, 0.0, factor, d, g);
            }
            return;
        case FB_SIGNAL_CALLBACK:
            fb_callback_add_gradient(s, p, signal, factor, g);
            return;
        case FB_SIGNAL_SLIDER:
            add_slider_gradient(s, signal, factor, g);
            return;
        default:
            return;  // of time alone, or rejected by the compiler
    }
}
