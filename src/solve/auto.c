// Two methods under one interface, dop853 and radau: one makes the steps, and where the other one
// would need less work it takes over at the end of a step (theory manual, section 5.10).
//
// Work is counted, not timed, so that a run takes the same decisions and gives the same numbers on
// every machine.
#include "solve/auto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve/arms.h"
#include "solve/dop853.h"
#include "solve/point.h"
#include "solve/radau.h"
#include "solve/work.h"

enum { TEXT = 256, LISTED = 3 };
// Radau begins with its lowest order, whose steps are shorter than those of dop853 (relative).
static const double FIRST_IMPLICIT = 0.2;
// The global error of dop853 is larger than radau's at the same tolerance, with loops by one or two
// decades: there it gets a tighter tolerance.
static const double EXPLICIT_RTOL = 0.1, LEAST_RTOL = 1e-14;

typedef struct FbAuto {
    FbIntegrator base;
    FbIntegrator* methods[FB_ARMS];
    FbArms arms;
    FbWorkUnits units;
    int first, last;  // the one that begins; the one that made the last step
    bool has_begun;
    FbSizes size;  // for which all memory is allocated
    FbArena* arena;
    FbPoint at;               // end of the last step
    double wanted[FB_ARMS];   // step of each when it was left
    int order[FB_ARMS];       // of radau when it was left
    double longest;           // step of dop853 of late when it was left
    double covered[FB_ARMS];  // s
    double t_trial;           // where the current trial began
    bool has_hint;            // ... because of stability
    bool is_due;  // the active method has to be restarted: it did not make the last step
    bool is_led;  // another run prescribes steps, orders and with them the method
    double led_step;
    int led_order;
    double work;  // of both up to the end of the last step
    int changes;
    FbIntegratorStats sum;
    char why[TEXT / 2], reason[TEXT];
} FbAuto;

static FbRadau* radau_of(const FbAuto* s) {
    return (FbRadau*)s->methods[FB_ARM_IMPLICIT];
}

static const FbSizes* size_of(const FbAuto* s, int arm) {
    return arm == FB_ARM_IMPLICIT ? &radau_of(s)->size
                                  : &((const FbDop*)s->methods[FB_ARM_EXPLICIT])->size;
}

static void auto_destroy(FbIntegrator* self) {
    FbAuto* s = (FbAuto*)self;
    if (s) {
        fb_integrator_dop853.destroy(s->methods[FB_ARM_EXPLICIT]);
        fb_integrator_radau.destroy(s->methods[FB_ARM_IMPLICIT]);
        fb_arena_destroy(s->arena);
        free(s);
    }
}

// Each method is created when its turn comes: the coefficients of radau alone cost as much as a
// short run.
static FbStatus create_method(FbAuto* s, int m, FbError* err) {
    if (s->methods[m]) {
        return FB_OK;
    }
    FbDynamics* d = s->base.dynamics;
    FbIntegratorOptions o = s->base.options;
    if (m == FB_ARM_IMPLICIT) {
        return fb_integrator_radau.create(d, &o, &s->methods[m], err);
    }
    double part = d->size.n_c > 0 ? fmax(EXPLICIT_RTOL, fmin(LEAST_RTOL / o.rtol, 1.0)) : 1.0;
    o.rtol *= part;
    o.atol *= part;
    FB_TRY(fb_integrator_dop853.create(d, &o, &s->methods[m], err));
    ((FbDop*)s->methods[m])->crossing.looser = 1.0 / part;
    return FB_OK;
}

static FbStatus auto_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                            FbError* err) {
    *out = NULL;
    FbAuto* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    s->base = (FbIntegrator){.type = &fb_integrator_auto, .dynamics = d, .options = *o};
    *out = &s->base;
    return FB_OK;
}

void fb_auto_begin_with(FbIntegrator* self, bool is_implicit, const char* reason) {
    FbAuto* s = (FbAuto*)self;
    s->first = s->last = is_implicit ? FB_ARM_IMPLICIT : FB_ARM_EXPLICIT;
    snprintf(s->why, sizeof s->why, "%s", reason);
    snprintf(s->reason, sizeof s->reason, "%s", reason);
}

static double work_of(const FbAuto* s, int m) {
    const FbIntegrator* method = s->methods[m];
    return method ? fb_work_count(&s->units, m == FB_ARM_IMPLICIT, method->type->stats(method))
                  : 0.0;
}

