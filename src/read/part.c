// Reads one part of each kind from its map and adds it to the model.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "describe/shape.h"
#include "describe/untyped_tables.h"
#include "read/field.h"

static void report_error(FbReader* r, const FbError* err) {
    fb_report(r, err->status, err->place.line, err->place.col, "%s", err->text);
}

// "a spring", "a prismatic joint", "a force of type 'force'" for messages.
static const char* describe(FbReader* r, const char* type, const char* kind) {
    const char* article = strchr("aeiou", type[0]) ? "an" : "a";
    const char* text =
        strcmp(type, kind) == 0
            ? fb_arena_format(r->arena, "%s %s of type '%s'", article, kind, type)
            : fb_arena_format(r->arena, "%s %s%s%s", article, type, kind[0] ? " " : "", kind);
    return text ? text : type;
}

// The part common to all kinds with a `type`: finds the type, its places, and reads its fields.
// What is wrong with a field has been reported; the part is kept all the same, so that its
// references are checked and those to it are found.
static const FbTypeInfo* read_typed(FbReader* r, const FbEntry* entry,
                                    const FbTypeInfo* const* types, const char* kind,
                                    const char* const* others, void* base, FbOrigin* origin) {
    const FbTypeInfo* type = fb_read_type(r, entry->value, types, kind);
    if (!type || !fb_fill_origin(r, entry->value, entry->line, entry->col, origin)) {
        return NULL;
    }
    FbTable table = {describe(r, type->name, kind), type->fields, type->n_fields, others};
    fb_read_table(r, entry->value, &table, base, origin);
    return type;
}

static const char* const only_type[] = {"type", NULL};

// Directions in the frame of a body stay; those in the ground's frame move with the instance.
static void move_directions(const FbReader* r, const FbTypeInfo* type, void* part) {
    for (int i = 0; i < type->n_fields; i++) {
        const FbField* f = &type->fields[i];
        if (f->kind == FB_FIELD_VEC3 && f->offset2) {
            const FbPointDef* of = (const FbPointDef*)(void*)((char*)part + f->offset2);
            if (of->body && strcmp(of->body, "ground") == 0) {
                fb_move_direction(r, (double*)(void*)((char*)part + f->offset));
            }
        }
    }
}

// A part whose type has a struct of its own: the struct, from its defaults and what is written, or
// the head `unknown` where there is no such type, which also has the defaults of what only heads of
// its kind have; NULL if memory ran out. Like read_typed, it keeps parts with errors.
static void* read_part(FbReader* r, const FbEntry* entry, const char* name,
                       const FbTypeInfo* const* types, const char* kind, void* unknown,
                       size_t head_size) {
    const FbTypeInfo* type = fb_read_type(r, entry->value, types, kind);
    void* part = type ? fb_arena_take(r->arena, type->size) : unknown;
    if (!part) {
        r->is_out_of_memory = true;
        return NULL;
    }
    if (type) {
        fb_type_fill(type, part);
    }
    FbHead head;
    memcpy(&head, part, sizeof head);
    memcpy((char*)part + sizeof head, (const char*)unknown + sizeof head, head_size - sizeof head);
    head.name = name;
    r->is_out_of_memory |= !fb_fill_origin(r, entry->value, entry->line, entry->col, &head.origin);
    memcpy(part, &head, sizeof head);
    if (type) {
        FbTable table = {describe(r, type->name, kind), type->fields, type->n_fields, only_type};
        fb_read_table(r, entry->value, &table, part, &head.origin);
        move_directions(r, type, part);
    }
    return part;
}

static bool read_shape(FbReader* r, const FbNode* node, FbShapeDef* out) {
    FbEntry entry = {"shape", node->line, node->col, node, false};
    *out = fb_shape_def_default();
    int errors_before = fb_diagnostics_error_count(r->diagnostics);
    const FbTypeInfo* type =
        read_typed(r, &entry, r->types->shapes, "shape", only_type, out, &out->origin);
    if (!type || fb_diagnostics_error_count(r->diagnostics) != errors_before) {
        return false;
    }
    out->type = type->name;
    out->file = fb_read_beside_model(r, out->file);
    FbError err;
    fb_error_clear(&err);
    double mass, center[3], inertia[6];
    if (fb_shape_calc_mass(out, &mass, center, inertia, &err) < 0) {
        fb_diagnose(r->diagnostics, FB_SEVERE, err.status, &err.place, "%s", err.text);
        return false;
    }
    return true;
}

