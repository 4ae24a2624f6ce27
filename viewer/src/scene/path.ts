// A path of the camera: views that were kept at times, and the way between them while the run plays.
import { Quaternion, Vector3 } from "three";

export interface CameraKey {
    t: number;
    target: Vector3;
    offset: Vector3; // from the target to the camera
}

export class CameraPath {
    keys: CameraKey[] = [];

    // A key at the time of another takes its place.
    add(key: CameraKey): void {
        this.keys = [...this.keys.filter(({ t }) => Math.abs(t - key.t) > 1e-9), key].sort((a, b) => a.t - b.t);
    }

    // Once around what it looks at, from one time to another.
    turnAround(from: number, to: number, target: Vector3, offset: Vector3, up: Vector3): void {
        const n = 8;
        this.keys = Array.from({ length: n + 1 }, (_, i) => ({
            t: from + ((to - from) * i) / n,
            target: target.clone(),
            offset: offset.clone().applyAxisAngle(up, (2 * Math.PI * i) / n),
        }));
    }

    // Targets go straight, directions along great circles, distances by equal factors; both ends of each way are
    // smooth where it has only two keys, and steady in between where it has more. null: there is no path.
    at(t: number): { target: Vector3; offset: Vector3 } | null {
        const { keys } = this;
        if (!keys.length) {
            return null;
        }
        const i = keys.findIndex((key) => key.t > t);
        if (i <= 0) {
            const { target, offset } = keys[i === 0 ? 0 : keys.length - 1];
            return { target: target.clone(), offset: offset.clone() };
        }
        const [a, b] = [keys[i - 1], keys[i]];
        const u = (t - a.t) / (b.t - a.t);
        const x = keys.length === 2 ? u * u * (3 - 2 * u) : u;
        const [from, to] = [a.offset.clone().normalize(), b.offset.clone().normalize()];
        const turn = new Quaternion().slerp(new Quaternion().setFromUnitVectors(from, to), x);
        const distance = Math.exp((1 - x) * Math.log(a.offset.length()) + x * Math.log(b.offset.length()));
        return { target: a.target.clone().lerp(b.target, x), offset: from.applyQuaternion(turn).multiplyScalar(distance) };
    }
}
