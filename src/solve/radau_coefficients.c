// Coefficients of Radau IIA, computed in extended precision instead of tabulated.
//
// Nodes: the roots of P_s(x) - P_{s-1}(x) (Legendre), moved to (0, 1]. A_ij = int_0^{c_i} L_j.
// Eigenvalues gamma of A^-1: the poles of the stability function, i.e. the roots of
//
//   Q(z) = sum_j (2s-1-j)! s! / ((2s-1)! j! (s-j)!) (-z)^j
//
// (Hairer & Wanner, Solving ODEs II, IV.3). Eigenvectors: if p is the polynomial through t_i at
// c_i, P = int p satisfies P - P'/gamma = const Pi(x - c_i), hence
//
//   t_i = sum_k gamma^-k w^(k+1)(c_i) with w = Pi(x - c_i).
#include "solve/radau_coefficients.h"

#include <math.h>
#include <pthread.h>

enum { N = FB_RADAU_MAX_STAGES };

typedef long double Real;
typedef long double complex Complex;

// P_s - P_{s-1} at x.
static Real legendre_difference(int s, Real x) {
    Real before = 1.0L, now = x;
    for (int k = 2; k <= s; k++) {
        Real next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now;
        now = next;
    }
    return now - before;
}

static Real bisect(int s, Real lo, Real hi) {
    Real f_lo = legendre_difference(s, lo);
    for (int i = 0; i < 80; i++) {
        Real mid = 0.5L * (lo + hi);
        Real f = legendre_difference(s, mid);
        if ((f > 0) == (f_lo > 0)) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return 0.5L * (lo + hi);
}

// All roots but x = 1 are simple, inside (-1, 1) and further apart than the scan's spacing.
static void calc_nodes(int s, Real* c) {
    enum { SCAN = 500 };
    int found = 0;
    for (int i = 0; i < SCAN - 1 && found < s - 1; i++) {
        Real lo = -1.0L + 2.0L * i / SCAN, hi = -1.0L + 2.0L * (i + 1) / SCAN;
        if ((legendre_difference(s, lo) > 0) != (legendre_difference(s, hi) > 0)) {
            c[found++] = 0.5L * (1.0L + bisect(s, lo, hi));
        }
    }
    c[s - 1] = 1.0L;
}

// Coefficients of the product of (x - c_i) over all i != skip; `poly` has room for n + 1.
static int product_polynomial(int n, const Real* c, int skip, Real* poly) {
    int degree = 0;
    poly[0] = 1.0L;
    for (int i = 0; i < n; i++) {
        if (i == skip) {
            continue;
        }
        poly[degree + 1] = poly[degree];
        for (int k = degree; k >= 1; k--) {
            poly[k] = poly[k - 1] - c[i] * poly[k];
        }
        poly[0] *= -c[i];
        degree++;
    }
    return degree;
}

static void calc_basis(int s, const Real* c, Real basis[N + 1][N + 1]) {
    for (int j = 0; j < s; j++) {
        Real poly[N + 2];
        product_polynomial(s, c, j, poly);
        Real scale = 1.0L;
        for (int i = 0; i < s; i++) {
            scale *= i == j ? 1.0L : c[j] - c[i];
        }
        for (int k = 0; k < s; k++) {
            basis[j][k] = poly[k] / scale;
        }
    }
}

static void calc_matrix(FbRadauMethod* m, const Real* c, Real basis[N + 1][N + 1]) {
    for (int i = 0; i < m->s; i++) {
        for (int j = 0; j < m->s; j++) {
            Real sum = 0.0L;
            for (int k = m->s - 1; k >= 0; k--) {
                sum = sum * c[i] + basis[j][k] / (k + 1);
            }
            m->A[i][j] = (double)(sum * c[i]);
        }
    }
}

// Monic coefficients of Q from low to high.
static void calc_denominator(int s, Real* poly) {
    poly[0] = 1.0L;
    for (int j = 1; j <= s; j++) {
        poly[j] = -poly[j - 1] * (s - j + 1) / ((Real)j * (2 * s - j));
    }
    for (int j = 0; j <= s; j++) {
        poly[j] /= poly[s];
    }
}

// All roots of a monic polynomial at once (Durand-Kerner).
static void calc_roots(int n, const Real* poly, Complex* z) {
    for (int i = 0; i < n; i++) {
        z[i] = 6.0L * cexpl(I * (0.4L + 6.2831853L * i / n));
    }
    // Convergence is quadratic: two more rounds after 1e-9 reach rounding.
    int more = 3;
    for (int iteration = 0; iteration < 200 && more > 0; iteration++) {
        Real change = 0.0L;
        for (int i = 0; i < n; i++) {
            Complex f = poly[n], d = 1.0L;
            for (int k = n - 1; k >= 0; k--) {
                f = f * z[i] + poly[k];
            }
            for (int k = 0; k < n; k++) {
                d *= k == i ? 1.0L : z[i] - z[k];
            }
            z[i] -= f / d;
            change = fmaxl(change, cabsl(f / d));
        }
        more -= change < 1e-9L;
    }
}

// w^(k)(x) for the polynomial w of degree n.
static Real derivative(int n, const Real* poly, int k, Real x) {
    Real sum = 0.0L;
    for (int i = n; i >= k; i--) {
        Real factor = 1.0L;
        for (int m = 0; m < k; m++) {
            factor *= i - m;
        }
        sum = sum * x + factor * poly[i];
    }
    return sum;
}

static void calc_eigenvector(int s, const Real* c, Complex gamma, Complex* t) {
    Real poly[N + 1];
    product_polynomial(s, c, -1, poly);
    Real largest = 0.0L;
    for (int i = 0; i < s; i++) {
        t[i] = 0.0L;
        for (int k = s - 1; k >= 0; k--) {
            t[i] = t[i] / gamma + derivative(s, poly, k + 1, c[i]);
        }
        largest = fmaxl(largest, cabsl(t[i]));
    }
    for (int i = 0; i < s; i++) {
        t[i] /= largest;
    }
}

// Gauss-Jordan with partial pivoting; a is destroyed.
static void invert(int n, Complex a[N][N], Complex inv[N][N]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            inv[i][j] = i == j;
        }
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = cabsl(a[i][k]) > cabsl(a[best][k]) ? i : best;
        }
        for (int j = 0; j < n; j++) {
            Complex x = a[k][j], y = inv[k][j];
            a[k][j] = a[best][j];
            inv[k][j] = inv[best][j];
            a[best][j] = x;
            inv[best][j] = y;
        }
        Complex pivot = a[k][k];
        for (int j = 0; j < n; j++) {
            a[k][j] /= pivot;
            inv[k][j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            Complex f = i == k ? 0.0L : a[i][k];
            for (int j = 0; j < n; j++) {
                a[i][j] -= f * a[k][j];
                inv[i][j] -= f * inv[k][j];
            }
        }
    }
}

