// Operating points: where a model is linearized or balanced, and what is known there.
#include "solve/operating_point.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve/point.h"
#include "solve/simulation.h"

// Of the acting forces: below it a state counts as an equilibrium.
static const double BALANCED = 1e-9;
// Rounding of a position of the model's size, in units of 1e-12, which a residual may reach.
static const double POSITION_ROUNDING = 16.0 * DBL_EPSILON / 1e-12;

FbOperatingOptions fb_operating_options_default(void) {
    return (FbOperatingOptions){.kind = FB_AT_EQUILIBRIUM};
}

void fb_operating_point_destroy(FbOperatingPoint* op) {
    if (op) {
        fb_system_destroy(op->system);
        fb_arena_destroy(op->arena);
        free(op);
    }
}

static FbStatus list_coordinates(FbOperatingPoint* op, FbError* err) {
    const FbModel* m = op->model;
    int most = 0, n = 0;
    for (int j = 0; j < m->n_joints; j++) {
        most += m->joints[j].type->n_v;
    }
    op->joint = FB_TAKE(op->arena, int, most + 1);
    op->index = FB_TAKE(op->arena, int, most + 1);
    op->names = FB_TAKE(op->arena, const char*, most + 1);
    if (fb_arena_has_failed(op->arena)) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < m->n_joints; j++) {
        const FbJointType* type = m->joints[j].type;
        for (int i = 0; i < type->n_v; i++) {
            if (type->coordinates[i].kind == FB_COORD_NONE) {
                continue;
            }
            op->joint[n] = j;
            op->index[n] = i;
            op->names[n++] = type->n_v == 1
                                 ? m->joints[j].name
                                 : fb_arena_format(op->arena, "%s.q%d", m->joints[j].name, i + 1);
        }
    }
    op->info.n_coordinates = n;
    return fb_arena_has_failed(op->arena) ? fb_fail_memory(err) : FB_OK;
}

// The mass of each link and all links beyond it (parents come before their children).
static FbStatus calc_carried_mass(FbOperatingPoint* op, FbError* err) {
    const FbTree* tree = &op->model->tree;
    double* mass = FB_TAKE(op->arena, double, tree->n_link + 1);
    op->carried_mass = FB_TAKE(op->arena, double, tree->n_v + 1);
    op->stiffness = FB_TAKE(op->arena, double, tree->n_v + 1);
    op->row_stiffness = FB_TAKE(op->arena, double, op->model->n_rows + 1);
    if (fb_arena_has_failed(op->arena)) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < tree->n_link; i++) {
        mass[i] = tree->links[i].mass;
    }
    for (int i = tree->n_link - 1; i >= 0; i--) {
        int parent = tree->links[i].parent;
        if (parent >= 0) {
            mass[parent] += mass[i];
        }
    }
    for (int j = 0; j < tree->n_v; j++) {
        op->carried_mass[j] = mass[tree->link_of_v[j]];
    }
    return FB_OK;
}

// Forces and moments are compared by their works along displacements of the model's size.
static double calc_acting(FbOperatingPoint* op, const FbBlocks* b) {
    const FbTree* tree = &op->model->tree;
    double acting = fb_system_calc_force_scale(op->system, &op->p);
    double g = sqrt(fb_dot(tree->gravity, tree->gravity));
    for (int j = 0; j < tree->n_v; j++) {
        int e = fb_pattern_index(b->vv, j, j);
        if (e >= 0) {
            acting = fmax(acting, g * sqrt(op->carried_mass[j] * fmax(b->M[e], 0.0)) *
                                      fb_model_displacement(op->model, j));
        }
    }
    return acting;
}

