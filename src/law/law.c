// The list of law types, building a law of any type, and what all of them share.
#include "law/law.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ADDRESS(name) &fb_law_##name,
const FbLawType* const fb_law_types[] = {FB_LAW_TYPES(ADDRESS) NULL};

// Breaks closer to t than this many rounding units of t are t itself: a step between them could not
// be resolved.
static const double ROUNDING_UNITS = 64.0;

FbStatus fb_law_build(const FbLawDef* def, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* out, FbError* err) {
    memset(out, 0, sizeof *out);
    for (int i = 0; fb_law_types[i] != NULL; i++) {
        if (def->type != NULL && strcmp(fb_law_types[i]->info.name, def->type) == 0) {
            out->type = fb_law_types[i];
        }
    }
    if (out->type == NULL) {
        return fb_fail(err, FB_ERR_NAME, &def->origin.place, "law '%s' has the unknown type '%s'",
                       def->name, def->type != NULL ? def->type : "");
    }
    out->name = fb_arena_text(arena, def->name);
    if (out->name == NULL) {
        return fb_fail_memory(err);
    }
    return out->type->build(def, resolve, self, arena, out, err);
}

double fb_law_next_break(const FbLaw* law, double t) {
    return law->type->next_break != NULL ? law->type->next_break(law, t) : INFINITY;
}

int fb_law_roughness(const FbLaw* law) {
    return law->type->roughness != NULL ? law->type->roughness(law) : 3;
}

double fb_law_first_after(const double* times, int n_times, double t) {
    for (int i = 0; i < n_times; i++) {
        if (times[i] - t > ROUNDING_UNITS * DBL_EPSILON * fabs(t)) {
            return times[i];
        }
    }
    return INFINITY;
}
