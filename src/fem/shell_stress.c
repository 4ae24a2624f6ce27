// Stresses and section forces of shell elements as sums of their displacements and turns: in the
// middle of an element or at a node, from the points where they are most accurate (eqs. 12.16 and
// 12.17).
#include <math.h>
#include <string.h>

#include "fem/shell.h"

enum { SAMPLES = 4, COLUMNS = 6 * FB_SHELL_MAX_NODES, STRESSES = 6 };

// Four points of Gauss with the weights that extrapolate to a corner, or the middle alone.
static int get_samples(int n_nodes, int node, double (*xi)[2], double* weight) {
    FbShellPoint points[FB_SHELL_MAX_POINTS];
    static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    double dN[FB_SHELL_MAX_NODES][2], root = sqrt(3.0);
    if (n_nodes == 3 || node < 0) {
        xi[0][0] = xi[0][1] = n_nodes == 3 ? 1.0 / 3.0 : 0.0;
        weight[0] = 1.0;
        return 1;
    }
    fb_shell_get_points(n_nodes, points);
    const double at[2] = {root * corners[node][0], root * corners[node][1]};
    fb_shell_calc_shapes(n_nodes, at, weight, dN);
    for (int k = 0; k < SAMPLES; k++) {
        memcpy(xi[k], points[k].xi, sizeof xi[k]);
    }
    return SAMPLES;
}

// Plane stress, and shear across the thickness as its mean Q/t.
static void calc_local(const FbShell* shell, const FbShellStrains* s, int c, double out[5]) {
    for (int i = 0; i < 3; i++) {
        out[i] = 0.0;
        for (int j = 0; j < 3; j++) {
            out[i] += shell->plane[i][j] * s->B[j][c];
        }
    }
    out[3] = shell->shear[0] * s->B[3][c];
    out[4] = shell->shear[1] * s->B[4][c];
}

// The tensor in ground axes. The shear across the thickness is a parabola: 3/2 of its mean in the
// middle, none at the sides.
static void turn(const FbShellStrains* s, const double local[5], int side, double out[STRESSES]) {
    static const int pairs[STRESSES][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    double across = side == 0 ? 1.5 : 0.0;
    const double T[3][3] = {{local[0], local[2], across * local[3]},
                            {local[2], local[1], across * local[4]},
                            {across * local[3], across * local[4], 0.0}};
    double e[3][3];
    for (int a = 0; a < 3; a++) {
        fb_vec3_to(s->axes[a], e[a]);
    }
    for (int i = 0; i < STRESSES; i++) {
        out[i] = 0.0;
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                out[i] += e[a][pairs[i][0]] * T[a][b] * e[b][pairs[i][1]];
            }
        }
    }
}

static void add_values(const FbShell* shell, const FbShellStrains s[3], int side, double weight,
                       double* out) {
    int n = 6 * shell->n_nodes;
    double t = shell->thickness;
    for (int c = 0; c < n; c++) {
        double local[3][5], values[FB_SHELL_VALUES];
        for (int k = 0; k < 3; k++) {  // bottom, middle, top
            calc_local(shell, &s[k], c, local[k]);
        }
        turn(&s[side + 1], local[side + 1], side, values);
        for (int i = 0; i < 3; i++) {
            values[6 + i] = 0.5 * t * (local[2][i] + local[0][i]);
            values[9 + i] = t * t / 12.0 * (local[2][i] - local[0][i]);
        }
        values[12] = t * local[1][3];
        values[13] = t * local[1][4];
        for (int i = 0; i < FB_SHELL_VALUES; i++) {
            out[i * n + c] += weight * values[i];
        }
    }
}

void fb_shell_calc_stress(const FbShell* shell, const FbVec3* p, const FbMat3* R, int node,
                          int side, double* out) {
    double xi[SAMPLES][2], weight[SAMPLES];
    int n_samples = get_samples(shell->n_nodes, node, xi, weight);
    memset(out, 0, sizeof(double) * FB_SHELL_VALUES * 6 * (size_t)shell->n_nodes);
    for (int k = 0; k < n_samples; k++) {
        FbShellPlace at[3];
        FbShellStrains s[3];
        for (int i = 0; i < 3; i++) {
            at[i] = (FbShellPlace){{xi[k][0], xi[k][1]}, i - 1.0};
        }
        fb_shell_calc_strains(shell, p, R, 3, at, s);
        add_values(shell, s, side, weight[k], out);
    }
}
