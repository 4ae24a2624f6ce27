"""`flyball sweep`: grids, measures, resumable tables, parts, threads, interruption, bad studies."""
import csv
import math
import shutil
import signal
import subprocess
import time

from program import FLYBALL, LONG_PENDULUM, SOURCE, ProgramTest, every
from study_models import OSCILLATOR

STUDIES = SOURCE / "test/cli/studies"

STUDY = """\
flyball_study: 1
name: decay
model: oscillator.yaml
parameters:
  zeta: {from: 0.01, to: 0.05, n: 5}
  x0: [0.1, 0.2]
measures:
  ratio: {output: x, of: damping, cycles: 2}
  low: {output: x, of: min}
  swing: {output: x, of: peak_to_peak}
  part: swing/x0
"""

# Runs of about a tenth of a second each.
SLOW = """\
flyball_study: 1
model: long.yaml
set: {m: 3}
simulation: {duration: 1000, sample: 1}
parameters: {L: {from: 0.5, to: 1.5, n: 60}}
measures: {end: {output: angle, of: final}}
"""

# Long enough for a line of progress.
LENGTHY = SLOW.replace("n: 60", "n: 6").replace("duration: 1000", f"duration: {every(2, (3000, 15000))[-1]}")


class StudyTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("oscillator.yaml", OSCILLATOR)

    def rows(self, name="decay.csv"):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def lines(self, name="decay.csv"):
        """Rows without the time they took."""
        return [{k: v for k, v in row.items() if k != "wall [s]"} for row in self.rows(name)]


