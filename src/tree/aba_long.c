// Forward dynamics of trees with very light links: aba.c in extended precision.
//
// A strut of a billionth of the mass that it carries has, about the line through its two ends, its
// own moment of inertia alone: it is what remains of the moments m r^2 of the load, and the moment
// that acts on it what remains of those of the forces r f that pass through. Both are differences
// that rounding spoils by epsilon times the ratio (theory manual, eq. 2.34). Arms and axes are
// those of the double kinematics: the same r on both sides of each difference, so that what should
// cancel does.
#include <float.h>
#include <string.h>

#include "tree/articulated.h"

// As in aba.c: inertias are given with the precision of a double.
static const long double SMALLEST_PIVOT = 16.0L * DBL_EPSILON;
// Inertia of a link, of the largest, below which it counts as light.
static const double LIGHT = 1e-6;

typedef long double Real;

// Inertia and bias force of a link's subtree about its origin: moments first.
struct FbLongBody {
    Real I[6][6];
    Real p[6];
    Real A[6];
};
struct FbLongColumn {
    Real S[6], U[6], D, u;
};

// The least moment of inertia, up to a factor of 3: determinant by second invariant. 0: none.
static double least_moment(const FbMat3* I) {
    const double(*m)[3] = I->m;
    double xy = m[0][0] * m[1][1] - m[0][1] * m[1][0], yz = m[1][1] * m[2][2] - m[1][2] * m[2][1];
    double zx = m[2][2] * m[0][0] - m[2][0] * m[0][2], sum = xy + yz + zx;
    double det = m[0][0] * yz + m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    return sum > 0.0 ? fmax(0.0, det / sum) : 0.0;
}

// Does a link have less than LIGHT of the inertia of the heaviest at the length of the longest?
static bool has_light_links(const FbTree* tree) {
    double least_mass = INFINITY, least = INFINITY, most = 0.0, length = 0.0;
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        // Where the ground carries a link says nothing about its load.
        length = link->parent >= 0 ? fmax(length, fb_norm(link->p_PJ)) : length;
        if (!link->has_mass || !(link->mass > 0.0)) {
            continue;
        }
        double moment = least_moment(&link->inertia);
        length = fmax(length, fb_norm(link->center));
        most = fmax(most, link->mass);
        least_mass = fmin(least_mass, link->mass);
        least = moment > 0.0 ? fmin(least, moment) : least;
    }
    return least_mass < LIGHT * most || least < LIGHT * most * length * length;
}

void fb_long_bodies_init(const FbTree* tree, FbArena* arena, FbKinematics* k) {
    bool is_needed = LDBL_MANT_DIG > DBL_MANT_DIG && has_light_links(tree);
    k->long_bodies = is_needed ? FB_TAKE(arena, FbLongBody, tree->n_link) : NULL;
    k->long_columns = is_needed ? FB_TAKE(arena, FbLongColumn, tree->n_v + 1) : NULL;
}

static void set3(Real x[3], FbVec3 v) {
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}
static void set6(Real x[6], FbVec6 v) {
    set3(x, v.ang);
    set3(x + 3, v.lin);
}
static void add_cross(const Real a[3], const Real b[3], Real sum[3]) {
    sum[0] += a[1] * b[2] - a[2] * b[1];
    sum[1] += a[2] * b[0] - a[0] * b[2];
    sum[2] += a[0] * b[1] - a[1] * b[0];
}
static Real dot6(const Real a[6], const Real b[6]) {
    Real sum = 0.0L;
    for (int i = 0; i < 6; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}
static void rotate(const FbMat3* R, FbVec3 v, Real out[3]) {
    Real x[3];
    set3(x, v);
    for (int r = 0; r < 3; r++) {
        out[r] = R->m[r][0] * x[0] + R->m[r][1] * x[1] + R->m[r][2] * x[2];
    }
}

// J = R I R' of a link.
static void turn_inertia(const FbMat3* R, const FbMat3* inertia, Real J[3][3]) {
    for (int r = 0; r < 3; r++) {
        for (int s = r; s < 3; s++) {
            Real sum = 0.0L;
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    sum += (Real)R->m[r][i] * inertia->m[i][j] * R->m[s][j];
                }
            }
            J[r][s] = J[s][r] = sum;
        }
    }
}

// The inertia of a mass at c.
static void add_mass(Real mass, const Real c[3], Real I[6][6]) {
    Real C[3][3] = {{0, -c[2], c[1]}, {c[2], 0, -c[0]}, {-c[1], c[0], 0}};
    for (int r = 0; r < 3; r++) {
        for (int s = 0; s < 3; s++) {
            for (int j = 0; j < 3; j++) {
                I[r][s] += mass * C[r][j] * C[s][j];
            }
            I[r][3 + s] += mass * C[r][s];
            I[3 + s][r] += mass * C[r][s];
        }
        I[3 + r][3 + r] += mass;
    }
}

