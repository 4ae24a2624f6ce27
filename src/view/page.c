// Plain pages with headings, tables and charts.
#include "view/page.h"

#include "view/chart.h"
#include "view/stream.h"

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--text:#1f2328;--soft:#59636e;--line:#d9dee3;"
    "--head:#f6f8fa}"
    "@media(prefers-color-scheme:dark){:root{--page:#0f1318;--text:#e6edf3;--soft:#9aa4af;"
    "--line:#2d343c;--head:#171c22}}"
    "body{margin:0 auto;max-width:1320px;padding:2rem 1.2rem;background:var(--page);"
    "color:var(--text);font:16px/1.5 system-ui,sans-serif}"
    "h1{font-size:1.7rem;margin:0 0 .2rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem}"
    "p{margin:.3rem 0;overflow-wrap:anywhere}.soft{color:var(--soft);font-size:.9rem}"
    ".scroll{overflow-x:auto;width:fit-content;max-width:100%;border:1px solid var(--line);"
    "border-radius:8px}table{border-collapse:collapse;font-size:.92rem}"
    "th,td{padding:.4rem .7rem;text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}th:first-child,td:first-child{text-align:left}"
    "thead th{background:var(--head);font-weight:600}"
    "tbody tr{border-top:1px solid var(--line)}"
    ".charts{display:flex;flex-wrap:wrap;gap:.8rem}"
    ".chart{border:1px solid var(--line);border-radius:8px;max-width:100%;height:auto}"
    // Charts are drawn on white; in the dark they are turned round, and the hues back again. The
    // colours of maps mean values and stay.
    "@media screen and (prefers-color-scheme:dark){.chart{filter:invert(.92) hue-rotate(180deg);"
    "border-color:transparent}.chart.map{filter:none;border-color:var(--line)}"
    ".map>rect:first-of-type{fill:var(--head)}.map text{fill:var(--text)}"
    ".map line{stroke:var(--line)}}"
    "@media print{body{max-width:none;padding:0}.chart{break-inside:avoid}}";

void fb_page_begin(FbText* text, const char* title, const char* line) {
    fb_text_add(text,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
    fb_text_add_markup(text, title);
    fb_text_addf(text, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
    fb_text_add_markup(text, title);
    fb_text_add(text, "</h1>\n");
    if (line) {
        fb_page_note(text, line);
    }
}

static void add_element(FbText* text, const char* open, const char* content, const char* close) {
    fb_text_add(text, open);
    fb_text_add_markup(text, content);
    fb_text_add(text, close);
}

void fb_page_heading(FbText* text, const char* heading) {
    add_element(text, "<h2>", heading, "</h2>\n");
}

void fb_page_note(FbText* text, const char* note) {
    add_element(text, "<p class=\"soft\">", note, "</p>\n");
}

void fb_page_table_begin(FbText* text, const char* const* titles, int n) {
    fb_text_add(text, "<div class=\"scroll\"><table>\n<thead><tr>");
    for (int i = 0; i < n; i++) {
        add_element(text, "<th>", titles[i], "</th>");
    }
    fb_text_add(text, "</tr></thead>\n<tbody>\n");
}

void fb_page_table_row(FbText* text, const char* const* cells, int n) {
    fb_text_add(text, "<tr>");
    for (int i = 0; i < n; i++) {
        add_element(text, "<td>", cells[i], "</td>");
    }
    fb_text_add(text, "</tr>\n");
}

void fb_page_table_end(FbText* text) {
    fb_text_add(text, "</tbody></table></div>\n");
}

void fb_page_charts_begin(FbText* text) {
    fb_text_add(text, "<div class=\"charts\">\n");
}

void fb_page_charts_end(FbText* text) {
    fb_text_add(text, "</div>\n");
}

FbStatus fb_page_write(FbText* text, const char* path, FbError* err) {
    fb_text_add(text, "</main>\n</body>\n</html>\n");
    FbStream s;
    FbStatus status = text->has_failed ? fb_fail_memory(err) : fb_stream_open(&s, path, err);
    if (status == FB_OK) {
        fb_stream_raw(&s, text->data, text->length);
        status = fb_stream_close(&s, FB_OK, err);
    }
    return status;
}
