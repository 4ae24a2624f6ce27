// Elimination and solution for one kind of number: included once each by fronts_real.c and
// fronts_complex.c, which define Number and its arithmetic before.
//
// At link i the force of its subtree is F = P y + Q x + z (y: motion of the link, x: unknowns), the
// equations of unknowns are R y + T x = b (theory manual, eqs. 2.31-2.33).
#include <float.h>
#include <string.h>

#include "tree/fronts_parts.h"

// A pivot that is smaller than this part of s M_kk is rounding.
static const double SMALLEST_PIVOT = 16.0 * DBL_EPSILON;

enum { Y = FB_MOTION_SIZE, F = FB_FORCE_SIZE };

typedef struct Vec {
    Number x, y, z;
} Vec;

// r x v for a real r.
static inline Vec cross(FbVec3 r, Vec v) {
    return (Vec){sub(scale(r.y, v.z), scale(r.z, v.y)), sub(scale(r.z, v.x), scale(r.x, v.z)),
                 sub(scale(r.x, v.y), scale(r.y, v.x))};
}
static inline Vec load(const Number* a) {
    return (Vec){a[0], a[1], a[2]};
}
static inline void add_to(Number* a, Vec v) {
    a[0] = add(a[0], v.x);
    a[1] = add(a[1], v.y);
    a[2] = add(a[2], v.z);
}
// A' v for a real A.
static inline Vec mul_transposed(const FbMat3* A, Vec v) {
    Number r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = add(scale(A->m[0][i], v.x), add(scale(A->m[1][i], v.y), scale(A->m[2][i], v.z)));
    }
    return load(r);
}

static inline Vec mul_matrix(const FbMat3* A, Vec v) {
    Number r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = add(scale(A->m[i][0], v.x), add(scale(A->m[i][1], v.y), scale(A->m[i][2], v.z)));
    }
    return load(r);
}

// q = E v of the velocities of one link.
static void calc_chart(const FbTreeFronts* f, int i, double complex s, double complex (*E)[3][3],
                       Number out[3][3]) {
    int ball = f->plan->ball_of[i];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[r][c] = number(ball >= 0 ? E[ball][r][c] : r == c ? 1.0 / s : 0.0);
        }
    }
}

// h = s h^a + h^v + h^q E, eq. (2.31): how the velocities of a link move it.
static void calc_columns(FbTreeFronts* f, const FbVariation* x, int i, double complex s,
                         Number E[3][3]) {
    const FbLink* link = &f->plan->tree->links[i];
    Number shift = number(s);
    for (int c = 0; c < link->n_v; c++) {
        const FbColumnVariation* col = &x->columns[link->v0 + c];
        Number* h = (Number*)f->columns + Y * (link->v0 + c);
        double S[6];
        fb_vec3_to(col->S.ang, S);
        fb_vec3_to(col->S.lin, S + 3);
        for (int j = 0; j < Y; j++) {
            h[j] = add(real(col->by_v[j]), j < 3 ? real(0.0) : scale(S[j - 3], shift));
            for (int d = 0; d < link->n_v; d++) {
                h[j] = add(h[j], scale(x->columns[link->v0 + d].by_q[j], E[d][c]));
            }
        }
    }
}

// A row over the motion of the link becomes one over the motion of its parent and the link's own
// velocities: y_i = B y_p + h v.
static inline void substitute(const FbTreeFronts* f, const FbLinkFront* front,
                              const FbLinkVariation* link, int v0, Number* row) {
    for (int c = 0; c < front->n_own; c++) {
        const Number* h = (const Number*)f->columns + Y * (v0 + c);
        Number sum = mul(row[0], h[0]);
        for (int j = 1; j < Y; j++) {
            sum = add(sum, mul(row[j], h[j]));
        }
        row[Y + front->own[c]] = add(row[Y + front->own[c]], sum);
    }
    add_to(row, cross(link->turn, load(row + 3)));
    add_to(row, mul_transposed(&link->swing, load(row + 6)));
    add_to(row + 3, cross(link->arm, load(row + 6)));
}

