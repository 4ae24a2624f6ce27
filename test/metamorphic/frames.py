"""Random frames of beams with sliders, against transformed copies and against textbook beam matrices.

Space frames may lie anywhere; plane ones lie in one of the planes that the model file knows, and are turned within it.
The motion of all of them is compared with that of transformed copies of the frame; displacements and frequencies of
linear frames of Euler's beams are compared with matrices that are assembled here.
"""
import csv
import pathlib
import tempfile
from dataclasses import dataclass, field

import numpy as np

import attached
import buckling
import runner
from check import Failure, rng_of
from mechanism import quaternion, replace, rotation
from writer import layout, numbers

E, NU, DENSITY = 1e6, 0.3, 100.0  # with the sections below: 1 kg/m, EA = 1e4 N, EI = 10 to 30 N m2


@dataclass
class Node:
    name: str
    p: np.ndarray
    support: str = None
    force: np.ndarray = None
    moment: np.ndarray = None
    mass: float = 0.0
    body: str = None  # that it is welded to


@dataclass
class Member:
    name: str
    a: str
    b: str
    y_axis: np.ndarray
    section: dict
    elements: int
    load: np.ndarray = None


@dataclass
class Slider:
    name: str
    member: str
    mass: float
    middle: float
    stroke: float
    frequency: float
    is_free: bool = False


@dataclass
class FrameCase:
    name: str
    theory: str
    beam: str
    plane: str  # "" in space
    gravity: np.ndarray
    nodes: list
    members: list
    sliders: list
    material: dict
    alpha: float
    beta: float
    duration: float = 0.2
    placement: tuple = None  # position and rotation of a template that it is drawn in
    family: str = ""
    bodies: list = field(default_factory=list)
    pins: list = field(default_factory=list)
    ties: list = field(default_factory=list)


# -- drawing -------------------------------------------------------------------------------------------------------


def section(rng):
    return {"A": 1e-2, "Iz": float(rng.uniform(1e-5, 3e-5)), "Iy": float(rng.uniform(1e-5, 3e-5)),
            "J": float(rng.uniform(1e-5, 3e-5)), "shear_y": 0.8, "shear_z": 0.7}


def generate(seed):
    rng = np.random.default_rng([seed, 77])
    is_plane = rng.random() < 0.35
    R = np.eye(3) if is_plane else rotation(rng.normal(size=3))
    count = int(rng.integers(2, 5))
    places = [np.zeros(3)]
    while len(places) < count:
        step = rng.normal(size=3) * [1, 1, 0 if is_plane else 1]
        step *= rng.uniform(0.5, 1.0) / np.linalg.norm(step)
        if all(np.linalg.norm(places[-1] + step - p) > 0.4 for p in places):
            places.append(places[-1] + step)
    shift = np.zeros(3) if is_plane else rng.uniform(-1, 1, 3)
    vector = lambda size: (R @ (rng.uniform(-size, size, 3) * [1, 1, 0 if is_plane else 1]))
    nodes = [Node(f"n{i}", shift + R @ p) for i, p in enumerate(places)]
    nodes[0].support = "clamped"
    if count > 2 and rng.random() < 0.5:
        nodes[-1].support = str(rng.choice(["pinned", "clamped"]))
    else:
        nodes[-1].force, nodes[-1].mass = vector(0.5), float(rng.choice([0.0, rng.uniform(0.1, 0.5)]))
        if rng.random() < 0.5:
            nodes[-1].moment = np.array([0, 0, rng.uniform(-0.3, 0.3)]) if is_plane else vector(0.3)
    members = []
    for i in range(count - 1):
        along = nodes[i + 1].p - nodes[i].p
        across = np.cross(along, [0, 0, 1.0] if is_plane else rng.normal(size=3))
        members.append(Member(f"m{i}", nodes[i].name, nodes[i + 1].name, across / np.linalg.norm(across), section(rng),
                              int(rng.integers(1, 4)), vector(0.5) if rng.random() < 0.3 else None))
    theory = str(rng.choice(["linear", "nonlinear"]))
    sliders = []
    if rng.random() < 0.5:
        k = int(rng.integers(len(members)))
        length = np.linalg.norm(nodes[k + 1].p - nodes[k].p)
        # within one element, so that no border is passed at a moment that rounding decides
        one = length / members[k].elements
        sliders.append(Slider("mass", f"m{k}", float(rng.uniform(0.1, 0.4)), float(0.5 * one), float(0.2 * one),
                              float(rng.uniform(5, 8)), bool(theory == "nonlinear" and rng.random() < 0.3)))
    return FrameCase(f"frame_{seed}", theory, str(rng.choice(["euler", "timoshenko"])), "xy" if is_plane else "",
                     vector(8), nodes, members, sliders, {"E": E, "nu": NU, "density": DENSITY},
                     float(rng.uniform(0, 0.5)), float(rng.choice([0.0, 1e-3])), family="frame")


