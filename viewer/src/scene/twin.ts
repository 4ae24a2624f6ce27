// A second run in the same picture: all that moves in one pale colour, over the first or beside it.
import { DoubleSide, Group, Line, LineBasicMaterial, Mesh, MeshStandardMaterial, Vector3 } from "three";
import type { Report } from "../data.ts";
import { BeamsView } from "./beams.ts";
import { DeformedMotion } from "./deformed.ts";
import type { Extent } from "./extent.ts";
import { placeHolders } from "./joints.ts";
import { LinksView } from "./links.ts";
import { MeshView } from "./mesh.ts";
import { newPose, RunMotion, type Pose } from "./motion.ts";
import { buildBody } from "./parts.ts";
import { buildSliders, type SliderView } from "./slide.ts";
import { StructureShape } from "./structure.ts";

export const TWIN_COLOR = "#e0601e";
const GROUND = newPose();
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4 }; // where both runs agree the first is seen
const PALE = { color: TWIN_COLOR, transparent: true, opacity: 0.45, depthWrite: false, roughness: 0.7, ...BEHIND };
const NO_COLORS = -2; // of a mesh
const NO_RANGE = { low: 0, high: 0 };

export class Twin {
    readonly group = new Group();
    private run: RunMotion;
    private motion: DeformedMotion;
    private poses: Pose[];
    private bodies: Group[];
    private links: LinksView;
    private shape: StructureShape;
    private beams: BeamsView | null;
    private sliders: SliderView[];
    private rails = new Group();
    private meshes: MeshView[];

    constructor(
        readonly report: Report,
        extent: Extent,
        private right: Vector3,
    ) {
        const { thickness } = extent;
        this.run = new RunMotion(report.bodies, report.frames, report.meshes);
        this.motion = new DeformedMotion(this.run, report);
        this.poses = report.bodies.map(newPose);
        this.bodies = report.bodies.map((body, b) => (body.role ? new Group() : buildBody(body, b, thickness)));
        this.links = new LinksView(report, this.motion, extent);
        this.shape = new StructureShape(report);
        this.beams = report.members.length ? new BeamsView(report, this.shape, 0.8 * thickness, TWIN_COLOR) : null;
        const { beams } = this;
        const calcSlide = (slider: number, t: number): number => this.run.valueAt(report.sliders[slider].s, t);
        this.sliders = buildSliders(report, this.shape, calcSlide, beams && ((element) => beams.radiusOf(element)), thickness);
        this.meshes = report.meshes.map((part, i) => new MeshView(part, i));
        for (const { rail, line, block } of this.sliders) {
            this.group.add(...(line ? [line, block] : [block]));
            if (rail) {
                this.rails.add(rail);
            }
        }
        this.group.add(this.links.group, this.rails, ...this.bodies, ...this.meshes.map(({ group }) => group));
        this.makePale();
        if (beams) {
            this.group.add(beams.group); // which has its own colour
        }
    }

    private makePale(): void {
        const pale = new MeshStandardMaterial(PALE);
        const faceted = new MeshStandardMaterial({ ...PALE, flatShading: true, side: DoubleSide });
        const line = new LineBasicMaterial({ color: TWIN_COLOR });
        this.group.traverse((part) => {
            if (part instanceof Mesh) {
                part.material = part.userData.mesh ? faceted : pale;
                part.castShadow = part.receiveShadow = false;
            } else if (part instanceof Line) {
                part.material = line;
            }
        });
        this.meshes.forEach((view) => view.showEdges(false));
    }

    // Over the first run, or beside it by this distance.
    setBeside(distance: number): void {
        this.group.position.copy(this.right).multiplyScalar(distance);
    }

    // factor: by which displacements of structures are magnified, as those of the first run are.
    update(time: number, factor: number): void {
        const { report, poses } = this;
        const t = Math.min(time, report.frames[report.frames.length - 1]);
        this.motion.factor = factor;
        this.motion.calc(t, poses);
        this.bodies.forEach((body, b) => {
            body.position.copy(poses[b].p);
            body.quaternion.copy(poses[b].q);
        });
        this.shape.calc(poses, factor);
        this.beams?.update(poses);
        const poseOf = (body: number): Pose => poses[body] ?? GROUND;
        this.links.update(poseOf);
        this.sliders.forEach((slider) => slider.update(t, poses));
        placeHolders(this.rails, poseOf);
        this.meshes.forEach((view, i) => {
            const amplitudes = new Float32Array(view.part.n_shapes);
            this.motion.calcMesh(i, t, amplitudes);
            view.update(amplitudes, factor, NO_COLORS, NO_RANGE);
        });
    }
}
