// Where and when a result was computed, for documents.
#ifndef FLYBALL_APP_MACHINE_H
#define FLYBALL_APP_MACHINE_H

#include <stddef.h>

// "Linux x86_64, 2 x Some Processor": what a processor time means.
void describe_machine(char* out, size_t size);

// The command line of this process, quoted for a shell: kept by main(), "" before.
void keep_command_line(int argc, char** argv);
const char* get_command_line(void);

// Now, as in 2026-01-31T12:00:00Z; SOURCE_DATE_EPOCH (seconds since 1970) is taken instead where it
// is set.
void describe_now(char* out, size_t size);

#endif
