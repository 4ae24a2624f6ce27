// A mesh of solids or shells: its surface, displaced by a sum of shapes, coloured by a number at each point.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, Sphere, Vector3 } from "three";
import type { MeshPart } from "../data.ts";
import { PALETTE } from "./parts.ts";

export const STEPS = 32767; // of the 16 bit numbers of shapes

// Displacements and fields of a mesh for given amplitudes of its shapes.
export class MeshShape {
    readonly moves: Float32Array; // [3 x points] m, as they are
    readonly n: number;
    private parts: Float32Array;

    constructor(readonly part: MeshPart) {
        this.n = part.points.length / 3;
        this.moves = new Float32Array(3 * this.n);
        this.parts = new Float32Array(6 * this.n);
    }

    private static sum(shapes: ArrayLike<number>, size: number, amplitudes: Float32Array, out: Float32Array): void {
        out.fill(0, 0, size);
        for (let k = 0; k < amplitudes.length; k++) {
            const a = amplitudes[k] / STEPS;
            if (a !== 0) {
                for (let i = 0, from = k * size; i < size; i++) {
                    out[i] += a * shapes[from + i];
                }
            }
        }
    }

    calc(amplitudes: Float32Array): void {
        MeshShape.sum(this.part.shapes, 3 * this.n, amplitudes, this.moves);
    }

    largest(): number {
        let most = 0;
        for (let i = 0; i < 3 * this.n; i += 3) {
            most = Math.max(most, Math.hypot(this.moves[i], this.moves[i + 1], this.moves[i + 2]));
        }
        return most;
    }

    // The number that colours each point: the length of its displacement, or a field; of six components the
    // equivalent stress (von Mises) of xx, yy, zz, xy, yz, zx.
    calcScalars(field: number, amplitudes: Float32Array, out: Float32Array): void {
        if (field < 0) {
            for (let i = 0; i < this.n; i++) {
                out[i] = Math.hypot(this.moves[3 * i], this.moves[3 * i + 1], this.moves[3 * i + 2]);
            }
            return;
        }
        const { components, scales, shapes } = this.part.fields[field];
        MeshShape.sum(shapes, components * this.n, amplitudes.map((a, k) => a * (scales[k] ?? 1)), this.parts);
        const s = this.parts;
        for (let i = 0; i < this.n; i++) {
            if (components === 6) {
                const [x, y, z, a, b, c] = s.subarray(6 * i, 6 * i + 6);
                out[i] = Math.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3 * (a * a + b * b + c * c));
            } else {
                out[i] = s[i];
            }
        }
    }

    place(point: number, factor: number, out: Vector3): Vector3 {
        const { origin, points } = this.part;
        const k = 3 * point;
        return out.set(
            origin[0] + points[k] + factor * this.moves[k],
            origin[1] + points[k + 1] + factor * this.moves[k + 1],
            origin[2] + points[k + 2] + factor * this.moves[k + 2],
        );
    }
}

// Viridis without its darkest part, which would vanish on a dark page.
const STOPS = ["#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"];
export const GRADIENT = `linear-gradient(to right, ${STOPS.join(", ")})`;
const LEVELS = 256;
const RAMP: Float32Array = (() => {
    const stops = STOPS.map((stop) => new Color(stop));
    const out = new Float32Array(3 * LEVELS);
    for (let i = 0; i < LEVELS; i++) {
        const x = (i / (LEVELS - 1)) * (stops.length - 1);
        const at = Math.min(stops.length - 2, Math.floor(x));
        stops[at].clone().lerp(stops[at + 1], x - at).toArray(out, 3 * i);
    }
    return out;
})();

// The colour of a number between 0 and 1.
export function setGradient(color: Color, x: number): Color {
    const level = Math.round(Math.max(0, Math.min(1, x || 0)) * (LEVELS - 1));
    return color.fromArray(RAMP, 3 * level);
}

export interface Range {
    low: number;
    high: number;
}

export class MeshView {
    readonly group = new Group();
    readonly shape: MeshShape;
    private geometry = new BufferGeometry();
    private surface: Mesh;
    private lines: LineSegments | null = null;
    private positions: BufferAttribute;
    private colors: BufferAttribute;
    private scalars: Float32Array;
    private plain: Color;

