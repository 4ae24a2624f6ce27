// The order in which the unknowns of a tree are eliminated: each at its own link, or at an ancestor
// of it where it is coupled with another branch.
#include <stdlib.h>
#include <string.h>

#include "tree/fronts_parts.h"

typedef struct Planner {
    FbTreePlan* plan;
    const FbTree* tree;
    int* depth;     // [n_link]
    int* at;        // [n] the link at which an unknown is eliminated, -1: the ground
    int* mark;      // [n] the last front that has it
    int* place;     // [n] where, in the front that is being filled
    int** lists;    // [n_link + 1] unknowns that children pass on
    int* n_list;    // [n_link + 1]
    int* capacity;  // [n_link + 1]
    bool has_failed;
} Planner;

// The deepest link that carries both; -1: the ground.
static int common_ancestor(const Planner* p, int a, int b) {
    while (a != b) {
        if (a < 0 || b < 0) {
            return -1;
        }
        int* deeper = p->depth[a] >= p->depth[b] ? &a : &b;
        *deeper = p->tree->links[*deeper].parent;
    }
    return a;
}

// Coupled unknowns are eliminated along one way to the ground: where they are on two branches, one
// of them waits until these meet.
static void find_places(Planner* p) {
    const FbPattern* a = p->plan->pattern;
    for (int i = 0; i < p->plan->n; i++) {
        p->at[i] = i < p->tree->n_v ? p->tree->link_of_v[i] : -1;
    }
    for (int j = p->tree->n_v + p->plan->n_states; j < a->n_col; j++) {
        int meet = -2;  // nothing yet
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            int at = a->row[k] < p->tree->n_v ? p->tree->link_of_v[a->row[k]] : meet;
            meet = meet == -2 ? at : common_ancestor(p, meet, at);
        }
        p->at[j] = meet == -2 ? -1 : meet;
    }
    for (int j = 0; j < a->n_col; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            int i = a->row[k], meet = common_ancestor(p, p->at[i], p->at[j]);
            if (meet != p->at[i] && meet != p->at[j]) {
                p->at[i > j ? i : j] = meet;
            }
        }
    }
}

static int front_of(const Planner* p, int link) {
    return link >= 0 ? link : p->tree->n_link;
}

static void push(Planner* p, int front, int unknown) {
    if (!fb_grow((void**)&p->lists[front], &p->capacity[front], p->n_list[front], sizeof(int))) {
        p->has_failed = true;
        return;
    }
    p->lists[front][p->n_list[front]++] = unknown;
}

static void add_unknown(Planner* p, int front, int unknown) {
    if (p->mark[unknown] != front) {
        p->mark[unknown] = front;
        push(p, front, unknown);
    }
}

// The deeper of the two places where the unknowns of an entry are eliminated.
static int place_of_entry(const Planner* p, int i, int j) {
    int a = p->at[i], b = p->at[j];
    return a < 0 ? b : b < 0 ? a : p->depth[a] >= p->depth[b] ? a : b;
}

// Unknowns by the front that eliminates them, as lists of one array.
static bool sort_by_front(const Planner* p, int** start, int** unknowns) {
    int n_front = p->tree->n_link + 1, n = p->plan->n;
    int* first = calloc((size_t)n_front + 2, sizeof(int));
    int* sorted = calloc((size_t)n + 1, sizeof(int));
    *start = first;
    *unknowns = sorted;
    if (!first || !sorted) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        first[front_of(p, p->at[i]) + 2]++;
    }
    for (int f = 0; f < n_front; f++) {
        first[f + 2] += first[f + 1];
    }
    for (int i = 0; i < n; i++) {
        sorted[first[front_of(p, p->at[i]) + 1]++] = i;
    }
    return true;
}

