// Writes the references of A01 and A02 from their closed forms, accurate to about 1e-17 before
// rounding.
//
// A01, amplitude 90 deg, W = sqrt(g/L), u = W t, k = sin(45 deg):  sin(theta/2) = k cd(u), so that
//   x = -L sin(theta) = -2 L k k' cd(u)/dn(u),   y = -L cos(theta) = L (2 k^2 cd(u)^2 - 1).
// A02, theta from the upward vertical, theta'' = K2 sin(theta), theta(0) = 0, theta'(0) = 1, K2 =
// (g/L) ((N+1)/2 + N)/((N+1)/3 + N):
//   a pendulum that turns over. With W = sqrt(1 + 4 K2)/2, k^2 = K2/W^2, u = W t:  theta = pi + 2
//   am(u - K(k)), so that x = L sin(theta) = 2 L k' sn(u) cn(u)/dn(u)^2,   y = L cos(theta) = L (2
//   cn(u)^2/dn(u)^2 - 1).
//
// Usage: pendulum_reference a01 | pendulum_reference a02 N     (CSV on stdout)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long double GRAVITY = 9.81L;
static const long double PI = 3.141592653589793238462643383279502884L;

typedef struct Jacobi {
    long double sn, cn, dn;
} Jacobi;

enum { MAX_LEVEL = 16 };

// Jacobi's functions of u for the moduli k and k' by the arithmetic-geometric mean.
static Jacobi jacobi(long double u, long double k, long double kc) {
    long double a[MAX_LEVEL] = {1.0L}, c[MAX_LEVEL] = {k}, b = kc;
    int n = 0;
    while (n < MAX_LEVEL - 1 && fabsl(c[n]) > 1e-20L) {
        a[n + 1] = 0.5L * (a[n] + b);
        c[n + 1] = 0.5L * (a[n] - b);
        b = sqrtl(a[n] * b);
        n++;
    }
    long double period = 2.0L * PI / a[n];  // 4 K
    u -= period * floorl(u / period + 0.5L);
    long double phi = ldexpl(a[n] * u, n);
    for (int i = n; i > 0; i--) {
        phi = 0.5L * (phi + asinl(c[i] / a[i] * sinl(phi)));
    }
    Jacobi j = {.sn = sinl(phi), .cn = cosl(phi)};
    j.dn = sqrtl(kc * kc + k * k * j.cn * j.cn);
    return j;
}

static void write_row(long double t, long double x, long double y) {
    printf("%.1Lf,%.17Lg,%.17Lg\n", t, x, y);
}

static void write_a01(void) {
    const long double k = sqrtl(0.5L), w = sqrtl(GRAVITY);
    for (int i = 0; i <= 100; i++) {
        Jacobi j = jacobi(w * i / 10.0L, k, k);
        long double cd = j.cn / j.dn;
        write_row(i / 10.0L, -2.0L * k * k * cd / j.dn, 2.0L * k * k * cd * cd - 1.0L);
    }
}

static void write_a02(int n) {
    const long double k2 = GRAVITY * ((n + 1) / 2.0L + n) / ((n + 1) / 3.0L + n);
    const long double w = sqrtl(1.0L + 4.0L * k2) / 2.0L;
    const long double k = sqrtl(k2) / w, kc = 0.5L / w;
    for (int i = 0; i <= 100; i++) {
        Jacobi j = jacobi(w * i / 10.0L, k, kc);
        long double d2 = j.dn * j.dn;
        write_row(i / 10.0L, 2.0L * kc * j.sn * j.cn / d2, 2.0L * j.cn * j.cn / d2 - 1.0L);
    }
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "a01") == 0) {
        printf("t [s],P.x [m],P.y [m]\n");
        write_a01();
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "a02") == 0 && atoi(argv[2]) > 0) {
        printf("t [s],B0.x [m],B0.y [m]\n");
        write_a02(atoi(argv[2]));
        return 0;
    }
    fprintf(stderr, "usage: pendulum_reference a01 | pendulum_reference a02 N\n");
    return 2;
}
