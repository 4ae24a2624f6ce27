// FbModelDef: creating and destroying it, and adding parts, which are checked for names and copied.
#include "describe/def.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "describe/def_copy.h"
#include "describe/kept_mesh.h"
#include "describe/types.h"

FbStatus fb_def_create(const char* name, const FbTypeSet* types, FbModelDef** out, FbError* err) {
    *out = NULL;
    FbModelDef* def = calloc(1, sizeof *def);
    if (!def) {
        return fb_fail_memory(err);
    }
    def->types = *types;
    def->arena = fb_arena_create();
    if (def->arena) {
        def->name = fb_arena_text(def->arena, name ? name : "model");
    }
    if (!def->name) {
        fb_model_def_destroy(def);
        return fb_fail_memory(err);
    }
    def->settings = fb_settings_default();
    def->damping = fb_damping_def_default();
    *out = def;
    return FB_OK;
}

void fb_model_def_destroy(FbModelDef* def) {
    if (!def) {
        return;
    }
    fb_tape_store_release(def->tapes);
    free(def->parameters);
    free(def->bodies);
    free(def->joints);
    free(def->constraints);
    free(def->forces);
    free(def->laws);
    free(def->sensors);
    free(def->callbacks);
    free(def->states);
    free(def->inputs);
    free(def->events);
    free(def->materials);
    free(def->sections);
    free(def->beams);
    free(def->structures);
    for (int i = 0; i < def->n_superelements; i++) {
        fb_kept_mesh_release(def->superelements[i].mesh);
    }
    free(def->superelements);
    free(def->rows);
    free(def->sliders);
    free(def->initials);
    free(def->quantities);
    free((void*)def->files);
    FbNames* names[] = {&def->parameters_names,    &def->bodies_names,     &def->joints_names,
                        &def->constraints_names,   &def->forces_names,     &def->laws_names,
                        &def->sensors_names,       &def->states_names,     &def->events_names,
                        &def->materials_names,     &def->sections_names,   &def->beams_names,
                        &def->members_names,       &def->structures_names, &def->sliders_names,
                        &def->superelements_names, &def->quantities_names, &def->rows_names,
                        &def->inputs_names,        &def->files_names};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fb_names_free(names[i]);
    }
    fb_arena_destroy(def->arena);
    free(def);
}

bool fb_name_is_valid(const char* name) {
    bool is_start = true;
    for (const char* c = name; *c; c++) {
        unsigned char u = (unsigned char)*c;
        if (*c == '.') {
            if (is_start) {
                return false;
            }
            is_start = true;
        } else if (is_start ? !(isalpha(u) || *c == '_') : !(isalnum(u) || *c == '_')) {
            return false;
        } else {
            is_start = false;
        }
    }
    return !is_start;
}

static FbStatus check_name(const char* kind, const char* name, const FbPlace* place, FbError* err) {
    if (!name) {
        return fb_fail(err, FB_ERR_NAME, place, "a %s has no name; every %s needs one", kind, kind);
    }
    if (!fb_name_is_valid(name)) {
        return fb_fail(err, FB_ERR_NAME, place,
                       "'%s' is not a valid name for a %s; use letters, digits and '_', starting "
                       "with a letter",
                       name, kind);
    }
    return FB_OK;
}

FbStatus fb_def_check_new(const char* kind, const char* name, const FbOrigin* origin,
                          const FbOrigin* existing, FbError* err) {
    FB_TRY(check_name(kind, name, &origin->place, err));
    if (existing && existing->place.line > 0) {
        return fb_fail(err, FB_ERR_NAME, &origin->place,
                       "there is already a %s '%s' (in line %d); names must be unique", kind, name,
                       existing->place.line);
    }
    if (existing) {
        return fb_fail(err, FB_ERR_NAME, &origin->place,
                       "there is already a %s '%s'; names must be unique", kind, name);
    }
    return FB_OK;
}

