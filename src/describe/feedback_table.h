// The tables of feedback drives, as a slider has them in a file.
#ifndef FLYBALL_DESCRIBE_FEEDBACK_TABLE_H
#define FLYBALL_DESCRIBE_FEEDBACK_TABLE_H

#include "describe/types.h"

// What the fields of a drive are read into.
typedef struct FbFeedbackFields {
    FbFeedbackDef def;
    const double* stroke;  // in place of def.stroke
    int n_stroke;
} FbFeedbackFields;

extern const FbTypeInfo* const fb_feedback_types[];  // ended by NULL; into FbFeedbackFields

#endif
