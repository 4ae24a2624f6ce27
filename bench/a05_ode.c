// The hand-derived equations of the flyball governor A05 and their exact derivatives.
//
// Coordinates psi (shaft), s (slider), th1, th2 (arms below the horizontal). A point of an arm at
// distance r from its pivot is d + r cos(th) away from the shaft's axis at the height h - r
// sin(th). With the arm turning at psi' about the vertical and at th' about its pivot, its angular
// velocity in its own axes (x along the arm) is (-psi' sin th, th', psi' cos th), so
//   T = 1/2 J(th1, th2) psi'^2 + 1/2 A (th1'^2 + th2'^2) + 1/2 M s'^2,
//   A = I_t + m (L/2)^2 + m_b L^2,   J = J_0 + j(th1) + j(th2),
//   j = I_l sin^2 th + I_t cos^2 th + m (d + L/2 cos th)^2 + m_b (d + L cos th)^2,
//   V = M g s - g (m L/2 + m_b L) (sin th1 + sin th2) + const,
// m, I_l, I_t: mass, lengthwise and transverse central inertia of an arm, m_b a ball, M the slider,
// J_0 shaft and slider about the axis. A spring-damper spans p = (e cos th, h - e sin th - s), e =
// L/2 (the slider's point is as far out as the pivot):
//   l = |p|,  F = k (l - l0) + c l',  l' = l_th th' + l_s s'.
// Lagrange's equations, r = 0:
//   r0 = J psi'' + psi' (j'(th1) th1' + j'(th2) th2')
//   r1 = M s'' + M g + F1 l1_s + F2 l2_s
//   ri = A th'' - 1/2 j'(th) psi'^2 - g (m L/2 + m_b L) cos th + F l_th
#include "a05_ode.h"

#include <math.h>
#include <string.h>

static const double GRAVITY = 9.81, K_SPRING = 8e5, C_DAMPER = 4e4, REST = 0.5;
static const double ARM = 1.0, HALF_ARM = 0.5, PIVOT = 0.05, HEIGHT = 1.0;
static const double M_ARM = 0.3, M_BALL = 5.0, M_SLIDER = 3.0;
// Boxes 1 x 0.01 x 0.01 m and 0.1 m: central inertias m (a^2 + b^2)/12.
static const double I_LONG = 0.3 * 2e-4 / 12.0, I_CROSS = 0.3 * (1.0 + 1e-4) / 12.0;
static const double J_FIXED = 0.3 * 2e-4 / 12.0 + 3.0 * 0.02 / 12.0;
static const double A_ARM = 0.3 * (1.0 + 1e-4) / 12.0 + 0.3 * 0.25 + 5.0;
static const double WEIGHT_ARM = 9.81 * (0.3 * 0.5 + 5.0);

// Inertia of one arm about the shaft's axis and its derivatives.
typedef struct ArmInertia {
    double j, j1, j2;
} ArmInertia;

static ArmInertia arm_inertia(double sn, double cs) {
    double rm = PIVOT + HALF_ARM * cs, rb = PIVOT + ARM * cs, di = I_LONG - I_CROSS;
    ArmInertia a;
    a.j = I_LONG * sn * sn + I_CROSS * cs * cs + M_ARM * rm * rm + M_BALL * rb * rb;
    a.j1 = 2.0 * sn * (di * cs - M_ARM * rm * HALF_ARM - M_BALL * rb * ARM);
    a.j2 = 2.0 * (di * (cs * cs - sn * sn) + M_ARM * HALF_ARM * (HALF_ARM * sn * sn - rm * cs) +
                  M_BALL * ARM * (ARM * sn * sn - rb * cs));
    return a;
}

// Length and force of one spring-damper with their derivatives.
typedef struct Spring {
    double l_th, l_s, l_thth, l_ths, l_ss;
    double force;
} Spring;

static Spring spring_force(double s, double sn, double cs, double v_s, double v_th) {
    double x = HALF_ARM * cs, z = HEIGHT - HALF_ARM * sn - s, l = sqrt(x * x + z * z);
    Spring f = {.l_th = -HALF_ARM * (x * sn + z * cs) / l, .l_s = -z / l};
    f.force = K_SPRING * (l - REST) + C_DAMPER * (f.l_th * v_th + f.l_s * v_s);
    f.l_thth = (HALF_ARM * HALF_ARM - HALF_ARM * (x * cs - z * sn) - f.l_th * f.l_th) / l;
    f.l_ths = (HALF_ARM * cs - f.l_th * f.l_s) / l;
    f.l_ss = (1.0 - f.l_s * f.l_s) / l;
    return f;
}

