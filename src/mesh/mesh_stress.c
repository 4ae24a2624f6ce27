// Places where stresses are measured, as rows over the displacements of the structure (eqs. 12.16
// and 12.17).
#include <math.h>
#include <string.h>

#include "mesh/mesh_plan.h"

enum {
    MOST = FB_SHELL_VALUES * 6 * FB_SHELL_MAX_NODES > 6 * 3 * FB_SOLID_MAX_NODES
               ? FB_SHELL_VALUES * 6 * FB_SHELL_MAX_NODES
               : 6 * 3 * FB_SOLID_MAX_NODES
};

typedef struct Place {
    FbMeshPlan* plan;
    const FbMeshPlaceDef* def;
    int point;      // of the mesh; -1: in the middle of one element
    int* elements;  // [n]
    int n;
} Place;

static FbPlace place_of(const Place* p, const char* key) {
    return fb_mesh_place(&p->def->origin, key);
}

// ---- Which elements ----

static FbStatus mark_elements(const Place* p, bool* is_marked) {
    FbMeshPlan* plan = p->plan;
    int group;
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        is_marked[i] = !p->def->group && plan->owner[i] >= 0;
    }
    if (!p->def->group) {
        return FB_OK;
    }
    FB_TRY(fb_mesh_plan_find_group(plan, p->def->group, &p->def->origin, "group", &group));
    for (int i = 0; i < plan->mesh.groups[group].n_elements; i++) {
        int e = plan->mesh.groups[group].elements[i];
        is_marked[e] = plan->owner[e] >= 0;
    }
    return FB_OK;
}

static bool has_node(const FbMesh* mesh, const FbMeshElement* e, int point) {
    for (int k = 0; k < e->n_nodes; k++) {
        if (mesh->nodes[e->first + k] == point) {
            return true;
        }
    }
    return false;
}

static FbStatus fail_mixed(const Place* p, int a, int b) {
    const FbMeshPlan* plan = p->plan;
    FbPlace place = place_of(p, "at");
    return fb_fail(plan->err, FB_ERR_MODEL, &place,
                   "stresses '%s': elements of the groups '%s' and '%s' meet at this node, where "
                   "stresses jump; choose one of them with 'group'",
                   p->def->name, plan->s->groups[plan->owner[a]].name,
                   plan->s->groups[plan->owner[b]].name);
}

// The elements around a node: of one material, and all solids or all shells.
static FbStatus find_around(Place* p, const bool* is_marked) {
    FbMeshPlan* plan = p->plan;
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        const FbMeshElement* e = &plan->mesh.elements[i];
        if (!is_marked[i] || !has_node(&plan->mesh, e, p->point)) {
            continue;
        }
        if (p->n > 0 && (plan->owner[i] != plan->owner[p->elements[0]] ||
                         e->dimension != plan->mesh.elements[p->elements[0]].dimension)) {
            return fail_mixed(p, p->elements[0], i);
        }
        p->elements[p->n++] = i;
    }
    FbPlace place = place_of(p, "group");
    return p->n > 0 ? FB_OK
                    : fb_fail(plan->err, FB_ERR_MODEL, &place,
                              "stresses '%s': no element of group '%s' is at this node",
                              p->def->name, p->def->group ? p->def->group : "");
}

static FbStatus find_element(Place* p, const bool* is_marked) {
    FbMeshPlan* plan = p->plan;
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        if (is_marked[i] && plan->mesh.elements[i].label == p->def->element) {
            p->elements[p->n++] = i;
        }
    }
    FbPlace place = place_of(p, "element");
    if (p->n == 1) {
        return FB_OK;
    }
    return fb_fail(plan->err, FB_ERR_MODEL, &place,
                   "stresses '%s': %s elements with a material have the number %d%s", p->def->name,
                   p->n > 1 ? "several" : "no", p->def->element,
                   p->n > 1 ? "; name its group" : "");
}

