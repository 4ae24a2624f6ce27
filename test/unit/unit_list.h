// The units that a message about an unknown one lists.
#ifndef FLYBALL_TEST_UNIT_LIST_H
#define FLYBALL_TEST_UNIT_LIST_H

#define UNIT_LIST                                                                             \
    " (units: m, mm, cm, km, um, in, ft, kg, g, mg, ug, t, lb, s, ms, us, min, h, rad, deg, " \
    "rev, "                                                                                   \
    "Hz, kHz, rpm, N, mN, kN, MN, lbf, Nm, Nmm, kNm, J, kJ, MJ, W, kW, MW, Pa, kPa, MPa, GPa)"

#endif
