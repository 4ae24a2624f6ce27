// The stiffness of shell elements. A point of the shell is x = sum N_i (p_i + z V_i), its
// displacement u = sum N_i (u_i + z turn_i x V_i) (eq. 12.4). Covariant transverse shear strains
// are interpolated from tying points, so that thin shells do not lock (MITC4: E. Dvorkin and K.-J.
// Bathe, 1984; MITC3+: Y. Lee, P.-S. Lee and K.-J. Bathe, 2014); incompatible modes let
// quadrilaterals bend in their plane; turns about the normal follow the rotation of the surface (T.
// Hughes and F. Brezzi, 1989).
#include "fem/shell.h"

#include <math.h>
#include <string.h>

enum {
    NODES = FB_SHELL_MAX_NODES,
    BUBBLES = 4,  // of a quadrilateral: two functions along two directions
    TURNS = 2,    // of a triangle: of its centre, about two directions
    ALL = 6 * NODES + BUBBLES,
    STRAINS = 6,  // xx, yy, xy, xz, yz, turn about the normal
};

// The element and what does not change within it.
typedef struct Surface {
    const FbShell* shell;
    int n_nodes, n;  // n: coordinates of the nodes
    int n_moving;    // and of the centre of a triangle, with n_all the bubbles too
    int n_all;
    const FbVec3* p;
    FbVec3 V[NODES];
    FbVec3 axis[2];       // of the material: the second where the first is normal to the surface
    double cosine, sine;  // of its turn about the normal
} Surface;

// Base vectors at a point and the rates of the displacement by each coordinate along them.
typedef struct Point {
    double N[NODES], dN[NODES][2], z;
    FbVec3 g[3];              // x,xi x,eta x,zeta
    FbVec3 du[6 * NODES][3];  // u,xi u,eta u,zeta
} Point;

// Turns of a triangle are enriched by that of its centre: H_i = N_i - f/3 and f = 27 N_1 N_2 N_3.
typedef struct Turning {
    double H[NODES], dH[NODES][2], f, df[2];
} Turning;

static void calc_turning(int n_nodes, const Point* q, Turning* t) {
    const double* N = q->N;
    t->f = n_nodes == 3 ? 27.0 * N[0] * N[1] * N[2] : 0.0;
    for (int d = 0; d < 2; d++) {
        t->df[d] = n_nodes == 3 ? 27.0 * (q->dN[0][d] * N[1] * N[2] + N[0] * q->dN[1][d] * N[2] +
                                          N[0] * N[1] * q->dN[2][d])
                                : 0.0;
    }
    for (int i = 0; i < n_nodes; i++) {
        t->H[i] = N[i] - t->f / 3.0;
        for (int d = 0; d < 2; d++) {
            t->dH[i][d] = q->dN[i][d] - t->df[d] / 3.0;
        }
    }
}

static void set_turn(FbVec3 w, double z, double half, double H, const double dH[2], FbVec3 du[3]) {
    du[0] = fb_scale(dH[0] * z, w);
    du[1] = fb_scale(dH[1] * z, w);
    du[2] = fb_scale(H * half, w);
}

static void calc_point(const Surface* s, const double xi[2], double zeta, Point* q) {
    double half = 0.5 * s->shell->thickness;
    q->z = s->shell->offset + half * zeta;
    fb_shell_calc_shapes(s->n_nodes, xi, q->N, q->dN);
    memset(q->g, 0, sizeof q->g);
    Turning t;
    calc_turning(s->n_nodes, q, &t);
    for (int i = 0; i < s->n_nodes; i++) {
        FbVec3 x = fb_axpy(q->z, s->V[i], fb_sub(s->p[i], s->p[0]));
        q->g[0] = fb_axpy(q->dN[i][0], x, q->g[0]);
        q->g[1] = fb_axpy(q->dN[i][1], x, q->g[1]);
        q->g[2] = fb_axpy(half * q->N[i], s->V[i], q->g[2]);
        for (int d = 0; d < 3; d++) {
            FbVec3 unit = {d == 0, d == 1, d == 2}, w = fb_cross(unit, s->V[i]);
            FbVec3* move = q->du[6 * i + d];
            move[0] = fb_scale(q->dN[i][0], unit);
            move[1] = fb_scale(q->dN[i][1], unit);
            move[2] = (FbVec3){0};
            set_turn(w, q->z, half, t.H[i], t.dH[i], q->du[6 * i + 3 + d]);
        }
    }
    for (int c = s->n; c < s->n_moving; c++) {
        FbVec3 edge = fb_sub(s->p[1 + c - s->n], s->p[0]);
        FbVec3 w = fb_scale(1.0 / fb_norm(edge), edge);  // a turn about the normal to this edge
        set_turn(w, q->z, half, t.f, t.df, q->du[c]);
    }
}