static bool read_shapes(FbReader* r, const FbNode* list, FbBodyDef* body) {
    if (!list) {
        return true;
    }
    if (list->kind != FB_NODE_LIST) {
        fb_report(r, FB_ERR_SYNTAX, list->line, list->col,
                  "'shapes' must be a list, each line beginning with '- ', but this is %s",
                  fb_node_describe(list));
        return false;
    }
    FbShapeDef* shapes = FB_TAKE(r->arena, FbShapeDef, list->count + 1);
    bool is_good = shapes != NULL;
    for (int i = 0; shapes && i < list->count; i++) {
        is_good &= read_shape(r, list->items[i], &shapes[i]);
    }
    body->shapes = shapes;
    body->n_shapes = list->count;
    return is_good;
}

static bool read_points(FbReader* r, const FbNode* map, FbBodyDef* body) {
    if (!map) {
        return true;
    }
    if (map->kind != FB_NODE_MAP) {
        fb_report(r, FB_ERR_SYNTAX, map->line, map->col,
                  "'points' must be a map {name: [x, y, z], ...}, but this is %s",
                  fb_node_describe(map));
        return false;
    }
    FbNamedPoint* points = FB_TAKE(r->arena, FbNamedPoint, map->count + 1);
    bool is_good = points != NULL;
    for (int i = 0; points && i < map->count; i++) {
        const FbEntry* e = &map->entries[i];
        points[i].name = fb_expand_text(r, e->key, e->line, e->col);
        is_good &= points[i].name && fb_read_numbers(r, e->value, e->key, "m", 3, points[i].at);
        if (points[i].name && (!fb_name_is_valid(points[i].name) || strchr(points[i].name, '.'))) {
            fb_report(r, FB_ERR_NAME, e->line, e->col,
                      "'%s' is not a valid name; use letters, digits and '_', starting with a "
                      "letter",
                      points[i].name);
            is_good = false;
        }
    }
    body->points = points;
    body->n_points = map->count;
    return is_good;
}

static bool read_inertia(FbReader* r, const FbNode* node, FbBodyDef* body) {
    if (!node) {
        return true;
    }
    bool is_diagonal = node->kind == FB_NODE_LIST && node->count == 3;
    if (!is_diagonal && !(node->kind == FB_NODE_LIST && node->count == 6)) {
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "'inertia' must be a list of 3 numbers (xx, yy, zz) or 6 (xx, yy, zz, xy, xz, "
                  "yz), but this is %s%s",
                  fb_node_describe(node), node->kind == FB_NODE_LIST ? " of another length" : "");
        return false;
    }
    return fb_read_numbers(r, node, "inertia", "kg*m^2", node->count, body->inertia);
}

static bool check_color(FbReader* r, const FbNode* map, const char* color) {
    bool is_good = !color || (color[0] == '#' && strlen(color) == 7);
    for (int i = 1; color && is_good && i < 7; i++) {
        is_good = isxdigit((unsigned char)color[i]);
    }
    if (!is_good) {
        const FbNode* node = fb_node_get(map, "color");
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "color is '%s'; it must be \"#rrggbb\" with hexadecimal digits", color);
    }
    return is_good;
}

static bool read_body_fields(FbReader* r, const FbNode* map, FbBodyDef* body) {
    static const char* const others[] = {"inertia", "shapes", "points", NULL};
    FbTable table = {"a body", fb_body_table.fields, fb_body_table.n_fields, others};
    bool is_good = fb_read_table(r, map, &table, body, &body->origin);
    if (map->kind != FB_NODE_MAP) {
        return false;
    }
    is_good &= read_inertia(r, fb_node_get(map, "inertia"), body);
    is_good &= read_shapes(r, fb_node_get(map, "shapes"), body);
    is_good &= read_points(r, fb_node_get(map, "points"), body);
    return check_color(r, map, body->color) && is_good;
}

