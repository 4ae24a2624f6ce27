// After all parts are known: every name of another part is looked up in its scope and replaced by
// its full name, or reported.
#include <stdio.h>
#include <string.h>

#include "describe/slider_check.h"
#include "describe/structure_table.h"
#include "describe/untyped_tables.h"
#include "read/reference.h"

#define DEFINE_NAME_AT(type, function, list)                                       \
    type function(const FbModelDef* def, int index) {                              \
        return index >= 0 && index < def->n_##list ? def->list[index].name : NULL; \
    }
DEFINE_NAME_AT(static const char*, body_name, bodies)
DEFINE_NAME_AT(static const char*, material_name, materials)
DEFINE_NAME_AT(const char*, fb_joint_name_at, joints)
DEFINE_NAME_AT(const char*, fb_state_name_at, states)
DEFINE_NAME_AT(const char*, fb_input_name_at, inputs)
DEFINE_NAME_AT(const char*, fb_parameter_name_at, parameters)
DEFINE_NAME_AT(const char*, fb_slider_name_at, sliders)

// Parts that are kept by their heads.
#define DEFINE_HEAD_NAME_AT(type, function, list)                                   \
    type function(const FbModelDef* def, int index) {                               \
        return index >= 0 && index < def->n_##list ? def->list[index]->name : NULL; \
    }
DEFINE_HEAD_NAME_AT(static const char*, constraint_name, constraints)
DEFINE_HEAD_NAME_AT(const char*, fb_force_name_at, forces)
DEFINE_HEAD_NAME_AT(const char*, fb_law_name_at, laws)
DEFINE_HEAD_NAME_AT(const char*, fb_sensor_name_at, sensors)

// The name as it would be written in this scope.
static const char* strip_scope(const char* name, const char* scope) {
    size_t n = scope ? strlen(scope) : 0;
    return n && strncmp(name, scope, n) == 0 ? name + n : name;
}

void fb_add_known_names(FbKnownNames* names, const FbSite* s, FbNameAt name_at) {
    const char* name;
    for (int i = 0; names->count < FB_MAX_KNOWN_NAMES && (name = name_at(s->r->def, i)) != NULL;
         i++) {
        names->items[names->count++] = strip_scope(name, s->origin->scope);
    }
}

// "node.joint.q": a part that a structure made, not one that the file names.
static bool is_inner(const char* name) {
    const char* dot = strchr(name, '.');
    return dot && strchr(dot + 1, '.');
}

static void list_names(const FbKnownNames* names, char out[FB_NAMES_HINT]) {
    size_t n = 0;
    int n_listed = 0;
    for (int i = 0; i < names->count && n < FB_NAMES_HINT; i++) {
        if (!is_inner(names->items[i])) {
            n += (size_t)snprintf(out + n, FB_NAMES_HINT - n, "%s%s",
                                  n_listed++ ? ", " : " (known: ", names->items[i]);
        }
    }
    if (n_listed < 2 || n + 2 > FB_NAMES_HINT) {
        out[0] = '\0';  // of no help, or too many
    } else {
        strcpy(out + n, ")");
    }
}

const char* fb_hint_known_names(const FbKnownNames* close, const FbKnownNames* all,
                                const char* word, char out[FB_NAMES_HINT]) {
    if (!fb_suggest(word, close->items, close->count, out)[0]) {
        list_names(all, out);
    }
    return out;
}

static void report_missing(const FbSite* s, const char* kind, const char* word,
                           const FbKnownNames* names) {
    FbPlace place = fb_origin_place(s->origin, s->key);
    char hint[FB_NAMES_HINT];
    if (fb_is_excused(s->r, s->origin->scope, word)) {
        return;
    }
    fb_hint_known_names(names, names, word, hint);
    fb_report(s->r, FB_ERR_NAME, place.line, place.col, "there is no %s '%s'%s", kind, word, hint);
}

