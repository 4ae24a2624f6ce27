"""Masses that slide through the nodes of frames, and of shells that a frame is made of; in other units, turned and moved, by every theory."""
import math
import re

from program import SOURCE, every
import test_smooth_guides
from test_smooth_guides import CANTILEVER, SOLID

LINEAR = ("linear_consistent", "convective", "form_1a", "form_1b")


def scale(text, k):
    """The cantilever with lengths k times as long, of a stuff that is k^2 times as stiff, so that times are the same."""
    numbers = {"width: 0.1, height: 0.1": f"width: {0.1 * k!r}, height: {0.1 * k!r}", "value: [0, 30, 0]": f"value: [0, {30 * k**4!r}, 0]",
               "mass: 2,": f"mass: {2 * k**3!r},", '"0.65 + 0.2*sin(2*w*t + 3.3)"': f'"{k!r}*(0.65 + 0.2*sin(2*w*t + 3.3))"', "E: 2e8": f"E: {2e8 * k**2!r}",
               "size: [1, 0.1, 0.1]": f"size: [{k!r}, {0.1 * k!r}, {0.1 * k!r}]", "position: [0, -0.05, -0.05]": f"position: [0, {-0.05 * k!r}, {-0.05 * k!r}]",
               "[0, 0.05, 0.05]": f"[0, {0.05 * k!r}, {0.05 * k!r}]", "[1, 0.05, 0.05]": f"[{k!r}, {0.05 * k!r}, {0.05 * k!r}]"}
    for old, new in numbers.items():
        text = text.replace(old, new)
    return text


class Copies(test_smooth_guides.CantileverTest):
    def solid(self, theory, atol=1e-8):
        text = CANTILEVER.format(guide="{through: rod.line}", theory=theory) + SOLID.format(n=4)
        return text.replace("rtol: 1e-5, atol: 1e-8", f"rtol: {1e-5 if atol == 1e-8 else 1e-7}, atol: {atol!r}")

    def test_scaled(self):
        """Lengths of 0.1 mm and of 10 km: the same motion. Steps differ, because atol also weighs amplitudes of modes, which scale otherwise."""
        for theory, k in every(3, tuple(zip(LINEAR, (1e-4, 1e4, 1e4, 1e-4)))):
            with self.subTest(theory=theory, k=k):
                columns, run = self.simulate(self.solid(theory, 1e-10))
                other, scaled = self.simulate(scale(self.solid(theory, 1e-10 * k), k))
                self.assertLess(abs(scaled["damping"]["ratio"] / run["damping"]["ratio"] - 1), 1e-5)
                for name in ("tip", "place"):
                    self.assertLess(self.differ(columns[name], [x / k for x in other[name]]), 1e-5)

    def test_turned_and_moved(self):
        """By the theories that test_smooth_guides does not turn, about an axis in space, and far away."""
        turn = "{axis: [1, 1, 1], angle: 120 deg}"  # x to y, y to z, z to x
        for theory in every(2, LINEAR[1:]):
            text = self.solid(theory)
            turned = text.replace("position: [0, -0.05, -0.05]", f"position: [999.95, -3000, 499.95], orientation: {turn}")
            turned = turned.replace("value: [0, 30, 0]", "value: [0, 0, 30]").replace("place: mass.y", "place: mass.z - 500")
            turned = turned.replace("tip: {type: position, point: rod.tip, component: y}", "high: {type: position, point: rod.tip, component: z}\n  tip: high - 500")
            with self.subTest(theory=theory):
                here, run = self.simulate(text)
                there, other = self.simulate(turned)
                self.assertEqual(run["steps"], other["steps"])
                self.assertLess(abs(other["damping"]["ratio"] / run["damping"]["ratio"] - 1), 1e-6)
                for name in ("tip", "place"):
                    self.assertLess(self.differ(here[name], there[name]), 1e-7)


class Frame(test_smooth_guides.GuideTest):
    """Benchmark S3, six elements a member: masses through the nodes of the columns instead of along their elements."""

    def frame(self, theory, is_through):
        text = (SOURCE / "bench" / "cases" / "s3" / "frame.yaml").read_text()
        text = text.replace("theory: form_1a, inertia: transverse", f"theory: {theory}").replace("flyball: 1", "flyball: 1\nname: m", 1)
        text = text.replace("30*2*pi/w", "10*2*pi/w").replace("cycles: 10", "cycles: 5")
        if theory == "consistent":
            text = text.replace("theory: linear\n", "theory: nonlinear\n")
        return re.sub(r"guide: (frame\.\w+)", r"guide: {through: \1}", text) if is_through else text

    def test_portal_frame(self):
        for theory in every(5, LINEAR + ("consistent",)):
            along, run = self.simulate(self.frame(theory, False))
            through, other = self.simulate(self.frame(theory, True))
            error = self.differ(along["corner"], through["corner"])
            a, b = run["damping"]["ratio"], other["damping"]["ratio"]
            print(f"S3 {theory}: motion {error:.2g} of its range, damping ratio {b:.5f}, along elements {a:.5f}")
            with self.subTest(theory=theory):
                self.assertLess(error, 0.01)
                self.assertLess(abs(b / a - 1), 0.01)


