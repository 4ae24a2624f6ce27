"""Objects that die in any order, at the end of the interpreter too, in forked processes, and while other threads are inside the library. Each case is a
process of its own, so that a crash is seen."""
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["FLYBALL_SOURCE"])
TETHER = SOURCE / "docs/guide/models/tether.yaml"

HEAD = f"""
import gc, itertools, os, sys, threading
import flyball
RAIL, CHAIN, TETHER = {str(SOURCE / "test/verify/inputs/rail.yaml")!r}, {str(SOURCE / "models/chain.yaml")!r}, {str(TETHER)!r}
def tethered():
    return flyball.load(TETHER, callbacks={{"pull": lambda t, l, r, w: 400*max(l - w, 0) + 5*r, "winch": lambda t, l, w: max(0.6, w - 0.01)}})
def everything(m):
    sim = m.simulation()
    sim.step(0.01)
    r = m.run(0.1)
    return [sim, r, r[m.outputs[0]], m.linearize("initial"), sim.derivative("period" if m.callbacks else "m", 1.0), m.with_(), m]
"""


class Lifetimes(unittest.TestCase):
    def run_script(self, text, code=0):
        done = subprocess.run([sys.executable, "-B", "-X", "dev", "-W", "error::ResourceWarning", "-c", HEAD + text], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_any_order(self):
        out = self.run_script("""
for load in (lambda: flyball.load(RAIL), tethered):
    for order in itertools.islice(itertools.permutations(range(7)), 0, None, 97):
        objects = everything(load())
        for k in order:
            objects[k] = None
            gc.collect()
print("done")
""")
        self.assertEqual(out, "done\n")

    def test_circles(self):
        """Destructors of a user's objects run before those of the library, also in a circle; what they put elsewhere goes on living."""
        self.assertEqual(self.run_script("""
class Late:
    def __del__(self):
        self.all[0].step(0.01)
        self.all[-1].with_().simulation().step(0.01)
        self.all[3].modes, self.all[1].stats
        if self.is_saved:
            sys.saved = self.all
for load in (lambda: flyball.load(RAIL), tethered):
    for order in itertools.islice(itertools.permutations(range(7)), 0, None, 331):
        made, late = everything(load()), Late()
        late.all = [made[k] for k in range(7)]
        circle = [made[k] for k in order]
        circle.insert(order[0], late)
        circle.append(circle)
        late.circle, late.is_saved = circle, order[0] == 3
        assert not any(gc.is_tracked(x._owner) for x in (made[0], made[1], made[3], made[-1]))
        del made, late, circle
        gc.collect()
        if hasattr(sys, "saved"):
            sys.saved[0].step(0.01)
            del sys.saved
            gc.collect()
"""), "")

    def test_functions_that_know_their_model(self):
        """A circle through a callback is garbage, too."""
        self.assertEqual(self.run_script("""
import weakref
def make():
    m = tethered()
    def pull(t, l, r, w, _box=[]):
        return 400*max(l - w, 0) + 5*r
    own = m.with_(callbacks={"pull": pull})
    pull.__defaults__[0].extend([m, own, own.simulation()])
    return weakref.ref(own)
dead = make()
gc.collect()
print(dead())
"""), "None\n")

    def test_end_of_the_interpreter(self):
        """Alive at the end: in a module, in a circle, in an exception, in an object with a destructor that uses them."""
        self.assertEqual(self.run_script("""
kept = everything(tethered()) + everything(flyball.load(RAIL))
class Late:
    def __del__(self):
        self.sim.step(0.01)
late = Late()
late.sim, late.itself = kept[0], late
sys.kept = kept
try:
    kept[0].step(-1)
except flyball.Error as error:
    sys.error = error
"""), "")

    def test_end_during_a_call(self):
        """A thread that is inside the library, and called by it, does not keep the process from ending."""
        self.run_script("""
begun = threading.Event()
def slow(t, l, r, w):
    begun.set()
    return 400*max(l - w, 0) + 5*r
m = flyball.load(TETHER, callbacks={"pull": slow, "winch": lambda t, l, w: w})
threading.Thread(target=lambda: m.run(1e6), daemon=True).start()
begun.wait()
""")

    def test_fork(self):
        """Parent and child go on with the same state, each on its own, and both end well; so does a child that only ends."""
        out = self.run_script("""
m = tethered()
sim = m.simulation(step=0.01)
sim.step(0.1)
state = sim.save()
pid = os.fork()
sim.step(0.2)
y = sim.outputs()
other = m.with_(period=0.02).simulation(step=0.01)
other.step(0.1)
sim.restore(state)
sim.step(0.2)
assert (sim.outputs() == y).all()
if pid:
    assert os.waitpid(pid, 0)[1] == 0
    last = os.fork()
    if last == 0:
        sys.exit(0)
    assert os.waitpid(last, 0)[1] == 0
    print(repr(y.tolist()))
else:
    print(repr(y.tolist()))
    sys.stdout.flush()
""")
        lines = out.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[0], lines[1])

    def test_pieces_of_a_model_that_failed(self):
        self.assertIn("ZeroDivisionError", self.run_script("""
def fail(t, *arguments):
    raise ZeroDivisionError("of the caller")
m = flyball.load(TETHER, callbacks={"pull": fail, "winch": lambda t, l, w: w})
for call in (m.run, m.equilibrium, m.modes, m.simulation, lambda: m.run(0.1, integrator="alpha", step=0.01)):
    try:
        call()
    except ZeroDivisionError as error:
        del error
        gc.collect()
    else:
        raise SystemExit(3)
m.run()
""", 1))


if __name__ == "__main__":
    unittest.main()
