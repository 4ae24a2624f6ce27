// Structures given by matrices: the files are read and checked, rows of clamped nodes are removed,
// and the force vectors of gravity are found.
#include "mesh/matrices.h"

#include <math.h>
#include <string.h>

#include "math/matrix_market.h"

// Matrices come as text, often with eight digits.
static const double ASYMMETRY = 1e-8, NEGATIVE = 1e-8;
// Forces in a translation, relative to the sum of the sizes of their terms: a free structure has
// none.
static const double FREE = 1e-6;
// Beyond what is factored here; a lie in a file must not fill the memory.
enum { MAX_ROWS = 1000000 };

static const char* const DIRECTIONS[6] = {"x", "y", "z", "rx", "ry", "rz"};

static FbPlace place_of(const FbMatrixPlan* p, const char* key) {
    return fb_origin_place(&p->s->origin, key);
}

static FbStatus read_square(FbMatrixPlan* p, const char* key, const char* path, FbSparse* out) {
    FbPlace place = place_of(p, key);
    FB_TRY(fb_matrix_market_read(path, fb_def_limit(p->def, MAX_ROWS), p->arena, out, p->err));
    int rows = out->pattern.n_row, cols = out->pattern.n_col;
    if (rows != cols) {
        return fb_fail(p->err, FB_ERR_RANGE, &place,
                       "the %s matrix '%s' is %d x %d; it must be square", key, path, rows, cols);
    }
    if (p->n_file > 0 && rows != p->n_file) {
        return fb_fail(p->err, FB_ERR_RANGE, &place,
                       "the %s matrix '%s' has %d rows, but the mass matrix has %d; all matrices "
                       "must have the same size",
                       key, path, rows, p->n_file);
    }
    p->n_file = rows;
    return FB_OK;
}

static FbStatus check_symmetric(FbMatrixPlan* p, const char* key, const char* path, FbSparse* a) {
    int row, col;
    double asymmetry = fb_sparse_asymmetry(a, &row, &col);
    if (!(asymmetry <= ASYMMETRY)) {
        FbPlace place = place_of(p, key);
        return fb_fail(
            p->err, FB_ERR_MODEL, &place,
            "the %s matrix '%s' is not symmetric: entry (%d, %d) is %.9g, but (%d, %d) is "
            "%.9g, %.2g of the diagonal apart; export it in full precision, or correct it",
            key, path, row + 1, col + 1, fb_sparse_get(a, row, col), col + 1, row + 1,
            fb_sparse_get(a, col, row), asymmetry);
    }
    return asymmetry > 0.0 ? fb_sparse_symmetrize(a, p->arena, p->err) : FB_OK;
}

static FbStatus check_definite(FbMatrixPlan* p, const char* key, const char* path,
                               const FbSparse* a) {
    int row;
    double value;
    FbStatus status = fb_sparse_check_semidefinite(a, NEGATIVE, &row, &value, p->err);
    if (status != FB_RETRY) {
        return status;
    }
    FbPlace place = place_of(p, key);
    double diagonal = row >= 0 ? fb_sparse_get(a, row, row) : 0.0;
    if (!(diagonal > 0.0)) {
        return fb_fail(p->err, FB_ERR_MODEL, &place,
                       "the %s matrix '%s' is not positive semi-definite: entry (%d, %d) on the "
                       "diagonal is %.9g%s; check the units and signs of the export",
                       key, path, row + 1, row + 1, diagonal,
                       diagonal == 0.0 ? " in a row with other entries" : "");
    }
    return fb_fail(
        p->err, FB_ERR_MODEL, &place,
        "the %s matrix '%s' is not positive semi-definite: eliminating up to row %d leaves "
        "%.2g of its diagonal; some motion would have negative energy. Check the export, or "
        "correct the matrix",
        key, path, row + 1, value);
}

static FbStatus read_matrix(FbMatrixPlan* p, const char* key, const char* path, FbSparse* out) {
    if (!path) {
        FbPlace place = place_of(p, NULL);
        return fb_fail(p->err, FB_ERR_MODEL, &place, "structure '%s' has no %s matrix; give a file",
                       p->s->name, key);
    }
    FB_TRY(read_square(p, key, path, out));
    FB_TRY(check_symmetric(p, key, path, out));
    return check_definite(p, key, path, out);
}

