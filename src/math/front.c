// Elimination in a dense front: Cholesky's for definite ones, LDL' with bounded 1 x 1 and 2 x 2
// pivots for the others.
//
// Duff, Reid: The multifrontal solution of indefinite sparse symmetric linear equations. ACM
// Transactions on Mathematical Software 9 (1983) 302-325. Pivots are searched in panels of columns
// that are kept up to date; the rest of the front follows panel by panel.
#include "math/front.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/blas.h"

// An entry of L may be this large at most: growth against columns that have to wait.
static const double LARGEST_L = 10.0;
// Fronts and panels smaller than this are not worth a call of BLAS.
enum { SMALL_FRONT = 24, PANEL = 32, WIDE_PANEL = 96 };

static double* column(const FbFront* f, int j) {
    return f->a + (size_t)j * (size_t)f->m;
}

// a_ij -= l_ip d_p l_jp for all j > p, where column p holds L d.
static bool eliminate_plainly(FbFront* f, const double* limit) {
    int m = f->m;
    for (int p = 0; p < f->k; p++) {
        double* restrict l = column(f, p);
        double d = l[p];
        if (!(d > limit[p]) || !(d <= DBL_MAX)) {
            return false;
        }
        double reciprocal = 1.0 / d;
        for (int j = p + 1; j < m; j++) {
            double factor = l[j] * reciprocal;
            double* restrict a = column(f, j);
            for (int i = j; i < m; i++) {
                a[i] -= factor * l[i];
            }
        }
        for (int i = p + 1; i < m; i++) {
            l[i] *= reciprocal;
        }
    }
    return true;
}

// Blocks: the square at the top of the panel plainly, the rows below it and the rest of the front
// by BLAS.
static bool eliminate_panel(FbFront* f, const double* limit, int first, int last) {
    int m = f->m;
    for (int p = first; p < last; p++) {
        double* restrict l = column(f, p);
        double d = l[p];
        if (!(d > limit[p]) || !(d <= DBL_MAX)) {
            return false;
        }
        double root = sqrt(d), reciprocal = 1.0 / root;
        l[p] = root;
        for (int i = p + 1; i < last; i++) {
            l[i] *= reciprocal;
        }
        for (int j = p + 1; j < last; j++) {
            double factor = l[j];
            double* restrict a = column(f, j);
            for (int i = j; i < last; i++) {
                a[i] -= factor * l[i];
            }
        }
    }
    fb_blas_solve_transposed(m - last, last - first, column(f, first) + first,
                             column(f, first) + last, m);
    fb_blas_subtract_square(m - last, last - first, column(f, first) + last, m,
                            column(f, last) + last, m);
    return true;
}

// From L L' to L D L' with ones on the diagonal of L.
static void take_out_diagonal(FbFront* f) {
    for (int j = 0; j < f->k; j++) {
        double* l = column(f, j);
        double reciprocal = 1.0 / l[j];
        l[j] *= l[j];
        for (int i = j + 1; i < f->m; i++) {
            l[i] *= reciprocal;
        }
    }
}

bool fb_front_eliminate_definite(FbFront* f, const double* limit) {
    memset(f->off, 0, sizeof(double) * (size_t)f->k);
    if (f->m <= SMALL_FRONT) {
        return eliminate_plainly(f, limit);
    }
    int panel = f->m > 8 * WIDE_PANEL ? WIDE_PANEL : PANEL;
    for (int first = 0; first < f->k; first += panel) {
        int last = first + panel < f->k ? first + panel : f->k;
        if (!eliminate_panel(f, limit, first, last)) {
            return false;
        }
    }
    take_out_diagonal(f);
    return true;
}

// ---- Indefinite ----

// The columns of a panel while pivots are taken from it.
typedef struct Panel {
    FbFront* f;
    int begin, end;  // columns
    int next;        // the first that is not eliminated
    double* w;       // [m x (end - begin)] L D of those that are
} Panel;

static double* w_column(const Panel* p, int j) {
    return p->w + (size_t)(j - p->begin) * (size_t)p->f->m;
}

