// The one time of the page: animation, slider and plot cursors all follow it.
import { indexAt } from "./format.ts";
import type { Numbers } from "../data.ts";

type Listener = (t: number) => void;

export class Clock {
    t: number;
    playing = false;
    loop = true;
    speed = 1;
    private listeners: Listener[] = [];
    private stateListeners: (() => void)[] = [];
    private last = 0;

    constructor(
        readonly start: number,
        readonly end: number,
        readonly frames: Numbers,
    ) {
        this.t = start;
    }

    get span(): number {
        return this.end - this.start;
    }

    onTime(listener: Listener): void {
        this.listeners.push(listener);
    }

    onState(listener: () => void): void {
        this.stateListeners.push(listener);
    }

    offState(listener: () => void): void {
        this.stateListeners = this.stateListeners.filter((other) => other !== listener);
    }

    seek(t: number): void {
        this.t = Math.min(this.end, Math.max(this.start, t));
        for (const listener of this.listeners) {
            listener(this.t);
        }
    }

    setPlaying(playing: boolean): void {
        const wanted = playing && this.span > 0;
        if (wanted && this.t >= this.end) {
            this.seek(this.start);
        }
        if (wanted !== this.playing) {
            this.playing = wanted;
            this.last = 0;
            this.stateListeners.forEach((listener) => listener());
        }
    }

    toggle(): void {
        this.setPlaying(!this.playing);
    }

    // Stops at the next or previous recorded frame.
    step(direction: number): void {
        this.setPlaying(false);
        const tiny = 1e-9 * this.span;
        let i = indexAt(this.frames, this.t + tiny);
        if (direction > 0 || this.frames[i] >= this.t - tiny) {
            i += direction;
        }
        this.seek(this.frames[Math.min(this.frames.length - 1, Math.max(0, i))] ?? this.t);
    }

    // Called for every drawn picture with the browser's time in ms.
    tick(now: number): void {
        if (!this.playing) {
            return;
        }
        const passed = this.last ? Math.min(0.25, (now - this.last) / 1000) : 0;
        this.last = now;
        const next = this.t + passed * this.speed;
        if (next < this.end) {
            this.seek(next);
        } else if (this.loop) {
            this.seek(this.start + ((next - this.start) % this.span));
        } else {
            this.seek(this.end);
            this.setPlaying(false);
        }
    }
}
