// A landing page as one HTML file: a table of benchmark cases and a list of examples, with pictures
// and a search.
#include "view/index.h"

#include <math.h>
#include <string.h>

#include "view/chart.h"
#include "view/stream.h"

enum { SPARK_WIDTH = 132, SPARK_HEIGHT = 34 };

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--text:#1f2328;--soft:#59636e;--line:#d9dee3;"
    "--head:#f6f8fa;--link:#0a5fb4;--good:#1a7f37;--bad:#cf222e}"
    "@media(prefers-color-scheme:dark){:root{--page:#0f1318;--text:#e6edf3;--soft:#9aa4af;"
    "--line:#2d343c;--head:#171c22;--link:#6cb6ff;--good:#4ac26b;--bad:#ff7b72}}"
    "body{margin:0 auto;max-width:1200px;padding:2rem 1.2rem;background:var(--page);"
    "color:var(--text);font:16px/1.5 system-ui,sans-serif}"
    "h1{font-size:1.7rem;margin:0 0 .2rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem}"
    "p{margin:.2rem 0}.soft{color:var(--soft);font-size:.9rem}"
    ".scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}"
    "table{border-collapse:collapse;width:100%;font-size:.92rem}"
    "th,td{padding:.5rem .7rem;text-align:left;vertical-align:middle}"
    "thead th{background:var(--head);font-weight:600;white-space:nowrap}"
    "tbody tr{border-top:1px solid var(--line)}tbody th{font-weight:600;white-space:nowrap}"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "a{color:var(--link)}.good{color:var(--good);font-weight:600}"
    ".bad{color:var(--bad);font-weight:700}.spark{display:block;color:var(--link)}"
    "ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:.8rem;"
    "list-style:none;padding:0;margin:0}"
    "li{border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem}"
    "li .spark{margin-top:.5rem}.thumb{display:block;color:var(--text)}"
    "table.m{font-size:.86rem;width:auto}table.m td{padding:.1rem .6rem .1rem 0;border:0}"
    "table.m tr{border:0}.filter{display:flex;gap:1rem;align-items:center;margin:.6rem 0}"
    ".filter input[type=search]{font:inherit;padding:.35rem .6rem;border:1px solid var(--line);"
    "border-radius:6px;background:var(--page);color:var(--text)}[hidden]{display:none}"
    // A table of five columns is too wide for a phone: there each case is a card.
    "@media(max-width:700px){thead{display:none}tr.case:not([hidden]){display:grid;"
    "grid-template-columns:auto 1fr;align-items:center}tr.case td:nth-child(3){grid-column:1/-1;"
    "order:3;min-width:0}tr.case td:nth-child(4){order:1;padding-right:0}"
    "tr.case td:nth-child(5){order:2}table.m{font-size:.8rem}table.m .soft{font-size:inherit}}"
    "@media print{body{max-width:none;padding:0}a{color:inherit}}";

// Hides what does not contain the words of the search.
static const char script[] =
    "var s=document.getElementById('search'),m=document.getElementById('missed');"
    "function f(){var w=s.value.toLowerCase().split(/\\s+/);"
    "document.querySelectorAll('tr.case,li').forEach(function(e){"
    "var t=e.textContent.toLowerCase();"
    "e.hidden=!w.every(function(x){return t.includes(x)})||"
    "(m.checked&&!e.classList.contains('missed'))})}"
    "if(s){s.oninput=f;m.onchange=f}";

static void add_link(FbText* text, const char* link, const char* name) {
    if (link != NULL) {
        fb_text_add(text, "<a href=\"");
        fb_text_add_markup(text, link);
        fb_text_add(text, "\">");
    }
    fb_text_add_markup(text, name);
    fb_text_add(text, link != NULL ? "</a>" : "");
}

// Seconds as people say them: 12.3 ms, 24.6 s, 3 min 5 s.
static void add_duration(FbText* text, double s) {
    if (isnan(s)) {
        fb_text_add(text, "\xe2\x80\x93");
    } else if (s < 0.9995e-3) {
        fb_text_addf(text, "%.3g \xc2\xb5s", 1e6 * s);
    } else if (s < 0.9995) {
        fb_text_addf(text, "%.3g ms", 1e3 * s);
    } else if (s < 99.95) {
        fb_text_addf(text, "%.3g s", s);
    } else {
        fb_text_addf(text, "%.0f min %.0f s", floor(s / 60.0), s - 60.0 * floor(s / 60.0));
    }
}

static void add_value(FbText* text, const FbIndexMeasure* m, double value, const char* unit) {
    if (strcmp(m->unit, "s") == 0) {
        add_duration(text, value);
    } else if (isnan(value)) {
        fb_text_add(text, "\xe2\x80\x93");
    } else {
        fb_text_addf(text, "%.2g%s", value, unit[0] ? " " : "");
        fb_text_add_markup(text, unit);
    }
}

