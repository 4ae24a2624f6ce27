// The modes panel: list, choice and amplitude of the animated mode, and the eigenvalues in their plane.
import type { Method, Mode, Report } from "../data.ts";
import type { Clock } from "../page/clock.ts";
import { checkbox, el } from "../page/dom.ts";
import { fileName, show } from "../page/format.ts";
import type { ModeMotion } from "../scene/motion.ts";
import type { World } from "../scene/world.ts";
import { EigenPlane } from "./plane.ts";

const FULL_MOTION = 0.25; // of the mechanism's size, slider fully right

export const isTrue = (mode: Mode): boolean => mode.class === "physical" || mode.class === "rigid-body";
export const isFiniteMode = (mode: Mode): boolean => Number.isFinite(mode.re) && Number.isFinite(mode.im);

// Of a conjugate pair one is listed.
function listed(modes: Mode[]): number[] {
    const hasPartner = (mode: Mode): boolean =>
        modes.some((other) => other.im > 0 && Math.abs(other.im + mode.im) <= 1e-6 * other.im && Math.abs(other.re - mode.re) <= 1e-6 * Math.hypot(mode.re, mode.im));
    return modes.map((_, i) => i).filter((i) => !(modes[i].im < 0 && hasPartner(modes[i])));
}

const className = (name: string): string => (name === "rigid-body" ? "rigid body" : name);

const SPURIOUS: Record<string, string> = {
    constraint: "spurious: a mode of the constraint equations, in which joints come apart",
    artefact: "spurious: neither the joints nor the equations of motion hold in it",
};

export class ModesPanel {
    readonly element: HTMLElement;
    private rows = new Map<number, HTMLTableRowElement>();
    private selected = -1;
    private amplitude = 0.4;
    private order: number[];
    private plane: EigenPlane;
    private share = el("p", { class: "participation", "aria-live": "polite" });

    constructor(
        private report: Report,
        private motion: ModeMotion,
        private world: World | null,
        private clock: Clock,
        private warn: (text: string) => void, // in the picture
        method?: Method,
    ) {
        if (method) {
            this.report = report = { ...report, modes: method.modes };
        }
        this.order = listed(report.modes);
        this.plane = new EigenPlane(report.modes, (i) => this.select(i), fileName(report.model.name || report.title));
        this.element = el(
            "section",
            { class: "panel modes", "aria-labelledby": "modes-title" },
            el("div", { class: "panel-head" }, el("h2", { id: "modes-title" }, method ? `Modes, ${method.name} method, ${method.coordinates} coordinates` : "Modes"), this.buildFilters()),
            this.buildAmplitude(),
            this.buildTable(),
            this.share,
            this.plane.element,
        );
        const first = this.order.find((i) => report.modes[i].class === "physical" && report.modes[i].im > 0);
        this.select(first ?? this.order[0] ?? -1);
    }

    private buildFilters(): HTMLElement {
        const classes = [...new Set(this.report.modes.map((mode) => mode.class))];
        const tools = el("div", { class: "tools" });
        if (classes.length > 1) {
            for (const name of classes) {
                const count = this.order.filter((i) => this.report.modes[i].class === name).length;
                tools.append(
                    checkbox(`${className(name)} (${count})`, true, (on) => {
                        this.rows.forEach((row, i) => {
                            row.hidden = this.report.modes[i].class === name ? !on : row.hidden;
                        });
                        this.plane.setClass(name, on);
                    }),
                );
            }
        }
        return tools;
    }

    private buildAmplitude(): HTMLElement {
        const slider = el("input", {
            type: "range",
            min: 0,
            max: 1,
            step: 0.01,
            input: () => {
                this.amplitude = Number(slider.value);
                slider.style.setProperty("--done", `${100 * this.amplitude}%`);
                this.apply();
            },
        });
        slider.value = String(this.amplitude);
        slider.style.setProperty("--done", `${100 * this.amplitude}%`);
        return el("label", { class: "amplitude" }, el("span", {}, "Amplitude"), slider);
    }

    private buildTable(): HTMLElement {
        const heads = ["Mode", "Class", "Frequency [Hz]", "Damping", "Eigenvalue [1/s]", "Residual"];
        const body = el("tbody", {});
        for (const i of this.order) {
            body.append(this.buildRow(i));
        }
        const table = el(
            "table",
            {},
            el("caption", { class: "unseen" }, "Modes; choose one to see its motion"),
            el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
            body,
        );
        return el("div", { class: "mode-list", tabindex: 0, role: "region", "aria-label": "List of modes" }, table);
    }

    private buildRow(i: number): HTMLTableRowElement {
        const mode = this.report.modes[i];
        const radio = el("input", { type: "radio", name: "mode", value: i, change: () => this.select(i) });
        const hasPair = this.report.modes.length > this.order.length && mode.im > 0;
        const value = isFiniteMode(mode)
            ? `${show(mode.re, 5)}${mode.im !== 0 ? ` ${hasPair ? "±" : mode.im < 0 ? "−" : "+"} ${show(Math.abs(mode.im), 5)}i` : ""}`
            : "infinite";
        const row = el(
            "tr",
            { class: isTrue(mode) ? "true" : "spurious", click: () => this.select(i) },
            el("th", { scope: "row" }, el("label", {}, radio, String(i + 1))),
            el("td", {}, el("span", { class: `tag tag-${isTrue(mode) ? mode.class : "spurious"}` }, className(mode.class))),
            el("td", { class: "number" }, isFiniteMode(mode) ? show(mode.frequency_hz, 5) : "–"),
            el("td", { class: "number" }, isFiniteMode(mode) ? show(mode.damping_ratio, 4) : "–"),
            el("td", { class: "number" }, value),
            el("td", { class: "number" }, show(mode.residual, 2)),
        );
        this.rows.set(i, row);
        return row;
    }

    select(i: number): void {
        const mode = this.report.modes[i];
        const shown = this.order.includes(i) ? i : this.order.find((k) => this.report.modes[k].im === -mode?.im) ?? -1;
        if (!mode || shown < 0) {
            return;
        }
        this.rows.get(this.selected)?.classList.remove("selected");
        this.selected = shown;
        const row = this.rows.get(shown)!;
        row.classList.add("selected");
        row.querySelector("input")!.checked = true;
        this.motion.mode = this.report.modes[shown];
        this.plane.select(shown);
        this.showShares(this.report.modes[shown]);
        this.warn(SPURIOUS[this.report.modes[shown].class] ?? "");
        this.apply();
    }

    private showShares(mode: Mode): void {
        const shares = [...mode.participation].filter(([, x]) => x > 0.005).sort((a, b) => b[1] - a[1]);
        const parts = shares.slice(0, 6).map(([name, x]) => `${name}\u00a0${Math.round(100 * x)}\u00a0%`);
        this.share.textContent = !mode.shape.length
            ? "The shape of this mode is not in the file, which holds those of the first modes alone."
            : mode.shape.every((x) => x === 0)
              ? "No body moves in this mode."
              : `Kinetic energy: ${parts.join(", ") || "not given"}${shares.length > 6 ? " ..." : ""}`;
    }

    private apply(): void {
        if (!this.world || !this.motion.mode) {
            return;
        }
        const { size, keyPoints } = this.world.extent;
        const full = this.motion.calcFullAmplitude(this.motion.mode, keyPoints, FULL_MOTION * size);
        this.motion.amplitude = this.amplitude * full;
        this.world.changeMotion(this.clock.t);
    }
}
