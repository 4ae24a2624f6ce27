// Finite elements of any type and number of nodes: the velocities that move them, and the constant
// matrices of those of the linear theory.
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"

static int count_above(const FbTree* tree, int link) {
    int n = 0;
    for (int l = link; l >= 0; l = tree->links[l].parent) {
        n += tree->links[l].n_v;
    }
    return n;
}

// Adds the velocities from the ground to a link, in the order of the tree, to a sorted path.
static void merge_chain(const FbTree* tree, int link, uint32_t node, FbPortPath* path) {
    for (int l = link; l >= 0; l = tree->links[l].parent) {
        for (int j = tree->links[l].v0 + tree->links[l].n_v - 1; j >= tree->links[l].v0; j--) {
            int at = path->n;
            while (at > 0 && path->v[at - 1] > j) {
                at--;
            }
            if (at > 0 && path->v[at - 1] == j) {
                path->moves[at - 1] |= node;
                continue;
            }
            memmove(path->v + at + 1, path->v + at, sizeof(int) * (size_t)(path->n - at));
            memmove(path->moves + at + 1, path->moves + at,
                    sizeof(uint32_t) * (size_t)(path->n - at));
            path->v[at] = j;
            path->moves[at] = node;
            path->n++;
        }
    }
}

FbStatus fb_compile_port_path(FbBuilder* b, const FbLinkFrame* ends, int n, FbPortPath* path) {
    FbModel* m = b->m;
    int most = 0;
    for (int i = 0; i < n; i++) {
        most += count_above(&m->tree, ends[i].link);
    }
    path->n = 0;
    path->v = FB_TAKE(m->arena, int, most + 1);
    path->moves = FB_TAKE(m->arena, uint32_t, most + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < n; i++) {
        merge_chain(&m->tree, ends[i].link, UINT32_C(1) << i, path);
    }
    m->max_port_path = path->n > m->max_port_path ? path->n : m->max_port_path;
    return FB_OK;
}

FbStatus fb_compile_element(FbBuilder* b, FbElement* e, bool is_linear) {
    if (is_linear) {
        b->m->elements[b->m->n_elements++] = e;
    }
    return fb_compile_port_path(b, e->end, e->type->n_nodes, &e->path);
}

void fb_element_calc_columns(const FbKinematics* k, const FbElement* e, double* J0) {
    int n = fb_element_size(e->type), own = e->type->n_coordinates;
    for (int c = 0; c < e->path.n; c++) {
        for (int i = 0; i < e->type->n_nodes; i++) {
            if (!(e->path.moves[c] & UINT32_C(1) << i)) {
                continue;
            }
            FbVec3 at = fb_link_point(k, e->end[i].link, e->end[i].p);
            FbVec6 S = fb_column_at(k, e->path.v[c], at);
            double* column = J0 + (size_t)c * (size_t)n + own * i;
            fb_vec3_to(S.lin, column);
            if (own > 3) {
                fb_vec3_to(S.ang, column + 3);
            }
        }
    }
}

// Where the columns of J0 are not zero: most of them are nearly empty.
typedef struct Places {
    int* at;     // [path.n x n] ascending
    int* count;  // [path.n]
} Places;

static void find_places(const FbElement* e, Places* out) {
    int n = fb_element_size(e->type);
    for (int c = 0; c < e->path.n; c++) {
        const double* column = e->J0 + (size_t)c * (size_t)n;
        int *at = out->at + (size_t)c * (size_t)n, count = 0;
        for (int i = 0; i < n; i++) {
            at[count] = i;
            count += column[i] != 0.0;
        }
        out->count[c] = count;
    }
}

// out = A y, where y has entries at some places only.
static void multiply(int n, const double* A, const double* y, const int* at, int count,
                     double* out) {
    for (int i = 0; i < n; i++) {
        double product = 0.0;
        for (int k = 0; k < count; k++) {
            product += A[i * n + at[k]] * y[at[k]];
        }
        out[i] = product;
    }
}

