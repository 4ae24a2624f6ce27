"""Measures of equilibria and modes in sweeps: root loci, crossing and veering modes, Campbell diagrams."""
import csv
import math
import shutil

from program import SOURCE, ProgramTest

STUDIES = SOURCE / "test/cli/studies"


def text_of(name):
    return (STUDIES / name).read_text()


class ModesTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for name in ("root_locus", "coupled", "rotor"):
            shutil.copy(STUDIES / f"{name}.yaml", self.folder)
        shutil.copy(SOURCE / "test/verify/rotating/arm.yaml", self.folder)

    def sweep(self, text, *options, code=0, words=(), table="table.csv"):
        (self.folder / table).unlink(missing_ok=True)
        answer = self.expect(self.flyball("sweep", self.write("study.yaml", text), "-o", table, *options), code, *words)
        if code:
            return answer
        with open(self.folder / table, newline="") as file:
            rows = list(csv.DictReader(file))
        numbers = []
        for row in rows:
            self.assertEqual(row["status"], "ok", row)
            numbers.append({k.split()[0]: float(v) for k, v in row.items() if k.split()[0] not in ("status", "message", "study")})
            numbers[-1]["message"] = row["message"]
        return numbers


class RootLocus(ModesTest):
    def check(self, rows, rate, length):
        for row in rows:
            zeta = row["zeta"]
            root = rate * math.sqrt(abs(1 - zeta**2))
            wanted = [-zeta * rate, root, -zeta * rate, -root] if zeta < 1 else [-zeta * rate + root, 0, -zeta * rate - root, 0]
            # A double root is as uncertain as the square root of rounding.
            tolerance = rate * (1e-13 if abs(zeta - 1) > 1e-6 else 1e-7)
            for key, value in zip(("s1_re", "s1_im", "s2_re", "s2_im"), wanted):
                self.assertAlmostEqual(row[key], value, delta=tolerance, msg=f"{key} at {zeta}")
            self.assertAlmostEqual(row["z"], min(zeta, 1), delta=1e-7)
            self.assertAlmostEqual(row["f"], math.hypot(*wanted[:2]) / (2 * math.pi), delta=tolerance)
            self.assertAlmostEqual(row["growth"], wanted[0], delta=tolerance)
            self.assertAlmostEqual(row["rest"], 0.5 * length, delta=1e-12 * length)
            # Which of the two real roots the upper one has become is a matter of taste.
            if abs(zeta - 1) > 1e-6:
                self.assertEqual("uncertain" in row["message"], zeta > 1, row)

    def test_through_critical_damping(self):
        self.check(self.sweep(text_of("root_locus.study.yaml")), 1, 1)

    def test_other_scales_and_turned(self):
        for mass, length, time in ((1e-6, 1, 1), (1e7, 1e-6, 1e-3), (1e3, 1e-3, 1e5)):
            rows = self.sweep(text_of("root_locus.study.yaml") + f"set: {{M: {mass}, L: {length}, T: {time}, angle: 0.7}}\n")
            self.check(rows, 1 / time, length)

    def test_from_the_other_side(self):
        """Two real roots that become a pair."""
        rows = self.sweep(text_of("root_locus.study.yaml"), "--quiet")
        text = text_of("root_locus.study.yaml").replace("model: root_locus.yaml", "model: fast.yaml")
        self.write("fast.yaml", text_of("root_locus.yaml").replace("zeta: 0.1", "zeta: 1.5"))
        for a, b in zip(self.sweep(text), rows):
            for key in ("s1_re", "s1_im", "s2_re", "s2_im"):
                self.assertAlmostEqual(a[key], b[key], delta=1e-7)
            if abs(a["zeta"] - 1) > 1e-6:
                self.assertEqual("uncertain" in a["message"], a["zeta"] < 1)

    def test_an_unstable_one(self):
        self.write("root_locus.yaml", text_of("root_locus.yaml").replace("damping: 2*zeta*M/T}", "damping: 0}\n  d: {type: actuator, joint: j, value: -2*zeta*M/T*j.v}"))
        rows = self.sweep(text_of("root_locus.study.yaml").replace("from: 0, to: 2, n: 21", "from: -0.5, to: 0.5, n: 5"), "--set", "T=0.1")
        self.assertEqual([r["zeta"] for r in rows], [-0.5, -0.25, 0, 0.25, 0.5])
        for row in rows:
            self.assertAlmostEqual(row["growth"], -10 * row["zeta"], delta=1e-12)

    def test_commands_and_constraints(self):
        text = text_of("root_locus.study.yaml") + "constraints: [growth <= -0.5]\nobjective: {minimize: f}\n"
        answer = self.expect(self.flyball("sweep", self.write("study.yaml", text), "--json"), 0).json()
        self.assertEqual(answer["best"]["parameters"], {"zeta": 1.2})
        self.assertTrue(answer["best"]["command"].startswith("flyball modes root_locus.yaml --set zeta=1.2"), answer["best"]["command"])
        self.assertEqual(self.flyball(*answer["best"]["command"].split()[1:], "--json").json()["modes"][0]["im"], 0)

    def test_a_run_and_modes_together(self):
        text = text_of("root_locus.study.yaml").replace("measures:", "measures:\n  last: {output: x, of: final}\n  part: last/rest")
        self.sweep(text, code=3, words=("unknown name 'rest'",))
        text = text_of("root_locus.study.yaml") + "  last: {output: x, of: final}\n  part: last/rest\n"
        row = self.sweep(text)[5]
        self.assertGreater(row["steps"], 0)
        w = math.sqrt(0.75)
        step = 1 - math.exp(-0.5) * (math.cos(w) + 0.5 / w * math.sin(w))
        self.assertAlmostEqual(row["part"], step, delta=1e-6)


