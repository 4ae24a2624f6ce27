// Complex numbers of C. Clang supports CMPLX only through its builtin: glibc defines the macro for
// gcc alone.
#ifndef FLYBALL_BASE_COMPLEX_H
#define FLYBALL_BASE_COMPLEX_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

#endif
