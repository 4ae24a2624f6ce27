// Couplings of joint coordinates: gear, rack, any linear relation, and prescribed motion by a law.
#include <string.h>

#include "compile/constraint_types.h"

typedef struct Part {
    const FbCoordinateDef* coordinate;
    const char* key;
    double factor;
} Part;

// sum factor * coordinate - offset - law(t) = 0; the signals that fb_compile_coordinate makes own
// consecutive terms.
static bool couple(FbBuilder* b, const FbConstraintDef* def, int index, const Part* parts, int n,
                   const char* text) {
    FbRow row = fb_constraint_row(b, index, text);
    const char* unit = NULL;  // sums of several coordinates may be of any kind
    row.offset = def->offset;
    row.n_terms = n;
    for (int i = 0; i < n; i++) {
        int signal =
            fb_compile_coordinate(b, parts[i].coordinate, &def->origin, parts[i].key, false);
        if (signal < 0) {
            return false;
        }
        b->m->terms[b->m->signals[signal].term].factor = parts[i].factor;
        unit = n == 1 && parts[i].factor == 1.0 ? b->m->signals[signal].unit : NULL;
    }
    row.law = fb_compile_law_of(b, def->law, def->expression, &def->origin);
    return row.law != -2 && fb_constraint_check_law(b, def, row.law, unit) &&
           fb_compile_row(b, &row) >= 0;
}

static bool is_same_coordinate(const FbCoordinateDef* x, const FbCoordinateDef* y) {
    return x->joint && y->joint && strcmp(x->joint, y->joint) == 0 && x->index == y->index;
}

static bool build_gear(FbBuilder* b, const FbConstraintDef* def, int index) {
    if (is_same_coordinate(&def->coordinate, &def->coordinate_b)) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "b",
                         "gear '%s' couples '%s' with itself; it needs two different coordinates",
                         def->name, def->coordinate.joint);
        return false;
    }
    Part parts[2] = {{&def->coordinate_b, "b", 1.0}, {&def->coordinate, "a", -def->ratio}};
    return couple(b, def, index, parts, 2, "ratio");
}

static bool build_motion(FbBuilder* b, const FbConstraintDef* def, int index) {
    if (!def->law && !def->expression) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, NULL, "motion '%s' needs a law or a value",
                         def->name);
        return false;
    }
    Part part = {&def->coordinate, "joint", 1.0};
    return couple(b, def, index, &part, 1, "prescribed motion");
}

enum { MAX_TERMS = 64 };

static bool build_coupling(FbBuilder* b, const FbConstraintDef* def, int index) {
    Part parts[MAX_TERMS];
    if (def->n_terms < 1 || def->n_terms > MAX_TERMS) {
        fb_compile_error(b, FB_ERR_RANGE, &def->origin, "terms",
                         "coupling '%s' has %d terms; it must have 1 to %d", def->name,
                         def->n_terms, MAX_TERMS);
        return false;
    }
    for (int i = 0; i < def->n_terms; i++) {
        parts[i] = (Part){&def->terms[i].coordinate, "terms", def->terms[i].factor};
    }
    return couple(b, def, index, parts, def->n_terms, "coupling");
}

static const FbField gear_fields[] = {
    FB_CONSTRAINT_COORDINATE("a", coordinate, "Driving coordinate, as `joint` or `joint.q2`."),
    FB_CONSTRAINT_COORDINATE("b", coordinate_b, "Driven coordinate."),
    {.key = "ratio",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbConstraintDef, ratio),
     .unit = "1",
     .min = -__builtin_inf(),
     .max = __builtin_inf(),
     .doc = "b moves `ratio` times as far as a (negative for external gears)."},
    FB_CONSTRAINT_REAL("offset", offset, "rad or m", "0", "Value of b - ratio * a."),
};

static const FbField rack_fields[] = {
    FB_CONSTRAINT_COORDINATE("pinion", coordinate, "Angle of the pinion."),
    FB_CONSTRAINT_COORDINATE("rack", coordinate_b, "Displacement of the rack."),
    {.key = "radius",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbConstraintDef, ratio),
     .unit = "m",
     .min = -__builtin_inf(),
     .max = __builtin_inf(),
     .doc = "Pitch radius: rack displacement per radian; its sign gives the direction."},
    FB_CONSTRAINT_REAL("offset", offset, "m", "0", "Rack displacement at pinion angle 0."),
};

static const FbField motion_fields[] = {
    FB_CONSTRAINT_COORDINATE("joint", coordinate,
                             "The driven coordinate, as `joint` or `joint.q2`."),
    FB_CONSTRAINT_LAW,
};

static const FbField coupling_fields[] = {
    {.key = "terms",
     .kind = FB_FIELD_TERMS,
     .offset = offsetof(FbConstraintDef, terms),
     .offset2 = offsetof(FbConstraintDef, n_terms),
     .unit = "",
     .min = -__builtin_inf(),
     .max = __builtin_inf(),
     .doc = "Coordinates and their factors: {joint: factor, joint.q2: factor}."},
    FB_CONSTRAINT_REAL("offset", offset, "", "0",
                       "The sum of factor * coordinate equals offset plus the law."),
    FB_CONSTRAINT_LAW,
};

extern const FbConstraintType fb_constraint_gear, fb_constraint_rack, fb_constraint_motion,
    fb_constraint_coupling;
const FbConstraintType fb_constraint_gear = {
    .info = {"gear",
             "Two coordinates move in a fixed ratio: gears, belts, differentials of two joints.",
             gear_fields, FB_COUNT_OF(gear_fields)},
    .build = build_gear,
};
const FbConstraintType fb_constraint_rack = {
    .info = {"rack", "A pinion's angle drives a rack's displacement.", rack_fields,
             FB_COUNT_OF(rack_fields)},
    .build = build_gear,
};
const FbConstraintType fb_constraint_motion = {
    .info = {"motion",
             "A joint coordinate follows a law of time; its multiplier is the force this requires.",
             motion_fields, FB_COUNT_OF(motion_fields)},
    .build = build_motion,
};
const FbConstraintType fb_constraint_coupling = {
    .info = {"coupling", "A linear relation between joint coordinates, possibly driven by a law.",
             coupling_fields, FB_COUNT_OF(coupling_fields)},
    .build = build_coupling,
};
