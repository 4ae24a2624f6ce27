"""Which mass the guide of a random frame can carry before it buckles, by the matrices of the book (Przemieniecki)."""
import re

import numpy as np

import frames

BISECTIONS = 40
AGREED = 1e-3


def shapes(x, L):
    """Displacements and slopes of (v, turn, v, turn) at both ends along a beam bent by them."""
    r = x / L
    v = np.array([1 - 3 * r ** 2 + 2 * r ** 3, L * (r - 2 * r ** 2 + r ** 3), 3 * r ** 2 - 2 * r ** 3, L * (r ** 3 - r ** 2)])
    slope = np.array([6 * (r ** 2 - r) / L, 1 - 4 * r + 3 * r ** 2, 6 * (r - r ** 2) / L, 3 * r ** 2 - 2 * r])
    return v, slope


IN_Y, IN_Z, ALONG = [1, 5, 7, 11], [2, 4, 8, 10], [0, 6]
FLIP = np.array([1.0, -1, 1, -1])  # w' = -ry


def point_load(force, x, L):
    """Loads at the ends that do the work of a force (in the element's axes) at x."""
    f, v = np.zeros(12), shapes(x, L)[0]
    f[ALONG] = force[0] * np.array([1 - x / L, x / L])
    f[IN_Y] = force[1] * v
    f[IN_Z] = force[2] * FLIP * v
    return f


def geometric(L, normal, cuts):
    """int N (v'^2 + w'^2) dx, where N is smooth between the cuts."""
    K = np.zeros((12, 12))
    points, weights = np.polynomial.legendre.leggauss(4)
    for a, b in zip(cuts[:-1], cuts[1:]):
        for x, w in zip((a + b) / 2 + points * (b - a) / 2, weights * (b - a) / 2):
            slope = shapes(x, L)[1]
            K[np.ix_(IN_Y, IN_Y)] += w * normal(x) * np.outer(slope, slope)
            K[np.ix_(IN_Z, IN_Z)] += w * normal(x) * np.outer(FLIP * slope, FLIP * slope)
    return K


def is_stable(case, mass):
    """Whether K + K_G is positive with this much on the guide where the slider starts."""
    K, _, f, free, _ = frames.assembled(case)
    slider = case.sliders[0]
    inside, u, loads = np.ix_(free, free), np.zeros(len(f)), {}
    pieces = frames.pieces_of(case)
    for i, p in enumerate(pieces):
        is_guide = p.member.name == slider.member and p.number * p.length <= slider.middle < (p.number + 1) * p.length
        weight = p.R @ case.gravity * (mass if is_guide else 0.0)
        at = slider.middle - p.number * p.length if is_guide else p.length
        of_weight = np.kron(np.eye(4), p.R).T @ point_load(weight, at, p.length)
        f[p.index] += of_weight
        loads[i] = (weight, at, p.load + of_weight)
    u[free] = np.linalg.solve(K[inside], f[free])
    for i, p in enumerate(pieces):
        weight, at, own = loads[i]
        ends = np.kron(np.eye(4), p.R) @ (p.K @ u[p.index] - own)
        q = (p.R @ p.q)[0]
        normal = lambda x: -ends[0] - q * x - (weight[0] if x > at else 0.0)
        turn = np.kron(np.eye(4), p.R)
        K[np.ix_(p.index, p.index)] += turn.T @ geometric(p.length, normal, [0.0, at, p.length]) @ turn
    return bool(np.linalg.eigvalsh(K[inside])[0] > 0.0)


def find_limit(case):
    """The largest mass that is carried; the slider's own if that is."""
    light, heavy = 0.0, case.sliders[0].mass
    if is_stable(case, heavy):
        return heavy
    for _ in range(BISECTIONS):
        middle = (light + heavy) / 2
        light, heavy = (middle, heavy) if is_stable(case, middle) else (light, middle)
    return light


def said_limit(failure):
    said = re.search(r"heavier than its guide .* buckles under ([-+.0-9e]+) kg", failure or "")
    return float(said[1]) if said else None


def is_too_heavy(case, failure):
    """Whether the program refuses a slider that its guide cannot carry. Of beams without shear, as the book's are, it has to
    say how much that is; those that shear carry less."""
    limit = said_limit(failure)
    if limit is None or not case.sliders or not is_stable(case, 0.0):
        return False
    _, of_euler = frames.run(frames.replace(case, beam="euler"))
    stiff, exact = said_limit(of_euler) or case.sliders[0].mass, find_limit(case)
    return limit < stiff * (1 + 1e-4) and abs(stiff - exact) < AGREED * exact
