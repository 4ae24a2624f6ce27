// Beams as skinned meshes of a glTF file.
//
// A skin moves a vertex by the weighted mean of what its joints do to it, v = sum w_j J_j(v0). An
// element is the cubic with the places r and tangents t = L R e of its ends. With two joints at
// each end, one that moves and turns (J) and one that only moves (P), a point of the axis at the
// part x of the length gets
//   w_Ja (ra + x ta) + w_Pa (ra + x t0) + w_Jb (rb - y tb) + w_Pb (rb - y t0),   y = 1 - x,
// t0 the tangent in the drawing. The weights y^2, 2 x y^2, x^2, 2 y x^2 are positive and add up to
// one; those of ra and rb are Hermite's y^2 (1 + 2 x) and x^2 (1 + 2 y), those of ta and tb are
// x y^2 and -y x^2, and the two terms with t0, 2 x^2 y^2, cancel: the drawn axis is Hermite's cubic
// at any displacement and rotation.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "record/json_pair.h"
#include "view/gltf.h"

enum { ALONG = 8, AROUND = 10, RINGS = ALONG + 1 };
static const double pi = 3.14159265358979323846;

// The joints of a skin: those that turn, then those that only move.
typedef struct Skin {
    int* bodies;  // [n]
    int n;
    float* weights;    // [4 x vertices]
    uint16_t* joints;  // [4 x vertices]
    FbSolid solid;
} Skin;

// The joint of a body in a skin, added where it is new; chains of elements share the last one.
static int joint_of(Skin* skin, int body) {
    for (int i = skin->n - 1; i >= 0; i--) {
        if (skin->bodies[i] == body) {
            return i;
        }
    }
    skin->bodies[skin->n] = body;
    return skin->n++;
}

static FbVec3 drawn_place(const FbGltf* g, int body) {
    return body >= 0 ? g->scene->bodies[body].drawn.p : fb_vec3(0.0, 0.0, 0.0);
}

static void add_element(const FbGltf* g, const FbSceneElement* e, double radius, Skin* skin,
                        const int joints[2], int n_bodies) {
    FbVec3 a = drawn_place(g, e->body[0]), b = drawn_place(g, e->body[1]);
    FbSolidFrame f = fb_solid_frame(a, fb_sub(b, a));
    for (int i = 0; i < RINGS; i++) {
        double x = (double)i / ALONG, y = 1.0 - x;
        const double w[4] = {y * y, 2.0 * x * y * y, x * x, 2.0 * y * x * x};
        const int j[4] = {joints[0], n_bodies + joints[0], joints[1], n_bodies + joints[1]};
        for (int k = 0; k < AROUND; k++) {
            double c = cos(2.0 * pi * k / AROUND), d = sin(2.0 * pi * k / AROUND);
            FbVec3 out = fb_mul3(&f.R, fb_vec3(c, d, 0.0));
            FbVec3 at = fb_axpy(radius, out, fb_axpy(x, fb_sub(b, a), a));
            int v = fb_solid_add_vertex(&skin->solid, at, out);
            for (int m = 0; m < 4; m++) {
                skin->weights[4 * (size_t)v + (size_t)m] = (float)w[m];
                skin->joints[4 * (size_t)v + (size_t)m] = (uint16_t)(w[m] > 0.0 ? j[m] : 0);
            }
            if (i > 0) {
                int next = k + 1 < AROUND ? 1 : 1 - AROUND;
                fb_solid_add_triangle(&skin->solid, v - AROUND, v - AROUND + next, v);
                fb_solid_add_triangle(&skin->solid, v, v - AROUND + next, v + next);
            }
        }
    }
}

// The inverse of a joint's pose in the drawing, by columns.
static void set_inverse(const FbGltf* g, int body, bool turns, float out[16]) {
    FbVec3 p = drawn_place(g, body);
    FbMat3 R = body >= 0 && turns ? fb_rotation_from_quaternion(g->scene->bodies[body].drawn.e)
                                  : fb_mat3_identity();
    FbVec3 back = fb_scale(-1.0, fb_mul3_transposed(&R, p));
    const double shift[3] = {back.x, back.y, back.z};
    memset(out, 0, 16 * sizeof(float));
    for (int j = 0; j < 3; j++) {
        FbVec3 column = fb_mat3_col(&R, j);  // a row of the inverse
        const double v[3] = {column.x, column.y, column.z};
        for (int i = 0; i < 3; i++) {
            out[4 * i + j] = (float)v[i];
        }
        out[12 + j] = (float)shift[j];
    }
    out[15] = 1.0F;
}

// A joint that moves with a body without turning.
static int add_mover(FbGltf* g, int body) {
    static const double none[4] = {1.0, 0.0, 0.0, 0.0};
    FbGltfTrack track = fb_gltf_take_track(g, false);
    if (body < 0 || g->has_failed) {
        return g->ground;
    }
    const FbSceneBody* b = &g->scene->bodies[body];
    for (int i = 0; i < g->n_keys; i++) {
        fb_gltf_set_pose(&track, i, b->poses[g->frames[i]].p, none);
    }
    track.turns = NULL;
    const char* name = fb_arena_format(g->arena, "%s (place)", b->name);
    return fb_gltf_add_node(g, name, -1, &track);
}

