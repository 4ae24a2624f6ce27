"""Transformed copies of a mechanism: turned, moved, mirrored, scaled, renamed, reordered, drawn in another way.

`change` is the one place that knows how each number of a mechanism follows its length, mass and time units and the axes
of the drawing; each transformation is a choice of its arguments or a rearrangement. A Clothed mechanism knows how to
return what was recorded of it to the clothes of the original.
"""
from dataclasses import dataclass, field

import numpy as np

from joint_types import TYPES, WITH_OFFSET
from mechanism import (GROUND, Body, Coordinate, Frame, Mechanism, Part, Point, coordinates_of, has_loops, matrix_of,
                       quaternion, replace, rotation)
from writer import Writer


@dataclass
class Clothed:
    mechanism: Mechanism
    original: Mechanism
    Q: np.ndarray = field(default_factory=lambda: np.eye(3))  # axes of the drawing; improper where it is mirrored
    shift: np.ndarray = field(default_factory=lambda: np.zeros(3))  # in the new lengths
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    K: dict = field(default_factory=dict)  # body: how its frame was turned
    body_names: dict = field(default_factory=dict)  # original: new
    joint_names: dict = field(default_factory=dict)
    constraint_names: dict = field(default_factory=dict)  # new: original
    swapped: set = field(default_factory=set)  # joints, by original name
    adds_rows: int = 0  # rows that are redundant in addition
    same_reactions: bool = True
    same_steps: bool = True
    same_rows: bool = True  # another order of the parts or of their ends may call other rows redundant

    def offset_error(self):
        """Rounding of the places that the file gives, relative to the mechanism's size."""
        return np.finfo(float).eps * float(np.max(np.abs(self.shift))) / self.length

    def body_back(self, name, got):
        """What was recorded of a body, in the original clothes."""
        Q, det = self.Q, np.linalg.det(self.Q)
        L, T = self.length, self.time
        K = self.K.get(name, np.eye(3) if det > 0 else Q.T)
        turned = np.array([Q.T @ matrix_of(q) @ K.T for q in got["q"]])
        return {"p": (got["p"] - self.shift) @ Q / L, "v": got["v"] @ Q * (T / L), "a": got["a"] @ Q * (T * T / L),
                "w": det * got["w"] @ Q * T, "z": det * got["z"] @ Q * T * T,
                "q": np.array([quaternion(R) for R in turned])}

    def load_back(self, name, got):
        Q, det = self.Q, np.linalg.det(self.Q)
        sign = -1.0 if name in self.swapped else 1.0
        newton = self.mass * self.length / self.time ** 2
        force, torque = got[:, :3] @ Q / newton, det * got[:, 3:] @ Q / (newton * self.length)
        return sign * np.hstack((force, torque))

    def shifted_moment(self, name, bodies, force):
        """What a torque about the origin of A, which is B of a swapped joint, lacks to one about that of B."""
        j = self.original.joint(name)
        arm = self.origin(j.a, j.A, bodies) - self.origin(j.b, j.B, bodies)
        return np.cross(arm, force)

    def origin(self, body, frame, bodies):
        """Where a frame of the drawing was at each sample [samples, 3]."""
        if body == GROUND:
            return frame.p
        b = self.original.body(body)
        arm = b.R.T @ (frame.p - b.centre())
        return bodies[body]["p"] + np.array([matrix_of(q) @ arm for q in bodies[body]["q"]])

    def row_back(self, row):
        """A redundant row by the names of the original."""
        part, text = row
        names = {new: old for old, new in self.joint_names.items()} | self.constraint_names
        return names.get(part.split(".")[-1], part), text

    def back(self, result):
        """A result about the new mechanism as one about the original."""
        bodies = {b: self.body_back(b, result.bodies[new]) for b, new in self.body_names.items()}
        joints = {j: self.load_back(j, result.joints[new]) for j, new in self.joint_names.items()}
        for name in self.swapped:
            joints[name][:, 3:] += self.shifted_moment(name, bodies, joints[name][:, :3])
        joule = self.mass * (self.length / self.time) ** 2
        return replace(result, t=result.t / self.time, bodies=bodies, joints=joints, kinetic=result.kinetic / joule,
                       energy_balance=result.energy_balance / joule)


