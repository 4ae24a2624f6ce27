// Elimination and solution for one kind of number: included once each by fronts_real.c and
// fronts_complex.c, which define Number, its arithmetic and that of columns before.
//
// At link i the force of its subtree is F = P y + Q x + z (y: motion of the link, x: unknowns), the
// equations of unknowns are R y + T x = b (theory manual, eqs. 2.31-2.33). A front is kept by
// columns, 9 of the motion and n of the unknowns: (P Q) with 6 rows, then (R T) with n rows.
#include <float.h>
#include <string.h>

#include "tree/fronts_parts.h"

// A pivot that is smaller than this part of s M_kk is rounding.
static const double SMALLEST_PIVOT = 16.0 * DBL_EPSILON;

enum { Y = FB_MOTION_SIZE, F = FB_FORCE_SIZE };

typedef struct Shift {
    double complex s;
    Number number, inverse;
    double size;
    double complex (*balls)[3][3];
} Shift;

// A front with its columns.
typedef struct Columns {
    const FbLinkFront* front;
    int n;
    double *force, *rest;
} Columns;

static inline Columns columns_of(const FbTreeFronts* f, const FbLinkFront* front) {
    double* force = f->matrix + PARTS * front->matrix;
    return (Columns){front, front->n, force, force + PARTS * F * (Y + front->n)};
}
static inline double* force_of(const Columns* c, int j) {
    return c->force + PARTS * F * j;
}
static inline double* rest_of(const Columns* c, int j) {
    return c->rest + PARTS * c->n * j;
}
static void clear(const Columns* c) {
    memset(c->force, 0, sizeof(double) * (size_t)(PARTS * (F + c->n) * (Y + c->n)));
}

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
static inline Vec mul_matrix(const FbMat3* A, Vec v) {
    Number r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = add(scale(A->m[i][0], v.x), add(scale(A->m[i][1], v.y), scale(A->m[i][2], v.z)));
    }
    return load(r);
}

// q = E v of the velocities of one link.
static void calc_chart(const FbTreeFronts* f, int i, const Shift* shift, Number out[3][3]) {
    int ball = f->plan->ball_of[i];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[r][c] = ball >= 0 ? number(shift->balls[ball][r][c])
                        : r == c  ? shift->inverse
                                  : real(0.0);
        }
    }
}

// h = s h^a + h^v + h^q E, eq. (2.31): how the velocities of a link move it.
static void calc_columns(FbTreeFronts* f, const FbVariation* x, int i, const Shift* shift,
                         Number E[3][3]) {
    const FbLink* link = &f->plan->tree->links[i];
    for (int c = 0; c < link->n_v; c++) {
        const FbColumnVariation* col = &x->columns[link->v0 + c];
        Number* h = (Number*)f->columns + Y * (link->v0 + c);
        double S[6];
        fb_vec3_to(col->S.ang, S);
        fb_vec3_to(col->S.lin, S + 3);
        for (int j = 0; j < Y; j++) {
            h[j] = add(real(col->by_v[j]), j < 3 ? real(0.0) : scale(S[j - 3], shift->number));
            for (int d = 0; d < link->n_v; d++) {
                h[j] = add(h[j], scale(x->columns[link->v0 + d].by_q[j], E[d][c]));
            }
        }
    }
}

// Columns (of `size` doubles) of the motion of the link become those of its parent's,
// y_i = B y_p + h v: the transpose of B from the right. All of a row is read before it is written,
// and there is one array, so that the loop runs over several rows at a time.
static inline void move_columns(const FbLinkVariation* link, double* c, int size) {
    FbVec3 t = link->turn, r = link->arm;
    const double(*m)[3] = link->swing.m;
    for (int i = 0; i < size; i++) {
        double ax = c[3 * size + i], ay = c[4 * size + i], az = c[5 * size + i];
        double x = c[6 * size + i], y = c[7 * size + i], z = c[8 * size + i];
        c[i] += t.y * az - t.z * ay + (m[0][0] * x + m[1][0] * y + m[2][0] * z);
        c[size + i] += t.z * ax - t.x * az + (m[0][1] * x + m[1][1] * y + m[2][1] * z);
        c[2 * size + i] += t.x * ay - t.y * ax + (m[0][2] * x + m[1][2] * y + m[2][2] * z);
        c[3 * size + i] = ax + (r.y * z - r.z * y);
        c[4 * size + i] = ay + (r.z * x - r.x * z);
        c[5 * size + i] = az + (r.x * y - r.y * x);
    }
}

