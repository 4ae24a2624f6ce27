// Parts whose types have structs of their own: constraints, forces, laws and sensors. A description
// keeps a pointer to the head of a copy of each.
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "describe/def.h"
#include "describe/def_copy.h"

// All heads begin alike, so that they can be looked at without knowing the kind.
#define BEGINS_LIKE_A_HEAD(Def)                                           \
    _Static_assert(offsetof(Def, name) == offsetof(FbHead, name) &&       \
                       offsetof(Def, type) == offsetof(FbHead, type) &&   \
                       offsetof(Def, size) == offsetof(FbHead, size) &&   \
                       offsetof(Def, origin) == offsetof(FbHead, origin), \
                   "a head begins like an FbHead")
BEGINS_LIKE_A_HEAD(FbConstraintDef);
BEGINS_LIKE_A_HEAD(FbForceDef);
BEGINS_LIKE_A_HEAD(FbLawDef);
BEGINS_LIKE_A_HEAD(FbSensorDef);

const FbTypeInfo* fb_def_constraint_type(const FbModelDef* def, const FbConstraintDef* c) {
    return fb_type_find(def->types.constraints, c->type);
}

const FbTypeInfo* fb_def_force_type(const FbModelDef* def, const FbForceDef* force) {
    return fb_type_find(def->types.forces, force->type);
}

const FbTypeInfo* fb_def_law_type(const FbModelDef* def, const FbLawDef* law) {
    return fb_type_find(def->types.laws, law->type);
}

const FbTypeInfo* fb_def_sensor_type(const FbModelDef* def, const FbSensorDef* sensor) {
    return fb_type_find(def->types.sensors, sensor->type);
}

FbStatus fb_def_fill(const FbTypeInfo* const* types, const char* type, size_t size, void* out,
                     FbError* err) {
    const FbTypeInfo* info = fb_type_find(types, type);
    if (!info || info->size != size) {
        return fb_fail(err, FB_ERR_NAME, NULL, "there is no type '%s' here", type);
    }
    fb_type_fill(info, out);
    return FB_OK;
}

// A part to add, and how parts of its kind are called.
typedef struct Part {
    const char* kind;
    const FbTypeInfo* type;  // NULL: not known; kept all the same, and reported when compiled
    const void* part;
    size_t head_size;
} Part;

// `existing` is the part that has the name already, or NULL.
static FbStatus check(const Part* p, const void* existing, FbError* err) {
    FbHead head, other = {0};
    memcpy(&head, p->part, sizeof head);
    if (existing) {
        memcpy(&other, existing, sizeof other);
    }
    FB_TRY(
        fb_def_check_new(p->kind, head.name, &head.origin, existing ? &other.origin : NULL, err));
    if (p->type && head.size != p->type->size) {
        return fb_fail(
            err, FB_ERR_MODEL, &head.origin.place,
            "%s '%s' is a struct of %zu bytes, but that of type '%s' has %zu; start from "
            "the default function of its type",
            p->kind, head.name, head.size, p->type->name, p->type->size);
    }
    return FB_OK;
}

// Copies the part and lets it be found by its name, as the one with this index; NULL: out of
// memory.
static void* keep(FbModelDef* def, const Part* p, FbNames* names, int index) {
    FbHead head;
    void* copy = fb_copy_part(def->arena, def->file, p->type, p->head_size, p->part);
    if (!copy || fb_arena_has_failed(def->arena)) {
        return NULL;
    }
    memcpy(&head, copy, sizeof head);
    return fb_names_add(names, head.name, index) ? copy : NULL;
}

