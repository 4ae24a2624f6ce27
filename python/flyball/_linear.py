"""Operating points, linear equations and modes."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple

import numpy as np

from ._library import Complexes, Floats, check, copy_doubles, ffi, lib, new_error, own, text_of

if TYPE_CHECKING:
    from ._model import Model


class Mode(NamedTuple):
    """An eigenvalue: frequency in Hz, damping as a ratio, kind "physical" or "rigid-body"."""

    eigenvalue: complex
    frequency: float
    damping: float
    kind: str


class Modes(List[Mode]):
    """Modes by increasing size of their eigenvalues."""

    @property
    def frequencies(self) -> Floats:
        """Hz."""
        return np.array([m.frequency for m in self])

    @property
    def eigenvalues(self) -> Complexes:
        """1/s."""
        return np.array([m.eigenvalue for m in self])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{m.eigenvalue:.6g}</td><td>{m.frequency:.6g}</td><td>{m.damping:.4g}</td><td>{m.kind}</td></tr>" for m in self)
        return f"<table><tr><th>eigenvalue 1/s</th><th>frequency Hz</th><th>damping</th><th>kind</th></tr>{rows}</table>"


class Point:
    """An operating point: ``p["joint"]`` is a coordinate, ``p.outputs`` what is recorded there."""

    def __init__(self, model: "Model", handle: Any):
        self.model, self._handle = model, handle
        self._owner = own(handle, lib.fb_operating_point_destroy, model._owner)
        info = ffi.new("FbOperatingInfo*")
        lib.fb_operating_point_get_info(handle, info)
        self.residual, self.is_equilibrium = info.residual, bool(info.is_equilibrium)
        self.degrees_of_freedom = info.degrees_of_freedom
        name, unit, value = ffi.new("const char**"), ffi.new("const char**"), ffi.new("double*")
        self.coordinates: Dict[str, float] = {}
        for i in range(info.n_coordinates):
            lib.fb_operating_point_get_coordinate(handle, i, name, unit, value)
            self.coordinates[text_of(name[0]) or ""] = value[0]
        values, err = np.zeros(max(len(model.outputs), 1)), new_error()
        check(lib.fb_operating_point_calc_outputs(handle, ffi.from_buffer("double[]", values), err), err)
        self.outputs: Dict[str, float] = dict(zip(model.outputs, values.tolist()))

    def __getitem__(self, joint: str) -> float:
        return self.coordinates[joint]

    def linearize(self) -> "Linearization":
        """Linear equations about the point."""
        return Linearization(self)

    def __repr__(self) -> str:
        return f"<flyball.Point of '{self.model.name}': residual {self.residual:.2g}, {self.degrees_of_freedom} degrees of freedom>"


class Linearization:
    """x' = A x + B u, y = C x + D u about a point, and M q'' + Cd q' + K q = 0 in the independent coordinates.

    ``states``, ``inputs`` and ``outputs`` name the rows and columns. Inputs are those of the model; if it has none, the forces that can be varied.
    """

    def __init__(self, point: Point):
        self.point = point
        out, err = ffi.new("FbLinearization**"), new_error()
        options = ffi.new("FbLinearOptions*", lib.fb_linear_options_default())
        check(lib.fb_linearization_create(point._handle, options, out, err), err)
        self._handle = l = out[0]
        self._owner = own(l, lib.fb_linearization_destroy, point._owner)
        check(lib.fb_linearization_run(l, err), err)
        check(lib.fb_linearization_calc_input_output(l, err), err)
        m = ffi.new("FbReducedMatrices*")
        lib.fb_linearization_get_matrices(l, m)
        n_u = m.n_inputs or m.n_u
        self.A, self.B = copy_doubles(m.A, (m.n, m.n)), copy_doubles(m.B, (m.n, m.n_u))[:, :n_u]
        self.C, self.D = copy_doubles(m.Cy, (m.n_y, m.n)), copy_doubles(m.D, (m.n_y, m.n_u))[:, :n_u]
        self.M, self.Cd, self.K = copy_doubles(m.M, (m.p, m.p)), copy_doubles(m.C, (m.p, m.p)), copy_doubles(m.K, (m.p, m.f))
        name = text_of
        self.inputs: List[str] = [name(lib.fb_linearization_get_input_name(l, i)) or "" for i in range(n_u)]
        self.outputs: List[str] = [name(lib.fb_linearization_get_output_name(l, i)) or "" for i in range(m.n_y)]
        states = [name(lib.fb_linearization_get_state_name(l, i)) or "" for i in range(m.n)]
        self.states: List[str] = [s + (".q" if i < m.f else ".v" if i < m.f + m.p else "") for i, s in enumerate(states)]

    @property
    def modes(self) -> Modes:
        """The eigenvalues that belong to motions of the model."""
        kinds = {lib.FB_MODE_PHYSICAL: "physical", lib.FB_MODE_RIGID_BODY: "rigid-body"}
        all_modes = [lib.fb_linearization_get_mode(self._handle, i) for i in range(lib.fb_linearization_get_mode_count(self._handle))]
        return Modes(Mode(complex(m.re, m.im), m.frequency_hz, m.damping_ratio, kinds[m.class_]) for m in all_modes if m.class_ in kinds)

    def __repr__(self) -> str:
        return f"<flyball.Linearization of '{self.point.model.name}': {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"
