"""The wheel holds all that the package needs, and works from where it is unpacked."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])


class Wheel(unittest.TestCase):
    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, "-B", SOURCE / "python/wheel.py", os.environ["PYTHONPATH"], folder], check=True, capture_output=True,
                                  text=True).stdout.strip()
            place = os.path.join(folder, "unpacked")
            with zipfile.ZipFile(made) as archive:
                record = next(n for n in archive.namelist() if n.endswith("RECORD"))
                listed = {line.split(",")[0] for line in archive.read(record).decode().splitlines()}
                self.assertEqual(listed, set(archive.namelist()))
                self.assertLessEqual({"flyball/py.typed", "flyball/_declarations.pyi", "flyball/libflyball.so"}, listed)
                archive.extractall(place)
            code = "import flyball; print(flyball.__file__); print(flyball.load('models/governor.yaml').run(0.1).t[-1])"
            environment = {**os.environ, "PYTHONPATH": place}
            out = subprocess.run([sys.executable, "-B", "-c", code], check=True, capture_output=True, text=True, cwd=SOURCE, env=environment).stdout.split()
            self.assertTrue(out[0].startswith(place))
            self.assertAlmostEqual(float(out[1]), 0.1)


if __name__ == "__main__":
    unittest.main()
