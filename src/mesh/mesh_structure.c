// Structures of solid and shell elements: the mesh becomes matrices, and these become nodes and a
// superelement as if they came from files.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "mesh/mesh_plan.h"
#include "mesh/reduction.h"

FbPlace fb_mesh_place(const FbOrigin* origin, const char* key) {
    return key ? fb_origin_place(origin, key) : origin->place;
}

FbStatus fb_mesh_plan_find_group(FbMeshPlan* plan, const char* name, const FbOrigin* origin,
                                 const char* key, int* out) {
    *out = name ? fb_mesh_find_group(&plan->mesh, name) : -1;
    if (*out >= 0) {
        return FB_OK;
    }
    FbText list;
    FbPlace place = fb_mesh_place(origin, key);
    fb_text_init(&list);
    for (int i = 0; i < plan->mesh.n_groups && i < 20; i++) {
        fb_text_addf(&list, "%s%s", i > 0 ? ", " : "", plan->mesh.groups[i].name);
    }
    FbStatus status =
        fb_fail(plan->err, FB_ERR_NAME, &place,
                "the mesh of structure '%s' has no group '%s'; its groups are: %s%s", plan->s->name,
                name ? name : "", list.data && list.data[0] ? list.data : "none",
                plan->mesh.n_groups > 20 ? ", ..." : "");
    fb_text_free(&list);
    return status;
}

static FbStatus check_names(FbMeshPlan* plan) {
    const FbMeshStructureDef* s = plan->s;
    if (!s->name || !fb_name_is_valid(s->name)) {
        return fb_fail(plan->err, FB_ERR_NAME, &s->origin.place,
                       "'%s' is not a valid name for a structure; use letters, digits and '_', "
                       "starting with a letter",
                       s->name ? s->name : "");
    }
    for (int i = 0; i < s->n_nodes; i++) {
        const char* name = s->nodes[i].name;
        if (!name || !fb_name_is_valid(name) || strchr(name, '.')) {
            return fb_fail(plan->err, FB_ERR_NAME, &s->nodes[i].origin.place,
                           "'%s' is not a valid name for a node; use letters, digits and '_', "
                           "starting with a letter",
                           name ? name : "");
        }
    }
    if (s->n_nodes < 1) {
        return fb_fail(plan->err, FB_ERR_MODEL, &s->origin.place,
                       "structure '%s' has no named nodes; name those at which it is held, loaded "
                       "or observed",
                       s->name);
    }
    return FB_OK;
}

static FbStatus take_plan(FbMeshPlan* plan) {
    size_t n = (size_t)plan->mesh.n_points + 1;
    plan->properties = FB_TAKE(plan->arena, FbMeshProperties, plan->s->n_groups + 1);
    plan->owner = FB_TAKE(plan->arena, int, plan->mesh.n_elements + 1);
    plan->n_coordinates = FB_TAKE(plan->arena, int, n);
    plan->is_fixed = FB_TAKE(plan->arena, bool, 6 * n);
    plan->coupled = FB_TAKE(plan->arena, int, n);
    plan->terms = FB_TAKE(plan->arena, FbMeshTerms, 6 * n);
    if (fb_arena_has_failed(plan->arena)) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        plan->owner[i] = -1;
    }
    for (int i = 0; i < plan->mesh.n_points; i++) {
        plan->coupled[i] = -1;
    }
    return FB_OK;
}

static FbStatus take_nodes(FbMeshPlan* plan) {
    size_t n = (size_t)plan->s->n_nodes + 1;
    plan->node_rows = fb_arena_take(plan->arena, sizeof(int[6]) * n);
    plan->node_at = FB_TAKE(plan->arena, FbVec3, n);
    plan->node_point = FB_TAKE(plan->arena, int, n);
    return fb_arena_has_failed(plan->arena) ? fb_fail_memory(plan->err) : FB_OK;
}

// ---- As if it came from files ----

// "structure.n12.x" for each row that belongs to one displacement of node 12.
static FbStatus name_rows(const FbMeshPlan* plan, const char*** out) {
    static const char* const directions[6] = {"x", "y", "z", "rx", "ry", "rz"};
    *out = FB_TAKE(plan->arena, const char*, plan->n_rows + 1);
    if (!*out) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < 6 * plan->mesh.n_points; i++) {
        const FbMeshTerms* t = &plan->terms[i];
        if (t->count == 1 && t->items[0].factor == 1.0 && plan->coupled[i / 6] < 0) {
            (*out)[t->items[0].row] = fb_arena_format(plan->arena, "%s.n%d.%s", plan->s->name,
                                                      plan->mesh.labels[i / 6], directions[i % 6]);
        }
    }
    return fb_arena_has_failed(plan->arena) ? fb_fail_memory(plan->err) : FB_OK;
}

static FbStatus describe_nodes(const FbMeshPlan* plan, FbMatrixNodeDef** out) {
    FbMatrixNodeDef* nodes = FB_TAKE(plan->arena, FbMatrixNodeDef, plan->s->n_nodes + 1);
    if (!nodes) {
        return fb_fail_memory(plan->err);
    }
    for (int k = 0; k < plan->s->n_nodes; k++) {
        const FbMeshNodeDef* def = &plan->s->nodes[k];
        bool is_free = false;
        nodes[k] = (FbMatrixNodeDef){.name = def->name, .origin = def->origin};
        fb_vec3_to(plan->node_at[k], nodes[k].at);
        for (int d = 0; d < 6; d++) {
            nodes[k].dofs[d] = plan->node_rows[k][d] + 1;
            is_free |= nodes[k].dofs[d] > 0;
        }
        nodes[k].is_clamped = !is_free;
    }
    *out = nodes;
    return FB_OK;
}

