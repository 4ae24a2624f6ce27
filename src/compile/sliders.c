// Sliders: the guide as a chain of elements or a curve, the theory, and what drives the mass.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/part_build.h"
#include "describe/slider_check.h"

// Larger angles (rad) between two elements of a guide are corners.
static const double SMOOTH = 1e-6;

static void add_piece(const FbModel* m, FbSlider* slider, int beam, bool is_reversed) {
    slider->pieces[slider->n_pieces++] = (FbGuidePiece){.element = &m->beams[beam],
                                                        .beam = beam,
                                                        .is_reversed = is_reversed,
                                                        .start = slider->length};
    slider->length += m->beams[beam].beam.length;
}

// Direction in which a piece is travelled in the drawing.
static FbVec3 heading(const FbGuidePiece* piece) {
    FbVec3 x = fb_element_axis(piece->element);
    return piece->is_reversed ? fb_scale(-1.0, x) : x;
}

static void check_corners(FbBuilder* b, const FbSliderDef* def, const FbSlider* slider) {
    for (int i = 1; i < slider->n_pieces; i++) {
        FbVec3 u = heading(&slider->pieces[i - 1]), v = heading(&slider->pieces[i]);
        double angle = atan2(fb_norm(fb_cross(u, v)), fb_dot(u, v));
        if (angle > SMOOTH) {
            fb_compile_error(b, FB_ERR_MODEL, &def->origin, "guide",
                             "the guide of slider '%s' has a corner of %.4g deg at s = %.6g m, "
                             "which a mass cannot pass; use more elements on a smoother line, or "
                             "a slider on each part",
                             def->name, angle * 180.0 / 3.14159265358979323846,
                             slider->pieces[i].start);
            return;
        }
    }
}

static bool check_straight(FbBuilder* b, const FbSliderDef* def, const FbSlider* slider) {
    for (int i = 0; i < slider->n_pieces; i++) {
        const FbBeamElement* e = slider->pieces[i].element;
        if (fb_norm(e->beam.psi_0) > 0.0) {
            fb_compile_error(b, FB_ERR_MODEL, &def->origin, "guide",
                             "the guide of slider '%s' is curved at '%s'; masses slide along "
                             "straight members, or along a curve in a body",
                             def->name, e->name);
            return false;
        }
    }
    return true;
}

static FbStatus add_members(FbBuilder* b, const FbSliderDef* def, const FbGuideMember* members,
                            FbSlider* slider) {
    int most = 0;
    for (int i = 0; i < def->n_guide; i++) {
        most += members[i].n_beams;
    }
    slider->pieces = FB_TAKE(b->m->arena, FbGuidePiece, most + 1);
    if (!slider->pieces) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < def->n_guide; i++) {
        const FbGuideMember* member = &members[i];
        for (int k = 0; k < member->n_beams; k++) {
            int at = member->is_backwards ? member->n_beams - 1 - k : k;
            add_piece(b->m, slider, member->first_beam + at, member->is_backwards);
        }
    }
    if (check_straight(b, def, slider)) {
        check_corners(b, def, slider);
    }
    return fb_compile_check_guide_turns(b, def, slider);
}

static FbStatus build_chain(FbBuilder* b, const FbSliderDef* def, FbSlider* slider) {
    FbGuideMember* members = calloc((size_t)def->n_guide, sizeof(FbGuideMember));
    if (!members) {
        return FB_ERR_MEMORY;
    }
    FbError err;
    fb_error_clear(&err);
    FbStatus status = fb_slider_calc_guide(b->def, def, members, &err);
    if (status == FB_OK) {
        status = add_members(b, def, members, slider);
    } else if (status != FB_ERR_MEMORY) {
        fb_diagnose_error(b->diagnostics, &err);
        status = FB_OK;
    }
    free(members);
    return status;
}

static FbStatus build_curve(FbBuilder* b, const FbSliderDef* def, FbSlider* slider) {
    FbPointDef origin = {.body = def->body};
    if (!fb_compile_point(b, &origin, &def->origin, "body", &slider->on)) {
        return FB_OK;
    }
    FbError err;
    fb_error_clear(&err);
    FbStatus status =
        fb_curve_create(def->points, def->n_points, b->m->arena, &slider->curve, &err);
    if (status < 0) {
        if (status != FB_ERR_MEMORY) {
            fb_compile_error(b, status, &def->origin, "points", "the guide of slider '%s': %s",
                             def->name, err.text);
            return FB_OK;
        }
        return status;
    }
    slider->length = fb_curve_length(slider->curve);
    return fb_compile_port_path(b, &slider->on, 1, &slider->path);
}

