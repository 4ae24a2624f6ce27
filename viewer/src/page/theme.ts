// Light or dark: what the system says until the reader decides, remembered where the browser lets us.
import { button, setIcon } from "./dom.ts";

type Listener = (isDark: boolean) => void;

const KEY = "flyball-theme";
const listeners: Listener[] = [];
const paper = window.matchMedia("print");
const system = window.matchMedia("(prefers-color-scheme: dark)");
let chosen: string | null = read();

function read(): string | null {
    try {
        return localStorage.getItem(KEY);
    } catch {
        return null; // pages opened from disk may not store
    }
}

function store(value: string): void {
    try {
        localStorage.setItem(KEY, value);
    } catch {
        // then it lasts until the page is closed
    }
}

export function isDark(): boolean {
    return !paper.matches && (chosen ? chosen === "dark" : system.matches);
}

// The value of a CSS colour variable of the present theme.
export function color(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Calls the listener now and at every change; what it returns ends that.
export function onTheme(listener: Listener): () => void {
    listeners.push(listener);
    listener(isDark());
    return () => void listeners.splice(listeners.indexOf(listener), 1);
}

function apply(): void {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    listeners.forEach((listener) => listener(isDark()));
}

export function startTheme(): void {
    apply();
    system.addEventListener("change", apply);
    paper.addEventListener("change", apply);
}

export function buildThemeButton(): HTMLButtonElement {
    const toggle = button("sun", "", () => {
        chosen = isDark() ? "light" : "dark";
        store(chosen);
        apply();
    });
    onTheme((dark) => setIcon(toggle, dark ? "sun" : "moon", dark ? "Light colours" : "Dark colours"));
    return toggle;
}
