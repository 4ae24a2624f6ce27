"""A pole on a cart is balanced by a linear-quadratic regulator: A and B from the model, the gain from scipy, the simulation nonlinear."""
import os
import sys

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_continuous_are

import flyball

MODEL = os.path.join(os.path.dirname(__file__), "../../docs/guide/models/pole.yaml")


def design(model: flyball.Model) -> npt.NDArray[np.float64]:
    """The gain u = -k y for the upright pole; y are the outputs x, v, lean and rate."""
    lin = model.linearize("initial")
    A, B = lin.A, lin.B[:, [lin.inputs.index("push")]]
    C = lin.C[[lin.outputs.index(name) for name in model.outputs]]
    P = solve_continuous_are(A, B, C.T @ np.diag([10, 1, 10, 1]) @ C, np.eye(1))
    gain: npt.NDArray[np.float64] = B.T @ P @ np.linalg.inv(C)
    return gain.ravel()


def main() -> int:
    with open(MODEL, encoding="utf-8") as file:
        upright = flyball.loads(file.read().replace("position: 5 deg", "position: 0"))
    k = design(upright)
    sim = flyball.load(MODEL).simulation()
    largest = 0.0
    for _ in range(500):
        y = sim.outputs()
        largest = max(largest, abs(y[2]))
        sim.set(push=float(np.clip(-k @ y, -20, 20)))
        sim.step(0.01)
    print(f"gain {np.round(k, 3)}, largest lean {largest:.4f} rad, after 5 s x = {sim['x']:.5f} m, lean = {sim['lean']:.6f} rad")
    return 0 if abs(sim["lean"]) < 1e-3 and abs(sim["x"]) < 1e-2 else 1


if __name__ == "__main__":
    sys.exit(main())
