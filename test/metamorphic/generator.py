"""Random mechanisms of many families, each reproducible from one seed.

Every mechanism is drawn closed and in a general pose: places of joints come first, frames of bodies, joints and forces
follow from them. Lengths, masses and times are of the order of one; transforms.py scales, turns and moves them.
"""
import numpy as np

import forces
from joint_types import TYPES, WITH_OFFSET
from mechanism import GROUND, Body, Frame, Joint, Mechanism, Part, about, frame_with_z, rotation
from oracle import Oracle

LOOP_SINGULAR = 2e-3  # mechanisms whose rows are nearer than this to losing rank are not used


class More:
    """Random numbers of laws and kinks, which do not change what else is drawn."""

    def __init__(self, rng):
        self.rng = rng


class Draw:
    """Random numbers and the mechanism that they build."""

    def __init__(self, rng, family, seed=0, more=None):
        self.rng, self.seed, self.more = rng, seed, more
        self.m = Mechanism(family=family)
        self.m.gravity = self.direction() * rng.uniform(3, 12) if rng.random() < 0.85 else np.zeros(3)

    def direction(self):
        u = self.rng.normal(size=3)
        return u / np.linalg.norm(u)

    def vector(self, size=1.0):
        return self.rng.uniform(-size, size, 3)

    def turn(self):
        return rotation(self.direction() * self.rng.uniform(0.3, 2.8))

    def body(self, near, spread=0.4, mass=None):
        """A body with its centre near a place; frame and principal axes are anywhere."""
        rng = self.rng
        mass = mass or float(np.exp(rng.uniform(-1, 1)))
        radii = rng.uniform(0.15, 0.4, 3)  # of a box of masses on the axes: moments obey the triangle inequality
        moments = mass * np.array([radii[1] ** 2 + radii[2] ** 2, radii[0] ** 2 + radii[2] ** 2,
                                   radii[0] ** 2 + radii[1] ** 2])
        principal, R = self.turn(), self.turn()
        centre = np.asarray(near) + self.vector(spread)
        c = self.vector(0.3)
        body = Body(f"b{len(self.m.bodies)}", centre - R @ c, R, mass, c, principal @ np.diag(moments) @ principal.T)
        self.m.bodies.append(body)
        return body.name

    def joint(self, kind, a, b, p, R=None, axis=None, move=None, **more):
        """A joint at p; `move` displaces B from A along the coordinates, where the bodies are drawn apart."""
        if R is None:
            R = frame_with_z(self.direction() if axis is None else np.asarray(axis), self.direction())
        A = Frame(np.array(p, dtype=float), R)
        B = moved(kind, A, move, more.get("pitch", 0.0)) if move is not None else Frame(A.p.copy(), A.R.copy())
        style = "frames" if move is not None or self.rng.random() < 0.5 else "between"
        joint = Joint(f"j{len(self.m.joints)}", kind, a, b, A, B, style=style, **more)
        if style == "between" and kind in WITH_OFFSET and self.rng.random() < 0.3:
            joint.offset = [float(x) for x in self.rng.uniform(-0.5, 0.5, len(TYPES[kind].kinds))]
        self.m.joints.append(joint)
        return joint.name


def moved(kind, A, q, pitch):
    """The frame B of a joint with coordinates q."""
    x, y, z = A.R.T
    p, R = A.p.copy(), A.R
    if kind in ("revolute", "screw"):
        p, R = p + z * pitch * q[0] / (2 * np.pi), R @ about([0, 0, 1], q[0])
    elif kind == "prismatic":
        p = p + z * q[0]
    elif kind == "cylindrical":
        p, R = p + z * q[1], R @ about([0, 0, 1], q[0])
    elif kind == "universal":
        R = R @ about([1, 0, 0], q[0]) @ about([0, 1, 0], q[1])
    elif kind in ("spherical", "gimbal"):
        R = R @ about([1, 0, 0], q[0]) @ about([0, 1, 0], q[1]) @ about([0, 0, 1], q[2])
    elif kind == "planar":
        p, R = p + x * q[0] + y * q[1], R @ about([0, 0, 1], q[2])
    elif kind == "pin_slot":
        p, R = p + x * q[0], R @ about([0, 0, 1], q[1])
    elif kind == "translation":
        p = p + A.R @ q[:3]
    elif kind in ("free", "node"):
        p = p + A.R @ q[:3]
        R = R @ about([1, 0, 0], q[3]) @ about([0, 1, 0], q[4]) @ about([0, 0, 1], q[5])
    return Frame(p, R)


