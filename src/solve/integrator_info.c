// What the table of integrators says about each of them, for users.
#include <flyball/simulate.h>
#include <string.h>

#include "solve/auto.h"
#include "solve/integrator.h"

bool fb_integrator_get_info(int index, FbIntegratorInfo* info) {
    memset(info, 0, sizeof *info);
    int count = 0;
    while (fb_integrator_types[count]) {
        count++;
    }
    if (index < 0 || index > count) {
        return false;
    }
    const FbIntegratorType* type =
        index == 0 ? &fb_integrator_auto : fb_integrator_types[index - 1];
    info->name = type->name;
    info->doc = type->doc;
    info->orders = type->orders;
    info->use = type->use;
    info->is_implicit = type->is_implicit;
    info->is_stiff = type->is_implicit;
    info->takes_fixed_steps = type->takes_fixed_steps;
    info->controls_error = !type->has_no_control;
    info->is_available = type->step != NULL;
    return true;
}
