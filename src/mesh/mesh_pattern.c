// Where the matrices of a mesh have entries, and the blocks of elements added there: no list of
// entries is kept, so that memory is that of the matrices. Of a structure that several processes
// reduce, each has the columns of its own rows alone.
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh_plan.h"

// Which elements have an own row, by rows.
typedef struct Users {
    size_t* start;  // [n_own + 1]
    int* elements;
} Users;

typedef void (*Visit)(void* self, int element, int row);

// All terms of all displacements of the elements of the structure; a row may come more than once.
static void visit_rows(const FbMeshPlan* plan, int element, Visit visit, void* self) {
    const FbMeshElement* e = &plan->mesh.elements[element];
    for (int i = 0; plan->owner[element] >= 0 && i < e->n_nodes; i++) {
        for (int d = 0; d < e->type->n_coordinates; d++) {
            const FbMeshTerms* t = &plan->terms[6 * plan->mesh.nodes[e->first + i] + d];
            for (int k = 0; k < t->count; k++) {
                visit(self, element, t->items[k].row);
            }
        }
    }
}

// An element once for each row: `last` [n_own] is the element that came last.
typedef struct Lists {
    const FbMeshPlan* plan;
    Users* users;
    int* last;
    size_t* next;  // NULL: only counts
} Lists;

static void list_user(void* self, int element, int row) {
    Lists* l = self;
    int own = row - l->plan->first;
    if (own < 0 || own >= l->plan->n_own || l->last[own] == element) {
        return;
    }
    l->last[own] = element;
    if (l->next) {
        l->users->elements[l->next[own]++] = element;
    } else {
        l->users->start[own + 1]++;
    }
}

static FbStatus find_users(const FbMeshPlan* plan, Users* out) {
    size_t n = (size_t)plan->n_own;
    int* last = malloc(sizeof(int) * (n + 1));
    size_t* next = malloc(sizeof(size_t) * (n + 1));
    Lists lists = {.plan = plan, .users = out, .last = last};
    out->start = calloc(n + 1, sizeof(size_t));
    for (int pass = 0; last && next && out->start && pass < 2; pass++) {
        memset(last, -1, sizeof(int) * n);
        for (int i = 0; i < plan->mesh.n_elements; i++) {
            visit_rows(plan, i, list_user, &lists);
        }
        for (size_t row = 0; pass == 0 && row < n; row++) {
            next[row] = out->start[row];
            out->start[row + 1] += out->start[row];
        }
        if (pass == 0 && !(out->elements = malloc(sizeof(int) * (out->start[n] + 1)))) {
            break;
        }
        lists.next = next;
    }
    free(last);
    free(next);
    return out->elements ? FB_OK : fb_fail_memory(plan->err);
}

// The rows of a column: `mark` [n_rows] is the column that a row was last listed for.
typedef struct Column {
    int* mark;
    int column, n;
    int* rows;  // NULL: only counts
} Column;

static void list_row(void* self, int element, int row) {
    Column* c = self;
    (void)element;
    if (c->mark[row] != c->column) {
        c->mark[row] = c->column;
        if (c->rows) {
            c->rows[c->n] = row;
        }
        c->n++;
    }
}

static void list_column(const FbMeshPlan* plan, const Users* users, Column* c) {
    c->n = 0;
    list_row(c, -1, c->column);  // the diagonal is always there
    size_t own = (size_t)(c->column - plan->first);
    for (size_t u = users->start[own]; u < users->start[own + 1]; u++) {
        visit_rows(plan, users->elements[u], list_row, c);
    }
}

static int compare(const void* a, const void* b) {
    int i = *(const int*)a, j = *(const int*)b;
    return (i > j) - (i < j);
}

static FbStatus fill(const FbMeshPlan* plan, const Users* users, int* mark, FbPattern* out) {
    int n = plan->n_own;
    size_t count = 0;
    Column c = {.mark = mark};
    memset(mark, -1, sizeof(int) * (size_t)plan->n_rows);
    for (int j = 0; j < n && count <= 0x7fffff00; j++) {
        c.column = plan->first + j;
        list_column(plan, users, &c);
        count += (size_t)c.n;
        out->start[j + 1] = (int)count;
    }
    if (count > 0x7fffff00) {
        return fb_fail(plan->err, FB_ERR_RANGE, &plan->s->origin.place,
                       "the matrices of structure '%s' have more than 2^31 entries; use a coarser "
                       "mesh",
                       plan->s->name);
    }
    out->row = FB_TAKE(plan->arena, int, count + 1);
    if (!out->row) {
        return fb_fail_memory(plan->err);
    }
    memset(mark, -1, sizeof(int) * (size_t)plan->n_rows);
    for (int j = 0; j < n; j++) {
        c.column = plan->first + j;
        c.rows = out->row + out->start[j];
        list_column(plan, users, &c);
        qsort(c.rows, (size_t)c.n, sizeof(int), compare);
    }
    return FB_OK;
}

FbStatus fb_mesh_plan_pattern(const FbMeshPlan* plan, FbPattern* out) {
    int n = plan->n_own;
    Users users = {0};
    int* mark = malloc(sizeof(int) * ((size_t)plan->n_rows + 1));
    *out =
        (FbPattern){.n_row = plan->n_rows, .n_col = n, .start = FB_TAKE(plan->arena, int, n + 1)};
    FbStatus status = mark && out->start ? find_users(plan, &users) : fb_fail_memory(plan->err);
    status = status == FB_OK ? fill(plan, &users, mark, out) : status;
    free(mark);
    free(users.start);
    free(users.elements);
    return status;
}

// Both triangles get the mean of an entry and its mirror image, which differ by rounding.
void fb_mesh_add_block(const FbMeshPlan* plan, FbSparse* sum, const FbMeshTerms* terms, int n,
                       const double* block) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double value = 0.5 * (block[i * n + j] + block[j * n + i]);
            for (int b = 0; value != 0.0 && b < terms[j].count; b++) {
                const FbMeshTerm* col = &terms[j].items[b];
                int own = col->row - plan->first;
                for (int a = 0; own >= 0 && own < plan->n_own && a < terms[i].count; a++) {
                    const FbMeshTerm* row = &terms[i].items[a];
                    sum->values[fb_pattern_index(&sum->pattern, row->row, own)] +=
                        row->factor * value * col->factor;
                }
            }
        }
    }
}
