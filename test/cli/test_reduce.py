"""`flyball reduce`: models with the written matrices behave as the original; no structure, no folder, loads."""
import unittest

from program import SOURCE, ProgramTest

MODEL = SOURCE / "test/cli/reduce/parts.yaml"
STRUCTURES = ("bracket", "deck", "bar")


def read_matrix(path):
    """Rows of a Matrix Market array."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    rows, cols = map(int, lines[0].split())
    values = list(map(float, lines[1:]))
    assert len(values) == rows * cols
    return [[values[c * rows + r] for c in range(cols)] for r in range(rows)]


def one_structure(name):
    """The model with one of its structures alone."""
    head, rest = MODEL.read_text().split("structures:\n")
    lines = rest.split("\nbodies:")[0].splitlines()
    first = lines.index(f"  {name}:")
    end = next((i for i in range(first + 1, len(lines)) if not lines[i].startswith("    ")), len(lines))
    return head + "structures:\n" + "\n".join(lines[first:end]) + "\n"


LOOSE = one_structure("bar").replace("supports: {x0: clamped}", "").replace("{group: x1, coupling: rigid}", "{at: [0, 0, 0]}")


class ReduceTest(ProgramTest):
    def reduce(self, model=MODEL, *options):
        return self.flyball("reduce", model, "-o", "out", *options)

    def document(self, *arguments):
        return self.expect(self.flyball(*arguments, "--json"), 0).json()

    def frequencies(self, model):
        modes = self.document("modes", model, "--lowest", "6", "--undamped")["modes"]
        self.assertEqual(len(modes), 6)
        return [mode["frequency_hz"] for mode in modes]

    def test_the_written_model_is_the_original(self):
        self.expect(self.reduce(), 0)
        for name in STRUCTURES:
            original = self.write("original.yaml", one_structure(name))
            path = self.folder / "out" / f"{name}.yaml"
            path.write_text(path.read_text() + "gravity: [1, -2, -9.81]\n")
            for a, b in zip(self.frequencies(original), self.frequencies(path)):
                self.assertAlmostEqual(a / b, 1.0, delta=1e-7)
            # At rest under gravity, in ground axes: nodes are where they were.
            before = self.document("equilibrium", original)["coordinates"]
            after = self.document("equilibrium", path)["coordinates"]
            nodes = [key for key in before if ".mode" not in key]
            size = max(abs(before[key]) for key in nodes)
            self.assertGreater(size, 0)
            self.assertGreater(len(nodes), 2)
            for key in nodes:
                self.assertAlmostEqual(after[key], before[key], delta=1e-7 * size)

    def test_json(self):
        document = self.document("reduce", MODEL, "-o", "out")
        self.assertEqual([s["name"] for s in document["structures"]], list(STRUCTURES))
        bar = document["structures"][2]
        self.assertEqual((bar["coordinates"], bar["node_coordinates"], len(bar["held_modes_hz"])), (270, 6, 6))
        self.assertEqual(document["processes"], 1)
        # A square bar: pairs.
        self.assertAlmostEqual(bar["held_modes_hz"][0] / bar["held_modes_hz"][1], 1.0, delta=1e-9)
        self.assertGreater(bar["held_modes_hz"][2] / bar["held_modes_hz"][1], 1.1)
        mass = read_matrix(self.folder / "out/bar_M.mtx")
        for i in range(6):
            for j in range(6):
                self.assertAlmostEqual(mass[6 + i][6 + j], float(i == j), delta=1e-9)

    def test_what_is_missing(self):
        self.expect(self.flyball("reduce", MODEL), 2, "give the folder")
        whole = self.write("whole.yaml", one_structure("bar").replace("reduce: {modes: 6}", ""))
        self.expect(self.reduce(whole), 3, "no structure has 'reduce'")
        self.expect(self.reduce(self.write("loose.yaml", LOOSE)), 3, "can move without stiffness")

    def test_loads_are_said_to_be_missing(self):
        loaded = self.write("loaded.yaml", one_structure("bar") + "    loads: {push: {group: z1, pressure: 1 Pa}}\n")
        self.expect(self.reduce(loaded), 0, "are not written")


if __name__ == "__main__":
    unittest.main()
