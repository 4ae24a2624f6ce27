"""Writes the models of benchmark S3: a portal frame with a sliding mass on each column, from its initial displacements.

python3 s3_frame.py form_1a|linear_consistent|consistent INITIAL.csv > MODEL.yaml
INITIAL.csv has ux, uy, rz of the nodes: left column from its base, then the beam, then the right column from its base (without its top).
"""
import csv
import sys

TITLES = {"form_1a": "form 1a, transverse inertia of the masses only", "linear_consistent": "the linear consistent theory",
          "consistent": "the consistent theory on beams with large rotations"}


def displacement(row):
    return "displacement: [%s, %s, 0, 0, 0, %s]" % tuple(row)


def stations(rows):
    return ",\n".join(" " * 8 + "p%d: {at: %d/6, %s}" % (k + 1, k + 1, displacement(r)) for k, r in enumerate(rows))


def main(theory, path):
    with open(path) as file:
        d = [row for row in csv.reader(file)][1:]
    inertia = ", inertia: transverse" if theory == "form_1a" else ""
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
      B: {{at: [0, 3], {displacement(d[6])}}}
      C: {{at: [4, 3], {displacement(d[12])}}}
      D: {{at: [4, 0], support: clamped}}
    members:
      left: {{from: A, to: B, section: column, elements: 6, stations: {{
{stations(d[1:6])}}}}}
      top: {{from: B, to: C, section: column, elements: 6, stations: {{
{stations(d[7:12])}}}}}
      right: {{from: D, to: C, section: column, elements: 6, stations: {{
{stations(d[14:19])}}}}}
laws:
  up_down: {{type: harmonic, offset: centre, amplitude: amplitude, frequency: 2*w, phase: phase}}
sliders:
  left: {{guide: frame.left, mass: mass, theory: {theory}{inertia}, law: up_down}}
  right: {{guide: frame.right, mass: mass, theory: {theory}{inertia}, law: up_down}}
outputs:
  corner: frame.B.q1
  s: left.s
damping: {{output: corner, cycles: 10}}
simulation: {{duration: 30*2*pi/w, sample: 2*pi/w/40, rtol: 1e-7, atol: 1e-9}}""")


main(*sys.argv[1:])
