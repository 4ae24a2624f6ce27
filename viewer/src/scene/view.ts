// The motion panel: the picture, its overlays, the transport and the menus.
import type { Report } from "../data.ts";
import type { Clock } from "../page/clock.ts";
import { button, checkbox, choice, el, menu, save, setIcon, svg } from "../page/dom.ts";
import { fileName, show, timeDecimals } from "../page/format.ts";
import { chooseSpeed, motionRate } from "../page/speed.ts";
import { onPaper } from "../page/paper.ts";
import { onTheme, color } from "../page/theme.ts";
import { Box3, Quaternion, Vector3 } from "three";
import { DeformedMotion } from "./deformed.ts";
import type { Motion } from "./motion.ts";
import { buildLegend } from "./legend.ts";
import { innerNodes } from "./slide.ts";
import { canRecord, recordVideo } from "./video.ts";
import type { TracePoint } from "./traces.ts";
import { World } from "./world.ts";

const MAX_MENU = 300; // bodies in a menu
const MANY_TRACES = 12; // bodies of which none is picked out by itself
const LEAST_TRAVEL = 0.05; // of the size of the mechanism, that a trace shows something
const PAPER_SIZE = [1330, 560] as const; // pixels, in the shape that the style gives it on paper

export interface MotionView {
    panel: HTMLElement;
    world: World | null;
    warn: (text: string) => void; // shows a warning in the picture; "": none
}

type CalcSlide = (slider: number, t: number) => number;

function buildWorld(report: Report, motion: Motion, calcSlide: CalcSlide): World | null {
    try {
        return new World(report, motion, calcSlide);
    } catch {
        return null; // no WebGL here; everything else still works
    }
}

export function buildMotionView(report: Report, motion: Motion, calcSlide: CalcSlide, clock: Clock): MotionView {
    const stage = el("div", { class: "stage" });
    const world = buildWorld(report, motion, calcSlide);
    const panel = el("section", { class: "panel motion", "aria-labelledby": "motion-title" });
    panel.append(el("h2", { id: "motion-title", class: "unseen" }, report.kind === "modes" ? "Mode shapes" : "Motion"));
    panel.append(stage);
    if (world) {
        fillStage(stage, world, report);
        const deformed = motion instanceof DeformedMotion ? motion : null;
        const scale = deformed ? buildScale(deformed, world) : null;
        if (scale) {
            stage.append(scale.note);
        }
        const legend = world.colors.choices.length > 1 ? buildLegend(report, world) : null;
        if (legend) {
            stage.append(legend.element);
        }
        panel.append(buildTransport(report, clock), buildTools(report, world, clock, panel, [scale?.control ?? null, legend?.control ?? null]));
        clock.onTime((t) => world.setTime(t));
    } else {
        stage.append(el("p", { class: "stage-note" }, "This browser has no WebGL, so the motion cannot be drawn. Plots and numbers are below."));
        panel.append(buildTransport(report, clock));
    }
    const warning = el("p", { class: "stage-warning", hidden: true });
    stage.append(warning);
    const warn = (text: string): void => {
        warning.textContent = text;
        warning.hidden = !text;
    };
    return { panel, world, warn };
}

function countParts(report: Report): string {
    const n = (count: number, one: string, many: string): string => (count ? `${count} ${count === 1 ? one : many}` : "");
    const bodies = report.bodies.filter(({ role }) => !role).length;
    const parts = [n(bodies, "body", "bodies"), n(report.meshes.length, "mesh", "meshes"), n(report.members.length, "beam", "beams"), n(report.sliders.length, "slider", "sliders")];
    return parts.filter(Boolean).join(", ") || "nothing";
}

const millimetres = (x: number): string => (x >= 0.1 ? `${show(x, 3)} m` : `${show(1000 * x, 3)} mm`);

