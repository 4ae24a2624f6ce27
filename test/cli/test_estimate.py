"""What a plain run says about its errors: a line, an object in JSON, and nothing where nobody asked."""
import json
import math
import re

from program import MODELS, SOURCE, ProgramTest

OSCILLATOR = """flyball: 1
gravity: [0, 0, 0]
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {z: {type: prismatic, between: [ground, b], point: [0, 0, 0], axis: [0, 0, 1], position: 0.5}}
forces: {f: {type: actuator, joint: z, value: "-4*z.q"}}
outputs: {z: z.q, v: z.v, still: {type: expression, value: "0*z.q"}}
simulation: {duration: 30, sample: 0.5}
"""

# A falling rod that an event stops, at a time that both runs have to find.
STOPPED = """flyball: 1
gravity: [0, -9.81, 0]
bodies: {b: {shapes: [{type: rod, from: [0, 0, 0], to: [1, 0, 0], mass: 1}]}}
joints: {h: {type: revolute, between: [ground, b], point: [0, 0, 0], axis: [0, 0, 1]}}
events: {down: {when: "h.q + pi/2", action: stop}}
outputs: {q: h.q, v: h.v}
simulation: {duration: 30, sample: 0.01}
"""

# A digital controller so fast that each of its periods is one step.
SAMPLED = """flyball: 1
gravity: [0, -9.81, 0]
bodies: {b: {shapes: [{type: rod, from: [0, 0, 0], to: [1, 0, 0], mass: 1}]}}
joints: {h: {type: revolute, between: [ground, b], point: [0, 0, 0], axis: [0, 0, 1]}}
sensors: {x: {type: hold, of: h.q, period: 1 ms}}
forces: {m: {type: actuator, joint: h, value: "-20*x"}}
outputs: {q: h.q, v: h.v}
simulation: {duration: 0.5, sample: 0.05, integrator: dop853}
"""

# A ball on a spring that only pushes, many times.
BOUNCES = """flyball: 1
gravity: [0, 0, -9.81]
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {z: {type: prismatic, between: [ground, b], point: [0, 0, 0], axis: [0, 0, 1], position: 0.1}}
forces: {f: {type: actuator, joint: z, value: "1e5*max(0, -z.q)"}}
outputs: {z: z.q, v: z.v}
simulation: {duration: 5, sample: 0.05}
"""

# Two satellites 2 km apart on a slack tether, whose length changes by 0.2 m: less than rtol of their orbits' radius.
TETHER = """flyball: 1
parameters: {mu: 3.986004418e14, R: 6.8e6, L: 2000, n: "sqrt(mu/R^3)"}
bodies: {a: {mass: 1000, inertia: [100, 100, 100]}, b: {mass: 50, inertia: [1, 1, 1]}}
joints:
  fa: {type: translation, between: [ground, a], position: [R, 0, 0], velocity: [0, n*R, 0]}
  fb: {type: translation, between: [ground, b], position: [R + L, 0, 0], velocity: [0, n*(R + L) + 1, 0.5]}
sensors:
  pa: {type: position, point: a}
  pb: {type: position, point: b}
  ra: hypot(hypot(pa.x, pa.y), pa.z)
  rb: hypot(hypot(pb.x, pb.y), pb.z)
forces:
  ga: {type: force, point: a, value: [-1000*mu*pa.x/ra^3, -1000*mu*pa.y/ra^3, -1000*mu*pa.z/ra^3]}
  gb: {type: force, point: b, value: [-50*mu*pb.x/rb^3, -50*mu*pb.y/rb^3, -50*mu*pb.z/rb^3]}
  t: {type: spring, a: a, b: b, force: "5*max(0, length - L)"}
outputs: {d: t.length}
simulation: {duration: 3000, sample: 60, rtol: 1e-9}
"""


