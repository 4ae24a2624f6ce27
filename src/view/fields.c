// Fields of the meshes of a run or of modes, as VTU files in a folder.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/complex.h"
#include "linear/linearization.h"
#include "model/model.h"
#include "solve/result.h"
#include "view/beam_fields.h"
#include "view/report.h"
#include "view/vtu.h"

// Frames of a run and modes that are written.
enum { MOST_FRAMES = 500, MOST_MODES = 200 };

typedef struct Fields {
    const FbModel* model;
    const char* folder;
    FbArena* arena;
    FbPvdEntry* entries;
    int n_entries;
    double *c, *room;  // of the largest mesh
    FbError* err;
} Fields;

// n_lines: other grids of each frame, of beams.
static FbStatus begin(const FbModel* m, const char* folder, int most, int n_lines, Fields* f,
                      FbError* err) {
    *f = (Fields){.model = m, .folder = folder, .arena = fb_arena_create(), .err = err};
    int n = 0, n_rows = 0, n_meshes = 0;
    for (int i = 0; i < m->n_superelements; i++) {
        const FbKeptMesh* mesh = m->superelements[i].mesh;
        if (mesh) {
            n = n > mesh->n ? n : mesh->n;
            n_rows = n_rows > mesh->n_rows ? n_rows : mesh->n_rows;
            n_meshes++;
        }
    }
    if (!f->arena) {
        return fb_fail_memory(err);
    }
    if (n_meshes + n_lines == 0) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "model '%s' has no mesh of solids or shells that was kept%s, so there are "
                       "no fields to write",
                       m->name, m->n_beams > 0 ? " (beams are written for runs)" : " and no beams");
    }
    f->entries = FB_TAKE(f->arena, FbPvdEntry, (size_t)most * (size_t)(n_meshes + n_lines) + 1);
    f->c = FB_TAKE(f->arena, double, n + 1);
    f->room = FB_TAKE(f->arena, double, n_rows + 1);
    return fb_arena_has_failed(f->arena) ? fb_fail_memory(err) : FB_OK;
}

// "folder/name"; names of structures may contain dots, but no slashes.
static const char* path_of(const Fields* f, const char* name) {
    return fb_arena_format(f->arena, "%s/%s", f->folder, name);
}

static FbStatus write_grid(Fields* f, const FbKeptMesh* mesh, int part, double time,
                           const char* file, const FbVtuField* fields, int n_fields) {
    const char* path = file ? path_of(f, file) : NULL;
    if (!path) {
        return fb_fail_memory(f->err);
    }
    FB_TRY(fb_vtu_write(mesh, fields, n_fields, path, f->err));
    f->entries[f->n_entries++] = (FbPvdEntry){time, part, file};
    return FB_OK;
}

static FbStatus write_mesh(Fields* f, int superelement, double time, const char* file,
                           const FbVtuField* fields, int n_fields) {
    return write_grid(f, f->model->superelements[superelement].mesh, superelement, time, file,
                      fields, n_fields);
}

static FbStatus end(Fields* f, FbStatus status) {
    if (status == FB_OK) {
        const char* name = fb_arena_format(f->arena, "%s.pvd", f->model->name);
        const char* path = name ? path_of(f, name) : NULL;
        status =
            path ? fb_pvd_write(f->entries, f->n_entries, path, f->err) : fb_fail_memory(f->err);
    }
    fb_arena_destroy(f->arena);
    return status;
}

// ---- Runs ----

// Elements form their stresses for many samples at once, because forming them is expensive: up to
// this many bytes of them.
static const size_t STRESS_BYTES = (size_t)64 << 20;

// Samples [first, first + count) of a run, as frames of the same numbers.
typedef struct Batch {
    const FbResult* result;
    int n_frames, first, count;
    double* values;  // [7 n_points] room
    double* C;       // [n x count] coordinates of a mesh
    double* stress;  // [6 n_points x count]
} Batch;

static int row_of(const Batch* b, int frame) {
    int n = fb_result_get_row_count(b->result);
    return b->n_frames > 1 ? (int)((long long)frame * (n - 1) / (b->n_frames - 1)) : 0;
}

// Frames whose stresses fit, of a mesh.
static int count_fitting(const FbKeptMesh* mesh, int n_frames) {
    size_t one = sizeof(double) * (6 * (size_t)mesh->n_points + (size_t)mesh->n_rows + 1);
    size_t count = STRESS_BYTES / one;
    return count < 1 ? 1 : count < (size_t)n_frames ? (int)count : n_frames;
}

