// After all parts are known: every name of another part is looked up in its scope and replaced by
// its full name, or reported.
#include <ctype.h>
#include <string.h>

#include "base/expr.h"
#include "base/text.h"
#include "describe/slider_check.h"
#include "describe/structure_table.h"
#include "describe/untyped_tables.h"
#include "read/reader.h"

// Where a name stands.
typedef struct Site {
    FbReader* r;
    const FbOrigin* origin;
    const char* key;
    bool has_own_names;  // a force's expression: length, angle and rate have a meaning there
} Site;

typedef const char* (*NameAt)(const FbModelDef* def, int index);

#define DEFINE_NAME_AT(kind, list)                                                 \
    static const char* kind##_name(const FbModelDef* def, int index) {             \
        return index >= 0 && index < def->n_##list ? def->list[index].name : NULL; \
    }
DEFINE_NAME_AT(body, bodies)
DEFINE_NAME_AT(joint, joints)
DEFINE_NAME_AT(state, states)
DEFINE_NAME_AT(parameter, parameters)
DEFINE_NAME_AT(material, materials)
DEFINE_NAME_AT(slider, sliders)

// Parts that are kept by their heads.
#define DEFINE_HEAD_NAME_AT(kind, list)                                             \
    static const char* kind##_name(const FbModelDef* def, int index) {              \
        return index >= 0 && index < def->n_##list ? def->list[index]->name : NULL; \
    }
DEFINE_HEAD_NAME_AT(constraint, constraints)
DEFINE_HEAD_NAME_AT(force, forces)
DEFINE_HEAD_NAME_AT(law, laws)
DEFINE_HEAD_NAME_AT(sensor, sensors)

// The name as it would be written in this scope.
static const char* strip_scope(const char* name, const char* scope) {
    size_t n = scope ? strlen(scope) : 0;
    return n && strncmp(name, scope, n) == 0 ? name + n : name;
}

enum { MAX_NAMES = 2048 };

typedef struct Names {
    const char* items[MAX_NAMES];
    int count;
} Names;

static void add_names(Names* names, const Site* s, NameAt name_at) {
    const char* name;
    for (int i = 0; names->count < MAX_NAMES && (name = name_at(s->r->def, i)) != NULL; i++) {
        names->items[names->count++] = strip_scope(name, s->origin->scope);
    }
}

static void report_missing(const Site* s, const char* kind, const char* word, const Names* names) {
    FbPlace place = fb_origin_place(s->origin, s->key);
    char hint[128];
    if (fb_is_excused(s->r, s->origin->scope, word)) {
        return;
    }
    fb_suggest(word, names->items, names->count, hint);
    fb_report(s->r, FB_ERR_NAME, place.line, place.col, "there is no %s '%s'%s", kind, word, hint);
}

static void resolve_body(const Site* s, const char** name) {
    FbModelDef* def = s->r->def;
    int index = *name ? fb_def_find_body(def, s->origin->scope, *name) : FB_GROUND;
    int slider = index == FB_NOT_FOUND ? fb_def_find_carriage(def, s->origin->scope, *name) : -1;
    if (index >= 0) {
        *name = def->bodies[index].name;
    } else if (slider >= 0) {
        *name = fb_arena_format(def->arena, "%s.carriage", def->sliders[slider].name);
    } else if (index == FB_NOT_FOUND) {
        Names names = {.items = {"ground"}, .count = 1};
        add_names(&names, s, body_name);
        report_missing(s, "body", *name, &names);
    }
}

static void resolve_joint(const Site* s, const char** name) {
    FbModelDef* def = s->r->def;
    int index = *name ? fb_def_find_joint(def, s->origin->scope, *name) : FB_NOT_FOUND;
    if (index >= 0) {
        *name = def->joints[index].name;
    } else if (*name) {
        Names names = {.count = 0};
        add_names(&names, s, joint_name);
        report_missing(s, "joint", *name, &names);
    }
}

