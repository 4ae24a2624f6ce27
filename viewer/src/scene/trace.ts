// The path of a point: the whole of it faint and the part up to now strong, or, where that would be a tangle,
// the recent past alone.
import { Box3, Group, Vector3 } from "three";
import { indexAt } from "../page/format.ts";
import type { Numbers } from "../data.ts";
import { Polyline } from "./polyline.ts";

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
    private lines: Polyline[]; // the part up to now, then the whole

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
        this.lines = [new Polyline(this.points, color, 1), ...(isTangle ? [] : [new Polyline(this.points, color, 0.28)])];
        this.group.add(...this.lines.map(({ mesh }) => mesh));
    }

    // Draws from the start of the window to exactly where the point is now.
    update(t: number): void {
        const last = indexAt(this.times, t);
        const first = this.window < Infinity ? indexAt(this.lengths, this.lengths[last] - this.window) : 0;
        this.lines[0].show(first, last, this.pointAt(t));
    }

    dispose(): void {
        this.group.removeFromParent();
        this.lines.forEach((line) => line.dispose());
    }
}
