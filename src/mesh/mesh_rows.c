// Rows of nodes: the nodes of a mesh along a line or an edge become named nodes of their own, and
// the row keeps their order.
#include <math.h>
#include <string.h>

#include "mesh/mesh_plan.h"

// A node is on a line, or at a place, if it is this close to it, relative to the mesh.
static const double SAME_PLACE = 1e-6;

typedef struct Found {
    int point;
    double at;  // along the line
} Found;

static bool is_row(const FbMeshNodeDef* def) {
    return def->along || !isnan(def->from[0]) || !isnan(def->to[0]);
}

static FbStatus fail(const FbMeshPlan* plan, const FbMeshNodeDef* def, const char* key,
                     const char* text) {
    FbPlace place = fb_mesh_place(&def->origin, key);
    return fb_fail(plan->err, FB_ERR_MODEL, &place, "the row of nodes '%s' %s", def->name, text);
}

static FbStatus check_row(const FbMeshPlan* plan, const FbMeshNodeDef* def) {
    if (!isnan(def->at[0]) || def->group) {
        return fail(plan, def, isnan(def->at[0]) ? "group" : "at",
                    "cannot have 'at' or 'group' as well: give `from` and `to` (a line), or "
                    "`along` (a group on an edge)");
    }
    if (!def->along && (isnan(def->from[0]) || isnan(def->to[0]))) {
        return fail(plan, def, NULL, "needs both 'from' and 'to', or a group 'along' an edge");
    }
    if (def->along && !isnan(def->to[0])) {
        return fail(plan, def, "to", "follows a group and ends where that ends; remove 'to'");
    }
    return FB_OK;
}

static void sort_by_place(Found* list, int n) {
    for (int i = 1; i < n; i++) {  // few: of one line
        Found own = list[i];
        int k = i;
        for (; k > 0 && list[k - 1].at > own.at; k--) {
            list[k] = list[k - 1];
        }
        list[k] = own;
    }
}

static FbStatus find_on_line(FbMeshPlan* plan, const FbMeshNodeDef* def, Found* list, int* n) {
    FbVec3 from = fb_vec3_from(def->from), along = fb_sub(fb_vec3_from(def->to), from);
    double length = fb_norm(along), near = SAME_PLACE * fb_mesh_calc_size(&plan->mesh);
    if (!(length > near)) {
        return fail(plan, def, "to", "has no length: 'from' and 'to' are the same place");
    }
    FbVec3 x = fb_scale(1.0 / length, along);
    for (int i = 0; i < plan->mesh.n_points; i++) {
        FbVec3 r = fb_sub(plan->mesh.points[i], from);
        double at = fb_dot(x, r), aside = fb_norm(fb_axpy(-at, x, r));
        if (plan->n_coordinates[i] > 0 && aside <= near && at >= -near && at <= length + near) {
            list[(*n)++] = (Found){i, at};
        }
    }
    sort_by_place(list, *n);
    if (*n < 2) {
        FbPlace place = fb_mesh_place(&def->origin, "from");
        return fb_fail(plan->err, FB_ERR_MODEL, &place,
                       "%d nodes of the mesh are on the line from (%.6g, %.6g, %.6g) m to (%.6g, "
                       "%.6g, %.6g) m, within %.1g m; a row needs two",
                       *n, def->from[0], def->from[1], def->from[2], def->to[0], def->to[1],
                       def->to[2], near);
    }
    return FB_OK;
}

static double distance(const FbMeshPlan* plan, int a, int b) {
    return fb_norm(fb_sub(plan->mesh.points[a], plan->mesh.points[b]));
}

// One of the two nodes that are farthest from each other, the first in the mesh.
static int find_end(const FbMeshPlan* plan, const Found* list, int n) {
    double most = -1.0;
    int end = 0;
    for (int i = 0; i < n; i++) {
        for (int k = i + 1; k < n; k++) {
            double d = distance(plan, list[i].point, list[k].point);
            if (d > most * (1.0 + 1e-9)) {
                most = d;
                end = i;
            }
        }
    }
    return end;
}