// Orders the roots: the real one first, then one of each pair followed by its conjugate.
static void order_roots(int s, Complex* z) {
    int real = 0;
    for (int i = 1; i < s; i++) {
        real = fabsl(cimagl(z[i])) < fabsl(cimagl(z[real])) ? i : real;
    }
    Complex ordered[N];
    ordered[0] = creall(z[real]);
    int n = 1;
    for (int i = 0; i < s; i++) {
        if (i != real && cimagl(z[i]) > 0) {
            ordered[n++] = z[i];
            ordered[n++] = conjl(z[i]);
        }
    }
    for (int i = 0; i < s; i++) {
        z[i] = ordered[i];
    }
}

static void calc_transformation(FbRadauMethod* m, const Real* c) {
    Real poly[N + 1];
    Complex z[N] = {0}, T[N][N], inverse[N][N];
    calc_denominator(m->s, poly);
    calc_roots(m->s, poly, z);
    order_roots(m->s, z);
    for (int k = 0; k < m->s; k++) {
        Complex t[N];
        calc_eigenvector(m->s, c, z[k], t);
        for (int i = 0; i < m->s; i++) {
            T[i][k] = t[i];
        }
    }
    m->gamma0 = (double)creall(z[0]);
    for (int i = 0; i < m->s; i++) {
        m->t0[i] = (double)creall(T[i][0]);
        for (int k = 0; k < m->n_pair; k++) {
            m->gamma[k] = (double complex)z[1 + 2 * k];
            m->t[i][k] = (double complex)T[i][1 + 2 * k];
        }
    }
    invert(m->s, T, inverse);
    for (int i = 0; i < m->s; i++) {
        m->t0_inv[i] = (double)creall(inverse[0][i]);
        for (int k = 0; k < m->n_pair; k++) {
            m->t_inv[k][i] = (double complex)inverse[1 + 2 * k][i];
        }
    }
}

