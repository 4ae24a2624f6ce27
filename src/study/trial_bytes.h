// A trial as bytes, for messages between ranks that have read the same study.
#ifndef FLYBALL_STUDY_TRIAL_BYTES_H
#define FLYBALL_STUDY_TRIAL_BYTES_H

#include "base/text.h"
#include "study/trial.h"

// Appends a trial.
void fb_trial_pack(const FbStudy* study, const FbTrial* trial, FbText* out);

// Fills a trial of the same study; its start stays. False: these `size` bytes are not a trial.
bool fb_trial_unpack(const FbStudy* study, const char* data, size_t size, FbTrial* trial);

#endif
