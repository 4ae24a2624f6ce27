// What the viewer draws: bodies with shapes, points and poses, joints, springs, bushings and rods.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "model/model.h"
#include "record/json_pair.h"
#include "view/drawing.h"

// More frames than this are not needed on a screen, and more pose numbers make a file slow to open.
enum { MAX_FRAMES = 5000, MIN_FRAMES = 100, MAX_POSE_VALUES = 2000000 };

// A node takes 12 bytes, and the stresses of an element 4: as much as four numbers.
static int count_frames(const FbReportSource* r) {
    int n_values = 1;
    for (int b = 0; b < r->model->n_bodies; b++) {
        FbDrawnRole role = r->model->drawing.bodies[b].role;
        n_values += role == FB_DRAWN_NODE ? 4 : role == FB_DRAWN_ROW ? 0 : 7;
    }
    int most = MAX_POSE_VALUES / n_values;
    most = most > MAX_FRAMES ? MAX_FRAMES : most < MIN_FRAMES ? MIN_FRAMES : most;
    return r->n_rows < most ? r->n_rows : most;
}

int fb_drawing_row_of_frame(const FbReportSource* r, int frame) {
    int n = r->n_frames;
    return n > 1 ? (int)((long long)frame * (r->n_rows - 1) / (n - 1)) : 0;
}

int fb_drawing_number(const FbModel* m, int body) {
    return body >= 0 ? m->drawing.number[body] : body;
}

static double get_frame_time(const void* self, int i) {
    const FbReportSource* r = self;
    return r->get_time(r->self, fb_drawing_row_of_frame(r, i));
}

typedef struct BodyPoses {
    const FbReportSource* source;
    int body;
    int frame;  // that `pose` holds, -1: none
    double pose[7];
} BodyPoses;

static double get_pose_value(const void* self, int i) {
    BodyPoses* p = (BodyPoses*)self;  // a cache of the last pose, which seven calls ask for
    if (p->frame != i / 7) {
        p->frame = i / 7;
        p->source->get_pose(p->source->self, fb_drawing_row_of_frame(p->source, p->frame), p->body,
                            p->pose);
    }
    return p->pose[i % 7];
}

// "#rrggbb" or nothing.
static const char* check_color(const char* color) {
    bool is_good = color != NULL && strlen(color) == 7 && color[0] == '#';
    for (int i = 1; is_good && i < 7; i++) {
        is_good = isxdigit((unsigned char)color[i]) != 0;
    }
    return is_good ? color : NULL;
}

static void write_shape(FbStream* s, const FbShapeDef* shape) {
    fb_json_begin_object(&s->json);
    fb_json_pair_text(&s->json, "type", shape->type);
    if (strcmp(shape->type, "box") == 0) {
        fb_stream_vector(s, "size", shape->size, 3);
    } else if (strcmp(shape->type, "rod") == 0) {
        fb_stream_vector(s, "from", shape->from, 3);
        fb_stream_vector(s, "to", shape->to, 3);
    } else if (strcmp(shape->type, "point") != 0) {
        fb_json_pair_number(&s->json, "radius", shape->radius);
        if (strcmp(shape->type, "sphere") != 0) {
            fb_json_pair_number(&s->json, "inner_radius", shape->inner_radius);
            fb_json_pair_number(&s->json, "length", shape->length);
        }
    }
    fb_stream_vector(s, "at", shape->at, 3);
    fb_stream_vector(s, "rotation", shape->rotation, 9);
    fb_json_end_object(&s->json);
}

// The points of a body that a stick figure connects, each once.
typedef struct Links {
    FbVec3 at[64];
    int n;
} Links;

static void add_link(Links* links, FbVec3 at) {
    for (int i = 0; i < links->n; i++) {
        if (fb_norm(fb_sub(links->at[i], at)) <= 1e-9 * (1.0 + fb_norm(at))) {
            return;
        }
    }
    if (links->n < (int)(sizeof links->at / sizeof links->at[0])) {
        links->at[links->n++] = at;
    }
}

static void add_pair_links(Links* links, const FbDrawnPair* pairs, int n, int body) {
    for (int i = 0; i < n; i++) {
        if (pairs[i].body_a == body) {
            add_link(links, pairs[i].at_a);
        }
        if (pairs[i].body_b == body) {
            add_link(links, pairs[i].at_b);
        }
    }
}

static void find_links(const FbModel* m, int body, Links* links) {
    const FbDrawing* d = &m->drawing;
    links->n = 0;
    add_pair_links(links, d->joints, m->n_joints, body);
    for (int i = 0; i < d->bodies[body].n_shapes; i++) {
        const FbShapeDef* shape = &d->bodies[body].shapes[i];
        if (strcmp(shape->type, "point") == 0) {
            add_link(links, fb_vec3_from(shape->at));
        }
    }
    add_pair_links(links, d->rods, d->n_rods, body);
    add_pair_links(links, d->springs, d->n_springs, body);
}

