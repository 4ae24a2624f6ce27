// Compilation of a description into a model: the builder that its steps share.
#ifndef FLYBALL_COMPILE_COMPILE_H
#define FLYBALL_COMPILE_COMPILE_H

#include <stddef.h>

#include "describe/def.h"
#include "model/model.h"

typedef struct FbBuilder {
    const FbModelDef* def;
    FbModelDef extended;  // the same with the carriages of sliders, where there are any
    FbModel* m;
    FbDiagnostics* diagnostics;
    // Frames of each joint in its bodies, before the tree is known.
    FbLinkFrame* frame_a;  // .link is the body index here, FB_GROUND for ground
    FbLinkFrame* frame_b;
    bool is_absolute;       // every body moves freely, every joint is a constraint
    bool is_out_of_memory;  // some step could not keep what it made
    FbError err;            // scratch
} FbBuilder;

// Steps; each reports all its errors to the diagnostics and returns FB_ERR_MEMORY or FB_OK. Those
// of the kinds of part are in part_build.h.
FbStatus fb_compile_inputs(FbBuilder* b);
// What an input is: its unit counts as written wherever it is used.
FbQuantity fb_compile_input_quantity(const FbInputDef* input);
FbStatus fb_compile_laws(FbBuilder* b);
FbStatus fb_compile_bodies(FbBuilder* b);
FbStatus fb_compile_joint_frames(FbBuilder* b);
FbStatus fb_compile_tree(FbBuilder* b);
FbStatus fb_compile_names(FbBuilder* b);  // states, sensors, forces: expressions may refer to them
FbStatus fb_compile_conditions(FbBuilder* b);
FbStatus fb_compile_check_circles(FbBuilder* b);  // all expressions compiled
FbStatus fb_compile_damping(FbBuilder* b);
FbStatus fb_compile_drawing(FbBuilder* b);
FbStatus fb_compile_turning(FbBuilder* b);  // linear structures must not
FbStatus fb_compile_charts(FbBuilder* b);   // turns that may be redefined near gimbal lock
FbStatus fb_compile_pattern(FbBuilder* b, FbError* err);
FbStatus fb_compile_deep(FbBuilder* b, FbError* err);   // deep.c
FbStatus fb_compile_tapes(FbBuilder* b);                // after the pattern
FbStatus fb_compile_units(FbBuilder* b, FbError* err);  // after the rows and their drawn lengths

// Reports an error at a field of a part.
void fb_compile_error(FbBuilder* b, FbStatus status, const FbOrigin* origin, const char* key,
                      const char* format, ...) __attribute__((format(printf, 5, 6)));

// Helpers for the steps. Index < 0: failed, and reported.
bool fb_compile_point(FbBuilder* b, const FbPointDef* point, const FbOrigin* origin,
                      const char* key, FbLinkFrame* out);
bool fb_compile_frame(FbBuilder* b, const FbFrameDef* frame, const FbOrigin* origin,
                      const char* key, FbLinkFrame* out);
int fb_compile_coordinate(FbBuilder* b, const FbCoordinateDef* c, const FbOrigin* origin,
                          const char* key, bool is_rate);
int fb_compile_law_of(FbBuilder* b, const char* law, const char* expression,
                      const FbOrigin* origin);  // -1: none given, -2: failed
// Does the law have values of this kind? And was a field that takes any unit written as this kind?
// They report if not.
bool fb_compile_check_law(FbBuilder* b, int law, FbQuantity wanted, const FbOrigin* origin,
                          const char* key);
bool fb_compile_check_written(FbBuilder* b, FbQuantity wanted, const FbOrigin* origin,
                              const char* key);
// What an expression is for: where it acts back on the motion, which inputs it may have, what its
// value must be.
typedef struct FbUse {
    bool is_for_dynamics;
    bool has_measure;    // a force's own length or angle and its rate
    FbQuantity measure;  // what that is
    FbQuantity result;
} FbUse;
int fb_compile_function(FbBuilder* b, const char* text, const FbOrigin* origin, const char* key,
                        FbUse use);
// What an unknown name in an expression may have meant, as the end of a message: the values that
// the part has, or a name that is like it; "" if there is none.
const char* fb_compile_hint(FbBuilder* b, const char* scope, const char* unknown);
// The joint coordinate that a force acts along; NULL: none.
const FbCoordinateDef* fb_compile_force_coordinate(const FbTypeInfo* type, const FbForceDef* def);
// Is what a force acts along a length (its force is in N) or an angle (N m)?
bool fb_compile_acts_along_length(const FbBuilder* b, int force);
// Does the function depend on nothing that only outputs may use (accelerations, reactions,
// energies)?
bool fb_compile_is_for_dynamics(const FbModel* m, int function);
int fb_compile_term(FbBuilder* b, const FbTerm* term);  // copies, finds the path; -1: out of memory
int fb_compile_signal(FbBuilder* b, const FbSignal* signal);
int fb_compile_row(FbBuilder* b, const FbRow* row);
// A coordinate that is one of the turns of a chart (counted from 1).
void fb_compile_charted_term(const FbJoint* joint, int axis, int chart, FbTerm* term);
FbTerm fb_term_between(FbTermKind kind, const FbLinkFrame* a, const FbLinkFrame* b);

// linear_turns.c: do both turn by small turns only? The terms of the turn of a body along axis i of
// a frame, as in the drawing, into the signal; false: out of memory.
bool fb_compile_is_linear_turn(const FbModel* m, int link, int frame_link);
bool fb_compile_linear_turn(FbBuilder* b, const FbLinkFrame* body, const FbLinkFrame* frame, int i,
                            FbSignal* signal);