// Pivots first, the link's own before others, then what is passed on.
static void order_unknowns(Planner* p, FbLinkFront* f, int front) {
    FbArena* arena = p->plan->arena;
    int n = p->n_list[front];
    f->n = n;
    f->unknowns = FB_TAKE(arena, int, n + 1);
    f->to = FB_TAKE(arena, int, n + 1);
    if (!f->unknowns || !f->to) {
        p->has_failed = true;
        return;
    }
    int at = 0;
    for (int pass = 0; pass < 3; pass++) {
        for (int k = 0; k < n; k++) {
            int u = p->lists[front][k];
            bool is_pivot = p->at[u] == f->link;
            bool is_own = u < p->tree->n_v && p->tree->link_of_v[u] == f->link;
            int turn = !is_pivot ? 2 : is_own ? 0 : 1;
            if (turn == pass) {
                f->unknowns[at++] = u;
            }
        }
        f->n_pivot = pass < 2 ? at : f->n_pivot;
    }
    for (int k = 0; k < n; k++) {
        p->place[f->unknowns[k]] = k;
    }
}

static void find_own(const Planner* p, FbLinkFront* f) {
    const FbLink* link = f->link >= 0 ? &p->tree->links[f->link] : NULL;
    f->n_own = link ? link->n_v : 0;
    for (int k = 0; k < f->n_own; k++) {
        f->own[k] = p->place[link->v0 + k];
    }
}

// Entries of P between an unknown that is eliminated here and one that is eliminated here or later.
static void find_entries(Planner* p, FbLinkFront* f, const FbPattern* rows, const int* value_of) {
    const FbPattern* a = p->plan->pattern;
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            f->entries = FB_TAKE(p->plan->arena, FbLinkFrontEntry, count + 1);
            if (!f->entries) {
                p->has_failed = true;
                return;
            }
        }
        count = 0;
        for (int e = 0; e < f->n_pivot; e++) {
            int u = f->unknowns[e];
            for (int k = a->start[u]; k < a->start[u + 1]; k++) {
                int i = a->row[k];
                if (place_of_entry(p, i, u) == f->link) {
                    if (pass == 1) {
                        f->entries[count] = (FbLinkFrontEntry){k, p->place[i], e};
                    }
                    count++;
                }
            }
            for (int k = rows->start[u]; k < rows->start[u + 1]; k++) {
                int j = rows->row[k];
                if (p->at[j] != f->link && place_of_entry(p, u, j) == f->link) {
                    if (pass == 1) {
                        f->entries[count] = (FbLinkFrontEntry){value_of[k], e, p->place[j]};
                    }
                    count++;
                }
            }
        }
    }
    f->n_entries = count;
}

// The pattern by rows; value_of: where each entry is in the pattern by columns.
static bool transpose(const FbPattern* a, FbPattern* t, int** value_of) {
    int n = a->n_col, count = fb_pattern_count(a);
    *t = (FbPattern){n, n, calloc((size_t)n + 2, sizeof(int)),
                     calloc((size_t)count + 1, sizeof(int))};
    *value_of = calloc((size_t)count + 1, sizeof(int));
    if (!t->start || !t->row || !*value_of) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        t->start[a->row[k] + 1]++;
    }
    for (int i = 0; i < n; i++) {
        t->start[i + 1] += t->start[i];
    }
    int* next = calloc((size_t)n + 1, sizeof(int));
    if (!next) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            int at = t->start[a->row[k]] + next[a->row[k]]++;
            t->row[at] = j;
            (*value_of)[at] = k;
        }
    }
    free(next);
    return true;
}

// All unknowns of one front, and those that it passes on into the list of its parent.
static void fill_front(Planner* p, int front, const int* start, const int* unknowns,
                       const FbPattern* rows, const int* value_of) {
    FbTreePlan* plan = p->plan;
    FbLinkFront* f = &plan->fronts[front];
    const FbPattern* a = plan->pattern;
    f->link = front < p->tree->n_link ? front : -1;
    const FbLink* link = f->link >= 0 ? &p->tree->links[front] : NULL;
    int n_passed = p->n_list[front];
    for (int k = 0; k < n_passed; k++) {
        p->mark[p->lists[front][k]] = front;
    }
    for (int k = 0; link && k < link->n_v; k++) {
        add_unknown(p, front, link->v0 + k);
    }
    for (int e = start[front]; e < start[front + 1]; e++) {
        int u = unknowns[e];
        add_unknown(p, front, u);
        for (int k = a->start[u]; k < a->start[u + 1]; k++) {
            if (place_of_entry(p, a->row[k], u) == f->link) {
                add_unknown(p, front, a->row[k]);
            }
        }
        for (int k = rows->start[u]; k < rows->start[u + 1]; k++) {
            if (place_of_entry(p, u, rows->row[k]) == f->link) {
                add_unknown(p, front, rows->row[k]);
            }
        }
    }
    order_unknowns(p, f, front);
    if (p->has_failed) {
        return;
    }
    f->has_passed = n_passed > 0;
    find_own(p, f);
    find_entries(p, f, rows, value_of);
    int parent = link ? front_of(p, link->parent) : -1;
    for (int k = f->n_pivot; k < f->n; k++) {
        add_unknown(p, parent, f->unknowns[k]);
    }
}

