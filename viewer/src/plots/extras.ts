// What a plot shows beside its curves, drawn on the plot's canvas: phases behind, envelope, reference, events, dense curves.
import uPlot from "uplot";
import type { Damping, Numbers } from "../data.ts";
import { color } from "../page/theme.ts";
import type { ReferenceCurve } from "./chart.ts";
import { bandOf, decimate } from "./decimate.ts";
import type { Zoom } from "./zoom.ts";

const MANY_MARKS = 250; // reference samples beyond which they are drawn as a line
const MANY_EVENTS = 200;
export const DOTS = [1.5, 3]; // of that line; the envelope is dashed

// Too many samples for a circle each?
export const isDense = ({ x }: { x: Numbers }): boolean => x.length > MANY_MARKS;

// Draws inside the field alone; the function is told how many pixels of the canvas one of the page has.
export function inField(u: uPlot, draw: (ratio: number) => void): void {
    const { ctx } = u;
    const { left, top, width, height } = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    draw(uPlot.pxRatio);
    ctx.restore();
}

export function drawPhases(u: uPlot, damping: Damping, ratio: number): void {
    const { top, height } = u.bbox;
    for (const { from, to, kind } of damping.phases) {
        const [a, b] = [u.valToPos(from, "x", true), u.valToPos(to, "x", true)];
        if (b - a > 0.2 * ratio) {
            u.ctx.fillStyle = color(kind === "amplification" ? "--fail-back" : "--pass-back");
            u.ctx.fillRect(a, top, b - a, height);
        }
    }
}

export function drawEnvelope(u: uPlot, damping: Damping, ratio: number): void {
    const { ctx } = u;
    ctx.strokeStyle = color("--text");
    ctx.lineWidth = 1.2 * ratio;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    for (const sign of [1, -1]) {
        ctx.beginPath();
        damping.envelope.forEach(({ t, amplitude }) => ctx.lineTo(u.valToPos(t, "x", true), u.valToPos(damping.about + sign * amplitude, "y", true)));
        ctx.stroke();
    }
    ctx.setLineDash([]);
}

export function drawMarks(u: uPlot, marks: { t: number }[], ratio: number): void {
    const { ctx } = u;
    const { top, height } = u.bbox;
    ctx.lineWidth = ratio;
    ctx.strokeStyle = color("--faint");
    ctx.setLineDash([3 * ratio, 4 * ratio]);
    for (const mark of marks.slice(0, MANY_EVENTS)) {
        const x = u.valToPos(mark.t, "x", true);
        ctx.beginPath();
        ctx.moveTo(x, top);
        ctx.lineTo(x, top + height);
        ctx.stroke();
    }
    ctx.setLineDash([]);
}

export function drawReference(u: uPlot, reference: ReferenceCurve, zoom: Zoom, columns: number, ratio: number): void {
    const data = decimate(reference.x, [reference.values], zoom.low, zoom.high, columns);
    const { ctx } = u;
    ctx.strokeStyle = color("--text");
    ctx.lineWidth = 1.2 * ratio;
    const spots = data.x.map((x, i) => [u.valToPos(x, "x", true), u.valToPos(data.y[0][i] ?? NaN, "y", true)]);
    ctx.beginPath();
    if (!isDense(reference)) {
        for (const [x, y] of spots) {
            ctx.moveTo(x + 2.6 * ratio, y);
            ctx.arc(x, y, 2.6 * ratio, 0, 2 * Math.PI);
        }
    } else {
        ctx.lineWidth = 1.6 * ratio;
        ctx.setLineDash(DOTS.map((length) => length * ratio));
        spots.forEach(([x, y]) => ctx.lineTo(x, y));
    }
    ctx.stroke();
    ctx.setLineDash([]);
}

// The range that a curve with more swings than there are columns fills.
export function drawBand(u: uPlot, curve: { x: Numbers; values: Numbers; color: string }, columns: number, ratio: number): void {
    const { min, max } = u.scales.x;
    const band = bandOf(curve.x, curve.values, min ?? 0, max ?? 1, columns);
    const { ctx } = u;
    const edge = (side: "low" | "high", points: typeof band): void =>
        points.forEach((p) => ctx.lineTo(u.valToPos(p.x, "x", true), u.valToPos(p[side], "y", true)));
    ctx.fillStyle = ctx.strokeStyle = curve.color;
    ctx.lineWidth = ratio;
    ctx.beginPath();
    edge("high", band);
    edge("low", [...band].reverse());
    ctx.closePath();
    ctx.globalAlpha = 0.3;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.stroke();
}
