// A small line drawing of a mechanism in one position: rods, sticks between the joints of
// bodies, beams, springs and masses, seen from the front against gravity.
#include "view/thumbnail.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "linear/linearization.h"
#include "math/rotation.h"
#include "model/model.h"

enum { MOST_LINES = 600, MARGIN = 6 };

typedef struct Line {
    FbVec3 a, b;  // equal: a spot
    const char* look;
} Line;

typedef struct Sketch {
    const FbResult* result;  // of which the first row is drawn; NULL: the poses
    const double* poses;     // [n_numbered x 7]
    const FbModel* m;
    Line lines[MOST_LINES];
    int n;
    FbVec3 right, up;  // of the picture
} Sketch;

static const char stick[] = "stroke-width=\"2.4\"";
static const char beam[] = "stroke-width=\"1.6\"";
static const char spring[] = "stroke-width=\"1.1\" stroke-dasharray=\"2 2\"";
static const char mass[] = "stroke-width=\"6\"";

static bool get_pose(const Sketch* s, int body, double p[3], double e[4]) {
    if (s->result) {
        return fb_result_get_pose(s->result, 0, body, p, e);
    }
    int number = s->m->drawing.number[body];
    if (number >= 0) {
        memcpy(p, s->poses + 7 * (size_t)number, 3 * sizeof(double));
        memcpy(e, s->poses + 7 * (size_t)number + 3, 4 * sizeof(double));
    }
    return number >= 0;
}

// A point of a body (-1: ground); false: it has no pose.
static bool place(const Sketch* s, int body, FbVec3 at, FbVec3* out) {
    double p[3], e[4];
    *out = at;
    if (body < 0) {
        return true;
    }
    if (!get_pose(s, body, p, e)) {
        return false;
    }
    FbMat3 r = fb_rotation_from_quaternion(e);
    *out = fb_add(fb_vec3_from(p), fb_mul3(&r, at));
    return true;
}

static void add_line(Sketch* s, int body_a, FbVec3 a, int body_b, FbVec3 b, const char* look) {
    Line line = {.look = look};
    if (s->n < MOST_LINES && place(s, body_a, a, &line.a) && place(s, body_b, b, &line.b)) {
        s->lines[s->n++] = line;
    }
}

// Sticks from joint to joint of a body.
static void add_sticks(Sketch* s, int body) {
    const FbDrawing* d = &s->m->drawing;
    FbVec3 last = {0};
    bool has_last = false;
    for (int i = 0; i < s->m->n_joints; i++) {
        const FbDrawnPair* j = &d->joints[i];
        if (j->body_a != body && j->body_b != body) {
            continue;
        }
        FbVec3 at = j->body_a == body ? j->at_a : j->at_b;
        if (has_last) {
            add_line(s, body, last, body, at, stick);
        }
        last = at;
        has_last = true;
    }
}

static void add_body(Sketch* s, int b) {
    const FbDrawnBody* body = &s->m->drawing.bodies[b];
    if (body->role != FB_DRAWN_BODY) {
        return;
    }
    bool has_rod = false;
    for (int i = 0; i < body->n_shapes; i++) {
        const FbShapeDef* shape = &body->shapes[i];
        if (strcmp(shape->type, "rod") == 0) {
            add_line(s, b, fb_vec3_from(shape->from), b, fb_vec3_from(shape->to), stick);
            has_rod = true;
        } else {
            FbVec3 at = fb_vec3_from(shape->at);
            add_line(s, b, at, b, at, mass);
        }
    }
    if (!has_rod) {
        add_sticks(s, b);
    }
}

static void collect(Sketch* s) {
    const FbModel* m = s->m;
    for (int i = 0; i < m->drawing.n_springs; i++) {
        const FbDrawnPair* p = &m->drawing.springs[i];
        add_line(s, p->body_a, p->at_a, p->body_b, p->at_b, spring);
    }
    for (int e = 0; e < m->n_beams; e++) {
        add_line(s, m->beams[e].body[0], (FbVec3){0}, m->beams[e].body[1], (FbVec3){0}, beam);
    }
    for (int b = 0; b < m->n_bodies; b++) {
        add_body(s, b);
    }
}

