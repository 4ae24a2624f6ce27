// The field tables of structures, their nodes, members and damping, and of sliders.
#include "describe/structure_table.h"

#include <math.h>
#include <stddef.h>

#define ANY .min = -INFINITY, .max = INFINITY
#define NOT_NEGATIVE .min = 0.0, .max = INFINITY
#define POSITIVE .min = 0.0, .max = INFINITY, .has_open_min = true
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define AT(member) .offset = offsetof(FbStructureDef, member)
static const FbField structure_fields[] = {
    {.key = "plane",
     .kind = FB_FIELD_CHOICE,
     AT(plane_normal),
     .unit = "",
     .is_optional = true,
     .choices = "xy|xz|yz",
     .is_int_choice = true,
     .doc = "The plane of a plane structure; default: a spatial structure."},
    {.key = "theory",
     .kind = FB_FIELD_CHOICE,
     AT(is_nonlinear),
     .unit = "",
     .is_optional = true,
     .choices = "linear|nonlinear",
     .doc = "Small displacements from the drawing, or large displacements and rotations; default: "
            "linear, but nonlinear if supports and bodies let the structure rotate (and `damping` "
            "is not modal)."},
    {.key = "beam",
     .kind = FB_FIELD_CHOICE,
     AT(has_shear),
     .unit = "",
     .default_text = "euler",
     .choices = "euler|timoshenko",
     .doc = "Without (Euler-Bernoulli) or with shear deformation and rotary inertia."},
    {.key = "mass",
     .kind = FB_FIELD_CHOICE,
     AT(is_lumped),
     .unit = "",
     .default_text = "consistent",
     .choices = "consistent|lumped",
     .doc = "Mass distributed by the shape functions of the elements, or half of it lumped at each "
            "end."},
    {.key = "element",
     .kind = FB_FIELD_CHOICE,
     AT(is_fourth_order),
     .unit = "",
     .default_text = "second_order",
     .choices = "second_order|fourth_order",
     .doc = "Order of the elements with large rotations: their error falls with the second or "
            "the fourth power of their length; both have two nodes. The linear theory is of fourth "
            "order."},
};
#undef AT
const FbTypeInfo fb_structure_table = {
    .name = "structure",
    .doc = "Nodes joined by members, which are beams meshed into finite elements.",
    .fields = structure_fields,
    .n_fields = COUNT(structure_fields)};

#define AT(member) .offset = offsetof(FbFrameDamping, member)
static const FbField damping_fields[] = {
    {.key = "alpha",
     .kind = FB_FIELD_REAL,
     AT(alpha),
     .unit = "1/s",
     .is_optional = true,
     NOT_NEGATIVE,
     .doc = "Mass-proportional damping."},
    {.key = "beta",
     .kind = FB_FIELD_REAL,
     AT(beta),
     .unit = "s",
     .is_optional = true,
     NOT_NEGATIVE,
     .doc = "Stiffness-proportional damping."},
    {.key = "ratio",
     .kind = FB_FIELD_REAL,
     AT(ratio),
     .unit = "1",
     .is_optional = true,
     .min = 0.0,
     .max = 0.99,
     .doc =
         "Damping ratio: at the two frequencies of `between` if given, otherwise of every mode."},
};
#undef AT
const FbTypeInfo fb_frame_damping_table = {
    .name = "damping",
    .doc =
        "`alpha` and `beta` (Rayleigh), or `ratio` with `between` (the Rayleigh damping with this "
        "ratio at two frequencies), or `ratio` alone (modal damping).",
    .fields = damping_fields,
    .n_fields = COUNT(damping_fields)};