# -- clothes -------------------------------------------------------------------------------------------------------


@dataclass
class Clothes:
    case: FrameCase
    Q: np.ndarray = field(default_factory=lambda: np.eye(3))
    shift: np.ndarray = field(default_factory=lambda: np.zeros(3))
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    names: dict = None

    def error(self):
        return np.finfo(float).eps * float(np.max(np.abs(self.shift))) / self.length

    def detail(self):
        return (f"length {self.length:.3g}, mass {self.mass:.3g}, time {self.time:.3g}, "
                f"moved {float(np.max(np.abs(self.shift))):.3g}")


PLANES = {"xy": (0, 1, 2), "yz": (1, 2, 0), "xz": (0, 2, 1)}


def change(case, Q=None, shift=None, length=1.0, mass=1.0, time=1.0, plane=None):
    Q = np.eye(3) if Q is None else Q
    shift = np.zeros(3) if shift is None else shift
    L, M, T = length, mass, time
    newton = M * L / T ** 2
    det = np.linalg.det(Q)
    turn = lambda u, factor: None if u is None else Q @ u * factor
    nodes = [replace(n, p=Q @ n.p * L + shift, force=turn(n.force, newton), moment=turn(n.moment, det * newton * L),
                     mass=n.mass * M) for n in case.nodes]
    powers = {"A": 2, "Iz": 4, "Iy": 4, "J": 4, "shear_y": 0, "shear_z": 0}
    members = [replace(m, y_axis=Q @ m.y_axis, section={k: v * L ** powers[k] for k, v in m.section.items()},
                       load=turn(m.load, newton / L)) for m in case.members]
    sliders = [replace(s, mass=s.mass * M, middle=s.middle * L, stroke=s.stroke * L, frequency=s.frequency / T)
               for s in case.sliders]
    material = {"E": case.material["E"] * newton / L ** 2, "nu": NU, "density": case.material["density"] * M / L ** 3}
    new = replace(case, gravity=Q @ case.gravity * (L / T ** 2), nodes=nodes, members=members, sliders=sliders,
                  material=material, alpha=case.alpha / T, beta=case.beta * T, duration=case.duration * T,
                  plane=plane or case.plane, **attached.changed(case, Q, shift, L, M, T))
    return Clothes(new, Q, shift, L, M, T)


def turned(case, rng):
    if not case.plane:
        return change(case, Q=rotation(rng.normal(size=3) * 1.3))
    angle = rng.uniform(-3, 3)
    inside = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    plane = str(rng.choice(list(PLANES)))
    order = np.zeros((3, 3))
    order[list(PLANES[plane]), [0, 1, 2]] = 1.0
    return change(case, Q=order @ inside, plane=plane)


def mirrored(case, rng):
    u = rng.normal(size=3) * [1, 1, 0 if case.plane else 1]
    u /= np.linalg.norm(u)
    return change(case, Q=np.eye(3) - 2 * np.outer(u, u))


def moved(case, rng):
    u = rng.normal(size=3) * [1, 1, 0 if case.plane else 1]
    return change(case, shift=u / np.linalg.norm(u) * 10 ** rng.uniform(1, 6))


