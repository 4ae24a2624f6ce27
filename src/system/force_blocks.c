// The blocks of forces: how what they exert changes with q, v and x (theory manual, chapter 3).
#include <string.h>

#include "system/block.h"
#include "system/force_state.h"

// Where the ends of a spring without tension coincide it acts alike in all directions: its limit
// there, eq. (3.19).
static void add_collapsed_blocks(FbSystem* s, const FbTerm* term, const FbTermState* state,
                                 const FbScalarForce* law, FbBlocks* b) {
    size_t mark = s->scratch_used;
    int n = term->n_path;
    const int* v = s->m->paths.v + term->path;
    double* along = fb_scratch_take(s, (size_t)n);
    FbTermState one = *state;
    for (int axis = 0; axis < 3; axis++) {
        double unit[3] = {0, 0, 0};
        unit[axis] = 1.0;
        one.w = fb_vec6(fb_vec3(0, 0, 0), fb_vec3_from(unit));
        fb_term_path_gradients(s, term, &one, along, NULL);
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                int at = fb_at(b->vv, v[j], v[k]);
                b->K[at] -= law->dq_dvalue * along[j] * along[k];
                b->C[at] -= law->dq_drate * along[j] * along[k];
            }
        }
    }
    s->scratch_used = mark;
}

// tau_j = Q g_j:  d tau_j = g_j (Q_value g_k + Q_rate gr_k) + Q H_jk  (eq. 3.8)
static void add_scalar_blocks(FbSystem* s, const FbPoint* p, const FbForce* e, FbBlocks* b) {
    const FbTerm* term = &s->m->terms[e->term];
    const FbTermState* state = fb_force_realize_term(s, p, e->term);
    FbGradient* g = &s->gradient;
    FbScalarForce law;
    double q = fb_force_calc_force(s, p, e, state, &law);
    double d[2] = {0, 0};
    if (e->function[0] >= 0) {
        fb_function_add_gradient(s, p, e->function[0], state->value, state->rate,
                                 e->type->expression_sign, d, g);
        law.dq_dvalue += e->type->expression_sign * d[0];
        law.dq_drate += e->type->expression_sign * d[1];
    }
    if (e->law >= 0) {
        fb_law_add_gradient(s, e->law, p->t, 0, e->type->expression_sign, g);
    }
    if (term->kind == FB_TERM_COORDINATE) {
        int v = term->coordinate_v, at = fb_at(b->vv, v, v);
        double one = 1.0;
        b->K[at] -= law.dq_dvalue;
        b->C[at] -= law.dq_drate;
        fb_block_add_outer(s, &v, &one, 1, g, b);
        fb_gradient_clear(s, g);
        return;
    }
    if (fb_term_is_collapsed(term, state)) {
        if (q == 0.0) {
            add_collapsed_blocks(s, term, state, &law, b);
        }
        fb_gradient_clear(s, g);
        return;
    }
    size_t mark = s->scratch_used;
    int n = term->n_path;
    const int* v = s->m->paths.v + term->path;
    double* value = fb_scratch_take(s, (size_t)n);
    double* rate = fb_scratch_take(s, (size_t)n);
    fb_term_path_gradients(s, term, state, value, rate);
    for (int k = 0; k < n; k++) {
        double by_q = law.dq_dvalue * value[k] + law.dq_drate * rate[k];
        for (int j = 0; j < n; j++) {
            int at = fb_at(b->vv, v[j], v[k]);
            b->K[at] -= value[j] * by_q;
            b->C[at] -= value[j] * law.dq_drate * value[k];
        }
    }
    fb_block_add_hessian(s, term, state, -q, b);
    fb_block_add_outer(s, v, value, n, g, b);
    fb_gradient_clear(s, g);
    s->scratch_used = mark;
}

// Column i of D and E of a bushing, from the local derivatives (eq. 3.10).
static void wrench_column(const FbRelative* r, const FbWrenchLaw* law, int i, FbPairForce* pair) {
    FbVec6 x = fb_zero6();
    double* parts[6] = {&x.ang.x, &x.ang.y, &x.ang.z, &x.lin.x, &x.lin.y, &x.lin.z};
    *parts[i] = 1.0;
    FbVec3 dp = x.lin;
    double pose[6], rate[6], twist[6], df[6], de[6];
    fb_vec3_to(fb_mul3_transposed(&r->Ra, x.ang), pose);
    fb_vec3_to(fb_mul3_transposed(&r->Ra, dp), pose + 3);
    memcpy(twist, pose, sizeof(twist));
    fb_vec3_to(fb_vec3(0, 0, 0), rate);
    fb_vec3_to(fb_mul3_transposed(&r->Ra, fb_cross(r->w_ground, dp)), rate + 3);
    for (int a = 0; a < 6; a++) {
        df[a] = de[a] = 0.0;
        for (int c = 0; c < 6; c++) {
            df[a] += law->d_pose[6 * a + c] * pose[c] + law->d_rate[6 * a + c] * rate[c];
            de[a] += law->d_rate[6 * a + c] * twist[c];
        }
    }
    FbVec6 D = fb_force_lift(r, df), E = fb_force_lift(r, de);
    D.ang = fb_add(D.ang, fb_cross(dp, fb_mul3(&r->Ra, fb_vec3_from(law->force + 3))));
    double dc[6] = {D.ang.x, D.ang.y, D.ang.z, D.lin.x, D.lin.y, D.lin.z};
    double ec[6] = {E.ang.x, E.ang.y, E.ang.z, E.lin.x, E.lin.y, E.lin.z};
    for (int a = 0; a < 6; a++) {
        pair->D[6 * a + i] = dc[a];
        pair->E[6 * a + i] = ec[a];
    }
}

