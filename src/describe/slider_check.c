// Sliders: one guide without gaps, one drive.
#include "describe/slider_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "math/vec3.h"

// Ends of members that join differ by rounding only, relative to their distance from the origin.
static const double GAP_TOLERANCE = 1e-9;
enum { MAX_HINTS = 512 };

static FbStatus fail(const FbSliderDef* s, FbStatus status, const char* key, const char* text,
                     FbError* err) {
    FbPlace place = fb_origin_place(&s->origin, key);
    return fb_fail(err, status, &place, "slider '%s' %s", s->name ? s->name : "", text);
}

static FbStatus check_kind_of_guide(const FbSliderDef* s, FbError* err) {
    if (s->n_guide > 0 && (s->body || s->n_points > 0)) {
        return fail(s, FB_ERR_MODEL, s->body ? "body" : "points",
                    "has a 'guide' and a curve in a body; give only one of them", err);
    }
    if (s->n_guide == 0 && !s->body) {
        return fail(
            s, FB_ERR_MODEL, s->n_points > 0 ? "points" : NULL,
            "has no guide; give 'guide' (members, or {through: nodes}), or 'body' and 'points'",
            err);
    }
    if (s->body && s->n_points < 2) {
        return fail(s, FB_ERR_MODEL, "points", "needs at least two 'points' for its curve", err);
    }
    return FB_OK;
}

static FbStatus check_drive(const FbSliderDef* s, FbError* err) {
    int n = !!s->law + !!s->expression + !!s->state + s->is_free;
    if (n == 0) {
        return fail(s, FB_ERR_MODEL, NULL,
                    "is not driven; give one of 'law', 'value' (an expression of t), 'feedback', "
                    "'state' and 'free: true'",
                    err);
    }
    if (n > 1) {
        const char* key = s->is_free ? "free" : s->state ? "state" : "value";
        return fail(
            s, FB_ERR_MODEL, key,
            "has several drives; give only one of 'law', 'value', 'feedback', 'state' and 'free: "
            "true'",
            err);
    }
    return FB_OK;
}

static FbStatus check_free(const FbSliderDef* s, FbError* err) {
    const struct {
        const char* key;
        double value;
    } fields[] = {{"position", s->position},
                  {"velocity", s->velocity},
                  {"damping", s->friction},
                  {"stiffness", s->stiffness},
                  {"rest", s->rest}};
    for (int i = 0; i < 5; i++) {
        bool has_sign = i < 2 || i == 4;
        bool is_good = isfinite(fields[i].value) && (has_sign || fields[i].value >= 0.0);
        FbPlace place = fb_origin_place(&s->origin, fields[i].key);
        if (!is_good) {
            return fb_fail(err, FB_ERR_RANGE, &place,
                           "%s of slider '%s' is %g; it must be finite%s", fields[i].key, s->name,
                           fields[i].value, i == 2 || i == 3 ? " and >= 0" : "");
        }
        if (!s->is_free && fields[i].value != 0.0) {
            return fb_fail(err, FB_ERR_MODEL, &place,
                           "'%s' goes with 'free: true'; slider '%s' is driven and would ignore it",
                           fields[i].key, s->name);
        }
    }
    if (s->force && !s->is_free) {
        return fail(s, FB_ERR_MODEL, "force", "is driven and would ignore 'force'", err);
    }
    return FB_OK;
}

FbStatus fb_slider_check(const FbSliderDef* s, FbError* err) {
    FB_TRY(check_kind_of_guide(s, err));
    FB_TRY(check_drive(s, err));
    FB_TRY(check_free(s, err));
    if (!(s->mass > 0.0 && isfinite(s->mass))) {
        FbPlace place = fb_origin_place(&s->origin, "mass");
        return fb_fail(err, FB_ERR_RANGE, &place, "mass of slider '%s' is %g kg; it must be > 0",
                       s->name, s->mass);
    }
    if (!(s->rotary_inertia >= 0.0 && isfinite(s->rotary_inertia))) {
        FbPlace place = fb_origin_place(&s->origin, "rotary_inertia");
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "rotary_inertia of slider '%s' is %g kg*m^2; it must be >= 0", s->name,
                       s->rotary_inertia);
    }
    return FB_OK;
}

