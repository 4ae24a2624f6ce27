// Loads on groups of a mesh as vectors of forces along the rows of its matrices, each with a value
// that may vary: pressure, traction, force per length, or a total force (eqs. 12.11 to 12.13).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh_plan.h"
#include "mesh/mesh_skin.h"

typedef enum Kind { PRESSURE, TRACTION, LINE, FORCE, N_KINDS } Kind;
static const char* const KEYS[N_KINDS] = {"pressure", "traction", "line", "force"};
static const char* const UNITS[N_KINDS] = {"Pa", "Pa", "N/m", "N"};

typedef struct Loading {
    FbMeshPlan* plan;
    const FbMeshLoadDef* def;
    Kind kind;
    const FbMeshSkin* skin;
    FbMeshPatches patches;
    bool* is_marked;  // [n_points] the nodes of the group
} Loading;

// ---- What is said ----

static const char* const* values_of(const FbMeshLoadDef* def, Kind kind) {
    return kind == PRESSURE   ? &def->pressure
           : kind == TRACTION ? def->traction
           : kind == LINE     ? def->line
                              : def->force;
}

static int count_values(const FbMeshLoadDef* def, Kind kind) {
    int n = 0;
    for (int i = 0; i < (kind == PRESSURE ? 1 : 3); i++) {
        n += values_of(def, kind)[i] != NULL;
    }
    return n;
}

static FbStatus find_kind(const FbMeshPlan* plan, const FbMeshLoadDef* def, Kind* out) {
    int n = 0;
    for (int k = 0; k < N_KINDS; k++) {
        if (count_values(def, (Kind)k) > 0) {
            *out = (Kind)k;
            n++;
        }
    }
    if (n == 1) {
        return FB_OK;
    }
    return fb_fail(plan->err, FB_ERR_MODEL, &def->origin.place,
                   "load '%s' of structure '%s' needs one of 'pressure' (Pa), 'traction' (a vector "
                   "in Pa), 'line' (in N/m) and 'force' (in N, spread over the group)",
                   def->name, plan->s->name);
}

// ---- Where it acts ----

static FbStatus fail_surface(const Loading* l, const FbMeshElement* e, FbMeshFound found) {
    FbPlace place = fb_mesh_place(&l->def->origin, "group");
    if (found == FB_MESH_NO_MEMORY) {
        return fb_fail_memory(l->plan->err);
    }
    return fb_fail(
        l->plan->err, FB_ERR_MODEL, &place,
        "load '%s': surface %d of group '%s' is %s; a load needs an outer face of solids "
        "or a shell",
        l->def->name, e->label, l->def->group,
        found == FB_MESH_INSIDE ? "between two solids" : "on no element with a material");
}

static int count_dimension(const FbMesh* mesh, const FbMeshGroup* g, int dimension) {
    int n = 0;
    for (int i = 0; i < g->n_elements; i++) {
        n += mesh->elements[g->elements[i]].dimension == dimension;
    }
    return n;
}

// Surfaces of the group as the mesh has them or, of a set of nodes or of solids, the outer faces
// whose nodes all belong to it.
static FbStatus find_faces(Loading* l, const FbMeshGroup* g) {
    const FbMesh* mesh = &l->plan->mesh;
    if (count_dimension(mesh, g, 2) == 0) {
        return fb_mesh_skin_mark_faces(l->skin, l->is_marked, &l->patches)
                   ? FB_OK
                   : fb_fail_memory(l->plan->err);
    }
    for (int i = 0; i < g->n_elements; i++) {
        const FbMeshElement* e = &mesh->elements[g->elements[i]];
        FbMeshFound found =
            e->dimension == 2 ? fb_mesh_skin_add_surface(l->skin, e, &l->patches) : FB_MESH_FOUND;
        if (found != FB_MESH_FOUND) {
            return fail_surface(l, e, found);
        }
    }
    return FB_OK;
}

