// Sweeps and searches over several processes: how points are dealt out, results as bytes, and whole
// sweeps and searches with ranks that are threads of this test, some of which die, leave, fail or
// have read something else.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <pthread.h>

#include "base/clock.h"
#include "study/crew.h"
#include "study/dealer.h"
#include "study/optimize.h"
#include "study/rank_message.h"
#include "study/share.h"
#include "study/trial_bytes.h"

// ---- Dealing ----

static FbDealer make_dealer(int n_points, int n_ranks) {
    FbDealer d;
    assert_int_equal(fb_dealer_init(&d, n_points, n_ranks, NULL), FB_OK);
    return d;
}

static void test_every_point_is_dealt_once(void** state) {
    (void)state;
    enum { N = 5000, RANKS = 7 };
    FbDealer d = make_dealer(N, RANKS);
    int count[N] = {0}, points[N], n_asks = 0;
    for (unsigned turn = 1; !fb_dealer_is_done(&d); turn = turn * 1103515245u + 12345u) {
        int n = fb_dealer_deal(&d, (int)((turn >> 16) % RANKS), 3, 0.0, N, points);
        assert_true(n > 0);
        n_asks++;
        for (int i = 0; i < n; i++) {
            count[points[i]]++;
            assert_true(fb_dealer_take(&d, points[i], 1e-3));
        }
    }
    for (int i = 0; i < N; i++) {
        assert_int_equal(count[i], 1);
    }
    assert_in_range(n_asks, RANKS, N / 10);  // far fewer messages than points
    fb_dealer_free(&d);
}

static void test_sizes_of_chunks(void** state) {
    (void)state;
    int points[100000];
    FbDealer d = make_dealer(100000, 4);
    // Nothing is known: one for each thread.
    assert_int_equal(fb_dealer_deal(&d, 1, 1, 0.0, 100000, points), 1);
    assert_int_equal(fb_dealer_deal(&d, 2, 8, 0.0, 100000, points + 1), 8);
    // Points of 10 ms: a quarter of a second of them for each thread.
    fb_dealer_take(&d, points[0], 0.01);
    assert_in_range(fb_dealer_deal(&d, 1, 1, 0.0, 100000, points), 25, 26);
    assert_in_range(fb_dealer_deal(&d, 1, 4, 0.0, 100000, points), 100, 102);
    assert_int_equal(fb_dealer_deal(&d, 1, 4, 0.0, 17, points), 17);
    fb_dealer_free(&d);
    // Points of a minute: one at a time.
    d = make_dealer(1000, 4);
    fb_dealer_deal(&d, 1, 1, 0.0, 1, points);
    fb_dealer_take(&d, points[0], 60.0);
    assert_int_equal(fb_dealer_deal(&d, 1, 1, 0.0, 1000, points), 1);
    fb_dealer_free(&d);
    // At the end every rank gets its share: 1 ms points, but 80 of them for 4 ranks.
    d = make_dealer(81, 4);
    fb_dealer_deal(&d, 1, 1, 0.0, 1, points);
    fb_dealer_take(&d, points[0], 1e-3);
    assert_int_equal(fb_dealer_deal(&d, 1, 1, 0.0, 1000, points), 10);
    fb_dealer_free(&d);
}

static void test_late_points_are_dealt_again(void** state) {
    (void)state;
    FbDealer d = make_dealer(2, 3);
    int point;
    assert_int_equal(fb_dealer_deal(&d, 1, 1, 0.0, 1, &point), 1);
    int lost = point;
    assert_int_equal(fb_dealer_deal(&d, 2, 1, 0.0, 1, &point), 1);
    fb_dealer_take(&d, point, 1.0);
    // Rank 1 dies. Not before its time, which knows of no other point yet, and not by rank 1.
    assert_int_equal(fb_dealer_deal(&d, 2, 1, 1.9, 1, &point), 0);
    assert_int_equal(fb_dealer_deal(&d, 1, 1, 99.0, 1, &point), 0);
    assert_int_equal(fb_dealer_deal(&d, 2, 1, 10.0, 1, &point), 1);
    assert_int_equal(point, lost);
    // It may just be long: the next time comes after twice as long.
    assert_int_equal(fb_dealer_deal(&d, 3, 1, 29.9, 1, &point), 0);
    assert_int_equal(fb_dealer_deal(&d, 3, 1, 30.1, 1, &point), 1);
    assert_int_equal(d.n_dealt_again, 2);
    assert_true(fb_dealer_take(&d, lost, 31.0));
    assert_true(fb_dealer_is_done(&d));
    assert_false(fb_dealer_take(&d, lost, 31.0));  // the second answer does not count
    fb_dealer_free(&d);
}

