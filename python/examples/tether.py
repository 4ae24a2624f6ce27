"""A tether and its winch as Python functions: a force law with derivatives, and a controller that is sampled 20 times a second."""
import math
import os
import sys
from typing import List

import flyball

GUIDE = os.path.join(os.environ.get("FLYBALL_SOURCE", "."), "docs/guide/models")
STIFFNESS, DAMPING, SLACK = 400.0, 5.0, 1e-3  # N/m, N s/m, m


def pull(t: float, length: float, rate: float, reeled: float) -> float:
    """Pulls only when it is taut, with a smooth transition."""
    x = (length - reeled) / SLACK
    root = math.hypot(x, 1.0)
    return 0.5 * STIFFNESS * SLACK * (x + root) + 0.5 * DAMPING * (1.0 + x / root) * rate


def pull_slopes(t: float, length: float, rate: float, reeled: float) -> List[float]:
    x = (length - reeled) / SLACK
    root = math.hypot(x, 1.0)
    share = 0.5 * (1.0 + x / root)
    by_length = STIFFNESS * share + 0.5 * DAMPING * rate / (SLACK * root**3)
    return [by_length, DAMPING * share, -by_length]


def winch(t: float, length: float, reeled: float) -> float:
    """Its own last result is an argument: what it remembers is part of the saved state of a simulation."""
    if length > 2.0:
        raise RuntimeError(f"the tether is {length:.3g} m long: is it torn?")
    return max(0.6, reeled - 0.01)


def main() -> int:
    m = flyball.load(os.path.join(GUIDE, "tether.yaml"), callbacks={"pull": flyball.Callback(pull, pull_slopes), "winch": winch})
    r = m.run()
    for t, length, reeled in zip(r.t, r["length"], r["reeled"]):
        print(f"{t:.1f} s  length {length:.4f} m  reeled to {reeled:.2f} m")
    return 0 if abs(r["length"][-1] - 0.6 - 0.5 * 9.81 / STIFFNESS) < 5e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
