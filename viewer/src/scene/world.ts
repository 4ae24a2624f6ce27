// The 3-D picture: builds it from the report, poses it at a time, draws when something changed.
import { AxesHelper, Box3, Group, PCFShadowMap, PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Report, Vec3 } from "../data.ts";
import { buildAxis, buildGhost, Labels } from "./aids.ts";
import { ArrowsView } from "./arrows.ts";
import { BeamsView } from "./beams.ts";
import { findDirection, findUp, fitCamera } from "./camera.ts";
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
import { buildBody, PALETTE } from "./parts.ts";
import { CameraPath } from "./path.ts";
import { innerNodes, SliderView } from "./slide.ts";
import { StructureShape } from "./structure.ts";
import { isHiddenJoint } from "./supports.ts";
import { LONG, SHORT, Trace } from "./trace.ts";
import { Twin } from "./twin.ts";

const FAR_TRAVEL = 12; // motions this many times larger than the mechanism are followed
const MANY_BODIES = 400; // shadows cost too much beyond
const GROUND: Pose = newPose();

const vec = (a: Vec3): Vector3 => new Vector3(...a);

export interface TracePoint {
    name: string;
    body: number; // -1: a slider
    at: Vector3;
    color: string;
    slider?: SliderView;
}

export class World {
    readonly canvas: HTMLCanvasElement;
    readonly extent: Extent;
    readonly up: Vector3;
    readonly camera = new PerspectiveCamera(28, 1, 0.01, 100);
    readonly grid: Grid;
    private floor: Floor | null;
    labels: Labels | null = null;
    readonly followsFirst: boolean;
    followed = -1;
    onView: () => void = () => {};
    private renderer: WebGLRenderer;
    private scene = new Scene();
    private controls: OrbitControls;
    private poses: Pose[];
    private bodies: Group[];
    private layers: Record<string, Group> = {};
    private joints: JointsView;
    private rails = new Group(); // of sliders on curves
    private links: LinksView;
    readonly arrows: ArrowsView;
    readonly twin: Twin | null = null;
    readonly path = new CameraPath();
    private isBeside = false;
    private shape: StructureShape;
    private beams: BeamsView | null = null;
    private sliders: SliderView[] = [];
    readonly meshes: MeshView[];
    readonly colors: Colors;
    private coloring = "";
    private traces = new Map<string, Trace>();
    private traced = new Map<string, TracePoint>();
    private lights: Lights | null = null;
    private isDirty = true;
    private isFitted = true;
    private t: number;
    private lastFollowed = new Vector3();

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
        this.followsFirst = this.extent.whole.getSize(new Vector3()).length() > FAR_TRAVEL * this.extent.size;
        this.followed = this.followsFirst ? 0 : -1;
        this.camera.up.copy(this.up);
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
        this.layers.forces.visible = false;
        this.buildFrames();
        this.setTime(this.t);
        const ground = this.buildGround();
        this.grid = ground.grid;
        this.floor = ground.floor;
        this.buildAids();
        this.twin = this.buildTwin();
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.zoomSpeed = 1.4;
        this.controls.addEventListener("change", () => this.touch());
        this.controls.addEventListener("start", () => (this.isFitted = false));
        this.look("start");
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
            [...this.traced.values()].forEach((point) => this.setTrace(point, true));
            this.setTime(this.t);
        }
    }

    private buildBeams(calcSlide: (slider: number, t: number) => number): void {
        const { report, shape, extent } = this;
        if (report.bodies.some(({ role }) => role === "node")) {
            this.beams = new BeamsView(report, shape, extent.thickness);
            this.layers.beams.add(this.beams.group);
        }
        report.sliders.forEach((slider, i) => {
            const radius = slider.pieces.length && this.beams ? this.beams.radiusOf(Math.max(slider.pieces[0], -1 - slider.pieces[0])) : extent.thickness;
            const axis = report.joints.find((joint) => slider.carriage >= 0 && joint.body_b === slider.carriage)?.axis_a;
            const view = new SliderView(slider, i, shape, (t) => calcSlide(i, t), axis ? vec(axis).normalize() : null, radius, extent.thickness);
            this.sliders.push(view);
            this.layers.sliders.add(view.block);
            if (view.rail) {
                this.rails.add(view.rail);
            }
            if (view.line) {
                this.layers.joints.add(view.line);
            }
        });
    }

    private buildFrames(): void {
        for (const body of [...this.report.bodies, null]) {
            this.layers.frames.add(body?.role ? new Group() : new AxesHelper(0.12 * this.extent.size));
        }
        this.layers.frames.visible = false;
    }

    private buildGround(): { grid: Grid; floor: Floor | null } {
        const { extent, up, followsFirst, layers } = this;
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
        this.isBeside = isBeside;
        this.look("");
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
        this.traces.forEach((trace) => trace.update(t));
        this.moveWithFollowed();
        this.followPath(t);
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
        if (this.followed < 0 || !this.controls) {
            return;
        }
        const now = this.poses[this.followed].p;
        const shift = now.clone().sub(this.lastFollowed);
        this.camera.position.add(shift);
        this.controls.target.add(shift);
        this.lights?.move(shift);
        if (this.followsFirst) {
            this.grid.moveTo(now);
        }
        this.lastFollowed.copy(now);
    }

    follow(body: number): void {
        this.followed = body;
        if (body >= 0) {
            this.lastFollowed.copy(this.poses[body].p);
        }
        this.touch();
    }

    private pointsToFit(): Vector3[] {
        if (this.followed < 0) {
            const { path } = this.extent;
            const shift = this.twin?.group.position;
            return this.isBeside && shift ? [...path, ...path.map((p) => p.clone().add(shift))] : path;
        }
        const { frames } = this.report;
        const stride = Math.max(1, Math.ceil(frames.length / 40));
        const now = this.poses[this.followed].p;
        const poses = this.poses.map(newPose);
        const out: Vector3[] = [];
        for (let i = 0; i < frames.length; i += stride) {
            this.motion.calc(frames[i], poses);
            const shift = now.clone().sub(poses[this.followed].p);
            poses.forEach(({ p, q }, b) => {
                out.push(...this.extent.keyPoints[b].map((key) => key.clone().applyQuaternion(q).add(p).add(shift)));
            });
        }
        const reach = FAR_TRAVEL * this.extent.size;
        return out.filter((point) => point.distanceTo(now) < reach);
    }

    // Room around the points: for the thickness of bars, for the swing of a mode, for what passes by.
    private roomToFit(): number {
        const share = this.report.kind === "modes" ? 0.1 : this.followed >= 0 ? 0.15 : 0;
        return 2 * this.extent.thickness + share * this.extent.size;
    }

    // view: start, front, side, top, corner; or "" to keep the direction and fit.
    look(view: string): void {
        const direction = view
            ? findDirection(view, this.up, this.extent.planeNormal)
            : this.camera.position.clone().sub(this.controls.target).normalize();
        const points = this.pointsToFit();
        const r = this.roomToFit();
        const padded = points.flatMap((p) => [p.clone().addScalar(r), p.clone().addScalar(-r)]);
        this.controls.target.copy(fitCamera(this.camera, padded.length ? padded : [new Vector3()], direction));
        if (!(this.camera.position.distanceTo(this.controls.target) > 1e-6 * this.extent.size)) {
            this.camera.position.copy(this.controls.target).addScaledVector(direction, 4 * this.extent.size);
        }
        if (this.followed >= 0) {
            this.lastFollowed.copy(this.poses[this.followed].p);
        }
        this.controls.update();
        this.isFitted = true;
        this.touch();
    }

    // Keeps the present view for this time; while the run plays the camera goes from one to the next.
    keepView(): void {
        const target = this.controls.target.clone();
        this.path.add({ t: this.t, target, offset: this.camera.position.clone().sub(target) });
    }

    // Once around within the run.
    turnAround(from: number, to: number): void {
        const target = this.controls.target.clone();
        this.path.turnAround(from, to, target, this.camera.position.clone().sub(target), this.up);
    }

    private followPath(t: number): void {
        const view = this.controls ? this.path.at(t) : null;
        if (view) {
            this.controls.target.copy(view.target);
            this.camera.position.copy(view.target).add(view.offset);
            this.camera.lookAt(view.target);
            this.isFitted = false;
        }
    }

    turn(across: number, upward: number): void {
        const offset = this.camera.position.clone().sub(this.controls.target);
        offset.applyAxisAngle(this.up, across);
        const right = this.up.clone().cross(offset).normalize();
        const lifted = offset.clone().applyAxisAngle(right, upward);
        if (Math.abs(lifted.clone().normalize().dot(this.up)) < 0.99) {
            offset.copy(lifted);
        }
        this.camera.position.copy(this.controls.target).add(offset);
        this.controls.update();
        this.touch();
    }

    zoom(factor: number): void {
        this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
        this.isFitted = false;
        this.controls.update();
        this.touch();
    }

    resize(width: number, height: number): void {
        if (width < 2 || height < 2) {
            return;
        }
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (this.isFitted) {
            this.look("");
        }
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

    // Sliders, named points and bodies; of structures the nodes where members end.
    tracePoints(): TracePoint[] {
        const inner = innerNodes(this.report);
        const sliders = this.sliders.map((slider) => ({ name: `slider ${slider.slider.name}`, body: -1, at: new Vector3(), color: slider.color, slider }));
        const bodies = this.report.bodies.flatMap((body, b) => {
            const color = body.color ?? PALETTE[b % PALETTE.length];
            const points = body.points.map((point) => ({ name: `${body.name}.${point.name}`, body: b, at: vec(point.at), color }));
            const isHidden = inner.has(b) || body.role === "carriage";
            return isHidden ? [] : [...points, { name: body.name, body: b, at: new Vector3(), color }];
        });
        return [...sliders, ...bodies];
    }

    private tracer({ body, at, slider }: TracePoint): (t: number) => Vector3 {
        const poses = this.report.bodies.map(newPose);
        if (slider) {
            const shape = new StructureShape(this.report);
            const path = slider.pathOn(shape);
            return (t) => path.pointThen(t, this.motion, this.factor, poses);
        }
        return (t) => {
            this.motion.calc(t, poses, [body]);
            return at.clone().applyQuaternion(poses[body].q).add(poses[body].p);
        };
    }

    setTrace(point: TracePoint, visible: boolean): void {
        this.traces.get(point.name)?.dispose();
        this.traces.delete(point.name);
        this.traced.delete(point.name);
        if (visible) {
            const { whole } = this.extent;
            const trace = new Trace(this.report.frames, this.tracer(point), point.color, point.slider ? null : whole, point.slider ? SHORT : LONG);
            trace.update(this.t);
            this.traces.set(point.name, trace);
            this.traced.set(point.name, point);
            this.layers.traces.add(trace.group);
        }
        this.touch();
    }

    // What is under the pointer; x and y run from -1 to 1.
    nameAt(x: number, y: number): string {
        const ray = new Raycaster();
        ray.setFromCamera(new Vector2(x, y), this.camera);
        const hits = ray.intersectObjects([this.layers.bodies, this.layers.sliders, this.layers.joints, this.layers.springs, this.layers.forces].filter(({ visible }) => visible), true);
        const mesh = this.layers.meshes.visible ? ray.intersectObjects(this.layers.meshes.children, true)[0] : undefined;
        if (mesh && !(hits[0]?.distance < mesh.distance)) {
            const view: MeshView = mesh.object.userData.mesh;
            return `${view.part.name}${this.report.kind === "modes" ? "" : `, moved ${view.moveNear(mesh.point).toPrecision(4)} m`}`;
        }
        const beam = this.layers.beams.visible ? this.beams?.hit(ray.ray) : null;
        if (beam && !(hits[0]?.distance < beam.distance)) {
            return this.nameBeam(beam.element, beam.x);
        }
        for (let at = hits[0]?.object ?? null; at; at = at.parent!) {
            const b = this.bodies.indexOf(at as Group);
            if (b >= 0) {
                const p = this.poses[b].p;
                return `${this.report.bodies[b].name}  (${[p.x, p.y, p.z].map((v) => v.toPrecision(4)).join(", ")}) m`;
            }
            if (at.userData.label) {
                return at.userData.label;
            }
        }
        return "";
    }

    private nameBeam(element: number, x: number): string {
        const { member } = this.shape.elements[element];
        const moved = this.shape.pointOn(element, x, new Vector3()).sub(this.shape.drawnPoint(element, x, new Vector3())).length() / this.factor;
        return `${this.report.members[member].name}${this.report.kind === "modes" ? "" : `, moved ${moved.toPrecision(4)} m`}`;
    }

    // Draws if anything changed since the last picture.
    draw(): void {
        if (!this.isDirty) {
            return;
        }
        this.isDirty = false;
        const distance = this.camera.position.distanceTo(this.controls.target);
        const depth = 3 * Math.max(this.extent.size, this.extent.whole.getSize(new Vector3()).length()) + 2 * distance;
        this.camera.near = Math.max(distance / 200, 1e-5 * this.extent.size);
        this.camera.far = depth + distance;
        this.camera.updateProjectionMatrix();
        this.renderer.render(this.scene, this.camera);
        this.labels?.update(this.camera, this.canvas.clientWidth, this.canvas.clientHeight);
        this.onView();
    }
}
