// Where the picture stands: graph paper behind a plane mechanism or below a spatial one, and the floor before the paper.
import { Box3, Vector3 } from "three";
import { findDirection } from "./camera.ts";
import type { Extent } from "./extent.ts";
import { Floor } from "./floor.ts";
import { Grid } from "./grid.ts";

const UPRIGHT = 0.9; // cosine between the normal of a plane and the vertical, below which the plane stands

const stands = (normal: Vector3 | null, up: Vector3): normal is Vector3 => normal !== null && Math.abs(normal.dot(up)) < UPRIGHT;

function corners(box: Box3): Vector3[] {
    if (box.isEmpty()) {
        return [new Vector3()];
    }
    const { min, max } = box;
    return Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}

const least = (box: Box3, direction: Vector3): number => Math.min(...corners(box).map((corner) => corner.dot(direction)));

// Behind a plane mechanism, else below everything; `drawn` is the box of all that is drawn, supports included. depth: along the normal of the paper.
export function buildGrid(extent: Extent, up: Vector3, isFollowed: boolean, drawn: Box3): { grid: Grid; normal: Vector3; depth: number } {
    const box = isFollowed ? extent.start : extent.whole;
    const middle = box.isEmpty() ? new Vector3() : box.getCenter(new Vector3());
    const reach = 2.2 * Math.max(extent.size, isFollowed ? 0 : box.getSize(new Vector3()).length());
    const normal = extent.planeNormal;
    const isUpright = stands(normal, up);
    const across = isUpright ? normal.clone().multiplyScalar(Math.sign(findDirection("start", up, normal).dot(normal))) : up;
    const depth = isUpright || isFollowed ? least(box, across) - 2.5 * extent.thickness : least(box.clone().union(drawn), across);
    middle.addScaledVector(across, depth - middle.dot(across));
    return { grid: new Grid(middle, across, reach, reach / 2.2), normal: across, depth };
}

// What stands upright before graph paper stands on a floor: gravity says where it is, below all that is supported.
export function buildFloor(extent: Extent, up: Vector3, hasGravity: boolean, isFollowed: boolean, drawn: Box3, paperDepth: number): Floor | null {
    const normal = extent.planeNormal;
    if (!stands(normal, up) || isFollowed || !hasGravity) {
        return null;
    }
    const box = extent.whole.clone().union(drawn);
    const across = normal.clone().multiplyScalar(Math.sign(findDirection("start", up, normal).dot(normal)));
    const at = box.getCenter(new Vector3());
    at.addScaledVector(up, least(box, up) - at.dot(up));
    at.addScaledVector(across, paperDepth - at.dot(across));
    const size = Math.max(extent.size, box.getSize(new Vector3()).length());
    return new Floor(at, up, across, 2.2 * size, 0.8 * size);
}

// What holds joints of the ground: a stub to the paper behind them, or a post to the floor below where nothing passes.
export function buildStand(at: Vector3, normal: Vector3, depth: number, extent: Extent): [Vector3, Vector3] | null {
    const height = at.dot(normal) - depth;
    const isWall = extent.planeNormal !== null && Math.abs(extent.planeNormal.dot(normal)) > UPRIGHT;
    if (!(height > 1.5 * extent.thickness) || (!isWall && passesBelow(at, normal, extent))) {
        return null;
    }
    return [at, at.clone().addScaledVector(normal, -height)];
}

function passesBelow(at: Vector3, up: Vector3, extent: Extent): boolean {
    const apart = new Vector3();
    return extent.path.some((point) => {
        apart.copy(point).sub(at);
        const above = apart.dot(up);
        return above < -4 * extent.thickness && apart.addScaledVector(up, -above).length() < 0.12 * extent.size;
    });
}
