// Laws of a description, and values that are written as laws.
#include <string.h>

#include "compile/compile.h"

// Laws may use only parameters, time and inputs; their expressions are compiled by the law itself.
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
        i = fb_def_find_input(r->b->def, r->scope, name);
        if (i < 0) {
            return FB_NAME_UNKNOWN;
        }
        found->quantity = fb_compile_input_quantity(&r->b->def->inputs[i]);
        return 1 + i;
    }
    const FbParameter* p = &r->b->def->parameters[i];
    *found = (FbNumber){p->value, p->quantity};
    return FB_NAME_CONSTANT;
}

// The law's own value, or a rate of it ("/s").
static bool is_value_field(const FbField* f) {
    bool is_number = f->kind == FB_FIELD_REAL || f->kind == FB_FIELD_REALS;
    return is_number && f->unit && (f->unit[0] == '\0' || f->unit[0] == '/');
}

// What its values were written as, which must be the same for all of them.
static FbQuantity merge_fields(FbBuilder* b, const FbLawDef* def, const FbTypeInfo* type) {
    FbQuantity all = {0};
    for (int i = 0; i < type->n_fields; i++) {
        const FbField* f = &type->fields[i];
        if (!is_value_field(f)) {
            continue;
        }
        FbQuantity one = fb_def_find_quantity(b->def, &def->origin, f->key);
        if (f->unit[0] == '/') {
            one = fb_quantity_times(one, fb_quantity_of_unit(f->unit + 1), 1.0);
        }
        if (fb_quantity_contradicts(all, one)) {
            char found[96], wanted[96];
            fb_quantity_format(one, found, sizeof found);
            fb_quantity_format(all, wanted, sizeof wanted);
            fb_compile_error(b, FB_ERR_UNIT, &def->origin, f->key,
                             "this value of law '%s' is %s, but those before it are %s", def->name,
                             found, wanted);
        } else {
            all = fb_quantity_merge(all, one);
        }
    }
    return all;
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
    FbLaw* law = &m->laws[m->n_laws];
    const FbExpr* expr = fb_law_get_expression(law);
    law->name = fb_arena_text(m->arena, def->name);
    law->inputs = m->input_values;
    law->quantity = expr ? fb_expr_quantity(expr) : merge_fields(b, def, &law->type->info);
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
