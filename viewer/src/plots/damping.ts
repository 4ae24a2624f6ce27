// The effective damping of a vibration: the ratio and the cycles; its plot shows the envelope and the phases.
import type { Damping, DampingCycle, Report } from "../data.ts";
import { el } from "../page/dom.ts";
import { show, withUnit } from "../page/format.ts";

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
        el("tbody", {}, ...damping.cycles.map((cycle, i) => cycleRow(cycle, i, hasEnergy))),
    );
    return el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Cycles of the vibration" }, table);
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
        damping.cycles.length ? buildTable(damping) : null,
        damping.cycles.length < damping.peaks ? el("p", { class: "empty" }, "Later cycles are not listed: they cannot be told from ripples in the signal.") : null,
    );
    return out;
}
