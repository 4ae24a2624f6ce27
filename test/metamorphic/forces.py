"""Forces, constraints and initial velocities for a mechanism that is drawn."""
import numpy as np

import laws
from joint_types import LENGTH, TYPES
from mechanism import GROUND, Coordinate, Frame, Part, Wave, rotation
from oracle import Oracle


def coordinates(m):
    """All coordinates that may be named, with their power of length."""
    return [(Coordinate(j.name, k), kind) for j in m.joints for k, kind in enumerate(TYPES[j.type].kinds)]


def value_of(m, c):
    oracle = Oracle(m)
    return oracle.coordinate(oracle.drawn(), c).value


def some_point(d, body):
    """A point on a body near its centre, or of the ground."""
    if body == GROUND:
        return d.m.attach(GROUND, d.vector(1.0))
    return d.m.attach(body, d.m.body(body).centre() + d.vector(0.4))


def two_bodies(d):
    names = [GROUND] + [b.name for b in d.m.bodies]
    a, b = d.rng.choice(len(names), 2, replace=False)
    return names[a], names[b]


def wave(d, size, mean=None):
    if d.more and d.more.rng.random() < 0.3:
        return laws.draw(d.more, size, is_motion=False)
    is_constant = d.rng.random() < 0.4
    return Wave(float(d.rng.uniform(-size, size) if mean is None else mean),
                0.0 if is_constant else float(d.rng.uniform(-size, size)), float(d.rng.uniform(1, 6)),
                float(d.rng.uniform(-3, 3)))


# -- forces --------------------------------------------------------------------------------------------------------


def spring(d):
    a, b = two_bodies(d)
    a, b = some_point(d, a), some_point(d, b)
    length = float(np.linalg.norm(d.m.place(a) - d.m.place(b)))
    if length < 0.2:
        return None
    cubic = float(d.rng.uniform(0, 30)) if d.rng.random() < 0.3 else 0.0
    return {"a": a, "b": b, "stiffness": float(d.rng.uniform(1, 40)), "damping": some(d, 2),
            "rest": float(length * d.rng.uniform(0.5, 1.3)), "preload": some(d, 4), "cubic": cubic} | kinks(d, 60, 0)


def kinks(d, stiffness, dry):
    """A stop that is met where the spring is longer, or shorter, than its rest by a gap; dry friction."""
    out = {"kink": 0.0, "gap": 0.0, "side": 1.0, "dry": 0.0}
    if d.more and d.more.rng.random() < 0.3:
        out |= {"kink": float(d.more.rng.uniform(0.2, 1) * stiffness), "gap": float(d.more.rng.uniform(0.02, 0.4)),
                "side": float(d.more.rng.choice([-1, 1]))}
    if d.more and dry and d.more.rng.random() < 0.2:
        out["dry"] = float(d.more.rng.uniform(0.1, 1) * dry)
    return out


def some(d, size):
    return float(d.rng.uniform(0, size)) if d.rng.random() < 0.5 else 0.0


def torsion(d):
    angles = [c for c, kind in coordinates(d.m) if kind != LENGTH]
    if not angles:
        return None
    c = angles[d.rng.integers(len(angles))]
    return {"joint": c, "stiffness": float(d.rng.uniform(0.5, 10)), "damping": some(d, 0.5),
            "rest": float(value_of(d.m, c) + d.rng.uniform(-0.5, 0.5)), "preload": some(d, 1),
            "cubic": float(d.rng.uniform(0, 5)) if d.rng.random() < 0.3 else 0.0} | kinks(d, 20, 0.5)


def bushing(d):
    a, b = two_bodies(d)
    place = d.vector(0.7)
    R = d.turn()
    frame_b = Frame(place + d.vector(0.1), R @ rotation(d.vector(0.2)))
    draw = lambda size: [float(x) for x in d.rng.uniform(0, size, 3)]
    return {"a": (a, Frame(place, R)), "b": (b, frame_b), "translation_stiffness": draw(30),
            "translation_damping": draw(2), "rotation_stiffness": draw(8), "rotation_damping": draw(0.5)}


def friction(d):
    every = coordinates(d.m)
    if not every:
        return None
    c = every[d.rng.integers(len(every))][0]
    return {"joint": c, "coulomb": float(d.rng.uniform(0.1, 1)), "viscous": some(d, 0.5), "stribeck": some(d, 0.5),
            "stribeck_velocity": float(d.rng.uniform(0.2, 1)), "smoothing_velocity": float(d.rng.uniform(0.2, 1))}


def force(d):
    body = d.m.bodies[d.rng.integers(len(d.m.bodies))].name
    return {"point": some_point(d, body), "value": [wave(d, 4) for _ in range(3)],
            "axes": str(d.rng.choice(["ground", "body"]))}


def torque(d):
    body = d.m.bodies[d.rng.integers(len(d.m.bodies))].name
    return {"body": body, "value": [wave(d, 1) for _ in range(3)], "axes": str(d.rng.choice(["ground", "body"]))}


