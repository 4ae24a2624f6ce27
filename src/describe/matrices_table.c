// The field tables of structures that are given by matrices.
#include "describe/matrices_table.h"

#include <math.h>

#define ANY .min = -INFINITY, .max = INFINITY
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define AT(member) .offset = offsetof(FbMatrixStructureDef, member)
static const FbField matrices_fields[] = {
    {.key = "mass",
     .kind = FB_FIELD_TEXT,
     AT(mass),
     .unit = "",
     .doc = "Matrix Market file of the mass matrix, relative to the model file, with up to 1000000 "
            "rows; symmetric, positive (semi-)definite."},
    {.key = "stiffness",
     .kind = FB_FIELD_TEXT,
     AT(stiffness),
     .unit = "",
     .doc = "File of the stiffness matrix; symmetric, positive semi-definite."},
    {.key = "damping",
     .kind = FB_FIELD_TEXT,
     AT(damping),
     .unit = "",
     .is_optional = true,
     .doc = "File of the damping matrix; symmetric, positive semi-definite."},
    {.key = "weight",
     .kind = FB_FIELD_TEXT,
     AT(weight),
     .unit = "",
     .is_optional = true,
     .doc = "File with three columns: the forces on each row due to a gravity of 1 m/s2 along x, y "
            "and z, i.e. the mass matrix times unit translations. Needed if supports are built "
            "into the matrices; otherwise derived from the named nodes."},
    {.key = "position",
     .kind = FB_FIELD_VEC3,
     AT(position),
     .unit = "m",
     .default_text = "[0, 0, 0]",
     ANY,
     .doc = "Where the origin of the structure's axes lies."},
    {.key = "orientation",
     .kind = FB_FIELD_ROTATION,
     AT(rotation),
     .unit = "",
     .is_optional = true,
     .doc = "How the axes of the structure are turned, in which nodes, rows and weight are given; "
            "default: parallel to the ground."},
};
static const FbField reduce_fields[] = {
    {.key = "modes",
     .kind = FB_FIELD_INT,
     AT(n_modes),
     .unit = "",
     .min = 0.0,
     .max = 1e6,
     .doc = "How many of the lowest modes with all named nodes fixed are kept; if there are fewer, "
            "all of them."},
};
#undef AT
const FbTypeInfo fb_matrices_table = {.name = "matrices",
                                      .doc = "The matrices of a structure meshed elsewhere.",
                                      .fields = matrices_fields,
                                      .n_fields = COUNT(matrices_fields)};
const FbTypeInfo fb_reduce_table = {.name = "reduce",
                                    .doc = "Craig-Bampton reduction.",
                                    .fields = reduce_fields,
                                    .n_fields = COUNT(reduce_fields)};

#define AT(member) .offset = offsetof(FbMatrixNodeDef, member)
static const FbField node_fields[] = {
    {.key = "at",
     .kind = FB_FIELD_VEC3,
     AT(at),
     .unit = "m",
     ANY,
     .doc = "Its position in the drawing."},
    {.key = "support",
     .kind = FB_FIELD_CHOICE,
     AT(is_clamped),
     .unit = "",
     .default_text = "free",
     .choices = "free|clamped",
     .doc = "Clamped: its rows do not move."},
};
#define DOF(name, index, text)                                                               \
    {                                                                                        \
        .key = name, .kind = FB_FIELD_INT, .offset = offsetof(FbMatrixNodeDef, dofs[index]), \
        .unit = "", .is_optional = true, .min = 1.0, .max = 2147483647.0, .doc = text        \
    }
static const FbField dofs_fields[] = {
    DOF("x", 0, "The row, counted from 1, of its displacement along x; default: none."),
    DOF("y", 1, "Along y."),
    DOF("z", 2, "Along z."),
    DOF("rx", 3, "The row of its rotation about x."),
    DOF("ry", 4, "About y."),
    DOF("rz", 5, "About z."),
};
#undef AT
const FbTypeInfo fb_matrix_node_table = {
    .name = "node",
    .doc =
        "A node of a structure given by matrices. It becomes the body `structure.node`, held by a "
        "joint of the same name.",
    .fields = node_fields,
    .n_fields = COUNT(node_fields)};
const FbTypeInfo fb_dofs_table = {.name = "dofs",
                                  .doc = "Rows of the matrices.",
                                  .fields = dofs_fields,
                                  .n_fields = COUNT(dofs_fields)};
