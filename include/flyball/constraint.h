// Constraints in a description, which remove degrees of freedom in addition to joints: one struct
// for each type, with a common head.
//
// Start from the default function of the type, name it in `head.name`, set the fields, and add its
// head: fb_model_def_add_constraint(def, &gear.head, &err). Fields have the names of the keys in
// the model file (docs/reference/model-file.md). If a type has both a law and a value, give one
// of them.
#ifndef FLYBALL_CONSTRAINT_H
#define FLYBALL_CONSTRAINT_H

#include "flyball/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// What all constraints have; the first member of the struct of each type.
typedef struct FbConstraintDef {
    const char* name;
    const char* type;  // set by the default function of the type, which also says the struct:
                       // distance FbDistanceDef, point_on_line FbPointOnLineDef, point_on_plane
                       // FbPointOnPlaneDef, coupling FbCouplingDef, gear FbGearDef, rack FbRackDef,
                       // motion FbMotionDef, point_motion FbPointMotionDef, rolling FbRollingDef
    size_t size;       // of that struct, set by the default function
    FbOrigin origin;
    uint64_t reserved[4];
} FbConstraintDef;

// A massless rigid rod with ball ends: two points keep their distance, or follow a law.
typedef struct FbDistanceDef {
    FbConstraintDef head;  // type "distance"
    FbPointDef a, b;       // its ends
    double length;         // m; NaN: as drawn
    const char* law;       // m: name of a law of time; NULL: none
    const char* value;     // m: an expression of t; NULL: none
    uint64_t reserved[4];
} FbDistanceDef;

// A point of one body slides along a straight line of another.
typedef struct FbPointOnLineDef {
    FbConstraintDef head;  // type "point_on_line"
    FbPointDef point;      // what is guided
    FbPointDef line;       // a point of the line, on the body that carries it
    double axis[3];        // direction of the line in the axes of that body
    uint64_t reserved[4];
} FbPointOnLineDef;

// A point of one body stays in a plane of another.
typedef struct FbPointOnPlaneDef {
    FbConstraintDef head;  // type "point_on_plane"
    FbPointDef point;      // what is guided
    FbPointDef plane;      // a point of the plane, on the body that carries it
    double normal[3];      // of the plane in the axes of that body
    uint64_t reserved[4];
} FbPointOnPlaneDef;

// A term of a coupling: factor times coordinate.
typedef struct FbCouplingTerm {
    FbCoordinateDef coordinate;
    double factor;
} FbCouplingTerm;

// A linear relation between joint coordinates: the sum of the terms is offset plus the law.
typedef struct FbCouplingDef {
    FbConstraintDef head;         // type "coupling"
    const FbCouplingTerm* terms;  // [n_terms], at least one
    int n_terms;
    double offset;      // in the unit of the terms
    const char* law;    // name of a law of time; NULL: none
    const char* value;  // an expression of t; NULL: none
    uint64_t reserved[4];
} FbCouplingDef;

// Two coordinates move in a fixed ratio: b - ratio a = offset.
typedef struct FbGearDef {
    FbConstraintDef head;  // type "gear"
    FbCoordinateDef a;     // the driving one
    FbCoordinateDef b;     // the driven one
    double ratio;          // movement of b by movement of a; negative for external gears
    double offset;         // rad or m
    uint64_t reserved[4];
} FbGearDef;

// A pinion's angle drives a rack's displacement.
typedef struct FbRackDef {
    FbConstraintDef head;    // type "rack"
    FbCoordinateDef pinion;  // its angle
    FbCoordinateDef rack;    // its displacement
    double radius;           // m: pitch radius; its sign gives the direction
    double offset;           // m: displacement at angle 0
    uint64_t reserved[4];
} FbRackDef;

// A joint coordinate follows a law of time.
typedef struct FbMotionDef {
    FbConstraintDef head;   // type "motion"
    FbCoordinateDef joint;  // the coordinate that is driven
    const char* law;        // rad or m: name of a law of time; NULL: none
    const char* value;      // rad or m: an expression of t; NULL: none
    uint64_t reserved[4];
} FbMotionDef;

// The position of a point along one direction of another body follows a law.
typedef struct FbPointMotionDef {
    FbConstraintDef head;    // type "point_motion"
    FbPointDef point;        // what is driven
    FbPointDef relative_to;  // from where it is measured
    double axis[3];          // direction in the axes of the body of `relative_to`
    const char* law;         // m: name of a law of time; NULL: none
    const char* value;       // m: an expression of t; NULL: none
    double offset;           // m: added to it
    uint64_t reserved[4];
} FbPointMotionDef;

// A wheel or ball rolls on a plane without slipping and without lifting off.
typedef struct FbRollingDef {
    FbConstraintDef head;  // type "rolling"
    FbPointDef center;     // of the wheel or ball
    double axis[3];        // of the wheel, in the axes of its body
    double radius;         // m, > 0
    bool is_sphere;        // a ball instead of a thin disc
    FbPointDef plane;      // a point of the plane, on the body that carries it
    double normal[3];      // of the plane towards the wheel, in the axes of that body
    uint64_t reserved[4];
} FbRollingDef;

// A rod as long as drawn.
FB_API FbDistanceDef fb_distance_def_default(void);
// A line along z.
FB_API FbPointOnLineDef fb_point_on_line_def_default(void);
// A plane across z.
FB_API FbPointOnPlaneDef fb_point_on_plane_def_default(void);
// A coupling without terms.
FB_API FbCouplingDef fb_coupling_def_default(void);
// A gear without offset; the ratio is not given (NaN).
FB_API FbGearDef fb_gear_def_default(void);
// A rack without offset; the radius is not given (NaN).
FB_API FbRackDef fb_rack_def_default(void);
// A motion without a law.
FB_API FbMotionDef fb_motion_def_default(void);
// A motion along x without a law.
FB_API FbPointMotionDef fb_point_motion_def_default(void);
// A disc about z on a plane across z; the radius is not given (NaN).
FB_API FbRollingDef fb_rolling_def_default(void);

// Adds a copy of the struct that `c` is the head of. FB_ERR_MODEL: its type and its size do not
// belong together, because it does not come from the default function of its type.
FB_API FbStatus fb_model_def_add_constraint(FbModelDef* def, const FbConstraintDef* c,
                                            FbError* err);

#ifdef __cplusplus
}
#endif
#endif
