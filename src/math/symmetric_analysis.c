// Order, elimination tree and fronts of a sparse symmetric matrix.
//
// Amestoy, Davis, Duff: An approximate minimum degree ordering algorithm. SIAM Journal on Matrix
// Analysis and Applications 17 (1996) 886-905. Liu: The role of elimination trees in sparse
// factorization. SIAM Journal on Matrix Analysis and Applications 11 (1990) 134-172. Columns with
// the same structure are one front, and a front joins its parent's where that adds few zeros
// (Ashcraft, Grimes: The influence of relaxed supernode partitions on the multifrontal method. ACM
// Transactions on Mathematical Software 15 (1989) 291-309).
#include "math/symmetric_analysis.h"

#include <string.h>

#include "math/quotient.h"
#include "math/suitesparse_table.h"

// A joint front of at most `columns` columns may have this share of zeros.
static const struct {
    int columns;
    double zeros;
} RELAXED[] = {{4, 0.2}, {16, 0.1}, {48, 0.05}, {1 << 30, 0.02}};

typedef struct Analysis {
    FbSymbolic* out;
    const FbPattern* pattern;
    FbArena* arena;  // of the result
    FbArena* room;   // for now
    int n;
    int* place;   // [n] number of each row
    int* parent;  // [n] elimination tree
    int* count;   // [n] entries of each column of L
    int *mark, *work;
    double n_products;  // of the factorization in AMD's order
} Analysis;

// Fewer products are not worth a second order.
static const double MANY_PRODUCTS = 1e9;

static void number_places(const Analysis* a) {
    for (int i = 0; i < a->n; i++) {
        a->place[a->out->order[i]] = i;
    }
}

static FbStatus find_order(Analysis* a, FbError* err) {
    const FbPattern* p = a->pattern;
    double control[AMD_CONTROL], info[AMD_INFO];
    const FbAmdTable* amd;
    FB_TRY(fb_amd_get(&amd, err));
    amd->defaults(control);
    int status = a->n > 0 ? amd->order(a->n, p->start, p->row, a->out->order, control, info) : 0;
    if (status == AMD_OUT_OF_MEMORY) {
        return fb_fail_memory(err);
    }
    if (status < 0) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "the sparse matrix cannot be ordered (AMD status %d)", status);
    }
    number_places(a);
    // What AMD counts is of the pattern's own rows, whatever fronts become of it.
    a->n_products = a->n > 0 ? info[AMD_NMULTSUBS_LDL] : 0.0;
    return FB_OK;
}

// The lower triangle by columns in the order of elimination; the column of an entry is that of the
// two numbers that comes first.
static void sort_entries(Analysis* a) {
    FbSymbolic* s = a->out;
    const FbPattern* p = a->pattern;
    memset(s->a_start, 0, sizeof(int) * ((size_t)a->n + 1));
    for (int pass = 0; pass < 2; pass++) {
        for (int col = 0; col < a->n; col++) {
            for (int e = p->start[col]; e < p->start[col + 1]; e++) {
                int i = a->place[p->row[e]], j = a->place[col];
                int low = i < j ? i : j, high = i < j ? j : i;
                if (p->row[e] < col) {
                    continue;
                }
                if (pass == 0) {
                    s->a_start[low + 1]++;
                } else {
                    int at = a->work[low]++;
                    s->a_row[at] = high;
                    s->a_place[at] = e;
                }
            }
        }
        for (int j = 0; pass == 0 && j < a->n; j++) {
            s->a_start[j + 1] += s->a_start[j];
            a->work[j] = s->a_start[j];
        }
    }
}

// The same entries by rows: the columns before a row that have one in it.
static void transpose(const Analysis* a, int* start, int* col) {
    const FbSymbolic* s = a->out;
    memset(start, 0, sizeof(int) * ((size_t)a->n + 2));
    for (int e = 0; e < s->a_start[a->n]; e++) {
        start[s->a_row[e] + 2]++;
    }
    for (int i = 0; i < a->n; i++) {
        start[i + 2] += start[i + 1];
    }
    for (int j = 0; j < a->n; j++) {
        for (int e = s->a_start[j]; e < s->a_start[j + 1]; e++) {
            col[start[s->a_row[e] + 1]++] = j;
        }
    }
}

