// Linearization in independent coordinates: 2 f eigenvalues (f + p with rolling), all of them true.
//
// dq = Nh eta, dv = N zeta + B eta with Gh Nh = 0, G N = 0, G B = -Gq Nh (B = 0 at rest), and
// dv' = N zeta' + D (eta, zeta) from the second derivative of the constraints. With the tangent
// kinematics dq' = dv + W dq and the projected equations of motion N' (M dv' + C dv + K dq + Rx dx)
// = 0 (eqs. 7.4-7.7):
//   eta'  = (N zeta + B eta + W Nh eta)_independent
//   zeta' = -(N'MN)^-1 N' ((K Nh + C B) eta + C N zeta + M D (eta, zeta) + Rx x).
#include <math.h>
#include <string.h>

#include "linear/linearization.h"
#include "math/dense.h"

// out [k x n2] = a' b with a [n x k], b [n x n2]
static void multiply_tn(int n, int k, int n2, const double* a, const double* b, double* out) {
    for (int j = 0; j < n2; j++) {
        for (int i = 0; i < k; i++) {
            double sum = 0.0;
            for (int r = 0; r < n; r++) {
                sum += a[(size_t)i * (size_t)n + (size_t)r] * b[(size_t)j * (size_t)n + (size_t)r];
            }
            out[(size_t)j * (size_t)k + (size_t)i] = sum;
        }
    }
}

// out [n x k] = factor a b + (keep ? out : 0) with a [n x n], b [n x k]
static void multiply(int n, int k, double factor, const double* a, const double* b, bool keep,
                     double* out) {
    for (int j = 0; j < k; j++) {
        double* column = out + (size_t)j * (size_t)n;
        if (!keep) {
            memset(column, 0, sizeof(double) * (size_t)n);
        }
        for (int r = 0; r < n; r++) {
            double x = factor * b[(size_t)j * (size_t)n + (size_t)r];
            const double* from = a + (size_t)r * (size_t)n;
            for (int i = 0; x != 0.0 && i < n; i++) {
                column[i] += x * from[i];
            }
        }
    }
}

// The dependent columns of G, factored in work_a: the elimination that made N, once more.
static FbStatus factor_dependent(FbLinearization* l, FbError* err) {
    int m = l->b.m;
    for (int k = 0; k < m; k++) {
        memcpy(l->work_a + (size_t)k * (size_t)m, l->b.G + (size_t)l->all.dependent[k] * (size_t)m,
               sizeof(double) * (size_t)m);
    }
    return fb_lu_factor(m, l->work_a, l->pivot) < 0
               ? FB_OK
               : fb_fail(err, FB_ERR_SINGULAR, NULL,
                         "the constraints are dependent at the operating point");
}

// rhs [m] -= rows [m x n] x
static void subtract_rows(const FbDenseBlocks* b, const double* rows, const double* x,
                          double* rhs) {
    for (int c = 0; c < b->n; c++) {
        for (int r = 0; x[c] != 0.0 && r < b->m; r++) {
            rhs[r] -= rows[(size_t)c * (size_t)b->m + (size_t)r] * x[c];
        }
    }
}

// The dependent entries of column: G column = rhs.
static void solve_dependent(FbLinearization* l, double* rhs, double* column) {
    fb_lu_solve(l->b.m, l->work_a, l->pivot, rhs);
    for (int k = 0; k < l->b.m; k++) {
        column[l->all.dependent[k]] = rhs[k];
    }
}

// G D = -(Gq + G') dv - (Gq W + Gq') dq for one column of (dq, dv); dq may be NULL.
static void calc_acceleration_part(FbLinearization* l, const double* dq, const double* dv,
                                   double* column) {
    const FbDenseBlocks* b = &l->b;
    double *rhs = l->dense, *turned = l->dense + b->m;
    memset(rhs, 0, sizeof(double) * (size_t)b->m);
    subtract_rows(b, b->Gq, dv, rhs);
    subtract_rows(b, b->G_rate, dv, rhs);
    if (dq) {
        subtract_rows(b, b->Gq_rate, dq, rhs);
        memset(turned, 0, sizeof(double) * (size_t)b->n);
        for (int c = 0; b->W && c < b->n; c++) {
            for (int i = 0; dq[c] != 0.0 && i < b->n; i++) {
                turned[i] += b->W[(size_t)c * (size_t)b->n + (size_t)i] * dq[c];
            }
        }
        subtract_rows(b, b->Gq, turned, rhs);
    }
    solve_dependent(l, rhs, column);
}

