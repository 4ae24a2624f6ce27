// Deep copies of parts into a model's arena, so that the caller's memory may go away.
#include "describe/def_copy.h"

#include <string.h>

#include "describe/kept_mesh.h"

static void copy_text(FbArena* arena, const char** text) {
    *text = fb_arena_text(arena, *text);
}

// NULL stays NULL; an empty array becomes NULL.
static void* copy_array(FbArena* arena, const void* items, int count, size_t item_size) {
    if (!items || count <= 0) {
        return NULL;
    }
    void* copy = fb_arena_take(arena, (size_t)count * item_size);
    if (copy) {
        memcpy(copy, items, (size_t)count * item_size);
    }
    return copy;
}

void fb_copy_texts(FbArena* arena, const char* const* texts, int n, const char* const** out) {
    const char** copy = n > 0 ? FB_TAKE(arena, const char*, n) : NULL;
    for (int i = 0; copy && i < n; i++) {
        copy[i] = fb_arena_text(arena, texts[i]);
    }
    *out = copy;
}

static void copy_place(FbArena* arena, const char* file, FbPlace* place) {
    bool is_same = place->file && file && strcmp(place->file, file) == 0;
    place->file = is_same ? file : fb_arena_text(arena, place->file);
}

void fb_copy_place(FbModelDef* def, FbPlace* place) {
    copy_place(def->arena, def->file, place);
}

void fb_copy_origin(FbArena* arena, const char* file, FbOrigin* origin) {
    copy_place(arena, file, &origin->place);
    copy_text(arena, &origin->scope);
    FbFieldPlace* fields =
        copy_array(arena, origin->fields, origin->n_fields, sizeof(FbFieldPlace));
    origin->fields = fields;
    if (!fields) {
        origin->n_fields = 0;
    }
    for (int i = 0; i < origin->n_fields; i++) {
        copy_text(arena, &fields[i].key);
    }
}

static void copy_origin(FbModelDef* def, FbOrigin* origin) {
    fb_copy_origin(def->arena, def->file, origin);
}

static void copy_point(FbArena* arena, FbPointDef* point) {
    copy_text(arena, &point->body);
    copy_text(arena, &point->point);
}

static void copy_list(FbArena* arena, void* at, int count, size_t item_size) {
    void** list = at;
    *list = copy_array(arena, *list, count, item_size);
}

static void copy_terms(FbArena* arena, void* at, int count) {
    copy_list(arena, at, count, sizeof(FbCouplingTerm));
    FbCouplingTerm* terms = *(FbCouplingTerm**)at;
    for (int i = 0; terms && i < count; i++) {
        copy_text(arena, &terms[i].coordinate.joint);
    }
}

static void copy_texts(FbArena* arena, const char* const** texts, int count) {
    fb_copy_texts(arena, *texts, *texts ? count : 0, texts);
}

// What a field points to. A list that is empty becomes NULL, whatever its count.
static void copy_field(FbArena* arena, const FbField* f, void* part) {
    void* at = (char*)part + f->offset;
    const int* count = (const int*)((char*)part + f->offset2);
    switch (f->kind) {
        case FB_FIELD_TEXT:
        case FB_FIELD_EXPRESSION:
        case FB_FIELD_BODY:
        case FB_FIELD_JOINT:
        case FB_FIELD_PART:
        case FB_FIELD_LAW:
        case FB_FIELD_MATERIAL:
            copy_text(arena, at);
            break;
        case FB_FIELD_EXPR3:
            for (int i = 0; i < 3; i++) {
                copy_text(arena, (const char**)at + i);
            }
            break;
        case FB_FIELD_CHOICE:
            if (f->is_text_choice) {
                copy_text(arena, at);
            }
            break;
        case FB_FIELD_POINT:
            copy_point(arena, at);
            break;
        case FB_FIELD_FRAME:
            copy_point(arena, &((FbFrameDef*)at)->origin);
            break;
        case FB_FIELD_COORDINATE:
            copy_text(arena, &((FbCoordinateDef*)at)->joint);
            break;
        case FB_FIELD_REALS:
            copy_list(arena, at, *count, sizeof(double));
            break;
        case FB_FIELD_POINTS:
            copy_list(arena, at, *count, 3 * sizeof(double));
            break;
        case FB_FIELD_TERMS:
            copy_terms(arena, at, *count);
            break;
        case FB_FIELD_TEXTS:
        case FB_FIELD_EXPRESSIONS:
        case FB_FIELD_MEMBERS:
            copy_texts(arena, at, *count);
            break;
        case FB_FIELD_REAL:
        case FB_FIELD_INT:
        case FB_FIELD_BOOL:
        case FB_FIELD_VEC3:
        case FB_FIELD_ROTATION:
        case FB_FIELD_COMPONENT:
        case FB_FIELD_REALS6:
            break;  // in the struct itself
    }
}

