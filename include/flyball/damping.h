// The effective damping of a vibration that one recorded output of a run shows: peaks, ratios by cycle and overall, envelope,
// energy, and the phases in which the vibration grows or falls.
#ifndef FLYBALL_DAMPING_H
#define FLYBALL_DAMPING_H

#include "flyball/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

// One cycle, from a positive peak to the next.
typedef struct FbDampingCycle {
    double t;              // s: of the peak that ends it
    double amplitude;      // that peak above `about`, unit of the output
    double ratio;          // ln(A_(k-1) / A_k) / (2 pi)
    double overall;        // zeta_k = ln(A_0 / A_k) / (2 pi k), from the start to here
    double frequency_hz;   // of this cycle
    double energy;         // J at the peak; NaN: no energy is recorded
    double energy_change;  // J since the peak before: of the energy, or work of the power; NaN: neither is recorded
    double growing_s, falling_s; // how long the vibration is amplified and attenuated in it
} FbDampingCycle;

// Where the vibration grows (+1) or falls (-1).
typedef struct FbDampingPhase {
    double from, to;       // s
    int direction;
} FbDampingPhase;

typedef struct FbDampingPeak {
    double t, amplitude;   // both signs of the vibration; the amplitude is positive
} FbDampingPeak;

typedef struct FbDamping {
    const char* output;
    const char* unit;
    double about;          // the value about which it vibrates
    bool starts_at_rest;   // A_0 is the value at the start, else the first peak
    double t_0, amplitude_0;
    const FbDampingCycle* cycles; // all that are there, also beyond n_asked
    int n_cycles;
    int n_asked;           // cycles that `ratio` is over
    bool is_complete;      // n_asked cycles are there; else `ratio` is NaN
    double ratio;          // overall zeta_n, n = n_asked
    double frequency_hz;   // mean over these cycles
    double bound;          // that no law exceeds; NaN: not given
    double share;          // ratio / bound
    const FbDampingPeak* peaks; // the envelope
    int n_peaks;
    const char* phases_from;    // "energy", "power" or "envelope"
    const FbDampingPhase* phases;
    int n_phases;
} FbDamping;

// What is asked for (NULL: by the model's `damping`), from a result; its texts are those of the model. FB_ERR_NAME: no such output;
// FB_ERR_ARGUMENT: nothing is asked for, or the samples are no series.
FB_API FbStatus fb_damping_create(const FbResult* result, const FbDampingDef* def, FbDamping** out, FbError* err);
FB_API void fb_damping_destroy(FbDamping* damping);

#ifdef __cplusplus
}
#endif
#endif
