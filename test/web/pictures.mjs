// Pictures of every kind of report, for the eye and for the documents: node pictures.mjs PROGRAM FOLDER [IMAGES [NAME...]]
//
// FOLDER gets them all, or those that are named (wide, dark, phone, and paper as PDF), IMAGES those that README and guide show.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const [program, folder, images] = process.argv.slice(2, 5).map((path) => resolve(path));
const names = process.argv.slice(5);
const isWanted = (name) => !names.length || names.includes(name);
const root = fileURLToPath(new URL("../../", import.meta.url));
const TIMEOUT_MS = 180000; // a busy machine without a graphics card is slow
const scratch = mkdtempSync(join(tmpdir(), "flyball-web-"));

function run(...words) {
    const { status } = spawnSync(program, [...words, "--quiet"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    // 1: a computation did not reach its end; its report is one of the pictures.
    if (status !== 0 && !(status === 1 && words.some((word) => word.endsWith("unfinished.yaml")))) {
        throw new Error(`${program} ${words.join(" ")}: exit status ${status}`);
    }
}

const model = (command, path, ...more) => (html) => [command, join(root, path), ...more, "--report", html];

// A run twice, with another parameter, and one report of both.
function both(path, change) {
    return (html) => {
        const [one, two] = ["one", "two"].map((name) => join(scratch, name));
        run("run", join(root, path), "--poses", "-o", one);
        run("run", join(root, path), "--set", change, "--poses", "-o", two);
        const table = `${basename(path, ".yaml")}.csv`;
        return ["report", join(one, table), "--with", join(two, table), "-o", html];
    };
}

// name: the command that writes the report, at which share of the time it is seen, and what is chosen in the page first.
const reports = {
    governor: [model("run", "models/governor.yaml", "--sample", "0.02"), 0.62],
    tower: [model("run", "models/tower.yaml"), 0.62],
    crane: [model("run", "models/crane.yaml"), 0.15],
    plate: [model("run", "docs/guide/models/table.yaml"), 0.4],
    plate_damper: [model("run", "models/plate_damper.yaml"), 0.3],
    bridge_deck: [model("run", "models/bridge_deck.yaml"), 0.5],
    engine: [model("run", "models/engine.yaml"), 0.4],
    chain: [model("run", "models/chain.yaml"), 0.3],
    robot: [model("run", "models/robot.yaml"), 0.4],
    bicycle: [model("run", "models/bicycle.yaml", "--set", "lean_rate=0.5"), 0.4],
    rolling_disc: [model("run", "models/rolling_disc.yaml"), 0.4],
    frame: [model("modes", "models/frame.yaml", "--lowest", "8"), 0],
    samples: [model("sweep", "docs/guide/studies/tolerance.yaml", "-o", join(scratch, "samples.csv")), 0],
    map: [model("sweep", "docs/guide/studies/phase.yaml", "-o", join(scratch, "map.csv")), 0],
    campbell: [model("sweep", "docs/guide/studies/campbell.yaml", "-o", join(scratch, "campbell.csv")), 0],
    search: [model("optimize", "docs/guide/studies/best.yaml", "-o", join(scratch, "search.csv")), 0],
    unfinished: [model("run", "test/web/models/unfinished.yaml"), 0.5],
    two_runs: [both("models/crane.yaml", "reel=0.4"), 0.3],
    side_by_side: [both("models/crane.yaml", "reel=0.4"), 0.3, (page) => page.getByRole("combobox", { name: "Second run" }).selectOption("beside")],
    large_frame: [model("modes", "bench/frames/space_frame.yaml", "--set", "S=6", "--set", "B=3", "--lowest", "6"), 0],
};
const cases = { s3: 0.1, fourbar: 0.6, a05: 0.62 };

const looks = [
    ["wide", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
    ["dark", { colorScheme: "dark", viewport: { width: 1440, height: 900 } }],
    ["phone", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
    ["paper", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
];

// What documents show, drawn by the program itself: the report, the time in s, the file.
const shown = [
    ["a05", 6.2, "report.png"],
    ["crane", 4.5, "crane.png"],
];

function show(name, html) {
    for (const [, time, file] of images ? shown.filter(([of]) => of === name) : []) {
        run("report", html, "--png", join(images, file), "--view", "page", "--time", String(time), "--size", "1280x860");
    }
}

async function take(browser, name, path, share, choose) {
    for (const [look, options] of looks) {
        const page = await browser.newPage({ ...options, reducedMotion: "reduce" });
        page.setDefaultTimeout(TIMEOUT_MS);
        await page.goto(pathToFileURL(path).href);
        await choose?.(page);
        const scrub = page.locator(".scrub");
        if (await scrub.count()) {
            await scrub.evaluate((input, part) => {
                input.value = String(Number(input.min) + part * (Number(input.max) - Number(input.min)));
                input.dispatchEvent(new Event("input"));
            }, share);
        }
        await page.waitForTimeout(400);
        const stem = join(folder, `${name}-${look}`);
        if (look === "paper") {
            await page.pdf({ path: `${stem}.pdf`, format: "A4", printBackground: true });
        } else {
            await page.screenshot({ path: `${stem}.png`, fullPage: true });
        }
        await page.close();
    }
    console.log(`${name}: ${looks.map(([look]) => look).join(", ")}`);
}

mkdirSync(folder, { recursive: true });
const browser = await launch();
try {
    for (const [name, [command, share, choose]] of Object.entries(reports).filter(([name]) => isWanted(name))) {
        const html = join(scratch, `${name}.html`);
        run(...command(html));
        await take(browser, name, html, share, choose);
        show(name, html);
    }
    const wanted = Object.keys(cases).filter((name) => isWanted(name) || isWanted("overview"));
    if (wanted.length) {
        run("bench", ...wanted, "--report", join(scratch, "bench"), "--example", join(root, "models/crane.yaml"));
    }
    for (const name of wanted.filter(isWanted)) {
        await take(browser, name, join(scratch, "bench", `${name}.html`), cases[name]);
        show(name, join(scratch, "bench", `${name}.html`));
    }
    if (isWanted("overview")) {
        await take(browser, "overview", join(scratch, "bench/index.html"), 0);
    }
} finally {
    await browser.close();
    rmSync(scratch, { recursive: true });
}
