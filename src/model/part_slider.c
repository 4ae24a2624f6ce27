// Reads sliders.
#include <string.h>

#include "model/field.h"
#include "model/slider.h"
#include "model/structure_table.h"

// Points on the ground move with the instance; those in a body do not.
static void move_points(const FbReader* r, FbSliderDef* slider) {
    bool is_ground = slider->body && strcmp(slider->body, "ground") == 0;
    double* points = (double*)slider->points;  // just read: ours
    for (int i = 0; is_ground && points && i < slider->n_points; i++) {
        fb_move_point(r, points + 3 * i);
    }
}

void fb_read_slider(FbReader* r, const FbEntry* entry, const char* name) {
    FbTable table = {"a slider", fb_slider_table.fields, fb_slider_table.n_fields, NULL};
    FbSliderDef slider = fb_slider_def_default();
    FbError err;
    fb_error_clear(&err);
    fb_fill_origin(r, entry->value, entry->line, entry->col, &slider.origin);
    bool is_good = fb_read_table(r, entry->value, &table, &slider, &slider.origin);
    slider.name = name;
    move_points(r, &slider);
    if (is_good && fb_slider_check(&slider, &err) < 0) {
        fb_report(r, err.status, err.place.line, err.place.col, "%s", err.text);
    }
    if (fb_model_def_add_slider(r->def, &slider, &err) < 0) {
        fb_report(r, err.status, err.place.line, err.place.col, "%s", err.text);
    }
}
