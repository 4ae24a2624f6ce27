// Reports written by the program itself, in the browser. FLYBALL names the program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { axeSource, launch } from "./browser.mjs";
import { close, drawn, openFile, picture, scratch, seek } from "./page.mjs";

const program = process.env.FLYBALL;
const options = { skip: program ? false : "FLYBALL does not name the program" };
const root = fileURLToPath(new URL("../../", import.meta.url));

let browser;
before(async () => {
    browser = program ? await launch() : null;
});
after(() => browser?.close());

function write(command, model, name, ...more) {
    const path = join(scratch, name);
    execFileSync(program, [command, model, "--quiet", "--report", path, ...more], { stdio: "pipe" });
    return path;
}

async function checkMoves(page) {
    await seek(page, 0.1);
    const early = await picture(page);
    await seek(page, 0.37);
    assert.notEqual(await picture(page), early);
}

test("ten seconds of the governor: small, complete, moving", options, async () => {
    const path = write("run", join(root, "models/governor.yaml"), "governor.html", "--duration", "10");
    assert.ok(statSync(path).size < 1.5e6, `${statSync(path).size} bytes`);
    const page = await openFile(browser, path);
    await checkMoves(page);
    assert.ok((await page.locator(".chart").count()) >= 1);
    const numbers = await page.locator(".numbers").innerText();
    assert.match(numbers, /[0-9a-f]{64}/, "the hash of the model file");
    assert.match(numbers, /flyball run \S*governor\.yaml --quiet --report/, "the command");
    assert.match(await page.locator(".badges").innerText(), /error about [\d.e-]+ of the range of/);
    await page.locator("details.model summary").click();
    assert.equal(await page.locator(".model-text").evaluate((pre) => pre.textContent), readFileSync(join(root, "models/governor.yaml"), "utf8"));
    assert.ok((await page.locator(".model-text .yaml-key").count()) > 20);
    await close(page);
});

test("the program carries the committed template, unchanged around the data", options, () => {
    const path = write("run", join(root, "models/pendulum.yaml"), "pendulum.html", "--duration", "1");
    const emptied = readFileSync(path, "utf8").replace(/(id="flyball-data">)[^<]*</, "$1null<");
    assert.ok(emptied === readFileSync(join(root, "viewer/dist/report.html"), "utf8"));
});

test("a benchmark case shows its reference, error and verdict", options, async () => {
    execFileSync(program, ["bench", "a01", "--quiet", "--report", join(scratch, "bench")], { cwd: root, stdio: "pipe" });
    const page = await openFile(browser, join(scratch, "bench/a01.html"));
    assert.ok((await page.locator(".legend-reference").count()) >= 1);
    assert.ok((await page.locator("h3", { hasText: "against the reference" }).count()) >= 1);
    assert.equal(await page.locator(".badge.pass").count(), 1);
    await page.getByRole("link", { name: "All reports" }).click();
    await page.waitForURL(/index\.html$/);
    const cases = page.locator("tr.case");
    assert.equal(await cases.count(), 1);
    await page.getByRole("searchbox").fill("governor");
    assert.ok(await cases.first().isHidden());
    await page.getByRole("searchbox").fill("pendulum a01");
    assert.ok(await cases.first().isVisible());
    await page.getByRole("checkbox", { name: /missed/ }).check();
    assert.ok(await cases.first().isHidden());
    await close(page);
});