static void resolve_body(const FbSite* s, const char** name) {
    FbModelDef* def = s->r->def;
    int index = *name ? fb_def_find_body(def, s->origin->scope, *name) : FB_GROUND;
    int slider = index == FB_NOT_FOUND ? fb_def_find_carriage(def, s->origin->scope, *name) : -1;
    if (index >= 0) {
        *name = def->bodies[index].name;
    } else if (slider >= 0) {
        *name = fb_arena_format(def->arena, "%s.carriage", def->sliders[slider].name);
    } else if (index == FB_NOT_FOUND) {
        FbKnownNames names = {.items = {"ground"}, .count = 1};
        fb_add_known_names(&names, s, body_name);
        report_missing(s, "body", *name, &names);
    }
}

static void resolve_joint(const FbSite* s, const char** name) {
    FbModelDef* def = s->r->def;
    int index = *name ? fb_def_find_joint(def, s->origin->scope, *name) : FB_NOT_FOUND;
    if (index >= 0) {
        *name = def->joints[index].name;
    } else if (*name) {
        FbKnownNames names = {.count = 0};
        fb_add_known_names(&names, s, fb_joint_name_at);
        report_missing(s, "joint", *name, &names);
    }
}

static void resolve_law(const FbSite* s, const char** name) {
    FbModelDef* def = s->r->def;
    int index = *name ? fb_def_find_law(def, s->origin->scope, *name) : FB_NOT_FOUND;
    if (index >= 0) {
        *name = def->laws[index]->name;
    } else if (*name) {
        FbKnownNames names = {.count = 0};
        fb_add_known_names(&names, s, fb_law_name_at);
        report_missing(s, "law", *name, &names);
    }
}

static void resolve_material(const FbSite* s, const char** name) {
    FbModelDef* def = s->r->def;
    int index = *name ? fb_def_find_material(def, s->origin->scope, *name) : FB_NOT_FOUND;
    if (index >= 0) {
        *name = def->materials[index].name;
    } else if (*name) {
        FbKnownNames names = {.count = 0};
        fb_add_known_names(&names, s, material_name);
        report_missing(s, "material", *name, &names);
    }
}

const char* fb_find_part_name(const FbModelDef* def, const char* scope, const char* name) {
    int joint = fb_def_find_joint(def, scope, name);
    int constraint = fb_def_find_constraint(def, scope, name);
    int force = fb_def_find_force(def, scope, name);
    return joint >= 0        ? def->joints[joint].name
           : constraint >= 0 ? def->constraints[constraint]->name
           : force >= 0      ? def->forces[force]->name
                             : NULL;
}

static void resolve_part(const FbSite* s, const char** name) {
    const char* full = *name ? fb_find_part_name(s->r->def, s->origin->scope, *name) : NULL;
    if (full) {
        *name = full;
    } else if (*name) {
        FbKnownNames names = {.count = 0};
        fb_add_known_names(&names, s, fb_joint_name_at);
        fb_add_known_names(&names, s, constraint_name);
        fb_add_known_names(&names, s, fb_force_name_at);
        report_missing(s, "joint, constraint or force", *name, &names);
    }
}

static void check_named_point(const FbSite* s, const FbBodyDef* body, const char* point) {
    FbKnownNames names;
    names.count = 0;
    for (int i = 0; i < body->n_points; i++) {
        if (strcmp(body->points[i].name, point) == 0) {
            return;
        }
        if (names.count < FB_MAX_KNOWN_NAMES) {
            names.items[names.count++] = body->points[i].name;
        }
    }
    FbPlace place = fb_origin_place(s->origin, s->key);
    char hint[FB_NAMES_HINT];
    fb_hint_known_names(&names, &names, point, hint);
    fb_report(s->r, FB_ERR_NAME, place.line, place.col, "body '%s' has no point '%s'%s", body->name,
              point, hint);
}