// Memory and unit costs for the current sizes.
static FbStatus prepare(FbAuto* s, const FbPoint* p, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    FbArena* arena = fb_arena_create();
    if (!arena) {
        return fb_fail_memory(err);
    }
    fb_arena_destroy(s->arena);
    s->arena = arena;
    s->size = d->size;
    fb_point_take(arena, &s->size, &s->at);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    s->units = fb_work_units(d, p);
    return FB_OK;
}

// Starts method m at p, with a first step of length h (0: its own choice).
static FbStatus start(FbAuto* s, int m, const FbPoint* p, double h, FbError* err) {
    FB_TRY(create_method(s, m, err));
    s->methods[m]->options.initial_step = h;
    return s->methods[m]->type->restart(s->methods[m], p, err);
}

static void begin(FbAuto* s) {
    double cost[FB_ARMS];
    cost[FB_ARM_EXPLICIT] = 9.0 * fb_work_explicit_step(&s->units);
    cost[FB_ARM_IMPLICIT] = 14.0 * fb_work_implicit_step(&s->units);
    fb_arms_init(&s->arms, s->first, cost);
    s->has_begun = true;
}

// A method that cannot even start is replaced by the other one.
static FbStatus auto_restart(FbIntegrator* self, const FbPoint* p, FbError* err) {
    FbAuto* s = (FbAuto*)self;
    if (!s->arena || !fb_sizes_match(&s->size, &self->dynamics->size)) {
        FB_TRY(prepare(s, p, err));
    }
    if (!s->has_begun) {
        begin(s);
    }
    fb_point_copy(&s->size, p, &s->at);
    s->is_due = false;
    double h = self->options.initial_step;
    FbStatus status = start(s, s->arms.active, p, h, err);
    if (status >= 0 || status == FB_ERR_MEMORY) {
        return status;
    }
    FbError second;
    fb_arms_fail(&s->arms);
    s->last = s->arms.active;
    return start(s, s->arms.active, p, h, &second) < 0 ? status : FB_OK;
}

// The longest recent step of the method that is left, for the one that takes over: if steps have
// shrunk before a position where constraints become dependent, only that shows how far a leap has
// to reach. Steps of dop853 may be shorter than radau's for other reasons: it gets its own length
// of before, and only where radau's have shrunk as well.
static double longest_step(const FbAuto* s, int from) {
    static const double SHRUNK = 0.15;
    if (from == FB_ARM_EXPLICIT) {
        return ((const FbDop*)s->methods[from])->crossing.longest;
    }
    const FbRadau* radau = radau_of(s);
    bool has_shrunk = !s->arms.is_trial || radau->h < SHRUNK * radau->h_recent;
    return has_shrunk ? fmin(s->longest, radau->h_recent) : 0.0;
}

// The method `to` continues at the end of the last step. It starts with a step like its own last
// one, or like the other one's.
static FbStatus change_to(FbAuto* s, int to, FbError* err) {
    int from = 1 - to;
    FbIntegrator* old = s->methods[from];
    double h = old->type->wanted_step(old), own = s->wanted[to];
    s->wanted[from] = h;
    s->order[from] = from == FB_ARM_IMPLICIT ? radau_of(s)->method : 0;
    double guess = to == FB_ARM_IMPLICIT ? FIRST_IMPLICIT * h : h;
    double first = own > 0.0 ? fmax(fmin(own, 10.0 * h), 0.1 * h) : guess;
    double longest = longest_step(s, from);
    FB_TRY(start(s, to, &s->at, first, err));
    if (to == FB_ARM_EXPLICIT) {
        fb_crossing_expect(&((FbDop*)s->methods[to])->crossing, longest);
    } else {
        s->longest = longest;
        fb_radau_expect_step(s->methods[to], fmax(first, longest));
        if (own > 0.0 && s->base.options.order == 0) {
            radau_of(s)->method = s->order[to];
        }
    }
    return FB_OK;
}

// "...; radau from t = 1.2 s, where stability limits the steps of dop853"
static void note_change(FbAuto* s, double t, const char* because) {
    size_t used = strlen(s->reason);
    s->changes++;
    if (s->changes <= LISTED) {
        snprintf(s->reason + used, sizeof s->reason - used, "; %s from t = %.4g s%s",
                 s->methods[s->arms.active]->type->name, t, because);
    } else if (s->changes == LISTED + 1) {
        snprintf(s->reason + used, sizeof s->reason - used, "; further changes");
    }
}

