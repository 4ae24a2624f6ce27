// Beams: their frames on the links, and the velocities that move them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/part_build.h"
#include "fem/mat12.h"
#include "math/rotation.h"
#include "system/port.h"

FbMat3 fb_compile_element_axes(FbVec3 x, FbVec3 y_hint) {
    FbMat3 zxy = fb_mat3_identity(), out;
    fb_rotation_from_axes(x, y_hint, &zxy);  // its z is our x, its x our y
    for (int r = 0; r < 3; r++) {
        out.m[r][0] = zxy.m[r][2];
        out.m[r][1] = zxy.m[r][0];
        out.m[r][2] = zxy.m[r][1];
    }
    return out;
}

FbLinkFrame fb_compile_end_frame(const FbModel* m, int body, const FbMat3* axes) {
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
                     .beta = def->beta,
                     .is_fourth_order = def->is_fourth_order};
}

// Length of an arc that turns by `angle`, over that of its chord.
static double calc_arc(double angle) {
    return angle > 0.0 ? 0.5 * angle / sin(0.5 * angle) : 1.0;
}

// An arc of a circle turns about an axis across its chord, by less than half a turn.
static bool check_turn(FbBuilder* b, const FbBeamDef* def, FbVec3 chord) {
    const double slack = 1e-6, half_turn = 3.14159265358979323846;
    FbVec3 turn = fb_vec3_from(def->turn);
    double angle = fb_norm(turn);
    if (angle == 0.0) {
        return true;
    }
    if (def->is_linear || !(angle < half_turn) ||
        !(fabs(fb_dot(turn, chord)) <= slack * angle * fb_norm(chord))) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, NULL,
                         "beam '%s' is an arc with a turn of [%g, %g, %g] rad; that must be across "
                         "the line between its ends and less than half a turn, and the beam "
                         "nonlinear",
                         def->name, turn.x, turn.y, turn.z);
        return false;
    }
    return true;
}

void fb_compile_beam_base(FbBeamElement* e) {
    e->base = (FbElement){.type = &fb_element_beam,
                          .self = &e->beam,
                          .alpha = e->beam.alpha,
                          .beta = e->beam.beta,
                          .end = e->end,
                          .p_drawn = e->p_drawn,
                          .R_drawn = e->base.R_drawn};
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
    e->base.R_drawn =
        fb_compile_element_axes(fb_scale(1.0 / length, along), fb_vec3_from(def->y_axis));
    FbVec3 turn = fb_vec3_from(def->turn);
    if (!check_turn(b, def, along)) {
        return FB_OK;
    }
    fill_beam(def, length * calc_arc(fb_norm(turn)), &e->beam);
    e->beam.psi_0 = fb_mul3_transposed(&e->base.R_drawn, turn);
    for (int i = 0; i < 2; i++) {
        FbMat3 half = fb_rotation_from_vector(fb_scale(i ? 0.5 : -0.5, turn));
        FbMat3 axes = fb_mat3_mul(&half, &e->base.R_drawn);
        e->end[i] = fb_compile_end_frame(m, e->body[i], &axes);
    }
    fb_compile_beam_base(e);
    return fb_compile_element(b, &e->base, e->is_linear);
}

// Linear elements measure displacements by scalar coordinates.
static void check_linear(FbBuilder* b, const FbBeamDef* def, const FbBeamElement* e) {
    for (int k = 0; e->is_linear && k < e->base.path.n; k++) {
        int j = e->base.path.v[k];
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

static FbStatus build(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_beams = b->def->n_beams;
    m->beams = FB_TAKE(m->arena, FbBeamElement, m->n_beams + 1);
    m->members = FB_TAKE(m->arena, FbMember, m->n_beams + 1);
    m->elements = FB_TAKE(m->arena, const FbElement*, m->n_beams + 1);
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
static FbStatus connect(FbBuilder* b) {
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

FbStatus fb_compile_beam_fields(FbModel* m) {
    for (int i = 0; i < m->n_beams; i++) {
        FbBeamElement* e = &m->beams[i];
        double E[FB_BEAM_DOF * FB_BEAM_DOF];
        if (!e->is_linear) {
            continue;
        }
        e->EJ0 = FB_TAKE(m->arena, double, (size_t)e->base.path.n* FB_BEAM_DOF + 1);
        if (!e->EJ0) {
            return FB_ERR_MEMORY;
        }
        fb_beam_calc_linear_field(e, E, e->e0);
        for (int c = 0; c < e->base.path.n; c++) {
            fb_mat12_add_product(E, e->base.J0 + c * FB_BEAM_DOF, e->EJ0 + c * FB_BEAM_DOF);
        }
    }
    return FB_OK;
}

// A body without shapes at the end of a beam is a node.
static void draw(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < 2 * m->n_beams; i++) {
        int body = m->beams[i / 2].body[i % 2];
        if (body >= 0 && fb_draw_is_bare(&b->def->bodies[body])) {
            m->drawing.bodies[body].role = FB_DRAWN_NODE;
            m->drawing.bodies[body].mass = b->def->bodies[body].mass;
        }
    }
}

static void add_pattern(const FbBuilder* b, FbPatternBuilder* p) {
    for (int i = 0; i < b->m->n_beams; i++) {
        const FbPortPath* path = &b->m->beams[i].base.path;
        fb_pattern_add_ports(p, path);
        for (int c = 0; c < 3; c++) {
            fb_pattern_add_function(b->m, p, path->v, path->n, b->m->beams[i].load[c]);
        }
    }
}

// Linear elements follow the coordinates themselves.
static void add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        fb_users_add_velocities(u, e->base.path.v, e->is_linear ? e->base.path.n : 0);
        for (int c = 0; c < 3; c++) {
            fb_users_add_function(u, e->load[c]);
        }
    }
}

const FbPartBuild fb_build_beams = {
    .kind = &fb_part_beams,
    .build = build,
    .connect = connect,
    .draw = draw,
    .add_pattern = add_pattern,
    .add_users = add_users,
};
