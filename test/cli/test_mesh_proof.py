"""Elements against the problems of R. MacNeal and R. Harder (1985) and other published values, with the observed order; and what is wrong with meshes."""
import math
import shutil

import mesh_models
from test_mesh_loads import BLOCK
from test_meshes import BAR, BRACKET, HEMISPHERE, MESHES, TIP, MeshTest

MODEL = """
flyball: 1
gravity: [0, 0, 0]
materials: {{m: {{E: {E}, nu: {nu}, density: 1}}}}
structures:
  r:
    mesh: {{file: mesh.inp}}
    groups: {{all: {{material: m{thickness}}}}}
    supports: {{{supports}}}
    nodes: {{tip: {{{tip}}}}}
    loads: {{{loads}}}
"""


def straight(n, element, shape):
    """A bar of 6 x 0.2 (x 0.1); shape: regular, parallelogram or trapezoid (slopes of 45 degrees)."""
    def lean_at(station):
        if shape == "regular" or station in (0, n[0]):
            return 0
        return -1 if shape == "trapezoid" and station % 2 else 1

    def place(a, b, c):
        station = round(2 * a * n[0]) / 2
        lean = 0.2 * (b - 0.5) * (lean_at(math.floor(station)) + lean_at(math.ceil(station))) / 2
        return 6 * a + lean, 0.2 * b, 0.1 * c if len(n) == 3 else 0
    return mesh_models.write_grid(n, place, element, {"foot": lambda i, j, k: i == 0, "tip": lambda i, j, k: i == 2 * n[0]})


class StraightBeam(MeshTest):
    def find_tip(self, mesh, load, tip, thickness=""):
        text = MODEL.format(E=1e7, nu=0.3, thickness=thickness, supports="foot: clamped", tip=tip, loads=f"p: {{group: tip, force: {load}}}")
        return self.find_coordinates(text, mesh)

    def test_regular(self):
        # Exact: 3e-5 (extension), 0.1081 (in its plane), 0.4321 (out of it).
        cases = (("S4", (6, 1), 0.02), ("C3D20", (6, 1, 1), 0.04), ("C3D8", (6, 1, 1), 0.04))
        for element, n, allowed in cases:
            tip, thickness = ("at: [6, 0.2, 0]", ", thickness: 0.1") if element == "S4" else ("group: tip, coupling: average", "")
            mesh = straight(n, element, "regular")
            for load, d, exact in (("[1, 0, 0]", 1, 3e-5), ("[0, 1, 0]", 2, 0.1081), ("[0, 0, 1]", 3, 0.4321)):
                with self.subTest(element=element, load=load):
                    self.expect_close(self.find_tip(mesh, load, tip, thickness)[f"r.tip.q{d}"], exact, allowed)

    def test_wedges_along_the_beam(self):
        # Six wedges of a square's halves, along the beam: they bend as hex8 does. Across their triangles they converge, slowly.
        def place(a, b, c):
            return 6 * c, 0.2 * a, 0.1 * b
        def mesh(n):
            return mesh_models.write_grid((1, 1, n), place, "C3D6", {"foot": lambda i, j, k: k == 0, "tip": lambda i, j, k: k == 2 * n})
        for load, d, exact in (("[1, 0, 0]", 1, 3e-5), ("[0, 1, 0]", 2, 0.1081), ("[0, 0, 1]", 3, 0.4321)):
            with self.subTest(load=load):
                self.expect_close(self.find_tip(mesh(6), load, "group: tip, coupling: average")[f"r.tip.q{d}"], exact, 0.05)
        errors = []
        for n in (24, 48):
            across = mesh_models.write_grid((n, 1, 1), lambda a, b, c: (6 * a, 0.2 * b, 0.1 * c), "C3D6", {"foot": lambda i, j, k: i == 0, "tip": lambda i, j, k: i == 2 * n})
            errors.append(1 - self.find_tip(across, "[0, 0, 1]", "group: tip, coupling: average")["r.tip.q3"] / 0.4321)
        print(f"wedges with the beam's height along their axis: {errors[0]:.3f}, {errors[1]:.3f} too stiff")
        self.assertLess(errors[1], 0.6 * errors[0])

    def test_distorted_quadratic_elements(self):
        # hex20 keeps its accuracy out of the plane; in the plane leaning edges cost some.
        for shape in ("parallelogram", "trapezoid"):
            mesh = straight((6, 1, 1), "C3D20", shape)
            for load, d, exact in (("[1, 0, 0]", 1, 3e-5), ("[0, 1, 0]", 2, 0.1081), ("[0, 0, 1]", 3, 0.4321)):
                with self.subTest(shape=shape, load=load):
                    self.expect_close(self.find_tip(mesh, load, "group: tip, coupling: average")[f"r.tip.q{d}"], exact, 0.13)

    def test_distorted_elements_converge(self):
        for element, n, tip, thickness in (("S4", (24, 4), "at: [6, 0.2, 0]", ", thickness: 0.1"), ("C3D8", (24, 4, 2), "group: tip, coupling: average", "")):
            mesh = straight(n, element, "parallelogram")
            for load, d, exact in (("[0, 1, 0]", 2, 0.1081), ("[0, 0, 1]", 3, 0.4321)):
                with self.subTest(element=element, load=load):
                    self.expect_close(self.find_tip(mesh, load, tip, thickness)[f"r.tip.q{d}"], exact, 0.08 if element == "C3D8" else 0.06)


