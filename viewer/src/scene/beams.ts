// All beam elements in one drawing call: a tube for each, bent along its curve by the graphics processor.
import {
    Color,
    DynamicDrawUsage,
    Group,
    InstancedBufferAttribute,
    InstancedBufferGeometry,
    InstancedInterleavedBuffer,
    InstancedMesh,
    InterleavedBufferAttribute,
    BufferAttribute,
    Matrix4,
    Mesh,
    MeshDepthMaterial,
    MeshStandardMaterial,
    Ray,
    RGBADepthPacking,
    SphereGeometry,
    Vector3,
    type Material,
} from "three";
import type { Member, Report } from "../data.ts";
import { setGradient } from "./mesh.ts";
import { PALETTE, materialOf } from "./parts.ts";
import { FLOATS, type StructureShape } from "./structure.ts";
import type { Pose } from "./motion.ts";

const FINE = { along: 10, around: 12 };
const COARSE = { along: 5, around: 7 }; // beyond a thousand elements
const MANY_ELEMENTS = 1000;
const MANY_MEMBERS = 24;

// position.x runs along the element, y and z around it.
const DECLARE = `
attribute vec3 colorB; attribute vec3 endA; attribute vec3 tangentA; attribute vec3 endB; attribute vec3 tangentB; attribute vec3 side; attribute float radius;
void bend(out vec3 at, out vec3 outward) {
 float x = position.x; float y = 1.0 - x;
 at = endA * (y * y * (1.0 + 2.0 * x)) + tangentA * (x * y * y) + endB * (x * x * (3.0 - 2.0 * x)) - tangentB * (x * x * y);
 vec3 along = normalize((endB - endA) * (6.0 * x * y) + tangentA * (y * (1.0 - 3.0 * x)) + tangentB * (x * (3.0 * x - 2.0)));
 vec3 up = normalize(side - dot(side, along) * along);
 outward = up * position.y + cross(along, up) * position.z;
}
`;
const BEND = "vec3 bentAt; vec3 bentOut; bend(bentAt, bentOut);";
const PLACE = "vec3 transformed = bentAt + radius * bentOut;";

function bendMaterial<T extends Material>(material: T, hasNormals: boolean): T {
    material.onBeforeCompile = (shader) => {
        let text = shader.vertexShader.replace("#include <common>", `#include <common>${DECLARE}`);
        if (hasNormals) {
            text = text.replace("#include <color_vertex>", "#include <color_vertex>\nvColor.rgb = mix(color, colorB, position.x);");
            text = text.replace("#include <beginnormal_vertex>", `${BEND} vec3 objectNormal = bentOut;`);
        }
        shader.vertexShader = text.replace("#include <begin_vertex>", hasNormals ? PLACE : BEND + PLACE);
    };
    return material;
}

function tubeGeometry({ along, around }: typeof FINE): InstancedBufferGeometry {
    const geometry = new InstancedBufferGeometry();
    const positions: number[] = [];
    const faces: number[] = [];
    for (let i = 0; i <= along; i++) {
        for (let k = 0; k < around; k++) {
            const angle = (2 * Math.PI * k) / around;
            positions.push(i / along, Math.cos(angle), Math.sin(angle));
            if (i > 0) {
                const [v, next] = [i * around + k, k + 1 < around ? 1 : 1 - around];
                faces.push(v - around, v - around + next, v, v, v - around + next, v + next);
            }
        }
    }
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
    // Without normals three would shade the facets flat; the true ones come from the bending.
    geometry.setAttribute("normal", geometry.getAttribute("position"));
    geometry.setIndex(faces);
    return geometry;
}

// A colour for each member; of many, for each thickness in a structure, which tells columns from beams.
function colorMembers(members: Member[]): Color[] {
    const groups = new Map<string, number>();
    return members.map(({ name, radius }, m) => {
        const group = members.length > MANY_MEMBERS ? `${name.replace(/\.[^.]*$/, "")} ${radius}` : String(m);
        groups.set(group, groups.get(group) ?? groups.size);
        return new Color(PALETTE[groups.get(group)! % PALETTE.length]);
    });
}

export class BeamsView {
    readonly group = new Group();
    private geometry: InstancedBufferGeometry;
    private buffer: InstancedInterleavedBuffer;
    private radii: Float32Array; // of elements
    private own: Float32Array; // colours of members, [3 x elements]
    private colors: InstancedBufferAttribute[]; // of either end of the elements
    private isPlain = true;
    private balls: InstancedMesh;
    private ends: { body: number; radius: number }[];