// The body's inertia about the link's origin and the force that it needs to move on.
static void start_body(const FbLink* link, const FbKinematics* k, int i) {
    FbLongBody* b = &k->long_bodies[i];
    memset(b, 0, sizeof *b);
    set6(b->p, fb_scale6(-1.0, k->external[i]));
    if (!link->has_mass) {
        return;
    }
    Real J[3][3], c[3], w[3], spin[3] = {0}, wc[3] = {0}, pull[3] = {0};
    turn_inertia(&k->R[i], &link->inertia, J);
    rotate(&k->R[i], link->center, c);
    set3(w, k->V[i].ang);
    for (int r = 0; r < 3; r++) {
        for (int s = 0; s < 3; s++) {
            b->I[r][s] = J[r][s];
            spin[r] += J[r][s] * w[s];
        }
    }
    add_mass(link->mass, c, b->I);
    add_cross(w, spin, b->p);
    add_cross(w, c, wc);
    add_cross(w, wc, pull);
    for (int r = 0; r < 3; r++) {
        pull[r] *= link->mass;
        b->p[3 + r] += pull[r];
    }
    add_cross(c, pull, b->p);
}

// Eliminates one motion, eqs. (2.9), (2.10); false where there is no inertia along it. `given`: its
// inertia before other motions of the link were eliminated.
static bool eliminate_column(FbLongBody* b, Real tau, Real given, FbLongColumn* x) {
    for (int r = 0; r < 6; r++) {
        x->U[r] = dot6(b->I[r], x->S);
    }
    x->D = dot6(x->S, x->U);
    x->u = tau - dot6(x->S, b->p);
    if (!(x->D > 0.0L && x->D > SMALLEST_PIVOT * given)) {
        return false;
    }
    for (int r = 0; r < 6; r++) {
        Real f = x->U[r] / x->D;
        for (int s = r; s < 6; s++) {
            b->I[r][s] = b->I[s][r] = b->I[r][s] - f * x->U[s];
        }
        b->p[r] += f * x->u;
    }
    return true;
}

static bool eliminate_body(const FbLink* link, FbKinematics* k, int i) {
    FbLongBody* b = &k->long_bodies[i];
    Real given[FB_MAX_LINK_V] = {0};
    for (int j = 0; j < link->n_v; j++) {
        FbLongColumn* x = &k->long_columns[link->v0 + j];
        set6(x->S, k->S[link->v0 + j]);
        for (int r = 0; r < 6 && link->n_v > 1; r++) {
            given[j] += x->S[r] * dot6(b->I[r], x->S);
        }
    }
    for (int j = 0; j < link->n_v; j++) {
        if (!eliminate_column(b, k->tau[link->v0 + j], given[j], &k->long_columns[link->v0 + j])) {
            return false;
        }
    }
    Real c[6];
    set6(c, k->c[i]);
    for (int r = 0; r < 6; r++) {
        b->p[r] += dot6(b->I[r], c);
    }
    return true;
}

// Adds what is left of link i to its parent, about the parent's origin, eq. (2.19).
static void pass_on(const FbLink* link, FbKinematics* k, int i) {
    FbLongBody *b = &k->long_bodies[i], *to = &k->long_bodies[link->parent];
    Real r[3], half[6][6];
    set3(r, k->arm[i]);
    add_cross(r, b->p + 3, b->p);
    for (int s = 0; s < 6; s++) {
        memcpy(half[s], b->I[s], sizeof half[s]);
        add_cross(r, half[s] + 3, half[s]);  // rows: I T'
    }
    for (int s = 0; s < 6; s++) {
        Real column[6];
        for (int j = 0; j < 6; j++) {
            column[j] = half[j][s];
        }
        add_cross(r, column + 3, column);  // columns: T I T'
        for (int j = 0; j <= s; j++) {
            to->I[j][s] += column[j];
            to->I[s][j] = to->I[j][s];
        }
        to->p[s] += b->p[s];
    }
}

static void move_body(const FbTree* tree, FbKinematics* k, int i, double* a) {
    const FbLink* link = &tree->links[i];
    FbLongBody* b = &k->long_bodies[i];
    set6(b->A, link->parent < 0 ? k->A_ground : k->c[i]);
    if (link->parent >= 0) {
        const Real* A = k->long_bodies[link->parent].A;
        Real r[3];
        set3(r, k->arm[i]);
        for (int j = 0; j < 6; j++) {
            b->A[j] += A[j];
        }
        add_cross(A, r, b->A + 3);
    }
    for (int j = link->v0 + link->n_v - 1; j >= link->v0; j--) {
        const FbLongColumn* x = &k->long_columns[j];
        Real own = (x->u - dot6(x->U, b->A)) / x->D;
        a[j] = (double)own;
        for (int r = 0; r < 6; r++) {
            b->A[r] += x->S[r] * own;
        }
    }
    k->A[i] = fb_vec6(fb_vec3((double)b->A[0], (double)b->A[1], (double)b->A[2]),
                      fb_vec3((double)b->A[3], (double)b->A[4], (double)b->A[5]));
}

int fb_long_bodies_calc_accelerations(const FbTree* tree, FbKinematics* k, double* a) {
    for (int i = 0; i < tree->n_link; i++) {
        start_body(&tree->links[i], k, i);
    }
    for (int i = tree->n_link - 1; i >= 0; i--) {
        const FbLink* link = &tree->links[i];
        if (!eliminate_body(link, k, i)) {
            return link->v0;
        }
        if (link->parent >= 0) {
            pass_on(link, k, i);
        }
    }
    for (int i = 0; i < tree->n_link; i++) {
        move_body(tree, k, i, a);
    }
    return -1;
}
