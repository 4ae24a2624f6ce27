// The report's data as the C writer hands it over, and its decoding into typed arrays.

export type Numbers = Float64Array | Float32Array;
type Packed = { f64: string } | { f32: string } | (number | null)[];
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
    poses: Numbers; // [7 x frames]: x, y, z, qw, qx, qy, qz
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

export interface ModeBody {
    linear_re: Vec3;
    linear_im: Vec3;
    angular_re: Vec3;
    angular_im: Vec3;
}

export interface Mode {
    re: number; // NaN or infinite for infinite eigenvalues
    im: number;
    class: string;
    frequency_hz: number;
    damping_ratio: number;
    residual: number;
    participation: [string, number][];
    bodies: ModeBody[];
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
    model: { name: string; file: string; sha256: string; summary: Pair[] };
    version: string;
    created: string;
    machine: string;
    settings: Pair[];
    statistics: Pair[];
    checks: Pair[];
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
    frames: Numbers;
    modes: Mode[];
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
    return "f64" in packed ? new Float64Array(bytesOf(packed.f64)) : new Float32Array(bytesOf(packed.f32));
}

const list = <T>(value: unknown): T[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (value === undefined || value === null ? "" : String(value));
const number = (value: unknown): number => (typeof value === "number" ? value : NaN);

function pairs(value: unknown): Pair[] {
    return list<unknown[]>(value).map((pair) => [text(pair[0]), text(pair[1])]);
}

function readBody(raw: any): Body {
    return {
        name: text(raw.name),
        color: /^#[0-9a-f]{6}$/i.test(text(raw.color)) ? raw.color : null,
        shapes: list(raw.shapes),
        points: list(raw.points),
        links: list(raw.links),
        poses: unpack(raw.poses),
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
        bodies: list(raw.bodies),
    };
}

function readDamping(raw: any): Damping | null {
    if (!raw) {
        return null;
    }
    const keys = ["t", "amplitude", "ratio", "overall", "frequency_hz", "energy_change", "growing_s", "falling_s"] as const;
    return {
        output: text(raw.output),
        unit: text(raw.unit),
        about: number(raw.about),
        t_0: number(raw.t_0),
        amplitude_0: number(raw.amplitude_0),
        ratio: number(raw.ratio),
        asked: number(raw.cycles_asked),
        frequency_hz: number(raw.frequency_hz),
        bound: number(raw.bound),
        share: number(raw.share),
        cycles: list<any>(raw.cycles).map((c) => Object.fromEntries(keys.map((key) => [key, number(c[key])])) as unknown as DampingCycle),
        envelope: list<any>(raw.envelope).map((p) => ({ t: number(p.t), amplitude: number(p.amplitude) })),
        phases: list<any>(raw.phases).map((p) => ({ from: number(p.from), to: number(p.to), kind: text(p.kind) })),
    };
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
        model: { name: text(model.name), file: text(model.file), sha256: text(model.sha256), summary: pairs(model.summary) },
        version: text(raw.version),
        created: text(raw.created),
        machine: text(raw.machine),
        settings: pairs(raw.settings),
        statistics: pairs(raw.statistics),
        checks: pairs(raw.checks),
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
        frames: frames.length ? frames : time,
        modes: list<any>(raw.modes).map(readMode),
    };
}
