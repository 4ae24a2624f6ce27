// Opens the report: reads the data in the page, builds the parts, runs the clock.
import { readReport, type Method, type Report } from "./data.ts";
import { buildMethods } from "./modes/methods.ts";
import { ModesPanel } from "./modes/panel.ts";
import { obeyAddress, readAddress } from "./page/address.ts";
import { Clock } from "./page/clock.ts";
import { el } from "./page/dom.ts";
import { buildFooter, buildHeader } from "./page/header.ts";
import { listenToKeys } from "./page/keys.ts";
import { buildModelText } from "./page/model.ts";
import { buildNumbers } from "./page/numbers.ts";
import { startTheme } from "./page/theme.ts";
import { PlotsPanel } from "./plots/panel.ts";
import { DeformedMotion } from "./scene/deformed.ts";
import { ModeMotion, RunMotion } from "./scene/motion.ts";
import { buildMotionView } from "./scene/view.ts";
import type { World } from "./scene/world.ts";

function buildClock(report: Report): Clock {
    if (report.kind === "modes") {
        return new Clock(0, 1, Float64Array.from({ length: 25 }, (_, i) => i / 24));
    }
    const { frames, time } = report;
    const of = frames.length ? frames : time;
    return new Clock(of[0] ?? 0, of[of.length - 1] ?? 0, of);
}

function runLoop(clock: Clock, world: World | null): void {
    const tick = (now: number): void => {
        clock.tick(now);
        world?.draw();
        requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
}

function buildPanels(report: Report, clock: Clock, main: HTMLElement): World | null {
    const isModes = report.kind === "modes";
    const hasPicture = report.bodies.length + report.meshes.length > 0 && report.bodies.every((body) => body.poses.length >= 7);
    const modeMotion = new ModeMotion(report.bodies, report.meshes);
    const runMotion = new RunMotion(report.bodies, report.frames, report.meshes);
    const motion = isModes || !hasPicture ? modeMotion : report.bodies.some(({ role }) => role === "node") || report.meshes.length ? new DeformedMotion(runMotion, report) : runMotion;
    const calcSlide = (slider: number, t: number): number => runMotion.valueAt(report.sliders[slider].s, isModes ? 0 : t);
    const work = el("div", { class: "work" });
    main.append(work);
    const view = hasPicture ? buildMotionView(report, motion, calcSlide, clock) : null;
    if (view) {
        work.append(view.panel);
    }
    if (isModes && report.modes.length) {
        const warn = (text: string): void => view?.warn(text);
        const panel = (method?: Method): HTMLElement => new ModesPanel(report, modeMotion, view?.world ?? null, clock, warn, method).element;
        work.append(panel(report.methods.find(({ modes }) => modes.length)));
        if (report.methods.length) {
            main.append(buildMethods(report, (method) => work.replaceChild(panel(method), work.lastChild!)));
        }
    } else if (report.outputs.length && report.time.length) {
        work.append(new PlotsPanel(report, clock).element);
    }
    work.classList.toggle("single", work.children.length < 2);
    return view?.world ?? null;
}

function open(report: Report): void {
    document.title = `${report.title} – Flyball`;
    startTheme();
    const clock = buildClock(report);
    const main = el("main", {});
    document.body.append(buildHeader(report), main);
    const world = buildPanels(report, clock, main);
    main.append(buildNumbers(report, clock));
    const text = buildModelText(report);
    if (text) {
        main.append(text);
    }
    document.body.append(buildFooter(report));
    listenToKeys(clock, world);
    const stays = obeyAddress(readAddress(location.hash), clock, world);
    runLoop(clock, world);
    const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (world && !isCalm && !stays) {
        clock.setPlaying(true);
    }
}

function start(): void {
    const raw = JSON.parse(document.getElementById("flyball-data")?.textContent || "null");
    if (!raw) {
        startTheme();
        document.body.append(el("main", { class: "blank" }, el("h1", {}, "Flyball report"), el("p", {}, "This is the empty template; it holds no results.")));
        return;
    }
    open(readReport(raw));
}

start();
