// Values, rates and exact derivatives of relative measures between two links.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "tree/term.h"

// Below this length the direction of a distance is not defined; it is then taken as zero.
static const double SHORTEST_LENGTH = 1e-150;
// Sines and cosines below this are rounding.
static const double POLE = 16.0 * DBL_EPSILON;

static inline FbVec3 to_ground(const FbKinematics* k, int link, FbVec3 x) {
    return link >= 0 ? fb_mul3(&k->R[link], x) : x;
}
// The point of reference, given from B's base; returns where it is from the point p_a of A.
static inline FbVec3 set_point(const FbTerm* term, const FbKinematics* k, FbVec3 at_b,
                               FbTermState* s) {
    s->at_b = at_b;
    s->held_a = s->at_a = fb_from_base(k, term->link_a, term->link_b, at_b);
    return fb_from_point(k, term->link_a, term->p_a, term->link_b, at_b);
}

// An angle made continuous with the remembered one.
static double unwrap(const FbTerm* term, const double* turns, double angle) {
    const double full = 2.0 * 3.14159265358979323846;
    return turns && term->turn >= 0 ? angle + full * round((turns[term->turn] - angle) / full)
                                    : angle;
}

// The angle from direction b of A to direction c of B about the axis.
static double turn_angle(const FbTerm* term, const FbKinematics* k, FbVec3 axis,
                         const double* turns) {
    FbVec3 from = to_ground(k, term->link_a, term->b);
    FbVec3 to = to_ground(k, term->link_b, term->c);
    double angle = atan2(fb_dot(axis, fb_cross(from, to)),
                         fb_dot(from, to) - fb_dot(axis, from) * fb_dot(axis, to));
    return unwrap(term, turns, angle);
}

// Turns about x of A, the y between and z of B, eq. (3.15): the axes are those of A and B that the
// outer turns keep. At the pole (second angle +-90 deg) the first and the third are undefined.
static double cardan_angle(const FbTerm* term, const FbKinematics* k, const FbTermState* s) {
    double sine = fb_dot(s->a, s->b);
    if (term->axis == 1) {
        return atan2(sine, fb_norm(fb_cross(s->b, s->a)));
    }
    if (term->axis == 0) {
        FbVec3 z = to_ground(k, term->link_a, term->c), y = fb_cross(z, s->a);
        return atan2(-fb_dot(y, s->b), fb_dot(z, s->b));
    }
    FbVec3 x = to_ground(k, term->link_b, term->d), y = fb_cross(s->b, x);
    return atan2(-fb_dot(s->a, y), fb_dot(s->a, x));
}

static double near_angle(double sine, double cosine, double expected) {
    const double full = 2.0 * 3.14159265358979323846;
    double angle = atan2(sine, cosine);
    return hypot(sine, cosine) > POLE ? angle + full * round((expected - angle) / full) : expected;
}

// The three angles of the rotation R from A to B, eq. (3.15), and of the two ways to turn by them
// that which is nearest to `angle`, eq. (3.18).
static void calc_cardan_near(const FbMat3* R, double angle[3]) {
    const double(*r)[3] = R->m;
    double sum = near_angle(r[1][0] + r[2][1], r[1][1] - r[2][0], angle[2] + angle[0]);
    double difference = near_angle(r[1][0] - r[2][1], r[1][1] + r[2][0], angle[2] - angle[0]);
    angle[0] = 0.5 * (sum - difference);
    angle[2] = 0.5 * (sum + difference);
    // That gives the direction; the angle itself comes from numbers with less cancellation.
    double cosine = r[2][2] * cos(angle[0]) - r[1][2] * sin(angle[0]);
    double sign = cosine < 0.0 ? -1.0 : 1.0;
    angle[0] = near_angle(-sign * r[1][2], sign * r[2][2], angle[0]);
    angle[2] = r[0][2] > 0.0 ? sum - angle[0] : difference + angle[0];
    angle[1] = near_angle(r[0][2], sign * hypot(r[1][2], r[2][2]), angle[1]);
}

// Rotations are followed in steps of this size, rad: one that passes the pole nearer than that may
// go by either side.
static const double FOLLOW = 0.02;
enum { MAX_FOLLOW = 2000 };

