"""Structures and sliders through the program: what `check` lists, what is rejected, and the messages."""
from program import ProgramTest

PARTS = """\
flyball: 1
name: frame
gravity: [0, 0, -10]
materials: {m: {E: 1e6, nu: 0.3, density: 2}}
sections: {bar: {type: general, material: m, A: 1, Iy: 2e-4, Iz: 2e-4, J: 4e-4}}
"""

POST = PARTS + """\
parameters: {mass: 0.5}
structures:
  f:
    plane: xz
    nodes: {A: {at: [0, 0], support: clamped}, B: {at: [0, 2]}}
    members: {m: {from: A, to: B, section: bar, elements: 4}}
sliders:
  p: {guide: f.m, mass: mass, value: "1.5 + 0.4*t"}
outputs: {s: p.s}
simulation: {duration: 1, sample: 0.1}
"""

# Four hinges: it falls over.
LEANING = PARTS + """\
structures:
  f:
    plane: xz
    nodes: {A: {at: [0, 0], support: pinned}, B: {at: [0, 3], force: [1, 0, 0]}, C: [4, 3], D: {at: [4, 0], support: pinned}}
    members:
      l: {from: A, to: B, section: bar, hinge: both, elements: 2}
      t: {from: B, to: C, section: bar, hinge: both, elements: 2}
      r: {from: D, to: C, section: bar, hinge: both}
"""

FLOATING = PARTS + """\
structures:
  f:
    nodes: {A: [0, 0, 0], B: [0, 2, 0]}
    members: {m: {from: A, to: B, section: bar, elements: 2}}
simulation: {duration: 0.1, sample: 0.1}
"""


