"""Results of whole runs."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Union

import numpy as np

from ._library import Array, Floats, check, ffi, lib, new_error, take_text, text_of

if TYPE_CHECKING:
    from ._model import Model


class Event(NamedTuple):
    """An event that happened: +1 rising, -1 falling."""

    name: str
    t: float
    direction: int


class Result:
    """The rows of a run: ``r.t``, ``r["output"]``, and what they cost."""

    def __init__(self, model: "Model", handle: Any, owner: Any):
        self.model, self._handle, self._owner = model, handle, owner
        n = lib.fb_result_get_row_count(handle)
        t = np.empty(n)
        check_column(handle, -1, t)
        self.t = Array(t, "s")
        self._columns: Dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        """An output over time, with its unit."""
        if name not in self._columns:
            i = lib.fb_model_find_output(self.model._handle, name.encode())
            if i < 0:
                raise KeyError(f"no output '{name}'; there are {', '.join(self.model.outputs)}")
            values = np.empty(len(self.t))
            check_column(self._handle, i, values)
            self._columns[name] = Array(values, self.model.units[name])
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.model.outputs)

    def __len__(self) -> int:
        return len(self.t)

    def keys(self) -> List[str]:
        """The names of the outputs."""
        return list(self.model.outputs)

    def to_dict(self) -> Dict[str, Floats]:
        """Plain arrays by name, with the time as "t": ``pandas.DataFrame(r.to_dict())``."""
        return {"t": np.asarray(self.t), **{name: np.asarray(self[name]) for name in self}}

    @property
    def stats(self) -> Dict[str, Any]:
        """Steps, evaluations, times, constraint errors, energies."""
        s = lib.fb_result_get_stats(self._handle)
        names = [name for name, _ in ffi.typeof("FbRunStats").fields if name != "reserved"]
        return {n: text_of(getattr(s, n)) if n.startswith("integrator") else getattr(s, n) for n in names}

    @property
    def events(self) -> List[Event]:
        """Events in the order of time."""
        out = []
        record = ffi.new("FbEventRecord*")
        for i in range(lib.fb_result_get_event_count(self._handle)):
            lib.fb_result_get_event(self._handle, i, record)
            out.append(Event(text_of(record.name) or "", record.t, record.direction))
        return out

    @property
    def warnings(self) -> List[str]:
        """Warnings of the run."""
        return [text_of(lib.fb_result_get_warning(self._handle, i)) or "" for i in range(lib.fb_result_get_warning_count(self._handle))]

    def svg(self, *names: str) -> str:
        """The outputs (default: all) over time as an SVG document."""
        for name in names:
            self[name]
        columns = ffi.new("int[]", [self.model.outputs.index(n) for n in names]) if names else ffi.NULL
        return take_text(lambda out, err: lib.fb_result_svg(self._handle, ffi.NULL, columns, len(names), out, err))

    def report(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes one HTML file with plots, numbers and, if poses were recorded, the motion."""
        err, options = new_error(), ffi.new("FbReportOptions*", lib.fb_report_options_default())
        check(lib.fb_report_write_run(self._handle, options, os.fsencode(os.fspath(path)), err), err)

    def write(self, path: Union[str, "os.PathLike[str]"], format: Optional[str] = None) -> None:
        """Writes the table as "csv", "fbr", "mat" or "npz" (default: by the extension)."""
        name = os.fspath(path)
        err = new_error()
        check(lib.fb_result_write(self._handle, (format or name.rsplit(".", 1)[-1]).encode(), os.fsencode(name), err), err)

    def _repr_html_(self) -> str:
        svg = self.svg()
        return svg[svg.find("<svg"):]

    def __repr__(self) -> str:
        end = self.t[-1] if len(self.t) else 0.0
        return f"<flyball.Result of '{self.model.name}': {len(self.t)} rows to t = {end:g} s, outputs {', '.join(self.model.outputs)}>"


def check_column(handle: Any, column: int, values: Floats) -> None:
    """Copies a column (-1: the time)."""
    lib.fb_result_copy_column(handle, column, ffi.from_buffer("double[]", values))
