// One slider at one point: its forces on the traversed element with their derivatives, either dual
// to the element's vector e (linear theory, smooth guides) or to the poses of its ends.
#ifndef FLYBALL_SYSTEM_SLIDER_STATE_H
#define FLYBALL_SYSTEM_SLIDER_STATE_H

#include "system/block.h"
#include "system/work.h"

typedef struct FbSliderState {
    const FbSlider* slider;
    const FbBeamElement* element;  // NULL: on a curve
    const FbGuidePiece* piece;     // NULL: on a curve
    bool is_linear;
    bool is_field;  // forces are dual to e: on linear elements and on smooth guides
    int n_ends;
    const FbLinkFrame* end[2];
    FbPort port[2];
    FbSliderMotion local;                    // along the element itself
    double e[FB_BEAM_DOF], de[FB_BEAM_DOF];  // is_field
    double f[FB_BEAM_DOF];                   // is_field: dual to e
    double M[FB_BEAM_DOF * FB_BEAM_DOF], C[FB_BEAM_DOF * FB_BEAM_DOF], K[FB_BEAM_DOF * FB_BEAM_DOF];
    double f_s[FB_BEAM_DOF], f_ds[FB_BEAM_DOF], f_dds[FB_BEAM_DOF];
    double along, along_q[FB_BEAM_DOF], along_v[FB_BEAM_DOF], along_a[FB_BEAM_DOF];
    double along_s, along_ds, along_dds;
    double coriolis[FB_BEAM_DOF];  // at the ends: force and moment, ground axes
    FbVec3 contact, velocity;
    FbVec3 origin, position;  // of the element's end A, and of the slider from there
    double kinetic;
} FbSliderState;

// s->motion must be realized; derivatives only with has_blocks.
void fb_slider_state_calc(FbSystem* s, const double* q, const double* v, const double* a,
                          int slider, bool has_blocks, FbSliderState* out);

// Of all this, `slider` and `along` alone need be there.
void fb_slider_state_calc_along(FbSystem* s, const FbPoint* p, int slider, FbSliderState* out);

// s, s', s'' along the whole guide as its drive has them.
FbSliderMotion fb_slider_motion(FbSystem* s, const FbPoint* p, const FbSlider* slider);
// Borders of the guide that s->motion[slider] has passed, with the fraction of the current piece.
double fb_slider_count(const FbSystem* s, int slider);

// The piece of the guide at s->motion[slider], following s->piece.
int fb_slider_piece(const FbSystem* s, int slider);

// slider_axial.c: geometric stiffness of the axial reaction, carried to the start of the guide
// (linear consistent theory).
void fb_slider_apply_axial(FbSystem* s, const double* q, int slider, const FbSliderState* x);
// Axial force P in piece k of the guide, up to the mass, tension positive.
double fb_slider_calc_tension(const FbSystem* s, int slider, int k);
// The resisting force on piece k of the guide, dual to its field.
void fb_slider_calc_axial_force(FbSystem* s, const double* q, int slider, int k,
                                double f[FB_BEAM_DOF]);
void fb_slider_add_axial_blocks(FbSystem* s, const FbPoint* p, int slider, const FbSliderState* x,
                                FbBlocks* b);
// P dD/de of the part of piece k before the mass, with its matrix P d2D/de2 (NULL: not needed) ...
void fb_slider_calc_piece_force(FbSystem* s, const double* q, int slider, int k, double P,
                                double* f, double* matrix);
// ... its derivative by s on the traversed piece ...
void fb_slider_calc_end_force(FbSystem* s, const double* q, int slider, double P,
                              double f[FB_BEAM_DOF]);
// ... and D itself with its rates and gradients (value_e, acceleration_de).
void fb_slider_calc_shortening(FbSystem* s, const double* q, const double* v, const double* a,
                               int slider, int k, FbShortening* out);
typedef struct FbAxial {
    double along, kinetic, potential;
    double shortening, shortening_rate;  // D of the whole guide up to the mass
} FbAxial;
void fb_slider_calc_axial(FbSystem* s, const double* q, const double* v, const double* a,
                          int slider, FbAxial* out);

// Before there is a point: where the sliders start. At the start of a run: the piece each is on.
void fb_sliders_draw(FbSystem* s);
void fb_sliders_begin(FbSystem* s, const FbPoint* p);
double fb_slider_calc_root(FbSystem* s, const FbPoint* p, int slider);
// slider_cross.c: from one element to the next
FbStatus fb_slider_cross(FbSystem* s, FbPoint* p, int slider, FbError* err);
// buckling.c: is a slider where its guide can no longer carry it?
FbStatus fb_sliders_check_limits(FbSystem* s, const FbPoint* p, FbError* err);

#endif