#define AT(member) .offset = offsetof(FbNodeDef, member)
static const FbField node_fields[] = {
    {.key = "support",
     .kind = FB_FIELD_CHOICE,
     AT(support),
     .unit = "",
     .is_optional = true,
     .choices = "free|clamped|pinned|roller",
     .is_text_choice = true,
     .doc = "How it is supported; default: free."},
    {.key = "direction",
     .kind = FB_FIELD_VEC3,
     AT(direction),
     .unit = "1",
     .is_optional = true,
     ANY,
     .doc = "For a roller: the rolling direction (plane structures; default: the first axis of the "
            "plane), or the normal of the plane it rolls on (spatial structures)."},
    {.key = "body",
     .kind = FB_FIELD_BODY,
     AT(body),
     .unit = "",
     .is_optional = true,
     .doc = "The body that it is welded to."},
    {.key = "force",
     .kind = FB_FIELD_EXPR3,
     AT(force),
     .unit = "N",
     .is_optional = true,
     .doc = "Force on the node, in ground axes."},
    {.key = "moment",
     .kind = FB_FIELD_EXPR3,
     AT(moment),
     .unit = "N*m",
     .is_optional = true,
     .doc = "Moment on the node, in ground axes."},
    {.key = "stiffness",
     .kind = FB_FIELD_REALS6,
     AT(stiffness),
     .unit = "N/m, N/m, N/m, N*m/rad",
     .is_list = true,
     .is_optional = true,
     NOT_NEGATIVE,
     .doc = "Springs to the ground along x, y, z (N/m) and about them (N*m/rad); omitted values "
            "are 0."},
    {.key = "damping",
     .kind = FB_FIELD_REALS6,
     AT(damping),
     .unit = "N*s/m, N*s/m, N*s/m, N*m*s/rad",
     .is_list = true,
     .is_optional = true,
     NOT_NEGATIVE,
     .doc = "Dampers to the ground along x, y, z (N*s/m) and about them (N*m*s/rad)."},
    {.key = "mass",
     .kind = FB_FIELD_REAL,
     AT(mass),
     .unit = "kg",
     .is_optional = true,
     NOT_NEGATIVE,
     .doc = "Mass lumped at the node."},
    {.key = "inertia",
     .kind = FB_FIELD_REAL,
     AT(inertia),
     .unit = "kg*m^2",
     .is_optional = true,
     NOT_NEGATIVE,
     .doc = "Rotary inertia lumped at the node, the same about every axis."},
    {.key = "displacement",
     .kind = FB_FIELD_REALS6,
     AT(displacement),
     .unit = "m, m, m, rad",
     .is_list = true,
     .is_optional = true,
     ANY,
     .doc = "Initial displacement: m along x, y, z, then rad about them; omitted values are 0."},
    {.key = "velocity",
     .kind = FB_FIELD_REALS6,
     AT(velocity),
     .unit = "m/s, m/s, m/s, rad/s",
     .is_list = true,
     .is_optional = true,
     ANY,
     .doc = "Initial velocity: m/s along x, y, z, then rad/s about them."},
};
#undef AT
const FbTypeInfo fb_node_table = {
    .name = "node",
    .doc =
        "A place where members meet: `[x, y, z]` (in a plane structure the two in-plane "
        "coordinates suffice), or a map with `at` and any of these keys. It becomes the body "
        "`structure.node`, held by a joint of the same name.",
    .fields = node_fields,
    .n_fields = COUNT(node_fields)};

const FbTypeInfo fb_station_table = {.name = "station",
                                     .doc =
                                         "A node along a member: `at` is a fraction of the "
                                         "member's length; the other keys are those of any node.",
                                     .fields = node_fields,
                                     .n_fields = COUNT(node_fields)};

#define AT(member) .offset = offsetof(FbMemberDef, member)
static const FbField member_fields[] = {
    {.key = "from", .kind = FB_FIELD_TEXT, AT(from), .unit = "", .doc = "The node at its start."},
    {.key = "to", .kind = FB_FIELD_TEXT, AT(to), .unit = "", .doc = "The node at its end."},
    {.key = "section", .kind = FB_FIELD_TEXT, AT(section), .unit = "", .doc = "Its cross-section."},
    {.key = "elements",
     .kind = FB_FIELD_INT,
     AT(n_elements),
     .unit = "",
     .default_text = "1",
     .min = 1.0,
     .max = 1e6,
     .doc = "Number of finite elements."},
    {.key = "y_axis",
     .kind = FB_FIELD_VEC3,
     AT(y_axis),
     .unit = "1",
     .is_optional = true,
     ANY,
     .doc = "Direction of the section's y axis (its height); default: in the plane, or in space as "
            "close to z as possible (to y for members along z)."},
    {.key = "through",
     .kind = FB_FIELD_VEC3,
     AT(through),
     .unit = "m",
     .is_optional = true,
     ANY,
     .doc = "A point between its nodes: the member is then drawn as the arc of a circle through "
            "the three (theory: nonlinear), and `y_axis` holds at its start."},
    {.key = "load",
     .kind = FB_FIELD_EXPR3,
     AT(load),
     .unit = "N/m",
     .is_optional = true,
     .doc = "Force per length, in ground axes."},
};
#undef AT
const FbTypeInfo fb_member_table = {
    .name = "member",
    .doc =
        "A straight beam between two nodes. Its inner nodes are the bodies `structure.member.n1`, "
        "`n2`, ... from its start to its end, or `structure.member.station`.",
    .fields = member_fields,
    .n_fields = COUNT(member_fields)};

