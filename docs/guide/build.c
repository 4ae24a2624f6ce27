// A pendulum built part by part, and simulated step by step, without any file.
#include <flyball/flyball.h>
#include <stdio.h>

static FbStatus describe(FbModelDef* def, FbError* err) {
    const double gravity[3] = {0, 0, -9.81};
    fb_model_def_set_gravity(def, gravity);

    FbShapeDef rod = fb_shape_def_default();
    rod.type = "rod";
    for (int i = 0; i < 3; i++) {  // defaults that mean "not given" are NaN
        rod.from[i] = 0.0;
        rod.to[i] = i == 0 ? 0.5 : 0.0;
    }
    rod.mass = 0.2;
    FbBodyDef body = fb_body_def_default();
    body.name = "rod";
    body.shapes = &rod;
    body.n_shapes = 1;
    FbStatus status = fb_model_def_add_body(def, &body, err);

    FbJointDef pivot = fb_joint_def_default();
    pivot.name = "pivot";
    pivot.type = "revolute";
    pivot.body_a = "ground";
    pivot.body_b = "rod";
    pivot.axis[1] = 1.0;
    pivot.axis[2] = 0.0;
    pivot.has_position[0] = true;
    pivot.position[0] = 0.5;
    if (status == FB_OK) {
        status = fb_model_def_add_joint(def, &pivot, err);
    }

    // Forces have a struct for each type, with a common head.
    FbFrictionDef friction = fb_friction_def_default();
    friction.head.name = "friction";
    friction.joint.joint = "pivot";
    friction.viscous = 0.01;
    if (status == FB_OK) {
        status = fb_model_def_add_force(def, &friction.head, err);
    }

    FbExpressionSensorDef angle = fb_expression_sensor_def_default();
    angle.head.name = "angle";
    angle.value = "pivot.q";
    return status == FB_OK ? fb_model_def_add_sensor(def, &angle.head, err) : status;
}

static int simulate(const FbModel* model) {
    FbRunOptions options = fb_run_options_default(model);
    FbSimulation* sim = NULL;
    FbError err = {0};
    FbStatus status = fb_simulation_create(model, &options, &sim, &err);
    for (int i = 1; status == FB_OK && i <= 4; i++) {
        double angle;
        status = fb_simulation_advance(sim, 0.25 * i, &err);
        if (status == FB_OK) {
            status = fb_simulation_calc_outputs(sim, &angle, &err);
            printf("%.2f %.6f\n", fb_simulation_get_time(sim), angle);
        }
    }
    if (status != FB_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    fb_simulation_destroy(sim);
    return status == FB_OK ? 0 : 1;
}

int main(void) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbError err = {0};
    int failed = 1;
    if (fb_model_def_create("pendulum", &def, &err) != FB_OK || describe(def, &err) != FB_OK) {
        fprintf(stderr, "%s\n", err.text);
    } else if (fb_model_create(def, &model, messages) != FB_OK) {
        fprintf(stderr, "%s\n", fb_diagnostics_get(messages, 0)->text);
    } else {
        failed = simulate(model);
    }
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(messages);
    return failed;
}
