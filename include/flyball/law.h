// Laws in a description, values as functions of time: one struct for each type, with a common head.
//
// Start from the default function of the type, name it in `head.name`, set the fields, and add its
// head: fb_model_def_add_law(def, &ramp.head, &err). Fields have the names of the keys in the model
// file (docs/reference/model-file.md). The unit of a law is that of what it drives.
#ifndef FLYBALL_LAW_H
#define FLYBALL_LAW_H

#include "flyball/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// What all laws have; the first member of the struct of each type.
typedef struct FbLawDef {
    const char* name;
    const char* type;  // set by the default function of the type, which also says the struct:
                       // constant FbConstantLawDef, expression FbExpressionLawDef, table
                       // FbTableLawDef, harmonic FbHarmonicLawDef, ramp FbRampLawDef, trapezoid
                       // FbTrapezoidLawDef, jerk FbJerkLawDef, moves FbMovesLawDef
    size_t size;       // of that struct, set by the default function
    FbOrigin origin;
    uint64_t reserved[4];
} FbLawDef;

// One value at all times.
typedef struct FbConstantLawDef {
    FbLawDef head;  // type "constant"
    double value;   // at all times
    uint64_t reserved[4];
} FbConstantLawDef;

// A value given by an expression.
typedef struct FbExpressionLawDef {
    FbLawDef head;      // type "expression"
    const char* value;  // of t and parameters
    uint64_t reserved[4];
} FbExpressionLawDef;

// A value through given points.
typedef struct FbTableLawDef {
    FbLawDef head;         // type "table"
    const double* times;   // [n_points], s: strictly increasing
    const double* values;  // [n_points]
    int n_points;
    bool is_linear;    // piecewise linear instead of a C2 spline
    bool is_periodic;  // repeats; the last value must equal the first
    uint64_t reserved[4];
} FbTableLawDef;

// offset + amplitude sin(frequency t + phase).
typedef struct FbHarmonicLawDef {
    FbLawDef head;     // type "harmonic"
    double amplitude;  // half the distance between the extremes
    double frequency;  // rad/s
    double phase;      // rad
    double offset;     // mean value
    uint64_t reserved[4];
} FbHarmonicLawDef;

// A smooth change from one value to another.
typedef struct FbRampLawDef {
    FbLawDef head;    // type "ramp"
    double from, to;  // before and after the change
    double start;     // s: when it begins
    double duration;  // s
    uint64_t reserved[4];
} FbRampLawDef;

// A move that speeds up, keeps its rate and brakes, as fast as the limits allow.
typedef struct FbTrapezoidLawDef {
    FbLawDef head;            // type "trapezoid"
    double from, to;          // before and after the move
    double start;             // s: when it begins
    double max_rate;          // per s
    double max_acceleration;  // per s2
    uint64_t reserved[4];
} FbTrapezoidLawDef;

// The same with limited jerk.
typedef struct FbJerkLawDef {
    FbLawDef head;            // type "jerk"
    double from, to;          // before and after the move
    double start;             // s: when it begins
    double max_rate;          // per s
    double max_acceleration;  // per s2
    double max_jerk;          // per s3
    uint64_t reserved[4];
} FbJerkLawDef;

// Smooth moves between two values, started by events.
typedef struct FbMovesLawDef {
    FbLawDef head;            // type "moves"
    double inner, outer;      // the two values between which it moves
    const char* outward;      // moves from inner to outer when this expression crosses zero
    const char* inward;       // moves back where this one does
    double duration;          // s: of a move
    bool starts_outer;        // rests at `outer` at first
    int outward_direction;    // crossings that count: +1 rising, -1 falling, 0 both
    int inward_direction;     // likewise
    double lead;              // s: moves start this long before the event that a harmonic signal of
                              // `frequency` predicts; 0: at the event
    double frequency;         // rad/s: of the two expressions, for `lead`
    double max_rate;          // per s; NaN: no limit
    double max_acceleration;  // per s2; NaN: no limit
    uint64_t reserved[4];
} FbMovesLawDef;

// The value is not given (NaN).
FB_API FbConstantLawDef fb_constant_law_def_default(void);
// Without an expression.
FB_API FbExpressionLawDef fb_expression_law_def_default(void);
// A spline without points.
FB_API FbTableLawDef fb_table_law_def_default(void);
// A sine of phase and mean 0; amplitude and frequency are not given (NaN).
FB_API FbHarmonicLawDef fb_harmonic_law_def_default(void);
// Starts at t = 0; the other numbers are not given (NaN).
FB_API FbRampLawDef fb_ramp_law_def_default(void);
// Starts at t = 0; the other numbers are not given (NaN).
FB_API FbTrapezoidLawDef fb_trapezoid_law_def_default(void);
// Starts at t = 0; the other numbers are not given (NaN).
FB_API FbJerkLawDef fb_jerk_law_def_default(void);
// Starts inside, at the events, without limits; the other numbers are not given (NaN).
FB_API FbMovesLawDef fb_moves_law_def_default(void);

// Adds a copy of the struct that `law` is the head of. FB_ERR_MODEL: its type and its size do not
// belong together, because it does not come from the default function of its type.
FB_API FbStatus fb_model_def_add_law(FbModelDef* def, const FbLawDef* law, FbError* err);

#ifdef __cplusplus
}
#endif
#endif
