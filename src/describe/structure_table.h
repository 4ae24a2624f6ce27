// The tables of structures and sliders. Keys that they do not list are read by special functions:
// damping, nodes, members and repeat of a structure, at of a node, hinge and stations of a member.
#ifndef FLYBALL_DESCRIBE_STRUCTURE_TABLE_H
#define FLYBALL_DESCRIBE_STRUCTURE_TABLE_H

#include "describe/types.h"

extern const FbTypeInfo
    fb_structure_table;                 // into FbStructureDef; plane is stored as 0 xy, 1 xz, 2 yz
extern const FbTypeInfo fb_node_table;  // into FbNodeDef
extern const FbTypeInfo fb_station_table;  // the same fields, for a station of a member
extern const FbTypeInfo fb_member_table;   // into FbMemberDef
extern const FbTypeInfo fb_slider_table;   // into FbSliderDef

typedef struct FbFrameDamping {
    double alpha, beta;  // NaN: not given
    double ratio;
    double between[2];  // rad/s
} FbFrameDamping;
extern const FbTypeInfo fb_frame_damping_table;  // into FbFrameDamping; besides: between

#endif
