// Orthotropic materials: their stiffness matrices in their own axes.
#ifndef FLYBALL_FEM_ORTHOTROPIC_H
#define FLYBALL_FEM_ORTHOTROPIC_H

typedef struct FbOrthotropic {
    double axial[3];    // Pa: E1, E2, E3
    double poisson[3];  // nu12, nu13, nu23
    double shear[3];    // Pa: G12, G13, G23
} FbOrthotropic;

// For strains xx, yy, zz, xy, yz, zx.
void fb_orthotropic_calc_solid(const FbOrthotropic* m, double D[6][6]);
// Plane stress, for xx, yy, xy; from E1, E2, nu12, G12 alone.
void fb_orthotropic_calc_plane(const FbOrthotropic* m, double Q[3][3]);

#endif
