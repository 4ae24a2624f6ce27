// The tables of commands and options, and the parsing that they drive.
#include "options.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "terminal.h"

const Command commands[] = {
    {"new",
     "FILE.yaml",
     1,
     1,
     "write a first model to start from: a pendulum, with comments",
     cmd_new,
     {{"flyball new swing.yaml", "write the model"},
      {"flyball run swing.yaml --report swing.html", "then run it and look at it"}}},
    {"check",
     "MODEL",
     1,
     1,
     "validate a model: parts, degrees of freedom, loops, redundancies",
     cmd_check,
     {{"flyball check arm.yaml", "list parts, loops and degrees of freedom"},
      {"flyball check arm.yaml --set length=0.4 --json", "with another parameter, for a program"}}},
    {"run",
     "MODEL",
     1,
     1,
     "assemble, simulate and record a model",
     cmd_run,
     {{"flyball run arm.yaml -o results --report arm.html", "tables and a report to look at"},
      {"flyball run arm.yaml --duration 5 --accuracy 1e-6",
       "five seconds, with a certified error"}}},
    {"equilibrium",
     "MODEL",
     1,
     1,
     "find where a model rests or moves steadily, and whether it is stable",
     cmd_equilibrium,
     {{"flyball equilibrium crane.yaml", "positions, reactions and stability"},
      {"flyball equilibrium governor.yaml --steady spin=10", "while a joint turns at 10 rad/s"}}},
    {"linearize",
     "MODEL",
     1,
     1,
     "linearize a model and classify every eigenvalue",
     cmd_linearize,
     {{"flyball linearize fourbar.yaml --method all --report modes.html",
       "all methods side by side"},
      {"flyball linearize fourbar.yaml --matrices linear", "the matrices, for a controller"}}},
    {"modes",
     "MODEL",
     1,
     1,
     "natural frequencies, damping, mode shapes, frequency response",
     cmd_modes,
     {{"flyball modes tower.yaml --lowest 10 --report modes.html", "the first modes, animated"},
      {"flyball modes car.yaml --frf road:seat -o frf.csv --svg frf.svg",
       "a frequency response with its Bode plot"}}},
    {"bench",
     "[CASE...]",
     0,
     MAX_OPERANDS,
     "solve the benchmark problems and measure the errors",
     cmd_bench,
     {{"flyball bench", "all cases, with errors, limits and times"},
      {"flyball bench s3 fourbar --report demo", "two of them, with reports in a folder"}}},
    {"sweep",
     "STUDY",
     1,
     1,
     "run a model at all points of a grid of its parameters",
     cmd_sweep,
     {{"flyball sweep study.yaml -o sweep.csv", "run, or resume, all points"},
      {"flyball sweep study.yaml --part 3/20 -o part3.csv", "one of 20 jobs of a cluster"}}},
    {"optimize",
     "STUDY",
     1,
     1,
     "search for the best parameters of a model",
     cmd_optimize,
     {{"flyball optimize study.yaml -o trials.csv", "search, or resume a search"},
      {"flyball optimize study.yaml --set mass=2 --jobs 4",
       "with another mass, four runs at once"}}},
    {"report",
     "RESULT...",
     1,
     MAX_OPERANDS,
     "one HTML file with motion, plots and numbers of a run",
     cmd_report,
     {{"flyball report results/arm.csv", "a report of a run that 'run -o' saved"},
      {"flyball report results/arm.csv --png arm.png --view front --time 2.5",
       "a picture for a document, drawn by a headless browser"}}},
    {"plot",
     "RESULT",
     1,
     1,
     "plot a run as SVG, or in the terminal",
     cmd_plot,
     {{"flyball plot results/arm.csv --outputs tip", "in the terminal"},
      {"flyball plot results/arm.csv -o arm.svg", "as a picture for a document"}}},
    {"convert",
     "RESULT",
     1,
     1,
     "write the table of a run in another format: csv, fbr, mat, npz",
     cmd_convert,
     {{"flyball convert results/arm.csv -o arm.npz", "for numpy.load"},
      {"flyball convert results/arm.fbr -o arm.csv", "a binary table as text"}}},
    {"reduce",
     "MODEL",
     1,
     1,
     "write the reduced matrices of a model's structures, for other models",
     cmd_reduce,
     {{"flyball reduce part.yaml -o part", "matrices, and a model with them, in the folder part"},
      {"flyball reduce part.yaml -o part --mpi",
       "after 'mpirun -n 8': eight processes, none of which holds the whole matrices"}}},
    {"integrators",
     "",
     0,
     0,
     "list the methods of integration and what each is good for",
     cmd_integrators,
     {{"flyball integrators", "which methods there are"},
      {"flyball integrators --json", "the same for a program"}}},
    {"schema",
     "",
     0,
     0,
     "print the JSON Schema of the model or study file",
     cmd_schema,
     {{"flyball schema -o flyball.schema.json", "for an editor that checks YAML while you type"},
      {"flyball schema --study -o study.schema.json", "the same for study files"}}},
    {"explain",
     "[CODE]",
     0,
     1,
     "explain an exit code or a kind of error",
     cmd_explain,
     {{"flyball explain", "list what can be explained"},
      {"flyball explain assembly", "loops that cannot be closed, and what to do"}}},
    {"help",
     "[COMMAND]",
     0,
     1,
     "explain the program or one command",
     cmd_help,
     {{"flyball help run", "the options of a command"},
      {"flyball help --json", "all commands and options, for a program"}}},
    {.name = NULL},
};

