// The field tables of structures of solid and shell elements.
#include "describe/mesh_table.h"

#include <math.h>
#include <stddef.h>

#define ANY .min = -INFINITY, .max = INFINITY
#define POSITIVE .min = 0.0, .max = INFINITY, .has_open_min = true
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define AT(member) .offset = offsetof(FbMeshStructureDef, member)
static const FbField structure_fields[] = {
    {.key = "mass",
     .kind = FB_FIELD_CHOICE,
     AT(is_lumped),
     .unit = "",
     .default_text = "consistent",
     .choices = "consistent|lumped",
     .doc = "Mass distributed by the shape functions of the elements, or lumped at their nodes."},
};
#undef AT
const FbTypeInfo fb_mesh_structure_table = {
    .name = "mesh_structure",
    .doc = "A structure of solid or shell elements, for small displacements from the drawing.",
    .fields = structure_fields,
    .n_fields = COUNT(structure_fields)};
#define AT(member) .offset = offsetof(FbMeshSource, member)
static const FbField mesh_fields[] = {
    {.key = "file",
     .kind = FB_FIELD_TEXT,
     AT(file),
     .unit = "",
     .is_optional = true,
     .doc = "A mesh of Gmsh (`.msh`, versions 2.2 and 4.1, text or binary) or of Abaqus or "
            "CalculiX (`.inp`), relative to the model file; instead of `type`."},
    {.key = "unit",
     .kind = FB_FIELD_REAL,
     AT(unit),
     .unit = "m",
     .default_text = "1",
     POSITIVE,
     .doc = "Length of one unit of the file, such as `1 mm`."},
    {.key = "type",
     .kind = FB_FIELD_CHOICE,
     AT(type),
     .unit = "",
     .is_optional = true,
     .choices = "block|plate|cylinder",
     .is_text_choice = true,
     .doc = "The shape of a mesh that is made here: a block from the origin along x, y and z, a "
            "plate in the x-y plane, a tube about z."},
    {.key = "element",
     .kind = FB_FIELD_CHOICE,
     AT(element),
     .unit = "",
     .is_optional = true,
     .choices = "hex8|hex20|wedge6|wedge15|tet4|tet10|quad4|tri3",
     .is_text_choice = true,
     .doc = "The elements of a mesh that is made here; default: hex20 for a block, quad4 (shells) "
            "for the others."},
    {.key = "size",
     .kind = FB_FIELD_REALS,
     AT(size),
     .offset2 = offsetof(FbMeshSource, n_size),
     .unit = "m",
     .is_optional = true,
     ANY,
     .doc = "Lengths of a block or a plate."},
    {.key = "radius",
     .kind = FB_FIELD_REAL,
     AT(radius),
     .unit = "m",
     .is_optional = true,
     POSITIVE,
     .doc = "Radius of a cylinder: of the surface of shells, or the outer one."},
    {.key = "inner_radius",
     .kind = FB_FIELD_REAL,
     AT(inner_radius),
     .unit = "m",
     .is_optional = true,
     POSITIVE,
     .doc = "Inner radius of a cylinder of solid elements."},
    {.key = "length",
     .kind = FB_FIELD_REAL,
     AT(length),
     .unit = "m",
     .is_optional = true,
     POSITIVE,
     .doc = "Length of a cylinder."},
    {.key = "angle",
     .kind = FB_FIELD_REAL,
     AT(angle),
     .unit = "rad",
     .default_text = "360 deg",
     POSITIVE,
     .doc = "The sector of a cylinder, from the x axis towards y."},
    {.key = "divisions",
     .kind = FB_FIELD_REALS,
     AT(divisions),
     .offset2 = offsetof(FbMeshSource, n_divisions),
     .unit = "1",
     .is_optional = true,
     ANY,
     .doc = "Numbers of elements: along x, y and z; of a cylinder around, along and, of solid "
            "elements, through the wall."},
    {.key = "position",
     .kind = FB_FIELD_VEC3,
     AT(position),
     .unit = "m",
     .default_text = "[0, 0, 0]",
     ANY,
     .doc = "Where the origin of the mesh is."},
    {.key = "orientation",
     .kind = FB_FIELD_ROTATION,
     AT(rotation),
     .unit = "",
     .is_optional = true,
     .doc = "How the axes of the mesh are turned; default: parallel to the ground."},
};
#undef AT
const FbTypeInfo fb_mesh_table = {.name = "mesh",
                                  .doc = "A mesh from a file, or made here.",
                                  .fields = mesh_fields,
                                  .n_fields = COUNT(mesh_fields)};

