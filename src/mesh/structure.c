// Structures: nodes and members are checked as a whole, then meshed into bodies, joints, forces and
// beams.
#include "mesh/structure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

// Places of nodes differ from a plane by rounding only, relative to the size of the structure.
static const double PLANE_TOLERANCE = 1e-9;

void fb_structure_report(FbStructurePlan* plan, FbStatus status, const FbOrigin* origin,
                         const char* key, const char* format, ...) {
    char text[FB_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    FbPlace place = fb_origin_place(origin, key);
    fb_diagnose(plan->diagnostics, FB_SEVERE, status, &place, "%s", text);
}

FbOrigin fb_structure_origin(const FbOrigin* origin) {
    return (FbOrigin){.place = origin->place, .scope = origin->scope};
}

FbOrigin fb_structure_origin_with(FbStructurePlan* plan, const FbOrigin* origin,
                                  const char* const pairs[][2], int n) {
    FbOrigin out = fb_structure_origin(origin);
    FbFieldPlace* fields = FB_TAKE(plan->arena, FbFieldPlace, n);
    for (int i = 0; fields && i < n; i++) {
        FbPlace place = fb_origin_place(origin, pairs[i][1]);
        fields[i] = (FbFieldPlace){pairs[i][0], place.line, place.col};
    }
    out.fields = fields;
    out.n_fields = fields ? n : 0;
    return out;
}

// The plane's first and second axis in the order x, y, z, and their cross product (-y for x, z).
static void plan_axes(FbStructurePlan* plan) {
    const FbVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int n = plan->s->plane_normal;
    plan->R = fb_mat3_from(plan->s->rotation);
    plan->p = fb_vec3_from(plan->s->position);
    if (n >= 0) {
        plan->first = unit[n == 0 ? 1 : 0];
        plan->second = unit[n == 2 ? 1 : 2];
        plan->normal = fb_cross(plan->first, plan->second);
    }
}

static void check_damping(FbStructurePlan* plan) {
    const FbStructureDef* s = plan->s;
    if (!(s->alpha >= 0.0 && s->beta >= 0.0 && isfinite(s->alpha) && isfinite(s->beta))) {
        fb_structure_report(plan, FB_ERR_RANGE, &s->origin, "damping",
                            "structure '%s' has alpha = %g 1/s and beta = %g s; both must be >= 0",
                            s->name, s->alpha, s->beta);
    }
    if (!(s->damping_ratio >= 0.0 && s->damping_ratio < 1.0)) {
        fb_structure_report(plan, FB_ERR_RANGE, &s->origin, "damping",
                            "the damping ratio of structure '%s' is %g; it must be >= 0 and < 1",
                            s->name, s->damping_ratio);
    }
}

// A name that is the last part of a full one.
static bool check_name(FbStructurePlan* plan, const char* kind, const char* name,
                       const FbOrigin* origin, FbNames* names, int index) {
    if (!name || !fb_name_is_valid(name) || strchr(name, '.')) {
        fb_structure_report(plan, FB_ERR_NAME, origin, NULL,
                            "'%s' is not a valid name for a %s; use letters, digits and '_', "
                            "starting with a letter",
                            name ? name : "", kind);
        return true;
    }
    if (fb_names_find(names, NULL, 0, name) >= 0) {
        fb_structure_report(plan, FB_ERR_NAME, origin, NULL,
                            "structure '%s' has two %ss '%s'; names must be unique", plan->s->name,
                            kind, name);
        return true;
    }
    return fb_names_add(names, name, index);
}

static FbStatus check_names(FbStructurePlan* plan) {
    const FbStructureDef* s = plan->s;
    for (int i = 0; i < s->n_nodes; i++) {
        const FbNodeDef* node = &s->nodes[i];
        if (!check_name(plan, "node", node->name, &node->origin, &plan->node_names, i)) {
            return FB_ERR_MEMORY;
        }
    }
    for (int i = 0; i < s->n_members; i++) {
        const FbMemberDef* member = &s->members[i];
        if (!check_name(plan, "member", member->name, &member->origin, &plan->member_names, i)) {
            return FB_ERR_MEMORY;
        }
    }
    return FB_OK;
}

static double calc_size(const FbStructureDef* s) {
    double size = 0.0;
    for (int i = 0; i < s->n_nodes; i++) {
        size = fmax(size, fb_norm(fb_vec3_from(s->nodes[i].at)));
    }
    return size;
}

static void check_plane(FbStructurePlan* plan) {
    static const char* const planes[] = {"yz", "xz", "xy"};
    const FbStructureDef* s = plan->s;
    int n = s->plane_normal;
    double limit = n >= 0 ? PLANE_TOLERANCE * calc_size(s) : 0.0;
    for (int i = 1; n >= 0 && i < s->n_nodes; i++) {
        const FbNodeDef* node = &s->nodes[i];
        if (!(fabs(node->at[n] - s->nodes[0].at[n]) <= limit)) {
            fb_structure_report(plan, FB_ERR_MODEL, &node->origin, "at",
                                "node '%s' has %c = %g m, outside the %s plane of node '%s' at %g "
                                "m; move it, or remove 'plane'",
                                node->name, "xyz"[n], node -> at[n], planes[n], s -> nodes[0].name,
                                s->nodes[0].at[n]);
        }
    }
}

static void check_whole(FbStructurePlan* plan) {
    const FbStructureDef* s = plan->s;
    if (!s->name || !fb_name_is_valid(s->name)) {
        fb_structure_report(plan, FB_ERR_NAME, &s->origin, NULL,
                            "'%s' is not a valid name for a structure; use letters, digits and "
                            "'_', starting with a letter",
                            s->name ? s->name : "");
    }
    if (s->n_nodes < 1 || s->n_members < 1) {
        fb_structure_report(plan, FB_ERR_MODEL, &s->origin, NULL,
                            "structure '%s' has %d node(s) and %d member(s); it needs at least two "
                            "nodes and a member between them",
                            s->name ? s->name : "", s->n_nodes, s->n_members);
    }
    if (s->plane_normal < -1 || s->plane_normal > 2) {
        fb_structure_report(plan, FB_ERR_RANGE, &s->origin, "plane",
                            "plane_normal of structure '%s' is %d; it must be 0, 1, 2 or -1",
                            s->name ? s->name : "", s->plane_normal);
    }
    check_damping(plan);
}

FbStatus fb_structure_plan(FbModelDef* def, const FbStructureDef* s, FbDiagnostics* diagnostics,
                           FbStructurePlan* out) {
    *out = (FbStructurePlan){.def = def, .s = s, .diagnostics = diagnostics};
    out->arena = fb_arena_create();
    if (!out->arena) {
        return FB_ERR_MEMORY;
    }
    out->ends = FB_TAKE(out->arena, FbNodeEnds, s->n_nodes + 1);
    out->members = FB_TAKE(out->arena, FbMemberPlan, s->n_members + 1);
    if (!out->ends || !out->members) {
        return FB_ERR_MEMORY;
    }
    check_whole(out);
    if (fb_diagnostics_error_count(diagnostics) > 0) {
        return FB_ERR_MODEL;
    }
    plan_axes(out);
    FB_TRY(check_names(out));
    for (int i = 0; i < s->n_members; i++) {
        fb_structure_check_member(out, i);
    }
    out->has_bad_member = fb_diagnostics_error_count(diagnostics) > 0;
    check_plane(out);
    for (int i = 0; i < s->n_nodes; i++) {
        fb_structure_check_node(out, &s->nodes[i], &out->ends[i]);
    }
    if (fb_arena_has_failed(out->arena)) {
        return FB_ERR_MEMORY;
    }
    return fb_diagnostics_error_count(diagnostics) > 0 ? FB_ERR_MODEL : FB_OK;
}

void fb_structure_plan_free(FbStructurePlan* plan) {
    fb_names_free(&plan->node_names);
    fb_names_free(&plan->member_names);
    fb_arena_destroy(plan->arena);
}

FbStatus fb_structure_expand(FbStructurePlan* plan, FbError* err) {
    const FbStructureDef* s = plan->s;
    FB_TRY(fb_def_append_structure(plan->def, s, err));
    for (int i = 0; i < s->n_nodes; i++) {
        const char* name = fb_arena_format(plan->arena, "%s.%s", s->name, s->nodes[i].name);
        if (!name) {
            return fb_fail_memory(err);
        }
        FB_TRY(fb_structure_add_node(plan, &s->nodes[i], &plan->ends[i], name, err));
    }
    for (int i = 0; i < s->n_members; i++) {
        FB_TRY(fb_structure_add_member(plan, i, err));
    }
    return fb_arena_has_failed(plan->arena) ? fb_fail_memory(err) : FB_OK;
}

static FbStatus fail_with_first(const FbDiagnostics* diagnostics, FbError* err) {
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(diagnostics, i);
        if (d->severity == FB_SEVERE) {
            return fb_fail(err, d->status, &d->place, "%s", d->text);
        }
    }
    return fb_fail_memory(err);
}

FbStatus fb_model_def_add_structure(FbModelDef* def, const FbStructureDef* s, FbError* err) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    if (!diagnostics) {
        return fb_fail_memory(err);
    }
    FbStructurePlan plan;
    FbStructureDef chosen = *s;
    FbStatus choice = fb_structures_choose_theory(def, &chosen, 1);
    FbStatus status = fb_structure_plan(def, &chosen, diagnostics, &plan);
    status = status >= 0 && choice < 0 ? choice : status;
    if (status >= 0) {
        status = fb_structure_expand(&plan, err);
    } else {
        status = fail_with_first(diagnostics, err);
    }
    fb_structure_plan_free(&plan);
    fb_diagnostics_destroy(diagnostics);
    return status;
}
