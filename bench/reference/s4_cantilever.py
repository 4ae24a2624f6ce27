"""Writes the models of benchmark S4: a cantilever along which a mass slides, and its first-mode amplitude q1 as an output.

python3 s4_cantilever.py consistent > cantilever.yaml                  large rotations, 24 elements
python3 s4_cantilever.py form_1a|convective|linear_consistent > ...    linear, the beam held in its eight lowest modes, as the reference is

q1 is the projection of the deflection on the first mode of the beam alone, integral(phi w) / integral(phi^2), phi = 1 at the tip.
"""
import sys
from math import cos, cosh, pi, sin, sinh

LENGTH = 2.0
N_MODES = 8
GAUSS = [(0.5 + s * x, 0.5 * w) for x, w in ((0.4530899229693320, 0.2369268850561891), (0.2692346550528415, 0.4786286704993665)) for s in (-1, 1)]
GAUSS.append((0.5, 0.5 * 0.5688888888888889))


def wave_number(m):
    """Root m of cos(k) cosh(k) = -1."""
    a, b = (m - 0.5) * pi - 0.4, (m - 0.5) * pi + 0.4
    for _ in range(200):
        c = 0.5 * (a + b)
        a, b = (a, c) if (cos(a) + 1 / cosh(a)) * (cos(c) + 1 / cosh(c)) <= 0 else (c, b)
    return 0.5 * (a + b)


def mode(k, x):
    """Deflection and slope at the share x of the length; 2 at the tip."""
    c = (cosh(k) + cos(k)) / (sinh(k) + sin(k))
    return (cosh(k * x) - cos(k * x) - c * (sinh(k * x) - sin(k * x)),
            k / LENGTH * (sinh(k * x) + sin(k * x) - c * (cosh(k * x) - cos(k * x))))


def shapes(x, h):
    return 1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, h * (x**3 - x**2)


def projection(n):
    """Weights of deflection and slope of each node in q1."""
    c, norm, h, k = [0.0] * (2 * n + 2), 0.0, LENGTH / n, wave_number(1)
    for e in range(n):
        for x, g in GAUSS:
            phi = 0.5 * mode(k, (e + x) / n)[0]
            norm += g * h * phi * phi
            for i, shape in enumerate(shapes(x, h)):
                c[2 * e + i] += g * h * phi * shape
    return [v / norm for v in c]


def solve(A, b):
    rows = [r[:] + [v] for r, v in zip(A, b)]
    for i in range(len(b)):
        p = max(range(i, len(b)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[p] = rows[p], rows[i]
        for r in range(len(b)):
            if r != i:
                f = rows[r][i] / rows[i][i]
                rows[r] = [x - f * y for x, y in zip(rows[r], rows[i])]
    return [rows[i][-1] / rows[i][i] for i in range(len(b))]


def node(i, n):
    return "rod.tip" if i == n else f"rod.bar.n{i}"


def write_modes(n):
    """Every coordinate as a sum of eight deflections, so that the beam moves in its eight lowest modes only."""
    ks = [wave_number(m) for m in range(1, N_MODES + 1)]
    masters = [n * i // N_MODES for i in range(1, N_MODES + 1)]
    columns = [[mode(k, i / n)[0] for i in masters] for k in ks]
    print("constraints:")
    for i in range(1, n + 1):
        print(f"  axial{i}: {{type: coupling, terms: {{{node(i, n)}.q2: 1}}}}")
        for coordinate, part, sign in (("q1", 0, 1.0), ("q3", 1, -1.0)):  # the angle is minus the slope
            if part == 0 and i in masters:
                continue
            share = solve(columns, [sign * mode(k, i / n)[part] for k in ks])
            terms = ", ".join(f"{node(j, n)}.q1: {-x:.15g}" for j, x in zip(masters, share))
            print(f"  {coordinate}_{i}: {{type: coupling, terms: {{{node(i, n)}.{coordinate}: 1, {terms}}}}}")


def main(theory):
    is_linear = theory != "consistent"
    n = 16 if is_linear else 24
    c = projection(n)
    slope = "{}.q3" if is_linear else "sin({}.q3)"
    q1 = " + ".join(f"{c[2 * i]:.15g}*{node(i, n)}.q1 - {c[2 * i + 1]:.15g}*{slope.format(node(i, n))}" for i in range(1, n + 1))
    what = "linear and held in its eight lowest modes, as that of the reference" if is_linear else "with large rotations"
    print(f"""# A mass that slides up and down a vertical cantilever {what}, released from the shape under a force at the tip.
# Written by bench/reference/s4_cantilever.py. Benchmark S4 of the sliding masses, theory {theory}.
flyball: 1
title: Cantilever with a mass that slides along it
materials: {{m: {{E: 50, density: 5e-5}}}}                           # EI = 50 N m^2, EA = 5e5 N, 0.5 kg/m
sections: {{rod: {{type: general, material: m, A: 1e4, Iz: 1}}}}
structures:
  rod:
    plane: xy""")
    if is_linear:
        print("    theory: linear")
    else:
        print("""    theory: nonlinear
    damping: {beta: 2e-7}      # stops the waves along the rod (13 kHz) that crossings of element borders excite; adds 8e-7 to the ratio of the first mode""")
    print(f"""    nodes:
      base: {{at: [0, 0], support: clamped}}
      tip: [0, 2]
    members:
      bar: {{from: base, to: tip, section: rod, elements: {n}}}""")
    if is_linear:
        write_modes(n)
    print(f"""forces:
  pull: {{type: force, point: rod.tip, value: [5.625, 0, 0]}}
sliders:
  mass: {{guide: rod.bar, mass: 0.3, theory: {theory}{", inertia: transverse" if is_linear and theory != "linear_consistent" else ""}, value: 1.2 + 0.3*sin(15.6*t + 3.3)}}
outputs:
  tip: rod.tip.q1
  q1: {q1}
damping: {{output: q1, cycles: 9}}
simulation: {{duration: 8, sample: 0.02, start_at: equilibrium, release: [pull], {"rtol: 1e-5, atol: 1e-7" if is_linear else "rtol: 1e-4, atol: 1e-6"}}}""")


main(*sys.argv[1:])