static void add_wrench_blocks(FbSystem* s, const FbForce* e, FbBlocks* b) {
    FbRelative r;
    FbWrenchLaw law;
    FbPairForce pair = {
        .link_a = e->a.link, .link_b = e->b.link, .path = e->path, .n_path = e->n_path};
    pair.f = fb_force_calc_wrench(s, e, &r, &law);
    pair.at_a = r.at_a;
    pair.at_b = r.at_b;
    for (int i = 0; i < 6; i++) {
        wrench_column(&r, &law, i, &pair);
    }
    fb_block_add_pair(s, &pair, b);
}

// A force fixed in ground axes: only its point moves; one fixed in body axes moves along as a
// whole.
static void add_vector_geometric(FbSystem* s, const FbPoint* p, const FbForce* e, FbBlocks* b) {
    FbMat3 axes;
    FbVec3 v = fb_force_calc_vector(s, p, e, &axes);
    FbPairForce pair = {.f = fb_force_of_vector(e, v),
                        .at_b = fb_force_frame_point(s, &e->a),
                        .link_a = -1,
                        .link_b = e->a.link,
                        .path = e->path,
                        .n_path = e->n_path,
                        .E = {0}};
    for (int i = 0; i < 6; i++) {
        FbVec6 x = fb_zero6();
        double* parts[6] = {&x.ang.x, &x.ang.y, &x.ang.z, &x.lin.x, &x.lin.y, &x.lin.z};
        *parts[i] = 1.0;
        FbVec6 df = fb_zero6();
        if (e->in_body_frame) {
            df = fb_cross_force(x, pair.f);
        } else if (e->measure == FB_MEASURE_POINT_FORCE) {
            df.ang = fb_cross(x.lin, v);
        }
        double c[6] = {df.ang.x, df.ang.y, df.ang.z, df.lin.x, df.lin.y, df.lin.z};
        for (int a = 0; a < 6; a++) {
            pair.D[6 * a + i] = c[a];
        }
    }
    fb_block_add_pair(s, &pair, b);
}

static void add_vector_blocks(FbSystem* s, const FbPoint* p, const FbForce* e, FbBlocks* b) {
    FbMat3 axes;
    FbVec3 at = fb_force_frame_point(s, &e->a);
    fb_force_calc_vector(s, p, e, &axes);
    if (!e->linear_rows) {
        add_vector_geometric(s, p, e, b);
    }
    size_t mark = s->scratch_used;
    double* row = fb_scratch_take(s, (size_t)e->n_path);
    for (int c = 0; c < 3; c++) {
        double d[2];
        fb_function_add_gradient(s, p, e->function[c], 0, 0, 1.0, d, &s->gradient);
        FbVec6 unit = fb_force_of_vector(e, fb_mat3_col(&axes, c));
        for (int j = 0; j < e->n_path; j++) {
            row[j] = e->linear_rows
                         ? e->linear_rows[3 * j + c]
                         : fb_dot6(fb_column_at(&s->k, s->m->paths.v[e->path + j], at), unit);
        }
        fb_block_add_outer(s, s->m->paths.v + e->path, row, e->n_path, &s->gradient, b);
        fb_gradient_clear(s, &s->gradient);
    }
    s->scratch_used = mark;
}

void fb_forces_add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    for (int i = 0; i < s->m->n_forces; i++) {
        const FbForce* e = &s->m->forces[i];
        if (fb_force_is_off(s, e)) {
            continue;
        }
        switch (e->measure) {
            case FB_MEASURE_FRAMES:
                add_wrench_blocks(s, e, b);
                break;
            case FB_MEASURE_POINT_FORCE:
            case FB_MEASURE_POINT_TORQUE:
                add_vector_blocks(s, p, e, b);
                break;
            default:
                add_scalar_blocks(s, p, e, b);
                break;
        }
    }
}
