"""Structures of solids and shells: benchmark problems with published values, files of every format, couplings, poses, and bad meshes."""
import math
import pathlib
import shutil
import struct

import mesh_models
from program import ProgramTest

MESHES = pathlib.Path(__file__).parent / "meshes"

BRACKET = """\
flyball: 1
name: bracket
materials: {{alu: {{E: 70 GPa, nu: 0.33, density: 2700}}}}
structures:
  b:
    mesh: {{file: {file}, unit: {unit}{placed}}}
    groups: {{body: {{material: alu}}}}
    supports: {{foot: clamped}}
    nodes: {{pin: {{group: hole{coupling}}}}}
    {reduce}
"""

PLATE = """\
flyball: 1
name: plate
gravity: [0, 0, 0]
materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850}}
parameters: {n: 8}
structures:
  p:
    mesh: {type: plate, size: [1, 0.7], divisions: [n, n], element: quad4}
    groups: {all: {material: steel, thickness: 5 mm}}
    supports: {x0: [x, y, z], x1: [z], y0: [z], y1: [z]}
    nodes: {mid: {at: [0.5, 0.35, 0]}}
"""

BAR = """\
flyball: 1
name: bar
gravity: [0, 0, 0]
materials: {m: {E: 1e9, nu: 0, density: 1000}}
structures:
  b:
    mesh: {type: block, size: [2, 0.2, 0.3], divisions: [8, 2, 2], element: hex20}
    groups: {all: {material: m}}
    supports: {x0: clamped}
    nodes: {tip: {group: x1, coupling: rigid}}
forces: {f: {type: force, point: b.tip, value: [1000, 0, 0]}}
"""

TIP = """\
flyball: 1
name: tip
gravity: [0, 0, 0]
materials: {{m: {{E: {E}, nu: {nu}, density: 1}}}}
structures:
  r:
    mesh: {{file: mesh.inp}}
    groups: {{all: {{material: m{thickness}}}}}
    supports: {{foot: clamped}}
    nodes: {{tip: {{{tip}}}}}
forces: {{f: {{type: force, point: r.tip, value: {force}}}}}
"""


# A quarter of a hemisphere with a hole, pulled and pushed at its rim (MacNeal and Harder).
HEMISPHERE = """\
flyball: 1
gravity: [0, 0, 0]
materials: {c: {E: 6.825e7, nu: 0.3, density: 1}}
structures:
  r:
    mesh: {file: mesh.inp}
    groups: {all: {material: c, thickness: 0.04}}
    supports: {start: [y, rx, rz], end: [x, ry, rz], a: [z]}
    nodes: {a: {at: [10, 0, 0]}, b: {at: [0, 10, 0]}}
forces:
  f: {type: force, point: r.a, value: [1, 0, 0]}
  g: {type: force, point: r.b, value: [0, -1, 0]}
"""

# E I = 100 N m^2 for bending across the strip, L = 1 m.
EDGE = """\
flyball: 1
gravity: [0, 0, 0]
materials: {{m: {{E: 1.5e9, nu: 0, density: 1000}}}}
structures:
  s:
    mesh: {{type: plate, size: [1, 0.1], divisions: [16, 4], orientation: {{axis: {axis}, angle: {angle} deg}}}}
    groups: {{all: {{material: m, thickness: 20 mm}}}}
    supports: {{x0: clamped}}
    nodes: {{end: {{group: x1}}}}
forces:
  pull: {{type: force, point: s.end, value: {force}}}
  turn: {{type: torque, body: s.end, value: {moment}}}
simulation: {{duration: 1}}
"""


BLADE = """\
flyball: 1
gravity: [0, 0, 0]
materials: {al: {E: 70 MPa, nu: 0.33, density: 2700}}
bodies: {hub: {mass: 5, inertia: [0.02, 0.02, 0.025]}}
joints:
  spin: {type: revolute, between: [ground, hub], point: [0, 0, 0], axis: [0, 0, 1], velocity: 10}
  weld: {type: fixed, between: [hub, blade.root], point: [0.1, 0, 0]}
structures:
  blade:
    mesh: {type: plate, size: [0.5, 0.05], divisions: [5, 1], position: [0.1, -0.025, 0]}
    groups: {all: {material: al, thickness: 20 mm}}
    damping: {beta: 1e-3}
    reduce: {modes: 1}
    nodes: {root: {group: x0}, tip: {at: [0.5, 0.05, 0]}}
simulation: {duration: 1, sample: 0.1, rtol: 1e-3}
"""