// r_k = S_k . F into the rows of the link's velocities.
static void project_force(const FbLinkFront* front, const FbColumnVariation* columns, Number* A) {
    int n_col = Y + front->n;
    for (int c = 0; c < front->n_own; c++) {
        Number* row = A + (F + front->own[c]) * n_col;
        double S[6];
        fb_vec3_to(columns[c].S.ang, S);
        fb_vec3_to(columns[c].S.lin, S + 3);
        for (int i = 0; i < F; i++) {
            for (int j = 0; S[i] != 0.0 && j < n_col; j++) {
                row[j] = add(row[j], scale(S[i], A[i * n_col + j]));
            }
        }
    }
}

// The force about the parent's origin, as seen from the parent.
static void move_force(const FbLinkFront* front, const FbLinkVariation* link,
                       const FbColumnVariation* columns, Number E[3][3], Number* A) {
    int n_col = Y + front->n;
    for (int j = 0; j < n_col; j++) {
        Vec f = {A[3 * n_col + j], A[4 * n_col + j], A[5 * n_col + j]};
        Vec n = cross(link->arm, f);
        A[j] = add(A[j], n.x);
        A[n_col + j] = add(A[n_col + j], n.y);
        A[2 * n_col + j] = add(A[2 * n_col + j], n.z);
    }
    for (int c = 0; c < front->n_own; c++) {
        for (int d = 0; d < front->n_own; d++) {
            for (int i = 0; i < F; i++) {
                Number* a = A + i * n_col + Y + front->own[c];
                *a = add(*a, scale(columns[d].force_by_q[i], E[d][c]));
            }
        }
    }
}

// Eliminates one unknown: its scaled row and its column are kept, the rest is updated.
static bool eliminate_pivot(const FbLinkFront* front, int k, double least, Number* A,
                            Number* kept) {
    int n_col = Y + front->n, n_row = F + front->n, later = front->n - k - 1;
    Number* row = A + (F + k) * n_col;
    if (!(size_of(row[Y + k]) > least)) {
        return false;
    }
    Number inverse = invert(row[Y + k]);
    Number *g = kept + 1, *h = kept + 1 + Y + later;
    kept[0] = inverse;
    for (int j = 0; j < Y; j++) {
        g[j] = mul(row[j], inverse);
    }
    for (int j = 0; j < later; j++) {
        g[Y + j] = mul(row[Y + k + 1 + j], inverse);
    }
    for (int i = 0, at = 0; i < n_row; i++) {
        if (i >= F && i <= F + k) {
            continue;
        }
        Number* to = A + i * n_col;
        Number factor = to[Y + k];
        h[at++] = factor;
        if (is_zero(factor)) {
            continue;
        }
        for (int j = 0; j < Y; j++) {
            to[j] = sub(to[j], mul(factor, g[j]));
        }
        for (int j = 0; j < later; j++) {
            to[Y + k + 1 + j] = sub(to[Y + k + 1 + j], mul(factor, g[Y + j]));
        }
    }
    return true;
}

static void pass_to_ground(FbTreeFronts* f, const FbLinkFront* front, const Number* A) {
    int n_col = Y + front->n, rest = f->plan->ground.n_col;
    Number* to = f->ground ? (Number*)fb_linear_values(f->ground) : NULL;
    for (int i = front->n_pivot; i < front->n; i++) {
        for (int j = front->n_pivot; j < front->n; j++) {
            Number* t = to + front->to[j - front->n_pivot] * rest + front->to[i - front->n_pivot];
            *t = add(*t, A[(F + i) * n_col + Y + j]);
        }
    }
}

static void pass_to_parent(const FbLinkFront* front, const FbLinkFront* up, const Number* A,
                           Number* to) {
    int n_col = Y + front->n, n_up = Y + up->n;
    for (int i = 0; i < F + front->n; i++) {
        if (i >= F && i < F + front->n_pivot) {
            continue;
        }
        const Number* from = A + i * n_col;
        Number* row = to + (i < F ? i : F + front->to[i - F - front->n_pivot]) * n_up;
        for (int j = 0; j < Y; j++) {
            row[j] = add(row[j], from[j]);
        }
        for (int j = front->n_pivot; j < front->n; j++) {
            int at = Y + front->to[j - front->n_pivot];
            row[at] = add(row[at], from[Y + j]);
        }
    }
}

