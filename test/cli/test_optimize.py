"""`flyball optimize`: closed-form optima, constraints, all methods, resumable records, failures, interruption."""
import math
import shlex
import signal
import subprocess

from program import FLYBALL, every
from study_models import ABSORBER, REEL
from test_sweep import StudyTest

# The damping ratio of an oscillator that brings x to rest soonest, in the sense of the least mean square.
STUDY = """\
flyball_study: 1
name: best
model: oscillator.yaml
simulation: {duration: 40, sample: 0.05}
parameters: {zeta: {from: 0.05, to: 2, start: 1.5}}
measures: {size: {output: x, of: rms}, speed: {output: v, of: max_abs}}
objective: {minimize: size}
optimize: {xtol: 1e-6, ftol: 0}
"""


class Optimize(StudyTest):
    def setUp(self):
        super().setUp()
        if self.flyball("optimize", self.write("probe.yaml", "")).code == 2:
            self.skipTest("this build has no NLopt")

    def optimize(self, text, *options, code=0, words=()):
        return self.expect(self.flyball("optimize", self.write("best.yaml", text), *options), code, *words)

    def test_damper(self):
        # The integral of x^2 after a release is (1 + 4 zeta^2)/(4 zeta): least at zeta = 1/2.
        for algorithm in every(3, ("cobyla", "bobyqa", "subplex", "direct", "isres", "crs2", "multistart")):
            text = STUDY.replace("xtol", f"algorithm: {algorithm}, evaluations: 400, xtol")
            answer = self.optimize(text, "-o", f"{algorithm}.csv", "--json").json()
            best = answer["best"]
            # Evolution draws its points: it comes near, but does not close in.
            self.assertAlmostEqual(best["parameters"]["zeta"], 0.5, delta=2e-2 if algorithm == "isres" else 2e-3, msg=algorithm)
            self.assertAlmostEqual(best["measures"]["size"], 0.1 * math.sqrt(1 / 40), delta=1e-5, msg=algorithm)
            self.assertEqual(best["objective"], best["measures"]["size"])
            self.assertEqual(answer["starts"], 8 if algorithm == "multistart" else 1)
            self.assertTrue(answer["reason"])

    def test_absorber(self):
        # Of an absorber for a mass that is hit, in the least mean square: tuning sqrt(1 + mu/2)/(1 + mu),
        # damping sqrt(mu (1 + 3 mu/4)/(4 (1 + mu)(1 + mu/2))).
        self.write("absorber.yaml", ABSORBER)
        text = """\
flyball_study: 1
name: best
model: absorber.yaml
parameters: {tuning: {from: 0.7, to: 1.3}, zeta: {from: 0.01, to: 0.5, scale: log}}
measures: {size: {output: x, of: rms}}
objective: {minimize: size}
optimize: {algorithm: bobyqa, xtol: 1e-5, ftol: 0}
"""
        best = self.optimize(text, "--json").json()["best"]["parameters"]
        mu = 0.05
        self.assertAlmostEqual(best["tuning"], math.sqrt(1 + mu / 2) / (1 + mu), delta=2e-4)
        self.assertAlmostEqual(best["zeta"], math.sqrt(mu * (1 + 0.75 * mu) / (4 * (1 + mu) * (1 + mu / 2))), delta=2e-4)

    def test_phase_of_a_reel(self):
        self.write("reel.yaml", REEL)
        text = """\
flyball_study: 1
name: best
model: reel.yaml
parameters: {phase: {from: 2.5, to: 4}, stroke: {from: 0.02, to: 0.2}}
measures:
  zeta: {output: theta, of: damping, cycles: 9}
  travel: {output: s, of: peak_to_peak}
constraints: [travel <= 0.2]
objective: {maximize: zeta}
optimize: {algorithm: subplex, xtol: 1e-5, ftol: 0}
"""
        answer = self.optimize(text, "--json").json()
        best = answer["best"]
        # The law that the benchmark S1 is about is the best one of this travel.
        self.assertAlmostEqual(best["parameters"]["phase"], 3.218412, delta=1e-4)
        self.assertAlmostEqual(best["measures"]["travel"], 0.2, delta=1e-5)
        self.assertAlmostEqual(best["objective"], 0.075313716, delta=2e-6)
        self.assertLess(best["objective"], 3 * math.log(1.1 / 0.9) / (2 * math.pi))
        # The printed command gives the same.
        words = shlex.split(best["command"])
        self.assertEqual(words[:3], ["flyball", "run", "reel.yaml"])
        self.assertEqual(self.flyball(*words[1:], "--json").json()["damping"]["ratio"], best["objective"])

    def test_record_is_gone_on_with(self):
        first = self.optimize(STUDY.replace("xtol", "evaluations: 7, xtol"), "--json").json()
        n = first["computed"]
        self.assertTrue(4 <= n <= 7 and first["kept"] == 0)
        self.assertIn("limit of evaluations", first["reason"])
        rows = self.lines("best.trials.csv")
        second = self.optimize(STUDY, "--json").json()
        self.assertEqual(second["kept"], n)
        self.assertGreater(second["computed"], 5)
        self.assertEqual(self.lines("best.trials.csv")[:n], rows)
        third = self.optimize(STUDY, "--json").json()
        self.assertEqual((third["computed"], third["points"]), (0, second["points"]))
        self.assertEqual(third["best"], second["best"])
        direct = self.optimize(STUDY, "-o", "other.csv", "--json").json()
        self.assertEqual(direct["best"], second["best"])
        self.assertEqual(self.lines("other.csv"), self.lines("best.trials.csv"))

    def test_several_starts_on_any_number_of_threads(self):
        text = STUDY.replace("xtol: 1e-6", "starts: 5, evaluations: 12, xtol: 1e-6")
        self.optimize(text, "--jobs", "1", "-o", "one.csv")
        self.optimize(text, "--jobs", "4", "-o", "four.csv")
        self.assertEqual(self.lines("one.csv"), self.lines("four.csv"))
        rows = self.rows("one.csv")
        self.assertEqual({int(r["start"]) for r in rows}, {1, 2, 3, 4, 5})
        firsts = [float(r["zeta"]) for r in rows if r["point"] == "1"]
        self.assertEqual(firsts[0], 1.5)
        self.assertEqual(len(set(firsts)), 5)

    def test_constraint_binds(self):
        # v is at most x0 exp(-zeta/w atan(w/zeta)), so a smaller speed needs more damping than 1/2.
        text = STUDY.replace("objective", "constraints: [speed <= 0.04]\nobjective")
        for algorithm, tolerance in (("cobyla", 1e-6), ("subplex", 1e-6), ("direct", 1e-4), ("crs2", 1e-4), ("isres", 1e-3)):
            with_algorithm = text.replace("optimize: {", f"optimize: {{algorithm: {algorithm}, ")
            answer = self.optimize(with_algorithm, "--json", "-o", f"{algorithm}.csv").json()
            best = answer["best"]
            self.assertAlmostEqual(best["measures"]["speed"], 0.04, delta=tolerance, msg=algorithm)
            self.assertLess(best["measures"]["speed"], 0.04 * (1 + 2e-6))
            zeta = best["parameters"]["zeta"]
            w = math.sqrt(1 - zeta**2)
            self.assertAlmostEqual(0.1 * math.exp(-zeta / w * math.atan2(w, zeta)), best["measures"]["speed"], delta=2e-5)
            self.assertGreater(answer["infeasible"], 0)
        self.optimize(text.replace("0.04", "1e-4"), "-o", "none.csv", code=1, words=("no trial meets all constraints",))

    def test_failures_count_as_infeasible(self):
        # A negative mass is no model: the search goes around that part.
        text = STUDY.replace("parameters: {", "parameters: {m: {from: -1, to: 3, start: 2}, ").replace("optimize: {", "optimize: {algorithm: crs2, evaluations: 120, ")
        answer = self.optimize(text, "--json", words=("runs failed; the table says why",)).json()
        self.assertGreater(answer["failed"], 3)
        self.assertGreater(answer["best"]["parameters"]["m"], 0)
        self.assertAlmostEqual(answer["best"]["parameters"]["zeta"], 0.5, delta=0.1)
        failed = [r for r in self.rows("best.trials.csv") if r["status"] == "failed"]
        self.assertTrue(all(float(r["m"]) < 0 and "oscillator.yaml:4:" in r["message"] for r in failed))
        self.assertIn("both count as infeasible", self.optimize(text).out)
        self.optimize(text.replace("from: -1, to: 3, start: 2", "from: -3, to: -1"), "-o", "bad.csv", code=1, words=("every trial failed", "mass is"))

    def test_bad_requests(self):
        for old, new, place, word in (
            ("objective: {minimize: size}\n", "", "1:1", "an optimization needs 'objective'"),
            ("{from: 0.05, to: 2, start: 1.5}", "[0.1, 0.2]", "5:14", "needs a range"),
            ("start: 1.5", "start: 2.5", "5:47", "between 0.05 and 2"),
            ("xtol: 1e-6", "xtol: 2", "8:18", "xtol is 2"),
            ("xtol: 1e-6", "evaluations: 0", "8:25", ">= 1"),
            ("xtol: 1e-6", "xtoll: 1", "8:12", "did you mean 'xtol'"),
        ):
            answer = self.optimize(STUDY.replace(old, new), code=3, words=(word,))
            self.assertIn(f"best.yaml:{place}: error: ", answer.err)

    def test_interrupt(self):
        text = STUDY.replace("duration: 40", "duration: 20000").replace("xtol: 1e-6", "algorithm: isres, evaluations: 100000, xtol: 0")
        self.write("best.yaml", text)
        process = subprocess.Popen([FLYBALL, "optimize", "best.yaml", "--json"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        table, err = self.folder / "best.trials.csv", ""
        while not ("best size = " in err and table.exists() and table.read_text().count("\n") > 3):
            line = process.stderr.readline()  # its progress, once a second
            self.assertTrue(line, err)
            err += line
        process.send_signal(signal.SIGINT)
        err += process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("run the same command again to resume", err)
        self.assertRegex(err, r"best: \d+ trials, 0 failed, .* best size = ")
        n = len(self.rows("best.trials.csv"))
        self.assertGreaterEqual(n, 3)
        answer = self.optimize(text.replace("evaluations: 100000", f"evaluations: {n + 1}"), "--json").json()
        self.assertEqual((answer["kept"], answer["computed"]), (n, 1))


del StudyTest  # its tests are those of sweep
