// Graphs of groups of rows.
#include "math/quotient.h"

#include <string.h>

static bool has_same_rows(const FbPattern* p, int a, int b) {
    int n = p->start[a + 1] - p->start[a];
    return p->start[b + 1] - p->start[b] == n &&
           memcmp(p->row + p->start[a], p->row + p->start[b], sizeof(int) * (size_t)n) == 0;
}

// The vertex of each row.
static int group_rows(const FbPattern* p, int* vertex_of, int* first) {
    int n = 0;
    for (int j = 0; j < p->n_col; j++) {
        if (j == 0 || !has_same_rows(p, j - 1, j)) {
            first[n++] = j;
        }
        vertex_of[j] = n - 1;
    }
    first[n] = p->n_col;
    return n;
}

// Rows are in order, and so are the vertices they belong to.
static void fill_graph(FbQuotient* q, const FbPattern* p, const int* vertex_of) {
    int at = 0;
    for (int v = 0; v < q->graph.n_col; v++) {
        int j = q->first[v], last = -1;
        q->graph.start[v] = at;
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int other = vertex_of[p->row[e]];
            if (other != v && other != last) {
                q->graph.row[at++] = other;
                last = other;
            }
        }
    }
    q->graph.start[q->graph.n_col] = at;
}

FbStatus fb_quotient_init(FbQuotient* q, const FbPattern* pattern, FbArena* arena, FbError* err) {
    int n = pattern->n_col;
    int* vertex_of = FB_TAKE(arena, int, n + 1);
    *q = (FbQuotient){.first = FB_TAKE(arena, int, n + 1)};
    if (!vertex_of || !q->first) {
        return fb_fail_memory(err);
    }
    q->graph.n_row = q->graph.n_col = group_rows(pattern, vertex_of, q->first);
    size_t most = 0;
    for (int v = 0; v < q->graph.n_col; v++) {
        most += (size_t)(pattern->start[q->first[v] + 1] - pattern->start[q->first[v]]);
    }
    q->graph.start = FB_TAKE(arena, int, q->graph.n_col + 1);
    q->graph.row = FB_TAKE(arena, int, most + 1);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    fill_graph(q, pattern, vertex_of);
    return FB_OK;
}
