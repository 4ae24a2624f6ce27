// The parts of a structure that is given by matrices: nodes, other coordinates or modes, and the
// superelement on them.
#include <string.h>

#include "flyball/sensor.h"
#include "math/vec3.h"
#include "mesh/matrices.h"
#include "mesh/reduction.h"

static const char* const DIRECTIONS[6] = {"x", "y", "z", "rx", "ry", "rz"};

typedef struct Parts {
    FbMatrixPlan* plan;
    FbCoordinateDef* coordinates;  // [n] of the superelement
    int n;
    FbMat3 R;
} Parts;

static FbVec3 axis_of(const Parts* p, int i) {
    FbVec3 unit = {i == 0, i == 1, i == 2};
    return fb_mul3(&p->R, unit);
}

static FbVec3 place_of(const Parts* p, const double at[3]) {
    return fb_add(fb_vec3_from(p->plan->s->position), fb_mul3(&p->R, fb_vec3_from(at)));
}

static void add_coordinate(Parts* p, const char* joint, int index) {
    p->coordinates[p->n++] = (FbCoordinateDef){joint, index};
}

// A massless body and the joint of the same name that holds it.
static FbStatus add_held_body(const Parts* p, const char* name, const char* type,
                              const char* parent, FbVec3 at, FbVec3 axis, FbVec3 x_axis,
                              const FbOrigin* origin) {
    FbMatrixPlan* plan = p->plan;
    FbBodyDef body = fb_body_def_default();
    FbJointDef joint = fb_joint_def_default();
    if (!name) {
        return fb_fail_memory(plan->err);
    }
    body.name = joint.name = name;
    fb_vec3_to(at, body.position);
    memcpy(body.rotation, p->R.m, sizeof body.rotation);
    body.origin = joint.origin = (FbOrigin){.place = origin->place, .scope = origin->scope};
    joint.type = type;
    joint.body_a = parent;
    joint.body_b = name;
    fb_vec3_to(at, joint.point);
    fb_vec3_to(axis, joint.axis);
    fb_vec3_to(x_axis, joint.x_axis);
    FB_TRY(fb_model_def_add_body(plan->def, &body, plan->err));
    return fb_model_def_add_joint(plan->def, &joint, plan->err);
}

static bool has_exactly(const FbMatrixNodeDef* node, const bool wanted[6]) {
    for (int d = 0; d < 6; d++) {
        if ((node->dofs[d] > 0) != wanted[d]) {
            return false;
        }
    }
    return true;
}

// One joint for each direction, with massless bodies in between.
static FbStatus add_chain(Parts* p, const FbMatrixNodeDef* node, const char* name) {
    const char* parent = "ground";
    int last = 0;
    for (int d = 0; d < 6; d++) {
        last = node->dofs[d] > 0 ? d : last;
    }
    for (int d = 0; d <= last; d++) {
        if (node->dofs[d] == 0) {
            continue;
        }
        const char* part =
            d == last ? name : fb_arena_format(p->plan->arena, "%s.%s", name, DIRECTIONS[d]);
        FB_TRY(add_held_body(p, part, d < 3 ? "prismatic" : "revolute", parent,
                             place_of(p, node->at), axis_of(p, d % 3), axis_of(p, (d + 1) % 3),
                             &node->origin));
        add_coordinate(p, part, 0);
        parent = part;
    }
    return FB_OK;
}

// A plane node: x, y of the joint are the two axes after its normal, in cyclic order.
static FbStatus add_plane_node(Parts* p, const FbMatrixNodeDef* node, const char* name,
                               int normal) {
    int first = (normal + 1) % 3;
    FB_TRY(add_held_body(p, name, "planar", "ground", place_of(p, node->at), axis_of(p, normal),
                         axis_of(p, first), &node->origin));
    for (int d = 0; d < 3; d++) {
        if (d != normal) {
            add_coordinate(p, name, d == first ? 0 : 1);
        }
    }
    add_coordinate(p, name, 2);
    return FB_OK;
}

