// Cross-sections of beams: their areas and moments from the dimensions, checked.
#ifndef FLYBALL_DESCRIBE_CROSS_SECTION_H
#define FLYBALL_DESCRIBE_CROSS_SECTION_H

#include "describe/types.h"

// What a beam needs of its section; NaN: not given (general sections only).
typedef struct FbSectionProperties {
    double area;              // m2
    double Iy, Iz;            // int z^2 dA, int y^2 dA, m4
    double J;                 // torsion constant, m4
    double shear_y, shear_z;  // shear area / area, along y and z
    double edge_y, edge_z;    // largest |y|, |z|, m
    double torsion_modulus;   // torque / largest shear stress, m3
} FbSectionProperties;

// Fails with the place of the offending field.
FbStatus fb_section_calc(const FbSectionDef* section, FbSectionProperties* out, FbError* err);

typedef struct FbMaterialProperties {
    double E, G;          // Pa; NaN of an orthotropic material
    double density;       // kg/m3
    bool is_orthotropic;  // shells need the first two axes alone
    double axial[3];      // Pa: E1, E2, E3
    double poisson[3];    // nu12, nu13, nu23
    double shear[3];      // Pa: G12, G13, G23
} FbMaterialProperties;

FbStatus fb_material_calc(const FbMaterialDef* material, FbMaterialProperties* out, FbError* err);

extern const FbTypeInfo* const fb_section_types[];  // into FbSectionDef; ended by NULL
extern const FbTypeInfo fb_material_table;          // into FbMaterialDef

#endif
