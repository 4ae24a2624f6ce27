// Laws of a description, and values that are written as laws.
#include <string.h>

#include "compile/compile.h"

// Laws may use only parameters and time; their expressions are compiled by the law itself.
typedef struct LawResolver {
    FbBuilder* b;
    const char* scope;
} LawResolver;

static int resolve_for_law(void* self, const char* name, FbNumber* found) {
    LawResolver* r = self;
    if (strcmp(name, "t") == 0) {
        found->quantity = fb_quantity_of_unit("s");
        return 0;
    }
    int i = fb_def_find_parameter(r->b->def, r->scope, name);
    if (i < 0) {
        return FB_NAME_UNKNOWN;
    }
    const FbParameter* p = &r->b->def->parameters[i];
    *found = (FbNumber){p->value, p->quantity};
    return FB_NAME_CONSTANT;
}

static int add_law(FbBuilder* b, const FbLawDef* def) {
    FbModel* m = b->m;
    if (!fb_grow((void**)&m->laws, &m->laws_capacity, m->n_laws, sizeof(FbLaw))) {
        b->is_out_of_memory = true;
        return -2;
    }
    LawResolver r = {b, def->origin.scope};
    FbError err;
    fb_error_clear(&err);
    memset(&m->laws[m->n_laws], 0, sizeof(FbLaw));
    if (fb_law_build(def, resolve_for_law, &r, m->arena, &m->laws[m->n_laws], &err) < 0) {
        if (err.place.line == 0) {
            err.place = def->origin.place;
        }
        fb_diagnose_error(b->diagnostics, &err);
        return -2;
    }
    m->laws[m->n_laws].name = fb_arena_text(m->arena, def->name);
    return m->n_laws++;
}

FbStatus fb_compile_laws(FbBuilder* b) {
    for (int i = 0; i < b->def->n_laws; i++) {
        if (add_law(b, b->def->laws[i]) < 0) {
            // Keep the numbering of the description, so that later references stay right while
            // errors are collected.
            if (!fb_grow((void**)&b->m->laws, &b->m->laws_capacity, b->m->n_laws, sizeof(FbLaw))) {
                return FB_ERR_MEMORY;
            }
            memset(&b->m->laws[b->m->n_laws++], 0, sizeof(FbLaw));
        }
    }
    return FB_OK;
}

int fb_compile_law_of(FbBuilder* b, const char* law, const char* expression,
                      const FbOrigin* origin) {
    if (law && expression) {
        fb_compile_error(b, FB_ERR_MODEL, origin, "value",
                         "give either a law or a value, not both");
        return -2;
    }
    if (law) {
        int i = fb_def_find_law(b->def, origin->scope, law);
        if (i < 0) {
            fb_compile_error(b, FB_ERR_NAME, origin, "law", "there is no law '%s'", law);
            return -2;
        }
        return i;
    }
    if (!expression) {
        return -1;
    }
    FbExpressionLawDef def = fb_expression_law_def_default();
    def.head.name = "value";
    def.head.origin = *origin;
    def.value = expression;
    return add_law(b, &def.head);
}