// Several children pass the same unknown on: a mark of the parent is overwritten by other fronts,
// so that lists are cleaned before they are used.
static void remove_repeated(Planner* p, int front) {
    int n = 0;
    for (int k = 0; k < p->n_list[front]; k++) {
        int u = p->lists[front][k];
        if (p->mark[u] != -2 - front) {
            p->mark[u] = -2 - front;
            p->lists[front][n++] = u;
        }
    }
    p->n_list[front] = n;
}

// Memory of a front, in use or free for another one.
typedef struct Slot {
    int start, size;
} Slot;

// A free slot that is large enough, or new memory.
static Slot take_slot(FbTreePlan* plan, Slot* idle, int* n_idle, const FbLinkFront* f) {
    int size = (FB_FORCE_SIZE + f->n) * (FB_MOTION_SIZE + f->n);
    for (int k = *n_idle - 1; k >= 0; k--) {
        if (idle[k].size >= size) {
            Slot found = idle[k];
            idle[k] = idle[--*n_idle];
            return found;
        }
    }
    Slot fresh = {plan->n_matrix, size};
    plan->n_matrix += size;
    return fresh;
}

// Few fronts are open at a time: memory of those that have passed on is used again, so that it
// stays near the processor.
static void place_fronts(Planner* p, FbArena* scratch) {
    FbTreePlan* plan = p->plan;
    int n = p->tree->n_link, n_idle = 0;
    Slot* slots = FB_TAKE(scratch, Slot, n + 1);
    Slot* idle = FB_TAKE(scratch, Slot, n + 1);
    bool* is_open = FB_TAKE(scratch, bool, n + 1);
    p->has_failed = !slots || !idle || !is_open;
    for (int i = n - 1; i >= 0 && !p->has_failed; i--) {
        FbLinkFront* f = &plan->fronts[i];
        int parent = p->tree->links[i].parent;
        f->is_leaf = !is_open[i];
        if (f->is_leaf) {
            slots[i] = take_slot(plan, idle, &n_idle, f);
        }
        f->opens_parent = parent >= 0 && !is_open[parent];
        if (f->opens_parent) {
            is_open[parent] = true;
            slots[parent] = take_slot(plan, idle, &n_idle, &plan->fronts[parent]);
        }
        f->matrix = slots[i].start;
        idle[n_idle++] = slots[i];
    }
}

// Where the parent has what is passed on, and the sizes of all memory.
static void find_targets(Planner* p) {
    FbTreePlan* plan = p->plan;
    for (int i = p->tree->n_link; i >= 0; i--) {  // each front, then its children
        FbLinkFront* f = &plan->fronts[i];
        f->factors = plan->n_factors;
        for (int k = 0; i < p->tree->n_link && k < f->n_pivot; k++) {
            plan->n_factors += fb_link_front_factor_size(f, k);
            plan->work += (double)(FB_FORCE_SIZE + f->n - k) * (double)(FB_MOTION_SIZE + f->n - k);
        }
        plan->work += 4.0 * FB_FORCE_SIZE * FB_MOTION_SIZE;
    }
    for (int i = 0; i < p->tree->n_link; i++) {
        FbLinkFront* f = &plan->fronts[i];
        const FbLinkFront* up = &plan->fronts[front_of(p, p->tree->links[i].parent)];
        for (int k = 0; k < up->n; k++) {
            p->place[up->unknowns[k]] = k;
        }
        for (int k = f->n_pivot; k < f->n; k++) {
            f->to[k - f->n_pivot] = p->place[f->unknowns[k]];
        }
    }
}

