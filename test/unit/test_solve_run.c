// The run loop: events in time order, directions, switches, stops, breaks, changed equations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "solve/point.h"
#include "solve/run.h"
#include "solve_models.h"

enum { MAX_EVENTS = 64 };

typedef struct Record {
    int n;
    int root[MAX_EVENTS], direction[MAX_EVENTS];
    double t[MAX_EVENTS];
    double covered;  // end of the last interval reported
    double worst;    // sample error against cos(2 t)
    bool is_checking;
    double storage[6][TEST_MAX];
    FbPoint sample;
} Record;

// The undamped oscillator q = cos(2 t) with event functions q and q - 0.5.
typedef struct EventModel {
    TestModel base;
    FbDynamicsOps ops;
    int switch_root, stop_root;  // which root changes the law or stops; -1 none
    double break_time;
} EventModel;

static void roots(FbDynamics* d, const FbPoint* p, double* values) {
    (void)d;
    values[0] = p->q[0];
    values[1] = p->q[0] - 0.5;
}

static FbStatus event(FbDynamics* d, FbPoint* p, int root, int direction, bool* has_changed,
                      bool* stop, FbError* err) {
    EventModel* m = (EventModel*)d;
    (void)p, (void)direction, (void)err;
    m->base.events++;
    if (root == m->switch_root) {
        m->base.law = 4.0;  // a constant force: the rest position moves to 1
        m->switch_root = -1;
        *has_changed = true;
    }
    *stop = root == m->stop_root;
    return FB_OK;
}

static double next_break(const FbDynamics* d, double t) {
    const EventModel* m = (const EventModel*)d;
    return t < m->break_time ? m->break_time : INFINITY;
}

static FbStatus on_event(void* self, FbRun* run, const FbPoint* p, int root, int direction,
                         bool* is_ignored, FbError* err) {
    Record* r = self;
    (void)run, (void)is_ignored, (void)err;
    assert_true(r->n < MAX_EVENTS);
    assert_true(p->t >= r->covered - 1e-12);
    r->root[r->n] = root;
    r->direction[r->n] = direction;
    r->t[r->n++] = p->t;
    return FB_OK;
}

static FbStatus on_interval(void* self, FbRun* run, double from, double to, FbError* err) {
    Record* r = self;
    assert_true(fabs(from - r->covered) < 1e-12);
    r->covered = to;
    for (int k = 1; k <= 4 && r->is_checking; k++) {
        double t = k == 4 ? to : from + k * (to - from) / 4.0;
        assert_int_equal(fb_run_sample(run, t, &r->sample, err), FB_OK);
        r->worst = fmax(r->worst, fabs(r->sample.q[0] - cos(2.0 * t)));
    }
    return FB_OK;
}

static void set_up(EventModel* m, FbRun* run, Record* record, const FbIntegratorType* type,
                   double rtol) {
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = test_tolerance(rtol);
    memset(record, 0, sizeof *record);
    test_point_init(&record->sample, record->storage);
    test_oscillator_init(&m->base, 1.0, 0.0, 4.0);
    m->ops = *m->base.dynamics.ops;
    m->ops.roots = roots;
    m->ops.event = event;
    m->ops.next_break = next_break;
    m->base.dynamics.ops = &m->ops;
    m->base.dynamics.size.n_root = 2;
    m->switch_root = m->stop_root = -1;
    m->break_time = INFINITY;
    assert_int_equal(type->create(&m->base.dynamics, &o, &s, &err), FB_OK);
    assert_int_equal(fb_run_init(run, &m->base.dynamics, s, &m->base.dynamics.size, &err), FB_OK);
    run->hooks = (FbRunHooks){record, on_interval, on_event};
    fb_point_copy(&m->base.dynamics.size, &m->base.at, &run->at);
    assert_int_equal(fb_run_restart(run, &err), FB_OK);
}

static const FbIntegratorType* const types[] = {&fb_integrator_radau, &fb_integrator_dop853};

