"""Pictures of meshes: what reports of runs and modes contain of them, against outputs and closed forms."""
import base64
import json
import math
import re
import struct

from program import SOURCE, ProgramTest

# A strip of shells, clamped at x = 0: bends as a beam of width 0.1 m and height 5 mm.
STRIP = """\
flyball: 1
name: strip
gravity: [0, 0, -9.81]
materials: {{m: {{E: 70 GPa, nu: 0, density: 2700}}}}
structures:
  s:
    mesh: {{type: plate, size: [1, 0.1], divisions: [{n}, 2], position: [3, -1, 2], orientation: {{axis: [0, 0, 1], angle: 30 deg}}}}
    groups: {{all: {{material: m, thickness: 5 mm}}}}
    supports: {{x0: clamped}}
    damping: {{beta: 1e-3}}
    nodes: {{tip: {{at: [1, 0.05, 0]}}, mid: {{at: [0.5, 0, 0]}}}}
    {reduce}
    stresses: {{root: {{at: [0.25, 0.05, 0]}}}}
outputs: {{tip: s.tip.q3, side: s.tip.q2, root: s.root.mises, xx: s.root.xx, xy: s.root.xy, yy: s.root.yy}}
forces: {{f: {{type: force, point: s.mid, value: [0, 20, 3]}}}}
simulation: {{duration: 0.5, sample: 5 ms}}
"""

WIDTHS = {"f64": ("d", 8), "f32": ("f", 4), "i16": ("h", 2)}


def numbers(array):
    if isinstance(array, list):
        return array
    (kind, text), = array.items()
    data = base64.b64decode(text, validate=True)
    letter, width = WIDTHS[kind]
    return struct.unpack(f"<{len(data) // width}{letter}", data)


class Mesh:
    """A mesh of a report: places of its points, and displacements by amplitudes of its shapes."""

    def __init__(self, raw):
        values = numbers(raw["points"])
        self.points = [tuple(values[i + d] + raw["origin"][d] for d in range(3)) for i in range(0, len(values), 3)]
        self.raw, self.n_shapes, self.shapes = raw, raw["n_shapes"], numbers(raw["shapes"])

    def find(self, *place):
        return min(range(len(self.points)), key=lambda i: math.dist(self.points[i], place))

    def move(self, point, amplitudes):
        size = 3 * len(self.points)
        return [sum(a * self.shapes[k * size + 3 * point + d] / 32767 for k, a in enumerate(amplitudes)) for d in range(3)]


    def mises(self, point, amplitudes):
        field, = self.raw["fields"]
        assert (field["name"], field["unit"], field["components"]) == ("von Mises stress", "Pa", 6)
        shapes, scales, size = numbers(field["shapes"]), numbers(field["scales"]), 6 * len(self.points)
        xx, yy, zz, xy, yz, zx = (sum(a * scales[k] * shapes[k * size + 6 * point + d] / 32767 for k, a in enumerate(amplitudes)) for d in range(6))
        return math.sqrt(0.5 * ((xx - yy)**2 + (yy - zz)**2 + (zz - xx)**2) + 3 * (xy**2 + yz**2 + zx**2))


