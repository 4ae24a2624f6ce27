// Benchmark S3 (a frame with two masses that travel along its columns, form 1a) against a program
// written for it alone: modal coordinates, and a symplectic composition.
//
//   H = p' M(t)^-1 p / 2 + q' K q / 2,  M(t) = M0 + sum m n n',  n the transverse shapes at s(t):
// with M0-orthonormal modes K is diagonal and M^-1 p costs two dot products.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "math/dense.h"
#include "record/csv.h"

enum { ELEMENTS = 6, NODES = 3 * ELEMENTS - 1, N = 3 * NODES, CYCLES = 30, SAMPLES = 40 };
static const double E = 210e9, DENSITY = 7850.0, AREA = 1.2e-3, INERTIA = 8e-7;  // SI
static const double RATE = 39.19, CENTRE = 2.1, AMPLITUDE = 0.84, PHASE = 3.225083, MASS = 7.536;
static const double COLUMN = 3.0, BEAM = 4.0, START = 0.01, LIMIT = 1e-7;
static const double PI = 3.14159265358979323846;

typedef struct Frame {
    double K[N * N], M[N * N];  // column-major; K becomes the modes
    double w2[N];
    double q[N], p[N];  // modal
    double n[2][N];     // modal shapes under the masses
    double corner[N];   // modal shape of the corner's sway
} Frame;

// Nodes of the left column (upwards), the right one and the beam (from left to right); -1: ground.
static int node_of(int member, int i) {
    if (member < 2) {
        return i == 0 ? -1 : member * ELEMENTS + i - 1;
    }
    return i == 0 ? ELEMENTS - 1 : i == ELEMENTS ? 2 * ELEMENTS - 1 : 2 * ELEMENTS + i - 1;
}

// Euler-Bernoulli element from `a` to `b` along x or y.
static void add_element(Frame* f, int a, int b, double length, bool is_column) {
    double L = length, m = DENSITY * AREA * L / 420.0, k = E * INERTIA / (L * L * L);
    double axial = E * AREA / L;
    const double bend[4][4] = {{12, 6 * L, -12, 6 * L},
                               {6 * L, 4 * L * L, -6 * L, 2 * L * L},
                               {-12, -6 * L, 12, -6 * L},
                               {6 * L, 2 * L * L, -6 * L, 4 * L * L}};
    const double mass[4][4] = {{156, 22 * L, 54, -13 * L},
                               {22 * L, 4 * L * L, 13 * L, -3 * L * L},
                               {54, 13 * L, 156, -22 * L},
                               {-13 * L, -3 * L * L, -22 * L, 4 * L * L}};
    // Local axial, transverse, rotation: for a column transverse is -x.
    int end[2] = {a, b};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            int ni = end[i / 3], nj = end[j / 3], ki = i % 3, kj = j % 3;
            if (ni < 0 || nj < 0 || (ki == 0) != (kj == 0)) {
                continue;
            }
            double stiff, heavy;
            if (ki == 0) {
                stiff = i == j ? axial : -axial;
                heavy = m * (i == j ? 140.0 : 70.0);
            } else {
                stiff = k * bend[2 * (i / 3) + ki - 1][2 * (j / 3) + kj - 1];
                heavy = m * mass[2 * (i / 3) + ki - 1][2 * (j / 3) + kj - 1];
            }
            double sign = 1.0;
            if (is_column) {
                sign = (ki == 1 ? -1.0 : 1.0) * (kj == 1 ? -1.0 : 1.0);
                ki = ki == 0 ? 1 : ki == 1 ? 0 : 2;
                kj = kj == 0 ? 1 : kj == 1 ? 0 : 2;
            }
            f->K[(3 * nj + kj) * N + 3 * ni + ki] += sign * stiff;
            f->M[(3 * nj + kj) * N + 3 * ni + ki] += sign * heavy;
        }
    }
}

static void assemble(Frame* f) {
    memset(f->K, 0, sizeof f->K);
    memset(f->M, 0, sizeof f->M);
    for (int member = 0; member < 3; member++) {
        for (int e = 0; e < ELEMENTS; e++) {
            double length = (member < 2 ? COLUMN : BEAM) / ELEMENTS;
            add_element(f, node_of(member, e), node_of(member, e + 1), length, member < 2);
        }
    }
}

// The sway of a column at s by nodal coordinates: four numbers at most.
static int calc_shape(int column, double s, int at[4], double value[4]) {
    double L = COLUMN / ELEMENTS;
    int e = (int)fmin(fmax(floor(s / L), 0.0), ELEMENTS - 1), count = 0;
    double x = s / L - e;
    const double h[4] = {1 - 3 * x * x + 2 * x * x * x, -L * (x - 2 * x * x + x * x * x),
                         3 * x * x - 2 * x * x * x, -L * (x * x * x - x * x)};
    for (int i = 0; i < 4; i++) {
        int node = node_of(column, e + i / 2);
        if (node >= 0) {
            at[count] = 3 * node + (i % 2 == 0 ? 0 : 2);
            value[count++] = h[i];
        }
    }
    return count;
}

