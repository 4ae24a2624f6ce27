// Stresses at the points of a kept mesh: means of the elements around them, which are kept with
// their own points and rows.
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh_plan.h"

enum { MOST = FB_SHELL_VALUES * 3 * FB_SOLID_MAX_NODES, MOST_OWN = 3 * FB_SOLID_MAX_NODES };

typedef struct Element {
    const FbElementType* type;
    int owner;  // its properties
    int n_nodes, first;
} Element;

typedef struct Stress {
    FbMeshProperties* properties;
    Element* elements;
    int n_elements;
    FbVec3* x;        // [n_nodes of the elements] where they are
    int* points;      // [n_nodes] of the kept mesh; -1: not kept
    int* term_start;  // [6 n_nodes + 1] of the mesh's stress_terms
    int* count;       // [n_points] elements around a point
} Stress;

// ---- What is kept ----

static bool touches(const FbMeshPlan* plan, const FbMeshElement* e, const int* number) {
    for (int i = 0; i < e->n_nodes; i++) {
        if (number[plan->mesh.nodes[e->first + i]] >= 0) {
            return true;
        }
    }
    return false;
}

// Sizes, or with `s` the elements themselves, their points and terms.
typedef struct Sizes {
    int n_elements, n_nodes;
    size_t n_terms;
} Sizes;

static void keep_node(const FbMeshPlan* plan, int point, const int* number, const Sizes* at,
                      FbKeptMesh* kept, Stress* s) {
    size_t next = at->n_terms;
    s->x[at->n_nodes] = plan->mesh.points[point];
    s->points[at->n_nodes] = number[point];
    for (int d = 0; d < 6; d++) {
        const FbMeshTerms* t = &plan->terms[6 * point + d];
        for (int k = 0; k < t->count; k++) {
            kept->stress_terms[next++] = (FbKeptTerm){t->items[k].row, t->items[k].factor};
        }
        s->term_start[6 * at->n_nodes + d + 1] = (int)next;
    }
    if (number[point] >= 0) {
        s->count[number[point]]++;
    }
}

static void visit(const FbMeshPlan* plan, const int* number, FbKeptMesh* kept, Stress* s,
                  Sizes* out) {
    *out = (Sizes){0};
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        const FbMeshElement* e = &plan->mesh.elements[i];
        if (plan->owner[i] < 0 || !touches(plan, e, number)) {
            continue;
        }
        if (s) {
            s->elements[out->n_elements] =
                (Element){e->type, plan->owner[i], e->n_nodes, out->n_nodes};
        }
        out->n_elements++;
        for (int k = 0; k < e->n_nodes; k++) {
            int point = plan->mesh.nodes[e->first + k];
            if (s) {
                keep_node(plan, point, number, out, kept, s);
            }
            for (int d = 0; d < 6; d++) {
                out->n_terms += (size_t)plan->terms[6 * point + d].count;
            }
            out->n_nodes++;
        }
    }
}

// ---- What it gives ----

// The displacements of an element, [own x n_columns].
static void gather(const FbKeptMesh* mesh, const Stress* s, const Element* e, const double* rows,
                   int n_columns, double* u) {
    int n = e->type->n_coordinates;
    for (int c = 0; c < n_columns; c++, rows += mesh->n_rows) {
        for (int i = 0; i < e->n_nodes * n; i++) {
            int at = 6 * (e->first + i / n) + i % n;
            double sum = 0.0;
            for (int t = s->term_start[at]; t < s->term_start[at + 1]; t++) {
                sum += mesh->stress_terms[t].factor * rows[mesh->stress_terms[t].row];
            }
            u[c * e->n_nodes * n + i] = sum;
        }
    }
}

// What the stresses at all nodes of an element have in common.
typedef struct Common {
    bool is_shell;
    FbMat3 axes;
    FbShell shell;
    FbSolidStress solid;
} Common;

