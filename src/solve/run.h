// The run loop over any dynamics: steps that end at limits and breaks, events located inside them,
// restarts.
#ifndef FLYBALL_SOLVE_RUN_H
#define FLYBALL_SOLVE_RUN_H

#include "solve/integrator.h"

typedef struct FbRun FbRun;

// Halvings of a step in which depths vary much.
enum { FB_KINK_LEVELS = 7, FB_MAX_WORKS = 4 };

// What the run knows of a switch (kinks.c).
typedef struct FbKink {
    double scale;          // largest numbers that its depth was the difference of
    double time_noise;     // what it changes in a rounding error of the time
    double speed;          // of the depth in the last step
    double inside;         // time in the current step at which it was inside its piece; NaN: never
    double chatter_start;  // of a row of changes
    int n_chatter;         // in that row
    int calm;              // steps without a change while it is free
    bool is_known;         // the speed
    bool is_border;        // the step began on its border
    bool is_beyond;        // its border in the current step
    bool is_new;           // it changed its piece at the start of the step
    bool is_tried;         // ... and before that already, at the same time
    bool is_free;          // not held
    bool is_touch;         // a singular point, never held
    bool is_coming;        // ... ever faster
    bool is_leaving;       // ... the motion has just left it
} FbKink;

typedef struct FbRunHooks {
    void* self;
    // A part (from, to] of the trajectory is available: fb_run_sample works for its times until
    // this returns. May be NULL.
    FbStatus (*on_interval)(void* self, FbRun* run, double from, double to, FbError* err);
    // Event `root` at p; *is_ignored = true: nothing happens (it happened often enough). May be
    // NULL.
    FbStatus (*on_event)(void* self, FbRun* run, const FbPoint* p, int root, int direction,
                         bool* is_ignored, FbError* err);
} FbRunHooks;

struct FbRun {
    FbDynamics* dynamics;
    FbIntegrator* integrator;
    FbRunHooks hooks;
    const int* directions;     // [n_root] +1 rising, -1 falling, 0 both; NULL: all both
    bool needs_accelerations;  // at samples
    bool has_fixed_steps;      // steps end where they should and nowhere else (theory manual,
                               // section 5.15)
    double part;               // of a step of fixed length that was taken last; 0: all of it
    long n_parts;              // such parts so far
    double part_time;          // where the first one began
    FbArena* arena;
    FbPoint at;                                               // the current point
    FbPoint start;                                            // of the last step
    FbPoint probe, event;                                     // inside it
    double *roots, *roots_before, *roots_after, *root_scale;  // [n_root]
    double row_change;  // first time at which constraint rows that had seemed redundant became
                        // active; NaN: never
    double blow;    // first time at which velocities jumped with a prescribed motion; NaN: never
    FbKink* kinks;  // [n_switch]
    double *depth_start, *depth_end, *depth_probe, *scale_now;  // [n_switch]
    double* depth_looks;                                        // [3 x levels x n_switch]
    long n_kinks;                                               // steps that ended at one
    long n_looks;                                               // at depths inside steps
    double chatter_time;  // from when on some were not located any more; NaN: never
    int chatter;          // the first of them
    double speed;         // largest of all, in their scales, where there are constraints
    double last_span;     // the last step, as far as it was kept
    int n_stalls;         // kinks in a row at the same time
    int look_level;       // halvings of a step that are always examined
    double longest;       // step so far, as far as it was kept
    bool ignores_kinks;   // none is located
    bool is_companion;    // kinks are located on the dense output alone
    bool wants_stop;      // a hook asks to stop at the event that it was called for
    bool has_dark_step;   // the last step may hold one that was not located
    double touch;         // where the next step should end, at a singular point; NaN: nowhere
    double touch_end;     // of the step in which it was seen,
    double touch_span;    // ... and its length
    bool is_seen;         // inside a step, not only foreseen
    bool is_hopping;      // the next step leads across it
    int touched;          // by whom
    int n_corrections;    // of that
    int n_redone;         // steps in a row that were discarded because of one
    double work_correction[FB_MAX_WORKS];  // of w, as found by works.c
    int* others;  // [n_root] directions of the roots that are crossed at the event that was found,
                  // too
    int* side;    // [n_root] sign on which each root function is, 0 not known yet
};

