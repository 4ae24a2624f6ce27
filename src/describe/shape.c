// Mass, centre and inertia of bodies: closed forms of the shapes, rotated, moved (parallel axes)
// and added up.
#include "describe/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "describe/def.h"
#include "describe/stl.h"
#include "math/vec3.h"

// A tensor is impossible if a principal moment is negative, or larger than the sum of the other
// two, by more than this fraction of the largest. The second allows for data that was written with
// four digits.
static const double NEGATIVE_LIMIT = 1e-9;
static const double TRIANGLE_LIMIT = 1e-3;

static const double PI = 3.14159265358979323846;

// Volume (0: none, mass must be given) and unit-mass principal moments in the shape's own axes.
typedef struct Geometry {
    double volume;
    double moment[3];
    FbStl stl;  // of a mesh
} Geometry;

static FbStatus check_positive(const FbShapeDef* s, const char* key, double value, FbError* err) {
    if (value > 0.0 && isfinite(value)) {
        return FB_OK;
    }
    FbPlace place = fb_origin_place(&s->origin, key);
    return fb_fail(err, FB_ERR_RANGE, &place, "%s of the %s is %g m; it must be > 0", key, s->type,
                   value);
}

static FbStatus calc_box(const FbShapeDef* s, Geometry* g, FbError* err) {
    double sq[3];
    for (int i = 0; i < 3; i++) {
        FB_TRY(check_positive(s, "size", s->size[i], err));
        sq[i] = s->size[i] * s->size[i];
    }
    g->volume = s->size[0] * s->size[1] * s->size[2];
    for (int i = 0; i < 3; i++) {
        g->moment[i] = (sq[(i + 1) % 3] + sq[(i + 2) % 3]) / 12.0;
    }
    return FB_OK;
}

// A solid cylinder is a tube with inner radius 0.
static FbStatus calc_round(const FbShapeDef* s, double inner, Geometry* g, FbError* err) {
    FB_TRY(check_positive(s, "radius", s->radius, err));
    FB_TRY(check_positive(s, "length", s->length, err));
    if (!(inner >= 0.0 && inner < s->radius)) {
        FbPlace place = fb_origin_place(&s->origin, "inner_radius");
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "inner_radius of the tube is %g m; it must be >= 0 and smaller than the "
                       "radius %g m",
                       inner, s->radius);
    }
    double rr = s->radius * s->radius + inner * inner;
    g->volume = PI * (s->radius * s->radius - inner * inner) * s->length;
    g->moment[0] = g->moment[1] = (3.0 * rr + s->length * s->length) / 12.0;
    g->moment[2] = rr / 2.0;
    return FB_OK;
}

static FbStatus calc_sphere(const FbShapeDef* s, Geometry* g, FbError* err) {
    FB_TRY(check_positive(s, "radius", s->radius, err));
    g->volume = 4.0 / 3.0 * PI * s->radius * s->radius * s->radius;
    g->moment[0] = g->moment[1] = g->moment[2] = 0.4 * s->radius * s->radius;
    return FB_OK;
}

static FbStatus calc_mesh(const FbShapeDef* s, Geometry* g, FbError* err) {
    FbPlace place = fb_origin_place(&s->origin, "file");
    if (!s->file) {
        return fb_fail(err, FB_ERR_MODEL, &s->origin.place,
                       "a mesh needs 'file', an STL file of its surface");
    }
    FB_TRY(check_positive(s, "unit", s->unit, err));
    FB_TRY(fb_stl_measure(s->file, s->unit, !s->is_visual_only, &place, &g->stl, err));
    g->volume = g->stl.volume;
    return FB_OK;
}

static FbStatus calc_geometry(const FbShapeDef* s, Geometry* g, FbError* err) {
    *g = (Geometry){0};
    if (strcmp(s->type, "box") == 0) {
        return calc_box(s, g, err);
    }
    if (strcmp(s->type, "cylinder") == 0) {
        return calc_round(s, 0.0, g, err);
    }
    if (strcmp(s->type, "tube") == 0) {
        return calc_round(s, s->inner_radius, g, err);
    }
    if (strcmp(s->type, "sphere") == 0) {
        return calc_sphere(s, g, err);
    }
    return strcmp(s->type, "mesh") == 0 ? calc_mesh(s, g, err) : FB_OK;
}

