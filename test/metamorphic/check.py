"""All checks of one mechanism: against the oracle and against transformed copies."""
import re
import zlib
from dataclasses import dataclass

import numpy as np

import compare
import forces
import runner
import transforms
from generator import generate
from mechanism import Frame, coordinates_of, replace
from oracle import Oracle
from writer import model_text

EXACT_MOTION = 0.04  # share of the mechanisms whose motion the oracle integrates too: it takes a second each
ORACLE_STEPS = (40, 80, 160, 320, 640)
CONVERGED = 1e-6  # change of the oracle's motion by a halving of its steps from which on it is extrapolated
END = 1e-8  # what the end of a run at the default tolerance may be off by
DEAD_SAMPLES = 400  # up to the end of a run that stops
TIGHT = "1e-11"  # rtol of a run that is as good as exact next to one at the default of 1e-9
NEIGHBOURS = 3  # that differ in their last digits
STEP_NEIGHBOURS = 60  # ... whose numbers of steps are a sample of those that rounding makes
RTOL = 1e-9  # the default
FORK_SAMPLES = 500  # of a motion that is searched for them
FORK = 30.0  # paths part at this many times the root of the error
FORK_STEPS = 2.0  # that a fork may be away
FORK_NEAR = 0.98  # of the time up to a fork: it is looked for from there
SECOND_TURN = {"gimbal": 1, "node": 4}  # of three, by the types of joints that have them
LOCK = 0.1  # cosine of it shortly before the end


@dataclass
class Failure:
    seed: int
    family: str
    check: str  # "oracle", "motion", "eigenvalues" or a transformation
    detail: str  # by how much it was transformed
    differences: list
    model: str  # as it was run
    original: str = None  # what it should agree with


