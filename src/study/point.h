// What is measured at an operating point instead of in a run: values of outputs, eigenvalues.
#ifndef FLYBALL_STUDY_POINT_H
#define FLYBALL_STUDY_POINT_H

#include "study/study_reader.h"

// Reads `modes`; errors are reported. After the parameters, before the measures.
void fb_study_read_modes(FbStudyReader* r, const FbNode* map);

// Finds the modes that the measures name where the parameters have the model's own values, from
// which they are followed; reports those that do not exist. After the measures.
void fb_study_find_reference(FbStudyReader* r, const FbNode* map);

// Does a measure of this kind need an operating point; does it need modes?
bool fb_measure_is_of_point(int kind);
bool fb_measure_is_of_modes(int kind);

// Fills the measures of operating points and modes of a trial, values [n_parameters + n_measures].
// `note` [size] says which modes are uncertain, or stays as it is. FB_STOPPED: it was stopped.
FbStatus fb_point_measure(const FbStudy* study, const FbModel* model, const FbStop* stop,
                          double* values, char* note, size_t size, FbError* err);

#endif
