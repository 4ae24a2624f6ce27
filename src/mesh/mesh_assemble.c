// The matrices of a mesh: those of its elements, carried to the rows of the structure.
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh_plan.h"

enum { MOST = 3 * FB_SOLID_MAX_NODES };  // coordinates of an element

typedef struct Sums {
    double whole;  // kg
    FbTriplet *mass, *stiffness;
    size_t n_mass, n_stiffness;
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

// How many entries an element has at most.
static size_t count_entries(const FbMeshPlan* plan, const FbMeshElement* e) {
    FbMeshTerms terms[MOST] = {{0}};
    size_t sum = 0;
    int n = gather(plan, e, terms);
    for (int i = 0; i < n; i++) {
        sum += (size_t)terms[i].count;
    }
    return sum * sum;
}

static size_t add_products(FbMeshTerms row, FbMeshTerms col, double value, FbTriplet* out,
                           size_t n) {
    for (int i = 0; value != 0.0 && i < row.count; i++) {
        for (int j = 0; j < col.count; j++) {
            const FbMeshTerm *a = &row.items[i], *b = &col.items[j];
            out[n++] = (FbTriplet){a->row, b->row, a->factor * value * b->factor};
        }
    }
    return n;
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
    e->type->calc_stiffness(self, x, &p->axes, K);
    e->type->calc_mass(self, x, &p->axes, M);
    s->whole += e->type->calc_center(self, x, &center);
    for (int i = 0; i < n; i++) {
        double weight[3] = {0};
        for (int j = 0; j < n; j++) {
            s->n_stiffness =
                add_products(terms[i], terms[j], K[i * n + j], s->stiffness, s->n_stiffness);
            s->n_mass = add_products(terms[i], terms[j], M[i * n + j], s->mass, s->n_mass);
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

static size_t count_all(const FbMeshPlan* plan) {
    size_t most = 0;
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        most += plan->owner[i] >= 0 ? count_entries(plan, &plan->mesh.elements[i]) : 0;
    }
    return most;
}

static FbStatus take_sums(const FbMeshPlan* plan, int n_loads, Sums* s) {
    size_t most = count_all(plan);
    s->mass = malloc((most + 1) * sizeof *s->mass);
    s->stiffness = malloc((most + 1) * sizeof *s->stiffness);
    s->loads = FB_TAKE(plan->arena, double, (3 + (size_t)n_loads) * (size_t)plan->n_rows + 1);
    return s->mass && s->stiffness && s->loads ? FB_OK : fb_fail_memory(plan->err);
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
    int n = plan->n_rows;
    FB_TRY(take_sums(plan, m->loads.count + m->places.n_vectors, s));
    copy_vectors(m, (size_t)n, s->loads);
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        if (plan->owner[i] >= 0) {
            add_element(plan, &plan->mesh.elements[i], &plan->properties[plan->owner[i]], s);
        }
    }
    FB_TRY(fb_sparse_from_triplets(n, n, s->mass, s->n_mass, plan->arena, &out->mass, plan->err));
    FB_TRY(fb_sparse_from_triplets(n, n, s->stiffness, s->n_stiffness, plan->arena, &out->stiffness,
                                   plan->err));
    FB_TRY(fb_sparse_symmetrize(&out->mass, plan->arena, plan->err));
    return fb_sparse_symmetrize(&out->stiffness, plan->arena, plan->err);
}

FbStatus fb_mesh_plan_assemble(FbMeshPlan* plan, FbMatrixPlan* m) {
    Sums s = {0};
    FbStatus status = form_matrices(plan, m, &s, &m->whole);
    free(s.mass);
    free(s.stiffness);
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

FbStatus fb_mesh_assemble_geometric(const FbMeshPlan* plan, const double* u, FbTriplet** entries,
                                    size_t* count) {
    size_t most = count_all(plan);
    *count = 0;
    *entries = malloc((most + 1) * sizeof **entries);
    if (!*entries) {
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
        e->type->calc_geometric(self_of(p, e, &solid, &shell), x, &p->axes, own, K);
        for (int k = 0; k < n * n; k++) {
            *count = add_products(terms[k / n], terms[k % n], K[k], *entries, *count);
        }
    }
    return FB_OK;
}
