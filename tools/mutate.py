#!/usr/bin/env python3
"""Makes small faulty changes in the C sources, one at a time, and lists those that no test detects.

    tools/mutate.py --seed 1 --count 50               changes drawn from all sources
    tools/mutate.py --files 'src/solve/*.c' --count 20
    tools/mutate.py --named                           the list in tools/mutations.py
    tools/mutate.py --seed 1 --count 50 --only-list   shows what would be changed
    tools/mutate.py --seed 1 --count 50 --near        runs the tests of the changed folder alone: quick, with more survivors

Works on a copy in build/mutate; the sources themselves are never changed. Each change is compiled with the tests that depend on it, and
tests run from quick to slow until one fails. A change that does not compile is drawn again. Exit code 1: something survived.
"""
import argparse
import collections
import fnmatch
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

from mutations import NAMED

ROOT = pathlib.Path(__file__).resolve().parents[1]
# A stage is a regular expression of test names; all of a folder's stages run before a change counts as survived.
# What is not there: the browser, growth that is measured, random mechanisms (minutes), installing.
WHOLE = r"^(test_.*|schema|cli_(usage|check|run|accuracy|estimate|equilibrium|linearize|modes|damping|control|structures|sweep|plot|report|guide))$"
ANALYSES = r"^test_(closed_forms|invariants|derivatives|algorithms|reactions|integrators|equilibrium|linear_.*|tables|joints)$"
STAGES = {
    "base": [r"^test_base_", r"^test_(describe|read|law)_|^test_bad_models$"],
    "math": [r"^test_math_", ANALYSES],
    "describe": [r"^test_(describe|mesh)_", r"^test_(read_|bad_models|semantics|defaults|tables)"],
    "mesh": [r"^test_mesh_", r"^test_(frame_.*|structures|matrices|semantics)$"],
    "read": [r"^test_(read_|bad_models)", r"^test_semantics$|^cli_(check|run)$"],
    "schema": [r"^test_schema", r"^(schema|cli_schema|cli_manual)$"],
    "model": [r"^test_(conform|tables|semantics)"],
    "compile": [r"^test_compile_|^test_(semantics|joints|sensors|structures|carriages)$", r"^test_(reactions|uniqueness|poses|linear_.*)$"],
    "system": [r"^test_(derivatives|structures|carriages|algorithms|reactions)$", r"^test_(placed|places|poses|steps|kinks|slider_motion|section_forces)$"],
    "law": [r"^test_law_", r"^test_(drives|feedback|kinks|closed_forms)$"],
    "tree": [r"^test_(deep_trees|joints|derivatives|algorithms|gimbal_lock)$", ANALYSES],
    "force": [r"^test_force_", r"^test_(derivatives|closed_forms|invariants|applied_forces|tables)$"],
    "fem": [r"^test_fem_", r"^test_(frame_.*|structures|slider_motion|carriages)$"],
    "solve": [r"^test_solve_", r"^test_(integrators|orders|certificate|error|steps|kinks|auto)$"],
    "linear": [r"^test_linear_", r"^test_(sparse_modes|frame_modes|modal_amplitude|start_mode)$"],
    "record": [r"^test_record_", r"^cli_(run|damping|plot)$"],
    "study": [r"^test_study"],
    "view": [r"^test_view_", r"^cli_(report|plot)$"],
}
Mutant = collections.namedtuple("Mutant", "file line kind old new")

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SIGNS = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
STATEMENT = re.compile(r"^\s+(?!return\b|break\b|continue\b|goto\b|case\b|default\b|else\b)"
                       r"(?:[\w.>\-\[\]]+(?:\[[^;=]*\])?\s*[-+*/|]?=\s*[^;=][^;]*|\w+\([^;]*\));$")
CHECK = re.compile(r"^(\s*(?:} else )?if )\((.*)\) {$")
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+)(?![\w.])")


def scaled(number):
    value = float(number)
    return "1.0" if value == 0.0 else repr(value * (100.0 if "e" in number else 1.5))


