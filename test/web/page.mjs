// Helpers of the page tests: open a fixture, read and move its time, compare pictures.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fill } from "../../viewer/fill.mjs";
import { fixtures } from "./fixtures.mjs";

export const scratch = mkdtempSync(join(tmpdir(), "flyball-web-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const TIMEOUT_MS = 180000; // a busy machine without a graphics card is slow

const written = new Map();

function fileOf(name) {
    if (!written.has(name)) {
        const path = join(scratch, `${name}.html`);
        writeFileSync(path, fill(fixtures[name]()));
        written.set(name, path);
    }
    return written.get(name);
}

// A page with the fixture; every console message, error and request to anywhere is collected in page.trouble.
export async function open(browser, name, options = {}) {
    return openFile(browser, fileOf(name), options);
}

const usual = { viewport: { width: 1000, height: 640 }, reducedMotion: "reduce", colorScheme: "light" };
const idle = new Map(); // of each browser: pages that were closed, to be used again

// A process of its own for each page would cost more time than most tests take, so that one that was closed is used again, emptied.
// With isFresh it is a new one.
export async function openFile(browser, path, { isFresh, ...options } = {}) {
    const page = (isFresh ? null : idle.get(browser)?.pop()) ?? (await watchedPage(browser));
    const { viewport, ...media } = { ...usual, ...options };
    await page.setViewportSize(viewport);
    await page.emulateMedia({ media: null, ...media });
    await page.goto(pathToFileURL(path).href);
    await drawn(page);
    return page;
}

async function watchedPage(browser) {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    page.trouble = [];
    page.on("console", (message) => /error|warning/.test(message.type()) && isOurs(message.text()) && page.trouble.push(message.text()));
    page.on("pageerror", (error) => page.trouble.push(error.message));
    page.on("request", (request) => /^(file|blob|data):/.test(request.url()) || page.trouble.push(`request to ${request.url()}`));
    return page;
}

// What the software renderer says about itself is no trouble of the page.
const isOurs = (text) => !/GL Driver Message|swiftshader|GPU stall/i.test(text);

// Two pictures later everything that was asked for is on the screen.
export async function drawn(page) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
}

export async function close(page) {
    assert.deepEqual(page.trouble, []);
    await page.evaluate(() => localStorage.clear()); // where it remembers the theme
    await page.goto("about:blank");
    const browser = page.context().browser();
    idle.set(browser, [...(idle.get(browser) ?? []), page]);
}

export async function seek(page, share) {
    await page.locator(".scrub").evaluate((input, part) => {
        input.value = String(Number(input.min) + part * (Number(input.max) - Number(input.min)));
        input.dispatchEvent(new Event("input"));
    }, share);
    await drawn(page);
}

export const time = (page) => page.locator(".scrub").evaluate((input) => Number(input.value));

export async function picture(page) {
    await drawn(page);
    return page.locator(".stage canvas").evaluate((canvas) => canvas.toDataURL());
}

// Where the markers of all plots stand, as parts of the plot's width.
export function markers(page) {
    return page.locator(".chart .u-over").evaluateAll((fields) =>
        fields.map((field) => {
            const box = field.getBoundingClientRect();
            const marker = field.querySelector(".time-marker").getBoundingClientRect();
            return (marker.left + marker.width / 2 - box.left) / box.width;
        }),
    );
}
