"""Reports: `run --report`, `report`, `modes --report`, `bench --report`; data as the viewer wants it, hostile texts, failures."""
import base64
import html.parser
import json
import re
import signal
import struct
import subprocess
import time

from program import FLYBALL, LONG_PENDULUM, MODELS, PENDULUM, SOURCE, ProgramTest
from test_damping import PENDULUM as REEL

MARK = '<script type="application/json" id="flyball-data">'
HOSTILE = "</script><img src=x onerror=alert(1)>&amp;\u2028"


def numbers(array):
    """The values of an array of the data contract."""
    if isinstance(array, list):
        return array
    (kind, text), = array.items()
    data = base64.b64decode(text, validate=True)
    width = {"f64": 8, "f32": 4}[kind]
    return list(struct.unpack(f"<{len(data) // width}{'d' if width == 8 else 'f'}", data))


def strict_json(text):
    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    def unique(pairs):
        keys = [key for key, _ in pairs]
        if len(keys) != len(set(keys)):
            raise ValueError(f"a key stands twice: {keys}")
        return dict(pairs)
    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


class Page(html.parser.HTMLParser):
    """Elements of a page, and the addresses that it would load."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for key, value in attrs if key in ("src", "href") and value]


class Report(ProgramTest):
    def data(self, name):
        text = (self.folder / name).read_text(encoding="utf-8")
        self.assertEqual(text.count(MARK), 1)
        inside = text.split(MARK)[1].split("</script>")[0]
        for bad in "<>&\u2028\u2029":
            self.assertNotIn(bad, inside)
        document = strict_json(inside)
        self.assertEqual(document["format"], 1)
        return document

    def test_run(self):
        model = self.write("swing.yaml", PENDULUM)
        answer = self.expect(self.flyball("run", model, "--report", "out.html"), 0, "wrote out.html")
        self.assertIn("outputs at t = 1 s", answer.out)
        d = self.data("out.html")
        self.assertEqual((d["kind"], d["title"], d["model"]["name"], d["model"]["file"]), ("run", "swing", "swing", "swing.yaml"))
        self.assertRegex(d["model"]["sha256"], "^[0-9a-f]{64}$")
        self.assertRegex(d["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertIn(["bodies", "1"], d["model"]["summary"])
        self.assertIn(["rtol", "1e-09"], d["settings"])
        self.assertIn("energy balance", [key for key, _ in d["checks"]])
        self.assertEqual(d["warnings"], [])
        times = numbers(d["time"])
        self.assertEqual(len(times), 11)
        self.assertEqual([o["name"] for o in d["outputs"]], ["angle", "tip.x", "tip.y", "tip.z"])
        self.assertEqual([o["unit"] for o in d["outputs"]], ["rad", "m", "m", "m"])
        self.assertEqual(numbers(d["frames"]), times)
        body, = d["bodies"]
        poses = numbers(body["poses"])
        self.assertEqual(len(poses), 7 * 11)
        # The tip as the pose has it is the recorded one: R(q) (1, 0, 0) with q about y.
        for row in range(11):
            x, y, z, w, qx, qy, qz = poses[7 * row:7 * row + 7]
            self.assertAlmostEqual(x + w * w + qx * qx - qy * qy - qz * qz, numbers(d["outputs"][1]["values"])[row], places=6)
            self.assertAlmostEqual(z + 2 * (qx * qz - w * qy), numbers(d["outputs"][3]["values"])[row], places=6)
        self.assertEqual(body["links"], [[0, 0, 0], [1, 0, 0]])
        self.assertEqual(d["joints"][0]["body_a"], -1)

    def test_certificate(self):
        model = self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", model, "--accuracy", "1e-6", "--report", "out.html", "-o", "d", "-q"), 0)
        certificate = self.data("out.html")["certificate"]
        self.assertEqual((certificate["verdict"], certificate["target"]), ("reached", "1e-06"))
        self.assertLessEqual(float(certificate["estimated error"]), 1e-6)
        self.expect(self.flyball("report", "d/swing", "-o", "again.html", "-q"), 0)
        again = self.data("again.html")["certificate"]
        self.assertEqual((again["reached"], float(again["target"])), ("true", 1e-6))
        self.expect(self.flyball("run", model, "--report", "out.html", "-q"), 0)
        self.assertIsNone(self.data("out.html")["certificate"])

    def test_values_are_those_of_the_table(self):
        model = self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", model, "-o", "d", "--report", "out.html"), 0, "d/swing.motion.json")
        rows = (self.folder / "d/swing.csv").read_text().splitlines()[1:]
        angle = numbers(self.data("out.html")["outputs"][0]["values"])
        self.assertEqual(angle, [float(row.split(",")[1]) for row in rows])

    def test_damping(self):
        self.write("reel.yaml", REEL)
        self.expect(self.flyball("run", "reel.yaml", "-o", "out", "--report", "a.html", "--quiet"), 0)
        self.expect(self.flyball("report", "out/reel", "-o", "b.html", "--quiet"), 0)
        damping = self.data("a.html")["damping"]
        self.assertAlmostEqual(damping["ratio"], 0.075313716098, delta=1e-10)
        # A report from files has the very same, also where the option asks for another output.
        self.assertEqual(self.data("b.html")["damping"], damping)
        self.expect(self.flyball("run", "reel.yaml", "--damping", "s:2", "--report", "c.html", "--quiet"), 0)
        self.assertEqual(self.data("c.html")["damping"]["output"], "s")

    def test_hostile_texts(self):
        text = PENDULUM.replace("name: swing", f"title: '{HOSTILE}'\nname: swing")
        text = text.replace("angle: pivot.q", f'angle: {{type: expression, value: pivot.q, unit: "{HOSTILE}"}}')
        model = self.write("swing.yaml", text)
        self.expect(self.flyball("run", model, "--report", "out.html", "-o", "d", "--quiet"), 0)
        self.assertEqual(self.data("out.html")["outputs"][0]["unit"], HOSTILE)
        self.assertEqual(self.data("out.html")["title"], HOSTILE)
        self.assertNotIn("img", Page((self.folder / "out.html").read_text()).tags)
        # Files of results may come from anywhere.
        table = self.folder / "d/swing.csv"
        self.assertIn(f",angle [{HOSTILE}],", table.read_text())
        table.write_text(table.read_text().replace("angle", HOSTILE, 1))
        document = json.loads((self.folder / "d/swing.json").read_text())
        document["warnings"] = [HOSTILE]
        document["model"] = HOSTILE
        del document["csv_sha256"]  # the table was edited, too
        (self.folder / "d/swing.json").write_text(json.dumps(document))
        motion = self.folder / "d/swing.motion.json"
        motion.write_text(motion.read_text().replace('"bob"', json.dumps(HOSTILE)))
        self.expect(self.flyball("report", "d/swing.json", "--title", HOSTILE, "-o", "again.html", "-q"), 0)
        d = self.data("again.html")
        self.assertEqual((d["title"], d["warnings"], d["model"]["file"]), (HOSTILE, [HOSTILE], HOSTILE))
        self.assertTrue(d["outputs"][0]["name"].startswith("</script>"))
        self.assertEqual(d["bodies"][0]["name"], HOSTILE)

    def test_no_network(self):
        model = self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", model, "--report", "out.html", "-q"), 0)
        for address in Page((self.folder / "out.html").read_text()).addresses:
            self.assertRegex(address, r"^(#|data:|blob:)", "the report must not load anything")

    def test_size(self):
        self.expect(self.flyball("run", MODELS / "governor.yaml", "--sample", "0.01", "--report", "a05.html", "-q"), 0)
        self.assertLess((self.folder / "a05.html").stat().st_size, 1.5e6)
        d = self.data("a05.html")
        self.assertEqual(len(numbers(d["time"])), 1001)
        self.assertEqual(len(d["springs"]), 2)
        self.assertEqual(len(d["bodies"]), 4)
        self.assertEqual(d["gravity"], [0, 0, -9.81])

    def test_from_files(self):
        model = self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", model, "-o", "d", "--poses", "--report", "run.html", "-q"), 0)
        (self.folder / model).unlink()  # the files alone have to do
        for name in ("d/swing", "d/swing.csv", "d/swing.json", "d/swing.motion.json"):
            self.expect(self.flyball("report", name), 0, "wrote d/swing.html")
            old, new = self.data("run.html"), self.data("d/swing.html")
            for key in ("frames", "bodies", "joints", "springs", "gravity", "length", "events", "version"):
                self.assertEqual(old[key], new[key], key)
            self.assertEqual([numbers(o["values"]) for o in old["outputs"]], [numbers(o["values"]) for o in new["outputs"]])
            self.assertEqual(new["model"]["sha256"], old["model"]["sha256"])
            self.assertIn("steps", [key for key, _ in new["statistics"]])
            (self.folder / "d/swing.html").unlink()

    def test_from_files_without_motion(self):
        model = self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", model, "-o", "d", "-q"), 0)
        self.assertFalse((self.folder / "d/swing.motion.json").exists())
        self.expect(self.flyball("report", "d/swing.csv", "-o", "x.html"), 0, "no animation", "--poses")
        self.assertEqual(self.data("x.html")["bodies"], [])
        (self.folder / "d/swing.json").unlink()
        self.expect(self.flyball("report", "d/swing.csv", "-o", "x.html"), 0, "no statistics")
        self.assertEqual(len(self.data("x.html")["outputs"]), 4)

    def test_several(self):
        model = self.write("swing.yaml", PENDULUM)
        other = self.write("other.yaml", PENDULUM.replace("name: swing", "name: other"))
        for name in (model, other):
            self.expect(self.flyball("run", name, "-o", "d", "-q"), 0)
        self.expect(self.flyball("report", "d/swing.csv", "d/other.csv", "-o", "pages/all"), 0)
        self.assertEqual(self.data("pages/all/other.html")["title"], "other")
        self.assertEqual(self.data("pages/all/swing.html")["title"], "swing")

    def test_reference(self):
        self.expect(self.flyball("run", MODELS / "governor.yaml", "-o", "d", "-q"), 0)
        reference = SOURCE / "bench/cases/a05/reference.csv"
        self.expect(self.flyball("report", "d/governor", "--reference", reference, "-o", "x.html", "-q"), 0)
        curve, = self.data("x.html")["references"]
        self.assertEqual(curve["output"], "s")
        self.assertEqual(numbers(curve["values"])[0], 0.5)
        self.assertEqual(len(numbers(curve["time"])), 101)
        self.write("other.csv", "t [s],nothing [m]\n0,1\n")
        self.expect(self.flyball("report", "d/governor", "--reference", "other.csv", "-o", "x.html"), 2, "no column")

    def test_bad_files(self):
        self.expect(self.flyball("report", "nowhere.csv"), 4, "nowhere.csv")
        model = self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", model, "-o", "d", "--poses", "-q"), 0)
        motion = self.folder / "d/swing.motion.json"
        whole = motion.read_text()
        for text in (whole[:-20], "[]", whole.replace('"gravity"', '"title"'), '{"bodies": oops}'):
            motion.write_text(text)
            self.expect(self.flyball("report", "d/swing"), 3, "d/swing.motion.json", "not a motion")
        motion.write_text(whole)
        (self.folder / "d/swing.json").write_text("{not json: [")
        self.expect(self.flyball("report", "d/swing"), 3, "d/swing.json")
        self.assertFalse((self.folder / "d/swing.html").exists())

    def test_unwritable(self):
        model = self.write("swing.yaml", PENDULUM)
        # Reported before the run, not after it.
        long = self.write("long.yaml", LONG_PENDULUM)
        self.expect(self.flyball("run", long, "--report", "no/such/folder.html"), 4, "no/such/folder.html", "No such file")
        self.expect(self.flyball("run", model, "--report", "."), 4)
        self.expect(self.flyball("run", model, "--report", "/dev/full"), 4, "No space left")
        self.expect(self.flyball("run", model, "--report", "/dev/null", "-q"), 0)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix not in (".yaml",)], [])
        self.expect(self.flyball("run", model, "--poses"), 2, "-o")

    def test_broken_off_run(self):
        text = PENDULUM.replace("angle: pivot.q", "angle: pivot.q") + "forces:\n  f: {type: torque, body: bob, value: [0, 1e3/(0.5 - t), 0]}\n"
        model = self.write("swing.yaml", text)
        answer = self.flyball("run", model, "--report", "out.html")
        self.assertEqual(answer.code, 1, answer.err)
        d = self.data("out.html")
        self.assertIn("The run ended early", d["warnings"][0])
        self.assertGreater(len(numbers(d["time"])), 0)
        self.assertEqual(len(numbers(d["bodies"][0]["poses"])), 7 * len(numbers(d["frames"])))

    def test_interrupted_run(self):
        model = self.write("long.yaml", LONG_PENDULUM.replace("sample: 1e3", "sample: 1e2"))
        process = subprocess.Popen([FLYBALL, "run", model, "--report", "out.html"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130, err)
        d = self.data("out.html")
        self.assertEqual(d["warnings"][0], "The run ended early: interrupted")
        self.assertEqual(len(numbers(d["frames"])), min(len(numbers(d["time"])), 5000))

    def test_modes(self):
        self.expect(self.flyball("modes", MODELS / "engine_mount.yaml", "--report", "m.html"), 0, "wrote m.html")
        d = self.data("m.html")
        self.assertEqual(d["kind"], "modes")
        self.assertEqual(len(numbers(d["frames"])), 1)
        told = self.flyball("modes", MODELS / "engine_mount.yaml", "--json").json()["modes"]
        listed = {round(m["frequency_hz"], 9) for m in d["modes"]}
        self.assertEqual(listed, {round(m["frequency_hz"], 9) for m in told})
        for mode in d["modes"]:
            shape = numbers(mode["shape"])
            self.assertEqual(len(shape), 12 * len(d["bodies"]))
            self.assertAlmostEqual(sum(share for _, share in mode["participation"]), 1.0, places=9)
            self.assertGreater(max(abs(x) for x in shape), 0.0)
        self.expect(self.flyball("modes", MODELS / "engine_mount.yaml", "--report", "no/m.html"), 4, "no/m.html")

    def test_nodes_of_matrices(self):
        model = MODELS.parent / "docs/guide/models/mast.yaml"
        self.expect(self.flyball("run", model, "--report", "m.html", "--duration", "0.2"), 0)
        roles = {b["name"]: b.get("role") for b in self.data("m.html")["bodies"]}
        self.assertEqual({name: role for name, role in roles.items() if "mode" not in name},
                         {"mast.foot": "node", "mast.top": "node", "bob": None})
        self.assertEqual([name for name in roles if "mode" in name], [])  # modes are nowhere in the picture

    def test_lowest_modes(self):
        self.expect(self.flyball("modes", MODELS / "engine_mount.yaml", "--lowest", "3", "--report", "m.html"), 0, "wrote m.html")
        d = self.data("m.html")
        told = self.flyball("modes", MODELS / "engine_mount.yaml", "--lowest", "3", "--json").json()["modes"]
        self.assertEqual([m["frequency_hz"] for m in d["modes"]], [m["frequency_hz"] for m in told])
        self.assertIn(["method", "sparse, the lowest modes"], d["settings"])
        for mode in d["modes"]:
            self.assertEqual(len(numbers(mode["shape"])), 12 * len(d["bodies"]))

    def test_bench(self):
        answer = self.expect(self.flyball("bench", "a05", "a05-turned", "a03", "fourbar", "--report", "pages",
                                          "--example", MODELS / "robot.yaml"), 0, "pages/index.html")
        self.assertIn("4 of 4 cases", answer.out)
        text = (self.folder / "pages/index.html").read_text()
        page = Page(text)
        self.assertEqual([a for a in page.addresses], ["a05.html", "a05-turned.html", "a03.html", "fourbar.html", "robot.html"])
        self.assertEqual(page.tags.count("script"), 1)  # the search
        self.assertIn("SCARA robot", text)
        # A picture of each model, a curve of each that moves; each measure in its own unit, times as people say them.
        self.assertEqual(text.count('class="thumb"'), 5)
        self.assertRegex(text, r'<td>equilibrium angle</td><td class="n good">[\d.e-]+ rad</td><td class="n soft">within 1e-12<')
        self.assertRegex(text, r"<td>independent</td><td class=\"n good\">[\d.e-]+ 1/s</td>")
        self.assertRegex(text, r"<td>time of 1000 executions</td><td class=\"n \">[\d.]+ (m?s|\xb5s)</td>")
        self.assertEqual(self.data("pages/a05.html")["overview"], "index.html")
        self.assertEqual(self.data("pages/robot.html")["overview"], "index.html")
        d = self.data("pages/a05.html")
        self.assertEqual(d["title"], "Stiff flyball governor")
        verdict, = d["errors_vs_reference"]
        self.assertTrue(verdict["pass"])
        self.assertLessEqual(verdict["error"], verdict["limit"])
        # The error is that of the run that is shown: recompute it.
        curve, = d["references"]
        shown = dict(zip((round(t, 6) for t in numbers(d["time"])), numbers(d["outputs"][0]["values"])))
        errors = [(shown[round(t, 6)] - x) / x for t, x in zip(numbers(curve["time"]), numbers(curve["values"]))]
        self.assertAlmostEqual((sum(e * e for e in errors) / len(errors)) ** 0.5 / verdict["error"], 1.0, places=6)
        self.assertGreaterEqual(len(numbers(d["frames"])), 1000)
        self.assertEqual({r["output"] for r in self.data("pages/a03.html")["references"]}, {"F.x", "F.y"})
        turned = self.data("pages/a05-turned.html")
        self.assertEqual(turned["references"][0]["output"], "s")
        self.assertEqual(self.data("pages/fourbar.html")["kind"], "modes")
        self.assertTrue(all(m["pass"] for m in self.data("pages/fourbar.html")["errors_vs_reference"]))
        self.expect(self.flyball("bench", "a01", "--example", MODELS / "robot.yaml"), 2, "--report")

    def test_bench_leaves_outliers_out(self):
        self.expect(self.flyball("bench", "a04", "--report", "pages", "-q"), 0)
        case = (SOURCE / "bench/cases/a04/case.yaml").read_text()
        skipped = [float(t) for t in re.search(r"skip_times: \[(.*?)\]", case).group(1).split(",")]
        for curve in self.data("pages/a04.html")["references"]:
            for time_left_out in skipped:
                self.assertTrue(all(abs(t - time_left_out) > 1e-6 for t in numbers(curve["time"])))

    def test_bench_index_escapes(self):
        for name in ("bench/cases/a01", "models"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "models/pendulum.yaml").write_text((MODELS / "pendulum.yaml").read_text())
        for path in (SOURCE / "bench/cases/a01").iterdir():
            (self.folder / "bench/cases/a01" / path.name).write_text(path.read_text())
        case = self.folder / "bench/cases/a01/case.yaml"
        case.write_text(re.sub("(?m)^title: .*$", 'title: "</td><img src=x onerror=alert(1)>"', case.read_text()))
        self.expect(self.flyball("bench", "--cases", "bench/cases", "--report", "pages", "-q"), 0)
        page = Page((self.folder / "pages/index.html").read_text())
        self.assertNotIn("img", page.tags)
        self.assertEqual(self.data("pages/a01.html")["title"], "</td><img src=x onerror=alert(1)>")
        (self.folder / "pages/a01.html").unlink()
        (self.folder / "pages/a01.html").mkdir()
        self.expect(self.flyball("bench", "--cases", "bench/cases", "--report", "pages"), 4, "wrote 0 reports and pages/index.html")

    def test_model_text_and_command(self):
        model = self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", model, "--set", "L=0.5 m", "--report", "a.html", "-q"), 0)
        d = self.data("a.html")
        self.assertEqual(d["model"]["text"], PENDULUM)
        self.assertEqual(d["command"], "flyball run swing.yaml --set 'L=0.5 m' --report a.html -q")
        self.assertIsNone(d["overview"])

    def test_a_million_samples(self):
        model = self.write("long.yaml", PENDULUM)
        self.expect(self.flyball("run", model, "--duration", "100", "--sample", "1e-4", "--rtol", "1e-5", "--no-error-estimate", "--report", "a.html", "-q"), 0)
        self.assertLess((self.folder / "a.html").stat().st_size, 8e6)
        self.assertRegex(dict(self.data("a.html")["statistics"])["samples shown"], r"of 1000001")

    def test_reproducible(self):
        model = self.write("swing.yaml", PENDULUM)
        for name in ("a.html", "b.html"):
            self.expect(self.flyball("run", model, "--report", name, "-q", env={"SOURCE_DATE_EPOCH": "86400"}), 0)
        a, b = self.data("a.html"), self.data("b.html")
        self.assertEqual(a["created"], "1970-01-02T00:00:00Z")
        for document in (a, b):
            document.pop("statistics")  # times differ
            document.pop("command")  # and the names of the files
        self.assertEqual(a, b)
