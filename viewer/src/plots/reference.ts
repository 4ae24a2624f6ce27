// The error of an output against its reference, at the reference's own times.
import { indexAt } from "../page/format.ts";
import type { Numbers, Reference } from "../data.ts";

const SAME_TIME = 1e-9; // relative to the span

// The cubic through the four samples around t; exact where a sample lies on t.
function interpolate(time: Numbers, values: Numbers, t: number): number {
    const span = time[time.length - 1] - time[0];
    const i = indexAt(time, t + SAME_TIME * span);
    if (Math.abs(time[i] - t) <= SAME_TIME * span) {
        return values[i];
    }
    const n = time.length;
    const first = Math.max(0, Math.min(i - 1, n - 4));
    let sum = 0;
    for (let j = first; j < Math.min(n, first + 4); j++) {
        let weight = 1;
        for (let k = first; k < Math.min(n, first + 4); k++) {
            weight *= k === j ? 1 : (t - time[k]) / (time[j] - time[k]);
        }
        sum += weight * values[j];
    }
    return sum;
}

export function calcError(time: Numbers, values: Numbers, reference: Reference): { x: Float64Array; error: Float64Array } {
    const [start, end] = [time[0], time[time.length - 1]];
    const room = SAME_TIME * (end - start);
    const x: number[] = [];
    const error: number[] = [];
    reference.time.forEach((t, i) => {
        if (t >= start - room && t <= end + room) {
            x.push(t);
            error.push(interpolate(time, values, t) - reference.values[i]);
        }
    });
    return { x: Float64Array.from(x), error: Float64Array.from(error) };
}
