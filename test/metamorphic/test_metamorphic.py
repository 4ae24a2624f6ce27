"""A few hundred random mechanisms against the oracle and against transformed copies."""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import multiprocessing
import subprocess
import unittest

import buckling
import check
import forces
import frames
import generator
import laws
import runner
import transforms
from joint_types import TYPES

# What is not asked yet, with the reason: a family, a check, (family, check), or "steps", the number of steps.
EXCLUDED = {}

JOBS = 2
MECHANISMS = int(os.environ.get("METAMORPHIC_COUNT", "10"))  # of each family
TRANSFORMS = 4  # of each mechanism, drawn by lot
SEED = 20_000


def work(task):
    names = [n for n in transforms.TRANSFORMS if n not in EXCLUDED]
    return check.check_seed(*task, names=names, count=TRANSFORMS, excluded=EXCLUDED)


def frame_work(seed):
    names = [n for n in frames.TRANSFORMS if n not in EXCLUDED]
    return frames.check_seed(seed, names, 3, EXCLUDED)


class Mechanisms(unittest.TestCase):
    def soak(self, families):
        tasks = [(SEED + n, family) for family in families for n in range(MECHANISMS) if family not in EXCLUDED]
        with multiprocessing.Pool(JOBS) as pool:
            failures = [f for found in pool.imap_unordered(work, tasks) for f in found]
        for f in failures[:10]:
            print(f"seed {f.seed} {f.family} {f.check} ({f.detail}): " + "; ".join(f.differences[:3]))
        self.assertEqual(len(failures), 0, "run soak.py with the family and the seed to see the models")

    def test_trees(self):
        self.soak(["tree", "chain_of_balls", "constrained_tree", "wheel", "uneven"])

    def test_planar_and_spherical_loops(self):
        self.soak(["four_bar", "five_bar", "six_bar", "slider_crank", "spherical_four_bar"])

    def test_spatial_loops(self):
        self.soak(["spatial_loop", "rssr", "rsup", "rccc"])

    def test_redundant(self):
        self.soak(["bennett", "bricard", "sarrus", "door", "parallelogram", "guides"])


    def test_kept_rows_that_become_dependent(self):
        """In this loop of six hinges the rows that are kept at the start lose rank on the way; all rows do not."""
        m = generator.generate(6032, "bricard", is_plain=True)
        for m.integrator in ("radau", "dop853"):
            self.assertEqual([f.differences for f in check.check_mechanism(m, 6032, count=0)], [])


    def test_drawn_far_away_and_nearly_singular(self):
        """A Bennett loop whose first two rows are nearly parallel, 72 km away: rounding, magnified by these, must not hold it."""
        m = generator.generate(9401753, "bennett")
        self.assertEqual(check.check_eigenvalues(m, 9401753, "moved")[0], [])

    def test_factors_are_used_again_at_every_scale_of_time(self):
        """Two halves of the way to a sample have one length, in some units of time up to rounding: radau took 32 steps there instead of 22."""
        m = generator.generate(9503989, "uneven")
        steps = {runner.run(transforms.change(m, time=k).mechanism, with_check=False).steps for k in (0.9, 1.0, 1.1)}
        self.assertLessEqual(max(steps) - min(steps), 2)

    def test_start_from_a_drawing_whose_loops_rounding_opens(self):
        """Closing them is no motion: taken for one, it made errors of a tree at rest count ten times as much, 1.8 km away."""
        found = check.check_seed(9903785, "constrained_tree", ["moved"], None, EXCLUDED)
        self.assertEqual([f.differences for f in found], [])

    def test_light_links_across_a_singular_position(self):
        """radau leaps across it whatever form of the equations light links have made it take before."""
        m = generator.generate(9403294, "uneven")
        for tolerance in ("1e-6", "1e-7", "1e-8", "1e-9"):
            self.assertIsNone(runner.run(m, with_check=False, options=("--rtol", tolerance)).failure, tolerance)

    def test_light_links_past_dead_points(self):
        """A heavy body that a light crank turns back six times, each within 1e-8 s: no step may shrink to nothing there."""
        m = generator.generate(9910339, "uneven")
        ends = []
        for tolerance in ("1e-6", "1e-8"):
            found = runner.run(m, with_check=False, options=("--rtol", tolerance, "--no-error-estimate"))
            self.assertIsNone(found.failure, tolerance)
            ends.append(found.coordinates["j0"][-1, 0])
        self.assertAlmostEqual(ends[0], ends[1], delta=1e-7)

    def test_light_tree_a_thousand_kilometres_long(self):
        """A sliding joint before hinges, links of a billionth of the mass: metres and radians are of very different size in
        Newton's matrix, which is not singular for that."""
        self.assertEqual(check.check_seed(9403318, "uneven", ["scaled_all"]), [])

    def test_light_links(self):
        """Loops in which links of a billionth of the mass hold heavy ones together: their forces and their stiffness."""
        m = generator.generate(950136, "uneven")
        self.assertEqual(check.check_oracle(m, runner.run(m)), [])
        m = generator.generate(950112, "uneven")
        self.assertEqual(check.check_eigenvalues(m, 950112, "turned")[0], [])