void fb_read_body(FbReader* r, const FbEntry* entry, const char* name) {
    FbBodyDef body = fb_body_def_default();
    FbError err;
    fb_error_clear(&err);
    body.name = name;
    fb_fill_origin(r, entry->value, entry->line, entry->col, &body.origin);
    bool is_good = read_body_fields(r, entry->value, &body);
    double mass, center[3], inertia[6];
    if (is_good && fb_body_calc_mass(&body, &mass, center, inertia, &err) < 0) {
        report_error(r, &err);
    }
    fb_move_point(r, body.position);
    fb_move_rotation(r, body.rotation);
    // A body with errors is added too, so that the parts that name it are not reported as well.
    if (fb_model_def_add_body(r->def, &body, &err) < 0) {
        report_error(r, &err);
    }
}

static bool read_between(FbReader* r, const FbNode* node, FbJointDef* joint) {
    if (node->kind != FB_NODE_LIST || node->count != 2) {
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "'between' must be a list of two bodies, such as [ground, shaft]");
        return false;
    }
    bool is_good = fb_read_text(r, node->items[0], "between", &joint->body_a);
    return fb_read_text(r, node->items[1], "between", &joint->body_b) && is_good;
}

static bool read_frames(FbReader* r, const FbNode* map, const FbNode* a, const FbNode* b,
                        FbJointDef* joint) {
    static const char* const drawn[] = {"point", "axis", "x_axis", "offset"};
    static const FbField field_a = {.key = "a"}, field_b = {.key = "b"};
    bool is_good = true;
    for (int i = 0; i < 4; i++) {
        const FbNode* node = fb_node_get(map, drawn[i]);
        if (node) {
            fb_report(r, FB_ERR_MODEL, node->line, node->col,
                      "'%s' goes with 'between'; a joint with 'a' and 'b' has its frames there",
                      drawn[i]);
            is_good = false;
        }
    }
    joint->has_frames = true;
    is_good &= fb_read_frame(r, &field_a, a, &joint->frame_a);
    is_good &= fb_read_frame(r, &field_b, b, &joint->frame_b);
    return is_good;
}

static bool read_placement(FbReader* r, const FbEntry* entry, FbJointDef* joint) {
    const FbNode* between = fb_node_get(entry->value, "between");
    const FbNode *a = fb_node_get(entry->value, "a"), *b = fb_node_get(entry->value, "b");
    bool is_one = between ? !a && !b : a && b;
    if (!is_one) {
        fb_report(r, FB_ERR_MODEL, entry->line, entry->col,
                  "a joint needs either 'between: [body, body]' (with 'point' and 'axis') or both "
                  "'a' and 'b'");
        return false;
    }
    if (!between) {
        return read_frames(r, entry->value, a, b, joint);
    }
    bool is_good = read_between(r, between, joint);
    fb_move_point(r, joint->point);
    fb_move_direction(r, joint->axis);
    fb_move_direction(r, joint->x_axis);
    return is_good;
}

static void check_axes(FbReader* r, const FbNode* map, const FbJointDef* joint) {
    FbVec3 axis = fb_vec3_from(joint->axis), x = fb_vec3_from(joint->x_axis);
    const FbNode *node = fb_node_get(map, "axis"), *x_node = fb_node_get(map, "x_axis");
    if (node && !(fb_norm(axis) > 0.0)) {
        fb_report(r, FB_ERR_RANGE, node->line, node->col, "this axis has no length");
    } else if (x_node && !(fb_norm(fb_cross(axis, x)) > 1e-9 * fb_norm(axis) * fb_norm(x))) {
        fb_report(r, FB_ERR_RANGE, x_node->line, x_node->col,
                  "x_axis is zero or parallel to the axis; it must point elsewhere");
    }
}