static const char* const THEORIES[] = {"consistent", "linear_consistent", "convective", "form_1a",
                                       "form_1b"};

static void set_theory(FbBuilder* b, const FbSliderDef* def, FbSlider* slider) {
    bool has_linear = false, has_nonlinear = slider->n_pieces == 0;
    for (int i = 0; i < slider->n_pieces; i++) {
        bool is_linear = slider->pieces[i].element->is_linear;
        has_linear = has_linear || is_linear;
        has_nonlinear = has_nonlinear || !is_linear;
    }
    bool is_curved = slider->spline && !slider->spline->is_straight;
    FbSliderTheory theory = has_nonlinear               ? FB_SLIDER_CONSISTENT
                            : def->is_free || is_curved ? FB_SLIDER_CONVECTIVE
                                                        : FB_SLIDER_LINEAR_CONSISTENT;
    for (int i = 0; def->theory && i < 5; i++) {
        if (strcmp(def->theory, THEORIES[i]) == 0) {
            theory = (FbSliderTheory)i;
        }
    }
    slider->mass.theory = theory;
    const char* name = THEORIES[theory];
    if (theory == FB_SLIDER_CONSISTENT && has_linear) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "theory",
                         "slider '%s': the consistent theory needs a guide with large rotations; "
                         "give its structure `theory: nonlinear`, or use linear_consistent",
                         def->name);
    } else if (theory == FB_SLIDER_LINEAR_CONSISTENT && (has_nonlinear || def->is_free)) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "theory",
                         "slider '%s': linear_consistent is only for driven masses on linear "
                         "members; use %s here",
                         def->name, has_nonlinear ? "consistent" : "convective");
    } else if (theory == FB_SLIDER_LINEAR_CONSISTENT && is_curved) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "theory",
                         "slider '%s': the axial reaction of linear_consistent is that of a "
                         "straight guide, and this one is curved; use convective, or a straight "
                         "guide",
                         def->name);
    } else if (slider->n_pieces == 0 && theory != FB_SLIDER_CONSISTENT) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "theory",
                         "slider '%s' runs on a rigid curve, where only the consistent theory "
                         "applies; remove `theory: %s`",
                         def->name, name);
    }
    if (def->is_transverse && (has_nonlinear || theory == FB_SLIDER_LINEAR_CONSISTENT)) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "inertia",
                         "slider '%s': transverse inertia alone is available only for convective, "
                         "form_1a and form_1b on linear members",
                         def->name);
    } else if (def->is_transverse && is_curved) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "inertia",
                         "slider '%s': transverse inertia alone needs a straight guide, and this "
                         "one is curved",
                         def->name);
    }
}

static void check_start(FbBuilder* b, const FbSliderDef* def, const FbSlider* slider, double s) {
    double slack = 1e-9 * slider->length;
    if (!(s >= -slack && s <= slider->length + slack)) {
        fb_compile_error(
            b, FB_ERR_RANGE, &def->origin, NULL,
            "slider '%s' starts at s = %.6g m, outside its guide, which extends from 0 to %.6g m",
            def->name, s, slider->length);
    }
}

// Position and speed must not jump during the run.
static bool is_smooth(FbBuilder* b, const FbSliderDef* def, const FbLaw* law) {
    const FbSettings* settings = &b->m->settings;
    double t;
    int derivative;
    if (!fb_law_first_jump(law, 1, settings->start, settings->start + settings->duration, &t,
                           &derivative)) {
        return true;
    }
    fb_compile_error(
        b, FB_ERR_MODEL, &def->origin, def->law ? "law" : "value",
        "slider '%s' cannot follow its law%s%s%s: %s jumps at t = %.10g s, which would require an "
        "infinite force; use a smoother law (harmonic, table, trapezoid, jerk)",
        def->name, def->law ? " '" : "", def->law ? def->law : "", def->law ? "'" : "",
        derivative == 0 ? "the position" : "the speed", t);
    return false;
}

