// Sensors of structures: section forces and stresses of members, and what sliders feel.
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "compile/sensor_types.h"
#include "system/part.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const char* const FORCES[] = {"N", "Qy", "Qz", "T", "My", "Mz"};
static const char* const STRESSES[] = {"axial", "shear", "equivalent"};
static const char* const XYZ[] = {"x", "y", "z"};
static const char* const ENDS[] = {"ax", "ay", "az", "amx", "amy", "amz",
                                   "bx", "by", "bz", "bmx", "bmy", "bmz"};

static bool add_components(FbBuilder* b, FbSensor* sensor, FbSignal signal, int n,
                           const char* const* suffixes, const char* const* units) {
    sensor->first_signal = b->m->n_signals;
    sensor->suffixes = suffixes;
    int first = signal.component;
    for (int i = 0; i < n; i++) {
        signal.component = first + i;
        signal.unit = units[i];
        if (fb_compile_signal(b, &signal) < 0) {
            return false;
        }
    }
    sensor->n_signals = n;
    return true;
}

static const FbMember* find_member(FbBuilder* b, const FbMemberSensorDef* def) {
    const char* name = def->member ? def->member : "";
    int first = fb_def_find_member(b->def, def->head.origin.scope, name);
    for (int i = 0; first >= 0 && i < b->m->n_members; i++) {
        if (b->m->members[i].first == first) {
            return &b->m->members[i];
        }
    }
    fb_compile_error(b, FB_ERR_NAME, &def->head.origin, "member", "there is no member '%s'", name);
    return NULL;
}

// The element and the fraction of it at a fraction of the member.
static bool find_section(FbBuilder* b, const FbMemberSensorDef* def, FbSignal* signal) {
    const FbMember* member = find_member(b, def);
    if (!member) {
        return false;
    }
    double s = def->at * member->length;
    int e = member->first, last = member->first + member->n - 1;
    while (e < last && s > b->m->beams[e].beam.length) {
        s -= b->m->beams[e++].beam.length;
    }
    signal->index = e;
    signal->at = s / b->m->beams[e].beam.length;
    return true;
}

static bool build_section_forces(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbMemberSensorDef* def = (const FbMemberSensorDef*)head;
    static const char* const units[] = {"N", "N", "N", "N*m", "N*m", "N*m"};
    FbSignal signal = {
        .kind = FB_SIGNAL_PART, .part = &fb_part_beams, .output = FB_BEAM_OUTPUT_SECTION};
    return find_section(b, def, &signal) && add_components(b, sensor, signal, 6, FORCES, units);
}

static bool build_stress(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbMemberSensorDef* def = (const FbMemberSensorDef*)head;
    static const char* const units[] = {"Pa", "Pa", "Pa"};
    FbSignal signal = {
        .kind = FB_SIGNAL_PART, .part = &fb_part_beams, .output = FB_BEAM_OUTPUT_STRESS};
    if (!find_section(b, def, &signal)) {
        return false;
    }
    const FbBeamElement* e = &b->m->beams[signal.index];
    if (!(e->area > 0.0) || !(e->edge_y >= 0.0)) {
        fb_compile_error(b, FB_ERR_MODEL, &head->origin, "member",
                         "member '%s' has no edges at which stresses can be calculated; use a "
                         "section with a shape, or give edge_y and edge_z",
                         def->member);
        return false;
    }
    return add_components(b, sensor, signal, 3, STRESSES, units);
}

// What a slider has, from its component on.
static bool add_slider(FbBuilder* b, const FbSensorDef* head, const char* slider, FbSensor* sensor,
                       int component, int n, const char* const* suffixes,
                       const char* const* units) {
    const char* name = slider ? slider : "";
    FbSignal signal = {.kind = FB_SIGNAL_PART, .part = &fb_part_sliders, .component = component};
    signal.index = fb_def_find_slider(b->def, head->origin.scope, name);
    if (signal.index < 0) {
        fb_compile_error(b, FB_ERR_NAME, &head->origin, "slider", "there is no slider '%s'", name);
        return false;
    }
    return add_components(b, sensor, signal, n, suffixes, units);
}

