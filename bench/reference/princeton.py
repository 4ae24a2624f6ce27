#!/usr/bin/env python3
"""Reference of the case princeton: the continuous rod by shooting. Usage: princeton.py > ../cases/princeton/exact.txt   (needs SciPy)

A rod with shear and stretch, clamped at the origin along x, y its stiff direction, with a dead force P at its tip. With the position r(s) and the axes
R(s) of the sections, N = R'P and M = R'm:
    r' = R (1 + N1/EA, N2/GAy, N3/GAz),   R' = R [k]x,  k = (M1/GJ, M2/EIy, M3/EIz),   m' = -r' x P,   m(L) = 0.
The three moments at the root are found by Newton's method. Prints u_y, u_z and the twist (the roll of yaw, pitch and roll) of the tip for each load and
angle from the stiff direction, to 1e-11.
"""
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root

L = 0.508
EA, GAY, GAZ, GJ, EIY, EIZ = 2.84191e6, 9.03881e5, 6.40131e5, 3.10338, 2.42873, 36.2794


def rates(s, y, force):
    R, m = y[3:12].reshape(3, 3), y[12:]
    n, M = R.T @ force, R.T @ m
    tangent = R @ (np.array([1.0, 0.0, 0.0]) + n / (EA, GAY, GAZ))
    k = M / (GJ, EIY, EIZ)
    spin = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.concatenate((tangent, (R @ spin).ravel(), -np.cross(tangent, force)))


def tip(moment, force):
    start = np.concatenate((np.zeros(3), np.eye(3).ravel(), moment))
    return solve_ivp(rates, (0, L), start, "DOP853", rtol=1e-13, atol=1e-15, args=(force,)).y[:, -1]


def solve(load, angle, guess):
    force = load * np.array([0.0, np.cos(angle), np.sin(angle)])
    found = root(lambda m: tip(m, force)[12:], guess, tol=1e-14)
    end = tip(found.x, force)
    assert np.abs(end[12:]).max() < 1e-11, end[12:]
    R = end[3:12].reshape(3, 3)
    return found.x, (end[1], end[2], np.arctan2(R[2, 1], R[2, 2]))


if __name__ == "__main__":
    for load in (4.448, 8.896, 13.345):
        moment = np.array([0.0, 0.0, load * L])
        for degrees in range(0, 91, 15):
            moment, values = solve(load, np.radians(degrees), moment)
            print(f"{load} N {degrees} deg: " + ", ".join(f"{v + 0.0:.12g}" for v in values))
