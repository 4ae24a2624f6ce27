"""Commands, options, help and the messages of a wrong command line."""
import re
import resource
import subprocess

from program import FLYBALL, PENDULUM, SOURCE, ProgramTest


class Usage(ProgramTest):
    def expect_usage(self, *arguments, words=()):
        answer = self.expect(self.flyball(*arguments), 2, *words)
        self.assertEqual(answer.out, "")

    def test_version_and_help_go_to_stdout(self):
        answer = self.expect(self.flyball("--version"), 0)
        self.assertRegex(answer.out, r"^flyball \d+\.\d+\.\d+\n$")
        for arguments in (["--help"], ["-h"], ["help"]):
            answer = self.expect(self.flyball(*arguments), 0)
            for word in ("check", "run", "bench", "schema", "Exit codes"):
                self.assertIn(word, answer.out)
            self.assertLessEqual(max(map(len, answer.out.splitlines())), 80, answer.out)
            self.assertEqual(answer.err, "")

    def test_help_of_each_command(self):
        for command in ("new", "explain", "check", "run", "equilibrium", "linearize", "modes", "bench", "sweep", "optimize", "report", "plot", "schema", "help"):
            first = self.expect(self.flyball(command, "--help"), 0)
            second = self.expect(self.flyball("help", command), 0)
            self.assertEqual(first.out, second.out)
            self.assertIn(f"Usage: flyball {command}", first.out)
            self.assertLessEqual(max(map(len, first.out.splitlines())), 80, first.out)
            examples = first.out.split("Examples:\n")[1]
            self.assertEqual(examples.count("  flyball "), 2)
            self.assertNotRegex(first.out, r"(?<!-)\b(run|linearize|modes|bench|sweep|optimize|report|plot|schema): ")  # texts of its own
        self.assertIn("--integrator NAME", self.flyball("run", "--help").out)
        self.assertNotIn("--integrator", self.flyball("check", "--help").out)
        for arguments in (["reduce", "--help"], ["integrators"]):
            text = self.expect(self.flyball(*arguments), 0).out
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)

    def test_models_studies_and_results_are_told_apart(self):
        model = self.write("m.yaml", PENDULUM)
        study = self.write("s.yaml", "flyball_study: 1\nmodel: m.yaml\n")
        answer = self.expect(self.flyball("sweep", model), 3, "m.yaml:1:1: error: this is a model file, not a study")
        self.assertEqual(len(answer.err.splitlines()), 1, answer.err)
        answer = self.expect(self.flyball("run", study), 3, "s.yaml:1:1: error: this is a study file, not a model; use 'flyball sweep'")
        self.assertEqual(len(answer.err.splitlines()), 1, answer.err)
        self.expect_usage("report", model, words=["is not a result; 'flyball run", "--report FILE.html'"])

    def test_examples_are_valid_command_lines(self):
        for command in self.flyball("help", "--json").json()["commands"]:
            for example in command["examples"]:
                words = example["line"].split()
                self.assertEqual(words[0], "flyball")
                if words[1] not in ("bench", "integrators", "schema", "explain", "help", "new"):  # their files do not exist: not a usage error
                    answer = self.flyball(*words[1:], env={"ASAN_OPTIONS": "detect_leaks=0"} if "--mpi" in words else None)  # MPI keeps memory
                    if "which this build does not have" not in answer.err:  # an optional module, asked for before any file
                        self.assertIn(answer.code, (3, 4), example["line"] + answer.err)

    def test_new_writes_a_model_that_runs(self):
        self.expect(self.flyball("new", "first.yaml"), 0, "wrote first.yaml")
        self.expect(self.flyball("check", "first.yaml"), 0)
        answer = self.expect(self.flyball("run", "first.yaml", "--json"), 0).json()
        self.assertEqual(answer.get("warnings", []), [])
        self.expect(self.flyball("run", "first.yaml", "--set", "length=2", "--quiet"), 0)
        self.expect(self.flyball("new", "first.yaml"), 4, "first.yaml", "choose another name")
        self.expect(self.flyball("new", "missing/first.yaml"), 4, "cannot write")
        done = subprocess.run([FLYBALL, "new", "full.yaml"], cwd=self.folder, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("cannot write full.yaml: File too large", done.stderr)
        self.assertFalse((self.folder / "full.yaml").exists())  # it could not be written again otherwise

    def test_every_kind_of_error_is_explained(self):
        header = (SOURCE / "include/flyball/status.h").read_text()
        kinds = re.findall(r"FB_ERR_(\w+) = -\d+", header)
        self.assertGreater(len(kinds), 10)
        for kind in kinds:
            self.assertIn(f"{kind.lower()}: ", self.expect(self.flyball("explain", kind.lower()), 0).out)

    def test_errors_on_a_terminal_name_their_code(self):
        self.write("wrong.yaml", PENDULUM.replace("mass: m", "mass: -3"))
        self.write("twice.yaml", PENDULUM + "templates: {spare: {bodies: {rod: {mass: 1}}}}\n")
        self.write("named.yaml", PENDULUM.replace("gravity", "gravty"))
        for words, code in ((["check", "wrong.yaml"], "range"), (["check", "named.yaml"], "name"), (["check", "missing.yaml"], "io"), (["plot", "missing.csv"], "io"), (["run", "--duraton", "3"], "usage"), (["fly"], "usage"), (["check", "twice.yaml"], "warning")):
            with self.subTest(words):
                _, said = self.on_terminal(lambda err: subprocess.Popen([FLYBALL, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=err))
                self.assertIn(f"flyball explain {code}'", said.decode())
                self.assertNotIn("flyball explain", self.flyball(*words).err)

    def test_explain(self):
        listed = self.expect(self.flyball("explain"), 0).out
        codes = [code["code"] for code in self.flyball("explain", "--json").json()["codes"]]
        for code in codes:
            self.assertIn(f"  {code} ", listed)
            answer = self.expect(self.flyball("explain", code), 0).out
            self.assertTrue(answer.startswith(f"{code}: "))
            self.assertLessEqual(max(map(len, answer.splitlines())), 80)
        for code in ("0", "1", "2", "3", "4", "5", "130"):
            self.assertIn(code, codes)
        self.expect_usage("explain", "asembly", words=["there is no code 'asembly'; did you mean 'assembly'?"])

    def test_no_command(self):
        self.expect_usage(words=["Usage: flyball COMMAND"])

    def test_unknown_command_lists_what_exists(self):
        self.expect_usage("chekc", words=["unknown command 'chekc'", "did you mean 'check'?"])
        for command in ("fly", "optimise-all"):
            self.expect_usage(command, "x.yaml", words=["unknown command", "new, check, run, equilibrium, linearize, modes, bench, sweep, optimize, report, plot, convert, reduce, integrators, schema, explain, help"])
        self.expect_usage("help", "nothing", words=["unknown command 'nothing'", "check, run"])

    def test_unknown_and_misplaced_options(self):
        self.expect_usage("run", "--duraton", "3", "x.yaml", words=["unknown option '--duraton'", "did you mean '--duration'?"])
        self.expect_usage("check", "--sample", "3", "x.yaml", words=["--sample is not an option of 'check', but of: run"])
        self.expect_usage("check", "-o", "x", "x.yaml",
                          words=["-o is not an option of 'check', but of: run linearize modes bench sweep optimize report plot convert reduce schema\n"])
        self.expect_usage("--frobnicate", words=["unknown option '--frobnicate'"])
        self.expect_usage("run", "-x", "x.yaml", words=["unknown option '-x'"])

    def test_values_of_options(self):
        self.expect_usage("run", "x.yaml", "--duration", words=["--duration needs SECONDS"])
        for value in ("abc", "-1", "0", "nan", "inf", "1s"):
            self.expect_usage("run", "x.yaml", f"--duration={value}", words=[f"--duration is '{value}'", "greater than 0"])
        self.expect_usage("run", "x.yaml", "--json=yes", words=["--json takes no value"])
        self.expect_usage("run", "x.yaml", "-o", "", words=["--output needs PATH"])
        for value in ("L", "=3", "L="):
            self.expect_usage("run", "x.yaml", "--set", value, words=["must be NAME=VALUE"])

    def test_operands(self):
        self.expect_usage("run", words=["MODEL is missing"])
        self.expect_usage("check", "a.yaml", "b.yaml", words=["unexpected argument 'b.yaml'"])

    def test_full_disk_on_stdout(self):
        with open("/dev/full", "w") as full:
            self.expect(self.flyball("--help", stdout=full), 4, "cannot write to stdout")

    def test_failures_are_one_json_document(self):
        self.write("swing.yaml", PENDULUM)
        for code, words in ((2, ["run", "swing.yaml", "--bogus", "--json"]), (2, ["check", "--json"]), (2, ["plot", "x", "--json"]),
                            (2, ["reduce", "swing.yaml", "--json"]), (3, ["reduce", "swing.yaml", "-o", "out", "--json"]),
                            (4, ["bench", "--cases", "missing", "--json"]), (4, ["bench", "a01", "--report", "swing.yaml/x", "--json"])):
            with self.subTest(words):
                answer = self.expect(self.flyball(*words), code)
                [error] = answer.json()["errors"]
                self.assertIn(error["message"], answer.err)
                self.assertTrue(error["message"])
        self.assertEqual(self.flyball("plot", "--", "--json").out, "")
