// Puts a JSON document into the template, as the C report writer does: node fill.mjs data.json report.html
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const template = join(dirname(fileURLToPath(import.meta.url)), "dist/report.html");
const EMPTY = 'id="flyball-data">null<';

// No text of a model may end the script element or open a comment in it.
export function escape(json) {
    return json.replace(/[<>&\u2028\u2029]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

export function fill(data) {
    const json = escape(JSON.stringify(data));
    return readFileSync(template, "utf8").replace(EMPTY, () => `id="flyball-data">${json}<`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [input, output] = process.argv.slice(2);
    if (!output) {
        console.error("usage: node fill.mjs DATA.json REPORT.html");
        process.exit(2);
    }
    writeFileSync(output, fill(JSON.parse(readFileSync(input, "utf8"))));
}
