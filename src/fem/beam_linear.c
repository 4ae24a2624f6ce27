// The straight beam element of the linear theory: stiffness, mass and line load in its own axes
// (Euler-Bernoulli or Timoshenko).
//
// Each bending plane has the four coordinates (deflection and slope of the section at A, the same
// at B). In the plane x-y they are u_y and theta_z; in the plane x-z they are u_z and -theta_y,
// because a turn about y lowers the end of the x axis.
#include <string.h>

#include "fem/beam.h"
#include "fem/element.h"
#include "fem/mat12.h"

// Where the four coordinates of a bending plane stand among the twelve, and the sign of the slopes.
typedef struct Plane {
    int index[4];
    double sign;
} Plane;

static const Plane PLANE_XY = {{1, 5, 7, 11}, 1.0};
static const Plane PLANE_XZ = {{2, 4, 8, 10}, -1.0};

// A cubic in xi = x/L, lowest power first.
typedef struct Cubic {
    double c[4];
} Cubic;

static double integrate_product(const Cubic* a, const Cubic* b) {
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            sum += a->c[i] * b->c[j] / (i + j + 1);
        }
    }
    return sum;
}

static void add_plane(const Plane* plane, double A[4][4], double out[FB_BEAM_DOF * FB_BEAM_DOF]) {
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double sign = (i + j) % 2 == 0 ? 1.0 : plane->sign;
            out[plane->index[i] * FB_BEAM_DOF + plane->index[j]] += sign * A[i][j];
        }
    }
}

// a [[1, s], [s, 1]] on one coordinate of both ends.
static void add_pair(int dof, double diagonal, double coupling,
                     double out[FB_BEAM_DOF * FB_BEAM_DOF]) {
    int A = dof, B = dof + 6;
    out[A * FB_BEAM_DOF + A] += diagonal;
    out[B * FB_BEAM_DOF + B] += diagonal;
    out[A * FB_BEAM_DOF + B] += coupling;
    out[B * FB_BEAM_DOF + A] += coupling;
}

// (eq. 8.3)
static void add_bending_stiffness(const Plane* plane, double EI, double phi, double L,
                                  double K[FB_BEAM_DOF * FB_BEAM_DOF]) {
    double k = EI / (L * L * L * (1.0 + phi));
    double shear = 12.0 * k, mixed = 6.0 * k * L;
    double near = (4.0 + phi) * k * L * L, far = (2.0 - phi) * k * L * L;
    double A[4][4] = {{shear, mixed, -shear, mixed},
                      {mixed, near, -mixed, far},
                      {-shear, -mixed, shear, -mixed},
                      {mixed, far, -mixed, near}};
    add_plane(plane, A, K);
}

void fb_beam_calc_stiffness(const FbBeam* beam, double K[FB_BEAM_DOF * FB_BEAM_DOF]) {
    double L = beam->length;
    memset(K, 0, FB_BEAM_DOF * FB_BEAM_DOF * sizeof *K);
    add_pair(0, beam->EA / L, -beam->EA / L, K);
    add_pair(3, beam->GJ / L, -beam->GJ / L, K);
    add_bending_stiffness(&PLANE_XY, beam->EIz, beam->phi_y, L, K);
    add_bending_stiffness(&PLANE_XZ, beam->EIy, beam->phi_z, L, K);
}

// Deflection w = sum N_i and slope of the section = sum T_i of a beam loaded at its ends only
// (eq. 8.2).
static void calc_shapes(double L, double phi, Cubic N[4], Cubic T[4]) {
    double a = 1.0 / (1.0 + phi), h = 0.5 * phi;
    N[0] = (Cubic){{1.0, -a * phi, -3.0 * a, 2.0 * a}};
    N[1] = (Cubic){{0.0, a * L * (1.0 + h), -a * L * (2.0 + h), a * L}};
    N[2] = (Cubic){{0.0, a * phi, 3.0 * a, -2.0 * a}};
    N[3] = (Cubic){{0.0, -a * L * h, -a * L * (1.0 - h), a * L}};
    T[0] = (Cubic){{0.0, -6.0 * a / L, 6.0 * a / L, 0.0}};
    T[1] = (Cubic){{1.0, -a * (4.0 + phi), 3.0 * a, 0.0}};
    T[2] = (Cubic){{0.0, 6.0 * a / L, -6.0 * a / L, 0.0}};
    T[3] = (Cubic){{0.0, -a * (2.0 - phi), 3.0 * a, 0.0}};
}

// int (mu N'N + j T'T) dx (eq. 8.4)
static void add_bending_mass(const Plane* plane, double mu, double j, double phi, double L,
                             double M[FB_BEAM_DOF * FB_BEAM_DOF]) {
    Cubic N[4], T[4];
    calc_shapes(L, phi, N, T);
    double A[4][4];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k <= i; k++) {
            A[i][k] =
                L * (mu * integrate_product(&N[i], &N[k]) + j * integrate_product(&T[i], &T[k]));
            A[k][i] = A[i][k];
        }
    }
    add_plane(plane, A, M);
}

