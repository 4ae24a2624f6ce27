// Elements of any number of nodes and of three coordinates a node, on nodes that slide along turned
// axes, on the ground, and on one rigid body: a tetrahedron of constant strain.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "flyball/flyball.h"

enum { NODES = 4, SIZE = 3 * NODES };

typedef struct Tetrahedron {
    double modulus, shear, density;  // K = 2 G e + (E) tr(e) 1
} Tetrahedron;

// Gradients of the four shape functions; returns the volume.
static double calc_gradients(const FbVec3* p, FbVec3 gradient[NODES]) {
    double volume =
        fb_dot(fb_sub(p[1], p[0]), fb_cross(fb_sub(p[2], p[0]), fb_sub(p[3], p[0]))) / 6.0;
    for (int i = 0; i < NODES; i++) {
        FbVec3 a = p[(i + 1) % NODES], b = p[(i + 2) % NODES], c = p[(i + 3) % NODES];
        FbVec3 normal = fb_cross(fb_sub(b, a), fb_sub(c, a));
        gradient[i] = fb_scale(1.0 / fb_dot(normal, fb_sub(p[i], a)), normal);
    }
    return fabs(volume);
}

static void calc_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K) {
    const Tetrahedron* t = self;
    FbVec3 gradient[NODES];
    double volume = calc_gradients(p, gradient);
    (void)R;
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            double a[3], b[3];
            fb_vec3_to(gradient[i / 3], a);
            fb_vec3_to(gradient[j / 3], b);
            int r = i % 3, c = j % 3;
            K[i * SIZE + j] =
                volume * (t->modulus * a[r] * b[c] +
                          t->shear * ((r == c ? fb_dot(gradient[i / 3], gradient[j / 3]) : 0.0) +
                                      a[c] * b[r]));
        }
    }
}

static void calc_mass(const void* self, const FbVec3* p, const FbMat3* R, double* M) {
    const Tetrahedron* t = self;
    FbVec3 gradient[NODES];
    double mass = t->density * calc_gradients(p, gradient);
    (void)R;
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            M[i * SIZE + j] = i % 3 == j % 3 ? mass / 20.0 * (i == j ? 2.0 : 1.0) : 0.0;
        }
    }
}

static double calc_center(const void* self, const FbVec3* p, FbVec3* center) {
    const Tetrahedron* t = self;
    FbVec3 gradient[NODES];
    *center = fb_scale(0.25, fb_add(fb_add(p[0], p[1]), fb_add(p[2], p[3])));
    return t->density * calc_gradients(p, gradient);
}

static const FbElementType tetrahedron = {.name = "tetrahedron",
                                          .n_nodes = NODES,
                                          .n_coordinates = 3,
                                          .calc_stiffness = calc_stiffness,
                                          .calc_mass = calc_mass,
                                          .calc_center = calc_center};
static const Tetrahedron properties = {.modulus = 7.0, .shear = 3.0, .density = 5.0};
static const FbMat3 unit = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

typedef struct Fixture {
    FbModel* m;
    FbArena* arena;
    FbKinematics k;
    FbElement e;
    FbLinkFrame end[NODES];
    FbVec3 p[NODES];
    FbLinearMatrices sums;
    double volume;
} Fixture;

// The points are those of the bodies a to d; `body[i]` carries point i, NULL: the ground does.
static void build(Fixture* f, const char* const body[NODES]) {
    const FbReadOptions options = {0};
    FbModelDef* def;
    FbError err;
    memset(f, 0, sizeof(*f));
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    assert_int_equal(
        fb_model_def_read_file("test/unit/elements/tetrahedron.yaml", &options, &def, diagnostics),
        FB_OK);
    assert_int_equal(fb_model_create(def, &f->m, diagnostics), FB_OK);
    f->arena = fb_arena_create();
    assert_int_equal(fb_kinematics_init(&f->m->tree, f->arena, &f->k, &err), FB_OK);
    fb_tree_realize_position(&f->m->tree, f->m->q_drawn, &f->k);
    FbBuilder b = {.m = f->m, .def = def};
    for (int i = 0; i < NODES; i++) {
        f->p[i] = f->m->bodies[i].p_GB;
        f->end[i] = (FbLinkFrame){.link = -1, .R = unit, .p = f->p[i]};
        for (int j = 0; body[i] && j < f->m->n_bodies; j++) {
            const FbBody* carrier = &f->m->bodies[j];
            if (strcmp(carrier->name, body[i]) == 0) {
                FbVec3 arm = fb_mul3_transposed(&carrier->R_GB, fb_sub(f->p[i], carrier->p_GB));
                f->end[i].link = carrier->link;
                f->end[i].p = fb_add(carrier->p_LB, fb_mul3(&carrier->R_LB, arm));
            }
        }
    }
    f->e = (FbElement){.type = &tetrahedron,
                       .self = &properties,
                       .alpha = 0.25,
                       .beta = 0.5,
                       .end = f->end,
                       .p_drawn = f->p,
                       .R_drawn = unit};
    assert_int_equal(fb_compile_element(&b, &f->e, false), FB_OK);
    f->e.J0 = calloc((size_t)f->e.path.n * SIZE, sizeof(double));
    fb_element_calc_columns(&f->k, &f->e, f->e.J0);
    size_t n = (size_t)f->m->tree.n_v;
    f->sums = (FbLinearMatrices){calloc(n * n, sizeof(double)), calloc(n * n, sizeof(double)),
                                 calloc(n * n, sizeof(double)), calloc(n, sizeof(double)), 0.0};
    double scratch[(2 * SIZE + 3) * SIZE];
    int* places = calloc((size_t)f->e.path.n * (SIZE + 1), sizeof(int));
    fb_element_assemble(f->m, &f->e, scratch, places, &f->sums);
    free(places);
    FbVec3 gradient[NODES];
    f->volume = calc_gradients(f->p, gradient);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
}

