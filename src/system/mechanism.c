// Structures that can move without strain: unsupported ones, and mechanisms.
//
// The stiffness of the drawing with respect to the coordinates of the structure's own nodes, scaled
// to a unit diagonal, S = D^-1/2 K D^-1/2, has a null space there (eq. 8.72). It is found by
// inverse iteration with a few vectors, along the constraints: [S + e, G'; G, -e].
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "math/sparse.h"
#include "system/port.h"

// Unit diagonal: an elastic motion of a member with n elements has about (2/n)^4/24, rounding
// leaves some 1e-16.
static const double SHIFT = 1e-12, NO_STRAIN = 1e-14;
// For the order in which nodes are named.
static const double TURN_COUNTS = 0.1;
enum { MOST_VECTORS = 12, ITERATIONS = 4, MOST_COORDINATES = 20000, MOST_NAMED = 3 };

typedef struct Search {
    FbSystem* system;
    const FbModel* m;
    const FbStructure* structure;
    FbArena* arena;
    int n, n_c;     // own velocities, constraint rows
    int* v;         // [n]
    int* own;       // [n_v] index into v, -1: not its own
    double* scale;  // [n] D^-1/2
    FbSparse S, G;  // scaled
    double* x;      // [n x n_x] orthonormal
    int n_x;
    FbLinear* solver;
    FbPattern pattern;  // of the bordered matrix
} Search;

static bool is_own_joint(const char* joint, const char* structure) {
    size_t n = strlen(structure);
    return strncmp(joint, structure, n) == 0 && joint[n] == '.';
}

static FbStatus list_own(Search* s, FbError* err) {
    const FbTree* tree = &s->m->tree;
    s->v = FB_TAKE(s->arena, int, tree->n_v + 1);
    s->own = FB_TAKE(s->arena, int, tree->n_v + 1);
    if (fb_arena_has_failed(s->arena)) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < tree->n_v; j++) {
        int joint = tree->links[tree->link_of_v[j]].joint;
        bool is_own = joint >= 0 && is_own_joint(s->m->joints[joint].name, s->structure->name);
        s->own[j] = is_own ? s->n : -1;
        if (is_own) {
            s->v[s->n++] = j;
        }
    }
    return FB_OK;
}

static void calc_scale(Search* s, const FbBlocks* b) {
    double most = 0.0;
    for (int i = 0; i < s->n; i++) {
        most = fmax(most, fabs(b->K[fb_pattern_index(b->vv, s->v[i], s->v[i])]));
    }
    for (int i = 0; i < s->n; i++) {
        double d = fabs(b->K[fb_pattern_index(b->vv, s->v[i], s->v[i])]);
        s->scale[i] = 1.0 / sqrt(fmax(d, most > 0.0 ? 1e-20 * most : 1.0));
    }
}

// S and G as triplets; both are small enough to be kept once more.
static FbStatus pick_matrices(Search* s, const FbBlocks* b, FbError* err) {
    size_t most = (size_t)fb_pattern_count(b->vv) + (size_t)(s->n_c ? fb_pattern_count(b->cv) : 0);
    FbTriplet* list = malloc(sizeof(FbTriplet) * (most + 1));
    size_t n_s = 0, n_g = 0;
    if (!list) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < s->n; c++) {
        for (int e = b->vv->start[s->v[c]]; e < b->vv->start[s->v[c] + 1]; e++) {
            int r = s->own[b->vv->row[e]];
            if (r >= 0) {
                list[n_s++] = (FbTriplet){r, c, b->K[e] * s->scale[r] * s->scale[c]};
            }
        }
    }
    FbStatus status = fb_sparse_from_triplets(s->n, s->n, list, n_s, s->arena, &s->S, err);
    for (int c = 0; s->n_c > 0 && c < s->n; c++) {
        for (int e = b->cv->start[s->v[c]]; e < b->cv->start[s->v[c] + 1]; e++) {
            list[n_g++] = (FbTriplet){b->cv->row[e], c, b->G[e] * s->scale[c]};
        }
    }
    if (status == FB_OK && s->n_c > 0) {
        status = fb_sparse_from_triplets(s->n_c, s->n, list, n_g, s->arena, &s->G, err);
    }
    free(list);
    return status;
}