void fb_chart_follow(const FbChartState* c, const FbMat3* R, double angle[3]) {
    const double full = 2.0 * 3.14159265358979323846;
    FbMat3 step = fb_mat3_mul_tn(&c->R, R);
    FbVec3 turn = fb_rotation_to_vector(&step);
    double size = fb_norm(turn), expected = size > 0.0 ? c->ago * fb_dot(c->w, turn) / size : 0.0;
    double whole = size > 0.0 ? full * round((expected - size) / full) / size : 0.0;
    turn = fb_scale(1.0 + whole, turn);
    int n = (int)fmin(1.0 + floor(fb_norm(turn) / FOLLOW), MAX_FOLLOW);
    memcpy(angle, c->angle, sizeof(c->angle));
    for (int k = 1; k < n; k++) {
        FbMat3 part = fb_rotation_from_vector(fb_scale((double)k / n, turn)),
               between = fb_mat3_mul(&c->R, &part);
        calc_cardan_near(&between, angle);
    }
    calc_cardan_near(R, angle);
}

// The angle of a changed chart, that of the user, and its direction. The axis between is known from
// the first angle, also in gimbal lock; there the outer turns share what they have in common.
static void calc_charted(const FbTerm* term, const FbKinematics* k, FbTermState* s) {
    FbVec3 z = to_ground(k, term->link_a, term->c), x = to_ground(k, term->link_b, term->d);
    FbVec3 a[3] = {s->a, fb_cross(z, s->a), z}, b[3] = {x, fb_cross(s->b, x), s->b};
    FbMat3 R;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            R.m[i][j] = fb_dot(a[i], b[j]);
        }
    }
    double angle[3];
    fb_chart_follow(&k->charts[term->chart - 1], &R, angle);
    FbVec3 y = fb_axpy(cos(angle[0]), a[1], fb_scale(sin(angle[0]), a[2]));
    double cosine = cos(angle[1]);
    FbVec3 common = fb_scale(term->axis == 0 ? 0.5 : 0.5 * fb_dot(s->a, s->b), s->a);
    FbVec3 outer = term->axis == 0 ? fb_cross(y, s->b) : fb_cross(s->a, y);
    s->value = angle[term->axis];
    s->length = cosine < 0.0 ? -1.0 : 1.0;
    s->w.ang = term->axis == 1 ? y : fabs(cosine) > POLE ? fb_scale(1.0 / cosine, outer) : common;
    s->w.lin = fb_vec3(0, 0, 0);
}

// The direction dual to the turn, eq. (3.16).
static FbVec3 cardan_direction(const FbTerm* term, const FbTermState* s) {
    double sine = fb_dot(s->a, s->b), cos2 = 1.0 - sine * sine;
    if (term->axis == 1) {
        return fb_scale(1.0 / sqrt(cos2), fb_cross(s->b, s->a));
    }
    FbVec3 first = term->axis == 0 ? s->a : s->b, other = term->axis == 0 ? s->b : s->a;
    return fb_scale(1.0 / cos2, fb_axpy(-sine, other, first));
}

// How it changes with b by u, eq. (3.17), and the transposed map.
static FbVec3 cardan_change(const FbTerm* term, const FbTermState* s, FbVec3 u) {
    double sine = fb_dot(s->a, s->b), cos2 = fmax(1.0 - sine * sine, POLE * POLE);
    double ds = fb_dot(s->a, u);
    if (term->axis == 1) {
        FbVec3 across = fb_scale(s->length / sqrt(cos2), fb_cross(u, s->a));
        return fb_axpy(sine * ds / cos2, s->w.ang, across);
    }
    FbVec3 change =
        term->axis == 0 ? fb_axpy(-sine, u, fb_scale(-ds, s->b)) : fb_axpy(-ds, s->a, u);
    return fb_axpy(2.0 * sine * ds / cos2, s->w.ang, fb_scale(1.0 / cos2, change));
}

static FbVec3 cardan_change_transposed(const FbTerm* term, const FbTermState* s, FbVec3 y) {
    double sine = fb_dot(s->a, s->b), cos2 = fmax(1.0 - sine * sine, POLE * POLE);
    double wy = fb_dot(s->w.ang, y);
    if (term->axis == 1) {
        FbVec3 across = fb_scale(s->length / sqrt(cos2), fb_cross(s->a, y));
        return fb_axpy(sine * wy / cos2, s->a, across);
    }
    FbVec3 change = term->axis == 0 ? fb_axpy(-sine, y, fb_scale(-fb_dot(s->b, y), s->a))
                                    : fb_axpy(-fb_dot(s->a, y), s->a, y);
    return fb_axpy(2.0 * sine * wy / cos2, s->a, fb_scale(1.0 / cos2, change));
}

