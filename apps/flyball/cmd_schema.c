// `flyball schema`: the JSON Schema of model or study files, or their reference manual in Markdown.
#include <string.h>

#include "flyball/study.h"
#include "load.h"
#include "record/file.h"
#include "terminal.h"

static FbStatus make_schema(const Options* options, char** text, FbError* err) {
    if (options->is_study) {
        return options->is_markdown ? fb_study_schema_markdown(text, err)
                                    : fb_study_schema_json(text, err);
    }
    return options->is_markdown ? fb_schema_markdown(text, err) : fb_schema_json(text, err);
}

int cmd_schema(const Options* options) {
    char* text = NULL;
    FbError err;
    FbStatus status = make_schema(options, &text, &err);
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
