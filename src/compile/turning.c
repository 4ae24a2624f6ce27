// Linear structures whose supports let them rotate are rejected, because their displacements from
// the drawing will not stay small.
//
// A rigid motion of the structure must be one that the joints between the ground and each of its
// nodes can make: r . (w L, v) = 0 for all r across the motions S of each chain. It can turn if
// these rows leave a motion with w.
#include <math.h>
#include <stdlib.h>

#include "compile/compile.h"
#include "math/dense.h"

// Eigenvalues of the sum of projections below it are zeros; parts of unit vectors too.
static const double NOTHING = 1e-9;
// Of the length of a motion: what is left of it after others were taken out counts as nothing.
static const double DEPENDENT = 1e-9;

typedef struct Turning {
    FbBuilder* b;
    FbModel* m;
    const FbKinematics* k;
    const FbStructure* s;
    bool* is_seen;  // [n_link]
    bool* is_own;   // [n_v] moves the structure
    FbVec3 center;
    double length;
    double sum[36];     // of the projections on what the chains cannot do
    const char* joint;  // that rotates and is not a node of a linear structure
} Turning;

// The joint of a link above the node that turns, NULL: none.
static const char* find_turning_joint(const FbModel* m, int link) {
    const char* found = NULL;
    for (int l = link; l >= 0; l = m->tree.links[l].parent) {
        FbLinkKind kind = m->tree.links[l].kind;
        int joint = m->tree.links[l].joint;
        bool turns = kind == FB_LINK_TURN || kind == FB_LINK_SCREW || kind == FB_LINK_BALL;
        if (turns && (joint < 0 || !m->is_linear_node[joint])) {
            found = joint >= 0 ? m->joints[joint].name : "";
        }
    }
    return found;
}

// The motions of a chain as unit vectors across each other, [count][6].
static int calc_motions(const Turning* t, int link, double basis[6][6]) {
    int count = 0;
    for (int l = link; l >= 0; l = t->m->tree.links[l].parent) {
        const FbLink* x = &t->m->tree.links[l];
        FbVec3 lever = fb_sub(t->center, fb_ground_point(t->k, l, fb_vec3(0, 0, 0)));
        for (int j = x->v0; j < x->v0 + x->n_v && count < 6; j++) {
            double r[6], size = 0.0, left = 0.0;
            FbVec6 S = fb_motion_at(t->k->S[j], lever);
            fb_vec3_to(fb_scale(t->length, S.ang), r);
            fb_vec3_to(S.lin, r + 3);
            for (int i = 0; i < 6; i++) {
                size += r[i] * r[i];
            }
            for (int c = 0; c < 2 * count; c++) {  // twice, for rounding
                const double* other = basis[c % count];
                double part = 0.0;
                for (int i = 0; i < 6; i++) {
                    part += other[i] * r[i];
                }
                for (int i = 0; i < 6; i++) {
                    r[i] -= part * other[i];
                }
            }
            for (int i = 0; i < 6; i++) {
                left += r[i] * r[i];
            }
            for (int i = 0; left > DEPENDENT * DEPENDENT * size && i < 6; i++) {
                basis[count][i] = r[i] / sqrt(left);
            }
            count += left > DEPENDENT * DEPENDENT * size;
        }
    }
    return count;
}

static void add_chain(Turning* t, int link) {
    double basis[6][6];
    int n = calc_motions(t, link, basis);
    for (int i = 0; i < 6; i++) {
        t->sum[7 * i] += 1.0;
        for (int c = 0; c < n; c++) {
            for (int k = 0; k < 6; k++) {
                t->sum[6 * i + k] -= basis[c][i] * basis[c][k];
            }
        }
    }
}

static bool has_free_turn(Turning* t) {
    double one[36] = {0}, w[6];
    bool is_free = false;
    for (int i = 0; i < 6; i++) {
        one[7 * i] = 1.0;
    }
    if (fb_eigen_symmetric_pencil(6, t->sum, one, w, NULL) < 0) {
        return false;
    }
    for (int k = 0; k < 6; k++) {
        is_free |= w[k] < NOTHING && fb_norm(fb_vec3_from(t->sum + 6 * k)) > sqrt(NOTHING);
    }
    return is_free;
}

static bool term_touches(const Turning* t, int index) {
    const FbTerm* term = &t->m->terms[index];
    bool touches = term->kind == FB_TERM_COORDINATE && t->is_own[term->coordinate_v];
    for (int j = term->path; j < term->path + term->n_path; j++) {
        touches |= t->is_own[t->m->paths.v[j]];
    }
    return touches;
}