// B and D in the dependent coordinates; nothing where nothing moves.
static FbStatus calc_motion_parts(FbLinearization* l, FbError* err) {
    const FbDenseBlocks* b = &l->b;
    size_t n = (size_t)b->n;
    memset(l->Bv, 0, sizeof(double) * n * (size_t)l->f);
    memset(l->Dv, 0, sizeof(double) * n * (size_t)(l->f + l->p));
    if (!b->G_rate) {
        return FB_OK;
    }
    FB_TRY(factor_dependent(l, err));
    for (int j = 0; j < l->f; j++) {
        const double* dq = l->holonomic.N + (size_t)j * n;
        double* dv = l->Bv + (size_t)j * n;
        memset(l->dense, 0, sizeof(double) * (size_t)b->m);
        subtract_rows(b, b->Gq, dq, l->dense);
        solve_dependent(l, l->dense, dv);
        calc_acceleration_part(l, dq, dv, l->Dv + (size_t)j * n);
    }
    for (int j = 0; j < l->p; j++) {
        calc_acceleration_part(l, NULL, l->all.N + (size_t)j * n, l->Dv + (size_t)(l->f + j) * n);
    }
    return FB_OK;
}

// eta' rows of A.
static void fill_kinematics(FbLinearization* l) {
    const FbDenseBlocks* b = &l->b;
    int n = b->n, f = l->f, N = l->n_reduced;
    for (int i = 0; i < f; i++) {
        int row = l->holonomic.independent[i];
        for (int j = 0; j < f; j++) {
            double x = l->Bv[(size_t)j * (size_t)n + (size_t)row];
            for (int c = 0; b->W && c < n; c++) {
                x += b->W[(size_t)c * (size_t)n + (size_t)row] *
                     l->holonomic.N[(size_t)j * (size_t)n + (size_t)c];
            }
            l->A[(size_t)j * (size_t)N + (size_t)i] = x;
        }
        for (int j = 0; j < l->p; j++) {
            l->A[(size_t)(f + j) * (size_t)N + (size_t)i] =
                l->all.N[(size_t)j * (size_t)n + (size_t)row];
        }
    }
}

// The projected mass, damping and stiffness; work_a and work_e [n x (f + p)] are scratch.
static void project(FbLinearization* l) {
    const FbDenseBlocks* b = &l->b;
    int n = b->n, f = l->f, p = l->p;
    double *t = l->work_e, *NMD = l->work_a;
    multiply(n, p, 1.0, b->M, l->all.N, false, l->MN);
    multiply_tn(n, p, p, l->all.N, l->MN, l->Mr);
    multiply(n, p, 1.0, b->C, l->all.N, false, t);
    multiply_tn(n, p, p, l->all.N, t, l->Cr);
    multiply(n, f, 1.0, b->K, l->holonomic.N, false, t);
    if (b->G_rate) {
        multiply(n, f, 1.0, b->C, l->Bv, true, t);
    }
    multiply_tn(n, p, f, l->all.N, t, l->Kr);
    if (b->G_rate) {
        multiply(n, f + p, 1.0, b->M, l->Dv, false, t);
        multiply_tn(n, p, f + p, l->all.N, t, NMD);
        for (int i = 0; i < p * f; i++) {
            l->Kr[i] += NMD[i];
        }
        for (int i = 0; i < p * p; i++) {
            l->Cr[i] += NMD[p * f + i];
        }
    }
}