class Structures(ProgramTest):
    def test_check_lists_structures_and_sliders(self):
        path = self.write("post.yaml", POST)
        text = self.expect(self.flyball("check", path), 0).out
        self.assertRegex(text, r"structure +f: linear; members 1, elements 4, nodes 5, mass 4 kg")
        self.assertRegex(text, r"slider +p: 0.5 kg on the guide f.m of 2 m; theory linear_consistent, driven by law")
        document = self.expect(self.flyball("check", "--json", path), 0).json()
        self.assertEqual(document["structures"], [{"name": "f", "theory": "linear", "members": 1, "elements": 4, "nodes": 5, "mass": 4.0}])
        self.assertEqual(document["sliders"], [{"name": "p", "guide": "f.m", "length": 2.0, "mass": 0.5, "theory": "linear_consistent",
                                                "drive": "law"}])
        self.assertEqual(document["warnings"], [])

    def test_mechanisms_are_named(self):
        path = self.write("leaning.yaml", LEANING)
        told = [r"leaning.yaml:7:3: warning: structure 'f' is a mechanism: it can move in 1 way without strain",
                r"node 'B' can move along x", r"node 'C' can move along x"]
        answer = self.expect(self.flyball("check", path), 0)
        for pattern in told:
            self.assertRegex(answer.err, pattern)
        self.assertIn("is a mechanism", self.flyball("check", "--json", path).json()["warnings"][0])
        # Under load it has no equilibrium; without --quiet the reason stands above the error.
        answer = self.expect(self.flyball("equilibrium", path), 1, "no equilibrium", "is a mechanism")
        answer = self.expect(self.flyball("modes", path), 1, "no equilibrium", "is a mechanism")
        # A brace holds it.
        braced = LEANING.replace("      r: {", "      d: {from: A, to: C, section: bar, hinge: both}\n      r: {")
        answer = self.expect(self.flyball("equilibrium", self.write("braced.yaml", braced)), 0)
        self.assertNotIn("mechanism", answer.err)
        self.assertIn("rotated by up to 0.417 rad", answer.err)  # the soft brace sags under its weight: q L^3/24 EI at its end

    def test_floating_structures(self):
        path = self.write("floating.yaml", FLOATING)
        answer = self.expect(self.flyball("check", path), 0)
        self.assertRegex(answer.err, r"'f' is a mechanism: it can move in 6 ways.*node 'A' can move along x, y, z")
        self.expect(self.flyball("run", path), 0)  # legal: it falls
        self.expect(self.flyball("equilibrium", path), 1, "no equilibrium", "is a mechanism")
        answer = self.expect(self.flyball("modes", "--at", "initial", path), 0)
        self.assertIn("is a mechanism", answer.err)

    def test_slider_leaves_its_guide(self):
        path = self.write("post.yaml", POST.replace("1.5 + 0.4*t", "1.5 + 0.6*t"))
        answer = self.expect(self.flyball("run", path, "-o", "out"), 1, "slider 'p' leaves its guide at t = 0.833", "the 9 samples")
        rows = (self.folder / "out" / "frame.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + 9)
        self.assertAlmostEqual(float(rows[-1].split(",")[1]), 1.5 + 0.6 * 0.8)
        answer = self.flyball("run", "--json", path)
        self.assertEqual(answer.code, 1)
        self.assertIn("leaves its guide", answer.json()["error"] if "error" in answer.json() else answer.err)
        # It stands outside from the start.
        outside = self.write("outside.yaml", POST.replace("1.5 + 0.4*t", "2.5"))
        self.expect(self.flyball("run", outside), 3, "outside.yaml:13:", "starts at s = 2.5 m, outside its guide")

    def test_heavy_sliders(self):
        # pi^2 EI/(4 s^2 g): 21.9 kg at 1.5 m, less the post's own weight
        path = self.write("post.yaml", POST)
        self.expect(self.flyball("run", "--set", "mass=30", path), 3, "post.yaml:13:", "slider 'p' is heavier than its guide 'f.m' can carry")
        answer = self.expect(self.flyball("run", "--set", "mass=16", "-o", "out", path), 1, "'p' is heavier than its guide", "at t = 0.")
        self.assertGreater(len((self.folder / "out" / "frame.csv").read_text().splitlines()), 2)
        answer = self.expect(self.flyball("check", "--set", "mass=30", path), 3, "heavier than its guide")

    def test_nonlinear_guides_buckle(self):
        # The straight post balances a mass that it cannot carry: the equilibrium is unstable, and is called so.
        text = POST.replace("plane: xz", "plane: xz\n    theory: nonlinear").replace("1.5 + 0.4*t", "1.5")
        answer = self.expect(self.flyball("equilibrium", "--set", "mass=40", self.write("post.yaml", text)), 0)
        self.assertRegex(answer.out, r"verdict +unstable")
        answer = self.expect(self.flyball("equilibrium", "--set", "mass=10", self.write("post.yaml", text)), 0)
        self.assertRegex(answer.out, r"verdict +stable")

    def test_laws_that_jump(self):
        path = self.write("post.yaml", POST.replace('"1.5 + 0.4*t"', '"0.5 + 0.2*step(t - 0.4)"'))
        answer = self.flyball("run", path)
        self.assertIn(answer.code, (1, 3))
        self.assertRegex(answer.err, r"slider 'p'.*jumps at t = 0\.4")

    def test_feedback_on_a_missing_sensor(self):
        text = POST.replace('value: "1.5 + 0.4*t"', "feedback: {type: follow, reference: 1 + tp.x, bandwidth: 5, position: 1}")
        answer = self.expect(self.flyball("check", self.write("post.yaml", text)), 3, "post.yaml:13:", "tp")
        self.assertEqual(answer.out, "")

    def test_bad_members(self):
        for old, new, message in (("B: {at: [0, 2]}", "B: {at: [0, 0]}", "length"),
                                  ("Iz: 2e-4", "Iz: -2e-4", "Iz"),
                                  ("guide: f.m", "guide: f.n", "f.n"),
                                  ("elements: 4", "elements: 0", "elements"),
                                  ("section: bar", "section: barr", "bar")):
            answer = self.expect(self.flyball("check", self.write("bad.yaml", POST.replace(old, new))), 3, message)
            self.assertRegex(answer.err, r"bad\.yaml:\d+:\d+: error: ")

    def test_guide_with_a_gap(self):
        text = POST.replace("B: {at: [0, 2]}}", "B: {at: [0, 2]}, C: {at: [0, 2.5]}, D: {at: [0, 4]}}").replace(
            "elements: 4}}", "elements: 4}, n: {from: C, to: D, section: bar}}").replace("guide: f.m", "guide: [f.m, f.n]")
        self.expect(self.flyball("check", self.write("gap.yaml", text)), 3, "gap", "gap.yaml:13:")

    def test_modal_damping_and_its_limits(self):
        damped = POST.replace("plane: xz", "plane: xz\n    damping: {ratio: 0.02}").split("sliders:")[0]
        answer = self.expect(self.flyball("modes", "--json", self.write("damped.yaml", damped)), 0)
        ratios = [mode["damping_ratio"] for mode in answer.json()["modes"]]
        self.assertEqual(len(ratios), 12)
        for ratio in ratios:
            self.assertAlmostEqual(ratio, 0.02, delta=1e-9)
        large = damped.replace("elements: 4", "elements: 400")
        self.expect(self.flyball("check", self.write("large.yaml", large)), 3, "large.yaml:10:", "between: [f1, f2]")
        bent = damped.replace("plane: xz", "plane: xz\n    theory: nonlinear")
        self.expect(self.flyball("check", self.write("bent.yaml", bent)), 3, "needs `theory: linear`", "between: [f1, f2]")

    def test_sliders_that_move_are_frozen(self):
        path = self.write("post.yaml", POST)
        answer = self.expect(self.flyball("modes", path), 0, "slider 'p' moves by its law; it is parked here at s = 1.5 m")
        at_once = self.expect(self.flyball("linearize", "--at", "0.5", path), 0, "holds for this moment, with s = 1.7 m, a speed of 0.4 m/s")
        parked = self.expect(self.flyball("modes", self.write("parked.yaml", POST.replace("1.5 + 0.4*t", "1.5"))), 0)
        self.assertEqual(parked.err, "")
        table = answer.out.split("mode ")[1]
        self.assertEqual(table, parked.out.split("mode ")[1])
        self.assertNotIn(table, at_once.out)
