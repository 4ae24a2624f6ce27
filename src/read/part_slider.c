// Reads sliders.
#include <string.h>

#include "describe/feedback_table.h"
#include "describe/slider_check.h"
#include "describe/structure_table.h"
#include "read/field.h"

// Points on the ground move with the instance; those in a body do not.
static void move_points(const FbReader* r, FbSliderDef* slider) {
    bool is_ground = slider->body && strcmp(slider->body, "ground") == 0;
    double* points = (double*)slider->points;  // just read: ours
    for (int i = 0; is_ground && points && i < slider->n_points; i++) {
        fb_move_point(r, points + 3 * i);
    }
}

static void report_error(FbReader* r, const FbError* err) {
    fb_report(r, err->status, err->place.line, err->place.col, "%s", err->text);
}

static bool read_feedback_fields(FbReader* r, const FbNode* node, FbFeedbackFields* fields) {
    static const char* const others[] = {"type", NULL};
    const FbTypeInfo* type = fb_read_type(r, node, fb_feedback_types, "feedback");
    if (!type) {
        return false;
    }
    FbTable table = {"a feedback", type->fields, type->n_fields, others};
    fields->def.type = type->name;
    return fb_read_table(r, node, &table, fields, &fields->def.origin);
}

// The drive becomes states of the slider's own, which then drive it.
static bool read_feedback(FbReader* r, const FbNode* node, const FbSliderDef* slider) {
    FbFeedbackFields fields = {.def = fb_feedback_def_default()};
    FbFeedbackDef* def = &fields.def;
    FbError err;
    fb_error_clear(&err);
    fb_fill_origin(r, node, node->line, node->col, &def->origin);
    if (!read_feedback_fields(r, node, &fields)) {
        return false;
    }
    if (fields.n_stroke > 0) {
        if (fields.n_stroke != 2) {
            const FbNode* stroke = fb_node_get(node, "stroke");
            fb_report(
                r, FB_ERR_SYNTAX, stroke->line, stroke->col,
                "'stroke' must be a list of two numbers, the smallest and the largest position");
            return false;
        }
        memcpy(def->stroke, fields.stroke, sizeof def->stroke);
    }
    def->name = slider->name;
    def->mass = slider->mass;
    if (fb_model_def_add_feedback(r->def, def, &err) < 0) {
        report_error(r, &err);
        return false;
    }
    return true;
}

// `guide: {through: nodes}` is read as `guide: nodes`; *is_good false: it was written otherwise.
static const FbNode* read_through(FbReader* r, const FbNode* map, FbSliderDef* slider,
                                  bool* is_good) {
    const FbNode *guide = fb_node_get(map, "guide"), *through = fb_node_get(guide, "through");
    if (!guide || guide->kind != FB_NODE_MAP) {
        return map;
    }
    FbNode* copy = FB_TAKE(r->arena, FbNode, 1);
    FbEntry* entries = FB_TAKE(r->arena, FbEntry, map->count + 1);
    if (!copy || !entries) {
        return map;
    }
    if (!through || guide->count != 1) {
        fb_report(r, FB_ERR_SYNTAX, guide->line, guide->col,
                  "a guide is a member, a list of members, or {through: [node, node, ...]}");
        *is_good = false;
    }
    *copy = *map;
    copy->entries = entries;
    copy->count = 0;
    for (int i = 0; i < map->count; i++) {
        bool is_guide = map->entries[i].value == guide;
        if (!is_guide || through) {
            entries[copy->count] = map->entries[i];
            entries[copy->count].value = is_guide ? through : map->entries[i].value;
            copy->count++;
        }
    }
    slider->is_through = true;
    return copy;
}

void fb_read_slider(FbReader* r, const FbEntry* entry, const char* name) {
    static const char* const others[] = {"feedback", NULL};
    FbTable table = {"a slider", fb_slider_table.fields, fb_slider_table.n_fields, others};
    FbSliderDef slider = fb_slider_def_default();
    FbError err;
    fb_error_clear(&err);
    bool is_good = true;
    const FbNode* map = read_through(r, entry->value, &slider, &is_good);
    fb_fill_origin(r, map, entry->line, entry->col, &slider.origin);
    is_good &= fb_read_table(r, map, &table, &slider, &slider.origin);
    slider.name = name;
    move_points(r, &slider);
    const FbNode* feedback = fb_node_get(entry->value, "feedback");
    if (feedback) {
        if (slider.state) {
            fb_report(r, FB_ERR_MODEL, feedback->line, feedback->col,
                      "slider '%s' has several drives; give only one of 'state' and 'feedback'",
                      name);
            is_good = false;
        }
        is_good = read_feedback(r, feedback, &slider) && is_good;
        slider.state = name;
    }
    if (is_good && fb_slider_check(&slider, &err) < 0) {
        report_error(r, &err);
    }
    if (fb_model_def_add_slider(r->def, &slider, &err) < 0) {
        report_error(r, &err);
    }
}