static FbStatus check_dof(FbMatrixPlan* p, const FbMatrixNodeDef* node, int d, const int* owner) {
    int dof = node->dofs[d], n = p->n_file;
    FbPlace place = fb_origin_place(&node->origin, "dofs");
    if (dof < 1 || dof > n) {
        return fb_fail(p->err, FB_ERR_RANGE, &place,
                       "node '%s': %s is row %d, but the matrices have rows 1 to %d", node->name,
                       DIRECTIONS[d], dof, n);
    }
    if (owner[dof - 1] > 0) {
        int other = owner[dof - 1] - 1;
        return fb_fail(
            p->err, FB_ERR_MODEL, &place,
            "node '%s': %s is row %d, which is already %s of node '%s'; each row belongs "
            "to one direction",
            node->name, DIRECTIONS[d], dof, DIRECTIONS[other % 6], p->s->nodes[other / 6].name);
    }
    return FB_OK;
}

static FbStatus check_node(FbMatrixPlan* p, int i, int* owner) {
    const FbMatrixNodeDef* node = &p->s->nodes[i];
    bool is_valid = node->name && fb_name_is_valid(node->name) && !strchr(node->name, '.');
    bool has_dof = false;
    if (!is_valid) {
        return fb_fail(p->err, FB_ERR_NAME, &node->origin.place,
                       "'%s' is not a valid name for a node; use letters, digits and '_', starting "
                       "with a letter",
                       node->name ? node->name : "");
    }
    for (int d = 0; d < 6; d++) {
        if (node->dofs[d] != 0) {
            FB_TRY(check_dof(p, node, d, owner));
            owner[node->dofs[d] - 1] = 6 * i + d + 1;
            has_dof = true;
        }
    }
    if (!has_dof && !node->is_clamped) {
        return fb_fail(
            p->err, FB_ERR_MODEL, &node->origin.place,
            "node '%s' has no rows in the matrices; give 'dofs', such as {x: 1, y: 2, z: 3}",
            node->name);
    }
    return FB_OK;
}

// Which rows stay, and which of them belong to named nodes.
static FbStatus number_rows(FbMatrixPlan* p, const int* owner) {
    p->row_of = FB_TAKE(p->arena, int, p->n_file + 1);
    p->named = FB_TAKE(p->arena, int, p->n_file + 1);
    if (fb_arena_has_failed(p->arena)) {
        return fb_fail_memory(p->err);
    }
    for (int j = 0; j < p->n_file; j++) {
        bool is_clamped = owner[j] > 0 && p->s->nodes[(owner[j] - 1) / 6].is_clamped;
        p->row_of[j] = is_clamped ? -1 : p->n++;
    }
    for (int i = 0; i < p->s->n_nodes; i++) {
        const FbMatrixNodeDef* node = &p->s->nodes[i];
        for (int d = 0; d < 6 && !node->is_clamped; d++) {
            if (node->dofs[d] > 0) {
                p->named[p->n_named++] = p->row_of[node->dofs[d] - 1];
            }
        }
    }
    return FB_OK;
}

static FbStatus check_nodes(FbMatrixPlan* p) {
    FbPlace place = place_of(p, "nodes");
    if (p->s->n_nodes < 1) {
        return fb_fail(p->err, FB_ERR_MODEL, &place,
                       "structure '%s' has no named nodes; name those at which it is supported, "
                       "loaded or observed",
                       p->s->name);
    }
    int* owner = FB_TAKE(p->arena, int, p->n_file + 1);  // 0: none, else 6 node + direction + 1
    if (!owner) {
        return fb_fail_memory(p->err);
    }
    for (int i = 0; i < p->s->n_nodes; i++) {
        FB_TRY(check_node(p, i, owner));
    }
    return number_rows(p, owner);
}

static FbStatus keep_rows(FbMatrixPlan* p, FbSparse* a) {
    FbSparse kept;
    if (p->n == p->n_file) {
        return FB_OK;
    }
    FB_TRY(fb_sparse_pick(a, p->row_of, p->n, p->row_of, p->n, p->arena, &kept, p->err));
    *a = kept;
    return FB_OK;
}

