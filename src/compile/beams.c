// Beams: their frames on the links, the velocities that move them, and the constant matrices of
// the linear ones.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "fem/mat12.h"
#include "math/rotation.h"
#include "system/port.h"

// x along the element, y as near as possible to the wanted direction.
static FbMat3 element_axes(FbVec3 x, FbVec3 y_hint) {
    FbMat3 zxy = fb_mat3_identity(), out;
    fb_rotation_from_axes(x, y_hint, &zxy);  // its z is our x, its x our y
    for (int r = 0; r < 3; r++) {
        out.m[r][0] = zxy.m[r][2];
        out.m[r][1] = zxy.m[r][0];
        out.m[r][2] = zxy.m[r][1];
    }
    return out;
}

static FbLinkFrame end_frame(const FbModel* m, int body, const FbMat3* axes) {
    FbLinkFrame f = {.link = -1, .R = *axes, .p = {0, 0, 0}};
    if (body >= 0) {
        const FbBody* node = &m->bodies[body];
        FbMat3 in_body = fb_mat3_mul_tn(&node->R_GB, axes);
        f.link = node->link;
        f.R = fb_mat3_mul(&node->R_LB, &in_body);
        f.p = node->p_LB;
    }
    return f;
}

static int count_above(const FbTree* tree, int link) {
    int n = 0;
    for (int l = link; l >= 0; l = tree->links[l].parent) {
        n += tree->links[l].n_v;
    }
    return n;
}

// Adds the velocities from the ground to a link, in the order of the tree, to a sorted path.
static void merge_chain(const FbTree* tree, int link, unsigned char side, FbPortPath* path) {
    for (int l = link; l >= 0; l = tree->links[l].parent) {
        for (int j = tree->links[l].v0 + tree->links[l].n_v - 1; j >= tree->links[l].v0; j--) {
            int at = path->n;
            while (at > 0 && path->v[at - 1] > j) {
                at--;
            }
            if (at > 0 && path->v[at - 1] == j) {
                path->moves[at - 1] |= side;
                continue;
            }
            memmove(path->v + at + 1, path->v + at, sizeof(int) * (size_t)(path->n - at));
            memmove(path->moves + at + 1, path->moves + at, (size_t)(path->n - at));
            path->v[at] = j;
            path->moves[at] = side;
            path->n++;
        }
    }
}

FbStatus fb_compile_port_path(FbBuilder* b, int link_a, int link_b, FbPortPath* path) {
    FbModel* m = b->m;
    int most = count_above(&m->tree, link_a) + count_above(&m->tree, link_b);
    path->n = 0;
    path->v = FB_TAKE(m->arena, int, most + 1);
    path->moves = FB_TAKE(m->arena, unsigned char, most + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    merge_chain(&m->tree, link_a, 1, path);
    merge_chain(&m->tree, link_b, 2, path);
    m->max_port_path = path->n > m->max_port_path ? path->n : m->max_port_path;
    return FB_OK;
}

static bool check_properties(FbBuilder* b, const FbBeamDef* def) {
    const struct {
        double value;
        const char* name;
    } checks[] = {{def->EA, "EA"},
                  {def->GJ, "GJ"},
                  {def->EIy, "EIy"},
                  {def->EIz, "EIz"},
                  {def->mass_per_length, "the mass per length"},
                  {def->inertia_x, "the rotary inertia about x"},
                  {def->inertia_y, "the rotary inertia about y"},
                  {def->inertia_z, "the rotary inertia about z"},
                  {def->alpha, "the damping factor alpha"},
                  {def->beta, "the damping factor beta"}};
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        if (!(checks[i].value >= 0.0) || !isfinite(checks[i].value)) {
            fb_compile_error(b, FB_ERR_RANGE, &def->origin, NULL,
                             "%s of beam '%s' is %g; it must be finite and >= 0", checks[i].name,
                             def->name, checks[i].value);
            return false;
        }
    }
    if (!(def->GAy > 0.0) || !(def->GAz > 0.0)) {
        fb_compile_error(
            b, FB_ERR_RANGE, &def->origin, NULL,
            "the shear stiffness of beam '%s' must be > 0 (INFINITY: no shear deformation)",
            def->name);
        return false;
    }
    return true;
}