def scaled(case, rng):
    return change(case, length=10 ** rng.uniform(-6, 7), mass=10 ** rng.uniform(-15, 12), time=10 ** rng.uniform(-6, 7))


def scaled_length(case, rng):
    return change(case, length=10 ** rng.uniform(-6, 7))


def scaled_mass(case, rng):
    return change(case, mass=10 ** rng.uniform(-15, 12))


def scaled_time(case, rng):
    return change(case, time=10 ** rng.uniform(-6, 7))


def reordered(case, rng):
    """Parts in another order and under other names."""
    names = {n.name: f"k{k}" for n, k in zip(case.nodes, rng.permutation(len(case.nodes)))}
    names |= {b.name: f"z{k}" for k, b in enumerate(reversed(case.bodies))}
    parts = attached.renamed(case, names)
    for key, items in parts.items():
        parts[key] = [items[i] for i in rng.permutation(len(items))]
    weld = lambda n: replace(n, name=names[n.name], body=names[n.body] if n.body else None)
    new = replace(case, **parts, nodes=[weld(case.nodes[i])
                               for i in rng.permutation(len(case.nodes))],
                  members=[replace(case.members[i], a=names[case.members[i].a], b=names[case.members[i].b])
                           for i in rng.permutation(len(case.members))])
    return Clothes(new, names=names)


def in_template(case, rng):
    """Drawn in a template that an instance moves and turns."""
    R = rotation(rng.normal(size=3)) if not case.plane else np.eye(3)
    p = rng.uniform(-2, 2, 3) * [1, 1, 0 if case.plane else 1]
    if any(n.force is not None or n.moment is not None for n in case.nodes) or any(m.load is not None
                                                                                 for m in case.members):
        R = np.eye(3)  # loads are along the ground's axes
    return Clothes(replace(case, placement=(p, R)))


TRANSFORMS = {"turned": turned, "mirrored": mirrored, "moved": moved, "scaled": scaled, "reordered": reordered,
              "templates": in_template, "scaled_length": scaled_length, "scaled_mass": scaled_mass,
              "scaled_time": scaled_time}


# -- writing and running -------------------------------------------------------------------------------------------


def structure(case):
    p, R = case.placement or (np.zeros(3), np.eye(3))
    nodes = {}
    for n in case.nodes:
        out = {"at": numbers(R.T @ (n.p - p))}
        if n.support:
            out["support"] = n.support
        if n.body:
            out["body"] = n.body
        for key in ("force", "moment"):
            if getattr(n, key) is not None:
                out[key] = numbers(getattr(n, key))
        if n.mass:
            out["mass"] = float(n.mass)
        nodes[n.name] = out
    members = {}
    for m in case.members:
        out = {"from": m.a, "to": m.b, "section": f"section_{m.name}", "elements": m.elements}
        if not case.plane:
            out["y_axis"] = numbers(R.T @ m.y_axis)
        if m.load is not None:
            out["load"] = numbers(m.load)
        members[m.name] = out
    out = {"theory": case.theory, "beam": case.beam}
    if case.plane:
        out["plane"] = case.plane
    damping = {"alpha": case.alpha, "beta": case.beta}
    return out | {"damping": damping, "nodes": nodes, "members": members}


