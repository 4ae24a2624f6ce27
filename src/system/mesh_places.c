// Stresses at places of superelements: sums of displacements and loads, and the equivalent stress
// (eqs. 12.16 to 12.18).
#include <math.h>

#include "system/part.h"
#include "system/port.h"

enum { STRESSES = 6 };  // then the equivalent stress, then the section forces of shells

static double calc_value(FbSystem* s, const FbPoint* p, const FbMeshPlace* place, int index) {
    const FbMeshValue* value = &place->values[index];
    double sum = value->constant;
    for (int k = 0; k < value->n; k++) {
        sum += value->row[k] * fb_displacement(s->m, p->q, value->v[k]);
    }
    for (int l = 0; l < place->n_loads; l++) {
        int function = s->m->mesh_loads[place->first_load + l].function;
        if (value->by_load[l] != 0.0) {
            sum += value->by_load[l] * fb_function_calc(s, p, function, 0.0, 0.0);
        }
    }
    return sum;
}

// Von Mises.
static double calc_equivalent(const double t[STRESSES]) {
    double a = t[0] - t[1], b = t[1] - t[2], c = t[2] - t[0];
    double shear = t[3] * t[3] + t[4] * t[4] + t[5] * t[5];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * shear);
}

static double calc_signal(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    const FbMeshPlace* place = &s->m->mesh_places[signal->index];
    if (signal->component != STRESSES) {
        int index = signal->component - (signal->component > STRESSES);
        return calc_value(s, p, place, index);
    }
    double t[STRESSES];
    for (int i = 0; i < STRESSES; i++) {
        t[i] = calc_value(s, p, place, i);
    }
    return calc_equivalent(t);
}

// The one of its loads that nests deepest: they are evaluated one after the other.
static void find_functions(const FbModel* m, const FbSignal* signal, int functions[3]) {
    const FbMeshPlace* place = &m->mesh_places[signal->index];
    int deepest = 0;
    functions[0] = functions[1] = functions[2] = -1;
    for (int l = 0; l < place->n_loads; l++) {
        int function = m->mesh_loads[place->first_load + l].function;
        int depth = fb_function_depth(m, function);
        if (depth > deepest) {
            deepest = depth;
            functions[0] = function;
        }
    }
}

static int count(const FbModel* m) {
    return m->n_mesh_places;
}

const FbPartKind fb_part_mesh_places = {
    .name = "stress",
    .has_no_memory = true,
    .count = count,
    .calc_signal = calc_signal,
    .find_functions = find_functions,
};
