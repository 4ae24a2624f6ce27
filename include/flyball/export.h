// FB_API marks the public functions; every other symbol of the library is hidden.
#ifndef FLYBALL_EXPORT_H
#define FLYBALL_EXPORT_H

// In front of every public function: visible in the shared library.
#if defined(__GNUC__)
#define FB_API __attribute__((visibility("default")))
#else
#define FB_API
#endif

#endif
