// The data of a report and its way into the file: what the viewer's contract asks for, from
// wherever it comes.
#ifndef FLYBALL_VIEW_REPORT_H
#define FLYBALL_VIEW_REPORT_H

#include "base/arena.h"
#include "flyball/report.h"
#include "view/mesh_picture.h"
#include "view/stream.h"

// A line of a table: what, and its value as text.
typedef struct FbPair {
    const char* key;
    const char* value;
} FbPair;

typedef struct FbPairs {
    FbPair items[24];
    int n;
} FbPairs;

// Adds a line; the value is kept in the arena. Lines that do not fit any more are left out.
void fb_pairs_add(FbPairs* pairs, FbArena* arena, const char* key, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

typedef struct FbReportEvent {
    const char* name;
    double t;
    int direction;
} FbReportEvent;

typedef struct FbReportSource FbReportSource;

struct FbReportSource {
    const char* kind;  // "run" or "modes"
    const char *title, *origin, *name, *file, *sha256, *version, *created, *machine;
    const char *model_text, *command, *overview;
    FbPairs summary, settings, statistics, checks;
    FbPairs certificate;  // of the global error; no lines: none
    const char* const* warnings;
    int n_warnings;
    const char* failure;  // why the run ended early; NULL: it did not
    const FbReportMeasure* measures;
    int n_measures;
    const FbReportReference* references;
    int n_references;
    const char* damping;  // a JSON object as fb_damping_write_json() makes it; NULL: none
    const FbReportEvent* events;
    int n_events;
    // Rows of outputs; `self` is passed to the functions.
    int n_rows, n_outputs;
    const char* const* output_names;
    const char* const* output_units;
    const void* self;
    double (*get_time)(const void* self, int row);
    double (*get_value)(const void* self, int row, int output);
    // The rows that are shown, set when it is written; NULL: all.
    const int* shown_rows;
    int n_shown;
    // The motion: of a model with poses of each row, or as text that fb_motion_write made; both may
    // be missing.
    const FbModel* model;
    void (*get_pose)(const void* self, int row, int body, double pose[7]);
    int n_frames;  // of the drawing, set when it is written
    double (*get_slide)(const void* self, int row, int slider);  // place along the guide, m
    // Meshes: the coordinates of a superelement in a row; NULL: not recorded. Pictures and what
    // they show (the frames, or both parts of each mode) are set when it is written.
    const double* (*get_mesh)(const void* self, int row, int superelement);
    FbMeshColumns mesh_columns;
    FbMeshPicture* meshes;
    int n_meshes;
    const char* motion;
    size_t motion_size;
    // The motion of a second run, as such a text, and its name; NULL: none.
    const char *beside, *beside_name;
    size_t beside_size;
    // More keys of the document; may be NULL.
    FbStatus (*write_more)(FbStream* s, const FbReportSource* source, FbError* err);
    void* more;
};

// A source file that knows this version, and information about a compiled model.
FbReportSource fb_report_source(const char* kind);
void fb_report_add_model(FbReportSource* source, FbArena* arena, const FbModel* model);
void fb_report_add_options(FbReportSource* source, const FbReportOptions* options);

// shown_rows.c: at most about 2e5 rows, among them the extremes of every output in each part of the
// run; the array is kept in the arena.
FbStatus fb_report_choose_rows(FbReportSource* source, FbArena* arena, FbError* err);

FbStatus fb_report_write(const FbReportSource* source, const char* path, FbError* err);

// drawing.c: chooses frames and makes the pictures of meshes, before a drawing is written.
FbStatus fb_drawing_prepare(FbReportSource* source, FbArena* arena, FbError* err);
// Gravity, length, frames, bodies, joints, springs, bushings, rods, members, sliders and meshes as
// pairs of the open object.
void fb_drawing_write(FbStream* s, const FbReportSource* source);

// motion.c: these pairs as a separate JSON file, so that a report can be made from files later.
FbStatus fb_motion_write(const FbReportSource* source, const char* path, FbError* err);
// The same as a text in memory, which the caller frees with free().
FbStatus fb_motion_make(const FbReportSource* source, char** text, size_t* size, FbError* err);
// Is this one JSON object, as fb_motion_write makes it, with the keys of a motion alone?
FbStatus fb_motion_check(const char* text, size_t size, const char* file_name, FbError* err);

// run_report.c: the source of a result; arrays are kept in the arena, the result must stay.
FbStatus fb_report_of_result(const FbResult* result, const FbReportOptions* options, FbArena* arena,
                             FbReportSource* out, FbError* err);

#endif
