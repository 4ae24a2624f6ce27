// Smooth guides through points of links: the field of a segment, its forces on the links, and how
// it varies with the velocities (theory manual, section 9.9).
#ifndef FLYBALL_SYSTEM_GUIDE_SPLINE_H
#define FLYBALL_SYSTEM_GUIDE_SPLINE_H

#include "system/port.h"

// e, e', e'' of a segment as the links are now, with places from its first point, which is
// returned; e'' contains -g in its position parts.
FbVec3 fb_guide_spline_realize(const FbSystem* s, const FbBeamElement* e, double field[FB_BEAM_DOF],
                               double rate[FB_BEAM_DOF], double acceleration[FB_BEAM_DOF]);
// The segment resists with f, dual to e: its points feel their shares of -f.
void fb_guide_spline_push(FbSystem* s, const FbBeamElement* e, const double f[FB_BEAM_DOF]);
// How e, e' and e'' vary with the velocities of the path; uses s->field_columns.
FbColumns fb_guide_spline_calc_columns(FbSystem* s, const FbBeamElement* e, bool only_pose);
// The derivative of J' f at fixed f.
void fb_guide_spline_add_geometric(const FbSystem* s, const FbBeamElement* e,
                                   const double f[FB_BEAM_DOF], double* K);

// The field of an element of a guide, dual to which its sliders act: constant columns of linear
// ones, those of segments as they are now.
static inline FbColumns fb_guide_field_columns(FbSystem* s, const FbBeamElement* e,
                                               bool only_pose) {
    return e->is_linear ? fb_beam_field_columns(e) : fb_guide_spline_calc_columns(s, e, only_pose);
}

#endif
