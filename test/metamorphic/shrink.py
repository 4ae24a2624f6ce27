"""A smaller mechanism that fails in the same check: parts are left out one by one while it still does."""
import check
import forces
import runner
import transforms
from generator import generate, usable
from mechanism import bodies_of, coordinates_of


def still_fails(m, failure):
    """The differences of a mechanism in the check of a failure, and the model that was run."""
    if failure.check == "oracle":
        return check.check_oracle(m, runner.run(m)), m
    base = runner.run(m)
    if base.failure:
        return [], m
    if failure.check == "motion":
        return check.check_motion(m, base), m
    if failure.check not in transforms.TRANSFORMS:
        return [], m
    c = transforms.TRANSFORMS[failure.check](m, check.rng_of(failure.seed, failure.check))
    return (check.check_clothes(m, base, c), c.mechanism) if c else ([], m)


def smaller(m):
    """All mechanisms with one thing less."""
    for kind in ("forces", "constraints"):
        for i in range(len(getattr(m, kind))):
            out = m.copy()
            del getattr(out, kind)[i]
            yield out
    for b in m.bodies:
        out = without_body(m, b.name)
        if out:
            yield out
    for i, j in enumerate(m.joints):
        if any(c.joint == j.name for part in m.forces + m.constraints for c in coordinates_of(part)):
            continue
        out = m.copy()
        del out.joints[i]
        yield out
    for j, joint in enumerate(m.joints):
        if joint.offset or joint.rates:
            out = m.copy()
            out.joints[j].offset = None
            out.joints[j].rates = None
            yield out
    if m.gravity.any():
        out = m.copy()
        out.gravity = m.gravity * 0
        yield out


def without_body(m, name):
    """Without a body, its joints and what acts on it; None where nothing would be left."""
    if len(m.bodies) == 1:
        return None
    out = m.copy()
    out.bodies = [b for b in out.bodies if b.name != name]
    out.forces = [f for f in out.forces if name not in bodies_of(f, m)]
    out.constraints = [c for c in out.constraints if name not in bodies_of(c, m)]
    out.joints = [j for j in out.joints if name not in (j.a, j.b)]
    out.twists.pop(name, None)
    return out


def smallest(failure, attempts=60):
    """The last of a chain of smaller and smaller mechanisms that fail; None where none does."""
    m, found = generate(failure.seed, failure.family), None
    improved = True
    while improved and attempts > 0:
        improved = False
        for candidate in smaller(m):
            attempts -= 1
            if attempts <= 0:
                break
            try:
                if not usable(candidate):
                    continue
                forces.slow_down(candidate)
                differences, run = still_fails(candidate, failure)
            except (StopIteration, AssertionError, ValueError, KeyError):
                continue
            if differences:
                m, improved = candidate, True
                found = check.Failure(failure.seed, failure.family, failure.check, failure.detail, differences,
                                      check.model_text(run), check.model_text(m))
                break
    return found
