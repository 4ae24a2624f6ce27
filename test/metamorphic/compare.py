"""What two answers about the same mechanism may differ by, and where they differ by more."""
import numpy as np

from mechanism import Coordinate, has_loops, matrix_of
from oracle import Oracle, state_of

EPS = np.finfo(float).eps
ROUNDING = 3e-9  # of accelerations and forces, which follow from the state without integration, relative to their scale
START = 1e-11  # of the state that a run starts from
MOTION = 2e-6  # of what an integration at the default tolerance returns, relative to its scale


EXTENDED = float(np.finfo(np.longdouble).eps)  # of the elimination of trees with light links, theory (2.34)


def of_masses(mechanism):
    """What rounding leaves of the inertia of the lightest body in sums with that of the heaviest, which coordinates of
    joints carry together."""
    masses = [b.mass for b in mechanism.bodies]
    return EPS * max(masses) / min(masses)


def of_moments(mechanism, eps=EPS):
    """The same of turns about the axis of the least moment of inertia, by (2.34): eps of the moments of the heaviest
    body's forces about the farthest joint."""
    centres = np.array([b.centre() for b in mechanism.bodies])
    arms = [np.max(np.linalg.norm(centres - j.A.p, axis=1)) for j in mechanism.joints]
    moment = min(np.linalg.eigvalsh(b.inertia)[0] for b in mechanism.bodies)
    return eps * max(b.mass for b in mechanism.bodies) * max(arms + [1.0]) ** 2 / moment


def of_accelerations(mechanism):
    """Of those that the program calculates: trees by elimination in extended precision, loops with rows in doubles."""
    return of_masses(mechanism) if has_loops(mechanism) else of_moments(mechanism, EXTENDED)


class Scales:
    """Sizes of the quantities of a mechanism that errors are relative to."""

    def __init__(self, result, mechanism):
        b = result.bodies.values()
        largest = lambda *keys: max([float(np.max(np.abs(x[k]))) for x in b for k in keys] or [0.0])
        self.length = 1.0
        self.velocity = max(largest("v", "w"), 1e-3)
        self.acceleration = max(largest("a", "z"), 1e-3)
        loads = [float(np.max(np.abs(x))) for x in result.joints.values()]
        moved = [m.mass * float(np.max(np.abs(result.bodies[m.name]["a"]))) for m in mechanism.bodies]
        self.load = max(loads + moved + [1e-3])


def drawn_answer(mechanism):
    oracle = Oracle(mechanism)
    return oracle.solve(oracle.drawn())


def against_oracle(mechanism, result, drawn, samples=range(5)):
    """Differences between the program and the oracle, as texts; `drawn` is its answer for the drawing."""
    oracle = Oracle(mechanism)
    out = []
    if result.freedoms is not None:
        if result.freedoms != drawn.freedoms:
            out.append(f"degrees of freedom {result.freedoms}, oracle {drawn.freedoms}")
        if result.redundant != drawn.redundant:
            out.append(f"redundant rows {result.redundant}, oracle {drawn.redundant}")
        out += redundant_rows(oracle, result)
        out += uniqueness(mechanism, drawn.ambiguous, result)
    scales = Scales(result, mechanism)
    start = oracle.drawn()
    for i, b in enumerate(mechanism.bodies):
        got = result.bodies[b.name]
        for what, mine, theirs, size in (("position", start.x[i], got["p"][0], 1.0),
                                         ("velocity", start.v[i], got["v"][0], scales.velocity),
                                         ("angular velocity", start.w[i], got["w"][0], scales.velocity)):
            error = np.max(np.abs(mine - theirs)) / size
            if not error < START + of_moments(mechanism) / drawn.least:
                out.append(f"{what} of {b.name} at the start differs by {error:.1e} of {size:.3g}")
    for k in samples:
        out += at_sample(mechanism, oracle, result, k, scales)
    return out


def redundant_rows(oracle, result):
    """Whether the rows that the program calls redundant are: the others have the same rank."""
    names = set(oracle.row_names())
    dropped = [(part.split(".")[-1], row) for part, row in result.dropped]
    if any(row not in names for row in dropped):
        return []  # a constraint with directions of its own
    return [] if not dropped or oracle.is_choice(dropped) else [f"redundant rows {dropped} do not follow from the others"]


