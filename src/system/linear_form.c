// The linear form of the equations: constant matrices, loads and travelling masses that depend on
// time alone, so that no link has to be moved to evaluate them (theory manual, section 5.17).
#include <string.h>

#include "system/part.h"

static FbStatus take(FbSystem* s, FbError* err) {
    FbLinearState* x = &s->linear;
    const FbSizes* n = &s->dynamics.size;
    fb_arena_destroy(x->arena);
    memset(x, 0, sizeof *x);
    FbArena* a = x->arena = fb_arena_create();
    if (!a) {
        return fb_fail_memory(err);
    }
    int count = fb_pattern_count(&s->m->vv) + 1;
    x->M = FB_TAKE(a, double, count);
    x->C = FB_TAKE(a, double, count);
    x->K = FB_TAKE(a, double, count);
    x->G = FB_TAKE(a, double, n->n_c > 0 ? fb_pattern_count(&s->cv) + 1 : 1);
    x->load = FB_TAKE(a, double, n->n_v + 1);
    x->offset = FB_TAKE(a, double, n->n_c + 1);
    x->loaded = FB_TAKE(a, int, s->m->n_beams + 1);
    int groups = fb_sliders_count_groups(s->m);
    x->first_group = FB_TAKE(a, int, s->m->n_sliders + 1);
    x->groups = FB_TAKE(a, FbMovingGroup, groups + 1);
    x->room = FB_TAKE(a, double, groups* FB_MOVING * s->m->max_port_path + 1);
    x->q = FB_TAKE(a, double, n->n_q + 1);
    x->at.q = FB_TAKE(a, double, n->n_q + 1);
    x->at.v = FB_TAKE(a, double, n->n_v + 1);
    x->at.a = FB_TAKE(a, double, n->n_v + 1);
    x->at.x = FB_TAKE(a, double, n->n_x + 1);
    x->at.lambda = FB_TAKE(a, double, n->n_c + 1);
    return fb_arena_has_failed(a) ? fb_fail_memory(err) : FB_OK;
}

static void find_loaded(FbSystem* s) {
    for (int i = 0; i < s->m->n_beams; i++) {
        bool is_constant = true;
        for (int c = 0; c < 3; c++) {
            int function = s->m->beams[i].load[c];
            is_constant &= function < 0 || fb_function_is_constant(s->m, function);
        }
        if (!is_constant) {
            s->linear.loaded[s->linear.n_loaded++] = i;
        }
    }
}

// Loads that depend on time, sliders apart.
static void add_loads(FbSystem* s, double* r) {
    for (int i = 0; i < s->n_kinds; i++) {
        if (s->kinds[i]->add_load) {
            s->kinds[i]->add_load(s, &s->linear.at, r);
        }
    }
}

static bool has_far_powers(const FbSystem* s) {
    for (int i = 0; i < s->n_kinds; i++) {
        const FbPartKind* kind = s->kinds[i];
        if (kind->add_powers && (!kind->has_far_powers || kind->has_far_powers(s))) {
            return true;
        }
    }
    return s->linear.form.has_drives;
}

// Of the rows in use: what is left of them at the drawing, without their laws.
static FbStatus take_offsets(FbSystem* s, double t) {
    FbDynamics* d = &s->dynamics;
    FbLinearState* x = &s->linear;
    if (d->size.n_c == 0) {
        return FB_OK;
    }
    FB_TRY(d->ops->position_error(d, t, x->at.q, x->offset));
    for (int c = 0; c < d->size.n_c; c++) {
        const FbRow* row = &s->m->rows[s->active[c]];
        if (row->law >= 0) {
            double law[3];
            fb_law_now(s, row->law, t, law);
            x->offset[c] += law[0];
            x->form.has_drives = true;
        }
    }
    return FB_OK;
}

