// A motion whose structures are drawn with magnified displacements: linear structures move by millimetres.
//
// Nodes are displaced from the drawing by `factor` times as much; what hangs on them goes with them, turned further only
// where it is welded to a node. Everything else moves as it does.
import { Box3, Quaternion, Vector3 } from "three";
import type { Report } from "../data.ts";
import { roundDown125 } from "../page/format.ts";
import { boundsOf } from "./mesh.ts";
import { newPose, type Motion, type Pose } from "./motion.ts";

const VISIBLE = 0.06; // of a structure's size: what the automatic factor aims at
const TOO_LARGE = 0.5; // larger displacements are not offered
const MOST = 1000;
const MAX_SAMPLES = 400;

interface Carried {
    body: number;
    node: number;
    isWelded: boolean;
}

// Bodies that joints connect to nodes, from the nodes outwards.
function findCarried(report: Report, nodes: Set<number>): Carried[] {
    const neighbours: { body: number; isWelded: boolean }[][] = report.bodies.map(() => []);
    for (const { body_a: a, body_b: b, type } of report.joints) {
        if (a >= 0 && b >= 0) {
            neighbours[a].push({ body: b, isWelded: type === "fixed" });
            neighbours[b].push({ body: a, isWelded: type === "fixed" });
        }
    }
    const found = new Set<number>(nodes);
    let rim: Carried[] = [...nodes].map((node) => ({ body: node, node, isWelded: true }));
    const out: Carried[] = [];
    while (rim.length) {
        const next: Carried[] = [];
        for (const { body, node, isWelded } of rim) {
            for (const other of neighbours[body]) {
                if (!found.has(other.body)) {
                    found.add(other.body);
                    next.push({ body: other.body, node, isWelded: isWelded && other.isWelded });
                }
            }
        }
        out.push(...next);
        rim = next;
    }
    return out;
}

export class DeformedMotion implements Motion {
    factor = 1;
    readonly automatic: number;
    readonly largest: number; // displacement of a node, m
    private nodes: Set<number>;
    private carried: Map<number, Carried>;
    private drawn: Vector3[];
    private rest: Quaternion[];
    private size: number;

    constructor(
        private inner: Motion,
        report: Report,
    ) {
        const own = report.bodies.flatMap(({ role }, b) => (role === "node" ? [b] : []));
        this.nodes = new Set([...own, ...report.members.flatMap(({ nodes }) => nodes).filter((b) => b >= 0)]);
        this.carried = new Map(findCarried(report, this.nodes).map((carried) => [carried.body, carried]));
        this.drawn = report.bodies.map(({ drawn: d }) => new Vector3(d?.[0], d?.[1], d?.[2]));
        this.rest = report.bodies.map(({ drawn: d }) => (d ? new Quaternion(d[4], d[5], d[6], d[3]) : new Quaternion()));
        const box = new Box3().setFromPoints([...this.nodes].map((b) => this.drawn[b]));
        for (const part of report.meshes.filter(({ points }) => points.length)) {
            box.union(boundsOf(part).getBoundingBox(new Box3()));
        }
        this.size = box.isEmpty() ? 0 : box.getSize(new Vector3()).length();
        this.largest = this.size > 0 && report.kind !== "modes" ? this.findLargest(report) : 0;
        const wanted = this.largest > 0 ? (VISIBLE * this.size) / this.largest : 1;
        this.automatic = wanted < 1.5 ? 1 : Math.min(MOST, roundDown125(wanted));
        this.factor = this.automatic;
    }

    private findLargest(report: Report): number {
        const { frames } = report;
        const poses = report.bodies.map(newPose);
        const stride = Math.max(1, Math.ceil(frames.length / MAX_SAMPLES));
        let most = Math.max(0, ...report.meshes.map(({ largest }) => largest)) ** 2;
        for (let i = 0; i < frames.length; i += stride) {
            this.inner.calc(frames[i], poses);
            for (const b of this.nodes) {
                most = Math.max(most, poses[b].p.distanceToSquared(this.drawn[b]));
            }
        }
        return Math.sqrt(most);
    }

    // What may be chosen; a single one where magnifying makes no sense.
    get choices(): number[] {
        const all = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
        return all.filter((k) => k === 1 || k === this.automatic || k * this.largest <= TOO_LARGE * this.size);
    }

    calc(t: number, poses: Pose[], only?: number[]): void {
        if (this.factor === 1) {
            this.inner.calc(t, poses, only);
            return;
        }
        const carried = only ? only.flatMap((b) => this.carried.get(b) ?? []) : [...this.carried.values()];
        const needed = only ? [...new Set([...only, ...carried.map(({ node }) => node)])] : undefined;
        this.inner.calc(t, poses, needed);
        carried.forEach((one) => this.move(one, poses));
        for (const b of needed ?? this.nodes) {
            if (this.nodes.has(b)) {
                poses[b].p.sub(this.drawn[b]).multiplyScalar(this.factor).add(this.drawn[b]);
            }
        }
    }

    calcMesh(mesh: number, t: number, amplitudes: Float32Array): void {
        this.inner.calcMesh(mesh, t, amplitudes);
    }

    // With its node, whose pose is still the true one.
    private move({ body, node, isWelded }: Carried, poses: Pose[]): void {
        const [pose, from] = [poses[body], poses[node]];
        if (isWelded) {
            const more = this.furtherTurn(from.q, this.rest[node]);
            pose.p.sub(from.p).applyQuaternion(more).add(from.p);
            pose.q.premultiply(more);
        }
        pose.p.addScaledVector(from.p, this.factor - 1).addScaledVector(this.drawn[node], 1 - this.factor);
    }

    // From the turn of a node to `factor` times that.
    private furtherTurn(now: Quaternion, rest: Quaternion): Quaternion {
        const turn = now.clone().multiply(rest.clone().invert());
        const axis = new Vector3(turn.x, turn.y, turn.z);
        const sine = axis.length();
        const angle = 2 * Math.atan2(sine, Math.abs(turn.w)) * (turn.w < 0 ? -1 : 1);
        return sine > 0 ? turn.setFromAxisAngle(axis.divideScalar(sine), (this.factor - 1) * angle) : turn.identity();
    }
}
