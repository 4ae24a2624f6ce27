// The internals of FbOperatingPoint: a system at rest, in steady motion, or at a time of a run.
#ifndef FLYBALL_SOLVE_OPERATING_POINT_H
#define FLYBALL_SOLVE_OPERATING_POINT_H

#include "flyball/linear.h"
#include "model/model.h"
#include "system/system.h"

struct FbOperatingPoint {
    const FbModel* model;
    FbSystem* system;
    FbDynamics* dynamics;
    FbArena* arena;
    FbPoint p;
    FbAssembly assembly;
    FbOperatingInfo info;
    int* joint;  // of each named coordinate
    int* index;  // within its joint
    const char** names;
    double* carried_mass;  // [n_v] kg that a velocity moves
    double*
        stiffness;  // [n_v] forces on each coordinate that positions of the model's size would make
    double* row_stiffness;  // [n_c] the largest of those that a constraint joins
    bool* is_followed;      // [n_x] states that forces depend on, at the point
    bool keeps_states;      // the equilibrium leaves them as they are
    bool is_measured;       // by the search for the equilibrium: residual and scale are known
    bool is_turning;        // some coordinates keep constant rates
    FbSpins spins;          // what turns steadily without a joint that does
    double* steady_a;       // [n_v] its accelerations
};

// A point without a state: what fb_operating_point_create fills.
FbStatus fb_operating_point_create_empty(const FbModel* model, FbOperatingPoint** out,
                                         FbError* err);

// start.c: moves an assembled system to where its run starts: to the equilibrium with all forces,
// laws and states standing still, and into a mode. The forces of settings->release are gone from
// the system afterwards.
FbStatus fb_start_elsewhere(FbSystem* s, const FbModel* model, const FbSettings* settings,
                            FbPoint* p, FbAssembly* assembly, FbError* err);
// start_mode.c: the displacement in an undamped mode.
FbStatus fb_start_in_mode(FbSystem* s, const FbModel* model, const FbSettings* settings, FbPoint* p,
                          FbAssembly* assembly, FbError* err);

// steady.c: the velocities of a steady motion and what turns with it, from the requested rates and
// those of drives; velocities and accelerations of the rotating parts after the position changed;
// and whether the motion found remains steady.
FbStatus fb_operating_set_steady(FbOperatingPoint* op, const FbOperatingOptions* o, FbError* err);
void fb_operating_follow(FbOperatingPoint* op);
FbStatus fb_operating_check_steady(FbOperatingPoint* op, FbError* err);

// The largest unbalanced force relative to the largest acting one, *scale; *worst is its velocity.
// Forces that happen to vanish at the point (of a hanging pendulum, of a spring without tension)
// count with what they could be: gravity by its bound g sqrt(carried mass * M_jj), stiffness, for
// its own coordinates, by what rounding of their positions makes of it.
double fb_operating_residual(FbOperatingPoint* op, const FbBlocks* b, const double* unbalanced,
                             double* scale, int* worst);

// The largest rate of a state that forces depend on, relative to what its rate is made of; rates
// [n_x] receives all such rates (others are zero) and *worst the state. Fills is_followed.
double fb_operating_state_residual(FbOperatingPoint* op, const FbBlocks* b, double* rates,
                                   int* worst);

// equilibrium.c: moves the point to where nothing accelerates, the velocities staying as they are,
// and to where the states on which forces depend stay too.
FbStatus fb_find_equilibrium(FbOperatingPoint* op, FbError* err);

#endif