static void fill_beam(const FbBeamDef* def, double length, FbBeam* beam) {
    double L2 = length * length;
    *beam = (FbBeam){.length = length,
                     .EA = def->EA,
                     .GJ = def->GJ,
                     .EIy = def->EIy,
                     .EIz = def->EIz,
                     .phi_y = isinf(def->GAy) ? 0.0 : 12.0 * def->EIz / (def->GAy * L2),
                     .phi_z = isinf(def->GAz) ? 0.0 : 12.0 * def->EIy / (def->GAz * L2),
                     .mass_per_length = def->mass_per_length,
                     .inertia_x = def->inertia_x,
                     .inertia_y = def->inertia_y,
                     .inertia_z = def->inertia_z,
                     .is_lumped = def->is_lumped,
                     .alpha = def->alpha,
                     .beta = def->beta};
}

static FbStatus place_beam(FbBuilder* b, const FbBeamDef* def, FbBeamElement* e) {
    FbModel* m = b->m;
    FbVec3 zero = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        const char* name = i ? def->body_b : def->body_a;
        e->body[i] = fb_def_find_body(b->def, def->origin.scope, name);
        if (e->body[i] == FB_NOT_FOUND) {
            fb_compile_error(b, FB_ERR_NAME, &def->origin, i ? "to" : "from",
                             "beam '%s' ends at body '%s', which does not exist", def->name,
                             name ? name : "");
            return FB_OK;
        }
        e->p_drawn[i] = e->body[i] >= 0 ? m->bodies[e->body[i]].p_GB : zero;
    }
    FbVec3 along = fb_sub(e->p_drawn[1], e->p_drawn[0]);
    double length = fb_norm(along);
    if (!(length > 0.0)) {
        fb_compile_error(b, FB_ERR_RANGE, &def->origin, NULL,
                         "beam '%s' has no length: both of its ends are at (%g, %g, %g)", def->name,
                         e->p_drawn[0].x, e->p_drawn[0].y, e->p_drawn[0].z);
        return FB_OK;
    }
    fill_beam(def, length, &e->beam);
    e->R_drawn = element_axes(fb_scale(1.0 / length, along), fb_vec3_from(def->y_axis));
    for (int i = 0; i < 2; i++) {
        e->end[i] = end_frame(m, e->body[i], &e->R_drawn);
    }
    return fb_compile_port_path(b, e->end[0].link, e->end[1].link, &e->path);
}

// Linear elements measure displacements by scalar coordinates.
static void check_linear(FbBuilder* b, const FbBeamDef* def, const FbBeamElement* e) {
    for (int k = 0; e->is_linear && k < e->path.n; k++) {
        int j = e->path.v[k];
        if (b->m->tree.links[b->m->tree.link_of_v[j]].kind == FB_LINK_BALL) {
            fb_compile_error(
                b, FB_ERR_MODEL, &def->origin, NULL,
                "beam '%s' is linear, but one of its ends can rotate freely in space; make it "
                "nonlinear, or attach that end by joints of type node or planar",
                def->name);
            return;
        }
    }
}

static FbStatus compile_beam(FbBuilder* b, int i) {
    const FbBeamDef* def = &b->def->beams[i];
    FbBeamElement* e = &b->m->beams[i];
    e->name = fb_arena_text(b->m->arena, def->name);
    e->is_linear = def->is_linear;
    e->place = def->origin.place;
    e->place.file = fb_arena_text(b->m->arena, def->origin.place.file);
    e->load[0] = e->load[1] = e->load[2] = -1;
    e->area = def->area;
    e->edge_y = def->edge_y;
    e->edge_z = def->edge_z;
    e->torsion_modulus = def->torsion_modulus;
    if (!check_properties(b, def)) {
        return FB_OK;
    }
    FB_TRY(place_beam(b, def, e));
    check_linear(b, def, e);
    return FB_OK;
}

static void compile_members(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_beams; i++) {
        const char* member = b->def->beams[i].member;
        if (i == 0 || strcmp(member, b->def->beams[i - 1].member) != 0) {
            m->members[m->n_members++] =
                (FbMember){.name = fb_arena_text(m->arena, member), .first = i};
        }
        m->members[m->n_members - 1].n++;
        m->members[m->n_members - 1].length += m->beams[i].beam.length;
    }
}

