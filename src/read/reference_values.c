// Names in expressions: sensors, states, laws, parameters and values of parts, found in their
// scope.
#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "base/text.h"
#include "read/reference.h"

// The length of the scope in which `word` or `word` without its last component names something with
// a value; -1: none.
static int find_value_scope(const FbModelDef* def, const char* scope, const char* word,
                            FbArena* arena) {
    const char* dot = strrchr(word, '.');
    const char* base = dot ? fb_arena_text_n(arena, word, (size_t)(dot - word)) : NULL;
    for (int length = scope ? (int)strlen(scope) : 0; length >= 0; length--) {
        if (length > 0 && scope[length - 1] != '.') {
            continue;
        }
        const char* prefix = fb_arena_text_n(arena, scope ? scope : "", (size_t)length);
        const char* full = prefix ? fb_arena_join(arena, prefix, word) : NULL;
        const char* part = prefix && base ? fb_arena_join(arena, prefix, base) : NULL;
        bool is_value =
            full &&
            (fb_def_find_sensor(def, NULL, full) >= 0 || fb_def_find_state(def, NULL, full) >= 0 ||
             fb_def_find_input(def, NULL, full) >= 0 || fb_def_find_law(def, NULL, full) >= 0 ||
             (length == 0 && fb_def_find_parameter(def, NULL, full) >= 0));
        if (is_value ||
            (part &&
             (fb_find_part_name(def, NULL, part) || fb_def_find_sensor(def, NULL, part) >= 0 ||
              fb_def_find_slider(def, NULL, part) >= 0 || fb_def_find_law(def, NULL, part) >= 0))) {
            return length;
        }
    }
    return -1;
}

static bool is_known_word(const FbSite* s, const char* word) {
    static const char* const words[] = {"t", "pi", "e", "and", "or", "not"};
    static const char* const own[] = {"length", "displacement", "angle", "rate"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; s->has_own_names && i < sizeof own / sizeof *own; i++) {
        if (strcmp(word, own[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Adds parts with a value of theirs, such as joints with ".q".
static void add_parts(FbKnownNames* names, const FbSite* s, FbNameAt name_at, const char* suffix) {
    int first = names->count;
    fb_add_known_names(names, s, name_at);
    for (int i = first; i < names->count; i++) {
        const char* text = fb_arena_format(s->r->arena, "%s%s", names->items[i], suffix);
        names->items[i] = text ? text : names->items[i];
    }
}

// All names with a value; those of parts end in `suffix`, or (NULL) in one that they have.
static void add_all(FbKnownNames* names, const FbSite* s, const char* suffix) {
    fb_add_known_names(names, s, fb_sensor_name_at);
    fb_add_known_names(names, s, fb_state_name_at);
    fb_add_known_names(names, s, fb_input_name_at);
    fb_add_known_names(names, s, fb_law_name_at);
    fb_add_known_names(names, s, fb_parameter_name_at);
    add_parts(names, s, fb_joint_name_at, suffix ? suffix : ".q");
    add_parts(names, s, fb_force_name_at, suffix ? suffix : ".force");
    add_parts(names, s, fb_slider_name_at, suffix ? suffix : ".s");
}

// "; the motion of body 'a' ..." for a.x, where other programs have such names.
static bool hint_body(const FbSite* s, const char* word, size_t n_part, char out[FB_NAMES_HINT]) {
    const char* part = fb_arena_text_n(s->r->arena, word, n_part);
    if (!part || fb_def_find_body(s->r->def, s->origin->scope, part) < 0) {
        return false;
    }
    snprintf(
        out, FB_NAMES_HINT,
        "; the motion of body '%.40s' is that of a sensor, as in {type: position, point: %.40s}",
        part, part);
    return true;
}

static void report_unknown_value(const FbSite* s, const char* word, size_t offset) {
    if (fb_is_excused(s->r, s->origin->scope, word)) {
        return;
    }
    const char* dot = strrchr(word, '.');
    FbKnownNames known = {.items = {"t"}, .count = 1}, like = {.count = 0};
    add_all(&known, s, NULL);
    add_all(&like, s, dot);
    FbPlace place = fb_origin_place(s->origin, s->key);
    // Inside an instance the text has been rewritten, so the offset means nothing.
    int col = place.col + (s->origin->scope ? 0 : (int)offset);
    char hint[FB_NAMES_HINT];
    if (!hint_body(s, word, strcspn(word, "."), hint)) {
        fb_hint_known_names(&like, &known, word, hint);
    }
    fb_report(s->r, FB_ERR_NAME, place.line, col, "unknown name '%s' in an expression%s", word,
              hint);
}

// Writes one name of an expression, with the scope that it was found in.
static void add_resolved(const FbSite* s, const char* word, size_t offset, FbText* out) {
    if (!is_known_word(s, word)) {
        int length = find_value_scope(s->r->def, s->origin->scope, word, s->r->arena);
        if (length < 0) {
            report_unknown_value(s, word, offset);
        }
        fb_text_add_n(out, s->origin->scope ? s->origin->scope : "",
                      length > 0 ? (size_t)length : 0);
    }
    fb_text_add(out, word);
}

void fb_resolve_expression(const FbSite* s, const char** expression) {
    const char* text = *expression;
    if (!text) {
        return;
    }
    FbText out;
    fb_text_init(&out);
    bool is_after_value = false, is_name;
    for (size_t i = 0, n; text[i]; i += n) {
        n = fb_expr_piece(text + i, &is_after_value, &is_name);
        if (is_name) {
            const char* word = fb_arena_text_n(s->r->arena, text + i, n);
            add_resolved(s, word ? word : "", i, &out);
        } else {
            fb_text_add_n(&out, text + i, n);
        }
    }
    s->r->is_out_of_memory |= out.has_failed;
    if (!out.has_failed && out.data && strcmp(out.data, text) != 0) {
        const char* copy = fb_arena_text(s->r->def->arena, out.data);
        *expression = copy ? copy : text;
    }
    fb_text_free(&out);
}