// The parent of a column is its first row below the diagonal of L; ancestors are followed by
// shortcuts.
static void find_tree(Analysis* a, const int* start, const int* col) {
    int* ancestor = a->work;
    for (int i = 0; i < a->n; i++) {
        a->parent[i] = ancestor[i] = -1;
        for (int e = start[i]; e < start[i + 1]; e++) {
            for (int j = col[e]; j >= 0 && j < i;) {
                int next = ancestor[j];
                ancestor[j] = i;
                if (next < 0) {
                    a->parent[j] = i;
                }
                j = next;
            }
        }
    }
}

// Row i of L has the columns on the paths from the entries of row i of A towards i.
static void count_columns(Analysis* a, const int* start, const int* col) {
    for (int i = 0; i < a->n; i++) {
        a->count[i] = 1;
        a->mark[i] = i;
        for (int e = start[i]; e < start[i + 1]; e++) {
            for (int j = col[e]; a->mark[j] != i; j = a->parent[j]) {
                a->mark[j] = i;
                a->count[j]++;
            }
        }
    }
}

// Children before parents, each subtree without gaps; renumbers the order.
static void sort_tree(Analysis* a, int* child, int* sibling, int* stack) {
    int n = a->n, n_done = 0, *order = a->out->order, *sorted = a->work;
    memset(child, -1, sizeof(int) * (size_t)n);
    for (int j = n - 1; j >= 0; j--) {
        if (a->parent[j] >= 0) {
            sibling[j] = child[a->parent[j]];
            child[a->parent[j]] = j;
        }
    }
    for (int root = 0; root < n; root++) {
        int depth = 0;
        if (a->parent[root] < 0) {
            stack[depth++] = root;
        }
        while (depth > 0) {
            int j = stack[depth - 1];
            if (child[j] < 0) {
                sorted[n_done++] = order[j];
                depth--;
            } else {
                stack[depth++] = child[j];
                child[j] = sibling[child[j]];
            }
        }
    }
    memcpy(order, sorted, sizeof(int) * (size_t)n);
    for (int i = 0; i < n; i++) {
        a->place[order[i]] = i;
    }
}

// Fronts of columns with the same structure.
static void find_fronts(Analysis* a, int* front_of) {
    FbSymbolic* s = a->out;
    s->n_front = 0;
    for (int j = 0; j < a->n; j++) {
        bool continues = j > 0 && a->parent[j - 1] == j && a->count[j - 1] == a->count[j] + 1;
        if (!continues) {
            s->first[s->n_front++] = j;
        }
        front_of[j] = s->n_front - 1;
    }
    s->first[s->n_front] = a->n;
}

static bool is_joinable(int columns, double zeros, double size) {
    for (int i = 0;; i++) {
        if (columns <= RELAXED[i].columns) {
            return zeros <= RELAXED[i].zeros * size;
        }
    }
}

// Joins a front with the next one where that is its parent and few zeros come in. From the last to
// the first, so that what follows is already joined. zeros [n_front] is scratch.
static void join_fronts(Analysis* a, double* zeros) {
    FbSymbolic* s = a->out;
    int n = s->n_front, kept = 0, *next = a->work;  // next: the front that follows, as joined
    for (int f = 0; f < n; f++) {
        zeros[f] = 0.0;
        next[f] = f + 1;
    }
    for (int f = n - 2; f >= 0; f--) {
        int p = f + 1, end = s->first[next[p]], last = s->first[p] - 1;
        int own = s->first[p] - s->first[f], others = end - s->first[p];
        if (a->parent[last] < s->first[p] || a->parent[last] >= end) {
            continue;
        }
        int rows = a->count[s->first[p]];  // of the joint front, without the new columns
        int height = a->count[s->first[f]];
        double more = (double)own * (double)(rows + own - height);
        double all = zeros[f] + zeros[p] + more, columns = own + others;
        double size = columns * (columns + 1.0) / 2.0 + columns * (double)(rows - others);
        if (is_joinable(own + others, all, size)) {
            zeros[f] = all;
            next[f] = next[p];
            a->count[s->first[f]] = rows + own;
        }
    }
    for (int f = 0; f < n; f = next[f]) {
        s->first[kept++] = s->first[f];
    }
    s->n_front = kept;
    s->first[kept] = a->n;
}

