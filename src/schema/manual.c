// The reference manual of model files in Markdown, written from the type tables.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/expr.h"
#include "base/text.h"
#include "describe/cross_section.h"
#include "describe/feedback_table.h"
#include "describe/matrices_table.h"
#include "describe/mesh_table.h"
#include "describe/structure_table.h"
#include "describe/untyped_tables.h"
#include "schema/schema.h"
#include "schema/schema_field.h"

static const char introduction[] =
    "# Reference of the model file\n\n"
    "Written by `flyball schema --markdown` from the same tables that read the files.\n\n"
    "A model file is YAML 1.2 or JSON. `flyball: 1` (the version of the format) is required; "
    "everything else is optional.\n\n"
    "| key | meaning |\n|---|---|\n"
    "| `flyball` | version of the format: 1 |\n"
    "| `name` | name of the results; default: the name of the file |\n"
    "| `title` | one line of description |\n"
    "| `parameters` | named numbers; each may use those before it; `--set NAME=VALUE` overrides "
    "one |\n"
    "| `gravity` | vector in m/s^2; default: none |\n"
    "| `bodies`, `joints`, `constraints`, `forces`, `laws`, `states`, `inputs`, `events`, "
    "`initial` | the "
    "parts of the model, by name |\n"
    "| `materials`, `sections`, `structures` | frames and beams, meshed into finite elements |\n"
    "| `sliders` | masses that slide along members or curves |\n"
    "| `outputs` | what is recorded, in this order: an expression or a sensor |\n"
    "| `sensors` | the same, but not recorded; for use in expressions |\n"
    "| `simulation` | how to simulate |\n"
    "| `repeat` | sections that are read once for each value of a counter |\n"
    "| `templates`, `instances` | mechanisms that are used several times |\n\n"
    "## Numbers, units and expressions\n\n";

static const char numbers[] =
    "Wherever a number is expected, you can write a number in SI units and radians (`0.5`), a "
    "number "
    "with a unit (`30 deg`, `5 mm`, `120 rpm`, `3000 kg/m^3`), or an expression of parameters "
    "(`2*pi`, `L + 5 mm`). An expression may have 10 000 000 characters and be nested 200 deep.\n\n"
    "A unit applies to the number, name or parenthesis directly before it. It is a product "
    "followed by divisors, without spaces (`kg*m^2/s^2`, `kg/(m*s)`, `1/s`); a `*` after a `/` "
    "belongs to the expression (`10 N/m*x` is (10 N/m) times x), and so does a `t` after the first "
    "unit. Values that are added, compared, passed to a function or assigned to a field must have "
    "matching dimensions where these are known; a plain number fits everywhere. Units: ";

static const char names[] =
    "In forces, laws, outputs, states and events, expressions may also use the time `t` and other "
    "parts by name: `<joint>.q`, `.v`, `.a` (`.q1`, "
    "`.q2`, ... for joints with several coordinates), `<sensor>` or `<sensor>.x`, "
    "`<force>.length`, `.rate`, `.force`, `.power`, `<slider>.s`, `.v`, `.a`, `.force`, `<law>`, "
    "`<law>.rate`, `.acceleration` and "
    "`<state>`, `<input>`; expressions of laws may use only the time and inputs. In the expression "
    "of a spring, "
    "`length` and `rate` are those of the spring; "
    "likewise `angle` and `rate` for a torsion spring.\n\n"
    "## Points, frames and orientations\n\n"
    "- A point is written `body`, `body.point` (a named point), `{body: b, at: [x, y, z]}` in the "
    "body frame or `{body: b, "
    "global: [x, y, z]}` in the drawing position.\n"
    "- A frame is a point with axes: `{body: b, at: [..], z: [..], x: [..]}` or `{body: b, at: "
    "[..], orientation: {..}}`.\n"
    "- An orientation is `{axis: [x, y, z], angle: a}`, `{zyx: [yaw, pitch, roll]}`, `{z: [..], x: "
    "[..]}` or `{quaternion: [w, x, "
    "y, z]}`.\n"
    "- `ground` is predefined.\n\n";