static void test_points_that_are_given_back(void** state) {
    (void)state;
    FbDealer d = make_dealer(10, 2);
    int points[10], n = fb_dealer_deal(&d, 1, 6, 0.0, 10, points);
    assert_int_equal(n, 6);
    fb_dealer_take(&d, points[2], 1.0);
    fb_dealer_lose(&d, 1);
    fb_dealer_take(&d, points[4], 1.0);  // arrives after all
    int seen[10] = {0};
    for (int i = 0; i < 10 && !fb_dealer_is_done(&d); i++) {
        assert_int_equal(fb_dealer_deal(&d, 2, 1, 0.0, 1, points), 1);
        seen[points[0]]++;
        assert_true(fb_dealer_take(&d, points[0], 1.0));
    }
    assert_true(fb_dealer_is_done(&d));
    for (int i = 0; i < 10; i++) {
        assert_int_equal(seen[i], i != 2 && i != 4);
    }
    fb_dealer_free(&d);
}

// ---- Whole sweeps ----

enum { MAX_RANKS = 5, POINTS = 12 };

// Messages in memory.
typedef struct Letter {
    struct Letter* next;
    int from;
    size_t size;
    char data[];
} Letter;

static struct {
    pthread_mutex_t lock;
    Letter* first[MAX_RANKS];
    Letter* last[MAX_RANKS];  // received
} post = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef struct Rank {
    FbRanks ranks;
    FbStudy* study;
    FbStudyOptions options;
    FbStudyRun* run;
    FbStatus status;
    FbError err;
    pthread_t thread;
    bool is_stopped;
    int n_awaited;  // rank 0 takes no message before that many others have written to it
    FbStatus (*run_study)(const FbStudy*, const FbStudyOptions*, FbStudyRun**, FbError*);
} Rank;

static FbStatus send(void* self, int to, const void* data, size_t size, FbError* err) {
    (void)err;
    Rank* r = self;
    Letter* letter = malloc(sizeof *letter + size);
    *letter = (Letter){.from = r->ranks.rank, .size = size};
    memcpy(letter->data, data, size);
    pthread_mutex_lock(&post.lock);
    Letter** at = &post.first[to];
    while (*at) {
        at = &(*at)->next;
    }
    *at = letter;
    pthread_mutex_unlock(&post.lock);
    return FB_OK;
}

static int count_senders(int to) {
    bool has_written[MAX_RANKS] = {false};
    int n = 0;
    pthread_mutex_lock(&post.lock);
    for (const Letter* letter = post.first[to]; letter; letter = letter->next) {
        n += !has_written[letter->from];
        has_written[letter->from] = true;
    }
    pthread_mutex_unlock(&post.lock);
    return n;
}

// So that all take part, however busy the machine is.
static void await_senders(Rank* r) {
    while (count_senders(r->ranks.rank) < r->n_awaited) {
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    r->n_awaited = 0;
}

static FbStatus receive(void* self, double wait_s, int* from, const void** data, size_t* size,
                        FbError* err) {
    (void)err;
    int rank = ((Rank*)self)->ranks.rank;
    await_senders(self);
    double end = fb_clock_wall_s() + wait_s;
    *from = -1;
    do {
        pthread_mutex_lock(&post.lock);
        Letter* letter = post.first[rank];
        if (letter) {
            post.first[rank] = letter->next;
            free(post.last[rank]);
            post.last[rank] = letter;
        }
        pthread_mutex_unlock(&post.lock);
        if (letter) {
            *from = letter->from;
            *data = letter->data;
            *size = letter->size;
            return FB_OK;
        }
        nanosleep(&(struct timespec){0, 100000}, NULL);
    } while (fb_clock_wall_s() < end);
    return FB_OK;
}

static bool is_stopped(void* self) {
    return ((Rank*)self)->is_stopped;
}

static const char* study_path = "test/unit/study/sweep.study.yaml";

static FbStudy* read_study(void) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStudy* s = NULL;
    assert_int_equal(fb_study_read(study_path, NULL, 0, &s, diagnostics), FB_OK);
    fb_diagnostics_destroy(diagnostics);
    return s;
}

