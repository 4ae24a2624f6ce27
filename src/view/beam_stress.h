// The largest normal stress at the ends of beam elements, from the poses of their nodes.
#ifndef FLYBALL_VIEW_BEAM_STRESS_H
#define FLYBALL_VIEW_BEAM_STRESS_H

#include "model/model.h"

// Are its section's edges and modulus known?
bool fb_beam_has_stress(const FbBeamElement* e);

// Pa, at both ends; poses as fb_result_get_pose() has them, position and quaternion, NULL: the
// ground.
void fb_beam_calc_stress(const FbModel* m, const FbBeamElement* e, const double pose_a[7],
                         const double pose_b[7], double out[2]);

#endif
