"""What a call of step() costs beyond the call of the library: the best of many short batches, so that other programs disturb little."""
import os
import time

import flyball
from flyball._simulation import _step


def best_of(call, batches=2000, calls=200):
    best = 1.0
    for _ in range(batches):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - begin) / calls)
    return 1e6 * best


if __name__ == "__main__":
    sim = flyball.load(os.path.join(os.path.dirname(__file__), "../test/verify/inputs/rail.yaml")).simulation()
    handle, err = sim._handle, sim._err
    print(f"step() {best_of(lambda: sim.step(0.0)):.2f} us, of it the library and cffi {best_of(lambda: _step(handle, 0.0, err)):.2f} us")
