// What `flyball check` says about values that come from outside a model.
#ifndef FLYBALL_APPS_CHECK_DRIVEN_H
#define FLYBALL_APPS_CHECK_DRIVEN_H

#include "base/text.h"
#include "flyball/flyball.h"

// Inputs with unit, default and limits, and callbacks: as lines, and as members of an object.
void print_driven(const FbModel* model);
void write_driven(FbJson* json, const FbModel* model);

#endif
