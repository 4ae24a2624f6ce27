// Writes an accurate solution of Andrews' squeezer (A03): one degree of freedom, integrated in
// extended precision.
//
// With the crank angle beta as the only coordinate, all points follow from circles: E from F and B,
// G and H from A and E. A point X at fixed distances from P and Q has, with ' = d/dbeta,
//   (X - P).X' = (X - P).P',   (X - P).X'' = (X - P).P'' - |X' - P'|^2,   and the same for Q.
// A link of length L along d = end - start turns with phi' = (d x d')/L^2, phi'' = (d x d'')/L^2.
// Then
//   M(beta) = sum m |c'|^2 + I phi'^2,   M(beta) beta'' + 1/2 (dM/dbeta) beta'^2 = tau - dV/dbeta.
// The classical Runge-Kutta method with steps of 3.75e-7 s: halving them moves beta(0.03) by less
// than 1e-14.
//
// Usage: squeezer_reference BETA0 DURATION SAMPLES     (CSV on stdout: the last of SAMPLES equal
// intervals ends at DURATION)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Vec {
    long double x, y;
} Vec;

// A point and its first two derivatives with respect to beta.
typedef struct Moving {
    Vec p, d1, d2;
} Moving;

typedef struct Link {
    long double mass, inertia, length, x, y;  // x, y: centre of mass in the link's frame
} Link;

static const Link OF = {0.04325L, 2.194e-6L, 0.007L, 0.00092L, 0.0L};
static const Link EF = {0.00365L, 4.410e-7L, 0.028L, 0.0165L, 0.0L};
static const Link GE = {0.00706L, 5.667e-7L, 0.020L, 0.00579L, 0.0L};
static const Link AG = {0.07050L, 1.169e-5L, 0.040L, 0.02308L, 0.00916L};
static const Link AH = {0.05498L, 1.912e-5L, 0.040L, 0.01228L, -0.00449L};
// The triangle as a link from E to B: its frame is turned by 90 degrees against the one of the
// data.
static const Link EB = {0.02373L, 5.255e-6L, 0.035L, 0.01626L, -0.01043L};
static const long double D_X = 0.017L, D_Y = -0.02L;
static const long double STIFFNESS = 4530.0L, REST = 0.07785L, TORQUE = 0.033L;
static const long double PI = 3.141592653589793238462643383279502884L;
static const double STEP = 3.75e-7;

typedef struct Squeezer {
    Moving F, E, G, H;
    long double angle_EF, angle_EB, angle_GE, angle_HE, angle_AG, angle_AH;
    long double M, half_dM, dV;
} Squeezer;

static Vec sub(Vec a, Vec b) {
    return (Vec){a.x - b.x, a.y - b.y};
}
static long double dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y;
}
static long double cross(Vec a, Vec b) {
    return a.x * b.y - a.y * b.x;
}
static Moving fixed(long double x, long double y) {
    return (Moving){.p = {x, y}};
}

// The x with a.x = r, b.x = s.
static Vec solve(Vec a, Vec b, long double r, long double s) {
    long double det = cross(a, b);
    return (Vec){(r * b.y - s * a.y) / det, (a.x * s - b.x * r) / det};
}

// The point at distance rp from P and rq from Q, on the left (side 1) or right (-1) of the way from
// P to Q.
static Moving meet(const Moving* P, long double rp, const Moving* Q, long double rq, int side) {
    Vec d = sub(Q->p, P->p);
    long double d2 = dot(d, d), t = 0.5L * (1.0L + (rp * rp - rq * rq) / d2);
    long double h = side * sqrtl(rp * rp / d2 - t * t);
    Moving X = {.p = {P->p.x + t * d.x - h * d.y, P->p.y + t * d.y + h * d.x}};
    Vec a = sub(X.p, P->p), b = sub(X.p, Q->p);
    X.d1 = solve(a, b, dot(a, P->d1), dot(b, Q->d1));
    Vec va = sub(X.d1, P->d1), vb = sub(X.d1, Q->d1);
    X.d2 = solve(a, b, dot(a, P->d2) - dot(va, va), dot(b, Q->d2) - dot(vb, vb));
    return X;
}

// A point fixed in the link from `start` to `end`.
static Moving carried(const Moving* start, const Moving* end, long double length, long double x,
                      long double y) {
    Vec u[3] = {sub(end->p, start->p), sub(end->d1, start->d1), sub(end->d2, start->d2)};
    const Vec o[3] = {start->p, start->d1, start->d2};
    Vec c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = (Vec){o[i].x + (x * u[i].x - y * u[i].y) / length,
                     o[i].y + (x * u[i].y + y * u[i].x) / length};
    }
    return (Moving){c[0], c[1], c[2]};
}