// The columns J0' K J0_c and J0' M J0_c of one velocity; Kx, Mx: K J0_c, M J0_c.
static void add_column(const FbModel* m, const FbElement* e, const Places* places, int c,
                       const double* Kx, const double* Mx, FbLinearMatrices* out) {
    int n = fb_element_size(e->type), col = e->path.v[c], to = m->vv.start[col];
    for (int r = 0; r < e->path.n; r++) {
        const double* row = e->J0 + (size_t)r * (size_t)n;
        const int* at = places->at + (size_t)r * (size_t)n;
        double mass = 0.0, stiffness = 0.0;
        for (int k = 0; k < places->count[r]; k++) {
            mass += row[at[k]] * Mx[at[k]];
            stiffness += row[at[k]] * Kx[at[k]];
        }
        to = fb_pattern_seek(&m->vv, e->path.v[r], col, to);
        out->M[to] += mass;
        out->K[to] += stiffness;
        out->C[to] += e->alpha * mass + e->beta * stiffness;
    }
}

void fb_element_assemble(const FbModel* m, const FbElement* e, double* scratch, int* room,
                         FbLinearMatrices* out) {
    int n = fb_element_size(e->type), own = e->type->n_coordinates;
    Places places = {.at = room, .count = room + (size_t)e->path.n * (size_t)n};
    double *K = scratch, *M = K + n * n, *weight = M + n * n, *Kx = weight + n, *Mx = Kx + n;
    FbVec3 g = m->tree.gravity, center;
    e->type->calc_stiffness(e->self, e->p_drawn, &e->R_drawn, K);
    e->type->calc_mass(e->self, e->p_drawn, &e->R_drawn, M);
    memset(Kx, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < e->type->n_nodes; i++) {
        fb_vec3_to(fb_scale(-1.0, g), Kx + own * i);
    }
    fb_element_multiply(n, M, Kx, weight);
    find_places(e, &places);
    for (int c = 0; c < e->path.n; c++) {
        const double* column = e->J0 + (size_t)c * (size_t)n;
        const int* at = places.at + (size_t)c * (size_t)n;
        multiply(n, K, column, at, places.count[c], Kx);
        multiply(n, M, column, at, places.count[c], Mx);
        add_column(m, e, &places, c, Kx, Mx, out);
        out->r[e->path.v[c]] += fb_element_dot(n, column, weight);
    }
    double mass = e->type->calc_center(e->self, e->p_drawn, &center);
    out->energy -= mass * fb_dot(g, center);
}

static FbStatus assemble_all(FbModel* m, const FbKinematics* k) {
    FbLinearMatrices sums = {m->linear_M, m->linear_C, m->linear_K, m->linear_r, 0.0};
    size_t largest = 0, longest = 0;
    for (int i = 0; i < m->n_elements; i++) {
        size_t n = (size_t)fb_element_size(m->elements[i]->type);
        size_t columns = (size_t)m->elements[i]->path.n;
        largest = n > largest ? n : largest;
        longest = columns > longest ? columns : longest;
    }
    double* scratch = malloc(sizeof(double) * (2 * largest + 3) * (largest + 1));
    int* places = malloc(sizeof(int) * (longest + 1) * (largest + 1));
    for (int i = 0; scratch && places && i < m->n_elements; i++) {
        FbElement* e = (FbElement*)m->elements[i];  // ours until the model is finished
        size_t size = (size_t)e->path.n * (size_t)fb_element_size(e->type);
        e->J0 = FB_TAKE(m->arena, double, size + 1);
        if (!e->J0) {
            break;
        }
        fb_element_calc_columns(k, e, e->J0);
        fb_element_assemble(m, e, scratch, places, &sums);
    }
    m->linear_energy += sums.energy;
    bool is_ok = scratch && places && !fb_arena_has_failed(m->arena);
    free(scratch);
    free(places);
    return is_ok ? FB_OK : FB_ERR_MEMORY;
}