// The covariant shear strain of direction a (xi or eta) and zeta.
static double calc_shear(const Point* q, int coordinate, int a) {
    const FbVec3* du = q->du[coordinate];
    return fb_dot(q->g[a], du[2]) + fb_dot(q->g[2], du[a]);
}

// Tied covariant shear strains of each coordinate: [0] + [2] eta and [1] + [3] xi.
typedef struct Tying {
    double at[4][6 * NODES];
} Tying;

// Eq. 12.5: the shear along xi is tied at the middles of the edges eta = 1, -1, that along eta at
// xi = -1, 1.
static void tie_quadrilateral(const Surface* s, Tying* out) {
    static const double points[4][2] = {{0, 1}, {0, -1}, {-1, 0}, {1, 0}};
    Point q[4];
    for (int k = 0; k < 4; k++) {
        calc_point(s, points[k], 0.0, &q[k]);
    }
    for (int c = 0; c < s->n_moving; c++) {
        double up = calc_shear(&q[0], c, 0), down = calc_shear(&q[1], c, 0);
        double left = calc_shear(&q[2], c, 1), right = calc_shear(&q[3], c, 1);
        out->at[0][c] = 0.5 * (up + down);
        out->at[2][c] = 0.5 * (up - down);
        out->at[1][c] = 0.5 * (left + right);
        out->at[3][c] = 0.5 * (right - left);
    }
}

// Eq. 12.6: constant parts from the points A, B, C, a twist from D, E, F near the centre.
static void tie_triangle(const Surface* s, Tying* out) {
    const double a = 1.0 / 6.0, b = 2.0 / 3.0, m = 1.0 / 3.0, d = 1e-4;
    const double points[6][2] = {
        {a, b}, {b, a}, {a, a}, {m + d, m - 2 * d}, {m - 2 * d, m + d}, {m + d, m + d}};
    Point q[6];
    for (int k = 0; k < 6; k++) {
        calc_point(s, points[k], 0.0, &q[k]);
    }
    for (int c = 0; c < s->n_moving; c++) {
        double e[6][2];
        for (int k = 0; k < 6; k++) {
            e[k][0] = calc_shear(&q[k], c, 0);
            e[k][1] = calc_shear(&q[k], c, 1);
        }
        double both = (e[2][0] + e[2][1]) / 3.0;
        double twist = (e[5][0] - e[3][0] - e[5][1] + e[4][1]) / 3.0;
        out->at[0][c] = 2.0 / 3.0 * (e[1][0] - 0.5 * e[1][1]) + both - twist;
        out->at[1][c] = 2.0 / 3.0 * (e[0][1] - 0.5 * e[0][0]) + both + twist;
        out->at[2][c] = 3.0 * twist;
        out->at[3][c] = -3.0 * twist;
    }
}

static void calc_tied(const Tying* t, const double xi[2], int c, double out[2]) {
    out[0] = t->at[0][c] + t->at[2][c] * xi[1];
    out[1] = t->at[1][c] + t->at[3][c] * xi[0];
}

// Axes at a point: the third normal to the surface, the first along the material.
typedef struct Frame {
    FbVec3 e[3];
    FbVec3 dual[3];  // g^xi, g^eta, g^zeta
    double det;
} Frame;

static void calc_frame(const Surface* s, const Point* q, Frame* f) {
    FbVec3 normal = fb_cross(q->g[0], q->g[1]);
    f->det = fb_dot(normal, q->g[2]);
    f->dual[0] = fb_scale(1.0 / f->det, fb_cross(q->g[1], q->g[2]));
    f->dual[1] = fb_scale(1.0 / f->det, fb_cross(q->g[2], q->g[0]));
    f->dual[2] = fb_scale(1.0 / f->det, normal);
    f->e[2] = fb_scale(1.0 / fb_norm(normal), normal);
    // Steeper than 45 degrees to the first axis the second one leads.
    bool is_steep = fabs(fb_dot(s->axis[0], f->e[2])) > 0.9;
    FbVec3 lead = s->axis[is_steep ? 1 : 0];
    FbVec3 x = fb_axpy(-fb_dot(lead, f->e[2]), f->e[2], lead);
    f->e[0] = fb_scale(1.0 / fb_norm(x), x);
    f->e[1] = fb_cross(f->e[2], f->e[0]);
    double c = s->cosine, d = s->sine;
    FbVec3 turned = fb_axpy(d, f->e[1], fb_scale(c, f->e[0]));
    f->e[1] = fb_axpy(-d, f->e[0], fb_scale(c, f->e[1]));
    f->e[0] = turned;
}

// e_a . (grad u) e_b
static double calc_gradient(const Frame* f, const FbVec3 du[3], int a, int b) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += fb_dot(f->e[a], du[k]) * fb_dot(f->dual[k], f->e[b]);
    }
    return sum;
}

