// What the parts of the reader of study files share.
#ifndef FLYBALL_STUDY_STUDY_READER_H
#define FLYBALL_STUDY_STUDY_READER_H

#include "read/reader.h"
#include "study/study.h"

typedef struct FbStudyReader {
    FbReader base;  // its `def` is the model's: numbers may use the model's parameters
    FbStudy* study;
    const FbModel* model;
    int n_known_measures;  // that an expression may use
    const char* unknown;   // the last name that could not be resolved
} FbStudyReader;

// May a parameter or measure have this name, which comes from an entry? Reports why not.
bool fb_study_check_name(FbStudyReader* r, const FbEntry* e, const char* name);

// Sections of the file; errors are reported.
void fb_study_read_settings(FbStudyReader* r, const FbNode* map);
void fb_study_read_parameters(FbStudyReader* r, const FbNode* map);
void fb_study_read_measures(FbStudyReader* r, const FbNode* map);
void fb_study_read_constraints(FbStudyReader* r, const FbNode* list);
void fb_study_read_objective(FbStudyReader* r, const FbNode* map);
void fb_study_read_search(FbStudyReader* r, const FbNode* map);
void fb_study_read_slurm(FbStudyReader* r, const FbNode* map);

// An expression of parameters and measures; NULL: failed, and reported. `text` begins at the place.
const FbExpr* fb_study_compile(FbStudyReader* r, const char* text, int line, int col);

#endif