// Rows of G have unit length, so that their part of the matrix is as large as S.
static FbStatus scale_rows(Search* s, FbError* err) {
    double* size = calloc((size_t)s->n_c + 1, sizeof(double));
    if (!size) {
        return fb_fail_memory(err);
    }
    int n = s->n_c > 0 ? fb_pattern_count(&s->G.pattern) : 0;
    for (int e = 0; e < n; e++) {
        size[s->G.pattern.row[e]] += s->G.values[e] * s->G.values[e];
    }
    for (int e = 0; e < n; e++) {
        double length = sqrt(size[s->G.pattern.row[e]]);
        s->G.values[e] /= length > 0.0 ? length : 1.0;
    }
    free(size);
    return FB_OK;
}

static FbStatus build_solver(Search* s, FbError* err) {
    int size = s->n + s->n_c;
    const FbPattern *S = &s->S.pattern, *G = &s->G.pattern;
    FbPatternBuilder* builder = fb_pattern_builder_create(size, size);
    if (!builder) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < s->n; c++) {
        fb_pattern_builder_add(builder, c, c);
        for (int e = S->start[c]; e < S->start[c + 1]; e++) {
            fb_pattern_builder_add(builder, S->row[e], c);
        }
        for (int e = s->n_c > 0 ? G->start[c] : 0; s->n_c > 0 && e < G->start[c + 1]; e++) {
            fb_pattern_builder_add(builder, s->n + G->row[e], c);
            fb_pattern_builder_add(builder, c, s->n + G->row[e]);
        }
    }
    for (int c = 0; c < s->n_c; c++) {
        fb_pattern_builder_add(builder, s->n + c, s->n + c);
    }
    FbStatus status = fb_pattern_builder_finish(builder, s->arena, &s->pattern, err);
    fb_pattern_builder_destroy(builder);
    FB_TRY(status);
    return fb_linear_create(&s->pattern, FB_LINEAR_AUTO, false, &s->solver, err);
}

// FB_RETRY where it is singular even so.
static FbStatus factor(Search* s) {
    double* values = fb_linear_values(s->solver);
    const FbPattern *S = &s->S.pattern, *G = &s->G.pattern, *p = &s->pattern;
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(p));
    for (int c = 0; c < s->n; c++) {
        for (int e = S->start[c]; e < S->start[c + 1]; e++) {
            values[fb_pattern_index(p, S->row[e], c)] += s->S.values[e];
        }
        values[fb_pattern_index(p, c, c)] += SHIFT;
        for (int e = s->n_c > 0 ? G->start[c] : 0; s->n_c > 0 && e < G->start[c + 1]; e++) {
            values[fb_pattern_index(p, s->n + G->row[e], c)] = s->G.values[e];
            values[fb_pattern_index(p, c, s->n + G->row[e])] = s->G.values[e];
        }
    }
    for (int c = 0; c < s->n_c; c++) {
        values[fb_pattern_index(p, s->n + c, s->n + c)] = -SHIFT;
    }
    return fb_linear_factor(s->solver);
}

