// Rows of the matrices of a mesh: free displacements, supports, and groups of nodes that are
// coupled to a new node (eq. 12.8; on average: mesh_average.c).
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "mesh/mesh_plan.h"

// A node is at a place of the model file if it is this close to it, relative to the mesh: places
// are written with some digits only.
static const double SAME_PLACE = 1e-6;
// Nodes of a group are on a line if their spread across it is less than this part of the length.
static const double ON_A_LINE = 1e-6;

// ---- Where the named nodes are ----

FbStatus fb_mesh_find_point(FbMeshPlan* plan, const double at[3], const FbPlace* place, int* out) {
    FbVec3 wanted = fb_vec3_from(at);
    double least = INFINITY;
    for (int i = 0; i < plan->mesh.n_points; i++) {
        double distance = fb_norm(fb_sub(plan->mesh.points[i], wanted));
        if (plan->n_coordinates[i] > 0 && distance < least) {
            least = distance;
            *out = i;
        }
    }
    FbVec3 p = plan->mesh.points[*out];
    double same = SAME_PLACE * fb_mesh_calc_size(&plan->mesh);
    if (least <= same) {
        return FB_OK;
    }
    for (int i = 0; i < plan->mesh.n_points; i++) {
        if (fb_norm(fb_sub(plan->mesh.points[i], wanted)) <= same) {
            return fb_fail(plan->err, FB_ERR_MODEL, place,
                           "node %d of the mesh, at (%.6g, %.6g, %.6g) m, belongs to no element "
                           "with a material; name another node, or list the group of its elements "
                           "under 'groups'",
                           plan->mesh.labels[i], wanted.x, wanted.y, wanted.z);
        }
    }
    return fb_fail(plan->err, FB_ERR_MODEL, place,
                   "no node of the mesh is at (%.6g, %.6g, %.6g) m; the nearest is at (%.9g, %.9g, "
                   "%.9g) m, %.3g m away",
                   wanted.x, wanted.y, wanted.z, p.x, p.y, p.z, least);
}

static FbStatus find_point(FbMeshPlan* plan, int node) {
    const FbMeshNodeDef* def = &plan->s->nodes[node];
    FbPlace place = fb_mesh_place(&def->origin, "at");
    plan->node_point[node] = 0;
    FB_TRY(fb_mesh_find_point(plan, def->at, &place, &plan->node_point[node]));
    plan->node_at[node] = plan->mesh.points[plan->node_point[node]];
    return FB_OK;
}

// A group that would do nothing, because no element of the structure has one of its nodes.
static FbStatus fail_without_elements(FbMeshPlan* plan, const char* group, const FbPlace* place) {
    return fb_fail(plan->err, FB_ERR_MODEL, place,
                   "the nodes of group '%s' belong to no element with a material; use another "
                   "group, or list the group of their elements under 'groups'",
                   group);
}

static FbStatus find_members(FbMeshPlan* plan, int node, bool* is_marked, int* count) {
    const FbMeshNodeDef* def = &plan->s->nodes[node];
    int group;
    FbVec3 sum = {0};
    FB_TRY(fb_mesh_plan_find_group(plan, def->group, &def->origin, "group", &group));
    memset(is_marked, 0, (size_t)plan->mesh.n_points * sizeof *is_marked);
    fb_mesh_mark_group(&plan->mesh, group, is_marked);
    *count = 0;
    for (int i = 0; i < plan->mesh.n_points; i++) {
        if (!is_marked[i] || plan->n_coordinates[i] == 0) {
            continue;
        }
        if (plan->coupled[i] >= 0) {
            return fb_fail(plan->err, FB_ERR_MODEL, &def->origin.place,
                           "node %d of the mesh belongs to the groups of both '%s' and '%s'; a "
                           "node can be coupled once",
                           plan->mesh.labels[i], plan->s->nodes[plan->coupled[i]].name, def->name);
        }
        plan->coupled[i] = node;
        sum = fb_add(sum, fb_sub(plan->mesh.points[i], plan->mesh.points[0]));
        ++*count;
    }
    if (*count == 0) {
        FbPlace place = fb_mesh_place(&def->origin, "group");
        return fail_without_elements(plan, def->group, &place);
    }
    plan->node_at[node] = isnan(def->at[0]) ? fb_axpy(1.0 / *count, sum, plan->mesh.points[0])
                                            : fb_vec3_from(def->at);
    return FB_OK;
}

FbMat3 fb_mesh_calc_spread(const FbMeshPlan* plan, int node, FbVec3 centre) {
    FbMat3 I = {{{0}}};
    for (int i = 0; i < plan->mesh.n_points; i++) {
        if (plan->coupled[i] == node) {
            FbVec3 r = fb_sub(plan->mesh.points[i], centre);
            double x[3] = {r.x, r.y, r.z}, square = fb_dot(r, r);
            for (int a = 0; a < 9; a++) {
                I.m[a / 3][a % 3] += (a / 3 == a % 3 ? square : 0.0) - x[a / 3] * x[a % 3];
            }
        }
    }
    return I;
}

