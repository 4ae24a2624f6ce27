// The command line, read as the tables of commands and options say.
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "options.h"
#include "terminal.h"

const char* hint_of(const char* close, const char* otherwise, char out[HINT_ROOM]) {
    if (close == NULL) {
        return otherwise;
    }
    snprintf(out, HINT_ROOM, "; did you mean '%.120s'?", close);
    return out;
}

int usage_error(const Options* options, const char* format, ...) {
    va_list args;
    va_start(args, format);
    const Command* command = options->command;
    char text[2 * FB_ERROR_TEXT], shown[2 * FB_ERROR_TEXT];
    vsnprintf(text, sizeof text, format, args);
    fb_escape(text, shown, sizeof shown);
    va_end(args);
    const char *name = command != NULL ? command->name : "", *space = command != NULL ? " " : "";
    fprintf(stderr, "flyball%s%s: %s\nTry 'flyball %s%s--help'.\n", space, name, shown, name,
            space);
    remember_error("usage");
    keep_failure(NULL, text);
    return EXIT_USAGE;
}

int unknown_command(const Options* options, const char* word) {
    const char* names[32];
    int n = 0;
    FbText list;
    fb_text_init(&list);
    for (const Command* c = commands; c->name != NULL; c++) {
        fb_text_addf(&list, "%s%s", n > 0 ? ", " : "", c->name);
        names[n++] = c->name;
    }
    const char* close = fb_did_you_mean(word, names, n);
    char hint[HINT_ROOM];
    usage_error(options, "unknown command '%s'%s There are: %s", word, hint_of(close, ".", hint),
                list.has_failed ? "" : list.data);
    fb_text_free(&list);
    return EXIT_USAGE;
}

static bool is_named(const Option* option, const char* word) {
    return strcmp(option->name, word) == 0 ||
           (option->letter != NULL && strcmp(option->letter, word) == 0);
}

// An option of other commands: which ones. An option whose meaning differs between commands has
// several rows.
static int foreign_option(const Options* options, const char* word) {
    FbText list;
    fb_text_init(&list);
    for (const Option* o = option_table; o->name != NULL; o++) {
        if (is_named(o, word)) {
            fb_text_addf(&list, " %s", o->commands);
        }
    }
    usage_error(options, "%s is not an option of '%s', but of:%s", word, options->command->name,
                list.has_failed ? "" : list.data);
    fb_text_free(&list);
    return EXIT_USAGE;
}

// Suggests the option that was probably intended, among those of the command.
static int unknown_option(const Options* options, const char* word) {
    const char* names[32];
    int n = 0;
    for (const Option* o = option_table; o->name != NULL; o++) {
        if (is_named(o, word)) {
            return foreign_option(options, word);
        }
        if (option_belongs_to(o, options->command->name)) {
            assert(n < 32);
            names[n++] = o->name;
        }
    }
    const char* close = fb_did_you_mean(word, names, n);
    char hint[HINT_ROOM];
    return usage_error(options, "unknown option '%s'%s", word, hint_of(close, "", hint));
}

static int set_positive(const Options* options, const Option* option, const char* text,
                        double* field) {
    if (!fb_parse_double(text, strlen(text), field) || !(*field > 0.0) || isinf(*field)) {
        return usage_error(options, "%s is '%s'; it must be a number greater than 0", option->name,
                           text);
    }
    return EXIT_OK;
}

static int set_fraction(const Options* options, const Option* option, const char* text,
                        double* field) {
    if (!fb_parse_double(text, strlen(text), field) || !(*field >= 0.0) || !(*field <= 1.0)) {
        return usage_error(options, "%s is '%s'; it must be a number from 0 to 1", option->name,
                           text);
    }
    return EXIT_OK;
}

static int set_count(const Options* options, const Option* option, const char* text, int* field) {
    double value;
    if (!fb_parse_double(text, strlen(text), &value) || !(value >= 1.0) || value > 1e9 ||
        value != floor(value)) {
        return usage_error(options, "%s is '%s'; it must be an integer greater than 0",
                           option->name, text);
    }
    *field = (int)value;
    return EXIT_OK;
}

static int add_text(const Options* options, const Option* option, const char* text,
                    TextList* list) {
    if (list->n == MAX_LIST) {
        return usage_error(options, "%s is given more than %d times", option->name, MAX_LIST);
    }
    list->items[list->n++] = text;
    return EXIT_OK;
}

static int add_override(Options* options, const char* text) {
    const char* equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0') {
        return usage_error(options, "--set is '%s'; it must be NAME=VALUE, as in --set mass=2",
                           text);
    }
    if (options->n_overrides == MAX_OVERRIDES) {
        return usage_error(options, "--set is given more than %d times", MAX_OVERRIDES);
    }
    char* name = strndup(text, (size_t)(equals - text));
    if (name == NULL) {
        return usage_error(options, "out of memory");
    }
    options->override_names[options->n_overrides] = name;
    options->overrides[options->n_overrides++] = (FbOverride){name, equals + 1};
    return EXIT_OK;
}

