// How far a sweep with MPI scales: a discrete-event simulation of the ranks with the dealer of the
// program (src/study/dealer.c), and the measurement of the times that it needs. Tells
// docs/scale.md.
//     flyball_scale                      the tables of docs/scale.md, from the times below
//     flyball_scale POINT_S RANKS POINTS one case
//     flyball_scale rows STUDY TABLE     measures the time of a row of a table
//     mpirun -n 2 flyball_scale messages MODULE   measures the time of a message
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "study/dealer.h"
#include "study/ranks.h"
#include "study/table.h"

// Measured on the machine of docs/scale.md; seconds.
static double message_s = 4.0e-5;       // rank 0: receiving a message and answering it
static double row_s = 1.0e-5;           // rank 0: a result becomes a row of the table
static double latency_s = 5e-6;         // of a message between two machines, one way
static const double look_s = 1e-3;      // between two looks of a rank at its threads (share_work.c)
static const double ask_again_s = 0.5;  // after an answer without points (share_work.c)
enum { MOST_POINTS = 4096 };            // of one message (share.c)

// ---- Events ----

typedef enum Kind { POINT_ENDS, RANK_ASKS, HOST_HEARS, RANK_HEARS } Kind;

typedef struct Event {
    double t;
    long order;  // of two at one time the first one made comes first
    Kind kind;
    int rank;
} Event;

typedef struct Heap {
    Event* events;
    int n, capacity;
    long n_made;
} Heap;

static bool is_before(const Event* a, const Event* b) {
    return a->t < b->t || (a->t == b->t && a->order < b->order);
}

static void push(Heap* h, double t, Kind kind, int rank) {
    if (h->n == h->capacity) {
        h->capacity = h->capacity ? 2 * h->capacity : 1024;
        h->events = realloc(h->events, sizeof(Event) * (size_t)h->capacity);
        if (!h->events) {
            abort();
        }
    }
    Event e = {t, h->n_made++, kind, rank};
    int i = h->n++;
    for (; i > 0 && is_before(&e, &h->events[(i - 1) / 2]); i = (i - 1) / 2) {
        h->events[i] = h->events[(i - 1) / 2];
    }
    h->events[i] = e;
}

static Event pop(Heap* h) {
    Event first = h->events[0], last = h->events[--h->n];
    int i = 0;
    for (int child = 1; child < h->n; child = 2 * i + 1) {
        child += child + 1 < h->n && is_before(&h->events[child + 1], &h->events[child]);
        if (!is_before(&h->events[child], &last)) {
            break;
        }
        h->events[i] = h->events[child];
        i = child;
    }
    h->events[i] = last;
    return first;
}

// ---- The simulation ----

typedef struct Rank {
    int* points;  // in store, and the one that runs, from `next` on
    int next, n;
    int* done;  // since the last message
    int n_done;
    bool is_running, is_waiting;
    int* answer;  // points that are on the way
    int n_answer;
    int* letter;  // results that are on the way
    int n_letter;
} Rank;

typedef struct Outcome {
    double wall_s, host_share;  // of the time in which rank 0 is busy with messages and rows
    double work_s;              // of all points
    long n_messages;
} Outcome;

typedef struct Simulation {
    FbDealer dealer;
    Heap heap;
    Rank* ranks;
    double point_s, host_free_s, host_busy_s, end_s;
    long n_messages;
} Simulation;

// Between half and one and a half times the mean, drawn from the number of the point.
static double time_of(const Simulation* s, int point) {
    unsigned x = (unsigned)point * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return s->point_s * (0.5 + x / 4294967296.0);
}

