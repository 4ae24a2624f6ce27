// Plain pages: one HTML file with headings, tables and charts, without scripts.
#ifndef FLYBALL_VIEW_PAGE_H
#define FLYBALL_VIEW_PAGE_H

#include "base/error.h"
#include "base/text.h"

// Opens the page with its title, and a line below it; NULL: none.
void fb_page_begin(FbText* text, const char* title, const char* line);
void fb_page_heading(FbText* text, const char* heading);
// A paragraph in small print.
void fb_page_note(FbText* text, const char* note);

// A table: a row of titles, then rows of as many cells; the first column is text, the others are
// numbers.
void fb_page_table_begin(FbText* text, const char* const* titles, int n);
void fb_page_table_row(FbText* text, const char* const* cells, int n);
void fb_page_table_end(FbText* text);

// Charts side by side as far as there is room.
void fb_page_charts_begin(FbText* text);
void fb_page_charts_end(FbText* text);

// Closes the page and writes the file.
FbStatus fb_page_write(FbText* text, const char* path, FbError* err);

#endif
