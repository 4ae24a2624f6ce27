// A line of any width through many points, of which a part is shown. Each segment has corners of its own instead of being an
// instance of one: where no graphics card draws, an instance costs as much as a whole drawing call.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, Vector3, Vector4, type WebGLRenderer } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

// What the shader of LineMaterial expects: which side of the line, and where along it, with rounded ends beyond 0 and 1.
const CORNERS = [2, 1, 0, -1].flatMap((along) => [[-1, along], [1, along]]);
const ROUND = [2, 1, -1, -2].flatMap((along) => [[-1, along], [1, along]]);
const FACES = [0, 2, 1, 2, 3, 1, 2, 4, 3, 4, 5, 3, 4, 6, 5, 6, 7, 5];
const N = CORNERS.length;

export class Polyline {
    readonly mesh: Mesh<BufferGeometry, LineMaterial>;
    private ends: [BufferAttribute, BufferAttribute]; // of the segment, at each of its corners
    private cut = -1; // the segment that ends early

    constructor(
        private points: Vector3[], // at least one
        color: string,
        opacity: number,
    ) {
        const n = Math.max(1, points.length - 1);
        const geometry = new BufferGeometry();
        const repeat = (list: number[][]): Float32Array => Float32Array.from(Array.from({ length: n }, () => list.flat()).flat());
        geometry.setAttribute("position", new BufferAttribute(repeat(CORNERS.map((corner) => [...corner, 0])), 3));
        geometry.setAttribute("uv", new BufferAttribute(repeat(ROUND), 2));
        this.ends = [new BufferAttribute(new Float32Array(3 * N * n), 3), new BufferAttribute(new Float32Array(3 * N * n), 3)];
        geometry.setAttribute("instanceStart", this.ends[0].setUsage(DynamicDrawUsage));
        geometry.setAttribute("instanceEnd", this.ends[1].setUsage(DynamicDrawUsage));
        geometry.setIndex(Array.from({ length: n }, (_, i) => FACES.map((corner) => N * i + corner)).flat());
        for (let i = 0; i < n; i++) {
            this.setSegment(i, points[i], points[i + 1] ?? points[i]);
        }
        this.ends.forEach((attribute) => attribute.clearUpdateRanges()); // all of it is sent at first
        const material = new LineMaterial({ color, linewidth: 2, transparent: true, opacity, depthWrite: opacity === 1 });
        this.mesh = new Mesh(geometry, material);
        this.mesh.frustumCulled = false;
        const viewport = new Vector4();
        this.mesh.onBeforeRender = (renderer) => {
            (renderer as WebGLRenderer).getViewport(viewport);
            material.resolution.set(viewport.z, viewport.w);
        };
    }

    private setSegment(i: number, from: Vector3, to: Vector3): void {
        for (let k = N * i; k < N * (i + 1); k++) {
            this.ends[0].setXYZ(k, from.x, from.y, from.z);
            this.ends[1].setXYZ(k, to.x, to.y, to.z);
        }
        this.ends.forEach((attribute) => {
            attribute.addUpdateRange(3 * N * i, 3 * N);
            attribute.needsUpdate = true;
        });
    }

    // From one point to another, and on to a place before the next point.
    show(first: number, last: number, end: Vector3): void {
        const { points } = this;
        if (this.cut >= 0) {
            this.setSegment(this.cut, points[this.cut], points[this.cut + 1] ?? points[this.cut]);
        }
        this.cut = Math.min(last, Math.max(0, points.length - 2));
        const isPast = last > this.cut; // at the last point no segment is left
        if (isPast) {
            this.cut = -1;
        } else {
            this.setSegment(this.cut, points[this.cut], end);
        }
        const count = isPast ? last - first : last - first + 1;
        this.mesh.geometry.setDrawRange(FACES.length * first, FACES.length * count);
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
    }
}
