"""What a call of step() costs beyond the call of the library from C, in one run: batches of three calls in turns, the best of each.

A call from C is the call by cffi less what cffi itself takes, which is that of a function that only returns a number.
"""
import os
import sys
import time

sys.path.pop(0)  # the sources beside this file are not the package that was built
import flyball  # noqa: E402
from flyball._simulation import _get_time, _step  # noqa: E402


def time_batch(call, calls=200):
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    return 1e6 * (time.perf_counter() - begin) / calls


if __name__ == "__main__":
    sim = flyball.load(os.path.join(os.path.dirname(__file__), "../test/verify/inputs/rail.yaml")).simulation()
    handle, err = sim._handle, sim._err
    calls = (lambda: sim.step(0.0), lambda: _step(handle, 0.0, err), lambda: _get_time(handle))
    whole, by_cffi, empty = (min(times) for times in zip(*([time_batch(call) for call in calls] for _ in range(1000))))
    beyond = whole - (by_cffi - empty)
    print(f"Python: step() {whole:.2f} us, of it beyond the call from C {beyond:.2f} us (asked: 2), cffi alone {empty:.2f} us")
