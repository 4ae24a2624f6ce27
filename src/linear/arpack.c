// The adapter to ARPACK's dsaupd/dseupd (Lanczos) and dnaupd/dneupd (Arnoldi); no other file knows
// them.
//
// Lehoucq, Sorensen, Yang: ARPACK Users' Guide. SIAM, 1998. With B the operator is handed over as
// "mode 3" with shift zero, so that ARPACK sees eigenvalues 1/nu; without, as mode 1.
//
// ARPACK keeps the state of its reverse communication in static variables: two threads must not
// iterate at the same time, so a run holds a lock from its first call to its last.
#include "linear/arpack.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "linear/arpack_table.h"

static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

// What ARPACK reads and writes besides its arrays; apart from the Run, which owns those.
typedef struct Dialogue {
    a_int iparam[11], ipntr[14], info;
} Dialogue;

typedef struct Run {
    const FbArpack* a;
    const FbArpackTable* arpack;
    const char *bmat, *which;
    double *resid, *v, *workd, *workl, *scratch;
    double *z, *dr, *di, *workev;
    a_int* select;
    a_int l_workl;
    Dialogue* io;
} Run;

bool fb_arpack_is_available(void) {
    const FbArpackTable* arpack;
    return fb_arpack_get(&arpack, NULL) == FB_OK;
}

static bool take(Run* r) {
    size_t n = (size_t)r->a->n, ncv = (size_t)r->a->n_krylov, k = (size_t)r->a->n_wanted + 1;
    r->l_workl = (a_int)(3 * ncv * ncv + 8 * ncv);  // enough for both
    r->resid = malloc(sizeof(double) * n);
    r->v = malloc(sizeof(double) * n * ncv);
    r->workd = calloc(3 * n, sizeof(double));
    r->workl = malloc(sizeof(double) * (size_t)r->l_workl);
    r->scratch = malloc(sizeof(double) * n);
    r->z = malloc(sizeof(double) * n * k);
    r->dr = calloc(2 * k, sizeof(double));
    r->di = r->dr ? r->dr + k : NULL;
    r->workev = malloc(sizeof(double) * 3 * ncv);
    r->select = calloc(ncv, sizeof *r->select);
    return r->resid && r->v && r->workd && r->workl && r->scratch && r->z && r->dr && r->workev &&
           r->select;
}

static void release(Run* r) {
    free(r->resid);
    free(r->v);
    free(r->workd);
    free(r->workl);
    free(r->scratch);
    free(r->z);
    free(r->dr);
    free(r->workev);
    free(r->select);
}

static void step(Run* r, a_int* ido) {
    const FbArpack* a = r->a;
    if (a->is_symmetric) {
        r->arpack->saupd(ido, r->bmat, a->n, r->which, a->n_wanted, a->tolerance, r->resid,
                         a->n_krylov, r->v, a->n, r->io->iparam, r->io->ipntr, r->workd, r->workl,
                         r->l_workl, &r->io->info);
    } else {
        r->arpack->naupd(ido, r->bmat, a->n, r->which, a->n_wanted, a->tolerance, r->resid,
                         a->n_krylov, r->v, a->n, r->io->iparam, r->io->ipntr, r->workd, r->workl,
                         r->l_workl, &r->io->info);
    }
}

// What ARPACK asks for: -1, 1: y = Op x (at 1 it has B x already); 2: y = B x.
static void iterate(Run* r) {
    const FbArpack* a = r->a;
    a_int ido = 0;
    r->io->info = 1;  // the start vector is given
    memcpy(r->resid, a->start, sizeof(double) * (size_t)a->n);
    for (;;) {
        step(r, &ido);
        double* x = r->workd + r->io->ipntr[0] - 1;
        double* y = r->workd + r->io->ipntr[1] - 1;
        if (ido == 2 && a->multiply) {
            a->multiply(a->self, x, y);
        } else if (ido == -1 && a->multiply) {
            a->multiply(a->self, x, r->scratch);
            a->apply(a->self, r->scratch, y);
        } else if (ido == 1 && a->multiply) {
            a->apply(a->self, r->workd + r->io->ipntr[2] - 1, y);
        } else if (ido == -1 || ido == 1) {
            a->apply(a->self, x, y);
        } else {
            return;
        }
    }
}

static void extract(Run* r) {
    const FbArpack* a = r->a;
    if (a->is_symmetric) {
        r->arpack->seupd(1, "A", r->select, r->dr, r->z, a->n, 0.0, r->bmat, a->n, r->which,
                         a->n_wanted, a->tolerance, r->resid, a->n_krylov, r->v, a->n,
                         r->io->iparam, r->io->ipntr, r->workd, r->workl, r->l_workl, &r->io->info);
    } else {
        r->arpack->neupd(1, "A", r->select, r->dr, r->di, r->z, a->n, 0.0, 0.0, r->workev, r->bmat,
                         a->n, r->which, a->n_wanted, a->tolerance, r->resid, a->n_krylov, r->v,
                         a->n, r->io->iparam, r->io->ipntr, r->workd, r->workl, r->l_workl,
                         &r->io->info);
    }
}

// Symmetric: the eigenvectors are the basis; else the Schur vectors, which ARPACK leaves in v.
static void hand_over(Run* r, FbArpackBasis* out) {
    const FbArpack* a = r->a;
    int converged = r->io->iparam[4];
    out->count = converged <= a->n_wanted + 1 ? converged : a->n_wanted + 1;
    for (int k = 0; k < out->count; k++) {
        double complex d = CMPLX(r->dr[k], r->di[k]);
        out->values[k] = a->multiply ? 1.0 / d : d;
    }
    memcpy(out->vectors, a->is_symmetric ? r->z : r->v,
           sizeof(double) * (size_t)a->n * (size_t)out->count);
}

FbStatus fb_arpack_run(const FbArpack* a, FbArpackBasis* out, FbError* err) {
    Dialogue io = {.iparam = {1, 0, a->max_restarts, 1, 0, 0, a->multiply ? 3 : 1}};
    Run r = {.a = a,
             .bmat = a->multiply ? "G" : "I",
             .which = a->wants_most_negative ? "SA" : "LM",
             .io = &io};
    out->count = 0;
    FB_TRY(fb_arpack_get(&r.arpack, err));
    if (!take(&r)) {
        release(&r);
        return fb_fail_memory(err);
    }
    pthread_mutex_lock(&arpack_lock);
    iterate(&r);
    int how = io.info;
    if (how >= 0 && io.iparam[4] > 0) {
        extract(&r);
    }
    pthread_mutex_unlock(&arpack_lock);
    FbStatus status = FB_OK;
    if (how < 0 || (io.iparam[4] > 0 && io.info < 0)) {
        status = fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                         "the eigenvalue iteration broke down (ARPACK info %d)",
                         how < 0 ? how : (int)io.info);
    } else if (io.iparam[4] > 0) {
        hand_over(&r, out);
    }
    release(&r);
    return status != FB_OK ? status : out->count < a->n_wanted ? FB_RETRY : FB_OK;
}