static FbStatus add_node(Parts* p, const FbMatrixNodeDef* node) {
    const char* name = fb_arena_format(p->plan->arena, "%s.%s", p->plan->s->name, node->name);
    static const bool all[6] = {true, true, true, true, true, true};
    static const bool point[6] = {true, true, true, false, false, false};
    bool is_node = has_exactly(node, all), is_point = has_exactly(node, point);
    if (node->is_clamped || is_node || is_point) {
        const char* type = node->is_clamped ? "fixed" : is_node ? "node" : "translation";
        FB_TRY(add_held_body(p, name, type, "ground", place_of(p, node->at), axis_of(p, 2),
                             axis_of(p, 0), &node->origin));
        for (int d = 0; d < (is_node ? 6 : 3) && !node->is_clamped; d++) {
            add_coordinate(p, name, d);
        }
        return FB_OK;
    }
    for (int normal = 0; normal < 3; normal++) {
        bool plane[6] = {normal != 0, normal != 1, normal != 2,
                         normal == 0, normal == 1, normal == 2};
        if (has_exactly(node, plane)) {
            return add_plane_node(p, node, name, normal);
        }
    }
    return add_chain(p, node, name);
}

// A coordinate that is not a position: a massless body on a prismatic joint.
static FbStatus add_scalar(Parts* p, const char* name) {
    static const double origin[3] = {0, 0, 0};
    FB_TRY(add_held_body(p, name, "prismatic", "ground", place_of(p, origin), axis_of(p, 0),
                         axis_of(p, 1), &p->plan->s->origin));
    add_coordinate(p, name, 0);
    return FB_OK;
}

// The weight in ground axes from the loads along the structure's: R w.
static double* turn_weight(const Parts* p, const double* loads, int n) {
    double* weight = FB_TAKE(p->plan->arena, double, 3 * n + 1);
    for (int i = 0; weight && i < n; i++) {
        FbVec3 w = {loads[i], loads[n + i], loads[2 * n + i]}, turned = fb_mul3(&p->R, w);
        weight[i] = turned.x;
        weight[n + i] = turned.y;
        weight[2 * n + i] = turned.z;
    }
    return weight;
}

typedef struct Entries {
    int *rows, *cols;
    double *mass, *damping, *stiffness;
    int n;
} Entries;

static FbStatus take_entries(const FbMatrixPlan* plan, size_t most, Entries* out) {
    out->rows = FB_TAKE(plan->arena, int, most + 1);
    out->cols = FB_TAKE(plan->arena, int, most + 1);
    out->mass = FB_TAKE(plan->arena, double, most + 1);
    out->damping = FB_TAKE(plan->arena, double, most + 1);
    out->stiffness = FB_TAKE(plan->arena, double, most + 1);
    return fb_arena_has_failed(plan->arena) ? fb_fail_memory(plan->err) : FB_OK;
}

static void add_entry(Entries* e, int row, int col, double mass, double damping, double stiffness) {
    if (mass == 0.0 && damping == 0.0 && stiffness == 0.0) {
        return;
    }
    e->rows[e->n] = row;
    e->cols[e->n] = col;
    e->mass[e->n] = mass;
    e->damping[e->n] = damping;
    e->stiffness[e->n++] = stiffness;
}

// The loads of the superelement; `vectors` [n x count]; `left_out` as in FbReduced, NULL: nothing.
static FbStatus copy_loads(const Parts* p, const double* vectors, const double* left_out,
                           FbSuperelementDef* out) {
    int first = p->plan->has_weight ? 3 : 0;
    const FbMatrixLoads* from = &p->plan->loads;
    FbSuperelementLoadDef* loads = FB_TAKE(p->plan->arena, FbSuperelementLoadDef, from->count + 1);
    if (!loads) {
        return fb_fail_memory(p->plan->err);
    }
    for (int i = 0; i < from->count; i++) {
        loads[i] = (FbSuperelementLoadDef){.name = from->items[i].name,
                                           .value = from->items[i].value,
                                           .unit = from->items[i].unit,
                                           .key = from->items[i].key,
                                           .forces = vectors + (size_t)i * (size_t)p->n,
                                           .origin = *from->items[i].origin,
                                           .left_out = left_out ? left_out[first + i] : 0.0};
    }
    out->loads = loads;
    out->n_loads = from->count;
    return FB_OK;
}

// What gravity (in ground axes) and loads add to measured values directly; `residual` as in
// FbReduced, NULL: nothing.
static FbStatus copy_residuals(const Parts* p, const double* residual, int n_values,
                               FbSuperelementPlaceDef* out) {
    const FbMatrixPlan* plan = p->plan;
    int n_loads = plan->loads.count, first = plan->has_weight ? 3 : 0, n = first + n_loads;
    double* by_gravity = FB_TAKE(plan->arena, double, 3 * n_values + 1);
    double* by_load = FB_TAKE(plan->arena, double, n_loads* n_values + 1);
    if (!by_gravity || !by_load) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; residual && i < n_values; i++) {
        const double* row = residual + (size_t)i * (size_t)n;
        if (plan->has_weight) {
            fb_vec3_to(fb_mul3(&p->R, fb_vec3(row[0], row[1], row[2])), by_gravity + 3 * (size_t)i);
        }
        memcpy(by_load + (size_t)i * (size_t)n_loads, row + first,
               sizeof(double) * (size_t)n_loads);
    }
    out->by_gravity = by_gravity;
    out->by_load = by_load;
    return FB_OK;
}