// Nodes of shells have turns of their own, which a rigid coupling holds.
static bool has_turns(const FbMeshPlan* plan, int node) {
    for (int i = 0; i < plan->mesh.n_points; i++) {
        if (plan->coupled[i] == node && plan->n_coordinates[i] == 6) {
            return true;
        }
    }
    return false;
}

static FbStatus check_spread(FbMeshPlan* plan, int node, int count) {
    const FbMeshNodeDef* def = &plan->s->nodes[node];
    bool is_shell = has_turns(plan, node);
    if (is_shell && !def->is_averaging) {
        return FB_OK;
    }
    FbVec3 centre = {0};
    for (int i = 0; i < plan->mesh.n_points; i++) {
        if (plan->coupled[i] == node) {
            centre =
                fb_axpy(1.0 / count, fb_sub(plan->mesh.points[i], plan->node_at[node]), centre);
        }
    }
    FbMat3 I = fb_mesh_calc_spread(plan, node, fb_add(plan->node_at[node], centre));
    double trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
    bool is_line = !(fb_mat3_det(&I) > ON_A_LINE * ON_A_LINE * trace * trace * trace);
    if (count >= 3 && !is_line) {
        return FB_OK;
    }
    FbPlace place = fb_mesh_place(&def->origin, "group");
    return fb_fail(plan->err, FB_ERR_MODEL, &place,
                   "the %d nodes of group '%s' %s, so their displacements cannot %s the "
                   "rotations of node '%s'; use %s",
                   count, def->group, count < 3 ? "are too few" : "lie on a line",
                   def->is_averaging ? "give" : "hold", def->name,
                   is_shell ? "'coupling: rigid', which holds the rotations of shells"
                            : "a group with three nodes that are not on a line, or a single node");
}

static FbStatus find_nodes(FbMeshPlan* plan) {
    bool* is_marked = FB_TAKE(plan->arena, bool, plan->mesh.n_points + 1);
    if (!is_marked) {
        return fb_fail_memory(plan->err);
    }
    for (int k = 0; k < plan->s->n_nodes; k++) {
        const FbMeshNodeDef* def = &plan->s->nodes[k];
        if (!def->group && isnan(def->at[0])) {
            return fb_fail(plan->err, FB_ERR_MODEL, &def->origin.place,
                           "node '%s' needs a place ('at') or a group of the mesh ('group')",
                           def->name);
        }
        plan->node_point[k] = -1;
        if (def->group) {
            int count;
            FB_TRY(find_members(plan, k, is_marked, &count));
            FB_TRY(check_spread(plan, k, count));
        } else {
            FB_TRY(find_point(plan, k));
        }
    }
    return FB_OK;
}

// ---- Supports ----

// The named node that is a single node of the mesh; -1: none.
static int find_single(const FbMeshPlan* plan, const char* name) {
    for (int k = 0; k < plan->s->n_nodes; k++) {
        if (plan->node_point[k] >= 0 && strcmp(plan->s->nodes[k].name, name) == 0) {
            return plan->node_point[k];
        }
    }
    return -1;
}

// A support of a group or of a named node.
static FbStatus apply_support(FbMeshPlan* plan, const FbMeshSupportDef* def, bool* is_marked) {
    int group = -1, single = find_single(plan, def->group), count = 0;
    memset(is_marked, 0, (size_t)plan->mesh.n_points * sizeof *is_marked);
    if (single >= 0 && fb_mesh_find_group(&plan->mesh, def->group) < 0) {
        is_marked[single] = true;
    } else {
        FB_TRY(fb_mesh_plan_find_group(plan, def->group, &def->origin, NULL, &group));
        fb_mesh_mark_group(&plan->mesh, group, is_marked);
    }
    for (int i = 0; i < plan->mesh.n_points; i++) {
        if (!is_marked[i] || plan->n_coordinates[i] == 0) {
            continue;
        }
        if (plan->coupled[i] >= 0) {
            return fb_fail(plan->err, FB_ERR_MODEL, &def->origin.place,
                           "node %d of the mesh is supported by group '%s' and coupled to node "
                           "'%s'; support that node instead",
                           plan->mesh.labels[i], def->group, plan->s->nodes[plan->coupled[i]].name);
        }
        for (int d = 0; d < 6; d++) {
            plan->is_fixed[6 * i + d] |= def->is_fixed[d];
        }
        count++;
    }
    return count > 0 ? FB_OK : fail_without_elements(plan, def->group, &def->origin.place);
}

