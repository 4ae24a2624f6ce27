// Reads the motion of a run into arrays and checks that they fit together: the file may come
// from any source.
#include "view/scene.h"

#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "view/scene_numbers.h"

typedef struct Reader {
    FbScene* scene;
    FbArena* arena;
    FbPlace place;
    FbError* err;
} Reader;

static FbStatus misfit(const Reader* r, const char* kind, const char* name, const char* what) {
    return fb_fail(r->err, FB_ERR_SYNTAX, &r->place,
                   "the motion does not fit together: %s '%.80s' %s; run the model again", kind,
                   name, what);
}

static FbStatus check_memory(const Reader* r) {
    return fb_arena_has_failed(r->arena) ? fb_fail_memory(r->err) : FB_OK;
}

static bool is_body(const Reader* r, int body) {
    return body >= -1 && body < r->scene->n_bodies;
}

static FbScenePose pose_from(const double* v) {
    FbScenePose pose = {.p = fb_vec3_from(v), .e = {v[3], v[4], v[5], v[6]}};
    fb_quaternion_normalize(pose.e);
    return pose;
}

static bool are_finite(const double* v, int n) {
    for (int i = 0; i < n; i++) {
        if (!isfinite(v[i])) {
            return false;
        }
    }
    return true;
}

static FbSceneShape read_shape(const FbNode* node) {
    FbSceneShape out = {.type = fb_scene_text(fb_node_get(node, "type")),
                        .size = fb_scene_vector(fb_node_get(node, "size")),
                        .from = fb_scene_vector(fb_node_get(node, "from")),
                        .to = fb_scene_vector(fb_node_get(node, "to")),
                        .at = fb_scene_vector(fb_node_get(node, "at")),
                        .radius = fb_scene_number(fb_node_get(node, "radius")),
                        .inner_radius = fb_scene_number(fb_node_get(node, "inner_radius")),
                        .length = fb_scene_number(fb_node_get(node, "length")),
                        .R = fb_mat3_identity()};
    const FbNode* rotation = fb_node_get(node, "rotation");
    double R[9];
    for (int i = 0; fb_scene_count(rotation) == 9 && i < 9; i++) {
        R[i] = fb_scene_number(rotation->items[i]);
        if (i == 8 && are_finite(R, 9)) {
            out.R = fb_mat3_from(R);
        }
    }
    return out;
}

// Nodes are written by small steps from their place in the drawing.
static void unfold_moves(const Reader* r, FbSceneBody* body, const double* steps,
                         const double scale[2]) {
    FbMat3 drawn = fb_rotation_from_quaternion(body->drawn.e);
    for (int i = 0; i < r->scene->n_frames; i++) {
        const double* v = steps + 6 * (size_t)i;
        FbVec3 turn = fb_scale(scale[1], fb_vec3_from(v + 3));
        FbMat3 R = fb_rotation_from_vector(turn), now = fb_mat3_mul(&R, &drawn);
        body->poses[i].p = fb_axpy(scale[0], fb_vec3_from(v), body->drawn.p);
        fb_quaternion_from_rotation(&now, body->poses[i].e);
    }
}

static FbStatus read_poses(const Reader* r, const FbNode* node, FbSceneBody* body) {
    int n_frames = r->scene->n_frames, n, n_scale, width = body->is_node ? 6 : 7;
    double* values =
        fb_scene_array(fb_node_get(node, body->is_node ? "moves" : "poses"), r->arena, &n);
    double* scale = fb_scene_array(fb_node_get(node, "scale"), r->arena, &n_scale);
    body->poses = FB_TAKE(r->arena, FbScenePose, n_frames);
    FB_TRY(check_memory(r));
    if (n != width * n_frames || !are_finite(values, n) ||
        (body->is_node && (n_scale != 2 || !are_finite(scale, 2)))) {
        return misfit(r, "body", body->name, "lacks a pose in some frame");
    }
    if (body->is_node) {
        unfold_moves(r, body, values, scale);
    }
    for (int i = 0; !body->is_node && i < n_frames; i++) {
        body->poses[i] = pose_from(values + 7 * (size_t)i);
    }
    return FB_OK;
}

