// `flyball explain`: more about an exit code or a kind of error, as the JSON documents and the
// library name them.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "options.h"
#include "record/json_pair.h"
#include "terminal.h"

typedef struct Explanation {
    const char* code;
    const char* title;
    const char* text;  // what it means, and what to do; printed in lines of 80 columns
} Explanation;

static const Explanation explanations[] = {
    {"0", "success", "The command succeeded.\n"},
    {"1", "the computation failed",
     "The model is valid, but a method did not reach an answer: see 'singular' and 'convergence'.\n"
     "The message names the time and the part. With -o, the results up to that time are kept.\n"},
    {"2", "wrong command line",
     "An option or argument is unknown, missing or malformed; nothing was computed.\n"
     "'flyball COMMAND --help' lists the options of a command.\n"},
    {"3", "invalid model",
     "The model file has errors: see 'syntax', 'name', 'unit', 'range', 'model', 'assembly'.\n"
     "All errors of a file are listed, each with FILE:LINE:COL. 'flyball schema' describes all\n"
     "keys; an editor can check them while you type.\n"},
    {"4", "a file cannot be read or written",
     "The message has the path and the system's reason. Files are written under a temporary name\n"
     "and then renamed, so that an old file stays whole if the disk is full.\n"},
    {"5", "a limit was exceeded",
     "'bench': an error is above the limit of its case. 'run --accuracy': the target could not be\n"
     "reached or confirmed; the certificate says why. The results are still written.\n"},
    {"usage", "wrong command line", "See exit code 2.\n"},
    {"warning", "something to look at, though it was computed",
     "The answer is there, but it may not be what was meant: constraints that are redundant, a\n"
     "limit that was active, an estimate that could not be made. The message names the part.\n"
     "Warnings are also in the JSON document ('warnings') and in the report; they do not change\n"
     "the exit code. Notes, such as the files that were written, need no action; --quiet leaves\n"
     "them out.\n"},
    {"130", "interrupted",
     "Ctrl-C or a signal stopped the command. What was computed so far is kept, and the message\n"
     "says where; sweeps and searches continue from their tables.\n"},
    {"syntax", "not YAML, or not an expression",
     "The text cannot be read at the place of the message. Often the indentation is wrong, a\n"
     "bracket is missing, or a tab was used. Expressions look like '2*pi*f' or '30 deg'.\n"},
    {"name", "an unknown or duplicate name or key",
     "A key that does not exist here, a part that is not in the file, or two parts with one name.\n"
     "Nothing is ignored silently, because a misspelt key would otherwise change the answer. The\n"
     "message suggests the nearest name.\n"},
    {"unit", "a unit that does not match",
     "Each field has a unit: '3 m' is refused for an angle. Plain numbers are in SI units and\n"
     "radians. Units may be combined, as in '12 N*mm/deg'.\n"},
    {"range", "a value outside its range",
     "The message names the value, its unit and the rule, such as a mass that must be positive.\n"},
    {"model", "the model as a whole does not make sense",
     "Each part is right by itself, but not together: a body without inertia that can move, a\n"
     "guide that is interrupted, two laws for one coordinate. The message names both parts.\n"},
    {"assembly", "loops that cannot be closed",
     "No position satisfies all joints and the values that are set. Draw the bodies nearer to a\n"
     "closed position, check lengths, or set fewer positions: as many as there are degrees of\n"
     "freedom ('flyball check'). 'velocities contradict' is the same for speeds.\n"},
    {"singular", "a singular mass or loop matrix",
     "Something can move that has no inertia, or a mechanism passes a position where its freedom\n"
     "changes, such as a parallelogram stretched flat. Give mass and inertia to the bodies that\n"
     "the message names, or avoid the position.\n"},
    {"convergence", "an iteration did not converge",
     "The step became too small, or Newton's method found no solution. Usual causes: a force that\n"
     "jumps or grows without bound, a stiff contact, units that are wrong by powers of ten. Try\n"
     "'--integrator radau', look at the run up to there with --report, and check the forces that\n"
     "act at the time of the message.\n"},
    {"unavailable", "not contained in this build, or not possible for this model",
     "Some methods need libraries that were not found when Flyball was built; 'flyball\n"
     "integrators' lists what is there.\n"},
    {"accuracy", "an accuracy limit was exceeded", "See exit code 5.\n"},
    {"io", "a file cannot be read or written", "See exit code 4.\n"},
    {"argument", "a wrong call of the library",
     "A value that a program passed to the library makes no sense there, such as a time before "
     "the\n"
     "start of a run. From the command line this is a mistake of Flyball itself; please report "
     "it.\n"},
    {"memory", "out of memory",
     "Record fewer samples (--sample), or write them as they come (-o), or use fewer elements.\n"},
};

enum { N_EXPLANATIONS = sizeof explanations / sizeof explanations[0] };

const char* code_of_status(FbStatus status) {
    static const struct {
        FbStatus status;
        const char* code;
    } codes[] = {{FB_ERR_MEMORY, "memory"},     {FB_ERR_IO, "io"},
                 {FB_ERR_SYNTAX, "syntax"},     {FB_ERR_NAME, "name"},
                 {FB_ERR_UNIT, "unit"},         {FB_ERR_RANGE, "range"},
                 {FB_ERR_MODEL, "model"},       {FB_ERR_ASSEMBLY, "assembly"},
                 {FB_ERR_SINGULAR, "singular"}, {FB_ERR_CONVERGENCE, "convergence"},
                 {FB_ERR_ARGUMENT, "argument"}, {FB_ERR_UNAVAILABLE, "unavailable"},
                 {FB_ERR_ACCURACY, "accuracy"}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i].status == status) {
            return codes[i].code;
        }
    }
    return NULL;
}

static int list_codes(const Options* options) {
    if (!options->is_json) {
        printf("Exit codes and kinds of error; 'flyball explain CODE' explains one of them:\n\n");
        for (int i = 0; i < N_EXPLANATIONS; i++) {
            printf("  %-12s %s\n", explanations[i].code, explanations[i].title);
        }
        return EXIT_OK;
    }
    Document document;
    begin_document(&document);
    fb_json_begin_object(&document.json);
    fb_json_key(&document.json, "codes");
    fb_json_begin_array(&document.json);
    for (int i = 0; i < N_EXPLANATIONS; i++) {
        fb_json_begin_object(&document.json);
        fb_json_pair_text(&document.json, "code", explanations[i].code);
        fb_json_pair_text(&document.json, "title", explanations[i].title);
        fb_json_pair_text(&document.json, "text", explanations[i].text);
        fb_json_end_object(&document.json);
    }
    fb_json_end_array(&document.json);
    fb_json_end_object(&document.json);
    return print_document(&document);
}

int cmd_explain(const Options* options) {
    if (options->n_operands == 0 || options->is_json) {
        return list_codes(options);
    }
    const char* names[N_EXPLANATIONS];
    for (int i = 0; i < N_EXPLANATIONS; i++) {
        names[i] = explanations[i].code;
        if (strcmp(names[i], options->operands[0]) == 0) {
            printf("%s: %s\n\n", names[i], explanations[i].title);
            print_wrapped(explanations[i].text, 0, 0, stdout);
            return EXIT_OK;
        }
    }
    const char* close = fb_did_you_mean(options->operands[0], names, N_EXPLANATIONS);
    char hint[HINT_ROOM];
    return usage_error(options, "there is no code '%s'%s 'flyball explain' lists them",
                       options->operands[0], hint_of(close, ".", hint));
}
