"""`flyball check`: what it tells of good models and of bad ones."""
import os
import subprocess

from program import FLYBALL, MODELS, PENDULUM, ProgramTest


class Check(ProgramTest):
    def test_text(self):
        answer = self.expect(self.flyball("check", self.write("swing.yaml", PENDULUM)), 0)
        for pattern in (r"model +swing", r"bodies +1", r"joints +1", r"loops +0", r"degrees of freedom +1"):
            self.assertRegex(answer.out, pattern)
        self.assertEqual(answer.err, "")

    def test_json(self):
        answer = self.expect(self.flyball("check", "--json", self.write("swing.yaml", PENDULUM)), 0)
        document = answer.json()
        self.assertEqual(document["name"], "swing")
        self.assertEqual(document["degrees_of_freedom"], 1)
        self.assertEqual(document["loops"], [])
        self.assertEqual(document["redundant"], [])
        self.assertRegex(document["model_sha256"], "^[0-9a-f]{64}$")

    def test_loops_and_redundancies_by_name_and_place(self):
        # A planar four-bar of spatial revolutes: one loop, three redundant rows, one degree of freedom.
        answer = self.expect(self.flyball("check", "--json", MODELS / "fourbar.yaml"), 0)
        document = answer.json()
        self.assertEqual(document["degrees_of_freedom"], 1)
        self.assertEqual(len(document["loops"]), 1)
        self.assertEqual(sum(r["n_rows"] for r in document["redundant"]), 3)
        text = self.expect(self.flyball("check", MODELS / "fourbar.yaml"), 0).out
        for redundancy in document["redundant"]:
            self.assertGreater(redundancy["line"], 0)
            self.assertIn(f"fourbar.yaml:{redundancy['line']}:{redundancy['col']}: {redundancy['part']}", text)

    def test_characters_that_a_terminal_would_obey(self):
        model = self.write("esc.yaml", 'flyball: 1\n"a\\e[31mRED\\e]0;pwn\\a": 1\nbodies: {"x\\e[2J": {mass: 1}}\n')
        answer = self.expect(self.flyball("check", model), 3, r"'a\x1b[31mRED\x1b]0;pwn\x07'", r"'x\x1b[2J'")
        self.assertNotIn("\x1b", answer.err + answer.out)
        for command in ("check", "run"):
            answer = self.expect(self.flyball(command, "no\x1b[31mfile.yaml"), 4, r"no\x1b[31mfile.yaml")
            self.assertNotIn("\x1b", answer.err + answer.out)
        name = self.write("a\x1b[31mb.yaml", PENDULUM.replace("name: swing\n", ""))
        self.assertNotIn("\x1b", self.expect(self.flyball("check", name), 0).out)
        self.assertNotIn("\x1b", self.flyball("check", "--bo\x1bgus").err)
        name = self.write("a\u202eb\x9bc.yaml", PENDULUM.replace("name: swing\n", ""))
        self.assertRegex(self.expect(self.flyball("check", name), 0).out, r"a___b__c\b")

    def test_matrices_that_would_fill_the_memory(self):
        self.write("big.mtx", "%%MatrixMarket matrix coordinate real symmetric\n134217727 134217727 1\n1 1 1\n")
        model = self.write("big.yaml", """flyball: 1
structures:
  mast:
    matrices: {mass: big.mtx, stiffness: big.mtx}
    nodes: {foot: {at: [0, 0, 0], dofs: {x: 1, y: 2, rz: 3}, support: clamped}}
""")
        self.expect(self.flyball("check", model), 3, "big.mtx:2: error", "134217727 rows", "at most 1000000 rows")

    def test_limits_of_size_are_adjustable(self):
        self.write("two.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n0\n1\n")
        cases = {"repeats": ("5e-5", MODELS / "chain.yaml", "run more than 5 times"),
                 "elements": ("1e-5", MODELS / "bracket.yaml", "at most 10 are made"),
                 "rows": ("1e-6", self.write("rows.yaml", """flyball: 1
structures:
  mast: {matrices: {mass: two.mtx, stiffness: two.mtx}, nodes: {top: {at: [0, 0, 0], dofs: {x: 1, y: 2}}}}
"""), "at most 1 rows")}
        parts = "\n".join(f"  b{i}: {{mass: 1, inertia: [1, 1, 1], position: [{i}, 0, 0]}}" for i in range(8))
        cases["parts"] = ("5e-6", self.write("parts.yaml", f"""flyball: 1
templates:
  row:
    bodies:
{parts.replace("  b", "      b")}
instances: {{r: {{template: row}}}}
"""), "at most 5 are allowed")
        for name, (factor, model, message) in cases.items():
            with self.subTest(name):
                self.expect(self.flyball("check", "--size-limit", factor, model), 3, message)
                self.expect(self.flyball("check", "--size-limit", 10, model), 0)
        self.expect(self.flyball("check", "--size-limit", 11, MODELS / "pendulum.yaml"), 2, "give up to 10")

    def test_every_shipped_model(self):
        models = sorted(MODELS.glob("*.yaml"))
        self.assertGreater(len(models), 0)
        for model in models:
            self.expect(self.flyball("check", model), 0)

    def test_all_errors_of_a_file_with_places(self):
        text = PENDULUM.replace("mass: m", "masss: m").replace("revolute", "revolut").replace("angle: pivot.q", "angle: pivott.q")
        answer = self.expect(self.flyball("check", self.write("bad.yaml", text)), 3, "masss", "did you mean", "revolut", "pivott")
        for line, word in enumerate(text.splitlines(), 1):
            if "masss" in word or "revolut," in word:
                self.assertIn(f"bad.yaml:{line}:", answer.err)
        self.assertRegex(answer.err, r"bad\.yaml:\d+:\d+: error: ")
        self.assertEqual(answer.out, "")

    def test_errors_as_json(self):
        answer = self.expect(self.flyball("check", "--json", self.write("bad.yaml", PENDULUM.replace("mass: m", "masss: m"))), 3)
        errors = answer.json()["errors"]
        self.assertTrue(any("masss" in e["message"] and e["line"] == 7 and e["col"] > 1 for e in errors))

    def test_an_error_that_is_repeated_hundreds_of_times(self):
        lines = "".join(f"  s{i}: {{type: spring, a: rod, b: ground, stifness: 1}}\n" for i in range(300))
        model = self.write("web.yaml", "flyball: 1\nbodies: {rod: {mass: -1}}\nforces:\n" + lines + "  last: {type: sprig}\n")
        answer = self.expect(self.flyball("check", model), 3, "web.yaml:4:", "web.yaml:304:", "at other places; --json", "'sprig'")
        self.assertLess(len(answer.err.splitlines()), 60)
        every = self.flyball("check", "--json", model).json()["errors"]
        self.assertIn(f"{len(every)} errors", answer.err)
        self.assertTrue({4, 200, 303, 304} <= {e["line"] for e in every})

    def test_not_yaml(self):
        self.expect(self.flyball("check", self.write("bad.yaml", "bodies: [1, 2\n")), 3, "bad.yaml:", "error: ")
        self.expect(self.flyball("check", self.write("empty.yaml", "")), 3, "empty.yaml", "error: ")

    def test_missing_file(self):
        answer = self.expect(self.flyball("check", "nowhere.yaml"), 4, "nowhere.yaml", "No such file")
        self.assertEqual(answer.out, "")
        self.expect(self.flyball("check", "."), 4)

    def test_loop_that_cannot_close(self):
        model = """\
flyball: 1
bodies:
  crank: {mass: 1, inertia: [1, 1, 1], points: {end: [1, 0, 0]}}
joints:
  pin: {type: revolute, between: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1]}
constraints:
  rope: {type: distance, a: crank.end, b: {body: ground, at: [5, 0, 0]}, length: 1}
simulation: {duration: 1}
"""
        self.expect(self.flyball("check", self.write("open.yaml", model)), 3, "rope")

    def test_color_on_a_terminal_alone(self):
        model = self.write("bad.yaml", "flyball: 1\nbody: {}\n")
        self.assertNotIn("\033", self.flyball("check", model).err)
        for no_color, is_colored in (("", True), ("1", False)):
            environment = {**os.environ, "NO_COLOR": no_color, "TERM": "xterm"}
            code, seen = self.on_terminal(lambda stderr: subprocess.Popen([FLYBALL, "check", model], cwd=self.folder,
                                                                          env=environment, stderr=stderr))
            self.assertEqual(code, 3)
            self.assertEqual(b"\033[" in seen, is_colored)

    def test_pipes_without_a_writer_are_empty(self):
        os.mkfifo(self.folder / "pipe.yaml")
        self.expect(self.flyball("check", "pipe.yaml"), 3, "the file is empty")
        for name, part, node in (("pipe.mtx", "matrices: {mass: pipe.mtx, stiffness: pipe.mtx}", "{at: [0, 0, 0], dofs: {x: 1}}"),
                                 ("pipe.msh", "mesh: {file: pipe.msh}", "{at: [0, 0, 0]}")):
            os.mkfifo(self.folder / name)
            model = self.write("model.yaml", f"flyball: 1\nstructures:\n  s:\n    {part}\n    nodes: {{a: {node}}}\n")
            self.assertIn(name, self.flyball("check", model).err)

    def test_pipes_with_a_writer_are_read(self):
        read, write = os.pipe()
        with os.fdopen(write, "w") as stream:
            stream.write(PENDULUM)
        done = subprocess.run([FLYBALL, "check", f"/dev/fd/{read}"], pass_fds=[read], text=True, capture_output=True, timeout=200)
        os.close(read)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("degrees of freedom  1", done.stdout)