static bool has_hint(const FbAuto* s) {
    enum { HITS = 3 };
    const FbDop* dop = (const FbDop*)s->methods[FB_ARM_EXPLICIT];
    return s->arms.active == FB_ARM_EXPLICIT && dop && dop->stiff_hits >= HITS;
}

// Is it known without a trial that dop853 would need more work? Stability limits its steps to
// about STABLE / the fastest rate, whatever the tolerance, eq. (5.15).
static bool is_hopeless(const FbAuto* s) {
    static const double STABLE = 6.0, EVALUATIONS = 12.0, CLEARLY = 2.0;
    FbDynamics* d = s->base.dynamics;
    if (s->arms.active != FB_ARM_EXPLICIT || !d->ops->fastest_rate) {
        return false;
    }
    double steps = d->ops->fastest_rate(d, &s->at) / STABLE;
    return steps * (EVALUATIONS + s->units.step) > CLEARLY * s->arms.waiting_rate;
}

// What is left of the run costs less than a trial could save.
static bool is_too_late(const FbAuto* s) {
    static const double WORTH = 2.0;  // times the cost of a trial
    double end = s->base.options.end, rest = end - s->at.t;
    return end > s->at.t &&
           s->arms.waiting_rate * rest < WORTH * s->arms.trial_cost[s->arms.active];
}

// Has dop853 called radau for the way across a singular position? In the middle of it nothing is to
// be learnt from a trial, and one would have to find the way again.
static bool is_crossing(const FbAuto* s) {
    const FbDop* dop = (const FbDop*)s->methods[FB_ARM_EXPLICIT];
    return s->arms.active == FB_ARM_EXPLICIT && dop->crossing.is_active;
}

// After a step: who makes the next?
static void choose(FbAuto* s, double work, double dt) {
    if (is_crossing(s)) {
        fb_arms_skip(&s->arms, work);
        return;
    }
    bool hint = has_hint(s);
    FbArmsAnswer answer = fb_arms_step(&s->arms, work, dt, hint);
    if (answer == FB_ARMS_TRY && (is_too_late(s) || is_hopeless(s))) {
        fb_arms_fail(&s->arms);
        return;
    }
    if (answer == FB_ARMS_TRY) {
        s->t_trial = s->at.t;
        s->has_hint = hint;
    } else if (answer == FB_ARMS_KEEP) {
        note_change(s, s->t_trial,
                    s->has_hint ? ", where stability limits dop853" : ", which is cheaper there");
    }
    if (answer != FB_ARMS_TRY && answer != FB_ARMS_BACK) {
        return;
    }
    s->is_due = true;
}

// The change decided after the last step; if it fails, the previous method continues.
static FbStatus change(FbAuto* s, FbError* err) {
    s->is_due = false;
    FbStatus status = change_to(s, s->arms.active, err);
    if (status < 0 && status != FB_ERR_MEMORY) {
        fb_arms_fail(&s->arms);
        return change_to(s, s->arms.active, err);
    }
    return status;
}

// One step of the active method; if it fails, of the other one.
static FbStatus make_step(FbAuto* s, double t_limit, FbPoint* p, FbError* err) {
    FbIntegrator* m = s->methods[s->arms.active];
    s->last = s->arms.active;
    m->is_rough = s->base.is_rough;
    FbStatus status = m->type->step(m, t_limit, p, err);
    int rest = 1 - s->arms.active;
    if (status >= 0 || status == FB_ERR_MEMORY) {
        return status;
    }
    FbError first = *err, second;
    bool was_trial = s->arms.is_trial;
    fb_arms_fail(&s->arms);
    if (change_to(s, rest, &second) < 0) {
        fb_arms_fail(&s->arms);
        *err = first;
        return status;
    }
    s->last = rest;
    m = s->methods[rest];
    if (m->type->step(m, t_limit, p, &second) < 0) {
        *err = first;
        return status;
    }
    if (!was_trial) {
        note_change(s, s->at.t, ", where the other one fails");
    }
    return FB_OK;
}

// The method with the requested order takes the next step.
static FbStatus follow(FbAuto* s, FbError* err) {
    int arm = s->led_order == 8 ? FB_ARM_EXPLICIT : FB_ARM_IMPLICIT;
    if (arm != s->arms.active) {
        s->arms.active = arm;
        FB_TRY(change(s, err));
    }
    FbIntegrator* m = s->methods[s->arms.active];
    m->type->lead(m, s->led_step, s->led_order);
    return FB_OK;
}

