// The floor that an upright plane mechanism stands on, from the graph paper behind it towards the viewer.
import { BufferGeometry, Float32BufferAttribute, Group, Mesh, MeshBasicMaterial, ShadowMaterial, Vector3, type Material } from "three";

export class Floor {
    readonly group = new Group();
    private ground = new MeshBasicMaterial({ transparent: true, opacity: 0.8, depthWrite: false });
    private shadow = new ShadowMaterial({ opacity: 0.16, depthWrite: false });

    // at: a point on the line where it meets the paper; front: from there towards the viewer.
    constructor(at: Vector3, up: Vector3, front: Vector3, reach: number, depth: number) {
        const side = up.clone().cross(front).normalize().multiplyScalar(reach);
        const far = front.clone().multiplyScalar(depth);
        const corners = [at.clone().sub(side), at.clone().add(side), at.clone().add(side).add(far), at.clone().sub(side).add(far)];
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new Float32BufferAttribute(corners.flatMap((c) => c.toArray()), 3));
        geometry.setAttribute("normal", new Float32BufferAttribute(corners.flatMap(() => up.toArray()), 3));
        geometry.setIndex([0, 3, 2, 0, 2, 1]);
        this.add(geometry, this.ground, -3);
        this.add(geometry, this.shadow, -2).receiveShadow = true;
    }

    private add(geometry: BufferGeometry, material: Material, order: number): Mesh {
        const mesh = new Mesh(geometry, material);
        material.side = 2; // both
        mesh.renderOrder = order;
        this.group.add(mesh);
        return mesh;
    }

    setTheme(isDark: boolean): void {
        this.ground.color.set(isDark ? "#262e39" : "#cfd7e0");
        this.shadow.opacity = isDark ? 0.4 : 0.16;
    }
}
