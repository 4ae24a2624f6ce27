// The equations by which structures follow the bodies that carry them; shared by carried.c and
// carried_rows.c.
#ifndef FLYBALL_SYSTEM_CARRIED_H
#define FLYBALL_SYSTEM_CARRIED_H

#include "system/part.h"

typedef struct FbCarrierEntry {
    int row, col;
    double value;
} FbCarrierEntry;

typedef struct FbCarrier {
    FbSystem* s;
    FbPoint* p;
    FbArena* arena;
    int n_v, n_row;
    FbCarrierEntry* entries;
    int n_entries, capacity;
    double* b;           // [n_row] what the rows must give
    double* compliance;  // [n_row] 1/k of strain rates; -1: an equation
    int rows_capacity, compliance_capacity;
    double soft;  // s
    int* of;      // [n_v] the superelement of a velocity, from 1 on; 0: none. NULL: there are none
    FbPattern pattern;
    FbLinear* solver;
    double* scale;         // [n_v + n_row] of the unknowns, and of their equations
    double* x;             // [n_v + n_row]
    double* mu;            // [n_row] of equations; strain rates have none
    bool is_position;      // displacements from p->q instead of velocities
    const double* target;  // [n_conditions of the model] of positions; NULL: not requested
    bool is_out_of_memory;
} FbCarrier;

// Rows are added at the point c->p, which is realized; out of memory is remembered.
void fb_carrier_add_constraints(FbCarrier* c);
void fb_carrier_add_conditions(FbCarrier* c);
void fb_carrier_add_rates(FbCarrier* c, const FbRate* rates, int n);
void fb_carrier_add_structures(FbCarrier* c);  // and c->soft
// Does a value that is set move what carries structures? Those of nodes do not say how their
// neighbours move.
bool fb_carrier_is_carrying(const FbModel* m, const FbCondition* condition, bool is_position);

#endif
