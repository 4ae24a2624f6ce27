// Finds elements that a file repeats, by their nodes, in a hash table with open addresses.
#include "mesh/mesh_twins.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fem/solid.h"

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

// A sum, because the same element may be numbered the other way round.
static size_t calc_hash(int entity, const int* nodes, int n) {
    uint64_t sum = mix((uint64_t)entity + UINT64_C(0x9e3779b97f4a7c15));
    for (int i = 0; i < n; i++) {
        sum += mix((uint64_t)nodes[i] + 1);
    }
    return (size_t)mix(sum);
}

static int compare(const void* a, const void* b) {
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

static bool has_same_nodes(const int* a, const int* b, int n) {
    int x[FB_SOLID_MAX_NODES], y[FB_SOLID_MAX_NODES];
    size_t size = (size_t)n * sizeof *a;
    memcpy(x, a, size);
    memcpy(y, b, size);
    qsort(x, (size_t)n, sizeof *x, compare);
    qsort(y, (size_t)n, sizeof *y, compare);
    return memcmp(x, y, size) == 0;
}

int fb_mesh_twins_find(const FbMeshTwins* t, const FbMesh* mesh, int entity, const int* nodes,
                       int n) {
    if (t->n_slots == 0) {
        return -1;
    }
    for (size_t i = calc_hash(entity, nodes, n) & (t->n_slots - 1); t->slots[i].element >= 0;
         i = (i + 1) & (t->n_slots - 1)) {
        const FbMeshElement* e = &mesh->elements[t->slots[i].element];
        if (t->slots[i].entity == entity && e->n_nodes == n &&
            has_same_nodes(mesh->nodes + e->first, nodes, n)) {
            return t->slots[i].element;
        }
    }
    return -1;
}

static void insert(FbMeshTwins* t, const FbMesh* mesh, FbMeshTwin twin) {
    const FbMeshElement* e = &mesh->elements[twin.element];
    size_t i = calc_hash(twin.entity, mesh->nodes + e->first, e->n_nodes) & (t->n_slots - 1);
    while (t->slots[i].element >= 0) {
        i = (i + 1) & (t->n_slots - 1);
    }
    t->slots[i] = twin;
    t->count++;
}

static bool grow(FbMeshTwins* t, const FbMesh* mesh) {
    FbMeshTwins larger = {.n_slots = t->n_slots > 0 ? 2 * t->n_slots : 1024};
    larger.slots = malloc(larger.n_slots * sizeof *larger.slots);
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; i < larger.n_slots; i++) {
        larger.slots[i].element = -1;
    }
    for (size_t i = 0; i < t->n_slots; i++) {
        if (t->slots[i].element >= 0) {
            insert(&larger, mesh, t->slots[i]);
        }
    }
    free(t->slots);
    *t = larger;
    return true;
}

bool fb_mesh_twins_add(FbMeshTwins* t, const FbMesh* mesh, int entity, int element) {
    if (2 * t->count >= t->n_slots && !grow(t, mesh)) {
        return false;
    }
    insert(t, mesh, (FbMeshTwin){element, entity});
    return true;
}