// Contact of a wheel: d points from the contact to the centre, d = (n - (n.u) u)/|e| for a disc
// with axis u, n for a sphere. Returns where it is from the point of A.
static FbVec3 wheel_contact(const FbTerm* term, const FbKinematics* k, FbTermState* s) {
    s->a = to_ground(k, term->link_a, term->a);
    s->b = to_ground(k, term->link_b, term->b);
    s->d = s->a;
    s->length = 1.0;
    if (!term->is_sphere) {
        FbVec3 e = fb_axpy(-fb_dot(s->a, s->b), s->b, s->a);
        s->length = fb_norm(e);
        s->d = fb_scale(1.0 / s->length, e);
    }
    FbVec3 center = fb_link_point(k, term->link_b, term->p_b);
    return set_point(term, k, fb_axpy(-term->radius, s->d, center), s);
}

void fb_term_calc_position(const FbTerm* term, const FbKinematics* k, const double* q,
                           const double* turns, FbTermState* s) {
    FbVec3 zero = {0, 0, 0};
    s->at_b = s->at_a = s->held_a = zero;  // turns have no place
    s->kind = fb_term_kind(term, k);
    switch (s->kind) {
        case FB_TERM_COORDINATE:
            s->value = q[term->coordinate_q];
            return;
        case FB_TERM_SLIDE:
            s->a = to_ground(k, term->link_a, term->a);
            s->value =
                fb_dot(s->a, set_point(term, k, fb_link_point(k, term->link_b, term->p_b), s));
            s->w = fb_vec6(zero, s->a);
            return;
        case FB_TERM_DOT:
            s->a = to_ground(k, term->link_a, term->a);
            s->b = to_ground(k, term->link_b, term->b);
            s->value = fb_dot(s->a, s->b);
            s->w = fb_vec6(fb_cross(s->b, s->a), zero);
            return;
        case FB_TERM_DISTANCE: {
            FbVec3 d = set_point(term, k, fb_link_point(k, term->link_b, term->p_b), s);
            s->length = fb_norm(d);
            s->value = s->length;
            s->d = s->length > SHORTEST_LENGTH ? fb_scale(1.0 / s->length, d) : zero;
            s->w = fb_vec6(zero, s->d);
            s->held_a = fb_link_point(k, term->link_a, term->p_a);
            return;
        }
        case FB_TERM_TURN_A:
            s->a = to_ground(k, term->link_a, term->a);
            s->value = turn_angle(term, k, s->a, turns);
            s->w = fb_vec6(s->a, zero);
            return;
        case FB_TERM_TURN_B:
            s->a = to_ground(k, term->link_b, term->a);
            s->value = turn_angle(term, k, s->a, turns);
            s->w = fb_vec6(s->a, zero);
            return;
        case FB_TERM_CARDAN:
            s->a = to_ground(k, term->link_a, term->a);
            s->b = to_ground(k, term->link_b, term->b);
            if (s->kind != term->kind) {
                calc_charted(term, k, s);
                return;
            }
            s->value = unwrap(term, turns, cardan_angle(term, k, s));
            s->length = 1.0;
            s->w = fb_vec6(cardan_direction(term, s), zero);
            return;
        case FB_TERM_HEIGHT: {
            FbVec3 from_a = wheel_contact(term, k, s);
            s->value = fb_dot(s->a, from_a);
            s->w = fb_vec6(zero, s->a);
            return;
        }
        case FB_TERM_SLIP: {
            wheel_contact(term, k, s);
            FbVec3 t = to_ground(k, term->link_a, term->c);
            s->value = 0.0;
            s->w = fb_vec6(zero, t);
            return;
        }
    }
}

bool fb_term_is_collapsed(const FbTerm* term, const FbTermState* s) {
    return term->kind == FB_TERM_DISTANCE && !(s->length > SHORTEST_LENGTH);
}

double fb_term_calc_distance(const FbTerm* term, const FbKinematics* k, const FbTermState* s) {
    if (!fb_term_is_position(term->kind)) {
        return 0.0;
    }
    double distance = term->link_b >= 0 ? fb_norm(s->at_b) : 0.0;
    if (term->link_a >= 0) {
        distance = fmax(distance, fb_norm(s->at_a));
    }
    if (!fb_has_same_base(k, term->link_a, term->link_b)) {
        FbVec3 zero = {0, 0, 0};
        FbVec3 a = term->link_a >= 0 ? k->base_q[k->tree->links[term->link_a].base] : zero;
        FbVec3 b = term->link_b >= 0 ? k->base_q[k->tree->links[term->link_b].base] : zero;
        distance = fmax(distance, fmax(fb_norm(a), fb_norm(b)));
    }
    return distance;
}

