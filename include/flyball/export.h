// FB_API marks the public symbols; everything else is hidden.
#ifndef FLYBALL_EXPORT_H
#define FLYBALL_EXPORT_H

#if defined(__GNUC__)
#define FB_API __attribute__((visibility("default")))
#else
#define FB_API
#endif

#endif
