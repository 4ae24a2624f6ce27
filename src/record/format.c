// The list of the file formats of results.
#include "record/format.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

static const FbResultFormat* const list[] = {&fb_format_csv, &fb_format_mat};
enum { N_FORMATS = sizeof(list) / sizeof(list[0]) };

const char* fb_result_get_format(int index, const char** doc) {
    if (index < 0 || index >= N_FORMATS) {
        return NULL;
    }
    if (doc) {
        *doc = list[index]->doc;
    }
    return list[index]->name;
}

FbStatus fb_result_write(const FbResult* result, const char* format, const char* path,
                         FbError* err) {
    char names[256] = "";
    for (int i = 0; i < N_FORMATS; i++) {
        if (strcmp(list[i]->name, format) == 0) {
            return list[i]->write(result, path, err);
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "", list[i]->name);
    }
    return fb_fail(err, FB_ERR_NAME, NULL, "there is no result format '%s'; use one of %s", format,
                   names);
}