class Crossings(ModesTest):
    STUDY = text_of("coupled.study.yaml")

    def wanted(self, k2, kc):
        mean, half = (1 + k2) / 2 + kc, math.hypot((k2 - 1) / 2, kc)
        return [math.sqrt(x) / (2 * math.pi) for x in (mean - half, mean + half)]

    def test_veering(self):
        for kc, extra in ((0.1, ""), (0.01, "scale: 1e-6, angle: 1"), (2e-3, "scale: 1e7")):
            for row in self.sweep(self.STUDY + f"set: {{kc: {kc}, {extra}}}\n"):
                low, high = self.wanted(row["k2"], kc)
                self.assertAlmostEqual(row["f1"] / low, 1, delta=1e-12)
                self.assertAlmostEqual(row["f2"] / high, 1, delta=1e-12)
                self.assertEqual(row["message"], "")

    def test_crossing(self):
        """The soft mass stays mode 1 beyond the point where it becomes the stiff one."""
        for extra in ("", "scale: 1e7, angle: 2"):
            rows = self.sweep(self.STUDY + f"set: {{kc: 1e-12, {extra}}}\n")
            for row in rows:
                self.assertAlmostEqual(row["f1"], math.sqrt(row["k2"]) / (2 * math.pi), delta=1e-9)
                self.assertAlmostEqual(row["f2"], 1 / (2 * math.pi), delta=1e-9)
                self.assertEqual(row["message"], "")
        # Counted at each point instead, they change places.
        for row in self.sweep(self.STUDY + "set: {kc: 1e-12}\nmodes: {track: false}\n"):
            self.assertLessEqual(row["f1"], row["f2"] + 1e-9)

    def test_what_is_neither_is_uncertain(self):
        """Rows without a note agree with each other."""
        n_noted = 0
        for kc in (5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5):
            rows = [row for row in self.sweep(self.STUDY + f"set: {{kc: {kc}}}\n") if row["k2"] > 1]
            certain = {row["f1"] < row["f2"] for row in rows if not row["message"]}
            n_noted += sum("uncertain" in row["message"] for row in rows)
            self.assertLessEqual(len(certain), 1, kc)
        self.assertGreater(n_noted, 0)

    def test_order_of_points_and_threads(self):
        a = self.sweep(self.STUDY, "--jobs", "1", table="a.csv")
        b = self.sweep(self.STUDY.replace("{from: 0.25, to: 4, n: 16}", str([0.25 * (16 - i) for i in range(16)])), "--jobs", "5", table="b.csv")
        self.assertEqual([(r["k2"], r["f1"], r["f2"]) for r in a], [(r["k2"], r["f1"], r["f2"]) for r in b[::-1]])

    def test_samples(self):
        text = self.STUDY.replace("n: 16}", "scale: log}") + "samples: {method: sobol, n: 16}\n"
        for row in self.sweep(text):
            for f, wanted in zip((row["f1"], row["f2"]), self.wanted(row["k2"], 0.01)):
                self.assertAlmostEqual(f / wanted, 1, delta=1e-12)

    def test_the_note_is_reported(self):
        self.sweep(self.STUDY + "set: {kc: 1e-4}\n", code=0)
        answer = self.expect(self.flyball("sweep", "study.yaml", "-o", "t.csv"), 0)
        self.assertRegex(answer.err, r"\d+ of 16 rows have a note on uncertain modes")


