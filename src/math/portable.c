// Logarithm, exponential function and normal quantile from exactly rounded operations.
#include "math/portable.h"

#include <math.h>

// ln 2 in two parts: the first has 32 bits, so that a multiple of it by an exponent is exact.
static const double LN2_HIGH = 0x1.62e42feep-1, LN2_LOW = 0x1.a39ef35793c76p-33;

// x = 2^k m with m between sqrt(1/2) and sqrt(2); ln m = 2 artanh(s) = 2 (s + s^3/3 + s^5/5 + ...)
// with s = (m - 1)/(m + 1), |s| < 0.172. The term after the last one is below 2^-56 s.
double fb_portable_log(double x) {
    int k;
    double m = frexp(x, &k);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        k--;
    }
    double s = (m - 1.0) / (m + 1.0), z = s * s, sum = 0.0;
    for (int i = 21; i >= 3; i -= 2) {
        sum = (sum + 1.0 / i) * z;
    }
    return k * LN2_HIGH + (2.0 * s + (2.0 * s * sum + k * LN2_LOW));
}

// x = k ln 2 + r, |r| <= ln 2 / 2; the series of exp(r) up to r^14 leaves less than 2^-60.
double fb_portable_exp(double x) {
    if (!(x < 710.0)) {
        return x > 0.0 ? INFINITY : x;  // NaN stays NaN
    }
    if (x < -746.0) {
        return 0.0;
    }
    double k = floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
    double r = (x - k * LN2_HIGH) - k * LN2_LOW, sum = 0.0;
    for (int i = 14; i >= 1; i--) {
        sum = (1.0 + sum) * r / i;
    }
    // Two factors, because 2^1024 is no number.
    int half = (int)k / 2;
    return ldexp(ldexp(1.0 + sum, half), (int)k - half);
}

// a[0] + a[1] x + ... + a[7] x^7
static double polynomial(const double a[8], double x) {
    double sum = 0.0;
    for (int i = 7; i >= 0; i--) {
        sum = sum * x + a[i];
    }
    return sum;
}

// Rational approximations in the middle and in two parts of the tails: M. J. Wichura, Algorithm AS
// 241: The percentage points of the normal distribution, Applied Statistics 37 (1988) 477-484,
// routine PPND16.
double fb_normal_quantile(double u) {
    static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0,  2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    double q = u - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(a, r) / polynomial(b, r);
    }
    double r = sqrt(-fb_portable_log(q < 0.0 ? u : 1.0 - u));
    double x = r <= 5.0 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                        : polynomial(e, r - 5.0) / polynomial(f, r - 5.0);
    return q < 0.0 ? -x : x;
}
