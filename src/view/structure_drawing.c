// What the viewer draws of structures: nodes and how they move, members as chains of elements, and
// masses that slide.
//
// An element's curve follows from the poses of its two nodes, in the drawing and now, so that
// nothing else is written for it.
#include <math.h>

#include "math/rotation.h"
#include "model/model.h"
#include "record/json_pair.h"
#include "view/beam_stress.h"
#include "view/drawing.h"

enum { STEPS = 32767, CURVE_POINTS = 48 };

// How far a node moved and turned (as a vector, ground axes) from its place in the drawing.
typedef struct NodeMoves {
    const FbReportSource* source;
    int body;
    int frame;        // that `move` holds, -1: none
    double scale[2];  // of translations and rotations: the size of one step
    double move[6];
} NodeMoves;

static void calc_move(const FbReportSource* r, int body, int frame, double move[6]) {
    const FbBody* b = &r->model->bodies[body];
    double pose[7];
    r->get_pose(r->self, fb_drawing_row_of_frame(r, frame), body, pose);
    FbMat3 R = fb_rotation_from_quaternion(pose + 3), turn = fb_mat3_mul_tn(&b->R_GB, &R);
    fb_vec3_to(fb_sub(fb_vec3_from(pose), b->p_GB), move);
    fb_vec3_to(fb_mul3(&b->R_GB, fb_rotation_to_vector(&turn)), move + 3);
}

static double get_step(const void* self, int i) {
    NodeMoves* m = (NodeMoves*)self;  // a cache of the last frame, which six calls ask for
    if (m->frame != i / 6) {
        m->frame = i / 6;
        calc_move(m->source, m->body, m->frame, m->move);
    }
    double scale = m->scale[i % 6 / 3];
    return scale > 0.0 ? m->move[i % 6] / scale : 0.0;
}

static void find_scale(NodeMoves* m) {
    for (int frame = 0; frame < m->source->n_frames; frame++) {
        double move[6];
        calc_move(m->source, m->body, frame, move);
        for (int i = 0; i < 6; i++) {
            m->scale[i / 3] = fmax(m->scale[i / 3], fabs(move[i]) / STEPS);
        }
    }
}

void fb_drawing_write_drawn(FbStream* s, const FbBody* b) {
    double pose[7];
    fb_vec3_to(b->p_GB, pose);
    fb_quaternion_from_rotation(&b->R_GB, pose + 3);
    fb_stream_vector(s, "drawn", pose, 7);
}

void fb_drawing_write_node(FbStream* s, const FbReportSource* r, int body) {
    const FbBody* b = &r->model->bodies[body];
    double mass = r->model->drawing.bodies[body].mass;
    NodeMoves moves = {.source = r, .body = body, .frame = -1};
    find_scale(&moves);
    fb_json_begin_object(&s->json);
    fb_json_pair_text(&s->json, "name", b->name);
    fb_json_pair_text(&s->json, "role", "node");
    if (mass > 0.0) {
        fb_json_pair_number(&s->json, "mass", mass);
    }
    fb_drawing_write_drawn(s, b);
    fb_stream_vector(s, "scale", moves.scale, 2);
    fb_stream_array(s, "moves", 6 * r->n_frames, get_step, &moves, FB_NUMBER_I16);
    fb_json_end_object(&s->json);
}

// Half the thickness of a section: of the edge that is known, or of a square with its area.
static double calc_radius(const FbBeamElement* e) {
    double edge = fmax(e->edge_y, e->edge_z);  // ignores NaN
    return edge > 0.0 ? edge : e->area > 0.0 ? 0.5 * sqrt(e->area) : NAN;
}

// The stress at both ends of each element of a member, frame by frame.
typedef struct Stresses {
    const FbReportSource* source;
    const FbMember* member;
    int pair;  // element and frame that `value` holds, -1: none
    double value[2], step;
} Stresses;

static void calc_stress(Stresses* x, int pair) {
    const FbReportSource* r = x->source;
    const FbBeamElement* e = &r->model->beams[x->member->first + pair % x->member->n];
    double pose[2][7];
    for (int k = 0; k < 2; k++) {
        if (e->body[k] >= 0) {
            int row = fb_drawing_row_of_frame(r, pair / x->member->n);
            r->get_pose(r->self, row, e->body[k], pose[k]);
        }
    }
    fb_beam_calc_stress(r->model, e, e->body[0] >= 0 ? pose[0] : NULL,
                        e->body[1] >= 0 ? pose[1] : NULL, x->value);
    x->pair = pair;
}

static double get_stress(const void* self, int i) {
    Stresses* x = (Stresses*)self;  // a cache of the last element, which two calls ask for
    if (x->pair != i / 2) {
        calc_stress(x, i / 2);
    }
    return x->step > 0.0 ? x->value[i % 2] / x->step : 0.0;
}