void a05_start(double q[A05_N], double v[A05_N]) {
    const double pi = acos(-1.0);
    const double q0[A05_N] = {0.0, 0.5, pi / 6.0, pi / 6.0}, v0[A05_N] = {2.0 * pi, 0.0, 0.0, 0.0};
    memcpy(q, q0, sizeof q0);
    memcpy(v, v0, sizeof v0);
}

// r without M a, and the diagonal of M.
static void force_terms(const double* q, const double* v, double* mass, double* r) {
    mass[0] = J_FIXED;
    mass[1] = M_SLIDER;
    r[0] = 0.0;
    r[1] = M_SLIDER * GRAVITY;
    for (int i = 2; i < A05_N; i++) {
        double sn = sin(q[i]), cs = cos(q[i]);
        ArmInertia arm = arm_inertia(sn, cs);
        Spring f = spring_force(q[1], sn, cs, v[1], v[i]);
        mass[0] += arm.j;
        mass[i] = A_ARM;
        r[0] += v[0] * arm.j1 * v[i];
        r[1] += f.force * f.l_s;
        r[i] = f.force * f.l_th - 0.5 * arm.j1 * v[0] * v[0] - WEIGHT_ARM * cs;
    }
}

void a05_residual(const double* q, const double* v, const double* a, double* r) {
    double mass[A05_N];
    force_terms(q, v, mass, r);
    for (int i = 0; i < A05_N; i++) {
        r[i] += mass[i] * a[i];
    }
}

void a05_accelerations(const double* q, const double* v, double* a) {
    double mass[A05_N];
    force_terms(q, v, mass, a);
    for (int i = 0; i < A05_N; i++) {
        a[i] /= -mass[i];
    }
}

static void add_arm(const double* q, const double* v, const double* a, int i, A05Terms* out) {
    double sn = sin(q[i]), cs = cos(q[i]);
    ArmInertia arm = arm_inertia(sn, cs);
    Spring f = spring_force(q[1], sn, cs, v[1], v[i]);
    double F_th = K_SPRING * f.l_th + C_DAMPER * (f.l_thth * v[i] + f.l_ths * v[1]);
    double F_s = K_SPRING * f.l_s + C_DAMPER * (f.l_ths * v[i] + f.l_ss * v[1]);
    double *K = out->K, *C = out->C;
    out->mass[0] += arm.j;
    out->mass[i] = A_ARM;
    out->r[0] += v[0] * arm.j1 * v[i];
    out->r[1] += f.force * f.l_s;
    out->r[i] = A_ARM * a[i] + f.force * f.l_th - 0.5 * arm.j1 * v[0] * v[0] - WEIGHT_ARM * cs;
    K[0 + 4 * i] = arm.j1 * a[0] + v[0] * arm.j2 * v[i];
    K[1 + 4 * i] = F_th * f.l_s + f.force * f.l_ths;
    K[1 + 4] += F_s * f.l_s + f.force * f.l_ss;
    K[i + 4] = F_s * f.l_th + f.force * f.l_ths;
    K[i + 4 * i] =
        F_th * f.l_th + f.force * f.l_thth - 0.5 * arm.j2 * v[0] * v[0] + WEIGHT_ARM * sn;
    C[0] += arm.j1 * v[i];
    C[0 + 4 * i] = v[0] * arm.j1;
    C[1 + 4] += C_DAMPER * f.l_s * f.l_s;
    C[1 + 4 * i] = C_DAMPER * f.l_th * f.l_s;
    C[i] = -arm.j1 * v[0];
    C[i + 4] = C_DAMPER * f.l_s * f.l_th;
    C[i + 4 * i] = C_DAMPER * f.l_th * f.l_th;
}

void a05_terms(const double* q, const double* v, const double* a, A05Terms* out) {
    memset(out, 0, sizeof *out);
    out->mass[0] = J_FIXED;
    out->mass[1] = M_SLIDER;
    out->r[1] = M_SLIDER * (GRAVITY + a[1]);
    add_arm(q, v, a, 2, out);
    add_arm(q, v, a, 3, out);
    out->r[0] += out->mass[0] * a[0];
}

double a05_error(const double s[A05_SAMPLES], const double reference[A05_SAMPLES]) {
    double sum = 0.0;
    for (int i = 0; i < A05_SAMPLES; i++) {
        double e = (s[i] - reference[i]) / reference[i];
        sum += e * e;
    }
    return sqrt(sum / A05_SAMPLES);
}
