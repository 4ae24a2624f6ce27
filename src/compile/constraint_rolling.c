// Rolling without slip: a thin disc or a sphere stays in contact with a plane and does not slide on
// it (two velocity conditions).
#include "compile/constraint_types.h"
#include "math/rotation.h"

static bool build(FbBuilder* b, const FbConstraintDef* head, int index) {
    const FbRollingDef* def = (const FbRollingDef*)head;
    FbLinkFrame wheel, plane;
    FbVec3 axis = {0, 0, 1}, normal;
    FbMat3 axes;
    if (!fb_compile_point(b, &def->center, &head->origin, "center", &wheel) ||
        !fb_compile_point(b, &def->plane, &head->origin, "plane", &plane) ||
        !fb_constraint_direction(b, head, "normal", def->normal, &plane, &normal) ||
        (!def->is_sphere && !fb_constraint_direction(b, head, "axis", def->axis, &wheel, &axis)) ||
        !fb_rotation_from_axes(normal, fb_vec3(NAN, NAN, NAN), &axes)) {
        return false;
    }
    if (!(def->radius > 0.0)) {
        fb_compile_error(b, FB_ERR_RANGE, &head->origin, "radius",
                         "the radius of '%s' is %g m; it must be > 0", head->name, def->radius);
        return false;
    }
    FbTerm term = fb_term_between(FB_TERM_HEIGHT, &plane, &wheel);
    term.a = normal;
    term.b = axis;
    term.radius = def->radius;
    term.is_sphere = def->is_sphere;
    FbRow row = fb_constraint_row(b, index, "height of the contact");
    bool is_ok = fb_constraint_add(b, &row, &term);
    for (int i = 0; is_ok && i < 2; i++) {
        row = fb_constraint_row(b, index, i == 0 ? "first slip" : "second slip");
        row.is_holonomic = false;
        term.kind = FB_TERM_SLIP;
        term.c = fb_mat3_col(&axes, i);
        is_ok = fb_constraint_add(b, &row, &term);
    }
    return is_ok;
}

static const FbField fields[] = {
    FB_CONSTRAINT_POINT(FbRollingDef, center, "Centre of the wheel or ball."),
    FB_CONSTRAINT_AXIS(FbRollingDef, axis, center, "Axis of the wheel, in the axes of its body.",
                       "[0, 0, 1]"),
    {.key = "radius",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbRollingDef, radius),
     .unit = "m",
     .min = 0.0,
     .max = __builtin_inf(),
     .has_open_min = true,
     .doc = "Radius of the wheel or ball."},
    {.key = "shape",
     .kind = FB_FIELD_CHOICE,
     .offset = offsetof(FbRollingDef, is_sphere),
     .choices = "disc|sphere",
     .default_text = "disc",
     .doc = "A thin disc (knife-edge wheel) or a sphere."},
    FB_CONSTRAINT_POINT(
        FbRollingDef, plane,
        "A point in the plane, fixed to the body that carries the plane (usually ground)."),
    FB_CONSTRAINT_AXIS(FbRollingDef, normal, plane,
                       "Normal of the plane towards the wheel, in the axes of that body.",
                       "[0, 0, 1]"),
};

FbRollingDef fb_rolling_def_default(void) {
    FbRollingDef def;
    fb_type_fill(&fb_constraint_rolling.info, &def);
    return def;
}

const FbConstraintType fb_constraint_rolling = {
    .info = {.name = "rolling",
             .doc = "A wheel or ball rolls on a plane without slipping and without lifting off.",
             .fields = fields,
             .n_fields = FB_COUNT_OF(fields),
             .size = sizeof(FbRollingDef)},
    .build = build,
};
