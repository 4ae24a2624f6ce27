// Deep copies of parts into a model's arena, so that the caller's memory may go away.
#include "describe/def_copy.h"

#include <string.h>

static void copy_text(FbModelDef* def, const char** text) {
    *text = fb_arena_text(def->arena, *text);
}

// NULL stays NULL; an empty array becomes NULL.
static void* copy_array(FbModelDef* def, const void* items, int count, size_t item_size) {
    if (!items || count <= 0) {
        return NULL;
    }
    void* copy = fb_arena_take(def->arena, (size_t)count * item_size);
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

void fb_copy_place(FbModelDef* def, FbPlace* place) {
    if (place->file && def->file && strcmp(place->file, def->file) == 0) {
        place->file = def->file;
    } else {
        copy_text(def, &place->file);
    }
}

static void copy_origin(FbModelDef* def, FbOrigin* origin) {
    fb_copy_place(def, &origin->place);
    copy_text(def, &origin->scope);
    FbFieldPlace* fields = copy_array(def, origin->fields, origin->n_fields, sizeof(FbFieldPlace));
    origin->fields = fields;
    if (!fields) {
        origin->n_fields = 0;
    }
    for (int i = 0; i < origin->n_fields; i++) {
        copy_text(def, &fields[i].key);
    }
}

static void copy_point(FbModelDef* def, FbPointDef* point) {
    copy_text(def, &point->body);
    copy_text(def, &point->point);
}

static void copy_frame(FbModelDef* def, FbFrameDef* frame) {
    copy_point(def, &frame->origin);
}

void fb_copy_body(FbModelDef* def, FbBodyDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->color);
    FbShapeDef* shapes = copy_array(def, part->shapes, part->n_shapes, sizeof(FbShapeDef));
    part->shapes = shapes;
    part->n_shapes = shapes ? part->n_shapes : 0;
    for (int i = 0; i < part->n_shapes; i++) {
        copy_text(def, &shapes[i].type);
        copy_origin(def, &shapes[i].origin);
    }
    FbNamedPoint* points = copy_array(def, part->points, part->n_points, sizeof(FbNamedPoint));
    part->points = points;
    part->n_points = points ? part->n_points : 0;
    for (int i = 0; i < part->n_points; i++) {
        copy_text(def, &points[i].name);
    }
    copy_origin(def, &part->origin);
}

void fb_copy_joint(FbModelDef* def, FbJointDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->type);
    copy_text(def, &part->body_a);
    copy_text(def, &part->body_b);
    copy_frame(def, &part->frame_a);
    copy_frame(def, &part->frame_b);
    copy_origin(def, &part->origin);
}

void fb_copy_constraint(FbModelDef* def, FbConstraintDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->type);
    copy_point(def, &part->a);
    copy_point(def, &part->b);
    copy_text(def, &part->coordinate.joint);
    copy_text(def, &part->coordinate_b.joint);
    FbCouplingTerm* terms = copy_array(def, part->terms, part->n_terms, sizeof(FbCouplingTerm));
    part->terms = terms;
    part->n_terms = terms ? part->n_terms : 0;
    for (int i = 0; i < part->n_terms; i++) {
        copy_text(def, &terms[i].coordinate.joint);
    }
    copy_text(def, &part->law);
    copy_text(def, &part->expression);
    copy_origin(def, &part->origin);
}

void fb_copy_force(FbModelDef* def, FbForceDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->type);
    copy_point(def, &part->a);
    copy_point(def, &part->b);
    copy_frame(def, &part->frame_a);
    copy_frame(def, &part->frame_b);
    copy_text(def, &part->coordinate.joint);
    copy_text(def, &part->law);
    copy_text(def, &part->expression);
    for (int i = 0; i < 3; i++) {
        copy_text(def, &part->vector[i]);
    }
    copy_origin(def, &part->origin);
}

void fb_copy_law(FbModelDef* def, FbLawDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->type);
    copy_text(def, &part->expression);
    copy_text(def, &part->outward);
    copy_text(def, &part->inward);
    part->times = copy_array(def, part->times, part->n_points, sizeof(double));
    part->values = copy_array(def, part->values, part->n_points, sizeof(double));
    copy_origin(def, &part->origin);
}