static size_t add_scaled(const FbSparse* a, double factor, FbTriplet* out, size_t n) {
    for (int col = 0; factor != 0.0 && a->values && col < a->pattern.n_col; col++) {
        for (int e = a->pattern.start[col]; e < a->pattern.start[col + 1]; e++) {
            out[n++] = (FbTriplet){a->pattern.row[e], col, factor * a->values[e]};
        }
    }
    return n;
}

FbStatus fb_matrix_complete_damping(FbMatrixPlan* p) {
    const FbMatrixStructureDef* s = p->s;
    FbStructureMatrices* w = &p->whole;
    if (!(s->alpha >= 0.0 && s->beta >= 0.0 && isfinite(s->alpha) && isfinite(s->beta))) {
        FbPlace place = place_of(p, "damping");
        return fb_fail(p->err, FB_ERR_RANGE, &place,
                       "structure '%s' has alpha = %g 1/s and beta = %g s; both must be >= 0",
                       s->name, s->alpha, s->beta);
    }
    if ((s->alpha == 0.0 && s->beta == 0.0) || s->is_reduced) {
        return FB_OK;  // of a reduced structure the small matrices are added instead
    }
    size_t most = (size_t)fb_pattern_count(&w->mass.pattern) +
                  (size_t)fb_pattern_count(&w->stiffness.pattern) +
                  (w->damping.values ? (size_t)fb_pattern_count(&w->damping.pattern) : 0);
    FbTriplet* entries = FB_TAKE(p->arena, FbTriplet, most + 1);
    if (!entries) {
        return fb_fail_memory(p->err);
    }
    size_t n = add_scaled(&w->damping, 1.0, entries, 0);
    n = add_scaled(&w->mass, s->alpha, entries, n);
    n = add_scaled(&w->stiffness, s->beta, entries, n);
    return fb_sparse_from_triplets(p->n, p->n, entries, n, p->arena, &w->damping, p->err);
}

static FbStatus read_weight(FbMatrixPlan* p, double* y) {
    FbSparse file;
    FbPlace place = place_of(p, "weight");
    FB_TRY(fb_matrix_market_read(p->s->weight, fb_def_limit(p->def, MAX_ROWS), p->arena, &file,
                                 p->err));
    if (file.pattern.n_row != p->n_file || file.pattern.n_col != 3) {
        return fb_fail(p->err, FB_ERR_RANGE, &place,
                       "the weight '%s' is %d x %d; it must be %d x 3: the force on each row due "
                       "to a gravity of 1 m/s2 along x, y and z",
                       p->s->weight, file.pattern.n_row, file.pattern.n_col, p->n_file);
    }
    for (int d = 0; d < 3; d++) {
        for (int e = file.pattern.start[d]; e < file.pattern.start[d + 1]; e++) {
            y[(size_t)d * (size_t)p->n_file + (size_t)file.pattern.row[e]] = file.values[e];
        }
    }
    return FB_OK;
}

// Do the forces K x vanish relative to their terms?
static bool is_free(const FbSparse* stiffness, const double* x, double* sum, double* size) {
    const FbPattern* p = &stiffness->pattern;
    double largest = 0.0, worst = 0.0;
    memset(sum, 0, sizeof(double) * (size_t)p->n_row);
    memset(size, 0, sizeof(double) * (size_t)p->n_row);
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            double f = stiffness->values[e] * x[col];
            sum[p->row[e]] += f;
            size[p->row[e]] += fabs(f);
        }
    }
    for (int i = 0; i < p->n_row; i++) {
        largest = fmax(largest, size[i]);
        worst = fmax(worst, fabs(sum[i]));
    }
    return worst <= FREE * largest;
}

