// Models with drawn numbers whose motion is known: pendulums, chains, loops, springs, kinked
// forces.
#include "error_cases.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "test/verify/error_cases/"

// Numerical Recipes' generator; the upper bits are the good ones.
static double between(unsigned* seed, double lo, double hi) {
    *seed = 1664525u * *seed + 1013904223u;
    return lo + (hi - lo) * (*seed >> 8) / 16777216.0;
}

static void add(ErrorCase* c, const char* format, ...) {
    size_t used = strlen(c->text);
    va_list list;
    va_start(list, format);
    vsnprintf(c->text + used, sizeof c->text - used, format, list);
    va_end(list);
}

// Of a model in C, and of a file.
static void settings(ErrorCase* c, double duration) {
    add(c, "simulation: {duration: %.17g, sample: %.17g}\n", duration, duration / 40.0);
}

static void add_duration(ErrorCase* c, double duration) {
    add(c, "; duration=%.17g", duration);
}

// n rods end to end, hinged about z; torsion springs where k > 0.
static void write_rods(ErrorCase* c, unsigned* seed, int n, double k, double damping) {
    double at = 0.0;
    char bodies[2500] = "", joints[2500] = "", forces[2500] = "", outputs[600] = "";
    for (int i = 0; i < n; i++) {
        double length = between(seed, 0.3, 1.2);
        sprintf(bodies + strlen(bodies),
                "  b%d: {position: [%.17g, 0, 0], shapes: [{type: rod, from: [0, 0, 0], to: "
                "[%.17g, 0, 0], mass: %.17g}]}\n",
                i, at, length, between(seed, 0.2, 2.0));
        char parent[16] = "ground";
        if (i > 0) {
            snprintf(parent, sizeof parent, "b%d", i - 1);
        }
        sprintf(joints + strlen(joints),
                "  j%d: {type: revolute, between: [%s, b%d], point: [%.17g, 0, 0], axis: [0, 0, "
                "1], velocity: %.17g}\n",
                i, parent, i, at, between(seed, -1.0, 1.0));
        double d = damping * between(seed, 0.5, 1.5);  // draws have their order
        sprintf(forces + strlen(forces),
                "  f%d: {type: torsion, joint: j%d, stiffness: %.17g, damping: %.17g}\n", i, i,
                k * between(seed, 0.5, 1.5), d);
        sprintf(outputs + strlen(outputs), "%sq%d: j%d.q, v%d: j%d.v", i > 0 ? ", " : "", i, i, i,
                i);
        at += length;
    }
    add(c, "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n%sjoints:\n%s", bodies, joints);
    if (k > 0.0) {
        add(c, "forces:\n%s", forces);
    }
    add(c, "outputs: {%s}\n", outputs);
}

static void pendulum(ErrorCase* c, unsigned* seed) {
    write_rods(c, seed, 1, 0.0, 0.0);
    settings(c, between(seed, 2.0, 20.0));
}

static void double_pendulum(ErrorCase* c, unsigned* seed) {
    write_rods(c, seed, 2, 0.0, 0.0);
    settings(c, between(seed, 0.5, 3.0));
}

static void chain(ErrorCase* c, unsigned* seed) {
    double damping = between(seed, 0.1, 2.0), k = between(seed, 1.0, 50.0);
    write_rods(c, seed, 3 + (int)between(seed, 0.0, 3.0), k, damping);
    settings(c, between(seed, 1.0, 5.0));
}

static void stiff_chain(ErrorCase* c, unsigned* seed) {
    double k = pow(10.0, between(seed, 3.0, 4.5));
    write_rods(c, seed, 2, k, 2e-2 * k);
    c->reference = "radau";
    settings(c, between(seed, 1.0, 4.0));
}

// m z'' + d z' + k z = 0
static void oscillation(const double* p, double t, double* y) {
    double m = p[0], d = p[1], k = p[2], z0 = p[3], v0 = p[4];
    double a = 0.5 * d / m, w = sqrt(k / m - a * a), s = (v0 + a * z0) / w;
    double e = exp(-a * t), cosine = cos(w * t), sine = sin(w * t);
    y[0] = e * (z0 * cosine + s * sine);
    y[1] = e * ((s * w - a * z0) * cosine - (z0 * w + a * s) * sine);
}