static void write_links(FbStream* s, const FbModel* m, int body) {
    Links links;
    find_links(m, body, &links);
    fb_json_key(&s->json, "links");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < links.n; i++) {
        double at[3];
        fb_vec3_to(links.at[i], at);
        fb_stream_vector(s, NULL, at, 3);
    }
    fb_json_end_array(&s->json);
}

static void write_points(FbStream* s, const FbDrawnBody* body) {
    fb_json_key(&s->json, "points");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < body->n_points; i++) {
        fb_json_begin_object(&s->json);
        fb_json_pair_text(&s->json, "name", body->points[i].name);
        fb_stream_vector(s, "at", body->points[i].at, 3);
        fb_json_end_object(&s->json);
    }
    fb_json_end_array(&s->json);
}

// Slim rods that are only drawn, on a body without mass.
static bool is_rope(const FbDrawnBody* body) {
    bool is_slim = body->n_shapes > 0 && body->mass == 0.0;
    for (int i = 0; i < body->n_shapes; i++) {
        is_slim =
            is_slim && body->shapes[i].is_visual_only && strcmp(body->shapes[i].type, "rod") == 0;
    }
    return is_slim;
}

static void write_body(FbStream* s, const FbReportSource* r, int b) {
    const FbDrawnBody* body = &r->model->drawing.bodies[b];
    if (body->role == FB_DRAWN_NODE) {
        fb_drawing_write_node(s, r, b);
        return;
    }
    fb_json_begin_object(&s->json);
    fb_json_pair_text(&s->json, "name", r->model->bodies[b].name);
    if (body->role == FB_DRAWN_CARRIAGE) {
        fb_json_pair_text(&s->json, "role", "carriage");
    }
    fb_json_pair_text(&s->json, "color", check_color(body->color));
    if (is_rope(body)) {
        fb_json_pair_bool(&s->json, "is_massless", true);
    }
    fb_json_key(&s->json, "shapes");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < body->n_shapes; i++) {
        write_shape(s, &body->shapes[i]);
    }
    fb_json_end_array(&s->json);
    write_points(s, body);
    write_links(s, r->model, b);
    if (r->model->n_beams > 0) {
        fb_drawing_write_drawn(s, &r->model->bodies[b]);
    }
    BodyPoses poses = {.source = r, .body = b, .frame = -1};
    // Pictures need no more than single precision.
    fb_stream_array(s, "poses", 7 * r->n_frames, get_pose_value, &poses, FB_NUMBER_F32);
    fb_json_end_object(&s->json);
}

static void write_pair(FbStream* s, const FbModel* m, const FbDrawnPair* pair, bool is_joint) {
    double at_a[3], at_b[3], axis[3];
    fb_vec3_to(pair->at_a, at_a);
    fb_vec3_to(pair->at_b, at_b);
    fb_vec3_to(pair->axis_a, axis);
    fb_json_begin_object(&s->json);
    fb_json_pair_text(&s->json, "name", pair->name);
    if (is_joint) {
        fb_json_pair_text(&s->json, "type", pair->type);
    }
    fb_json_pair_integer(&s->json, "body_a", fb_drawing_number(m, pair->body_a));
    fb_stream_vector(s, "at_a", at_a, 3);
    if (is_joint) {
        fb_stream_vector(s, "axis_a", axis, 3);
    }
    fb_json_pair_integer(&s->json, "body_b", fb_drawing_number(m, pair->body_b));
    fb_stream_vector(s, "at_b", at_b, 3);
    if (is_joint) {
        fb_json_pair_bool(&s->json, "is_loop", pair->is_loop);
    }
    fb_json_end_object(&s->json);
    fb_stream_flush(s);
}

static bool is_left_out(const FbModel* m, int body) {
    return body >= 0 && m->drawing.number[body] < 0;
}

static void write_pairs(FbStream* s, const FbModel* m, const FbDrawnPair* pairs, int n,
                        bool is_joint) {
    for (int i = 0; i < n; i++) {
        if (!is_left_out(m, pairs[i].body_a) && !is_left_out(m, pairs[i].body_b)) {
            write_pair(s, m, &pairs[i], is_joint);
        }
    }
}

// A box around what is drawn.
typedef struct Box {
    double low[3], high[3];
} Box;

static void widen(Box* box, FbVec3 at, double margin) {
    double v[3];
    fb_vec3_to(at, v);
    for (int i = 0; i < 3; i++) {
        box->low[i] = fmin(box->low[i], v[i] - margin);
        box->high[i] = fmax(box->high[i], v[i] + margin);
    }
}

// Half the size of a shape in its longest direction.
static double reach(const FbShapeDef* shape) {
    double size = fmax(fmax(shape->size[0], shape->size[1]), shape->size[2]);
    double most = fmax(0.5 * size, fmax(shape->radius, 0.5 * shape->length));
    return isfinite(most) ? most : 0.0;
}