static void find_parents(Analysis* a, int* front_of) {
    FbSymbolic* s = a->out;
    for (int f = 0; f < s->n_front; f++) {
        for (int j = s->first[f]; j < s->first[f + 1]; j++) {
            front_of[j] = f;
        }
    }
    for (int f = 0; f < s->n_front; f++) {
        int up = a->parent[s->first[f + 1] - 1];
        s->parent[f] = up >= 0 ? front_of[up] : -1;
    }
}

static void add_row(Analysis* a, int f, int row, int* at) {
    if (row >= a->out->first[f + 1] && a->mark[row] != f) {
        a->mark[row] = f;
        a->out->row[(*at)++] = row;
    }
}

// What front f leaves for its parent, a lower triangle.
static size_t triangle(const FbSymbolic* s, int f) {
    size_t rows = (size_t)(s->row_start[f + 1] - s->row_start[f]);
    return rows * (rows + 1) / 2;
}

// The rows of a front: those of its entries and of its children, behind its own columns.
static void list_rows(Analysis* a, int* child, int* sibling) {
    FbSymbolic* s = a->out;
    int at = 0;
    size_t stack = 0;
    memset(a->mark, -1, sizeof(int) * (size_t)a->n);
    memset(child, -1, sizeof(int) * (size_t)a->n);
    for (int f = 0; f < s->n_front; f++) {
        s->row_start[f] = at;
        for (int e = s->a_start[s->first[f]]; e < s->a_start[s->first[f + 1]]; e++) {
            add_row(a, f, s->a_row[e], &at);
        }
        for (int c = child[f]; c >= 0; c = sibling[c]) {
            for (int i = s->row_start[c]; i < s->row_start[c + 1]; i++) {
                add_row(a, f, s->row[i], &at);
            }
            stack -= triangle(s, c);
        }
        s->row_start[f + 1] = at;
        stack += triangle(s, f);
        s->n_stack = stack > s->n_stack ? stack : s->n_stack;
        int up = s->parent[f], columns = s->first[f + 1] - s->first[f];
        int rows = columns + at - s->row_start[f];
        s->n_entries += (size_t)columns * (size_t)rows;
        s->largest = rows > s->largest ? rows : s->largest;
        if (up >= 0) {
            sibling[f] = child[up];
            child[up] = f;
        } else {
            stack -= triangle(s, f);
        }
    }
}

// An upper bound of the rows of all fronts: the heights that joining left.
static size_t count_rows(const Analysis* a) {
    const FbSymbolic* s = a->out;
    size_t sum = 0;
    for (int f = 0; f < s->n_front; f++) {
        sum += (size_t)(a->count[s->first[f]] - (s->first[f + 1] - s->first[f]));
    }
    return sum;
}

// Takes what both analyses work with.
static bool take_work(Analysis* a, size_t entries, int** start, int** col) {
    size_t n = (size_t)a->n;
    FbSymbolic* s = a->out;
    int** all[] = {&a->place, &a->parent, &a->count, &a->mark, &a->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = FB_TAKE(a->room, int, n + 2);
    }
    *start = FB_TAKE(a->room, int, n + 2);
    *col = FB_TAKE(a->room, int, entries + 1);
    s->order = FB_TAKE(a->arena, int, n + 1);
    s->a_start = FB_TAKE(a->arena, int, n + 2);
    s->a_row = FB_TAKE(a->arena, int, entries + 1);
    s->a_place = FB_TAKE(a->arena, int, entries + 1);
    return !fb_arena_has_failed(a->arena) && !fb_arena_has_failed(a->room);
}

// Products of a factorization whose rows are groups of `size` rows each.
static double sum_products(const Analysis* a, double size) {
    double sum = 0.0;
    for (int j = 0; j < a->n; j++) {
        double rows = size * a->count[j];
        sum += 0.5 * size * rows * rows;
    }
    return sum;
}

