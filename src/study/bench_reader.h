// What the files that read a case.yaml share.
#ifndef FLYBALL_STUDY_BENCH_READER_H
#define FLYBALL_STUDY_BENCH_READER_H

#include "read/yaml.h"
#include "study/bench_case.h"

typedef struct FbCaseReader {
    const char* folder;
    const char* file;
    FbArena* arena;
    FbDiagnostics* diagnostics;
} FbCaseReader;

// Adds the error "MESSAGE 'WORD'".
void fb_case_complain(FbCaseReader* r, int line, int col, const char* message, const char* word);

// Values of entries; what has the wrong form is an error, and "" or NaN.
const char* fb_case_read_text(FbCaseReader* r, const FbEntry* entry);
const char* fb_case_read_path(FbCaseReader* r, const FbEntry* entry);
double fb_case_read_number(FbCaseReader* r, const FbEntry* entry);
double fb_case_parse_number(FbCaseReader* r, const FbNode* node, const char* key);

// The list `measures`, after the runs that it refers to.
void fb_case_read_measures(FbCaseReader* r, const FbEntry* entry, FbBenchCase* c);

#endif
