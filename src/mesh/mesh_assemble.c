// The matrices of a mesh: those of its elements, carried to the rows of the structure.
#include <string.h>

#include "mesh/mesh_plan.h"

enum { MOST = 3 * FB_SOLID_MAX_NODES };  // coordinates of an element

typedef struct Sums {
    double whole;  // kg
    FbSparse mass, stiffness;
    double* loads;  // [n_rows x 3]
} Sums;

// The terms of each coordinate of an element; their number.
static int gather(const FbMeshPlan* plan, const FbMeshElement* e, FbMeshTerms* out) {
    int n = e->type->n_coordinates;
    for (int i = 0; i < e->n_nodes; i++) {
        for (int d = 0; d < n; d++) {
            out[i * n + d] = plan->terms[6 * plan->mesh.nodes[e->first + i] + d];
        }
    }
    return e->n_nodes * n;
}

static const void* self_of(const FbMeshProperties* p, const FbMeshElement* e, FbSolid* solid,
                           FbShell* shell) {
    if (e->type->n_coordinates == 6) {
        *shell = p->shell;
        shell->n_nodes = e->n_nodes;
        return shell;
    }
    *solid = p->solid;
    solid->shape = fb_solid_find_shape(e->type);
    return solid;
}

// Does it have a part of an own row?
static bool is_own(const FbMeshPlan* plan, const FbMeshTerms* terms, int n) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < terms[i].count; k++) {
            int own = terms[i].items[k].row - plan->first;
            if (own >= 0 && own < plan->n_own) {
                return true;
            }
        }
    }
    return false;
}

static void gather_points(const FbMeshPlan* plan, const FbMeshElement* e, FbVec3* x) {
    for (int i = 0; i < e->n_nodes; i++) {
        x[i] = plan->mesh.points[plan->mesh.nodes[e->first + i]];
    }
}

static void add_element(const FbMeshPlan* plan, const FbMeshElement* e, const FbMeshProperties* p,
                        Sums* s) {
    double K[MOST * MOST], M[MOST * MOST];
    FbMeshTerms terms[MOST] = {{0}};
    FbVec3 x[FB_SOLID_MAX_NODES];
    FbSolid solid;
    FbShell shell;
    const void* self = self_of(p, e, &solid, &shell);
    int n = gather(plan, e, terms), own = e->type->n_coordinates;
    FbVec3 center;
    gather_points(plan, e, x);
    FbMat3 axes = fb_mesh_find_axes(p, x, e->n_nodes);
    s->whole += e->type->calc_center(self, x, &center);
    if (!is_own(plan, terms, n)) {
        return;
    }
    e->type->calc_stiffness(self, x, &axes, K);
    e->type->calc_mass(self, x, &axes, M);
    fb_mesh_add_block(plan, &s->stiffness, terms, n, K);
    fb_mesh_add_block(plan, &s->mass, terms, n, M);
    for (int i = 0; i < n; i++) {
        double weight[3] = {0};
        for (int j = 0; j < n; j++) {
            if (j % own < 3) {
                weight[j % own] += M[i * n + j];
            }
        }
        for (int k = 0; k < terms[i].count; k++) {
            const FbMeshTerm* t = &terms[i].items[k];
            for (int d = 0; d < 3; d++) {
                s->loads[(size_t)d * (size_t)plan->n_rows + (size_t)t->row] +=
                    t->factor * weight[d];
            }
        }
    }
}

static FbStatus take_sums(const FbMeshPlan* plan, int n_loads, Sums* s) {
    FB_TRY(fb_mesh_plan_pattern(plan, &s->stiffness.pattern));
    size_t n = (size_t)fb_pattern_count(&s->stiffness.pattern) + 1;
    s->mass.pattern = s->stiffness.pattern;
    s->stiffness.values = FB_TAKE(plan->arena, double, n);
    s->mass.values = FB_TAKE(plan->arena, double, n);
    s->loads = FB_TAKE(plan->arena, double, (3 + (size_t)n_loads) * (size_t)plan->n_rows + 1);
    return s->stiffness.values && s->mass.values && s->loads ? FB_OK : fb_fail_memory(plan->err);
}

// Loads and measured rows after the three vectors of gravity.
static void copy_vectors(const FbMatrixPlan* m, size_t n, double* out) {
    size_t size = sizeof(double) * n;
    memcpy(out + 3 * n, m->loads.vectors, size * (size_t)m->loads.count);
    memcpy(out + (3 + (size_t)m->loads.count) * n, m->places.vectors,
           size * (size_t)m->places.n_vectors);
}

static FbStatus form_matrices(const FbMeshPlan* plan, const FbMatrixPlan* m, Sums* s,
                              FbStructureMatrices* out) {
    FB_TRY(take_sums(plan, m->loads.count + m->places.n_vectors, s));
    copy_vectors(m, (size_t)plan->n_rows, s->loads);
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        if (plan->owner[i] >= 0) {
            add_element(plan, &plan->mesh.elements[i], &plan->properties[plan->owner[i]], s);
        }
    }
    out->stiffness = s->stiffness;
    out->mass = s->mass;
    return fb_sparse_drop_zeros(&out->mass, plan->arena, plan->err);
}

