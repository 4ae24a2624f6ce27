// Where to look from: upright against gravity, in front of planar mechanisms, everything in the picture.
import { PerspectiveCamera, Vector3 } from "three";
import type { Vec3 } from "../data.ts";

const MARGIN = 1.12;
const LIFT = 0.07; // by which the front of a plane mechanism is seen from above, so that its floor is seen as one
const AXES = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];

// Gravity points down; without it z is up, or y where everything moves in the x-y plane.
export function findUp(gravity: Vec3, planeNormal: Vector3 | null): Vector3 {
    const up = new Vector3(...gravity).negate();
    if (up.length() > 0) {
        up.normalize();
        return AXES.flatMap((a) => [a, a.clone().negate()]).find((a) => a.distanceTo(up) < 1e-3)?.clone() ?? up;
    }
    return planeNormal && Math.abs(planeNormal.z) > 0.999 ? AXES[1].clone() : AXES[2].clone();
}

// The horizontal direction to the right in the standard view: x where possible.
export function findRight(up: Vector3): Vector3 {
    const axis = Math.abs(up.x) < 0.9 ? AXES[0] : AXES[1];
    return axis.clone().addScaledVector(up, -axis.dot(up)).normalize();
}

// From the target towards the camera.
export function findDirection(view: string, up: Vector3, planeNormal: Vector3 | null): Vector3 {
    const right = findRight(up);
    const front = right.clone().cross(up);
    const mix = (x: number, y: number, z: number): Vector3 =>
        new Vector3().addScaledVector(right, x).addScaledVector(front, y).addScaledVector(up, z).normalize();
    if (view === "front") {
        return front;
    }
    if (view === "side") {
        return right;
    }
    if (view === "top") {
        return mix(0, 0.001, 1);
    }
    if (view === "start" && planeNormal) {
        return facePlane(planeNormal, up, mix);
    }
    return mix(0.62, 1, 0.48);
}

function facePlane(normal: Vector3, up: Vector3, mix: (x: number, y: number, z: number) => Vector3): Vector3 {
    if (Math.abs(normal.dot(up)) > 0.9) {
        return mix(0.15, 0.8, 1.2);
    }
    const right = up.clone().cross(normal).normalize();
    const side = right.x + right.y + right.z >= 0 ? 1 : -1;
    right.multiplyScalar(side);
    return normal.clone().multiplyScalar(side).addScaledVector(up, LIFT).normalize();
}

// Places the camera in `direction` so that all points are in the picture; returns what it looks at.
// headroom: share of the picture's height that its notes cover at the top.
export function fitCamera(camera: PerspectiveCamera, points: Vector3[], direction: Vector3, headroom = 0): Vector3 {
    const back = direction.clone();
    const right = camera.up.clone().cross(back).normalize();
    const up = back.clone().cross(right);
    const whole = Math.tan((camera.fov * Math.PI) / 360);
    const tall = whole / MARGIN;
    const wide = tall * camera.aspect;
    // Both edges of the picture touch: x - c <= above (d - z) and c - x <= below (d - z) for all points.
    const edges = [
        { axis: right, above: wide, below: wide },
        { axis: up, above: Math.min(tall, whole * (1 - 2 * headroom)), below: tall },
    ].map((edge) => ({
        ...edge,
        plus: Math.max(...points.map((point) => point.dot(edge.axis) + edge.above * point.dot(back))),
        minus: Math.max(...points.map((point) => -point.dot(edge.axis) + edge.below * point.dot(back))),
    }));
    const distance = Math.max(...edges.map(({ above, below, plus, minus }) => (plus + minus) / (above + below)));
    const target = new Vector3();
    for (const { axis, above, below, plus, minus } of edges) {
        target.addScaledVector(axis, (plus - minus + (below - above) * distance) / 2);
    }
    camera.position.copy(target).addScaledVector(back, distance);
    const depth = points.reduce((sum, point) => sum + point.dot(back), 0) / Math.max(1, points.length);
    target.addScaledVector(back, depth);
    camera.lookAt(target);
    return target;
}
