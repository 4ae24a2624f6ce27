// Meshes that are kept for pictures: their surface, displacements of all points, decimation, and
// the few shapes of a motion.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "flyball/flyball.h"
#include "model/model.h"
#include "model_file.h"
#include "solve/result.h"
#include "view/mesh_picture.h"

static const char* const SOLID = "test/unit/view_meshes/solid.yaml";
static const char* const PLATE = "test/unit/view_meshes/plate.yaml";

// The model of a file with changes, with what is to be kept of its mesh.
static FbModel* make_model(const char* path, FbMeshKeeping keeping, const char* changes) {
    char* text = test_text_with(path, "%s", changes);
    FbReadOptions options = {.meshes = keeping};
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbStatus status = fb_model_def_read_text(text, strlen(text), path, &options, &def, diagnostics);
    status = status == FB_OK ? fb_model_create(def, &model, diagnostics) : status;
    if (status < 0) {
        fail_msg("%s", fb_diagnostics_get(diagnostics, 0)->text);
    }
    fb_model_def_destroy(def);  // the model keeps its hold on the mesh
    fb_diagnostics_destroy(diagnostics);
    free(text);
    return model;
}

static double calc_volume(const FbKeptMesh* m, const FbMeshSurface* s) {
    double sum = 0.0;
    for (int f = 0; f < s->n_faces; f++) {
        const int* v = s->nodes + s->first[f];
        int n = s->shapes[f] == FB_CELL_TRI3 || s->shapes[f] == FB_CELL_TRI6 ? 3 : 4;
        for (int i = 1; i + 1 < n; i++) {
            FbVec3 a = m->points[v[0]], b = m->points[v[i]], c = m->points[v[i + 1]];
            sum += fb_dot(a, fb_cross(b, c)) / 6.0;
        }
        for (int i = n; i < fb_cell_infos[s->shapes[f]].n_nodes; i++) {
            FbVec3 ends = fb_add(m->points[v[i - n]], m->points[v[(i - n + 1) % n]]);
            FbVec3 off = fb_axpy(-0.5, ends, m->points[v[i]]);
            assert_true(fb_norm(off) < 1e-12);  // middles of straight edges, in this order
        }
    }
    return sum;
}

// The surface is closed, with outward normals: its volume is that of the block.
static void test_surface(void** state) {
    (void)state;
    static const struct {
        const char* element;
        int n_faces;
    } cases[] = {{"hex8", 32},    {"hex20", 32}, {"wedge6", 44},
                 {"wedge15", 44}, {"tet4", 64},  {"tet10", 64}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char changes[64];
        snprintf(changes, sizeof changes, "element: hex8 => element: %s", cases[i].element);
        FbModel* model = make_model(SOLID, FB_MESH_WHOLE, changes);
        const FbKeptMesh* m = model->superelements[0].mesh;
        FbMeshSurface s;
        assert_non_null(m);
        assert_true(fb_mesh_surface_find(m->n_cells, m->shapes, m->first, m->nodes, &s));
        assert_int_equal(s.n_faces, cases[i].n_faces);
        assert_float_equal(calc_volume(m, &s), 0.9 * 0.4 * 0.3, 1e-12);
        fb_mesh_surface_free(&s);
        fb_model_destroy(model);
    }
}

static void test_nothing_is_kept_unasked(void** state) {
    (void)state;
    FbModel* model = make_model(SOLID, FB_MESH_DROPPED, "modes: 4 => modes: 5");
    assert_null(model->superelements[0].mesh);
    fb_model_destroy(model);
}

// Where all named nodes move as a rigid body, every point does: static shapes, coupled groups and
// the axes of the mesh.
static void test_rigid_motion(void** state) {
    (void)state;
    const FbVec3 shift = {0.3, -0.2, 0.5}, turn = {-0.7, 0.4, 0.9};
    const FbVec3 nodes[3] = {{0, 0.2, 0.15}, {0.9, 0.2, 0.15}, {0.3, 0.4, 0.15}};
    for (int keeping = FB_MESH_SURFACE; keeping <= FB_MESH_WHOLE; keeping++) {
        FbModel* model = make_model(SOLID, (FbMeshKeeping)keeping, "modes: 4 => modes: 5");
        const FbKeptMesh* m = model->superelements[0].mesh;
        double c[20] = {0}, *room = calloc((size_t)m->n_rows + 1, sizeof(double));
        double* u = calloc(3 * (size_t)m->n_points, sizeof(double));
        assert_int_equal(m->n, 6 + 6 + 3 + 5);
        assert_int_equal(m->is_surface_only, keeping == FB_MESH_SURFACE);
        for (int k = 0; k < 3; k++) {
            fb_vec3_to(fb_add(shift, fb_cross(turn, nodes[k])), c + 6 * k);
            if (k < 2) {
                fb_vec3_to(turn, c + 6 * k + 3);
            }
        }
        fb_kept_mesh_calc(m, c, NULL, m->n_points, room, u);
        for (int i = 0; i < m->n_points; i++) {
            FbVec3 local = fb_add(shift, fb_cross(turn, m->points[i]));
            FbVec3 error = fb_sub(fb_vec3_from(u + 3 * i), fb_mul3(&m->R, local));
            assert_true(fb_norm(error) < 1e-9);
        }
        free(room);
        free(u);
        fb_model_destroy(model);
    }
}

