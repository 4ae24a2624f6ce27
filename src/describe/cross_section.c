// Areas, moments, torsion constants and shear factors of cross-sections, and the moduli of
// materials.
//
// Axes of the section: y (height) and z (width); x is the member's axis.
#include "describe/cross_section.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "describe/def.h"

static const double PI = 3.14159265358979323846;
static const double ZETA5 = 1.03692775514336992633;  // sum of 1/n^5

// Poisson's ratio of a material for which neither it nor G is given: that of steel and aluminium.
static const double USUAL_POISSON = 0.3;

static FbStatus check_positive(const FbSectionDef* s, const char* key, double value,
                               const char* unit, FbError* err) {
    if (value > 0.0 && isfinite(value)) {
        return FB_OK;
    }
    FbPlace place = fb_origin_place(&s->origin, key);
    return fb_fail(err, FB_ERR_RANGE, &place, "%s of section '%s' is %g %s; it must be > 0", key,
                   s->name ? s->name : "", value, unit);
}

// Saint-Venant's torsion of a rectangle with sides a >= b. The terms of the series differ from
// those of zeta functions by what falls off exponentially, so that few are needed:
//   J = a b^3 (1/3 - 64/pi^5 b/a sum tanh(n pi a / 2b) / n^5),            n = 1, 3, 5, ...
//   W = J / (b (1 - 8/pi^2 sum 1 / (n^2 cosh(n pi a / 2b))))
static void calc_rectangle_torsion(double a, double b, double* J, double* W) {
    double sum5 = ZETA5 * 31.0 / 32.0, sum2 = 0.0;
    for (int n = 1; n <= 25; n += 2) {
        double x = n * PI * a / (2.0 * b);
        sum5 -= 2.0 / (exp(2.0 * x) + 1.0) / pow(n, 5);
        sum2 += 1.0 / (n * n * cosh(x));
    }
    *J = a * b * b * b * (1.0 / 3.0 - 64.0 / pow(PI, 5) * (b / a) * sum5);
    *W = *J / (b * (1.0 - 8.0 / (PI * PI) * sum2));
}

static FbStatus calc_rectangle(const FbSectionDef* s, FbSectionProperties* out, FbError* err) {
    FB_TRY(check_positive(s, "width", s->width, "m", err));
    FB_TRY(check_positive(s, "height", s->height, "m", err));
    double b = s->width, h = s->height;
    *out = (FbSectionProperties){.area = b * h,
                                 .Iy = h * b * b * b / 12.0,
                                 .Iz = b * h * h * h / 12.0,
                                 .shear_y = 5.0 / 6.0,
                                 .shear_z = 5.0 / 6.0,
                                 .edge_y = h / 2.0,
                                 .edge_z = b / 2.0};
    calc_rectangle_torsion(fmax(b, h), fmin(b, h), &out->J, &out->torsion_modulus);
    return FB_OK;
}

// The shear factor is Cowper's for Poisson's ratio 0 (as 5/6 of the rectangle is): 6/7 for a
// circle, 1/2 for a thin tube.
static void calc_ring(double outer, double inner, FbSectionProperties* out) {
    double r4 = pow(outer, 4) - pow(inner, 4), m = inner / outer, k = pow(1.0 + m * m, 2);
    *out = (FbSectionProperties){.area = PI * (outer * outer - inner * inner),
                                 .Iy = PI * r4 / 4.0,
                                 .Iz = PI * r4 / 4.0,
                                 .J = PI * r4 / 2.0,
                                 .shear_y = 6.0 * k / (7.0 * k + 20.0 * m * m),
                                 .edge_y = outer,
                                 .edge_z = outer,
                                 .torsion_modulus = PI * r4 / (2.0 * outer)};
    out->shear_z = out->shear_y;
}

static FbStatus calc_circle(const FbSectionDef* s, FbSectionProperties* out, FbError* err) {
    FB_TRY(check_positive(s, "radius", s->radius, "m", err));
    calc_ring(s->radius, 0.0, out);
    return FB_OK;
}

