// The lowest modes of a large model: found as the command line asks, and what is known about the
// list.
#ifndef FLYBALL_APP_LOWEST_H
#define FLYBALL_APP_LOWEST_H

#include "base/text.h"
#include "flyball/linear.h"
#include "options.h"

// --lowest, --shift and --undamped.
FbStatus find_lowest(const Options* options, FbOperatingPoint* point, FbLowest** out, FbError* err);

// The lines "list ..." and, where one was seen, "unstable ...".
void print_lowest_info(const Options* options, const FbLowest* lowest);
// The object "lowest" of a document.
void write_lowest_info(FbJson* json, const Options* options, const FbLowest* lowest);

// Does the model have so many modes that finding all of them takes a long time?
bool has_many_freedoms(const FbOperatingPoint* point);

// A note on stderr if there are many modes, and how to compute fewer.
void note_size(const Options* options, const FbOperatingPoint* point);

#endif