static double place(double t) {
    return CENTRE + AMPLITUDE * sin(2.0 * RATE * t + PHASE);
}

static void set_shapes(Frame* f, double s) {
    for (int c = 0; c < 2; c++) {
        int at[4], count = 0;
        double value[4];
        count = calc_shape(c, s, at, value);
        memset(f->n[c], 0, sizeof f->n[c]);
        for (int i = 0; i < count; i++) {
            const double* row = f->M + at[i] * N;  // modes by rows, see transpose()
            for (int k = 0; k < N; k++) {
                f->n[c][k] += value[i] * row[k];
            }
        }
    }
}

// f->M becomes the modes of M0, one nodal coordinate after the other.
static bool find_modes(Frame* f, const double* start, FbError* err) {
    static double M[N * N];
    memcpy(M, f->M, sizeof M);
    if (fb_eigen_symmetric_pencil(N, f->K, M, f->w2, err) != FB_OK) {
        return false;
    }
    for (int k = 0; k < N; k++) {  // q = modes' M0 x
        f->q[k] = f->p[k] = 0.0;
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < N; i++) {
                f->q[k] += f->K[k * N + i] * f->M[j * N + i] * start[j];
            }
        }
    }
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            f->M[i * N + k] = f->K[k * N + i];
        }
    }
    memcpy(f->corner, f->M + (size_t)(3 * (ELEMENTS - 1)) * N, sizeof f->corner);
    return true;
}

// The first mode with the masses at the centre, scaled to the start at the corner.
static bool find_start(double* x, FbError* err) {
    static Frame f;
    double w[N];
    assemble(&f);
    for (int c = 0; c < 2; c++) {
        int at[4], count;
        double value[4];
        count = calc_shape(c, CENTRE, at, value);
        for (int i = 0; i < count * count; i++) {
            f.M[at[i % count] * N + at[i / count]] += MASS * value[i % count] * value[i / count];
        }
    }
    if (fb_eigen_symmetric_pencil(N, f.K, f.M, w, err) != FB_OK) {
        return false;
    }
    for (int i = 0; i < N; i++) {
        x[i] = f.K[i] * START / f.K[3 * (ELEMENTS - 1)];
    }
    return true;
}

