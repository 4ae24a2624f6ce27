// Beams as polylines: an element is Hermite's cubic between the places and tangents of its ends, as
// reports and glTF files draw it.
#include "view/beam_fields.h"

#include <math.h>

#include "math/rotation.h"
#include "view/beam_stress.h"

enum { ALONG = 8, POINTS = ALONG + 1 };  // parts and points of an element

static bool is_drawn(const FbBeamElement* e) {
    return e->spline == NULL;
}

int fb_beam_fields_count(const FbModel* m) {
    int n = 0;
    for (int i = 0; i < m->n_beams; i++) {
        n += is_drawn(&m->beams[i]);
    }
    return n;
}

bool fb_beam_fields_have_stress(const FbModel* m) {
    for (int i = 0; i < m->n_beams; i++) {
        if (is_drawn(&m->beams[i]) && !fb_beam_has_stress(&m->beams[i])) {
            return false;
        }
    }
    return true;
}

static bool take_points(FbKeptMesh* mesh, int n) {
    size_t points = (size_t)n * POINTS;
    mesh->n_points = (int)points;
    mesh->n_cells = n;
    mesh->points = FB_TAKE(mesh->arena, FbVec3, points + 1);
    mesh->labels = FB_TAKE(mesh->arena, int, points + 1);
    mesh->shapes = FB_TAKE(mesh->arena, unsigned char, n + 1);
    mesh->first = FB_TAKE(mesh->arena, int, n + 1);
    mesh->nodes = FB_TAKE(mesh->arena, int, points + 1);
    return !fb_arena_has_failed(mesh->arena);
}

FbKeptMesh* fb_beam_fields_create(const FbModel* m) {
    FbKeptMesh* mesh = fb_kept_mesh_create();
    int cell = 0;
    if (!mesh || !take_points(mesh, fb_beam_fields_count(m))) {
        fb_kept_mesh_release(mesh);
        return NULL;
    }
    mesh->R = fb_mat3_identity();
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        for (int k = 0; is_drawn(e) && k < POINTS; k++) {
            int p = POINTS * cell + k;
            FbVec3 along = fb_sub(e->p_drawn[1], e->p_drawn[0]);
            mesh->points[p] = fb_axpy((double)k / ALONG, along, e->p_drawn[0]);
            mesh->labels[p] = cell + 1;
            mesh->nodes[p] = p;
        }
        if (is_drawn(e)) {
            mesh->shapes[cell] = FB_CELL_LINE;
            cell++;
            mesh->first[cell] = POINTS * cell;
        }
    }
    return mesh;
}

// Where an end of an element is now, and what its tangent became.
typedef struct End {
    double pose[7];
    bool is_moving;  // not the ground
    FbVec3 p, t;
} End;

static End find_end(const FbResult* result, int row, const FbBeamElement* e, int k) {
    FbVec3 tangent = fb_sub(e->p_drawn[1], e->p_drawn[0]);
    End end = {.p = e->p_drawn[k], .t = tangent};
    int body = e->body[k];
    if (body < 0 || !fb_result_get_pose(result, row, body, end.pose, end.pose + 3)) {
        return end;
    }
    const FbBody* b = &fb_result_get_model(result)->bodies[body];
    FbMat3 R = fb_rotation_from_quaternion(end.pose + 3);
    FbVec3 arm = fb_mul3_transposed(&b->R_GB, fb_sub(e->p_drawn[k], b->p_GB));
    end.is_moving = true;
    end.p = fb_add(fb_vec3_from(end.pose), fb_mul3(&R, arm));
    end.t = fb_mul3(&R, fb_mul3_transposed(&b->R_GB, tangent));
    if (e->is_linear) {  // a tangent of the linear theory tilts, but does not get shorter
        FbMat3 turn = fb_mat3_mul_tn(&b->R_GB, &R);
        FbVec3 theta = fb_mul3(&b->R_GB, fb_rotation_to_vector(&turn));
        end.t = fb_add(tangent, fb_cross(theta, tangent));
    }
    return end;
}

// Hermite's cubic at the part x of the length.
static FbVec3 calc_place(const End end[2], double x) {
    double y = 1.0 - x;
    FbVec3 r = fb_scale(y * y * (1.0 + 2.0 * x), end[0].p);
    r = fb_axpy(x * x * (1.0 + 2.0 * y), end[1].p, r);
    r = fb_axpy(x * y * y, end[0].t, r);
    return fb_axpy(-y * x * x, end[1].t, r);
}

void fb_beam_fields_calc(const FbResult* result, int row, double* u, double* stress) {
    const FbModel* m = fb_result_get_model(result);
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (!is_drawn(e)) {
            continue;
        }
        End end[2] = {find_end(result, row, e, 0), find_end(result, row, e, 1)};
        double at_ends[2] = {0.0, 0.0};
        if (stress) {
            fb_beam_calc_stress(m, e, end[0].is_moving ? end[0].pose : NULL,
                                end[1].is_moving ? end[1].pose : NULL, at_ends);
        }
        for (int k = 0; k < POINTS; k++) {
            double x = (double)k / ALONG;
            FbVec3 drawn = fb_axpy(x, fb_sub(e->p_drawn[1], e->p_drawn[0]), e->p_drawn[0]);
            fb_vec3_to(fb_sub(calc_place(end, x), drawn), u);
            u += 3;
            if (stress) {
                *stress++ = at_ends[0] + x * (at_ends[1] - at_ends[0]);
            }
        }
    }
}
