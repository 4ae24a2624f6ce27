// The path of a point: the whole of it faint and the part up to now strong, or, where that would be a tangle,
// the recent past alone.
import { Box3, Group, InterleavedBufferAttribute, Vector3 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { indexAt } from "../page/format.ts";
import type { Numbers } from "../data.ts";

const MOST_POINTS = 6000;
const ENOUGH_POINTS = 1500;
// Path length in sizes of the space it moves in that makes a tangle, and how much of it is then shown.
export const LONG = { tangle: 14, recent: 4 };
export const SHORT = { tangle: 4, recent: 1.2 };

function traceTimes(frames: Numbers): Float64Array {
    const n = frames.length;
    const parts = Math.max(1, Math.min(8, Math.ceil(ENOUGH_POINTS / n)));
    const stride = Math.max(1, Math.ceil(n / MOST_POINTS));
    const times: number[] = [];
    for (let i = 0; i + 1 < n; i += stride) {
        const next = frames[Math.min(n - 1, i + stride)];
        for (let k = 0; k < parts; k++) {
            times.push(frames[i] + ((next - frames[i]) * k) / parts);
        }
    }
    times.push(frames[n - 1]);
    return Float64Array.from(times);
}

export class Trace {
    readonly group = new Group();
    private times: Float64Array;
    private points: Vector3[];
    private lengths: Float64Array; // of the path up to a point
    private window: number; // length of the strong part
    private past = new LineGeometry();
    private materials: LineMaterial[];

    constructor(
        frames: Numbers,
        private pointAt: (t: number) => Vector3,
        color: string,
        space: Box3 | null, // null: that of the path itself
        { tangle, recent } = LONG,
    ) {
        this.times = traceTimes(frames);
        this.points = Array.from(this.times, (t) => this.pointAt(t));
        this.lengths = new Float64Array(this.points.length);
        for (let i = 1; i < this.points.length; i++) {
            this.lengths[i] = this.lengths[i - 1] + this.points[i].distanceTo(this.points[i - 1]);
        }
        const size = (space ?? new Box3().setFromPoints(this.points)).getSize(new Vector3()).length();
        const isTangle = this.lengths[this.lengths.length - 1] > tangle * size;
        this.window = isTangle ? recent * size : Infinity;
        const flat = this.points.flatMap((p) => [p.x, p.y, p.z]);
        this.past.setPositions(flat.length >= 6 ? flat : [...flat, ...flat]);
        this.materials = [0.28, 1].map(
            (opacity) => new LineMaterial({ color, linewidth: 2, transparent: true, opacity, depthWrite: opacity === 1 }),
        );
        this.add(this.past, this.materials[1]);
        if (!isTangle) {
            this.add(new LineGeometry().setPositions(flat.length >= 6 ? flat : [...flat, ...flat]), this.materials[0]);
        }
    }

    private add(geometry: LineGeometry, material: LineMaterial): void {
        const line = new Line2(geometry, material);
        line.frustumCulled = false;
        this.group.add(line);
    }

    // Draws from the start of the window to exactly where the point is now.
    update(t: number): void {
        const last = indexAt(this.times, t);
        const first = this.window < Infinity ? indexAt(this.lengths, this.lengths[last] - this.window) : 0;
        const attribute = this.past.getAttribute("instanceStart") as InterleavedBufferAttribute;
        const values = attribute.data.array as Float32Array;
        const now = this.pointAt(t);
        let k = 0;
        for (let i = first; i <= last && k + 6 <= values.length; i++) {
            const [a, b] = [this.points[i], i < last ? this.points[i + 1] : now];
            values.set([a.x, a.y, a.z, b.x, b.y, b.z], k);
            k += 6;
        }
        attribute.data.needsUpdate = true;
        this.past.instanceCount = k / 6;
    }

    dispose(): void {
        this.group.removeFromParent();
        this.group.children.forEach((line) => (line as Line2).geometry.dispose());
        this.materials.forEach((material) => material.dispose());
    }
}
