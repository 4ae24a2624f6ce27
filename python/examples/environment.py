"""The pole as an environment of reinforcement learning: reset, step, reward. A linear policy is improved by random search (augmented random search)."""
import os
import sys
from typing import Tuple

import numpy as np
import numpy.typing as npt

import flyball

Floats = npt.NDArray[np.float64]
MODEL = os.path.join(os.path.dirname(__file__), "../../docs/guide/models/pole.yaml")


class PoleEnvironment:
    """The interface that such programs expect: reset() -> observation, step(action) -> observation, reward, is_over."""

    def __init__(self, period: float = 0.02, steps: int = 150) -> None:
        self.sim = flyball.load(MODEL).simulation(rtol=1e-5)
        self.start = self.sim.save()
        self.period, self.steps = period, steps

    def reset(self) -> Floats:
        self.sim.restore(self.start)
        self.count = 0
        return self.sim.outputs()

    def step(self, action: float) -> Tuple[Floats, float, bool]:
        self.sim.set(push=float(np.clip(action, -20, 20)))
        self.sim.step(self.period)
        y = self.sim.outputs()
        self.count += 1
        has_fallen = abs(y[2]) > 0.7 or abs(y[0]) > 2.0
        return y, 0.0 if has_fallen else 1.0 - y[2] ** 2 - 0.1 * y[0] ** 2, has_fallen or self.count >= self.steps


def score(environment: PoleEnvironment, policy: Floats) -> float:
    y, total, is_over = environment.reset(), 0.0, False
    while not is_over:
        y, reward, is_over = environment.step(float(policy @ y))
        total += reward
    return total


def main() -> int:
    rng = np.random.default_rng(3)
    environment, policy = PoleEnvironment(), np.zeros(4)
    best = first = score(environment, policy)
    for _ in range(60):
        trial = policy + rng.standard_normal(4) * [2, 2, 20, 4]
        value = score(environment, trial)
        if value > best:
            best, policy = value, trial
    print(f"score {first:.1f} -> {best:.1f} of 150, policy {np.round(policy, 2)}")
    return 0 if best > 120 else 1


if __name__ == "__main__":
    sys.exit(main())
