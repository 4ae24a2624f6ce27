// Prescribed relative position: a point moves along one direction of another body as a law says.
#include "compile/constraint_types.h"

static bool build(FbBuilder* b, const FbConstraintDef* def, int index) {
    FbLinkFrame point, frame;
    FbVec3 axis;
    if (!def->law && !def->expression) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, NULL,
                         "point_motion '%s' needs a law or a value", def->name);
        return false;
    }
    if (!fb_compile_point(b, &def->a, &def->origin, "point", &point) ||
        !fb_compile_point(b, &def->b, &def->origin, "relative_to", &frame) ||
        !fb_constraint_direction(b, def, "axis", def->axis, &frame, &axis)) {
        return false;
    }
    FbRow row = fb_constraint_row(b, index, "prescribed position");
    row.offset = def->offset;
    row.law = fb_compile_law_of(b, def->law, def->expression, &def->origin);
    FbTerm term = fb_term_between(FB_TERM_SLIDE, &frame, &point);
    term.a = axis;
    return row.law != -2 && fb_constraint_check_law(b, def, row.law, "m") &&
           fb_constraint_add(b, &row, &term);
}

static const FbField fields[] = {
    FB_CONSTRAINT_POINT("point", a, "The driven point."),
    FB_CONSTRAINT_POINT("relative_to", b, "The point its position is measured from."),
    FB_CONSTRAINT_AXIS("axis", axis,
                       "Direction of measurement, in the axes of the body of `relative_to`.",
                       "[1, 0, 0]"),
    FB_CONSTRAINT_LAW,
    FB_CONSTRAINT_REAL("offset", offset, "m", "0", "Added to the law."),
};

extern const FbConstraintType fb_constraint_point_motion;
const FbConstraintType fb_constraint_point_motion = {
    .info = {"point_motion",
             "The position of a point along one direction of another body follows a law; use one "
             "constraint per direction.",
             fields, FB_COUNT_OF(fields)},
    .build = build,
};
