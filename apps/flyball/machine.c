// Where and when a result was computed, for documents.
#include "machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static char command_line[1024];

static bool is_plain(const char* word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

// Words with other characters are quoted; a line that is too long ends in "...".
void keep_command_line(int argc, char** argv) {
    size_t used = (size_t)snprintf(command_line, sizeof command_line, "flyball");
    for (int i = 1; i < argc; i++) {
        const char* quote = is_plain(argv[i]) ? "" : "'";
        int n = snprintf(command_line + used, sizeof command_line - used, " %s%s%s", quote, argv[i],
                         quote);
        if (n < 0 || (size_t)n + 5 > sizeof command_line - used) {
            snprintf(command_line + used, sizeof command_line - used, " ...");
            return;
        }
        used += (size_t)n;
    }
}

const char* get_command_line(void) {
    return command_line;
}

static void find_processor(char* out, size_t size) {
    char line[256];
    FILE* info = fopen("/proc/cpuinfo", "r");
    while (info != NULL && out[0] == '\0' && fgets(line, sizeof line, info) != NULL) {
        char* value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value != NULL) {
            snprintf(out, size, " x %.*s", (int)strcspn(value + 2, "\n"), value + 2);
        }
    }
    if (info != NULL) {
        fclose(info);
    }
}

void describe_machine(char* out, size_t size) {
    char processor[128] = "";
    struct utsname system;
    find_processor(processor, sizeof processor);
    snprintf(out, size, "unknown");
    if (uname(&system) == 0) {
        snprintf(out, size, "%.60s %.60s, %ld%s", system.sysname, system.machine,
                 sysconf(_SC_NPROCESSORS_ONLN), processor);
    }
}

void describe_now(char* out, size_t size) {
    const char* given = getenv("SOURCE_DATE_EPOCH");
    time_t now = given != NULL && given[0] != '\0' ? (time_t)strtoll(given, NULL, 10) : time(NULL);
    struct tm utc;
    out[0] = '\0';
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
}