void* fb_copy_part(FbArena* arena, const char* file, const FbTypeInfo* type, size_t head_size,
                   const void* part) {
    size_t size = type ? type->size : head_size;
    void* copy = fb_arena_take(arena, size);
    if (!copy) {
        return NULL;
    }
    FbHead head;
    memcpy(copy, part, size);
    memcpy(&head, part, sizeof head);
    copy_text(arena, &head.name);
    copy_text(arena, &head.type);
    fb_copy_origin(arena, file, &head.origin);
    memcpy(copy, &head, sizeof head);
    for (int i = 0; type && i < type->n_fields; i++) {
        copy_field(arena, &type->fields[i], copy);
    }
    return copy;
}

void fb_copy_body(FbModelDef* def, FbBodyDef* part) {
    copy_text(def->arena, &part->name);
    copy_text(def->arena, &part->color);
    FbShapeDef* shapes = copy_array(def->arena, part->shapes, part->n_shapes, sizeof(FbShapeDef));
    part->shapes = shapes;
    part->n_shapes = shapes ? part->n_shapes : 0;
    for (int i = 0; i < part->n_shapes; i++) {
        copy_text(def->arena, &shapes[i].type);
        copy_text(def->arena, &shapes[i].file);
        copy_origin(def, &shapes[i].origin);
    }
    FbNamedPoint* points =
        copy_array(def->arena, part->points, part->n_points, sizeof(FbNamedPoint));
    part->points = points;
    part->n_points = points ? part->n_points : 0;
    for (int i = 0; i < part->n_points; i++) {
        copy_text(def->arena, &points[i].name);
    }
    copy_origin(def, &part->origin);
}

void fb_copy_joint(FbModelDef* def, FbJointDef* part) {
    copy_text(def->arena, &part->name);
    copy_text(def->arena, &part->type);
    copy_text(def->arena, &part->body_a);
    copy_text(def->arena, &part->body_b);
    copy_point(def->arena, &part->frame_a.origin);
    copy_point(def->arena, &part->frame_b.origin);
    copy_origin(def, &part->origin);
}

void fb_copy_state(FbModelDef* def, FbStateDef* part) {
    copy_text(def->arena, &part->name);
    copy_text(def->arena, &part->rate);
    copy_text(def->arena, &part->unit);
    copy_origin(def, &part->origin);
}

void fb_copy_input(FbModelDef* def, FbInputDef* part) {
    copy_text(def->arena, &part->name);
    copy_text(def->arena, &part->unit);
    copy_origin(def, &part->origin);
}

void fb_copy_event(FbModelDef* def, FbEventDef* part) {
    copy_text(def->arena, &part->name);
    copy_text(def->arena, &part->expression);
    copy_text(def->arena, &part->law);
    copy_text(def->arena, &part->to);
    copy_origin(def, &part->origin);
}

void fb_copy_material(FbModelDef* def, FbMaterialDef* part) {
    copy_text(def->arena, &part->name);
    copy_origin(def, &part->origin);
}

void fb_copy_section(FbModelDef* def, FbSectionDef* part) {
    copy_text(def->arena, &part->name);
    copy_text(def->arena, &part->type);
    copy_text(def->arena, &part->material);
    copy_origin(def, &part->origin);
}

