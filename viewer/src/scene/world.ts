// The 3-D picture: builds it from the report, poses it at a time, draws when something changed.
import { AxesHelper, Box3, Group, PCFShadowMap, Scene, Vector3, WebGLRenderer } from "three";
import type { Report } from "../data.ts";
import { buildAxis, buildGhost, Labels } from "./aids.ts";
import { ArrowsView } from "./arrows.ts";
import { BeamsView } from "./beams.ts";
import { findDirection, findUp } from "./camera.ts";
import { BEAM_STRESS, Colors } from "./colors.ts";
import { DeformedMotion } from "./deformed.ts";
import { calcExtent, type Extent } from "./extent.ts";
import type { Floor } from "./floor.ts";
import type { Grid } from "./grid.ts";
import { buildFloor, buildGrid, buildStand } from "./ground.ts";
import { JointsView, placeHolders } from "./joints.ts";
import { Lights } from "./lights.ts";
import { LinksView } from "./links.ts";
import { MeshView } from "./mesh.ts";
import { newPose, type Motion, type Pose } from "./motion.ts";
import { buildBody } from "./parts.ts";
import { nameAt } from "./pick.ts";
import { buildSliders, type SliderView } from "./slide.ts";
import { StructureShape } from "./structure.ts";
import { isHiddenJoint } from "./supports.ts";
import { Traces, type TracePoint } from "./traces.ts";
import { Twin } from "./twin.ts";
import { FAR_TRAVEL, Viewpoint } from "./viewpoint.ts";

const MANY_BODIES = 400; // shadows cost too much beyond
const GROUND: Pose = newPose();

export class World {
    readonly canvas: HTMLCanvasElement;
    readonly extent: Extent;
    readonly up: Vector3;
    readonly viewpoint: Viewpoint;
    readonly grid: Grid;
    private floor: Floor | null;
    labels: Labels | null = null;
    onView: () => void = () => {};
    private renderer: WebGLRenderer;
    private scene = new Scene();
    private poses: Pose[];
    private bodies: Group[];
    private layers: Record<string, Group> = {};
    private joints: JointsView;
    private rails = new Group(); // of sliders on curves
    private links: LinksView;
    readonly arrows: ArrowsView;
    readonly twin: Twin | null = null;
    private shape: StructureShape;
    private beams: BeamsView | null = null;
    readonly sliders: SliderView[] = [];
    readonly traces: Traces;
    readonly meshes: MeshView[];
    readonly colors: Colors;
    private coloring = "";
    private lights: Lights | null = null;
    private isDirty = true;
    private t: number;

    constructor(
        private report: Report,
        private motion: Motion,
        calcSlide: (slider: number, t: number) => number,
    ) {
        this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
        this.renderer.shadowMap.enabled = report.bodies.filter(({ role }) => !role).length <= MANY_BODIES;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.canvas = this.renderer.domElement;
        this.t = report.frames[0] ?? 0;
        this.poses = report.bodies.map(newPose);
        this.shape = new StructureShape(report);
        this.extent = calcExtent(report, motion);
        this.up = findUp(report.gravity, this.extent.planeNormal);
        const followsFirst = this.extent.whole.getSize(new Vector3()).length() > FAR_TRAVEL * this.extent.size;
        this.viewpoint = new Viewpoint(report, motion, this.extent, this.up, this.poses, followsFirst, this.canvas, () => this.touch());
        this.traces = new Traces(report, motion, this.extent, () => this.factor);
        this.bodies = report.bodies.map((body, b) => (body.role ? new Group() : buildBody(body, b, this.extent.thickness)));
        for (const layer of ["bodies", "beams", "meshes", "sliders", "joints", "springs", "forces", "traces", "frames", "twin"]) {
            this.scene.add((this.layers[layer] = new Group()));
        }
        this.bodies.forEach((body, b) => report.bodies[b].role || this.layers.bodies.add(body));
        this.meshes = report.meshes.map((part, i) => new MeshView(part, i));
        this.colors = new Colors(report, motion);
        this.coloring = this.colors.choices[0].key;
        this.meshes.forEach(({ group }) => this.layers.meshes.add(group));
        this.buildBeams(calcSlide);
        this.joints = new JointsView(report, motion, this.extent, this.up, this.shape, this.beams);
        this.links = new LinksView(report, motion, this.extent);
        this.arrows = new ArrowsView(report, this.extent.size, this.extent.thickness);
        this.layers.joints.add(this.joints.group, this.rails);
        this.layers.springs.add(this.links.group);
        this.layers.forces.add(this.arrows.group);
        this.layers.traces.add(this.traces.group);
        this.layers.forces.visible = false;
        this.buildFrames();
        this.setTime(this.t);
        const ground = this.buildGround(followsFirst);
        this.grid = ground.grid;
        this.floor = ground.floor;
        this.buildAids();
        this.twin = this.buildTwin();
        this.viewpoint.look("start");
    }

