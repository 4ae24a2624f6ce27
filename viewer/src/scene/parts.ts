// Meshes of bodies and joints, in the coordinates of the body that carries them.
import {
    BoxGeometry,
    BufferGeometry,
    CapsuleGeometry,
    CylinderGeometry,
    Group,
    LatheGeometry,
    Material,
    Matrix4,
    Mesh,
    MeshStandardMaterial,
    SphereGeometry,
    Vector2,
    Vector3,
} from "three";
import { RopeView } from "./rope.ts";
import type { Body, Joint, Shape, Vec3 } from "../data.ts";

// Distinguishable with the common colour vision deficiencies, on white and on near-black.
export const PALETTE = ["#3b7dd8", "#e08a1e", "#2a9d6f", "#c4569b", "#8a6fd1", "#d1564a", "#4fa3b5", "#a08a3c"];

const Y = new Vector3(0, 1, 0);
const Z = new Vector3(0, 0, 1);
const vec = (a: Vec3 | undefined): Vector3 => new Vector3(...(a ?? [0, 0, 0]));

export function materialOf(color: string): MeshStandardMaterial {
    return new MeshStandardMaterial({ color, roughness: 0.55, metalness: 0.08 });
}

export function solid(geometry: BufferGeometry, material: Material): Mesh {
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    return mesh;
}

export function bar(from: Vector3, to: Vector3, radius: number, material: Material): Mesh {
    const direction = to.clone().sub(from);
    const length = direction.length();
    const mesh = solid(new CapsuleGeometry(radius, length, 5, 18), material);
    mesh.position.copy(from).addScaledVector(direction, 0.5);
    if (length > 0) {
        mesh.quaternion.setFromUnitVectors(Y, direction.divideScalar(length));
    }
    return mesh;
}

export function ball(at: Vector3, radius: number, material: Material): Mesh {
    const mesh = solid(new SphereGeometry(radius, 24, 16), material);
    mesh.position.copy(at);
    return mesh;
}

function tubeGeometry(outer: number, inner: number, length: number): BufferGeometry {
    const h = length / 2;
    const profile = [new Vector2(inner, -h), new Vector2(outer, -h), new Vector2(outer, h), new Vector2(inner, h), new Vector2(inner, -h)];
    return new LatheGeometry(profile, 48).toNonIndexed();
}

// Three's cylinders stand along y, ours along z.
function geometryOf(shape: Shape, thickness: number): BufferGeometry | null {
    const radius = shape.radius ?? thickness;
    const length = shape.length ?? 0;
    if (shape.type === "box") {
        const [x, y, z] = shape.size ?? [0, 0, 0];
        return new BoxGeometry(x, y, z);
    }
    if (shape.type === "cylinder") {
        return new CylinderGeometry(radius, radius, length, 48).rotateX(Math.PI / 2);
    }
    if (shape.type === "tube") {
        const geometry = tubeGeometry(radius, shape.inner_radius ?? 0, length);
        geometry.computeVertexNormals();
        return geometry.rotateX(Math.PI / 2);
    }
    return shape.type === "sphere" ? new SphereGeometry(radius, 32, 20) : null;
}

function place(mesh: Mesh, shape: Shape): void {
    const r = shape.rotation;
    if (r?.length === 9) {
        mesh.quaternion.setFromRotationMatrix(
            new Matrix4().set(r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0, 0, 0, 0, 1),
        );
    }
    mesh.position.copy(vec(shape.at));
}

// A cylinder says nothing about its turning; a stripe on its rim does.
function addStripe(group: Group, shape: Shape, material: Material): void {
    const radius = shape.radius ?? 0;
    const length = shape.length ?? 0;
    if ((shape.type !== "cylinder" && shape.type !== "tube") || !(radius > 0.4 * length)) {
        return;
    }
    const inner = shape.inner_radius ?? 0.25 * radius;
    const depth = radius - inner;
    const mesh = solid(new BoxGeometry(depth * 0.96, radius * 0.06, length * 1.02), material);
    place(mesh, shape);
    mesh.translateX(inner + depth / 2);
    group.add(mesh);
}

