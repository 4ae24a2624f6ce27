// Several methods of linearization side by side: what each finds, its error and its time; one is chosen for the modes above.
import type { Method, Report } from "../data.ts";
import { el } from "../page/dom.ts";
import { show } from "../page/format.ts";
import { isFiniteMode, isTrue } from "./panel.ts";

const EXECUTIONS = 1000;

function spurious({ modes }: Method): string {
    const all = modes.filter((mode) => !isTrue(mode));
    const infinite = all.filter((mode) => !isFiniteMode(mode)).length;
    const part = infinite === all.length ? "all" : `${infinite} of them`;
    return infinite ? `${all.length}, ${part} infinite` : String(all.length);
}

// The lowest true pair, or the first true value.
function genuine({ modes }: Method): string {
    const found = modes.find((mode) => isTrue(mode) && mode.im > 0) ?? modes.find(isTrue);
    return found ? `${show(found.re, 12)}${found.im ? ` ± ${show(Math.abs(found.im), 12)}i` : ""}` : "–";
}

function time({ time_s, repeat }: Method): string {
    const x = (time_s * EXECUTIONS) / repeat;
    return !Number.isFinite(x) ? "–" : x >= 1 ? `${show(x, 3)} s` : `${show(1000 * x, 3)} ms`;
}

function row(method: Method, i: number, choose: (i: number) => void): HTMLTableRowElement {
    const radio = el("input", { type: "radio", name: "method", value: i, change: () => choose(i) });
    radio.disabled = !method.modes.length;
    const head = el("th", { scope: "row" }, el("label", {}, radio, method.name));
    const cell = (text: string, className = ""): HTMLElement => el("td", { class: className }, text);
    if (method.failure) {
        return el("tr", {}, head, cell(method.coordinates), el("td", { colspan: 5 }, method.failure));
    }
    const all = [cell(method.coordinates), cell(genuine(method), "number"), cell(String(method.modes.filter(isTrue).length), "number"), cell(spurious(method)), cell(show(method.error, 2), "number"), cell(time(method), "number")];
    return el("tr", { click: () => method.modes.length && choose(i) }, head, ...all);
}

export function buildMethods(report: Report, choose: (method: Method) => void): HTMLElement {
    const heads = ["Method", "Coordinates", "Lowest true eigenvalue [1/s]", "True ones", "Spurious ones", "Error [1/s]", `Time of ${EXECUTIONS} executions`];
    const rows: HTMLTableRowElement[] = [];
    const select = (i: number): void => {
        rows.forEach((other, k) => other.classList.toggle("selected", k === i));
        rows[i].querySelector("input")!.checked = true;
        choose(report.methods[i]);
    };
    rows.push(...report.methods.map((method, i) => row(method, i, select)));
    const first = report.methods.findIndex(({ modes }) => modes.length);
    rows[first]?.classList.add("selected");
    rows[first]?.querySelector("input")!.setAttribute("checked", "");
    const table = el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...rows));
    return el(
        "section",
        { class: "panel methods", "aria-labelledby": "methods-title" },
        el("div", { class: "panel-head" }, el("h2", { id: "methods-title" }, "Methods"), el("p", { class: "hint" }, "choose one to see its modes")),
        el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Methods of linearization" }, table),
    );
}
