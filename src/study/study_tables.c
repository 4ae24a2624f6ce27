// The tables of the sections of a study file: ranges of parameters, measures, and the search for
// the best.
#include "study/study_tables.h"

#include <math.h>
#include <stddef.h>

#include "study/study.h"

#define ANY .min = -INFINITY, .max = INFINITY
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

const FbStudySection fb_study_sections[] = {
    {"flyball_study", "Version of the format: 1.", true},
    {"name", "The table is called NAME.csv; default: the name of the file.", false},
    {"title", "One line of description.", false},
    {"model", "Path of the model, relative to the folder of the study.", true},
    {"set", "Parameters with the same value in all runs, as with --set.", false},
    {"simulation",
     "Settings where they differ from those of the model: duration, sample, rtol, atol, max_step, "
     "integrator.",
     false},
    {"parameters",
     "The parameters of the model that vary, each with a list of values, a range, "
     "or a distribution.",
     true},
    {"samples", "Points drawn instead of a grid.", false},
    {"modes", "The operating point of measures of equilibria and modes.", false},
    {"measures",
     "What is measured at each point: a map, or an expression of parameters and earlier measures.",
     true},
    {"constraints", "List of `a <= b` or `a >= b` with expressions of parameters and measures.",
     false},
    {"objective", "What is best: {maximize: expression} or {minimize: expression}.", false},
    {"optimize", "How to search for it.", false},
    {"slurm", "What 'sweep --slurm' requests from the scheduler.", false},
    {NULL, NULL, false}};

#define AT(member) .offset = offsetof(FbStudyParameter, member)
#define FROM \
    { .key = "from", .kind = FB_FIELD_REAL, AT(low), .unit = "", ANY, .doc = "Least value." }
#define TO \
    { .key = "to", .kind = FB_FIELD_REAL, AT(high), .unit = "", ANY, .doc = "Largest value." }
#define SCALE                                                                                      \
    {                                                                                              \
        .key = "scale", .kind = FB_FIELD_CHOICE, AT(is_log), .unit = "", .default_text = "linear", \
        .choices = "linear|log",                                                                   \
        .doc =                                                                                     \
            "Equal differences or equal ratios between values; of samples: is the value or its "   \
            "logarithm distributed uniformly?",                                                    \
    }
static const FbField range_fields[] = {
    FROM,
    TO,
    {.key = "n",
     .kind = FB_FIELD_INT,
     AT(n),
     .unit = "",
     .is_optional = true,
     .min = 1,
     .max = FB_STUDY_MAX_POINTS,
     .doc = "How many values a sweep takes, both ends included."},
    SCALE,
    {.key = "start",
     .kind = FB_FIELD_REAL,
     AT(start),
     .unit = "",
     .is_optional = true,
     ANY,
     .doc = "Where an optimization starts; default: in the middle."},
};
static const FbField uniform_fields[] = {FROM, TO, SCALE};
static const FbField normal_fields[] = {
    {.key = "mean", .kind = FB_FIELD_REAL, AT(mean), .unit = "", ANY, .doc = "The mean."},
    {.key = "deviation",
     .kind = FB_FIELD_REAL,
     AT(deviation),
     .unit = "",
     ANY,
     .doc = "The standard deviation."},
};
static const FbField triangular_fields[] = {
    FROM,
    {.key = "mode",
     .kind = FB_FIELD_REAL,
     AT(mode),
     .unit = "",
     ANY,
     .doc = "The most likely value."},
    TO,
};
static const FbField choice_fields[] = {
    {.key = "values",
     .kind = FB_FIELD_REALS,
     AT(values),
     .offset2 = offsetof(FbStudyParameter, n),
     .unit = "",
     ANY,
     .doc = "The values to choose from."},
    {.key = "weights",
     .kind = FB_FIELD_REALS,
     AT(weights),
     .offset2 = offsetof(FbStudyParameter, n_weights),
     .unit = "1",
     .is_optional = true,
     ANY,
     .doc = "How likely each value is, relative to the others; default: all the same."},
};
#undef AT
#undef FROM
#undef TO
#undef SCALE
const FbTypeInfo fb_study_range_table = {.name = "range",
                                         .doc = "A range of a parameter.",
                                         .fields = range_fields,
                                         .n_fields = COUNT(range_fields)};