    constructor(
        private report: Report,
        private shape: StructureShape,
        private thickness: number,
        plain?: string, // one colour for all
    ) {
        const { elements } = shape;
        const radiusOf = report.members.map(({ radius }) => (radius > 0 ? Math.min(1.7 * thickness, Math.max(0.45 * thickness, radius)) : thickness));
        this.radii = Float32Array.from(elements, ({ member }) => radiusOf[member]);
        this.geometry = tubeGeometry(elements.length > MANY_ELEMENTS ? COARSE : FINE);
        this.geometry.instanceCount = elements.length;
        this.buffer = new InstancedInterleavedBuffer(shape.curves, FLOATS);
        this.buffer.setUsage(DynamicDrawUsage);
        ["endA", "tangentA", "endB", "tangentB", "side"].forEach((name, i) => {
            this.geometry.setAttribute(name, new InterleavedBufferAttribute(this.buffer, 3, 3 * i));
        });
        this.geometry.setAttribute("radius", new InstancedBufferAttribute(this.radii, 1));
        const colorOf = colorMembers(report.members);
        this.own = Float32Array.from(elements.flatMap(({ member }) => (plain ? new Color(plain) : colorOf[member]).toArray()));
        this.colors = [new InstancedBufferAttribute(this.own.slice(), 3), new InstancedBufferAttribute(this.own.slice(), 3)];
        this.geometry.setAttribute("color", this.colors[0]);
        this.geometry.setAttribute("colorB", this.colors[1]);
        if (elements.length) {
            this.group.add(this.buildTubes(plain !== undefined));
        }
        this.ends = this.findEnds(radiusOf);
        this.balls = new InstancedMesh(new SphereGeometry(1, 14, 10), materialOf("#8b96a3"), this.ends.length);
        this.balls.castShadow = this.balls.receiveShadow = true;
        this.balls.frustumCulled = false;
        this.group.add(this.balls);
    }

    private buildTubes(isPale: boolean): Mesh {
        const pale = { transparent: true, opacity: 0.45, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4 };
        const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.55, metalness: 0.08, ...(isPale ? pale : {}) });
        const tubes = new Mesh(this.geometry, bendMaterial(material, true));
        tubes.customDepthMaterial = bendMaterial(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }), false);
        tubes.frustumCulled = false;
        tubes.castShadow = tubes.receiveShadow = !isPale;
        tubes.raycast = () => undefined; // the rays of nameAt() know where the tubes are
        return tubes;
    }

    // A ball rounds the ends of members, where tubes meet, and stands for nodes without members; masses at nodes are
    // larger ones.
    private findEnds(radiusOf: number[]): { body: number; radius: number }[] {
        const found = new Map<number, number>();
        this.report.members.forEach(({ nodes }, m) => {
            for (const body of [nodes[0], nodes[nodes.length - 1]]) {
                found.set(body, Math.max(found.get(body) ?? 0, 1.12 * radiusOf[m]));
            }
        });
        for (const { a, b, member } of this.shape.elements) {
            for (const body of [a, b]) {
                if (this.report.bodies[body]?.mass > 0) {
                    found.set(body, 2.4 * radiusOf[member]);
                }
            }
        }
        const inner = new Set(this.report.members.flatMap(({ nodes }) => nodes));
        this.report.bodies.forEach(({ role }, body) => role === "node" && !inner.has(body) && found.set(body, this.thickness));
        return [...found].filter(([body]) => body >= 0).map(([body, radius]) => ({ body, radius }));
    }

    radiusOf(element: number): number {
        return this.radii[element];
    }

    radiusAt(body: number): number {
        return this.ends.find((end) => end.body === body)?.radius ?? 0;
    }

    // By a number at either end of each element, from 0 to `high`; null: by their members.
    colorBy(values: Float32Array | null, high: number): void {
        if (!values && this.isPlain) {
            return;
        }
        const color = new Color();
        this.colors.forEach((attribute, end) => {
            const out = attribute.array as Float32Array;
            if (!values) {
                out.set(this.own);
            }
            for (let i = 0; values && i < this.shape.elements.length; i++) {
                setGradient(color, high > 0 ? values[2 * i + end] / high : 0).toArray(out, 3 * i);
            }
            attribute.needsUpdate = true;
        });
        this.isPlain = !values;
    }

    // After the shape was calculated for these poses.
    update(poses: Pose[]): void {
        this.buffer.needsUpdate = true;
        const matrix = new Matrix4();
        this.ends.forEach(({ body, radius }, i) => {
            const { p } = poses[body];
            this.balls.setMatrixAt(i, matrix.makeScale(radius, radius, radius).setPosition(p));
        });
        this.balls.instanceMatrix.needsUpdate = true;
    }

    // The element that a ray meets first, and how far away; null: none.
    hit(ray: Ray): { element: number; x: number; distance: number } | null {
        const [from, to, near] = [new Vector3(), new Vector3(), new Vector3()];
        let best: { element: number; x: number; distance: number } | null = null;
        for (let i = 0; i < this.shape.elements.length; i++) {
            this.shape.pointOn(i, 0, from);
            for (let k = 1; k <= 4; k++) {
                this.shape.pointOn(i, k / 4, to);
                const gap = ray.distanceSqToSegment(from, to, undefined, near);
                const distance = near.distanceTo(ray.origin);
                if (gap < (1.5 * this.radii[i]) ** 2 && (!best || distance < best.distance)) {
                    const part = from.distanceTo(near) / (from.distanceTo(to) || 1);
                    best = { element: i, x: (k - 1 + Math.min(1, part)) / 4, distance };
                }
                from.copy(to);
            }
        }
        return best;
    }
}