def model(case, with_sliders=True):
    prefix = "drawn." if case.placement else ""
    sections = {f"section_{m.name}": {"type": "general", "material": "stuff"} | m.section for m in case.members}
    sliders = {}
    for s in case.sliders if with_sliders else []:
        if s.is_free:
            motion = {"free": True, "position": s.middle, "velocity": s.stroke * s.frequency,
                      "stiffness": s.mass * (3 * s.frequency) ** 2, "rest": s.middle}
        else:
            motion = {"value": f"{s.middle!r} + {s.stroke!r}*sin({s.frequency!r}*t)"}
        sliders[s.name] = {"guide": f"frame.{s.member}", "mass": s.mass} | motion
    parts = {"structures": {"frame": structure(case)}} | ({"sliders": sliders} if sliders else {})
    parts |= attached.parts(case, *(case.placement or (np.zeros(3), np.eye(3))))
    out = {"flyball": 1, "name": case.name, "gravity": numbers(case.gravity), "materials": {"stuff": case.material},
           "sections": sections}
    if case.placement:
        p, R = case.placement
        out["templates"] = {"drawing": parts}
        out["instances"] = {"drawn": {"template": "drawing", "position": numbers(p),
                                      "orientation": {"quaternion": numbers(quaternion(R))}}}
    else:
        out |= parts
    outputs = {}
    for i, n in enumerate(case.nodes):
        body = f"{prefix}frame.{n.name}"
        outputs[f"p{i}"] = {"type": "position", "point": {"body": body, "at": [0, 0, 0]}}
        outputs[f"v{i}"] = {"type": "velocity", "point": {"body": body, "at": [0, 0, 0]}}
        outputs[f"w{i}"] = {"type": "angular_velocity", "body": body}
    for s in sliders:
        outputs[f"{s}_place"] = {"type": "slider_position", "slider": prefix + s}
        outputs[f"{s}_push"] = {"type": "slider_contact", "slider": prefix + s}
    outputs |= attached.outputs(case, prefix)
    return out | {"outputs": outputs, "simulation": {"duration": case.duration, "sample": case.duration / 4}}


def text(case, with_sliders=True):
    return "\n".join(layout(model(case, with_sliders))) + "\n"


def run(case, options=()):
    """Degrees of freedom, steps and columns of the table as vectors; or why not."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "model.yaml").write_text(text(case))
        said, failure = runner.call(["check", "--json", "--quiet", "model.yaml"], folder)
        if failure:
            return None, failure
        freedoms = said["degrees_of_freedom"]
        said, failure = runner.call(["run", "--json", "--quiet", "-o", ".", "model.yaml", *options], folder)
        if failure:
            return None, failure
        with open(pathlib.Path(folder) / pathlib.Path(said["csv"]).name, newline="") as file:
            rows = list(csv.reader(file))
        values = np.array([[float(x) for x in row] for row in rows[1:]])
        names = [cell.split(" ")[0] for cell in rows[0]]
        columns = {n: values[:, k] for k, n in enumerate(names)}
        vectors = {n[:-2]: np.column_stack([columns[n[:-2] + "." + k] for k in "xyz"])
                   for n in names if n.endswith(".x")}
        return {"freedoms": freedoms, "steps": said["steps"], "vectors": vectors}, None


def back(case, clothes, got):
    """The vectors in the original clothes, by the original numbers of the nodes."""
    Q, det = clothes.Q, np.linalg.det(clothes.Q)
    L, T = clothes.length, clothes.time
    newton = clothes.mass * L / T ** 2
    new = [n.name for n in clothes.case.nodes]
    out = {}
    for i, n in enumerate(case.nodes):
        k = new.index(clothes.names[n.name] if clothes.names else n.name)
        out[f"p{i}"] = (got[f"p{k}"] - clothes.shift) @ Q / L
        out[f"v{i}"] = got[f"v{k}"] @ Q * (T / L)
        out[f"w{i}"] = det * got[f"w{k}"] @ Q * T
    for s in case.sliders:
        out[f"{s.name}_place"] = (got[f"{s.name}_place"] - clothes.shift) @ Q / L
        out[f"{s.name}_push"] = got[f"{s.name}_push"] @ Q / newton
    return out | attached.back(case, clothes, got)


def compare(case, clothes, base, got):
    out = []
    if got["freedoms"] != base["freedoms"]:
        out.append(f"degrees of freedom {got['freedoms']} instead of {base['freedoms']}")
    vectors = back(case, clothes, got["vectors"])
    for name, exact in base["vectors"].items():
        kind = name[0] if name[0] in "pvw" else ("p" if name.endswith("place") else "push")
        size = 1.0 if kind == "p" else max(np.max(np.abs(x)) for n, x in base["vectors"].items()
                                           if (n[0] in "vw") == (kind in "vw") and not n.endswith("place"))
        tolerance = 2e-6 + (1e4 if kind == "push" else 300) * clothes.error()
        error = np.max(np.abs(exact - vectors[name])) / max(size, 1e-6)
        if not error < tolerance:
            out.append(f"{name} differs by {error:.1e} (allowed {tolerance:.1e})")
    if not has_same_steps(base, got) and not has_same_steps_by_each(case, clothes):
        out.append(f"{got['steps']} steps instead of {base['steps']}")
    return out


def has_same_steps(base, got):
    return abs(got["steps"] - base["steps"]) <= 0.1 * base["steps"] + 2


def has_same_steps_by_each(case, clothes):
    """Where `auto` has tried both methods, and they cost about the same, rounding may decide for how long it tried one of
    them, whose steps are longer. Then each of them alone is asked."""
    for method in ("dop853", "radau"):
        (base, failed), (got, failure) = (run(c, ("--integrator", method)) for c in (case, clothes.case))
        if failed or failure or not has_same_steps(base, got):
            return False
    return True


# -- matrices from the book ----------------------------------------------------------------------------------------


def beam_matrices(L, EA, EIy, EIz, GJ, mu, jx):
    """Stiffness and consistent mass of Euler's beam along x: (u, v, w, rx, ry, rz) at both ends (Przemieniecki)."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))

    def put(A, indices, block):
        A[np.ix_(indices, indices)] += block
    line = np.array([[1.0, -1], [-1, 1]])
    put(K, [0, 6], EA / L * line)
    put(K, [3, 9], GJ / L * line)
    put(M, [0, 6], mu * L / 6 * np.array([[2.0, 1], [1, 2]]))
    put(M, [3, 9], jx * L / 6 * np.array([[2.0, 1], [1, 2]]))
    bend = np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L * L, -6 * L, 2 * L * L],
                     [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L * L, -6 * L, 4 * L * L]]) / L ** 3
    carry = mu * L / 420 * np.array([[156, 22 * L, 54, -13 * L], [22 * L, 4 * L * L, 13 * L, -3 * L * L],
                                     [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L * L, -22 * L, 4 * L * L]])
    put(K, [1, 5, 7, 11], EIz * bend)
    put(M, [1, 5, 7, 11], carry)
    flip = np.diag([1.0, -1, 1, -1])  # w' = -ry
    put(K, [2, 4, 8, 10], EIy * flip @ bend @ flip)
    put(M, [2, 4, 8, 10], flip @ carry @ flip)
    return K, M