static const char expansion[] =
    "## Repeats\n\n"
    "`repeat` is a list of maps `{for: i, from: 0, to: N, ...}` containing any of the sections "
    "above. They are read once for each integer, both ends included. `{expression}` in names and "
    "texts is replaced by an integer (`\"V{i}\"`, `\"V{i-1}.top\"`), and `i` is "
    "a parameter inside. `parameters` in a repeat are computed for each value. Repeats may be "
    "nested.\n\n"
    "The repeats of a file run at most 100000 times in all, and with all templates and repeats "
    "expanded a model has at most 1000000 parts; larger models are rejected before they are "
    "read ([limits](#limits-of-size)).\n\n"
    "## Templates and instances\n\n"
    "A template has `parameters` with their defaults and any of the sections above. Each instance "
    "`{template: name, parameters: "
    "{..}, position: [..], orientation: {..}}` copies it; its parts are called `instance.part`. "
    "Inside, names are looked up in the instance first, then outside it. The position and "
    "orientation move bodies, points and axes "
    "of the drawing, and everything "
    "on the ground.\n\n"
    "## Limits of size\n\n"
    "A slip or a hostile file is rejected before it takes memory. These limits hold for 1000000 "
    "parts and 100000 repeats of a model; 1000000 elements of a member or of a mesh that the model "
    "defines; 10000000 nodes or elements of a mesh file; 1000000 rows of a matrix. The option "
    "`--size-limit X` of the commands that read one model multiplies them by X, at most 10. An "
    "expression has at most 10000000 characters and 200 levels of parentheses, a mesh file "
    "4 GB; these limits are fixed.\n";

static const char* kind_text(const FbField* f) {
    switch (f->kind) {
        case FB_FIELD_REAL:
            return "number";
        case FB_FIELD_INT:
            return "integer";
        case FB_FIELD_BOOL:
            return "true or false";
        case FB_FIELD_TEXT:
            return "text";
        case FB_FIELD_VEC3:
            return "vector";
        case FB_FIELD_ROTATION:
            return "orientation";
        case FB_FIELD_REALS:
            return "list of numbers";
        case FB_FIELD_TEXTS:
            return "list of names";
        case FB_FIELD_EXPRESSIONS:
            return "list of expressions";
        case FB_FIELD_REALS6:
            return f->is_list ? "list of up to 6" : "number or list";
        case FB_FIELD_EXPRESSION:
            return "expression";
        case FB_FIELD_EXPR3:
            return "three expressions";
        case FB_FIELD_BODY:
            return "body";
        case FB_FIELD_JOINT:
            return "joint";
        case FB_FIELD_PART:
            return "joint, constraint or force";
        case FB_FIELD_LAW:
            return "law";
        case FB_FIELD_POINT:
            return "point";
        case FB_FIELD_FRAME:
            return "frame";
        case FB_FIELD_COORDINATE:
            return "joint or joint.q2";
        case FB_FIELD_TERMS:
            return "map joint: factor";
        case FB_FIELD_MATERIAL:
            return "material";
        case FB_FIELD_MEMBERS:
            return "member, list of members, or `{through: nodes}`";
        case FB_FIELD_POINTS:
            return "list of points";
        case FB_FIELD_CHOICE:
            return NULL;
        case FB_FIELD_COMPONENT:
            return "x, y or z";
    }
    return "";
}

static void write_choices(FbText* out, const char* choices) {
    for (const char* c = choices; c && *c;) {
        size_t n = strcspn(c, "|");
        fb_text_addf(out, "%s`%.*s`", c == choices ? "" : ", ", (int)n, c);
        c += n + (c[n] == '|');
    }
}

static void write_range(FbText* out, const FbField* f) {
    bool has_range = !(f->min == 0.0 && f->max == 0.0);
    if (has_range && f->min > -1e300) {
        fb_text_addf(out, " %s %g", f->has_open_min ? ">" : ">=", f->min);
    }
    if (has_range && f->max < 1e300) {
        fb_text_addf(out, "%s <= %g", f->min > -1e300 ? "," : "", f->max);
    }
}

