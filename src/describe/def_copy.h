// Deep copies of parts into a model's arena.
#ifndef FLYBALL_DESCRIBE_DEF_COPY_H
#define FLYBALL_DESCRIBE_DEF_COPY_H

#include "describe/def.h"

// Each replaces every pointer in *part by a copy in def->arena; fb_arena_has_failed() says whether
// memory ran out.
void fb_copy_body(FbModelDef* def, FbBodyDef* part);
void fb_copy_joint(FbModelDef* def, FbJointDef* part);
void fb_copy_constraint(FbModelDef* def, FbConstraintDef* part);
void fb_copy_force(FbModelDef* def, FbForceDef* part);
void fb_copy_law(FbModelDef* def, FbLawDef* part);
void fb_copy_sensor(FbModelDef* def, FbSensorDef* part);
void fb_copy_state(FbModelDef* def, FbStateDef* part);
void fb_copy_event(FbModelDef* def, FbEventDef* part);
void fb_copy_initial(FbModelDef* def, FbInitialDef* part);
void fb_copy_material(FbModelDef* def, FbMaterialDef* part);
void fb_copy_section(FbModelDef* def, FbSectionDef* part);
void fb_copy_beam(FbModelDef* def, FbBeamDef* part);
void fb_copy_structure(FbModelDef* def, FbStructureDef* part);
void fb_copy_superelement(FbModelDef* def, FbSuperelementDef* part);
void fb_copy_slider(FbModelDef* def, FbSliderDef* part);
// A list of texts; *out is NULL if it is empty or memory ran out.
void fb_copy_texts(FbArena* arena, const char* const* texts, int n, const char* const** out);
void fb_copy_damping(FbModelDef* def, FbDampingDef* part);
void fb_copy_place(FbModelDef* def, FbPlace* place);

#endif
