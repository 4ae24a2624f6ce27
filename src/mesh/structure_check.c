// Checks of the members of a structure: ends, length, axes, section, mesh.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "mesh/structure.h"

enum { MAX_ELEMENTS = 1000000, MAX_HINTS = 512 };

// A member shorter than this share of its nodes' distance from the origin has no direction.
static const double SHORTEST = 1e-12;
// A y axis nearer to the member's own axis than this (sine) says nothing.
static const double PARALLEL = 1e-6;

static const char* hint(const char* word, const char* const* names, int n, FbArena* arena) {
    const char* close = fb_did_you_mean(word, names, n);
    const char* text = close ? fb_arena_format(arena, "; did you mean '%s'?", close) : "";
    return text ? text : "";
}

static int find_node(FbStructurePlan* plan, const FbMemberDef* m, const char* key,
                     const char* name) {
    int found = name ? fb_names_find(&plan->node_names, NULL, 0, name) : -1;
    if (found < 0) {
        const char* names[MAX_HINTS];
        int n = 0;
        for (int i = 0; i < plan->s->n_nodes && n < MAX_HINTS; i++) {
            if (plan->s->nodes[i].name) {
                names[n++] = plan->s->nodes[i].name;
            }
        }
        fb_structure_report(plan, FB_ERR_NAME, &m->origin, key, "structure '%s' has no node '%s'%s",
                            plan->s->name, name ? name : "",
                            name ? hint(name, names, n, plan->arena) : "");
    }
    return found;
}

static bool check_ends(FbStructurePlan* plan, const FbMemberDef* m, FbMemberPlan* out) {
    out->from = find_node(plan, m, "from", m->from);
    out->to = find_node(plan, m, "to", m->to);
    if (out->from < 0 || out->to < 0) {
        return false;
    }
    if (out->from == out->to) {
        fb_structure_report(plan, FB_ERR_MODEL, &m->origin, "to",
                            "member '%s' goes from node '%s' to itself; it needs two nodes",
                            m->name, m->from);
        return false;
    }
    FbNodeEnds *from = &plan->ends[out->from], *to = &plan->ends[out->to];
    *(m->has_hinge_from ? &from->n_hinged : &from->n_rigid) += 1;
    *(m->has_hinge_to ? &to->n_hinged : &to->n_rigid) += 1;
    return true;
}

static bool check_length(FbStructurePlan* plan, const FbMemberDef* m, FbMemberPlan* out) {
    FbVec3 a = fb_vec3_from(plan->s->nodes[out->from].at);
    FbVec3 b = fb_vec3_from(plan->s->nodes[out->to].at), d = fb_sub(b, a);
    out->length = fb_norm(d);
    if (!(out->length > SHORTEST * fmax(fb_norm(a), fb_norm(b)))) {
        fb_structure_report(plan, FB_ERR_RANGE, &m->origin, NULL,
                            "member '%s' has no length: its nodes '%s' and '%s' are both at [%g, "
                            "%g, %g]",
                            m->name, m->from, m->to, a.x, a.y, a.z);
        return false;
    }
    out->x = fb_scale(1.0 / out->length, d);
    if (!isnan(m->through[0])) {
        return fb_structure_check_arc(plan, m, out);
    }
    return isfinite(out->length);
}

// The y axis across the member nearest to `hint`; false if that is along it.
static bool set_y(FbMemberPlan* out, FbVec3 hint_axis) {
    FbVec3 across = fb_axpy(-fb_dot(out->x, hint_axis), out->x, hint_axis);
    double length = fb_norm(across);
    if (!(length > PARALLEL * fb_norm(hint_axis))) {
        return false;
    }
    out->y = fb_scale(1.0 / length, across);
    return true;
}

static bool check_axes(FbStructurePlan* plan, const FbMemberDef* m, FbMemberPlan* out) {
    const FbVec3 up = {0, 0, 1}, side = {0, 1, 0};
    if (!isnan(m->y_axis[0])) {
        if (set_y(out, fb_vec3_from(m->y_axis))) {
            return true;
        }
        fb_structure_report(plan, FB_ERR_RANGE, &m->origin, "y_axis",
                            "y_axis of member '%s' is zero or along the member; it must point "
                            "across it",
                            m->name);
        return false;
    }
    if (fb_structure_is_plane(plan->s)) {
        out->y = fb_cross(plan->normal, out->x);
        return true;
    }
    return set_y(out, up) || set_y(out, side);
}

static const FbSectionDef* find_section(FbStructurePlan* plan, const FbMemberDef* m) {
    const FbModelDef* def = plan->def;
    int index = fb_def_find_section(def, m->origin.scope, m->section);
    if (index >= 0) {
        return &def->sections[index];
    }
    const char* names[MAX_HINTS];
    int n = 0;
    for (; n < def->n_sections && n < MAX_HINTS; n++) {
        names[n] = def->sections[n].name;
    }
    fb_structure_report(plan, FB_ERR_NAME, &m->origin, "section", "there is no section '%s'%s",
                        m->section ? m->section : "",
                        m->section ? hint(m->section, names, n, plan->arena) : "");
    return NULL;
}

static void report_error(FbStructurePlan* plan, const FbError* err) {
    fb_diagnose(plan->diagnostics, FB_SEVERE, err->status, &err->place, "%s", err->text);
}

