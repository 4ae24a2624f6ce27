// Runs the tests of the web report; 77 (skipped) with a reason if Chromium or the packages are not available.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { executablePath } from "./browser.mjs";

const SKIPPED = 77;
const here = dirname(fileURLToPath(import.meta.url));
const viewer = join(here, "../../viewer");

function skip(reason) {
    console.log(`skipped: ${reason}`);
    process.exit(SKIPPED);
}

if (!executablePath) {
    skip("no Chromium here; install the package chromium");
}
if (["playwright-core", "gltf-validator"].some((name) => !existsSync(join(viewer, "node_modules", name)))) {
    const { status, stderr } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: viewer, encoding: "utf8" });
    if (status !== 0) {
        skip(`the packages of viewer/ cannot be installed with npm ci: ${stderr ?? "there is no npm"}`);
    }
}
const files = ["unit_test.mjs", "gltf_test.mjs", "web_test.mjs", "program_test.mjs"].map((file) => join(here, file));
for (const file of files) {
    const { status } = spawnSync(process.execPath, ["--test", file], { stdio: "inherit" });
    if (status !== 0) {
        process.exit(status ?? 1);
    }
}
