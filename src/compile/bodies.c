// Bodies and the frames of joints, points and attachments, resolved in body coordinates.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "describe/shape.h"
#include "math/rotation.h"

FbStatus fb_compile_bodies(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_bodies = b->def->n_bodies;
    m->bodies = FB_TAKE(m->arena, FbBody, m->n_bodies + 1);
    if (!m->bodies) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_bodies; i++) {
        const FbBodyDef* def = &b->def->bodies[i];
        FbBody* body = &m->bodies[i];
        body->name = fb_arena_text(m->arena, def->name);
        body->R_GB = fb_mat3_from(def->rotation);
        body->p_GB = fb_vec3_from(def->position);
        body->place = def->origin.place;
        body->place.file = fb_arena_text(m->arena, def->origin.place.file);
        if (!(fb_rotation_defect(&body->R_GB) < 1e-9)) {
            fb_compile_error(b, FB_ERR_RANGE, &def->origin, "orientation",
                             "the orientation of body '%s' is not a rotation matrix", def->name);
        }
    }
    return FB_OK;
}

// Pose of a body in the drawing.
static void drawn_pose(const FbModel* m, int body, FbMat3* R, FbVec3* p) {
    *R = body >= 0 ? m->bodies[body].R_GB : fb_mat3_identity();
    *p = body >= 0 ? m->bodies[body].p_GB : fb_vec3(0, 0, 0);
}

static FbVec3 into_body(const FbModel* m, int body, FbVec3 global) {
    FbMat3 R;
    FbVec3 p;
    drawn_pose(m, body, &R, &p);
    return fb_mul3_transposed(&R, fb_sub(global, p));
}

static FbMat3 turned_into_body(const FbModel* m, int body, const FbMat3* global) {
    FbMat3 R;
    FbVec3 p;
    drawn_pose(m, body, &R, &p);
    return fb_mat3_mul_tn(&R, global);
}

// A point in body coordinates; out->link is the body index.
static bool point_in_body(FbBuilder* b, const FbPointDef* point, const FbOrigin* origin,
                          const char* key, FbLinkFrame* out) {
    const char* name = point->body ? point->body : "ground";
    int body = fb_def_find_body(b->def, origin->scope, name);
    if (body == FB_NOT_FOUND) {
        fb_compile_error(b, FB_ERR_NAME, origin, key, "there is no body '%s'", name);
        return false;
    }
    out->link = body;
    out->R = fb_mat3_identity();
    out->p = fb_vec3_from(point->at);
    if (point->point) {
        if (body == FB_GROUND) {
            fb_compile_error(b, FB_ERR_NAME, origin, key,
                             "ground has no named points; write {body: ground, at: [x, y, z]}");
            return false;
        }
        const FbBodyDef* def = &b->def->bodies[body];
        for (int i = 0; i < def->n_points; i++) {
            if (strcmp(def->points[i].name, point->point) == 0) {
                out->p = fb_vec3_from(def->points[i].at);
                return true;
            }
        }
        fb_compile_error(b, FB_ERR_NAME, origin, key,
                         "body '%s' has no point '%s'; add it to its `points`", name, point->point);
        return false;
    }
    if (point->is_global) {
        out->p = into_body(b->m, body, out->p);
    }
    return true;
}

// From body coordinates to the coordinates of the link that carries the body.
static void body_to_link(const FbModel* m, FbLinkFrame* f) {
    if (f->link < 0) {
        f->link = -1;
        return;
    }
    const FbBody* body = &m->bodies[f->link];
    f->p = fb_add(body->p_LB, fb_mul3(&body->R_LB, f->p));
    f->R = fb_mat3_mul(&body->R_LB, &f->R);
    f->link = body->link;
}

bool fb_compile_point(FbBuilder* b, const FbPointDef* point, const FbOrigin* origin,
                      const char* key, FbLinkFrame* out) {
    if (!point_in_body(b, point, origin, key, out)) {
        return false;
    }
    body_to_link(b->m, out);
    return true;
}

static bool frame_in_body(FbBuilder* b, const FbFrameDef* frame, const FbOrigin* origin,
                          const char* key, FbLinkFrame* out) {
    if (!point_in_body(b, &frame->origin, origin, key, out)) {
        return false;
    }
    out->R = fb_mat3_from(frame->rotation);
    if (!(fb_rotation_defect(&out->R) < 1e-9)) {
        fb_compile_error(b, FB_ERR_RANGE, origin, key, "the axes of frame '%s' are not a rotation",
                         key);
        return false;
    }
    if (frame->origin.is_global) {
        out->R = turned_into_body(b->m, out->link, &out->R);
    }
    return true;
}

bool fb_compile_frame(FbBuilder* b, const FbFrameDef* frame, const FbOrigin* origin,
                      const char* key, FbLinkFrame* out) {
    if (!frame_in_body(b, frame, origin, key, out)) {
        return false;
    }
    body_to_link(b->m, out);
    return true;
}

