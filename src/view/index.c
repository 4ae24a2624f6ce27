// A landing page as one HTML file without script: a table of benchmark cases and a list of
// examples.
#include "view/index.h"

#include <math.h>

#include "view/chart.h"
#include "view/stream.h"

enum { SPARK_WIDTH = 132, SPARK_HEIGHT = 34 };

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--text:#1f2328;--soft:#59636e;--line:#d9dee3;"
    "--head:#f6f8fa;--link:#0a5fb4;--good:#1a7f37;--bad:#cf222e}"
    "@media(prefers-color-scheme:dark){:root{--page:#0f1318;--text:#e6edf3;--soft:#9aa4af;"
    "--line:#2d343c;--head:#171c22;--link:#6cb6ff;--good:#4ac26b;--bad:#ff7b72}}"
    "body{margin:0 auto;max-width:1100px;padding:2rem 1.2rem;background:var(--page);"
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
    "ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(240px,1fr));gap:.8rem;"
    "list-style:none;padding:0;margin:0}"
    "li{border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem}"
    "li .spark{margin-top:.5rem}"
    "@media print{body{max-width:none;padding:0}a{color:inherit}}";

static void add_link(FbText* text, const char* link, const char* name) {
    if (link != NULL) {
        fb_text_add(text, "<a href=\"");
        fb_text_add_markup(text, link);
        fb_text_add(text, "\">");
    }
    fb_text_add_markup(text, name);
    fb_text_add(text, link != NULL ? "</a>" : "");
}

static void add_number(FbText* text, double value) {
    if (isnan(value)) {
        fb_text_add(text, "<td class=\"n\">\xe2\x80\x93</td>");
    } else {
        fb_text_addf(text, "<td class=\"n\">%.2g</td>", value);
    }
}

static void add_spark(FbText* text, const FbIndexItem* item) {
    if (item->curve.n > 1) {
        fb_chart_add_sparkline(text, &item->curve, SPARK_WIDTH, SPARK_HEIGHT);
    }
}

static void add_case(FbText* text, const FbIndexItem* item) {
    fb_text_add(text, "<tr><th scope=\"row\">");
    add_link(text, item->link, item->name);
    fb_text_add(text, "</th><td>");
    fb_text_add_markup(text, item->title);
    fb_text_add(text, "<br><span class=\"soft\">");
    fb_text_add_markup(text, item->note);
    fb_text_add(text, "</span></td><td>");
    add_spark(text, item);
    fb_text_add(text, "</td>");
    add_number(text, item->error);
    add_number(text, item->limit);
    fb_text_addf(text, "<td><span class=\"%s\">%s</span></td>", item->is_passed ? "good" : "bad",
                 item->is_passed ? "within" : "missed");
    fb_text_addf(text, "<td class=\"n\">%.3g ms</td>", 1e3 * item->cpu_s);
    if (item->steps > 0) {
        fb_text_addf(text, "<td class=\"n\">%ld</td><td>", item->steps);
    } else {
        fb_text_add(text, "<td class=\"n\">\xe2\x80\x93</td><td>");
    }
    fb_text_add_markup(text, item->integrator);
    fb_text_add(text, "</td></tr>\n");
}

static void add_cases(FbText* text, const FbIndexPage* page) {
    int n_passed = 0;
    for (int i = 0; i < page->n_cases; i++) {
        n_passed += page->cases[i].is_passed;
    }
    fb_text_addf(text,
                 "<h2>Benchmark problems</h2>\n<p>%d of %d within their limits.</p>\n"
                 "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Benchmark "
                 "problems\"><table>\n<thead><tr><th scope=\"col\">Case</th><th scope=\"col\">"
                 "Problem and measure</th><th scope=\"col\">Result</th><th scope=\"col\" "
                 "class=\"n\">Error</th><th scope=\"col\" class=\"n\">Limit</th><th "
                 "scope=\"col\">Verdict</th><th scope=\"col\" class=\"n\">Processor</th><th "
                 "scope=\"col\" class=\"n\">Steps</th><th scope=\"col\">Method</th></tr></thead>\n"
                 "<tbody>\n",
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
        add_spark(text, item);
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
    fb_text_add(&text, "</main>\n</body>\n</html>\n");
    FbStream s;
    FbStatus status = text.has_failed ? fb_fail_memory(err) : fb_stream_open(&s, path, err);
    if (status == FB_OK) {
        fb_stream_raw(&s, text.data, text.length);
        status = fb_stream_close(&s, FB_OK, err);
    }
    fb_text_free(&text);
    return status;
}
