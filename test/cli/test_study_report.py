"""Statistics and sensitivities of sampled studies, and the reports of studies."""
import html.parser
import math
import shutil

from program import SOURCE, ProgramTest

STUDIES = SOURCE / "test/cli/studies"


def text_of(name):
    return (STUDIES / name).read_text()


class ReportTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for file in STUDIES.glob("*.yaml"):
            shutil.copy(file, self.folder)

    def sweep(self, text, *options):
        (self.folder / "t.csv").unlink(missing_ok=True)
        return self.expect(self.flyball("sweep", self.write("study.yaml", text), "-o", "t.csv", *options), 0)


class Sensitivities(ReportTest):
    ISHIGAMI = text_of("ishigami.study.yaml")

    def statistics(self, text):
        return self.sweep(text, "--json").json()["statistics"]

    def test_ishigami(self):
        """Closed forms of sin x1 + a sin^2 x2 + b x3^4 sin x1, a = 7, b = 0.1 (Ishigami and Homma 1990)."""
        y = self.statistics(self.ISHIGAMI)["y"]
        a, b, pi = 7, 0.1, math.pi
        v1, v2, v13 = 0.5 * (1 + b * pi**4 / 5) ** 2, a**2 / 8, b**2 * pi**8 * (1 / 18 - 1 / 50)
        v = v1 + v2 + v13
        self.assertAlmostEqual(y["mean"], a / 2, delta=1e-3)
        self.assertAlmostEqual(y["deviation"], math.sqrt(v), delta=5e-3)
        for name, first, total in (("x1", v1 / v, (v1 + v13) / v), ("x2", v2 / v, v2 / v), ("x3", 0, v13 / v)):
            found = y["parameters"][name]
            for key, wanted, tolerance in (("first", first, 0.015), ("total", total, 0.005)):
                self.assertAlmostEqual(found[key]["value"], wanted, delta=tolerance, msg=f"{name} {key}")
                self.assertTrue(0.001 < found[key]["width"] < 0.07, found)
        self.assertLess(y["r_squared"], 0.2)

    def test_linear_function(self):
        """Coefficients a_i s_i / s_y, R2 = 1, and both indices are their squares."""
        linear = self.statistics(self.ISHIGAMI)["linear"]
        size = math.sqrt(9 + 4 + 0.25)
        self.assertAlmostEqual(linear["r_squared"], 1, delta=1e-12)
        self.assertAlmostEqual(linear["mean"] / -1e7, 1, delta=1e-3)
        self.assertAlmostEqual(linear["deviation"], 1e6 * size * 2 * math.pi / math.sqrt(12), delta=5e3)
        for name, a in (("x1", 3), ("x2", -2), ("x3", 0.5)):
            found = linear["parameters"][name]
            self.assertAlmostEqual(found["regression"], a / size, delta=2e-3)
            self.assertAlmostEqual(found["first"]["value"], a**2 / size**2, delta=2e-3)
            self.assertAlmostEqual(found["total"]["value"], a**2 / size**2, delta=2e-3)

    def test_a_constant_depends_on_nothing(self):
        constant = self.statistics(self.ISHIGAMI)["constant"]
        self.assertEqual((constant["mean"], constant["deviation"], constant["q05"]), (4, 0, 4))
        self.assertIsNone(constant["parameters"]["x1"]["regression"])
        self.assertIsNone(constant["r_squared"])

    def test_quantiles_and_correlated_errors(self):
        """A Latin hypercube of one parameter has the quantiles of its distribution."""
        text = self.ISHIGAMI.replace("method: saltelli, n: 2048", "method: latin_hypercube, n: 2000")
        text = text.split("measures:")[0] + "measures: {y: 2*x1 + 1}\n"
        y = self.statistics(text)["y"]
        for key, u in (("q05", 0.05), ("q50", 0.5), ("q95", 0.95)):
            self.assertAlmostEqual(y[key], 1 + 2 * math.pi * (2 * u - 1), delta=2e-2)
        self.assertNotIn("first", y["parameters"]["x1"])
        self.assertAlmostEqual(y["parameters"]["x1"]["regression"], 1, delta=1e-12)
        self.assertAlmostEqual(y["parameters"]["x2"]["regression"], 0, delta=1e-12)

    def test_few_points_and_failed_ones(self):
        y = self.statistics(self.ISHIGAMI.replace("n: 2048", "n: 1"))["y"]
        self.assertEqual(y["n"], 2)
        self.assertIsNone(y["r_squared"])
        self.assertIsNone(y["parameters"]["x1"]["first"]["value"])
        # Rows that fail leave their blocks out: sqrt of a negative number.
        text = self.ISHIGAMI.split("measures:")[0] + "measures: {y: sqrt(x1 + 3)}\n"
        answer = self.sweep(text, "--json")
        self.assertGreater(answer.json()["failed"], 0)
        self.assertAlmostEqual(answer.json()["statistics"]["y"]["parameters"]["x1"]["total"]["value"], 1, delta=0.1)

    def test_text(self):
        out = self.sweep(self.ISHIGAMI.replace("2048", "64")).out
        for words in ("distribution of the measures", "mean", "regression coefficient", "R2 = 1.0000", "first", "total"):
            self.assertIn(words, out)
        self.assertNotIn("nan", out)

    def test_grids_have_none(self):
        answer = self.sweep(text_of("coupled.study.yaml"), "--json").json()
        self.assertNotIn("statistics", answer)


