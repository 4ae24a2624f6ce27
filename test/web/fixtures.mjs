// Small reports of every kind, computed from formulas, in the form the C writer uses.

const f64 = (values) => ({ f64: Buffer.from(Float64Array.from(values).buffer).toString("base64") });
const f32 = (values) => ({ f32: Buffer.from(Float32Array.from(values).buffer).toString("base64") });
const i16 = (values) => ({ i16: Buffer.from(Int16Array.from(values, Math.round).buffer).toString("base64") });

const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const UPRIGHT = [1, 0, 0, 0, 1, 0, 0, 0, 1];

function base(kind, name, title) {
    return {
        format: 1,
        kind,
        title,
        model: {
            name,
            file: `models/${name}.yaml`,
            sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            summary: [["bodies", "1"], ["joints", "1"], ["degrees of freedom", "1"]],
        },
        command: "flyball run models/simple-pendulum.yaml --report build/reports-of-today/pendulum.html --accuracy 1e-9",
        version: "0.5.0",
        created: "2025-03-01T12:00:00Z",
        machine: "test machine, 2 cores",
        settings: [["integrator", "dop853"], ["rtol", "1e-9"], ["atol", "1e-11"]],
        statistics: [["steps", "405"], ["rejected", "3"], ["evaluations", "5230"]],
        checks: [["energy balance", "1.2e-9 J"], ["largest constraint error", "3.1e-15 m"]],
        warnings: [],
        errors_vs_reference: [],
        certificate: null,
        gravity: [0, 0, 0],
        length: 1,
        time: [],
        outputs: [],
        references: [],
        events: [],
        bodies: [],
        joints: [],
        springs: [],
        bushings: [],
        members: [],
        sliders: [],
        frames: [],
        modes: [],
    };
}

// theta'' = -g/L sin theta by RK4 with small steps.
function swing(theta0, length, times) {
    const f = ([a, w]) => [w, (-9.81 / length) * Math.sin(a)];
    const add = (s, k, h) => [s[0] + h * k[0], s[1] + h * k[1]];
    let state = [theta0, 0];
    let t = 0;
    return times.map((end) => {
        const n = Math.max(1, Math.ceil((end - t) / 1e-3));
        const h = (end - t) / n;
        for (let i = 0; i < n && h > 0; i++) {
            const k1 = f(state);
            const k2 = f(add(state, k1, h / 2));
            const k3 = f(add(state, k2, h / 2));
            const k4 = f(add(state, k3, h));
            state = state.map((s, j) => s + (h / 6) * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]));
        }
        t = end;
        return state;
    });
}

export function pendulum() {
    const out = base("run", "pendulum", "Simple pendulum");
    const time = range(251, (i) => i * 0.02);
    const states = swing(2.0, 1, time);
    const x = states.map(([a]) => Math.sin(a));
    const y = states.map(([a]) => -Math.cos(a));
    const every = time.map((_, i) => i).filter((i) => i % 5 === 0);
    return {
        ...out,
        gravity: [0, -9.81, 0],
        time: f64(time),
        frames: f64(time),
        outputs: [
            { name: "tip.x", unit: "m", values: f64(x) },
            { name: "tip.y", unit: "m", values: f64(y) },
            { name: "angle", unit: "rad", values: f64(states.map(([a]) => a)) },
            { name: "rate", unit: "rad/s", values: f64(states.map(([, w]) => w)) },
        ],
        references: [
            {
                output: "tip.x",
                time: f64(every.map((i) => time[i])),
                values: f64(every.map((i) => x[i] + 1e-9 * Math.sin(7 * i) * (1 + time[i]))),
            },
        ],
        errors_vs_reference: [
            { name: "tip at its largest distance", error: 3.2e-9, limit: 1e-5, pass: true },
            { name: "energy", error: 2e-3, limit: 1e-3, pass: false },
        ],
        warnings: ["sample 0.02 s is coarse beside the shortest period 0.05 s"],
        events: [{ name: "lowest", t: 0.84, direction: "falling" }],
        bodies: [
            {
                name: "bar",
                color: null,
                shapes: [
                    { type: "rod", from: [0, 0, 0], to: [0, -1, 0] },
                    { type: "point", at: [0, -1, 0] },
                ],
                points: [{ name: "tip", at: [0, -1, 0] }],
                links: [[0, 0, 0]],
                poses: f32(states.flatMap(([a]) => [0, 0, 0, Math.cos(a / 2), 0, 0, Math.sin(a / 2)])),
            },
        ],
        joints: [{ name: "pin", type: "revolute", body_a: -1, at_a: [0, 0, 0], axis_a: [0, 0, 1], body_b: 0, at_b: [0, 0, 0], is_loop: false }],
    };
}