def clothed(m, new, **more):
    """A mechanism with the same bodies and joints under the same names, unless said otherwise."""
    more.setdefault("body_names", {b.name: b.name for b in m.bodies})
    more.setdefault("joint_names", {j.name: j.name for j in m.joints})
    return Clothed(new, m, **more)


# -- units and axes ------------------------------------------------------------------------------------------------


class Changer:
    def __init__(self, m, Q, shift, length, mass, time, K, origin):
        self.m, self.Q, self.shift, self.L, self.M, self.T = m, Q, shift, length, mass, time
        self.det = round(float(np.linalg.det(Q)))
        self.K = {b.name: K.get(b.name, np.eye(3) if self.det > 0 else Q.T) for b in m.bodies}
        self.origin = {b.name: origin.get(b.name, np.zeros(3)) for b in m.bodies}
        self.flip = np.diag([1.0, 1.0, self.det])

    def place(self, p):
        return self.Q @ p * self.L + self.shift

    def frame(self, f):
        return Frame(self.place(f.p), self.Q @ f.R @ self.flip)

    def point(self, p):
        if p.body == GROUND:
            return Point(GROUND, self.place(p.at))
        return Point(p.body, self.K[p.body].T @ (p.at - self.origin[p.body]) * self.L)

    def direction(self, body, u):
        return self.Q @ u if body == GROUND else self.K[body].T @ u

    def sign(self, c):
        joint = self.m.joint(c.joint)
        return TYPES[joint.type].mirror[c.index] if self.det < 0 else 1

    def power(self, c):
        return TYPES[self.m.joint(c.joint).type].kinds[c.index]

    def body(self, b):
        K, o = self.K[b.name], self.origin[b.name]
        return Body(b.name, self.place(b.p + b.R @ o), self.Q @ b.R @ K, b.mass * self.M, K.T @ (b.c - o) * self.L,
                    K.T @ b.inertia @ K * (self.M * self.L ** 2))

    def joint(self, j):
        signs = TYPES[j.type].mirror if self.det < 0 else [1] * 6
        offset = None
        if j.offset:
            offset = [x * s * self.L ** p for x, s, p in zip(j.offset, signs, TYPES[j.type].kinds)]
        return replace(j, A=self.frame(j.A), B=self.frame(j.B), pitch=j.pitch * self.det * self.L, offset=offset)

    def part(self, part):
        return Part(part.name, part.type, getattr(self, "part_" + part.type)(part))

    def scalar(self, f, power):
        """The fields of a spring along a coordinate of a power of length, and of nothing else."""
        x = self.L ** power
        q = self.M * self.L ** 2 / self.T ** 2 / x
        return {"stiffness": f.stiffness * q / x, "damping": f.damping * q / x * self.T, "rest": f.rest * x,
                "preload": f.preload * q, "cubic": f.cubic * q / x ** 3, "kink": f.kink * q / x, "gap": f.gap * x,
                "side": f.side, "dry": f.dry * q}

    def part_spring(self, f):
        return {"a": self.point(f.a), "b": self.point(f.b)} | self.scalar(f, 1)

    def part_torsion(self, f):
        out = {"joint": f.joint} | self.scalar(f, 0)
        s = self.sign(f.joint)
        return out | {"rest": s * out["rest"], "preload": s * out["preload"], "side": s * out["side"]}

    def part_bushing(self, f):
        q = self.M / self.T ** 2
        each = lambda values, factor: [x * factor for x in values]
        return {"a": (f.a[0], self.frame(f.a[1])), "b": (f.b[0], self.frame(f.b[1])),
                "translation_stiffness": each(f.translation_stiffness, q),
                "translation_damping": each(f.translation_damping, q * self.T),
                "rotation_stiffness": each(f.rotation_stiffness, q * self.L ** 2),
                "rotation_damping": each(f.rotation_damping, q * self.L ** 2 * self.T)}

    def part_friction(self, f):
        x = self.L ** self.power(f.joint)
        q = self.M * self.L ** 2 / self.T ** 2 / x
        rate = x / self.T
        return {"joint": f.joint, "coulomb": f.coulomb * q, "viscous": f.viscous * q / rate, "stribeck": f.stribeck * q,
                "stribeck_velocity": f.stribeck_velocity * rate, "smoothing_velocity": f.smoothing_velocity * rate}

    def waves(self, f, body, factor, axial):
        """Three components: each new one is a sum of the old ones, which is a wave only where they share their time."""
        turn = self.K[body].T if f.axes == "body" else self.Q
        turn = turn * (self.det if axial else 1)
        return mixed(turn, [w.scaled(factor, self.T) for w in f.value])

    def part_force(self, f):
        return {"point": self.point(f.point), "axes": f.axes,
                "value": self.waves(f, f.point.body, self.M * self.L / self.T ** 2, False)}

    def part_torque(self, f):
        return {"body": f.body, "axes": f.axes,
                "value": self.waves(f, f.body, self.M * self.L ** 2 / self.T ** 2, True)}

    def part_actuator(self, f):
        if "joint" not in f.fields:
            return {"a": self.point(f.a), "b": self.point(f.b),
                    "value": f.value.scaled(self.M * self.L / self.T ** 2, self.T)}
        q = self.M * self.L ** (2 - self.power(f.joint)) / self.T ** 2
        return {"joint": f.joint, "value": f.value.scaled(q * self.sign(f.joint), self.T)}

    def part_distance(self, c):
        return {"a": self.point(c.a), "b": self.point(c.b), "value": c.value.scaled(self.L, self.T)}

    def part_point_on_line(self, c):
        return {"point": self.point(c.point), "line": self.point(c.line), "axis": self.direction(c.line.body, c.axis)}

    def part_point_on_plane(self, c):
        return {"point": self.point(c.point), "plane": self.point(c.plane),
                "normal": self.direction(c.plane.body, c.normal)}

    def part_point_motion(self, c):
        return {"point": self.point(c.point), "relative_to": self.point(c.relative_to),
                "axis": self.direction(c.relative_to.body, c.axis), "value": c.value.scaled(self.L, self.T),
                "offset": c.offset * self.L}

    def part_coupling(self, c):
        terms = [(q, f * self.sign(q) / self.L ** self.power(q)) for q, f in c.terms]
        return {"terms": terms, "offset": c.offset, "value": c.value.scaled(1.0, self.T)}

    def part_gear(self, c):
        a, b = self.sign(c.a) * self.L ** self.power(c.a), self.sign(c.b) * self.L ** self.power(c.b)
        return {"a": c.a, "b": c.b, "ratio": c.ratio * b / a, "offset": c.offset * b}

    def part_rack(self, c):
        s, r = self.sign(c.pinion), self.sign(c.rack)
        return {"pinion": c.pinion, "rack": c.rack, "radius": c.radius * s * r * self.L, "offset": c.offset * r * self.L}

    def part_motion(self, c):
        return {"joint": c.joint, "value": c.value.scaled(self.sign(c.joint) * self.L ** self.power(c.joint), self.T)}

    def part_rolling(self, c):
        return {"center": self.point(c.center), "axis": self.direction(c.center.body, c.axis),
                "radius": c.radius * self.L, "shape": c.shape, "plane": self.point(c.plane),
                "normal": self.direction(c.plane.body, c.normal)}

    def mechanism(self):
        m = self.m
        twists = {n: (self.Q @ v * (self.L / self.T), self.det * (self.Q @ w) / self.T) for n, (v, w) in m.twists.items()}
        return replace(m, gravity=self.Q @ m.gravity * (self.L / self.T ** 2), bodies=[self.body(b) for b in m.bodies],
                       joints=[self.joint(j) for j in m.joints], forces=[self.part(f) for f in m.forces],
                       constraints=[self.part(c) for c in m.constraints], twists=twists, duration=m.duration * self.T)


