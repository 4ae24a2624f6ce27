// A harmonic law: offset + amplitude sin(frequency t + phase).
#include <math.h>
#include <stddef.h>

#include "law/law.h"

typedef struct Harmonic {
    double offset, amplitude, frequency, phase;
} Harmonic;

static FbStatus build(const FbLawDef* head, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err) {
    const FbHarmonicLawDef* def = (const FbHarmonicLawDef*)head;
    (void)resolve;
    (void)self;
    Harmonic* h = FB_TAKE(arena, Harmonic, 1);
    if (h == NULL) {
        return fb_fail_memory(err);
    }
    *h = (Harmonic){def->offset, def->amplitude, def->frequency, def->phase};
    law->data = h;
    return FB_OK;
}

static void calc(const FbLaw* law, double t, double out[3]) {
    const Harmonic* h = law->data;
    double angle = h->frequency * t + h->phase;
    double wave = h->amplitude * sin(angle);
    out[0] = h->offset + wave;
    out[1] = h->amplitude * h->frequency * cos(angle);
    out[2] = -h->frequency * h->frequency * wave;
}

static const FbField fields[] = {
    {.key = "amplitude",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbHarmonicLawDef, amplitude),
     .unit = "",
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Half the distance between the largest and the smallest value."},
    {.key = "frequency",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbHarmonicLawDef, frequency),
     .unit = "rad/s",
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Angular frequency (write 2*pi*f, or \"5 Hz\", for f cycles per second)."},
    {.key = "phase",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbHarmonicLawDef, phase),
     .unit = "rad",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Angle of the sine at t = 0."},
    {.key = "offset",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbHarmonicLawDef, offset),
     .unit = "",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Mean value."},
};

FbHarmonicLawDef fb_harmonic_law_def_default(void) {
    FbHarmonicLawDef def;
    fb_type_fill(&fb_law_harmonic.info, &def);
    return def;
}

const FbLawType fb_law_harmonic = {
    .info = {.name = "harmonic",
             .doc = "A sine: offset + amplitude*sin(frequency*t + phase).",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbHarmonicLawDef)},
    .build = build,
    .calc = calc,
};