    private poseOf(body: number): Pose {
        return body >= 0 && body < this.poses.length ? this.poses[body] : GROUND;
    }

    get factor(): number {
        return this.motion instanceof DeformedMotion ? this.motion.factor : 1;
    }

    // Draws displacements of structures `factor` times as large.
    setFactor(factor: number): void {
        if (this.motion instanceof DeformedMotion) {
            this.motion.factor = factor;
            Object.assign(this.extent, { path: calcExtent(this.report, this.motion).path });
            this.traces.redo(this.t);
            this.setTime(this.t);
        }
    }

    private buildBeams(calcSlide: (slider: number, t: number) => number): void {
        const { report, shape, extent } = this;
        if (report.bodies.some(({ role }) => role === "node")) {
            this.beams = new BeamsView(report, shape, extent.thickness);
            this.layers.beams.add(this.beams.group);
        }
        const { beams } = this;
        for (const view of buildSliders(report, shape, calcSlide, beams && ((element) => beams.radiusOf(element)), extent.thickness)) {
            this.sliders.push(view);
            this.layers.sliders.add(view.block);
            if (view.rail) {
                this.rails.add(view.rail);
            }
            if (view.line) {
                this.layers.joints.add(view.line);
            }
        }
    }

    private buildFrames(): void {
        for (const body of [...this.report.bodies, null]) {
            this.layers.frames.add(body?.role ? new Group() : new AxesHelper(0.12 * this.extent.size));
        }
        this.layers.frames.visible = false;
    }

    private buildGround(followsFirst: boolean): { grid: Grid; floor: Floor | null } {
        const { extent, up, layers } = this;
        const drawn = new Box3();
        for (const layer of [layers.joints, layers.bodies, layers.beams]) {
            drawn.union(new Box3().setFromObject(layer));
        }
        const { grid, normal, depth } = buildGrid(extent, up, followsFirst, drawn);
        const hasGravity = this.report.gravity.some((g) => g !== 0);
        const floor = buildFloor(extent, up, hasGravity, followsFirst, drawn, depth);
        for (const at of followsFirst ? [] : this.joints.held) {
            const stand = buildStand(at, normal, depth, extent);
            if (stand) {
                this.joints.addStand(stand);
            }
        }
        layers.grid = new Group().add(grid.group, ...(floor ? [floor.group] : []));
        const reach = 0.75 * Math.max(extent.size, followsFirst ? 0 : extent.whole.getSize(new Vector3()).length());
        this.lights = new Lights(up, extent.planeNormal, reach, followsFirst ? extent.start : extent.whole);
        this.scene.add(layers.grid, this.lights.group);
        return { grid, floor };
    }

    private buildTwin(): Twin | null {
        const { beside } = this.report;
        if (!beside) {
            return null;
        }
        const right = this.up.clone().cross(findDirection("start", this.up, this.extent.planeNormal)).normalize();
        const twin = new Twin(beside, this.extent, right);
        this.layers.twin.add(twin.group);
        twin.update(this.t, this.factor);
        return twin;
    }

    // The second run over the first, or beside it.
    setBeside(isBeside: boolean): void {
        this.twin?.setBeside(isBeside ? 1.15 * this.extent.whole.getSize(new Vector3()).length() : 0);
        this.viewpoint.alsoFit.copy(this.twin?.group.position ?? new Vector3());
        this.viewpoint.look("");
    }

    // On request: axes of joints, and the bodies where they start.
    private buildAids(): void {
        this.layers.axes = new Group();
        this.layers.ghost = buildGhost(this.bodies.filter((_, b) => !this.report.bodies[b].role));
        this.report.joints.forEach((joint) => {
            const axis = isHiddenJoint(this.report, joint) ? null : buildAxis(joint, 0.18 * this.extent.size);
            if (axis) {
                const holder = new Group().add(axis);
                holder.userData = { body: joint.body_a };
                this.layers.axes.add(holder);
            }
        });
        for (const layer of [this.layers.axes, this.layers.ghost]) {
            layer.visible = false;
            this.scene.add(layer);
        }
        const sliders = this.sliders.map(({ slider, block }) => ({ name: slider.name, place: () => block.position }));
        const middles = this.extent.keyPoints.map((points) => points.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(points.length || 1));
        const placeOf = (b: number): Vector3 => middles[b].clone().applyQuaternion(this.poses[b].q).add(this.poses[b].p);
        this.labels = new Labels(this.report, placeOf, sliders);
    }

