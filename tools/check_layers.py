#!/usr/bin/env python3
"""Checks that src/, apps/ and include/ include only what they may look at, and third-party headers only where they belong."""
import pathlib
import re
import sys

# Each line may look at the lines above it; folders of one line never look at each other.
LAYERS = [
    ["base"],
    ["math"],
    ["describe", "fem"],
    ["mesh"],
    ["read", "schema"],
    ["law"],
    ["tree", "force"],
    ["model"],
    ["system"],
    ["compile"],
    ["solve"],
    ["linear", "record"],
    ["study", "view"],
]
# The program is built on the public headers, the tools of src/base, and these files alone: writers of its own documents, the reports of cases
# (references, measures and the index), and spectra with their names.
APP_MAY_INCLUDE = {"base"}
APP_MAY_INCLUDE_FILES = {"math/blas.h", "read/read.h", "record/csv.h", "record/file.h", "record/format.h", "record/json_pair.h", "record/run_document.h",
                         "record/run_file.h", "record/reduced_files.h", "math/reducer.h", "view/index.h", "view/methods.h", "view/thumbnail.h",
                         "linear/spectrum.h", "solve/estimate.h", "solve/stream.h", "study/bench_bytes.h", "study/bench_measure.h", "study/bench_run.h", "study/ranks.h", "study/share.h", "study/slurm.h",
                         "study/sensitivity.h", "study/study.h", "study/sweep.h", "view/page.h", "view/plane.h"}
# Each third-party library is used in one folder only.
THIRD_PARTY = {
    r"libfyaml\.h": "read",
    r"(suitesparse/)?(klu|btf|amd|colamd)\.h": "math",
    r"(lapacke|cblas)\.h": "math",
    r"(arpack/)?arpack\.h": "linear",
    r"nlopt\.h": "study",
    r"mpi\.h": "study",
    r"(petsc|slepc)\w*\.h": "math",
    r"(cvode|nvector|sunmatrix|sunlinsol|sunnonlinsol|sundials)/.*": "solve",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def rank_of(folder):
    for rank, names in enumerate(LAYERS):
        if folder in names:
            return rank
    return None


def find_problem(folder, target):
    """Why a file of src/<folder> (or "apps") may not include "target"; None if it may."""
    other = target.split("/")[0]
    if folder == "include":
        return None if other == "flyball" else "public headers include public headers alone"
    if "/" not in target or other in (folder, "flyball") or rank_of(other) is None:
        return None
    if folder == "apps":
        allowed = other in APP_MAY_INCLUDE or target in APP_MAY_INCLUDE_FILES
        return None if allowed else "the program uses the public headers, src/base and APP_MAY_INCLUDE_FILES of tools/check_layers.py"
    if rank_of(folder) is None:
        return f"folder {folder} has no place in tools/check_layers.py"
    if rank_of(other) >= rank_of(folder):
        return f"{folder} must not look at {other}"
    return None


def find_third_party_problem(folder, target):
    for pattern, home in THIRD_PARTY.items():
        if re.fullmatch(pattern, target) and folder != home:
            return f"<{target}> belongs to src/{home}"
    return None


def check_file(path, folder):
    problems = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(2)
        problem = find_third_party_problem(folder, target)
        if problem is None and match.group(1) == '"':
            problem = find_problem(folder, target)
        if problem:
            problems.append(f"{path}:{number}: {problem}")
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    files = [(f, f.relative_to(root / "src").parts[0]) for f in sorted((root / "src").rglob("*.[ch]"))]
    files += [(f, "apps") for f in sorted((root / "apps").rglob("*.[ch]"))]
    files += [(f, "include") for f in sorted((root / "include").rglob("*.h"))]
    problems = [p for path, folder in files for p in check_file(path, folder)]
    print("\n".join(problems) if problems else f"{len(files)} files look only upward")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
