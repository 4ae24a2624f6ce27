// The animation as a WebM video, recorded from the picture while it plays once.
import type { Clock } from "../page/clock.ts";
import { save } from "../page/dom.ts";

const MOST_SECONDS = 60;
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export function canRecord(canvas: HTMLCanvasElement): boolean {
    return typeof MediaRecorder !== "undefined" && typeof canvas.captureStream === "function" && TYPES.some((type) => MediaRecorder.isTypeSupported(type));
}

// Plays from the start to the end, at most a minute, and saves it; calls `end` then. The returned function stops it early.
export function recordVideo(canvas: HTMLCanvasElement, clock: Clock, name: string, end: () => void): () => void {
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType, videoBitsPerSecond: 8e6 });
    const parts: Blob[] = [];
    const { loop } = clock;
    let timer = 0;
    const stop = (): void => {
        if (recorder.state !== "inactive") {
            recorder.stop();
        }
    };
    const watch = (): void => {
        if (!clock.playing) {
            stop();
        }
    };
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
        clearTimeout(timer);
        clock.loop = loop;
        clock.offState(watch);
        save(new Blob(parts, { type: "video/webm" }), `${name}.webm`);
        end();
    };
    clock.setPlaying(false);
    clock.seek(clock.start);
    clock.loop = false;
    recorder.start();
    clock.setPlaying(true);
    clock.onState(watch);
    timer = window.setTimeout(() => {
        clock.setPlaying(false);
        stop();
    }, 1000 * MOST_SECONDS);
    return stop;
}