// DISTANCE: velocity of the point on B less that of the point on A.
static FbVec3 stretching(const FbTerm* term, const FbKinematics* k, const FbTermState* s) {
    return fb_sub(fb_term_velocity_b(term, k, s, -1.0).lin,
                  fb_velocity_about(k, term->link_a, s->held_a).lin);
}

void fb_term_calc_rate(const FbTerm* term, const FbKinematics* k, const double* v, FbTermState* s) {
    if (fb_term_kind(term, k) == FB_TERM_COORDINATE) {
        s->rate = v[term->coordinate_v];
        return;
    }
    s->Vr =
        fb_sub6(fb_term_velocity_b(term, k, s, -1.0), fb_velocity_about(k, term->link_a, s->at_a));
    s->rate = term->kind == FB_TERM_DISTANCE ? fb_dot(s->d, stretching(term, k, s))
                                             : fb_dot6(s->w, s->Vr);
}

// How the point of contact moves on the ground when the wheel moves by x.
static FbVec3 contact_shift(const FbTerm* term, const FbTermState* s, FbVec6 x) {
    FbVec3 shift = fb_velocity_at(x, fb_scale(term->radius, s->d));
    if (!term->is_sphere) {
        FbVec3 du = fb_cross(x.ang, s->b);
        FbVec3 de = fb_sub(fb_scale(-fb_dot(s->a, du), s->b), fb_scale(fb_dot(s->a, s->b), du));
        FbVec3 dd = fb_scale(1.0 / s->length, fb_axpy(-fb_dot(s->d, de), s->d, de));
        shift = fb_axpy(-term->radius, dd, shift);
    }
    return shift;
}

FbVec6 fb_term_direction_change(const FbTerm* term, const FbTermState* s, FbVec6 x) {
    FbVec3 zero = {0, 0, 0};
    switch (s->kind) {
        case FB_TERM_SLIDE:
            return fb_vec6(fb_cross(x.lin, s->a), zero);
        case FB_TERM_DOT:
            return fb_vec6(
                fb_sub(fb_scale(fb_dot(x.ang, s->a), s->b), fb_scale(fb_dot(s->a, s->b), x.ang)),
                zero);
        case FB_TERM_DISTANCE: {
            if (!(s->length > SHORTEST_LENGTH)) {
                return fb_zero6();
            }
            FbVec3 dn = fb_scale(1.0 / s->length, fb_axpy(-fb_dot(s->d, x.lin), s->d, x.lin));
            return fb_vec6(fb_cross(x.lin, s->d), dn);
        }
        case FB_TERM_TURN_B:
            return fb_vec6(fb_cross(x.ang, s->a), zero);
        case FB_TERM_CARDAN:
            return fb_vec6(cardan_change(term, s, fb_cross(x.ang, s->b)), zero);
        case FB_TERM_HEIGHT:
        case FB_TERM_SLIP:
            return fb_vec6(fb_cross(contact_shift(term, s, x), s->w.lin), zero);
        case FB_TERM_COORDINATE:
        case FB_TERM_TURN_A:
            break;
    }
    return fb_zero6();
}

FbVec6 fb_term_direction_change_transposed(const FbTerm* term, const FbTermState* s, FbVec6 y) {
    FbVec3 zero = {0, 0, 0};
    switch (s->kind) {
        case FB_TERM_SLIDE:
            return fb_vec6(zero, fb_cross(s->a, y.ang));
        case FB_TERM_DOT:
            return fb_vec6(
                fb_sub(fb_scale(fb_dot(s->b, y.ang), s->a), fb_scale(fb_dot(s->a, s->b), y.ang)),
                zero);
        case FB_TERM_DISTANCE: {
            if (!(s->length > SHORTEST_LENGTH)) {
                return fb_zero6();
            }
            FbVec3 across = fb_scale(1.0 / s->length, fb_axpy(-fb_dot(s->d, y.lin), s->d, y.lin));
            return fb_vec6(zero, fb_add(fb_cross(s->d, y.ang), across));
        }
        case FB_TERM_TURN_B:
            return fb_vec6(fb_cross(s->a, y.ang), zero);
        case FB_TERM_CARDAN:
            return fb_vec6(fb_cross(s->b, cardan_change_transposed(term, s, y.ang)), zero);
        case FB_TERM_HEIGHT:
        case FB_TERM_SLIP: {
            FbVec3 f = fb_cross(s->w.lin, y.ang);
            FbVec6 out = fb_force_at(fb_scale(term->radius, s->d), f);
            if (!term->is_sphere) {
                FbVec3 z = fb_scale(1.0 / s->length, fb_axpy(-fb_dot(s->d, f), s->d, f));
                FbVec3 m = fb_add(fb_scale(fb_dot(z, s->b), s->a), fb_scale(fb_dot(s->a, s->b), z));
                out.ang = fb_axpy(term->radius, fb_cross(s->b, m), out.ang);
            }
            return out;
        }
        case FB_TERM_COORDINATE:
        case FB_TERM_TURN_A:
            break;
    }
    return fb_zero6();
}

