// Assembly of the initial state: what was set is kept, the rest follows by the smallest change of
// the drawing.
//
// Set values are approached in small steps from the closed drawing, so that links do not flip
// (theory manual, eqs. 4.10-4.12); assembler.c has the equations.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/assembler.h"

// Largest rotation (rad) or, in units of the model, translation in one Newton step and in one step
// of the approach. Where so many steps of the approach are not enough, Newton's may be longer: such
// a part of what one has to cover.
static const double MAX_MOVE = 0.3;
static const double APPROACH = 0.2;
static const double PART = 0.05;
// Largest error of an assembled model, in units of its rows (velocities: and of what is set).
static const double CLOSED = 1e-12;
// Rounding of a far drawing, of its distance from the origin.
static const double DRAWN = 16.0 * DBL_EPSILON;
// Repeats of the velocities end where they change, of the fastest, by less than this, or where the
// changes and errors do not shrink any more.
static const double SETTLED = 1e-14;
enum { MAX_NEWTON = 200, MAX_APPROACH = 400, MAX_REPEATS = 60 };

// Shortens the step so that no coordinate moves further than allowed.
static double step_length(const FbAssembler* as) {
    double longest = 0.0, most = fmax(MAX_MOVE, as->most);
    for (int j = 0; j < as->n_v; j++) {
        longest = fmax(longest, fabs(as->x[j]) / as->s->m->unit_v[j]);
    }
    return longest > most ? most / longest : 1.0;
}

// Newton's method; returns the error reached, in units.
static FbStatus close_positions(FbAssembler* as, FbPoint* p, bool with_conditions, double* reached,
                                int* worst, FbError* err) {
    FbSystem* s = as->s;
    double best = INFINITY;
    int stalled = 0;
    for (int i = 0; i < MAX_NEWTON; i++) {
        *reached = fb_assembler_calc_errors(as, p, with_conditions, worst);
        if (!(*reached > (i > 1 ? 1e-15 : 0.0)) || isnan(*reached)) {
            break;
        }
        // Rounding, or no way to go: a few more steps without progress are enough.
        stalled = *reached < 0.9 * best ? 0 : stalled + 1;
        best = fmin(best, *reached);
        if (stalled > (*reached < CLOSED ? 1 : 25)) {
            break;
        }
        FB_TRY(fb_assembler_factor(as, p, with_conditions, err));
        fb_assembler_solve(as);
        double f = step_length(as);
        for (int j = 0; j < as->n_v; j++) {
            as->x[j] *= f;
        }
        fb_tree_plus(&s->m->tree, p->q, as->x, s->work_q[0]);
        memcpy(p->q, s->work_q[0], sizeof(double) * (size_t)s->m->tree.n_q);
        fb_tree_normalize(&s->m->tree, p->q);
        fb_system_realize(s, p->q, NULL, NULL);
        fb_turns_start(s, as->t, p->q);
    }
    return FB_OK;
}

static const char* owner_of(const FbModel* m, const FbRow* row, const char** kind, FbPlace* place) {
    if (row->carriage) {
        *kind = "the carriage of slider";
        *place = m->sliders[row->owner].place;
        return m->sliders[row->owner].name;
    }
    *kind = row->is_joint ? "joint" : "constraint";
    *place = row->is_joint ? m->joints[row->owner].place : m->constraints[row->owner].place;
    return row->is_joint ? m->joints[row->owner].name : m->constraints[row->owner].name;
}

