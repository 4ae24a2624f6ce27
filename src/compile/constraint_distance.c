// Distance constraint: two points keep their distance, or follow a law.
#include <math.h>

#include "compile/constraint_types.h"

static bool build(FbBuilder* b, const FbConstraintDef* def, int index) {
    FbLinkFrame a, c;
    if (!fb_compile_point(b, &def->a, &def->origin, "a", &a) ||
        !fb_compile_point(b, &def->b, &def->origin, "b", &c)) {
        return false;
    }
    FbRow row = fb_constraint_row(b, index, "distance");
    row.law = fb_compile_law_of(b, def->law, def->expression, &def->origin);
    row.offset =
        row.law >= 0
            ? 0.0
            : def->length;  // NaN: the drawn distance, filled in when the model is complete
    if (row.law >= 0 && !isnan(def->length)) {
        fb_compile_error(
            b, FB_ERR_MODEL, &def->origin, "length",
            "distance '%s' has a length and a law or value over time; give only one of them",
            def->name);
        return false;
    }
    if (row.law == -1 && !isnan(def->length) && !(def->length > 0.0)) {
        fb_compile_error(b, FB_ERR_RANGE, &def->origin, "length",
                         "the length of '%s' is %g m; it must be > 0 (for coinciding points use a "
                         "spherical joint)",
                         def->name, def->length);
        return false;
    }
    FbTerm term = fb_term_between(FB_TERM_DISTANCE, &a, &c);
    return row.law != -2 && fb_constraint_check_law(b, def, row.law, "m") &&
           fb_constraint_add(b, &row, &term);
}

static const FbField fields[] = {
    FB_CONSTRAINT_POINT("a", a, "First point."),
    FB_CONSTRAINT_POINT("b", b, "Second point."),
    FB_CONSTRAINT_REAL("length", length, "m", NULL, "The distance; default: as drawn."),
    FB_CONSTRAINT_LAW,
};

extern const FbConstraintType fb_constraint_distance;
const FbConstraintType fb_constraint_distance = {
    .info = {"distance",
             "A massless rigid rod with ball ends: two points keep a fixed distance, or one that "
             "follows a law.",
             fields, FB_COUNT_OF(fields)},
    .build = build,
};
