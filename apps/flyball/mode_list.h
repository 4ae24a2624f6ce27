// Modes behind one interface: all of a linearization (dense), or the lowest of a large model
// (sparse).
#ifndef FLYBALL_APP_MODE_LIST_H
#define FLYBALL_APP_MODE_LIST_H

#include "flyball/linear.h"

// Exactly one of the two exists.
typedef struct ModeList {
    FbLinearization* all;
    FbLowest* lowest;
} ModeList;

int mode_list_get_count(const ModeList* list);
const FbMode* mode_list_get(const ModeList* list, int k);
// Share of each body in the kinetic energy of a mode, [n bodies].
FbStatus mode_list_calc_participation(const ModeList* list, int k, double* fractions);
// Velocity of a point of a body in a mode.
FbStatus mode_list_calc_shape(const ModeList* list, int k, int body, const double at[3],
                              double re[3], double im[3]);
void mode_list_free(ModeList* list);

#endif