// Peaks of exp(-0.2 t) cos(7 t), where it turns.
function decay() {
    const peak = (k) => ({ t: (k * Math.PI - Math.atan(0.2 / 7)) / 7, amplitude: 0.35 * Math.exp((-0.2 * (k * Math.PI - Math.atan(0.2 / 7))) / 7) });
    const cycles = range(4, (k) => ({ ...peak(2 * k + 2), ratio: 0.2 / 7, overall: 0.2 / 7, frequency_hz: 7 / (2 * Math.PI), energy: null, energy_change: -0.1, growing_s: 0, falling_s: 0.9 }));
    return {
        output: "height",
        unit: "m",
        about: -1,
        starts_at_rest: true,
        t_0: 0,
        amplitude_0: 0.35,
        cycles_asked: 4,
        complete: true,
        ratio: 0.2 / 7,
        frequency_hz: 7 / (2 * Math.PI),
        bound: 0.04,
        share: 5 / 7,
        cycles,
        envelope: range(9, (k) => (k ? peak(k) : { t: 0, amplitude: 0.35 })),
        phases_from: "envelope",
        phases: [{ from: 0, to: 3, kind: "attenuation" }, { from: 3, to: 3.5, kind: "amplification" }],
    };
}

export function spring() {
    const out = base("run", "oscillator", "Mass on a spring");
    const time = range(401, (i) => i * 0.01);
    const z = time.map((t) => -1 + 0.35 * Math.exp(-0.2 * t) * Math.cos(7 * t));
    return {
        ...out,
        gravity: [0, 0, -9.81],
        time: f64(time),
        frames: f64(time),
        outputs: [
            { name: "height", unit: "m", values: f64(z) },
            { name: "force", unit: "N", values: f64(z.map((v) => 49 * (v + 1))) },
        ],
        damping: decay(),
        bodies: [
            {
                name: "mass",
                color: "#3b7dd8",
                shapes: [{ type: "box", size: [0.3, 0.3, 0.2], at: [0, 0, 0], rotation: UPRIGHT }],
                points: [],
                links: [[0, 0, 0]],
                poses: f32(z.flatMap((v) => [0, 0, v, 1, 0, 0, 0])),
            },
            {
                name: "wheel",
                color: null,
                shapes: [{ type: "tube", radius: 0.2, inner_radius: 0.12, length: 0.08, at: [0, 0, 0], rotation: [1, 0, 0, 0, 0, -1, 0, 1, 0] }],
                points: [],
                links: [],
                poses: f32(time.flatMap((t) => [0.6, 0, -1, Math.cos(t), 0, Math.sin(t), 0])),
            },
        ],
        joints: [
            { name: "slide", type: "prismatic", body_a: -1, at_a: [0, 0, -1], axis_a: [0, 0, 1], body_b: 0, at_b: [0, 0, 0], is_loop: false },
            { name: "axle", type: "revolute", body_a: -1, at_a: [0.6, 0, -1], axis_a: [0, 1, 0], body_b: 1, at_b: [0, 0, 0], is_loop: false },
        ],
        springs: [{ name: "coil", body_a: -1, at_a: [0, 0, 0.2], body_b: 0, at_b: [0, 0, 0.1] }],
    };
}

