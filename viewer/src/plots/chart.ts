// One plot over time: curves thinned for the screen, reference marks, the cursor that is the page's clock.
import uPlot from "uplot";
import type { Numbers } from "../data.ts";
import type { Clock } from "../page/clock.ts";
import { button, el, menu, save } from "../page/dom.ts";
import { fileName, show, withUnit } from "../page/format.ts";
import { color, onTheme } from "../page/theme.ts";
import { decimate, padRange, rangeOf, valueAt } from "./decimate.ts";
import { buildFrame, nameTicks, pathOf, PAPER, svgText, svgToPng } from "./svgplot.ts";

export interface Curve {
    name: string;
    color: string;
    values: Numbers;
}

export interface ReferenceCurve {
    name: string;
    color: string;
    x: Numbers;
    values: Numbers;
}

export interface ChartSpec {
    title: string;
    unit: string;
    x: Numbers;
    curves: Curve[];
    references: ReferenceCurve[];
    marks: { name: string; t: number }[];
    isLog?: boolean;
}

// The visible part of the time axis, the same in all plots.
export class Zoom {
    private listeners: (() => void)[] = [];
    low: number;
    high: number;

    constructor(
        readonly start: number,
        readonly end: number,
    ) {
        this.low = start;
        this.high = end;
    }

    on(listener: () => void): void {
        this.listeners.push(listener);
    }

    set(low: number, high: number): void {
        const least = 1e-9 * (this.end - this.start);
        this.low = Math.max(this.start, low);
        this.high = Math.min(this.end, high);
        if (!(this.high - this.low > least)) {
            [this.low, this.high] = [this.start, this.end];
        }
        this.listeners.forEach((listener) => listener());
    }

    scale(factor: number, about: number): void {
        const middle = about >= this.low && about <= this.high ? about : (this.low + this.high) / 2;
        this.set(middle - (middle - this.low) * factor, middle + (this.high - middle) * factor);
    }

    off(listener: () => void): void {
        this.listeners = this.listeners.filter((other) => other !== listener);
    }
}

const HEIGHT = 210;
const MANY_MARKS = 250; // reference samples beyond which they are drawn as a line

export class Chart {
    readonly element: HTMLElement;
    private plot: uPlot | null = null;
    private field = el("div", { class: "chart-field" });
    private marker = el("div", { class: "time-marker" }, el("i", {}));
    private note = el("span", { class: "axis-note" });
    private values: HTMLElement[] = [];
    private yRange: [number, number] = [0, 1];
    private columns = 600;
    private observer: ResizeObserver;
    private forgetTheme: () => void;
    private refresh = (): void => this.fill();

    constructor(
        readonly spec: ChartSpec,
        private clock: Clock,
        private zoom: Zoom,
        private fileStem: string,
    ) {
        this.element = el(
            "figure",
            { class: "chart", "aria-label": this.describe() },
            el("figcaption", {}, el("h3", {}, withUnit(spec.title, spec.unit)), this.note, this.buildSave()),
            this.buildLegend(),
            this.field,
        );
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(this.field);
        zoom.on(this.refresh);
        this.forgetTheme = onTheme(() => this.rebuild());
    }

    private describe(): string {
        const parts = this.spec.curves.map(({ name, values }) => {
            const [low, high] = rangeOf(values);
            return `${name} from ${show(low)} to ${show(high)} ${this.spec.unit}, last ${show(values[values.length - 1])}`;
        });
        return `Plot of ${parts.slice(0, 8).join("; ")}`;
    }

    private buildLegend(): HTMLElement {
        const list = el("ul", { class: "legend" });
        for (const curve of this.spec.curves) {
            const value = el("span", { class: "legend-value" });
            const line = el("i", { class: "legend-line" });
            line.style.background = curve.color;
            const [low, high] = rangeOf(curve.values);
            const range = `smallest ${show(low, 7)}, largest ${show(high, 7)}`;
            list.append(el("li", { title: range }, line, el("span", { class: "legend-name" }, curve.name), value));
            this.values.push(value);
        }
        if (this.spec.references.length) {
            list.append(el("li", { class: "legend-reference" }, el("i", { class: "legend-dot" }), "reference"));
        }
        return list;
    }

