// A binary glTF file (GLB) in the making: bytes, accessors and the JSON lists that refer to them.
//
// glTF 2.0, Khronos Group: https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
#ifndef FLYBALL_VIEW_GLB_H
#define FLYBALL_VIEW_GLB_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

// One of the top-level arrays of the document.
typedef struct FbGlbList {
    FbText text;
    FbJson json;
    int n;
} FbGlbList;

typedef struct FbGlb {
    FbText bytes;  // the binary chunk
    FbGlbList views, accessors, materials, meshes, nodes, skins, samplers, channels;
} FbGlb;

void fb_glb_init(FbGlb* glb);
void fb_glb_free(FbGlb* glb);

// What an accessor is used for.
typedef enum FbGlbUse {
    FB_GLB_DATA,       // animations, matrices
    FB_GLB_TIMES,      // of animations: with their range
    FB_GLB_POSITIONS,  // of vertices: with their range
    FB_GLB_VERTICES    // other attributes of vertices
} FbGlbUse;

// `count` items of `width` numbers (1, 3, 4, 16); returns the accessor.
int fb_glb_add_floats(FbGlb* glb, const float* values, int count, int width, FbGlbUse use);
// Corners of triangles.
int fb_glb_add_corners(FbGlb* glb, const uint32_t* corners, int n);
// Four joints for each vertex.
int fb_glb_add_joints(FbGlb* glb, const uint16_t* joints, int n_vertices);

// Opens an object at the end of a list and returns its index; end it with fb_json_end_object().
int fb_glb_begin(FbGlbList* list);

// Writes header, document and bytes; `roots` are the nodes of the scene.
FbStatus fb_glb_write(FbGlb* glb, const char* title, const int* roots, int n_roots,
                      const char* path, FbError* err);

#endif