class MeshTest(ProgramTest):
    def find_coordinates(self, text, mesh=None):
        if mesh:
            self.write("mesh.inp", mesh)
        return self.expect(self.flyball("equilibrium", "--json", self.write("m.yaml", text)), 0).json()["coordinates"]

    def find_frequencies(self, text, count=3, *options):
        path = self.write("m.yaml", text)
        modes = self.expect(self.flyball("modes", "--lowest", str(count), "--json", path, *options), 0).json()["modes"]
        return [mode["frequency_hz"] for mode in modes]

    def expect_close(self, value, expected, allowed):
        self.assertLess(abs(value / expected - 1.0), allowed, f"{value} instead of {expected}")


class Shells(MeshTest):
    def test_scordelis_lo_roof(self):
        a = math.radians(40)
        sag = []
        for n in (6, 12):
            c = self.find_coordinates(f"""
flyball: 1
gravity: [{-10 * math.cos(a)}, {-10 * math.sin(a)}, 0]
materials: {{c: {{E: 4.32e8, nu: 0, density: 36}}}}
structures:
  r:
    mesh: {{type: cylinder, radius: 25, length: 50, angle: 80 deg, divisions: [{n}, {n}]}}
    groups: {{all: {{material: c, thickness: 0.25}}}}
    supports: {{z0: [x, y], z1: [x, y], mid: [z]}}
    nodes: {{edge: {{at: [25, 0, 25]}}, mid: {{at: [{25 * math.cos(a)}, {25 * math.sin(a)}, 25]}}}}
""")
            sag.append(-(c["r.edge.q1"] * math.cos(a) + c["r.edge.q2"] * math.sin(a)))
        # Converged: 0.3006; of second order.
        self.expect_close(sag[1], 0.3006, 0.025)
        self.assertLess(abs(sag[1] - 0.3006), 0.3 * abs(sag[0] - 0.3006))

    def test_pinched_cylinder(self):
        deflection = []
        for n in (6, 12, 24):
            c = self.find_coordinates(f"""
flyball: 1
gravity: [0, 0, 0]
materials: {{c: {{E: 3e6, nu: 0.3, density: 1}}}}
structures:
  r:
    mesh: {{type: cylinder, radius: 300, length: 300, angle: 90 deg, divisions: [{n}, {n}]}}
    groups: {{all: {{material: c, thickness: 3}}}}
    supports: {{start: [y, rx, rz], end: [x, ry, rz], z0: [x, y, rz], z1: [z, rx, ry]}}
    nodes: {{load: {{at: [300, 0, 300]}}}}
forces: {{f: {{type: force, point: r.load, value: [-0.25, 0, 0]}}}}
""")
            deflection.append(-next(iter(c.values())))
        self.expect_close(deflection[2], 1.8248e-5, 0.04)
        self.assertLess(deflection[0], deflection[1])
        self.assertLess(deflection[1], deflection[2])

    def test_hemisphere_with_a_hole(self):
        for element, allowed in (("S4", 0.02), ("S3", 0.03)):
            c = self.find_coordinates(HEMISPHERE, mesh_models.hemisphere(8, element))
            self.expect_close(c["r.a.x"], 0.0940, allowed)

    def test_cooks_membrane(self):
        n = 8
        nodes = ", ".join(f"n{i}: {{at: [48, {44 + 16 * i / n}, 0]}}" for i in range(n + 1))
        forces = "\n".join(f"  f{i}: {{type: force, point: r.n{i}, value: [0, {(0.5 if i in (0, n) else 1) / n}, 0]}}" for i in range(n + 1))
        c = self.find_coordinates(f"""
flyball: 1
gravity: [0, 0, 0]
materials: {{c: {{E: 1, nu: {1 / 3}, density: 1}}}}
structures:
  r:
    mesh: {{file: mesh.inp}}
    groups: {{all: {{material: c, thickness: 1}}}}
    supports: {{left: clamped}}
    nodes: {{{nodes}}}
forces:
{forces}
""", mesh_models.cook(n, "S4"))
        self.expect_close(c["r.n4.q2"], 23.96, 0.015)

    def test_plate_frequencies_converge(self):
        rigidity, mass = 210e9 * 0.005**3 / 12 / (1 - 0.09), 7850 * 0.005
        exact = [math.pi / 2 * math.sqrt(rigidity / mass) * (i * i + j * j / 0.49) for i, j in ((1, 1), (2, 1), (1, 2))]
        for element, allowed in (("quad4", 0.025), ("tri3", 0.03)):
            text = PLATE.replace("quad4", element)
            coarse = self.find_frequencies(text, 3, "--set", "n=8")
            fine = self.find_frequencies(text, 3, "--set", "n=16")
            for a, b, true in zip(coarse, fine, exact):
                self.expect_close(b, true, allowed)
                # Of second order; shear of the thin plate lowers them by 1e-4.
                self.assertLess(b - true, 0.3 * (a - true))

    def test_offset_of_the_middle_surface(self):
        # A strip whose nodes are on its lower side: the same frequencies as with nodes in the middle.
        text = PLATE.replace("supports: {x0: [x, y, z], x1: [z], y0: [z], y1: [z]}", "supports: {x0: clamped}")
        text = text.replace("size: [1, 0.7]", "size: [1, 0.05]").replace("divisions: [n, n]", "divisions: [16, 2]").replace("0.35", "0.025")
        plain = self.find_frequencies(text, 2)
        offset = self.find_frequencies(text.replace("thickness: 5 mm", "thickness: 5 mm, offset: 2.5 mm"), 2)
        self.expect_close(plain[0], 1.87510407**2 / (2 * math.pi) * math.sqrt(210e9 * 0.005**2 / 12 / 7850), 0.01)
        self.expect_close(offset[0], plain[0], 2e-4)


