"""Type hints are complete and hold: mypy, strictly, over the package and the examples; and a program with a mistake is noticed."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE, BUILT = pathlib.Path(os.environ["FLYBALL_SOURCE"]), pathlib.Path(os.environ["PYTHONPATH"])
MYPY = shutil.which("mypy")
WRONG = """import flyball
m: flyball.Model = flyball.load("pole.yaml", k=8e5)
sim = m.simulation()
sim.set(push="much")
x: str = sim["x"]
m.ran(3)
"""


@unittest.skipIf(MYPY is None, "mypy is not installed")
class Types(unittest.TestCase):
    def check(self, *paths, path=SOURCE / "python"):
        cache = BUILT.parent / "mypy"  # what it knows of numpy, for the next time
        call = [MYPY, "--config-file", SOURCE / "python/mypy.ini", "--python-executable", "/usr/bin/python3", "--cache-dir", cache, *paths]
        return subprocess.run(call, capture_output=True, text=True, cwd=SOURCE, env={**os.environ, "MYPYPATH": str(path)})

    def test_package_and_examples(self):
        done = self.check("python/flyball", "python/examples")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"no issues found in 1\d source files")

    def test_users(self):
        """What users see, from where it is built (py.typed and the stub are there), finds their mistakes."""
        self.assertTrue((BUILT / "flyball/py.typed").exists())
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "wrong.py")
            pathlib.Path(name).write_text(WRONG)
            done = self.check(name, path=BUILT)
        lines = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line]
        self.assertEqual(lines, [4, 5, 6], done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
