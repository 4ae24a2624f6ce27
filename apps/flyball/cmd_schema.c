// `flyball schema`: the JSON Schema of the model file, or its reference manual in Markdown.
#include <string.h>

#include "load.h"
#include "record/file.h"
#include "terminal.h"

int cmd_schema(const Options* options) {
    char* text = NULL;
    FbError err;
    FbStatus status =
        options->is_markdown ? fb_schema_markdown(&text, &err) : fb_schema_json(&text, &err);
    if (status == FB_OK && options->output != NULL) {
        status = fb_file_write(options->output, text, strlen(text), &err);
    } else if (status == FB_OK) {
        size_t length = strlen(text);
        fputs(text, stdout);
        fputs(length > 0 && text[length - 1] == '\n' ? "" : "\n", stdout);
    }
    fb_free(text);
    if (status < 0) {
        print_error(&err);
    }
    return exit_code_of(status);
}
