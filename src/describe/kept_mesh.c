// What is kept of a mesh: its users, and displacements of its points from coordinates.
#include "describe/kept_mesh.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

FbKeptMesh* fb_kept_mesh_create(void) {
    FbKeptMesh* mesh = calloc(1, sizeof *mesh);
    if (mesh && !(mesh->arena = fb_arena_create())) {
        free(mesh);
        return NULL;
    }
    if (mesh) {
        mesh->n_users = 1;
        mesh->R = fb_mat3_identity();
    }
    return mesh;
}

// The count is the only thing that changes; models of one description may end in several threads.
static int add_users(const FbKeptMesh* mesh, int change) {
    return atomic_fetch_add(&((FbKeptMesh*)mesh)->n_users, change) + change;
}

FbKeptMesh* fb_kept_mesh_retain(const FbKeptMesh* mesh) {
    if (mesh) {
        add_users(mesh, 1);
    }
    return (FbKeptMesh*)mesh;
}

void fb_kept_mesh_release(const FbKeptMesh* mesh) {
    if (mesh && add_users(mesh, -1) == 0) {
        fb_arena_destroy(mesh->arena);
        free((FbKeptMesh*)mesh);
    }
}

// The rows of the matrices, where the structure is reduced: T c.
static const double* expand(const FbKeptMesh* mesh, const double* c, double* room) {
    if (!mesh->T) {
        return c;
    }
    memset(room, 0, sizeof(double) * (size_t)mesh->n_rows);
    for (int j = 0; j < mesh->n; j++) {
        const double* column = mesh->T + (size_t)j * (size_t)mesh->n_rows;
        for (int i = 0; c[j] != 0.0 && i < mesh->n_rows; i++) {
            room[i] += c[j] * column[i];
        }
    }
    return room;
}

static FbVec3 move_of(const FbKeptMesh* mesh, const double* rows, int point) {
    double move[3];
    for (int d = 0; d < 3; d++) {
        double sum = 0.0;
        for (int t = mesh->term_start[3 * point + d]; t < mesh->term_start[3 * point + d + 1];
             t++) {
            sum += mesh->terms[t].factor * rows[mesh->terms[t].row];
        }
        move[d] = sum;
    }
    return fb_mul3(&mesh->R, fb_vec3_from(move));
}

void fb_kept_mesh_calc(const FbKeptMesh* mesh, const double* c, const int* points, int count,
                       double* room, double* u) {
    const double* rows = expand(mesh, c, room);
    for (int i = 0; i < count; i++) {
        fb_vec3_to(move_of(mesh, rows, points ? points[i] : i), u + 3 * (size_t)i);
    }
}

// R s R' of a symmetric tensor.
static void turn_stress(const FbMat3* R, const double s[6], double out[6]) {
    static const int ROWS[6] = {0, 1, 2, 0, 1, 2}, COLS[6] = {0, 1, 2, 1, 2, 0};
    FbVec3 column[3] = {{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}};
    double half[3][3];  // R s, by columns
    for (int c = 0; c < 3; c++) {
        fb_vec3_to(fb_mul3(R, column[c]), half[c]);
    }
    for (int k = 0; k < 6; k++) {
        FbVec3 row = {half[0][ROWS[k]], half[1][ROWS[k]], half[2][ROWS[k]]};
        double turned[3];
        fb_vec3_to(fb_mul3(R, row), turned);
        out[k] = turned[COLS[k]];
    }
}

bool fb_kept_mesh_calc_stress(const FbKeptMesh* mesh, const double* C, int n_columns,
                              const int* points, int count, double* out) {
    size_t n_rows = (size_t)mesh->n_rows, n_all = 6 * (size_t)mesh->n_points;
    double* rows = mesh->T ? malloc(sizeof(double) * (n_rows * (size_t)n_columns + 1)) : NULL;
    double* all = malloc(sizeof(double) * (n_all * (size_t)n_columns + 1));
    bool is_good = all && (rows || !mesh->T);
    for (int k = 0; is_good && mesh->T && k < n_columns; k++) {
        expand(mesh, C + (size_t)k * (size_t)mesh->n, rows + (size_t)k * n_rows);
    }
    is_good = is_good && mesh->calc_stress(mesh, mesh->T ? rows : C, n_columns, all);
    for (int k = 0; is_good && k < n_columns; k++) {
        for (int i = 0; i < count; i++) {
            size_t from = 6 * (size_t)(points ? points[i] : i);
            turn_stress(&mesh->R, all + (size_t)k * n_all + from,
                        out + 6 * ((size_t)k * (size_t)count + (size_t)i));
        }
    }
    free(rows);
    free(all);
    return is_good;
}

double fb_mises(const double s[6]) {
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

FbVec3 fb_kept_mesh_place(const FbKeptMesh* mesh, int point) {
    return fb_add(mesh->position, fb_mul3(&mesh->R, mesh->points[point]));
}
