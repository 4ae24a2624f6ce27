"""Bodies that hang on the nodes and sliders of a frame, carry it, or close a loop through it."""
from dataclasses import dataclass

import numpy as np

from mechanism import GROUND, Body, frame_with_z, quaternion, replace, rotation
from writer import numbers


@dataclass
class Pin:
    """A joint at a place, between two bodies, nodes ("frame.n1") or carriages ("mass.carriage")."""
    name: str
    type: str
    a: str
    b: str
    p: np.ndarray
    R: np.ndarray
    rate: float = 0.0  # of its first coordinate at the start


@dataclass
class Tie:
    """A spring with a damper between the centre of a body and a place of the ground or a node."""
    name: str
    body: str
    other: str
    at: np.ndarray  # in the drawing
    stiffness: float
    damping: float
    rest: float


# -- drawing -------------------------------------------------------------------------------------------------------


def body(rng, name, p, mass):
    radii = rng.uniform(0.1, 0.2, 3)
    moments = mass * np.array([radii[1] ** 2 + radii[2] ** 2, radii[0] ** 2 + radii[2] ** 2, radii[0] ** 2 + radii[1] ** 2])
    turn, R = rotation(rng.normal(size=3)), rotation(rng.normal(size=3))
    c = rng.uniform(-0.1, 0.1, 3)
    return Body(name, np.asarray(p) - R @ c, R, float(mass), c, turn @ np.diag(moments) @ turn.T)


def pin(rng, name, kind, a, b, p, axis=None, rate=0.0):
    u = rng.normal(size=3) if axis is None else np.asarray(axis)
    return Pin(name, kind, a, b, np.array(p), frame_with_z(u / np.linalg.norm(u), rng.normal(size=3)), rate)


def near(rng, p, distance=0.4):
    u = rng.normal(size=3)
    return p + u / np.linalg.norm(u) * distance


def hang(case, rng):
    """A body on a joint at a node that is free."""
    node = next((n for n in reversed(case.nodes) if not n.support), None)
    if node is None:
        return case
    kind = str(rng.choice(["spherical", "revolute", "universal", "fixed"]))
    return replace(case, bodies=[body(rng, "load", near(rng, node.p), rng.uniform(0.1, 0.5))],
                   pins=[pin(rng, "hook", kind, f"frame.{node.name}", "load", node.p)])


def hub(case, rng):
    """The first node is welded to a body that turns."""
    first = case.nodes[0]
    kind = str(rng.choice(["revolute", "revolute", "spherical"]))
    nodes = [replace(first, support=None, body="hub")] + [replace(n, support=None) for n in case.nodes[1:]]
    return replace(case, theory="nonlinear", nodes=nodes, bodies=[body(rng, "hub", first.p, rng.uniform(0.5, 2))],
                   pins=[pin(rng, "bearing", kind, GROUND, "hub", near(rng, first.p, 0.1),
                             rate=float(rng.uniform(1, 3)) if kind == "revolute" else 0.0)])


def strut(case, rng):
    """A rod from a free node to the ground: a loop through the structure."""
    node = next((n for n in reversed(case.nodes) if not n.support), None)
    if node is None:
        return case
    foot = near(rng, node.p, 0.7)
    kind = str(rng.choice(["spherical", "universal"]))
    return replace(case, bodies=[body(rng, "rod", (foot + node.p) / 2, rng.uniform(0.1, 0.4))],
                   pins=[pin(rng, "top", "spherical", f"frame.{node.name}", "rod", node.p),
                         pin(rng, "foot", kind, GROUND, "rod", foot, foot - node.p)])


def between(case, rng):
    """A beam from a crank to a body that hangs from the ground: the loop closes over both."""
    case = hub(case, rng)
    last = case.nodes[-1]
    place = near(rng, last.p, 0.3)
    return replace(case, bodies=case.bodies + [body(rng, "rocker", (place + last.p) / 2, rng.uniform(0.3, 1))],
                   pins=[replace(case.pins[0], type="spherical", rate=0.0),
                         pin(rng, "tip", "spherical", f"frame.{last.name}", "rocker", last.p),
                         pin(rng, "pivot", "revolute", GROUND, "rocker", place)])


def trolley(case, rng):
    """A load on the slider."""
    if not case.sliders:
        return case
    s = case.sliders[0]
    member = next(m for m in case.members if m.name == s.member)
    ends = {n.name: n.p for n in case.nodes}
    along = ends[member.b] - ends[member.a]
    p = ends[member.a] + along / np.linalg.norm(along) * s.middle
    kind = str(rng.choice(["spherical", "revolute"]))
    return replace(case, bodies=[body(rng, "load", near(rng, p, 0.3), rng.uniform(0.05, 0.2))],
                   pins=[pin(rng, "hook", kind, f"{s.name}.carriage", "load", p)])


KINDS = {"hang": hang, "hub": hub, "strut": strut, "between": between, "trolley": trolley}