static bool drive_by_law(FbBuilder* b, const FbSliderDef* def, FbSlider* slider) {
    slider->law = fb_compile_law_of(b, def->law, def->expression, &def->origin);
    if (slider->law < 0 || !b->m->laws[slider->law].type) {
        return false;
    }
    const FbLaw* law = &b->m->laws[slider->law];
    if (!is_smooth(b, def, law)) {
        return false;
    }
    double value[3];
    fb_law_calc(law, b->m->settings.start, value);
    check_start(b, def, slider, value[0]);
    return true;
}

// "<state>_s" of the file, or "<state>.s" of a feedback drive.
int fb_compile_drive_state(FbBuilder* b, const FbSliderDef* def, const char* which) {
    const char* forms[] = {"%s_%s", "%s.%s"};
    int found = -1;
    for (int i = 0; found < 0 && i < 2; i++) {
        char name[160];
        snprintf(name, sizeof(name), forms[i], def->state, which);
        found = fb_def_find_state(b->def, def->origin.scope, name);
    }
    return found;
}

static bool drive_by_states(FbBuilder* b, const FbSliderDef* def, FbSlider* slider) {
    slider->state_s = fb_compile_drive_state(b, def, "s");
    slider->state_v = fb_compile_drive_state(b, def, "v");
    if (slider->state_s < 0 || slider->state_v < 0) {
        fb_compile_error(
            b, FB_ERR_NAME, &def->origin, "state",
            "slider '%s' follows the states '%s_s' and '%s_v', which do not both exist", def->name,
            def->state, def->state);
        return false;
    }
    slider->command = b->m->states[slider->state_v].function;
    check_start(b, def, slider, b->def->states[slider->state_s].initial);
    return true;
}

static bool drive_freely(FbBuilder* b, const FbSliderDef* def, FbSlider* slider) {
    char name[160];
    snprintf(name, sizeof(name), "%s.carriage", def->name);
    int j = fb_def_find_joint(b->def, NULL, name);
    if (j < 0 || b->m->joints[j].coordinate[0] < 0) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, NULL, "slider '%s' has no coordinate",
                         def->name);
        return false;
    }
    slider->coordinate_q = b->m->joints[j].coordinate[0];
    slider->coordinate_v = b->m->joints[j].velocity[0];
    // The drawing shows the carriage where it starts.
    b->m->q_drawn[slider->coordinate_q] = def->position;
    check_start(b, def, slider, def->position);
    return true;
}

static const char* name_of_guide(FbArena* arena, const FbSliderDef* def) {
    if (def->n_guide == 0) {
        return fb_arena_text(arena, def->body ? def->body : "ground");
    }
    return def->n_guide == 1
               ? fb_arena_text(arena, def->guide[0])
               : fb_arena_format(arena, "%s ... %s", def->guide[0], def->guide[def->n_guide - 1]);
}

static FbStatus compile_slider(FbBuilder* b, int i) {
    const FbSliderDef* def = &b->def->sliders[i];
    FbSlider* slider = &b->m->sliders[i];
    slider->name = fb_arena_text(b->m->arena, def->name);
    slider->guide = name_of_guide(b->m->arena, def);
    slider->place = def->origin.place;
    slider->place.file = fb_arena_text(b->m->arena, def->origin.place.file);
    slider->law = slider->state_s = slider->state_v = slider->command = -1;
    slider->coordinate_q = slider->coordinate_v = slider->carriage = -1;
    slider->mass.mass = def->mass;
    slider->mass.rotary = def->rotary_inertia;
    slider->mass.is_transverse = def->is_transverse;
    if (!(def->mass > 0.0) || !(def->rotary_inertia >= 0.0)) {
        fb_compile_error(b, FB_ERR_RANGE, &def->origin, "mass",
                         "slider '%s' needs a mass > 0 and a rotary inertia >= 0", def->name);
        return FB_OK;
    }
    FB_TRY(def->is_through    ? fb_compile_guide_spline(b, def, slider)
           : def->n_guide > 0 ? build_chain(b, def, slider)
                              : build_curve(b, def, slider));
    if (slider->length > 0.0) {
        slider->mass.axis = slider->n_pieces > 0 ? heading(&slider->pieces[0]) : fb_vec3(1, 0, 0);
        set_theory(b, def, slider);
    }
    return FB_OK;
}

static FbStatus build(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_sliders = b->def->n_sliders;
    m->sliders = FB_TAKE(m->arena, FbSlider, m->n_sliders + 1);
    if (!m->sliders) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_sliders; i++) {
        FB_TRY(compile_slider(b, i));
    }
    return FB_OK;
}

