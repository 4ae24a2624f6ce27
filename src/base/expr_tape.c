// Building the instruction list of an expression: constant folding, sharing, removal of what is not
// needed.
#include "base/expr_tape.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_same(const FbInstruction* p, const FbInstruction* q) {
    // Constants are compared by value; NaN is never shared, -0 and 0 are kept apart because 1/x
    // distinguishes them.
    bool has_same_constant =
        p->op != FB_OP_CONSTANT ||
        (p->constant == q->constant && !signbit(p->constant) == !signbit(q->constant));
    return p->op == q->op && p->a == q->a && p->b == q->b && p->c == q->c && has_same_constant;
}

// Equal instructions have equal hashes (multiplicative hashing, Knuth, TAOCP 6.4).
static unsigned hash_of(const FbInstruction* s) {
    static const uint64_t ODD = 0x9e3779b97f4a7c15u;
    double value = s->op == FB_OP_CONSTANT ? s->constant : 0.0;
    uint64_t bits, sum = (uint64_t)s->op;
    const int arguments[3] = {s->a, s->b, s->c};
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 3; k++) {
        sum = (sum ^ (uint64_t)(unsigned)arguments[k]) * ODD;
        sum ^= sum >> 29;
    }
    return (unsigned)(((sum ^ bits) * ODD) >> 32);
}

static void enter(FbTape* tape, int i) {
    unsigned bucket = hash_of(&tape->code[i]) & (unsigned)(tape->n_buckets - 1);
    tape->before[i] = tape->last[bucket];
    tape->last[bucket] = i;
}

// Room for one instruction more, with about one a bucket.
static bool make_room(FbTape* tape) {
    if (!fb_grow((void**)&tape->code, &tape->capacity, tape->count, sizeof *tape->code) ||
        !fb_grow((void**)&tape->before, &tape->before_capacity, tape->count,
                 sizeof *tape->before)) {
        return false;
    }
    if (tape->count < tape->n_buckets) {
        return true;
    }
    int n = tape->n_buckets > 0 ? 2 * tape->n_buckets : 16;  // fb_grow has refused what overflows
    int* last = realloc(tape->last, (size_t)n * sizeof *last);
    if (!last) {
        return false;
    }
    tape->last = last;
    tape->n_buckets = n;
    for (int i = 0; i < n; i++) {
        last[i] = -1;
    }
    for (int i = 0; i < tape->count; i++) {
        enter(tape, i);
    }
    return true;
}

static int find(const FbTape* tape, const FbInstruction* s) {
    int i = tape->n_buckets > 0 ? tape->last[hash_of(s) & (unsigned)(tape->n_buckets - 1)] : -1;
    while (i >= 0 && !is_same(&tape->code[i], s)) {
        i = tape->before[i];
    }
    return i;
}

static int append(FbTape* tape, FbInstruction instruction) {
    int same = find(tape, &instruction);
    if (same >= 0) {
        return same;
    }
    if (!make_room(tape)) {
        tape->has_failed = true;
        return 0;
    }
    tape->code[tape->count] = instruction;
    enter(tape, tape->count);
    return tape->count++;
}

void fb_tape_free(FbTape* tape) {
    free(tape->code);
    free(tape->last);
    free(tape->before);
    *tape = (FbTape){0};
}

int fb_tape_constant(FbTape* tape, double value, int at) {
    return append(tape, (FbInstruction){.op = FB_OP_CONSTANT, .constant = value, .at = at});
}

int fb_tape_input(FbTape* tape, int input, int at) {
    return append(tape, (FbInstruction){.op = FB_OP_INPUT, .a = input, .at = at});
}

static bool is_constant(const FbTape* tape, int i) {
    return tape->code[i].op == FB_OP_CONSTANT;
}

static bool is_value(const FbTape* tape, int i, double value) {
    return is_constant(tape, i) && tape->code[i].constant == value;
}

int fb_tape_if(FbTape* tape, int condition, int yes, int no, int at) {
    if (tape->has_failed) {
        return 0;
    }
    if (is_constant(tape, condition)) {
        return tape->code[condition].constant != 0.0 ? yes : no;
    }
    return append(tape,
                  (FbInstruction){.op = FB_OP_IF, .a = condition, .b = yes, .c = no, .at = at});
}

int fb_tape_unary(FbTape* tape, FbOp op, int a, int at) {
    if (tape->has_failed) {
        return 0;
    }
    if (is_constant(tape, a)) {
        return fb_tape_constant(tape, fb_op_value(op, tape->code[a].constant, 0.0), at);
    }
    return append(tape, (FbInstruction){.op = op, .a = a, .at = at});
}

