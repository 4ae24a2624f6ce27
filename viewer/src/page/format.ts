// Numbers as people read them.

// About `digits` significant digits, without an exponent where the number is of ordinary size.
export function show(x: number, digits = 5): string {
    if (!Number.isFinite(x)) {
        return Number.isNaN(x) ? "–" : x > 0 ? "∞" : "−∞";
    }
    if (x === 0) {
        return "0";
    }
    const size = Math.abs(x);
    let out: string;
    if (size >= 1e6 || size < 1e-4) {
        out = x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
    } else {
        const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
        out = x.toFixed(decimals);
        out = out.includes(".") ? out.replace(/\.?0+$/, "") : out;
    }
    return out.replace(/-/g, "−");
}

// Fixed decimals that tell neighbouring instants of a run apart.
export function timeDecimals(span: number): number {
    return span > 0 ? Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span)))) : 3;
}

export const withUnit = (name: string, unit: string): string => (unit && unit !== "1" ? `${name} [${unit}]` : name);

// As above a plot: N·m instead of the N*m that a model file reads.
export const titleWithUnit = (title: string, unit: string): string => withUnit(title, unit.replaceAll("*", "·"));

// 1, 2 or 5 times a power of ten, not above x.
export function roundDown125(x: number): number {
    const power = Math.pow(10, Math.floor(Math.log10(x)));
    const lead = x / power;
    return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

// A file name from a title.
export function fileName(text: string): string {
    return text.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "flyball";
}

// The index of the last entry <= x, at least 0; the array ascends.
export function indexAt(values: ArrayLike<number>, x: number): number {
    let low = 0;
    let high = values.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (values[middle] <= x) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return Math.max(0, low);
}
