// Smooth guides through points of links.
//
// e = W p with constant factors W [4 x n] (eq. 9.39): e, its rates and everything dual to them
// follow from the points by sums.
#include "system/guide_spline.h"

#include <string.h>

// The factors of point j in the four vectors of e.
static void calc_factors(const FbBeamElement* e, int j, double w[4]) {
    const FbGuideSpline* spline = e->spline;
    const double* T = spline->tangents + (size_t)e->segment * (size_t)spline->n + (size_t)j;
    w[0] = j == e->segment;
    w[1] = e->beam.length * T[0];
    w[2] = j == e->segment + 1;
    w[3] = e->beam.length * T[spline->n];
}

static void add_vector(const double w[4], FbVec3 x, double* to) {
    for (int i = 0; i < 4; i++) {
        to[3 * i] += w[i] * x.x;
        to[3 * i + 1] += w[i] * x.y;
        to[3 * i + 2] += w[i] * x.z;
    }
}

static FbVec3 share_of(const double w[4], const double* f) {
    FbVec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        sum = fb_axpy(w[i], fb_vec3_from(f + 3 * i), sum);
    }
    return sum;
}

FbVec3 fb_guide_spline_realize(const FbSystem* s, const FbBeamElement* e, double field[FB_BEAM_DOF],
                               double rate[FB_BEAM_DOF], double acceleration[FB_BEAM_DOF]) {
    const FbLinkFrame* first = &e->end[0];
    memset(field, 0, FB_BEAM_DOF * sizeof(double));
    memset(rate, 0, FB_BEAM_DOF * sizeof(double));
    memset(acceleration, 0, FB_BEAM_DOF * sizeof(double));
    for (int j = 0; j < e->spline->n; j++) {
        const FbLinkFrame* point = &e->spline->points[j];
        FbVec3 at = fb_link_point(&s->k, point->link, point->p);
        double w[4];
        calc_factors(e, j, w);
        add_vector(w, fb_from_point(&s->k, first->link, first->p, point->link, at), field);
        add_vector(w, fb_point_velocity(&s->k, point->link, at), rate);
        add_vector(w, fb_acceleration_about(&s->k, point->link, at).lin, acceleration);
    }
    return fb_add(fb_base_position(&s->k, first->link),
                  fb_link_point(&s->k, first->link, first->p));
}

void fb_guide_spline_push(FbSystem* s, const FbBeamElement* e, const double f[FB_BEAM_DOF]) {
    for (int j = 0; j < e->spline->n; j++) {
        double w[4], force[6] = {0};
        calc_factors(e, j, w);
        fb_vec3_to(share_of(w, f), force);
        fb_port_push(s, &e->spline->points[j], force);
    }
}

FbColumns fb_guide_spline_calc_columns(FbSystem* s, const FbBeamElement* e, bool only_pose) {
    const FbGuideSpline* spline = e->spline;
    size_t n = (size_t)spline->path.n * FB_BEAM_DOF, n_points = (size_t)spline->n;
    double *pose = s->field_columns, *vq = pose + n, *aq = vq + n, *av = aq + n;
    memset(pose, 0, sizeof(double) * n * (only_pose ? 1 : 4));
    for (size_t j = 0; j < n_points; j++) {
        FbEndMotion motion = fb_end_motion(s, &spline->points[j]);
        double w[4];
        calc_factors(e, (int)j, w);
        for (size_t k = 0; k < (size_t)spline->path.n; k++) {
            double own[4][6];
            size_t at = k * FB_BEAM_DOF;
            if (!spline->moves[k * n_points + j]) {
                continue;
            }
            fb_end_calc_column(s, &motion, spline->path.v[k], own[0], only_pose ? NULL : own[1],
                               own[2], own[3]);
            add_vector(w, fb_vec3_from(own[0]), pose + at);
            if (!only_pose) {
                add_vector(w, fb_vec3_from(own[1]), vq + at);
                add_vector(w, fb_vec3_from(own[2]), aq + at);
                add_vector(w, fb_vec3_from(own[3]), av + at);
            }
        }
    }
    return (FbColumns){.n = spline->path.n,
                       .v = spline->path.v,
                       .pose = pose,
                       .velocity_q = only_pose ? NULL : vq,
                       .accel_q = only_pose ? NULL : aq,
                       .accel_v = only_pose ? NULL : av};
}

// S_r . F of one point: S_r rotates with its link, and the point moves (eq. 8.38).
static double geometric_entry(const FbSystem* s, FbVec3 at, FbVec3 force, int r, int c) {
    const int* link_of_v = s->m->tree.link_of_v;
    FbVec6 S = fb_column_at(&s->k, c, at), S_r = fb_column_at(&s->k, r, at);
    double x = fb_dot(S_r.ang, fb_cross(S.lin, force));
    if (link_of_v[c] <= link_of_v[r]) {
        x += fb_dot6(fb_cross_motion(S, S_r), fb_vec6(fb_vec3(0, 0, 0), force));
    }
    return x;
}

void fb_guide_spline_add_geometric(const FbSystem* s, const FbBeamElement* e,
                                   const double f[FB_BEAM_DOF], double* K) {
    const FbGuideSpline* spline = e->spline;
    size_t n = (size_t)spline->n, n_path = (size_t)spline->path.n;
    for (size_t j = 0; j < n; j++) {
        const FbLinkFrame* point = &spline->points[j];
        FbVec3 at = fb_link_point(&s->k, point->link, point->p);
        double w[4];
        calc_factors(e, (int)j, w);
        FbVec3 force = share_of(w, f);
        for (size_t c = 0; c < n_path; c++) {
            for (size_t r = 0; spline->moves[c * n + j] && r < n_path; r++) {
                if (spline->moves[r * n + j]) {
                    int row = spline->path.v[r], col = spline->path.v[c];
                    K[fb_at(&s->m->vv, row, col)] += geometric_entry(s, at, force, row, col);
                }
            }
        }
    }
}