def mutate_line(text):
    """All single changes (kind, new text) of a line of C code; what is in comments and strings stays."""
    hidden = COMMENT_OR_TEXT.sub(lambda m: " " * len(m.group(0)), text)
    if hidden.lstrip().startswith("#") or not hidden.strip():
        return

    def replaced(match, by, group=1):
        return text[:match.start(group)] + by + text[match.end(group):]

    for match in re.finditer(r"(?<=[\w)\]] )([<>]=?|[!=]=)(?= )", hidden):
        yield "bound", replaced(match, BOUNDS[match.group(1)])
    for match in re.finditer(r"(?<=[\w)\]] )([-+]=?)(?= )", hidden):
        yield "sign", replaced(match, SIGNS[match.group(1)])
    for match in NUMBER.finditer(hidden):
        yield "constant", replaced(match, scaled(match.group(1)))
    match = CHECK.match(hidden.rstrip())
    if match:
        yield "dropped check", f"{match.group(1)}(false && ({text[match.start(2):match.end(2)]})) {{"
    if STATEMENT.match(hidden.rstrip()) and hidden.count("(") == hidden.count(")"):
        yield "removed statement", re.match(r"\s*", text).group(0) + ";"


def find_mutants(root, files):
    """Every possible change of these files, in order."""
    for file in files:
        for number, line in enumerate((root / file).read_text().splitlines(), 1):
            for kind, new in mutate_line(line):
                yield Mutant(file, number, kind, line, new)


def draw(mutants, seed):
    """The changes in an order that depends on the seed alone; kinds take turns, because bounds and signs are the most."""
    by_kind = collections.defaultdict(list)
    for m in mutants:
        by_kind[m.kind].append(m)
    random_of = random.Random(seed)
    for kind in sorted(by_kind):
        random_of.shuffle(by_kind[kind])
    while any(by_kind.values()):
        for kind in sorted(by_kind):
            if by_kind[kind]:
                yield by_kind[kind].pop()


def list_sources(root, patterns):
    names = subprocess.run(["git", "ls-files", "src/*.c", "apps/*.c"], cwd=root, check=True, capture_output=True, text=True).stdout.split()
    return [n for n in names if not patterns or any(fnmatch.fnmatch(n, p) for p in patterns)]


def find_named(root):
    for n in NAMED:
        text = (root / n.file).read_text()
        if text.count(n.old) != 1:
            raise SystemExit(f"mutate: '{n.name}': the text occurs {text.count(n.old)} times in {n.file}; correct tools/mutations.py")
        yield n, Mutant(n.file, text[:text.index(n.old)].count("\n") + 1, n.name, n.old, n.new)