void fb_copy_beam(FbModelDef* def, FbBeamDef* part) {
    copy_text(def->arena, &part->name);
    copy_text(def->arena, &part->member);
    copy_text(def->arena, &part->body_a);
    copy_text(def->arena, &part->body_b);
    for (int i = 0; i < 3; i++) {
        copy_text(def->arena, &part->load[i]);
    }
    copy_origin(def, &part->origin);
}

void fb_copy_structure(FbModelDef* def, FbStructureDef* part) {
    copy_text(def->arena, &part->name);
    copy_origin(def, &part->origin);
}

void fb_copy_superelement(FbModelDef* def, FbSuperelementDef* part) {
    FbCoordinateDef* coordinates =
        copy_array(def->arena, part->coordinates, part->n, sizeof *part->coordinates);
    copy_text(def->arena, &part->name);
    for (int i = 0; coordinates && i < part->n; i++) {
        copy_text(def->arena, &coordinates[i].joint);
    }
    part->coordinates = coordinates;
    part->rows = copy_array(def->arena, part->rows, part->n_entries, sizeof(int));
    part->cols = copy_array(def->arena, part->cols, part->n_entries, sizeof(int));
    part->mass = copy_array(def->arena, part->mass, part->n_entries, sizeof(double));
    part->damping = copy_array(def->arena, part->damping, part->n_entries, sizeof(double));
    part->stiffness = copy_array(def->arena, part->stiffness, part->n_entries, sizeof(double));
    part->weight = copy_array(def->arena, part->weight, part->n, 3 * sizeof(double));
    FbSuperelementLoadDef* loads =
        copy_array(def->arena, part->loads, part->n_loads, sizeof *part->loads);
    for (int i = 0; loads && i < part->n_loads; i++) {
        copy_text(def->arena, &loads[i].name);
        copy_text(def->arena, &loads[i].value);
        copy_text(def->arena, &loads[i].unit);
        copy_text(def->arena, &loads[i].key);
        loads[i].forces = copy_array(def->arena, loads[i].forces, part->n, sizeof(double));
        copy_origin(def, &loads[i].origin);
    }
    part->loads = loads;
    FbSuperelementPlaceDef* places =
        copy_array(def->arena, part->places, part->n_places, sizeof *part->places);
    for (int i = 0; places && i < part->n_places; i++) {
        int n = places[i].n_values;
        copy_text(def->arena, &places[i].name);
        places[i].rows = copy_array(def->arena, places[i].rows, part->n * n, sizeof(double));
        places[i].by_gravity = copy_array(def->arena, places[i].by_gravity, 3 * n, sizeof(double));
        places[i].by_load =
            copy_array(def->arena, places[i].by_load, part->n_loads * n, sizeof(double));
        copy_origin(def, &places[i].origin);
    }
    part->places = places;
    part->load_factors =
        copy_array(def->arena, part->load_factors, part->n_load_factors, sizeof(double));
    part->mesh = fb_kept_mesh_retain(part->mesh);
    copy_origin(def, &part->origin);
}

void fb_copy_slider(FbModelDef* def, FbSliderDef* part) {
    copy_text(def->arena, &part->name);
    const char** guide = copy_array(def->arena, part->guide, part->n_guide, sizeof(const char*));
    part->guide = guide;
    part->n_guide = guide ? part->n_guide : 0;
    for (int i = 0; i < part->n_guide; i++) {
        copy_text(def->arena, &guide[i]);
    }
    copy_text(def->arena, &part->body);
    part->points = copy_array(def->arena, part->points, 3 * part->n_points, sizeof(double));
    copy_text(def->arena, &part->theory);
    copy_text(def->arena, &part->law);
    copy_text(def->arena, &part->expression);
    copy_text(def->arena, &part->state);
    copy_text(def->arena, &part->force);
    copy_origin(def, &part->origin);
}

void fb_copy_damping(FbModelDef* def, FbDampingDef* part) {
    copy_text(def->arena, &part->output);
    copy_text(def->arena, &part->energy);
    copy_text(def->arena, &part->power);
    part->masses = copy_array(def->arena, part->masses, part->n_masses, sizeof(double));
    copy_origin(def, &part->origin);
}

void fb_copy_initial(FbModelDef* def, FbInitialDef* part) {
    copy_text(def->arena, &part->sensor);
    copy_origin(def, &part->origin);
}
