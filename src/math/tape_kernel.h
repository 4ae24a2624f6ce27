// The loops of a tape, for whatever vectors the file that includes this is compiled for.
#include <math.h>

#include "math/tape.h"

typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t Bits __attribute__((vector_size(32), aligned(8), may_alias));

#define AT(offset) (*(Lanes*)(memory + (offset)))

static void set(const FbFormulaTape* t, double* work, int first, int count,
                const double* const in[FB_TAPE_LANES]) {
    Lanes* to = (Lanes*)work + t->n_constants + first;
    for (int i = 0; i < count; i++) {
        to[i] = (Lanes){in[0][i], in[1][i], in[2][i], in[3][i]};
    }
}

// Angles of single lanes; a vector is stored at once, because it is loaded so.
static inline void calc_angles(char* memory, const FbTapeStep* s, int n) {
    double sine[FB_TAPE_LANES] = {0}, cosine[FB_TAPE_LANES] = {0};
    const double* x = (const double*)(memory + s->a);
    for (int k = 0; k < n; k++) {
        sine[k] = sin(x[k]);
        cosine[k] = cos(x[k]);
    }
    for (int k = n; k < FB_TAPE_LANES; k++) {
        sine[k] = sine[0];
        cosine[k] = cosine[0];
    }
    AT(s->to) = (Lanes){sine[0], sine[1], sine[2], sine[3]};
    AT(s->b) = (Lanes){cosine[0], cosine[1], cosine[2], cosine[3]};
}

static void run(const FbFormulaTape* t, double* work, int n) {
    char* memory = (char*)work;
    const FbTapeStep* s = t->steps;
    for (const FbTapeRun *r = t->runs, *last = t->runs + t->n_runs; r < last; r++) {
        const FbTapeStep* end = s + r->count;
        if (r->op == FB_TAPE_LINEAR) {
            for (; s < end; s++) {
                Bits product = (Bits)(AT(s->a) * AT(s->b));
                AT(s->to) = AT(s->c) + (Lanes)(product ^ *(Bits*)(memory + s->flip));
            }
        }
        for (; s < end; s++) {
            if (r->op == FB_TAPE_DIV) {
                AT(s->to) = AT(s->a) / AT(s->b);
            } else if (r->op == FB_TAPE_SQRT) {
                Lanes x = AT(s->a);
                AT(s->to) = (Lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
            } else {
                calc_angles(memory, s, n);
            }
        }
    }
}
