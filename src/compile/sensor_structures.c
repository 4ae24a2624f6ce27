// Sensors of structures: section forces and stresses of members, and what sliders feel.
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "compile/compile.h"
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

static const FbMember* find_member(FbBuilder* b, const FbSensorDef* def) {
    const char* name = def->part ? def->part : "";
    int first = fb_def_find_member(b->def, def->origin.scope, name);
    for (int i = 0; first >= 0 && i < b->m->n_members; i++) {
        if (b->m->members[i].first == first) {
            return &b->m->members[i];
        }
    }
    fb_compile_error(b, FB_ERR_NAME, &def->origin, "member", "there is no member '%s'", name);
    return NULL;
}

// The element and the fraction of it at a fraction of the member.
static bool find_section(FbBuilder* b, const FbSensorDef* def, FbSignal* signal) {
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

static bool build_section_forces(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    static const char* const units[] = {"N", "N", "N", "N*m", "N*m", "N*m"};
    FbSignal signal = {
        .kind = FB_SIGNAL_PART, .part = &fb_part_beams, .output = FB_BEAM_OUTPUT_SECTION};
    return find_section(b, def, &signal) && add_components(b, sensor, signal, 6, FORCES, units);
}

static bool build_stress(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    static const char* const units[] = {"Pa", "Pa", "Pa"};
    FbSignal signal = {
        .kind = FB_SIGNAL_PART, .part = &fb_part_beams, .output = FB_BEAM_OUTPUT_STRESS};
    if (!find_section(b, def, &signal)) {
        return false;
    }
    const FbBeamElement* e = &b->m->beams[signal.index];
    if (!(e->area > 0.0) || !(e->edge_y >= 0.0)) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "member",
                         "member '%s' has no edges at which stresses can be calculated; use a "
                         "section with a shape, or give edge_y and edge_z",
                         def->part);
        return false;
    }
    return add_components(b, sensor, signal, 3, STRESSES, units);
}

static bool slider_sensor(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor, int component,
                          int n, const char* const* suffixes, const char* const* units) {
    const char* name = def->part ? def->part : "";
    FbSignal signal = {.kind = FB_SIGNAL_PART, .part = &fb_part_sliders, .component = component};
    signal.index = fb_def_find_slider(b->def, def->origin.scope, name);
    if (signal.index < 0) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "slider", "there is no slider '%s'", name);
        return false;
    }
    return add_components(b, sensor, signal, n, suffixes, units);
}
static bool build_position(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    static const char* const units[] = {"m", "m", "m"};
    return slider_sensor(b, def, sensor, FB_SLIDER_POSITION_X, 3, XYZ, units);
}
static bool build_velocity(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    static const char* const units[] = {"m/s", "m/s", "m/s"};
    return slider_sensor(b, def, sensor, FB_SLIDER_VELOCITY_X, 3, XYZ, units);
}
static bool build_contact(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    static const char* const units[] = {"N", "N", "N"};
    return slider_sensor(b, def, sensor, FB_SLIDER_CONTACT_X, 3, XYZ, units);
}
static bool build_coriolis(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    static const char* const units[] = {"N", "N", "N", "N*m", "N*m", "N*m",
                                        "N", "N", "N", "N*m", "N*m", "N*m"};
    return slider_sensor(b, def, sensor, FB_SLIDER_CORIOLIS, 12, ENDS, units);
}

// Which of the twelve displacements; -1: not one of them, reported.
static int find_displacement(FbBuilder* b, const FbSensorDef* def, const char* name,
                             const char* key) {
    for (int i = 0; name && i < COUNT(ENDS); i++) {
        if (strcmp(name, ENDS[i]) == 0) {
            return i;
        }
    }
    fb_compile_error(b, FB_ERR_NAME, &def->origin, key,
                     "'%s' is not a displacement of an element's ends; it can be ax, ay, az (of "
                     "the first end), amx, amy, amz (its rotations), bx, by, bz, bmx, bmy, bmz",
                     name ? name : "");
    return -1;
}

