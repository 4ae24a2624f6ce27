// A plot over time as a drawing of lines: for files and for paper.
import { svg } from "../page/dom.ts";
import { titleWithUnit } from "../page/format.ts";
import type { ChartSpec, ReferenceCurve } from "./chart.ts";
import { bandColumns, bandOf, decimate } from "./decimate.ts";
import { DOTS, isDense } from "./extras.ts";
import { buildFrame, PAPER, pathOf, type Frame } from "./svgplot.ts";
import type { Zoom } from "./zoom.ts";

export const WHOLE: [number, number] = [900, 380];
export const HALF: [number, number] = [460, 290]; // beside another one on a page
const ENTRY = 165; // width of one in the legend
const PHASES: Record<string, string> = { amplification: "#fbe6e4", attenuation: "#e0f3e7" };

export function drawChart(spec: ChartSpec, zoom: Zoom, [bottom, top]: [number, number], size = WHOLE): SVGSVGElement {
    const { curves, references, title, unit, isLog } = spec;
    const { low, high } = zoom;
    const labels = { x: "t [s]", y: titleWithUnit(title, unit), title };
    const perRow = Math.floor((size[0] - 70) / ENTRY);
    const nEntries = curves.length + Math.min(1, references.length) + (spec.damping && spec.hasEnvelope ? 1 : 0);
    const rows = Math.ceil(nEntries / perRow);
    const frame = buildFrame(size, { low, high }, { low: bottom, high: top, log: isLog }, labels, PAPER, 16 + 20 * rows);
    addPhases(frame, spec, low, high);
    addCurves(frame, spec, low, high, perRow);
    references.forEach((reference, r) => {
        frame.content.append(referencePath(reference, low, high, frame));
        if (r === 0) {
            addLegendEntry(frame.element, [curves.length, perRow], spec.referenceName ?? "reference", PAPER.text, isDense(reference) ? "dots" : "circle");
        }
    });
    addEnvelope(frame, spec);
    if (spec.damping && spec.hasEnvelope) {
        addLegendEntry(frame.element, [nEntries - 1, perRow], "envelope", PAPER.text, "dashes");
    }
    return frame.element;
}

function addCurves(frame: Frame, { x, curves, isLog }: ChartSpec, low: number, high: number, perRow: number): void {
    const columns = frame.width;
    const data = decimate(x, curves.map((c) => c.values), low, high, columns);
    curves.forEach((curve, c) => {
        addLegendEntry(frame.element, [c, perRow], curve.name, curve.color);
        const steps = isLog ? 0 : bandColumns(x, curve.values, low, high, columns);
        if (steps) {
            const band = bandOf(x, curve.values, low, high, steps);
            const around = [...band.map(({ x, high }): [number, number] => [x, high]), ...band.reverse().map(({ x, low }): [number, number] => [x, low])];
            frame.content.append(svg("path", { d: `${pathOf(around, frame.x, frame.y)}z`, fill: curve.color, "fill-opacity": 0.3, stroke: curve.color, "stroke-width": 0.8 }));
            return;
        }
        const points = data.x.map((v, i): [number, number | null] => [v, data.y[c][i]]);
        frame.content.append(curvePath(pathOf(points, frame.x, frame.y), curve.color));
    });
}

function addPhases(frame: Frame, { damping }: ChartSpec, low: number, high: number): void {
    for (const { from, to, kind } of damping?.phases ?? []) {
        const [a, b] = [Math.max(from, low), Math.min(to, high)];
        if (b > a) {
            frame.content.append(svg("rect", { x: frame.x(a), y: frame.top, width: frame.x(b) - frame.x(a), height: frame.height, fill: PHASES[kind] ?? "none", class: `phase-${kind}` }));
        }
    }
}

function addEnvelope(frame: Frame, { damping, hasEnvelope }: ChartSpec): void {
    for (const sign of damping && hasEnvelope ? [1, -1] : []) {
        const points = damping!.envelope.map(({ t, amplitude }): [number, number] => [t, damping!.about + sign * amplitude]);
        const path = curvePath(pathOf(points, frame.x, frame.y), PAPER.text);
        path.setAttribute("stroke-dasharray", "5 4");
        path.setAttribute("stroke-width", "1.1");
        path.setAttribute("class", "envelope");
        frame.content.append(path);
    }
}

// Circles, or a broken line where there are too many.
function referencePath(reference: ReferenceCurve, low: number, high: number, { x, y }: Frame): SVGPathElement {
    const { x: times, y: values } = decimate(reference.x, [reference.values], low, high, 900);
    const points = times.map((v, i): [number, number | null] => [v, values[0][i]]);
    if (isDense(reference)) {
        const path = curvePath(pathOf(points, x, y), PAPER.text);
        path.setAttribute("stroke-dasharray", DOTS.join(" "));
        return path;
    }
    const circle = ([v, w]: [number, number | null]): string =>
        w === null ? "" : `M${(x(v) - 3).toFixed(1)} ${y(w).toFixed(1)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`;
    const path = curvePath(points.map(circle).join(""), PAPER.text);
    path.setAttribute("stroke-width", "1.1");
    return path;
}

function curvePath(d: string, stroke: string): SVGPathElement {
    return svg("path", { d, stroke, fill: "none", "stroke-width": 1.6, "stroke-linejoin": "round" });
}

function addLegendEntry(element: SVGSVGElement, [index, perRow]: [number, number], name: string, stroke: string, mark: "line" | "dots" | "circle" | "dashes" = "line"): void {
    const x = 66 + ENTRY * (index % perRow);
    const y = 16 + 20 * Math.floor(index / perRow);
    const path = curvePath(mark === "circle" ? `M${x + 8} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0` : `M${x} ${y}h22`, stroke);
    if (mark === "dots" || mark === "dashes") {
        path.setAttribute("stroke-dasharray", mark === "dots" ? DOTS.join(" ") : "5 4");
    }
    element.append(path, svg("text", { x: x + 28, y: y + 4, "font-size": 12, "font-family": "system-ui, sans-serif", fill: PAPER.text }, name));
}