// The run owns the integrator from now on (also where it fails). `max` are the largest sizes that
// may occur. Fill run->at, then call fb_run_restart.
FbStatus fb_run_init(FbRun* run, FbDynamics* d, FbIntegrator* integrator, const FbSizes* max,
                     FbError* err);
void fb_run_clear(FbRun* run);
FbStatus fb_run_restart(FbRun* run, FbError* err);
// The equations have changed at run->at: continues from there as after a break.
FbStatus fb_run_interrupt(FbRun* run, FbError* err);

// run_memory.c: all but the integrator's own memory; the sizes must be the same.
void fb_run_remember(FbRun* run, FbMemory* m);

// One step, ending at or before t_limit. FB_STOPPED: an event asked to stop; run->at is there.
FbStatus fb_run_step(FbRun* run, double t_limit, FbError* err);

// Two times that are not farther apart than this are one: no step is taken between them.
double fb_run_resolution(const FbRun* run);

// The trajectory at a time inside the last step: projected, with accelerations where they are
// needed. Other rows may be in use until fb_run_leave_sample, which has to follow.
FbStatus fb_run_sample(FbRun* run, double t, FbPoint* p, FbError* err);
void fb_run_leave_sample(FbRun* run);

// The same with the accuracy of step ends, and with accelerations: for points from which a run
// continues.
FbStatus fb_run_sample_finely(FbRun* run, double t, FbPoint* p, FbError* err);

// The accurate point at a time inside the last step, projected, without accelerations; and these.
FbStatus fb_run_refine(FbRun* run, double t, FbPoint* p, FbError* err);
FbStatus fb_run_realize(FbRun* run, FbPoint* p, FbError* err);

// What a step has encountered: nothing, the border of a piece (the step is cut there, which may be
// its start), or a singular point (the step is to be made again, up to run->touch).
typedef enum FbKinkFound { FB_KINK_NONE, FB_KINK_BORDER, FB_KINK_TOUCH } FbKinkFound;

// kinks.c: the run starts at run->at, or continues there after a restart.
FbStatus fb_run_start_kinks(FbRun* run);
void fb_run_resume_kinks(FbRun* run);
// Is a switch that is held on the border of its piece, at the start of a step?
bool fb_run_is_on_border(const FbRun* run);
FbStatus fb_run_find_kink(FbRun* run, FbKinkFound* found, FbError* err);
// The pieces change at run->at.
void fb_run_pass_kink(FbRun* run);

// Depths at a time in the last step; coarse: by the quickest interpolation that there is.
FbStatus fb_run_calc_depths(FbRun* run, double t, bool is_coarse, double* depth);

// touches.c: the first singular point that is touched inside the step, before `end`; NaN: none.
FbStatus fb_run_find_touch(FbRun* run, double end, double* t);
// The step ended at run->touch: how to continue, by a little more, by a hop across the point, or by
// the same step again up to *again (NaN: none of these, this is the place).
FbStatus fb_run_approach_touch(FbRun* run, double* again);
// Is there such a point about a step away? And the information from a step without any.
bool fb_run_is_rough(const FbRun* run);
void fb_run_follow_touches(FbRun* run);
// Steps that become much shorter may be creeping up to a jump at such a point: it is aimed at.
FbStatus fb_run_foresee_touch(FbRun* run);

// works.c: integrates the work of a step with unlocated kinks by a separate quadrature.
FbStatus fb_run_check_works(FbRun* run);

// blow.c: at run->at, where laws may have changed: the velocities that go with them, by the
// smallest change in the mass metric, and the work of that.
FbStatus fb_run_take_blow(FbRun* run, FbError* err);

// events.c: the first crossing in (from, to]; *root = -1: none. The point is written to run->event.
FbStatus fb_run_find_event(FbRun* run, double from, double to, int* root, int* direction,
                           FbError* err);
void fb_run_start_roots(FbRun* run);
// The event was dealt with: the root is on its new side.
void fb_run_pass_event(FbRun* run, int root, int direction);

#endif