class Solids(MeshTest):
    def find_tip(self, mesh, material, force, tip, thickness=""):
        c = self.find_coordinates(TIP.format(E=material[0], nu=material[1], force=force, tip=tip, thickness=thickness), mesh)
        return [c[f"r.tip.q{i}"] for i in (1, 2, 3)]

    def test_twisted_beam(self):
        average, middle = "group: tip, coupling: average", "at: [12, 0, 0]"
        for n, element, tip, thickness in (((12, 2, 1), "C3D20", average, ""), ((12, 2, 2), "C3D8", average, ""),
                                           ((12, 2), "S4", middle, ", thickness: 0.32")):
            mesh = mesh_models.twisted(n, element)
            self.expect_close(self.find_tip(mesh, (29e6, 0.22), "[0, 0, 1]", tip, thickness)[2], 5.424e-3, 0.015)
            self.expect_close(self.find_tip(mesh, (29e6, 0.22), "[0, 1, 0]", tip, thickness)[1], 1.754e-3, 0.015)

    def test_curved_beam(self):
        for n, element, tip, thickness in (((12, 2, 2), "C3D20", "group: tip, coupling: average", ""),
                                           ((24, 4), "S4", "at: [4.22, 0, 0]", ", thickness: 0.1")):
            mesh = mesh_models.curved(n, element)
            self.expect_close(self.find_tip(mesh, (1e7, 0.25), "[1, 0, 0]", tip, thickness)[0], 0.08734, 0.03)
            self.expect_close(self.find_tip(mesh, (1e7, 0.25), "[0, 0, 1]", tip, thickness)[2], 0.5022, 0.03)

    def test_every_element_of_a_block(self):
        # Bending of a clamped bar, nu = 0: the beam of Timoshenko, from above.
        text = BAR.replace("divisions: [8, 2, 2]", "divisions: [16, 2, 2]").replace("forces:", "outputs: {}\nx:").split("x:")[0]
        exact = 1.87510407**2 / (2 * math.pi * 4) * math.sqrt(1e9 * 0.2**2 / 12 / 1000)
        for element, allowed in (("hex8", 0.01), ("hex20", 0.01), ("wedge15", 0.01), ("tet10", 0.01), ("wedge6", 0.5), ("tet4", 0.9)):
            first = self.find_frequencies(text.replace("hex20", element), 1)[0]
            self.expect_close(first, exact, allowed)

    def test_lumped_masses(self):
        text = BAR.split("forces:")[0]
        whole = self.find_frequencies(text, 2)
        lumped = self.find_frequencies(text.replace("groups:", "mass: lumped\n    groups:"), 2)
        for a, b in zip(whole, lumped):
            self.expect_close(b, a, 0.01)
            self.assertNotEqual(a, b)