def mixed(turn, waves):
    """turn @ waves, where a component may be a sum of several sines."""
    return [Sum([w.scaled(turn[i, k]) for k, w in enumerate(waves) if turn[i, k] != 0.0]) for i in range(3)]


class Sum:
    """A sum of waves and laws; behaves as one."""

    def __init__(self, waves):
        self.waves = [w for v in waves for w in (v.waves if isinstance(v, Sum) else [v])]

    def at(self, t):
        return tuple(sum(x) for x in zip(*(w.at(t) for w in self.waves))) if self.waves else (0.0, 0.0, 0.0)

    def scaled(self, factor, time=1.0):
        return Sum([w.scaled(factor, time) for w in self.waves])


def change(m, Q=None, shift=None, length=1.0, mass=1.0, time=1.0, K=None, origin=None):
    Q = np.eye(3) if Q is None else Q
    shift = np.zeros(3) if shift is None else shift
    changer = Changer(m, Q, shift, length, mass, time, K or {}, origin or {})
    return clothed(m, changer.mechanism(), Q=Q, shift=shift, length=length, mass=mass, time=time, K=changer.K)


# -- transformations -----------------------------------------------------------------------------------------------


def any_rotation(rng):
    u = rng.normal(size=3)
    return rotation(u / np.linalg.norm(u) * rng.uniform(0.2, 3.0))


