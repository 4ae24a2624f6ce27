// The plots panel: which outputs are shown, how they share axes, zoom and downloads.
import type { Output, Report } from "../data.ts";
import type { Clock } from "../page/clock.ts";
import { button, checkbox, choice, el, menu, save } from "../page/dom.ts";
import { fileName, withUnit } from "../page/format.ts";
import { Chart, type ChartSpec } from "./chart.ts";
import { findMain, groupOutputs, titleOf, type Grouping } from "./groups.ts";
import { PhasePlot } from "./phase.ts";
import { calcError } from "./reference.ts";
import { Zoom } from "./zoom.ts";

// Curve colours: distinct, and with contrast above 3:1 on both backgrounds.
const COLORS = ["#2f7fdb", "#d9731a", "#1f9a63", "#c74b96", "#8467d6", "#cc4b40", "#2a93a8", "#8f7d2b"];
const START_CHARTS = 6;

export class PlotsPanel {
    readonly element: HTMLElement;
    private charts: Chart[] = [];
    private list = el("div", { class: "charts" });
    private chosen: Set<number>;
    private grouping: Grouping = "auto";
    private isLogError: boolean;
    private zoom: Zoom;
    private main: Output | null;

    constructor(
        private report: Report,
        private clock: Clock,
    ) {
        const { time } = report;
        this.zoom = new Zoom(time[0], time[time.length - 1]);
        this.main = findMain(report);
        this.chosen = this.chooseFirst();
        this.isLogError = !report.beside; // errors are compared by their size, two runs by which is above the other
        const phase = new PhasePlot(report, clock);
        this.element = el(
            "section",
            { class: "panel plots", "aria-labelledby": "plots-title" },
            el("div", { class: "panel-head" }, el("h2", { id: "plots-title" }, "Plots"), this.buildTools()),
            this.list,
            phase.element,
        );
        clock.onTime((t) => {
            this.charts.forEach((chart) => chart.update(t));
            phase.update(t);
        });
        this.rebuild();
    }

    private chooseFirst(): Set<number> {
        const { outputs } = this.report;
        const first = groupOutputs(outputs, "auto", this.main).slice(0, START_CHARTS).flat();
        return new Set(first.map((output) => outputs.indexOf(output)));
    }

    private buildTools(): HTMLElement {
        const groupings: [string, string][] = [
            ["auto", "Auto groups"],
            ["unit", "By unit"],
            ["each", "One each"],
        ];
        const regroup = (value: string): void => {
            this.grouping = value as Grouping;
            this.rebuild();
        };
        const log = checkbox(this.report.beside ? "log difference" : "log error", this.isLogError, (on) => {
            this.isLogError = on;
            this.rebuild();
        });
        return el(
            "div",
            { class: "tools" },
            this.buildOutputMenu(),
            choice("Grouping", groupings, "auto", regroup, false),
            this.report.references.length ? log : null,
            el(
                "div",
                { class: "buttons" },
                button("minus", "Zoom out in time", () => this.zoom.scale(2, this.clock.t)),
                button("plus", "Zoom in around the present time", () => this.zoom.scale(0.5, this.clock.t)),
                button("reset", "Show the whole time (double click)", () => this.zoom.set(this.zoom.start, this.zoom.end)),
            ),
            button("download", "CSV", () => saveCsv(this.report), true),
        );
    }