static void* run_rank(void* self) {
    Rank* r = self;
    r->status = r->run_study(r->study, &r->options, &r->run, &r->err);
    fb_share_close(&r->ranks);
    return NULL;
}

// Asks for points and is never heard of again.
static void* die(void* self) {
    Rank* r = self;
    FbRankHead head = {.kind = FB_RANK_ASK, .n = 2};
    snprintf(head.sha256, sizeof head.sha256, "%s", r->study->sha256);
    fb_rank_send(&r->ranks, 0, &head, NULL, 0, NULL);
    return NULL;
}

static void* only_end(void* self) {
    fb_share_close(&((Rank*)self)->ranks);
    return NULL;
}

static char table_path[64];

static void set_up_ranks(Rank* ranks, int n) {
    for (int i = 0; i < n; i++) {
        Rank* r = &ranks[i];
        *r = (Rank){.study = read_study(), .run_study = fb_study_sweep};
        r->ranks = (FbRanks){.self = r, .rank = i, .n_ranks = n, .send = send, .receive = receive};
        r->ranks.silence_s = 8.0;
        r->options = fb_study_options_default(table_path);
        r->options.ranks = &r->ranks;
        r->options.n_threads = 1 + i % 2;
        r->options.is_untimed = true;
        r->options.stop = (FbStop){is_stopped, r};
    }
    unlink(table_path);
}

// Ranks 1 ... n-1 do what their functions say, rank 0 runs here.
static void run_ranks(Rank* ranks, int n, void* (*const* functions)(void*)) {
    for (int i = 1; i < n; i++) {
        void* (*function)(void*) = functions && functions[i] ? functions[i] : run_rank;
        assert_int_equal(pthread_create(&ranks[i].thread, NULL, function, &ranks[i]), 0);
    }
    run_rank(&ranks[0]);
    for (int i = 1; i < n; i++) {
        pthread_join(ranks[i].thread, NULL);
    }
}

static void tear_down_ranks(Rank* ranks, int n) {
    for (int i = 0; i < n; i++) {
        fb_study_run_destroy(ranks[i].run);
        fb_study_destroy(ranks[i].study);
        free(post.last[i]);
        post.last[i] = NULL;
        while (post.first[i]) {
            Letter* letter = post.first[i];
            post.first[i] = letter->next;
            free(letter);
        }
    }
}

static char* read_table(void) {
    FILE* file = fopen(table_path, "rb");
    assert_non_null(file);
    char* text = calloc(1, 65536);
    assert_true(fread(text, 1, 65535, file) > 100);
    fclose(file);
    return text;
}

// The table that threads of one process write.
static char* expected_table(void) {
    FbStudy* s = read_study();
    FbStudyRun* run = NULL;
    FbStudyOptions options = fb_study_options_default(table_path);
    options.is_untimed = true;
    unlink(table_path);
    assert_int_equal(fb_study_sweep(s, &options, &run, NULL), FB_OK);
    fb_study_run_destroy(run);
    fb_study_destroy(s);
    return read_table();
}

static void check_whole(const Rank* rank0) {
    assert_int_equal(rank0->status, FB_OK);
    char *wanted = NULL, *table = read_table();
    FbStudyRunInfo info;
    fb_study_run_get_info(rank0->run, &info);
    assert_int_equal(info.n_computed, POINTS);
    wanted = expected_table();
    assert_string_equal(table, wanted);
    free(wanted);
    free(table);
}

