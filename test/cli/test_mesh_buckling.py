"""Prestress and buckling of meshes, against closed forms."""
import math

from test_meshes import PLATE, MeshTest

COLUMN = """\
flyball: 1
gravity: [0, 0, 0]
materials: {m: {E: 1e9, nu: 0, density: 1000}}
structures:
  c:
    mesh: {type: block, size: [2, 0.12, 0.1], divisions: [12, 1, 1], element: hex20PLACED}
    groups: {all: {material: m}}
    supports: {x0: clamped}
    nodes: {tip: {at: [2, 0.12, 0.1]}}
    loads: {p: {group: x1, force: [FORCE]}}
    buckling: {loads: [p], factors: 2}
"""

STRIP = COLUMN.replace("{type: block, size: [2, 0.12, 0.1], divisions: [12, 1, 1], element: hex20PLACED}", "{type: plate, size: [2, 0.12], divisions: [24, 2], element: quad4}")
STRIP = STRIP.replace("material: m}", "material: m, thickness: 0.1}").replace("at: [2, 0.12, 0.1]", "at: [2, 0.12, 0]")


def euler(width, height, length=2, E=1e9):
    """A cantilever that bends along its height, with shear (Engesser)."""
    P = math.pi**2 * E * width * height**3 / 12 / (4 * length**2)
    return P / (1 + P / (5 / 6 * E / 2 * width * height))


def cantilever(k, length=2):
    """The smallest beta with beta^4 = m omega^2 / EI of a cantilever under an axial force k^2 EI."""
    def rest(beta):
        root = math.sqrt(k**4 / 4 + beta**4)
        a, b = math.sqrt(root - k * k / 2), math.sqrt(root + k * k / 2)
        C, S, c, s = math.cosh(a * length), math.sinh(a * length), math.cos(b * length), math.sin(b * length)
        return ((a * a * C + b * b * c) * (a**3 * C + a * b * b * c + k * k * (a * C - a * c))
                - (a * a * S + a * b * s) * (a**3 * S - b**3 * s + k * k * (a * S + b * s)))
    low, high = 0.05, 1.2
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if rest(low) * rest(middle) > 0 else (low, middle)
    return low