static int set_option(Options* options, const Option* option, const char* value) {
    void* field = (char*)options + option->offset;
    assert(option->kind == OPTION_FLAG || value != NULL);
    switch (option->kind) {
        case OPTION_FLAG:
            *(bool*)field = true;
            return EXIT_OK;
        case OPTION_TEXT:
            if (value[0] == '\0') {
                return usage_error(options, "%s needs %s, but it is empty", option->name,
                                   option->argument);
            }
            *(const char**)field = value;
            return EXIT_OK;
        case OPTION_LIST:
            return add_text(options, option, value, field);
        case OPTION_COUNT:
            return set_count(options, option, value, field);
        case OPTION_POSITIVE:
            return set_positive(options, option, value, field);
        case OPTION_FRACTION:
            return set_fraction(options, option, value, field);
        case OPTION_OVERRIDE:
            return add_override(options, value);
    }
    return EXIT_OK;
}

// "--name", "--name=value", "-o", "-ovalue": finds the option and a value written in the same word
// (NULL: none).
static const Option* match_option(const char* word, const char* command, const char** value) {
    for (const Option* o = option_table; o->name != NULL; o++) {
        size_t length = strlen(o->name);
        *value = NULL;
        if (!option_belongs_to(o, command)) {
            continue;
        }
        if (strncmp(word, o->name, length) == 0 && (word[length] == '\0' || word[length] == '=')) {
            *value = word[length] == '=' ? word + length + 1 : NULL;
            return o;
        }
        if (o->letter != NULL && strncmp(word, o->letter, 2) == 0 &&
            (o->argument != NULL || word[2] == '\0')) {
            *value = word[2] != '\0' ? word + 2 : NULL;
            return o;
        }
    }
    return NULL;
}

// Takes the option at argv[*i] and, where it needs one, the value after it.
static int parse_option(int argc, char** argv, int* i, Options* options) {
    const char* value;
    const Option* option = match_option(argv[*i], options->command->name, &value);
    if (option == NULL) {
        return unknown_option(options, argv[*i]);
    }
    if (option->argument == NULL && value != NULL) {
        return usage_error(options, "%s takes no value", option->name);
    }
    if (option->argument != NULL && value == NULL) {
        if (*i + 1 >= argc) {
            return usage_error(options, "%s needs %s", option->name, option->argument);
        }
        value = argv[++*i];
    }
    return set_option(options, option, value);
}

static int check_operands(const Options* options) {
    const Command* c = options->command;
    if (options->is_help) {
        return EXIT_OK;
    }
    if (options->n_operands < c->min_operands) {
        return usage_error(options, "%s is missing", c->operands);
    }
    if (options->n_operands > c->max_operands) {
        return usage_error(options, "unexpected argument '%s'", options->operands[c->max_operands]);
    }
    return EXIT_OK;
}

static int parse_arguments(int argc, char** argv, Options* options) {
    bool has_ended = false;  // after "--" everything is an operand
    for (int i = 1; i < argc; i++) {
        if (!has_ended && strcmp(argv[i], "--") == 0) {
            has_ended = true;
        } else if (!has_ended && argv[i][0] == '-' && argv[i][1] != '\0') {
            int code = parse_option(argc, argv, &i, options);
            if (code != EXIT_OK) {
                return code;
            }
        } else if (options->n_operands < MAX_OPERANDS) {
            options->operands[options->n_operands++] = argv[i];
        } else {
            return usage_error(options, "too many arguments");
        }
    }
    return check_operands(options);
}

int parse_options(int argc, char** argv, Options* options) {
    *options = (Options){.duration = NAN,
                         .sample = NAN,
                         .rtol = NAN,
                         .atol = NAN,
                         .max_step = NAN,
                         .checkpoint = NAN,
                         .step = NAN,
                         .spectral_radius = NAN,
                         .accuracy = NAN,
                         .penalty = NAN,
                         .baumgarte = NAN,
                         .from_hz = NAN,
                         .to_hz = NAN,
                         .shift_hz = NAN};
    if (argc < 1) {
        return usage_error(options, "a command is missing");
    }
    options->command = find_command(argv[0]);
    if (options->command == NULL) {
        return argv[0][0] == '-'
                   ? usage_error(options, "unknown option '%s' before a command", argv[0])
                   : unknown_command(options, argv[0]);
    }
    return parse_arguments(argc, argv, options);
}

void free_options(Options* options) {
    for (int i = 0; i < options->n_overrides; i++) {
        free(options->override_names[i]);
    }
    options->n_overrides = 0;
}
