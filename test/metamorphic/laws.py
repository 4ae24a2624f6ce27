"""Laws of time beyond a constant and a sine, each with the value, rate and acceleration that its definition gives.

A law is its type and its fields, as the model file has them; POWERS says how each field follows the units of value and
time, so that a law can be scaled. Profiles are integrated here from their pieces of constant jerk or acceleration.
"""
from dataclasses import dataclass

import numpy as np

# type: field: (power of the value, power of time); limits are sizes and keep their sign
POWERS = {
    "harmonic": {"amplitude": (1, 0), "frequency": (0, -1), "phase": (0, 0), "offset": (1, 0)},
    "ramp": {"from": (1, 0), "to": (1, 0), "start": (0, 1), "duration": (0, 1)},
    "trapezoid": {"from": (1, 0), "to": (1, 0), "start": (0, 1), "max_rate": (1, -1), "max_acceleration": (1, -2)},
    "jerk": {"from": (1, 0), "to": (1, 0), "start": (0, 1), "max_rate": (1, -1), "max_acceleration": (1, -2),
             "max_jerk": (1, -3)},
    "table": {"times": (0, 1), "values": (1, 0), "interpolation": None},
    "moves": {"inner": (1, 0), "outer": (1, 0), "duration": (0, 1), "out_at": (0, 1), "in_at": (0, 1)},
    # of expressions: mean + size*f(t - at), where f is named by `form`
    "expression": {"mean": (1, 0), "size": (1, 0), "at": (0, 1), "form": None},
}
LEVELS = ("offset", "from", "to", "values", "inner", "outer", "mean")  # fields that a constant is added to


@dataclass
class Law:
    kind: str
    fields: dict

    def scaled(self, factor, time=1.0):
        out = {}
        for key, power in POWERS[self.kind].items():
            value = self.fields[key]
            if power is None:
                out[key] = value
                continue
            by = (abs(factor) if key.startswith("max_") else factor) if power[0] else 1.0
            by *= time ** power[1]
            if self.kind == "expression" and key == "size":
                by *= time ** -FORMS[self.fields["form"]].power
            out[key] = [float(x * by) for x in value] if isinstance(value, list) else float(value * by)
        return Law(self.kind, out)

    def shifted(self, more):
        add = lambda x: [float(v + more) for v in x] if isinstance(x, list) else float(x + more)
        return Law(self.kind, {k: add(v) if k in LEVELS else v for k, v in self.fields.items()})

    def is_constant(self):
        return False

    def at(self, t):
        """Value, rate and acceleration."""
        return CALC[self.kind](self.fields, t)

    def definition(self):
        """As the section `laws` of a model has it."""
        f = self.fields
        if self.kind == "expression":
            return {"type": "expression", "value": f"{f['mean']!r} + {f['size']!r}*({FORMS[f['form']].text(f['at'])})"}
        if self.kind == "moves":
            return {"type": "moves", "inner": f["inner"], "outer": f["outer"], "duration": f["duration"],
                    "outward": f"t - {f['out_at']!r}", "inward": f"t - {f['in_at']!r}"}
        return {"type": self.kind} | f


# -- values --------------------------------------------------------------------------------------------------------


def harmonic(f, t):
    a, w, angle = f["amplitude"], f["frequency"], f["frequency"] * t + f["phase"]
    return f["offset"] + a * np.sin(angle), a * w * np.cos(angle), -a * w * w * np.sin(angle)


def quintic(u):
    """From 0 to 1 with rate and acceleration 0 at both ends."""
    if not 0 < u < 1:
        return float(u >= 1), 0.0, 0.0
    return (10 - 15 * u + 6 * u * u) * u ** 3, 30 * (u * (1 - u)) ** 2, 60 * u * (1 - u) * (1 - 2 * u)


def move(start, end, at, duration, t):
    s, v, a = quintic((t - at) / duration)
    return start + (end - start) * s, (end - start) * v / duration, (end - start) * a / duration ** 2


def ramp(f, t):
    return move(f["from"], f["to"], f["start"], f["duration"], t)


def moves(f, t):
    """Out at one time, back at another that comes after the first move has ended."""
    if t < f["in_at"]:
        return move(f["inner"], f["outer"], f["out_at"], f["duration"], t)
    return move(f["outer"], f["inner"], f["in_at"], f["duration"], t)


def pieces(jerks, durations, t):
    """Value, rate and acceleration after t in pieces of constant jerk; None where the pieces have ended."""
    s = v = a = 0.0
    for j, d in zip(jerks, durations):
        x = min(t, d)
        s, v, a = s + v * x + a * x * x / 2 + j * x ** 3 / 6, v + a * x + j * x * x / 2, a + j * x
        if t < d:
            return s, v, a
        t -= d
    return None


def follow(f, t, steps):
    """A move of pieces with limits: steps(distance) are (jerk, duration), or (acceleration, duration) as a third."""
    distance = f["to"] - f["from"]
    if t <= f["start"]:
        return f["from"], 0.0, 0.0
    got = steps(abs(distance), t - f["start"])
    if got is None:
        return f["to"], 0.0, 0.0
    sign = np.sign(distance)
    return f["from"] + sign * got[0], sign * got[1], sign * got[2]


def trapezoid(f, t):
    def steps(distance, x):
        v, a = f["max_rate"], f["max_acceleration"]
        v = min(v, np.sqrt(distance * a))
        up, level = v / a, distance / v - v / a
        if x < up:
            return a * x * x / 2, a * x, a
        if x < up + level:
            return a * up * up / 2 + v * (x - up), v, 0.0
        left = 2 * up + level - x
        return (distance - a * left * left / 2, a * left, -a) if left > 0 else None
    return follow(f, t, steps)