static void add_own(const FbTreeFronts* f, const FbLinkFront* front, const FbLinkVariation* link,
                    Number* A) {
    int n_col = Y + front->n;
    for (int i = 0; link->has_mass && i < F; i++) {
        for (int j = 0; j < Y; j++) {
            A[i * n_col + j] = add(A[i * n_col + j], real(link->N[i][j]));
        }
    }
    const Number* values = (const Number*)f->values;
    for (int e = 0; e < front->n_entries; e++) {
        const FbLinkFrontEntry* entry = &front->entries[e];
        Number* a = A + (F + entry->row) * n_col + Y + entry->col;
        *a = add(*a, values[entry->value]);
    }
}

static bool factor_link(FbTreeFronts* f, const FbVariation* x, int i, double complex s,
                        double complex (*balls)[3][3]) {
    const FbLinkFront* front = &f->plan->fronts[i];
    const FbLink* link = &f->plan->tree->links[i];
    const FbColumnVariation* columns = x->columns + link->v0;
    Number* A = (Number*)f->matrix + front->matrix;
    Number* kept = (Number*)f->factors + front->factors;
    Number E[3][3];
    calc_chart(f, i, s, balls, E);
    calc_columns(f, x, i, s, E);
    add_own(f, front, &x->links[i], A);
    for (int r = 0; r < F + front->n; r++) {
        if (r < F || front->is_passed[r - F]) {
            substitute(f, front, &x->links[i], link->v0, A + r * (Y + front->n));
        }
    }
    project_force(front, columns, A);
    move_force(front, &x->links[i], columns, E, A);
    for (int k = 0; k < front->n_pivot; k++) {
        int u = front->unknowns[k];
        double inertia = u < f->plan->tree->n_v ? x->columns[u].inertia : 0.0;
        if (!eliminate_pivot(front, k, SMALLEST_PIVOT * inertia * cabs(s), A, kept)) {
            return false;
        }
        kept += fb_link_front_factor_size(front, k);
    }
    if (link->parent >= 0) {
        const FbLinkFront* up = &f->plan->fronts[link->parent];
        pass_to_parent(front, up, A, (Number*)f->matrix + up->matrix);
    } else {
        pass_to_ground(f, front, A);
    }
    return true;
}

static FbStatus factor(FbTreeFronts* f, const FbVariation* x, double complex s,
                       double complex (*balls)[3][3]) {
    const FbTreePlan* plan = f->plan;
    const FbLinkFront* ground = &plan->fronts[plan->tree->n_link];
    memset(f->matrix, 0, sizeof(Number) * (size_t)plan->n_matrix);
    if (f->ground) {
        Number* to = (Number*)fb_linear_values(f->ground);
        memset(to, 0, sizeof(Number) * (size_t)(ground->n * ground->n));
        for (int e = 0; e < ground->n_entries; e++) {
            const FbLinkFrontEntry* entry = &ground->entries[e];
            to[entry->col * ground->n + entry->row] = ((const Number*)f->values)[entry->value];
        }
    }
    for (int i = plan->tree->n_link - 1; i >= 0; i--) {
        if (!factor_link(f, x, i, s, balls)) {
            return FB_RETRY;
        }
    }
    return f->ground ? fb_linear_factor(f->ground) : FB_OK;
}