// A turning governor whose slider follows a given motion: arms, springs, two sampled frames per tenth of a turn.
export function governor() {
    const out = base("run", "governor", "Flyball governor");
    const time = range(101, (i) => i * 0.1);
    const s = time.map((t) => 0.62 - 0.12 * Math.cos((2 * Math.PI * t) / 1.02));
    const spin = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
    const times = (a, b) => [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ];
    const arm = (side) =>
        time.flatMap((t, i) => {
            const drop = Math.acos(Math.min(1, (1 - s[i]) / 0.66));
            const turn = spin(2 * Math.PI * t + (side > 0 ? 0 : Math.PI));
            const angle = Math.PI / 2 - drop;
            const phi = 2 * Math.PI * t + (side > 0 ? 0 : Math.PI);
            return [0.05 * Math.cos(phi), 0.05 * Math.sin(phi), 1, ...times(turn, [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0])];
        });
    const armBody = (name, side) => ({
        name,
        color: null,
        shapes: [
            { type: "box", size: [1, 0.02, 0.02], at: [0.5, 0, 0], rotation: UPRIGHT },
            { type: "sphere", radius: 0.07, at: [1, 0, 0] },
        ],
        points: [{ name: "tip", at: [1, 0, 0] }],
        links: [[0, 0, 0]],
        poses: f32(arm(side)),
    });
    return {
        ...out,
        gravity: [0, 0, -9.81],
        time: f64(time),
        frames: f64(time),
        outputs: [{ name: "s", unit: "m", values: f64(s) }],
        references: [{ output: "s", time: f64(time), values: f64(s.map((v, i) => v * (1 + 2e-11 * Math.sin(i)))) }],
        errors_vs_reference: [{ name: "s", error: 2.1e-11, limit: 1e-5, pass: true }],
        bodies: [
            {
                name: "shaft",
                color: null,
                shapes: [{ type: "box", size: [0.02, 0.02, 1], at: [0, 0, 0.5], rotation: UPRIGHT }],
                points: [],
                links: [[0, 0, 0], [0, 0, 1]],
                poses: f32(time.flatMap((t) => [0, 0, 0, ...spin(2 * Math.PI * t)])),
            },
            {
                name: "slider",
                color: null,
                shapes: [{ type: "box", size: [0.1, 0.1, 0.1], at: [0, 0, 0], rotation: UPRIGHT }],
                points: [],
                links: [],
                poses: f32(time.flatMap((t, i) => [0, 0, s[i], ...spin(2 * Math.PI * t)])),
            },
            armBody("arm 1", 1),
            armBody("arm 2", -1),
        ],
        joints: [
            { name: "spin", type: "revolute", body_a: -1, at_a: [0, 0, 0], axis_a: [0, 0, 1], body_b: 0, at_b: [0, 0, 0], is_loop: false },
            { name: "slide", type: "prismatic", body_a: 0, at_a: [0, 0, 0], axis_a: [0, 0, 1], body_b: 1, at_b: [0, 0, 0], is_loop: false },
            { name: "arm 1", type: "revolute", body_a: 0, at_a: [0.05, 0, 1], axis_a: [0, 1, 0], body_b: 2, at_b: [0, 0, 0], is_loop: false },
            { name: "arm 2", type: "revolute", body_a: 0, at_a: [-0.05, 0, 1], axis_a: [0, 1, 0], body_b: 3, at_b: [0, 0, 0], is_loop: false },
        ],
        springs: [
            { name: "spring 1", body_a: 1, at_a: [0.05, 0, 0], body_b: 2, at_b: [0.5, 0, 0] },
            { name: "spring 2", body_a: 1, at_a: [-0.05, 0, 0], body_b: 3, at_b: [0.5, 0, 0] },
        ],
    };
}

const ATTACK = '<img src=x onerror="window.attacked=1"></script><script>window.attacked=1</script><!--\u2028"\'&amp;';

