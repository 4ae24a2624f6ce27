// Where every body is: interpolated between recorded frames, or swinging in a mode.
import { Quaternion, Vector3 } from "three";
import { indexAt } from "../page/format.ts";
import type { Body, MeshPart, Mode, Numbers, Vec3 } from "../data.ts";
import { MeshShape } from "./mesh.ts";

export interface Pose {
    p: Vector3;
    q: Quaternion;
}

export interface Motion {
    // All poses, or those of some bodies.
    calc(t: number, poses: Pose[], only?: number[]): void;
    // How much there is of each shape of a mesh.
    calcMesh(mesh: number, t: number, amplitudes: Float32Array): void;
}

export const newPose = (): Pose => ({ p: new Vector3(), q: new Quaternion() });

// Rotations beyond this between two frames (cosine of half the angle) are turned along the great circle.
const LARGE_TURN = 0.7;
const NOWHERE: Vec3 = [0, 0, 0];

function readPose({ poses, origin = NOWHERE }: Body, frame: number, out: Pose): void {
    const k = 7 * frame;
    out.p.set(origin[0] + poses[k], origin[1] + poses[k + 1], origin[2] + poses[k + 2]);
    out.q.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]).normalize();
}

export class RunMotion implements Motion {
    private near = [newPose(), newPose(), newPose(), newPose()];
    private indices = [0, 0, 0, 0];
    private weights = [0, 1, 0, 0];

    constructor(
        private bodies: Body[],
        private frames: Numbers,
        private meshes: MeshPart[] = [],
    ) {}

    // The frames around t and how much each counts; the place between the middle two.
    private find(t: number): number {
        const last = this.frames.length - 1;
        const i = Math.min(indexAt(this.frames, t), Math.max(0, last - 1));
        const step = last > 0 ? this.frames[i + 1] - this.frames[i] : 0;
        const u = step > 0 ? Math.min(1, Math.max(0, (t - this.frames[i]) / step)) : 0;
        this.indices = [i - 1, i, i + 1, i + 2].map((k) => Math.max(0, Math.min(last, k)));
        this.weights = u > 0 && last > 0 ? hermite(u, this.frames, this.indices) : [0, 1, 0, 0];
        return last > 0 ? u : 0;
    }

    calc(t: number, poses: Pose[], only?: number[]): void {
        const u = this.find(t);
        const n = only ? only.length : this.bodies.length;
        for (let i = 0; i < n; i++) {
            const b = only ? only[i] : i;
            this.calcBody(this.bodies[b], u, poses[b]);
        }
    }

    // The value at t of numbers of which each frame has one.
    valueAt(values: Numbers, t: number): number {
        this.find(t);
        return this.indices.reduce((sum, index, k) => sum + (this.weights[k] ? this.weights[k] * values[index] : 0), 0);
    }

    calcMesh(mesh: number, t: number, out: Float32Array): void {
        const { amplitudes } = this.meshes[mesh];
        this.find(t);
        out.fill(0);
        this.indices.forEach((index, k) => {
            for (let i = 0; this.weights[k] && i < out.length; i++) {
                out[i] += this.weights[k] * amplitudes[index * out.length + i];
            }
        });
    }

    private calcBody(body: Body, u: number, out: Pose): void {
        const { near, indices, weights } = this;
        readPose(body, indices[1], out);
        if (u <= 0) {
            return;
        }
        indices.forEach((index, k) => readPose(body, index, near[k]));
        const small = alignSigns(near);
        out.p.set(0, 0, 0);
        near.forEach((pose, k) => out.p.addScaledVector(pose.p, weights[k]));
        if (small) {
            blend(near, weights, out.q);
        } else {
            out.q.slerpQuaternions(near[1].q, near[2].q, u);
        }
    }
}

// q and -q are the same turn: makes neighbours lie on one side. True where all turns are small.
function alignSigns(near: Pose[]): boolean {
    let small = true;
    for (const k of [0, 2, 3]) {
        const before = near[k === 0 ? 1 : k - 1].q;
        let dot = near[k].q.dot(before);
        if (dot < 0) {
            near[k].q.set(-near[k].q.x, -near[k].q.y, -near[k].q.z, -near[k].q.w);
            dot = -dot;
        }
        small = small && dot > LARGE_TURN;
    }
    return small;
}

function blend(near: Pose[], weights: number[], out: Quaternion): void {
    out.set(0, 0, 0, 0);
    near.forEach(({ q }, k) => {
        out.set(out.x + weights[k] * q.x, out.y + weights[k] * q.y, out.z + weights[k] * q.z, out.w + weights[k] * q.w);
    });
    out.normalize();
}

