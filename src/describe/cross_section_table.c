// The field tables of cross-sections and materials.
#include <math.h>
#include <stddef.h>

#include "describe/cross_section.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define MATERIAL                                                                                  \
    {                                                                                             \
        .key = "material", .kind = FB_FIELD_MATERIAL, .offset = offsetof(FbSectionDef, material), \
        .unit = "", .doc = "The material."                                                        \
    }
// A length or moment of a section; `optional` 1 where it may be left out.
#define VALUE(key_, member, unit_, optional, text)                                                 \
    {                                                                                              \
        .key = key_, .kind = FB_FIELD_REAL, .offset = offsetof(FbSectionDef, member),              \
        .unit = unit_, .is_optional = optional, .min = 0.0, .max = INFINITY, .has_open_min = true, \
        .doc = text                                                                                \
    }
#define GIVEN                                                                                     \
    VALUE("shear_y", shear_y, "1", 1,                                                             \
          "Shear area for forces along y, as a fraction of the area."),                           \
        VALUE("shear_z", shear_z, "1", 1,                                                         \
              "Shear area for forces along z, as a fraction of the area."),                       \
        VALUE("edge_y", edge_y, "m", 1, "Largest distance from the axis along y, for stresses."), \
        VALUE("edge_z", edge_z, "m", 1, "Largest distance from the axis along z, for stresses.")

static const FbField rectangle_fields[] = {
    MATERIAL,
    VALUE("width", width, "m", 0, "Side along z."),
    VALUE("height", height, "m", 0, "Side along y."),
    GIVEN,
};
static const FbField circle_fields[] = {
    MATERIAL,
    VALUE("radius", radius, "m", 0, "Radius."),
    GIVEN,
};
static const FbField tube_fields[] = {
    MATERIAL,
    VALUE("radius", radius, "m", 0, "Outer radius."),
    VALUE("inner_radius", inner_radius, "m", 0, "Inner radius."),
    GIVEN,
};
static const FbField i_fields[] = {
    MATERIAL,
    VALUE("width", width, "m", 0, "Width of the flanges, along z."),
    VALUE("height", height, "m", 0, "Height of the whole section, along y."),
    VALUE("flange_thickness", flange_thickness, "m", 0, "Thickness of each flange."),
    VALUE("web_thickness", web_thickness, "m", 0, "Thickness of the web."),
    GIVEN,
};
static const FbField general_fields[] = {
    MATERIAL,
    VALUE("A", area, "m^2", 0, "Area."),
    VALUE("Iz", Iz, "m^4", 1, "Second moment for bending in the x-y plane, int y^2 dA."),
    VALUE("Iy", Iy, "m^4", 1, "Second moment for bending in the x-z plane, int z^2 dA."),
    VALUE("J", J, "m^4", 1, "Torsion constant."),
    GIVEN,
};

static const FbTypeInfo rectangle = {
    .name = "rectangle",
    .doc = "A solid rectangle. Torsion by Saint-Venant's series; shear factors 5/6.",
    .fields = rectangle_fields,
    .n_fields = COUNT(rectangle_fields)};
static const FbTypeInfo circle = {.name = "circle",
                                  .doc = "A solid circle; shear factor 6/7.",
                                  .fields = circle_fields,
                                  .n_fields = COUNT(circle_fields)};
static const FbTypeInfo tube = {
    .name = "tube",
    .doc = "A circular tube; its shear factor is between 6/7 and 1/2 (thin).",
    .fields = tube_fields,
    .n_fields = COUNT(tube_fields)};
static const FbTypeInfo i_section = {
    .name = "i",
    .doc =
        "A doubly symmetric I with its web along y. Torsion as a thin-walled open section; "
        "the web carries shear along y, the flanges along z.",
    .fields = i_fields,
    .n_fields = COUNT(i_fields)};
static const FbTypeInfo general = {
    .name = "general",
    .doc =
        "A section given by its properties. A plane structure needs `A` and `Iz`, a spatial one "
        "also `Iy` and `J`, and Timoshenko beams also the shear factors.",
    .fields = general_fields,
    .n_fields = COUNT(general_fields)};

const FbTypeInfo* const fb_section_types[] = {&rectangle, &circle,  &tube,
                                              &i_section, &general, NULL};

static const FbField material_fields[] = {
    {.key = "E",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, youngs_modulus),
     .unit = "Pa",
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .is_optional = true,
     .doc = "Young's modulus; orthotropic materials have `E1`, ... instead."},
    {.key = "G",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, shear_modulus),
     .unit = "Pa",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Shear modulus; default: E/(2(1 + nu))."},
    {.key = "nu",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, poisson),
     .unit = "1",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Poisson's ratio, > -1 and < 0.5; 0.3 if neither it nor `G` is given."},
    {.key = "density",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, density),
     .unit = "kg/m^3",
     .min = 0.0,
     .max = INFINITY,
     .doc = "Density; 0: massless."},
    {.key = "E1",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, E1),
     .unit = "Pa",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Young's modulus along the first axis of an orthotropic material (of meshes), instead "
            "of `E`."},
    {.key = "E2",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, E2),
     .unit = "Pa",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Young's modulus along the second axis."},
    {.key = "E3",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, E3),
     .unit = "Pa",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Young's modulus along the third axis; shells do not need it."},
    {.key = "nu12",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, nu12),
     .unit = "1",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Contraction along the second axis by stress along the first: nu12/E1 = nu21/E2."},
    {.key = "nu13",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, nu13),
     .unit = "1",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Contraction along the third axis by stress along the first; shells do not need it."},
    {.key = "nu23",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, nu23),
     .unit = "1",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Contraction along the third axis by stress along the second; shells do not need it."},
    {.key = "G12",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, G12),
     .unit = "Pa",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Shear modulus in the plane of the first two axes."},
    {.key = "G13",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, G13),
     .unit = "Pa",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Shear modulus in the plane of the first and third axes; default for shells: G12."},
    {.key = "G23",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMaterialDef, G23),
     .unit = "Pa",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Shear modulus in the plane of the last two axes; default for shells: G12."},
};
const FbTypeInfo fb_material_table = {.name = "material",
                                      .doc =
                                          "A linear elastic material: isotropic, or orthotropic "
                                          "(of meshes).",
                                      .fields = material_fields,
                                      .n_fields = COUNT(material_fields)};
