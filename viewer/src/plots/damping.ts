// The effective damping of a vibration: the curve with its envelope and phases, the cycles, the ratio.
import type { Damping, DampingCycle, Report } from "../data.ts";
import { el, svg } from "../page/dom.ts";
import { show, withUnit } from "../page/format.ts";
import { color, onTheme } from "../page/theme.ts";
import { padRange, rangeOf, thinPath } from "./decimate.ts";
import { buildFrame, pathOf, type Frame } from "./svgplot.ts";

const HEIGHT = 260;
const MAX_CYCLES = 60;

function addPhases(frame: Frame, damping: Damping): void {
    for (const phase of damping.phases) {
        const x = frame.x(phase.from);
        frame.content.append(
            svg("rect", { class: `phase-${phase.kind}`, x: x.toFixed(1), y: frame.top, width: Math.max(0, frame.x(phase.to) - x).toFixed(1), height: frame.height }),
        );
    }
}

// The amplitudes of both signs, as two lines around the curve.
function addEnvelope(frame: Frame, damping: Damping): void {
    for (const sign of [1, -1]) {
        const points = damping.envelope.map(({ t, amplitude }): [number, number] => [t, damping.about + sign * amplitude]);
        frame.content.append(svg("path", { class: "envelope", d: pathOf(points, frame.x, frame.y), fill: "none" }));
    }
}

function buildCurve(report: Report, damping: Damping): HTMLElement {
    const field = el("div", { class: "damping-field" });
    const output = report.outputs.find((o) => o.name === damping.output);
    const draw = (): void => {
        const width = field.clientWidth;
        if (width < 60 || !output || report.time.length < 2) {
            return;
        }
        const look = { text: color("--text"), faint: color("--faint"), grid: color("--line"), background: "none" };
        const [x0, x1] = [report.time[0], report.time[report.time.length - 1]];
        const [y0, y1] = padRange(rangeOf([...output.values, ...damping.envelope.flatMap((p) => [damping.about + p.amplitude, damping.about - p.amplitude])]));
        const frame = buildFrame([width, HEIGHT], { low: x0, high: x1 }, { low: y0, high: y1 }, { x: "t [s]", y: withUnit(output.name, output.unit) }, look);
        frame.element.setAttribute("role", "img");
        frame.element.setAttribute("aria-label", `${output.name} over time with its envelope; the table has the peaks`);
        addPhases(frame, damping);
        const points = thinPath(report.time, output.values, (x1 - x0) / frame.width, (y1 - y0) / frame.height);
        frame.content.append(svg("path", { d: pathOf(points, frame.x, frame.y), fill: "none", stroke: "#2f7fdb", "stroke-width": 1.5 }));
        addEnvelope(frame, damping);
        field.replaceChildren(frame.element);
    };
    new ResizeObserver(draw).observe(field);
    onTheme(draw);
    return field;
}

function cycleRow(cycle: DampingCycle, i: number, hasEnergy: boolean): HTMLElement {
    const cell = (value: number, digits = 6): HTMLElement => el("td", { class: "number" }, Number.isFinite(value) ? show(value, digits) : "–");
    return el(
        "tr",
        {},
        el("th", { scope: "row" }, String(i + 1)),
        cell(cycle.t),
        cell(cycle.amplitude),
        cell(cycle.ratio),
        cell(cycle.overall),
        cell(cycle.frequency_hz),
        hasEnergy ? cell(cycle.energy_change, 4) : null,
        cell(cycle.growing_s, 4),
        cell(cycle.falling_s, 4),
    );
}

function buildTable(damping: Damping): HTMLElement {
    const hasEnergy = damping.cycles.some((cycle) => Number.isFinite(cycle.energy_change));
    const heads = ["Cycle", "Peak at [s]", withUnit("Amplitude", damping.unit), "Ratio", "Overall", "Frequency [Hz]", hasEnergy ? "Energy change [J]" : "", "Growing [s]", "Falling [s]"];
    const table = el(
        "table",
        {},
        el("thead", {}, el("tr", {}, ...heads.filter(Boolean).map((head) => el("th", { scope: "col" }, head)))),
        el("tbody", {}, ...damping.cycles.slice(0, MAX_CYCLES).map((cycle, i) => cycleRow(cycle, i, hasEnergy))),
    );
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cycles of the vibration" }, table);
}

function summary(damping: Damping): string {
    if (!Number.isFinite(damping.ratio)) {
        return `${damping.cycles.length} full cycles`;
    }
    const share = Number.isFinite(damping.share) ? `; ${show(100 * damping.share, 4)} % of the bound ${show(damping.bound, 6)}` : "";
    return `Ratio ${show(damping.ratio, 9)} over ${damping.asked} cycles, ${show(damping.frequency_hz, 6)} Hz${share}`;
}

export function buildDamping(report: Report): HTMLElement | null {
    const damping = report.damping;
    if (!damping) {
        return null;
    }
    const out = el(
        "section",
        { class: "card damping wide" },
        el("h3", {}, `Damping of ${damping.output}`),
        el("p", { class: "damping-ratio" }, summary(damping)),
        buildCurve(report, damping),
        el(
            "ul",
            { class: "legend" },
            el("li", {}, el("span", { class: "swatch phase-amplification" }), "growing"),
            el("li", {}, el("span", { class: "swatch phase-attenuation" }), "falling"),
        ),
        damping.cycles.length ? buildTable(damping) : null,
    );
    return out;
}
