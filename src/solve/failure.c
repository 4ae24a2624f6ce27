// Messages of integrators that cannot continue: the true cause and its location.
#include "solve/failure.h"

#include "solve/weights.h"

static const FbError* trouble_of(const FbDynamics* d) {
    return d->ops->trouble ? d->ops->trouble(d) : NULL;
}

static const FbPlace* place_of(const FbError* cause) {
    return cause->place.line > 0 ? &cause->place : NULL;
}

FbStatus fb_fail_step(const FbIntegrator* s, double t, double h, bool has_no_value, int worst,
                      const char* advice, FbError* err) {
    const FbDynamicsOps* ops = s->dynamics->ops;
    const FbError* cause = has_no_value ? trouble_of(s->dynamics) : NULL;
    const FbError* singular = ops->singularity ? ops->singularity(s->dynamics) : NULL;
    cause = singular ? singular : cause;
    if (cause) {
        return fb_fail(err, FB_ERR_CONVERGENCE, place_of(cause),
                       "%s: at t = %.10g s the step had to shrink to %.3g s: %.380s", s->type->name,
                       t, h, cause->text);
    }
    return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                   "%s: at t = %.10g s the step had to shrink to %.3g s; the largest error is in "
                   "%s. Look for a jump or a singular position there, or try %s",
                   s->type->name, t, h, fb_weights_name(s->dynamics, worst), advice);
}

FbStatus fb_fail_fixed_step(const FbIntegrator* s, double t, bool has_no_value, int worst,
                            FbError* err) {
    const FbError* cause = has_no_value ? trouble_of(s->dynamics) : NULL;
    double h = s->options.fixed_step;
    if (cause) {
        return fb_fail(err, FB_ERR_CONVERGENCE, place_of(cause),
                       "%s: at t = %.10g s the step of fixed length %g s has no solution: %.380s",
                       s->type->name, t, h, cause->text);
    }
    return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                   "%s: at t = %.10g s Newton's iteration did not converge in the step of fixed "
                   "length %g s, nor in short parts of it; the largest change is in %s. Use a "
                   "shorter step, or none for "
                   "error control",
                   s->type->name, t, h, fb_weights_name(s->dynamics, worst));
}

FbStatus fb_fail_point(const FbDynamics* d, double t, FbError* err) {
    const FbError* cause = trouble_of(d);
    if (cause) {
        return fb_fail(err, FB_ERR_SINGULAR, place_of(cause),
                       "at t = %.10g s the accelerations cannot be computed: %.420s", t,
                       cause->text);
    }
    return fb_fail(err, FB_ERR_SINGULAR, NULL,
                   "at t = %.10g s the accelerations are not determined: a singular position, or a "
                   "mass of zero",
                   t);
}