static void prepare(const Stress* s, const Element* e, Common* out) {
    const FbMeshProperties* p = &s->properties[e->owner];
    out->axes = fb_mesh_find_axes(p, s->x + e->first, e->n_nodes);
    out->is_shell = e->type->n_coordinates == 6;
    out->shell = p->shell;
    out->shell.n_nodes = e->n_nodes;
    if (!out->is_shell) {
        FbSolid solid = p->solid;
        solid.shape = fb_solid_find_shape(e->type);
        fb_solid_prepare_stress(&solid, s->x + e->first, &out->axes, &out->solid);
    }
}

// The rows of the six stresses at a node, [6 x own].
static void calc_rows(const Stress* s, const Element* e, const Common* common, int node,
                      double* out) {
    if (common->is_shell) {
        fb_shell_calc_stress(&common->shell, s->x + e->first, &common->axes, node, 1, out);
    } else {
        fb_solid_calc_stress(&common->solid, node, out);
    }
}

static void add_element(const FbKeptMesh* mesh, const Stress* s, const Element* e, const double* u,
                        int n_columns, double* out) {
    int own = e->n_nodes * e->type->n_coordinates;
    double rows[MOST];
    Common common;
    prepare(s, e, &common);
    for (int node = 0; node < e->n_nodes; node++) {
        int point = s->points[e->first + node];
        if (point < 0) {
            continue;
        }
        calc_rows(s, e, &common, node, rows);
        for (int c = 0; c < n_columns; c++) {
            double* to = out + 6 * ((size_t)c * (size_t)mesh->n_points + (size_t)point);
            for (int i = 0; i < 6; i++) {
                double sum = 0.0;
                for (int k = 0; k < own; k++) {
                    sum += rows[i * own + k] * u[c * own + k];
                }
                to[i] += sum / s->count[point];
            }
        }
    }
}

static bool calc(const FbKeptMesh* mesh, const double* rows, int n_columns, double* out) {
    const Stress* s = mesh->stress;
    double* u = malloc(sizeof(double) * ((size_t)MOST_OWN * (size_t)n_columns + 1));
    memset(out, 0, sizeof(double) * 6 * (size_t)mesh->n_points * (size_t)n_columns);
    for (int i = 0; u && i < s->n_elements; i++) {
        gather(mesh, s, &s->elements[i], rows, n_columns, u);
        add_element(mesh, s, &s->elements[i], u, n_columns, out);
    }
    free(u);
    return u != NULL;
}

FbStatus fb_mesh_keep_stress(const FbMeshPlan* plan, const int* number, FbKeptMesh* kept) {
    Sizes n;
    Stress* s = FB_TAKE(kept->arena, Stress, 1);
    visit(plan, number, kept, NULL, &n);
    if (n.n_terms > 0x7fffff00 || n.n_nodes > 0x7fffff00 / 6) {
        return FB_OK;  // none
    }
    size_t n_nodes = (size_t)n.n_nodes;
    kept->stress_terms = FB_TAKE(kept->arena, FbKeptTerm, n.n_terms + 1);
    if (s) {
        s->n_elements = n.n_elements;
        s->properties = FB_TAKE(kept->arena, FbMeshProperties, plan->s->n_groups + 1);
        s->elements = FB_TAKE(kept->arena, Element, n.n_elements + 1);
        s->x = FB_TAKE(kept->arena, FbVec3, n_nodes + 1);
        s->points = FB_TAKE(kept->arena, int, n_nodes + 1);
        s->term_start = FB_TAKE(kept->arena, int, 6 * n_nodes + 1);
        s->count = FB_TAKE(kept->arena, int, kept->n_points + 1);
    }
    if (fb_arena_has_failed(kept->arena)) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < plan->s->n_groups; i++) {
        s->properties[i] = plan->properties[i];
        s->properties[i].def = NULL;  // it ends with the plan
    }
    visit(plan, number, kept, s, &n);
    kept->n_stress_terms = (int)n.n_terms;
    kept->stress = s;
    kept->calc_stress = calc;
    return FB_OK;
}
