// Eigenvalues in the complex plane; true ones and spurious ones have different marks.
import type { Mode } from "../data.ts";
import { button, choice, el, menu, save, svg } from "../page/dom.ts";
import { show } from "../page/format.ts";
import { color, onTheme } from "../page/theme.ts";
import { padRange, rangeOf } from "../plots/decimate.ts";
import { buildFrame, PAPER, svgText, svgToPng, type Frame, type Look, type Scale } from "../plots/svgplot.ts";
import { isFiniteMode, isTrue } from "./panel.ts";

const HEIGHT = 340;
const INK: Record<string, [string, string]> = { physical: ["#2f7fdb", "none"], "rigid-body": ["none", "#1f9a63"], spurious: ["none", "#d9731a"] };
const MARKERS: [string, string][] = [["physical", "physical"], ["rigid-body", "rigid body"], ["spurious", "spurious (constraint or artefact)"]];
type Zooming = "true" | "all" | "log";

const markerOf = (mode: Mode): string => (isTrue(mode) ? mode.class : "spurious");

export class EigenPlane {
    readonly element: HTMLElement;
    private field = el("div", { class: "plane-field" });
    private hidden = new Set<string>();
    private selected = -1;
    private zooming: Zooming;

    constructor(
        private modes: Mode[],
        private choose: (i: number) => void,
        private stem: string, // of file names
    ) {
        const spread = this.isWide();
        this.zooming = spread ? "log" : "all";
        const ways: [string, string][] = [
            ["true", "true ones, linear"],
            ["all", "all, linear"],
            ["log", "all, logarithmic"],
        ];
        const infinite = modes.filter((mode) => !isFiniteMode(mode)).length;
        this.element = el(
            "figure",
            { class: "chart plane" },
            el(
                "figcaption",
                {},
                el("h3", {}, "Eigenvalues"),
                el(
                    "div",
                    { class: "tools" },
                    choice("Show", ways, this.zooming, (value) => {
                        this.zooming = value as Zooming;
                        this.draw();
                    }),
                    this.buildSave(),
                ),
            ),
            el(
                "ul",
                { class: "legend" },
                ...MARKERS.filter(([kind]) => modes.some((mode) => isFiniteMode(mode) && markerOf(mode) === kind)).map(([kind, name]) => el("li", {}, marker(kind), name)),
                infinite ? el("li", {}, `${infinite} infinite, not drawn`) : null,
            ),
            this.field,
        );
        new ResizeObserver(() => this.draw()).observe(this.field);
        onTheme(() => this.draw());
    }

    private isWide(): boolean {
        const sizes = this.modes.filter(isFiniteMode).map((m) => Math.hypot(m.re, m.im)).filter((s) => s > 0);
        const [low, high] = rangeOf(sizes);
        return high > 200 * low;
    }

    setClass(name: string, visible: boolean): void {
        visible ? this.hidden.delete(name) : this.hidden.add(name);
        this.draw();
    }

    select(i: number): void {
        this.selected = i;
        this.draw();
    }

    private scales(shown: Mode[]): [Scale, Scale] {
        const used = this.zooming === "true" ? shown.filter(isTrue) : shown;
        const [re, im] = [rangeOf([0, ...used.map((m) => m.re)]), rangeOf([0, ...used.map((m) => m.im)])];
        const reach = Math.max(Math.abs(im[0]), Math.abs(im[1]));
        const isHalf = im[0] === 0 && reach > 0; // of each pair one value is listed
        const scales: [Scale, Scale] = [range(padRange(re, 0.12)), range(padRange([isHalf ? 0 : -reach, reach], 0.12))];
        if (this.zooming !== "log") {
            return scales;
        }
        const sizes = used.flatMap((m) => [Math.abs(m.re), Math.abs(m.im)]).filter((s) => s > 1e-9 * reach);
        const bend = Math.max(rangeOf(sizes)[0] / 3, rangeOf(sizes)[1] * 1e-8) || 1;
        return scales.map(({ low, high }) => ({ low: 1.8 * low - bend, high: 1.8 * high + bend, bend })) as [Scale, Scale];
    }

