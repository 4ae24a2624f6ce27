// The few shapes that the motion of a mesh consists of: proper orthogonal decomposition of
// snapshots (L. Sirovich, Turbulence and the dynamics of coherent structures, 1987).
//
//   U = [u_1 ... u_s],  U'U v = lambda v,  shape = U v / sqrt(lambda),  amplitudes = shapes' u
//
// Shapes are written once and amplitudes for each frame, which is much less than the displacements
// of all points in all frames, and shows any time in between.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "view/mesh_picture.h"

// More snapshots cost time, and the motion between them hardly has other shapes; the error is
// measured at as many columns between them.
enum { MOST_SNAPSHOTS = 128 };
// What is left out, as a part of the sum of squares: 1e-5 of the displacements.
static const double LEFT_OUT = 1e-10;
// Smaller eigenvalues are rounding.
static const double ROUNDING = 1e-13;

typedef struct Shaper {
    FbMeshPicture* picture;
    const FbMeshColumns* columns;
    size_t n;  // 3 points
    int n_snapshots;
    double* U;     // [n x n_snapshots]
    double* gram;  // [n_snapshots x n_snapshots], then its eigenvectors
    double *eigenvalues, *unit;
    double* sizes;  // [n_snapshots] largest entries of the shapes as they were
    double *c, *room, *u;
    FbArena* arena;
    FbError* err;
} Shaper;

static void calc_column(const Shaper* s, int column, double* u) {
    const FbMeshPicture* p = s->picture;
    s->columns->get(s->columns->self, p->superelement, column, s->c);
    fb_kept_mesh_calc(p->mesh, s->c, p->points, p->n_points, s->room, u);
}

static double find_largest(const double* u, size_t n) {
    double most = 0.0;
    for (size_t i = 0; i + 2 < n; i += 3) {
        most = fmax(most, u[i] * u[i] + u[i + 1] * u[i + 1] + u[i + 2] * u[i + 2]);
    }
    return sqrt(most);
}