#define FIELD(name) offsetof(Options, name)

const Option option_table[] = {
    {"--set", NULL, "NAME=VALUE", OPTION_OVERRIDE, 0,
     "check run equilibrium linearize modes sweep optimize reduce",
     "override a parameter of the model; VALUE may be an expression with a unit; repeatable"},
    {"--duration", NULL, "SECONDS", OPTION_POSITIVE, FIELD(duration), "run", "simulated time"},
    {"--sample", NULL, "SECONDS", OPTION_POSITIVE, FIELD(sample), "run",
     "time between recorded rows"},
    {"--rtol", NULL, "X", OPTION_POSITIVE, FIELD(rtol), "run bench",
     "relative tolerance of the integrator; the absolute one keeps its ratio to it"},
    {"--atol", NULL, "X", OPTION_POSITIVE, FIELD(atol), "run bench",
     "absolute tolerance of the integrator"},
    {"--accuracy", NULL, "E", OPTION_POSITIVE, FIELD(accuracy), "run",
     "tighten the tolerances until the global error of all outputs is below E, and certify it"},
    {"--error-estimate", NULL, NULL, OPTION_FLAG, FIELD(has_estimate), "run",
     "estimate the errors of the outputs with a second run, even if the first one took a long "
     "time"},
    {"--no-error-estimate", NULL, NULL, OPTION_FLAG, FIELD(has_no_estimate), "run",
     "skip that estimate, even where it would be cheap"},
    {"--max-step", NULL, "SECONDS", OPTION_POSITIVE, FIELD(max_step), "run",
     "largest step of the integrator"},
    {"--step", NULL, "SECONDS", OPTION_POSITIVE, FIELD(step), "run",
     "steps of this length, without error control (auto: with alpha)"},
    {"--spectral-radius", NULL, "X", OPTION_FRACTION, FIELD(spectral_radius), "run",
     "numerical damping of alpha, from 0 (strongest) to 1 (none); default 0.8"},
    {"--integrator", NULL, "NAME", OPTION_TEXT, FIELD(integrator), "run bench",
     "integration method, or auto to let the program choose"},
    {"--at", NULL, "WHERE", OPTION_TEXT, FIELD(at), "linearize modes",
     "equilibrium (default), initial, or a time during a run, in seconds"},
    {"--steady", NULL, "JOINT=RATE", OPTION_LIST, FIELD(steady), "equilibrium linearize modes",
     "a joint that keeps turning (rad/s) or sliding (m/s) at equilibrium; repeatable"},
    {"--method", NULL, "NAME", OPTION_TEXT, FIELD(method), "linearize",
     "independent (default), descriptor, ode, penalty, or all"},
    {"--coordinates", NULL, "NAME", OPTION_TEXT, FIELD(coordinates), "linearize",
     "joint (default), absolute (six for each body), or both"},
    {"--repeat", NULL, "N", OPTION_COUNT, FIELD(repeat), "linearize",
     "number of timed executions (default 1)"},
    {"--penalty", NULL, "X", OPTION_POSITIVE, FIELD(penalty), "linearize",
     "stiffness factor of the penalty method (default 1e7)"},
    {"--baumgarte", NULL, "RATE", OPTION_POSITIVE, FIELD(baumgarte), "linearize",
     "stabilization rate of the ode method in 1/s (default none)"},
    {"--exact", NULL, "RE,IM", OPTION_LIST, FIELD(exact), "linearize",
     "known eigenvalue (its conjugate is implied) to measure the error against; repeatable"},
    {"--matrices", NULL, "DIR", OPTION_TEXT, FIELD(matrices), "linearize",
     "folder for M, C, K, A, B, Cy, D in Matrix Market format and names.json"},
    {"--undamped", NULL, NULL, OPTION_FLAG, FIELD(is_undamped), "modes",
     "ignore damping: real mode shapes from mass and stiffness alone"},
    {"--lowest", NULL, "N", OPTION_COUNT, FIELD(lowest), "modes",
     "only the N lowest modes, with sparse matrices, for models with thousands of coordinates"},
    {"--shift", NULL, "HZ", OPTION_POSITIVE, FIELD(shift_hz), "modes",
     "with --lowest: the modes nearest to this frequency instead"},
    {"--points", NULL, "BODY:X,Y,Z", OPTION_LIST, FIELD(points), "modes",
     "also give the mode shape at this point, in body axes; repeatable"},
    {"--frf", NULL, "INPUT:OUTPUT", OPTION_TEXT, FIELD(frf), "modes",
     "frequency response from an actuator or another force along a line or in a joint to a "
     "recorded output"},
    {"--from", NULL, "HZ", OPTION_POSITIVE, FIELD(from_hz), "modes",
     "lowest frequency of the response (default: a tenth of the lowest mode's)"},
    {"--to", NULL, "HZ", OPTION_POSITIVE, FIELD(to_hz), "modes",
     "highest frequency of the response (default: ten times the highest mode's)"},
    {"--points-per-decade", NULL, "N", OPTION_COUNT, FIELD(points_per_decade), "modes",
     "points per decade of the response (default 100)"},
    {"--svg", NULL, "FILE", OPTION_TEXT, FIELD(svg), "modes", "Bode plot of the response"},
    {"--tight", NULL, NULL, OPTION_FLAG, FIELD(is_tight), "bench",
     "use each case's tight tolerances and compare with its tight limits"},
    {"--list", NULL, NULL, OPTION_FLAG, FIELD(is_list), "bench", "list the cases and stop"},
    {"--cases", NULL, "DIR", OPTION_TEXT, FIELD(cases), "bench",
     "folder of the cases (default: $FLYBALL_CASES, then the installed ones)"},
    {"--report", NULL, "PATH", OPTION_TEXT, FIELD(report), "run linearize modes",
     "also write a report, an HTML file with motion, plots and numbers"},
    {"--report", NULL, "PATH", OPTION_TEXT, FIELD(report), "sweep optimize",
     "also write a report, an HTML file with charts of the measures and sensitivities"},
    {"--report", NULL, "PATH", OPTION_TEXT, FIELD(report), "bench",
     "also write a folder of reports, HTML files with motion, plots and numbers"},
    {"--format", NULL, "NAME", OPTION_TEXT, FIELD(format), "run",
     "with -o: also write the outputs as NAME.mat (MATLAB, Octave, SciPy), NAME.npz (NumPy) or "
     "NAME.parquet; fbr: "
     "write NAME.fbr, binary with checksums, instead of NAME.csv"},
    {"--vtu", NULL, "DIR", OPTION_TEXT, FIELD(vtu), "run modes",
     "write the motion of all nodes of meshes as VTU files for ParaView"},
    {"--gltf", NULL, "FILE.glb", OPTION_TEXT, FIELD(gltf), "run",
     "also write the motion as animated glTF, for other 3-D programs"},
    {"--gltf", NULL, "FILE.glb", OPTION_TEXT, FIELD(gltf), "modes",
     "also write the swing of a mode as animated glTF, for other 3-D programs"},
    {"--mode", NULL, "N", OPTION_COUNT, FIELD(mode), "modes",
     "with --gltf: the mode to write, as numbered in the table (default 1)"},
    {"--gltf", NULL, "FILE.glb", OPTION_TEXT, FIELD(gltf), "report",
     "write the motion as animated glTF, for other 3-D programs; the HTML file is written only "
     "with -o"},
    {"--png", NULL, "FILE.png", OPTION_TEXT, FIELD(png), "report",
     "write a picture, drawn by a headless browser; the HTML file is written only with -o. RESULT "
     "may also be the HTML file of any report"},
    {"--view", NULL, "NAME", OPTION_TEXT, FIELD(view), "report",
     "with --png: standard (default), front, side, top, corner; or page, for the whole page"},
    {"--time", NULL, "SECONDS", OPTION_TEXT, FIELD(time), "report",
     "with --png: the time to show (default: the start)"},
    {"--size", NULL, "WxH", OPTION_TEXT, FIELD(size), "report",
     "with --png: its width and height in pixels (default 1280x720)"},
    {"--poses", NULL, NULL, OPTION_FLAG, FIELD(has_poses), "run",
     "with -o: also save the motion, NAME.motion.json, for a later report"},
    {"--damping", NULL, "OUTPUT[:CYCLES]", OPTION_TEXT, FIELD(damping), "run",
     "effective damping of the vibration in a recorded output, per cycle and overall"},
    {"--resume", NULL, NULL, OPTION_FLAG, FIELD(is_resume), "run",
     "with -o: continue a run that was interrupted or killed from its last saved state"},
    {"--resume", NULL, NULL, OPTION_FLAG, FIELD(is_resume), "bench",
     "with -o: take over the cases that an interrupted or killed command has finished"},
    {"--checkpoint", NULL, "SECONDS", OPTION_POSITIVE, FIELD(checkpoint), "run",
     "with -o: time between saved states (default 5)"},
    {"--jobs", NULL, "N", OPTION_COUNT, FIELD(jobs), "sweep optimize",
     "number of parallel runs (default: the number of processors)"},
    {"--part", NULL, "I/N", OPTION_TEXT, FIELD(part), "sweep",
     "only every N-th point, starting with the I-th, to split a sweep into cluster jobs (default "
     "in a "
     "Slurm array: the part of the task)"},
    {"--join", NULL, "N", OPTION_COUNT, FIELD(join), "sweep",
     "run nothing, but join the tables of N parts, NAME.part-I-of-N.csv, into one"},
    {"--slurm", NULL, NULL, OPTION_FLAG, FIELD(is_slurm), "sweep",
     "run nothing, but write the scripts of a Slurm array job and of a job that joins its tables"},
    {"--submit", NULL, NULL, OPTION_FLAG, FIELD(is_submit), "sweep",
     "with --slurm: also submit the two jobs with sbatch"},
    {"--mpi", NULL, NULL, OPTION_FLAG, FIELD(is_mpi), "sweep optimize bench",
     "share the runs among the processes of mpirun; each does one at a time, of studies --jobs of "
     "them"},
    {"--mpi", NULL, NULL, OPTION_FLAG, FIELD(is_mpi), "reduce",
     "the processes of mpirun share the matrices, with PETSc and SLEPc"},
    {"--untimed", NULL, NULL, OPTION_FLAG, FIELD(is_untimed), "sweep optimize bench",
     "write 0 as the time of each run, so that equal studies and cases give equal files"},
    {"--retry", NULL, NULL, OPTION_FLAG, FIELD(is_retry), "sweep optimize",
     "rerun the points of the table that failed"},
    {"--example", NULL, "MODEL", OPTION_LIST, FIELD(examples), "bench",
     "with --report: also run this model and list its report; repeatable"},
    {"--outputs", NULL, "A,B,...", OPTION_TEXT, FIELD(outputs), "plot",
     "the outputs to plot (default: all); tip stands for tip.x, tip.y and tip.z"},
    {"--reference", NULL, "FILE.csv", OPTION_TEXT, FIELD(reference), "report plot",
     "table of reference curves, matched by column name"},
    {"--with", NULL, "RESULT", OPTION_TEXT, FIELD(with), "report",
     "a second run, shown over the first or beside it, and in the plots"},
    {"--title", NULL, "TEXT", OPTION_TEXT, FIELD(title), "report plot", "the title"},
    {"--markdown", NULL, NULL, OPTION_FLAG, FIELD(is_markdown), "schema",
     "print the reference manual instead"},
    {"--study", NULL, NULL, OPTION_FLAG, FIELD(is_study), "schema",
     "describe the study file instead of the model file"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "run",
     "folder for NAME.csv and NAME.json"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "linearize", "file for all eigenvalues"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "modes",
     "CSV file for the frequency response"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "bench", "CSV file for the table"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "sweep optimize",
     "CSV file for all runs, resumed if it exists"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "report",
     "HTML file, or a folder for several"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "plot", "SVG file"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "convert",
     "the new file; its ending is the format: .csv, .fbr, .mat, .npz, .parquet"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "reduce",
     "folder for the matrices and NAME.yaml of each structure"},
    {"--output", "-o", "PATH", OPTION_TEXT, FIELD(output), "schema", "file instead of stdout"},
    {"--json", NULL, NULL, OPTION_FLAG, FIELD(is_json),
     "check run equilibrium linearize modes bench sweep optimize reduce integrators explain help",
     "print exactly one JSON document on stdout"},
    {"--quiet", "-q", NULL, OPTION_FLAG, FIELD(is_quiet),
     "new check run equilibrium linearize modes bench sweep optimize report plot convert reduce",
     "no progress and no notes on stderr; errors are still reported"},
    {"--help", "-h", NULL, OPTION_FLAG, FIELD(is_help),
     "new check run equilibrium linearize modes bench sweep optimize report plot convert reduce "
     "integrators schema explain help",
     "explain the command"},
    {NULL, NULL, NULL, OPTION_FLAG, 0, NULL, NULL},
};

const Command* find_command(const char* name) {
    for (const Command* c = commands; c->name != NULL; c++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

bool option_belongs_to(const Option* option, const char* command) {
    size_t length = strlen(command);
    for (const char* at = strstr(option->commands, command); at != NULL;
         at = strstr(at + 1, command)) {
        bool begins = at == option->commands || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

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