class Campbell(ModesTest):
    def test_gyroscopic_rotor(self):
        """It w^2 -+ Ip Omega w - k = 0: backward and forward whirl, which are one mode at rest."""
        for extra in ("", "set: {tilt: 0.8, unit: 1e-6}\n", "set: {tilt: -2, unit: 1e7}\n"):
            for row in self.sweep(text_of("rotor.study.yaml") + extra):
                gyro = 1.6 * row["Omega"]
                root = math.sqrt(gyro**2 + 400)
                self.assertAlmostEqual(row["f1"], (root - gyro) / (4 * math.pi), delta=1e-9)
                self.assertAlmostEqual(row["f2"], (root + gyro) / (4 * math.pi), delta=1e-9)
                self.assertEqual(row["message"], "")

    def test_turning_cantilever(self):
        """Wright, Smith, Thresher and Wang (1982): flap; the lag has w^2 less by that of the turn."""
        text = """\
flyball_study: 1
model: arm.yaml
set: {}
parameters: {rate: [0, 1, 2, 4, 6]}
measures: {f: {modes: 4, of: imaginary}}
"""
        wright = {0: (3.5160, 22.0345), 1: (3.6816, 22.1810), 2: (4.1373, 22.6149), 4: (5.5850, 24.2733), 6: (7.3604, 26.8091)}
        for row in self.sweep(text):
            rate = row["rate"]
            for k in (0, 1):
                flap = wright[rate][k]
                # At 3 rad/s, where they are followed from, the lag is the lower of each two.
                self.assertAlmostEqual(row[f"f{2 * k + 2}"] / flap, 1, delta=6e-5)
                self.assertAlmostEqual(row[f"f{2 * k + 1}"], math.sqrt(flap**2 - rate**2), delta=6e-5 * flap)


class BadMeasures(ModesTest):
    def test_places(self):
        study = text_of("root_locus.study.yaml")
        for old, new, place, *words in (
            ("{modes: 2, of: eigenvalue}", "{of: eigenvalue}", "6:6", "needs either 'mode'"),
            ("{modes: 2, of: eigenvalue}", "{modes: 2, mode: 1, of: eigenvalue}", "6:6", "needs either 'mode'"),
            ("{modes: 2, of: eigenvalue}", "{modes: 3, of: eigenvalue}", "6:3", "eigenvalue 3, but the model has 2"),
            ("{mode: 1, of: damping_ratio}", "{mode: 2, of: damping_ratio}", "7:3", "mode 2, but the model has 1"),
            ("{mode: 1, of: damping_ratio}", "{mode: 1, of: damping_ratios}", "7:20", "did you mean 'damping_ratio'"),
            ("{mode: 1, of: damping_ratio}", "{mode: 1, output: x, of: damping_ratio}", "7:6", "has no 'output'"),
            ("{mode: 1, of: damping_ratio}", "{mode: 1, of: damping_ratio, from: 2}", "7:41", "an operating point has no time"),
            ("{of: growth_rate}", "{mode: 1, of: growth_rate}", "9:18", "'mode' is for"),
            ("{output: x, of: equilibrium}", "{of: equilibrium}", "10:9", "needs 'output'"),
            ("{output: x, of: equilibrium}", "{output: x, of: max, modes: 3}", "10:37", "'modes' is for"),
            ("  z:", "  s1_re:", "7:3", "'s1_re' is already a measure"),
            ("measures:", "modes: {att: initial}\nmeasures:", "5:9", "did you mean 'at'"),
            ("measures:", "modes: {steady: {j: zetta}}\nmeasures:", "5:21", "unknown name 'zetta'"),
            ("measures:", "modes: {steady: {jj: 1}}\nmeasures:", "5:8", "jj"),
            ("measures:", "modes: {at: initial, steady: {j: 1}}\nmeasures:", "5:30", "cannot be combined"),
        ):
            self.assertIn(old, study)
            answer = self.sweep(study.replace(old, new, 1), code=3, words=words)
            self.assertIn(f"study.yaml:{place}: error: ", answer.err, new)

    def test_modes_that_nothing_needs(self):
        text = text_of("root_locus.study.yaml").split("measures:")[0] + "measures: {x: {output: x, of: final}}\nmodes: {track: false}\n"
        self.sweep(text, code=3, words=("no measure needs 'modes'",))

    def test_other_coordinates(self):
        """The number of parts changes with the parameter."""
        self.write("chain.yaml", """\
flyball: 1
parameters: {N: 2}
repeat:
  - for: i
    from: 1
    to: N
    bodies: {"b{i}": {position: [i, 0, 0], mass: 1}}
    joints: {"j{i}": {type: prismatic, between: [ground, "b{i}"], point: [i, 0, 0], axis: [1, 0, 0]}}
    forces: {"f{i}": {type: torsion, joint: "j{i}", stiffness: i}}
outputs: {x: j1.q}
simulation: {duration: 1, sample: 0.1}
""")
        text = "flyball_study: 1\nmodel: chain.yaml\nparameters: {N: [2, 3]}\nmeasures: {f: {mode: 2, of: imaginary}}\n"
        self.expect(self.flyball("sweep", self.write("study.yaml", text), "-o", "t.csv"), 0, "1 of 2 runs failed")
        self.assertIn("modes cannot be followed", (self.folder / "t.csv").read_text())
        for row in self.sweep(text + "modes: {track: false}\n"):
            self.assertAlmostEqual(row["f"], math.sqrt(2), delta=1e-12)
