// Bodies, joints, springs, rods and sliders as nodes of a glTF file.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "view/gltf.h"

enum { PIN = 0xdfe3e8, GROUND = 0x5b6570, STRIPE = 0xf4f4f4, STEEL = 0x9aa7b5, RUBBER = 0x4a525c };

// What a body carries: its own shapes, marks on them, and the joints that it holds.
typedef struct Carried {
    FbSolid own, marks, pins, rubber;
} Carried;

static void free_carried(Carried* c) {
    fb_solid_free(&c->own);
    fb_solid_free(&c->marks);
    fb_solid_free(&c->pins);
    fb_solid_free(&c->rubber);
}

// A cylinder says nothing about its turning; a stripe on its rim does.
static void add_stripe(FbSolid* marks, const FbSceneShape* shape, double inner) {
    if (!(shape->radius > 0.4 * shape->length)) {
        return;
    }
    double from = inner > 0.0 ? inner : 0.25 * shape->radius, depth = shape->radius - from;
    FbVec3 out = fb_vec3(from + 0.5 * depth, 0.0, 0.0);
    FbSolidFrame f = {.R = shape->R, .p = fb_add(shape->at, fb_mul3(&shape->R, out))};
    fb_solid_add_box(marks, &f, fb_vec3(0.96 * depth, 0.06 * shape->radius, 1.02 * shape->length));
}

// true: it has an extent, so that no stick figure is needed.
static bool add_shape(const FbGltf* g, const FbSceneShape* shape, Carried* out) {
    FbSolidFrame f = {.R = shape->R, .p = shape->at};
    bool is_round = strcmp(shape->type, "cylinder") == 0 || strcmp(shape->type, "tube") == 0;
    if (strcmp(shape->type, "rod") == 0) {
        fb_solid_add_bar(&out->own, shape->from, shape->to, g->thickness);
    } else if (strcmp(shape->type, "point") == 0) {
        fb_solid_add_ball(&out->own, shape->at, 2.8 * g->thickness);
        return false;
    } else if (strcmp(shape->type, "box") == 0) {
        fb_solid_add_box(&out->own, &f, shape->size);
    } else if (strcmp(shape->type, "sphere") == 0 && shape->radius > 0.0) {
        fb_solid_add_ball(&out->own, shape->at, shape->radius);
    } else if (is_round && shape->radius > 0.0 && shape->length > 0.0) {
        bool is_tube = strcmp(shape->type, "tube") == 0 && shape->inner_radius > 0.0;
        double inner = is_tube ? shape->inner_radius : 0.0;
        fb_solid_add_cylinder(&out->own, &f, shape->radius, inner, shape->length);
        add_stripe(&out->marks, shape, inner);
    } else {
        return false;
    }
    return true;
}

static void add_sticks(const FbGltf* g, const FbSceneBody* body, FbSolid* out) {
    int n = body->n_links;
    if (n == 1 && fb_norm(body->links[0]) > 0.0) {
        fb_solid_add_bar(out, body->links[0], fb_vec3(0.0, 0.0, 0.0), g->thickness);
    }
    for (int i = 1; i < n; i++) {
        fb_solid_add_bar(out, body->links[i - 1], body->links[i], g->thickness);
    }
    if (n > 2) {
        fb_solid_add_bar(out, body->links[n - 1], body->links[0], g->thickness);
    }
    if (out->n_vertices == 0) {
        FbSolidFrame f = {.R = fb_mat3_identity()};
        double side = 5.0 * g->thickness;
        fb_solid_add_box(out, &f, fb_vec3(side, side, side));
    }
}