class Couplings(MeshTest):
    def test_statics_of_a_bar(self):
        # nu = 0: stretching, twisting and bending by a moment.
        for coupling in ("rigid", "average"):
            text = BAR.replace("rigid", coupling)
            c = self.find_coordinates(text)
            self.expect_close(c["b.tip.q1"], 1000 * 2 / (1e9 * 0.06), 1e-9 if coupling == "rigid" else 0.05)
            moment = "forces: {f: {type: torque, body: b.tip, value: [0, 100, 0]}}"
            c = self.find_coordinates(text.split("forces:")[0] + moment)
            self.expect_close(c["b.tip.q5"], 100 * 2 / (1e9 * 0.2 * 0.3**3 / 12), 1e-9 if coupling == "rigid" else 0.05)

    def test_average_follows_the_mean(self):
        # The node of the group follows its mean; the nodes themselves are recorded through their joints.
        text = BAR.replace("rigid", "average").replace("divisions: [8, 2, 2]", "divisions: [4, 1, 1]").replace("hex20", "hex8")
        text = text.replace("value: [1000, 0, 0]", "value: [1000, 300, -200]")
        c = self.find_coordinates(text)
        place = self.find_coordinates(text.replace("coupling: average", "coupling: average, at: [2.5, 0.1, 0.15]"))
        # A force further out turns the end, and its node moves with the turn.
        self.assertGreater(abs(place["b.tip.q3"]), 1.3 * abs(c["b.tip.q3"]))

    def test_reduced_statics_is_exact(self):
        text = BAR.replace("value: [1000, 0, 0]", "value: [1000, 300, -200]")
        whole = self.find_coordinates(text)
        reduced = self.find_coordinates(text.replace("nodes: {tip", "reduce: {modes: 3}\n    nodes: {tip"))
        for i in range(1, 7):
            self.assertAlmostEqual(reduced[f"b.tip.q{i}"], whole[f"b.tip.q{i}"], delta=1e-9 * abs(whole["b.tip.q3"]))

    def test_weight_of_a_mesh(self):
        text = BAR.split("forces:")[0].replace("gravity: [0, 0, 0]", "gravity: [0, 0, -10]")
        c = self.find_coordinates(text)
        w, inertia = 1000 * 0.06 * 10, 0.2 * 0.3**3 / 12
        bending, shear = w * 2**4 / (8 * 1e9 * inertia), w * 2**2 / (2 * 0.5e9 * 0.06 * 5 / 6)
        self.expect_close(c["b.tip.q3"], -(bending + shear), 0.01)
        turned = text.replace("gravity: [0, 0, -10]", "gravity: [-6, 0, -8]")
        self.expect_close(self.find_coordinates(turned)["b.tip.q3"], 0.8 * c["b.tip.q3"], 1e-9)

    def test_a_body_hangs_on_a_mesh(self):
        # A weight on the end: as a rigid body on the coupled node, and as a force.
        text = BAR.split("forces:")[0].replace("density: 1000", "density: 1e-3").replace("gravity: [0, 0, 0]", "gravity: [0, 0, -10]")
        body = text + """bodies: {w: {position: [2, 0.1, 0.15], mass: 30, inertia: [1, 1, 1]}}
joints: {j: {type: fixed, between: [b.tip, w], point: [2, 0.1, 0.15]}}
"""
        force = text + "forces: {f: {type: force, point: b.tip, value: [0, 0, -300]}}"
        self.expect_close(self.find_coordinates(body)["b.tip.q3"], self.find_coordinates(force)["b.tip.q3"], 1e-9)

    def test_edge_of_a_shell_as_a_rigid_end(self):
        """Forces and moments on a rigidly coupled edge of a strip without contraction: the closed form of the beam, about all axes, in a turned drawing."""
        upright = (0.02 / 0.1) ** 2  # E I = 100 N m^2 across the strip; in its plane b^2 / h^2 times as much
        for force, moment, place, exact in (([0, 0, 2], [0, 0, 0], 3, 2 / 300), ([0, 0, 0], [0, 3, 0], 5, 0.03),
                                            ([0, 1000, 0], [0, 0, 0], 2, 1000 / 300 * upright), ([0, 0, 0], [0, 0, 500], 6, 5 * upright)):
            for axis, angle in ([0, 0, 1], 0), ([1, -2, 0.5], 70):
                with self.subTest(force=force, moment=moment, angle=angle):
                    R = mesh_models.rotation(axis, math.radians(angle))
                    force_g, moment_g = ([sum(a * b for a, b in zip(row, x)) for row in R] for x in (force, moment))
                    text = EDGE.format(force=force_g, moment=moment_g, axis=axis, angle=angle)
                    answer = self.flyball("equilibrium", self.write("strip.yaml", text), "--json")
                    values = answer.json()["coordinates"]
                    self.assertAlmostEqual(values[f"s.end.q{place}"] / exact, 1.0, delta=0.01)

    def test_mesh_on_a_spinning_hub_stops(self):
        """Meshes are linear: a blade that a hub carries around must not end in a number without a word."""
        answer = self.flyball("run", self.write("blade.yaml", BLADE))
        self.assertEqual(answer.code, 1, answer.err)
        self.assertRegex(answer.err, r"error: at t = 0\.\d* s 'blade\.\w+' has rotated by 1\.\d* rad")
        self.assertIn("meshes and matrices have no other theory", answer.err)