// After states and forces, whose functions the drives use.
static FbStatus connect(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_sliders; i++) {
        const FbSliderDef* def = &b->def->sliders[i];
        FbSlider* slider = &m->sliders[i];
        if (!(slider->length > 0.0)) {
            continue;
        }
        if (def->is_free) {
            drive_freely(b, def, slider);
        } else if (def->state) {
            drive_by_states(b, def, slider);
        } else {
            drive_by_law(b, def, slider);
        }
        m->has_work = m->has_work || !def->is_free;
    }
    return FB_OK;
}

// The scalars of a slider by their names after the dot.
static const struct {
    const char* name;
    FbSignalKind kind;
    int component;
    const char* unit;
} values[] = {{"s", FB_SIGNAL_SLIDER, 0, "m"},
              {"v", FB_SIGNAL_SLIDER, 1, "m/s"},
              {"a", FB_SIGNAL_PART, FB_SLIDER_ACCELERATION, "m/s^2"},
              {"force", FB_SIGNAL_PART, FB_SLIDER_FORCE, "N"},
              {"power", FB_SIGNAL_PART, FB_SLIDER_POWER, "W"},
              {"x", FB_SIGNAL_PART, FB_SLIDER_POSITION_X, "m"},
              {"y", FB_SIGNAL_PART, FB_SLIDER_POSITION_Y, "m"},
              {"z", FB_SIGNAL_PART, FB_SLIDER_POSITION_Z, "m"}};

// -1: no such name.
int fb_compile_slider_signal(FbBuilder* b, int slider, const char* suffix) {
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(values[i].name, suffix) == 0) {
            FbSignal signal = {.kind = values[i].kind,
                               .part = &fb_part_sliders,
                               .index = slider,
                               .component = values[i].component,
                               .unit = values[i].unit};
            return fb_compile_signal(b, &signal);
        }
    }
    return -1;
}

const char* fb_compile_slider_hint(const FbBuilder* b, int slider) {
    const char* name = b->def->sliders[slider].name;
    const char* text = fb_arena_format(b->m->arena, "; slider '%s' has", name);
    for (size_t i = 0; text && i < sizeof(values) / sizeof(values[0]); i++) {
        text = fb_arena_format(b->m->arena, "%s%s %s.%s", text, i ? "," : "", name, values[i].name);
    }
    return text;
}

static void draw(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_sliders; i++) {
        const FbSliderDef* def = &b->def->sliders[i];
        FbDrawnSlider* drawn = &m->drawing.sliders[i];
        drawn->body = def->body ? fb_def_find_body(b->def, def->origin.scope, def->body) : -1;
        drawn->carriage = -1;
        int v = m->sliders[i].coordinate_v;
        for (int k = 0; v >= 0 && k < m->n_bodies; k++) {
            if (m->bodies[k].link == m->tree.link_of_v[v]) {
                drawn->carriage = k;
                m->drawing.bodies[k].role = FB_DRAWN_CARRIAGE;
            }
        }
    }
}

static void add_entries(const FbModel* m, FbPatternBuilder* p, const FbSlider* slider) {
    int own = slider->coordinate_v, n = slider->n_pieces > 0 ? slider->n_pieces : 1;
    n = slider->spline ? 1 : n;  // all segments depend on the same velocities
    for (int k = 0; k < n; k++) {
        const FbPortPath* path =
            slider->n_pieces > 0 ? fb_field_path(slider->pieces[k].element) : &slider->path;
        fb_pattern_add_ports(p, path);
        fb_pattern_add_function(m, p, path->v, path->n, slider->command);
        for (int i = 0; own >= 0 && i < path->n; i++) {
            fb_pattern_builder_add(p, own, path->v[i]);
            fb_pattern_builder_add(p, path->v[i], own);
        }
    }
    if (own >= 0) {
        fb_pattern_builder_add(p, own, own);
    }
}

static void add_pattern(const FbBuilder* b, FbPatternBuilder* p) {
    for (int i = 0; i < b->m->n_sliders; i++) {
        add_entries(b->m, p, &b->m->sliders[i]);
    }
}

static void add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; i < m->n_sliders; i++) {
        fb_users_add_function(u, m->sliders[i].command);
    }
}

const FbPartBuild fb_build_sliders = {
    .kind = &fb_part_sliders,
    .build = build,
    .connect = connect,
    .draw = draw,
    .add_pattern = add_pattern,
    .add_users = add_users,
};