def any_joint(d, kind, a, b, p, axis=None):
    """A joint of a kind between two bodies, often with its frames apart."""
    more = {"pitch": float(d.rng.uniform(0.2, 1) * d.rng.choice([-1, 1]))} if kind == "screw" else {}
    move = None
    if d.rng.random() < 0.4 and kind != "fixed":
        move = d.rng.uniform(-0.6, 0.6, max(1, TYPES[kind].freedoms()))
    return d.joint(kind, a, b, p, axis=axis, move=move, **more)


# -- families ------------------------------------------------------------------------------------------------------


def tree(d, kinds=None, n=None):
    """An open chain or tree of any joints."""
    first = None if kinds else list(TYPES)[d.seed % len(TYPES)]  # so that all types are met soon
    kinds = kinds or list(TYPES)
    n = n or d.rng.integers(1, 6)
    places = {GROUND: np.zeros(3)}
    for i in range(n):
        parent = GROUND if i == 0 or d.rng.random() < 0.15 else f"b{d.rng.integers(0, i)}"
        at = places[parent] + d.direction() * d.rng.uniform(0.4, 1.0)
        name = d.body(at + d.direction() * 0.5)
        places[name] = d.m.body(name).centre()
        kind = str(d.rng.choice(kinds))
        any_joint(d, first if first and i == 0 else kind, parent, name, at)
        if d.rng.random() < 0.3:
            reverse(d.m.joints[-1])


def reverse(joint):
    """Names the other body first, where that is the same joint."""
    kind = TYPES[joint.type]
    if kind.swap is None or joint.offset:
        return
    joint.a, joint.b = joint.b, joint.a
    joint.A, joint.B = joint.B, joint.A
    for frame in (joint.A, joint.B):
        frame.R = frame.R @ kind.swap_axes


def plane_of(d):
    """A general plane: its origin and axes; z is the normal."""
    return Frame(d.vector(0.5), d.turn())


def polygon(d, n):
    """Corners of a planar loop, no three of neighbours near a line."""
    while True:
        angles = np.sort(d.rng.uniform(0, 2 * np.pi, n))
        radii = d.rng.uniform(0.5, 1.2, n)
        p = np.column_stack((radii * np.cos(angles), radii * np.sin(angles), np.zeros(n)))
        sides = [p[(i + 1) % n] - p[i] for i in range(n)]
        turns = [np.cross(sides[i - 1], sides[i])[2] / np.linalg.norm(sides[i - 1]) / np.linalg.norm(sides[i])
                 for i in range(n)]
        if min(np.linalg.norm(s) for s in sides) > 0.4 and min(abs(t) for t in turns) > 0.35:
            return p


def planar_loop(d, kinds=("revolute",), n=None, off_plane=True):
    """A loop of n links in a general plane, ground included; joints may lie in different parallel planes."""
    n = n or int(d.rng.integers(4, 6))
    plane = plane_of(d)
    corners = polygon(d, n)
    z = plane.R[:, 2]
    names = [GROUND] + [d.body(plane.p + plane.R @ (corners[i] + corners[(i + 1) % n]) / 2,
                               0.2 if off_plane else 0.0) for i in range(n - 1)]
    for i in range(n):
        a, b = names[i], names[(i + 1) % n]
        height = d.rng.uniform(-0.3, 0.3) if off_plane else 0.0
        place = plane.p + plane.R @ (corners[(i) % n] if i else corners[0]) + z * height
        kind = str(d.rng.choice(kinds)) if i else "revolute"
        axis = z
        if kind in ("prismatic",):
            axis = plane.R @ np.append(d.direction()[:2], 0)
            axis /= np.linalg.norm(axis)
        x = plane.R @ np.append(d.direction()[:2], 0)
        d.joint(kind, a, b, place, R=frame_with_z(axis, x if kind != "prismatic" else z))
    return plane


def four_bar(d):
    planar_loop(d, n=4)


def five_bar(d):
    planar_loop(d, n=int(d.rng.integers(5, 7)))


def slider_crank(d):
    kinds = ["revolute", "revolute", str(d.rng.choice(["prismatic", "pin_slot", "prismatic"]))]
    while True:
        d.m.bodies.clear(), d.m.joints.clear()
        planar_loop(d, kinds=kinds, n=4)
        if sum(j.type == "prismatic" for j in d.m.joints) <= 1:
            return


