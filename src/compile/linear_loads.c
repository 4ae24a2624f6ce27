// Loads on nodes of linear structures: they act along the coordinates as these are in the drawing.
#include "compile/compile.h"

// S0_j . F for a unit along axis c (eq. 8.40).
static FbStatus fill_rows(FbModel* m, const FbKinematics* k, FbForce* e) {
    const FbMat3* R = &k->R[e->a.link];
    FbMat3 axes = e->in_body_frame ? fb_mat3_mul(R, &e->a.R) : fb_mat3_identity();
    FbVec3 point = fb_link_point(k, e->a.link, e->a.p);
    e->linear_rows = FB_TAKE(m->arena, double, 3 * e->n_path + 1);
    if (!e->linear_rows) {
        return FB_ERR_MEMORY;
    }
    for (int j = 0; j < e->n_path; j++) {
        FbVec6 S = fb_column_at(k, m->paths.v[e->path + j], point);
        for (int c = 0; c < 3; c++) {
            FbVec3 unit = fb_mat3_col(&axes, c);
            e->linear_rows[3 * j + c] =
                fb_dot(e->measure == FB_MEASURE_POINT_FORCE ? S.lin : S.ang, unit);
        }
    }
    return FB_OK;
}

FbStatus fb_compile_linear_loads(FbModel* m, const FbKinematics* k) {
    for (int i = 0; i < m->n_forces; i++) {
        FbForce* e = &m->forces[i];
        bool is_load =
            e->measure == FB_MEASURE_POINT_FORCE || e->measure == FB_MEASURE_POINT_TORQUE;
        if (e->type && is_load && fb_compile_is_linear_turn(m, e->a.link, -1)) {
            FB_TRY(fill_rows(m, k, e));
        }
    }
    return FB_OK;
}