def actuator(d):
    every = coordinates(d.m)
    if every and d.rng.random() < 0.7:
        return {"joint": every[d.rng.integers(len(every))][0], "value": wave(d, 2)}
    a, b = two_bodies(d)
    a, b = some_point(d, a), some_point(d, b)
    if np.linalg.norm(d.m.place(a) - d.m.place(b)) < 0.2:
        return None
    return {"a": a, "b": b, "value": wave(d, 4)}


FORCES = {"spring": spring, "torsion": torsion, "bushing": bushing, "friction": friction, "force": force,
          "torque": torque, "actuator": actuator}


def add_forces(d):
    if d.m.family == "uneven":
        return add_heavy_forces(d)
    for i in range(int(d.rng.integers(0, 4))):
        kind = str(d.rng.choice(list(FORCES))) if i else list(FORCES)[d.seed % len(FORCES)]
        fields = FORCES[kind](d)
        if fields is not None:
            d.m.forces.append(Part(f"f{i}", kind, fields))


def add_heavy_forces(d):
    """On the heaviest body: what moves it moves bodies of a billionth of its mass only through joints."""
    body = max(d.m.bodies, key=lambda b: b.mass)
    at = lambda: d.m.attach(body.name, body.centre() + d.vector(0.4))
    if d.rng.random() < 0.5:
        d.m.forces.append(Part("f0", "force", {"point": at(), "value": [wave(d, 4) for _ in range(3)],
                                               "axes": str(d.rng.choice(["ground", "body"]))}))
    if d.rng.random() < 0.5:
        a, b = d.m.attach(GROUND, body.centre() + d.direction() * d.rng.uniform(0.5, 1.0)), at()
        d.m.forces.append(Part("f1", "spring", {
            "a": a, "b": b, "stiffness": float(d.rng.uniform(1, 40)), "damping": some(d, 2), "rest": 0.5,
            "preload": some(d, 4), "cubic": 0.0} | kinks(d, 60, 0)))


# -- constraints ---------------------------------------------------------------------------------------------------


def law_from(d, value, size):
    """A law that starts at a value."""
    if d.more and d.more.rng.random() < 0.5:
        law = laws.draw(d.more, size, is_motion=True)
        return law.shifted(float(value - law.at(0.0)[0]))
    if d.rng.random() < 0.4:
        return Wave(float(value))
    w = Wave(0.0, float(d.rng.uniform(-size, size)), float(d.rng.uniform(1, 4)), float(d.rng.uniform(-1, 1)))
    w.mean = float(value - w.at(0.0)[0])
    return w


def distance(d):
    fields = spring(d)
    if fields is None:
        return None
    length = np.linalg.norm(d.m.place(fields["a"]) - d.m.place(fields["b"]))
    return {"a": fields["a"], "b": fields["b"], "value": law_from(d, length, 0.1)}


def carrier_and_point(d):
    a, b = two_bodies(d)
    if b == GROUND:
        a, b = b, a
    return a, some_point(d, b)


def point_on_line(d):
    a, point = carrier_and_point(d)
    axis = d.direction()
    place = d.m.place(point) + d.m.frame_of(a).R @ axis * d.rng.uniform(-0.5, 0.5)
    return {"point": point, "line": d.m.attach(a, place), "axis": axis}


def point_on_plane(d):
    a, point = carrier_and_point(d)
    normal = d.direction()
    across = np.cross(normal, d.direction()) * 0.4
    return {"point": point, "plane": d.m.attach(a, d.m.place(point) + d.m.frame_of(a).R @ across), "normal": normal}


def point_motion(d):
    a, point = carrier_and_point(d)
    axis, origin = d.direction(), some_point(d, a)
    value = (d.m.frame_of(a).R @ axis) @ (d.m.place(point) - d.m.place(origin))
    offset = float(d.rng.uniform(-0.3, 0.3))
    return {"point": point, "relative_to": origin, "axis": axis, "value": law_from(d, value - offset, 0.2),
            "offset": offset}


def two_coordinates(d, kind_a=None, kind_b=None):
    every = coordinates(d.m)
    first = [c for c, kind in every if kind_a is None or kind == kind_a]
    if not first:
        return None
    a = first[d.rng.integers(len(first))]
    second = [c for c, kind in every if (kind_b is None or kind == kind_b) and c.joint != a.joint]
    return (a, second[d.rng.integers(len(second))]) if second else None


def gear(d):
    pair = two_coordinates(d)
    if pair is None:
        return None
    ratio = float(d.rng.uniform(0.3, 2) * d.rng.choice([-1, 1]))
    return {"a": pair[0], "b": pair[1], "ratio": ratio,
            "offset": float(value_of(d.m, pair[1]) - ratio * value_of(d.m, pair[0]))}


def rack(d):
    pair = two_coordinates(d, 0, LENGTH)
    if pair is None:
        return None
    radius = float(d.rng.uniform(0.2, 1) * d.rng.choice([-1, 1]))
    return {"pinion": pair[0], "rack": pair[1], "radius": radius,
            "offset": float(value_of(d.m, pair[1]) - radius * value_of(d.m, pair[0]))}


