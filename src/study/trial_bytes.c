// A trial as bytes.
#include "study/trial_bytes.h"

#include <string.h>

// What a result holds besides its values and its message.
typedef struct Packed {
    int point, status, n_values, n_message;
    long steps;
    double wall_s, objective;
} Packed;

void fb_trial_pack(const FbStudy* study, const FbTrial* t, FbText* out) {
    int n = study->n_parameters + study->n_measures;
    Packed p = {.point = t->point,
                .status = (int)t->status,
                .n_values = n,
                .n_message = (int)strlen(t->message),
                .steps = t->steps,
                .wall_s = t->wall_s,
                .objective = t->objective};
    fb_text_add_n(out, (const char*)&p, sizeof p);
    fb_text_add_n(out, (const char*)t->values, sizeof(double) * (size_t)n);
    fb_text_add_n(out, t->message, (size_t)p.n_message);
}

bool fb_trial_unpack(const FbStudy* study, const char* data, size_t size, FbTrial* t) {
    Packed p;
    int n = study->n_parameters + study->n_measures;
    if (size < sizeof p) {
        return false;
    }
    memcpy(&p, data, sizeof p);
    size_t n_bytes = sizeof(double) * (size_t)n;
    if (p.n_values != n || p.n_message < 0 || p.n_message >= FB_TRIAL_MESSAGE || p.status < 0 ||
        p.status >= FB_N_TRIAL_STATUSES || size != sizeof p + n_bytes + (size_t)p.n_message) {
        return false;
    }
    t->point = p.point;
    t->status = (FbTrialStatus)p.status;
    t->steps = p.steps;
    t->wall_s = p.wall_s;
    t->objective = p.objective;
    memcpy(t->values, data + sizeof p, n_bytes);
    memcpy(t->message, data + sizeof p + n_bytes, (size_t)p.n_message);
    t->message[p.n_message] = '\0';
    return true;
}