static void calc_wide_basis(FbRadauMethod* m, const Real* c) {
    Real nodes[N + 1] = {0}, basis[N + 1][N + 1];
    for (int i = 0; i < m->s; i++) {
        nodes[i + 1] = c[i];
    }
    calc_basis(m->s + 1, nodes, basis);
    for (int j = 0; j <= m->s; j++) {
        for (int k = 0; k <= m->s; k++) {
            m->wide[j][k] = (double)basis[j][k];
        }
    }
}

static void calc_method(FbRadauMethod* m, int s) {
    Real c[N] = {0}, basis[N + 1][N + 1];
    m->s = s;
    m->n_pair = (s - 1) / 2;
    calc_nodes(s, c);
    calc_basis(s, c, basis);
    calc_matrix(m, c, basis);
    calc_wide_basis(m, c);
    calc_transformation(m, c);
    for (int j = 0; j < s; j++) {
        m->c[j] = (double)c[j];
        m->at_zero[j] = (double)basis[j][0];
        for (int k = 0; k < s; k++) {
            m->basis[j][k] = (double)basis[j][k];
        }
    }
}

// Constants, computed by the first run of a process that needs them.
static FbRadauMethod methods[3];
static pthread_once_t methods_once[3] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};

static void calc_first(void) {
    calc_method(&methods[0], 3);
}
static void calc_second(void) {
    calc_method(&methods[1], 5);
}
static void calc_third(void) {
    calc_method(&methods[2], 7);
}

void fb_radau_method_init(FbRadauMethod* m, int s) {
    static void (*const calc[])(void) = {calc_first, calc_second, calc_third};
    pthread_once(&methods_once[(s - 3) / 2], calc[(s - 3) / 2]);
    *m = methods[(s - 3) / 2];
}

void fb_radau_basis(const FbRadauMethod* m, double theta, double* values) {
    for (int j = 0; j < m->s; j++) {
        double product = 1.0;
        for (int k = 0; k < m->s; k++) {
            product *= k == j ? 1.0 : (theta - m->c[k]) / (m->c[j] - m->c[k]);
        }
        values[j] = product;
    }
}

void fb_radau_basis_integral(const FbRadauMethod* m, double theta, double* values) {
    for (int j = 0; j < m->s; j++) {
        double sum = 0.0;
        for (int k = m->s - 1; k >= 0; k--) {
            sum = sum * theta + m->basis[j][k] / (k + 1);
        }
        values[j] = sum * theta;
    }
}

void fb_radau_wide_integrals(const FbRadauMethod* m, double theta, double* once, double* twice) {
    for (int j = 0; j <= m->s; j++) {
        double first = 0.0, second = 0.0;
        for (int k = m->s; k >= 0; k--) {
            first = first * theta + m->wide[j][k] / (k + 1);
            second = second * theta + m->wide[j][k] / ((k + 1) * (k + 2));
        }
        once[j] = first * theta;
        twice[j] = second * theta * theta;
    }
}
