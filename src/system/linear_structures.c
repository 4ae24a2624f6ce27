// Linear structures and matrices from outside as one part: constant M, C, K about the drawing, and
// how far their nodes have turned from it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system/part.h"
#include "system/port.h"

static void calc_displacements(const FbModel* m, const double* q, double* dq) {
    for (int j = 0; j < m->tree.n_v; j++) {
        dq[j] = fb_displacement(m, q, j);
    }
}

// r += M a + C v + K (q - q_drawn) + gravity (eq. 8.34), as applied forces with the other sign.
static void apply(FbSystem* s, const FbPoint* p, const double* a) {
    const FbModel* m = s->m;
    double *dq = s->work_v[3], *tau = s->k.tau;
    calc_displacements(m, p->q, dq);
    fb_pattern_multiply(&m->vv, m->linear_M, -1.0, a, tau);
    fb_pattern_multiply(&m->vv, m->linear_C, -1.0, p->v, tau);
    fb_pattern_multiply(&m->vv, m->linear_K, -1.0, dq, tau);
    for (int j = 0; j < m->tree.n_v; j++) {
        tau[j] -= m->linear_r[j];
    }
}

static void add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    const FbModel* m = s->m;
    (void)p;
    for (int i = 0; i < fb_pattern_count(&m->vv); i++) {
        b->M[i] += m->linear_M[i];
        b->C[i] += m->linear_C[i];
        b->K[i] += m->linear_K[i];
    }
}

static void add_mass(FbSystem* s, const double* q, double* M) {
    (void)q;
    for (int i = 0; i < fb_pattern_count(&s->m->vv); i++) {
        M[i] += s->m->linear_M[i];
    }
}

// x' A x
static double quadratic(const FbModel* m, const double* A, const double* x) {
    const FbPattern* p = &m->vv;
    double sum = 0.0;
    for (int j = 0; j < p->n_col; j++) {
        double column = 0.0;
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            column += A[e] * x[p->row[e]];
        }
        sum += x[j] * column;
    }
    return sum;
}

static void add_energies(FbSystem* s, const FbPoint* p, double* kinetic, double* potential) {
    const FbModel* m = s->m;
    double* dq = s->work_v[3];
    calc_displacements(m, p->q, dq);
    *kinetic += 0.5 * quadratic(m, m->linear_M, p->v);
    *potential += 0.5 * quadratic(m, m->linear_K, dq) + m->linear_energy;
    for (int j = 0; j < m->tree.n_v; j++) {
        *potential += m->linear_r[j] * dq[j];
    }
}

static void add_powers(FbSystem* s, const FbPoint* p, double* supplied, double* dissipated) {
    (void)supplied;
    if (s->linear.arena && s->linear.form.has_near_powers) {
        return;  // no damping
    }
    *dissipated += quadratic(s->m, s->m->linear_C, p->v);
}

static bool has_far_powers(const FbSystem* s) {
    for (int i = 0; i < fb_pattern_count(&s->m->vv); i++) {
        if (s->m->linear_C[i] != 0.0) {
            return true;
        }
    }
    return false;
}

// out += factor A x of n entries
static void multiply(int n, const double* A, const double* x, double factor, double* out) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            out[i] += factor * A[i * n + j] * x[j];
        }
    }
}

// out += J0 x
static void add_motion(const FbElement* e, const double* x, double* out) {
    int n = fb_element_size(e->type);
    for (int k = 0; k < e->path.n; k++) {
        for (int i = 0; i < n; i++) {
            out[i] += e->J0[k * n + i] * x[e->path.v[k]];
        }
    }
}

// M a + C v + K d and the weight of one element, at its nodes.
static void calc_forces(const FbSystem* s, const FbPoint* p, const double* a, const double* dq,
                        const FbElement* e, double* f) {
    int n = fb_element_size(e->type);
    double *x = f + n, *rate = x + n, *A = rate + n;
    memset(f, 0, 3 * sizeof(double) * (size_t)n);
    for (int i = 0; i < e->type->n_nodes; i++) {
        fb_vec3_to(fb_scale(-1.0, s->m->tree.gravity), x + e->type->n_coordinates * i);
    }
    add_motion(e, a, x);
    add_motion(e, p->v, rate);
    e->type->calc_mass(e->self, e->p_drawn, &e->R_drawn, A);
    multiply(n, A, x, 1.0, f);
    multiply(n, A, rate, e->alpha, f);
    memset(x, 0, sizeof(double) * (size_t)n);
    add_motion(e, dq, x);
    e->type->calc_stiffness(e->self, e->p_drawn, &e->R_drawn, A);
    multiply(n, A, x, 1.0, f);
    multiply(n, A, rate, e->beta, f);
}