// z of the link to the equations of its unknowns and to its parent.
static void solve_inwards(FbTreeFronts* f, const FbVariation* x, int i, Number* b) {
    const FbLinkFront* front = &f->plan->fronts[i];
    const FbLink* link = &f->plan->tree->links[i];
    const Number* kept = (const Number*)f->factors + front->factors;
    Number* z = (Number*)f->force + F * i;
    for (int c = 0; c < link->n_v; c++) {
        FbVec6 S = x->columns[link->v0 + c].S;
        Number sum = add(scale(S.ang.x, z[0]), add(scale(S.ang.y, z[1]), scale(S.ang.z, z[2])));
        sum = add(sum, add(scale(S.lin.x, z[3]), add(scale(S.lin.y, z[4]), scale(S.lin.z, z[5]))));
        b[link->v0 + c] = sub(b[link->v0 + c], sum);
    }
    add_to(z, cross(x->links[i].arm, load(z + 3)));
    for (int k = 0; k < front->n_pivot; k++) {
        int later = front->n - k - 1;
        const Number* h = kept + 1 + Y + later;
        Number w = mul(b[front->unknowns[k]], kept[0]);
        b[front->unknowns[k]] = w;
        for (int j = 0; j < F; j++) {
            z[j] = add(z[j], mul(h[j], w));
        }
        for (int j = 0; j < later; j++) {
            Number* to = &b[front->unknowns[k + 1 + j]];
            *to = sub(*to, mul(h[F + j], w));
        }
        kept += fb_link_front_factor_size(front, k);
    }
    for (int j = 0; link->parent >= 0 && j < F; j++) {
        Number* to = (Number*)f->force + F * link->parent + j;
        *to = add(*to, z[j]);
    }
}

// The unknowns of a link from the motion of its parent, then its own motion.
static void solve_outwards(FbTreeFronts* f, const FbVariation* x, int i, Number* b) {
    const FbLinkFront* front = &f->plan->fronts[i];
    const FbLink* link = &f->plan->tree->links[i];
    const FbLinkVariation* own = &x->links[i];
    const Number* kept = (const Number*)f->factors + front->factors;
    const Number* up = link->parent >= 0 ? (const Number*)f->motion + Y * link->parent : NULL;
    Number* y = (Number*)f->motion + Y * i;
    for (int k = 0; k < front->n_pivot; k++) {
        kept += fb_link_front_factor_size(front, k);
    }
    for (int k = front->n_pivot - 1; k >= 0; k--) {
        kept -= fb_link_front_factor_size(front, k);
        const Number* g = kept + 1;
        Number sum = b[front->unknowns[k]];
        for (int j = 0; up && j < Y; j++) {
            sum = sub(sum, mul(g[j], up[j]));
        }
        for (int j = k + 1; j < front->n; j++) {
            sum = sub(sum, mul(g[Y + j - k - 1], b[front->unknowns[j]]));
        }
        b[front->unknowns[k]] = sum;
    }
    memset(y, 0, sizeof(Number) * Y);
    if (up) {
        Vec w = load(up), alpha = load(up + 3);
        memcpy(y, up, sizeof(Number) * Y);
        Vec turned = cross(fb_scale(-1.0, own->turn), w);
        Vec swung = cross(fb_scale(-1.0, own->arm), alpha);
        add_to(y + 3, turned);
        add_to(y + 6, swung);
        add_to(y + 6, mul_matrix(&own->swing, w));
    }
    for (int c = 0; c < link->n_v; c++) {
        const Number* h = (const Number*)f->columns + Y * (link->v0 + c);
        for (int j = 0; j < Y; j++) {
            y[j] = add(y[j], mul(h[j], b[link->v0 + c]));
        }
    }
}

static void solve(FbTreeFronts* f, const FbVariation* x, double* right_side) {
    const FbTreePlan* plan = f->plan;
    const FbLinkFront* ground = &plan->fronts[plan->tree->n_link];
    Number *b = (Number*)right_side, *rest = (Number*)f->rest;
    memset(f->force, 0, sizeof(Number) * (size_t)(F * plan->tree->n_link));
    for (int i = plan->tree->n_link - 1; i >= 0; i--) {
        solve_inwards(f, x, i, b);
    }
    if (f->ground) {
        for (int k = 0; k < ground->n; k++) {
            rest[k] = b[ground->unknowns[k]];
        }
        fb_linear_solve(f->ground, f->rest);
        for (int k = 0; k < ground->n; k++) {
            b[ground->unknowns[k]] = rest[k];
        }
    }
    for (int i = 0; i < plan->tree->n_link; i++) {
        solve_outwards(f, x, i, b);
    }
}
