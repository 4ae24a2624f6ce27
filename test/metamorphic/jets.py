"""Truncated Taylor series in one variable s, up to s^2, of numpy arrays: all that the oracle differentiates with.

A constraint or a coordinate is written once, as a function of poses. Fed with poses that move along s it returns its
value, its rate and its second derivative; with a batch of unit motions the rates are the rows of the Jacobian. So the
oracle contains no derivative that was worked out by hand and could share a mistake with the program.
"""
import numpy as np


class Jet:
    """c0 + c1*s + c2*s^2; the first axis of each array is the batch, the last one x, y, z where it is a vector."""

    __slots__ = ("c0", "c1", "c2")
    __array_ufunc__ = None

    def __init__(self, c0, c1, c2):
        self.c0, self.c1, self.c2 = c0, c1, c2

    def __add__(self, other):
        o = as_jet(other)
        return Jet(self.c0 + o.c0, self.c1 + o.c1, self.c2 + o.c2)

    __radd__ = __add__

    def __neg__(self):
        return Jet(-self.c0, -self.c1, -self.c2)

    def __sub__(self, other):
        return self + (-as_jet(other))

    def __rsub__(self, other):
        return as_jet(other) - self

    def __mul__(self, other):
        o = as_jet(other)
        return Jet(self.c0 * o.c0, self.c0 * o.c1 + self.c1 * o.c0,
                   self.c0 * o.c2 + self.c1 * o.c1 + self.c2 * o.c0)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self * reciprocal(as_jet(other))

    def vector(self):
        """A batch of scalars that multiplies vectors."""
        return Jet(*(np.asarray(c)[..., None] for c in (self.c0, self.c1, self.c2)))

    def rate(self):
        """The derivative; its own second derivative is unknown and set to nan."""
        return Jet(self.c1, 2 * self.c2, np.full_like(self.c2, np.nan))


def as_jet(x):
    if isinstance(x, Jet):
        return x
    x = np.asarray(x, dtype=float)
    return Jet(x, np.zeros_like(x), np.zeros_like(x))


def compose(u, f0, f1, f2):
    """f(u) with the derivatives f0, f1, f2 of f at u.c0."""
    return Jet(f0, f1 * u.c1, f1 * u.c2 + 0.5 * f2 * u.c1 * u.c1)


def reciprocal(u):
    r = 1.0 / u.c0
    return compose(u, r, -r * r, 2 * r ** 3)


def sqrt(u):
    r = np.sqrt(u.c0)
    return compose(u, r, 0.5 / r, -0.25 / r ** 3)


def atan2(y, x):
    """The angle of (x, y). Its derivative is (x dy - y dx)/(x^2 + y^2)."""
    n = 1.0 / (x.c0 ** 2 + y.c0 ** 2)
    first = (x.c0 * y.c1 - y.c0 * x.c1) * n
    turn = 2 * (x.c0 * y.c2 - y.c0 * x.c2) * n
    growth = 2 * (x.c0 * x.c1 + y.c0 * y.c1) * n
    return Jet(np.arctan2(y.c0, x.c0), first, 0.5 * (turn - first * growth))


def dot(a, b):
    a, b = as_jet(a), as_jet(b)
    s = lambda x: np.sum(x, axis=-1)
    return Jet(s(a.c0 * b.c0), s(a.c0 * b.c1 + a.c1 * b.c0), s(a.c0 * b.c2 + a.c1 * b.c1 + a.c2 * b.c0))


def _cross(a, b):
    """As np.cross for the last axis, without its overhead."""
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    return np.stack((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0), axis=-1)


def cross(a, b):
    a, b = as_jet(a), as_jet(b)
    return Jet(_cross(a.c0, b.c0), _cross(a.c0, b.c1) + _cross(a.c1, b.c0),
               _cross(a.c0, b.c2) + _cross(a.c1, b.c1) + _cross(a.c2, b.c0))


def skews(w):
    """The matrices of the cross products with w [batch, 3]."""
    W = np.zeros((len(w), 3, 3))
    W[:, 2, 1], W[:, 0, 2], W[:, 1, 0] = w[:, 0], w[:, 1], w[:, 2]
    return W - W.transpose(0, 2, 1)


def moving_columns(R, W):
    """The columns of R [3, n], fixed in a body that turns with the constant angular velocities of which W are the skew
    matrices."""
    c1 = W @ R
    c2 = 0.5 * (W @ c1)
    c0 = np.zeros_like(c1) + R
    return [Jet(c0[:, :, k], c1[:, :, k], c2[:, :, k]) for k in range(R.shape[1])]
