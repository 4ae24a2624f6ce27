// The quintic move, its extremes, and the checks of moves.
#include "law/profile.h"

// Largest rate and acceleration of the quintic of unit rise and duration: at x = 1/2, and at
// x = (1 - 1/sqrt(3))/2.
static const double QUINTIC_RATE = 1.875;
static const double QUINTIC_ACCELERATION = 5.773502691896258;  // 10/sqrt(3)

void fb_quintic_calc(double rise, double start, double duration, double t, double out[3]) {
    double x = fmin(fmax((t - start) / duration, 0.0), 1.0);
    double y = 1.0 - x;
    out[0] = rise * x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
    out[1] = rise / duration * 30.0 * x * x * y * y;
    out[2] = rise / (duration * duration) * 60.0 * x * y * (y - x);
}

double fb_quintic_duration(double rise, double duration, double max_rate, double max_acceleration) {
    double by_rate = QUINTIC_RATE * fabs(rise) / max_rate;
    double by_acceleration = sqrt(QUINTIC_ACCELERATION * fabs(rise) / max_acceleration);
    return fmax(duration, fmax(by_rate, by_acceleration));
}

FbStatus fb_law_check_positive(const FbLawDef* head, const char* key, double value, FbError* err) {
    if (value > 0.0) {
        return FB_OK;
    }
    bool is_time = key[0] == 'd';
    return fb_fail(err, FB_ERR_RANGE, &head->origin.place,
                   "%s%s of law '%s' is %g%s; it must be > 0", is_time ? "the " : "", key,
                   head->name, value, is_time ? " s" : "");
}
