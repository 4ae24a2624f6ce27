"""Animated glTF: read back by a reader of its own and compared with the motion that the run saved, beams with their cubics, meshes with recorded nodes."""
import base64
import csv
import json
import math
import struct

from program import SOURCE, ProgramTest

ARM = SOURCE / "test/cli/gltf/arm.yaml"
TABLE = SOURCE / "docs/guide/models/table.yaml"
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
CODES = {5126: ("f", 4), 5125: ("I", 4), 5123: ("H", 2)}


class Glb:
    """What a GLB file holds (glTF 2.0, 4.4), with the transforms of its nodes at the i-th key."""

    def __init__(self, path):
        data = path.read_bytes()
        magic, version, length = struct.unpack("<4sII", data[:12])
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack("<I4s", data[12:20])
        assert kind == b"JSON" and size % 4 == 0
        self.json = json.loads(data[20:20 + size])
        n_bytes, kind = struct.unpack("<I4s", data[20 + size:28 + size])
        assert kind == b"BIN\0" and n_bytes == self.json["buffers"][0]["byteLength"]
        self.bytes = data[28 + size:]
        self.nodes = self.json["nodes"]
        animation = self.json["animations"][0]
        self.tracks = {}
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            assert sampler["interpolation"] == "LINEAR"
            self.tracks[channel["target"]["node"], channel["target"]["path"]] = self.items(sampler["output"])
        self.times = self.items(animation["samplers"][0]["input"])

    def items(self, accessor):
        a = self.json["accessors"][accessor]
        view = self.json["bufferViews"][a["bufferView"]]
        code, size = CODES[a["componentType"]]
        width = WIDTHS[a["type"]]
        start = view["byteOffset"]
        assert start % 4 == 0 and view["byteLength"] == a["count"] * width * size
        values = struct.unpack(f"<{a['count'] * width}{code}", self.bytes[start:start + view["byteLength"]])
        return list(values) if width == 1 else [values[i:i + width] for i in range(0, len(values), width)]

    def find(self, name):
        return next(i for i, node in enumerate(self.nodes) if node.get("name") == name)

    def local(self, node, key):
        def part(path, default):
            return self.tracks[node, path][key] if (node, path) in self.tracks else self.nodes[node].get(path, default)
        return transform(part("translation", (0, 0, 0)), part("rotation", (0, 0, 0, 1)), part("scale", (1, 1, 1)))

    def world(self, node, key):
        parent = next((i for i, n in enumerate(self.nodes) if node in n.get("children", [])), None)
        own = self.local(node, key)
        return own if parent is None else multiply(self.world(parent, key), own)


def transform(t, q, s):
    x, y, z, w = q
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return [[r[i][j] * s[j] for j in range(3)] + [t[i]] for i in range(3)] + [[0, 0, 0, 1]]


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def apply(m, v):
    return [sum(m[i][k] * v[k] for k in range(3)) + m[i][3] for i in range(3)]


def unpack(packed, code, size):
    data = base64.b64decode(packed)
    return struct.unpack(f"<{len(data) // size}{code}", data)