// Does the law stand still?
static bool is_constant(const FbModel* m, int law) {
    double now[3], later[3];
    if (m->laws[law].has_inputs) {
        return false;
    }
    fb_law_calc(&m->laws[law], m->settings.start, now);
    fb_law_calc(&m->laws[law], m->settings.start + 1.0, later);
    return now[0] == later[0] && now[1] == 0.0 && later[1] == 0.0 && now[2] == 0.0;
}

// Loops, constraints other than drives, and springs may hold it; only a run can decide.
static bool is_held(const Turning* t) {
    const FbModel* m = t->m;
    bool is_held = false;
    for (int r = 0; r < m->n_rows; r++) {
        const FbRow* row = &m->rows[r];
        for (int i = row->term; i < row->term + row->n_terms; i++) {
            is_held |= (row->law < 0 || is_constant(m, row->law)) && term_touches(t, i);
        }
    }
    for (int i = 0; i < m->n_forces; i++) {
        const FbForce* e = &m->forces[i];
        is_held |= e->type && e->type->energy && e->term >= 0 && term_touches(t, e->term);
        for (int j = e->path; e->type && e->type->wrench && j < e->path + e->n_path; j++) {
            is_held |= t->is_own[m->paths.v[j]];
        }
    }
    return is_held;
}

static void find_size(Turning* t) {
    const FbStructure* s = t->s;
    t->center = t->m->beams[s->first].p_drawn[0];
    t->length = 0.0;
    for (int i = s->first; i < s->first + s->n; i++) {
        for (int end = 0; end < 2; end++) {
            double away = fb_norm(fb_sub(t->m->beams[i].p_drawn[end], t->center));
            t->length = fmax(t->length, away);
        }
    }
}

static void check_structure(Turning* t) {
    const FbModel* m = t->m;
    const FbStructure* s = t->s;
    for (int i = s->first; i < s->first + s->n; i++) {
        for (int end = 0; end < 2; end++) {
            const char* joint = find_turning_joint(m, m->beams[i].end[end].link);
            t->joint = joint ? joint : t->joint;
        }
    }
    if (!t->joint) {
        return;
    }
    find_size(t);
    for (int i = 0; i < s->n_v; i++) {
        t->is_own[s->v[i]] = true;
    }
    for (int i = s->first; i < s->first + s->n; i++) {
        for (int end = 0; end < 2; end++) {
            int link = m->beams[i].end[end].link;
            if (link < 0 || !t->is_seen[link]) {
                add_chain(t, link);
            }
            if (link >= 0) {
                t->is_seen[link] = true;
            }
        }
    }
    if (has_free_turn(t) && !is_held(t)) {
        const FbOrigin* origin = &t->b->def->structures[s - m->structures].origin;
        fb_compile_error(
            t->b, FB_ERR_MODEL, origin, "theory",
            "structure '%s' is linear, which is valid only for small displacements from the "
            "drawing, but it can rotate because %s%s%s can; use `theory: nonlinear`",
            s->name, t->joint[0] ? "joint '" : "", t->joint[0] ? t->joint : "a body",
            t->joint[0] ? "'" : "");
    }
}

static FbStatus check_all(FbBuilder* b, const FbKinematics* k, FbArena* scratch) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_structures; i++) {
        if (m->structures[i].is_nonlinear || m->structures[i].n == 0) {
            continue;
        }
        Turning t = {.b = b,
                     .m = m,
                     .k = k,
                     .s = &m->structures[i],
                     .is_seen = FB_TAKE(scratch, bool, m->tree.n_link + 1),
                     .is_own = FB_TAKE(scratch, bool, m->tree.n_v + 1)};
        if (fb_arena_has_failed(scratch)) {
            return FB_ERR_MEMORY;
        }
        check_structure(&t);
    }
    return FB_OK;
}

FbStatus fb_compile_turning(FbBuilder* b) {
    FbModel* m = b->m;
    if (b->is_absolute || m->n_beams == 0 || fb_diagnostics_error_count(b->diagnostics) > 0) {
        return FB_OK;
    }
    FbArena* scratch = fb_arena_create();
    FbKinematics k;
    FbStatus status =
        scratch ? fb_kinematics_init_position(&m->tree, scratch, &k, &b->err) : FB_ERR_MEMORY;
    if (status == FB_OK) {
        fb_tree_realize_position(&m->tree, m->q_drawn, &k);
        status = check_all(b, &k, scratch);
    }
    fb_arena_destroy(scratch);
    return status;
}