class Buckling(MeshTest):
    def find_factors(self, text):
        return self.expect(self.flyball("check", "--json", self.write("m.yaml", text)), 0).json()["meshes"][0]["load_factors"]

    def test_euler_columns(self):
        exact = [euler(0.12, 0.1), euler(0.1, 0.12)]
        for element, allowed in (("hex20", 1e-3), ("hex8", 5e-3), ("wedge15", 2e-3), ("tet10", 0.01)):
            factors = self.find_factors(COLUMN.replace("hex20", element).replace("PLACED", "").replace("FORCE", "-1000, 0, 0"))
            self.expect_close(1000 * factors[0], exact[0], allowed)
            self.expect_close(1000 * factors[1], exact[1], allowed)
        for element in ("quad4", "tri3"):
            factors = self.find_factors(STRIP.replace("quad4", element).replace("FORCE", "-1000, 0, 0"))
            self.expect_close(1000 * factors[0], exact[0], 5e-3)

    def test_equal_factors_are_listed_as_often_as_they_occur(self):
        text = COLUMN.replace("0.12", "0.1").replace("factors: 2", "factors: 4").replace("PLACED", "").replace("FORCE", "-1000, 0, 0")
        factors = self.find_factors(text)
        self.assertEqual(len(factors), 4)
        self.expect_close(factors[0], euler(0.1, 0.1) / 1000, 1e-3)
        self.expect_close(factors[1], factors[0], 1e-9)
        self.expect_close(factors[3], factors[2], 1e-9)
        self.assertGreater(factors[2], 5 * factors[1])

    def test_turned_and_scaled(self):
        plain = self.find_factors(COLUMN.replace("PLACED", "").replace("FORCE", "-1000, 0, 0"))
        placed = ", position: [300, 20, -10], orientation: {axis: [0, 0, 1], angle: 90 deg}"
        turned = self.find_factors(COLUMN.replace("PLACED", placed).replace("FORCE", "0, -1000, 0"))
        for a, b in zip(plain, turned):
            self.expect_close(b, a, 1e-7)
        text = COLUMN.replace("PLACED", "").replace("FORCE", "-1e-9, 0, 0").replace("[2, 0.12, 0.1]", "[2e-6, 0.12e-6, 0.1e-6]")
        for a, b in zip(plain, self.find_factors(text)):
            self.expect_close(b, a, 1e-6)

    def test_plate_under_edge_load(self):
        # Simply supported, square: 4 pi^2 D / b^2.
        D = 210e9 * 0.005**3 / 12 / (1 - 0.09)
        for element, allowed in (("quad4", 0.02), ("tri3", 0.03)):
            errors = []
            for n in (8, 16):
                text = PLATE.replace("size: [1, 0.7]", "size: [0.7, 0.7]").replace("at: [0.5,", "at: [0.35,").replace("n: 8", f"n: {n}").replace("quad4", element)
                text = text.replace("x0: [x, y, z], x1: [z]", "x0: [x, z], x1: [z], mid: [y]") + "    loads: {p: {group: x1, line: [-1, 0, 0]}}\n    buckling: {loads: [p]}\n"
                errors.append(self.find_factors(text)[0] / (4 * math.pi**2 * D / 0.7**2) - 1)
            self.assertLess(abs(errors[1]), allowed, element)
            self.assertLess(abs(errors[1]), 0.35 * abs(errors[0]), element)

    def test_tension_does_not_buckle(self):
        self.assertEqual(self.find_factors(COLUMN.replace("PLACED", "").replace("FORCE", "1000, 0, 0").replace("divisions: [12, 1, 1]", "divisions: [4, 1, 1]")), [])
        text = self.expect(self.flyball("check", self.write("m.yaml", STRIP.replace("FORCE", "-1000, 0, 0"))), 0).out
        self.assertRegex(text, r"buckling +c: at \d\S*, \d\S* times these loads")

    def test_weight_of_a_mast(self):
        # Greenhill: a mast under its own weight buckles at w L = 7.837 EI / L^2.
        text = COLUMN.replace("PLACED", "").replace("    loads: {p: {group: x1, force: [FORCE]}}\n", "").replace("loads: [p]", "gravity: [-9.81, 0, 0]")
        weight = 1000 * 9.81 * 0.012
        self.expect_close(self.find_factors(text)[0], 7.8373 * 1e9 * 0.12 * 0.1**3 / 12 / 8 / weight, 5e-3)


