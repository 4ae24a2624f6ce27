"""The mechanics of a mechanism worked out a second time: absolute coordinates, multipliers, singular values.

Each body has the position of its centre and a rotation matrix; the unknowns are six accelerations per body. All joints
and constraints are rows, none is eliminated by a tree, and their derivatives come from Taylor series (jets.py). Rank,
null spaces and multipliers come from a singular value decomposition of the rows in the mass metric.
"""
from dataclasses import dataclass

import numpy as np

import jets
from jets import Jet, dot
from joint_types import TYPES, rates as joint_rates
from mechanism import GROUND, Coordinate, Wave, matrix_of, quaternion, rotation

STUCK = 1e-7  # rate below which dry friction holds, by a force that its law does not tell
UNDECIDED = 1e-3  # of the largest force that it holds by: it is about to slip, or has just begun to
RANK = 1e-9  # singular values below this part of the largest are zero


class Moving:
    """A frame that moves along s: p, x, y, z."""

    def __init__(self, p, x, y, z):
        self.p, self.x, self.y, self.z = p, x, y, z


@dataclass
class State:
    x: np.ndarray  # [n, 3] centres
    R: np.ndarray  # [n, 3, 3]
    v: np.ndarray  # [n, 3]
    w: np.ndarray  # [n, 3] ground axes
    t: float = 0.0


@dataclass
class Row:
    """A scalar: its value, Jacobian over all bodies, and second derivative with all accelerations zero."""
    value: float
    jacobian: np.ndarray
    gamma: float
    is_velocity: bool = False


@dataclass
class Answer:
    rows: int
    rank: int
    freedoms: int
    redundant: int
    gap: float  # the largest singular value taken as zero, and the smallest taken as not zero, of the largest
    least: float
    a: np.ndarray  # [n, 6]
    wrench: dict  # joint: force and torque on b about the origin of B
    ambiguous: dict  # joint: columns that span what is not determined of the wrench
    kinetic: float
    position_error: float
    velocity_error: float
    is_stuck: bool = False  # dry friction holds something
    is_undecided: bool = False  # ... and is about to slip
    is_shared: bool = False  # ... at several places that hold each other: reactions are not determined


def inverse_root(M):
    """X with X' M X = 1, with digits to spare."""
    n = len(M)
    L, X = np.zeros((n, n), np.longdouble), np.eye(n, dtype=np.longdouble)
    for j in range(n):
        column = M[j:, j] - L[j:, :j] @ L[j, :j]
        L[j:, j] = column / np.sqrt(column[0])
    for j in range(n):
        X[j] = (X[j] - L[j, :j] @ X[:j]) / L[j, j]
    return X.T


def least_solution(G, b):
    """The smallest y with G y = b. Where light bodies join heavy ones, what moves the light ones is small in y and lost
    in the singular vectors; repeating with residuals of more digits returns it."""
    U, sigma, Vt = np.linalg.svd(G.astype(float), full_matrices=False)
    rank = int(np.sum(sigma > RANK * sigma[0])) if len(sigma) else 0
    U, sigma, Vt = U[:, :rank], sigma[:rank], Vt[:rank]
    y, mu = np.zeros(G.shape[1], np.longdouble), np.zeros(len(b), np.longdouble)
    for _ in range(5):
        along, across = (-(y + G.T @ mu)).astype(float), (b - G @ y).astype(float)
        p, q = Vt @ along, (U.T @ across) / sigma
        y = y + (along - Vt.T @ (p - q))
        mu = mu + U @ ((p - q) / sigma)
    return y


