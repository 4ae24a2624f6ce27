// A classical Runge-Kutta method in extended precision with many steps: the independent reference
// of closed-form tests.
#ifndef FLYBALL_TEST_VERIFY_FINE_ODE_H
#define FLYBALL_TEST_VERIFY_FINE_ODE_H

enum { FINE_MAX = 8 };

typedef void (*FineRate)(const long double* y, long double* rate);

// Advances y by `time` in n steps; with h = 1e-3 of the time scale the error is about 1e-14.
static inline void fine_advance(FineRate f, int size, long double* y, long double time, int n) {
    long double h = time / n, k[4][FINE_MAX], z[FINE_MAX];
    for (int step = 0; step < n; step++) {
        for (int s = 0; s < 4; s++) {
            long double c = s == 0 ? 0.0L : s == 3 ? h : h / 2.0L;
            for (int i = 0; i < size; i++) {
                z[i] = s == 0 ? y[i] : y[i] + c * k[s - 1][i];
            }
            f(z, k[s]);
        }
        for (int i = 0; i < size; i++) {
            y[i] += h / 6.0L * (k[0][i] + 2.0L * k[1][i] + 2.0L * k[2][i] + k[3][i]);
        }
    }
}

#endif
