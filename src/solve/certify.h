// The rules by which a global error is certified, as pure functions of measured differences.
#ifndef FLYBALL_SOLVE_CERTIFY_H
#define FLYBALL_SOLVE_CERTIFY_H

#include "flyball/simulate.h"

// What is known after a run: relative differences of outputs (theory manual, eq. 6.7).
typedef struct FbEvidence {
    double target;
    double before, now;  // of the last two pairs of successive runs; NaN: not there yet
    bool has_cross;      // a run by another method was tried
    double cross;        // to it; NaN: it failed
} FbEvidence;

// FB_CERTIFIED, or why not; *bound is the error of the tightest run that the evidence supports,
// INFINITY: none. FB_UNCONFIRMED: the runs by one method suffice, a cross-check is due.
FbCertificateStatus fb_certify(const FbEvidence* e, double* bound);

// The text of a status, for messages.
const char* fb_certificate_text(FbCertificateStatus status);

#endif