class MeshViews(ProgramTest):
    def document(self, name):
        text = (self.folder / name).read_text(encoding="utf-8")
        return json.loads(re.search(r'id="flyball-data">(.*?)</script>', text, re.S).group(1))

    def strip(self, reduce="", n=12):
        return self.write("strip.yaml", STRIP.format(reduce=reduce, n=n))

    def test_run(self):
        for reduce in ("", "reduce: {modes: 6}"):
            model = self.strip(reduce)
            self.expect(self.flyball("run", model, "--report", "out.html", "-o", "d", "-q"), 0)
            d = self.document("out.html")
            mesh = Mesh(d["meshes"][0])
            self.assertEqual((len(mesh.points), mesh.raw["surface_points"]), (39, 39))
            self.assertLess(mesh.raw["error"], 1e-3)
            # Coordinates of the structure are no bodies of the picture.
            self.assertEqual([body["name"] for body in d["bodies"]], ["s.tip", "s.mid"])
            self.assertEqual(len(d["joints"]), 2)
            c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
            tip = mesh.find(3 + c - 0.05 * s, -1 + s + 0.05 * c, 2)
            root = mesh.find(3, -1, 2)
            amplitudes = numbers(mesh.raw["amplitudes"])
            up, side, stress = (numbers(output["values"]) for output in d["outputs"][:3])
            place = mesh.find(3 + 0.25 * c - 0.05 * s, -1 + 0.25 * s + 0.05 * c, 2)
            for row in range(len(up)):
                part = amplitudes[row * mesh.n_shapes:(row + 1) * mesh.n_shapes]
                x, y, z = mesh.move(tip, part)
                self.assertAlmostEqual(z, up[row], delta=2e-3 * mesh.raw["largest"])
                self.assertAlmostEqual(c * y - s * x, side[row], delta=2e-3 * mesh.raw["largest"])
                self.assertLess(math.hypot(*mesh.move(root, part)), 1e-6 * mesh.raw["largest"] + 1e-12)
                if not reduce:  # else the sensor adds what the modes leave out at rest
                    self.assertAlmostEqual(mesh.mises(place, part), stress[row], delta=3e-3 * max(stress))
            self.assertGreater(max(map(abs, up)), 0.5 * mesh.raw["largest"])
            self.assertGreater(max(stress), 1e5)
            self.expect(self.flyball("report", "d/strip", "-o", "again.html", "-q"), 0)
            self.assertEqual(self.document("again.html")["meshes"], d["meshes"])

    def test_modes(self):
        def shape(x):
            """Of a cantilever: cosh - cos - sigma (sinh - sin), 2 at the tip."""
            b, sigma = 1.875104068711961, 0.7340955137589
            return math.cosh(b * x) - math.cos(b * x) - sigma * (math.sinh(b * x) - math.sin(b * x))
        for reduce, more in (("", ("--lowest", "6")), ("reduce: {modes: 4}", ())):
            model = self.strip(reduce, n=24)
            self.expect(self.flyball("modes", model, "--report", "out.html", "-q", *more), 0)
            d = self.document("out.html")
            mesh = Mesh(d["meshes"][0])
            self.assertNotIn("amplitudes", mesh.raw)
            mode = next(m for m in d["modes"] if m["im"] > 0)
            amplitudes = numbers(mode["meshes"][0])
            self.assertEqual(len(amplitudes), 2 * mesh.n_shapes)
            real = amplitudes[:mesh.n_shapes]
            c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
            tip = mesh.move(mesh.find(3 + c, -1 + s, 2), real)[2]
            for x in (0.25, 0.5, 0.75):
                z = mesh.move(mesh.find(3 + x * c, -1 + x * s, 2), real)[2]
                self.assertAlmostEqual(z / tip, shape(x) / 2, delta=0.004)
            # The named node moves with the mesh.
            node = next(i for i, body in enumerate(d["bodies"]) if body["name"] == "s.tip")
            self.assertAlmostEqual(numbers(mode["shape"])[12 * node + 2] / tip, 1, delta=0.002)
            self.assertIn("s", [name for name, _ in mode["participation"]])

    def test_large_meshes_are_decimated(self):
        model = self.write("slab.yaml", """\
flyball: 1
materials: {m: {E: 1e9, nu: 0.3, density: 1000}}
structures:
  slab:
    mesh: {type: block, element: hex8, size: [1, 0.8, 0.01], divisions: [100, 80, 1]}
    groups: {all: {material: m}}
    supports: {x0: clamped}
    nodes: {tip: {at: [1, 0.4, 0.01]}}
    reduce: {modes: 2}
forces: {f: {type: force, point: slab.tip, value: [0, 0, 1]}}
simulation: {duration: 0.1, sample: 10 ms}
""")
        self.expect(self.flyball("run", model, "--report", "out.html", "-q"), 0)
        raw = self.document("out.html")["meshes"][0]
        mesh = Mesh(raw)
        self.assertEqual(raw["surface_points"], 2 * 101 * 81)
        self.assertLessEqual(len(mesh.points), 15000)
        self.assertGreater(len(mesh.points), 3000)
        self.assertEqual(numbers(raw["edges"]), ())
        self.assertLess((self.folder / "out.html").stat().st_size, 3e6)
        for corner in ((0, 0, 0), (1, 0.8, 0.01)):
            self.assertLess(math.dist(mesh.points[mesh.find(*corner)], corner), 0.011)


