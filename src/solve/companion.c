// A second run on the steps of the first (theory manual, section 6.5).
#include "solve/companion.h"

#include <math.h>

#include "base/error.h"
#include "solve/simulation.h"

static const double MOST = 0.5;     // of the run's work
static const double AIM = 0.40;     // ... that is aimed at
static const double KINK = 25.0;    // evaluations that a restart costs, in both runs alike
static const double LONGEST = 1.4;  // times the usual ratio of steps
// Tolerances of Newton's iteration, and of errors that cannot be accepted, are so much looser; and
// so much where the method's steps cannot be led.
static const double LOOSER = 300.0, LOOSER_FREE = 1000.0, LOOSEST = 0.1;
// The factor between the errors (eq. 6.10), calibrated on generated models.
static const double SAFE_ORDER = 6.0, STRETCHED_ORDER = 4.0;
static const double PART = 2.0, IMPLICIT_PART = 0.4, KINKED_PART = 0.5, FREE_FACTOR = 200.0;
static const double SECOND_PART = 0.5, FIXED_MOST = 1.0;
static const double TIGHT = 1e-7;  // looser tolerances than that are less regular
// A run that rejects more than this part of its steps has errors that come in bursts.
static const double BURSTS = 0.1, BURST_PART = 0.4;
// The companion's steps are cut short by kinks and samples; what that costs the factor.
static const double KEPT = 0.6;
// With more steps than this part of the run's, or less of its time, it says nothing.
static const double TOO_MANY = 0.75, TOO_SHORT = 0.1;

static double work_of(const FbWorkUnits* u, const FbResult* r) {
    return fb_work_count(u, false, &r->counts[FB_ARM_EXPLICIT]) +
           fb_work_count(u, true, &r->counts[FB_ARM_IMPLICIT]) + FB_WORK_LOOK * (double)r->n_looks;
}

static bool can_be_led(const FbResult* run) {
    return run->log->n > 1 && run->log->order[1] > 0;
}

// Restarts cost the companion as much as the run: the more of them, the longer its steps have to
// be.
static double choose_stretch(const FbResult* run, double work) {
    double n = (double)(run->counts[0].restarts + run->counts[1].restarts);
    double kinks = fmin(KINK * fmax(n - 2.0, 0.0) / work, 1.0);
    double usual = 1.0 / fb_step_plan_ratio(8, 1.0), left = (AIM - kinks) / (1.0 - kinks);
    return left > usual / LONGEST ? fmax(usual / left, 1.0) : LONGEST;
}

// Rows that are much denser than the steps do not show more.
static int choose_stride(const FbResult* run) {
    enum { LEAST = 24, LARGEST = 256 };
    double enough = fmax(0.5 * (double)run->stats.steps, LEAST);
    int stride = 1;
    while (stride < LARGEST && run->n_row >= 2.0 * enough * stride) {
        stride *= 2;
    }
    return stride;
}

// A run with steps of a fixed length has a companion with steps twice as long.
static FbRunOptions choose_fixed_options(const FbResult* run, const FbRunOptions* options) {
    FbRunOptions o = *options;
    FbSettings* s = &o.settings;
    o.record_poses = false;
    s->step *= 2.0;
    s->sample = choose_stride(run) * (s->sample > 0.0 ? s->sample : s->duration / 100.0);
    return o;
}

static int order_of(const FbResult* run) {
    int explicit = run->counts[FB_ARM_EXPLICIT].max_order;
    int implicit = run->counts[FB_ARM_IMPLICIT].max_order;
    return explicit > implicit ? explicit : implicit;
}

static FbRunOptions choose_options(const FbResult* run, const FbRunOptions* options) {
    FbRunOptions o = *options;
    FbSettings* s = &o.settings;
    double wanted = can_be_led(run) ? LOOSER : LOOSER_FREE;
    double looser = fmax(fmin(wanted, LOOSEST / s->rtol), 1.0);
    o.record_poses = false;
    s->rtol *= looser;
    s->atol *= looser;
    s->max_step = can_be_led(run) ? 0.0 : s->max_step;
    s->sample = choose_stride(run) * (s->sample > 0.0 ? s->sample : s->duration / 100.0);
    return o;
}

// Where chaos has led the companion elsewhere the steps of the run do not fit it any more.
static bool is_elsewhere(const FbCompanion* c) {
    static const double MANY = 0.1;
    const FbRunStats* stats = fb_result_get_stats(c->result);
    return (double)stats->rejected > MANY * (double)stats->steps;
}