// Constraints carry the rounding of a stiff part to the coordinates of others.
static bool spread_stiffness(FbOperatingPoint* op, const FbBlocks* b) {
    const FbPattern* cv = b->cv;
    bool has_grown = false;
    memset(op->row_stiffness, 0, sizeof(double) * (size_t)op->dynamics->size.n_c);
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < op->model->tree.n_v; j++) {
            for (int e = cv->start[j]; e < cv->start[j + 1]; e++) {
                double *row = &op->row_stiffness[cv->row[e]], *own = &op->stiffness[j];
                if (pass == 0 && b->G[e] != 0.0) {
                    *row = fmax(*row, *own);
                } else if (b->G[e] != 0.0 && *row > *own) {
                    *own = *row;
                    has_grown = true;
                }
            }
        }
    }
    return has_grown;
}

// Works of the forces on each coordinate that displacements of the model's size would make. K is
// taken by columns, as if symmetric.
static void calc_stiffness(FbOperatingPoint* op, const FbBlocks* b) {
    enum { LONGEST = 8 };  // chain of constraints
    const FbTree* tree = &op->model->tree;
    for (int j = 0; j < tree->n_v; j++) {
        op->stiffness[j] = 0.0;
        for (int e = b->vv->start[j]; e < b->vv->start[j + 1]; e++) {
            op->stiffness[j] += fabs(b->K[e]) * fb_model_displacement(op->model, b->vv->row[e]);
        }
        op->stiffness[j] *= fb_model_displacement(op->model, j);
    }
    for (int i = 0; op->dynamics->size.n_c > 0 && i < LONGEST; i++) {
        if (!spread_stiffness(op, b)) {
            break;
        }
    }
}

double fb_operating_residual(FbOperatingPoint* op, const FbBlocks* b, const double* unbalanced,
                             double* scale, int* worst) {
    const FbTree* tree = &op->model->tree;
    double residual = 0.0;
    *scale = calc_acting(op, b);
    calc_stiffness(op, b);
    *worst = 0;
    for (int j = 0; j < tree->n_v; j++) {
        double whole = fmax(*scale, POSITION_ROUNDING * op->stiffness[j]);
        double own = fabs(unbalanced[j]) * fb_model_displacement(op->model, j);
        double r = whole > 0.0 ? own / whole : own;
        if (!(r <= residual)) {  // also NaN
            residual = r;
            *worst = j;
        }
    }
    return residual;
}

// Directly, or through other states.
static void find_followed(FbOperatingPoint* op, const FbBlocks* b) {
    int n_x = op->dynamics->size.n_x, n = op->dynamics->size.n_v;
    for (int i = 0; i < n_x; i++) {
        op->is_followed[i] = false;
        for (int j = 0; j < n; j++) {
            op->is_followed[i] = op->is_followed[i] || b->Rx[i * n + j] != 0.0;
        }
    }
    for (int round = 0; round < n_x; round++) {
        for (int i = 0; i < n_x; i++) {
            for (int j = 0; j < n_x; j++) {
                op->is_followed[i] =
                    op->is_followed[i] || (op->is_followed[j] && b->Xx[i * n_x + j] != 0.0);
            }
        }
    }
}

double fb_operating_state_residual(FbOperatingPoint* op, const FbBlocks* b, double* rates,
                                   int* worst) {
    const FbTree* tree = &op->model->tree;
    int n_x = op->dynamics->size.n_x;
    double residual = 0.0;
    *worst = -1;
    if (n_x == 0 || op->keeps_states) {
        return 0.0;
    }
    find_followed(op, b);
    op->dynamics->ops->state_rates(op->dynamics, &op->p, rates);
    for (int i = 0; i < n_x; i++) {
        double whole = 0.0;
        for (int j = 0; j < n_x; j++) {
            whole += fabs(b->Xx[j * n_x + i] * op->p.x[j]);
        }
        for (int j = 0; j < tree->n_v; j++) {
            whole += fabs(b->Xq[j * n_x + i]) * fb_model_displacement(op->model, j);
        }
        rates[i] = op->is_followed[i] ? rates[i] : 0.0;
        double r = rates[i] == 0.0 ? 0.0 : fabs(rates[i]) / fmax(whole, fabs(rates[i]));
        if (!(r <= residual)) {
            residual = r;
            *worst = i;
        }
    }
    return residual;
}

