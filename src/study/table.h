// The table of trials: a CSV file that grows row by row, is found again by the parameters of its
// rows, and ends sorted.
//
// Columns: point (searches: start, point), parameters, measures, objective (if there is one),
// status, message, steps, wall, and the hash of the study, by which rows of another model or other
// measures are recognized.
#ifndef FLYBALL_STUDY_TABLE_H
#define FLYBALL_STUDY_TABLE_H

#include "record/csv.h"
#include "study/trial.h"

typedef struct FbTrialTable {
    const FbStudy* study;
    const char* path;
    bool is_search;    // has a column `start`
    FbArena* arena;    // owns the trials
    FbTrial** trials;  // in the order in which they came
    int n, capacity;
    int n_read;  // that were in the file
    int* slots;  // hash table of indices, -1: empty
    int n_slots;
    FbCsvWriter writer;
    bool is_open;
} FbTrialTable;

// Reads the file if it exists. `is_retry` forgets failed rows. FB_ERR_MODEL: it is
// the table of another study. An incomplete last row, as a killed program leaves it, is forgotten.
FbStatus fb_table_open(FbTrialTable* table, const FbStudy* study, const char* path, bool is_search,
                       bool is_retry, FbError* err);

// The trial at these parameters, or NULL.
FbTrial* fb_table_find(const FbTrialTable* table, const double* parameters);

// A new trial for these parameters; it is not in the table yet. NULL: out of memory.
FbTrial* fb_table_create_trial(FbTrialTable* table, const double* parameters);

// Adds a trial and writes its row.
FbStatus fb_table_add(FbTrialTable* table, FbTrial* trial, FbError* err);

// Sorts by start and point and writes the whole file again, under another name first.
FbStatus fb_table_finish(FbTrialTable* table, FbError* err);
void fb_table_close(FbTrialTable* table);

#endif
