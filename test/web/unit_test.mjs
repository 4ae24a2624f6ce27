// The viewer's own mathematics and the template, without a browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { escape } from "../../viewer/fill.mjs";
import { BEAM, cantilever, mesh, meshModes, SHEET } from "./fixtures.mjs";

const viewer = fileURLToPath(new URL("../../viewer/", import.meta.url));
const require = createRequire(`${viewer}package.json`);

const loaded = new Map();

// A TypeScript module of the viewer with what it imports.
function load(path) {
    if (!loaded.has(path)) {
        loaded.set(path, bundle(path));
    }
    return loaded.get(path);
}

async function bundle(path) {
    const { build } = require("esbuild");
    const result = await build({ entryPoints: [viewer + path], bundle: true, format: "esm", write: false });
    return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString("base64")}`);
}

const template = readFileSync(`${viewer}dist/report.html`, "utf8");

test("the committed template is what the sources give", () => {
    const built = execFileSync(process.execPath, [`${viewer}build.mjs`, "--print"], { maxBuffer: 1e8 }).toString();
    assert.ok(built === template, "viewer/dist/report.html is out of date: run node build.mjs in viewer/");
});

test("the template has one place for the data, no address to load from, and is small", () => {
    assert.equal(template.split('<script type="application/json" id="flyball-data">null</script>').length, 2);
    assert.ok(template.length < 900e3, `${template.length} bytes`);
    assert.doesNotMatch(template, /<(link|img|iframe)\b|<script[^>]+src=/i);
    assert.match(template, /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
    assert.match(template, /MIT License/);
});

test("text of a model cannot leave the data element", () => {
    const json = escape(JSON.stringify({ name: "</script><!--&\u2028" }));
    assert.doesNotMatch(json, /[<>&\u2028\u2029]/);
    assert.equal(JSON.parse(json).name, "</script><!--&\u2028");
});

test("thinning keeps every peak and all of a short curve", async () => {
    const { decimate } = await load("src/plots/decimate.ts");
    const n = 100000;
    const x = Float64Array.from({ length: n }, (_, i) => i);
    const quiet = Float64Array.from(x, (i) => Math.sin(i / 1e4));
    const spiky = quiet.slice();
    spiky[34567] = 9;
    spiky[71234] = -9;
    const thin = decimate(x, [quiet, spiky], 0, n, 500);
    assert.ok(thin.x.length < 500 * 6);
    assert.equal(thin.y[1][thin.x.indexOf(34567)], 9);
    assert.equal(thin.y[1][thin.x.indexOf(71234)], -9);
    assert.ok(thin.x.every((v, i) => i === 0 || v > thin.x[i - 1]), "times ascend");
    assert.deepEqual([thin.x[0], thin.x[thin.x.length - 1]], [0, n - 1]);
    const part = decimate(x, [quiet], 100.5, 110.5, 500);
    assert.deepEqual(part.x, Array.from({ length: 12 }, (_, i) => 100 + i), "one sample beyond either end");
});

test("gaps stay gaps", async () => {
    const { decimate } = await load("src/plots/decimate.ts");
    const x = Float64Array.from({ length: 10000 }, (_, i) => i);
    const y = Float64Array.from(x, (i) => (i === 5000 ? NaN : i));
    const thin = decimate(x, [y], 0, 10000, 100);
    assert.equal(thin.y[0][thin.x.indexOf(5000)], null);
});

test("poses between coarse frames stay on their circle", async () => {
    const { RunMotion } = await load("src/scene/motion.ts");
    const frames = Float64Array.from({ length: 11 }, (_, i) => i * 0.1);
    const poses = new Float64Array(77);
    frames.forEach((t, i) => {
        const a = 2 * Math.PI * t; // 36 degrees from frame to frame
        poses.set([Math.cos(a), Math.sin(a), 0, (i % 2 ? -1 : 1) * Math.cos(a / 2), 0, 0, (i % 2 ? -1 : 1) * Math.sin(a / 2)], 7 * i);
    });
    const motion = new RunMotion([{ poses }], frames);
    const { newPose } = await load("src/scene/motion.ts");
    const pose = [newPose()];
    for (let t = 0; t <= 1; t += 0.013) {
        motion.calc(t, pose);
        const a = 2 * Math.PI * t;
        const off = Math.hypot(pose[0].p.x - Math.cos(a), pose[0].p.y - Math.sin(a));
        assert.ok(off < (t < 0.1 || t > 0.9 ? 0.03 : 0.006), `at ${t}: ${off}`);
        const turned = 2 * Math.atan2(pose[0].q.z, pose[0].q.w);
        assert.ok(Math.abs(Math.sin((turned - a) / 2)) < 0.004, `at ${t}: turned ${turned} instead of ${a}`);
    }
    motion.calc(0.3, pose);
    assert.ok(Math.abs(pose[0].p.x - poses[21]) < 1e-14, "frames are met exactly");
});

test("large turns between frames go the short way", async () => {
    const { RunMotion, newPose } = await load("src/scene/motion.ts");
    const q = (a) => [0, 0, 0, Math.cos(a / 2), 0, 0, Math.sin(a / 2)];
    const motion = new RunMotion([{ poses: Float64Array.from([...q(0), ...q(3)]) }], Float64Array.of(0, 1));
    const pose = [newPose()];
    motion.calc(0.5, pose);
    assert.ok(Math.abs(2 * Math.atan2(pose[0].q.z, pose[0].q.w) - 1.5) < 1e-12);
});

test("errors against a reference are exact at common times and cubic between", async () => {
    const { calcError } = await load("src/plots/reference.ts");
    const time = Float64Array.from({ length: 11 }, (_, i) => i * 0.1);
    const cubic = (t) => 1 + t - 2 * t * t + 3 * t ** 3;
    const values = time.map(cubic);
    const reference = { time: Float64Array.of(0.1, 0.25, 0.5, 0.97, 2), values: Float64Array.of(cubic(0.1) + 1e-10, cubic(0.25), 0, cubic(0.97), 0) };
    const { x, error } = calcError(time, values, reference);
    assert.deepEqual([...x], [0.1, 0.25, 0.5, 0.97]);
    [-1e-10, 0, cubic(0.5), 0].forEach((e, i) => assert.ok(Math.abs(error[i] - e) < 1e-14));
});

test("numbers are shown as people write them", async () => {
    const { show } = await load("src/page/format.ts");
    assert.deepEqual([0, 1, -0.5, 1234.5678, 1e-7, 2.5e9, NaN, Infinity].map((x) => show(x)), ["0", "1", "−0.5", "1234.6", "1e−7", "2.5e9", "–", "∞"]);
    assert.equal(show(100), "100");
    assert.equal(show(1200000), "1.2e6");
});

test("labels of nearly constant values tell the difference from a round value", async () => {
    const { nameTicks, niceTicks } = await load("src/plots/svgplot.ts");
    assert.deepEqual(nameTicks([0, 0.5, 1]), { names: ["0", "0.5", "1"], note: "" });
    const { names, note } = nameTicks([35.835, 35.835 + 5e-9, 35.835 + 1e-8]);
    assert.equal(note, "× 10⁻⁹, difference from 35.835");
    assert.deepEqual(names, ["0", "5", "10"]);
    // The round value is so near that the labels are small numbers.
    for (const [low, high] of [[238.8823, 238.8855], [0.00982227081, 0.00982227087]]) {
        const labels = nameTicks(niceTicks(low, high, 5)).names.map((name) => Math.abs(Number(name.replace("−", "-"))));
        assert.ok(Math.max(...labels) <= 10.001 * Math.abs(labels[1] - labels[0]), `${labels}`);
    }
    assert.equal(niceTicks(0, 3e-26, 4).length, 4, "tiny values have ticks, too");
});

test("a picture is fitted below the notes at its upper edge", async () => {
    const { fitCamera } = await load("src/scene/camera.ts");
    const { PerspectiveCamera, Vector3 } = await load("node_modules/three/build/three.module.js");
    const towers = [[1, 100], [100, 1]].map(([w, h]) => [[-w, 0], [w, 0], [w, h], [-w, h]].map(([x, z]) => new Vector3(x, 0, z)));
    for (const points of towers) {
        const heights = (headroom) => {
            const camera = new PerspectiveCamera(28, 1.3, 0.1, 1000);
            camera.up.set(0, 0, 1);
            fitCamera(camera, points, new Vector3(0.3, -1, 0.1).normalize(), headroom);
            camera.updateMatrixWorld();
            const seen = points.map((p) => p.clone().project(camera));
            assert.ok(seen.every(({ x, y }) => Math.abs(x) < 0.9 && Math.abs(y) < 0.9), "all of it is in the picture");
            return Math.max(...seen.map(({ y }) => y));
        };
        assert.ok(heights(0.12) <= 0.7600001, "of the height of 2, twice 0.12 stays free");
    }
});

test("units above plots are written as people write them", async () => {
    const { titleWithUnit } = await load("src/page/format.ts");
    assert.equal(titleWithUnit("torque", "N*m"), "torque [N·m]");
    assert.equal(titleWithUnit("ratio", "1"), "ratio");
});

test("a part of a vector is called by its own name", async () => {
    const { titleOf } = await load("src/plots/groups.ts");
    const outputs = ["c.x", "c.y", "c.z", "s"].map((name) => ({ name }));
    const [x, y, z, s] = outputs;
    assert.equal(titleOf([x, y, z], outputs), "c");
    assert.equal(titleOf([x, y], outputs), "c.x, c.y");
    assert.equal(titleOf([z, s], outputs), "c.z, s");
});

test("labels of ticks are short, differ, and say together with the note where the ticks are", async () => {
    const { nameTicks, niceTicks } = await load("src/plots/svgplot.ts");
    const ranges = [[2.1569e-5, 2.1571e-5], [0, 3e-7], [-2e6, 5e6], [1, 1.0004], [-1e-3, 2e-3], [99990, 100010], [-5.5, 4.5], [1e-4, 9e-4], [0.1 + 1e-11, 0.1 + 3e-11]];
    for (const [low, high] of ranges) {
        const ticks = niceTicks(low, high, 5);
        const { names, note } = nameTicks(ticks);
        assert.equal(new Set(names).size, ticks.length, `${names} differ`);
        assert.ok(names.every((name) => name.length <= 8), `${names} are short`);
        const digits = [..."⁰¹²³⁴⁵⁶⁷⁸⁹"];
        const power = /× 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/.exec(note)?.[1].replace("⁻", "-").replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (c) => digits.indexOf(c)) ?? 0;
        const base = Number((/difference from (.*)/.exec(note)?.[1] ?? "0").replaceAll("−", "-"));
        names.forEach((name, i) => {
            const value = base + Number(name.replace("−", "-")) * 10 ** Number(power);
            assert.ok(Math.abs(value - ticks[i]) < 0.01 * (high - low), `${name}, ${note} for ${ticks[i]}`);
        });
    }
});

test("outputs share a plot only where all of them can be read, and the main one comes first", async () => {
    const { findMain, groupOutputs } = await load("src/plots/groups.ts");
    const output = (name, unit, ...values) => ({ name, unit, values: Float64Array.from(values) });
    const corner = output("corner", "m", 0.01, -0.01);
    const outputs = [output("lift.limit", "1", 0, 1), output("s", "m", 1, 3), corner, output("height", "m", 2, 4), output("rest", "m", 2.5, 2.5), output("tip.x", "mm", 0, 1), output("tip.y", "mm", 0, 0), output("far.x", "m", 0, 1e4), output("far.y", "m", 0, 1)];
    const names = (groups) => groups.map((group) => group.map(({ name }) => name).join());
    const report = { outputs, damping: null, references: [] };
    assert.equal(findMain(report).name, "s");
    assert.equal(findMain({ ...report, references: [{ output: "height" }] }).name, "height");
    assert.equal(findMain({ ...report, references: [{ output: "height" }], damping: { output: "corner" } }).name, "corner");
    assert.deepEqual(names(groupOutputs(outputs, "auto", corner)), ["corner", "s,height,rest", "tip.x,tip.y", "far.x", "far.y", "lift.limit"]);
    assert.deepEqual(names(groupOutputs(outputs, "unit", corner)), ["corner,s,height,rest,far.x,far.y", "tip.x,tip.y", "lift.limit"]);
});

test("a curve that swings too often for a line is drawn as the range it fills, until one zooms in", async () => {
    const { bandColumns, bandOf } = await load("src/plots/decimate.ts");
    const x = Float64Array.from({ length: 50001 }, (_, i) => i / 1000);
    const y = x.map((t) => (1 + t / 50) * Math.sin(60 * t));
    const columns = bandColumns(x, y, 0, 50, 500);
    assert.ok(columns > 100 && columns <= 250, `${columns}`);
    const band = bandOf(x, y, 0, 50, columns);
    assert.deepEqual([band[0].x, band[band.length - 1].x], [0, 50]);
    band.forEach(({ x: t, low, high }) => {
        assert.ok(Math.abs(high - (1 + t / 50)) < 0.02 && Math.abs(low + (1 + t / 50)) < 0.02, `at ${t}: ${low} to ${high}`);
    });
    assert.equal(bandColumns(x, y, 10, 12, 500), 0, "zoomed in");
    assert.equal(bandColumns(x, x.map((t) => Math.sin(t)), 0, 50, 500), 0, "slow");
    assert.equal(bandColumns(x, x.map((t) => t + 1e-4 * Math.sin(60 * t)), 0, 50, 500), 0, "a small ripple");
});

test("playback is slow enough to follow the main motion, and long runs take a pleasant time", async () => {
    const { chooseSpeed, motionRate } = await load("src/page/speed.ts");
    const turning = (revolutions, span) => {
        const n = Math.ceil(40 * revolutions * span);
        const frames = Float64Array.from({ length: n + 1 }, (_, i) => (span * i) / n);
        const poses = new Float64Array(7 * (n + 1));
        frames.forEach((t, i) => poses.set([0, 0, 0, Math.cos(Math.PI * revolutions * t), 0, 0, Math.sin(Math.PI * revolutions * t)], 7 * i));
        return { time: frames, frames, outputs: [], references: [], damping: null, bodies: [{ role: "", poses }] };
    };
    const engine = turning(27, 5);
    assert.ok(Math.abs(motionRate(engine) - 27) < 0.1, `${motionRate(engine)}`);
    assert.equal(chooseSpeed(5, motionRate(engine)), 0.02);
    assert.equal(chooseSpeed(10, motionRate(turning(0.5, 10))), 1);
    assert.equal(chooseSpeed(75, 0.07), 5);
    assert.equal(chooseSpeed(0.01, 0), 0.001);
    const time = Float64Array.from({ length: 2001 }, (_, i) => i / 400);
    const sway = { ...turning(0.1, 5), time, outputs: [{ name: "sway", unit: "m", values: time.map((t) => 0.01 * Math.cos(2 * Math.PI * 6 * t)) }] };
    assert.ok(Math.abs(motionRate(sway) - 6) < 0.2, `${motionRate(sway)}`);
});

test("plane mechanisms are seen from the front, upright", async () => {
    const { findDirection, findUp } = await load("src/scene/camera.ts");
    const dot = (a, b) => a.x * b.x + a.y * b.y + a.z * b.z;
    for (const [gravity, n] of [[[0, -9.81, 0], { x: 0, y: 0, z: 1 }], [[0, 0, -9.81], { x: 0, y: -1, z: 0 }], [[0, 0, -1], { x: 1, y: 0, z: 0 }]]) {
        const up = findUp(gravity, null);
        const normal = Object.assign(up.clone(), n);
        const direction = findDirection("start", up, normal);
        const side = up.clone().cross(normal).normalize();
        assert.ok(Math.abs(dot(direction, side)) < 1e-12 && Math.abs(dot(direction, normal)) > 0.99);
    }
});

test("the text of a model is cut into coloured parts that together are the text", async () => {
    const { tokens } = await load("src/page/model.ts");
    const lines = ["# a comment", "  rod: {at: [0, -1.5e-3, L/2], mass: 2 kg}   # 200 g", 'title: "a: \\"b\\" # c"', "- {type: sphere}", "", "  'x y': 3", "a#b: c:d", "bad: [1, \"open"];
    for (const line of lines) {
        assert.equal(tokens(line).map(({ text }) => text).join(""), line);
    }
    const kinds = (line, kind) => tokens(line).filter((token) => token.kind === kind).map(({ text }) => text);
    assert.deepEqual(kinds(lines[1], "key"), ["rod", "at", "mass"]);
    assert.deepEqual(kinds(lines[1], "number"), ["0", "-1.5e-3", "2"]);
    assert.deepEqual(kinds(lines[1], "comment"), ["# 200 g"]);
    assert.deepEqual(kinds(lines[2], "comment"), []);
    assert.deepEqual(kinds(lines[5], "key"), ["'x y'"]);
    assert.deepEqual(kinds(lines[6], "key"), ["a#b"]);
});

// The cantilever of the fixtures with magnified displacements, at some time.
async function bendCantilever(factor, t) {
    const { readReport } = await load("src/data.ts");
    const { RunMotion, newPose } = await load("src/scene/motion.ts");
    const { DeformedMotion } = await load("src/scene/deformed.ts");
    const { StructureShape } = await load("src/scene/structure.ts");
    const report = readReport(cantilever());
    const inner = new RunMotion(report.bodies, report.frames);
    const motion = new DeformedMotion(inner, report);
    const { automatic, largest, choices } = motion;
    motion.factor = factor;
    const poses = report.bodies.map(newPose);
    motion.calc(t, poses);
    const shape = new StructureShape(report);
    shape.calc(poses, factor);
    return { report, inner, motion, poses, shape, automatic, largest, choices };
}

test("beams are cubic curves through their nodes, with displacements exactly magnified", async () => {
    const { Vector3 } = await load("node_modules/three/src/math/Vector3.js");
    const u = BEAM.amplitude * Math.cos(5 * 0.1);
    for (const factor of [1, 20, 100]) {
        const { shape, report, poses } = await bendCantilever(factor, 0.1);
        assert.equal(shape.elements.length, BEAM.elements);
        const at = new Vector3();
        const along = new Vector3();
        for (let x = 0.03; x < 1; x += 0.07) {
            const e = Math.floor(x * BEAM.elements);
            shape.pointOn(e, x * BEAM.elements - e, at, along);
            // The given shape is a cubic, which the elements follow to within the 16 bits of the displacements.
            assert.ok(Math.abs(at.y - factor * u * BEAM.shape(x)) < 3e-5 * factor * u, `${at.y} at ${x}, times ${factor}`);
            assert.ok(Math.abs(at.x - x * BEAM.length) < 1e-4 * factor * u);
            assert.ok(Math.abs(along.y / along.x - factor * u * BEAM.slope(x)) < 1e-3 * factor * u);
        }
        // What is welded to the tip stays there, and turns with it.
        const plate = poses[report.bodies.findIndex(({ name }) => name === "plate")];
        const turn = factor * u * BEAM.slope(1);
        assert.ok(Math.abs(plate.p.y - factor * u - 0.05 * Math.sin(turn)) < 1e-5, `${plate.p.y}`);
        assert.ok(Math.abs(2 * Math.atan2(plate.q.z, plate.q.w) - turn) < 1e-5 * factor);
    }
});

test("the automatic factor makes millimetres visible, and no choice breaks the picture", async () => {
    const { automatic, largest, choices } = await bendCantilever(1, 0);
    assert.ok(Math.abs(largest - BEAM.amplitude) < 1e-7);
    assert.equal(automatic, 20, "6 % of 2 m are 30 times 4 mm, rounded down to 1, 2 or 5");
    assert.deepEqual(choices, [1, 2, 5, 10, 20, 50, 100, 200]);
});

test("large displacements are drawn to scale", async () => {
    const { readReport } = await load("src/data.ts");
    const { RunMotion } = await load("src/scene/motion.ts");
    const { DeformedMotion } = await load("src/scene/deformed.ts");
    const raw = cantilever();
    raw.bodies.forEach((body) => body.scale && (body.scale[0] *= 200));
    const report = readReport(raw);
    const motion = new DeformedMotion(new RunMotion(report.bodies, report.frames), report);
    assert.equal(motion.automatic, 1);
    assert.deepEqual(motion.choices, [1]);
});

test("sliders stay on the beam as it is drawn, whichever way they travel", async () => {
    const { Vector3 } = await load("node_modules/three/src/math/Vector3.js");
    const { SliderPath } = await load("src/scene/slide.ts");
    const { report, inner, motion, poses, shape } = await bendCantilever(50, 0.31);
    const [at, along] = [new Vector3(), new Vector3()];
    const s = inner.valueAt(report.sliders[0].s, 0.31);
    assert.ok(Math.abs(s - (1.1 + 0.8 * Math.sin(1.5 * 0.31))) < 1e-5);
    const path = new SliderPath(report.sliders[0], shape, () => s, null);
    path.pointAt(path.place(0.31, poses), poses, at, along);
    const u = 50 * BEAM.amplitude * Math.cos(5 * 0.31);
    assert.ok(Math.abs(at.x - s) < 1e-5 && Math.abs(at.y - u * BEAM.shape(s / 2)) < 1e-4 * BEAM.amplitude * 50, `${at.x}, ${at.y}`);
    const then = path.pointThen(0.31, motion, 50, poses);
    assert.ok(then.distanceTo(at) < 1e-12, "trails pass through it");
    const backwards = { ...report.sliders[0], pieces: [...report.sliders[0].pieces].reverse().map((e) => -1 - e) };
    new SliderPath(backwards, shape, () => 0, null).pointAt(BEAM.length - s, poses, at, along);
    assert.ok(at.distanceTo(then) < 1e-12);
    assert.ok(along.x < 1.01 && Math.abs(at.x - s) < 1e-5);
    new SliderPath(report.sliders[1], shape, () => 0, null).pointAt(0.25, poses, at, along);
    assert.ok(at.distanceTo(new Vector3(0.75, 0.5, 0)) < 1e-12, "on a curve");
});

// A report as the second run of a picture.
async function twinOf(raw, factor, t) {
    const { readReport } = await load("src/data.ts");
    const { RunMotion } = await load("src/scene/motion.ts");
    const { calcExtent } = await load("src/scene/extent.ts");
    const { Twin } = await load("src/scene/twin.ts");
    const { Vector3 } = await load("node_modules/three/src/math/Vector3.js");
    const report = readReport(raw);
    const twin = new Twin(report, calcExtent(report, new RunMotion(report.bodies, report.frames, report.meshes)), new Vector3(1, 0, 0));
    twin.update(t, factor);
    const found = [];
    twin.group.traverse((part) => found.push(part));
    return found;
}

test("a second run shows its sliders, ropes and meshes, magnified as the first", async () => {
    const raw = cantilever();
    const tip = raw.bodies.findIndex(({ name }) => name === "beam.tip");
    raw.rods = [{ name: "stay", body_a: -1, at_a: [0, 1, 0], body_b: tip, at_b: [0, 0, 0] }];
    const parts = await twinOf(raw, 50, 0.31);
    const s = 1.1 + 0.8 * Math.sin(1.5 * 0.31);
    const u = 50 * BEAM.amplitude * Math.cos(5 * 0.31);
    const block = parts.find(({ userData }) => userData.label?.startsWith("slider m1")).position;
    assert.ok(Math.abs(block.x - s) < 1e-4 && Math.abs(block.y - u * BEAM.shape(s / 2)) < 1e-4 * 50 * BEAM.amplitude, `${block.x}, ${block.y}`);
    const rope = parts.find(({ userData }) => userData.label === "stay");
    assert.ok(Math.abs(rope.children[0].scale.z - Math.hypot(BEAM.length, 1 - u)) < 1e-4, "the rope ends at the magnified tip");
    const plate = parts.filter(({ isMesh, material }) => isMesh && material.opacity < 1);
    assert.ok(plate.length >= 4, "all of it is pale");
    const sheets = (await twinOf(mesh(), 20, 0.31)).filter(({ userData }) => userData.mesh);
    assert.equal(sheets.length, 1);
    const height = sheets[0].geometry.attributes.position.array[3 * SHEET.cells[0] + 2];
    assert.ok(Math.abs(height - 20 * SHEET.amplitude * (SHEET.wave(0.31) - SHEET.twist(0.31))) < 1e-5, `${height}`);
});

test("points of a mesh move by the sum of its shapes, at and between frames", async () => {
    const { readReport } = await load("src/data.ts");
    const { RunMotion } = await load("src/scene/motion.ts");
    const { DeformedMotion } = await load("src/scene/deformed.ts");
    const { MeshShape } = await load("src/scene/mesh.ts");
    const report = readReport(mesh());
    const motion = new DeformedMotion(new RunMotion(report.bodies, report.frames, report.meshes), report);
    const shape = new MeshShape(report.meshes[0]);
    const amplitudes = new Float32Array(2);
    for (const t of [0, 0.31, 0.3137, 1]) {
        motion.calcMesh(0, t, amplitudes);
        shape.calc(amplitudes);
        const tip = 3 * SHEET.cells[0];
        const expected = SHEET.amplitude * (SHEET.wave(t) - SHEET.twist(t));
        assert.ok(Math.abs(shape.moves[tip + 2] - expected) < 2e-4 * SHEET.amplitude, `${shape.moves[tip + 2]} is not ${expected} at ${t}`);
    }
    // 6 % of the diagonal through the sheet and its node are about 26 times 2.5 mm.
    assert.equal(motion.largest, report.meshes[0].largest);
    assert.equal(motion.automatic, 20);
    const scalars = new Float32Array(shape.n);
    shape.calcScalars(-1, amplitudes, scalars);
    assert.ok(Math.abs(scalars[SHEET.cells[0]] - Math.abs(SHEET.amplitude * (SHEET.wave(1) - SHEET.twist(1)))) < 1e-6);
    shape.calcScalars(0, Float32Array.of(3, 0), scalars);
    assert.ok(Math.abs(scalars[0] - 6) < 1e-3, "pulled in one direction, the equivalent stress is that stress");
    shape.calcScalars(0, Float32Array.of(0, 2), scalars);
    assert.ok(Math.abs(scalars[0] - Math.sqrt(3) * 2 * (16000 / 32767)) < 1e-3, "in shear it is the root of three times as large");
});

test("colours have the same range at all times, and modes that of the shape", async () => {
    const { readReport } = await load("src/data.ts");
    const { ModeMotion, RunMotion } = await load("src/scene/motion.ts");
    const { Colors } = await load("src/scene/colors.ts");
    const report = readReport(mesh());
    const colors = new Colors(report, new RunMotion(report.bodies, report.frames, report.meshes));
    assert.deepEqual(colors.choices.map(({ key }) => key), ["displacement", "stress", "none"]);
    assert.deepEqual(colors.range("displacement"), { low: 0, high: 1.25 * SHEET.amplitude });
    assert.ok(colors.range("stress").high > 0.99 * SHEET.amplitude);
    const modes = readReport(meshModes());
    const motion = new ModeMotion(modes.bodies, modes.meshes);
    motion.mode = modes.modes[0];
    motion.amplitude = motion.calcFullAmplitude(motion.mode, [[]], 0.25);
    assert.ok(Math.abs(motion.amplitude - 0.25) < 1e-4, "the tip of the mesh moves by what was asked for");
    assert.ok(Math.abs(new Colors(modes, motion).range("displacement").high - 0.25) < 1e-4);
});

test("a path of the camera passes its views, keeps the distance on an arc, and goes around once", async () => {
    const { CameraPath } = await load("src/scene/path.ts");
    const { Vector3 } = require("three");
    const path = new CameraPath();
    assert.equal(path.at(0), null);
    const near = (a, b) => assert.ok(a.distanceTo(b) < 1e-12, `${a.toArray()} ${b.toArray()}`);
    path.add({ t: 2, target: new Vector3(1, 0, 0), offset: new Vector3(0, 4, 0) });
    path.add({ t: 0, target: new Vector3(), offset: new Vector3(1, 0, 0) });
    near(path.at(-1).offset, new Vector3(1, 0, 0));
    near(path.at(3).target, new Vector3(1, 0, 0));
    near(path.at(1).target, new Vector3(0.5, 0, 0));
    near(path.at(1).offset, new Vector3(1, 1, 0).normalize().multiplyScalar(2));
    path.add({ t: 2, target: new Vector3(), offset: new Vector3(0, 0, 1) });
    assert.equal(path.keys.length, 2, "a view takes the place of another of its time");
    path.turnAround(0, 8, new Vector3(1, 2, 3), new Vector3(3, 0, 1), new Vector3(0, 0, 1));
    near(path.at(4).offset, new Vector3(-3, 0, 1));
    near(path.at(8).offset, new Vector3(3, 0, 1));
    for (let t = 0; t < 8; t += 0.37) {
        assert.ok(Math.abs(path.at(t).offset.length() - Math.sqrt(10)) < 1e-12);
    }
});

test("the address of a report is read, and nonsense in it is not obeyed", async () => {
    const { readAddress } = await load("src/page/address.ts");
    assert.deepEqual(readAddress("#still&view=front&t=-2.5e-1"), { isStill: true, view: "front", t: -0.25 });
    assert.deepEqual(readAddress(""), { isStill: false, view: "", t: NaN });
    assert.deepEqual(readAddress("#view=constructor&t=x"), { isStill: false, view: "", t: NaN });
});

test("a trace ends where the point is, and is whole again later", async () => {
    const { Polyline } = await load("src/scene/polyline.ts");
    const { Vector3 } = await load("node_modules/three/src/math/Vector3.js");
    const points = [0, 1, 2, 3].map((x) => new Vector3(x, 0, 0));
    const line = new Polyline(points, "#ffffff", 1);
    const { geometry } = line.mesh;
    const segment = (i) => [geometry.attributes.instanceStart.getX(8 * i), geometry.attributes.instanceEnd.getX(8 * i + 7)];
    const drawn = () => [geometry.drawRange.start / 18, geometry.drawRange.count / 18];
    line.show(0, 1, new Vector3(1.25, 0, 0));
    assert.deepEqual([segment(0), segment(1), segment(2)], [[0, 1], [1, 1.25], [2, 3]]);
    assert.deepEqual(drawn(), [0, 2]);
    line.show(1, 2, new Vector3(2.5, 0, 0));
    assert.deepEqual([segment(1), segment(2), drawn()], [[1, 2], [2, 2.5], [1, 2]]);
    line.show(0, 3, points[3]);
    assert.deepEqual([segment(2), drawn()], [[2, 3], [0, 3]]);
    assert.deepEqual([0, 1, 2].map((k) => geometry.index.getX(k)), [0, 2, 1]);
});