FbStatus fb_operating_point_create_empty(const FbModel* model, FbOperatingPoint** out,
                                         FbError* err) {
    FbOperatingPoint* op = calloc(1, sizeof *op);
    *out = op;
    if (!op || !(op->arena = fb_arena_create())) {
        return fb_fail_memory(err);
    }
    op->model = model;
    FB_TRY(fb_system_create(model, &op->system, err));
    FB_TRY(fb_system_check_callbacks(op->system, err));
    FB_TRY(fb_system_release(op->system, model->settings.release, model->settings.n_release, err));
    fb_system_stop_sampling(op->system);
    op->dynamics = fb_system_get_dynamics(op->system);
    FbSizes sizes = fb_system_get_max_sizes(op->system);
    fb_point_take(op->arena, &sizes, &op->p);
    op->is_followed = FB_TAKE(op->arena, bool, sizes.n_x + 1);
    FB_TRY(fb_arena_has_failed(op->arena) ? fb_fail_memory(err) : list_coordinates(op, err));
    return calc_carried_mass(op, err);
}

// How large what accelerates is compared with the acting forces.
static FbStatus measure_residual(FbOperatingPoint* op, FbError* err) {
    FbBlocks b;
    FbStatus status = op->dynamics->ops->accelerations(op->dynamics, &op->p, err);
    if (status == FB_OK) {
        status = op->dynamics->ops->jacobian(op->dynamics, &op->p, &b, err);
    }
    if (status != FB_OK) {
        return status < 0 ? status
                          : fb_fail(err, FB_ERR_SINGULAR, NULL, "the accelerations are not finite");
    }
    int n = op->dynamics->size.n_v;
    for (int j = 0; op->spins.n_spins > 0 && j < n; j++) {
        op->p.a[j] -= op->steady_a[j];
    }
    double* unbalanced = calloc((size_t)(n + op->dynamics->size.n_x) + 1, sizeof(double));
    if (!unbalanced) {
        return fb_fail_memory(err);
    }
    fb_pattern_multiply(b.vv, b.M, 1.0, op->p.a, unbalanced);
    FbOperatingInfo* info = &op->info;
    int worst;
    double work;
    info->residual = fb_operating_residual(op, &b, unbalanced, &work, &worst);
    info->force_scale = work / op->model->length;
    double drift = fb_operating_state_residual(op, &b, unbalanced + n, &worst);
    info->residual = fmax(info->residual, drift);
    free(unbalanced);
    return FB_OK;
}

// What accelerates, and what is known of the point.
static FbStatus note(FbOperatingPoint* op, FbError* err) {
    char text[512];
    fb_system_write_point_note(op->system, &op->p, text, sizeof text);
    op->info.warning = text[0] ? fb_arena_text(op->arena, text) : NULL;
    return fb_arena_has_failed(op->arena) ? fb_fail_memory(err) : FB_OK;
}

static FbStatus measure(FbOperatingPoint* op, FbError* err) {
    FbOperatingInfo* info = &op->info;
    int n = op->dynamics->size.n_v;
    if (!op->is_measured) {
        FB_TRY(measure_residual(op, err));
    }
    info->largest_acceleration = 0.0;
    for (int j = 0; j < n; j++) {
        info->largest_acceleration = fmax(info->largest_acceleration, fabs(op->p.a[j]));
    }
    for (int j = 0; op->spins.n_spins > 0 && j < n; j++) {
        op->p.a[j] += op->steady_a[j];
    }
    info->is_steady = op->is_turning;
    info->is_equilibrium = info->residual < BALANCED;
    info->degrees_of_freedom = op->assembly.degrees_of_freedom;
    info->n_redundant_rows = op->model->n_rows - op->dynamics->size.n_c;
    return note(op, err);
}