// Limits of a rotation: none for linear elements; for the nodes of a structure whose theory was
// given; for its supports, or if the theory was not given, as nobody can for external matrices.
enum { NO_TURN, ASKED_TURN, OPEN_TURN };

static void mark_turns(const FbModel* m, char* mark) {
    for (int i = 0; i < m->n_superelements; i++) {
        for (int k = 0; k < m->superelements[i].n; k++) {
            mark[m->superelements[i].v[k]] = OPEN_TURN;
        }
    }
    for (int i = 0; i < m->n_structures; i++) {
        const FbStructure* s = &m->structures[i];
        for (int e = s->first; e < s->first + s->n; e++) {
            const FbPortPath* path = &m->beams[e].base.path;
            for (int k = 0; m->beams[e].is_linear && k < path->n; k++) {
                mark[path->v[k]] = s->is_theory_open ? OPEN_TURN : ASKED_TURN;
            }
        }
    }
    for (int j = 0; j < m->tree.n_v; j++) {
        int joint = m->tree.links[m->tree.link_of_v[j]].joint;
        mark[j] =
            mark[j] == ASKED_TURN && (joint < 0 || !m->is_linear_node[joint]) ? OPEN_TURN : mark[j];
    }
}

// The rotations among the coordinates of linear elements and external matrices, open ones first.
static FbStatus list_turns(FbModel* m) {
    char* mark = calloc((size_t)m->tree.n_v + 1, 1);
    m->linear_turns = FB_TAKE(m->arena, int, m->tree.n_v + 1);
    if (!mark || !m->linear_turns) {
        free(mark);
        return FB_ERR_MEMORY;
    }
    mark_turns(m, mark);
    for (int kind = OPEN_TURN; kind >= ASKED_TURN; kind--) {
        for (int j = 0; j < m->tree.n_v; j++) {
            if (mark[j] == kind && m->tree.links[m->tree.link_of_v[j]].kind == FB_LINK_TURN) {
                m->linear_turns[m->n_linear_turns++] = j;
            }
        }
        m->n_open_turns = kind == OPEN_TURN ? m->n_linear_turns : m->n_open_turns;
    }
    free(mark);
    return FB_OK;
}

// After the pattern is known.
FbStatus fb_compile_linear_matrices(FbBuilder* b, FbError* err) {
    FbModel* m = b->m;
    if (m->n_elements + m->n_superelements == 0) {
        return FB_OK;
    }
    size_t n = (size_t)fb_pattern_count(&m->vv) + 1;
    m->linear_M = FB_TAKE(m->arena, double, n);
    m->linear_C = FB_TAKE(m->arena, double, n);
    m->linear_K = FB_TAKE(m->arena, double, n);
    m->linear_r = FB_TAKE(m->arena, double, m->tree.n_v + 1);
    FbArena* scratch = fb_arena_create();
    FbKinematics k;
    if (!scratch || fb_arena_has_failed(m->arena)) {
        fb_arena_destroy(scratch);
        return fb_fail_memory(err);
    }
    FbStatus status = fb_kinematics_init_position(&m->tree, scratch, &k, err);
    if (status == FB_OK) {
        fb_tree_realize_position(&m->tree, m->q_drawn, &k);
        status = assemble_all(m, &k);
        status = status == FB_OK ? fb_compile_beam_fields(m) : status;
        status = status == FB_OK ? fb_compile_guide_fields(m, &k) : status;
        fb_superelements_assemble(b);
        status = status == FB_OK ? fb_compile_linear_loads(m, &k) : status;
        status = status == FB_OK ? list_turns(m) : status;
        status = status == FB_OK ? fb_compile_guide_couples(m, err) : status;
    }
    fb_arena_destroy(scratch);
    return status;
}