// Masses and moments of inertia differ by the square of a length: elimination in the model's units
// would lose the digits of the smaller ones.
void fb_linear_scale_mass(FbLinearization* l) {
    for (int i = 0; i < l->p; i++) {
        int exponent = 0;
        double mass = l->Mr[(size_t)i * (size_t)l->p + (size_t)i];
        if (mass > 0.0 && isfinite(mass)) {
            frexp(mass, &exponent);
        }
        l->mass_unit[i] = ldexp(1.0, -exponent / 2);
    }
}

void fb_linear_solve_mass(const FbLinearization* l, double* column) {
    for (int i = 0; i < l->p; i++) {
        column[i] *= l->mass_unit[i];
    }
    fb_lu_solve(l->p, l->lu, l->pivot, column);
    for (int i = 0; i < l->p; i++) {
        column[i] *= l->mass_unit[i];
    }
}

// zeta' rows of A, and those of the states.
static FbStatus fill_dynamics(FbLinearization* l, FbError* err) {
    const FbDenseBlocks* b = &l->b;
    int n = b->n, f = l->f, p = l->p, n_x = b->n_x, N = l->n_reduced;
    project(l);
    fb_linear_scale_mass(l);
    for (int i = 0; i < p * p; i++) {
        l->lu[i] = l->Mr[i] * l->mass_unit[i % p] * l->mass_unit[i / p];
    }
    if (p > 0 && fb_lu_factor(p, l->lu, l->pivot) >= 0) {
        return fb_fail(
            err, FB_ERR_SINGULAR, NULL,
            "the mass matrix is singular: some part that can move has no mass or inertia");
    }
    for (int j = 0; j < N; j++) {
        double* column = l->A + (size_t)j * (size_t)N + (size_t)f;
        for (int i = 0; i < p; i++) {
            double x = j < f       ? l->Kr[(size_t)j * (size_t)p + (size_t)i]
                       : j < f + p ? l->Cr[(size_t)(j - f) * (size_t)p + (size_t)i]
                                   : 0.0;
            for (int c = 0; j >= f + p && c < n; c++) {
                x += l->all.N[(size_t)i * (size_t)n + (size_t)c] *
                     b->Rx[(size_t)(j - f - p) * (size_t)n + (size_t)c];
            }
            column[i] = -x;
        }
        if (p > 0) {
            fb_linear_solve_mass(l, column);
        }
        for (int i = 0; i < n_x; i++) {
            double x = j >= f + p ? b->Xx[(size_t)(j - f - p) * (size_t)n_x + (size_t)i] : 0.0;
            for (int c = 0; j < f + p && c < n; c++) {
                double dq = j < f ? l->holonomic.N[(size_t)j * (size_t)n + (size_t)c] : 0.0;
                double dv = j < f ? l->Bv[(size_t)j * (size_t)n + (size_t)c]
                                  : l->all.N[(size_t)(j - f) * (size_t)n + (size_t)c];
                x += b->Xq[(size_t)c * (size_t)n_x + (size_t)i] * dq +
                     b->Xv[(size_t)c * (size_t)n_x + (size_t)i] * dv;
            }
            column[p + i] = x;
        }
    }
    return FB_OK;
}

static FbStatus check_finite(const FbLinearization* l, FbError* err) {
    int N = l->n_reduced;
    for (int i = 0; i < N; i++) {
        double sum = 0.0;
        for (int j = 0; j < N; j++) {
            sum += 0.0 * l->A[(size_t)j * (size_t)N + (size_t)i];
        }
        if (sum != 0.0) {
            return fb_fail(err, FB_ERR_SINGULAR, NULL,
                           "the linearized motion of '%s' is not finite: look for an extreme "
                           "stiffness or mass there",
                           fb_linearization_get_state_name(l, i));
        }
    }
    return FB_OK;
}

FbStatus fb_linear_reduce(FbLinearization* l, FbError* err) {
    const FbDenseBlocks* b = &l->b;
    l->n_rigid = -1;  // not known yet
    l->rate_scale = 0.0;
    fb_nullspace_calc(&l->all, b->G, b->m, b->M);
    if (!l->is_holonomic) {
        fb_nullspace_calc(&l->holonomic, b->G, b->m, b->M);
    }
    FB_TRY(calc_motion_parts(l, err));
    memset(l->A, 0, sizeof(double) * (size_t)l->n_reduced * (size_t)l->n_reduced);
    fill_kinematics(l);
    FB_TRY(fill_dynamics(l, err));
    return check_finite(l, err);
}