// How much larger than they are the displacements of structures are drawn: said in the picture, chosen below it.
function buildScale(motion: DeformedMotion, world: World): { note: HTMLElement; control: HTMLElement | null } {
    const note = el("p", { class: "stage-scale" });
    const say = (): void => {
        const { factor } = motion;
        note.textContent = `displacements ${factor === 1 ? "to scale" : `drawn × ${show(factor, 3)}`}, largest ${millimetres(motion.largest)}`;
        note.classList.toggle("magnified", factor !== 1);
    };
    const name = (k: number): string => (k === 1 ? "to scale" : `× ${show(k, 3)}`) + (k === motion.automatic ? " (auto)" : "");
    const choices = motion.choices.map((k): [string, string] => [String(k), name(k)]);
    const change = (value: string): void => {
        world.setFactor(Number(value));
        say();
    };
    say();
    return { note, control: choices.length > 1 ? choice("Displacements", choices, String(motion.factor), change) : null };
}

// Printers get a copy in the shape of the paper's stage: what WebGL draws for another size comes too late for them.
function showOnPaper(stage: HTMLElement, world: World, isPaper: boolean): void {
    stage.querySelector(".on-paper")?.remove();
    world.resize(...(isPaper ? PAPER_SIZE : ([stage.clientWidth, stage.clientHeight] as const)));
    world.draw();
    const { canvas } = world;
    canvas.hidden = isPaper; // Chromium prints it even where the style does not display it
    if (isPaper) {
        const copy = el("canvas", { class: "on-paper", width: canvas.width, height: canvas.height });
        copy.getContext("2d")!.drawImage(canvas, 0, 0);
        stage.prepend(copy);
    }
}

function fillStage(stage: HTMLElement, world: World, report: Report): void {
    const { canvas } = world;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute(
        "aria-label",
        `3-D picture of ${report.title} with ${countParts(report)}. Shift with the arrow keys turns it, plus and minus zoom.`,
    );
    const note = el("p", { class: "stage-grid" }, `grid ${show(world.grid.step, 3)} m`);
    const label = el("p", { class: "stage-name", hidden: true });
    const gizmo = new Gizmo(world, report);
    stage.append(canvas, gizmo.element, note, label);
    if (world.labels) {
        stage.append(world.labels.element);
    }
    new ResizeObserver(() => world.resize(stage.clientWidth, stage.clientHeight)).observe(stage);
    onPaper((isPaper) => showOnPaper(stage, world, isPaper));
    world.onView = () => gizmo.update();
    onTheme((isDark) => world.setTheme(color("--grid"), isDark));
    canvas.addEventListener("pointermove", (event) => {
        const box = canvas.getBoundingClientRect();
        const x = event.clientX - box.left;
        const y = event.clientY - box.top;
        const name = event.buttons ? "" : world.nameAt((2 * x) / box.width - 1, 1 - (2 * y) / box.height);
        label.hidden = name === "";
        label.textContent = name;
        label.style.left = `${Math.min(x + 14, box.width - label.offsetWidth - 6)}px`;
        label.style.top = `${Math.max(4, y - 26)}px`;
    });
    canvas.addEventListener("pointerleave", () => (label.hidden = true));
}

// The directions of x, y, z and gravity, drawn in the corner.
class Gizmo {
    readonly element = svg("svg", { class: "gizmo", viewBox: "-50 -50 100 100", "aria-hidden": "true" });
    private arrows: { axis: Vector3; line: SVGLineElement; head: SVGPathElement; text: SVGTextElement }[] = [];

    constructor(
        private world: World,
        report: Report,
    ) {
        this.add("x", new Vector3(1, 0, 0));
        this.add("y", new Vector3(0, 1, 0));
        this.add("z", new Vector3(0, 0, 1));
        const gravity = new Vector3(...report.gravity);
        if (gravity.length() > 0) {
            this.add("g", gravity.normalize());
        }
    }

    private add(name: string, axis: Vector3): void {
        const line = svg("line", { x1: 0, y1: 0 });
        const head = svg("path");
        const text = svg("text", { "text-anchor": "middle", "dominant-baseline": "central" }, name);
        this.element.append(svg("g", { class: `axis axis-${name}` }, line, head, text));
        this.arrows.push({ axis, line, head, text });
    }

