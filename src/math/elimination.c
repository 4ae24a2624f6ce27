// Row elimination with the largest entry of each kept row as its pivot.
//
// A kept row has no entry in the pivot columns of the rows kept before it, but may have entries in
// those of later ones; so a new row is eliminated by the kept rows in their order, which a heap of
// the pivots that it touches provides.
#include "math/elimination.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

typedef struct KeptRow {
    int* column;
    double* value;  // the pivot's is 1
    int count, pivot;
    double rounding;   // as of the row before its pivot became 1 ...
    double magnified;  // ... and after
} KeptRow;

struct FbElimination {
    int n;
    double tolerance;
    KeptRow* rows;
    int n_rows, capacity;
    int* row_of_pivot;  // [n] kept row with its pivot in this column, -1: none
    double* dense;      // [n] the row at work; zero outside `touched`
    int* touched;       // [n] its columns
    bool* is_touched;
    int n_touched;
    int* heap;  // [n] kept rows still to be subtracted, smallest first
    int n_heap;
    // Of the row at work: the largest of the rows that it is made of, and with the factors that
    // they are subtracted with. These factors do not multiply along a chain of rows: signs differ.
    double rounding, magnified;
};

FbElimination* fb_elimination_create(int n, double tolerance) {
    FbElimination* e = calloc(1, sizeof *e);
    if (!e) {
        return NULL;
    }
    size_t size = (size_t)n + 1;
    e->n = n;
    e->tolerance = tolerance;
    e->row_of_pivot = malloc(sizeof(int) * size);
    e->dense = calloc(size, sizeof(double));
    e->touched = malloc(sizeof(int) * size);
    e->is_touched = calloc(size, sizeof(bool));
    e->heap = malloc(sizeof(int) * size);
    if (!e->row_of_pivot || !e->dense || !e->touched || !e->is_touched || !e->heap) {
        fb_elimination_destroy(e);
        return NULL;
    }
    for (int j = 0; j < n; j++) {
        e->row_of_pivot[j] = -1;
    }
    return e;
}

void fb_elimination_destroy(FbElimination* e) {
    if (!e) {
        return;
    }
    for (int i = 0; i < e->n_rows; i++) {
        free(e->rows[i].column);
        free(e->rows[i].value);
    }
    free(e->rows);
    free(e->row_of_pivot);
    free(e->dense);
    free(e->touched);
    free(e->is_touched);
    free(e->heap);
    free(e);
}

static void push(FbElimination* e, int row) {
    int at = e->n_heap++;
    while (at > 0 && e->heap[(at - 1) / 2] > row) {
        e->heap[at] = e->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    e->heap[at] = row;
}

static int pop(FbElimination* e) {
    int first = e->heap[0], last = e->heap[--e->n_heap], at = 0;
    for (int child = 1; child < e->n_heap; child = 2 * at + 1) {
        child += child + 1 < e->n_heap && e->heap[child + 1] < e->heap[child];
        if (e->heap[child] >= last) {
            break;
        }
        e->heap[at] = e->heap[child];
        at = child;
    }
    e->heap[at] = last;
    return first;
}

static void add_entry(FbElimination* e, int column, double value) {
    e->dense[column] += value;
    if (!e->is_touched[column]) {
        e->is_touched[column] = true;
        e->touched[e->n_touched++] = column;
        if (e->row_of_pivot[column] >= 0) {
            push(e, e->row_of_pivot[column]);
        }
    }
}

static void subtract_kept(FbElimination* e) {
    while (e->n_heap > 0) {
        const KeptRow* row = &e->rows[pop(e)];
        double factor = e->dense[row->pivot];
        if (factor != 0.0) {
            e->rounding = fmax(e->rounding, row->rounding);
            e->magnified = fmax(e->magnified, fabs(factor) * row->magnified);
        }
        for (int k = 0; factor != 0.0 && k < row->count; k++) {
            add_entry(e, row->column[k], -factor * row->value[k]);
        }
        e->dense[row->pivot] = 0.0;
    }
}

static int keep(FbElimination* e, int pivot) {
    if (!fb_grow((void**)&e->rows, &e->capacity, e->n_rows, sizeof(KeptRow))) {
        return -1;
    }
    KeptRow* row = &e->rows[e->n_rows];
    *row = (KeptRow){.column = malloc(sizeof(int) * (size_t)e->n_touched),
                     .value = malloc(sizeof(double) * (size_t)e->n_touched),
                     .pivot = pivot,
                     .rounding = e->rounding,
                     .magnified = e->rounding / fabs(e->dense[pivot])};
    e->row_of_pivot[pivot] = e->n_rows++;
    if (!row->column || !row->value) {
        return -1;
    }
    for (int k = 0; k < e->n_touched; k++) {
        int column = e->touched[k];
        if (e->dense[column] != 0.0) {
            row->column[row->count] = column;
            row->value[row->count++] = e->dense[column] / e->dense[pivot];
        }
    }
    return 1;
}

static void clear(FbElimination* e) {
    for (int k = 0; k < e->n_touched; k++) {
        e->dense[e->touched[k]] = 0.0;
        e->is_touched[e->touched[k]] = false;
    }
    e->n_touched = 0;
}

int fb_elimination_add(FbElimination* e, int count, const int* columns, const double* values,
                       double rounding) {
    e->rounding = e->magnified = rounding;
    for (int k = 0; k < count; k++) {
        add_entry(e, columns[k], values[k]);
    }
    subtract_kept(e);
    int pivot = -1;
    for (int k = 0; k < e->n_touched; k++) {
        int column = e->touched[k];
        pivot = pivot < 0 || fabs(e->dense[column]) > fabs(e->dense[pivot]) ? column : pivot;
    }
    int result = 0;
    if (pivot >= 0 && fabs(e->dense[pivot]) > fmax(e->tolerance, fmax(e->rounding, e->magnified))) {
        result = keep(e, pivot);
    }
    clear(e);
    return result;
}