static double dot(int n, const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void orthonormalize(Search* s) {
    for (int k = 0; k < s->n_x; k++) {
        double* x = s->x + (size_t)k * (size_t)s->n;
        for (int twice = 0; twice < 2; twice++) {
            for (int j = 0; j < k; j++) {
                const double* y = s->x + (size_t)j * (size_t)s->n;
                double along = dot(s->n, x, y);
                for (int i = 0; i < s->n; i++) {
                    x[i] -= along * y[i];
                }
            }
        }
        double size = sqrt(dot(s->n, x, x));
        for (int i = 0; i < s->n; i++) {
            x[i] /= size > 0.0 ? size : 1.0;
        }
    }
}

static void iterate(Search* s, double* rhs) {
    unsigned seed = 1;
    for (int i = 0; i < s->n * s->n_x; i++) {
        seed = seed * 1664525u + 1013904223u;
        s->x[i] = (double)(seed >> 8) / 8388608.0 - 1.0;
    }
    for (int round = 0; round < ITERATIONS; round++) {
        orthonormalize(s);
        for (int k = 0; k < s->n_x; k++) {
            double* x = s->x + (size_t)k * (size_t)s->n;
            memset(rhs, 0, sizeof(double) * (size_t)(s->n + s->n_c));
            memcpy(rhs, x, sizeof(double) * (size_t)s->n);
            fb_linear_solve(s->solver, rhs);
            memcpy(x, rhs, sizeof(double) * (size_t)s->n);
        }
    }
    orthonormalize(s);
}

// y += G' G x: what the constraints forbid counts as strain.
static void add_violation(const Search* s, const double* x, double* along, double* y) {
    if (s->n_c > 0) {
        memset(along, 0, sizeof(double) * (size_t)s->n_c);
        fb_pattern_multiply(&s->G.pattern, s->G.values, 1.0, x, along);
        fb_pattern_multiply_transposed(&s->G.pattern, s->G.values, 1.0, along, y);
    }
}

// Ritz: keeps the combinations of x without strain, as the first *n_null columns of x.
static FbStatus separate(Search* s, int* n_null, FbError* err) {
    int p = s->n_x, n = s->n;
    size_t room = (size_t)p * (size_t)(2 * p + 1) + (size_t)n * (size_t)(p + 1) + (size_t)s->n_c;
    double* work = calloc(room + 1, sizeof(double));
    if (!work) {
        return fb_fail_memory(err);
    }
    double *H = work, *unit = H + p * p, *theta = unit + p * p, *y = theta + p, *along = y + n,
           *kept = along + s->n_c;
    for (int k = 0; k < p; k++) {
        unit[k * p + k] = 1.0;
        memset(y, 0, sizeof(double) * (size_t)n);
        fb_pattern_multiply(&s->S.pattern, s->S.values, 0.5, s->x + (size_t)k * (size_t)n, y);
        fb_pattern_multiply_transposed(&s->S.pattern, s->S.values, 0.5,
                                       s->x + (size_t)k * (size_t)n, y);
        add_violation(s, s->x + (size_t)k * (size_t)n, along, y);
        for (int j = 0; j < p; j++) {
            H[k * p + j] = dot(n, y, s->x + (size_t)j * (size_t)n);
        }
    }
    FbStatus status = fb_eigen_symmetric_pencil(p, H, unit, theta, err);
    *n_null = 0;
    for (int k = 0; status == FB_OK && k < p; k++) {
        if (fabs(theta[k]) > NO_STRAIN) {
            continue;
        }
        double* out = kept + (size_t)(*n_null)++ * (size_t)n;
        for (int j = 0; j < p; j++) {
            for (int i = 0; i < n; i++) {
                out[i] += H[k * p + j] * s->x[(size_t)j * (size_t)n + (size_t)i];
            }
        }
    }
    if (status == FB_OK) {
        memcpy(s->x, kept, sizeof(double) * (size_t)n * (size_t)*n_null);
    }
    free(work);
    return status;
}

// From scaled coordinates to an orthonormal basis of displacements (turns times the model's
// length).
static void make_physical(Search* s, int n_null) {
    const FbTree* tree = &s->m->tree;
    for (int i = 0; i < s->n; i++) {
        FbLinkKind kind = tree->links[tree->link_of_v[s->v[i]]].kind;
        bool is_slide = kind == FB_LINK_SLIDE || kind == FB_LINK_TRANSLATE3;
        double size = is_slide ? 1.0 : s->m->length;
        for (int k = 0; k < n_null; k++) {
            s->x[(size_t)k * (size_t)s->n + (size_t)i] *= size * s->scale[i];
        }
        s->scale[i] = 1.0 / size;
    }
    s->n_x = n_null;
    orthonormalize(s);
}

// How a node can move: the largest displacements and turns along the axes over the null space.
typedef struct NodeMotion {
    int body;
    double move[6];  // along x, y, z, times 1 / length about x, y, z
    double size;     // of the displacement; turning on the spot counts little
} NodeMotion;

static NodeMotion motion_of(const Search* s, int body, int n_null, double length) {
    NodeMotion out = {.body = body};
    const FbBody* b = &s->m->bodies[body];
    for (int k = 0; k < n_null; k++) {
        FbVec3 move = {0, 0, 0}, turn = {0, 0, 0};
        const double* x = s->x + (size_t)k * (size_t)s->n;
        for (int l = b->link; l >= 0; l = s->m->tree.links[l].parent) {
            const FbLink* link = &s->m->tree.links[l];
            for (int j = link->v0; j < link->v0 + link->n_v; j++) {
                double rate = s->own[j] >= 0 ? x[s->own[j]] * s->scale[s->own[j]] : 0.0;
                FbVec6 S = s->system->k.S[j];
                move = fb_axpy(rate, fb_velocity_at(S, b->p_GB), move);
                turn = fb_axpy(rate * length, S.ang, turn);
            }
        }
        const double part[6] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
        for (int i = 0; i < 6; i++) {
            out.move[i] = hypot(out.move[i], part[i]);
        }
    }
    for (int i = 0; i < 6; i++) {
        out.size = fmax(out.size, out.move[i] * (i < 3 ? 1.0 : TURN_COUNTS));
    }
    return out;
}

// "node 'B' can move along x, y" or, where it stays, "can turn about z".
static void describe(const NodeMotion* node, const char* name, double least, char* text,
                     size_t size) {
    static const char* const axes[] = {"x", "y", "z"};
    bool moves = false, is_first = true;
    for (int i = 0; i < 3; i++) {
        moves = moves || node->move[i] > least;
    }
    size_t n = strlen(text);
    snprintf(text + n, size - n, "node '%s' can %s ", name, moves ? "move along" : "turn about");
    for (int i = 0; i < 3; i++) {
        if (node->move[moves ? i : i + 3] > least) {
            n = strlen(text);
            snprintf(text + n, size - n, "%s%s", is_first ? "" : ", ", axes[i]);
            is_first = false;
        }
    }
}

// Nodes that move alike but for rounding stay in the order of the file.
static int compare_motions(const void* a, const void* b) {
    const NodeMotion *m = a, *n = b;
    double x = rint(1e6 * m->size), y = rint(1e6 * n->size);
    return x != y ? (x < y) - (x > y) : (m->body > n->body) - (m->body < n->body);
}

static FbStatus report(const Search* s, bool is_all, FbDiagnostics* diagnostics, FbError* err) {
    int n_null = s->n_x;
    const FbStructure* f = s->structure;
    size_t prefix = strlen(f->name) + 1;
    NodeMotion* nodes = calloc((size_t)s->m->n_bodies + 1, sizeof(NodeMotion));
    if (!nodes) {
        return fb_fail_memory(err);
    }
    int n = 0;
    for (int i = 0; i < s->m->n_bodies; i++) {
        const char* name = s->m->bodies[i].name;
        if (is_own_joint(name, f->name) && !strchr(name + prefix, '.')) {
            nodes[n++] = motion_of(s, i, n_null, s->m->length);
        }
    }
    qsort(nodes, (size_t)n, sizeof(NodeMotion), compare_motions);
    char text[400] = "";
    for (int i = 0; i < n && i < MOST_NAMED; i++) {
        if (nodes[i].size > 0.05 * nodes[0].size) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof(text) - used, "%s", used ? "; " : "");
            describe(&nodes[i], s->m->bodies[nodes[i].body].name + prefix, 0.05 * nodes[0].size,
                     text, sizeof(text));
        }
    }
    free(nodes);
    fb_diagnose(diagnostics, FB_WARNING, FB_ERR_MODEL, &f->place,
                "structure '%s' is a mechanism: it can move in %s%d way%s without strain (%s%s); "
                "support it, or join its members rigidly",
                f->name, is_all ? "" : "at least ", n_null, n_null == 1 ? "" : "s",
                text[0] ? text : "its inner nodes", n > MOST_NAMED ? "; ..." : "");
    return FB_OK;
}

