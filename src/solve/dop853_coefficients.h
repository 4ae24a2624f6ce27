// Coefficients of the Dormand-Prince pair of order 8 with error estimates of orders 5 and 3 and
// dense output of order 7.
#ifndef FLYBALL_SOLVE_DOP853_COEFFICIENTS_H
#define FLYBALL_SOLVE_DOP853_COEFFICIENTS_H

enum { FB_DOP_STAGES = 12, FB_DOP_ALL_STAGES = 16, FB_DOP_DENSE = 4 };

extern const double fb_dop_c[FB_DOP_ALL_STAGES];
// Row 12 holds the weights b (the first stage of the next step); rows 13 to 15 serve the dense
// output only.
extern const double fb_dop_a[FB_DOP_ALL_STAGES][FB_DOP_ALL_STAGES];
extern const double fb_dop_e3[FB_DOP_STAGES];
extern const double fb_dop_e5[FB_DOP_STAGES];
extern const double fb_dop_d[FB_DOP_DENSE][FB_DOP_ALL_STAGES];

#endif
