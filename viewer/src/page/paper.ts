// Printing: what is drawn for the screen's width is drawn again for paper before the browser takes its picture.
type Change = (isPaper: boolean) => void;

const listeners: Change[] = [];
const media = window.matchMedia("print");
let isPaper = false;

function change(now: boolean): void {
    if (now !== isPaper) {
        isPaper = now;
        [...listeners].forEach((listener) => listener(now));
    }
}

window.addEventListener("beforeprint", () => change(true));
window.addEventListener("afterprint", () => change(false));
media.addEventListener("change", () => change(media.matches));

// Calls the listener before and after printing; what it returns ends that.
export function onPaper(listener: Change): () => void {
    listeners.push(listener);
    return () => void listeners.splice(listeners.indexOf(listener), 1);
}
