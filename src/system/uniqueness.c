// Which recorded reactions are unique where rows are redundant.
//
// Multipliers z of all rows with G' z = 0 change no motion (theory manual, eq. 4.16): the forces
// that they exert on the bodies are carried by the joints of the tree. What they change of an
// output is not determined by the motion; an output that none of them changes is unique, however
// many rows are redundant.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/work.h"
#include "tree/motion.h"

// Of the forces in a state of self-stress (times the length of the mechanism for moments): what an
// output feels of it below is rounding, and the error that rows may have to count as redundant.
static const double UNIQUE = 1e-6;

// A state of self-stress.
typedef struct Stress {
    double* z;      // [n_rows]
    FbVec6* F;      // [n_link] transmitted by the links
    double* tau;    // [n_v] along the coordinates of the tree
    double force;   // the largest force in it, or moment over length
    FbVec6* own_F;  // the same of the motion, to be restored
    double* own_tau;
} Stress;

bool fb_signal_is_reaction(const FbModel* m, int signal) {
    const FbSignal* s = &m->signals[signal];
    const int* functions;
    for (int f = 0, n = fb_signal_functions(m, s, &functions); f < n; f++) {
        const FbExpr* expr = m->functions[functions[f]].expr;
        for (int i = 0; i < fb_expr_input_count(expr); i++) {
            if (fb_signal_is_reaction(m, fb_expr_inputs(expr)[i])) {
                return true;
            }
        }
    }
    return s->kind == FB_SIGNAL_REACTION_FORCE || s->kind == FB_SIGNAL_REACTION_TORQUE ||
           s->kind == FB_SIGNAL_MULTIPLIER;
}

// What a row exerts where its multiplier is one, as a force: moments over the length of the
// mechanism.
static double row_size(const FbSystem* s, int r) {
    const FbRow* row = &s->m->rows[r];
    double largest = 0.0;
    for (int t = row->term; t < row->term + row->n_terms; t++) {
        const FbTerm* term = &s->m->terms[t];
        FbVec6 w = s->term[t].w;
        double size = term->kind == FB_TERM_COORDINATE
                          ? 1.0 / s->m->unit_v[term->coordinate_v]
                          : fmax(fb_norm(w.lin), fb_norm(w.ang) / s->m->length);
        largest = fmax(largest, fabs(term->factor) * size);
    }
    return largest;
}

// The dropped row d against the rows in use that say the same: z = e_d - w_d, in units of the rows.
static void set_multipliers(const FbSystem* s, int d, const double* w, Stress* x) {
    memset(x->z, 0, sizeof(double) * (size_t)s->m->n_rows);
    x->z[d] = 1.0 / s->m->rows[d].unit;
    for (int c = 0; c < s->dynamics.size.n_c; c++) {
        x->z[s->active[c]] = -w[c] / s->m->rows[s->active[c]].unit;
    }
}

// F_i = -f_i + sum of the F of the links that i carries, with f = -G' z on the links; in k->F.
static void pass_forces(FbSystem* s, const Stress* x) {
    const FbModel* m = s->m;
    fb_tree_clear_forces(&m->tree, &s->k);
    for (int r = 0; r < m->n_rows; r++) {
        for (int t = m->rows[r].term; t < m->rows[r].term + m->rows[r].n_terms; t++) {
            const FbTerm* term = &m->terms[t];
            if (term->kind != FB_TERM_COORDINATE) {
                fb_term_push(term, &s->k, &s->term[t], -x->z[r] * term->factor);
            }
        }
    }
    for (int i = 0; i < m->tree.n_link; i++) {
        s->k.F[i] = fb_scale6(-1.0, s->k.external[i]);
    }
    for (int i = m->tree.n_link - 1; i >= 0; i--) {
        const FbLink* link = &m->tree.links[i];
        for (int j = link->v0; j < link->v0 + link->n_v; j++) {
            x->tau[j] = fb_dot6(s->k.S[j], s->k.F[i]);
        }
        if (link->parent >= 0) {
            fb_tree_pass_force(&m->tree, &s->k, i);
        }
    }
}

// The forces of the motion itself stay in the kinematics, for expressions of them.
static void carry(FbSystem* s, Stress* x) {
    size_t n_F = sizeof(FbVec6) * (size_t)s->m->tree.n_link;
    size_t n_tau = sizeof(double) * (size_t)s->m->tree.n_v;
    memcpy(x->own_F, s->k.F, n_F);
    memcpy(x->own_tau, s->k.tau, n_tau);
    pass_forces(s, x);
    memcpy(x->F, s->k.F, n_F);
    memcpy(s->k.F, x->own_F, n_F);
    memcpy(s->k.tau, x->own_tau, n_tau);
    x->force = 0.0;
    for (int r = 0; r < s->m->n_rows; r++) {
        x->force = fmax(x->force, fabs(x->z[r]) * row_size(s, r));
    }
}

