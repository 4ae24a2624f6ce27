"""Errors are exceptions with file, line and column; nothing changes where a value is refused."""
import math
import os
import pathlib
import tempfile
import unittest

import flyball

SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])
RAIL = SOURCE / "test/verify/inputs/rail.yaml"


class Errors(unittest.TestCase):
    def test_place(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.yaml")
            with open(path, "w") as file:
                file.write("flyball: 1\nbodies: {b: {mas: 1}}\njoints: {j: {type: revolut}}\n")
            with self.assertRaises(flyball.ModelError) as caught:
                flyball.load(path)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), (path, 2, 14))
        self.assertIn("mas", error.text)
        self.assertGreaterEqual(len(error.messages), 2)
        self.assertIsInstance(error, ValueError)
        self.assertIn("bad.yaml:2:14", str(error))

    def test_missing_file_and_names(self):
        with self.assertRaises(OSError):
            flyball.load("no such file.yaml")
        with self.assertRaises(flyball.ModelError):
            flyball.load(RAIL, nothing=1)
        m = flyball.load(RAIL)
        for call in (lambda: m.simulation(inputs={"nothing": 1}), lambda: m.equilibrium(inputs={"nothing": 1}), lambda: m.run(inputs={"u": 99}),
                     lambda: m.run(integrator="nothing")):
            with self.assertRaises(flyball.ModelError):
                call()
        with self.assertRaises(TypeError):
            m.simulation(nothing=1)
        with self.assertRaises(ValueError):
            m.linearize("nowhere")

    def test_refused_inputs(self):
        sim = flyball.load(RAIL).simulation()
        for value in (math.nan, math.inf, 11.0, -10.5):
            with self.assertRaises(flyball.ModelError):
                sim.set(u=value)
        with self.assertRaises(flyball.ModelError):
            sim.set(w=1.0)
        with self.assertRaises(TypeError):
            sim.set(u="much")
        self.assertEqual(sim.inputs, {"u": 1.0})
        with self.assertRaises(flyball.ModelError):
            sim.step(-0.1)
        sim.step(0.1)
        with self.assertRaises(flyball.ModelError):
            sim.advance(0.05)
        self.assertEqual(sim.t, 0.1)

    def test_runs_that_fail(self):
        m = flyball.loads("flyball: 1\nbodies: {b: {mass: 1}}\njoints: {j: {type: prismatic, between: [ground, b]}}\n"
                          "forces: {f: {type: actuator, joint: j, value: 1/(1 - t)^2 + sqrt(0.9 - t)}}\noutputs: {x: j.q}\n")
        with self.assertRaises(flyball.RunError) as caught:
            m.run(2)
        self.assertTrue(str(caught.exception))


if __name__ == "__main__":
    unittest.main()
