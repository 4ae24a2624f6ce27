// Orientations and attachment points as they are written in a model file, moved with the instance
// that contains them.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "read/field.h"
#include "read/reader.h"

// A quaternion or axis is normalised; this far from unit length a quaternion is taken for a
// mistake.
static const double QUATERNION_LIMIT = 1e-3;

static const FbNode* need(FbReader* r, const FbNode* map, const char* key) {
    const FbNode* node = fb_node_get(map, key);
    if (!node) {
        fb_report(r, FB_ERR_NAME, map->line, map->col, "'%s' is missing here", key);
    }
    return node;
}

static bool read_axis_angle(FbReader* r, const FbNode* map, FbMat3* out) {
    double axis[3], angle;
    const FbNode *a = need(r, map, "axis"), *b = need(r, map, "angle");
    if (!a || !b || !fb_read_numbers(r, a, "axis", "1", 3, axis) ||
        !fb_read_number(r, b, "angle", "rad", &angle)) {
        return false;
    }
    double length = fb_norm(fb_vec3_from(axis));
    if (!(length > 0.0)) {
        fb_report(r, FB_ERR_RANGE, a->line, a->col, "the axis of the rotation has no length");
        return false;
    }
    *out = fb_rotation_from_vector(fb_scale(angle / length, fb_vec3_from(axis)));
    return true;
}

// Turn about z by the first angle, then about the new y by the second, then about the new x by the
// third.
static bool read_zyx(FbReader* r, const FbNode* map, FbMat3* out) {
    double angles[3];
    if (!fb_read_numbers(r, fb_node_get(map, "zyx"), "zyx", "rad", 3, angles)) {
        return false;
    }
    FbMat3 z = fb_rotation_about(2, angles[0]), y = fb_rotation_about(1, angles[1]);
    FbMat3 x = fb_rotation_about(0, angles[2]), zy = fb_mat3_mul(&z, &y);
    *out = fb_mat3_mul(&zy, &x);
    return true;
}

static bool read_quaternion(FbReader* r, const FbNode* map, FbMat3* out) {
    double e[4], sum = 0.0;
    const FbNode* node = fb_node_get(map, "quaternion");
    if (!fb_read_numbers(r, node, "quaternion", "1", 4, e)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        sum += e[i] * e[i];
    }
    if (!(fabs(sqrt(sum) - 1.0) <= QUATERNION_LIMIT)) {
        fb_report(r, FB_ERR_RANGE, node->line, node->col,
                  "the quaternion (w, x, y, z) has the length %g; it must be 1", sqrt(sum));
        return false;
    }
    fb_quaternion_normalize(e);
    *out = fb_rotation_from_quaternion(e);
    return true;
}

// The rotation with a given z axis and, if not NULL, an x axis.
static bool read_axes(FbReader* r, const FbNode* z, const FbNode* x, double out[9]) {
    double axis[3], hint[3] = {NAN, NAN, NAN};
    if (!fb_read_numbers(r, z, "z", "1", 3, axis) ||
        (x && !fb_read_numbers(r, x, "x", "1", 3, hint))) {
        return false;
    }
    FbVec3 a = fb_vec3_from(axis), b = fb_vec3_from(hint);
    FbMat3 m;
    if (!fb_rotation_from_axes(a, b, &m)) {
        fb_report(r, FB_ERR_RANGE, z->line, z->col, "this axis has no length");
        return false;
    }
    if (x && !(fb_norm(fb_cross(a, b)) > 1e-9 * fb_norm(a) * fb_norm(b))) {
        fb_report(r, FB_ERR_RANGE, x->line, x->col,
                  "the x axis is zero or parallel to the z axis; it must point elsewhere");
        return false;
    }
    memcpy(out, m.m, sizeof m.m);
    return true;
}

bool fb_read_rotation(FbReader* r, const FbNode* node, double out[9]) {
    static const char* const keys[] = {"axis", "angle", "zyx", "z", "x", "quaternion", NULL};
    if (!fb_check_keys(r, node, "orientation", keys)) {
        return false;
    }
    bool has_axis = fb_node_get(node, "axis") || fb_node_get(node, "angle");
    bool has_z = fb_node_get(node, "z") || fb_node_get(node, "x");
    const FbNode *zyx = fb_node_get(node, "zyx"), *quaternion = fb_node_get(node, "quaternion");
    if (has_axis + has_z + !!zyx + !!quaternion != 1) {
        fb_report(r, FB_ERR_MODEL, node->line, node->col,
                  "an orientation is written in one of the ways {axis: [..], angle: ..}, {zyx: "
                  "[..]}, {z: [..], x: [..]} or {quaternion: [w, x, y, z]}");
        return false;
    }
    if (has_z) {
        const FbNode* z = need(r, node, "z");
        return z && read_axes(r, z, fb_node_get(node, "x"), out);
    }
    FbMat3 m;
    bool is_good = has_axis ? read_axis_angle(r, node, &m)
                   : zyx    ? read_zyx(r, node, &m)
                            : read_quaternion(r, node, &m);
    if (is_good) {
        memcpy(out, m.m, sizeof m.m);
    }
    return is_good;
}

