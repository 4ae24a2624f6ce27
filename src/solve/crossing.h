// Crossing positions where constraints become dependent, for methods that would leave the branch
// there.
//
// Near such a position forward dynamics yields ever larger multipliers and accelerations, so a
// method based on it takes ever shorter steps up to the position and may leave it on any branch. If
// steps shrink like that, radau takes over at the last good point, leaps across (radau.c) and hands
// back.
#ifndef FLYBALL_SOLVE_CROSSING_H
#define FLYBALL_SOLVE_CROSSING_H

#include "solve/integrator.h"

typedef struct FbCrossing {
    FbIntegrator* radau;      // NULL: not needed
    FbSizes size;             // for which its memory is allocated
    const char* method;       // that it helps
    double looser;            // tolerances of radau against the method's; 0: the same
    double longest;           // recent step of the method, also before its last restarts
    double since;             // ... since the last restart
    double t_before, t_last;  // the last step
    double least_leverage;    // of the multipliers at restarts so far; 0: not known
    bool is_beside;           // the multipliers say that such a position is near
    bool is_active;           // radau made the last step
    bool is_over;             // ... and need not make the next
    double t_begin;
    int count;       // how often radau took over
    double t_first;  // the first
    char warning[200];
} FbCrossing;

// At a restart of the method at p: takes all memory where there are constraints.
FbStatus fb_crossing_restart(FbCrossing* c, const FbIntegrator* method, const FbPoint* p,
                             FbError* err);
// The same motion continues at p, with other rows.
FbStatus fb_crossing_go_on(FbCrossing* c, const FbPoint* p, FbError* err);
void fb_crossing_destroy(FbCrossing* c);

// The method takes over from another one, whose steps were that long.
void fb_crossing_expect(FbCrossing* c, double longest);
// The method made a step of length h to the time t.
void fb_crossing_follow(FbCrossing* c, double t, double h);
// Have the method's steps shrunk so much, now h, that another method should take over?
bool fb_crossing_is_near(const FbCrossing* c, double h);
// Do the multipliers say so at p?
bool fb_crossing_is_beside(const FbCrossing* c, const FbPoint* p);

// Radau starts at p, the last good point, which must be consistent; its steps may be expected to be
// `reach` times as long as those of the method.
FbStatus fb_crossing_begin(FbCrossing* c, const FbPoint* p, double reach, FbError* err);
// One step of radau; the counts are added to *stats.
FbStatus fb_crossing_step(FbCrossing* c, double t_limit, FbPoint* p, FbIntegratorStats* stats,
                          FbError* err);
// A point inside that step.
FbStatus fb_crossing_interpolate(FbCrossing* c, double t, FbPoint* p);

// The method continues, with short first steps that are not significant.
void fb_crossing_end(FbCrossing* c);

const char* fb_crossing_warning(const FbCrossing* c);  // or NULL

#endif
