"""Programs that are killed at random moments: nothing is lost, nothing is half a file, and what is continued ends as if it had not been disturbed.

    FLYBALL=build/release/bin/flyball FLYBALL_SOURCE=. python3 test/cli/test_kills.py --kills 200 --seed 1

runs any number of kills and prints a summary; `make test` runs a few of them."""
import argparse
import collections
import csv
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

FLYBALL = os.environ["FLYBALL"]
SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

# Files beside the test: an absorber whose parameters are swept and searched.
FOLDER = pathlib.Path(__file__).parent / "kills"

# Model, settings: a chain and a loop, dry friction with events, a structure with a slider, fixed steps, a method without a saved state.
RUNS = [
    ("models/double_pendulum.yaml", ["--duration", "400"]),
    ("models/governor.yaml", ["--duration", "300", "--sample", "1e-2"]),
    ("models/fourbar.yaml", ["--duration", "2000"]),
    ("models/windows.yaml", ["--duration", "20", "--sample", "1e-3"]),
    ("bench/auto/friction.yaml", ["--duration", "40", "--sample", "1e-3"]),
    ("models/reeled_pendulum.yaml", ["--duration", "2000", "--integrator", "dop853"]),
    ("models/cart_pole.yaml", ["--duration", "60", "--step", "2e-4"]),
    ("models/double_pendulum.yaml", ["--duration", "50", "--integrator", "bdf"]),
]


class Failure(AssertionError):
    pass


def check(is_true, text):
    if not is_true:
        raise Failure(text)