static bool slider_sensor(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor, int component,
                          int n, const char* const* suffixes, const char* const* units) {
    const FbSliderSensorDef* def = (const FbSliderSensorDef*)head;
    return add_slider(b, head, def->slider, sensor, component, n, suffixes, units);
}
static bool build_position(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    static const char* const units[] = {"m", "m", "m"};
    return slider_sensor(b, head, sensor, FB_SLIDER_POSITION_X, 3, XYZ, units);
}
static bool build_velocity(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    static const char* const units[] = {"m/s", "m/s", "m/s"};
    return slider_sensor(b, head, sensor, FB_SLIDER_VELOCITY_X, 3, XYZ, units);
}
static bool build_contact(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    static const char* const units[] = {"N", "N", "N"};
    return slider_sensor(b, head, sensor, FB_SLIDER_CONTACT_X, 3, XYZ, units);
}
static bool build_coriolis(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    static const char* const units[] = {"N", "N", "N", "N*m", "N*m", "N*m",
                                        "N", "N", "N", "N*m", "N*m", "N*m"};
    return slider_sensor(b, head, sensor, FB_SLIDER_CORIOLIS, 12, ENDS, units);
}

// Which of the twelve displacements; -1: not one of them, reported.
static int find_displacement(FbBuilder* b, const FbSensorDef* head, const char* name,
                             const char* key) {
    for (int i = 0; name && i < COUNT(ENDS); i++) {
        if (strcmp(name, ENDS[i]) == 0) {
            return i;
        }
    }
    fb_compile_error(b, FB_ERR_NAME, &head->origin, key,
                     "'%s' is not a displacement of an element's ends; it can be ax, ay, az (of "
                     "the first end), amx, amy, amz (its rotations), bx, by, bz, bmx, bmy, bmz",
                     name ? name : "");
    return -1;
}

// An entry of a matrix of the composite element: its unit by how many of its indices are turns.
static bool build_entry(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor, int first,
                        const char* const* units) {
    const FbCompositeSensorDef* def = (const FbCompositeSensorDef*)head;
    static const char* const none[] = {""};
    int row = find_displacement(b, head, def->row, "row");
    int column = find_displacement(b, head, def->column, "column");
    int slider = fb_def_find_slider(b->def, head->origin.scope, def->slider ? def->slider : "");
    if (row < 0 || column < 0) {
        return false;
    }
    if (slider >= 0 && b->m->sliders[slider].n_pieces == 0) {
        fb_compile_error(b, FB_ERR_MODEL, &head->origin, "slider",
                         "slider '%s' runs on a rigid curve and has no composite element",
                         def->slider);
        return false;
    }
    const char* const* unit = &units[(row % 6 > 2) + (column % 6 > 2)];
    return add_slider(b, head, def->slider, sensor, first + 12 * row + column, 1, none, unit);
}
static bool build_composite_mass(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    static const char* const units[] = {"kg", "kg*m", "kg*m^2"};
    return build_entry(b, head, sensor, FB_SLIDER_MASS_MATRIX, units);
}
static bool build_composite_coriolis(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    static const char* const units[] = {"kg/s", "kg*m/s", "kg*m^2/s"};
    return build_entry(b, head, sensor, FB_SLIDER_CORIOLIS_MATRIX, units);
}

static const FbField section_fields[] = {
    {.key = "member",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbMemberSensorDef, member),
     .unit = "",
     .doc = "The member, as structure.member."},
    {.key = "at",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbMemberSensorDef, at),
     .unit = "1",
     .default_text = "0",
     .min = 0.0,
     .max = 1.0,
     .doc = "Position along the member, as a fraction of its length."},
};
static const FbField slider_fields[] = {
    {.key = "slider",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSliderSensorDef, slider),
     .unit = "",
     .doc = "The slider."},
    FB_SENSOR_COMPONENT,
};
static const FbField coriolis_fields[] = {
    {.key = "slider",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSliderSensorDef, slider),
     .unit = "",
     .doc = "The slider."},
};