// The origin of the part of that name in a list, or NULL.
#define EXISTING(def, field, part_name)                                                   \
    ((part_name) && fb_names_find(&(def)->field##_names, NULL, 0, part_name) >= 0         \
         ? &(def)->field[fb_names_find(&(def)->field##_names, NULL, 0, part_name)].origin \
         : NULL)

// Sensors, states and inputs are found by their bare names in expressions.
FbStatus fb_def_check_value_name(const FbModelDef* def, const char* kind, const char* name,
                                 const FbOrigin* origin, FbError* err) {
    const char* other = NULL;
    if (fb_names_find(&def->parameters_names, NULL, 0, name) >= 0) {
        other = "a parameter";
    } else if (fb_names_find(&def->sensors_names, NULL, 0, name) >= 0) {
        other = "a sensor or output";
    } else if (fb_names_find(&def->states_names, NULL, 0, name) >= 0) {
        other = "a state";
    } else if (fb_names_find(&def->inputs_names, NULL, 0, name) >= 0) {
        other = "an input";
    } else if (strcmp(name, "t") == 0 || strcmp(name, "pi") == 0 || strcmp(name, "e") == 0) {
        return fb_fail(err, FB_ERR_NAME, &origin->place,
                       "'%s' has a fixed meaning in expressions; give the %s another name", name,
                       kind);
    }
    if (other) {
        return fb_fail(
            err, FB_ERR_NAME, &origin->place,
            "the %s '%s' has the same name as %s; expressions could not distinguish them", kind,
            name, other);
    }
    return FB_OK;
}

// Makes room, copies the struct and lets `copy` replace its pointers; the part is added only if all
// memory was available.
#define APPEND(def, field, part, copy, err)                                             \
    do {                                                                                \
        if (!fb_grow((void**)&(def)->field, &(def)->field##_capacity, (def)->n_##field, \
                     sizeof *(part))) {                                                 \
            return fb_fail_memory(err);                                                 \
        }                                                                               \
        (def)->field[(def)->n_##field] = *(part);                                       \
        copy(def, &(def)->field[(def)->n_##field]);                                     \
        if (fb_arena_has_failed((def)->arena)) {                                        \
            return fb_fail_memory(err);                                                 \
        }                                                                               \
        (def)->n_##field++;                                                             \
    } while (0)

// The same for parts with a name, which is then found by it.
#define APPEND_NAMED(def, field, part, copy, err)                                        \
    do {                                                                                 \
        APPEND(def, field, part, copy, err);                                             \
        int fb_last = (def)->n_##field - 1;                                              \
        if (!fb_names_add(&(def)->field##_names, (def)->field[fb_last].name, fb_last)) { \
            (def)->n_##field--;                                                          \
            return fb_fail_memory(err);                                                  \
        }                                                                                \
        return FB_OK;                                                                    \
    } while (0)

FbStatus fb_model_def_add_body(FbModelDef* def, const FbBodyDef* body, FbError* err) {
    FB_TRY(fb_def_check_new("body", body->name, &body->origin, EXISTING(def, bodies, body->name),
                            err));
    if (strcmp(body->name, "ground") == 0) {
        return fb_fail(err, FB_ERR_NAME, &body->origin.place,
                       "a body is called 'ground', which is predefined; choose another name");
    }
    APPEND_NAMED(def, bodies, body, fb_copy_body, err);
}

FbStatus fb_model_def_add_joint(FbModelDef* def, const FbJointDef* joint, FbError* err) {
    FB_TRY(fb_def_check_new("joint", joint->name, &joint->origin,
                            EXISTING(def, joints, joint->name), err));
    APPEND_NAMED(def, joints, joint, fb_copy_joint, err);
}

// Also catches NaN, which is no limit either.
static FbStatus check_input(const FbInputDef* x, FbError* err) {
    FbPlace value = fb_origin_place(&x->origin, "default");
    FbPlace low = fb_origin_place(&x->origin, "min");
    if (!(x->min <= x->max)) {
        return fb_fail(err, FB_ERR_RANGE, &low,
                       "the limits of input '%s' are %g and %g; min must be at most max", x->name,
                       x->min, x->max);
    }
    if (!(x->value >= x->min && x->value <= x->max) || !isfinite(x->value)) {
        return fb_fail(err, FB_ERR_RANGE, &value,
                       "the default of input '%s' is %g; it must be finite and within its limits "
                       "%g ... %g",
                       x->name, x->value, x->min, x->max);
    }
    return FB_OK;
}

FbStatus fb_model_def_add_state(FbModelDef* def, const FbStateDef* state, FbError* err) {
    FB_TRY(fb_def_check_new("state", state->name, &state->origin,
                            EXISTING(def, states, state->name), err));
    FB_TRY(fb_def_check_value_name(def, "state", state->name, &state->origin, err));
    APPEND_NAMED(def, states, state, fb_copy_state, err);
}

FbStatus fb_model_def_add_input(FbModelDef* def, const FbInputDef* input, FbError* err) {
    FB_TRY(fb_def_check_new("input", input->name, &input->origin,
                            EXISTING(def, inputs, input->name), err));
    FB_TRY(fb_def_check_value_name(def, "input", input->name, &input->origin, err));
    if (fb_names_find(&def->laws_names, NULL, 0, input->name) >= 0) {
        return fb_fail(err, FB_ERR_NAME, &input->origin.place,
                       "the input '%s' has the same name as a law; expressions could not "
                       "distinguish them",
                       input->name);
    }
    FB_TRY(check_input(input, err));
    APPEND_NAMED(def, inputs, input, fb_copy_input, err);
}

FbStatus fb_model_def_add_event(FbModelDef* def, const FbEventDef* event, FbError* err) {
    FB_TRY(fb_def_check_new("event", event->name, &event->origin,
                            EXISTING(def, events, event->name), err));
    APPEND_NAMED(def, events, event, fb_copy_event, err);
}

FbStatus fb_model_def_add_material(FbModelDef* def, const FbMaterialDef* material, FbError* err) {
    FB_TRY(fb_def_check_new("material", material->name, &material->origin,
                            EXISTING(def, materials, material->name), err));
    APPEND_NAMED(def, materials, material, fb_copy_material, err);
}

FbStatus fb_model_def_add_section(FbModelDef* def, const FbSectionDef* section, FbError* err) {
    FB_TRY(fb_def_check_new("section", section->name, &section->origin,
                            EXISTING(def, sections, section->name), err));
    APPEND_NAMED(def, sections, section, fb_copy_section, err);
}

FbStatus fb_model_def_add_superelement(FbModelDef* def, const FbSuperelementDef* element,
                                       FbError* err) {
    FB_TRY(fb_def_check_new("superelement", element->name, &element->origin,
                            EXISTING(def, superelements, element->name), err));
    APPEND_NAMED(def, superelements, element, fb_copy_superelement, err);
}

FbStatus fb_model_def_add_beam(FbModelDef* def, const FbBeamDef* beam, FbError* err) {
    FB_TRY(
        fb_def_check_new("beam", beam->name, &beam->origin, EXISTING(def, beams, beam->name), err));
    const char* member = beam->member ? beam->member : beam->name;
    bool is_first = def->n_beams == 0 || strcmp(def->beams[def->n_beams - 1].member, member) != 0;
    if (is_first && fb_names_find(&def->members_names, NULL, 0, member) >= 0) {
        return fb_fail(err, FB_ERR_NAME, &beam->origin.place,
                       "the elements of member '%s' must be consecutive", member);
    }
    if (is_first &&
        !fb_names_add(&def->members_names, fb_arena_text(def->arena, member), def->n_beams)) {
        return fb_fail_memory(err);
    }
    FbBeamDef part = *beam;
    part.member = member;
    APPEND_NAMED(def, beams, &part, fb_copy_beam, err);
}

FbStatus fb_def_append_structure(FbModelDef* def, const FbStructureDef* structure, FbError* err) {
    FB_TRY(fb_def_check_new("structure", structure->name, &structure->origin,
                            EXISTING(def, structures, structure->name), err));
    FbStructureDef part = *structure;
    part.nodes = NULL;
    part.members = NULL;
    part.n_nodes = part.n_members = 0;
    APPEND_NAMED(def, structures, &part, fb_copy_structure, err);
}

static void copy_row(FbModelDef* def, FbNodeRow* row) {
    int* bodies = FB_TAKE(def->arena, int, row->n + 1);
    if (bodies) {
        memcpy(bodies, row->bodies, sizeof(int) * (size_t)row->n);
    }
    row->name = fb_arena_text(def->arena, row->name);
    row->bodies = bodies;
    row->n = bodies ? row->n : 0;
}

static FbStatus append_row(FbModelDef* def, const FbNodeRow* row, FbError* err) {
    APPEND_NAMED(def, rows, row, copy_row, err);
}

FbStatus fb_def_append_row(FbModelDef* def, const char* name, const int* bodies, int n,
                           FbError* err) {
    return append_row(def, &(FbNodeRow){.name = name, .bodies = bodies, .n = n}, err);
}

FbStatus fb_def_append_slider(FbModelDef* def, const FbSliderDef* slider, FbError* err) {
    FB_TRY(fb_def_check_new("slider", slider->name, &slider->origin,
                            EXISTING(def, sliders, slider->name), err));
    APPEND_NAMED(def, sliders, slider, fb_copy_slider, err);
}

FbStatus fb_model_def_add_initial(FbModelDef* def, const FbInitialDef* initial, FbError* err) {
    if (!initial->sensor || !isfinite(initial->value)) {
        return fb_fail(err, FB_ERR_RANGE, &initial->origin.place,
                       "an initial condition needs a sensor and a finite value");
    }
    APPEND(def, initials, initial, fb_copy_initial, err);
    return FB_OK;
}

static void copy_parameter(FbModelDef* def, FbParameter* parameter) {
    parameter->name = fb_arena_text(def->arena, parameter->name);
    fb_copy_place(def, &parameter->place);
}

static FbStatus append_parameter(FbModelDef* def, const FbParameter* parameter, FbError* err) {
    APPEND_NAMED(def, parameters, parameter, copy_parameter, err);
}

FbStatus fb_model_def_set_parameter(FbModelDef* def, const char* name, double value, FbError* err) {
    FB_TRY(check_name("parameter", name, NULL, err));
    int found = fb_names_find(&def->parameters_names, NULL, 0, name);
    if (found >= 0) {
        def->parameters[found].value = value;
        return FB_OK;
    }
    FbOrigin origin = {0};
    FB_TRY(fb_def_check_value_name(def, "parameter", name, &origin, err));
    return append_parameter(def, &(FbParameter){.name = name, .value = value}, err);
}

void fb_model_def_set_gravity(FbModelDef* def, const double gravity[3]) {
    memcpy(def->gravity, gravity, sizeof def->gravity);
}

void fb_model_def_keep_meshes(FbModelDef* def, FbMeshKeeping keeping) {
    def->keeps = keeping;
}

void fb_model_def_set_settings(FbModelDef* def, const FbSettings* settings) {
    const char* integrator = settings->integrator ? settings->integrator : "auto";
    const char* copy = fb_arena_text(def->arena, integrator);
    def->settings = *settings;
    def->settings.integrator = copy ? copy : "auto";
    def->settings.start_output = fb_arena_text(def->arena, settings->start_output);
    fb_copy_texts(def->arena, settings->release, settings->n_release, &def->settings.release);
    def->settings.n_release = def->settings.release ? settings->n_release : 0;
}

const FbSettings* fb_model_def_get_settings(const FbModelDef* def) {
    return &def->settings;
}

static FbStatus check_damping(const FbDampingDef* d, FbError* err) {
    FbPlace place = fb_origin_place(&d->origin, "masses");
    bool is_pair = d->n_masses == 2 && d->masses[0] > 0.0 && d->masses[1] > d->masses[0];
    if (d->n_masses != 0 && !is_pair) {
        return fb_fail(
            err, FB_ERR_RANGE, &place,
            "masses of 'damping' must be the smallest and the largest modal mass, 0 < m1 < m2");
    }
    if (d->n_masses != 0 && !isnan(d->bound)) {
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "'damping' has both 'masses' and 'bound'; give only one of them");
    }
    return FB_OK;
}

FbStatus fb_model_def_set_damping(FbModelDef* def, const FbDampingDef* damping, FbError* err) {
    FB_TRY(check_damping(damping, err));
    def->damping = *damping;
    fb_copy_damping(def, &def->damping);
    return fb_arena_has_failed(def->arena) ? fb_fail_memory(err) : FB_OK;
}

const char* fb_model_def_get_name(const FbModelDef* def) {
    return def->name;
}

int fb_model_def_get_body_count(const FbModelDef* def) {
    return def->n_bodies;
}

const FbBodyDef* fb_model_def_get_body(const FbModelDef* def, int index) {
    return index >= 0 && index < def->n_bodies ? &def->bodies[index] : NULL;
}

int fb_model_def_get_joint_count(const FbModelDef* def) {
    return def->n_joints;
}

const FbJointDef* fb_model_def_get_joint(const FbModelDef* def, int index) {
    return index >= 0 && index < def->n_joints ? &def->joints[index] : NULL;
}

FbPlace fb_origin_place(const FbOrigin* origin, const char* key) {
    for (int i = 0; key && i < origin->n_fields; i++) {
        if (strcmp(origin->fields[i].key, key) == 0) {
            return (FbPlace){origin->place.file, origin->fields[i].line, origin->fields[i].col};
        }
    }
    return origin->place;
}

double fb_def_limit(const FbModelDef* def, double usual) {
    return def && def->size_limit > 0.0 ? usual * def->size_limit : usual;
}