static void* take(size_t size) {
    void* memory = calloc(1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

static void begin_point(Simulation* s, int r, double t) {
    Rank* rank = &s->ranks[r];
    if (!rank->is_running && rank->next < rank->n) {
        rank->is_running = true;
        push(&s->heap, t + time_of(s, rank->points[rank->next]), POINT_ENDS, r);
    }
}

// Sends results, and asks where nothing waits in store and no answer is on the way.
static void ask(Simulation* s, int r, double t) {
    Rank* rank = &s->ranks[r];
    bool is_hungry = rank->n - rank->next - rank->is_running < 1;
    if (rank->is_waiting || !is_hungry) {
        return;
    }
    rank->is_waiting = true;
    memcpy(rank->letter, rank->done, sizeof(int) * (size_t)rank->n_done);
    rank->n_letter = rank->n_done;
    rank->n_done = 0;
    push(&s->heap, t + latency_s, HOST_HEARS, r);
}

static void end_point(Simulation* s, int r, double t) {
    Rank* rank = &s->ranks[r];
    rank->is_running = false;
    rank->done[rank->n_done++] = rank->points[rank->next++];
    begin_point(s, r, t);
    push(&s->heap, t + 0.5 * look_s, RANK_ASKS, r);
}

// Rank 0 does one thing after the other.
static void serve(Simulation* s, int r, double t) {
    Rank* rank = &s->ranks[r];
    double begin = fmax(t, s->host_free_s);
    double cost = message_s + rank->n_letter * row_s;
    s->host_free_s = begin + cost;
    s->host_busy_s += cost;
    s->n_messages++;
    for (int i = 0; i < rank->n_letter; i++) {
        fb_dealer_take(&s->dealer, rank->letter[i], time_of(s, rank->letter[i]));
    }
    s->end_s = s->host_free_s;
    rank->n_answer = fb_dealer_deal(&s->dealer, r, 1, s->host_free_s, MOST_POINTS, rank->answer);
    push(&s->heap, s->host_free_s + latency_s, RANK_HEARS, r);
}

static void hear(Simulation* s, int r, double t) {
    Rank* rank = &s->ranks[r];
    int n_left = rank->n - rank->next;
    memmove(rank->points, rank->points + rank->next, sizeof(int) * (size_t)n_left);
    memcpy(rank->points + n_left, rank->answer, sizeof(int) * (size_t)rank->n_answer);
    rank->next = 0;
    rank->n = n_left + rank->n_answer;
    rank->is_waiting = false;
    begin_point(s, r, t);
    push(&s->heap, t + (rank->n_answer > 0 || rank->n_done > 0 ? 0.5 * look_s : ask_again_s),
         RANK_ASKS, r);
}

static void step(Simulation* s, const Event* e) {
    switch (e->kind) {
        case POINT_ENDS:
            end_point(s, e->rank, e->t);
            break;
        case RANK_ASKS:
            ask(s, e->rank, e->t);
            break;
        case HOST_HEARS:
            serve(s, e->rank, e->t);
            break;
        case RANK_HEARS:
            hear(s, e->rank, e->t);
            break;
    }
}

static Outcome simulate(double point_s, int n_ranks, int n_points) {
    Simulation s = {.point_s = point_s, .ranks = take(sizeof(Rank) * (size_t)n_ranks)};
    if (fb_dealer_init(&s.dealer, n_points, n_ranks, NULL) < 0) {
        abort();
    }
    size_t room = sizeof(int) * 2 * MOST_POINTS;
    for (int r = 0; r < n_ranks; r++) {
        s.ranks[r] = (Rank){
            .points = take(room), .done = take(room), .answer = take(room), .letter = take(room)};
        push(&s.heap, 0.0, RANK_ASKS, r);
    }
    while (!fb_dealer_is_done(&s.dealer)) {
        Event e = pop(&s.heap);
        step(&s, &e);
    }
    Outcome out = {.wall_s = s.end_s,
                   .host_share = s.host_busy_s / s.end_s,
                   .work_s = s.dealer.sum_s,
                   .n_messages = s.n_messages};
    for (int r = 0; r < n_ranks; r++) {
        free(s.ranks[r].points);
        free(s.ranks[r].done);
        free(s.ranks[r].answer);
        free(s.ranks[r].letter);
    }
    free(s.ranks);
    free(s.heap.events);
    fb_dealer_free(&s.dealer);
    return out;
}

static void print_case(double point_s, int n_ranks, int n_points) {
    Outcome o = simulate(point_s, n_ranks, n_points);
    printf("| %g | %d | %d | %.3g | %.3g | %.1f %% | %.1f %% |\n", point_s, n_ranks, n_points,
           o.wall_s, n_points / o.wall_s, 100.0 * o.work_s / (o.wall_s * n_ranks),
           100.0 * o.host_share);
}

static void print_tables(void) {
    static const int ranks[] = {1, 10, 100, 1000, 3000, 10000};
    static const double times[] = {1e-3, 1e-2, 0.1, 1.0, 10.0};
    printf("message %g s, row %g s, latency %g s\n\n", message_s, row_s, latency_s);
    printf("| point s | ranks | points | wall s | points/s | ranks busy | rank 0 busy |\n");
    printf("|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
            double n = fmax(30.0, fmin(10.0 / times[i], 1000.0)) * ranks[k];
            print_case(times[i], ranks[k], (int)fmin(n, 1e6));
        }
    }
}

// ---- Measurements ----

static int measure_rows(const char* study_path, const char* table_path) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStudy* study = NULL;
    FbTrialTable table;
    FbError err;
    int n = 200000;
    unlink(table_path);
    if (fb_study_read(study_path, NULL, 0, &study, diagnostics) != FB_OK ||
        fb_table_open(&table, study, table_path, false, false, &err) != FB_OK) {
        fprintf(stderr, "flyball_scale: cannot read %s or write %s\n", study_path, table_path);
        return 1;
    }
    double start = fb_clock_wall_s();
    for (int i = 0; i < n; i++) {
        double parameters[64] = {sqrt(i + 0.5)};
        FbTrial* t = fb_table_create_trial(&table, parameters);
        t->point = i;
        fb_table_add(&table, t, &err);
    }
    double added = fb_clock_wall_s();
    fb_table_finish(&table, &err);
    double finished = fb_clock_wall_s();
    printf("row %.3g s, at the end again %.3g s\n", (added - start) / n, (finished - added) / n);
    fb_table_close(&table);
    unlink(table_path);
    fb_study_destroy(study);
    fb_diagnostics_destroy(diagnostics);
    return 0;
}