static void move_to_links(FbSystem* s, const FbPoint* p, const double* a) {
    double* dq = s->work_v[3];
    calc_displacements(s->m, p->q, dq);
    for (int i = 0; i < s->m->n_elements; i++) {
        const FbElement* e = s->m->elements[i];
        int n = fb_element_size(e->type), own = e->type->n_coordinates;
        double* f = s->element_room;
        calc_forces(s, p, a, dq, e, f);
        for (int k = 0; k < e->path.n; k++) {
            double along = 0.0;
            for (int j = 0; j < n; j++) {
                along += e->J0[k * n + j] * f[j];
            }
            s->k.tau[e->path.v[k]] += along;
        }
        for (int node = 0; node < e->type->n_nodes; node++) {
            double wrench[6] = {0};
            memcpy(wrench, f + own * node, sizeof(double) * (size_t)own);
            fb_port_push(s, &e->end[node], wrench);
        }
    }
}

static void take(FbSystem* s) {
    size_t n = 0;
    for (int i = 0; i < s->m->n_elements; i++) {
        size_t size = (size_t)fb_element_size(s->m->elements[i]->type);
        n = size > n ? size : n;
    }
    s->element_room = FB_TAKE(s->arena, double, n*(n + 3) + 1);
}

static void begin(FbSystem* s, const FbPoint* p) {
    (void)p;
    s->largest_turn = 0.0;
}

// rad: the error of the linear theory is half the square of the rotation, 2 % here; and meaningless
// here, unless explicitly chosen (growth in a linear theory is a result, too).
static const double LARGE = 0.2, TOO_LARGE = 1.0;

// What else there is for the structure that the velocity moves.
static const char* name_remedy(const FbModel* m, int velocity, bool has_choice) {
    for (int i = 0; i < m->n_superelements; i++) {
        for (int k = 0; k < m->superelements[i].n; k++) {
            if (m->superelements[i].v[k] == velocity) {
                return "meshes and matrices have no other theory: describe what rotates far by "
                       "rigid bodies, or by members with `theory: nonlinear`";
            }
        }
    }
    return has_choice ? "use `theory: nonlinear`, or set `theory: linear` explicitly if this is "
                        "intended"
                      : "use `theory: nonlinear`";
}

static FbStatus check(FbSystem* s, const FbPoint* p, FbError* err) {
    const FbModel* m = s->m;
    bool is_too_large = false;
    for (int i = 0; i < m->n_linear_turns; i++) {
        double turn = fabs(fb_displacement(m, p->q, m->linear_turns[i]));
        is_too_large = is_too_large || (i < m->n_open_turns && turn > TOO_LARGE);
        if (turn > s->largest_turn) {
            s->largest_turn = turn;
            s->turned = m->linear_turns[i];
        }
    }
    if (!is_too_large) {
        return FB_OK;
    }
    return fb_fail(
        err, FB_ERR_MODEL, NULL,
        "at t = %.6g s '%s' has rotated by %.4g rad, but the linear structure that moves with it "
        "is valid only for small displacements from the drawing (beyond %g rad the run stops); %s",
        p->t, s->dynamics.ops->name_of_velocity(&s->dynamics, s->turned), s->largest_turn,
        TOO_LARGE, name_remedy(m, s->turned, true));
}

enum { NOTE_BUCKLED, NOTE_TURNED, N_NOTES };

static void write_note(const FbSystem* s, int index, char* text, size_t size) {
    if (index == NOTE_BUCKLED && s->has_buckled) {
        snprintf(text, size,
                 "the linear structures buckle under the loads at the start, which linear theory "
                 "does not describe: use `theory: nonlinear`, or make them stiffer");
    }
    if (index == NOTE_TURNED && s->largest_turn > LARGE) {
        snprintf(text, size,
                 "'%s' rotated by up to %.3g rad, but the linear structure that moves with it is "
                 "valid only for small displacements from the drawing (at %g rad its error is "
                 "about 2 %%); %s",
                 s->dynamics.ops->name_of_velocity(&s->dynamics, s->turned), s->largest_turn, LARGE,
                 name_remedy(s->m, s->turned, false));
    }
}

void fb_system_write_point_note(FbSystem* s, const FbPoint* p, char* text, size_t size) {
    FbError error;  // where a run would end, a point has a note
    text[0] = '\0';
    s->largest_turn = 0.0;
    (void)check(s, p, &error);
    write_note(s, NOTE_TURNED, text, size);
}

static int count_notes(const FbModel* m) {
    (void)m;
    return N_NOTES;
}

static int count(const FbModel* m) {
    return m->linear_M != NULL;
}

static void remember(FbSystem* s, FbMemory* m) {
    FB_REMEMBER(m, s->largest_turn);
    fb_memory_index(m, &s->turned, -1, s->m->tree.n_v);
    FB_REMEMBER(m, s->has_buckled);
}

const FbPartKind fb_part_linear = {
    .name = "linear structures",
    .count = count,
    .has_inertia = true,
    .take = take,
    .remember = remember,
    .begin = begin,
    .apply = apply,
    .move_to_links = move_to_links,
    .add_blocks = add_blocks,
    .add_mass = add_mass,
    .add_energies = add_energies,
    .add_powers = add_powers,
    .has_far_powers = has_far_powers,
    .check = check,
    .count_notes = count_notes,
    .write_note = write_note,
};
