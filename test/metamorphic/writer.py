"""Writes a mechanism as a model file, with the outputs that are compared."""
import json

import numpy as np

from joint_types import TYPES
from mechanism import GROUND, Coordinate, Frame, Point, Wave, bodies_of, coordinates_of, quaternion
from laws import Law
from oracle import Oracle


def numbers(u):
    return [float(x) for x in u]


class Writer:
    def __init__(self, mechanism):
        self.m = mechanism
        self.groups = mechanism.groups or {}
        self.inside = None  # the instance whose template is being written
        oracle = Oracle(mechanism)
        self.oracle, self.drawn = oracle, oracle.drawn()
        self.laws = {}  # name: definition

    # -- names and places as they are written where we are -------------------------------------------------------

    def joint_group(self, joint):
        groups = {self.groups.get(n) for n in (joint.a, joint.b) if n != GROUND}
        return groups.pop() if len(groups) == 1 else None

    def part_group(self, part):
        if part.fields.get("axes") == "ground":
            return None  # its components are along the ground's axes, which a template does not turn
        groups = {self.groups.get(n) for n in bodies_of(part, self.m) if n != GROUND}
        groups |= {self.joint_group(self.m.joint(c.joint)) for c in coordinates_of(part)}
        return groups.pop() if len(groups) == 1 else None

    def name(self, name, group):
        return name if group is None or group == self.inside else f"{group}.{name}"

    def body(self, name):
        return name if name == GROUND else self.name(name, self.groups.get(name))

    def joint(self, name):
        return self.name(name, self.joint_group(self.m.joint(name)))

    def frame(self):
        return self.m.placements[self.inside] if self.inside else Frame(np.zeros(3), np.eye(3))

    def place(self, p):
        f = self.frame()
        return numbers(f.R.T @ (p - f.p)) if self.inside else numbers(p)

    def direction(self, u):
        return numbers(self.frame().R.T @ u)

    def axes(self, R):
        return {"quaternion": numbers(quaternion(self.frame().R.T @ R))}

    def point(self, point):
        at = self.place(point.at) if point.body == GROUND else numbers(point.at)
        return {"body": self.body(point.body), "at": at}

    def on_body(self, body, u):
        """A direction in the axes of a body."""
        return self.direction(u) if body == GROUND else numbers(u)

    def frame_on(self, body, frame):
        """A frame of the drawing as one on a body."""
        base = self.m.frame_of(body)
        at, R = base.R.T @ (frame.p - base.p), base.R.T @ frame.R
        if body == GROUND:
            return {"body": GROUND, "at": self.place(frame.p), "orientation": self.axes(frame.R)}
        return {"body": self.body(body), "at": numbers(at), "orientation": {"quaternion": numbers(quaternion(R))}}

    def coordinate(self, c):
        count = TYPES[self.m.joint(c.joint).type].freedoms()
        return self.joint(c.joint) + (f".q{c.index + 1}" if count > 1 else "")

    # -- parts ---------------------------------------------------------------------------------------------------

    def write_body(self, b):
        i = b.inertia
        out = {"position": self.place(b.p), "orientation": self.axes(b.R), "mass": float(b.mass),
               "center": numbers(b.c),
               "inertia": numbers([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])}
        return out

    def write_joint(self, j):
        out = {"type": j.type}
        if j.style == "between":
            out |= {"between": [self.body(j.a), self.body(j.b)], "point": self.place(j.A.p),
                    "axis": self.direction(j.A.R[:, 2]), "x_axis": self.direction(j.A.R[:, 0])}
            if j.offset:
                out["offset"] = one_or_list(j.offset)
        else:
            out |= {"a": self.frame_on(j.a, j.A), "b": self.frame_on(j.b, j.B)}
        if j.type == "screw":
            out["pitch"] = float(j.pitch)
        if j.rates and any(j.rates):
            rates = self.oracle.joint_rates(self.drawn, j)[0]
            out["velocity"] = one_or_list([r if is_set else None for r, is_set in zip(rates, j.rates)])
        if j.is_set and TYPES[j.type].kinds:
            out["position"] = one_or_list([self.oracle.coordinate(self.drawn, Coordinate(j.name, k)).value
                                           for k in range(len(TYPES[j.type].kinds))])
        return out

    def write_part(self, part):
        out = {"type": part.type}
        for key, value in part.fields.items():
            if key in ("axis", "normal"):
                carrier = {"axis": "center" if part.type == "rolling" else
                           "line" if part.type == "point_on_line" else "relative_to", "normal": "plane"}[key]
                out[key] = self.on_body(part.fields[carrier].body, value)
            elif key in ("kink", "gap", "side", "dry"):
                continue
            elif key == "cubic":
                if part.cubic or part.kink or part.dry:
                    out["force" if part.type == "spring" else "torque"] = self.pull(part)
            elif isinstance(value, Point):
                out[key] = self.point(value)
            elif isinstance(value, Coordinate):
                out[key] = self.coordinate(value)
            elif isinstance(value, Law):
                out["law"] = self.law(value)
            elif isinstance(value, Wave):
                if part.type == "distance" and value.amplitude == 0.0:
                    out["length"] = float(value.mean)
                else:
                    out[key] = value.text()
            elif isinstance(value, tuple):
                out[key] = self.frame_on(*value)
            elif key == "body":
                out[key] = self.body(value)
            elif key == "terms":
                out[key] = {self.coordinate(c): float(f) for c, f in value}
            elif key == "value":
                out[key] = [self.text(w) for w in value]
            elif isinstance(value, (list, np.ndarray)):
                out[key] = numbers(value)
            else:
                out[key] = value if isinstance(value, str) else float(value)
        if part.type == "coupling" and part.value == Wave():
            del out["value"]
        return out

    def law(self, law):
        """The name of a law, which is written at the end."""
        name = f"law{len(self.laws)}"
        self.laws[name] = law.definition()
        return name

    def text(self, value):
        """A wave, a law or a sum of them as an expression."""
        if isinstance(value, Law):
            return self.law(value)
        if isinstance(value, Wave):
            return value.text()
        return " + ".join(f"({self.text(w)})" for w in value.waves) or "0"

    def pull(self, part):
        """What a spring has beyond stiffness and damping."""
        own = "length" if part.type == "spring" else "angle"
        beyond = f"({own} - {float(part.rest)!r})"
        terms = [f"{float(part.cubic)!r}*{beyond}^3"] if part.cubic else []
        if part.kink:
            terms.append(f"{float(part.side * part.kink)!r}*max(0, {float(part.side)!r}*{beyond} - {float(part.gap)!r})")
        if part.dry:
            terms.append(f"{float(part.dry)!r}*sign(rate)")
        return " + ".join(terms)

    def sections(self, group):
        self.inside = group
        m = self.m
        out = {
            "bodies": {b.name: self.write_body(b) for b in m.bodies if self.groups.get(b.name) == group},
            "joints": {j.name: self.write_joint(j) for j in m.joints if self.joint_group(j) == group},
            "constraints": {c.name: self.write_part(c) for c in m.constraints if self.part_group(c) == group},
            "forces": {f.name: self.write_part(f) for f in m.forces if self.part_group(f) == group},
        }
        self.inside = None
        return {k: v for k, v in out.items() if v}

    def outputs(self):
        out = {}
        for i, b in enumerate(self.m.bodies):
            name = self.body(b.name)
            point = {"body": name, "at": numbers(b.c)}
            out[f"p{i}"] = {"type": "position", "point": point}
            out[f"q{i}"] = {"type": "orientation", "body": name}
            out[f"v{i}"] = {"type": "velocity", "point": point}
            out[f"w{i}"] = {"type": "angular_velocity", "body": name}
            out[f"a{i}"] = {"type": "acceleration", "point": point}
            out[f"z{i}"] = {"type": "angular_acceleration", "body": name}
        for i, j in enumerate(self.m.joints):
            out[f"F{i}"] = {"type": "reaction", "joint": self.joint(j.name)}
            out[f"T{i}"] = {"type": "reaction_torque", "joint": self.joint(j.name)}
            count = len(TYPES[j.type].kinds)
            for k in range(count):
                name = self.coordinate(Coordinate(j.name, k))
                out[f"c{i}_{k}"] = {"type": "expression", "value": name + (".q" if count == 1 else "")}
        out["kinetic"] = {"type": "kinetic_energy"}
        return out

    def model(self, samples):
        m = self.m
        out = {"flyball": 1, "name": m.name, "title": m.family or m.name, "gravity": numbers(m.gravity)}
        for key, value in self.sections(None).items():
            out[key] = value
        instances = sorted(set(self.groups.values()))
        if instances:
            out["templates"] = {f"{g}_drawing": self.sections(g) for g in instances}
            out["instances"] = {g: {"template": f"{g}_drawing", "position": numbers(m.placements[g].p),
                                    "orientation": {"quaternion": numbers(quaternion(m.placements[g].R))}}
                                for g in instances}
        if self.laws:
            out["laws"] = self.laws
        out["outputs"] = self.outputs()
        out["simulation"] = {"duration": float(m.duration), "sample": float(m.duration) / samples,
                             "integrator": m.integrator}
        return out


def one_or_list(values):
    values = [None if v is None else float(v) for v in values]
    return values[0] if len(values) == 1 else values


def layout(value, depth=0):
    """Block style down to single parts, which are one line of JSON each."""
    lines = []
    for key, item in value.items():
        pad = "  " * depth
        deep = isinstance(item, dict) and item and all(isinstance(v, dict) for v in item.values())
        if deep and depth < 4:
            lines += [f"{pad}{key}:"] + layout(item, depth + 1)
        else:
            lines.append(f"{pad}{key}: {json.dumps(item)}")
    return lines


def model_text(mechanism, samples=4):
    return "\n".join(layout(Writer(mechanism).model(samples))) + "\n"
