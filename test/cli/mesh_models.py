"""Meshes of the benchmark problems of plates, shells and solids, as files of Abaqus."""
import math


def rotation(axis, angle):
    """The rotation matrix about an axis, rows."""
    length = math.dist(axis, (0, 0, 0))
    n, c, s = [x / length for x in axis], math.cos(angle), math.sin(angle)
    cross = [[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]]
    return [[n[i] * n[j] * (1 - c) + (c if i == j else 0) + s * cross[i][j] for j in range(3)] for i in range(3)]


def write_grid(n, place, element, sets):
    """A grid of n[0] x n[1] (x n[2]) cells of shells (S3, S4) or solids (C3D6, C3D8, C3D20; wedges along the third direction), its points placed by place(i/n[0], j/n[1], k/n[2]).
    sets: {name: test of (i, j, k) in half steps}."""
    is_solid = element.startswith("C3D")
    step = 1 if element == "C3D20" else 2
    size = [2 * count for count in n] + ([] if is_solid else [0])
    numbers, lines = {}, ["*NODE"]
    for k in range(0, size[2] + 1, step):
        for j in range(0, size[1] + 1, step):
            for i in range(0, size[0] + 1, step):
                if (i % 2) + (j % 2) + (k % 2) <= 1:
                    numbers[i, j, k] = len(numbers) + 1
                    point = place(i / size[0], j / size[1], k / size[2] if size[2] else 0)
                    lines.append(f"{len(numbers)}, " + ", ".join(f"{x:.16g}" for x in point))
    lines.append(f"*ELEMENT, TYPE={element}, ELSET=all_elements")
    corners = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
    number = 0
    for k in range(0, max(size[2], 1), 2):
        for j in range(0, size[1], 2):
            for i in range(0, size[0], 2):
                at = [(i + a, j + b, k + c) for a, b, c in corners]
                middles = [tuple((at[a][d] + at[b][d]) // 2 for d in range(3)) for a, b in edges]
                for nodes in {"S4": [at[:4]], "S3": [at[:3], [at[0], at[2], at[3]]], "C3D8": [at], "C3D6": [at[:3] + at[4:7], [at[0], at[2], at[3], at[4], at[6], at[7]]], "C3D20": [at + middles]}[element]:
                    number += 1
                    lines.append(", ".join([str(number)] + [str(numbers[p]) for p in nodes[:8]]) + ("," if len(nodes) > 8 else ""))
                    if len(nodes) > 8:
                        lines.append(", ".join(str(numbers[p]) for p in nodes[8:]))
    for name, is_in in sets.items():
        lines.append(f"*NSET, NSET={name}")
        lines += [str(number) for p, number in numbers.items() if is_in(*p)]
    return "\n".join(lines) + "\n"


def hemisphere(n, element):
    """A quarter of the hemisphere with a hole of 18 degrees, radius 10."""
    def place(a, b, c):
        lon, lat = a * math.pi / 2, math.radians(72) * b
        return 10 * math.cos(lat) * math.cos(lon), 10 * math.cos(lat) * math.sin(lon), 10 * math.sin(lat)
    sets = {"start": lambda i, j, k: i == 0, "end": lambda i, j, k: i == 2 * n}
    return write_grid((n, n), place, element, sets)


def cook(n, element):
    """Cook's membrane: a trapezium of 48 by 44 to 16."""
    def place(a, b, c):
        x = 48 * a
        low, high = 44 * a, 44 + 16 * a
        return x, low + (high - low) * b, 0
    return write_grid((n, n), place, element, {"left": lambda i, j, k: i == 0})


def twisted(n, element):
    """A bar of 12 x 1.1 x 0.32, twisted by 90 degrees from its foot to its end."""
    def place(a, b, c):
        angle, y, z = a * math.pi / 2, 1.1 * (b - 0.5), 0.32 * (c - 0.5) if len(n) == 3 else 0
        return 12 * a, y * math.cos(angle) - z * math.sin(angle), y * math.sin(angle) + z * math.cos(angle)
    return write_grid(n, place, element, {"foot": lambda i, j, k: i == 0, "tip": lambda i, j, k: i == 2 * n[0]})


def curved(n, element):
    """A quarter of a ring between the radii 4.12 and 4.32, 0.1 wide."""
    def place(a, b, c):
        angle, r = (1 - a) * math.pi / 2, 4.12 + 0.2 * b
        return r * math.cos(angle), r * math.sin(angle), 0.1 * c if len(n) == 3 else 0
    return write_grid(n, place, element, {"foot": lambda i, j, k: i == 0, "tip": lambda i, j, k: i == 2 * n[0]})
