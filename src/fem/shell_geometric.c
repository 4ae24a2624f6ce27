// The geometric stiffness of shell elements: the stresses in the surface times the slopes of all
// displacements, K_G = int sigma_ab u,a . u,b dV (eq. 12.20).
#include <string.h>

#include "fem/shell.h"

enum { COLUMNS = 6 * FB_SHELL_MAX_NODES };

static void calc_plane_stress(const FbShell* shell, const FbShellStrains* s, int n, const double* u,
                              double t[3]) {
    double e[3] = {0};
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < n; c++) {
            e[i] += s->B[i][c] * u[c];
        }
    }
    for (int i = 0; i < 3; i++) {
        t[i] = 0.0;
        for (int j = 0; j < 3; j++) {
            t[i] += shell->plane[i][j] * e[j];
        }
    }
}

static void add_point(const FbShell* shell, const FbShellStrains* s, double weight, const double* u,
                      double* K) {
    int n = 6 * shell->n_nodes;
    double t[3];
    calc_plane_stress(shell, s, n, u, t);
    for (int r = 0; r < n; r++) {
        FbVec3 a = s->slope[0][r], b = s->slope[1][r];
        FbVec3 x = fb_axpy(t[2], b, fb_scale(t[0], a)), y = fb_axpy(t[2], a, fb_scale(t[1], b));
        for (int c = 0; c < n; c++) {
            K[r * n + c] +=
                weight * s->det * (fb_dot(x, s->slope[0][c]) + fb_dot(y, s->slope[1][c]));
        }
    }
}

void fb_shell_calc_geometric(const void* self, const FbVec3* p, const FbMat3* R, const double* u,
                             double* K) {
    const double gauss = 0.57735026918962576;
    const FbShell* shell = self;
    FbShellPoint points[FB_SHELL_MAX_POINTS];
    FbShellPlace at[2 * FB_SHELL_MAX_POINTS];
    FbShellStrains s[2 * FB_SHELL_MAX_POINTS];
    int n_points = fb_shell_get_points(shell->n_nodes, points);
    memset(K, 0, sizeof(double) * 36 * (size_t)shell->n_nodes * (size_t)shell->n_nodes);
    for (int k = 0; k < 2 * n_points; k++) {
        const double* xi = points[k / 2].xi;
        at[k] = (FbShellPlace){{xi[0], xi[1]}, k % 2 ? gauss : -gauss};
    }
    fb_shell_calc_strains(shell, p, R, 2 * n_points, at, s);
    for (int k = 0; k < 2 * n_points; k++) {
        add_point(shell, &s[k], points[k / 2].weight, u, K);
    }
}