static bool is_one_of(const char* type, const char* const* names, int n) {
    for (int i = 0; i < n; i++) {
        if (strcmp(type, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

// A pin along the axis, a block or a ball; nothing for joints that show no place of their own.
static void add_joint(const FbGltf* g, const FbScenePair* joint, FbSolid* out) {
    static const char* const hidden[] = {"fixed", "weld", "free"};
    static const char* const round[] = {"revolute", "cylindrical", "screw"};
    double r = 1.3 * g->thickness;
    bool is_inner = joint->body_b >= 0 && (g->scene->bodies[joint->body_b].is_carriage ||
                                           g->scene->bodies[joint->body_b].is_node);
    if (is_inner || is_one_of(joint->type, hidden, 3)) {
        return;
    }
    FbSolidFrame f = fb_solid_frame(joint->at_a, joint->axis_a);
    if (is_one_of(joint->type, round, 3)) {
        fb_solid_add_cylinder(out, &f, r, 0.0, 3.4 * r);
    } else if (strcmp(joint->type, "prismatic") == 0) {
        fb_solid_add_box(out, &f, fb_vec3(2.2 * r, 2.2 * r, 2.8 * r));
    } else {
        fb_solid_add_ball(out, joint->at_a, 1.15 * r);
    }
}

// Nodes of structures that are held by the ground.
static void add_support(const FbGltf* g, const FbScenePair* joint, FbSolid* out) {
    FbVec3 down = g->scene->gravity;
    double r = 2.0 * g->thickness;
    if (fb_norm(down) == 0.0) {
        down = fb_vec3(0.0, 0.0, -1.0);
    }
    down = fb_scale(4.0 * r / fb_norm(down), down);
    if (strcmp(joint->type, "fixed") == 0) {
        FbSolidFrame f = fb_solid_frame(joint->at_a, down);
        fb_solid_add_box(out, &f, fb_vec3(5.0 * r, 5.0 * r, 1.2 * r));
    } else if (strcmp(joint->type, "free") != 0) {
        FbSolidFrame f = fb_solid_frame(fb_add(joint->at_a, down), fb_scale(-1.0, down));
        fb_solid_add_cone(out, &f, 2.4 * r, 4.0 * r);
    }
}

static void add_rails(const FbGltf* g, int body, FbSolid* out) {
    for (int i = 0; i < g->scene->n_sliders; i++) {
        const FbSceneSlider* slider = &g->scene->sliders[i];
        for (int k = 1; slider->body == body && k < slider->n_curve; k++) {
            FbVec3 along = fb_sub(slider->curve[k], slider->curve[k - 1]);
            FbSolidFrame f = fb_solid_frame(fb_axpy(0.5, along, slider->curve[k - 1]), along);
            fb_solid_add_cylinder(out, &f, 0.45 * g->thickness, 0.0, fb_norm(along));
        }
    }
}

static void add_held(const FbGltf* g, int body, Carried* out) {
    const FbScene* s = g->scene;
    for (int i = 0; i < s->joints.n; i++) {
        const FbScenePair* joint = &s->joints.items[i];
        bool is_support = body < 0 && joint->body_b >= 0 && s->bodies[joint->body_b].is_node;
        if (joint->body_a == body && is_support) {
            add_support(g, joint, &out->pins);
        } else if (joint->body_a == body) {
            add_joint(g, joint, &out->pins);
        }
    }
    for (int i = 0; i < s->bushings.n; i++) {
        const FbScenePair* bushing = &s->bushings.items[i];
        if (bushing->body_a == body) {
            FbSolidFrame f = fb_solid_frame(bushing->at_a, bushing->axis_a);
            fb_solid_add_cylinder(&out->rubber, &f, 2.3 * g->thickness, 0.0, 2.6 * g->thickness);
        }
    }
    add_rails(g, body, &out->pins);
}

static int add_carried_mesh(FbGltf* g, const char* name, const Carried* c, uint32_t color,
                            bool is_ground) {
    const FbGltfPart parts[] = {{&c->own, color},
                                {&c->marks, STRIPE},
                                {&c->pins, is_ground ? GROUND : PIN},
                                {&c->rubber, RUBBER}};
    return fb_gltf_add_mesh(g, name, parts, 4);
}

static void add_body(FbGltf* g, int b) {
    const FbSceneBody* body = &g->scene->bodies[b];
    Carried carried = {0};
    bool is_extended = false;
    for (int i = 0; i < body->n_shapes; i++) {
        is_extended = add_shape(g, &body->shapes[i], &carried) || is_extended;
    }
    if (!is_extended && !body->is_node) {
        add_sticks(g, body, &carried.own);
    }
    add_held(g, b, &carried);
    int mesh = add_carried_mesh(g, body->name, &carried, fb_gltf_color(body->color, b), false);
    free_carried(&carried);
    if (mesh < 0 && !g->is_end[b]) {
        return;
    }
    FbGltfTrack track = fb_gltf_take_track(g, false);
    if (g->has_failed) {
        return;
    }
    for (int i = 0; i < g->n_keys; i++) {
        const FbScenePose* pose = &body->poses[g->frames[i]];
        fb_gltf_set_pose(&track, i, pose->p, pose->e);
    }
    g->node_of[b] = fb_gltf_add_node(g, body->name, mesh, &track);
}

FbStatus fb_gltf_add_bodies(FbGltf* g, FbError* err) {
    Carried ground = {0};
    add_held(g, -1, &ground);
    int mesh = add_carried_mesh(g, "ground", &ground, GROUND, true);
    free_carried(&ground);
    if (mesh >= 0 || g->is_end[g->scene->n_bodies]) {
        g->ground = fb_gltf_add_node(g, "ground", mesh, NULL);
    }
    for (int b = 0; !g->has_failed && b < g->scene->n_bodies; b++) {
        g->node_of[b] = -1;
        if (!g->scene->bodies[b].is_carriage) {
            add_body(g, b);
        }
    }
    return g->has_failed ? fb_fail_memory(err) : FB_OK;
}

// A node between two points that is stretched along its z axis.
static void add_link(FbGltf* g, const FbScenePair* pair, int mesh) {
    FbGltfTrack track = fb_gltf_take_track(g, true);
    FbVec3 hint = fb_vec3(NAN, NAN, NAN);
    FbMat3 R = fb_mat3_identity();
    for (int i = 0; !g->has_failed && i < g->n_keys; i++) {
        FbVec3 from = fb_scene_point(g->scene, pair->body_a, g->frames[i], pair->at_a);
        FbVec3 to = fb_scene_point(g->scene, pair->body_b, g->frames[i], pair->at_b);
        double e[4];
        if (fb_rotation_from_axes(fb_sub(to, from), hint, &R)) {
            hint = fb_mat3_col(&R, 0);  // so that it does not spin about its own axis
        }
        fb_quaternion_from_rotation(&R, e);
        fb_gltf_set_pose(&track, i, from, e);
        float* scale = track.scales + 3 * (size_t)i;
        scale[0] = scale[1] = 1.0F;
        scale[2] = (float)fmax(fb_norm(fb_sub(to, from)), 1e-6 * g->scene->length);
    }
    fb_gltf_add_node(g, pair->name, mesh, &track);
}

void fb_gltf_add_links(FbGltf* g) {
    const FbScenePairs* const lists[] = {&g->scene->springs, &g->scene->rods};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; !g->has_failed && i < lists[k]->n; i++) {
            const FbScenePair* pair = &lists[k]->items[i];
            double length = fb_norm(fb_sub(fb_scene_point(g->scene, pair->body_a, 0, pair->at_a),
                                           fb_scene_point(g->scene, pair->body_b, 0, pair->at_b)));
            length = length > 0.0 ? length : g->scene->length;
            double radius = fmin(2.4 * g->thickness, 0.16 * length);
            FbSolid solid = {0};
            FbSolidFrame f = {.R = fb_mat3_identity(), .p = fb_vec3(0.0, 0.0, 0.5)};
            if (k == 0) {
                fb_solid_add_coil(&solid, radius, 0.19 * radius, length);
            } else {
                fb_solid_add_cylinder(&solid, &f, 0.5 * g->thickness, 0.0, 1.0);
            }
            const FbGltfPart part = {&solid, STEEL};
            int mesh = fb_gltf_add_mesh(g, pair->name, &part, 1);
            fb_solid_free(&solid);
            add_link(g, pair, mesh);
        }
    }
}

static void add_slider(FbGltf* g, int index) {
    const FbSceneSlider* slider = &g->scene->sliders[index];
    double radius = g->thickness;
    if (slider->n_pieces > 0) {
        int piece = slider->pieces[0] < 0 ? -1 - slider->pieces[0] : slider->pieces[0];
        double known = g->scene->members[g->scene->elements[piece].member].radius;
        radius = known > 0.0 ? fmax(known, radius) : radius;
    }
    double side = 2.0 * radius + 2.4 * g->thickness;
    FbSolid solid = {0};
    FbSolidFrame f = {.R = fb_mat3_identity()};
    fb_solid_add_box(&solid, &f, fb_vec3(side, side, 1.3 * side));
    const FbGltfPart part = {&solid, fb_gltf_color(NULL, index + 5)};
    int mesh = fb_gltf_add_mesh(g, slider->name, &part, 1);
    fb_solid_free(&solid);
    FbGltfTrack track = fb_gltf_take_track(g, false);
    FbVec3 hint = fb_vec3(NAN, NAN, NAN);
    FbMat3 R = fb_mat3_identity();
    for (int i = 0; !g->has_failed && i < g->n_keys; i++) {
        FbVec3 along = fb_vec3(1.0, 0.0, 0.0);
        FbVec3 at = fb_scene_slide(g->scene, slider, g->frames[i], &along);
        double e[4];
        if (fb_rotation_from_axes(along, hint, &R)) {
            hint = fb_mat3_col(&R, 0);
        }
        fb_quaternion_from_rotation(&R, e);
        fb_gltf_set_pose(&track, i, at, e);
    }
    if (!g->has_failed) {
        fb_gltf_add_node(g, slider->name, mesh, &track);
    }
}

void fb_gltf_add_sliders(FbGltf* g) {
    for (int i = 0; !g->has_failed && i < g->scene->n_sliders; i++) {
        add_slider(g, i);
    }
}