class Patches(MeshTest):
    def test_shells_in_a_patch(self):
        # Irregular quadrilaterals and triangles between boundaries that move linearly: exact, by traction at the edges.
        def place(a, b, c):
            inside = 0 < a < 1 and 0 < b < 1
            return 0.24 * a + (0.02 * math.sin(9 * a + 5 * b) if inside else 0), 0.12 * b + (0.01 * math.cos(7 * a - 4 * b) if inside else 0), 0
        for element in ("S4", "S3"):
            sets = {"x0": lambda i, j, k: i == 0, "x1": lambda i, j, k: i == 6, "y0": lambda i, j, k: j == 0, "y1": lambda i, j, k: j == 6}
            mesh = mesh_models.write_grid((3, 3), place, element, sets)
            text = MODEL.format(E=1e6, nu=0.25, thickness=", thickness: 0.001", supports="x0: [x], y0: [y, z, rx]", tip="at: [0.24, 0.12, 0]",
                                loads="p: {group: x1, line: [1.333, 0, 0]}, q: {group: y1, line: [0, 1.333, 0]}")
            c = self.find_coordinates(text, mesh)
            for d, length in ((1, 0.24), (2, 0.12)):
                self.expect_close(c[f"r.tip.q{d}"], 1333 * 0.75 / 1e6 * length, 1e-7)

    def test_solids_in_a_patch(self):
        for element in ("C3D6", "C3D8", "C3D20"):
            def place(a, b, c):
                inside = 0 < a < 1 and 0 < b < 1 and 0 < c < 1
                shift = 0.06 if inside else 0
                return a + shift * math.sin(9 * a + 5 * b), b + shift * math.cos(7 * a - 4 * c), c + shift * math.sin(5 * b + 3 * c)
            sets = {name + end: (lambda d, v: lambda *at: at[d] == v)(d, v) for d, name in enumerate("xyz") for end, v in (("0", 0), ("1", 6))}
            mesh = mesh_models.write_grid((3, 3, 3), place, element, sets)
            text = MODEL.format(E=1e6, nu=0.25, thickness="", supports="x0: [x], y0: [y], z0: [z]", tip="at: [1, 1, 1]",
                                loads="p: {group: x1, traction: [500, 0, 0]}, q: {group: z1, traction: [0, 0, -200]}")
            c = self.find_coordinates(text, mesh)
            for d, strain in ((1, 550), (2, -75), (3, -325)):
                self.expect_close(c[f"r.tip.q{d}"], strain * 1e-6, 1e-9)


