// The elastic law of a beam element with large rotations: the stresses that are dual to its
// logarithm Omega = (psi, A r), and their derivatives.
//
// Second order: a diagonal stiffness (eq. 8.12). Fourth order: the strains may vary linearly along
// the element, and what that takes out of the energy is eliminated (eqs. 8.81-8.86).
#ifndef FLYBALL_FEM_BEAM_LAW_H
#define FLYBALL_FEM_BEAM_LAW_H

#include "fem/beam.h"

enum { FB_STRAINS = 6 };

typedef struct FbBeamLaw {
    double stress[FB_STRAINS];  // dual to psi and to delta
    double energy;
    // Fourth order, per unit of length:
    FbVec3 compliance_m, compliance_n;       // of moments and forces; 0 where nothing is stiff
    double share;                            // L^2/12
    FbVec3 kappa, gamma;                     // curvature and stretch of the sections
    FbVec3 gamma_rate;                       // derivative of gamma by delta/L, a diagonal
    double gamma_second;                     // second derivative of gamma_x
    double pull;                             // what that adds to the stiffness, over L^2/12
    double sigma[FB_STRAINS];                // mean moment and force
    double factor[FB_STRAINS * FB_STRAINS];  // of the flexibility, below the diagonal
    double pivot[FB_STRAINS];                // one over its diagonal; 0: carries no stress
} FbBeamLaw;

// A derivative of stresses by strains or their rates: d(s_psi, s_delta) = [pp pd; dp dd] d(psi,
// delta), or diagonal.
typedef struct FbBeamModulus {
    bool is_diagonal;
    FbVec3 p, d;            // the diagonal
    FbMat3 pp, pd, dp, dd;  // otherwise
} FbBeamModulus;

// Stresses and energy for the strains psi - psi_0 and delta (eq. 8.11).
void fb_beam_law_init(const FbBeam* beam, FbVec3 psi, FbVec3 delta, FbBeamLaw* out);
// Stresses of the damping per unit of beta for strain rates.
void fb_beam_law_calc_damping(const FbBeam* beam, const FbBeamLaw* law,
                              const double rate[FB_STRAINS], double stress[FB_STRAINS]);
// The derivative of the stresses by the strains; `damping`: stresses per unit of beta that the same
// strain rates go on to make, NULL: none.
void fb_beam_law_calc_modulus(const FbBeam* beam, const FbBeamLaw* law,
                              const double damping[FB_STRAINS], FbBeamModulus* out);
// The derivative of the damping by the strain rates, beta included.
void fb_beam_law_calc_damping_modulus(const FbBeam* beam, const FbBeamLaw* law, FbBeamModulus* out);

#endif
