// Where a guide is and how it is oriented at the position of a slider: three vectors that a
// carriage follows.
//
//   r = N e (the position),   t = +-N_s e (the tangent in the direction of travel),
//   y = (1 - xi) y_A + xi y_B (across it)
//
// with y fixed in the end sections of the element; on a curve in a rigid body r = p + R c(s),
// t = R c_s, y = R u with a fixed u. All derivatives are with respect to the length s along the
// guide, in the direction of travel.
#ifndef FLYBALL_FEM_GUIDE_FRAME_H
#define FLYBALL_FEM_GUIDE_FRAME_H

#include "fem/slider.h"

enum { FB_GUIDE_PLACE, FB_GUIDE_TANGENT, FB_GUIDE_CROSS, FB_GUIDE_VECTORS, FB_GUIDE_ROWS = 9 };

typedef struct FbGuideFrame {
    FbVec3 value[FB_GUIDE_VECTORS], rate[FB_GUIDE_VECTORS];
    FbVec3 acceleration[FB_GUIDE_VECTORS];  // for the accelerations of the ends and of s as they
                                            // were given
    FbVec3 by_s[FB_GUIDE_VECTORS], by_ss[FB_GUIDE_VECTORS], rate_by_s[FB_GUIDE_VECTORS];
    // Row-major [9 x 12], the three vectors one below the other, by the poses of the ends (linear
    // theory: their displacements).
    double by_pose[FB_GUIDE_ROWS * FB_BEAM_DOF];  // also rate by velocity
    double by_pose_s[FB_GUIDE_ROWS * FB_BEAM_DOF], rate_by_pose[FB_GUIDE_ROWS * FB_BEAM_DOF];
    // Of a smooth guide those above are by its field e, and these by the poses of the segment's
    // ends, whose turns the direction across follows.
    double by_ends[FB_GUIDE_ROWS * FB_BEAM_DOF];
    double by_ends_s[FB_GUIDE_ROWS * FB_BEAM_DOF], rate_by_ends[FB_GUIDE_ROWS * FB_BEAM_DOF];
} FbGuideFrame;

// The end of a beam as y sees it: y = y0 turned, dy/dphi = -[arm], d(dy)/dphi = -[w] [arm].
typedef struct FbGuideEnd {
    FbVec3 y, dy, ddy, arm, w;
} FbGuideEnd;

// An element with its field e and the derivatives of e and e' by pose (NULL: zero). `sign` is -1
// where it is travelled from B to A; the motion is along the element itself.
typedef struct FbGuideBeam {
    double length, sign;
    const double *e, *de, *dde, *J, *de_by_pose;
    FbGuideEnd end[2];
    bool is_smooth;  // a segment of a smooth guide: J is NULL
} FbGuideBeam;
void fb_guide_frame_of_beam(const FbGuideBeam* beam, const FbSliderMotion* motion,
                            FbGuideFrame* out);
void fb_guide_frame_of_curve(const FbCurve* curve, FbVec3 cross, const FbPort* port,
                             const FbSliderMotion* motion, FbGuideFrame* out);

// Forces f[3] dual to the three vectors: at the ends, out = by_pose' f [12].
void fb_guide_frame_calc_ends(const FbGuideFrame* frame, const FbVec3 f[FB_GUIDE_VECTORS],
                              double out[FB_BEAM_DOF]);
// Of a smooth guide that is dual to its field; its ends feel by_ends' f besides.
void fb_guide_frame_calc_moments(const FbGuideFrame* frame, const FbVec3 f[FB_GUIDE_VECTORS],
                                 double out[FB_BEAM_DOF]);
// d(by_pose' f)/d(pose) for fixed f, added to K [12 x 12]: large rotations, and curves.
void fb_guide_beam_add_second(const FbGuideBeam* beam, const FbPort port[2], double s,
                              const FbVec3 f[FB_GUIDE_VECTORS], double* K);
void fb_guide_curve_add_second(const FbGuideFrame* frame, FbVec3 origin,
                               const FbVec3 f[FB_GUIDE_VECTORS], double* K);

#endif