FbPlace fb_slider_guide_place(const FbSliderDef* s, int i) {
    char key[24];
    snprintf(key, sizeof key, "guide[%d]", i);
    FbPlace place = fb_origin_place(&s->origin, key);
    bool has_item = place.line != s->origin.place.line || place.col != s->origin.place.col;
    return has_item ? place : fb_origin_place(&s->origin, "guide");
}

static FbStatus fail_unknown(const FbModelDef* def, const FbSliderDef* s, int i, FbError* err) {
    const char* names[MAX_HINTS];
    int n = 0;
    for (int k = 0; k < def->n_beams && n < MAX_HINTS; k++) {
        if (n == 0 || strcmp(names[n - 1], def->beams[k].member) != 0) {
            names[n++] = def->beams[k].member;
        }
    }
    const char* close = fb_did_you_mean(s->guide[i], names, n);
    FbPlace place = fb_slider_guide_place(s, i);
    return fb_fail(err, FB_ERR_NAME, &place, "there is no member '%s'%s%s%s", s->guide[i],
                   close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
}

static FbVec3 place_of(const FbModelDef* def, const char* body) {
    int index = fb_def_find_body(def, NULL, body);
    return index >= 0 ? fb_vec3_from(def->bodies[index].position) : fb_vec3(0, 0, 0);
}

// Start and end of a member in the drawing.
static void calc_ends(const FbModelDef* def, const FbGuideMember* m, FbVec3 ends[2]) {
    ends[0] = place_of(def, def->beams[m->first_beam].body_a);
    ends[1] = place_of(def, def->beams[m->first_beam + m->n_beams - 1].body_b);
}

static bool is_same_place(FbVec3 a, FbVec3 b) {
    return fb_norm(fb_sub(a, b)) <= GAP_TOLERANCE * fmax(fb_norm(a), fb_norm(b));
}

static FbStatus find_member(const FbModelDef* def, const FbSliderDef* s, int i, FbGuideMember* out,
                            FbError* err) {
    int first = fb_def_find_member(def, s->origin.scope, s->guide[i]);
    if (first < 0) {
        return fail_unknown(def, s, i, err);
    }
    *out = (FbGuideMember){.first_beam = first};
    const char* name = def->beams[first].member;
    for (int b = first; b < def->n_beams && strcmp(def->beams[b].member, name) == 0; b++) {
        out->n_beams++;
    }
    return FB_OK;
}

// The first of several members is travelled towards the second.
static void turn_first(const FbModelDef* def, FbGuideMember* first, const FbGuideMember* second) {
    FbVec3 a[2], b[2];
    calc_ends(def, first, a);
    calc_ends(def, second, b);
    bool meets_end = is_same_place(a[1], b[0]) || is_same_place(a[1], b[1]);
    bool meets_start = is_same_place(a[0], b[0]) || is_same_place(a[0], b[1]);
    first->is_backwards = meets_start && !meets_end;
}

static FbStatus join(const FbModelDef* def, const FbSliderDef* s, int i, const FbGuideMember* last,
                     FbGuideMember* next, FbError* err) {
    FbVec3 a[2], b[2];
    calc_ends(def, last, a);
    calc_ends(def, next, b);
    FbVec3 end = a[last->is_backwards ? 0 : 1];
    if (is_same_place(end, b[0])) {
        return FB_OK;
    }
    if (is_same_place(end, b[1])) {
        next->is_backwards = true;
        return FB_OK;
    }
    FbPlace place = fb_slider_guide_place(s, i);
    return fb_fail(err, FB_ERR_MODEL, &place,
                   "the guide of slider '%s' has a gap: '%s' ends at [%g, %g, %g], where '%s' "
                   "neither starts nor ends",
                   s->name, s->guide[i - 1], end.x, end.y, end.z, s->guide[i]);
}

FbStatus fb_slider_calc_guide(const FbModelDef* def, const FbSliderDef* s, FbGuideMember* out,
                              FbError* err) {
    FbGuideMember last = {0}, next = {0};
    for (int i = 0; i < s->n_guide; i++) {
        FB_TRY(find_member(def, s, i, &next, err));
        if (i == 1) {
            turn_first(def, &last, &next);
            if (out) {
                out[0] = last;
            }
        }
        if (i > 0) {
            FB_TRY(join(def, s, i, &last, &next, err));
        }
        if (out) {
            out[i] = next;
        }
        last = next;
    }
    return FB_OK;
}
