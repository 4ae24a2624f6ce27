// The drawable parts of a model: shapes and points of bodies, joints, springs, bushings and
// rods in body coordinates, and what bodies are to structures and sliders.
#include <string.h>

#include "base/text.h"
#include "compile/compile.h"

static const FbShapeDef* copy_shapes(FbArena* arena, const FbBodyDef* def) {
    FbShapeDef* shapes = FB_TAKE(arena, FbShapeDef, def->n_shapes + 1);
    for (int i = 0; shapes && i < def->n_shapes; i++) {
        shapes[i] = def->shapes[i];
        shapes[i].type = fb_arena_text(arena, def->shapes[i].type);
        memset(&shapes[i].origin, 0, sizeof(shapes[i].origin));
    }
    return shapes;
}

static const FbNamedPoint* copy_points(FbArena* arena, const FbBodyDef* def) {
    FbNamedPoint* points = FB_TAKE(arena, FbNamedPoint, def->n_points + 1);
    for (int i = 0; points && i < def->n_points; i++) {
        points[i] = def->points[i];
        points[i].name = fb_arena_text(arena, def->points[i].name);
    }
    return points;
}

static void draw_body(FbBuilder* b, int i) {
    const FbBodyDef* def = &b->def->bodies[i];
    b->m->drawing.bodies[i] = (FbDrawnBody){
        .color = fb_arena_text(b->m->arena, def->color),
        .shapes = copy_shapes(b->m->arena, def),
        .n_shapes = def->n_shapes,
        .points = copy_points(b->m->arena, def),
        .n_points = def->n_points,
    };
}

// A body at the end of a beam without shapes is a node.
static void draw_nodes(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < 2 * m->n_beams; i++) {
        int body = m->beams[i / 2].body[i % 2];
        if (body >= 0 && b->def->bodies[body].n_shapes + b->def->bodies[body].n_points == 0) {
            m->drawing.bodies[body].role = FB_DRAWN_NODE;
            m->drawing.bodies[body].mass = b->def->bodies[body].mass;
        }
    }
}

// "d17" or "mode3": a coordinate of matrices that is not the motion of a point.
static bool is_coordinate(const char* name) {
    size_t letters = strcspn(name, "0123456789");
    bool is_known = (letters == 1 && name[0] == 'd') || (letters == 4 && !strncmp(name, "mode", 4));
    return is_known && name[letters] != '\0' &&
           name[letters + strspn(name + letters, "0123456789")] == '\0';
}

// Bodies that represent a structure given by matrices: its named nodes, and single coordinates.
static void draw_matrix_nodes(FbBuilder* b) {
    for (int i = 0; i < b->def->n_superelements; i++) {
        const char* name = b->def->superelements[i].name;
        size_t length = strlen(name);
        for (int k = 0; k < b->m->n_bodies; k++) {
            const FbBodyDef* def = &b->def->bodies[k];
            if (fb_is_part_of(def->name, name) && def->mass == 0.0 &&
                def->n_shapes + def->n_points == 0) {
                b->m->drawing.bodies[k].role =
                    is_coordinate(def->name + length + 1) ? FB_DRAWN_CARRIAGE : FB_DRAWN_NODE;
            }
        }
    }
}

static void draw_sliders(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_sliders; i++) {
        const FbSliderDef* def = &b->def->sliders[i];
        FbDrawnSlider* drawn = &m->drawing.sliders[i];
        drawn->body = def->body ? fb_def_find_body(b->def, def->origin.scope, def->body) : -1;
        drawn->carriage = -1;
        int v = m->sliders[i].coordinate_v;
        for (int k = 0; v >= 0 && k < m->n_bodies; k++) {
            if (m->bodies[k].link == m->tree.link_of_v[v]) {
                drawn->carriage = k;
                m->drawing.bodies[k].role = FB_DRAWN_CARRIAGE;
            }
        }
    }
}

static void draw_carriages(FbBuilder* b) {
    for (int i = 0; i < b->m->n_carriages; i++) {
        b->m->drawing.bodies[b->m->carriages[i].body].role = FB_DRAWN_CARRIAGE;
    }
}

static void draw_joint(FbBuilder* b, int j) {
    const FbJoint* joint = &b->m->joints[j];
    const FbLinkFrame *fa = &b->frame_a[j], *fb = &b->frame_b[j];
    b->m->drawing.joints[j] = (FbDrawnPair){
        .name = joint->name,
        .type = joint->type->info.name,
        .body_a = fa->link,  // the body's index: frames of the builder are in body coordinates
        .body_b = fb->link,
        .at_a = fa->p,
        .at_b = fb->p,
        .axis_a = fb_mat3_col(&fa->R, 2),
        .is_loop = joint->is_loop,
    };
}

