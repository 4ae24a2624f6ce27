// Flyball: multibody dynamics. The umbrella header of the library.
#ifndef FLYBALL_FLYBALL_H
#define FLYBALL_FLYBALL_H

#include "flyball/damping.h"
#include "flyball/linear.h"
#include "flyball/model.h"
#include "flyball/report.h"
#include "flyball/simulate.h"
#include "flyball/status.h"

#endif
