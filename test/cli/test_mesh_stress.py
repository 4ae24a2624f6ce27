"""Stresses of meshes against closed forms, whole and recovered from reduced structures."""
import math

import mesh_models
from program import every
from test_meshes import BAR, PLATE, MeshTest
from test_mesh_loads import BLOCK, STRIP, TUBE

COMPONENTS = ("xx", "yy", "zz", "xy", "yz", "zx", "mises")
SECTION = ("Nx", "Ny", "Nxy", "Mx", "My", "Mxy", "Qx", "Qy")


def ask(*places, components=COMPONENTS):
    """Outputs of all components: s.p.xx is named p_xx."""
    return "outputs:\n" + "".join(f"  {place.replace('.', '_')}_{c}: {place}.{c}\n" for place in places for c in components)


class StressTest(MeshTest):
    def find_outputs(self, text, mesh=None):
        if mesh:
            self.write("mesh.inp", mesh)
        return self.expect(self.flyball("equilibrium", "--json", self.write("m.yaml", text)), 0).json()["outputs"]


class Solids(StressTest):
    def test_uniform_stress(self):
        # Exact with every element, at nodes and in elements, at any pose.
        for placed in ("", ", position: [30, -20, 10], orientation: {axis: [0, 0, 1], angle: 90 deg}"):
            for element in every(2, ("hex8", "hex20", "wedge6", "wedge15", "tet4", "tet10")):
                more = "stresses: {a: {at: [0, 0, 0]}, c: {at: [2, 0.1, 0.15]}, m: {element: 2}}"
                text = BLOCK.format(element=element, placed=placed, more=more, loads="p: {group: x1, pressure: -3e6}, q: {group: y1, pressure: 1e6}")
                got = self.find_outputs(text + ask("b.a", "b.c", "b.m"))
                for place in "acm":
                    expected = {"xx": 3e6, "yy": -1e6, "mises": math.sqrt(9 + 1 + 3) * 1e6}
                    for c in COMPONENTS:
                        self.assertAlmostEqual(got[f"b_{place}_{c}"], expected.get(c, 0), delta=30, msg=f"{element} {place} {c}")

    def test_bending_of_a_bar(self):
        # A moment at the end, nu = 0: M z / I, exact for elements that bend.
        M, inertia = 500, 0.2 * 0.3**3 / 12
        text = BAR.split("forces:")[0] + "forces: {f: {type: torque, body: b.tip, value: [0, 500, 0]}}\n"
        text = text.replace("nodes:", "stresses: {top: {at: [1, 0.1, 0.3]}, low: {at: [1, 0, 0]}, mid: {at: [1, 0.1, 0.15]}}\n    nodes:")
        for element, allowed in (("hex20", 1e-9), ("hex8", 1e-9), ("wedge15", 1e-9), ("tet10", 0.03)):
            got = self.find_outputs(text.replace("hex20", element) + ask("b.top", "b.low", "b.mid"))
            self.expect_close(got["b_top_xx"], M * 0.15 / inertia, allowed)
            self.expect_close(got["b_low_xx"], -M * 0.15 / inertia, allowed)
            self.assertLess(abs(got["b_mid_xx"]), 0.03 * M * 0.15 / inertia)
            self.expect_close(got["b_top_mises"], M * 0.15 / inertia, max(allowed, 1e-9))

    def test_thick_cylinder(self):
        # Lame: hoop and radial stresses at both sides.
        a, b, p = 0.1, 0.2, 3e6
        errors = []
        for n in (4, 8):
            text = TUBE.format(n=n, length=0.1 / n, element="hex20", group="inside")
            text = text.replace("nodes:", "stresses: {i: {at: [0.1, 0, 0]}, o: {at: [0.2, 0, 0]}}\n    nodes:")
            got = self.find_outputs(text + ask("t.i", "t.o"))
            hoop = [p * a * a / (b * b - a * a) * (1 + b * b / r**2) for r in (a, b)]
            errors.append(max(abs(got["t_i_yy"] / hoop[0] - 1), abs(got["t_o_yy"] / hoop[1] - 1), abs(got["t_i_xx"] / -p - 1)))
        self.assertLess(errors[1], 0.02)
        self.assertLess(errors[1], 0.4 * errors[0])

    def test_plate_with_a_hole(self):
        # A quarter of a wide plate under tension: three times the stress at the hole.
        def hole(n, element):
            def place(i, j, k):
                angle, r = j * math.pi / 2, 40 ** i
                edge = 40 / max(math.cos(angle), math.sin(angle))
                s = i ** 4
                r = r + s * (edge - 40)
                return r * math.cos(angle), r * math.sin(angle), 0.1 * k
            sets = {"left": lambda i, j, k: j == 2 * n[1], "low": lambda i, j, k: j == 0, "right": lambda i, j, k: i == 2 * n[0] and j <= n[1], "face": lambda i, j, k: k == 0}
            return mesh_models.write_grid(n, place, element, sets)
        model = """
flyball: 1
gravity: [0, 0, 0]
materials: {m: {E: 200e9, nu: 0.3, density: 1}}
structures:
  p:
    mesh: {file: mesh.inp}
    groups: {all: {material: m}}
    supports: {left: [x], low: [y], face: [z]}
    nodes: {n: {at: [40, 0, 0]}}
    loads: {p: {group: right, traction: [1e6, 0, 0]}}
    stresses: {side: {at: [0, 1, 0]}, front: {at: [1, 0, 0]}}
"""
        errors = []
        for n in (16, 32):
            got = self.find_outputs(model + ask("p.side", "p.front"), hole((n, 16, 1), "C3D20"))
            errors.append(abs(got["p_side_xx"] / 3e6 - 1))
        self.assertLess(errors[1], 0.008)
        self.assertLess(errors[1], 0.35 * errors[0])
        self.expect_close(got["p_front_yy"], -1e6, 0.03)
        shell = model.replace("material: m}", "material: m, thickness: 1}").replace("face: [z]", "all_elements: [z, rx, ry]").replace("traction: [1e6, 0, 0]", "line: [1e6, 0, 0]")
        got = self.find_outputs(shell + ask("p.side", "p.front"), hole((32, 24), "S4"))
        self.expect_close(got["p_side_xx"], 3e6, 0.02)

    def test_reduced_statics_is_exact(self):
        # Loads, weight and forces at named nodes, with two modes.
        text = BAR.replace("gravity: [0, 0, 0]", "gravity: [3, -4, -9.81]").replace("value: [1000, 0, 0]", "value: [1000, 300, -200]")
        text = text.replace("nodes:", "loads: {p: {group: z1, pressure: 2e4}, q: {group: y1, traction: [1e3, '2e3 + 0*t', 0]}}\n    stresses: {top: {at: [0.5, 0.1, 0.3]}, root: {at: [0, 0, 0]}, m: {element: 5}}\n    nodes:")
        whole = self.find_outputs(text + ask("b.top", "b.root", "b.m"))
        for modes in (0, 2):
            reduced = self.find_outputs(text.replace("nodes:", f"reduce: {{modes: {modes}}}\n    nodes:") + ask("b.top", "b.root", "b.m"))
            for name, value in whole.items():
                self.assertAlmostEqual(reduced[name], value, delta=1e-7 * whole["b_root_mises"], msg=name)

    def test_stress_of_a_vibrating_bar(self):
        # A reduced bar that is released: the stress at its root follows its tip.
        text = BAR.replace("value: [1000, 0, 0]", "value: [0, 0, '-100*cos(20*t)']")
        text = text.replace("nodes:", "stresses: {top: {at: [0.5, 0.1, 0.3]}}\n    nodes:") + "simulation: {duration: 0.2, sample: 0.01, rtol: 1e-7, atol: 1e-10}\noutputs: {s: b.top.xx}\n"
        columns = []
        for reduce in ("", "reduce: {modes: 10}\n    ", "reduce: {modes: 80}\n    "):
            self.expect(self.flyball("run", self.write("m.yaml", text.replace("nodes:", reduce + "nodes:")), "-o", "out", "--no-error-estimate"), 0)
            columns.append([float(line.split(",")[1]) for line in (self.folder / "out/bar.csv").read_text().splitlines()[1:]])
        size = max(map(abs, columns[0]))
        self.assertGreater(size, 1e4)
        errors = [max(abs(a - b) for a, b in zip(columns[0], column)) / size for column in columns[1:]]
        self.assertLess(errors[0], 0.05)
        self.assertLess(errors[1], 0.2 * errors[0])