def turned(m, rng):
    return change(m, Q=any_rotation(rng))


def moved(m, rng):
    u = rng.normal(size=3)
    return change(m, shift=u / np.linalg.norm(u) * 10 ** rng.uniform(1, 7))


def mirrored(m, rng):
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)
    return change(m, Q=np.eye(3) - 2 * np.outer(u, u))


def scaled_length(m, rng):
    return change(m, length=10 ** rng.uniform(-6, 7))


def scaled_mass(m, rng):
    return change(m, mass=10 ** rng.uniform(-15, 12))


def scaled_time(m, rng):
    return change(m, time=10 ** rng.uniform(-6, 7))


def scaled_all(m, rng):
    """Everything at once, as far as the program promises it."""
    length = 10 ** rng.uniform(-6, 7)
    u = rng.normal(size=3)
    shift = u / np.linalg.norm(u) * length * 10 ** rng.uniform(0, 5)
    return change(m, Q=any_rotation(rng), shift=shift, length=length, mass=10 ** rng.uniform(-15, 12),
                  time=10 ** rng.uniform(-6, 7))


def turned_frames(m, rng):
    """Other frames in the bodies: axes and origins."""
    return change(m, K={b.name: any_rotation(rng) for b in m.bodies},
                  origin={b.name: rng.uniform(-1, 1, 3) for b in m.bodies})


def on_axes(m, rng):
    """A joint's axis along x, y or z of the ground, and its point at the origin."""
    j = m.joints[rng.integers(len(m.joints))]
    Q = np.roll(np.eye(3), rng.integers(3), axis=0) @ j.A.R.T
    return change(m, Q=Q, shift=-(Q @ j.A.p))


