// What the elements of a mesh are made of, with checks: materials, thicknesses, shapes,
// connection.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "describe/cross_section.h"
#include "fem/orthotropic.h"
#include "mesh/mesh_plan.h"

static const double SHEAR_CORRECTION = 5.0 / 6.0;
// Of the shear modulus: large enough to hold turns about the normal, small enough not to stiffen
// folded and curved surfaces.
static const double DRILLING = 1e-3;
// Below this quality (see FbElementType) an element is called flat: edges at an angle of 0.06
// degrees.
static const double FLAT = 1e-3;

// The first axis of an orthotropic material has no direction in a surface whose normal is this near
// to it (as a cosine); there the second one would lead (calc_frame of fem/shell.c).
static const double STEEP = 0.9;
// Elements whose middle is this close to an axis, relative to the mesh, are on it.
static const double ON_AXIS = 1e-9;

// ---- Materials ----

static FbStatus find_material(FbMeshPlan* plan, const FbMeshGroupDef* g,
                              FbMaterialProperties* out) {
    const FbModelDef* def = plan->def;
    FbPlace place = fb_mesh_place(&g->origin, "material");
    int index = g->material ? fb_def_find_material(def, g->origin.scope, g->material) : -1;
    if (!g->material) {
        return fb_fail(plan->err, FB_ERR_MODEL, &g->origin.place,
                       "group '%s' of structure '%s' has no material", g->name, plan->s->name);
    }
    if (index < 0) {
        return fb_fail(plan->err, FB_ERR_NAME, &place, "there is no material '%s'", g->material);
    }
    return fb_material_calc(&def->materials[index], out, plan->err);
}

static FbOrthotropic get_constants(const FbMaterialProperties* m) {
    FbOrthotropic out;
    memcpy(out.axial, m->axial, sizeof out.axial);
    memcpy(out.poisson, m->poisson, sizeof out.poisson);
    memcpy(out.shear, m->shear, sizeof out.shear);
    return out;
}

// What a solid needs of an orthotropic material, shells do not.
static bool has_all_constants(const FbMaterialProperties* m) {
    bool has_all = true;
    for (int i = 0; i < 3; i++) {
        has_all &= isfinite(m->axial[i]) && isfinite(m->poisson[i]) && isfinite(m->shear[i]);
    }
    return has_all;
}

static FbStatus set_isotropic(FbMeshPlan* plan, const FbMeshGroupDef* g,
                              const FbMaterialProperties* m, FbSolid* out) {
    double nu = m->E / (2.0 * m->G) - 1.0;
    if (!(nu > -1.0 && nu < 0.5)) {
        FbPlace place = fb_mesh_place(&g->origin, "material");
        return fb_fail(plan->err, FB_ERR_RANGE, &place,
                       "E and G of material '%s' imply nu = %g; a solid needs nu > -1 and "
                       "< 0.5",
                       g->material, nu);
    }
    double lambda = m->E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->D[i][j] = lambda + (i == j ? 2.0 * m->G : 0.0);
        }
        out->D[3 + i][3 + i] = m->G;
    }
    return FB_OK;
}

static FbStatus set_solid(FbMeshPlan* plan, const FbMeshGroupDef* g, const FbMaterialProperties* m,
                          FbMeshProperties* out) {
    out->solid = (FbSolid){.density = m->density, .is_lumped = plan->s->is_lumped};
    out->has_solid = !m->is_orthotropic || has_all_constants(m);
    if (!m->is_orthotropic) {
        return set_isotropic(plan, g, m, &out->solid);
    }
    if (out->has_solid) {
        FbOrthotropic constants = get_constants(m);
        fb_orthotropic_calc_solid(&constants, out->solid.D);
    }
    return FB_OK;
}

static void set_shell(const FbMeshPlan* plan, const FbMeshGroupDef* g,
                      const FbMaterialProperties* m, FbShell* out) {
    double nu = m->E / (2.0 * m->G) - 1.0, c = m->E / (1.0 - nu * nu);
    double G[3] = {m->G, m->G, m->G};
    *out = (FbShell){.thickness = g->thickness,
                     .offset = g->offset,
                     .plane = {{c, nu * c, 0}, {nu * c, c, 0}, {0, 0, m->G}},
                     .density = m->density,
                     .angle = g->angle,
                     .is_lumped = plan->s->is_lumped};
    if (m->is_orthotropic) {
        FbOrthotropic constants = get_constants(m);
        double Q[3][3];
        fb_orthotropic_calc_plane(&constants, Q);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                out->plane[i][j] = Q[i][j];
            }
            G[i] = isnan(m->shear[i]) ? m->shear[0] : m->shear[i];
        }
    }
    out->shear[0] = SHEAR_CORRECTION * G[1];
    out->shear[1] = SHEAR_CORRECTION * G[2];
    out->drilling = DRILLING * G[0];
}

