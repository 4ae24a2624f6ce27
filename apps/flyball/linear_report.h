// Output about linearizations: a readable table, JSON, the benchmark's solution file, and
// matrices.
#ifndef FLYBALL_APP_LINEAR_REPORT_H
#define FLYBALL_APP_LINEAR_REPORT_H

#include "linear/spectrum.h"
#include "load.h"
#include "mode_list.h"
#include "view/methods.h"

// One method in one set of coordinates.
typedef struct MethodRun {
    FbLinearMethod method;
    const char* coordinates;  // "joint" or "absolute"
    const FbModel* model;
    FbLinearization* linearization;  // NULL: it failed
    int repeat;
    double time_s;                // of all executions
    double error;                 // NaN: no exact values known
    char failure[FB_ERROR_TEXT];  // "" if it ran
} MethodRun;

// What a report shows of it; the run must outlive it.
FbReportMethod report_method(const MethodRun* run);

// The keys re, im, infinite, class, residual, ..., participation of mode k.
void write_mode_pairs(FbJson* json, const ModeList* list, const FbModel* model, int k);
// The array "methods".
void write_methods(FbJson* json, const MethodRun* runs, int n);
void print_methods(const MethodRun* runs, int n);
// "body 63 %, other 37 %": the bodies that move most.
void print_participation(const ModeList* list, const FbModel* model, int k);

// The solution file of the benchmark: all eigenvalues, true and spurious.
FbStatus write_solution(const char* path, const Options* options, const LoadedModel* loaded,
                        const FbOperatingPoint* point, const MethodRun* runs, int n, FbError* err);

// M, C, K, A, B, Cy, D as Matrix Market files and names.json, in `folder`. `l` is of the
// independent method and has run.
FbStatus write_matrices(const char* folder, FbLinearization* l, FbError* err);

#endif
