"""Commands, options, help and the messages of a wrong command line."""
from program import ProgramTest


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
            self.assertEqual(answer.err, "")

    def test_help_of_each_command(self):
        for command in ("check", "run", "equilibrium", "linearize", "modes", "bench", "sweep", "optimize", "report", "plot", "schema", "help"):
            first = self.expect(self.flyball(command, "--help"), 0)
            second = self.expect(self.flyball("help", command), 0)
            self.assertEqual(first.out, second.out)
            self.assertIn(f"Usage: flyball {command}", first.out)
            self.assertNotRegex(first.out, r"(?<!-)\b(run|linearize|modes|bench|sweep|optimize|report|plot|schema): ")  # texts of its own
        self.assertIn("--integrator NAME", self.flyball("run", "--help").out)
        self.assertNotIn("--integrator", self.flyball("check", "--help").out)

    def test_no_command(self):
        self.expect_usage(words=["Usage: flyball COMMAND"])

    def test_unknown_command_lists_what_exists(self):
        self.expect_usage("chekc", words=["unknown command 'chekc'", "did you mean 'check'?"])
        for command in ("fly", "optimise-all"):
            self.expect_usage(command, "x.yaml", words=["unknown command", "check, run, equilibrium, linearize, modes, bench, sweep, optimize, report, plot, integrators, schema, help"])
        self.expect_usage("help", "nothing", words=["unknown command 'nothing'", "check, run"])

    def test_unknown_and_misplaced_options(self):
        self.expect_usage("run", "--duraton", "3", "x.yaml", words=["unknown option '--duraton'", "did you mean '--duration'?"])
        self.expect_usage("check", "--sample", "3", "x.yaml", words=["--sample is not an option of 'check', but of: run"])
        self.expect_usage("check", "-o", "x", "x.yaml",
                          words=["-o is not an option of 'check', but of: run linearize modes bench sweep optimize report plot schema\n"])
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