void fb_read_joint(FbReader* r, const FbEntry* entry, const char* name) {
    static const char* const others[] = {"type", "between", "a", "b", NULL};
    FbJointDef joint = fb_joint_def_default();
    FbError err;
    fb_error_clear(&err);
    const FbTypeInfo* type =
        read_typed(r, entry, r->types->joints, "joint", others, &joint, &joint.origin);
    if (entry->value->kind == FB_NODE_MAP && read_placement(r, entry, &joint)) {
        check_axes(r, entry->value, &joint);
    }
    joint.name = name;
    joint.type = type ? type->name : "";
    fb_fill_origin(r, entry->value, entry->line, entry->col, &joint.origin);
    if (joint.has_frames) {
        joint.body_a = joint.frame_a.origin.body;
        joint.body_b = joint.frame_b.origin.body;
    }
    if (fb_model_def_add_joint(r->def, &joint, &err) < 0) {
        report_error(r, &err);
    }
}

void fb_read_constraint(FbReader* r, const FbEntry* entry, const char* name) {
    FbConstraintDef unknown = {.type = "", .size = sizeof unknown};
    FbConstraintDef* c =
        read_part(r, entry, name, r->types->constraints, "constraint", &unknown, sizeof unknown);
    FbError err;
    fb_error_clear(&err);
    if (c && fb_model_def_add_constraint(r->def, c, &err) < 0) {
        report_error(r, &err);
    }
}

void fb_read_force(FbReader* r, const FbEntry* entry, const char* name) {
    FbForceDef unknown = {.type = "", .size = sizeof unknown};
    FbForceDef* force =
        read_part(r, entry, name, r->types->forces, "force", &unknown, sizeof unknown);
    FbError err;
    fb_error_clear(&err);
    if (force && fb_model_def_add_force(r->def, force, &err) < 0) {
        report_error(r, &err);
    }
}

void fb_read_law(FbReader* r, const FbEntry* entry, const char* name) {
    FbLawDef unknown = {.type = "", .size = sizeof unknown};
    FbLawDef* law = read_part(r, entry, name, r->types->laws, "law", &unknown, sizeof unknown);
    FbError err;
    fb_error_clear(&err);
    if (law && fb_model_def_add_law(r->def, law, &err) < 0) {
        report_error(r, &err);
    }
}

// A plain text or number is an expression: what its table says is where this stands.
static FbSensorDef* read_short_form(FbReader* r, const FbEntry* entry, const char* name) {
    FbExpressionSensorDef* sensor = FB_TAKE(r->arena, FbExpressionSensorDef, 1);
    FbFieldPlace* field = FB_TAKE(r->arena, FbFieldPlace, 1);
    FbError err;
    fb_error_clear(&err);
    if (!sensor || !field) {
        r->is_out_of_memory = true;
        return NULL;
    }
    if (fb_def_fill(r->types->sensors, "expression", sizeof *sensor, sensor, &err) < 0) {
        report_error(r, &err);
        return NULL;
    }
    *field = (FbFieldPlace){"value", entry->value->line, entry->value->col};
    fb_fill_origin(r, entry->value, entry->line, entry->col, &sensor->head.origin);
    sensor->head.origin.fields = field;
    sensor->head.origin.n_fields = 1;
    sensor->head.name = name;
    sensor->head.component = -1;
    fb_read_expression(r, entry->value, entry->key, NULL, &sensor->value);
    return &sensor->head;
}

static void read_value(FbReader* r, const FbEntry* entry, const char* name, bool is_recorded) {
    FbSensorDef unknown = {.type = "", .size = sizeof unknown, .component = -1};
    bool is_short = entry->value->kind == FB_NODE_SCALAR;
    FbSensorDef* sensor =
        is_short ? read_short_form(r, entry, name)
                 : read_part(r, entry, name, r->types->sensors, "sensor", &unknown, sizeof unknown);
    FbError err;
    fb_error_clear(&err);
    if (!sensor) {
        return;
    }
    sensor->is_recorded = is_recorded;
    if (fb_model_def_add_sensor(r->def, sensor, &err) < 0) {
        report_error(r, &err);
    }
}

void fb_read_output(FbReader* r, const FbEntry* entry, const char* name) {
    read_value(r, entry, name, true);
}

void fb_read_sensor(FbReader* r, const FbEntry* entry, const char* name) {
    read_value(r, entry, name, false);
}
