// The elastic law of a beam element with large rotations, of second and of fourth order
// (eqs. 8.12, 8.81-8.86).
#include "fem/beam_law.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

enum { N = FB_STRAINS };

// ---- second order ----

// The diagonal stiffness (eq. 8.12).
static void set_diagonal(const FbBeam* beam, double scale, FbBeamModulus* out) {
    double L = beam->length, cube = L * L * L;
    out->is_diagonal = true;
    out->p = fb_scale(scale / L, fb_vec3(beam->GJ, beam->EIy, beam->EIz));
    out->d = fb_scale(scale, fb_vec3(beam->EA / L, 12.0 * beam->EIz / (cube * (1.0 + beam->phi_y)),
                                     12.0 * beam->EIy / (cube * (1.0 + beam->phi_z))));
}

static FbVec3 scale_by(FbVec3 d, FbVec3 x) {
    return fb_vec3(d.x * x.x, d.y * x.y, d.z * x.z);
}

static void multiply_diagonal(const FbBeamModulus* D, FbVec3 psi, FbVec3 delta, double stress[N]) {
    fb_vec3_to(scale_by(D->p, psi), stress);
    fb_vec3_to(scale_by(D->d, delta), stress + 3);
}

// ---- fourth order ----

static double invert(double stiffness) {
    return stiffness != 0.0 ? 1.0 / stiffness : 0.0;
}

static void set_compliance(const FbBeam* beam, FbBeamLaw* law) {
    law->share = beam->length * beam->length / 12.0;
    law->compliance_m = fb_vec3(invert(beam->GJ), invert(beam->EIy), invert(beam->EIz));
    law->compliance_n = fb_vec3(invert(beam->EA), beam->phi_y * law->share * law->compliance_m.z,
                                beam->phi_z * law->share * law->compliance_m.y);
}

// Stretch and shear of the sections (eq. 8.87): the share of delta that is not bending. gamma_x is
// 1 + x for small x = delta_x/L and stays between 0 and 2, so that an element that Newton's method
// crushes keeps its flexibility.
static void set_stretch(const FbBeam* beam, FbVec3 delta, FbBeamLaw* law) {
    FbVec3 strain = fb_scale(1.0 / beam->length, delta);
    double c = 1.0 / sqrt(1.0 + strain.x * strain.x);
    law->gamma_rate =
        fb_vec3(c * c * c, beam->phi_y / (1.0 + beam->phi_y), beam->phi_z / (1.0 + beam->phi_z));
    law->gamma =
        fb_vec3(1.0 + strain.x * c, law->gamma_rate.y * strain.y, law->gamma_rate.z * strain.z);
    law->gamma_second = -3.0 * strain.x * c * c * c * c * c;
}

// The balance inside of the element, tau = (kappa x m + gamma x n, kappa x n) (eq. 8.82), with the
// compliances: rows of C^-1 A.
typedef struct Inside {
    FbMat3 K_m, G_m, K_n;  // C_m^-1 [kappa], C_m^-1 [gamma], C_n^-1 [kappa]
} Inside;

static Inside calc_inside(const FbBeamLaw* law) {
    FbMat3 K = fb_skew(law->kappa), G = fb_skew(law->gamma);
    return (Inside){.K_m = fb_mat3_scale_rows(law->compliance_m, K),
                    .G_m = fb_mat3_scale_rows(law->compliance_m, G),
                    .K_n = fb_mat3_scale_rows(law->compliance_n, K)};
}

// -[a] X = [a]' X
static FbMat3 skew_transposed_mul(FbVec3 a, const FbMat3* X) {
    return fb_skew_mul_mat3(fb_scale(-1.0, a), X);
}

static void store(double s, const FbMat3* X, double* out) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i * N + j] = s * X->m[i][j];
        }
    }
}

