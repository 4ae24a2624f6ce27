"""Simulations that a program drives step by step."""
from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Union

import numpy as np

from ._library import Error, Floats, Interruption, ModelError, StateError, check, ffi, lib, make_error, new_error, own, text_of
from ._linear import Linearization, Point
from ._result import Event

if TYPE_CHECKING:
    from ._model import Model

_STOPPED = lib.FB_STOPPED
_step, _set_input = lib.fb_simulation_step, lib.fb_simulation_set_input
_calc_outputs, _get_time = lib.fb_simulation_calc_outputs, lib.fb_simulation_get_time


class Derivative(NamedTuple):
    """How accelerations (in the order of ``motion["v"]``), rates of states and outputs change with an input or a parameter. ``errors`` are the estimated
    errors, in the same form, of derivatives by parameters; None: exact."""

    accelerations: Floats
    state_rates: Floats
    outputs: Dict[str, float]
    errors: Optional["Derivative"] = None


class Simulation:
    """A state of a model and an integrator. One thread at a time may use it; other threads run during long steps."""

    def __init__(self, model: "Model", options: Any, inputs: Any, keep: List[Any], progress: Optional[Callable[[float, float], Any]]):
        self.model = model
        self._keep = keep  # what the library points to, or calls, lives as long as the simulation
        self._stop = Interruption(progress)
        options.progress, options.inputs = self._stop.callback, inputs
        out, self._err = ffi.new("FbSimulation**"), new_error()
        check(lib.fb_simulation_create(model._handle, options, out, self._err), self._err)
        self._handle, self._owner = out[0], own(out[0], lib.fb_simulation_destroy, model._owner)
        self._index: Dict[str, int] = {x.name: i for i, x in enumerate(model.inputs)}
        self._values = np.zeros(len(model.outputs))
        self._room = ffi.from_buffer("double[]", self._values)
        self._place = {name: i for i, name in enumerate(model.outputs)}
        self._lock = threading.Lock()

    def _enter(self) -> None:
        if not self._lock.acquire(False):
            raise Error("another thread is using this simulation; give each thread its own")

    def _finish(self, status: int) -> bool:
        self._stop.raise_pending()
        if status < 0:
            raise make_error(status, self._err)
        return bool(status == _STOPPED)

    @property
    def t(self) -> float:
        """The current time, s."""
        return float(_get_time(self._handle))

    def set(self, **inputs: float) -> None:
        """Sets inputs from now on. NaN and values beyond the limits raise :class:`ModelError`; inputs set earlier in the same call keep their new values."""
        self._enter()
        try:
            for name, value in inputs.items():
                index = self._index.get(name)
                if index is None:
                    raise ModelError(f"the model has no input '{name}'; it has {', '.join(self._index) or 'none'}")
                status = _set_input(self._handle, index, value, self._err)
                if status < 0:
                    raise make_error(status, self._err)
        finally:
            self._lock.release()

    @property
    def inputs(self) -> Dict[str, float]:
        """The current values of the inputs."""
        return {name: lib.fb_simulation_get_input(self._handle, i) for name, i in self._index.items()}

    def step(self, h: float) -> bool:
        """Integrates over h seconds; True: an event of the model, or the progress function, stopped it earlier."""
        self._enter()
        try:
            status = _step(self._handle, h, self._err)
        finally:
            self._lock.release()
        return False if status == 0 else self._finish(status)

    def advance(self, t: float) -> bool:
        """Integrates to exactly t, which must not be before the current time."""
        self._enter()
        try:
            status = lib.fb_simulation_advance(self._handle, t, self._err)
        finally:
            self._lock.release()
        return self._finish(status)

    def advance_to_event(self, t: float) -> Optional[Event]:
        """Integrates to the next event, but not beyond t; None: there was none."""
        record = ffi.new("FbEventRecord*")
        self._enter()
        try:
            status = lib.fb_simulation_advance_to_event(self._handle, t, record, self._err)
        finally:
            self._lock.release()
        self._finish(status)
        return Event(text_of(record.name) or "", record.t, record.direction) if record.name else None

    def reset(self) -> None:
        """Back to the start, with the inputs of the start."""
        self._enter()
        try:
            status = lib.fb_simulation_reset(self._handle, self._err)
        finally:
            self._lock.release()
        self._finish(status)

    def outputs(self) -> Floats:
        """All outputs now, in the order of ``model.outputs``; a new array."""
        self._enter()
        try:
            status = _calc_outputs(self._handle, self._room, self._err)
            if status < 0:
                raise make_error(status, self._err)
            return self._values.copy()
        finally:
            self._lock.release()

    def __getitem__(self, name: str) -> float:
        """One output now."""
        place = self._place.get(name)
        if place is None:
            raise KeyError(f"no output '{name}'; there are {', '.join(self._place)}")
        return float(self.outputs()[place])

    @property
    def motion(self) -> Dict[str, Floats]:
        """Coordinates q (quaternions of ball joints), velocities v and states x. May be assigned, with some of them left out."""
        sizes = [ffi.new("int*") for _ in range(3)]
        lib.fb_model_get_motion_sizes(self.model._handle, *sizes)
        q, v, x = (np.zeros(n[0]) for n in sizes)
        lib.fb_simulation_get_motion(self._handle, *(ffi.from_buffer("double[]", a) for a in (q, v, x)))
        return {"q": q, "v": v, "x": x}

    @motion.setter
    def motion(self, values: Mapping[str, Any]) -> None:
        now, arrays = self.motion, []
        for key in ("q", "v", "x"):
            array = None
            if values.get(key) is not None:
                array = np.ascontiguousarray(values[key], dtype=float)
                if array.shape != now[key].shape:
                    raise ValueError(f"{key} has shape {array.shape} instead of {now[key].shape}")
            arrays.append(ffi.NULL if array is None else ffi.from_buffer("double[]", array))
        self._enter()
        try:
            check(lib.fb_simulation_set_motion(self._handle, *arrays, self._err), self._err)
        finally:
            self._lock.release()

    def save(self) -> bytes:
        """The whole state, for :meth:`restore`."""
        data, size = ffi.new("void**"), ffi.new("size_t*")
        self._enter()
        try:
            check(lib.fb_simulation_save(self._handle, data, size, self._err), self._err)
        finally:
            self._lock.release()
        try:
            return bytes(ffi.buffer(data[0], size[0]))
        finally:
            lib.fb_free(data[0])

    def restore(self, state: bytes) -> None:
        """Continues from a saved state of a simulation of the same model. Raises :class:`StateError`, and stays as it is, for any other."""
        self._enter()
        try:
            status = lib.fb_simulation_restore(self._handle, ffi.from_buffer(state), len(state), self._err)
        finally:
            self._lock.release()
        check(status, self._err, StateError)

    def write_state(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Saves the state in a file."""
        self._enter()
        try:
            check(lib.fb_simulation_write_state(self._handle, os.fsencode(os.fspath(path)), self._err), self._err)
        finally:
            self._lock.release()

    def read_state(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Restores the state of a file."""
        self._enter()
        try:
            check(lib.fb_simulation_read_state(self._handle, os.fsencode(os.fspath(path)), self._err), self._err, StateError)
        finally:
            self._lock.release()

    def derivative(self, name: str, size: float = 0.0) -> Derivative:
        """How the motion responds now to an input (exact) or to a parameter of the file (by differences, with their errors; ``size``: a natural size of it,
        0: its value). Coordinates, velocities and states stay as they are."""
        motion = self.motion
        sizes = (len(motion["v"]), len(motion["x"]), len(self.model.outputs))
        values = [np.zeros(n) for n in sizes + sizes]
        room = [ffi.from_buffer("double[]", z) for z in values]
        self._enter()
        try:
            if name in self._index:
                direction = ffi.new("double[]", [float(n == name) for n in self._index])
                status = lib.fb_simulation_calc_input_derivatives(self._handle, direction, *room[:3], self._err)
            else:
                keep: List[Any] = []
                options = self.model._read_options(keep)
                out = ffi.new("FbParameterDerivatives*")
                (out.accelerations, out.state_rates, out.outputs, out.acceleration_errors, out.state_rate_errors, out.output_errors) = room
                status = lib.fb_simulation_estimate_parameter_derivatives(self._handle, self.model._file.handle, options, name.encode(), size, out, self._err)
        finally:
            self._lock.release()
        check(status, self._err)
        made = [Derivative(a, x, dict(zip(self.model.outputs, y.tolist()))) for a, x, y in (values[:3], values[3:])]
        return made[0] if name in self._index else made[0]._replace(errors=made[1])

    def linearize(self) -> Linearization:
        """Linear equations about the current point, with the current inputs."""
        out = ffi.new("FbOperatingPoint**")
        self._enter()
        try:
            check(lib.fb_operating_point_create_here(self._handle, out, self._err), self._err)
        finally:
            self._lock.release()
        return Point(self.model, out[0]).linearize()

    def __repr__(self) -> str:
        return f"<flyball.Simulation of '{self.model.name}' at t = {self.t:g} s>"
