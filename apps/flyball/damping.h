// The effective damping of a run for people: which output was asked for, and the table of cycles.
#ifndef FLYBALL_APP_DAMPING_H
#define FLYBALL_APP_DAMPING_H

#include "flyball/damping.h"
#include "options.h"

// What `--damping OUTPUT[:CYCLES]` asks for, else what the model does; NULL: nothing. `def` and
// `name` are where the option is kept. Returns an exit code.
int choose_damping(const Options* options, const FbModel* model, char name[256], FbDampingDef* def,
                   const FbDampingDef** out);

void print_damping(const FbDamping* damping);

#endif
