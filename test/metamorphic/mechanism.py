"""A mechanism as data, with the dimension and the nature of every number known, so that it can be drawn in other ways.

Everything is in the drawing position: bodies have a frame, a mass centre and an inertia; joints have a frame on each of
their two bodies, given in ground axes; points and directions of forces and constraints are in the frame of their body.
"""
import copy
import dataclasses
from dataclasses import dataclass, field

import numpy as np

GROUND = "ground"


@dataclass
class Body:
    name: str
    p: np.ndarray  # origin of the body frame in the ground's
    R: np.ndarray  # its axes, as columns
    mass: float
    c: np.ndarray  # centre of mass in the body frame
    inertia: np.ndarray  # about the centre, in body axes

    def centre(self):
        return self.p + self.R @ self.c


@dataclass
class Frame:
    p: np.ndarray
    R: np.ndarray


@dataclass
class Joint:
    name: str
    type: str
    a: str
    b: str
    A: Frame  # on a, in ground axes
    B: Frame  # on b, likewise
    pitch: float = 0.0  # advance a turn, of screws
    offset: list = None  # what the coordinates are where the frames coincide; drawn by point and axis only
    rates: list = None  # which coordinates have an initial rate: list of bool
    style: str = "frames"  # or "between"
    is_set: bool = False  # give the drawn coordinates as initial position


@dataclass
class Point:
    body: str
    at: np.ndarray  # in the body frame


@dataclass
class Coordinate:
    joint: str
    index: int = 0


@dataclass
class Wave:
    """mean + amplitude*sin(frequency*t + phase)"""
    mean: float = 0.0
    amplitude: float = 0.0
    frequency: float = 1.0
    phase: float = 0.0

    def at(self, t):
        """Value, rate and acceleration."""
        s, c = np.sin(self.frequency * t + self.phase), np.cos(self.frequency * t + self.phase)
        return (self.mean + self.amplitude * s, self.amplitude * self.frequency * c,
                -self.amplitude * self.frequency ** 2 * s)

    def scaled(self, factor, time=1.0):
        return Wave(self.mean * factor, self.amplitude * factor, self.frequency / time, self.phase)

    def is_constant(self):
        return self.amplitude == 0.0

    def shifted(self, more):
        return Wave(self.mean + more, self.amplitude, self.frequency, self.phase)

    def text(self):
        if self.amplitude == 0.0:
            return repr(float(self.mean))
        return (f"{float(self.mean)!r} + {float(self.amplitude)!r}*sin({float(self.frequency)!r}*t"
                f" + {float(self.phase)!r})")


@dataclass
class Part:
    """A force or a constraint: its type and its fields, of the classes above, numbers or vectors."""
    name: str
    type: str
    fields: dict = field(default_factory=dict)

    def __getattr__(self, key):
        if key == "fields" or key.startswith("__"):
            raise AttributeError(key)
        try:
            return self.fields[key]
        except KeyError:
            raise AttributeError(key) from None


@dataclass
class Mechanism:
    name: str = "mechanism"
    family: str = ""
    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    bodies: list = field(default_factory=list)
    joints: list = field(default_factory=list)
    forces: list = field(default_factory=list)
    constraints: list = field(default_factory=list)
    twists: dict = field(default_factory=dict)  # body: (velocity of its centre, angular velocity), ground axes
    duration: float = 0.5
    integrator: str = "auto"
    groups: dict = None  # body: name of the template instance that it is drawn in
    placements: dict = None  # instance: Frame

    def body(self, name):
        return next(b for b in self.bodies if b.name == name)

    def joint(self, name):
        return next(j for j in self.joints if j.name == name)

    def copy(self):
        return copy.deepcopy(self)

    def frame_of(self, name):
        """The body frame; ground's is the identity."""
        if name == GROUND:
            return Frame(np.zeros(3), np.eye(3))
        body = self.body(name)
        return Frame(body.p, body.R)

    def place(self, point):
        frame = self.frame_of(point.body)
        return frame.p + frame.R @ point.at

    def attach(self, name, place):
        frame = self.frame_of(name)
        return Point(name, frame.R.T @ (np.asarray(place) - frame.p))


def has_loops(m):
    return bool(m.constraints) or len(m.joints) > len(m.bodies)


def coordinates_of(part):
    """All coordinates that a force or constraint names."""
    found = []
    for value in part.fields.values():
        if isinstance(value, Coordinate):
            found.append(value)
        elif isinstance(value, list) and value and isinstance(value[0], tuple) and isinstance(value[0][0], Coordinate):
            found += [c for c, _ in value]
    return found


def bodies_of(part, mechanism):
    """All bodies that a force or constraint touches."""
    names = set()
    for value in part.fields.values():
        if isinstance(value, Point):
            names.add(value.body)
        elif isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Frame):
            names.add(value[0])
    if "body" in part.fields:
        names.add(part.fields["body"])
    for c in coordinates_of(part):
        joint = mechanism.joint(c.joint)
        names |= {joint.a, joint.b}
    return names


# -- rotations ---------------------------------------------------------------------------------------------------


def skew(u):
    return np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])


def rotation(u):
    """The matrix of a rotation vector (Rodrigues)."""
    angle = np.linalg.norm(u)
    if angle == 0.0:
        return np.eye(3)
    k = skew(np.asarray(u) / angle)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def about(axis, angle):
    return rotation(np.asarray(axis, dtype=float) * angle)


def quaternion(R):
    """w, x, y, z of a rotation matrix, by its largest component (Shepperd)."""
    t = np.array([np.trace(R), R[0, 0], R[1, 1], R[2, 2]])
    i = int(np.argmax(t))
    if i == 0:
        q = np.array([1 + t[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        a, b, c = [(0, 1, 2), (1, 2, 0), (2, 0, 1)][i - 1]
        q = np.zeros(4)
        q[0] = R[c, b] - R[b, c]
        q[1 + a] = 1 + R[a, a] - R[b, b] - R[c, c]
        q[1 + b] = R[b, a] + R[a, b]
        q[1 + c] = R[c, a] + R[a, c]
    return q / np.linalg.norm(q)


def matrix_of(q):
    w, x, y, z = np.asarray(q) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def frame_with_z(z, x):
    """Axes with the given z, and x as near to the given direction as can be."""
    z = z / np.linalg.norm(z)
    x = x - z * (z @ x)
    x = x / np.linalg.norm(x)
    return np.column_stack((x, np.cross(z, x), z))


def replace(item, **changes):
    return dataclasses.replace(item, **changes)
