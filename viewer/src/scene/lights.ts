// The light of the picture: sky, a fill, and a sun that casts shadows and moves with what is looked at.
import { AmbientLight, Box3, DirectionalLight, Group, HemisphereLight, Vector3 } from "three";
import { findDirection } from "./camera.ts";

export class Lights {
    readonly group = new Group();
    private sun = new DirectionalLight(0xffffff, 2.1);

    // radius: of what is lit; view: where the standard view looks from.
    constructor(up: Vector3, planeNormal: Vector3 | null, radius: number, box: Box3) {
        const sky = new HemisphereLight(0xffffff, 0x8c8c96, 1.4);
        sky.position.copy(up);
        const fill = new DirectionalLight(0xffffff, 0.5);
        fill.position.copy(findDirection("front", up, null)).negate();
        const view = findDirection("start", up, planeNormal);
        const from = view.clone().multiplyScalar(0.8).addScaledVector(up, 1.3);
        from.addScaledVector(view.clone().cross(up), 0.5).normalize().multiplyScalar(3 * radius);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(1024, 1024);
        this.sun.shadow.radius = 3;
        Object.assign(this.sun.shadow.camera, { left: -radius, right: radius, top: radius, bottom: -radius });
        Object.assign(this.sun.shadow.camera, { near: 0.5 * radius, far: 7 * radius });
        this.sun.shadow.normalBias = 0.004 * radius;
        this.group.add(new AmbientLight(0xffffff, 0.6), sky, fill, this.sun, this.sun.target);
        const middle = box.isEmpty() ? new Vector3() : box.getCenter(new Vector3());
        this.sun.target.position.copy(middle);
        this.sun.position.copy(middle).add(from);
    }

    move(shift: Vector3): void {
        this.sun.position.add(shift);
        this.sun.target.position.add(shift);
    }
}
