// The text of the model file, with its keys, numbers, names and comments in colours.
import { button, el, save } from "./dom.ts";
import { fileName } from "./format.ts";
import type { Report } from "../data.ts";

export interface Token {
    kind: "key" | "number" | "text" | "comment" | "mark" | "";
    text: string;
}

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?(?![\w.])/;

function wordAt(line: string, at: number): Token {
    const rest = line.slice(at);
    const quoted = /^"([^"\\]|\\.)*"?|^'[^']*'?/.exec(rest);
    const isKey = (word: string): boolean => /^\s*:(\s|$)/.test(rest.slice(word.length));
    if (quoted) {
        return { kind: isKey(quoted[0]) ? "key" : "text", text: quoted[0] };
    }
    const number = NUMBER.exec(rest);
    if (number) {
        return { kind: isKey(number[0]) ? "key" : "number", text: number[0] };
    }
    const word = /^[^\s{}[\],:]+/.exec(rest)?.[0] ?? rest[0];
    return { kind: isKey(word) ? "key" : "", text: word };
}

// The parts of a line of YAML; together they are the line.
export function tokens(line: string): Token[] {
    const out: Token[] = [];
    for (let at = 0; at < line.length; at += out[out.length - 1].text.length) {
        const rest = line.slice(at);
        const space = /^\s+/.exec(rest)?.[0];
        const isComment = rest[0] === "#" && (at === 0 || /\s/.test(line[at - 1]));
        out.push(
            space ? { kind: "", text: space } : isComment ? { kind: "comment", text: rest } : /[{}[\],:]/.test(rest[0]) ? { kind: "mark", text: rest[0] } : wordAt(line, at),
        );
    }
    return out;
}

function buildLine(line: string): HTMLElement {
    return el("span", { class: "line" }, ...tokens(line).map(({ kind, text }) => (kind ? el("span", { class: `yaml-${kind}` }, text) : text)), "\n");
}

export function buildModelText(report: Report): HTMLElement | null {
    const { text, name } = report.model;
    if (!text) {
        return null;
    }
    const code = el("pre", { class: "model-text", tabindex: 0, role: "region", "aria-label": "Model file" });
    const details = el("details", { class: "model" }, el("summary", {}, el("h2", {}, "Model file")));
    details.addEventListener("toggle", () => {
        if (details.open && !code.childElementCount) {
            code.append(...text.replace(/\n$/, "").split("\n").map(buildLine));
        }
    });
    const keep = button("download", "Save", () => save(new Blob([text], { type: "application/yaml" }), `${fileName(name)}.yaml`), true);
    details.append(el("div", { class: "tools" }, keep), code);
    return details;
}