    private buildOutputMenu(): HTMLElement {
        const rows = this.report.outputs.map((output, i) => {
            const row = checkbox(withUnit(output.name, output.unit), this.chosen.has(i), (on) => {
                on ? this.chosen.add(i) : this.chosen.delete(i);
                this.rebuild();
            });
            row.dataset.name = output.name.toLowerCase();
            return row;
        });
        const setAll = (on: boolean): void => {
            rows.forEach((row, i) => {
                if (!row.hidden) {
                    row.querySelector("input")!.checked = on;
                    on ? this.chosen.add(i) : this.chosen.delete(i);
                }
            });
            this.rebuild();
        };
        const filter = el("input", {
            type: "search",
            placeholder: "Filter",
            "aria-label": "Filter the outputs",
            input: () => rows.forEach((row) => (row.hidden = !row.dataset.name!.includes(filter.value.toLowerCase()))),
        });
        const all = el("button", { type: "button", class: "button", click: () => setAll(true) }, "All");
        const none = el("button", { type: "button", class: "button", click: () => setAll(false) }, "None");
        return menu("Outputs", el("div", { class: "menu-row" }, filter, all, none), ...rows);
    }

    private spec(group: Output[]): ChartSpec {
        const { report } = this;
        const curves = group.map((output, c) => ({ name: output.name, color: COLORS[c % COLORS.length], values: output.values }));
        const references = report.references
            .filter((reference) => group.some((output) => output.name === reference.output))
            .map((r) => ({ name: r.output, color: "", x: r.time, values: r.values }));
        const isMain = this.main !== null && group[0] === this.main;
        return {
            title: titleOf(group, report.outputs),
            unit: group[0].unit,
            x: report.time,
            curves,
            references,
            referenceName: report.beside ? "second run" : undefined,
            marks: report.events,
            isMain,
            damping: report.damping ?? undefined,
            hasEnvelope: group.some((output) => output.name === report.damping?.output),
        };
    }

    // The errors of a group, in one plot where their references have the same times.
    private errorSpecs(group: Output[]): ChartSpec[] {
        const specs: ChartSpec[] = [];
        for (const reference of this.report.references) {
            const c = group.findIndex((output) => output.name === reference.output);
            if (c < 0) {
                continue;
            }
            const { x, error } = calcError(this.report.time, group[c].values, reference);
            const values = this.isLogError ? error.map(Math.abs) : error;
            const what = `${this.report.beside ? "difference" : "error"} of ${reference.output}`;
            const name = this.isLogError ? `|${what}|` : what;
            let spec = specs.find((other) => other.x.length === x.length && other.x.every((t, i) => t === x[i]));
            if (!spec) {
                const title = this.report.beside ? "Difference from the second run" : "Error against the reference";
                spec = { title, unit: group[c].unit, x, curves: [], references: [], marks: [], isLog: this.isLogError };
                specs.push(spec);
            }
            spec.curves.push({ name, color: COLORS[c % COLORS.length], values });
        }
        return specs;
    }

    private rebuild(): void {
        this.charts.forEach((chart) => chart.destroy());
        const shown = this.report.outputs.filter((_, i) => this.chosen.has(i));
        const stem = fileName(this.report.model.name || this.report.title);
        const groups = groupOutputs(shown, this.grouping, this.main);
        const specs = [...groups.map((group) => this.spec(group)), ...groups.flatMap((group) => this.errorSpecs(group))];
        if (specs.length === 1) {
            specs[0].isOnly = true;
        }
        this.charts = specs.map((spec) => new Chart(spec, this.clock, this.zoom, stem));
        this.list.replaceChildren(...this.charts.map((chart) => chart.element));
        if (!this.charts.length) {
            this.list.append(el("p", { class: "empty" }, "No output is chosen."));
        }
    }
}

// All recorded samples, written so that they read back to the same numbers.
function saveCsv(report: Report): void {
    const quote = (s: string): string => (/[",\n\r]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s);
    const head = ["t [s]", ...report.outputs.map((o) => withUnit(o.name, o.unit))].map(quote).join(",");
    const parts: string[] = [head + "\n"];
    const columns = [report.time, ...report.outputs.map((o) => o.values)];
    for (let i = 0; i < report.time.length; i++) {
        parts.push(columns.map((column) => String(column[i])).join(",") + "\n");
    }
    save(new Blob(parts, { type: "text/csv" }), `${fileName(report.model.name || report.title)}.csv`);
}