// The local shear strain of axis a and the normal, with the tied covariant parts instead of the
// direct ones.
static double calc_local_shear(const Frame* f, const Point* q, int c, int a, const double tied[2]) {
    double sum = calc_gradient(f, q->du[c], a, 2) + calc_gradient(f, q->du[c], 2, a);
    for (int k = 0; k < 2; k++) {
        double share = fb_dot(f->dual[k], f->e[a]) * fb_dot(f->dual[2], f->e[2]) +
                       fb_dot(f->dual[2], f->e[a]) * fb_dot(f->dual[k], f->e[2]);
        sum += share * (tied[k] - calc_shear(q, c, k));
    }
    return sum;
}

static void set_nodal_columns(const Surface* s, const Tying* t, const double xi[2], const Point* q,
                              const Frame* f, double B[STRAINS][ALL]) {
    for (int c = 0; c < s->n_moving; c++) {
        double tied[2];
        const FbVec3* du = q->du[c];
        calc_tied(t, xi, c, tied);
        B[0][c] = calc_gradient(f, du, 0, 0);
        B[1][c] = calc_gradient(f, du, 1, 1);
        B[2][c] = calc_gradient(f, du, 0, 1) + calc_gradient(f, du, 1, 0);
        B[3][c] = calc_local_shear(f, q, c, 0, tied);
        B[4][c] = calc_local_shear(f, q, c, 1, tied);
    }
}

// Turns about the normal less the rotation of the surface through the nodes (eq. 12.7).
static void set_drilling(const Surface* s, const double xi[2], double B[STRAINS][ALL]) {
    Point q;
    Frame f;
    double zeta = -2.0 * s->shell->offset / s->shell->thickness;
    calc_point(s, xi, zeta, &q);
    calc_frame(s, &q, &f);
    for (int c = 0; c < s->n; c++) {
        double turn = 0.0;
        if (c % 6 >= 3) {
            double n[3];
            fb_vec3_to(f.e[2], n);
            turn = q.N[c / 6] * n[c % 3];
        }
        B[5][c] =
            turn - 0.5 * (calc_gradient(&f, q.du[c], 1, 0) - calc_gradient(&f, q.du[c], 0, 1));
    }
}

// The bubbles 1 - xi^2 and 1 - eta^2 along two directions of the middle of a quadrilateral, with
// the gradients of the centre, so that constant strains stay exact.
static void set_bubbles(const Surface* s, const double xi[2], const Frame* centre, const Frame* f,
                        double B[STRAINS][ALL]) {
    for (int b = 0; s->n_nodes == 4 && b < BUBBLES; b++) {
        FbVec3 along = centre->e[b % 2];
        FbVec3 g = fb_scale(-2.0 * xi[b / 2] * centre->det / f->det, centre->dual[b / 2]);
        double slope[2][2];
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                slope[i][j] = fb_dot(f->e[i], along) * fb_dot(g, f->e[j]);
            }
        }
        int c = s->n + b;
        B[0][c] = slope[0][0];
        B[1][c] = slope[1][1];
        B[2][c] = slope[0][1] + slope[1][0];
        B[5][c] = -0.5 * (slope[1][0] - slope[0][1]);
    }
}

static void add_stiffness(const FbShell* shell, int n, double B[STRAINS][ALL], double weight,
                          double A[ALL][ALL]) {
    double C[STRAINS][STRAINS] = {{0}}, CB[STRAINS][ALL];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C[i][j] = shell->plane[i][j];
        }
    }
    C[3][3] = shell->shear[0];
    C[4][4] = shell->shear[1];
    C[5][5] = shell->drilling;
    for (int i = 0; i < STRAINS; i++) {
        for (int c = 0; c < n; c++) {
            CB[i][c] = 0.0;
            for (int k = 0; k < STRAINS; k++) {
                CB[i][c] += C[i][k] * B[k][c];
            }
        }
    }
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) {
            for (int i = 0; i < STRAINS; i++) {
                A[r][c] += weight * B[i][r] * CB[i][c];
            }
        }
    }
}

// Eliminates the last coordinates, from n_all - 1 down to n.
static void condense(int n, int n_all, double A[ALL][ALL]) {
    for (int k = n_all - 1; k >= n; k--) {
        for (int i = 0; i < k; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = 0; j < k; j++) {
                A[i][j] -= factor * A[k][j];
            }
        }
    }
}

// What the strains of an element are calculated from.
typedef struct Element {
    Surface s;
    Tying tying;
    Frame middle;  // of the centre
} Element;

