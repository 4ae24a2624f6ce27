"""The shared library, errors as exceptions, and what the other modules share."""
from __future__ import annotations

import ctypes.util
import os
import threading
from typing import TYPE_CHECKING, Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Type

import numpy as np

from ._declarations import ffi as ffi


# Arrays of numbers; generic at run time only in newer versions of numpy and Python.
if TYPE_CHECKING:
    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Complexes = np.ndarray[Any, np.dtype[np.complex128]]
else:
    Floats = Complexes = np.ndarray


def _find_library() -> str:
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libflyball.so")
    return os.environ.get("FLYBALL_LIBRARY") or (own if os.path.exists(own) else ctypes.util.find_library("flyball") or "libflyball.so.0")


lib: Any = ffi.dlopen(_find_library())


class Message(NamedTuple):
    """One message about a model: ``severity`` is "note", "warning" or "error"."""

    severity: str
    text: str
    file: Optional[str]
    line: int
    column: int

    def __str__(self) -> str:
        place = ":".join(str(x) for x in (self.file, self.line, self.column) if x)
        return f"{place + ': ' if place else ''}{self.severity}: {self.text}"


class Error(Exception):
    """What failed. ``file``, ``line`` and ``column`` say where (None and 0: not known), ``status`` what kind of failure it is ("out of range"),
    ``messages`` lists all messages about a model file."""

    def __init__(self, text: str, status: str = "", file: Optional[str] = None, line: int = 0, column: int = 0, messages: Sequence[Message] = ()):
        place = ":".join(str(x) for x in (file, line, column) if x)
        super().__init__(f"{place}: {text}" if place else text)
        self.text, self.status, self.file, self.line, self.column = text, status, file, line, column
        self.messages = list(messages)


class ModelError(Error, ValueError):
    """The model, a name, a unit or a value is wrong."""


class RunError(Error, ArithmeticError):
    """A computation failed: not converged, singular, loops that cannot be closed."""


class StateError(Error, ValueError):
    """A saved state is damaged, or belongs to another model."""


_MODEL = {lib.FB_ERR_SYNTAX, lib.FB_ERR_NAME, lib.FB_ERR_UNIT, lib.FB_ERR_RANGE, lib.FB_ERR_MODEL, lib.FB_ERR_ARGUMENT}
_RUN = {lib.FB_ERR_ASSEMBLY, lib.FB_ERR_SINGULAR, lib.FB_ERR_CONVERGENCE, lib.FB_ERR_ACCURACY}


def text_of(pointer: Any) -> Optional[str]:
    """A C string, or None."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else None


_raised = threading.local()


def keep_exception(error: BaseException) -> None:
    """Keeps an exception of a function of this thread while the library was calling it; the call of the library then fails and raises it."""
    _raised.error = error


def make_error(status: int, err: Any, kind: Optional[Type[Error]] = None) -> BaseException:
    """The exception for a failed call that filled ``err``: that of a callback, if it was one that failed."""
    error: Optional[BaseException] = getattr(_raised, "error", None)
    _raised.error = None
    if error is not None:
        return error
    if status == lib.FB_ERR_MEMORY:
        return MemoryError("out of memory")
    text, file = text_of(err.text) or "", text_of(err.file)
    if status == lib.FB_ERR_IO:
        return OSError(text)
    kind = kind or (ModelError if status in _MODEL else RunError if status in _RUN else Error)
    return kind(text, text_of(lib.fb_status_text(status)) or "", file or None, err.place.line, err.place.col)


def new_error() -> Any:
    """An FbError to be filled."""
    return ffi.new("FbError*")


def check(status: int, err: Any, kind: Optional[Type[Error]] = None) -> int:
    """Raises what a negative status means."""
    if status < 0:
        raise make_error(status, err, kind)
    return status


def own(pointer: Any, destroy: Callable[[Any], None], *parents: Any) -> Any:
    """The owner of an object of the library, which is destroyed when its owner dies, and always before those of its parents.

    The owner is an array, because the garbage collector does not look into arrays. So objects in a circle keep theirs until all of their destructors have
    run, which may still use them, and the order within the circle does not matter. Functions of a user must not be among the parents: they may lead back here.
    """

    def free(p: Any, _parents: Tuple[Any, ...] = parents) -> None:
        destroy(p)

    owner = np.empty(1, dtype=object)
    owner[0] = ffi.gc(pointer, free)
    return owner


def take_text(call: Callable[[Any, Any], Any]) -> str:
    """The text that a function returns through a char**."""
    out, err = ffi.new("char**"), new_error()
    check(call(out, err), err)
    try:
        return text_of(out[0]) or ""
    finally:
        lib.fb_free(out[0])


def read_messages(diagnostics: Any) -> List[Message]:
    """The messages of a list."""
    names = {lib.FB_NOTE: "note", lib.FB_WARNING: "warning", lib.FB_SEVERE: "error"}
    out = []
    for i in range(lib.fb_diagnostics_count(diagnostics)):
        d = lib.fb_diagnostics_get(diagnostics, i)
        out.append(Message(names[d.severity], text_of(d.text) or "", text_of(d.place.file), d.place.line, d.place.col))
    return out


class Array(Floats):
    """A numpy array of SI values with its unit, ``unit`` ("": none). Results of arithmetic are plain numbers without one."""

    unit: str

    def __new__(cls, values: Any, unit: str = "") -> "Array":
        array = np.asarray(values, dtype=float).view(cls)
        array.unit = unit
        return array

    def __array_finalize__(self, other: Any) -> None:
        self.unit = getattr(other, "unit", "")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        plain = [np.asarray(x) if isinstance(x, Array) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(np.asarray(x) if isinstance(x, Array) else x for x in out)
        return getattr(ufunc, method)(*plain, **kwargs)

    def __repr__(self) -> str:
        return f"{np.asarray(self)!r} {self.unit}".rstrip()


def copy_doubles(pointer: Any, shape: Sequence[int]) -> Floats:
    """A copy of column-major doubles."""
    count = int(np.prod(shape))
    if count == 0 or not pointer:
        return np.zeros(shape)
    return np.frombuffer(ffi.buffer(pointer, 8 * count)).reshape(shape, order="F").copy()


class Interruption:
    """Keyboard interrupts and exceptions of a progress function end a long call, and are raised after it."""

    def __init__(self, progress: Optional[Callable[[float, float], Any]] = None):
        self.error: Optional[BaseException] = None
        self._progress = progress
        self.callback = ffi.callback("bool(void*, const FbProgress*)", self._call, error=False, onerror=self._fail)

    def _call(self, _self: Any, p: Any) -> bool:
        # That Python code runs here is enough for pending signals to be delivered.
        return self._progress is None or self._progress(p.t, p.t_end) is not False

    def _fail(self, kind: Any, error: BaseException, trace: Any) -> None:
        self.error = error

    def raise_pending(self) -> None:
        """Raises what ended the call, once."""
        error, self.error = self.error, None
        if error is not None:
            raise error