def six_bar(d):
    """A four-bar whose coupler and ground carry two further links."""
    plane = planar_loop(d, n=4)
    z = plane.R[:, 2]
    base = d.m.body("b1").centre()
    at = base + plane.R @ np.append(d.rng.uniform(0.5, 0.9, 2), 0)
    end = at + plane.R @ np.append(d.rng.uniform(0.4, 0.8, 2) * [1, -1], 0)
    first, second = d.body((base + at) / 2, 0.1), d.body((at + end) / 2, 0.1)
    d.joint("revolute", "b1", first, base, axis=z)
    d.joint("revolute", first, second, at, axis=z)
    d.joint("revolute", second, GROUND if d.rng.random() < 0.5 else "b2", end, axis=z)


def spherical_four_bar(d):
    """Four hinges whose axes meet in a point."""
    centre = d.vector(0.5)
    while True:
        axes = [d.direction() for _ in range(4)]
        if all(abs(np.linalg.det([axes[i - 1], axes[i], axes[(i + 1) % 4]])) > 0.3 for i in range(4)):
            break
    names = [GROUND] + [d.body(centre + 0.7 * (axes[i] + axes[(i + 1) % 4]) / 2, 0.2) for i in range(3)]
    for i, axis in enumerate(axes):
        d.joint("revolute", names[i], names[(i + 1) % 4], centre + axis * d.rng.uniform(0.3, 1.0), axis=axis)


def spatial_loop(d):
    """One loop of any joints in general positions, with at least one freedom left."""
    kinds = [k for k in TYPES if k not in ("fixed", "free", "node", "translation", "planar")]
    while True:
        chosen = [str(k) for k in d.rng.choice(kinds, d.rng.integers(3, 6))]
        if 7 <= sum(TYPES[k].freedoms() for k in chosen) <= 9:
            break
    n = len(chosen)
    places = polygon(d, n) + d.rng.uniform(-0.5, 0.5, (n, 3))
    turn, shift = d.turn(), d.vector(0.5)
    places = [shift + turn @ p for p in places]
    names = [GROUND] + [d.body((places[i] + places[(i + 1) % n]) / 2, 0.2) for i in range(n - 1)]
    for i, kind in enumerate(chosen):
        any_joint_at(d, kind, names[i], names[(i + 1) % n], places[i])


def any_joint_at(d, kind, a, b, p):
    more = {"pitch": float(d.rng.uniform(0.2, 1) * d.rng.choice([-1, 1]))} if kind == "screw" else {}
    d.joint(kind, a, b, p, **more)


def named_loop(chosen):
    def build(d):
        n = len(chosen)
        turn, shift = d.turn(), d.vector(0.5)
        places = [shift + turn @ p for p in polygon(d, n) + d.rng.uniform(-0.4, 0.4, (n, 3))]
        names = [GROUND] + [d.body((places[i] + places[(i + 1) % n]) / 2, 0.2) for i in range(n - 1)]
        for i, kind in enumerate(chosen):
            any_joint_at(d, kind, names[i], names[(i + 1) % n], places[i])
    return build


def bennett(d):
    """Bennett's loop of four skew hinges: twists and lengths obey a/sin(alpha) = b/sin(beta)."""
    alpha, beta = d.rng.uniform(0.5, 1.0), d.rng.uniform(1.2, 1.7)
    a = d.rng.uniform(0.5, 0.9)
    b = a * np.sin(beta) / np.sin(alpha)
    t1 = d.rng.uniform(0.6, 1.2)
    t2 = 2 * np.arctan2(np.sin((beta + alpha) / 2), np.sin((beta - alpha) / 2) * np.tan(t1 / 2))
    frames = [Frame(d.vector(0.5), d.turn())]
    for theta, length, twist in [(t1, a, alpha), (t2, b, beta), (-t1, a, alpha)]:
        f = frames[-1]
        R = f.R @ about([0, 0, 1], theta)
        frames.append(Frame(f.p + R[:, 0] * length, R @ about([1, 0, 0], twist)))
    f = frames[-1]
    R = f.R @ about([0, 0, 1], -t2)
    assert np.allclose(f.p + R[:, 0] * b, frames[0].p, atol=1e-9), "Bennett's loop is not closed"
    loop_of_hinges(d, [f.p for f in frames], [f.R[:, 2] for f in frames])