// From a point that was resolved in the link of its body back to the body's own coordinates.
static FbVec3 into_body(const FbModel* m, int body, FbVec3 in_link) {
    if (body < 0) {
        return in_link;
    }
    const FbBody* b = &m->bodies[body];
    return fb_mul3_transposed(&b->R_LB, fb_sub(in_link, b->p_LB));
}

// A pair of attachment points; false where one of them is not there (its error was reported).
static bool draw_points(FbBuilder* b, const FbPointDef* a, const FbPointDef* c,
                        const FbOrigin* origin, FbDrawnPair* out) {
    FbLinkFrame fa, fc;
    if (!fb_compile_point(b, a, origin, "a", &fa) || !fb_compile_point(b, c, origin, "b", &fc)) {
        return false;
    }
    out->body_a = fb_def_find_body(b->def, origin->scope, a->body ? a->body : "ground");
    out->body_b = fb_def_find_body(b->def, origin->scope, c->body ? c->body : "ground");
    out->at_a = into_body(b->m, out->body_a, fa.p);
    out->at_b = into_body(b->m, out->body_b, fc.p);
    return true;
}

// Those of a force between two.
static bool draw_ends(FbBuilder* b, const FbForce* e, int force, FbDrawnPair* out) {
    const FbForceDef* def = b->def->forces[force];
    FbEnd ends[2];
    return fb_compile_ends(&e->type->info, def, ends) == 2 &&
           draw_points(b, &ends[0].point, &ends[1].point, &def->origin, out);
}

static void draw_springs(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_forces; i++) {
        const FbForce* e = &m->forces[i];
        FbDrawnPair* pair = &m->drawing.springs[m->drawing.n_springs];
        if (e->measure == FB_MEASURE_DISTANCE && draw_ends(b, e, i, pair)) {
            pair->name = e->name;
            pair->type = e->type->info.name;
            m->drawing.n_springs++;
        }
    }
}

static void draw_bushings(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_forces; i++) {
        const FbForce* e = &m->forces[i];
        FbDrawnPair* pair = &m->drawing.bushings[m->drawing.n_bushings];
        if (e->measure == FB_MEASURE_FRAMES && draw_ends(b, e, i, pair)) {
            pair->name = e->name;
            pair->type = e->type->info.name;
            m->drawing.n_bushings++;
        }
    }
}

static void draw_rods(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_constraints; i++) {
        const FbConstraintDef* head = b->def->constraints[i];
        const FbDistanceDef* def = (const FbDistanceDef*)head;
        FbDrawnPair* pair = &m->drawing.rods[m->drawing.n_rods];
        if (strcmp(head->type, "distance") == 0 &&
            draw_points(b, &def->a, &def->b, &head->origin, pair)) {
            pair->name = m->constraints[i].name;
            pair->type = "distance";
            m->drawing.n_rods++;
        }
    }
}

FbStatus fb_compile_drawing(FbBuilder* b) {
    FbModel* m = b->m;
    if (fb_diagnostics_error_count(b->diagnostics) > 0) {
        return FB_OK;  // nothing will be drawn, and parts may be missing
    }
    m->drawing.bodies = FB_TAKE(m->arena, FbDrawnBody, m->n_bodies + 1);
    m->drawing.joints = FB_TAKE(m->arena, FbDrawnPair, m->n_joints + 1);
    m->drawing.springs = FB_TAKE(m->arena, FbDrawnPair, m->n_forces + 1);
    m->drawing.bushings = FB_TAKE(m->arena, FbDrawnPair, m->n_forces + 1);
    m->drawing.sliders = FB_TAKE(m->arena, FbDrawnSlider, m->n_sliders + 1);
    m->drawing.rods = FB_TAKE(m->arena, FbDrawnPair, m->n_constraints + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_bodies; i++) {
        draw_body(b, i);
    }
    for (int j = 0; j < m->n_joints; j++) {
        draw_joint(b, j);
    }
    draw_nodes(b);
    draw_matrix_nodes(b);
    draw_sliders(b);
    draw_carriages(b);
    draw_springs(b);
    draw_bushings(b);
    draw_rods(b);
    return FB_OK;
}