static FbStatus read_body(const Reader* r, const FbNode* node, FbSceneBody* out) {
    const char* role = fb_scene_text(fb_node_get(node, "role"));
    const char* color = fb_scene_text(fb_node_get(node, "color"));
    const FbNode *shapes = fb_node_get(node, "shapes"), *links = fb_node_get(node, "links");
    int n;
    const double* drawn = fb_scene_array(fb_node_get(node, "drawn"), r->arena, &n);
    bool is_drawn = n == 7 && are_finite(drawn, 7);
    *out = (FbSceneBody){.name = fb_scene_text(fb_node_get(node, "name")),
                         .color = strlen(color) == 7 && color[0] == '#' ? color : NULL,
                         .is_node = strcmp(role, "node") == 0 && is_drawn,
                         .is_carriage = strcmp(role, "carriage") == 0,
                         .drawn = {.e = {1.0, 0.0, 0.0, 0.0}},
                         .n_shapes = fb_scene_count(shapes),
                         .n_links = fb_scene_count(links)};
    out->shapes = FB_TAKE(r->arena, FbSceneShape, out->n_shapes + 1);
    out->links = FB_TAKE(r->arena, FbVec3, out->n_links + 1);
    FB_TRY(check_memory(r));
    for (int i = 0; i < out->n_shapes; i++) {
        out->shapes[i] = read_shape(shapes->items[i]);
    }
    for (int i = 0; i < out->n_links; i++) {
        out->links[i] = fb_scene_vector(links->items[i]);
    }
    out->drawn = is_drawn ? pose_from(drawn) : out->drawn;
    return read_poses(r, node, out);
}

static FbStatus read_pairs(const Reader* r, const FbNode* list, const char* kind,
                           FbScenePairs* out) {
    out->n = fb_scene_count(list);
    out->items = FB_TAKE(r->arena, FbScenePair, out->n + 1);
    FB_TRY(check_memory(r));
    for (int i = 0; i < out->n; i++) {
        const FbNode* node = list->items[i];
        FbScenePair* pair = &out->items[i];
        *pair = (FbScenePair){.name = fb_scene_text(fb_node_get(node, "name")),
                              .type = fb_scene_text(fb_node_get(node, "type")),
                              .body_a = fb_scene_integer(fb_node_get(node, "body_a"), -2),
                              .body_b = fb_scene_integer(fb_node_get(node, "body_b"), -2),
                              .at_a = fb_scene_vector(fb_node_get(node, "at_a")),
                              .at_b = fb_scene_vector(fb_node_get(node, "at_b")),
                              .axis_a = fb_scene_vector(fb_node_get(node, "axis_a"))};
        if (!is_body(r, pair->body_a) || !is_body(r, pair->body_b)) {
            return misfit(r, kind, pair->name, "is attached to a body that does not exist");
        }
    }
    return FB_OK;
}

static FbStatus read_members(const Reader* r, const FbNode* list) {
    FbScene* s = r->scene;
    s->n_members = fb_scene_count(list);
    s->members = FB_TAKE(r->arena, FbSceneMember, s->n_members + 1);
    FB_TRY(check_memory(r));
    for (int i = 0; i < s->n_members; i++) {
        const FbNode* node = list->items[i];
        s->members[i] = (FbSceneMember){.name = fb_scene_text(fb_node_get(node, "name")),
                                        .radius = fb_scene_number(fb_node_get(node, "radius")),
                                        .first = s->n_elements,
                                        .n = fb_scene_count(fb_node_get(node, "nodes")) / 2};
        s->n_elements += s->members[i].n;
    }
    s->elements = FB_TAKE(r->arena, FbSceneElement, s->n_elements + 1);
    FB_TRY(check_memory(r));
    for (int i = 0; i < s->n_members; i++) {
        const FbNode* nodes = fb_node_get(list->items[i], "nodes");
        for (int k = 0; k < 2 * s->members[i].n; k++) {
            FbSceneElement* e = &s->elements[s->members[i].first + k / 2];
            e->member = i;
            e->body[k % 2] = fb_scene_integer(nodes->items[k], -2);
            if (!is_body(r, e->body[k % 2])) {
                return misfit(r, "member", s->members[i].name, "has an end that does not exist");
            }
        }
    }
    return FB_OK;
}