static FbStatus search(Search* s, const FbBlocks* b, FbDiagnostics* diagnostics, FbError* err) {
    FB_TRY(list_own(s, err));
    if (s->n == 0 || s->n > MOST_COORDINATES) {
        return FB_OK;
    }
    s->n_x = s->n < MOST_VECTORS ? s->n : MOST_VECTORS;
    s->scale = FB_TAKE(s->arena, double, s->n + 1);
    s->x = FB_TAKE(s->arena, double, s->n * s->n_x + 1);
    double* rhs = FB_TAKE(s->arena, double, s->n + s->n_c + 1);
    if (fb_arena_has_failed(s->arena)) {
        return fb_fail_memory(err);
    }
    calc_scale(s, b);
    FB_TRY(pick_matrices(s, b, err));
    FB_TRY(scale_rows(s, err));
    FB_TRY(build_solver(s, err));
    int n_null = 0;
    FbStatus status = factor(s);
    if (status < 0) {
        return fb_fail_memory(err);
    }
    if (status == FB_OK) {
        iterate(s, rhs);
        FB_TRY(separate(s, &n_null, err));
    }
    if (n_null == 0) {
        return FB_OK;
    }
    bool is_all = n_null < s->n_x || n_null == s->n;
    make_physical(s, n_null);
    return report(s, is_all, diagnostics, err);
}

