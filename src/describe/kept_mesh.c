// What is kept of a mesh: its users, and displacements of its points from coordinates.
#include "describe/kept_mesh.h"

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

FbVec3 fb_kept_mesh_place(const FbKeptMesh* mesh, int point) {
    return fb_add(mesh->position, fb_mul3(&mesh->R, mesh->points[point]));
}
