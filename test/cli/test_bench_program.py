"""The program of `make bench`: a section runs, its table ends with ratios, and its files lie beside the CSV file. No time is judged."""
import csv
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["FLYBALL_BENCH"]


class BenchProgram(unittest.TestCase):
    def test_table_of_ratios(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bench.csv")
            run = subprocess.run([PROGRAM, path, "process"], cwd="/", capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            with open(path, newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(os.listdir(folder), ["bench.csv"])
        ratios = {row["case"]: float(row["value"]) for row in rows if row["section"] == "summary"}
        self.assertEqual(set(ratios), {"A05 at 1e-5, whole process", "sweep of A05, a point"})
        for work, ratio in ratios.items():
            self.assertGreater(ratio, 0.0)
            self.assertIn(work, run.stdout)

    def test_unknown_arguments(self):
        run = subprocess.run([PROGRAM, "--all"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("usage", run.stderr)


if __name__ == "__main__":
    unittest.main()
