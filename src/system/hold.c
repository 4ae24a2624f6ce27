// Forces that hold a model only until its run starts.
#include <string.h>

#include "base/text.h"
#include "system/work.h"

static FbStatus fail_unknown(const FbModel* m, const char* name, FbError* err) {
    enum { MOST = 512 };
    const char* names[MOST];
    int n = 0;
    for (; n < m->n_elements && n < MOST; n++) {
        names[n] = m->elements[n].name;
    }
    const char* close = fb_did_you_mean(name, names, n);
    return fb_fail(err, FB_ERR_NAME, NULL, "there is no force '%s' to release%s%s%s", name,
                   close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
}

FbStatus fb_system_release(FbSystem* s, const char* const* names, int n, FbError* err) {
    const FbModel* m = s->m;
    for (int i = 0; i < n; i++) {
        int e = 0;
        while (e < m->n_elements && strcmp(m->elements[e].name, names[i]) != 0) {
            e++;
        }
        if (e == m->n_elements) {
            return fail_unknown(m, names[i], err);
        }
        s->is_off[e] = true;
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