static void write_field(FbText* out, const FbField* f) {
    const char* kind = kind_text(f);
    fb_text_addf(out, "| `%s` | ", f->key);
    if (kind) {
        fb_text_add(out, kind);
        write_range(out, f);
    } else {
        write_choices(out, f->choices);
    }
    bool has_unit = f->unit && f->unit[0] && f->unit[0] != '/' && strcmp(f->unit, "1") != 0;
    fb_text_addf(out, " | %s | ", has_unit ? f->unit : "");
    if (f->default_text) {
        fb_text_addf(out, "`%s`", f->default_text);
    } else {
        fb_text_add(out, f->is_optional ? "" : "required");
    }
    fb_text_addf(out, " | %s |\n", f->doc ? f->doc : "");
}

void fb_schema_write_table(FbText* out, const FbTypeInfo* type) {
    if (type->n_fields == 0) {
        return;
    }
    fb_text_add(out, "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    for (int i = 0; i < type->n_fields; i++) {
        write_field(out, &type->fields[i]);
    }
}

static void write_kind(FbText* out, const char* title, const char* text,
                       const FbTypeInfo* const* types) {
    fb_text_addf(out, "## %s\n\n%s\n\n", title, text);
    for (int i = 0; types && types[i]; i++) {
        fb_text_addf(out, "### %s\n\n%s\n\n", types[i]->name, types[i]->doc);
        fb_schema_write_table(out, types[i]);
        fb_text_add(out, types[i]->n_fields ? "\n" : "");
    }
}

static void write_plain(FbText* out, const char* title, const FbTypeInfo* type) {
    fb_text_addf(out, "## %s\n\n%s\n\n", title, type->doc);
    fb_schema_write_table(out, type);
}

static void write_bodies(FbText* out, const FbTypeSet* types) {
    write_plain(out, "Bodies", &fb_body_table);
    fb_text_add(out,
                "| `inertia` | list of 3 or 6 | kg*m^2 |  | About the given centre, in body axes: "
                "xx, yy, zz, or xx, yy, zz, "
                "xy, xz, yz (tensor components: xy is minus the integral of x*y*dm). |\n"
                "| `shapes` | list |  |  | Shapes that give mass and are drawn. |\n"
                "| `points` | map name: [x, y, z] | m |  | Named points in the body frame. |\n\n");
    write_kind(out, "Shapes", "Elements of a body's `shapes`, chosen by `type`.", types->shapes);
}

static void write_mesh_structures(FbText* out) {
    fb_text_add(
        out,
        "## Structures from meshes\n\nA structure of solid or shell elements, for small "
        "displacements from the drawing: a map with `mesh` instead of members. Displacements of "
        "the mesh that belong to no named node become joints `structure.n17.x` (node 17 of the "
        "mesh, along x) or, if the structure is reduced, modes `structure.mode1`, ...\n\n"
        "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n"
        "| `mesh` | map |  | required | A file or a shape, see below. |\n"
        "| `groups` | map name: group |  | required | What its elements are made of, see below. "
        "|\n"
        "| `supports` | map name: support |  |  | Groups of nodes, or named nodes, that do not "
        "move: `clamped`, "
        "`pinned` (x, y, z) or a list of x, y, z, rx, ry, rz, in the axes of the mesh. |\n"
        "| `nodes` | map name: node |  | required | Where other parts attach, see below. |\n"
        "| `loads` | map name: load |  |  | Pressure and other loads on groups, see below. |\n"
        "| `stresses` | map name: place |  |  | Where stresses are measured, see below. |\n"
        "| `prestress` | map |  |  | Loads whose stresses change the stiffness, see below. |\n"
        "| `buckling` | map |  |  | Load factors of buckling, see below. |\n"
        "| `reduce` | map |  |  | `modes`, as for structures from matrices; default: all "
        "displacements "
        "are kept. |\n"
        "| `damping` | map |  |  | As for frames: Rayleigh damping, or a ratio for every mode. "
        "|\n");
    for (int i = 0; i < fb_mesh_structure_table.n_fields; i++) {
        write_field(out, &fb_mesh_structure_table.fields[i]);
    }
    fb_text_add(
        out,
        "\n### Meshes\n\nThe sides of a mesh that is made here are groups of nodes: `x0` and "
        "`x1`, `y0` and `y1`, `z0` and `z1` of a block or plate, `z0` and `z1`, `inside` and "
        "`outside`, `start` and `end` (of a sector) of a cylinder. In a file groups are physical "
        "groups (`.msh`), or sets of nodes and elements (`.inp`).\n\n");
    fb_schema_write_table(out, &fb_mesh_table);
    fb_text_addf(out, "\n### Groups of a mesh\n\n%s\n\n", fb_mesh_group_table.doc);
    fb_schema_write_table(out, &fb_mesh_group_table);
    fb_text_addf(out, "\n### Nodes of a mesh\n\n%s\n\n", fb_mesh_node_table.doc);
    fb_schema_write_table(out, &fb_mesh_node_table);
    fb_text_addf(out, "\n### Loads on a mesh\n\n%s\n\n", fb_mesh_load_table.doc);
    fb_schema_write_table(out, &fb_mesh_load_table);
    fb_text_addf(out, "\n### Stresses of a mesh\n\n%s\n\n", fb_mesh_place_table.doc);
    fb_schema_write_table(out, &fb_mesh_place_table);
    fb_text_addf(out, "\n### Prestress of a mesh\n\n%s\n\n", fb_mesh_prestress_table.doc);
    fb_schema_write_table(out, &fb_mesh_prestress_table);
    fb_text_addf(out, "\n### Buckling of a mesh\n\n%s\n\n", fb_mesh_buckling_table.doc);
    fb_schema_write_table(out, &fb_mesh_buckling_table);
    fb_text_add(out, "\n");
}

