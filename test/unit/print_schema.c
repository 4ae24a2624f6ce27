// Prints the schema of this build, for the tests that need a validator.
#include <flyball/flyball.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
    char* text = NULL;
    FbError err;
    bool is_markdown = argc > 1 && strcmp(argv[1], "--markdown") == 0;
    if ((is_markdown ? fb_schema_markdown(&text, &err) : fb_schema_json(&text, &err)) < 0) {
        return 1;
    }
    fputs(text, stdout);
    fb_free(text);
    return 0;
}