def jerk(f, t):
    def steps(distance, x):
        v, a, j = f["max_rate"], f["max_acceleration"], f["max_jerk"]
        build, up = (a / j, a / j + v / a) if v * j >= a * a else (np.sqrt(v / j), 2 * np.sqrt(v / j))
        level = distance / v - up
        if level < 0:
            level = 0.0
            if distance >= 2 * a ** 3 / j ** 2:
                build = a / j
                up = build / 2 + np.sqrt(build * build / 4 + distance / a)
            else:
                build = np.cbrt(distance / (2 * j))
                up = 2 * build
        hold = up - 2 * build
        return pieces([j, 0, -j, 0, -j, 0, j], [build, hold, build, level, build, hold, build], x)
    return follow(f, t, steps)


def bends(times, values):
    """Second derivatives at the points of a cubic spline whose third ones do not jump at the last but outer points."""
    n, h, slope = len(times), np.diff(times), np.diff(values) / np.diff(times)
    A, b = np.zeros((n, n)), np.zeros(n)
    for i in range(1, n - 1):
        A[i, i - 1:i + 2] = h[i - 1] / 6, (h[i - 1] + h[i]) / 3, h[i] / 6
        b[i] = slope[i] - slope[i - 1]
    A[0, :3] = -1 / h[0], 1 / h[0] + 1 / h[1], -1 / h[1]
    A[-1, -3:] = -1 / h[-2], 1 / h[-2] + 1 / h[-1], -1 / h[-1]
    return np.linalg.solve(A, b)


def table(f, t):
    times, values = np.array(f["times"]), np.array(f["values"])
    m = np.zeros(len(times)) if f["interpolation"] == "linear" else bends(times, values)
    i = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2))
    inside = min(max(t, times[0]), times[-1])
    h, x = times[i + 1] - times[i], inside - times[i]
    y = h - x
    value = (m[i] * y ** 3 + m[i + 1] * x ** 3) / (6 * h) + (values[i] / h - m[i] * h / 6) * y \
        + (values[i + 1] / h - m[i + 1] * h / 6) * x
    rate = (m[i + 1] * x * x - m[i] * y * y) / (2 * h) + (values[i + 1] - values[i]) / h - (m[i + 1] - m[i]) * h / 6
    if inside != t:
        return value + rate * (t - inside), rate, 0.0  # straight on beyond its ends
    return value, rate, (m[i] * y + m[i + 1] * x) / h


@dataclass
class Form:
    """f(x), x = t - at, with its derivatives and its text; `power` of time."""
    power: int
    calc: object
    text: object


FORMS = {
    "late": Form(2, lambda x: (max(x, 0.0) ** 2, 2 * max(x, 0.0), 2.0 * (x > 0)), lambda at: f"max(0, t - {at!r})^2"),
    "corner": Form(1, lambda x: (abs(x), np.sign(x), 0.0), lambda at: f"abs(t - {at!r})"),
    "jump": Form(0, lambda x: (float(x >= 0), 0.0, 0.0), lambda at: f"step(t - {at!r})"),
    "choice": Form(1, lambda x: (x if x < 0 else -2 * x, 1.0 if x < 0 else -2.0, 0.0),
                   lambda at: f"if(t < {at!r}, t - {at!r}, -2*(t - {at!r}))"),
}


def expression(f, t):
    return tuple(f["size"] * x + (f["mean"] if k == 0 else 0.0) for k, x in enumerate(FORMS[f["form"]].calc(t - f["at"])))


CALC = {"harmonic": harmonic, "ramp": ramp, "trapezoid": trapezoid, "jerk": jerk, "table": table, "moves": moves,
        "expression": expression}


# -- drawing -------------------------------------------------------------------------------------------------------


def draw(d, size, is_motion, duration=0.5):
    """Any law with values of the order of `size`; what moves something has no corners, and no jumps of its rate."""
    u = lambda low, high: float(d.rng.uniform(low, high))
    kind = str(d.rng.choice(list(POWERS)))
    step = u(0.2, 1) * size * float(d.rng.choice([-1, 1]))
    level = u(-size, size)
    if kind == "harmonic":
        return Law(kind, {"amplitude": step, "frequency": u(1, 5), "phase": u(-3, 3), "offset": level})
    if kind == "ramp":
        return Law(kind, {"from": level, "to": level + step, "start": u(-0.2, 0.3), "duration": u(0.2, 0.5)})
    if kind in ("trapezoid", "jerk"):
        fields = {"from": level, "to": level + step, "start": u(-0.2, 0.2), "max_rate": u(2, 6) * size,
                  "max_acceleration": u(10, 40) * size}
        return Law(kind, fields | ({"max_jerk": u(200, 1000) * size} if kind == "jerk" else {}))
    if kind == "table":
        times = np.cumsum(d.rng.uniform(0.12, 0.3, 6)) - 0.3
        values = level + size * 0.3 * np.cumsum(d.rng.uniform(-1, 1, 6))
        shape = "spline" if is_motion else str(d.rng.choice(["spline", "linear"]))
        return Law(kind, {"times": [float(t) for t in times], "values": [float(v) for v in values],
                          "interpolation": shape})
    if kind == "moves":
        out_at = u(0.01, 0.1)
        return Law(kind, {"inner": level, "outer": level + step, "duration": u(0.1, 0.15), "out_at": out_at,
                          "in_at": out_at + u(0.2, 0.3)})
    form = "late" if is_motion else str(d.rng.choice(list(FORMS)))
    return Law("expression", {"mean": level, "size": step * (4 if form == "late" else 2), "at": u(0.05, 0.4),
                              "form": form})
