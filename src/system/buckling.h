// Stability of linear structures under their loads and sliders: K u = f, and K + K_G positive?
// (eqs. 8.73, 8.74)
#ifndef FLYBALL_SYSTEM_BUCKLING_H
#define FLYBALL_SYSTEM_BUCKLING_H

#include "math/sparse.h"
#include "system/port.h"

// Coordinates of a structure: larger ones are not examined, and from LEAST_QUICK on symmetric
// elimination is the faster one.
enum { FB_MOST_EXAMINED = 20000, FB_LEAST_QUICK = 1000 };

typedef struct FbBuckling {
    FbSystem* system;
    const FbModel* m;
    FbArena* arena;
    FbBlocks b;  // of the drawing at rest
    int n, n_c;
    int* own;       // [n_v] index of the coordinates that linear structures have to themselves, -1
    int* v;         // [n]
    double* load;   // [n] without sliders
    double* along;  // [n_beams] weight and load of linear elements along their axis, N/m
    double* at;     // [n_sliders] where they are
    double* mass;   // [n_sliders]
    double* u;      // [n + n_c]
    double* dq;     // [n_v]
    FbPattern pattern;
    FbLinear* solver;  // of K with the constraints, scaled; NULL: `firm` serves
    // Large structures without constraints: K, and K + K_G, by symmetric elimination along one
    // analysis; NULL where they do not serve.
    FbSymmetric *firm, *loaded;
    bool is_quick;  // K_G is being added to `loaded`, not to the list
    double* unit;   // [n + n_c] powers of two that bring the diagonal of K, and rows of G, to 1
    int *row_start, *row_col;  // G by rows, own columns: [n_c + 1], [entries]
    double* row_value;
    FbTriplet* list;
    size_t n_list, capacity;
} FbBuckling;

// buckling_statics.c. Prepare: loads and stiffness of the drawing at rest without sliders,
// factored; *is_ready false: there is nothing to be examined.
FbStatus fb_buckling_prepare(FbBuckling* k, const FbPoint* p, bool* is_ready, FbError* err);
// Displacements dq under the loads, with the sliders where they are said to be.
void fb_buckling_solve(FbBuckling* k);
// The linear element that slider i is on, and the place along it; NULL: it is on none.
const FbBeamElement* fb_buckling_element_of(const FbBuckling* k, int i, double* along);
// What a slider of unit mass presses on its guide with; one that is free does not along it.
FbVec3 fb_buckling_weight(const FbBuckling* k, const FbSlider* slider, const FbBeamElement* e);

static inline bool fb_slider_is_on_linear(const FbSlider* slider) {
    return slider->n_pieces > 0 && slider->pieces[0].element->is_linear;
}

// Entries of K, scaled, in the pattern of `firm` and `loaded`.
void fb_buckling_fill(const FbBuckling* k, double* values);

// buckling_check.c: is K + K_G positive, with the sliders where they are said to be?
FbStatus fb_buckling_check(FbBuckling* k, bool* is_stable, FbError* err);

#endif
