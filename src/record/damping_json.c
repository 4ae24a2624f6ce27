// Effective damping as an object of a JSON document.
#include "record/damping.h"
#include "record/json_pair.h"

static void write_cycles(FbJson* json, const FbDamping* d) {
    fb_json_key(json, "cycles");
    fb_json_begin_array(json);
    for (int k = 0; k < d->n_cycles; k++) {
        const FbDampingCycle* c = &d->cycles[k];
        fb_json_begin_object(json);
        fb_json_pair_number(json, "t", c->t);
        fb_json_pair_number(json, "amplitude", c->amplitude);
        fb_json_pair_number(json, "ratio", c->ratio);
        fb_json_pair_number(json, "overall", c->overall);
        fb_json_pair_number(json, "frequency_hz", c->frequency_hz);
        fb_json_pair_number(json, "energy", c->energy);
        fb_json_pair_number(json, "energy_change", c->energy_change);
        fb_json_pair_number(json, "growing_s", c->growing_s);
        fb_json_pair_number(json, "falling_s", c->falling_s);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_envelope(FbJson* json, const FbDamping* d) {
    fb_json_key(json, "envelope");
    fb_json_begin_array(json);
    for (int i = 0; i < d->n_peaks; i++) {
        fb_json_begin_object(json);
        fb_json_pair_number(json, "t", d->peaks[i].t);
        fb_json_pair_number(json, "amplitude", d->peaks[i].amplitude);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_phases(FbJson* json, const FbDamping* d) {
    fb_json_pair_text(json, "phases_from", d->phases_from);
    fb_json_key(json, "phases");
    fb_json_begin_array(json);
    for (int i = 0; i < d->n_phases; i++) {
        fb_json_begin_object(json);
        fb_json_pair_number(json, "from", d->phases[i].from);
        fb_json_pair_number(json, "to", d->phases[i].to);
        fb_json_pair_text(json, "kind",
                          d->phases[i].direction > 0 ? "amplification" : "attenuation");
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

void fb_damping_write_json(FbJson* json, const FbDamping* d) {
    fb_json_begin_object(json);
    fb_json_pair_text(json, "output", d->output);
    fb_json_pair_text(json, "unit", d->unit);
    fb_json_pair_number(json, "about", d->about);
    fb_json_pair_bool(json, "starts_at_rest", d->starts_at_rest);
    fb_json_pair_number(json, "t_0", d->t_0);
    fb_json_pair_number(json, "amplitude_0", d->amplitude_0);
    fb_json_pair_integer(json, "cycles_asked", d->n_asked);
    fb_json_pair_integer(json, "clear_cycles", fb_damping_count_clear(d));
    fb_json_pair_bool(json, "complete", d->is_complete);
    fb_json_pair_number(json, "ratio", d->ratio);
    fb_json_pair_number(json, "frequency_hz", d->frequency_hz);
    fb_json_pair_number(json, "bound", d->bound);
    fb_json_pair_number(json, "share", d->share);
    write_cycles(json, d);
    write_envelope(json, d);
    write_phases(json, d);
    fb_json_end_object(json);
}