// Every text that a model or a machine can choose tries to run.
export function hostile() {
    const out = pendulum();
    const bad = (word) => `${word}${ATTACK}`;
    out.title = bad("title");
    out.model = { name: bad("name"), file: bad("file"), sha256: bad("sha"), summary: [[bad("a"), bad("b")]] };
    for (const key of ["version", "created", "machine"]) {
        out[key] = bad(key);
    }
    for (const key of ["settings", "statistics", "checks"]) {
        out[key] = [[bad("key"), bad("value")]];
    }
    out.warnings = [bad("warning")];
    out.certificate = { [bad("key")]: bad("value") };
    out.errors_vs_reference[0].name = bad("measure");
    out.events[0].name = bad("event");
    out.outputs[2].name = bad("output");
    out.outputs[2].unit = bad("unit");
    out.bodies[0].name = bad("body");
    out.bodies[0].color = '#fff"onload="window.attacked=1';
    out.bodies[0].points[0].name = bad("point");
    out.damping = { ...decay(), output: out.outputs[2].name, unit: bad("unit"), phases: [{ from: 0, to: 1, kind: bad("x") }] };
    out.joints[0].name = bad("joint");
    out.joints[0].type = bad("revolute");
    const beam = cantilever();
    const first = out.bodies.length;
    out.bodies.push(...beam.bodies.map((body) => ({ ...body, name: bad("node"), scale: [0, 0], moves: i16(range(6 * 251, () => 0)), poses: out.bodies[0].poses })));
    out.members = beam.members.map(({ radius, nodes }) => ({ name: bad("member"), radius, nodes: nodes.map((b) => b + first) }));
    out.sliders = beam.sliders.map((slider) => ({ ...slider, name: bad("slider"), carriage: -1, s: f32(range(251, () => 0.5)) }));
    out.bushings = [{ name: bad("bushing"), body_a: -1, at_a: [0, 0, 0], body_b: 0, at_b: [0, 0, 0] }];
    return out;
}

function chainShape(n, k, masses) {
    const bodies = range(masses, (b) => Math.sin((Math.PI * (k + 1) * (b + 1)) / (n + 1)));
    return f32(bodies.flatMap((u, b) => [0, 0, u, 0, 0, 0, 0, 0, 0.1 * u, 0, b === 0 ? 0.2 * u : 0, 0]));
}

export function modes() {
    const n = 4;
    const out = base("modes", "chain", "Modes of a chain of masses");
    const none = f32(range(12 * n, () => 0));
    const all = [];
    for (let k = 0; k < n; k++) {
        const w = 40 * Math.sin((Math.PI * (k + 1)) / (2 * (n + 1)));
        for (const sign of [1, -1]) {
            all.push({
                re: -0.02 * w,
                im: sign * w * Math.sqrt(1 - 0.0004),
                class: "physical",
                frequency_hz: w / (2 * Math.PI),
                damping_ratio: 0.02,
                residual: 3e-15,
                participation: range(n, (b) => [`mass ${b + 1}`, 0.25]),
                shape: chainShape(n, k, n),
            });
        }
    }
    const odd = (re, im, name, shape) => ({
        re, im, class: name, frequency_hz: Math.hypot(re ?? 0, im ?? 0) / (2 * Math.PI), damping_ratio: 1, residual: 0.3, participation: [], shape,
    });
    all.push(odd(0, 0, "rigid-body", f32(range(12 * n, (i) => (i % 12 === 0 ? 1 : 0)))));
    all.push(odd(-1000, 0, "constraint", none), odd(-1000, 0, "constraint", none), odd(-3, 2500, "artefact", none), odd(-3, -2500, "artefact", none));
    all.push(odd(null, null, "constraint", none));
    return {
        ...out,
        gravity: [0, 0, -9.81],
        settings: [["method", "descriptor"]],
        modes: all,
        frames: [0],
        time: [],
        bodies: range(n, (b) => ({
            name: `mass ${b + 1}`,
            color: null,
            shapes: [{ type: b % 2 ? "cylinder" : "box", size: [0.2, 0.2, 0.12], radius: 0.1, length: 0.12, at: [0, 0, 0], rotation: UPRIGHT }],
            points: [],
            links: [],
            poses: [0, 0, -0.4 * (b + 1), 1, 0, 0, 0],
        })),
        springs: range(n + 1, (b) => ({
            name: `spring ${b}`,
            body_a: b - 1,
            at_a: b === 0 ? [0, 0, 0] : [0, 0, -0.06],
            body_b: b < n ? b : -1,
            at_b: b < n ? [0, 0, 0.06] : [0, 0, -0.4 * (n + 1)],
        })),
    };
}

