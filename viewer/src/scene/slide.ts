// Masses that slide: where each is at a time, on the beam as it is drawn or on a curve in a body.
import { BoxGeometry, BufferGeometry, CatmullRomCurve3, Group, Line, LineBasicMaterial, Matrix4, Mesh, TubeGeometry, Vector3 } from "three";
import type { Report, Slider, Through } from "../data.ts";
import { newPose, type Motion, type Pose } from "./motion.ts";
import { materialOf, PALETTE, solid } from "./parts.ts";
import type { StructureShape } from "./structure.ts";

const GROUND = newPose();

export const sliderColor = (index: number): string => PALETTE[(index + 5) % PALETTE.length];

export class SliderPath {
    private starts: number[] = []; // where the pieces of the guide begin, m

    constructor(
        private slider: Slider,
        private shape: StructureShape,
        private calcPlace: (t: number) => number,
        private rail: Vector3 | null, // axis of the carriage's joint; null: not free
    ) {
        let sum = 0;
        for (const piece of slider.pieces) {
            this.starts.push(sum);
            sum += shape.elements[piece < 0 ? -1 - piece : piece]?.length ?? 0;
        }
    }

    // A free slider's place is a coordinate of the motion, so that it also swings in modes.
    place(t: number, poses: Pose[]): number {
        const carriage = poses[this.slider.carriage];
        return carriage && this.rail ? carriage.p.dot(this.rail) : this.calcPlace(t);
    }

    // After the shape was calculated.
    pointAt(s: number, poses: Pose[], out: Vector3, direction: Vector3): Vector3 {
        if (this.slider.through) {
            return this.pointThrough(this.slider.through, s, poses, out, direction);
        }
        if (!this.starts.length) {
            return this.pointOnCurve(s, poses, out, direction);
        }
        const { element, x } = this.locate(s);
        return this.shape.pointOn(element, x, out, direction);
    }

    // The point at another time, which leaves the shape there: for trails.
    pointThen(t: number, motion: Motion, factor: number, poses: Pose[]): Vector3 {
        const out = new Vector3();
        const { carriage, body } = this.slider;
        motion.calc(t, poses, [carriage, body].filter((b) => b >= 0));
        const s = this.place(t, poses);
        if (this.slider.through) {
            motion.calc(t, poses, this.slider.through.bodies.filter((b) => b >= 0));
            return this.pointThrough(this.slider.through, s, poses, out, new Vector3());
        }
        if (!this.starts.length) {
            return this.pointOnCurve(s, poses, out, new Vector3());
        }
        const { element, x } = this.locate(s);
        const { a, b } = this.shape.elements[element];
        motion.calc(t, poses, [a, b].filter((end) => end >= 0));
        this.shape.calcElement(element, poses, factor);
        return this.shape.pointOn(element, x, out);
    }

    private locate(s: number): { element: number; x: number } {
        let [low, high] = [0, this.starts.length - 1];
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            [low, high] = this.starts[middle] <= s ? [middle, high] : [low, middle - 1];
        }
        const piece = this.slider.pieces[low];
        const element = piece < 0 ? -1 - piece : piece;
        const x = Math.max(0, Math.min(1, (s - this.starts[low]) / this.shape.elements[element].length));
        return { element, x: piece < 0 ? 1 - x : x };
    }

    // Places come magnified, and so does a sum of them.
    private pointThrough({ bodies, knots, tangents }: Through, s: number, poses: Pose[], out: Vector3, direction: Vector3): Vector3 {
        const at = (i: number): Vector3 => (poses[bodies[i]] ?? GROUND).p;
        const k = Math.max(0, knots.findIndex((knot, i) => i > 0 && (s <= knot || i === knots.length - 1)) - 1);
        const length = knots[k + 1] - knots[k];
        const x = Math.max(0, Math.min(1, (s - knots[k]) / length));
        const tangent = (i: number): Vector3 =>
            tangents[i].reduce((sum, factor, j) => sum.addScaledVector(at(j), factor * length), new Vector3());
        const ends = [at(k), tangent(k), at(k + 1), tangent(k + 1)];
        const h = [1 - x * x * (3 - 2 * x), x * (1 - x) * (1 - x), x * x * (3 - 2 * x), x * x * (x - 1)];
        const d = [6 * x * (x - 1), (1 - x) * (1 - 3 * x), 6 * x * (1 - x), x * (3 * x - 2)];
        direction.set(0, 0, 0);
        out.set(0, 0, 0);
        ends.forEach((end, i) => {
            out.addScaledVector(end, h[i]);
            direction.addScaledVector(end, d[i]);
        });
        direction.normalize();
        return out;
    }

    private pointOnCurve(s: number, poses: Pose[], out: Vector3, direction: Vector3): Vector3 {
        const { curve, length, body } = this.slider;
        const u = Math.max(0, Math.min(1, s / length)) * (curve.length - 1);
        const i = Math.min(curve.length - 2, Math.floor(u));
        const { p, q } = poses[body] ?? GROUND;
        const from = new Vector3(...curve[i]);
        const to = new Vector3(...curve[i + 1]);
        direction.copy(to).sub(from).normalize().applyQuaternion(q);
        return out.lerpVectors(from, to, u - i).applyQuaternion(q).add(p);
    }
}

