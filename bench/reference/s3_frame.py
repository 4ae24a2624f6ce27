"""Writes the models of benchmark S3: a portal frame with a sliding mass on each column, from its initial displacements.

python3 s3_frame.py form_1a|linear_consistent|consistent INITIAL.csv [ELEMENTS] [CYCLES] > MODEL.yaml
INITIAL.csv has ux, uy, rz of the nodes with six elements a member: left column from its base, then the beam, then the right column from its base
(without its top). With more elements (a multiple of six) the others follow from the elements' shape functions.

With CYCLES the run is that long, and the amplitude of the first mode with the masses parked (the initial displacement), phi'Mu/phi'M phi times that of
the corner, is an output too: `sway`, without the ripples of higher modes that the corner has.
"""
import csv
import sys

TITLES = {"form_1a": "form 1a, transverse inertia of the masses only", "linear_consistent": "the linear consistent theory",
          "consistent": "the consistent theory on beams with large rotations"}
MU, PARKED, MASS = 7850 * 1.2e-3, 2.1, 7.536
ENDS = {"left": ((0, 0), (0, 3)), "top": ((0, 3), (4, 3)), "right": ((4, 0), (4, 3))}


def read(path):
    """ux, uy, rz of the seven nodes of each member, as numbers and as they stand in the file."""
    with open(path) as file:
        rows = [row for row in csv.reader(file)][1:]
    members = {"left": rows[0:7], "top": rows[6:13], "right": rows[13:19] + rows[12:13]}
    return {name: [[float(x) for x in r] for r in part] for name, part in members.items()}


def hermite(x, h):
    return 1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, h * (x**3 - x**2)


def slopes(x, h):
    return 6 * (x**2 - x) / h, 1 - 4 * x + 3 * x**2, 6 * (x - x**2) / h, 3 * x**2 - 2 * x


def length_and_axis(name):
    (x0, y0), (x1, y1) = ENDS[name]
    length = abs(x1 - x0) + abs(y1 - y0)  # members are parallel to the axes
    return length, ((x1 - x0) / length, (y1 - y0) / length)


def to_local(d, axis):
    """Axial and transverse displacement and angle."""
    return d[0] * axis[0] + d[1] * axis[1], -d[0] * axis[1] + d[1] * axis[0], d[2]


def to_global(d, axis):
    return d[0] * axis[0] - d[1] * axis[1], d[0] * axis[1] + d[1] * axis[0], d[2]


