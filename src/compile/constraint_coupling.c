// Couplings of joint coordinates: gear, rack, any linear relation, and prescribed motion by a law.
#include <string.h>

#include "compile/constraint_types.h"

typedef struct Part {
    const FbCoordinateDef* coordinate;
    const char* key;
    double factor;
    FbQuantity quantity;  // of the factor; not known where its unit may have been omitted
} Part;

// sum factor * coordinate - offset - law(t) = 0; the signals that fb_compile_coordinate makes own
// consecutive terms.
typedef struct Relation {
    const Part* parts;
    int n;
    double offset;
    const char *law, *value;
    const char* text;  // of its row
} Relation;

// What factor * coordinate is, as far as that is known; the terms of a sum must agree.
static bool add_quantity(FbBuilder* b, const FbConstraintDef* head, const Part* part, int signal,
                         FbQuantity* sum) {
    FbQuantity coordinate = fb_quantity_of_unit(b->m->signals[signal].unit);
    FbQuantity term = fb_quantity_times(coordinate, part->quantity, 1.0);
    if (fb_quantity_contradicts(*sum, term)) {
        char found[96], wanted[96];
        fb_quantity_format(term, found, sizeof found);
        fb_quantity_format(*sum, wanted, sizeof wanted);
        fb_compile_error(b, FB_ERR_UNIT, &head->origin, part->key,
                         "factor times coordinate '%s' is %s, but %s in the terms before it",
                         part->coordinate->joint, found, wanted);
        return false;
    }
    *sum = fb_quantity_merge(*sum, term);
    return true;
}

static bool couple(FbBuilder* b, const FbConstraintDef* head, int index, const Relation* r) {
    FbRow row = fb_constraint_row(b, index, r->text);
    FbQuantity sum = {0};
    row.offset = r->offset;
    row.n_terms = r->n;
    for (int i = 0; i < r->n; i++) {
        const Part* part = &r->parts[i];
        int signal = fb_compile_coordinate(b, part->coordinate, &head->origin, part->key, false);
        if (signal < 0 || !add_quantity(b, head, part, signal, &sum)) {
            return false;
        }
        b->m->terms[b->m->signals[signal].term].factor = part->factor;
    }
    return fb_compile_check_written(b, sum, &head->origin, "offset") &&
           fb_constraint_law(b, head, r->law, r->value, sum, &row) && fb_compile_row(b, &row) >= 0;
}

static bool is_same_coordinate(const FbCoordinateDef* x, const FbCoordinateDef* y) {
    return x->joint && y->joint && strcmp(x->joint, y->joint) == 0 && x->index == y->index;
}

// The driven coordinate comes first.
static bool couple_pair(FbBuilder* b, const FbConstraintDef* head, int index, const Part parts[2],
                        double offset) {
    if (is_same_coordinate(parts[0].coordinate, parts[1].coordinate)) {
        fb_compile_error(b, FB_ERR_MODEL, &head->origin, parts[0].key,
                         "%s '%s' couples '%s' with itself; it needs two different coordinates",
                         head->type, head->name, parts[0].coordinate->joint);
        return false;
    }
    Relation r = {.parts = parts, .n = 2, .offset = offset, .text = "ratio"};
    return couple(b, head, index, &r);
}

static bool build_gear(FbBuilder* b, const FbConstraintDef* head, int index) {
    const FbGearDef* def = (const FbGearDef*)head;
    Part parts[2] = {{&def->b, "b", 1.0, fb_quantity_pure()}, {&def->a, "a", -def->ratio, {0}}};
    return couple_pair(b, head, index, parts, def->offset);
}

static bool build_rack(FbBuilder* b, const FbConstraintDef* head, int index) {
    const FbRackDef* def = (const FbRackDef*)head;
    Part parts[2] = {{&def->rack, "rack", 1.0, fb_quantity_pure()},
                     {&def->pinion, "pinion", -def->radius, {0}}};
    return couple_pair(b, head, index, parts, def->offset);
}

static bool build_motion(FbBuilder* b, const FbConstraintDef* head, int index) {
    const FbMotionDef* def = (const FbMotionDef*)head;
    if (!def->law && !def->value) {
        fb_compile_error(b, FB_ERR_MODEL, &head->origin, NULL, "motion '%s' needs a law or a value",
                         head->name);
        return false;
    }
    Part part = {&def->joint, "joint", 1.0, fb_quantity_pure()};
    Relation r = {
        .parts = &part, .n = 1, .law = def->law, .value = def->value, .text = "prescribed motion"};
    return couple(b, head, index, &r);
}

enum { MAX_TERMS = 64 };