#define AT(member) .offset = offsetof(FbMeshGroupDef, member)
static const FbField group_fields[] = {
    {.key = "material",
     .kind = FB_FIELD_MATERIAL,
     AT(material),
     .unit = "",
     .doc = "The material of the elements."},
    {.key = "thickness",
     .kind = FB_FIELD_REAL,
     AT(thickness),
     .unit = "m",
     .is_optional = true,
     POSITIVE,
     .doc = "Thickness of shells."},
    {.key = "offset",
     .kind = FB_FIELD_REAL,
     AT(offset),
     .unit = "m",
     .default_text = "0",
     ANY,
     .doc = "How far the middle surface of shells is from the nodes, along their normal."},
    {.key = "axes",
     .kind = FB_FIELD_ROTATION,
     AT(axes),
     .unit = "",
     .is_optional = true,
     .doc = "How the axes of an orthotropic material are turned from those of the mesh. On shells "
            "the first axis is projected onto the surface."},
    {.key = "angle",
     .kind = FB_FIELD_REAL,
     AT(angle),
     .unit = "rad",
     .default_text = "0",
     ANY,
     .doc = "Additional rotation of the material's axes about the normal of shells."},
    {.key = "around",
     .kind = FB_FIELD_VEC3,
     AT(around),
     .unit = "",
     .default_text = "[0, 0, 0]",
     ANY,
     .doc = "Direction of an axis, in the axes of the mesh: in each element the material's "
            "axes point around it, along it and away from it, and `axes` turns them from there."},
    {.key = "center",
     .kind = FB_FIELD_VEC3,
     AT(center),
     .unit = "m",
     .default_text = "[0, 0, 0]",
     ANY,
     .doc = "A point of the axis `around`, in the axes of the mesh."},
};
#undef AT
const FbTypeInfo fb_mesh_group_table = {
    .name = "group",
    .doc =
        "What the elements of a group of the mesh are made of. `all` stands for the solids of no "
        "other group or, in a mesh without solids, the surfaces.",
    .fields = group_fields,
    .n_fields = COUNT(group_fields)};

#define AT(member) .offset = offsetof(FbMeshNodeDef, member)
static const FbField node_fields[] = {
    {.key = "at",
     .kind = FB_FIELD_VEC3,
     AT(at),
     .unit = "m",
     .is_optional = true,
     ANY,
     .doc = "Its position, in the axes of the mesh: that of a node of the mesh or, with "
            "`group`, of the new node (default: the middle of the group)."},
    {.key = "group",
     .kind = FB_FIELD_TEXT,
     AT(group),
     .unit = "",
     .is_optional = true,
     .doc = "A group of nodes that is coupled to it."},
    {.key = "coupling",
     .kind = FB_FIELD_CHOICE,
     AT(is_averaging),
     .unit = "",
     .default_text = "rigid",
     .choices = "rigid|average",
     .doc = "The group moves with the node like a rigid body (RBE2), or the node follows the mean "
            "motion of the group, which stays flexible (RBE3)."},
    {.key = "from",
     .kind = FB_FIELD_VEC3,
     AT(from),
     .unit = "m",
     .is_optional = true,
     ANY,
     .doc =
         "Instead of `at`: a row of all nodes of the mesh on the straight line from here to `to`, "
         "in this order. They become the bodies `structure.name.n1`, `structure.name.n2`, ...; "
         "a guide passes them by `{through: structure.name}`."},
    {.key = "to",
     .kind = FB_FIELD_VEC3,
     AT(to),
     .unit = "m",
     .is_optional = true,
     ANY,
     .doc = "The end of the line."},
    {.key = "along",
     .kind = FB_FIELD_TEXT,
     AT(along),
     .unit = "",
     .is_optional = true,
     .doc = "Instead of `at`: a row of all nodes of a group that lie along a straight or curved "
            "edge, each next to the one before, starting at `from` (default: at one of the ends)."},
    {.key = "spacing",
     .kind = FB_FIELD_REAL,
     AT(spacing),
     .unit = "m",
     .is_optional = true,
     POSITIVE,
     .doc = "Of a row: the approximate distance between its nodes, which are chosen evenly and "
            "include "
            "both ends; default: all nodes. It leaves a guide unchanged when the mesh is refined."},
    {.key = "support",
     .kind = FB_FIELD_CHOICE,
     AT(is_clamped),
     .unit = "",
     .default_text = "free",
     .choices = "free|clamped",
     .doc = "Clamped: it does not move."},
};
#undef AT
const FbTypeInfo fb_mesh_node_table = {
    .name = "node",
    .doc =
        "A node where other parts attach. It becomes the body `structure.node`, held by a joint "
        "of the same name: `translation` for a single node of solid elements, `node` for one of "
        "shells and for a coupled group.",
    .fields = node_fields,
    .n_fields = COUNT(node_fields)};

