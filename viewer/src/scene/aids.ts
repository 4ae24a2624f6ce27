// What helps to read the picture, on request: axes of joints, the start position as a ghost, names.
import { BufferGeometry, Group, Line, LineDashedMaterial, Mesh, MeshBasicMaterial, Vector3, type Object3D, type PerspectiveCamera } from "three";
import type { Joint, Report } from "../data.ts";
import { el } from "../page/dom.ts";

const HAS_AXIS = /revolute|prismatic|cylindrical|screw|planar|pin_slot|universal/;
const MOST_LABELS = 60;

// A broken line along the axis of a joint, in the coordinates of the body that holds it; null: it has none.
export function buildAxis(joint: Joint, length: number): Object3D | null {
    const axis = new Vector3(...joint.axis_a);
    if (!HAS_AXIS.test(joint.type) || !(axis.length() > 0)) {
        return null;
    }
    axis.normalize().multiplyScalar(length);
    const at = new Vector3(...joint.at_a);
    const geometry = new BufferGeometry().setFromPoints([at.clone().sub(axis), at.clone().add(axis)]);
    const line = new Line(geometry, new LineDashedMaterial({ color: "#d02c55", dashSize: 0.12 * length, gapSize: 0.06 * length }));
    line.computeLineDistances();
    return line;
}

// Copies of bodies where they are now, pale and without shadows.
export function buildGhost(bodies: Group[]): Group {
    const pale = new MeshBasicMaterial({ color: "#8a97a6", transparent: true, opacity: 0.22, depthWrite: false });
    const ghost = new Group();
    for (const body of bodies) {
        const copy = body.clone();
        copy.traverse((part) => {
            if (part instanceof Mesh) {
                part.material = pale;
                part.castShadow = part.receiveShadow = false;
            }
        });
        ghost.add(copy);
    }
    return ghost;
}

// The names of bodies and sliders, beside what they belong to.
export class Labels {
    readonly element = el("div", { class: "stage-labels", "aria-hidden": "true", hidden: true });
    private labels: { span: HTMLElement; place: () => Vector3 }[] = [];

    constructor(report: Report, placeOf: (body: number) => Vector3, sliders: { name: string; place: () => Vector3 }[]) {
        const bodies = report.bodies.flatMap((body, b) => (body.role ? [] : [{ name: body.name, place: () => placeOf(b) }]));
        for (const { name, place } of [...bodies, ...sliders].slice(0, MOST_LABELS)) {
            const span = el("span", {}, name);
            this.labels.push({ span, place });
            this.element.append(span);
        }
    }

    update(camera: PerspectiveCamera, width: number, height: number): void {
        if (this.element.hidden) {
            return;
        }
        for (const { span, place } of this.labels) {
            const p = place().clone().project(camera);
            span.hidden = p.z > 1;
            span.style.transform = `translate(${(((p.x + 1) / 2) * width + 8).toFixed(1)}px, ${(((1 - p.y) / 2) * height - 8).toFixed(1)}px)`;
        }
    }
}