    update(): void {
        const turn = new Quaternion().copy(this.world.viewpoint.camera.quaternion).invert();
        for (const { axis, line, head, text } of this.arrows) {
            const seen = axis.clone().applyQuaternion(turn);
            const isGravity = text.textContent === "g";
            const reach = isGravity ? 24 : 32;
            const [x, y] = [seen.x * reach, -seen.y * reach];
            line.setAttribute("x2", x.toFixed(2));
            line.setAttribute("y2", y.toFixed(2));
            const flat = Math.hypot(seen.x, seen.y);
            const [ux, uy] = flat > 0.05 ? [seen.x / flat, -seen.y / flat] : [0, 0];
            const base = [x - 6 * ux, y - 6 * uy];
            head.setAttribute(
                "d",
                `M${x} ${y}L${base[0] - 3 * uy} ${base[1] + 3 * ux}L${base[0] + 3 * uy} ${base[1] - 3 * ux}z`,
            );
            const aside = isGravity ? 9 : 0;
            text.setAttribute("x", (seen.x * (reach + 10) + (isGravity ? aside * (uy || 1) : 0)).toFixed(2));
            text.setAttribute("y", (-seen.y * (reach + (isGravity ? -8 : 10)) - (isGravity ? aside * ux : 0)).toFixed(2));
        }
    }
}

// 1, 2, 5 steps around the speed that playback starts with.
function speedsAround(start: number): number[] {
    const speeds = new Set<number>([1, start]);
    const power = Math.pow(10, Math.floor(Math.log10(start)));
    for (let k = -2; k <= 2; k++) {
        for (const lead of [1, 2, 5]) {
            speeds.add(Number((lead * Math.pow(10, k) * power).toPrecision(3)));
        }
    }
    const near = [...speeds].filter((s) => s === 1 || (s >= start / 101 && s <= start * 21));
    return near.sort((a, b) => a - b);
}

function speedName(speed: number): string {
    return speed === 1 ? "real time" : `${show(speed, 3)} ×`;
}

function buildTransport(report: Report, clock: Clock): HTMLElement {
    const decimals = timeDecimals(clock.span);
    const isModes = report.kind === "modes";
    const words = (t: number): string => (isModes ? `${Math.round(t * 360)}°` : `${t.toFixed(decimals)} s`);
    const play = button("play", "Play (space)", () => clock.toggle());
    play.classList.add("primary");
    const slider = el("input", {
        type: "range",
        class: "scrub",
        min: clock.start,
        max: clock.end,
        step: "any",
        "aria-label": isModes ? "Phase" : "Time",
        input: () => {
            clock.setPlaying(false);
            clock.seek(Number(slider.value));
        },
    });
    const readout = el("output", { class: "readout", "aria-live": "off" });
    const total = isModes ? "" : ` / ${show(clock.end, 6)} s`;
    const update = (t: number): void => {
        slider.value = String(t);
        slider.setAttribute("aria-valuetext", words(t));
        slider.style.setProperty("--done", `${clock.span > 0 ? (100 * (t - clock.start)) / clock.span : 0}%`);
        readout.textContent = isModes ? words(t) : t.toFixed(decimals) + total;
    };
    slider.addEventListener("keydown", (event) => {
        const direction = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
        if (direction) {
            clock.step(direction);
            event.preventDefault();
            event.stopPropagation();
        }
    });
    clock.onTime(update);
    clock.onState(() => setIcon(play, clock.playing ? "pause" : "play", clock.playing ? "Pause (space)" : "Play (space)"));
    update(clock.t);
    const start = isModes ? 0.5 : chooseSpeed(clock.span, motionRate(report));
    const speeds = isModes ? [0.1, 0.2, 0.5, 1, 2] : speedsAround(start);
    clock.speed = start;
    const name = isModes ? (s: number) => `${s} cycles/s` : speedName;
    const speed = choice("Speed", speeds.map((s) => [String(s), name(s)]), String(start), (value) => (clock.speed = Number(value)), false);
    const loop = button("loop", "Repeat", () => {
        clock.loop = !clock.loop;
        loop.setAttribute("aria-pressed", String(clock.loop));
    });
    loop.setAttribute("aria-pressed", "true");
    return el(
        "div",
        { class: "transport", role: "group", "aria-label": "Playback" },
        el(
            "div",
            { class: "buttons" },
            button("first", "To the start (Home)", () => clock.seek(clock.start)),
            button("back", "Previous frame (left arrow)", () => clock.step(-1)),
            play,
            button("forward", "Next frame (right arrow)", () => clock.step(1)),
            button("last", "To the end (End)", () => clock.seek(clock.end)),
        ),
        el("div", { class: "scrub-box" }, slider, isModes ? null : buildEventMarks(report, clock)),
        readout,
        speed,
        loop,
    );
}

