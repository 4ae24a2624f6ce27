// Bundles the viewer into dist/report.html: one file with script, style and licences inside, and one line for the data.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const DATA_LINE = '<script type="application/json" id="flyball-data">null</script>';

// GLSL is indented and commented in three's sources; the bundler leaves strings alone, so this shortens them.
const shortShaders = {
    name: "short-shaders",
    setup(b) {
        b.onLoad({ filter: /three\.module\.js$|\.glsl\.js$/ }, ({ path }) => ({
            contents: readFileSync(path, "utf8").replace(/"(#ifdef|#if|#define|#ifndef|uniform|varying|attribute|struct|float|vec[234]|void)(?:[^"\\]|\\.)*\\n(?:[^"\\]|\\.)*"/g, shorten),
            loader: "js",
        }));
    },
};

function shorten(literal) {
    const lines = literal.slice(1, -1).split("\\n").map((line) => line.replace(/\\t/g, " ").replace(/\s+/g, " ").trim());
    return `"${lines.filter((line) => line && !line.startsWith("//")).join("\\n")}"`;
}

async function bundle(entry, loader) {
    const result = await build({
        entryPoints: [join(here, entry)],
        bundle: true,
        minify: true,
        write: false,
        format: "iife",
        target: "es2021",
        legalComments: "none",
        loader,
        plugins: [shortShaders],
        metafile: true,
    });
    if (process.argv.includes("--sizes")) {
        const inputs = Object.values(result.metafile.outputs)[0].inputs;
        for (const [name, { bytesInOutput }] of Object.entries(inputs).sort((a, b) => b[1].bytesInOutput - a[1].bytesInOutput).slice(0, 12)) {
            console.log(String(bytesInOutput).padStart(8), name);
        }
    }
    return result.outputFiles[0].text.trim();
}

function licence(name) {
    const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
    return `${name}\n${text}`;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// "</script" inside a script would end it; in JavaScript strings "<\/script" means the same.
const script = (await bundle("src/main.ts")).replace(/<\/(script|style)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const style = await bundle("src/style.css");
const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
].join("; ");

const parts = {
    "@policy@": policy,
    "@licences@": ["three", "uplot"].map(licence).join("\n\n").replaceAll("--", "- -"),
    "@style@": style,
    "@data@": DATA_LINE,
    "@script@": script,
};
let html = readFileSync(join(here, "src/report.html"), "utf8");
for (const [key, value] of Object.entries(parts)) {
    html = html.replace(key, () => value);
}
if (html.split(DATA_LINE).length !== 2) {
    throw new Error("the template must hold the line for the data exactly once");
}
if (process.argv.includes("--print")) {
    process.stdout.write(html);
} else {
    mkdirSync(join(here, "dist"), { recursive: true });
    writeFileSync(join(here, "dist/report.html"), html);
    console.log(`dist/report.html: ${(html.length / 1000).toFixed(0)} kB`);
}