// Away from the axis, in the middle of an element.
static FbVec3 calc_radius(const FbMeshProperties* p, const FbVec3* x, int n) {
    FbVec3 middle = {0};
    for (int i = 0; i < n; i++) {
        middle = fb_axpy(1.0 / n, fb_sub(x[i], p->center), middle);
    }
    return fb_axpy(-fb_dot(middle, p->around), p->around, middle);
}

FbMat3 fb_mesh_find_axes(const FbMeshProperties* p, const FbVec3* x, int n) {
    FbVec3 away = p->is_around ? calc_radius(p, x, n) : fb_vec3(0.0, 0.0, 0.0);
    double radius = fb_norm(away);
    if (!(radius > 0.0)) {
        return p->axes;
    }
    away = fb_scale(1.0 / radius, away);
    FbVec3 along = p->around, round = fb_cross(along, away);
    FbMat3 R = fb_mat3_from((const double[9]){round.x, along.x, away.x, round.y, along.y, away.y,
                                              round.z, along.z, away.z});
    return fb_mat3_mul(&R, &p->axes);
}

static FbStatus set_properties(FbMeshPlan* plan, int group) {
    const FbMeshGroupDef* g = &plan->s->groups[group];
    FbMeshProperties* out = &plan->properties[group];
    FbMaterialProperties material = {0};
    FB_TRY(find_material(plan, g, &material));
    FB_TRY(set_solid(plan, g, &material, out));
    set_shell(plan, g, &material, &out->shell);
    out->def = g;
    out->axes = fb_mat3_from(g->axes);
    out->around = fb_vec3_from(g->around);
    out->center = fb_vec3_from(g->center);
    double length = fb_norm(out->around);
    out->is_around = length > 0.0;
    if (out->is_around) {
        out->around = fb_scale(1.0 / length, out->around);
    }
    out->is_orthotropic = material.is_orthotropic;
    return FB_OK;
}

// ---- Which elements ----

static FbStatus own_element(FbMeshPlan* plan, int element, int owner) {
    const FbMeshGroupDef* g = &plan->s->groups[owner];
    const FbMeshElement* e = &plan->mesh.elements[element];
    bool is_shell = e->dimension == 2;
    if (!e->type) {
        return fb_fail(plan->err, FB_ERR_MODEL, &g->origin.place,
                       "element %d of group '%s' is %s, which has no stiffness here; give a "
                       "material to groups of solids and surfaces only",
                       e->label, g->name,
                       e->dimension == 1   ? "an edge"
                       : e->dimension == 0 ? "a point"
                                           : "a surface of quadratic edges");
    }
    if (is_shell && !(g->thickness > 0.0 && isfinite(g->thickness))) {
        FbPlace place = fb_mesh_place(&g->origin, isnan(g->thickness) ? NULL : "thickness");
        return fb_fail(plan->err, isnan(g->thickness) ? FB_ERR_MODEL : FB_ERR_RANGE, &place,
                       "group '%s' has surfaces (element %d) and needs a thickness > 0", g->name,
                       e->label);
    }
    if (plan->owner[element] >= 0 && plan->owner[element] != owner) {
        return fb_fail(plan->err, FB_ERR_MODEL, &g->origin.place,
                       "element %d belongs to the groups '%s' and '%s'; give a material to one of "
                       "them",
                       e->label, plan->s->groups[plan->owner[element]].name, g->name);
    }
    plan->owner[element] = owner;
    return FB_OK;
}

static FbStatus own_group(FbMeshPlan* plan, int owner) {
    const FbMeshGroupDef* g = &plan->s->groups[owner];
    int index;
    FB_TRY(fb_mesh_plan_find_group(plan, g->name, &g->origin, NULL, &index));
    const FbMeshGroup* group = &plan->mesh.groups[index];
    if (group->n_elements == 0) {
        return fb_fail(plan->err, FB_ERR_MODEL, &g->origin.place,
                       "group '%s' of the mesh is a set of nodes and has no elements to give a "
                       "material to",
                       g->name);
    }
    for (int i = 0; i < group->n_elements; i++) {
        FB_TRY(own_element(plan, group->elements[i], owner));
    }
    return FB_OK;
}

