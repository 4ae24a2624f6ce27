"""The documentation tells the truth: models in it are the files beside it, its commands run and answer as printed."""
import os
import re
import shlex
import subprocess
import unittest

from program import FLYBALL, SOURCE, ProgramTest

GUIDE = SOURCE / "docs/guide"
PAGES = [SOURCE / "README.md", *sorted(GUIDE.glob("*.md"))]
FENCE = re.compile(r"(?:<!-- file: (\S+) -->\n)?```(\w+)\n(.*?)```", re.S)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.?\d*(?:e[-+]?\d+)?", re.I)
PROGRESS = re.compile(r": +\d+ %, t = .* s of .* steps|\d+( of \d+)? (points|trials), \d+ failed, [\d.]+ s")  # only printed where the machine is slow
# Lines whose numbers depend on the machine or on the tuning of the integrators.
MEASURED = ("integrator", "steps", "processor", "constraints ", "energy ", "assembly error", "solution", "search", "point", "independent", "descriptor")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def fences(page, language):
    for file, found, text in FENCE.findall(page.read_text()):
        if found == language:
            yield file, text


def is_close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-8


def is_same_line(shown, told):
    words, told_words = NUMBER.sub("#", shown).split(), NUMBER.sub("#", told).split()
    if "%" in told:  # shares that are equal may come in any order
        words, told_words = (sorted(w.rstrip(",") for w in list_) for list_ in (words, told_words))
    if words != told_words:
        return False
    if told.startswith(MEASURED):
        return True
    numbers = list(zip(map(float, NUMBER.findall(shown)), map(float, NUMBER.findall(told))))
    if told.startswith("error  "):  # an estimate: its last digit depends on the compiler
        return all(b / 3 <= a <= 3 * b for a, b in numbers)
    return all(is_close(a, b) for a, b in numbers)


def transcripts(page):
    """Commands of a page's console blocks with the lines that they are shown to print."""
    for _, text in fences(page, "console"):
        for part in re.split(r"(?m)^\$ ", text)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown.splitlines()


def start_of(shown):
    """Lines before a '...' that says the rest is left out."""
    return shown[: shown.index("...")] if "..." in shown else shown


