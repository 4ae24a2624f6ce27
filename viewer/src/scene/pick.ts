// What is under the pointer: its name, and where it is or how far it moved.
import { Raycaster, Vector2, Vector3, type Group, type Object3D, type PerspectiveCamera } from "three";
import type { Report } from "../data.ts";
import type { BeamsView } from "./beams.ts";
import type { MeshView } from "./mesh.ts";
import type { Pose } from "./motion.ts";
import type { StructureShape } from "./structure.ts";

export interface Pickable {
    report: Report;
    poses: Pose[];
    bodies: Group[];
    layers: Record<string, Group>;
    shape: StructureShape;
    beams: BeamsView | null;
    factor: number; // by which displacements are magnified
}

const LABELLED = ["bodies", "sliders", "joints", "springs", "forces"];

// x and y run from -1 to 1; "": nothing is there.
export function nameAt(scene: Pickable, camera: PerspectiveCamera, x: number, y: number): string {
    const { layers } = scene;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), camera);
    const [hit] = ray.intersectObjects(LABELLED.map((name) => layers[name]).filter(({ visible }) => visible), true);
    const mesh = layers.meshes.visible ? ray.intersectObjects(layers.meshes.children, true)[0] : undefined;
    if (mesh && !(hit?.distance < mesh.distance)) {
        const view: MeshView = mesh.object.userData.mesh;
        return view.part.name + moved(scene, () => view.moveNear(mesh.point));
    }
    const beam = layers.beams.visible ? scene.beams?.hit(ray.ray) : null;
    if (beam && !(hit?.distance < beam.distance)) {
        return nameBeam(scene, beam.element, beam.x);
    }
    return hit ? nameObject(scene, hit.object) : "";
}

// Modes have no size.
function moved({ report }: Pickable, distance: () => number): string {
    return report.kind === "modes" ? "" : `, moved ${distance().toPrecision(4)} m`;
}

function nameBeam(scene: Pickable, element: number, x: number): string {
    const { shape, factor, report } = scene;
    const place = shape.pointOn(element, x, new Vector3());
    const distance = place.sub(shape.drawnPoint(element, x, new Vector3())).length() / factor;
    return report.members[shape.elements[element].member].name + moved(scene, () => distance);
}

// The first that has a name among it and what it is part of.
function nameObject({ bodies, poses, report }: Pickable, object: Object3D): string {
    for (let at: Object3D | null = object; at; at = at.parent) {
        const b = bodies.indexOf(at as Group);
        if (b >= 0) {
            const { p } = poses[b];
            return `${report.bodies[b].name}  (${[p.x, p.y, p.z].map((v) => v.toPrecision(4)).join(", ")}) m`;
        }
        if (at.userData.label) {
            return at.userData.label;
        }
    }
    return "";
}