    constructor(
        readonly part: MeshPart,
        index: number,
    ) {
        this.shape = new MeshShape(part);
        this.plain = new Color(PALETTE[index % PALETTE.length]);
        this.scalars = new Float32Array(this.shape.n);
        this.positions = new BufferAttribute(new Float32Array(part.points), 3).setUsage(DynamicDrawUsage);
        this.colors = new BufferAttribute(new Float32Array(3 * this.shape.n), 3).setUsage(DynamicDrawUsage);
        this.geometry.setAttribute("position", this.positions);
        this.geometry.setAttribute("color", this.colors);
        this.geometry.setIndex(Array.from(part.triangles));
        // Facets are shaded flat: their normals need no numbers and are right for any magnification.
        const material = new MeshStandardMaterial({ vertexColors: true, flatShading: true, side: DoubleSide, roughness: 0.7, metalness: 0.02, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
        this.surface = new Mesh(this.geometry, material);
        this.surface.castShadow = true;
        this.surface.frustumCulled = false;
        this.surface.userData = { mesh: this };
        this.group.add(this.surface);
        if (part.edges.length) {
            this.lines = this.buildLines();
            this.group.add(this.lines);
        }
        this.group.position.set(...part.origin);
    }

    private buildLines(): LineSegments {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", this.positions);
        geometry.setIndex(Array.from(this.part.edges));
        const lines = new LineSegments(geometry, new LineBasicMaterial({ color: "#101418", transparent: true, opacity: 0.35 }));
        lines.frustumCulled = false;
        lines.raycast = () => undefined;
        return lines;
    }

    get hasEdges(): boolean {
        return this.lines !== null;
    }

    showEdges(visible: boolean): void {
        if (this.lines) {
            this.lines.visible = visible;
        }
    }

    // field: -2 none, -1 displacement, else an index of the mesh's fields.
    update(amplitudes: Float32Array, factor: number, field: number, range: Range): void {
        const { shape, part } = this;
        shape.calc(amplitudes);
        const to = this.positions.array as Float32Array;
        for (let i = 0; i < to.length; i++) {
            to[i] = part.points[i] + factor * shape.moves[i];
        }
        this.positions.needsUpdate = true;
        this.paint(amplitudes, field, range);
        this.geometry.boundingSphere = null; // rays compute it when they ask
    }

    private paint(amplitudes: Float32Array, field: number, { low, high }: Range): void {
        const to = this.colors.array as Float32Array;
        if (field < -1) {
            for (let i = 0; i < this.shape.n; i++) {
                this.plain.toArray(to, 3 * i);
            }
        } else {
            this.shape.calcScalars(field, amplitudes, this.scalars);
            const scale = high > low ? (LEVELS - 1) / (high - low) : 0;
            for (let i = 0; i < this.shape.n; i++) {
                const level = 3 * Math.max(0, Math.min(LEVELS - 1, Math.round(scale * (this.scalars[i] - low))));
                to[3 * i] = RAMP[level];
                to[3 * i + 1] = RAMP[level + 1];
                to[3 * i + 2] = RAMP[level + 2];
            }
        }
        this.colors.needsUpdate = true;
    }

    // The displacement of the point next to one in the picture, m.
    moveNear(at: Vector3): number {
        const place = this.positions.array;
        const p = at.clone().sub(this.group.position);
        let [best, point] = [Infinity, 0];
        for (let i = 0; i < place.length; i += 3) {
            const d = (place[i] - p.x) ** 2 + (place[i + 1] - p.y) ** 2 + (place[i + 2] - p.z) ** 2;
            if (d < best) {
                [best, point] = [d, i];
            }
        }
        return Math.hypot(...this.shape.moves.subarray(point, point + 3));
    }
}

export function boundsOf(part: MeshPart): Sphere {
    const points: Vector3[] = [];
    for (let i = 0; i + 2 < part.points.length; i += 3) {
        points.push(new Vector3(part.points[i] + part.origin[0], part.points[i + 1] + part.origin[1], part.points[i + 2] + part.origin[2]));
    }
    return new Sphere().setFromPoints(points);
}
