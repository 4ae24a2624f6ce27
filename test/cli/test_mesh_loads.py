"""Loads on groups of meshes: pressure, traction, line loads and forces in all, against closed forms."""
import math
import pathlib
import shutil

import mesh_models
from test_meshes import BRACKET, MESHES, PLATE, MeshTest

E, NU = 2e9, 0.3
SIZE = (2, 0.2, 0.3)

BLOCK = """\
flyball: 1
name: block
gravity: [0, 0, 0]
materials: {{m: {{E: 2e9, nu: 0.3, density: 1000}}}}
structures:
  b:
    mesh: {{type: block, size: [2, 0.2, 0.3], divisions: [3, 2, 2], element: {element}{placed}}}
    groups: {{all: {{material: m}}}}
    supports: {{x0: [x], y0: [y], z0: [z]}}
    nodes: {{corner: {{at: [2, 0.2, 0.3]}}}}
    loads: {{{loads}}}
    {more}
"""

TUBE = """\
flyball: 1
gravity: [0, 0, 0]
materials: {{m: {{E: 2e9, nu: 0.3, density: 1000}}}}
structures:
  t:
    mesh: {{type: cylinder, radius: 0.2, inner_radius: 0.1, length: {length}, angle: 90 deg, divisions: [{n}, 1, {n}], element: {element}}}
    groups: {{all: {{material: m}}}}
    supports: {{start: [y], end: [x], z0: [z], z1: [z]}}
    nodes: {{a: {{at: [0.1, 0, 0]}}, b: {{at: [0.2, 0, 0]}}}}
    loads: {{p: {{group: {group}, pressure: 3e6}}}}
"""

STRIP = """\
flyball: 1
gravity: [0, 0, 0]
materials: {m: {E: 210e9, nu: 0, density: 7850}}
structures:
  s:
    mesh: {type: plate, size: [1, 0.1], divisions: [16, 2], element: quad4}
    groups: {all: {material: m, thickness: 10 mm}}
    supports: {x0: clamped}
    nodes: {tip: {at: [1, 0.05, 0]}}
    loads: {q: {group: x1, line: [0, 0, -500]}}
"""


class LoadTest(MeshTest):
    def find_corner(self, element, loads, placed="", more=""):
        c = self.find_coordinates(BLOCK.format(element=element, loads=loads, placed=placed, more=more))
        return [c[f"b.corner.q{i}"] for i in (1, 2, 3)]

    def expect_vector(self, value, expected, allowed=1e-9):
        size = math.dist(expected, [0] * len(expected))
        self.assertLess(math.dist(value, expected), allowed * size, f"{value} instead of {expected}")