// Eigenvalues of a 2 x 2 matrix without cancellation, with eigenvectors.
static void eigen_2x2(const double* a, double complex w[2], double complex v[4]) {
    double half = 0.5 * (a[0] + a[3]), det = a[0] * a[3] - a[1] * a[2];
    double discriminant = 0.25 * (a[0] - a[3]) * (a[0] - a[3]) + a[1] * a[2];
    if (discriminant < 0.0) {
        w[0] = CMPLX(half, sqrt(-discriminant));
        w[1] = conj(w[0]);
    } else {
        double larger = half + copysign(sqrt(discriminant), half);
        w[0] = larger;
        w[1] = larger != 0.0 ? det / larger : 0.0;
    }
    for (int k = 0; k < 2; k++) {
        // (a11 - w) x + a12 y = 0, the row with the larger entries
        bool use_first = fabs(a[2]) + cabs(a[0] - w[k]) >= fabs(a[1]) + cabs(a[3] - w[k]);
        v[2 * k] = use_first ? a[2] : w[k] - a[3];
        v[2 * k + 1] = use_first ? w[k] - a[0] : a[1];
        if (v[2 * k] == 0.0 && v[2 * k + 1] == 0.0) {
            v[2 * k + (k == 0 ? 0 : 1)] = 1.0;
        }
    }
}

FbStatus fb_linear_eigen(FbLinearization* l, int n, const double* scale, FbError* err) {
    double* unit = l->beta;
    for (int i = 0; i < n; i++) {
        unit[i] = exp2(round(log2(scale[i])));  // powers of two do not round
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            l->work_a[(size_t)j * (size_t)n + (size_t)i] *= unit[j] / unit[i];
        }
    }
    FB_TRY(fb_eigen_general(n, l->work_a, l->w, l->right, err));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            l->right[(size_t)j * (size_t)n + (size_t)i] *= unit[i];
        }
    }
    return FB_OK;
}

// Eigenvectors in the basis Q: the rigid-body part follows from the other, T11 being nilpotent
// (eq. 7.15): (w - T11) y1 = T12 y2.
static void add_rigid_part(const FbLinearization* l, double complex w, double complex* y) {
    int N = l->n_reduced;
    for (int i = l->n_rigid - 1; i >= 0; i--) {
        double complex sum = 0.0;
        for (int j = i + 1; j < N; j++) {
            sum += l->T[(size_t)j * (size_t)N + (size_t)i] * y[j];
        }
        y[i] = w != 0.0 ? sum / w : 0.0;
    }
}

// Column k of `right` from the basis Q to the scaled state, with unit norm.
static void leave_basis(const FbLinearization* l, double complex* y, double complex* scratch) {
    int N = l->n_reduced;
    double size = 0.0;
    for (int i = 0; i < N; i++) {
        scratch[i] = 0.0;
        for (int j = 0; j < N; j++) {
            scratch[i] += l->Q[(size_t)j * (size_t)N + (size_t)i] * y[j];
        }
        size += creal(scratch[i] * conj(scratch[i]));
    }
    for (int i = 0; i < N; i++) {
        y[i] = size > 0.0 ? scratch[i] / sqrt(size) : 0.0;
    }
}

