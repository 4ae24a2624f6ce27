// The reduction of bench/meshes/block.yaml by CHOLMOD with ARPACK, as a program of its own: the
// same matrices, modes and static shapes. Reading and assembling are not counted.
//
// Usage: flyball_reduce_limit MODEL MODES [NAME=VALUE ...]; prints rows, modes, CPU s, MB, solves
// and the lowest and highest frequency.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "describe/def.h"
#include "frame_limit.h"
#include "math/sparse.h"

extern void openblas_set_num_threads(int n) __attribute__((weak));

// The text of the model without the line that asks for a reduction.
static char* read_whole(const char* path) {
    FILE* f = fopen(path, "r");
    char* text = calloc(1, 1 << 16);
    size_t n = f && text ? fread(text, 1, (1 << 16) - 1, f) : 0;
    if (f) {
        fclose(f);
    }
    char* line = n > 0 ? strstr(text, "    reduce:") : NULL;
    if (!line) {
        free(text);
        return NULL;
    }
    char* rest = strchr(line, '\n') + 1;
    memmove(line, rest, strlen(rest) + 1);
    return text;
}

// One of the two matrices, both triangles; rows below `first` are those of named nodes, and left
// out; their columns go to shapes (with a minus sign), if asked for.
static FbStatus pick(const FbSuperelementDef* e, const double* values, int first, double* shapes,
                     FbArena* arena, FbSparse* out, FbError* err) {
    FbTriplet* entries = malloc(sizeof(FbTriplet) * (2 * (size_t)e->n_entries + 1));
    size_t n = 0, rows = (size_t)(e->n - first);
    for (int i = 0; entries && i < e->n_entries; i++) {
        int row = e->rows[i] - first, col = e->cols[i] - first;
        double v = values[i];
        if (row < 0) {
            continue;
        }
        if (col < 0) {
            if (shapes) {
                shapes[(size_t)(col + first) * rows + (size_t)row] -= v;
            }
            continue;
        }
        entries[n++] = (FbTriplet){row, col, v};
        if (row != col) {
            entries[n++] = (FbTriplet){col, row, v};
        }
    }
    FbStatus status =
        entries ? fb_sparse_from_triplets((int)rows, (int)rows, entries, n, arena, out, err)
                : FB_ERR_MEMORY;
    free(entries);
    return status;
}

// The patterns are the same: entries of one matrix are zeros of the other.
static int solve(const FbSuperelementDef* e, int n_modes) {
    FbArena* arena = fb_arena_create();
    int first = e->n - e->n_others, rows = e->n_others;
    FbSparse K, M;
    FbError err;
    FrameLimit limit = {0};
    double* shapes = calloc((size_t)rows * (size_t)first + 1, sizeof(double));
    double* squares = calloc((size_t)n_modes + 1, sizeof(double));
    if (pick(e, e->stiffness, first, shapes, arena, &K, &err) != FB_OK ||
        pick(e, e->mass, first, NULL, arena, &M, &err) != FB_OK) {
        return 1;
    }
    bool is_done =
        frame_limit_calc(&K.pattern, K.values, M.values, n_modes, first, shapes, squares, &limit);
    double matrices = 20.0 * fb_pattern_count(&K.pattern), hz = 0.5 / acos(-1.0);
    printf("%d %d %.17g %.17g %d %.17g %.17g\n", rows, n_modes, limit.cpu_s,
           1e-6 * (limit.bytes + matrices + 8.0 * rows * first), limit.n_solves,
           hz * sqrt(squares[0]), hz * sqrt(squares[n_modes - 1]));
    free(shapes), free(squares);
    fb_arena_destroy(arena);
    return is_done ? 0 : 1;
}

int main(int argc, char** argv) {
    FbOverride overrides[8];
    FbReadOptions options = {.overrides = overrides};
    FbModelDef* def = NULL;
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    if (openblas_set_num_threads != NULL) {
        openblas_set_num_threads(1);
    }
    if (argc < 3 || argc > 11 || !frame_limit_is_built()) {
        fprintf(stderr,
                "usage: flyball_reduce_limit MODEL MODES [NAME=VALUE ...] (needs CHOLMOD "
                "and ARPACK)\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        char* equals = strchr(argv[i], '=');
        if (equals) {
            *equals = '\0';
            overrides[options.n_overrides++] = (FbOverride){argv[i], equals + 1};
        }
    }
    char* text = read_whole(argv[1]);
    FbStatus status =
        text ? fb_model_def_read_text(text, strlen(text), argv[1], &options, &def, diagnostics)
             : FB_ERR_IO;
    int code = status == FB_OK && def->n_superelements == 1
                   ? solve(&def->superelements[0], atoi(argv[2]))
                   : 1;
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
    free(text);
    return code;
}
