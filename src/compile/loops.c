// Joints that close loops, as rows; coordinates of any joint as terms and signals.
#include <math.h>

#include "compile/part_build.h"

static FbVec3 axis_of(const FbLinkFrame* f, int axis) {
    return fb_mat3_col(&f->R, axis);
}

// Angles about x are counted from y to y, about y and z from x to x.
static FbTerm turn_term(const FbJoint* joint, FbTermKind kind, int axis) {
    FbTerm term = fb_term_between(kind, &joint->a, &joint->b);
    int from = axis == 0 ? 1 : 0;
    term.a = axis_of(kind == FB_TERM_TURN_A ? &joint->a : &joint->b, axis);
    term.b = axis_of(&joint->a, from);
    term.c = axis_of(&joint->b, from);
    return term;
}

static FbTerm cardan_term(const FbJoint* joint, int axis) {
    FbTerm term = fb_term_between(FB_TERM_CARDAN, &joint->a, &joint->b);
    term.axis = axis;
    term.a = axis_of(&joint->a, 0);
    term.b = axis_of(&joint->b, 2);
    term.c = axis_of(&joint->a, 2);
    term.d = axis_of(&joint->b, 0);
    return term;
}

void fb_compile_charted_term(const FbJoint* joint, int axis, int chart, FbTerm* term) {
    FbTerm measure = cardan_term(joint, axis);
    measure.kind = FB_TERM_COORDINATE;
    measure.chart = chart;
    measure.factor = term->factor;
    measure.coordinate_q = term->coordinate_q;
    measure.coordinate_v = term->coordinate_v;
    *term = measure;
}

static FbTerm slide_term(const FbJoint* joint, int axis) {
    FbTerm term = fb_term_between(FB_TERM_SLIDE, &joint->a, &joint->b);
    term.a = axis_of(&joint->a, axis);
    return term;
}

// The drawing shows angles only up to full turns; the offset says which.
static double drawn_turn(const FbJointDef* def, int coordinate) {
    return def->has_frames ? 0.0 : def->offset[coordinate];
}

// The terms of one closure row; returns how many (0: out of memory).
static int closure_terms(FbBuilder* b, const FbJoint* joint, const FbClosureRow* row,
                         const FbJointDef* def) {
    FbTerm term;
    switch (row->kind) {
        case FB_ROW_SLIDE:
            term = slide_term(joint, row->a);
            return fb_compile_term(b, &term) >= 0 ? 1 : 0;
        case FB_ROW_DOT:
            term = fb_term_between(FB_TERM_DOT, &joint->a, &joint->b);
            term.a = axis_of(&joint->a, row->a);
            term.b = axis_of(&joint->b, row->b);
            return fb_compile_term(b, &term) >= 0 ? 1 : 0;
        case FB_ROW_SCREW: {
            term = slide_term(joint, row->a);
            FbTerm turn = turn_term(joint, FB_TERM_TURN_A, row->a);
            turn.factor = -def->pitch / (2.0 * 3.14159265358979323846);
            turn.start = drawn_turn(def, 0);
            return fb_compile_term(b, &term) >= 0 && fb_compile_term(b, &turn) >= 0 ? 2 : 0;
        }
    }
    return 0;
}

static FbStatus build(FbBuilder* b) {
    FbModel* m = b->m;
    for (int j = 0; j < m->n_joints; j++) {
        FbJoint* joint = &m->joints[j];
        joint->first_row = m->n_rows;
        joint->n_rows = joint->is_loop ? joint->type->n_rows : 0;
        for (int i = 0; i < joint->n_rows; i++) {
            FbRow row = {.term = m->n_terms,
                         .law = -1,
                         .is_holonomic = true,
                         .is_joint = true,
                         .owner = j,
                         .text = joint->type->rows[i].text};
            row.n_terms = closure_terms(b, joint, &joint->type->rows[i], &b->def->joints[j]);
            if (row.n_terms == 0 || fb_compile_row(b, &row) < 0) {
                return FB_ERR_MEMORY;
            }
        }
    }
    return FB_OK;
}

// The term that measures a coordinate; false where the joint has no such scalar coordinate.
static bool coordinate_term(const FbModel* m, int j, int index, bool is_rate, FbTerm* term) {
    const FbJoint* joint = &m->joints[j];
    const FbCoordinate* c = &joint->type->coordinates[index];
    if (joint->velocity[index] >= 0 && c->kind != FB_COORD_NONE) {
        *term = (FbTerm){.kind = FB_TERM_COORDINATE,
                         .factor = 1.0,
                         .link_a = -1,
                         .link_b = -1,
                         .turn = -1,
                         .coordinate_v = joint->velocity[index],
                         .coordinate_q = joint->coordinate[index]};
        return true;
    }
    switch (c->kind) {
        case FB_COORD_SLIDE:
            *term = slide_term(joint, c->axis);
            return true;
        case FB_COORD_TURN_A:
            *term = turn_term(joint, FB_TERM_TURN_A, c->axis);
            return true;
        case FB_COORD_TURN_B:
            *term = turn_term(joint, FB_TERM_TURN_B, c->axis);
            return true;
        case FB_COORD_CARDAN:
            *term = cardan_term(joint, c->axis);
            return true;
        case FB_COORD_NONE:
            *term = turn_term(joint, FB_TERM_TURN_B, c->axis);
            return is_rate;
    }
    return false;
}

static const char* rate_unit(const char* unit) {
    return unit[0] == 'm' ? "m/s" : "rad/s";
}

int fb_compile_coordinate(FbBuilder* b, const FbCoordinateDef* c, const FbOrigin* origin,
                          const char* key, bool is_rate) {
    FbModel* m = b->m;
    int j = fb_def_find_joint(b->def, origin->scope, c->joint ? c->joint : "");
    if (j < 0) {
        fb_compile_error(b, FB_ERR_NAME, origin, key, "there is no joint '%s'",
                         c->joint ? c->joint : "");
        return -1;
    }
    const FbJointType* type = m->joints[j].type;
    if (c->index < 0 || c->index >= type->n_v) {
        fb_compile_error(b, FB_ERR_RANGE, origin, key,
                         "joint '%s' is %s and has %d coordinate(s); there is no coordinate %d",
                         c->joint, type->info.name, type->n_v, c->index + 1);
        return -1;
    }
    FbTerm term = {0};
    bool is_scalar = coordinate_term(m, j, c->index, is_rate, &term);
    term.start = drawn_turn(&b->def->joints[j], c->index);
    if (!is_scalar) {
        fb_compile_error(b, FB_ERR_MODEL, origin, key,
                         "the rotation of ball joint '%s' is not a single coordinate; use an "
                         "orientation sensor",
                         c->joint);
        return -1;
    }
    FbSignal signal = {.kind = is_rate ? FB_SIGNAL_RATE : FB_SIGNAL_VALUE,
                       .term = m->n_terms,
                       .n_terms = 1,
                       .unit = is_rate ? rate_unit(type->coordinates[c->index].unit)
                                       : type->coordinates[c->index].unit};
    return fb_compile_term(b, &term) >= 0 ? fb_compile_signal(b, &signal) : -1;
}

const FbPartBuild fb_build_loops = {
    .build = build,
};
