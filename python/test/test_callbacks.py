"""Python functions as forces and controllers: results, exceptions, threads, objects that die in any order."""
import gc
import math
import multiprocessing
import os
import pathlib
import threading
import unittest
import weakref

import numpy as np

import flyball

SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])
RAIL = SOURCE / "test/verify/callbacks/rail.yaml"
SAMPLED = SOURCE / "test/verify/callbacks/sampled.yaml"
COMPARE = SOURCE / "test/verify/callbacks/compare.yaml"


def spring(t, x, v):
    return -8.0 * x


def spring_slopes(t, x, v):
    return [-8.0, 0.0]


def final(m):
    return m.run(1)["x"][-1]


def load_rail(law, **parameters):
    return flyball.load(RAIL, callbacks={"law": law}, **parameters)


class Callbacks(unittest.TestCase):
    def test_closed_form(self):
        """A mass of 2 kg on a spring of 8 N/m: x = 0.5 cos 2t."""
        laws = (spring, flyball.Callback(spring, spring_slopes), lambda t, x, v: np.array([-8.0 * x]), lambda t, *u: (-8 * u[0],), lambda t, *u: np.float64(-8 * u[0]))
        for law in laws:
            m = load_rail(law)
            self.assertEqual(m.callbacks, ["law"])
            for integrator in ("radau", "dop853"):
                r = m.run(1, integrator=integrator)
                np.testing.assert_allclose(r["x"], 0.5 * np.cos(2 * r.t), atol=1e-8)
            self.assertAlmostEqual(m.linearize("initial").K[0, 0], 8.0, places=7)

    def test_laws_with_several_results(self):
        """The same model by expressions and by functions, with exact derivatives and by differences."""
        def pilot(t, x, vy, z, u, a):
            return [-8 * math.tanh(x) + u * z, -vy + 0.3 * x**2, math.sin(z) + u**2, -2 * z + a + 0.1 * u]

        def slopes(t, x, vy, z, u, a):
            return np.array([[-8 / math.cosh(x)**2, 0, u, z, 0], [0.6 * x, -1, 0, 0, 0], [0, 0, math.cos(z), 2 * u, 0], [0, 0, -2, 0.1, 1]])

        def bend(t, q, v):
            return -30 * math.sin(q) - 2 * v - 0.5 * v**3

        expected = flyball.load(COMPARE, w=0, callbacks={"pilot": pilot, "spring": bend})
        for derivatives in (None, slopes):
            m = flyball.load(COMPARE, callbacks={"pilot": flyball.Callback(pilot, derivatives), "spring": bend})
            a, b = expected.run(), m.run()
            for name in m.outputs:
                np.testing.assert_allclose(b[name], a[name], atol=1e-7)
            for x, y in ((expected.linearize(), m.linearize()), (expected.linearize("initial"), m.linearize("initial"))):
                for key in "ABCD":
                    np.testing.assert_allclose(getattr(y, key), getattr(x, key), atol=1e-6)

    def test_samples(self):
        times = []

        def memory(t, x, v, last):
            times.append(t)
            return last + 0.02 * (0.5 - x)

        m = flyball.load(SAMPLED, callbacks={"pilot": memory, "drive": lambda t, x, v, s: 60 * (0.5 - x) - 14 * v + 10 * s})
        r = m.run()
        expected = flyball.load(SAMPLED, w=0, callbacks={"pilot": lambda *u: 0.0, "drive": lambda *u: 0.0}).run()
        np.testing.assert_allclose(r["x"], expected["x"], atol=1e-10)
        np.testing.assert_allclose(times, 0.02 * np.arange(len(times)), atol=1e-12)
        sim, other = m.simulation(step=0.003), m.simulation(step=0.003)
        sim.step(0.25)
        other.restore(sim.save())
        sim.step(0.2)
        other.step(0.2)
        self.assertEqual(sim.outputs().tolist(), other.outputs().tolist())

    def test_exceptions(self):
        """What a function raises is raised where the library was called, as the same object; then the simulation can continue."""
        class Unplugged(Exception):
            pass

        error = Unplugged("no signal")
        broken = [True]

        def law(t, x, v):
            if broken[0] and t > 0.3:
                raise error
            return -8 * x

        m = load_rail(law)
        sim = m.simulation()
        for call in (lambda: sim.step(1.0), lambda: m.run(1), lambda: m.run(1, integrator="dop853"), lambda: m.linearize(0.5)):
            with self.assertRaises(Unplugged) as caught:
                call()
            self.assertIs(caught.exception, error)
        self.assertLessEqual(sim.t, 0.3 + 1e-9)
        broken[0] = False
        sim.advance(1.0)
        self.assertAlmostEqual(sim["x"], 0.5 * math.cos(2.0), places=7)

    def test_exceptions_at_once(self):
        for raised in (KeyboardInterrupt, SystemExit, ZeroDivisionError, MemoryError):
            def law(t, x, v):
                raise raised

            m = load_rail(law)
            for call in (m.simulation, m.run, m.equilibrium, m.modes):
                with self.assertRaises(raised):
                    call()

    def test_derivatives_that_fail(self):
        def slopes(t, x, v):
            raise LookupError("none")

        m = load_rail(flyball.Callback(spring, slopes))
        with self.assertRaises(LookupError):
            m.run(1, integrator="radau")
        with self.assertRaises(LookupError):
            m.linearize("initial")
        self.assertAlmostEqual(m.run(1, integrator="dop853")["x"][-1], 0.5 * math.cos(2.0), places=7)

    def test_retry(self):
        def wall(t, x, v):
            if x < -0.1:
                raise flyball.Retry
            return -8 * x

        with self.assertRaises(flyball.RunError) as caught:
            load_rail(wall).run(1)
        self.assertIn("'law'", str(caught.exception))
        self.assertEqual(caught.exception.line, 7)

    def test_wrong_results(self):
        for law in (lambda t, x, v: [1, 2], lambda t, x, v: None, lambda t, x, v: "much", lambda t: 0.0):
            with self.assertRaises((ValueError, TypeError)):
                load_rail(law).run(1)
        with self.assertRaises(flyball.RunError):
            load_rail(lambda t, x, v: math.nan).run(1)
        with self.assertRaises(TypeError):
            load_rail(7.0)
        with self.assertRaises(flyball.ModelError):
            flyball.load(RAIL, callbacks={"lav": spring})
        with self.assertRaises(flyball.ModelError) as caught:
            flyball.load(RAIL).run(1)
        self.assertIn("no function is set", str(caught.exception))

    def test_calls_from_inside(self):
        """A function may look at the simulation that calls it, which refuses."""
        box = []

        def law(t, x, v):
            if box:
                box[0].step(0.1)
            return -8 * x

        sim = load_rail(law).simulation()
        box.append(sim)
        with self.assertRaises(flyball.Error):
            sim.step(0.1)
        box.clear()
        sim.step(0.1)

    def test_deaths_in_any_order(self):
        class Law:
            def __call__(self, t, x, v):
                return -8 * x

        law = Law()
        gone = weakref.ref(law)
        m = load_rail(law)
        sim, r, p = m.simulation(), m.run(0.1), m.linearize("initial")
        del law, m
        gc.collect()
        sim.step(1.0)
        self.assertAlmostEqual(sim["x"], 0.5 * math.cos(2.0), places=7)
        self.assertIsNotNone(gone())
        del sim
        gc.collect()
        self.assertGreater(len(r.t), 1)
        del r
        gc.collect()
        self.assertTrue(p.modes)
        del p
        gc.collect()
        self.assertIsNone(gone())

    def test_threads(self):
        """Threads that share a model; an exception belongs to the thread that it was raised in."""
        def law(t, x, v):
            if threading.current_thread().name == "bad" and t > 0.5:
                raise KeyError("bad")
            return -8 * x

        m, found = load_rail(law), {}

        def work():
            name = threading.current_thread().name
            try:
                found.setdefault(name, []).append(final(m))
            except KeyError as error:
                found.setdefault(name, []).append(error)

        threads = [threading.Thread(target=work, name=name) for name in ("good", "bad", "good", "bad")]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertTrue(all(isinstance(x, KeyError) for x in found["bad"]))
        for x in found["good"]:
            self.assertAlmostEqual(x, 0.5 * math.cos(2.0), places=7)

    def test_processes(self):
        """A model is read again in other processes, with functions of modules."""
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertAlmostEqual(pool.map(final, [load_rail(spring)])[0], 0.5 * math.cos(2.0), places=7)