static const FbTypeInfo uniform_table = {.name = "uniform",
                                         .doc = "A uniform distribution.",
                                         .fields = uniform_fields,
                                         .n_fields = COUNT(uniform_fields)};
static const FbTypeInfo normal_table = {.name = "normal",
                                        .doc = "A normal distribution.",
                                        .fields = normal_fields,
                                        .n_fields = COUNT(normal_fields)};
static const FbTypeInfo lognormal_table = {
    .name = "lognormal",
    .doc = "A lognormal distribution, by mean and deviation of the value itself.",
    .fields = normal_fields,
    .n_fields = COUNT(normal_fields)};
static const FbTypeInfo triangular_table = {.name = "triangular",
                                            .doc = "A triangular distribution.",
                                            .fields = triangular_fields,
                                            .n_fields = COUNT(triangular_fields)};
static const FbTypeInfo choice_table = {.name = "choice",
                                        .doc = "A choice of values.",
                                        .fields = choice_fields,
                                        .n_fields = COUNT(choice_fields)};
const FbTypeInfo* const fb_study_distribution_tables[] = {
    &uniform_table, &normal_table, &lognormal_table, &triangular_table, &choice_table, NULL};

#define AT(member) .offset = offsetof(FbStudySamples, member)
static const FbField samples_fields[] = {
    {.key = "method",
     .kind = FB_FIELD_CHOICE,
     AT(method),
     .unit = "",
     .choices = "random|latin_hypercube|sobol|saltelli",
     .is_int_choice = true,
     .doc = "How points are drawn."},
    {.key = "n",
     .kind = FB_FIELD_INT,
     AT(n),
     .unit = "",
     .min = 1,
     .max = FB_STUDY_MAX_POINTS,
     .doc = "How many; saltelli: each of them makes a point for each parameter, and two more."},
    {.key = "seed",
     .kind = FB_FIELD_INT,
     AT(seed),
     .unit = "",
     .default_text = "1",
     .min = 0,
     .max = 2147483647,
     .doc = "Other seeds give other points; 0: Sobol' points without a random shift."},
};
#undef AT
const FbTypeInfo fb_study_samples_table = {.name = "samples",
                                           .doc = "Points drawn instead of a grid.",
                                           .fields = samples_fields,
                                           .n_fields = COUNT(samples_fields)};

#define AT(member) .offset = offsetof(FbStudyMeasure, member)
static const FbField measure_fields[] = {
    {.key = "output",
     .kind = FB_FIELD_TEXT,
     AT(output),
     .unit = "",
     .is_optional = true,
     .doc = "A recorded output of the model."},
    {.key = "of",
     .kind = FB_FIELD_CHOICE,
     AT(kind),
     .unit = "",
     .choices =
         "final|max|min|rms|mean|max_abs|peak_to_peak|damping|end_time|equilibrium|frequency|"
         "damping_ratio|real|imaginary|growth_rate|eigenvalue",
     .is_int_choice = true,
     .doc = "What is measured of it: in a run (up to end_time), at the operating point "
            "(equilibrium), or of the modes there."},
    {.key = "mode",
     .kind = FB_FIELD_INT,
     AT(mode),
     .unit = "",
     .is_optional = true,
     .min = 1,
     .max = 1e6,
     .doc = "Which mode, in order of increasing frequency at the model's own parameters."},
    {.key = "modes",
     .kind = FB_FIELD_INT,
     AT(n_modes),
     .unit = "",
     .is_optional = true,
     .min = 1,
     .max = FB_STUDY_MAX_MODES,
     .doc = "Instead of `mode`: a measure for each of the first modes, with names that end in 1, "
            "2, ...; of "
            "eigenvalue: 1_re, 1_im, ..., and eigenvalues below the real axis count, too."},
    {.key = "cycles",
     .kind = FB_FIELD_INT,
     AT(cycles),
     .unit = "",
     .default_text = "0",
     .min = 0,
     .max = 1e9,
     .doc = "Number of cycles for the damping ratio; 0: all of them."},
    {.key = "about",
     .kind = FB_FIELD_REAL,
     AT(about),
     .unit = "",
     .default_text = "0",
     ANY,
     .doc = "The value about which a damped output oscillates."},
    {.key = "from",
     .kind = FB_FIELD_REAL,
     AT(from),
     .unit = "s",
     .is_optional = true,
     ANY,
     .doc = "Earlier samples are ignored."},
    {.key = "to",
     .kind = FB_FIELD_REAL,
     AT(to),
     .unit = "s",
     .is_optional = true,
     ANY,
     .doc = "Later samples are ignored."},
};
#undef AT
const FbTypeInfo fb_study_measure_table = {.name = "measure",
                                           .doc = "A number that is measured at each point.",
                                           .fields = measure_fields,
                                           .n_fields = COUNT(measure_fields)};

