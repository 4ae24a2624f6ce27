// Triangles of simple solids: surfaces of revolution by bands between rings, boxes, coils.
#include "view/solid.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "math/rotation.h"

enum { AROUND = 32, LATITUDES = 12, COILS = 9, PER_COIL = 16, WIRE = 6 };
static const double pi = 3.14159265358979323846;
static const double LEAD = 0.08;  // part of a coil's length at either end that is straight

void fb_solid_free(FbSolid* solid) {
    free(solid->at);
    free(solid->normal);
    free(solid->corners);
    *solid = (FbSolid){0};
}

static bool grow(void** items, int* capacity, int count, size_t size) {
    return fb_grow(items, capacity, count, size);
}

int fb_solid_add_vertex(FbSolid* s, FbVec3 at, FbVec3 normal) {
    enum { WIDTH = 3 * sizeof(float) };
    if (s->has_failed || !grow((void**)&s->at, &s->at_capacity, s->n_vertices, WIDTH) ||
        !grow((void**)&s->normal, &s->normal_capacity, s->n_vertices, WIDTH)) {
        s->has_failed = true;
        return 0;
    }
    double a[3], n[3], length = fb_norm(normal);
    fb_vec3_to(at, a);
    fb_vec3_to(length > 0.0 ? fb_scale(1.0 / length, normal) : fb_vec3(0.0, 0.0, 1.0), n);
    for (int i = 0; i < 3; i++) {
        s->at[3 * s->n_vertices + i] = (float)a[i];
        s->normal[3 * s->n_vertices + i] = (float)n[i];
    }
    return s->n_vertices++;
}

void fb_solid_add_triangle(FbSolid* s, int a, int b, int c) {
    const int corners[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        if (s->has_failed ||
            !grow((void**)&s->corners, &s->corner_capacity, s->n_corners, sizeof(uint32_t))) {
            s->has_failed = true;
            return;
        }
        s->corners[s->n_corners++] = (uint32_t)corners[i];
    }
}

FbSolidFrame fb_solid_frame(FbVec3 middle, FbVec3 axis) {
    FbSolidFrame out = {.R = fb_mat3_identity(), .p = middle};
    fb_rotation_from_axes(axis, fb_vec3(NAN, NAN, NAN), &out.R);
    return out;
}

// A circle about z, with the direction in which its surface faces.
typedef struct Ring {
    double r, z, out, up;
} Ring;

static int add_ring(FbSolid* s, const FbSolidFrame* f, Ring ring) {
    int first = s->n_vertices;
    for (int k = 0; k < AROUND; k++) {
        double c = cos(2.0 * pi * k / AROUND), d = sin(2.0 * pi * k / AROUND);
        FbVec3 at = fb_vec3(ring.r * c, ring.r * d, ring.z);
        FbVec3 normal = fb_vec3(ring.out * c, ring.out * d, ring.up);
        fb_solid_add_vertex(s, fb_add(f->p, fb_mul3(&f->R, at)), fb_mul3(&f->R, normal));
    }
    return first;
}

// The surface between two rings, the one at the right hand of the way from a to b seen from
// outside; a ring without radius is a point.
static void add_band(FbSolid* s, const FbSolidFrame* f, Ring a, Ring b) {
    int first = add_ring(s, f, a), second = add_ring(s, f, b);
    for (int k = 0; k < AROUND; k++) {
        int next = (k + 1) % AROUND;
        if (a.r > 0.0) {
            fb_solid_add_triangle(s, first + k, first + next, second + k);
        }
        if (b.r > 0.0) {
            fb_solid_add_triangle(s, second + k, first + next, second + next);
        }
    }
}

// A part of a ball about (0, 0, z), from one latitude to another.
static void add_dome(FbSolid* s, const FbSolidFrame* f, double radius, double z, double from,
                     double to) {
    int n = to - from > 0.6 * pi ? LATITUDES : LATITUDES / 2;
    Ring before = {0};
    for (int i = 0; i <= n; i++) {
        double angle = from + (to - from) * i / n, c = cos(angle), d = sin(angle);
        c = fabs(c) < 1e-12 ? 0.0 : c;
        Ring ring = {radius * c, z + radius * d, c, d};
        if (i > 0) {
            add_band(s, f, before, ring);
        }
        before = ring;
    }
}

void fb_solid_add_ball(FbSolid* s, FbVec3 middle, double radius) {
    FbSolidFrame f = {.R = fb_mat3_identity(), .p = middle};
    add_dome(s, &f, radius, 0.0, -pi / 2.0, pi / 2.0);
}

