// The version of the library; FLYBALL_VERSION comes from the build.
#include "flyball/status.h"

const char* fb_version(void) {
    return FLYBALL_VERSION;
}
