// The one JSON document on stdout that --json asks for, also where a command fails.
#include "document.h"

#include <stdio.h>

#include "base/error.h"
#include "options.h"
#include "record/json_pair.h"
#include "terminal.h"

static bool is_printed;
static bool has_failure;  // `failure` is an error, not a note
static FbError failure;

void begin_document(Document* document) {
    fb_text_init(&document->text);
    fb_json_init(&document->json, &document->text, true);
}

void print_whole_document(const char* text) {
    fputs(text, stdout);
    is_printed = true;
}

int print_document(Document* document) {
    int code = EXIT_OK;
    fb_text_add(&document->text, "\n");
    if (document->text.has_failed) {
        print_note("out of memory while writing JSON");
        code = EXIT_COMPUTATION;
    } else {
        print_whole_document(document->text.data);
    }
    fb_text_free(&document->text);
    return code;
}

void write_problem(FbJson* json, const FbPlace* place, const char* text) {
    fb_json_begin_object(json);
    fb_json_pair_text(json, "file", place->file);
    fb_json_pair_integer(json, "line", place->line);
    fb_json_pair_integer(json, "col", place->col);
    fb_json_pair_text(json, "message", text);
    fb_json_end_object(json);
}

void keep_failure(const FbPlace* place, const char* text) {
    if (!has_failure) {
        fb_fail(&failure, FB_ERR_ARGUMENT, place, "%s", text);
        has_failure = true;
    }
}

void keep_note(const char* text) {
    if (!has_failure) {
        fb_fail(&failure, FB_ERR_ARGUMENT, NULL, "%s", text);
    }
}

void leave_document_to_others(void) {
    is_printed = true;
}

void print_failure_document(void) {
    if (is_printed) {
        return;
    }
    Document document;
    begin_document(&document);
    fb_json_begin_object(&document.json);
    fb_json_key(&document.json, "errors");
    fb_json_begin_array(&document.json);
    write_problem(&document.json, &failure.place, failure.text);
    fb_json_end_array(&document.json);
    fb_json_end_object(&document.json);
    print_document(&document);
}