# A slender portal frame, 4 m wide and 3 m high between the middles of its members; masses go up and down its columns.
PORTAL = """\
flyball: 1
name: m
parameters: {{w: 40}}
materials: {{m: {{E: 210e9, nu: 0, density: 7850}}}}
sections: {{s: {{type: rectangle, material: m, width: 0.05, height: 0.05}}}}
forces: {{pull: {{type: force, point: p.B, value: [800, 0, 0]}}}}
laws: {{up_down: {{type: harmonic, offset: 2.1, amplitude: 0.6, frequency: 2*w, phase: {phase}}}}}
sliders:
  left: {{guide: {left}, mass: 6, theory: {theory}, law: up_down}}
  right: {{guide: {right}, mass: 6, theory: {theory}, law: up_down}}
outputs: {{sway: {{type: position, point: p.B, component: x}}}}
damping: {{output: sway, cycles: 3}}
simulation: {{duration: 4*2*pi/w, sample: 2*pi/w/40, start_at: equilibrium, release: [pull], rtol: 1e-5, atol: 1e-7}}
structures:
  p:
    damping: {{beta: 1e-4}}
"""

BEAMS = """\
    plane: xy
    theory: linear
    beam: timoshenko
    nodes: {A: {at: [0, 0], support: clamped}, B: [0, 3], C: [4, 3], D: {at: [4, 0], support: clamped}}
    members:
      left: {from: A, to: B, section: s, elements: 8}
      top: {from: B, to: C, section: s, elements: 8}
      right: {from: D, to: C, section: s, elements: 8}
"""

SHELLS = """\
    mesh: {file: portal.inp}
    groups: {ALL: {material: m, thickness: 0.05}}
    supports: {FEET: clamped}
    nodes: {left: {from: [0, 0, 0], to: [0, 3, 0]}, right: {from: [4, 0, 0], to: [4, 3, 0]}, B: {at: [0, 3, 0]}}
    reduce: {modes: 6}
"""


def write_portal(n, d=0.05):
    """Shells in the plane of the frame, two across each member and n along it between the corners of 2 x 2."""
    def cuts(length):
        return [-d / 2, 0.0, d / 2] + [d / 2 + (length - d) * i / n for i in range(1, n)] + [length - d / 2, length, length + d / 2]

    xs = cuts(4.0)
    ys = [(3.0 - d / 2) * i / n for i in range(n + 1)] + [3.0, 3.0 + d / 2]
    names, lines, elements = {}, [], []

    def node(i, j):
        if (i, j) not in names:
            names[i, j] = len(names) + 1
            lines.append(f"{names[i, j]}, {xs[i]!r}, {ys[j]!r}, 0")
        return names[i, j]

    for i in range(len(xs) - 1):
        for j in range(len(ys) - 1):
            if i < 2 or i >= len(xs) - 3 or j >= len(ys) - 3:
                corners = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]
                elements.append(f"{len(elements) + 1}, " + ", ".join(map(str, corners)))
    feet = [str(names[i, 0]) for i in (0, 1, 2, len(xs) - 3, len(xs) - 2, len(xs) - 1)]
    return "\n".join(["*NODE"] + lines + ["*ELEMENT, TYPE=S4, ELSET=ALL"] + elements + ["*NSET, NSET=FEET", ", ".join(feet)]) + "\n"


class Portal(test_smooth_guides.GuideTest):
    """A portal frame of shells against one of beams, each at its own frequency."""

    def find_frequency(self, body, left, right, near):
        """Of the sway, rad/s: shells also vibrate out of the plane."""
        self.write("m.yaml", PORTAL.format(left=left, right=right, theory="convective", phase="0").replace("amplitude: 0.6", "amplitude: 0") + body)
        answer = self.flyball("modes", "m.yaml", "--lowest", "4")
        self.assertEqual(answer.code, 0, answer.err)
        found = [2 * math.pi * float(line.split()[1]) for line in answer.out.splitlines() if "oscillates" in line]
        return min(found, key=lambda w: abs(w - near))

    def run_portal(self, body, left, right, theory, near=0):
        w = self.find_frequency(body, left, right, near)
        columns, run = self.simulate(PORTAL.format(left=left, right=right, theory=theory, phase="3.225") + body, "--set", f"w={w!r}")
        return columns["sway"], run["damping"]["ratio"], w

    def test_shells_converge_to_beams(self):
        for theory in every(3, LINEAR[:3]):
            beam, zeta, w = self.run_portal(BEAMS, "p.left", "p.right", theory)
            errors = []
            for n in (6, 12):
                self.write("portal.inp", write_portal(n))
                shells, ratio, own = self.run_portal(SHELLS, "{through: p.left}", "{through: p.right}", theory, w)
                errors.append((self.differ(beam, shells), abs(ratio / zeta - 1)))
                print(f"portal {theory} n = {n}: frequency {own / w - 1:+.2%}, motion {errors[-1][0]:.2g} of its range, damping ratio {ratio:.5f}, beams {zeta:.5f}")
            with self.subTest(theory=theory):
                self.assertLess(errors[1][0], 0.015)
                self.assertLess(errors[1][0], 0.6 * errors[0][0])
                self.assertLess(errors[1][1], 0.03)


if __name__ == "__main__":
    import unittest
    unittest.main()