static double response(FbSystem* s, const FbPoint* p, int index, const Stress* x, double* size);

// That of an expression, times `factor`; *size is added to.
static double function_response(FbSystem* s, const FbPoint* p, int function, double factor,
                                const Stress* x, double* size) {
    size_t mark = s->scratch_used;
    double *inputs, *scratch, change = 0.0, part;
    const FbExpr* expr = fb_function_gather(s, p, function, 0.0, 0.0, &inputs, &scratch);
    double* gradient = fb_scratch_take(s, (size_t)fb_expr_input_count(expr));
    fb_expr_gradient(expr, inputs, scratch, gradient);
    for (int i = 0; i < fb_expr_input_count(expr); i++) {
        change += factor * gradient[i] * response(s, p, fb_expr_inputs(expr)[i], x, &part);
        *size += fabs(factor * gradient[i]) * part;
    }
    s->scratch_used = mark;
    return change;
}

// How much a signal changes by the self-stress; *size is what counts as much.
static double response(FbSystem* s, const FbPoint* p, int index, const Stress* x, double* size) {
    const FbSignal* signal = &s->m->signals[index];
    *size = 0.0;
    switch (signal->kind) {
        case FB_SIGNAL_REACTION_FORCE:
        case FB_SIGNAL_REACTION_TORQUE: {
            bool is_force = signal->kind == FB_SIGNAL_REACTION_FORCE;
            *size = x->force * (is_force ? 1.0 : s->m->length);
            return fb_reaction_calc(s, signal, x->F, x->tau, x->z);
        }
        case FB_SIGNAL_MULTIPLIER: {
            double unit = row_size(s, signal->index);
            *size = unit > 0.0 ? x->force / unit : 0.0;
            return x->z[signal->index];
        }
        case FB_SIGNAL_FUNCTION:
            return function_response(s, p, signal->index, 1.0, x, size);
        case FB_SIGNAL_CALLBACK: {
            const FbCallbackPart* c = &s->m->callbacks[signal->index];
            const double* slopes = fb_callback_calc_slopes(s, p, signal);
            double change = 0.0;
            for (int i = 0; i < c->n_arguments; i++) {
                change += function_response(s, p, c->arguments[i], slopes[i], x, size);
            }
            return change;
        }
        default:
            return 0.0;
    }
}

static void mark_changed(FbSystem* s, const FbPoint* p, const Stress* x) {
    for (int i = 0; i < s->m->n_outputs; i++) {
        int signal = s->m->outputs[i].signal;
        if (!s->is_ambiguous[i] && fb_signal_is_reaction(s->m, signal)) {
            double size, change = response(s, p, signal, x, &size);
            s->is_ambiguous[i] = fabs(change) > UNIQUE * size;
        }
    }
}

static FbStatus examine(FbSystem* s, const FbPoint* p, FbError* err) {
    const FbModel* m = s->m;
    int n_c = s->dynamics.size.n_c, dropped = 0;
    size_t n_link = (size_t)m->tree.n_link + 1, n_v = (size_t)m->tree.n_v + 1;
    Stress x = {.z = calloc((size_t)m->n_rows + 1, sizeof(double)),
                .F = calloc(2 * n_link, sizeof(FbVec6)),
                .tau = calloc(2 * n_v, sizeof(double))};
    bool has_memory = x.z && x.F && x.tau;
    x.own_F = has_memory ? x.F + n_link : NULL;
    x.own_tau = has_memory ? x.tau + n_v : NULL;
    for (int r = 0; has_memory && r < m->n_rows; r++) {
        if (s->slot_of_row[r] < 0) {
            set_multipliers(s, r, s->least.w + (size_t)dropped++ * (size_t)n_c, &x);
            carry(s, &x);
            mark_changed(s, p, &x);
        }
    }
    free(x.z);
    free(x.F);
    free(x.tau);
    return has_memory ? FB_OK : fb_fail_memory(err);
}

FbStatus fb_system_find_ambiguous(FbSystem* s, const FbPoint* p, int* count, FbError* err) {
    const FbModel* m = s->m;
    bool has_redundant = s->dynamics.size.n_c < m->n_rows;
    bool is_known = has_redundant && s->least.is_needed;
    *count = 0;
    if (is_known) {
        fb_system_realize_outputs(s, p);
        is_known = fb_multipliers_express(s);
    }
    // If that cannot be calculated, all of them may be not unique.
    for (int i = 0; i < m->n_outputs; i++) {
        s->is_ambiguous[i] =
            has_redundant && !is_known && fb_signal_is_reaction(m, m->outputs[i].signal);
    }
    if (is_known) {
        FB_TRY(examine(s, p, err));
    }
    for (int i = 0; i < m->n_outputs; i++) {
        *count += s->is_ambiguous[i];
    }
    return FB_OK;
}

bool fb_system_is_ambiguous(const FbSystem* s, int output) {
    return output >= 0 && output < s->m->n_outputs && s->is_ambiguous[output];
}