// A node of a structure: its place, and displacements and rotation vectors of all frames as whole numbers of steps.
function node(name, at, moves, more = {}) {
    const flat = moves.flat();
    const largest = (k) => Math.max(...flat.map((x, i) => (Math.floor((i % 6) / 3) === k ? Math.abs(x) : 0)));
    const scale = [largest(0) / 32767, largest(1) / 32767];
    const steps = flat.map((x, i) => (scale[Math.floor((i % 6) / 3)] ? x / scale[Math.floor((i % 6) / 3)] : 0));
    return { name, role: "node", drawn: [...at, 1, 0, 0, 0], scale, moves: i16(steps), ...more };
}

export const BEAM = { length: 2, elements: 8, amplitude: 0.004, shape: (x) => (x * x * (3 - x)) / 2, slope: (x) => (3 * x - 1.5 * x * x) / 2 };

// A plane cantilever that swings by 4 mm, with a mass that slides to and fro on it, a plate welded to its tip and
// a bushing there, and a second mass on a curve.
export function cantilever() {
    const out = base("run", "cantilever", "Cantilever with a sliding mass");
    const time = range(201, (i) => i * 0.02);
    const { length, elements, amplitude, shape, slope } = BEAM;
    const wave = (t) => amplitude * Math.cos(5 * t);
    const s = time.map((t) => 1.1 + 0.8 * Math.sin(1.5 * t));
    const nodes = range(elements + 1, (i) => {
        const x = i / elements;
        const moves = time.map((t) => [0, wave(t) * shape(x), 0, 0, 0, wave(t) * slope(x)]);
        const name = i === 0 ? "beam.root" : i === elements ? "beam.tip" : `beam.guide.n${i}`;
        return node(name, [x * length, 0, 0], moves, i === 4 ? { mass: 2 } : {});
    });
    const tip = nodes.length - 1;
    const joint = (name, type, a, at, b, at_b = [0, 0, 0]) => ({ name, type, body_a: a, at_a: at, axis_a: [0, 0, 1], body_b: b, at_b, is_loop: false });
    return {
        ...out,
        gravity: [0, -9.81, 0],
        time: f64(time),
        frames: f64(time),
        outputs: [
            { name: "tip", unit: "m", values: f64(time.map(wave)) },
            { name: "s", unit: "m", values: f64(s) },
        ],
        bodies: [
            ...nodes,
            {
                name: "plate",
                color: null,
                shapes: [{ type: "box", size: [0.1, 0.2, 0.1], at: [0, 0, 0], rotation: UPRIGHT }],
                points: [{ name: "corner", at: [0.05, 0.1, 0] }],
                links: [[-0.05, 0, 0]],
                drawn: [length + 0.05, 0, 0, 1, 0, 0, 0],
                poses: f32(time.flatMap((t) => {
                    const turn = wave(t) * slope(1);
                    return [length + 0.05 * Math.cos(turn), wave(t) + 0.05 * Math.sin(turn), 0, Math.cos(turn / 2), 0, 0, Math.sin(turn / 2)];
                })),
            },
        ],
        joints: [
            joint("beam.root", "fixed", -1, [0, 0, 0], 0),
            ...range(elements, (i) => joint(nodes[i + 1].name, "planar", -1, nodes[i + 1].drawn.slice(0, 3), i + 1)),
            joint("weld", "fixed", tip, [0, 0, 0], tip + 1, [-0.05, 0, 0]),
        ],
        bushings: [{ name: "mount", body_a: -1, at_a: [length, 0, 0], body_b: tip, at_b: [0, 0, 0] }],
        members: [
            { name: "beam.guide", radius: 0.02, nodes: range(2 * elements, (i) => (i >> 1) + (i & 1)) },
        ],
        sliders: [
            { name: "m1", mass: 2, length, carriage: -1, pieces: range(elements, (i) => i), s: f32(s) },
            { name: "bead", mass: 1, length: 1, carriage: -1, body: -1, curve: [[0.5, 0.5, 0], [1, 0.5, 0], [1.5, 0.5, 0]], s: f32(time.map((t) => 0.5 + 0.4 * Math.sin(t))) },
        ],
    };
}

