// Ropes and rods between two points: a slim twisted cord where it is a rope, a slim bar where it is rigid.
import { CylinderGeometry, DataTexture, Group, LinearFilter, LinearMipmapLinearFilter, Mesh, MeshStandardMaterial, RepeatWrapping, SRGBColorSpace, Vector3 } from "three";
import { materialOf, solid } from "./parts.ts";

const Z = new Vector3(0, 0, 1);
const SIZE = 16; // of the texture
const LIGHT = [214, 178, 120];
const DARK = [128, 94, 52];
const TWIST = 1; // length of a turn of the strands, in circumferences

// Strands wind around the cord: a texture of slanted stripes that repeats with the length.
function cordTexture(): DataTexture {
    const data = new Uint8Array(4 * SIZE * SIZE);
    for (let y = 0; y < SIZE; y++) {
        for (let x = 0; x < SIZE; x++) {
            const phase = ((2 * x + 2 * y) / SIZE) % 1; // two strands are seen at a time
            const shade = Math.pow(Math.sin(Math.PI * phase), 0.6);
            LIGHT.forEach((light, c) => (data[4 * (y * SIZE + x) + c] = DARK[c] + shade * (light - DARK[c])));
            data[4 * (y * SIZE + x) + 3] = 255;
        }
    }
    const texture = new DataTexture(data, SIZE, SIZE);
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.colorSpace = SRGBColorSpace;
    texture.magFilter = LinearFilter;
    texture.minFilter = LinearMipmapLinearFilter;
    texture.generateMipmaps = true;
    texture.needsUpdate = true;
    return texture;
}

export class RopeView {
    readonly group = new Group();
    private tube: Mesh;
    private texture: DataTexture | null = null;

    constructor(
        private radius: number,
        isRope: boolean,
    ) {
        let material = materialOf("#9aa7b5");
        if (isRope) {
            this.texture = cordTexture();
            material = new MeshStandardMaterial({ map: this.texture, roughness: 0.95, metalness: 0 });
        }
        this.tube = solid(new CylinderGeometry(radius, radius, 1, 14, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5), material);
        this.group.add(this.tube);
    }

    update(from: Vector3, to: Vector3): void {
        const direction = to.clone().sub(from);
        const length = direction.length();
        this.group.position.copy(from);
        if (length > 0) {
            this.group.quaternion.setFromUnitVectors(Z, direction.divideScalar(length));
        }
        this.tube.scale.z = Math.max(1e-9, length);
        this.texture?.repeat.set(1, length / (2 * Math.PI * this.radius * TWIST));
    }
}