def renamed(m, rng):
    """Other names, in another alphabetical order."""
    names = [b.name for b in m.bodies] + [j.name for j in m.joints]
    numbers = rng.permutation(len(names))
    new = {n: f"{chr(97 + k % 26)}{k}_{'xyz'[k % 3]}" for n, k in zip(names, numbers)} | {GROUND: GROUND}
    out = m.copy()
    for b in out.bodies:
        b.name = new[b.name]
    for j in out.joints:
        j.name, j.a, j.b = new[j.name], new[j.a], new[j.b]
    out.twists = {new[n]: t for n, t in out.twists.items()}
    for part in out.forces + out.constraints:
        rename_part(part, new)
        part.name = "of_" + part.name
    return clothed(m, out, body_names={b.name: new[b.name] for b in m.bodies},
                   joint_names={j.name: new[j.name] for j in m.joints},
                   constraint_names={"of_" + c.name: c.name for c in m.constraints})


def rename_part(part, new):
    for key, value in part.fields.items():
        if isinstance(value, Point):
            part.fields[key] = Point(new[value.body], value.at)
        elif isinstance(value, Coordinate):
            part.fields[key] = Coordinate(new[value.joint], value.index)
        elif isinstance(value, tuple):
            part.fields[key] = (new[value[0]], value[1])
        elif key == "terms":
            part.fields[key] = [(Coordinate(new[c.joint], c.index), f) for c, f in value]
        elif key == "body":
            part.fields[key] = new[value]


def reordered(m, rng):
    """Parts in another order: another spanning tree, other rows that are called redundant."""
    out = m.copy()
    for parts in (out.bodies, out.joints, out.forces, out.constraints):
        order = rng.permutation(len(parts))
        parts[:] = [parts[i] for i in order]
    return clothed(m, out, same_steps=not has_loops(m), same_rows=False)


def swapped(m, rng):
    """a and b of some joints change places."""
    out = m.copy()
    used = {c.joint for part in m.forces + m.constraints for c in coordinates_of(part)}
    done = set()
    for j in out.joints:
        kind = TYPES[j.type]
        if kind.swap is None or rng.random() < 0.3 or (kind.swap == "rows" and (j.name in used or j.offset)):
            continue
        done.add(j.name)
        j.a, j.b, j.A, j.B = j.b, j.a, j.B, j.A
        for end in ("A", "B"):
            f = getattr(j, end)
            setattr(j, end, Frame(f.p, f.R @ kind.swap_axes))
        if j.offset:
            j.offset = [-x for x in j.offset]
    for part in out.forces + out.constraints:
        swap_part(out, part, done)
    return clothed(m, out, swapped=done, same_steps=not done, same_rows=False)


def swap_part(m, part, done):
    f = part.fields

    def flipped(c):
        if c.joint not in done:
            return c, 1
        index, sign = TYPES[m.joint(c.joint).type].swap[c.index]
        return Coordinate(c.joint, index), sign

    if part.type == "torsion":
        f["joint"], s = flipped(f["joint"])
        f["rest"], f["preload"], f["side"] = s * f["rest"], s * f["preload"], s * f["side"]
    elif part.type == "friction":
        f["joint"], _ = flipped(f["joint"])
    elif part.type in ("actuator", "motion") and "joint" in f:
        f["joint"], s = flipped(f["joint"])
        f["value"] = f["value"].scaled(s)
    elif part.type == "coupling":
        f["terms"] = [(c, x * s) for (c, s), x in ((flipped(c), x) for c, x in f["terms"])]
    elif part.type == "gear":
        (f["a"], s), (f["b"], r) = flipped(f["a"]), flipped(f["b"])
        f["ratio"], f["offset"] = f["ratio"] * s * r, f["offset"] * r
    elif part.type == "rack":
        (f["pinion"], s), (f["rack"], r) = flipped(f["pinion"]), flipped(f["rack"])
        f["radius"], f["offset"] = f["radius"] * s * r, f["offset"] * r


def redrawn(m, rng):
    """Joints drawn in the other style, or with the drawn coordinates set."""
    out = m.copy()
    for j in out.joints:
        together = np.array_equal(j.A.p, j.B.p) and np.array_equal(j.A.R, j.B.R)
        if j.style == "frames" and together:
            j.style = "between"
        elif j.style == "between" and not j.offset:
            j.style = "frames"
        j.is_set = rng.random() < 0.4 and j.type not in ("free", "spherical")
    # Joints that are set are rather in the tree than in its closures.
    return clothed(m, out, same_steps=not has_loops(m), same_rows=not any(j.is_set for j in out.joints))