static FbStatus copy_places(const Parts* p, const double* rows, const double* residual,
                            FbSuperelementDef* out) {
    const FbMatrixPlaces* from = &p->plan->places;
    int next = 0, n_forces = p->plan->loads.count + (p->plan->has_weight ? 3 : 0);
    FbSuperelementPlaceDef* places =
        FB_TAKE(p->plan->arena, FbSuperelementPlaceDef, from->count + 1);
    if (!places) {
        return fb_fail_memory(p->plan->err);
    }
    for (int i = 0; i < from->count; i++) {
        const FbMatrixPlace* place = &from->items[i];
        places[i] = (FbSuperelementPlaceDef){.name = place->name,
                                             .is_shell = place->is_shell,
                                             .n_values = place->n_values,
                                             .rows = rows + (size_t)next * (size_t)p->n,
                                             .origin = *place->origin};
        FB_TRY(copy_residuals(p, residual ? residual + (size_t)next * (size_t)n_forces : NULL,
                              place->n_values, &places[i]));
        next += place->n_values;
    }
    out->places = places;
    out->n_places = from->count;
    return FB_OK;
}

// The sensor of each place, not recorded unless an output asks for it.
static FbStatus add_sensors(const Parts* p) {
    FbModelDef* def = p->plan->def;
    for (int i = 0; i < p->plan->places.count; i++) {
        const FbMatrixPlace* place = &p->plan->places.items[i];
        FbMeshSensorDef sensor;
        FB_TRY(
            fb_def_fill(def->types.sensors, "mesh_stress", sizeof sensor, &sensor, p->plan->err));
        sensor.head.name = sensor.place = place->name;
        sensor.head.origin = *place->origin;
        sensor.head.is_recorded = false;
        sensor.head.component = -1;
        FB_TRY(fb_model_def_add_sensor(def, &sensor.head, p->plan->err));
    }
    return FB_OK;
}

// `loads` as in FbMatrixPlan.whole, [p->n x n_loads]; `r` NULL: not reduced.
static FbStatus add_superelement(Parts* p, const Entries* e, const double* loads,
                                 const FbReduced* r) {
    FbMatrixPlan* plan = p->plan;
    FbSuperelementDef element = {.name = plan->s->name,
                                 .coordinates = p->coordinates,
                                 .n = p->n,
                                 .rows = e->rows,
                                 .cols = e->cols,
                                 .mass = e->mass,
                                 .damping = e->damping,
                                 .stiffness = e->stiffness,
                                 .n_entries = e->n,
                                 .origin = plan->s->origin,
                                 .n_elements = plan->n_elements,
                                 .n_nodes = plan->n_nodes,
                                 .mesh_mass = plan->mesh_mass,
                                 .damping_ratio = plan->s->damping_ratio,
                                 .load_factors = plan->load_factors,
                                 .n_load_factors = plan->n_load_factors,
                                 .has_load_factors = plan->has_load_factors,
                                 .may_be_millimetres = plan->may_be_millimetres,
                                 .n_others = p->n - plan->n_named,
                                 .mesh = plan->kept};
    memcpy(element.mesh_size, plan->mesh_size, sizeof element.mesh_size);
    if (plan->has_weight && !(element.weight = turn_weight(p, loads, p->n))) {
        return fb_fail_memory(plan->err);
    }
    const double* next = loads + (plan->has_weight ? 3 * (size_t)p->n : 0);
    FB_TRY(copy_loads(p, next, r ? r->left_out : NULL, &element));
    FB_TRY(copy_places(p, next + (size_t)plan->loads.count * (size_t)p->n, r ? r->residual : NULL,
                       &element));
    FB_TRY(add_sensors(p));
    return fb_model_def_add_superelement(plan->def, &element, plan->err);
}

// The joint of a row that belongs to no named node.
static const char* name_row(const FbMatrixPlan* plan, int row) {
    const char* own = plan->row_names ? plan->row_names[row] : NULL;
    return own ? own : fb_arena_format(plan->arena, "%s.d%d", plan->s->name, row + 1);
}

