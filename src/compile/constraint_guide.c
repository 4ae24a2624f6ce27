// Point on a line and point on a plane: one point slides along a guide that is fixed in the other
// body.
#include "compile/constraint_types.h"
#include "math/rotation.h"

bool fb_constraint_direction(FbBuilder* b, const FbConstraintDef* head, const char* key,
                             const double axis[3], const FbLinkFrame* frame, FbVec3* out) {
    FbVec3 d = fb_vec3_from(axis);
    double n = fb_norm(d);
    if (!(n > 1e-12) || !isfinite(n)) {
        fb_compile_error(b, FB_ERR_RANGE, &head->origin, key,
                         "the %s of '%s' is [%g, %g, %g]; it must not be zero", key, head->name,
                         d.x, d.y, d.z);
        return false;
    }
    *out = fb_mul3(&frame->R, fb_scale(1.0 / n, d));
    return true;
}

static bool add_slide(FbBuilder* b, int index, const FbLinkFrame* guide, const FbLinkFrame* point,
                      FbVec3 axis, const char* text) {
    FbRow row = fb_constraint_row(b, index, text);
    FbTerm term = fb_term_between(FB_TERM_SLIDE, guide, point);
    term.a = axis;
    return fb_constraint_add(b, &row, &term);
}

static bool build_line(FbBuilder* b, const FbConstraintDef* head, int index) {
    const FbPointOnLineDef* def = (const FbPointOnLineDef*)head;
    FbLinkFrame point, guide;
    FbVec3 axis;
    FbMat3 axes;
    if (!fb_compile_point(b, &def->point, &head->origin, "point", &point) ||
        !fb_compile_point(b, &def->line, &head->origin, "line", &guide) ||
        !fb_constraint_direction(b, head, "axis", def->axis, &guide, &axis) ||
        !fb_rotation_from_axes(axis, fb_vec3(NAN, NAN, NAN), &axes)) {
        return false;
    }
    return add_slide(b, index, &guide, &point, fb_mat3_col(&axes, 0),
                     "first direction across the line") &&
           add_slide(b, index, &guide, &point, fb_mat3_col(&axes, 1),
                     "second direction across the line");
}

static bool build_plane(FbBuilder* b, const FbConstraintDef* head, int index) {
    const FbPointOnPlaneDef* def = (const FbPointOnPlaneDef*)head;
    FbLinkFrame point, guide;
    FbVec3 normal;
    return fb_compile_point(b, &def->point, &head->origin, "point", &point) &&
           fb_compile_point(b, &def->plane, &head->origin, "plane", &guide) &&
           fb_constraint_direction(b, head, "normal", def->normal, &guide, &normal) &&
           add_slide(b, index, &guide, &point, normal, "height above the plane");
}

static const FbField line_fields[] = {
    FB_CONSTRAINT_POINT(FbPointOnLineDef, point, "The guided point."),
    FB_CONSTRAINT_POINT(FbPointOnLineDef, line,
                        "A point on the line, fixed to the body that carries the line."),
    FB_CONSTRAINT_AXIS(FbPointOnLineDef, axis, line,
                       "Direction of the line, in the axes of that body.", "[0, 0, 1]"),
};

static const FbField plane_fields[] = {
    FB_CONSTRAINT_POINT(FbPointOnPlaneDef, point, "The point that stays in the plane."),
    FB_CONSTRAINT_POINT(FbPointOnPlaneDef, plane,
                        "A point in the plane, fixed to the body that carries the plane."),
    FB_CONSTRAINT_AXIS(FbPointOnPlaneDef, normal, plane,
                       "Normal of the plane, in the axes of that body.", "[0, 0, 1]"),
};

FbPointOnLineDef fb_point_on_line_def_default(void) {
    FbPointOnLineDef def;
    fb_type_fill(&fb_constraint_point_on_line.info, &def);
    return def;
}

FbPointOnPlaneDef fb_point_on_plane_def_default(void) {
    FbPointOnPlaneDef def;
    fb_type_fill(&fb_constraint_point_on_plane.info, &def);
    return def;
}

const FbConstraintType fb_constraint_point_on_line = {
    .info = {.name = "point_on_line",
             .doc = "A point of one body slides along a straight line of another.",
             .fields = line_fields,
             .n_fields = FB_COUNT_OF(line_fields),
             .size = sizeof(FbPointOnLineDef)},
    .build = build_line,
};
const FbConstraintType fb_constraint_point_on_plane = {
    .info = {.name = "point_on_plane",
             .doc = "A point of one body stays in a plane of another.",
             .fields = plane_fields,
             .n_fields = FB_COUNT_OF(plane_fields),
             .size = sizeof(FbPointOnPlaneDef)},
    .build = build_plane,
};
