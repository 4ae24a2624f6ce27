// How many parts templates and repeats would make, counted before they do.
#include <math.h>
#include <string.h>

#include "read/reader.h"

// Parts of a model: bodies, joints, forces, ... of all instances and repeats. Some hundred bytes
// each; far beyond what can be simulated.
enum { MAX_PARTS = 1000000 };

static double count_parts(FbReader* r, const FbNode* sections);

static double count_template(FbReader* r, const FbNode* instance) {
    const FbNode* name = fb_node_get(instance, "template");
    if (!name || name->kind != FB_NODE_SCALAR || !r->templates) {
        return 0.0;
    }
    for (int i = 0; i < r->templates->count; i++) {
        const FbEntry* e = &r->templates->entries[i];
        if (strcmp(e->key, name->text) != 0) {
            continue;
        }
        if (r->template_size[i] < 0.0) {
            r->template_size[i] = 0.0;  // while it is counted; one in itself is reported elsewhere
            r->template_size[i] = count_parts(r, e->value);
        }
        return r->template_size[i];
    }
    return 0.0;
}

static double count_section(FbReader* r, const FbEntry* section) {
    const FbNode* map = section->value;
    bool is_section = strcmp(section->key, "parameters") != 0 &&
                      strcmp(section->key, "templates") != 0 &&
                      strcmp(section->key, "simulation") != 0;
    if (map->kind != FB_NODE_MAP || !is_section) {
        return 0.0;
    }
    double n = map->count;
    for (int i = 0; strcmp(section->key, "instances") == 0 && i < map->count; i++) {
        n += count_template(r, map->entries[i].value);
    }
    return n;
}

// A lower bound: repeats inside are counted once, and again when their ends are known.
static double count_parts(FbReader* r, const FbNode* sections) {
    double n = 0.0;
    for (int i = 0; sections->kind == FB_NODE_MAP && i < sections->count; i++) {
        n += count_section(r, &sections->entries[i]);
    }
    return n;
}

bool fb_check_room(FbReader* r, double n, const FbNode* sections, int line, int col) {
    if (r->has_run_away) {
        return false;
    }
    double more = n * count_parts(r, sections);
    double most = fb_def_limit(r->def, MAX_PARTS);
    if ((double)r->n_parts + more <= most) {
        return true;
    }
    r->has_run_away = true;
    fb_report(r, FB_ERR_RANGE, line, col,
              "with all templates and repeats expanded the model has %.3g parts or more; at most "
              "%.10g are allowed",
              (double)r->n_parts + more, most);
    return false;
}
