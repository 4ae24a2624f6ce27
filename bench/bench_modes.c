// The 20 lowest modes of large frames, as `flyball modes --lowest 20` finds them: reading, the
// equilibrium, the modes and the shares of the bodies, against the program of frame_limit.c, which
// gets the matrices for nothing.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "frame_limit.h"
#include "solve/operating_point.h"

enum { N_MODES = 20 };

typedef struct Frame {
    const char *name, *path, *work;
    FbOverride overrides[3];
} Frame;

static const Frame frames[] = {{"plane frame",
                                "models/frame.yaml",
                                "20 lowest modes, plane frame of 7 950, whole",
                                {{"S", "50"}, {"B", "10"}, {"E", "3"}}},
                               {"plane frame",
                                "models/frame.yaml",
                                "20 lowest modes, plane frame of 96 150, whole",
                                {{"S", "50"}, {"B", "10"}, {"E", "31"}}},
                               {"space frame",
                                "bench/frames/space_frame.yaml",
                                "20 lowest modes, space frame of 96 360, whole",
                                {{"S", "20"}, {"B", "10"}, {"E", "3"}}}};

typedef struct Times {
    int n_dof, n_factorizations, n_solves;
    bool is_complete, has_limit;
    double load, point, modes, shares, limit;  // s
    double difference;                         // of the frequencies, relative
} Times;

static double difference(const FbLowest* modes, const double* squares) {
    double worst = 0.0;
    for (int k = 0; k < N_MODES; k++) {
        double w = 2.0 * acos(-1.0) * fb_lowest_get_mode(modes, k)->frequency_hz;
        worst = fmax(worst, fabs(w / sqrt(squares[k]) - 1.0));
    }
    return worst;
}

static FbStatus calc_shares(FbLowest* modes, const FbModel* model) {
    FbModelInfo info;
    fb_model_get_info(model, &info);
    double* shares = malloc(sizeof(double) * ((size_t)info.n_bodies + 1));
    FbStatus status = shares ? FB_OK : FB_ERR_MEMORY;
    for (int k = 0; status == FB_OK && k < fb_lowest_get_count(modes); k++) {
        status = fb_lowest_calc_participation(modes, k, shares);
    }
    free(shares);
    return status;
}

static void compare(FbOperatingPoint* point, const FbLowest* modes, Times* out) {
    FbBlocks b;
    FbError err;
    double squares[N_MODES];
    if (point->dynamics->ops->jacobian(point->dynamics, &point->p, &b, &err) == FB_OK) {
        FrameLimit limit = {0};
        out->has_limit = frame_limit_calc(b.vv, b.K, b.M, N_MODES, 0, NULL, squares, &limit);
        out->limit = limit.cpu_s;
    }
    out->difference = out->has_limit ? difference(modes, squares) : NAN;
}

static FbStatus find_modes(const FbModel* model, Times* out, FbError* err) {
    FbOperatingOptions at = fb_operating_options_default();
    FbLowestOptions lowest = fb_lowest_options_default();
    FbOperatingPoint* point = NULL;
    FbLowest* modes = NULL;
    lowest.count = N_MODES;
    lowest.is_damped = true;
    double start = bench_cpu_time();
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStatus status = fb_model_check_structures(model, diagnostics, err);
    fb_diagnostics_destroy(diagnostics);
    status = status >= 0 ? fb_operating_point_create(model, &at, &point, err) : status;
    out->point = bench_cpu_time() - start;
    if (status >= 0) {
        start = bench_cpu_time();
        status = fb_modes_lowest(point, &lowest, &modes, err);
        out->modes = bench_cpu_time() - start;
    }
    if (status >= 0) {
        start = bench_cpu_time();
        status = calc_shares(modes, model);
        out->shares = bench_cpu_time() - start;
        FbLowestInfo info;
        fb_lowest_get_info(modes, &info);
        out->is_complete = info.is_complete && info.counted > 0.0;
        out->n_factorizations = info.n_factorizations;
        out->n_solves = info.n_solves;
        compare(point, modes, out);
    }
    fb_lowest_destroy(modes);
    fb_operating_point_destroy(point);
    return status;
}

static bool measure(const char* root, const Frame* frame, Times* out) {
    char path[1024];
    FbError err;
    double start = bench_cpu_time();
    snprintf(path, sizeof path, "%s/%s", root, frame->path);
    FbModel* model = bench_load(path, frame->overrides, 3);
    if (model == NULL) {
        return false;
    }
    FbModelInfo info;
    fb_model_get_info(model, &info);
    out->n_dof = info.n_coordinates;
    out->load = bench_cpu_time() - start;
    FbStatus status = find_modes(model, out, &err);
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", frame->name, err.text);
    }
    fb_model_destroy(model);
    return status >= 0;
}

static void print_row(const Frame* f, const Times* t, FbCsvWriter* csv) {
    char name[64];
    double all = t->load + t->point + t->modes + t->shares;
    snprintf(name, sizeof name, "%s %d", f->name, t->n_dof);
    printf("%-18s %8.3f %8.3f %8.3f %8.3f %8.3f", name, t->load, t->point, t->modes, t->shares,
           all);
    bench_write(csv, "modes", name, "all", all, "s");
    bench_write(csv, "modes", name, "modes", t->modes, "s");
    if (t->has_limit) {
        printf(" %8.3f %7.2f %7.2f %10.1e", t->limit, all / t->limit, t->modes / t->limit,
               t->difference);
        bench_write(csv, "modes", name, "limit", t->limit, "s");
        bench_write(csv, "modes", name, "ratio", all / t->limit, "");
        bench_add_row((BenchRow){.work = f->work,
                                 .what = "CHOLMOD with ARPACK on K and M",
                                 .unit = "s",
                                 .ours = all,
                                 .other = t->limit,
                                 .asked = 3.0});
    } else {
        printf(" %8s %7s %7s %10s", "-", "-", "-", "-");
    }
    printf("  %d factorizations, %d solves, %s\n", t->n_factorizations, t->n_solves,
           t->is_complete ? "complete" : "not proved complete");
    fflush(stdout);
}

int bench_run_modes(const char* root, FbCsvWriter* csv) {
    printf(
        "\nThe 20 lowest modes of large frames, all of `flyball modes --lowest 20`, in s; the "
        "limit is CHOLMOD with ARPACK on K and M alone\n");
    printf("%-18s %8s %8s %8s %8s %8s %8s %7s %7s %10s\n", "frame", "load", "rest", "modes",
           "shares", "all", "limit", "ratio", "modes", "difference");
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        Times t = {0};
        if (!measure(root, &frames[i], &t)) {
            return 1;
        }
        print_row(&frames[i], &t, csv);
    }
    return 0;
}