class Guide(ProgramTest):
    def test_files_in_pages(self):
        """A block that names a file shows exactly this file; a complete model always names one."""
        count = 0
        for page in PAGES:
            for language in ("yaml", "c"):
                for file, text in fences(page, language):
                    if file:
                        self.assertEqual(text, (page.parent / file).read_text(), f"{page.name}: {file}")
                        count += 1
                    else:
                        self.assertFalse(text.startswith("flyball: 1"), f"{page.name}: this model names no file:\n{text}")
        self.assertGreater(count, 10)

    def test_models_run(self):
        for model in sorted((GUIDE / "models").glob("*.yaml")):
            with self.subTest(model.name):
                answer = self.flyball("run", model, "--json", "--quiet")
                self.expect(answer, 0)
                warnings = answer.json()["warnings"]
                self.assertEqual([w for w in warnings if "constraint rows are redundant" not in w and "no function is set" not in w], [])

    def test_bad_models_fail(self):
        for model in sorted((GUIDE / "models/bad").glob("*.yaml")):
            with self.subTest(model.name):
                self.assertIn(self.flyball("run", model, "-q").code, (1, 3))

    def test_transcripts(self):
        """Commands are tried in docs/guide; what they print must be what the page shows, but for times and step counts."""
        count = 0
        for page in PAGES:
            folder = GUIDE if page.parent == GUIDE else SOURCE
            for command, shown in transcripts(page):
                words = shlex.split(command)
                if words[0] != "flyball":
                    continue
                with self.subTest(f"{page.name}: {command}"):
                    told = self.say(folder, words[1:])
                    wanted = start_of(shown)
                    told = told if wanted == shown else told[: len(wanted)]
                    self.assertEqual(len(told), len(wanted), told)
                    for a, b in zip(wanted, told):
                        self.assertTrue(is_same_line(a, b), f"\nshown: {a}\ntold:  {b}")
                    count += 1
        self.assertGreater(count, 5)

    def say(self, folder, arguments):
        """What a command prints; results go to the scratch folder."""
        files = ("-o", "--output", "--svg", "--matrices", "--report", "--vtu")
        arguments = [str(self.folder / a) if before in files else a for before, a in zip([""] + arguments, arguments)]
        done = subprocess.run([FLYBALL, *arguments], cwd=folder, text=True, timeout=100, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = done.stdout.replace(f"{self.folder}/", "").splitlines()
        return [line for line in lines if not PROGRESS.search(line)]

    def test_c_examples(self):
        """The examples were compiled by the build; they must print what the page shows."""
        for name, operands, on in (("swing", ["models/swing.yaml"], "c-library.md"), ("build", [], "c-library.md"),
                                   ("drive", ["models/pole.yaml"], "driving.md"),
                                   ("tether", ["models/tether.yaml"], "driving.md")):
            page = (GUIDE / on).read_text()
            program = os.environ.get(f"GUIDE_{name.upper()}")
            if not program:
                self.skipTest("no compiled example")
            out = subprocess.run([program, *operands], cwd=GUIDE, text=True, check=True, capture_output=True, timeout=100).stdout
            self.assertIn(f"```text\n{out}```", page, f"{on} does not show the output of {name}.c:\n{out}")

    def test_c_realtime(self):
        """The loop in real time balances the pole; how punctual it is depends on the machine."""
        program = os.environ.get("GUIDE_REALTIME")
        if not program:
            self.skipTest("no compiled example")
        out = subprocess.run([program, "models/pole.yaml", "0.6"], cwd=GUIDE, text=True, check=True, capture_output=True, timeout=100).stdout
        self.assertRegex(out, r"^\d+ periods of 2000 us; lean at the end -?0\.0\d+ rad\na step took [\d.]+ us .*\nperiods began at most [\d.]+ us late; \d+ ended too late\n$")

    def test_c_sweep(self):
        """The sweep in C prints what the table of the program's sweep has; tables go to the scratch folder."""
        program = os.environ.get("GUIDE_SWEEP")
        if not program:
            self.skipTest("no compiled example")
        for name in ("models", "studies"):
            (self.folder / name).symlink_to(GUIDE / name)
        out = subprocess.run([program], cwd=self.folder, text=True, check=True, capture_output=True, timeout=100).stdout
        self.expect(self.flyball("sweep", "studies/phase.yaml", "-o", "program.csv"), 0)
        rows = [line.split(",") for line in (self.folder / "program.csv").read_text().splitlines()[1:]]
        self.assertEqual(len(rows), 16)
        shown = [f"phase {float(r[1]):.4f} stroke {float(r[2]):.2f}: zeta {float(r[3]):.5f}" for r in rows]
        self.assertEqual(out.splitlines(), shown)

    def test_links(self):
        for page in [*PAGES, SOURCE / "CHANGELOG.md", *sorted((SOURCE / "docs").rglob("*.md"))]:
            for target in LINK.findall(page.read_text()):
                if not re.match(r"[a-z]+:", target):
                    self.assertTrue((page.parent / target).exists(), f"{page.relative_to(SOURCE)}: no {target}")


class Reference(ProgramTest):
    def test_model_file_reference_is_current(self):
        page = SOURCE / "docs/reference/model-file.md"
        self.assertEqual(self.flyball("schema", "--markdown").out, page.read_text(),
                         f"write it anew: flyball schema --markdown > {page.relative_to(SOURCE)}")

    def test_study_file_reference_is_current(self):
        page = SOURCE / "docs/reference/study-file.md"
        self.assertEqual(self.flyball("schema", "--study", "--markdown").out, page.read_text(),
                         f"write it anew: flyball schema --study --markdown > {page.relative_to(SOURCE)}")


if __name__ == "__main__":
    unittest.main()