// Eq. (3.7) by the two points themselves: nothing of A's turning has to cancel over the distance.
static double distance_acceleration(const FbTerm* term, const FbKinematics* k,
                                    const FbTermState* s) {
    if (!(s->length > SHORTEST_LENGTH)) {
        return 0.0;
    }
    FbVec3 u = stretching(term, k, s);
    FbVec3 across = fb_axpy(-fb_dot(s->d, u), s->d, u);
    FbVec3 a = fb_sub(fb_acceleration_about(k, term->link_b, s->at_b).lin,
                      fb_acceleration_about(k, term->link_a, s->held_a).lin);
    return fb_dot(s->d, a) + fb_dot(across, across) / s->length;
}

// Eq. (3.7) of an observer who moves with A's material point at the term's point.
double fb_term_calc_acceleration(const FbTerm* term, const FbKinematics* k, const double* a,
                                 const FbTermState* s) {
    if (fb_term_kind(term, k) == FB_TERM_COORDINATE) {
        return a ? a[term->coordinate_v] : 0.0;
    }
    if (term->kind == FB_TERM_DISTANCE) {
        return distance_acceleration(term, k, s);
    }
    FbVec3 w_a = term->link_a >= 0 ? k->V[term->link_a].ang : fb_vec3(0, 0, 0);
    FbVec6 Ar = fb_sub6(fb_acceleration_about(k, term->link_b, s->at_b),
                        fb_acceleration_about(k, term->link_a, s->at_a));
    Ar.lin = fb_sub(Ar.lin, fb_cross(fb_add(w_a, s->Vr.ang), s->Vr.lin));
    FbVec6 carried = fb_vec6(fb_cross(w_a, s->Vr.ang), fb_cross(w_a, s->Vr.lin));
    FbVec6 change = fb_term_direction_change(term, s, s->Vr);
    return fb_dot6(s->w, fb_sub6(Ar, carried)) + fb_dot6(change, s->Vr);
}

double fb_term_calc_acceleration_bias(const FbTerm* term, const FbKinematics* k,
                                      const FbTermState* s) {
    return fb_term_calc_acceleration(term, k, NULL, s);
}

static int depth_of(const FbTree* tree, int link) {
    int depth = 0;
    for (; link >= 0; link = tree->links[link].parent) {
        depth++;
    }
    return depth;
}

static bool append_link(const FbTree* tree, FbPaths* paths, int link, double sign) {
    const FbLink* l = &tree->links[link];
    for (int j = l->v0; j < l->v0 + l->n_v; j++) {
        int room = paths->capacity;
        if (!fb_grow((void**)&paths->v, &room, paths->count, sizeof(int))) {
            return false;
        }
        room = paths->capacity;
        if (!fb_grow((void**)&paths->sign, &room, paths->count, sizeof(double))) {
            return false;
        }
        paths->capacity = room;
        paths->v[paths->count] = j;
        paths->sign[paths->count++] = sign;
    }
    return true;
}

bool fb_term_find_path(const FbTree* tree, FbPaths* paths, FbTerm* term) {
    term->path = paths->count;
    bool is_ok = true;
    if (term->kind != FB_TERM_COORDINATE || term->chart > 0) {
        int a = term->link_a, b = term->link_b;
        int da = depth_of(tree, a), db = depth_of(tree, b);
        while (is_ok && a != b) {
            if (da >= db) {
                is_ok = append_link(tree, paths, a, -1.0);
                a = tree->links[a].parent;
                da--;
            } else {
                is_ok = append_link(tree, paths, b, 1.0);
                b = tree->links[b].parent;
                db--;
            }
        }
    }
    term->n_path = paths->count - term->path;
    return is_ok;
}