// "all": solids of no other group or, without solids, surfaces.
static FbStatus own_rest(FbMeshPlan* plan, int owner) {
    int highest = 0;
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        highest =
            plan->mesh.elements[i].dimension > highest ? plan->mesh.elements[i].dimension : highest;
    }
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        if (plan->mesh.elements[i].dimension == highest && plan->owner[i] < 0) {
            FB_TRY(own_element(plan, i, owner));
        }
    }
    return FB_OK;
}

static FbStatus own_elements(FbMeshPlan* plan) {
    int rest = -1;
    for (int g = 0; g < plan->s->n_groups; g++) {
        bool is_rest = strcmp(plan->s->groups[g].name, "all") == 0 && !fb_mesh_has_all(&plan->mesh);
        rest = is_rest ? g : rest;
        if (!is_rest) {
            FB_TRY(own_group(plan, g));
        }
    }
    if (rest >= 0) {
        return own_rest(plan, rest);
    }
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        if (plan->mesh.elements[i].dimension == 3 && plan->owner[i] < 0) {
            return fb_fail(plan->err, FB_ERR_MODEL, &plan->s->origin.place,
                           "element %d of structure '%s' belongs to no group with a material; "
                           "give its group one, or 'all' for the rest",
                           plan->mesh.elements[i].label, plan->s->name);
        }
    }
    return FB_OK;
}

// ---- Shapes ----

// Axes around an axis have no direction on it.
static FbStatus check_around(FbMeshPlan* plan, const FbMeshElement* e, const FbMeshProperties* p,
                             const FbVec3* x) {
    if (!p->is_around ||
        fb_norm(calc_radius(p, x, e->n_nodes)) > ON_AXIS * fb_mesh_calc_size(&plan->mesh)) {
        return FB_OK;
    }
    FbPlace place = fb_mesh_place(&p->def->origin, "around");
    return fb_fail(plan->err, FB_ERR_MODEL, &place,
                   "the middle of element %d of group '%s', near (%.6g, %.6g, %.6g) m, is on the "
                   "axis 'around', where the material has no directions; move 'center', or give "
                   "these elements a group of their own",
                   e->label, p->def->name, x[0].x, x[0].y, x[0].z);
}

// An orthotropic element: all constants of a solid; on a shell the first axis must not be along the
// normal, or it would have no direction in the surface.
static FbStatus check_axes(FbMeshPlan* plan, const FbMeshElement* e, const FbMeshProperties* p) {
    const FbMeshGroupDef* g = p->def;
    FbPlace place = fb_mesh_place(&g->origin, "material");
    FbVec3 V[FB_SHELL_MAX_NODES] = {{0}}, x[FB_SOLID_MAX_NODES] = {{0}};
    if (!p->is_orthotropic) {
        return FB_OK;
    }
    for (int i = 0; i < e->n_nodes; i++) {
        x[i] = plan->mesh.points[plan->mesh.nodes[e->first + i]];
    }
    FB_TRY(check_around(plan, e, p, x));
    FbMat3 axes = fb_mesh_find_axes(p, x, e->n_nodes);
    FbVec3 first = fb_mat3_col(&axes, 0);
    if (e->dimension == 3) {
        return p->has_solid ? FB_OK
                            : fb_fail(plan->err, FB_ERR_MODEL, &place,
                                      "material '%s' of group '%s' lacks constants that solids "
                                      "need: give E1, E2, E3, nu12, nu13, nu23, G12, G13 and G23",
                                      g->material, g->name);
    }
    fb_shell_calc_directors(e->n_nodes, x, V);
    if (!(fabs(fb_dot(V[0], first)) > STEEP)) {
        return FB_OK;
    }
    return fb_fail(plan->err, FB_ERR_MODEL, &g->origin.place,
                   "the first axis of material '%s' is nearly along the normal of shell %d of "
                   "group '%s', at (%.6g, %.6g, %.6g) m, where it has no direction in the surface; "
                   "turn it by 'axes', or divide the group",
                   g->material, e->label, g->name, x[0].x, x[0].y, x[0].z);
}

