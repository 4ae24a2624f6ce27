// Beam elements as parts: forces, blocks, mass, energies and powers of those with large rotations,
// and the loads, momenta, section forces and stresses of all.
//
// What linear elements contribute to the equations is in the constant matrices
// (linear_structures.c).
#include <math.h>
#include <string.h>

#include "system/block.h"
#include "system/part.h"
#include "system/port.h"

static void apply_beam(FbSystem* s, const FbBeamElement* e) {
    FbPort port[2];
    FbPortForces out;
    memset(out.f, 0, sizeof(out.f));
    fb_beam_realize_ports(s, e, port);
    fb_beam_add_elastic(&e->beam, port, false, &out, NULL, NULL);
    fb_beam_add_inertia(&e->beam, port, false, &out, NULL, NULL);
    fb_port_push(s, &e->end[0], out.f);
    fb_port_push(s, &e->end[1], out.f + 6);
}

static void apply(FbSystem* s, const FbPoint* p, const double* a) {
    const FbModel* m = s->m;
    (void)a;
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (!e->is_linear) {
            apply_beam(s, e);
        }
        if (fb_beam_has_load(e)) {
            fb_beam_apply_load(s, p, e);
        }
    }
}

static void add_beam_blocks(FbSystem* s, const FbBeamElement* e, FbBlocks* b) {
    FbPort port[2];
    FbPortForces out;
    memset(&out, 0, sizeof(out));
    fb_beam_realize_ports(s, e, port);
    fb_beam_add_elastic(&e->beam, port, true, &out, NULL, NULL);
    fb_beam_add_inertia(&e->beam, port, true, &out, NULL, NULL);
    FbColumns c = fb_ports_calc_columns(s, &e->base.path, &e->end[0], &e->end[1], false);
    fb_columns_add(s, &c, out.M, out.C, out.K, b);
    fb_ports_add_geometric(s, &e->base.path, &e->end[0], &e->end[1], out.f, b->K);
}

static void add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    const FbModel* m = s->m;
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (!e->is_linear) {
            add_beam_blocks(s, e, b);
        }
        if (fb_beam_has_load(e)) {
            fb_beam_add_load_blocks(s, p, e, b);
        }
    }
}

// Line loads on linear elements that depend on time.
static void add_load(FbSystem* s, const FbPoint* p, double* r) {
    for (int i = 0; i < s->linear.n_loaded; i++) {
        const FbBeamElement* e = &s->m->beams[s->linear.loaded[i]];
        double f[FB_BEAM_DOF];
        FbColumns columns = fb_beam_field_columns(e);
        fb_beam_calc_load(s, p, e, f);
        fb_columns_add_force(&columns, 1.0, f, r);
    }
}

static void add_mass(FbSystem* s, const double* q, double* M) {
    const FbModel* m = s->m;
    FbBlocks b = {.M = M};
    (void)q;
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (e->is_linear) {
            continue;
        }
        FbPort port[2];
        double mass[FB_BEAM_DOF * FB_BEAM_DOF] = {0};
        fb_beam_realize_ports(s, e, port);
        fb_beam_add_mass(&e->beam, port, mass);
        FbColumns c = fb_ports_calc_columns(s, &e->base.path, &e->end[0], &e->end[1], true);
        fb_columns_add(s, &c, mass, NULL, NULL, &b);
    }
}

static void add_energies(FbSystem* s, const FbPoint* p, double* kinetic, double* potential) {
    const FbModel* m = s->m;
    (void)p;
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (e->is_linear) {
            continue;
        }
        FbPort port[2];
        FbPortForces out;
        FbBeamSums sums;
        double T = 0.0, U = 0.0;
        memset(out.f, 0, sizeof(out.f));
        FbVec3 origin = fb_beam_realize_ports(s, e, port);
        fb_beam_add_elastic(&e->beam, port, false, &out, &U, NULL);
        fb_beam_add_inertia(&e->beam, port, false, &out, &T, NULL);
        fb_beam_calc_sums(&e->beam, port, &sums);
        FbVec3 first = fb_axpy(sums.mass, origin, sums.first_moment);
        *kinetic += T;
        *potential += U - fb_dot(m->tree.gravity, first);
    }
}

