// What tests of the lowest modes share: models at an operating point, chains with closed forms, and
// the dense method to compare with.
#ifndef FLYBALL_TEST_VERIFY_SPARSE_SUPPORT_H
#define FLYBALL_TEST_VERIFY_SPARSE_SUPPORT_H

#include "model_support.h"

typedef struct SparseCase {
    FbModel* model;
    FbOperatingPoint* point;
    FbLowest* lowest;
    FbLowestInfo info;
    int count;
    double seconds;
} SparseCase;

FbOperatingPoint* sparse_point_of(FbModel* model, FbOperatingKind kind);
void sparse_find(SparseCase* c, FbLowestOptions options);
SparseCase sparse_open(FbModel* model);
// N masses that slide along x with springs between them, the last ones to the ground unless `ends`
// is 0; m = 2, k = 50, damping in proportion.
SparseCase sparse_open_chain(int n, int ends, double damping);
void sparse_close(SparseCase* c);
FbLowestOptions sparse_ask(int count);
void sparse_report(const char* what, const SparseCase* c, double error);
// All listed modes from index `first` on are sound and of class `class_`.
void sparse_assert_sound(const SparseCase* c, int first, FbModeClass class_);
double sparse_chain_frequency(int n, int ends, int j);
// The largest relative deviation of w from the closed form, w_j = 2 sqrt(k/m) sin(...).
double sparse_chain_error(const SparseCase* c, int n, int ends);
FbLinearization* sparse_dense_of(const SparseCase* c);
// The largest distance of a listed mode from the dense one of the same place in |lambda|, relative
// to the largest |lambda| of the list. The dense ones with Im < 0 are left out, and undamped those
// with Re < 0.
double sparse_dense_error(const SparseCase* c, bool is_damped);

#endif
