"""Effective damping: `run --damping`, the model's section `damping`, JSON, and the message if there is none."""
import json
import math

from program import ProgramTest

OSCILLATOR = """\
flyball: 1
name: oscillator
parameters: {zeta: 0.05, x0: 0.1}
bodies: {mass: {mass: 1}}
joints: {rail: {type: prismatic, between: [ground, mass], point: [0, 0, 0], axis: [1, 0, 0], position: x0}}
forces: {hold: {type: torsion, joint: rail, stiffness: 1, damping: 2*zeta}}
outputs: {x: rail.q, v: rail.v, E: {type: energy}, P: -2*zeta*rail.v^2}
simulation: {duration: 70, sample: 0.1}
"""

PENDULUM = """\
flyball: 1
name: reel
gravity: [0, 0, -9.81]
parameters: {W: sqrt(9.81), phase: 3.218412}
laws: {reel: {type: harmonic, offset: 1, amplitude: 0.1, frequency: 2*W, phase: phase}}
bodies: {guide: {}, bob: {position: [0, 0, -1], mass: 1}}
joints:
  pivot: {type: revolute, between: [ground, guide], point: [0, 0, 0], axis: [0, 1, 0], position: 0.2}
  slide: {type: prismatic, between: [guide, bob], point: [0, 0, -1], axis: [0, 0, -1], offset: 1}
constraints: {drive: {type: motion, joint: slide, law: reel}}
outputs: {theta: pivot.q, s: slide.q}
damping: {output: theta, cycles: 9, bound: 3*log(1.1/0.9)/(2*pi)}
simulation: {duration: 20, sample: 0.02, rtol: 1e-12, atol: 1e-14}
"""


class Damping(ProgramTest):
    def examine(self, model, *options):
        answer = self.expect(self.flyball("run", self.write("model.yaml", model), "--json", *options), 0)
        return answer.json()["damping"]

    def test_closed_form(self):
        damping = self.examine(OSCILLATOR, "--damping", "x:9")
        exact = 0.05 / math.sqrt(1 - 0.05**2)
        self.assertAlmostEqual(damping["ratio"], exact, delta=1e-8)
        self.assertEqual(damping["cycles_asked"], 9)
        self.assertTrue(damping["starts_at_rest"])
        self.assertEqual(damping["amplitude_0"], 0.1)
        self.assertEqual(damping["phases_from"], "envelope")
        for k, cycle in enumerate(damping["cycles"]):
            self.assertAlmostEqual(cycle["ratio"], exact, delta=1e-6)
            self.assertAlmostEqual(cycle["frequency_hz"], math.sqrt(1 - 0.05**2) / (2 * math.pi), delta=1e-7)
            self.assertIsNone(cycle["energy"])
        # All cycles without a number.
        self.assertEqual(self.examine(OSCILLATOR, "--damping", "x")["cycles_asked"], len(damping["cycles"]))
        # A force that feeds the oscillator has a negative ratio.
        fed = OSCILLATOR.replace("{type: torsion, joint: rail, stiffness: 1, damping: 2*zeta}",
                                 "{type: actuator, joint: rail, value: 2*zeta*rail.v - rail.q}")
        damping = self.examine(fed, "--damping", "x:3")
        self.assertAlmostEqual(damping["ratio"], -exact, delta=1e-7)

    def test_section_of_the_model(self):
        answer = self.expect(self.flyball("run", self.write("model.yaml", PENDULUM)), 0)
        self.assertIn("damping of theta, from 0.2 rad at t = 0 s, at rest", answer.out)
        self.assertIn("% of the bound 0.0958131993", answer.out)
        damping = self.examine(PENDULUM)
        self.assertAlmostEqual(damping["ratio"], 0.075313716098, delta=1e-10)
        self.assertAlmostEqual(damping["share"], 0.075313716098 / 0.0958131993, delta=1e-8)
        # The option goes first and keeps the bound of the same output.
        damping = self.examine(PENDULUM, "--damping", "theta:3")
        self.assertEqual((damping["cycles_asked"], damping["cycles"][2]["overall"]), (3, damping["ratio"]))
        self.assertAlmostEqual(damping["bound"], 0.0958131993, delta=1e-9)
        self.assertIsNone(self.examine(PENDULUM, "--damping", "s:3")["bound"])

    def test_energy_and_power(self):
        by_energy = self.examine(OSCILLATOR + "damping: {output: x, energy: E, masses: [1, 1.5]}\n")
        by_power = self.examine(OSCILLATOR + "damping: {output: x, power: P}\n")
        self.assertAlmostEqual(by_energy["bound"], math.log(1.5) / (2 * math.pi), delta=1e-15)
        self.assertEqual((by_energy["phases_from"], by_power["phases_from"]), ("energy", "power"))
        for a, b in zip(by_energy["cycles"], by_power["cycles"]):
            self.assertAlmostEqual(a["energy_change"] / b["energy_change"], 1, delta=1e-5)
            self.assertAlmostEqual(a["energy"], a["amplitude"] ** 2 / 2, delta=1e-9)
            self.assertEqual(a["growing_s"], 0)
            self.assertGreater(a["falling_s"], 0.8 / a["frequency_hz"])
        self.assertTrue(all(p["kind"] == "attenuation" for p in by_energy["phases"]))

    def test_files(self):
        self.expect(self.flyball("run", self.write("model.yaml", PENDULUM), "-o", "out", "--quiet"), 0)
        document = json.loads((self.folder / "out/reel.json").read_text())
        self.assertEqual(document["damping"]["output"], "theta")

    def test_none(self):
        model = self.write("model.yaml", OSCILLATOR)
        self.assertNotIn("damping", self.flyball("run", model, "--json").json())
        self.assertNotIn("damping of", self.flyball("run", model).out)

    def test_too_short(self):
        model = self.write("model.yaml", OSCILLATOR)
        answer = self.expect(self.flyball("run", model, "--json", "--damping", "x:99"), 0, "fewer than requested", "simulate longer")
        self.assertFalse(answer.json()["damping"]["complete"])
        self.assertIsNone(answer.json()["damping"]["ratio"])
        answer = self.expect(self.flyball("run", model, "--duration", "1", "--damping", "x"), 0, "0 full cycles")
        self.assertIn("no full cycle", answer.out)
        self.assertEqual(self.flyball("run", model, "--duration", "1", "--damping", "x", "--quiet").err, "")

    def test_bad_requests(self):
        model = self.write("model.yaml", OSCILLATOR)
        self.expect(self.flyball("run", model, "--damping", "y:3"), 2, "records no output 'y'")
        for section, place, *words in (
            ("{output: tipp}", "9:19", "no output is recorded under this name"),
            ("{outputs: x}", "9:11", "unknown key 'outputs'", "did you mean 'output'"),
            ("{cycles: 3}", "9:10", "needs 'output'"),
            ("{output: x, cycles: -1}", "9:30", ">= 0"),
            ("{output: x, energy: EE}", "9:30", "did you mean 'E'"),
            ("{output: x, masses: [2, 1]}", "9:30", "0 < m1 < m2"),
            ("{output: x, masses: [1, 2], bound: 0.1}", "9:30", "both 'masses' and 'bound'"),
            ("{output: x, bound: 0}", "9:29", "> 0"),
        ):
            model = self.write("bad.yaml", OSCILLATOR + f"damping: {section}\n")
            self.expect(self.flyball("run", model), 3, f"bad.yaml:{place}", *words)
