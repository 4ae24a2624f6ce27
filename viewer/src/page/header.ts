// The head of the page: title, verdict and theme.
import type { Report } from "../data.ts";
import { button, el, icon, svg } from "./dom.ts";
import { show } from "./format.ts";
import { buildThemeButton } from "./theme.ts";

const KINDS = new Map([["run", "Simulation"], ["modes", "Modes"], ["bench", "Benchmark"]]);

// Two balls on swinging arms.
function logo(): SVGSVGElement {
    return svg(
        "svg",
        { viewBox: "0 0 32 32", class: "logo", "aria-hidden": "true" },
        svg("path", { d: "M16 3v26M16 6L7.5 17M16 6l8.5 11M7.5 17L16 25M24.5 17L16 25" }),
        svg("circle", { cx: 7, cy: 17.5, r: 3.6 }),
        svg("circle", { cx: 25, cy: 17.5, r: 3.6 }),
    );
}

function badge(className: string, iconName: string, text: string): HTMLElement {
    return el("a", { class: `badge ${className}`, href: "#numbers-title" }, iconName ? icon(iconName) : null, text);
}

// How far the results can be trusted, in the head line: the certificate, or the estimate of a second run.
function estimate(report: Report): string {
    const certificate = report.certificate as Record<string, string> | null;
    if (certificate?.["estimated error"]) {
        return `error certified below ${certificate["estimated error"]}`;
    }
    const found = report.checks.find(([name]) => name === "estimated error");
    return found ? `error about ${found[1]}` : "";
}

function badges(report: Report): HTMLElement {
    const out = el("div", { class: "badges" });
    const judged = report.measures.filter((measure) => Number.isFinite(measure.limit));
    const missed = judged.filter((measure) => !measure.pass).length;
    if (judged.length) {
        out.append(
            missed
                ? badge("fail", "close", `${missed} of ${judged.length} limits missed`)
                : badge("pass", "check", judged.length === 1 ? "within its limit" : `all ${judged.length} limits met`),
        );
    }
    if (report.ended_early) {
        out.append(badge("fail", "close", `ended early, at ${show(report.time[report.time.length - 1] ?? 0, 4)} s`));
    }
    const error = estimate(report);
    if (error) {
        out.append(badge("plain", "", error));
    }
    const warned = report.warnings.length - (report.ended_early ? 1 : 0);
    if (warned > 0) {
        out.append(badge("warn", "warn", warned === 1 ? "1 warning" : `${warned} warnings`));
    }
    return out;
}

export function buildHeader(report: Report): HTMLElement {
    const facts = [KINDS.get(report.kind) ?? report.kind, report.model.name, report.created.replace("T", " ").replace("Z", " UTC")];
    return el(
        "header",
        { class: "top" },
        logo(),
        el(
            "div",
            { class: "titles" },
            el("h1", {}, report.title),
            el("p", {}, report.overview ? el("a", { class: "back", href: report.overview }, "← All reports") : null, facts.filter(Boolean).join(" · ")),
        ),
        badges(report),
        el("div", { class: "buttons" }, button("print", "Print", () => window.print()), buildThemeButton()),
    );
}

export function buildFooter(report: Report): HTMLElement {
    const keys: [string, string][] = [
        ["Space", "play"],
        ["← →", "frame"],
        ["Home End", "ends"],
        ["Shift ← → ↑ ↓", "turn"],
        ["+ −", "zoom"],
        ["F", "fit"],
    ];
    const list = el("p", { class: "keys" });
    for (const [key, what] of keys) {
        list.append(el("span", {}, el("kbd", {}, key), ` ${what}`));
    }
    return el("footer", {}, list, el("p", {}, `Flyball ${report.version}`.trim()));
}
