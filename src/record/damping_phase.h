// Where a vibration is amplified and where it is attenuated, and the energy of its cycles.
#ifndef FLYBALL_RECORD_DAMPING_PHASE_H
#define FLYBALL_RECORD_DAMPING_PHASE_H

#include "record/damping.h"

// From the energy, else from the power, else from the envelope; fills the cycles' energies and
// times too.
FbStatus fb_damping_add_phases(const FbDampingInput* in, FbArena* arena, FbDampingCycle* cycles,
                               FbDamping* d, FbError* err);

#endif
