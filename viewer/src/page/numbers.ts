// The numbers: what was computed, how, how well, and from which file.
import type { Measure, Pair, Report } from "../data.ts";
import type { Clock } from "./clock.ts";
import { buildDamping } from "../plots/damping.ts";
import { el, icon } from "./dom.ts";
import { show } from "./format.ts";

const MAX_EVENTS = 200;

function card(title: string, ...content: (Node | null)[]): HTMLElement {
    return el("section", { class: "card" }, el("h3", {}, title), ...content);
}

function pairList(pairs: Pair[]): HTMLElement {
    const list = el("dl", {});
    for (const [name, value] of pairs) {
        list.append(el("div", {}, el("dt", {}, name), name === "command" ? buildCommand(value) : el("dd", {}, value)));
    }
    return list;
}

// A command breaks between its words, not at the hyphens of its options.
function buildCommand(value: string): HTMLElement {
    return el("dd", { class: "command" }, ...value.split(" ").flatMap((word) => [el("span", {}, word), " "]));
}

function pairCard(title: string, pairs: Pair[]): HTMLElement | null {
    return pairs.length ? card(title, pairList(pairs)) : null;
}

function verdict(pass: boolean): HTMLElement {
    return el("span", { class: pass ? "verdict pass" : "verdict fail" }, icon(pass ? "check" : "close"), pass ? "within" : "missed");
}

function measureRow(measure: Measure): HTMLElement {
    const hasLimit = Number.isFinite(measure.limit);
    return el(
        "tr",
        {},
        el("th", { scope: "row" }, measure.name),
        el("td", { class: "number" }, show(measure.error, 3)),
        el("td", { class: "number" }, hasLimit ? show(measure.limit, 3) : "–"),
        el("td", { class: "number" }, hasLimit && measure.error > 0 ? `${show(measure.limit / measure.error, 2)} ×` : "–"),
        el("td", {}, hasLimit ? verdict(measure.pass) : "–"),
    );
}

function measureCard(measures: Measure[]): HTMLElement | null {
    if (!measures.length) {
        return null;
    }
    const heads = ["Measure", "Error", "Limit", "Margin", "Result"];
    const table = el(
        "table",
        {},
        el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
        el("tbody", {}, ...measures.map(measureRow)),
    );
    const box = el("div", { class: "scroll measures", tabindex: 0, role: "region", "aria-label": "Errors against the reference" }, table);
    const out = card("Error against the reference", box);
    out.classList.add("measured");
    return out;
}

function warningCard(warnings: string[]): HTMLElement | null {
    if (!warnings.length) {
        return null;
    }
    const out = card("Warnings", el("ul", { class: "warnings" }, ...warnings.map((text) => el("li", {}, icon("warn"), el("span", {}, text)))));
    out.classList.add("wide");
    return out;
}

function eventCard(report: Report, clock: Clock | null): HTMLElement | null {
    if (!report.events.length) {
        return null;
    }
    const list = el("ul", { class: "events" });
    for (const event of report.events.slice(0, MAX_EVENTS)) {
        const words = `${event.name}${event.direction ? `, ${event.direction}` : ""}`;
        const time = `${show(event.t, 9)} s`;
        const go = (): void => {
            clock?.setPlaying(false);
            clock?.seek(event.t);
        };
        list.append(el("li", {}, el("button", { type: "button", class: "link", click: go }, time), el("span", {}, words)));
    }
    const more = report.events.length - MAX_EVENTS;
    return card("Events", list, more > 0 ? el("p", { class: "empty" }, `and ${more} more`) : null);
}

// Whatever a certificate holds, as names and values.
function flatten(value: unknown, prefix: string, out: Pair[]): Pair[] {
    if (value !== null && typeof value === "object") {
        for (const [key, inner] of Object.entries(value)) {
            flatten(inner, prefix ? `${prefix} ${key}` : key, out);
        }
    } else {
        out.push([prefix.replaceAll("_", " "), typeof value === "number" ? show(value, 6) : String(value)]);
    }
    return out;
}

function sourceCard(report: Report): HTMLElement {
    const pairs: Pair[] = [
        ["model", report.model.name],
        ["command", report.command],
        ["file", report.model.file],
        ["SHA-256 of the file", report.model.sha256],
        ["Flyball", report.version],
        ["computed", report.created],
        ["machine", report.machine],
    ];
    return card("Origin", pairList(pairs.filter(([, value]) => value)));
}

export function buildNumbers(report: Report, clock: Clock | null): HTMLElement {
    const cards = [
        warningCard(report.warnings),
        buildDamping(report),
        measureCard(report.measures),
        pairCard("Checks", report.checks),
        report.certificate ? pairCard("Error certificate", flatten(report.certificate, "", [])) : null,
        pairCard("Model", report.model.summary),
        pairCard("Settings", report.settings),
        pairCard("Solver", report.statistics),
        eventCard(report, clock),
        sourceCard(report),
    ];
    return el(
        "section",
        { class: "numbers", "aria-labelledby": "numbers-title" },
        el("h2", { id: "numbers-title" }, "Numbers"),
        el("div", { class: "cards" }, ...cards),
    );
}
