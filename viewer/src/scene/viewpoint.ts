// Where the picture is seen from: the camera and its controls, what it fits, what it follows, and its path in time.
import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Report } from "../data.ts";
import { findDirection, fitCamera } from "./camera.ts";
import { DeformedMotion } from "./deformed.ts";
import type { Extent } from "./extent.ts";
import { newPose, type Motion, type Pose } from "./motion.ts";
import { CameraPath } from "./path.ts";

export const FAR_TRAVEL = 12; // motions this many times larger than the mechanism are followed
const NOTES_PX = 56; // height of the notes at the upper edge of the picture of a structure
const FIT_SAMPLES = 40; // poses of a followed body's surroundings that the picture holds

export class Viewpoint {
    readonly camera = new PerspectiveCamera(28, 1, 0.01, 100);
    readonly path = new CameraPath();
    readonly controls: OrbitControls;
    followed: number; // body; -1: none
    alsoFit = new Vector3(); // by how much a second copy of the motion is moved; 0: there is none
    private isFitted = true;
    private lastFollowed = new Vector3();

    constructor(
        private report: Report,
        private motion: Motion,
        private extent: Extent,
        private up: Vector3,
        private poses: Pose[],
        readonly followsFirst: boolean,
        private canvas: HTMLCanvasElement,
        private onChange: () => void,
    ) {
        this.followed = followsFirst ? 0 : -1;
        this.camera.up.copy(up);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.zoomSpeed = 1.4;
        this.controls.addEventListener("change", onChange);
        this.controls.addEventListener("start", () => (this.isFitted = false));
    }

    // Goes with the body that is followed; how far it moved.
    moveWithFollowed(): Vector3 | null {
        if (this.followed < 0) {
            return null;
        }
        const now = this.poses[this.followed].p;
        const shift = now.clone().sub(this.lastFollowed);
        this.camera.position.add(shift);
        this.controls.target.add(shift);
        this.lastFollowed.copy(now);
        return shift;
    }

    follow(body: number): void {
        this.followed = body;
        if (body >= 0) {
            this.lastFollowed.copy(this.poses[body].p);
        }
        this.onChange();
    }

    private pointsToFit(): Vector3[] {
        if (this.followed >= 0) {
            return this.pointsAroundFollowed();
        }
        const { path } = this.extent;
        return this.alsoFit.length() > 0 ? [...path, ...path.map((p) => p.clone().add(this.alsoFit))] : path;
    }

    private pointsAroundFollowed(): Vector3[] {
        const { frames } = this.report;
        const stride = Math.max(1, Math.ceil(frames.length / FIT_SAMPLES));
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

    private headroom(): number {
        const { height } = this.canvas.getBoundingClientRect();
        return this.motion instanceof DeformedMotion && this.report.kind === "run" && height > 0 ? Math.min(0.15, NOTES_PX / height) : 0;
    }

    // view: start, front, side, top, corner; or "" to keep the direction and fit.
    look(view: string): void {
        const direction = view
            ? findDirection(view, this.up, this.extent.planeNormal)
            : this.camera.position.clone().sub(this.controls.target).normalize();
        const points = this.pointsToFit();
        const r = this.roomToFit();
        const padded = points.flatMap((p) => [p.clone().addScalar(r), p.clone().addScalar(-r)]);
        this.controls.target.copy(fitCamera(this.camera, padded.length ? padded : [new Vector3()], direction, this.headroom()));
        if (!(this.camera.position.distanceTo(this.controls.target) > 1e-6 * this.extent.size)) {
            this.camera.position.copy(this.controls.target).addScaledVector(direction, 4 * this.extent.size);
        }
        if (this.followed >= 0) {
            this.lastFollowed.copy(this.poses[this.followed].p);
        }
        this.controls.update();
        this.isFitted = true;
        this.onChange();
    }

    // Keeps the present view for this time; while the run plays the camera goes from one to the next.
    keep(t: number): void {
        const target = this.controls.target.clone();
        this.path.add({ t, target, offset: this.camera.position.clone().sub(target) });
    }

    // Once around within the run.
    turnAround(from: number, to: number): void {
        const target = this.controls.target.clone();
        this.path.turnAround(from, to, target, this.camera.position.clone().sub(target), this.up);
    }

    followPath(t: number): void {
        const view = this.path.at(t);
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
        this.onChange();
    }

    zoom(factor: number): void {
        this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
        this.isFitted = false;
        this.controls.update();
        this.onChange();
    }

    resize(width: number, height: number): void {
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (this.isFitted) {
            this.look("");
        }
    }

    // The nearest and farthest that is drawn, before each picture.
    setDepth(): void {
        const distance = this.camera.position.distanceTo(this.controls.target);
        const depth = 3 * Math.max(this.extent.size, this.extent.whole.getSize(new Vector3()).length()) + 2 * distance;
        this.camera.near = Math.max(distance / 200, 1e-5 * this.extent.size);
        this.camera.far = depth + distance;
        this.camera.updateProjectionMatrix();
    }
}