static FbStatus calc_tube(const FbSectionDef* s, FbSectionProperties* out, FbError* err) {
    FB_TRY(check_positive(s, "radius", s->radius, "m", err));
    FB_TRY(check_positive(s, "inner_radius", s->inner_radius, "m", err));
    if (!(s->inner_radius < s->radius)) {
        FbPlace place = fb_origin_place(&s->origin, "inner_radius");
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "inner_radius of section '%s' is %g m; it must be smaller than the radius "
                       "%g m",
                       s->name, s->inner_radius, s->radius);
    }
    calc_ring(s->radius, s->inner_radius, out);
    return FB_OK;
}

static FbStatus check_i(const FbSectionDef* s, FbError* err) {
    FB_TRY(check_positive(s, "width", s->width, "m", err));
    FB_TRY(check_positive(s, "height", s->height, "m", err));
    FB_TRY(check_positive(s, "flange_thickness", s->flange_thickness, "m", err));
    FB_TRY(check_positive(s, "web_thickness", s->web_thickness, "m", err));
    if (!(2.0 * s->flange_thickness < s->height)) {
        FbPlace place = fb_origin_place(&s->origin, "flange_thickness");
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "flange_thickness of section '%s' is %g m; two flanges must be thinner than "
                       "the height %g m",
                       s->name, s->flange_thickness, s->height);
    }
    if (!(s->web_thickness < s->width)) {
        FbPlace place = fb_origin_place(&s->origin, "web_thickness");
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "web_thickness of section '%s' is %g m; it must be smaller than the width "
                       "%g m",
                       s->name, s->web_thickness, s->width);
    }
    return FB_OK;
}

// Torsion as a thin-walled open section, int t^3 / 3 along the centre lines of web and flanges.
// Along y the web carries the shear, along z the flanges, each a rectangle.
static FbStatus calc_i(const FbSectionDef* s, FbSectionProperties* out, FbError* err) {
    FB_TRY(check_i(s, err));
    double b = s->width, h = s->height, tf = s->flange_thickness, tw = s->web_thickness;
    double inner = h - 2.0 * tf;
    double area = 2.0 * b * tf + inner * tw;
    double J = (2.0 * b * tf * tf * tf + (h - tf) * tw * tw * tw) / 3.0;
    *out = (FbSectionProperties){
        .area = area,
        .Iy = (2.0 * tf * b * b * b + inner * tw * tw * tw) / 12.0,
        .Iz = (b * h * h * h - (b - tw) * inner * inner * inner) / 12.0,
        .J = J,
        .shear_y = (h - tf) * tw / area,
        .shear_z = 5.0 / 6.0 * 2.0 * b * tf / area,
        .edge_y = h / 2.0,
        .edge_z = b / 2.0,
        .torsion_modulus = J / fmax(tf, tw),
    };
    return FB_OK;
}

static FbStatus calc_general(const FbSectionDef* s, FbSectionProperties* out, FbError* err) {
    const char* const keys[] = {"Iy", "Iz", "J"};
    const double values[] = {s->Iy, s->Iz, s->J};
    FB_TRY(check_positive(s, "A", s->area, "m^2", err));
    for (int i = 0; i < 3; i++) {
        if (!isnan(values[i])) {
            FB_TRY(check_positive(s, keys[i], values[i], "m^4", err));
        }
    }
    *out = (FbSectionProperties){s->area, s->Iy, s->Iz, s->J, NAN, NAN, NAN, NAN, NAN};
    return FB_OK;
}

// By the names of section_table.c.
static const struct {
    const char* type;
    FbStatus (*calc)(const FbSectionDef* s, FbSectionProperties* out, FbError* err);
} calculators[] = {{"rectangle", calc_rectangle},
                   {"circle", calc_circle},
                   {"tube", calc_tube},
                   {"i", calc_i},
                   {"general", calc_general}};