static void substitute(const FbTreeFronts* f, const Columns* c, const FbLinkVariation* link,
                       int v0) {
    const FbLinkFront* front = c->front;
    for (int k = 0; k < front->n_own; k++) {
        const Number* h = (const Number*)f->columns + Y * (v0 + k);
        double *force = force_of(c, Y + front->own[k]), *rest = rest_of(c, Y + front->own[k]);
        double sum[PARTS * F];
        memcpy(sum, force, sizeof sum);
        const double* column = c->force;
        for (int j = 0; j < Y; j++, column += PARTS * F) {
            add_scaled(F, F, h[j], column, sum);
        }
        memcpy(force, sum, sizeof sum);
        for (int j = 0; front->has_passed && j < Y; j++) {
            add_scaled(c->n, c->n, h[j], rest_of(c, j), rest);
        }
    }
    move_columns(link, c->force, PARTS * F);
    if (front->has_passed) {
        move_columns(link, c->rest, PARTS * c->n);
    }
}

// r_k = S_k . F into the rows of the link's velocities; then the force about the parent's origin.
static void project_force(const Columns* c, const FbLinkVariation* link,
                          const FbColumnVariation* columns) {
    const FbLinkFront* front = c->front;
    FbVec3 r = link->arm;
    double *f = c->force, *rest = c->rest;
    for (int j = 0; j < PARTS * (Y + c->n); j++, f += F, rest += c->n) {
        FbVec3 moment = {f[0], f[1], f[2]}, force = {f[3], f[4], f[5]};
        for (int k = 0; k < front->n_own; k++) {
            const FbVec6* S = &columns[k].S;
            rest[front->own[k]] += fb_dot(S->ang, moment) + fb_dot(S->lin, force);
        }
        fb_vec3_to(fb_add(moment, fb_cross(r, force)), f);
    }
}

// ... and as seen from the parent.
static void turn_force(const Columns* c, const FbColumnVariation* columns, Number E[3][3]) {
    const FbLinkFront* front = c->front;
    for (int k = 0; k < front->n_own; k++) {
        for (int d = 0; d < front->n_own; d++) {
            add_real_column(F, E[d][k], columns[d].force_by_q, force_of(c, Y + front->own[k]));
        }
    }
}

// Eliminates one unknown: its scaled row and its column are kept, the rest is updated.
static bool eliminate_pivot(const Columns* c, int k, double least, Number* kept) {
    int n = c->n, later = n - k - 1;
    const double* rest = rest_of(c, Y + k);
    double force[PARTS * F];
    Number d = get(rest, n, k);
    memcpy(force, force_of(c, Y + k), sizeof force);
    if (!(size_of(d) > least)) {
        return false;
    }
    Number inverse = invert(d);
    Number *g = kept + 1, *h = kept + 1 + Y + later;
    kept[0] = inverse;
    for (int i = 0; i < F; i++) {
        h[i] = get(force, F, i);
    }
    for (int i = 0; i < later; i++) {
        h[F + i] = get(rest, n, k + 1 + i);
    }
    for (int j = 0; j < Y + later; j++) {
        int at = j < Y ? j : j + k + 1;
        double *to = c->force + PARTS * F * at, *to_rest = c->rest + PARTS * n * at;
        g[j] = mul(get(to_rest, n, k), inverse);
        Number factor = scale(-1.0, g[j]);
        add_scaled(F, F, factor, force, to);
        if (later > 0) {
            add_scaled(later, n, factor, rest + k + 1, to_rest + k + 1);
        }
    }
    return true;
}

static void pass_to_ground(FbTreeFronts* f, const Columns* c) {
    const FbLinkFront* front = c->front;
    int n = f->plan->ground.n_col, first = front->n_pivot;
    Number* to = f->ground ? (Number*)fb_linear_values(f->ground) : NULL;
    for (int j = first; j < front->n; j++) {
        for (int i = first; i < front->n; i++) {
            Number* t = to + front->to[j - first] * n + front->to[i - first];
            *t = add(*t, get(rest_of(c, Y + j), c->n, i));
        }
    }
}

static void pass_to_parent(const Columns* c, const Columns* up) {
    const FbLinkFront* front = c->front;
    int first = front->n_pivot;
    if (front->n == first) {  // the force alone
        for (int i = 0; i < PARTS * F * Y; i++) {
            up->force[i] += c->force[i];
        }
        return;
    }
    for (int j = 0; j < Y + front->n - first; j++) {
        int from = j < Y ? j : j + first, to = j < Y ? j : Y + front->to[j - Y];
        double *x = force_of(c, from), *y = force_of(up, to);
        for (int i = 0; i < PARTS * F; i++) {
            y[i] += x[i];
        }
        for (int i = first; i < front->n; i++) {
            increase(rest_of(up, to), up->n, front->to[i - first], get(rest_of(c, from), c->n, i));
        }
    }
}

