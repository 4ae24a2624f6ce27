// The motion of a run as a binary glTF file: prepares keys and colours, collects the parts, turns y
// up.
#include "view/gltf.h"

#include <math.h>
#include <stdlib.h>

#include "math/rotation.h"
#include "record/json_pair.h"

uint32_t fb_gltf_color(const char* own, int i) {
    static const uint32_t palette[] = {0x3b7dd8, 0xe08a1e, 0x2a9d6f, 0xc4569b,
                                       0x8a6fd1, 0xd1564a, 0x4fa3b5, 0xa08a3c};
    char* end = NULL;
    unsigned long color = own && own[0] == '#' ? strtoul(own + 1, &end, 16) : 0;
    return end && *end == '\0' && end == own + 7 ? (uint32_t)color : palette[i % 8];
}

// glTF has linear colours; #rrggbb is sRGB (IEC 61966-2-1).
static double linear(uint32_t byte) {
    double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

int fb_gltf_material(FbGltf* g, uint32_t color) {
    enum { ROOM = sizeof g->colors / sizeof g->colors[0] };
    for (int i = 0; i < g->n_colors; i++) {
        if (g->colors[i] == color) {
            return i;
        }
    }
    if (g->n_colors == ROOM) {
        return (int)(color % ROOM);
    }
    FbJson* json = &g->glb.materials.json;
    fb_glb_begin(&g->glb.materials);
    fb_json_key(json, "pbrMetallicRoughness");
    fb_json_begin_object(json);
    fb_json_key(json, "baseColorFactor");
    fb_json_begin_array(json);
    for (int shift = 16; shift >= 0; shift -= 8) {
        fb_json_number(json, linear(color >> shift & 0xff));
    }
    fb_json_number(json, 1.0);
    fb_json_end_array(json);
    fb_json_pair_number(json, "metallicFactor", 0.08);
    fb_json_pair_number(json, "roughnessFactor", 0.55);
    fb_json_end_object(json);
    fb_json_pair_bool(json, "doubleSided", true);
    fb_json_end_object(json);
    g->colors[g->n_colors] = color;
    return g->n_colors++;
}

static void add_primitive(FbGltf* g, const FbGltfPart* part, FbJson* json) {
    const FbSolid* s = part->solid;
    int at = fb_glb_add_floats(&g->glb, s->at, s->n_vertices, 3, FB_GLB_POSITIONS);
    int normal = fb_glb_add_floats(&g->glb, s->normal, s->n_vertices, 3, FB_GLB_VERTICES);
    int corners = fb_glb_add_corners(&g->glb, s->corners, s->n_corners);
    fb_json_begin_object(json);
    fb_json_key(json, "attributes");
    fb_json_begin_object(json);
    fb_json_pair_integer(json, "POSITION", at);
    fb_json_pair_integer(json, "NORMAL", normal);
    fb_json_end_object(json);
    fb_json_pair_integer(json, "indices", corners);
    fb_json_pair_integer(json, "material", fb_gltf_material(g, part->color));
    fb_json_end_object(json);
}

int fb_gltf_add_mesh(FbGltf* g, const char* name, const FbGltfPart* parts, int n) {
    int n_full = 0;
    for (int i = 0; i < n; i++) {
        n_full += parts[i].solid->n_corners > 0;
        g->has_failed = g->has_failed || parts[i].solid->has_failed;
    }
    if (n_full == 0 || g->has_failed) {
        return -1;
    }
    FbJson* json = &g->glb.meshes.json;
    int index = fb_glb_begin(&g->glb.meshes);
    fb_json_pair_text(json, "name", name);
    fb_json_key(json, "primitives");
    fb_json_begin_array(json);
    for (int i = 0; i < n; i++) {
        if (parts[i].solid->n_corners > 0) {
            add_primitive(g, &parts[i], json);
        }
    }
    fb_json_end_array(json);
    fb_json_end_object(json);
    return index;
}

// Times from zero on, each later than the one before, as single precision has them.
static void choose_keys(FbGltf* g) {
    const FbScene* s = g->scene;
    float* times = FB_TAKE(g->arena, float, s->n_frames);
    g->frames = FB_TAKE(g->arena, int, s->n_frames);
    g->has_failed = g->has_failed || !times || !g->frames;
    for (int i = 0; !g->has_failed && i < s->n_frames; i++) {
        float t = (float)(s->times[i] - s->times[0]);
        if (g->n_keys == 0 || t > times[g->n_keys - 1]) {
            times[g->n_keys] = t;
            g->frames[g->n_keys++] = i;
        }
    }
    if (!g->has_failed && g->n_keys > 1) {
        g->times = fb_glb_add_floats(&g->glb, times, g->n_keys, 1, FB_GLB_TIMES);
    }
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Slim bars are thin beside the mechanism and beside their own typical length.
static void choose_thickness(FbGltf* g) {
    const FbScene* s = g->scene;
    int n = 0, room = s->n_members;
    for (int b = 0; b < s->n_bodies; b++) {
        room += s->bodies[b].n_shapes + s->bodies[b].n_links;
    }
    double* lengths = FB_TAKE(g->arena, double, room + 1);
    g->has_failed = g->has_failed || !lengths;
    for (int b = 0; !g->has_failed && b < s->n_bodies; b++) {
        const FbSceneBody* body = &s->bodies[b];
        for (int i = 0; i < body->n_shapes; i++) {
            double length = fb_norm(fb_sub(body->shapes[i].to, body->shapes[i].from));
            lengths[n] = length;
            n += length > 0.0;
        }
        for (int i = 1; i < body->n_links; i++) {
            lengths[n++] = fb_norm(fb_sub(body->links[i], body->links[i - 1]));
        }
    }
    double typical = s->length;
    if (n > 0) {
        qsort(lengths, (size_t)n, sizeof(double), compare);
        typical = lengths[n / 2];
    }
    g->thickness = fmax(0.0015 * s->length, fmin(0.009 * s->length, 0.035 * typical));
}

// The node that turns the direction against gravity (z where there is none) to y.
static int add_root(FbGltf* g) {
    FbVec3 up = fb_scale(-1.0, g->scene->gravity), y = fb_vec3(0.0, 1.0, 0.0);
    double length = fb_norm(up), e[4] = {1.0, 0.0, 0.0, 0.0};
    up = length > 0.0 ? fb_scale(1.0 / length, up) : fb_vec3(0.0, 0.0, 1.0);
    FbVec3 axis = fb_cross(up, y);
    double sine = fb_norm(axis), angle = atan2(sine, fb_dot(up, y));
    axis = sine > 0.0 ? fb_scale(1.0 / sine, axis) : fb_vec3(1.0, 0.0, 0.0);
    FbMat3 R = fb_rotation_from_vector(fb_scale(angle, axis));
    fb_quaternion_from_rotation(&R, e);
    const double turn[4] = {e[1], e[2], e[3], e[0]};
    FbJson* json = &g->glb.nodes.json;
    int node = fb_glb_begin(&g->glb.nodes);
    fb_json_pair_text(json, "name", "upright");
    fb_json_key(json, "rotation");
    fb_json_begin_array(json);
    for (int i = 0; i < 4; i++) {
        fb_json_number(json, turn[i]);
    }
    fb_json_end_array(json);
    fb_json_key(json, "children");
    fb_json_begin_array(json);
    for (int i = 0; i < g->n_tops; i++) {
        fb_json_integer(json, g->tops[i]);
    }
    fb_json_end_array(json);
    fb_json_end_object(json);
    return node;
}

static FbStatus build(FbGltf* g, FbError* err) {
    const FbScene* s = g->scene;
    int n = 2 * s->n_bodies + s->springs.n + s->rods.n + s->n_sliders + s->n_meshes + 1;
    g->node_of = FB_TAKE(g->arena, int, s->n_bodies + 1);
    g->tops = FB_TAKE(g->arena, int, n + 1);
    g->skinned = FB_TAKE(g->arena, int, s->n_members + 1);
    g->is_end = FB_TAKE(g->arena, bool, s->n_bodies + 1);
    g->has_failed = !g->node_of || !g->tops || !g->skinned || !g->is_end;
    for (int i = 0; !g->has_failed && i < 2 * s->n_elements; i++) {
        int body = s->elements[i / 2].body[i % 2];
        g->is_end[body >= 0 ? body : s->n_bodies] = true;
    }
    choose_thickness(g);
    choose_keys(g);
    if (g->has_failed) {
        return fb_fail_memory(err);
    }
    FB_TRY(fb_gltf_add_bodies(g, err));
    fb_gltf_add_links(g);
    fb_gltf_add_sliders(g);
    fb_gltf_add_meshes(g);
    fb_gltf_add_beams(g);
    g->skinned[g->n_skinned++] = add_root(g);
    return g->has_failed || fb_arena_has_failed(g->arena) ? fb_fail_memory(err) : FB_OK;
}

static FbStatus write_scene(const FbScene* scene, const char* title, FbArena* arena,
                            const char* path, FbError* err) {
    FbGltf g = {.scene = scene, .arena = arena};
    fb_glb_init(&g.glb);
    FbStatus status = build(&g, err);
    if (status == FB_OK) {
        status = fb_glb_write(&g.glb, title, g.skinned, g.n_skinned, path, err);
    }
    fb_glb_free(&g.glb);
    return status;
}

FbStatus fb_gltf_write_motion(const char* motion, size_t size, const char* title, const char* file,
                              const char* path, FbError* err) {
    FbArena* arena = fb_arena_create();
    FbScene scene;
    FbStatus status =
        arena ? fb_scene_read(motion, size, file, arena, &scene, err) : fb_fail_memory(err);
    if (status == FB_OK) {
        status = write_scene(&scene, title, arena, path, err);
    }
    fb_arena_destroy(arena);
    return status;
}
