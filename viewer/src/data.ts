// The report's data as the C writer hands it over, and its decoding into typed arrays.

export type Numbers = Float64Array | Float32Array;
type Packed = { f64: string } | { f32: string } | { i16: string } | (number | null)[];
export type Pair = [string, string];
export type Vec3 = [number, number, number];

export interface Shape {
    type: string;
    size?: number[];
    radius?: number;
    inner_radius?: number;
    length?: number;
    from?: Vec3;
    to?: Vec3;
    at?: Vec3;
    rotation?: number[];
}

export interface Body {
    name: string;
    color: string | null;
    shapes: Shape[];
    points: { name: string; at: Vec3 }[];
    links: Vec3[];
    role: string; // "", "node" of a structure, "carriage" that only holds a coordinate: neither is drawn as a body
    mass: number; // kg, of nodes; 0: none
    drawn: number[] | null; // pose in the drawing, from which displacements count
    isMassless: boolean; // and drawn by slim rods: a rope
    origin: Vec3; // that positions are relative to: nodes move little
    poses: Numbers; // [7 x frames]: x, y, z, qw, qx, qy, qz
}

// A chain of beam elements between pairs of bodies; its elements are numbered on from those of the member before.
export interface Member {
    name: string;
    radius: number; // m, NaN: not known
    nodes: number[]; // [2 x elements] bodies, -1: ground
    stress: Float32Array; // [2 x elements x frames] Pa, largest normal stress at either end; empty: not known
}

// The cubic spline through the places of bodies: its tangents dr/ds are sums of these places.
export interface Through {
    bodies: number[];
    knots: number[]; // m, lengths along the drawn line
    tangents: number[][]; // of knot i, the factors of all places
}

export interface Slider {
    name: string;
    mass: number;
    length: number; // of its guide, m
    carriage: number; // a body that moves along the axis of its joint as the slider does along its guide, -1: not free
    pieces: number[]; // elements, -1 - e where e is travelled backwards; empty: on a curve
    body: number; // that holds the curve, -1: ground
    curve: Vec3[]; // points at equal distances
    through: Through | null; // instead: the smooth line through bodies
    s: Numbers; // [frames] place along the guide
}

// A number or a stress at each point of a mesh, of each of its shapes.
export interface MeshField {
    name: string;
    unit: string;
    components: number; // 1, or 6: xx, yy, zz, xy, yz, zx
    scales: Numbers; // [shapes] what 32767 is by a unit of the shape's amplitude
    shapes: Numbers; // [components x points x shapes]
}

// The surface of a mesh, or some points of a large one: displacements are sums of shapes.
export interface MeshPart {
    name: string;
    surface_points: number; // of the mesh itself
    largest: number; // displacement, m
    error: number; // of displacements that these shapes give, relative to the largest
    origin: Vec3; // that points are relative to
    points: Numbers; // [3 x points]
    triangles: Numbers; // [3 x triangles]
    edges: Numbers; // [2 x edges] of elements; none where points were merged
    n_shapes: number;
    shapes: Numbers; // [3 x points x shapes] in steps of 1/32767
    amplitudes: Numbers; // [shapes x frames] m; of modes: in each mode
    fields: MeshField[];
}

export interface Joint {
    name: string;
    type: string;
    body_a: number; // -1: ground
    at_a: Vec3;
    axis_a: Vec3;
    body_b: number;
    at_b: Vec3;
    is_loop: boolean;
}

export interface Spring {
    name: string;
    body_a: number;
    at_a: Vec3;
    body_b: number;
    at_b: Vec3;
}

// Three outputs that are a force or a moment in the picture.
export interface Arrow {
    name: string;
    kind: string; // "force", "contact" or "torque"
    outputs: [number, number, number];
    body: number; // that it acts on, -1: ground
    slider: number; // instead: it acts where this slider is; -1: none
    at: Vec3;
    axes: number; // body along whose axes it was recorded, -1: the ground's
}

export interface Output {
    name: string;
    unit: string;
    values: Numbers;
}

export interface Reference {
    output: string;
    time: Numbers;
    values: Numbers;
}

