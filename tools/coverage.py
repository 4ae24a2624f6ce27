#!/usr/bin/env python3
"""Prints how much of each folder of src/ and apps/ the tests of an instrumented build have run, by gcov.

    coverage.py BUILD_DIR

Counts lines and branches of every object of the build that has run; headers are counted where they are first seen.
"""
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def read_counts(notes):
    """For each source of the project the counts of its lines and branches in one object file."""
    counts = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcov", "--json-format", "--branch-probabilities", str(notes)], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in pathlib.Path(folder).glob("*.gz"):
            with gzip.open(path) as stream:
                document = json.load(stream)
            for file in document["files"]:
                name = os.path.relpath(os.path.join(document["current_working_directory"], file["file"]), ROOT)
                if name.startswith(("src/", "apps/")):
                    for line in file["lines"]:
                        branches = [b["count"] for b in line["branches"]]
                        counts[name][line["line_number"]] = (line["count"], branches)
    return counts


def merge(total, counts):
    for name, lines in counts.items():
        for number, (count, branches) in lines.items():
            old_count, old = total[name].get(number, (0, []))
            longer = branches if len(branches) >= len(old) else old
            both = [a + b for a, b in zip(branches, old)] if len(branches) == len(old) else longer
            total[name][number] = (old_count + count, both)


def share(part, whole):
    return f"{100.0 * part / whole:5.1f} %" if whole else "    -  "


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    notes = sorted(build.rglob("*.gcno"))  # some tests compile sources of their own
    total = collections.defaultdict(dict)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for counts in pool.map(read_counts, notes):
            merge(total, counts)
    if not total:
        print(f"no coverage in {build}: build it with --coverage (the preset asan does) and run the tests")
        return 1
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    for name, lines in total.items():
        for key in ("/".join(name.split("/")[:2]), "all"):
            sums = folders[key]
            sums[0] += sum(count > 0 for count, _ in lines.values())
            sums[1] += len(lines)
            sums[2] += sum(b > 0 for _, branches in lines.values() for b in branches)
            sums[3] += sum(len(branches) for _, branches in lines.values())
    print(f"{'coverage':<16}{'lines':>16}{'branches':>12}")
    for name in sorted(folders, key=lambda n: (n == "all", n)):
        hit, lines, taken, branches = folders[name]
        print(f"{name:<16}{share(hit, lines):>8} {f'of {lines}':>9}{share(taken, branches):>10}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