function buildEventMarks(report: Report, clock: Clock): HTMLElement | null {
    const shown = report.events.filter((event) => event.t >= clock.start && event.t <= clock.end).slice(0, 200);
    if (!shown.length) {
        return null;
    }
    const marks = el("div", { class: "marks", "aria-hidden": "true" });
    for (const event of shown) {
        const mark = el("i", { title: `${event.name} at ${show(event.t, 7)} s` });
        mark.style.left = `${(100 * (event.t - clock.start)) / clock.span}%`;
        marks.append(mark);
    }
    return marks;
}

// How far the origin of a body travels: the diagonal of the box around its path.
function travel(report: Report, b: number): number {
    const { poses } = report.bodies[b];
    const box = new Box3();
    for (let i = 0; i + 2 < poses.length; i += 7) {
        box.expandByPoint(new Vector3(poses[i], poses[i + 1], poses[i + 2]));
    }
    return box.getSize(new Vector3()).length();
}

// Sliders and named points where they are few, else the two bodies that travel farthest.
function defaultTraces(points: TracePoint[], report: Report, size: number): Set<string> {
    const named = points.filter((point) => point.slider || point.name !== report.bodies[point.body].name);
    if (named.length || points.length > MANY_TRACES) {
        return new Set(named.length <= 3 ? named.map((point) => point.name) : []);
    }
    const far = points.map((point) => ({ point, way: travel(report, point.body) })).filter(({ way }) => way > LEAST_TRAVEL * size);
    return new Set(far.sort((a, b) => b.way - a.way).slice(0, 2).map(({ point }) => point.name));
}

function traceMenu(report: Report, world: World): HTMLElement | null {
    const points = world.traces.points(world.sliders).slice(0, MAX_MENU);
    if (!points.length || report.kind === "modes") {
        return null;
    }
    const chosen = defaultTraces(points, report, world.extent.size);
    const boxes = points.map((point) => {
        return checkbox(point.name, chosen.has(point.name), (on) => world.setTrace(point, on), point.color);
    });
    points.filter((point) => chosen.has(point.name)).forEach((point) => world.setTrace(point, true));
    return menu("Traces", ...boxes);
}