// The first two modes of that beam, whose mass is free to slide; the shape of a third one is not in the file.
export function beamModes() {
    const run = cantilever();
    const out = base("modes", "cantilever", "Modes of a cantilever");
    const { length, elements, shape, slope } = BEAM;
    const carriage = { name: "m1.carriage", role: "carriage", color: null, shapes: [], points: [], links: [], poses: [0.7, 0, 0, 1, 0, 0, 0] };
    const bend = (i) => [0, length * shape(i / elements), 0, 0, 0, length * slope(i / elements), 0, 0, 0, 0, 0, 0];
    const still = range(12, () => 0);
    const slide = [1, ...range(11, () => 0)];
    const mode = (hz, values) => ({
        re: -0.1, im: 2 * Math.PI * hz, class: "physical", frequency_hz: hz, damping_ratio: 0.1 / (2 * Math.PI * hz), residual: 1e-15,
        participation: [["beam.guide", 1]], ...(values ? { shape: f32(values) } : {}),
    });
    const nodes = run.bodies.slice(0, elements + 1).map(({ name, drawn }) => node(name, drawn.slice(0, 3), [[0, 0, 0, 0, 0, 0]]));
    return {
        ...out,
        gravity: [0, -9.81, 0],
        frames: [0],
        bodies: [...nodes, carriage],
        joints: [run.joints[0], { ...run.joints[0], name: "m1.carriage", type: "prismatic", axis_a: [1, 0, 0], body_b: elements + 1 }],
        members: run.members,
        sliders: [{ ...run.sliders[0], carriage: elements + 1, s: [0.7] }],
        modes: [
            mode(1, [...range(elements + 1, bend).flat(), ...still]),
            mode(2, [...range(elements + 1, () => still).flat(), ...slide]),
            mode(9, null),
        ],
    };
}

// A plate of squares, clamped at x = 0, whose tip moves by 2 mm: it bends, and it twists by a second shape. A field of stresses.
export const SHEET = { length: 1, width: 0.4, cells: [10, 4], amplitude: 0.002, bend: (x) => x * x, wave: (t) => Math.cos(6 * t), twist: (t) => 0.25 * Math.sin(9 * t) };

function sheet(more = {}) {
    const { length, width, cells } = SHEET;
    const [n, m] = cells;
    const places = range((n + 1) * (m + 1), (i) => [((i % (n + 1)) / n) * length, (Math.floor(i / (n + 1)) / m) * width]);
    const corner = (i, j) => j * (n + 1) + i;
    const squares = range(n * m, (k) => [k % n, Math.floor(k / n)]);
    const bent = places.flatMap(([x]) => [0, 0, 32767 * SHEET.bend(x)]);
    const twisted = places.flatMap(([x, y]) => [0, 0, (32767 * x * (y - width / 2)) / (width / 2)]);
    return {
        name: "sheet",
        surface_points: places.length,
        largest: 1.25 * SHEET.amplitude,
        error: 0,
        origin: [0, 0, 1],
        points: f32(places.flatMap(([x, y]) => [x, y, 0])),
        triangles: i16(squares.flatMap(([i, j]) => [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j), corner(i + 1, j + 1), corner(i, j + 1)])),
        edges: i16(squares.flatMap(([i, j]) => [corner(i, j), corner(i + 1, j), corner(i, j), corner(i, j + 1)])),
        n_shapes: 2,
        shapes: i16([...bent, ...twisted]),
        fields: [{ name: "stress", unit: "Pa", components: 6, scales: f32([2, 1]), shapes: i16([...places.flatMap(([x]) => [32767 * (1 - x), 0, 0, 0, 0, 0]), ...places.flatMap(() => [0, 0, 0, 16000, 0, 0])]) }],
        ...more,
    };
}