FbStatus fb_mesh_plan_assemble(FbMeshPlan* plan, FbMatrixPlan* m) {
    Sums s = {0};
    FbStatus status = form_matrices(plan, m, &s, &m->whole);
    m->whole.loads = s.loads;
    m->whole.n_loads = 3 + m->loads.count + m->places.n_vectors;
    m->whole.n_recovered = m->places.n_vectors;
    m->has_weight = true;
    m->mesh_mass = s.whole;
    return status;
}

// The displacements of an element by those of the rows.
static void gather_motion(const FbMeshTerms* terms, int n, const double* u, double* out) {
    for (int i = 0; i < n; i++) {
        out[i] = 0.0;
        for (int k = 0; k < terms[i].count; k++) {
            out[i] += terms[i].items[k].factor * u[terms[i].items[k].row];
        }
    }
}

FbStatus fb_mesh_assemble_geometric(const FbMeshPlan* plan, const double* u, FbSparse* sum) {
    sum->values = FB_TAKE(plan->arena, double, fb_pattern_count(&sum->pattern) + 1);
    if (!sum->values) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        const FbMeshElement* e = &plan->mesh.elements[i];
        double K[MOST * MOST], own[MOST];
        FbMeshTerms terms[MOST] = {{0}};
        FbVec3 x[FB_SOLID_MAX_NODES];
        FbSolid solid;
        FbShell shell;
        if (plan->owner[i] < 0) {
            continue;
        }
        const FbMeshProperties* p = &plan->properties[plan->owner[i]];
        int n = gather(plan, e, terms);
        gather_points(plan, e, x);
        gather_motion(terms, n, u, own);
        FbMat3 axes = fb_mesh_find_axes(p, x, e->n_nodes);
        e->type->calc_geometric(self_of(p, e, &solid, &shell), x, &axes, own, K);
        fb_mesh_add_block(plan, sum, terms, n, K);
    }
    return FB_OK;
}

// w^2 - w w': what centrifugal acceleration is by places.
static void calc_across(FbVec3 w, double out[3][3]) {
    double v[3];
    fb_vec3_to(w, v);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = (i == j ? fb_dot(w, w) : 0.0) - v[i] * v[j];
        }
    }
}

// What the places of its nodes would cost: -K_S x.
static void add_spin_forces(const FbMeshTerms* terms, int n, const double* K, const double* x,
                            double* forces) {
    for (int i = 0; i < n; i++) {
        double force = 0.0;
        for (int j = 0; j < n; j++) {
            force -= K[i * n + j] * x[j];
        }
        for (int k = 0; k < terms[i].count; k++) {
            forces[terms[i].items[k].row] += terms[i].items[k].factor * force;
        }
    }
}

// K_S = -m (w^2 - w w') of each pair of nodes, by their displacements alone.
static void calc_spin_block(const FbMeshElement* e, const double* M, double across[3][3],
                            double* K) {
    int own = e->type->n_coordinates, n = e->n_nodes * own;
    memset(K, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < e->n_nodes; i++) {
        for (int j = 0; j < e->n_nodes; j++) {
            double m = M[i * own * n + j * own];
            for (int d = 0; d < 9; d++) {
                K[(i * own + d / 3) * n + j * own + d % 3] = -m * across[d / 3][d % 3];
            }
        }
    }
}

void fb_mesh_add_spin(const FbMeshPlan* plan, FbVec3 spin, FbVec3 about, double* forces,
                      FbSparse* sum) {
    double across[3][3];
    calc_across(spin, across);
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        const FbMeshElement* e = &plan->mesh.elements[i];
        double K[MOST * MOST], M[MOST * MOST], place[MOST] = {0};
        FbMeshTerms terms[MOST] = {{0}};
        FbVec3 x[FB_SOLID_MAX_NODES];
        FbSolid solid;
        FbShell shell;
        if (plan->owner[i] < 0) {
            continue;
        }
        const FbMeshProperties* p = &plan->properties[plan->owner[i]];
        int n = gather(plan, e, terms), own = e->type->n_coordinates;
        gather_points(plan, e, x);
        e->type->calc_mass(self_of(p, e, &solid, &shell), x, &p->axes, M);
        calc_spin_block(e, M, across, K);
        for (int k = 0; k < e->n_nodes; k++) {
            fb_vec3_to(fb_sub(x[k], about), place + (size_t)k * (size_t)own);
        }
        if (forces) {
            add_spin_forces(terms, n, K, place, forces);
        }
        if (sum) {
            fb_mesh_add_block(plan, sum, terms, n, K);
        }
    }
}
