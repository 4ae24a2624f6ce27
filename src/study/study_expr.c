// Expressions of a study: constraints, the objective, and measures computed from others.
#include <string.h>

#include "study/study_reader.h"

static int resolve(void* self, const char* name, FbNumber* found) {
    FbStudyReader* r = self;
    const FbStudy* s = r->study;
    (void)found;
    for (int i = 0; i < s->n_parameters; i++) {
        if (strcmp(s->parameters[i].name, name) == 0) {
            return i;
        }
    }
    for (int i = 0; i < r->n_known_measures; i++) {
        if (strcmp(s->measures[i].name, name) == 0) {
            return s->n_parameters + i;
        }
    }
    r->unknown = fb_arena_text(s->arena, name);
    return FB_NAME_UNKNOWN;
}

static void report_unknown(FbStudyReader* r, const FbPlace* place) {
    const FbStudy* s = r->study;
    const char* names[256];
    int n = 0;
    for (int i = 0; i < s->n_parameters && n < 256; i++) {
        names[n++] = s->parameters[i].name;
    }
    for (int i = 0; i < r->n_known_measures && n < 256; i++) {
        names[n++] = s->measures[i].name;
    }
    char hint[128];
    fb_suggest(r->unknown, names, n, hint);
    fb_report(&r->base, FB_ERR_NAME, place->line, place->col,
              "unknown name '%s'; only parameters and measures of the study are allowed here%s",
              r->unknown, hint);
}

const FbExpr* fb_study_compile(FbStudyReader* r, const char* text, int line, int col) {
    FbStudy* s = r->study;
    FbPlace place = {s->file, line, col};
    FbExpr* expr = NULL;
    FbError err;
    fb_error_clear(&err);
    r->unknown = NULL;
    if (fb_expr_compile(text, resolve, r, &place, s->arena, &expr, &err) >= 0) {
        size_t needed = (size_t)fb_expr_input_count(expr) + fb_expr_scratch(expr);
        s->work_size = needed > s->work_size ? needed : s->work_size;
        return expr;
    }
    if (r->unknown) {
        report_unknown(r, &err.place);
    } else {
        fb_report(&r->base, err.status, err.place.line, err.place.col, "%s", err.text);
    }
    return NULL;
}

double fb_study_eval(const FbExpr* expr, const double* values, double* work) {
    int n = fb_expr_input_count(expr);
    const int* inputs = fb_expr_inputs(expr);
    for (int k = 0; k < n; k++) {
        work[k] = values[inputs[k]];
    }
    return fb_expr_value(expr, work, work + n);
}

static const char* read_scalar(FbStudyReader* r, const FbNode* node, const char* what) {
    const char* text = NULL;
    return fb_read_text(&r->base, node, what, &text) ? fb_arena_text(r->study->arena, text) : NULL;
}

// "a <= b" or "a >= b": finds the sign; NULL: there is none, or more than one.
static const char* find_relation(const char* text) {
    const char* found = NULL;
    for (const char* c = text; *c; c++) {
        if ((*c == '<' || *c == '>') && c[1] == '=') {
            if (found) {
                return NULL;
            }
            found = c;
        }
    }
    return found;
}

static void read_constraint(FbStudyReader* r, const FbNode* node, FbStudyConstraint* out) {
    FbStudy* s = r->study;
    const char* text = read_scalar(r, node, "constraints");
    if (!text) {
        return;
    }
    const char* relation = find_relation(text);
    if (!relation) {
        fb_report(&r->base, FB_ERR_SYNTAX, node->line, node->col,
                  "a constraint is 'a <= b' or 'a >= b' with expressions of parameters and "
                  "measures, but this is '%s'",
                  text);
        return;
    }
    size_t at = (size_t)(relation - text);
    const char* left = fb_arena_text_n(s->arena, text, at);
    if (!left) {
        return;
    }
    const FbExpr* a = fb_study_compile(r, left, node->line, node->col);
    const FbExpr* b = fb_study_compile(r, relation + 2, node->line, node->col + (int)at + 2);
    bool is_less = *relation == '<';
    *out = (FbStudyConstraint){text, is_less ? a : b, is_less ? b : a};
    s->n_constraints++;
}

void fb_study_read_constraints(FbStudyReader* r, const FbNode* list) {
    FbStudy* s = r->study;
    if (!list) {
        return;
    }
    if (list->kind != FB_NODE_LIST) {
        fb_report(&r->base, FB_ERR_SYNTAX, list->line, list->col,
                  "'constraints' must be a list of strings like [peak <= 0.2], but this is %s",
                  fb_node_describe(list));
        return;
    }
    s->constraints = FB_TAKE(s->arena, FbStudyConstraint, list->count + 1);
    for (int i = 0; s->constraints && i < list->count; i++) {
        read_constraint(r, list->items[i], &s->constraints[s->n_constraints]);
    }
}

void fb_study_read_objective(FbStudyReader* r, const FbNode* map) {
    FbStudy* s = r->study;
    const FbNode *most = fb_node_get(map, "maximize"), *least = fb_node_get(map, "minimize");
    if (!map) {
        return;
    }
    if (map->kind != FB_NODE_MAP || map->count != 1 || !(most || least)) {
        fb_report(&r->base, FB_ERR_SYNTAX, map->line, map->col,
                  "'objective' is either {maximize: ...} or {minimize: ...} with a measure or an "
                  "expression");
        return;
    }
    const FbNode* node = most ? most : least;
    s->is_maximum = most != NULL;
    s->objective_place = (FbPlace){s->file, node->line, node->col};
    s->objective = read_scalar(r, node, s->is_maximum ? "maximize" : "minimize");
    s->objective_expr =
        s->objective ? fb_study_compile(r, s->objective, node->line, node->col) : NULL;
}