class Blocks(LoadTest):
    def test_traction_stretches_a_bar(self):
        stress = 3e6
        exact = [stress / E * SIZE[0], -NU * stress / E * SIZE[1], -NU * stress / E * SIZE[2]]
        for element in ("hex8", "hex20", "wedge6", "wedge15", "tet4", "tet10"):
            for load in ("traction: [3e6, 0, 0]", "pressure: -3e6", f"force: [{3e6 * 0.06}, 0, 0]", "traction: ['3e6*cos(0*t)', 0, 0]"):
                with self.subTest(element=element, load=load):
                    self.expect_vector(self.find_corner(element, f"p: {{group: x1, {load}}}"), exact)

    def test_pressure_from_all_sides(self):
        # The corners of a body under hydrostatic pressure approach each other evenly.
        side = -5e6 * (1 - 2 * NU) / E
        for element in ("hex8", "hex20", "wedge6", "wedge15", "tet4", "tet10"):
            with self.subTest(element):
                sides = "a: {group: x1, pressure: 5e6}, b: {group: y1, pressure: 5e6}, c: {group: z1, pressure: 5e6}"
                self.expect_vector(self.find_corner(element, sides), [side * length for length in SIZE])

    def test_turned_and_moved(self):
        # Traction is given in ground axes, displacements in the axes of the mesh.
        placed = ", position: [300, -200, 100], orientation: {axis: [1, 2, -2], angle: 2}"
        axis, c, s = (1 / 3, 2 / 3, -2 / 3), math.cos(2), math.sin(2)
        x = [axis[0] * axis[i] * (1 - c) + (c if i == 0 else s * (axis[2] if i == 1 else -axis[1])) for i in range(3)]
        exact = [3e6 / E * SIZE[0], -NU * 3e6 / E * SIZE[1], -NU * 3e6 / E * SIZE[2]]
        traction = ", ".join(f"{3e6 * value}" for value in x)
        self.expect_vector(self.find_corner("hex20", f"p: {{group: x1, traction: [{traction}]}}", placed), exact, 1e-8)
        self.expect_vector(self.find_corner("tet10", "p: {group: x1, pressure: -3e6}", placed), exact, 1e-8)

    def test_reduced_structures_keep_statics(self):
        loads = "p: {group: y1, pressure: 2e6}, q: {group: x1, traction: [0, 1e5, 3e4]}"
        whole = self.find_corner("hex20", loads)
        self.expect_vector(self.find_corner("hex20", loads, more="reduce: {modes: 2}"), whole)

    def test_load_that_follows_a_sensor(self):
        # A foundation under the end: the traction decreases with the displacement there.
        k = 4e8
        load = f"p: {{group: x1, traction: ['3e6 - {k}*b.corner.q1', 0, 0]}}"
        self.expect_vector(self.find_corner("hex8", load)[:1], [3e6 * SIZE[0] / E / (1 + k * SIZE[0] / E)])

    def test_load_on_a_coupled_group(self):
        # The nodes of a rigid group pass their load on to its node.
        text = BLOCK.replace("x0: [x], y0: [y], z0: [z]", "x0: clamped").replace("corner: {{at: [2, 0.2, 0.3]}}", "corner: {{group: x1, at: [2.5, 0, 0]}}")
        spread = text.format(element="hex20", placed="", more="", loads="p: {group: x1, traction: [0, 1e-2, 3e-3]}")
        point = text.format(element="hex20", placed="", more="", loads="") + """
bodies: {w: {position: [2, 0.1, 0.15], mass: 1}}
joints: {j: {type: fixed, between: [b.corner, w], point: [2, 0.1, 0.15]}}
forces: {f: {type: force, point: w, value: [0, 6e-4, 1.8e-4]}}
"""
        a, b = self.find_coordinates(spread), self.find_coordinates(point)
        for i in range(1, 7):
            self.assertAlmostEqual(a[f"b.corner.q{i}"], b[f"b.corner.q{i}"], delta=1e-9 * abs(b["b.corner.q2"]))

    def test_traction_that_varies(self):
        # A clamped bar, nu = 0: waves, as a series of axial modes.
        text = BLOCK.format(element="hex20", placed="", more="reduce: {modes: 60}", loads="p: {group: x1, traction: ['3e6*sin(700*t)', 0, 0]}")
        text = text.replace("nu: 0.3", "nu: 0").replace("divisions: [3, 2, 2]", "divisions: [24, 1, 1]")
        text += "outputs: {u: b.corner.q1}\nsimulation: {duration: 6 ms, sample: 0.25 ms, rtol: 1e-7, atol: 1e-12}\n"
        self.expect(self.flyball("run", self.write("m.yaml", text), "-o", "out", "--no-error-estimate"), 0)
        rows = [line.split(",") for line in (self.folder / "out/block.csv").read_text().splitlines()[1:]]
        speed = math.sqrt(E / 1000)
        static = 3e6 * 2 / E
        for t, u in ((float(a), float(b)) for a, b in rows):
            w = [n * math.pi / 4 * speed for n in range(1, 2000, 2)]
            series = sum(speed**2 / (2 * (x * x - 700**2)) * (math.sin(700 * t) - 700 / x * math.sin(x * t)) for x in w)
            self.assertLess(abs(u - static * series), 1e-3 * static, t)
        self.assertGreater(max(abs(float(b)) for _, b in rows), static)