class Oracle:
    def __init__(self, mechanism):
        self.m = mechanism
        self.index = {b.name: i for i, b in enumerate(mechanism.bodies)}
        self.n = len(mechanism.bodies)
        self.rank = None  # held while integrating: off the constraints by an error of the method it looks larger
        self.reference = {}  # (joint, index): coordinate without offset, near which angles are counted

    # -- geometry ------------------------------------------------------------------------------------------------

    def drawn(self):
        """The state of the drawing, with the velocities of the mechanism."""
        m = self.m
        zero = np.zeros(3)
        twists = [m.twists.get(b.name, (zero, zero)) for b in m.bodies]
        return State(np.array([b.centre() for b in m.bodies]).reshape(-1, 3),
                     np.array([b.R for b in m.bodies]).reshape(-1, 3, 3),
                     np.array([t[0] for t in twists]).reshape(-1, 3), np.array([t[1] for t in twists]).reshape(-1, 3))

    def moving(self, s, body, at, R, v, w):
        """A frame at the place `at` of a body frame with the axes R in it; v, w [batch, 3] move its body."""
        W = jets.skews(w)
        if body == GROUND:
            return Moving(jets.as_jet(np.zeros_like(v) + at), *jets.moving_columns(R, W))
        i = self.index[body]
        arm = (at - self.m.bodies[i].c)[:, None]
        x, y, z, arm = jets.moving_columns(s.R[i] @ np.hstack((R, arm)), W)
        return Moving(Jet(s.x[i] + arm.c0, v + arm.c1, arm.c2), x, y, z)

    def motions(self, s, a, b):
        """Twists of the pair (a, b): six unit ones of a, six of b, and the real ones: two pairs of [13, 3]."""
        out = []
        for k, body in enumerate((a, b)):
            v, w = np.zeros((13, 3)), np.zeros((13, 3))
            if body != GROUND:
                v[6 * k:6 * k + 3] = np.eye(3)
                w[6 * k + 3:6 * k + 6] = np.eye(3)
                i = self.index[body]
                v[12], w[12] = s.v[i], s.w[i]
            out.append((v, w))
        if a == b:
            raise ValueError("a pair needs two bodies")
        return out

    def pair(self, s, a, b, function):
        """Rows of a function of two frames; a and b are (body, at, R)."""
        (va, wa), (vb, wb) = self.motions(s, a[0], b[0])
        A, B = self.moving(s, *a, va, wa), self.moving(s, *b, vb, wb)
        return [self.row(f, a[0], b[0]) for f in function(A, B)]

    def row(self, f, a, b, is_velocity=False):
        """The row of a jet over the batch of `motions`. Of a velocity row the value is what is differentiated once."""
        jacobian = np.zeros(6 * self.n)
        per_motion = f.c0 if is_velocity else f.c1
        for k, body in enumerate((a, b)):
            if body != GROUND:
                i = self.index[body]
                jacobian[6 * i:6 * i + 6] += per_motion[6 * k:6 * k + 6]
        gamma = f.c1[12] if is_velocity else 2 * f.c2[12]
        return Row(f.c0[12], jacobian, gamma, is_velocity)

    def local(self, body, frame):
        """(body, at, R) of a frame that is given in the drawing."""
        base = self.m.frame_of(body)
        return body, base.R.T @ (frame.p - base.p), base.R.T @ frame.R

    def of_point(self, point):
        return point.body, point.at, np.eye(3)

    # -- joints and constraints ----------------------------------------------------------------------------------

    def joint_rows(self, s, joint):
        a, b = self.local(joint.a, joint.A), self.local(joint.b, joint.B)
        return self.pair(s, a, b, lambda A, B: TYPES[joint.type].rows(A, B, joint))

    def coordinate(self, s, c):
        joint = self.m.joint(c.joint)
        kind = TYPES[joint.type]
        a, b = self.local(joint.a, joint.A), self.local(joint.b, joint.B)
        is_beyond = kind.beyond and np.cos(self.reference.get((c.joint, kind.middle), 0.0)) < 0
        values = kind.beyond if is_beyond else kind.coordinates
        row = self.pair(s, a, b, lambda A, B: [values(A, B)[c.index]])[0]
        if kind.kinds[c.index] == 0:
            near = self.reference.get((c.joint, c.index), 0.0)
            row.value += 2 * np.pi * np.round((near - row.value) / (2 * np.pi))
        if joint.offset:
            row.value += joint.offset[c.index]
        return row

    def count_turns(self, s, near=None):
        """Angles continue from those of a state, or from recorded coordinates: joint: list."""
        reference = {}
        for j in self.m.joints:
            for k in range(len(TYPES[j.type].kinds)):
                value = near[j.name][k] if near else self.coordinate(s, Coordinate(j.name, k)).value
                reference[j.name, k] = value - (j.offset[k] if j.offset else 0.0)
        self.reference = reference

    def joint_rates(self, s, joint):
        """What `velocity` of this joint would have to say, and its Jacobian over all bodies."""
        a, b = self.local(joint.a, joint.A), self.local(joint.b, joint.B)
        (va, wa), (vb, wb) = self.motions(s, a[0], b[0])
        A, B = self.moving(s, *a, va, wa), self.moving(s, *b, vb, wb)
        rates = joint_rates(joint, A, B, wa, wb)
        jacobian = np.zeros((len(rates), 6 * self.n))
        for k, body in enumerate((joint.a, joint.b)):
            if body != GROUND:
                i = self.index[body]
                jacobian[:, 6 * i:6 * i + 6] += rates[:, 6 * k:6 * k + 6]
        return rates[:, 12], jacobian

    def distance(self, s, a, b):
        return self.pair(s, self.of_point(a), self.of_point(b),
                         lambda A, B: [jets.sqrt(dot(B.p - A.p, B.p - A.p))])[0]

    def constraint_rows(self, s, c):
        return getattr(self, "rows_" + c.type)(s, c)

    def driven(self, s, row, wave, offset=0.0):
        value, rate, acceleration = wave.at(s.t)
        row.value -= value + offset
        row.drive = rate
        row.gamma -= acceleration
        return [row]

    def rows_distance(self, s, c):
        return self.driven(s, self.distance(s, c.a, c.b), c.value)

    def rows_point_on_line(self, s, c):
        across = np.linalg.svd(np.asarray(c.axis).reshape(1, 3))[2][1:]
        line = (c.line.body, c.line.at, np.column_stack((across[0], across[1], np.cross(across[0], across[1]))))
        return self.pair(s, line, self.of_point(c.point),
                         lambda A, B: [dot(A.x, B.p - A.p), dot(A.y, B.p - A.p)])

    def rows_point_on_plane(self, s, c):
        return self.pair(s, self.along(c.plane, c.normal), self.of_point(c.point),
                         lambda A, B: [dot(A.x, B.p - A.p)])

    def rows_point_motion(self, s, c):
        row = self.pair(s, self.along(c.relative_to, c.axis), self.of_point(c.point),
                        lambda A, B: [dot(A.x, B.p - A.p)])[0]
        return self.driven(s, row, c.value, c.offset)

    def along(self, point, direction):
        """A frame at a point whose x is a direction in body axes (y and z are not used)."""
        u = np.asarray(direction) / np.linalg.norm(direction)
        return point.body, point.at, np.column_stack((u, u, u))

    def rows_motion(self, s, c):
        return self.driven(s, self.coordinate(s, c.joint), c.value)

    def combination(self, s, terms, offset, wave=Wave()):
        parts = [(self.coordinate(s, q), f) for q, f in terms]
        row = Row(sum(f * r.value for r, f in parts) - offset, sum(f * r.jacobian for r, f in parts),
                  sum(f * r.gamma for r, f in parts))
        return self.driven(s, row, wave)

    def rows_coupling(self, s, c):
        return self.combination(s, c.terms, c.offset, c.value)

    def rows_gear(self, s, c):
        return self.combination(s, [(c.b, 1.0), (c.a, -c.ratio)], c.offset)

    def rows_rack(self, s, c):
        return self.combination(s, [(c.rack, 1.0), (c.pinion, -c.radius)], c.offset)

    def rows_rolling(self, s, c):
        """The lowest point stays in the plane, and the material point there does not slip."""
        plane, wheel = self.of_point(c.plane), (c.center.body, c.center.at, np.eye(3))
        (va, wa), (vb, wb) = self.motions(s, plane[0], wheel[0])
        A, B = self.moving(s, *plane, va, wa), self.moving(s, *wheel, vb, wb)
        normal = np.asarray(c.normal) / np.linalg.norm(c.normal)
        n = A.x * normal[0] + A.y * normal[1] + A.z * normal[2]
        if c.shape == "sphere":
            down, reach = n, c.radius
        else:
            axis = np.asarray(c.axis) / np.linalg.norm(c.axis)
            u = B.x * axis[0] + B.y * axis[1] + B.z * axis[2]
            e = n - dot(n, u).vector() * u
            length = jets.sqrt(dot(e, e))
            down, reach = e * jets.reciprocal(length).vector(), length * c.radius
        rows = [self.row(dot(n, B.p - A.p) - reach, plane[0], wheel[0])]
        slip = B.p.rate() + jets.cross(wb, down * (-c.radius))  # the plane is the ground: it does not move
        across = np.linalg.svd(normal.reshape(1, 3))[2][1:]
        for t in across:
            row = self.row(dot(slip, t), plane[0], wheel[0], is_velocity=True)
            row.value = 0.0
            rows.append(row)
        return rows

    def all_rows(self, s):
        rows, owners = [], []
        for j in self.m.joints:
            new = self.joint_rows(s, j)
            rows += new
            owners += [j.name] * len(new)
        for c in self.m.constraints:
            new = self.constraint_rows(s, c)
            rows += new
            owners += [None] * len(new)
        return rows, owners

    def row_names(self):
        """(part, row) as the program calls them, in the order of all_rows; None where it has directions of its own."""
        names = [(j.name, text) for j in self.m.joints for text in TYPES[j.type].row_names()]
        for c in self.m.constraints:
            names += [(c.name, None)] * len(self.constraint_rows(self.drawn(), c))
        return names

    def drives_what_is_held(self):
        """Whether a law prescribes what other rows hold or prescribe too: they contradict each other sooner or later."""
        rows, _ = self.all_rows(self.drawn())
        first = sum(len(TYPES[j.type].row_names()) for j in self.m.joints)
        driven = []
        for c in self.m.constraints:
            count = len(self.constraint_rows(self.drawn(), c))
            driven += [first] if "value" in c.fields and not c.value.is_constant() else []
            first += count
        if not driven:
            return False
        G = np.array([r.jacobian / np.linalg.norm(r.jacobian) for r in rows])
        U, sigma, _ = np.linalg.svd(G)
        null = U[:, int(np.sum(sigma > RANK * sigma[0])):]
        return bool(null.size and np.max(np.abs(null[driven])) > 1e-8)

    def is_choice(self, dropped):
        """Whether all rows of the drawing follow from those that are left without `dropped`: (part, row) each."""
        rows, _ = self.all_rows(self.drawn())
        L = np.linalg.cholesky(self.mass(self.drawn())[0])
        G = np.linalg.solve(L, np.array([r.jacobian for r in rows]).T).T
        G /= np.linalg.norm(G, axis=1)[:, None]
        kept = [i for i, name in enumerate(self.row_names()) if name not in dropped]
        rank = [int(np.sum(s > RANK * s[0])) for s in (np.linalg.svd(g, compute_uv=False) for g in (G, G[kept]))]
        return len(kept) == rank[1] == rank[0]

    # -- forces --------------------------------------------------------------------------------------------------

    def forces(self, s):
        """Forces and torques about the centres [6 n], without the constraints."""
        f = np.zeros(6 * self.n)
        self.stuck = []  # rows and largest forces of dry friction at rest
        for i, b in enumerate(self.m.bodies):
            f[6 * i:6 * i + 3] = b.mass * self.m.gravity
        velocity = self.velocity(s)
        for part in self.m.forces:
            f += getattr(self, "force_" + part.type)(s, part, velocity)
        return f

    def velocity(self, s):
        return np.hstack((s.v, s.w)).ravel()

    def resist(self, row, velocity, stiffness, rest, damping, preload):
        pull = stiffness * (row.value - rest) + damping * (row.jacobian @ velocity) + preload
        return -pull * row.jacobian

    def resist_spring(self, row, velocity, f):
        """Also what is not linear: a cubic part, a stop, dry friction."""
        x, rate = row.value - f.rest, row.jacobian @ velocity
        pull = f.cubic * x ** 3 + f.side * f.kink * max(0.0, f.side * x - f.gap)
        if f.dry > 0.0 and abs(rate) < STUCK:
            self.stuck.append((row, f.dry))
        else:
            pull += f.dry * np.sign(rate)
        return self.resist(row, velocity, f.stiffness, f.rest, f.damping, f.preload) - pull * row.jacobian

    def force_spring(self, s, f, velocity):
        return self.resist_spring(self.distance(s, f.a, f.b), velocity, f)

    def force_torsion(self, s, f, velocity):
        return self.resist_spring(self.coordinate(s, f.joint), velocity, f)

    def force_bushing(self, s, f, velocity):
        a, b = (self.local(*end) for end in (f.a, f.b))
        places = self.pair(s, a, b, lambda A, B: [dot(k, B.p - A.p) for k in (A.x, A.y, A.z)])
        angles = self.pair(s, a, b, rotation_vector)
        out = np.zeros(6 * self.n)
        for row, k, c in zip(places, f.translation_stiffness, f.translation_damping):
            out += self.resist(row, velocity, k, 0.0, c, 0.0)
        for row, k in zip(angles, f.rotation_stiffness):
            out += self.resist(row, velocity, k, 0.0, 0.0, 0.0)
        axes = self.frame_axes(s, a)
        relative = self.spin(s, b[0]) - self.spin(s, a[0])
        torque = -axes @ (np.asarray(f.rotation_damping) * (axes.T @ relative))
        return out + self.wrench(b[0], torque=torque) + self.wrench(a[0], torque=-torque)

    def frame_axes(self, s, frame):
        return frame[2] if frame[0] == GROUND else s.R[self.index[frame[0]]] @ frame[2]

    def spin(self, s, body):
        return np.zeros(3) if body == GROUND else s.w[self.index[body]]

    def wrench(self, body, force=np.zeros(3), arm=np.zeros(3), torque=np.zeros(3)):
        out = np.zeros(6 * self.n)
        if body != GROUND:
            i = self.index[body]
            out[6 * i:6 * i + 3] = force
            out[6 * i + 3:6 * i + 6] = np.cross(arm, force) + torque
        return out

    def force_friction(self, s, f, velocity):
        row = self.coordinate(s, f.joint)
        rate = row.jacobian @ velocity
        dry = f.coulomb + f.stribeck * np.exp(-(rate / f.stribeck_velocity) ** 2)
        return -(dry * np.tanh(rate / f.smoothing_velocity) + f.viscous * rate) * row.jacobian

    def force_force(self, s, f, velocity):
        i = self.index[f.point.body]
        value = np.array([w.at(s.t)[0] for w in f.value])
        force = s.R[i] @ value if f.axes == "body" else value
        return self.wrench(f.point.body, force=force, arm=s.R[i] @ (f.point.at - self.m.bodies[i].c))

    def force_torque(self, s, f, velocity):
        i = self.index[f.body]
        value = np.array([w.at(s.t)[0] for w in f.value])
        return self.wrench(f.body, torque=s.R[i] @ value if f.axes == "body" else value)

    def force_actuator(self, s, f, velocity):
        row = self.coordinate(s, f.joint) if "joint" in f.fields else self.distance(s, f.a, f.b)
        return f.value.at(s.t)[0] * row.jacobian

    # -- equations -----------------------------------------------------------------------------------------------

    def mass(self, s):
        """Mass matrix, and the gyroscopic torques."""
        M, h = np.zeros((6 * self.n, 6 * self.n)), np.zeros(6 * self.n)
        for i, b in enumerate(self.m.bodies):
            inertia = s.R[i] @ b.inertia @ s.R[i].T
            M[6 * i:6 * i + 3, 6 * i:6 * i + 3] = b.mass * np.eye(3)
            M[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = inertia
            h[6 * i + 3:6 * i + 6] = np.cross(s.w[i], inertia @ s.w[i])
        return M, h

    def hold(self, f, accelerations, M):
        """Adds dry friction that holds what is at rest, or lets go by its largest force; is it about to slip? What constraints
        hold already needs none, and has any: then reactions are not determined."""
        movable = lambda j: j @ (accelerations(f + j) - accelerations(f)) > 1e-9 * (j @ np.linalg.solve(M, j))
        held, slipping = [x for x in self.stuck if movable(x[0].jacobian)], np.zeros(6 * self.n)
        self.is_shared = holds_twice = len(held) < len(self.stuck)
        slips = bool(held)  # where all have let go
        while held:
            J = np.array([row.jacobian for row, _ in held])
            at_rest = accelerations(f + slipping)
            response = np.array([accelerations(f + slipping + j) - at_rest for j in J]).T
            found = np.linalg.lstsq(J @ response, -(J @ at_rest + [row.gamma for row, _ in held]), rcond=1e-9)
            force = found[0]
            self.is_shared = holds_twice or found[2] < len(held)
            share = [abs(x) / dry for x, (_, dry) in zip(force, held)]
            worst = int(np.argmax(share))
            if share[worst] <= 1.0:
                return f + slipping + force @ J, share[worst] > 1.0 - UNDECIDED
            row, dry = held.pop(worst)
            slipping = slipping + np.sign(force[worst]) * dry * row.jacobian
        return f + slipping, slips

    def solve(self, s):
        rows, owners = self.all_rows(s)
        M, h = self.mass(s)
        f = self.forces(s) - h
        is_stuck, is_undecided, self.is_shared = bool(self.stuck), False, False
        # In y = L'a with M = LL' the rows J L'^-1 have comparable columns; each row is scaled to length one.
        L = np.linalg.cholesky(M)
        velocity = self.velocity(s)
        if not rows:
            if is_stuck:
                f, is_undecided = self.hold(f, lambda x: np.linalg.solve(M, x), M)
            a = np.linalg.solve(L.T, np.linalg.solve(L, f))
            none = {j.name: np.zeros(6) for j in self.m.joints}
            return Answer(0, 0, 6 * self.n, 0, 0.0, 1.0, a.reshape(-1, 6), none, {n: np.zeros((6, 0)) for n in none},
                          0.5 * velocity @ M @ velocity, 0, 0, is_stuck, is_undecided)
        J = np.array([r.jacobian for r in rows])
        G = np.linalg.solve(L, J.T).T
        scale = np.linalg.norm(G, axis=1)
        G = G / scale[:, None]
        gamma = np.array([r.gamma for r in rows]) / scale
        U, sigma, Vt = np.linalg.svd(G)
        rank = self.rank or int(np.sum(sigma > RANK * sigma[0]))
        U1, V1 = U[:, :rank], Vt[:rank].T
        # y = free + G'mu with G y = -gamma; the multipliers mu of least norm. Small singular values are not squared:
        # light bodies between heavy ones have them.
        def motion(force):
            free = np.linalg.solve(L, force)
            held = (U1.T @ -gamma) / sigma[:rank] - V1.T @ free
            return free, held, np.linalg.solve(L.T, free + V1 @ held)

        if is_stuck:
            f, is_undecided = self.hold(f, lambda x: motion(x)[2], M)
        free, held, a = motion(f)
        mu = U1 @ (held / sigma[:rank])
        lam, null = mu / scale, U[:, rank:] / scale[:, None]
        wrench, ambiguous = self.reactions(s, J, owners, lam, null)
        drive = np.array([getattr(r, "drive", 0.0) for r in rows])
        return Answer(len(rows), rank, 6 * self.n - rank, len(rows) - rank,
                      sigma[rank] / sigma[0] if rank < len(sigma) else 0.0, self.distance_to_singular(J, rank),
                      a.reshape(-1, 6), wrench, ambiguous, 0.5 * velocity @ M @ velocity,
                      max(abs(r.value) for r in rows), float(np.max(np.abs(J @ velocity - drive))), is_stuck, is_undecided,
                      self.is_shared)

    @staticmethod
    def distance_to_singular(J, rank):
        """The least singular value that is not zero, of the largest, whatever the masses."""
        sigma = np.linalg.svd(J / np.linalg.norm(J, axis=1)[:, None], compute_uv=False)
        return sigma[rank - 1] / sigma[0]

    def reactions(self, s, J, owners, lam, null):
        """Of each joint: force and torque on b at the origin of B, and the directions in which they may differ."""
        wrench, ambiguous = {}, {}
        for joint in self.m.joints:
            mine = [r for r, owner in enumerate(owners) if owner == joint.name]
            body, sign = (joint.b, 1) if joint.b != GROUND else (joint.a, -1)
            i = self.index[body]
            at = self.origin_of_b(s, joint)
            shift = np.zeros((6, len(mine)))  # of force and torque about the centre to the origin of B
            for k, r in enumerate(mine):
                force, torque = J[r, 6 * i:6 * i + 3], J[r, 6 * i + 3:6 * i + 6]
                shift[:3, k] = sign * force
                shift[3:, k] = sign * (torque - np.cross(at - s.x[i], force))
            wrench[joint.name] = shift @ lam[mine]
            ambiguous[joint.name] = shift @ null[mine]
        return wrench, ambiguous

    def origin_of_b(self, s, joint):
        body, at, _ = self.local(joint.b, joint.B)
        if body == GROUND:
            return at
        i = self.index[body]
        return s.x[i] + s.R[i] @ (at - self.m.bodies[i].c)

    # -- velocities and small motions ----------------------------------------------------------------------------

    def null_space(self, s, extra=None):
        """Velocities that all rows allow, as columns that are orthonormal in the mass metric."""
        rows, _ = self.all_rows(s)
        M, _ = self.mass(s)
        L = np.linalg.cholesky(M)
        J = [r.jacobian for r in rows] + list(extra or [])
        if not J:
            return np.linalg.inv(L.T)
        G = np.linalg.solve(L, np.array(J).T).T
        G /= np.linalg.norm(G, axis=1)[:, None]
        _, sigma, Vt = np.linalg.svd(G)
        rank = int(np.sum(sigma > RANK * sigma[0]))
        return np.linalg.solve(L.T, Vt[rank:].T)

    def slowest(self, s, jacobian, rate):
        """The velocity of least kinetic energy with given rates of some scalars; all rows hold as well."""
        rows, _ = self.all_rows(s)
        J = np.array([r.jacobian for r in rows] + list(jacobian)).reshape(-1, 6 * self.n)
        b = np.array([getattr(r, "drive", 0.0) for r in rows] + list(rate))
        inverse = inverse_root(self.mass(s)[0])
        G = J.astype(np.longdouble) @ inverse
        scale = np.sqrt(np.sum(G * G, axis=1))
        return (inverse @ least_solution(G / scale[:, None], b / scale)).astype(float)

    def eigenvalues(self, s):
        """Of small motions about the drawing, where nothing is loaded and nothing moves: K and C are sums of k j j'."""
        M, _ = self.mass(s)
        K, C = np.zeros_like(M), np.zeros_like(M)
        for part in self.m.forces:
            for row, k, c in self.elastic(s, part):
                K += k * np.outer(row.jacobian, row.jacobian)
                C += c * np.outer(row.jacobian, row.jacobian)
        Z = self.null_space(s)
        n = Z.shape[1]
        A = np.zeros((2 * n, 2 * n))
        A[:n, n:] = np.eye(n)
        A[n:, :n], A[n:, n:] = -self.seen(K, Z), -self.seen(C, Z)  # Z'MZ = 1
        return np.linalg.eigvals(A)

    @staticmethod
    def seen(K, Z):
        """Z'KZ; exactly zero where the free motions touch no spring but by the rounding of Z, which enters squared."""
        reduced = Z.T @ K @ Z
        rounding = (1e3 * np.finfo(float).eps * np.linalg.norm(Z)) ** 2 * np.linalg.norm(K)
        return reduced if np.linalg.norm(reduced) > rounding else np.zeros_like(reduced)

    def elastic(self, s, f):
        """The scalars of a force with their stiffness and damping."""
        if f.type == "spring":
            return [(self.distance(s, f.a, f.b), f.stiffness, f.damping)]
        if f.type == "torsion":
            return [(self.coordinate(s, f.joint), f.stiffness, f.damping)]
        if f.type == "bushing":
            a, b = (self.local(*end) for end in (f.a, f.b))
            places = self.pair(s, a, b, lambda A, B: [dot(k, B.p - A.p) for k in (A.x, A.y, A.z)])
            angles = self.pair(s, a, b, rotation_vector)
            return list(zip(places, f.translation_stiffness, f.translation_damping)) + \
                list(zip(angles, f.rotation_stiffness, f.rotation_damping))
        raise ValueError(f.type)

    # -- motion --------------------------------------------------------------------------------------------------

    def integrate(self, s, duration, steps):
        """Classical Runge-Kutta on positions and quaternions, with the constraints restored after each step."""
        h = duration / steps
        self.rank = self.solve(s).rank
        for _ in range(steps):
            s = self.project(self.step(s, h))
            self.count_turns(s)
        return s

    def step(self, s, h):
        start, t = pack(s), s.t
        k = []
        for c in (0.0, 0.5, 0.5, 1.0):
            at = unpack(start + (c * h) * k[-1] if k else start, t + c * h)
            k.append(self.derivative(at))
        return unpack(start + h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]), t + h)

    def derivative(self, s):
        a = self.solve(s).a
        q = pack(s)[:, 3:7]
        spin = np.hstack((-np.sum(s.w * q[:, 1:], axis=1, keepdims=True), q[:, :1] * s.w + np.cross(s.w, q[:, 1:])))
        return np.hstack((s.v, 0.5 * spin, a))

    def project(self, s):
        """Two Newton steps to the constraints, and the velocities onto them, both least in the mass metric."""
        for _ in range(2):
            rows, _ = self.all_rows(s)
            if not rows:
                return s
            value = np.array([r.value for r in rows])
            s = self.moved_by(s, self.least(s, rows, -value))
        rows, _ = self.all_rows(s)
        J = np.array([r.jacobian for r in rows])
        drive = np.array([getattr(r, "drive", 0.0) for r in rows])
        dv = self.least(s, rows, drive - J @ self.velocity(s)).reshape(-1, 6)
        return State(s.x, s.R, s.v + dv[:, :3], s.w + dv[:, 3:], s.t)

    def least(self, s, rows, right):
        J = np.array([r.jacobian for r in rows])
        L = np.linalg.cholesky(self.mass(s)[0])
        G = np.linalg.solve(L, J.T).T
        scale = np.linalg.norm(G, axis=1)
        U, sigma, Vt = np.linalg.svd(G / scale[:, None], full_matrices=False)
        r = self.rank
        return np.linalg.solve(L.T, Vt[:r].T @ ((U[:, :r].T @ (right / scale)) / sigma[:r]))

    def moved_by(self, s, d):
        d = d.reshape(-1, 6)
        return State(s.x + d[:, :3], turned(s.R, d[:, 3:]), s.v, s.w, s.t)