static void write_matrix_structures(FbText* out) {
    fb_text_add(
        out,
        "## Structures from matrices\n\nA structure meshed by another program: a map with "
        "`matrices` instead of members. Rows that belong to no named node become joints "
        "`structure.d17` (for row 17) or, if the structure is reduced, modes `structure.mode1`, "
        "...\n\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n"
        "| `matrices` | map |  | required | Files, see below. |\n"
        "| `nodes` | map name: node |  | required | See below. |\n"
        "| `reduce` | map |  |  | See below; default: all rows are kept. |\n"
        "| `damping` | map |  |  | In addition to a damping matrix, as for frames. |\n\n"
        "### Matrices\n\n");
    fb_schema_write_table(out, &fb_matrices_table);
    fb_text_addf(out, "\n### Nodes of matrices\n\n%s\n\n", fb_matrix_node_table.doc);
    fb_schema_write_table(out, &fb_matrix_node_table);
    fb_text_add(
        out,
        "| `dofs` | map |  |  | Rows of the matrices, see below; required unless the node is "
        "clamped. |\n\n"
        "### Rows of a node\n\n");
    fb_schema_write_table(out, &fb_dofs_table);
    fb_text_add(out, "\n### Reduction\n\n");
    fb_schema_write_table(out, &fb_reduce_table);
    fb_text_add(out, "\n");
}