static FbStatus find_elements(Place* p) {
    FbMeshPlan* plan = p->plan;
    bool* is_marked = FB_TAKE(plan->arena, bool, plan->mesh.n_elements + 1);
    p->elements = FB_TAKE(plan->arena, int, plan->mesh.n_elements + 1);
    bool has_node = !isnan(p->def->at[0]), has_element = p->def->element != 0;
    if (!is_marked || !p->elements) {
        return fb_fail_memory(plan->err);
    }
    if (has_node == has_element) {
        return fb_fail(plan->err, FB_ERR_MODEL, &p->def->origin.place,
                       "stresses '%s' need either a node of the mesh ('at') or the number of an "
                       "element ('element')",
                       p->def->name);
    }
    FB_TRY(mark_elements(p, is_marked));
    p->point = -1;
    if (has_element) {
        return find_element(p, is_marked);
    }
    FbPlace place = place_of(p, "at");
    FB_TRY(fb_mesh_find_point(plan, p->def->at, &place, &p->point));
    return find_around(p, is_marked);
}

// ---- Rows ----

static void add_rows(const Place* p, const FbMeshElement* e, const double* values, int n_values,
                     double* out) {
    const FbMeshPlan* plan = p->plan;
    int own = e->type->n_coordinates, n = e->n_nodes * own;
    for (int c = 0; c < n; c++) {
        int node = plan->mesh.nodes[e->first + c / own];
        const FbMeshTerms* t = &plan->terms[6 * node + c % own];
        for (int i = 0; i < n_values; i++) {
            for (int k = 0; k < t->count; k++) {
                out[(size_t)i * (size_t)plan->n_rows + (size_t)t->items[k].row] +=
                    values[i * n + c] * t->items[k].factor / p->n;
            }
        }
    }
}

static void add_element(const Place* p, int element, int n_values, double* out) {
    const FbMeshPlan* plan = p->plan;
    const FbMeshElement* e = &plan->mesh.elements[element];
    const FbMeshProperties* properties = &plan->properties[plan->owner[element]];
    FbVec3 x[FB_SOLID_MAX_NODES];
    double values[MOST];
    int node = -1;
    for (int k = 0; k < e->n_nodes; k++) {
        int point = plan->mesh.nodes[e->first + k];
        x[k] = plan->mesh.points[point];
        node = point == p->point ? k : node;
    }
    FbMat3 axes = fb_mesh_find_axes(properties, x, e->n_nodes);
    if (e->dimension == 2) {
        FbShell shell = properties->shell;
        shell.n_nodes = e->n_nodes;
        fb_shell_calc_stress(&shell, x, &axes, node, p->def->side, values);
    } else {
        FbSolid solid = properties->solid;
        solid.shape = fb_solid_find_shape(e->type);
        FbSolidStress stress;
        fb_solid_prepare_stress(&solid, x, &axes, &stress);
        fb_solid_calc_stress(&stress, node, values);
    }
    add_rows(p, e, values, n_values, out);
}

static FbStatus add_place(Place* p, FbMatrixPlaces* out) {
    FbMeshPlan* plan = p->plan;
    FB_TRY(find_elements(p));
    FbMatrixPlace* place = &out->items[out->count++];
    place->is_shell = plan->mesh.elements[p->elements[0]].dimension == 2;
    place->n_values = place->is_shell ? FB_SHELL_VALUES : 6;
    place->name = fb_arena_format(plan->arena, "%s.%s", plan->s->name, p->def->name);
    place->origin = &p->def->origin;
    double* rows = out->vectors + (size_t)out->n_vectors * (size_t)plan->n_rows;
    for (int i = 0; i < p->n; i++) {
        add_element(p, p->elements[i], place->n_values, rows);
    }
    out->n_vectors += place->n_values;
    return place->name ? FB_OK : fb_fail_memory(plan->err);
}

FbStatus fb_mesh_plan_places(FbMeshPlan* plan, FbMatrixPlaces* out) {
    size_t n = (size_t)plan->s->n_places;
    *out = (FbMatrixPlaces){0};
    out->items = FB_TAKE(plan->arena, FbMatrixPlace, n + 1);
    out->vectors = FB_TAKE(plan->arena, double, FB_SHELL_VALUES* n*(size_t)plan->n_rows + 1);
    if (fb_arena_has_failed(plan->arena)) {
        return fb_fail_memory(plan->err);
    }
    for (size_t i = 0; i < n; i++) {
        Place p = {.plan = plan, .def = &plan->s->places[i]};
        FB_TRY(add_place(&p, out));
    }
    return FB_OK;
}
