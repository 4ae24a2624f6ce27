// Keys that work wherever the focus is, except where the focused control needs them itself.
import type { World } from "../scene/world.ts";
import type { Clock } from "./clock.ts";

const TURN = Math.PI / 24;

function usesKey(target: EventTarget | null, key: string): boolean {
    if (!(target instanceof Element)) {
        return false;
    }
    const tag = target.tagName;
    const isSpace = key === " ";
    if (tag === "INPUT") {
        const type = (target as HTMLInputElement).type;
        return type === "checkbox" ? isSpace : type === "range" ? !isSpace && key !== "f" : true;
    }
    return tag === "SELECT" || tag === "TEXTAREA" || (isSpace && /^(BUTTON|SUMMARY|A)$/.test(tag)) || isScrollBox(target, key);
}

const isScrollBox = (target: Element, key: string): boolean => target.getAttribute("role") === "region" && /Arrow|Home|End/.test(key);

function turnKeys(world: World): Record<string, () => void> {
    return {
        ArrowLeft: () => world.viewpoint.turn(-TURN, 0),
        ArrowRight: () => world.viewpoint.turn(TURN, 0),
        ArrowUp: () => world.viewpoint.turn(0, -TURN),
        ArrowDown: () => world.viewpoint.turn(0, TURN),
    };
}

function plainKeys(clock: Clock, world: World | null): Record<string, () => void> {
    return {
        " ": () => clock.toggle(),
        ArrowLeft: () => clock.step(-1),
        ArrowRight: () => clock.step(1),
        Home: () => clock.seek(clock.start),
        End: () => clock.seek(clock.end),
        "+": () => world?.viewpoint.zoom(1 / 1.15),
        "=": () => world?.viewpoint.zoom(1 / 1.15),
        "-": () => world?.viewpoint.zoom(1.15),
        f: () => world?.viewpoint.look(""),
    };
}

export function listenToKeys(clock: Clock, world: World | null): void {
    const plain = plainKeys(clock, world);
    const turning = world ? turnKeys(world) : {};
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || usesKey(event.target, event.key)) {
            return;
        }
        const action = event.shiftKey ? turning[event.key] ?? plain[event.key] : plain[event.key];
        if (action) {
            action();
            event.preventDefault();
        }
    });
}