export function mesh() {
    const out = base("run", "sheet", "A sheet that bends");
    const time = range(101, (i) => i * 0.01);
    const { amplitude, wave, twist } = SHEET;
    return {
        ...out,
        gravity: [0, 0, -9.81],
        time: f64(time),
        frames: f64(time),
        outputs: [{ name: "tip", unit: "m", values: f64(time.map((t) => amplitude * wave(t))) }],
        bodies: [node("sheet.tip", [1, 0.2, 1], time.map((t) => [0, 0, amplitude * wave(t), 0, 0, 0]))],
        meshes: [sheet({ surface_points: 4321, amplitudes: f32(time.flatMap((t) => [amplitude * wave(t), amplitude * twist(t)])) })],
    };
}

export function meshModes() {
    const out = base("modes", "sheet", "Modes of a sheet");
    const mode = (hz, amplitudes) => ({
        re: -0.1, im: 2 * Math.PI * hz, class: "physical", frequency_hz: hz, damping_ratio: 0.1 / (2 * Math.PI * hz), residual: 1e-15,
        participation: [["sheet", 1]], shape: f32(range(12, () => 0)), meshes: [f32(amplitudes)],
    });
    return {
        ...out,
        gravity: [0, 0, -9.81],
        frames: [0],
        bodies: [node("sheet.root", [0, 0.2, 1], [[0, 0, 0, 0, 0, 0]])],
        meshes: [sheet()],
        modes: [mode(3, [1, 0, 0, 0]), mode(7, [0, 1, 0, 0.2])],
    };
}

// A million recorded values.
export function big() {
    const out = base("run", "big", "A million values");
    const n = 50000;
    const time = range(n, (i) => i * 1e-3);
    const frames = range(2000, (i) => (i * (n - 1) * 1e-3) / 1999);
    const wave = (k) => Float64Array.from(time, (t) => Math.sin((k + 1) * t) + 0.2 * Math.sin(97 * t * (k + 1)));
    return {
        ...out,
        gravity: [0, 0, -9.81],
        time: f64(time),
        frames: f64(frames),
        outputs: range(20, (k) => ({ name: `wave${k}`, unit: k % 2 ? "m" : "N", values: f64(wave(k)) })),
        bodies: [
            {
                name: "bob",
                color: null,
                shapes: [{ type: "sphere", radius: 0.2, at: [0, 0, 0] }],
                points: [],
                links: [],
                poses: f32(frames.flatMap((t) => [Math.sin(t), 0, 0, 1, 0, 0, 0])),
            },
        ],
    };
}

// Links without shapes, no gravity, no outputs, a single body that only travels.
export function bare() {
    const out = base("run", "bare", "Links only");
    const time = range(51, (i) => i * 0.0002);
    return {
        ...out,
        model: { name: "bare" },
        time: f64(time),
        frames: f64(time),
        bodies: [
            { name: "plate", color: null, shapes: [], points: [], links: [[0, 0, 0], [0.03, 0, 0], [0.01, 0.02, 0]], poses: f32(time.flatMap((t) => [50 * t, 0, 0, 1, 0, 0, 0])) },
            { name: "free", color: null, shapes: [], points: [], links: [], poses: f32(time.flatMap((t) => [0, 30 * t, 0.01, 1, 0, 0, 0])) },
        ],
    };
}

// The modes of the chain by a method that finds the true ones alone, by one with spurious ones, and by one that failed.
export function methods() {
    const out = modes();
    const isTrue = (mode) => mode.class === "physical" || mode.class === "rigid-body";
    const method = (name, coordinates, all, more) => ({ method: name, coordinates, error: 1.5e-15, time_s: 0.25, repeat: 500, failure: null, modes: all, ...more });
    const spread = (shape) => f32(range(48, (i) => (i % 12 === 0 ? shape[Math.floor(i / 12)] : 0)));
    const split = out.modes.map((mode) => (isTrue(mode) ? mode : { ...mode, shape: spread([1, -1, 1, -1]) }));
    return {
        ...out,
        modes: out.modes.filter(isTrue),
        methods: [
            method("independent", "joint", out.modes.filter(isTrue)),
            method("descriptor", "joint", split, { error: 2e-6 }),
            method("ode", "joint", [], { failure: "not available for this model", error: null, time_s: null }),
        ],
    };
}

export const fixtures = { methods, pendulum, spring, governor, cantilever, mesh, meshModes, hostile, modes, beamModes, big, bare };
