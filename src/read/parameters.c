// The parameters of a file, and the values that replace them (--set).
#include <string.h>

#include "base/text.h"
#include "read/reader.h"

const char* fb_find_override(const FbReadOptions* options, const char* name) {
    const char* value = NULL;
    for (int i = 0; options && i < options->n_overrides; i++) {
        if (strcmp(options->overrides[i].name, name) == 0) {
            value = options->overrides[i].value;  // the last one counts
        }
    }
    return value;
}

// Is the value of the same kind as the file's?
static void check_override(FbReader* r, const char* what, const char* name, FbNumber* number,
                           FbNumber given) {
    if (fb_quantity_contradicts(number->quantity, given.quantity)) {
        char found[96], wanted[96];
        fb_quantity_format(given.quantity, found, sizeof found);
        fb_quantity_format(number->quantity, wanted, sizeof wanted);
        fb_report(r, FB_ERR_UNIT, 0, 0, "this is %s, but the %s '%s' is %s in the file", found,
                  what, name, wanted);
        return;
    }
    number->value = given.value;
    number->quantity = fb_quantity_merge(number->quantity, given.quantity);
}

// The value given with --set; errors in it have no place in the file.
void fb_read_override(FbReader* r, const char* what, const char* name, const char* text,
                      FbNumber* number) {
    const char* file = r->file;
    FbNumber given;
    FbText place;
    fb_text_init(&place);
    fb_text_addf(&place, "--set %s=%s", name, text);
    r->file = place.data ? place.data : file;
    if (fb_read_quantity_text(r, text, 0, 0, NULL, &given)) {
        check_override(r, what, name, number, given);
    }
    r->file = file;
    fb_text_free(&place);
}

static void read_parameter(FbReader* r, const FbEntry* e, const FbReadOptions* options) {
    const char* override = fb_find_override(options, e->key);
    FbNumber number = {0};
    FbError err;
    if (!fb_check_parameter_name(r, e->key, e->line, e->col) ||
        fb_def_find_parameter(r->def, NULL, e->key) >= 0) {
        return;
    }
    // The file's own value is checked even where it is overridden. A parameter with an error still
    // exists.
    fb_read_quantity(r, e->value, e->key, NULL, &number);
    if (override) {
        fb_read_override(r, "parameter", e->key, override, &number);
    }
    if (fb_model_def_set_parameter(r->def, e->key, number.value, &err) < 0) {
        fb_report(r, err.status, e->line, e->col, "%s", err.text);
        return;
    }
    FbParameter* parameter = &r->def->parameters[r->def->n_parameters - 1];
    parameter->quantity = number.quantity;
    parameter->place = (FbPlace){r->def->file, e->line, e->col};
}

void fb_check_overrides(FbReader* r, const FbReadOptions* options) {
    const char* names[256];
    int n = 0;
    for (; n < r->def->n_parameters && n < 256; n++) {
        names[n] = r->def->parameters[n].name;
    }
    for (int i = 0; i < r->def->n_inputs && n < 256; i++) {
        names[n++] = r->def->inputs[i].name;
    }
    for (int i = 0; options && i < options->n_overrides; i++) {
        const char* name = options->overrides[i].name;
        if (fb_def_find_parameter(r->def, NULL, name) < 0 &&
            fb_def_find_input(r->def, NULL, name) < 0) {
            char hint[128];
            fb_suggest(name, names, n, hint);
            fb_diagnose(r->diagnostics, FB_SEVERE, FB_ERR_NAME, NULL,
                        "--set %s=%s: the model has no parameter%s '%s'%s", name,
                        options->overrides[i].value, r->def->n_inputs > 0 ? " or input" : "", name,
                        hint);
        }
    }
}

void fb_read_parameters(FbReader* r, const FbNode* map, const FbReadOptions* options) {
    if (map && map->kind != FB_NODE_MAP) {
        fb_report(r, FB_ERR_SYNTAX, map->line, map->col,
                  "'parameters' must be a map {name: value, ...}, but this is %s",
                  fb_node_describe(map));
    }
    for (int i = 0; map && map->kind == FB_NODE_MAP && i < map->count; i++) {
        read_parameter(r, &map->entries[i], options);
    }
}