static bool build_coupling(FbBuilder* b, const FbConstraintDef* head, int index) {
    const FbCouplingDef* def = (const FbCouplingDef*)head;
    Part parts[MAX_TERMS];
    if (def->n_terms < 1 || def->n_terms > MAX_TERMS) {
        fb_compile_error(b, FB_ERR_RANGE, &head->origin, "terms",
                         "coupling '%s' has %d terms; it must have 1 to %d", head->name,
                         def->n_terms, MAX_TERMS);
        return false;
    }
    for (int i = 0; i < def->n_terms; i++) {
        const char* key = fb_arena_format(b->m->arena, "terms[%d]", i);
        FbQuantity quantity = fb_def_find_quantity(b->def, &head->origin, key);
        parts[i] =
            (Part){&def->terms[i].coordinate, key ? key : "", def->terms[i].factor, quantity};
    }
    if (def->n_terms == 1 && parts[0].factor == 1.0) {
        parts[0].quantity = fb_quantity_pure();
    }
    Relation r = {.parts = parts,
                  .n = def->n_terms,
                  .offset = def->offset,
                  .law = def->law,
                  .value = def->value,
                  .text = "coupling"};
    return couple(b, head, index, &r);
}

static const FbField gear_fields[] = {
    FB_CONSTRAINT_COORDINATE(FbGearDef, a, "Driving coordinate, as `joint` or `joint.q2`."),
    FB_CONSTRAINT_COORDINATE(FbGearDef, b, "Driven coordinate."),
    {.key = "ratio",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbGearDef, ratio),
     .unit = "1",
     .min = -__builtin_inf(),
     .max = __builtin_inf(),
     .doc = "b moves `ratio` times as far as a (negative for external gears)."},
    FB_CONSTRAINT_REAL(FbGearDef, offset, "rad or m", "0", "Value of b - ratio * a."),
};

static const FbField rack_fields[] = {
    FB_CONSTRAINT_COORDINATE(FbRackDef, pinion, "Angle of the pinion."),
    FB_CONSTRAINT_COORDINATE(FbRackDef, rack, "Displacement of the rack."),
    {.key = "radius",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbRackDef, radius),
     .unit = "m",
     .min = -__builtin_inf(),
     .max = __builtin_inf(),
     .doc = "Pitch radius: rack displacement per radian; its sign gives the direction."},
    FB_CONSTRAINT_REAL(FbRackDef, offset, "m", "0", "Rack displacement at pinion angle 0."),
};

static const FbField motion_fields[] = {
    FB_CONSTRAINT_COORDINATE(FbMotionDef, joint,
                             "The driven coordinate, as `joint` or `joint.q2`."),
    FB_CONSTRAINT_LAW(FbMotionDef),
};

static const FbField coupling_fields[] = {
    {.key = "terms",
     .kind = FB_FIELD_TERMS,
     .offset = offsetof(FbCouplingDef, terms),
     .offset2 = offsetof(FbCouplingDef, n_terms),
     .unit = "",
     .min = -__builtin_inf(),
     .max = __builtin_inf(),
     .doc = "Coordinates and their factors: {joint: factor, joint.q2: factor}."},
    FB_CONSTRAINT_REAL(FbCouplingDef, offset, "", "0",
                       "The sum of factor * coordinate equals offset plus the law."),
    FB_CONSTRAINT_LAW(FbCouplingDef),
};

FbGearDef fb_gear_def_default(void) {
    FbGearDef def;
    fb_type_fill(&fb_constraint_gear.info, &def);
    return def;
}

FbRackDef fb_rack_def_default(void) {
    FbRackDef def;
    fb_type_fill(&fb_constraint_rack.info, &def);
    return def;
}

FbMotionDef fb_motion_def_default(void) {
    FbMotionDef def;
    fb_type_fill(&fb_constraint_motion.info, &def);
    return def;
}

FbCouplingDef fb_coupling_def_default(void) {
    FbCouplingDef def;
    fb_type_fill(&fb_constraint_coupling.info, &def);
    return def;
}

const FbConstraintType fb_constraint_gear = {
    .info = {.name = "gear",
             .doc = "Two coordinates move in a fixed ratio: gears, belts, differentials of two "
                    "joints.",
             .fields = gear_fields,
             .n_fields = FB_COUNT_OF(gear_fields),
             .size = sizeof(FbGearDef)},
    .build = build_gear,
};
const FbConstraintType fb_constraint_rack = {
    .info = {.name = "rack",
             .doc = "A pinion's angle drives a rack's displacement.",
             .fields = rack_fields,
             .n_fields = FB_COUNT_OF(rack_fields),
             .size = sizeof(FbRackDef)},
    .build = build_rack,
};
const FbConstraintType fb_constraint_motion = {
    .info =
        {.name = "motion",
         .doc =
             "A joint coordinate follows a law of time; its multiplier is the force this requires.",
         .fields = motion_fields,
         .n_fields = FB_COUNT_OF(motion_fields),
         .size = sizeof(FbMotionDef)},
    .build = build_motion,
};
const FbConstraintType fb_constraint_coupling = {
    .info = {.name = "coupling",
             .doc = "A linear relation between joint coordinates, possibly driven by a law.",
             .fields = coupling_fields,
             .n_fields = FB_COUNT_OF(coupling_fields),
             .size = sizeof(FbCouplingDef)},
    .build = build_coupling,
};
