// A plot as an SVG drawing: for phase plots, the eigenvalue plane and downloads.
import { el, svg } from "../page/dom.ts";
import { show } from "../page/format.ts";

export interface Scale {
    low: number;
    high: number;
    bend?: number; // symmetric logarithm, linear below this size; else linear
    log?: boolean;
}

export interface Look {
    text: string;
    faint: string;
    grid: string;
    background: string;
}

export const PAPER: Look = { text: "#1b1f24", faint: "#4f5965", grid: "#dfe3e8", background: "#ffffff" };

export interface Frame {
    element: SVGSVGElement;
    content: SVGGElement; // clipped to the field
    width: number;
    height: number;
    left: number;
    top: number;
    x(v: number): number;
    y(v: number): number;
    invertX(px: number): number;
    invertY(px: number): number;
}

function bendOf(scale: Scale): { to: (v: number) => number; from: (v: number) => number } {
    if (scale.log) {
        return { to: (v) => Math.log10(v), from: (v) => Math.pow(10, v) };
    }
    const c = scale.bend;
    if (!c) {
        return { to: (v) => v, from: (v) => v };
    }
    return {
        to: (v) => Math.sign(v) * Math.log10(1 + Math.abs(v) / c),
        from: (v) => Math.sign(v) * c * (Math.pow(10, Math.abs(v)) - 1),
    };
}

export function niceTicks(low: number, high: number, most: number): number[] {
    const raw = (high - low) / Math.max(1, most);
    if (!(raw > 0)) {
        return [low];
    }
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((lead) => lead * power).find((s) => s >= raw * 0.999)!;
    const out: number[] = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
        out.push(Number((k * step).toPrecision(15)));
    }
    return out;
}

function bentTicks({ low, high, bend }: Scale): number[] {
    const out = [0];
    const start = Math.ceil(Math.log10(bend!));
    const end = Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high))));
    const stride = Math.max(1, Math.ceil((end - start + 1) / 4));
    for (let k = start; k <= end; k += stride) {
        out.push(Math.pow(10, k), -Math.pow(10, k));
    }
    return out.filter((v) => v >= low && v <= high);
}

function logTicks({ low, high }: Scale): number[] {
    const [start, end] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    const stride = Math.max(1, Math.ceil((end - start + 1) / 8));
    const out: number[] = [];
    for (let k = start; k <= end; k += stride) {
        out.push(Math.pow(10, k));
    }
    return out;
}

// Drops ticks whose labels would touch those of ticks further out.
function spaced(ticks: number[], at: (v: number) => number, least: number): number[] {
    const kept: number[] = [];
    for (const v of [...ticks].sort((a, b) => (a === 0 ? -1 : b === 0 ? 1 : Math.abs(b) - Math.abs(a)))) {
        if (kept.every((other) => Math.abs(at(other) - at(v)) >= least)) {
            kept.push(v);
        }
    }
    return kept;
}

function ticksOf(scale: Scale, most: number): number[] {
    return scale.log ? logTicks(scale) : scale.bend ? bentTicks(scale) : niceTicks(scale.low, scale.high, most);
}

// Short labels that differ: decimals as the distance of the ticks asks for, a common power of ten for very large and
// very small values, and the distance from a round value where all would begin with the same digits. The note tells both.
export function nameTicks(ticks: (number | null)[], isLog = false): { names: string[]; note: string } {
    const known = ticks.filter((v): v is number => v !== null).sort((a, b) => a - b);
    if (isLog || known.length < 2) {
        return { names: ticks.map((v) => (v === null ? "" : show(v, 5))), note: "" };
    }
    const step = Math.min(...known.slice(1).map((v, i) => v - known[i]));
    const largest = Math.max(...known.map(Math.abs));
    const span = known[known.length - 1] - known[0];
    const isNarrow = largest > 2e4 * step && largest > 200 * span;
    const round = Math.pow(10, Math.ceil(Math.log10(span) - 1e-9));
    const base = isNarrow ? Number((Math.round(known[known.length >> 1] / round) * round).toPrecision(15)) : 0;
    const size = Math.max(...known.map((v) => Math.abs(v - base)));
    const power = size >= 1e5 || size < 1e-3 ? 3 * Math.floor(Math.log10(size) / 3 + 1e-9) : 0;
    const unit = Math.pow(10, power);
    const decimals = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step / unit) - 1e-6 + (isWholeStep(step) ? 0 : 1))));
    const name = (v: number): string => tidy(((v - base) / unit).toFixed(decimals));
    const notes = [power ? `× 10${raised(power)}` : "", isNarrow ? `difference from ${show(base, 15)}` : ""];
    return { names: ticks.map((v) => (v === null ? "" : name(v))), note: notes.filter(Boolean).join(", ") };
}

// 1, 2 or 5 times a power of ten, which its own decimal can show.
function isWholeStep(step: number): boolean {
    const lead = step / Math.pow(10, Math.floor(Math.log10(step) + 1e-6));
    return Math.abs(lead - Math.round(lead)) < 1e-3;
}

