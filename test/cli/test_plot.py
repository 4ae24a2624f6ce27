"""`flyball plot`: SVG that is well-formed and shows the data, text in the terminal, references, mistakes."""
import math
import re
import xml.etree.ElementTree

from program import MODELS, PENDULUM, SOURCE, ProgramTest

SVG = "{http://www.w3.org/2000/svg}"


class Plot(ProgramTest):
    def setUp(self):
        super().setUp()
        rows = [f"{t},{math.sin(t)},{2 * math.cos(t)},{100 * t}" for t in (0.1 * i for i in range(101))]
        self.write("waves.csv", "t [s],p.x [m],p.y [m],w [rad/s]\n" + "\n".join(rows) + "\n")

    def svg(self, *arguments):
        self.expect(self.flyball("plot", *arguments, "-o", "out.svg"), 0, "wrote out.svg")
        return xml.etree.ElementTree.parse(self.folder / "out.svg").getroot()

    def texts(self, root):
        return [t.text for t in root.iter(f"{SVG}text")]

    def test_panels_by_unit(self):
        root = self.svg("waves.csv")
        self.assertEqual(len(root.findall(f"{SVG}rect[@class='frame']")), 2)
        texts = self.texts(root)
        for word in ("waves", "t [s]", "[m]", "w [rad/s]", "p.x", "p.y", "w", "-2", "10", "1000"):
            self.assertIn(word, texts)

    def test_curve_is_the_data(self):
        root = self.svg("waves.csv", "--outputs", "w", "--title", "a & b")
        self.assertIn("a & b", self.texts(root))
        frame = root.find(f"{SVG}rect[@class='frame']")
        left, top, width, height = (float(frame.get(k)) for k in ("x", "y", "width", "height"))
        points = re.findall(r"([-\d.]+) ([-\d.]+)", root.find(f"{SVG}path[@class='curve']").get("d"))
        self.assertEqual(len(points), 101)
        for i, (x, y) in enumerate(points):
            self.assertAlmostEqual(float(x), left + width * i / 100, delta=0.11)
            self.assertAlmostEqual(float(y), top + height * (1 - i / 100), delta=0.11)

    def test_outputs(self):
        root = self.svg("waves.csv", "--outputs", "w,p")
        self.assertEqual(len(root.findall(f"{SVG}path[@class='curve']")), 2 * 3)  # curves and legends
        self.expect(self.flyball("plot", "waves.csv", "--outputs", "p.z"), 2, "no output 'p.z'", "did you mean 'p.")
        self.expect(self.flyball("plot", "waves.csv", "--outputs", "w,"), 2, "no output ''")

    def test_reference(self):
        self.expect(self.flyball("run", MODELS / "governor.yaml", "-o", "d", "-q"), 0)
        root = self.svg("d/governor.csv", "--outputs", "s", "--reference", SOURCE / "bench/cases/a05/reference.csv")
        marks = root.find(f"{SVG}g[@class='mark']")
        self.assertEqual(len(marks), 101)
        self.assertIn("s (ref.)", self.texts(root))

    def test_hostile_names(self):
        self.write("bad.csv", 't [s],"</svg><script>alert(1)</script>&\x01" ["<b>"]\n0,1\n1,2\n')
        self.write("bad2.csv", 't [s],"</svg><script>alert(1)</script>&\x01 [<b>]"\n0,1\n1,2\n')
        name = "bad2.csv"
        root = self.svg(name)
        self.assertEqual(root.findall(f".//{SVG}script"), [])
        self.assertTrue(any(t and "<script>" in t for t in self.texts(root)))
        answer = self.expect(self.flyball("plot", name), 0)
        self.assertNotIn("\x01", answer.out)

    def test_gaps_and_single_rows(self):
        self.write("one.csv", "t [s],x [m]\n0,1\n")
        self.svg("one.csv")
        self.expect(self.flyball("plot", "one.csv"), 0)
        self.write("none.csv", "t [s]\n0\n1\n")
        self.expect(self.flyball("plot", "none.csv"), 2, "no outputs")

    def test_terminal(self):
        answer = self.expect(self.flyball("plot", "waves.csv", env={"LC_ALL": "C"}), 0)
        answer.out.encode("ascii")
        for word in ("p.x [m]", "w [rad/s]", "1000 |", "10 s", "*"):
            self.assertIn(word, answer.out)
        self.assertTrue(all(len(line) <= 80 for line in answer.out.splitlines()))
        answer = self.expect(self.flyball("plot", "waves.csv", "--outputs", "w", env={"LC_ALL": "C.UTF-8"}), 0)
        self.assertTrue(any("\u2801" <= c <= "\u28ff" for c in answer.out))
        self.assertNotIn("*", answer.out)

    def test_many_outputs_in_the_terminal(self):
        names = [f"x{i}" for i in range(20)]
        self.write("many.csv", "t [s]," + ",".join(names) + "\n" + "\n".join(f"{t}" + ",1" * 20 for t in (0, 1)) + "\n")
        answer = self.expect(self.flyball("plot", "many.csv"), 0, "12 more outputs", "--outputs")
        self.assertIn("x7", answer.out)
        self.assertNotIn("x8", answer.out)

    def test_failures(self):
        self.expect(self.flyball("plot", "nothing.csv"), 4, "nothing.csv")
        self.expect(self.flyball("plot", "waves.csv", "-o", "no/such/out.svg"), 4, "no/such/out.svg")
        self.expect(self.flyball("plot"), 2, "RESULT is missing")

    def test_after_a_run(self):
        model = self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", model, "-o", "d", "-q"), 0)
        root = self.svg("d/swing")
        self.assertEqual(self.texts(root)[0], "swing")