class Page(html.parser.HTMLParser):
    """Counts elements; all that are opened must be closed."""
    VOID = {"meta", "link", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.counts, self.headings, self.texts = [], {}, [], []
        self.feed(text)
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)
        self.texts.append(data)


class Reports(ReportTest):
    def page(self, text, *options, command="sweep"):
        (self.folder / "t.csv").unlink(missing_ok=True)
        name = self.write("study.yaml", text)
        self.expect(self.flyball(command, name, "-o", "t.csv", "--report", "r.html", *options), 0, "report: r.html")
        text = (self.folder / "r.html").read_text()
        self.assertNotIn("nan", text)
        self.assertNotIn("inf\"", text)
        return Page(text)

    def test_one_parameter(self):
        page = self.page(text_of("root_locus.study.yaml"))
        self.assertEqual(page.headings, ["Root locus", "Measures over the parameter"])
        self.assertEqual(page.counts["svg"], 5)
        # Marks of 21 points: two eigenvalues, and four measures.
        self.assertEqual(page.counts["circle"], 21 * 6)

    def test_campbell_diagram(self):
        page = self.page(text_of("rotor.study.yaml"))
        self.assertEqual(page.headings, ["Campbell diagram and other measures"])
        self.assertIn("rotation", page.texts)
        self.assertEqual(page.counts["svg"], 1)

    def test_two_parameters(self):
        text = text_of("root_locus.study.yaml").replace("n: 21}", "n: 5}, L: [2, 1, 3]").replace("s: {modes: 2, of: eigenvalue}", "sum: zeta + L")
        page = self.page(text)
        self.assertEqual(page.headings, ["Maps over the two parameters"])
        self.assertEqual(page.counts["svg"], 5)

    def test_samples(self):
        page = self.page(text_of("ishigami.study.yaml").replace("2048", "16"))
        self.assertEqual(page.headings, ["Distribution of the measures", "Standardized regression coefficients", "Sobol' indices of first order",
                                         "Total Sobol' indices", "Measures against parameters"])
        self.assertEqual((page.counts["svg"], page.counts["table"]), (9, 4))

    def test_search_and_names(self):
        text = text_of("functions.yaml")
        self.write("functions.yaml", text)
        study = """\
flyball_study: 1
title: "<b>&amp; a \\"title\\""
model: functions.yaml
parameters: {x1: {from: -1, to: 2, n: 3}, x2: {from: -1, to: 2, n: 3}}
measures: {y: (x1 - 1)^2 + x2^2}
objective: {minimize: y}
optimize: {evaluations: 30}
"""
        page = self.page(study, command="optimize")
        self.assertIn('<b>&amp; a "title"', page.texts)
        self.assertEqual(page.headings, ["Best point", "Measures against parameters"])

    def test_many_charts(self):
        measures = "\n".join(f"  y{i}: x1 + {i}*x2" for i in range(60))
        text = text_of("ishigami.study.yaml").replace("2048", "4").split("measures:")[0] + f"measures:\n{measures}\n"
        page = self.page(text)
        self.assertEqual(page.counts["svg"], 80)
        self.assertIn("100 more charts are left out.", page.texts)

    def test_unwritable(self):
        name = self.write("study.yaml", text_of("coupled.study.yaml"))
        self.expect(self.flyball("sweep", name, "-o", "t.csv", "--report", "nowhere/r.html"), 4, "nowhere/r.html")
