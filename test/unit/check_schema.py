#!/usr/bin/env python3
"""Checks that the schema is valid JSON Schema 2020-12, accepts all shipped models and rejects broken ones."""
import copy
import json
import pathlib
import subprocess
import sys

try:
    import yaml
    from jsonschema import Draft202012Validator
except ImportError as missing:
    print(f"skipped: {missing}; install python3-jsonschema and python3-yaml to run this test")
    sys.exit(77)

PENDULUM = """
flyball: 1
gravity: [0, 0, -9.81 m/s^2]
bodies:
  rod: {position: [0, 0, 1], shapes: [{type: rod, from: [0, 0, 0], to: [1, 0, 0], mass: 1 kg}], points: {tip: [1, 0, 0]}}
joints:
  pin: {type: revolute, between: [ground, rod], axis: [0, 1, 0], velocity: 2*pi}
  end: {type: revolute, a: rod.tip, b: {body: ground, at: [0, 0, 0], z: [0, 1, 0]}, position: [null]}
forces: {s: {type: spring, a: rod.tip, b: ground, stiffness: 5}}
outputs: {angle: pin.q, tip: {type: position, point: rod.tip}}
repeat: [{for: i, from: 0, to: 3, bodies: {"V{i}": {mass: i}}}]
templates: {t1: {parameters: {L: 1}, bodies: {b: {mass: L}}}}
instances: {w: {template: t1, position: [1, 0, 0]}}
simulation: {duration: 10, sample: 0.1}
materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850}}
sections: {bar: {type: rectangle, material: steel, width: 20 mm, height: 0.04}}
structures:
  frame:
    plane: xy
    damping: {ratio: 0.02, between: [2 Hz, 10 Hz]}
    nodes:
      A: [0, 0]
      B: {at: [0, 3, 0], support: clamped, force: [1, "sin(t)", 0], stiffness: [1, 2], displacement: [0.1]}
    members:
      left: {from: A, to: B, section: bar, elements: 4, hinge: both, stations: {mid: 0.5, top: {at: 0.9, mass: 2}}}
    repeat: {for: i, from: 1, to: 2, nodes: {"N{i}": [i, 0]}, members: {"m{i}": {from: A, to: "N{i}", section: bar}}}
sliders:
  m1: {guide: frame.left, mass: 1, theory: form_1a, value: "2 + sin(t)"}
  m2: {guide: [frame.left, frame.m1], mass: 1, free: true, position: 0.5}
  m3: {body: rod, points: [[0, 0, 0], [1, 0, 0]], mass: 1, law: reel}
"""


def load(text):
    # Through JSON, so that keys are texts as JSON has them.
    return json.loads(json.dumps(yaml.safe_load(text), default=str))


def set_in(model, path, value):
    broken = copy.deepcopy(model)
    place = broken
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return broken


# Where a good model is changed, and into what (None: removed); each must be rejected.
MISTAKES = [
    (["flyball"], None),
    (["flyball"], 2),
    (["bodys"], {}),
    (["gravity"], [0, 1]),
    (["gravity"], 9.81),
    (["bodies", "rod", "mas"], 1),
    (["bodies", "rod", "mass"], -1),
    (["bodies", "rod", "shapes", 0, "type"], "cone"),
    (["bodies", "rod", "shapes", 0, "radius"], 1),
    (["bodies", "rod", "shapes", 0, "to"], None),
    (["bodies", "2rod"], {}),
    (["joints", "pin", "type"], "revolut"),
    (["joints", "pin", "type"], None),
    (["joints", "pin", "between"], None),
    (["joints", "pin", "between"], ["ground"]),
    (["joints", "pin", "a"], "rod"),
    (["joints", "pin", "pitch"], 1),
    (["joints", "end", "b", "zz"], [0, 0, 1]),
    (["forces", "s", "a"], None),
    (["forces", "s", "stiffness"], [1]),
    (["outputs", "tip", "point"], None),
    (["outputs", "angle"], []),
    (["repeat", 0, "to"], None),
    (["repeat", 0, "boddies"], {}),
    (["templates", "t1", "gravity"], [0, 0, 1]),
    (["instances", "w", "template"], None),
    (["simulation", "duration"], -1),
    (["simulation", "rtol"], 0),
    (["materials", "steel", "E"], None),
    (["materials", "steel", "density"], -1),
    (["sections", "bar", "material"], None),
    (["sections", "bar", "radius"], 1),
    (["sections", "bar", "type"], "squar"),
    (["structures", "frame", "plane"], "zx"),
    (["structures", "frame", "stiff"], 1),
    (["structures", "frame", "damping", "between"], [1]),
    (["structures", "frame", "nodes", "A"], [0]),
    (["structures", "frame", "nodes", "B", "at"], None),
    (["structures", "frame", "nodes", "B", "support"], "clampd"),
    (["structures", "frame", "nodes", "B", "stiffness"], 5),
    (["structures", "frame", "members", "left", "section"], None),
    (["structures", "frame", "members", "left", "elements"], 0),
    (["structures", "frame", "members", "left", "hinge"], "start"),
    (["structures", "frame", "members", "left", "stations", "top", "at"], None),
    (["structures", "frame", "repeat", "to"], None),
    (["structures", "frame", "repeat", "bodies"], {}),
    (["sliders", "m1", "guide"], []),
    (["sliders", "m1", "theory"], "form_2"),
    (["sliders", "m1", "mass"], None),
    (["sliders", "m3", "points"], [[0, 0]]),
]


def main():
    printer, root = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads(subprocess.run([printer], capture_output=True, check=True, text=True).stdout)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    problems = []

    models = sorted(root.glob("models/**/*.yaml")) + sorted(root.glob("bench/cases/**/model.yaml"))
    for path in models:
        for error in validator.iter_errors(load(path.read_text())):
            problems.append(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    good = load(PENDULUM)
    problems += [f"pendulum: {e.message[:300]}" for e in validator.iter_errors(good)]
    for path, value in MISTAKES:
        if validator.is_valid(set_in(good, path, value)):
            problems.append(f"accepted although wrong: {path} = {value}")

    print("\n".join(problems) or f"{len(models)} models and {len(MISTAKES)} mistakes checked")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
