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


INP_NODES = "".join(f"{number}, {x}., {y}., {z}.\n" for number, (x, y, z) in POINTS.items())
INP_ELEMENTS = "".join(f"{7 * i + 3}, {', '.join(map(str, cube(i)))}\n" for i in (0, 1))
FOOT, TIP = ", ".join(map(str, ENDS[0])), ", ".join(map(str, ENDS[1]))
FLAT = f"*NODE\n{INP_NODES}*ELEMENT, TYPE=C3D8, ELSET=Body\n{INP_ELEMENTS}*NSET, NSET=foot\n{FOOT}\n*NSET, NSET=tip\n{TIP}\n"

# As Abaqus/CAE writes it: a part, whose numbers are its own, and an assembly.
PARTS = f"""\
*Heading
*Part, name=Bar
*Node
{INP_NODES}*Element, type=C3D8R
{INP_ELEMENTS}*Elset, elset=Set-1, generate
 3, 10, 7
*Solid Section, elset=Set-1, material=steel
,
*End Part
*Assembly, name=Assembly
*Instance, name=Bar-1, part=Bar
*End Instance
*Node
1, 9., 9., 9.
*Nset, nset=_PickedSet1, internal, instance=Bar-1
{FOOT}
*Nset, nset=foot
 _PickedSet1,
*Nset, nset=tip
{", ".join(f"Bar-1.{node}" for node in ENDS[1])}
*Elset, elset=all
 Bar-1.Set-1,
*End Assembly
*Material, name=steel
*Elastic
210000.0, 0.3
*Step
*Static
*Boundary
foot, 1, 3
*End Step
"""


