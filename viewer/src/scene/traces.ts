// Which points leave a trace, and their traces: sliders, named points, bodies, and of structures the nodes where members end.
import { Group, Vector3 } from "three";
import type { Report } from "../data.ts";
import type { Extent } from "./extent.ts";
import { newPose, type Motion } from "./motion.ts";
import { PALETTE } from "./parts.ts";
import { innerNodes, type SliderView } from "./slide.ts";
import { StructureShape } from "./structure.ts";
import { LONG, SHORT, Trace } from "./trace.ts";

export interface TracePoint {
    name: string;
    body: number; // -1: a slider
    at: Vector3;
    color: string;
    slider?: SliderView;
}

export class Traces {
    readonly group = new Group();
    private shown = new Map<string, { point: TracePoint; trace: Trace }>();

    constructor(
        private report: Report,
        private motion: Motion,
        private extent: Extent,
        private factor: () => number, // by which displacements are magnified
    ) {}

    // What may be chosen.
    points(views: SliderView[]): TracePoint[] {
        const inner = innerNodes(this.report);
        const sliders = views.map((slider) => ({ name: `slider ${slider.slider.name}`, body: -1, at: new Vector3(), color: slider.color, slider }));
        const bodies = this.report.bodies.flatMap((body, b) => {
            const color = body.color ?? PALETTE[b % PALETTE.length];
            const points = body.points.map((point) => ({ name: `${body.name}.${point.name}`, body: b, at: new Vector3(...point.at), color }));
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
            return (t) => path.pointThen(t, this.motion, this.factor(), poses);
        }
        return (t) => {
            this.motion.calc(t, poses, [body]);
            return at.clone().applyQuaternion(poses[body].q).add(poses[body].p);
        };
    }

    show(point: TracePoint, isVisible: boolean, t: number): void {
        this.shown.get(point.name)?.trace.dispose();
        this.shown.delete(point.name);
        if (isVisible) {
            const { whole } = this.extent;
            const trace = new Trace(this.report.frames, this.tracer(point), point.color, point.slider ? null : whole, point.slider ? SHORT : LONG);
            trace.update(t);
            this.shown.set(point.name, { point, trace });
            this.group.add(trace.group);
        }
    }

    // After displacements were magnified otherwise.
    redo(t: number): void {
        [...this.shown.values()].forEach(({ point }) => this.show(point, true, t));
    }

    update(t: number): void {
        this.shown.forEach(({ trace }) => trace.update(t));
    }
}
