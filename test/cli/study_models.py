"""Models of the tests of sweeps and optimizations."""

# A mass on a spring, whose damping ratio is a parameter.
OSCILLATOR = """\
flyball: 1
name: oscillator
parameters: {zeta: 0.05, m: 1, x0: 0.1}
bodies: {mass: {mass: m}}
joints: {rail: {type: prismatic, between: [ground, mass], point: [0, 0, 0], axis: [1, 0, 0], position: x0}}
forces: {hold: {type: torsion, joint: rail, stiffness: m, damping: 2*zeta*m}}
outputs: {x: rail.q, v: rail.v}
simulation: {duration: 20, sample: 0.1}
"""

# A mass that is hit at the start, with a second one as its absorber.
ABSORBER = """\
flyball: 1
name: absorber
parameters: {mu: 0.05, tuning: 1, zeta: 0.1}
bodies: {main: {mass: 1}, small: {mass: mu}}
joints:
  rail: {type: prismatic, between: [ground, main], point: [0, 0, 0], axis: [1, 0, 0], position: 0, velocity: 1}
  relative: {type: prismatic, between: [main, small], point: [0, 0, 0], axis: [1, 0, 0], position: 0, velocity: -1}
forces:
  spring: {type: torsion, joint: rail, stiffness: 1, damping: 0}
  tune: {type: torsion, joint: relative, stiffness: mu*tuning^2, damping: 2*zeta*mu*tuning}
outputs: {x: rail.q, stroke: relative.q}
simulation: {duration: 250, sample: 0.05, rtol: 1e-8, atol: 1e-10}
"""

# A point mass that is pulled along its swinging guide.
REEL = """\
flyball: 1
name: reel
gravity: [0, 0, -9.81]
parameters: {W: sqrt(9.81), phase: 3, stroke: 0.1}
laws: {reel: {type: harmonic, offset: 1, amplitude: stroke, frequency: 2*W, phase: phase}}
bodies: {guide: {}, bob: {position: [0, 0, -1], mass: 1}}
joints:
  pivot: {type: revolute, between: [ground, guide], point: [0, 0, 0], axis: [0, 1, 0], position: 0.2}
  slide: {type: prismatic, between: [guide, bob], point: [0, 0, -1], axis: [0, 0, -1], offset: 1}
constraints: {drive: {type: motion, joint: slide, law: reel}}
outputs: {theta: pivot.q, s: slide.q}
simulation: {duration: 20, sample: 0.02}
"""
