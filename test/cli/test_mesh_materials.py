"""Orthotropic materials and damping of meshes, against closed forms."""
import math

from mesh_models import rotation
from test_meshes import BAR, PLATE, MeshTest

WOOD = {"E1": 12e9, "E2": 0.9e9, "E3": 0.5e9, "nu12": 0.42, "nu13": 0.45, "nu23": 0.6, "G12": 0.8e9, "G13": 0.7e9, "G23": 0.06e9}
SIZE = (2, 0.2, 0.3)

BLOCK = """\
flyball: 1
gravity: [0, 0, 0]
materials: {{m: {{{material}, density: 450}}}}
structures:
  b:
    mesh: {{type: block, size: [2, 0.2, 0.3], divisions: [3, 2, 2], element: {element}}}
    groups: {{all: {{material: m{axes}}}}}
    supports: {{o: [x, y, z], a: [y, z], b: [z]}}
    nodes: {{o: {{at: [0, 0, 0]}}, a: {{at: [2, 0, 0]}}, b: {{at: [0, 0.2, 0]}}, corner: {{at: [2, 0.2, 0.3]}}}}
    loads:
      p: {{group: {high}, traction: [{plus}]}}
      m: {{group: {low}, traction: [{minus}]}}
"""

SHELL = """\
flyball: 1
gravity: [0, 0, 0]
materials: {{m: {{{material}, density: 450}}}}
structures:
  b:
    mesh: {{type: plate, size: [2, 0.5], divisions: [4, 3], element: {element}{placed}}}
    groups: {{all: {{material: m, thickness: 20 mm{axes}}}}}
    supports: {{o: [x, y, z, rx, ry], a: [y, z], b: [z]}}
    nodes: {{o: {{at: [0, 0, 0]}}, a: {{at: [2, 0, 0]}}, b: {{at: [0, 0.5, 0]}}, corner: {{at: [2, 0.5, 0]}}}}
    loads:
      p: {{group: x1, line: [{plus}]}}
      m: {{group: x0, line: [{minus}]}}
"""


def write(constants):
    return ", ".join(f"{key}: {value}" for key, value in constants.items())


