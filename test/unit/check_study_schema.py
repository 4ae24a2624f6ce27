#!/usr/bin/env python3
"""Checks that the schema of study files is valid, accepts all shipped studies and rejects broken ones."""
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

STUDY = """
flyball_study: 1
name: all_keys
title: Everything once
model: m.yaml
set: {m: 3 kg, L: 2*pi}
simulation: {duration: 10 s, sample: 0.1, rtol: 1e-7, atol: 1e-9, max_step: 0.1, integrator: radau}
parameters:
  a: [1, 2 mm, "3*k"]
  b: {from: 0, to: 30 deg, n: 5, scale: log, start: 0.1}
  c: {distribution: uniform, from: 1, to: 2}
  d: {distribution: normal, mean: 1, deviation: 0.1}
  e: {distribution: lognormal, mean: 1, deviation: 0.1}
  f: {distribution: triangular, from: 1, mode: 2, to: 3}
  g: {distribution: choice, values: [1, 2], weights: [1, 3]}
samples: {method: saltelli, n: 64, seed: 3}
modes: {at: equilibrium, track: false, steady: {spin: 2*a}}
measures:
  end: {output: x, of: final, from: 1, to: 2 s}
  z: {output: x, of: damping, cycles: 3, about: 0.1}
  f: {modes: 4, of: frequency}
  s: {mode: 1, of: eigenvalue}
  growth: {of: growth_rate}
  rest: {output: x, of: equilibrium}
  twice: 2*end
constraints: ["end <= 3", "z >= 0.1*a"]
objective: {maximize: end}
optimize: {algorithm: subplex, evaluations: 30, xtol: 1e-3, ftol: 0, step: 0.1, starts: 3, seed: 0}
slurm: {tasks: 4, time: "1:00:00", setup: [module load flyball]}
"""

# Where a good study is changed, and into what (None: removed); each must be rejected.
MISTAKES = [
    (["flyball_study"], None),
    (["flyball_study"], 2),
    (["model"], None),
    (["measures"], None),
    (["measures"], {}),
    (["parameters"], {}),
    (["measure"], {}),
    (["simulation", "durations"], 3),
    (["simulation", "rtol"], 0),
    (["parameters", "a"], []),
    (["parameters", "a"], "1"),
    (["parameters", "b", "to"], None),
    (["parameters", "b", "scale"], "logarithmic"),
    (["parameters", "b", "n"], 0),
    (["parameters", "c", "mean"], 0),
    (["parameters", "d", "distribution"], "gauss"),
    (["parameters", "d", "deviation"], None),
    (["parameters", "f", "mode"], None),
    (["parameters", "g", "values"], []),
    (["samples", "method"], "sobel"),
    (["samples", "n"], None),
    (["samples", "n"], 0),
    (["samples", "seed"], -1),
    (["modes", "at"], "rest"),
    (["modes", "steady"], [1]),
    (["modes", "stedy"], {}),
    (["measures", "end", "of"], "finale"),
    (["measures", "end", "of"], None),
    (["measures", "f", "modes"], 0),
    (["measures", "z", "cycle"], 3),
    (["measures", "twice"], []),
    (["constraints", 0], "end < 3"),
    (["constraints"], "end <= 3"),
    (["objective"], {}),
    (["objective", "minimize"], "end"),
    (["optimize", "algorithm"], "simplex"),
    (["slurm", "tasks"], 0),
]


def load(text):
    return json.loads(json.dumps(yaml.safe_load(text), default=str))


def change(study, path, value):
    broken = copy.deepcopy(study)
    place = broken
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return broken


def main():
    printer, root = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads(subprocess.run([printer, "--study"], capture_output=True, check=True, text=True).stdout)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    files = [p for p in sorted(root.glob("docs/**/*.yaml")) + sorted(root.glob("bench/**/*.yaml")) + sorted(root.glob("test/**/*.study.yaml"))
             if p.read_text().startswith("flyball_study") or "\nflyball_study" in p.read_text()]
    problems = [] if len(files) > 12 else [f"only {len(files)} studies were found"]
    for path in files:
        problems += [f"{path}: {'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in validator.iter_errors(load(path.read_text()))]
    good = load(STUDY)
    problems += [f"all keys: {'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in validator.iter_errors(good)]
    missing = set(schema["properties"]) - set(good)
    problems += [f"the study with all keys has no {key}" for key in sorted(missing)]
    problems += [f"'{key}' says nothing of its value" for key, value in schema["properties"].items() if len(value) < 2]
    for path, value in MISTAKES:
        if validator.is_valid(change(good, path, value)):
            problems.append(f"accepted although wrong: {path} = {value}")
    print("\n".join(problems) or f"{len(files)} studies and {len(MISTAKES)} mistakes checked")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