static FbStatus read_through(const Reader* r, const FbNode* node, FbSceneSlider* out) {
    const FbNode* bodies = fb_node_get(node, "bodies");
    const FbNode* tangents = fb_node_get(node, "tangents");
    int n = fb_scene_count(bodies), n_row;
    out->n_knots = n;
    out->bodies = FB_TAKE(r->arena, int, n + 1);
    out->knots = fb_scene_array(fb_node_get(node, "knots"), r->arena, &n_row);
    out->tangents = FB_TAKE(r->arena, double, (size_t)n*(size_t)n + 1);
    FB_TRY(check_memory(r));
    if (n < 2 || n_row != n || !are_finite(out->knots, n) || fb_scene_count(tangents) != n) {
        return misfit(r, "slider", out->name, "has a guide with missing points");
    }
    for (int i = 0; i < n; i++) {
        const double* row = fb_scene_array(tangents->items[i], r->arena, &n_row);
        out->bodies[i] = fb_scene_integer(bodies->items[i], -2);
        FB_TRY(check_memory(r));
        if (n_row != n || !are_finite(row, n) || !is_body(r, out->bodies[i])) {
            return misfit(r, "slider", out->name, "has a guide with missing points");
        }
        memcpy(out->tangents + (size_t)i * (size_t)n, row, sizeof(double) * (size_t)n);
    }
    return FB_OK;
}

static FbStatus read_guide(const Reader* r, const FbNode* node, FbSceneSlider* out) {
    const FbNode *pieces = fb_node_get(node, "pieces"), *curve = fb_node_get(node, "curve");
    const FbNode* through = fb_node_get(node, "through");
    if (through) {
        return read_through(r, through, out);
    }
    out->n_pieces = fb_scene_count(pieces);
    out->n_curve = fb_scene_count(curve);
    out->pieces = FB_TAKE(r->arena, int, out->n_pieces + 1);
    out->curve = FB_TAKE(r->arena, FbVec3, out->n_curve + 1);
    FB_TRY(check_memory(r));
    bool is_good = is_body(r, out->body) && (out->n_pieces > 0 || out->n_curve >= 2);
    for (int i = 0; is_good && i < out->n_pieces; i++) {
        out->pieces[i] = fb_scene_integer(pieces->items[i], -1 - r->scene->n_elements);
        is_good =
            out->pieces[i] < r->scene->n_elements && -1 - out->pieces[i] < r->scene->n_elements;
    }
    for (int i = 0; is_good && i < out->n_curve; i++) {
        out->curve[i] = fb_scene_vector(curve->items[i]);
    }
    return is_good ? FB_OK : misfit(r, "slider", out->name, "has a guide that does not exist");
}

static FbStatus read_sliders(const Reader* r, const FbNode* list) {
    FbScene* s = r->scene;
    s->n_sliders = fb_scene_count(list);
    s->sliders = FB_TAKE(r->arena, FbSceneSlider, s->n_sliders + 1);
    FB_TRY(check_memory(r));
    for (int i = 0; i < s->n_sliders; i++) {
        const FbNode* node = list->items[i];
        FbSceneSlider* out = &s->sliders[i];
        int n;
        *out = (FbSceneSlider){.name = fb_scene_text(fb_node_get(node, "name")),
                               .length = fb_scene_number(fb_node_get(node, "length")),
                               .body = fb_scene_integer(fb_node_get(node, "body"), -1),
                               .s = fb_scene_array(fb_node_get(node, "s"), r->arena, &n)};
        FB_TRY(check_memory(r));
        if (n != s->n_frames || !are_finite(out->s, n) || !(out->length > 0.0)) {
            return misfit(r, "slider", out->name, "lacks a position in some frame");
        }
        FB_TRY(read_guide(r, node, out));
    }
    return FB_OK;
}

