// Structures that are kept from one description to the next: keys, copies, a small store.
#include "read/kept.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"

// More variants than a sweep has at a time would fill the memory.
enum { MOST = 16 };

// One structure in a description of its own.
typedef struct Item {
    FbBytes key;
    FbModelDef* def;
    long last_use;
} Item;

struct FbKept {
    FbTapeStore* tapes;
    pthread_mutex_t lock;  // of all that follows
    Item items[MOST];
    int n_items;
    long n_uses;
    int made, taken;
};

FbKept* fb_kept_create(void) {
    FbKept* kept = calloc(1, sizeof *kept);
    if (kept &&
        !((kept->tapes = fb_tape_store_create()) && pthread_mutex_init(&kept->lock, NULL) == 0)) {
        fb_tape_store_release(kept->tapes);
        free(kept);
        return NULL;
    }
    return kept;
}

void fb_kept_destroy(FbKept* kept) {
    if (!kept) {
        return;
    }
    for (int i = 0; i < kept->n_items; i++) {
        free(kept->items[i].key.data);
        fb_model_def_destroy(kept->items[i].def);
    }
    fb_tape_store_release(kept->tapes);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}

FbTapeStore* fb_kept_get_tapes(const FbKept* kept) {
    return kept->tapes;
}

void fb_kept_get_counts(FbKept* kept, int* made, int* taken) {
    pthread_mutex_lock(&kept->lock);
    *made = kept->made;
    *taken = kept->taken;
    pthread_mutex_unlock(&kept->lock);
}

// Field by field: the bytes between fields are not defined.
static void add_number(FbBytes* b, const FbNumber* x) {
    unsigned char known[2] = {x->quantity.is_known, x->quantity.is_written};
    fb_bytes_add(b, &x->value, sizeof x->value);
    fb_bytes_add(b, x->quantity.power, sizeof x->quantity.power);
    fb_bytes_add(b, known, sizeof known);
}

static void add_place(FbBytes* b, const FbEnv* env) {
    double p[3];
    fb_vec3_to(env->p, p);
    fb_bytes_add_text(b, env->scope);
    fb_bytes_add(b, env->R.m, sizeof env->R.m);
    fb_bytes_add(b, p, sizeof p);
    for (const FbLocal* l = env->locals; l; l = l->next) {
        fb_bytes_add_text(b, l->name);
        add_number(b, &l->number);
    }
    fb_bytes_add_text(b, "");
}

static void add_parameters(FbBytes* b, const FbReader* r, bool reads_all) {
    for (int i = 0; i < r->def->n_parameters; i++) {
        const FbParameter* p = &r->def->parameters[i];
        if (reads_all || r->own_reads[i] || r->shared_reads[i]) {
            FbNumber number = {p->value, p->quantity};
            fb_bytes_add(b, &i, sizeof i);
            add_number(b, &number);
        }
    }
}

// A file that was written meanwhile is another file.
static void add_file(FbBytes* b, const char* path) {
    struct stat s;
    fb_bytes_add_text(b, path);
    if (path && stat(path, &s) == 0) {
        int64_t state[] = {(int64_t)s.st_dev,          (int64_t)s.st_ino,
                           (int64_t)s.st_size,         (int64_t)s.st_mtim.tv_sec,
                           (int64_t)s.st_mtim.tv_nsec, (int64_t)s.st_ctim.tv_sec,
                           (int64_t)s.st_ctim.tv_nsec};
        fb_bytes_add(b, state, sizeof state);
    }
}

static FbBytes make_key(const FbReader* r, const FbMaking* m) {
    FbBytes b = {0};
    int keeps = (int)r->def->keeps;
    fb_bytes_add(&b, &m->entry, sizeof m->entry);
    fb_bytes_add(&b, &keeps, sizeof keeps);
    fb_bytes_add_text(&b, m->name);
    add_place(&b, &r->env);
    for (int i = 0; i < m->n_files; i++) {
        add_file(&b, m->files[i]);
    }
    add_parameters(&b, r, m->reads_all);
    return b;
}

// What a structure consists of, in a description: from these numbers on.
typedef struct Begin {
    int bodies, joints, sensors, superelements, rows;
} Begin;

static Begin begin_of(const FbModelDef* def) {
    return (Begin){def->n_bodies, def->n_joints, def->n_sensors, def->n_superelements, def->n_rows};
}

