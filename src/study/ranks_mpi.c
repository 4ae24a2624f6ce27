// The messages of a distributed sweep by MPI: a module of its own, so that the program neither
// links MPI nor spends time on it unless it is asked to (docs/decisions/mpi.md).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "study/ranks.h"

enum { TAG = 1, looked_at = 8 };
static const long first_pause_ns = 20000, longest_pause_ns = 1000000;  // between two looks
static const double close_s = 2.0;  // for messages to ranks that may be gone

// A message under way.
typedef struct Letter {
    MPI_Request request;
    struct Letter* next;
    char data[];
} Letter;

typedef struct Post {
    Letter *letters, *last;  // under way
    char* data;              // of the last message received
    size_t capacity;
} Post;

__attribute__((visibility("default"))) FbStatus fb_ranks_open(FbRanks* out, FbError* err);

static FbStatus fail(int code, const char* what, FbError* err) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int n;
    MPI_Error_string(code, text, &n);
    err->status = FB_ERR_IO;
    snprintf(err->text, sizeof err->text, "MPI cannot %s: %.300s", what, text);
    return err->status;
}

static FbStatus fail_memory(FbError* err) {
    err->status = FB_ERR_MEMORY;
    snprintf(err->text, sizeof err->text, "out of memory");
    return err->status;
}

static void append(Post* post, Letter* letter) {
    letter->next = NULL;
    if (post->letters) {
        post->last->next = letter;
    } else {
        post->letters = letter;
    }
    post->last = letter;
}

// Frees messages that have left; looks at a few only, in turn, because many may be under way. One
// that failed had no receiver.
static void drop_sent(Post* post) {
    for (int i = 0; i < looked_at && post->letters; i++) {
        Letter* letter = post->letters;
        int is_sent = 0;
        int code = MPI_Test(&letter->request, &is_sent, MPI_STATUS_IGNORE);
        post->letters = letter->next;
        if (is_sent || code != MPI_SUCCESS) {
            free(letter);
        } else {
            append(post, letter);
        }
    }
}

static FbStatus send(void* self, int to, const void* data, size_t size, FbError* err) {
    Post* post = self;
    drop_sent(post);
    Letter* letter = malloc(sizeof *letter + size);
    if (!letter) {
        return fail_memory(err);
    }
    memcpy(letter->data, data, size);
    int code =
        MPI_Isend(letter->data, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &letter->request);
    if (code != MPI_SUCCESS) {
        free(letter);
        // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): nothing was sent
        return fail(code, "send", err);
    }
    append(post, letter);
    return FB_OK;  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): drop_sent tests it
}

static FbStatus take(Post* post, MPI_Message* message, int size, FbError* err) {
    if ((size_t)size + 1 > post->capacity) {
        char* data = realloc(post->data, (size_t)size + 1);
        if (!data) {
            return fail_memory(err);
        }
        post->data = data;
        post->capacity = (size_t)size + 1;
    }
    int code = MPI_Mrecv(post->data, size, MPI_BYTE, message, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? FB_OK : fail(code, "receive", err);
}

static void pause_for(long ns) {
    struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}

// MPI waits by looking all the time, which would take a processor from a run: this one sleeps
// between its looks, longer and longer.
static FbStatus receive(void* self, double wait_s, int* from, const void** data, size_t* size,
                        FbError* err) {
    Post* post = self;
    double start = MPI_Wtime();
    *from = -1;
    for (long pause_ns = first_pause_ns;; pause_ns *= 2) {
        int is_there = 0, n = 0;
        MPI_Message message;
        MPI_Status status;
        int code = MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &is_there, &message, &status);
        if (code != MPI_SUCCESS) {
            return fail(code, "receive", err);
        }
        if (is_there) {
            MPI_Get_count(&status, MPI_BYTE, &n);
            *from = status.MPI_SOURCE;
            *size = (size_t)n;
            FbStatus taken = take(post, &message, n, err);
            *data = post->data;
            return taken;
        }
        if (MPI_Wtime() - start >= wait_s) {
            return FB_OK;
        }
        drop_sent(post);
        pause_for(pause_ns < longest_pause_ns ? pause_ns : longest_pause_ns);
    }
}

// MPI_Finalize waits for all ranks. Without it, mpirun --enable-recovery lets a process end, too.
static void close_ranks(void* self, bool is_whole) {
    Post* post = self;
    double start = MPI_Wtime();
    for (drop_sent(post); post->letters && MPI_Wtime() - start < close_s; drop_sent(post)) {
        pause_for(longest_pause_ns);
    }
    if (is_whole) {
        MPI_Finalize();
        free(post->data);
        free(post);
    }
}

FbStatus fb_ranks_open(FbRanks* out, FbError* err) {
    Post* post = calloc(1, sizeof *post);
    if (!post) {
        return fail_memory(err);
    }
    int provided;
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (code != MPI_SUCCESS) {
        free(post);
        return fail(code, "start", err);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    *out = (FbRanks){.self = post, .send = send, .receive = receive, .close = close_ranks};
    MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out->n_ranks);
    return FB_OK;
}
