// A coil between two points that stretches with them: its wire keeps its thickness, only its pitch changes.
import { BufferAttribute, BufferGeometry, CylinderGeometry, Group, Material, Mesh, Vector3 } from "three";
import { solid } from "./parts.ts";

const COILS = 9;
const PER_COIL = 18;
const AROUND = 7;
const LEAD = 0.1; // part of the length at either end that is straight
const Z = new Vector3(0, 0, 1);

export class SpringView {
    readonly group = new Group();
    private coil: Mesh;
    private leads: Mesh[];
    private share: Float32Array; // where along the length a vertex stands
    private offset: Float32Array; // and how far from there

    constructor(radius: number, wire: number, material: Material) {
        const rings = COILS * PER_COIL + 1;
        this.share = new Float32Array(rings * AROUND);
        this.offset = new Float32Array(rings * AROUND);
        this.coil = solid(this.buildCoil(rings, radius, wire), material);
        this.coil.frustumCulled = false;
        const lead = new CylinderGeometry(wire, wire, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
        this.leads = [solid(lead, material), solid(lead, material)];
        this.group.add(this.coil, ...this.leads);
    }

    private buildCoil(rings: number, radius: number, wire: number): BufferGeometry {
        const positions = new Float32Array(rings * AROUND * 3);
        const normals = new Float32Array(rings * AROUND * 3);
        const faces: number[] = [];
        for (let i = 0; i < rings; i++) {
            const s = i / (rings - 1);
            const angle = 2 * Math.PI * COILS * s;
            const grow = Math.min(1, Math.min(s, 1 - s) * COILS * 1.5);
            for (let k = 0; k < AROUND; k++) {
                const phi = (2 * Math.PI * k) / AROUND;
                const v = i * AROUND + k;
                const r = radius * grow + wire * Math.cos(phi);
                positions.set([r * Math.cos(angle), r * Math.sin(angle), 0], 3 * v);
                normals.set([Math.cos(phi) * Math.cos(angle), Math.cos(phi) * Math.sin(angle), Math.sin(phi)], 3 * v);
                this.share[v] = LEAD + (1 - 2 * LEAD) * s;
                this.offset[v] = wire * Math.sin(phi);
                if (i > 0) {
                    const a = v - AROUND;
                    const next = k + 1 < AROUND ? 1 : 1 - AROUND;
                    faces.push(a, a + next, v, v, a + next, v + next);
                }
            }
        }
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(positions, 3));
        geometry.setAttribute("normal", new BufferAttribute(normals, 3));
        geometry.setIndex(faces);
        return geometry;
    }

    update(from: Vector3, to: Vector3): void {
        const direction = to.clone().sub(from);
        const length = direction.length();
        this.group.position.copy(from);
        if (length > 0) {
            this.group.quaternion.setFromUnitVectors(Z, direction.divideScalar(length));
        }
        const position = this.coil.geometry.getAttribute("position") as BufferAttribute;
        const values = position.array as Float32Array;
        for (let v = 0; v < this.share.length; v++) {
            values[3 * v + 2] = this.share[v] * length + this.offset[v];
        }
        position.needsUpdate = true;
        this.leads[0].scale.z = Math.max(1e-9, LEAD * length);
        this.leads[1].scale.z = Math.max(1e-9, LEAD * length);
        this.leads[1].position.z = (1 - LEAD) * length;
    }
}