static void add_momenta(FbSystem* s, const FbPoint* p, FbMomenta* sums) {
    const FbModel* m = s->m;
    (void)p;
    for (int i = 0; i < m->n_beams; i++) {
        FbPort port[2];
        FbBeamSums own;
        FbVec3 origin = fb_beam_realize_ports(s, &m->beams[i], port);
        fb_beam_calc_sums(&m->beams[i].beam, port, &own);
        FbVec3 orbital = fb_cross(origin, own.momentum);
        sums->mass += own.mass;
        sums->momentum = fb_add(sums->momentum, own.momentum);
        sums->angular_momentum =
            fb_add(sums->angular_momentum, fb_add(own.angular_momentum, orbital));
        sums->first_moment =
            fb_add(sums->first_moment, fb_axpy(own.mass, origin, own.first_moment));
    }
}

static void add_powers(FbSystem* s, const FbPoint* p, double* supplied, double* dissipated) {
    const FbModel* m = s->m;
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (fb_beam_has_load(e)) {
            *supplied += fb_beam_calc_load_power(s, p, e);
        }
        if (e->is_linear || (e->beam.alpha == 0.0 && e->beam.beta == 0.0)) {
            continue;
        }
        FbPort port[2];
        FbPortForces out;
        double elastic = 0.0, mass = 0.0;
        memset(out.f, 0, sizeof(out.f));
        fb_beam_realize_ports(s, e, port);
        fb_beam_add_elastic(&e->beam, port, false, &out, NULL, &elastic);
        fb_beam_add_inertia(&e->beam, port, false, &out, NULL, &mass);
        *dissipated += elastic + mass;
    }
}

// Of linear beams, whose damping is in the matrices of the structure.
static bool has_far_powers(const FbSystem* s) {
    for (int i = 0; i < s->m->n_beams; i++) {
        if (fb_beam_has_load(&s->m->beams[i])) {
            return true;
        }
    }
    return false;
}

// Section forces, or the stresses that follow from them: axial with bending at the farthest edges,
// shear of torsion, and the two together (von Mises).
static double calc_signal(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    const FbBeamElement* e = &s->m->beams[signal->index];
    double f[6];
    fb_beam_calc_section(s, p, e, signal->at, f);
    if (signal->output == FB_BEAM_OUTPUT_SECTION) {
        return f[signal->component];
    }
    // EI and EA carry the same modulus, so I = A EI/EA.
    double Iy = e->area * e->beam.EIy / e->beam.EA, Iz = e->area * e->beam.EIz / e->beam.EA;
    double axial = fabs(f[0]) / e->area;
    axial += f[4] != 0.0 ? fabs(f[4]) * e->edge_z / Iy : 0.0;
    axial += f[5] != 0.0 ? fabs(f[5]) * e->edge_y / Iz : 0.0;
    double shear = f[3] != 0.0 ? fabs(f[3]) / e->torsion_modulus : 0.0;
    const double values[3] = {axial, shear, sqrt(axial * axial + 3.0 * shear * shear)};
    return values[signal->component];
}

static int count(const FbModel* m) {
    return m->n_beams;
}

const FbPartKind fb_part_beams = {
    .name = "beam",
    .has_no_memory = true,
    .count = count,
    .has_inertia = true,
    .apply = apply,
    .move_to_links = fb_beams_move_to_links,
    .add_blocks = add_blocks,
    .add_mass = add_mass,
    .check_linear = fb_beams_check_linear,
    .add_load = add_load,
    .add_energies = add_energies,
    .add_momenta = add_momenta,
    .add_powers = add_powers,
    .has_far_powers = has_far_powers,
    .calc_signal = calc_signal,
};
