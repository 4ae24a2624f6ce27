// What the files of the stepper for linear equations share (theory manual, section 5.17).
#ifndef FLYBALL_SOLVE_LTV_H
#define FLYBALL_SOLVE_LTV_H

#include "math/linear.h"
#include "solve/integrator.h"
#include "solve/radau_coefficients.h"
#include "solve/weights.h"

enum {
    FB_LTV_STAGES = FB_RADAU_MAX_STAGES,
    FB_LTV_SYSTEMS = FB_RADAU_MAX_PAIRS + 1,
    FB_LTV_SETS = 6,
    FB_LTV_MOST_DENSE = 600,
    FB_LTV_KINDS = FB_MOVING_KINDS  // acceleration, velocity, displacement: M, C, K
};

// The unknowns y: displacements d = q - origin themselves, or with constraints d = Z y - P
// offset(t), Z an orthonormal basis of what the rows leave free; or amplitudes of modes, Z their
// shapes, in which M, C and K are diagonal.
typedef struct FbLtvUnknowns {
    int n, n_v, n_c;
    FbPattern pattern;  // of the matrices
    const double *M, *C, *K;
    bool has_damping;  // C is not zero
    bool is_modal;
    double *Z, *P, *L;  // [n_v x n], [n_v x n_c], [n_c x n_v] column-major; Z NULL: y = d
    double* Zt;         // Z by rows
    double* W;          // [n_v x n] y = W' d
    bool has_drives;
    double* offset[FB_LTV_KINDS];      // [n_c] second derivative, rate, value
    double* particular[FB_LTV_KINDS];  // [n_v] accelerations, velocities, displacements
    double* work;                      // [n_v]
} FbLtvUnknowns;

// Factors of the systems of the stages for one length of the step.
typedef struct FbLtvFactors {
    double h;         // 0: none
    bool has_places;  // the responses of displacements are there
    long used;
    FbLinear* system[FB_LTV_SYSTEMS];
    double* inverse[FB_LTV_SYSTEMS];  // of modal unknowns [n], instead of a system
    bool has_columns;                 // the following, for the current moving unknowns
    // [n] for a unit force on each of them; of complex systems these and i times these.
    double* columns[FB_LTV_SYSTEMS];
    // Motion of the groups' numbers at stage i by unit forces on them at stage j, [j][force][i]
    // [number]; and of the real system, [force][number].
    double* response[FB_LTV_KINDS];
    double* real;
} FbLtvFactors;

// One step: where it starts, and the motion at its stages.
typedef struct FbLtvStages {
    double t, h;
    double *y, *v, *a;               // [n]
    double* change[FB_LTV_SYSTEMS];  // [n], complex except for the first: eq. (5.58)
    double *Y, *V, *A;               // [s x n]; all but the last stage by fb_ltv_stages_expand()
    bool has_stages;
    double *w, *power, *powers;  // [n_w], [n_w], [s x n_w]
    double* w_end;
} FbLtvStages;

typedef struct FbLtvMoving {
    int n;  // groups
    const FbMovingGroup* groups;
    // From y to the groups' numbers, [4 n x unknowns], by rows and by columns; NULL: y = d.
    double *E, *Et;
    FbMovingShare* shares;  // [(s + 1) x capacity] at the start and at the stages
    int capacity;
    double* motion;  // [3][4 n]
    double* force;   // [2][4 n]
    double* re;      // [4 n x 4 n], and im behind it
    double* change;  // [2 unknowns]
    double* seen;    // [3 + 2 s][4 n] of the start, and of the changes
    double* system;  // [s rank x s rank]
    double* z;
    int* pivot;
    bool has_places;  // some share has depended on displacements so far
    // Velocities that the groups touch, and from y to these, [unknowns x n_near]; NULL: y = d.
    int n_near;
    int* near;
    double* near_of_y;
    double *near_seen, *near_motion;  // [3 + 2 s][n_near], [3][n_near]
} FbLtvMoving;

typedef struct FbLtv {
    FbIntegrator base;
    FbIntegratorStats stats;
    FbArena* arena;
    FbSizes size;
    FbLinearForm form;
    FbRadauMethod method;
    double once[FB_LTV_STAGES + 1], twice[FB_LTV_STAGES + 1];  // fb_radau_wide_integrals at 1
    // sum_i T^-1_ki c_i^p / p!, p = 0, 1, 2
    double complex powers_into[FB_LTV_SYSTEMS][3];
    double complex into_zero[FB_LTV_SYSTEMS];  // sum_i L_i(0) T_ik, pairs twice
    FbLtvUnknowns unknowns;
    bool has_tried_modes;
    FbLtvMoving moving;
    FbLtvFactors sets[FB_LTV_SETS];
    int n_sets;
    long uses;
    FbLinear* slow;  // of eq. (6.21)
    bool is_slow_factored;
    FbLtvStages* now;
    FbLtvStages* last;
    FbLtvStages* fine;
    FbLtvStages records[3];
    bool has_step;
    FbPoint at, stage;
    double* full;          // [n_v] load
    FbMovingShare* spare;  // room for shares
    double *R, *change;    // [s x n]
    double* w[FB_LTV_SYSTEMS];
    bool has_load;  // some stage of R is not zero
    double *error_v, *error_q, *b, *slow_error, *defect_v, *defect_q;  // [n]
    double *full_v, *full_q;                                           // [n_v]
    FbWeights weights;
    FbWorst worst;
    double h, h_before, error_before;
    double first_guess, first_part;  // at a restart, and what was left of it (1: all)
    bool was_rejected, is_first;
} FbLtv;