static FbStatus list_named(const FbMeshPlan* plan, FbMatrixPlan* m) {
    m->row_of = FB_TAKE(plan->arena, int, plan->n_rows + 1);
    m->named = FB_TAKE(plan->arena, int, 6 * (size_t)plan->s->n_nodes + 1);
    if (!m->row_of || !m->named) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < plan->n_rows; i++) {
        m->row_of[i] = i;
    }
    for (int i = 0; i < 6 * plan->s->n_nodes; i++) {
        int row = plan->node_rows[i / 6][i % 6];
        if (row >= 0) {
            m->named[m->n_named++] = row;
        }
    }
    return FB_OK;
}

// kg and m: files of larger parts in metres are rare, of smaller ones in millimetres common.
static const double HEAVY = 1e6, LONG = 200.0;

// What lets a reader see whether the units are right.
static void measure(const FbMeshPlan* plan, FbMatrixPlan* out) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < plan->mesh.n_points; i++) {
        double x[3];
        fb_vec3_to(plan->mesh.points[i], x);
        for (int d = 0; d < 3 && plan->n_coordinates[i] > 0; d++) {
            low[d] = fmin(low[d], x[d]);
            high[d] = fmax(high[d], x[d]);
            out->mesh_size[d] = high[d] - low[d];
        }
        out->n_nodes += plan->n_coordinates[i] > 0;
    }
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        out->n_elements += plan->owner[i] >= 0;
    }
    double longest = fmax(out->mesh_size[0], fmax(out->mesh_size[1], out->mesh_size[2]));
    out->may_be_millimetres =
        plan->s->file && plan->s->unit == 1.0 && (out->mesh_mass > HEAVY || longest > LONG);
}

static FbStatus expand(FbMeshPlan* plan) {
    const FbMeshStructureDef* s = plan->s;
    FbMatrixNodeDef* nodes;
    FB_TRY(describe_nodes(plan, &nodes));
    FbMatrixStructureDef def = {.name = s->name,
                                .alpha = s->alpha,
                                .beta = s->beta,
                                .damping_ratio = s->damping_ratio,
                                .is_reduced = s->is_reduced,
                                .n_modes = s->n_modes,
                                .nodes = nodes,
                                .n_nodes = s->n_nodes,
                                .origin = s->origin};
    FbMatrixPlan m = {.def = plan->def,
                      .s = &def,
                      .arena = plan->arena,
                      .err = plan->err,
                      .n_file = plan->n_rows,
                      .n = plan->n_rows,
                      .first = plan->first};
    memcpy(def.position, s->position, sizeof def.position);
    memcpy(def.rotation, s->rotation, sizeof def.rotation);
    FB_TRY(name_rows(plan, &m.row_names));
    FB_TRY(list_named(plan, &m));
    FB_TRY(fb_mesh_plan_loads(plan, &m.loads));
    FB_TRY(fb_mesh_plan_places(plan, &m.places));
    FB_TRY(fb_mesh_plan_assemble(plan, &m));
    FB_TRY(fb_mesh_plan_prestress(plan, &m));
    measure(plan, &m);
    FB_TRY(fb_matrix_complete_damping(&m));
    FB_TRY(fb_mesh_plan_keep(plan, &m.kept));
    FbStatus status = fb_matrix_expand(&m);
    fb_kept_mesh_release(m.kept);  // the superelement has its own hold on it
    return status;
}

// Each of several processes assembles its own rows of a structure that they reduce together.
static FbStatus divide_rows(FbMeshPlan* plan) {
    const FbReduction* reduction = plan->def->reduction;
    plan->n_own = plan->n_rows;
    if (!plan->s->is_reduced || !reduction || !reduction->reducer) {
        return FB_OK;
    }
    fb_reducer_divide(reduction->reducer, plan->n_rows, &plan->first, &plan->n_own);
    if (plan->s->prestress || plan->s->buckling) {
        return fb_fail(plan->err, FB_ERR_UNAVAILABLE, &plan->s->origin.place,
                       "structure '%s' has prestress or buckling factors, which need the whole "
                       "matrices in one process; reduce it without --mpi",
                       plan->s->name);
    }
    return FB_OK;
}

static FbStatus add_structure(FbMeshPlan* plan) {
    const FbMeshStructureDef* s = plan->s;
    FB_TRY(check_names(plan));
    FB_TRY(s->file ? fb_mesh_read(plan->def, s, &plan->mesh, plan->err)
                   : fb_mesh_make(plan->def, s, &plan->mesh, plan->err));
    FB_TRY(take_plan(plan));
    FB_TRY(fb_mesh_plan_properties(plan));
    FB_TRY(fb_mesh_plan_name_rows(plan));
    FB_TRY(take_nodes(plan));
    FB_TRY(fb_mesh_plan_rows(plan));
    FB_TRY(divide_rows(plan));
    FB_TRY(expand(plan));
    return fb_mesh_plan_keep_rows(plan);
}

FbStatus fb_model_def_add_mesh_structure(FbModelDef* def, const FbMeshStructureDef* structure,
                                         FbError* err) {
    FbArena* arena = fb_arena_create();
    FbMeshPlan plan = {.def = def, .s = structure, .arena = arena, .err = err};
    plan.mesh.arena = arena;
    FbStatus status = arena ? add_structure(&plan) : fb_fail_memory(err);
    fb_mesh_destroy(&plan.mesh);
    fb_arena_destroy(arena);
    return status;
}