function addLinks(group: Group, body: Body, thickness: number, material: Material): void {
    const ends = body.links.map(vec);
    const masses = body.shapes.filter((s) => s.type === "point").map((s) => vec(s.at));
    if (ends.length === 1 && masses.length === 0 && ends[0].length() > 0) {
        ends.push(new Vector3());
    }
    for (let i = 1; i < ends.length; i++) {
        group.add(bar(ends[i - 1], ends[i], thickness, material));
    }
    if (ends.length > 2) {
        group.add(bar(ends[ends.length - 1], ends[0], thickness, material));
    }
    for (const mass of masses) {
        const nearest = ends.reduce<Vector3 | null>((a, b) => (!a || b.distanceTo(mass) < a.distanceTo(mass) ? b : a), null);
        if (nearest) {
            group.add(bar(nearest, mass, thickness, material));
        }
    }
}

export function buildBody(body: Body, index: number, thickness: number): Group {
    const group = new Group();
    const color = body.color ?? PALETTE[index % PALETTE.length];
    const material = materialOf(color);
    const stripe = materialOf("#f4f4f4");
    let extended = false;
    for (const shape of body.shapes) {
        if (shape.type === "rod" && body.isMassless) {
            const rope = new RopeView(0.6 * thickness, true);
            rope.update(vec(shape.from), vec(shape.to));
            group.add(rope.group);
            extended = true;
        } else if (shape.type === "rod") {
            group.add(bar(vec(shape.from), vec(shape.to), thickness, material));
            extended = true;
        } else if (shape.type === "point") {
            group.add(ball(vec(shape.at), 2.8 * thickness, material));
        } else {
            const geometry = geometryOf(shape, thickness);
            if (geometry) {
                const mesh = solid(geometry, material);
                place(mesh, shape);
                group.add(mesh);
                addStripe(group, shape, stripe);
                extended = true;
            }
        }
    }
    if (!extended) {
        addLinks(group, body, thickness, material);
    }
    if (group.children.length === 0) {
        const side = 5 * thickness;
        group.add(solid(new BoxGeometry(side, side, side), material));
    }
    return group;
}

const isRound = (type: string): boolean => /revolute|cylindrical|screw|gear/.test(type);

// A pin along the axis, a ball or a block; null for joints that hide nothing between their bodies.
export function buildJoint(joint: Joint, thickness: number, material: Material): Mesh | null {
    if (/^(fixed|weld|free)$/.test(joint.type)) {
        return null;
    }
    const r = 1.3 * thickness;
    const axis = vec(joint.axis_a);
    const slides = /prismatic|translation|slide/.test(joint.type);
    const geometry = isRound(joint.type)
        ? new CylinderGeometry(r, r, 3.4 * r, 24).rotateX(Math.PI / 2)
        : slides
          ? new BoxGeometry(2.2 * r, 2.2 * r, 2.8 * r)
          : new SphereGeometry(1.15 * r, 20, 14);
    const mesh = solid(geometry, material);
    if (axis.length() > 0) {
        mesh.quaternion.setFromUnitVectors(Z, axis.normalize());
    }
    mesh.position.copy(vec(joint.at_a));
    return mesh;
}

// A drum of rubber around a pin, at the origin.
export function buildBushing(thickness: number, rubber: Material, metal: Material): Group {
    const group = new Group();
    const drum = (radius: number, height: number, material: Material): Mesh =>
        solid(new CylinderGeometry(radius, radius, height, 28).rotateX(Math.PI / 2), material);
    group.add(drum(2.3 * thickness, 2.6 * thickness, rubber), drum(0.9 * thickness, 3.6 * thickness, metal));
    return group;
}