#define AT(member) .offset = offsetof(FbStudyModes, member)
static const FbField modes_fields[] = {
    {.key = "at",
     .kind = FB_FIELD_CHOICE,
     AT(is_initial),
     .unit = "",
     .default_text = "equilibrium",
     .choices = "equilibrium|initial",
     .doc = "Where: at the equilibrium, or in the initial state."},
    {.key = "track",
     .kind = FB_FIELD_BOOL,
     AT(is_tracked),
     .unit = "",
     .default_text = "true",
     .doc = "Modes are followed from the model's own parameters; false: they are counted at each "
            "point."},
};
#undef AT
const FbTypeInfo fb_study_modes_table = {
    .name = "modes",
    .doc = "The operating point of measures of equilibria and modes.",
    .fields = modes_fields,
    .n_fields = COUNT(modes_fields)};

#define AT(member) .offset = offsetof(FbStudySearch, member)
static const FbField search_fields[] = {
    {.key = "algorithm",
     .kind = FB_FIELD_CHOICE,
     AT(algorithm),
     .unit = "",
     .default_text = "subplex",
     .choices = "cobyla|bobyqa|subplex|direct|isres|crs2|multistart",
     .is_int_choice = true,
     .doc = "The method."},
    {.key = "evaluations",
     .kind = FB_FIELD_INT,
     AT(evaluations),
     .unit = "",
     .default_text = "200",
     .min = 1,
     .max = 1e9,
     .doc = "Largest number of runs of the model for each start."},
    {.key = "xtol",
     .kind = FB_FIELD_REAL,
     AT(xtol),
     .unit = "1",
     .default_text = "1e-4",
     .min = 0,
     .max = 1,
     .doc =
         "Stop when the parameters change by less than this fraction of their ranges; 0: never."},
    {.key = "ftol",
     .kind = FB_FIELD_REAL,
     AT(ftol),
     .unit = "1",
     .default_text = "1e-9",
     .min = 0,
     .max = 1,
     .doc = "Stop when the objective changes by less than this fraction of its value; 0: never."},
    {.key = "step",
     .kind = FB_FIELD_REAL,
     AT(step),
     .unit = "1",
     .default_text = "0.1",
     .min = 0,
     .max = 1,
     .has_open_min = true,
     .doc = "First step, as a fraction of the ranges."},
    {.key = "starts",
     .kind = FB_FIELD_INT,
     AT(starts),
     .unit = "",
     .default_text = "1",
     .min = 1,
     .max = 1e6,
     .doc = "Number of searches, from starting points spread over the ranges."},
    {.key = "seed",
     .kind = FB_FIELD_INT,
     AT(seed),
     .unit = "",
     .default_text = "1",
     .min = 0,
     .max = 2147483647,
     .doc = "Seed of the methods that use random numbers."},
};
#undef AT
const FbTypeInfo fb_study_search_table = {.name = "optimize",
                                          .doc = "How to search for the best point.",
                                          .fields = search_fields,
                                          .n_fields = COUNT(search_fields)};