// Each measure on a line of its own: its name, its value, its limit.
static void add_measures(FbText* text, const FbIndexItem* item) {
    fb_text_add(text, "<table class=\"m\">");
    for (int i = 0; i < item->n_measures; i++) {
        const FbIndexMeasure* m = &item->measures[i];
        fb_text_add(text, "<tr><td>");
        fb_text_add_markup(text, m->name);
        fb_text_addf(text, "</td><td class=\"n %s\">",
                     isnan(m->limit) ? ""
                     : m->is_passed  ? "good"
                                     : "bad");
        add_value(text, m, m->error, m->unit);
        fb_text_add(text, "</td><td class=\"n soft\">");
        if (!isnan(m->limit)) {
            fb_text_add(text, m->is_passed ? "within " : "limit ");
            add_value(text, m, m->limit, "");  // in the unit of the value before it
        }
        fb_text_add(text, "</td></tr>");
    }
    fb_text_add(text, "</table>");
}

static void add_spark(FbText* text, const FbIndexItem* item) {
    if (item->curve.n > 1) {
        fb_chart_add_sparkline(text, &item->curve, SPARK_WIDTH, SPARK_HEIGHT);
    }
}

static void add_pictures(FbText* text, const FbIndexItem* item) {
    if (item->thumbnail != NULL) {
        fb_text_add(text, item->thumbnail);
    }
    add_spark(text, item);
}

static void add_case(FbText* text, const FbIndexItem* item) {
    fb_text_addf(text, "<tr class=\"case %s\"><td>", item->is_passed ? "within" : "missed");
    add_pictures(text, item);
    fb_text_add(text, "</td><td><b>");
    add_link(text, item->link, item->title);
    fb_text_add(text, "</b><br><span class=\"soft\">");
    fb_text_add_markup(text, item->name);
    fb_text_add(text, item->note[0] ? "<br>" : "");
    fb_text_add_markup(text, item->note);
    fb_text_add(text, "</span></td><td>");
    add_measures(text, item);
    fb_text_addf(text, "</td><td><span class=\"%s\">%s</span></td><td class=\"n\">",
                 item->is_passed ? "good" : "bad", item->is_passed ? "within" : "missed");
    add_duration(text, item->cpu_s);
    fb_text_add(text, "<br><span class=\"soft\">");
    if (item->steps > 0) {
        fb_text_addf(text, "%ld steps, ", item->steps);
    }
    fb_text_add_markup(text, item->integrator);
    fb_text_add(text, "</span></td></tr>\n");
}

static void add_cases(FbText* text, const FbIndexPage* page) {
    int n_passed = 0;
    for (int i = 0; i < page->n_cases; i++) {
        n_passed += page->cases[i].is_passed;
    }
    fb_text_addf(
        text,
        "<h2>Benchmark problems</h2>\n<p>%d of %d within their limits.</p>\n"
        "<p class=\"filter\"><input id=\"search\" type=\"search\" placeholder=\"Search\" "
        "aria-label=\"Search cases and examples\"><label><input id=\"missed\" "
        "type=\"checkbox\"> only missed limits</label></p>\n"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Benchmark "
        "problems\"><table>\n<thead><tr><th scope=\"col\">Picture</th><th scope=\"col\">Problem"
        "</th><th scope=\"col\">Measures</th><th scope=\"col\">Verdict</th><th "
        "scope=\"col\" class=\"n\">Processor time</th></tr></thead>\n<tbody>\n",
        n_passed, page->n_cases);
    for (int i = 0; i < page->n_cases; i++) {
        add_case(text, &page->cases[i]);
    }
    fb_text_add(text, "</tbody></table></div>\n");
}

static void add_examples(FbText* text, const FbIndexPage* page) {
    fb_text_add(text, "<h2>Examples</h2>\n<ul>\n");
    for (int i = 0; i < page->n_examples; i++) {
        const FbIndexItem* item = &page->examples[i];
        fb_text_add(text, "<li>");
        add_link(text, item->link, item->title);
        fb_text_add(text, "<br><span class=\"soft\">");
        fb_text_add_markup(text, item->note);
        fb_text_add(text, "</span>");
        add_pictures(text, item);
        fb_text_add(text, "</li>\n");
    }
    fb_text_add(text, "</ul>\n");
}

static void add_head(FbText* text, const FbIndexPage* page) {
    fb_text_add(text,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<title>");
    fb_text_add_markup(text, page->title);
    fb_text_addf(text, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
    fb_text_add_markup(text, page->title);
    fb_text_add(text, "</h1>\n<p class=\"soft\">Flyball ");
    const char* rest[] = {page->version, page->machine, page->created};
    for (int i = 0; i < 3; i++) {
        if (rest[i] != NULL) {
            fb_text_add(text, i > 0 ? " \xc2\xb7 " : "");
            fb_text_add_markup(text, rest[i]);
        }
    }
    fb_text_add(text,
                "</p>\n<p>Each name leads to a report: the motion in 3-D, plots with the "
                "reference and the numbers, in one file that needs no network.</p>\n");
}

FbStatus fb_index_write(const FbIndexPage* page, const char* path, FbError* err) {
    FbText text;
    fb_text_init(&text);
    add_head(&text, page);
    if (page->n_cases > 0) {
        add_cases(&text, page);
    }
    if (page->n_examples > 0) {
        add_examples(&text, page);
    }
    fb_text_addf(&text, "</main>\n<script>%s</script>\n</body>\n</html>\n", script);
    FbStream s;
    FbStatus status = text.has_failed ? fb_fail_memory(err) : fb_stream_open(&s, path, err);
    if (status == FB_OK) {
        fb_stream_raw(&s, text.data, text.length);
        status = fb_stream_close(&s, FB_OK, err);
    }
    fb_text_free(&text);
    return status;
}