static void write_structures(FbText* out) {
    write_plain(out, "Materials", &fb_material_table);
    fb_text_add(out, "\n");
    write_kind(out, "Sections",
               "Cross-sections of members, chosen by `type`. x is the axis of the member, y the "
               "direction of the height, z that of the width.",
               fb_section_types);
    write_plain(out, "Structures", &fb_structure_table);
    fb_text_add(out,
                "| `nodes` | map name: node |  | required | See below. |\n"
                "| `members` | map name: member |  | required | See below. |\n"
                "| `damping` | map |  |  | See below. |\n"
                "| `repeat` | list |  |  | `{for: i, from: 0, to: N, nodes: {..}, members: {..}}`: "
                "nodes and members for each value of a counter. |\n\n");
    fb_text_addf(out, "### Nodes\n\n%s\n\n", fb_node_table.doc);
    fb_schema_write_table(out, &fb_node_table);
    fb_text_addf(out, "\n### Members\n\n%s\n\n", fb_member_table.doc);
    fb_schema_write_table(out, &fb_member_table);
    fb_text_add(
        out,
        "| `hinge` | `from`, `to`, `both` |  |  | The ends that are hinged to their nodes; "
        "default: rigidly connected. |\n"
        "| `stations` | map name: fraction |  |  | Points along the member that get their own "
        "node: a fraction of the length, or a map with `at` and any key of a node. |\n\n");
    fb_text_addf(out, "### Damping\n\n%s\n\n", fb_frame_damping_table.doc);
    fb_schema_write_table(out, &fb_frame_damping_table);
    fb_text_add(out, "| `between` | two numbers | rad/s |  | The frequencies of `ratio`. |\n\n");
    write_mesh_structures(out);
    write_matrix_structures(out);
    write_plain(out, "Sliders", &fb_slider_table);
    fb_text_add(out,
                "| `feedback` | map |  |  | Instead of a law: the slider follows sensors; see "
                "below. |\n\n");
    write_kind(out, "Feedback",
               "A slider's `feedback`, chosen by `type`: its position and speed become the states "
               "`<slider>.s` and `<slider>.v`. Expressions may also use `<slider>.reference` and "
               "`.goal` (the reference limited to the stroke), and for a phase-locked one "
               "`.phase`, `.frequency` and `.error`. The output `<slider>.limit` is the sum of 1 "
               "if the stroke limit is active, 2 for the speed limit, 4 for the acceleration "
               "limit; the run warns with the fraction of samples for each.",
               fb_feedback_types);
}

static void write_expressions(FbText* out) {
    const char *form, *doc, *unit;
    fb_text_add(out, numbers);
    for (int i = 0; (unit = fb_unit_name(i)) != NULL; i++) {
        fb_text_addf(out, "%s`%s`", i ? ", " : "", unit);
    }
    fb_text_add(
        out,
        ". `Hz` counts cycles: 1 Hz is 2 pi rad/s.\n\n"
        "Expressions support `+ - * / ^`, `< <= > >= == !=`, `and`, `or`, `not`, the constants "
        "`pi` and `e`, and these functions:\n\n| function | value |\n|---|---|\n");
    for (int i = 0; fb_expr_function(i, &form, &doc); i++) {
        fb_text_addf(out, "| `%s` | %s |\n", form, doc);
    }
    fb_text_addf(out, "\n%s", names);
}

FbStatus fb_schema_markdown_for(const FbTypeSet* types, char** out, FbError* err) {
    FbText text;
    fb_text_init(&text);
    fb_text_add(&text, introduction);
    write_expressions(&text);
    write_bodies(&text, types);
    write_kind(&text, "Joints",
               "Chosen by `type`. A joint is placed either by `between: [body_a, body_b]` with "
               "`point` and `axis` in the drawing "
               "position, or by frames `a` and `b` on its two bodies (then without `point`, "
               "`axis`, `x_axis` and `offset`). Its "
               "coordinates measure b relative to a about or along the axis (z of the frames). "
               "Values for several coordinates are given as a list; `null` leaves one unset.",
               types->joints);
    write_kind(&text, "Constraints", "Chosen by `type`.", types->constraints);
    write_kind(&text, "Forces", "Chosen by `type`.", types->forces);
    write_kind(&text, "Laws", "Values as functions of time, chosen by `type`.", types->laws);
    write_structures(&text);
    write_kind(&text, "Sensors and outputs",
               "An output or sensor is an expression, or a map whose `type` is one of these.",
               types->sensors);
    write_plain(&text, "States", &fb_state_table);
    fb_text_add(&text, "\n");
    write_plain(&text, "Inputs", &fb_input_table);
    fb_text_add(&text, "\n");
    write_plain(&text, "Events", &fb_event_table);
    fb_text_add(&text, "\n");
    write_plain(&text, "Initial values", &fb_initial_table);
    fb_text_add(&text, "\n");
    write_plain(&text, "Simulation", &fb_settings_table);
    fb_text_add(&text, "\n");
    write_plain(&text, "Damping", &fb_damping_table);
    fb_text_add(&text, "\n");
    fb_text_add(&text, expansion);
    *out = fb_text_steal(&text);
    if (*out) {
        return FB_OK;
    }
    return fb_fail_memory(err);
}
