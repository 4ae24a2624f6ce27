// A smooth ramp between two values: from + (to - from) (10 x^3 - 15 x^4 + 6 x^5), x = (t -
// start)/duration in [0, 1].
#include "law/profile.h"

typedef struct Ramp {
    double from, rise, start, duration;
    double breaks[2];
} Ramp;

static FbStatus build(const FbLawDef* head, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err) {
    const FbRampLawDef* def = (const FbRampLawDef*)head;
    (void)resolve;
    (void)self;
    FB_TRY(fb_law_check_positive(&def->head, "duration", def->duration, err));
    Ramp* r = FB_TAKE(arena, Ramp, 1);
    if (r == NULL) {
        return fb_fail_memory(err);
    }
    *r = (Ramp){def->from,
                def->to - def->from,
                def->start,
                def->duration,
                {def->start, def->start + def->duration}};
    law->data = r;
    return FB_OK;
}

static void calc(const FbLaw* law, double t, double out[3]) {
    const Ramp* r = law->data;
    fb_quintic_calc(r->rise, r->start, r->duration, t, out);
    out[0] += r->from;
}

static double next_break(const FbLaw* law, double t) {
    const Ramp* r = law->data;
    return fb_law_first_after(r->breaks, 2, t);
}

static const FbField fields[] = {
    FB_PROFILE_FROM_TO_START(FbRampLawDef),
    FB_PROFILE_FIELD(FbRampLawDef, duration, "s", "How long the change takes."),
};

FbRampLawDef fb_ramp_law_def_default(void) {
    FbRampLawDef def;
    fb_type_fill(&fb_law_ramp.info, &def);
    return def;
}

const FbLawType fb_law_ramp = {
    .info = {.name = "ramp",
             .doc = "A smooth change from one value to another: its rate and acceleration start "
                    "and end at zero.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbRampLawDef)},
    .build = build,
    .calc = calc,
    .next_break = next_break,
};
