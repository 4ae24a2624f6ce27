"""Models: read from files, texts or dictionaries, then run, balanced, linearized, driven."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from ._callback import Bound, Function, bind, measure
from ._library import Interruption, ModelError, check, ffi, lib, new_error, own, read_messages, text_of
from ._linear import Linearization, Modes, Point
from ._result import Result
from ._simulation import Simulation

Number = Union[float, int, str]
# How a model was made, so that another process can make it again: the function and its arguments.
Origin = Tuple[Any, ...]


class Input(NamedTuple):
    """A value that is set from outside: SI units, infinite limits mean none."""

    name: str
    unit: str
    default: float
    min: float
    max: float


def _overrides(parameters: Mapping[str, Number], keep: List[Any]) -> Any:
    array = ffi.new("FbOverride[]", len(parameters))
    for i, (name, value) in enumerate(parameters.items()):
        text = value if isinstance(value, str) else repr(float(value))
        keep += [ffi.new("char[]", name.encode()), ffi.new("char[]", text.encode())]
        array[i].name, array[i].value = keep[-2], keep[-1]
    return array


def _raise_errors(status: int, messages: List[Any]) -> None:
    errors = [m for m in messages if m.severity == "error"] or messages
    if status == lib.FB_ERR_IO:
        raise FileNotFoundError(str(errors[0]) if errors else "the file cannot be read")
    if status == lib.FB_ERR_MEMORY or not errors:
        raise MemoryError("out of memory")
    first = errors[0]
    more = f" (and {len(errors) - 1} more errors)" if len(errors) > 1 else ""
    raise ModelError(first.text + more, text_of(lib.fb_status_text(status)) or "", first.file, first.line, first.column, messages)


def _new_diagnostics() -> Any:
    return ffi.gc(lib.fb_diagnostics_create(), lib.fb_diagnostics_destroy)


class Source:
    """A file that is read and parsed, for any number of models."""

    def __init__(self, handle: Any):
        self.handle, self._owner = handle, own(handle, lib.fb_source_destroy)


def _read(read: Callable[[Any, Any], Any]) -> Source:
    """The source that a function reads."""
    diagnostics, out = _new_diagnostics(), ffi.new("FbSource**")
    status = read(out, diagnostics)
    if status < 0:
        _raise_errors(status, read_messages(diagnostics))
    return Source(out[0])


def _compile(source: Source, origin: Origin, parameters: Mapping[str, Number], callbacks: Optional[Mapping[str, Function]]) -> "Model":
    keep: List[Any] = []
    diagnostics = _new_diagnostics()
    options, out, model = ffi.new("FbReadOptions*"), ffi.new("FbModelDef**"), ffi.new("FbModel**")
    array = _overrides(parameters, keep)
    options.overrides, options.n_overrides = array, len(parameters)
    status = lib.fb_source_create_def(source.handle, options, out, diagnostics)
    bound: List[Bound] = []
    if status >= 0:
        definition = ffi.gc(out[0], lib.fb_model_def_destroy)
        bound = bind(definition, callbacks or {})
        status = lib.fb_model_create(definition, model, diagnostics)
    messages = read_messages(diagnostics)
    if status < 0:
        _raise_errors(status, messages)
    names = measure(model[0], bound)
    made = Model(model[0], bound, [str(m) for m in messages], source, origin, dict(parameters), dict(callbacks or {}), list(names))
    return made


def load(path: Union[str, "os.PathLike[str]"], *, callbacks: Optional[Mapping[str, Function]] = None, **parameters: Number) -> "Model":
    """Reads a model file (YAML or JSON). Parameters and defaults of inputs are replaced by keyword, as by ``--set``: numbers in SI units, or texts
    such as "80 cm". ``callbacks`` are the functions of its sensors of type ``callback``, by name: ``f(t, *arguments)``, or :class:`Callback` with
    derivatives. Raises :class:`ModelError` with file, line and column."""
    name = os.fsencode(os.fspath(path))
    return _compile(_read(lambda out, d: lib.fb_source_read_file(name, out, d)), (load, os.path.abspath(os.fspath(path))), parameters, callbacks)


def loads(text: str, name: str = "model.yaml", *, callbacks: Optional[Mapping[str, Function]] = None, **parameters: Number) -> "Model":
    """The same from a text; ``name`` is used in messages, and paths in the text are relative to it."""
    data = text.encode()
    return _compile(_read(lambda out, d: lib.fb_source_read_text(data, len(data), name.encode(), out, d)), (loads, text, name), parameters, callbacks)


def build(parts: Mapping[str, Any], name: str = "model", *, callbacks: Optional[Mapping[str, Function]] = None, **parameters: Number) -> "Model":
    """A model from its parts as a dictionary, with the keys of a model file: ``{"bodies": {"rod": {"mass": 1}}, "joints": {...}, ...}``. Values may be
    numbers, texts with units or expressions, lists, numpy numbers and arrays; the version of the format is added."""

    def plain(x: Any) -> Any:
        return x.tolist() if isinstance(x, (np.ndarray, np.generic)) else str(x)

    return loads(json.dumps({"flyball": 1, "name": name, **parts}, default=plain, allow_nan=False), name + ".json", callbacks=callbacks, **parameters)


def _again(source: Origin, parameters: Dict[str, Number], callbacks: Dict[str, Function]) -> "Model":
    model: Model = source[0](*source[1:], callbacks=callbacks, **parameters)
    return model


class Model:
    """A compiled model. It never changes, and threads may share it. Sent to another process (``multiprocessing``), it is read again there."""

    def __init__(self, handle: Any, bound: List[Bound], warnings: List[str], file: Source, source: Origin, parameters: Dict[str, Number],
                 functions: Dict[str, Function], callbacks: List[str]):
        self._handle, self._source, self._parameters, self._functions = handle, source, parameters, functions
        self.warnings, self.callbacks = warnings, callbacks
        self._file = file
        # What the library calls lives as long as the model.
        self._bound, self._owner = bound, own(handle, lib.fb_model_destroy)
        info = ffi.new("FbModelInfo*")
        lib.fb_model_get_info(handle, info)
        self.name = text_of(info.name) or ""
        self.title = text_of(info.title)
        self.counts: Dict[str, int] = {k: getattr(info, "n_" + k) for k in ("bodies", "joints", "constraints", "forces", "states", "coordinates", "loops")}
        n = lib.fb_model_get_output_count(handle)
        self.outputs: List[str] = [text_of(lib.fb_model_get_output_name(handle, i)) or "" for i in range(n)]
        self.units: Dict[str, str] = {o: text_of(lib.fb_model_get_output_unit(handle, i)) or "" for i, o in enumerate(self.outputs)}
        self.inputs: List[Input] = [self._input(i) for i in range(lib.fb_model_get_input_count(handle))]

    def _input(self, i: int) -> Input:
        x = ffi.new("FbInputInfo*")
        lib.fb_model_get_input(self._handle, i, x)
        return Input(text_of(x.name) or "", text_of(x.unit) or "", x.value, x.min, x.max)

    def _read_options(self, keep: List[Any]) -> Any:
        options, array = ffi.new("FbReadOptions*"), _overrides(self._parameters, keep)
        options.overrides, options.n_overrides = array, len(self._parameters)
        keep.append(array)
        return options

    @property
    def hash(self) -> str:
        """A checksum; saved states belong to models with the same one."""
        return text_of(lib.fb_model_get_hash(self._handle)) or ""

    def with_(self, *, callbacks: Optional[Mapping[str, Function]] = None, **parameters: Number) -> "Model":
        """The same model with other values of parameters, defaults of inputs or functions; the others stay as they are. The file is not read again."""
        return _compile(self._file, self._source, {**self._parameters, **parameters}, {**self._functions, **(callbacks or {})})

    def __reduce__(self) -> Any:
        return _again, (self._source, self._parameters, self._functions)

    def __repr__(self) -> str:
        return f"<flyball.Model '{self.name}': {self.counts['bodies']} bodies, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"

    def _input_values(self, inputs: Optional[Mapping[str, float]]) -> Any:
        """[n] values with some replaced; NULL: the defaults."""
        names = [x.name for x in self.inputs]
        for name in inputs or {}:
            if name not in names:
                raise ModelError(f"the model has no input '{name}'; it has {', '.join(names) or 'none'}")
        return ffi.new("double[]", [float((inputs or {}).get(x.name, x.default)) for x in self.inputs]) if inputs else ffi.NULL

    def _options(self, settings: Mapping[str, Any], keep: List[Any]) -> Any:
        options = ffi.new("FbRunOptions*", lib.fb_run_options_default(self._handle))
        for key, value in settings.items():
            if value is None:
                continue
            if key == "integrator":
                keep.append(ffi.new("char[]", value.encode()))
                options.settings.integrator = keep[-1]
            elif key in ("duration", "sample", "rtol", "atol", "step", "max_step", "max_steps", "start"):
                setattr(options.settings, key, value)
            else:
                raise TypeError(f"unknown setting '{key}'")
        if settings.get("rtol") is not None and settings.get("atol") is None:
            options.settings.atol = 0.0
        return options

    def run(self, duration: Optional[float] = None, *, sample: Optional[float] = None, integrator: Optional[str] = None, rtol: Optional[float] = None,
            atol: Optional[float] = None, step: Optional[float] = None, inputs: Optional[Mapping[str, float]] = None, poses: bool = False,
            progress: Optional[Callable[[float, float], Any]] = None) -> Result:
        """Simulates, by default as the file says. ``inputs`` are constant over the run; ``poses`` keeps what reports animate; ``progress(t, end)`` is called
        from time to time and may return False to stop. Other Python threads keep running; Ctrl-C ends the run. Raises :class:`RunError` if it fails."""
        keep: List[Any] = []
        options = self._options(dict(duration=duration, sample=sample, integrator=integrator, rtol=rtol, atol=atol, step=step), keep)
        values = self._input_values(inputs)
        stop = Interruption(progress)
        options.progress, options.record_poses, options.inputs = stop.callback, poses, values
        out, err = ffi.new("FbResult**"), new_error()
        status = lib.fb_simulate(self._handle, options, out, err)
        owner = own(out[0], lib.fb_result_destroy, self._owner) if out[0] else None
        stop.raise_pending()
        check(status, err)
        return Result(self, out[0], owner)

    def simulation(self, *, inputs: Optional[Mapping[str, float]] = None, progress: Optional[Callable[[float, float], Any]] = None,
                   **settings: Any) -> Simulation:
        """A simulation to be driven step by step; settings as for :meth:`run`."""
        keep: List[Any] = []
        options = self._options(settings, keep)
        values = self._input_values(inputs)
        return Simulation(self, options, values, keep, progress)

    def _point(self, at: Union[str, float], inputs: Optional[Mapping[str, float]]) -> Point:
        options = ffi.new("FbOperatingOptions*", lib.fb_operating_options_default())
        if isinstance(at, str):
            kinds = {"equilibrium": lib.FB_AT_EQUILIBRIUM, "initial": lib.FB_AT_INITIAL}
            if at not in kinds:
                raise ValueError(f"at is '{at}'; it must be 'equilibrium', 'initial' or a time in s")
            options.kind = kinds[at]
        else:
            options.kind, options.time = lib.FB_AT_TIME, float(at)
        values = self._input_values(inputs)
        options.inputs = values
        out, err = ffi.new("FbOperatingPoint**"), new_error()
        check(lib.fb_operating_point_create(self._handle, options, out, err), err)
        return Point(self, out[0])

    def equilibrium(self, *, inputs: Optional[Mapping[str, float]] = None) -> Point:
        """Where all forces balance, at these inputs."""
        return self._point("equilibrium", inputs)

    def linearize(self, at: Union[str, float] = "equilibrium", *, inputs: Optional[Mapping[str, float]] = None) -> Linearization:
        """Linear equations about "equilibrium", "initial" or a time of a run."""
        return self._point(at, inputs).linearize()

    def modes(self, at: Union[str, float] = "equilibrium", *, inputs: Optional[Mapping[str, float]] = None) -> Modes:
        """Eigenvalues with frequencies and damping, by increasing size."""
        return self.linearize(at, inputs=inputs).modes