// A constraint type: its table and how it becomes rows.
typedef struct FbConstraintType {
    FbTypeInfo info;  // fields point into the struct of the type, which begins with FbConstraintDef
    bool (*build)(FbBuilder* b, const FbConstraintDef* head, int index);
    // The rod that the viewer shows; false: none. NULL: it is not drawn.
    bool (*draw)(FbBuilder* b, const FbConstraintDef* head, FbDrawnPair* out);
} FbConstraintType;

extern const FbConstraintType* const fb_constraint_types[];

// A sensor type: its table and how it becomes signals.
typedef struct FbSensorType {
    FbTypeInfo info;  // fields point into the struct of the type, which begins with FbSensorDef
    bool (*build)(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor);
} FbSensorType;

extern const FbSensorType* const fb_sensor_types[];
// The defaults of a sensor type whose struct has `size` bytes. Of another one only the head is
// filled, so that adding it fails.
void fb_sensor_fill(const char* type, size_t size, void* out);

// Adds n signals that start as `first` with component 0, 1, ...
bool fb_sensor_add_signals(FbBuilder* b, FbSensor* sensor, FbSignal first, int n,
                           const char* const* suffixes);

// The field of sensors of vectors.
#define FB_SENSOR_COMPONENT                                                                  \
    {                                                                                        \
        .key = "component", .kind = FB_FIELD_COMPONENT,                                      \
        .offset = offsetof(FbSensorDef, component), .choices = "x|y|z", .is_optional = true, \
        .doc = "Record only x, y or z; default: all three."                                  \
    }

// Compiles sensor i if it is not yet (expressions may refer to later ones); false on failure or a
// circle.
bool fb_compile_sensor(FbBuilder* b, int index);

// samplers.c: are period and delay of a sensor possible, and how many samples late that is.
bool fb_compile_check_sampling(FbBuilder* b, const FbSensorDef* head, double period, double delay);
int fb_compile_late(double period, double delay);

// pieces.c: which expressions act on the motion, and their switches.
FbStatus fb_compile_switches(FbBuilder* b);

// Structures: the path of an element, the matrices of the linear ones (after the pattern), names of
// a slider's scalars.
FbStatus fb_compile_port_path(FbBuilder* b, const FbLinkFrame* ends, int n, FbPortPath* path);
// A finite element with its nodes placed: finds the velocities that move it; one of the linear
// theory goes on the model's list.
FbStatus fb_compile_element(FbBuilder* b, FbElement* e, bool is_linear);
// The sums of the linear theory: r += M a + C v + K (q - q_drawn) + r, on the pattern vv.
typedef struct FbLinearMatrices {
    double *M, *C, *K, *r;
    double energy;  // of gravity in the drawing
} FbLinearMatrices;
// How the nodes move with each velocity in the drawing, where `k` is (eq. 8.31): [path.n][size].
void fb_element_calc_columns(const FbKinematics* k, const FbElement* e, double* J0);
// Adds J0' (M, C, K) J0 and the weight of one element (eq. 8.32); scratch: (2 size + 3) size,
// places: path.n (size + 1).
void fb_element_assemble(const FbModel* m, const FbElement* e, double* scratch, int* places,
                         FbLinearMatrices* out);
FbStatus fb_compile_beam_fields(FbModel* m);  // beams.c: E J0 of the linear ones
// Axes of an element: x along it, y as near as possible to the wanted direction; and the frame of
// its end at a body (-1: ground) that has these axes in the drawing.
FbMat3 fb_compile_element_axes(FbVec3 x, FbVec3 y_hint);
FbLinkFrame fb_compile_end_frame(const FbModel* m, int body, const FbMat3* axes);
// What it has in common with other elements, from its ends and R_drawn.
void fb_compile_beam_base(FbBeamElement* e);
// guide_spline.c: the smooth guide through nodes of a slider, and the columns of linear ones at the
// kinematics of the drawing.
FbStatus fb_compile_guide_spline(FbBuilder* b, const FbSliderDef* def, FbSlider* slider);
FbStatus fb_compile_guide_fields(FbModel* m, const FbKinematics* k);
// guide_couple.c: slopes under the couples of form 1, from the matrices of the linear structures.
FbStatus fb_compile_guide_couples(FbModel* m, FbError* err);
FbStatus fb_compile_linear_matrices(FbBuilder* b, FbError* err);
// linear_loads.c: at the kinematics of the drawing.
FbStatus fb_compile_linear_loads(FbModel* m, const FbKinematics* k);
// modal.c: the damping matrices of structures with a ratio for every mode, and their places.
// Coordinates of a structure with modal damping: above this a matrix without zeros, and all modes
// at once, cost too much.
enum { FB_MOST_MODAL = 500 };
void fb_modal_damping_add_pattern(const FbBuilder* b, FbPatternBuilder* builder);
FbStatus fb_compile_modal_damping(FbBuilder* b, FbError* err);
// mesh_notes.c: warnings about units, modes and attachments of meshes.
FbStatus fb_compile_mesh_notes(FbBuilder* b);
// superelements.c: the values of external matrices.
void fb_superelements_assemble(const FbBuilder* b);
// State "<state>_s" of the file, or "<state>.s" of a feedback drive; -1: none.
int fb_compile_drive_state(FbBuilder* b, const FbSliderDef* def, const char* which);
// Reports a guide that is welded to points of a structure without turns (guide_turns.c).
FbStatus fb_compile_check_guide_turns(FbBuilder* b, const FbSliderDef* def, const FbSlider* slider);
int fb_compile_slider_signal(FbBuilder* b, int slider, const char* suffix);
const char* fb_compile_slider_hint(const FbBuilder* b, int slider);  // "; slider 's' has s.s, ..."

#endif
