// Readers of files.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "describe/stl.h"
#include "flyball/flyball.h"
#include "fuzz.h"
#include "math/matrix_market.h"
#include "mesh/mesh.h"

// A model for studies and cases, beside them.
static void write_model(void) {
    static uint8_t text[2048];
    FILE* file = fopen(FUZZ_FOLDER "/model.yaml", "rb");
    size_t n = file ? fread(text, 1, sizeof text, file) : 0;
    if (file) {
        fclose(file);
    }
    fuzz_write_file("model.yaml", text, n);
}

void fuzz_study(const uint8_t* data, size_t size) {
    FbDiagnostics* d = fb_diagnostics_create();
    FbStudy* study = NULL;
    write_model();
    fb_study_read(fuzz_write_file("x.yaml", data, size), NULL, 0, &study, d);
    fb_study_destroy(study);
    fb_diagnostics_destroy(d);
}

void fuzz_case(const uint8_t* data, size_t size) {
    FbDiagnostics* d = fb_diagnostics_create();
    FbBenchCase* bench_case = NULL;
    write_model();
    fuzz_write_file("case.yaml", data, size);
    fb_bench_case_read(fuzz_folder(), &bench_case, d);
    fb_bench_case_destroy(bench_case);
    fb_diagnostics_destroy(d);
}

void fuzz_matrix_market(const uint8_t* data, size_t size) {
    FbArena* arena = fb_arena_create();
    FbSparse matrix;
    FbError err;
    fb_matrix_market_read(fuzz_write_file("x.mtx", data, size), 1e6, arena, &matrix, &err);
    fb_arena_destroy(arena);
}

// A table, and after a zero byte its document, and after another one its motion.
void fuzz_saved(const uint8_t* data, size_t size) {
    static const char* const names[] = {"x.csv", "x.json", "x.motion.json"};
    for (int i = 0; i < 3; i++) {
        const uint8_t* end = i < 2 && size > 0 ? memchr(data, 0, size) : NULL;
        size_t n = end ? (size_t)(end - data) : size;
        fuzz_write_file(names[i], data, n);
        data += end ? n + 1 : n;
        size -= end ? n + 1 : n;
    }
    FbDiagnostics* d = fb_diagnostics_create();
    FbSavedRun* run = NULL;
    FbError err;
    char stem[200];
    snprintf(stem, sizeof stem, "%s/x", fuzz_folder());
    if (fb_saved_run_read(stem, &run, d) == FB_OK) {
        FbReportOptions options = fb_report_options_default();
        fb_report_write_saved(run, &options, "/dev/null", &err);
    }
    fb_saved_run_destroy(run);
    fb_diagnostics_destroy(d);
}

static void read_mesh(const char* path) {
    FbMeshStructureDef s = fb_mesh_structure_def_default();
    FbArena* arena = fb_arena_create();
    FbMesh mesh = {.arena = arena};
    FbError err;
    s.name = "s";
    s.file = path;
    s.unit = 1.0;
    fb_mesh_read(NULL, &s, &mesh, &err);
    fb_mesh_destroy(&mesh);
    fb_arena_destroy(arena);
}

void fuzz_msh(const uint8_t* data, size_t size) {
    read_mesh(fuzz_write_file("x.msh", data, size));
}

void fuzz_inp(const uint8_t* data, size_t size) {
    read_mesh(fuzz_write_file("x.inp", data, size));
}

void fuzz_stl(const uint8_t* data, size_t size) {
    FbStl stl;
    FbError err;
    const char* path = fuzz_write_file("x.stl", data, size);
    fb_stl_measure(path, 1e-3, true, NULL, &stl, &err);
    fb_stl_measure(path, 1e-3, false, NULL, &stl, &err);
}