def loop_of_hinges(d, places, axes):
    n = len(places)
    names = [GROUND] + [d.body((places[i] + places[(i + 1) % n]) / 2, 0.2) for i in range(n - 1)]
    for i in range(n):
        d.joint("revolute", names[i], names[(i + 1) % n], places[i], axis=axes[i])


def bricard(d):
    """Six hinges, of which three are the half-turn of the other three about a line: movable though 6R."""
    frame = Frame(d.vector(0.5), d.turn())
    half = frame.R @ np.diag([-1.0, -1.0, 1.0]) @ frame.R.T
    corners = polygon(d, 6)[:3]
    places = [frame.R @ np.array([p[0], p[1], d.rng.uniform(-0.4, 0.4)]) for p in corners]
    axes = [d.direction() for _ in range(3)]
    loop_of_hinges(d, [frame.p + p for p in places] + [frame.p + half @ p for p in places],
                   axes + [half @ u for u in axes])


def sarrus(d):
    """Two pairs of folding plates in crossed planes that guide a platform straight."""
    frame = Frame(d.vector(0.5), d.turn())
    top = d.body(frame.p + frame.R[:, 2] * 1.0, 0.2)
    for angle in (0.0, d.rng.uniform(0.8, 2.2)):
        R = frame.R @ about([0, 0, 1], angle)
        p = [frame.p + R @ np.array(c) for c in ([0.5, 0, 0], [0.9, 0, 0.45], [0.5, 0, 1.0])]
        low, high = d.body((p[0] + p[1]) / 2, 0.2), d.body((p[1] + p[2]) / 2, 0.2)
        for a, b, at in ((GROUND, low, p[0]), (low, high, p[1]), (high, top, p[2])):
            d.joint("revolute", a, b, at, axis=R[:, 1])


def door(d):
    """A body on two or three hinges of one axis."""
    base, axis = d.vector(0.5), d.direction()
    name = d.body(base, 0.6)
    others = ["revolute", "cylindrical", "spherical", "revolute"]
    for i in range(int(d.rng.integers(2, 4))):
        kind = "revolute" if i == 0 else str(d.rng.choice(others))
        d.joint(kind, GROUND, name, base + axis * (i * d.rng.uniform(0.4, 0.8)), axis=axis)
    if d.rng.random() < 0.5:
        at = base + axis * 0.3 + d.direction() * 0.6
        any_joint(d, str(d.rng.choice(["revolute", "spherical", "universal"])), name, d.body(at, 0.3), at)


def parallelogram(d):
    """Equal parallel cranks, more than are needed."""
    plane = plane_of(d)
    crank = plane.R @ np.append(about([0, 0, 1], d.rng.uniform(0.5, 1.2))[:2, 0] * d.rng.uniform(0.5, 1.0), 0)
    top = d.body(plane.p + crank, 0.4)
    x = 0.0
    for _ in range(int(d.rng.integers(3, 5))):
        foot = plane.p + plane.R @ np.array([x, d.rng.uniform(-0.1, 0.1), d.rng.uniform(-0.2, 0.2)])
        link = d.body(foot + crank / 2, 0.1)
        d.joint("revolute", GROUND, link, foot, axis=plane.R[:, 2])
        d.joint("revolute", link, top, foot + crank, axis=plane.R[:, 2])
        x += d.rng.uniform(0.4, 0.8)


def guides(d):
    """A carriage on two or three parallel guides, with something hung on it."""
    base, axis = d.vector(0.5), d.direction()
    name = d.body(base, 0.4)
    for i in range(int(d.rng.integers(2, 4))):
        kind = "prismatic" if i == 0 else str(d.rng.choice(["prismatic", "cylindrical", "translation"]))
        d.joint(kind, GROUND, name, base + d.vector(0.5), axis=axis)
    at = base + d.direction() * 0.5
    any_joint(d, str(d.rng.choice(["revolute", "spherical", "universal", "gimbal"])), name, d.body(at, 0.4), at)


def constrained_tree(d):
    """A tree of which constraints take some freedoms."""
    while not d.m.constraints:  # not every tree has the coordinates that a constraint needs
        d.m.bodies.clear(), d.m.joints.clear()
        tree(d, n=int(d.rng.integers(2, 5)))
        forces.add_constraints(d)


