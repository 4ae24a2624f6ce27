// Structures that loads have stressed: the state of rest K u = f, its geometric stiffness, and the
// factors by which loads can grow until the structure buckles (eqs. 12.19 to 12.23).
#include <math.h>
#include <string.h>

#include "base/expr.h"
#include "math/lanczos.h"
#include "math/symmetric.h"
#include "mesh/mesh_plan.h"

typedef struct State {
    FbMeshPlan* plan;
    FbMatrixPlan* m;
    const FbMeshStateDef* def;
    const char* key;      // prestress or buckling
    FbSymmetric* solver;  // of the stiffness
    double* u;            // [n] first forces, then displacements
    FbSparse geometric;
} State;

static FbPlace place_of(const State* s, const char* key) {
    return key ? fb_origin_place(&s->def->origin, key) : s->def->origin.place;
}

// ---- Forces ----

typedef struct Names {
    const FbModelDef* def;
    const char* scope;
} Names;

static int find_name(void* self, const char* name, FbNumber* found) {
    const Names* names = self;
    int i = fb_def_find_parameter(names->def, names->scope, name);
    if (i < 0) {
        return 0;  // time or a sensor: an input, which a constant does not have
    }
    *found = (FbNumber){names->def->parameters[i].value, names->def->parameters[i].quantity};
    return FB_NAME_CONSTANT;
}

static FbStatus calc_value(const State* s, const FbMatrixLoad* load, double* out) {
    Names names = {s->m->def, load->origin->scope};
    FbExpr* expr;
    FbPlace place = place_of(s, "loads");
    FB_TRY(fb_expr_compile(load->value, find_name, &names, &place, s->plan->arena, &expr,
                           s->plan->err));
    double* scratch = FB_TAKE(s->plan->arena, double, fb_expr_scratch(expr) + 1);
    if (!scratch) {
        return fb_fail_memory(s->plan->err);
    }
    if (fb_expr_input_count(expr) > 0) {
        return fb_fail(s->plan->err, FB_ERR_MODEL, &place,
                       "load '%s' varies ('%s'), so it cannot be part of '%s'; give a "
                       "constant load",
                       load->name, load->value, s->key);
    }
    *out = fb_expr_value(expr, NULL, scratch);
    return FB_OK;
}

static FbStatus add_load(const State* s, const char* name) {
    const FbMatrixLoads* loads = &s->m->loads;
    size_t n = (size_t)s->plan->n_rows;
    bool is_found = false;
    for (int i = 0; i < loads->count; i++) {
        double value = 0.0;
        if (strcmp(loads->items[i].name, name) != 0) {
            continue;
        }
        FB_TRY(calc_value(s, &loads->items[i], &value));
        is_found = true;
        for (size_t k = 0; k < n; k++) {
            s->u[k] += value * loads->vectors[(size_t)i * n + k];
        }
    }
    FbPlace place = place_of(s, "loads");
    return is_found ? FB_OK
                    : fb_fail(s->plan->err, FB_ERR_NAME, &place,
                              "structure '%s' has no load '%s'; name one of its 'loads'",
                              s->plan->s->name, name);
}

static bool has_spin(const FbMeshStateDef* def) {
    return def->spin[0] != 0.0 || def->spin[1] != 0.0 || def->spin[2] != 0.0;
}

// In the axes of the mesh.
static FbVec3 spin_of(const State* s) {
    FbMat3 R = fb_mat3_from(s->plan->s->rotation);
    return fb_mul3_transposed(&R, fb_vec3_from(s->def->spin));
}

static FbStatus calc_forces(const State* s) {
    size_t n = (size_t)s->plan->n_rows;
    FbMat3 R = fb_mat3_from(s->plan->s->rotation);
    double g[3];
    fb_vec3_to(fb_mul3_transposed(&R, fb_vec3_from(s->def->gravity)), g);
    for (size_t k = 0; k < 3 * n; k++) {
        s->u[k % n] += g[k / n] * s->m->whole.loads[k];
    }
    for (int i = 0; i < s->def->n_loads; i++) {
        FB_TRY(add_load(s, s->def->loads[i]));
    }
    if (has_spin(s->def)) {
        fb_mesh_add_spin(s->plan, spin_of(s), fb_vec3_from(s->def->about), s->u, NULL);
    }
    for (size_t k = 0; k < n; k++) {
        if (s->u[k] != 0.0) {
            return FB_OK;
        }
    }
    return fb_fail(s->plan->err, FB_ERR_MODEL, &s->def->origin.place,
                   "'%s' of structure '%s' has no loads: give 'loads', a list of names, 'gravity' "
                   "or 'spin'",
                   s->key, s->plan->s->name);
}

// ---- Rest ----

static FbStatus factor(State* s, const FbSparse* stiffness, bool* is_definite) {
    fb_symmetric_destroy(s->solver);
    s->solver = NULL;
    FB_TRY(fb_symmetric_create(&stiffness->pattern, &s->solver, s->plan->err));
    memcpy(fb_symmetric_values(s->solver), stiffness->values,
           sizeof(double) * (size_t)fb_pattern_count(&stiffness->pattern));
    FbStatus status = fb_symmetric_factor(s->solver, FB_SYMMETRIC_DEFINITE);
    *is_definite = status == FB_OK;
    return status == FB_ERR_MEMORY ? fb_fail_memory(s->plan->err) : FB_OK;
}

