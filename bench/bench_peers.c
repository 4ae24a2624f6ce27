// Peers: the same work in other programs, where they are installed (bench/peers); each figure of
// theirs and ours is from this run.
#include <math.h>
#include <stdio.h>

#include "bench.h"

enum { REPETITIONS = 9, CHAIN = 40 };

// Runs a program of bench/peers and reads the numbers that it prints; false: it failed.
static bool ask(const char* command, double* first, double* second) {
    FILE* pipe = popen(command, "r");
    int n = pipe != NULL ? fscanf(pipe, "%lf %lf", first, second) : 0;
    bool is_done = pipe != NULL && pclose(pipe) == 0 && n >= 1;
    if (!is_done) {
        fprintf(stderr, "failed: %s\n", command);
    }
    return is_done;
}

static bool is_there(const char* program, const char* work, const char* peer, const char* package) {
    static char texts[4][64];
    static int n;
    if (program[0] != '\0') {
        return true;
    }
    char* text = texts[n++ % 4];
    snprintf(text, sizeof texts[0], "no %s when this was configured", package);
    printf("%-28s skipped: %s\n", peer, text);
    bench_add_row((BenchRow){.work = work, .what = peer, .skipped = text});
    return false;
}

static void add(FbCsvWriter* csv, const char* work, const char* peer, double ours, double theirs,
                double unit_s, const char* unit, double asked) {
    printf("%-28s ours %.4g %s, theirs %.4g %s: %.1f times\n", peer, ours / unit_s, unit,
           theirs / unit_s, unit, theirs / ours);
    bench_write(csv, "peers", work, "ours", ours, "s");
    bench_write(csv, "peers", work, peer, theirs, "s");
    bench_add_row((BenchRow){.work = work,
                             .what = peer,
                             .unit = unit,
                             .ours = ours / unit_s,
                             .other = theirs / unit_s,
                             .asked = asked,
                             .is_peer = true});
}

static double time_governor(const FbModel* model) {
    double times[REPETITIONS];
    for (int i = 0; i < REPETITIONS; i++) {
        BenchRun run = {.duration = 10.0, .sample = 0.1, .rtol = 1e-3, .atol = 1e-5};
        FbResult* result = NULL;
        FbError err;
        if (bench_simulate(model, &run, &result, &times[i], &err) < 0) {
            return NAN;
        }
        fb_result_destroy(result);
    }
    return bench_median(times, REPETITIONS);
}

static int compare_simbody(const char* root, FbCsvWriter* csv) {
    static const char work[] = "A05 at 1e-5, in process";
    char text[2048];
    double theirs, error;
    if (!is_there(FLYBALL_PEER_SIMBODY, work, "Simbody, CPodes BDF", "libsimbody-dev")) {
        return 0;
    }
    snprintf(text, sizeof text, "%s/models/governor.yaml", root);
    FbModel* model = bench_load(text, NULL, 0);
    double ours = model != NULL ? time_governor(model) : NAN;
    fb_model_destroy(model);
    snprintf(text, sizeof text, "'%s' '%s/bench/cases/a05/reference.csv'", FLYBALL_PEER_SIMBODY,
             root);
    if (isnan(ours) || !ask(text, &theirs, &error)) {
        return 1;
    }
    add(csv, work, "Simbody, CPodes BDF", ours, theirs, 1e-3, "ms", 70.0);
    return 0;
}

static int compare_mujoco(const char* root, FbCsvWriter* csv) {
    static const char work[] = "forward dynamics, tree of 40 links";
    char text[2048], value[16];
    double theirs, unused;
    FbOverride links = {"N", value};
    BenchPhases phases;
    FbError err;
    if (!is_there(FLYBALL_PEER_MUJOCO, work, "MuJoCo, mj_forward", "libmujoco-dev")) {
        return 0;
    }
    snprintf(value, sizeof value, "%d", CHAIN);
    snprintf(text, sizeof text, "%s/models/chain.yaml", root);
    FbModel* model = bench_load(text, &links, 1);
    FbStatus status = model != NULL ? bench_calc_phases(model, &phases, &err) : FB_ERR_MODEL;
    fb_model_destroy(model);
    char folder[1024], file[1100];
    bench_beside(".", folder, sizeof folder);
    snprintf(text, sizeof text, "'%s' %d '%s'", FLYBALL_PEER_MUJOCO, CHAIN, folder);
    if (status < 0 || !ask(text, &theirs, &unused)) {
        return 1;
    }
    snprintf(file, sizeof file, "%s/mujoco_chain.xml", folder);
    remove(file);
    add(csv, work, "MuJoCo, mj_forward", phases.accelerations, theirs, 1e-6, "us", 2.0);
    return 0;
}

// Ours with reading and equilibrium, as ccx reads its file.
static double time_frame(const char* path, double* lowest_hz) {
    FbOverride overrides[] = {{"S", "4"}, {"B", "3"}, {"E", "2"}};
    FbOperatingOptions at = fb_operating_options_default();
    FbLowestOptions options = fb_lowest_options_default();
    FbOperatingPoint* point = NULL;
    FbLowest* modes = NULL;
    FbError err;
    options.count = 20;
    double start = bench_cpu_time(), time = NAN;
    FbModel* model = bench_load(path, overrides, 3);
    if (model != NULL && fb_operating_point_create(model, &at, &point, &err) >= 0 &&
        fb_modes_lowest(point, &options, &modes, &err) >= 0) {
        time = bench_cpu_time() - start;
        *lowest_hz = fb_lowest_get_mode(modes, 0)->frequency_hz;
    }
    fb_lowest_destroy(modes);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
    return time;
}

// What ccx leaves beside its input.
static void remove_left(const char* folder) {
    static const char* const left[] = {
        "calculix_frame.inp", "calculix_frame.dat", "calculix_frame.frd", "calculix_frame.cvg",
        "calculix_frame.sta", "calculix_frame.12d", "calculix_frame.eig", "ccx.log",
        "spooles.out"};
    char path[1200];
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, left[i]);
        remove(path);
    }
}

static int compare_calculix(const char* root, FbCsvWriter* csv) {
    static const char work[] = "20 lowest modes, space frame of 112 members";
    char text[2048];
    double theirs, their_hz, our_hz = NAN;
    if (!is_there(FLYBALL_PEER_CALCULIX, work, "CalculiX, B32R", "calculix-ccx")) {
        return 0;
    }
    snprintf(text, sizeof text, "%s/bench/peers/frame.yaml", root);
    double ours = time_frame(text, &our_hz);
    char folder[1024];
    bench_beside(".", folder, sizeof folder);
    snprintf(text, sizeof text, "'%s' '%s' 4 3 2 '%s'", FLYBALL_PEER_CALCULIX, FLYBALL_CCX, folder);
    if (isnan(ours) || !ask(text, &theirs, &their_hz)) {
        return 1;
    }
    remove_left(folder);
    add(csv, work, "CalculiX, B32R", ours, theirs, 1.0, "s", NAN);
    printf("%-28s lowest frequency %.4f Hz, theirs %.4f Hz (solids with rigid joints)\n", "",
           our_hz, their_hz);
    return 0;
}

int bench_run_peers(const char* root, FbCsvWriter* csv) {
    printf("\nOther programs\n");
    return compare_simbody(root, csv) + compare_mujoco(root, csv) + compare_calculix(root, csv);
}
