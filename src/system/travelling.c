// Parts that travel along others: the velocities that they touch now, and their shares of the
// blocks there (theory manual, section 5.16).
#include <string.h>

#include "system/part.h"

void fb_travelling_take(FbSystem* s) {
    const FbModel* m = s->m;
    size_t n_v = (size_t)m->tree.n_v + 1, n_x = (size_t)(m->n_states + m->n_inputs) + 1;
    size_t n_vv = (size_t)fb_pattern_count(&m->vv) + 1;
    FbTravelling* t = &s->travelling;
    bool travels = false;
    for (int i = 0; i < s->n_kinds; i++) {
        travels |= s->kinds[i]->mark_touched != NULL;
    }
    if (!travels) {
        return;
    }
    size_t most = (size_t)m->n_sliders * ((size_t)m->max_port_path + 1);
    most = most < n_v ? most : n_v;
    t->v = FB_TAKE(s->arena, int, n_v);
    t->place = FB_TAKE(s->arena, int, most* most);
    t->is_touched = FB_TAKE(s->arena, bool, n_v);
    t->blocks.vv = &m->vv;
    t->blocks.M = FB_TAKE(s->arena, double, n_vv);
    t->blocks.C = FB_TAKE(s->arena, double, n_vv);
    t->blocks.K = FB_TAKE(s->arena, double, n_vv);
    t->blocks.Rx = FB_TAKE(s->arena, double, n_v* n_x);
}

// On linear elements by a law of time, a slider's blocks depend on nothing else.
static bool depends_on_motion(const FbModel* m) {
    for (int i = 0; i < m->n_sliders; i++) {
        const FbSlider* slider = &m->sliders[i];
        if (slider->law < 0 || slider->n_pieces == 0 ||
            slider->mass.theory == FB_SLIDER_LINEAR_CONSISTENT ||
            !slider->pieces[0].element->is_linear) {
            return true;
        }
    }
    return false;
}

static void find_places(FbTravelling* t) {
    for (int j = 0; j < t->n; j++) {
        for (int i = 0; i < t->n; i++) {
            t->place[j * t->n + i] = fb_pattern_index(t->blocks.vv, t->v[i], t->v[j]);
        }
    }
}

int fb_system_find_travelling(FbDynamics* d, const int** v) {
    FbSystem* s = fb_system_of(d);
    FbTravelling* t = &s->travelling;
    *v = t->v;
    t->n = 0;
    if (!t->v) {
        return 0;
    }
    memset(t->is_touched, 0, sizeof(bool) * (size_t)d->size.n_v);
    for (int i = 0; i < s->n_kinds; i++) {
        if (s->kinds[i]->mark_touched) {
            s->kinds[i]->mark_touched(s, t->is_touched);
        }
    }
    for (int j = 0; j < d->size.n_v; j++) {
        if (t->is_touched[j]) {
            t->v[t->n++] = j;
        }
    }
    t->needs_motion = depends_on_motion(s->m);
    find_places(t);
    return t->n;
}

static void gather(const FbTravelling* t, const double* values, double* out) {
    for (int k = 0; k < t->n * t->n; k++) {
        out[k] = t->place[k] >= 0 ? values[t->place[k]] : 0.0;
    }
}

void fb_system_calc_travelling(FbDynamics* d, const FbPoint* p, double* M, double* C, double* K) {
    FbSystem* s = fb_system_of(d);
    FbTravelling* t = &s->travelling;
    size_t n_vv = sizeof(double) * (size_t)fb_pattern_count(&s->m->vv);
    memset(t->blocks.M, 0, n_vv);
    memset(t->blocks.C, 0, n_vv);
    memset(t->blocks.K, 0, n_vv);
    if (t->needs_motion) {
        fb_slides_solve(s, p);
        fb_turns_predict(s, p->t);
        fb_system_realize(s, p->q, p->v, p->a);
    }
    for (int i = 0; i < s->n_kinds; i++) {
        if (s->kinds[i]->mark_touched) {
            s->kinds[i]->add_blocks(s, p, &t->blocks);
        }
    }
    gather(t, t->blocks.M, M);
    gather(t, t->blocks.C, C);
    gather(t, t->blocks.K, K);
}
