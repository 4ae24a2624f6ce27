// The destruction of a compiled model, and information about its parts.
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "flyball/linear.h"

void fb_model_destroy(FbModel* m) {
    if (!m) {
        return;
    }
    for (int i = 0; m->superelements && i < m->n_superelements; i++) {
        fb_kept_mesh_release(m->superelements[i].mesh);
    }
    fb_tape_set_release(m->tapes.set);
    free(m->laws);
    free(m->terms);
    free(m->paths.v);
    free(m->paths.sign);
    free(m->rows);
    free(m->functions);
    free(m->signals);
    free(m->samplers);
    free(m->callbacks);
    free(m->conditions);
    free(atomic_load(&m->hash));
    fb_arena_destroy(m->arena);
    free(m);
}

void fb_model_get_info(const FbModel* m, FbModelInfo* info) {
    *info = (FbModelInfo){.name = m->name,
                          .title = m->title,
                          .n_bodies = m->n_bodies,
                          .n_joints = m->n_joints,
                          .n_constraints = m->n_constraints,
                          .n_forces = m->n_forces,
                          .n_sensors = m->n_sensors,
                          .n_states = m->n_states,
                          .n_events = m->n_events,
                          .n_coordinates = m->tree.n_v,
                          .n_loops = m->n_loops,
                          .n_constraint_rows = m->n_rows,
                          .n_structures = m->n_structures,
                          .n_beams = m->n_beams,
                          .n_members = m->n_members,
                          .n_sliders = m->n_sliders};
}

const FbSettings* fb_model_get_settings(const FbModel* m) {
    return &m->settings;
}

const FbDampingDef* fb_model_get_damping(const FbModel* m) {
    return m->damping.output ? &m->damping : NULL;
}

const char* fb_model_get_loop_joint(const FbModel* m, int index) {
    for (int j = 0; j < m->n_joints; j++) {
        if (m->joints[j].is_loop && m->joints[j].type->n_rows > 0 && index-- == 0) {
            return m->joints[j].name;
        }
    }
    return NULL;
}

const char* fb_model_get_body_name(const FbModel* m, int body) {
    return body >= 0 && body < m->n_bodies ? m->bodies[body].name : NULL;
}

int fb_model_get_output_count(const FbModel* m) {
    return m->n_outputs;
}

const char* fb_model_get_output_name(const FbModel* m, int index) {
    return index >= 0 && index < m->n_outputs ? m->outputs[index].name : NULL;
}

const char* fb_model_get_output_unit(const FbModel* m, int index) {
    return index >= 0 && index < m->n_outputs ? m->outputs[index].unit : NULL;
}

int fb_model_find_output(const FbModel* m, const char* name) {
    for (int i = 0; i < m->n_outputs; i++) {
        if (strcmp(m->outputs[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int fb_model_get_input_count(const FbModel* m) {
    return m->n_inputs;
}

bool fb_model_get_input(const FbModel* m, int index, FbInputInfo* info) {
    if (index < 0 || index >= m->n_inputs) {
        return false;
    }
    const FbInput* x = &m->inputs[index];
    *info = (FbInputInfo){.name = x->name,
                          .unit = x->unit,
                          .value = m->input_values[index],
                          .min = x->min,
                          .max = x->max};
    return true;
}

int fb_model_get_callback_count(const FbModel* m) {
    return m->n_callbacks;
}

bool fb_model_get_callback(const FbModel* m, int index, FbCallbackInfo* info) {
    if (index < 0 || index >= m->n_callbacks) {
        return false;
    }
    const FbCallbackPart* x = &m->callbacks[index];
    *info = (FbCallbackInfo){.name = x->name,
                             .n_arguments = x->n_arguments,
                             .n_results = x->n_results,
                             .is_set = x->function.calc != NULL,
                             .has_derivatives = x->function.calc_derivatives != NULL,
                             .period = x->period};
    return true;
}

int fb_model_find_input(const FbModel* m, const char* name) {
    for (int i = 0; name && i < m->n_inputs; i++) {
        if (strcmp(m->inputs[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

void fb_model_get_motion_sizes(const FbModel* m, int* n_q, int* n_v, int* n_x) {
    *n_q = m->tree.n_q;
    *n_v = m->tree.n_v;
    *n_x = m->n_states;
}

bool fb_model_get_structure(const FbModel* m, int index, FbStructureInfo* info) {
    if (index < 0 || index >= m->n_structures) {
        return false;
    }
    const FbStructure* s = &m->structures[index];
    *info = (FbStructureInfo){.name = s->name,
                              .n_members = s->n_members,
                              .n_elements = s->n,
                              .n_nodes = s->n_nodes,
                              .mass = s->mass,
                              .is_nonlinear = s->is_nonlinear};
    return true;
}

bool fb_model_get_mesh(const FbModel* m, int index, FbMeshInfo* info) {
    for (int i = 0; index >= 0 && i < m->n_superelements; i++) {
        const FbSuperelement* s = &m->superelements[i];
        if (s->n_elements == 0 || index-- > 0) {
            continue;
        }
        *info = (FbMeshInfo){.name = s->name,
                             .n_elements = s->n_elements,
                             .n_nodes = s->n_nodes,
                             .n_coordinates = s->n,
                             .mass = s->mesh_mass,
                             .size = {s->mesh_size[0], s->mesh_size[1], s->mesh_size[2]},
                             .load_factors = s->load_factors,
                             .n_load_factors = s->n_load_factors};
        return true;
    }
    return false;
}

bool fb_model_get_slider(const FbModel* m, int index, FbSliderInfo* info) {
    static const char* const theories[] = {"consistent", "linear_consistent", "convective",
                                           "form_1a", "form_1b"};
    if (index < 0 || index >= m->n_sliders) {
        return false;
    }
    const FbSlider* s = &m->sliders[index];
    *info = (FbSliderInfo){.name = s->name,
                           .guide = s->guide,
                           .n_pieces = s->n_pieces,
                           .n_through = s->spline ? s->spline->n : 0,
                           .length = s->length,
                           .mass = s->mass.mass,
                           .theory = theories[s->mass.theory],
                           .drive = s->coordinate_v >= 0 ? "free"
                                    : s->state_s >= 0    ? "feedback"
                                                         : "law"};
    return true;
}