// The rows that no node names follow the named ones without force; only a structure that is not
// held anywhere else translates in this way.
static FbStatus follow_nodes(FbMatrixPlan* p, double* x, bool* is_known) {
    size_t n = (size_t)p->n_file;
    int n_b = 0;
    int* boundary = FB_TAKE(p->arena, int, n + 1);
    double* x_b = FB_TAKE(p->arena, double, 3 * n + 1);
    double* room = FB_TAKE(p->arena, double, 2 * n + 1);
    int* direction = FB_TAKE(p->arena, int, n + 1);
    if (fb_arena_has_failed(p->arena)) {
        return fb_fail_memory(p->err);
    }
    for (int i = 0; i < 6 * p->s->n_nodes; i++) {
        int dof = p->s->nodes[i / 6].dofs[i % 6];
        if (dof > 0) {
            boundary[n_b] = dof - 1;
            direction[n_b++] = i % 6;
        }
    }
    for (int b = 0; b < n_b; b++) {
        if (direction[b] < 3) {
            x_b[direction[b] * n_b + b] = 1.0;
        }
    }
    FbError unused;
    FbStatus status = fb_follow_boundary(&p->whole.stiffness, boundary, n_b, x_b, 3, x, &unused);
    if (status == FB_ERR_MEMORY) {
        return fb_fail_memory(p->err);
    }
    *is_known = status == FB_OK;
    for (size_t d = 0; *is_known && d < 3 && n_b < p->n_file; d++) {
        *is_known = is_free(&p->whole.stiffness, x + d * n, room, room + n);
    }
    return FB_OK;
}

// M times unit translations (eq. 8.61).
static FbStatus calc_weight(FbMatrixPlan* p, double* y, bool* is_known) {
    size_t n = (size_t)p->n_file;
    double* x = FB_TAKE(p->arena, double, 3 * n + 1);
    if (!x) {
        return fb_fail_memory(p->err);
    }
    FB_TRY(follow_nodes(p, x, is_known));
    for (size_t d = 0; *is_known && d < 3; d++) {
        fb_pattern_multiply(&p->whole.mass.pattern, p->whole.mass.values, 1.0, x + d * n,
                            y + d * n);
    }
    return FB_OK;
}

// Clamped rows leave their neighbours the whole weight between them.
static FbStatus find_loads(FbMatrixPlan* p) {
    size_t n_file = (size_t)p->n_file, n = (size_t)p->n;
    bool is_known = p->s->weight != NULL;
    double* y = FB_TAKE(p->arena, double, 3 * n_file + 1);
    double* loads = FB_TAKE(p->arena, double, 3 * n + 1);
    if (fb_arena_has_failed(p->arena)) {
        return fb_fail_memory(p->err);
    }
    FB_TRY(is_known ? read_weight(p, y) : calc_weight(p, y, &is_known));
    for (size_t j = 0; is_known && j < 3 * n_file; j++) {
        int row = p->row_of[j % n_file];
        if (row >= 0) {
            loads[j / n_file * n + (size_t)row] = y[j];
        }
    }
    if (is_known) {
        p->has_weight = true;
        p->whole.loads = loads;
        p->whole.n_loads = 3;
    }
    return FB_OK;
}

// Reads the files and checks everything that can be wrong with them and with the nodes.
static FbStatus make_plan(FbModelDef* def, const FbMatrixStructureDef* s, FbArena* arena,
                          FbMatrixPlan* out, FbError* err) {
    *out = (FbMatrixPlan){.def = def, .s = s, .arena = arena, .err = err};
    FbStructureMatrices* w = &out->whole;
    if (!s->name || !fb_name_is_valid(s->name)) {
        return fb_fail(err, FB_ERR_NAME, &s->origin.place,
                       "'%s' is not a valid name for a structure; use letters, digits and '_', "
                       "starting with a letter",
                       s->name ? s->name : "");
    }
    FB_TRY(read_matrix(out, "mass", s->mass, &w->mass));
    FB_TRY(read_matrix(out, "stiffness", s->stiffness, &w->stiffness));
    if (s->damping) {
        FB_TRY(read_matrix(out, "damping", s->damping, &w->damping));
    }
    FB_TRY(check_nodes(out));
    FB_TRY(find_loads(out));
    FB_TRY(keep_rows(out, &w->mass));
    FB_TRY(keep_rows(out, &w->stiffness));
    if (s->damping) {
        FB_TRY(keep_rows(out, &w->damping));
    }
    return fb_matrix_complete_damping(out);
}

FbStatus fb_model_def_add_matrix_structure(FbModelDef* def, const FbMatrixStructureDef* s,
                                           FbError* err) {
    FbArena* arena = fb_arena_create();
    FbMatrixPlan plan;
    FbStatus status = arena ? make_plan(def, s, arena, &plan, err) : fb_fail_memory(err);
    if (status == FB_OK) {
        status = fb_matrix_expand(&plan);
    }
    fb_arena_destroy(arena);
    return status;
}