class Vtu:
    """The arrays of a VTU file with raw appended data, read without VTK."""

    def __init__(self, path):
        data = path.read_bytes()
        head, raw = data.split(b'<AppendedData encoding="raw">\n_', 1)
        self.n_points, self.n_cells = (int(re.search(rf'{key}="(\d+)"'.encode(), head).group(1)) for key in ("NumberOfPoints", "NumberOfCells"))
        self.arrays = {}
        letters = {"Float64": "d", "Int32": "i", "UInt8": "B"}
        last = 0
        for kind, name, n, offset in re.findall(r'type="(\w+)" Name="(\w+)" NumberOfComponents="(\d)" format="appended" offset="(\d+)"', head.decode()):
            at = int(offset)
            size, = struct.unpack_from("<Q", raw, at)
            values = struct.unpack_from(f"<{size // struct.calcsize(letters[kind])}{letters[kind]}", raw, at + 8)
            n = int(n)
            self.arrays[name] = values if n == 1 else [values[i:i + n] for i in range(0, len(values), n)]
            last = max(last, at + 8 + size)
        assert raw[last:].strip() == b"</AppendedData>\n</VTKFile>"


class Fields(ProgramTest):
    def series(self, folder, name):
        text = (self.folder / folder / f"{name}.pvd").read_text()
        return [(float(time), file) for time, file in re.findall(r'timestep="([^"]+)" part="\d+" file="([^"]+)"', text)]

    def test_run(self):
        for reduce in ("", "reduce: {modes: 6}"):
            model = self.write("strip.yaml", STRIP.format(reduce=reduce, n=12))
            self.expect(self.flyball("run", model, "--vtu", "fields", "-o", "d"), 0, "wrote 101 of 101 samples as VTU files into fields")
            rows = [[float(x) for x in line.split(",")] for line in (self.folder / "d/strip.csv").read_text().splitlines()[1:]]
            series = self.series("fields", "strip")
            self.assertEqual([time for time, _ in series], [row[0] for row in rows])
            c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
            place = (3 + c - 0.05 * s, -1 + s + 0.05 * c, 2)
            before = None
            for row, (time, file) in zip(rows, series):
                grid = Vtu(self.folder / "fields" / file)
                self.assertEqual((grid.n_points, grid.n_cells), (39, 24))
                self.assertEqual(set(grid.arrays["types"]), {9})
                self.assertEqual(grid.arrays["offsets"], tuple(range(4, 100, 4)))
                tip = min(range(39), key=lambda i: math.dist(grid.arrays["Points"][i], place))
                self.assertLess(math.dist(grid.arrays["Points"][tip], place), 1e-12)
                self.assertAlmostEqual(grid.arrays["displacement"][tip][2], row[1], delta=1e-15)
                if not reduce:
                    root = min(range(39), key=lambda i: math.dist(grid.arrays["Points"][i], (3 + 0.25 * c - 0.05 * s, -1 + 0.25 * s + 0.05 * c, 2)))
                    self.assertAlmostEqual(grid.arrays["von_mises"][root], row[3], delta=1e-6 * row[3] + 1e-3)
                    xx, xy, yy = row[4:7]  # in the mesh's axes, turned by 30 degrees about z
                    self.assertAlmostEqual(grid.arrays["stress"][root][0], c * c * xx + s * s * yy - 2 * s * c * xy, delta=1e-6 * row[3] + 1e-3)
                    self.assertAlmostEqual(grid.arrays["stress"][root][3], s * c * (xx - yy) + (c * c - s * s) * xy, delta=1e-6 * row[3] + 1e-3)
                # The velocity is the derivative of the displacement: trapezoidal rule between samples.
                now = (time, row[1], grid.arrays["velocity"][tip][2])
                if before:
                    mean = (now[1] - before[1]) / (now[0] - before[0])
                    self.assertAlmostEqual(0.5 * (now[2] + before[2]), mean, delta=0.02)
                before = now
            self.assertEqual(set((self.folder / "fields").iterdir()) - {self.folder / "fields" / file for _, file in series}, {self.folder / "fields/strip.pvd"})

    def test_modes(self):
        model = self.write("strip.yaml", STRIP.format(reduce="", n=12))
        self.expect(self.flyball("modes", model, "--lowest", "4", "--vtu", "fields", "-q"), 0)
        table = self.flyball("modes", model, "--lowest", "4", "--json").json()
        series = self.series("fields", "strip")
        expected = [mode["frequency_hz"] for mode in table["modes"] if mode["im"] >= 0]
        self.assertEqual(len(series), len(expected))
        for (frequency, file), f in zip(series, expected):
            self.assertAlmostEqual(frequency / f, 1, places=9)
            moves = Vtu(self.folder / "fields" / file).arrays["displacement"]
            self.assertAlmostEqual(max(abs(x) for move in moves for x in move), 1, places=9)

    def test_elements_in_vtk(self):
        try:
            import vtkmodules.vtkIOXML as xml
            from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
        except ImportError:
            self.skipTest("python3-vtk9 is not installed")
        for element in ("hex8", "hex20", "wedge6", "wedge15", "tet4", "tet10"):
            model = self.write("block.yaml", f"""\
flyball: 1
name: block
materials: {{m: {{E: 1e9, nu: 0.3, density: 1000}}}}
structures:
  b:
    mesh: {{type: block, element: {element}, size: [0.9, 0.4, 0.3], divisions: [3, 2, 2]}}
    groups: {{all: {{material: m}}}}
    supports: {{x0: clamped}}
    nodes: {{tip: {{group: x1}}}}
    reduce: {{modes: 2}}
forces: {{f: {{type: force, point: b.tip, value: [0, 0, 1]}}}}
outputs: {{tip: b.tip.q3}}
simulation: {{duration: 0.01, sample: 5 ms}}
""")
            self.expect(self.flyball("run", model, "--vtu", "fields", "-q", "-o", "d"), 0)
            reader = xml.vtkXMLUnstructuredGridReader()
            reader.SetFileName(str(self.folder / "fields/b_0002.vtu"))
            reader.Update()
            grid = reader.GetOutput()
            sizes = vtkCellSizeFilter()
            sizes.SetInputData(grid)
            sizes.Update()
            volumes = sizes.GetOutput().GetCellData().GetArray("Volume")
            values = [volumes.GetValue(i) for i in range(volumes.GetNumberOfTuples())]
            self.assertGreater(min(values), 0)
            self.assertAlmostEqual(sum(values), 0.9 * 0.4 * 0.3, places=9)
            tip = grid.FindPoint(0.9, 0, 0)
            last = float((self.folder / "d/block.csv").read_text().splitlines()[-1].split(",")[1])
            self.assertAlmostEqual(grid.GetPointData().GetArray("displacement").GetTuple3(tip)[2] / last, 1, delta=0.05)

    def run_beams(self, name, n):
        self.expect(self.flyball("run", SOURCE / f"test/cli/beams/{name}.yaml", "--vtu", "fields", "-o", "d"), 0, f"wrote {n} of {n} samples")
        series = self.series("fields", name)
        self.assertEqual([file for _, file in series], [f"beams-{i:04d}.vtu" for i in range(n)])
        return [(time, Vtu(self.folder / "fields" / file)) for time, file in series]

    def test_bent_beam(self):
        """A clamped arm of length 1 under a force is a cubic; its stress is largest where it is clamped."""
        EI, modulus = 210e9 * 0.03 * 0.02**3 / 12, 0.03 * 0.02**2 / 6  # across the width
        for _, grid in self.run_beams("arm", 3):
            self.assertEqual((grid.n_points, grid.n_cells), (18, 2))
            self.assertEqual(set(grid.arrays["types"]), {4})
            self.assertEqual(grid.arrays["offsets"], (9, 18))
            for i in range(18):
                s = math.dist(grid.arrays["Points"][i], (1, 2, 0))
                expected = (100 * s * s * (3 - s) / 6 / EI, 0, 0)
                self.assertLess(math.dist(grid.arrays["displacement"][i], expected), 1e-9 * 100 / 3 / EI)
                self.assertAlmostEqual(grid.arrays["normal_stress"][i], 100 * (1 - s) / modulus, delta=1e-3 * 100 / modulus)

    def test_turning_beam(self):
        for time, grid in self.run_beams("wing", 5):
            angle = float((self.folder / "d/wing.csv").read_text().splitlines()[1 + round(time / 0.1)].split(",")[1])
            self.assertGreater(angle, 0.39 + 2.9 * time)
            for point, move in zip(grid.arrays["Points"], grid.arrays["displacement"]):
                r = math.dist(point, (0, 0, 5))
                turned = (r * math.cos(angle), r * math.sin(angle), 5)
                self.assertLess(math.dist([a + b for a, b in zip(point, move)], turned), 2e-5)

    def test_without_a_mesh(self):
        model = self.write("swing.yaml", "flyball: 1\nname: swing\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {p: {type: revolute, between: [ground, b]}}\nsimulation: {duration: 0.1}\n")
        self.expect(self.flyball("run", model, "--vtu", "fields"), 3, "has no mesh of solids or shells that was kept and no beams")
