// States and inputs of a description, and memory for everything that expressions can name.
#include <math.h>

#include "compile/part_build.h"

FbQuantity fb_compile_input_quantity(const FbInputDef* input) {
    FbQuantity quantity = fb_quantity_of_unit(input->unit);
    quantity.is_written = quantity.is_known;
    return quantity;
}

FbStatus fb_compile_inputs(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_inputs = b->def->n_inputs;
    m->inputs = FB_TAKE(m->arena, FbInput, m->n_inputs + 1);
    m->input_values = FB_TAKE(m->arena, double, m->n_inputs + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_inputs; i++) {
        const FbInputDef* def = &b->def->inputs[i];
        FbQuantity quantity = fb_compile_input_quantity(def);
        if (def->unit && def->unit[0] && !quantity.is_known) {
            fb_compile_error(
                b, FB_ERR_UNIT, &def->origin, "unit",
                "input '%s' has the unknown unit '%s'; write it as a product of units, "
                "such as N*m or m/s^2, or leave it out",
                def->name, def->unit);
        }
        static const char* const keys[] = {"default", "min", "max"};
        for (int k = 0; k < 3; k++) {
            fb_compile_check_written(b, quantity, &def->origin, keys[k]);
        }
        m->inputs[i] = (FbInput){.name = fb_arena_text(m->arena, def->name),
                                 .unit = fb_arena_text(m->arena, def->unit ? def->unit : ""),
                                 .min = def->min,
                                 .max = def->max};
        m->input_values[i] = def->value;
    }
    return FB_OK;
}

FbStatus fb_compile_names(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_sensors = b->def->n_sensors;
    m->sensors = FB_TAKE(m->arena, FbSensor, m->n_sensors + 1);
    m->n_forces = b->def->n_forces;
    m->forces = FB_TAKE(m->arena, FbForce, m->n_forces + 1);
    m->n_states = b->def->n_states;
    m->states = FB_TAKE(m->arena, FbStateVariable, m->n_states + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_states; i++) {
        m->states[i].name = fb_arena_text(m->arena, b->def->states[i].name);
        m->states[i].initial = b->def->states[i].initial;
    }
    return FB_OK;
}

static FbStatus connect(FbBuilder* b) {
    for (int i = 0; i < b->m->n_states; i++) {
        const FbStateDef* def = &b->def->states[i];
        if (!isfinite(def->initial)) {
            fb_compile_error(b, FB_ERR_RANGE, &def->origin, "initial",
                             "the initial value of state '%s' is not a finite number", def->name);
        }
        FbQuantity value = fb_quantity_of_unit(def->unit);
        FbQuantity rate = fb_quantity_times(value, fb_quantity_of_unit("s"), -1.0);
        fb_compile_check_written(b, value, &def->origin, "initial");
        b->m->states[i].function =
            fb_compile_function(b, def->rate ? def->rate : "0", &def->origin, "rate",
                                (FbUse){.is_for_dynamics = true, .result = rate});
    }
    return FB_OK;
}

static void add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; i < m->n_states; i++) {
        fb_users_add_function(u, m->states[i].function);
    }
}

const FbPartBuild fb_build_states = {
    .connect = connect,
    .add_users = add_users,
};
