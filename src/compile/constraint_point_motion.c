// Prescribed relative position: a point moves along one direction of another body as a law says.
#include "compile/constraint_types.h"

static bool build(FbBuilder* b, const FbConstraintDef* head, int index) {
    const FbPointMotionDef* def = (const FbPointMotionDef*)head;
    FbLinkFrame point, frame;
    FbVec3 axis;
    if (!def->law && !def->value) {
        fb_compile_error(b, FB_ERR_MODEL, &head->origin, NULL,
                         "point_motion '%s' needs a law or a value", head->name);
        return false;
    }
    if (!fb_compile_point(b, &def->point, &head->origin, "point", &point) ||
        !fb_compile_point(b, &def->relative_to, &head->origin, "relative_to", &frame) ||
        !fb_constraint_direction(b, head, "axis", def->axis, &frame, &axis)) {
        return false;
    }
    FbRow row = fb_constraint_row(b, index, "prescribed position");
    row.offset = def->offset;
    FbTerm term = fb_term_between(FB_TERM_SLIDE, &frame, &point);
    term.a = axis;
    return fb_constraint_law(b, head, def->law, def->value, fb_quantity_of_unit("m"), &row) &&
           fb_constraint_add(b, &row, &term);
}

static const FbField fields[] = {
    FB_CONSTRAINT_POINT(FbPointMotionDef, point, "The driven point."),
    FB_CONSTRAINT_POINT(FbPointMotionDef, relative_to, "The point its position is measured from."),
    FB_CONSTRAINT_AXIS(FbPointMotionDef, axis, relative_to,
                       "Direction of measurement, in the axes of the body of `relative_to`.",
                       "[1, 0, 0]"),
    FB_CONSTRAINT_LAW(FbPointMotionDef),
    FB_CONSTRAINT_REAL(FbPointMotionDef, offset, "m", "0", "Added to the law."),
};

FbPointMotionDef fb_point_motion_def_default(void) {
    FbPointMotionDef def;
    fb_type_fill(&fb_constraint_point_motion.info, &def);
    return def;
}

const FbConstraintType fb_constraint_point_motion = {
    .info = {.name = "point_motion",
             .doc = "The position of a point along one direction of another body follows a law; "
                    "use one constraint per direction.",
             .fields = fields,
             .n_fields = FB_COUNT_OF(fields),
             .size = sizeof(FbPointMotionDef)},
    .build = build,
};
