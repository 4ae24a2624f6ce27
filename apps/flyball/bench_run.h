// Runs the model of a benchmark case with the settings of the case, for its report.
#ifndef FLYBALL_APP_BENCH_RUN_H
#define FLYBALL_APP_BENCH_RUN_H

#include "flyball/bench.h"
#include "load.h"

// The options of the command line.
FbBenchOptions make_bench_options(const Options* options);

// Reads and compiles a model with the parameters of a case.
int load_case_model(const Options* options, const FbBenchCase* c, const char* path,
                    LoadedModel* loaded, FbError* err);

// Loads and runs a model with the settings of a case. The model must outlive the result. Poses are
// recorded, and each interval between samples is divided so that there are about `min_rows` rows.
int run_case_model(const Options* options, const FbBenchCase* c, const char* path, int min_rows,
                   LoadedModel* loaded, FbResult** result, FbError* err);

// Divides the sample interval so that there are at least `min_rows` rows.
void refine_samples(FbSettings* settings, int min_rows);

#endif
