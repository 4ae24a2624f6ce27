"""Masses that slide along nodes of solids and shells: against beams, as meshes are refined, and against the modal series of a thin plate."""
import csv
import math

from program import ProgramTest, every

# A cantilever 1 m long, 0.1 m square, without contraction across, that sways while a mass moves up and down; the last line says what it is made of.
CANTILEVER = """\
flyball: 1
name: m
materials: {{m: {{E: 2e8, nu: 0, density: 1000}}}}
sections: {{s: {{type: rectangle, material: m, width: 0.1, height: 0.1}}}}
forces: {{pull: {{type: force, point: rod.tip, value: [0, 30, 0]}}}}
sliders: {{mass: {{guide: {guide}, mass: 2, theory: {theory}, value: "0.65 + 0.2*sin(2*w*t + 3.3)"}}}}
parameters: {{w: 40}}
outputs:
  tip: {{type: position, point: rod.tip, component: y}}
  place: mass.y
damping: {{output: tip, cycles: 3}}
simulation: {{duration: 0.55, sample: 0.005, start_at: equilibrium, release: [pull], rtol: 1e-5, atol: 1e-8}}
structures:
  rod:
    damping: {{beta: 1e-5}}
"""

BEAM = """\
    theory: linear
    beam: timoshenko
    nodes: {{base: {{at: [0, 0, 0], support: clamped}}, tip: {{at: [1, 0, 0]}}}}
    members: {{bar: {{from: base, to: tip, section: s, elements: {n}, y_axis: [0, 1, 0]}}}}
"""

SOLID = """\
    mesh: {{type: block, element: hex20, size: [1, 0.1, 0.1], divisions: [{n}, 2, 2], position: [0, -0.05, -0.05]}}
    groups: {{all: {{material: m}}}}
    supports: {{x0: clamped}}
    nodes: {{line: {{from: [0, 0.05, 0.05], to: [1, 0.05, 0.05]}}, tip: {{at: [1, 0.05, 0.05]}}}}
    reduce: {{modes: 4}}
"""

SHELL = """\
    mesh: {{type: plate, element: quad4, size: [1, 0.1], divisions: [{n}, 2], orientation: {{axis: [1, 0, 0], angle: -90 deg}}, position: [0, 0, 0.05]}}
    groups: {{all: {{material: m, thickness: 0.1}}}}
    supports: {{x0: clamped}}
    nodes: {{line: {{from: [0, 0.05, 0], to: [1, 0.05, 0]}}, tip: {{at: [1, 0.05, 0]}}}}
    reduce: {{modes: 4}}
"""


class GuideTest(ProgramTest):
    def simulate(self, text, *options):
        """Columns by name, and what the run says."""
        self.write("m.yaml", text)
        answer = self.flyball("run", "m.yaml", "--json", "-o", "out", "--no-error-estimate", *options)
        self.assertEqual(answer.code, 0, answer.err)
        with open(self.folder / "out" / "m.csv") as file:
            rows = list(csv.reader(file))
        names = [name.split(" [")[0] for name in rows[0]]
        return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(names)}, answer.json()

    @staticmethod
    def differ(a, b):
        """The largest difference of two columns as a part of the range of the first."""
        return max(abs(x - y) for x, y in zip(a, b)) / (max(a) - min(a))


class CantileverTest(GuideTest):
    def run_kind(self, kind, n, theory, *options):
        guide = "rod.bar" if "members:" in kind else "{through: rod.line}"
        columns, run = self.simulate(CANTILEVER.format(guide=guide, theory=theory) + kind.format(n=n), *options)
        return columns, (run["damping"] or {}).get("ratio"), run

    def check(self, theory, kind, sizes, limits):
        """Errors of the motion and of the damping ratio shrink as the mesh is refined, below the limits of the finest."""
        beam, zeta, _ = self.run_kind(BEAM, 24, theory)
        errors = []
        for n in sizes:
            columns, ratio, run = self.run_kind(kind, n, theory)
            errors.append(max(self.differ(beam[name], columns[name]) for name in ("tip", "place")))
            self.assertLess(abs(run["energy_balance"]), 1e-5)
            print(f"{theory} n = {n}: motion {errors[-1]:.2g} of its range, damping ratio {ratio:.5f}, beam {zeta:.5f}")
        self.assertLess(errors[-1], 0.5 * errors[0])
        self.assertLess(errors[-1], limits[0])
        self.assertLess(abs(ratio - zeta), limits[1] * abs(zeta))


