// Reports: one self-contained HTML file with the motion in 3-D, plots, and the numbers that tell how far to trust them.
//
// The file needs no network and no server. It is written under a temporary name in the same folder and then renamed, so that
// a report is there completely or not at all. Texts from models are data in it, never markup.
#ifndef FLYBALL_REPORT_H
#define FLYBALL_REPORT_H

#include "flyball/damping.h"
#include "flyball/linear.h"
#include "flyball/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

// A curve that an output is compared with.
typedef struct FbReportReference {
    const char* output;    // name of an output of the model
    const double* times;   // [n], s
    const double* values;  // [n], unit of the output
    int n;
} FbReportReference;

// An error that was measured against a reference.
typedef struct FbReportMeasure {
    const char* name;
    double error;
    double limit;  // NaN: none
    bool is_passed;
} FbReportMeasure;

// What the result itself does not know; NULL and 0: nothing.
typedef struct FbReportOptions {
    const char* title;  // NULL: the model's title, or its name
    const FbReportReference* references;
    int n_references;
    const FbReportMeasure* measures;
    int n_measures;
    const char* const* warnings;  // before those of the run
    int n_warnings;
    const FbCertificate* certificate;  // of fb_simulate_accurately
    const FbDamping* damping;  // of fb_damping_create; NULL: by the model's `damping`, if it has one
    const char* failure;  // why the run ended early
    const char* source;   // where the problem and its reference come from
    const char* created;  // a time for people, as in 2026-01-31T12:00:00Z
    const char* machine;  // what the processor times were measured on
} FbReportOptions;

FB_API FbReportOptions fb_report_options_default(void);

// Plots, numbers and, where poses were recorded, the motion of a finished or broken-off run.
FB_API FbStatus fb_report_write_run(const FbResult* result, const FbReportOptions* options,
                                    const char* path, FbError* err);

// Eigenvalues and mode shapes of a linearization that was run.
FB_API FbStatus fb_report_write_modes(FbLinearization* l, const FbReportOptions* options,
                                      const char* path, FbError* err);

// The same for the lowest modes of a large model.
FB_API FbStatus fb_report_write_lowest(FbLowest* l, const FbReportOptions* options,
                                       const char* path, FbError* err);

#ifdef __cplusplus
}
#endif
#endif
