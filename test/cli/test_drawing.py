"""What reports draw of a run besides bodies: arrows of recorded forces, stresses of beams against the sensor and a closed form, ropes, two runs in one picture."""
import base64
import json
import re
import struct

from program import MODELS, PENDULUM, SOURCE, ProgramTest

ARM = SOURCE / "test/cli/gltf/arm.yaml"
CANTILEVER = SOURCE / "test/cli/drawing/cantilever.yaml"


def numbers(packed, code, size):
    data = base64.b64decode(packed)
    return struct.unpack(f"<{len(data) // size}{code}", data)


class Drawing(ProgramTest):
    def document(self, path):
        return json.loads(re.search(r'id="flyball-data">(.*?)</script>', (self.folder / path).read_text(), re.S).group(1))

    def report(self, model, *more):
        self.expect(self.flyball("run", model, "-q", "--report", "r.html", *more), 0)
        return self.document("r.html")

    def test_arrows_are_recorded_forces_where_they_act(self):
        document = self.report(ARM, "--duration", "0.1")
        names = [body["name"] for body in document["bodies"]]
        outputs = [output["name"] for output in document["outputs"]]
        arrows = {arrow["name"]: arrow for arrow in document["arrows"]}
        self.assertEqual(set(arrows), {"hold", "twist", "pull", "press"})
        for name, arrow in arrows.items():
            self.assertEqual([outputs[i] for i in arrow["outputs"]], [f"{name}.{axis}" for axis in "xyz"])
        self.assertEqual([arrows[n]["kind"] for n in ("hold", "twist", "pull", "press")], ["force", "torque", "force", "contact"])
        self.assertEqual(names[arrows["hold"]["body"]], "stick")
        self.assertEqual(arrows["hold"]["axes"], -1)
        self.assertEqual(names[arrows["twist"]["axes"]], "stick")
        self.assertEqual((names[arrows["pull"]["body"]], arrows["pull"]["at"]), ("stick", [0.5, 0, 0]))
        self.assertEqual(arrows["press"]["slider"], 0)

    def test_outputs_that_are_no_forces_have_no_arrows(self):
        self.write("swing.yaml", PENDULUM)
        self.assertEqual(self.report("swing.yaml")["arrows"], [])

    def test_arrows_survive_saving(self):
        self.expect(self.flyball("run", ARM, "-q", "--duration", "0.1", "-o", "saved", "--poses", "--report", "a.html"), 0)
        self.expect(self.flyball("report", "saved/arm.csv", "-o", "b.html", "-q"), 0)
        a, b = self.document("a.html"), self.document("b.html")
        self.assertTrue(a["arrows"])
        self.assertEqual((a["arrows"], a["rods"], a["members"]), (b["arrows"], b["rods"], b["members"]))

    def stress(self, *more):
        document = self.report(CANTILEVER, *more)
        member = document["members"][0]
        values = [member["stress_step"] * x for x in numbers(member["stress"]["i16"], "h", 2)]
        root = {o["name"]: numbers(o["values"]["f64"], "d", 8)[0] for o in document["outputs"]}
        return values[:2 * 3], max(abs(v) for k, v in root.items() if "axial" in k)

    def test_stress_of_beams(self):
        for turn in ("0", "0.3", "2.5"):
            for scale in (1e-6, 1.0):  # of the loads
                with self.subTest(turn=turn, scale=scale):
                    values, sensor = self.stress("--set", f"turn={turn}", "--set", f"F={30 * scale}", "--set", f"N={400 * scale}")
                    a, b = 0.03, 0.02  # along the force: the width; the height stands up
                    for end, x in ((0, 0), (1, 2 / 3), (4, 4 / 3)):  # ends of elements
                        bending = 30 * (2 - x) * a / 2 / (b * a**3 / 12)
                        self.assertAlmostEqual(values[end] / (scale * (bending + 400 / (a * b))), 1, delta=2e-3, msg=f"x = {x}")
                    self.assertAlmostEqual(values[0] / sensor, 1, delta=2e-3)

    def test_stress_with_large_rotations(self):
        text = CANTILEVER.read_text().replace("theory: linear", "theory: nonlinear").replace("elements: 3", "elements: 12")
        self.write("large.yaml", text.replace("F: 30, N: 400", "F: 600, N: 0"))
        document = self.report("large.yaml")
        member = document["members"][0]
        first = member["stress_step"] * numbers(member["stress"]["i16"], "h", 2)[0]
        sensor = max(abs(numbers(o["values"]["f64"], "d", 8)[0]) for o in document["outputs"] if "axial" in o["name"])
        self.assertAlmostEqual(first / sensor, 1, delta=0.06)  # the sensor is at the section, this is of the element's mean cubic

    def test_ropes_have_no_mass(self):
        bodies = {body["name"]: body for body in self.report(MODELS / "crane.yaml", "--duration", "0.1")["bodies"]}
        self.assertIs(bodies["rope"].get("is_massless"), True)
        self.assertFalse(any(body.get("is_massless") for name, body in bodies.items() if name != "rope"))
        self.assertEqual([rod["name"] for rod in self.report(ARM, "--duration", "0.1")["rods"]], ["line"])

    def test_two_runs_in_one_report(self):
        self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", "swing.yaml", "-q", "-o", "a", "--poses"), 0)
        self.expect(self.flyball("run", "swing.yaml", "-q", "-o", "b", "--poses", "--set", "L=0.5"), 0)
        self.expect(self.flyball("report", "a/swing.csv", "--with", "b/swing.csv", "-o", "both.html", "-q"), 0)
        both, other = self.document("both.html"), json.loads((self.folder / "b/swing.motion.json").read_text())
        self.assertEqual({key: both["beside"][key] for key in other}, other)
        self.assertNotEqual(both["bodies"], other["bodies"])
        self.assertEqual({r["output"] for r in both["references"]}, {"angle", "tip.x", "tip.y", "tip.z"})
        (self.folder / "b/swing.motion.json").unlink()
        self.expect(self.flyball("report", "a/swing.csv", "--with", "b/swing.csv"), 3, "b/swing.csv", "the motion of this run was not saved")
        self.expect(self.flyball("report", "a/swing.csv", "--with", "b/swing.csv", "--reference", "b/swing.csv"), 2, "give one of them")
