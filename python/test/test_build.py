"""Models built part by part, other values of parameters, derivatives, and sweeps in processes."""
import gc
import math
import os
import pathlib
import pickle
import tempfile
import unittest

import numpy as np

import flyball

SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])
LOOP = SOURCE / "test/verify/derivatives_inputs/loop.yaml"
RAIL = SOURCE / "test/verify/callbacks/rail.yaml"


def spring(t, x, v):
    return -8.0 * x


def frequency(m):
    return {"f": m.modes("initial").frequencies[0], "n": 1}


def last(m):
    if m.name == "model" and m.run(0.1)["x"][0] > 2:
        raise ValueError("too far")
    return m.run(0.5)["x"][-1]


def oscillator():
    b = flyball.Builder(gravity=[0, 0, 0])
    b.parameter("k", 50).parameter("m", 2).parameter("x0", 1)
    b.body("block", mass="m")
    b.joint("rail", type="prismatic", between=["ground", "block"], axis=[1, 0, 0], position="x0")
    b.input("push", unit="N", default=0)
    b.force("spring", type="actuator", joint="rail", value="-k*rail.q + push")
    b.output("x", "rail.q").output("place", type="position", point="block")
    return b.simulation(duration=1)


class Build(unittest.TestCase):
    def test_builder(self):
        b = oscillator()
        m = b.model()
        self.assertEqual(m.outputs, ["x", "place.x", "place.y", "place.z"])
        r = m.run()
        np.testing.assert_allclose(r["x"], np.cos(5 * r.t), atol=1e-7)
        self.assertAlmostEqual(b.model(k=200).modes().frequencies[0], 10 / (2 * math.pi), places=9)
        b.callback("brake", lambda t, v: -20 * v, ["rail.v"], unit="N").force("brake", type="actuator", joint="rail", value="brake")
        r = b.model().run()
        self.assertLess(abs(r["x"][-1]), 0.1)
        with self.assertRaises(flyball.ModelError):
            b.body("block", mass=1)
        with self.assertRaises(TypeError):
            b.add("outputs", "y", "rail.q", type="position")
        with self.assertRaises(flyball.ModelError) as caught:
            b.joint("nowhere", type="revolute", between=["ground", "blok"]).model()
        self.assertIn("blok", str(caught.exception))

    def test_report_shows_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.html")
            oscillator().model().run(0.2, inputs={"push": 12.5}).report(path)
            self.assertRegex(pathlib.Path(path).read_text(), r'"input push"[^}]{0,20}"12.5 N"')

    def test_other_values(self):
        m = oscillator().model()
        stiff = m.with_(k=200)
        both = stiff.with_(m="8 kg")
        self.assertAlmostEqual(stiff.modes().frequencies[0], 10 / (2 * math.pi), places=9)
        self.assertAlmostEqual(both.modes().frequencies[0], 5 / (2 * math.pi), places=9)
        self.assertEqual(m.with_(k=50.0).hash, m.with_(k=50).hash)
        self.assertNotEqual(stiff.hash, m.hash)
        self.assertEqual(pickle.loads(pickle.dumps(both)).hash, both.hash)
        with self.assertRaises(flyball.ModelError):
            m.with_(q=1)
        with self.assertRaises(flyball.StateError):
            stiff.simulation().restore(m.simulation().save())
        del m
        gc.collect()
        self.assertAlmostEqual(stiff.with_(k=50).modes().frequencies[0], 5 / (2 * math.pi), places=9)
        rail = flyball.load(RAIL, callbacks={"law": spring})
        self.assertAlmostEqual(rail.with_(start=0.25).run(1)["x"][-1], 0.25 * math.cos(2.0), places=7)
        self.assertAlmostEqual(rail.with_(callbacks={"law": lambda t, x, v: -2 * x}).run(1)["x"][-1], 0.5 * math.cos(1.0), places=7)

    def test_derivatives(self):
        sim = flyball.load(LOOP).simulation()
        sim.step(0.0173)
        by_input, by_parameter = sim.derivative("force"), sim.derivative("push", size=1.0)
        np.testing.assert_allclose(by_parameter.accelerations, by_input.accelerations, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(by_parameter.state_rates, [0.2], atol=1e-8)
        for name, value in by_input.outputs.items():
            self.assertAlmostEqual(by_parameter.outputs[name], value, delta=1e-5 * (1 + abs(value)))
        self.assertGreater(max(abs(by_input.accelerations)), 0.1)
        m = oscillator().model()
        d = m.simulation().derivative("k")  # x'' = -k x/m
        self.assertAlmostEqual(d.accelerations[0], -0.5, places=7)
        d = m.with_(k=7, x0=3).simulation().derivative("m")
        self.assertAlmostEqual(d.accelerations[0], 7 * 3 / 4, places=6)
        with self.assertRaises(flyball.ModelError):
            sim.derivative("nothing")

    def test_sweep(self):
        m = oscillator().model()
        for processes in (1, 2):
            table = flyball.sweep(m, frequency, k=[50, 200], m=[2, 8, 32], processes=processes)
            np.testing.assert_allclose(table["f"], np.sqrt(table["k"] / table["m"]) / (2 * math.pi), rtol=1e-9)
            self.assertEqual(table["k"].tolist(), [50] * 3 + [200] * 3)
            self.assertEqual(table["n"].tolist(), [1] * 6)
        np.testing.assert_allclose(flyball.sweep(m, last, x0=[1, 2], processes=2)["value"], np.cos(2.5) * np.array([1, 2]), atol=1e-7)

    def test_sweep_that_fails(self):
        m = oscillator().model()
        for processes in (1, 2):
            with self.assertRaises(flyball.SweepError) as caught:
                flyball.sweep(m, last, x0=[1, 3], processes=processes)
            self.assertEqual(caught.exception.point, {"x0": 3.0})
            self.assertIsInstance(caught.exception.__cause__, ValueError)
            table = flyball.sweep(m, last, x0=[1, 3], processes=processes, skip_failures=True)
            self.assertTrue(math.isnan(table["value"][1]) and not math.isnan(table["value"][0]))


if __name__ == "__main__":
    unittest.main()