static FbStatus apply_supports(FbMeshPlan* plan) {
    bool* is_marked = FB_TAKE(plan->arena, bool, plan->mesh.n_points + 1);
    if (!is_marked) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < plan->s->n_supports; i++) {
        FB_TRY(apply_support(plan, &plan->s->supports[i], is_marked));
    }
    for (int k = 0; k < plan->s->n_nodes; k++) {
        for (int d = 0; d < 6 && plan->s->nodes[k].is_clamped && plan->node_point[k] >= 0; d++) {
            plan->is_fixed[6 * plan->node_point[k] + d] = true;
        }
    }
    return FB_OK;
}

// ---- Rows ----

FbStatus fb_mesh_set_terms(FbMeshPlan* plan, int coordinate, const FbMeshTerm* items, int count) {
    FbMeshTerms* t = &plan->terms[coordinate];
    t->items = FB_TAKE(plan->arena, FbMeshTerm, count + 1);
    if (!t->items) {
        return fb_fail_memory(plan->err);
    }
    t->count = 0;
    for (int i = 0; i < count; i++) {
        if (items[i].row >= 0 && items[i].factor != 0.0) {
            t->items[t->count++] = items[i];
        }
    }
    return FB_OK;
}

static FbStatus number_free(FbMeshPlan* plan, int point) {
    for (int d = 0; d < plan->n_coordinates[point]; d++) {
        if (!plan->is_fixed[6 * point + d]) {
            FbMeshTerm own = {plan->n_rows++, 1.0};
            FB_TRY(fb_mesh_set_terms(plan, 6 * point + d, &own, 1));
        }
    }
    return FB_OK;
}

static void number_coupled_node(FbMeshPlan* plan, int node) {
    for (int d = 0; d < 6; d++) {
        plan->node_rows[node][d] = plan->s->nodes[node].is_clamped ? -1 : plan->n_rows++;
    }
}

// u = u_node + turn x r, and the same turn (eq. 12.8).
static FbStatus couple_rigidly(FbMeshPlan* plan, int node, int point) {
    const int* row = plan->node_rows[node];
    FbVec3 r = fb_sub(plan->mesh.points[point], plan->node_at[node]);
    double x[3] = {r.x, r.y, r.z};
    for (int d = 0; d < 3; d++) {
        int a = (d + 1) % 3, b = (d + 2) % 3;
        FbMeshTerm terms[3] = {{row[d], 1.0}, {row[3 + a], x[b]}, {row[3 + b], -x[a]}};
        FB_TRY(fb_mesh_set_terms(plan, 6 * point + d, terms, 3));
        if (plan->n_coordinates[point] == 6) {
            FbMeshTerm turn = {row[3 + d], 1.0};
            FB_TRY(fb_mesh_set_terms(plan, 6 * point + 3 + d, &turn, 1));
        }
    }
    return FB_OK;
}

static void name_rows(FbMeshPlan* plan, int node) {
    for (int d = 0; d < 6; d++) {
        const FbMeshTerms* t = &plan->terms[6 * plan->node_point[node] + d];
        plan->node_rows[node][d] = t->count == 1 ? t->items[0].row : -1;
    }
}

static FbStatus check_single(FbMeshPlan* plan, int node) {
    int point = plan->node_point[node];
    const FbMeshNodeDef* def = &plan->s->nodes[node];
    for (int k = 0; k < node; k++) {
        if (plan->node_point[k] == point) {
            return fb_fail(plan->err, FB_ERR_MODEL, &def->origin.place,
                           "nodes '%s' and '%s' are the same node %d of the mesh; name it once",
                           plan->s->nodes[k].name, def->name, plan->mesh.labels[point]);
        }
    }
    if (plan->coupled[point] >= 0) {
        return fb_fail(plan->err, FB_ERR_MODEL, &def->origin.place,
                       "node '%s' belongs to the group of node '%s', whose motion it follows; "
                       "attach to that node, or choose another place",
                       def->name, plan->s->nodes[plan->coupled[point]].name);
    }
    return FB_OK;
}

FbStatus fb_mesh_plan_rows(FbMeshPlan* plan) {
    FB_TRY(find_nodes(plan));
    FB_TRY(apply_supports(plan));
    for (int k = 0; k < plan->s->n_nodes; k++) {
        if (plan->node_point[k] >= 0) {
            FB_TRY(check_single(plan, k));
            continue;
        }
        number_coupled_node(plan, k);
        if (plan->s->nodes[k].is_averaging) {
            FB_TRY(fb_mesh_couple_on_average(plan, k));
        }
    }
    for (int i = 0; i < plan->mesh.n_points; i++) {
        int node = plan->coupled[i];
        if (node < 0) {
            FB_TRY(number_free(plan, i));
        } else if (!plan->s->nodes[node].is_averaging) {
            FB_TRY(couple_rigidly(plan, node, i));
        }
    }
    for (int k = 0; k < plan->s->n_nodes; k++) {
        if (plan->node_point[k] >= 0) {
            name_rows(plan, k);
        }
    }
    return FB_OK;
}
