// What the program says on stderr: diagnostics, coloured where appropriate, notes and progress.
#ifndef FLYBALL_APP_TERMINAL_H
#define FLYBALL_APP_TERMINAL_H

#include "document.h"
#include "flyball/simulate.h"

// May colours be used on this stream? Only on a terminal and without NO_COLOR.
bool stream_has_color(int file_number);

void print_diagnostic(const FbDiagnostic* diagnostic);
void print_error(const FbError* err);
// On a terminal, after a command that printed an error: which code 'flyball explain' knows it by.
void print_explain_hint(void);

// For that line: an error of this code was printed. The first one counts.
void remember_error(const char* code);
// cmd_explain.c: the code of a kind of error; NULL: it is none.
const char* code_of_status(FbStatus status);
// "flyball: note: TEXT" on stderr.
void print_note(const char* format, ...) __attribute__((format(printf, 1, 2)));
void print_warning(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Ctrl-C: the first one asks the running computation to stop, the second one kills the program.
void catch_interrupts(void);
bool is_interrupted(void);

// Progress of a run on stderr: a bar on a terminal, else a line now and then, both only after a
// second.
typedef struct ProgressBar {
    const char* name;
    bool is_quiet;
    bool is_terminal;
    double last_wall_s;  // of the last line
    bool has_line;       // a bar is on the current line
} ProgressBar;

void init_progress(ProgressBar* bar, const char* name, bool is_quiet);
bool show_progress(void* self, const FbProgress* progress);
void end_progress(ProgressBar* bar);

// For other kinds of progress: is a line due after this many seconds, and the line itself.
bool should_show_progress(const ProgressBar* bar, double wall_s);
void show_progress_text(ProgressBar* bar, double wall_s, const char* text);

#endif
