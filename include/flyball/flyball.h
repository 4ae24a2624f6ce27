// Flyball: multibody dynamics. The umbrella header, and the rules for the whole library.
//
// A model passes through three stages. A description (FbModelDef) is read from a file or built part
// by part; fb_model_create() checks and compiles it into a model (FbModel), which never changes; a
// simulation, an operating point or a study then works on the model.
//
//   status.h     errors and messages                      linear.h     equilibria, modes
//   model.h      bodies, joints, settings; files          damping.h    effective damping of a run
//   constraint.h gears, rods, motions, rolling, ...       compare.h    errors against a reference
//   force.h      springs, friction, actuators, ...        chart.h      charts as SVG or text
//   structure.h  beams, frames, sliding masses            report.h     HTML reports, JSON, motions
//   law.h        values over time: tables, moves, ...     study.h      sweeps and searches
//   sensor.h     what is recorded                         bench.h      benchmark cases
//   simulate.h   models, runs, results, accuracy
//
// Units. SI and radians everywhere. A name that holds something else says so (frequency_hz).
//
// Definitions. A part is described by a struct FbFooDef. Start from fb_foo_def_default(), set the
// fields you need, and pass it to fb_model_def_add_foo(). Numbers that must be given are NaN by
// default and texts NULL, so that nothing is silently zero; optional fields have the defaults of
// the model file (docs/reference/model-file.md). Structs without a default function start from {0}.
// Constraints, forces, laws and sensors have a struct for each type, with a common head: start from
// the default function of the type, which sets head.type, and pass the head:
// fb_model_def_add_force(def, &spring.head, err). Parts refer to each other by name. Definitions
// are checked by fb_model_create().
//
// Ownership. What a ..._create(), ..._read_...() or fb_simulate...() function returns belongs to
// the caller, who passes it to the matching ..._destroy(); these accept NULL. Texts returned
// through a char** are freed with fb_free(). Everything returned as a pointer to const belongs to
// the object it was obtained from and lives as long as that object. Arguments are copied, so they
// may be temporary, except where a comment says that an object must outlive another. No pointer may
// be NULL unless its comment says so; `err` always may.
//
// Errors. A function that can fail returns an FbStatus: 0 is success, positive values mean stopped
// or not converged here, negative ones failure. It fills *err, or adds to the FbDiagnostics, with a
// message that says what is wrong, where, and what to do. On failure an output pointer is NULL
// unless the comment says otherwise. The library never prints, exits or reads the environment.
//
// Threads. There are no globals. An FbModel and an FbStudy may be shared by any number of threads;
// an object of any other type belongs to one thread at a time. Sweeps start their own threads.
// The number of BLAS threads is a setting of the process (docs/decisions/blas-threads.md).
//
// ABI. Within a major version functions and fields are only added, never changed or removed.
// Structs that may grow end in `reserved`, from which new fields are taken, so that their size
// stays; leave it as the default function or {0} made it. Structs that the library only returns by
// pointer (no array of them, nothing for you to allocate) may grow at their end. All others never
// change. New enumerators come at the end of an enum (docs/decisions/abi.md).
#ifndef FLYBALL_FLYBALL_H
#define FLYBALL_FLYBALL_H

#include "flyball/bench.h"
#include "flyball/chart.h"
#include "flyball/compare.h"
#include "flyball/constraint.h"
#include "flyball/damping.h"
#include "flyball/force.h"
#include "flyball/law.h"
#include "flyball/linear.h"
#include "flyball/mesh.h"
#include "flyball/model.h"
#include "flyball/report.h"
#include "flyball/sensor.h"
#include "flyball/simulate.h"
#include "flyball/status.h"
#include "flyball/structure.h"
#include "flyball/study.h"

#endif
