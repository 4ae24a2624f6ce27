"""`flyball bench`: cases, limits, JSON, CSV, exit codes."""
import csv
import shutil
import subprocess
import sys
import time

from program import FLYBALL, SOURCE, ProgramTest
from test_damping import PENDULUM as REEL

CASES = SOURCE / "bench/cases"
KEYS = """case title quantity error limit pass wall_s cpu_s steps rhs_evals jacobian_evals integrator rtol measures
load_s""".split()


BEAM = """flyball: 1
parameters: {n: 2}
materials: {m: {E: 1, density: 1}}
sections: {bar: {type: general, material: m, A: 1, Iz: 1}}
structures:
  s: {plane: xy, nodes: {A: {at: [0, 0], support: clamped}, B: [1, 0]}, members: {m: {from: A, to: B, section: bar, elements: n}}}
"""


class Bench(ProgramTest):
    def copy_case(self, name, change=lambda text: text):
        """A case folder of our own, next to a copy of the models."""
        shutil.copytree(CASES / name, self.folder / "bench/cases" / name)
        shutil.copytree(SOURCE / "models", self.folder / "models")
        case = self.folder / "bench/cases" / name / "case.yaml"
        case.write_text(change(case.read_text()))
        return "bench/cases"

    def test_list(self):
        answer = self.expect(self.flyball("bench", "--list"), 0)
        listed = [line.split()[0] for line in answer.out.splitlines()]
        self.assertEqual(listed, sorted(p.parent.name for p in CASES.glob("*/case.yaml")))
        for name in ("a01", "a02-n2", "a02-n40", "a03", "a03-ivp", "a04", "a05", "a05-350s", "a05-turned", "fourbar"):
            self.assertIn(name, listed)
        document = self.expect(self.flyball("bench", "--list", "--json"), 0).json()
        self.assertEqual([c["case"] for c in document["cases"]], listed)

    def test_json(self):
        document = self.expect(self.flyball("bench", "a05", "a01", "--json"), 0).json()
        self.assertEqual([c["case"] for c in document["cases"]], ["a05", "a01"])
        self.assertTrue(document["machine"])
        for case in document["cases"]:
            for key in KEYS:
                self.assertIn(key, case)
            self.assertTrue(case["pass"])
            self.assertLessEqual(case["error"], case["limit"])
            self.assertGreater(case["error"], 0.0)
        # Several measures: the worst one stands for the case.
        a01 = document["cases"][1]
        self.assertEqual(len(a01["measures"]), 2)
        self.assertEqual(a01["error"] / a01["limit"], max(m["error"] / m["limit"] for m in a01["measures"]))

    def test_table(self):
        answer = self.expect(self.flyball("bench", "a05", "-o", "table.csv"), 0)
        self.assertRegex(answer.out, r"(?m)^a05 +\S+ +1e-05 +yes ")
        self.assertIn("1 of 1 cases within their limits", answer.out)
        with open(self.folder / "table.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["case"], r["pass"]) for r in rows], [("a05", "yes")])
        self.assertLessEqual(float(rows[0]["error"]), 1e-5)
        self.assertGreater(float(rows[0]["cpu [s]"]), 0)

    def test_linearization(self):
        case = self.expect(self.flyball("bench", "fourbar", "--json"), 0).json()["cases"][0]
        measures = {m["name"]: m for m in case["measures"]}
        for name, limit in (("independent", 1e-11), ("descriptor", 1e-11), ("equilibrium angle", 1e-12)):
            self.assertEqual(measures[name]["limit"], limit)
            self.assertLessEqual(measures[name]["error"], limit)
        self.assertLess(measures["order of the penalty method"]["error"], 0.02)
        time = measures["time of 1000 executions"]
        self.assertIsNone(time["limit"])
        self.assertTrue(0 < time["error"] < 10)
        self.assertEqual((case["steps"], case["integrator"]), (0, ""))
        self.assertGreater(case["cpu_s"], 0)

    def test_missed_limit_of_a_linearization(self):
        cases = self.copy_case("fourbar", lambda text: text.replace("2.234331019017586", "2.2343310191"))
        case = self.expect(self.flyball("bench", "--cases", cases, "--json"), 5).json()["cases"][0]
        self.assertEqual([m["name"] for m in case["measures"] if not m["pass"]], ["equilibrium angle"])
        self.assertAlmostEqual(case["error"], 8.24e-11, delta=1e-13)

    def test_bad_linear_cases(self):
        for change, words in ((("method: descriptor", "method: guess"), ("unknown method 'guess'",)),
                              (("coordinates: absolute", "coordinates: polar"), ("not 'polar'",)),
                              (("exact: [2.234331019017586]", "exact: [1, 2]"), ("exact", "'equilibrium'")),
                              (("kind: equilibrium", "kind: max-abs"), ("case.yaml:",)),
                              (("repeat: 1000", "repeat: 0.5"), ("an integer is required",)),
                              (("output: [phi]", "output: [psi]"), ("no output 'psi'",))):
            with self.subTest(change=change):
                cases = self.copy_case("fourbar", lambda text: text.replace(*change))
                self.assertNotIn(self.expect(self.flyball("bench", "--cases", cases), 3, *words).code, (0, 5))
                shutil.rmtree(self.folder / "bench")
                shutil.rmtree(self.folder / "models")

    def test_tolerance_acts(self):
        loose = self.flyball("bench", "a05", "--json", "--rtol", "1e-4").json()["cases"][0]
        fine = self.expect(self.flyball("bench", "a05", "--json", "--rtol", "1e-12"), 0).json()["cases"][0]
        self.assertEqual(fine["rtol"], 1e-12)
        self.assertLess(fine["error"], loose["error"])

    def test_tight(self):
        case = self.expect(self.flyball("bench", "a05", "--tight", "--json"), 0).json()["cases"][0]
        self.assertEqual(case["limit"], 1e-10)
        self.assertLessEqual(case["error"], 1e-10)

    def test_missed_limit(self):
        cases = self.copy_case("a05", lambda text: text.replace("limit: 1e-5", "limit: 1e-15"))
        answer = self.expect(self.flyball("bench", "--cases", cases), 5)
        self.assertRegex(answer.out, r"(?m)^a05 .* NO ")
        answer = self.expect(self.flyball("bench", "--json", env={"FLYBALL_CASES": cases}), 5)
        self.assertIs(answer.json()["cases"][0]["pass"], False)

    def test_unknown_case(self):
        answer = self.expect(self.flyball("bench", "a05-turnt"), 2, "no case 'a05-turnt'", "did you mean 'a05-turned'?")
        self.assertEqual(answer.out, "")

    def test_bad_cases(self):
        self.expect(self.flyball("bench", "--cases", "nowhere"), 4, "nowhere")
        cases = self.copy_case("a05", lambda text: text + "limits: 3\n")
        self.expect(self.flyball("bench", "--cases", cases), 3, "case.yaml:", "unknown key 'limits'")

    def test_bad_reference(self):
        cases = self.copy_case("a05", lambda text: text.replace("sample: 0.1", "sample: 0.3"))
        answer = self.flyball("bench", "--cases", cases, "--json")
        self.assertNotIn(answer.code, (0, 5))
        self.assertIn("no sample at t = 0.1 s", answer.err)
        case = answer.json()["cases"][0]
        self.assertIs(case["pass"], False)
        self.assertIsNone(case["error"])

    def test_sliding_masses_and_beams(self):
        cases = self.expect(self.flyball("bench", "s1", "s1-fe", "s1-feedback", "beams", "--json", "--quiet"), 0).json()["cases"]
        self.assertEqual([c["pass"] for c in cases], [True] * 4)

    def test_written_models(self):
        """The models of S3 and S4 are those that their scripts write."""
        scripts, initial = SOURCE / "bench/reference", CASES / "s3/initial.csv"
        written = [("s4_cantilever.py", ["consistent"], "s4/cantilever.yaml"), ("s3_frame.py", ["form_1a", initial], "s3/frame.yaml")]
        written += [("s4_cantilever.py", [t], f"s4/{t}.yaml") for t in ("form_1a", "convective", "linear_consistent")]
        written += [("s3_frame.py", [t, initial, "6", "5.6"], f"s3-consistent/frame_{t}.yaml") for t in ("form_1a", "linear_consistent", "consistent")]
        for script, words, path in written:
            answer = subprocess.run([sys.executable, scripts / script, *words], capture_output=True, text=True, check=True)
            self.assertEqual(answer.stdout, (CASES / path).read_text(), path)

    def test_runs_frequencies_and_orders(self):
        (self.folder / "cases/beam").mkdir(parents=True)
        self.write("beam.yaml", BEAM)
        case = self.folder / "cases/beam/case.yaml"
        text = ("case: beam\ntitle: Cantilever\nquantity: frequencies\nmodel: ../../beam.yaml\nset: {n: 4}\n"
                "runs:\n  finer: {set: {n: 8}}\n  finest: {set: {n: 16}}\n  fall: {model: ../../reel.yaml}\nmeasures:\n"
                "  - {name: four, kind: frequencies, exact: [22.0344915647]}\n"
                "  - {name: eight, run: finer, kind: frequencies, exact: [22.0344915647]}\n"
                "  - {name: sixteen, run: finest, kind: frequencies, exact: [22.0344915647], limit: 1e-4}\n"
                "  - {name: order, kind: order, of: [four, eight, sixteen], factors: [4, 8, 16], exact: [4], limit: 0.2}\n"
                "  - {name: zeta, run: fall, kind: damping-at-least, output: [theta], cycles: [9], exact: [0.0753], limit: 0}\n")
        self.write("reel.yaml", REEL)
        case.write_text(text)
        document = self.expect(self.flyball("bench", "--cases", "cases", "--json"), 0).json()["cases"][0]
        errors = {m["name"]: m["error"] for m in document["measures"]}
        self.assertGreater(errors["four"], 10 * errors["eight"])
        self.assertLess(errors["order"], 0.2)
        self.assertEqual(errors["zeta"], 0)
        self.assertGreater(document["steps"], 0)
        for change in (("exact: [4]", "exact: [2]"), ("exact: [0.0753]", "exact: [0.0754]"), ("of: [four,", "of: [for,")):
            case.write_text(text.replace(*change))
            self.expect(self.flyball("bench", "--cases", "cases"), 5)
        for change, words in ((("run: fall", "run: fell"), ("needs a run 'fell'",)), (("factors: [4, 8, 16]", "factors: [4]"), ("one factor per measure", "'order'")),
                              (("n: 8}", "n: 8}, sett: 1"), ("unknown key 'sett'",)), (("kind: damping-at-least", "kind: frequencies"), ()),
                              (("run: finer, kind: frequencies", "run: finer, kind: max-abs"), ("case.yaml:",))):
            case.write_text(text.replace(*change))
            self.assertNotEqual(self.flyball("bench", "--cases", "cases").code, 0, change)
            if words:
                self.expect(self.flyball("bench", "--cases", "cases"), 3, *words)

    def test_killed_and_resumed(self):
        names = ["a03", "a01", "a05", "a02-n40", "a02-n40"]
        arguments = ["bench", *names, "--untimed", "-q"]
        self.expect(self.flyball(*arguments, "-o", "whole.csv"), 0)
        runs = self.folder / "out.csv.part.runs"
        process = subprocess.Popen([FLYBALL, *arguments, "-o", "out.csv"], cwd=self.folder, stdout=subprocess.DEVNULL)
        while process.poll() is None and (not runs.exists() or runs.stat().st_size < 1200):
            time.sleep(0.002)
        process.kill()
        process.wait()
        saved = runs.read_bytes()
        self.assertFalse((self.folder / "out.csv").exists())
        # Cut anywhere, or altered: only whole cases are taken over.
        for at in (30, len(saved) // 2, len(saved) - 1):
            runs.write_bytes(saved[:at])
            self.expect(self.flyball(*arguments, "-o", "out.csv", "--resume"), 0)
            self.assertEqual((self.folder / "out.csv").read_bytes(), (self.folder / "whole.csv").read_bytes())
            self.assertFalse(runs.exists())
            (self.folder / "out.csv").unlink()
        runs.write_bytes(saved[:-5] + bytes([saved[-5] ^ 1]) + saved[-4:])
        self.expect(self.flyball(*arguments, "-o", "out.csv", "--resume"), 0)
        self.assertEqual((self.folder / "out.csv").read_bytes(), (self.folder / "whole.csv").read_bytes())
        # What was saved is really used, and only for the same cases and options.
        runs.write_bytes(saved)
        answer = self.expect(self.flyball("bench", *names, "-q", "-o", "timed.csv", "--json"), 0).json()
        runs.rename(self.folder / "timed.csv.part.runs")
        kept = self.expect(self.flyball("bench", *names, "-q", "-o", "timed.csv", "--json", "--resume"), 0).json()
        again = self.folder / "timed.csv.part.runs"
        self.assertNotEqual(answer["cases"][0]["cpu_s"], kept["cases"][0]["cpu_s"])
        again.write_bytes(saved)
        twice = self.expect(self.flyball("bench", *names, "-q", "-o", "timed.csv", "--json", "--resume"), 0).json()
        self.assertEqual(twice["cases"][0]["cpu_s"], kept["cases"][0]["cpu_s"])
        again.write_bytes(saved)
        self.expect(self.flyball("bench", *names[1:], "-o", "timed.csv", "--resume"), 2, "of other cases")
        self.expect(self.flyball("bench", "a01", "--resume"), 2, "--resume requires -o")

    def test_unwritable_output(self):
        self.expect(self.flyball("bench", "a01", "-o", "nowhere/x.csv"), 4, "nowhere/x.csv")

    def test_damping(self):
        (self.folder / "cases/reel").mkdir(parents=True)
        self.write("reel.yaml", REEL)
        case = self.folder / "cases/reel/case.yaml"
        text = ("case: reel\ntitle: Pendulum of varying length\nquantity: damping ratio\nmodel: ../../reel.yaml\nmeasures:\n"
                "  - {name: zeta, kind: damping, output: [theta, theta], cycles: [9, 1], exact: [0.075313716098, 0.0754042], limit: 1e-7}\n")
        case.write_text(text)
        measure = self.expect(self.flyball("bench", "--cases", "cases", "--json"), 0).json()["cases"][0]["measures"][0]
        self.assertLess(measure["error"], 1e-7)
        case.write_text(text.replace("0.0754042", "0.0755042"))
        self.expect(self.flyball("bench", "--cases", "cases"), 5)
        case.write_text(text.replace("cycles: [9, 1], ", ""))
        self.expect(self.flyball("bench", "--cases", "cases"), 3, "case.yaml:6:", "one exact value and one number of cycles per output")