export interface Mode {
    re: number; // NaN or infinite for infinite eigenvalues
    im: number;
    class: string;
    frequency_hz: number;
    damping_ratio: number;
    residual: number;
    participation: [string, number][];
    shape: Numbers; // [12 x bodies] displacement and rotation, real parts, then imaginary parts; empty: not in the file
    meshes: Numbers[]; // [2 x shapes] of each mesh: amplitudes, real parts, then imaginary parts
}

// A method of linearization in one set of coordinates.
export interface Method {
    name: string;
    coordinates: string;
    error: number; // of the true eigenvalues, 2-norm in 1/s; NaN: not known
    time_s: number; // of `repeat` executions; NaN: not measured
    repeat: number;
    failure: string;
    modes: Mode[];
}

export interface Measure {
    name: string;
    error: number;
    limit: number;
    pass: boolean;
}

export interface ReportEvent {
    name: string;
    t: number;
    direction: string;
}

export interface DampingCycle {
    t: number;
    amplitude: number;
    ratio: number;
    overall: number;
    frequency_hz: number;
    energy_change: number;
    growing_s: number;
    falling_s: number;
}

export interface Damping {
    output: string;
    unit: string;
    about: number;
    t_0: number;
    amplitude_0: number;
    ratio: number;
    asked: number;
    peaks: number; // of all cycles, also of those that are not listed
    frequency_hz: number;
    bound: number;
    share: number;
    cycles: DampingCycle[];
    envelope: { t: number; amplitude: number }[];
    phases: { from: number; to: number; kind: string }[];
}

export interface Report {
    kind: string;
    title: string;
    model: { name: string; file: string; sha256: string; text: string; summary: Pair[] };
    command: string; // that made the report
    overview: string; // a page that lists it
    version: string;
    created: string;
    machine: string;
    settings: Pair[];
    statistics: Pair[];
    checks: Pair[];
    ended_early: string; // why the run did not reach its end, which is the first of the warnings, too; "": it did
    warnings: string[];
    measures: Measure[];
    certificate: unknown;
    gravity: Vec3;
    length: number;
    time: Numbers;
    outputs: Output[];
    references: Reference[];
    events: ReportEvent[];
    damping: Damping | null;
    bodies: Body[];
    joints: Joint[];
    springs: Spring[];
    bushings: Spring[];
    rods: Spring[]; // distances that are kept, or follow a law
    arrows: Arrow[];
    beside: Report | null; // a second run in the same picture
    members: Member[];
    sliders: Slider[];
    meshes: MeshPart[];
    frames: Numbers;
    modes: Mode[];
    methods: Method[]; // several, or none
}

function bytesOf(base64: string): ArrayBuffer {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
        bytes[i] = text.charCodeAt(i);
    }
    return bytes.buffer;
}

// The arrays are little-endian, as every machine that runs a current browser is.
export function unpack(packed: Packed | undefined | null): Numbers {
    if (!packed) {
        return new Float64Array(0);
    }
    if (Array.isArray(packed)) {
        return Float64Array.from(packed, (x) => (x === null ? NaN : x));
    }
    if ("i16" in packed) {
        return Float32Array.from(new Int16Array(bytesOf(packed.i16)));
    }
    return "f64" in packed ? new Float64Array(bytesOf(packed.f64)) : new Float32Array(bytesOf(packed.f32));
}

