"""Small models whose equilibria and modes are known."""

# Falls for ever.
STONE = """\
flyball: 1
gravity: [0, 0, -9.81]
bodies: {stone: {mass: 2, inertia: [1, 2, 3]}}
"""

# Nothing holds it and nothing moves it: six rigid-body motions.
DRIFTING = STONE.replace("gravity: [0, 0, -9.81]\n", "")

# Drawn exactly upright: an equilibrium, but with growth sqrt(g/l).
UPRIGHT = """\
flyball: 1
gravity: [0, 0, -9.81]
bodies: {bob: {shapes: [{type: point, at: [0, 0, 1], mass: 2}], points: {tip: [0, 0, 1]}}}
joints: {pivot: {type: revolute, between: [ground, bob], point: [0, 0, 0], axis: [0, 1, 0]}}
outputs: {angle: pivot.q}
"""

# Three pins in a triangle.
TRUSS = """\
flyball: 1
gravity: [0, -9.81, 0]
bodies:
  a: {shapes: [{type: rod, from: [0, 0, 0], to: [1, 1, 0], mass: 1}]}
  b: {shapes: [{type: rod, from: [2, 0, 0], to: [1, 1, 0], mass: 1}]}
joints:
  left: {type: revolute, between: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}
  right: {type: revolute, between: [ground, b], point: [2, 0, 0], axis: [0, 0, 1]}
  top: {type: revolute, between: [a, b], point: [1, 1, 0], axis: [0, 0, 1]}
"""

# The leaf can turn and has no inertia.
MASSLESS = """\
flyball: 1
gravity: [0, 0, -9.81]
bodies:
  bob: {shapes: [{type: point, at: [0, 0, -1], mass: 2}]}
  leaf: {position: [0, 0, -1]}
joints:
  pivot: {type: revolute, between: [ground, bob], point: [0, 0, 0], axis: [0, 1, 0]}
  hinge: {type: revolute, between: [bob, leaf], point: [0, 0, -1], axis: [0, 1, 0]}
"""

# omega = 5 rad/s, damping ratio 0.02, no force at rest; drawn 0.2 m away.
OSCILLATOR = """\
flyball: 1
bodies: {m: {mass: 2, inertia: [1, 1, 1], points: {p: [0, 0, 0]}, position: [0.7, 0, 0]}}
joints: {slide: {type: prismatic, between: [ground, m], point: [0, 0, 0], axis: [1, 0, 0], offset: 0.7}}
forces:
  spring: {type: spring, a: ground, b: m.p, stiffness: 50, damping: 0.4, rest: 0.5}
  push: {type: actuator, joint: slide, value: 0}
outputs: {x: slide.q, v: slide.v}
simulation: {duration: 1, sample: 0.1}
"""

# Two equal masses between three equal springs: omega^2 = k/m and 3 k/m.
CHAIN = """\
flyball: 1
parameters: {k: 200, m: 0.5}
bodies:
  one: {mass: m, inertia: [1, 1, 1], position: [1, 0, 0], points: {p: [0, 0, 0]}}
  two: {mass: m, inertia: [1, 1, 1], position: [2, 0, 0], points: {p: [0, 0, 0]}}
joints:
  s1: {type: prismatic, between: [ground, one], point: [0, 0, 0], axis: [1, 0, 0]}
  s2: {type: prismatic, between: [ground, two], point: [0, 0, 0], axis: [1, 0, 0]}
forces:
  f1: {type: spring, a: ground, b: one.p, stiffness: k, rest: 1}
  f2: {type: spring, a: one.p, b: two.p, stiffness: k, rest: 1}
  f3: {type: spring, a: two.p, b: {body: ground, at: [3, 0, 0]}, stiffness: k, rest: 1}
"""

# N masses between N + 1 springs on a line: omega_j = 2 sqrt(k/m) sin(j pi / (2 (N + 1))), and damping in proportion.
LONG_CHAIN = """\
flyball: 1
parameters: {N: 1500, k: 50, m: 2, c: 0}
repeat:
  - for: i
    from: 1
    to: N
    bodies: {"m{i}": {position: [i, 0, 0], mass: m, inertia: [1, 1, 1]}}
    joints: {"s{i}": {type: prismatic, between: [ground, "m{i}"], point: [i, 0, 0], axis: [1, 0, 0]}}
  - for: i
    from: 1
    to: N - 1
    forces: {"k{i}": {type: spring, a: {body: "m{i}"}, b: {body: "m{i+1}"}, stiffness: k, damping: c, rest: 1}}
  - for: i
    from: 1
    to: 2
    forces:
      "end{i}":
        type: spring
        a: {body: ground, at: ["if(i == 1, 0, N + 1)", 0, 0]}
        b: {body: "m{if(i == 1, 1, N)}"}
        stiffness: k
        damping: c
        rest: 1
"""
