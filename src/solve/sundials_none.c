// The integrators of SUNDIALS in a build without it: an error.
#include "solve/integrator.h"

static FbStatus create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                       FbError* err) {
    (void)d, (void)o;
    *out = NULL;
    return fb_fail(
        err, FB_ERR_UNAVAILABLE, NULL,
        "this build has no CVODE and no IDA: install SUNDIALS (libsundials-dev) and build again, "
        "or use integrator "
        "'radau' or 'dop853'");
}

static void destroy(FbIntegrator* s) {
    (void)s;
}

const FbIntegratorType fb_integrator_bdf = {.name = "bdf",
                                            .doc = "CVODE's BDF (not in this build)",
                                            .orders = "1 to 5",
                                            .use = "comparison with other programs",
                                            .is_implicit = true,
                                            .create = create,
                                            .destroy = destroy};

const FbIntegratorType fb_integrator_adams = {.name = "adams",
                                              .doc = "CVODE's Adams (not in this build)",
                                              .orders = "1 to 12",
                                              .use = "comparison with other programs",
                                              .is_implicit = false,
                                              .create = create,
                                              .destroy = destroy};

const FbIntegratorType fb_integrator_ida = {.name = "ida",
                                            .doc = "IDA's BDF (not in this build)",
                                            .orders = "1 to 5",
                                            .use = "comparison with other programs",
                                            .is_implicit = true,
                                            .create = create,
                                            .destroy = destroy};
