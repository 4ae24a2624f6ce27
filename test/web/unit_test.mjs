// The viewer's own mathematics and the template, without a browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { escape } from "../../viewer/fill.mjs";

const viewer = fileURLToPath(new URL("../../viewer/", import.meta.url));
const require = createRequire(`${viewer}package.json`);

// A TypeScript module of the viewer with what it imports.
async function load(path) {
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
    const { nameTicks } = await load("src/plots/svgplot.ts");
    assert.deepEqual(nameTicks([0, 0.5, 1]), { names: ["0", "0.5", "1"], note: "" });
    const { names, note } = nameTicks([35.835, 35.835 + 5e-9, 35.835 + 1e-8]);
    assert.match(note, /^difference from 35\.835$/);
    assert.equal(new Set(names).size, 3);
    assert.deepEqual(names.map((name) => Number(name.replace("−", "-")).toPrecision(2)), ["0.0", "5.0e-9", "1.0e-8"]);
});
