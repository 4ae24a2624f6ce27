// Runs pole.yaml, or the file that is named, in real time: every 2 ms a controller measures and
// sets its force, and the model takes one step of fixed length. Prints how late the periods began
// and how long a step took. The second argument is the time to run, in s.
#define _POSIX_C_SOURCE 200809L
#include <flyball/flyball.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const long PERIOD_NS = 2000000;

// What the loop has seen, in us.
typedef struct Clock {
    struct timespec next;
    double largest_delay, largest_cost, sum_of_costs;
    int n_periods, n_overruns;
} Clock;

static double microseconds_since(const struct timespec* from) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)(now.tv_sec - from->tv_sec) + 1e-3 * (double)(now.tv_nsec - from->tv_nsec);
}

static void wait_for_period(Clock* c) {
    c->next.tv_nsec += PERIOD_NS;
    if (c->next.tv_nsec >= 1000000000) {
        c->next.tv_nsec -= 1000000000;
        c->next.tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &c->next, NULL);
}

// One period: measure, control, step. Nothing of it allocates memory.
static FbStatus run_period(FbSimulation* sim, int push, FbError* err) {
    static const double gain[] = {3.16, 5.66, 39.6, 11.2};  // of x, v, lean and its rate
    double y[4], force = 0.0;
    FbStatus status = fb_simulation_calc_outputs(sim, y, err);
    for (int i = 0; status == FB_OK && i < 4; i++) {
        force += gain[i] * y[i];
    }
    if (status == FB_OK) {
        status = fb_simulation_set_input(sim, push, force, err);
    }
    return status == FB_OK ? fb_simulation_step(sim, 1e-9 * (double)PERIOD_NS, err) : status;
}

static FbStatus loop(FbSimulation* sim, int push, double duration, Clock* c, FbError* err) {
    FbStatus status = FB_OK;
    clock_gettime(CLOCK_MONOTONIC, &c->next);
    while (status == FB_OK && fb_simulation_get_time(sim) < duration) {
        wait_for_period(c);
        double delay = microseconds_since(&c->next);
        status = run_period(sim, push, err);
        double end = microseconds_since(&c->next), cost = end - delay;
        c->largest_delay = delay > c->largest_delay ? delay : c->largest_delay;
        c->largest_cost = cost > c->largest_cost ? cost : c->largest_cost;
        c->sum_of_costs += cost;
        c->n_overruns += end > 1e-3 * (double)PERIOD_NS;
        c->n_periods++;
    }
    return status;
}

int main(int argc, char** argv) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbSimulation* sim = NULL;
    FbError err = {0};
    Clock clock = {.n_periods = 0};
    if (fb_model_def_read_file(argc > 1 ? argv[1] : "pole.yaml", NULL, &def, messages) != FB_OK ||
        fb_model_create(def, &model, messages) != FB_OK) {
        fprintf(stderr, "%s\n", fb_diagnostics_get(messages, 0)->text);
        return 1;
    }
    FbRunOptions options = fb_run_options_default(model);
    options.settings.integrator = "alpha";  // fixed steps of nearly constant cost
    options.settings.step = 1e-9 * (double)PERIOD_NS;
    FbStatus status = fb_simulation_create(model, &options, &sim, &err);
    double duration = argc > 2 ? atof(argv[2]) : 2.0, y[4] = {0.0};
    if (status == FB_OK) {
        status = loop(sim, fb_model_find_input(model, "push"), duration, &clock, &err);
    }
    if (status == FB_OK) {
        status = fb_simulation_calc_outputs(sim, y, &err);
    }
    if (status == FB_OK) {
        printf("%d periods of %ld us; lean at the end %.5f rad\n", clock.n_periods,
               PERIOD_NS / 1000, y[2]);
        printf("a step took %.1f us on average and %.1f us at most\n",
               clock.sum_of_costs / clock.n_periods, clock.largest_cost);
        printf("periods began at most %.1f us late; %d ended too late\n", clock.largest_delay,
               clock.n_overruns);
    } else {
        fprintf(stderr, "%s\n", err.text);
    }
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(messages);
    return status == FB_OK ? 0 : 1;
}
