// Elements from code: all text goes in as text nodes, so that nothing a model says becomes markup.

type Child = Node | string | null | undefined | false;
type Properties = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;

function setProperty(element: Element, key: string, value: Properties[string]): void {
    if (value === null || value === undefined || value === false) {
        return;
    }
    if (typeof value === "function") {
        element.addEventListener(key, value);
    } else {
        element.setAttribute(key, value === true ? "" : String(value));
    }
}

// el("button", {class: "x", click: f}, "Play"): functions are listeners, everything else attributes.
export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    properties: Properties = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
        setProperty(element, key, value);
    }
    append(element, children);
    return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
    tag: K,
    properties: Properties = {},
    ...children: Child[]
): SVGElementTagNameMap[K] {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(properties)) {
        setProperty(element, key, value);
    }
    append(element, children);
    return element;
}

function append(element: Element, children: Child[]): void {
    for (const child of children) {
        if (child) {
            element.append(child);
        }
    }
}

// Icons are stroked paths on a 24 x 24 field.
const ICONS: Record<string, string> = {
    play: "M7 4.5v15l12-7.5z",
    pause: "M8 5v14M16 5v14",
    first: "M6 5v14M19 5.5v13L9 12z",
    last: "M18 5v14M5 5.5v13L15 12z",
    back: "M15.5 5.5v13L6 12z",
    forward: "M8.5 5.5v13L18 12z",
    loop: "M17 3l3 3-3 3M20 6H8a4 4 0 0 0-4 4v1M7 21l-3-3 3-3M4 18h12a4 4 0 0 0 4-4v-1",
    fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
    sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
    moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
    print: "M7 9V3h10v6M7 17H4v-7h16v7h-3M7 14h10v7H7z",
    camera: "M4 8h3l2-3h6l2 3h3v11H4zM12 10.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4",
    record: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
    download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
    close: "M6 6l12 12M18 6L6 18",
    plus: "M12 5v14M5 12h14",
    minus: "M5 12h14",
    reset: "M4 4v5h5M4.6 9A8 8 0 1 1 4 13",
    expand: "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7",
    check: "M5 12.5l4.5 4.5L19 7",
    warn: "M12 4L2.5 20h19zM12 10v5M12 17.5v.5",
};

export function icon(name: string): SVGSVGElement {
    return svg("svg", { viewBox: "0 0 24 24", class: `icon icon-${name}`, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

export function button(iconName: string, label: string, click: () => void, showText = false): HTMLButtonElement {
    return el(
        "button",
        { type: "button", class: showText ? "button" : "button square", title: label, "aria-label": showText ? null : label, click },
        icon(iconName),
        showText && el("span", {}, label),
    );
}

export function setIcon(target: HTMLElement, name: string, label: string): void {
    target.replaceChildren(icon(name));
    target.title = label;
    target.setAttribute("aria-label", label);
}

export function choice(label: string, options: Pair[], value: string, change: (value: string) => void, showLabel = true): HTMLLabelElement {
    const select = el("select", { change: () => change(select.value) });
    for (const [key, name] of options) {
        select.append(el("option", { value: key }, name));
    }
    select.value = value;
    return el("label", { class: "choice" }, el("span", { class: showLabel ? "choice-name" : "unseen" }, label), select);
}
type Pair = [string, string];

export function checkbox(label: string, checked: boolean, change: (checked: boolean) => void, swatch?: string): HTMLLabelElement {
    const box = el("input", { type: "checkbox", change: () => change(box.checked) });
    box.checked = checked;
    const mark = swatch ? el("span", { class: "swatch" }) : null;
    if (mark && swatch) {
        mark.style.background = swatch;
    }
    return el("label", { class: "check" }, box, mark, el("span", { class: "check-name" }, label));
}

// A button that unfolds a panel; Escape and a press elsewhere close it.
export function menu(label: string, ...content: Child[]): HTMLDetailsElement {
    const summary = el("summary", { class: "button" }, label);
    const details = el("details", { class: "menu" }, summary, el("div", { class: "menu-panel" }, ...content));
    document.addEventListener("pointerdown", (event) => {
        if (details.open && !details.contains(event.target as Node)) {
            details.open = false;
        }
    });
    details.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && details.open) {
            details.open = false;
            summary.focus();
            event.stopPropagation();
        }
    });
    return details;
}

export function save(blob: Blob, name: string): void {
    const link = el("a", { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
