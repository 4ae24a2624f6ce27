// One output against another, with the present point on the curve.
import type { Report } from "../data.ts";
import type { Clock } from "../page/clock.ts";
import { button, choice, el, menu, save, svg } from "../page/dom.ts";
import { fileName, withUnit } from "../page/format.ts";
import { color, onTheme } from "../page/theme.ts";
import { padRange, rangeOf, thinPath, valueAt } from "./decimate.ts";
import { buildFrame, pathOf, PAPER, svgText, svgToPng, type Frame, type Look } from "./svgplot.ts";

const HEIGHT = 340;

export class PhasePlot {
    readonly element: HTMLElement;
    private field = el("div", { class: "phase-field" });
    private dot = svg("circle", { r: 5.5, class: "phase-dot" });
    private frame: Frame | null = null;
    private across = 0;
    private upward = 1;
    private isEqual = false;

    constructor(
        private report: Report,
        private clock: Clock,
    ) {
        this.element = el("details", { class: "phase" });
        if (report.outputs.length < 2) {
            this.element.hidden = true;
            return;
        }
        const names = report.outputs.map((output, i): [string, string] => [String(i), output.name]);
        const pick = (key: "across" | "upward") => (value: string) => {
            this[key] = Number(value);
            this.draw();
        };
        const equal = el("input", {
            type: "checkbox",
            change: () => {
                this.isEqual = equal.checked;
                this.draw();
            },
        });
        this.element.append(
            el("summary", {}, el("h3", {}, "Phase plot")),
            el(
                "div",
                { class: "tools" },
                choice("Across", names, "0", pick("across")),
                choice("Up", names, "1", pick("upward")),
                el("label", { class: "check" }, equal, "equal scales"),
                el("span", { class: "spacer" }),
                this.buildSave(),
            ),
            this.field,
        );
        this.element.addEventListener("toggle", () => this.draw());
        new ResizeObserver(() => this.draw()).observe(this.field);
        onTheme(() => this.draw());
    }

    private buildSave(): HTMLElement {
        const stem = (): string => `${fileName(this.report.model.name || this.report.title)}-phase`;
        const drawing = (): SVGSVGElement => this.build([900, 640], PAPER).element;
        const panel = menu(
            "Save",
            button("download", "PNG", () => void svgToPng(drawing()).then((blob) => blob && save(blob, `${stem()}.png`)), true),
            button("download", "SVG", () => save(new Blob([svgText(drawing())], { type: "image/svg+xml" }), `${stem()}.svg`), true),
        );
        panel.classList.add("right");
        panel.querySelector("summary")!.setAttribute("aria-label", "Save the phase plot");
        return panel;
    }

    private build(size: [number, number], look: Look): Frame {
        const a = this.report.outputs[this.across];
        const b = this.report.outputs[this.upward];
        let [x0, x1] = padRange(rangeOf(a.values));
        let [y0, y1] = padRange(rangeOf(b.values));
        if (this.isEqual) {
            const perPixel = Math.max((x1 - x0) / (size[0] - 82), (y1 - y0) / (size[1] - 60));
            const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
            const [w, h] = [(perPixel * (size[0] - 82)) / 2, (perPixel * (size[1] - 60)) / 2];
            [x0, x1, y0, y1] = [cx - w, cx + w, cy - h, cy + h];
        }
        const labels = { x: withUnit(a.name, a.unit), y: withUnit(b.name, b.unit), title: `${b.name} against ${a.name}` };
        const frame = buildFrame(size, { low: x0, high: x1 }, { low: y0, high: y1 }, labels, look);
        const points = thinPath(a.values, b.values, (x1 - x0) / frame.width, (y1 - y0) / frame.height);
        const d = pathOf(points, frame.x, frame.y);
        frame.content.append(svg("path", { d, fill: "none", stroke: "#2f7fdb", "stroke-width": 1.5, "stroke-linejoin": "round" }));
        return frame;
    }

    private draw(): void {
        const width = this.field.clientWidth;
        if (!(this.element as HTMLDetailsElement).open || width < 60) {
            return;
        }
        const look = { text: color("--text"), faint: color("--faint"), grid: color("--line"), background: "none" };
        this.frame = this.build([width, HEIGHT], look);
        this.frame.element.setAttribute("role", "img");
        this.frame.content.append(this.dot);
        this.frame.element.addEventListener("click", (event) => this.seekNear(event));
        this.field.replaceChildren(this.frame.element);
        this.update(this.clock.t);
    }

    private seekNear(event: MouseEvent): void {
        const frame = this.frame!;
        const box = frame.element.getBoundingClientRect();
        const [px, py] = [event.clientX - box.left, event.clientY - box.top];
        const [a, b] = [this.report.outputs[this.across].values, this.report.outputs[this.upward].values];
        let best = 0;
        let least = Infinity;
        for (let i = 0; i < a.length; i++) {
            const d = (frame.x(a[i]) - px) ** 2 + (frame.y(b[i]) - py) ** 2;
            if (d < least) {
                least = d;
                best = i;
            }
        }
        this.clock.setPlaying(false);
        this.clock.seek(this.report.time[best]);
    }

    update(t: number): void {
        if (!this.frame) {
            return;
        }
        const { time, outputs } = this.report;
        this.dot.setAttribute("cx", this.frame.x(valueAt(time, outputs[this.across].values, t)).toFixed(1));
        this.dot.setAttribute("cy", this.frame.y(valueAt(time, outputs[this.upward].values, t)).toFixed(1));
    }
}
