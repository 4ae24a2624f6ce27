// The list of integrators of this build.
#include <string.h>

#include "solve/integrator.h"

const FbIntegratorType* const fb_integrator_types[] = {
    &fb_integrator_radau,
    &fb_integrator_dop853,
    &fb_integrator_alpha,
    &fb_integrator_linear,
    &fb_integrator_gauss2,
    &fb_integrator_gauss4,
    &fb_integrator_gauss6,
    &fb_integrator_bdf,
    &fb_integrator_adams,
    &fb_integrator_ida,
    NULL,
};

const FbIntegratorType* fb_integrator_find(const char* name) {
    for (int i = 0; fb_integrator_types[i]; i++) {
        if (strcmp(fb_integrator_types[i]->name, name) == 0) {
            return fb_integrator_types[i];
        }
    }
    return NULL;
}
