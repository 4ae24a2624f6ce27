// The drawable parts of a model, in body coordinates: bodies with their shapes and points, and
// joints. The kinds of part add what they are in the picture.
#include <string.h>

#include "compile/part_build.h"
#include "describe/stl.h"

// A surface is drawn as the box around it.
static void draw_box(const FbShapeDef* from, FbShapeDef* out) {
    FbStl stl;
    FbError unused;
    FbMat3 R = fb_mat3_from(from->rotation);
    if (fb_stl_measure(from->file, from->unit, false, NULL, &stl, &unused) < 0) {
        memset(&stl, 0, sizeof stl);  // it was there when it was read
    }
    FbVec3 middle = fb_scale(0.5, fb_add(fb_vec3_from(stl.low), fb_vec3_from(stl.high)));
    out->type = "box";
    fb_vec3_to(fb_sub(fb_vec3_from(stl.high), fb_vec3_from(stl.low)), out->size);
    fb_vec3_to(fb_add(fb_vec3_from(from->at), fb_mul3(&R, middle)), out->at);
}

static const FbShapeDef* copy_shapes(FbArena* arena, const FbBodyDef* def) {
    FbShapeDef* shapes = FB_TAKE(arena, FbShapeDef, def->n_shapes + 1);
    for (int i = 0; shapes && i < def->n_shapes; i++) {
        shapes[i] = def->shapes[i];
        shapes[i].type = fb_arena_text(arena, def->shapes[i].type);
        shapes[i].file = NULL;
        if (strcmp(def->shapes[i].type, "mesh") == 0) {
            draw_box(&def->shapes[i], &shapes[i]);
        }
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
        .mass = def->mass,
        .color = fb_arena_text(b->m->arena, def->color),
        .shapes = copy_shapes(b->m->arena, def),
        .n_shapes = def->n_shapes,
        .points = copy_points(b->m->arena, def),
        .n_points = def->n_points,
    };
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

bool fb_draw_pair(FbBuilder* b, const FbPointDef* a, const FbPointDef* c, const FbOrigin* origin,
                  FbDrawnPair* out) {
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

bool fb_draw_is_bare(const FbBodyDef* def) {
    return def->n_shapes + def->n_points == 0;
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
    m->drawing.number = FB_TAKE(m->arena, int, m->n_bodies + 1);
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
    fb_builds_draw(b);
    for (int i = 0; i < m->n_bodies; i++) {
        bool is_row = m->drawing.bodies[i].role == FB_DRAWN_ROW;
        m->drawing.number[i] = is_row ? -1 : m->drawing.n_numbered++;
    }
    return FB_OK;
}
