// Reports of benchmark cases and examples, and the landing page that leads to them.
#ifndef FLYBALL_APP_BENCH_PAGES_H
#define FLYBALL_APP_BENCH_PAGES_H

#include "bench_report.h"

// Runs every case again with more samples and poses (so that the times of the table are those of
// plain runs), writes its report into the folder of --report, the examples of --example likewise,
// and index.html. Returns an exit code.
int write_bench_pages(const Options* options, const CaseOutcome* outcomes, int n);

#endif
