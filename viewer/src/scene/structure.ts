// Beam elements as curves: where each runs for given poses of its nodes, and a mass on it.
//
// An element is the cubic r(x) with the places of its nodes and tangents l R e_x, l the distance of the nodes. It is
// drawn with displacements from the drawing times a factor, r0 + factor (r - r0), exactly: poses come with places
// that are already magnified, and rotations as they are.
import { Quaternion, Vector3 } from "three";
import type { Body, Report } from "../data.ts";
import { newPose, type Pose } from "./motion.ts";

export interface Element {
    member: number;
    a: number; // bodies, -1: ground
    b: number;
    length: number;
    axis: Vector3; // in the drawing
    axisA: Vector3; // in the bodies
    axisB: Vector3;
    sideA: Vector3; // some direction across it, in body a
}

const GROUND = newPose();
export const FLOATS = 15; // of an element: place and tangent of either end, direction across

function drawnPose(body: Body | undefined): Pose {
    const pose = newPose();
    const d = body?.drawn;
    if (d) {
        pose.p.set(d[0], d[1], d[2]);
        pose.q.set(d[4], d[5], d[6], d[3]).normalize();
    }
    return pose;
}

function across(axis: Vector3): Vector3 {
    const least = Math.abs(axis.x) < 0.6 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    return least.cross(axis).normalize();
}

function buildElements(report: Report, drawn: Pose[]): Element[] {
    const at = (body: number): Pose => drawn[body] ?? GROUND;
    return report.members.flatMap(({ nodes }, member) => {
        const out: Element[] = [];
        for (let i = 0; i + 1 < nodes.length; i += 2) {
            const [a, b] = [at(nodes[i]), at(nodes[i + 1])];
            const axis = b.p.clone().sub(a.p);
            const length = axis.length() || 1e-9;
            axis.divideScalar(length);
            const back = (q: Quaternion): Quaternion => q.clone().invert();
            out.push({
                member,
                a: nodes[i],
                b: nodes[i + 1],
                length,
                axis,
                axisA: axis.clone().applyQuaternion(back(a.q)),
                axisB: axis.clone().applyQuaternion(back(b.q)),
                sideA: across(axis).applyQuaternion(back(a.q)),
            });
        }
        return out;
    });
}

export class StructureShape {
    readonly elements: Element[];
    readonly drawn: Pose[];
    readonly curves: Float32Array; // [FLOATS x elements] as calculated last
    private ends: Pose[][] = [];
    private u = new Vector3();
    private v = new Vector3();

    constructor(report: Report) {
        this.drawn = report.bodies.map(drawnPose);
        this.elements = buildElements(report, this.drawn);
        this.curves = new Float32Array(FLOATS * this.elements.length);
        this.ends = this.elements.map(({ a, b }) => [this.drawn[a] ?? GROUND, this.drawn[b] ?? GROUND]);
    }

    calc(poses: Pose[], factor: number): void {
        for (let i = 0; i < this.elements.length; i++) {
            this.calcElement(i, poses, factor);
        }
    }

    calcElement(i: number, poses: Pose[], factor: number): void {
        const { u, v, curves } = this;
        const e = this.elements[i];
        const [a, b] = [poses[e.a] ?? GROUND, poses[e.b] ?? GROUND];
        const [a0, b0] = this.ends[i];
        const k = FLOATS * i;
        // The true distance of the nodes.
        u.copy(b.p).sub(a.p).addScaledVector(b0.p, factor - 1).addScaledVector(a0.p, 1 - factor);
        const length = u.length() / factor;
        a.p.toArray(curves, k);
        this.tangent(e, e.axisA, a.q, length, factor).toArray(curves, k + 3);
        b.p.toArray(curves, k + 6);
        this.tangent(e, e.axisB, b.q, length, factor).toArray(curves, k + 9);
        v.copy(e.sideA).applyQuaternion(a.q).toArray(curves, k + 12);
    }

    private tangent(e: Element, axis: Vector3, q: Quaternion, length: number, factor: number): Vector3 {
        return this.u.copy(axis).applyQuaternion(q).multiplyScalar(factor * length).addScaledVector(e.axis, (1 - factor) * e.length);
    }

    // The point of an element at the part x of its length, and the direction there.
    pointOn(element: number, x: number, out: Vector3, direction?: Vector3): Vector3 {
        const c = this.curves;
        const k = FLOATS * element;
        const sum = (h: number[], j: number): number => h[0] * c[k + j] + h[1] * c[k + 3 + j] + h[2] * c[k + 6 + j] + h[3] * c[k + 9 + j];
        const h = [1 - x * x * (3 - 2 * x), x * (1 - x) * (1 - x), x * x * (3 - 2 * x), x * x * (x - 1)];
        const d = [6 * x * (x - 1), (1 - x) * (1 - 3 * x), 6 * x * (1 - x), x * (3 * x - 2)];
        direction?.set(sum(d, 0), sum(d, 1), sum(d, 2)).normalize();
        return out.set(sum(h, 0), sum(h, 1), sum(h, 2));
    }

    drawnPoint(element: number, x: number, out: Vector3): Vector3 {
        return out.copy(this.ends[element][0].p).lerp(this.ends[element][1].p, x);
    }
}