static void oscillator(ErrorCase* c, unsigned* seed) {
    double m = between(seed, 0.5, 3.0), k = pow(10.0, between(seed, 0.0, 3.0));
    double d = between(seed, 0.0, 0.5) * sqrt(k * m);
    double z0 = between(seed, 0.1, 1.0), v0 = between(seed, -1.0, 1.0);
    double data[] = {m, d, k, z0, v0};
    memcpy(c->data, data, sizeof data);
    c->exact = oscillation;
    c->path = FOLDER "oscillator.yaml";
    add(c, "m=%.17g; d=%.17g; k=%.17g; z0=%.17g; v0=%.17g; duration=%.17g", m, d, k, z0, v0,
        between(seed, 5.0, 30.0) * sqrt(m / k));
}

// Falls from z0 at rest, is thrown back by a spring that only pushes, returns to z0.
static void bouncing(const double* p, double t, double* y) {
    double g = p[0], w = p[1], z0 = p[2];
    double fall = sqrt(2.0 * z0 / g), v = g * fall, depth = g / (w * w);
    // below 0: z = -depth + depth cos(w s) - v/w sin(w s)
    double contact = 2.0 * (3.14159265358979323846 - atan(v / (w * depth))) / w;
    double s = fmod(t + fall, 2.0 * fall + contact);
    if (s <= 2.0 * fall) {
        y[0] = v * s - 0.5 * g * s * s;
        y[1] = v - g * s;
    } else {
        s -= 2.0 * fall;
        y[0] = -depth + depth * cos(w * s) - v / w * sin(w * s);
        y[1] = -depth * w * sin(w * s) - v * cos(w * s);
    }
}

static void write_bounce(ErrorCase* c, unsigned* seed, const char* path) {
    double m = between(seed, 0.5, 2.0), k = m * pow(10.0, between(seed, 2.0, 5.0));
    double z0 = between(seed, 0.2, 2.0);
    double data[] = {9.81, sqrt(k / m), z0};
    memcpy(c->data, data, sizeof data);
    c->exact = bouncing;
    c->is_kinked = true;
    c->path = path;
    add(c, "m=%.17g; k=%.17g; z0=%.17g; duration=%.17g", m, k, z0, between(seed, 1.0, 5.0));
}

static void bounce(ErrorCase* c, unsigned* seed) {
    write_bounce(c, seed, FOLDER "bounce.yaml");
}

static void bounce_in_loop(ErrorCase* c, unsigned* seed) {
    write_bounce(c, seed, FOLDER "bounce_in_a_loop.yaml");
}

// A pendulum with a force that has kinks in its course.
static void kinked_pendulum(ErrorCase* c, unsigned* seed) {
    static const char* const paths[] = {FOLDER "kinked_drag.yaml", FOLDER "kinked_clamp.yaml",
                                        FOLDER "kinked_stop.yaml", FOLDER "kinked_slopes.yaml"};
    c->path = paths[(int)between(seed, 0.0, 3.999)];
    double angle = between(seed, 0.5, 2.0), center = -between(seed, 0.3, 1.5);
    c->is_kinked = true;
    c->reference_step = 2e-4;
    add(c, "m=%.17g; center=%.17g; angle=%.17g", between(seed, 0.5, 2.0), center, angle);
    add_duration(c, between(seed, 1.0, 5.0));
}

static void friction(ErrorCase* c, unsigned* seed) {
    double coulomb = between(seed, 0.2, 1.0), angle = between(seed, 0.5, 2.0);
    double center = -between(seed, 0.3, 1.5);
    c->reference_step = 1e-3;
    c->path = FOLDER "friction.yaml";
    add(c, "m=%.17g; center=%.17g; angle=%.17g; coulomb=%.17g", between(seed, 0.5, 2.0), center,
        angle, coulomb);
    add_duration(c, between(seed, 1.0, 3.0));
}

