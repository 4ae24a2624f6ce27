// Reports and motion files of runs, as commands write them.
#ifndef FLYBALL_APP_RUN_REPORT_H
#define FLYBALL_APP_RUN_REPORT_H

#include "base/arena.h"
#include "flyball/compare.h"
#include "flyball/report.h"
#include "load.h"

// Times and texts that a report is given; `warnings` must be freed.
typedef struct ReportContext {
    char machine[512];
    char created[32];
    const char** warnings;
} ReportContext;

// Options with machine, time and the reader's warnings. The context must outlive them; free it in
// any case.
FbStatus init_report(ReportContext* context, const LoadedModel* loaded, FbReportOptions* out,
                     FbError* err);
void free_report(ReportContext* context);

// The report of a run and its motion, as a document and as glTF; NULL: not requested, also for
// `certificate`, `damping` and `failure`.
typedef struct RunViews {
    const FbCertificate* certificate;
    const FbDamping* damping;
    const char* failure;
    const char *report_path, *motion_path, *gltf_path;
    const char* overview;  // a link to a page that lists the report
} RunViews;
FbStatus write_run_views(const LoadedModel* loaded, const FbResult* result, const RunViews* views,
                         FbError* err);

// Columns of a table as references of those outputs that have the same name, [table->n_columns];
// times and values are copied to `arena`. Returns their number, -1: out of memory.
int find_references(const FbSamples* table, const char* const* outputs, int n_outputs,
                    FbArena* arena, FbReportReference** out);

// The last part of a path, and a path without an ending (".csv") that it has.
const char* base_name(const char* path);
char* without_ending(FbArena* arena, const char* path, const char* ending);

#endif