const tidy = (text: string): string => text.replace(/^-(0(\.0*)?)$/, "$1").replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "").replace("-", "−");

const raised = (n: number): string => String(n).replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]));

let clipCount = 0;

// Axes, grid and labels; curves are added to `content`.
export function buildFrame(
    size: [number, number],
    xScale: Scale,
    yScale: Scale,
    labels: { x: string; y: string; title?: string },
    look: Look,
    top = 14,
): Frame {
    const [width, height] = size;
    const yTicks = ticksOf(yScale, height / 55);
    const longest = Math.max(0, ...nameTicks(yTicks, yScale.log).names.map((name) => name.length));
    const left = Math.max(66, 34 + 7.2 * longest);
    const right = 16;
    const bottom = 46;
    const field = { w: width - left - right, h: height - top - bottom };
    const bx = bendOf(xScale);
    const by = bendOf(yScale);
    const [x0, x1, y0, y1] = [bx.to(xScale.low), bx.to(xScale.high), by.to(yScale.low), by.to(yScale.high)];
    const x = (v: number): number => left + ((bx.to(v) - x0) / (x1 - x0)) * field.w;
    const y = (v: number): number => top + field.h - ((by.to(v) - y0) / (y1 - y0)) * field.h;
    const clip = `field-${clipCount++}`;
    const content = svg("g", { "clip-path": `url(#${clip})` });
    const text = { fill: look.faint, "font-size": 12, "font-family": "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif" };
    const lines = svg("g", { stroke: look.grid, "stroke-width": 1 });
    const words = svg("g", text);
    const ticks = [spaced(ticksOf(xScale, width / 110), x, 46), spaced(yTicks, y, 18)];
    const names = [nameTicks(ticks[0], xScale.log), nameTicks(ticks[1], yScale.log)];
    const labelOf = (label: string, note: string): string => (note ? `${label}, ${note}` : label);
    ticks[0].forEach((v, i) => {
        lines.append(svg("line", { x1: x(v), x2: x(v), y1: top, y2: top + field.h }));
        words.append(svg("text", { x: x(v), y: top + field.h + 17, "text-anchor": "middle" }, names[0].names[i]));
    });
    ticks[1].forEach((v, i) => {
        lines.append(svg("line", { x1: left, x2: left + field.w, y1: y(v), y2: y(v) }));
        words.append(svg("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, names[1].names[i]));
    });
    words.append(svg("text", { x: left + field.w / 2, y: height - 9, "text-anchor": "middle", fill: look.text }, labelOf(labels.x, names[0].note)));
    const middle = top + field.h / 2;
    words.append(svg("text", { x: 14, y: middle, "text-anchor": "middle", fill: look.text, transform: `rotate(-90 14 ${middle})` }, labelOf(labels.y, names[1].note)));
    const element = svg(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, width, height, xmlns: "http://www.w3.org/2000/svg" },
        labels.title && svg("title", {}, labels.title),
        svg("rect", { width, height, fill: look.background }),
        svg("clipPath", { id: clip }, svg("rect", { x: left, y: top, width: field.w, height: field.h })),
        lines,
        words,
        svg("rect", { x: left, y: top, width: field.w, height: field.h, fill: "none", stroke: look.grid }),
        content,
    );
    return {
        element,
        content,
        width: field.w,
        height: field.h,
        left,
        top,
        x,
        y,
        invertX: (px) => bx.from(x0 + ((px - left) / field.w) * (x1 - x0)),
        invertY: (px) => by.from(y0 + ((top + field.h - px) / field.h) * (y1 - y0)),
    };
}

// M and L commands; not-finite points break the line.
export function pathOf(points: Iterable<[number, number | null]>, x: (v: number) => number, y: (v: number) => number): string {
    let out = "";
    let isDown = false;
    for (const [px, py] of points) {
        const [sx, sy] = [x(px), py === null ? NaN : y(py)];
        if (!Number.isFinite(sx) || !Number.isFinite(sy)) {
            isDown = false;
            continue;
        }
        out += `${isDown ? "L" : "M"}${sx.toFixed(1)} ${sy.toFixed(1)}`;
        isDown = true;
    }
    return out;
}

export function svgText(element: SVGSVGElement): string {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(element)}\n`;
}

// The drawing as pixels, twice as fine as its size.
export async function svgToPng(element: SVGSVGElement): Promise<Blob | null> {
    const url = URL.createObjectURL(new Blob([svgText(element)], { type: "image/svg+xml" }));
    try {
        const image = new Image();
        await new Promise((resolve, reject) => {
            image.onload = resolve;
            image.onerror = reject;
            image.src = url;
        });
        const width = Number(element.getAttribute("width"));
        const height = Number(element.getAttribute("height"));
        const canvas = el("canvas", { width: 2 * width, height: 2 * height });
        canvas.getContext("2d")!.drawImage(image, 0, 0, 2 * width, 2 * height);
        return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    } finally {
        URL.revokeObjectURL(url);
    }
}