static void test_any_number_of_ranks(void** state) {
    (void)state;
    for (int n = 1; n <= MAX_RANKS; n += 2) {
        Rank ranks[MAX_RANKS];
        set_up_ranks(ranks, n);
        run_ranks(ranks, n, NULL);
        for (int i = 1; i < n; i++) {
            assert_int_equal(ranks[i].status, FB_OK);
            assert_true(ranks[i].ranks.is_whole);
        }
        assert_true(ranks[0].ranks.is_whole);
        check_whole(&ranks[0]);
        tear_down_ranks(ranks, n);
    }
}

static void test_ranks_that_die(void** state) {
    (void)state;
    Rank ranks[4];
    void* (*const functions[])(void*) = {NULL, die, NULL, die};
    set_up_ranks(ranks, 4);
    die(&ranks[1]);  // before rank 0 begins, so that it surely gets points
    run_ranks(ranks, 4, functions);
    assert_false(ranks[0].ranks.is_whole);
    assert_false(ranks[2].ranks.is_whole);  // lives, and knows it
    check_whole(&ranks[0]);
    tear_down_ranks(ranks, 4);
}

static void test_all_others_die(void** state) {
    (void)state;
    Rank ranks[2];
    void* (*const functions[])(void*) = {NULL, die};
    set_up_ranks(ranks, 2);
    die(&ranks[1]);  // before rank 0 begins, so that it surely gets points
    run_ranks(ranks, 2, functions);
    check_whole(&ranks[0]);
    tear_down_ranks(ranks, 2);
}

static void test_rank_that_is_stopped_gives_back(void** state) {
    (void)state;
    Rank ranks[3];
    set_up_ranks(ranks, 3);
    ranks[1].is_stopped = true;
    run_ranks(ranks, 3, NULL);
    assert_int_equal(ranks[1].status, FB_STOPPED);
    assert_true(ranks[0].ranks.is_whole && ranks[1].ranks.is_whole);
    check_whole(&ranks[0]);
    tear_down_ranks(ranks, 3);
}

static void test_rank_0_is_stopped(void** state) {
    (void)state;
    Rank ranks[3];
    set_up_ranks(ranks, 3);
    ranks[0].is_stopped = true;
    run_ranks(ranks, 3, NULL);
    assert_int_equal(ranks[0].status, FB_STOPPED);
    assert_int_equal(ranks[1].status, FB_OK);  // it was told
    tear_down_ranks(ranks, 3);
}

static void test_rank_that_fails(void** state) {
    (void)state;
    Rank ranks[3];
    void* (*const functions[])(void*) = {NULL, NULL, only_end};
    set_up_ranks(ranks, 3);
    fb_share_fail(&ranks[2].ranks, FB_ERR_MODEL, "no such file");
    run_ranks(ranks, 3, functions);
    assert_int_equal(ranks[0].status, FB_ERR_MODEL);
    assert_non_null(strstr(ranks[0].err.text, "rank 2: no such file"));
    tear_down_ranks(ranks, 3);
}

static void test_rank_with_another_study(void** state) {
    (void)state;
    Rank ranks[2];
    set_up_ranks(ranks, 2);
    ranks[1].study->sha256[9] ^= 1;
    die(&ranks[1]);  // before rank 0 begins, so that it surely sees it
    run_ranks(ranks, 2, NULL);
    assert_int_equal(ranks[0].status, FB_ERR_MODEL);
    assert_non_null(strstr(ranks[0].err.text, "rank 1 has read another study"));
    tear_down_ranks(ranks, 2);
}

static void test_table_that_cannot_be_opened(void** state) {
    (void)state;
    Rank ranks[2];
    set_up_ranks(ranks, 2);
    ranks[0].options.path = "/nowhere/table.csv";
    run_ranks(ranks, 2, NULL);
    assert_int_equal(ranks[0].status, FB_ERR_IO);
    assert_int_equal(ranks[1].status, FB_OK);  // it does not wait for ever
    assert_true(ranks[0].ranks.is_whole && ranks[1].ranks.is_whole);
    tear_down_ranks(ranks, 2);
}

// ---- A rank that has left ----

