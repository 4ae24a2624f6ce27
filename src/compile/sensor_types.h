// The list of all sensor types, in the order of the manual: fb_sensor_position, ...
#ifndef FLYBALL_COMPILE_SENSOR_TYPES_H
#define FLYBALL_COMPILE_SENSOR_TYPES_H

#include "compile/compile.h"

#define FB_SENSOR_TYPES(X)  \
    X(position)             \
    X(velocity)             \
    X(acceleration)         \
    X(orientation)          \
    X(angles)               \
    X(angular_velocity)     \
    X(angular_acceleration) \
    X(distance)             \
    X(reaction)             \
    X(reaction_torque)      \
    X(multiplier)           \
    X(kinetic_energy)       \
    X(potential_energy)     \
    X(total_energy)         \
    X(supplied_work)        \
    X(dissipated_work)      \
    X(momentum)             \
    X(angular_momentum)     \
    X(center_of_mass)       \
    X(expression)           \
    X(applied_force)        \
    X(applied_torque)       \
    X(gyro)                 \
    X(accelerometer)        \
    X(hold)                 \
    X(callback)             \
    X(modal_amplitude)      \
    X(section_forces)       \
    X(stress)               \
    X(mesh_stress)          \
    X(slider_position)      \
    X(slider_velocity)      \
    X(slider_contact)       \
    X(slider_coriolis)      \
    X(composite_mass)       \
    X(composite_coriolis)
#define FB_DECLARE_SENSOR(name) extern const FbSensorType fb_sensor_##name;
FB_SENSOR_TYPES(FB_DECLARE_SENSOR)

#endif