// Rows name bodies of their structure by number.
static FbStatus copy_row(const FbNodeRow* row, int shift, FbModelDef* to, FbError* err) {
    int* bodies = FB_TAKE(to->arena, int, row->n + 1);
    if (!bodies) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < row->n; i++) {
        bodies[i] = row->bodies[i] + shift;
    }
    return fb_def_append_row(to, row->name, bodies, row->n, err);
}

// The parts of `from` from `first` on, by the functions that add parts: names are checked again.
static FbStatus copy_parts(const FbModelDef* from, Begin first, FbModelDef* to, FbError* err) {
    int shift = to->n_bodies - first.bodies;
    for (int i = first.bodies; i < from->n_bodies; i++) {
        FB_TRY(fb_model_def_add_body(to, &from->bodies[i], err));
    }
    for (int i = first.joints; i < from->n_joints; i++) {
        FB_TRY(fb_model_def_add_joint(to, &from->joints[i], err));
    }
    for (int i = first.sensors; i < from->n_sensors; i++) {
        FB_TRY(fb_model_def_add_sensor(to, from->sensors[i], err));
    }
    for (int i = first.superelements; i < from->n_superelements; i++) {
        FB_TRY(fb_model_def_add_superelement(to, &from->superelements[i], err));
    }
    for (int i = first.rows; i < from->n_rows; i++) {
        FB_TRY(copy_row(&from->rows[i], shift, to, err));
    }
    return FB_OK;
}

static Item* find(FbKept* kept, const FbBytes* key) {
    for (int i = 0; i < kept->n_items; i++) {
        if (fb_bytes_are_equal(&kept->items[i].key, key)) {
            return &kept->items[i];
        }
    }
    return NULL;
}

// Copies what is kept; false: nothing is.
static bool take(FbKept* kept, const FbBytes* key, FbModelDef* def, FbStatus* status,
                 FbError* err) {
    pthread_mutex_lock(&kept->lock);
    Item* item = find(kept, key);
    if (item) {
        item->last_use = ++kept->n_uses;
        kept->taken++;
        *status = copy_parts(item->def, (Begin){0}, def, err);
    }
    pthread_mutex_unlock(&kept->lock);
    return item != NULL;
}

// The place of a new item: a free one, or that of the item that was not used for longest.
static Item* find_place(FbKept* kept) {
    if (kept->n_items < MOST) {
        return &kept->items[kept->n_items++];
    }
    Item* oldest = &kept->items[0];
    for (int i = 1; i < MOST; i++) {
        oldest = kept->items[i].last_use < oldest->last_use ? &kept->items[i] : oldest;
    }
    free(oldest->key.data);
    fb_model_def_destroy(oldest->def);
    return oldest;
}

// Keeps what was added to `from`; takes the key over. Where memory is short nothing is kept.
static void keep(FbKept* kept, FbBytes* key, const FbModelDef* from, Begin first) {
    FbModelDef* def = NULL;
    FbError err;
    if (fb_def_create("kept", &from->types, &def, &err) == FB_OK) {
        def->file = fb_arena_text(def->arena, from->file);
        if (copy_parts(from, first, def, &err) < 0 || fb_arena_has_failed(def->arena)) {
            fb_model_def_destroy(def);
            def = NULL;
        }
    }
    pthread_mutex_lock(&kept->lock);
    kept->made++;
    if (def && !find(kept, key)) {
        *find_place(kept) = (Item){*key, def, ++kept->n_uses};
        *key = (FbBytes){0};
        def = NULL;
    }
    pthread_mutex_unlock(&kept->lock);
    fb_model_def_destroy(def);
}

FbStatus fb_kept_make(FbReader* r, const FbMaking* m, FbError* err) {
    if (!r->kept || !r->own_reads || !r->shared_reads) {
        return m->make(r->def, m->self, err);
    }
    FbBytes key = make_key(r, m);
    Begin first = begin_of(r->def);
    FbStatus status = FB_OK;
    if (key.has_failed || !take(r->kept, &key, r->def, &status, err)) {
        status = m->make(r->def, m->self, err);
        if (status == FB_OK && !key.has_failed) {
            keep(r->kept, &key, r->def, first);
        }
    }
    free(key.data);
    return status;
}
