// A smooth ramp between two values: from + (to - from) (10 x^3 - 15 x^4 + 6 x^5), x = (t -
// start)/duration in [0, 1].
#include <math.h>
#include <stddef.h>

#include "law/law.h"

typedef struct Ramp {
    double from, rise, start, duration;
    double breaks[2];
} Ramp;

static FbStatus build(const FbLawDef* def, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err) {
    (void)resolve;
    (void)self;
    if (!(def->duration > 0.0)) {
        return fb_fail(err, FB_ERR_RANGE, &def->origin.place,
                       "the duration of law '%s' is %g s; it must be > 0", def->name,
                       def->duration);
    }
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
    double x = fmin(fmax((t - r->start) / r->duration, 0.0), 1.0);
    double y = 1.0 - x;
    out[0] = r->from + r->rise * x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
    out[1] = r->rise / r->duration * 30.0 * x * x * y * y;
    out[2] = r->rise / (r->duration * r->duration) * 60.0 * x * y * (y - x);
}

static double next_break(const FbLaw* law, double t) {
    const Ramp* r = law->data;
    return fb_law_first_after(r->breaks, 2, t);
}

static const FbField fields[] = {
    {.key = "from",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbLawDef, from),
     .unit = "",
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Value before the start."},
    {.key = "to",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbLawDef, to),
     .unit = "",
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Value after the end."},
    {.key = "start",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbLawDef, start),
     .unit = "s",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Time at which the value begins to change."},
    {.key = "duration",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbLawDef, duration),
     .unit = "s",
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "How long the change takes."},
};

const FbLawType fb_law_ramp = {
    .info = {.name = "ramp",
             .doc = "A smooth change from one value to another: its rate and acceleration start "
                    "and end at zero.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0]},
    .build = build,
    .calc = calc,
    .next_break = next_break,
};
