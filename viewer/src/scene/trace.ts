// The path of a point: the whole of it faint, the part up to now strong.
import { Group, Vector3 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { indexAt } from "../page/format.ts";
import { newPose, type Motion } from "./motion.ts";
import type { Numbers } from "../data.ts";

const MOST_POINTS = 6000;
const ENOUGH_POINTS = 1500;

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
    private past = new LineGeometry();
    private materials: LineMaterial[];

    constructor(motion: Motion, frames: Numbers, nBodies: number, body: number, at: Vector3, color: string) {
        this.times = traceTimes(frames);
        const poses = Array.from({ length: nBodies }, newPose);
        const positions: number[] = [];
        const point = new Vector3();
        for (const t of this.times) {
            motion.calc(t, poses);
            point.copy(at).applyQuaternion(poses[body].q).add(poses[body].p);
            positions.push(point.x, point.y, point.z);
        }
        const whole = new LineGeometry().setPositions(positions);
        this.past.setAttribute("instanceStart", whole.getAttribute("instanceStart"));
        this.past.setAttribute("instanceEnd", whole.getAttribute("instanceEnd"));
        this.past.boundingSphere = whole.boundingSphere;
        this.materials = [0.28, 1].map((opacity) => new LineMaterial({ color, linewidth: 2, transparent: true, opacity }));
        for (const line of [new Line2(whole, this.materials[0]), new Line2(this.past, this.materials[1])]) {
            line.frustumCulled = false;
            this.group.add(line);
        }
    }

    update(t: number): void {
        this.past.instanceCount = Math.min(this.times.length - 1, indexAt(this.times, t));
    }

    dispose(): void {
        this.group.removeFromParent();
        this.group.children.forEach((line) => (line as Line2).geometry.dispose());
        this.materials.forEach((material) => material.dispose());
    }
}
