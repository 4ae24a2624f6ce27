// Writes random models; the drawing is always closed, because joints are placed by points of the
// drawing.
#include "random_model.h"

#include <stdarg.h>
#include <stdio.h>

#include "model_support.h"

typedef struct Text {
    char* at;
    size_t left;
    unsigned seed;
} Text;

static void add(Text* t, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text* t, const char* format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < t->left) {
        t->at += n;
        t->left -= (size_t)n;
    }
}

static int pick(Text* t, int n) {
    double x = 0.5 * (test_random(&t->seed) + 1.0);
    int i = (int)(x * n);
    return i < n ? i : n - 1;
}

static void add_vector(Text* t, const char* key) {
    double x = test_random(&t->seed), y = test_random(&t->seed), z = test_random(&t->seed);
    add(t, ", %s: [%.6f, %.6f, %.6f]", key, x, y, z + (x * x + y * y + z * z < 0.01 ? 1.0 : 0.0));
}

static void add_body(Text* t, int i) {
    add(t, "  B%d: {mass: %.6f", i, 1.5 + test_random(&t->seed));
    add_vector(t, "center");
    add(t, ", inertia: [%.6f, %.6f, %.6f, %.6f, %.6f, %.6f]", 1.0 + 0.3 * test_random(&t->seed),
        1.0 + 0.3 * test_random(&t->seed), 1.0 + 0.3 * test_random(&t->seed),
        0.1 * test_random(&t->seed), 0.1 * test_random(&t->seed), 0.1 * test_random(&t->seed));
    add_vector(t, "position");
    double angle = 2.0 * test_random(&t->seed);
    add(t, ", orientation: {axis: [1, %.4f, %.4f], angle: %.6f}}\n", test_random(&t->seed),
        test_random(&t->seed), angle);
}

static void add_joint(Text* t, const char* name, const char* type, const char* first,
                      const char* second) {
    bool is_reversed = pick(t, 2) == 1;
    add(t, "  %s: {type: %s, between: [%s, %s]", name, type, is_reversed ? second : first,
        is_reversed ? first : second);
    add_vector(t, "point");
    add_vector(t, "axis");
    add_vector(t, "x_axis");
    add(t, "}\n");
}

static void body_name(int i, char name[16]) {
    if (i < 0) {
        snprintf(name, 16, "ground");
    } else {
        snprintf(name, 16, "B%d", i);
    }
}

static const char* const TYPES[] = {"revolute",          "prismatic", "cylindrical",
                                    "universal",         "planar",    "fixed",
                                    "screw, pitch: 0.7", "spherical", "free"};
enum { FREE = 8 };
static const char* const LOOPS[] = {"spherical", "universal", "planar", "cylindrical"};

void random_model_write(const RandomModel* r, char* text, size_t size) {
    Text t = {text, size, r->seed};
    char name[16], first[16], second[16];
    add(&t, "flyball: 1\ngravity: [0.5, -1.2, -9.81]\nbodies:\n");
    for (int i = 0; i < r->n_bodies; i++) {
        add_body(&t, i);
    }
    add(&t, "joints:\n");
    for (int i = 0; i < r->n_bodies; i++) {
        snprintf(name, sizeof(name), "J%d", i);
        body_name(pick(&t, i + 1) - 1, first);
        body_name(i, second);
        // Two of three parents are the last body: long branches.
        if (i > 0 && pick(&t, 3) > 0) {
            body_name(i - 1, first);
        }
        int type = pick(&t, r->is_scalar ? 7 : 9);
        if (r->has_rolling && i == r->n_bodies - 1) {
            type = FREE;  // so that the wheel can reach its plane
        }
        add_joint(&t, name, TYPES[type], first, second);
    }
    for (int l = 0; l < r->n_loops; l++) {
        int n = r->has_rolling ? r->n_bodies - 1 : r->n_bodies;
        int a = pick(&t, n), b = pick(&t, n + 1) - 1;
        snprintf(name, sizeof(name), "L%d", l);
        body_name(a, second);
        body_name(b == a ? -1 : b, first);
        add_joint(&t, name, LOOPS[pick(&t, 4)], first, second);
    }
    if (r->has_rolling) {
        add(&t,
            "constraints:\n  roll: {type: rolling, center: {body: B%d, at: [0.1, 0.2, 0.1]}, axis: "
            "[0.2, 1, 0.3], radius: 0.7, plane: {body: ground, at: [0, 0, -1]}, normal: [0.1, 0.2, "
            "1]}\n",
            r->n_bodies - 1);
    }
}