def uniqueness(mechanism, ambiguous, result, Q=np.eye(3), skip=()):
    """Components of reactions that are called one choice of many, against the oracle's null space, turned by Q."""
    out = []
    for i, j in enumerate(mechanism.joints):
        if j.name in skip or j.name not in ambiguous:
            continue
        for what, part in (("F", ambiguous[j.name][:3]), ("T", ambiguous[j.name][3:])):
            # Null vectors of length one change some wrench by a size of the order of one.
            share = np.linalg.norm(Q @ part, axis=1) if part.size else np.zeros(3)
            for k, x in zip("xyz", share):
                is_open = f"{what}{i}.{k}" in result.not_unique
                if is_open and x < 1e-10 or not is_open and x > 1e-4:
                    out.append(f"reaction {what}.{k} of {j.name} ({j.type}) is {'not ' if is_open else ''}called unique, "
                               f"but changes by {x:.1e} along the null space")
    return out


def state_at(mechanism, result, k):
    """The state that the program recorded."""
    sample = {n: {key: x[k] for key, x in b.items()} for n, b in result.bodies.items()}
    return state_of(mechanism, sample | {"t": result.t[k]})


def at_sample(mechanism, oracle, result, k, scales):
    """Accelerations and determined reactions in the state that the program recorded."""
    s = state_at(mechanism, result, k)
    oracle.count_turns(s, {n: c[k] for n, c in result.coordinates.items() if c.size})
    answer = oracle.solve(s)
    out = []
    # Near a singular position; or where dry friction is about to stick or slip, in the first sample in any case.
    if answer.least < 1e-3 or answer.is_undecided or (answer.is_stuck and k == 0):
        return out
    tolerance = (ROUNDING + of_masses(mechanism)) / answer.least  # the oracle calculates in doubles
    if not answer.position_error < 1e-8:
        out.append(f"t = {s.t:g}: constraints are violated by {answer.position_error:.1e}")
    of_turns = (ROUNDING + of_moments(mechanism)) / answer.least
    for i, b in enumerate(mechanism.bodies):
        got = np.hstack((result.bodies[b.name]["a"][k], result.bodies[b.name]["z"][k]))
        error = np.max(np.abs(got - answer.a[i])) / scales.acceleration
        if not (np.max(np.abs(got - answer.a[i])[:3]) / scales.acceleration < tolerance and error < max(tolerance, of_turns)):
            out.append(f"t = {s.t:g}: acceleration of {b.name} differs by {error:.1e} of {scales.acceleration:.3g}")
    for j in [] if answer.is_shared else mechanism.joints:
        difference = determined(result.joints[j.name][k] - answer.wrench[j.name], answer.ambiguous[j.name])
        error = np.max(np.abs(difference)) / scales.load
        if not error < 10 * tolerance:
            out.append(f"t = {s.t:g}: reaction of {j.name} ({j.type}) differs by {error:.1e} of {scales.load:.3g}")
    for j in mechanism.joints:
        for i, got in enumerate(result.coordinates[j.name][k] if result.coordinates[j.name].size else []):
            row = oracle.coordinate(s, Coordinate(j.name, i))
            # near a gimbal lock angles follow small turns of the body many times over
            error = abs(got - row.value) / max(1.0, np.max(np.abs(row.jacobian)))
            if not error < ROUNDING:
                out.append(f"t = {s.t:g}: coordinate {i} of {j.name} ({j.type}) differs by {error:.1e}")
    error = abs(result.kinetic[k] - answer.kinetic) / max(np.max(result.kinetic), 1e-6)
    if not error < ROUNDING:
        out.append(f"t = {s.t:g}: kinetic energy differs by {error:.1e}")
    return out


def determined(wrench, ambiguous):
    """The part of a wrench that does not change along the ambiguous directions."""
    if ambiguous.size == 0:
        return wrench
    U, sigma, _ = np.linalg.svd(ambiguous)
    rank = int(np.sum(sigma > 1e-7 * max(sigma[0], 1e-7))) if len(sigma) else 0
    keep = U[:, rank:]
    return keep @ (keep.T @ wrench)


def is_of_motion(difference, base):
    return difference.startswith(f"t = {base.t[-1]:g}: ")


def end_error(mechanism, base, tight):
    """The largest difference at the end of two runs of a mechanism, relative to the scales of its motion."""
    scales = Scales(base, mechanism)
    sizes = {"p": 1.0, "v": scales.velocity, "w": scales.velocity, "a": scales.acceleration, "z": scales.acceleration}
    return max(np.max(np.abs(b[key][-1] - tight.bodies[name][key][-1])) / size
               for name, b in base.bodies.items() for key, size in sizes.items())


