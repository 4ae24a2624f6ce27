// The effective damping of the vibration in one recorded output of a run: peaks, ratios per cycle
// and overall, envelope, energy, and the phases in which the vibration grows or decays.
#ifndef FLYBALL_DAMPING_H
#define FLYBALL_DAMPING_H

#include "flyball/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

// One cycle, from a positive peak to the next. Amplitudes are measured from `about`.
typedef struct FbDampingCycle {
    double t;              // s: of the peak that ends it
    double amplitude;      // of that peak, unit of the output
    double ratio;          // ln(A_(k-1) / A_k) / (2 pi)
    double overall;        // zeta_k = ln(A_0 / A_k) / (2 pi k), from the start to here
    double frequency_hz;   // of this cycle
    double energy;         // J at the peak; NaN: no energy is recorded
    double energy_change;  // J since the previous peak, from the energy or as work of the power;
                           // NaN: neither is recorded
    double growing_s;      // for how long the vibration is amplified in it
    double falling_s;      // for how long it is attenuated
    uint64_t reserved[4];
} FbDampingCycle;

// A time span in which the vibration grows or decays.
typedef struct FbDampingPhase {
    double from, to;  // s
    int direction;    // +1: it grows, -1: it decays
} FbDampingPhase;

// A peak of either sign.
typedef struct FbDampingPeak {
    double t;          // s
    double amplitude;  // positive
} FbDampingPeak;

// What was found. It owns its arrays; its texts belong to the model.
typedef struct FbDamping {
    const char* output;
    const char* unit;
    double about;                  // the value about which it vibrates
    bool starts_at_rest;           // A_0 is the value at the start; false: the first peak
    double t_0, amplitude_0;       // s, and A_0
    const FbDampingCycle* cycles;  // [n_cycles] all of them, even beyond n_asked
    int n_cycles;
    int n_asked;                 // cycles that `ratio` is over
    bool is_complete;            // there are n_asked cycles; false: `ratio` is NaN
    double ratio;                // overall, zeta_n with n = n_asked
    double frequency_hz;         // mean over these cycles
    double bound;                // that no law exceeds; NaN: not given
    double share;                // ratio / bound
    const FbDampingPeak* peaks;  // [n_peaks] the envelope
    int n_peaks;
    const char* phases_from;       // what determines the phases: "energy", "power" or "envelope"
    const FbDampingPhase* phases;  // [n_phases]
    int n_phases;
} FbDamping;

// Examines a result. `def` says what; NULL: what the model's `damping` says. The model must outlive
// *out, the result need not. FB_ERR_NAME: no such output; FB_ERR_ARGUMENT: nothing is requested, or
// there are too few samples.
FB_API FbStatus fb_damping_create(const FbResult* result, const FbDampingDef* def, FbDamping** out,
                                  FbError* err);
// How many of the first cycles are cycles of the vibration: until one lasts so much longer or
// shorter than those before it that its peak is a ripple of something else, or until the amplitude
// is lost in the rounding of the first one. Later ones say nothing about the damping.
FB_API int fb_damping_count_clear(const FbDamping* damping);
// Frees it; NULL is allowed.
FB_API void fb_damping_destroy(FbDamping* damping);

#ifdef __cplusplus
}
#endif
#endif
