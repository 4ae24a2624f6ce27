// What a force is at one point; shared by the files of forces.
#ifndef FLYBALL_SYSTEM_FORCE_STATE_H
#define FLYBALL_SYSTEM_FORCE_STATE_H

#include "system/part.h"

// The pose and velocity of frame b as seen from frame a.
typedef struct FbRelative {
    FbMat3 Ra;
    FbVec3 at_b, at_a;  // origin of b, from the bases of both links
    FbVec3 w_ground;
    FbMat3 R_AB;
    FbVec3 p_AB, w_AB, v_AB;
} FbRelative;

// The term of a scalar force with its value and rate.
const FbTermState* fb_force_realize_term(FbSystem* s, const FbPoint* p, int t);
// The origin of a frame, from the base of its link.
FbVec3 fb_force_frame_point(const FbSystem* s, const FbLinkFrame* f);
// From torque and force in a's axes to a spatial force about b's origin.
FbVec6 fb_force_lift(const FbRelative* r, const double f[6]);
FbVec6 fb_force_calc_wrench(FbSystem* s, const FbForce* e, FbRelative* r, FbWrenchLaw* law);
// Three expressions in ground axes; *axes: those that they are written along.
FbVec3 fb_force_calc_vector(FbSystem* s, const FbPoint* p, const FbForce* e, FbMat3* axes);
// A force or a torque, about the point of the force.
FbVec6 fb_force_of_vector(const FbForce* e, FbVec3 v);

// force_blocks.c
void fb_forces_add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b);

#endif