// Rank 0 is gone, as under `mpirun --enable-recovery`.
static void test_rank_that_left_does_not_wait_for_ever(void** state) {
    (void)state;
    Rank ranks[2];
    set_up_ranks(ranks, 2);
    ranks[1].is_stopped = true;
    ranks[1].ranks.silence_s = 0.2;
    run_rank(&ranks[1]);
    assert_int_equal(ranks[1].status, FB_STOPPED);
    assert_false(ranks[1].ranks.is_whole);
    tear_down_ranks(ranks, 2);
}

// It stays as long as rank 0 answers, however long that takes: all can close together.
static void test_rank_that_left_waits_for_rank_0(void** state) {
    (void)state;
    Rank ranks[3];
    void* (*const functions[])(void*) = {NULL, NULL, die};
    set_up_ranks(ranks, 3);
    die(&ranks[2]);  // its points come late: rank 0 waits for seconds
    ranks[1].is_stopped = true;
    ranks[1].ranks.silence_s = 0.5;
    double start = fb_clock_wall_s();
    run_ranks(ranks, 3, functions);
    assert_true(fb_clock_wall_s() - start > 1.5);  // longer than its patience
    assert_true(ranks[1].ranks.has_ended);
    check_whole(&ranks[0]);
    tear_down_ranks(ranks, 3);
}

// ---- Searches ----

static void set_up_searches(Rank* ranks, int n, const char* path) {
    study_path = path;
    set_up_ranks(ranks, n);
    for (int i = 0; i < n; i++) {
        ranks[i].run_study = fb_study_optimize;
    }
}

// The table of a search in one thread, and whether that of rank 0 is the same.
static void check_search(const Rank* rank0) {
    assert_int_equal(rank0->status, FB_OK);
    char* table = read_table();
    FbStudyRun* run = NULL;
    FbStudyOptions options = fb_study_options_default(table_path);
    options.is_untimed = true;
    options.n_threads = 1;
    unlink(table_path);
    assert_int_equal(fb_study_optimize(rank0->study, &options, &run, NULL), FB_OK);
    fb_study_run_destroy(run);
    char* wanted = read_table();
    assert_string_equal(table, wanted);
    free(wanted);
    free(table);
}

static const char* const searches[] = {"test/unit/study/starts.study.yaml",
                                       "test/unit/study/population.study.yaml"};

static void test_searches_by_any_number_of_ranks(void** state) {
    (void)state;
    if (!fb_study_can_optimize()) {
        skip();
    }
    for (int k = 0; k < 2; k++) {
        for (int n = 1; n <= 4; n += 1 + (n == 2)) {
            Rank ranks[MAX_RANKS];
            set_up_searches(ranks, n, searches[k]);
            int n_computed[MAX_RANKS] = {0};
            ranks[0].ranks.n_computed = n_computed;
            ranks[0].n_awaited = n - 1;
            run_ranks(ranks, n, NULL);
            assert_true(ranks[0].ranks.is_whole);
            check_search(&ranks[0]);
            for (int i = 0; i < n; i++) {
                assert_true(n_computed[i] > 0);  // also where there is one search
            }
            tear_down_ranks(ranks, n);
        }
    }
    study_path = "test/unit/study/sweep.study.yaml";
}

static void test_search_with_ranks_that_die(void** state) {
    (void)state;
    if (!fb_study_can_optimize()) {
        skip();
    }
    Rank ranks[3];
    void* (*const functions[])(void*) = {NULL, die, NULL};
    set_up_searches(ranks, 3, searches[0]);
    die(&ranks[1]);
    run_ranks(ranks, 3, functions);
    assert_false(ranks[0].ranks.is_whole);
    check_search(&ranks[0]);
    tear_down_ranks(ranks, 3);
    study_path = "test/unit/study/sweep.study.yaml";
}