static bool check_material(FbStructurePlan* plan, const FbSectionDef* section, FbMemberPlan* out) {
    const FbModelDef* def = plan->def;
    int index = fb_def_find_material(def, section->origin.scope, section->material);
    FbError err;
    fb_error_clear(&err);
    if (index < 0) {
        const char* names[MAX_HINTS];
        int n = 0;
        for (; n < def->n_materials && n < MAX_HINTS; n++) {
            names[n] = def->materials[n].name;
        }
        fb_structure_report(
            plan, FB_ERR_NAME, &section->origin, "material", "there is no material '%s'%s",
            section->material ? section->material : "",
            section->material ? hint(section->material, names, n, plan->arena) : "");
        return false;
    }
    if (fb_material_calc(&def->materials[index], &out->material, &err) < 0) {
        report_error(plan, &err);
        return false;
    }
    if (out->material.is_orthotropic) {
        fb_structure_report(plan, FB_ERR_MODEL, &section->origin, "material",
                            "material '%s' is orthotropic; members need an isotropic one (E, and G "
                            "or nu): of a beam along its first axis E1 and G12",
                            section->material);
        return false;
    }
    return true;
}

// In a plane structure the section bends about the axis that is along the normal.
static bool bends_about_z(const FbStructurePlan* plan, const FbMemberPlan* member) {
    return fabs(fb_dot(member->y, plan->normal)) < 0.5;
}

static void need(FbStructurePlan* plan, const FbMemberDef* m, const FbSectionDef* section,
                 const char* key, double value) {
    if (isnan(value)) {
        fb_structure_report(plan, FB_ERR_MODEL, &section->origin, NULL,
                            "section '%s' needs '%s' for member '%s' of the %s structure '%s'%s",
                            section->name, key, m->name,
                            fb_structure_is_plane(plan->s) ? "plane" : "spatial", plan->s->name,
                            key[0] == 's' ? " (beam: timoshenko)" : "");
    }
}

static void check_section(FbStructurePlan* plan, const FbMemberDef* m, FbMemberPlan* out) {
    const FbSectionDef* section = find_section(plan, m);
    FbSectionProperties* p = &out->section;
    FbError err;
    fb_error_clear(&err);
    if (!section || !check_material(plan, section, out)) {
        return;
    }
    if (fb_section_calc(section, p, &err) < 0) {
        report_error(plan, &err);
        return;
    }
    bool is_space = !fb_structure_is_plane(plan->s), about_z = bends_about_z(plan, out);
    const struct {
        const char* key;
        double value;
        bool is_needed;
    } needs[] = {{"Iz", p->Iz, is_space || about_z},
                 {"Iy", p->Iy, is_space || !about_z},
                 {"J", p->J, is_space},
                 {"shear_y", p->shear_y, plan->s->has_shear && (is_space || about_z)},
                 {"shear_z", p->shear_z, plan->s->has_shear && (is_space || !about_z)}};
    for (int i = 0; i < 5; i++) {
        if (needs[i].is_needed) {
            need(plan, m, section, needs[i].key, needs[i].value);
        }
    }
}

// from, to, n1, n2, ... are the names of other nodes of a member.
static bool is_reserved(const char* name) {
    const char* rest = name + 1;
    while (isdigit((unsigned char)*rest)) {
        rest++;
    }
    bool is_number = name[0] == 'n' && name[1] && !*rest;
    return is_number || strcmp(name, "from") == 0 || strcmp(name, "to") == 0;
}

static void check_station(FbStructurePlan* plan, const FbMemberDef* m, int k) {
    const FbStationDef* s = &m->stations[k];
    const FbOrigin* origin = s->node ? &s->node->origin : &m->origin;
    const char* key = s->node ? NULL : "stations";
    if (!s->name || !fb_name_is_valid(s->name) || strchr(s->name, '.') || is_reserved(s->name)) {
        fb_structure_report(plan, FB_ERR_NAME, origin, key,
                            "'%s' is not a name for a station of member '%s'; use letters, digits "
                            "and '_', and not from, to, n1, n2, ...",
                            s->name ? s->name : "", m->name);
    } else if (!(s->at > 0.0 && s->at < 1.0)) {
        fb_structure_report(plan, FB_ERR_RANGE, origin, key,
                            "station '%s' of member '%s' is at %g; it must be > 0 and < 1, a "
                            "fraction of the length",
                            s->name, m->name, s->at);
    }
    for (int i = 0; s->name && i < k; i++) {
        const char* other = m->stations[i].name;
        if ((other && strcmp(other, s->name) == 0) || m->stations[i].at == s->at) {
            fb_structure_report(plan, FB_ERR_NAME, origin, key,
                                "stations '%s' and '%s' of member '%s' have the same name or "
                                "position; both must be unique",
                                other ? other : "", s->name, m->name);
        }
    }
}

static void check_mesh(FbStructurePlan* plan, const FbMemberDef* m, const FbMemberPlan* member) {
    double most = fb_def_limit(plan->def, MAX_ELEMENTS);
    if (m->n_elements < 1 || m->n_elements > most) {
        fb_structure_report(plan, FB_ERR_RANGE, &m->origin, "elements",
                            "member '%s' has %d elements; it must have 1 to %.10g", m->name,
                            m->n_elements, most);
    }
    for (int k = 0; k < m->n_stations; k++) {
        check_station(plan, m, k);
        if (m->stations[k].node) {
            FbNodeDef node =
                fb_structure_inner_node(plan, m, member, &m->stations[k], m->stations[k].at);
            fb_structure_check_node(plan, &node, &fb_structure_inner_ends);
        }
    }
}

void fb_structure_check_member(FbStructurePlan* plan, int index) {
    const FbMemberDef* m = &plan->s->members[index];
    FbMemberPlan* out = &plan->members[index];
    if (check_ends(plan, m, out) && check_length(plan, m, out) && check_axes(plan, m, out)) {
        check_section(plan, m, out);
        check_mesh(plan, m, out);
    }
}