const list = <T>(value: unknown): T[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (value === undefined || value === null ? "" : String(value));
const number = (value: unknown): number => (typeof value === "number" ? value : NaN);

function pairs(value: unknown): Pair[] {
    return list<unknown[]>(value).map((pair) => [text(pair[0]), text(pair[1])]);
}

// Poses from displacements and rotation vectors, which come as whole numbers of steps.
function unfoldMoves(steps: Numbers, scale: number[], drawn: number[]): Float32Array {
    const [w0, x0, y0, z0] = drawn.slice(3);
    const out = new Float32Array((steps.length / 6) * 7);
    for (let i = 0, k = 0; i < steps.length; i += 6, k += 7) {
        const [a, b, c] = [3, 4, 5].map((j) => scale[1] * steps[i + j]);
        const angle = Math.hypot(a, b, c);
        const f = angle > 0 ? Math.sin(angle / 2) / angle : 0;
        const [w, x, y, z] = [Math.cos(angle / 2), f * a, f * b, f * c];
        out.set([scale[0] * steps[i], scale[0] * steps[i + 1], scale[0] * steps[i + 2]], k);
        out[k + 3] = w * w0 - x * x0 - y * y0 - z * z0;
        out[k + 4] = w * x0 + x * w0 + y * z0 - z * y0;
        out[k + 5] = w * y0 - x * z0 + y * w0 + z * x0;
        out[k + 6] = w * z0 + x * y0 - y * x0 + z * w0;
    }
    return out;
}

function readBody(raw: any): Body {
    const drawn = list<number>(raw.drawn).length === 7 ? (raw.drawn as number[]) : null;
    const isNode = raw.role === "node" && drawn !== null;
    return {
        role: isNode ? "node" : raw.role === "carriage" ? "carriage" : "",
        mass: number(raw.mass) || 0,
        drawn,
        isMassless: raw.is_massless === true,
        origin: isNode ? [drawn[0], drawn[1], drawn[2]] : [0, 0, 0],
        name: text(raw.name),
        color: /^#[0-9a-f]{6}$/i.test(text(raw.color)) ? raw.color : null,
        shapes: list(raw.shapes),
        points: list(raw.points),
        links: list(raw.links),
        poses: isNode ? unfoldMoves(unpack(raw.moves), list(raw.scale), drawn) : unpack(raw.poses),
    };
}

function readSlider(raw: any): Slider {
    return {
        name: text(raw.name),
        mass: number(raw.mass),
        length: number(raw.length),
        carriage: raw.carriage ?? -1,
        pieces: list(raw.pieces),
        body: raw.body ?? -1,
        curve: list(raw.curve),
        through: raw.through ? { bodies: list(raw.through.bodies), knots: list(raw.through.knots), tangents: list(raw.through.tangents) } : null,
        s: unpack(raw.s),
    };
}

function readMode(raw: any): Mode {
    return {
        re: number(raw.re),
        im: number(raw.im),
        class: text(raw.class),
        frequency_hz: number(raw.frequency_hz),
        damping_ratio: number(raw.damping_ratio),
        residual: number(raw.residual),
        participation: list(raw.participation),
        shape: unpack(raw.shape),
        meshes: list<any>(raw.meshes).map(unpack),
    };
}

function readMesh(raw: any): MeshPart {
    return {
        name: text(raw.name),
        surface_points: number(raw.surface_points) || 0,
        largest: number(raw.largest) || 0,
        error: number(raw.error) || 0,
        origin: list<number>(raw.origin).length === 3 ? raw.origin : [0, 0, 0],
        points: unpack(raw.points),
        triangles: unpack(raw.triangles),
        edges: unpack(raw.edges),
        n_shapes: number(raw.n_shapes) || 0,
        shapes: unpack(raw.shapes),
        amplitudes: unpack(raw.amplitudes),
        fields: list<any>(raw.fields).map((f) => ({ name: text(f.name), unit: text(f.unit), components: f.components === 6 ? 6 : 1, scales: unpack(f.scales), shapes: unpack(f.shapes) })),
    };
}

// Peaks and phases after the last clear cycle are those of ripples, and are left out.
function readDamping(raw: any): Damping | null {
    if (!raw) {
        return null;
    }
    const clear = typeof raw.clear_cycles === "number" ? raw.clear_cycles : list(raw.cycles).length;
    const isCut = clear < list(raw.cycles).length;
    const end = isCut ? number(clear > 0 ? list<any>(raw.cycles)[clear - 1].t : raw.t_0) : Infinity;
    const keys = ["t", "amplitude", "ratio", "overall", "frequency_hz", "energy_change", "growing_s", "falling_s"] as const;
    return {
        output: text(raw.output),
        unit: text(raw.unit),
        about: number(raw.about),
        t_0: number(raw.t_0),
        amplitude_0: number(raw.amplitude_0),
        ratio: number(raw.ratio),
        asked: number(raw.cycles_asked),
        peaks: list(raw.cycles).length,
        frequency_hz: number(raw.frequency_hz),
        bound: number(raw.bound),
        share: number(raw.share),
        cycles: list<any>(raw.cycles).slice(0, clear).map((c) => Object.fromEntries(keys.map((key) => [key, number(c[key])])) as unknown as DampingCycle),
        envelope: list<any>(raw.envelope).map((p) => ({ t: number(p.t), amplitude: number(p.amplitude) })).filter(({ t }) => t <= end),
        phases: list<any>(raw.phases)
            .map((p) => ({ from: number(p.from), to: Math.min(end, number(p.to)), kind: text(p.kind) }))
            .filter(({ from, to }) => to > from),
    };
}

function readMethod(raw: any): Method {
    return {
        name: text(raw.method),
        coordinates: text(raw.coordinates),
        error: number(raw.error),
        time_s: number(raw.time_s),
        repeat: number(raw.repeat) || 1,
        failure: text(raw.failure),
        modes: list<any>(raw.modes).map(readMode),
    };
}

const readArrow = (raw: any): Arrow => ({ name: text(raw.name), kind: text(raw.kind), outputs: list<number>(raw.outputs) as Arrow["outputs"], body: raw.body ?? -1, slider: raw.slider ?? -1, at: raw.at ?? [0, 0, 0], axes: raw.axes ?? -1 });

function readStress(raw: any): Float32Array {
    const step = number(raw.stress_step);
    return raw.stress && step > 0 ? Float32Array.from(unpack(raw.stress), (x) => x * step) : new Float32Array(0);
}

const DIRECTIONS = new Map([["1", "rising"], ["-1", "falling"], ["0", ""]]);

// Fills what a document leaves out, so that the rest of the viewer need not ask.
export function readReport(raw: any): Report {
    const model = raw.model ?? {};
    const time = unpack(raw.time);
    const frames = unpack(raw.frames);
    return {
        kind: text(raw.kind) || "run",
        title: text(raw.title) || text(model.name) || "Flyball report",
        model: { name: text(model.name), file: text(model.file), sha256: text(model.sha256), text: text(model.text), summary: pairs(model.summary) },
        command: text(raw.command),
        overview: /^[\w.-]+\.html$/.test(text(raw.overview)) ? raw.overview : "",
        version: text(raw.version),
        created: text(raw.created),
        machine: text(raw.machine),
        settings: pairs(raw.settings),
        statistics: pairs(raw.statistics),
        checks: pairs(raw.checks),
        ended_early: text(raw.ended_early),
        warnings: list<unknown>(raw.warnings).map(text),
        measures: list<any>(raw.errors_vs_reference).map((m) => ({
            name: text(m.name),
            error: number(m.error),
            limit: number(m.limit),
            pass: m.pass === true,
        })),
        certificate: raw.certificate ?? null,
        gravity: list<number>(raw.gravity).length === 3 ? raw.gravity : [0, 0, 0],
        length: number(raw.length),
        time,
        outputs: list<any>(raw.outputs).map((o) => ({ name: text(o.name), unit: text(o.unit), values: unpack(o.values) })),
        references: list<any>(raw.references).map((r) => ({
            output: text(r.output),
            time: unpack(r.time),
            values: unpack(r.values),
        })),
        events: list<any>(raw.events).map((e) => ({ name: text(e.name), t: number(e.t), direction: DIRECTIONS.get(text(e.direction)) ?? text(e.direction) })),
        damping: readDamping(raw.damping),
        bodies: list<any>(raw.bodies).map(readBody),
        joints: list(raw.joints),
        springs: list(raw.springs),
        bushings: list(raw.bushings),
        rods: list(raw.rods),
        arrows: list<any>(raw.arrows).map(readArrow).filter((a) => a.outputs.length === 3 && a.outputs.every((o) => o < list(raw.outputs).length)),
        beside: raw.beside ? readReport(raw.beside) : null,
        members: list<any>(raw.members).map((m) => ({ name: text(m.name), radius: number(m.radius), nodes: list(m.nodes), stress: readStress(m) })),
        sliders: list<any>(raw.sliders).map(readSlider),
        meshes: list<any>(raw.meshes).map(readMesh),
        frames: frames.length ? frames : time,
        modes: list<any>(raw.modes).map(readMode),
        methods: list<any>(raw.methods).map(readMethod),
    };
}
