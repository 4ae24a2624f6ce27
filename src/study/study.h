// A study: many runs of one model with other values of its parameters, and what is measured in
// each. Immutable once read, so that any number of threads may share it.
#ifndef FLYBALL_STUDY_STUDY_H
#define FLYBALL_STUDY_STUDY_H

#include "base/arena.h"
#include "base/error.h"
#include "base/expr.h"
#include "base/text.h"
#include "flyball/study.h"
#include "read/read.h"
#include "study/slurm.h"

// How a parameter is drawn.
typedef enum FbDistribution {
    FB_DISTRIBUTION_UNIFORM,  // of the value, or with is_log of its logarithm
    FB_DISTRIBUTION_NORMAL,
    FB_DISTRIBUTION_LOGNORMAL,
    FB_DISTRIBUTION_TRIANGULAR,
    FB_DISTRIBUTION_CHOICE,
    FB_N_DISTRIBUTIONS
} FbDistribution;

typedef struct FbStudyParameter {
    const char* name;              // of the model
    bool is_list;                  // `values` were written one by one
    double low, high;              // of a range (lists: least and largest)
    bool is_distribution;          // one was named, so that it can only be drawn
    int distribution;              // FbDistribution
    double mean, deviation, mode;  // of those that have them
    const double* weights;         // [n] choice: sums of the weights up to each value
    int n_weights;                 // as written; 0: all the same
    double start;                  // of an optimization
    bool is_log;
    int n;                 // values of a grid; 0: none requested
    const double* values;  // [n]
    FbPlace place;
} FbStudyParameter;

typedef enum FbStudyKind {
    FB_STUDY_FINAL,
    FB_STUDY_MAX,
    FB_STUDY_MIN,
    FB_STUDY_RMS,
    FB_STUDY_MEAN,
    FB_STUDY_MAX_ABS,
    FB_STUDY_PEAK_TO_PEAK,
    FB_STUDY_DAMPING,
    FB_STUDY_END_TIME,     // s; no output
    FB_STUDY_EQUILIBRIUM,  // the output at the operating point
    FB_STUDY_FREQUENCY,    // Hz, of a mode, as the next three
    FB_STUDY_DAMPING_RATIO,
    FB_STUDY_REAL,         // 1/s
    FB_STUDY_IMAGINARY,    // rad/s
    FB_STUDY_GROWTH_RATE,  // 1/s: the largest real part
    FB_STUDY_EIGENVALUE,   // in files: becomes real and imaginary parts
    FB_STUDY_EXPRESSION,   // of parameters and earlier measures
} FbStudyKind;

typedef struct FbStudyMeasure {
    const char* name;
    int kind;            // FbStudyKind
    const char* output;  // NULL for the last two kinds
    const char* unit;    // "": none or unknown
    int cycles;          // damping; 0: all
    double about;        // damping
    double from, to;     // s: samples between them count; infinite: all
    const char* text;    // expression
    const FbExpr* expr;
    int mode;           // from 1
    int n_modes;        // in files: this becomes a measure for each of them; 0: not given
    bool counts_all;    // modes below the real axis count, too
    int followed;       // which of FbStudyModes.followed it is
    const char* group;  // the name in the file, where that has become several measures; or NULL
    FbPlace place;
} FbStudyMeasure;

// A joint coordinate that keeps moving at the operating point.
typedef struct FbStudyRate {
    const char *joint, *text;
    const FbExpr* expr;  // of the parameters
} FbStudyRate;

// The operating point of measures, and the modes where parameters have the model's own values.
typedef struct FbStudyModes {
    bool is_initial;  // at the initial state instead of an equilibrium
    bool is_tracked;  // modes are followed from there; else counted at each point
    FbStudyRate* steady;
    int n_steady;
    bool has_run, has_outputs, has_modes;  // what the measures need
    const double* nominal;                 // [n_parameters]
    struct FbModeSet* reference;           // NULL: not needed
    const int* followed;                   // [n_followed] modes of it
    int n_followed;
} FbStudyModes;

// lhs <= rhs.
typedef struct FbStudyConstraint {
    const char* text;  // as written
    const FbExpr *lhs, *rhs;
} FbStudyConstraint;

typedef enum FbSampleMethod {
    FB_SAMPLES_RANDOM,
    FB_SAMPLES_LATIN,
    FB_SAMPLES_SOBOL,
    FB_SAMPLES_SALTELLI,
} FbSampleMethod;

// Points that are drawn instead of a grid.
typedef struct FbStudySamples {
    int method;  // FbSampleMethod
    int n;       // 0: a grid
    int seed;
    const int* order;  // [n_parameters x n] Latin hypercube: the cell of each point
} FbStudySamples;

typedef enum FbStudyAlgorithm {
    FB_STUDY_COBYLA,
    FB_STUDY_BOBYQA,
    FB_STUDY_SUBPLEX,
    FB_STUDY_DIRECT,
    FB_STUDY_ISRES,
    FB_STUDY_CRS2,
    FB_STUDY_MULTISTART,  // becomes subplex with several starts
} FbStudyAlgorithm;

extern const char* const fb_study_algorithm_names[];

typedef struct FbStudySearch {
    int algorithm;    // FbStudyAlgorithm
    int evaluations;  // most, for each start
    double xtol;      // stop where the parameters move by less than this part of their ranges
    double ftol;      // stop where the objective changes by less than this part of itself
    double step;      // first step, a part of the ranges
    int starts;
    int seed;  // of the algorithms that draw numbers
} FbStudySearch;

// Settings that the study changes.
enum { FB_STUDY_N_SETTINGS = 6 };
extern const char* const fb_study_setting_names[FB_STUDY_N_SETTINGS];

struct FbStudy {
    FbArena* arena;  // owns everything below
    const char *file, *name, *title;
    const char* model_path;
    const char* model_text;
    size_t model_size;
    FbParsedModel parsed;         // the tree of model_text, which every point reads
    const FbOverride* overrides;  // `set` of the file, then those of the caller
    int n_overrides;
    FbSettings settings;
    bool has_setting[FB_STUDY_N_SETTINGS];
    FbStudyParameter* parameters;
    int n_parameters;
    FbStudySamples samples;
    FbStudyModes modes;
    FbStudyMeasure* measures;
    int n_measures;
    FbStudyConstraint* constraints;
    int n_constraints;
    const char* objective;  // text; NULL: none
    const FbExpr* objective_expr;
    bool is_maximum;
    FbPlace objective_place;
    FbStudySearch search;
    FbPlace search_place;
    FbStudySlurm slurm;
    size_t work_size;       // doubles that an evaluation of any expression needs
    char files_sha256[65];  // of the files that the model names
    char sha256[65];        // of all that a row of results depends on: model and its files,
                            // settings, measures, constraints
};

// Methods that support constraints; the others use a penalty.
bool fb_study_takes_constraints(int algorithm);

// `values`: the parameters, then the measures; `work` has room for work_size doubles.
double fb_study_eval(const FbExpr* expr, const double* values, double* work);

// Measures that one line of a file may become, for each of real and imaginary parts.
enum { FB_STUDY_MAX_MODES = 1000 };

// A grid that is larger than this is a mistake: its table would not fit.
enum { FB_STUDY_MAX_POINTS = 10000000 };

// Points of the grid, of which the first parameter changes slowest, or samples. -1: too many.
long fb_study_count_points(const FbStudy* study);
void fb_study_get_point(const FbStudy* study, int index, double* parameters);

// The command line that runs the model at a point.
void fb_study_write_command(const FbStudy* study, const double* parameters, FbText* out);

#endif