// Twice the step. Without error control nothing says that the steps resolve the motion, so that the
// error falls with the order of a method of high order: the second is counted on at most.
static double fixed_factor(const FbResult* run) {
    static const double SECOND_ORDER = 4.0;
    return fmin(pow(2.0, order_of(run)), SECOND_ORDER);
}

// By how much the errors are larger, at the safe end.
static double calc_factor(const FbResult* run, const FbStepPlan* plan, const FbCompanion* c) {
    double rtol = run->stats.rtol, looser = fb_result_get_stats(c->result)->rtol / rtol;
    if (looser == 1.0) {
        return fixed_factor(run);
    }
    if (!plan->log && order_of(run) == 2) {
        return SECOND_PART * pow(looser, 2.0 / 3.0);  // of an error per step of order 3
    }
    if (!plan->log) {
        return pow(FREE_FACTOR, log(looser) / log(LOOSER_FREE));
    }
    double factor = PART * pow(fb_step_plan_ratio(8, 1.0), SAFE_ORDER);
    factor *= plan->stretch > 1.0 ? KINKED_PART * pow(plan->stretch, STRETCHED_ORDER) : 1.0;
    double implicit = (double)run->counts[FB_ARM_IMPLICIT].steps;
    double explicit = (double)run->counts[FB_ARM_EXPLICIT].steps;
    factor *= implicit > 0.5 * explicit ? IMPLICIT_PART : 1.0;
    factor *= rtol > TIGHT ? pow(TIGHT / rtol, 0.3) : 1.0;
    double kept =
        fb_step_plan_count(plan, c->t_end) / (double)fb_result_get_stats(c->result)->steps;
    return factor * pow(fmin(kept / KEPT, 1.0), SAFE_ORDER);
}

// Errors that come in bursts may be larger, now and then, than their growth says. Kinks inside
// steps of a fixed length leave the first order: then the difference is the error.
static double calc_burst(const FbResult* run, double growth) {
    if (run->has_rough_steps) {
        return 1.0 / growth;
    }
    return (double)run->stats.rejected > BURSTS * (double)run->stats.steps ? BURST_PART : 1.0;
}

// Is what the companion did worth a comparison?
static FbStatus judge(const FbResult* run, const FbCompanion* c, FbStatus status, FbError* err) {
    double duration = run->stats.t_end - run->stats.t_start;
    double steps = (double)fb_result_get_stats(c->result)->steps;
    if (steps > TOO_MANY * fb_step_log_count(run->log, c->t_end) && !is_elsewhere(c)) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL, "%s",
                       can_be_led(run) ? "a second run cannot take longer steps, because breaks, "
                                         "kinks or events limit them"
                                       : "a second run at a looser tolerance takes nearly as many "
                                         "steps");
    }
    if (c->t_end - run->stats.t_start >= TOO_SHORT * duration && c->result->n_row > 2) {
        return FB_OK;
    }
    return status < 0 ? status
                      : fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                                "a second run would cost more than half of the first");
}

FbStatus fb_companion_run(const FbResult* run, const FbRunOptions* options, FbCompanion* c,
                          FbError* err) {
    bool is_fixed = options->settings.step > 0.0;
    FbRunOptions o = is_fixed ? choose_fixed_options(run, options) : choose_options(run, options);
    FbSimulation* sim = NULL;
    *c = (FbCompanion){0};
    if (o.settings.step > o.settings.duration) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                       "a second run with steps twice as long would take less than one step");
    }
    FB_TRY(fb_simulation_create(fb_result_get_model(run), &o, &sim, err));
    sim->units = fb_work_units(sim->run.dynamics, &sim->run.at);
    double work = work_of(&sim->units, run);
    sim->most_work = (is_fixed ? FIXED_MOST : MOST) * work;
    if (can_be_led(run) && !is_fixed) {
        sim->run.is_companion = true;
        sim->plan = (FbStepPlan){.log = run->log, .stretch = choose_stretch(run, work)};
    }
    FbStatus status = fb_simulation_start_result(sim, 0, err);
    if (status == FB_OK) {
        status = fb_simulation_record_run(sim, false, &c->result, err);
    } else {
        fb_result_destroy(sim->result);
    }
    if (c->result) {
        c->cost = work_of(&sim->units, c->result) / work;
        c->is_too_dear = sim->is_too_dear;
        c->t_end = c->result->stats.t_end;
        c->growth = calc_factor(run, &sim->plan, c);
        c->factor = c->growth * calc_burst(run, c->growth);
        status = judge(run, c, status, err);
    }
    fb_simulation_destroy(sim);
    if (status < 0) {
        fb_result_destroy(c->result);
        c->result = NULL;
    }
    return status < 0 ? status : FB_OK;
}
