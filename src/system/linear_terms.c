// What operating points and linearizations need from the mechanics beyond the contract.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "system/part.h"

// Of generalized forces, as works along displacements of the model's size.
static double largest(const FbModel* m, const double* x) {
    double most = 0.0;
    for (int i = 0; i < m->tree.n_v; i++) {
        most = fmax(most, fabs(x[i]) * fb_model_displacement(m, i));
    }
    return most;
}

double fb_system_calc_force_scale(FbSystem* s, const FbPoint* p) {
    const FbTree* tree = &s->m->tree;
    double *before = s->work_v[0], *after = s->work_v[1];
    fb_system_realize(s, p->q, p->v, s->zero_v);
    fb_tree_clear_forces(tree, &s->k);
    fb_tree_calc_residual(tree, &s->k, before);
    double scale = largest(s->m, before);
    fb_parts_apply(s, p, s->zero_v);
    fb_tree_calc_residual(tree, &s->k, after);
    for (int j = 0; j < tree->n_v; j++) {
        before[j] -= after[j];
    }
    scale = fmax(scale, largest(s->m, before));
    fb_rows_realize(s, p->q, p->v, true);
    memset(before, 0, sizeof(double) * (size_t)tree->n_v);
    for (int c = 0; c < s->dynamics.size.n_c; c++) {
        memset(after, 0, sizeof(double) * (size_t)tree->n_v);
        fb_row_add_gradient(s, s->active[c], after);
        for (int j = 0; j < tree->n_v; j++) {
            before[j] += p->lambda[c] * after[j];
        }
    }
    return fmax(scale, largest(s->m, before));
}

static FbMat3 axes_of(const FbSystem* s, const FbLinkFrame* f) {
    return f->link >= 0 ? fb_mat3_mul(&s->k.R[f->link], &f->R) : f->R;
}

double fb_system_calc_joint_coordinate(FbSystem* s, const double* q, int j, int index) {
    const FbJoint* joint = &s->m->joints[j];
    const FbLinkFrame *a = &joint->a, *b = &joint->b;
    double angle;
    if (s->m->tree.n_charts == 0 && joint->coordinate[index] >= 0) {
        return q[joint->coordinate[index]];  // nothing to realize for each of many
    }
    fb_system_realize(s, q, NULL, NULL);
    if (fb_charts_get_angle(s, j, index, &angle)) {
        return angle;
    }
    if (joint->coordinate[index] >= 0) {
        return q[joint->coordinate[index]];
    }
    FbMat3 Ra = axes_of(s, a), Rb = axes_of(s, b), R = fb_mat3_mul_tn(&Ra, &Rb);
    FbVec3 d = fb_from_point(&s->k, a->link, a->p, b->link, fb_link_point(&s->k, b->link, b->p));
    return fb_coordinate_of_pose(&joint->type->coordinates[index], &R, fb_mul3_transposed(&Ra, d));
}

// v' M v / 2 of a superelement, each term half to the bodies of its row and of its column.
static void add_superelement_energies(const FbSuperelement* e, const double* v, double* energy) {
    for (int i = 0; i < e->n_entries; i++) {
        int row = e->rows[i], col = e->cols[i];
        double T = 0.5 * e->mass[i] * v[e->v[row]] * v[e->v[col]] * (row == col ? 1.0 : 2.0);
        for (int k = 0; k < 2; k++) {
            int body = e->body[k ? row : col];
            if (body >= 0) {
                energy[body] += 0.5 * T;
            }
        }
    }
}

// Nodes of linear structures have no mass of their own, and their beams need no motion of links.
static bool needs_links(const FbModel* m) {
    bool needs_any = false;
    for (int b = 0; b < m->n_bodies && !needs_any; b++) {
        needs_any = m->bodies[b].link >= 0 && m->tree.links[m->bodies[b].link].has_mass;
    }
    for (int i = 0; i < m->n_beams && !needs_any; i++) {
        needs_any = !m->beams[i].is_linear;
    }
    return needs_any;
}

// The energy of beams counts half to each of the nodes that can move.
void fb_system_calc_body_energies(FbSystem* s, const double* q, const double* v, double* energy) {
    if (needs_links(s->m)) {
        fb_system_realize(s, q, v, NULL);
    }
    for (int b = 0; b < s->m->n_bodies; b++) {
        int l = s->m->bodies[b].link;
        energy[b] = 0.0;
        if (l < 0 || !s->m->tree.links[l].has_mass) {
            continue;
        }
        const FbLink* link = &s->m->tree.links[l];
        FbVec3 v_c = fb_point_velocity(&s->k, l, fb_link_point(&s->k, l, link->center));
        FbVec3 w = fb_mul3_transposed(&s->k.R[l], s->k.V[l].ang);
        energy[b] = 0.5 * (link->mass * fb_dot(v_c, v_c) + fb_dot(w, fb_mul3(&link->inertia, w)));
    }
    for (int i = 0; i < s->m->n_beams; i++) {
        const FbBeamElement* e = &s->m->beams[i];
        double T = fb_beam_calc_kinetic(s, v, e);
        bool moves[2] = {fb_beam_end_moves(e, 0), fb_beam_end_moves(e, 1)};
        for (int end = 0; end < 2; end++) {
            if (e->body[end] >= 0 && moves[end]) {
                energy[e->body[end]] += moves[1 - end] ? 0.5 * T : T;
            }
        }
    }
    for (int i = 0; i < s->m->n_superelements; i++) {
        add_superelement_energies(&s->m->superelements[i], v, energy);
    }
}

