// The inside of FbOperatingPoint: a system at rest, in steady motion, or at a time of a run.
#ifndef FLYBALL_SOLVE_OPERATING_POINT_H
#define FLYBALL_SOLVE_OPERATING_POINT_H

#include "flyball/linear.h"
#include "system/model.h"
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
};

// equilibrium.c: moves the point to where nothing accelerates, the velocities staying as they are.
FbStatus fb_find_equilibrium(FbOperatingPoint* op, FbError* err);

#endif
