// A node that follows the mean motion of a group of nodes, which stays flexible (eqs. 12.9 and
// 12.10).
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "mesh/mesh_plan.h"

// The motion of the node is A u, with the displacements u [3 x count] of the group.
typedef struct Average {
    int count;
    int* points;  // [count]
    double* A;    // [6 x 3 count] row-major
    int* pivots;  // [6] columns that are eliminated
} Average;

static FbMat3 invert(const FbMat3* A) {
    FbVec3 a = fb_mat3_col(A, 0), b = fb_mat3_col(A, 1), c = fb_mat3_col(A, 2);
    double det = fb_mat3_det(A);
    FbVec3 rows[3] = {fb_cross(b, c), fb_cross(c, a), fb_cross(a, b)};
    FbMat3 out = {{{0}}};
    for (int i = 0; i < 3; i++) {
        fb_vec3_to(fb_scale(1.0 / det, rows[i]), out.m[i]);
    }
    return out;
}

// Least squares: turn = I^-1 sum r x u about the centre c, u_node = mean u + turn x (node - c)
// (eq. 12.9).
static void set_average(const FbMeshPlan* plan, int node, FbVec3 centre, Average* v) {
    FbMat3 spread = fb_mesh_calc_spread(plan, node, centre), inverse = invert(&spread);
    FbVec3 arm = fb_sub(plan->node_at[node], centre);
    size_t n = 3 * (size_t)v->count;
    for (size_t k = 0; k < n; k++) {
        FbVec3 unit = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        FbVec3 r = fb_sub(plan->mesh.points[v->points[k / 3]], centre);
        FbVec3 turn = fb_mul3(&inverse, fb_cross(r, unit));
        FbVec3 move = fb_axpy(1.0 / v->count, unit, fb_cross(turn, arm));
        double column[6] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
        for (size_t d = 0; d < 6; d++) {
            v->A[d * n + k] = column[d];
        }
    }
}

// Gauss-Jordan with the largest pivots: afterwards the pivot columns are unit vectors, and E
// [6 x 6] is what multiplies the motion of the node. Turns are measured by the group's size.
static void eliminate(Average* v, double length, double E[6][6]) {
    size_t n = 3 * (size_t)v->count;
    memset(E, 0, sizeof(double) * 36);
    for (int d = 0; d < 6; d++) {
        E[d][d] = d < 3 ? 1.0 : length;
        for (size_t k = 0; d >= 3 && k < n; k++) {
            v->A[(size_t)d * n + k] *= length;
        }
    }
    for (int p = 0; p < 6; p++) {
        int row = p;
        size_t col = 0;
        double best = 0.0;
        for (int i = p; i < 6; i++) {
            for (size_t k = 0; k < n; k++) {
                if (fabs(v->A[(size_t)i * n + k]) > best) {
                    best = fabs(v->A[(size_t)i * n + k]);
                    row = i;
                    col = k;
                }
            }
        }
        v->pivots[p] = (int)col;
        for (size_t k = 0; k < n + 6; k++) {
            double* a = k < n ? &v->A[(size_t)p * n + k] : &E[p][k - n];
            double* b = k < n ? &v->A[(size_t)row * n + k] : &E[row][k - n];
            double swap = *a;
            *a = *b;
            *b = swap;
        }
        double pivot = v->A[(size_t)p * n + col];
        for (size_t k = 0; k < n + 6; k++) {
            *(k < n ? &v->A[(size_t)p * n + k] : &E[p][k - n]) /= pivot;
        }
        for (int i = 0; i < 6; i++) {
            double factor = i == p ? 0.0 : v->A[(size_t)i * n + col];
            for (size_t k = 0; factor != 0.0 && k < n + 6; k++) {
                *(k < n ? &v->A[(size_t)i * n + k] : &E[i][k - n]) -=
                    factor * (k < n ? v->A[(size_t)p * n + k] : E[p][k - n]);
            }
        }
    }
}

static bool is_pivot(const Average* v, size_t column) {
    for (int p = 0; p < 6; p++) {
        if ((size_t)v->pivots[p] == column) {
            return true;
        }
    }
    return false;
}

// Six displacements of the group follow from the others and from the node (eq. 12.10).
static FbStatus set_average_terms(FbMeshPlan* plan, int node, const Average* v, double E[6][6]) {
    size_t n = 3 * (size_t)v->count;
    FbMeshTerm* terms = FB_TAKE(plan->arena, FbMeshTerm, n + 7);
    if (!terms) {
        return fb_fail_memory(plan->err);
    }
    for (size_t k = 0; k < n; k++) {
        if (!is_pivot(v, k)) {
            FbMeshTerm own = {plan->n_rows++, 1.0};
            FB_TRY(fb_mesh_set_terms(plan, 6 * v->points[k / 3] + (int)(k % 3), &own, 1));
        }
    }
    for (int p = 0; p < 6; p++) {
        int count = 0;
        for (size_t k = 0; k < n; k++) {
            if (!is_pivot(v, k)) {
                int row = plan->terms[6 * v->points[k / 3] + (int)(k % 3)].items[0].row;
                terms[count++] = (FbMeshTerm){row, -v->A[(size_t)p * n + k]};
            }
        }
        for (int d = 0; d < 6; d++) {
            terms[count++] = (FbMeshTerm){plan->node_rows[node][d], E[p][d]};
        }
        FB_TRY(fb_mesh_set_terms(plan, 6 * v->points[v->pivots[p] / 3] + v->pivots[p] % 3, terms,
                                 count));
    }
    return FB_OK;
}

FbStatus fb_mesh_couple_on_average(FbMeshPlan* plan, int node) {
    Average v = {0};
    double E[6][6], square = 0.0;
    FbVec3 centre = {0}, origin = plan->mesh.points[0];
    v.points = FB_TAKE(plan->arena, int, plan->mesh.n_points + 1);
    v.pivots = FB_TAKE(plan->arena, int, 6);
    for (int i = 0; v.points && i < plan->mesh.n_points; i++) {
        if (plan->coupled[i] == node) {
            v.points[v.count++] = i;
            centre = fb_add(centre, fb_sub(plan->mesh.points[i], origin));
        }
    }
    v.A = FB_TAKE(plan->arena, double, 18 * (size_t)v.count + 1);
    if (fb_arena_has_failed(plan->arena)) {
        return fb_fail_memory(plan->err);
    }
    centre = fb_axpy(1.0 / v.count, centre, origin);
    for (int i = 0; i < v.count; i++) {
        FbVec3 r = fb_sub(plan->mesh.points[v.points[i]], centre);
        square += fb_dot(r, r) / v.count;
    }
    set_average(plan, node, centre, &v);
    eliminate(&v, sqrt(square), E);
    FB_TRY(set_average_terms(plan, node, &v, E));
    for (int i = 0; i < v.count; i++) {  // turns of shells in the group are free
        for (int d = 3; d < plan->n_coordinates[v.points[i]]; d++) {
            FbMeshTerm own = {plan->n_rows++, 1.0};
            FB_TRY(fb_mesh_set_terms(plan, 6 * v.points[i] + d, &own, 1));
        }
    }
    return FB_OK;
}
