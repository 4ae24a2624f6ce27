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
