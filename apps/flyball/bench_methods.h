// The report of a linearized benchmark case.
#ifndef FLYBALL_APP_BENCH_METHODS_H
#define FLYBALL_APP_BENCH_METHODS_H

#include "flyball/report.h"
#include "load.h"
#include "study/bench_measure.h"

enum { THUMB_WIDTH = 132, THUMB_HEIGHT = 92 };

// *thumbnail: of the mechanism where it is linearized, to be freed with fb_free(); NULL: none.
FbStatus write_methods_page(const LoadedModel* loaded, const FbBenchCase* bench_case,
                            const FbReportOptions* options, const char* path, char** thumbnail,
                            FbError* err);

#endif