static FbStatus report_open(const FbAssembler* as, int worst, FbError* err) {
    const FbModel* m = as->s->m;
    double reached = worst >= 0 ? fabs(as->c[worst]) : 0.0;
    const char* what = as->is_velocity ? "m/s or rad/s" : "m or rad";
    if (worst >= as->n_row) {
        const FbCondition* c = as->condition[worst - as->n_row];
        return fb_fail(err, FB_ERR_ASSEMBLY, &c->place,
                       "%s cannot be %g together with the other constraints and set values: the "
                       "error is %.3g (%s); set fewer values",
                       c->text, c->value, reached, what);
    }
    const char* kind;
    FbPlace place;
    const FbRow* row = &m->rows[worst < 0 ? 0 : worst];
    const char* name = owner_of(m, row, &kind, &place);
    return fb_fail(err, FB_ERR_ASSEMBLY, &place,
                   as->is_velocity
                       ? "the set velocities contradict %s '%s': its %s is violated by %.3g (%s)"
                       : "the mechanism cannot be closed at %s '%s': its %s is violated by %.3g "
                         "(%s); check lengths and positions, or set fewer initial values",
                   kind, name, row->text, reached, what);
}

// Nothing but coordinates of trees is set: no link can flip on the way.
static bool is_direct(const FbAssembler* as) {
    const FbModel* m = as->s->m;
    bool is_plain = m->n_rows == 0 && m->n_beams == 0;
    for (int i = 0; is_plain && i < as->n_cond; i++) {
        const FbSignal* signal = &m->signals[as->condition[i]->signal];
        is_plain = signal->n_terms == 1 && m->terms[signal->term].kind == FB_TERM_COORDINATE;
    }
    return is_plain;
}

// How many steps from the current values to the requested ones; one, if the drawing is no place to
// start from.
static int approach_steps(FbAssembler* as, const FbPoint* p, bool is_closed, double* from) {
    double longest = 0.0;
    fb_system_realize(as->s, p->q, p->v, NULL);
    for (int i = 0; i < as->n_cond; i++) {
        from[i] = fb_assembler_condition(as->s, p, as->condition[i]);
        longest = fmax(longest, fabs(as->condition[i]->value - from[i]) / as->condition[i]->unit);
    }
    double n = fmin(fmax(ceil(longest / APPROACH), 1.0), MAX_APPROACH);
    n = is_closed && !is_direct(as) ? n : 1.0;
    as->most = PART * longest / n;
    return (int)n;
}

// Structures follow the bodies that carry them before the remaining loops are closed. Nothing to do
// if no row and no set value requires a position other than the drawn one.
static FbStatus place_structures(FbAssembler* as, FbPoint* p, bool with_conditions, FbError* err) {
    const FbModel* m = as->s->m;
    if (m->n_beams == 0) {
        return FB_OK;
    }
    int worst;
    bool is_moved = fb_assembler_calc_errors(as, p, false, &worst) > CLOSED;
    double* target = as->all_targets;
    for (int i = 0, k = 0; with_conditions && i < m->n_conditions; i++) {
        const FbCondition* c = &m->conditions[i];
        if (k < as->n_cond && as->condition[k] == c) {
            target[i] = as->target[k++];
            is_moved =
                is_moved || (!c->is_of_node && (fb_condition_is_ball(&m->signals[c->signal]) ||
                                                target[i] != fb_assembler_condition(as->s, p, c)));
        }
    }
    return is_moved ? fb_system_place_structures(as->s, p, with_conditions ? target : NULL, err)
                    : FB_OK;
}

// To the targets of the moment.
static FbStatus approach(FbAssembler* as, FbPoint* p, double* reached, int* worst, FbError* err) {
    FB_TRY(place_structures(as, p, true, err));
    return close_positions(as, p, true, reached, worst, err);
}

