// Structures as wholes: which beams make one up, what they weigh, and the velocities that move it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/part_build.h"

// "f.left" is a member of the structure "f": names of members contain no dots.
static bool is_member_of(const char* member, const char* structure) {
    const char* dot = strrchr(member, '.');
    size_t n = dot ? (size_t)(dot - member) : 0;
    return dot && strlen(structure) == n && memcmp(member, structure, n) == 0;
}

// The beams of a structure follow one another, in the order of the structures.
static void find_beams(FbBuilder* b) {
    int beam = 0;
    for (int i = 0; i < b->m->n_structures; i++) {
        const char* name = b->def->structures[i].name;
        int first = beam, n = b->def->n_beams;
        while (first < n && !is_member_of(b->def->beams[first].member, name)) {
            first++;
        }
        if (first == n) {
            continue;
        }
        FbStructure* s = &b->m->structures[i];
        s->first = first;
        for (beam = first; beam < n && is_member_of(b->def->beams[beam].member, name); beam++) {
            bool is_next = beam > first &&
                           strcmp(b->def->beams[beam].member, b->def->beams[beam - 1].member) == 0;
            s->n_members += !is_next;
        }
        s->n = beam - first;
    }
}

// Nodes and velocities are marked with the number of the structure plus one.
static FbStatus collect(FbModel* m, int index, int* body_mark, int* v_mark) {
    FbStructure* s = &m->structures[index];
    for (int i = s->first; i < s->first + s->n; i++) {
        const FbBeamElement* e = &m->beams[i];
        s->mass += e->beam.mass_per_length * e->beam.length;
        for (int end = 0; end < 2; end++) {
            int body = e->body[end];
            if (body >= 0 && body_mark[body] != index + 1) {
                body_mark[body] = index + 1;
                s->n_nodes++;
            }
        }
        for (int k = 0; k < e->base.path.n; k++) {
            s->n_v += v_mark[e->base.path.v[k]] != index + 1;
            v_mark[e->base.path.v[k]] = index + 1;
        }
    }
    s->v = FB_TAKE(m->arena, int, s->n_v + 1);
    if (!s->v) {
        return FB_ERR_MEMORY;
    }
    for (int v = 0, n = 0; v < m->tree.n_v; v++) {
        if (v_mark[v] == index + 1) {
            s->v[n++] = v;
        }
    }
    return FB_OK;
}

// Joints of a structure's own nodes and hinges are called as it and they are: "f.A", "f.left.to".
static void mark_nodes(FbModel* m, const FbStructure* s) {
    size_t n = strlen(s->name);
    for (int j = 0; j < m->n_joints; j++) {
        const char* name = m->joints[j].name;
        bool is_own = strncmp(name, s->name, n) == 0 && name[n] == '.';
        m->is_node[j] |= is_own;
        m->is_linear_node[j] |= is_own && !s->is_nonlinear;
    }
}

static FbStatus collect_all(FbModel* m) {
    int* marks = calloc((size_t)m->n_bodies + (size_t)m->tree.n_v + 1, sizeof(int));
    FbStatus status = marks ? FB_OK : FB_ERR_MEMORY;
    for (int i = 0; i < m->n_structures && status == FB_OK; i++) {
        status = collect(m, i, marks, marks + m->n_bodies);
    }
    free(marks);
    return status;
}

static void check_modal(FbBuilder* b, const FbStructureDef* def, const FbStructure* s) {
    const char* remedy = "give two frequencies, damping: {ratio: .., between: [f1, f2]}";
    if (s->damping_ratio > 0.0 && s->is_nonlinear) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "damping",
                         "structure '%s' has large rotations, which change its modes; a damping "
                         "ratio for every mode needs `theory: linear`; or %s",
                         s->name, remedy);
    } else if (s->damping_ratio > 0.0 && s->n_v > FB_MOST_MODAL) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "damping",
                         "structure '%s' has %d coordinates; a damping ratio for every mode is for "
                         "up to %d, because it couples all coordinates; %s",
                         s->name, s->n_v, FB_MOST_MODAL, remedy);
    }
}

static FbStatus build(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_structures = b->def->n_structures;
    m->structures = FB_TAKE(m->arena, FbStructure, m->n_structures + 1);
    m->is_node = FB_TAKE(m->arena, bool, m->n_joints + 1);
    m->is_linear_node = FB_TAKE(m->arena, bool, m->n_joints + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_structures; i++) {
        const FbStructureDef* def = &b->def->structures[i];
        FbStructure* s = &m->structures[i];
        s->name = fb_arena_text(m->arena, def->name);
        s->is_nonlinear = def->is_nonlinear;
        s->is_theory_open = def->is_theory_open;
        s->damping_ratio = def->damping_ratio;
        s->place = def->origin.place;
        s->place.file = fb_arena_text(m->arena, def->origin.place.file);
        mark_nodes(m, s);
    }
    if (b->is_absolute) {
        return FB_OK;
    }
    find_beams(b);
    FB_TRY(collect_all(m));
    for (int i = 0; i < m->n_structures; i++) {
        check_modal(b, &b->def->structures[i], &m->structures[i]);
        m->has_work = m->has_work || m->structures[i].damping_ratio > 0.0;
    }
    return FB_OK;
}

const FbPartBuild fb_build_structures = {
    .kind = &fb_part_linear,
    .build = build,
    .add_pattern = fb_modal_damping_add_pattern,
};
