"""`flyball schema`: a valid schema that accepts every shipped model and refuses a misspelt one."""
import json

import jsonschema
import yaml

from program import MODELS, SOURCE, ProgramTest


class Schema(ProgramTest):
    def setUp(self):
        super().setUp()
        self.schema = self.expect(self.flyball("schema"), 0).json()

    def test_is_a_schema(self):
        self.assertEqual(self.schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_accepts_every_shipped_model(self):
        validator = jsonschema.Draft202012Validator(self.schema)
        models = sorted(MODELS.glob("*.yaml")) + sorted(SOURCE.glob("bench/cases/*/model.yaml"))
        self.assertGreater(len(models), 0)
        for path in models:
            with self.subTest(model=path.name):
                validator.validate(load_yaml(path.read_text()))

    def test_refuses_misspelt_keys(self):
        validator = jsonschema.Draft202012Validator(self.schema)
        model = load_yaml((MODELS / "pendulum.yaml").read_text())
        self.assertTrue(validator.is_valid(model))
        model["bodeis"] = model.pop("bodies")
        self.assertFalse(validator.is_valid(model))

    def test_markdown_and_output_file(self):
        answer = self.expect(self.flyball("schema", "--markdown"), 0)
        self.assertTrue(answer.out.startswith("#"))
        self.assertIn("revolute", answer.out)
        self.expect(self.flyball("schema", "-o", "model.schema.json"), 0)
        self.assertEqual(json.loads((self.folder / "model.schema.json").read_text()), self.schema)
        self.expect(self.flyball("schema", "-o", "nowhere/x.json"), 4, "nowhere/x.json")


def load_yaml(text):
    """YAML 1.2 numbers and booleans: PyYAML reads 8e5 as text and `on` as true."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.yaml_implicit_resolvers = {
        key: [(tag, regexp) for tag, regexp in resolvers if tag not in ("tag:yaml.org,2002:float", "tag:yaml.org,2002:bool")]
        for key, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    import re
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"), list("-+.0123456789"))
    Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
    return yaml.load(text, Loader)