void fb_copy_sensor(FbModelDef* def, FbSensorDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->type);
    copy_point(def, &part->point);
    copy_point(def, &part->relative_to);
    copy_text(def, &part->frame);
    copy_text(def, &part->part);
    copy_text(def, &part->row);
    copy_text(def, &part->column);
    copy_text(def, &part->coordinate.joint);
    copy_text(def, &part->expression);
    copy_text(def, &part->unit);
    copy_text(def, &part->limits);
    copy_origin(def, &part->origin);
}

void fb_copy_state(FbModelDef* def, FbStateDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->rate);
    copy_text(def, &part->unit);
    copy_origin(def, &part->origin);
}

void fb_copy_event(FbModelDef* def, FbEventDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->expression);
    copy_text(def, &part->law);
    copy_text(def, &part->to);
    copy_origin(def, &part->origin);
}

void fb_copy_material(FbModelDef* def, FbMaterialDef* part) {
    copy_text(def, &part->name);
    copy_origin(def, &part->origin);
}

void fb_copy_section(FbModelDef* def, FbSectionDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->type);
    copy_text(def, &part->material);
    copy_origin(def, &part->origin);
}

void fb_copy_beam(FbModelDef* def, FbBeamDef* part) {
    copy_text(def, &part->name);
    copy_text(def, &part->member);
    copy_text(def, &part->body_a);
    copy_text(def, &part->body_b);
    for (int i = 0; i < 3; i++) {
        copy_text(def, &part->load[i]);
    }
    copy_origin(def, &part->origin);
}

void fb_copy_structure(FbModelDef* def, FbStructureDef* part) {
    copy_text(def, &part->name);
    copy_origin(def, &part->origin);
}

void fb_copy_superelement(FbModelDef* def, FbSuperelementDef* part) {
    FbCoordinateDef* coordinates =
        copy_array(def, part->coordinates, part->n, sizeof *part->coordinates);
    copy_text(def, &part->name);
    for (int i = 0; coordinates && i < part->n; i++) {
        copy_text(def, &coordinates[i].joint);
    }
    part->coordinates = coordinates;
    part->rows = copy_array(def, part->rows, part->n_entries, sizeof(int));
    part->cols = copy_array(def, part->cols, part->n_entries, sizeof(int));
    part->mass = copy_array(def, part->mass, part->n_entries, sizeof(double));
    part->damping = copy_array(def, part->damping, part->n_entries, sizeof(double));
    part->stiffness = copy_array(def, part->stiffness, part->n_entries, sizeof(double));
    part->weight = copy_array(def, part->weight, part->n, 3 * sizeof(double));
    copy_origin(def, &part->origin);
}

void fb_copy_slider(FbModelDef* def, FbSliderDef* part) {
    copy_text(def, &part->name);
    const char** guide = copy_array(def, part->guide, part->n_guide, sizeof(const char*));
    part->guide = guide;
    part->n_guide = guide ? part->n_guide : 0;
    for (int i = 0; i < part->n_guide; i++) {
        copy_text(def, &guide[i]);
    }
    copy_text(def, &part->body);
    part->points = copy_array(def, part->points, 3 * part->n_points, sizeof(double));
    copy_text(def, &part->theory);
    copy_text(def, &part->law);
    copy_text(def, &part->expression);
    copy_text(def, &part->state);
    copy_text(def, &part->force);
    copy_origin(def, &part->origin);
}

void fb_copy_damping(FbModelDef* def, FbDampingDef* part) {
    copy_text(def, &part->output);
    copy_text(def, &part->energy);
    copy_text(def, &part->power);
    part->masses = copy_array(def, part->masses, part->n_masses, sizeof(double));
    copy_origin(def, &part->origin);
}

void fb_copy_initial(FbModelDef* def, FbInitialDef* part) {
    copy_text(def, &part->sensor);
    copy_origin(def, &part->origin);
}
