// Symbols of supports of structures: a plate behind a clamped node, a cone under a pinned one, a cone on a roller.
import { BoxGeometry, ConeGeometry, CylinderGeometry, Group, Quaternion, Vector3, type Material } from "three";
import type { Joint, Report } from "../data.ts";
import { solid } from "./parts.ts";
import type { StructureShape } from "./structure.ts";

const Y = new Vector3(0, 1, 0);

type Kind = "clamped" | "pinned" | "roller";

const KINDS: Record<string, Kind> = { fixed: "clamped", revolute: "pinned", gimbal: "pinned", spherical: "pinned", pin_slot: "roller" };

export function supportOf(report: Report, joint: Joint): Kind | null {
    const isNode = joint.body_a < 0 && report.bodies[joint.body_b]?.role === "node";
    return isNode ? KINDS[joint.type] ?? null : null;
}

// Joints that hold nodes freely, or carry the coordinate of a slider, have nothing to show.
export function isHiddenJoint(report: Report, joint: Joint): boolean {
    const role = report.bodies[joint.body_b]?.role;
    return role === "carriage" || (role === "node" && joint.body_a < 0);
}

// From the node into the structure: the mean of the members that end there.
function inward(shape: StructureShape, body: number): Vector3 {
    const sum = new Vector3();
    for (const { a, b, axis } of shape.elements) {
        sum.addScaledVector(axis, (a === body ? 1 : 0) - (b === body ? 1 : 0));
    }
    return sum;
}

function plate(radius: number, away: Vector3, material: Material): Group {
    const group = new Group();
    const mesh = solid(new BoxGeometry(7 * radius, 1.2 * radius, 7 * radius), material);
    mesh.position.set(0, -0.6 * radius, 0);
    group.add(mesh);
    group.quaternion.copy(new Quaternion().setFromUnitVectors(Y, away.clone().negate()));
    return group;
}

function cone(radius: number, up: Vector3, isRoller: boolean, material: Material): Group {
    const group = new Group();
    const height = 4 * radius;
    const body = solid(new ConeGeometry(2.4 * radius, height, 24), material);
    body.position.set(0, -height / 2, 0);
    group.add(body);
    if (isRoller) {
        for (const x of [-1.2, 1.2]) {
            const roll = solid(new CylinderGeometry(0.7 * radius, 0.7 * radius, 3.5 * radius, 16).rotateX(Math.PI / 2), material);
            roll.position.set(x * radius, -height - 0.8 * radius, 0);
            group.add(roll);
        }
    } else {
        const foot = solid(new BoxGeometry(6 * radius, 0.7 * radius, 6 * radius), material);
        foot.position.set(0, -height - 0.35 * radius, 0);
        group.add(foot);
    }
    group.quaternion.setFromUnitVectors(Y, up);
    return group;
}

// At the origin; up: against gravity.
export function buildSupport(kind: Kind, body: number, shape: StructureShape, radius: number, up: Vector3, material: Material): Group {
    const into = inward(shape, body);
    if (kind === "clamped") {
        return plate(radius, into.length() > 0.1 ? into.normalize().negate() : up.clone().negate(), material);
    }
    return cone(radius, up, kind === "roller", material);
}
