// Moves between two values that events start: what is known of them before the events are.
#ifndef FLYBALL_LAW_MOVES_H
#define FLYBALL_LAW_MOVES_H

#include "law/law.h"

// Which of the two events: where the outward and where the inward move starts.
typedef enum FbMoveKind { FB_MOVE_OUTWARD, FB_MOVE_INWARD, FB_N_MOVES } FbMoveKind;

// The data of a law of type `moves`.
typedef struct FbMoves {
    double inner, outer;
    double asked;     // s: the duration in the description ...
    double duration;  // ... and the one that keeps the limits
    double lead;      // s
    double frequency;
    int direction[FB_N_MOVES];  // of the crossings that count: +1, -1, 0 both
    bool starts_outer;
    int slot;  // its discrete state in a system, given by the compiler
} FbMoves;

// Where a law is in its moves: at rest from `end` on.
typedef struct FbMoveState {
    bool is_outer;      // at the outer value, or on the way there
    double begin, end;  // s, of the last move; -INFINITY: none yet
    long count[FB_N_MOVES];
} FbMoveState;

FbMoveState fb_moves_start(const FbMoves* m);
void fb_moves_calc(const FbMoves* m, const FbMoveState* state, double t, double out[3]);
// At rest at t, where only this event counts; -1: moving.
int fb_moves_waits_for(const FbMoveState* state, double t);
// The event happened at t.
void fb_moves_go(const FbMoves* m, FbMoveState* state, double t);

#endif