class Tubes(LoadTest):
    def find_radial(self, n, element, group):
        c = self.find_coordinates(TUBE.format(n=n, length=0.1 / n, element=element, group=group))
        values = {name.split(".")[1]: value for name, value in c.items() if name.startswith(("t.a", "t.b"))}
        return values["a"], values["b"]

    def test_thick_cylinder(self):
        # Lame, plane strain.
        a, b, p = 0.1, 0.2, 3e6
        factor = (1 + NU) / E * p / (b * b - a * a)
        inside = [factor * a * a * ((1 - 2 * NU) * r + b * b / r) for r in (a, b)]
        outside = [-factor * b * b * ((1 - 2 * NU) * r + a * a / r) for r in (a, b)]
        for group, exact in (("inside", inside), ("outside", outside)):
            for element, allowed, order in (("hex20", 1e-4, 3.3), ("tet10", 1e-3, 3), ("wedge15", 1e-4, 3), ("hex8", 5e-3, 1.8)):
                errors = []
                for n in (4, 8):
                    got = self.find_radial(n, element, group)
                    errors.append(abs(got[1] / exact[1] - 1))
                with self.subTest(element=element, group=group):
                    self.assertLess(abs(got[0] / exact[0] - 1), allowed)
                    self.assertGreater(math.log2(errors[0] / errors[1]), order)


class Shells(LoadTest):
    def test_plate_under_pressure(self):
        # Navier: the middle of a simply supported thin plate.
        a, b, q, D = 1, 0.7, 1000, 210e9 * 0.005**3 / 12 / (1 - 0.09)
        exact = sum(16 * q / (math.pi**6 * D) / (m * n * (m * m / a**2 + n * n / b**2) ** 2) * math.sin(m * math.pi / 2) * math.sin(n * math.pi / 2)
                    for m in range(1, 80, 2) for n in range(1, 80, 2))
        for element, allowed in (("quad4", 0.005), ("tri3", 0.01)):
            errors = []
            for n in (8, 16):
                text = PLATE.replace("quad4", element).replace("n: 8", f"n: {n}") + "    loads: {p: {group: all, pressure: 1000}}\n"
                errors.append(self.find_coordinates(text)["p.mid.q3"] / exact - 1)
            self.assertLess(abs(errors[1]), allowed, element)
            self.assertLess(abs(errors[1]), 0.3 * abs(errors[0]), element)

    def test_line_load_on_an_edge(self):
        exact = -500 * 0.1 / (3 * 210e9 * 0.1 * 0.01**3 / 12)
        self.expect_close(self.find_coordinates(STRIP)["s.tip.q3"], exact, 2e-3)
        force = STRIP.replace("line: [0, 0, -500]", "force: [0, 0, -50]")
        self.expect_close(self.find_coordinates(force)["s.tip.q3"], self.find_coordinates(STRIP)["s.tip.q3"], 1e-9)
        triangles = STRIP.replace("quad4", "tri3").replace("divisions: [16, 2]", "divisions: [32, 4]")
        self.expect_close(self.find_coordinates(triangles)["s.tip.q3"], exact, 5e-3)

    def test_traction_along_and_across(self):
        text = STRIP.replace("line: [0, 0, -500]", "traction: [2e5, 0, 0]").replace("group: x1", "group: skin")
        mesh = mesh_models.write_grid((16, 2), lambda i, j, k: (i, 0.1 * j, 0), "S4", {"x0": lambda i, j, k: i == 0, "skin": lambda i, j, k: True})
        text = text.replace("{type: plate, size: [1, 0.1], divisions: [16, 2], element: quad4}", "{file: mesh.inp}")
        self.expect_close(self.find_coordinates(text, mesh)["s.tip.q1"], 2e5 / (2 * 210e9 * 0.01), 1e-9)
        # Elements of a group, too.
        self.expect_close(self.find_coordinates(text.replace("group: skin", "group: all_elements"), mesh)["s.tip.q1"], 2e5 / (2 * 210e9 * 0.01), 1e-9)
        pressure = text.replace("traction: [2e5, 0, 0]", "pressure: 300")
        upside_down = "\n".join(self.reverse(line) for line in mesh.splitlines()) + "\n"
        up, down = self.find_coordinates(pressure, mesh)["s.tip.q3"], self.find_coordinates(pressure, upside_down)["s.tip.q3"]
        self.expect_close(up, 30 / (8 * 210e9 * 0.1 * 0.01**3 / 12), 5e-3)
        self.expect_close(down, -up, 1e-9)

    @staticmethod
    def reverse(line):
        """The nodes of a quadrilateral in the other sense."""
        items = line.split(", ")
        return ", ".join([items[0]] + items[:0:-1]) if len(items) == 5 and "*" not in line else line


