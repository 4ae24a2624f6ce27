// Checks that the vibration to be examined is recorded, and stores the request.
#include <stdlib.h>

#include "base/text.h"
#include "compile/compile.h"

static FbStatus check_output(FbBuilder* b, const FbOrigin* origin, const char* key,
                             const char** name) {
    FbModel* m = b->m;
    if (!*name || fb_model_find_output(m, *name) >= 0) {
        *name = fb_arena_text(m->arena, *name);
        return FB_OK;
    }
    const char** names = malloc(sizeof(char*) * (size_t)(m->n_outputs + 1));
    if (!names) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_outputs; i++) {
        names[i] = m->outputs[i].name;
    }
    const char* close = fb_did_you_mean(*name, names, m->n_outputs);
    fb_compile_error(b, FB_ERR_NAME, origin, key,
                     "%s of 'damping' is '%s', but no output is recorded under this name%s%s%s",
                     key, *name, close ? "; did you mean '" : "", close ? close : "",
                     close ? "'?" : "");
    free(names);
    return FB_OK;
}

FbStatus fb_compile_damping(FbBuilder* b) {
    const FbDampingDef* def = &b->def->damping;
    FbModel* m = b->m;
    m->damping = *def;
    m->damping.origin = (FbOrigin){0};
    if (!def->output) {
        return FB_OK;
    }
    if (def->n_masses > 0) {
        double* masses = FB_TAKE(m->arena, double, 2);
        if (!masses) {
            return FB_ERR_MEMORY;
        }
        masses[0] = def->masses[0];
        masses[1] = def->masses[1];
        m->damping.masses = masses;
    }
    FB_TRY(check_output(b, &def->origin, "output", &m->damping.output));
    FB_TRY(check_output(b, &def->origin, "energy", &m->damping.energy));
    return check_output(b, &def->origin, "power", &m->damping.power);
}
