"""All checks of one mechanism: against the oracle, and in other clothes against itself."""
import zlib
from dataclasses import dataclass

import numpy as np

import compare
import forces
import runner
import transforms
from generator import generate
from oracle import Oracle
from writer import model_text

EXACT_MOTION = 0.04  # share of the mechanisms whose motion the oracle integrates too: it takes a second each


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
    return [base.failure] if base.failure else compare.against_oracle(m, base, answer or compare.drawn_answer(m))


def check_clothes(m, base, clothes, answer=None):
    result = runner.run(clothes.mechanism)
    if result.failure:
        return [result.failure]
    return compare.against_original(clothes, base, answer or compare.drawn_answer(m), result)


def check_motion(m, base):
    """The end of the run against the oracle's own integration."""
    oracle = Oracle(m)
    start = oracle.drawn()
    coarse, fine = (oracle.integrate(start, m.duration, n) for n in (40, 80))
    out = []
    error = 2 * max(np.max(np.abs(coarse.x - fine.x)), np.max(np.abs(coarse.R - fine.R))) + 1e-7
    if error > 1e-3:
        return out  # too fast for the oracle's steps
    for i, b in enumerate(m.bodies):
        difference = np.max(np.abs(base.bodies[b.name]["p"][-1] - fine.x[i]))
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
    return compare.spectra(exact, got * c.time, c.offset_error()), c


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
    if rng.random() < EXACT_MOTION and len(m.bodies) < 5 and not answer.redundant:  # off the loop the rank is not sharp
        note("motion", check_motion(m, base), m)
    return failures
