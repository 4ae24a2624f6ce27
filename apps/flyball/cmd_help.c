// `flyball help`: the program, one command, or (--json) the tables of commands and options for
// tools.
#include <string.h>

#include "base/text.h"
#include "options.h"
#include "record/json_pair.h"
#include "terminal.h"

enum { WIDTH = 80, HELP_COLUMN = 29 };

void print_wrapped(const char* text, int indent, int at, FILE* out) {
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        if (at > indent && at + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        }
        fprintf(out, "%s%.*s", at > indent ? " " : "", length, text);
        at += (at > indent ? 1 : 0) + length;
        text += length;
        text += strspn(text, " \n");
    }
    fputc('\n', out);
}

void print_help(FILE* out) {
    fprintf(out,
            "flyball %s: multibody dynamics from a model file\n\nUsage: flyball COMMAND "
            "[OPTION...] [ARGUMENT...]\n\n",
            fb_version());
    for (const Command* c = commands; c->name != NULL; c++) {
        int at = fprintf(out, "  %-11s %-9s ", c->name, c->operands);
        print_wrapped(c->summary, at, at, out);
    }
    fputs(
        "\n'flyball COMMAND --help' explains a command; 'flyball --version' prints the\n"
        "version. Results go to stdout; progress and messages go to stderr.\n"
        "Exit codes: 0 ok, 1 the computation failed, 2 usage, 3 invalid model, 4 file,\n"
        "5 a limit was exceeded, 130 interrupted (the results so far are kept);\n"
        "'flyball explain CODE' explains one of them.\n",
        out);
}

// The name in a column of its own, the text beside it, or below a name that is too long for it.
static void print_option(const Option* option, FILE* out) {
    char head[64];
    snprintf(head, sizeof head, "%s%s%s%s%s", option->letter != NULL ? option->letter : "",
             option->letter != NULL ? ", " : "    ", option->name,
             option->argument != NULL ? " " : "", option->argument != NULL ? option->argument : "");
    int at = fprintf(out, "  %s", head);
    bool has_room = at < HELP_COLUMN;
    fprintf(out, "%s%*s", has_room ? "" : "\n", has_room ? HELP_COLUMN - at : HELP_COLUMN, "");
    print_wrapped(option->help, HELP_COLUMN, HELP_COLUMN, out);
}

static void print_examples(const Command* command, FILE* out) {
    fprintf(out, "\nExamples:\n");
    for (int i = 0; i < 2; i++) {
        fprintf(out, "  %s\n      ", command->examples[i].line);
        print_wrapped(command->examples[i].what, 6, 6, out);
    }
}

void print_command_help(const Command* command, FILE* out) {
    fprintf(out, "Usage: flyball %s [OPTION...]%s%s\n\n%s\n\nOptions:\n", command->name,
            command->operands[0] ? " " : "", command->operands, command->summary);
    for (const Option* o = option_table; o->name != NULL; o++) {
        if (option_belongs_to(o, command->name)) {
            print_option(o, out);
        }
    }
    print_examples(command, out);
}

static void write_examples(FbJson* json, const Command* command) {
    fb_json_key(json, "examples");
    fb_json_begin_array(json);
    for (int i = 0; i < 2; i++) {
        fb_json_begin_object(json);
        fb_json_pair_text(json, "line", command->examples[i].line);
        fb_json_pair_text(json, "what", command->examples[i].what);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_command(FbJson* json, const Command* command) {
    fb_json_begin_object(json);
    fb_json_pair_text(json, "name", command->name);
    fb_json_pair_text(json, "operands", command->operands);
    fb_json_pair_text(json, "summary", command->summary);
    fb_json_key(json, "options");
    fb_json_begin_array(json);
    for (const Option* o = option_table; o->name != NULL; o++) {
        if (option_belongs_to(o, command->name)) {
            fb_json_begin_object(json);
            fb_json_pair_text(json, "name", o->name);
            fb_json_pair_text(json, "letter", o->letter);
            fb_json_pair_text(json, "argument", o->argument);
            fb_json_pair_text(json, "help", o->help);
            fb_json_end_object(json);
        }
    }
    fb_json_end_array(json);
    write_examples(json, command);
    fb_json_end_object(json);
}

static int print_tables(void) {
    Document document;
    begin_document(&document);
    fb_json_begin_object(&document.json);
    fb_json_pair_text(&document.json, "version", fb_version());
    fb_json_key(&document.json, "commands");
    fb_json_begin_array(&document.json);
    for (const Command* c = commands; c->name != NULL; c++) {
        write_command(&document.json, c);
    }
    fb_json_end_array(&document.json);
    fb_json_end_object(&document.json);
    return print_document(&document);
}

int cmd_help(const Options* options) {
    if (options->is_json) {
        return print_tables();
    }
    if (options->n_operands == 0) {
        print_help(stdout);
        return EXIT_OK;
    }
    const Command* command = find_command(options->operands[0]);
    if (command == NULL) {
        return unknown_command(options, options->operands[0]);
    }
    print_command_help(command, stdout);
    return EXIT_OK;
}
