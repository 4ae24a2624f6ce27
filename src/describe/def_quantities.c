// Quantities of values whose unit depends on their use, such as the amplitude of a law: kept by
// their location in the file until that use is compiled.
#include <stdio.h>
#include <string.h>

#include "describe/def.h"

enum { KEY_LENGTH = 32 };

static void format_key(int line, int col, char out[KEY_LENGTH]) {
    snprintf(out, KEY_LENGTH, "%d:%d", line, col);
}

// Copies of one part by a repeat have the same place, and the same quantity.
bool fb_def_note_quantity(FbModelDef* def, const char* scope, int line, int col, FbQuantity q) {
    char key[KEY_LENGTH];
    format_key(line, col, key);
    const char* prefix = scope ? scope : "";
    if (!q.is_known || fb_names_find(&def->quantities_names, prefix, strlen(prefix), key) >= 0) {
        return true;
    }
    const char* name = fb_arena_format(def->arena, "%s%s", prefix, key);
    if (!name || !fb_grow((void**)&def->quantities, &def->quantities_capacity, def->n_quantities,
                          sizeof(FbQuantity))) {
        return false;
    }
    def->quantities[def->n_quantities] = q;
    return fb_names_add(&def->quantities_names, name, def->n_quantities++);
}

FbQuantity fb_def_find_quantity(const FbModelDef* def, const FbOrigin* origin, const char* key) {
    FbPlace place = fb_origin_place(origin, key);
    char text[KEY_LENGTH];
    format_key(place.line, place.col, text);
    const char* scope = origin->scope ? origin->scope : "";
    int i = fb_names_find(&def->quantities_names, scope, strlen(scope), text);
    return i >= 0 ? def->quantities[i] : (FbQuantity){0};
}