def templates(m, rng):
    """Drawn as one or two templates, each placed and turned by its instance."""
    out = m.copy()
    count = 1 if len(m.bodies) == 1 else int(rng.integers(1, 3))
    out.groups = {b.name: f"part{rng.integers(count)}" for b in m.bodies}
    out.placements = {g: Frame(rng.uniform(-2, 2, 3), any_rotation(rng)) for g in set(out.groups.values())}
    return clothed(m, out, same_steps=not has_loops(m) or keeps_order(out), same_rows=False)


def keeps_order(m):
    """Whether bodies and joints are written in the order that they have: parts between templates come first, and another
    order may close a loop elsewhere."""
    writer = Writer(m)
    groups = [[m.groups[b.name] for b in m.bodies], [writer.joint_group(j) or "" for j in m.joints]]
    return all(g == sorted(g) for g in groups)


def doubled(m, rng):
    """A further joint that says what another one says already: all its rows are redundant. Half of them lie in the same place; the others elsewhere on the
    axis, where they make the mechanism longer, and with it the length by which its errors are weighed and its steps are chosen."""
    out = m.copy()
    usable = [j for j in m.joints if j.type not in ("free", "node")]
    if not usable:
        return None
    j = usable[rng.integers(len(usable))]
    z = j.A.R[:, 2]
    along = max(0.0, rng.uniform(-0.5, 0.5)) if j.type in ("revolute", "cylindrical", "screw", "planar", "prismatic") else 0.0
    twin = replace(j, name="twin", A=Frame(j.A.p + z * along, j.A.R), B=Frame(j.B.p + j.B.R[:, 2] * along, j.B.R),
                   rates=None, offset=None, style="frames")
    out.joints.append(twin)
    rows = 6 - TYPES[j.type].freedoms()
    return clothed(m, out, adds_rows=rows, same_steps=along == 0.0, same_rows=False)


def recounted(m, rng):
    """Coordinates counted from another zero, by `offset`."""
    out = m.copy()
    added = {}
    for j in out.joints:
        if j.style == "between" and j.type in WITH_OFFSET:
            kinds = TYPES[j.type].kinds
            new = [float(x) for x in rng.uniform(-0.5, 0.5, len(kinds))]
            added[j.name] = [n - o for n, o in zip(new, j.offset or [0.0] * len(kinds))]
            j.offset = new
    if not added:
        return None
    for part in out.forces + out.constraints:
        recount_part(part, lambda c: added[c.joint][c.index] if c.joint in added else 0.0)
    return clothed(m, out)


def recount_part(part, more):
    """`more` is by how much a coordinate is larger than before."""
    f = part.fields
    if part.type == "torsion":
        f["rest"] += more(f["joint"])
    elif part.type == "motion":
        f["value"] = f["value"].shifted(more(f["joint"]))
    elif part.type == "coupling":
        f["offset"] += sum(x * more(c) for c, x in f["terms"])
    elif part.type == "gear":
        f["offset"] += more(f["b"]) - f["ratio"] * more(f["a"])
    elif part.type == "rack":
        f["offset"] += more(f["rack"]) - f["radius"] * more(f["pinion"])


TRANSFORMS = {
    "turned": turned, "moved": moved, "mirrored": mirrored, "scaled_length": scaled_length, "scaled_mass": scaled_mass,
    "scaled_time": scaled_time, "scaled_all": scaled_all, "turned_frames": turned_frames, "on_axes": on_axes,
    "renamed": renamed, "reordered": reordered, "swapped": swapped, "redrawn": redrawn, "templates": templates,
    "recounted": recounted, "doubled": doubled,
}
