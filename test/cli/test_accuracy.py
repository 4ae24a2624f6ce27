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

    def test_without_it_there_is_none(self):
        answer = self.flyball("run", MODELS / "pendulum.yaml", "--json")
        self.assertIsNone(json.loads(answer.out)["certificate"])

    def test_tolerances_do_not_go_with_it(self):
        self.expect(self.flyball("run", MODELS / "pendulum.yaml", "--accuracy", "1e-6", "--rtol", "1e-8"), 2, "--accuracy chooses")
        self.expect(self.flyball("run", MODELS / "pendulum.yaml", "--accuracy", "-1"), 2, "--accuracy")

