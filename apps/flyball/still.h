// Pictures of reports, taken by a headless browser.
#ifndef FLYBALL_APP_STILL_H
#define FLYBALL_APP_STILL_H

#include "options.h"

// The view, time and size that --view, --time and --size ask for; prints a usage error and returns
// EXIT_USAGE where they make no sense.
typedef struct Still {
    const char* view;  // "page": the whole page, else a direction
    double time;       // s, NaN: the start
    int width, height;
} Still;
int read_still(const Options* options, Still* out);

// Has the first browser that is found draw the HTML file and write a PNG file. Prints what is wrong
// and returns an exit code.
int take_still(const Options* options, const Still* still, const char* html, const char* png);

#endif