static void finish(Fixture* f) {
    free(f->e.J0);
    free(f->sums.M);
    free(f->sums.C);
    free(f->sums.K);
    free(f->sums.r);
    fb_arena_destroy(f->arena);
    fb_model_destroy(f->m);
}

// The velocities that give the nodes the displacements H (p - p_0) + shift, by least squares: J0 of
// slides has orthonormal columns.
static void fit(const Fixture* f, const FbMat3* H, FbVec3 shift, double* v) {
    memset(v, 0, sizeof(double) * (size_t)f->m->tree.n_v);
    for (int c = 0; c < f->e.path.n; c++) {
        for (int i = 0; i < NODES; i++) {
            FbVec3 u = fb_add(fb_mul3(H, fb_sub(f->p[i], f->p[0])), shift);
            v[f->e.path.v[c]] += fb_dot(fb_vec3_from(f->e.J0 + c * SIZE + 3 * i), u);
        }
    }
}

static double form(const Fixture* f, const double* A, const double* v) {
    double sum = 0.0;
    int n = f->m->tree.n_v;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            sum += v[i] * A[j * n + i] * v[j];
        }
    }
    return sum;
}

static const char* const SLIDES[NODES] = {"a", "b", "c", "d"};

// Strain energy of a constant strain, none of a turn; kinetic energy of a translation; weight.
static void slides_along_turned_axes(void** state) {
    (void)state;
    Fixture f;
    double v[32];
    FbVec3 none = {0, 0, 0}, shift = {0.3, -0.2, 0.7};
    build(&f, SLIDES);
    assert_int_equal(f.e.path.n, SIZE);
    FbMat3 strain = {{{0.1, 0.2, -0.3}, {0.2, -0.4, 0.5}, {-0.3, 0.5, 0.6}}};
    double trace = 0.1 - 0.4 + 0.6, square = 0.0;
    for (int i = 0; i < 9; i++) {
        square += strain.m[i / 3][i % 3] * strain.m[i / 3][i % 3];
    }
    double energy = f.volume * (7.0 * trace * trace + 2.0 * 3.0 * square);
    fit(&f, &strain, none, v);
    assert_float_equal(form(&f, f.sums.K, v), energy, 1e-12 * energy);
    assert_float_equal(form(&f, f.sums.C, v), 0.25 * form(&f, f.sums.M, v) + 0.5 * energy,
                       1e-12 * energy);
    FbMat3 turn = {{{0, -0.3, 0.2}, {0.3, 0, -0.1}, {-0.2, 0.1, 0}}};
    fit(&f, &turn, shift, v);
    assert_float_equal(form(&f, f.sums.K, v), 0.0, 1e-13 * energy);
    FbMat3 zero = {{{0}}};
    double mass = 5.0 * f.volume;
    fit(&f, &zero, shift, v);
    assert_float_equal(form(&f, f.sums.M, v), mass * fb_dot(shift, shift), 1e-13 * mass);
    double weight = 0.0;
    for (int j = 0; j < f.m->tree.n_v; j++) {
        weight += f.sums.r[j] * v[j];
    }
    FbVec3 g = {1.5, -9, 3};
    assert_float_equal(weight, -mass * fb_dot(g, shift), 1e-12 * mass * fb_norm(g));
    FbVec3 center = fb_scale(0.25, fb_add(fb_add(f.p[0], f.p[1]), fb_add(f.p[2], f.p[3])));
    assert_float_equal(f.sums.energy, -mass * fb_dot(g, center), 1e-12 * mass * 2000.0);
    finish(&f);
}

// With nodes on the ground the rest of the matrices stays.
static void nodes_on_the_ground(void** state) {
    (void)state;
    Fixture all, some;
    const char* const held[NODES] = {"a", NULL, "c", NULL};
    build(&all, SLIDES);
    build(&some, held);
    assert_int_equal(some.e.path.n, 6);
    int n = all.m->tree.n_v;
    for (int c = 0; c < some.e.path.n; c++) {
        for (int r = 0; r < some.e.path.n; r++) {
            int at = some.e.path.v[c] * n + some.e.path.v[r];
            assert_float_equal(some.sums.K[at], all.sums.K[at], 1e-13);
            assert_float_equal(some.sums.M[at], all.sums.M[at], 1e-13);
        }
    }
    finish(&all);
    finish(&some);
}

// On one rigid body, that slides and turns, an element has no strain and the body's inertia.
static void nodes_on_one_body(void** state) {
    (void)state;
    Fixture f;
    const char* const whole[NODES] = {"whole", "whole", "whole", "whole"};
    build(&f, whole);
    assert_int_equal(f.e.path.n, 3);
    int n = f.m->tree.n_v;
    for (int c = 0; c < f.e.path.n; c++) {
        assert_int_equal(f.e.path.moves[c], 15);
        for (int r = 0; r < f.e.path.n; r++) {
            assert_float_equal(f.sums.K[f.e.path.v[c] * n + f.e.path.v[r]], 0.0, 1e-12);
        }
    }
    double mass = 5.0 * f.volume, v[32] = {0};
    v[f.e.path.v[0]] = 2.0;  // a slide
    assert_float_equal(form(&f, f.sums.M, v), 4.0 * mass, 1e-12 * mass);
    finish(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides_along_turned_axes),
        cmocka_unit_test(nodes_on_the_ground),
        cmocka_unit_test(nodes_on_one_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
