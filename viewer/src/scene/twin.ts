// A second run in the same picture: its bodies, beams and springs in one pale colour, over the first or beside it.
import { Group, Mesh, MeshStandardMaterial, Vector3, type Object3D } from "three";
import type { Report } from "../data.ts";
import { BeamsView } from "./beams.ts";
import type { Extent } from "./extent.ts";
import { newPose, RunMotion, type Pose } from "./motion.ts";
import { buildBody, materialOf } from "./parts.ts";
import { SpringView } from "./spring.ts";
import { StructureShape } from "./structure.ts";

export const TWIN_COLOR = "#e0601e";
const GROUND = newPose();
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4 }; // where both runs agree the first is seen

export class Twin {
    readonly group = new Group();
    private motion: RunMotion;
    private poses: Pose[];
    private bodies: Object3D[];
    private springs: SpringView[];
    private shape: StructureShape;
    private beams: BeamsView | null = null;

    constructor(
        readonly report: Report,
        { thickness, size }: Extent,
        private right: Vector3,
    ) {
        const pale = new MeshStandardMaterial({ color: TWIN_COLOR, transparent: true, opacity: 0.45, depthWrite: false, roughness: 0.7, ...BEHIND });
        this.motion = new RunMotion(report.bodies, report.frames, report.meshes);
        this.poses = report.bodies.map(newPose);
        this.bodies = report.bodies.map((body, b) => (body.role ? new Group() : buildBody(body, b, thickness)));
        this.springs = report.springs.map(() => new SpringView(0.012 * size, 0.0025 * size, materialOf(TWIN_COLOR)));
        this.shape = new StructureShape(report);
        this.group.add(...this.bodies, ...this.springs.map(({ group }) => group));
        this.group.traverse((part) => {
            if (part instanceof Mesh) {
                part.material = pale;
                part.castShadow = part.receiveShadow = false;
            }
        });
        if (report.members.length) {
            this.beams = new BeamsView(report, this.shape, 0.8 * thickness, TWIN_COLOR);
            this.group.add(this.beams.group);
        }
    }

    // Over the first run, or beside it by this distance.
    setBeside(distance: number): void {
        this.group.position.copy(this.right).multiplyScalar(distance);
    }

    // factor: by which displacements of structures are magnified.
    update(t: number, factor: number): void {
        const { report, poses } = this;
        const { frames } = report;
        this.motion.calc(Math.min(t, frames[frames.length - 1]), poses);
        report.bodies.forEach((body, b) => {
            if (body.role === "node" && body.drawn) {
                const drawn = new Vector3(body.drawn[0], body.drawn[1], body.drawn[2]);
                poses[b].p.sub(drawn).multiplyScalar(factor).add(drawn);
            }
            this.bodies[b].position.copy(poses[b].p);
            this.bodies[b].quaternion.copy(poses[b].q);
        });
        this.shape.calc(poses, factor);
        this.beams?.update(poses);
        const place = (body: number, at: [number, number, number]): Vector3 => {
            const { p, q } = poses[body] ?? GROUND;
            return new Vector3(...at).applyQuaternion(q).add(p);
        };
        report.springs.forEach((spring, s) => this.springs[s].update(place(spring.body_a, spring.at_a), place(spring.body_b, spring.at_b)));
    }
}