#define AT(member) .offset = offsetof(FbMeshLoadDef, member)
static const FbField load_fields[] = {
    {.key = "group",
     .kind = FB_FIELD_TEXT,
     AT(group),
     .unit = "",
     .doc = "A group of the mesh: surfaces, shells, edges, or nodes (their outer faces, or else "
            "their edges, are meant)."},
    {.key = "pressure",
     .kind = FB_FIELD_EXPRESSION,
     AT(pressure),
     .unit = "Pa",
     .is_optional = true,
     .doc = "Force per area against the outer face of solids, along the normal of shells."},
    {.key = "traction",
     .kind = FB_FIELD_EXPR3,
     AT(traction),
     .unit = "Pa",
     .is_optional = true,
     .doc = "Force per area, in ground axes."},
    {.key = "line",
     .kind = FB_FIELD_EXPR3,
     AT(line),
     .unit = "N/m",
     .is_optional = true,
     .doc = "Force per length of edges, in ground axes."},
    {.key = "force",
     .kind = FB_FIELD_EXPR3,
     AT(force),
     .unit = "N",
     .is_optional = true,
     .doc = "Total force, in ground axes, spread evenly over the surface of the group or, if it "
            "has none, along its edges or over its nodes."},
};
#undef AT
const FbTypeInfo fb_mesh_load_table = {
    .name = "load",
    .doc =
        "A load on a group of the mesh: one of `pressure`, `traction`, `line` and `force`, as "
        "numbers or expressions of time and of sensors. It keeps its directions while the "
        "structure moves.",
    .fields = load_fields,
    .n_fields = COUNT(load_fields)};

#define AT(member) .offset = offsetof(FbMeshPlaceSource, member)
static const FbField place_fields[] = {
    {.key = "at",
     .kind = FB_FIELD_VEC3,
     AT(at),
     .unit = "m",
     .is_optional = true,
     ANY,
     .doc = "The position of a node of the mesh, in its axes: the stresses are the mean of those "
            "in the elements around it."},
    {.key = "element",
     .kind = FB_FIELD_INT,
     AT(element),
     .unit = "",
     .is_optional = true,
     .min = 1.0,
     .max = 2147483647.0,
     .doc = "Instead of `at`: the middle of the element with this number."},
    {.key = "group",
     .kind = FB_FIELD_TEXT,
     AT(group),
     .unit = "",
     .is_optional = true,
     .doc = "Only elements of this group count: where materials meet, stresses jump."},
    {.key = "side",
     .kind = FB_FIELD_CHOICE,
     AT(side),
     .unit = "",
     .default_text = "top",
     .choices = "top|middle|bottom",
     .is_int_choice = true,
     .doc = "Side of shells: the top is the side to which their normal points."},
};
#undef AT
const FbTypeInfo fb_mesh_place_table = {
    .name = "stress",
    .doc =
        "A place where stresses are measured. It becomes the sensor `structure.place` of type "
        "`mesh_stress`, for use in outputs and expressions: `structure.place.mises`.",
    .fields = place_fields,
    .n_fields = COUNT(place_fields)};

#define AT(member) .offset = offsetof(FbMeshStateDef, member)
#define STATE_LOADS                                                                     \
    {.key = "loads",                                                                    \
     .kind = FB_FIELD_TEXTS,                                                            \
     AT(loads),                                                                         \
     .offset2 = offsetof(FbMeshStateDef, n_loads),                                      \
     .unit = "",                                                                        \
     .is_optional = true,                                                               \
     .doc = "Names of loads of the structure; their values must be constant."},         \
        {.key = "gravity",                                                              \
         .kind = FB_FIELD_VEC3,                                                         \
         AT(gravity),                                                                   \
         .unit = "m/s^2",                                                               \
         .default_text = "[0, 0, 0]",                                                   \
         ANY,                                                                           \
         .doc = "Weight that acts in addition."},                                       \
        {.key = "spin",                                                                 \
         .kind = FB_FIELD_VEC3,                                                         \
         AT(spin),                                                                      \
         .unit = "rad/s",                                                               \
         .default_text = "[0, 0, 0]",                                                   \
         ANY,                                                                           \
         .doc =                                                                         \
             "Angular velocity, in ground axes, at which the structure turns with its " \
             "supports: it adds centrifugal forces."},                                  \
    {                                                                                   \
        .key = "about", .kind = FB_FIELD_VEC3, AT(about), .unit = "m",                  \
        .default_text = "[0, 0, 0]", ANY,                                               \
        .doc = "A point of the axis of the spin, in the axes of the mesh."              \
    }
static const FbField prestress_fields[] = {STATE_LOADS};
static const FbField buckling_fields[] = {
    STATE_LOADS,
    {.key = "factors",
     .kind = FB_FIELD_INT,
     AT(n_factors),
     .unit = "",
     .default_text = "1",
     .min = 1.0,
     .max = 50.0,
     .doc = "How many load factors are calculated."},
};
#undef AT
const FbTypeInfo fb_mesh_prestress_table = {
    .name = "prestress",
    .doc =
        "Loads that stress the structure in its supports alone: tension stiffens it, "
        "compression softens it.",
    .fields = prestress_fields,
    .n_fields = COUNT(prestress_fields)};
const FbTypeInfo fb_mesh_buckling_table = {
    .name = "buckling",
    .doc =
        "The factors by which these loads can be multiplied until the structure, in its "
        "supports alone, buckles (linear theory); `flyball check` shows them.",
    .fields = buckling_fields,
    .n_fields = COUNT(buckling_fields)};
