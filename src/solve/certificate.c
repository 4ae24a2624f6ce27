// Runs with a certified global error: the tolerance is tightened until the differences between runs
// fall as they should and are small enough, and a run by another method confirms them. The rules
// are in certify.c (theory manual, section 6.4).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "solve/certify.h"
#include "solve/difference.h"
#include "solve/integrator.h"
#include "solve/settings.h"

static const double FIRST_RTOL = 1e-5, LAST_RTOL = 1e-13;
// At least three runs show how the differences fall, also where the target is out of reach.
static const double LOWEST_FIRST_RTOL = 1e-10;
static const double TIGHTER = 1.0 / 30.0;  // from run to run, and to the cross-check
// A method that does not suit the model may take this many times the steps before its check is
// given up.
enum { MORE_STEPS = 300 };

static FbStatus run_at(const FbModel* model, const FbRunOptions* options, double rtol,
                       const char* integrator, FbResult** out, FbError* err) {
    FbRunOptions o = *options;
    o.settings.rtol = rtol;
    o.settings.atol = FB_ATOL_PART * rtol;
    if (integrator) {
        o.settings.integrator = integrator;
    }
    return fb_simulate(model, &o, out, err);
}

// One run by one other method, at a tolerance at which its own error should not count.
static bool confirm(const FbModel* model, const FbRunOptions* options, const FbResult* result,
                    const char* integrator, FbCertificate* c) {
    FbResult* other = NULL;
    FbError err;
    int worst;
    FbRunOptions limited = *options;
    long asked = options->settings.max_steps;
    long most = MORE_STEPS * (long)fmin((double)fb_result_get_stats(result)->steps, 1e6) + 10000;
    limited.settings.max_steps = asked > 0 && asked < most ? (int)asked : (int)most;
    c->cross_rtol = fmax(TIGHTER * c->rtol, LAST_RTOL);
    c->cross_integrator = integrator;
    FbStatus status = run_at(model, &limited, c->cross_rtol, integrator, &other, &err);
    c->has_cross_check = status >= 0 && other;
    c->cross_difference =
        c->has_cross_check ? fb_result_difference(result, other, c->target, &worst) : NAN;
    fb_result_destroy(other);
    return c->has_cross_check;
}

// By a method of another kind than the one used: explicit against implicit; where that one fails,
// by the multistep methods, where they are built in.
static void cross_check(const FbModel* model, const FbRunOptions* options, const FbResult* result,
                        FbCertificate* c) {
    const char* used = fb_result_get_stats(result)->integrator;
    const char* others[] = {"dop853", "radau", "bdf", "adams"};
    for (int i = 0; i < 4 && !c->has_cross_check; i++) {
        if (strcmp(used, others[i]) != 0 && fb_integrator_find(others[i])) {
            confirm(model, options, result, others[i], c);
        }
    }
}

static void set_message(FbCertificate* c) {
    c->is_reached = c->status == FB_CERTIFIED;
    if (!c->is_reached && c->message[0] == '\0') {
        snprintf(c->message, sizeof c->message, "%s", fb_certificate_text(c->status));
    }
}

// What the run `next` adds to what `last` said.
static void judge(const FbModel* model, const FbRunOptions* options, const FbResult* last,
                  const FbResult* next, FbCertificate* c) {
    FbEvidence e = {.target = c->target, .before = c->difference, .cross = NAN};
    e.now = last ? fb_result_difference(last, next, c->target, &c->worst_output) : NAN;
    c->contraction = e.now / e.before;
    c->difference = e.now;
    c->has_cross_check = false;
    c->cross_integrator = NULL;
    c->cross_difference = NAN;
    c->status = fb_certify(&e, &c->estimate);
    if (c->status == FB_UNCONFIRMED) {
        cross_check(model, options, next, c);
        e.has_cross = true;
        e.cross = c->cross_difference;
        c->status = fb_certify(&e, &c->estimate);
    }
}

static void begin(double accuracy, FbCertificate* c) {
    *c = (FbCertificate){.target = accuracy,
                         .estimate = INFINITY,
                         .status = FB_NOT_FALLING,
                         .difference = NAN,
                         .contraction = NAN,
                         .cross_difference = NAN,
                         .worst_output = -1};
}

// No tolerance cures these.
static bool is_final(FbCertificateStatus status) {
    return status == FB_CERTIFIED || status == FB_CROSS_FAILED;
}

FbStatus fb_simulate_accurately(const FbModel* model, const FbRunOptions* options, double accuracy,
                                FbResult** out, FbCertificate* certificate, FbError* err) {
    FbCertificate* c = certificate;
    FbStatus status = FB_OK;
    *out = NULL;
    begin(accuracy, c);
    if (!(accuracy > 0.0)) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "the accuracy is %g; it must be > 0", accuracy);
    }
    if (options->settings.step > 0.0) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "simulation.step is %g s: steps of a fixed length cannot reach a "
                       "given accuracy; leave step out",
                       options->settings.step);
    }
    double first = fmax(fmin(FIRST_RTOL, accuracy), LOWEST_FIRST_RTOL);
    for (double rtol = first; rtol >= LAST_RTOL && !is_final(c->status); rtol *= TIGHTER) {
        FbResult* next = NULL;
        status = run_at(model, options, rtol, NULL, &next, err);
        c->n_runs++;
        if (status < 0) {
            // What the last tolerance gave is still good; a failure at the first is the caller's.
            c->status = FB_RUN_FAILED;
            snprintf(c->message, sizeof c->message, "the run at rtol %.2g failed: %.220s", rtol,
                     err->text);
            fb_result_destroy(*out ? next : NULL);
            status = *out ? FB_OK : status;
            *out = *out ? *out : next;
            break;
        }
        c->rtol = rtol;
        c->atol = FB_ATOL_PART * rtol;
        judge(model, options, *out, next, c);
        fb_result_destroy(*out);
        *out = next;
    }
    set_message(c);
    return status;
}