static void widen_by_body(Box* box, const FbReportSource* r, int b) {
    double pose[7];
    r->get_pose(r->self, 0, b, pose);
    FbMat3 R = fb_rotation_from_quaternion(pose + 3);
    FbVec3 p = fb_vec3_from(pose);
    const FbDrawnBody* body = &r->model->drawing.bodies[b];
    if (body->role == FB_DRAWN_NODE) {
        widen(box, p, 0.0);
    }
    if (body->role != FB_DRAWN_BODY) {
        return;
    }
    Links links;
    find_links(r->model, b, &links);
    for (int i = 0; i < links.n; i++) {
        widen(box, fb_add(p, fb_mul3(&R, links.at[i])), 0.0);
    }
    for (int i = 0; i < body->n_shapes; i++) {
        const FbShapeDef* shape = &body->shapes[i];
        if (strcmp(shape->type, "rod") == 0) {
            widen(box, fb_add(p, fb_mul3(&R, fb_vec3_from(shape->from))), 0.0);
            widen(box, fb_add(p, fb_mul3(&R, fb_vec3_from(shape->to))), 0.0);
        } else {
            bool is_point = strcmp(shape->type, "point") == 0;
            widen(box, fb_add(p, fb_mul3(&R, fb_vec3_from(shape->at))),
                  is_point ? 0.0 : reach(shape));
        }
    }
}

// The size of the first frame.
static double calc_length(const FbReportSource* r) {
    Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int b = 0; r->n_rows > 0 && b < r->model->n_bodies; b++) {
        if (r->model->drawing.number[b] >= 0) {
            widen_by_body(&box, r, b);
        }
    }
    double length = 0.0;
    for (int i = 0; i < 3; i++) {
        length = fmax(length, box.high[i] - box.low[i]);
    }
    return isfinite(length) && length > 1e-9 ? length : r->model->length;
}

static void write_bodies(FbStream* s, const FbReportSource* r) {
    for (int b = 0; b < r->model->n_bodies; b++) {
        if (r->model->drawing.number[b] >= 0) {
            write_body(s, r, b);
        }
    }
}

static void write_joints(FbStream* s, const FbReportSource* r) {
    write_pairs(s, r->model, r->model->drawing.joints, r->model->n_joints, true);
}

static void write_springs(FbStream* s, const FbReportSource* r) {
    write_pairs(s, r->model, r->model->drawing.springs, r->model->drawing.n_springs, false);
}

static void write_bushings(FbStream* s, const FbReportSource* r) {
    write_pairs(s, r->model, r->model->drawing.bushings, r->model->drawing.n_bushings, false);
}

static void write_rods(FbStream* s, const FbReportSource* r) {
    write_pairs(s, r->model, r->model->drawing.rods, r->model->drawing.n_rods, false);
}

// What a drawing consists of, in the order in which it is written: an array of each.
static const struct Layer {
    const char* key;
    void (*write)(FbStream* s, const FbReportSource* r);
} layers[] = {
    {"bodies", write_bodies},
    {"joints", write_joints},
    {"springs", write_springs},
    {"bushings", write_bushings},
    {"rods", write_rods},
    {"arrows", fb_drawing_write_arrows},
    {"members", fb_drawing_write_members},
    {"sliders", fb_drawing_write_sliders},
    {"meshes", fb_drawing_write_meshes},
};

static void write_frame_times(FbStream* s, const FbReportSource* r) {
    double gravity[3];
    fb_vec3_to(r->model->tree.gravity, gravity);
    fb_stream_vector(s, "gravity", gravity, 3);
    fb_json_pair_number(&s->json, "length", calc_length(r));
    fb_stream_array(s, "frames", r->n_frames, get_frame_time, r, FB_NUMBER_F64);
}

static void write_layers(FbStream* s, const FbReportSource* r) {
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        fb_json_key(&s->json, layers[i].key);
        fb_json_begin_array(&s->json);
        if (r) {
            layers[i].write(s, r);
        }
        fb_json_end_array(&s->json);
    }
}

static void get_frame_column(const void* self, int superelement, int column, double* c) {
    const FbReportSource* r = self;
    const double* from = r->get_mesh(r->self, fb_drawing_row_of_frame(r, column), superelement);
    size_t n = (size_t)r->model->superelements[superelement].n;
    if (from) {
        memcpy(c, from, sizeof(double) * n);
    } else {
        memset(c, 0, sizeof(double) * n);
    }
}

FbStatus fb_drawing_prepare(FbReportSource* r, FbArena* arena, FbError* err) {
    if (r->model == NULL || r->get_pose == NULL) {
        return FB_OK;
    }
    r->n_frames = count_frames(r);
    if (r->get_mesh) {
        r->mesh_columns = (FbMeshColumns){
            .self = r, .n = r->n_frames, .is_continuous = true, .get = get_frame_column};
    }
    return fb_drawing_make_meshes(r, arena, err);
}

void fb_drawing_write(FbStream* s, const FbReportSource* r) {
    if (r->model == NULL || r->get_pose == NULL) {
        fb_json_key(&s->json, "frames");
        fb_json_begin_array(&s->json);
        fb_json_end_array(&s->json);
        write_layers(s, NULL);
        return;
    }
    write_frame_times(s, r);
    write_layers(s, r);
}