def against_original(clothes, base, answers, result, own_error=0.0):
    """Differences between two results of the program about the same mechanism; `result` is in its own clothes,
    `answers` are the oracle's for the original, `own_error` is that of the motion at its end."""
    out = []
    if result.freedoms != base.freedoms:
        out.append(f"degrees of freedom {result.freedoms} instead of {base.freedoms}")
    if result.redundant != base.redundant + clothes.adds_rows:
        out.append(f"redundant rows {result.redundant} instead of {base.redundant + clothes.adds_rows}")
    if clothes.same_rows:
        dropped = [clothes.row_back(row) for row in result.dropped]
        if dropped != base.dropped:
            out.append(f"redundant are {dropped} instead of {base.dropped}")
    else:
        out += redundant_rows(Oracle(clothes.mechanism), result)
    # Further joints are added in the original axes and units.
    ambiguous = drawn_answer(clothes.mechanism).ambiguous if clothes.adds_rows else answers.ambiguous
    got = clothes.back(result)
    scales = Scales(base, clothes.original)
    amplify = 1.0 / answers.least
    offset = 100 * clothes.offset_error()
    light = of_accelerations(clothes.original)
    exact = (ROUNDING + offset + light) * amplify
    start = START + (of_moments(clothes.original) + offset) * amplify
    at_start = exact + start  # accelerations follow the velocities
    along = MOTION + at_start * 30 + 3 * own_error
    # Where dry friction is about to stick or slip, its force is not yet known in the first sample.
    out += states(base, got, 0, start, at_start, scales, None if answers.is_stuck else ambiguous)
    out += states(base, got, -1, along, along, scales, None)
    if clothes.adds_rows and not base.redundant:
        return out  # a loop more: another method and tolerance of the loops
    return out + (steps(base, result) if clothes.same_steps else [])


def steps(base, result):
    """Numbers of steps, with any method that was chosen. A tenth, and two: the last step before each end of a run or of a
    piece of it is what is left there or half of that, and whether a step is refused is a matter of its last digit."""
    if abs(result.steps - base.steps) <= 0.1 * base.steps + 2:
        return []
    return [f"{result.steps} steps instead of {base.steps} ({result.integrator} instead of {base.integrator})"]


def states(base, got, k, of_state, tolerance, scales, ambiguous):
    """At a sample: `of_state` is allowed in places and velocities, `tolerance` in accelerations and reactions."""
    out = []
    t = base.t[k]
    for name, b in base.bodies.items():
        g = got.bodies[name]
        sizes = {"p": 1.0, "v": scales.velocity, "w": scales.velocity, "a": scales.acceleration,
                 "z": scales.acceleration}
        for key, size in sizes.items():
            error = np.max(np.abs(b[key][k] - g[key][k])) / size
            allowed = tolerance if key in "az" else of_state
            if not error < allowed:
                out.append(f"t = {t:g}: {WORDS[key]} of {name} differs by {error:.1e} (allowed {allowed:.1e})")
        error = np.max(np.abs(matrix_of(b["q"][k]) - matrix_of(g["q"][k])))
        if not error < of_state:
            out.append(f"t = {t:g}: orientation of {name} differs by {error:.1e} (allowed {of_state:.1e})")
    for name, load in base.joints.items():
        if ambiguous is None:
            continue
        error = np.max(np.abs(determined(load[k] - got.joints[name][k], ambiguous[name]))) / scales.load
        if not error < 10 * tolerance:
            out.append(f"t = {t:g}: reaction of {name} differs by {error:.1e} (allowed {10 * tolerance:.1e})")
    return out


WORDS = {"p": "position", "v": "velocity", "w": "angular velocity", "a": "acceleration", "z": "angular acceleration"}


def spectra(exact, got, offset_error, light=0.0, near=None):
    """Eigenvalues that are not zero, each against the nearest of the others; `near` are those of the same drawing, as it is
    rounded, where zeros need not be zero."""
    scale = np.max(np.abs(exact))
    if scale == 0.0:
        return []
    # Zero eigenvalues come in defective pairs, which rounding splits by its square root; that of light bodies, too.
    small = max(1e-4, 3.0 * np.sqrt(light)) * scale
    if near is not None:
        n_zeros = int(np.sum(np.abs(exact) <= small))
        small = max(small, 1.01 * np.sort(np.abs(near))[n_zeros - 1]) if n_zeros > 0 else small
    tolerance = (1e-7 + 1e3 * offset_error) * scale
    a, b = exact[np.abs(exact) > small], list(got[np.abs(got) > small])
    if len(a) != len(b):
        return [f"{len(b)} eigenvalues that are not zero instead of {len(a)}"]
    out = []
    for value in a[np.argsort(-np.abs(a))]:
        distance = np.abs(np.array(b) - value)
        k = int(np.argmin(distance))
        # near a double eigenvalue (an aperiodic limit) rounding counts by its square root
        crowd = np.sort(np.abs(a - value))[1] if len(a) > 1 else scale
        allowed = max(tolerance, min(tolerance * scale / max(crowd, 1e-300), 1e-4 * scale))
        if not distance[k] < allowed:
            out.append(f"eigenvalue {value:.10g} differs by {distance[k]:.1e} (allowed {allowed:.1e})")
        b.pop(k)
    return out