class Frames(unittest.TestCase):
    """Frames of beams with sliders."""

    def test_frames(self):
        with multiprocessing.Pool(JOBS) as pool:
            found = pool.imap_unordered(frame_work, range(SEED, SEED + 3 * MECHANISMS))
            failures = [f for some in found for f in some]
        for f in failures[:10]:
            print(f"seed {f.seed} {f.family} {f.check} ({f.detail}): " + "; ".join(f.differences[:3]))
        self.assertEqual(len(failures), 0)

    def test_small_times(self):
        """A beam whose carried motion is solved for in units in which stiffnesses are 1e16."""
        self.assertEqual([f.differences for f in frames.check_seed(901559, ["scaled"], excluded=EXCLUDED)], [])

    def test_forces_and_moments_of_carriages(self):
        """radau waited for moments of large frames, which forces outweigh in small ones: twice the evaluations."""
        self.assertEqual([f.differences for f in frames.check_seed(9600947, ["scaled_length"], excluded=EXCLUDED)], [])

    def test_turns_of_nodes(self):
        """Nodes that turn by large angles have axes that nobody chose: weighed each alone, a turned frame took up to twice the steps."""
        for seed in (9301025, 9301184, 9301327):
            self.assertEqual([f.differences for f in frames.check_seed(seed, ["turned"], excluded=EXCLUDED)], [])


    def test_guides_that_buckle(self):
        """Elements whose own weight changes the tension from end to end: the limit is that of the book in any mesh."""
        case = frames.replace(frames.generate(9903809), beam="euler")
        for divisions in (1, 2):
            finer = frames.replace(case, members=[frames.replace(m, elements=divisions * m.elements) for m in case.members])
            said = buckling.said_limit(frames.run(finer)[1])
            self.assertIsNotNone(said)
            self.assertLess(abs(said / buckling.find_limit(finer) - 1), 1e-4)
            self.assertLess(abs(said / 0.13958 - 1), 2e-3)  # of 8 times as many elements
        self.assertEqual(frames.check_seed(9903809, excluded=EXCLUDED), [])


class Coverage(unittest.TestCase):
    """A type that is added to the program has to be added here."""

    def listed(self, kind):
        schema = json.loads(subprocess.run([runner.FLYBALL, "schema"], capture_output=True, check=True).stdout)
        return set(schema["$defs"][kind]["properties"]["type"]["enum"])

    def test_types(self):
        self.assertEqual(self.listed("joint"), set(TYPES))
        self.assertEqual(self.listed("force"), set(forces.FORCES))
        self.assertEqual(self.listed("constraint"), set(forces.CONSTRAINTS) | {"rolling"})

    def test_laws(self):
        self.assertEqual(self.listed("law"), set(laws.POWERS) | {"constant"})

    def test_families_are_drawn(self):
        """Every type is in some mechanism of the test, so that none is left out by the way they are drawn."""
        seen = set()
        for family in ("tree", "constrained_tree", "wheel"):
            for n in range(MECHANISMS):
                m = generator.generate(SEED + n, family)
                seen |= {("joint", j.type) for j in m.joints} | {("force", f.type) for f in m.forces}
                seen |= {("constraint", c.type) for c in m.constraints}
        for kind in ("joint", "force", "constraint"):
            self.assertEqual(self.listed(kind) - {t for k, t in seen if k == kind}, set())


if __name__ == "__main__":
    unittest.main()