// Rows of groups in the order of the groups.
static void expand_order(Analysis* a, const FbQuotient* q, const int* order) {
    int at = 0;
    for (int i = 0; i < q->graph.n_col; i++) {
        for (int j = q->first[order[i]]; j < q->first[order[i] + 1]; j++) {
            a->out->order[at++] = j;
        }
    }
    number_places(a);
}

// Nested dissection instead, where that is known to be less work.
static FbStatus try_dissection(Analysis* a, FbError* err) {
    FbQuotient q;
    FbSymbolic symbolic = {0};
    FbArena* room = fb_arena_create();
    Analysis small = {.out = &symbolic, .pattern = &q.graph, .arena = room, .room = room};
    int *start, *col;
    FbStatus status = room ? fb_quotient_init(&q, a->pattern, room, err) : fb_fail_memory(err);
    if (status == FB_OK) {
        small.n = symbolic.n = q.graph.n_col;
        status = take_work(&small, (size_t)fb_pattern_count(&q.graph), &start, &col)
                     ? FB_OK
                     : fb_fail_memory(err);
    }
    if (status == FB_OK && fb_dissect(&q, symbolic.order, small.place)) {
        sort_entries(&small);
        transpose(&small, start, col);
        find_tree(&small, start, col);
        count_columns(&small, start, col);
        if (sum_products(&small, (double)a->n / q.graph.n_col) < a->n_products) {
            expand_order(a, &q, symbolic.order);
        }
    }
    fb_arena_destroy(room);
    return status;
}

static size_t count_lower(const FbPattern* p) {
    size_t count = 0;
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            count += p->row[e] >= col;
        }
    }
    return count;
}

static bool has_both_triangles(const FbPattern* p) {
    size_t above = 0, below = 0;
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            above += p->row[e] < col;
            below += p->row[e] > col;
        }
    }
    return above == below;
}

static FbStatus analyse(Analysis* a, FbError* err) {
    FbSymbolic* s = a->out;
    size_t n = (size_t)a->n, entries = count_lower(a->pattern);
    int *start, *col;
    bool is_there = take_work(a, entries, &start, &col);
    s->first = FB_TAKE(a->arena, int, n + 2);
    s->parent = FB_TAKE(a->arena, int, n + 1);
    s->row_start = FB_TAKE(a->arena, int, n + 2);
    int* child = FB_TAKE(a->room, int, n + 2);
    int* sibling = FB_TAKE(a->room, int, n + 2);
    double* zeros = FB_TAKE(a->room, double, n + 1);
    if (!is_there || fb_arena_has_failed(a->arena) || fb_arena_has_failed(a->room)) {
        return fb_fail_memory(err);
    }
    FB_TRY(find_order(a, err));
    if (a->n_products > MANY_PRODUCTS && has_both_triangles(a->pattern)) {
        FB_TRY(try_dissection(a, err));
    }
    for (int pass = 0; pass < 2; pass++) {  // the second with the sorted tree
        sort_entries(a);
        transpose(a, start, col);
        find_tree(a, start, col);
        if (pass == 0) {
            sort_tree(a, child, sibling, start);
        }
    }
    count_columns(a, start, col);
    find_fronts(a, child);
    join_fronts(a, zeros);
    find_parents(a, child);
    s->row = FB_TAKE(a->arena, int, count_rows(a) + 1);
    if (fb_arena_has_failed(a->arena)) {
        return fb_fail_memory(err);
    }
    list_rows(a, child, sibling);
    return FB_OK;
}

FbStatus fb_symbolic_init(FbSymbolic* s, const FbPattern* pattern, FbArena* arena, FbError* err) {
    *s = (FbSymbolic){.n = pattern->n_col};
    Analysis a = {.out = s, .pattern = pattern, .arena = arena, .n = pattern->n_col};
    a.room = fb_arena_create();
    FbStatus status = a.room ? analyse(&a, err) : fb_fail_memory(err);
    fb_arena_destroy(a.room);
    return status;
}
