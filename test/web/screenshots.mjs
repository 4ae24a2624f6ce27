// Pictures of the fixtures (or of given reports) for the eye: node screenshots.mjs FOLDER [REPORT.html...]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";
import { fixtures } from "./fixtures.mjs";
import { fill } from "../../viewer/fill.mjs";

const [folder = "screenshots", ...reports] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), "flyball-web-"));
const files = reports.map((path) => resolve(path));
if (!files.length) {
    for (const [name, build] of Object.entries(fixtures)) {
        files.push(join(scratch, `${name}.html`));
        writeFileSync(files[files.length - 1], fill(build()));
    }
}
const browser = await launch();
const looks = [
    ["light", 1440, 900],
    ["dark", 1440, 900],
    ["light", 375, 812],
];
for (const file of files) {
    for (const [colorScheme, width, height] of looks) {
        const page = await browser.newPage({ colorScheme, viewport: { width, height }, reducedMotion: "reduce" });
        page.on("console", (message) => console.log(basename(file), message.type(), message.text()));
        page.on("pageerror", (error) => console.log(basename(file), "error", error.message));
        await page.goto(pathToFileURL(file).href);
        const scrub = page.locator(".scrub");
        if (await scrub.count()) {
            await scrub.evaluate((input) => {
                input.value = String(Number(input.min) + 0.62 * (Number(input.max) - Number(input.min)));
                input.dispatchEvent(new Event("input"));
            });
        }
        await page.waitForTimeout(500);
        const shape = width > 1000 ? colorScheme : "phone";
        await page.screenshot({ path: join(folder, `${basename(file, ".html")}-${shape}.png`), fullPage: shape === "phone" });
        await page.close();
    }
}
await browser.close();
rmSync(scratch, { recursive: true });
