"""Every n-th allocation fails, over every command: it ends in order and says so, or does without and gives the same tables."""
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from program import FLYBALL, MODELS, SOURCE

LIBRARY = os.environ.get("FLYBALL_FAIL_ALLOCATION")
RUNS = 30  # of each command, spread over all its allocations
STUDIES = SOURCE / "docs/guide/studies"
# libfyaml 0.7.12 uses the memory of an input without looking whether there is any: two of its allocations.
YAML_CRASHES = 2


@unittest.skipIf(os.environ.get("FLYBALL_IS_SANITIZED"), "the sanitizers have allocations of their own")
@unittest.skipUnless(LIBRARY, "the loader of this system cannot replace allocations")
class Allocations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.result = pathlib.Path(cls.temp.name) / "pendulum.csv"
        subprocess.run([FLYBALL, "run", str(MODELS / "pendulum.yaml"), "--quiet", "-o", cls.temp.name], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.temp.cleanup()

    def call(self, folder, arguments, **more):
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "OPENBLAS_NUM_THREADS": "1", **more}
        return subprocess.run([FLYBALL, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=100)

    def tables(self, folder):
        return {p.name: p.read_bytes() for p in pathlib.Path(folder).rglob("*") if p.suffix in (".csv", ".fbr", ".npz", ".svg")}

    def fail_each(self, *arguments, **more):
        """The number of runs that a signal ended."""
        with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("r") as count:
            normal = self.call(folder, arguments, FLYBALL_FAIL_COUNT=count.name, **more)
            self.assertIn(normal.returncode, (0, 1), normal.stderr)
            total, tables = int(count.read()), self.tables(folder)
        crashes = 0
        for at in sorted({1 + k * total // RUNS for k in range(RUNS)} & set(range(1, total + 1))):
            with tempfile.TemporaryDirectory() as folder, self.subTest(command=arguments[0], at=at):
                done = self.call(folder, arguments, FLYBALL_FAIL_AT=str(at), **more)
                crashes += done.returncode < 0
                got = self.tables(folder)
                if done.returncode == normal.returncode and arguments[0] == "sweep":
                    self.check_points(got["table.csv"].decode(), tables["table.csv"].decode())
                elif done.returncode == normal.returncode:
                    self.assertEqual(got, tables)
                elif done.returncode >= 0:
                    self.assertIn("memory", done.stderr.lower())
                else:
                    self.assertEqual(-done.returncode, signal.SIGSEGV)
        return crashes

    def check_points(self, got, normal):
        """Points that have failed say why; the others are as they were."""
        for line, other in zip(got.splitlines(), normal.splitlines(), strict=True):
            if line != other:
                self.assertRegex(line, "failed,.*memory")

    def check(self, *arguments):
        self.assertEqual(self.fail_each(*arguments), 0, "ended by a signal")

    def test_allocations_are_replaced(self):
        """Otherwise the other tests would pass without trying anything."""
        with tempfile.NamedTemporaryFile("r") as count:
            self.call(self.temp.name, ["check", MODELS / "governor.yaml"], FLYBALL_FAIL_COUNT=count.name)
            self.assertGreater(int(count.read()), 100)

    def test_reading(self):
        self.check("check", MODELS / "governor.yaml")
        self.check("schema")

    def test_yaml(self):
        self.assertLessEqual(self.fail_each("check", MODELS / "governor.yaml", FLYBALL_FAIL_YAML="1"), YAML_CRASHES)

    def test_runs(self):
        self.check("run", MODELS / "slider_crank.yaml", "--quiet", "--duration", "0.1", "-o", "out")
        self.check("run", MODELS / "pendulum.yaml", "--quiet", "--format", "fbr", "-o", "out")
        self.check("run", MODELS / "composite.yaml", "--quiet", "--duration", "0.01", "-o", "out")

    def test_analyses(self):
        self.check("equilibrium", MODELS / "governor.yaml")
        self.check("linearize", MODELS / "fourbar.yaml")
        self.check("modes", MODELS / "composite.yaml", "--lowest", "3")

    def test_studies(self):
        self.check("sweep", STUDIES / "phase.yaml", "--quiet", "--jobs", "1", "--untimed", "-o", "table.csv")
        self.check("bench", "a01", "--quiet", "--untimed", "-o", "table.csv")

    def test_results(self):
        self.check("report", self.result, "-o", "page.html")
        self.check("plot", self.result, "-o", "plot.svg")
        self.check("convert", self.result, "-o", "table.npz")

    def test_words(self):
        self.check("help", "run")
        self.check("integrators")
        self.check("explain", "3")
        self.check("new", "first.yaml")


if __name__ == "__main__":
    unittest.main()