// About y and z the inertia of half the element's sections, and a share of the element's own
// inertia that keeps the mass matrix regular where the sections have none. It is much smaller than
// the m L^2/78 of a scaled consistent diagonal: a node's lump of twice this makes the frequency of
// a wave number k wrong by (k L)^2/1000 of itself, which should stay below the error of the halved
// masses.
void fb_beam_calc_lumped_rotary(const FbBeam* beam, double j[3]) {
    const double share = 1e-3;
    double L = beam->length;
    double own = share * beam->mass_per_length * L * L * L;
    j[0] = 0.5 * L * beam->inertia_x;
    j[1] = 0.5 * L * beam->inertia_y + own;
    j[2] = 0.5 * L * beam->inertia_z + own;
}

// (eq. 8.5)
static void add_lumped_mass(const FbBeam* beam, double M[FB_BEAM_DOF * FB_BEAM_DOF]) {
    double j[3];
    fb_beam_calc_lumped_rotary(beam, j);
    for (int i = 0; i < 3; i++) {
        add_pair(i, 0.5 * beam->length * beam->mass_per_length, 0.0, M);
        add_pair(3 + i, j[i], 0.0, M);
    }
}

void fb_beam_calc_mass(const FbBeam* beam, double M[FB_BEAM_DOF * FB_BEAM_DOF]) {
    double L = beam->length, mu = beam->mass_per_length;
    memset(M, 0, FB_BEAM_DOF * FB_BEAM_DOF * sizeof *M);
    if (beam->is_lumped) {
        add_lumped_mass(beam, M);
        return;
    }
    add_pair(0, mu * L / 3.0, mu * L / 6.0, M);
    add_pair(3, beam->inertia_x * L / 3.0, beam->inertia_x * L / 6.0, M);
    add_bending_mass(&PLANE_XY, mu, beam->inertia_z, beam->phi_y, L, M);
    add_bending_mass(&PLANE_XZ, mu, beam->inertia_y, beam->phi_z, L, M);
}

// Twice the energy of one bending plane: the deflection and the slope along the element squared.
static double calc_bending_square(const Plane* plane, double mu, double j, double phi, double L,
                                  const double d[FB_BEAM_DOF]) {
    Cubic N[4], T[4], w = {{0}}, slope = {{0}};
    const int* at = plane->index;
    if (d[at[0]] == 0.0 && d[at[1]] == 0.0 && d[at[2]] == 0.0 && d[at[3]] == 0.0) {
        return 0.0;  // plane frames
    }
    calc_shapes(L, phi, N, T);
    for (int i = 0; i < 4; i++) {
        double x = d[plane->index[i]] * (i % 2 == 0 ? 1.0 : plane->sign);
        for (int k = 0; k < 4; k++) {
            w.c[k] += x * N[i].c[k];
            slope.c[k] += x * T[i].c[k];
        }
    }
    return L * (mu * integrate_product(&w, &w) + j * integrate_product(&slope, &slope));
}

static double calc_pair_square(double a, double b) {
    return (a * a + a * b + b * b) / 3.0;
}

double fb_beam_calc_energy(const FbBeam* beam, const double d[FB_BEAM_DOF]) {
    double L = beam->length, mu = beam->mass_per_length;
    if (beam->is_lumped) {
        double M[FB_BEAM_DOF * FB_BEAM_DOF];
        fb_beam_calc_mass(beam, M);
        return 0.5 * fb_mat12_form(d, M, d);
    }
    double square =
        mu * L * calc_pair_square(d[0], d[6]) + beam->inertia_x * L * calc_pair_square(d[3], d[9]);
    square += calc_bending_square(&PLANE_XY, mu, beam->inertia_z, beam->phi_y, L, d);
    square += calc_bending_square(&PLANE_XZ, mu, beam->inertia_y, beam->phi_z, L, d);
    return 0.5 * square;
}

static void calc_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K) {
    (void)p;
    fb_beam_calc_stiffness(self, K);
    fb_beam_turn_matrix(R, K);
}

static void calc_mass(const void* self, const FbVec3* p, const FbMat3* R, double* M) {
    (void)p;
    fb_beam_calc_mass(self, M);
    fb_beam_turn_matrix(R, M);
}

static double calc_center(const void* self, const FbVec3* p, FbVec3* center) {
    const FbBeam* beam = self;
    *center = fb_scale(0.5, fb_add(p[0], p[1]));
    return beam->mass_per_length * beam->length;
}

const FbElementType fb_element_beam = {
    .name = "beam",
    .n_nodes = 2,
    .n_coordinates = 6,
    .calc_stiffness = calc_stiffness,
    .calc_mass = calc_mass,
    .calc_center = calc_center,
};
