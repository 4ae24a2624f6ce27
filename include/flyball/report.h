// Output of a run for people and other programs: a self-contained HTML report with the
// motion in 3-D, plots and numbers, and the documents that `flyball run -o` writes.
//
// A report needs no network and no server. Files are written under a temporary name in the same
// folder and then renamed, so they exist completely or not at all. Texts from models are data in
// them, never markup.
#ifndef FLYBALL_REPORT_H
#define FLYBALL_REPORT_H

#include "flyball/compare.h"
#include "flyball/damping.h"
#include "flyball/linear.h"
#include "flyball/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

// A curve that an output is compared with.
typedef struct FbReportReference {
    const char* output;    // name of an output of the model
    const double* times;   // [n] s
    const double* values;  // [n] unit of the output
    int n;                 // samples
} FbReportReference;

// An error that was measured against a reference.
typedef struct FbReportMeasure {
    const char* name;
    double error;    // as the measure defines it
    double limit;    // NaN: none
    bool is_passed;  // the error is within the limit
} FbReportMeasure;

// Information that is not part of the result. NULL and 0: none.
typedef struct FbReportOptions {
    const char* title;                    // NULL: the model's title, or its name
    const FbReportReference* references;  // [n_references]
    int n_references;
    const FbReportMeasure* measures;  // [n_measures]
    int n_measures;
    const char* const* warnings;  // [n_warnings], shown before those of the run
    int n_warnings;
    const FbCertificate* certificate;  // of fb_simulate_accurately()
    const FbDamping* damping;          // of fb_damping_create(); NULL: by the model's `damping`
    const char* failure;               // why the run ended early
    const char* source;                // where the problem and its reference come from
    const char* created;               // a readable time, as in 2026-01-31T12:00:00Z
    const char* machine;               // what the processor times were measured on
    const char* model_text;            // the text of the model file, shown with its keys coloured
    const char* command;               // the command line that made the report
    const char* overview;              // a relative link to a page that lists this report
    const struct FbSavedRun* beside;   // a second run whose motion is drawn with this one
    uint64_t reserved[4];
} FbReportOptions;

// Options with nothing set.
FB_API FbReportOptions fb_report_options_default(void);

// Plots, numbers and, where poses were recorded, the motion of a run, also of one that ended early.
// This and the following fail with FB_ERR_IO if the file cannot be written.
FB_API FbStatus fb_report_write_run(const FbResult* result, const FbReportOptions* options,
                                    const char* path, FbError* err);
// Eigenvalues and mode shapes of a linearization that was run.
FB_API FbStatus fb_report_write_modes(FbLinearization* l, const FbReportOptions* options,
                                      const char* path, FbError* err);
// The same for the lowest modes of a large model.
FB_API FbStatus fb_report_write_lowest(FbLowest* l, const FbReportOptions* options,
                                       const char* path, FbError* err);

// Poses and shapes of a run whose poses were recorded, as a JSON file from which `flyball report`
// makes the animation.
FB_API FbStatus fb_report_write_motion(const FbResult* result, const FbReportOptions* options,
                                       const char* path, FbError* err);

// The motion of a run whose poses were recorded as an animated binary glTF file (.glb), for other
// 3-D programs: metres, y up, displacements to scale; beams are skins, meshes morph targets.
// FB_ERR_MODEL: poses were not recorded.
FB_API FbStatus fb_report_write_gltf(const FbResult* result, const FbReportOptions* options,
                                     const char* path, FbError* err);

// A mode of a linearization that was run, counted from 0, as such a file: one cycle of two seconds
// about the operating point, its largest displacement of a body being a tenth of the mechanism's
// size, or less where a body would turn by more than 0.5 rad. FB_ERR_RANGE: there is no such mode,
// or its eigenvalue is infinite.
FB_API FbStatus fb_linearization_write_gltf(FbLinearization* l, int mode,
                                            const FbReportOptions* options, const char* path,
                                            FbError* err);
// As above, for the lowest modes of a large model.
FB_API FbStatus fb_lowest_write_gltf(FbLowest* l, int mode, const FbReportOptions* options,
                                     const char* path, FbError* err);

// Fields of the meshes of structures as VTU files for ParaView, in a folder that exists:
// displacement and velocity of all nodes in at most 500 rows, evenly spread, STRUCTURE_0000.vtu,
// ..., and MODEL.pvd, which lists them with their times. Meshes must be kept whole (FbReadOptions)
// and poses recorded; FB_ERR_MODEL: there are none. *n_frames: how many rows.
FB_API FbStatus fb_result_write_fields(const FbResult* result, const char* folder, int* n_frames,
                                       FbError* err);
// The same for modes, one of each pair, at most 200: STRUCTURE_mode001.vtu, ..., real and imaginary
// parts of displacements, the largest being 1 and real; times in the list are frequencies in Hz.
FB_API FbStatus fb_linearization_write_fields(FbLinearization* l, const char* folder, int* n_modes,
                                              FbError* err);
// As above, for the lowest modes of a large model.
FB_API FbStatus fb_lowest_write_fields(FbLowest* l, const char* folder, int* n_modes, FbError* err);

// FB_OK if a report can be written there, to check before a long computation. Leaves no file
// behind.
FB_API FbStatus fb_report_check_path(const char* path, FbError* err);

// Contents of the JSON document of a run besides the result. NULL and 0: none.
typedef struct FbRunRecord {
    const char* model_path;       // of the model file
    const char* model_sha256;     // 64 digits, of its text
    const char* csv_path;         // of the table that was written
    double load_s;                // that reading and compiling the model took
    const char* const* warnings;  // [n_warnings] of the reader, before those of the run
    int n_warnings;
    const char* failure;               // why the run ended early
    const FbCertificate* certificate;  // of fb_simulate_accurately()
    const FbDamping* damping;          // of fb_damping_create()
    const char* csv_sha256;            // 64 digits, of the table that was written
    const char* run_sha256;            // 64 digits that identify the model and the settings
    uint64_t reserved[6];
} FbRunRecord;

// The JSON document of a run, as `flyball run --json` prints it (docs/guide/running.md); free *out
// with fb_free().
FB_API FbStatus fb_result_json(const FbResult* result, const FbRunRecord* record, char** out,
                               FbError* err);

// A run that was saved as files: STEM.csv of fb_result_write_csv() and, if they exist, STEM.json of
// fb_result_json() and STEM.motion.json of fb_report_write_motion().
typedef struct FbSavedRun FbSavedRun;

// Reads the files; `path` is any of them, or STEM. Missing files become notes in `diagnostics`,
// invalid ones errors; *out is NULL if there was an error.
FB_API FbStatus fb_saved_run_read(const char* path, FbSavedRun** out, FbDiagnostics* diagnostics);
// Frees it; NULL is allowed.
FB_API void fb_saved_run_destroy(FbSavedRun* run);
// Its table.
FB_API const FbSamples* fb_saved_run_get_table(const FbSavedRun* run);
// The path of its files without their extensions.
FB_API const char* fb_saved_run_get_stem(const FbSavedRun* run);
// The report of a run from its files. Certificate, damping and warnings are those of the files, not
// of the options.
FB_API FbStatus fb_report_write_saved(const FbSavedRun* run, const FbReportOptions* options,
                                      const char* path, FbError* err);
// The motion of a run from its files, as fb_report_write_gltf() writes it; title NULL: that of the
// files. FB_ERR_MODEL: the motion was not saved.
FB_API FbStatus fb_saved_run_write_gltf(const FbSavedRun* run, const char* title, const char* path,
                                        FbError* err);

#ifdef __cplusplus
}
#endif
#endif
