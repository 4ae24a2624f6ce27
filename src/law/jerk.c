// A move with limited rate, acceleration and jerk: up to seven pieces of constant jerk, as fast as
// the limits allow.
//
// Over the distance D with limits v, a and j: jerk for t_j, constant acceleration for t_a, jerk
// back for t_j, constant rate for t_v, and the same in reverse (eqs. 10.3 to 10.5). Which of a and
// v are reached decides t_j, t_a and t_v; the four cases are in times().
#include "law/profile.h"

enum { N_BREAKS = 8 };

typedef struct Jerk {
    double from, to;
    double jerk;              // signed
    double t_j, t_a, t_v;     // s
    double breaks[N_BREAKS];  // start, ends of the pieces
} Jerk;

// t_j, t_a and t_v for the distance > 0.
static void times(double distance, double v, double a, double j, Jerk* p) {
    // Up to the rate v: with a piece of constant acceleration, or not even reaching a.
    bool reaches_a = v * j >= a * a;
    p->t_j = reaches_a ? a / j : sqrt(v / j);
    p->t_a = reaches_a ? v / a - p->t_j : 0.0;
    p->t_v = distance / v - (2.0 * p->t_j + p->t_a);
    if (p->t_v >= 0.0) {
        return;
    }
    // The rate stays below v: a (t_j + t_a)(2 t_j + t_a) = D, or 2 j t_j^3 = D.
    p->t_v = 0.0;
    p->t_j = a / j;
    p->t_a = 0.5 * (sqrt(p->t_j * p->t_j + 4.0 * distance / a) - 3.0 * p->t_j);
    if (p->t_a < 0.0) {
        p->t_a = 0.0;
        p->t_j = cbrt(0.5 * distance / j);
    }
}

static FbStatus build(const FbLawDef* head, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err) {
    const FbJerkLawDef* def = (const FbJerkLawDef*)head;
    (void)resolve;
    (void)self;
    FB_TRY(fb_law_check_positive(&def->head, "max_rate", def->max_rate, err));
    FB_TRY(fb_law_check_positive(&def->head, "max_acceleration", def->max_acceleration, err));
    FB_TRY(fb_law_check_positive(&def->head, "max_jerk", def->max_jerk, err));
    Jerk* p = FB_TAKE(arena, Jerk, 1);
    if (p == NULL) {
        return fb_fail_memory(err);
    }
    *p = (Jerk){.from = def->from, .to = def->to};
    p->jerk = def->to < def->from ? -def->max_jerk : def->max_jerk;
    double distance = fabs(def->to - def->from);
    if (distance > 0.0) {
        times(distance, def->max_rate, def->max_acceleration, def->max_jerk, p);
    }
    const double pieces[] = {p->t_j, p->t_a, p->t_j, p->t_v, p->t_j, p->t_a, p->t_j};
    p->breaks[0] = def->start;
    for (int i = 1; i < N_BREAKS; i++) {
        p->breaks[i] = p->breaks[i - 1] + pieces[i - 1];
    }
    law->data = p;
    return FB_OK;
}

// Speeding up and the constant rate, x after the start: distance, rate and acceleration.
static void speed_up(const Jerk* p, double x, double out[3]) {
    const double pieces[] = {p->t_j, p->t_a, p->t_j}, jerks[] = {p->jerk, 0.0, -p->jerk};
    double s = 0.0, v = 0.0, a = 0.0, j = 0.0;
    for (int i = 0; i < 3 && x > 0.0; i++) {
        double h = fmin(x, pieces[i]);
        j = jerks[i];
        s += h * (v + h * (0.5 * a + h * j / 6.0));
        v += h * (a + 0.5 * h * j);
        a += h * j;
        x -= pieces[i];
    }
    // Afterwards the acceleration is zero except for rounding.
    out[0] = s + fmax(x, 0.0) * v;
    out[1] = v;
    out[2] = x > 0.0 ? 0.0 : a;
}

// Braking mirrors speeding up: s(t) = to - s(end - t).
static void calc(const FbLaw* law, double t, double out[3]) {
    const Jerk* p = law->data;
    double end = p->breaks[N_BREAKS - 1];
    bool is_before = t <= p->breaks[0];
    if (is_before || t >= end) {
        out[0] = is_before ? p->from : p->to;
        out[1] = out[2] = 0.0;
    } else if (t < p->breaks[4]) {
        speed_up(p, t - p->breaks[0], out);
        out[0] += p->from;
    } else {
        speed_up(p, end - t, out);
        out[0] = p->to - out[0];
        out[2] = -out[2];
    }
}

static double next_break(const FbLaw* law, double t) {
    const Jerk* p = law->data;
    return fb_law_first_after(p->breaks, N_BREAKS, t);
}

static const FbField fields[] = {
    FB_PROFILE_FROM_TO_START(FbJerkLawDef),
    FB_PROFILE_LIMITS(FbJerkLawDef),
    FB_PROFILE_FIELD(FbJerkLawDef, max_jerk, "/s^3",
                     "Largest change of the acceleration, per second cubed."),
};

FbJerkLawDef fb_jerk_law_def_default(void) {
    FbJerkLawDef def;
    fb_type_fill(&fb_law_jerk.info, &def);
    return def;
}

const FbLawType fb_law_jerk = {
    .info = {.name = "jerk",
             .doc = "A move from one value to another with limited rate, acceleration and jerk, as "
                    "fast as these allow; its acceleration does not jump.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbJerkLawDef)},
    .build = build,
    .calc = calc,
    .next_break = next_break,
};