def wheel(d):
    """A disc or a ball that rolls on a plane, with something hung on it."""
    R = d.turn()
    n, at = R[:, 2], d.vector(0.5)
    radius = d.rng.uniform(0.3, 0.6)
    is_ball = d.rng.random() < 0.4
    lean = d.rng.uniform(-0.7, 0.7)
    u = np.cos(lean) * R[:, 0] + np.sin(lean) * n  # axis of the disc
    e = n - n @ u * u
    centre = at + R[:, :2] @ d.rng.uniform(-0.5, 0.5, 2) + n * radius * (1.0 if is_ball else np.linalg.norm(e))
    name = d.body(centre, 0.0)
    body = d.m.body(name)
    point = d.m.attach(GROUND, at)
    d.joint("free", GROUND, name, centre)
    d.m.constraints.append(Part("rolls", "rolling", {
        "center": d.m.attach(name, centre), "axis": body.R.T @ u, "radius": float(radius),
        "shape": "sphere" if is_ball else "disc", "plane": point, "normal": n}))
    if d.rng.random() < 0.6:
        hung = centre + d.direction() * 0.4
        any_joint(d, str(d.rng.choice(["revolute", "spherical", "universal"])), name, d.body(hung, 0.3), hung)


def uneven(d):
    """A chain or a loop with masses up to a billion times those of their neighbours."""
    drawn = [lambda e: tree(e, n=int(e.rng.integers(2, 6))), FAMILIES["chain_of_balls"], four_bar, FAMILIES["rssr"],
             spherical_four_bar, parallelogram]
    drawn[d.rng.integers(len(drawn))](d)
    share = 10 ** d.rng.uniform(-9, 0, len(d.m.bodies))
    share[d.rng.integers(len(share))] = 1.0
    if len(share) > 1 and d.rng.random() < 0.5:  # the whole range between two bodies
        share[np.argmin(share)] = 1e-9
    for b, x in zip(d.m.bodies, share):
        b.mass, b.inertia = b.mass * x, b.inertia * x


FAMILIES = {
    "tree": tree,
    "chain_of_balls": lambda d: tree(d, ["spherical", "spherical", "gimbal"], int(d.rng.integers(2, 7))),
    "four_bar": four_bar,
    "five_bar": five_bar,
    "six_bar": six_bar,
    "slider_crank": slider_crank,
    "spherical_four_bar": spherical_four_bar,
    "spatial_loop": spatial_loop,
    "rssr": named_loop(["revolute", "spherical", "spherical", "revolute"]),
    "rsup": named_loop(["revolute", "spherical", "universal", "prismatic"]),
    "rccc": named_loop(["revolute", "cylindrical", "cylindrical", "cylindrical"]),
    "bennett": bennett,
    "bricard": bricard,
    "sarrus": sarrus,
    "door": door,
    "parallelogram": parallelogram,
    "guides": guides,
    "constrained_tree": constrained_tree,
    "wheel": wheel,
    "uneven": uneven,
}


def usable(m):
    """Not near a singular position, and closed."""
    answer = Oracle(m).solve(Oracle(m).drawn())
    if answer.freedoms == 0 or answer.gap > 1e-11 or answer.least < LOOP_SINGULAR:
        return False
    assert answer.position_error < 1e-12, (m.family, answer.position_error)
    return True


def generate(seed, family=None, is_plain=False):
    """The mechanism of a seed: the same on every machine with the same numpy. Plain ones have no laws but constants and
    sines, and no kinks."""
    for attempt in range(1000):
        rng = np.random.default_rng([seed, attempt])
        name = family or str(rng.choice(list(FAMILIES)))
        family = name  # a family is not avoided by what it is rejected for
        d = Draw(rng, name, seed, None if is_plain else More(np.random.default_rng([seed, attempt, 1])))
        FAMILIES[name](d)
        if not usable(d.m):
            continue
        forces.add_forces(d)
        forces.add_velocities(d)
        oracle = Oracle(d.m)
        if oracle.solve(oracle.drawn()).velocity_error > 1e-10 or oracle.drives_what_is_held():
            continue  # a drive moves what other rows hold
        d.m.name = f"{name}_{seed}"
        d.m.integrator = str(rng.choice(["auto", "radau", "dop853"], p=[0.5, 0.25, 0.25]))
        return d.m
    raise RuntimeError(f"no usable mechanism for seed {seed}, family {family}")
