// The largest normal stress at the ends of beam elements, from the places and turns of their nodes:
// E (|strain| + |curvature_y| edge_z + |curvature_z| edge_y), eqs. (8.2), (8.3) without loads
// between the nodes.
#include "view/beam_stress.h"

#include <math.h>

#include "math/rotation.h"

// How an end is turned against the line between the ends, about the element's y and z axes.
typedef struct EndTurn {
    double y, z;
} EndTurn;

static FbVec3 place_of(const double pose[7]) {
    return fb_vec3_from(pose);
}

static EndTurn calc_turn(const FbBeamElement* e, const FbBody* node, const double pose[7],
                         FbVec3 chord) {
    FbMat3 R = fb_rotation_from_quaternion(pose + 3);
    FbMat3 axes = e->base.R_drawn;
    // The element's axes as the node carries them: R R_0' axes.
    FbVec3 seen = fb_mul3(&node->R_GB, fb_mul3_transposed(&R, chord));
    FbVec3 d = fb_mul3_transposed(&axes, seen);
    return (EndTurn){.y = atan2(d.z, d.x), .z = -atan2(d.y, d.x)};
}

// Curvatures at both ends of a beam with these turns, and shear parameter phi.
static void calc_curvatures(double a, double b, double phi, double length, double out[2]) {
    double near = (4.0 + phi) / (1.0 + phi), far = (2.0 - phi) / (1.0 + phi);
    out[0] = (near * a + far * b) / length;
    out[1] = (far * a + near * b) / length;
}

bool fb_beam_has_stress(const FbBeamElement* e) {
    return e->spline == NULL && e->area > 0.0 && e->edge_y >= 0.0 && e->edge_z >= 0.0 &&
           e->beam.EA > 0.0;
}

void fb_beam_calc_stress(const FbModel* m, const FbBeamElement* e, const double pose_a[7],
                         const double pose_b[7], double out[2]) {
    static const double at_rest[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    static const FbBody ground = {.R_GB = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    const FbBody* node[2];
    const double* pose[2] = {pose_a ? pose_a : at_rest, pose_b ? pose_b : at_rest};
    for (int k = 0; k < 2; k++) {
        node[k] = e->body[k] >= 0 ? &m->bodies[e->body[k]] : &ground;
    }
    FbVec3 chord = fb_sub(place_of(pose[1]), place_of(pose[0]));
    FbVec3 drawn = fb_sub(node[1]->p_GB, node[0]->p_GB), axis = fb_mat3_col(&e->base.R_drawn, 0);
    double L = e->beam.length, now = fb_norm(chord);
    // The linear theory knows displacements along the drawn axis only.
    double strain =
        e->is_linear ? fb_dot(axis, fb_sub(chord, drawn)) / L : (now - fb_norm(drawn)) / L;
    EndTurn a = calc_turn(e, node[0], pose[0], fb_scale(1.0 / now, chord));
    EndTurn b = calc_turn(e, node[1], pose[1], fb_scale(1.0 / now, chord));
    double y[2], z[2], E = e->beam.EA / e->area;
    calc_curvatures(a.y, b.y, e->beam.phi_z, L, y);
    calc_curvatures(a.z, b.z, e->beam.phi_y, L, z);
    for (int k = 0; k < 2; k++) {
        out[k] = E * (fabs(strain) + fabs(y[k]) * e->edge_z + fabs(z[k]) * e->edge_y);
    }
}