    touch(): void {
        this.isDirty = true;
    }

    setTime(t: number): void {
        this.t = t;
        this.motion.calc(t, this.poses);
        this.shape.calc(this.poses, this.factor);
        this.updateBeams(t);
        this.updateMeshes(t);
        this.sliders.forEach((slider) => slider.update(t, this.poses));
        this.poses.forEach(({ p, q }, b) => {
            if (this.report.bodies[b].role) {
                return;
            }
            this.bodies[b].position.copy(p);
            this.bodies[b].quaternion.copy(q);
            this.layers.frames.children[b].position.copy(p);
            this.layers.frames.children[b].quaternion.copy(q);
        });
        const poseOf = (body: number): Pose => this.poseOf(body);
        this.joints.update(poseOf);
        placeHolders(this.rails, poseOf);
        this.links.update(poseOf);
        this.arrows.update(t, poseOf, (slider) => this.sliders[slider]?.block.position ?? null);
        this.twin?.update(t, this.factor);
        if (this.layers.axes) {
            placeHolders(this.layers.axes, poseOf);
        }
        this.traces.update(t);
        this.moveWithFollowed();
        this.viewpoint.followPath(t);
        this.touch();
    }

    private updateBeams(t: number): void {
        this.beams?.update(this.poses);
        this.beams?.colorBy(this.coloring === BEAM_STRESS ? this.colors.stressAt(t) : null, this.colors.range(BEAM_STRESS).high);
    }

    private updateMeshes(t: number): void {
        this.meshes.forEach((view, i) => {
            const amplitudes = new Float32Array(view.part.n_shapes);
            this.motion.calcMesh(i, t, amplitudes);
            view.update(amplitudes, this.factor, this.colors.fieldOf(i, this.coloring), this.colors.range(this.coloring));
        });
    }

    // By displacement, by a field of the meshes, by the stress of the beams, or not at all.
    setColoring(key: string): void {
        this.coloring = key;
        this.updateBeams(this.t);
        this.updateMeshes(this.t);
        this.touch();
    }

    // After another mode or amplitude was chosen.
    changeMotion(t: number): void {
        this.colors.forget();
        this.setTime(t);
    }

    private moveWithFollowed(): void {
        const { viewpoint } = this;
        const shift = viewpoint.moveWithFollowed();
        if (shift) {
            this.lights?.move(shift);
        }
        if (shift && viewpoint.followsFirst) {
            this.grid?.moveTo(this.poses[viewpoint.followed].p);
        }
    }

    resize(width: number, height: number): void {
        if (width < 2 || height < 2) {
            return;
        }
        this.renderer.setSize(width, height, false);
        this.viewpoint.resize(width, height);
        this.touch();
    }

    setLayer(name: string, visible: boolean): void {
        this.layers[name].visible = visible;
        this.touch();
    }

    showEdges(visible: boolean): void {
        this.meshes.forEach((view) => view.showEdges(visible));
        this.touch();
    }

    setTheme(gridColor: string, isDark: boolean): void {
        this.grid.setColor(gridColor, isDark);
        this.floor?.setTheme(isDark);
        this.joints.setTheme(isDark);
        this.touch();
    }

    setTrace(point: TracePoint, visible: boolean): void {
        this.traces.show(point, visible, this.t);
        this.touch();
    }

    // Keeps the present view for the present time.
    keepView(): void {
        this.viewpoint.keep(this.t);
    }

    // What is under the pointer; x and y run from -1 to 1.
    nameAt(x: number, y: number): string {
        const { report, poses, bodies, layers, shape, beams, factor } = this;
        return nameAt({ report, poses, bodies, layers, shape, beams, factor }, this.viewpoint.camera, x, y);
    }

    // Draws if anything changed since the last picture.
    draw(): void {
        if (!this.isDirty) {
            return;
        }
        this.isDirty = false;
        const { camera } = this.viewpoint;
        this.viewpoint.setDepth();
        this.renderer.render(this.scene, camera);
        this.labels?.update(camera, this.canvas.clientWidth, this.canvas.clientHeight);
        this.onView();
    }
}