// An entry of a matrix of the composite element: its unit by how many of its indices are turns.
static bool build_entry(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor, int first,
                        const char* const* units) {
    static const char* const none[] = {""};
    int row = find_displacement(b, def, def->row, "row");
    int column = find_displacement(b, def, def->column, "column");
    int slider = fb_def_find_slider(b->def, def->origin.scope, def->part ? def->part : "");
    if (row < 0 || column < 0) {
        return false;
    }
    if (slider >= 0 && b->m->sliders[slider].n_pieces == 0) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "slider",
                         "slider '%s' runs on a rigid curve and has no composite element",
                         def->part);
        return false;
    }
    const char* const* unit = &units[(row % 6 > 2) + (column % 6 > 2)];
    return slider_sensor(b, def, sensor, first + 12 * row + column, 1, none, unit);
}
static bool build_composite_mass(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    static const char* const units[] = {"kg", "kg*m", "kg*m^2"};
    return build_entry(b, def, sensor, FB_SLIDER_MASS_MATRIX, units);
}
static bool build_composite_coriolis(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    static const char* const units[] = {"kg/s", "kg*m/s", "kg*m^2/s"};
    return build_entry(b, def, sensor, FB_SLIDER_CORIOLIS_MATRIX, units);
}

static const FbField section_fields[] = {
    {.key = "member",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, part),
     .unit = "",
     .doc = "The member, as structure.member."},
    {.key = "at",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbSensorDef, at),
     .unit = "1",
     .default_text = "0",
     .min = 0.0,
     .max = 1.0,
     .doc = "Position along the member, as a fraction of its length."},
};
static const FbField slider_fields[] = {
    {.key = "slider",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, part),
     .unit = "",
     .doc = "The slider."},
    {.key = "component",
     .kind = FB_FIELD_COMPONENT,
     .offset = offsetof(FbSensorDef, component),
     .choices = "x|y|z",
     .is_optional = true,
     .doc = "Record only x, y or z; default: all three."},
};
static const FbField coriolis_fields[] = {
    {.key = "slider",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, part),
     .unit = "",
     .doc = "The slider."},
};

static const FbField entry_fields[] = {
    {.key = "slider",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, part),
     .unit = "",
     .doc = "The slider."},
    {.key = "row",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, row),
     .unit = "",
     .doc = "A displacement of the element's ends: ax, ay, az and the rotations amx, amy, amz of "
            "its first end; bx, by, bz, bmx, bmy, bmz of its second."},
    {.key = "column",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, column),
     .unit = "",
     .doc = "Another, or the same."},
};

const FbSensorType fb_sensor_composite_mass = {
    .info = {"composite_mass",
             "An entry of the mass matrix M_e, including the slider, of the element that a slider "
             "is on, for displacements of its ends in ground axes.",
             entry_fields, COUNT(entry_fields)},
    .build = build_composite_mass};
const FbSensorType fb_sensor_composite_coriolis = {
    .info = {"composite_coriolis",
             "An entry of the Coriolis matrix C_e = m s' d(N'N)/ds of the element that a slider is "
             "on: the rate at which sliding changes M_e.",
             entry_fields, COUNT(entry_fields)},
    .build = build_composite_coriolis};
const FbSensorType fb_sensor_section_forces = {
    .info = {"section_forces",
             "Internal forces in a cross-section of a member, in the member's axes, on the face "
             "whose outward normal points along the member: normal force N (tension positive), "
             "shear Qy and Qz, torque T, "
             "bending moments My and Mz. They include elastic and damping forces and the loads, "
             "weight, inertia and sliders of the element.",
             section_fields, COUNT(section_fields)},
    .build = build_section_forces};
const FbSensorType fb_sensor_stress = {
    .info = {"stress",
             "Largest stresses in a cross-section of a member: axial (normal force and bending at "
             "the outermost edges), torsional shear, and the equivalent (von Mises) stress.",
             section_fields, COUNT(section_fields)},
    .build = build_stress};
const FbSensorType fb_sensor_slider_position = {
    .info = {"slider_position", "Position of a sliding mass.", slider_fields, COUNT(slider_fields)},
    .build = build_position};
const FbSensorType fb_sensor_slider_velocity = {
    .info = {"slider_velocity", "Velocity of a sliding mass.", slider_fields, COUNT(slider_fields)},
    .build = build_velocity};
const FbSensorType fb_sensor_slider_contact = {
    .info = {"slider_contact", "Force that a sliding mass exerts on its guide.", slider_fields,
             COUNT(slider_fields)},
    .build = build_contact};
const FbSensorType fb_sensor_slider_coriolis = {
    .info = {"slider_coriolis",
             "Coriolis force vector of the traversed element: forces (ax, ay, az) and moments "
             "(amx, amy, amz) at its first end, then at its second.",
             coriolis_fields, COUNT(coriolis_fields)},
    .build = build_coriolis};
