"""`flyball sweep` over drawn points: methods, seeds, distributions, parts, and bad ones."""
import csv
import math
import shutil

from program import SOURCE, ProgramTest

STUDIES = SOURCE / "test/cli/studies"
STUDY = (STUDIES / "samples.study.yaml").read_text()
METHODS = ("random", "latin_hypercube", "sobol")


class SamplesTest(ProgramTest):
    def setUp(self):
        super().setUp()
        shutil.copy(STUDIES / "samples.yaml", self.folder)

    def sweep(self, text, *options, code=0, words=()):
        return self.expect(self.flyball("sweep", self.write("drawn.yaml", text), *options), code, *words)

    def rows(self, name="drawn.csv"):
        with open(self.folder / name, newline="") as file:
            return [{k: v for k, v in row.items() if k != "wall [s]"} for row in csv.DictReader(file)]


class Samples(SamplesTest):
    def test_rows(self):
        answer = self.sweep(STUDY, "--json").json()
        self.assertEqual((answer["points"], answer["computed"], answer["failed"]), (32, 32, 0))
        rows = self.rows()
        self.assertEqual([int(r["point"]) for r in rows], list(range(1, 33)))
        for row in rows:
            k, x0, m = (float(row[key]) for key in ("k", "x0", "m"))
            self.assertTrue(0.1 < x0 < 0.4 and k > 0 and m in (1, 1.5), row)
            self.assertAlmostEqual(float(row["end [m]"]), x0 * math.cos(math.sqrt(k / m)), delta=1e-8)
        # 32 balanced points: half of the values below the median, by closed forms.
        self.assertEqual(sum(float(r["k"]) < 4 / math.sqrt(1.01) for r in rows), 16)
        self.assertEqual(sum(float(r["x0"]) < 0.4 - math.sqrt(0.5 * 0.3 * 0.2) for r in rows), 16)
        self.assertEqual(sum(r["m"] == "1" for r in rows), 16)

    def test_seeds(self):
        for method in METHODS:
            text = STUDY.replace("sobol", method)
            self.sweep(text, "--jobs", "1", "-o", f"{method}_a.csv")
            self.sweep(text, "--jobs", "5", "-o", f"{method}_b.csv")
            self.sweep(text.replace("n: 32", "n: 32, seed: 2"), "-o", f"{method}_c.csv")
            a, b, c = (self.rows(f"{method}_{x}.csv") for x in "abc")
            self.assertEqual(a, b)
            self.assertEqual(len(a), len(c))
            self.assertFalse({r["k"] for r in a} & {r["k"] for r in c}, method)

    def test_sequences_are_continued(self):
        for method in ("random", "sobol"):
            text = STUDY.replace("sobol", method)
            self.sweep(text, "-o", f"{method}.csv")
            answer = self.sweep(text.replace("n: 32", "n: 64"), "-o", f"{method}.csv", "--json").json()
            self.assertEqual((answer["kept"], answer["computed"]), (32, 32))

    def test_parts(self):
        self.sweep(STUDY)
        complete = self.rows()
        for part in "123":
            self.sweep(STUDY, "--part", f"{part}/3")
        joined = "".join((self.folder / f"drawn.part-{p}-of-3.csv").read_text() for p in (3, 1, 2))
        self.write("joined.csv", joined)
        self.assertIn("computed 0, kept 32", self.sweep(STUDY, "-o", "joined.csv").out)
        self.assertEqual(self.rows("joined.csv"), complete)

    def test_equal_points_are_one_row(self):
        text = STUDY.replace("distribution: lognormal, mean: 4, deviation: 0.4", "distribution: choice, values: [3, 4, 5], weights: [1, 2, 1]")
        text = text.replace("distribution: triangular, from: 0.1, mode: 0.2, to: 0.4", "distribution: choice, values: [0.1, 0.2]")
        for jobs in "17":
            self.sweep(text, "--jobs", jobs, "-o", f"{jobs}.csv")
            self.assertEqual(self.sweep(text, "-o", f"{jobs}.csv", "--json").json()["computed"], 0)
        rows = self.rows("1.csv")
        self.assertLess(len(rows), 13)
        self.assertEqual(rows, self.rows("7.csv"))

    def test_numbers_with_units_and_parameters_of_the_model(self):
        self.sweep(STUDY.replace("mean: 4, deviation: 0.4", "mean: k, deviation: k/10").replace("from: 0.1", "from: 100 mm"))
        other = self.rows()
        self.sweep(STUDY, "-o", "plain.csv")
        self.assertEqual(other, self.rows("plain.csv"))

    def test_a_number_that_is_no_power_of_2(self):
        self.sweep(STUDY.replace("n: 32", "n: 33"), words=("drawn.yaml:8:29: warning: ", "power of 2"))

    def test_bad_samples(self):
        for old, new, place, *words in (
            ("method: sobol", "method: sobel", "8:19", "did you mean 'sobol'"),
            ("n: 32", "n: 0", "8:29", "n is 0"),
            (", n: 32", "", "8:10", "needs 'n'"),
            ("n: 32", "n: 32, sed: 4", "8:33", "did you mean 'seed'"),
            ("n: 32", "n: 32, seed: -1", "8:39", "seed is -1"),
            ("lognormal", "lognormale", "5:21", "unknown distribution", "did you mean 'lognormal'"),
            ("deviation: 0.4", "deviation: 0", "5:52", "above 0"),
            ("mean: 4", "mean: -4", "5:38", "above 0"),
            (", deviation: 0.4", "", "5:6", "needs 'deviation'"),
            ("deviation: 0.4", "deviation: 0.4, to: 3", "5:57", "unknown key 'to'"),
            ("mode: 0.2", "mode: 0.5", "6:7", "from <= mode <= to"),
            ("{distribution: triangular, from: 0.1, mode: 0.2, to: 0.4}", "{from: 0.1, to: 0.4, n: 3}", "6:3", "remove one of the two"),
            ("{distribution: triangular, from: 0.1, mode: 0.2, to: 0.4}", "{distribution: uniform, from: 0.5, to: 0.4}", "6:7", "'from' must be below 'to'"),
            ("{distribution: triangular, from: 0.1, mode: 0.2, to: 0.4}", "{distribution: choice, values: [1, 2], weights: [1]}", "6:55", "2 values and 1 weights"),
            ("{distribution: triangular, from: 0.1, mode: 0.2, to: 0.4}", "{distribution: choice, values: [1, 2], weights: [1, 0]}", "6:55", "weight 2"),
            ("samples: {method: sobol, n: 32}\n", "", "5:3", "needs 'samples'"),
            ("method: sobol, n: 32", "method: latin_hypercube, n: 9000000", "8:39", "more than 10000000"),
        ):
            self.assertIn(old, STUDY)
            answer = self.sweep(STUDY.replace(old, new, 1), code=3, words=words)
            self.assertIn(f"drawn.yaml:{place}: error: ", answer.err, new)

    def test_too_many_dimensions(self):
        names = [f"p{i}" for i in range(19)]
        self.write("samples.yaml", (STUDIES / "samples.yaml").read_text().replace("m: 1}", "m: 1, " + ", ".join(f"{n}: 0" for n in names) + "}"))
        ranges = "\n".join(f"  {n}: {{from: 0, to: 1}}" for n in names)
        text = STUDY.replace("  m: [1, 1.5]", ranges).replace("method: sobol, n: 32", "method: saltelli, n: 4")
        self.sweep(text, code=3, words=("at most 37 dimensions", "21 parameters need 42"))
        self.sweep(text.replace("saltelli", "sobol"), "--json")

    def test_no_optimization(self):
        text = STUDY + "objective: {minimize: end}\n"
        self.expect(self.flyball("optimize", self.write("drawn.yaml", text)), 3, "drawn.yaml:5:3: error: ", "lognormal distribution")