// A crank-rocker that falls from a generic position, with a spring.
static void four_bar(ErrorCase* c, unsigned* seed) {
    double r = between(seed, 0.2, 0.35), angle = between(seed, 0.5, 1.2);
    double bx = between(seed, 0.8, 1.1), by = between(seed, 0.6, 0.9);
    double rocker = between(seed, 0.5, 1.5), rod = between(seed, 0.5, 1.5);
    double crank = between(seed, 0.5, 1.5), damping = between(seed, 0.05, 0.5);
    double stiffness = between(seed, 1.0, 20.0), speed = between(seed, 2.0, 6.0);
    c->path = FOLDER "four_bar.yaml";
    add(c, "x=%.17g; y=%.17g; bx=%.17g; by=%.17g", r * cos(angle), r * sin(angle), bx, by);
    add(c, "; crank=%.17g; rod=%.17g; rocker=%.17g", crank, rod, rocker);
    add(c, "; speed=%.17g; stiffness=%.17g; damping=%.17g", speed, stiffness, damping);
    add_duration(c, between(seed, 0.5, 3.0));
}

// A heavy body on a ball joint.
static void top(ErrorCase* c, unsigned* seed) {
    double wz = between(seed, -20.0, 20.0), wy = between(seed, -2.0, 2.0);
    double wx = between(seed, -2.0, 2.0), cz = between(seed, -0.5, 0.5);
    c->path = FOLDER "top.yaml";
    add(c, "cx=%.17g; cz=%.17g; wx=%.17g; wy=%.17g; wz=%.17g", between(seed, 0.05, 0.3), cz, wx, wy,
        wz);
    add_duration(c, between(seed, 1.0, 4.0));
}

// A crank with a rod and a sliding mass on a spring.
static void slider_crank(ErrorCase* c, unsigned* seed) {
    double r = between(seed, 0.1, 0.3), l = between(seed, 0.6, 1.0);
    double k = between(seed, 1.0, 50.0), damping = between(seed, 0.01, 0.1);
    double speed = between(seed, 5.0, 12.0), block = between(seed, 0.5, 2.0);
    c->path = FOLDER "slider_crank.yaml";
    add(c, "r=%.17g; l=%.17g; block=%.17g; speed=%.17g; damping=%.17g; k=%.17g", r, l, block, speed,
        damping, k);
    add_duration(c, between(seed, 0.5, 3.0));
}

static const struct {
    const char* name;
    void (*write)(ErrorCase* c, unsigned* seed);
} families[ERROR_CASE_FAMILIES] = {
    {"pendulum", pendulum},
    {"double pendulum", double_pendulum},
    {"chain", chain},
    {"stiff chain", stiff_chain},
    {"oscillator", oscillator},
    {"bounce", bounce},
    {"bounce in a loop", bounce_in_loop},
    {"kinked pendulum", kinked_pendulum},
    {"friction", friction},
    {"four-bar", four_bar},
    {"top", top},
    {"slider-crank", slider_crank},
};

void error_case_write(unsigned seed, ErrorCase* c) {
    unsigned state = 2654435761u * (seed + 1u);
    int f = (int)(seed % ERROR_CASE_FAMILIES);
    *c = (ErrorCase){.family = families[f].name, .reference = "dop853"};
    between(&state, 0.0, 1.0);
    families[f].write(c, &state);
}

// "a=1; b=2" as overrides; splits `text`.
static int parse_values(char* text, FbOverride* out, int most) {
    int n = 0;
    for (char *item = strtok(text, "; "), *value; item && n < most; item = strtok(NULL, "; ")) {
        value = strchr(item, '=');
        *value = 0;
        out[n++] = (FbOverride){item, value + 1};
    }
    return n;
}

FbModel* error_case_model(const ErrorCase* c) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    char text[ERROR_CASE_TEXT];
    FbOverride values[16];
    FbReadOptions options = {.overrides = values};
    memcpy(text, c->text, sizeof text);
    if (c->path) {
        options.n_overrides = parse_values(text, values, 16);
        fb_model_def_read_file(c->path, &options, &def, diagnostics);
    } else {
        fb_model_def_read_text(text, strlen(text), "generated", NULL, &def, diagnostics);
    }
    if (def) {
        fb_model_create(def, &model, diagnostics);
    }
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
    return model;
}