static void prepare(const FbShell* shell, const FbVec3* p, const FbMat3* R, Element* out) {
    static const double centre[2] = {0, 0};
    Surface* s = &out->s;
    Point q;
    *s = (Surface){.shell = shell, .n_nodes = shell->n_nodes, .n = 6 * shell->n_nodes, .p = p};
    s->n_moving = s->n + (s->n_nodes == 4 ? 0 : TURNS);
    s->n_all = s->n_nodes == 4 ? s->n + BUBBLES : s->n_moving;
    s->axis[0] = fb_mat3_col(R, 0);
    s->axis[1] = fb_mat3_col(R, 1);
    s->cosine = cos(shell->angle);
    s->sine = sin(shell->angle);
    fb_shell_calc_directors(s->n_nodes, p, s->V);
    if (s->n_nodes == 4) {
        tie_quadrilateral(s, &out->tying);
    } else {
        tie_triangle(s, &out->tying);
    }
    calc_point(s, centre, 0.0, &q);
    calc_frame(s, &q, &out->middle);
}

// The strains by all coordinates at a point, in the axes f.
static void calc_strains(const Element* e, const double xi[2], double zeta, Point* at, Frame* f,
                         double B[STRAINS][ALL]) {
    Point q;
    memset(B, 0, sizeof(double) * STRAINS * ALL);
    calc_point(&e->s, xi, zeta, &q);
    calc_frame(&e->s, &q, f);
    set_nodal_columns(&e->s, &e->tying, xi, &q, f, B);
    set_drilling(&e->s, xi, B);
    set_bubbles(&e->s, xi, &e->middle, f, B);
    if (at) {
        *at = q;
    }
}

static void integrate(const Element* e, double A[ALL][ALL]) {
    const double gauss = 0.57735026918962576;
    FbShellPoint points[FB_SHELL_MAX_POINTS];
    int n_points = fb_shell_get_points(e->s.n_nodes, points);
    for (int k = 0; k < n_points; k++) {
        for (int side = -1; side <= 1; side += 2) {
            double B[STRAINS][ALL];
            Frame f;
            calc_strains(e, points[k].xi, side * gauss, NULL, &f, B);
            add_stiffness(e->s.shell, e->s.n_all, B, f.det * points[k].weight, A);
        }
    }
}

void fb_shell_calc_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K) {
    Element e;
    double A[ALL][ALL] = {{0}};
    prepare(self, p, R, &e);
    int n = e.s.n;
    integrate(&e, A);
    condense(n, e.s.n_all, A);
    for (int i = 0; i < n; i++) {
        memcpy(K + (size_t)i * (size_t)n, A[i], sizeof(double) * (size_t)n);
    }
}

// The coordinates that were eliminated, by the others: the rows of the condensed matrix, first to
// last.
static void calc_inner(const Element* e, double W[ALL][ALL]) {
    double A[ALL][ALL] = {{0}};
    integrate(e, A);
    condense(e->s.n, e->s.n_all, A);
    for (int k = e->s.n; k < e->s.n_all; k++) {
        for (int c = 0; c < e->s.n; c++) {
            double sum = A[k][c];
            for (int j = e->s.n; j < k; j++) {
                sum += A[k][j] * W[j][c];
            }
            W[k][c] = -sum / A[k][k];
        }
    }
}

// du/dx along axis a.
static FbVec3 calc_slope(const Frame* f, const FbVec3 du[3], int a) {
    FbVec3 sum = {0};
    for (int k = 0; k < 3; k++) {
        sum = fb_axpy(fb_dot(f->dual[k], f->e[a]), du[k], sum);
    }
    return sum;
}

void fb_shell_calc_strains(const FbShell* shell, const FbVec3* p, const FbMat3* R, int n_at,
                           const FbShellPlace* at, FbShellStrains* out) {
    Element e;
    double W[ALL][ALL];
    prepare(shell, p, R, &e);
    calc_inner(&e, W);
    for (int k = 0; k < n_at; k++) {
        double B[STRAINS][ALL];
        Frame f;
        Point q;
        calc_strains(&e, at[k].xi, at[k].zeta, &q, &f, B);
        memcpy(out[k].axes, f.e, sizeof f.e);
        out[k].det = f.det;
        for (int c = 0; c < 2 * e.s.n; c++) {
            FbVec3* slope = &out[k].slope[c % 2][c / 2];
            *slope = calc_slope(&f, q.du[c / 2], c % 2);
            for (int j = e.s.n; j < e.s.n_moving; j++) {
                *slope = fb_axpy(W[j][c / 2], calc_slope(&f, q.du[j], c % 2), *slope);
            }
        }
        for (int i = 0; i < FB_SHELL_STRAINS; i++) {
            for (int c = 0; c < e.s.n; c++) {
                double sum = B[i][c];
                for (int j = e.s.n; j < e.s.n_all; j++) {
                    sum += B[i][j] * W[j][c];
                }
                out[k].B[i][c] = sum;
            }
        }
    }
}