class Shells(StressTest):
    def test_bending_of_a_strip(self):
        # M = F (L - x), both sides, nu = 0; shear force F per width.
        text = STRIP.replace("nodes:", "stresses: {t: {at: [0.5, 0.05, 0]}, l: {at: [0.5, 0.05, 0], side: bottom}, m: {at: [0.5, 0.05, 0], side: middle}}\n    nodes:")
        for element in ("quad4", "tri3"):
            got = self.find_outputs(text.replace("quad4", element).replace("[16, 2]", "[32, 2]") + ask("s.t", "s.l", "s.m", components=COMPONENTS + SECTION))
            M, sigma = 500 * 0.5, 500 * 0.5 * 6 / 0.01**2
            allowed = 1e-3 if element == "quad4" else 0.02
            self.expect_close(got["s_t_xx"], sigma, allowed)  # a load downwards stretches the top
            self.expect_close(got["s_l_xx"], -sigma, allowed)
            self.expect_close(got["s_t_Mx"], M, allowed)
            self.expect_close(got["s_t_mises"], sigma, 2 * allowed)
            self.expect_close(got["s_m_Qx"], -500, 0.02)
            self.expect_close(got["s_m_zx"], -1.5 * 500 / 0.01, 0.02)
            self.assertLess(abs(got["s_m_xx"]), 1e-3 * sigma)
            self.assertEqual(got["s_t_zx"], 0)

    def test_plate_under_pressure(self):
        # Navier: moments in the middle.
        a, b, q, nu = 1, 0.7, 1000, 0.3
        moments = [0, 0]
        for m in range(1, 100, 2):
            for n in range(1, 100, 2):
                w = 16 * q / math.pi**4 * math.sin(m * math.pi / 2) * math.sin(n * math.pi / 2) / (m * n * (m * m / a**2 + n * n / b**2) ** 2)
                moments[0] += w * (m * m / a**2 + nu * n * n / b**2)
                moments[1] += w * (n * n / b**2 + nu * m * m / a**2)
        errors = []
        for n in (8, 16):
            text = PLATE.replace("n: 8", f"n: {n}") + "    loads: {p: {group: all, pressure: 1000}}\n    stresses: {m: {at: [0.5, 0.35, 0], side: bottom}}\n"
            got = self.find_outputs(text + ask("p.m", components=COMPONENTS + SECTION))
            # Pressed upwards: tension at the top.
            errors.append(max(abs(got["p_m_Mx"] / moments[0] - 1), abs(got["p_m_My"] / moments[1] - 1)))
            self.expect_close(got["p_m_yy"], -6 * got["p_m_My"] / 0.005**2, 1e-6)
        self.assertLess(errors[1], 0.01)
        self.assertLess(errors[1], 0.35 * errors[0])

    def test_pressure_vessel(self):
        # An open tube: p R / t around it, at any place, in the axes of the mesh.
        text = """
flyball: 1
gravity: [0, 0, 0]
materials: {m: {E: 200e9, nu: 0.3, density: 1}}
structures:
  v:
    mesh: {type: cylinder, radius: 0.5, length: 1, angle: 90 deg, divisions: [24, 6]}
    groups: {all: {material: m, thickness: 10 mm}}
    supports: {start: [y, rx, rz], end: [x, ry, rz], z0: [z]}
    nodes: {n: {at: [0.5, 0, 1]}}
    loads: {p: {group: all, pressure: 2e6}}
    stresses: {x: {at: [0.5, 0, 0.5], side: middle}, y: {at: [0, 0.5, 0.5], side: middle}, n: {element: 20, side: middle}}
"""
        got = self.find_outputs(text + ask("v.x", "v.y", "v.n", components=COMPONENTS + SECTION))
        self.expect_close(got["v_x_yy"], 1e8, 5e-3)
        self.expect_close(got["v_y_xx"], 1e8, 5e-3)
        self.expect_close(got["v_n_mises"], 1e8, 5e-3)
        self.assertLess(abs(got["v_x_zz"]), 1e6)

    def test_offset_does_not_change_stresses(self):
        text = STRIP.replace("nodes:", "stresses: {t: {at: [0.5, 0.05, 0]}}\n    nodes:") + ask("s.t", components=COMPONENTS + SECTION)
        plain, offset = self.find_outputs(text), self.find_outputs(text.replace("thickness: 10 mm", "thickness: 10 mm, offset: 4 mm"))
        self.expect_close(offset["s_t_xx"], plain["s_t_xx"], 2e-3)
        self.expect_close(offset["s_t_Mx"], plain["s_t_Mx"], 2e-3)


