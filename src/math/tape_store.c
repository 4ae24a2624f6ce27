// Sets of tapes with their users, and a small store of them.
#include "math/tape_store.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST = 4 };  // variants that come and go in turns

struct FbTapeStore {
    pthread_mutex_t lock;  // of all that follows
    int n_users;
    FbTapeSet* sets[MOST];
    int next;  // to be replaced
    int made, taken;
};

FbTapeSet* fb_tape_set_create(void) {
    FbTapeSet* set = calloc(1, sizeof *set);
    if (set && !(set->arena = fb_arena_create())) {
        free(set);
        return NULL;
    }
    if (set) {
        set->n_users = 1;
    }
    return set;
}

void fb_tape_set_release(FbTapeSet* set) {
    if (set && --set->n_users == 0) {
        fb_arena_destroy(set->arena);
        free(set->key.data);
        free(set);
    }
}

FbTapeStore* fb_tape_store_create(void) {
    FbTapeStore* store = calloc(1, sizeof *store);
    if (store && pthread_mutex_init(&store->lock, NULL) != 0) {
        free(store);
        return NULL;
    }
    if (store) {
        store->n_users = 1;
    }
    return store;
}

FbTapeStore* fb_tape_store_retain(FbTapeStore* store) {
    pthread_mutex_lock(&store->lock);
    store->n_users++;
    pthread_mutex_unlock(&store->lock);
    return store;
}

void fb_tape_store_release(FbTapeStore* store) {
    if (!store) {
        return;
    }
    pthread_mutex_lock(&store->lock);
    bool is_last = --store->n_users == 0;
    pthread_mutex_unlock(&store->lock);
    if (!is_last) {
        return;
    }
    for (int i = 0; i < MOST; i++) {
        fb_tape_set_release(store->sets[i]);
    }
    pthread_mutex_destroy(&store->lock);
    free(store);
}

FbTapeSet* fb_tape_store_find(FbTapeStore* store, const FbBytes* key) {
    FbTapeSet* found = NULL;
    pthread_mutex_lock(&store->lock);
    for (int i = 0; i < MOST && !found; i++) {
        FbTapeSet* set = store->sets[i];
        if (set && fb_bytes_are_equal(&set->key, key)) {
            found = set;
            found->n_users++;
            store->taken++;
        }
    }
    pthread_mutex_unlock(&store->lock);
    return found;
}

void fb_tape_store_add(FbTapeStore* store, FbTapeSet* set) {
    set->n_users++;
    pthread_mutex_lock(&store->lock);
    FbTapeSet* old = store->sets[store->next];
    store->sets[store->next] = set;
    store->next = (store->next + 1) % MOST;
    store->made++;
    pthread_mutex_unlock(&store->lock);
    fb_tape_set_release(old);
}

void fb_tape_store_get_counts(FbTapeStore* store, int* made, int* taken) {
    pthread_mutex_lock(&store->lock);
    *made = store->made;
    *taken = store->taken;
    pthread_mutex_unlock(&store->lock);
}