// "body" or "body.point": the longest name that is a body wins.
static void split_point(const FbSite* s, FbPointDef* p) {
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

static void resolve_point(const FbSite* s, FbPointDef* p) {
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

static void resolve_field(FbSite* s, const FbField* f, void* base) {
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
                s->key = fb_arena_item(s->r->arena, f->key, i);
                resolve_joint(s, &terms[i].coordinate.joint);
            }
            break;
        }
        case FB_FIELD_EXPRESSION:
            fb_resolve_expression(s, at);
            break;
        case FB_FIELD_EXPR3:
            for (int i = 0; i < 3; i++) {
                s->key = fb_arena_item(s->r->arena, f->key, i);
                fb_resolve_expression(s, (const char**)at + i);
            }
            break;
        case FB_FIELD_EXPRESSIONS: {
            const char** texts = *(const char***)at;  // copied, too
            int count = *(int*)((char*)base + f->offset2);
            for (int i = 0; texts && i < count; i++) {
                s->key = fb_arena_item(s->r->arena, f->key, i);
                fb_resolve_expression(s, &texts[i]);
            }
            break;
        }
        default:
            break;
    }
}

static void resolve_fields(FbReader* r, const FbTypeInfo* type, void* base, const FbOrigin* origin,
                           bool is_force) {
    FbSite site = {.r = r, .origin = origin, .has_own_names = is_force};
    for (int i = 0; type && i < type->n_fields; i++) {
        resolve_field(&site, &type->fields[i], base);
    }
}

static void resolve_joint_bodies(FbReader* r, FbJointDef* j) {
    FbSite site = {.r = r, .origin = &j->origin, .key = "between"};
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
    FbSite s = {.r = r, .origin = &initial->origin, .key = "sensor"};
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
    FbKnownNames names = {.count = 0};
    fb_add_known_names(&names, &s, fb_sensor_name_at);
    report_missing(&s, "sensor or output", initial->sensor, &names);
}

static void resolve_released(FbReader* r) {
    const FbSettings* settings = &r->def->settings;
    for (int i = 0; i < settings->n_release; i++) {
        FbSite site = {.r = r, .origin = &r->def->simulation};
        site.key = fb_arena_format(r->arena, "release[%d]", i);
        if (fb_def_find_force(r->def, NULL, settings->release[i]) < 0) {
            FbKnownNames names = {.count = 0};
            fb_add_known_names(&names, &site, fb_force_name_at);
            report_missing(&site, "force", settings->release[i], &names);
        }
    }
}

// The material of a section is the same field whatever the type.
static void resolve_section(FbReader* r, FbSectionDef* section) {
    FbSite site = {.r = r, .origin = &section->origin, .key = "material"};
    resolve_material(&site, &section->material);
}

// Only the loads of a beam come directly from the user.
static void resolve_beam(FbReader* r, FbBeamDef* beam) {
    static const char* const keys[] = {"load[0]", "load[1]", "load[2]"};
    for (int i = 0; i < 3; i++) {
        FbSite site = {.r = r, .origin = &beam->origin, .key = keys[i]};
        fb_resolve_expression(&site, &beam->load[i]);
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

// What a smooth guide passes: a row of nodes, a body, or the nodes of a member.
static const char* full_name_of_item(const FbModelDef* def, const FbSliderDef* slider, int i) {
    const char *name = slider->guide[i], *scope = slider->origin.scope;
    int row = fb_def_find_row(def, scope, name), body = fb_def_find_body(def, scope, name);
    if (row >= 0) {
        return def->rows[row].name;
    }
    return body >= 0 ? def->bodies[body].name
                     : def->beams[fb_def_find_member(def, scope, name)].member;
}

static void resolve_slider(FbReader* r, FbSliderDef* slider) {
    FbError err;
    fb_error_clear(&err);
    resolve_fields(r, &fb_slider_table, slider, &slider->origin, false);
    if (is_guide_excused(r, slider) || slider->n_guide == 0) {
        return;
    }
    FbGuidePoints points;
    FbStatus status = slider->is_through
                          ? fb_slider_calc_points(r->def, slider, r->arena, &points, &err)
                          : fb_slider_calc_guide(r->def, slider, NULL, &err);
    if (status < 0) {
        fb_report(r, err.status, err.place.line, err.place.col, "%s", err.text);
        return;
    }
    const char** guide = (const char**)slider->guide;  // copied into the model's own memory
    for (int i = 0; i < slider->n_guide; i++) {
        guide[i] =
            slider->is_through
                ? full_name_of_item(r->def, slider, i)
                : r->def->beams[fb_def_find_member(r->def, slider->origin.scope, guide[i])].member;
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
