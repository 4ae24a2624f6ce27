// The legend of coloured meshes and beams: what the colours are, from where to where, and what was left out of the picture.
import type { MeshPart, Report } from "../data.ts";
import { choice, el } from "../page/dom.ts";
import { show } from "../page/format.ts";
import { GRADIENT } from "./mesh.ts";
import type { World } from "./world.ts";

const PREFIXES: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

// A unit in which the largest value is between 1 and 1000.
function scaled(high: number, unit: string): { factor: number; unit: string } {
    const [factor, prefix] = PREFIXES.find(([size]) => high >= size) ?? [1, ""];
    return unit ? { factor, unit: prefix + unit } : { factor: 1, unit: "" };
}

function noteOf(part: MeshPart): string[] {
    const n = part.points.length / 3;
    const out = n < part.surface_points ? [`${part.name}: decimated, ${n} of ${part.surface_points} surface nodes`] : [];
    return part.error > 0.005 ? [...out, `${part.name}: motion within ${show(100 * part.error, 2)} %`] : out;
}

export function buildLegend(report: Report, world: World): { element: HTMLElement; control: HTMLElement } {
    const name = el("p", { class: "mesh-legend-name" });
    const bar = el("div", { class: "mesh-legend-bar" });
    bar.style.background = GRADIENT;
    const ticks = el("div", { class: "mesh-legend-ticks" });
    const notes = report.meshes.flatMap(noteOf).map((note) => el("p", { class: "mesh-legend-note" }, note));
    const element = el("div", { class: "mesh-legend" }, name, bar, ticks, ...notes);
    const say = (key: string): void => {
        const coloring = world.colors.choices.find((one) => one.key === key)!;
        const isModes = report.kind === "modes";
        const { low, high } = isModes ? { low: 0, high: 1 } : world.colors.range(key);
        const { factor, unit } = scaled(Math.max(high, -low), isModes ? "" : coloring.unit);
        [name, bar, ticks].forEach((part) => (part.hidden = key === "none"));
        element.hidden = key === "none" && !notes.length;
        name.textContent = `${coloring.name}${unit ? ` [${unit}]` : isModes ? ", relative" : ""}`;
        ticks.replaceChildren(...[low, (low + high) / 2, high].map((x) => el("span", {}, show(x / factor, 3))));
    };
    const change = (key: string): void => {
        world.setColoring(key);
        say(key);
    };
    const first = world.colors.choices[0].key;
    say(first);
    const options = world.colors.choices.map(({ key, name: text }): [string, string] => [key, text]);
    return { element, control: choice("Colour", options, first, change) };
}
