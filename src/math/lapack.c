// The dense decompositions that LAPACK computes: singular values, least squares, eigenvalues.
//
// LAPACKE prints when it meets a NaN or runs out of memory in its own checks; the library never
// prints, so the input is checked here first.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "math/lapack_table.h"

static bool is_finite(int m, int n, const double* a) {
    size_t count = (size_t)m * (size_t)n;
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(a[i]) <= DBL_MAX)) {
            return false;
        }
    }
    return true;
}

static FbStatus check_info(lapack_int info, const char* what, FbError* err) {
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR) {
        return fb_fail_memory(err);
    }
    if (info != 0) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL, "%s did not converge (LAPACK info %d)", what,
                       (int)info);
    }
    return FB_OK;
}

static FbStatus not_finite(const char* what, FbError* err) {
    return fb_fail(err, FB_ERR_RANGE, NULL, "%s: the matrix holds a value that is not finite",
                   what);
}

static void set_identity(int n, double* a) {
    memset(a, 0, sizeof *a * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) {
        a[(size_t)i * (size_t)n + (size_t)i] = 1.0;
    }
}

FbStatus fb_svd(int m, int n, double* a, double* s, double* u, double* vt, FbError* err) {
    const char* what = "singular value decomposition";
    if (m == 0 || n == 0) {
        if (u) {
            set_identity(m, u);
        }
        if (vt) {
            set_identity(n, vt);
        }
        return FB_OK;
    }
    if (!is_finite(m, n, a)) {
        return not_finite(what, err);
    }
    const FbLapack* lapack;
    FB_TRY(fb_lapack_get(&lapack, err));
    int smaller = m < n ? m : n;
    double* rest = malloc(sizeof *rest * (size_t)smaller);
    if (!rest) {
        return fb_fail_memory(err);
    }
    double unused;
    lapack_int info = lapack->gesvd(LAPACK_COL_MAJOR, u ? 'A' : 'N', vt ? 'A' : 'N', m, n, a, m, s,
                                    u ? u : &unused, m, vt ? vt : &unused, n, rest);
    free(rest);
    return check_info(info, what, err);
}

// LAPACK keeps a conjugate pair of vectors as real and imaginary part in two columns.
static void unpack_vectors(int n, const double* wi, const double* packed, double complex* vectors) {
    for (int j = 0; j < n; j++) {
        const double* re = packed + (size_t)j * (size_t)n;
        double complex* v = vectors + (size_t)j * (size_t)n;
        if (wi[j] == 0.0 || j == n - 1) {
            for (int i = 0; i < n; i++) {
                v[i] = re[i];
            }
            continue;
        }
        for (int i = 0; i < n; i++) {
            v[i] = CMPLX(re[i], re[n + i]);
            v[n + i] = CMPLX(re[i], -re[n + i]);
        }
        j++;
    }
}

// Residuals of eigenvectors above this times n |A| are not the rounding of the QR algorithm.
static const double BACKWARD = 64.0 * DBL_EPSILON;

// Real and imaginary parts of n eigenvalues and their vectors, packed.
typedef struct Eigen {
    const FbLapack* lapack;
    double *wr, *wi, *packed;
} Eigen;

static double length_of(size_t count, const double* x) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// The largest |A v - w v| of the vectors, real and imaginary parts apart; r [n] is scratch.
static double calc_largest_residual(int n, const double* a, const Eigen* e, double* r) {
    size_t count = (size_t)n;
    double most = 0.0;
    for (int j = 0; j < n; j++) {
        const double* v = e->packed + (size_t)j * count;
        const double* other = e->wi[j] > 0.0 ? v + n : e->wi[j] < 0.0 ? v - n : v;
        for (int i = 0; i < n; i++) {
            r[i] = e->wi[j] * other[i] - e->wr[j] * v[i];
        }
        for (int k = 0; k < n; k++) {
            const double* column = a + (size_t)k * count;
            for (int i = 0; i < n; i++) {
                r[i] += column[i] * v[k];
            }
        }
        most = fmax(most, length_of(count, r));
    }
    return most;
}

// balance: 'B' scales rows and columns to equal sizes first, 'P' permutes alone. room: [n^2 + n].
static lapack_int calc_eigen(int n, const double* a, char balance, double* room, const Eigen* e) {
    size_t square = (size_t)n * (size_t)n;
    double unused, norm, *scale = room + square;
    lapack_int low, high;
    memcpy(room, a, sizeof *a * square);
    return e->lapack->geevx(LAPACK_COL_MAJOR, balance, 'N', 'V', 'N', n, room, n, e->wr, e->wi,
                            &unused, 1, e->packed, n, &low, &high, scale, &norm, &unused, &unused);
}