def coupling(d):
    pair = two_coordinates(d)
    if pair is None:
        return None
    factors = [float(x) for x in d.rng.uniform(0.3, 2, 2)]
    total = sum(f * value_of(d.m, c) for c, f in zip(pair, factors))
    offset = float(d.rng.uniform(-0.3, 0.3)) if d.rng.random() < 0.5 else float(total)
    value = Wave() if offset == total else law_from(d, total - offset, 0.2)
    return {"terms": list(zip(pair, factors)), "offset": offset, "value": value}


def motion(d):
    every = coordinates(d.m)
    if not every:
        return None
    c = every[d.rng.integers(len(every))][0]
    return {"joint": c, "value": law_from(d, value_of(d.m, c), 0.3)}


CONSTRAINTS = {"distance": distance, "point_on_line": point_on_line, "point_on_plane": point_on_plane,
               "coupling": coupling, "gear": gear, "rack": rack, "motion": motion, "point_motion": point_motion}


def add_constraints(d):
    """One or two; none if the first is impossible."""
    for i in range(int(d.rng.integers(1, 3))):
        kind = str(d.rng.choice(list(CONSTRAINTS))) if i else list(CONSTRAINTS)[d.seed % len(CONSTRAINTS)]
        fields = CONSTRAINTS[kind](d)
        if fields is not None:
            d.m.constraints.append(Part(f"c{i}", kind, fields))
        elif i == 0:
            return


# -- velocities ----------------------------------------------------------------------------------------------------


def add_velocities(d):
    """Rates of some joints, taken from a random motion that all rows allow; the slowest motion with them is the start.

    The rates of enough joints are given to fix the motion, or of fewer: the program then has to find the slowest.
    """
    oracle = Oracle(d.m)
    s = oracle.drawn()
    allowed = oracle.null_space(s)
    start = oracle.slowest(s, [], [])
    if d.m.family == "uneven":
        allowed = np.linalg.qr(allowed)[0]  # equal energies would let light bodies fly
    wished = start + allowed @ d.rng.normal(size=allowed.shape[1]) * d.rng.uniform(0.3, 1.0)
    set_twists(d.m, wished)
    give = d.rng.random() < 0.8
    jacobian = []
    for j in d.rng.permutation(len(d.m.joints)):
        joint = d.m.joints[j]
        rows = oracle.joint_rates(s, joint)[1]
        if not give or not len(rows):
            continue
        rest = allowed if not jacobian else oracle.null_space(s, jacobian)
        if rest.shape[1] == 0 or not adds_rank(rows, rest):
            continue
        joint.rates = [True] * len(rows)
        jacobian += list(rows)
        if d.rng.random() < 0.3:
            give = False
    slow_down(d.m)


def set_twists(m, v):
    v = np.asarray(v).reshape(-1, 6)
    m.twists = {b.name: (v[i, :3], v[i, 3:]) for i, b in enumerate(m.bodies)}


def slow_down(m):
    """The slowest motion with the rates that are set, which the present twists have."""
    oracle = Oracle(m)
    s = oracle.drawn()
    jacobian, rate = [], []
    for joint in m.joints:
        if joint.rates and any(joint.rates):
            values, rows = oracle.joint_rates(s, joint)
            jacobian += list(rows)
            rate += list(values)
    set_twists(m, oracle.slowest(s, jacobian, rate))


def adds_rank(rows, allowed):
    """All of the joint's rates are independent of each other and of what is given already."""
    sigma = np.linalg.svd(rows @ allowed, compute_uv=False)
    return len(rows) <= allowed.shape[1] and sigma[-1] > 0.02 * max(sigma[0], 0.5)


# -- at rest -------------------------------------------------------------------------------------------------------


RELAXED = {"preload": 0.0, "cubic": 0.0, "kink": 0.0, "gap": 0.0, "side": 1.0, "dry": 0.0}


def unloaded(m):
    """The mechanism without loads, in the drawing as an equilibrium: only unstrained springs and dampers are left."""
    out = m.copy()
    out.gravity = np.zeros(3)
    out.twists = {}
    oracle = Oracle(m)
    s = oracle.drawn()
    for j in out.joints:
        j.rates = None
    out.forces = []
    for f in m.forces:
        fields = dict(f.fields)
        if f.type == "spring":
            fields |= {"rest": float(oracle.distance(s, f.a, f.b).value)} | RELAXED
        elif f.type == "torsion":
            fields |= {"rest": float(oracle.coordinate(s, f.joint).value)} | RELAXED
        elif f.type == "bushing":
            fields["b"] = (f.b[0], f.a[1])
        else:
            continue
        out.forces.append(Part(f.name, f.type, fields))
    body = out.bodies[-1]
    hold = Frame(body.centre(), body.R)
    out.forces.append(Part("seat", "bushing", {
        "a": (GROUND, hold), "b": (body.name, hold), "translation_stiffness": [20.0, 30.0, 45.0],
        "translation_damping": [0.3, 0.2, 0.1], "rotation_stiffness": [3.0, 2.0, 4.0],
        "rotation_damping": [0.02, 0.03, 0.01]}))
    for c in out.constraints:
        if "value" in c.fields:
            c.fields["value"] = Wave(float(c.value.at(0.0)[0]))
    return out
