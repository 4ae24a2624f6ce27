// Superelements: matrices that act on coordinates of joints, added to those of the linear beams.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "compile/part_build.h"

// The velocity of a coordinate, and the body that moves with it; -1: reported.
static int velocity_of(FbBuilder* b, const FbSuperelementDef* def, int i, int* body) {
    const FbCoordinateDef* c = &def->coordinates[i];
    int j = fb_def_find_joint(b->def, def->origin.scope, c->joint);
    if (j < 0) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, NULL,
                         "superelement '%s' acts on joint '%s', which does not exist", def->name,
                         c->joint ? c->joint : "");
        return -1;
    }
    const FbJoint* joint = &b->m->joints[j];
    bool is_scalar = c->index >= 0 && c->index < joint->type->n_v &&
                     joint->type->coordinates[c->index].kind != FB_COORD_NONE;
    if (!is_scalar) {
        fb_compile_error(
            b, FB_ERR_MODEL, &def->origin, NULL,
            "superelement '%s' acts on coordinate %d of joint '%s', which has no scalar coordinate "
            "with this number; use a joint of type node, translation or planar",
            def->name, c->index + 1, c->joint);
        return -1;
    }
    if (joint->is_loop || joint->is_reversed) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, NULL,
                         "superelement '%s' acts on joint '%s', which %s; a structure must be held "
                         "by joints from the ground",
                         def->name, c->joint,
                         joint->is_loop ? "closes a loop" : "is reached from its second body");
        return -1;
    }
    *body = fb_def_find_body(b->def, b->def->joints[j].origin.scope, b->def->joints[j].body_b);
    return joint->velocity[c->index];
}

static bool is_at_rest(const FbVec3* gravity) {
    return gravity->x == 0.0 && gravity->y == 0.0 && gravity->z == 0.0;
}

static void check_entries(FbBuilder* b, const FbSuperelementDef* def) {
    for (int e = 0; e < def->n_entries; e++) {
        bool is_inside = def->rows[e] >= def->cols[e] && def->cols[e] >= 0 && def->rows[e] < def->n;
        bool is_finite =
            isfinite(def->mass[e]) && isfinite(def->damping[e]) && isfinite(def->stiffness[e]);
        if (!is_inside || !is_finite) {
            fb_compile_error(b, FB_ERR_RANGE, &def->origin, NULL,
                             "entry %d of superelement '%s' is at (%d, %d); it must be finite and "
                             "in the lower triangle of the %d x %d matrices",
                             e, def->name, def->rows[e], def->cols[e], def->n, def->n);
            return;
        }
        b->m->has_work = b->m->has_work || def->damping[e] != 0.0;
    }
}

static void check_ratio(FbBuilder* b, const FbSuperelementDef* def) {
    double ratio = def->damping_ratio;
    if (!(ratio >= 0.0 && ratio < 1.0)) {
        fb_compile_error(b, FB_ERR_RANGE, &def->origin, "damping",
                         "the damping ratio of structure '%s' is %g; it must be >= 0 and < 1",
                         def->name, ratio);
    } else if (ratio > 0.0 && def->n > FB_MOST_MODAL) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "damping",
                         "structure '%s' has %d coordinates; a damping ratio for every mode is for "
                         "up to %d, because it couples all coordinates; reduce the structure "
                         "('reduce: {modes: ..}'), or give two frequencies, damping: {ratio: .., "
                         "between: [f1, f2]}",
                         def->name, def->n, FB_MOST_MODAL);
    }
    b->m->has_work = b->m->has_work || ratio > 0.0;
}