static const char* describe_row(const FbMatrixPlan* plan, int row) {
    const char* own = plan->row_names ? plan->row_names[row] : NULL;
    const char* text = own ? own : fb_arena_format(plan->arena, "row %d", row + 1);
    return text ? text : "";
}

static FbStatus explain_loose(const FbMatrixPlan* plan, int where) {
    FbPlace place = fb_origin_place(&plan->s->origin, "reduce");
    for (int j = 0; j < plan->n_file; j++) {
        if (plan->row_of[j] == where) {
            return fb_fail(plan->err, FB_ERR_MODEL, &place,
                           "structure '%s' cannot be reduced: %s can move without stiffness "
                           "while all named nodes are fixed; name more nodes (or more of their "
                           "rows), or remove 'reduce'",
                           plan->s->name, describe_row(plan, j));
        }
    }
    return FB_ERR_SINGULAR;
}

static FbStatus reduce_alone(const FbMatrixPlan* plan, FbReduced* out) {
    int where;
    FbStatus status = fb_craig_bampton(&plan->whole, plan->named, plan->n_named, plan->s->n_modes,
                                       FB_MODES_AUTO, plan->arena, out, &where, plan->err);
    return status == FB_ERR_SINGULAR && where >= 0 ? explain_loose(plan, where) : status;
}

// Columns first ... first + count - 1.
static FbSparse pick_own(const FbSparse* a, int first, int count) {
    FbSparse own = *a;
    if (own.values) {
        own.pattern.n_col = count;
        own.pattern.start += first;
    }
    return own;
}

static FbStatus reduce_shared(const FbMatrixPlan* plan, const FbReducer* reducer, FbReduced* out) {
    FbOwnRows own = {.n = plan->n,
                     .loads = plan->whole.loads,
                     .n_loads = plan->whole.n_loads,
                     .n_recovered = plan->whole.n_recovered};
    fb_reducer_divide(reducer, plan->n, &own.first, &own.count);
    int skipped = own.first - plan->first;  // matrices from files are read by every process
    own.mass = pick_own(&plan->whole.mass, skipped, own.count);
    own.stiffness = pick_own(&plan->whole.stiffness, skipped, own.count);
    own.damping = pick_own(&plan->whole.damping, skipped, own.count);
    FbStatus status = fb_reduce_shared(reducer, &own, plan->named, plan->n_named, plan->s->n_modes,
                                       plan->arena, out, plan->err);
    if (status == FB_ERR_SINGULAR) {
        FbPlace place = fb_origin_place(&plan->s->origin, "reduce");
        return fb_fail(plan->err, FB_ERR_MODEL, &place,
                       "structure '%s' cannot be reduced: a part of it can move without stiffness "
                       "while all named nodes are fixed; name more nodes (or more of their rows)",
                       plan->s->name);
    }
    return status;
}

// T' (alpha M + beta K) T from the small matrices.
static FbStatus add_rayleigh(const FbMatrixPlan* plan, FbReduced* r) {
    size_t size = (size_t)r->n * (size_t)r->n;
    if (plan->s->alpha == 0.0 && plan->s->beta == 0.0) {
        return FB_OK;
    }
    if (!r->damping && !(r->damping = FB_TAKE(plan->arena, double, size + 1))) {
        return fb_fail_memory(plan->err);
    }
    for (size_t i = 0; i < size; i++) {
        r->damping[i] += plan->s->alpha * r->mass[i] + plan->s->beta * r->stiffness[i];
    }
    return FB_OK;
}

static FbStatus reduce(const FbMatrixPlan* plan, FbReduced* out) {
    const FbReduction* reduction = plan->def->reduction;
    FB_TRY(reduction && reduction->reducer ? reduce_shared(plan, reduction->reducer, out)
                                           : reduce_alone(plan, out));
    FB_TRY(add_rayleigh(plan, out));
    FbReducedStructure done = {.s = plan->s,
                               .r = out,
                               .n_whole = plan->n,
                               .has_weight = plan->has_weight,
                               .n_loads = plan->loads.count,
                               .n_places = plan->places.count};
    return reduction ? reduction->take(reduction->self, &done, plan->err) : FB_OK;
}

