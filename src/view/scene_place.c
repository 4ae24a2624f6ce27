// Where the parts of a motion are in a frame: bodies, their points, and masses on their guides.
#include <math.h>

#include "math/rotation.h"
#include "view/scene.h"

static FbScenePose pose_of(const FbScene* scene, int body, int frame) {
    static const FbScenePose ground = {.e = {1.0, 0.0, 0.0, 0.0}};
    return body >= 0 ? scene->bodies[body].poses[frame] : ground;
}

FbVec3 fb_scene_point(const FbScene* scene, int body, int frame, FbVec3 at) {
    FbScenePose pose = pose_of(scene, body, frame);
    FbMat3 R = fb_rotation_from_quaternion(pose.e);
    return fb_add(pose.p, fb_mul3(&R, at));
}

// The cubic with these ends and tangents, and its derivative.
static FbVec3 calc_cubic(const FbVec3 end[2], const FbVec3 tangent[2], double x, FbVec3* slope) {
    double y = 1.0 - x;
    FbVec3 r = fb_scale(y * y * (1.0 + 2.0 * x), end[0]);
    r = fb_axpy(x * y * y, tangent[0], r);
    r = fb_axpy(x * x * (3.0 - 2.0 * x), end[1], r);
    *slope = fb_scale(6.0 * x * y, fb_sub(end[1], end[0]));
    *slope = fb_axpy(y * (1.0 - 3.0 * x), tangent[0], *slope);
    *slope = fb_axpy(x * (3.0 * x - 2.0), tangent[1], *slope);
    return fb_axpy(-x * x * y, tangent[1], r);
}

// The element's axis in the drawing, turned with one of its ends.
static FbVec3 turned_axis(const FbScene* scene, int body, int frame, FbVec3 axis) {
    if (body < 0) {
        return axis;
    }
    FbMat3 drawn = fb_rotation_from_quaternion(scene->bodies[body].drawn.e);
    FbMat3 now = fb_rotation_from_quaternion(scene->bodies[body].poses[frame].e);
    return fb_mul3(&now, fb_mul3_transposed(&drawn, axis));
}

static FbVec3 drawn_axis(const FbScene* scene, const FbSceneElement* e) {
    FbVec3 end[2];
    for (int k = 0; k < 2; k++) {
        end[k] = e->body[k] >= 0 ? scene->bodies[e->body[k]].drawn.p : fb_vec3(0.0, 0.0, 0.0);
    }
    return fb_sub(end[1], end[0]);
}

static FbVec3 slide_on_pieces(const FbScene* scene, const FbSceneSlider* slider, int frame,
                              FbVec3* direction) {
    double begin = 0.0, length = 0.0;
    int i = 0, piece = 0;
    for (; i < slider->n_pieces; i++) {
        piece = slider->pieces[i] < 0 ? -1 - slider->pieces[i] : slider->pieces[i];
        length = fb_norm(drawn_axis(scene, &scene->elements[piece]));
        if (slider->s[frame] <= begin + length || i == slider->n_pieces - 1) {
            break;
        }
        begin += length;
    }
    double x = length > 0.0 ? fmax(0.0, fmin(1.0, (slider->s[frame] - begin) / length)) : 0.0;
    const FbSceneElement* e = &scene->elements[piece];
    FbVec3 axis = drawn_axis(scene, e), end[2], tangent[2];
    for (int k = 0; k < 2; k++) {
        end[k] = pose_of(scene, e->body[k], frame).p;
        tangent[k] = turned_axis(scene, e->body[k], frame, axis);
    }
    return calc_cubic(end, tangent, slider->pieces[i] < 0 ? 1.0 - x : x, direction);
}

static FbVec3 slide_through(const FbScene* scene, const FbSceneSlider* slider, int frame,
                            FbVec3* direction) {
    int n = slider->n_knots, k = 0;
    double s = slider->s[frame];
    while (k + 2 < n && s > slider->knots[k + 1]) {
        k++;
    }
    double length = slider->knots[k + 1] - slider->knots[k];
    double x = length > 0.0 ? fmax(0.0, fmin(1.0, (s - slider->knots[k]) / length)) : 0.0;
    FbVec3 end[2], tangent[2] = {fb_vec3(0.0, 0.0, 0.0), fb_vec3(0.0, 0.0, 0.0)};
    for (int i = 0; i < 2; i++) {
        const double* factors = slider->tangents + (size_t)(k + i) * (size_t)n;
        end[i] = pose_of(scene, slider->bodies[k + i], frame).p;
        for (int j = 0; j < n; j++) {
            FbVec3 at = pose_of(scene, slider->bodies[j], frame).p;
            tangent[i] = fb_axpy(length * factors[j], at, tangent[i]);
        }
    }
    return calc_cubic(end, tangent, x, direction);
}

static FbVec3 slide_on_curve(const FbScene* scene, const FbSceneSlider* slider, int frame,
                             FbVec3* direction) {
    int last = slider->n_curve - 2;
    double u = fmax(0.0, fmin(1.0, slider->s[frame] / slider->length)) * (last + 1);
    int i = (int)u < last ? (int)u : last;
    FbVec3 from = fb_scene_point(scene, slider->body, frame, slider->curve[i]);
    FbVec3 to = fb_scene_point(scene, slider->body, frame, slider->curve[i + 1]);
    *direction = fb_sub(to, from);
    return fb_axpy(u - i, *direction, from);
}

FbVec3 fb_scene_slide(const FbScene* scene, const FbSceneSlider* slider, int frame,
                      FbVec3* direction) {
    FbVec3 at = slider->n_knots > 0    ? slide_through(scene, slider, frame, direction)
                : slider->n_pieces > 0 ? slide_on_pieces(scene, slider, frame, direction)
                                       : slide_on_curve(scene, slider, frame, direction);
    double length = fb_norm(*direction);
    *direction = length > 0.0 ? fb_scale(1.0 / length, *direction) : fb_vec3(1.0, 0.0, 0.0);
    return at;
}
