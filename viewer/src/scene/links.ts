// What stretches between two points: springs, ropes and rods, and the bushings between frames.
import { Group, Vector3 } from "three";
import type { Report, Spring, Vec3 } from "../data.ts";
import type { Extent } from "./extent.ts";
import { newPose, type Motion, type Pose } from "./motion.ts";
import { ball, buildBushing, materialOf } from "./parts.ts";
import { RopeView } from "./rope.ts";
import { SpringView } from "./spring.ts";

const vec = (a: Vec3): Vector3 => new Vector3(...a);
const ROPE = 1e-4; // relative change of length beyond which a distance is that of a rope that is reeled

export class LinksView {
    readonly group = new Group();
    private springs: SpringView[] = [];
    private ropes: RopeView[] = [];
    private bushings: Group[] = [];
    private posts: RopeView[] = []; // of bushings, between ends that magnified displacements tear apart

    constructor(
        private report: Report,
        motion: Motion,
        private extent: Extent,
    ) {
        const poses = report.bodies.map(newPose);
        const poseOf = (body: number): Pose => poses[body] ?? newPose();
        motion.calc(report.frames[0] ?? 0, poses);
        report.springs.forEach((spring) => this.addSpring(spring, this.ends(spring, poseOf)));
        const lengths = report.rods.map(() => [Infinity, 0]);
        const stride = Math.max(1, Math.ceil(report.frames.length / 100));
        for (let i = 0; report.rods.length && i < report.frames.length; i += stride) {
            motion.calc(report.frames[i], poses);
            report.rods.forEach((rod, r) => {
                const [a, b] = this.ends(rod, poseOf);
                lengths[r] = [Math.min(lengths[r][0], a.distanceTo(b)), Math.max(lengths[r][1], a.distanceTo(b))];
            });
        }
        report.rods.forEach((rod, r) => {
            const view = new RopeView(0.5 * extent.thickness, lengths[r][1] - lengths[r][0] > ROPE * lengths[r][1]);
            view.group.userData = { label: rod.name };
            this.ropes.push(view);
            this.group.add(view.group);
        });
        this.addBushings();
    }

    private ends({ body_a, at_a, body_b, at_b }: Spring, poseOf: (body: number) => Pose): [Vector3, Vector3] {
        const place = ({ p, q }: Pose, at: Vec3): Vector3 => vec(at).applyQuaternion(q).add(p);
        return [place(poseOf(body_a), at_a), place(poseOf(body_b), at_b)];
    }

    private addSpring(spring: Spring, [from, to]: [Vector3, Vector3]): void {
        const { thickness, size } = this.extent;
        const material = materialOf("#9aa7b5");
        const radius = Math.min(2.4 * thickness, 0.16 * (from.distanceTo(to) || size));
        const view = new SpringView(radius, 0.19 * radius, material);
        view.group.userData = { label: `spring ${spring.name}` };
        if (spring.body_a < 0) {
            this.group.add(ball(vec(spring.at_a), 0.8 * thickness, material));
        }
        if (spring.body_b < 0) {
            this.group.add(ball(vec(spring.at_b), 0.8 * thickness, material));
        }
        this.springs.push(view);
        this.group.add(view.group);
    }

    private addBushings(): void {
        const rubber = materialOf("#4a525c");
        const metal = materialOf("#c3cad2");
        for (const bushing of this.report.bushings) {
            const group = buildBushing(this.extent.thickness, rubber, metal);
            group.userData = { label: `bushing ${bushing.name}` };
            const post = new RopeView(0.5 * this.extent.thickness, false);
            this.bushings.push(group);
            this.posts.push(post);
            this.group.add(group, post.group);
        }
    }

    update(poseOf: (body: number) => Pose): void {
        this.report.bushings.forEach((bushing, i) => {
            const [from, to] = this.ends(bushing, poseOf);
            this.bushings[i].position.copy(from).lerp(to, 0.5);
            this.bushings[i].quaternion.copy(poseOf(bushing.body_a).q);
            this.posts[i].group.visible = from.distanceTo(to) > this.extent.thickness;
            this.posts[i].update(from, to);
        });
        this.report.springs.forEach((spring, s) => this.springs[s].update(...this.ends(spring, poseOf)));
        this.report.rods.forEach((rod, r) => this.ropes[r].update(...this.ends(rod, poseOf)));
    }
}