// Both roots over 10 s: all crossings, in order, to 1e-10; samples inside the same steps are right.
static void test_event_times(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        EventModel m;
        FbRun run;
        Record r;
        FbError err = {0};
        set_up(&m, &run, &r, types[k], 1e-12);
        r.is_checking = true;
        while (run.at.t < 10.0) {
            assert_int_equal(fb_run_step(&run, 10.0, &err), FB_OK);
        }
        double pi = acos(-1.0), expected[MAX_EVENTS];
        int n = 0;
        for (int turn = 0; turn < 4; turn++) {
            double phases[4] = {pi / 3, pi / 2, 3 * pi / 2, 5 * pi / 3};
            for (int i = 0; i < 4; i++) {
                expected[n] = (2 * pi * turn + phases[i]) / 2.0;
                n += expected[n] < 10.0;
            }
        }
        assert_int_equal(r.n, n);
        assert_int_equal(m.base.events, n);
        for (int i = 0; i < n; i++) {
            assert_true(fabs(r.t[i] - expected[i]) < 1e-10);
            assert_int_equal(r.root[i], i % 4 == 0 || i % 4 == 3);
            assert_int_equal(r.direction[i], i % 4 < 2 ? -1 : 1);
        }
        assert_true(r.covered == 10.0);
        assert_true(r.worst < 1e-10);
        fb_run_clear(&run);
    }
}

static void test_direction(void** state) {
    (void)state;
    EventModel m;
    FbRun run;
    Record r;
    FbError err = {0};
    const int directions[2] = {+1, -1};
    set_up(&m, &run, &r, &fb_integrator_dop853, 1e-9);
    run.directions = directions;
    while (run.at.t < 10.0) {
        assert_int_equal(fb_run_step(&run, 10.0, &err), FB_OK);
    }
    assert_true(r.n > 4);
    for (int i = 0; i < r.n; i++) {
        assert_int_equal(r.direction[i], r.root[i] == 0 ? 1 : -1);
    }
    fb_run_clear(&run);
}

static void test_stop(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        EventModel m;
        FbRun run;
        Record r;
        FbError err = {0};
        FbStatus status = FB_OK;
        set_up(&m, &run, &r, types[k], 1e-10);
        m.stop_root = 0;
        while (run.at.t < 10.0 && status == FB_OK) {
            status = fb_run_step(&run, 10.0, &err);
        }
        assert_int_equal(status, FB_STOPPED);
        assert_true(fabs(run.at.t - acos(-1.0) / 4.0) < 1e-9);
        assert_true(fabs(run.at.q[0]) < 1e-9);
        assert_true(fabs(run.at.a[0] + 4.0 * run.at.q[0]) < 1e-9);
        assert_true(r.covered == run.at.t);
        fb_run_clear(&run);
    }
}

// At q = 0 a constant force is switched on: from there q = 1 + A cos(2 (t - t0)) + B sin(2 (t -
// t0)).
static void test_switch(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        EventModel m;
        FbRun run;
        Record r;
        FbError err = {0};
        set_up(&m, &run, &r, types[k], 1e-11);
        m.switch_root = 0;
        while (run.at.t < 2.0) {
            assert_int_equal(fb_run_step(&run, 2.0, &err), FB_OK);
        }
        double phase = 2.0 * (2.0 - acos(-1.0) / 4.0);
        assert_true(fabs(run.at.q[0] - (1.0 - cos(phase) - sin(phase))) < 1e-8);
        assert_true(run.integrator->type->stats(run.integrator)->restarts == 2);
        // The event that switched happened once at its time, although q starts at 0 in the new
        // step.
        int at_switch = 0;
        for (int i = 0; i < r.n; i++) {
            at_switch += r.root[i] == 0 && fabs(r.t[i] - acos(-1.0) / 4.0) < 1e-6;
        }
        assert_int_equal(at_switch, 1);
        fb_run_clear(&run);
    }
}

// A break is a step end: the time is met exactly and the integrator starts anew.
static void test_break(void** state) {
    (void)state;
    EventModel m;
    FbRun run;
    Record r;
    FbError err = {0};
    bool is_met = false;
    set_up(&m, &run, &r, &fb_integrator_radau, 1e-8);
    m.break_time = 0.123;
    while (run.at.t < 1.0) {
        assert_int_equal(fb_run_step(&run, 1.0, &err), FB_OK);
        is_met = is_met || run.at.t == 0.123;
    }
    assert_true(is_met);
    assert_int_equal(run.integrator->type->stats(run.integrator)->restarts, 2);
    assert_true(fabs(run.at.q[0] - cos(2.0)) < 1e-6);
    fb_run_clear(&run);
}

static void test_find(void** state) {
    (void)state;
    assert_ptr_equal(fb_integrator_find("radau"), &fb_integrator_radau);
    assert_ptr_equal(fb_integrator_find("dop853"), &fb_integrator_dop853);
    assert_null(fb_integrator_find("euler"));
    for (int i = 0; fb_integrator_types[i]; i++) {
        assert_non_null(fb_integrator_types[i]->doc);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event_times), cmocka_unit_test(test_direction),
        cmocka_unit_test(test_stop),        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_break),       cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