// Operations with a neutral constant: x + 0, x * 1, x ^ 1, and 0 * x, which switches a term off.
// -1: none.
static int simplify(FbTape* tape, FbOp op, int a, int b, int at) {
    if (op == FB_OP_ADD && is_value(tape, a, 0.0)) {
        return b;
    }
    if ((op == FB_OP_ADD || op == FB_OP_SUBTRACT) && is_value(tape, b, 0.0)) {
        return a;
    }
    if (op == FB_OP_MULTIPLY && (is_value(tape, a, 0.0) || is_value(tape, b, 0.0))) {
        return fb_tape_constant(tape, 0.0, at);
    }
    if (op == FB_OP_MULTIPLY && is_value(tape, a, 1.0)) {
        return b;
    }
    bool has_one = is_value(tape, b, 1.0);
    if (has_one && (op == FB_OP_MULTIPLY || op == FB_OP_DIVIDE || op == FB_OP_POWER)) {
        return a;
    }
    if (op == FB_OP_POWER && is_value(tape, b, 2.0)) {
        return append(tape, (FbInstruction){.op = FB_OP_MULTIPLY, .a = a, .b = a, .at = at});
    }
    return -1;
}

int fb_tape_binary(FbTape* tape, FbOp op, int a, int b, int at) {
    if (tape->has_failed) {
        return 0;
    }
    if (is_constant(tape, a) && is_constant(tape, b)) {
        double value = fb_op_value(op, tape->code[a].constant, tape->code[b].constant);
        return fb_tape_constant(tape, value, at);
    }
    int simple = simplify(tape, op, a, b, at);
    return simple >= 0 ? simple : append(tape, (FbInstruction){.op = op, .a = a, .b = b, .at = at});
}

static int argument_count(FbOp op) {
    return op == FB_OP_CONSTANT || op == FB_OP_INPUT ? 0
           : op == FB_OP_IF                          ? 3
           : op < FB_OP_ADD                          ? 1
                                                     : 2;
}

// target[i] > 0 for what the root needs.
static int mark_needed(const FbTape* tape, int root, int* target) {
    int count = 0;
    target[root] = 1;
    for (int i = root; i >= 0; i--) {
        if (!target[i]) {
            continue;
        }
        count++;
        const FbInstruction* s = &tape->code[i];
        const int arguments[3] = {s->a, s->b, s->c};
        int n = argument_count(s->op);
        assert(n <= 3);
        for (int k = 0; k < n; k++) {
            target[arguments[k]] = 1;
        }
    }
    return count;
}

// May an argument reach the point where the operation is singular?
static bool may_touch(const FbTape* tape, const FbInstruction* s) {
    if (s->op == FB_OP_DIVIDE) {
        return !is_constant(tape, s->b);
    }
    if (s->op == FB_OP_POWER && is_constant(tape, s->b)) {
        double n = tape->code[s->b].constant;
        return !(n >= 0.0 && n == floor(n));
    }
    return fb_op_has_singular_point(s->op) && !(s->op == FB_OP_POWER && is_constant(tape, s->a));
}

// Copies the marked instructions; target[i] becomes their new index.
static void copy_needed(const FbTape* tape, int root, int* target, FbExpr* expr) {
    for (int i = 0; i <= root; i++) {
        if (!target[i]) {
            continue;
        }
        FbInstruction s = tape->code[i];
        int n = argument_count(s.op);
        s.a = n > 0 ? target[s.a] : s.a;
        s.b = n > 1 ? target[s.b] : s.b;
        s.c = n > 2 ? target[s.c] : s.c;
        s.slot = fb_op_has_pieces(s.op) ? expr->n_switches++ : -1;
        s.touch = may_touch(tape, &tape->code[i]) ? expr->n_touches++ : -1;
        target[i] = expr->n_code;
        expr->code[expr->n_code++] = s;
    }
}

static int compare_int(const void* a, const void* b) {
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// Lists the inputs in increasing order and lets the instructions count in this list.
static void number_inputs(FbExpr* expr) {
    for (int i = 0; i < expr->n_code; i++) {
        if (expr->code[i].op == FB_OP_INPUT) {
            expr->inputs[expr->n_inputs++] = expr->code[i].a;  // shared, so each comes once
        }
    }
    qsort(expr->inputs, (size_t)expr->n_inputs, sizeof *expr->inputs, compare_int);
    for (int i = 0; i < expr->n_code; i++) {
        if (expr->code[i].op == FB_OP_INPUT) {
            const int* at = bsearch(&expr->code[i].a, expr->inputs, (size_t)expr->n_inputs,
                                    sizeof *expr->inputs, compare_int);
            expr->code[i].a = at ? (int)(at - expr->inputs) : 0;
        }
    }
}

FbStatus fb_tape_finish(const FbTape* tape, int root, FbArena* arena, FbExpr** out, FbError* err) {
    int* target = tape->has_failed ? NULL : calloc((size_t)root + 1, sizeof *target);
    FbExpr* expr = target ? FB_TAKE(arena, FbExpr, 1) : NULL;
    if (!expr) {
        free(target);
        return fb_fail_memory(err);
    }
    int count = mark_needed(tape, root, target);
    expr->code = FB_TAKE(arena, FbInstruction, count);
    expr->inputs = FB_TAKE(arena, int, count);
    if (expr->code && expr->inputs) {
        copy_needed(tape, root, target, expr);
        number_inputs(expr);
        *out = expr;
    }
    free(target);
    return *out ? FB_OK : fb_fail_memory(err);
}