// Values that any section may give itself.
static FbStatus take_given(const FbSectionDef* s, FbSectionProperties* out, FbError* err) {
    const char* const keys[] = {"shear_y", "shear_z", "edge_y", "edge_z"};
    const double given[] = {s->shear_y, s->shear_z, s->edge_y, s->edge_z};
    double* target[] = {&out->shear_y, &out->shear_z, &out->edge_y, &out->edge_z};
    for (int i = 0; i < 4; i++) {
        if (!isnan(given[i])) {
            FB_TRY(check_positive(s, keys[i], given[i], i < 2 ? "" : "m", err));
            *target[i] = given[i];
        }
    }
    return FB_OK;
}

FbStatus fb_section_calc(const FbSectionDef* s, FbSectionProperties* out, FbError* err) {
    for (size_t i = 0; s->type && i < sizeof calculators / sizeof calculators[0]; i++) {
        if (strcmp(calculators[i].type, s->type) == 0) {
            FB_TRY(calculators[i].calc(s, out, err));
            return take_given(s, out, err);
        }
    }
    FbPlace place = fb_origin_place(&s->origin, "type");
    return fb_fail(
        err, FB_ERR_NAME, &place,
        "section '%s' has the type '%s'; known types are rectangle, circle, tube, i, general",
        s->name ? s->name : "", s->type ? s->type : "");
}

static FbStatus check_modulus(const FbMaterialDef* m, const char* key, double value, FbError* err) {
    if (value > 0.0 && isfinite(value)) {
        return FB_OK;
    }
    FbPlace place = fb_origin_place(&m->origin, key);
    return fb_fail(err, FB_ERR_RANGE, &place, "%s of material '%s' is %g Pa; it must be > 0", key,
                   m->name ? m->name : "", value);
}

static FbStatus check_poisson(const FbMaterialDef* m, FbError* err) {
    FbPlace place = fb_origin_place(&m->origin, "nu");
    if (!isnan(m->poisson) && !isnan(m->shear_modulus)) {
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "material '%s' has both 'G' and 'nu'; give only one of them", m->name);
    }
    if (!isnan(m->poisson) && !(m->poisson > -1.0 && m->poisson < 0.5)) {
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "nu of material '%s' is %g; it must be > -1 and < 0.5", m->name, m->poisson);
    }
    return FB_OK;
}

static FbStatus check_density(const FbMaterialDef* m, FbError* err) {
    if (!(m->density >= 0.0 && isfinite(m->density))) {
        FbPlace place = fb_origin_place(&m->origin, "density");
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "density of material '%s' is %g kg/m^3; it must be >= 0",
                       m->name ? m->name : "", m->density);
    }
    return FB_OK;
}

// Of two axes a and b: |nu_ab| < sqrt(E_a/E_b), else stretching would release energy.
static FbStatus check_pair(const FbMaterialDef* m, const char* key, double nu, double Ea, double Eb,
                           FbError* err) {
    double most = sqrt(Ea / Eb);
    if (isnan(nu) || isnan(most) || fabs(nu) < most) {
        return FB_OK;
    }
    FbPlace place = fb_origin_place(&m->origin, key);
    return fb_fail(
        err, FB_ERR_RANGE, &place,
        "%s of material '%s' is %g; with these moduli it must be between -%.4g and %.4g, "
        "else its stiffness is not positive definite",
        key, m->name ? m->name : "", nu, most, most);
}

