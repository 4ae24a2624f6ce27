"""flyball run --accuracy: the certificate on the terminal and in JSON, and what it refuses."""
import json

from program import MODELS, ProgramTest


class Accuracy(ProgramTest):
    def test_certificate_in_json(self):
        answer = self.flyball("run", MODELS / "pendulum.yaml", "--accuracy", "1e-7", "--json")
        self.assertEqual(answer.code, 0, answer.err)
        certificate = json.loads(answer.out)["certificate"]
        self.assertTrue(certificate["reached"])
        self.assertEqual(certificate["target"], 1e-7)
        self.assertLessEqual(certificate["estimate"], 1e-7)
        self.assertLessEqual(certificate["cross_difference"], 1e-7)
        self.assertGreaterEqual(certificate["runs"], 2)

    def test_summary_says_it(self):
        answer = self.flyball("run", MODELS / "pendulum.yaml", "--accuracy", "1e-6")
        self.assertEqual(answer.code, 0, answer.err)
        self.assertIn("accuracy     certified", answer.out)

    def test_chaos_exits_with_5(self):
        answer = self.flyball("run", MODELS / "double_pendulum.yaml", "--accuracy", "1e-9", "--duration", "60", "--sample", "1", "--json")
        self.assertEqual(answer.code, 5, answer.err)
        self.assertFalse(json.loads(answer.out)["certificate"]["reached"])

    # Stiff: radau takes 100 steps, every other method thousands.
    STIFF = """flyball: 1
gravity: [0, -9.81, 0]
bodies: {b: {mass: 1, center: [0, -1, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {j: {type: revolute, between: [ground, b], point: [0, 0, 0], axis: [0, 0, 1], position: 0.5}}
forces: {f: {type: actuator, joint: j, value: "-1e6*(j.q - 0.3*sin(t)) - 1e6*j.v"}}
outputs: {q: j.q}
simulation: {duration: 20, max_steps: 400}
"""

    def test_no_certificate_without_a_cross_check(self):
        model = self.write("stiff.yaml", self.STIFF)
        answer = self.flyball("run", model, "--accuracy", "1e-5", "--json")
        self.assertEqual(answer.code, 5, answer.err)
        certificate = json.loads(answer.out)["certificate"]
        self.assertEqual((certificate["reached"], certificate["status"]), (False, "cross-check failed"))
        self.assertIn("no other method", certificate["message"])
        self.assertIsNone(certificate["cross_difference"])
        answer = self.flyball("run", model, "--accuracy", "1e-5")
        self.assertIn("NOT certified", answer.out)
        self.assertIn("cross-check failed", answer.out)

    def test_chaos_says_why(self):
        answer = self.flyball("run", MODELS / "double_pendulum.yaml", "--accuracy", "1e-9", "--duration", "60", "--sample", "1")
        self.assertEqual(answer.code, 5, answer.err)
        self.assertIn("NOT certified (requested: 1e-09): the outputs do not converge", answer.out)

    def test_never_below_the_cross_check(self):
        for accuracy in ("1e-4", "1e-6", "1e-8"):
            answer = self.flyball("run", MODELS / "slider_crank.yaml", "--accuracy", accuracy, "--json")
            certificate = json.loads(answer.out)["certificate"]
            self.assertEqual(certificate["status"], "certified")
            self.assertIsNone(certificate["message"])
            self.assertGreaterEqual(certificate["estimate"], certificate["cross_difference"])

    def test_without_it_there_is_none(self):
        answer = self.flyball("run", MODELS / "pendulum.yaml", "--json")
        self.assertIsNone(json.loads(answer.out)["certificate"])

    def test_tolerances_do_not_go_with_it(self):
        self.expect(self.flyball("run", MODELS / "pendulum.yaml", "--accuracy", "1e-6", "--rtol", "1e-8"), 2, "--accuracy chooses")
        self.expect(self.flyball("run", MODELS / "pendulum.yaml", "--accuracy", "-1"), 2, "--accuracy")