def refine(name, nodes, n):
    """Displacements of n + 1 nodes of a member."""
    if n == len(nodes) - 1:
        return nodes
    length, axis = length_and_axis(name)
    coarse, h = len(nodes) - 1, length / (len(nodes) - 1)
    out = []
    for i in range(n + 1):
        e = min(i * coarse // n, coarse - 1)
        x = i * coarse / n - e
        a, b = to_local(nodes[e], axis), to_local(nodes[e + 1], axis)
        w, t = hermite(x, h), slopes(x, h)
        bend = (a[1], a[2], b[1], b[2])
        local = ((1 - x) * a[0] + x * b[0], sum(p * q for p, q in zip(w, bend)), sum(p * q for p, q in zip(t, bend)))
        out.append(to_global(local, axis))
    return out


def element_momentum(a, b, h):
    """Consistent mass of an element times its displacements, in local axes."""
    w = (a[1], a[2], b[1], b[2])
    rows = ((156, 22 * h, 54, -13 * h), (22 * h, 4 * h * h, 13 * h, -3 * h * h), (54, 13 * h, 156, -22 * h), (-13 * h, -3 * h * h, -22 * h, 4 * h * h))
    f = [MU * h / 420 * sum(p * q for p, q in zip(row, w)) for row in rows]
    axial = MU * h / 6 * (2 * a[0] + b[0]), MU * h / 6 * (a[0] + 2 * b[0])
    return [axial[0], f[0], f[1]], [axial[1], f[2], f[3]]


def momenta(name, nodes):
    """M phi of a member, by nodes; on columns with the mass that is parked there."""
    length, axis = length_and_axis(name)
    n = len(nodes) - 1
    h = length / n
    local = [to_local(d, axis) for d in nodes]
    out = [[0.0] * 3 for _ in nodes]
    for e in range(n):
        parts = element_momentum(local[e], local[e + 1], h)
        if name != "top" and e == min(int(PARKED / h), n - 1):
            x = PARKED / h - e
            w = hermite(x, h)
            at = sum(p * q for p, q in zip(w, (local[e][1], local[e][2], local[e + 1][1], local[e + 1][2])))
            for side in (0, 1):
                parts[side][1] += MASS * at * w[2 * side]
                parts[side][2] += MASS * at * w[2 * side + 1]
        for side in (0, 1):
            out[e + side] = [p + q for p, q in zip(out[e + side], parts[side])]
    return [to_global(d, axis) for d in out]


def body(name, i, n):
    ends = {"left": ("A", "B"), "top": ("B", "C"), "right": ("D", "C")}[name]
    return "frame." + (ends[0] if i == 0 else ends[1] if i == n else f"{name}.p{i}")


def sway(nodes, n):
    """phi'M u / phi'M phi times the corner of phi, as an expression."""
    weights, norm = {}, 0.0
    for name, part in nodes.items():
        for i, (p, d) in enumerate(zip(momenta(name, part), part)):
            norm += sum(x * y for x, y in zip(p, d))
            key = body(name, i, n)
            weights[key] = [x + y for x, y in zip(weights.get(key, [0.0] * 3), p)]
    scale = nodes["left"][-1][0] / norm
    return " + ".join(f"{scale * x:.12g}*{key}.q{k + 1}" for key, p in weights.items() if key not in ("frame.A", "frame.D") for k, x in enumerate(p))


def displacement(d):
    return "displacement: [%.17g, %.17g, 0, 0, 0, %.17g]" % tuple(d)


def stations(part):
    n = len(part) - 1
    return ",\n".join(" " * 8 + "p%d: {at: %d/%d, %s}" % (i, i, n, displacement(part[i])) for i in range(1, n))


def main(theory, path, elements="6", cycles=None):
    n = int(elements)
    nodes = {name: refine(name, part, n) for name, part in read(path).items()}
    inertia = ", inertia: transverse" if theory == "form_1a" else ""
    sway_output = f"\n  sway: {sway(nodes, n)}" if cycles else ""
    end = f"duration: {cycles}*2*pi/w, sample: 2*pi/w/200, rtol: 1e-4, atol: 1e-6" if cycles else "duration: 30*2*pi/w, sample: 2*pi/w/40, rtol: 7e-6, atol: 7e-8"
    print(f"""# A portal frame whose two masses travel up and down its columns at twice the frequency of its sway, and damp it; by {TITLES[theory]}.
# Written by bench/reference/s3_frame.py. It starts in its first mode with the masses parked at 2.1 m, 10 mm at the left corner.
flyball: 1
title: Portal frame damped by masses that travel along its columns
parameters:
  w: 39.19          # rad/s, of the sway
  centre: 2.1       # m above the base
  amplitude: 0.84   # m
  phase: 3.225083   # rad
  mass: 7.536       # kg, each
materials: {{steel: {{E: 210e9, density: 7850}}}}
sections: {{column: {{type: general, material: steel, A: 1.2e-3, Iz: 8e-7}}}}
structures:
  frame:
    plane: xy
    theory: {"nonlinear" if theory == "consistent" else "linear"}
    nodes:
      A: {{at: [0, 0], support: clamped}}
      B: {{at: [0, 3], {displacement(nodes["left"][-1])}}}
      C: {{at: [4, 3], {displacement(nodes["top"][-1])}}}
      D: {{at: [4, 0], support: clamped}}
    members:
      left: {{from: A, to: B, section: column, elements: {n}, stations: {{
{stations(nodes["left"])}}}}}
      top: {{from: B, to: C, section: column, elements: {n}, stations: {{
{stations(nodes["top"])}}}}}
      right: {{from: D, to: C, section: column, elements: {n}, stations: {{
{stations(nodes["right"])}}}}}
laws:
  up_down: {{type: harmonic, offset: centre, amplitude: amplitude, frequency: 2*w, phase: phase}}
sliders:
  left: {{guide: frame.left, mass: mass, theory: {theory}{inertia}, law: up_down}}
  right: {{guide: frame.right, mass: mass, theory: {theory}{inertia}, law: up_down}}
outputs:
  corner: frame.B.q1
  s: left.s{sway_output}
damping: {{output: {"sway" if cycles else "corner"}, cycles: {5 if cycles else 10}}}
simulation: {{{end}}}""")


main(*sys.argv[1:])
