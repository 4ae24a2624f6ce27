"""`flyball schema`: where it writes what (the schema itself is validated by the test `schema`)."""
import json

from program import ProgramTest


class Schema(ProgramTest):
    def test_stdout_is_the_schema(self):
        schema = self.expect(self.flyball("schema"), 0).json()
        self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        self.assertIn("bodies", schema["properties"])

    def test_markdown(self):
        answer = self.expect(self.flyball("schema", "--markdown"), 0)
        self.assertTrue(answer.out.startswith("#"))
        self.assertIn("revolute", answer.out)

    def test_study(self):
        schema = self.expect(self.flyball("schema", "--study"), 0).json()
        self.assertEqual(schema["title"], "Flyball study file")
        self.assertEqual(schema["required"], ["flyball_study", "model", "parameters", "measures"])
        # The reader knows the same keys.
        answer = self.expect(self.flyball("sweep", self.write("bad.yaml", "flyball_study: 1\nnone: 3\n")), 3, "unknown key 'none'")
        self.assertEqual(sum(key in answer.err for key in schema["properties"]), len(schema["properties"]))
        self.assertIn("latin_hypercube", self.expect(self.flyball("schema", "--study", "--markdown"), 0).out)

    def test_output_file(self):
        answer = self.expect(self.flyball("schema", "-o", "model.schema.json"), 0)
        self.assertEqual(answer.out, "")
        self.assertEqual(json.loads((self.folder / "model.schema.json").read_text()), self.flyball("schema").json())
        self.expect(self.flyball("schema", "-o", "nowhere/x.json"), 4, "nowhere/x.json")
