// Inputs: values that are set from outside, between steps.
#include <math.h>
#include <string.h>

#include "system/system.h"
#include "system/work.h"

// Also catches NaN.
static FbStatus check(const FbInput* input, double value, FbError* err) {
    if (value >= input->min && value <= input->max && isfinite(value)) {
        return FB_OK;
    }
    return fb_fail(err, FB_ERR_RANGE, NULL,
                   "input '%s' cannot be %g%s%s; it must be finite and from %g to %g", input->name,
                   value, input->unit[0] ? " " : "", input->unit, input->min, input->max);
}

FbStatus fb_system_start_inputs(FbSystem* s, const double* values, FbError* err) {
    for (int i = 0; values && i < s->m->n_inputs; i++) {
        FB_TRY(check(&s->m->inputs[i], values[i], err));
    }
    if (values && s->m->n_inputs > 0) {
        memcpy(s->inputs, values, sizeof(double) * (size_t)s->m->n_inputs);
    }
    return FB_OK;
}

void fb_system_copy_inputs(FbSystem* s, const FbSystem* other) {
    memcpy(s->inputs, other->inputs, sizeof(double) * (size_t)s->m->n_inputs);
}

const double* fb_system_get_inputs(const FbSystem* s) {
    return s->inputs;
}

// Would the place or speed that a law prescribes jump if the input took the value?
static bool would_jump(FbSystem* s, int law, double t, int input, double value) {
    double before[3], after[3], old = s->inputs[input];
    if (law < 0 || !s->m->laws[s->law_of[law]].has_inputs) {
        return false;
    }
    fb_law_now(s, law, t, before);
    s->inputs[input] = value;
    fb_law_now(s, law, t, after);
    s->inputs[input] = old;
    return before[0] != after[0] || before[1] != after[1];
}

// The first part whose motion would jump; NULL: none.
static const char* find_jump(FbSystem* s, double t, int input, double value, const char** kind) {
    const FbModel* m = s->m;
    for (int r = 0; r < m->n_rows; r++) {
        const FbRow* row = &m->rows[r];
        if (would_jump(s, row->law, t, input, value)) {
            *kind = row->is_joint ? "joint" : row->carriage ? "slider" : "constraint";
            return row->is_joint   ? m->joints[row->owner].name
                   : row->carriage ? m->sliders[row->owner].name
                                   : m->constraints[row->owner].name;
        }
    }
    for (int i = 0; i < m->n_sliders; i++) {
        if (would_jump(s, m->sliders[i].law, t, input, value)) {
            *kind = "slider";
            return m->sliders[i].name;
        }
    }
    return NULL;
}

FbStatus fb_system_set_input(FbSystem* s, double t, int input, double value, FbError* err) {
    const char* kind;
    FB_TRY(check(&s->m->inputs[input], value, err));
    const char* jumps = find_jump(s, t, input, value, &kind);
    if (jumps) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "input '%s' cannot change from %g to %g at t = %g s: by its law, %s '%s' "
                       "would jump. Give the value for the whole run (FbRunOptions.inputs), or let "
                       "the input act on a force, on the rate of a state or on the acceleration of "
                       "a drive",
                       s->m->inputs[input].name, s->inputs[input], value, t, kind, jumps);
    }
    s->inputs[input] = value;
    return FB_OK;
}

static bool uses(const FbModel* m, int law, int input) {
    const FbExpr* expr =
        law >= 0 && m->laws[law].has_inputs ? fb_law_get_expression(&m->laws[law]) : NULL;
    for (int k = 0; expr && k < fb_expr_input_count(expr); k++) {
        if (fb_expr_inputs(expr)[k] == input + 1) {
            return true;
        }
    }
    return false;
}

FbStatus fb_system_check_input(const FbSystem* s, int i, FbError* err) {
    const FbModel* m = s->m;
    bool drives = false;
    for (int r = 0; r < m->n_rows; r++) {
        drives |= m->rows[r].law >= 0 && uses(m, s->law_of[m->rows[r].law], i);
    }
    for (int k = 0; k < m->n_sliders; k++) {
        drives |= m->sliders[k].law >= 0 && uses(m, s->law_of[m->sliders[k].law], i);
    }
    return !drives ? FB_OK
                   : fb_fail(err, FB_ERR_MODEL, NULL,
                             "input '%s' prescribes a motion by a law; x' = A x + B u has no place "
                             "for that. Let it act on a force, on the rate of a state or on the "
                             "acceleration of a drive",
                             m->inputs[i].name);
}

FbStatus fb_system_check_inputs(const FbSystem* s, FbError* err) {
    for (int i = 0; i < s->m->n_inputs; i++) {
        FB_TRY(fb_system_check_input(s, i, err));
    }
    return FB_OK;
}
