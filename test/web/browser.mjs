// The Chromium of the system, driven by playwright-core from the viewer's own packages.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../viewer/package.json", import.meta.url));

const folders = (process.env.PATH ?? "").split(":");
const names = ["chromium", "chromium-browser", "google-chrome"];

export const executablePath = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));

// Software rendering, for WebGL alone: the page around it is put together without a renderer of graphics, which takes a third of the time.
const args = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--no-first-run",
];

export async function launch(more = []) {
    const { chromium } = require("playwright-core");
    return chromium.launch({ executablePath, args: [...args, ...more] });
}

export const axeSource = () => require("axe-core").source;
