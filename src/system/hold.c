// Forces that hold a model only until its run starts.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "system/work.h"

static FbStatus fail_unknown(const FbModel* m, const char* name, FbError* err) {
    enum { MOST = 512 };
    const char* names[MOST];
    int n = 0;
    for (; n < m->n_forces && n < MOST; n++) {
        names[n] = m->forces[n].name;
    }
    const char* close = fb_did_you_mean(name, names, n);
    return fb_fail(err, FB_ERR_NAME, NULL, "there is no force '%s' to release%s%s%s", name,
                   close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
}

FbStatus fb_system_release(FbSystem* s, const char* const* names, int n, FbError* err) {
    const FbModel* m = s->m;
    for (int i = 0; i < n; i++) {
        int e = 0;
        while (e < m->n_forces && strcmp(m->forces[e].name, names[i]) != 0) {
            e++;
        }
        if (e == m->n_forces) {
            return fail_unknown(m, names[i], err);
        }
        s->is_off[e] = true;
        s->dynamics.has_tapes = false;  // they have all forces
    }
    return FB_OK;
}

void fb_system_freeze(FbSystem* s, bool is_frozen) {
    s->is_frozen = is_frozen;
    s->kkt.is_factored = false;
}

void fb_system_hold(FbSystem* s, bool is_held) {
    s->is_held = is_held;
    fb_system_freeze(s, is_held);
}

void fb_system_park_drives(FbSystem* s) {
    s->is_parked = s->are_drives_parked = true;
    fb_system_freeze(s, true);
    s->dynamics.size.n_x = 0;
}

// At a constant rate now and a second later.
static bool is_steady(const FbSystem* s, int law, double t, double* rate) {
    double now[3], later[3];
    fb_law_now(s, law, t, now);
    fb_law_now(s, law, t + 1.0, later);
    *rate = now[1];
    return now[2] == 0.0 && later[2] == 0.0 && fabs(now[1] - later[1]) <= 1e-12 * fabs(now[1]);
}

bool fb_system_get_driven_rates(FbSystem* s, const FbPoint* p, FbRate* rates, int* n) {
    const FbModel* m = s->m;
    bool is_known = true;
    *n = 0;
    for (int r = 0; r < m->n_rows; r++) {
        const FbRow* row = &m->rows[r];
        double rate = 0.0;
        if (row->law < 0 || (is_steady(s, row->law, p->t, &rate) && rate == 0.0)) {
            continue;
        }
        const FbTerm* term = &m->terms[row->term];
        bool is_plain = row->n_terms == 1 && term->kind == FB_TERM_COORDINATE;
        is_known = is_known && is_plain && is_steady(s, row->law, p->t, &rate);
        if (is_plain) {
            rates[(*n)++] = (FbRate){term->coordinate_v, rate / term->factor};
        }
    }
    return is_known;
}
