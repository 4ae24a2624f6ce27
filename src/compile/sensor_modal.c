// The amplitude of a mode of a linear structure as a sensor: phi' M (q - q_drawn), eq. (8.78).
//
// It is a sum of coordinates, whose factors are known once the matrices are (modal.c).
#include <stddef.h>
#include <string.h>

#include "compile/sensor_types.h"

// Up to here a structure may have coordinates: all its modes are found.
enum { MOST_COORDINATES = 500 };

static int find_structure(FbBuilder* b, const FbModalSensorDef* def) {
    int found =
        fb_def_find_structure(b->def, def->head.origin.scope, def->structure ? def->structure : "");
    if (found < 0) {
        fb_compile_error(b, FB_ERR_NAME, &def->head.origin, "structure",
                         "there is no structure '%s'", def->structure ? def->structure : "");
    }
    return found;
}

static bool check(FbBuilder* b, const FbModalSensorDef* def, const FbStructure* s) {
    if (s->is_nonlinear) {
        fb_compile_error(b, FB_ERR_MODEL, &def->head.origin, "structure",
                         "structure '%s' has large rotations, which change its modes; modal "
                         "amplitudes need `theory: linear`",
                         s->name);
        return false;
    }
    if (s->n_v > MOST_COORDINATES || def->mode < 1 || def->mode > s->n_v) {
        fb_compile_error(
            b, FB_ERR_RANGE, &def->head.origin, "mode",
            "mode %d of structure '%s' does not exist: it has %d coordinates; the mode must be "
            "from 1 to that number, and at most %d coordinates are allowed",
            def->mode, s->name, s->n_v, MOST_COORDINATES);
        return false;
    }
    return true;
}

static int add_terms(FbBuilder* b, const FbStructure* s) {
    int first = b->m->n_terms;
    for (int k = 0; k < s->n_v; k++) {
        FbTerm term = {.kind = FB_TERM_COORDINATE,
                       .link_a = -1,
                       .link_b = -1,
                       .coordinate_q = b->m->q_of_v[s->v[k]],
                       .coordinate_v = s->v[k],
                       .factor = 0.0};
        if (fb_compile_term(b, &term) < 0) {
            return -1;
        }
    }
    return first;
}

static bool build_amplitude(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbModalSensorDef* def = (const FbModalSensorDef*)head;
    static const char* const none[] = {""};
    FbModel* m = b->m;
    int structure = find_structure(b, def);
    if (structure < 0 || !check(b, def, &m->structures[structure])) {
        return false;
    }
    const FbStructure* s = &m->structures[structure];
    int term = add_terms(b, s);
    FbModalOutput* list = FB_TAKE(m->arena, FbModalOutput, m->n_modal + 1);
    if (term < 0 || !list) {
        b->is_out_of_memory = true;
        return false;
    }
    if (m->n_modal > 0) {
        memcpy(list, m->modal, sizeof(FbModalOutput) * (size_t)m->n_modal);
    }
    list[m->n_modal++] = (FbModalOutput){structure, def->mode, term};
    m->modal = list;
    FbSignal signal = {
        .kind = FB_SIGNAL_VALUE, .term = term, .n_terms = s->n_v, .unit = "kg^0.5*m"};
    sensor->first_signal = m->n_signals;
    sensor->suffixes = none;
    sensor->n_signals = 1;
    return fb_compile_signal(b, &signal) >= 0;
}

static const FbField fields[] = {
    {.key = "structure",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbModalSensorDef, structure),
     .unit = "",
     .doc = "The structure, with `theory: linear`."},
    {.key = "mode",
     .kind = FB_FIELD_INT,
     .offset = offsetof(FbModalSensorDef, mode),
     .unit = "",
     .min = 1.0,
     .max = 500.0,
     .doc = "Number of the mode, from 1 in order of increasing frequency."},
};

FbModalSensorDef fb_modal_sensor_def_default(void) {
    FbModalSensorDef def;
    fb_sensor_fill("modal_amplitude", sizeof def, &def);
    return def;
}

const FbSensorType fb_sensor_modal_amplitude = {
    .info = {.name = "modal_amplitude",
             .doc = "Amplitude of a vibration mode of a linear structure in the drawn position. "
                    "The mode has unit modal mass, so its kinetic energy is half the square of the "
                    "amplitude's rate.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbModalSensorDef)},
    .build = build_amplitude};
