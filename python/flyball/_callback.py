"""Python functions as forces and controllers of a model."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Union

import numpy as np

from ._library import check, ffi, keep_exception, lib, new_error, text_of

_FIELDS = dict(ffi.typeof("FbCallback").fields)


class Retry(Exception):
    """Raised by a callback that has no result at this point: a step with error control is repeated with a smaller length."""


class Callback(NamedTuple):
    """``function(t, *arguments)`` returns the results, a number or a sequence. ``derivatives(t, *arguments)`` returns [results x arguments]; without it
    the library takes differences."""

    function: Callable[..., Any]
    derivatives: Optional[Callable[..., Any]] = None


Function = Union[Callback, Callable[..., Any]]


class Bound:
    """The C side of a callback, which has to live as long as the models that call it."""

    def __init__(self, name: str, given: Function):
        self.name = name
        self.callback = given if isinstance(given, Callback) else Callback(given)
        if not callable(self.callback.function) or not (self.callback.derivatives is None or callable(self.callback.derivatives)):
            raise TypeError(f"callback '{name}' is not a function")
        self.n_arguments = self.n_results = 0
        self.struct = ffi.new("FbCallback*")
        self._calc = ffi.callback(_FIELDS["calc"].type, self._on_calc, error=lib.FB_ERR_ARGUMENT)
        self.struct.calc = self._calc
        if self.callback.derivatives is not None:
            self._slopes = ffi.callback(_FIELDS["calc_derivatives"].type, self._on_slopes, error=lib.FB_ERR_ARGUMENT)
            self.struct.calc_derivatives = self._slopes

    def _on_calc(self, _self: Any, t: float, arguments: Any, results: Any, err: Any) -> int:
        try:
            value = self.callback.function(t, *ffi.unpack(arguments, self.n_arguments))
            if self.n_results == 1 and isinstance(value, float):
                results[0] = value
            else:
                self._fill(results, value, self.n_results, "results")
        except BaseException as error:  # whatever it is, it is raised where the library was called
            return self._fail(error, err)
        return 0

    def _on_slopes(self, _self: Any, t: float, arguments: Any, slopes: Any, err: Any) -> int:
        try:
            value = self.callback.derivatives(t, *ffi.unpack(arguments, self.n_arguments))  # type: ignore[misc]
            self._fill(slopes, value, self.n_results * self.n_arguments, "derivatives")
        except BaseException as error:
            return self._fail(error, err)
        return 0

    def _fill(self, out: Any, value: Any, count: int, what: str) -> None:
        if value is None:
            raise TypeError(f"callback '{self.name}' returned None instead of {count} {what}")
        array = np.ascontiguousarray(value, dtype=float).ravel()
        if array.size != count:
            raise ValueError(f"callback '{self.name}' returned {array.size} {what} instead of {count}")
        ffi.memmove(out, ffi.from_buffer(array), 8 * count)

    def _fail(self, error: BaseException, err: Any) -> int:
        if isinstance(error, Retry):
            return int(lib.FB_RETRY)
        keep_exception(error)
        text = f"{type(error).__name__}: {error}".encode()[:400] + b"\0"
        ffi.memmove(err.text, text, len(text))
        return int(lib.FB_ERR_ARGUMENT)


def bind(definition: Any, callbacks: Mapping[str, Function]) -> List[Bound]:
    """Sets the functions of a description."""
    bound = [Bound(name, function) for name, function in callbacks.items()]
    err = new_error()
    for b in bound:
        check(lib.fb_model_def_set_callback(definition, b.name.encode(), b.struct, err), err)
    return bound


def measure(model: Any, bound: List[Bound]) -> Dict[str, int]:
    """Sets how many arguments and results the functions have; returns the names of all callbacks with their numbers of arguments."""
    info, names = ffi.new("FbCallbackInfo*"), {}
    known = {b.name: b for b in bound}
    for i in range(lib.fb_model_get_callback_count(model)):
        lib.fb_model_get_callback(model, i, info)
        name = text_of(info.name) or ""
        names[name] = info.n_arguments
        if name in known:
            known[name].n_arguments, known[name].n_results = info.n_arguments, info.n_results
    return names


__all__ = ["Bound", "Callback", "Function", "Retry", "bind", "measure"]