// Rank 1 sends many questions; rank 0 answers those that wait for it.
static int measure_messages(const char* module_path) {
    void* module = dlopen(module_path, RTLD_NOW | RTLD_GLOBAL);
    void* symbol = module ? dlsym(module, FB_RANKS_OPEN) : NULL;
    FbRanksOpen open;
    FbRanks ranks;
    FbError err;
    memcpy(&open, &symbol, sizeof open);
    if (!symbol || open(&ranks, &err) < 0 || ranks.n_ranks != 2) {
        fprintf(stderr, "flyball_scale: two ranks of mpirun, and the path of flyball_mpi.so\n");
        return 1;
    }
    enum { N = 500 };
    char data[400] = "";
    int from, n = 0;
    const void* text;
    size_t size;
    for (int i = 0; ranks.rank == 1 && i < N; i++) {
        ranks.send(ranks.self, 0, data, sizeof data, &err);
    }
    sleep(1);
    double start = fb_clock_wall_s();
    for (; n < N; n += from >= 0) {
        ranks.receive(ranks.self, 1.0, &from, &text, &size, &err);
        if (ranks.rank == 0 && from >= 0) {
            ranks.send(ranks.self, 1, data, 100, &err);
        }
    }
    if (ranks.rank == 0) {
        printf("message %.3g s\n", (fb_clock_wall_s() - start) / N);
    }
    ranks.close(ranks.self, true);
    return 0;
}

int main(int argc, char** argv) {
    if (argc == 4 && strcmp(argv[1], "rows") == 0) {
        return measure_rows(argv[2], argv[3]);
    }
    if (argc == 3 && strcmp(argv[1], "messages") == 0) {
        return measure_messages(argv[2]);
    }
    if (argc == 4) {
        print_case(atof(argv[1]), atoi(argv[2]), atoi(argv[3]));
        return 0;
    }
    print_tables();
    return 0;
}