STRIP = """\
flyball: 1
gravity: [0, 0, -9.81]
materials: {s: {E: 210e9, nu: 0, density: 7850}, w: {E: 1, nu: 0, density: 0}}
sections:
  bar: {type: rectangle, material: s, width: 50 mm, height: 5 mm}
  soft: {type: rectangle, material: w, width: 10 mm, height: 10 mm}
simulation: {duration: 0.5, sample: 0.02, rtol: 1e-6, atol: 1e-9}
"""


def guide_on(n, body):
    """A massless guide along a strip of length 1, welded to the nodes k1, k2, ... of a structure."""
    nodes = "".join(f"      k{i}: {{at: [{i / n}, 0.025, 0], body: {body}.k{i}}}\n" for i in range(1, n + 1))
    members = "".join(f"      m{i}: {{from: k{i - 1}, to: k{i}, section: soft}}\n" for i in range(1, n + 1))
    guide = ", ".join(f"g.m{i}" for i in range(1, n + 1))
    return f"""\
  g:
    theory: linear
    nodes:
      k0: {{at: [0, 0.025, 0], support: clamped}}
{nodes}    members:
{members}sliders: {{c: {{guide: [{guide}], mass: 0.3, value: "0.1 + 1.6*t", theory: convective}}}}
"""


def named_nodes(n):
    return ", ".join(f"k{i}: {{at: [{i / n}, 0.025, 0]}}" for i in range(1, n + 1))


class Guides(MeshTest):
    def find_motion(self, text):
        self.expect(self.flyball("run", self.write("m.yaml", text), "-o", "out", "--no-error-estimate"), 0)
        rows = [line for line in (self.folder / "out/m.csv").read_text().splitlines() if not line.startswith("#")]
        return [float(row.split(",")[-1]) for row in rows[1:]]

    def test_mass_slides_along_shells(self):
        # A cantilever of shells converges to the beam.
        beam = self.find_motion(STRIP + """\
structures:
  p:
    plane: xz
    theory: linear
    nodes: {A: {at: [0, 0], support: clamped}, B: {at: [1, 0]}}
    members: {m: {from: A, to: B, section: bar, elements: 12}}
sliders: {c: {guide: p.m, mass: 0.3, value: "0.1 + 1.6*t", theory: convective}}
outputs: {z: p.B.q2}
""")
        errors = []
        for n in (6, 12):
            shells = self.find_motion(STRIP + f"""\
structures:
  p:
    mesh: {{type: plate, size: [1, 0.05], divisions: [{n}, 2]}}
    groups: {{all: {{material: s, thickness: 5 mm}}}}
    supports: {{x0: clamped}}
    nodes: {{{named_nodes(n)}}}
    reduce: {{modes: 10}}
""" + guide_on(n, "p") + f"outputs: {{z: p.k{n}.q3}}\n")
            errors.append(max(abs(a - b) for a, b in zip(shells, beam)) / max(map(abs, beam)))
        self.assertLess(errors[1], 0.02)
        self.assertLess(errors[1], 0.5 * errors[0])

    def test_guide_on_points_is_rejected(self):
        text = STRIP + f"""\
structures:
  p:
    mesh: {{type: block, size: [1, 0.05, 0.005], divisions: [4, 2, 1]}}
    groups: {{all: {{material: s}}}}
    supports: {{x0: clamped}}
    nodes: {{{named_nodes(4)}}}
    reduce: {{modes: 4}}
""" + guide_on(4, "p")
        answer = self.flyball("check", self.write("m.yaml", text))
        self.expect(answer, 3, "the guide of slider 'c' is welded to 'p.k1', which has displacements but no rotations")


