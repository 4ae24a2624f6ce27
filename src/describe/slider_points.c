// The nodes that a smooth guide passes: single ones, rows of nodes of a mesh, and those of members.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "describe/slider_check.h"
#include "math/vec3.h"

enum { MAX_HINTS = 512 };

// The bodies of one item of `guide`.
typedef struct Item {
    const int* bodies;
    int n;
    bool is_backwards;
} Item;

static int body_of(const Item* item, int i) {
    return item->bodies[item->is_backwards ? item->n - 1 - i : i];
}

static FbStatus fail_unknown(const FbModelDef* def, const FbSliderDef* s, int i, FbError* err) {
    const char* names[MAX_HINTS];
    int n = 0;
    for (int k = 0; k < def->n_rows && n < MAX_HINTS; k++) {
        names[n++] = def->rows[k].name;
    }
    for (int k = 0; k < def->n_bodies && n < MAX_HINTS; k++) {
        names[n++] = def->bodies[k].name;
    }
    const char* close = fb_did_you_mean(s->guide[i], names, n);
    FbPlace place = fb_slider_guide_place(s, i);
    return fb_fail(err, FB_ERR_NAME, &place,
                   "there is no node '%s' for the guide of slider '%s' to pass%s%s%s", s->guide[i],
                   s->name, close ? "; did you mean '" : "", close ? close : "",
                   close ? "'?"
                         : "; name it in its structure, `nodes: {name: {at: [x, y, z]}}`, or a row "
                           "of nodes, `nodes: {name: {from: [x, y, z], to: [x, y, z]}}`");
}

// The ends of a member's beams, one after the other.
static FbStatus list_member(const FbModelDef* def, int first, FbArena* arena, Item* out,
                            FbError* err) {
    const char* name = def->beams[first].member;
    int n = 0;
    while (first + n < def->n_beams && strcmp(def->beams[first + n].member, name) == 0) {
        n++;
    }
    int* bodies = FB_TAKE(arena, int, n + 1);
    if (!bodies) {
        return fb_fail_memory(err);
    }
    bodies[0] = fb_def_find_body(def, NULL, def->beams[first].body_a);
    for (int k = 0; k < n; k++) {
        bodies[k + 1] = fb_def_find_body(def, NULL, def->beams[first + k].body_b);
    }
    *out = (Item){.bodies = bodies, .n = n + 1};
    return FB_OK;
}

static FbStatus find_item(const FbModelDef* def, const FbSliderDef* s, int i, FbArena* arena,
                          Item* out, FbError* err) {
    const char *name = s->guide[i], *scope = s->origin.scope;
    int body = fb_def_find_body(def, scope, name), row = fb_def_find_row(def, scope, name);
    int member = fb_def_find_member(def, scope, name);
    if (row >= 0) {
        *out = (Item){.bodies = def->rows[row].bodies, .n = def->rows[row].n};
        return FB_OK;
    }
    if (body == FB_NOT_FOUND && member >= 0) {
        return list_member(def, member, arena, out, err);
    }
    if (body == FB_GROUND) {
        FbPlace place = fb_slider_guide_place(s, i);
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "the guide of slider '%s' cannot pass 'ground', which is not a point; name "
                       "a fixed node, or a body that is fixed to the ground",
                       s->name);
    }
    if (body < 0) {
        return fail_unknown(def, s, i, err);
    }
    int* single = FB_TAKE(arena, int, 1);
    if (!single) {
        return fb_fail_memory(err);
    }
    *single = body;
    *out = (Item){.bodies = single, .n = 1};
    return FB_OK;
}

static double distance(const FbModelDef* def, int a, int b) {
    FbVec3 p = {0, 0, 0}, q = {0, 0, 0};
    p = a >= 0 ? fb_vec3_from(def->bodies[a].position) : p;
    q = b >= 0 ? fb_vec3_from(def->bodies[b].position) : q;
    return fb_norm(fb_sub(p, q));
}

// Each item is passed so that it starts near where the last one ended; the first one of several so
// that it ends near the second.
static void turn_items(const FbModelDef* def, Item* items, int n) {
    if (n > 1) {
        const Item *a = &items[0], *b = &items[1];
        double from_end = fmin(distance(def, a->bodies[a->n - 1], b->bodies[0]),
                               distance(def, a->bodies[a->n - 1], b->bodies[b->n - 1]));
        double from_start = fmin(distance(def, a->bodies[0], b->bodies[0]),
                                 distance(def, a->bodies[0], b->bodies[b->n - 1]));
        items[0].is_backwards = from_start < from_end;
    }
    for (int i = 1; i < n; i++) {
        int last = body_of(&items[i - 1], items[i - 1].n - 1);
        Item* item = &items[i];
        item->is_backwards =
            distance(def, last, item->bodies[item->n - 1]) < distance(def, last, item->bodies[0]);
    }
}

static FbStatus fail_twice(const FbModelDef* def, const FbSliderDef* s, int i, int body,
                           FbError* err) {
    FbPlace place = fb_slider_guide_place(s, i);
    return fb_fail(err, FB_ERR_MODEL, &place,
                   "the guide of slider '%s' passes '%s' twice; name each node once, in the order "
                   "of passing",
                   s->name, body >= 0 ? def->bodies[body].name : "ground");
}

static FbStatus join(const FbModelDef* def, const FbSliderDef* s, const Item* items, FbArena* arena,
                     FbGuidePoints* out, FbError* err) {
    int most = 0, *bodies;
    for (int i = 0; i < s->n_guide; i++) {
        most += items[i].n;
    }
    bool* is_passed = FB_TAKE(arena, bool, def->n_bodies + 1);
    bodies = FB_TAKE(arena, int, most + 1);
    if (!bodies || !is_passed) {
        return fb_fail_memory(err);
    }
    *out = (FbGuidePoints){.bodies = bodies};
    for (int i = 0; i < s->n_guide; i++) {
        for (int k = 0; k < items[i].n; k++) {
            int body = body_of(&items[i], k);
            bool is_joint = k == 0 && i > 0 && out->n > 0 && bodies[out->n - 1] == body &&
                            items[i].n + items[i - 1].n > 2;
            if (is_joint) {
                continue;
            }
            if (is_passed[body + 1]) {
                return fail_twice(def, s, i, body, err);
            }
            is_passed[body + 1] = true;
            bodies[out->n++] = body;
        }
    }
    return FB_OK;
}

FbStatus fb_slider_calc_points(const FbModelDef* def, const FbSliderDef* s, FbArena* arena,
                               FbGuidePoints* out, FbError* err) {
    Item* items = FB_TAKE(arena, Item, s->n_guide + 1);
    *out = (FbGuidePoints){0};
    if (!items) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < s->n_guide; i++) {
        FB_TRY(find_item(def, s, i, arena, &items[i], err));
    }
    turn_items(def, items, s->n_guide);
    FB_TRY(join(def, s, items, arena, out, err));
    if (out->n < 2) {
        FbPlace place = fb_slider_guide_place(s, 0);
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "the guide of slider '%s' passes one node only; it needs at least two",
                       s->name);
    }
    return FB_OK;
}