function buildTools(report: Report, world: World, clock: Clock, panel: HTMLElement, more: (HTMLElement | null)[]): HTMLElement {
    const views: [string, string][] = [
        ["start", "Standard view"],
        ["front", "Front"],
        ["side", "Side"],
        ["top", "Top"],
        ["corner", "From the corner"],
    ];
    const inner = innerNodes(report);
    const bodies = report.bodies.flatMap((body, b): [string, string][] => (inner.has(b) || body.role === "carriage" ? [] : [[String(b), body.name]]));
    const layer = (key: string, name: string, on: boolean) => checkbox(name, on, (visible) => world.setLayer(key, visible));
    const follow = choice("Follow", [["-1", "nothing"], ...bodies.slice(0, MAX_MENU)], String(world.viewpoint.followed), (value) => world.viewpoint.follow(Number(value)));
    return el(
        "div",
        { class: "tools" },
        choice("View", views, "start", (value) => world.viewpoint.look(value), false),
        button("fit", "Fit everything (F)", () => world.viewpoint.look("")),
        report.kind === "modes" || report.bodies.every(({ role }) => role) ? null : follow,
        ...more,
        traceMenu(report, world),
        report.kind === "modes" ? null : cameraMenu(world, clock),
        world.twin ? choice("Second run", [["over", "over the first"], ["beside", "beside it"], ["hidden", "hidden"]], "over", (value) => showTwin(world, value)) : null,
        menu(
            "Show",
            layer("bodies", "Bodies", true),
            report.members.length ? layer("beams", "Beams", true) : null,
            report.meshes.length ? layer("meshes", "Meshes", true) : null,
            world.meshes.some(({ hasEdges }) => hasEdges) ? checkbox("Element borders", true, (on) => world.showEdges(on)) : null,
            report.sliders.length ? layer("sliders", "Sliders", true) : null,
            layer("joints", "Joints", true),
            layer("springs", report.bushings.length ? "Springs and bushings" : "Springs", true),
            report.arrows.length ? layer("forces", "Recorded forces and moments", false) : null,
            layer("grid", "Grid and shadow", true),
            layer("frames", "Body frames", false),
            report.joints.length ? layer("axes", "Axes of joints", false) : null,
            report.kind === "modes" ? null : layer("ghost", "Start position", false),
            checkbox("Names", false, (on) => {
                world.labels!.element.hidden = !on;
                world.touch();
            }),
        ),
        el(
            "div",
            { class: "buttons last" },
            button("camera", "Save the picture as PNG", () => savePicture(report, world)),
            canRecord(world.canvas) ? buildRecord(report, world, clock) : null,
            document.fullscreenEnabled ? button("expand", "Full screen", () => toggleFullScreen(panel)) : null,
        ),
    );
}

// Views that the camera takes on its way while the run plays, for a look from all sides or a video.
function cameraMenu(world: World, clock: Clock): HTMLElement {
    const state = el("p", { class: "menu-note" });
    const say = (): void => {
        const n = world.viewpoint.path.keys.length;
        state.textContent = n ? `The camera moves along ${n} ${n === 1 ? "view" : "views"}.` : "Turn the picture, then keep the view for this time.";
    };
    const entry = (label: string, iconName: string, act: () => void): HTMLElement =>
        button(iconName, label, () => {
            act();
            say();
        }, true);
    say();
    return menu(
        "Camera",
        state,
        entry("Keep this view for this time", "plus", () => world.keepView()),
        entry("Go around once during the run", "loop", () => {
            world.viewpoint.turnAround(clock.start, clock.end);
            world.setTime(clock.t);
        }),
        entry("Forget all views", "reset", () => (world.viewpoint.path.keys = [])),
    );
}

function showTwin(world: World, where: string): void {
    world.setLayer("twin", where !== "hidden");
    world.setBeside(where === "beside");
}

// Records while it is pressed, or until the end of the run.
function buildRecord(report: Report, world: World, clock: Clock): HTMLElement {
    let stop: (() => void) | null = null;
    const record = button("record", "Record a video (WebM)", () => {
        if (stop) {
            stop();
            return;
        }
        record.setAttribute("aria-pressed", "true");
        stop = recordVideo(world.canvas, clock, fileName(report.model.name || report.title), () => {
            record.setAttribute("aria-pressed", "false");
            stop = null;
        });
    });
    return record;
}

function toggleFullScreen(panel: HTMLElement): void {
    if (document.fullscreenElement) {
        void document.exitFullscreen();
    } else {
        void panel.requestFullscreen().catch(() => undefined);
    }
}

function savePicture(report: Report, world: World): void {
    const { canvas } = world;
    const copy = el("canvas", { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d")!;
    context.fillStyle = color("--stage");
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(canvas, 0, 0);
    copy.toBlob((blob) => blob && save(blob, `${fileName(report.model.name || report.title)}.png`));
}