#define AT(member) .offset = offsetof(FbSliderDef, member)
static const FbField slider_fields[] = {
    {.key = "guide",
     .kind = FB_FIELD_MEMBERS,
     AT(guide),
     .offset2 = offsetof(FbSliderDef, n_guide),
     .unit = "",
     .is_optional = true,
     .doc = "The members it slides along, in order; each starts (or, if traversed backwards, ends) "
            "where the previous one ended. Or `{through: nodes}`: the smooth line through named "
            "nodes, rows of nodes of a mesh, or the nodes of members, in order."},
    {.key = "body",
     .kind = FB_FIELD_BODY,
     AT(body),
     .unit = "",
     .is_optional = true,
     .doc = "Instead of `guide`: the body that carries the curve through `points`."},
    {.key = "points",
     .kind = FB_FIELD_POINTS,
     AT(points),
     .offset2 = offsetof(FbSliderDef, n_points),
     .unit = "m",
     .is_optional = true,
     .doc = "Points of the curve in the body frame: two for a straight line, more for a smooth "
            "curve through them."},
    {.key = "mass", .kind = FB_FIELD_REAL, AT(mass), .unit = "kg", POSITIVE, .doc = "Its mass."},
    {.key = "rotary_inertia",
     .kind = FB_FIELD_REAL,
     AT(rotary_inertia),
     .unit = "kg*m^2",
     .default_text = "0",
     NOT_NEGATIVE,
     .doc = "Inertia about every axis perpendicular to the guide."},
    {.key = "theory",
     .kind = FB_FIELD_CHOICE,
     AT(theory),
     .unit = "",
     .is_optional = true,
     .choices = "consistent|linear_consistent|convective|form_1a|form_1b",
     .is_text_choice = true,
     .doc = "Which forces it exerts on its guide; default: all of them (consistent; "
            "linear_consistent on linear members)."},
    {.key = "inertia",
     .kind = FB_FIELD_CHOICE,
     AT(is_transverse),
     .unit = "",
     .default_text = "full",
     .choices = "full|transverse",
     .doc = "Its full inertia, or only that transverse to the undeformed guide."},
    {.key = "law",
     .kind = FB_FIELD_LAW,
     AT(law),
     .unit = "",
     .is_optional = true,
     .doc = "The law of its position s(t), measured along the undeformed guide from its start."},
    {.key = "value",
     .kind = FB_FIELD_EXPRESSION,
     AT(expression),
     .unit = "m",
     .is_optional = true,
     .doc = "Instead of a law: s as an expression of t."},
    {.key = "state",
     .kind = FB_FIELD_TEXT,
     AT(state),
     .unit = "",
     .is_optional = true,
     .doc = "Instead of a law: the states `<state>.s` and `<state>.v` are its position and speed."},
    {.key = "free",
     .kind = FB_FIELD_BOOL,
     AT(is_free),
     .unit = "",
     .default_text = "false",
     .doc = "Not driven: it moves under the forces acting on it."},
    {.key = "position",
     .kind = FB_FIELD_REAL,
     AT(position),
     .unit = "m",
     .is_optional = true,
     ANY,
     .doc = "Free slider: s at the start; default: 0."},
    {.key = "velocity",
     .kind = FB_FIELD_REAL,
     AT(velocity),
     .unit = "m/s",
     .is_optional = true,
     ANY,
     .doc = "Free slider: speed at the start; default: 0."},
    {.key = "damping",
     .kind = FB_FIELD_REAL,
     AT(friction),
     .unit = "N*s/m",
     .is_optional = true,
     NOT_NEGATIVE,
     .doc = "Free slider: viscous friction along the guide."},
    {.key = "stiffness",
     .kind = FB_FIELD_REAL,
     AT(stiffness),
     .unit = "N/m",
     .is_optional = true,
     NOT_NEGATIVE,
     .doc = "Free slider: spring along the guide."},
    {.key = "rest",
     .kind = FB_FIELD_REAL,
     AT(rest),
     .unit = "m",
     .is_optional = true,
     ANY,
     .doc = "Free slider: position at which the spring is unloaded; default: 0."},
    {.key = "force",
     .kind = FB_FIELD_EXPRESSION,
     AT(force),
     .unit = "N",
     .is_optional = true,
     .doc = "Free slider: force along the guide, any expression."},
};
#undef AT
const FbTypeInfo fb_slider_table = {
    .name = "slider",
    .doc =
        "A mass that slides along a guide. Its position is given by one of `law`, `value`, "
        "`feedback`, `state` and `free: true`. In expressions: `<slider>.s`, `.v`, `.a` and "
        "`.force`, the force that drives it along the guide.",
    .fields = slider_fields,
    .n_fields = COUNT(slider_fields)};
