// Members of a structure: cut into elements with a node at every station, hinged where requested.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/structure.h"

// Inner nodes belong to two elements, rigidly joined.
const FbNodeEnds fb_structure_inner_ends = {.n_rigid = 2};

FbNodeDef fb_structure_inner_node(const FbStructurePlan* plan, const FbMemberDef* m,
                                  const FbMemberPlan* member, const FbStationDef* s, double at) {
    FbNodeDef node = s && s->node ? *s->node : fb_node_def_default();
    node.name = s ? s->name : m->name;
    fb_vec3_to(fb_member_place(plan, member, at), node.at);
    if (!s || !s->node) {
        node.origin = m->origin;
    }
    return node;
}

// Where a member is cut: n elements, n - 1 inner nodes, some of which are stations.
typedef struct Mesh {
    int n;
    double* at;                    // [n + 1] fractions of the length
    const FbStationDef** station;  // [n + 1] NULL: a numbered node
} Mesh;

static int compare_stations(const void* a, const void* b) {
    double x = (*(const FbStationDef*const*)a)->at, y = (*(const FbStationDef*const*)b)->at;
    return (x > y) - (x < y);
}

// The elements are shared among the pieces between stations by their lengths, at least one each;
// where all stations are multiples of 1/n this is the even mesh.
static bool cut(FbArena* arena, const FbMemberDef* m, Mesh* mesh) {
    int k = m->n_stations, last = 0;
    const FbStationDef** sorted = FB_TAKE(arena, const FbStationDef*, k + 1);
    mesh->n = m->n_elements + k;  // at most
    mesh->at = FB_TAKE(arena, double, mesh->n + 1);
    mesh->station = FB_TAKE(arena, const FbStationDef*, mesh->n + 1);
    if (!sorted || !mesh->at || !mesh->station) {
        return false;
    }
    for (int i = 0; i < k; i++) {
        sorted[i] = &m->stations[i];
    }
    qsort(sorted, (size_t)k, sizeof *sorted, compare_stations);
    double begin = 0.0;
    for (int i = 0; i <= k; i++) {
        double end = i < k ? sorted[i]->at : 1.0;
        int next = (int)lround(m->n_elements * end);
        next = next > last ? next : last + 1;
        for (int j = last + 1; j <= next; j++) {
            mesh->at[j] = begin + (end - begin) * (j - last) / (next - last);
        }
        mesh->station[next] = i < k ? sorted[i] : NULL;
        last = next;
        begin = end;
    }
    mesh->n = last;
    return true;
}

static FbStatus add_inner_node(FbStructurePlan* plan, int index, const Mesh* mesh, int i,
                               const char* name, FbError* err) {
    const FbMemberDef* m = &plan->s->members[index];
    FbNodeDef node =
        fb_structure_inner_node(plan, m, &plan->members[index], mesh->station[i], mesh->at[i]);
    return fb_structure_add_node(plan, &node, &fb_structure_inner_ends, name, err);
}

// A hinge: a separate body at the node. In space a member that is hinged at both ends
// must not spin about itself, so that the second hinge is a universal joint.
static FbStatus add_hinge(FbStructurePlan* plan, int index, bool is_to, const char* node,
                          const char* name, FbError* err) {
    const FbStructureDef* s = plan->s;
    const FbMemberDef* m = &s->members[index];
    const FbMemberPlan* member = &plan->members[index];
    FbBodyDef body = fb_body_def_default();
    FbJointDef joint = fb_joint_def_default();
    FbVec3 at =
        fb_structure_place(plan, fb_vec3_from(s->nodes[is_to ? member->to : member->from].at));
    bool is_plane = fb_structure_is_plane(s), is_second = is_to && m->has_hinge_from;
    body.name = joint.name = name;
    fb_vec3_to(at, body.position);
    fb_vec3_to(at, joint.point);
    memcpy(body.rotation, plan->R.m, sizeof plan->R.m);
    joint.type = is_plane          ? "revolute"
                 : is_second       ? "universal"
                 : s->is_nonlinear ? "spherical"
                                   : "gimbal";
    joint.body_a = node;
    joint.body_b = name;
    FbVec3 x = fb_member_turn(member, is_to, member->x),
           y = fb_member_turn(member, is_to, member->y);
    fb_vec3_to(fb_mul3(&plan->R, is_plane ? plan->normal : x), joint.axis);
    fb_vec3_to(fb_mul3(&plan->R, is_plane ? plan->first : y), joint.x_axis);
    body.origin = joint.origin = fb_structure_origin(&m->origin);
    FB_TRY(fb_model_def_add_body(plan->def, &body, err));
    return fb_model_def_add_joint(plan->def, &joint, err);
}