static FbStatus find_edges(Loading* l, const FbMeshGroup* g) {
    const FbMesh* mesh = &l->plan->mesh;
    bool is_good = true;
    if (count_dimension(mesh, g, 1) == 0) {
        is_good = fb_mesh_skin_mark_edges(l->skin, l->is_marked, &l->patches);
    }
    for (int i = 0; is_good && i < g->n_elements; i++) {
        const FbMeshElement* e = &mesh->elements[g->elements[i]];
        is_good = e->dimension != 1 || fb_mesh_skin_add_edge(l->skin, e, &l->patches);
    }
    return is_good ? FB_OK : fb_fail_memory(l->plan->err);
}

static FbStatus fail_place(const Loading* l, const char* why, const char* remedy) {
    FbPlace place = fb_mesh_place(&l->def->origin, "group");
    return fb_fail(l->plan->err, FB_ERR_MODEL, &place,
                   "load '%s': group '%s' %s, on which '%s' (%s) cannot act; %s", l->def->name,
                   l->def->group, why, KEYS[l->kind], UNITS[l->kind], remedy);
}

static FbStatus find_patches(Loading* l, const FbMeshGroup* g) {
    bool is_edges = count_dimension(&l->plan->mesh, g, 1) > 0;
    if (!is_edges) {
        FB_TRY(find_faces(l, g));
    }
    bool is_area = l->patches.count > 0;
    if (is_area && l->kind == LINE) {
        return fail_place(l, "is a surface", "use 'pressure' or 'traction', or a group of edges");
    }
    if (!is_area && (l->kind == LINE || l->kind == FORCE)) {
        FB_TRY(find_edges(l, g));
    }
    if (!is_area && (l->kind == PRESSURE || l->kind == TRACTION)) {
        return fail_place(l, "has no surface",
                          "use 'line' for edges, or 'force' for a total force");
    }
    if (l->patches.count == 0 && l->kind == LINE) {
        return fail_place(l, "has no edges", "use 'force' for a total force");
    }
    return FB_OK;
}

// ---- Vectors ----

// A force f at a node of the mesh, along the rows that move it.
static void add_force(const FbMeshPlan* plan, int point, FbVec3 f, double* out) {
    double x[3];
    fb_vec3_to(f, x);
    for (int d = 0; d < 3; d++) {
        const FbMeshTerms* t = &plan->terms[6 * point + d];
        for (int k = 0; k < t->count; k++) {
            out[t->items[k].row] += t->items[k].factor * x[d];
        }
    }
}

static void calc_patch(const FbMesh* mesh, const FbMeshPatch* patch, FbFaceLoad* out) {
    FbVec3 p[FB_FACE_MAX_NODES] = {{0}};
    for (int i = 0; i < patch->n_nodes; i++) {
        p[i] = mesh->points[patch->nodes[i]];
    }
    if (patch->is_edge) {
        fb_edge_calc_load(patch->n_nodes, p, out);
    } else {
        fb_face_calc_load(patch->n_nodes, p, out);
    }
}

// A force in all is spread evenly over the surface, else along the edges, else over the nodes.
static double calc_measure(const Loading* l) {
    double sum = 0.0;
    for (int i = 0; i < l->patches.count; i++) {
        FbFaceLoad load;
        calc_patch(&l->plan->mesh, &l->patches.items[i], &load);
        sum += load.size;
    }
    for (int i = 0; l->patches.count == 0 && i < l->plan->mesh.n_points; i++) {
        sum += l->is_marked[i] && l->plan->n_coordinates[i] > 0 ? 1.0 : 0.0;
    }
    return sum;
}

// `direction` in the axes of the mesh; pressure has its own.
static void add_vector(const Loading* l, FbVec3 direction, double* out) {
    const FbMeshPlan* plan = l->plan;
    double factor = l->kind == FORCE ? 1.0 / calc_measure(l) : 1.0;
    for (int i = 0; i < l->patches.count; i++) {
        const FbMeshPatch* patch = &l->patches.items[i];
        FbFaceLoad load;
        calc_patch(&plan->mesh, patch, &load);
        for (int k = 0; k < patch->n_nodes; k++) {
            FbVec3 f = l->kind == PRESSURE ? fb_scale(patch->pressure, load.normal[k])
                                           : fb_scale(factor * load.share[k], direction);
            add_force(plan, patch->nodes[k], f, out);
        }
    }
    for (int i = 0; l->patches.count == 0 && i < plan->mesh.n_points; i++) {
        if (l->is_marked[i] && plan->n_coordinates[i] > 0) {
            add_force(plan, i, fb_scale(factor, direction), out);
        }
    }
}