test("the four-bar by all methods: errors, times and spurious eigenvalues side by side", options, async () => {
    execFileSync(program, ["bench", "fourbar", "--quiet", "--report", join(scratch, "bench")], { cwd: root, stdio: "pipe" });
    const page = await openFile(browser, join(scratch, "bench/fourbar.html"));
    const rows = await page.locator(".methods tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.equal(rows.length, 8);
    for (const [name, coordinates, value, genuine, , error, time] of rows) {
        assert.match(value, name === "penalty" ? /^−0\.2423\d* ± 2\.1339\d*i$/ : /^−0\.242385809311 ± 2\.13395502835i$/, `${name} ${coordinates}`);
        assert.equal(genuine, "2");
        assert.ok(Number(error.replace("−", "-")) < (name === "penalty" ? 1e-3 : 1e-11), error);
        assert.match(time, /^[\d.]+ m?s$/);
    }
    assert.deepEqual(rows.map((row) => row[4] === "0"), [true, true, false, false, false, false, false, false], "only independent coordinates have no spurious ones");
    await close(page);
});

test("modes of the engine mount swing", options, async () => {
    const page = await openFile(browser, write("modes", join(root, "models/engine_mount.yaml"), "modes.html"));
    assert.ok((await page.locator(".mode-list tbody tr").count()) >= 6);
    await checkMoves(page);
    await close(page);
});

const FRAME = `flyball: 1
title: Frame
gravity: [0, -9.81, 0]
materials: {steel: {E: 210e9, nu: 0.3, density: 7850}}
sections: {bar: {type: rectangle, material: steel, width: 40 mm, height: 20 mm}}
structures:
  f:
    plane: xy
    damping: {beta: 1e-3}
    nodes: {A: {at: [0, 0], support: clamped}, B: {at: [2, 0], force: ["0", "20*sin(8*t)", "0"]}}
    members: {arm: {from: A, to: B, section: bar, elements: 6}}
sliders:
  m: {guide: [f.arm], mass: 3, value: "1 + 0.8*sin(2*t)"}
  n: {guide: [f.arm], mass: 1, free: true, position: 0.5, stiffness: 400, rest: 0.6, damping: 1}
simulation: {duration: 2, sample: 0.02, rtol: 1e-6}
`;

test("a frame bends, its sliders move; so do its lowest modes", options, async () => {
    const model = join(scratch, "frame.yaml");
    writeFileSync(model, FRAME);
    const page = await openFile(browser, write("run", model, "frame.html"));
    assert.match(await page.locator(".stage-scale").textContent(), /^displacements (to scale|drawn × \d+), largest [\d.]+ m/);
    await checkMoves(page);
    await close(page);
    const modes = await openFile(browser, write("modes", model, "frame_modes.html", "--lowest", "4"));
    assert.equal(await modes.locator(".mode-list tbody tr").count(), 4);
    assert.match(await modes.locator(".participation").textContent(), /f\.arm/);
    assert.match(await modes.locator(".numbers").innerText(), /sparse, the lowest modes/);
    await checkMoves(modes);
    await close(modes);
});

test("a hostile model file does not run", options, async () => {
    const attack = '</script><script>window.attacked=1</script><img src=x onerror=\\"window.attacked=1\\"><!-- \\u2028';
    const model = join(scratch, "hostile.yaml");
    writeFileSync(
        model,
        `flyball: 1
title: "${attack}"
gravity: [0, 0, -9.81]
bodies:
  rod: {shapes: [{type: rod, from: [0, 0, 0], to: [1, 0, 0], mass: 1}]}
joints:
  pin: {type: revolute, between: [ground, rod], point: [0, 0, 0], axis: [0, 1, 0]}
outputs: {angle: pin.q}
simulation: {duration: 1, sample: 0.1}
`,
    );
    const page = await openFile(browser, write("run", model, "hostile.html"));
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    assert.match(await page.locator("h1").textContent(), /^<\/script><script>/);
    await close(page);
});

test("a plate of shells bends in runs and in modes", options, async () => {
    for (const command of ["run", "modes"]) {
        const page = await openFile(browser, write(command, join(root, "docs/guide/models/table.yaml"), `table_${command}.html`));
        await checkMoves(page);
        assert.match(await page.locator(".mesh-legend").innerText(), /displacement/);
        const before = await picture(page);
        await page.getByRole("combobox", { name: "Colour" }).selectOption("von Mises stress");
        await page.waitForTimeout(100);
        assert.match(await page.locator(".mesh-legend").innerText(), command === "run" ? /von Mises stress \[[kM]?Pa\]/ : /von Mises stress/);
        assert.notEqual(await picture(page), before);
        await close(page);
    }
});

test("recorded forces, stresses of beams and a path of the camera are in the picture", options, async () => {
    const page = await openFile(browser, write("run", join(root, "test/cli/gltf/arm.yaml"), "arm.html"));
    await seek(page, 0.6);
    let before = await picture(page);
    const changes = async (what) => {
        const now = await picture(page);
        assert.notEqual(now, before, what);
        before = now;
    };
    await page.locator("details.menu summary", { hasText: "Show" }).click();
    await page.getByRole("checkbox", { name: "Recorded forces and moments" }).check();
    await changes("arrows");
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Colour" }).selectOption("stress of beams");
    await changes("stresses");
    assert.match(await page.locator(".mesh-legend").innerText(), /stress of beams \[[kM]Pa\]/);
    await page.getByRole("combobox", { name: "Colour" }).selectOption("none");
    await changes("colours of members again");
    await page.locator("details.menu summary", { hasText: "Camera" }).click();
    await page.getByRole("button", { name: "Go around once during the run" }).click();
    await changes("the camera is on its way");
    assert.match(await page.locator(".menu-note").innerText(), /9 views/);
    await page.getByRole("button", { name: "Forget all views" }).click();
    await close(page);
});

test("two runs in one picture, over each other and side by side", options, async () => {
    const model = join(root, "test/cli/gltf/arm.yaml");
    const other = join(scratch, "other.yaml");
    writeFileSync(other, readFileSync(model, "utf8").replace("stiffness: 20", "stiffness: 60"));
    for (const [path, folder] of [[model, "one"], [other, "two"]]) {
        execFileSync(program, ["run", path, "--quiet", "--poses", "-o", join(scratch, folder)], { stdio: "pipe" });
    }
    const html = join(scratch, "both.html");
    execFileSync(program, ["report", join(scratch, "one/arm.csv"), "--with", join(scratch, "two/arm.csv"), "-o", html, "--quiet"], { stdio: "pipe" });
    const page = await openFile(browser, html);
    await seek(page, 0.5);
    const pictures = new Set([await picture(page)]);
    for (const choice of ["beside", "hidden"]) {
        await page.getByRole("combobox", { name: "Second run" }).selectOption(choice);
        pictures.add(await picture(page));
    }
    assert.equal(pictures.size, 3);
    assert.ok((await page.locator(".legend-reference").count()) >= 1, "its outputs are in the plots");
    await close(page);
});

// What a reader of a phone, or in the dark, must not meet: pages that scroll sideways, texts that are cut, colours without contrast.
async function checkLooks(page) {
    await page.evaluate(axeSource());
    for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
        assert.deepEqual(violations.map((v) => `${colorScheme}: ${v.id}: ${v.nodes.map((n) => n.html).join(" ").slice(0, 300)}`), []);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await drawn(page);
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(inner <= outer, `${inner} > ${outer}`);
    assert.deepEqual(await cutTexts(page), []);
}

// Buttons, headings and chosen options that are wider than their place; what scrolls may be.
function cutTexts(page) {
    return page.evaluate(() => {
        const canvas = document.createElement("canvas").getContext("2d");
        const isCut = (element) => {
            if (element.tagName !== "SELECT") {
                return element.scrollWidth > element.clientWidth + 1;
            }
            const style = getComputedStyle(element);
            canvas.font = style.font;
            const room = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
            return canvas.measureText(element.selectedOptions[0]?.text ?? "").width > room + 1;
        };
        const seen = [...document.querySelectorAll("h1, h2, h3, select, button, summary, .badge, .stage-grid, .stage-scale, p")];
        return seen.filter((element) => element.checkVisibility() && element.clientWidth > 1 && isCut(element)).map((e) => `${e.tagName} ${(e.selectedOptions?.[0] ?? e).textContent}`);
    });
}

test("a run that ended early says so at the top", options, async () => {
    const path = join(scratch, "unfinished.html");
    const model = join(root, "test/web/models/unfinished.yaml");
    assert.throws(() => execFileSync(program, ["run", model, "--quiet", "--report", path], { stdio: "pipe" }), { status: 1 });
    const page = await openFile(browser, path);
    assert.equal(await page.locator(".badge.fail").innerText(), "ended early, at 1.5 s");
    assert.equal(await page.locator(".badge.warn").count(), 0);
    assert.match(await page.locator(".warnings").innerText(), /^The run ended early: .*sqrt of -/);
    await checkLooks(page);
    await close(page);
});

test("studies, the overview and the four-bar's methods on a phone and in the dark", options, async () => {
    const study = write("sweep", join(root, "docs/guide/studies/phase.yaml"), "study.html", "-o", join(scratch, "study.csv"));
    for (const path of [study, join(scratch, "bench/index.html"), join(scratch, "bench/fourbar.html")]) {
        const page = await openFile(browser, path);
        assert.equal(await page.locator("tr.case svg.thumb").count(), await page.locator("tr.case").count(), "a picture of each case");
        await checkLooks(page);
        await close(page);
    }
});