FLOOR = """flyball: 1
gravity: [0, 0, -9.81]
bodies: {ball: {mass: 1}}
joints: {fall: {type: prismatic, between: [ground, ball], axis: [0, 0, 1], position: 0.3}}
SENSORS
forces: {floor: {type: actuator, joint: fall, value: VALUE}}
outputs: {z: fall.q}
simulation: {duration: 2, sample: 0.1, rtol: 1e-8, integrator: dop853}
"""


class Corners(unittest.TestCase):
    def run_with(self, arguments, function):
        text = FLOOR.replace("SENSORS", f"sensors: {{push: {{type: callback, arguments: [{arguments}], unit: N}}}}").replace("VALUE", "push")
        return flyball.loads(text, callbacks={"push": function}).run()

    def test_announced_corners(self):
        """A comparison among the arguments is located as in an expression: the same steps, the same numbers; a hidden corner costs steps."""
        by_expression = flyball.loads(FLOOR.replace("SENSORS", "").replace("VALUE", '"5000*max(-fall.q, 0)"')).run()
        announced = self.run_with("fall.q, fall.q < 0", lambda t, z, is_below: -5000 * z if is_below > 0.5 else 0.0)
        hidden = self.run_with("fall.q", lambda t, z: 5000 * max(-z, 0.0))
        self.assertEqual(announced["z"].tolist(), by_expression["z"].tolist())
        self.assertEqual(announced.stats["steps"], by_expression.stats["steps"])
        self.assertGreater(hidden.stats["rejected"], 3 * announced.stats["rejected"])


if __name__ == "__main__":
    unittest.main()
