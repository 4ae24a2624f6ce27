// Declarations shared by the files of carriages.
#ifndef FLYBALL_SYSTEM_CARRIAGE_H
#define FLYBALL_SYSTEM_CARRIAGE_H

#include "system/port.h"

// The vector of the guide that each row of a carriage compares with.
extern const int fb_carriage_vector[FB_CARRIAGE_ROWS];

// How the ends of the traversed element, the body of the curve, or the field of a smooth guide vary
// with the velocities; uses s->port_columns, or s->field_columns.
FbColumns fb_carriage_guide_columns(FbSystem* s, const FbCarriage* c, const FbCarriageState* x,
                                    bool only_pose);
// Of a segment of a smooth guide the columns of its ends (others: none), whose turns the direction
// across follows; uses s->port_columns. And which of them belongs to a velocity; -1: none.
FbColumns fb_carriage_end_columns(FbSystem* s, const FbCarriageState* x, bool only_pose);
int fb_carriage_find_end(const FbColumns* ends, int v);
// G' lambda: dual to the guide's vectors, and at the carriage.
void fb_carriage_calc_forces(const FbCarriageState* x, FbVec3 guide[FB_GUIDE_VECTORS],
                             double own[6]);
// The force lambda . t that shortens the guide, where the theory counts it.
double fb_carriage_calc_pull(const FbSystem* s, int carriage);

#endif