// The body's own (n, f) by alpha and by a; columns are PARTS * F doubles apart.
static void add_inertia(const FbInertia* body, double* alpha, double* a) {
    enum { X = 0, V = PARTS * F, W = 2 * PARTS * F };  // columns
    FbVec3 h = body->h;
    alpha[X] += body->xx, alpha[X + 1] += body->xy, alpha[X + 2] += body->xz;
    alpha[V] += body->xy, alpha[V + 1] += body->yy, alpha[V + 2] += body->yz;
    alpha[W] += body->xz, alpha[W + 1] += body->yz, alpha[W + 2] += body->zz;
    alpha[X + 4] -= h.z, alpha[X + 5] += h.y;  // - h x alpha
    alpha[V + 3] += h.z, alpha[V + 5] -= h.x;
    alpha[W + 3] -= h.y, alpha[W + 4] += h.x;
    a[X + 1] += h.z, a[X + 2] -= h.y;  // h x a
    a[V] -= h.z, a[V + 2] += h.x;
    a[W] += h.y, a[W + 1] -= h.x;
    a[X + 3] += body->m, a[V + 4] += body->m, a[W + 5] += body->m;
}

static void add_own(const FbTreeFronts* f, const Columns* c, const FbLinkVariation* link) {
    const FbLinkFront* front = c->front;
    for (int j = 0; link->has_mass && j < 3; j++) {
        double* force = force_of(c, j);
        for (int i = 0; i < F; i++) {
            force[i] += link->by_w[i][j];
        }
    }
    if (link->has_mass) {
        add_inertia(&link->own, force_of(c, 3), force_of(c, 6));
    }
    const Number* values = (const Number*)f->values;
    for (int e = 0; e < front->n_entries; e++) {
        const FbLinkFrontEntry* entry = &front->entries[e];
        increase(rest_of(c, Y + entry->col), c->n, entry->row, values[entry->value]);
    }
}

static bool factor_link(FbTreeFronts* f, const FbVariation* x, int i, const Shift* shift) {
    const FbLinkFront* front = &f->plan->fronts[i];
    const FbLink* link = &f->plan->tree->links[i];
    const FbColumnVariation* columns = x->columns + link->v0;
    Columns c = columns_of(f, front);
    Number* kept = (Number*)f->factors + front->factors;
    Number E[3][3];
    if (front->is_leaf) {
        clear(&c);
    }
    calc_chart(f, i, shift, E);
    calc_columns(f, x, i, shift, E);
    add_own(f, &c, &x->links[i]);
    substitute(f, &c, &x->links[i], link->v0);
    project_force(&c, &x->links[i], columns);
    turn_force(&c, columns, E);
    for (int k = 0; k < front->n_pivot; k++) {
        int u = front->unknowns[k];
        double inertia = u < f->plan->tree->n_v ? x->columns[u].inertia : 0.0;
        if (!eliminate_pivot(&c, k, SMALLEST_PIVOT * inertia * shift->size, kept)) {
            return false;
        }
        kept += fb_link_front_factor_size(front, k);
    }
    if (link->parent < 0) {
        pass_to_ground(f, &c);
        return true;
    }
    Columns up = columns_of(f, &f->plan->fronts[link->parent]);
    if (front->opens_parent) {
        clear(&up);
    }
    pass_to_parent(&c, &up);
    return true;
}

static FbStatus factor(FbTreeFronts* f, const FbVariation* x, double complex s,
                       double complex (*balls)[3][3]) {
    const FbTreePlan* plan = f->plan;
    const FbLinkFront* ground = &plan->fronts[plan->tree->n_link];
    Shift shift = {s, number(s), number(1.0 / s), cabs(s), balls};
    if (f->ground) {
        Number* to = (Number*)fb_linear_values(f->ground);
        memset(to, 0, sizeof(Number) * (size_t)(ground->n * ground->n));
        for (int e = 0; e < ground->n_entries; e++) {
            const FbLinkFrontEntry* entry = &ground->entries[e];
            to[entry->col * ground->n + entry->row] = ((const Number*)f->values)[entry->value];
        }
    }
    for (int i = plan->tree->n_link - 1; i >= 0; i--) {
        if (!factor_link(f, x, i, &shift)) {
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
