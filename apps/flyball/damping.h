// The effective damping of a run in readable form: the requested output and the table of cycles.
#ifndef FLYBALL_APP_DAMPING_H
#define FLYBALL_APP_DAMPING_H

#include "flyball/damping.h"
#include "options.h"

// The vibration requested by `--damping OUTPUT[:CYCLES]`, else by the model; NULL: none. `def` and
// `name` are where the option is kept. Returns an exit code.
int choose_damping(const Options* options, const FbModel* model, char name[256], FbDampingDef* def,
                   const FbDampingDef** out);

void print_damping(const FbDamping* damping);

#endif
