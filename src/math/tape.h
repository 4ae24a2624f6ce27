// Tapes: formulas (formula.h) as a list of operations that runs over memory, for up to four points
// at once.
//
// Points are lanes of vectors: each lane gets exactly the arithmetic of its formulas, on machines
// with wide vectors and without. Nearly all operations are steps of one form, a b + c with a sign,
// so that one loop without branches does them; quotients, roots and angles interrupt it.
#ifndef FLYBALL_MATH_TAPE_H
#define FLYBALL_MATH_TAPE_H

#include <stdint.h>

#include "base/arena.h"
#include "math/formula.h"

enum { FB_TAPE_LANES = 4 };

typedef enum FbTapeOp {
    FB_TAPE_LINEAR,  // c + a b or, flipped, c - a b, rounded twice
    FB_TAPE_DIV,     // a / b
    FB_TAPE_SQRT,    // sqrt a
    FB_TAPE_SINCOS,  // sin a; cos a into b
    FB_N_TAPE_OPS
} FbTapeOp;

// Offsets into the memory of a run, bytes; `flip` is that of a mask of the product's sign.
typedef struct FbTapeStep {
    uint32_t to, a, b, c, flip;
} FbTapeStep;

typedef struct FbTapeRun {
    FbTapeOp op;
    int count;
} FbTapeRun;

typedef struct FbFormulaTape FbFormulaTape;
typedef struct FbTapeKernel {
    // Inputs first ... first + count - 1 of all lanes; in[k] has those of lane k.
    void (*set)(const FbFormulaTape* t, double* work, int first, int count,
                const double* const in[FB_TAPE_LANES]);
    // Angles are computed in the first n lanes only.
    void (*run)(const FbFormulaTape* t, double* work, int n);
} FbTapeKernel;

struct FbFormulaTape {
    int n_constants, n_inputs, n_outputs, n_steps, n_runs;
    const double* constants;  // the first two are masks of signs
    const FbTapeStep* steps;
    const FbTapeRun* runs;
    const uint32_t* outputs;  // [n_outputs] offsets
    int n_work;               // doubles of memory for a run
    const FbTapeKernel* kernel;
};

// A tape in the memory of the arena. NULL: out of memory, or the formulas have failed.
const FbFormulaTape* fb_tape_create(const FbFormulas* f, int n_inputs, const int* outputs,
                                    int n_outputs, FbArena* arena);
// Puts the constants into the memory of runs, once.
void fb_tape_start(const FbFormulaTape* t, double* work);
// Inputs of the lanes; those that are not requested repeat another.
static inline void fb_tape_set(const FbFormulaTape* t, double* work, int first, int count,
                               const double* const in[FB_TAPE_LANES]) {
    t->kernel->set(t, work, first, count, in);
}
static inline void fb_tape_run(const FbFormulaTape* t, double* work, int n) {
    t->kernel->run(t, work, n);
}
// An output of all lanes.
static inline const double* fb_tape_output(const FbFormulaTape* t, const double* work, int i) {
    return (const double*)((const char*)work + t->outputs[i]);
}

// The kernels: for every machine (tape_lanes.c), and with wider vectors (tape_wide.c, or
// tape_narrow.c where there are none: NULL).
extern const FbTapeKernel fb_tape_lanes;
const FbTapeKernel* fb_tape_find_wide(void);

#endif
