// Nodes of a glTF file and how they move: keys at the frames of the motion, straight in between.
#include <math.h>
#include <string.h>

#include "record/json_pair.h"
#include "view/gltf.h"

FbGltfTrack fb_gltf_take_track(FbGltf* g, bool has_scales) {
    FbGltfTrack out = {.places = FB_TAKE(g->arena, float, 3 * g->n_keys),
                       .turns = FB_TAKE(g->arena, float, 4 * g->n_keys),
                       .scales = has_scales ? FB_TAKE(g->arena, float, 3 * g->n_keys) : NULL};
    g->has_failed = g->has_failed || !out.places || !out.turns || (has_scales && !out.scales);
    return out;
}

void fb_gltf_set_pose(FbGltfTrack* track, int key, FbVec3 p, const double e[4]) {
    float* q = track->turns + 4 * (size_t)key;
    const double at[3] = {p.x, p.y, p.z}, turn[4] = {e[1], e[2], e[3], e[0]};
    float dot = 0.0F;
    for (int i = 0; i < 4; i++) {
        q[i] = (float)turn[i];
        dot += key > 0 ? q[i] * q[i - 4] : 0.0F;
    }
    for (int i = 0; i < 4; i++) {
        q[i] = dot < 0.0F ? -q[i] : q[i];  // q and -q are the same turn; neighbours lie near
    }
    for (int i = 0; i < 3; i++) {
        track->places[3 * (size_t)key + (size_t)i] = (float)at[i];
    }
}

static bool do_change(const FbGltf* g, const float* values, int width) {
    size_t row = sizeof(float) * (size_t)width;
    for (int i = 1; i < g->n_keys; i++) {
        if (memcmp(values, values + (size_t)i * (size_t)width, row) != 0) {
            return true;
        }
    }
    return false;
}

static int add_values(FbGltf* g, const float* values, int width) {
    return do_change(g, values, width)
               ? fb_glb_add_floats(&g->glb, values, g->n_keys, width, FB_GLB_DATA)
               : -1;
}

int fb_gltf_add_weights(FbGltf* g, const float* values, int n) {
    return do_change(g, values, n)
               ? fb_glb_add_floats(&g->glb, values, g->n_keys * n, 1, FB_GLB_DATA)
               : -1;
}

void fb_gltf_add_channel(FbGltf* g, int node, const char* path, int accessor) {
    if (accessor < 0) {
        return;
    }
    FbJson* json = &g->glb.samplers.json;
    int sampler = fb_glb_begin(&g->glb.samplers);
    fb_json_pair_integer(json, "input", g->times);
    fb_json_pair_integer(json, "output", accessor);
    fb_json_pair_text(json, "interpolation", "LINEAR");
    fb_json_end_object(json);
    json = &g->glb.channels.json;
    fb_glb_begin(&g->glb.channels);
    fb_json_pair_integer(json, "sampler", sampler);
    fb_json_key(json, "target");
    fb_json_begin_object(json);
    fb_json_pair_integer(json, "node", node);
    fb_json_pair_text(json, "path", path);
    fb_json_end_object(json);
    fb_json_end_object(json);
}

static void write_values(FbJson* json, const char* key, const float* values, int n) {
    fb_json_key(json, key);
    fb_json_begin_array(json);
    for (int i = 0; i < n; i++) {
        fb_json_number(json, (double)values[i]);
    }
    fb_json_end_array(json);
}

int fb_gltf_add_node(FbGltf* g, const char* name, int mesh, const FbGltfTrack* track) {
    int places = -1, turns = -1, scales = -1, node = fb_glb_begin(&g->glb.nodes);
    FbJson* json = &g->glb.nodes.json;
    fb_json_pair_text(json, "name", name);
    if (mesh >= 0) {
        fb_json_pair_integer(json, "mesh", mesh);
    }
    if (track && track->places) {
        write_values(json, "translation", track->places, 3);
        places = add_values(g, track->places, 3);
    }
    if (track && track->turns) {
        write_values(json, "rotation", track->turns, 4);
        turns = add_values(g, track->turns, 4);
    }
    if (track && track->scales) {
        write_values(json, "scale", track->scales, 3);
        scales = add_values(g, track->scales, 3);
    }
    fb_json_end_object(json);
    fb_gltf_add_channel(g, node, "translation", places);
    fb_gltf_add_channel(g, node, "rotation", turns);
    fb_gltf_add_channel(g, node, "scale", scales);
    g->tops[g->n_tops++] = node;
    return node;
}
