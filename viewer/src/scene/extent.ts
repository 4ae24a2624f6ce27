// How large the mechanism is, where it moves, and whether it moves in one plane.
import { Box3, Matrix3, Vector3 } from "three";
import { newPose, type Motion } from "./motion.ts";
import type { Body, MeshPart, Report, Shape, Vec3 } from "../data.ts";

const MAX_SAMPLES = 160;
const PLANAR = /^(planar|pin_slot)$/; // joints of plane structures: their axis is the plane's normal

export interface Extent {
    size: number; // diagonal at the start, m
    thickness: number; // radius of a slim bar, m
    keyPoints: Vector3[][]; // per body, body coordinates
    path: Vector3[]; // key points over the whole motion, global
    start: Box3;
    whole: Box3;
    planeNormal: Vector3 | null;
}

const vec = (a: Vec3 | undefined): Vector3 => new Vector3(...(a ?? [0, 0, 0]));

function rotationOf(shape: Shape): Matrix3 {
    const m = new Matrix3();
    return shape.rotation?.length === 9 ? m.fromArray(shape.rotation).transpose() : m;
}

function boxCorners([x, y, z]: number[]): Vector3[] {
    return Array.from({ length: 8 }, (_, i) => new Vector3((i & 1 ? x : -x) / 2, (i & 2 ? y : -y) / 2, (i & 4 ? z : -z) / 2));
}

function ring(radius: number, height: number): Vector3[] {
    return Array.from({ length: 8 }, (_, i) => {
        const angle = (i * Math.PI) / 4;
        return new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), height);
    });
}

// Points on the outside a box, cylinder, tube or sphere.
function cornersOf(shape: Shape): Vector3[] {
    const r = shape.radius ?? 0;
    const h = (shape.length ?? 0) / 2;
    const corners =
        shape.type === "box"
            ? boxCorners(shape.size ?? [0, 0, 0])
            : shape.type === "sphere"
              ? [...ring(r, 0), new Vector3(0, 0, r), new Vector3(0, 0, -r)]
              : [...ring(r, h), ...ring(r, -h)];
    const rotation = rotationOf(shape);
    return corners.map((corner) => corner.applyMatrix3(rotation).add(vec(shape.at)));
}

function calcKeyPoints(body: Body): Vector3[] {
    const out = [...body.links.map(vec), ...body.points.map((point) => vec(point.at))];
    for (const shape of body.shapes) {
        if (shape.type === "rod") {
            out.push(vec(shape.from), vec(shape.to));
        } else if (shape.type === "point") {
            out.push(vec(shape.at));
        } else {
            out.push(...cornersOf(shape));
        }
    }
    return out.length || body.role === "carriage" ? out : [new Vector3()];
}

function groundPoints(report: Report): Vector3[] {
    const out: Vector3[] = [];
    const carriages = new Set(report.sliders.map(({ carriage }) => carriage));
    for (const slider of report.sliders) {
        if (slider.body < 0) {
            out.push(...slider.curve.map(vec));
        }
    }
    for (const part of [...report.joints, ...report.springs]) {
        if (part.body_b >= 0 && carriages.has(part.body_b)) {
            continue;
        }
        if (part.body_a < 0) {
            out.push(vec(part.at_a));
        }
        if (part.body_b < 0) {
            out.push(vec(part.at_b));
        }
    }
    return out;
}

// Some points of a mesh in the drawing, and its corners.
function sampleMesh(part: MeshPart): Vector3[] {
    const out: Vector3[] = [];
    const box = new Box3();
    const stride = 3 * Math.max(1, Math.ceil(part.points.length / 3 / 300));
    for (let i = 0; i + 2 < part.points.length; i += 3) {
        const at = new Vector3(part.points[i], part.points[i + 1], part.points[i + 2]).add(vec(part.origin));
        box.expandByPoint(at);
        if (i % stride === 0) {
            out.push(at);
        }
    }
    return box.isEmpty() ? out : [...out, box.min, box.max];
}

function sampleTimes(report: Report): number[] {
    const n = report.frames.length;
    const most = Math.max(24, Math.min(MAX_SAMPLES, 60000 / (report.bodies.length + 1)));
    const stride = Math.max(1, Math.ceil(n / most));
    const out: number[] = [];
    for (let i = 0; i < n; i += stride) {
        out.push(report.frames[i]);
    }
    return out.length ? out : [0];
}