static FbStatus assemble_positions(FbSystem* s, FbPoint* p, FbAssembly* out, FbError* err) {
    FbAssembler as;
    FbStatus status = fb_assembler_init(&as, s, p->t, false, err);
    double reached = 0.0, limit = CLOSED;
    int worst = -1;
    double* from = status == FB_OK ? FB_TAKE(as.arena, double, as.n_cond + 1) : NULL;
    if (status == FB_OK && !from) {
        status = fb_fail_memory(err);
    }
    if (status == FB_OK) {
        fb_turns_start(s, p->t, p->q);
        status = place_structures(&as, p, false, err);
    }
    if (status == FB_OK) {
        status = close_positions(&as, p, false, &reached, &worst, err);
    }
    if (status == FB_OK &&
        !(reached <
          limit)) {  // the drawing alone does not close: perhaps it does with what was set
        memcpy(p->q, s->m->q_drawn, sizeof(double) * (size_t)s->m->tree.n_q);
    }
    if (status == FB_OK) {
        memcpy(s->q_closed, p->q, sizeof(double) * (size_t)s->m->tree.n_q);
    }
    int n = status == FB_OK ? approach_steps(&as, p, reached < limit, from) : 0;
    for (int k = 1; status == FB_OK && k <= n; k++) {
        for (int i = 0; i < as.n_cond; i++) {
            double to = as.condition[i]->value;
            as.target[i] = k == n ? to : from[i] + (to - from[i]) * k / n;
        }
        status = approach(&as, p, &reached, &worst, err);
    }
    if (status == FB_OK && !(reached < limit)) {
        status = report_open(&as, worst, err);
    }
    out->position_error = worst >= 0 ? fabs(as.c[worst]) : 0.0;
    fb_assembler_free(&as);
    return status;
}

// The slowest motion (least kinetic energy) that satisfies all velocity equations, relative to the
// motion of structures with their supports.
static FbStatus assemble_velocities(FbSystem* s, FbPoint* p, FbAssembly* out, FbError* err) {
    FbAssembler as;
    FbStatus status = fb_assembler_init(&as, s, p->t, true, err);
    double reached = 0.0, fastest = 0.0;  // what is set, by values or laws, at rest
    int worst = -1;
    for (int i = 0; status == FB_OK && i < as.n_cond; i++) {
        as.target[i] = as.condition[i]->value;
    }
    // The regularization leaves a part of the errors of weak rows, and more of them the lighter
    // what they move is.
    double before = INFINITY, change = INFINITY, change_before = INFINITY;
    for (int i = 0; status == FB_OK && i < MAX_REPEATS; i++) {
        reached = fb_assembler_calc_errors(&as, p, true, &worst);
        fastest = fmax(fastest, reached);
        bool is_settled = change <= SETTLED || (i > 1 && !(change < 0.9 * change_before));
        if (i == 0 ? !(reached > 0.0) : is_settled && !(reached < 0.9 * before)) {
            break;
        }
        before = reached;
        change_before = change;
        status = i == 0 ? fb_assembler_factor(&as, p, true, err) : FB_OK;
        if (status == FB_OK) {
            change = fb_assembler_add_slowest(&as, p);
        }
    }
    if (status == FB_OK) {
        reached = fb_assembler_calc_errors(&as, p, true, &worst);
        for (int j = 0; j < as.n_v; j++) {
            fastest = fmax(fastest, fabs(p->v[j]) / s->m->unit_v[j]);
        }
        // Axes and points of a far drawing contradict each other by their rounding.
        double drawn = DRAWN * s->m->drawn_distance / s->m->length;
        if (!(reached <= fmax(CLOSED, drawn) * fastest)) {
            status = report_open(&as, worst, err);
        }
    }
    out->velocity_error = worst >= 0 ? fabs(as.c[worst]) : 0.0;
    fb_assembler_free(&as);
    return status;
}

// Redundant rows, gathered by part.
static FbStatus list_redundancies(FbSystem* s, FbError* err) {
    const FbModel* m = s->m;
    s->n_redundancies = 0;
    s->redundancies = FB_TAKE(s->arena, FbRedundancy, m->n_rows + 1);
    if (!s->redundancies) {
        return fb_fail_memory(err);
    }
    for (int r = 0; r < m->n_rows; r++) {
        if (s->slot_of_row[r] >= 0) {
            continue;
        }
        const char* kind;
        FbPlace place;
        const char* name = owner_of(m, &m->rows[r], &kind, &place);
        FbRedundancy* last = s->n_redundancies > 0 ? &s->redundancies[s->n_redundancies - 1] : NULL;
        if (last && last->part == name) {
            last->rows = fb_arena_format(s->arena, "%s, %s", last->rows, m->rows[r].text);
            last->n_rows++;
        } else {
            s->redundancies[s->n_redundancies++] =
                (FbRedundancy){.part = name, .place = place, .rows = m->rows[r].text, .n_rows = 1};
        }
    }
    return fb_arena_has_failed(s->arena) ? fb_fail_memory(err) : FB_OK;
}

