// Runs the model of a benchmark case with the settings of the case.
#ifndef FLYBALL_APP_BENCH_RUN_H
#define FLYBALL_APP_BENCH_RUN_H

#include "bench_case.h"
#include "load.h"

// Reads and compiles a model with the parameters of a case.
int load_case_model(const Options* options, const BenchCase* c, const char* path,
                    LoadedModel* loaded, FbError* err);

// Loads and runs a model with the settings of a case. The model must outlive the result. With
// `min_rows` > 0 for pictures: poses are recorded, and each interval between samples is divided so
// that there are about that many rows.
int run_case_model(const Options* options, const BenchCase* c, const char* path, int min_rows,
                   LoadedModel* loaded, FbResult** result, FbError* err);

// Sample intervals in so many parts that there are at least `min_rows` rows.
void refine_samples(FbSettings* settings, int min_rows);

#endif