class Files(MeshTest):
    def find_bracket(self, file, unit="1 mm", placed="", coupling="", reduce="reduce: {modes: 10}"):
        shutil.copy(MESHES / file, self.folder)
        text = BRACKET.format(file=file, unit=unit, placed=placed, coupling=coupling, reduce=reduce)
        return self.find_frequencies(text)

    def test_formats_agree(self):
        first = self.find_bracket("bracket_22.msh")
        self.expect_close(first[0], 870, 0.02)
        for file in ("bracket_22_binary.msh", "bracket_41.msh", "bracket_41_binary.msh", "bracket.inp"):
            for a, b in zip(self.find_bracket(file), first):
                self.expect_close(a, b, 1e-9)

    def test_pose_and_size(self):
        first = self.find_bracket("bracket_41.msh")
        turned = ", position: [2e5, -3e5, 1e5], orientation: {axis: [1, 2, -2], angle: 2}"
        for a, b in zip(self.find_bracket("bracket_41.msh", placed=turned), first):
            self.expect_close(a, b, 1e-8)
        for unit, factor in (("1", 1e-3), ("1e-9", 1e6)):
            for a, b in zip(self.find_bracket("bracket_41.msh", unit=unit), first):
                self.expect_close(a, b * factor, 1e-8)

    def test_reduction_converges_to_the_whole(self):
        whole = self.find_bracket("bracket_41.msh", reduce="")
        reduced = self.find_bracket("bracket_41.msh", reduce="reduce: {modes: 30}")
        for a, b in zip(reduced, whole):
            self.expect_close(a, b, 1e-4)
            self.assertGreaterEqual(a, b * (1 - 1e-9))

    def test_quadratic_hexahedra_and_wedges(self):
        shutil.copy(MESHES / "prisms.msh", self.folder)
        text = BRACKET.format(file="prisms.msh", unit="1 mm", placed="", coupling="", reduce="").replace("{pin: {group: hole}}", "{pin: {at: [0.04, 0, 0]}}")
        block = text.replace("{file: prisms.msh, unit: 1 mm}", "{type: block, size: [0.04, 0.02, 0.01], divisions: [4, 2, 2]}")
        block = block.replace("body:", "all:").replace("foot:", "x0:")
        for a, b in zip(self.find_frequencies(text), self.find_frequencies(block)):
            self.expect_close(a, b, 0.01)

    def test_check_shows_mass_and_size(self):
        shutil.copy(MESHES / "bracket.inp", self.folder)
        path = self.write("m.yaml", BRACKET.format(file="bracket.inp", unit="1 mm", placed="", coupling="", reduce="reduce: {modes: 4}"))
        text = self.expect(self.flyball("check", path), 0).out
        self.assertRegex(text, r"mesh +b: elements \d+, nodes \d+, coordinates 10, mass 0.051\d* kg, size 0.1 x 0.02 x 0.01 m")
        mesh = self.expect(self.flyball("check", "--json", path), 0).json()["meshes"][0]
        self.assertAlmostEqual(mesh["mass"], 2700e-9 * (100 * 20 * 10 - math.pi * 25 * 10), delta=2e-4)