class Cantilever(CantileverTest):
    def test_solids(self):
        for theory, sizes, limits in every(2, (("convective", (4, 8), (0.01, 0.01)), ("linear_consistent", (4, 8, 16), (0.006, 0.01)))):
            self.check(theory, SOLID, sizes, limits)

    def test_parked(self):
        """The frequency with the mass parked is right, too."""
        frequencies = []
        for kind, guide, n in ((BEAM, "rod.bar", 24), (SOLID, "{through: rod.line}", 16)):
            self.write("m.yaml", CANTILEVER.format(guide=guide, theory="convective") + kind.format(n=n))
            answer = self.flyball("modes", "m.yaml", "--lowest", "1")
            self.assertEqual(answer.code, 0, answer.err)
            line = next(line for line in answer.out.splitlines() if "oscillates" in line)
            frequencies.append(float(line.split()[1]))
        self.assertLess(abs(frequencies[1] / frequencies[0] - 1), 2e-3)

    def test_turned_and_moved(self):
        """The same cantilever far away and in another direction."""
        text = CANTILEVER.format(guide="{through: rod.line}", theory="linear_consistent") + SOLID.format(n=4)
        x, y = 100000, -30000
        turned = text.replace("position: [0, -0.05, -0.05]", f"position: [{x + 0.04}, {y - 0.03}, -0.05], orientation: {{axis: [0, 0, 1], angle: 53.13010235415598 deg}}")
        turned = turned.replace("value: [0, 30, 0]", "value: [-24, 18, 0]").replace("place: mass.y", f"place: -0.8*(mass.x - {x}) + 0.6*(mass.y - {y})")
        turned = turned.replace("tip: {type: position, point: rod.tip, component: y}",
                                "px: {type: position, point: rod.tip, component: x}\n  py: {type: position, point: rod.tip, component: y}\n"
                                f"  tip: -0.8*(px - {x}) + 0.6*(py - {y})")
        (here, run), (there, other) = self.simulate(text), self.simulate(turned)
        self.assertEqual(run["steps"], other["steps"])
        for name in ("tip", "place"):
            self.assertLess(self.differ(here[name], there[name]), 1e-7)

    def test_hung_mass(self):
        """Half of the mass fixed to the carriage moves as if it were the slider's, whether it starts with a speed along the guide or not; the mesh starts at rest."""
        for phase in every(2, ("pi/2", "3.3")):
            with self.subTest(phase=phase):
                self.check_hung(phase)

    def check_hung(self, phase):
        text = CANTILEVER.format(guide="{through: rod.line}", theory="convective").replace("3.3", phase) + SOLID.format(n=4)
        text = text.replace("outputs:", "outputs:\n  start: {type: velocity, point: rod.tip}", 1)
        at = 0.65 + 0.2 * math.sin({"pi/2": math.pi / 2, "3.3": 3.3}[phase])
        hung = text.replace("mass: 2,", "mass: 1,").replace("forces:", f"bodies: {{load: {{position: [{at!r}, 0, 0], mass: 1, inertia: [1e-9, 1e-9, 1e-9]}}}}\n"
                                                           f"joints: {{weld: {{type: fixed, between: [mass.carriage, load], point: [{at!r}, 0, 0]}}}}\nforces:")
        own, both = self.simulate(text)[0], self.simulate(hung)[0]
        for name in ("start.x", "start.y", "start.z"):
            self.assertLess(abs(both[name][0]), 1e-12)
        for name in ("tip", "place"):
            self.assertLess(self.differ(own[name], both[name]), 1e-4)

    def test_form_1_on_solids(self):
        """Form 1 has no limit on bodies that shear (theory 9.10): on coarse meshes alone."""
        for theory in every(2, ("form_1a", "form_1b")):
            self.check(theory, SOLID, (4, 8), (0.02, 0.03))

    def test_shells(self):
        for theory in every(2, ("linear_consistent", "convective")):
            self.check(theory, SHELL, (8, 16), (0.03, 0.08))


# A mass that crosses a simply supported plate off its middle line, its weight included; all terms of the convective theory, across the plate alone.
PLATE = """\
flyball: 1
name: m
gravity: [0, 0, -9.81]
materials: {{m: {{E: 70e9, nu: 0.3, density: 2700}}}}
structures:
  p:
    mesh: {{type: plate, element: quad4, size: [1, 0.6], divisions: [{nx}, {ny}]}}
    groups: {{all: {{material: m, thickness: 4 mm}}}}
    supports: {{x0: [x, y, z, rx], x1: [z, rx], y0: [z, ry], y1: [z, ry]}}
    damping: {{beta: 1e-6}}
    nodes:
      line: {{from: [0, 0.2, 0], to: [1, 0.2, 0]}}
      mid: {{at: [0.5, 0.3, 0]}}
    reduce: {{modes: 10}}
sliders: {{c: {{guide: {{through: p.line}}, mass: 1.5, value: "10*t", theory: convective, inertia: transverse}}}}
outputs:
  mid: p.mid.q3
  under: c.z
simulation: {{duration: 0.1, sample: 0.002, rtol: 1e-6, atol: 1e-9}}
"""
A, B, H, E, NU, RHO, MASS, SPEED, G, Y = 1.0, 0.6, 0.004, 70e9, 0.3, 2700.0, 1.5, 10.0, 9.81, 0.2