// The point, the laws, samples and inputs of a simulation.
static FbStatus go_to_simulation(FbOperatingPoint* op, FbSimulation* sim, FbError* err) {
    FB_TRY(fb_simulation_settle(sim, err));
    const FbPoint* at = &sim->run.at;
    op->p.t = at->t;
    memcpy(op->p.q, at->q, sizeof(double) * (size_t)op->dynamics->size.n_q);
    memcpy(op->p.v, at->v, sizeof(double) * (size_t)op->dynamics->size.n_v);
    memcpy(op->p.x, at->x, sizeof(double) * (size_t)op->dynamics->size.n_x);
    fb_system_copy_inputs(op->system, sim->system);
    fb_system_copy_discrete(op->system, sim->system);
    fb_charts_copy(sim->system, op->system);
    return FB_OK;
}

static FbStatus go_to_time(FbOperatingPoint* op, double time, FbError* err) {
    FbRunOptions options = fb_run_options_default(op->model);
    options.inputs = fb_system_get_inputs(op->system);
    FbSimulation* sim = NULL;
    FbStatus status = fb_simulation_create(op->model, &options, &sim, err);
    if (status == FB_OK) {
        status = fb_simulation_advance(sim, time, err);
    }
    if (status == FB_OK) {
        status = go_to_simulation(op, sim, err);
    }
    fb_simulation_destroy(sim);
    return status > 0
               ? fb_fail(err, FB_ERR_MODEL, NULL, "an event stopped the run before t = %g s", time)
               : status;
}

static FbStatus balance(FbOperatingPoint* op, const FbOperatingOptions* o, FbError* err) {
    FB_TRY(fb_operating_set_steady(op, o, err));
    FB_TRY(fb_find_equilibrium(op, err));
    return fb_operating_check_steady(op, err);
}

// Laws that drive constraints, sliders with a controller. (A state of the model itself that does
// not come to rest is not a drive.)
static bool has_drives(const FbModel* m) {
    bool has_any = false;
    for (int r = 0; r < m->n_rows; r++) {
        has_any |= m->rows[r].law >= 0;
    }
    for (int i = 0; i < m->n_sliders; i++) {
        has_any |= m->sliders[i].command >= 0;
    }
    return has_any;
}

// With drives at constant rates and controllers at rest, if there is such a point; otherwise with
// all of them parked.
static FbStatus rest(FbOperatingPoint* op, const FbOperatingOptions* o, FbError* err) {
    FbError found = {.status = FB_OK};
    fb_system_park_sliders(op->system);
    FbStatus status = balance(op, o, &found);
    if (status < 0 && status != FB_ERR_MEMORY && status != FB_ERR_NAME && o->n_steady == 0 &&
        has_drives(op->model)) {
        FbError parked = {.status = FB_OK};
        fb_system_park_drives(op->system);
        op->spins = (FbSpins){0};
        op->is_turning = false;
        op->info.iterations = op->info.relaxations = 0;
        FbStatus again = fb_system_assemble(op->system, op->model->settings.start, &op->p,
                                            &op->assembly, &parked);
        again = again == FB_OK ? balance(op, o, &parked) : again;
        if (again == FB_OK) {
            op->info.is_parked = true;
            return FB_OK;
        }
    }
    if (status < 0) {
        *err = found;
    }
    return status;
}

static FbStatus fill(FbOperatingPoint* op, const FbOperatingOptions* o, FbError* err) {
    assert(op->model);
    const FbSettings* settings = &op->model->settings;
    FB_TRY(fb_system_start_inputs(op->system, o->inputs, err));
    FB_TRY(fb_system_assemble(op->system, settings->start, &op->p, &op->assembly, err));
    if (o->kind == FB_AT_INITIAL) {
        FB_TRY(fb_start_elsewhere(op->system, op->model, settings, &op->p, &op->assembly, err));
    }
    if (o->kind == FB_AT_TIME) {
        FB_TRY(go_to_time(op, o->time, err));
    }
    if (o->kind == FB_AT_EQUILIBRIUM) {
        FB_TRY(rest(op, o, err));
    }
    return measure(op, err);
}