static FbStatus find_start(FbMeshPlan* plan, const FbMeshNodeDef* def, const Found* list, int n,
                           int* start) {
    double least = INFINITY;
    *start = find_end(plan, list, n);
    for (int i = 0; i < n && !isnan(def->from[0]); i++) {
        double d = fb_norm(fb_sub(plan->mesh.points[list[i].point], fb_vec3_from(def->from)));
        *start = d < least ? i : *start;
        least = fmin(d, least);
    }
    if (!isnan(def->from[0]) && !(least <= SAME_PLACE * fb_mesh_calc_size(&plan->mesh))) {
        FbVec3 p = plan->mesh.points[list[*start].point];
        FbPlace place = fb_mesh_place(&def->origin, "from");
        return fb_fail(plan->err, FB_ERR_MODEL, &place,
                       "no node of group '%s' is at 'from' of the row '%s'; the nearest is at "
                       "(%.9g, %.9g, %.9g) m, %.3g m away",
                       def->along, def->name, p.x, p.y, p.z, least);
    }
    return FB_OK;
}

// From the start on, each time to the nearest of those that are left.
static FbStatus find_along(FbMeshPlan* plan, const FbMeshNodeDef* def, bool* is_marked, Found* list,
                           int* n) {
    int group, start;
    FB_TRY(fb_mesh_plan_find_group(plan, def->along, &def->origin, "along", &group));
    memset(is_marked, 0, (size_t)plan->mesh.n_points * sizeof *is_marked);
    fb_mesh_mark_group(&plan->mesh, group, is_marked);
    for (int i = 0; i < plan->mesh.n_points; i++) {
        if (is_marked[i] && plan->n_coordinates[i] > 0) {
            list[(*n)++] = (Found){i, 0.0};
        }
    }
    if (*n < 2) {
        return fail(plan, def, "along", "has fewer than two nodes of the mesh");
    }
    if (*n > FB_MESH_MOST_IN_ROW) {
        return fail(plan, def, "along", "has too many nodes; is its group an edge?");
    }
    FB_TRY(find_start(plan, def, list, *n, &start));
    for (int k = 0; k < *n; k++) {
        Found own = list[start];
        list[start] = list[k];
        list[k] = own;
        double least = INFINITY;
        for (int i = k + 1; i < *n; i++) {
            double d = distance(plan, own.point, list[i].point);
            start = d < least ? i : start;
            least = fmin(d, least);
        }
    }
    return FB_OK;
}

// Leaves the nodes that are nearest to places an equal part of the way apart, about `spacing`.
static void thin_out(const FbMeshPlan* plan, double spacing, Found* list, int* n) {
    list[0].at = 0.0;
    for (int i = 1; i < *n; i++) {
        list[i].at = list[i - 1].at + distance(plan, list[i - 1].point, list[i].point);
    }
    double whole = list[*n - 1].at, parts = fmax(1.0, round(whole / spacing));
    int kept = 1, last = *n - 1;
    for (int k = 1; parts < *n && k <= (int)parts; k++) {
        double at = whole * k / parts;
        int i = kept;
        while (i < last && list[i + 1].at - at < at - list[i].at) {
            i++;
        }
        i = k == (int)parts ? last : i;
        if (list[i].at > list[kept - 1].at) {
            list[kept++] = list[i];
        }
    }
    *n = parts < *n ? kept : *n;
}

// The node of the list that is this point of the mesh; -1: none.
static int find_named(const FbMeshPlan* plan, const FbMeshNodeDef* nodes, int n, int point) {
    double near = SAME_PLACE * fb_mesh_calc_size(&plan->mesh);
    for (int i = 0; i < n; i++) {
        FbVec3 at = fb_vec3_from(nodes[i].at);
        if (!nodes[i].group && fb_norm(fb_sub(at, plan->mesh.points[point])) <= near) {
            return i;
        }
    }
    return -1;
}