// F = C^-1 + L^2/12 A' C^-1 A (eq. 8.83), below and on the diagonal.
static void calc_flexibility(const Inside* in, const FbBeamLaw* law, double F[N * N]) {
    FbMat3 mm = skew_transposed_mul(law->kappa, &in->K_m);
    FbMat3 nm = skew_transposed_mul(law->gamma, &in->K_m);
    FbMat3 nn = fb_mat3_add(skew_transposed_mul(law->gamma, &in->G_m),
                            skew_transposed_mul(law->kappa, &in->K_n));
    double own[N];
    store(law->share, &mm, F);
    store(law->share, &nm, F + 3 * N);
    store(law->share, &nn, F + 3 * N + 3);
    fb_vec3_to(law->compliance_m, own);
    fb_vec3_to(law->compliance_n, own + 3);
    for (int i = 0; i < N; i++) {
        F[i * N + i] += own[i];
    }
}

// Cholesky's factor; F is a sum of squares. A component without stiffness carries no stress, and
// neither does the shear force of its plane.
static void factor_flexibility(const Inside* in, FbBeamLaw* law) {
    const FbVec3 c = law->compliance_m;
    const bool carries[N] = {c.x != 0.0, c.y != 0.0, c.z != 0.0, law->compliance_n.x != 0.0,
                             c.z != 0.0, c.y != 0.0};
    double* F = law->factor;
    calc_flexibility(in, law, F);
    for (int j = 0; j < N; j++) {
        double square = F[j * N + j];
        for (int k = 0; k < j; k++) {
            square -= F[j * N + k] * F[j * N + k];
        }
        law->pivot[j] = carries[j] ? 1.0 / sqrt(square) : 0.0;
        for (int i = j + 1; i < N; i++) {
            double sum = F[i * N + j];
            for (int k = 0; k < j; k++) {
                sum -= F[i * N + k] * F[j * N + k];
            }
            F[i * N + j] = sum * law->pivot[j];
        }
    }
}

static void solve_vector(const FbBeamLaw* law, double x[N]) {
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= law->factor[i * N + k] * x[k];
        }
        x[i] *= law->pivot[i];
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int k = i + 1; k < N; k++) {
            x[i] -= law->factor[k * N + i] * x[k];
        }
        x[i] *= law->pivot[i];
    }
}

// Forward substitution for six columns.
static void solve_lower(const FbBeamLaw* law, double X[N * N]) {
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < i; k++) {
            for (int j = 0; j < N; j++) {
                X[i * N + j] -= law->factor[i * N + k] * X[k * N + j];
            }
        }
        for (int j = 0; j < N; j++) {
            X[i * N + j] *= law->pivot[i];
        }
    }
}

static void solve_upper(const FbBeamLaw* law, double X[N * N]) {
    for (int i = N - 1; i >= 0; i--) {
        for (int k = i + 1; k < N; k++) {
            for (int j = 0; j < N; j++) {
                X[i * N + j] -= law->factor[k * N + i] * X[k * N + j];
            }
        }
        for (int j = 0; j < N; j++) {
            X[i * N + j] *= law->pivot[i];
        }
    }
}

// z = C^-1 A sigma, the slopes of curvature and stretch
static void calc_slopes(const Inside* in, FbVec3 m, FbVec3 n, FbVec3* z_m, FbVec3* z_n) {
    *z_m = fb_add(fb_mul3(&in->K_m, m), fb_mul3(&in->G_m, n));
    *z_n = fb_mul3(&in->K_n, n);
}

// A diag(d)
static FbMat3 scale_columns(FbMat3 A, FbVec3 d) {
    for (int i = 0; i < 3; i++) {
        A.m[i][0] *= d.x;
        A.m[i][1] *= d.y;
        A.m[i][2] *= d.z;
    }
    return A;
}

