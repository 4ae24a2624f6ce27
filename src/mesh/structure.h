// The internals of fb_model_def_add_structure: what is known of a structure once it has been
// checked, and the steps of meshing it.
#ifndef FLYBALL_MESH_STRUCTURE_H
#define FLYBALL_MESH_STRUCTURE_H

#include "base/error.h"
#include "describe/cross_section.h"
#include "describe/def.h"
#include "math/vec3.h"

// How many ends of members meet at a node.
typedef struct FbNodeEnds {
    int n_rigid, n_hinged;
    bool is_taken;  // plane: a hinged end has been joined to the node directly
} FbNodeEnds;

typedef struct FbMemberPlan {
    int from, to;  // nodes
    FbSectionProperties section;
    FbMaterialProperties material;
    FbVec3 x, y;  // axes at its start, in the structure's
    double length;
    FbVec3 turn, center;  // of an arc: from start to end; turn 0: straight
} FbMemberPlan;

typedef struct FbStructurePlan {
    FbModelDef* def;
    const FbStructureDef* s;
    FbArena* arena;  // of everything here
    FbDiagnostics* diagnostics;
    FbMat3 R;  // pose of the structure
    FbVec3 p;
    FbVec3 first, second,
        normal;  // plane structures: the axes of its plane and their cross product
    FbNames node_names, member_names;
    FbNodeEnds* ends;       // [n_nodes]
    FbMemberPlan* members;  // [n_members]
    bool has_bad_member;    // then nodes may only seem to be unused
} FbStructurePlan;

// Fills the plan and reports everything that is wrong to `diagnostics`; the plan must be freed in
// any case.
FbStatus fb_structure_plan(FbModelDef* def, const FbStructureDef* s, FbDiagnostics* diagnostics,
                           FbStructurePlan* out);
void fb_structure_plan_free(FbStructurePlan* plan);

// Adds the parts of a checked structure.
FbStatus fb_structure_expand(FbStructurePlan* plan, FbError* err);

// ---- structure_theory.c ----
// Makes the structures of the list that name no theory nonlinear if they can turn.
FbStatus fb_structures_choose_theory(const FbModelDef* def, FbStructureDef* list, int n);

// ---- structure_node.c ----
// Is the node a hinge, so that its own rotation means nothing?
bool fb_structure_is_hinge(const FbStructureDef* s, const FbNodeDef* node, const FbNodeEnds* ends);
// Is what the node says of itself (support, displacement, ...) possible? Reports.
void fb_structure_check_node(FbStructurePlan* plan, const FbNodeDef* node, const FbNodeEnds* ends);
// Adds body, joint, springs and loads under the full name.
FbStatus fb_structure_add_node(FbStructurePlan* plan, const FbNodeDef* node, const FbNodeEnds* ends,
                               const char* name, FbError* err);

// ---- structure_check.c ----
void fb_structure_check_member(FbStructurePlan* plan, int index);

// ---- structure_arc.c ----
static inline bool fb_member_is_arc(const FbMemberPlan* member) {
    return fb_dot(member->turn, member->turn) > 0.0;
}
// Fills the arc of a member with a point `through`. Reports.
bool fb_structure_check_arc(FbStructurePlan* plan, const FbMemberDef* m, FbMemberPlan* out);
// The point at a fraction of the length, and a direction of the start as it is there; structure
// axes.
FbVec3 fb_member_place(const FbStructurePlan* plan, const FbMemberPlan* member, double at);
FbVec3 fb_member_turn(const FbMemberPlan* member, double at, FbVec3 direction);

// ---- structure_member.c ----
extern const FbNodeEnds fb_structure_inner_ends;
// The node at fraction `at` of a member; `station` NULL: a numbered one.
FbNodeDef fb_structure_inner_node(const FbStructurePlan* plan, const FbMemberDef* m,
                                  const FbMemberPlan* member, const FbStationDef* station,
                                  double at);
// Adds inner nodes, hinges and beams.
FbStatus fb_structure_add_member(FbStructurePlan* plan, int index, FbError* err);

// Reports at a field of a part of the structure.
void fb_structure_report(FbStructurePlan* plan, FbStatus status, const FbOrigin* origin,
                         const char* key, const char* format, ...)
    __attribute__((format(printf, 5, 6)));

// The place and scope of a part, without its fields.
FbOrigin fb_structure_origin(const FbOrigin* origin);
// The same with places of fields taken from others: pairs {new key, old key}. The memory is the
// plan's.
FbOrigin fb_structure_origin_with(FbStructurePlan* plan, const FbOrigin* origin,
                                  const char* const pairs[][2], int n);

static inline bool fb_structure_is_plane(const FbStructureDef* s) {
    return s->plane_normal >= 0;
}
static inline FbVec3 fb_structure_place(const FbStructurePlan* plan, FbVec3 at) {
    return fb_add(plan->p, fb_mul3(&plan->R, at));
}

#endif
