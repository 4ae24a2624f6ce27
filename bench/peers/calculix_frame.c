// The 20 lowest frequencies of the frame of frame.yaml in CalculiX: writes its input file, runs ccx
// and reads what it found.
//     calculix_frame CCX S B E FOLDER     prints: CPU seconds, the lowest frequency in Hz
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct Frame {
    int S, B, E;  // storeys, bays each way, elements a member
    int n_node, n_element;
    FILE* file;
} Frame;

static int corner(const Frame* f, int i, int k, int j) {
    return 1 + (j * (f->B + 1) + k) * (f->B + 1) + i;
}

static void write_corners(Frame* f) {
    fprintf(f->file, "*NODE, NSET=ALL\n");
    for (int j = 0; j <= f->S; j++) {
        for (int k = 0; k <= f->B; k++) {
            for (int i = 0; i <= f->B; i++) {
                fprintf(f->file, "%d, %d, %d, %d\n", corner(f, i, k, j), 4 * i, 4 * k, 3 * j);
            }
        }
    }
    f->n_node = corner(f, f->B, f->B, f->S);
}

// A member between two corners (in bays and storeys): nodes between them, then its elements, which
// have a node in their middle.
static void write_member(Frame* f, const int a[3], const int b[3]) {
    const double size[3] = {4.0, 4.0, 3.0};
    int n = 2 * f->E, first = f->n_node;
    fprintf(f->file, "*NODE, NSET=ALL\n");
    for (int m = 1; m < n; m++) {
        double x[3];
        for (int c = 0; c < 3; c++) {
            x[c] = size[c] * (a[c] + (double)(b[c] - a[c]) * m / n);
        }
        fprintf(f->file, "%d, %.12g, %.12g, %.12g\n", ++f->n_node, x[0], x[1], x[2]);
    }
    fprintf(f->file, "*ELEMENT, TYPE=B32R, ELSET=%s\n", a[2] != b[2] ? "UPRIGHT" : "LEVEL");
    for (int e = 0; e < f->E; e++) {
        int from = e == 0 ? corner(f, a[0], a[1], a[2]) : first + 2 * e;
        int to = e == f->E - 1 ? corner(f, b[0], b[1], b[2]) : first + 2 * e + 2;
        fprintf(f->file, "%d, %d, %d, %d\n", ++f->n_element, from, first + 2 * e + 1, to);
    }
}

static void write_members(Frame* f) {
    for (int j = 1; j <= f->S; j++) {
        for (int k = 0; k <= f->B; k++) {
            for (int i = 0; i <= f->B; i++) {
                int here[3] = {i, k, j}, below[3] = {i, k, j - 1};
                int left[3] = {i - 1, k, j}, behind[3] = {i, k - 1, j};
                write_member(f, below, here);
                if (i > 0) {
                    write_member(f, left, here);
                }
                if (k > 0) {
                    write_member(f, behind, here);
                }
            }
        }
    }
}

static void write_input(Frame* f) {
    write_corners(f);
    write_members(f);
    fprintf(f->file, "*BOUNDARY\n");
    for (int i = 1; i <= (f->B + 1) * (f->B + 1); i++) {
        fprintf(f->file, "%d, 1, 6\n", i);
    }
    fprintf(f->file,
            "*MATERIAL, NAME=STEEL\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7850\n"
            "*BEAM SECTION, ELSET=UPRIGHT, MATERIAL=STEEL, SECTION=RECT\n0.25, 0.25\n1, 0, 0\n"
            "*BEAM SECTION, ELSET=LEVEL, MATERIAL=STEEL, SECTION=RECT\n0.25, 0.25\n0, 0, 1\n"
            "*STEP\n*FREQUENCY\n20\n*END STEP\n");
}

// The fourth column of the first mode: cycles per time.
static double read_lowest(const char* path) {
    char line[512];
    double lowest = 0.0, value, rad, hz;
    int mode;
    FILE* f = fopen(path, "r");
    while (f != NULL && lowest == 0.0 && fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "%d %lf %lf %lf", &mode, &value, &rad, &hz) == 4 && mode == 1) {
            lowest = hz;
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return lowest;
}

static double children_time(void) {
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int main(int argc, char** argv) {
    char path[1024], command[2400];
    if (argc != 6) {
        fprintf(stderr, "usage: calculix_frame CCX S B E FOLDER\n");
        return 2;
    }
    Frame f = {.S = atoi(argv[2]), .B = atoi(argv[3]), .E = atoi(argv[4])};
    snprintf(path, sizeof path, "%s/calculix_frame.inp", argv[5]);
    f.file = fopen(path, "w");
    if (f.file == NULL) {
        perror(path);
        return 4;
    }
    write_input(&f);
    fclose(f.file);
    snprintf(command, sizeof command,
             "cd '%s' && OMP_NUM_THREADS=1 '%s' calculix_frame > ccx.log 2>&1", argv[5], argv[1]);
    double start = children_time();
    int code = system(command);
    snprintf(path, sizeof path, "%s/calculix_frame.dat", argv[5]);
    double lowest = read_lowest(path);
    if (code != 0 || !(lowest > 0.0)) {
        fprintf(stderr, "ccx found no frequency; see %s/ccx.log\n", argv[5]);
        return 1;
    }
    printf("%.6g %.10g\n", children_time() - start, lowest);
    return 0;
}
