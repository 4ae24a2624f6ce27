"""Multibody dynamics: models from files or dictionaries, simulated, balanced, linearized, and driven step by step.

>>> import flyball
>>> m = flyball.load("pole.yaml")
>>> r = m.run(2)
>>> r["x"], r["x"].unit
>>> sim = m.simulation()
>>> sim.set(push=2.0)
>>> sim.step(0.01)
"""
from ._build import Builder, SweepError, sweep
from ._callback import Callback, Retry
from ._library import Array, Error, Message, ModelError, RunError, StateError, lib, text_of
from ._linear import Linearization, Mode, Modes, Point
from ._model import Input, Model, build, load, loads
from ._result import Event, Result
from ._simulation import Derivative, Simulation

__version__ = text_of(lib.fb_version())
__all__ = ["Array", "Builder", "Callback", "Derivative", "Error", "Event", "Input", "Linearization", "Message", "Mode", "ModelError", "Modes", "Model",
           "Point", "Result", "Retry", "RunError", "Simulation", "StateError", "SweepError", "build", "load", "loads", "sweep"]
