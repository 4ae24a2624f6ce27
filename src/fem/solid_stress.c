// Stresses in solid elements as sums of their displacements: in the middle of an element, or at a
// node, extrapolated from the points where they are most accurate (eq. 12.16).
#include <math.h>
#include <string.h>

#include "fem/solid.h"

enum { SAMPLES = 8, COLUMNS = 3 * FB_SOLID_MAX_NODES };

// ---- Where ----

static const double CUBE[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static const double WEDGE[6][3] = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1},
                                   {0, 0, 1},  {1, 0, 1},  {0, 1, 1}};
static const double TET[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static bool is_tet(int n_nodes) {
    return n_nodes == 4 || n_nodes == 10;
}
static bool is_hex(int n_nodes) {
    return n_nodes == 8 || n_nodes == 20;
}

static const double (*corners_of(int n_nodes, int* n))[3] {
    *n = is_tet(n_nodes) ? 4 : is_hex(n_nodes) ? 8 : 6;
    return is_tet(n_nodes) ? TET : is_hex(n_nodes) ? CUBE : WEDGE;
}

// The coordinates of a node; of the middle of an edge between the two corners at its ends, which
// are those where its own function is 1 at one place alone: found by the function itself.
static void find_place(const FbSolidShape* shape, int node, double xi[3]) {
    int n;
    const double(*corners)[3] = corners_of(shape->n_nodes, &n);
    memset(xi, 0, 3 * sizeof *xi);
    for (int i = 0; node < 0 && i < n; i++) {
        for (int d = 0; d < 3; d++) {
            xi[d] += corners[i][d] / n;
        }
    }
    if (node >= 0 && node < n) {
        memcpy(xi, corners[node], 3 * sizeof *xi);
    }
    for (int i = 0; node >= n && i < n; i++) {
        for (int j = 0; j < i; j++) {
            double N[FB_SOLID_MAX_NODES], dN[FB_SOLID_MAX_NODES][3], at[3];
            for (int d = 0; d < 3; d++) {
                at[d] = 0.5 * (corners[i][d] + corners[j][d]);
            }
            shape->calc(at, N, dN);
            if (fabs(N[node] - 1.0) < 1e-9) {
                memcpy(xi, at, sizeof at);
                return;
            }
        }
    }
}

// ---- Samples and extrapolation ----

static int get_samples(int n_nodes, FbSolidPoint* out) {
    const FbSolidShape* shape = n_nodes == 4      ? &fb_solid_tet4
                                : n_nodes == 10   ? &fb_solid_tet10
                                : is_hex(n_nodes) ? &fb_solid_hex8
                                                  : &fb_solid_wedge6;
    return shape->get_points(false, out);
}

// As many functions as samples, which interpolate between them.
static void calc_basis(int n_samples, const double xi[3], double* f) {
    double x = xi[0], y = xi[1], z = xi[2];
    const double hex[8] = {1, x, y, z, x * y, y * z, z * x, x * y * z};
    const double wedge[6] = {1, x, y, z, x * z, y * z};
    memcpy(f, n_samples == 6 ? wedge : hex, sizeof(double) * (size_t)n_samples);
}

// Solves sum_k w_k f_j(xi_k) = f_j(xi) by Gauss elimination with row pivots.
static void calc_weights(int n, const FbSolidPoint* samples, const double xi[3], double* w) {
    double A[SAMPLES][SAMPLES], f[SAMPLES];
    calc_basis(n, xi, w);
    for (int k = 0; k < n; k++) {
        calc_basis(n, samples[k].xi, f);
        for (int j = 0; j < n; j++) {
            A[j][k] = f[j];
        }
    }
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++) {
            best = fabs(A[i][p]) > fabs(A[best][p]) ? i : best;
        }
        for (int k = 0; k <= n; k++) {
            double* a = k < n ? &A[p][k] : &w[p];
            double* b = k < n ? &A[best][k] : &w[best];
            double swap = *a;
            *a = *b;
            *b = swap;
        }
        for (int i = 0; i < n; i++) {
            double factor = i == p ? 0.0 : A[i][p] / A[p][p];
            for (int k = p; k < n; k++) {
                A[i][k] -= factor * A[p][k];
            }
            w[i] -= factor * w[p];
        }
    }
    for (int p = 0; p < n; p++) {
        w[p] /= A[p][p];
    }
}

// ---- Stresses ----

void fb_solid_prepare_stress(const FbSolid* solid, const FbVec3* p, const FbMat3* R,
                             FbSolidStress* out) {
    out->shape = solid->shape;
    out->p = p;
    fb_solid_calc_material(solid, R, out->D);
    if (fb_solid_count_bubbles(solid->shape) > 0) {
        fb_solid_solve_bubbles(solid->shape, p, out->D, out->bubbles);
    }
}

// out [6 x 3 n] += weight D B at one point.
static void add_stress(const FbSolidStress* s, const double xi[3], double weight, double* out) {
    int n = s->shape->n_nodes;
    double dN[FB_SOLID_MAX_NODES + FB_SOLID_MAX_BUBBLES][3], B[6][COLUMNS];
    int n_functions = fb_solid_calc_gradients(s->shape, s->p, xi, dN);
    memset(B, 0, sizeof B);
    fb_solid_calc_strains(n, dN, B[0], COLUMNS);
    if (n_functions > n) {
        fb_solid_add_bubbles(s->shape, s->bubbles, dN + n, B[0], COLUMNS);
    }
    for (int i = 0; i < 6; i++) {
        for (int c = 0; c < 3 * n; c++) {
            double sum = 0.0;
            for (int k = 0; k < 6; k++) {
                sum += s->D[i][k] * B[k][c];
            }
            out[i * 3 * n + c] += weight * sum;
        }
    }
}

void fb_solid_calc_stress(const FbSolidStress* stress, int node, double* out) {
    int n = stress->shape->n_nodes;
    FbSolidPoint samples[FB_SOLID_MAX_POINTS];
    double xi[3], w[SAMPLES];
    int n_samples = get_samples(n, samples);
    find_place(stress->shape, node, xi);
    calc_weights(n_samples, samples, xi, w);
    memset(out, 0, sizeof(double) * 18 * (size_t)n);
    for (int k = 0; k < n_samples; k++) {
        add_stress(stress, samples[k].xi, w[k], out);
    }
}

void fb_solid_calc_stress_at(const FbSolidStress* stress, const double xi[3], const double* u,
                             double t[6]) {
    int n = 3 * stress->shape->n_nodes;
    double S[6 * COLUMNS] = {0};
    add_stress(stress, xi, 1.0, S);
    for (int i = 0; i < 6; i++) {
        t[i] = 0.0;
        for (int c = 0; c < n; c++) {
            t[i] += S[i * n + c] * u[c];
        }
    }
}
