// Bushing: an elastic, damped mount between two frames, valid for small and large relative
// rotations.
//
// With phi the rotation vector of R_AB and p = p_AB the stored energy is E = 1/2 phi' Kr phi + 1/2
// p' Kt p. Turning b by the spatial rotation vector dtheta (axes of a) changes phi by J(phi)
// dtheta, J the inverse left Jacobian of SO(3):
//   J = 1 - 1/2 [phi] + c [phi]^2,   c = (1 - (h cot h))/theta^2,   h = theta/2,   theta = |phi|,
// so that the wrench on b that is the exact gradient of E, with damping on the relative rates, is
//   tau = -J' Kr phi - Cr w,   f = -Kt p - Ct v.
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "force/force.h"
#include "math/rotation.h"

// Below this theta^2 the series is used; its first dropped term is 1e-16 of the sum there.
static const double SERIES_LIMIT = 0.25;

// c and d = (dc/dtheta)/theta of the inverse Jacobian, from x = theta^2. Series: sum |B_2k|
// x^(k-1)/(2k)!.
static void inverse_jacobian_coefficients(double x, double* c, double* d) {
    static const double series[] = {
        1.0 / 12.0,       1.0 / 720.0,          1.0 / 30240.0,       1.0 / 1209600.0,
        1.0 / 47900160.0, 691.0 / 1307674368e3, 1.0 / 74724249600.0,
    };
    if (x < SERIES_LIMIT) {
        *c = 0.0;
        *d = 0.0;
        for (int k = 6; k >= 0; k--) {
            *c = *c * x + series[k];
            *d = k > 0 ? *d * x + 2.0 * k * series[k] : *d;
        }
        return;
    }
    double h = 0.5 * sqrt(x);
    double cot = 1.0 / tan(h);
    double csc2 = 1.0 + cot * cot;
    *c = (1.0 - h * cot) / x;
    *d = ((h * csc2 - cot) * h - 2.0 * (1.0 - h * cot)) / (x * x);
}

// J(phi), row-major.
static void inverse_jacobian(FbVec3 phi, double c, double out[9]) {
    double p[3] = {phi.x, phi.y, phi.z};
    double x = fb_dot(phi, phi);
    double half_cross[9] = {0.0,          -0.5 * phi.z, 0.5 * phi.y, 0.5 * phi.z, 0.0,
                            -0.5 * phi.x, -0.5 * phi.y, 0.5 * phi.x, 0.0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = (i == j) - half_cross[3 * i + j] + c * (p[i] * p[j] - (i == j) * x);
        }
    }
}

// d (J' u)/dphi along e, with u = K phi and du = K e:
//   J' u = u + 1/2 phi x u + c (phi (phi.u) - x u)
static FbVec3 torque_derivative(FbVec3 phi, FbVec3 u, FbVec3 e, FbVec3 du, double c, double d) {
    double x = fb_dot(phi, phi);
    double pe = fb_dot(phi, e), pu = fb_dot(phi, u);
    FbVec3 s = fb_add(du, fb_scale(0.5, fb_add(fb_cross(e, u), fb_cross(phi, du))));
    s = fb_axpy(d * pe * pu, phi, s);
    s = fb_axpy(-d * pe * x, u, s);
    s = fb_axpy(c * pu, e, s);
    s = fb_axpy(c * (fb_dot(e, u) + fb_dot(phi, du)), phi, s);
    s = fb_axpy(-2.0 * c * pe, u, s);
    return fb_axpy(-c * x, du, s);
}

static void add_rotation(const double k[3], const FbMat3* R_AB, FbWrenchLaw* out) {
    FbVec3 phi = fb_rotation_to_vector(R_AB);
    FbVec3 u = fb_vec3(k[0] * phi.x, k[1] * phi.y, k[2] * phi.z);
    double c, d, J[9], H[9];
    inverse_jacobian_coefficients(fb_dot(phi, phi), &c, &d);
    inverse_jacobian(phi, c, J);
    for (int j = 0; j < 3; j++) {
        FbVec3 e = fb_vec3(j == 0, j == 1, j == 2);
        FbVec3 h = torque_derivative(phi, u, e, fb_scale(k[j], e), c, d);
        H[j] = h.x;
        H[3 + j] = h.y;
        H[6 + j] = h.z;
        out->force[j] -= J[j] * u.x + J[3 + j] * u.y + J[6 + j] * u.z;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->d_pose[6 * i + j] -=
                H[3 * i] * J[j] + H[3 * i + 1] * J[3 + j] + H[3 * i + 2] * J[6 + j];
        }
    }
    out->energy += 0.5 * fb_dot(phi, u);
}

