// Which outputs share a plot: those of one unit whose curves can be read on one axis; the main one comes first.
import type { Output, Report } from "../data.ts";
import { rangeOf } from "./decimate.ts";

export type Grouping = "auto" | "each" | "unit";

const PER_CHART = 8;
const FLAT = 0.06; // of the height of a plot: a curve that moves less looks like a line

export const baseOf = (name: string): string => name.replace(/\.[xyz]$/, "");

// Of a drive, recorded by itself: whether it meets its limits. Nobody looks for it first.
const isSideline = (name: string): boolean => /\.limit$/.test(name);

// What the report is about: the vibration that is examined, what is compared with a reference, the first output.
export function findMain({ outputs, damping, references }: Report): Output | null {
    const named = (name: string | undefined): Output | undefined => outputs.find((output) => output.name === name);
    return named(damping?.output) ?? named(references[0]?.output) ?? outputs.find(({ name }) => !isSideline(name)) ?? outputs[0] ?? null;
}

type Range = [number, number];

// Can curves of these ranges be read on one axis? A constant only must not press the others flat.
function fit(ranges: Range[]): boolean {
    const known = ranges.filter(([low, high]) => low <= high);
    const low = Math.min(...known.map((r) => r[0]));
    const high = Math.max(...known.map((r) => r[1]));
    const largest = Math.max(Math.abs(low), Math.abs(high));
    const isConstant = ([a, b]: Range): boolean => b - a <= 1e-9 * largest;
    return known.every((r) => isConstant(r) || r[1] - r[0] >= FLAT * (high - low));
}

// Vectors keep together where they can; single values of one unit share an axis.
function keyOf(output: Output, grouping: Grouping): string {
    if (grouping === "each") {
        return `n ${output.name}`;
    }
    const isPart = baseOf(output.name) !== output.name;
    return grouping === "auto" && isPart ? `v ${baseOf(output.name)} ${output.unit}` : `u ${output.unit}`;
}

export function groupOutputs(outputs: Output[], grouping: Grouping, main: Output | null): Output[][] {
    const rank = (output: Output): number => (output === main ? 0 : isSideline(output.name) ? 2 : 1);
    const sorted = [...outputs].sort((a, b) => rank(a) - rank(b));
    const ranges = new Map(outputs.map((output): [Output, Range] => [output, rangeOf(output.values)]));
    const groups: { key: string; members: Output[] }[] = [];
    for (const output of sorted) {
        const key = keyOf(output, grouping);
        const hasRoom = ({ members }: { members: Output[] }): boolean =>
            members.length < PER_CHART && (grouping !== "auto" || fit([...members, output].map((o) => ranges.get(o)!)));
        const group = groups.find((other) => other.key === key && hasRoom(other));
        if (group) {
            group.members.push(output);
        } else {
            groups.push({ key, members: [output] });
        }
    }
    return groups.map(({ members }) => members);
}

// A vector is called by its name only where all of it is shown: 'center.z' beside a plot of 'center.x, center.y'.
export function titleOf(group: Output[], all: Output[] = group): string {
    const isWhole = (base: string): boolean => all.every((output) => baseOf(output.name) !== base || group.includes(output));
    const nameOf = ({ name }: Output): string => (isWhole(baseOf(name)) ? baseOf(name) : name);
    const bases = [...new Set(group.map(nameOf))];
    return bases.length <= 4 ? bases.join(", ") : `${bases.slice(0, 3).join(", ")} and ${bases.length - 3} more`;
}
