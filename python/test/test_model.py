"""Models, runs, equilibria, linearizations and modes from Python, against closed forms and against the program's own numbers."""
import multiprocessing
import os
import pathlib
import tempfile
import unittest

import numpy as np

import flyball

SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])
PENDULUM = {
    "gravity": [0, -9.81, 0],
    "parameters": {"L": 0.5},
    "inputs": {"torque": {"unit": "N*m", "min": -5, "max": 5}},
    "bodies": {"bob": {"shapes": [{"type": "point", "at": [0, "-L", 0], "mass": 2}]}},
    "joints": {"pin": {"type": "revolute", "between": ["ground", "bob"], "axis": [0, 0, 1], "position": 0.01}},
    "forces": {"motor": {"type": "actuator", "joint": "pin", "value": "torque"}},
    "outputs": {"angle": "pin.q", "rate": "pin.v"},
    "events": {"down": {"when": "pin.q", "direction": "falling"}},
    "simulation": {"duration": 2, "sample": 0.01},
}


def last_angle(job):
    model, torque = job
    return float(model.run(0.3, inputs={"torque": torque})["angle"][-1])


class Models(unittest.TestCase):
    def test_processes(self):
        m = flyball.build(PENDULUM, L=0.7)
        jobs = [(m, 0.5 * k) for k in range(6)]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map(last_angle, jobs), [last_angle(job) for job in jobs])

    def test_file_with_parameters(self):
        m = flyball.load(SOURCE / "models/pendulum.yaml")
        self.assertGreater(m.counts["bodies"], 0)
        other = flyball.load(str(SOURCE / "test/verify/inputs/rail.yaml"), m="4 kg", u=2)
        self.assertEqual(other.inputs[0], flyball.Input("u", "N", 2.0, -10.0, 10.0))
        self.assertAlmostEqual(other.run(1)["x"][-1], 0.25, places=12)
        self.assertNotEqual(other.hash, flyball.load(SOURCE / "test/verify/inputs/rail.yaml").hash)

    def test_run(self):
        m = flyball.build(PENDULUM)
        r = m.run()
        w = np.sqrt(9.81 / 0.5)
        self.assertEqual((len(r), r.t.unit, r["angle"].unit, r["rate"].unit), (201, "s", "rad", "rad/s"))
        np.testing.assert_allclose(r["angle"], 0.01 * np.cos(w * np.asarray(r.t)), atol=2e-6)
        self.assertEqual(list(r.to_dict()), ["t", "angle", "rate"])
        self.assertIs(type(2 * r["angle"]), np.ndarray)
        self.assertIs(type(np.max(r["angle"]) + 0.0), np.float64)
        self.assertEqual(r["angle"][3:5].unit, "rad")
        self.assertGreater(r.stats["steps"], 5)
        self.assertAlmostEqual(r.events[0].t, np.pi / 2 / w, places=4)
        self.assertIn("<svg", r._repr_html_())
        with self.assertRaises(KeyError):
            r["nothing"]

    def test_files(self):
        r = flyball.build(PENDULUM).run(0.5, poses=True)
        with tempfile.TemporaryDirectory() as folder:
            r.report(os.path.join(folder, "r.html"))
            r.write(os.path.join(folder, "r.csv"))
            table = np.genfromtxt(os.path.join(folder, "r.csv"), delimiter=",", skip_header=1)
            np.testing.assert_array_equal(table[:, 1], np.asarray(r["angle"]))
            self.assertGreater(os.path.getsize(os.path.join(folder, "r.html")), 10000)

    def test_equilibrium_and_linearization(self):
        m = flyball.build(PENDULUM, L=0.8)
        p = m.equilibrium(inputs={"torque": 3.0})
        self.assertAlmostEqual(p["pin"], np.arcsin(3 / (2 * 9.81 * 0.8)), places=9)
        self.assertTrue(p.is_equilibrium)
        self.assertAlmostEqual(p.outputs["angle"], p["pin"])
        lin = m.linearize()
        np.testing.assert_allclose(lin.A, [[0, 1], [-9.81 / 0.8, 0]], atol=1e-12)
        np.testing.assert_allclose(lin.B, [[0], [1 / (2 * 0.64)]], atol=1e-12)
        np.testing.assert_allclose(lin.C, np.eye(2), atol=1e-14)
        np.testing.assert_allclose(lin.D, np.zeros((2, 1)))
        np.testing.assert_allclose([lin.M[0, 0], lin.Cd[0, 0], lin.K[0, 0]], [1.28, 0, 2 * 9.81 * 0.8], atol=1e-12)
        self.assertEqual((lin.states, lin.inputs, lin.outputs), (["pin.q", "pin.v"], ["torque"], ["angle", "rate"]))
        modes = m.modes()
        np.testing.assert_allclose(modes.frequencies, [np.sqrt(9.81 / 0.8) / (2 * np.pi)] * 2, rtol=1e-12)
        self.assertIn("<table>", modes._repr_html_())

    def test_all_shipped_models_load(self):
        for path in sorted((SOURCE / "models").glob("*.yaml")):
            m = flyball.load(path)
            self.assertEqual(len(m.hash), 64, path)


if __name__ == "__main__":
    unittest.main()