class Orders(MeshTest):
    def find_order(self, errors):
        return math.log2(abs(errors[0] / errors[1]))

    def test_clamped_square_plate(self):
        # 0.00126 q a^4 / D in the middle of a clamped plate (S. Timoshenko, Theory of plates and shells, table 35: 0.00126532).
        D = 1e7 * 0.01**3 / 12 / (1 - 0.09)
        for element in ("S4", "S3"):
            errors = []
            for n in (8, 16):
                mesh = mesh_models.write_grid((n, n), lambda a, b, c: (a, b, 0), element, {"rim": lambda i, j, k: i in (0, 2 * n) or j in (0, 2 * n)})
                text = MODEL.format(E=1e7, nu=0.3, thickness=", thickness: 0.01", supports="rim: clamped", tip="at: [0.5, 0.5, 0]", loads="p: {group: all, pressure: 1}")
                errors.append(self.find_coordinates(text, mesh)["r.tip.q3"] * D / 0.00126532 - 1)
            self.assertLess(abs(errors[1]), 0.02, element)
            self.assertGreater(self.find_order(errors), 1.7, element)

    def test_cooks_membrane(self):
        errors = {}
        for element in ("S4", "S3"):
            for n in (4, 8, 16):
                text = MODEL.format(E=1, nu=1 / 3, thickness=", thickness: 1", supports="left: clamped", tip="at: [48, 52, 0]", loads="p: {group: right, force: [0, 1, 0]}")
                mesh = mesh_models.cook(n, element)
                right = [line.split(",")[0] for line in mesh.split("*ELEMENT")[0].splitlines() if line.count(",") == 3 and line.split(",")[1].strip() == "48"]
                c = self.find_coordinates(text, mesh + "*NSET, NSET=right\n" + "\n".join(right) + "\n")
                errors[element, n] = c["r.tip.q2"] / 23.965 - 1
        self.assertLess(abs(errors["S4", 16]), 0.006)
        self.assertLess(abs(errors["S3", 16]), 0.11)  # its stretching is that of triangles of constant strain
        self.assertGreater(self.find_order([errors["S4", 4], errors["S4", 8]]), 1.4)
        self.assertGreater(self.find_order([errors["S3", 8], errors["S3", 16]]), 1.2)

    def test_hemisphere(self):
        errors = []
        for n in (8, 16):
            errors.append(self.find_coordinates(HEMISPHERE, mesh_models.hemisphere(n, "S4"))["r.a.x"] / 0.0935 - 1)
        self.assertLess(abs(errors[1]), 0.01)

    def test_plate_of_solids(self):
        # The lowest frequency of a simply supported plate of one layer of solids, supported at its middle.
        a, h = 1, 0.02
        exact = math.pi * math.sqrt(1e7 * h**2 / 12 / (1 - 0.09))
        n = 12
        mesh = mesh_models.write_grid((n, n, 1), lambda i, j, k: (i, j, h * (k - 0.5)), "C3D20", {"rim": lambda i, j, k: k == 1 and (i in (0, 2 * n) or j in (0, 2 * n)), "mid": lambda i, j, k: i == n and j == n and k == 1})
        text = MODEL.format(E=1e7, nu=0.3, thickness="", supports="rim: [z], o: [x, y], a: [y]", tip="at: [0.5, 0.5, 0.01]", loads="")
        text = text.replace("nodes: {", "nodes: {o: {at: [0, 0, 0]}, a: {at: [1, 0, 0]}, ").replace("    loads: {}\n", "")
        self.write("mesh.inp", mesh)
        self.expect_close(self.find_frequencies(text, 1)[0], exact, 0.01)


