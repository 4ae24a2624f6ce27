// One plot over time: curves thinned for the screen, reference marks, the cursor that is the page's clock.
import uPlot from "uplot";
import type { Damping, Numbers } from "../data.ts";
import type { Clock } from "../page/clock.ts";
import { button, el, menu, save } from "../page/dom.ts";
import { fileName, show, titleWithUnit } from "../page/format.ts";
import { color, onTheme } from "../page/theme.ts";
import { bandColumns, decimate, padRange, rangeOf, valueAt } from "./decimate.ts";
import { drawBand, drawEnvelope, drawMarks, drawPhases, drawReference, inField, isDense } from "./extras.ts";
import { onPaper } from "../page/paper.ts";
import { drawChart, HALF, WHOLE } from "./paper.ts";
import { nameTicks, niceTicks, svgText, svgToPng } from "./svgplot.ts";
import type { Zoom } from "./zoom.ts";

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
    referenceName?: string; // "reference" where there is none
    marks: { name: string; t: number }[];
    isLog?: boolean;
    isMain?: boolean; // drawn larger
    isOnly?: boolean; // and larger still, where it stands beside the picture
    damping?: Damping; // whose phases are shaded
    hasEnvelope?: boolean;
}

const HEIGHT = 222;
const MAIN_HEIGHT = 300;
const ONLY_HEIGHT = 460;
const WIDE = "(min-width: 901px)"; // as in style.css: plots stand beside the picture
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