// Appends to a list of heads; all or nothing.
#define APPEND(def, list, p, err)                                                           \
    do {                                                                                    \
        if (!fb_grow((void**)&(def)->list, &(def)->list##_capacity, (def)->n_##list,        \
                     sizeof *(def)->list)) {                                                \
            return fb_fail_memory(err);                                                     \
        }                                                                                   \
        (def)->list[(def)->n_##list] = keep(def, p, &(def)->list##_names, (def)->n_##list); \
        if (!(def)->list[(def)->n_##list]) {                                                \
            return fb_fail_memory(err);                                                     \
        }                                                                                   \
        (def)->n_##list++;                                                                  \
    } while (0)

// The part of that name in a list of heads, or NULL.
#define EXISTING(def, list, name)                                          \
    ((name) && fb_names_find(&(def)->list##_names, NULL, 0, name) >= 0     \
         ? (def)->list[fb_names_find(&(def)->list##_names, NULL, 0, name)] \
         : NULL)

FbStatus fb_model_def_add_constraint(FbModelDef* def, const FbConstraintDef* c, FbError* err) {
    Part p = {"constraint", fb_def_constraint_type(def, c), c, sizeof *c};
    FB_TRY(check(&p, EXISTING(def, constraints, c->name), err));
    APPEND(def, constraints, &p, err);
    return FB_OK;
}

FbStatus fb_model_def_add_force(FbModelDef* def, const FbForceDef* force, FbError* err) {
    Part p = {"force", fb_def_force_type(def, force), force, sizeof *force};
    FB_TRY(check(&p, EXISTING(def, forces, force->name), err));
    APPEND(def, forces, &p, err);
    return FB_OK;
}

FbStatus fb_model_def_add_law(FbModelDef* def, const FbLawDef* law, FbError* err) {
    Part p = {"law", fb_def_law_type(def, law), law, sizeof *law};
    FB_TRY(check(&p, EXISTING(def, laws, law->name), err));
    if (fb_names_find(&def->inputs_names, NULL, 0, law->name) >= 0) {
        return fb_fail(err, FB_ERR_NAME, &law->origin.place,
                       "the law '%s' has the same name as an input; expressions could not "
                       "distinguish them",
                       law->name);
    }
    APPEND(def, laws, &p, err);
    return FB_OK;
}

FbStatus fb_model_def_add_sensor(FbModelDef* def, const FbSensorDef* sensor, FbError* err) {
    Part p = {"sensor or output", fb_def_sensor_type(def, sensor), sensor, sizeof *sensor};
    FB_TRY(check(&p, EXISTING(def, sensors, sensor->name), err));
    FB_TRY(fb_def_check_value_name(def, "sensor", sensor->name, &sensor->origin, err));
    // What only heads of sensors have; of a part that is not kept, the copies are not missed.
    const char* unit = fb_arena_text(def->arena, sensor->unit);
    const char* limits = fb_arena_text(def->arena, sensor->limits);
    APPEND(def, sensors, &p, err);
    def->sensors[def->n_sensors - 1]->unit = unit;
    def->sensors[def->n_sensors - 1]->limits = limits;
    return FB_OK;
}

int fb_model_def_get_force_count(const FbModelDef* def) {
    return def->n_forces;
}

const FbForceDef* fb_model_def_get_force(const FbModelDef* def, int index) {
    return index >= 0 && index < def->n_forces ? def->forces[index] : NULL;
}

static FbSetCallback* find_callback(const FbModelDef* def, const char* sensor) {
    for (int i = 0; i < def->n_callbacks; i++) {
        if (strcmp(def->callbacks[i].sensor, sensor) == 0) {
            return &def->callbacks[i];
        }
    }
    return NULL;
}

const FbCallback* fb_def_find_callback(const FbModelDef* def, const char* sensor) {
    const FbSetCallback* found = find_callback(def, sensor);
    return found && found->function.calc ? &found->function : NULL;
}

static FbStatus fail_no_callback(const FbModelDef* def, const char* sensor, FbError* err) {
    enum { MOST = 64 };
    const char* names[MOST];
    int n = 0;
    for (int i = 0; i < def->n_sensors && n < MOST; i++) {
        if (strcmp(def->sensors[i]->type, "callback") == 0) {
            names[n++] = def->sensors[i]->name;
        }
    }
    const char* close = fb_did_you_mean(sensor, names, n);
    return fb_fail(err, FB_ERR_NAME, NULL, "there is no sensor '%s' of type callback%s%s%s", sensor,
                   close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
}

FbStatus fb_model_def_set_callback(FbModelDef* def, const char* sensor, const FbCallback* callback,
                                   FbError* err) {
    const FbSensorDef* part = EXISTING(def, sensors, sensor);
    if (!part || strcmp(part->type, "callback") != 0) {
        return fail_no_callback(def, sensor ? sensor : "", err);
    }
    if (callback && !callback->calc) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "the callback of '%s' has no function 'calc'",
                       sensor);
    }
    FbSetCallback* found = find_callback(def, sensor);
    if (!found) {
        if (!fb_grow((void**)&def->callbacks, &def->callbacks_capacity, def->n_callbacks,
                     sizeof *def->callbacks)) {
            return fb_fail_memory(err);
        }
        found = &def->callbacks[def->n_callbacks++];
        found->sensor = part->name;
    }
    found->function = callback ? *callback : (FbCallback){0};
    return FB_OK;
}
