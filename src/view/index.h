// A landing page: a table of benchmark cases and a list of examples, with links to their reports.
#ifndef FLYBALL_VIEW_INDEX_H
#define FLYBALL_VIEW_INDEX_H

#include "base/error.h"
#include "record/compare.h"

// What was measured of a case, in its own unit.
typedef struct FbIndexMeasure {
    const char* name;
    const char* unit;     // "": none
    double error, limit;  // limit NaN: none
    bool is_passed;
} FbIndexMeasure;

typedef struct FbIndexItem {
    const char* link;                // file of the report, relative; NULL: there is none
    const char* name;                // short
    const char* title;               // one line
    const char* note;                // what failed; of an example: its size; "": nothing to say
    const FbIndexMeasure* measures;  // [n_measures]
    int n_measures;
    bool is_passed;
    double cpu_s;
    long steps;
    const char* integrator;
    FbSeries curve;         // a small plot; n = 0: none
    const char* thumbnail;  // an SVG element with a small picture; NULL: none
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
