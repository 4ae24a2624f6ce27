// The charts of a study's report.
#ifndef FLYBALL_APP_STUDY_CHARTS_H
#define FLYBALL_APP_STUDY_CHARTS_H

#include "study/study.h"

// "name [unit]" of a column: parameters, then measures.
void label_column(const FbStudy* study, int column, char* out, size_t size);

// One parameter on a grid: curves over it (Campbell diagrams); two: maps with contour lines;
// otherwise scatter plots. Eigenvalues: root loci.
FbStatus add_study_charts(FbText* text, bool is_sweep, const FbStudy* study, const FbStudyRun* run,
                          FbArena* arena, FbError* err);

#endif
