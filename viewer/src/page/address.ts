// What the address of a report asks for, after its #: "view=front&t=2.5" opens it so; "still" shows the picture alone, in the whole window, for programs that take pictures.
import type { World } from "../scene/world.ts";
import type { Clock } from "./clock.ts";

const VIEWS = ["start", "front", "side", "top", "corner"];

export interface Asked {
    isStill: boolean;
    view: string; // "": as it is
    t: number; // NaN: from the start, playing
}

export function readAddress(hash: string): Asked {
    const words = new URLSearchParams(hash.replace(/^#/, ""));
    const view = words.get("view") ?? "";
    const t = words.get("t");
    return { isStill: words.has("still"), view: VIEWS.includes(view) ? view : "", t: t === null || t === "" ? NaN : Number(t) };
}

// True where a time was asked for, so that the clock stays there.
export function obeyAddress(asked: Asked, clock: Clock, world: World | null): boolean {
    if (asked.isStill && world) {
        document.documentElement.dataset.still = "";
    }
    if (asked.view) {
        world?.viewpoint.look(asked.view);
    }
    if (Number.isFinite(asked.t)) {
        clock.seek(asked.t);
    }
    return asked.isStill || Number.isFinite(asked.t);
}
