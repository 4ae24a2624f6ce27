// Three turns near gimbal lock: they are counted from the current position, and again from
// that of the drawing once it is far from lock (theory manual, section 2.7).
// Eq. (2.25) begins a chart, eq. (2.26) ends it.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "system/work.h"

// Cosine of the second rotation: below the first value the angles are redefined, above the second
// they are the user's.
static const double NEAR_LOCK = 0.2, FAR_FROM_LOCK = 0.5;

static const FbJoint* joint_of(const FbSystem* s, int c, const int** q, const int** v) {
    const FbChart* chart = &s->m->tree.charts[c];
    const FbJoint* joint = &s->m->joints[chart->joint];
    *q = joint->coordinate + chart->coordinate;
    *v = joint->velocity + chart->coordinate;
    return joint;
}

static FbMat3 axes_of(const FbSystem* s, const FbLinkFrame* f) {
    return f->link >= 0 ? fb_mat3_mul(&s->k.R[f->link], &f->R) : f->R;
}

static FbVec3 relative_turn(const FbSystem* s, const int* v, const double* rate) {
    FbVec3 w = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        w = fb_axpy(rate[v[i]], s->k.S[v[i]].ang, w);
    }
    return w;
}

void fb_charts_reset(FbSystem* s) {
    for (int c = 0; c < s->m->tree.n_charts; c++) {
        s->k.charts[c].is_changed = false;
    }
    s->kkt.is_factored = false;
}

void fb_charts_copy(const FbSystem* from, FbSystem* to) {
    size_t n = (size_t)from->m->tree.n_charts;
    memcpy(to->k.charts, from->k.charts, sizeof(FbChartState) * n);
    to->kkt.is_factored = false;
}

void fb_charts_predict(FbSystem* s, double t) {
    for (int c = 0; c < s->m->tree.n_charts; c++) {
        s->k.charts[c].ago = t - s->turn_time;
    }
}

static FbMat3 rotation_of(const FbSystem* s, const FbJoint* joint) {
    FbMat3 A = axes_of(s, &joint->a), B = axes_of(s, &joint->b);
    return fb_mat3_mul_tn(&A, &B);
}

// The user's angles, and the rotation and angular velocity that the next ones follow from.
static void follow(FbSystem* s, const FbPoint* p, int c) {
    const int *q, *v;
    const FbJoint* joint = joint_of(s, c, &q, &v);
    FbChartState* chart = &s->k.charts[c];
    FbMat3 R = rotation_of(s, joint), B = axes_of(s, &joint->b);
    FbVec3 w = fb_scale(joint->is_reversed ? -1.0 : 1.0, relative_turn(s, v, p->v));
    double angle[3] = {0};
    if (chart->is_changed) {
        fb_chart_follow(chart, &R, angle);
    }
    for (int i = 0; i < 3; i++) {
        chart->angle[i] = chart->is_changed ? angle[i] : p->q[q[i]];
    }
    chart->R = R;
    chart->w = fb_mul3_transposed(&B, w);
    chart->ago = 0.0;
}

// From now on the turns are counted from the current position, along its axes.
static void begin(FbSystem* s, FbPoint* p, int c) {
    const int *q, *v;
    joint_of(s, c, &q, &v);
    const FbTree* tree = &s->m->tree;
    int first = tree->charts[c].link, parent = tree->links[first].parent;
    FbChartState* chart = &s->k.charts[c];
    const FbMat3* R = &s->k.R[first + 2];
    FbVec3 w = relative_turn(s, v, p->v);
    FbMat3 frame = parent >= 0 ? fb_mat3_mul_tn(&s->k.R[parent], R) : *R;
    double e[4];
    fb_quaternion_from_rotation(&frame, e);
    fb_quaternion_normalize(e);
    chart->is_changed = true;
    chart->R_PJ = fb_rotation_from_quaternion(e);
    for (int i = 0; i < 3; i++) {
        const FbLink* link = &tree->links[tree->link_of_v[v[i]]];
        p->q[q[i]] = 0.0;
        p->v[v[i]] = link->sign * fb_dot(fb_mat3_col(R, link->axis), w);
    }
}

// They are the user's again: w = S v in the axes of the turns there.
static void end(FbSystem* s, FbPoint* p, int c) {
    const int *q, *v;
    joint_of(s, c, &q, &v);
    FbVec3 w = relative_turn(s, v, p->v);
    s->k.charts[c].is_changed = false;
    for (int i = 0; i < 3; i++) {
        p->q[q[i]] = s->k.charts[c].angle[i];
    }
    fb_tree_realize_position(&s->m->tree, p->q, &s->k);
    const FbVec6* S = s->k.S;
    for (int i = 0; i < 3; i++) {
        FbVec3 dual = fb_cross(S[v[(i + 1) % 3]].ang, S[v[(i + 2) % 3]].ang);
        p->v[v[i]] = fb_dot(dual, w) / fb_dot(dual, S[v[i]].ang);
    }
}

bool fb_charts_may_change(const FbSystem* s, const double* q) {
    for (int c = 0; c < s->m->tree.n_charts; c++) {
        const int *of_q, *of_v;
        joint_of(s, c, &of_q, &of_v);
        if (s->k.charts[c].is_changed || fabs(cos(q[of_q[1]])) < NEAR_LOCK) {
            return true;
        }
    }
    return false;
}

bool fb_charts_accept(FbSystem* s, FbPoint* p) {
    bool has_changed = false;
    for (int c = 0; c < s->m->tree.n_charts; c++) {
        const int *q, *v;
        joint_of(s, c, &q, &v);
        bool is_changed = s->k.charts[c].is_changed;
        follow(s, p, c);
        bool ends = is_changed && fabs(cos(s->k.charts[c].angle[1])) > FAR_FROM_LOCK;
        bool begins = !ends && fabs(cos(p->q[q[1]])) < NEAR_LOCK;
        if (ends) {
            end(s, p, c);
        } else if (begins) {
            begin(s, p, c);
        }
        if (ends || begins) {
            has_changed = true;
            s->kkt.is_factored = false;
            fb_system_realize(s, p->q, p->v, NULL);
        }
    }
    return has_changed;
}

bool fb_charts_get_angle(const FbSystem* s, int joint, int index, double* angle) {
    for (int c = 0; c < s->m->tree.n_charts; c++) {
        const FbChart* chart = &s->m->tree.charts[c];
        int i = index - chart->coordinate;
        if (chart->joint == joint && s->k.charts[c].is_changed && i >= 0 && i < 3) {
            const FbJoint* j = &s->m->joints[joint];
            FbMat3 R = rotation_of(s, j);
            double all[3];
            fb_chart_follow(&s->k.charts[c], &R, all);
            *angle = all[i];
            return true;
        }
    }
    return false;
}