class Gltf(ProgramTest):
    def write(self, model, *more):
        self.expect(self.flyball("run", model, "-q", "-o", "saved", "--poses", "--gltf", "a.glb", *more), 0)
        stem = next(self.folder.glob("saved/*.motion.json")).name.removesuffix(".motion.json")
        return Glb(self.folder / "a.glb"), json.loads((self.folder / f"saved/{stem}.motion.json").read_text()), stem

    def assert_near(self, a, b, tolerance, what=""):
        self.assertLess(max(abs(x - y) for x, y in zip(a, b, strict=True)), tolerance, f"{what}: {list(a)} {list(b)}")

    def test_bodies_follow_the_run_with_y_up(self):
        glb, motion, _ = self.write(ARM)
        self.assert_near(glb.times, unpack(motion["frames"]["f64"], "d", 8), 1e-6)
        self.assertTrue(all(b > a for a, b in zip(glb.times, glb.times[1:])))
        for body in (b for b in motion["bodies"] if not b.get("role")):
            poses = unpack(body["poses"]["f32"], "f", 4)
            node = glb.find(body["name"])
            for key in (0, 37, 100):
                x, y, z, w, qx, qy, qz = poses[7 * key:7 * key + 7]
                there = transform((x, y, z), (qx, qy, qz, w), (1, 1, 1))
                for point in ((0, 0, 0), (0.3, -0.2, 0.1)):
                    a, b, c = apply(there, point)
                    self.assert_near(apply(glb.world(node, key), point), (a, c, -b), 1e-6, body["name"])
        material = glb.json["materials"][glb.json["meshes"][glb.nodes[glb.find("disc")]["mesh"]]["primitives"][0]["material"]]
        self.assertAlmostEqual(material["pbrMetallicRoughness"]["baseColorFactor"][0], 0.527115, places=5)  # 0xc0, linear

    def test_springs_and_rods_reach_from_end_to_end(self):
        glb, _, _ = self.write(ARM)
        for name, ends in (("coil", (("disc", (0, 0, 0)), ("stick", (0.5, 0, 0)))), ("line", (("block", (0, 0, 0.15)), (None, (2, 1.5, 0))))):
            for key in (0, 50, 100):
                link = glb.world(glb.find(name), key)
                for z, (body, at) in zip((0, 1), ends):
                    there = apply(glb.world(glb.find(body), key), at) if body else at
                    self.assert_near(apply(link, (0, 0, z)), there, 2e-6, name)

    def test_skin_is_the_cubic_of_the_elements(self):
        glb, motion, _ = self.write(ARM)
        node = glb.find("arm.bar")
        skin = glb.json["skins"][glb.nodes[node]["skin"]]
        primitive = glb.json["meshes"][glb.nodes[node]["mesh"]]["primitives"][0]["attributes"]
        places, joints, weights = (glb.items(primitive[k]) for k in ("POSITION", "JOINTS_0", "WEIGHTS_0"))
        inverses = [[[m[4 * j + i] for j in range(4)] for i in range(4)] for m in glb.items(skin["inverseBindMatrices"])]
        nodes, n_ring = motion["members"][0]["nodes"], 10
        n_along = len(places) // n_ring // (len(nodes) // 2)
        self.assertEqual(len(skin["joints"]), 2 * 5)
        key, largest_turn = 60, 0
        moves = [multiply(glb.world(j, key), inverses[i]) for i, j in enumerate(skin["joints"])]
        drawn = [motion["bodies"][b]["drawn"][:3] for b in nodes]
        for e in range(len(nodes) // 2):
            a, b = drawn[2 * e], drawn[2 * e + 1]
            axis = [y - x for x, y in zip(a, b)]
            ends = []
            for body in nodes[2 * e:2 * e + 2]:
                now = glb.world(glb.find(motion["bodies"][body]["name"]), key)
                tangent = [sum(now[i][j] * axis[j] for j in range(3)) for i in range(3)]  # the nodes are drawn without turns
                ends += [apply(now, (0, 0, 0)), tangent]
                largest_turn = max(largest_turn, math.acos(tangent[0] / math.dist(a, b)))
            for i in range(n_along):
                ring = range((e * n_along + i) * n_ring, (e * n_along + i + 1) * n_ring)
                middle = [0, 0, 0]
                for v in ring:
                    self.assertAlmostEqual(sum(weights[v]), 1, places=6)
                    moved = [apply(moves[j], places[v]) for j in joints[v]]
                    middle = [m + sum(w * p[k] for w, p in zip(weights[v], moved)) / n_ring for k, m in enumerate(middle)]
                x = i / (n_along - 1)
                h = (1 - x * x * (3 - 2 * x), x * (1 - x)**2, x * x * (3 - 2 * x), x * x * (x - 1))
                self.assert_near(middle, [sum(f * end[k] for f, end in zip(h, ends)) for k in range(3)], 2e-6, f"element {e} at {x}")
        self.assertGreater(largest_turn, 0.4)  # of the axis, so that finite rotations are seen

    def test_slider_stays_on_the_bent_beam(self):
        glb, _, _ = self.write(ARM)
        node = glb.find("bead")
        ends = [glb.find(name) for name in ("arm.A", "arm.B")]
        for key in (0, 30, 100):
            at = apply(glb.world(node, key), (0, 0, 0))
            a, b = (apply(glb.world(n, key), (0, 0, 0)) for n in ends)
            arc = 0.5 + 0.4 * math.sin(3 * glb.times[key])
            self.assertLess(abs(math.dist(a, at) - arc), 0.05 * arc)
            self.assertAlmostEqual(at[2], a[2], places=5)

    def test_meshes_are_morph_targets(self):
        glb, motion, stem = self.write(TABLE, "--duration", "0.3")
        node = glb.find("top")
        mesh = glb.json["meshes"][glb.nodes[node]["mesh"]]["primitives"][0]
        points = glb.items(mesh["attributes"]["POSITION"])
        targets = [glb.items(t["POSITION"]) for t in mesh["targets"]]
        weights = glb.tracks[node, "weights"]
        n = len(targets)
        with open(self.folder / f"saved/{stem}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for name, at in (("seat", (0, 0, 0)), ("foot", (-0.35, -0.2, 0))):
            i = min(range(len(points)), key=lambda k: math.dist(points[k], at))
            self.assertLess(math.dist(points[i], at), 1e-6)
            recorded = [float(row[next(k for k in row if k.split(" [")[0] == name)]) for row in rows]
            scale = max(map(abs, recorded))
            for key in (10, 75, 150):
                moved = sum(w * t[i][2] for w, t in zip(weights[n * key:n * key + n], targets))
                self.assertAlmostEqual(moved, recorded[key], delta=2e-3 * scale)
        self.assertEqual(len(motion["meshes"]), 1)

    def test_from_saved_files_and_from_the_run_alike(self):
        self.write(ARM)
        self.expect(self.flyball("report", "saved/arm.csv", "--gltf", "b.glb"), 0, "wrote b.glb")
        a, b = Glb(self.folder / "a.glb"), Glb(self.folder / "b.glb")
        self.assertEqual((a.json, a.bytes), (b.json, b.bytes))
        self.assertFalse((self.folder / "saved/arm.html").exists())
        self.expect(self.flyball("report", "saved/arm.csv", "--gltf", "c.glb", "-o", "c.html", "-q"), 0)
        self.assertTrue((self.folder / "c.html").exists())

    def test_errors(self):
        self.write(ARM)
        motion = self.folder / "saved/arm.motion.json"
        good = json.loads(motion.read_text())
        cases = [("joints", lambda m: m["joints"][0].update(body_a=99), "joint 'spin' is attached to a body that does not exist"),
                 ("poses", lambda m: m["bodies"][0].update(poses={"f32": "AAAA"}), "body 'disc' lacks a pose in some frame"),
                 ("nodes", lambda m: m["members"][0]["nodes"].__setitem__(1, 1000), "member 'arm.bar' has an end that does not exist"),
                 ("pieces", lambda m: m["sliders"][0].update(pieces=[7]), "slider 'bead' has a guide that does not exist"),
                 ("frames", lambda m: m.update(frames={"f64": ""}), "it has no frames")]
        for name, spoil, message in cases:
            with self.subTest(name):
                bad = json.loads(json.dumps(good))
                spoil(bad)
                motion.write_text(json.dumps(bad))
                self.expect(self.flyball("report", "saved/arm.csv", "--gltf", "bad.glb"), 3, message)
                self.assertFalse((self.folder / "bad.glb").exists())
        motion.unlink()
        self.expect(self.flyball("report", "saved/arm.csv", "--gltf", "bad.glb"), 3, "the motion of this run was not saved", "--poses")
        self.expect(self.flyball("run", ARM, "-q", "--gltf", "none/bad.glb"), 4, "none/bad.glb")
        self.expect(self.flyball("report", "saved/arm.csv", "saved/arm.csv", "--gltf", "b.glb"), 2, "give one result")

    def swing(self, model, number, *more):
        """One cycle of a mode, and the mode as the JSON document has it."""
        answer = self.expect(self.flyball("modes", model, "-q", "--json", "--gltf", "mode.glb", "--mode", str(number), *more), 0).json()
        return Glb(self.folder / "mode.glb"), answer["modes"][number - 1]

    def test_modes_swing_in_phase_and_with_the_ratios_of_their_shapes(self):
        # Two equal masses on three equal springs: they move alike, then against each other.
        for number, ratio in ((1, 1), (2, -1)):
            glb, _ = self.swing(SOURCE / "test/cli/gltf/two_masses.yaml", number)
            self.assert_near((glb.times[0], glb.times[-1], len(glb.times)), (0, 2, 49), 1e-6)
            rest = {"left": 1, "right": 2}
            moves = {name: [glb.world(glb.find(name), key)[0][3] - x for key in range(49)] for name, x in rest.items()}
            most = max(map(abs, moves["left"]))
            self.assertGreater(most, 0.05)
            for key in range(49):
                self.assertAlmostEqual(moves["right"][key], ratio * moves["left"][key], delta=1e-5 * most)
                self.assertAlmostEqual(abs(moves["left"][key]), most * abs(math.cos(2 * math.pi * key / 48)), delta=1e-5)

    def test_modes_turn_bodies_bend_beams_and_move_sliders(self):
        glb, _ = self.swing(ARM, 1)
        for name in ("disc", "stick"):
            node = glb.find(name)
            ends = [glb.world(node, key) for key in (0, 12, 24, 48)]
            self.assert_near(sum(ends[0], []), sum(ends[3], []), 1e-6, "a cycle ends where it began")
        self.assertTrue(any(path == "rotation" for _, path in glb.tracks))
        self.assertTrue(glb.json.get("skins"))

    def test_modes_of_meshes_have_weights_that_swing(self):
        for more in ((), ("--lowest", "3")):
            glb, _ = self.swing(TABLE, 1, *more)
            node, path = next(track for track in glb.tracks if track[1] == "weights")
            values = glb.tracks[node, path]
            n = len(values) // 49
            for k in range(n):
                self.assertAlmostEqual(values[k], -values[24 * n + k], delta=1e-4 * max(map(abs, values)))

    def test_modes_that_are_not_there(self):
        self.expect(self.flyball("modes", ARM, "-q", "--gltf", "m.glb", "--mode", "999"), 2, "--mode is 999; there are")
        self.expect(self.flyball("modes", ARM, "--mode", "2"), 2, "--mode requires --gltf")
