// Distance constraint: two points keep their distance, or follow a law.
#include <math.h>

#include "compile/constraint_types.h"
#include "compile/part_build.h"

static bool build(FbBuilder* b, const FbConstraintDef* head, int index) {
    const FbDistanceDef* def = (const FbDistanceDef*)head;
    FbLinkFrame a, c;
    if (!fb_compile_point(b, &def->a, &head->origin, "a", &a) ||
        !fb_compile_point(b, &def->b, &head->origin, "b", &c)) {
        return false;
    }
    FbRow row = fb_constraint_row(b, index, "distance");
    if (!fb_constraint_law(b, head, def->law, def->value, fb_quantity_of_unit("m"), &row)) {
        return false;
    }
    row.offset =
        row.law >= 0
            ? 0.0
            : def->length;  // NaN: the drawn distance, filled in when the model is complete
    if (row.law >= 0 && !isnan(def->length)) {
        fb_compile_error(
            b, FB_ERR_MODEL, &head->origin, "length",
            "distance '%s' has a length and a law or value over time; give only one of them",
            head->name);
        return false;
    }
    if (row.law == -1 && !isnan(def->length) && !(def->length > 0.0)) {
        fb_compile_error(b, FB_ERR_RANGE, &head->origin, "length",
                         "the length of '%s' is %g m; it must be > 0 (for coinciding points use a "
                         "spherical joint)",
                         head->name, def->length);
        return false;
    }
    FbTerm term = fb_term_between(FB_TERM_DISTANCE, &a, &c);
    return fb_constraint_add(b, &row, &term);
}

static bool draw(FbBuilder* b, const FbConstraintDef* head, FbDrawnPair* out) {
    const FbDistanceDef* def = (const FbDistanceDef*)head;
    return fb_draw_pair(b, &def->a, &def->b, &head->origin, out);
}

static const FbField fields[] = {
    FB_CONSTRAINT_POINT(FbDistanceDef, a, "First point."),
    FB_CONSTRAINT_POINT(FbDistanceDef, b, "Second point."),
    FB_CONSTRAINT_REAL(FbDistanceDef, length, "m", NULL, "The distance; default: as drawn."),
    FB_CONSTRAINT_LAW(FbDistanceDef),
};

FbDistanceDef fb_distance_def_default(void) {
    FbDistanceDef def;
    fb_type_fill(&fb_constraint_distance.info, &def);
    return def;
}

const FbConstraintType fb_constraint_distance = {
    .info = {.name = "distance",
             .doc = "A massless rigid rod with ball ends: two points keep a fixed distance, or one "
                    "that follows a law.",
             .fields = fields,
             .n_fields = FB_COUNT_OF(fields),
             .size = sizeof(FbDistanceDef)},
    .build = build,
    .draw = draw,
};