static void resolve_law(const Site* s, const char** name) {
    FbModelDef* def = s->r->def;
    int index = *name ? fb_def_find_law(def, s->origin->scope, *name) : FB_NOT_FOUND;
    if (index >= 0) {
        *name = def->laws[index]->name;
    } else if (*name) {
        Names names = {.count = 0};
        add_names(&names, s, law_name);
        report_missing(s, "law", *name, &names);
    }
}

static void resolve_material(const Site* s, const char** name) {
    FbModelDef* def = s->r->def;
    int index = *name ? fb_def_find_material(def, s->origin->scope, *name) : FB_NOT_FOUND;
    if (index >= 0) {
        *name = def->materials[index].name;
    } else if (*name) {
        Names names = {.count = 0};
        add_names(&names, s, material_name);
        report_missing(s, "material", *name, &names);
    }
}

// The full name of a joint, constraint or force, or NULL.
static const char* find_part(const FbModelDef* def, const char* scope, const char* name) {
    int joint = fb_def_find_joint(def, scope, name);
    int constraint = fb_def_find_constraint(def, scope, name);
    int force = fb_def_find_force(def, scope, name);
    return joint >= 0        ? def->joints[joint].name
           : constraint >= 0 ? def->constraints[constraint]->name
           : force >= 0      ? def->forces[force]->name
                             : NULL;
}

static void resolve_part(const Site* s, const char** name) {
    const char* full = *name ? find_part(s->r->def, s->origin->scope, *name) : NULL;
    if (full) {
        *name = full;
    } else if (*name) {
        Names names = {.count = 0};
        add_names(&names, s, joint_name);
        add_names(&names, s, constraint_name);
        add_names(&names, s, force_name);
        report_missing(s, "joint, constraint or force", *name, &names);
    }
}

static void check_named_point(const Site* s, const FbBodyDef* body, const char* point) {
    Names names = {.count = 0};
    for (int i = 0; i < body->n_points; i++) {
        if (strcmp(body->points[i].name, point) == 0) {
            return;
        }
        if (names.count < MAX_NAMES) {
            names.items[names.count++] = body->points[i].name;
        }
    }
    FbPlace place = fb_origin_place(s->origin, s->key);
    char hint[128];
    fb_suggest(point, names.items, names.count, hint);
    fb_report(s->r, FB_ERR_NAME, place.line, place.col, "body '%s' has no point '%s'%s", body->name,
              point, hint);
}

// "body" or "body.point": the longest name that is a body wins.
static void split_point(const Site* s, FbPointDef* p) {
    const char* dot = p->body ? strrchr(p->body, '.') : NULL;
    if (p->point || !dot ||
        fb_def_find_body(s->r->def, s->origin->scope, p->body) != FB_NOT_FOUND) {
        return;
    }
    const char* body = fb_arena_text_n(s->r->def->arena, p->body, (size_t)(dot - p->body));
    if (body && fb_def_find_body(s->r->def, s->origin->scope, body) != FB_NOT_FOUND) {
        p->point = dot + 1;
        p->body = body;
    }
}

static void resolve_point(const Site* s, FbPointDef* p) {
    split_point(s, p);
    if (!p->body) {
        return;
    }
    resolve_body(s, &p->body);
    int index = fb_def_find_body(s->r->def, NULL, p->body);
    if (p->point && index >= 0) {
        check_named_point(s, &s->r->def->bodies[index], p->point);
    } else if (p->point && index == FB_GROUND) {
        FbPlace place = fb_origin_place(s->origin, s->key);
        fb_report(s->r, FB_ERR_NAME, place.line, place.col,
                  "the ground has no named points; write {body: ground, at: [x, y, z]}");
    }
}

