"""Mesh files as meshers and finite element programs write them: one bar, in many spellings, is always the same bar."""
import struct

from test_meshes import MeshTest

MODEL = """\
flyball: 1
gravity: [0, 0, 0]
materials: {{m: {{E: 1e9, nu: 0, density: 1000}}}}
structures:
  b:
    mesh: {{file: {file}}}
    groups: {{{body}: {{material: m}}}}
    supports: {{{foot}: clamped}}
    nodes: {{tip: {{group: {tip}}}}}
forces: {{f: {{type: force, point: b.tip, value: [1e6, 0, 1e4]}}}}
"""

# Two cubes of 1 m along x; numbers of nodes with gaps, and one that nothing uses.
NUMBERS = {(x, y, z): 10 + 7 * (4 * x + 2 * y + z) for x in (0, 1, 2) for y in (0, 1) for z in (0, 1)}
POINTS = {**{number: at for at, number in NUMBERS.items()}, 5000: (50, 50, 50)}
ENDS = [[NUMBERS[x, 0, 0], NUMBERS[x, 1, 0], NUMBERS[x, 1, 1], NUMBERS[x, 0, 1]] for x in (0, 2)]


def cube(x):
    return [NUMBERS[x + dx, dy, dz] for dz in (0, 1) for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))]


# type, physical group, entity, nodes
ELEMENTS = [(5, 1, 1, cube(0)), (5, 1, 1, cube(1)), (3, 2, 1, ENDS[0]), (3, 3, 2, ENDS[1]), (1, 4, 1, ENDS[1][:2]), (15, 5, 1, ENDS[1][:1])]
NAMES = {(3, 1): "body", (2, 2): "foot", (2, 3): "tip", (1, 4): "edge", (0, 5): "corner"}


def gmsh_2(elements, names, is_binary=False):
    def pack(layout, *values):
        return struct.pack("<" + layout, *values) if is_binary else (" ".join(map(str, values)) + "\n").encode()
    out = f"$MeshFormat\n2.2 {int(is_binary)} 8\n".encode() + (pack("i", 1) + b"\n" if is_binary else b"") + b"$EndMeshFormat\n"
    if names:
        out += f"$PhysicalNames\n{len(names)}\n".encode() + "".join(f'{d} {tag} "{name}"\n' for (d, tag), name in names.items()).encode() + b"$EndPhysicalNames\n"
    out += f"$Nodes\n{len(POINTS)}\n".encode() + b"".join(pack("i3d", number, *map(float, at)) for number, at in POINTS.items()) + b"\n$EndNodes\n"
    out += f"$Elements\n{len(elements)}\n".encode()
    for i, (kind, physical, entity, nodes) in enumerate(elements):
        out += pack(f"{6 + len(nodes)}i", kind, 1, 2, i + 1, physical, entity, *nodes) if is_binary else pack("", i + 1, kind, 2, physical, entity, *nodes)
    return out + b"\n$EndElements\n"


class FileTest(MeshTest):
    def find_tip(self, mesh, file, body="all", foot="foot", tip="tip"):
        (self.folder / file).write_bytes(mesh if isinstance(mesh, bytes) else mesh.encode())
        c = self.find_coordinates(MODEL.format(file=file, body=body, foot=foot, tip=tip))
        return c["b.tip.q1"], c["b.tip.q3"]

    def expect_bar(self, *arguments, **names):
        stretch, bend = self.find_tip(*arguments, **names)
        self.expect_close(stretch, 2e-3, 1e-9)
        self.expect_close(bend, 3.4e-4, 1e-9)


class Gmsh(FileTest):
    def test_an_element_in_several_groups_is_one_element(self):
        # Version 2 writes it once for each group: not twice the stiffness and mass.
        twice = [e for element in ELEMENTS for e in ([element, (element[0], 6, *element[2:])] if element[0] == 5 else [element])]
        names = {**NAMES, (3, 6): "half"}
        for is_binary in (False, True):
            for body in ("all", "body", "half"):
                with self.subTest(is_binary=is_binary, body=body):
                    self.expect_bar(gmsh_2(twice, names, is_binary), "m.msh", body)
        both = MODEL.format(file="m.msh", body="half: {material: m}, body", foot="foot", tip="tip")
        self.expect(self.flyball("check", self.write("m.yaml", both)), 3, "belongs to the groups 'half' and 'body'")
        # Turned by a negative group, it is written with its nodes the other way round.
        turned = ELEMENTS + [(kind, -6, entity, nodes[::-1]) for kind, _, entity, nodes in ELEMENTS[2:3]]
        self.expect_bar(gmsh_2(turned, {**NAMES, (2, 6): "left"}), "m.msh", foot="left")

    def test_groups_have_any_names(self):
        for is_binary in (False, True):
            self.expect_bar(gmsh_2(ELEMENTS, {}, is_binary), "m.msh", "1", "2", "3")
        names = {**NAMES, (3, 1): "Volume 1", (2, 2): "foot-left (fixed)"}
        self.expect_bar(gmsh_2(ELEMENTS, names), "m.msh", "Volume 1", "foot-left (fixed)")