void fb_system_calc_body_motions(FbSystem* s, const double* q, const double* v, double* motions) {
    fb_system_realize(s, q, v, NULL);
    for (int i = 0; i < s->m->n_bodies; i++) {
        const FbBody* b = &s->m->bodies[i];
        FbVec3 linear = {0, 0, 0}, angular = {0, 0, 0};
        if (b->link >= 0) {
            linear = fb_point_velocity(&s->k, b->link, fb_link_point(&s->k, b->link, b->p_LB));
            angular = s->k.V[b->link].ang;
        }
        fb_vec3_to(linear, motions + 6 * i);
        fb_vec3_to(angular, motions + 6 * i + 3);
    }
}

void fb_system_turn_to_ground(const FbSystem* s, int body, const double in_body[3], double out[3]) {
    const FbBody* b = &s->m->bodies[body];
    FbVec3 in_link = fb_mul3(&b->R_LB, fb_vec3_from(in_body));
    fb_vec3_to(b->link >= 0 ? fb_mul3(&s->k.R[b->link], in_link) : in_link, out);
}

// Each body of an absolute model has a translation and a ball whose link frame is the body frame.
void fb_system_copy_motion(FbSystem* absolute, FbSystem* other, const FbPoint* from, FbPoint* to) {
    fb_system_realize(other, from->q, from->v, NULL);
    for (int b = 0; b < absolute->m->n_bodies; b++) {
        const FbBody* source = &other->m->bodies[b];
        const FbLink* ball = &absolute->m->tree.links[absolute->m->bodies[b].link];
        const FbLink* slide = &absolute->m->tree.links[ball->parent];
        FbMat3 R = fb_mat3_mul(&other->k.R[source->link], &source->R_LB);
        FbVec3 near = fb_link_point(&other->k, source->link, source->p_LB);
        FbVec3 p = fb_add(fb_base_position(&other->k, source->link), near);
        FbVec3 w = other->k.V[source->link].ang;
        fb_vec3_to(fb_sub(p, slide->p_PJ), to->q + slide->q0);
        fb_quaternion_from_rotation(&R, to->q + ball->q0);
        fb_vec3_to(fb_point_velocity(&other->k, source->link, near), to->v + slide->v0);
        fb_vec3_to(fb_mul3_transposed(&R, w), to->v + ball->v0);
    }
    to->t = from->t;
    memcpy(to->x, from->x, sizeof(double) * (size_t)absolute->m->n_states);
    memset(to->w, 0, sizeof(double) * (size_t)absolute->dynamics.size.n_w);
}

int fb_system_get_input_count(const FbSystem* s) {
    int n = s->m->n_inputs;
    for (int i = 0; i < s->m->n_forces; i++) {
        n += s->m->forces[i].term >= 0;
    }
    return n;
}

// Of an input after those of the model.
static const FbForce* input_element(const FbSystem* s, int input) {
    input -= s->m->n_inputs;
    for (int i = 0; i < s->m->n_forces; i++) {
        if (s->m->forces[i].term >= 0 && input-- == 0) {
            return &s->m->forces[i];
        }
    }
    return NULL;
}

const char* fb_system_get_input_name(const FbSystem* s, int input) {
    if (input >= 0 && input < s->m->n_inputs) {
        return s->m->inputs[input].name;
    }
    const FbForce* e = input_element(s, input);
    return e ? e->name : NULL;
}

// Of an input of the model: the columns of Rx and Xx behind those of the states (eq. 7.28).
static FbStatus add_model_input(FbSystem* s, const FbPoint* p, int input, double* column,
                                double* rate, FbError* err) {
    FbDynamics* d = &s->dynamics;
    int n_v = d->size.n_v, n_x = d->size.n_x;
    FbBlocks b;
    FbStatus status = d->ops->jacobian(d, p, &b, err);
    if (status != FB_OK) {
        return status < 0 ? status
                          : fb_fail(err, FB_ERR_SINGULAR, NULL,
                                    "the derivatives with respect to input '%s' are not finite",
                                    s->m->inputs[input].name);
    }
    for (int j = 0; j < n_v; j++) {
        column[j] -= b.Rx[(size_t)(n_x + input) * (size_t)n_v + (size_t)j];
    }
    for (int i = 0; i < n_x; i++) {
        rate[i] += b.Xx[(size_t)(n_x + input) * (size_t)n_x + (size_t)i];
    }
    return FB_OK;
}

