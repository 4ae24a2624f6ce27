// Derivatives of pair forces and of term gradients with respect to q and v.
#include "system/block.h"

// Is velocity k's joint between the root and velocity j's (or the same joint), on the same side of
// the path?
static inline bool carries(const FbSystem* s, int k, double sign_k, int j, double sign_j) {
    return sign_k == sign_j && s->m->tree.link_of_v[k] <= s->m->tree.link_of_v[j];
}

// H_jk = sign_j (S_j . dw_k + [k carries j] (S_k x S_j) . w),  dw_k = D S_k on B's side, S_k x* w -
// D S_k on A's side (eq. 3.5).
void fb_block_add_hessian(const FbSystem* s, const FbTerm* term, const FbTermState* state,
                          double factor, FbBlocks* b) {
    const FbPaths* paths = &s->m->paths;
    factor *= term->factor;
    for (int c = term->path; c < term->path + term->n_path; c++) {
        int k = paths->v[c];
        FbVec6 S_k = fb_term_column(&s->k, state, k, paths->sign[c]);
        FbVec6 dw = fb_term_direction_change(term, state, S_k);
        if (paths->sign[c] < 0.0) {
            dw = fb_sub6(fb_cross_force(S_k, state->w), dw);
        }
        for (int r = term->path; r < term->path + term->n_path; r++) {
            int j = paths->v[r];
            FbVec6 S_j = fb_term_column(&s->k, state, j, paths->sign[r]);
            double h = fb_dot6(S_j, dw);
            if (carries(s, k, paths->sign[c], j, paths->sign[r])) {
                h += fb_dot6(fb_cross_motion(S_k, S_j), state->w);
            }
            b->K[fb_at(b->vv, j, k)] += factor * paths->sign[r] * h;
        }
    }
}

static FbVec6 mul66(const double m[36], FbVec6 x) {
    double v[6] = {x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z}, r[6];
    for (int i = 0; i < 6; i++) {
        r[i] = 0.0;
        for (int j = 0; j < 6; j++) {
            r[i] += m[6 * i + j] * v[j];
        }
    }
    return (FbVec6){{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

// df_k = u on B's side, S_k x* f - u on A's side, with u = D S_k + E (S_k x (V_B - V_parent))
// (eq. 3.9).
void fb_block_add_pair(const FbSystem* s, const FbPairForce* pair, FbBlocks* b) {
    const FbPaths* paths = &s->m->paths;
    const FbKinematics* kin = &s->k;
    FbVec6 V[2];  // of B, from the bases of A and B
    V[1] = V[0] = fb_velocity_about(kin, pair->link_b, pair->at_b);
    V[0].lin = fb_add(V[0].lin, fb_base_velocity_step(kin, pair->link_a, pair->link_b));
    for (int c = pair->path; c < pair->path + pair->n_path; c++) {
        int k = paths->v[c];
        int parent = s->m->tree.links[s->m->tree.link_of_v[k]].parent;
        bool is_b = paths->sign[c] > 0.0;
        FbVec3 at = is_b ? pair->at_b : pair->at_a;
        FbVec6 S_k = fb_column_at(kin, k, at);
        FbVec6 relative = fb_sub6(V[is_b], fb_velocity_about(kin, parent, at));
        FbVec6 df = fb_add6(mul66(pair->D, S_k), mul66(pair->E, fb_cross_motion(S_k, relative)));
        if (!is_b) {
            df = fb_sub6(fb_cross_force(S_k, pair->f), df);
        }
        FbVec6 ES = fb_scale6(paths->sign[c], mul66(pair->E, S_k));
        for (int r = pair->path; r < pair->path + pair->n_path; r++) {
            int j = paths->v[r];
            FbVec6 S_j = fb_column_at(kin, j, paths->sign[r] > 0.0 ? pair->at_b : pair->at_a);
            double x = fb_dot6(S_j, df);
            if (carries(s, k, paths->sign[c], j, paths->sign[r])) {
                x += fb_dot6(fb_cross_motion(S_k, S_j), pair->f);
            }
            int entry = fb_at(b->vv, j, k);
            b->K[entry] -= paths->sign[r] * x;
            b->C[entry] -= paths->sign[r] * fb_dot6(S_j, ES);
        }
    }
}

void fb_block_add_outer(const FbSystem* s, const int* v, const double* row, int n,
                        const FbGradient* g, FbBlocks* b) {
    int n_v = s->m->tree.n_v;
    for (int i = 0; i < g->n_touched; i++) {
        int k = g->touched[i];
        for (int r = 0; r < n; r++) {
            int at = fb_at(b->vv, v[r], k);
            b->K[at] -= row[r] * g->q[k];
            b->C[at] -= row[r] * g->v[k];
        }
    }
    for (int x = 0; x < s->m->n_states + s->m->n_inputs; x++) {
        for (int r = 0; g->x[x] != 0.0 && r < n; r++) {
            b->Rx[(size_t)x * (size_t)n_v + (size_t)v[r]] -= row[r] * g->x[x];
        }
    }
}