static void wrench(const FbForceDef* head, const FbMat3* R_AB, FbVec3 p_AB, FbVec3 w_AB,
                   FbVec3 v_AB, FbWrenchLaw* out) {
    const FbBushingDef* def = (const FbBushingDef*)head;
    const double p[3] = {p_AB.x, p_AB.y, p_AB.z};
    const double w[3] = {w_AB.x, w_AB.y, w_AB.z};
    const double v[3] = {v_AB.x, v_AB.y, v_AB.z};
    memset(out, 0, sizeof *out);
    add_rotation(def->rotation_stiffness, R_AB, out);
    for (int i = 0; i < 3; i++) {
        double kt = def->translation_stiffness[i], ct = def->translation_damping[i];
        double cr = def->rotation_damping[i];
        out->force[i] -= cr * w[i];
        out->force[3 + i] = -kt * p[i] - ct * v[i];
        out->d_pose[7 * (3 + i)] = -kt;
        out->d_rate[7 * i] = -cr;
        out->d_rate[7 * (3 + i)] = -ct;
        out->energy += 0.5 * kt * p[i] * p[i];
        out->dissipation += cr * w[i] * w[i] + ct * v[i] * v[i];
    }
}

static bool is_zero(const double a[3]) {
    return a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0;
}

static FbStatus check(const FbForceDef* head, FbError* err) {
    const FbBushingDef* def = (const FbBushingDef*)head;
    if (is_zero(def->translation_stiffness) && is_zero(def->rotation_stiffness) &&
        is_zero(def->translation_damping) && is_zero(def->rotation_damping)) {
        return fb_fail(err, FB_ERR_MODEL, &head->origin.place,
                       "bushing '%s' exerts no force; give it a stiffness or a damping",
                       head->name);
    }
    return FB_OK;
}

static const FbField fields[] = {
    {.key = "a",
     .kind = FB_FIELD_FRAME,
     .offset = offsetof(FbBushingDef, a),
     .unit = "",
     .doc = "The frame on one body; the stiffnesses are along its axes."},
    {.key = "b",
     .kind = FB_FIELD_FRAME,
     .offset = offsetof(FbBushingDef, b),
     .unit = "",
     .doc = "The frame on the other body; unloaded where it coincides with a."},
    {.key = "translation_stiffness",
     .kind = FB_FIELD_VEC3,
     .offset = offsetof(FbBushingDef, translation_stiffness),
     .unit = "N/m",
     .default_text = "[0, 0, 0]",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Restoring force per metre of offset along x, y and z of frame a."},
    {.key = "translation_damping",
     .kind = FB_FIELD_VEC3,
     .offset = offsetof(FbBushingDef, translation_damping),
     .unit = "N*s/m",
     .default_text = "[0, 0, 0]",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Resisting force per metre per second along x, y and z of frame a."},
    {.key = "rotation_stiffness",
     .kind = FB_FIELD_VEC3,
     .offset = offsetof(FbBushingDef, rotation_stiffness),
     .unit = "N*m/rad",
     .default_text = "[0, 0, 0]",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Restoring torque per radian of the rotation vector from a to b (rotations below half "
            "a turn)."},
    {.key = "rotation_damping",
     .kind = FB_FIELD_VEC3,
     .offset = offsetof(FbBushingDef, rotation_damping),
     .unit = "N*m*s/rad",
     .default_text = "[0, 0, 0]",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Resisting torque per radian per second about x, y and z of frame a."},
};

FbBushingDef fb_bushing_def_default(void) {
    FbBushingDef def;
    fb_type_fill(&fb_force_bushing.info, &def);
    return def;
}

const FbForceType fb_force_bushing = {
    .info = {.name = "bushing",
             .doc = "An elastic, damped mount between two frames: six stiffnesses and six damping "
                    "coefficients, with an exact energy even for large rotations.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbBushingDef),
             .can_hold = true},
    .measure = FB_MEASURE_FRAMES,
    .check = check,
    .wrench = wrench,
};