// One vector for each component that has a value; along the ground's axes.
static void add_vectors(const Loading* l, FbMatrixLoads* out) {
    FbMat3 R = fb_mat3_from(l->plan->s->rotation);
    for (int c = 0; c < (l->kind == PRESSURE ? 1 : 3); c++) {
        const char* value = values_of(l->def, l->kind)[c];
        if (!value) {
            continue;
        }
        FbVec3 unit = {c == 0, c == 1, c == 2};
        FbMatrixLoad* load = &out->items[out->count++];
        *load = (FbMatrixLoad){.name = l->def->name,
                               .value = value,
                               .unit = UNITS[l->kind],
                               .key = KEYS[l->kind],
                               .origin = &l->def->origin};
        add_vector(l, fb_mul3_transposed(&R, unit),
                   out->vectors + (size_t)(out->count - 1) * (size_t)l->plan->n_rows);
    }
}

// The group and its nodes; `all` without such a group: all nodes of the structure.
static FbStatus mark_group(Loading* l, const FbMeshGroup** out) {
    static const FbMeshGroup all = {.name = "all"};
    FbMeshPlan* plan = l->plan;
    const char* name = l->def->group;
    int group;
    memset(l->is_marked, 0, (size_t)plan->mesh.n_points * sizeof *l->is_marked);
    if (name && strcmp(name, "all") == 0 && !fb_mesh_has_all(&plan->mesh)) {
        for (int i = 0; i < plan->mesh.n_points; i++) {
            l->is_marked[i] = plan->n_coordinates[i] > 0;
        }
        *out = &all;
        return FB_OK;
    }
    FB_TRY(fb_mesh_plan_find_group(plan, name, &l->def->origin, "group", &group));
    fb_mesh_mark_group(&plan->mesh, group, l->is_marked);
    *out = &plan->mesh.groups[group];
    return FB_OK;
}

static FbStatus add_load(Loading* l, FbMatrixLoads* out) {
    FbMeshPlan* plan = l->plan;
    const FbMeshGroup* group;
    int n_nodes = 0;
    FB_TRY(find_kind(plan, l->def, &l->kind));
    FB_TRY(mark_group(l, &group));
    for (int i = 0; i < plan->mesh.n_points; i++) {
        n_nodes += l->is_marked[i] && plan->n_coordinates[i] > 0;
    }
    if (n_nodes == 0) {
        return fail_place(l, "has no nodes of elements with a material", "use another group");
    }
    FB_TRY(find_patches(l, group));
    add_vectors(l, out);
    return FB_OK;
}

static FbStatus take_loads(FbMeshPlan* plan, FbMatrixLoads* out) {
    int n = 0;
    for (int i = 0; i < plan->s->n_loads; i++) {
        for (int k = 0; k < N_KINDS; k++) {
            n += count_values(&plan->s->loads[i], (Kind)k);
        }
    }
    *out = (FbMatrixLoads){0};
    out->items = FB_TAKE(plan->arena, FbMatrixLoad, n + 1);
    out->vectors = FB_TAKE(plan->arena, double, (size_t)n*(size_t)plan->n_rows + 1);
    return out->items && out->vectors ? FB_OK : fb_fail_memory(plan->err);
}

FbStatus fb_mesh_plan_loads(FbMeshPlan* plan, FbMatrixLoads* out) {
    FbMeshSkin skin;
    FB_TRY(take_loads(plan, out));
    if (plan->s->n_loads == 0) {
        return FB_OK;
    }
    bool* is_marked = FB_TAKE(plan->arena, bool, plan->mesh.n_points + 1);
    if (!is_marked) {
        return fb_fail_memory(plan->err);
    }
    FB_TRY(fb_mesh_skin_create(&plan->mesh, plan->owner, plan->arena, &skin, plan->err));
    for (int i = 0; i < plan->s->n_loads; i++) {
        Loading l = {
            .plan = plan, .def = &plan->s->loads[i], .skin = &skin, .is_marked = is_marked};
        FbStatus status = add_load(&l, out);
        free(l.patches.items);
        FB_TRY(status);
    }
    return FB_OK;
}
