// Graph paper under or behind the mechanism, fading outwards, with shadows on it.
import { Color, DoubleSide, Group, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, Vector2, Vector3 } from "three";
import { roundDown125 } from "../page/format.ts";

const VERTEX = `
varying vec2 at;
void main() {
    at = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
varying vec2 at;
uniform float step;
uniform float reach;
uniform vec2 middle;
uniform vec3 color;
float lines(vec2 p) {
    vec2 width = fwidth(p);
    vec2 g = abs(fract(p - 0.5) - 0.5) / width;
    float thin = 1.0 - smoothstep(0.15, 0.5, max(width.x, width.y));
    return (1.0 - min(min(g.x, g.y), 1.0)) * thin;
}
void main() {
    float strength = max(0.35 * lines(at / step), 0.75 * lines(at / (5.0 * step)));
    float fade = 1.0 - smoothstep(0.25 * reach, reach, length(at - middle));
    gl_FragColor = vec4(color, strength * fade);
}`;

export class Grid {
    readonly group = new Group();
    readonly step: number;
    private material: ShaderMaterial;
    private shadow = new ShadowMaterial({ opacity: 0.16, depthWrite: false });

    // The plane through `at` with this normal; lines lie on round global coordinates.
    constructor(at: Vector3, normal: Vector3, reach: number, size: number) {
        this.step = roundDown125(size / 9);
        const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
        const middle = at.clone().applyQuaternion(turn.clone().invert());
        this.material = new ShaderMaterial({
            vertexShader: VERTEX,
            fragmentShader: FRAGMENT,
            uniforms: {
                step: { value: this.step },
                reach: { value: reach },
                middle: { value: new Vector2(middle.x, middle.y) },
                color: { value: new Color() },
            },
            transparent: true,
            depthWrite: false,
            side: DoubleSide,
        });
        const plane = new PlaneGeometry(2 * reach, 2 * reach).translate(middle.x, middle.y, middle.z);
        const lines = new Mesh(plane, this.material);
        const shadow = new Mesh(plane, this.shadow);
        shadow.receiveShadow = true;
        lines.renderOrder = -2;
        shadow.renderOrder = -1;
        this.group.add(lines, shadow);
        this.group.quaternion.copy(turn);
    }

    // Keeps the paper under what is followed; by whole squares, so that the lines stay where they are.
    moveTo(point: Vector3): void {
        const local = point.clone().applyQuaternion(this.group.quaternion.clone().invert());
        const { x, y } = this.material.uniforms.middle.value as Vector2;
        const snap = (v: number): number => Math.round(v / (5 * this.step)) * 5 * this.step;
        this.group.children.forEach((plane) => plane.position.set(snap(local.x - x), snap(local.y - y), 0));
    }

    setColor(color: string, isDark: boolean): void {
        (this.material.uniforms.color.value as Color).set(color);
        this.material.uniforms.color.value.convertLinearToSRGB();
        this.shadow.opacity = isDark ? 0.4 : 0.16;
    }
}