// Adds the link's inertia and returns its angle.
static long double add_link(Squeezer* s, const Link* link, const Moving* start, const Moving* end) {
    Moving c = carried(start, end, link->length, link->x, link->y);
    Vec d = sub(end->p, start->p);
    long double l2 = link->length * link->length;
    long double w = cross(d, sub(end->d1, start->d1)) / l2,
                w1 = cross(d, sub(end->d2, start->d2)) / l2;
    s->M += link->mass * dot(c.d1, c.d1) + link->inertia * w * w;
    s->half_dM += link->mass * dot(c.d1, c.d2) + link->inertia * w * w1;
    return atan2l(d.y, d.x);
}

static void place(long double beta, Squeezer* s) {
    const Moving O = fixed(0.0L, 0.0L), A = fixed(-0.06934L, -0.00227L),
                 B = fixed(-0.03635L, 0.03273L);
    long double cs = OF.length * cosl(beta), sn = OF.length * sinl(beta);
    s->F = (Moving){{cs, sn}, {-sn, cs}, {-cs, -sn}};
    s->E = meet(&s->F, EF.length, &B, EB.length, 1);
    s->G = meet(&A, AG.length, &s->E, GE.length, 1);
    s->H = meet(&A, AH.length, &s->E, GE.length, -1);
    s->M = s->half_dM = 0.0L;
    add_link(s, &OF, &O, &s->F);
    s->angle_EF = add_link(s, &EF, &s->E, &s->F);
    s->angle_EB = add_link(s, &EB, &s->E, &B);
    s->angle_GE = add_link(s, &GE, &s->G, &s->E);
    s->angle_HE = add_link(s, &GE, &s->H, &s->E);
    s->angle_AG = add_link(s, &AG, &A, &s->G);
    s->angle_AH = add_link(s, &AH, &A, &s->H);
    Moving D = carried(&s->E, &B, EB.length, D_X, D_Y);
    Vec spring = sub(D.p, (Vec){0.014L, 0.072L});
    long double l = sqrtl(dot(spring, spring));
    s->dV = STIFFNESS * (l - REST) * dot(spring, D.d1) / l;
}

static long double acceleration(long double beta, long double rate) {
    Squeezer s;
    place(beta, &s);
    return (TORQUE - s.dV - s.half_dM * rate * rate) / s.M;
}

static void step(long double h, long double* b, long double* v) {
    long double k1 = *v, l1 = acceleration(*b, *v);
    long double k2 = *v + 0.5L * h * l1, l2 = acceleration(*b + 0.5L * h * k1, k2);
    long double k3 = *v + 0.5L * h * l2, l3 = acceleration(*b + 0.5L * h * k2, k3);
    long double k4 = *v + h * l3, l4 = acceleration(*b + h * k3, k4);
    *b += h / 6.0L * (k1 + 2.0L * (k2 + k3) + k4);
    *v += h / 6.0L * (l1 + 2.0L * (l2 + l3) + l4);
}

static void write_row(double t, long double beta) {
    Squeezer s;
    place(beta, &s);
    long double delta = s.angle_AG, epsilon = s.angle_AH + 0.5L * PI;
    printf("%.10g,%.17Lg,%.17Lg,%.17Lg,%.17Lg,%.17Lg", t, s.F.p.x, s.F.p.y, beta, s.angle_EF - beta,
           s.angle_EB - 0.5L * PI);
    printf(",%.17Lg,%.17Lg,%.17Lg,%.17Lg\n", s.angle_GE + 0.5L * PI - delta, delta,
           s.angle_HE - epsilon, epsilon);
}

int main(int argc, char** argv) {
    if (argc != 4 || atoi(argv[3]) < 1 || !(strtod(argv[2], NULL) > 0.0)) {
        fprintf(stderr, "usage: squeezer_reference BETA0 DURATION SAMPLES\n");
        return 2;
    }
    long double b = strtold(argv[1], NULL), v = 0.0L;
    double duration = strtod(argv[2], NULL);
    int n = atoi(argv[3]), steps = (int)ceil(duration / n / STEP);
    printf(
        "t [s],F.x [m],F.y [m],beta [rad],Theta [rad],gamma [rad],Phi [rad],delta [rad],Omega "
        "[rad],epsilon [rad]\n");
    write_row(0.0, b);
    for (int i = 1; i <= n; i++) {
        for (int k = 0; k < steps; k++) {
            step((long double)duration / n / steps, &b, &v);
        }
        write_row(duration * i / n, b);
    }
    return 0;
}