static void map_coordinates(FbModel* m) {
    for (int l = 0; l < m->tree.n_link; l++) {
        const FbLink* link = &m->tree.links[l];
        for (int j = 0; j < link->n_v; j++) {
            m->q_of_v[link->v0 + j] = link->kind == FB_LINK_BALL ? -1 : link->q0 + j;
        }
    }
}

FbStatus fb_compile_beams(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_beams = b->def->n_beams;
    m->beams = FB_TAKE(m->arena, FbBeamElement, m->n_beams + 1);
    m->members = FB_TAKE(m->arena, FbMember, m->n_beams + 1);
    m->q_of_v = FB_TAKE(m->arena, int, m->tree.n_v + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    if (b->is_absolute && m->n_beams + b->def->n_sliders + b->def->n_superelements > 0) {
        fb_diagnose(b->diagnostics, FB_SEVERE, FB_ERR_MODEL, NULL,
                    "structures and sliders have no absolute coordinates; use joint coordinates");
        return FB_OK;
    }
    map_coordinates(m);
    for (int i = 0; i < m->n_beams; i++) {
        FB_TRY(compile_beam(b, i));
    }
    compile_members(b);
    m->has_structures = m->n_beams + b->def->n_sliders + b->def->n_superelements > 0;
    return FB_OK;
}

// Loads may depend on sensors, so they are compiled with the forces.
FbStatus fb_compile_loads(FbBuilder* b) {
    for (int i = 0; i < b->m->n_beams; i++) {
        const FbBeamDef* def = &b->def->beams[i];
        FbBeamElement* e = &b->m->beams[i];
        for (int c = 0; c < 3; c++) {
            if (def->load[c]) {
                e->load[c] = fb_compile_function(
                    b, def->load[c], &def->origin, "load",
                    (FbUse){.is_for_dynamics = true, .result = fb_quantity_of_unit("N/m")});
                b->m->has_work = true;
            }
        }
        b->m->has_work = b->m->has_work || def->alpha > 0.0 || def->beta > 0.0;
    }
    return FB_OK;
}

// J0: how the ends move with each velocity at the drawing (eq. 8.31); E J0: how the field does.
static FbStatus calc_linear_columns(FbModel* m, const FbKinematics* k, FbBeamElement* e) {
    double E[FB_DOF * FB_DOF];
    size_t size = (size_t)e->path.n * FB_DOF + 1;
    e->J0 = FB_TAKE(m->arena, double, size);
    e->EJ0 = FB_TAKE(m->arena, double, size);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    fb_beam_calc_linear_field(e, E, e->e0);
    for (int c = 0; c < e->path.n; c++) {
        double* column = e->J0 + c * FB_DOF;
        for (int side = 0; side < 2; side++) {
            if (e->path.moves[c] & (1 << side)) {
                FbVec3 at = fb_link_point(k, e->end[side].link, e->end[side].p);
                FbVec6 S = fb_column_at(k, e->path.v[c], at);
                fb_vec3_to(S.lin, column + 6 * side);
                fb_vec3_to(S.ang, column + 6 * side + 3);
            }
        }
        fb_mat12_add_product(E, column, e->EJ0 + c * FB_DOF);
    }
    return FB_OK;
}

// Adds J0' (M, C, K) J0 and the weight (eq. 8.32).
static void assemble_linear(FbModel* m, const FbBeamElement* e) {
    double K[FB_DOF * FB_DOF], M[FB_DOF * FB_DOF], weight[FB_DOF] = {0};
    FbVec3 g = m->tree.gravity, up = fb_scale(-1.0, g);
    fb_beam_calc_stiffness(&e->beam, K);
    fb_beam_calc_mass(&e->beam, M);
    fb_beam_turn_matrix(&e->R_drawn, K);
    fb_beam_turn_matrix(&e->R_drawn, M);
    fb_vec3_to(up, weight);
    fb_vec3_to(up, weight + 6);
    for (int c = 0; c < e->path.n; c++) {
        const double* column = e->J0 + c * FB_DOF;
        for (int r = 0; r < e->path.n; r++) {
            const double* row = e->J0 + r * FB_DOF;
            int at = fb_pattern_index(&m->vv, e->path.v[r], e->path.v[c]);
            double mass = fb_mat12_form(row, M, column), stiffness = fb_mat12_form(row, K, column);
            m->linear_M[at] += mass;
            m->linear_K[at] += stiffness;
            m->linear_C[at] += e->beam.alpha * mass + e->beam.beta * stiffness;
        }
        m->linear_r[e->path.v[c]] += fb_mat12_form(column, M, weight);
    }
    FbVec3 middle = fb_scale(0.5, fb_add(e->p_drawn[0], e->p_drawn[1]));
    m->linear_energy -= e->beam.mass_per_length * e->beam.length * fb_dot(g, middle);
}

static FbStatus assemble_all(FbModel* m, const FbKinematics* k) {
    for (int i = 0; i < m->n_beams; i++) {
        if (m->beams[i].is_linear) {
            FB_TRY(calc_linear_columns(m, k, &m->beams[i]));
            assemble_linear(m, &m->beams[i]);
        }
    }
    return FB_OK;
}

// Of a turn: not of linear elements; of the own nodes of a structure whose theory was asked for; of
// what carries it, or of a theory that was left open.
enum { NO_TURN, ASKED_TURN, OPEN_TURN };

static void mark_turns(const FbModel* m, char* mark) {
    for (int i = 0; i < m->n_superelements; i++) {
        for (int k = 0; k < m->superelements[i].n; k++) {
            mark[m->superelements[i].v[k]] = ASKED_TURN;
        }
    }
    for (int i = 0; i < m->n_structures; i++) {
        const FbStructure* s = &m->structures[i];
        for (int e = s->first; e < s->first + s->n; e++) {
            const FbPortPath* path = &m->beams[e].path;
            for (int k = 0; m->beams[e].is_linear && k < path->n; k++) {
                mark[path->v[k]] = s->is_theory_open ? OPEN_TURN : ASKED_TURN;
            }
        }
    }
    for (int j = 0; j < m->tree.n_v; j++) {
        int joint = m->tree.links[m->tree.link_of_v[j]].joint;
        mark[j] =
            mark[j] == ASKED_TURN && (joint < 0 || !m->is_linear_node[joint]) ? OPEN_TURN : mark[j];
    }
}

// The turns among the coordinates of linear elements and matrices from outside, open ones first.
static FbStatus list_turns(FbModel* m) {
    char* mark = calloc((size_t)m->tree.n_v + 1, 1);
    m->linear_turns = FB_TAKE(m->arena, int, m->tree.n_v + 1);
    if (!mark || !m->linear_turns) {
        free(mark);
        return FB_ERR_MEMORY;
    }
    mark_turns(m, mark);
    for (int kind = OPEN_TURN; kind >= ASKED_TURN; kind--) {
        for (int j = 0; j < m->tree.n_v; j++) {
            if (mark[j] == kind && m->tree.links[m->tree.link_of_v[j]].kind == FB_LINK_TURN) {
                m->linear_turns[m->n_linear_turns++] = j;
            }
        }
        m->n_open_turns = kind == OPEN_TURN ? m->n_linear_turns : m->n_open_turns;
    }
    free(mark);
    return FB_OK;
}

// After the pattern is known.
FbStatus fb_compile_linear_matrices(FbBuilder* b, FbError* err) {
    FbModel* m = b->m;
    int n_linear = 0;
    for (int i = 0; i < m->n_beams; i++) {
        n_linear += m->beams[i].is_linear;
    }
    if (n_linear + m->n_superelements == 0) {
        return FB_OK;
    }
    size_t n = (size_t)fb_pattern_count(&m->vv) + 1;
    m->linear_M = FB_TAKE(m->arena, double, n);
    m->linear_C = FB_TAKE(m->arena, double, n);
    m->linear_K = FB_TAKE(m->arena, double, n);
    m->linear_r = FB_TAKE(m->arena, double, m->tree.n_v + 1);
    FbArena* scratch = fb_arena_create();
    FbKinematics k;
    if (!scratch || fb_arena_has_failed(m->arena)) {
        fb_arena_destroy(scratch);
        return fb_fail_memory(err);
    }
    FbStatus status = fb_kinematics_init(&m->tree, scratch, &k, err);
    if (status == FB_OK) {
        fb_tree_realize_position(&m->tree, m->q_drawn, &k);
        status = assemble_all(m, &k);
        fb_superelements_assemble(b);
        status = status == FB_OK ? fb_compile_linear_loads(m, &k) : status;
        status = status == FB_OK ? list_turns(m) : status;
    }
    fb_arena_destroy(scratch);
    return status;
}
