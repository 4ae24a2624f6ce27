// The one JSON document on stdout that --json asks for, also where a command fails.
#ifndef FLYBALL_APP_DOCUMENT_H
#define FLYBALL_APP_DOCUMENT_H

#include "base/text.h"
#include "flyball/status.h"

// Built in memory and printed at once, so that stdout never holds half of one.
typedef struct Document {
    FbText text;
    FbJson json;
} Document;

void begin_document(Document* document);
// Prints to stdout and frees; returns an exit code.
int print_document(Document* document);
// Prints a document that is there as text.
void print_whole_document(const char* text);

// {"file", "line", "col", "message"}
void write_problem(FbJson* json, const FbPlace* place, const char* text);

// What print_failure_document() prints: the first error that was reported, else the last note.
void keep_failure(const FbPlace* place, const char* text);
void keep_note(const char* text);
// Of several processes that run one command, only the first one prints a document.
void leave_document_to_others(void);
// After a command that failed: {"errors": [...]}, unless a document was printed.
void print_failure_document(void);

#endif