// The length of the scope in which `word` or `word` without its last component names something with
// a value; -1: none.
static int find_value_scope(const FbModelDef* def, const char* scope, const char* word,
                            FbArena* arena) {
    const char* dot = strrchr(word, '.');
    const char* base = dot ? fb_arena_text_n(arena, word, (size_t)(dot - word)) : NULL;
    for (int length = scope ? (int)strlen(scope) : 0; length >= 0; length--) {
        if (length > 0 && scope[length - 1] != '.') {
            continue;
        }
        const char* prefix = fb_arena_text_n(arena, scope ? scope : "", (size_t)length);
        const char* full = prefix ? fb_arena_format(arena, "%s%s", prefix, word) : NULL;
        const char* part = prefix && base ? fb_arena_format(arena, "%s%s", prefix, base) : NULL;
        bool is_value = full && (fb_def_find_sensor(def, NULL, full) >= 0 ||
                                 fb_def_find_state(def, NULL, full) >= 0 ||
                                 fb_def_find_law(def, NULL, full) >= 0 ||
                                 (length == 0 && fb_def_find_parameter(def, NULL, full) >= 0));
        if (is_value ||
            (part &&
             (find_part(def, NULL, part) || fb_def_find_sensor(def, NULL, part) >= 0 ||
              fb_def_find_slider(def, NULL, part) >= 0 || fb_def_find_law(def, NULL, part) >= 0))) {
            return length;
        }
    }
    return -1;
}