    private buildSave(): HTMLElement {
        const drawing = (): SVGSVGElement => this.build([900, 640], PAPER, true).element;
        const keep = (text: string, type: string, end: string): void => save(new Blob([text], { type }), `${this.stem}-eigenvalues.${end}`);
        const panel = menu(
            "Save",
            button("download", "PNG", () => void svgToPng(drawing()).then((blob) => blob && save(blob, `${this.stem}-eigenvalues.png`)), true),
            button("download", "SVG", () => keep(svgText(drawing()), "image/svg+xml", "svg"), true),
            button("download", "CSV", () => keep(this.table(), "text/csv", "csv"), true),
        );
        panel.classList.add("right");
        panel.querySelector("summary")!.setAttribute("aria-label", "Save the eigenvalues");
        return panel;
    }

    // All modes, also those that are not shown.
    private table(): string {
        const row = (m: Mode, i: number): string => [i + 1, m.class, m.re, m.im, m.frequency_hz, m.damping_ratio, m.residual].join(",");
        return `mode,class,re [1/s],im [1/s],frequency [Hz],damping ratio,residual\n${this.modes.map(row).join("\n")}\n`;
    }

    private draw(): void {
        const width = this.field.clientWidth;
        if (width < 60) {
            return;
        }
        const look = { text: color("--text"), faint: color("--faint"), grid: color("--line"), background: "none" };
        this.field.replaceChildren(this.build([width, HEIGHT], look, false).element);
    }

    // On paper marks have their own colours, and none is chosen.
    private build(size: [number, number], look: Look, isPaper: boolean): Frame {
        const shown = this.modes.filter((m) => isFiniteMode(m) && !this.hidden.has(m.class));
        const [xs, ys] = this.scales(shown);
        const labels = { x: "real part [1/s]", y: "imaginary part [1/s]" };
        const frame = buildFrame(size, xs, ys, labels, look);
        frame.element.setAttribute("role", "img");
        frame.element.setAttribute("aria-label", `${shown.length} eigenvalues in the complex plane; the list of modes has their values`);
        const zero = { stroke: look.faint, "stroke-width": 1 };
        frame.content.append(
            svg("line", { ...zero, x1: frame.x(0), x2: frame.x(0), y1: 0, y2: size[1] }),
            svg("line", { ...zero, x1: 0, x2: size[0], y1: frame.y(0), y2: frame.y(0) }),
        );
        this.modes.forEach((mode, i) => {
            if (isFiniteMode(mode) && !this.hidden.has(mode.class)) {
                const mark = this.drawMode(mode, i, frame.x(mode.re), frame.y(mode.im), !isPaper);
                if (isPaper) {
                    const [fill, stroke] = INK[markerOf(mode)] ?? INK.spurious;
                    mark.setAttribute("fill", fill);
                    mark.setAttribute("stroke", stroke);
                    mark.setAttribute("stroke-width", "1.8");
                }
                frame.content.append(mark);
            }
        });
        return frame;
    }

    private drawMode(mode: Mode, i: number, x: number, y: number, marksChosen: boolean): SVGGElement {
        const chosen = marksChosen && this.modes[this.selected];
        const isChosen = chosen && mode.re === chosen.re && Math.abs(mode.im) === Math.abs(chosen.im) && mode.class === chosen.class;
        const group = svg("g", {
            class: `eigen eigen-${markerOf(mode)}${isChosen ? " chosen" : ""}`,
            transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
            click: () => this.choose(i),
        });
        group.append(svg("title", {}, `mode ${i + 1}, ${mode.class}: ${show(mode.re)} ${mode.im < 0 ? "−" : "+"} ${show(Math.abs(mode.im))}i`));
        if (isChosen) {
            group.append(svg("circle", { r: 10, class: "halo" }));
        }
        group.append(markPath(markerOf(mode)));
        return group;
    }
}

const range = ([low, high]: [number, number]): Scale => ({ low, high });

function markPath(kind: string): SVGElement {
    if (kind === "physical") {
        return svg("circle", { r: 4.5 });
    }
    return kind === "rigid-body" ? svg("rect", { x: -4.5, y: -4.5, width: 9, height: 9 }) : svg("path", { d: "M-4 -4L4 4M-4 4L4 -4" });
}

function marker(kind: string): SVGSVGElement {
    return svg("svg", { viewBox: "-8 -8 16 16", class: "legend-mark", "aria-hidden": "true" }, svg("g", { class: `eigen eigen-${kind}` }, markPath(kind)));
}
