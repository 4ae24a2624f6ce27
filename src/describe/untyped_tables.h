// The tables of everything in a model file that has no `type`: bodies, states, inputs, events,
// initial values, settings.
#ifndef FLYBALL_DESCRIBE_UNTYPED_TABLES_H
#define FLYBALL_DESCRIBE_UNTYPED_TABLES_H

#include "describe/types.h"

extern const FbTypeInfo fb_body_table;   // into FbBodyDef; besides: inertia, shapes, points
extern const FbTypeInfo fb_state_table;  // into FbStateDef
extern const FbTypeInfo fb_input_table;  // into FbInputDef
extern const FbTypeInfo
    fb_event_table;  // into FbEventDef; direction is stored as 0 both, 1 rising, 2 falling
extern const FbTypeInfo fb_initial_table;   // into FbInitialDef
extern const FbTypeInfo fb_settings_table;  // into FbSettings
extern const FbTypeInfo fb_damping_table;   // into FbDampingDef

#endif