// The shift of system k, gamma/h.
static inline double complex fb_ltv_shift(const FbRadauMethod* m, int k, double h) {
    return (k == 0 ? m->gamma0 : m->gamma[k - 1]) / h;
}

// 1/z without the care that a division takes for overflow.
static inline double complex fb_ltv_reciprocal(double complex z) {
    return conj(z) / (creal(z) * creal(z) + cimag(z) * cimag(z));
}

// From system k to stage i, where conjugate pairs count twice; and from stage i to system k.
static inline double complex fb_ltv_weight_back(const FbRadauMethod* m, int k, int i) {
    return k == 0 ? m->t0[i] : 2.0 * m->t[i][k - 1];
}

static inline double complex fb_ltv_weight_into(const FbRadauMethod* m, int k, int i) {
    return k == 0 ? m->t0_inv[i] : m->t_inv[k - 1][i];
}

// ltv_unknowns.c
FbStatus fb_ltv_unknowns_init(FbLtvUnknowns* u, const FbLinearForm* form, const FbSizes* size,
                              FbArena* arena, FbError* err);
// Z by rows, from Z.
void fb_ltv_set_rows(FbLtvUnknowns* u, FbArena* arena);
// ltv_modes.c
// Amplitudes of modes take the place of the unknowns where that is accurate; false where not.
bool fb_ltv_unknowns_take_modes(FbLtvUnknowns* u, FbArena* arena);
// Displacements of the drives at t, and their derivatives.
void fb_ltv_unknowns_drive(FbLtvUnknowns* u, FbDynamics* d, double t);
// Forces: out = Z' x; motion: out = Z y, and back, out = W' x.
void fb_ltv_reduce(const FbLtvUnknowns* u, const double* x, double* out);
void fb_ltv_reduce_motion(const FbLtvUnknowns* u, const double* x, double* out);
void fb_ltv_expand(const FbLtvUnknowns* u, const double* y, double* out);
// One, two or three vectors at once.
void fb_ltv_expand_all(const FbLtvUnknowns* u, int count, const double* const* y,
                       double* const* out);
// out += matrix x, of the constant matrices of the unknowns.
void fb_ltv_multiply(const FbLtvUnknowns* u, const double* matrix, const double* x, double* out);
// The point with the motion y, v, a (may be NULL) at p->t.
void fb_ltv_set_point(FbLtv* s, const double* y, const double* v, const double* a, FbPoint* p);
// Multipliers at the point of stage i, whose q, v and a are known.
void fb_ltv_set_multipliers(FbLtv* s, int i, FbPoint* p);

// ltv_moving.c
void fb_ltv_moving_init(FbLtv* s);
// At a restart: what travelling parts touch now.
void fb_ltv_moving_restart(FbLtv* s);
// The shares at t as those of stage i (-1: of the start), and the load in terms of y, [n]; false:
// it is zero, and not written.
bool fb_ltv_share_calc(FbLtv* s, double t, int i, double* load);
// The last stage of a step is the start of the next.
void fb_ltv_share_pass(FbLtv* s);
// r += the forces of the shares of stage i by accelerations, velocities, displacements (NULL:
// none).
void fb_ltv_share_add(FbLtv* s, int i, const double* a, const double* v, const double* y,
                      double* r);
// The same in full displacements.
void fb_ltv_add_full_share(const FbLtv* s, int i, const double* a, const double* v, const double* d,
                           double* r);
FbMovingShare* fb_ltv_shares(const FbLtv* s, int i);
// The groups' numbers of one to three vectors, out = E y one behind the other, y every `stride`-th
// number; and y += E' x.
void fb_ltv_gather(const FbLtv* s, int count, const double* const* y, int stride, double* out);
void fb_ltv_scatter(const FbLtv* s, const double* x, double* y);

// ltv_responses.c
// The responses of f to forces on the current moving unknowns; those of displacements where shares
// have them.
void fb_ltv_responses_ensure(FbLtv* s, FbLtvFactors* f);

// ltv_forces.c
// Corrects s->w, solved without the shares, for those of the stages. `start`: where the motion
// starts to which s->w is the change (NULL: at zero).
FbStatus fb_ltv_correct_stages(FbLtv* s, FbLtvFactors* f, const FbLtvStages* start);
// The motion of the velocities near what travels at stage i of c, into p; the rest of p is left.
void fb_ltv_near_begin(FbLtv* s, const FbLtvStages* c);
void fb_ltv_near_set(FbLtv* s, const FbLtvStages* c, int i, FbPoint* p);
// The same for x, solved with the real system, and the shares of the start.
FbStatus fb_ltv_correct_real(FbLtv* s, FbLtvFactors* f, double* x);

// ltv_stages.c
FbStatus fb_ltv_factors_find(FbLtv* s, double h, FbLtvFactors** out);
// Overwrites x with the solution of system k.
void fb_ltv_system_solve(const FbLtv* s, const FbLtvFactors* f, int k, double* x);
FbStatus fb_ltv_stages_solve(FbLtv* s, FbLtvStages* c);
// The motion at all stages.
void fb_ltv_stages_expand(const FbLtv* s, FbLtvStages* c);
void fb_ltv_stages_calc_works(FbLtv* s, FbLtvStages* c);
void fb_ltv_stages_at(FbLtv* s, FbLtvStages* c, double t, FbPoint* p);

// ltv_memory.c
void fb_ltv_remember(FbIntegrator* self, FbMemory* m);

// ltv_error.c
FbWorst fb_ltv_error(FbLtv* s, const FbLtvStages* c, bool filters_twice);

#endif