// Slim bars are thin beside the mechanism and beside their own typical length.
function calcThickness(size: number, { bodies, members }: Report): number {
    const place = (b: number): Vector3 => new Vector3(...(bodies[b]?.drawn?.slice(0, 3) ?? []));
    const lengths = members.map(({ nodes }) => place(nodes[0]).distanceTo(place(nodes[nodes.length - 1]))).filter((d) => d > 0);
    for (const body of bodies) {
        const ends = body.shapes.filter((s) => s.type === "rod").map((s) => [vec(s.from), vec(s.to)]);
        for (let i = 1; i < body.links.length; i++) {
            ends.push([vec(body.links[i - 1]), vec(body.links[i])]);
        }
        lengths.push(...ends.map(([a, b]) => a.distanceTo(b)).filter((d) => d > 0));
    }
    lengths.sort((a, b) => a - b);
    const typical = lengths.length ? lengths[lengths.length >> 1] : size;
    return Math.max(0.0015 * size, Math.min(0.009 * size, 0.035 * typical));
}

export function calcExtent(report: Report, motion: Motion): Extent {
    const keyPoints = report.bodies.map(calcKeyPoints);
    const poses = report.bodies.map(newPose);
    const fixed = groundPoints(report);
    const path = [...fixed];
    const start = new Box3().setFromPoints(fixed);
    const whole = start.clone();
    const point = new Vector3();
    keyPoints.forEach((points, b) => {
        const held = report.sliders.filter((slider) => slider.body === b);
        points.push(...held.flatMap((slider) => slider.curve.map(vec)));
    });
    for (const at of report.meshes.flatMap(sampleMesh)) {
        start.expandByPoint(at);
        whole.expandByPoint(at);
        path.push(at);
    }
    sampleTimes(report).forEach((t, sample) => {
        motion.calc(t, poses);
        poses.forEach(({ p, q }, b) => {
            for (const key of keyPoints[b]) {
                point.copy(key).applyQuaternion(q).add(p);
                if (Number.isFinite(point.x + point.y + point.z)) {
                    whole.expandByPoint(point);
                    if (sample === 0) {
                        start.expandByPoint(point);
                    }
                    path.push(point.clone());
                }
            }
        });
    });
    const fallback = report.length > 0 ? report.length : 1;
    const size = (start.isEmpty() ? 0 : start.getSize(point).length()) || fallback;
    return {
        size,
        thickness: calcThickness(size, report),
        keyPoints,
        path: thin(path, 4000),
        start,
        whole,
        planeNormal: findPlane(report, motion, size),
    };
}

function thin<T>(all: T[], most: number): T[] {
    const stride = Math.ceil(all.length / most);
    return stride > 1 ? all.filter((_, i) => i % stride === 0) : all;
}

// A motion is planar where all bodies turn about one direction and move perpendicular to it. A mode shape or
// a motion without turning says nothing; the axes of the joints then decide.
function findPlane(report: Report, motion: Motion, size: number): Vector3 | null {
    const normal = firstAxis(report);
    if (!normal) {
        return null;
    }
    const first = report.bodies.map(newPose);
    const now = report.bodies.map(newPose);
    const times = sampleTimes(report);
    motion.calc(times[0], first);
    let turned = report.joints.some(({ type }) => PLANAR.test(type));
    for (const t of times) {
        motion.calc(t, now);
        for (let b = 0; b < now.length; b++) {
            if (report.bodies[b].role === "carriage") {
                continue;
            }
            const turn = now[b].q.clone().multiply(first[b].q.clone().invert());
            const axis = new Vector3(turn.x, turn.y, turn.z);
            const lift = now[b].p.clone().sub(first[b].p).dot(normal);
            if (axis.clone().cross(normal).length() > 1e-4 || Math.abs(lift) > 1e-4 * size) {
                return null;
            }
            turned = turned || axis.length() > 1e-3;
        }
    }
    return turned || times.length === 1 ? normal : null;
}

function firstAxis(report: Report): Vector3 | null {
    const poses = report.bodies.map(newPose);
    report.bodies.forEach(({ poses: k }, b) => {
        if (k.length >= 7) {
            poses[b].q.set(k[4], k[5], k[6], k[3]).normalize();
        }
    });
    let common: Vector3 | null = null;
    for (const joint of report.joints) {
        if (joint.type !== "revolute" && !PLANAR.test(joint.type)) {
            continue;
        }
        const axis = vec(joint.axis_a).normalize();
        if (joint.body_a >= 0) {
            axis.applyQuaternion(poses[joint.body_a].q);
        }
        if (common && axis.clone().cross(common).length() > 1e-4) {
            return null;
        }
        common = common ?? axis;
    }
    return common;
}