def multiply(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transpose(A):
    return [list(row) for row in zip(*A)]


def find_strain(m, R, stress):
    """The strain tensor by a stress tensor; the columns of R are the axes of the material."""
    s = multiply(transpose(R), multiply(stress, R))
    e = [[0] * 3 for _ in range(3)]
    e[0][0] = s[0][0] / m["E1"] - m["nu12"] / m["E1"] * s[1][1] - m["nu13"] / m["E1"] * s[2][2]
    e[1][1] = s[1][1] / m["E2"] - m["nu12"] / m["E1"] * s[0][0] - m["nu23"] / m["E2"] * s[2][2]
    e[2][2] = s[2][2] / m["E3"] - m["nu13"] / m["E1"] * s[0][0] - m["nu23"] / m["E2"] * s[1][1]
    for i, j, G in ((0, 1, "G12"), (0, 2, "G13"), (1, 2, "G23")):
        e[i][j] = e[j][i] = s[i][j] / (2 * m[G])
    return multiply(R, multiply(e, transpose(R)))


def place(e, x):
    """The displacement at x where (0, 0, 0) is held, (x, 0, 0) stays on the x axis and (0, y, 0) in the x-y plane."""
    return [e[0][0] * x[0] + 2 * e[0][1] * x[1] + 2 * e[0][2] * x[2], e[1][1] * x[1] + 2 * e[1][2] * x[2], e[2][2] * x[2]]


class Orthotropic(MeshTest):
    def expect_vector(self, value, expected, allowed=1e-8):
        self.assertLess(math.dist(value, expected), allowed * math.dist(expected, [0] * len(expected)), f"{value} instead of {expected}")

    def test_block_in_every_direction(self):
        # Uniform stress in a body that is free to deform: exact with every element.
        turns = (((0, 0, 1), 0), ((0, 0, 1), 0.6), ((1, 2, -2), 1.1))
        for element in ("hex8", "hex20", "wedge6", "wedge15", "tet4", "tet10"):
            for axis, angle in turns if element == "hex20" else turns[2:]:
                for d, side in enumerate("xyz"):
                    stress = [[1e6 if i == j == d else 0 for j in range(3)] for i in range(3)]
                    plus = ", ".join("1e6" if i == d else "0" for i in range(3))
                    R = rotation(axis, angle)
                    axes = f", axes: {{axis: [{axis[0]}, {axis[1]}, {axis[2]}], angle: {angle}}}"
                    text = BLOCK.format(material=write(WOOD), element=element, axes=axes, high=side + "1", low=side + "0", plus=plus, minus=plus.replace("1e6", "-1e6"))
                    c = self.find_coordinates(text)
                    with self.subTest(element=element, angle=angle, side=side):
                        self.expect_vector([c[f"b.corner.q{i}"] for i in (1, 2, 3)], place(find_strain(WOOD, R, stress), SIZE))

    def test_shell_at_an_angle(self):
        plane = {key: WOOD[key] for key in ("E1", "E2", "nu12", "G12")}
        e = find_strain(WOOD, rotation((0, 0, 1), 0.5), [[1e6, 0, 0], [0, 0, 0], [0, 0, 0]])
        expected = place(e, (2, 0.5, 0))[:2]
        for element in ("quad4", "tri3"):
            for axes in (", angle: 0.5", ", axes: {axis: [0, 0, 1], angle: 0.5}", ", angle: 0.3, axes: {axis: [0, 0, 1], angle: 0.2}"):
                for constants in (plane, WOOD):
                    text = SHELL.format(material=write(constants), element=element, placed="", axes=axes, plus="2e4, 0, 0", minus="-2e4, 0, 0")
                    c = self.find_coordinates(text)
                    with self.subTest(element=element, axes=axes):
                        self.expect_vector([c["b.corner.q1"], c["b.corner.q2"]], expected)

    def test_turned_shell(self):
        # The axes of the material turn with the mesh.
        R = rotation((1, 2, -2), 2)
        plus = ", ".join(str(2e4 * R[i][0]) for i in range(3))
        minus = ", ".join(str(-2e4 * R[i][0]) for i in range(3))
        text = SHELL.format(material=write(WOOD), element="quad4", placed=", position: [300, -200, 100], orientation: {axis: [1, 2, -2], angle: 2}", axes=", angle: 0.5", plus=plus, minus=minus)
        c = self.find_coordinates(text)
        e = find_strain(WOOD, rotation((0, 0, 1), 0.5), [[1e6, 0, 0], [0, 0, 0], [0, 0, 0]])
        self.expect_vector([c["b.corner.q1"], c["b.corner.q2"]], place(e, (2, 0.5, 0))[:2])

    def test_frequencies_of_a_plate(self):
        # Simply supported along its axes: pi^2/(2 pi sqrt(rho h)) sqrt(D11 (m/a)^4 + 2 (D12 + 2 D66) (mn/ab)^2 + D22 (n/b)^4).
        a, b, h, left = 1, 0.7, 0.005, 1 - WOOD["nu12"] ** 2 * WOOD["E2"] / WOOD["E1"]
        D = {key: value * h**3 / 12 for key, value in (("11", WOOD["E1"] / left), ("22", WOOD["E2"] / left), ("12", WOOD["nu12"] * WOOD["E2"] / left), ("66", WOOD["G12"]))}
        exact = sorted(math.pi / 2 / math.sqrt(450 * h) * math.sqrt(D["11"] * (m / a) ** 4 + 2 * (D["12"] + 2 * D["66"]) * (m * n / a / b) ** 2 + D["22"] * (n / b) ** 4)
                       for m in range(1, 5) for n in range(1, 5))[:3]
        text = PLATE.replace("E: 210 GPa, nu: 0.3, density: 7850", write(WOOD) + ", density: 450")
        coarse, fine = self.find_frequencies(text, 3, "--set", "n=12"), self.find_frequencies(text, 3, "--set", "n=24")
        for x, y, true in zip(coarse, fine, exact):
            self.expect_close(y, true, 0.02)
            self.assertLess(abs(y - true), 0.35 * abs(x - true))
        # Turned by a quarter, sides exchanged.
        turned = text.replace("size: [1, 0.7]", "size: [0.7, 1]").replace("thickness: 5 mm", "thickness: 5 mm, angle: 90 deg").replace("at: [0.5, 0.35, 0]", "at: [0.35, 0.5, 0]")
        turned = turned.replace("x0: [x, y, z], x1: [z], y0: [z], y1: [z]", "y0: [x, y, z], x1: [z], x0: [z], y1: [z]")
        for x, y in zip(self.find_frequencies(turned, 3, "--set", "n=12"), coarse):
            self.expect_close(x, y, 1e-6)

    def test_isotropic_constants(self):
        iso = "E1: 210e9, E2: 210e9, E3: 210e9, nu12: 0.3, nu13: 0.3, nu23: 0.3, G12: 210e9/2.6, G13: 210e9/2.6, G23: 210e9/2.6"
        for text in (PLATE, BAR.split("forces:")[0].replace("E: 1e9, nu: 0, density: 1000", "E: 210 GPa, nu: 0.3, density: 7850")):
            for x, y in zip(self.find_frequencies(text, 3), self.find_frequencies(text.replace("E: 210 GPa, nu: 0.3", iso), 3)):
                self.expect_close(y, x, 1e-9)

    def reject(self, text, message):
        answer = self.flyball("check", self.write("m.yaml", text))
        self.assertEqual(answer.code, 3, answer.err)
        self.assertIn(message, answer.err)
        self.assertRegex(answer.err, r"m\.yaml:\d+:\d+: error")

    def test_tube_of_a_material_that_winds_around_it(self):
        # Without contraction: u" + u'/r - k^2 u/r^2 = 0, k^2 = E1/E3 (around, away), pressed from inside.
        a, b, p, away, around = 0.1, 0.2, 3e6, 2e9, 18e9
        k = math.sqrt(around / away)
        ratio = a ** (k - 1) / a ** (-k - 1), b ** (k - 1) / b ** (-k - 1)
        c1 = -p / (away * k * a ** (-k - 1)) / (ratio[0] - ratio[1])
        exact = [c1 * r**k + c1 * ratio[1] * r**-k for r in (a, b)]
        text = """\
flyball: 1
gravity: [0, 0, 0]
materials: {m: {E1: 18e9, E2: 5e9, E3: 2e9, nu12: 0, nu13: 0, nu23: 0, G12: 1e9, G13: 1e9, G23: 1e9, density: 1000}}
structures:
  t:
    mesh: {type: cylinder, radius: 0.2, inner_radius: 0.1, length: 0.02, angle: 90 deg, divisions: [N, 1, N], element: hex20PLACED}
    groups: {all: {material: m, around: [0, 0, 1]}}
    supports: {start: [y], end: [x], z0: [z]}
    nodes: {a: {at: [0.1, 0, 0]}, b: {at: [0.2, 0, 0]}}
    loads: {p: {group: inside, pressure: 3e6}}
"""
        for placed in ("", ", position: [40, -3, 2], orientation: {axis: [1, 1, 0], angle: 40 deg}"):
            errors = []
            for n in (4, 8, 16):  # axes are constant in each element: second order
                c = self.find_coordinates(text.replace("PLACED", placed).replace("N,", f"{n},").replace("N]", f"{n}]"))
                values = {name.split(".")[1]: value for name, value in c.items() if name.startswith(("t.a", "t.b"))}
                errors.append(max(abs(values["a"] / exact[0] - 1), abs(values["b"] / exact[1] - 1)))
            self.assertLess(errors[2], 0.01)
            self.assertGreater(math.log2(errors[1] / errors[2]), 1.8)
        block = text.split("    mesh:")[0] + """\
    mesh: {type: block, size: [1, 1, 1], divisions: [3, 1, 1]}
    groups: {all: {material: m, around: [0, 0, 2], center: [0.5, 0.5, 7]}}
    supports: {x0: clamped}
    nodes: {a: {at: [1, 0, 0]}}
"""
        self.reject(block, "the middle of element 2 of group 'all', near (0.333333, 0, 0) m, is on the axis 'around'")

    def test_bad_constants(self):
        def block(**changes):
            constants = {key: value for key, value in {**WOOD, **changes}.items() if value is not None}
            return BLOCK.format(material=write(constants), element="hex8", axes="", high="x1", low="x0", plus="1, 0, 0", minus="-1, 0, 0")
        self.reject(block(nu12=3.7), "nu12 of material 'm' is 3.7; with these moduli it must be between -3.651 and 3.651, else its stiffness is not positive definite")
        self.reject(block(nu12=2.6, nu13=2.4, nu23=0.9), "the stiffness of material 'm' is not positive definite")
        self.reject(block(E2=-1), "E2")
        self.reject(block(E2=None), "E2 of material 'm' is nan Pa; it must be > 0")
        self.reject(block(nu12=None), "material 'm' needs 'nu12'")
        self.reject(block(E3=None), "material 'm' of group 'all' lacks constants that solids need")
        self.reject(block(E="1e9"), "constants of an isotropic material (E, G, nu) and of an orthotropic one")
        self.reject(PLATE.replace("E: 210 GPa, ", ""), "a material needs 'E': Young's modulus (an orthotropic one 'E1', 'E2', ...)")
        steep = PLATE.replace("E: 210 GPa, nu: 0.3", write(WOOD)).replace("5 mm", "5 mm, axes: {axis: [0, 1, 0], angle: 90 deg}")
        self.reject(steep, "the first axis of material 'steel' is nearly along the normal of shell 1 of group 'all'")
        frame = """\
flyball: 1
materials: {w: {%s, density: 450}}
sections: {s: {type: circle, material: w, radius: 1 cm}}
structures: {f: {nodes: {A: {at: [0, 0, 0], support: clamped}, B: {at: [1, 0, 0]}}, members: {m: {from: A, to: B, section: s}}}}
""" % write(WOOD)
        self.reject(frame, "material 'w' is orthotropic; members need an isotropic one")


class Damping(MeshTest):
    def find_modes(self, text, count=5):
        return self.expect(self.flyball("modes", "--lowest", str(count), "--json", self.write("m.yaml", text)), 0).json()["modes"]

    def with_damping(self, damping, reduce="reduce: {modes: 6}"):
        return BAR.split("forces:")[0].replace("groups:", f"{reduce}\n    damping: {damping}\n    groups:")

    def test_ratio_of_every_mode(self):
        plain, damped = self.find_modes(self.with_damping("{alpha: 0}")), self.find_modes(self.with_damping("{ratio: 0.02}"))
        for a, b in zip(plain, damped):
            self.assertAlmostEqual(b["damping_ratio"], 0.02, delta=1e-9)
            self.expect_close(b["frequency_hz"], a["frequency_hz"], 1e-3)
        # With what the structure carries.
        body = self.with_damping("{ratio: 0.02}") + """bodies: {w: {position: [2, 0.1, 0.15], mass: 30, inertia: [1, 1, 1]}}
joints: {j: {type: fixed, between: [b.tip, w], point: [2, 0.1, 0.15]}}
"""
        for mode in self.find_modes(body):
            self.assertAlmostEqual(mode["damping_ratio"], 0.02, delta=1e-9)

    def test_ratio_at_two_frequencies(self):
        for reduce in ("reduce: {modes: 6}", ""):
            plain = self.find_modes(self.with_damping("{alpha: 0}", reduce))
            f = [plain[0]["frequency_hz"], plain[3]["frequency_hz"]]
            damped = self.find_modes(self.with_damping(f"{{ratio: 0.03, between: [{f[0]} Hz, {f[1]} Hz]}}", reduce))
            self.assertAlmostEqual(damped[0]["damping_ratio"], 0.03, delta=1e-6)
            self.assertAlmostEqual(damped[3]["damping_ratio"], 0.03, delta=1e-6)
            self.assertLess(damped[1]["damping_ratio"], 0.03)

    def test_messages(self):
        for damping, message in (("{ratio: 0.02}", "reduce the structure ('reduce: {modes: ..}'), or give two frequencies"),
                                 ("{ratio: 2}", "ratio"), ("{ratio: 0.1, alpha: 1}", "damping is written {alpha:"), ("{ratio: 0.1, between: [2, 1]}", "the lower one first")):
            answer = self.flyball("check", self.write("m.yaml", self.with_damping(damping, "")))
            self.assertEqual(answer.code, 3, answer.err)
            self.assertIn(message, answer.err)