static FbStatus rest(State* s) {
    bool is_held;
    FB_TRY(calc_forces(s));
    FB_TRY(factor(s, &s->m->whole.stiffness, &is_held));
    if (!is_held) {
        return fb_fail(s->plan->err, FB_ERR_MODEL, &s->def->origin.place,
                       "'%s': structure '%s' can move without deforming, "
                       "so loads do not stress it; hold it by 'supports' (joints and springs to "
                       "other parts do not "
                       "count here)",
                       s->key, s->plan->s->name);
    }
    fb_symmetric_solve(s->solver, s->u);
    return FB_OK;
}

// ---- Geometric stiffness ----

// It has entries where the stiffness has them.
static FbStatus calc_geometric(State* s) {
    s->geometric.pattern = s->m->whole.stiffness.pattern;
    FB_TRY(fb_mesh_assemble_geometric(s->plan, s->u, &s->geometric));
    if (has_spin(s->def)) {
        fb_mesh_add_spin(s->plan, spin_of(s), fb_vec3_from(s->def->about), NULL, &s->geometric);
    }
    return FB_OK;
}

// K + K_G, or -K_G alone.
static FbStatus add_matrices(const State* s, const FbSparse* K, double factor, FbSparse* out) {
    size_t n = (size_t)fb_pattern_count(&s->geometric.pattern);
    out->pattern = s->geometric.pattern;
    out->values = FB_TAKE(s->plan->arena, double, n + 1);
    if (!out->values) {
        return fb_fail_memory(s->plan->err);
    }
    for (size_t e = 0; e < n; e++) {
        out->values[e] = (K ? K->values[e] : 0.0) + factor * s->geometric.values[e];
    }
    return FB_OK;
}

// ---- What follows ----

static FbStatus solve_many(void* solver, int count, double* b) {
    return fb_symmetric_solve_many(solver, count, b);
}

// K x = -lambda K_G x (eq. 12.21)
static FbStatus calc_factors(State* s, int count, double* factors, int* n_found) {
    FbSparse negative;
    FB_TRY(add_matrices(s, NULL, -1.0, &negative));
    FbLanczosProblem problem = {.A = &negative,
                                .inner = &s->m->whole.stiffness,
                                .solve = solve_many,
                                .solver = s->solver,
                                .smallest = 1e-12};
    FbLanczosResult result;
    FB_TRY(fb_lanczos_largest(&problem, count, factors, NULL, &result, s->plan->err));
    *n_found = result.n_found;
    for (int i = 0; i < *n_found; i++) {
        factors[i] = 1.0 / factors[i];
    }
    return FB_OK;
}

static FbStatus apply_prestress(State* s) {
    FbSparse sum;
    bool is_stable;
    FB_TRY(add_matrices(s, &s->m->whole.stiffness, 1.0, &sum));
    State after = {.plan = s->plan};
    FbStatus status = factor(&after, &sum, &is_stable);
    fb_symmetric_destroy(after.solver);
    FB_TRY(status);
    if (is_stable) {
        s->m->whole.stiffness = sum;
        return FB_OK;
    }
    double lowest = NAN;
    int n_found;
    FB_TRY(calc_factors(s, 1, &lowest, &n_found));
    return fb_fail(s->plan->err, FB_ERR_MODEL, &s->def->origin.place,
                   "structure '%s' buckles under its prestress, at %.4g times these loads; reduce "
                   "them, or make it stiffer",
                   s->plan->s->name, lowest);
}

static FbStatus find_buckling(State* s) {
    int count = s->def->n_factors > 0 ? s->def->n_factors : 1;
    s->m->load_factors = FB_TAKE(s->plan->arena, double, count + 1);
    if (!s->m->load_factors) {
        return fb_fail_memory(s->plan->err);
    }
    s->m->has_load_factors = true;
    return calc_factors(s, count, s->m->load_factors, &s->m->n_load_factors);
}

static FbStatus examine(FbMeshPlan* plan, FbMatrixPlan* m, const FbMeshStateDef* def,
                        bool is_prestress) {
    State s = {.plan = plan, .m = m, .def = def, .key = is_prestress ? "prestress" : "buckling"};
    s.u = FB_TAKE(plan->arena, double, plan->n_rows + 1);
    FbStatus status = s.u ? rest(&s) : fb_fail_memory(plan->err);
    status = status == FB_OK ? calc_geometric(&s) : status;
    if (status == FB_OK) {
        status = is_prestress ? apply_prestress(&s) : find_buckling(&s);
    }
    fb_symmetric_destroy(s.solver);
    return status;
}

FbStatus fb_mesh_plan_prestress(FbMeshPlan* plan, FbMatrixPlan* m) {
    if (plan->s->prestress) {
        FB_TRY(examine(plan, m, plan->s->prestress, true));
    }
    return plan->s->buckling ? examine(plan, m, plan->s->buckling, false) : FB_OK;
}