class Workshop:
    """A copy of the tree with a build of its own."""

    def __init__(self, folder, jobs):
        self.tree, self.build, self.jobs = folder / "tree", folder / "tree/build/release", jobs
        self.trusted = set()  # tests that were seen to pass without any change
        self.copy()
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.tree), "CCACHE_NOHASHDIR": "1"}
        if shutil.which("ccache"):
            environment["CMAKE_C_COMPILER_LAUNCHER"] = "ccache"
        self.environment = environment
        self.must("cmake", "--preset", "release", "--log-level=WARNING")
        shown = json.loads(self.must("ctest", "--test-dir", self.build, "--show-only=json-v1"))["tests"]
        self.tests = [t["name"] for t in shown]
        targets = self.must("ninja", "-C", self.build, "-t", "targets", "all")
        self.targets = {line.split(":")[0] for line in targets.splitlines()}

    def copy(self):
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        for path in (p for p in self.tree.rglob("*") if p.is_file() and not p.is_relative_to(self.tree / "build")):
            if str(path.relative_to(self.tree)) not in names:
                path.unlink()
        for name in filter(None, names):
            source, target = ROOT / name, self.tree / name
            if source.is_file() and not (target.is_file() and target.read_bytes() == source.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    def call(self, *command):
        return subprocess.run([str(c) for c in command], cwd=self.tree, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")

    def must(self, *command):
        done = self.call(*command)
        if done.returncode:
            raise SystemExit(f"mutate: {' '.join(map(str, command))}:\n{done.stdout[-3000:]}")
        return done.stdout

    def chosen(self, stage):
        return [n for n in self.tests if re.search(stage, n)]

    def compile(self, names):
        """Builds what the tests need; the program where they are not programs of their own."""
        own = [n for n in names if n in self.targets]
        more = ["flyball", "print_schema", "guide_swing", "guide_build", "guide_sweep"] if len(own) < len(names) else []
        return self.call("cmake", "--build", self.build, "-j", self.jobs, "--target", *own, *more).returncode == 0

    def trust(self, name):
        """A test that noticed something must pass without it."""
        if name not in self.trusted:
            self.compile([name])
            if self.test(f"^{name}$"):
                raise SystemExit(f"mutate: {name} fails without any change, so that it says nothing")
            self.trusted.add(name)

    def test(self, stage, seconds=300):
        """The test that failed first, or None."""
        done = self.call("ctest", "--test-dir", self.build, "-R", stage, "-j", self.jobs, "--stop-on-failure", "--timeout", seconds)
        failed = re.search(r"Test +#\d+: (\S+) [.]*\W*(\*\*\*\w+|Failed|Subprocess aborted)", done.stdout)
        if done.returncode and not failed:
            return "ctest"
        return failed.group(1) if failed else None

    def try_mutant(self, mutant, stages, named=None):
        """'broken' (does not compile), the test that noticed it, or None (survived)."""
        path = self.tree / mutant.file
        text = path.read_text()
        if named:
            changed = text.replace(named.old, named.new)
        else:
            lines = text.split("\n")
            assert lines[mutant.line - 1] == mutant.old
            lines[mutant.line - 1] = mutant.new
            changed = "\n".join(lines)
        try:
            path.write_text(changed)
            for stage in stages:
                names = self.chosen(stage)
                if names and not self.compile(names):
                    return "broken"
                failed = self.test(stage) if names else None
                if failed:
                    return failed
        finally:
            path.write_text(text)
        return None


def stages_of(file, is_near=False):
    near = STAGES.get(file.split("/")[1], [])
    return near if is_near and near else [*near, WHOLE]


def describe(m):
    return f"{m.file}:{m.line}: {m.kind}\n    - {m.old.strip()}\n    + {m.new.strip()}"


def run(work, jobs_list, limit):
    """Tries the changes until `limit` of them have compiled; returns the survivors and the number of those that were noticed."""
    survivors, noticed = [], 0
    for mutant, stages, named in jobs_list:
        if noticed + len(survivors) >= limit:
            break
        started = time.monotonic()
        answer = work.try_mutant(mutant, stages, named)
        if answer not in (None, "broken", "ctest"):
            work.trust(answer)
        seconds = time.monotonic() - started
        if answer == "broken":
            if named:
                raise SystemExit(f"mutate: '{named.name}' does not compile")
            continue
        if answer is None:
            survivors.append(mutant)
        else:
            noticed += 1
        print(f"{'SURVIVED' if answer is None else 'noticed by ' + answer} ({seconds:.0f} s) {describe(mutant)}", flush=True)
    return survivors, noticed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--files", nargs="*", default=[], help="patterns of file names, for instance 'src/solve/*.c'")
    parser.add_argument("--named", action="store_true", help="the changes of tools/mutations.py instead of drawn ones")
    parser.add_argument("--only-list", action="store_true", help="show the changes, try none")
    parser.add_argument("--near", action="store_true", help="the tests of the changed folder alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/mutate", help="where the copy is")
    a = parser.parse_args()
    if a.named:
        jobs = [(m, [n.tests], n) for n, m in find_named(ROOT) if not a.files or any(fnmatch.fnmatch(n.file, f) for f in a.files)]
        limit = len(jobs)
    else:
        jobs = ((m, stages_of(m.file, a.near), None) for m in draw(find_mutants(ROOT, list_sources(ROOT, a.files)), a.seed))
        limit = a.count
    if a.only_list:
        for (mutant, _, _), _ in zip(jobs, range(limit)):
            print(describe(mutant))
        return 0
    work = Workshop(a.folder.resolve(), a.jobs)
    survivors, noticed = run(work, jobs, limit)
    print(f"\n{noticed} noticed, {len(survivors)} survived{'' if a.named else f' (seed {a.seed})'}")
    for m in sorted(survivors):
        print(describe(m))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
