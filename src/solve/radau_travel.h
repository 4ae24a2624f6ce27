// Newton's systems of a Radau step where parts travel (theory manual, section 5.16): each stage has
// its own blocks of them, all else those of the last Jacobian.
#ifndef FLYBALL_SOLVE_RADAU_TRAVEL_H
#define FLYBALL_SOLVE_RADAU_TRAVEL_H

#include "solve/radau.h"

// A new Jacobian was evaluated at r->at: which velocities are touched, and the blocks there. Takes
// memory only where more are touched than ever before.
FbStatus fb_radau_travel_begin(FbRadau* r, FbError* err);
// New factors: the responses to forces on the touched velocities have to be calculated again.
void fb_radau_travel_forget(FbRadau* r);
// What the blocks at the predicted stages differ by from those of the Jacobian.
void fb_radau_travel_realize(FbRadau* r, const FbCollocation* c);
// r->w: solutions of the systems with the Jacobian's blocks become those with the stages' own.
void fb_radau_travel_correct(FbRadau* r, const FbCollocation* c);
// Do stages have their own blocks at present?
bool fb_radau_travel_is_active(const FbRadau* r);
void fb_radau_travel_remember(FbRadau* r, FbMemory* m);
void fb_radau_travel_destroy(FbRadauTravel* t);

#endif
