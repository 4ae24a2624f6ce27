// A move with a trapezoidal rate: constant acceleration, constant rate, constant deceleration; as
// fast as the limits allow.
//
// Over the distance D with limits v and a: t_a = v/a and t_c = D/v - t_a; where D < v^2/a the rate
// never reaches v and the profile is a triangle, t_a = sqrt(D/a), t_c = 0.
#include "law/profile.h"

typedef struct Trapezoid {
    double from, to;
    double acceleration, rate;  // signed
    double breaks[4];           // start, end of speeding up, start of braking, end
} Trapezoid;

static FbStatus build(const FbLawDef* head, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err) {
    const FbTrapezoidLawDef* def = (const FbTrapezoidLawDef*)head;
    (void)resolve;
    (void)self;
    FB_TRY(fb_law_check_positive(&def->head, "max_rate", def->max_rate, err));
    FB_TRY(fb_law_check_positive(&def->head, "max_acceleration", def->max_acceleration, err));
    Trapezoid* p = FB_TAKE(arena, Trapezoid, 1);
    if (p == NULL) {
        return fb_fail_memory(err);
    }
    double distance = fabs(def->to - def->from), sign = def->to < def->from ? -1.0 : 1.0;
    double a = def->max_acceleration;
    double rate = fmin(def->max_rate, sqrt(distance * a));
    double t_a = rate / a, t_c = rate > 0.0 ? fmax(distance / rate - t_a, 0.0) : 0.0;
    *p = (Trapezoid){
        .from = def->from, .to = def->to, .acceleration = sign * a, .rate = sign * rate};
    p->breaks[0] = def->start;
    p->breaks[1] = def->start + t_a;
    p->breaks[2] = def->start + t_a + t_c;
    p->breaks[3] = def->start + t_a + t_c + t_a;
    law->data = p;
    return FB_OK;
}

static void calc(const FbLaw* law, double t, double out[3]) {
    const Trapezoid* p = law->data;
    double a = p->acceleration;
    if (t < p->breaks[0] || t >= p->breaks[3]) {
        out[0] = t < p->breaks[0] ? p->from : p->to;
        out[1] = 0.0;
        out[2] = 0.0;
    } else if (t < p->breaks[1]) {
        double x = t - p->breaks[0];
        out[0] = p->from + 0.5 * a * x * x;
        out[1] = a * x;
        out[2] = a;
    } else if (t < p->breaks[2]) {
        out[0] = p->from + p->rate * (t - 0.5 * (p->breaks[0] + p->breaks[1]));
        out[1] = p->rate;
        out[2] = 0.0;
    } else {
        double x = p->breaks[3] - t;
        out[0] = p->to - 0.5 * a * x * x;
        out[1] = a * x;
        out[2] = -a;
    }
}

static double next_break(const FbLaw* law, double t) {
    const Trapezoid* p = law->data;
    return fb_law_first_after(p->breaks, 4, t);
}

static int roughness(const FbLaw* law) {
    (void)law;
    return 2;
}

static const FbField fields[] = {
    FB_PROFILE_FROM_TO_START(FbTrapezoidLawDef),
    FB_PROFILE_LIMITS(FbTrapezoidLawDef),
};

FbTrapezoidLawDef fb_trapezoid_law_def_default(void) {
    FbTrapezoidLawDef def;
    fb_type_fill(&fb_law_trapezoid.info, &def);
    return def;
}

const FbLawType fb_law_trapezoid = {
    .info = {.name = "trapezoid",
             .doc = "A move from one value to another that accelerates, keeps its rate and "
                    "decelerates, as fast as the limits allow (trapezoidal rate).",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbTrapezoidLawDef)},
    .build = build,
    .calc = calc,
    .next_break = next_break,
    .roughness = roughness,
};
