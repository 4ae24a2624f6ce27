// A law that keeps one value.
#include <math.h>
#include <stddef.h>

#include "law/law.h"

static FbStatus build(const FbLawDef* head, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err) {
    const FbConstantLawDef* def = (const FbConstantLawDef*)head;
    (void)resolve;
    (void)self;
    double* value = FB_TAKE(arena, double, 1);
    if (value == NULL) {
        return fb_fail_memory(err);
    }
    *value = def->value;
    law->data = value;
    return FB_OK;
}

static void calc(const FbLaw* law, double t, double out[3]) {
    (void)t;
    const double* value = law->data;
    out[0] = *value;
    out[1] = 0.0;
    out[2] = 0.0;
}

static const FbField fields[] = {
    {.key = "value",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbConstantLawDef, value),
     .unit = "",
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "The value at all times."},
};

FbConstantLawDef fb_constant_law_def_default(void) {
    FbConstantLawDef def;
    fb_type_fill(&fb_law_constant.info, &def);
    return def;
}

const FbLawType fb_law_constant = {
    .info = {.name = "constant",
             .doc = "One value at all times.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbConstantLawDef)},
    .build = build,
    .calc = calc,
};