static void write_stress(FbStream* s, const FbReportSource* r, const FbMember* member) {
    Stresses x = {.source = r, .member = member, .pair = -1, .step = 1.0};
    double most = 0.0;
    for (int i = 0; i < member->n; i++) {
        if (!fb_beam_has_stress(&r->model->beams[member->first + i])) {
            return;
        }
    }
    int n = 2 * member->n * r->n_frames;
    for (int i = 0; i < n; i++) {
        most = fmax(most, get_stress(&x, i));
    }
    x.step = most / STEPS;
    fb_json_pair_number(&s->json, "stress_step", x.step);
    fb_stream_array(s, "stress", n, get_stress, &x, FB_NUMBER_I16);
}

static void write_member(FbStream* s, const FbReportSource* r, const FbMember* member) {
    const FbModel* m = r->model;
    fb_json_begin_object(&s->json);
    fb_json_pair_text(&s->json, "name", member->name);
    fb_json_pair_number(&s->json, "radius", calc_radius(&m->beams[member->first]));
    fb_json_key(&s->json, "nodes");
    fb_json_begin_array(&s->json);
    for (int i = 2 * member->first; i < 2 * (member->first + member->n); i++) {
        fb_json_integer(&s->json, fb_drawing_number(m, m->beams[i / 2].body[i % 2]));
    }
    fb_json_end_array(&s->json);
    if (r->n_frames > 1) {
        write_stress(s, r, member);
    }
    fb_json_end_object(&s->json);
    fb_stream_flush(s);
}

// Elements in the order of the members; -1 - e where element e is travelled backwards.
static void write_pieces(FbStream* s, const FbSlider* slider) {
    fb_json_key(&s->json, "pieces");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < slider->n_pieces; i++) {
        const FbGuidePiece* piece = &slider->pieces[i];
        fb_json_integer(&s->json, piece->is_reversed ? -1 - piece->beam : piece->beam);
    }
    fb_json_end_array(&s->json);
}

// The points that a smooth guide passes, and its tangents as sums of their places.
static void write_through(FbStream* s, const FbModel* m, const FbGuideSpline* spline) {
    fb_json_key(&s->json, "through");
    fb_json_begin_object(&s->json);
    fb_json_key(&s->json, "bodies");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < spline->n; i++) {
        fb_json_integer(&s->json, fb_drawing_number(m, spline->bodies[i]));
    }
    fb_json_end_array(&s->json);
    fb_stream_vector(s, "knots", spline->knots, spline->n);
    fb_json_key(&s->json, "tangents");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < spline->n; i++) {
        fb_stream_vector(s, NULL, spline->tangents + (size_t)i * (size_t)spline->n, spline->n);
        fb_stream_flush(s);
    }
    fb_json_end_array(&s->json);
    fb_json_end_object(&s->json);
}

// Points at equal distances, in the coordinates of the body that holds the curve.
static void write_curve(FbStream* s, const FbSlider* slider) {
    fb_json_key(&s->json, "curve");
    fb_json_begin_array(&s->json);
    for (int i = 0; i <= CURVE_POINTS; i++) {
        FbVec3 c[4];
        double at[3];
        fb_curve_calc(slider->curve, slider->length * i / CURVE_POINTS, c);
        fb_vec3_to(c[0], at);
        fb_stream_vector(s, NULL, at, 3);
    }
    fb_json_end_array(&s->json);
}

typedef struct Slides {
    const FbReportSource* source;
    int slider;
} Slides;

static double get_slide(const void* self, int frame) {
    const Slides* x = self;
    const FbReportSource* r = x->source;
    return r->get_slide(r->self, fb_drawing_row_of_frame(r, frame), x->slider);
}

static void write_slider(FbStream* s, const FbReportSource* r, int i) {
    const FbSlider* slider = &r->model->sliders[i];
    const FbDrawnSlider* drawn = &r->model->drawing.sliders[i];
    Slides slides = {r, i};
    fb_json_begin_object(&s->json);
    fb_json_pair_text(&s->json, "name", slider->name);
    fb_json_pair_number(&s->json, "mass", slider->mass.mass);
    fb_json_pair_number(&s->json, "length", slider->length);
    fb_json_pair_integer(&s->json, "carriage", fb_drawing_number(r->model, drawn->carriage));
    if (slider->spline) {
        write_through(s, r->model, slider->spline);
    } else if (slider->n_pieces > 0) {
        write_pieces(s, slider);
    } else {
        fb_json_pair_integer(&s->json, "body", fb_drawing_number(r->model, drawn->body));
        write_curve(s, slider);
    }
    fb_stream_array(s, "s", r->n_frames, get_slide, &slides, FB_NUMBER_F32);
    fb_json_end_object(&s->json);
    fb_stream_flush(s);
}

void fb_drawing_write_members(FbStream* s, const FbReportSource* r) {
    for (int i = 0; i < r->model->n_members; i++) {
        write_member(s, r, &r->model->members[i]);
    }
}

void fb_drawing_write_sliders(FbStream* s, const FbReportSource* r) {
    for (int i = 0; r->get_slide != NULL && i < r->model->n_sliders; i++) {
        write_slider(s, r, i);
    }
}