    private buildSave(): HTMLElement {
        const stem = `${this.fileStem}-${fileName(this.spec.title)}`;
        const panel = menu(
            "Save",
            button("download", "PNG", () => void this.savePng(stem), true),
            button("download", "SVG", () => save(new Blob([svgText(this.draw())], { type: "image/svg+xml" }), `${stem}.svg`), true),
        );
        panel.classList.add("right");
        panel.querySelector("summary")!.setAttribute("aria-label", `Save the plot ${this.spec.title}`);
        return panel;
    }

    private async savePng(stem: string): Promise<void> {
        const blob = await svgToPng(this.draw());
        if (blob) {
            save(blob, `${stem}.png`);
        }
    }

    // Curves of the visible range and the range of their values.
    private calcData(): uPlot.AlignedData {
        const { x, curves, references, isLog } = this.spec;
        const { low, high } = this.zoom;
        const data = decimate(x, curves.map((c) => c.values), low, high, this.columns);
        const ranges = data.y.map(rangeOf);
        for (const reference of references) {
            ranges.push(rangeOf(decimate(reference.x, [reference.values], low, high, this.columns).y[0]));
        }
        const range: [number, number] = [Math.min(...ranges.map((r) => r[0])), Math.max(...ranges.map((r) => r[1]))];
        this.yRange = isLog ? logRange(data.y) : padRange(range);
        if (isLog) {
            data.y = data.y.map((values) => values.map((v) => (v && v > 0 ? v : null)));
        }
        return [data.x, ...data.y] as uPlot.AlignedData;
    }

    private options(width: number): uPlot.Options {
        const text = color("--faint");
        const grid = { stroke: color("--line"), width: 1 };
        const font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
        const axis = { stroke: text, grid, ticks: { ...grid, size: 5 }, font };
        const decades = (_: uPlot, splits: number[]): (number | null)[] => splits.map((v) => (isPowerOfTen(v) ? v : null));
        const thin = this.spec.isLog ? { grid: { ...grid, filter: decades }, ticks: { ...grid, size: 5, filter: decades }, filter: decades } : {};
        return {
            width,
            height: HEIGHT,
            legend: { show: false },
            cursor: {
                drag: { x: true, y: false, setScale: false },
                // The others show the crosshair too, but only the dragged plot zooms.
                sync: { key: "flyball", scales: ["x", null], filters: { pub: (type) => !/mouse(down|up)/.test(type) } },
                points: { size: 6 },
                y: false,
            },
            scales: {
                x: { time: false, range: () => [this.zoom.low, this.zoom.high] },
                y: { range: () => this.yRange, distr: this.spec.isLog ? 3 : 1 },
            },
            axes: [
                { ...axis, size: 28, values: (_, ticks) => ticks.map((v) => show(v, 8)) },
                { ...axis, ...thin, size: 70, values: (_, ticks) => this.nameTicks(ticks) },
            ],
            series: [{}, ...this.spec.curves.map((c) => ({ stroke: c.color, width: 1.6, pxAlign: 0, points: { show: false } }))],
            hooks: {
                // The plot commits its scales after the call; only then does the marker know its place.
                draw: [(u) => this.drawExtras(u), () => this.update(this.clock.t)],
                setCursor: [() => this.showValues()],
                setSelect: [(u) => this.select(u)],
            },
            padding: [8, 12, 0, 0],
        };
    }

    private nameTicks(ticks: (number | null)[]): string[] {
        const { names, note } = nameTicks(ticks, this.spec.isLog);
        this.note.textContent = note && `axis: ${note}`;
        return names;
    }

    private rebuild(): void {
        if (this.field.clientWidth < 50) {
            return;
        }
        this.plot?.destroy();
        this.columns = Math.max(100, this.field.clientWidth - 80);
        this.plot = new uPlot(this.options(this.field.clientWidth), this.calcData(), this.field);
        this.plot.over.append(this.marker);
        this.addPointer(this.plot.over);
        this.field.querySelector("canvas")?.setAttribute("aria-hidden", "true");
        this.update(this.clock.t);
    }