def rng_of(seed, name):
    """Random numbers of their own for each check, so that one can be repeated alone."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def check_oracle(m, base, answer=None):
    if base.failure:
        is_end = runs_into_dead_point(m, base.failure) or runs_into_lock(m, base.failure)
        return [] if is_end else [base.failure]
    return compare.against_oracle(m, base, answer or compare.drawn_answer(m))


def check_clothes(m, base, clothes, answer=None):
    result = runner.run(clothes.mechanism)
    if admits_a_fork(m, base, result, clothes.time):
        return []
    if result.failure:
        return [result.failure]
    answer = answer or compare.drawn_answer(m)
    differences = compare.against_original(clothes, base, answer, result)
    if any(compare.is_of_motion(d, base) for d in differences):
        differences = compare.against_original(clothes, base, answer, result, motion_error(m, base))
    only_steps = all(" steps instead of " in d for d in differences)
    if differences and only_steps and (has_rounded_steps(m) or meets_a_fork(m, compare.EPS, base, differences)):
        counts = [base.steps] + [r.steps for r in neighbours(m, STEP_NEIGHBOURS) if not r.failure]
        spread = max(counts) - min(counts)  # so few do not show all of it
        if abs(result.steps - base.steps) <= 0.1 * base.steps + 2 + 2 * spread:
            return []
    if differences and only_steps and m.integrator == "auto" and has_same_steps_by_each(m, clothes.mechanism):
        return []
    if differences and clothes.offset_error() and meets_a_fork(m, clothes.offset_error(), base, differences):
        return []
    return differences


def has_same_steps_by_each(m, other):
    """Where `auto` has tried both methods, and they cost about the same, rounding may decide for how long it tried one of
    them, whose steps are longer. Then each of them alone is asked. One that ends both runs in a gimbal lock has no number."""
    for method in ("dop853", "radau"):
        a, b = (runner.run(x, with_check=False, options=("--integrator", method)) for x in (m, other))
        are_locked = all("from gimbal lock" in (x.failure or "") for x in (a, b))
        if not are_locked and (a.failure or b.failure or compare.steps(a, b)):
            return False
    return True


def has_rounded_steps(m):
    """Whether rounding of the forces of heavy bodies leaves less of the accelerations of light ones than the tolerance asks
    for: what the steps are chosen by is rounding then, and their number one of many, which mechanisms that differ in the
    last digits show."""
    return compare.of_moments(m) > RTOL


def neighbours(m, count):
    return [runner.run(last_digits(m, k), with_check=False) for k in range(count)]


def motion_error(m, base):
    """What the end of a run may be off by, relative to the scales of its motion, beyond the error of its steps: what one at
    a tighter tolerance differs by, or mechanisms that differ from this one in the last digits of their numbers. Whirling
    light links multiply both until the end, and copies are rounded in their own way."""
    tight = runner.run(m, with_check=False, options=("--rtol", TIGHT))
    others = [tight] + neighbours(m, NEIGHBOURS)
    return max([compare.end_error(m, base, r) for r in others if not r.failure], default=0.0)


def last_digits(m, k):
    """A copy whose masses, joints and gravity are a unit or two of rounding away."""
    rng, out = rng_of(k, "last digits"), m.copy()
    near = lambda x: x * (1.0 + compare.EPS * rng.integers(-2, 3, np.shape(x)))
    for b in out.bodies:
        b.mass, b.c = float(near(b.mass)), near(b.c)
    for j in out.joints:
        shift = compare.EPS * rng.integers(-2, 3, 3)
        j.A, j.B = Frame(j.A.p + shift, j.A.R), Frame(j.B.p + shift, j.B.R)
    out.gravity, out.duration = near(out.gravity), float(near(out.duration))
    return out


def admits_a_fork(m, base, result, time):
    """Whether a run says that its steps shrank to nothing where other motions branch off, so that it may be on one of them
    (a law's corner a microsecond beside a fork, where a step has to end), and the oracle finds a fork there: the least
    singular value of the constraints falls in proportion to the time that is left."""
    shrunk = r"at t = ([-+.0-9e]+) s (?:the step|steps) had to shrink"
    said = [(x, 1.0) for x in base.warnings] + [(x, time) for x in result.warnings + [result.failure or ""]]
    times = [float(found[1]) / scale for x, scale in said for found in [re.search(shrunk, x)] if found]
    for end in times[:1]:
        before = replace(m, duration=FORK_NEAR * end)
        fine = runner.run(before, model_text(before, samples=DEAD_SAMPLES), with_check=False)
        oracle, k = Oracle(before), -DEAD_SAMPLES // 100
        if fine.failure or len(fine.t) < -k:  # or a time too short for samples: at the start
            return False
        far, near = (oracle.solve(compare.state_at(before, fine, i)).least for i in (k, -1))
        zero = fine.t[-1] + near * (fine.t[-1] - fine.t[k]) / max(far - near, np.finfo(float).tiny)
        return near < far and abs(zero - end) < (1.0 - FORK_NEAR) * end
    return False


def meets_a_fork(m, error, base, differences):
    """Whether the motion passes a position where other motions branch off, so near that a drawing with this relative
    error is another mechanism there: one whose paths do not cross but turn into each other. Steps feel that from farther
    away: what rounding makes of the motion has no power series beyond the fork."""
    fine = runner.run(m, model_text(m, samples=FORK_SAMPLES), with_check=False)
    if fine.failure:
        return False
    least = np.array([Oracle(m).solve(compare.state_at(m, fine, k)).least for k in range(len(fine.t))])
    change = np.abs(np.diff(least))
    if np.min(least) - np.max(change) / 2 < FORK * np.sqrt(error):
        return True
    time_left = np.min(least[:-1] * np.diff(fine.t) / np.maximum(change, np.finfo(float).tiny))
    only_steps = all(" steps instead of " in d for d in differences)
    return only_steps and time_left < FORK_STEPS * m.duration / base.steps


def runs_into_dead_point(m, failure):
    """Whether a run ends where a law asks for more than the mechanism can reach: constraints become dependent there, their
    least singular value falling as the root of the time that is left."""
    found = re.search(r"at t = ([-+.0-9e]+) s the step had to shrink", failure)
    if not found or not any("value" in c.fields for c in m.constraints):
        return False
    end = float(found[1])
    before = replace(m, duration=0.999 * end)
    fine = runner.run(before, model_text(before, samples=DEAD_SAMPLES), with_check=False)
    if fine.failure:
        return False
    oracle = Oracle(before)
    left = []
    for k in (-DEAD_SAMPLES // 10, -1):
        s = compare.state_at(before, fine, k)
        oracle.count_turns(s, {n: c[k] for n, c in fine.coordinates.items() if c.size})
        left.append(oracle.solve(s).least ** 2)
    zero = fine.t[-1] + left[1] * (fine.t[-1] - fine.t[-DEAD_SAMPLES // 10]) / (left[0] - left[1])
    return left[1] < left[0] and abs(zero - end) < 0.03 * end


def runs_into_lock(m, failure):
    """Whether a run ends in gimbal lock of the joint that the message names, where a force or a constraint acts by its
    angles: the second turn is at a right angle there."""
    found = re.search(r"at t = ([-+.0-9e]+) s .*joint '(\w+)' is .* from gimbal lock", failure)
    if not found or not any(c.joint == found[2] for part in m.forces + m.constraints for c in coordinates_of(part)):
        return False
    before = replace(m, duration=0.999 * float(found[1]))
    fine = runner.run(before, model_text(before, samples=DEAD_SAMPLES), with_check=False)
    j = m.joint(found[2])
    if fine.failure or j.type not in SECOND_TURN:
        return False
    turn = fine.coordinates[j.name][:, SECOND_TURN[j.type]] - (j.offset[SECOND_TURN[j.type]] if j.offset else 0.0)
    return abs(np.cos(turn[-1])) < LOCK


def check_motion(m, base):
    """The end of the run against the oracle's own integration. Across kinks of laws and forces its error falls as it likes,
    by chance also as if there were none; so where the two differ, it takes shorter steps, twice."""
    runs = []
    for n in ORACLE_STEPS:
        try:
            runs.append(Oracle(m).integrate(Oracle(m).drawn(), m.duration, n))
        except np.linalg.LinAlgError:
            return []  # too fast for the oracle's steps: light links fly away
        differences = compare_motion(m, base, runs[-3:]) if len(runs) > 2 else None
        if differences == []:
            return []
    return differences


def compare_motion(m, base, runs):
    """The error of the oracle falls by 16 where its steps are halved, and is extrapolated there; otherwise it is taken to be
    as large as its last changes."""
    before, change = (max(np.max(np.abs(a.x - b.x)), np.max(np.abs(a.R - b.R))) for a, b in zip(runs, runs[1:]))
    if not change < CONVERGED:
        return []  # too fast for the oracle's steps, or through a singular position
    fine, is_smooth = runs[-1], before / 32 < change < before / 8
    x = fine.x + (fine.x - runs[-2].x) / 15 if is_smooth else fine.x
    error = (0.1 * change if is_smooth else max(before, change)) + END
    out = []
    for i, b in enumerate(m.bodies):
        difference = np.max(np.abs(base.bodies[b.name]["p"][-1] - x[i]))
        if not difference < error:
            out.append(f"t = {fine.t:g}: position of {b.name} differs by {difference:.1e} (allowed {error:.1e})")
    return out


def check_eigenvalues(m, seed, clothes_name):
    """Of small motions about the unloaded drawing, in some clothes, against the oracle."""
    quiet = forces.unloaded(m)
    oracle = Oracle(quiet)
    exact = oracle.eigenvalues(oracle.drawn())
    c = transforms.TRANSFORMS[clothes_name](quiet, rng_of(seed, clothes_name)) or transforms.clothed(quiet, quiet)
    got, failure = runner.eigenvalues(c.mechanism)
    if failure:
        return [failure], c
    light = compare.of_masses(quiet)
    differences = compare.spectra(exact, got * c.time, c.offset_error(), light)
    if differences and c.offset_error() > 0.0:
        # The rounding of a far drawing loads a mechanism, and that makes zeros small numbers: those of the same drawing nearby.
        near, failure = runner.eigenvalues(transforms.change(c.mechanism, shift=-c.shift).mechanism)
        if not failure and np.allclose(np.sort(np.abs(near)), np.sort(np.abs(got)), rtol=1e-5, atol=0.0):
            differences = compare.spectra(exact, got * c.time, c.offset_error(), light, near * c.time)
    return differences, c


def describe(c):
    shift = float(np.max(np.abs(c.shift)))
    return f"length {c.length:.3g}, mass {c.mass:.3g}, time {c.time:.3g}, moved {shift:.3g}"


def check_seed(seed, family=None, names=None, count=None, excluded=()):
    """All failures of the mechanism of a seed in `count` of the named transformations (all where not given)."""
    m = generate(seed, family)
    return check_mechanism(m, seed, names, count, excluded)


def check_mechanism(m, seed, names=None, count=None, excluded=()):
    names = list(names or transforms.TRANSFORMS)
    rng = rng_of(seed, "choice")
    chosen = names if count is None else [str(n) for n in rng.permutation(names)[:count]]
    base = runner.run(m)
    failures = []

    def note(check, differences, mechanism, detail=""):
        if "steps" in excluded:
            differences = [d for d in differences if " steps instead of " not in d]
        if differences and (m.family, check) not in excluded and check not in excluded:
            failures.append(Failure(seed, m.family, check, detail, differences, model_text(mechanism), model_text(m)))

    answer = compare.drawn_answer(m)
    note("oracle", check_oracle(m, base, answer), m)
    if base.failure:
        return failures
    for name in chosen:
        c = transforms.TRANSFORMS[name](m, rng_of(seed, name))
        if c is not None:
            note(name, check_clothes(m, base, c, answer), c.mechanism, describe(c))
    if rng.random() < 0.3:
        differences, c = check_eigenvalues(m, seed, str(rng.choice(["turned", "moved", "scaled_all", "reordered"])))
        note("eigenvalues", differences, c.mechanism, describe(c))
    if rng.random() < EXACT_MOTION and len(m.bodies) < 5:
        note("motion", check_motion(m, base), m)
    return failures