def attach(case, seed):
    """The frame with bodies, of more than half of the seeds; plane ones stay alone."""
    rng = np.random.default_rng([seed, 78])
    if case.plane or rng.random() < 0.4:
        return case
    case = KINDS["trolley" if case.sliders and rng.random() < 0.5 else str(rng.choice(list(KINDS)))](case, rng)
    if any(j.type != "spherical" and j.a != GROUND for j in case.pins):
        # Turns of a linear node are successive ones about x, y, z, which carry a body alike in all axes to first order.
        case = replace(case, theory="nonlinear")
    if case.bodies and rng.random() < 0.4:
        b = case.bodies[-1]
        at = near(rng, b.centre(), 0.5)
        case = replace(case, ties=[Tie("tie", b.name, GROUND, at, float(rng.uniform(1, 20)), float(rng.uniform(0, 1)),
                                       float(rng.uniform(0.3, 0.6)))])
    return case


# -- clothes -------------------------------------------------------------------------------------------------------


def changed(case, Q, shift, L, M, T):
    """Bodies, pins and ties in other axes and units."""
    flip = np.diag([1.0, 1.0, round(float(np.linalg.det(Q)))])
    place = lambda p: Q @ p * L + shift
    return {
        "bodies": [Body(b.name, place(b.p), Q @ b.R @ flip, b.mass * M, flip @ b.c * L, flip @ b.inertia @ flip * (M * L * L))
                   for b in case.bodies],
        "pins": [replace(j, p=place(j.p), R=Q @ j.R @ flip, rate=j.rate / T) for j in case.pins],
        "ties": [replace(t, at=place(t.at), stiffness=t.stiffness * M / T ** 2, damping=t.damping * M / T, rest=t.rest * L)
                 for t in case.ties]}


def renamed(case, names):
    """`names` of nodes, bodies and the structure's parts: original: new."""
    new = lambda body: ".".join(names.get(part, part) for part in body.split("."))
    return {"bodies": [replace(b, name=new(b.name)) for b in case.bodies],
            "pins": [replace(j, name="of_" + j.name, a=new(j.a), b=new(j.b)) for j in case.pins],
            "ties": [replace(t, body=new(t.body), other=new(t.other)) for t in case.ties]}


# -- writing -------------------------------------------------------------------------------------------------------


def parts(case, p, R):
    """Sections of the model, seen from a template at p with the axes R."""
    bodies = {}
    for b in case.bodies:
        i = b.inertia
        bodies[b.name] = {"position": numbers(R.T @ (b.p - p)), "orientation": {"quaternion": numbers(quaternion(R.T @ b.R))},
                          "mass": b.mass, "center": numbers(b.c),
                          "inertia": numbers([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])}
    joints = {j.name: {"type": j.type, "between": [j.a, j.b], "point": numbers(R.T @ (j.p - p)),
                       "axis": numbers(R.T @ j.R[:, 2]), "x_axis": numbers(R.T @ j.R[:, 0])}
              | ({"velocity": j.rate} if j.rate else {}) for j in case.pins}
    centre = {b.name: numbers(b.c) for b in case.bodies}
    ties = {t.name: {"type": "spring", "a": {"body": t.body, "at": centre[t.body]},
                     "b": {"body": t.other, "at": numbers(R.T @ (t.at - p))}, "stiffness": t.stiffness,
                     "damping": t.damping, "rest": t.rest} for t in case.ties}
    return {k: v for k, v in {"bodies": bodies, "joints": joints, "forces": ties}.items() if v}


def outputs(case, prefix):
    out = {}
    for i, b in enumerate(case.bodies):
        point = {"body": prefix + b.name, "at": numbers(b.c)}
        out[f"p_body{i}"] = {"type": "position", "point": point}
        out[f"v_body{i}"] = {"type": "velocity", "point": point}
        out[f"w_body{i}"] = {"type": "angular_velocity", "body": prefix + b.name}
    for i, j in enumerate(case.pins):
        out[f"pin{i}_push"] = {"type": "reaction", "joint": prefix + j.name}
    return out


def back(case, clothes, got):
    """What was recorded of bodies and pins, in the original clothes."""
    Q, L, T = clothes.Q, clothes.length, clothes.time
    newton, det, out = clothes.mass * L / T ** 2, np.linalg.det(Q), {}
    order = lambda mine, new: [[x.name for x in new].index(n) for n in mine]
    rename = lambda n: (clothes.names or {}).get(n, n)
    for i, k in enumerate(order([rename(b.name) for b in case.bodies], clothes.case.bodies)):
        out[f"p_body{i}"] = (got[f"p_body{k}"] - clothes.shift) @ Q / L
        out[f"v_body{i}"] = got[f"v_body{k}"] @ Q * (T / L)
        out[f"w_body{i}"] = det * got[f"w_body{k}"] @ Q * T
    pins = [("of_" if clothes.names else "") + j.name for j in case.pins]
    for i, k in enumerate(order(pins, clothes.case.pins)):
        out[f"pin{i}_push"] = got[f"pin{k}_push"] @ Q / newton
    return out
