// Arrows of what the run recorded: forces, reactions and contact forces with one head, moments with two, as long as they are large.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import type { Arrow, Report } from "../data.ts";
import { indexAt, show } from "../page/format.ts";
import type { Pose } from "./motion.ts";

const LONGEST = 0.28; // of the size of the mechanism
const LEAST = 1e-3; // of the largest, that is drawn
const COLORS: Record<string, string> = { force: "#d1304a", contact: "#e08a1e", torque: "#7a4fd0" };
const Z = new Vector3(0, 0, 1);

const PREFIXES: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]];

export function withUnit(value: number, unit: string): string {
    const [size, prefix] = PREFIXES.find(([least]) => value >= least) ?? [1, ""];
    return `${show(value / size, 3)} ${prefix}${unit}`;
}

class ArrowView {
    readonly group = new Group();
    readonly value = new Vector3(); // in the ground's axes
    private shaft: Mesh;
    private heads: Mesh[];

    constructor(
        readonly arrow: Arrow,
        private thickness: number,
    ) {
        const material = new MeshStandardMaterial({ color: COLORS[arrow.kind] ?? COLORS.force, roughness: 0.5, metalness: 0 });
        this.shaft = new Mesh(new CylinderGeometry(0.55 * thickness, 0.55 * thickness, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), material);
        const head = new ConeGeometry(1.6 * thickness, 4 * thickness, 16).rotateX(Math.PI / 2).translate(0, 0, -2 * thickness);
        this.heads = (arrow.kind === "torque" ? [0, 1] : [0]).map(() => new Mesh(head, material));
        this.group.add(this.shaft, ...this.heads);
        this.group.userData = { label: "" };
    }

    // scale: metres for a newton, or for a newton metre.
    update(at: Vector3, scale: number): void {
        const size = this.value.length();
        const length = scale * size;
        this.group.visible = length > LEAST * this.thickness && Number.isFinite(length);
        if (!this.group.visible) {
            return;
        }
        this.group.position.copy(at);
        this.group.quaternion.setFromUnitVectors(Z, this.value.clone().divideScalar(size));
        const small = Math.min(1, length / (6 * this.thickness)); // short arrows keep their shape
        this.shaft.scale.set(small, small, Math.max(1e-9, length - 3.8 * small * this.thickness));
        this.heads.forEach((head, i) => {
            head.scale.setScalar(small);
            head.position.z = length - 3 * i * small * this.thickness;
        });
        this.group.userData.label = `${this.arrow.name}: ${withUnit(size, this.arrow.kind === "torque" ? "N m" : "N")}`;
    }
}

export class ArrowsView {
    readonly group = new Group();
    readonly views: ArrowView[];
    private scales = new Map<boolean, number>(); // of moments, of forces
    private turn = new Quaternion();

    constructor(
        private report: Report,
        size: number,
        thickness: number,
    ) {
        this.views = report.arrows.map((arrow) => new ArrowView(arrow, thickness));
        this.views.forEach(({ group }) => this.group.add(group));
        for (const isTorque of [false, true]) {
            let most = 0;
            for (const { outputs } of report.arrows.filter(({ kind }) => (kind === "torque") === isTorque)) {
                const columns = outputs.map((o) => report.outputs[o].values);
                for (let i = 0; i < report.time.length; i++) {
                    const value = Math.hypot(...columns.map((column) => column[i]));
                    most = value > most && Number.isFinite(value) ? value : most;
                }
            }
            this.scales.set(isTorque, most > 0 ? (LONGEST * size) / most : 0);
        }
    }

    // The recorded values at a time, straight between samples.
    private valueAt(arrow: Arrow, t: number, out: Vector3): Vector3 {
        const { time, outputs } = this.report;
        const i = Math.max(0, Math.min(indexAt(time, t), time.length - 2));
        const step = time[i + 1] - time[i];
        const u = step > 0 ? Math.min(1, Math.max(0, (t - time[i]) / step)) : 0;
        const at = (k: number): number => {
            const { values } = outputs[arrow.outputs[k]];
            return u > 0 ? (1 - u) * values[i] + u * values[i + 1] : values[i];
        };
        return out.set(at(0), at(1), at(2));
    }

    update(t: number, poseOf: (body: number) => Pose, placeOf: (slider: number) => Vector3 | null): void {
        for (const view of this.views) {
            const { arrow } = view;
            this.valueAt(arrow, t, view.value);
            if (arrow.axes >= 0) {
                view.value.applyQuaternion(this.turn.copy(poseOf(arrow.axes).q));
            }
            const { p, q } = poseOf(arrow.body);
            const at = placeOf(arrow.slider) ?? new Vector3(...arrow.at).applyQuaternion(q).add(p);
            view.update(at, this.scales.get(arrow.kind === "torque") ?? 0);
        }
    }
}