class Warnings(MeshTest):
    def find_warnings(self, text, command="check"):
        answer = self.expect(self.flyball(command, "--json", self.write("m.yaml", text)), 0)
        return " ".join(str(w) for w in answer.json()["warnings"])

    def test_millimetres(self):
        shutil.copy(MESHES / "bracket.inp", self.folder)
        text = BRACKET.format(file="bracket.inp", unit="1", placed="", coupling="", reduce="")
        self.assertIn("if its file is in millimetres, give 'unit: 1 mm'", self.find_warnings(text))
        self.assertNotIn("millimetres", self.find_warnings(text.replace("unit: 1}", "unit: 1 mm}")))

    def test_single_node_of_a_solid(self):
        text = BAR.split("forces:")[0].replace("tip: {group: x1, coupling: rigid}", "tip: {at: [2, 0.2, 0.3]}") + """\
bodies: {w: {position: [2, 0.2, 0.3], mass: 1, inertia: [1, 1, 1]}}
joints: {j: {type: fixed, between: [b.tip, w], point: [2, 0.2, 0.3]}}
"""
        self.assertIn("joint 'j' (fixed) attaches 'w' to 'b.tip', a single node of solid elements, which has no rotations", self.find_warnings(text))
        self.assertNotIn("single node", self.find_warnings(text.replace("type: fixed", "type: spherical")))

    def test_moments_on_a_single_node_of_a_solid(self):
        text = BAR.split("forces:")[0].replace("[8, 2, 2]", "[2, 1, 1]").replace("tip: {group: x1, coupling: rigid}", "tip: {at: [2, 0.2, 0.3]}") + "forces: {f: {FORCE}}\n"
        group = text.replace("tip: {at: [2, 0.2, 0.3]}", "tip: {group: x1, at: [2, 0.2, 0.3]}")
        end = "b: b.tip, translation_stiffness: [1, 1, 1]"
        for force, what in (("type: torque, body: b.tip, value: [1, 0, 0]", "a torque"), ("type: force, point: {body: b.tip, at: [0, 0.1, 0]}, value: [1, 0, 0]", "the moment of its force"),
                            ("type: spring, a: b.tip, b: {body: ground, at: [0, 0, 9]}, stiffness: 1", None), ("type: spring, b: {body: b.tip, at: [0, 0, 1 mm]}, a: {body: ground, at: [0, 0, 9]}, stiffness: 1", "the moment of its force"),
                            (f"type: bushing, a: {{body: ground, at: [2, 0.2, 0.3]}}, {end}", None), (f"type: bushing, a: {{body: ground, at: [2, 0.2, 0.3]}}, {end}, rotation_damping: [0, 0, 1]", "its moment by rotations"),
                            ("type: force, point: b.tip, value: [1, 0, 0]", None)):
            with self.subTest(force):
                warnings = self.find_warnings(text.replace("FORCE", force))
                if what:
                    self.assertIn(f"'f': {what} on 'b.tip' has no effect: this is a single node of solid elements, which has no rotations; attach it to a group of nodes ('group')", warnings)
                    self.assertNotIn("no effect", self.find_warnings(group.replace("FORCE", force)))
                else:
                    self.assertNotIn("no effect", warnings)

    def test_large_rotations_at_rest(self):
        # A strip that is too soft for its weight, as a mesh and as a linear frame: its equilibrium is that of the linear theory.
        strip = """flyball: 1
gravity: [0, 0, -9.81]
materials: {m: {E: SOFT, nu: 0, density: 1000}}
sections: {r: {type: rectangle, material: m, width: 0.2, height: 0.01}}
structures:
"""
        mesh = strip + "  s: {mesh: {type: plate, size: [1, 0.2], divisions: [4, 1]}, groups: {all: {material: m, thickness: 0.01}}, supports: {x0: clamped}, nodes: {tip: {group: x1}}}\n"
        frame = strip + "  s: {nodes: {base: {at: [0, 0, 0], support: clamped}, tip: {at: [1, 0, 0]}}, members: {bar: {from: base, to: tip, section: r}}}\n"
        for text in (mesh, frame):
            for command in ("equilibrium", "modes"):
                answer = self.expect(self.flyball(command, self.write("m.yaml", text.replace("SOFT", "2e8"))), 0)
                self.assertRegex(answer.err, r"warning: 's.tip' rotated by up to (0.9|1.0)\d* rad, but the linear structure")
            warnings = self.expect(self.flyball("equilibrium", "--json", self.write("m.yaml", text.replace("SOFT", "2e8"))), 0).json()["warnings"]
            self.assertIn("rotated by up to", warnings[0])
            self.assertEqual(self.expect(self.flyball("equilibrium", self.write("m.yaml", text.replace("SOFT", "2e9"))), 0).err, "")

    def test_too_few_modes(self):
        # Pressure on the side of a bar whose end is named: bending modes about one axis are needed.
        text = BLOCK.format(element="hex8", placed="", loads="p: {group: z1, traction: [0, 0, '1e3*sin(50*t)']}", more="reduce: {modes: MODES}").replace("x0: [x], y0: [y], z0: [z]", "x0: clamped")
        self.assertRegex(self.find_warnings(text.replace("MODES", "1")), r"contain only \d+ % of its deformation by load 'p' between the named nodes")
        self.assertNotIn("contain only", self.find_warnings(text.replace("MODES", "12")))

    def test_group_without_elements(self):
        mesh = mesh_models.twisted((2, 2), "S4") + "*NODE\n500, 50, 0, 0\n501, 50, 1, 0\n502, 50, 0, 1\n*NSET, NSET=lost\n500, 501, 502\n"
        self.write("mesh.inp", mesh)
        text = TIP.format(E=1e9, nu=0.3, force="[0, 0, 1]", tip="group: lost", thickness=", thickness: 0.1")
        self.expect(self.flyball("check", self.write("m.yaml", text)), 3, "the nodes of group 'lost' belong to no element with a material")
        single = TIP.format(E=1e9, nu=0.3, force="[0, 0, 1]", tip="at: [50, 0, 0]", thickness=", thickness: 0.1")
        self.expect(self.flyball("check", self.write("m.yaml", single)), 3, "node 500 of the mesh, at (50, 0, 0) m, belongs to no element with a material")
        self.expect(self.flyball("check", self.write("m.yaml", single.replace("supports: {foot", "supports: {lost: clamped, foot").replace("at: [50, 0, 0]", "at: [12, 0, 0]"))), 3,
                    "the nodes of group 'lost' belong to no element with a material")