static FbStatus keep_mass(FbBuilder* b, const FbSuperelementDef* def, FbSuperelement* out) {
    size_t n = (size_t)def->n_entries;
    int* rows = FB_TAKE(b->m->arena, int, n + 1);
    int* cols = FB_TAKE(b->m->arena, int, n + 1);
    double* mass = FB_TAKE(b->m->arena, double, n + 1);
    if (fb_arena_has_failed(b->m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (size_t e = 0; e < n; e++) {
        rows[e] = def->rows[e];
        cols[e] = def->cols[e];
        mass[e] = def->mass[e];
    }
    out->rows = rows;
    out->cols = cols;
    out->mass = mass;
    out->n_entries = def->n_entries;
    return FB_OK;
}

static FbStatus keep_factors(FbBuilder* b, const FbSuperelementDef* def, FbSuperelement* out) {
    out->n_load_factors = def->has_load_factors ? def->n_load_factors : -1;
    out->load_factors = FB_TAKE(b->m->arena, double, def->n_load_factors + 1);
    if (!out->load_factors) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < def->n_load_factors; i++) {
        out->load_factors[i] = def->load_factors[i];
    }
    return FB_OK;
}

static FbStatus compile_one(FbBuilder* b, const FbSuperelementDef* def, FbSuperelement* out) {
    out->v = FB_TAKE(b->m->arena, int, def->n + 1);
    out->body = FB_TAKE(b->m->arena, int, def->n + 1);
    if (fb_arena_has_failed(b->m->arena)) {
        return FB_ERR_MEMORY;
    }
    out->n = def->n;
    out->name = fb_arena_text(b->m->arena, def->name);
    out->n_elements = def->n_elements;
    out->n_nodes = def->n_nodes;
    out->mesh_mass = def->mesh_mass;
    out->damping_ratio = def->damping_ratio;
    FB_TRY(keep_factors(b, def, out));
    out->place = fb_origin_place(&def->origin, "damping");
    out->place.file = fb_arena_text(b->m->arena, out->place.file);
    memcpy(out->mesh_size, def->mesh_size, sizeof out->mesh_size);
    out->mesh = fb_kept_mesh_retain(def->mesh);
    for (int i = 0; i < def->n; i++) {
        out->v[i] = velocity_of(b, def, i, &out->body[i]);
        if (out->v[i] < 0) {
            return FB_OK;
        }
        int joint = b->m->tree.links[b->m->tree.link_of_v[out->v[i]]].joint;
        if (joint >= 0) {
            b->m->is_linear_node[joint] = true;
        }
    }
    check_entries(b, def);
    check_ratio(b, def);
    FB_TRY(keep_mass(b, def, out));
    if (!def->weight && !is_at_rest(&b->m->tree.gravity)) {
        fb_compile_error(
            b, FB_ERR_MODEL, &def->origin, "matrices",
            "gravity acts on structure '%s', but how its rows without a node "
            "move in a translation is unknown, because its stiffness "
            "prevents free translation; give the file 'weight', or 'gravity: [0, 0, 0]'",
            def->name);
    }
    return FB_OK;
}

static FbStatus build(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_superelements = b->def->n_superelements;
    m->superelements = FB_TAKE(m->arena, FbSuperelement, m->n_superelements + 1);
    if (!m->superelements) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_superelements; i++) {
        FB_TRY(compile_one(b, &b->def->superelements[i], &m->superelements[i]));
    }
    return fb_compile_mesh_notes(b);
}

static void add_pattern(const FbBuilder* b, FbPatternBuilder* builder) {
    for (int i = 0; i < b->m->n_superelements; i++) {
        const FbSuperelementDef* def = &b->def->superelements[i];
        const int* v = b->m->superelements[i].v;
        for (int e = 0; e < def->n_entries; e++) {
            fb_pattern_builder_add(builder, v[def->rows[e]], v[def->cols[e]]);
            fb_pattern_builder_add(builder, v[def->cols[e]], v[def->rows[e]]);
        }
        for (int k = 0; def->damping_ratio > 0.0 && k < def->n * def->n; k++) {
            fb_pattern_builder_add(builder, v[k % def->n], v[k / def->n]);
        }
    }
}

static void add_entry(FbModel* m, int row, int col, const FbSuperelementDef* def, int e) {
    int at = fb_pattern_index(&m->vv, row, col);
    m->linear_M[at] += def->mass[e];
    m->linear_C[at] += def->damping[e];
    m->linear_K[at] += def->stiffness[e];
}

// r += M a + C v + K (q - q_drawn) - M R g (eq. 8.61)
void fb_superelements_assemble(const FbBuilder* b) {
    FbModel* m = b->m;
    FbVec3 g = m->tree.gravity;
    for (int i = 0; i < m->n_superelements; i++) {
        const FbSuperelementDef* def = &b->def->superelements[i];
        const int* v = m->superelements[i].v;
        for (int e = 0; e < def->n_entries; e++) {
            int row = v[def->rows[e]], col = v[def->cols[e]];
            add_entry(m, row, col, def, e);
            if (row != col) {
                add_entry(m, col, row, def, e);
            }
        }
        for (int k = 0; def->weight && k < def->n; k++) {
            m->linear_r[v[k]] -= def->weight[k] * g.x + def->weight[def->n + k] * g.y +
                                 def->weight[2 * def->n + k] * g.z;
        }
    }
}

// Bodies that represent a structure given by matrices: its named nodes, and the bodies of other
// rows and of modes.
static void draw(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_superelements; i++) {
        const FbSuperelementDef* def = &b->def->superelements[i];
        for (int k = 0; k < m->n_bodies; k++) {
            const FbBodyDef* body = &b->def->bodies[k];
            if (fb_is_part_of(body->name, def->name) && body->mass == 0.0 &&
                fb_draw_is_bare(body)) {
                m->drawing.bodies[k].role = FB_DRAWN_NODE;
            }
        }
        for (int k = def->n - def->n_others; k < def->n; k++) {
            int body = m->superelements[i].body[k];
            if (body >= 0 && m->drawing.bodies[body].role == FB_DRAWN_NODE) {
                m->drawing.bodies[body].role = FB_DRAWN_ROW;
            }
        }
    }
}

static void add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; i < m->n_superelements; i++) {
        fb_users_add_velocities(u, m->superelements[i].v, m->superelements[i].n);
    }
}

const FbPartBuild fb_build_superelements = {
    .kind = &fb_part_linear,
    .build = build,
    .draw = draw,
    .add_pattern = add_pattern,
    .add_users = add_users,
};
