// Constraints as rows: loops over the types; the list of types.
#include <string.h>

#include "compile/constraint_types.h"
#include "compile/part_build.h"

#define ADDRESS(name) &fb_constraint_##name,
const FbConstraintType* const fb_constraint_types[] = {FB_CONSTRAINT_TYPES(ADDRESS) NULL};

static const FbConstraintType* find_type(const char* name) {
    for (int i = 0; name && fb_constraint_types[i]; i++) {
        if (strcmp(fb_constraint_types[i]->info.name, name) == 0) {
            return fb_constraint_types[i];
        }
    }
    return NULL;
}

static FbStatus build(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_constraints = b->def->n_constraints;
    m->constraints = FB_TAKE(m->arena, FbConstraint, m->n_constraints + 1);
    if (!m->constraints) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_constraints; i++) {
        const FbConstraintDef* def = b->def->constraints[i];
        FbConstraint* c = &m->constraints[i];
        c->name = fb_arena_text(m->arena, def->name);
        c->place = def->origin.place;
        c->place.file = fb_arena_text(m->arena, def->origin.place.file);
        c->first_row = m->n_rows;
        const FbConstraintType* type = find_type(def->type);
        if (!type) {
            fb_compile_error(b, FB_ERR_NAME, &def->origin, "type",
                             "constraint '%s' has unknown type '%s'", def->name,
                             def->type ? def->type : "");
        } else if (!type->build(b, def, i) && fb_diagnostics_error_count(b->diagnostics) == 0) {
            return FB_ERR_MEMORY;
        }
        c->n_rows = m->n_rows - c->first_row;
    }
    return FB_OK;
}

static void draw(FbBuilder* b) {
    FbDrawing* d = &b->m->drawing;
    for (int i = 0; i < b->m->n_constraints; i++) {
        const FbConstraintDef* def = b->def->constraints[i];
        const FbConstraintType* type = find_type(def->type);
        FbDrawnPair* pair = &d->rods[d->n_rods];
        if (type && type->draw && type->draw(b, def, pair)) {
            pair->name = b->m->constraints[i].name;
            pair->type = type->info.name;
            d->n_rods++;
        }
    }
}

const FbPartBuild fb_build_constraints = {
    .build = build,
    .draw = draw,
};