static void exchange(double* a, double* b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

// Rows and columns i < j of the lower triangle change places; so do rows of L and of L D.
static void swap(Panel* p, int i, int j) {
    FbFront* f = p->f;
    if (i == j) {
        return;
    }
    int kept = f->index[i];
    f->index[i] = f->index[j];
    f->index[j] = kept;
    for (int c = 0; c < i; c++) {
        exchange(&column(f, c)[i], &column(f, c)[j]);
    }
    for (int c = p->begin; c < p->next; c++) {
        exchange(&w_column(p, c)[i], &w_column(p, c)[j]);
    }
    exchange(&column(f, i)[i], &column(f, j)[j]);
    for (int c = i + 1; c < j; c++) {
        exchange(&column(f, i)[c], &column(f, c)[j]);
    }
    for (int c = j + 1; c < f->m; c++) {
        exchange(&column(f, i)[c], &column(f, j)[c]);
    }
}

static double entry(const Panel* p, int i, int j) {
    return i >= j ? column(p->f, j)[i] : column(p->f, i)[j];
}

// The largest entry of column j outside its diagonal and row `skipped`; *partner: the row of the
// largest one in the panel, -1: none.
static double largest_beside(const Panel* p, int j, int skipped, int* partner) {
    double largest = 0.0, inside = 0.0;
    *partner = -1;
    for (int i = p->next; i < p->end; i++) {
        double size = i == j || i == skipped ? 0.0 : fabs(entry(p, i, j));
        if (size > inside) {
            inside = size;
            *partner = i;
        }
    }
    for (int i = p->end; i < p->f->m; i++) {
        largest = fmax(largest, fabs(column(p->f, j)[i]));
    }
    return fmax(largest, inside);
}

// Would the entries of L of a 2 x 2 pivot be bounded?
static bool is_good_pair(const Panel* p, int i, int j) {
    int unused;
    double a = fabs(entry(p, i, i)), b = fabs(entry(p, j, j)), c = fabs(entry(p, i, j));
    double det = fabs(entry(p, i, i) * entry(p, j, j) - c * c);
    double beside_i = largest_beside(p, i, j, &unused), beside_j = largest_beside(p, j, i, &unused);
    return det > c * c * 1e-8 && b * beside_i + c * beside_j <= LARGEST_L * det &&
           c * beside_i + a * beside_j <= LARGEST_L * det;
}

static void eliminate_one(Panel* p) {
    FbFront* f = p->f;
    int at = p->next, m = f->m;
    double* restrict l = column(f, at);
    double* restrict w = w_column(p, at);
    double d = l[at];
    f->n_negative += d < 0.0;
    f->off[at] = 0.0;
    p->next++;
    for (int i = at + 1; i < m; i++) {
        w[i] = l[i];
        l[i] /= d;
    }
    for (int j = p->next; j < p->end; j++) {
        double* restrict a = column(f, j);
        double factor = w[j];
        for (int i = j; i < m; i++) {
            a[i] -= l[i] * factor;
        }
    }
}

static void eliminate_two(Panel* p) {
    FbFront* f = p->f;
    int at = p->next, m = f->m;
    double* restrict l1 = column(f, at), * restrict l2 = column(f, at + 1);
    double* restrict w1 = w_column(p, at), * restrict w2 = w_column(p, at + 1);
    double a = l1[at], c = l1[at + 1], b = l2[at + 1], det = a * b - c * c;
    f->n_negative += det < 0.0 ? 1 : 2 * (a < 0.0);
    f->off[at] = c;
    f->off[at + 1] = 0.0;
    l1[at + 1] = 0.0;
    p->next += 2;
    for (int i = at + 2; i < m; i++) {
        w1[i] = l1[i];
        w2[i] = l2[i];
        l1[i] = (b * w1[i] - c * w2[i]) / det;
        l2[i] = (a * w2[i] - c * w1[i]) / det;
    }
    for (int j = p->next; j < p->end; j++) {
        double* restrict to = column(f, j);
        double f1 = w1[j], f2 = w2[j];
        for (int i = j; i < m; i++) {
            to[i] -= l1[i] * f1 + l2[i] * f2;
        }
    }
}

// Takes column j as a pivot, alone or with another, if that is acceptable.
static bool try_column(Panel* p, int j) {
    int partner;
    double beside = largest_beside(p, j, -1, &partner), own = fabs(entry(p, j, j));
    if (own > p->f->noise && beside <= LARGEST_L * own) {
        swap(p, p->next, j);
        eliminate_one(p);
        return true;
    }
    bool is_zero = fmax(own, beside) <= p->f->noise;
    if (is_zero || partner < 0 || !is_good_pair(p, j, partner)) {
        return false;
    }
    int first = j < partner ? j : partner, second = j < partner ? partner : j;
    swap(p, p->next, first);
    swap(p, p->next + 1, second);
    eliminate_two(p);
    return true;
}

static void take_pivots(Panel* p) {
    for (int j = p->next; j < p->end;) {
        if (!try_column(p, j)) {
            j++;
        } else {
            j = p->next;  // others may do now
        }
    }
}

// What is behind the panel: A -= L D L'
static void update_rest(const Panel* p) {
    const FbFront* f = p->f;
    int m = f->m, done = p->next - p->begin;
    for (int first = p->end; first < m && done > 0; first += PANEL) {
        int width = first + PANEL < m ? PANEL : m - first;
        fb_blas_subtract_product(m - first, width, done, column(f, p->begin) + first, p->w + first,
                                 m, column(f, first) + first);
    }
}

// Columns that failed change places with those behind the panel.
static void rotate(Panel* p, int k) {
    int failed = p->end - p->next, behind = k - p->end, count = failed < behind ? failed : behind;
    for (int i = 0; i < count; i++) {
        swap(p, p->next + i, k - 1 - i);
    }
}

int fb_front_eliminate(FbFront* f) {
    int done = 0, n_failed = 0, width = PANEL;
    f->n_negative = 0;
    while (done < f->k) {
        int left = f->k - done;
        if (n_failed >= left && width >= left) {
            return done;
        }
        width = n_failed >= left ? left : PANEL;
        Panel p = {f, done, done + (width < left ? width : left), done, f->work};
        take_pivots(&p);
        update_rest(&p);
        n_failed = p.next > done ? p.end - p.next : n_failed + p.end - p.next;
        done = p.next;
        p.begin = p.next;  // L D of this panel is used up
        rotate(&p, f->k);
    }
    return done;
}
