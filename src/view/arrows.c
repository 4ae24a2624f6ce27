// Arrows in the picture: outputs that are the three components of a force or a moment, and where
// they act.
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "record/json_pair.h"
#include "system/part.h"
#include "view/drawing.h"

// Where an arrow is: at a point of a body (-1: ground), or at a slider.
typedef struct Arrow {
    const char* kind;
    int body, slider;
    FbVec3 at;
} Arrow;

// A body that a link carries, and a point of the link in it; false: none is drawn.
static bool find_body(const FbModel* m, const FbLinkFrame* frame, int* body, FbVec3* at) {
    if (frame->link < 0) {
        *body = -1;
        *at = frame->p;
        return true;
    }
    for (int b = 0; b < m->n_bodies; b++) {
        if (m->bodies[b].link == frame->link && m->drawing.number[b] >= 0) {
            *body = b;
            *at = fb_mul3_transposed(&m->bodies[b].R_LB, fb_sub(frame->p, m->bodies[b].p_LB));
            return true;
        }
    }
    return false;
}

static const FbDrawnPair* find_pair(const FbDrawnPair* pairs, int n, const char* name) {
    for (int i = 0; i < n; i++) {
        if (strcmp(pairs[i].name, name) == 0) {
            return &pairs[i];
        }
    }
    return NULL;
}

// Springs and bushings act on the body of b, forces and torques on theirs.
static bool place_force(const FbModel* m, int index, Arrow* out) {
    const FbForce* force = &m->forces[index];
    const FbDrawing* d = &m->drawing;
    const FbDrawnPair* pair = find_pair(d->springs, d->n_springs, force->name);
    pair = pair ? pair : find_pair(d->bushings, d->n_bushings, force->name);
    if (pair) {
        out->body = pair->body_b;
        out->at = pair->at_b;
        return true;
    }
    return find_body(m, &force->a, &out->body, &out->at);
}

static bool place_signal(const FbModel* m, const FbSignal* s, Arrow* out) {
    *out = (Arrow){.kind = "force", .body = -1, .slider = -1};
    if (s->kind == FB_SIGNAL_REACTION_FORCE || s->kind == FB_SIGNAL_REACTION_TORQUE) {
        out->kind = s->kind == FB_SIGNAL_REACTION_TORQUE ? "torque" : "force";
        out->body = m->drawing.joints[s->index].body_b;
        out->at = m->drawing.joints[s->index].at_b;
        return true;
    }
    if (s->kind != FB_SIGNAL_PART) {
        return false;
    }
    if (s->part == &fb_part_sliders && s->component == FB_SLIDER_CONTACT_X) {
        out->kind = "contact";
        out->slider = s->index;
        return true;
    }
    bool is_torque = s->output == FB_FORCE_OUTPUT_TORQUE;
    out->kind = is_torque ? "torque" : "force";
    return s->part == &fb_part_forces && (is_torque || s->output == FB_FORCE_OUTPUT_FORCE) &&
           place_force(m, s->index, out);
}

static double calc_difference(const FbMat3* a, const FbMat3* b) {
    double most = 0.0;
    for (int j = 0; j < 3; j++) {
        most = fmax(most, fb_norm(fb_sub(fb_mat3_col(a, j), fb_mat3_col(b, j))));
    }
    return most;
}

// The body along whose axes a signal is given: -1 the ground, -2 none that is drawn. Contact forces
// have no choice of axes.
static int find_axes(const FbModel* m, const FbSignal* s) {
    static const double same = 1e-9;
    FbMat3 ground = fb_mat3_identity();
    if (s->part == &fb_part_sliders && s->kind == FB_SIGNAL_PART) {
        return -1;
    }
    if (s->frame_link < 0) {
        return calc_difference(&s->frame_R, &ground) < same ? -1 : -2;
    }
    for (int b = 0; b < m->n_bodies; b++) {
        if (m->bodies[b].link == s->frame_link && m->drawing.number[b] >= 0 &&
            calc_difference(&m->bodies[b].R_LB, &s->frame_R) < same) {
            return b;
        }
    }
    return -2;
}

// Are the outputs from `first` on the x, y and z of one vector?
static bool is_vector(const FbModel* m, int first) {
    const FbSignal* s[3];
    for (int i = 0; i < 3; i++) {
        if (first + i >= m->n_outputs) {
            return false;
        }
        s[i] = &m->signals[m->outputs[first + i].signal];
    }
    const char* name = m->outputs[first].name;
    size_t n = strlen(name);
    bool has_name = n > 2 && strcmp(name + n - 2, ".x") == 0;
    for (int i = 1; i < 3; i++) {
        const char* other = m->outputs[first + i].name;
        has_name = has_name && strlen(other) == n && strncmp(name, other, n - 1) == 0 &&
                   other[n - 1] == "xyz"[i] && s[i]->kind == s[0]->kind &&
                   s[i]->index == s[0]->index && s[i]->component == s[0]->component + i;
    }
    return has_name;
}

static void write_arrow(FbStream* s, const FbModel* m, int first, const Arrow* arrow, int axes) {
    const char* name = m->outputs[first].name;
    char shown[128];
    double at[3];
    snprintf(shown, sizeof shown, "%.*s", (int)strlen(name) - 2, name);
    fb_vec3_to(arrow->at, at);
    fb_json_begin_object(&s->json);
    fb_json_pair_text(&s->json, "name", shown);
    fb_json_pair_text(&s->json, "kind", arrow->kind);
    fb_json_key(&s->json, "outputs");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < 3; i++) {
        fb_json_integer(&s->json, first + i);
    }
    fb_json_end_array(&s->json);
    if (arrow->slider >= 0) {
        fb_json_pair_integer(&s->json, "slider", arrow->slider);
    }
    fb_json_pair_integer(&s->json, "body", fb_drawing_number(m, arrow->body));
    fb_stream_vector(s, "at", at, 3);
    fb_json_pair_integer(&s->json, "axes", fb_drawing_number(m, axes));
    fb_json_end_object(&s->json);
    fb_stream_flush(s);
}

void fb_drawing_write_arrows(FbStream* s, const FbReportSource* r) {
    const FbModel* m = r->model;
    for (int i = 0; i < m->n_outputs; i++) {
        Arrow arrow;
        const FbSignal* signal = &m->signals[m->outputs[i].signal];
        if (is_vector(m, i) && place_signal(m, signal, &arrow)) {
            int axes = find_axes(m, signal);
            bool is_drawn = arrow.body < 0 || m->drawing.number[arrow.body] >= 0;
            if (axes >= -1 && is_drawn) {
                write_arrow(s, m, i, &arrow, axes);
            }
        }
    }
}
