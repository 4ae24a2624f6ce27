// Functions that give the same bits on every machine: additions, multiplications, divisions and
// square roots are exactly rounded everywhere, those of the C library are not.
#ifndef FLYBALL_MATH_PORTABLE_H
#define FLYBALL_MATH_PORTABLE_H

// The natural logarithm of a finite x > 0, to about two units in the last place.
double fb_portable_log(double x);

// exp(x), to about two units in the last place; 0 and infinity beyond the range of numbers.
double fb_portable_exp(double x);

// The x with P(X <= x) = u of the standard normal distribution, 0 < u < 1, to about 1e-15
// relatively.
double fb_normal_quantile(double u);

#endif
