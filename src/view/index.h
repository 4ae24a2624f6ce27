// A landing page: a table of benchmark cases and a list of examples, with links to their reports.
#ifndef FLYBALL_VIEW_INDEX_H
#define FLYBALL_VIEW_INDEX_H

#include "base/error.h"
#include "record/compare.h"

typedef struct FbIndexItem {
    const char* link;     // file of the report, relative; NULL: there is none
    const char* name;     // short
    const char* title;    // one line
    const char* note;     // what is measured; of an example: its size
    double error, limit;  // NaN: none
    bool is_passed;
    double cpu_s;
    long steps;
    const char* integrator;
    FbSeries curve;  // a small picture; n = 0: none
} FbIndexItem;

typedef struct FbIndexPage {
    const char* title;
    const char *version, *machine, *created;
    const FbIndexItem* cases;
    int n_cases;
    const FbIndexItem* examples;
    int n_examples;
} FbIndexPage;

FbStatus fb_index_write(const FbIndexPage* page, const char* path, FbError* err);

#endif
