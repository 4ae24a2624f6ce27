"""`flyball linearize`: classified eigenvalues by all methods, files, times, mistakes."""
import json
import math

from linear_models import DRIFTING, MASSLESS, OSCILLATOR, STONE, TRUSS, UPRIGHT
from program import MODELS, PENDULUM, ProgramTest

EXACT = complex(-0.2423858093105051, 2.1339550283483803)
EXACT_OPTION = f"--exact={EXACT.real!r},{EXACT.imag!r}"
METHODS = ["independent", "descriptor", "ode", "penalty"]
KEYS = """re im infinite class residual constraint_residual condition frequency_hz damping_ratio participation""".split()


def read_matrix(path):
    """Rows of a Matrix Market array file."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    rows, columns = map(int, lines[0].split())
    values = list(map(float, lines[1:]))
    assert len(values) == rows * columns
    return [values[r::rows] for r in range(rows)] if rows else []


class Linearize(ProgramTest):
    def linearize(self, model, *arguments):
        return self.expect(self.flyball("linearize", model, *arguments, "--json"), 0).json()

    def linearize_text(self, text, *arguments):
        return self.linearize(self.write("model.yaml", text), *arguments)

    def test_all_methods_of_the_fourbar(self):
        document = self.linearize(MODELS / "fourbar.yaml", "--method", "all", "--coordinates", "both", EXACT_OPTION)
        self.assertLess(document["equilibrium"]["residual"], 1e-12)
        self.assertAlmostEqual(document["equilibrium"]["coordinates"]["pin_B"], 2.234331019017586, delta=1e-13)
        methods = document["methods"]
        self.assertEqual([(m["method"], m["coordinates"]) for m in methods],
                         [(m, c) for m in METHODS for c in ("joint", "absolute")])
        for m in methods:
            true = [e for e in m["eigenvalues"] if e["class"] in ("physical", "rigid-body")]
            self.assertEqual([e["class"] for e in true], ["physical"] * 2)
            self.assertLess(m["error"], 1e-3 if m["method"] == "penalty" else 1e-11)
            self.assertGreater(m["time_s"], 0)
            self.assertEqual(m["repeat"], 1)
            self.assertIsNone(m["failure"])
            for e in m["eigenvalues"]:
                self.assertEqual(list(e), KEYS)
                self.assertIn(e["class"], ("physical", "rigid-body", "constraint", "artefact"))
                self.assertEqual(e["re"] is None, e["infinite"])
            for e in true:
                self.assertAlmostEqual(e["frequency_hz"], abs(EXACT) / (2 * math.pi), delta=1e-4)
                self.assertAlmostEqual(e["damping_ratio"], -EXACT.real / abs(EXACT), delta=1e-4)
                self.assertEqual(set(e["participation"]), {"AC", "CD", "BD"})
                self.assertAlmostEqual(sum(e["participation"].values()), 1.0, delta=1e-12)
                self.assertAlmostEqual(e["participation"]["CD"], 0.6, delta=1e-3)
        independent = methods[0]["eigenvalues"]
        self.assertEqual([(e["re"], e["im"]) for e in independent][0], (independent[1]["re"], -independent[1]["im"]))
        self.assertEqual(len([e for e in methods[2]["eigenvalues"] if e["infinite"]]), 6)

    def test_error_is_null_without_exact_values(self):
        self.assertIsNone(self.linearize(MODELS / "fourbar.yaml")["methods"][0]["error"])
        # More exact values than eigenvalues: no error can be reported.
        document = self.linearize(MODELS / "fourbar.yaml", EXACT_OPTION, "--exact", "-7,0")
        self.assertIsNone(document["methods"][0]["error"])

    def test_repeat(self):
        once = self.linearize(MODELS / "fourbar.yaml")["methods"][0]
        often = self.linearize(MODELS / "fourbar.yaml", "--repeat", "1000")["methods"][0]
        self.assertEqual((once["repeat"], often["repeat"]), (1, 1000))
        self.assertGreater(often["time_s"], once["time_s"])
        self.assertEqual(once["eigenvalues"], often["eigenvalues"])

    def test_penalty_and_baumgarte_act(self):
        errors = [self.linearize(MODELS / "fourbar.yaml", "--method", "penalty", "--penalty", factor, EXACT_OPTION)
                  ["methods"][0]["error"] for factor in ("1e4", "1e6")]
        self.assertAlmostEqual(math.log10(errors[0] / errors[1]), 2.0, delta=0.01)
        method = self.linearize(MODELS / "fourbar.yaml", "--method", "ode", "--baumgarte", "30")["methods"][0]
        spurious = [e for e in method["eigenvalues"] if e["class"] != "physical"]
        self.assertEqual(len(spurious), 4)
        for e in spurious:  # a double root, hence half of the digits
            self.assertAlmostEqual(e["re"], -30.0, delta=1e-3)

    def test_table(self):
        answer = self.expect(self.flyball("linearize", MODELS / "fourbar.yaml", "--method", "all", EXACT_OPTION), 0)
        self.assertRegex(answer.out, r"(?m)^independent, joint coordinates: 2 eigenvalues, 2 true; 1 execution in \S+ s; error \S+$")
        self.assertRegex(answer.out, r"(?m)^ +-0\.2423858093\d+ +2\.1339550283\d+ +0\.341813 +0\.11286  physical ")
        self.assertIn("and 6 infinite (constraint)", answer.out)
        self.assertEqual(answer.err, "")

    def test_solution_file(self):
        answer = self.expect(self.flyball("linearize", MODELS / "fourbar.yaml", "--method", "all", "--repeat", "10",
                                          "-o", "solution.txt", EXACT_OPTION), 0, "wrote solution.txt")
        self.assertIn("independent", answer.out)
        text = (self.folder / "solution.txt").read_text()
        for word in ("# Columns:", "# point: equilibrium", "pin_B = 2.23433101901758", "10 executions in"):
            self.assertIn(word, text)
        rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual([r[0] for r in rows], ["independent"] * 2 + ["descriptor"] * 8 + ["ode"] * 6 + ["penalty"] * 6)
        for row in rows:
            self.assertEqual(len(row), 9)
            self.assertEqual(row[3], "true" if row[4] in ("physical", "rigid-body") else "spurious")
        self.assertEqual([r[3] for r in rows].count("true"), 8)
        self.assertLess(abs(complex(float(rows[0][5]), float(rows[0][6])) - EXACT), 1e-13)
        self.assertEqual([r[5:7] for r in rows if r[0] == "descriptor"][2:], [["inf", "0"]] * 6)
        self.expect(self.flyball("linearize", MODELS / "fourbar.yaml", "-o", "nowhere/x.txt"), 4, "nowhere/x.txt")

    def test_matrices(self):
        self.write("model.yaml", OSCILLATOR)
        self.expect(self.flyball("linearize", "model.yaml", "--matrices", "out/matrices"), 0, "wrote M, C, K")
        folder = self.folder / "out/matrices"
        names = json.loads((folder / "names.json").read_text())
        self.assertEqual(names["states"], [{"name": "slide", "kind": "coordinate"}, {"name": "slide", "kind": "velocity"}])
        self.assertIn("push", names["inputs"])
        self.assertEqual(names["outputs"], ["x", "v"])
        matrix = {name: read_matrix(folder / f"{name}.mtx") for name in ("M", "C", "K", "A", "B", "Cy", "D")}
        self.assertEqual(matrix["M"], [[2.0]])
        self.assertAlmostEqual(matrix["C"][0][0], 0.4, delta=1e-15)
        self.assertAlmostEqual(matrix["K"][0][0], 50.0, delta=1e-12)
        self.assertEqual(matrix["A"][0], [0.0, 1.0])
        self.assertAlmostEqual(matrix["A"][1][0], -25.0, delta=1e-12)
        push = names["inputs"].index("push")
        self.assertEqual([row[push] for row in matrix["B"]], [0.0, 0.5])
        self.assertEqual(matrix["Cy"], [[1.0, 0.0], [0.0, 1.0]])
        self.assertEqual(len(matrix["D"]), 2)
        self.write("file", "")
        self.expect(self.flyball("linearize", "model.yaml", "--matrices", "file/x"), 4, "file")

    def test_no_equilibrium(self):
        name = self.write("stone.yaml", STONE)
        self.assertEqual(self.expect(self.flyball("linearize", name), 1, "no equilibrium found").out, "")
        # Away from equilibrium it is said, with the drift.
        answer = self.expect(self.flyball("linearize", name, "--at", "initial"), 0, "warning", "not an equilibrium", "9.81")
        self.assertIn("drift", answer.out)
        document = self.linearize(name, "--at", "initial")
        self.assertIs(document["equilibrium"]["is_equilibrium"], False)
        self.assertAlmostEqual(document["equilibrium"]["largest_acceleration"], 9.81, delta=1e-14)

    def test_at(self):
        # The pendulum at rest in its initial position: k = m g l cos(angle from below).
        document = self.linearize_text(PENDULUM, "--at", "initial")
        self.assertEqual(document["equilibrium"]["coordinates"]["pivot"], 0.5)
        omega = document["methods"][0]["eigenvalues"][0]["im"]
        self.assertAlmostEqual(omega**2, 9.81 * math.sin(0.5), delta=1e-12)
        run = self.expect(self.flyball("run", "model.yaml", "--duration", "0.3", "--json"), 0).json()
        document = self.linearize("model.yaml", "--at", "0.3")
        self.assertEqual(document["equilibrium"]["at"], "t = 0.3 s")
        self.assertAlmostEqual(document["equilibrium"]["coordinates"]["pivot"], run["final"]["angle"], delta=1e-7)

    def test_classes(self):
        eigenvalues = self.linearize_text(UPRIGHT)["methods"][0]["eigenvalues"]
        self.assertEqual([e["class"] for e in eigenvalues], ["physical"] * 2)
        for e, sign in zip(sorted(eigenvalues, key=lambda e: e["re"]), (-1, 1)):
            self.assertAlmostEqual(e["re"], sign * math.sqrt(9.81), delta=1e-12)
        eigenvalues = self.linearize_text(DRIFTING)["methods"][0]["eigenvalues"]
        self.assertEqual([e["class"] for e in eigenvalues], ["rigid-body"] * 12)

    def test_methods_that_do_not_apply(self):
        # In steady rotation: listed with the others, but an error alone.
        arguments = (MODELS / "governor.yaml", "--steady", "spin=6.28", "--coordinates", "absolute")
        document = self.linearize(*arguments, "--method", "all")
        by_name = {m["method"]: m for m in document["methods"]}
        self.assertEqual(len(by_name["independent"]["eigenvalues"]), 8)
        self.assertIn("at rest", by_name["ode"]["failure"])
        self.assertEqual(by_name["ode"]["eigenvalues"], [])
        self.assertIsNone(by_name["ode"]["time_s"])
        self.expect(self.flyball("linearize", *arguments, "--method", "ode"), 1, "at rest")

    def test_bad_models(self):
        truss, massless = self.write("truss.yaml", TRUSS), self.write("massless.yaml", MASSLESS)
        for method in METHODS:
            self.expect(self.flyball("linearize", truss, "--method", method), 1, "no degree of freedom")
        self.expect(self.flyball("linearize", massless, "--at", "initial"), 1, "massless.yaml:8:3", "'hinge'", "no inertia")
        document = self.expect(self.flyball("linearize", truss, "--json"), 1).json()
        self.assertIn("no degree of freedom", document["errors"][0]["message"])

    def test_mistakes(self):
        model = MODELS / "fourbar.yaml"
        for arguments, words in (
                (("--method", "independant"), ("unknown method 'independant'", "did you mean 'independent'?", "penalty, all")),
                (("--coordinates", "polar"), ("--coordinates is 'polar'", "joint, absolute or both")),
                (("--at", "noon"), ("--at is 'noon'", "equilibrium, initial or a time")),
                (("--at", "initial", "--steady", "pin_A=1"), ("--steady requires --at equilibrium",)),
                (("--steady", "pin_X=1"), ("no joint coordinate 'pin_X'",)),
                (("--exact", "3"), ("--exact is '3'", "RE,IM")),
                (("--repeat", "0"), ("--repeat is '0'", "an integer greater than 0")),
                (("--repeat", "1.5"), ("--repeat is '1.5'",)),
                (("--penalty", "-1"), ("--penalty is '-1'", "greater than 0"))):
            answer = self.expect(self.flyball("linearize", model, *arguments), 2, *words)
            self.assertEqual(answer.out, "")
