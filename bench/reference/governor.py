#!/usr/bin/env python3
"""Reference of the case governor-001: governor.py DURATION SAMPLE BALL_KG > reference.csv   (needs SciPy)

The governor moves symmetrically, so three coordinates describe it: the turn of the shaft, the height s of the slider and the angle theta of both arms
below the horizontal. The angular momentum about the shaft, H = Iz(theta) psi', is conserved and leaves two equations:
    ms s'' = -ms g - 2 F dd/ds,     2 J theta'' = H^2 Iz'(theta)/(2 Iz^2) + 2 g (m/2 + M) cos(theta) - 2 F dd/dtheta,
    F = k (d - 1/2) + c d',   d^2 = cos(theta)^2/4 + (1 - sin(theta)/2 - s)^2.
Solved by LSODA and by Radau IIA, both of SciPy; the largest difference between the two is printed to stderr. With the dimensions of the case a05 it
gives that case's reference (`governor.py 10 0.1 5 a05`) to 2e-11.
"""
import sys

import numpy as np
from scipy.integrate import solve_ivp

G, K, C, RHO = 9.81, 8e5, 4e4, 3000.0
A05 = dict(shaft=(0.01, 0.01), arm=(0.01, 0.01), slider=(0.1, 0.1, 0.1))
PRINTED = dict(shaft=(0.001, 0.01), arm=(0.001, 0.01), slider=(0.01, 0.01, 0.1))  # widths of arms: along the hinge, across


class Governor:
    def __init__(self, ball, shaft, arm, slider):
        self.ball, self.arm = ball, arm
        self.m = RHO * arm[0] * arm[1]
        self.ms = RHO * np.prod(slider)
        self.fixed = RHO * shaft[0] * shaft[1] * (shaft[0] ** 2 + shaft[1] ** 2) / 12 + self.ms * (slider[0] ** 2 + slider[1] ** 2) / 12
        self.J = self.m * (1 / 3 + arm[1] ** 2 / 12) + ball
        self.H = self.inertia(np.pi / 6)[0] * 2 * np.pi

    def inertia(self, theta):
        """Iz of everything, and its derivative."""
        c, s, (wy, wz) = np.cos(theta), np.sin(theta), self.arm
        arm = self.m * ((0.05 + c / 2) ** 2 + c * c / 12 + s * s * wz**2 / 12 + wy**2 / 12) + self.ball * (0.05 + c) ** 2
        slope = self.m * (-(0.05 + c / 2) * s - c * s / 6 + s * c * wz**2 / 6) - 2 * self.ball * (0.05 + c) * s
        return self.fixed + 2 * arm, 2 * slope

    def rates(self, t, y):
        s, theta, v, w = y
        c, sn = np.cos(theta), np.sin(theta)
        up = 1 - sn / 2 - s
        d = np.hypot(c / 2, up)
        d_s, d_theta = -up / d, (-c * sn / 4 - up * c / 2) / d
        force = K * (d - 0.5) + C * (d_s * v + d_theta * w)
        iz, slope = self.inertia(theta)
        return [v, w, -G - 2 * force * d_s / self.ms,
                (self.H**2 * slope / (2 * iz**2) + 2 * G * (self.m / 2 + self.ball) * c - 2 * force * d_theta) / (2 * self.J)]

    def solve(self, method, times, rtol):
        y = solve_ivp(self.rates, (0, times[-1]), [0.5, np.pi / 6, 0, 0], method, times, rtol=rtol, atol=1e-3 * rtol).y
        return np.array([y[0], y[1], self.H / self.inertia(y[1])[0]])


if __name__ == "__main__":
    duration, sample, ball = (float(x) for x in sys.argv[1:4])
    governor = Governor(ball, **(A05 if "a05" in sys.argv else PRINTED))
    times = np.round(np.arange(0, duration / sample + 0.5) * sample, 10)
    result = governor.solve("LSODA", times, 1e-13)
    if "quick" not in sys.argv:
        other = governor.solve("Radau", times, 1e-12)
        print("largest difference between the two methods:", np.abs(result - other).max(axis=1), file=sys.stderr)
    print("t [s],s [m],angle [rad],rate [rad/s]")
    for t, values in zip(times, result.T):
        print(",".join(repr(float(x)) for x in (t, *values)))