// The relative pose of b in a for the given coordinates: the product of the elementary motions.
static void motion_pose(const FbJointType* type, double pitch, const double* x, FbMat3* R,
                        FbVec3* p) {
    *R = fb_mat3_identity();
    *p = fb_vec3(0, 0, 0);
    int n = 0;
    for (int i = 0; i < type->n_motions; i++) {
        const FbMotion* motion = &type->motions[i];
        FbMat3 turn = fb_mat3_identity();
        if (motion->kind == FB_ROTATE || motion->kind == FB_SCREW) {
            turn = fb_rotation_about(motion->axis, x[n]);
        } else if (motion->kind == FB_BALL) {
            turn = fb_rotation_from_vector(fb_vec3_from(x + n));
        }
        if (motion->kind == FB_SLIDE || motion->kind == FB_SCREW) {
            double slide =
                motion->kind == FB_SCREW ? pitch * x[n] / (2.0 * 3.14159265358979323846) : x[n];
            *p = fb_axpy(slide, fb_mat3_col(R, motion->axis), *p);
        } else if (motion->kind == FB_TRANSLATE3) {
            *p = fb_add(*p, fb_mul3(R, fb_vec3_from(x + n)));
        }
        *R = fb_mat3_mul(R, &turn);
        n += motion->kind == FB_TRANSLATE3 || motion->kind == FB_BALL ? 3 : 1;
    }
}

// Both frames from one point and axis of the drawing, where the coordinates have the values
// `offset`. The point is the origin of b, so that it is the same point of that body whatever the
// offset: only the zero of its coordinates changes, and reactions and drives act at the same point.
static bool frames_from_drawing(FbBuilder* b, const FbJointDef* def, const FbJointType* type,
                                int j) {
    FbMat3 axes = fb_mat3_identity();
    FbVec3 axis = fb_vec3_from(def->axis);
    FbVec3 hint = fb_vec3_from(def->x_axis);
    if (!fb_rotation_from_axes(axis, hint, &axes)) {
        fb_compile_error(b, FB_ERR_RANGE, &def->origin, "axis",
                         "the axis of joint '%s' is [%g, %g, %g]; it must not be zero", def->name,
                         axis.x, axis.y, axis.z);
        return false;
    }
    FbVec3 point = fb_vec3_from(def->point), shift;
    FbMat3 turn;
    motion_pose(type, def->pitch, def->offset, &turn, &shift);
    FbMat3 axes_b = fb_mat3_mul(&axes, &turn);
    FbVec3 point_a = fb_sub(point, fb_mul3(&axes, shift));
    b->frame_a[j].p = into_body(b->m, b->frame_a[j].link, point_a);
    b->frame_a[j].R = turned_into_body(b->m, b->frame_a[j].link, &axes);
    b->frame_b[j].p = into_body(b->m, b->frame_b[j].link, point);
    b->frame_b[j].R = turned_into_body(b->m, b->frame_b[j].link, &axes_b);
    return true;
}

static void check_initial_values(FbBuilder* b, const FbJointDef* def, const FbJointType* type) {
    for (int i = 0; i < FB_MAX_JOINT_V; i++) {
        bool is_set[2] = {def->has_position[i], def->has_velocity[i]};
        double value[2] = {def->position[i], def->velocity[i]};
        const char* key[2] = {"position", "velocity"};
        for (int s = 0; s < 2; s++) {
            if (is_set[s] && i >= type->n_v) {
                fb_compile_error(b, FB_ERR_RANGE, &def->origin, key[s],
                                 "joint '%s' is %s and has %d coordinate(s); %s %d is too many",
                                 def->name, type->info.name, type->n_v, key[s], i + 1);
            } else if (is_set[s] && !isfinite(value[s])) {
                fb_compile_error(b, FB_ERR_RANGE, &def->origin, key[s],
                                 "the initial %s of joint '%s' is not a finite number", key[s],
                                 def->name);
            }
        }
    }
}

static void compile_joint(FbBuilder* b, int j) {
    const FbJointDef* def = &b->def->joints[j];
    FbJoint* joint = &b->m->joints[j];
    joint->name = fb_arena_text(b->m->arena, def->name);
    joint->place = def->origin.place;
    joint->place.file = fb_arena_text(b->m->arena, def->origin.place.file);
    joint->type = fb_joint_type_find(def->type);
    if (!joint->type) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "type", "joint '%s' has unknown type '%s'",
                         def->name, def->type ? def->type : "");
        return;
    }
    check_initial_values(b, def, joint->type);
    bool is_ok;
    if (def->has_frames) {
        is_ok = frame_in_body(b, &def->frame_a, &def->origin, "a", &b->frame_a[j]);
        is_ok = frame_in_body(b, &def->frame_b, &def->origin, "b", &b->frame_b[j]) && is_ok;
    } else {
        FbPointDef pa = {.body = def->body_a}, pb = {.body = def->body_b};
        is_ok = point_in_body(b, &pa, &def->origin, "between", &b->frame_a[j]);
        is_ok = point_in_body(b, &pb, &def->origin, "between", &b->frame_b[j]) && is_ok;
        is_ok = is_ok && frames_from_drawing(b, def, joint->type, j);
    }
    if (is_ok && b->frame_a[j].link == b->frame_b[j].link) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, NULL,
                         "joint '%s' connects a body with itself", def->name);
    }
}

FbStatus fb_compile_joint_frames(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_joints = b->def->n_joints;
    m->joints = FB_TAKE(m->arena, FbJoint, m->n_joints + 1);
    b->frame_a = calloc((size_t)m->n_joints + 1, sizeof(FbLinkFrame));
    b->frame_b = calloc((size_t)m->n_joints + 1, sizeof(FbLinkFrame));
    if (!m->joints || !b->frame_a || !b->frame_b) {
        return FB_ERR_MEMORY;
    }
    for (int j = 0; j < m->n_joints; j++) {
        compile_joint(b, j);
    }
    return FB_OK;
}
