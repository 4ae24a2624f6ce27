"""Runs the program on a mechanism and reads back what it recorded of each body and joint."""
import csv
import json
import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass, field

import numpy as np

from joint_types import TYPES
from writer import model_text

FLYBALL = os.path.abspath(os.environ.get("FLYBALL", "build/release/bin/flyball"))
TIMEOUT = 20  # s, for one run of a mechanism that takes milliseconds


@dataclass
class Result:
    """What the program said of a mechanism, or why not."""
    failure: str = None
    freedoms: int = None
    redundant: int = None
    dropped: list = None  # (part, row) of each redundant row
    not_unique: set = None  # names of the outputs that one choice of many is recorded of
    warnings: list = field(default_factory=list)
    steps: int = None
    integrator: str = None
    energy_balance: float = 0.0
    t: np.ndarray = None
    bodies: dict = None  # name: {"p", "q", "v", "w", "a", "z"} of [samples, 3 or 4]
    joints: dict = None  # name: [samples, 6] force and torque
    coordinates: dict = None  # name: [samples, n]
    kinetic: np.ndarray = None


def call(arguments, folder):
    try:
        done = subprocess.run([FLYBALL, *arguments], cwd=folder, text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return None, f"{arguments[0]}: still running after {TIMEOUT} s"
    if done.returncode != 0:
        lines = [l for l in done.stderr.splitlines() if l.strip()]
        errors = [l for l in lines if "error" in l or "stopped" in l] or lines[:1] or ["no message"]
        return None, f"{arguments[0]}: exit {done.returncode}: " + "; ".join(errors)[:600]
    return json.loads(done.stdout), None


def run(mechanism, text=None, with_check=True, options=()):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.yaml"
        path.write_text(text or model_text(mechanism))
        result = Result()
        if with_check:
            said, result.failure = call(["check", "--json", "--quiet", "model.yaml"], folder)
            if result.failure:
                return result
            result.freedoms = said["degrees_of_freedom"]
            result.redundant = sum(r["n_rows"] for r in said["redundant"])
            result.dropped = [(r["part"], row) for r in said["redundant"] for row in r["rows"].split(", ")]
            result.not_unique = set(said["not_unique"])
        said, result.failure = call(["run", "--json", "--quiet", *options, "-o", ".", "model.yaml"], folder)
        if result.failure:
            return result
        result.warnings = said["warnings"]
        result.steps, result.integrator = said["steps"], said["integrator"]
        result.energy_balance = said["energy_balance"]
        read_table(result, mechanism, pathlib.Path(folder) / pathlib.Path(said["csv"]).name)
        return result


def read_table(result, mechanism, path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    names = [cell.split(" ")[0] for cell in rows[0]]
    values = np.array([[float(x) for x in row] for row in rows[1:]])
    column = {n: values[:, k] for k, n in enumerate(names)}
    vector = lambda n: np.column_stack([column[f"{n}.{k}"] for k in "xyz"])
    result.t = column["t"]
    result.bodies, result.joints, result.coordinates = {}, {}, {}
    for i, b in enumerate(mechanism.bodies):
        result.bodies[b.name] = {k: vector(f"{k}{i}") for k in "pvwaz"}
        result.bodies[b.name]["q"] = np.column_stack([column[f"q{i}.{k}"] for k in "wxyz"])
    for i, j in enumerate(mechanism.joints):
        result.joints[j.name] = np.hstack((vector(f"F{i}"), vector(f"T{i}")))
        result.coordinates[j.name] = np.array([column[f"c{i}_{k}"] for k in range(len(TYPES[j.type].kinds))]).T
    result.kinetic = column["kinetic"]


def eigenvalues(mechanism):
    """Of small motions about the drawing, with their classes; or why not."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.yaml"
        path.write_text(model_text(mechanism))
        said, failure = call(["linearize", "--at", "initial", "--json", "--quiet", "model.yaml"], folder)
        if failure:
            return None, failure
        values = said["methods"][0]["eigenvalues"]
        return np.array([complex(e["re"], e["im"]) for e in values if not e["infinite"]]), None