static double dot(size_t n, const double* a, const double* b) {
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            sum[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < n; i++) {
        sum[0] += a[i] * b[i];
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

// The column of a snapshot: evenly spread, with the first and the last.
static int column_of(const Shaper* s, int snapshot) {
    int n = s->n_snapshots;
    return n > 1 ? (int)((long long)snapshot * (s->columns->n - 1) / (n - 1)) : 0;
}

static FbStatus take_snapshots(Shaper* s) {
    size_t n = (size_t)s->n_snapshots;
    for (size_t k = 0; k < n; k++) {
        double* u = s->U + k * s->n;
        calc_column(s, column_of(s, (int)k), u);
        s->picture->largest = fmax(s->picture->largest, find_largest(u, s->n));
        for (size_t j = 0; j <= k; j++) {
            s->gram[k * n + j] = s->gram[j * n + k] = dot(s->n, u, s->U + j * s->n);
        }
        s->unit[k * n + k] = 1.0;
    }
    return fb_eigen_symmetric_pencil(s->n_snapshots, s->gram, s->unit, s->eigenvalues, s->err);
}

// The largest ones, which come last.
static int count_shapes(const Shaper* s, int most) {
    double sum = 0.0, left = 0.0;
    int n = s->n_snapshots, count = 0;
    for (int k = 0; k < n; k++) {
        sum += fmax(0.0, s->eigenvalues[k]);
    }
    left = sum;
    while (count < n && count < most && left > LEFT_OUT * sum &&
           s->eigenvalues[n - 1 - count] > ROUNDING * s->eigenvalues[n - 1]) {
        left -= s->eigenvalues[n - 1 - count++];
    }
    return count;
}

static void form_shape(const Shaper* s, int k) {
    size_t n = (size_t)s->n_snapshots, from = n - 1 - (size_t)k;
    double* shape = s->picture->shapes + (size_t)k * s->n;
    double factor = 1.0 / sqrt(s->eigenvalues[from]);
    for (size_t j = 0; j < n; j++) {
        double x = factor * s->gram[from * n + j];
        const double* u = s->U + j * s->n;
        for (size_t i = 0; i < s->n; i++) {
            shape[i] += x * u[i];
        }
    }
}

// shape' times the displacements by each coordinate.
static void form_amplitudes(const Shaper* s, int k) {
    const FbMeshPicture* p = s->picture;
    const FbKeptMesh* m = p->mesh;
    const double* shape = p->shapes + (size_t)k * s->n;
    size_t n_rows = (size_t)m->n_rows;
    double* rows = s->room;
    memset(rows, 0, sizeof(double) * n_rows);
    for (int i = 0; i < p->n_points; i++) {
        double x[3];
        fb_vec3_to(fb_mul3_transposed(&m->R, fb_vec3_from(shape + 3 * (size_t)i)), x);
        for (int d = 0; d < 3; d++) {
            int at = 3 * p->points[i] + d;
            for (int t = m->term_start[at]; t < m->term_start[at + 1]; t++) {
                rows[m->terms[t].row] += m->terms[t].factor * x[d];
            }
        }
    }
    for (int j = 0; j < m->n; j++) {
        p->amplitudes[(size_t)j * (size_t)p->n_shapes + (size_t)k] =
            m->T ? dot(n_rows, rows, m->T + (size_t)j * n_rows) : rows[j];
    }
}

// The largest entry becomes 1, so that amplitudes are metres.
static void scale_shape(const Shaper* s, int k) {
    FbMeshPicture* p = s->picture;
    double* shape = p->shapes + (size_t)k * s->n;
    double most = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        most = fmax(most, fabs(shape[i]));
    }
    s->sizes[k] = most;
    for (size_t i = 0; i < s->n; i++) {
        shape[i] /= most;
    }
    for (int j = 0; j < p->mesh->n; j++) {
        p->amplitudes[(size_t)j * (size_t)p->n_shapes + (size_t)k] *= most;
    }
}

// ---- Stresses ----

// The coordinates that a shape belongs to, [n x n_shapes]: the same sum as that of snapshots.
static void form_coordinates(const Shaper* s, double* C) {
    const FbMeshPicture* p = s->picture;
    size_t n = (size_t)s->n_snapshots, n_c = (size_t)p->mesh->n;
    memset(C, 0, sizeof(double) * n_c * (size_t)p->n_shapes);
    for (size_t j = 0; j < n; j++) {
        s->columns->get(s->columns->self, p->superelement, column_of(s, (int)j), s->c);
        for (int k = 0; k < p->n_shapes; k++) {
            size_t from = n - 1 - (size_t)k;
            double x = s->gram[from * n + j] / (sqrt(s->eigenvalues[from]) * s->sizes[k]);
            for (size_t i = 0; i < n_c; i++) {
                C[(size_t)k * n_c + i] += x * s->c[i];
            }
        }
    }
}

// The largest entry of each shape becomes 1.
static void scale_stress(FbMeshPicture* p) {
    size_t n = 6 * (size_t)p->n_points;
    for (int k = 0; k < p->n_shapes; k++) {
        double* x = p->stress + (size_t)k * n;
        for (size_t i = 0; i < n; i++) {
            p->scales[k] = fmax(p->scales[k], fabs(x[i]));
        }
        for (size_t i = 0; p->scales[k] > 0.0 && i < n; i++) {
            x[i] /= p->scales[k];
        }
    }
}

static FbStatus find_stress(const Shaper* s) {
    FbMeshPicture* p = s->picture;
    size_t n_shapes = (size_t)p->n_shapes;
    if (!p->mesh->stress || n_shapes == 0) {
        return FB_OK;
    }
    double* C = malloc(sizeof(double) * ((size_t)p->mesh->n * n_shapes + 1));
    p->stress = FB_TAKE(s->arena, double, 6 * (size_t)p->n_points * n_shapes + 1);
    p->scales = FB_TAKE(s->arena, double, n_shapes + 1);
    bool is_good = C && p->stress && p->scales;
    if (is_good) {
        form_coordinates(s, C);
        is_good =
            fb_kept_mesh_calc_stress(p->mesh, C, p->n_shapes, p->points, p->n_points, p->stress);
    }
    free(C);
    if (!is_good) {
        return fb_fail_memory(s->err);
    }
    scale_stress(p);
    return FB_OK;
}

static double calc_error(const Shaper* s, int column) {
    const FbMeshPicture* p = s->picture;
    calc_column(s, column, s->u);
    for (int k = 0; k < p->n_shapes; k++) {
        const double* shape = p->shapes + (size_t)k * s->n;
        double x = 0.0;
        for (int j = 0; j < p->mesh->n; j++) {
            x += p->amplitudes[(size_t)j * (size_t)p->n_shapes + (size_t)k] * s->c[j];
        }
        for (size_t i = 0; i < s->n; i++) {
            s->u[i] -= x * shape[i];
        }
    }
    return find_largest(s->u, s->n);
}

static void measure_error(Shaper* s) {
    FbMeshPicture* p = s->picture;
    double worst = 0.0;
    for (int k = 0; k < s->n_snapshots; k++) {
        int next = k + 1 < s->n_snapshots ? column_of(s, k + 1) : column_of(s, k);
        worst = fmax(worst, calc_error(s, (column_of(s, k) + next) / 2));
    }
    p->error = p->largest > 0.0 ? worst / p->largest : 0.0;
}

static FbStatus find_shapes(Shaper* s, int most) {
    FbMeshPicture* p = s->picture;
    FB_TRY(take_snapshots(s));
    p->n_shapes = p->largest > 0.0 ? count_shapes(s, most) : 0;
    p->shapes = FB_TAKE(s->arena, double, s->n*(size_t)p->n_shapes + 1);
    p->amplitudes = FB_TAKE(s->arena, double, (size_t)p->mesh->n*(size_t)p->n_shapes + 1);
    if (fb_arena_has_failed(s->arena)) {
        return fb_fail_memory(s->err);
    }
    for (int k = 0; k < p->n_shapes; k++) {
        form_shape(s, k);
        form_amplitudes(s, k);
        scale_shape(s, k);
    }
    measure_error(s);
    return find_stress(s);
}

FbStatus fb_mesh_picture_find_shapes(FbMeshPicture* p, const FbMeshColumns* columns, int most,
                                     FbArena* arena, FbError* err) {
    bool are_few = !columns->is_continuous || columns->n < MOST_SNAPSHOTS;
    int n = are_few ? columns->n : MOST_SNAPSHOTS;
    size_t square = (size_t)n * (size_t)n + 1;
    Shaper s = {.picture = p,
                .columns = columns,
                .n = 3 * (size_t)p->n_points,
                .n_snapshots = n,
                .arena = arena,
                .err = err};
    s.U = calloc(s.n * (size_t)n + 1, sizeof(double));
    s.gram = calloc(square, sizeof(double));
    s.unit = calloc(square, sizeof(double));
    s.eigenvalues = calloc(2 * (size_t)n + 1, sizeof(double));
    s.c = calloc((size_t)p->mesh->n + 1, sizeof(double));
    s.room = calloc((size_t)p->mesh->n_rows + 1, sizeof(double));
    s.u = calloc(s.n + 1, sizeof(double));
    s.sizes = s.eigenvalues ? s.eigenvalues + n : NULL;
    bool has_room = s.U && s.gram && s.unit && s.eigenvalues && s.c && s.room && s.u;
    FbStatus status = !has_room ? fb_fail_memory(err) : n > 0 ? find_shapes(&s, most) : FB_OK;
    free(s.U);
    free(s.gram);
    free(s.unit);
    free(s.eigenvalues);
    free(s.c);
    free(s.room);
    free(s.u);
    return status;
}
