// The report of a linearization by several methods: their eigenvalues, errors and times side by
// side.
#ifndef FLYBALL_VIEW_METHODS_H
#define FLYBALL_VIEW_METHODS_H

#include "flyball/report.h"

// One method in one set of coordinates.
typedef struct FbReportMethod {
    const char* method;
    const char* coordinates;  // "joint" or "absolute"
    FbLinearization* l;       // that was run; NULL: it failed
    const char* failure;      // why
    double error;             // of the true eigenvalues, 2-norm in 1/s; NaN: not known
    double time_s;            // of `repeat` executions; NaN: not measured
    int repeat;
} FbReportMethod;

// As fb_report_write_modes() for the first method that did not fail, with the modes of all.
// FB_ERR_ARGUMENT: all failed.
FbStatus fb_report_write_methods(const FbReportMethod* methods, int n,
                                 const FbReportOptions* options, const char* path, FbError* err);

#endif