static FbStatus calc_shape_mass(const FbShapeDef* s, double volume, double* mass, FbError* err) {
    bool has_mass = !isnan(s->mass), has_density = !isnan(s->density);
    FbPlace place = fb_origin_place(&s->origin, has_mass ? "mass" : "density");
    if (has_mass && has_density) {
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "the %s has both mass and density; give only one of them", s->type);
    }
    if (has_density && volume == 0.0) {
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "a %s has no volume, so a density is meaningless; give its mass", s->type);
    }
    if (!has_mass && !has_density) {
        return fb_fail(
            err, FB_ERR_MODEL, &s->origin.place,
            "the %s has no mass%s; give one, or 'visual: true' if it is only for display", s->type,
            volume > 0.0 ? " or density" : "");
    }
    *mass = has_mass ? s->mass : s->density * volume;
    if (!(*mass > 0.0 && isfinite(*mass))) {
        return fb_fail(err, FB_ERR_RANGE, &place, "%s of the %s is %g %s; it must be > 0",
                       has_mass ? "mass" : "density", s->type, has_mass ? s->mass : s->density,
                       has_mass ? "kg" : "kg/m^3");
    }
    return FB_OK;
}

// m (|d|^2 1 - d d'), added: a point mass m at d.
static void add_point_inertia(double m, FbVec3 d, double inertia[6]) {
    inertia[0] += m * (d.y * d.y + d.z * d.z);
    inertia[1] += m * (d.x * d.x + d.z * d.z);
    inertia[2] += m * (d.x * d.x + d.y * d.y);
    inertia[3] -= m * d.x * d.y;
    inertia[4] -= m * d.x * d.z;
    inertia[5] -= m * d.y * d.z;
}

// m R diag(moment) R'
static void add_rotated_inertia(double m, const FbMat3* R, const double moment[3],
                                double inertia[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 3; i++) {
            inertia[k] += m * R->m[row[k]][i] * moment[i] * R->m[col[k]][i];
        }
    }
}

static FbStatus calc_rod(const FbShapeDef* s, double mass, double center[3], double inertia[6],
                         FbError* err) {
    FbVec3 from = fb_vec3_from(s->from), to = fb_vec3_from(s->to);
    FbVec3 half = fb_scale(0.5, fb_sub(to, from));
    if (!(fb_norm(half) > 0.0 && isfinite(fb_norm(half)))) {
        FbPlace place = fb_origin_place(&s->origin, "to");
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "the rod has no length; 'from' and 'to' must be two different points");
    }
    fb_vec3_to(fb_add(from, half), center);
    add_point_inertia(mass / 3.0, half, inertia);  // m L^2/12 = (m/3) (L/2)^2
    return FB_OK;
}

// m R J R' about the centre of a surface, which is moved and turned with it.
static void place_mesh(const FbShapeDef* s, const FbStl* stl, double m, double center[3],
                       double inertia[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    FbMat3 R = fb_mat3_from(s->rotation), J;
    fb_vec3_to(fb_add(fb_vec3_from(s->at), fb_mul3(&R, fb_vec3_from(stl->center))), center);
    for (int k = 0; k < 6; k++) {
        J.m[row[k]][col[k]] = J.m[col[k]][row[k]] = stl->inertia[k];
    }
    FbMat3 RJ = fb_mat3_mul(&R, &J);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 3; i++) {
            inertia[k] += m * RJ.m[row[k]][i] * R.m[col[k]][i];
        }
    }
}

FbStatus fb_shape_calc_mass(const FbShapeDef* shape, double* mass, double center[3],
                            double inertia[6], FbError* err) {
    *mass = 0.0;
    memset(center, 0, 3 * sizeof *center);
    memset(inertia, 0, 6 * sizeof *inertia);
    if (!fb_type_find(fb_shape_types, shape->type)) {
        return fb_fail(err, FB_ERR_NAME, &shape->origin.place,
                       "unknown shape '%s'; use box, cylinder, tube, sphere, rod, point or mesh",
                       shape->type ? shape->type : "");
    }
    Geometry geometry;
    FB_TRY(calc_geometry(shape, &geometry, err));
    if (shape->is_visual_only) {
        return FB_OK;
    }
    double m = 0.0;
    FB_TRY(calc_shape_mass(shape, geometry.volume, &m, err));
    if (strcmp(shape->type, "rod") == 0) {
        FB_TRY(calc_rod(shape, m, center, inertia, err));
    } else if (strcmp(shape->type, "mesh") == 0) {
        place_mesh(shape, &geometry.stl, m, center, inertia);
    } else {
        FbMat3 R = fb_mat3_from(shape->rotation);
        memcpy(center, shape->at, 3 * sizeof *center);
        add_rotated_inertia(m, &R, geometry.moment, inertia);
    }
    *mass = m;
    return FB_OK;
}