static void fill_plan(Planner* p) {
    FbPattern rows = {0};
    int *value_of = NULL, *start = NULL, *unknowns = NULL;
    find_places(p);
    bool is_good =
        transpose(p->plan->pattern, &rows, &value_of) && sort_by_front(p, &start, &unknowns);
    p->has_failed = !is_good;
    for (int i = p->tree->n_link - 1; i >= -1 && !p->has_failed; i--) {
        int front = front_of(p, i);
        remove_repeated(p, front);
        fill_front(p, front, start, unknowns, &rows, value_of);
    }
    if (!p->has_failed) {
        find_targets(p);
    }
    free(rows.start);
    free(rows.row);
    free(value_of);
    free(start);
    free(unknowns);
}

static void take_planner(Planner* p, FbArena* arena) {
    int n_link = p->tree->n_link, n = p->plan->n;
    p->depth = FB_TAKE(arena, int, n_link + 1);
    p->at = FB_TAKE(arena, int, n + 1);
    p->mark = FB_TAKE(arena, int, n + 1);
    p->place = FB_TAKE(arena, int, n + 1);
    p->lists = FB_TAKE(arena, int*, n_link + 2);
    p->n_list = FB_TAKE(arena, int, n_link + 2);
    p->capacity = FB_TAKE(arena, int, n_link + 2);
    p->plan->fronts = FB_TAKE(p->plan->arena, FbLinkFront, n_link + 2);
    p->plan->ball_of = FB_TAKE(p->plan->arena, int, n_link + 1);
}

static FbStatus make_plan(FbTreePlan* plan, FbError* err) {
    const FbTree* tree = plan->tree;
    FbArena* scratch = fb_arena_create();
    Planner p = {.plan = plan, .tree = tree};
    if (!scratch) {
        return fb_fail_memory(err);
    }
    take_planner(&p, scratch);
    bool is_good = !fb_arena_has_failed(scratch) && !fb_arena_has_failed(plan->arena);
    for (int i = 0; is_good && i < tree->n_link; i++) {
        int parent = tree->links[i].parent;
        p.depth[i] = parent >= 0 ? p.depth[parent] + 1 : 0;
        plan->ball_of[i] = -1;
    }
    for (int b = 0; is_good && b < tree->n_ball; b++) {
        plan->ball_of[tree->ball_link[b]] = b;
    }
    for (int i = 0; is_good && i < plan->n; i++) {
        p.mark[i] = -1;
    }
    if (is_good) {
        fill_plan(&p);
    }
    if (is_good && !p.has_failed) {
        place_fronts(&p, scratch);
        is_good = !p.has_failed && !fb_arena_has_failed(plan->arena);
    }
    for (int i = 0; p.lists && i <= tree->n_link; i++) {
        free(p.lists[i]);
    }
    fb_arena_destroy(scratch);
    int rest = is_good ? plan->fronts[tree->n_link].n : 0;
    plan->work += (double)rest * rest * rest / 3.0;
    return is_good ? fb_pattern_full(rest, rest, plan->arena, &plan->ground, err)
                   : fb_fail_memory(err);
}

FbStatus fb_tree_plan_create(const FbTree* tree, const FbPattern* pattern, int n_states,
                             FbTreePlan** out, FbError* err) {
    *out = NULL;
    FbArena* arena = fb_arena_create();
    FbTreePlan* plan = arena ? FB_TAKE(arena, FbTreePlan, 1) : NULL;
    if (!plan) {
        fb_arena_destroy(arena);
        return fb_fail_memory(err);
    }
    *plan = (FbTreePlan){.arena = arena,
                         .tree = tree,
                         .pattern = pattern,
                         .n_states = n_states,
                         .n = pattern->n_col};
    FbStatus status = make_plan(plan, err);
    if (status != FB_OK) {
        fb_tree_plan_destroy(plan);
        return status;
    }
    *out = plan;
    return FB_OK;
}

void fb_tree_plan_destroy(FbTreePlan* plan) {
    if (plan) {
        fb_arena_destroy(plan->arena);
    }
}

double fb_tree_plan_count_work(const FbTreePlan* plan) {
    return plan->work;
}