static int add_skin(FbGltf* g, const Skin* skin, const int* movers) {
    int n = 2 * skin->n;
    float* inverses = FB_TAKE(g->arena, float, 16 * (size_t)n);
    g->has_failed = g->has_failed || !inverses;
    for (int i = 0; !g->has_failed && i < skin->n; i++) {
        set_inverse(g, skin->bodies[i], true, inverses + 16 * (size_t)i);
        set_inverse(g, skin->bodies[i], false, inverses + 16 * (size_t)(skin->n + i));
    }
    if (g->has_failed) {
        return -1;
    }
    int accessor = fb_glb_add_floats(&g->glb, inverses, n, 16, FB_GLB_DATA);
    FbJson* json = &g->glb.skins.json;
    int index = fb_glb_begin(&g->glb.skins);
    fb_json_pair_integer(json, "inverseBindMatrices", accessor);
    fb_json_key(json, "joints");
    fb_json_begin_array(json);
    for (int i = 0; i < n; i++) {
        int body = skin->bodies[i % skin->n];
        fb_json_integer(json, i >= skin->n ? movers[body + 1]
                              : body >= 0  ? g->node_of[body]
                                           : g->ground);
    }
    fb_json_end_array(json);
    fb_json_end_object(json);
    return index;
}

static int add_skin_mesh(FbGltf* g, const char* name, const Skin* skin, int material) {
    FbGlb* glb = &g->glb;
    int n = skin->solid.n_vertices;
    int at = fb_glb_add_floats(glb, skin->solid.at, n, 3, FB_GLB_POSITIONS);
    int normal = fb_glb_add_floats(glb, skin->solid.normal, n, 3, FB_GLB_VERTICES);
    int joints = fb_glb_add_joints(glb, skin->joints, n);
    int weights = fb_glb_add_floats(glb, skin->weights, n, 4, FB_GLB_VERTICES);
    int corners = fb_glb_add_corners(glb, skin->solid.corners, skin->solid.n_corners);
    FbJson* json = &glb->meshes.json;
    int mesh = fb_glb_begin(&glb->meshes);
    fb_json_pair_text(json, "name", name);
    fb_json_key(json, "primitives");
    fb_json_begin_array(json);
    fb_json_begin_object(json);
    fb_json_key(json, "attributes");
    fb_json_begin_object(json);
    fb_json_pair_integer(json, "POSITION", at);
    fb_json_pair_integer(json, "NORMAL", normal);
    fb_json_pair_integer(json, "JOINTS_0", joints);
    fb_json_pair_integer(json, "WEIGHTS_0", weights);
    fb_json_end_object(json);
    fb_json_pair_integer(json, "indices", corners);
    fb_json_pair_integer(json, "material", material);
    fb_json_end_object(json);
    fb_json_end_array(json);
    fb_json_end_object(json);
    return mesh;
}

static void add_member(FbGltf* g, int index, const int* movers) {
    const FbSceneMember* member = &g->scene->members[index];
    size_t n_vertices = (size_t)member->n * RINGS * AROUND;
    Skin skin = {.bodies = FB_TAKE(g->arena, int, 2 * member->n),
                 .weights = FB_TAKE(g->arena, float, 4 * n_vertices),
                 .joints = FB_TAKE(g->arena, uint16_t, 4 * n_vertices)};
    int* ends = FB_TAKE(g->arena, int, 2 * member->n);
    g->has_failed = g->has_failed || fb_arena_has_failed(g->arena);
    for (int i = 0; !g->has_failed && i < 2 * member->n; i++) {
        ends[i] = joint_of(&skin, g->scene->elements[member->first + i / 2].body[i % 2]);
    }
    double radius = fmax(member->radius > 0.0 ? member->radius : 0.0, 0.7 * g->thickness);
    for (int i = 0; !g->has_failed && i < member->n; i++) {
        add_element(g, &g->scene->elements[member->first + i], radius, &skin, ends + 2 * i, skin.n);
        g->has_failed = g->has_failed || skin.solid.has_failed;
    }
    if (!g->has_failed) {
        int material = fb_gltf_material(g, fb_gltf_color(NULL, index));
        int mesh = add_skin_mesh(g, member->name, &skin, material);
        int bones = add_skin(g, &skin, movers);
        FbJson* json = &g->glb.nodes.json;
        g->skinned[g->n_skinned++] = fb_glb_begin(&g->glb.nodes);
        fb_json_pair_text(json, "name", member->name);
        fb_json_pair_integer(json, "mesh", mesh);
        fb_json_pair_integer(json, "skin", bones);
        fb_json_end_object(json);
    }
    fb_solid_free(&skin.solid);
}

void fb_gltf_add_beams(FbGltf* g) {
    const FbScene* s = g->scene;
    int* movers = FB_TAKE(g->arena, int, s->n_bodies + 1);  // of the ground, of the bodies
    g->has_failed = g->has_failed || !movers;
    for (int i = 0; !g->has_failed && i < 2 * s->n_elements; i++) {
        int body = s->elements[i / 2].body[i % 2];
        if (movers[body + 1] == 0) {
            movers[body + 1] = add_mover(g, body);
        }
    }
    for (int i = 0; !g->has_failed && i < s->n_members; i++) {
        if (s->members[i].n > 0 && s->members[i].n < UINT16_MAX / 4) {
            add_member(g, i, movers);
        }
    }
}
