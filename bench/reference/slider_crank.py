#!/usr/bin/env python3
"""Reference of the case slider-crank: one coordinate by quadrature. Usage: slider_crank.py > ../cases/slider-crank/reference.csv

With the crank's angle phi from the start, all speeds are proportional to phi', so that T = J(phi) phi'^2/2 and energy gives phi' as a function of phi:
    t(phi) = integral of sqrt(J/(2 (E - V))) from 0 to phi.
The rod is symmetric about its own axis. Its direction d = (cos psi, sin psi cos chi, sin psi sin chi) turns with chi' about x and psi' across,
as the universal joint at C allows. phi' never vanishes here, so t(phi) is smooth and inverted by Newton's method. Accuracy: 1e-13 rad.
"""
import numpy as np

CRANK, ROD, A = 0.08, 0.3, (0.1, 0.12)  # lengths; y and z of the crank's axis
MASS_CRANK, MASS_ROD, MASS_SLIDER = 0.12, 0.5, 2.0
J_CRANK, J_ROD, J_ROD_AXIS = 1e-4, 4e-3, 4e-4
G = 9.81
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


def geometry(phi):
    """y, z of B, x of C and their derivatives with respect to phi."""
    y, z = A[0] - CRANK * np.sin(phi), A[1] + CRANK * np.cos(phi)
    dy, dz = -CRANK * np.cos(phi), -CRANK * np.sin(phi)
    c = np.sqrt(ROD**2 - y * y - z * z)
    return y, z, c, dy, dz, -(y * dy + z * dz) / c


def inertia(phi):
    y, z, c, dy, dz, dc = geometry(phi)
    r2 = y * y + z * z
    chi = (y * dz - z * dy) / r2
    psi = -dc / np.sqrt(r2)  # cos psi = c/ROD, sin psi = sqrt(r2)/ROD
    across = chi**2 * r2 / ROD**2 + psi**2
    along = (chi * c / ROD) ** 2
    centre = (dc**2 + dy**2 + dz**2) / 4.0
    return (J_CRANK + MASS_CRANK * CRANK**2 / 4.0 + MASS_ROD * centre + J_ROD * across + J_ROD_AXIS * along
            + MASS_SLIDER * dc**2)


def potential(phi):
    return G * (MASS_CRANK * (A[1] + CRANK * np.cos(phi) / 2.0) + MASS_ROD * geometry(phi)[1] / 2.0)


ENERGY = 0.5 * inertia(0.0) * 36.0 + potential(0.0)


def rate(phi):
    return np.sqrt(2.0 * (ENERGY - potential(phi)) / inertia(phi))


def time_between(a, b):
    return 0.5 * (b - a) * np.sum(WEIGHTS / rate(0.5 * (a + b) + 0.5 * (b - a) * NODES))


if __name__ == "__main__":
    assert abs(rate(0.0) - 6.0) < 1e-14
    print("t [s],angle [rad],rate [rad/s],x [m],v [m/s]")
    phi = start = passed = 0.0
    for i in range(501):
        t = i / 100
        for _ in range(30):
            step = (t - passed - time_between(start, phi)) * rate(phi)
            phi += step
            if abs(step) < 1e-15 * (1.0 + phi):
                break
        speed = rate(phi)
        print(f"{t!r},{float(phi)!r},{float(speed)!r},{float(geometry(phi)[2])!r},{float(geometry(phi)[5] * speed)!r}")
        passed += time_between(start, phi)
        start = phi
        phi += 0.01 * speed
