// Sensors of the whole model: energies, work, momenta and the centre of mass.
#include "compile/sensor_types.h"

static const char* const SCALAR[] = {""};
static const char* const XYZ[] = {"x", "y", "z"};

static bool energy(FbBuilder* b, FbSensor* sensor, FbEnergyKind kind) {
    FbSignal s = {.kind = FB_SIGNAL_ENERGY, .component = (int)kind, .unit = "J"};
    return fb_sensor_add_signals(b, sensor, s, 1, SCALAR);
}
static bool build_kinetic(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    (void)head;
    return energy(b, sensor, FB_ENERGY_KINETIC);
}
static bool build_potential(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    (void)head;
    return energy(b, sensor, FB_ENERGY_POTENTIAL);
}
static bool build_energy(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    (void)head;
    return energy(b, sensor, FB_ENERGY_TOTAL);
}
static bool build_supplied(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    (void)head;
    return energy(b, sensor, FB_ENERGY_SUPPLIED);
}
static bool build_dissipated(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    (void)head;
    return energy(b, sensor, FB_ENERGY_DISSIPATED);
}

static bool build_momentum(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    (void)head;
    return fb_sensor_add_signals(b, sensor,
                                 (FbSignal){.kind = FB_SIGNAL_MOMENTUM, .unit = "kg*m/s"}, 3, XYZ);
}
static bool build_angular_momentum(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    (void)head;
    return fb_sensor_add_signals(
        b, sensor, (FbSignal){.kind = FB_SIGNAL_ANGULAR_MOMENTUM, .unit = "kg*m^2/s"}, 3, XYZ);
}
static bool build_center(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    (void)head;
    return fb_sensor_add_signals(b, sensor, (FbSignal){.kind = FB_SIGNAL_CENTER, .unit = "m"}, 3,
                                 XYZ);
}

static const FbField fields[] = {FB_SENSOR_COMPONENT};

FbSystemSensorDef fb_system_sensor_def_default(const char* type) {
    FbSystemSensorDef def;
    fb_sensor_fill(type, sizeof def, &def);
    return def;
}

const FbSensorType fb_sensor_kinetic_energy = {.info = {.name = "kinetic_energy",
                                                        .doc = "Kinetic energy of all bodies.",
                                                        .size = sizeof(FbSystemSensorDef)},
                                               .build = build_kinetic};
const FbSensorType fb_sensor_potential_energy = {
    .info = {.name = "potential_energy",
             .doc = "Potential energy of gravity and springs.",
             .size = sizeof(FbSystemSensorDef)},
    .build = build_potential};
const FbSensorType fb_sensor_total_energy = {.info = {.name = "energy",
                                                      .doc = "Kinetic plus potential energy.",
                                                      .size = sizeof(FbSystemSensorDef)},
                                             .build = build_energy};
const FbSensorType fb_sensor_supplied_work = {
    .info = {.name = "supplied_work",
             .doc = "Work done by actuators, laws and expressions since the start.",
             .size = sizeof(FbSystemSensorDef)},
    .build = build_supplied};
const FbSensorType fb_sensor_dissipated_work = {
    .info = {.name = "dissipated_work",
             .doc = "Energy lost in dampers and friction since the start.",
             .size = sizeof(FbSystemSensorDef)},
    .build = build_dissipated};
const FbSensorType fb_sensor_momentum = {.info = {.name = "momentum",
                                                  .doc = "Linear momentum of all bodies.",
                                                  .fields = fields,
                                                  .n_fields = sizeof fields / sizeof fields[0],
                                                  .size = sizeof(FbSystemSensorDef)},
                                         .build = build_momentum};
const FbSensorType fb_sensor_angular_momentum = {
    .info = {.name = "angular_momentum",
             .doc = "Angular momentum of all bodies about the ground's origin.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbSystemSensorDef)},
    .build = build_angular_momentum};
const FbSensorType fb_sensor_center_of_mass = {
    .info = {.name = "center_of_mass",
             .doc = "Centre of mass of all bodies.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbSystemSensorDef)},
    .build = build_center};