FbStatus fb_system_calc_input_direction(FbSystem* s, const FbPoint* p, int input, double* column,
                                        double* rate, FbError* err) {
    if (input < s->m->n_inputs) {
        return add_model_input(s, p, input, column, rate, err);
    }
    const FbForce* e = input_element(s, input);
    const FbTerm* term = &s->m->terms[e->term];
    fb_system_realize(s, p->q, p->v, NULL);
    double sign = e->type->expression_sign < 0.0 ? -1.0 : 1.0;
    if (term->kind == FB_TERM_COORDINATE) {
        column[term->coordinate_v] += sign * term->factor;
        return FB_OK;
    }
    FbTermState state;
    fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
    for (int i = term->path; i < term->path + term->n_path; i++) {
        int j = s->m->paths.v[i];
        double slope = fb_term_slope(&s->k, &state, j, s->m->paths.sign[i]);
        column[j] += sign * s->m->paths.sign[i] * slope;
    }
    return FB_OK;
}

bool fb_signal_has_gradient(const FbModel* m, int signal) {
    const FbSignal* s = &m->signals[signal];
    const int* functions;
    for (int f = 0, n = fb_signal_functions(m, s, &functions); f < n; f++) {
        const FbExpr* expr = m->functions[functions[f]].expr;
        for (int i = 0; i < fb_expr_input_count(expr); i++) {
            if (!fb_signal_has_gradient(m, fb_expr_inputs(expr)[i])) {
                return false;
            }
        }
    }
    return s->kind < FB_SIGNAL_ACCELERATION;
}

bool fb_system_calc_output_gradient(FbSystem* s, const FbPoint* p, int output, double* by_q,
                                    double* by_v, double* by_x) {
    int signal = s->m->outputs[output].signal;
    if (!fb_signal_has_gradient(s->m, signal)) {
        return false;
    }
    int n_v = s->m->tree.n_v;
    memset(by_q, 0, sizeof(double) * (size_t)n_v);
    memset(by_v, 0, sizeof(double) * (size_t)n_v);
    memset(by_x, 0, sizeof(double) * (size_t)s->m->n_states);
    fb_system_realize(s, p->q, p->v, NULL);
    FbGradient* g = &s->gradient;
    fb_signal_add_gradient(s, p, signal, 1.0, g);
    for (int i = 0; i < g->n_touched; i++) {
        by_q[g->touched[i]] = g->q[g->touched[i]];
        by_v[g->touched[i]] = g->v[g->touched[i]];
    }
    memcpy(by_x, g->x, sizeof(double) * (size_t)s->m->n_states);
    fb_gradient_clear(s, g);
    return true;
}

static int input_of_element(const FbSystem* s, int element) {
    int input = s->m->n_inputs;
    for (int i = 0; i < element; i++) {
        input += s->m->forces[i].term >= 0;
    }
    return input;
}

static void add_feedthrough(FbSystem* s, const FbPoint* p, int index, double factor,
                            double* by_input);

static void add_function_feedthrough(FbSystem* s, const FbPoint* p, int function, double factor,
                                     double* by_input) {
    size_t mark = s->scratch_used;
    const FbExpr* expr = s->m->functions[function].expr;
    int n = fb_expr_input_count(expr);
    const int* of = fb_expr_inputs(expr);
    double* inputs = fb_scratch_take(s, (size_t)n);
    double* scratch = fb_scratch_take(s, fb_expr_scratch(expr));
    double* gradient = fb_scratch_take(s, (size_t)n);
    for (int i = 0; i < n; i++) {
        inputs[i] = fb_signal_calc(s, p, of[i]);
    }
    fb_expr_gradient(expr, inputs, scratch, gradient);
    for (int i = 0; i < n; i++) {
        add_feedthrough(s, p, of[i], factor * gradient[i], by_input);
    }
    s->scratch_used = mark;
}

// A force that is measured follows the input that varies it, also inside expressions.
static void add_feedthrough(FbSystem* s, const FbPoint* p, int index, double factor,
                            double* by_input) {
    const FbSignal* signal = &s->m->signals[index];
    if (signal->kind == FB_SIGNAL_SCALAR_FORCE) {
        by_input[input_of_element(s, signal->index)] += factor;
    } else if (signal->kind == FB_SIGNAL_FUNCTION) {
        add_function_feedthrough(s, p, signal->index, factor, by_input);
    } else if (signal->kind == FB_SIGNAL_CALLBACK) {
        const FbCallbackPart* c = &s->m->callbacks[signal->index];
        const double* slopes = fb_callback_calc_slopes(s, p, signal);
        for (int i = 0; i < c->n_arguments; i++) {
            add_function_feedthrough(s, p, c->arguments[i], factor * slopes[i], by_input);
        }
    }
}

void fb_system_calc_output_feedthrough(FbSystem* s, const FbPoint* p, int output,
                                       double* by_input) {
    memset(by_input, 0, sizeof(double) * (size_t)fb_system_get_input_count(s));
    fb_system_realize(s, p->q, p->v, NULL);
    add_feedthrough(s, p, s->m->outputs[output].signal, 1.0, by_input);
    FbGradient* g = &s->gradient;
    fb_signal_add_gradient(s, p, s->m->outputs[output].signal, 1.0, g);
    memcpy(by_input, g->x + s->m->n_states, sizeof(double) * (size_t)s->m->n_inputs);
    fb_gradient_clear(s, g);
}
