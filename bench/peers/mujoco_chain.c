// Forward dynamics of models/chain.yaml in MuJoCo: CPU time of one evaluation, without contacts and
// constraints.
//     mujoco_chain N FOLDER     prints: CPU seconds of an evaluation; FOLDER receives the model
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void write_links(FILE* f, int n) {
    double l = 1.0 / n, mass = 1.0 / n, wide = l / 10.0;
    double along = mass * 2.0 * wide * wide / 12.0, across = mass * (l * l + wide * wide) / 12.0;
    for (int i = 0; i < n; i++) {
        fprintf(f,
                "<body pos='%.17g 0 0'><joint type='hinge' axis='0 %d %d'/><inertial pos='%.17g 0 "
                "0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
                i > 0 ? l : 0.0, i % 2 == 0, i % 2, 0.5 * l, mass, along, across, across);
    }
    for (int i = 0; i < n; i++) {
        fprintf(f, "</body>");
    }
}

static int write_model(const char* path, int n) {
    FILE* f = fopen(path, "w");
    if (f == NULL) {
        return 0;
    }
    fprintf(f, "<mujoco><compiler boundmass='0'/><option gravity='0 0 -9.81'/><worldbody>\n");
    write_links(f, n);
    fprintf(f, "</worldbody></mujoco>\n");
    return fclose(f) == 0;
}

static double measure(mjModel* m, mjData* d) {
    double start, now;
    long count = 0;
    m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_ACTUATION;
    for (int i = 0; i < m->nv; i++) {
        d->qpos[i] = 0.1 * (i % 7);
        d->qvel[i] = 0.1;
    }
    mj_forward(m, d);
    start = now = cpu_time();
    while (now - start < 0.2) {
        for (int i = 0; i < 10; i++, count++) {
            d->qpos[0] += 1e-6;
            mj_forward(m, d);
        }
        now = cpu_time();
    }
    return (now - start) / (double)count;
}

int main(int argc, char** argv) {
    char path[1024], error[1000] = "";
    if (argc != 3 || atoi(argv[1]) < 1) {
        fprintf(stderr, "usage: mujoco_chain N FOLDER\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/mujoco_chain.xml", argv[2]);
    if (!write_model(path, atoi(argv[1]))) {
        perror(path);
        return 4;
    }
    mjModel* m = mj_loadXML(path, NULL, error, sizeof error);
    if (m == NULL) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    mjData* d = mj_makeData(m);
    printf("%.9g\n", measure(m, d));
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