// The extent of all lines along a direction.
static double extent(const Sketch* s, FbVec3 along, double* low) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < s->n; i++) {
        double a = fb_dot(s->lines[i].a, along), b = fb_dot(s->lines[i].b, along);
        least = fmin(least, fmin(a, b));
        most = fmax(most, fmax(a, b));
    }
    *low = least;
    return most - least;
}

// Up is against gravity (without it z, or y of what lies in the x-y plane), and of the horizontal
// axes the one along which there is more to see points to the right, with a little of the other.
static void choose_view(Sketch* s) {
    static const FbVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double spans[3], low;
    for (int k = 0; k < 3; k++) {
        spans[k] = extent(s, axes[k], &low);
    }
    double g = fb_norm(s->m->tree.gravity);
    int upright = spans[2] > 1e-6 * (spans[0] + spans[1]) ? 2 : 1;
    s->up = g > 0.0 ? fb_scale(-1.0 / g, s->m->tree.gravity) : axes[upright];
    FbVec3 x = fabs(s->up.x) < 0.9 ? axes[0] : axes[1];
    x = fb_sub(x, fb_scale(fb_dot(x, s->up), s->up));
    x = fb_scale(1.0 / fb_norm(x), x);
    FbVec3 y = fb_cross(s->up, x);
    bool is_sideways = extent(s, y, &low) > extent(s, x, &low);
    s->right = is_sideways ? fb_add(y, fb_scale(0.35, x)) : fb_add(x, fb_scale(0.35, y));
    s->up = fb_add(s->up, fb_scale(0.25, is_sideways ? x : y));
}

static void write_lines(const Sketch* s, int width, int height, FbText* text) {
    double left, bottom;
    double wide = extent(s, s->right, &left), tall = extent(s, s->up, &bottom);
    double scale = fmin((width - 2 * MARGIN) / wide, (height - 2 * MARGIN) / tall);
    scale = isfinite(scale) ? scale : 1.0;
    double x0 = 0.5 * (width - scale * wide) - scale * left;
    double y0 = 0.5 * (height + scale * tall) + scale * bottom;
    fb_text_addf(text,
                 "<svg class=\"thumb\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                 "aria-hidden=\"true\" stroke=\"currentColor\" stroke-linecap=\"round\">",
                 width, height, width, height);
    for (int i = 0; i < s->n; i++) {
        const Line* l = &s->lines[i];
        fb_text_addf(text, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>",
                     x0 + scale * fb_dot(l->a, s->right), y0 - scale * fb_dot(l->a, s->up),
                     x0 + scale * fb_dot(l->b, s->right), y0 - scale * fb_dot(l->b, s->up),
                     l->look);
    }
    fb_text_add(text, "</svg>");
}

static char* draw(Sketch* s, int width, int height) {
    collect(s);
    if (s->n == 0) {
        return NULL;
    }
    FbText text;
    fb_text_init(&text);
    choose_view(s);
    write_lines(s, width, height, &text);
    char* out = text.has_failed ? NULL : strdup(text.data);
    fb_text_free(&text);
    return out;
}

char* fb_thumbnail_create(const FbResult* result, int width, int height) {
    FbArena* arena = fb_arena_create();
    Sketch* s = arena ? FB_TAKE(arena, Sketch, 1) : NULL;
    char* out = NULL;
    if (s) {
        *s = (Sketch){.result = result, .m = fb_result_get_model(result)};
        out = draw(s, width, height);
    }
    fb_arena_destroy(arena);
    return out;
}

char* fb_thumbnail_create_at(const FbOperatingPoint* point, int width, int height) {
    FbArena* arena = fb_arena_create();
    Sketch* s = arena ? FB_TAKE(arena, Sketch, 1) : NULL;
    double* poses = s ? FB_TAKE(arena, double, 7 * point->model->n_bodies + 1) : NULL;
    char* out = NULL;
    if (poses) {
        fb_system_calc_poses(point->system, point->p.q, poses);
        *s = (Sketch){.poses = poses, .m = point->model};
        out = draw(s, width, height);
    }
    fb_arena_destroy(arena);
    return out;
}
