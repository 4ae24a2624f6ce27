// Fewer points that draw the same picture: the smallest and largest sample of every column of pixels.
import { indexAt } from "../page/format.ts";
import type { Numbers } from "../data.ts";

export interface Curves {
    x: number[];
    y: (number | null)[][];
}

const orNull = (v: number): number | null => (Number.isFinite(v) ? v : null);

function pick(x: Numbers, series: Numbers[], indices: ArrayLike<number>): Curves {
    const at = Array.from(indices);
    return { x: at.map((i) => x[i]), y: series.map((values) => at.map((i) => orNull(values[i]))) };
}

// Marks the extreme samples from..to-1 of one curve.
function markExtremes(values: Numbers, from: number, to: number, keep: Uint8Array, base: number): void {
    let [low, high] = [from, from];
    for (let i = from; i < to; i++) {
        const v = values[i];
        if (v < values[low] || Number.isNaN(values[low])) {
            low = i;
        }
        if (v > values[high] || Number.isNaN(values[high])) {
            high = i;
        }
        if (!Number.isFinite(v)) {
            keep[i - base] = 1; // gaps stay gaps
        }
    }
    keep[low - base] = 1;
    keep[high - base] = 1;
}

// The samples of all series within [low, high] and one more on either side, at most a few per column.
export function decimate(x: Numbers, series: Numbers[], low: number, high: number, columns: number): Curves {
    const n = x.length;
    if (n === 0) {
        return { x: [], y: series.map(() => []) };
    }
    const first = Math.max(0, indexAt(x, low) - (x[indexAt(x, low)] >= low ? 1 : 0));
    const last = Math.min(n - 1, indexAt(x, high) + 1);
    const count = last - first + 1;
    if (count <= 4 * columns) {
        return pick(x, series, Array.from({ length: count }, (_, i) => first + i));
    }
    const keep = new Uint8Array(count);
    keep[0] = keep[count - 1] = 1;
    for (let c = 0; c < columns; c++) {
        const from = first + Math.floor((count * c) / columns);
        const to = first + Math.floor((count * (c + 1)) / columns);
        keep[from - first] = 1;
        for (const values of series) {
            markExtremes(values, from, to, keep, first);
        }
    }
    const indices: number[] = [];
    for (let i = 0; i < count; i++) {
        if (keep[i]) {
            indices.push(first + i);
        }
    }
    return pick(x, series, indices);
}

const SWINGS_PER_COLUMN = 0.4; // beyond which neighbouring swings run into each other
const SWINGS_PER_STEP = 5; // in a column of a band, so that each has its highest and lowest

// How often a curve turns between low and high; ripples smaller than a twentieth of its range do not count.
export function countSwings(x: Numbers, y: Numbers, low: number, high: number): number {
    const [first, last] = [indexAt(x, low), indexAt(x, high)];
    const [least, largest] = rangeOf(y.subarray(first, last + 1));
    const enough = 0.05 * (largest - least);
    let [turn, direction, swings] = [y[first], 0, 0];
    for (let i = first; i <= last; i++) {
        const d = y[i] - turn;
        if (direction * d >= 0 && direction !== 0) {
            turn = y[i]; // still the same way
        } else if (Math.abs(d) > enough) {
            direction = Math.sign(d);
            turn = y[i];
            swings++;
        }
    }
    return swings;
}

// Would the line of a curve fill the plot, because it swings so often? Then it is drawn as a band of this many columns, of
// which each holds some swings; 0: as a line.
export function bandColumns(x: Numbers, y: Numbers, low: number, high: number, columns: number): number {
    const most = SWINGS_PER_COLUMN * columns;
    if (indexAt(x, high) - indexAt(x, low) < 2 * most) {
        return 0;
    }
    const swings = countSwings(x, y, low, high);
    return swings > most ? Math.min(columns / 2, swings / SWINGS_PER_STEP) : 0;
}

// The smallest and largest value of each of `columns` parts of the time, as places in their middle.
export function bandOf(x: Numbers, y: Numbers, low: number, high: number, columns: number): { x: number; low: number; high: number }[] {
    const n = Math.max(2, Math.round(columns));
    const width = (high - low) / n;
    const out: { x: number; low: number; high: number }[] = [];
    for (let i = indexAt(x, low); i < x.length && x[i] <= high; i++) {
        const c = Math.min(n - 1, Math.max(0, Math.floor((x[i] - low) / width)));
        const at = low + (c + 0.5) * width;
        const last = out[out.length - 1];
        if (!Number.isFinite(y[i])) {
            continue;
        }
        if (last && last.x >= at) {
            last.low = Math.min(last.low, y[i]);
            last.high = Math.max(last.high, y[i]);
        } else {
            out.push({ x: at, low: y[i], high: y[i] });
        }
    }
    if (out.length > 1) {
        out[0].x = Math.max(low, x[0]);
        out[out.length - 1].x = Math.min(high, x[x.length - 1]);
    }
    return out;
}

// A polyline without the points that fall on the same spot of the screen.
export function thinPath(x: Numbers, y: Numbers, dx: number, dy: number): [number, number][] {
    const out: [number, number][] = [];
    let [lastX, lastY] = [NaN, NaN];
    for (let i = 0; i < Math.min(x.length, y.length); i++) {
        const moved = Math.abs(x[i] - lastX) / dx + Math.abs(y[i] - lastY) / dy;
        if (!(moved < 0.6) || i === x.length - 1) {
            out.push([x[i], y[i]]);
            [lastX, lastY] = [x[i], y[i]];
        }
    }
    return out;
}

export function rangeOf(values: ArrayLike<number | null>): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < values.length; i++) {
        const v = values[i];
        if (v !== null && Number.isFinite(v)) {
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
    }
    return [low, high];
}

// Room above and below; a constant gets a band around it.
export function padRange([low, high]: [number, number], share = 0.06): [number, number] {
    if (!(low <= high)) {
        return [0, 1];
    }
    const tiny = 1e-12 * Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= tiny) {
        const band = Math.abs(low) > 0 ? 0.1 * Math.abs(low) : 1;
        return [low - band, high + band];
    }
    const room = share * (high - low);
    return [low - room, high + room];
}

// The value at t, linear between samples.
export function valueAt(x: Numbers, y: Numbers, t: number): number {
    const i = Math.min(indexAt(x, t), Math.max(0, x.length - 2));
    if (x.length < 2) {
        return y[0] ?? NaN;
    }
    const step = x[i + 1] - x[i];
    const u = step > 0 ? Math.min(1, Math.max(0, (t - x[i]) / step)) : 0;
    return u === 0 ? y[i] : u === 1 ? y[i + 1] : y[i] + u * (y[i + 1] - y[i]);
}
