"""The oracle against closed forms: it must be right before it judges the program."""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import unittest

import numpy as np

import forces
import generator
import laws
from joint_types import TYPES
from mechanism import GROUND, Body, Coordinate, Frame, Joint, Mechanism, Part, Point, Wave, about, frame_with_z, rotation
from oracle import Oracle, State


def body(name, p, mass=1.0, inertia=(0.1, 0.1, 0.1), R=np.eye(3)):
    return Body(name, np.array(p, dtype=float), R, mass, np.zeros(3), np.diag(inertia).astype(float))


def joint(name, kind, a, b, p, z=(0, 0, 1), x=(1, 0, 0), **more):
    R = frame_with_z(np.array(z, dtype=float), np.array(x, dtype=float))
    return Joint(name, kind, a, b, Frame(np.array(p, dtype=float), R), Frame(np.array(p, dtype=float), R), **more)


def solved(m):
    oracle = Oracle(m)
    return oracle.solve(oracle.drawn())


class ClosedForms(unittest.TestCase):
    def test_pendulum(self):
        """Angular acceleration -m g l sin(phi)/(I + m l^2), and the pin's force from Newton's law."""
        mass, inertia, l, phi, rate = 2.0, 0.3, 0.7, 0.6, 1.3
        d = np.array([np.sin(phi), -np.cos(phi), 0.0])
        m = Mechanism(bodies=[body("b", l * d, mass, (0.2, 0.25, inertia))],
                      joints=[joint("pin", "revolute", GROUND, "b", [0, 0, 0])], gravity=np.array([0, -9.81, 0]))
        w = np.array([0, 0, rate])
        m.twists = {"b": (np.cross(w, l * d), w)}
        got = solved(m)
        alpha = -mass * 9.81 * l * np.sin(phi) / (inertia + mass * l * l)
        a = alpha * np.cross([0, 0, 1], l * d) - rate ** 2 * l * d
        np.testing.assert_allclose(got.a[0], np.hstack((a, [0, 0, alpha])), atol=1e-12)
        np.testing.assert_allclose(got.wrench["pin"], np.hstack((mass * a - mass * m.gravity, [0, 0, 0])), atol=1e-11)
        self.assertEqual((got.freedoms, got.redundant), (1, 0))
        self.assertAlmostEqual(got.kinetic, 0.5 * (inertia + mass * l * l) * rate ** 2, places=12)

    def test_dry_friction_at_rest(self):
        """A pendulum that hangs aside holds still up to its friction, and falls by what weight has beyond it."""
        mass, inertia, l, phi = 2.0, 0.3, 0.7, 0.6
        d, weight = np.array([np.sin(phi), -np.cos(phi), 0.0]), mass * 9.81 * l * np.sin(phi)
        for dry in (0.4, 1.5):
            friction = Part("f", "torsion", {"joint": Coordinate("pin", 0), "stiffness": 0.0, "damping": 0.0, "rest": 0.0,
                                             "preload": 0.0, "cubic": 0.0, "kink": 0.0, "gap": 0.0, "side": 1.0,
                                             "dry": dry * weight})
            m = Mechanism(bodies=[body("b", l * d, mass, (0.2, 0.25, inertia))],
                          joints=[joint("pin", "revolute", GROUND, "b", [0, 0, 0])], forces=[friction],
                          gravity=np.array([0, -9.81, 0]))
            got = solved(m)
            self.assertTrue(got.is_stuck)
            self.assertEqual(got.is_undecided, dry < 1.0)  # the next instant it slips
            self.assertAlmostEqual(got.a[0][5], min(dry - 1.0, 0.0) * weight / (inertia + mass * l * l), places=11)

    def test_steady_precession_of_a_top(self):
        """A top with cos(theta) I1 W^2 - I3 w3 W + m g l = 0 precesses at the rate W without nutation."""
        i1, i3, mass, l, theta, W = 0.2, 0.05, 1.5, 0.4, 0.7, 1.1
        i_tip = i1 + mass * l * l
        w3 = (mass * 9.81 * l + i_tip * W ** 2 * np.cos(theta)) / (i3 * W)
        R = about([1, 0, 0], theta)
        axis = R[:, 2]
        w = np.array([0, 0, W]) + (w3 - W * np.cos(theta)) * axis
        m = Mechanism(bodies=[body("top", l * axis, mass, (i1, i1, i3), R)],
                      joints=[joint("tip", "spherical", GROUND, "top", [0, 0, 0])], gravity=np.array([0, 0, -9.81]))
        m.twists = {"top": (np.cross(w, l * axis), w)}
        expected = np.cross([0, 0, W], w)  # all turns with the precession
        np.testing.assert_allclose(solved(m).a[0, 3:], expected, atol=1e-10)

    def test_free_body_keeps_its_momentum(self):
        """Euler's equations of a free asymmetric body."""
        moments, w = np.array([0.2, 0.3, 0.4]), np.array([0.5, -1.0, 2.0])
        R = rotation([0.3, 0.5, -0.2])
        m = Mechanism(bodies=[body("b", [1, 2, 3], 1.0, moments, R)])
        m.twists = {"b": (np.zeros(3), R @ w)}
        expected = R @ (-np.cross(w, moments * w) / moments)
        np.testing.assert_allclose(solved(m).a[0, 3:], expected, atol=1e-13)

    def test_four_bar_by_virtual_work(self):
        """Acceleration of a linkage with one freedom from kinetic energy T(q, q') = m(q) q'^2/2, by differences."""
        m = generator.generate(3, "four_bar")
        m.forces, m.twists = [], {}
        oracle = Oracle(m)
        s = oracle.drawn()
        z = oracle.null_space(s)[:, 0]  # in the mass metric: generalized mass 1 here
        self.assertEqual(oracle.null_space(s).shape[1], 1)
        work = sum(b.mass * m.gravity @ z[6 * i:6 * i + 3] for i, b in enumerate(m.bodies))
        got = oracle.solve(s)
        np.testing.assert_allclose(got.a.ravel(), work * z, atol=1e-9 * max(1, abs(work)))
        self.assertEqual((got.freedoms, got.redundant), (1, 3))

    def test_energy_of_a_moving_linkage(self):
        """Integrated by the oracle itself, a linkage without losses keeps its energy."""
        m = generator.generate(5, "four_bar")
        m.forces = []
        oracle = Oracle(m)
        s = oracle.drawn()

        def energy(state):
            fall = sum(b.mass * m.gravity @ state.x[i] for i, b in enumerate(m.bodies))
            return oracle.solve(state).kinetic - fall
        end = oracle.integrate(s, 0.2, 20)
        self.assertLess(abs(energy(end) - energy(s)), 1e-6 * max(1, abs(energy(s))))

    def test_known_mobilities(self):
        """Freedoms and redundant rows of mechanisms that are known by name."""
        expected = {"four_bar": (1, 3), "spherical_four_bar": (1, 3), "bennett": (1, 3), "bricard": (1, 1),
                    "sarrus": (1, 1), "rssr": (2, 0), "rsup": (1, 0), "rccc": (1, 0)}
        for family, (freedoms, redundant) in expected.items():
            for seed in range(3):
                got = solved(generator.generate(seed, family))
                self.assertEqual((got.freedoms, got.redundant), (freedoms, redundant), family)

    def test_ambiguous_reactions_of_a_plane_linkage(self):
        """Of a four-bar in the x-y plane only Fz, Tx, Ty are not determined."""
        corners = [[0, 0, 0], [0.1, 0.4, 0], [1.1, 0.7, 0], [1, 0, 0]]
        names = [GROUND, "crank", "coupler", "rocker"]
        m = Mechanism(bodies=[body(n, p) for n, p in zip(names[1:], [[0.05, 0.2, 0], [0.6, 0.55, 0], [1.05, 0.35, 0]])],
                      joints=[joint(f"j{i}", "revolute", names[i], names[(i + 1) % 4], p)
                              for i, p in enumerate(corners)], gravity=np.array([0, -9.81, 0.0]))
        for directions in solved(m).ambiguous.values():
            np.testing.assert_allclose(directions[[0, 1, 5]], 0, atol=1e-12)  # Fx, Fy, Tz
            self.assertGreater(np.min(np.max(np.abs(directions[[2, 3, 4]]), axis=1)), 1e-3)

    def test_rolling_ball_on_a_slope(self):
        """A homogeneous ball accelerates with 5/7 g sin(slope)."""
        slope, mass, r = 0.4, 2.0, 0.3
        m = Mechanism(bodies=[body("ball", [0, 0, r], mass, np.full(3, 0.4 * mass * r * r))],
                      gravity=9.81 * np.array([np.sin(slope), 0, -np.cos(slope)]))
        m.constraints = [Part("rolls", "rolling", {
            "center": Point("ball", np.zeros(3)), "axis": np.array([0, 1, 0]), "radius": r, "shape": "sphere",
            "plane": Point(GROUND, np.zeros(3)), "normal": np.array([0, 0, 1])})]
        np.testing.assert_allclose(solved(m).a[0, :3], [5 / 7 * 9.81 * np.sin(slope), 0, 0], atol=1e-12)

    def test_oscillator(self):
        """Eigenvalues of a mass on a spring with damper, and of a torsion spring."""
        m = Mechanism(bodies=[body("b", [0, 0, 1], 2.0)], joints=[joint("guide", "prismatic", GROUND, "b", [0, 0, 1])])
        m.forces = [Part("k", "spring", {"a": Point(GROUND, np.zeros(3)), "b": Point("b", np.zeros(3)),
                                         "stiffness": 50.0, "damping": 3.0, "rest": 1.0} | forces.RELAXED)]
        oracle = Oracle(m)
        got = sorted(oracle.eigenvalues(oracle.drawn()), key=lambda e: e.imag)
        exact = -0.75 + 1j * np.sqrt(25 - 0.75 ** 2)
        np.testing.assert_allclose(got, [exact.conjugate(), exact], rtol=1e-12)

    def test_free_motion_that_no_spring_feels(self):
        oracle = Oracle(forces.unloaded(generator.generate(5053, "constrained_tree", is_plain=True)))
        np.testing.assert_array_equal(oracle.eigenvalues(oracle.drawn()), [0.0, 0.0])