// Rigid-body motions have exact zeros; the rest of the spectrum is that of T22.
static FbStatus eigen_deflated(FbLinearization* l, FbError* err) {
    int N = l->n_reduced, rigid = l->n_rigid, k = N - rigid;
    for (int j = 0; j < k; j++) {
        memcpy(l->work_a + (size_t)j * (size_t)k,
               l->T + (size_t)(rigid + j) * (size_t)N + (size_t)rigid, sizeof(double) * (size_t)k);
    }
    double complex* compact = l->xq;  // [k x k], used before the modes are expanded into it
    FB_TRY(fb_eigen_general(k, l->work_a, l->w + rigid, compact, err));
    memset(l->right, 0, sizeof(double complex) * (size_t)N * (size_t)N);
    for (int j = 0; j < N; j++) {
        double complex* y = l->right + (size_t)j * (size_t)N;
        if (j < rigid) {
            l->w[j] = 0.0;
            y[j] = 1.0;
        } else {
            memcpy(y + rigid, compact + (size_t)(j - rigid) * (size_t)k,
                   sizeof(double complex) * (size_t)k);
            add_rigid_part(l, l->w[j], y);
        }
        leave_basis(l, y, l->alpha);
        for (int i = 0; i < N; i++) {
            y[i] *= l->balance[i];
        }
    }
    return FB_OK;
}

// Condition of an eigenvalue: norms of its right and left vectors (rows of the inverse), with
// the state scaled (eq. 7.17).
static void calc_conditions(FbLinearization* l) {
    int N = l->n_reduced;
    double complex* adjoint = l->left;
    int* pivot = l->pivot + l->p;
    if (!adjoint) {
        return;
    }
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            adjoint[(size_t)i * (size_t)N + (size_t)j] =
                conj(l->right[(size_t)j * (size_t)N + (size_t)i]) / l->balance[i];
        }
    }
    bool is_defective = fb_lu_factor_complex(N, adjoint, pivot) >= 0;
    for (int k = l->n_rigid; k < N; k++) {
        double size_left = 0.0, size_right = 0.0;
        memset(l->alpha, 0, sizeof(double complex) * (size_t)N);
        l->alpha[k] = 1.0;
        if (!is_defective) {
            fb_lu_solve_complex(N, adjoint, pivot, l->alpha);
        }
        for (int i = 0; i < N; i++) {
            double complex y = l->right[(size_t)k * (size_t)N + (size_t)i] / l->balance[i];
            size_left += creal(l->alpha[i] * conj(l->alpha[i]));
            size_right += creal(y * conj(y));
        }
        l->modes[k].condition =
            is_defective ? INFINITY : fmax(1.0, sqrt(size_left) * sqrt(size_right));
    }
}

// Displacements, velocities and states of all coordinates in mode k.
static void expand_mode(FbLinearization* l, int k) {
    int n = l->b.n, f = l->f, N = l->n_reduced;
    const double complex* y = l->right + (size_t)k * (size_t)N;
    for (int i = 0; i < n; i++) {
        double complex x = 0.0, v = 0.0;
        for (int j = 0; j < f; j++) {
            x += l->holonomic.N[(size_t)j * (size_t)n + (size_t)i] * y[j];
            v += l->Bv[(size_t)j * (size_t)n + (size_t)i] * y[j];
        }
        for (int j = 0; j < l->p; j++) {
            v += l->all.N[(size_t)j * (size_t)n + (size_t)i] * y[f + j];
        }
        l->xq[(size_t)k * (size_t)n + (size_t)i] = x;
        l->xv[(size_t)k * (size_t)n + (size_t)i] = v;
    }
    memcpy(l->xx + (size_t)k * (size_t)l->b.n_x, y + f + l->p,
           sizeof(double complex) * (size_t)l->b.n_x);
}

FbStatus fb_linear_independent(FbLinearization* l, FbError* err) {
    FB_TRY(fb_linear_reduce(l, err));
    FB_TRY(fb_linear_find_rigid(l, err));
    int N = l->n_reduced;
    l->n_modes = N;
    if (l->n_rigid > 0) {
        FB_TRY(eigen_deflated(l, err));
    } else if (N == 2) {
        eigen_2x2(l->A, l->w, l->right);
    } else {
        memcpy(l->work_a, l->A, sizeof(double) * (size_t)N * (size_t)N);
        FB_TRY(fb_linear_eigen(l, N, l->balance, err));
    }
    calc_conditions(l);
    for (int k = 0; k < N; k++) {
        expand_mode(l, k);
    }
    return FB_OK;
}
