// The modes of a linearization as pictures need them: shapes of all bodies at an operating point.
#ifndef FLYBALL_VIEW_MODES_DATA_H
#define FLYBALL_VIEW_MODES_DATA_H

#include "base/arena.h"
#include "base/complex.h"
#include "linear/linearization.h"
#include "view/methods.h"

// Whose shapes are shown of meshes, at most.
enum { FB_MOST_MESH_MODES = 100 };

typedef struct FbModesData {
    FbOperatingPoint* op;
    FbLinearization* all;  // one of these
    FbLowest* lowest;
    double* poses;          // [n_bodies x 7]
    double *re, *im;        // [n_bodies x 6]
    double complex* shape;  // [n_bodies x 6] displacement and rotation of body frames, ground axes
    double* fractions;      // [n_bodies]
    double* slides;         // [n_sliders]
    int* member;            // [n_bodies] that a node belongs to, -1: no node
    double* of_member;      // [n_members] shares
    double* of_mesh;        // [n_superelements] shares of rows of structures
    int* mesh_of;           // [n_bodies] the superelement of a row, -1: none
    // Modes whose shapes are shown of meshes, how they are scaled, and which one a mode is (-1).
    int* shown;
    double complex* factors;
    int* shown_of;
    int n_shown;
    // All methods, where there are several; NULL: this one alone.
    const FbReportMethod* methods;
    int n_methods;
} FbModesData;

// Takes the memory and the poses of the operating point; `op` and one of `all` and `lowest` are
// set.
FbStatus fb_modes_init(FbModesData* d, FbArena* arena, FbError* err);
int fb_modes_get_count(const FbModesData* d);
const FbMode* fb_modes_get_mode(const FbModesData* d, int mode);
// The generalized velocities of a mode, of which displacements are 1/lambda times as large.
void fb_modes_calc_velocities(const FbModesData* d, int mode, double** re, double** im);
// Displacements and rotations of all bodies, into `shape`; velocities where the eigenvalue is zero.
void fb_modes_calc_shape(const FbModesData* d, int mode, int n_bodies);
// What makes the largest part of `shape` real and as long as the model, rotations taken at its
// length.
double complex fb_modes_find_factor(const FbModesData* d);
// Scales `shape` and leaves those of the bodies in the picture, in the order of the picture.
void fb_modes_pick_shape(const FbModesData* d, double complex factor);

#endif