// Weights of four neighbouring frames in the cubic whose slopes are central differences; at the ends of a run
// the slope is that of the parabola. Coarse samples of a turning arm so stay on their circle.
function hermite(u: number, frames: Numbers, index: number[]): number[] {
    const [t0, t1, t2, t3] = index.map((i) => frames[i]);
    const h = t2 - t1;
    const h00 = (1 + 2 * u) * (1 - u) * (1 - u);
    const h10 = u * (1 - u) * (1 - u);
    const h01 = u * u * (3 - 2 * u);
    const h11 = u * u * (u - 1);
    const w = [0, h00, h01, 0];
    const hasBefore = t1 > t0;
    const hasAfter = t3 > t2;
    if (!hasBefore && !hasAfter) {
        return [0, 1 - u, u, 0];
    }
    const before = hasBefore ? h / (t2 - t0) : 0;
    const after = hasAfter ? h / (t3 - t1) : 0;
    // Slope at the start s0 = before * (p2 - p0), at the end s1 = after * (p3 - p1), both times h.
    const [c0, c1] = hasBefore && hasAfter ? [h10, h11] : hasBefore ? [h10 - h11, 0] : [0, h11 - h10];
    const chord = hasBefore && hasAfter ? 0 : hasBefore ? 2 * h11 : 2 * h10;
    w[0] -= c0 * before;
    w[1] -= c1 * after + chord;
    w[2] += c0 * before + chord;
    w[3] += c1 * after;
    return w;
}

// The bodies' rest poses plus the real part of amplitude * shape * exp(i * 2 pi t).
export class ModeMotion implements Motion {
    mode: Mode | null = null;
    amplitude = 0;
    private rest: Pose[];
    private turn = new Quaternion();
    private angle = new Vector3();

    constructor(
        bodies: Body[],
        private meshes: MeshPart[] = [],
    ) {
        this.rest = bodies.map((body) => {
            const pose = newPose();
            if (body.poses.length >= 7) {
                readPose(body, 0, pose);
            }
            return pose;
        });
    }

    calc(t: number, poses: Pose[]): void {
        const c = this.amplitude * Math.cos(2 * Math.PI * t);
        const s = this.amplitude * Math.sin(2 * Math.PI * t);
        for (let b = 0; b < poses.length; b++) {
            poses[b].p.copy(this.rest[b].p);
            poses[b].q.copy(this.rest[b].q);
            const shape = this.mode?.shape;
            if (shape && shape.length >= 12 * b + 12) {
                const part = (k: number): number => c * shape[12 * b + k] - s * shape[12 * b + k + 6];
                poses[b].p.x += part(0);
                poses[b].p.y += part(1);
                poses[b].p.z += part(2);
                this.angle.set(part(3), part(4), part(5));
                const size = this.angle.length();
                if (size > 0) {
                    this.turn.setFromAxisAngle(this.angle.divideScalar(size), size);
                    poses[b].q.premultiply(this.turn);
                }
            }
        }
    }

    calcMesh(mesh: number, t: number, out: Float32Array): void {
        const shape = this.mode?.meshes[mesh];
        const c = this.amplitude * Math.cos(2 * Math.PI * t);
        const s = this.amplitude * Math.sin(2 * Math.PI * t);
        for (let i = 0; i < out.length; i++) {
            out[i] = shape?.length === 2 * out.length ? c * shape[i] - s * shape[i + out.length] : 0;
        }
    }

    // The largest displacement of a mesh in a mode, about: both parts together.
    private reachOfMesh(mode: Mode, mesh: number): number {
        const shape = new MeshShape(this.meshes[mesh]);
        const n = this.meshes[mesh].n_shapes;
        const parts = [0, n].map((from) => {
            shape.calc(Float32Array.from(mode.meshes[mesh]?.subarray(from, from + n) ?? []));
            return shape.largest();
        });
        return Math.hypot(...parts);
    }

    // The amplitude that moves the outermost key point by `distance` and turns no body beyond half a radian.
    calcFullAmplitude(mode: Mode, keyPoints: Vector3[][], distance: number): number {
        const arm = new Vector3();
        let move = 0;
        let turn = 0;
        for (let b = 0; 12 * b + 12 <= mode.shape.length; b++) {
            const sizeOf = (k: number): number => Math.hypot(...[k, k + 1, k + 2, k + 6, k + 7, k + 8].map((i) => mode.shape[12 * b + i]));
            const angular = sizeOf(3);
            const reach = Math.max(0, ...(keyPoints[b] ?? []).map((p) => arm.copy(p).length()));
            move = Math.max(move, sizeOf(0), angular * reach * 0.8);
            turn = Math.max(turn, angular);
        }
        mode.meshes.forEach((_, mesh) => (move = Math.max(move, this.reachOfMesh(mode, mesh))));
        const byMove = move > 0 ? distance / move : 0;
        return turn > 0 ? Math.min(byMove || Infinity, 0.5 / turn) : byMove;
    }
}
