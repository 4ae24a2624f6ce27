// Deep copies of parts into a model's arena.
#ifndef FLYBALL_DESCRIBE_DEF_COPY_H
#define FLYBALL_DESCRIBE_DEF_COPY_H

#include "describe/def.h"
#include "describe/types.h"

// Each replaces every pointer in *part by a copy in def->arena; fb_arena_has_failed() says whether
// memory ran out.
void fb_copy_body(FbModelDef* def, FbBodyDef* part);
void fb_copy_joint(FbModelDef* def, FbJointDef* part);
void fb_copy_input(FbModelDef* def, FbInputDef* part);
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
// `file` is a text that places share if they are in that file; NULL: none.
void fb_copy_origin(FbArena* arena, const char* file, FbOrigin* origin);
void fb_copy_place(FbModelDef* def, FbPlace* place);

// A copy of a part whose type has a struct of its own, with everything that its head and the fields
// of its type point to; of a type that is not known (NULL), its head of `head_size`. `file` is a
// text that places share if they are in that file; NULL: none. NULL: out of memory, also of some of
// what it points to if fb_arena_has_failed().
void* fb_copy_part(FbArena* arena, const char* file, const FbTypeInfo* type, size_t head_size,
                   const void* part);

#endif
