// Default values of all parts of a model: NaN or NULL where the user must give a value.
#include <math.h>

#include "flyball/mesh.h"
#include "flyball/structure.h"

#define IDENTITY \
    { 1, 0, 0, 0, 1, 0, 0, 0, 1 }
#define UNSET3 \
    { NAN, NAN, NAN }

FbShapeDef fb_shape_def_default(void) {
    return (FbShapeDef){
        .size = UNSET3,
        .radius = NAN,
        .inner_radius = NAN,
        .length = NAN,
        .from = UNSET3,
        .to = UNSET3,
        .rotation = IDENTITY,
        .density = NAN,
        .mass = NAN,
        .unit = 1.0,
    };
}

FbBodyDef fb_body_def_default(void) {
    return (FbBodyDef){.rotation = IDENTITY};
}

FbJointDef fb_joint_def_default(void) {
    return (FbJointDef){
        .frame_a = {.rotation = IDENTITY},
        .frame_b = {.rotation = IDENTITY},
        .axis = {0, 0, 1},
        .x_axis = UNSET3,
        .pitch = NAN,
    };
}

FbStateDef fb_state_def_default(void) {
    return (FbStateDef){.initial = 0.0};
}

FbInputDef fb_input_def_default(void) {
    return (FbInputDef){.min = -INFINITY, .max = INFINITY};
}

FbEventDef fb_event_def_default(void) {
    return (FbEventDef){.action = FB_EVENT_RECORD};
}

FbSettings fb_settings_default(void) {
    return (FbSettings){
        .duration = 10.0,
        .integrator = "auto",
        .rtol = 1e-9,
        .spectral_radius = 0.8,
    };
}

FbDampingDef fb_damping_def_default(void) {
    return (FbDampingDef){.bound = NAN};
}

FbMaterialDef fb_material_def_default(void) {
    return (FbMaterialDef){.youngs_modulus = NAN,
                           .shear_modulus = NAN,
                           .poisson = NAN,
                           .density = NAN,
                           .E1 = NAN,
                           .E2 = NAN,
                           .E3 = NAN,
                           .nu12 = NAN,
                           .nu13 = NAN,
                           .nu23 = NAN,
                           .G12 = NAN,
                           .G13 = NAN,
                           .G23 = NAN};
}

FbSectionDef fb_section_def_default(void) {
    return (FbSectionDef){.width = NAN,
                          .height = NAN,
                          .radius = NAN,
                          .inner_radius = NAN,
                          .flange_thickness = NAN,
                          .web_thickness = NAN,
                          .area = NAN,
                          .Iy = NAN,
                          .Iz = NAN,
                          .J = NAN,
                          .shear_y = NAN,
                          .shear_z = NAN,
                          .edge_y = NAN,
                          .edge_z = NAN};
}

FbBeamDef fb_beam_def_default(void) {
    return (FbBeamDef){.y_axis = {NAN, NAN, NAN},
                       .EA = NAN,
                       .GJ = NAN,
                       .EIy = NAN,
                       .EIz = NAN,
                       .GAy = INFINITY,
                       .GAz = INFINITY,
                       .mass_per_length = NAN,
                       .area = NAN,
                       .edge_y = NAN,
                       .edge_z = NAN,
                       .torsion_modulus = NAN};
}

FbNodeDef fb_node_def_default(void) {
    return (FbNodeDef){.direction = {NAN, NAN, NAN}};
}

FbMemberDef fb_member_def_default(void) {
    return (FbMemberDef){.n_elements = 1, .y_axis = {NAN, NAN, NAN}, .through = {NAN, NAN, NAN}};
}

FbStructureDef fb_structure_def_default(void) {
    return (FbStructureDef){.rotation = IDENTITY, .plane_normal = -1};
}

FbFeedbackDef fb_feedback_def_default(void) {
    return (FbFeedbackDef){.type = "follow",
                           .frequency = NAN,
                           .lock_bandwidth = NAN,
                           .centre = NAN,
                           .amplitude = NAN,
                           .bandwidth = NAN,
                           .stroke = {NAN, NAN},
                           .max_speed = NAN,
                           .max_acceleration = NAN,
                           .max_force = NAN,
                           .mass = NAN,
                           .position = NAN};
}

FbMatrixStructureDef fb_matrix_structure_def_default(void) {
    return (FbMatrixStructureDef){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

FbMeshGroupDef fb_mesh_group_def_default(void) {
    return (FbMeshGroupDef){.thickness = NAN, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

FbMeshPlaceDef fb_mesh_place_def_default(void) {
    return (FbMeshPlaceDef){.at = UNSET3, .side = 1};
}

FbMeshNodeDef fb_mesh_node_def_default(void) {
    return (FbMeshNodeDef){.at = UNSET3, .from = UNSET3, .to = UNSET3};
}

FbMeshStructureDef fb_mesh_structure_def_default(void) {
    return (FbMeshStructureDef){.rotation = IDENTITY,
                                .unit = 1.0,
                                .size = UNSET3,
                                .radius = NAN,
                                .inner_radius = NAN,
                                .length = NAN,
                                .angle = 6.2831853071795865};
}

FbSliderDef fb_slider_def_default(void) {
    return (FbSliderDef){.mass = NAN};
}