// The point, or none where something failed: a callback says so itself.
static FbStatus finish(FbOperatingPoint* op, FbStatus status, FbOperatingPoint** out,
                       FbError* err) {
    if (op && op->system) {
        status = fb_system_conclude(op->system, status, err);
    }
    if (status != FB_OK) {
        fb_operating_point_destroy(op);
        op = NULL;
    }
    *out = op;
    return status;
}

FbStatus fb_operating_point_create(const FbModel* model, const FbOperatingOptions* options,
                                   FbOperatingPoint** out, FbError* err) {
    FbOperatingPoint* op = NULL;
    FbStatus status = fb_operating_point_create_empty(model, &op, err);
    if (status == FB_OK) {
        status = fill(op, options, err);
    }
    return finish(op, status, out, err);
}

FbStatus fb_operating_point_create_here(FbSimulation* sim, FbOperatingPoint** out, FbError* err) {
    FbOperatingPoint* op = NULL;
    FbStatus status = fb_operating_point_create_empty(sim->model, &op, err);
    if (status == FB_OK) {
        fb_system_copy_inputs(op->system, sim->system);
        status =
            fb_system_assemble(op->system, sim->options.settings.start, &op->p, &op->assembly, err);
    }
    if (status == FB_OK) {
        status = go_to_simulation(op, sim, err);
    }
    if (status == FB_OK) {
        status = measure(op, err);
    }
    return finish(op, status, out, err);
}

FbStatus fb_operating_point_create_like(const FbModel* absolute, const FbOperatingPoint* other,
                                        FbOperatingPoint** out, FbError* err) {
    FbOperatingPoint* op = NULL;
    FbStatus status = fb_operating_point_create_empty(absolute, &op, err);
    if (status == FB_OK) {
        status = fb_system_assemble(op->system, other->p.t, &op->p, &op->assembly, err);
    }
    if (status == FB_OK) {
        fb_system_copy_inputs(op->system, other->system);
        fb_system_copy_motion(op->system, other->system, &other->p, &op->p);
        status = fb_system_choose_rows(op->system, op->p.q, err);
    }
    if (status == FB_OK) {
        op->assembly.degrees_of_freedom = op->dynamics->size.n_v - op->dynamics->size.n_c;
        status = measure(op, err);
        op->info.iterations = other->info.iterations;
    }
    return finish(op, status, out, err);
}

void fb_operating_point_get_info(const FbOperatingPoint* op, FbOperatingInfo* info) {
    *info = op->info;
}

bool fb_operating_point_get_coordinate(const FbOperatingPoint* op, int i, const char** name,
                                       const char** unit, double* value) {
    if (i < 0 || i >= op->info.n_coordinates) {
        return false;
    }
    *name = op->names[i];
    *unit = op->model->joints[op->joint[i]].type->coordinates[op->index[i]].unit;
    *value = fb_system_calc_joint_coordinate(op->system, op->p.q, op->joint[i], op->index[i]);
    return true;
}

bool fb_operating_point_get_slider_law(const FbOperatingPoint* op, int slider, double motion[3]) {
    return fb_system_get_law_of_slider(op->system, slider, op->p.t, motion);
}

FbStatus fb_operating_point_calc_outputs(FbOperatingPoint* op, double* values, FbError* err) {
    int count;
    FB_TRY(fb_system_find_ambiguous(op->system, &op->p, &count, err));
    return fb_system_calc_outputs(op->system, &op->p, values, err);
}

bool fb_operating_point_is_unique(const FbOperatingPoint* op, int output) {
    return !fb_system_is_ambiguous(op->system, output);
}