static FbStatus auto_step(FbIntegrator* self, double t_limit, FbPoint* p, FbError* err) {
    FbAuto* s = (FbAuto*)self;
    if (s->is_led) {
        FB_TRY(follow(s, err));
    } else if (s->is_due) {
        FB_TRY(change(s, err));
    }
    int m = s->arms.active;
    FB_TRY(make_step(s, t_limit, p, err));
    double dt = p->t - s->at.t, before = s->work;
    s->covered[s->last] += dt;
    fb_point_copy(&s->size, p, &s->at);
    // The cost of samples inside this step counts for the next.
    s->work = work_of(s, FB_ARM_EXPLICIT) + work_of(s, FB_ARM_IMPLICIT);
    if (m == s->last && !(self->options.fixed_step > 0.0) && !s->is_led) {
        choose(s, s->work - before, dt);
    }
    return FB_OK;
}

static FbStatus auto_interpolate(FbIntegrator* self, double t, FbPoint* p) {
    FbAuto* s = (FbAuto*)self;
    FbIntegrator* m = s->methods[s->last];
    return m->type->interpolate(m, t, p);
}

static FbStatus auto_refine(FbIntegrator* self, double t, FbPoint* p) {
    FbAuto* s = (FbAuto*)self;
    FbIntegrator* m = s->methods[s->last];
    return m->type->refine ? m->type->refine(m, t, p) : m->type->interpolate(m, t, p);
}

static FbStatus auto_glance(FbIntegrator* self, double t, FbPoint* p) {
    FbAuto* s = (FbAuto*)self;
    FbIntegrator* m = s->methods[s->last];
    return m->type->glance ? m->type->glance(m, t, p) : m->type->interpolate(m, t, p);
}

static bool auto_is_dense_accurate(const FbIntegrator* self) {
    const FbAuto* s = (const FbAuto*)self;
    const FbIntegrator* m = s->methods[s->last];
    return !m->type->is_dense_accurate || m->type->is_dense_accurate(m);
}

static void add_stats(FbIntegratorStats* to, const FbIntegratorStats* from) {
    to->steps += from->steps;
    to->rejected += from->rejected;
    to->rhs_evals += from->rhs_evals;
    to->solved_evals += from->solved_evals;
    to->stages += from->stages;
    to->matrices += from->matrices;
    to->jacobian_evals += from->jacobian_evals;
    to->factorizations += from->factorizations;
    to->newton_iterations += from->newton_iterations;
    to->newton_failures += from->newton_failures;
    to->restarts += from->restarts;
    bool has_min = to->min_step > 0.0 && from->min_step > 0.0;
    to->min_step =
        has_min ? fmin(to->min_step, from->min_step) : fmax(to->min_step, from->min_step);
    to->max_step_taken = fmax(to->max_step_taken, from->max_step_taken);
    to->max_order = from->max_order > to->max_order ? from->max_order : to->max_order;
}

void fb_auto_get_counts(const FbIntegrator* self, FbIntegratorStats counts[FB_ARMS]) {
    memset(counts, 0, FB_ARMS * sizeof *counts);
    if (self->type != &fb_integrator_auto) {
        counts[self->type->has_residuals ? FB_ARM_IMPLICIT : FB_ARM_EXPLICIT] =
            *self->type->stats(self);
        return;
    }
    const FbAuto* s = (const FbAuto*)self;
    for (int m = 0; m < FB_ARMS; m++) {
        if (s->methods[m]) {
            counts[m] = *s->methods[m]->type->stats(s->methods[m]);
        }
    }
}

static const FbIntegratorStats* auto_stats(const FbIntegrator* self) {
    FbAuto* s = (FbAuto*)self;
    memset(&s->sum, 0, sizeof s->sum);
    for (int m = 0; m < FB_ARMS; m++) {
        if (s->methods[m]) {
            add_stats(&s->sum, s->methods[m]->type->stats(s->methods[m]));
        }
    }
    s->sum.last_order =
        s->methods[s->last] ? s->methods[s->last]->type->stats(s->methods[s->last])->last_order : 0;
    return &s->sum;
}

// One of the methods. When loading it is created, and takes its memory by a start at the point.
static void remember_method(FbAuto* s, int arm, FbMemory* m) {
    FbIntegrator* method = s->methods[arm];
    bool is_there = method != NULL;
    FbSizes size = is_there ? *size_of(s, arm) : s->size;
    bool fits = fb_sizes_match(&size, &s->size);
    FB_REMEMBER(m, is_there);
    FB_REMEMBER(m, fits);
    if (!is_there || !fits) {
        return;
    }
    FbError ignored;
    if (m->is_loading && start(s, arm, &s->at, 0.0, &ignored) < 0) {
        m->has_failed = true;
        return;
    }
    // After a leap across a singular position, dop853 begins with this length again.
    FB_REMEMBER(m, s->methods[arm]->options.initial_step);
    s->methods[arm]->type->remember(s->methods[arm], m);
}

