"""What each type of joint means, as functions of the frames A and B on its two bodies.

rows: expressions that are zero; coordinates: the scalars that forces and constraints may name, with their power of
length; rates: what an initial velocity gives, for all types. A frame is p and its axes x, y, z, all of them jets.
"""
import numpy as np

from jets import atan2, dot, sqrt

ANGLE, LENGTH = 0, 1


def place(A, B, axis):
    """Component of B's origin, as seen from A."""
    return dot(getattr(A, axis), B.p - A.p)


def turn_z(A, B):
    return atan2(dot(A.y, B.x), dot(A.x, B.x))


def same_axis(A, B):
    return [dot(A.x, B.z), dot(A.y, B.z)]


def no_turn(A, B):
    return [dot(A.x, B.y), dot(A.y, B.z), dot(A.z, B.x)]


def at_point(A, B):
    return [place(A, B, k) for k in "xyz"]


def cardan(A, B):
    s = dot(A.x, B.z)
    return [atan2(-dot(A.y, B.z), dot(A.z, B.z)), atan2(s, sqrt(1.0 - s * s)), atan2(-dot(A.x, B.y), dot(A.x, B.x))]


def cardan_beyond(A, B):
    """The same angles with the second beyond a right angle."""
    s = dot(A.x, B.z)
    return [atan2(dot(A.y, B.z), -dot(A.z, B.z)), atan2(s, -sqrt(1.0 - s * s)), atan2(dot(A.x, B.y), -dot(A.x, B.x))]


def advance(A, B, pitch):
    """How far a screw is from where its angle puts it; the advance says how many whole turns the angle has."""
    z, turn = place(A, B, "z"), turn_z(A, B)
    whole = np.round(z.c0 / pitch - turn.c0 / (2 * np.pi))
    return z - (turn * (1 / (2 * np.pi)) + whole) * pitch


def universal_angles(A, B):
    return [atan2(dot(A.z, B.y), dot(A.y, B.y)), atan2(dot(A.x, B.z), dot(A.x, B.x))]


class Type:
    """kinds: powers of length of the coordinates. mirror: their signs when all is mirrored and z of both frames turned
    round. swap: (index, sign) of each coordinate when a and b change places, None where that is another mechanism,
    "rows" where it is the same one with other coordinates; swap_axes: how the frames turn then. beyond: the coordinates
    where the second of three angles, which is number `middle`, is beyond a right angle."""

    def __init__(self, rows, kinds, coordinates, mirror, swap, swap_axes=None, vectors=False, beyond=None, middle=None):
        self.rows, self.kinds, self.coordinates = rows, kinds, coordinates
        self.beyond, self.middle = beyond, middle
        self.mirror, self.swap, self.vectors = mirror, swap, vectors
        self.swap_axes = np.eye(3) if swap_axes is None else np.array(swap_axes, dtype=float)

    def freedoms(self):
        return len(self.mirror)

    def row_names(self):
        """What the program calls the rows, in the order of `rows`."""
        return ROW_NAMES[self]


def negated(n):
    return [(i, -1) for i in range(n)]


TYPES = {
    "fixed": Type(lambda A, B, j: at_point(A, B) + no_turn(A, B), [], lambda A, B: [], [], []),
    "revolute": Type(lambda A, B, j: at_point(A, B) + same_axis(A, B), [ANGLE], lambda A, B: [turn_z(A, B)],
                     [1], negated(1)),
    "prismatic": Type(lambda A, B, j: [place(A, B, "x"), place(A, B, "y")] + no_turn(A, B), [LENGTH],
                      lambda A, B: [place(A, B, "z")], [-1], negated(1)),
    "cylindrical": Type(lambda A, B, j: [place(A, B, "x"), place(A, B, "y")] + same_axis(A, B), [ANGLE, LENGTH],
                        lambda A, B: [turn_z(A, B), place(A, B, "z")], [1, -1], negated(2)),
    "universal": Type(lambda A, B, j: at_point(A, B) + [dot(A.x, B.y)], [ANGLE, ANGLE], universal_angles,
                      [-1, -1], [(1, -1), (0, -1)], [[0, 1, 0], [1, 0, 0], [0, 0, -1]]),
    "spherical": Type(lambda A, B, j: at_point(A, B), [], lambda A, B: [], [0, 0, 0], "rows", vectors=True),
    "planar": Type(lambda A, B, j: [place(A, B, "z")] + same_axis(A, B), [LENGTH, LENGTH, ANGLE],
                   lambda A, B: [place(A, B, "x"), place(A, B, "y"), turn_z(A, B)], [1, 1, 1], "rows"),
    "screw": Type(lambda A, B, j: [place(A, B, "x"), place(A, B, "y")] + same_axis(A, B)
                  + [advance(A, B, j.pitch)], [ANGLE],
                  lambda A, B: [turn_z(A, B)], [1], negated(1)),
    "free": Type(lambda A, B, j: [], [], lambda A, B: [], [0] * 6, "rows", vectors=True),
    "pin_slot": Type(lambda A, B, j: [place(A, B, "y"), place(A, B, "z")] + same_axis(A, B), [LENGTH, ANGLE],
                     lambda A, B: [place(A, B, "x"), turn_z(A, B)], [1, 1], None),
    "translation": Type(lambda A, B, j: no_turn(A, B), [LENGTH] * 3, lambda A, B: at_point(A, B), [1, 1, -1], "rows"),
    "gimbal": Type(lambda A, B, j: at_point(A, B), [ANGLE] * 3, cardan, [-1, -1, 1], "rows",
                   beyond=cardan_beyond, middle=1),
    "node": Type(lambda A, B, j: [], [LENGTH] * 3 + [ANGLE] * 3, lambda A, B: at_point(A, B) + cardan(A, B),
                 [1, 1, -1, -1, -1, 1], "rows",
                 beyond=lambda A, B: at_point(A, B) + cardan_beyond(A, B), middle=4),
}


PLACES = [f"translation along {k}" for k in "xyz"]
AXES = ["rotation about y", "rotation about x"]  # of same_axis
TURNS = ["rotation about z", "rotation about x", "rotation about y"]  # of no_turn
ROW_NAMES = {TYPES[kind]: names for kind, names in {
    "fixed": PLACES + TURNS, "revolute": PLACES + AXES, "prismatic": PLACES[:2] + TURNS,
    "cylindrical": PLACES[:2] + AXES, "universal": PLACES + ["rotation about z"], "spherical": PLACES,
    "planar": PLACES[2:] + AXES, "screw": PLACES[:2] + AXES + ["advance along the screw"], "free": [],
    "pin_slot": PLACES[1:] + AXES, "translation": TURNS, "gimbal": PLACES, "node": []}.items()}


# Joints whose coordinates only shift when they are counted from another zero.
WITH_OFFSET = ("revolute", "prismatic", "cylindrical", "pin_slot", "planar", "translation")


def rates(joint, A, B, w_a, w_b):
    """Initial velocities of a joint, of its coordinates or of the vectors of a ball, for a batch of motions along s;
    w_a and w_b [batch, 3] are the angular velocities."""
    kind = TYPES[joint.type]
    out = []
    if joint.type == "free":
        out = [c.c1 for c in at_point(A, B)]
    if kind.vectors:
        out += [np.sum(k.c0 * (w_b - w_a), axis=1) for k in (B.x, B.y, B.z)]
    else:
        out = [c.c1 for c in kind.coordinates(A, B)]
    return np.array(out).reshape(-1, len(w_a))
