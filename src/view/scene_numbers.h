// Numbers of a motion document: plain ones, and arrays as base64 of little-endian values.
#ifndef FLYBALL_VIEW_SCENE_NUMBERS_H
#define FLYBALL_VIEW_SCENE_NUMBERS_H

#include "base/arena.h"
#include "math/vec3.h"
#include "read/yaml.h"

double fb_scene_number(const FbNode* node);            // NaN: not a number
int fb_scene_integer(const FbNode* node, int absent);  // also where it is not a whole number
FbVec3 fb_scene_vector(const FbNode* node);            // zero where it is not three numbers
const char* fb_scene_text(const FbNode* node);         // "": none
int fb_scene_count(const FbNode* node);                // items of a list; 0: not a list

// All numbers of {"f64": ..}, {"f32": ..}, {"i16": ..} or a plain list; *n: how many. NULL: out of
// memory, or not base64 (n is -1 then).
double* fb_scene_array(const FbNode* node, FbArena* arena, int* n);

#endif