static bool is_known_word(const Site* s, const char* word) {
    static const char* const words[] = {"t", "pi", "e", "and", "or", "not"};
    static const char* const own[] = {"length", "displacement", "angle", "rate"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; s->has_own_names && i < sizeof own / sizeof *own; i++) {
        if (strcmp(word, own[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void report_unknown_value(const Site* s, const char* word, size_t offset) {
    if (fb_is_excused(s->r, s->origin->scope, word)) {
        return;
    }
    Names names = {.count = 0};
    add_names(&names, s, sensor_name);
    add_names(&names, s, state_name);
    add_names(&names, s, law_name);
    add_names(&names, s, parameter_name);
    const char* dot = strrchr(word, '.');
    int n_values = names.count;
    add_names(&names, s, joint_name);
    add_names(&names, s, force_name);
    add_names(&names, s, slider_name);
    for (int i = n_values; i < names.count; i++) {
        const char* text = fb_arena_format(s->r->arena, "%s%s", names.items[i], dot ? dot : ".q");
        names.items[i] = text ? text : names.items[i];
    }
    FbPlace place = fb_origin_place(s->origin, s->key);
    // Inside an instance the text has been rewritten, so the offset means nothing.
    int col = place.col + (s->origin->scope ? 0 : (int)offset);
    char hint[128];
    fb_suggest(word, names.items, names.count, hint);
    fb_report(s->r, FB_ERR_NAME, place.line, col, "unknown name '%s' in an expression%s", word,
              hint);
}

// Writes one name of an expression, with the scope that it was found in.
static void add_resolved(const Site* s, const char* word, size_t offset, FbText* out) {
    if (!is_known_word(s, word)) {
        int length = find_value_scope(s->r->def, s->origin->scope, word, s->r->arena);
        if (length < 0) {
            report_unknown_value(s, word, offset);
        }
        fb_text_add_n(out, s->origin->scope ? s->origin->scope : "",
                      length > 0 ? (size_t)length : 0);
    }
    fb_text_add(out, word);
}

static void resolve_expression(const Site* s, const char** expression) {
    const char* text = *expression;
    FbText out;
    fb_text_init(&out);
    bool is_after_value = false, is_name;
    for (size_t i = 0, n; text && text[i]; i += n) {
        n = fb_expr_piece(text + i, &is_after_value, &is_name);
        if (is_name) {
            const char* word = fb_arena_text_n(s->r->arena, text + i, n);
            add_resolved(s, word ? word : "", i, &out);
        } else {
            fb_text_add_n(&out, text + i, n);
        }
    }
    s->r->is_out_of_memory |= out.has_failed;
    if (!out.has_failed && out.data && strcmp(out.data, text) != 0) {
        const char* copy = fb_arena_text(s->r->def->arena, out.data);
        *expression = copy ? copy : text;
    }
    fb_text_free(&out);
}

static void resolve_field(Site* s, const FbField* f, void* base) {
    void* at = (char*)base + f->offset;
    s->key = f->key;
    switch (f->kind) {
        case FB_FIELD_BODY:
            resolve_body(s, at);
            break;
        case FB_FIELD_JOINT:
            resolve_joint(s, at);
            break;
        case FB_FIELD_PART:
            resolve_part(s, at);
            break;
        case FB_FIELD_LAW:
            resolve_law(s, at);
            break;
        case FB_FIELD_MATERIAL:
            resolve_material(s, at);
            break;
        case FB_FIELD_POINT:
            resolve_point(s, at);
            break;
        case FB_FIELD_FRAME:
            resolve_point(s, &((FbFrameDef*)at)->origin);
            break;
        case FB_FIELD_COORDINATE:
            resolve_joint(s, &((FbCoordinateDef*)at)->joint);
            break;
        case FB_FIELD_TERMS: {
            // The array was copied into the model's own memory, which is ours to change.
            FbCouplingTerm* terms = *(FbCouplingTerm**)at;
            int count = *(int*)((char*)base + f->offset2);
            for (int i = 0; terms && i < count; i++) {
                resolve_joint(s, &terms[i].coordinate.joint);
            }
            break;
        }
        case FB_FIELD_EXPRESSION:
            resolve_expression(s, at);
            break;
        case FB_FIELD_EXPR3:
            for (int i = 0; i < 3; i++) {
                s->key = fb_arena_format(s->r->arena, "%s[%d]", f->key, i);
                resolve_expression(s, (const char**)at + i);
            }
            break;
        default:
            break;
    }
}

static void resolve_fields(FbReader* r, const FbTypeInfo* type, void* base, const FbOrigin* origin,
                           bool is_force) {
    Site site = {.r = r, .origin = origin, .has_own_names = is_force};
    for (int i = 0; type && i < type->n_fields; i++) {
        resolve_field(&site, &type->fields[i], base);
    }
}

static void resolve_joint_bodies(FbReader* r, FbJointDef* j) {
    Site site = {.r = r, .origin = &j->origin, .key = "between"};
    if (j->has_frames) {
        site.key = "a";
        resolve_point(&site, &j->frame_a.origin);
        site.key = "b";
        resolve_point(&site, &j->frame_b.origin);
        j->body_a = j->frame_a.origin.body;
        j->body_b = j->frame_b.origin.body;
    } else {
        site.key = "between[0]";
        resolve_body(&site, &j->body_a);
        site.key = "between[1]";
        resolve_body(&site, &j->body_b);
    }
    if (j->body_a && j->body_b && strcmp(j->body_a, j->body_b) == 0) {
        FbPlace place = fb_origin_place(&j->origin, site.key);
        fb_report(r, FB_ERR_MODEL, place.line, place.col,
                  "the joint connects '%s' with itself; it needs two different bodies", j->body_a);
    }
}

static void resolve_initial(FbReader* r, FbInitialDef* initial) {
    Site s = {.r = r, .origin = &initial->origin, .key = "sensor"};
    const char* scope = initial->origin.scope;
    const char* dot = strrchr(initial->sensor, '.');
    int whole = fb_def_find_sensor(r->def, scope, initial->sensor);
    if (whole >= 0) {
        initial->sensor = r->def->sensors[whole]->name;
        return;
    }
    const char* base =
        dot ? fb_arena_text_n(r->arena, initial->sensor, (size_t)(dot - initial->sensor)) : NULL;
    int index = base ? fb_def_find_sensor(r->def, scope, base) : FB_NOT_FOUND;
    if (index >= 0) {
        initial->sensor = fb_arena_format(r->def->arena, "%s%s", r->def->sensors[index]->name, dot);
        return;
    }
    Names names = {.count = 0};
    add_names(&names, &s, sensor_name);
    report_missing(&s, "sensor or output", initial->sensor, &names);
}

static void resolve_released(FbReader* r) {
    const FbSettings* settings = &r->def->settings;
    for (int i = 0; i < settings->n_release; i++) {
        Site site = {.r = r, .origin = &r->simulation};
        site.key = fb_arena_format(r->arena, "release[%d]", i);
        if (fb_def_find_force(r->def, NULL, settings->release[i]) < 0) {
            Names names = {.count = 0};
            add_names(&names, &site, force_name);
            report_missing(&site, "force", settings->release[i], &names);
        }
    }
}

// The material of a section is the same field whatever the type.
static void resolve_section(FbReader* r, FbSectionDef* section) {
    Site site = {.r = r, .origin = &section->origin, .key = "material"};
    resolve_material(&site, &section->material);
}

// Only the loads of a beam come directly from the user.
static void resolve_beam(FbReader* r, FbBeamDef* beam) {
    static const char* const keys[] = {"load[0]", "load[1]", "load[2]"};
    for (int i = 0; i < 3; i++) {
        Site site = {.r = r, .origin = &beam->origin, .key = keys[i]};
        resolve_expression(&site, &beam->load[i]);
    }
}

static bool is_guide_excused(const FbReader* r, const FbSliderDef* slider) {
    for (int i = 0; i < slider->n_guide; i++) {
        if (fb_is_excused(r, slider->origin.scope, slider->guide[i])) {
            return true;
        }
    }
    return false;
}

static void resolve_slider(FbReader* r, FbSliderDef* slider) {
    FbError err;
    fb_error_clear(&err);
    resolve_fields(r, &fb_slider_table, slider, &slider->origin, false);
    if (is_guide_excused(r, slider)) {
        return;
    }
    if (fb_slider_calc_guide(r->def, slider, NULL, &err) < 0) {
        fb_report(r, err.status, err.place.line, err.place.col, "%s", err.text);
        return;
    }
    const char** guide = (const char**)slider->guide;  // copied into the model's own memory
    for (int i = 0; i < slider->n_guide; i++) {
        int first = fb_def_find_member(r->def, slider->origin.scope, guide[i]);
        guide[i] = r->def->beams[first].member;
    }
}

void fb_check_references(FbReader* r) {
    FbModelDef* def = r->def;
    for (int i = 0; i < def->n_sections; i++) {
        resolve_section(r, &def->sections[i]);
    }
    for (int i = 0; i < def->n_beams; i++) {
        resolve_beam(r, &def->beams[i]);
    }
    for (int i = 0; i < def->n_sliders; i++) {
        resolve_slider(r, &def->sliders[i]);
    }
    for (int i = 0; i < def->n_joints; i++) {
        FbJointDef* j = &def->joints[i];
        resolve_joint_bodies(r, j);
        resolve_fields(r, fb_type_find(r->types->joints, j->type), j, &j->origin, false);
    }
    for (int i = 0; i < def->n_constraints; i++) {
        FbConstraintDef* c = def->constraints[i];
        resolve_fields(r, fb_def_constraint_type(def, c), c, &c->origin, false);
    }
    for (int i = 0; i < def->n_forces; i++) {
        FbForceDef* f = def->forces[i];
        resolve_fields(r, fb_def_force_type(def, f), f, &f->origin, true);
    }
    for (int i = 0; i < def->n_laws; i++) {
        FbLawDef* l = def->laws[i];
        resolve_fields(r, fb_def_law_type(def, l), l, &l->origin, false);
    }
    for (int i = 0; i < def->n_sensors; i++) {
        FbSensorDef* s = def->sensors[i];
        resolve_fields(r, fb_def_sensor_type(def, s), s, &s->origin, false);
    }
    for (int i = 0; i < def->n_states; i++) {
        resolve_fields(r, &fb_state_table, &def->states[i], &def->states[i].origin, false);
    }
    for (int i = 0; i < def->n_events; i++) {
        resolve_fields(r, &fb_event_table, &def->events[i], &def->events[i].origin, false);
    }
    for (int i = 0; i < def->n_initials; i++) {
        resolve_initial(r, &def->initials[i]);
    }
    resolve_released(r);
}