static bool calc_stresses(const Batch* b, const FbKeptMesh* mesh, int superelement) {
    for (int k = 0; k < b->count; k++) {
        const double* q =
            fb_result_get_mesh(b->result, row_of(b, b->first + k), superelement, false);
        memcpy(b->C + (size_t)k * (size_t)mesh->n, q, sizeof(double) * (size_t)mesh->n);
    }
    return fb_kept_mesh_calc_stress(mesh, b->C, b->count, NULL, mesh->n_points, b->stress);
}

static FbStatus write_frame(Fields* f, const Batch* b, int superelement, int k) {
    const FbSuperelement* e = &f->model->superelements[superelement];
    const FbKeptMesh* mesh = e->mesh;
    size_t n = (size_t)mesh->n_points;
    int row = row_of(b, b->first + k), n_fields = 2;
    double *velocities = b->values + 3 * n, *mises = velocities + 3 * n;
    fb_kept_mesh_calc(mesh, fb_result_get_mesh(b->result, row, superelement, false), NULL,
                      mesh->n_points, f->room, b->values);
    fb_kept_mesh_calc(mesh, fb_result_get_mesh(b->result, row, superelement, true), NULL,
                      mesh->n_points, f->room, velocities);
    FbVtuField fields[4] = {{"displacement", 3, b->values}, {"velocity", 3, velocities}};
    if (mesh->stress) {
        double* stress = b->stress + 6 * n * (size_t)k;
        for (size_t i = 0; i < n; i++) {
            mises[i] = fb_mises(stress + 6 * i);
        }
        fields[n_fields++] = (FbVtuField){"stress", 6, stress};
        fields[n_fields++] = (FbVtuField){"von_mises", 1, mises};
    }
    const char* file = fb_arena_format(f->arena, "%s_%04d.vtu", e->name, b->first + k);
    return write_mesh(f, superelement, fb_result_get_time(b->result, row), file, fields, n_fields);
}

// All samples of one mesh.
static FbStatus write_samples(Fields* f, Batch* b, int superelement) {
    const FbKeptMesh* mesh = f->model->superelements[superelement].mesh;
    int most = mesh->stress ? count_fitting(mesh, b->n_frames) : 1;
    b->C = malloc(sizeof(double) * ((size_t)mesh->n * (size_t)most + 1));
    b->stress = malloc(sizeof(double) * (6 * (size_t)mesh->n_points * (size_t)most + 1));
    FbStatus status = b->C && b->stress ? FB_OK : fb_fail_memory(f->err);
    for (b->first = 0; status == FB_OK && b->first < b->n_frames; b->first += b->count) {
        int left = b->n_frames - b->first;
        b->count = left < most ? left : most;
        if (mesh->stress && !calc_stresses(b, mesh, superelement)) {
            status = fb_fail_memory(f->err);
        }
        for (int k = 0; status == FB_OK && k < b->count; k++) {
            status = write_frame(f, b, superelement, k);
        }
    }
    free(b->C);
    free(b->stress);
    return status;
}

static double* take_values(const FbModel* m, int per_point) {
    size_t most = 0;
    for (int i = 0; i < m->n_superelements; i++) {
        size_t n = m->superelements[i].mesh ? (size_t)m->superelements[i].mesh->n_points : 0;
        most = most > n ? most : n;
    }
    return malloc((most * (size_t)per_point + 1) * sizeof(double));
}

// The beams of all structures in a file for each frame; names of structures have no '-'.
static FbStatus write_beams(Fields* f, const Batch* b, const FbKeptMesh* lines) {
    size_t n = (size_t)lines->n_points;
    bool has_stress = fb_beam_fields_have_stress(f->model);
    double* values = malloc(sizeof(double) * (4 * n + 1));
    FbStatus status = values ? FB_OK : fb_fail_memory(f->err);
    for (int i = 0; status == FB_OK && i < b->n_frames; i++) {
        int row = row_of(b, i);
        double* stress = has_stress ? values + 3 * n : NULL;
        FbVtuField fields[2] = {{"displacement", 3, values}, {"normal_stress", 1, stress}};
        fb_beam_fields_calc(b->result, row, values, stress);
        status =
            write_grid(f, lines, f->model->n_superelements, fb_result_get_time(b->result, row),
                       fb_arena_format(f->arena, "beams-%04d.vtu", i), fields, has_stress ? 2 : 1);
    }
    free(values);
    return status;
}

static FbStatus write_all_beams(Fields* f, const Batch* b) {
    FbKeptMesh* lines = fb_beam_fields_create(f->model);
    FbStatus status = lines ? write_beams(f, b, lines) : fb_fail_memory(f->err);
    fb_kept_mesh_release(lines);
    return status;
}

