// Meshes of structures as morph targets of a glTF file: their displacements are sums of shapes
// already, and the amplitudes are the weights.
#include <math.h>

#include "record/json_pair.h"
#include "view/gltf.h"

static const double steps = 32767.0;  // of a shape, whose largest displacement is 1

static FbVec3 point_of(const FbSceneMesh* mesh, int i) {
    return fb_vec3_from(mesh->points + 3 * (size_t)i);
}

// Normals of the points: the mean of the triangles around them, by their areas.
static void calc_normals(const FbSceneMesh* mesh, float* out) {
    for (int i = 0; i < mesh->n_triangles; i++) {
        const int* t = mesh->triangles + 3 * (size_t)i;
        FbVec3 a = point_of(mesh, t[0]);
        FbVec3 n = fb_cross(fb_sub(point_of(mesh, t[1]), a), fb_sub(point_of(mesh, t[2]), a));
        for (int k = 0; k < 3; k++) {
            out[3 * (size_t)t[k]] += (float)n.x;
            out[3 * (size_t)t[k] + 1] += (float)n.y;
            out[3 * (size_t)t[k] + 2] += (float)n.z;
        }
    }
    for (int i = 0; i < mesh->n_points; i++) {
        float* n = out + 3 * (size_t)i;
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        n[2] = length > 0.0F ? n[2] : 1.0F;
        for (int k = 0; k < 3; k++) {
            n[k] /= length > 0.0F ? length : 1.0F;
        }
    }
}

static void write_targets(FbGltf* g, const FbSceneMesh* mesh, float* scratch, FbJson* json) {
    int n = 3 * mesh->n_points;
    fb_json_key(json, "targets");
    fb_json_begin_array(json);
    for (int i = 0; i < mesh->n_shapes; i++) {
        for (int k = 0; k < n; k++) {
            scratch[k] = (float)(mesh->shapes[(size_t)i * (size_t)n + (size_t)k] / steps);
        }
        fb_json_begin_object(json);
        fb_json_pair_integer(
            json, "POSITION",
            fb_glb_add_floats(&g->glb, scratch, mesh->n_points, 3, FB_GLB_POSITIONS));
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static int add_mesh(FbGltf* g, const FbSceneMesh* mesh, int material) {
    size_t n = 3 * (size_t)mesh->n_points;
    float* scratch = FB_TAKE(g->arena, float, n);
    float* normals = FB_TAKE(g->arena, float, n);
    uint32_t* corners = FB_TAKE(g->arena, uint32_t, 3 * (size_t)mesh->n_triangles);
    g->has_failed = g->has_failed || !scratch || !normals || !corners;
    if (g->has_failed) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        scratch[i] = (float)mesh->points[i];
    }
    for (int i = 0; i < 3 * mesh->n_triangles; i++) {
        corners[i] = (uint32_t)mesh->triangles[i];
    }
    calc_normals(mesh, normals);
    int at = fb_glb_add_floats(&g->glb, scratch, mesh->n_points, 3, FB_GLB_POSITIONS);
    int normal = fb_glb_add_floats(&g->glb, normals, mesh->n_points, 3, FB_GLB_VERTICES);
    int faces = fb_glb_add_corners(&g->glb, corners, 3 * mesh->n_triangles);
    FbJson* json = &g->glb.meshes.json;
    int index = fb_glb_begin(&g->glb.meshes);
    fb_json_pair_text(json, "name", mesh->name);
    fb_json_key(json, "primitives");
    fb_json_begin_array(json);
    fb_json_begin_object(json);
    fb_json_key(json, "attributes");
    fb_json_begin_object(json);
    fb_json_pair_integer(json, "POSITION", at);
    fb_json_pair_integer(json, "NORMAL", normal);
    fb_json_end_object(json);
    fb_json_pair_integer(json, "indices", faces);
    fb_json_pair_integer(json, "material", material);
    if (mesh->n_shapes > 0) {
        write_targets(g, mesh, scratch, json);
    }
    fb_json_end_object(json);
    fb_json_end_array(json);
    fb_json_end_object(json);
    return index;
}

// The amplitudes of the frames that have keys.
static float* take_weights(FbGltf* g, const FbSceneMesh* mesh) {
    size_t n = (size_t)mesh->n_shapes;
    float* out = FB_TAKE(g->arena, float, n*(size_t)g->n_keys + 1);
    g->has_failed = g->has_failed || !out;
    for (int i = 0; !g->has_failed && i < g->n_keys; i++) {
        for (size_t k = 0; k < n; k++) {
            out[(size_t)i * n + k] = (float)mesh->amplitudes[(size_t)g->frames[i] * n + k];
        }
    }
    return out;
}

static void add_mesh_node(FbGltf* g, const FbSceneMesh* mesh, int index) {
    int drawn = add_mesh(g, mesh, fb_gltf_material(g, fb_gltf_color(NULL, index)));
    float* weights = take_weights(g, mesh);
    if (g->has_failed) {
        return;
    }
    FbJson* json = &g->glb.nodes.json;
    int node = fb_glb_begin(&g->glb.nodes);
    fb_json_pair_text(json, "name", mesh->name);
    fb_json_pair_integer(json, "mesh", drawn);
    if (mesh->n_shapes > 0) {
        fb_json_key(json, "weights");
        fb_json_begin_array(json);
        for (int i = 0; i < mesh->n_shapes; i++) {
            fb_json_number(json, (double)weights[i]);
        }
        fb_json_end_array(json);
    }
    fb_json_end_object(json);
    g->tops[g->n_tops++] = node;
    if (mesh->n_shapes > 0) {
        fb_gltf_add_channel(g, node, "weights", fb_gltf_add_weights(g, weights, mesh->n_shapes));
    }
}

void fb_gltf_add_meshes(FbGltf* g) {
    for (int i = 0; !g->has_failed && i < g->scene->n_meshes; i++) {
        if (g->scene->meshes[i].n_triangles > 0) {
            add_mesh_node(g, &g->scene->meshes[i], i);
        }
    }
}
