// What the program says on stderr: diagnostics, coloured where appropriate, notes and progress.
#include "terminal.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

enum { BAR_WIDTH = 30 };
static const double first_progress_s = 1.0;  // shorter runs show none
static const double line_interval_s = 5.0;   // where stderr is not a terminal

// Set by the signal handler, read by the threads of studies.
static atomic_bool interrupt_flag;

bool stream_has_color(int file_number) {
    const char* no_color = getenv("NO_COLOR");
    const char* terminal = getenv("TERM");
    return isatty(file_number) && (no_color == NULL || no_color[0] == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

// Prints a formatted message and colours the first "error:" or "warning:" in it.
static void print_colored(const char* text) {
    char message[2 * FB_ERROR_TEXT];
    fb_escape(text, message, sizeof message);
    const char* word = strstr(message, "error: ");
    const char* color = "\033[1;31m";
    size_t length = strlen("error:");
    if (word == NULL) {
        word = strstr(message, "warning: ");
        color = "\033[1;33m";
        length = strlen("warning:");
    }
    if (word == NULL || !stream_has_color(STDERR_FILENO)) {
        fprintf(stderr, "%s\n", message);
    } else {
        fprintf(stderr, "%.*s%s%.*s\033[0m%s\n", (int)(word - message), message, color, (int)length,
                word, word + length);
    }
}

// What 'flyball explain' knows the first error by, and whether there were warnings; NULL: there
// was no error.
static const char* first_error;
static bool has_warned;

void remember_error(const char* code) {
    first_error = first_error == NULL ? code : first_error;
}

void print_explain_hint(void) {
    const char* code = first_error == NULL && has_warned ? "warning" : first_error;
    if (code != NULL && isatty(STDERR_FILENO)) {
        fprintf(stderr, "flyball: 'flyball explain %s' explains this kind of message\n", code);
    }
}

void print_diagnostic(const FbDiagnostic* diagnostic) {
    if (diagnostic->severity == FB_SEVERE) {
        remember_error(code_of_status(diagnostic->status));
        keep_failure(&diagnostic->place, diagnostic->text);
    } else {
        has_warned = true;
    }
    char line[FB_ERROR_TEXT + 512];
    fb_diagnostic_format(diagnostic, line, sizeof line);
    print_colored(line);
}

void print_error(const FbError* err) {
    remember_error(code_of_status(err->status));
    keep_failure(&err->place, err->text);
    char line[FB_ERROR_TEXT + 512];
    fb_error_format(err, line, sizeof line);
    print_colored(line);
}

void print_note(const char* format, ...) {
    char text[2 * FB_ERROR_TEXT], shown[2 * FB_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fb_escape(text, shown, sizeof shown);
    keep_note(text);
    fprintf(stderr, "flyball: %s\n", shown);
}

void print_warning(const char* format, ...) {
    char message[FB_ERROR_TEXT + 512];
    va_list args;
    va_start(args, format);
    int n = snprintf(message, sizeof message, "warning: ");
    vsnprintf(message + n, sizeof message - (size_t)n, format, args);
    va_end(args);
    has_warned = true;
    fflush(stdout);  // a warning follows what it is about, also where both go to one file
    print_colored(message);
}

static void on_interrupt(int number) {
    (void)number;
    atomic_store(&interrupt_flag, true);
}

static void catch_signal(int number) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static bool is_ignored(int number) {
    struct sigaction old;
    return sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

// Ctrl-C, and the ways in which timeout, systemd, Slurm, a closed terminal and a limit of processor
// time end a program: it finishes in order; a second signal ends it at once. Under nohup a closed
// terminal does not matter.
void catch_interrupts(void) {
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGXCPU);
    if (!is_ignored(SIGHUP)) {
        catch_signal(SIGHUP);
    }
    // Writing beyond the limit on file sizes is an error like a full disk.
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGXFSZ, &ignore, NULL);
}

bool is_interrupted(void) {
    return atomic_load(&interrupt_flag);
}

void init_progress(ProgressBar* bar, const char* name, bool is_quiet) {
    *bar = (ProgressBar){
        .name = name, .is_quiet = is_quiet, .is_terminal = isatty(STDERR_FILENO) != 0};
}

// "12 x real time, 34 s left": how fast the simulated time goes by, and how long it will take at
// that rate.
static void describe_speed(const FbProgress* p, double done, char* out, size_t size) {
    double speed = p->wall_s > 0.0 ? (p->t - p->t_start) / p->wall_s : 0.0;
    if (done > 0.0) {
        snprintf(out, size, "%.3g x real time, %.0f s left", speed,
                 p->wall_s * (1.0 - done) / done);
    } else {
        snprintf(out, size, "%.3g x real time", speed);
    }
}

static void draw_bar(ProgressBar* bar, const FbProgress* p, double done) {
    char cells[BAR_WIDTH + 1];
    int n_full = (int)(done * BAR_WIDTH);
    memset(cells, '.', BAR_WIDTH);
    memset(cells, '#', (size_t)n_full);
    cells[BAR_WIDTH] = '\0';
    char speed[64];
    describe_speed(p, done, speed, sizeof speed);
    fprintf(stderr, "\r%s [%s] %3.0f %%  t = %.6g s  %ld steps  %s\033[K", bar->name, cells,
            100.0 * done, p->t, p->steps, speed);
    fflush(stderr);
    bar->has_line = true;
}

bool show_progress(void* self, const FbProgress* p) {
    ProgressBar* bar = self;
    double span = p->t_end - p->t_start;
    double done = span > 0.0 ? (p->t - p->t_start) / span : 0.0;
    done = done < 0.0 ? 0.0 : done > 1.0 ? 1.0 : done;
    bool is_due = bar->last_wall_s == 0.0 ? p->wall_s >= first_progress_s
                                          : p->wall_s >= bar->last_wall_s + line_interval_s;
    if (bar->is_quiet || p->wall_s < first_progress_s) {
        return !is_interrupted();
    }
    if (bar->is_terminal) {
        draw_bar(bar, p, done);
    } else if (is_due) {
        char speed[64];
        describe_speed(p, done, speed, sizeof speed);
        fprintf(stderr, "%s: %.0f %%, t = %.6g s of %.6g s, %ld steps, %.1f s; %s\n", bar->name,
                100.0 * done, p->t, p->t_end, p->steps, p->wall_s, speed);
        bar->last_wall_s = p->wall_s;
    }
    return !is_interrupted();
}

bool should_show_progress(const ProgressBar* bar, double wall_s) {
    bool is_first = bar->last_wall_s == 0.0;
    bool is_due = is_first || wall_s >= bar->last_wall_s + line_interval_s;
    return !bar->is_quiet && wall_s >= first_progress_s && (bar->is_terminal || is_due);
}

void show_progress_text(ProgressBar* bar, double wall_s, const char* text) {
    if (bar->is_terminal) {
        fprintf(stderr, "\r%s: %s\033[K", bar->name, text);
        bar->has_line = true;
    } else {
        fprintf(stderr, "%s: %s\n", bar->name, text);
    }
    fflush(stderr);
    bar->last_wall_s = wall_s;
}

void end_progress(ProgressBar* bar) {
    if (bar->has_line) {
        fputs("\r\033[K", stderr);
        bar->has_line = false;
    }
}