// The body at an end of the member: the node, or a hinge at it. In a plane, of the members that are
// all hinged to a node, one turns with it.
static FbStatus end_body(FbStructurePlan* plan, int index, bool is_to, const char** name,
                         FbError* err) {
    const FbStructureDef* s = plan->s;
    const FbMemberDef* m = &s->members[index];
    int k = is_to ? plan->members[index].to : plan->members[index].from;
    FbNodeEnds* ends = &plan->ends[k];
    const char* node = fb_arena_format(plan->arena, "%s.%s", s->name, s->nodes[k].name);
    *name = node;
    if (!node) {
        return fb_fail_memory(err);
    }
    if (!(is_to ? m->has_hinge_to : m->has_hinge_from)) {
        return FB_OK;
    }
    if (fb_structure_is_plane(s) && !ends->is_taken &&
        fb_structure_is_hinge(s, &s->nodes[k], ends)) {
        ends->is_taken = true;
        return FB_OK;
    }
    *name = fb_arena_format(plan->arena, "%s.%s.%s", s->name, m->name, is_to ? "to" : "from");
    return *name ? add_hinge(plan, index, is_to, node, *name, err) : fb_fail_memory(err);
}

static double or_zero(double x) {
    return isnan(x) ? 0.0 : x;
}

// Euler-Bernoulli beams have no rotary inertia across their axis.
static FbBeamDef describe_beam(FbStructurePlan* plan, int index) {
    static const char* const places[][2] = {
        {"load", "load"}, {"load[0]", "load[0]"}, {"load[1]", "load[1]"}, {"load[2]", "load[2]"}};
    const FbStructureDef* s = plan->s;
    const FbMemberDef* m = &s->members[index];
    const FbMemberPlan* member = &plan->members[index];
    const FbSectionProperties* p = &member->section;
    double E = member->material.E, G = member->material.G, rho = member->material.density;
    double Iy = or_zero(p->Iy), Iz = or_zero(p->Iz);
    FbBeamDef beam = fb_beam_def_default();
    fb_vec3_to(fb_mul3(&plan->R, member->y), beam.y_axis);
    beam.EA = E * p->area;
    beam.GJ = G * or_zero(p->J);
    beam.EIy = E * Iy;
    beam.EIz = E * Iz;
    if (s->has_shear) {
        beam.GAy = isnan(p->shear_y) ? INFINITY : G * p->area * p->shear_y;
        beam.GAz = isnan(p->shear_z) ? INFINITY : G * p->area * p->shear_z;
    }
    beam.mass_per_length = rho * p->area;
    beam.inertia_x = rho * (Iy + Iz);
    beam.inertia_y = s->has_shear ? rho * Iy : 0.0;
    beam.inertia_z = s->has_shear ? rho * Iz : 0.0;
    beam.area = p->area;
    beam.edge_y = p->edge_y;
    beam.edge_z = p->edge_z;
    beam.torsion_modulus = p->torsion_modulus;
    beam.is_linear = !s->is_nonlinear;
    beam.is_lumped = s->is_lumped;
    beam.is_fourth_order = s->is_fourth_order;
    beam.alpha = s->alpha;
    beam.beta = s->beta;
    memcpy(beam.load, m->load, sizeof beam.load);
    bool has_load = m->load[0] || m->load[1] || m->load[2];
    beam.origin = has_load ? fb_structure_origin_with(plan, &m->origin, places, 4)
                           : fb_structure_origin(&m->origin);
    return beam;
}

static const char* inner_name(FbStructurePlan* plan, const FbMemberDef* m, const Mesh* mesh,
                              int i) {
    return mesh->station[i] ? fb_arena_format(plan->arena, "%s.%s.%s", plan->s->name, m->name,
                                              mesh->station[i]->name)
                            : fb_arena_format(plan->arena, "%s.%s.n%d", plan->s->name, m->name, i);
}

// The part of an arc between two fractions of it.
static void bend_beam(const FbStructurePlan* plan, const FbMemberPlan* member, double from,
                      double to, FbBeamDef* beam) {
    FbVec3 y = fb_member_turn(member, 0.5 * (from + to), member->y);
    fb_vec3_to(fb_mul3(&plan->R, y), beam->y_axis);
    fb_vec3_to(fb_mul3(&plan->R, fb_scale(to - from, member->turn)), beam->turn);
}

FbStatus fb_structure_add_member(FbStructurePlan* plan, int index, FbError* err) {
    const FbMemberDef* m = &plan->s->members[index];
    const char *from, *to;
    Mesh mesh;
    FB_TRY(end_body(plan, index, false, &from, err));
    FB_TRY(end_body(plan, index, true, &to, err));
    FbBeamDef beam = describe_beam(plan, index);
    beam.member = fb_arena_format(plan->arena, "%s.%s", plan->s->name, m->name);
    if (!cut(plan->arena, m, &mesh)) {
        return fb_fail_memory(err);
    }
    beam.body_b = from;
    for (int i = 1; i <= mesh.n; i++) {
        beam.name = fb_arena_format(plan->arena, "%s.%s.e%d", plan->s->name, m->name, i);
        beam.body_a = beam.body_b;
        beam.body_b = i < mesh.n ? inner_name(plan, m, &mesh, i) : to;
        if (fb_arena_has_failed(plan->arena)) {
            return fb_fail_memory(err);
        }
        if (fb_member_is_arc(&plan->members[index])) {
            bend_beam(plan, &plan->members[index], mesh.at[i - 1], mesh.at[i], &beam);
        }
        if (i < mesh.n) {
            FB_TRY(add_inner_node(plan, index, &mesh, i, beam.body_b, err));
        }
        FB_TRY(fb_model_def_add_beam(plan->def, &beam, err));
    }
    return FB_OK;
}