static void auto_remember(FbIntegrator* self, FbMemory* m) {
    FbAuto* s = (FbAuto*)self;
    fb_point_remember(&s->size, &s->at, m);
    FB_REMEMBER(m, s->arms);
    fb_memory_check_flag(m, &s->arms.is_trial);
    if (m->is_loading && (s->arms.active < 0 || s->arms.active >= FB_ARMS)) {
        s->arms.active = 0;
        m->has_failed = true;
    }
    fb_memory_index(m, &s->first, 0, FB_ARMS - 1);
    fb_memory_index(m, &s->last, 0, FB_ARMS - 1);
    fb_memory_index(m, &s->arms.active, 0, FB_ARMS - 1);
    fb_memory_doubles(m, s->wanted, FB_ARMS);
    fb_memory_indices(m, s->order, FB_ARMS, 0, FB_RADAU_METHODS - 1);
    FB_REMEMBER(m, s->longest);
    fb_memory_doubles(m, s->covered, FB_ARMS);
    FB_REMEMBER(m, s->t_trial);
    FB_REMEMBER(m, s->has_hint);
    FB_REMEMBER(m, s->is_due);
    FB_REMEMBER(m, s->work);
    FB_REMEMBER(m, s->changes);
    FB_REMEMBER(m, s->units);
    fb_memory_text(m, s->why, sizeof s->why);
    fb_memory_text(m, s->reason, sizeof s->reason);
    for (int i = 0; i < FB_ARMS; i++) {
        remember_method(s, i, m);
    }
}

static void auto_lead(FbIntegrator* self, double h, int order) {
    FbAuto* s = (FbAuto*)self;
    s->is_led = true;
    s->led_step = h;
    s->led_order = order;
}

static double auto_wanted_step(const FbIntegrator* self) {
    const FbAuto* s = (const FbAuto*)self;
    const FbIntegrator* m = s->methods[s->is_due ? s->last : s->arms.active];
    return m->type->wanted_step(m);
}

const char* fb_auto_get_name(const FbIntegrator* self) {
    if (self->type != &fb_integrator_auto) {
        return self->type->name;
    }
    const FbAuto* s = (const FbAuto*)self;
    double explicit = s->covered[FB_ARM_EXPLICIT], implicit = s->covered[FB_ARM_IMPLICIT];
    int most = explicit == implicit  ? s->first
               : explicit > implicit ? FB_ARM_EXPLICIT
                                     : FB_ARM_IMPLICIT;
    return s->methods[most]->type->name;
}

const char* fb_auto_get_reason(const FbIntegrator* self) {
    return self->type == &fb_integrator_auto ? ((const FbAuto*)self)->reason : NULL;
}

// That dop853 finds the equations stiff, or calls radau for a leap across a singular position, is
// what this method is for. That radau finds no way across is not.
static const char* auto_warning(const FbIntegrator* self) {
    const FbAuto* s = (const FbAuto*)self;
    const FbDop* dop = (const FbDop*)s->methods[FB_ARM_EXPLICIT];
    const FbIntegrator* radau[] = {s->methods[FB_ARM_IMPLICIT], dop ? dop->crossing.radau : NULL};
    for (int i = 0; i < 2; i++) {
        const char* text = radau[i] ? radau[i]->type->warning(radau[i]) : NULL;
        if (text) {
            return text;
        }
    }
    return NULL;
}

const FbIntegratorType fb_integrator_auto = {
    .name = "auto",
    .doc = "dop853 or radau, whichever needs less work; with fixed steps alpha",
    .orders = "5 to 13",
    .use = "the default: nearly everything at high accuracy",
    .takes_fixed_steps = true,
    .is_implicit = true,
    .create = auto_create,
    .destroy = auto_destroy,
    .restart = auto_restart,
    .step = auto_step,
    .interpolate = auto_interpolate,
    .glance = auto_glance,
    .stats = auto_stats,
    .wanted_step = auto_wanted_step,
    .is_dense_accurate = auto_is_dense_accurate,
    .lead = auto_lead,
    .refine = auto_refine,
    .remember = auto_remember,
    .warning = auto_warning,
};