class Files(LoadTest):
    def test_surfaces_of_gmsh(self):
        # Pressure of a pin is in balance; traction and force in all agree by the area of the hole.
        def pin(load):
            shutil.copy(MESHES / "bracket_41.msh", self.folder)
            text = BRACKET.format(file="bracket_41.msh", unit="1 mm", placed="", coupling="", reduce=f"loads: {{p: {{group: hole, {load}}}}}")
            c = self.find_coordinates(text.replace("name: bracket", "gravity: [0, 0, 0]"))
            return [c[f"b.pin.q{i}"] for i in (1, 2, 3)]
        force = pin("force: [100, 200, -30]")
        area = 2 * math.pi * 0.005 * 0.01
        self.expect_vector(pin(f"traction: [{100 / area}, {200 / area}, {-30 / area}]"), force, 2e-3)
        self.assertLess(math.dist(pin("pressure: 1e6"), [0, 0, 0]), 1e-6 * math.dist(force, [0, 0, 0]))

    def test_edge_of_quadratic_solids(self):
        # Each edge of three nodes takes 1/6, 4/6, 1/6 of its load: as forces at the nodes.
        n = (4, 1, 1)
        mesh = mesh_models.write_grid(n, lambda i, j, k: (2 * i, 0.2 * j, 0.3 * k), "C3D20", {
            "x0": lambda i, j, k: i == 0, "edge": lambda i, j, k: i == 8 and k == 2})
        text = BLOCK.format(element="hex20", placed="", more="", loads="p: {group: edge, line: [0, 0, 600]}").replace("x0: [x], y0: [y], z0: [z]", "x0: clamped")
        text = text.replace("{type: block, size: [2, 0.2, 0.3], divisions: [3, 2, 2], element: hex20}", "{file: mesh.inp}")
        points = "nodes: {corner: {at: [2, 0.2, 0.3]}, m: {at: [2, 0.1, 0.3]}, o: {at: [2, 0, 0.3]}}"
        forces = "\nforces:\n" + "".join(f"  {name}: {{type: force, point: b.{name}, value: [0, 0, {120 * share}]}}\n" for name, share in (("corner", 1 / 6), ("m", 4 / 6), ("o", 1 / 6)))
        a = self.find_coordinates(text, mesh)
        b = self.find_coordinates(text.replace("nodes: {corner: {at: [2, 0.2, 0.3]}}", points).replace("loads: {p: {group: edge, line: [0, 0, 600]}}", "") + forces, mesh)
        self.expect_vector([a[f"b.corner.q{i}"] for i in (1, 2, 3)], [b[f"b.corner.q{i}"] for i in (1, 2, 3)])


class BadLoads(MeshTest):
    def test_messages(self):
        good = BLOCK.format(element="hex8", placed="", more="", loads="p: {group: x1, pressure: 1}")
        for old, new, message in (
                ("pressure: 1", "presure: 1", "did you mean 'pressure'?"),
                (", pressure: 1", "", "needs one of 'pressure' (Pa), 'traction'"),
                ("pressure: 1", "pressure: 1, force: [1, 0, 0]", "needs one of 'pressure' (Pa), 'traction'"),
                ("group: x1, ", "", "group"),
                ("group: x1", "group: x2", "has no group 'x2'; its groups are: x0, x1"),
                ("pressure: 1", "line: [1, 0, 0]", "is a surface, on which 'line' (N/m) cannot act; use 'pressure'"),
                ("pressure: 1", "pressure: 1 mm", "mm"),
                ("pressure: 1", "pressure: speed", "speed"),
                ("{p: {group: x1, pressure: 1}}", "[1]", "'loads' must be a map")):
            with self.subTest(new):
                answer = self.flyball("check", self.write("m.yaml", good.replace(old, new)))
                self.assertEqual(answer.code, 3, answer.err)
                self.assertIn(message, answer.err)
                self.assertIn("m.yaml:", answer.err)
        edge = STRIP.replace("line: [0, 0, -500]", "pressure: 1")
        self.expect(self.flyball("check", self.write("m.yaml", edge)), 3, "group 'x1' has no surface, on which 'pressure' (Pa) cannot act; use 'line'")
