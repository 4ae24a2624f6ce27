// The motion of a run as glTF: bodies as animated nodes, beams as skins, meshes as morph targets.
#ifndef FLYBALL_VIEW_GLTF_H
#define FLYBALL_VIEW_GLTF_H

#include "view/glb.h"
#include "view/scene.h"
#include "view/solid.h"

// Writes a binary glTF file (.glb) of the text of a motion, in metres and seconds, with y up;
// `file` is named where the text is not good, NULL: it has no file.
FbStatus fb_gltf_write_motion(const char* motion, size_t size, const char* title, const char* file,
                              const char* path, FbError* err);

// The file in the making, shared by gltf.c, gltf_track.c, gltf_bodies.c and gltf_beams.c.
typedef struct FbGltf {
    const FbScene* scene;
    FbArena* arena;
    FbGlb glb;
    double thickness;  // radius of slim bars, m
    int* frames;       // [n_keys] the frames with times of their own in single precision
    int n_keys;
    int times;     // accessor
    int* node_of;  // [n_bodies] nodes, -1: not drawn
    bool* is_end;  // [n_bodies] of an element
    int ground;    // node
    int* tops;     // [n_tops] nodes under the one that turns y up
    int n_tops;
    int* skinned;  // [n_skinned] nodes beside it: their joints are under it
    int n_skinned;
    uint32_t colors[64];  // of the materials
    int n_colors;
    bool has_failed;  // out of memory
} FbGltf;

// A material of a colour, 0xrrggbb; few are shared.
int fb_gltf_material(FbGltf* g, uint32_t color);
// The colour of the i-th body, member or slider: its own, or one of a palette.
uint32_t fb_gltf_color(const char* own, int i);

// A part of a mesh: a solid in one colour.
typedef struct FbGltfPart {
    const FbSolid* solid;
    uint32_t color;
} FbGltfPart;
// Returns the mesh, -1 where all parts are empty.
int fb_gltf_add_mesh(FbGltf* g, const char* name, const FbGltfPart* parts, int n);

// gltf_track.c: how a node moves. Values of each key; NULL: it does not.
typedef struct FbGltfTrack {
    float* places;  // [3 x n_keys]
    float* turns;   // [4 x n_keys] x, y, z, w
    float* scales;  // [3 x n_keys]
} FbGltfTrack;

FbGltfTrack fb_gltf_take_track(FbGltf* g, bool has_scales);
void fb_gltf_set_pose(FbGltfTrack* track, int key, FbVec3 p, const double e[4]);
// Adds a node in its first pose with its motion (NULL: none); mesh -1: none.
int fb_gltf_add_node(FbGltf* g, const char* name, int mesh, const FbGltfTrack* track);
// Adds motion to a node: "translation", "rotation", "scale" or "weights".
void fb_gltf_add_channel(FbGltf* g, int node, const char* path, int accessor);
// An accessor of n weights of each key; -1: they do not change.
int fb_gltf_add_weights(FbGltf* g, const float* values, int n);

// The parts of the file.
FbStatus fb_gltf_add_bodies(FbGltf* g, FbError* err);
void fb_gltf_add_links(FbGltf* g);    // springs and rods
void fb_gltf_add_sliders(FbGltf* g);  // blocks on their guides
void fb_gltf_add_meshes(FbGltf* g);   // gltf_meshes.c
void fb_gltf_add_beams(FbGltf* g);    // gltf_beams.c, after the bodies

#endif
