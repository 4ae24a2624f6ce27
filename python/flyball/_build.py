"""Models built part by part, and sweeps over their parameters in several processes."""
from __future__ import annotations

import itertools
import multiprocessing
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._callback import Function
from ._library import Error, Floats, ModelError

if TYPE_CHECKING:
    from ._model import Model, Number


class Builder:
    """A model that is built part by part, with the keys of a model file as keywords:

    >>> b = flyball.Builder(gravity=[0, 0, -9.81])
    >>> b.body("rod", shapes=[{"type": "rod", "from": [0, 0, 0], "to": [1, 0, 0], "mass": 1}])
    >>> b.joint("hinge", type="revolute", between=["ground", "rod"], axis=[0, 1, 0])
    >>> b.output("angle", "hinge.q")
    >>> m = b.model()

    A key that is a word of Python is written with an underscore at its end (``from_``). Each method returns the builder. A name that exists already is
    an error at once; all else is checked by :meth:`model`, which can be called again after more parts were added.
    """

    def __init__(self, name: str = "model", **top: Any):
        self.name = name
        self._parts: Dict[str, Any] = dict(top)
        self._callbacks: Dict[str, Function] = {}

    def add(self, section: str, name: str, value: Any = None, /, **fields: Any) -> "Builder":
        """Adds a part to a section of the file: with its fields, or with a single value."""
        parts = self._parts.setdefault(section, {})
        if name in parts:
            raise ModelError(f"there is already a part '{name}' in '{section}'; names must be unique")
        if value is not None and fields:
            raise TypeError(f"'{name}' has both a value and fields")
        parts[name] = value if value is not None else {key.rstrip("_"): x for key, x in fields.items()}
        return self

    def parameter(self, name: str, value: Any) -> "Builder":
        """A number, a text with a unit, or an expression of earlier parameters."""
        return self.add("parameters", name, value)

    def input(self, name: str, **fields: Any) -> "Builder":
        """A value that is set from outside: unit, default, min, max."""
        return self.add("inputs", name, **fields)

    def body(self, name: str, **fields: Any) -> "Builder":
        """A rigid body."""
        return self.add("bodies", name, **fields)

    def joint(self, name: str, **fields: Any) -> "Builder":
        """A joint: type, between, ..."""
        return self.add("joints", name, **fields)

    def constraint(self, name: str, **fields: Any) -> "Builder":
        """A constraint."""
        return self.add("constraints", name, **fields)

    def force(self, name: str, **fields: Any) -> "Builder":
        """A force."""
        return self.add("forces", name, **fields)

    def law(self, name: str, **fields: Any) -> "Builder":
        """A law of time."""
        return self.add("laws", name, **fields)

    def state(self, name: str, **fields: Any) -> "Builder":
        """A first-order state: initial, rate."""
        return self.add("states", name, **fields)

    def sensor(self, name: str, **fields: Any) -> "Builder":
        """A sensor that expressions use."""
        return self.add("sensors", name, **fields)

    def callback(self, name: str, function: Function, arguments: Sequence[Any] = (), **fields: Any) -> "Builder":
        """A sensor whose values ``function(t, *arguments)`` computes."""
        self._callbacks[name] = function
        return self.add("sensors", name, type="callback", arguments=list(arguments), **fields)

    def output(self, name: str, value: Any = None, /, **fields: Any) -> "Builder":
        """What is recorded: an expression, or a sensor by its fields."""
        return self.add("outputs", name, value, **fields)

    def event(self, name: str, **fields: Any) -> "Builder":
        """An event."""
        return self.add("events", name, **fields)

    def structure(self, name: str, **fields: Any) -> "Builder":
        """A structure of beams, a mesh, or matrices."""
        return self.add("structures", name, **fields)

    def slider(self, name: str, **fields: Any) -> "Builder":
        """A mass that slides along a guide."""
        return self.add("sliders", name, **fields)

    def simulation(self, **settings: Any) -> "Builder":
        """How to simulate: duration, sample, integrator, ..."""
        self._parts.setdefault("simulation", {}).update(settings)
        return self

    @property
    def parts(self) -> Dict[str, Any]:
        """The parts so far, as :func:`build` takes them."""
        return self._parts

    def model(self, **parameters: "Number") -> "Model":
        """The model as it is now; parameters may be replaced as by :func:`load`."""
        from ._model import build

        return build(self._parts, self.name, callbacks=self._callbacks, **parameters)


class SweepError(Error):
    """A point of a sweep failed: ``point`` has its parameters, ``__cause__`` what happened."""

    point: Dict[str, float]


_shared: Dict[str, Any] = {}


def _begin(model: "Model", measure: Callable[["Model"], Any]) -> None:
    _shared.update(model=model, measure=measure)


def _measure(point: Dict[str, float]) -> Tuple[bool, Any]:
    try:
        return True, _shared["measure"](_shared["model"].with_(**point))
    except Exception as error:  # passed on to the process that asked
        return False, error


def _collect(points: List[Dict[str, float]], answers: List[Tuple[bool, Any]], skip: bool) -> Dict[str, Floats]:
    rows: List[Mapping[str, Any]] = []
    for point, (is_good, value) in zip(points, answers):
        if not is_good and not skip:
            error = SweepError(f"the point {point} failed: {value}")
            error.point = point
            raise error from value
        rows.append({} if not is_good else value if isinstance(value, Mapping) else {"value": value})
    names = list(dict.fromkeys(itertools.chain.from_iterable(rows)))
    table = {name: np.array([p[name] for p in points]) for name in (points[0] if points else {})}
    table.update({name: np.array([row.get(name, np.nan) for row in rows]) for name in names})
    return table


def sweep(model: "Model", measure: Callable[["Model"], Any], *, processes: Optional[int] = None, skip_failures: bool = False,
          **values: Sequence[float]) -> Dict[str, Floats]:
    """Calls ``measure(m)`` with the model at all combinations of parameter values, in several processes (1: in this one; None: one for each processor).

    ``measure`` returns a number or a dictionary of numbers; it has to be a function of a module, as for ``multiprocessing``. Returns a table: an array
    for each parameter and each measure ("value" for a plain number), in the order of the combinations, the last parameter varying fastest. A point
    that fails raises :class:`SweepError`; with ``skip_failures`` its measures are NaN.
    """
    points = [dict(zip(values, map(float, x))) for x in itertools.product(*values.values())]
    if processes == 1:
        _begin(model, measure)
        try:
            answers = [_measure(p) for p in points]
        finally:
            _shared.clear()
    else:
        with multiprocessing.Pool(processes, _begin, (model, measure)) as pool:
            answers = pool.map(_measure, points)
    return _collect(points, answers, skip_failures)