static const FbField entry_fields[] = {
    {.key = "slider",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbCompositeSensorDef, slider),
     .unit = "",
     .doc = "The slider."},
    {.key = "row",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbCompositeSensorDef, row),
     .unit = "",
     .doc = "A displacement of the element's ends: ax, ay, az and the rotations amx, amy, amz of "
            "its first end; bx, by, bz, bmx, bmy, bmz of its second."},
    {.key = "column",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbCompositeSensorDef, column),
     .unit = "",
     .doc = "The other displacement; it may be the same one."},
};

FbMemberSensorDef fb_member_sensor_def_default(const char* type) {
    FbMemberSensorDef def;
    fb_sensor_fill(type, sizeof def, &def);
    return def;
}

FbSliderSensorDef fb_slider_sensor_def_default(const char* type) {
    FbSliderSensorDef def;
    fb_sensor_fill(type, sizeof def, &def);
    return def;
}

FbCompositeSensorDef fb_composite_sensor_def_default(const char* type) {
    FbCompositeSensorDef def;
    fb_sensor_fill(type, sizeof def, &def);
    return def;
}

const FbSensorType fb_sensor_composite_mass = {
    .info = {.name = "composite_mass",
             .doc = "An entry of the mass matrix M_e, including the slider, of the element that a "
                    "slider is on, for displacements of its ends in ground axes.",
             .fields = entry_fields,
             .n_fields = COUNT(entry_fields),
             .size = sizeof(FbCompositeSensorDef)},
    .build = build_composite_mass};
const FbSensorType fb_sensor_composite_coriolis = {
    .info =
        {.name = "composite_coriolis",
         .doc =
             "An entry of the Coriolis matrix C_e = m s' d(N'N)/ds of the element that a slider is "
             "on: the rate at which sliding changes M_e.",
         .fields = entry_fields,
         .n_fields = COUNT(entry_fields),
         .size = sizeof(FbCompositeSensorDef)},
    .build = build_composite_coriolis};
const FbSensorType fb_sensor_section_forces = {
    .info =
        {.name = "section_forces",
         .doc = "Internal forces in a cross-section of a member, in the member's axes, on the face "
                "whose outward normal points along the member: normal force N (tension positive), "
                "shear Qy and Qz, torque T, bending moments My and Mz. They include elastic and "
                "damping forces and the loads, weight, inertia and sliders of the element.",
         .fields = section_fields,
         .n_fields = COUNT(section_fields),
         .size = sizeof(FbMemberSensorDef)},
    .build = build_section_forces};
const FbSensorType fb_sensor_stress = {
    .info = {.name = "stress",
             .doc =
                 "Largest stresses in a cross-section of a member: axial (normal force and bending "
                 "at the outermost edges), torsional shear, and the equivalent (von Mises) stress.",
             .fields = section_fields,
             .n_fields = COUNT(section_fields),
             .size = sizeof(FbMemberSensorDef)},
    .build = build_stress};
const FbSensorType fb_sensor_slider_position = {.info = {.name = "slider_position",
                                                         .doc = "Position of a sliding mass.",
                                                         .fields = slider_fields,
                                                         .n_fields = COUNT(slider_fields),
                                                         .size = sizeof(FbSliderSensorDef)},
                                                .build = build_position};
const FbSensorType fb_sensor_slider_velocity = {.info = {.name = "slider_velocity",
                                                         .doc = "Velocity of a sliding mass.",
                                                         .fields = slider_fields,
                                                         .n_fields = COUNT(slider_fields),
                                                         .size = sizeof(FbSliderSensorDef)},
                                                .build = build_velocity};
const FbSensorType fb_sensor_slider_contact = {
    .info = {.name = "slider_contact",
             .doc = "Force that a sliding mass exerts on its guide.",
             .fields = slider_fields,
             .n_fields = COUNT(slider_fields),
             .size = sizeof(FbSliderSensorDef)},
    .build = build_contact};
const FbSensorType fb_sensor_slider_coriolis = {
    .info = {.name = "slider_coriolis",
             .doc =
                 "Coriolis force vector of the traversed element: forces (ax, ay, az) and moments "
                 "(amx, amy, amz) at its first end, then at its second.",
             .fields = coriolis_fields,
             .n_fields = COUNT(coriolis_fields),
             .size = sizeof(FbSliderSensorDef)},
    .build = build_coriolis};
