"""Runs the program under test and keeps what it said."""
import json
import os
import pathlib
import pty
import select
import subprocess
import tempfile
import unittest

FLYBALL = os.environ["FLYBALL"]
SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])
MODELS = SOURCE / "models"


def every(n, items):
    """All items, or with sanitizers, which take up to ten times as long, every n-th one."""
    return items[::n] if os.environ.get("FLYBALL_IS_SANITIZED") else items


PENDULUM = """\
flyball: 1
name: swing
parameters: {L: 1, m: 2}
gravity: [0, 0, -9.81]
bodies:
  bob:
    shapes: [{type: point, at: [L, 0, 0], mass: m}]
    points: {tip: [L, 0, 0]}
joints:
  pivot: {type: revolute, between: [ground, bob], point: [0, 0, 0], axis: [0, 1, 0], position: 0.5}
outputs:
  angle: pivot.q
  tip: {type: position, point: bob.tip}
simulation: {duration: 1, sample: 0.1}
"""

# Chaotic enough to keep any integrator busy, and far too long to finish.
LONG_PENDULUM = PENDULUM.replace("simulation: {duration: 1, sample: 0.1}",
                                 "simulation: {duration: 1e7, sample: 1e3, rtol: 1e-12, atol: 1e-13}")


class Answer:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        return json.loads(self.out)


class ProgramTest(unittest.TestCase):
    """A test with a scratch folder in which the program runs."""

    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temp.name)

    def tearDown(self):
        self.temp.cleanup()

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def flyball(self, *arguments, env=None, stdout=None):
        environment = {k: v for k, v in os.environ.items() if k not in ("FLYBALL_CASES", "NO_COLOR")}
        environment.update(env or {})
        done = subprocess.run([FLYBALL, *map(str, arguments)], cwd=self.folder, env=environment, text=True, timeout=200,
                              stdin=subprocess.DEVNULL, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE)
        return Answer(done.returncode, done.stdout, done.stderr)

    def expect(self, answer, code, *words):
        """The exit code, and words that stderr must hold."""
        self.assertEqual(answer.code, code, f"stdout: {answer.out}\nstderr: {answer.err}")
        for word in words:
            self.assertIn(word, answer.err)
        return answer

    def on_terminal(self, process_of):
        """What a process, started by process_of(stderr), writes to a terminal as its stderr; it must end by itself."""
        try:
            leader, follower = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be had here: {error}")
        process = process_of(follower)
        os.close(follower)
        seen = b""
        while select.select([leader], [], [], 100)[0]:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the other side was closed
                break
            if not piece:
                break
            seen += piece
        os.close(leader)
        return process.wait(timeout=100), seen