// One Jacobi rotation in the plane (i, j) that makes a[i][j] zero.
static void rotate_plane(double a[3][3], int i, int j) {
    if (a[i][j] == 0.0) {
        return;
    }
    double theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
    double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    int k = 3 - i - j;
    double a_ki = a[k][i], a_kj = a[k][j];
    a[i][i] -= t * a[i][j];
    a[j][j] += t * a[i][j];
    a[i][j] = a[j][i] = 0.0;
    a[k][i] = a[i][k] = c * a_ki - s * a_kj;
    a[k][j] = a[j][k] = s * a_ki + c * a_kj;
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Cyclic Jacobi iteration: quadratic, and exact to rounding also for equal or zero moments.
void fb_inertia_calc_principal(const double inertia[6], double principal[3]) {
    enum { SWEEPS = 10 };  // five are enough for any 3 x 3 matrix
    double a[3][3] = {{inertia[0], inertia[3], inertia[4]},
                      {inertia[3], inertia[1], inertia[5]},
                      {inertia[4], inertia[5], inertia[2]}};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        rotate_plane(a, 0, 1);
        rotate_plane(a, 0, 2);
        rotate_plane(a, 1, 2);
    }
    for (int i = 0; i < 3; i++) {
        principal[i] = a[i][i];
    }
    qsort(principal, 3, sizeof *principal, compare_doubles);
}

static FbStatus check_inertia(const FbBodyDef* body, const double inertia[6], FbError* err) {
    FbPlace place = fb_origin_place(&body->origin, "inertia");
    double p[3];
    fb_inertia_calc_principal(inertia, p);
    if (!(p[0] >= -NEGATIVE_LIMIT * fabs(p[2]))) {
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "the inertia of body '%s' has the principal moments %g, %g, %g kg*m^2; none "
                       "of them may be negative",
                       body->name, p[0], p[1], p[2]);
    }
    if (!(p[0] + p[1] >= p[2] * (1.0 - TRIANGLE_LIMIT))) {
        return fb_fail(
            err, FB_ERR_RANGE, &place,
            "the inertia of body '%s' is not physical: its principal moments are %g, %g, %g "
            "kg*m^2, and the largest must not exceed the sum of the others; for a "
            "plane mechanism give [I/2, I/2, I]",
            body->name, p[0], p[1], p[2]);
    }
    return FB_OK;
}

static FbStatus check_given(const FbBodyDef* body, FbError* err) {
    FbPlace place = fb_origin_place(&body->origin, "mass");
    if (!(body->mass >= 0.0 && isfinite(body->mass))) {
        return fb_fail(err, FB_ERR_RANGE, &place, "mass of body '%s' is %g kg; it must be >= 0",
                       body->name, body->mass);
    }
    double sum = 0.0;
    for (int i = 0; i < 6; i++) {
        sum += fabs(body->inertia[i]);
    }
    for (int i = 0; i < 3; i++) {
        sum += 0.0 * body->center[i];
    }
    if (!isfinite(sum)) {
        return fb_fail(err, FB_ERR_RANGE, &body->origin.place,
                       "centre or inertia of body '%s' is not finite", body->name);
    }
    if (sum > 0.0 && body->mass == 0.0) {
        place = fb_origin_place(&body->origin, "inertia");
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "body '%s' has inertia but no given mass; give its mass too", body->name);
    }
    return check_inertia(body, body->inertia, err);
}

// Two passes: the centre first, then every inertia moved to it, which loses no digits where the
// centre is far from the origin.
FbStatus fb_body_calc_mass(const FbBodyDef* body, double* mass, double center[3], double inertia[6],
                           FbError* err) {
    *mass = 0.0;
    memset(center, 0, 3 * sizeof *center);
    memset(inertia, 0, 6 * sizeof *inertia);
    FB_TRY(check_given(body, err));
    double total = body->mass, m, c[3], own[6];
    FbVec3 first = fb_scale(body->mass, fb_vec3_from(body->center));
    for (int i = 0; i < body->n_shapes; i++) {
        FB_TRY(fb_shape_calc_mass(&body->shapes[i], &m, c, own, err));
        total += m;
        first = fb_axpy(m, fb_vec3_from(c), first);
    }
    if (total == 0.0) {
        return FB_OK;
    }
    FbVec3 mid = fb_scale(1.0 / total, first);
    memcpy(inertia, body->inertia, 6 * sizeof *inertia);
    add_point_inertia(body->mass, fb_sub(fb_vec3_from(body->center), mid), inertia);
    for (int i = 0; i < body->n_shapes; i++) {
        FB_TRY(fb_shape_calc_mass(&body->shapes[i], &m, c, own, err));
        for (int k = 0; k < 6; k++) {
            inertia[k] += own[k];
        }
        add_point_inertia(m, fb_sub(fb_vec3_from(c), mid), inertia);
    }
    *mass = total;
    fb_vec3_to(mid, center);
    return check_inertia(body, inertia, err);
}

#define FIELD(key_, kind_, member, unit_, doc_) \
    .key = key_, .kind = kind_, .offset = offsetof(FbShapeDef, member), .unit = unit_, .doc = doc_