class Abaqus(FileTest):
    def test_one_bar_in_many_spellings(self):
        header = "*ELEMENT, TYPE=C3D8, ELSET=Body"
        for old, new in (
                ("\n", "\r\n"), ("*NODE", "** a comment\n*Heading\n 12, 13\n*Node"), (header, "*element,type=c3d8,elset=body"), (header, "*ELEMENT, TYPE=C3D8,\n ELSET=Body"),
                (header, '*ELEMENT, ELSET="Body", TYPE=C3D8I'), (FOOT, FOOT.replace(", ", ",\n")), (f"*NSET, NSET=tip\n{TIP}", f"*NSET, NSET=END\n{TIP},\n*NSET, NSET=tip, UNSORTED\n end"),
                (f"*NSET, NSET=foot\n{FOOT}", f"*NSET, NSET=foot, GENERATE\n{ENDS[0][0]}, {ENDS[0][2]}, 7"), ("2., 1., 1.", "2.D+00, .1D1, 10.d-1"), ("*NODE", "*SYSTEM\n*NODE, SYSTEM=R"),
                ("1., 1., 1.\n", "1., 1., 1.,\n"), (INP_ELEMENTS.split("\n")[1], INP_ELEMENTS.split("\n")[1].replace(f", {cube(1)[4]}", f",\n{cube(1)[4]}"))):
            with self.subTest(new=new):
                self.assertIn(old, FLAT)
                self.expect_bar(FLAT.replace(old, new), "m.inp", "body")
        self.expect_bar(b"\xef\xbb\xbf" + FLAT.encode(), "m.inp")
        self.expect_bar(FLAT, "m.msh", "BODY")  # cgx calls its files so

    def test_nodes_of_the_elements_of_a_set(self):
        skin = FLAT + f"*ELEMENT, TYPE=S4, ELSET=Skin\n100, {FOOT}\n*NSET, NSET=skin_nodes, ELSET=SKIN\n"
        self.expect_bar(skin, "m.inp", foot="skin_nodes")

    def test_parts_and_instances(self):
        self.expect_bar(PARTS, "m.inp")
        moved = PARTS.replace("part=Bar\n", "part=Bar\n 5., -3., 2.\n")
        self.expect_bar(moved, "m.inp", "Bar-1.Set-1", "_PickedSet1")
        # Two bars end to end, joined by a rigid face: the second is turned about its own end, from where it lies beside the first.
        ends = "*Nset, nset=joint\n" + ", ".join([f"Bar-1.{n}" for n in ENDS[1]] + [f"Bar-2.{n}" for n in ENDS[0]])
        second = "*End Instance\n*Instance, name=Bar-2, part=BAR\n 2., 1., 0.\n 2., 1., 0., 2., 1., 5., 90.\n*End Instance\n"
        two = PARTS.replace("*End Instance\n", second, 1).replace(", ".join(f"Bar-1.{n}" for n in ENDS[1]), ", ".join(f"Bar-2.{n}" for n in ENDS[1])).replace("*End Assembly", ends + "\n*End Assembly")
        (self.folder / "m.inp").write_text(two)
        text = MODEL.format(file="m.inp", body="Bar-1.Set-1: {material: m}, Bar-2.Set-1", foot="foot", tip="tip").replace("nodes: {", "nodes: {joint: {group: joint}, ").replace("{group: tip}", "{group: tip}, corner: {at: [1, 3, 1]}")
        answer = self.expect(self.flyball("check", self.write("m.yaml", text.replace(", corner: {at: [1, 3, 1]}", ""))), 0)
        self.assertIn("elements 4, nodes 24, ", answer.out)
        self.assertIn("mass 4000 kg, size 2 x 3 x 1 m", answer.out)
        # The numbers of the second bar come after the 5000 of the first.
        c = self.find_coordinates(text.replace(", corner: {at: [1, 3, 1]}", ""))
        self.assertEqual(sorted(name for name in c if name.endswith(".x")), sorted(f"b.n{start + NUMBERS[1, y, z]}.x" for start in (0, 5000) for y in (0, 1) for z in (0, 1)))

    def test_what_would_be_another_mesh(self):
        for old, new, message in (
                ("*NODE", "*NODE, SYSTEM=C", "m.inp:1: error: SYSTEM=C is not supported"), ("*NODE", "*SYSTEM\n1, 0, 0, 1, 1, 0\n*NODE", "m.inp:2: error: *SYSTEM with axes is not supported"),
                ("*NODE\n", "*NODE, INPUT=nodes.txt\n", "INPUT=nodes.txt is not supported"), ("*NSET, NSET=foot", "*ELGEN, ELSET=Body\n3, 2, 28, 7\n*NSET, NSET=foot", "*ELGEN, ELSET=Body is not supported"),
                ("*NSET, NSET=foot", "*NGEN\n10, 17, 1\n*NSET, NSET=foot", "*NGEN is not supported"), ("2., 1., 1.", "2., 1., 1.O", "m.inp:13: error: node 87: its coordinates are not numbers"),
                (f"3, {cube(0)[0]}, ", "3, ", "m.inp:16: error: element 3 of type C3D8 needs 8 nodes"), (f"3, {cube(0)[0]}, ", f"3, {cube(0)[0]}, {cube(0)[1]}, ", "element 3 of type C3D8 has more than 8 nodes"),
                ("\n10, 38", "\n3, 38", "the mesh has two elements with the number 3"), ("NSET=tip\n", "NSET=tip, ELSET=none\n", "there is no set 'none' before this line"),
                ("*NSET, NSET=foot", "*INSTANCE, NAME=a, PART=b\n*NSET, NSET=foot", "there is no part 'b' before this line"), ("NSET=tip\n", "NSET=tip, INSTANCE=Bar-1\n", "there is no instance 'Bar-1' before this line")):
            with self.subTest(new=new):
                self.assertIn(old, FLAT)
                self.reject_file(FLAT.replace(old, new), message)
        for old, new, message in (("*End Part\n", "", "part 'Bar' has no end (*END PART)"), ("part=Bar\n", "part=Bar\n 1., 2.\n 1., 2.\n", "instance 'Bar-1': its place is a line with a translation"),
                                  ("*End Instance\n", "*Instance, name=x, part=Bar\n*End Instance\n", "instance 'x' is within another one"), ("*End Instance\n", "*End Instance\n*Instance, name=BAR-1, part=Bar\n", "there are two instances 'BAR-1'"),
                                  ("*Assembly, name=Assembly\n", "*Part, name=bar\n*End Part\n", "there are two parts 'bar'"), ("Bar-1.Set-1", "Bar-2.Set-1", "there is no set 'Bar-2.Set-1' before this line")):
            with self.subTest(new=new):
                self.assertIn(old, PARTS)
                self.reject_file(PARTS.replace(old, new), message)

    def reject_file(self, mesh, message):
        self.write("m.inp", mesh)
        answer = self.flyball("check", self.write("m.yaml", MODEL.format(file="m.inp", body="all", foot="foot", tip="tip")))
        self.assertEqual(answer.code, 3, answer.err)
        self.assertIn(message, answer.err)