export class Chart {
    readonly element: HTMLElement;
    private plot: uPlot | null = null;
    private field = el("div", { class: "chart-field" });
    private marker = el("div", { class: "time-marker" }, el("i", {}));
    private note = el("span", { class: "axis-note" });
    private values: HTMLElement[] = [];
    private yRange: [number, number] = [0, 1];
    private columns = 600;
    private bands: number[] = []; // of curves that swing too often for a line, the columns of the range they fill; 0: a line
    private paper: SVGSVGElement | null = null;
    private forgetPaper: () => void;
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
            { class: spec.isMain ? "chart main" : "chart", "aria-label": this.describe() },
            el("figcaption", {}, el("h3", {}, titleWithUnit(spec.title, spec.unit)), this.note, this.buildSave()),
            this.buildLegend(),
            this.field,
        );
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(this.field);
        zoom.on(this.refresh);
        this.forgetTheme = onTheme(() => this.rebuild());
        this.forgetPaper = onPaper((isPaper) => this.showOnPaper(isPaper));
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
            list.append(el("li", { class: "legend-reference" }, el("i", { class: this.spec.references.some(isDense) ? "legend-dots" : "legend-dot" }), this.spec.referenceName ?? "reference"));
        }
        if (this.spec.damping && this.spec.hasEnvelope) {
            list.append(
                el("li", {}, el("i", { class: "legend-dash" }), "envelope"),
                el("li", {}, el("span", { class: "swatch phase-attenuation" }), "attenuated"),
                el("li", {}, el("span", { class: "swatch phase-amplification" }), "amplified"),
            );
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

    private draw(size = WHOLE): SVGSVGElement {
        this.calcData();
        return drawChart(this.spec, this.zoom, this.yRange, size);
    }

    // Paper has another width; a drawing of lines fits any.
    private showOnPaper(isPaper: boolean): void {
        this.paper?.remove();
        this.paper = null;
        if (isPaper) {
            this.paper = this.draw(this.spec.isMain ? WHOLE : HALF);
            this.paper.setAttribute("class", "on-paper");
            this.field.append(this.paper);
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
        if (this.spec.damping && this.spec.hasEnvelope) {
            const { about, envelope } = this.spec.damping;
            const seen = envelope.filter(({ t }) => t >= low && t <= high);
            ranges.push(rangeOf(seen.flatMap(({ amplitude }) => [about - amplitude, about + amplitude])));
        }
        const range: [number, number] = [Math.min(...ranges.map((r) => r[0])), Math.max(...ranges.map((r) => r[1]))];
        this.yRange = isLog ? logRange(data.y) : padRange(range);
        if (isLog) {
            data.y = data.y.map((values) => values.map((v) => (v && v > 0 ? v : null)));
        }
        this.bands = curves.map((curve) => (isLog ? 0 : bandColumns(x, curve.values, low, high, this.columns)));
        this.bands.forEach((n, c) => n && data.y[c].fill(null));
        return [data.x, ...data.y] as uPlot.AlignedData;
    }

    private get height(): number {
        const isTall = this.spec.isOnly && window.matchMedia(WIDE).matches;
        return isTall ? ONLY_HEIGHT : this.spec.isMain ? MAIN_HEIGHT : HEIGHT;
    }

    private options(width: number): uPlot.Options {
        const text = color("--faint");
        const grid = { stroke: color("--line"), width: 1 };
        const axis = { stroke: text, grid, ticks: { ...grid, size: 5 }, font: FONT };
        const decades = (_: uPlot, splits: number[]): (number | null)[] => splits.map((v) => (isPowerOfTen(v) ? v : null));
        const linear = (_: uPlot, __: number, low: number, high: number): number[] => niceTicks(low, high, this.height / 32);
        const thin = this.spec.isLog ? { grid: { ...grid, filter: decades }, ticks: { ...grid, size: 5, filter: decades }, filter: decades } : { splits: linear };
        return {
            width,
            height: this.height,
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
                { ...axis, size: 28, label: "t [s]", labelSize: 18, labelGap: 0, labelFont: FONT, values: (_, ticks) => nameTimes(ticks) },
                { ...axis, ...thin, size: widthOfLabels, values: (_, ticks) => this.nameTicks(ticks) },
            ],
            series: [{}, ...this.spec.curves.map((c) => ({ stroke: c.color, width: 1.6, pxAlign: 0, points: { show: false } }))],
            hooks: {
                // The plot commits its scales after the call; only then does the marker know its place.
                drawClear: [(u) => this.drawBehind(u)],
                draw: [(u) => this.drawExtras(u), () => this.update(this.clock.t)],
                setCursor: [() => this.showValues()],
                setSelect: [(u) => this.select(u)],
            },
            padding: [8, 16, 0, 0],
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
            this.plot.setSize({ width: this.field.clientWidth, height: this.height });
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

    private drawBehind(u: uPlot): void {
        const { damping } = this.spec;
        if (damping) {
            inField(u, (ratio) => drawPhases(u, damping, ratio));
        }
    }

    private drawExtras(u: uPlot): void {
        const { damping, marks, hasEnvelope, references, curves, x } = this.spec;
        inField(u, (ratio) => {
            this.bands.forEach((n, c) => n && drawBand(u, { ...curves[c], x }, n, ratio));
            drawMarks(u, marks, ratio);
            references.forEach((reference) => drawReference(u, reference, this.zoom, this.columns, ratio));
            if (damping && hasEnvelope) {
                drawEnvelope(u, damping, ratio);
            }
        });
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
        this.forgetPaper();
        this.zoom.off(this.refresh);
        this.observer.disconnect();
        this.plot?.destroy();
        this.plot = null;
        this.element.remove();
    }
}

// Times of a far zoom need many digits; a common difference would hide where they are.
const nameTimes = (ticks: number[]): string[] => ticks.map((v) => show(v, 10));

// No label is cut: the axis is as wide as its longest one.
function widthOfLabels(u: uPlot, values: string[] | null): number {
    u.ctx.save();
    u.ctx.font = FONT;
    const widest = Math.max(0, ...(values ?? []).map((value) => u.ctx.measureText(value ?? "").width));
    u.ctx.restore();
    return Math.max(56, Math.ceil(widest) + 18);
}

// An error passes through zero here and there: the few smallest values do not set the range.
const FEW = 0.02;

function logRange(curves: (number | null)[][]): [number, number] {
    const sizes = curves.flat().filter((v): v is number => v !== null && v > 0);
    if (!sizes.length) {
        return [1e-16, 1];
    }
    sizes.sort((a, b) => a - b);
    const high = sizes[sizes.length - 1];
    const floor = Math.max(sizes[Math.floor(FEW * sizes.length)], high * 1e-8);
    return [Math.pow(10, Math.floor(Math.log10(floor))), Math.pow(10, Math.ceil(Math.log10(high) + 1e-9))];
}

function isPowerOfTen(v: number): boolean {
    const power = Math.log10(v);
    return Math.abs(power - Math.round(power)) < 1e-6;
}