def pack(s):
    """[n, 13]: centre, quaternion, velocity, angular velocity."""
    return np.hstack((s.x, np.array([quaternion(R) for R in s.R]), s.v, s.w))


def unpack(y, t):
    return State(y[:, :3], np.array([matrix_of(q) for q in y[:, 3:7]]), y[:, 7:10], y[:, 10:], t)


def turned(R, u):
    return np.array([rotation(ui) @ Ri for ui, Ri in zip(u, R)]).reshape(-1, 3, 3)


def rotation_vector(A, B):
    """Of B as seen from A, in A's axes, as jets."""
    columns = [[dot(k, b) for b in (B.x, B.y, B.z)] for k in (A.x, A.y, A.z)]  # [row][column] of R_AB
    half = [(columns[2][1] - columns[1][2]) * 0.5, (columns[0][2] - columns[2][0]) * 0.5,
            (columns[1][0] - columns[0][1]) * 0.5]
    cosine = (columns[0][0] + columns[1][1] + columns[2][2] - 1.0) * 0.5
    square = half[0] * half[0] + half[1] * half[1] + half[2] * half[2]
    if np.all(square.c0 < 1e-4) and np.all(cosine.c0 > 0):
        # asin(x)/x in x^2, where the square root has no derivative
        ratio = 1.0 + square * (1 / 6 + square * (3 / 40 + square * (15 / 336 + square * (105 / 3456))))
    else:
        sine = jets.sqrt(square)
        ratio = jets.atan2(sine, cosine) / sine
    return [h * ratio for h in half]


def state_of(mechanism, sample):
    """A state from what the program recorded of each body: centre, quaternion, velocities."""
    names = [b.name for b in mechanism.bodies]
    return State(np.array([sample[n]["p"] for n in names]), np.array([matrix_of(sample[n]["q"]) for n in names]),
                 np.array([sample[n]["v"] for n in names]), np.array([sample[n]["w"] for n in names]), sample["t"])