static FbStatus check_quality(FbMeshPlan* plan, const FbMeshElement* e) {
    FbVec3 x[FB_SOLID_MAX_NODES];
    FbSolid solid = {.shape = fb_solid_find_shape(e->type)};
    FbShell shell = {.n_nodes = e->n_nodes};
    for (int i = 0; i < e->n_nodes; i++) {
        x[i] = plan->mesh.points[plan->mesh.nodes[e->first + i]];
    }
    double quality =
        e->type->calc_quality(e->dimension == 2 ? (const void*)&shell : (const void*)&solid, x);
    if (quality > FLAT) {
        return FB_OK;
    }
    FbPlace place = fb_mesh_place(&plan->s->origin, "mesh");
    return fb_fail(plan->err, FB_ERR_MODEL, &place,
                   "element %d (%s) of structure '%s', at (%.6g, %.6g, %.6g) m, is %s; repair the "
                   "mesh%s",
                   e->label, e->type->name, plan->s->name, x[0].x, x[0].y, x[0].z,
                   quality < -FLAT ? "inverted or folded" : "flat",
                   quality < -FLAT ? ", or check the order of its nodes" : "");
}

// ---- Connection ----

static int find_root(int* parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join_elements(const FbMeshPlan* plan, int* parent) {
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        const FbMeshElement* e = &plan->mesh.elements[i];
        const int* nodes = plan->mesh.nodes + e->first;
        for (int k = 1; plan->owner[i] >= 0 && k < e->n_nodes; k++) {
            parent[find_root(parent, nodes[k])] = find_root(parent, nodes[0]);
        }
    }
}

static void join_groups(const FbMeshPlan* plan, int* parent, bool* is_marked) {
    for (int g = 0; g < plan->s->n_nodes; g++) {
        const char* name = plan->s->nodes[g].group;
        int group = name ? fb_mesh_find_group(&plan->mesh, name) : -1, first = -1;
        if (group < 0) {
            continue;
        }
        memset(is_marked, 0, (size_t)plan->mesh.n_points * sizeof *is_marked);
        fb_mesh_mark_group(&plan->mesh, group, is_marked);
        for (int i = 0; i < plan->mesh.n_points; i++) {
            if (is_marked[i] && first >= 0) {
                parent[find_root(parent, i)] = find_root(parent, first);
            }
            first = is_marked[i] && first < 0 ? i : first;
        }
    }
}

static FbStatus check_connected(FbMeshPlan* plan) {
    int n = plan->mesh.n_points, first = -1;
    int* parent = FB_TAKE(plan->arena, int, n + 1);
    bool* is_marked = FB_TAKE(plan->arena, bool, n + 1);
    if (!parent || !is_marked) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < n; i++) {
        parent[i] = i;
    }
    join_elements(plan, parent);
    join_groups(plan, parent, is_marked);
    for (int i = 0; i < n; i++) {
        if (plan->n_coordinates[i] == 0) {
            continue;
        }
        first = first < 0 ? i : first;
        if (find_root(parent, i) != find_root(parent, first)) {
            const FbVec3 *a = &plan->mesh.points[first], *b = &plan->mesh.points[i];
            FbPlace place = fb_mesh_place(&plan->s->origin, "mesh");
            return fb_fail(plan->err, FB_ERR_MODEL, &place,
                           "the mesh of structure '%s' has unconnected parts: nothing joins node "
                           "%d at (%.6g, %.6g, %.6g) m to node %d at (%.6g, %.6g, %.6g) m; merge "
                           "coincident nodes, or make two structures",
                           plan->s->name, plan->mesh.labels[i], b->x, b->y, b->z,
                           plan->mesh.labels[first], a->x, a->y, a->z);
        }
    }
    return FB_OK;
}

FbStatus fb_mesh_plan_properties(FbMeshPlan* plan) {
    const FbMeshStructureDef* s = plan->s;
    int n_owned = 0;
    for (int g = 0; g < s->n_groups; g++) {
        FB_TRY(set_properties(plan, g));
    }
    FB_TRY(own_elements(plan));
    for (int i = 0; i < plan->mesh.n_elements; i++) {
        const FbMeshElement* e = &plan->mesh.elements[i];
        if (plan->owner[i] < 0) {
            continue;
        }
        n_owned++;
        FB_TRY(check_quality(plan, e));
        FB_TRY(check_axes(plan, e, &plan->properties[plan->owner[i]]));
        for (int k = 0; k < e->n_nodes; k++) {
            int* own = &plan->n_coordinates[plan->mesh.nodes[e->first + k]];
            *own = e->type->n_coordinates > *own ? e->type->n_coordinates : *own;
        }
    }
    if (n_owned == 0) {
        return fb_fail(plan->err, FB_ERR_MODEL, &s->origin.place,
                       "structure '%s' has no elements with a material; give 'groups', such as "
                       "{all: {material: steel}}",
                       s->name);
    }
    return check_connected(plan);
}
