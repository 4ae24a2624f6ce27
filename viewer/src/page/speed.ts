// The speed of playback at which the main motion can be followed.
import { Quaternion } from "three";
import type { Body, Numbers, Report } from "../data.ts";
import { countSwings, rangeOf } from "../plots/decimate.ts";
import { findMain } from "../plots/groups.ts";
import { roundDown125 } from "./format.ts";

const FOLLOWED = 1.2; // cycles in a second of playback that an eye follows
const PLEASANT = 10; // s to watch a long or very short run
const MAX_SAMPLES = 400;

// Swings of the main output, in cycles per second.
function outputRate(report: Report): number {
    const main = findMain(report);
    const { time } = report;
    const span = time[time.length - 1] - time[0];
    if (!main || !(span > 0)) {
        return 0;
    }
    const [low, high] = rangeOf(main.values);
    return high > low ? countSwings(time, main.values, time[0], time[time.length - 1]) / 2 / span : 0;
}

// Turns of a body per second: the mean between neighbouring frames, below half a turn each.
function turnRate(body: Body, frames: Numbers): number {
    const stride = Math.max(1, Math.ceil(frames.length / MAX_SAMPLES));
    const at = (i: number): Quaternion => new Quaternion(body.poses[7 * i + 4], body.poses[7 * i + 5], body.poses[7 * i + 6], body.poses[7 * i + 3]);
    let [turned, passed] = [0, 0];
    for (let i = 0; i + 1 < frames.length; i += stride) {
        turned += at(i).angleTo(at(i + 1));
        passed += frames[i + 1] - frames[i];
    }
    return passed > 0 ? turned / passed / (2 * Math.PI) : 0;
}

// Cycles or turns per second of what moves fastest among the main output and the bodies.
export function motionRate(report: Report): number {
    const bodies = report.bodies.filter(({ role, poses }) => !role && poses.length === 7 * report.frames.length);
    return Math.max(outputRate(report), ...bodies.slice(0, 200).map((body) => turnRate(body, report.frames)));
}

export function chooseSpeed(span: number, rate: number): number {
    const start = span >= 1 && span <= 60 ? 1 : roundDown125(span / PLEASANT);
    return rate * start > FOLLOWED ? Math.min(start, roundDown125(FOLLOWED / rate)) : start;
}
