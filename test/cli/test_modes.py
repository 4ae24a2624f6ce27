"""`flyball modes`: frequencies, shapes, undamped modes, frequency response."""
import csv
import math
import xml.dom.minidom

from linear_models import CHAIN, DRIFTING, LONG_CHAIN, OSCILLATOR, STONE, TRUSS, UPRIGHT
from program import MODELS, PENDULUM, ProgramTest, every


class Modes(ProgramTest):
    def modes(self, model, *arguments):
        return self.expect(self.flyball("modes", model, *arguments, "--json"), 0).json()

    def modes_text(self, text, *arguments):
        return self.modes(self.write("model.yaml", text), *arguments)

    def test_chain_of_two_masses(self):
        for arguments in ((), ("--undamped",)):
            document = self.modes_text(CHAIN, *arguments)
            self.assertIs(document["undamped"], bool(arguments))
            modes = document["modes"]
            self.assertEqual([m["number"] for m in modes], [1, 2])
            for mode, square, other in zip(modes, (400.0, 1200.0), (1.0, -1.0)):
                self.assertAlmostEqual((2 * math.pi * mode["frequency_hz"])**2, square, delta=1e-9)
                self.assertAlmostEqual(mode["damping_ratio"], 0.0, delta=1e-13)
                self.assertEqual(mode["class"], "physical")
                for body in ("one", "two"):
                    self.assertAlmostEqual(mode["participation"][body], 0.5, delta=1e-12)
                # The origins move along x alone, together or against each other; the largest component is 1.
                shape = {(s["body"], s["point"]): s for s in mode["shape"]}
                self.assertEqual(set(shape), {(b, p) for b in ("one", "two") for p in (None, "p")})
                one, two = shape["one", None], shape["two", None]
                self.assertAlmostEqual(one["re"][0] * two["re"][0], other, delta=1e-9)
                self.assertAlmostEqual(max(abs(complex(*c)) for s in mode["shape"] for c in zip(s["re"], s["im"])), 1.0,
                                       delta=1e-12)
                for s in (one, two):
                    self.assertEqual(s["at"], [0, 0, 0])
                    self.assertAlmostEqual(abs(s["im"][0]) + abs(s["re"][1]) + abs(s["re"][2]), 0.0, delta=1e-9)

    def test_damped_and_undamped(self):
        mode, = self.modes_text(OSCILLATOR)["modes"]
        self.assertAlmostEqual(mode["damping_ratio"], 0.02, delta=1e-13)
        self.assertAlmostEqual(mode["im"], 5 * math.sqrt(1 - 0.02**2), delta=1e-12)
        mode, = self.modes("model.yaml", "--undamped")["modes"]
        self.assertEqual((mode["re"], mode["damping_ratio"]), (0.0, 0.0))
        self.assertAlmostEqual(mode["im"], 5.0, delta=1e-13)

    def test_given_points(self):
        # A pendulum's origin rests; a point at half its length moves half as much as the tip.
        mode, = self.modes_text(PENDULUM, "--points", "bob:0.5,0,0", "--points", "bob:0,0,0")["modes"]
        origin, tip, half, zero = mode["shape"]
        self.assertEqual((tip["point"], half["point"], half["at"]), ("tip", None, [0.5, 0, 0]))
        self.assertAlmostEqual(abs(complex(tip["re"][0], tip["im"][0])), 1.0, delta=1e-12)
        self.assertAlmostEqual(abs(complex(half["re"][0], half["im"][0])), 0.5, delta=1e-12)
        for s in (origin, zero):
            self.assertEqual(s["re"] + s["im"], [0] * 6)
        answer = self.expect(self.flyball("modes", "model.yaml", "--points", "bob:0.5,0,0"), 0)
        self.assertRegex(answer.out, r"(?m)^ +bob \(0\.5, 0, 0\):  0\.500000")

    def test_rigid_body_modes(self):
        modes = self.modes_text(DRIFTING, "--undamped")["modes"]
        self.assertEqual([(m["class"], m["frequency_hz"]) for m in modes], [("rigid-body", 0)] * 6)
        # The shaft of the governor turns freely at rest.
        modes = self.modes(MODELS / "governor.yaml", "--undamped")["modes"]
        self.assertEqual([m["class"] for m in modes], ["rigid-body"] + ["physical"] * 3)
        frequencies = [m["frequency_hz"] for m in modes]
        self.assertEqual(frequencies, sorted(frequencies))

    def chain_frequency(self, n, j):
        return 2 * 5 * math.sin(j * math.pi / (2 * (n + 1))) / (2 * math.pi)

    def test_lowest_modes_of_a_long_chain(self):
        self.write("model.yaml", LONG_CHAIN)
        for arguments in ((), ("--undamped",)):
            document = self.modes("model.yaml", "--lowest", "6", *arguments)
            lowest, modes = document["lowest"], document["modes"]
            self.assertEqual((lowest["asked"], lowest["is_complete"], lowest["is_checked"]), (6, True, True))
            self.assertIsNone(lowest["unstable_rate"])
            self.assertEqual(lowest["shift_unit"], "rad^2/s^2" if arguments else "1/s")
            self.assertEqual([m["number"] for m in modes], [1, 2, 3, 4, 5, 6])
            for j, mode in enumerate(modes, 1):
                # Rounding of the matrix itself: 1e-16 of the highest omega^2, relative to the lowest (4e-7 of that).
                self.assertAlmostEqual(mode["frequency_hz"] / self.chain_frequency(1500, j), 1.0, delta=1e-9)
                self.assertEqual(mode["class"], "physical")
                self.assertLess(mode["residual"], 1e-12)
                # A body's share in the energy is the square of its displacement in the sine.
                self.assertAlmostEqual(mode["participation"]["m500"], 2 / 1501 * math.sin(j * 500 * math.pi / 1501)**2, delta=1e-8)
                self.assertEqual(len(mode["shape"]), 1500)
                largest = max(abs(complex(s["re"][0], s["im"][0])) for s in mode["shape"])
                self.assertAlmostEqual(largest, 1.0, delta=1e-12)

    def test_lowest_damped_modes(self):
        # Damping in proportion to the stiffness: ratio c omega / (2 k).
        document = self.modes_text(LONG_CHAIN, "--lowest", "5", "--set", "c=0.4", "--set", "N=600")
        self.assertIs(document["lowest"]["is_complete"], True)
        for j, mode in enumerate(document["modes"], 1):
            omega = 2 * math.pi * self.chain_frequency(600, j)
            self.assertAlmostEqual(mode["frequency_hz"] * 2 * math.pi / omega, 1.0, delta=1e-9)
            self.assertAlmostEqual(mode["damping_ratio"] / (0.4 * omega / 100), 1.0, delta=1e-6)

    def test_modes_next_to_a_frequency(self):
        self.write("model.yaml", LONG_CHAIN)
        exact = sorted((self.chain_frequency(600, j) for j in range(1, 601)), key=lambda f: abs(f**2 - 0.25))[:4]
        for arguments, is_checked in ((("--undamped",), True), ((), False)):
            document = self.modes("model.yaml", "--set", "N=600", "--lowest", "4", "--shift", "0.5", *arguments)
            self.assertIs(document["lowest"]["is_checked"], is_checked)
            self.assertIs(document["lowest"]["is_complete"], is_checked)
            for mode, f in zip(document["modes"], sorted(exact), strict=True):
                self.assertAlmostEqual(mode["frequency_hz"], f, delta=1e-10)

    def test_table_of_the_lowest(self):
        self.write("model.yaml", LONG_CHAIN)
        out = self.expect(self.flyball("modes", "model.yaml", "--set", "N=600", "--lowest", "3"), 0).out
        for line in (r"  and 588 more: see --json", r" +3 +0\.0124\d+ +\S+ +\S+ +\S+ +oscillates",
                     r"list +complete: inertia counts 3 modes below 0\.014\d+ Hz$", r"search +\d+ factorizations, \d+ solves"):
            self.assertRegex(out, rf"(?m)^{line}")
        self.assertNotIn("unstable", out)
        out = self.flyball("modes", "model.yaml", "--set", "N=600", "--lowest", "3", "--shift", "0.5").out
        self.assertRegex(out, r"(?m)^list +not checked")
        # A small model has no more than it has.
        out = self.expect(self.flyball("modes", self.write("small.yaml", CHAIN), "--lowest", "5"), 0).out
        self.assertRegex(out, r"(?m)^list +complete: all degrees of freedom")
        self.assertRegex(out, r"(?m)^fewer +5 modes were requested, but there are only 2")

    def test_large_models_are_noted(self):
        answer = self.expect(self.flyball("modes", self.write("model.yaml", LONG_CHAIN), "--set", "N=401", "--undamped", "--json"), 0,
                             "401 degrees of freedom", "--lowest")
        self.assertEqual(len(answer.json()["modes"]), 401)
        for arguments in every(2, (("--set", "N=401", "--lowest", "3"), ("--set", "N=401", "--undamped", "--quiet"), ("--set", "N=100"))):
            self.assertEqual(self.flyball("modes", "model.yaml", *arguments).err, "", arguments)

    def test_lowest_modes_and_a_violent_one(self):
        # An upright pendulum on a long chain: not among the lowest, and named all the same.
        tall = """\
bodies: {p: {shapes: [{type: point, at: [0, 0, 0.01], mass: 1}]}}
joints: {pivot: {type: revolute, between: [ground, p], point: [0, 0, 0], axis: [0, 1, 0]}}
gravity: [0, 0, -9.81]
"""
        document = self.modes_text(LONG_CHAIN + tall, "--set", "N=300", "--lowest", "3", "--undamped", "--at", "initial")
        self.assertAlmostEqual(document["lowest"]["unstable_rate"] / math.sqrt(981), 1.0, delta=0.05)
        self.assertIn("outside the list grows", self.flyball("modes", "model.yaml", "--set", "N=300", "--lowest", "3",
                                                                "--undamped", "--at", "initial").out)

    def test_unstable_mode(self):
        mode, = self.modes_text(UPRIGHT, "--undamped")["modes"]
        self.assertAlmostEqual(mode["re"], math.sqrt(9.81), delta=1e-12)
        self.assertIn("diverges", self.flyball("modes", "model.yaml").out)

    def test_table(self):
        answer = self.expect(self.flyball("modes", MODELS / "fourbar.yaml"), 0)
        self.assertRegex(answer.out, r"(?m)^ +1 +0\.3418133\d+ +0\.1128595\d +-0\.24238581 +2\.133955 +oscillates CD 60 %")

    def test_frequency_response(self):
        self.write("model.yaml", OSCILLATOR)
        self.expect(self.flyball("modes", "model.yaml", "--frf", "push:x", "--from", "0.1", "--to", "10",
                                 "--points-per-decade", "50", "-o", "frf.csv", "--svg", "frf.svg"), 0, "wrote frf.csv and frf.svg")
        with open(self.folder / "frf.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["f [Hz]", "magnitude", "phase [deg]", "re", "im"])
        self.assertEqual(len(rows), 101)
        self.assertEqual((float(rows[0]["f [Hz]"]), float(rows[-1]["f [Hz]"])), (0.1, 10.0))
        for row in rows:
            s = 2j * math.pi * float(row["f [Hz]"])
            exact = 1 / (2 * s**2 + 0.4 * s + 50)
            self.assertLess(abs(complex(float(row["re"]), float(row["im"])) / exact - 1), 1e-12)
            self.assertAlmostEqual(float(row["magnitude"]) / abs(exact), 1.0, delta=1e-12)
            self.assertAlmostEqual(float(row["phase [deg]"]), math.degrees(math.atan2(exact.imag, exact.real)), delta=1e-9)
        svg = (self.folder / "frf.svg").read_text()
        xml.dom.minidom.parseString(svg)
        for word in ("push to x", "frequency [Hz]", "magnitude", "phase [deg]", "<path"):
            self.assertIn(word, svg)

    def test_response_in_json(self):
        document = self.modes_text(OSCILLATOR, "--frf", "push:v")
        response = document["response"]
        self.assertEqual((response["input"], response["output"]), ("push", "v"))
        self.assertAlmostEqual(response["frequency_hz"][0], 0.5 / (2 * math.pi), delta=1e-9)
        self.assertAlmostEqual(response["frequency_hz"][-1], 50 / (2 * math.pi), delta=1e-9)
        self.assertEqual({len(response[k]) for k in ("frequency_hz", "magnitude", "phase_deg")}, {201})
        self.assertAlmostEqual(max(response["magnitude"]), 1 / 0.4, delta=0.05)

    def test_mistakes(self):
        model = self.write("model.yaml", OSCILLATOR)
        for arguments, words in (
                (("--frf", "push", "--json"), ("--frf is 'push'", "INPUT:OUTPUT")),
                (("--frf", "pusch:x", "--json"), ("no input 'pusch'", "did you mean 'push'?", "spring, push", "at a point use an actuator")),
                (("--frf", "push:y", "--json"), ("no output 'y'", "There are: x, v")),
                (("--frf", "push:x"), ("--frf needs -o FILE.csv",)),
                (("--frf", "push:x", "--undamped", "--json"), ("remove --undamped",)),
                (("--frf", "push:x", "--from", "3", "--to", "2", "--json"), ("3 Hz to 2 Hz",)),
                (("--frf", "push:x", "--points-per-decade", "1e7", "--json"), ("at most 1000000",)),
                (("--svg", "x.svg"), ("require --frf",)),
                (("--frf", "push:x", "--lowest", "3", "--json"), ("remove --lowest",)),
                (("--shift", "3"), ("--shift requires --lowest",)),
                (("--lowest", "0"), ("--lowest is '0'",)),
                (("--lowest", "3", "--shift", "-1"), ("--shift is '-1'",)),
                (("--points", "m:1,2"), ("--points is 'm:1,2'", "BODY:X,Y,Z")),
                (("--points", "m:1,2,3,4"), ("BODY:X,Y,Z",)),
                (("--points", "n:1,2,3"), ("no body 'n'",))):
            answer = self.expect(self.flyball("modes", model, *arguments), 2, *words)
            if "--json" in arguments:
                self.assertIn(words[0], answer.json()["errors"][0]["message"])
            else:
                self.assertEqual(answer.out, "")
        self.expect(self.flyball("modes", model, "--frf", "push:x", "-o", "nowhere/x.csv"), 4, "nowhere/x.csv")
        self.expect(self.flyball("modes", self.write("stone.yaml", STONE)), 1, "no equilibrium found")
        self.expect(self.flyball("modes", self.write("truss.yaml", TRUSS)), 1, "no degree of freedom")
        # Undamped modes need symmetric stiffness at rest.
        governor = MODELS / "governor.yaml"
        self.expect(self.flyball("modes", governor, "--undamped", "--steady", "spin=6"), 1, "position of rest")

    def test_drives_are_parked(self):
        # The frequencies of the building with its drive are those with a mass that stands where the drive starts.
        answer = self.expect(self.flyball("modes", MODELS / "tower.yaml", "--lowest", "3"), 0)
        self.assertRegex(answer.out, r"(?m)^drives +there is no equilibrium with active drives and controllers, so they are parked")
        document = self.expect(self.flyball("modes", MODELS / "tower.yaml", "--lowest", "3", "--json"), 0).json()
        self.assertIs(document["equilibrium"]["is_parked"], True)
        self.assertIn("parked", document["equilibrium"]["warnings"][0])
        text = (MODELS / "tower.yaml").read_text()
        start, end = text.index("    feedback:"), text.index("outputs:")
        fixed = text[:start] + "    value: 122\n" + text[end:].replace("  frequency: lift.frequency\n", "")
        parked = self.expect(self.flyball("modes", self.write("fixed.yaml", fixed), "--lowest", "3", "--json"), 0).json()
        self.assertIs(parked["equilibrium"]["is_parked"], False)
        for one, other in zip(document["modes"], parked["modes"]):
            self.assertAlmostEqual(one["frequency_hz"] / other["frequency_hz"], 1.0, delta=1e-9)

    def test_turning_arm(self):
        # Seen from the hub: 7.3604 for eta = 6 (Wright et al. 1982), by all modes and by the lowest.
        arm = """\
flyball: 1
materials: {m: {E: 1e8, G: 4e7, density: 1}}
sections: {bar: {type: general, material: m, A: 1, Iy: 1e-8, Iz: 1e-8, J: 2e-8}}
bodies: {hub: {mass: 1, inertia: [1, 1, 1]}}
joints: {axle: {type: revolute, between: [ground, hub], axis: [0, 0, 1]}}
structures:
  arm:
    nodes: {root: {at: [0, 0, 0], body: hub}, tip: [1, 0, 0]}
    members: {beam: {from: root, to: tip, section: bar, elements: 10}}
constraints: {drive: {type: motion, joint: axle, value: 6*t}}
"""
        path = self.write("arm.yaml", arm)
        for more in ([], ["--lowest", "4"], ["--steady", "axle=6"]):
            document = self.expect(self.flyball("modes", path, "--json", *more), 0).json()
            self.assertEqual(document["equilibrium"]["at"], "steady motion")
            found = [mode["im"] for mode in document["modes"]]
            self.assertLess(min(abs(w - 7.3604) for w in found), 1e-3)