@dataclass
class Piece:
    """An element: its matrices and loads in the axes of the ground."""

    member: Member
    number: int  # in the member
    length: float
    R: np.ndarray  # to the element's axes
    index: list  # rows
    K: np.ndarray
    M: np.ndarray
    q: np.ndarray  # load by length
    load: np.ndarray  # at its ends


def rows_of(case):
    """The first row of each node, those between the elements of members included."""
    rows = {n.name: 6 * i for i, n in enumerate(case.nodes)}
    for m in case.members:
        for k in range(1, m.elements):
            rows[f"{m.name}.{k}"] = 6 * len(rows)
    return rows


def piece(case, member, number, rows):
    G, E_, s = case.material["E"] / (2 * (1 + NU)), case.material["E"], member.section
    place = {n.name: n.p for n in case.nodes}
    along = (place[member.b] - place[member.a]) / member.elements
    L = np.linalg.norm(along)
    x = along / L
    y = member.y_axis - x * (x @ member.y_axis)
    y /= np.linalg.norm(y)
    R = np.vstack((x, y, np.cross(x, y)))
    mu = case.material["density"] * s["A"]
    k, mass = beam_matrices(L, E_ * s["A"], E_ * s["Iy"], E_ * s["Iz"], G * s["J"], mu,
                            case.material["density"] * (s["Iy"] + s["Iz"]))
    turn = np.kron(np.eye(4), R)
    ends = [member.a] + [f"{member.name}.{i}" for i in range(1, member.elements)] + [member.b]
    a, b = rows[ends[number]], rows[ends[number + 1]]
    q = mu * case.gravity + (0 if member.load is None else member.load)
    moment = L * L / 12 * np.cross(x, q)
    return Piece(member, number, L, R, list(range(a, a + 6)) + list(range(b, b + 6)), turn.T @ k @ turn, turn.T @ mass @ turn,
                 q, np.hstack((q * L / 2, moment, q * L / 2, -moment)))