#define LENGTH(key_, member, doc_)                                                  \
    {                                                                               \
        FIELD(key_, FB_FIELD_REAL, member, "m", doc_), .min = 0.0, .max = INFINITY, \
                                                       .has_open_min = true         \
    }
#define PLACED                                                                         \
    {                                                                                  \
        FIELD("at", FB_FIELD_VEC3, at, "m", "Centre of the shape in the body frame."), \
            .default_text = "[0, 0, 0]", .min = -INFINITY, .max = INFINITY             \
    }
#define TURNED                                                     \
    {                                                              \
        FIELD("orientation", FB_FIELD_ROTATION, rotation, "",      \
              "Axes of the shape in the body frame."),             \
            .is_optional = true, .min = -INFINITY, .max = INFINITY \
    }
#define MASS                                                                            \
    {                                                                                   \
        FIELD("mass", FB_FIELD_REAL, mass, "kg", "Mass; give either mass or density."), \
            .is_optional = true, .min = 0.0, .max = INFINITY, .has_open_min = true      \
    }
#define ONLY_MASS                                                                                \
    {                                                                                            \
        FIELD("mass", FB_FIELD_REAL, mass, "kg", "Mass."), .is_optional = true, .min = 0.0,      \
                                                           .max = INFINITY, .has_open_min = true \
    }
#define DENSITY                                                                    \
    {                                                                              \
        FIELD("density", FB_FIELD_REAL, density, "kg/m^3",                         \
              "Density; give either density or mass."),                            \
            .is_optional = true, .min = 0.0, .max = INFINITY, .has_open_min = true \
    }
#define VISUAL                                                                                \
    {                                                                                         \
        FIELD("visual", FB_FIELD_BOOL, is_visual_only, "", "For display only; has no mass."), \
            .default_text = "false", .min = -INFINITY, .max = INFINITY                        \
    }
#define END(key_, member, doc_) \
    { FIELD(key_, FB_FIELD_VEC3, member, "m", doc_), .min = -INFINITY, .max = INFINITY }
#define SOLID PLACED, TURNED, DENSITY, MASS, VISUAL

static const FbField box_fields[] = {
    {FIELD("size", FB_FIELD_VEC3, size, "m", "Edge lengths along the shape's x, y and z."),
     .min = 0.0, .max = INFINITY, .has_open_min = true},
    SOLID,
};
static const FbField cylinder_fields[] = {
    LENGTH("radius", radius, "Radius."),
    LENGTH("length", length, "Length along the shape's z axis."),
    SOLID,
};
static const FbField tube_fields[] = {
    LENGTH("radius", radius, "Outer radius."),
    {FIELD("inner_radius", FB_FIELD_REAL, inner_radius, "m", "Inner radius."), .min = 0.0,
     .max = INFINITY},
    LENGTH("length", length, "Length along the shape's z axis."),
    SOLID,
};
static const FbField sphere_fields[] = {
    LENGTH("radius", radius, "Radius."), PLACED, DENSITY, MASS, VISUAL,
};
static const FbField rod_fields[] = {
    END("from", from, "One end in the body frame."),
    END("to", to, "The other end in the body frame."),
    ONLY_MASS,
    VISUAL,
};
static const FbField point_fields[] = {PLACED, ONLY_MASS, VISUAL};
static const FbField mesh_fields[] = {
    {FIELD("file", FB_FIELD_TEXT, file, "",
           "STL file (text or binary), relative to the model file. Its surface must be closed, "
           "unless it is `visual`.")},
    {FIELD("unit", FB_FIELD_REAL, unit, "m", "Length of one unit of the file, such as `1 mm`."),
     .default_text = "1", .min = 0.0, .max = INFINITY, .has_open_min = true},
    SOLID,
};

#define SHAPE(name_, doc_)                                            \
    static const FbTypeInfo name_##_type = {.name = #name_,           \
                                            .doc = doc_,              \
                                            .fields = name_##_fields, \
                                            .n_fields = sizeof name_##_fields / sizeof(FbField)}
SHAPE(box, "A solid box.");
SHAPE(cylinder, "A solid cylinder along the shape's z axis.");
SHAPE(tube, "A hollow cylinder along the shape's z axis.");
SHAPE(sphere, "A solid sphere.");
SHAPE(rod, "A slender uniform rod between two points; no inertia about its axis.");
SHAPE(point, "A point mass.");
SHAPE(mesh,
      "A body with any closed surface of triangles, from an STL file; drawn as the box around it.");

const FbTypeInfo* const fb_shape_types[] = {&box_type, &cylinder_type, &tube_type, &sphere_type,
                                            &rod_type, &point_type,    &mesh_type, NULL};