static FbResult* run(const FbModel* model) {
    FbRunOptions options = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err = {0};
    options.record_poses = true;
    if (fb_simulate(model, &options, &result, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return result;
}

// All points of a mesh in a row of a result.
static double* calc_moves(const FbModel* model, const FbResult* result, int row, bool is_velocity) {
    const FbKeptMesh* m = model->superelements[0].mesh;
    double* room = calloc((size_t)m->n_rows + 1, sizeof(double));
    double* u = calloc(3 * (size_t)m->n_points, sizeof(double));
    fb_kept_mesh_calc(m, fb_result_get_mesh(result, row, 0, is_velocity), NULL, m->n_points, room,
                      u);
    free(room);
    return u;
}

// Reduced with all modes and whole are the same structure in other coordinates.
static void test_whole_and_reduced_agree(void** state) {
    (void)state;
    FbModel* whole = make_model(PLATE, FB_MESH_SURFACE, "1 ms => 3 ms");
    FbModel* reduced = make_model(PLATE, FB_MESH_WHOLE,
                                  "1 ms => 3 ms; damping: => reduce: {modes: 39}\n    damping:");
    assert_true(reduced->superelements[0].mesh->T != NULL);
    assert_true(whole->superelements[0].mesh->T == NULL);
    FbResult *a = run(whole), *b = run(reduced);
    int n = 3 * whole->superelements[0].mesh->n_points, n_rows = fb_result_get_row_count(a);
    double largest[2] = {0}, error[2] = {0};
    for (int i = 0; i < 2 * n_rows; i++) {
        double* x = calc_moves(whole, a, i / 2, i % 2 == 1);
        double* y = calc_moves(reduced, b, i / 2, i % 2 == 1);
        for (int k = 0; k < n; k++) {
            largest[i % 2] = fmax(largest[i % 2], fabs(x[k]));
            error[i % 2] = fmax(error[i % 2], fabs(x[k] - y[k]));
        }
        free(x);
        free(y);
    }
    assert_true(largest[0] > 1e-4);
    assert_true(error[0] < 1e-5 * largest[0]);
    assert_true(error[1] < 1e-4 * largest[1]);
    fb_result_destroy(a);
    fb_result_destroy(b);
    fb_model_destroy(whole);
    fb_model_destroy(reduced);
}

// The point of the mesh at a named node moves as the body there does; supported points rest.
static void test_points_follow_bodies(void** state) {
    (void)state;
    FbModel* model = make_model(PLATE, FB_MESH_SURFACE, "1 ms => 3 ms");
    const FbKeptMesh* m = model->superelements[0].mesh;
    FbResult* result = run(model);
    int last = fb_result_get_row_count(result) - 1, spot = -1, n_fixed = 0;
    double* u = calc_moves(model, result, last, false);
    for (int b = 0; b < model->n_bodies; b++) {
        spot = strcmp(model->bodies[b].name, "p.spot") == 0 ? b : spot;
    }
    double at[3], q[4], none[3], unused[4];
    assert_true(fb_result_get_pose(result, last, spot, at, q));
    FbVec3 moved = fb_sub(fb_vec3_from(at), model->bodies[spot].p_GB);
    assert_true(fb_norm(moved) > 1e-5);
    for (int i = 0; i < m->n_points; i++) {
        FbVec3 p = fb_kept_mesh_place(m, i), move = fb_vec3_from(u + 3 * i);
        if (fb_norm(fb_sub(p, model->bodies[spot].p_GB)) < 1e-9) {
            assert_true(fb_norm(fb_sub(move, moved)) < 1e-12);
            n_fixed += 100;
        }
        if (fabs(m->points[i].x) < 1e-9) {
            assert_true(fb_norm(move) == 0.0);
            n_fixed++;
        }
    }
    assert_int_equal(n_fixed, 103);
    // Rows of the structure are no bodies of the picture.
    assert_true(model->drawing.n_numbered < model->n_bodies);
    assert_false(fb_result_get_pose(result, last, model->n_bodies - 1, none, unused));
    free(u);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

static int compare_pairs(const void* a, const void* b) {
    return memcmp(a, b, sizeof(int[2]));
}

// Each edge of a closed surface belongs to an even number of triangles.
static void check_closed(const FbMeshPicture* p) {
    int(*edges)[2] = malloc(3 * (size_t)p->n_triangles * sizeof *edges);
    for (int i = 0; i < 3 * p->n_triangles; i++) {
        int a = p->triangles[i], b = p->triangles[i / 3 * 3 + (i + 1) % 3];
        edges[i][0] = a < b ? a : b;
        edges[i][1] = a < b ? b : a;
        assert_true(a >= 0 && a < p->n_points);
    }
    qsort(edges, 3 * (size_t)p->n_triangles, sizeof *edges, compare_pairs);
    for (int i = 0, end; i < 3 * p->n_triangles; i = end) {
        for (end = i; end < 3 * p->n_triangles && !compare_pairs(edges[i], edges[end]); end++) {
        }
        assert_int_equal((end - i) % 2, 0);
    }
    free(edges);
}

static void test_decimation(void** state) {
    (void)state;
    static const char* const elements[] = {"hex8", "tet10"};
    for (int kind = 0; kind < 2; kind += TEST_EVERY(2)) {
        char changes[128];
        snprintf(changes, sizeof changes,
                 "divisions: [3, 2, 2] => divisions: [18, 8, 6]; hex8 => %s; modes: 4 => modes: 1",
                 elements[kind]);
        FbModel* model = make_model(SOLID, FB_MESH_SURFACE, changes);
        FbArena* arena = fb_arena_create();
        FbError err;
        int n_surface = model->superelements[0].mesh->n_surface;
        for (int most = 60; most < 2 * n_surface; most = most * 3) {
            FbMeshPicture p = {.mesh = model->superelements[0].mesh};
            assert_int_equal(fb_mesh_picture_choose_points(&p, most, arena, &err), FB_OK);
            assert_true(p.n_points <= most &&
                        p.n_points >= (most < n_surface ? most / 4 : n_surface));
            assert_true(kind == 1 || (p.n_edges > 0) == (p.n_points == n_surface));
            check_closed(&p);
            FbVec3 low = {9, 9, 9}, high = {-9, -9, -9};
            for (int i = 0; i < p.n_points; i++) {
                FbVec3 x = p.mesh->points[p.points[i]];
                low = fb_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
                high = fb_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
            }
            // Corners are kept, so that the box does not shrink.
            assert_true(fb_norm(low) < 1e-9);
            assert_true(fb_norm(fb_sub(high, fb_vec3(0.9, 0.4, 0.3))) < 1e-9);
        }
        fb_arena_destroy(arena);
        fb_model_destroy(model);
    }
}

static void get_column(const void* self, int superelement, int column, double* c) {
    const FbResult* result = self;
    memcpy(c, fb_result_get_mesh(result, column, superelement, false),
           sizeof(double) * (size_t)fb_result_get_model(result)->superelements[superelement].n);
}

// A sum of the shapes is the displacement itself, in every row and at every point.
static void test_shapes(void** state) {
    (void)state;
    static const char* const changes[] = {
        "1 ms => 0.1 ms", "1 ms => 0.1 ms; damping: => reduce: {modes: 6}\n    damping:"};
    for (int kind = 0; kind < 2; kind++) {
        FbModel* model = make_model(PLATE, FB_MESH_SURFACE, changes[kind]);
        FbResult* result = run(model);
        FbArena* arena = fb_arena_create();
        FbMeshPicture p = {.mesh = model->superelements[0].mesh};
        FbMeshColumns columns = {.self = result,
                                 .n = fb_result_get_row_count(result),
                                 .is_continuous = true,
                                 .get = get_column};
        FbError err;
        assert_int_equal(fb_mesh_picture_choose_points(&p, 1000, arena, &err), FB_OK);
        assert_int_equal(fb_mesh_picture_find_shapes(&p, &columns, 30, arena, &err), FB_OK);
        assert_true(p.n_shapes > 1 && p.n_shapes < 20);
        assert_true(p.error < 1e-3);
        double worst = 0.0, largest = 0.0;
        for (int row = 0; row < columns.n; row += 7) {
            const double* c = fb_result_get_mesh(result, row, 0, false);
            double* u = calc_moves(model, result, row, false);
            for (int i = 0; i < 3 * p.n_points; i++) {
                double sum = 0.0;
                for (int k = 0; k < p.n_shapes; k++) {
                    double a = 0.0;
                    for (int j = 0; j < p.mesh->n; j++) {
                        a += p.amplitudes[j * p.n_shapes + k] * c[j];
                    }
                    sum += a * p.shapes[(size_t)k * 3 * (size_t)p.n_points + (size_t)i];
                }
                double exact = u[3 * p.points[i / 3] + i % 3];
                worst = fmax(worst, fabs(sum - exact));
                largest = fmax(largest, fabs(exact));
            }
            free(u);
        }
        assert_true(largest > 1e-4 && largest <= p.largest * 1.001);
        assert_true(worst < 2e-3 * largest);
        fb_arena_destroy(arena);
        fb_result_destroy(result);
        fb_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface),
        cmocka_unit_test(test_nothing_is_kept_unasked),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_whole_and_reduced_agree),
        cmocka_unit_test(test_points_follow_bodies),
        cmocka_unit_test(test_decimation),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