// A block, and the rail of a curve that nothing else shows.
export class SliderView {
    readonly block: Mesh;
    readonly rail: Group | null;
    readonly line: Line | null; // of a guide through nodes, which no beam shows
    readonly path: SliderPath;
    readonly color: string;
    private direction = new Vector3();
    private up = new Vector3();
    private across = new Vector3();
    private turn = new Matrix4();

    constructor(
        readonly slider: Slider,
        index: number,
        shape: StructureShape,
        private calcPlace: (t: number) => number,
        private axis: Vector3 | null,
        radius: number, // of what it slides on
        thickness: number,
    ) {
        this.path = new SliderPath(slider, shape, calcPlace, axis);
        this.color = sliderColor(index);
        const side = 2 * radius + 2.4 * thickness;
        this.block = solid(new BoxGeometry(1.3 * side, side, side), materialOf(this.color));
        this.block.userData = { label: `slider ${slider.name}` };
        this.rail = slider.curve.length > 1 ? this.buildRail(0.45 * thickness) : null;
        this.line = slider.through ? new Line(new BufferGeometry(), new LineBasicMaterial({ color: "#8b96a3" })) : null;
    }

    private bendLine(poses: Pose[]): void {
        if (this.line) {
            const n = 4 * (this.slider.through?.bodies.length ?? 2);
            const points = Array.from({ length: n + 1 }, (_, i) => this.path.pointAt((this.slider.length * i) / n, poses, new Vector3(), new Vector3()));
            this.line.geometry.setFromPoints(points);
        }
    }

    private buildRail(radius: number): Group {
        const points = this.slider.curve.map((p) => new Vector3(...p));
        const group = new Group();
        group.userData = { label: `guide of slider ${this.slider.name}`, body: this.slider.body };
        group.add(solid(new TubeGeometry(new CatmullRomCurve3(points), 96, radius, 10), materialOf("#8b96a3")));
        return group;
    }

    // The same on a shape of its own, which other times may bend.
    pathOn(shape: StructureShape): SliderPath {
        return new SliderPath(this.slider, shape, this.calcPlace, this.axis);
    }

    // After the shape was calculated.
    update(t: number, poses: Pose[]): void {
        const { direction, up, across } = this;
        const s = this.path.place(t, poses);
        this.bendLine(poses);
        this.path.pointAt(s, poses, this.block.position, direction);
        this.block.userData.label = `slider ${this.slider.name}, s = ${s.toPrecision(5)} m`;
        up.set(0, 0, 1).addScaledVector(direction, -direction.z);
        if (up.length() < 0.1) {
            up.set(0, 1, 0).addScaledVector(direction, -direction.y);
        }
        across.copy(up.normalize()).cross(direction);
        this.block.quaternion.setFromRotationMatrix(this.turn.makeBasis(direction, across, up));
    }
}

// All sliders of a report; radiusOf: of the element that one slides on, null: there are no beams.
export function buildSliders(report: Report, shape: StructureShape, calcSlide: (slider: number, t: number) => number, radiusOf: ((element: number) => number) | null, thickness: number): SliderView[] {
    return report.sliders.map((slider, i) => {
        const radius = slider.pieces.length && radiusOf ? radiusOf(Math.max(slider.pieces[0], -1 - slider.pieces[0])) : thickness;
        const axis = report.joints.find((joint) => slider.carriage >= 0 && joint.body_b === slider.carriage)?.axis_a;
        return new SliderView(slider, i, shape, (t) => calcSlide(i, t), axis ? new Vector3(...axis).normalize() : null, radius, thickness);
    });
}

// Nodes inside members, between two elements and nothing else.
export function innerNodes(report: Report): Set<number> {
    const count = new Map<number, number>();
    const ends = new Set<number>();
    for (const { nodes } of report.members) {
        ends.add(nodes[0]).add(nodes[nodes.length - 1]);
        nodes.forEach((body) => count.set(body, (count.get(body) ?? 0) + 1));
    }
    return new Set([...count.keys()].filter((body) => !ends.has(body) && report.bodies[body]?.role === "node"));
}