class BadPlaces(MeshTest):
    def test_messages(self):
        good = BLOCK.format(element="hex8", placed="", loads="", more="stresses: {a: {at: [2, 0.2, 0.3]}}") + "outputs: {s: b.a.xx}\n"
        self.expect(self.flyball("check", self.write("m.yaml", good)), 0)
        for old, new, message in (
                ("b.a.xx", "b.a.sxx", "b.a.xx, b.a.yy, b.a.zz"),
                ("{a: {at: [2, 0.2, 0.3]}}", "{a: {}}", "need either a node of the mesh ('at') or the number of an element"),
                ("{a: {at: [2, 0.2, 0.3]}}", "{a: {element: 99}}", "no elements with a material have the number 99"),
                ("{a: {at: [2, 0.2, 0.3]}}", "{a: {at: [2, 0.2, 0.31]}}", "no node of the mesh is at (2, 0.2, 0.31) m"),
                ("{a: {at: [2, 0.2, 0.3]}}", "{a: {at: [2, 0.2, 0.3], group: x1}}", "no element of group 'x1' is at this node"),
                ("{a: {at: [2, 0.2, 0.3]}}", "{a: {at: [2, 0.2, 0.3], side: upper}}", "top|middle|bottom"),
                ("outputs: {s: b.a.xx}", "outputs: {s: {type: mesh_stress, place: b.c}}", "there is no place of stresses 'b.c'")):
            with self.subTest(new):
                answer = self.flyball("check", self.write("m.yaml", good.replace(old, new)))
                self.assertEqual(answer.code, 3, answer.err)
                self.assertIn(message, answer.err)

    def test_two_materials_meet(self):
        def place(i, j, k):
            return 2 * i, j, k
        mesh = mesh_models.write_grid((2, 1, 1), place, "C3D8", {"x0": lambda i, j, k: i == 0, "x1": lambda i, j, k: i == 4})
        mesh += "*ELSET, ELSET=first\n1\n*ELSET, ELSET=second\n2\n"
        self.write("mesh.inp", mesh)
        text = """
flyball: 1
gravity: [0, 0, 0]
materials: {m: {E: 1e9, nu: 0, density: 1}, s: {E: 3e9, nu: 0, density: 1}}
structures:
  b:
    mesh: {file: mesh.inp}
    groups: {first: {material: m}, second: {material: s}}
    supports: {x0: clamped}
    nodes: {n: {at: [2, 0, 0]}}
    loads: {p: {group: x1, traction: [0, 6e3, 0]}}
    stresses: {a: {at: [1, 1, 0]GROUP}}
outputs: {s: b.a.xy}
"""
        self.expect(self.flyball("check", self.write("m.yaml", text.replace("GROUP", ""))), 3, "elements of the groups 'first' and 'second' meet at this node, where stresses jump")
        self.expect(self.flyball("check", self.write("m.yaml", text.replace("GROUP", ", group: second"))), 0)