static void test_search_that_is_stopped_or_fails(void** state) {
    (void)state;
    if (!fb_study_can_optimize()) {
        skip();
    }
    Rank ranks[3];
    set_up_searches(ranks, 3, searches[0]);
    ranks[0].is_stopped = true;
    run_ranks(ranks, 3, NULL);
    assert_int_equal(ranks[0].status, FB_STOPPED);
    tear_down_ranks(ranks, 3);
    set_up_searches(ranks, 2, searches[0]);
    ranks[1].study->sha256[9] ^= 1;
    die(&ranks[1]);
    run_ranks(ranks, 2, NULL);
    assert_int_equal(ranks[0].status, FB_ERR_MODEL);
    tear_down_ranks(ranks, 2);
    study_path = "test/unit/study/sweep.study.yaml";
}

// Threads of one process run trials of a population ahead, and the table does not tell.
static void test_population_on_threads(void** state) {
    (void)state;
    if (!fb_study_can_optimize()) {
        skip();
    }
    study_path = searches[1];
    Rank rank = {.study = read_study()};
    FbStudyOutcome outcome;
    FbStudyOptions options = fb_study_options_default(table_path);
    options.is_untimed = true;
    options.n_threads = 4;
    options.stop = (FbStop){is_stopped, &rank};
    unlink(table_path);
    assert_int_equal(fb_optimize_run(rank.study, &options, &outcome, NULL), FB_OK);
    // Nearly all: those at the border of two generations are not.
    assert_in_range(outcome.n_ahead, outcome.table.n / 2, outcome.table.n);
    fb_table_close(&outcome.table);
    check_search(&rank);
    fb_study_destroy(rank.study);
    study_path = "test/unit/study/sweep.study.yaml";
}

// ---- Results as bytes ----

static void test_results_are_whole_or_refused(void** state) {
    (void)state;
    FbStudy* s = read_study();
    FbArena* arena = fb_arena_create();
    FbTrial *a = fb_trial_create(s, arena), *b = fb_trial_create(s, arena);
    a->point = 7;
    a->status = FB_TRIAL_INFEASIBLE;
    a->steps = 1234567890123;
    a->wall_s = 0.1;
    a->values[0] = -0.0;
    a->values[1] = 1e-310;
    strcpy(a->message, "x <= 1 is violated");
    FbText text;
    fb_text_init(&text);
    fb_trial_pack(s, a, &text);
    assert_true(fb_trial_unpack(s, text.data, text.length, b));
    assert_int_equal(b->point, 7);
    assert_int_equal(b->status, FB_TRIAL_INFEASIBLE);
    assert_true(b->steps == a->steps && b->wall_s == 0.1 && isnan(b->objective));
    assert_memory_equal(a->values, b->values,
                        sizeof(double) * (size_t)(s->n_parameters + s->n_measures));
    assert_string_equal(a->message, b->message);
    for (size_t n = 0; n < text.length; n++) {
        assert_false(fb_trial_unpack(s, text.data, n, b));
    }
    fb_text_free(&text);
    fb_arena_destroy(arena);
    fb_study_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_point_is_dealt_once),
        cmocka_unit_test(test_sizes_of_chunks),
        cmocka_unit_test(test_late_points_are_dealt_again),
        cmocka_unit_test(test_points_that_are_given_back),
        cmocka_unit_test(test_any_number_of_ranks),
        cmocka_unit_test(test_ranks_that_die),
        cmocka_unit_test(test_all_others_die),
        cmocka_unit_test(test_rank_that_is_stopped_gives_back),
        cmocka_unit_test(test_rank_0_is_stopped),
        cmocka_unit_test(test_rank_that_fails),
        cmocka_unit_test(test_rank_with_another_study),
        cmocka_unit_test(test_table_that_cannot_be_opened),
        cmocka_unit_test(test_rank_that_left_does_not_wait_for_ever),
        cmocka_unit_test(test_rank_that_left_waits_for_rank_0),
        cmocka_unit_test(test_searches_by_any_number_of_ranks),
        cmocka_unit_test(test_search_with_ranks_that_die),
        cmocka_unit_test(test_search_that_is_stopped_or_fails),
        cmocka_unit_test(test_population_on_threads),
        cmocka_unit_test(test_results_are_whole_or_refused),
    };
    snprintf(table_path, sizeof table_path, "/tmp/flyball-ranks-%ld.csv", (long)getpid());
    int n = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(table_path);
    return n;
}