void fb_move_point(const FbReader* r, double point[3]) {
    if (r->env.scope) {
        fb_vec3_to(fb_add(r->env.p, fb_mul3(&r->env.R, fb_vec3_from(point))), point);
    }
}

void fb_move_direction(const FbReader* r, double direction[3]) {
    if (r->env.scope) {
        fb_vec3_to(fb_mul3(&r->env.R, fb_vec3_from(direction)), direction);
    }
}

void fb_move_rotation(const FbReader* r, double rotation[9]) {
    if (r->env.scope) {
        FbMat3 own = fb_mat3_from(rotation), moved = fb_mat3_mul(&r->env.R, &own);
        memcpy(rotation, moved.m, sizeof moved.m);
    }
}

// Coordinates of the drawing (also those on the ground) move with the instance; coordinates in a
// body do not.
static bool is_in_drawing(const FbPointDef* point) {
    return point->is_global || (point->body && strcmp(point->body, "ground") == 0);
}

static bool read_coordinates(FbReader* r, const FbNode* map, FbPointDef* out) {
    const FbNode *at = fb_node_get(map, "at"), *global = fb_node_get(map, "global");
    const FbNode* point = fb_node_get(map, "point");
    if (!!at + !!global + !!point > 1) {
        fb_report(
            r, FB_ERR_MODEL, map->line, map->col,
            "give one of 'at' (in the body), 'global' (in the drawing) and 'point' (by name)");
        return false;
    }
    out->is_global = global != NULL;
    if (point) {
        return fb_read_text(r, point, "point", &out->point);
    }
    const FbNode* node = global ? global : at;
    return !node || fb_read_numbers(r, node, global ? "global" : "at", "m", 3, out->at);
}

// A plain text is "body" or "body.point"; which one is known once all bodies are
// (fb_check_references).
static bool read_point_map(FbReader* r, const FbNode* node, FbPointDef* out) {
    *out = (FbPointDef){0};
    if (node->kind == FB_NODE_SCALAR) {
        return fb_read_text(r, node, "body.point", &out->body);
    }
    const FbNode* body = need(r, node, "body");
    bool is_good = body && fb_read_text(r, body, "body", &out->body);
    return read_coordinates(r, node, out) && is_good;
}

bool fb_read_point(FbReader* r, const FbField* field, const FbNode* node, FbPointDef* out) {
    static const char* const keys[] = {"body", "at", "global", "point", NULL};
    if (node->kind != FB_NODE_SCALAR && !fb_check_keys(r, node, field->key, keys)) {
        return false;
    }
    if (!read_point_map(r, node, out)) {
        return false;
    }
    if (is_in_drawing(out)) {
        fb_move_point(r, out->at);
    }
    return true;
}

static bool read_frame_axes(FbReader* r, const FbNode* map, double out[9]) {
    const FbNode *z = fb_node_get(map, "z"), *x = fb_node_get(map, "x");
    const FbNode *axis = fb_node_get(map, "axis"), *x_axis = fb_node_get(map, "x_axis");
    const FbNode* orientation = fb_node_get(map, "orientation");
    if ((z && axis) || (x && x_axis) || (orientation && (z || x || axis || x_axis))) {
        fb_report(r, FB_ERR_MODEL, map->line, map->col,
                  "the axes are given twice; give either 'z' (and 'x') or 'orientation'");
        return false;
    }
    z = z ? z : axis;
    x = x ? x : x_axis;
    if (x && !z) {
        fb_report(r, FB_ERR_MODEL, x->line, x->col, "an x axis needs a z axis; give 'z' too");
        return false;
    }
    return orientation ? fb_read_rotation(r, orientation, out) : !z || read_axes(r, z, x, out);
}

bool fb_read_frame(FbReader* r, const FbField* field, const FbNode* node, FbFrameDef* out) {
    static const char* const keys[] = {"body", "at",   "global", "point",       "z",
                                       "x",    "axis", "x_axis", "orientation", NULL};
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(out->rotation, identity, sizeof identity);
    if (node->kind != FB_NODE_SCALAR && !fb_check_keys(r, node, field->key, keys)) {
        return false;
    }
    bool is_good = read_point_map(r, node, &out->origin);
    is_good &= node->kind == FB_NODE_SCALAR || read_frame_axes(r, node, out->rotation);
    if (is_good && is_in_drawing(&out->origin)) {
        fb_move_point(r, out->origin.at);
        fb_move_rotation(r, out->rotation);
    }
    return is_good;
}
