// What colours the meshes and beams of a report, and the range of it: of displacements and fields over the whole motion, so that
// a colour means the same at all times.
import type { Report } from "../data.ts";
import { indexAt } from "../page/format.ts";
import type { Motion } from "./motion.ts";
import { MeshShape, type Range } from "./mesh.ts";

const MAX_SAMPLES = 60;

export interface Coloring {
    key: string; // "none", "displacement", or the name of a field
    name: string;
    unit: string;
}

export const BEAM_STRESS = "stress of beams";

export class Colors {
    readonly choices: Coloring[];
    private ranges = new Map<string, Range>();

    constructor(
        private report: Report,
        private motion: Motion,
    ) {
        const fields = new Map(report.meshes.flatMap(({ fields }) => fields.map((field): [string, Coloring] => [field.name, { key: field.name, name: field.name, unit: field.unit }])));
        const hasStress = report.members.some(({ stress }) => stress.length);
        this.choices = [
            ...(report.meshes.length ? [{ key: "displacement", name: "displacement", unit: "m" }] : []),
            ...fields.values(),
            { key: "none", name: "none", unit: "" },
            ...(hasStress ? [{ key: BEAM_STRESS, name: BEAM_STRESS, unit: "Pa" }] : []),
        ];
    }

    // Which field of a mesh is meant: -2 none, -1 its displacement.
    fieldOf(mesh: number, key: string): number {
        if (key === "none") {
            return -2;
        }
        const field = this.report.meshes[mesh].fields.findIndex(({ name }) => name === key);
        return key === "displacement" ? -1 : field >= 0 ? field : -2;
    }

    // Modes have no size, so their range is that of the shape that is shown, which may change.
    forget(): void {
        this.ranges.clear();
    }

    range(key: string): Range {
        const known = this.ranges.get(key);
        if (known) {
            return known;
        }
        const found = this.find(key);
        this.ranges.set(key, found);
        return found;
    }

    private times(): number[] {
        const { frames, kind } = this.report;
        if (kind === "modes") {
            return Array.from({ length: 12 }, (_, i) => i / 12);
        }
        const stride = Math.max(1, Math.ceil(frames.length / MAX_SAMPLES));
        return Array.from(frames).filter((_, i) => i % stride === 0);
    }

    // The largest normal stress at both ends of every element, in the frame at or before a time; null: it is not known.
    stressAt(t: number): Float32Array | null {
        const { members, frames } = this.report;
        const n = members.reduce((sum, { nodes }) => sum + nodes.length, 0);
        if (!members.some(({ stress }) => stress.length)) {
            return null;
        }
        const frame = Math.max(0, indexAt(frames, t));
        const out = new Float32Array(n);
        let at = 0;
        for (const { nodes, stress } of members) {
            out.set(stress.subarray(frame * nodes.length, (frame + 1) * nodes.length), at);
            at += nodes.length;
        }
        return out;
    }

    private find(key: string): Range {
        const out = { low: 0, high: 0 };
        if (key === BEAM_STRESS) {
            for (const { stress } of this.report.members) {
                out.high = stress.reduce((most: number, x: number) => Math.max(most, x), out.high);
            }
            return out;
        }
        this.report.meshes.forEach((part, mesh) => {
            const field = this.fieldOf(mesh, key);
            if (field === -1 && this.report.kind !== "modes") {
                out.high = Math.max(out.high, part.largest);
            } else if (field >= -1) {
                this.widen(new MeshShape(part), mesh, field, out);
            }
        });
        return out;
    }

    private widen(shape: MeshShape, mesh: number, field: number, out: Range): void {
        const amplitudes = new Float32Array(shape.part.n_shapes);
        const scalars = new Float32Array(shape.n);
        for (const t of this.times()) {
            this.motion.calcMesh(mesh, t, amplitudes);
            shape.calc(amplitudes);
            shape.calcScalars(field, amplitudes, scalars);
            for (const x of scalars) {
                out.low = Math.min(out.low, x);
                out.high = Math.max(out.high, x);
            }
        }
    }
}
