"""`flyball equilibrium`: coordinates, holding forces, verdicts, failures."""
import math

from linear_models import DRIFTING, LONG_CHAIN, MASSLESS, OSCILLATOR, STONE, TRUSS, UPRIGHT
from program import MODELS, PENDULUM, ProgramTest

KEYS = """model model_sha256 version verdict growth_rate free_eigenvalues redundant_rows at is_equilibrium residual force_scale
largest_acceleration iterations relaxations degrees_of_freedom is_parked warnings coordinates units outputs forces not_unique""".split()


class Equilibrium(ProgramTest):
    def find(self, model, *arguments):
        return self.expect(self.flyball("equilibrium", model, *arguments, "--json"), 0).json()

    def find_text(self, text, *arguments):
        return self.find(self.write("model.yaml", text), *arguments)

    def test_fourbar(self):
        document = self.find(MODELS / "fourbar.yaml")
        self.assertEqual(list(document), KEYS)
        self.assertEqual(document["verdict"], "stable")
        self.assertLess(document["residual"], 1e-12)
        self.assertIs(document["is_equilibrium"], True)
        self.assertEqual(document["degrees_of_freedom"], 1)
        self.assertEqual(document["redundant_rows"], 3)
        self.assertEqual(list(document["coordinates"]), ["pin_A", "pin_C", "pin_D", "pin_B"])
        self.assertEqual(document["units"]["pin_B"], "rad")
        self.assertAlmostEqual(document["coordinates"]["pin_B"], 2.234331019017586, delta=1e-13)
        self.assertEqual(document["outputs"]["phi"], document["coordinates"]["pin_B"])
        self.assertEqual(set(document["outputs"]), {"phi", "phidot", "D.x", "D.y", "D.z", "energy"})
        # The spring is shorter than it wants to be; pins and spring carry the three rods.
        forces = document["forces"]
        x, y = document["outputs"]["D.x"], document["outputs"]["D.y"]
        self.assertAlmostEqual(forces["diagonal.tension"], 25 * (math.hypot(x, y) - math.sqrt(2)), delta=1e-12)
        spring = forces["diagonal.tension"] * y / math.hypot(x, y)
        self.assertAlmostEqual(forces["pin_A.reaction.y"] + forces["pin_B.reaction.y"] - spring, 3 * 9.81, delta=1e-11)

    def test_text(self):
        answer = self.expect(self.flyball("equilibrium", MODELS / "fourbar.yaml"), 0)
        for line in (r"verdict +stable", r"point +equilibrium; residual \S+ of the acting forces; 1 degree of freedom",
                     r"  pin_B +2\.234331019\d+ rad", r"  diagonal\.tension +-13\.44\d+ N",
                     r"  3 constraint rows are redundant, so some reactions are not unique",
                     r"  pin_A.reaction.x +\S+ N$", r"  pin_A.reaction.z +\S+ N \(not unique\)$"):
            self.assertRegex(answer.out, rf"(?m)^{line}")

    def test_hanging_pendulum_from_anywhere(self):
        # All generalized forces vanish where it hangs: the residual needs what could act.
        document = self.find_text(PENDULUM)
        self.assertEqual(document["verdict"], "stable")
        self.assertAlmostEqual(document["outputs"]["tip.z"], -1.0, delta=1e-15)
        self.assertLess(document["residual"], 1e-12)
        self.assertAlmostEqual(document["forces"]["pivot.reaction.z"], 2 * 9.81, delta=1e-12)
        hanging = PENDULUM.replace("position: 0.5", "position: 90 deg")
        self.assertIs(self.find_text(hanging)["is_equilibrium"], True)

    def test_spring_without_tension(self):
        document = self.find_text(OSCILLATOR)
        self.assertEqual(document["verdict"], "stable")
        self.assertAlmostEqual(document["coordinates"]["slide"], 0.5, delta=1e-15)

    def test_unstable(self):
        document = self.find_text(UPRIGHT)
        self.assertEqual(document["verdict"], "unstable")
        self.assertAlmostEqual(document["growth_rate"], math.sqrt(9.81), delta=1e-12)
        self.assertEqual(document["coordinates"]["pivot"], 0.0)
        answer = self.expect(self.flyball("equilibrium", "model.yaml"), 0)
        self.assertRegex(answer.out, r"(?m)^verdict +unstable: disturbances grow at 3\.132\d+ 1/s")

    def test_free_motions(self):
        document = self.find_text(DRIFTING)
        self.assertEqual(document["verdict"], "free motions")
        self.assertEqual(document["free_eigenvalues"], 12)

    def test_large_models(self):
        # Looking at all modes would take minutes; a definite stiffness decides, and what was not looked at is not called stable.
        self.assertEqual(self.find_text(LONG_CHAIN)["verdict"], "stable")
        state = "states: {x: {rate: -x}}\n"
        self.assertEqual(self.find_text(LONG_CHAIN + state)["verdict"], "undecided")
        self.assertRegex(self.flyball("equilibrium", "model.yaml").out, r"(?m)^verdict +undecided: no unstable mode was found")
        tall = """\
bodies: {p: {shapes: [{type: point, at: [0, 0, 0.01], mass: 1}]}}
joints: {pivot: {type: revolute, between: [ground, p], point: [0, 0, 0], axis: [0, 1, 0]}}
gravity: [0, 0, -9.81]
"""
        document = self.find_text(LONG_CHAIN + tall, "--set", "N=401")
        self.assertEqual(document["verdict"], "unstable")
        self.assertAlmostEqual(document["growth_rate"] / math.sqrt(981), 1.0, delta=0.05)

    def test_no_degree_of_freedom(self):
        document = self.find_text(TRUSS)
        self.assertEqual(document["verdict"], "immobile")
        self.assertEqual(document["degrees_of_freedom"], 0)
        self.assertIsNone(document["growth_rate"])
        self.assertAlmostEqual(document["forces"]["left.reaction.y"], 9.81, delta=1e-12)

    def test_steady_rotation_of_the_governor(self):
        rate = 6.28
        document = self.find(MODELS / "governor.yaml", "--steady", f"spin={rate}")
        self.assertEqual(document["at"], "steady motion")
        self.assertLess(document["residual"], 1e-12)
        # By hand: moments about the pivot of an arm (rod 0.3 kg of 1 m, ball 5 kg at its end) by gravity, centrifugal
        # forces and the spring, of which two carry the slider.
        beta, s = document["coordinates"]["swing"], document["coordinates"]["slide"]
        co, si = math.cos(beta), math.sin(beta)
        weight = 9.81 * co * (0.3 * 0.5 + 5)
        centrifugal = rate**2 * si * (0.3 * (0.05 * 0.5 + co / 3) + 5 * (0.05 + co))
        tension = document["forces"]["spring.tension"]
        dx, dz = 0.5 * co, (1 - 0.5 * si) - s  # from the slider's point to the middle of the rod
        length = math.hypot(dx, dz)
        moment = tension * 0.5 * (co * dz + si * dx) / length
        self.assertAlmostEqual(2 * tension * dz / length, 3 * 9.81, delta=1e-8)
        self.assertAlmostEqual(weight + moment, centrifugal, delta=1e-3)  # the rod is not quite slender
        slower = self.find(MODELS / "governor.yaml", "--steady", "spin=5")
        self.assertLess(slower["coordinates"]["slide"], s)

    def test_no_equilibrium(self):
        name = self.write("stone.yaml", STONE)
        answer = self.expect(self.flyball("equilibrium", name), 1, "no equilibrium found", "'stone'", "-19.62")
        self.assertEqual(answer.out, "")
        document = self.expect(self.flyball("equilibrium", name, "--json"), 1).json()
        self.assertIn("no equilibrium found", document["errors"][0]["message"])

    def test_singular_mass(self):
        answer = self.flyball("equilibrium", self.write("massless.yaml", MASSLESS))
        self.expect(answer, 1, "massless.yaml:8:3", "'hinge'", "no inertia")

    def test_steady_mistakes(self):
        model = MODELS / "governor.yaml"
        self.expect(self.flyball("equilibrium", model, "--steady", "spinn=1"), 2, "no joint coordinate 'spinn'")
        for text in ("spin", "spin=", "=3", "spin=fast", "spin=inf"):
            self.expect(self.flyball("equilibrium", model, "--steady", text), 2, f"--steady is '{text}'", "JOINT=RATE")
        # A coordinate that a law drives cannot rest.
        self.expect(self.flyball("equilibrium", MODELS / "fourbar.yaml", "--steady", "pin_A=1"), 1, "do not allow")
        self.expect(self.flyball("equilibrium", "missing.yaml"), 4, "missing.yaml")
        self.expect(self.flyball("equilibrium", self.write("bad.yaml", "flyball: 1\nbodys: {}\n")), 3, "bodys")

    def test_parameters(self):
        light = self.find(MODELS / "fourbar.yaml", "--set", "m=0.01")
        self.assertLess(light["coordinates"]["pin_B"], 2.0)
