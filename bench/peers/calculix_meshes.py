#!/usr/bin/env python3
"""The six lowest frequencies of ten meshes of solids, clamped at one end, in Flyball and in CalculiX: the same nodes, elements and material.

Usage: calculix_meshes.py FLYBALL [CCX]; skipped with a message where CalculiX is not installed (Debian: calculix-ccx).
"""
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MODES = 6
CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
HEX_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
WEDGE_EDGES = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
TETS = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
WEDGES = [(0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)]
# How a cell becomes elements, and which of their edges have nodes.
CUTS = {"C3D8": ([range(8)], []), "C3D20": ([range(8)], HEX_EDGES), "C3D6": (WEDGES, []), "C3D15": (WEDGES, WEDGE_EDGES), "C3D4": (TETS, []), "C3D10": (TETS, TET_EDGES)}


def straight(a, b, c):
    return a, 0.12 * b, 0.1 * c


def leaning(a, b, c):
    return a + 0.05 * math.sin(math.pi * a) * (b + c - 1), 0.12 * b, 0.1 * c


def twisted(a, b, c):
    angle, y, z = a * math.pi / 2, 0.12 * (b - 0.5), 0.05 * (c - 0.5)
    return a, y * math.cos(angle) - z * math.sin(angle), y * math.sin(angle) + z * math.cos(angle)


def curved(a, b, c):
    angle, r = (1 - a) * math.pi / 2, 0.5 + 0.1 * b
    return r * math.cos(angle), r * math.sin(angle), 0.06 * c


def plate(a, b, c):
    return a, 0.8 * b, 0.04 * c


CASES = [("bar", straight, (10, 2, 2), "C3D20"), ("bar", straight, (10, 2, 2), "C3D8"), ("bar", straight, (10, 2, 2), "C3D10"), ("bar", straight, (10, 2, 2), "C3D15"),
         ("bar", straight, (10, 2, 2), "C3D4"), ("bar", straight, (10, 2, 2), "C3D6"), ("leaning bar", leaning, (10, 2, 2), "C3D20"),
         ("twisted bar", twisted, (12, 2, 1), "C3D20"), ("quarter of a ring", curved, (12, 2, 2), "C3D10"), ("plate", plate, (8, 7, 1), "C3D20")]


def write_mesh(place, n, element):
    """Nodes, elements and the set 'foot' at the first end."""
    numbers, nodes, elements = {}, [], []

    def number(at):
        if at not in numbers:
            numbers[at] = len(numbers) + 1
            nodes.append(f"{numbers[at]}, " + ", ".join(f"{round(x, 12):.12g}" for x in place(*(at[d] / (2 * n[d]) for d in range(3)))))
        return numbers[at]
    parts, edges = CUTS[element]
    for k in range(n[2]):
        for j in range(n[1]):
            for i in range(n[0]):
                cell = [(2 * i + a, 2 * j + b, 2 * k + c) for a, b, c in CORNERS]
                for part in parts:
                    corners = [cell[v] for v in part]
                    middles = [tuple((corners[a][d] + corners[b][d]) // 2 for d in range(3)) for a, b in edges]
                    all_nodes = [str(number(at)) for at in corners + middles]
                    elements.append(", ".join([str(len(elements) + 1)] + all_nodes[:10]) + ("," if len(all_nodes) > 10 else ""))
                    if len(all_nodes) > 10:
                        elements.append(", ".join(all_nodes[10:]))
    foot = [str(v) for at, v in numbers.items() if at[0] == 0]
    return "\n".join(["*NODE, NSET=every", *nodes, f"*ELEMENT, TYPE={element}, ELSET=body", *elements, "*NSET, NSET=foot", *foot]) + "\n"


def ask_calculix(ccx, folder, mesh):
    # Incompatible modes are a type of their own there.
    text = mesh.replace("TYPE=C3D8,", "TYPE=C3D8I,")
    text += f"""*MATERIAL, NAME=m
*ELASTIC
70e9, 0.3
*DENSITY
2700
*SOLID SECTION, ELSET=body, MATERIAL=m
*BOUNDARY
foot, 1, 3
*STEP
*FREQUENCY
{MODES}
*NODE FILE
U
*END STEP
"""
    (folder / "peer.inp").write_text(text)
    done = subprocess.run([ccx, "peer"], cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit("ccx failed: " + " ".join(re.findall(r"(?s)\*ERROR.*?\n\n", done.stdout))[:400])
    rows = re.findall(r"(?m)^ +\d+ +(\S+) +(\S+) +(\S+) +(\S+)$", (folder / "peer.dat").read_text())
    return [float(row[2]) for row in rows[:MODES]]


def ask_flyball(flyball, folder, mesh):
    (folder / "mesh.inp").write_text(mesh)
    first = mesh.splitlines()[-1]
    at = next(line for line in mesh.splitlines() if line.startswith(f"{first}, ")).split(",")[1:]
    (folder / "m.yaml").write_text(f"""\
flyball: 1
materials: {{m: {{E: 70e9, nu: 0.3, density: 2700}}}}
structures:
  s:
    mesh: {{file: mesh.inp}}
    groups: {{body: {{material: m}}}}
    supports: {{foot: clamped}}
    nodes: {{held: {{at: [{", ".join(at)}]}}}}
""")
    done = subprocess.run([flyball, "modes", "m.yaml", "--lowest", str(MODES), "--json", "-q"], cwd=folder, check=True, capture_output=True, text=True, timeout=600)
    return sorted(mode["frequency_hz"] for mode in json.loads(done.stdout)["modes"] if mode["im"] > 0)[:MODES]


def main():
    flyball = str(pathlib.Path(sys.argv[1]).resolve())
    ccx = shutil.which(sys.argv[2] if len(sys.argv) > 2 else "ccx")
    if not ccx:
        print("frequencies of meshes in CalculiX: skipped, ccx is not installed (Debian: calculix-ccx)")
        return
    print(f"The {MODES} lowest frequencies of meshes against CalculiX: the largest relative difference")
    for name, place, n, element in CASES:
        mesh = write_mesh(place, n, element)
        with tempfile.TemporaryDirectory() as folder:
            theirs = ask_calculix(ccx, pathlib.Path(folder), mesh)
            ours = ask_flyball(flyball, pathlib.Path(folder), mesh)
        worst = max(abs(a / b - 1) for a, b in zip(ours, theirs, strict=True))
        if "-v" in sys.argv:
            print([f"{a / b - 1:.1e}" for a, b in zip(ours, theirs)], [f"{a:.3f}" for a in theirs])
        print(f"{name:18} {element:6} {'x'.join(map(str, n)):8} {ours[0]:10.4f} to {ours[-1]:10.4f} Hz   {worst:.1e}", flush=True)


main()
