#!/usr/bin/env python3
"""Draws the pictures of the README: s(t) of the governor A05 with its reference points, and a sketch of the machine.

    flyball run models/governor.yaml --sample 0.01 -o OUT
    tools/plot_governor.py OUT/governor.csv bench/cases/a05/reference.csv docs/images
"""
import csv
import math
import pathlib
import sys

INK, GRID, LINE, POINT = "#333333", "#dddddd", "#3366cc", "#cc3333"
WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 36, 44
FONT = 'font-family="sans-serif" font-size="13"'


def read_column(path, name):
    """Times and values of the column whose header is `name` or `name [unit]`."""
    with open(path, newline="") as file:
        rows = csv.reader(file)
        header = [cell.split(" [")[0] for cell in next(rows)]
        column = header.index(name)
        return [(float(row[0]), float(row[column])) for row in rows]


def text(x, y, words, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}" {FONT} {extra}>{words}</text>'


def line(x1, y1, x2, y2, color=INK, width=1.0):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"/>'


def document(width, height, title, parts):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
            f"<title>{title}</title>")
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="#ffffff"/>', *parts, "</svg>", ""])


def plot(curve, points):
    t_end = curve[-1][0]
    low, high = 0.45, 0.75

    def x(t):
        return LEFT + (WIDTH - LEFT - RIGHT) * t / t_end

    def y(s):
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - s) / (high - low)

    parts = []
    for i in range(7):
        s = low + i * (high - low) / 6
        parts += [line(LEFT, y(s), WIDTH - RIGHT, y(s), GRID), text(LEFT - 8, y(s) + 4, f"{s:.2f}", "end")]
    for t in range(int(t_end) + 1):
        parts += [line(x(t), TOP, x(t), HEIGHT - BOTTOM, GRID), text(x(t), HEIGHT - BOTTOM + 18, str(t))]
    path = " ".join(f"{x(t):.2f},{y(s):.2f}" for t, s in curve)
    parts.append(f'<polyline points="{path}" fill="none" stroke="{LINE}" stroke-width="1.6"/>')
    parts += [f'<circle cx="{x(t):.2f}" cy="{y(s):.2f}" r="2.4" fill="{POINT}"/>' for t, s in points]
    parts += [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "t [s]"),
              text(LEFT, 22, "Height s of the slider [m]: computed (line), reference (points)", "start")]
    return document(WIDTH, HEIGHT, "Slider height of the flyball governor A05 over ten seconds", parts)


def spring(x1, y1, x2, y2, coils=7, size=5.0):
    """A zigzag from one point to the other."""
    length = math.hypot(x2 - x1, y2 - y1)
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    corners = [(x1, y1)]
    for i in range(2 * coils + 1):
        along = length * (0.2 + 0.6 * i / (2 * coils))
        side = size * (1, -1)[i % 2] * (i not in (0, 2 * coils))
        corners.append((x1 + ux * along - uy * side, y1 + uy * along + ux * side))
    corners.append((x2, y2))
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
    return f'<polyline points="{path}" fill="none" stroke="{INK}" stroke-width="1.2"/>'


def sketch():
    """The machine of models/governor.yaml in its starting position, to scale: 200 pixels a metre."""
    scale, x0, y0 = 200, 260, 230

    def at(x, z):
        return x0 + scale * x, y0 - scale * z

    parts = [line(*at(-0.2, 0), *at(0.2, 0), INK, 2)]
    parts += [line(*at(-0.2 + 0.05 * i, 0), *at(-0.23 + 0.05 * i, -0.04), INK, 1) for i in range(9)]
    parts.append(line(*at(0, 0), *at(0, 1), "#888888", 4))
    parts.append(line(*at(-0.05, 1), *at(0.05, 1), "#888888", 4))
    for side in (1, -1):
        beta = math.radians(30)
        tip = (side * (0.05 + math.cos(beta)), 1 - math.sin(beta))
        middle = (side * (0.05 + 0.5 * math.cos(beta)), 1 - 0.5 * math.sin(beta))
        parts.append(line(*at(side * 0.05, 1), *at(*tip), LINE, 4))
        parts.append(spring(*at(side * 0.05, 0.5), *at(*middle)))
        cx, cy = at(*tip)
        parts.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="11" fill="{POINT}"/>')
    cx, cy = at(0, 0.5)
    parts.append(f'<rect x="{cx - 10:.1f}" y="{cy - 10:.1f}" width="20" height="20" fill="#cc8800"/>')
    sx, sy = at(0.3, 0.22)
    parts += [line(sx, *at(0, 0)[1:], sx, *at(0, 0.5)[1:], INK, 1), text(sx + 10, sy, "s", "start", 'font-style="italic"'),
              line(sx - 5, at(0, 0)[1], sx + 5, at(0, 0)[1]), line(sx - 5, at(0, 0.5)[1], sx + 5, at(0, 0.5)[1])]
    bx, by = at(-0.92, 0.5)
    parts += [text(bx - 6, by + 28, "5 kg"), text(*at(-0.05, 0.22), "2π rad/s", "end"),
              text(*at(0.33, 0.52), "8·10⁵ N/m", "start")]
    return document(520, 260, "Sketch of the flyball governor", parts)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[3])
    (folder / "governor.svg").write_text(plot(read_column(sys.argv[1], "s"), read_column(sys.argv[2], "s")))
    (folder / "governor_sketch.svg").write_text(sketch())


if __name__ == "__main__":
    main()