class Estimate(ProgramTest):
    def document(self, *arguments):
        answer = self.flyball("run", *arguments, "--json", "--quiet")
        self.assertEqual(answer.code, 0, answer.err)
        return json.loads(answer.out)

    def test_outputs_without_digits(self):
        """The second run comes to rest in a stop: no output agrees, which is not the same as that none differs."""
        answer = self.expect(self.flyball("run", SOURCE / "test/verify/kinks/stops_in_a_loop.yaml", "--integrator", "radau", "--rtol", "1e-4"), 0)
        line = next(x for x in answer.out.splitlines() if x.startswith("error "))
        self.assertRegex(line, "no digits|digits are lost")

    def test_closed_form(self):
        """The true error of an oscillation, against what is said of it: within a factor of thirty, at every tolerance."""
        model = self.write("spring.yaml", OSCILLATOR)
        for rtol in ("1e-5", "1e-7", "1e-9"):
            d = self.document(model, "--rtol", rtol, "--atol", f"{float(rtol) / 100:g}", "-o", "out")
            estimate = d["error_estimate"]
            rows = [[float(x) for x in line.split(",")] for line in (self.folder / "out/spring.csv").read_text().split("\n")[1:] if line]
            true = max(abs(z - 0.5 * math.cos(2 * t)) for t, z, *_ in rows)
            said = estimate["outputs"]["z"]["absolute"]
            self.assertLess(true, 2 * said)
            self.assertLess(said, 30 * true)
            self.assertIsNone(estimate["lost_from"])
            self.assertAlmostEqual(estimate["outputs"]["z"]["relative"], said, delta=0.05 * said)  # its range is 1 m
            self.assertIsNone(estimate["outputs"]["still"]["relative"])
            self.assertLess(estimate["cost"], 0.5)
            self.assertEqual(estimate["until"], 30)

    def test_line(self):
        answer = self.flyball("run", self.write("spring.yaml", OSCILLATOR))
        self.assertRegex(answer.out, r"(?m)^error +about \d+e-\d+ of the range of [zv], less for the other outputs$")

    def test_constant_output_has_no_range(self):
        """The error of an output that does not move is a part of its value: of the report, too, from saved files as from a fresh run."""
        constant = re.sub("(?m)^outputs: .*$", 'outputs: {near: {type: expression, value: "1 + 1e-4*z.q"}}', OSCILLATOR)
        model = self.write("constant.yaml", constant)
        answer = self.expect(self.flyball("run", model, "-o", "d", "--report", "fresh.html"), 0)
        self.assertRegex(answer.out, r"(?m)^error +about \d+e-\d+ of the value of near, less")
        self.expect(self.flyball("report", "d/constant.csv", "-o", "saved.html"), 0)
        for page in ("fresh.html", "saved.html"):
            self.assertRegex((self.folder / page).read_text(), r'"estimated error",\s*"[^"]* of the value of near"')

    def test_chaos_says_when(self):
        """Digits of the double pendulum end where two runs part; it holds at other durations, and not before.

        With one method: `auto` may change it at other places in a longer run, and what is said scatters by a decade of growth (2 s) with any such change.
        """
        times = []
        options = ("--sample", "0.1", "--integrator", "dop853")
        for duration in ("60", "100"):
            answer = self.flyball("run", MODELS / "double_pendulum.yaml", "--duration", duration, *options)
            self.assertRegex(answer.out, r"(?m)^error +digits are lost from t = [\d.]+ s on; errors grow tenfold every [\d.]+ s$")
            d = self.document(MODELS / "double_pendulum.yaml", "--duration", duration, *options)
            times.append(d["error_estimate"]["lost_from"])
        self.assertGreater(times[0], 15)
        self.assertLess(times[0], 30)  # 22.8 s, against a run at the tightest tolerance
        self.assertAlmostEqual(times[0], times[1], delta=1)
        short = self.document(MODELS / "double_pendulum.yaml", "--duration", "5", *options)
        self.assertIsNone(short["error_estimate"]["lost_from"])
        self.assertLess(short["error_estimate"]["relative"], 1e-4)

    def rows(self, *arguments):
        """All rows of a run of the double pendulum over 60 s."""
        self.document(MODELS / "double_pendulum.yaml", "--duration", "60", "--sample", "0.1", *arguments, "--no-error-estimate", "-o", "out")
        text = (self.folder / "out/double_pendulum.csv").read_text()
        return [[float(x) for x in line.split(",")] for line in text.split("\n")[1:] if line]

    def test_tighter_runs_hold_longer(self):
        """The time is that at which the run leaves one at the tightest tolerance, within about a decade of the growth, at every tolerance.

        Two such times may both be off by that, to either side; so of two tolerances no more than the order can be asked for, although the runs themselves differ by 7 and 4 s.
        With one method, because a run's own time depends on the smallest change of its steps (17 to 22 s at 0.8e-8 to 1.25e-8), also on when `auto` tries the other one.
        """
        exact = self.rows("--rtol", "1e-13", "--atol", "1e-14", "--integrator", "dop853")
        ranges = [max(column) - min(column) for column in zip(*exact)]
        said = []
        for r in ("1e-6", "1e-8", "1e-10"):
            rows = self.rows("--rtol", r, "--atol", r, "--integrator", "dop853")
            lost = next(row[0] for row, other in zip(rows, exact) if any(abs(x - y) > 0.1 * d for x, y, d in zip(row, other, ranges) if d > 1e-6))
            d = self.document(MODELS / "double_pendulum.yaml", "--duration", "60", "--sample", "0.1", "--rtol", r, "--atol", r, "--integrator", "dop853")
            said.append(d["error_estimate"]["lost_from"])
            self.assertAlmostEqual(said[-1], lost, delta=2.5)
        self.assertEqual(said, sorted(said))

    def test_rounding_is_not_chaos(self):
        """Angles that are zero but for rounding have no digits to lose."""
        model = MODELS.parent / "docs/guide/models/parallelogram.yaml"
        for rtol in ("1e-7", "1e-8", "1e-9", "3e-10", "1e-10", "1e-11"):
            d = self.document(model, "--rtol", rtol, "--atol", f"{float(rtol) / 100:g}")
            self.assertIsNone(d["error_estimate"]["lost_from"], rtol)
            self.assertLess(d["error_estimate"]["relative"], 1e-5, rtol)

    def test_rounding_of_a_small_constant(self):
        """A height of 5e-15 m that changes only by rounding, and only after a while, has no digits to lose next to lengths of 0.5 m."""
        rest = 'rest: {type: expression, value: "5e-15 + 1e-16*z.q + if(t > 20, (z.q + 1) - 1 - z.q, 0)", unit: m}'
        model = self.write("constant.yaml", OSCILLATOR.replace("still: {", rest + ", still: {"))
        estimate = self.document(model)["error_estimate"]
        self.assertIsNone(estimate["lost_from"], estimate)
        self.assertLess(estimate["relative"], 1e-6, estimate)

    def test_what_rests_at_first_has_digits_later(self):
        """Until friction gives way, angles differ by as much as they move: that is rounding, and not all of the run."""
        model = MODELS.parent / "test/verify/kinks/crank_with_friction.yaml"
        estimate = self.document(model, "--integrator", "dop853")["error_estimate"]
        self.assertIsNotNone(estimate["worst_output"])
        self.assertTrue(1e-10 < estimate["relative"] < 1e-5, estimate)

    def test_small_changes_without_digits(self):
        """Both runs bounce on the tether, each in its own way: their difference is the error, not a multiple of it."""
        d = self.document(self.write("tether.yaml", TETHER))
        self.assertGreater(d["error_estimate"]["outputs"]["d"]["absolute"], 0.02)

    def test_runs_that_an_event_ends(self):
        d = self.document(self.write("stop.yaml", STOPPED))
        self.assertLess(d["t_end"], 5)
        self.assertLess(d["error_estimate"]["relative"], 1e-5)
        self.assertIsNone(d["error_estimate"]["lost_from"])

    def test_what_would_cost_too_much(self):
        """A controller whose samples end every step leaves no longer steps to compare with: that is said, not zero."""
        model = self.write("sampled.yaml", SAMPLED)
        answer = self.flyball("run", model)
        self.assertRegex(answer.out, r"(?m)^error +not estimated: a second run cannot take longer steps, .*--accuracy")
        self.assertIsNone(self.document(model)["error_estimate"])
        self.assertIn("could not be estimated", self.flyball("run", model, "--error-estimate").err)

    def test_bounces(self):
        """Kinks cost both runs alike; still the second one comes to the end for half of the work."""
        d = self.document(self.write("bounces.yaml", BOUNCES))
        self.assertLess(d["error_estimate"]["cost"], 0.5)
        self.assertEqual(d["error_estimate"]["until"], d["t_end"])

    def test_dear_runs_until_half(self):
        """Where longer steps are not cheaper (Newton's iteration limits those of the run) the second run ends early, and the line says where."""
        answer = self.flyball("run", MODELS / "governor.yaml")
        d = self.document(MODELS / "governor.yaml")
        self.assertLess(d["error_estimate"]["cost"], 0.5)
        # Half of what the first run cost; that makes no trials of dop853, so this is not much more than half of the way.
        self.assertGreater(d["error_estimate"]["until"], 0.55 * d["t_end"])
        self.assertLess(d["error_estimate"]["until"], d["t_end"])
        self.assertRegex(answer.out, r"(?m)^error +about .* up to t = [\d.]+ s, where the second run had cost half as much as the first$")

    def test_only_where_it_is_wanted(self):
        model = self.write("spring.yaml", OSCILLATOR)
        self.assertIsNone(self.document(model, "--no-error-estimate")["error_estimate"])
        self.assertIsNone(self.document(model, "--accuracy", "1e-6")["error_estimate"])
        self.assertNotIn("\nerror ", self.flyball("run", model, "--no-error-estimate").out)
        self.assertIsNotNone(self.document(model, "--error-estimate")["error_estimate"])

    def test_report(self):
        model = self.write("spring.yaml", OSCILLATOR)
        self.expect(self.flyball("run", model, "--report", "out.html", "-o", "d", "-q"), 0)
        self.assertIn("estimated error", (self.folder / "out.html").read_text())
        self.expect(self.flyball("report", "d/spring", "-o", "again.html", "-q"), 0)
        self.assertIn("estimated error", (self.folder / "again.html").read_text())
