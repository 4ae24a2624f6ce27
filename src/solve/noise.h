// What rounding leaves of accelerations, measured at points that differ in their last digits
// (theory manual, eq. 6.16): a link of a billionth of the mass that it carries spins by what the
// forces that pass through it round to. Errors of steps in these directions, of that size, do not
// shorten steps; all other directions keep their tolerance.
#ifndef FLYBALL_SOLVE_NOISE_H
#define FLYBALL_SOLVE_NOISE_H

#include "solve/weights.h"

// Places in a step: its start, its end and some inside.
enum { FB_NOISE_START, FB_NOISE_END, FB_NOISE_INSIDE, FB_NOISE_PLACES = 5 };
// Neighbours that are looked at: several of the start, whose noise is that of all.
enum { FB_NOISE_LOOKS = 3 };

typedef struct FbNoise {
    bool is_on;       // steps are limited by it
    bool has_start;   // it was measured at the start of the step
    int calm;         // steps in a row that were not
    double size;      // weighted, at starts of steps of late
    double more;      // times that at the current one
    double error, h;  // of the last trial, 0: none
    long next, wait;  // step from which on it may be suspected again
    // Differences of accelerations, and as rates of coordinates, at all places.
    double* a[FB_NOISE_PLACES];     // [n_v]
    double* q[FB_NOISE_PLACES];     // [n_q]
    double* rest[FB_NOISE_PLACES];  // [n_q] or [n_v] what is left of them
    FbPoint near;                   // a neighbour
} FbNoise;

void fb_noise_init(FbNoise* z, const FbDynamics* d, FbArena* arena);

// After a trial of step number `step`: did its error, next to that of the trial before, follow the
// length as the error of a method does? If not it may be noise.
bool fb_noise_is_suspect(FbNoise* z, double error, double h, long step);
// What a suspicion was worth: after vain ones the next waits for twice as many steps.
void fb_noise_note(FbNoise* z, bool is_on, long step);
// What it knows from one step to the next.
void fb_noise_remember(FbNoise* z, FbMemory* m);
// The next trial starts again.
void fb_noise_restart(FbNoise* z);

// Measures at p, a place of a step whose accelerations are known. False: some neighbour has none.
bool fb_noise_measure(FbNoise* z, FbDynamics* d, const FbWeights* w, const FbPoint* p, int place);

// Takes what is noise, by the directions at all places and the size at the start, out of weighted
// errors [n] of n_errors kinds, made by steps that multiply it by up to `reach`. The weight of
// entry i is inverse[index ? index[i] : i]. Returns the largest share of a tolerance that noise may
// take.
double fb_noise_remove(FbNoise* z, int n, double* const* samples, const double* inverse,
                       const int* index, double reach, int n_errors, double* const* errors);

#endif