// scale times X: how F sigma varies with psi/L and delta/L at fixed sigma (eq. 8.85).
static void calc_turning(const FbBeamLaw* law, const double sigma[N], double scale,
                         double X[N * N]) {
    Inside in = calc_inside(law);
    FbVec3 z_m, z_n, m = fb_vec3_from(sigma), n = fb_vec3_from(sigma + 3);
    calc_slopes(&in, m, n, &z_m, &z_n);
    FbVec3 minus_m = fb_scale(-1.0, m), minus_n = fb_scale(-1.0, n);
    FbMat3 K_m = fb_mat3_transpose(in.K_m), G_m = fb_mat3_transpose(in.G_m);
    FbMat3 K_n = fb_mat3_transpose(in.K_n);
    FbMat3 mm = fb_mat3_add(fb_mat3_mul_skew(&K_m, minus_m), fb_skew(z_m));
    FbMat3 mn = scale_columns(fb_mat3_mul_skew(&K_m, minus_n), law->gamma_rate);
    FbMat3 nm = fb_mat3_add(fb_mat3_mul_skew(&G_m, minus_m), fb_skew(z_n));
    FbMat3 nn = fb_mat3_add(fb_mat3_mul_skew(&G_m, minus_n), fb_skew(z_m));
    nm = fb_mat3_add(nm, fb_mat3_mul_skew(&K_n, minus_n));
    nn = scale_columns(nn, law->gamma_rate);
    store(scale * law->share, &mm, X);
    store(scale * law->share, &mn, X + 3);
    store(scale * law->share, &nm, X + 3 * N);
    store(scale * law->share, &nn, X + 3 * N + 3);
}

// s = sigma - L^2/12 (m x z_m + n x z_n, gamma' n x z_m) (eq. 8.84)
static void set_stress(const Inside* in, FbBeamLaw* law) {
    FbVec3 z_m, z_n, m = fb_vec3_from(law->sigma), n = fb_vec3_from(law->sigma + 3);
    calc_slopes(in, m, n, &z_m, &z_n);
    FbVec3 by_kappa = fb_add(fb_cross(m, z_m), fb_cross(n, z_n));
    FbVec3 by_gamma = fb_cross(n, z_m), by_delta = scale_by(law->gamma_rate, by_gamma);
    law->pull = law->gamma_second * by_gamma.x;
    fb_vec3_to(fb_axpy(-law->share, by_kappa, m), law->stress);
    fb_vec3_to(fb_axpy(-law->share, by_delta, n), law->stress + 3);
}

static void init_fourth_order(const FbBeam* beam, FbVec3 psi, FbVec3 delta, FbBeamLaw* law) {
    const double per_length = 1.0 / beam->length;
    set_compliance(beam, law);
    law->kappa = fb_scale(per_length, fb_add(psi, beam->psi_0));
    set_stretch(beam, delta, law);
    Inside in = calc_inside(law);
    factor_flexibility(&in, law);
    fb_vec3_to(fb_scale(per_length, psi), law->sigma);
    fb_vec3_to(fb_scale(per_length, delta), law->sigma + 3);
    solve_vector(law, law->sigma);
    set_stress(&in, law);
    FbVec3 m = fb_vec3_from(law->sigma), n = fb_vec3_from(law->sigma + 3);
    law->energy = 0.5 * (fb_dot(m, psi) + fb_dot(n, delta));
}

// D -= L^2/12 B' C^-1 B, B the derivative of tau by psi/L and delta/L, and the part of the second
// derivative of gamma_x.
static void subtract_geometric(const FbBeamLaw* law, double D[N * N]) {
    FbVec3 m = fb_vec3_from(law->sigma), n = fb_vec3_from(law->sigma + 3);
    FbMat3 M = fb_skew(m), T = fb_skew(n), T_delta = scale_columns(T, law->gamma_rate);
    FbMat3 M_m = fb_mat3_scale_rows(law->compliance_m, M);
    FbMat3 T_m = fb_mat3_scale_rows(law->compliance_m, T_delta);
    FbMat3 T_n = fb_mat3_scale_rows(law->compliance_n, T);
    FbMat3 mm = fb_mat3_add(skew_transposed_mul(m, &M_m), skew_transposed_mul(n, &T_n));
    FbMat3 mn = skew_transposed_mul(m, &T_m), nn = fb_mat3_mul_tn(&T_delta, &T_m);
    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3;
        D[r * N + c] -= law->share * mm.m[r][c];
        D[r * N + c + 3] -= law->share * mn.m[r][c];
        D[(c + 3) * N + r] -= law->share * mn.m[r][c];
        D[(r + 3) * N + c + 3] -= law->share * nn.m[r][c];
    }
    D[3 * N + 3] -= law->share * law->pull;
}