// The rows that are kept: the first ones in the file name the redundant ones, the best choice
// starts.
static FbStatus choose_rows(FbSystem* s, const FbPoint* p, bool is_listed, FbError* err) {
    bool has_changed;
    FB_TRY(fb_rows_choose(s, p->q, err));
    if (is_listed) {
        FB_TRY(list_redundancies(s, err));
    }
    fb_system_realize(s, p->q, p->v, NULL);
    fb_rows_realize(s, p->q, p->v, false);
    return fb_rows_improve(s, p, NULL, &has_changed, err);
}

// What follows from the position: velocities, independent rows, accelerations.
static FbStatus complete(FbSystem* s, FbPoint* p, FbAssembly* out, FbError* err) {
    const FbModel* m = s->m;
    FB_TRY(fb_system_carry_structures(s, p, NULL, 0, err));
    FB_TRY(choose_rows(s, p, false, err));
    FB_TRY(assemble_velocities(s, p, out, err));
    FB_TRY(fb_turns_accept(s, p, err));
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    fb_charts_accept(s, p);
    FB_TRY(choose_rows(s, p, true, err));
    out->n_redundancies = s->n_redundancies;
    out->n_redundant_rows = m->n_rows - s->dynamics.size.n_c;
    out->degrees_of_freedom = m->tree.n_v - s->dynamics.size.n_c;
    fb_slides_forget(s);
    memset(p->a, 0, sizeof(double) * (size_t)m->tree.n_v);
    memset(p->lambda, 0, sizeof(double) * (size_t)m->n_rows);
    fb_samples_start(s, p);
    FbStatus status = fb_system_accelerations(&s->dynamics, p, err);
    if (status > 0) {
        const FbError* cause = fb_system_trouble(&s->dynamics);
        return fb_fail(err, FB_ERR_SINGULAR, cause && cause->place.line > 0 ? &cause->place : NULL,
                       "the accelerations at the start are not finite: %.400s",
                       cause ? cause->text : "check masses and forces");
    }
    if (status == FB_OK) {
        fb_scales_set(s, p);
    }
    return status < 0 ? status : fb_system_find_ambiguous(s, p, &out->n_ambiguous, err);
}

FbStatus fb_system_assemble_at(FbSystem* s, FbPoint* p, FbAssembly* out, FbError* err) {
    fb_system_realize(s, p->q, s->zero_v, NULL);
    fb_turns_start(s, p->t, p->q);
    return complete(s, p, out, err);
}

FbStatus fb_system_assemble(FbSystem* s, double t, FbPoint* p, FbAssembly* out, FbError* err) {
    const FbModel* m = s->m;
    memset(out, 0, sizeof(*out));
    fb_parts_reset(s);
    fb_charts_reset(s);
    p->t = t;
    memcpy(p->q, m->q_drawn, sizeof(double) * (size_t)m->tree.n_q);
    memset(p->v, 0, sizeof(double) * (size_t)m->tree.n_v);
    for (int i = 0; i < m->n_states; i++) {
        p->x[i] = m->states[i].initial;
    }
    memset(p->w, 0, sizeof(double) * (size_t)s->dynamics.size.n_w);
    fb_system_realize(s, p->q, p->v, NULL);
    fb_turns_draw(s);
    FB_TRY(assemble_positions(s, p, out, err));
    return complete(s, p, out, err);
}

void fb_system_get_redundancy(const FbSystem* s, int index, FbRedundancy* out) {
    *out = (FbRedundancy){0};
    if (index >= 0 && index < s->n_redundancies) {
        *out = s->redundancies[index];
    }
}
