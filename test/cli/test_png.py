"""`flyball report --png`: what the browser is asked for, by a stand-in that writes down its words; a real picture where there is a browser; messages where there is none."""
import os
import shutil
import stat
import struct
import subprocess
import unittest
import zlib

from program import FLYBALL, PENDULUM, ProgramTest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

STAND_IN = """#!/usr/bin/env python3
import os, shutil, sys, urllib.parse
with open(os.environ["FLYBALL_TEST_WORDS"], "w") as file:
    file.write("\\n".join(sys.argv[1:]))
for word in sys.argv[1:]:
    if word.startswith("--screenshot="):
        with open(word.partition("=")[2], "w") as file:
            file.write("picture")
shutil.copy(urllib.parse.unquote(urllib.parse.urlparse(sys.argv[-1]).path), os.environ["FLYBALL_TEST_SEEN"])
"""


def pixels(path):
    """Rows of an 8-bit RGB or RGBA picture (PNG specification, sections 9 and 11)."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[at + 8:at + 18])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    n = {2: 3, 6: 4}[color]
    raw, rows, above = zlib.decompress(packed), [], bytes(n * width)
    for y in range(height):
        start = y * (n * width + 1)
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + n * width])
        for i in range(len(line)):
            left, up, corner = (line[i - n] if i >= n else 0), above[i], (above[i - n] if i >= n else 0)
            guess = left + up - corner
            near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, near)[kind]) & 255
        above = bytes(line)
        rows.append([above[i:i + 3] for i in range(0, n * width, n)])
    return rows


class Png(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("swing.yaml", PENDULUM)
        self.expect(self.flyball("run", "swing.yaml", "-q", "-o", "out put", "--poses"), 0)
        self.stand_in = self.folder / "browser"
        self.stand_in.write_text(STAND_IN)
        self.stand_in.chmod(self.stand_in.stat().st_mode | stat.S_IXUSR)

    def ask(self, *words, **env):
        surroundings = {"PATH": os.environ["PATH"], "TMPDIR": str(self.folder), "FLYBALL_BROWSER": str(self.stand_in),
                        "FLYBALL_TEST_WORDS": str(self.folder / "words"), "FLYBALL_TEST_SEEN": str(self.folder / "seen.html"), **env}
        return subprocess.run([FLYBALL, "report", *words], cwd=self.folder, env=surroundings, capture_output=True, text=True, timeout=200)

    def words(self):
        return (self.folder / "words").read_text().splitlines()

    def test_asks_for_view_time_and_size(self):
        answer = self.ask("out put/swing.csv", "--png", "a.png", "--view", "side", "--time", "0.25", "--size", "640x480")
        self.assertEqual((answer.returncode, answer.stderr), (0, "flyball: wrote a.png\n"))
        self.assertEqual((self.folder / "a.png").read_text(), "picture")
        words = self.words()
        self.assertIn("--window-size=640,480", words)
        self.assertTrue(words[-1].endswith("/report.html#still&view=side&t=0.25"), words[-1])
        self.assertIn("flyball-data", (self.folder / "seen.html").read_text())
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a.png", "browser", "out put", "seen.html", "swing.yaml", "words"], "nothing is left behind")

    def test_of_the_page_and_of_a_report_that_is_there(self):
        self.assertEqual(self.ask("out put/swing.csv", "-o", "kept #1.html", "--png", "a.png", "--view", "page", "-q").returncode, 0)
        self.assertTrue((self.folder / "kept #1.html").exists())
        self.assertTrue(self.words()[-1].endswith("/kept%20%231.html#view=start&t=-1e300"), self.words()[-1])
        self.assertEqual(self.ask("kept #1.html", "--png", "b.png").returncode, 0)
        self.assertEqual((self.folder / "seen.html").read_text(), (self.folder / "kept #1.html").read_text())

    def test_without_a_browser(self):
        answer = self.ask("out put/swing.csv", "--png", "a.png", FLYBALL_BROWSER="", PATH=str(self.folder / "out put"))
        self.assertEqual(answer.returncode, 1)
        self.assertIn("--png needs a browser", answer.stderr)
        self.assertIn("Install the package chromium", answer.stderr)
        self.assertFalse((self.folder / "a.png").exists())

    def test_browser_that_fails(self):
        self.stand_in.write_text("#!/bin/sh\nexit 3\n")
        answer = self.ask("out put/swing.csv", "--png", "a.png")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("did not draw the picture", answer.stderr)

    def test_usage(self):
        cases = [(["--png", "a.png", "--size", "12"], "--size is '12'; it must be WIDTHxHEIGHT"), (["--png", "a.png", "--size", "640x1e6"], "--size is"),
                 (["--png", "a.png", "--view", "fornt"], "there is no view 'fornt'; did you mean 'front'?"), (["--png", "a.png", "--time", "soon"], "--time is 'soon'"),
                 (["--view", "top"], "give that too"), (["out put/swing.csv", "--png", "a.png"], "--png writes one file")]
        for words, message in cases:
            with self.subTest(words):
                answer = self.ask("out put/swing.csv", *words)
                self.assertEqual(answer.returncode, 2, answer.stderr)
                self.assertIn(message, answer.stderr)
        (self.folder / "r.html").write_text("")
        self.assertIn("is a report already", self.ask("r.html").stderr)

    @unittest.skipUnless(BROWSER, "there is no Chromium here; install the package chromium")
    @unittest.skipIf(os.environ.get("FLYBALL_IS_SANITIZED"), "the picture is drawn by the browser")
    def test_real_picture_moves_with_time(self):
        seen = []
        for t in ("0", "0.5"):
            answer = self.ask("out put/swing.csv", "--png", "a.png", "--time", t, "--size", "320x240", FLYBALL_BROWSER="", HOME=str(self.folder))
            self.assertEqual(answer.returncode, 0, answer.stderr)
            rows = pixels(self.folder / "a.png")
            self.assertEqual((len(rows), len(rows[0])), (240, 320))
            # The bob is blue (#3b7dd8, lit), the paper and its lines are not.
            seen.append([(x, y) for y, row in enumerate(rows) for x, (r, g, b) in enumerate(row) if y < 170 and b > 90 and b > 1.8 * r])
            self.assertGreater(len(seen[-1]), 100)
        middle = [sum(x for x, _ in places) / len(places) for places in seen]
        self.assertGreater(abs(middle[0] - middle[1]), 5)
