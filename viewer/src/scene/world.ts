// The 3-D picture: builds it from the report, poses it at a time, draws when something changed.
import {
    AmbientLight,
    AxesHelper,
    Box3,
    DirectionalLight,
    Group,
    HemisphereLight,
    Mesh,
    MeshStandardMaterial,
    PCFShadowMap,
    PerspectiveCamera,
    Raycaster,
    Scene,
    Vector2,
    Vector3,
    WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Joint, Report, Vec3 } from "../data.ts";
import { findDirection, findUp, fitCamera } from "./camera.ts";
import { calcExtent, type Extent } from "./extent.ts";
import { buildAxis, buildGhost, Labels } from "./aids.ts";
import { Floor } from "./floor.ts";
import { Grid } from "./grid.ts";
import { BeamsView } from "./beams.ts";
import { DeformedMotion } from "./deformed.ts";
import { MeshColors } from "./colors.ts";
import { MeshView } from "./mesh.ts";
import { newPose, type Motion, type Pose } from "./motion.ts";
import { ball, bar, buildBody, buildBushing, buildJoint, materialOf, PALETTE } from "./parts.ts";
import { innerNodes, SliderView } from "./slide.ts";
import { SpringView } from "./spring.ts";
import { StructureShape } from "./structure.ts";
import { buildSupport, isHiddenJoint, supportOf } from "./supports.ts";
import { LONG, SHORT, Trace } from "./trace.ts";

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
    private paperDepth = 0; // of the grid along its normal
    readonly followsFirst: boolean;
    followed = -1;
    onView: () => void = () => {};
    private renderer: WebGLRenderer;
    private scene = new Scene();
    private controls: OrbitControls;
    private poses: Pose[];
    private bodies: Group[];
    private layers: Record<string, Group> = {};
    private springs: SpringView[] = [];
    private bushings: Group[] = [];
    private shape: StructureShape;
    private beams: BeamsView | null = null;
    private sliders: SliderView[] = [];
    readonly meshes: MeshView[];
    readonly colors: MeshColors;
    private coloring = "displacement";
    private traces = new Map<string, Trace>();
    private traced = new Map<string, TracePoint>();
    private jointMaterials: MeshStandardMaterial[] = [];
    private light = new DirectionalLight(0xffffff, 2.1);
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
        for (const layer of ["bodies", "beams", "meshes", "sliders", "joints", "springs", "traces", "frames"]) {
            this.scene.add((this.layers[layer] = new Group()));
        }
        this.bodies.forEach((body, b) => report.bodies[b].role || this.layers.bodies.add(body));
        this.meshes = report.meshes.map((part, i) => new MeshView(part, i));
        this.colors = new MeshColors(report, motion);
        this.meshes.forEach(({ group }) => this.layers.meshes.add(group));
        this.buildBeams(calcSlide);
        this.buildJoints();
        this.buildSprings();
        this.buildBushings();
        this.buildFrames();
        this.grid = this.buildGrid();
        this.layers.grid = new Group().add(this.grid.group);
        this.scene.add(this.layers.grid);
        this.buildLights();
        this.setTime(this.t);
        this.floor = this.buildFloor();
        this.buildAids();
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.zoomSpeed = 1.4;
        this.controls.addEventListener("change", () => this.touch());
        this.controls.addEventListener("start", () => (this.isFitted = false));
        this.look("start");
    }

    private poseOf(body: number): Pose {
        return body >= 0 && body < this.poses.length ? this.poses[body] : GROUND;
    }

    private place(body: number, at: Vec3): Vector3 {
        const pose = this.poseOf(body);
        return vec(at).applyQuaternion(pose.q).add(pose.p);
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
                this.layers.joints.add(view.rail);
            }
            if (view.line) {
                this.layers.joints.add(view.line);
            }
        });
    }

    private buildBushings(): void {
        const rubber = materialOf("#4a525c");
        const metal = materialOf("#c3cad2");
        for (const bushing of this.report.bushings) {
            const group = buildBushing(this.extent.thickness, rubber, metal);
            group.userData = { label: `bushing ${bushing.name}` };
            this.bushings.push(group);
            this.layers.springs.add(group);
        }
    }

    private addSupport(joint: Joint, material: MeshStandardMaterial): boolean {
        const kind = supportOf(this.report, joint);
        if (kind) {
            const radius = Math.max(this.extent.thickness, this.beams?.radiusAt(joint.body_b) ?? 0);
            const symbol = buildSupport(kind, joint.body_b, this.shape, radius, this.up, material);
            const holder = new Group();
            holder.userData = { label: `${joint.name}: ${kind}`, body: joint.body_b, keepsUpright: true };
            holder.add(symbol);
            this.layers.joints.add(holder);
        }
        return kind !== null;
    }

    private buildJoints(): void {
        const { thickness } = this.extent;
        const [pin, ground, loop] = [materialOf("#dfe3e8"), materialOf("#5b6570"), materialOf("#f0c75e")];
        this.jointMaterials = [pin, ground, loop];
        this.report.joints.forEach((joint) => {
            const material = joint.is_loop ? loop : joint.body_a < 0 ? ground : pin;
            if (this.addSupport(joint, material) || isHiddenJoint(this.report, joint)) {
                return;
            }
            const mesh = buildJoint(joint, thickness, material);
            if (mesh) {
                const holder = new Group();
                holder.userData = { label: `joint ${joint.name} (${joint.type})`, body: joint.body_a };
                holder.add(mesh);
                if (/prismatic/.test(joint.type)) {
                    const guide = this.buildGuide(joint, material);
                    if (guide) {
                        holder.add(guide);
                    }
                }
                this.layers.joints.add(holder);
            }
        });
    }

    // The rail of a slide, as long as its travel.
    private buildGuide(joint: Joint, material: MeshStandardMaterial): Mesh | null {
        const axis = vec(joint.axis_a).normalize();
        const frames = this.report.frames;
        const stride = Math.max(1, Math.ceil(frames.length / 200));
        let [low, high] = [0, 0];
        for (let i = 0; i < frames.length; i += stride) {
            this.motion.calc(frames[i], this.poses);
            const pose = this.poseOf(joint.body_a);
            const there = this.place(joint.body_b, joint.at_b).sub(pose.p).applyQuaternion(pose.q.clone().invert());
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

    private buildSprings(): void {
        const { thickness, size } = this.extent;
        const material = materialOf("#9aa7b5");
        this.motion.calc(this.t, this.poses);
        for (const spring of this.report.springs) {
            const length = this.place(spring.body_a, spring.at_a).distanceTo(this.place(spring.body_b, spring.at_b));
            const radius = Math.min(2.4 * thickness, 0.16 * (length || size));
            const view = new SpringView(radius, 0.19 * radius, material);
            view.group.userData = { label: `spring ${spring.name}` };
            if (spring.body_a < 0) {
                this.layers.springs.add(ball(vec(spring.at_a), 0.8 * thickness, material));
            }
            if (spring.body_b < 0) {
                this.layers.springs.add(ball(vec(spring.at_b), 0.8 * thickness, material));
            }
            this.springs.push(view);
            this.layers.springs.add(view.group);
        }
    }

    private buildFrames(): void {
        for (const body of [...this.report.bodies, null]) {
            this.layers.frames.add(body?.role ? new Group() : new AxesHelper(0.12 * this.extent.size));
        }
        this.layers.frames.visible = false;
    }

    // Behind a planar mechanism, else below everything.
    private buildGrid(): Grid {
        const box = this.followsFirst ? this.extent.start : this.extent.whole;
        const middle = box.isEmpty() ? new Vector3() : box.getCenter(new Vector3());
        const reach = 2.2 * Math.max(this.extent.size, this.followsFirst ? 0 : box.getSize(new Vector3()).length());
        const normal = this.extent.planeNormal;
        const stands = normal && Math.abs(normal.dot(this.up)) < 0.9;
        const out = stands ? findDirection("start", this.up, normal) : this.up;
        const across = stands ? normal.clone().multiplyScalar(Math.sign(out.dot(normal))) : this.up;
        const depth = Math.min(...boxCorners(box).map((corner) => corner.dot(across)));
        middle.addScaledVector(across, depth - middle.dot(across) - 2.5 * this.extent.thickness);
        this.paperDepth = middle.dot(across);
        return new Grid(middle, across, reach, reach / 2.2);
    }

    // What stands upright before graph paper stands on a floor: gravity says where it is, below all that is supported.
    private buildFloor(): Floor | null {
        const normal = this.extent.planeNormal;
        const isUpright = normal !== null && Math.abs(normal.dot(this.up)) < 0.9;
        if (!isUpright || this.followsFirst || !this.report.gravity.some((g) => g !== 0)) {
            return null;
        }
        const box = this.extent.whole.clone();
        for (const layer of [this.layers.joints, this.layers.bodies, this.layers.beams]) {
            box.union(new Box3().setFromObject(layer));
        }
        const across = normal.clone().multiplyScalar(Math.sign(findDirection("start", this.up, normal).dot(normal)));
        const corners = boxCorners(box);
        const at = box.getCenter(new Vector3());
        at.addScaledVector(this.up, Math.min(...corners.map((c) => c.dot(this.up))) - at.dot(this.up));
        at.addScaledVector(across, this.paperDepth - at.dot(across));
        const size = Math.max(this.extent.size, box.getSize(new Vector3()).length());
        const floor = new Floor(at, this.up, across, 2.2 * size, 0.8 * size);
        this.layers.grid.add(floor.group);
        return floor;
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

    private buildLights(): void {
        const radius = 0.75 * Math.max(this.extent.size, this.followsFirst ? 0 : this.extent.whole.getSize(new Vector3()).length());
        const sky = new HemisphereLight(0xffffff, 0x8c8c96, 1.4);
        sky.position.copy(this.up);
        const fill = new DirectionalLight(0xffffff, 0.5);
        fill.position.copy(findDirection("front", this.up, null)).negate();
        const view = findDirection("start", this.up, this.extent.planeNormal);
        const from = view.clone().multiplyScalar(0.8).addScaledVector(this.up, 1.3);
        from.addScaledVector(view.clone().cross(this.up), 0.5).normalize().multiplyScalar(3 * radius);
        this.light.userData.from = from;
        this.light.castShadow = true;
        this.light.shadow.mapSize.set(1024, 1024);
        this.light.shadow.radius = 3;
        Object.assign(this.light.shadow.camera, { left: -radius, right: radius, top: radius, bottom: -radius });
        Object.assign(this.light.shadow.camera, { near: 0.5 * radius, far: 7 * radius });
        this.light.shadow.normalBias = 0.004 * radius;
        this.scene.add(new AmbientLight(0xffffff, 0.6), sky, fill, this.light, this.light.target);
        this.aimLight(this.followsFirst ? this.extent.start : this.extent.whole);
    }

    private aimLight(box: Box3): void {
        const middle = box.isEmpty() ? new Vector3() : box.getCenter(new Vector3());
        this.light.target.position.copy(middle);
        this.light.position.copy(middle).add(this.light.userData.from);
    }

    touch(): void {
        this.isDirty = true;
    }

    setTime(t: number): void {
        this.t = t;
        this.motion.calc(t, this.poses);
        this.shape.calc(this.poses, this.factor);
        this.beams?.update(this.poses);
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
        for (const holder of [...this.layers.joints.children, ...(this.layers.axes?.children ?? [])]) {
            const pose = this.poseOf(holder.userData.body);
            holder.position.copy(pose.p);
            if (!holder.userData.keepsUpright) {
                holder.quaternion.copy(pose.q);
            }
        }
        this.report.bushings.forEach((bushing, i) => {
            this.bushings[i].position.copy(this.place(bushing.body_a, bushing.at_a)).lerp(this.place(bushing.body_b, bushing.at_b), 0.5);
            this.bushings[i].quaternion.copy(this.poseOf(bushing.body_a).q);
        });
        this.report.springs.forEach((spring, s) => {
            this.springs[s].update(this.place(spring.body_a, spring.at_a), this.place(spring.body_b, spring.at_b));
        });
        this.traces.forEach((trace) => trace.update(t));
        this.moveWithFollowed();
        this.touch();
    }

    private updateMeshes(t: number): void {
        this.meshes.forEach((view, i) => {
            const amplitudes = new Float32Array(view.part.n_shapes);
            this.motion.calcMesh(i, t, amplitudes);
            view.update(amplitudes, this.factor, this.colors.fieldOf(i, this.coloring), this.colors.range(this.coloring));
        });
    }

    // By displacement, by a field of the meshes, or not at all.
    setColoring(key: string): void {
        this.coloring = key;
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
        this.light.position.add(shift);
        this.light.target.position.add(shift);
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
            return this.extent.path;
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
        this.jointMaterials[1]?.color.set(isDark ? "#aab4bf" : "#4a535d");
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
        const hits = ray.intersectObjects([this.layers.bodies, this.layers.sliders, this.layers.joints, this.layers.springs], true);
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

function boxCorners(box: Box3): Vector3[] {
    if (box.isEmpty()) {
        return [new Vector3()];
    }
    const { min, max } = box;
    return Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}