static FbStatus read_mesh(const Reader* r, const FbNode* node, FbSceneMesh* out) {
    int n_points, n_triangles, n_shapes, n_amplitudes;
    FbVec3 origin = fb_scene_vector(fb_node_get(node, "origin"));
    out->name = fb_scene_text(fb_node_get(node, "name"));
    out->n_shapes = fb_scene_integer(fb_node_get(node, "n_shapes"), 0);
    out->points = fb_scene_array(fb_node_get(node, "points"), r->arena, &n_points);
    double* corners = fb_scene_array(fb_node_get(node, "triangles"), r->arena, &n_triangles);
    out->shapes = fb_scene_array(fb_node_get(node, "shapes"), r->arena, &n_shapes);
    out->amplitudes = fb_scene_array(fb_node_get(node, "amplitudes"), r->arena, &n_amplitudes);
    out->triangles = FB_TAKE(r->arena, int, n_triangles + 1);
    FB_TRY(check_memory(r));
    out->n_points = n_points / 3;
    out->n_triangles = n_triangles / 3;
    if (n_points % 3 || n_triangles % 3 || n_shapes != n_points * (long)out->n_shapes ||
        n_amplitudes != (long)out->n_shapes * r->scene->n_frames ||
        !are_finite(out->points, n_points) || !are_finite(out->shapes, n_shapes) ||
        !are_finite(out->amplitudes, n_amplitudes)) {
        return misfit(r, "mesh", out->name, "has points without a motion");
    }
    double shift[3];
    fb_vec3_to(origin, shift);
    for (int i = 0; i < n_points; i++) {
        out->points[i] += shift[i % 3];
    }
    for (int i = 0; i < n_triangles; i++) {
        if (!(corners[i] >= 0.0 && corners[i] < out->n_points)) {
            return misfit(r, "mesh", out->name, "has a triangle without its points");
        }
        out->triangles[i] = (int)corners[i];
    }
    return FB_OK;
}

static FbStatus read_frames(const Reader* r, const FbNode* document) {
    FbScene* s = r->scene;
    s->times = fb_scene_array(fb_node_get(document, "frames"), r->arena, &s->n_frames);
    FB_TRY(check_memory(r));
    if (s->n_frames < 1) {
        return fb_fail(r->err, FB_ERR_MODEL, &r->place,
                       "there is no motion to show: it has no frames");
    }
    for (int i = 0; i < s->n_frames; i++) {
        if (!isfinite(s->times[i]) || (i > 0 && !(s->times[i] >= s->times[i - 1]))) {
            return misfit(r, "frame", "frames", "goes back in time");
        }
    }
    s->gravity = fb_scene_vector(fb_node_get(document, "gravity"));
    s->length = fb_scene_number(fb_node_get(document, "length"));
    s->length = s->length > 0.0 && isfinite(s->length) ? s->length : 1.0;
    return FB_OK;
}

static FbStatus read_parts(const Reader* r, const FbNode* document) {
    FbScene* s = r->scene;
    const FbNode *bodies = fb_node_get(document, "bodies"),
                 *meshes = fb_node_get(document, "meshes");
    s->n_bodies = fb_scene_count(bodies);
    s->n_meshes = fb_scene_count(meshes);
    s->bodies = FB_TAKE(r->arena, FbSceneBody, s->n_bodies + 1);
    s->meshes = FB_TAKE(r->arena, FbSceneMesh, s->n_meshes + 1);
    FB_TRY(check_memory(r));
    for (int i = 0; i < s->n_bodies; i++) {
        FB_TRY(read_body(r, bodies->items[i], &s->bodies[i]));
    }
    FB_TRY(read_pairs(r, fb_node_get(document, "joints"), "joint", &s->joints));
    FB_TRY(read_pairs(r, fb_node_get(document, "springs"), "spring", &s->springs));
    FB_TRY(read_pairs(r, fb_node_get(document, "bushings"), "bushing", &s->bushings));
    FB_TRY(read_pairs(r, fb_node_get(document, "rods"), "rod", &s->rods));
    FB_TRY(read_members(r, fb_node_get(document, "members")));
    FB_TRY(read_sliders(r, fb_node_get(document, "sliders")));
    for (int i = 0; i < s->n_meshes; i++) {
        FB_TRY(read_mesh(r, meshes->items[i], &s->meshes[i]));
    }
    return FB_OK;
}

FbStatus fb_scene_read(const char* text, size_t size, const char* file, FbArena* arena,
                       FbScene* out, FbError* err) {
    *out = (FbScene){0};
    Reader r = {.scene = out, .arena = arena, .place = {.file = file}, .err = err};
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    if (!diagnostics) {
        return fb_fail_memory(err);
    }
    const FbNode* document = fb_yaml_parse(text, size, file, arena, diagnostics);
    bool is_good = document && fb_diagnostics_error_count(diagnostics) == 0;
    fb_diagnostics_destroy(diagnostics);
    FB_TRY(check_memory(&r));
    if (!is_good) {
        return fb_fail(err, FB_ERR_SYNTAX, &r.place, "not a motion; run the model again");
    }
    FB_TRY(read_frames(&r, document));
    return read_parts(&r, document);
}
