// A law that moves between two values on events: outward by a quintic when one expression crosses
// zero, inward when another does.
//
// At rest inside it waits for the outward event, at rest outside for the inward one; events during
// a move are ignored. The expressions need the whole system, which compiles and monitors them; the
// system also keeps the state of the moves (FbMoveState). On its own, the law rests where it
// starts.
#include "law/moves.h"

#include "law/profile.h"

static FbStatus check(const FbMovesLawDef* def, FbError* err) {
    FB_TRY(fb_law_check_positive(&def->head, "duration", def->duration, err));
    if (!isfinite(def->inner) || !isfinite(def->outer)) {
        return fb_fail(err, FB_ERR_RANGE, &def->head.origin.place,
                       "inner and outer of law '%s' must be finite numbers", def->head.name);
    }
    if (def->outward == NULL || def->inward == NULL) {
        return fb_fail(err, FB_ERR_MODEL, &def->head.origin.place,
                       "law '%s' needs `outward` and `inward`: expressions that start its moves "
                       "where they cross zero",
                       def->head.name);
    }
    if (!(def->lead >= 0.0)) {
        return fb_fail(err, FB_ERR_RANGE, &def->head.origin.place,
                       "lead of law '%s' is %g s; it must be >= 0", def->head.name, def->lead);
    }
    if (def->lead > 0.0 && !(def->frequency > 0.0)) {
        return fb_fail(err, FB_ERR_RANGE, &def->head.origin.place,
                       "law '%s' has a lead of %g s and needs the `frequency` (> 0) of the signal "
                       "to predict its events",
                       def->head.name, def->lead);
    }
    if (!isnan(def->max_rate)) {
        FB_TRY(fb_law_check_positive(&def->head, "max_rate", def->max_rate, err));
    }
    return isnan(def->max_acceleration)
               ? FB_OK
               : fb_law_check_positive(&def->head, "max_acceleration", def->max_acceleration, err);
}

// A description has +1, -1, 0; a file the index of its choice, 2 for falling.
static int direction_of(int choice) {
    return choice == 2 ? -1 : choice;
}

static FbStatus build(const FbLawDef* head, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err) {
    const FbMovesLawDef* def = (const FbMovesLawDef*)head;
    (void)resolve;
    (void)self;
    FB_TRY(check(def, err));
    FbMoves* m = FB_TAKE(arena, FbMoves, 1);
    if (m == NULL) {
        return fb_fail_memory(err);
    }
    *m = (FbMoves){
        .inner = def->inner,
        .outer = def->outer,
        .asked = def->duration,
        .lead = def->lead,
        .frequency = def->frequency,
        .direction = {direction_of(def->outward_direction), direction_of(def->inward_direction)},
        .starts_outer = def->starts_outer,
        .slot = -1};
    m->duration = fb_quintic_duration(
        def->outer - def->inner, def->duration, isnan(def->max_rate) ? INFINITY : def->max_rate,
        isnan(def->max_acceleration) ? INFINITY : def->max_acceleration);
    law->data = m;
    return FB_OK;
}

FbMoveState fb_moves_start(const FbMoves* m) {
    return (FbMoveState){.is_outer = m->starts_outer, .begin = -INFINITY, .end = -INFINITY};
}

void fb_moves_calc(const FbMoves* m, const FbMoveState* state, double t, double out[3]) {
    double to = state->is_outer ? m->outer : m->inner;
    double from = state->is_outer ? m->inner : m->outer;
    out[0] = to;
    out[1] = out[2] = 0.0;
    if (t < state->end) {
        fb_quintic_calc(to - from, state->begin, m->duration, t, out);
        out[0] += from;
    }
}

int fb_moves_waits_for(const FbMoveState* state, double t) {
    // The same rounding as that of the break at the end of a move.
    bool is_moving = fb_law_first_after(&state->end, 1, t) < INFINITY;
    return is_moving ? -1 : state->is_outer ? FB_MOVE_INWARD : FB_MOVE_OUTWARD;
}

void fb_moves_go(const FbMoves* m, FbMoveState* state, double t) {
    state->count[state->is_outer ? FB_MOVE_INWARD : FB_MOVE_OUTWARD]++;
    state->is_outer = !state->is_outer;
    state->begin = t;
    state->end = t + m->duration;
}

static void calc(const FbLaw* law, double t, double out[3]) {
    const FbMoves* m = law->data;
    FbMoveState at_rest = fb_moves_start(m);
    fb_moves_calc(m, &at_rest, t, out);
}

#define EXPRESSION(name, text)                                                              \
    {                                                                                       \
        .key = #name, .kind = FB_FIELD_EXPRESSION, .offset = offsetof(FbMovesLawDef, name), \
        .unit = "", .doc = text                                                             \
    }
#define DIRECTION(name, text)                                                                      \
    {                                                                                              \
        .key = #name, .kind = FB_FIELD_CHOICE, .offset = offsetof(FbMovesLawDef, name),            \
        .unit = "", .default_text = "both", .is_optional = true, .choices = "both|rising|falling", \
        .is_int_choice = true, .doc = text                                                         \
    }
#define LIMIT(name, per, text)                                                                     \
    {                                                                                              \
        .key = #name, .kind = FB_FIELD_REAL, .offset = offsetof(FbMovesLawDef, name), .unit = per, \
        .is_optional = true, .min = 0.0, .max = INFINITY, .has_open_min = true, .doc = text        \
    }

static const FbField fields[] = {
    {.key = "inner",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMovesLawDef, inner),
     .unit = "",
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Value before an outward and after an inward move."},
    {.key = "outer",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMovesLawDef, outer),
     .unit = "",
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Value before an inward and after an outward move."},
    EXPRESSION(outward, "At rest at `inner`, the outward move starts when this crosses zero."),
    EXPRESSION(inward, "At rest at `outer`, the inward move starts when this crosses zero."),
    FB_PROFILE_FIELD(FbMovesLawDef, duration, "s", "How long a move takes."),
    {.key = "start",
     .kind = FB_FIELD_CHOICE,
     .offset = offsetof(FbMovesLawDef, starts_outer),
     .unit = "",
     .default_text = "inner",
     .is_optional = true,
     .choices = "inner|outer",
     .doc = "Where it rests initially."},
    DIRECTION(outward_direction, "Which crossings start an outward move."),
    DIRECTION(inward_direction, "Which crossings start an inward move."),
    {.key = "lead",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMovesLawDef, lead),
     .unit = "s",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Start this long before the crossing, predicted for a harmonic signal of `frequency`; "
            "half the duration centres a move on its event."},
    {.key = "frequency",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMovesLawDef, frequency),
     .unit = "rad/s",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Angular frequency of the two expressions, for `lead`."},
    LIMIT(max_rate, "/s", "Largest rate, per second: moves take longer if necessary."),
    LIMIT(max_acceleration, "/s^2", "Largest acceleration, per second squared, likewise."),
};

FbMovesLawDef fb_moves_law_def_default(void) {
    FbMovesLawDef def;
    fb_type_fill(&fb_law_moves.info, &def);
    return def;
}

const FbLawType fb_law_moves = {
    .info = {.name = "moves",
             .doc =
                 "Smooth moves between two values, started by events: outward when one expression "
                 "crosses zero, inward when another does. Events during a move are ignored.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbMovesLawDef)},
    .build = build,
    .calc = calc,
};
