// The list of the kinds of part, and each operation over those that a model has.
#include "system/part.h"

#include <assert.h>
#include <math.h>

// Roots are numbered, and sums formed, in this order.
static const FbPartKind* const list[] = {
    &fb_part_events,
    &fb_part_moves,
    &fb_part_callbacks,
    &fb_part_samplers,
    &fb_part_forces,
    &fb_part_linear,
    &fb_part_beams,
    &fb_part_mesh_loads,
    &fb_part_mesh_places,
    &fb_part_sliders,
    NULL,
};

void fb_parts_find(FbSystem* s) {
    s->n_kinds = 0;
    for (int i = 0; list[i]; i++) {
        assert((list[i]->remember != NULL) != list[i]->has_no_memory);  // either of them
        if (list[i]->count(s->m) > 0) {
            s->kinds[s->n_kinds++] = list[i];
        }
    }
}

void fb_parts_take(FbSystem* s) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->take) {
            kind->take(s);
        }
    }
}

void fb_parts_draw(FbSystem* s) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->draw) {
            kind->draw(s);
        }
    }
}

void fb_parts_reset(FbSystem* s) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->reset) {
            kind->reset(s);
        }
    }
}

void fb_parts_remember(FbSystem* s, FbMemory* m) {
    for (int i = 0; i < s->n_kinds; i++) {
        if (s->kinds[i]->remember) {
            s->kinds[i]->remember(s, m);
        }
    }
}

void fb_parts_begin(FbSystem* s, const FbPoint* p) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->begin) {
            kind->begin(s, p);
        }
    }
}

void fb_parts_realize(FbSystem* s, const FbPoint* p) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->realize) {
            kind->realize(s, p);
        }
    }
}

void fb_parts_apply(FbSystem* s, const FbPoint* p, const double* a) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->apply) {
            kind->apply(s, p, a);
        }
    }
}

void fb_parts_apply_loads(FbSystem* s, const FbPoint* p) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (!kind->apply) {
            continue;
        }
        if (!kind->has_inertia) {
            kind->apply(s, p, s->zero_v);
        }
    }
}

void fb_parts_move_to_links(FbSystem* s, const FbPoint* p, const double* a) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->move_to_links) {
            kind->move_to_links(s, p, a);
        }
    }
}

void fb_parts_add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->add_blocks) {
            kind->add_blocks(s, p, b);
        }
    }
}

void fb_parts_add_mass(FbSystem* s, const double* q, double* M) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->add_mass) {
            kind->add_mass(s, q, M);
        }
    }
}

void fb_parts_add_energies(FbSystem* s, const FbPoint* p, double* kinetic, double* potential) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->add_energies) {
            kind->add_energies(s, p, kinetic, potential);
        }
    }
}

void fb_parts_add_momenta(FbSystem* s, const FbPoint* p, FbMomenta* sums) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->add_momenta) {
            kind->add_momenta(s, p, sums);
        }
    }
}

void fb_parts_add_powers(FbSystem* s, const FbPoint* p, double* supplied, double* dissipated) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->add_powers) {
            kind->add_powers(s, p, supplied, dissipated);
        }
    }
}

int fb_parts_count_roots(const FbModel* m) {
    int n = 0;
    for (int i = 0; list[i]; i++) {
        n += list[i]->count_roots ? list[i]->count_roots(m) : 0;
    }
    return n;
}

void fb_parts_calc_roots(FbSystem* s, const FbPoint* p, double* values) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (!kind->calc_roots) {
            continue;
        }
        kind->calc_roots(s, p, values);
        values += kind->count_roots(s->m);
    }
}

const FbPartKind* fb_parts_find_root(const FbSystem* s, int root, int* own) {
    *own = root;
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (!kind->count_roots) {
            continue;
        }
        int n = kind->count_roots(s->m);
        if (*own < n) {
            return kind;
        }
        *own -= n;
    }
    return NULL;
}

double fb_parts_next_break(const FbSystem* s, double t) {
    double first = INFINITY;
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (!kind->next_break) {
            continue;
        }
        first = fmin(first, kind->next_break(s, t));
    }
    return first;
}

void fb_parts_at_break(FbSystem* s, const FbPoint* p) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->at_break) {
            kind->at_break(s, p);
        }
    }
}

FbStatus fb_parts_check(FbSystem* s, const FbPoint* p, FbError* err) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (!kind->check) {
            continue;
        }
        FB_TRY(kind->check(s, p, err));
    }
    return FB_OK;
}

bool fb_parts_write_note(const FbSystem* s, int index, char* text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (!kind->count_notes) {
            continue;
        }
        int n = kind->count_notes(s->m);
        if (index < n) {
            kind->write_note(s, index, text, size);
            return true;
        }
        index -= n;
    }
    return false;
}
