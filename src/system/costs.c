// What evaluations of a model cost, in operations: counted, not timed, so that the same mechanism
// takes the same decisions in every pose, at every size and on every machine (theory manual,
// section 5.10).
//
// An operation is about one instruction. The numbers are means of what a profiler counted on
// mechanisms of 1 to 10 links (docs/decisions/integrators.md); costs are compared, not predicted.
#include "math/tape.h"
#include "system/work.h"

// A link: in forward dynamics, in a residual, its position and velocity alone, its derivatives, and
// a pair of velocities in the matrices.
static const double LINK_FORWARD = 1500.0, LINK_RESIDUAL = 1000.0, LINK_MOTION = 400.0,
                    LINK_BLOCKS = 1000.0, PAIR = 330.0;
// A row in a residual and in the matrices; a line and an entry of the matrix of M and G in its
// factorization.
static const double ROW_RESIDUAL = 300.0, ROW_BLOCKS = 2000.0, FACTOR = 1000.0, ENTRY = 100.0;
// An operation of an expression: its value, and its derivatives.
static const double CODE = 60.0, CODE_BLOCKS = 150.0;
// A step, a sine with its cosine and the call of a tape: for one of four points at once, and for
// one alone.
static const double TAPE_STEP = 5.0, TAPE_SINE = 150.0, TAPE_CALL = 130.0, TAPE_ALONE = 2.7;

typedef struct ForceCost {
    double apply, power, blocks;
} ForceCost;

static ForceCost force_cost(const FbForce* e) {
    switch (e->measure) {
        case FB_MEASURE_COORDINATE:
            return (ForceCost){290.0, 350.0, 500.0};
        case FB_MEASURE_FRAMES:
            return (ForceCost){1900.0, 3300.0, 12000.0};
        case FB_MEASURE_POINT_FORCE:
        case FB_MEASURE_POINT_TORQUE:
            return (ForceCost){600.0, 600.0, 3000.0};
        default:
            return (ForceCost){780.0, 900.0, 1500.0};
    }
}

static double code_length(const FbModel* m, int function) {
    return function >= 0 ? fb_expr_length(m->functions[function].expr) : 0.0;
}

static ForceCost sum_forces(const FbModel* m) {
    ForceCost sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < m->n_forces; i++) {
        const FbForce* e = &m->forces[i];
        ForceCost own = force_cost(e);
        double code = 0.0;
        for (int k = 0; k < 3; k++) {
            code += code_length(m, e->function[k]);
        }
        sum.apply += own.apply + CODE * code;
        sum.power += own.power + CODE * code;
        sum.blocks += own.blocks + CODE_BLOCKS * code;
    }
    return sum;
}

// Expressions of all states.
static double state_code(const FbModel* m) {
    double code = 0.0;
    for (int i = 0; i < m->n_states; i++) {
        code += code_length(m, m->states[i].function);
    }
    return code;
}

// Accelerations with constraints: the matrix of M and G is factored.
static double factor_cost(const FbSystem* s) {
    int n_c = s->dynamics.size.n_c;
    double entries = fb_pattern_count(&s->m->vv) + 2.0 * fb_pattern_count(s->blocks.cv) + n_c;
    return FACTOR * (s->dynamics.size.n_v + n_c) + ENTRY * entries;
}

static double tape_cost(const FbFormulaTape* t) {
    int sines = 0;
    for (int i = 0; i < t->n_runs; i++) {
        sines += t->runs[i].op == FB_TAPE_SINCOS ? t->runs[i].count : 0;
    }
    return TAPE_CALL + TAPE_STEP * t->n_steps + TAPE_SINE * sines;
}

// Formulas instead of passes over the links, but for forward dynamics.
static void use_tapes(const FbTapes* t, FbCosts* out) {
    out->residual = tape_cost(t->residual);
    out->power = tape_cost(t->powers);
    out->jacobian = t->blocks ? TAPE_ALONE * tape_cost(t->blocks) : out->jacobian;
}

bool fb_system_calc_costs(const FbDynamics* d, FbCosts* out) {
    const FbSystem* s = (const FbSystem*)d;
    const FbModel* m = s->m;
    if (m->has_structures || m->n_superelements > 0 || m->n_sliders > 0 || d->is_deep) {
        return false;
    }
    double links = m->tree.n_link, rows = d->size.n_c, states = state_code(m);
    ForceCost forces = sum_forces(m);
    out->residual = LINK_RESIDUAL * links + ROW_RESIDUAL * rows + forces.apply + CODE * states;
    out->power = d->size.n_w > 0 ? LINK_MOTION * links + forces.power : 0.0;
    out->jacobian = LINK_BLOCKS * links + PAIR * fb_pattern_count(&m->vv) + ROW_BLOCKS * rows +
                    forces.blocks + CODE_BLOCKS * states;
    double motion = d->size.n_x > 0 ? LINK_MOTION * links : 0.0;  // once more for the states
    double forward = d->size.n_c > 0 ? LINK_RESIDUAL * links + ROW_RESIDUAL * rows + factor_cost(s)
                                     : LINK_FORWARD * links;
    out->rates = forward + forces.apply + motion + CODE * states + out->power;
    if (d->has_tapes) {
        use_tapes(&m->tapes, out);
    }
    return true;
}