class Laws(unittest.TestCase):
    """Rates and accelerations of every law against differences of its values, and what it does when it is scaled."""

    def drawn(self):
        for seed in range(80):
            more = generator.More(np.random.default_rng(seed))
            yield laws.draw(more, 1.0, is_motion=seed % 2 == 0), more.rng.uniform(0.0, 0.6)

    def test_derivatives(self):
        h = 1e-5
        for law, t in self.drawn():
            low, at, high = (np.array(law.at(t + k * h)) for k in (-1, 0, 1))
            if np.max(np.abs(high - low)) > 0.1:
                continue  # a jump, of the value or of a derivative
            np.testing.assert_allclose((high - low)[:2] / (2 * h), at[1:], atol=2e-2, err_msg=law.kind)

    def test_scaled(self):
        for law, t in self.drawn():
            value, rate, acceleration = law.scaled(-3.0, 7.0).shifted(2.0).at(7.0 * t)
            exact = law.at(t)
            np.testing.assert_allclose([value - 2.0, rate * 7, acceleration * 49], -3.0 * np.array(exact), atol=1e-9)

    def test_all_are_drawn(self):
        self.assertEqual({law.kind for law, _ in self.drawn()}, set(laws.POWERS))


class Derivatives(unittest.TestCase):
    """Jacobian and second derivative of every row and coordinate against differences along a screw motion."""

    def along(self, oracle, s, h):
        """The state after a time h of constant velocities and angular velocities."""
        R = np.array([rotation(w * h) @ r for w, r in zip(s.w, s.R)])
        return State(s.x + h * s.v, R, s.v, s.w, s.t)

    def differences(self, oracle, s, rows):
        h = 1e-4
        before, at, after = (rows(self.along(oracle, s, k * h)) for k in (-1, 0, 1))
        velocity = oracle.velocity(s)
        for lo, mid, hi in zip(before, at, after):
            if mid.is_velocity:
                rate = [r.jacobian @ velocity for r in (lo, hi)]
                self.assertAlmostEqual(mid.gamma, (rate[1] - rate[0]) / (2 * h), delta=1e-5)
                continue
            self.assertAlmostEqual(mid.jacobian @ velocity, (hi.value - lo.value) / (2 * h), delta=1e-6)
            self.assertAlmostEqual(mid.gamma, (hi.value - 2 * mid.value + lo.value) / h ** 2, delta=1e-5)

    def test_joints(self):
        for kind, what in TYPES.items():
            d = generator.Draw(np.random.default_rng(1), "test")
            first, second = d.body([0, 0, 0]), d.body([1, 0, 0])
            generator.any_joint(d, kind, first, second, [0.5, 0, 0])
            oracle = Oracle(d.m)
            s = oracle.drawn()
            s.v, s.w = d.rng.normal(size=(2, 2, 3)) * 0.3
            with self.subTest(kind):
                self.differences(oracle, s, lambda at: oracle.joint_rows(at, d.m.joints[0]))
                for k in range(len(what.kinds)):
                    self.differences(oracle, s, lambda at: [oracle.coordinate(at, Coordinate("j0", k))])

    def test_constraints(self):
        for kind in list(forces.CONSTRAINTS) + ["rolling"]:
            for seed in range(20):
                d = generator.Draw(np.random.default_rng([seed, 2]), "test")
                if kind == "rolling":
                    generator.wheel(d)
                    part = d.m.constraints[0]
                else:
                    generator.tree(d, n=3)
                    fields = forces.CONSTRAINTS[kind](d)
                    if fields is None:
                        continue
                    part = Part("c", kind, {k: Wave(v.at(0.0)[0]) if hasattr(v, "shifted") else v
                                            for k, v in fields.items()})
                oracle = Oracle(d.m)
                s = oracle.drawn()
                s.v, s.w = d.rng.normal(size=(2, len(d.m.bodies), 3)) * 0.2
                with self.subTest(kind):
                    self.differences(oracle, s, lambda at: oracle.constraint_rows(at, part))
                break
            else:
                self.fail(f"no {kind} was drawn")


if __name__ == "__main__":
    unittest.main()
