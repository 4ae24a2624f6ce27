// The operating point requested on the command line, and the information printed about it.
#ifndef FLYBALL_APP_OPERATING_H
#define FLYBALL_APP_OPERATING_H

#include <limits.h>

#include "base/text.h"
#include "flyball/linear.h"
#include "load.h"

// Finds the point of --at and --steady (default: equilibrium). Prints what is wrong and returns an
// exit code; *out is NULL then.
int find_operating_point(const Options* options, LoadedModel* loaded, FbOperatingPoint** out);

// "initial", "equilibrium", "steady motion", or "t = 3 s"
void describe_point(const Options* options, const FbOperatingInfo* info, char* out, size_t size);

// The lines "point ..." and one for each coordinate, at most `most`.
enum { FEW_COORDINATES = 12, ALL_COORDINATES = INT_MAX };
void print_point(const Options* options, const FbOperatingPoint* point, int most);
// A note on stderr where the point is not an equilibrium.
void note_drift(const Options* options, const FbOperatingPoint* point);
// The object "equilibrium" of a document.
void write_point(FbJson* json, const Options* options, const FbOperatingPoint* point);
// The pairs of `write_point`, without the object around them.
void write_point_pairs(FbJson* json, const Options* options, const FbOperatingPoint* point);

#endif