class Prestress(MeshTest):
    def test_tensioned_plate(self):
        # f^2 grows by N m^2 / (4 rho h a^2).
        N = 2e4
        text = PLATE.replace("x0: [x, y, z], x1: [z]", "x0: [x, z], x1: [z], mid: [y]")
        loaded = text + f"    loads: {{p: {{group: x1, line: [{N}, 0, 0]}}}}\n    prestress: {{loads: [p]}}\n"
        for more in ("", "    reduce: {modes: 12}\n"):
            plain = self.find_frequencies(text + more, 2, "--set", "n=24")
            tight = self.find_frequencies(loaded + more, 2, "--set", "n=24")
            for m, (a, b) in enumerate(zip(plain, tight), 1):
                self.expect_close(b * b - a * a, N * m * m / (4 * 7850 * 0.005), 0.01)

    def test_column_loses_its_stiffness(self):
        # EI w"" + P w" = m omega^2 w; the frequency falls to zero at the critical load.
        text = COLUMN.replace("PLACED", "").replace("buckling: {loads: [p], factors: 2}", "prestress: {loads: [p]}")
        free = self.find_frequencies(text.replace("    prestress: {loads: [p]}\n", "").replace("FORCE", "0, 0, 0"), 1)[0]
        P = euler(0.12, 0.1)
        half = self.find_frequencies(text.replace("FORCE", f"{-0.5 * P}, 0, 0"), 1)[0]
        k = math.pi / 4 * math.sqrt(0.5)  # P / EI = k^2 for half the critical load
        self.expect_close(half / free, (cantilever(k) / cantilever(0)) ** 2, 5e-3)
        self.expect(self.flyball("check", self.write("m.yaml", text.replace("FORCE", f"{-2 * P}, 0, 0"))), 3, "structure 'c' buckles under its prestress, at 0.5")

    def test_spinning_blade(self):
        # Wright, Smith, Thresher and Wang (1982): w L^2 sqrt(m/EI) of a cantilever at W L^2 sqrt(m/EI) = 6, hub on the axis. Along the axis
        # (flapping) 7.3604 and 26.8091; across it w^2 - W^2.
        unit = math.sqrt(1e9 * 0.02**4 / 12 / (1000 * 0.02**2 * 2**4))
        blade = """\
flyball: 1
gravity: [0, 0, 0]
materials: {m: {E: 1e9, nu: 0, density: 1000}}
structures:
  c:
    mesh: {type: block, size: [2, 0.02, 0.02], divisions: [30, 1, 1], element: hex20PLACED}
    groups: {all: {material: m}}
    supports: {x0: clamped}
    nodes: {tip: {at: [2, 0, 0]}}
    prestress: {spin: [SPIN], about: [0, 0.01, 0.01]}
"""
        turned = ", position: [30, 2, -1], orientation: {axis: [0, 1, 0], angle: 90 deg}"  # its z axis becomes x
        for placed, spin in (("", f"0, 0, {6 * unit}"), (turned, f"{-6 * unit}, 0, 0")):
            found = [2 * math.pi * f / unit for f in self.find_frequencies(blade.replace("PLACED", placed).replace("SPIN", spin), 4)]
            for a, b in zip(found, (math.sqrt(7.3604**2 - 36), 7.3604, math.sqrt(26.8091**2 - 36), 26.8091)):
                self.expect_close(a, b, 2e-3)

    def test_shell_blade_and_scale(self):
        # The same as shells, a millionth as long: unit turns a million times faster.
        unit = math.sqrt(1e9 * 0.02**2 / 12 / (1000 * 2**4))
        text = """\
flyball: 1
gravity: [0, 0, 0]
materials: {m: {E: 1e9, nu: 0, density: 1000}}
structures:
  c:
    mesh: {type: plate, size: [2 mm, 0.04 mm], divisions: [40, 2]}
    groups: {all: {material: m, thickness: 0.02 mm}}
    supports: {x0: clamped}
    nodes: {tip: {at: [2 mm, 0, 0]}}
    prestress: {spin: [0, 0, SPIN], about: [0, 0.02 mm, 0]}
""".replace("SPIN", repr(6e3 * unit))
        self.expect_close(2 * math.pi * self.find_frequencies(text, 1)[0] / (1e3 * unit), 7.3604, 2e-3)

    def test_messages(self):
        good = COLUMN.replace("PLACED", "").replace("FORCE", "-1000, 0, 0")
        for old, new, message in (
                ("loads: [p], factors", "loads: [q], factors", "structure 'c' has no load 'q'"),
                ("{loads: [p], factors: 2}", "{factors: 2}", "'buckling' of structure 'c' has no loads"),
                ("factors: 2", "factors: 0", "factors"),
                ("force: [-1000, 0, 0]", "force: ['-1000*t', 0, 0]", "load 'p' varies ('-1000*t')"),
                ("    supports: {x0: clamped}\n", "", "can move without deforming, so loads do not stress it; hold it by 'supports'")):
            with self.subTest(new):
                answer = self.flyball("check", self.write("m.yaml", good.replace(old, new)))
                self.assertEqual(answer.code, 3, answer.err)
                self.assertIn(message, answer.err)
                self.assertIn("m.yaml:", answer.err)