class Sweep(StudyTest):
    def sweep(self, text=STUDY, *options, code=0, words=()):
        return self.expect(self.flyball("sweep", self.write("decay.yaml", text), *options), code, *words)

    def test_grid_and_measures(self):
        answer = self.sweep()
        self.assertIn("points       10: computed 10, kept 0", answer.out)
        rows = self.rows()
        self.assertEqual(list(rows[0]), ["point", "zeta", "x0", "ratio", "low [m]", "swing [m]", "part", "status", "message", "steps", "wall [s]", "study"])
        self.assertEqual([int(r["point"]) for r in rows], list(range(1, 11)))
        self.assertEqual([float(r["x0"]) for r in rows], 5 * [0.1, 0.2])
        for i, row in enumerate(rows):
            zeta, x0 = float(row["zeta"]), float(row["x0"])
            self.assertAlmostEqual(zeta, 0.01 * (1 + i // 2), delta=1e-15)
            w = math.sqrt(1 - zeta**2)
            self.assertAlmostEqual(float(row["ratio"]), zeta / w, delta=1e-8)
            # Half a period after the release it is farthest on the other side; samples miss the top by h^2/8.
            low = x0 * math.exp(-math.pi * zeta / w)
            self.assertAlmostEqual(-float(row["low [m]"]) / low, 1, delta=2e-3)
            self.assertAlmostEqual(float(row["swing [m]"]), x0 - float(row["low [m]"]), delta=1e-15)
            self.assertAlmostEqual(float(row["part"]), float(row["swing [m]"]) / x0, delta=1e-15)
            self.assertEqual((row["status"], row["message"]), ("ok", ""))
            self.assertGreater(int(row["steps"]), 10)

    def test_kinds_of_measures(self):
        text = """\
flyball_study: 1
name: decay
model: oscillator.yaml
simulation: {duration: 6.283185307179586, sample: 0.006283185307179586, rtol: 1e-11}
parameters: {x0: [0.3]}
set: {zeta: 0}
measures:
  final: {output: x, of: final}
  half: {output: x, of: final, to: pi}
  max: {output: x, of: max, from: pi/2, to: 1.5*pi}
  min: {output: x, of: min}
  rms: {output: x, of: rms}
  mean: {output: x, of: mean, to: pi/2}
  biggest: {output: x, of: max_abs, from: 3}
  end: {of: end_time}
  sum: "2*final - half"
"""
        self.sweep(text)
        row = {k.split()[0]: float(v) for k, v in self.rows()[0].items() if k.split()[0] not in ("status", "message", "study")}
        for name, value, tolerance in (("final", 0.3, 1e-9), ("half", -0.3, 1e-9), ("max", 0, 1e-3), ("min", -0.3, 1e-9), ("rms", 0.3 / math.sqrt(2), 1e-9),
                                       ("mean", 0.3 * 2 / math.pi, 1e-6), ("biggest", 0.3, 1e-9), ("end", 2 * math.pi, 1e-12), ("sum", 0.9, 1e-8)):
            self.assertAlmostEqual(row[name], value, delta=tolerance, msg=name)

    def test_runs_that_an_event_ends(self):
        self.write("oscillator.yaml", OSCILLATOR + "events: {zero: {when: x, direction: falling, action: stop}}\n")
        self.sweep(STUDY.split("measures:")[0] + "measures: {end: {of: end_time}, v: {output: v, of: final}}\n")
        for row in self.rows():
            zeta = float(row["zeta"])
            w = math.sqrt(1 - zeta**2)
            self.assertAlmostEqual(float(row["end [s]"]), (math.pi / 2 + math.asin(zeta)) / w, delta=1e-7)

    def test_log_scale(self):
        self.sweep(STUDY.replace("{from: 0.01, to: 0.05, n: 5}", "{from: 1e-3, to: 0.1, n: 3, scale: log}"))
        values = [float(r["zeta"]) for r in self.rows()[::2]]
        self.assertEqual((values[0], values[2]), (0.001, 0.1))
        self.assertAlmostEqual(values[1], 0.01, delta=1e-17)

    def test_units_and_parameters_of_the_model(self):
        self.sweep(STUDY.replace("[0.1, 0.2]", "[150 mm, 2*m, x0]"))
        self.assertEqual({float(r["x0"]) for r in self.rows()}, {0.15, 2.0, 0.1})

    def test_a_row_is_a_run(self):
        self.sweep(STUDY + "simulation: {duration: 7.5}\n", "-o", "short.csv", code=1, words=("fewer than requested",))
        self.sweep(STUDY + "simulation: {duration: 15, rtol: 1e-7}\n")
        row = self.rows()[5]
        final = self.flyball("run", "oscillator.yaml", "--set", f"zeta={row['zeta']}", "--set", f"x0={row['x0']}", "--duration", "15", "--rtol", "1e-7",
                             "--damping", "x:2", "--json").json()
        self.assertEqual(float(row["ratio"]), final["damping"]["ratio"])
        self.assertEqual(int(row["steps"]), final["steps"])

    def test_same_for_any_number_of_threads(self):
        self.sweep(STUDY, "--jobs", "1", "-o", "one.csv")
        self.sweep(STUDY, "--jobs", "7", "-o", "seven.csv")
        self.assertEqual(self.lines("one.csv"), self.lines("seven.csv"))

    def test_goes_on(self):
        self.sweep()
        before = (self.folder / "decay.csv").read_bytes()
        self.assertIn("computed 0, kept 10", self.sweep().out)
        self.assertEqual((self.folder / "decay.csv").read_bytes(), before)
        # A finer grid keeps the points that it shares; rows of other points stay at the end.
        finer = STUDY.replace("n: 5", "n: 9").replace("[0.1, 0.2]", "[0.1]")
        answer = self.sweep(finer, words=("5 rows of other points",))
        self.assertIn("points       9: computed 4, kept 5", answer.out)
        rows = self.rows()
        self.assertEqual([r["point"] for r in rows], [str(i) for i in range(1, 10)] + 5 * [""])
        self.assertEqual(sorted(float(r["zeta"]) for r in rows[:9]), [float(r["zeta"]) for r in rows[:9]])

    def test_killed_program(self):
        self.sweep()
        complete = self.lines()
        lines = (self.folder / "decay.csv").read_text().splitlines(keepends=True)
        for cut in (lines[:4] + [lines[4][:25]], lines[:1] + [lines[5], lines[3], '7,0.03,0.1,"half a mess'], [lines[0][:9]], []):
            (self.folder / "decay.csv").write_text("".join(cut))
            kept = sum(line in lines[1:] for line in cut)
            self.assertIn(f"computed {10 - kept}, kept {kept}", self.sweep().out)
            self.assertEqual(self.lines(), complete)

    def test_parts(self):
        self.sweep()
        complete = self.lines()
        for part in "123":
            answer = self.sweep(STUDY, "--part", f"{part}/3", "--json").json()
            self.assertEqual(answer["points"], {"1": 4, "2": 3, "3": 3}[part])
        joined = "".join((self.folder / f"decay.part-{p}-of-3.csv").read_text() for p in (3, 1, 2))
        self.write("decay.csv", joined)
        self.assertIn("computed 0, kept 10", self.sweep().out)
        self.assertEqual(self.lines(), complete)
        for bad in ("0/3", "4/3", "1", "1/0", "1/3x", "a/b"):
            self.expect(self.flyball("sweep", "decay.yaml", "--part", bad), 2, "--part")

    def test_table_of_another_study(self):
        self.sweep()
        before = (self.folder / "decay.csv").read_text()
        self.sweep(STUDY.replace("cycles: 2", "cycles: 1"), code=3, words=("decay.csv:2:1: error: ", "different study"))
        self.sweep(STUDY.replace("swing:", "sway:").replace("swing/", "sway/"), code=3, words=("decay.csv:1:1: error: ", "different study"))
        self.sweep(STUDY, "--set", "m=2", code=3, words=("different study",))
        self.write("oscillator.yaml", OSCILLATOR + "# changed\n")
        self.sweep(code=3, words=("different study",))
        self.assertEqual((self.folder / "decay.csv").read_text(), before)
        self.write("decay.csv", "a,b\n1,2\n")
        self.sweep(code=3, words=("decay.csv:1:1",))

    def test_files_that_the_model_names(self):
        for file in STUDIES.glob("named_files*"):
            shutil.copy(file, self.folder)
        first = self.expect(self.flyball("sweep", "named_files.study.yaml", "--json"), 0).json()
        before = (self.folder / "named.csv").read_bytes()
        for name, old, new in (("named_files_M.mtx", "1 1 1", "1 1 1.25"), ("named_files_K.mtx", "1 1 50", "1 1 51"),
                               ("named_files.stl", "0.1 0 0", "0.12 0 0")):
            text = (STUDIES / name).read_text()
            self.assertIn(old, text)
            self.write(name, text.replace(old, new))
            self.expect(self.flyball("sweep", "named_files.study.yaml"), 3, "named.csv:2:1: error: ", "different study")
            self.assertEqual((self.folder / "named.csv").read_bytes(), before, name)
            self.write(name, text)
        # The same files at another place are the same study.
        deep = self.folder / "deep"
        deep.mkdir()
        for file in STUDIES.glob("named_files*"):
            shutil.copy(file, deep)
        again = self.expect(self.flyball("sweep", "deep/named_files.study.yaml", "--json"), 0).json()
        self.assertEqual((again["kept"], again["study_sha256"]), (2, first["study_sha256"]))

    def test_a_failing_point_does_not_stop_the_others(self):
        text = STUDY.replace("x0: [0.1, 0.2]", "m: [1, -1, 2]").replace("  part: swing/x0\n", "")
        answer = self.sweep(text, "--json", words=("5 of 15 runs failed",)).json()
        self.assertEqual((answer["failed"], answer["computed"]), (5, 15))
        for row in self.rows():
            failed = row["m"] == "-1"
            self.assertEqual(row["status"], "failed" if failed else "ok")
            self.assertEqual(row["ratio"], "nan" if failed else row["ratio"])
            if failed:
                self.assertIn("oscillator.yaml:4:23: error: mass", row["message"])
        # Failed points are kept too, unless they are to be tried again.
        self.assertEqual(self.sweep(text, "--json").json()["computed"], 0)
        before = self.lines()
        self.assertEqual(self.sweep(text, "--retry", "--json").json()["computed"], 5)
        self.assertEqual(self.lines(), before)
        all_bad = self.sweep(text.replace("[1, -1, 2]", "[-1]"), "-o", "bad.csv", code=1, words=("every run failed",))
        self.assertIn("failed 5", all_bad.out)

    def test_constraints_and_objective(self):
        text = STUDY + "constraints: ['x0 <= 0.15', ratio >= 2e-2]\nobjective: {minimize: -swing}\n"
        answer = self.sweep(text, "--json").json()
        self.assertEqual(answer["infeasible"], 6)
        self.assertEqual(answer["best"]["parameters"], {"zeta": 0.02, "x0": 0.1})
        rows = self.rows()
        self.assertEqual(rows[1]["message"], "x0 <= 0.15 is violated by 0.05")
        self.assertEqual([r["status"] for r in rows[:4]], ["infeasible", "infeasible", "ok", "infeasible"])
        self.assertEqual(answer["best"]["objective"], -answer["best"]["measures"]["swing"])
        self.assertIn("--set zeta=0.02 --set x0=0.1 --damping x:2", answer["best"]["command"])
        self.assertIn("best point: -swing = ", self.sweep(text).out)

    def test_model_beside_the_study(self):
        (self.folder / "deep").mkdir()
        self.write("deep/decay.yaml", STUDY.replace("model: oscillator.yaml", "model: ../oscillator.yaml"))
        self.expect(self.flyball("sweep", "deep/decay.yaml", "--quiet"), 0)
        self.assertEqual(len(self.rows()), 10)

    def test_unwritable(self):
        self.sweep(STUDY, "-o", "nowhere/x.csv", code=4, words=("nowhere/x.csv",))
        self.expect(self.flyball("sweep", "nowhere.yaml"), 4, "nowhere.yaml")
        self.sweep(STUDY.replace("model: oscillator", "model: nowhere"), code=4, words=("decay.yaml:3:8: error: ", "nowhere.yaml"))


class BadStudies(StudyTest):
    def test_places(self):
        for old, new, place, *words in (
            ("flyball_study: 1", "flyball_study: 2", "1:16", "format version 2"),
            ("flyball_study: 1\n", "", "1:1", "begin the file with 'flyball_study: 1'"),
            ("model: oscillator.yaml\n", "", "1:1", "needs 'model'"),
            ("measures:\n", "measure:\n", "7:1", "unknown key 'measure'", "did you mean 'measures'"),
            ("zeta: {", "zetta: {", "5:3", "the model has no parameter 'zetta'; did you mean 'zeta'?"),
            ("from: 0.01, ", "", "5:9", "needs 'from'"),
            ("to: 0.05", "to: 0.001", "5:9", "'from' must be below 'to'"),
            ("n: 5", "n: 0", "5:35", "n is 0"),
            ("n: 5", "n: 2.5", "5:35", "integer"),
            ("n: 5", "n: 5, scale: logarithmic", "5:45", "linear|log"),
            ("from: 0.01", "scale: log, from: -1", "5:9", "above 0"),
            ("from: 0.01", "from: 0.01 + k", "5:23", "unknown name 'k'"),
            (", n: 5", "", "5:3", "a sweep needs 'n' for 'zeta'"),
            ("[0.1, 0.2]", "[0.1, 0.1]", "6:13", "occurs twice"),
            ("[0.1, 0.2]", "[]", "6:7", "empty"),
            ("[0.1, 0.2]", "{from: 1, to: 2, n: 9999999}", "5:3", "more than 10000000 points"),
            ("of: damping", "of: dampings", "8:26", "did you mean 'damping'"),
            ("output: x, of: min", "output: y, of: min", "9:17", "no output 'y'"),
            ("output: x, of: min", "of: min", "9:8", "needs 'output'"),
            ("of: min", "of: min, cycles: 3", "9:37", "only for measures of damping"),
            ("of: min", "of: min, from: 3, to: 2", "9:8", "'from' must be below 'to'"),
            ("of: min", "of: min, from: 3 m", "9:37", "needed here"),
            ("  low:", "  status:", "9:3", "column"),
            ("  low:", "  zeta:", "9:3", "is a parameter of the study"),
            ("swing/x0", "swing/x00", "11:15", "unknown name 'x00'", "did you mean 'x0'"),
            ("swing/x0", "swing/*x0", "11:14", "unexpected"),
            ("measures:", "set: {x0: 3}\nmeasures:", "6:3", "cannot vary"),
            ("measures:", "simulation: {durations: 3}\nmeasures:", "7:14", "did you mean 'duration'"),
            ("measures:", "constraints: [x0 < 3]\nmeasures:", "7:15", "'a <= b'"),
            ("measures:", "constraints: [x0 <= 3 + y]\nmeasures:", "7:25", "unknown name 'y'"),
            ("measures:", "constraints: x0 <= 3\nmeasures:", "7:14", "list"),
            ("measures:", "objective: {best: low}\nmeasures:", "7:12", "maximize"),
            ("measures:", "objective: {maximize: lo}\nmeasures:", "7:23", "did you mean 'low'"),
            ("measures:", "optimize: {algorithm: simplex}\nmeasures:", "7:23", "cobyla"),
            ("measures:", "optimize: {algorithm: bobyqa}\nconstraints: [x0 <= 1]\nmeasures:", "7:23", "does not support constraints"),
            ("measures:", "optimize: {algorithm: direct, starts: 4}\nmeasures:", "7:39", "starts"),
            ("name: decay", "name: a b", "2:7", "letters, digits"),
            ("measures:", "name: twice\nmeasures:", "7:1", "is repeated"),
            ("{output: x, of: min}", "[x, min]", "9:8", "a map"),
        ):
            self.assertIn(old, STUDY)
            name = self.write("bad.yaml", STUDY.replace(old, new, 1))
            answer = self.expect(self.flyball("sweep", name), 3, *words)
            self.assertIn(f"bad.yaml:{place}: error: ", answer.err, new)
            self.assertEqual(answer.out, "")
            self.assertFalse((self.folder / "decay.csv").exists())

    def test_all_errors_are_told(self):
        text = STUDY.replace("n: 5", "n: 0").replace("of: damping", "of: dumping").replace("output: x, of: min", "output: q, of: min")
        answer = self.expect(self.flyball("sweep", self.write("bad.yaml", text), "--json"), 3)
        self.assertEqual([e["line"] for e in answer.json()["errors"]], [5, 8, 9])

    def test_a_bad_model(self):
        self.write("oscillator.yaml", OSCILLATOR.replace("mass: m", "mass: mm"))
        self.expect(self.flyball("sweep", self.write("decay.yaml", STUDY)), 3, "oscillator.yaml:4:23: error: ", "unknown name 'mm'")

    def test_not_yaml(self):
        for text in ("", "[1, 2]\n", "{a: \n", "\0"):
            self.expect(self.flyball("sweep", self.write("bad.yaml", text)), 3, "bad.yaml")


class Terminal(StudyTest):
    def test_progress_stays_on_one_line(self):
        self.write("long.yaml", LONG_PENDULUM)
        self.write("slow.yaml", LENGTHY)
        code, seen = self.on_terminal(lambda stderr: subprocess.Popen([FLYBALL, "sweep", "slow.yaml", "--jobs", "1"], cwd=self.folder,
                                                                      stdout=subprocess.DEVNULL, stderr=stderr))
        self.assertEqual(code, 0)
        self.assertIn(b"\rslow: ", seen)
        self.assertNotIn(b"\n", seen.replace(b"\r\n", b""))


class Interruption(StudyTest):
    def setUp(self):
        super().setUp()
        self.write("long.yaml", LONG_PENDULUM)
        self.write("slow.yaml", SLOW)

    def start_and_wait(self, n_rows, *options):
        process = subprocess.Popen([FLYBALL, "sweep", "slow.yaml", *options], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        table = self.folder / "slow.csv"
        for _ in range(600):
            if table.exists() and table.read_text().count("\n") > n_rows:
                return process
            time.sleep(0.05)
        process.kill()
        self.fail("no rows in 30 s")

    def test_interrupt_keeps_what_is_done(self):
        process = self.start_and_wait(3, "--jobs", "2", "--json")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("interrupted; the ", err)
        n = len(self.rows("slow.csv"))
        self.assertTrue(3 <= n < 60, n)
        self.assertTrue(all(r["status"] == "ok" for r in self.rows("slow.csv")))
        answer = self.expect(self.flyball("sweep", "slow.yaml", "--json"), 0).json()
        self.assertEqual((answer["kept"], answer["computed"]), (n, 60 - n))
        resumed = self.lines("slow.csv")
        self.expect(self.flyball("sweep", "slow.yaml", "-o", "again.csv", "--quiet"), 0)
        self.assertEqual(resumed, self.lines("again.csv"))

    def test_killed(self):
        process = self.start_and_wait(3)
        # A second program must not write into the same table.
        self.expect(self.flyball("sweep", "slow.yaml"), 4, "another program is writing this table")
        process.kill()
        process.communicate(timeout=60)
        answer = self.expect(self.flyball("sweep", "slow.yaml", "--json"), 0).json()
        self.assertGreaterEqual(answer["kept"], 3)
        self.assertEqual(len(self.rows("slow.csv")), 60)

    def test_progress(self):
        self.write("slow.yaml", LENGTHY)
        answer = self.expect(self.flyball("sweep", "slow.yaml", "--jobs", "2"), 0)
        self.assertRegex(answer.err, r"slow: \d+ of 6 points, 0 failed, [\d.]+ s")
        self.assertEqual(self.expect(self.flyball("sweep", "slow.yaml", "-o", "q.csv", "--quiet", "--jobs", "2"), 0).err, "")