def plate_series(n_x, n_y, steps):
    """Deflections of the middle and under the mass by the series of the thin plate, sin(i pi x/a) sin(j pi y/b), by Runge and Kutta."""
    modes = [(i, j) for i in range(1, n_x + 1) for j in range(1, n_y + 1)]
    D, modal = E * H**3 / (12 * (1 - NU**2)), RHO * H * A * B / 4
    squares = [D / (RHO * H) * ((i * math.pi / A)**2 + (j * math.pi / B)**2)**2 for i, j in modes]
    own = [-RHO * H * G * 4 * A * B / (i * j * math.pi**2) if i % 2 and j % 2 else 0.0 for i, j in modes]
    across = [math.sin(j * math.pi * Y / B) for _, j in modes]

    def shapes(x):
        k = [i * math.pi / A for i, _ in modes]
        return ([math.sin(a * x) * s for a, s in zip(k, across)], [a * math.cos(a * x) * s for a, s in zip(k, across)],
                [-a * a * math.sin(a * x) * s for a, s in zip(k, across)])

    def rate(t, z):
        n = len(modes)
        q, v = z[:n], z[n:]
        p, p1, p2 = shapes(SPEED * t)
        # m w'' of the moving point: w_tt + 2 v w_xt + v^2 w_xx
        drag = MASS * (G + 2 * SPEED * sum(a * b for a, b in zip(p1, v)) + SPEED**2 * sum(a * b for a, b in zip(p2, q)))
        right = [o - modal * s * x - a * drag for o, s, x, a in zip(own, squares, q, p)]
        # (modal 1 + m p p') a = right, by the formula of Sherman and Morrison
        share = MASS * sum(a * r for a, r in zip(p, right)) / (modal + MASS * sum(a * a for a in p))
        return v + [(r - a * share) / modal for r, a in zip(right, p)]

    z, h, out = [0.0] * (2 * len(modes)), 0.1 / steps, []
    mid = [math.sin(i * math.pi / 2) * math.sin(j * math.pi / 2) for i, j in modes]
    every = steps // 50
    for step in range(steps + 1):
        t = step * h
        if step % every == 0:
            p = shapes(SPEED * t)[0]
            out.append((sum(a * x for a, x in zip(mid, z)), sum(a * x for a, x in zip(p, z))))
        k1 = rate(t, z)
        k2 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(z, k1)])
        k3 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(z, k2)])
        k4 = rate(t + h, [a + h * b for a, b in zip(z, k3)])
        z = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(z, k1, k2, k3, k4)]
    return [x for x, _ in out], [x for _, x in out]


class Plate(GuideTest):
    def test_crossing(self):
        mid, under = plate_series(9, 7, 2000)
        errors = []
        for nx, ny in ((10, 6), (20, 12), (30, 18)):
            columns, run = self.simulate(PLATE.format(nx=nx, ny=ny))
            errors.append((self.differ(mid, columns["mid"]), self.differ(under, columns["under"])))
            print(f"plate of {nx} x {ny} shells: middle {errors[-1][0]:.2g}, under the mass {errors[-1][1]:.2g} of their ranges")
        self.assertLess(max(errors[2]), 0.02)
        self.assertLess(max(errors[2]), 0.25 * max(errors[0]))


# A trolley that starts with a speed of 1 m/s, and its load on a rope, in lengths of L: times go with L, too.
TROLLEY = """\
flyball: 1
gravity: [0, 0, 0]
parameters: {L: 1}
materials: {m: {E: 5e8, nu: 0.3, density: 1000}}
structures:
  deck:
    mesh: {type: plate, size: [L, 0.2*L], divisions: [4, 2]}
    groups: {all: {material: m, thickness: 0.02*L}}
    supports: {x0: clamped}
    nodes: {track: {from: [0, 0.1*L, 0], to: [L, 0.1*L, 0]}}
    reduce: {modes: 4}
sliders: {trolley: {guide: {through: deck.track}, mass: L^3, theory: convective, value: "0.3*L + t"}}
bodies: {load: {position: [0.3*L, 0.1*L, -0.2*L], mass: 0.4*L^3, inertia: [0.001*L^5, 0.001*L^5, 0.001*L^5]}}
joints: {rope: {type: spherical, between: [trolley.carriage, load], point: [0.3*L, 0.1*L, 0]}}
outputs: {swing: {type: angular_velocity, body: load}}
simulation: {duration: 1e-6*L, sample: 1e-6*L}
"""


class Sizes(GuideTest):
    def test_a_load_starts_in_the_same_way_at_every_size(self):
        # At rest but for what the rope pulls along: least kinetic energy of the load.
        path = self.write("m.yaml", TROLLEY)
        for length in (1, 1e-3, 1e3):
            swing = self.expect(self.flyball("run", path, "--json", "--set", f"L={length}"), 0).json()["final"]["swing.y"]
            self.assertAlmostEqual(swing * length / (0.4 * 0.2 / (0.4 * 0.2**2 + 0.001)), 1.0, delta=1e-6)


if __name__ == "__main__":
    import unittest
    unittest.main()
