"""Mass, stiffness ratio and damping are identified from a noisy record of a vibration, with scipy.optimize."""
import sys

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

import flyball

PARTS = {
    "parameters": {"k": 50, "c": 0.3},
    "bodies": {"block": {"mass": 2}},
    "joints": {"rail": {"type": "prismatic", "between": ["ground", "block"], "axis": [1, 0, 0], "position": 0.1}},
    "forces": {"spring": {"type": "actuator", "joint": "rail", "value": "-k*rail.q - c*rail.v - 400*rail.q^3"}},
    "outputs": {"x": "rail.q"},
    "simulation": {"duration": 4, "sample": 0.02},
}


def record(k: float, c: float) -> npt.NDArray[np.float64]:
    return np.asarray(flyball.build(PARTS, k=k, c=c).run()["x"])


def main() -> int:
    rng = np.random.default_rng(1)
    measured = record(62.0, 0.45)
    measured = measured + 1e-4 * rng.standard_normal(measured.size)
    fit = least_squares(lambda p: (record(*p) - measured) / 1e-4, x0=[50.0, 0.3], x_scale=[10.0, 0.1])
    print(f"k = {fit.x[0]:.3f} N/m (62), c = {fit.x[1]:.4f} N s/m (0.45), {fit.nfev} evaluations")
    return 0 if abs(fit.x[0] - 62) < 0.1 and abs(fit.x[1] - 0.45) < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
