"""Simulations driven from Python: inputs, steps, states, events, threads, objects that die in any order, and what a call costs."""
import gc
import os
import pathlib
import signal
import threading
import time
import unittest

import numpy as np

import flyball

SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])
RAIL = SOURCE / "test/verify/inputs/rail.yaml"


class Simulations(unittest.TestCase):
    def test_steps(self):
        sim = flyball.load(RAIL).simulation()
        x = v = 0.0
        for k in range(20):
            u = 5.0 * np.sin(k)
            sim.set(u=u)
            self.assertFalse(sim.step(0.1))
            x, v = x + 0.1 * v + 0.0025 * u, v + 0.05 * u
            np.testing.assert_allclose(sim.outputs()[:2], [x, v], atol=1e-12)
        self.assertAlmostEqual(sim.t, 2.0)
        self.assertEqual(sim.inputs, {"u": u})
        self.assertAlmostEqual(sim["x"], x, places=12)
        sim.reset()
        self.assertEqual((sim.t, sim["x"], sim.inputs["u"]), (0.0, 0.0, 1.0))

    def test_states(self):
        m = flyball.load(RAIL)
        a, b = m.simulation(step=0.01), m.simulation(step=0.01, inputs={"u": -2})
        a.step(0.3)
        state = a.save()
        b.restore(state)
        a.step(0.3), b.step(0.3)
        np.testing.assert_array_equal(a.outputs(), b.outputs())
        motion = a.motion
        motion["q"] = motion["q"] + 1.0
        a.motion = motion
        self.assertAlmostEqual(a["x"], b["x"] + 1.0)
        with self.assertRaises(ValueError):
            a.motion = {"q": [1.0, 2.0]}
        for bad in (state[:-1], state[:200] + b"x" + state[201:], b"", b"nonsense"):
            with self.assertRaises(flyball.StateError):
                a.restore(bad)
        with self.assertRaises(flyball.StateError) as caught:
            flyball.load(RAIL, m=3).simulation().restore(state)
        self.assertIn("another model", str(caught.exception))

    def test_events(self):
        sim = flyball.load(RAIL).simulation()
        event = sim.advance_to_event(9.0)
        self.assertEqual((event.name, event.direction), ("passed", 1))
        self.assertAlmostEqual(event.t, 2.0)
        self.assertIsNone(sim.advance_to_event(2.5))

    def test_linearize_here(self):
        sim = flyball.load(SOURCE / "docs/guide/models/pole.yaml").simulation()
        sim.step(0.2)
        lin = sim.linearize()
        self.assertEqual(lin.inputs, ["push", "gust"])
        self.assertEqual(lin.B.shape, (4, 2))

    def test_derivative(self):
        sim = flyball.load(RAIL).simulation()
        sim.step(0.3)
        by_input, by_mass = sim.derivative("u"), sim.derivative("m")
        self.assertIsNone(by_input.errors)
        self.assertEqual(by_mass.errors.accelerations.shape, by_mass.accelerations.shape)
        np.testing.assert_allclose(by_mass.accelerations, [-0.25], atol=1e-10)  # u/m, of 1 N and 2 kg
        self.assertLess(by_mass.errors.accelerations[0], 1e-9)
        self.assertGreater(by_mass.errors.accelerations[0], 0)

    def test_objects_die_in_any_order(self):
        for order in range(24):
            m = flyball.load(RAIL)
            objects = [m.simulation(), m.run(0.1), m.linearize("initial"), m]
            del m
            for k in range(4):
                objects.pop(order % (4 - k))
                order //= 4 - k
                gc.collect()

    def test_threads(self):
        sim = flyball.load(SOURCE / "models/chain.yaml").simulation()
        caught, done = [], threading.Event()

        def work():
            sim.step(5.0)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            try:
                sim.outputs()
            except flyball.Error as error:
                caught.append(str(error))
                break
        ticks = 0
        while not done.is_set():  # the lock of the interpreter is free meanwhile
            ticks += 1
            time.sleep(0.001)
        thread.join()
        self.assertTrue(any("another thread" in text for text in caught))
        self.assertGreater(ticks, 0)

    def test_interrupt(self):
        m = flyball.load(SOURCE / "models/chain.yaml")
        threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.time()
        with self.assertRaises(KeyboardInterrupt):
            m.run(1e5)
        self.assertLess(time.time() - begin, 60)

    def test_progress(self):
        m = flyball.load(SOURCE / "models/chain.yaml")

        def fail(t, end):
            raise ZeroDivisionError("of the caller")

        with self.assertRaises(ZeroDivisionError):
            m.run(1e5, progress=fail)
        self.assertLess(m.run(1e5, progress=lambda t, end: False).t[-1], 1e5)


if __name__ == "__main__":
    unittest.main()