void fb_solid_add_cylinder(FbSolid* s, const FbSolidFrame* f, double radius, double inner,
                           double length) {
    double h = 0.5 * length;
    inner = inner > 0.0 && inner < radius ? inner : 0.0;
    add_band(s, f, (Ring){inner, -h, 0, -1}, (Ring){radius, -h, 0, -1});
    add_band(s, f, (Ring){radius, -h, 1, 0}, (Ring){radius, h, 1, 0});
    add_band(s, f, (Ring){radius, h, 0, 1}, (Ring){inner, h, 0, 1});
    if (inner > 0.0) {
        add_band(s, f, (Ring){inner, h, -1, 0}, (Ring){inner, -h, -1, 0});
    }
}

void fb_solid_add_bar(FbSolid* s, FbVec3 from, FbVec3 to, double radius) {
    FbSolidFrame f = fb_solid_frame(fb_scale(0.5, fb_add(from, to)), fb_sub(to, from));
    double h = 0.5 * fb_norm(fb_sub(to, from));
    add_dome(s, &f, radius, -h, -pi / 2.0, 0.0);
    if (h > 0.0) {
        add_band(s, &f, (Ring){radius, -h, 1, 0}, (Ring){radius, h, 1, 0});
    }
    add_dome(s, &f, radius, h, 0.0, pi / 2.0);
}

void fb_solid_add_cone(FbSolid* s, const FbSolidFrame* f, double radius, double height) {
    double slant = hypot(radius, height);
    Ring base = {radius, 0.0, height / slant, radius / slant};
    add_band(s, f, (Ring){0, 0, 0, -1}, (Ring){radius, 0, 0, -1});
    add_band(s, f, base, (Ring){0.0, height, base.out, base.up});
}

void fb_solid_add_box(FbSolid* s, const FbSolidFrame* f, FbVec3 size) {
    double half[3];
    fb_vec3_to(fb_scale(0.5, size), half);
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, corner[4];
        double side = face % 2 ? -1.0 : 1.0;
        for (int k = 0; k < 4; k++) {
            double at[3], normal[3] = {0.0, 0.0, 0.0};
            at[axis] = side * half[axis];
            at[u] = (k == 1 || k == 2 ? side : -side) * half[u];
            at[v] = (k >= 2 ? 1.0 : -1.0) * half[v];
            normal[axis] = side;
            corner[k] = fb_solid_add_vertex(s, fb_add(f->p, fb_mul3(&f->R, fb_vec3_from(at))),
                                            fb_mul3(&f->R, fb_vec3_from(normal)));
        }
        fb_solid_add_triangle(s, corner[0], corner[1], corner[2]);
        fb_solid_add_triangle(s, corner[0], corner[2], corner[3]);
    }
}

// A seat and a pin at either end of a coil.
static void add_ends(FbSolid* s, double radius, double wire, double thick) {
    for (int side = 0; side < 2; side++) {
        double from = side == 0 ? 0.0 : 1.0, to = side == 0 ? LEAD : 1.0 - LEAD;
        FbSolidFrame pin = {.R = fb_mat3_identity(), .p = fb_vec3(0.0, 0.0, 0.5 * (from + to))};
        FbSolidFrame seat = {.R = fb_mat3_identity(), .p = fb_vec3(0.0, 0.0, to)};
        fb_solid_add_cylinder(s, &pin, wire, 0.0, LEAD);
        fb_solid_add_cylinder(s, &seat, radius + wire, 0.0, thick);
    }
}

// The scale that makes the coil as long as it is stretches the wire too, so it is drawn squeezed.
void fb_solid_add_coil(FbSolid* s, double radius, double wire, double length) {
    int rings = COILS * PER_COIL + 1, first = s->n_vertices;
    double thick = length > 0.0 ? fmin(wire / length, 0.05) : 0.0;
    for (int i = 0; i < rings; i++) {
        double share = (double)i / (rings - 1), angle = 2.0 * pi * COILS * share;
        double c = cos(angle), d = sin(angle), z = LEAD + (1.0 - 2.0 * LEAD) * share;
        for (int k = 0; k < WIRE; k++) {
            double phi = 2.0 * pi * k / WIRE, out = cos(phi), up = sin(phi),
                   r = radius + wire * out;
            fb_solid_add_vertex(s, fb_vec3(r * c, r * d, z + thick * up),
                                fb_vec3(out * c, out * d, up));
            if (i > 0) {
                int v = first + i * WIRE + k, next = k + 1 < WIRE ? 1 : 1 - WIRE;
                fb_solid_add_triangle(s, v - WIRE, v, v - WIRE + next);
                fb_solid_add_triangle(s, v, v + next, v - WIRE + next);
            }
        }
    }
    add_ends(s, radius, wire, thick);
}