// (1 - X)' F^-1 (1 - X) - L^2/12 B' C^-1 B (eq. 8.86)
static void calc_tangent(const FbBeamLaw* law, double D[N * N]) {
    double Y[N * N];
    calc_turning(law, law->sigma, -1.0, Y);
    for (int i = 0; i < N; i++) {
        Y[i * N + i] += 1.0;
    }
    solve_lower(law, Y);
    memset(D, 0, sizeof(double) * N * N);
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                D[i * N + j] += Y[k * N + i] * Y[k * N + j];
            }
        }
    }
    subtract_geometric(law, D);
}

static FbMat3 take_block(double s, const double* A) {
    FbMat3 out;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.m[i][j] = s * A[i * N + j];
        }
    }
    return out;
}

static void set_modulus(double s, const double D[N * N], FbBeamModulus* out) {
    out->is_diagonal = false;
    out->pp = take_block(s, D);
    out->pd = take_block(s, D + 3);
    out->dp = take_block(s, D + 3 * N);
    out->dd = take_block(s, D + 3 * N + 3);
}

// ---- either ----

void fb_beam_law_init(const FbBeam* beam, FbVec3 psi, FbVec3 delta, FbBeamLaw* out) {
    if (beam->is_fourth_order) {
        init_fourth_order(beam, psi, delta, out);
        return;
    }
    FbBeamModulus D;
    set_diagonal(beam, 1.0, &D);
    multiply_diagonal(&D, psi, delta, out->stress);
    out->energy = 0.5 * (fb_dot(fb_vec3_from(out->stress), psi) +
                         fb_dot(fb_vec3_from(out->stress + 3), delta));
}

// F sigma = rate
void fb_beam_law_calc_damping(const FbBeam* beam, const FbBeamLaw* law, const double rate[N],
                              double stress[N]) {
    if (beam->is_fourth_order) {
        for (int i = 0; i < N; i++) {
            stress[i] = rate[i] / beam->length;
        }
        solve_vector(law, stress);
        return;
    }
    FbBeamModulus D;
    set_diagonal(beam, 1.0, &D);
    multiply_diagonal(&D, fb_vec3_from(rate), fb_vec3_from(rate + 3), stress);
}

// Damping at fixed rates: d sigma = -F^-1 X(sigma) d Omega/L
void fb_beam_law_calc_modulus(const FbBeam* beam, const FbBeamLaw* law, const double damping[N],
                              FbBeamModulus* out) {
    if (!beam->is_fourth_order) {
        set_diagonal(beam, 1.0, out);
        return;
    }
    double D[N * N];
    calc_tangent(law, D);
    if (damping) {
        double Y[N * N];
        calc_turning(law, damping, -beam->beta, Y);
        solve_lower(law, Y);
        solve_upper(law, Y);
        for (int i = 0; i < N * N; i++) {
            D[i] += Y[i];
        }
    }
    set_modulus(1.0 / beam->length, D, out);
}

void fb_beam_law_calc_damping_modulus(const FbBeam* beam, const FbBeamLaw* law,
                                      FbBeamModulus* out) {
    if (!beam->is_fourth_order) {
        set_diagonal(beam, beam->beta, out);
        return;
    }
    double D[N * N] = {0};
    for (int i = 0; i < N; i++) {
        D[i * N + i] = 1.0;
    }
    solve_lower(law, D);
    solve_upper(law, D);
    set_modulus(beam->beta / beam->length, D, out);
}
