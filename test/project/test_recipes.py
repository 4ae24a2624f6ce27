"""The recipes of CONTRIBUTING.md and the walk of docs/architecture.md against the sources: every file and function that they name."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = [p for folder in ("src", "apps", "include") for p in sorted((ROOT / folder).rglob("*")) if p.suffix in (".c", ".h", ".txt")]
ROW = re.compile(r"^\| ([\w ]+) \| (`[^|]+`) \| (`[^|]+`) \|$", re.M)
STEP = re.compile(r"^\| \d+ \| `([^:`]+): (\w+)` \|", re.M)


def find_files(words):
    """The sources that hold one of the words; /name.c stands for that file and its line in CMake."""
    found = set()
    for path in SOURCES:
        text = path.read_text()
        for word in words:
            name = word.lstrip("/")
            line = rf"(?<![\w/]){re.escape(name)}[\s)]" if word != name else re.escape(name)
            is_there = re.search(line, text) if word == name or path.name == "CMakeLists.txt" else path.name == name
            if is_there:
                found.add(str(path.relative_to(ROOT)))
    return found


class Recipes(unittest.TestCase):
    def test_files(self):
        text = (ROOT / "CONTRIBUTING.md").read_text()
        rows = ROW.findall(text[text.index("### Recipes"):])
        self.assertGreaterEqual({kind for kind, _, _ in rows},
                                {"joint", "force", "constraint", "law", "sensor", "element type", "kind of part", "integrator", "result format", "command"})
        for kind, words, files in rows:
            with self.subTest(kind=kind):
                listed = set(re.findall(r"`([^`]+)`", files))
                self.assertEqual(find_files(re.findall(r"`([^`]+)`", words)), listed)


class Parts(unittest.TestCase):
    """A kind of part has two tables, each listed once: equations (system) and compilation (compile)."""

    def find_tables(self, folder, type_name):
        """The tables of a folder by name, each with its text."""
        pattern = re.compile(rf"(?ms)^const {type_name} (\w+) = \{{(.*?)^\}};")
        return {name: text for path in sorted((ROOT / "src" / folder).glob("*.c")) for name, text in pattern.findall(path.read_text())}

    def find_listed(self, file):
        return re.findall(r"&(fb_\w+)", re.search(r"(?s)list\[\] = \{(.*?)\};", (ROOT / file).read_text()).group(1))

    def test_lists(self):
        for folder, type_name, file in (("system", "FbPartKind", "part.c"), ("compile", "FbPartBuild", "part_builds.c")):
            with self.subTest(folder=folder):
                tables = self.find_tables(folder, type_name)
                self.assertGreater(len(tables), 6)
                self.assertEqual(sorted(self.find_listed(f"src/{folder}/{file}")), sorted(tables))

    def test_compiled(self):
        """Every kind of the equations has at least one table of compilation."""
        built = {kind for text in self.find_tables("compile", "FbPartBuild").values() for kind in re.findall(r"\.kind = &(\w+)", text)}
        self.assertEqual(built, set(self.find_tables("system", "FbPartKind")))


class Walk(unittest.TestCase):
    def test_functions(self):
        steps = STEP.findall((ROOT / "docs/architecture.md").read_text())
        self.assertGreater(len(steps), 30)
        for file, function in steps:
            with self.subTest(file=file, function=function):
                text = (ROOT / file).read_text()
                self.assertTrue(re.search(rf"(?m)^\w.*\b{function}\([^;]*?\{{", text), "is not defined there")

    def test_rooms(self):
        """Each folder of src/ has a README, and the document names them all."""
        walk = (ROOT / "docs/architecture.md").read_text()
        for folder in sorted(p for p in (ROOT / "src").iterdir() if p.is_dir()):
            with self.subTest(folder=folder.name):
                lines = (folder / "README.md").read_text()
                for word in ("**In:**", "**Out:**", "**Rules:**"):
                    self.assertIn(word, lines)
                self.assertRegex(walk, rf"\b{folder.name}\b")

    def test_named_files(self):
        """Paths of sources in documents and comments lead somewhere."""
        name = re.compile(r"\b(?:src|apps|tools|include|cmake)/[\w/.-]+\.(?:c|h|py|sh|cmake)\b")
        texts = [p for folder in ("docs", "src", "apps") for p in (ROOT / folder).rglob("*") if p.suffix in (".md", ".c", ".h")]
        for path in [*texts, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
            for named in set(name.findall(path.read_text())):
                with self.subTest(text=str(path.relative_to(ROOT)), named=named):
                    self.assertTrue((ROOT / named).exists())

    def test_readme_files(self):
        """Files that the READMEs of the folders name are there."""
        for readme in sorted((ROOT / "src").glob("*/README.md")):
            for name in re.findall(r"`([\w*/]+\.[ch])`", readme.read_text()):
                places = list(readme.parent.glob(name)) + list((ROOT / "src").glob(name))
                with self.subTest(readme=str(readme.relative_to(ROOT)), file=name):
                    self.assertTrue(places)


if __name__ == "__main__":
    unittest.main()
