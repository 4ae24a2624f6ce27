// What a run remembers from step to step: the point, the sides of events, what it knows of kinks.
#include "solve/point.h"
#include "solve/run.h"

static void check_kink(FbKink* k, FbMemory* m) {
    bool* const flags[] = {&k->is_known, &k->is_border, &k->is_beyond, &k->is_new,    &k->is_tried,
                           &k->is_free,  &k->is_touch,  &k->is_coming, &k->is_leaving};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        fb_memory_check_flag(m, flags[i]);
    }
}

static void remember_kinks(FbRun* run, FbMemory* m) {
    int n = run->dynamics->size.n_switch;
    fb_memory_bytes(m, run->kinks, sizeof *run->kinks * (size_t)n);
    for (int i = 0; i < n; i++) {
        check_kink(&run->kinks[i], m);
    }
    fb_memory_doubles(m, run->depth_start, n);
    fb_memory_doubles(m, run->depth_end, n);
    FB_REMEMBER(m, run->n_kinks);
    FB_REMEMBER(m, run->n_looks);
    FB_REMEMBER(m, run->chatter_time);
    fb_memory_index(m, &run->chatter, 0, n);
    FB_REMEMBER(m, run->speed);
    FB_REMEMBER(m, run->last_span);
    FB_REMEMBER(m, run->n_stalls);
    FB_REMEMBER(m, run->look_level);
    FB_REMEMBER(m, run->longest);
    FB_REMEMBER(m, run->has_dark_step);
    FB_REMEMBER(m, run->touch);
    FB_REMEMBER(m, run->touch_end);
    FB_REMEMBER(m, run->touch_span);
    FB_REMEMBER(m, run->is_seen);
    FB_REMEMBER(m, run->is_hopping);
    fb_memory_index(m, &run->touched, 0, n);
    FB_REMEMBER(m, run->n_corrections);
    FB_REMEMBER(m, run->n_redone);
}

void fb_run_remember(FbRun* run, FbMemory* m) {
    const FbSizes* n = &run->dynamics->size;
    fb_point_remember(n, &run->at, m);
    fb_point_remember(n, &run->start, m);
    fb_memory_doubles(m, run->roots, n->n_root);
    fb_memory_doubles(m, run->root_scale, n->n_root);
    fb_memory_indices(m, run->side, n->n_root, -1, 1);
    FB_REMEMBER(m, run->row_change);
    FB_REMEMBER(m, run->blow);
    FB_REMEMBER(m, run->part);
    FB_REMEMBER(m, run->n_parts);
    FB_REMEMBER(m, run->part_time);
    FB_REMEMBER(m, run->work_correction);
    FB_REMEMBER(m, run->integrator->is_rough);
    remember_kinks(run, m);
}
