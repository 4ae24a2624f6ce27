// When differences between runs certify a global error (theory manual, section 6.4).
#include "solve/certify.h"

#include <math.h>

// The tolerance falls by 30 from run to run and the error about as much. Where the differences fall
// by less than this, rounding, a kink or chaos rules, and they say nothing about the error.
static const double FALLING = 1.0 / 3.0;
// A fall that is faster than the tolerance's is luck; it is not extrapolated.
static const double FASTEST = 1.0 / 30.0;
// Differences so small against the target need not fall any more: they are rounding errors.
static const double QUIET = 1e-3;
// Between an estimate of the error and its certificate.
static const double SAFETY = 3.0;

// The error of the tightest run as estimated by runs of the same method: the difference is the
// error of the run before, and the error falls by the observed contraction once more (eq. 6.8).
static double extrapolate(const FbEvidence* e, bool is_falling) {
    if (!is_falling) {
        return fmax(e->before, e->now);
    }
    double contraction = e->before > 0.0 ? fmax(e->now / e->before, FASTEST) : FASTEST;
    return e->now * contraction / (1.0 - contraction);
}

FbCertificateStatus fb_certify(const FbEvidence* e, double* bound) {
    *bound = INFINITY;
    if (!isfinite(e->before) || !isfinite(e->now)) {
        return FB_NOT_FALLING;
    }
    bool is_falling = e->now <= FALLING * e->before;
    bool is_quiet = fmax(e->before, e->now) <= QUIET * e->target;
    double own = SAFETY * extrapolate(e, is_falling);
    *bound = is_falling || is_quiet ? own : SAFETY * fmax(e->before, e->now);
    if (!is_falling && !is_quiet) {
        return FB_NOT_FALLING;
    }
    if (!(own <= e->target)) {
        return FB_ABOVE_TARGET;
    }
    if (!e->has_cross) {
        return FB_UNCONFIRMED;
    }
    if (!isfinite(e->cross)) {
        return FB_CROSS_FAILED;
    }
    *bound = fmax(own, SAFETY * e->cross);
    return *bound <= e->target ? FB_CERTIFIED : FB_CROSS_DIFFERS;
}

const char* fb_certificate_text(FbCertificateStatus status) {
    switch (status) {
        case FB_CERTIFIED:
            return "certified";
        case FB_NOT_FALLING:
            return "the outputs do not converge as the tolerance is tightened (chaos, kinks or "
                   "rounding)";
        case FB_ABOVE_TARGET:
            return "no tolerance reaches the target";
        case FB_UNCONFIRMED:
            return "no other method confirmed the result";
        case FB_CROSS_FAILED:
            return "the cross-check failed: no other method could compute the run";
        case FB_CROSS_DIFFERS:
            return "another method differs by more than the target allows";
        case FB_RUN_FAILED:
            return "a run at a tighter tolerance failed";
    }
    return "";
}
