// Prints the schema of this build, for the tests that need a validator.
#include <flyball/flyball.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
    char* text = NULL;
    FbError err;
    const char* wanted = argc > 1 ? argv[1] : "";
    FbStatus status = strcmp(wanted, "--markdown") == 0 ? fb_schema_markdown(&text, &err)
                      : strcmp(wanted, "--study") == 0  ? fb_study_schema_json(&text, &err)
                                                        : fb_schema_json(&text, &err);
    if (status < 0) {
        return 1;
    }
    fputs(text, stdout);
    fb_free(text);
    return 0;
}
