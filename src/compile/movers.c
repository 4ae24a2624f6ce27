// Movers: laws whose moves begin where an expression passes zero.
#include "compile/part_build.h"

static bool compile_mover(FbBuilder* b, int law, FbMover* mover) {
    const FbLawDef* head = b->def->laws[law];
    const FbMovesLawDef* def = (const FbMovesLawDef*)head;
    FbModel* m = b->m;
    FbMoves* moves = m->laws[law].data;
    FbUse use = {.is_for_dynamics = true};
    moves->slot = m->n_movers;
    *mover = (FbMover){.law = law, .moves = moves, .place = head->origin.place};
    mover->function[FB_MOVE_OUTWARD] =
        fb_compile_function(b, def->outward, &head->origin, "outward", use);
    mover->function[FB_MOVE_INWARD] =
        fb_compile_function(b, def->inward, &head->origin, "inward", use);
    mover->event[FB_MOVE_OUTWARD] = fb_arena_format(m->arena, "%s.outward", head->name);
    mover->event[FB_MOVE_INWARD] = fb_arena_format(m->arena, "%s.inward", head->name);
    mover->place.file = fb_arena_text(m->arena, mover->place.file);
    return mover->function[0] >= 0 && mover->function[1] >= 0;
}

static FbStatus connect(FbBuilder* b) {
    FbModel* m = b->m;
    m->movers = FB_TAKE(m->arena, FbMover, m->n_laws + 1);
    if (!m->movers) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < b->def->n_laws; i++) {
        if (m->laws[i].type == &fb_law_moves && compile_mover(b, i, &m->movers[m->n_movers])) {
            m->n_movers++;
        }
    }
    return FB_OK;
}

static void add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; i < FB_N_MOVES * m->n_movers; i++) {
        fb_users_add_function(u, m->movers[i / FB_N_MOVES].function[i % FB_N_MOVES]);
    }
}

const FbPartBuild fb_build_movers = {
    .kind = &fb_part_moves,
    .connect = connect,
    .add_users = add_users,
};
