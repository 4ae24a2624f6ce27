#!/usr/bin/env python3
"""Runs every model and benchmark case with two builds of the program and compares their tables byte by byte.

    tools/check_bits.py build/release/bin/flyball build/asan/bin/flyball

Compilers, optimisation and sanitizers must not change a digit (docs/reliability.md). Loose tolerances show that as well as tight ones, and take
less time. Exit code 1: some table differs, or one build alone ends with an error.
"""
import concurrent.futures
import filecmp
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SECONDS = 120  # a run that takes longer is left out, and said to be


def list_models():
    files = sorted(ROOT.glob("models/*.yaml")) + sorted(ROOT.glob("bench/cases/*/*.yaml"))
    return [f for f in files if f.read_text().startswith("flyball:") or "\nflyball:" in f.read_text()]


def run(program, model, folder):
    """The exit code, or None where it took too long; the table is the CSV file in the folder."""
    command = [program, "run", str(model), "--quiet", "--rtol", "1e-3", "-o", str(folder)]
    try:
        return subprocess.run(command, cwd=folder, timeout=SECONDS, capture_output=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}).returncode
    except subprocess.TimeoutExpired:
        return None


def compare(programs, model):
    with tempfile.TemporaryDirectory() as top:
        folders = [pathlib.Path(top) / str(i) for i in range(2)]
        for f in folders:
            f.mkdir()
        codes = [run(p, model, f) for p, f in zip(programs, folders)]
        if None in codes:
            return "left out"
        tables = [sorted(f.glob("*.csv")) for f in folders]
        if codes[0] != codes[1] or [t.name for t in tables[0]] != [t.name for t in tables[1]]:
            return "differs"
        if not tables[0]:
            return "no table"
        return "same" if all(filecmp.cmp(a, b, shallow=False) for a, b in zip(*tables)) else "differs"


def main():
    programs = [str(pathlib.Path(p).resolve()) for p in sys.argv[1:]]
    if len(programs) != 2:
        raise SystemExit(__doc__)
    models = list_models()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda m: compare(programs, m), models))
    for model, result in zip(models, results):
        if result != "same":
            print(f"{result}: {model.relative_to(ROOT)}")
    print(f"{results.count('same')} of {len(models)} tables have the same bits")
    return 1 if "differs" in results or results.count("same") < len(models) / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