    private resize(): void {
        if (!this.plot) {
            this.rebuild();
        } else if (Math.abs(this.plot.width - this.field.clientWidth) > 1 && this.field.clientWidth > 50) {
            this.columns = Math.max(100, this.field.clientWidth - 80);
            this.plot.setSize({ width: this.field.clientWidth, height: HEIGHT });
            this.fill();
        }
    }

    private fill(): void {
        this.plot?.setData(this.calcData());
    }

    private select(u: uPlot): void {
        if (u.select.width > 4) {
            this.zoom.set(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
        }
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    }

    // A press sets the time, a drag of the marker (or a finger anywhere) scrubs, a double press shows everything.
    private addPointer(over: HTMLElement): void {
        const seek = (event: PointerEvent): void => {
            this.clock.setPlaying(false);
            this.clock.seek(this.plot!.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
        };
        let down = NaN;
        over.addEventListener("pointerdown", (event) => (down = event.clientX));
        over.addEventListener("pointerup", (event) => Math.abs(event.clientX - down) < 4 && seek(event));
        over.addEventListener("pointermove", (event) => event.pointerType === "touch" && seek(event));
        over.addEventListener("dblclick", () => this.zoom.set(this.zoom.start, this.zoom.end));
        this.marker.onmousedown = (event) => event.stopPropagation();
        this.marker.onpointerdown = (event) => {
            event.stopPropagation();
            this.marker.setPointerCapture(event.pointerId);
        };
        this.marker.onpointermove = (event) => {
            if (this.marker.hasPointerCapture(event.pointerId)) {
                seek(event);
            }
        };
    }

    private drawExtras(u: uPlot): void {
        const { ctx } = u;
        const { left, top, width, height } = u.bbox;
        const ratio = uPlot.pxRatio;
        ctx.save();
        ctx.beginPath();
        ctx.rect(left, top, width, height);
        ctx.clip();
        ctx.lineWidth = ratio;
        ctx.strokeStyle = color("--faint");
        ctx.setLineDash([3 * ratio, 4 * ratio]);
        for (const mark of this.spec.marks.slice(0, 200)) {
            const x = u.valToPos(mark.t, "x", true);
            ctx.beginPath();
            ctx.moveTo(x, top);
            ctx.lineTo(x, top + height);
            ctx.stroke();
        }
        ctx.setLineDash([]);
        this.spec.references.forEach((reference) => this.drawReference(u, reference, ratio));
        ctx.restore();
    }

    private drawReference(u: uPlot, reference: ReferenceCurve, ratio: number): void {
        const data = decimate(reference.x, [reference.values], this.zoom.low, this.zoom.high, this.columns);
        const { ctx } = u;
        ctx.strokeStyle = color("--text");
        ctx.lineWidth = 1.2 * ratio;
        const spots = data.x.map((x, i) => [u.valToPos(x, "x", true), u.valToPos(data.y[0][i] ?? NaN, "y", true)]);
        ctx.beginPath();
        if (spots.length <= MANY_MARKS) {
            for (const [x, y] of spots) {
                ctx.moveTo(x + 2.6 * ratio, y);
                ctx.arc(x, y, 2.6 * ratio, 0, 2 * Math.PI);
            }
        } else {
            ctx.setLineDash([5 * ratio, 4 * ratio]);
            spots.forEach(([x, y]) => ctx.lineTo(x, y));
        }
        ctx.stroke();
        ctx.setLineDash([]);
    }

    // The values under the pointer, else those of the present time.
    private showValues(): void {
        const at = this.plot?.cursor.left ?? -1;
        const t = at >= 0 ? this.plot!.posToVal(at, "x") : this.clock.t;
        this.spec.curves.forEach((curve, c) => {
            this.values[c].textContent = show(valueAt(this.spec.x, curve.values, t), 5);
        });
    }

    update(t: number): void {
        if (!this.plot) {
            return;
        }
        const x = this.plot.valToPos(t, "x");
        const inside = t >= this.zoom.low && t <= this.zoom.high;
        this.marker.style.transform = `translateX(${x.toFixed(2)}px)`;
        this.marker.hidden = !inside;
        this.showValues();
    }

    destroy(): void {
        this.forgetTheme();
        this.zoom.off(this.refresh);
        this.observer.disconnect();
        this.plot?.destroy();
        this.plot = null;
        this.element.remove();
    }

    // The visible range as a drawing for paper.
    private draw(): SVGSVGElement {
        const { x, curves, references, title, unit, isLog } = this.spec;
        const { low, high } = this.zoom;
        const labels = { x: "t [s]", y: withUnit(title, unit), title };
        const rows = Math.ceil((curves.length + Math.min(1, references.length)) / 5);
        this.calcData();
        const frame = buildFrame([900, 420], { low, high }, { low: this.yRange[0], high: this.yRange[1], log: isLog }, labels, PAPER, 16 + 20 * rows);
        const data = decimate(x, curves.map((c) => c.values), low, high, 900);
        curves.forEach((curve, c) => {
            const points = data.x.map((v, i): [number, number | null] => [v, data.y[c][i]]);
            frame.content.append(curvePath(pathOf(points, frame.x, frame.y), curve.color));
            addLegendEntry(frame.element, c, curve.name, curve.color);
        });
        references.forEach((reference, r) => {
            frame.content.append(referencePath(reference, low, high, frame.x, frame.y));
            if (r === 0) {
                addLegendEntry(frame.element, curves.length, "reference", PAPER.text, true);
            }
        });
        return frame.element;
    }
}

function logRange(curves: (number | null)[][]): [number, number] {
    const sizes = curves.flat().filter((v): v is number => v !== null && v > 0);
    const [low, high] = rangeOf(sizes);
    if (!(low <= high)) {
        return [1e-16, 1];
    }
    const floor = Math.max(low, high * 1e-8);
    return [Math.pow(10, Math.floor(Math.log10(floor))), Math.pow(10, Math.ceil(Math.log10(high) + 1e-9))];
}

// Circles, or a broken line where there are too many.
function referencePath(reference: ReferenceCurve, low: number, high: number, x: (v: number) => number, y: (v: number) => number): SVGPathElement {
    const { x: times, y: values } = decimate(reference.x, [reference.values], low, high, 900);
    const points = times.map((v, i): [number, number | null] => [v, values[0][i]]);
    if (points.length > MANY_MARKS) {
        const path = curvePath(pathOf(points, x, y), PAPER.text);
        path.setAttribute("stroke-dasharray", "5 4");
        return path;
    }
    const circle = ([v, w]: [number, number | null]): string =>
        w === null ? "" : `M${(x(v) - 3).toFixed(1)} ${y(w).toFixed(1)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`;
    const path = curvePath(points.map(circle).join(""), PAPER.text);
    path.setAttribute("stroke-width", "1.1");
    return path;
}

function isPowerOfTen(v: number): boolean {
    const power = Math.log10(v);
    return Math.abs(power - Math.round(power)) < 1e-6;
}

function curvePath(d: string, stroke: string): SVGPathElement {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    for (const [key, value] of Object.entries({ d, stroke, fill: "none", "stroke-width": "1.6", "stroke-linejoin": "round" })) {
        path.setAttribute(key, value);
    }
    return path;
}

function addLegendEntry(element: SVGSVGElement, index: number, name: string, stroke: string, isCircle = false): void {
    const x = 66 + 165 * (index % 5);
    const y = 16 + 20 * Math.floor(index / 5);
    element.append(curvePath(isCircle ? `M${x + 8} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0` : `M${x} ${y}h22`, stroke));
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.setAttribute("x", String(x + 28));
    text.setAttribute("y", String(y + 4));
    text.setAttribute("font-size", "12");
    text.setAttribute("font-family", "system-ui, sans-serif");
    text.setAttribute("fill", PAPER.text);
    text.textContent = name;
    element.append(text);
}
