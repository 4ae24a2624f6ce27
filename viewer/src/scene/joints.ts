// Joints, supports of structures and the rails of slides, each in a holder that follows the body that carries it.
import { Group, Mesh, MeshStandardMaterial, Vector3 } from "three";
import type { Joint, Report, Vec3 } from "../data.ts";
import type { BeamsView } from "./beams.ts";
import type { Extent } from "./extent.ts";
import { newPose, type Motion, type Pose } from "./motion.ts";
import { bar, buildJoint, materialOf } from "./parts.ts";
import type { StructureShape } from "./structure.ts";
import { buildSupport, isHiddenJoint, supportOf } from "./supports.ts";

const vec = (a: Vec3): Vector3 => new Vector3(...a);
const GROUND: Pose = newPose();
const HELD = /revolute|prismatic|cylindrical|screw|spherical|universal|gimbal|fixed|weld|pin_slot/;

export class JointsView {
    readonly group = new Group();
    readonly held: Vector3[] = []; // places of joints that the ground holds
    private pin = materialOf("#dfe3e8");
    private ground = materialOf("#5b6570");
    private loop = materialOf("#f0c75e");

    constructor(
        private report: Report,
        private motion: Motion,
        private extent: Extent,
        private up: Vector3,
        private shape: StructureShape,
        private beams: BeamsView | null,
    ) {
        report.joints.forEach((joint) => this.add(joint));
    }

    private add(joint: Joint): void {
        const material = joint.is_loop ? this.loop : joint.body_a < 0 ? this.ground : this.pin;
        if (this.addSupport(joint, material) || isHiddenJoint(this.report, joint)) {
            return;
        }
        if (joint.body_a < 0 && HELD.test(joint.type)) {
            this.held.push(vec(joint.at_a));
        }
        const mesh = buildJoint(joint, this.extent.thickness, material);
        if (mesh) {
            const guide = /prismatic/.test(joint.type) ? this.buildGuide(joint, material) : null;
            this.hold(`joint ${joint.name} (${joint.type})`, joint.body_a, mesh, guide);
        }
    }

    private hold(label: string, body: number, ...parts: (Mesh | Group | null)[]): Group {
        const holder = new Group();
        holder.userData = { label, body };
        parts.forEach((part) => part && holder.add(part));
        this.group.add(holder);
        return holder;
    }

    private addSupport(joint: Joint, material: MeshStandardMaterial): boolean {
        const kind = supportOf(this.report, joint);
        if (kind) {
            const radius = Math.max(this.extent.thickness, this.beams?.radiusAt(joint.body_b) ?? 0);
            const symbol = buildSupport(kind, joint.body_b, this.shape, radius, this.up, material);
            this.hold(`${joint.name}: ${kind}`, joint.body_b, symbol).userData.keepsUpright = true;
        }
        return kind !== null;
    }

    // What carries the joints of the ground.
    addStand([from, to]: [Vector3, Vector3]): void {
        this.hold("ground", -1, bar(from, to, 0.6 * this.extent.thickness, this.ground));
    }

    // The rail of a slide, as long as its travel.
    private buildGuide(joint: Joint, material: MeshStandardMaterial): Mesh | null {
        const axis = vec(joint.axis_a).normalize();
        const { frames } = this.report;
        const poses = this.report.bodies.map(newPose);
        const stride = Math.max(1, Math.ceil(frames.length / 200));
        let [low, high] = [0, 0];
        for (let i = 0; i < frames.length; i += stride) {
            this.motion.calc(frames[i], poses);
            const pose = poses[joint.body_a] ?? GROUND;
            const other = poses[joint.body_b] ?? GROUND;
            const there = vec(joint.at_b).applyQuaternion(other.q).add(other.p).sub(pose.p).applyQuaternion(pose.q.clone().invert());
            const along = there.sub(vec(joint.at_a)).dot(axis);
            low = Math.min(low, along);
            high = Math.max(high, along);
        }
        if (!(high - low > 4 * this.extent.thickness) || high - low > 10 * this.extent.size) {
            return null;
        }
        const more = 0.06 * (high - low);
        const from = vec(joint.at_a).addScaledVector(axis, low - more);
        const to = vec(joint.at_a).addScaledVector(axis, high + more);
        if (joint.body_a < 0) {
            this.extent.path.push(from, to);
        }
        return bar(from, to, 0.45 * this.extent.thickness, material);
    }

    update(poseOf: (body: number) => Pose): void {
        placeHolders(this.group, poseOf);
    }

    setTheme(isDark: boolean): void {
        this.ground.color.set(isDark ? "#aab4bf" : "#4a535d");
    }
}

// Moves holders with the bodies that carry them.
export function placeHolders(group: Group, poseOf: (body: number) => Pose): void {
    for (const holder of group.children) {
        const pose = poseOf(holder.userData.body ?? -1);
        holder.position.copy(pose.p);
        if (!holder.userData.keepsUpright) {
            holder.quaternion.copy(pose.q);
        }
    }
}
