// The visible part of the time axis, the same in all plots.
export class Zoom {
    private listeners: (() => void)[] = [];
    low: number;
    high: number;

    constructor(
        readonly start: number,
        readonly end: number,
    ) {
        this.low = start;
        this.high = end;
    }

    on(listener: () => void): void {
        this.listeners.push(listener);
    }

    set(low: number, high: number): void {
        const least = 1e-9 * (this.end - this.start);
        this.low = Math.max(this.start, low);
        this.high = Math.min(this.end, high);
        if (!(this.high - this.low > least)) {
            [this.low, this.high] = [this.start, this.end];
        }
        this.listeners.forEach((listener) => listener());
    }

    scale(factor: number, about: number): void {
        const middle = about >= this.low && about <= this.high ? about : (this.low + this.high) / 2;
        this.set(middle - (middle - this.low) * factor, middle + (this.high - middle) * factor);
    }

    off(listener: () => void): void {
        this.listeners = this.listeners.filter((other) => other !== listener);
    }
}