// The nodes of one row, as far as they have no name yet.
static FbStatus add_row(FbMeshPlan* plan, const FbMeshNodeDef* def, const Found* list, int n,
                        FbMeshStructureDef* s, FbMeshNodeDef* nodes) {
    FbMeshRow* row = &plan->rows[plan->n_named_rows++];
    *row = (FbMeshRow){.name = def->name, .n = n, .nodes = FB_TAKE(plan->arena, int, n)};
    for (int k = 0; row->nodes && k < n; k++) {
        int named = find_named(plan, nodes, s->n_nodes, list[k].point);
        if (named < 0) {
            FbMeshNodeDef* own = &nodes[named = s->n_nodes++];
            *own = fb_mesh_node_def_default();
            own->name = fb_arena_format(plan->arena, "%s.n%d", def->name, k + 1);
            own->is_clamped = def->is_clamped;
            own->origin = def->origin;
            fb_vec3_to(plan->mesh.points[list[k].point], own->at);
        }
        row->nodes[k] = named;
    }
    return fb_arena_has_failed(plan->arena) ? fb_fail_memory(plan->err) : FB_OK;
}

static FbStatus expand(FbMeshPlan* plan, FbMeshStructureDef* s, FbMeshNodeDef* nodes, bool* marks,
                       Found* list) {
    for (int i = 0; i < plan->s->n_nodes; i++) {
        const FbMeshNodeDef* def = &plan->s->nodes[i];
        int n = 0;
        if (!is_row(def)) {
            continue;
        }
        FB_TRY(check_row(plan, def));
        FB_TRY(def->along ? find_along(plan, def, marks, list, &n)
                          : find_on_line(plan, def, list, &n));
        if (def->spacing > 0.0) {
            thin_out(plan, def->spacing, list, &n);
        }
        FB_TRY(add_row(plan, def, list, n, s, nodes));
    }
    return FB_OK;
}

FbStatus fb_mesh_plan_name_rows(FbMeshPlan* plan) {
    FbMeshStructureDef* s = FB_TAKE(plan->arena, FbMeshStructureDef, 1);
    size_t n_points = (size_t)plan->mesh.n_points + 1, n_rows = 0;
    for (int i = 0; i < plan->s->n_nodes; i++) {
        n_rows += is_row(&plan->s->nodes[i]);
    }
    if (n_rows == 0) {
        return FB_OK;
    }
    FbMeshNodeDef* nodes = FB_TAKE(plan->arena, FbMeshNodeDef, (size_t)plan->s->n_nodes + n_points);
    bool* marks = FB_TAKE(plan->arena, bool, n_points);
    Found* list = FB_TAKE(plan->arena, Found, n_points);
    plan->rows = FB_TAKE(plan->arena, FbMeshRow, n_rows);
    if (fb_arena_has_failed(plan->arena)) {
        return fb_fail_memory(plan->err);
    }
    *s = *plan->s;
    s->nodes = nodes;
    s->n_nodes = 0;
    for (int i = 0; i < plan->s->n_nodes; i++) {
        if (!is_row(&plan->s->nodes[i])) {
            nodes[s->n_nodes++] = plan->s->nodes[i];
        }
    }
    FB_TRY(expand(plan, s, nodes, marks, list));
    plan->s = s;
    return FB_OK;
}

FbStatus fb_mesh_plan_keep_rows(const FbMeshPlan* plan) {
    for (int i = 0; i < plan->n_named_rows; i++) {
        const FbMeshRow* row = &plan->rows[i];
        const char* name = fb_arena_format(plan->arena, "%s.%s", plan->s->name, row->name);
        int* bodies = FB_TAKE(plan->arena, int, row->n);
        for (int k = 0; bodies && name && k < row->n; k++) {
            const char* node = plan->s->nodes[row->nodes[k]].name;
            const char* body = fb_arena_format(plan->arena, "%s.%s", plan->s->name, node);
            bodies[k] = fb_def_find_body(plan->def, plan->s->origin.scope, body);
        }
        if (fb_arena_has_failed(plan->arena)) {
            return fb_fail_memory(plan->err);
        }
        FB_TRY(fb_def_append_row(plan->def, name, bodies, row->n, plan->err));
    }
    return FB_OK;
}