FbStatus fb_result_write_fields(const FbResult* result, const char* folder, int* n_frames,
                                FbError* err) {
    int n = fb_result_get_row_count(result);
    Fields f;
    *n_frames = n < MOST_FRAMES ? n : MOST_FRAMES;
    bool has_beams = fb_beam_fields_count(fb_result_get_model(result)) > 0;
    FbStatus status = begin(fb_result_get_model(result), folder, *n_frames, has_beams, &f, err);
    double* values = take_values(f.model, 7);
    if (status == FB_OK && !values) {
        status = fb_fail_memory(err);
    }
    Batch batch = {.result = result, .n_frames = *n_frames, .values = values};
    for (int i = 0; status == FB_OK && i < f.model->n_superelements; i++) {
        if (f.model->superelements[i].mesh && fb_result_get_mesh(result, 0, i, true)) {
            status = write_samples(&f, &batch, i);
        }
    }
    if (status == FB_OK && has_beams) {
        status = write_all_beams(&f, &batch);
    }
    free(values);
    return end(&f, status);
}

// ---- Modes ----

typedef struct ModeFields {
    Fields f;
    FbLinearization* all;  // one of these
    FbLowest* lowest;
} ModeFields;

static const FbMode* get_mode(const ModeFields* m, int mode) {
    return m->all ? fb_linearization_get_mode(m->all, mode) : fb_lowest_get_mode(m->lowest, mode);
}

// The displacements of a mode, scaled so that the largest is 1 and real.
static void calc_parts(ModeFields* m, int superelement, int mode, double* re, double* im) {
    const FbSuperelement* e = &m->f.model->superelements[superelement];
    size_t n = 3 * (size_t)e->mesh->n_points, best = 0;
    for (int part = 0; part < 2; part++) {
        double *vr, *vi;
        if (m->all) {
            fb_linearization_calc_velocities(m->all, mode, &vr, &vi);
        } else {
            fb_lowest_calc_velocities(m->lowest, mode, &vr, &vi);
        }
        for (int k = 0; k < e->n; k++) {
            m->f.c[k] = (part == 0 ? vr : vi)[e->v[k]];
        }
        fb_kept_mesh_calc(e->mesh, m->f.c, NULL, e->mesh->n_points, m->f.room, part == 0 ? re : im);
    }
    for (size_t i = 0; i < n; i++) {
        best = hypot(re[i], im[i]) > hypot(re[best], im[best]) ? i : best;
    }
    double complex factor = CMPLX(re[best], im[best]);
    for (size_t i = 0; factor != 0.0 && i < n; i++) {
        double complex x = CMPLX(re[i], im[i]) / factor;
        re[i] = creal(x);
        im[i] = cimag(x);
    }
}

static FbStatus write_mode(ModeFields* m, int mode, int number, double* values) {
    for (int i = 0; i < m->f.model->n_superelements; i++) {
        const FbKeptMesh* mesh = m->f.model->superelements[i].mesh;
        if (!mesh) {
            continue;
        }
        double* im = values + 3 * (size_t)mesh->n_points;
        calc_parts(m, i, mode, values, im);
        FbVtuField fields[2] = {{"displacement", 3, values}, {"displacement_im", 3, im}};
        const char* file = fb_arena_format(m->f.arena, "%s_mode%03d.vtu",
                                           m->f.model->superelements[i].name, number);
        FB_TRY(write_mesh(&m->f, i, get_mode(m, mode)->frequency_hz, file, fields, 2));
    }
    return FB_OK;
}

static FbStatus write_modes(ModeFields* m, const FbModel* model, const char* folder, int count,
                            int* n_modes, FbError* err) {
    FbStatus status = begin(model, folder, MOST_MODES, 0, &m->f, err);
    double* values = take_values(model, 6);
    *n_modes = 0;
    if (status == FB_OK && !values) {
        status = fb_fail_memory(err);
    }
    for (int k = 0; status == FB_OK && k < count && *n_modes < MOST_MODES; k++) {
        const FbMode* mode = get_mode(m, k);
        if (mode->im >= 0.0 && !mode->is_infinite) {
            status = write_mode(m, k, ++*n_modes, values);
        }
    }
    free(values);
    return end(&m->f, status);
}

FbStatus fb_linearization_write_fields(FbLinearization* l, const char* folder, int* n_modes,
                                       FbError* err) {
    ModeFields m = {.all = l};
    return write_modes(&m, l->op->model, folder, fb_linearization_get_mode_count(l), n_modes, err);
}

FbStatus fb_lowest_write_fields(FbLowest* l, const char* folder, int* n_modes, FbError* err) {
    ModeFields m = {.lowest = l};
    return write_modes(&m, fb_lowest_get_point(l)->model, folder, fb_lowest_get_count(l), n_modes,
                       err);
}