def quads(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def ints(*values):
    return struct.pack(f"<{len(values)}i", *values)


class BadMeshes(MeshTest):
    def reject(self, text, message, code=3):
        answer = self.flyball("check", self.write("m.yaml", text))
        self.assertEqual(answer.code, code, answer.err)
        self.assertIn(message, answer.err)

    def test_model_file(self):
        for old, new, message in (
                ("type: plate", "type: plat", "did you mean 'plate'?"),
                ("type: plate,", "file: p.msh, type: plate,", "a mesh is written {file: plate.msh} or {type:"),
                ("divisions: [n, n]", "divisions: [n, 2.5]", "'divisions' are two or three whole numbers"),
                ("divisions: [n, n]", "divisions: [100000, 100000]", "at most 1000000 are made here"),
                ("size: [1, 0.7]", "size: [1, -0.7]", "'size' of the plate of structure 'p' is -0.7 m"),
                ("element: quad4", "element: hex8", "a plate cannot be meshed by 'hex8'; use quad4 or tri3"),
                (", thickness: 5 mm", "", "needs a thickness > 0"),
                ("material: steel", "material: steal", "there is no material 'steal'"),
                ("x1: [z]", "x2: [z]", "has no group 'x2'; its groups are: x0, x1, y0, y1"),
                ("x1: [z]", "x1: [up]", "a support is 'clamped', 'pinned' or a list of"),
                ("at: [0.5, 0.35, 0]", "at: [0.51, 0.35, 0]", "no node of the mesh is at (0.51, 0.35, 0) m; the nearest is at (0.5, 0.35, 0) m"),
                ("{at: [0.5, 0.35, 0]}", "{}", "needs a place ('at') or a group"),
                ("at: [0.5, 0.35, 0]", "group: x1, coupling: average", "lie on a line, so their displacements cannot give the rotations"),
                ("mid: {", "a.b: {", "not a valid name"),
                ("nodes: {mid: {at: [0.5, 0.35, 0]}}", "", "has no named nodes")):
            with self.subTest(new):
                self.reject(PLATE.replace(old, new), message)

    def test_couplings_that_meet(self):
        two = BAR.replace("nodes: {tip: {group: x1, coupling: rigid}}", "nodes: {tip: {group: x1}, side: {group: y1}}")
        self.reject(two, "belongs to the groups of both 'tip' and 'side'")
        held = BAR.replace("supports: {x0: clamped}", "supports: {x0: clamped, x1: [x]}")
        self.reject(held, "is supported by group 'x1' and coupled to node 'tip'")
        inside = BAR.replace("{tip: {group: x1, coupling: rigid}}", "{tip: {group: x1}, corner: {at: [2, 0, 0]}}")
        self.reject(inside, "belongs to the group of node 'tip'")

    def reject_mesh(self, mesh, message, file="mesh.inp"):
        self.write(file, mesh)
        text = TIP.format(E=1e9, nu=0.3, force="[0, 0, 1]", tip="at: [12, 0, 0]", thickness=", thickness: 0.1").replace("mesh.inp", file)
        self.reject(text, message)

    def test_abaqus_files(self):
        good = mesh_models.twisted((2, 2), "S4")
        lines = good.splitlines()
        element = next(i for i, line in enumerate(lines) if line.startswith("*ELEMENT")) + 1

        def with_line(i, text):
            return "\n".join(lines[:i] + [text] + lines[i + 1:]) + "\n"
        self.reject_mesh(with_line(element - 1, "*ELEMENT, TYPE=C3D99"), "mesh.inp:11: error: elements of type 'C3D99' are not supported")
        self.reject_mesh(with_line(element, "1, 1, 2, 5, 77"), "element 1 has node 77, which is not in the file")
        self.reject_mesh(with_line(element, "1, 1, 5, 2, 4"), "element 1 (quad4) of structure 'r', at (0, -0.55, 0) m, is inverted or folded")
        self.reject_mesh(with_line(element, "1, 1, 2, 3, 2"), "is flat")
        self.reject_mesh(with_line(1, "1, 0, oops, 0"), "mesh.inp:2: error: node 1: its coordinates are not numbers")
        self.reject_mesh(with_line(2, "1, 0, 0, 0"), "two nodes with the number 1")
        self.reject_mesh("*INCLUDE, INPUT=other.inp\n" + good, "is not supported")
        self.reject_mesh(good.replace("NSET=foot", "NSET=feet"), "has no group 'foot'; its groups are: all_elements, feet, tip")
        self.reject_mesh(good + "*NSET, NSET=x\n1, nothing\n", "there is no set 'nothing'")
        self.reject_mesh(good + "*NSET, NSET=x\n1, x\n", "set 'x' cannot contain itself")
        bomb = "".join(f"*NSET, NSET=s{i + 1}\n" + ", ".join([f"s{i}"] * 100) + "\n" for i in range(6))
        self.reject_mesh(good + "*NSET, NSET=s0\n1, 2, 3\n" + bomb, "has more than 10000000 members")
        self.reject_mesh("", "the mesh has 0 nodes and 0 elements; a mesh needs both")
        for line, message in (("1, 2000000000, 1", "members of a set; at most 10000000 are read"), ("3, 1, -5", "GENERATE from 3 to 1 by -5"), ("3, 1, -9999999999999999999", "GENERATE needs: first, last, step"),
                              ("1, 3, 0", "GENERATE from 1 to 3 by 0: numbers must be from 1"), ("1, 3, 9223372036854775807", "the step at least 1"),
                              ("-9223372036854775807, 9223372036854775807, 1", "GENERATE from -9223372036854775807"), ("1, 3, x", "GENERATE needs: first, last, step")):
            self.reject_mesh(good + f"*NSET, NSET=x, GENERATE\n{line}\n", message)
        second = "\n".join(f"{100 + i}, {20 + i % 2}, {i // 2}, 0" for i in range(4))
        self.reject_mesh(good + f"*NODE\n{second}\n*ELEMENT, TYPE=S4\n90, 100, 101, 103, 102\n", "has unconnected parts")

    def reject_binary(self, nodes, message):
        """A binary file of version 4.1 whose section $Nodes begins with these bytes."""
        (self.folder / "b.msh").write_bytes(b"$MeshFormat\n4.1 1 8\n" + ints(1) + b"\n$EndMeshFormat\n$Nodes\n" + nodes + b"\n")
        self.reject(TIP.format(E=1e9, nu=0.3, force="[0, 0, 1]", tip="at: [1, 0, 0]", thickness="").replace("mesh.inp", "b.msh"), message)

    def test_gmsh_files(self):
        text = (MESHES / "bracket_41.msh").read_text()
        binary = (MESHES / "bracket_41_binary.msh").read_bytes()
        self.reject_mesh("hello\n", "not a mesh of Gmsh", "m.msh")
        self.reject_mesh(text.replace("4.1 0 8", "3 0 8"), "this is version 3 of Gmsh's format", "m.msh")
        self.reject_mesh(text[:text.index("$Elements") - 200], "section $Nodes ends early", "m.msh")
        self.reject_mesh(text.replace("$Nodes\n", "$Nodes\n99999999999 "), ", but only", "m.msh")
        self.reject_binary(quads(1, 2**62, 1, 2**62) + ints(3, 1, 0) + quads(2**62), "announces 4611686018427387904 nodes, but only")
        self.reject_binary(quads(2**63, 4, 1, 4) + ints(3, 1, 0) + quads(4), "blocks of nodes, which is impossible")
        nodes = quads(1, 4, 1, 4) + ints(3, 1, 0) + quads(4, 1, 2, 3, 4) + struct.pack("<12d", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1) + b"\n$EndNodes\n$Elements\n"
        self.reject_binary(nodes + quads(1, 2**40, 1, 2**40) + ints(3, 1, 4) + quads(2**40), "announces 1099511627776 elements, but only")
        self.reject_binary(nodes + quads(1, 1, 1, 1) + ints(3, 1, 9999) + quads(1, 1, 1, 2, 3, 4), "elements of Gmsh's type 9999 are not supported")
        self.reject_binary(nodes + quads(1, 1, 1, 1) + ints(3, 1, 4) + quads(1, 1, 1, 2, 3, 2**60), "element 1 has node 1152921504606846976, which is not in the file")
        self.reject_mesh("mesh", "neither a mesh of Gmsh (.msh) nor of Abaqus or CalculiX (.inp)", "m.stl")
        for cut in range(0, len(binary), len(binary) // 60):
            path = self.folder / "cut.msh"
            path.write_bytes(binary[:cut])
            model = BRACKET.format(file="cut.msh", unit="1 mm", placed="", coupling="", reduce="reduce: {modes: 1}")
            answer = self.flyball("check", self.write("m.yaml", model))
            self.assertEqual(answer.code, 3, cut)
            self.assertIn("error:", answer.err)

    def test_files_that_are_not_there(self):
        self.reject(BRACKET.format(file="no.msh", unit="1 mm", placed="", coupling="", reduce=""), "cannot read the mesh", 4)
        (self.folder / "dir.msh").mkdir()
        self.reject(BRACKET.format(file="dir.msh", unit="1 mm", placed="", coupling="", reduce=""), "Is a directory", 4)