// The stiffness in the drawing, at rest.
static FbStatus calc_blocks(FbSystem* system, FbBlocks* b, FbError* err) {
    const FbModel* m = system->m;
    FbPoint p = {.t = m->settings.start,
                 .q = m->q_drawn,
                 .v = system->zero_v,
                 .a = system->zero_v,
                 .x = system->ahead.x,
                 .lambda = system->ahead.lambda};
    memset(p.lambda, 0, sizeof(double) * (size_t)m->n_rows);
    for (int i = 0; i < m->n_states; i++) {
        p.x[i] = m->states[i].initial;
    }
    FB_TRY(fb_system_choose_rows(system, p.q, err));
    FbStatus status = system->dynamics.ops->jacobian(&system->dynamics, &p, b, err);
    return status > 0 ? FB_ERR_CONVERGENCE : status;
}

// A guide that cannot carry its slider, or a structure that cannot carry its loads.
static FbStatus warn_of_buckling(FbSystem* s, FbDiagnostics* diagnostics, FbError* err) {
    FbPoint p = {.t = s->m->settings.start,
                 .q = s->m->q_drawn,
                 .v = s->zero_v,
                 .a = s->zero_v,
                 .x = s->ahead.x};
    char text[200];
    for (int i = 0; i < s->m->n_states; i++) {
        p.x[i] = s->m->states[i].initial;
    }
    fb_system_begin(s, &p);
    FbStatus status = fb_system_check_buckling(s, &p, err);
    fb_system_write_note(s, s->m->n_movers, text, sizeof(text));
    if (status == FB_ERR_MODEL || text[0]) {
        fb_diagnose(diagnostics, FB_WARNING, FB_ERR_MODEL, text[0] ? NULL : &err->place, "%s",
                    text[0] ? text : err->text);
        return FB_OK;
    }
    return status;
}

FbStatus fb_model_check_structures(const FbModel* model, FbDiagnostics* diagnostics, FbError* err) {
    FbSystem* system = NULL;
    FbBlocks b;
    if (model->n_structures == 0) {
        return FB_OK;
    }
    FB_TRY(fb_system_create(model, &system, err));
    FbStatus status = calc_blocks(system, &b, err);
    for (int i = 0; status == FB_OK && i < model->n_structures; i++) {
        Search s = {.system = system,
                    .m = model,
                    .structure = &model->structures[i],
                    .n_c = system->dynamics.size.n_c,
                    .arena = fb_arena_create()};
        status = s.arena ? search(&s, &b, diagnostics, err) : fb_fail_memory(err);
        fb_linear_destroy(s.solver);
        fb_arena_destroy(s.arena);
    }
    status = status == FB_OK ? warn_of_buckling(system, diagnostics, err) : status;
    fb_system_destroy(system);
    return status;
}

const char* fb_system_find_strained_beam(FbSystem* s, const FbPoint* p) {
    const double slack = 1e-9;
    fb_system_realize(s, p->q, p->v, s->zero_v);
    for (int i = 0; i < s->m->n_beams; i++) {
        const FbBeamElement* e = &s->m->beams[i];
        FbPort a, b;
        fb_port_realize(s, &e->end[0], &a);
        fb_port_realize(s, &e->end[1], &b);
        FbVec3 carried = fb_add(a.v, fb_cross(a.w, fb_sub(b.p, a.p)));
        double length = e->beam.length, speed = fb_norm(a.v) + fb_norm(b.v) + length * fb_norm(a.w);
        double bend = length * fb_norm(fb_sub(b.w, a.w)) + fb_norm(fb_sub(b.v, carried));
        if (bend > slack * (speed + length * fb_norm(b.w))) {
            return e->name;
        }
    }
    return NULL;
}