static double dot(const double* a, const double* b) {
    double sum[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= N; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < N; i++) {
        sum[0] += a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// q += h M(t)^-1 p
static void drift(Frame* f, double t, double h) {
    set_shapes(f, place(t));
    const double *a = f->n[0], *b = f->n[1];
    double aa = 1.0 / MASS + dot(a, a), bb = 1.0 / MASS + dot(b, b), ab = dot(a, b);
    double pa = dot(a, f->p), pb = dot(b, f->p), det = aa * bb - ab * ab;
    double ya = h * (bb * pa - ab * pb) / det, yb = h * (aa * pb - ab * pa) / det;
    for (int k = 0; k < N; k++) {
        f->q[k] += h * f->p[k] - ya * a[k] - yb * b[k];
    }
}

static void kick(Frame* f, double h) {
    for (int k = 0; k < N; k++) {
        f->p[k] -= h * f->w2[k] * f->q[k];
    }
}

// Blanes and Moan (2002), S6: order 4 with small constants, 6 drifts a step. Order 8 (Suzuki and
// Umeno, 15 drifts) is three times slower at the same error, because stability limits both.
static const double A[3] = {0.0792036964311957, 0.353172906049774, -0.0420650803577195};
static const double B[2] = {0.209515106613362, -0.143851773179818};

// Time passes with the kicks, so that T(p, t) is split, too.
static void step(Frame* f, double t, double h) {
    const double a[7] = {A[0], A[1], A[2], 1.0 - 2.0 * (A[0] + A[1] + A[2]), A[2], A[1], A[0]};
    const double b[6] = {B[0], B[1], 0.5 - B[0] - B[1], 0.5 - B[0] - B[1], B[1], B[0]};
    for (int i = 0; i < 7; i++) {
        kick(f, a[i] * h);
        t += a[i] * h;
        if (i < 6) {
            drift(f, t, b[i] * h);
        }
    }
}

// The next time after t at which a mass is on a border between elements, or `end`.
static double next_border(double t, double end) {
    double first = end, period = PI / RATE;
    for (int e = 1; e < ELEMENTS; e++) {
        double x = (e * COLUMN / ELEMENTS - CENTRE) / AMPLITUDE;
        for (int side = 0; side < 2 && fabs(x) < 1.0; side++) {
            double angle = side == 0 ? asin(x) : PI - asin(x);
            double at = (angle - PHASE) / (2.0 * RATE);
            at += period * ceil((t * (1.0 + 1e-12) + 1e-12 - at) / period);
            first = at > t + 1e-11 ? fmin(first, at) : first;
        }
    }
    return first;
}

// Largest error of the corner at the samples, with steps of about h.
static double calc_error(Frame* f, double h, const FbSamples* reference, int column) {
    double t = 0.0, worst = 0.0;
    for (int i = 1; i <= CYCLES * SAMPLES; i++) {
        double end = i * 2.0 * PI / RATE / SAMPLES;
        while (t < end) {
            double stop = next_border(t, end);
            int n = (int)ceil((stop - t) / h);
            for (int k = 0; k < n; k++) {
                step(f, t + k * (stop - t) / n, (stop - t) / n);
            }
            t = stop;
        }
        double error = dot(f->corner, f->q) - fb_samples_get_value(reference, i, column);
        worst = fmax(worst, fabs(error));
    }
    return worst;
}

typedef struct Best {
    double cpu_s, error, step;
} Best;

// The longest steps that keep the limit.
static bool find_limit(const FbSamples* reference, int column, Best* best, FbError* err) {
    static const double LONGEST = 4e-4, SHORTER = 0.8;
    static Frame f;
    double start[N];
    for (double h = LONGEST; h > 0.01 * LONGEST; h *= SHORTER) {
        assemble(&f);
        if (!find_start(start, err) || !find_modes(&f, start, err)) {
            return false;
        }
        double begin = bench_cpu_time();
        *best = (Best){.error = calc_error(&f, h, reference, column), .step = h};
        best->cpu_s = bench_cpu_time() - begin;
        if (best->error <= LIMIT) {
            return true;
        }
    }
    return false;
}

// ... and the loosest tolerance of ours that does.
static bool find_ours(const FbModel* model, const FbSamples* reference, int column, Best* best,
                      FbError* err) {
    static const double LOOSEST = 1e-3, TIGHTEST = 1e-9, TIGHTER = 0.75;
    for (double rtol = LOOSEST; rtol > TIGHTEST; rtol *= TIGHTER) {
        BenchRun run = {NAN, NAN, rtol, 0.01 * rtol, NULL};
        FbResult* result = NULL;
        *best = (Best){.step = rtol};
        if (bench_simulate(model, &run, &result, &best->cpu_s, err) < 0) {
            return false;
        }
        for (int i = 0; i < fb_result_get_row_count(result); i++) {
            double error =
                fb_result_get_value(result, i, 0) - fb_samples_get_value(reference, i, column);
            best->error = fmax(best->error, fabs(error));
        }
        fb_result_destroy(result);
        if (best->error <= LIMIT) {
            return true;
        }
    }
    return false;
}

int bench_run_sliding(const char* root, FbCsvWriter* csv) {
    char path[1024];
    FbError err = {.text = "no step keeps the limit"};
    FbSamples reference = {0};
    Best limit, ours;
    snprintf(path, sizeof path, "%s/bench/cases/s3/reference.csv", root);
    printf("\nFrame with two travelling masses (S3), each at the coarsest steps with %.0e m\n",
           LIMIT);

    int column = -1;
    bool is_fine = fb_samples_read_csv(&reference, path, &err) == FB_OK &&
                   (column = fb_samples_find(&reference, "corner")) >= 0 &&
                   find_limit(&reference, column, &limit, &err);
    snprintf(path, sizeof path, "%s/bench/cases/s3/frame.yaml", root);
    FbModel* model = bench_load(path, NULL, 0);
    is_fine = is_fine && model && find_ours(model, &reference, column, &ours, &err);
    if (is_fine) {
        printf(
            "modal, symplectic, order 4: %.3f s (%.1e m, h = %.1e s); flyball: %.3f s (%.1e m, "
            "rtol %.1e); ratio %.1f\n",
            limit.cpu_s, limit.error, limit.step, ours.cpu_s, ours.error, ours.step,
            ours.cpu_s / limit.cpu_s);
        bench_write(csv, "sliding", "s3", "limit program", limit.cpu_s, "s");
        bench_write(csv, "sliding", "s3", "flyball", ours.cpu_s, "s");
        bench_write(csv, "sliding", "s3", "ratio", ours.cpu_s / limit.cpu_s, "");
        bench_add_row((BenchRow){.work = "S3 at 1e-7 m",
                                 .what = "modal, symplectic, order 4",
                                 .unit = "s",
                                 .ours = ours.cpu_s,
                                 .other = limit.cpu_s,
                                 .asked = 3.0});
    } else {
        printf("failed: %s\n", err.text);
    }
    fb_samples_free(&reference);
    fb_model_destroy(model);
    return !is_fine;
}
