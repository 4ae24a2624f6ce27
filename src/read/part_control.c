// Reads states, inputs, events and initial values.
#include <string.h>

#include "describe/untyped_tables.h"
#include "read/field.h"

static void report_error(FbReader* r, const FbError* err) {
    fb_report(r, err->status, err->place.line, err->place.col, "%s", err->text);
}

static bool read_plain(FbReader* r, const FbEntry* entry, const FbTypeInfo* info, const char* what,
                       void* base, FbOrigin* origin) {
    FbTable table = {what, info->fields, info->n_fields, NULL};
    fb_fill_origin(r, entry->value, entry->line, entry->col, origin);
    return fb_read_table(r, entry->value, &table, base, origin);
}

void fb_read_state(FbReader* r, const FbEntry* entry, const char* name) {
    FbStateDef state = fb_state_def_default();
    FbError err;
    fb_error_clear(&err);
    read_plain(r, entry, &fb_state_table, "a state", &state, &state.origin);
    state.name = name;
    if (fb_model_def_add_state(r->def, &state, &err) < 0) {
        report_error(r, &err);
    }
}

// What the command line gives instead of the default.
static void override_input(FbReader* r, FbInputDef* input) {
    const char* text = fb_find_override(r->options, input->name);
    FbNumber number = {input->value, fb_quantity_of_unit(input->unit)};
    if (text) {
        fb_read_override(r, "input", input->name, text, &number);
        bool is_outside = number.value < input->min || number.value > input->max;
        if (is_outside && input->min <= input->max) {
            fb_diagnose(r->diagnostics, FB_SEVERE, FB_ERR_RANGE, NULL,
                        "--set %s=%s: the limits of the input '%s' are %g ... %g", input->name,
                        text, input->name, input->min, input->max);
            return;  // the default stays, so that the input is known
        }
        input->value = number.value;
    }
}

void fb_read_input(FbReader* r, const FbEntry* entry, const char* name) {
    FbInputDef input = fb_input_def_default();
    FbError err;
    fb_error_clear(&err);
    read_plain(r, entry, &fb_input_table, "an input", &input, &input.origin);
    input.name = name;
    override_input(r, &input);
    if (fb_model_def_add_input(r->def, &input, &err) < 0) {
        report_error(r, &err);
    }
}

static void check_switch(FbReader* r, const FbEntry* entry, const FbEventDef* event) {
    bool is_switch = event->action == FB_EVENT_SWITCH;
    if (is_switch && (!event->law || !event->to)) {
        fb_report(r, FB_ERR_MODEL, entry->line, entry->col,
                  "an event with 'action: switch' needs 'law' and 'to'");
    }
    if (!is_switch && (event->law || event->to)) {
        fb_report(r, FB_ERR_MODEL, entry->line, entry->col,
                  "'law' and 'to' go with 'action: switch'; this event would ignore them");
    }
}

void fb_read_event(FbReader* r, const FbEntry* entry, const char* name) {
    FbEventDef event = fb_event_def_default();
    FbError err;
    fb_error_clear(&err);
    if (read_plain(r, entry, &fb_event_table, "an event", &event, &event.origin)) {
        check_switch(r, entry, &event);
    }
    event.name = name;
    event.direction = event.direction == 2 ? -1 : event.direction;
    if (fb_model_def_add_event(r->def, &event, &err) < 0) {
        report_error(r, &err);
    }
}

void fb_read_initial(FbReader* r, const FbEntry* entry, const char* name) {
    (void)name;
    FbInitialDef initial = {0};
    FbError err;
    fb_error_clear(&err);
    if (read_plain(r, entry, &fb_initial_table, "an initial value", &initial, &initial.origin) &&
        fb_model_def_add_initial(r->def, &initial, &err) < 0) {
        report_error(r, &err);
    }
}