def pieces_of(case):
    rows = rows_of(case)
    return [piece(case, m, k, rows) for m in case.members for k in range(m.elements)]


def assembled(case):
    """K, M, load vector of a linear space frame of Euler's beams, its free rows, and the row of each node."""
    rows, held = rows_of(case), []
    for n in case.nodes:
        if n.support:
            held += range(rows[n.name], rows[n.name] + (6 if n.support == "clamped" else 3))
    size = 6 * len(rows)
    K, M, f = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
    for p in pieces_of(case):
        K[np.ix_(p.index, p.index)] += p.K
        M[np.ix_(p.index, p.index)] += p.M
        f[p.index] += p.load
    for n in case.nodes:
        i = rows[n.name]
        M[i:i + 3, i:i + 3] += n.mass * np.eye(3)
        f[i:i + 3] += n.mass * case.gravity
        f[i:i + 3] += 0 if n.force is None else n.force
        f[i + 3:i + 6] += 0 if n.moment is None else n.moment
    free = [i for i in range(size) if i not in held]
    return K, M, f, free, rows


def check_statics(case):
    """Displacements in equilibrium and natural frequencies of a linear space frame without sliders."""
    case = replace(case, theory="linear", beam="euler", alpha=0.0, beta=0.0, sliders=[])
    K, M, f, free, rows = assembled(case)
    inside = np.ix_(free, free)
    u = np.zeros(len(f))
    u[free] = np.linalg.solve(K[inside], f[free])
    exact = np.sort(np.sqrt(np.abs(np.linalg.eigvals(np.linalg.solve(M[inside], K[inside])).real)))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "model.yaml").write_text(text(case))
        said, failure = runner.call(["equilibrium", "--json", "--quiet", "model.yaml"], folder)
        if failure:
            return [failure]
        linear, failure = runner.call(["linearize", "--json", "--quiet", "model.yaml"], folder)
        if failure:
            return [failure]
    out = []
    size = np.max(np.abs(u))
    for n in case.nodes:
        if n.support:
            continue
        got = np.array([said["coordinates"][f"frame.{n.name}.q{k}"] for k in range(1, 7)])
        error = np.max(np.abs(got - u[rows[n.name]:rows[n.name] + 6])) / size
        if not error < 1e-7:
            out.append(f"displacement of {n.name} differs by {error:.1e} of {size:.3g}")
    values = linear["methods"][0]["eigenvalues"]
    got = np.sort([e["im"] for e in values if e["im"] > 0])
    if len(got) != len(exact) or not np.max(np.abs(got - exact)) < 1e-7 * exact[-1]:
        out.append(f"frequencies differ: {got[:3]} instead of {exact[:3]}")
    return out


def check_seed(seed, names=None, count=None, excluded=()):
    """All failures of the frame of a seed."""
    alone = generate(seed)
    case = attached.attach(alone, seed)
    failures = []
    base, failure = run(case)
    if failure and buckling.is_too_heavy(case, failure):
        return []
    if failure:
        return [Failure(seed, "frame", "base", "", [failure], text(case))]
    if not case.plane:
        differences = check_statics(alone)
        if differences:
            failures.append(Failure(seed, "frame", "statics", "", differences, text(alone, False)))
    names = [n for n in names or TRANSFORMS if n in TRANSFORMS]
    chosen = [str(n) for n in rng_of(seed, "choice").permutation(names)[:count]]
    for name in chosen:
        if ("frame", name) in excluded:
            continue
        clothes = TRANSFORMS[name](case, rng_of(seed, name))
        got, failure = run(clothes.case)
        differences = [failure] if failure else compare(case, clothes, base, got)
        if "steps" in excluded:
            differences = [d for d in differences if " steps instead of " not in d]
        if differences:
            failures.append(Failure(seed, "frame", name, clothes.detail(), differences, text(clothes.case), text(case)))
    return failures