// Balancing keeps the digits of slow modes beside fast ones. But if a row or column consists only
// of rounding (1e-33 instead of zero), balancing mistakes that for small units and scales it up
// until the vectors are wrong. So its result is kept if it solves a matrix within rounding of the
// given one, and otherwise only if the unbalanced matrix gives nothing better.
static lapack_int calc_best_eigen(int n, const double* a, double* room, Eigen* e, Eigen* other) {
    size_t count = (size_t)n;
    lapack_int info = calc_eigen(n, a, 'B', room, e);
    double limit = BACKWARD * n * length_of(count * count, a);
    double balanced = info == 0 ? calc_largest_residual(n, a, e, room) : INFINITY;
    if (balanced <= limit) {
        return 0;
    }
    lapack_int info_given = calc_eigen(n, a, 'P', room, other);
    if (info_given == 0 && calc_largest_residual(n, a, other, room) < balanced) {
        *e = *other;
        return 0;
    }
    return info;
}

FbStatus fb_eigen_general(int n, const double* a, double complex* w, double complex* vectors,
                          FbError* err) {
    const char* what = "eigenvalues";
    if (n == 0) {
        return FB_OK;
    }
    if (!is_finite(n, n, a)) {
        return not_finite(what, err);
    }
    const FbLapack* lapack;
    FB_TRY(fb_lapack_get(&lapack, err));
    size_t count = (size_t)n, square = count * count, each = 2 * count + square;
    double* parts = malloc(sizeof *parts * (2 * each + square + count));
    if (!parts) {
        return fb_fail_memory(err);
    }
    double *second = parts + each, *room = second + each;
    Eigen e = {lapack, parts, parts + n, parts + 2 * n};
    Eigen other = {lapack, second, second + n, second + 2 * n};
    lapack_int info = calc_best_eigen(n, a, room, &e, &other);
    for (int i = 0; info == 0 && i < n; i++) {
        w[i] = CMPLX(e.wr[i], e.wi[i]);
    }
    if (info == 0 && vectors) {
        unpack_vectors(n, e.wi, e.packed, vectors);
    }
    free(parts);
    return check_info(info, what, err);
}

FbStatus fb_eigen_pencil(int n, double* a, double* e, double complex* alpha, double* beta,
                         double complex* right, double complex* left, FbError* err) {
    const char* what = "eigenvalues of a pencil";
    if (n == 0) {
        return FB_OK;
    }
    if (!is_finite(n, n, a) || !is_finite(n, n, e)) {
        return not_finite(what, err);
    }
    const FbLapack* lapack;
    FB_TRY(fb_lapack_get(&lapack, err));
    size_t count = (size_t)n, square = count * count;
    double* parts = malloc(sizeof *parts * (2 * count + 2 * square));
    if (!parts) {
        return fb_fail_memory(err);
    }
    double *wr = parts, *wi = parts + n, *vr = parts + 2 * n, *vl = vr + square;
    lapack_int info = lapack->ggev(LAPACK_COL_MAJOR, left ? 'V' : 'N', right ? 'V' : 'N', n, a, n,
                                   e, n, wr, wi, beta, vl, n, vr, n);
    for (int i = 0; info == 0 && i < n; i++) {
        alpha[i] = CMPLX(wr[i], wi[i]);
    }
    if (info == 0 && right) {
        unpack_vectors(n, wi, vr, right);
    }
    if (info == 0 && left) {
        unpack_vectors(n, wi, vl, left);
    }
    free(parts);
    return check_info(info, what, err);
}

FbStatus fb_eigen_symmetric_pencil(int n, double* k, double* m, double* w, FbError* err) {
    const char* what = "symmetric eigenvalues";
    if (!is_finite(n, n, k) || !is_finite(n, n, m)) {
        return not_finite(what, err);
    }
    if (n == 0) {
        return FB_OK;
    }
    const FbLapack* lapack;
    FB_TRY(fb_lapack_get(&lapack, err));
    lapack_int info = lapack->sygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, k, n, m, n, w);
    if (info > n) {
        return fb_fail(err, FB_ERR_SINGULAR, NULL,
                       "the mass matrix is not positive definite (row %d)", (int)info - n);
    }
    return check_info(info, what, err);
}