class Killer:
    """Starts a command again and again, ends it at random moments, and counts what it did."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.folder = None

    def command(self, *arguments):
        return [FLYBALL, *map(str, arguments)]

    def finish(self, *arguments):
        done = subprocess.run(self.command(*arguments), cwd=self.folder, capture_output=True, text=True, timeout=300)
        check(done.returncode == 0, f"{arguments}: {done.returncode}: {done.stderr}")
        return done

    def strike(self, longest, *arguments):
        """Runs the command, ended after a random time; True: it had finished before."""
        number = self.random.choice(SIGNALS)
        process = subprocess.Popen(self.command(*arguments), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, text = process.communicate(timeout=self.random.uniform(0.0, longest))
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            _, text = process.communicate(timeout=100)
        if process.returncode in (0, 5):
            return True
        # Before main() has begun, a signal simply ends a program.
        check(process.returncode in (130, -number), f"{arguments} after {number.name}: {process.returncode}: {text}")
        self.counts[number.name] += 1
        self.counts[arguments[0]] += 1
        return False

    def kills(self):
        return sum(self.counts[s.name] for s in set(SIGNALS))


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def check_results(killer, stem, reference):
    """What a run leaves: whole rows that are those of the undisturbed run, and no document of another table."""
    table, document, part = (killer.folder / f"{stem}{e}" for e in (".csv", ".json", ".csv.part"))
    if part.exists():
        killer.counts["parts"] += 1
        text = part.read_text()
        lines = text[:text.rfind("\n") + 1].splitlines()
        check(len(lines) >= 2, f"{part} has no row")
        # The last row may be that of the moment at which the run was interrupted.
        check(lines[:-1] == reference[:len(lines) - 1], f"{part}: rows differ from those of the undisturbed run")
        answer = subprocess.run(killer.command("plot", part), cwd=killer.folder, capture_output=True, text=True, timeout=100)
        check(answer.returncode == 0, f"{part} cannot be read: {answer.stderr}")
    if document.exists():
        said = json.loads(document.read_text())
        digest = hashlib.sha256(table.read_bytes()).hexdigest()
        check(said["csv_sha256"] == digest, f"{document} describes another table")
        check(said["samples"] == len(read_rows(table)) - 1, f"{document} counts other rows")


def kill_run(killer, index, longest=0.5, most=25):
    model, settings = RUNS[index % len(RUNS)]
    name = pathlib.Path(model).stem
    arguments = ["run", SOURCE / model, *settings, "--no-error-estimate", "--checkpoint", "0.02"]
    begun = time.time()
    killer.finish(*arguments, "-o", "whole", "-q")
    longest = min(longest, 0.7 * (time.time() - begun))
    stem = next((killer.folder / "whole").glob("*.csv")).stem
    reference = (killer.folder / f"whole/{stem}.csv").read_text().splitlines()
    if killer.random.random() < 0.5:  # an old, complete result of other settings
        killer.finish("run", SOURCE / model, "--duration", "1e-2", "-o", "out", "-q")
        old = (killer.folder / f"out/{stem}.csv").read_bytes()
    else:
        old = None
    for _ in range(most):
        if killer.strike(longest, *arguments, "-o", "out", "--resume"):
            break
        check_results(killer, f"out/{stem}", reference)
        table = killer.folder / f"out/{stem}.csv"
        check(old is None or table.read_bytes() in (old, (killer.folder / f"whole/{stem}.csv").read_bytes()),
              "an old result was replaced by an unfinished one")
    else:
        killer.finish(*arguments, "-o", "out", "--resume")
    check((killer.folder / f"out/{stem}.csv").read_text().splitlines() == reference, f"{name}: the continued run has other rows")
    left = sorted(p.name for p in (killer.folder / "out").iterdir())
    check(left == [f"{stem}.csv", f"{stem}.json"], f"files were left over: {left}")
    check_results(killer, f"out/{stem}", reference)
    killer.counts["runs finished"] += 1


def table_without_times(path):
    rows = read_rows(path)
    skipped = {rows[0].index(n) for n in ("wall [s]",)}
    return [[cell for i, cell in enumerate(row) if i not in skipped] for row in rows]


def kill_study(killer, command, longest=0.4, most=25):
    study = FOLDER / f"{command}.study.yaml"
    killer.finish(command, study, "-o", "whole.csv", "-q")
    for _ in range(most):
        if killer.strike(longest, command, study, "-o", "table.csv", "--jobs", "2"):
            break
        table = killer.folder / "table.csv"
        if table.exists() and table.stat().st_size > 0:
            whole = table.read_text()[:table.read_text().rfind("\n") + 1]
            check(len({len(row) for row in csv.reader(whole.splitlines())}) <= 1, "the table has rows of several lengths")
    else:
        killer.finish(command, study, "-o", "table.csv")
    check(table_without_times(killer.folder / "table.csv") == table_without_times(killer.folder / "whole.csv"), f"{command}: another table")
    killer.counts["studies finished"] += 1


def kill_bench(killer, longest=0.6, most=6):
    arguments = ["bench", "a01", "a02-n2", "a03", "fourbar", "-o", "bench.csv"]
    killer.finish(*arguments)
    old = (killer.folder / "bench.csv").read_bytes()
    for _ in range(most):
        if killer.strike(longest, *arguments):
            old = (killer.folder / "bench.csv").read_bytes()
        check((killer.folder / "bench.csv").read_bytes() == old, "an old table was replaced by an unfinished one")
        part = killer.folder / "bench.csv.part"
        if part.exists():
            check(len({len(row) for row in read_rows(part)}) == 1, "the table of finished cases is not whole")


def kill_report(killer, longest=0.05, most=8):
    model = SOURCE / "models/double_pendulum.yaml"
    killer.finish("run", model, "--duration", "100", "--poses", "-o", "motion", "-q")
    stem = next((killer.folder / "motion").glob("*.csv")).stem
    for _ in range(most):
        killer.strike(longest, "report", f"motion/{stem}", "-o", "page.html")
        page = killer.folder / "page.html"
        check(not page.exists() or page.read_text().rstrip().endswith("</html>"), "half a report")
    killer.finish("report", f"motion/{stem}", "-o", "page.html")


def soak(kills, seed, show=print):
    killer = Killer(seed)
    index = 0
    while killer.kills() < kills:
        with tempfile.TemporaryDirectory() as folder:
            killer.folder = pathlib.Path(folder)
            kind = index % 6
            if kind < 3:
                kill_run(killer, index // 6 * 3 + kind)
            elif kind == 3:
                kill_study(killer, "sweep" if index // 6 % 2 == 0 else "optimize")
            elif kind == 4:
                kill_bench(killer)
            else:
                kill_report(killer)
        index += 1
        show(f"{killer.kills()} kills: " + ", ".join(f"{n} {c}" for n, c in sorted(killer.counts.items())))
    return killer


class Kills(unittest.TestCase):
    def disturb(self, seed, function, *arguments, **limits):
        with tempfile.TemporaryDirectory() as folder:
            killer = Killer(seed)
            killer.folder = pathlib.Path(folder)
            function(killer, *arguments, **limits)

    def test_runs(self):
        for index in (0, 3, 6):
            with self.subTest(RUNS[index][0]):
                self.disturb(index, kill_run, index, longest=0.2, most=4)

    def test_method_without_saved_states(self):
        self.disturb(7, kill_run, 7, longest=0.1, most=2)

    def test_sweep(self):
        self.disturb(2, kill_study, "sweep", most=3)

    def test_optimize(self):
        self.disturb(3, kill_study, "optimize", most=3)

    def test_report(self):
        self.disturb(4, kill_report, most=3)

    def test_bench(self):
        self.disturb(5, kill_bench, longest=0.2, most=2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    begun = time.time()
    done = soak(given.kills, given.seed, lambda text: print(text, flush=True))
    print(f"{done.kills()} kills in {time.time() - begun:.0f} s, seed {given.seed}: nothing was lost")
    sys.exit(0)