// The constant matrices and loads, from the equations at the drawing with the sliders taken out.
static FbStatus evaluate(FbSystem* s, double t, FbError* err) {
    FbDynamics* d = &s->dynamics;
    FbLinearState* x = &s->linear;
    FbBlocks b;
    find_loaded(s);
    x->at.t = t;
    memcpy(x->at.q, s->m->q_drawn, sizeof(double) * (size_t)d->size.n_q);
    bool had_none = s->has_no_sliders;
    s->has_no_sliders = true;
    FbStatus status = d->ops->jacobian(d, &x->at, &b, err);
    status =
        status == FB_OK ? d->ops->residual(d, &x->at, x->load, s->work_v[1], s->work_v[2]) : status;
    s->has_no_sliders = had_none;
    if (status != FB_OK) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "its equations cannot be evaluated in the drawing position");
    }
    size_t size = sizeof(double) * (size_t)fb_pattern_count(&s->m->vv);
    memcpy(x->M, b.M, size);
    memcpy(x->C, b.C, size);
    memcpy(x->K, b.K, size);
    if (d->size.n_c > 0) {
        memcpy(x->G, b.G, sizeof(double) * (size_t)fb_pattern_count(&s->cv));
    }
    double* moving = s->work_v[0];
    memset(moving, 0, sizeof(double) * (size_t)d->size.n_v);
    add_loads(s, moving);
    for (int j = 0; j < d->size.n_v; j++) {
        x->load[j] -= moving[j];
    }
    return take_offsets(s, t);
}

FbStatus fb_system_find_linear(FbDynamics* d, double t, FbLinearForm* out, FbError* err) {
    FbSystem* s = fb_system_of(d);
    FbLinearState* x = &s->linear;
    FB_TRY(fb_linear_check(s, err));
    FB_TRY(take(s, err));
    FbStatus status = evaluate(s, t, err);
    if (status < 0) {
        fb_arena_destroy(x->arena);
        memset(x, 0, sizeof *x);
        return status;
    }
    x->form.vv = &s->m->vv;
    x->form.cv = &s->cv;
    x->form.M = x->M;
    x->form.C = x->C;
    x->form.K = x->K;
    x->form.G = x->G;
    x->form.origin = x->at.q;
    x->form.has_reaction = fb_sliders_have_reaction(s->m);
    x->form.max_moving = fb_sliders_count_groups(s->m);
    x->form.has_near_powers = !has_far_powers(s);
    // Those of sliders that follow laws.
    d->has_roots_of_time = s->m->n_events == 0 && s->m->n_movers == 0;
    *out = x->form;
    return FB_OK;
}

int fb_system_find_moving(FbDynamics* d, const FbMovingGroup** groups) {
    FbSystem* s = fb_system_of(d);
    *groups = s->linear.groups;
    return fb_sliders_find_groups(s, s->linear.groups, s->linear.room);
}

void fb_system_calc_linear(FbDynamics* d, double t, double* load, FbMovingShare* shares) {
    FbSystem* s = fb_system_of(d);
    FbLinearState* x = &s->linear;
    x->at.t = t;
    memcpy(load, x->load, sizeof(double) * (size_t)d->size.n_v);
    add_loads(s, load);
    fb_sliders_add_linear(s, &x->at, load, shares);
}

void fb_system_add_reaction(FbDynamics* d, double t, const double* displacement, double* r) {
    FbSystem* s = fb_system_of(d);
    FbLinearState* x = &s->linear;
    FbPoint p = x->at;
    p.t = t;
    p.q = x->q;
    for (int j = 0; j < d->size.n_v; j++) {
        p.q[j] = x->at.q[j] + displacement[j];
    }
    fb_sliders_add_reaction(s, &p, r);
}

void fb_system_calc_offsets(FbDynamics* d, double t, double* offset, double* rate, double* second) {
    const FbSystem* s = (const FbSystem*)d;
    for (int c = 0; c < d->size.n_c; c++) {
        const FbRow* row = &s->m->rows[s->active[c]];
        double law[3] = {0.0, 0.0, 0.0};
        if (row->law >= 0) {
            fb_law_now(s, row->law, t, law);
        }
        offset[c] = s->linear.offset[c] - law[0];
        rate[c] = -law[1];
        second[c] = -law[2];
    }
}