// The determinant of the compliances, times the moduli (eq. 12.15).
static FbStatus check_three(const FbMaterialDef* m, FbError* err) {
    double a = m->nu12 * m->nu12 * m->E2 / m->E1, b = m->nu13 * m->nu13 * m->E3 / m->E1;
    double c = m->nu23 * m->nu23 * m->E3 / m->E2;
    double left = 1.0 - a - b - c - 2.0 * m->nu12 * m->nu23 * m->nu13 * m->E3 / m->E1;
    if (isnan(left) || left > 0.0) {
        return FB_OK;
    }
    return fb_fail(err, FB_ERR_RANGE, &m->origin.place,
                   "the stiffness of material '%s' is not positive definite: 1 - nu12^2 E2/E1 - "
                   "nu13^2 E3/E1 - nu23^2 E3/E2 - 2 nu12 nu23 nu13 E3/E1 is %.4g; it must be > 0. "
                   "Check whether its ratios are nu12 (by stress along 1) or nu21",
                   m->name ? m->name : "", left);
}

static bool is_orthotropic(const FbMaterialDef* m) {
    const double given[9] = {m->E1,   m->E2,  m->E3,  m->nu12, m->nu13,
                             m->nu23, m->G12, m->G13, m->G23};
    for (int i = 0; i < 9; i++) {
        if (!isnan(given[i])) {
            return true;
        }
    }
    return false;
}

static FbStatus check_orthotropic(const FbMaterialDef* m, FbError* err) {
    const struct {
        const char* key;
        double value;
        bool is_needed;
    } moduli[] = {{"E1", m->E1, true},   {"E2", m->E2, true},    {"E3", m->E3, false},
                  {"G12", m->G12, true}, {"G13", m->G13, false}, {"G23", m->G23, false}};
    if (!isnan(m->youngs_modulus) || !isnan(m->shear_modulus) || !isnan(m->poisson)) {
        return fb_fail(err, FB_ERR_MODEL, &m->origin.place,
                       "material '%s' has constants of an isotropic material (E, G, nu) and of an "
                       "orthotropic one (E1, ...); give one or the other",
                       m->name ? m->name : "");
    }
    for (size_t i = 0; i < sizeof moduli / sizeof moduli[0]; i++) {
        if (moduli[i].is_needed || !isnan(moduli[i].value)) {
            FB_TRY(check_modulus(m, moduli[i].key, moduli[i].value, err));
        }
    }
    if (!isfinite(m->nu12)) {
        return fb_fail(err, FB_ERR_MODEL, &m->origin.place,
                       "material '%s' needs 'nu12', the contraction along 2 by stress along 1",
                       m->name ? m->name : "");
    }
    FB_TRY(check_pair(m, "nu12", m->nu12, m->E1, m->E2, err));
    FB_TRY(check_pair(m, "nu13", m->nu13, m->E1, m->E3, err));
    FB_TRY(check_pair(m, "nu23", m->nu23, m->E2, m->E3, err));
    return check_three(m, err);
}

FbStatus fb_material_calc(const FbMaterialDef* m, FbMaterialProperties* out, FbError* err) {
    *out = (FbMaterialProperties){.density = m->density,
                                  .is_orthotropic = is_orthotropic(m),
                                  .axial = {m->E1, m->E2, m->E3},
                                  .poisson = {m->nu12, m->nu13, m->nu23},
                                  .shear = {m->G12, m->G13, m->G23}};
    FB_TRY(check_density(m, err));
    if (out->is_orthotropic) {
        out->E = out->G = NAN;
        return check_orthotropic(m, err);
    }
    if (isnan(m->youngs_modulus)) {
        FbPlace place = fb_origin_place(&m->origin, "E");
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "material '%s' needs 'E' or, orthotropic, 'E1', 'E2', ...",
                       m->name ? m->name : "");
    }
    FB_TRY(check_modulus(m, "E", m->youngs_modulus, err));
    FB_TRY(check_poisson(m, err));
    if (!isnan(m->shear_modulus)) {
        FB_TRY(check_modulus(m, "G", m->shear_modulus, err));
    }
    double nu = isnan(m->poisson) ? USUAL_POISSON : m->poisson;
    out->E = m->youngs_modulus;
    out->G = isnan(m->shear_modulus) ? m->youngs_modulus / (2.0 * (1.0 + nu)) : m->shear_modulus;
    return FB_OK;
}
