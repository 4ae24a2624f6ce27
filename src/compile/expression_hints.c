// What an unknown name in an expression may have meant.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compile/compile.h"

// "; joint 'j' has j.q, j.v, j.a", with numbers where it has several coordinates.
static const char* hint_joint(const FbBuilder* b, int joint) {
    const FbJointDef* def = &b->def->joints[joint];
    const FbJointType* type = b->m->joints[joint].type;
    int n = type ? type->n_v : 0;
    const char* name = def->name;
    if (n == 1) {
        return fb_arena_format(b->m->arena, "; joint '%s' has %s.q, %s.v, %s.a", name, name, name,
                               name);
    }
    return fb_arena_format(b->m->arena, "; joint '%s' has %s.q1 to %s.q%d, and v and a likewise",
                           name, name, name, n);
}

static const char* hint_force(const FbBuilder* b, int force) {
    const FbForce* e = &b->m->forces[force];
    if (!e->type || e->term < 0) {
        return fb_arena_format(b->m->arena, "; force '%s' has %s.power", e->name, e->name);
    }
    bool is_length = fb_compile_acts_along_length(b, force);
    const char* value = e->measure == FB_MEASURE_DISTANCE ? "length" : "angle";
    return fb_arena_format(b->m->arena, "; force '%s' has %s.%s, %s.%s, %s.rate, %s.power", e->name,
                           e->name, is_length ? "force" : "torque", e->name, value, e->name,
                           e->name);
}

// The values of the part before the dot; NULL if there is no such part.
static const char* hint_part(const FbBuilder* b, const char* scope, const char* unknown) {
    const char* dot = strrchr(unknown, '.');
    const char* part = dot ? fb_arena_text_n(b->m->arena, unknown, (size_t)(dot - unknown)) : NULL;
    if (!part) {
        return NULL;
    }
    int i = fb_def_find_joint(b->def, scope, part);
    if (i >= 0) {
        return hint_joint(b, i);
    }
    i = fb_def_find_force(b->def, scope, part);
    if (i >= 0) {
        return hint_force(b, i);
    }
    i = fb_def_find_law(b->def, scope, part);
    if (i >= 0) {
        return fb_arena_format(b->m->arena, "; law '%s' has %s, %s.rate, %s.acceleration", part,
                               part, part, part);
    }
    i = fb_def_find_slider(b->def, scope, part);
    return i >= 0 ? fb_compile_slider_hint(b, i) : NULL;
}

// A name of the model that is like the unknown one.
static const char* find_close(const FbBuilder* b, const char* unknown) {
    const FbModelDef* d = b->def;
    FbArena* arena = b->m->arena;
    int n = 0,
        most = d->n_parameters + d->n_sensors + d->n_states + d->n_inputs + d->n_laws + d->n_joints;
    const char** names = malloc(sizeof(char*) * (size_t)(most + 1));
    for (int i = 0; names && i < d->n_parameters; i++) {
        names[n++] = d->parameters[i].name;
    }
    for (int i = 0; names && i < d->n_sensors; i++) {
        names[n++] = d->sensors[i]->name;
    }
    for (int i = 0; names && i < d->n_states; i++) {
        names[n++] = d->states[i].name;
    }
    for (int i = 0; names && i < d->n_inputs; i++) {
        names[n++] = d->inputs[i].name;
    }
    for (int i = 0; names && i < d->n_laws; i++) {
        names[n++] = d->laws[i]->name;
    }
    for (int i = 0; names && i < d->n_joints; i++) {
        names[n++] = fb_arena_format(arena, "%s.q", d->joints[i].name);
    }
    const char* best =
        !names || fb_arena_has_failed(arena) ? NULL : fb_did_you_mean(unknown, names, n);
    free(names);
    return best;
}

const char* fb_compile_hint(FbBuilder* b, const char* scope, const char* unknown) {
    const char* part = hint_part(b, scope, unknown);
    const char* close = part ? NULL : find_close(b, unknown);
    const char* hint = close ? fb_arena_format(b->m->arena, "; did you mean '%s'?", close) : part;
    return hint ? hint : "";
}