static FbStatus expand_reduced(Parts* p) {
    FbMatrixPlan* plan = p->plan;
    FbReduced r;
    Entries e = {0};
    FB_TRY(reduce(plan, &r));
    for (int i = 0; i < r.n_modes; i++) {
        FB_TRY(add_scalar(p, fb_arena_format(plan->arena, "%s.mode%d", plan->s->name, i + 1)));
    }
    FB_TRY(take_entries(plan, (size_t)r.n * (size_t)(r.n + 1) / 2, &e));
    for (int col = 0; col < r.n; col++) {
        for (int row = col; row < r.n; row++) {
            size_t at = (size_t)col * (size_t)r.n + (size_t)row;
            add_entry(&e, row, col, r.mass[at], r.damping ? r.damping[at] : 0.0, r.stiffness[at]);
        }
    }
    if (plan->kept) {
        FB_TRY(fb_mesh_keep_reduced(plan->kept, &r, plan->err));
    }
    return add_superelement(p, &e, r.loads, &r);
}

// Rows in the order of the superelement: those of named nodes first.
static FbStatus number_all(const FbMatrixPlan* plan, int** of) {
    int next = plan->n_named;
    *of = FB_TAKE(plan->arena, int, plan->n + 1);
    if (!*of) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < plan->n; i++) {
        (*of)[i] = -1;
    }
    for (int b = 0; b < plan->n_named; b++) {
        (*of)[plan->named[b]] = b;
    }
    for (int i = 0; i < plan->n; i++) {
        (*of)[i] = (*of)[i] >= 0 ? (*of)[i] : next++;
    }
    return FB_OK;
}

static FbStatus add_other_rows(Parts* p, const int* of) {
    FbMatrixPlan* plan = p->plan;
    for (int j = 0; j < plan->n_file; j++) {
        int row = plan->row_of[j];
        if (row < 0 || of[row] < plan->n_named) {
            continue;
        }
        if (!(fb_sparse_get(&plan->whole.mass, row, row) > 0.0)) {
            FbPlace place = fb_origin_place(&plan->s->origin, "mass");
            return fb_fail(
                plan->err, FB_ERR_MODEL, &place,
                "%s of structure '%s' has no mass and belongs to no named node; reduce the "
                "structure ('reduce: {modes: ...}'), which condenses such rows",
                describe_row(plan, j), plan->s->name);
        }
        FB_TRY(add_scalar(p, name_row(plan, j)));
    }
    return FB_OK;
}

static void add_entries(const FbSparse* a, const int* of, int kind, Entries* e) {
    for (int col = 0; a->values && col < a->pattern.n_col; col++) {
        for (int i = a->pattern.start[col]; i < a->pattern.start[col + 1]; i++) {
            int r = of[a->pattern.row[i]], c = of[col];
            double v = a->values[i];
            if (r >= c) {
                add_entry(e, r, c, kind == 0 ? v : 0.0, kind == 1 ? v : 0.0, kind == 2 ? v : 0.0);
            }
        }
    }
}

static FbStatus expand_whole(Parts* p) {
    FbMatrixPlan* plan = p->plan;
    const FbStructureMatrices* w = &plan->whole;
    int* of;
    Entries e = {0};
    FB_TRY(number_all(plan, &of));
    FB_TRY(add_other_rows(p, of));
    size_t most = (size_t)fb_pattern_count(&w->mass.pattern) +
                  (size_t)fb_pattern_count(&w->stiffness.pattern) +
                  (w->damping.values ? (size_t)fb_pattern_count(&w->damping.pattern) : 0);
    FB_TRY(take_entries(plan, most, &e));
    add_entries(&w->mass, of, 0, &e);
    add_entries(&w->damping, of, 1, &e);
    add_entries(&w->stiffness, of, 2, &e);
    size_t n = (size_t)plan->n, size = n * (size_t)w->n_loads;
    double* loads = FB_TAKE(plan->arena, double, size + 1);
    if (!loads) {
        return fb_fail_memory(plan->err);
    }
    for (size_t i = 0; i < size; i++) {
        loads[i / n * n + (size_t)of[i % n]] = w->loads[i];
    }
    if (plan->kept) {
        fb_mesh_keep_whole(plan->kept, of, plan->n);
    }
    return add_superelement(p, &e, loads, NULL);
}

FbStatus fb_matrix_expand(FbMatrixPlan* plan) {
    Parts p = {.plan = plan, .R = fb_mat3_from(plan->s->rotation)};
    p.coordinates = FB_TAKE(plan->arena, FbCoordinateDef, plan->n + 1);
    if (!p.coordinates) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < plan->s->n_nodes; i++) {
        FB_TRY(add_node(&p, &plan->s->nodes[i]));
    }
    return plan->s->is_reduced ? expand_reduced(&p) : expand_whole(&p);
}
