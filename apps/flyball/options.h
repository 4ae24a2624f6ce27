// The command line: one table of commands and one of options drive parsing, --help, errors, and the
// tests of man page and shell completion.
#ifndef FLYBALL_APP_OPTIONS_H
#define FLYBALL_APP_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "flyball/model.h"

// Exit codes of the program.
enum {
    EXIT_OK = 0,
    EXIT_COMPUTATION = 1,
    EXIT_USAGE = 2,
    EXIT_MODEL = 3,
    EXIT_FILE = 4,
    EXIT_LIMIT = 5,
    EXIT_INTERRUPTED = 130,
};

enum { MAX_OPERANDS = 64, MAX_OVERRIDES = 256, MAX_LIST = 64 };

// The values of an option that may be repeated.
typedef struct TextList {
    const char* items[MAX_LIST];
    int n;
} TextList;

// The parsed command line. Numbers that were not given are NaN, counts 0, texts NULL.
typedef struct Options {
    const struct Command* command;
    const char* operands[MAX_OPERANDS];
    int n_operands;
    FbOverride overrides[MAX_OVERRIDES];  // names point into `override_names`
    char* override_names[MAX_OVERRIDES];
    int n_overrides;
    const char* output;
    const char* integrator;
    const char* cases;
    const char *at, *method, *coordinates, *matrices, *frf, *svg;
    const char *report, *outputs, *reference, *title, *damping, *part, *format, *vtu, *gltf, *png,
        *view, *time, *size, *with;
    TextList steady, exact, points, examples;
    double size_limit, duration, sample, rtol, atol, max_step, step, spectral_radius, checkpoint,
        accuracy, penalty, baumgarte, from_hz, to_hz, shift_hz;
    int repeat, points_per_decade, lowest, jobs, join, mode;
    bool is_json, is_quiet, is_resume, is_markdown, is_study, is_list, is_tight, is_undamped,
        has_poses, has_estimate, has_no_estimate, is_retry, is_untimed, is_slurm, is_submit, is_mpi,
        is_help;
} Options;

// A command line and what it does.
typedef struct Example {
    const char* line;
    const char* what;
} Example;

typedef struct Command {
    const char* name;
    const char* operands;  // "MODEL", "[CASE...]", ""
    int min_operands, max_operands;
    const char* summary;
    int (*run)(const Options* options);
    Example examples[2];
} Command;

extern const Command commands[];  // ended by a NULL name

typedef enum OptionKind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST,
    OPTION_POSITIVE,
    OPTION_FRACTION,  // 0 ... 1
    OPTION_COUNT,
    OPTION_OVERRIDE
} OptionKind;

// An option that means something else in another command has a row for each meaning.
typedef struct Option {
    const char* name;      // "--output"
    const char* letter;    // "-o" or NULL
    const char* argument;  // "PATH" or NULL
    OptionKind kind;
    size_t offset;         // of the field in Options
    const char* commands;  // names, separated by blanks
    const char* help;
} Option;

extern const Option option_table[];  // ended by a NULL name

// Fills `options` from the arguments after the program's name. Returns EXIT_OK, or EXIT_USAGE after
// a message on stderr.
int parse_options(int argc, char** argv, Options* options);
void free_options(Options* options);

const Command* find_command(const char* name);
bool option_belongs_to(const Option* option, const char* command);

// "; did you mean 'close'?", or what ends the sentence otherwise (close NULL).
enum { HINT_ROOM = 160 };
const char* hint_of(const char* close, const char* otherwise, char out[HINT_ROOM]);

// "flyball COMMAND: TEXT" on stderr; returns EXIT_USAGE.
int usage_error(const Options* options, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// Reports a word that is not a command, with the list of commands; returns EXIT_USAGE.
int unknown_command(const Options* options, const char* word);

void print_help(FILE* out);

// Words of `text` in lines of the terminal's usual width; later lines begin at `indent`, as the
// first one does already, at column `at`.
void print_wrapped(const char* text, int indent, int at, FILE* out);
void print_command_help(const Command* command, FILE* out);

// The commands; each returns an exit code.
int cmd_check(const Options* options);
int cmd_run(const Options* options);
int cmd_equilibrium(const Options* options);
int cmd_linearize(const Options* options);
int cmd_modes(const Options* options);
int cmd_bench(const Options* options);
int cmd_sweep(const Options* options);
int cmd_optimize(const Options* options);
int cmd_report(const Options* options);
int cmd_plot(const Options* options);
int cmd_convert(const Options* options);
int cmd_reduce(const Options* options);
int cmd_integrators(const Options* options);
int cmd_schema(const Options* options);
int cmd_new(const Options* options);
int cmd_explain(const Options* options);
int cmd_help(const Options* options);

#endif
