// A law through given points: a C2 cubic spline (not-a-knot, or periodic) or straight pieces.
//
// Before its first and after its last point a table that is not periodic continues linearly with
// its rate there.
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "law/law.h"
#include "law/spline.h"

typedef struct Table {
    int n;
    double *times, *values;
    double* m;  // second derivatives at the points; zero for straight pieces
    bool is_linear, is_periodic;
} Table;

// The ends of a closed table may differ by this fraction of its largest value.
static const double CLOSING_TOLERANCE = 1e-9;

static FbStatus check_times(const FbTableLawDef* def, FbError* err) {
    int least = def->is_periodic && !def->is_linear ? 4 : 2;
    if (def->n_points < least) {
        return fb_fail(err, FB_ERR_RANGE, &def->head.origin.place,
                       "the table of law '%s' has %d points; it needs at least %d", def->head.name,
                       def->n_points, least);
    }
    for (int i = 0; i < def->n_points; i++) {
        if (!isfinite(def->times[i]) || !isfinite(def->values[i])) {
            return fb_fail(err, FB_ERR_RANGE, &def->head.origin.place,
                           "point %d of law '%s' is not finite", i + 1, def->head.name);
        }
        if (i > 0 && !(def->times[i] > def->times[i - 1])) {
            return fb_fail(err, FB_ERR_RANGE, &def->head.origin.place,
                           "times of law '%s' must increase, but %.17g s is followed by %.17g s",
                           def->head.name, def->times[i - 1], def->times[i]);
        }
    }
    return FB_OK;
}

static FbStatus check_closed(const FbTableLawDef* def, FbError* err) {
    double largest = 0.0, first = def->values[0], last = def->values[def->n_points - 1];
    for (int i = 0; i < def->n_points; i++) {
        largest = fmax(largest, fabs(def->values[i]));
    }
    if (def->is_periodic && !(fabs(last - first) <= CLOSING_TOLERANCE * largest)) {
        return fb_fail(err, FB_ERR_RANGE, &def->head.origin.place,
                       "law '%s' is periodic, but its last value %.17g differs from its first, "
                       "%.17g; add a closing point",
                       def->head.name, last, first);
    }
    return FB_OK;
}

static FbStatus build(const FbLawDef* head, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err) {
    const FbTableLawDef* def = (const FbTableLawDef*)head;
    (void)resolve;
    (void)self;
    FB_TRY(check_times(def, err));
    FB_TRY(check_closed(def, err));
    int n = def->n_points;
    Table* table = FB_TAKE(arena, Table, 1);
    double* memory = FB_TAKE(arena, double, 3 * n);
    if (table == NULL || memory == NULL) {
        return fb_fail_memory(err);
    }
    *table = (Table){n, memory, memory + n, memory + 2 * n, def->is_linear, def->is_periodic};
    memcpy(table->times, def->times, sizeof(double) * (size_t)n);
    memcpy(table->values, def->values, sizeof(double) * (size_t)n);
    bool is_built = true;
    if (!def->is_linear) {
        is_built = (def->is_periodic ? fb_spline_periodic : fb_spline_not_a_knot)(
            n, table->times, table->values, arena, table->m);
    }
    law->data = table;
    return is_built ? FB_OK : fb_fail_memory(err);
}

// The i with times[i] <= t < times[i + 1], within 0 ... n - 2.
static int find_piece(const Table* table, double t) {
    int low = 0, high = table->n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (t >= table->times[middle]) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// t moved into the table's period; *turns periods were taken away.
static double wrap(const Table* table, double t, double* turns) {
    double start = table->times[0], period = table->times[table->n - 1] - start;
    *turns = table->is_periodic ? floor((t - start) / period) : 0.0;
    return t - *turns * period;
}

static void calc(const FbLaw* law, double t, double out[3]) {
    const Table* table = law->data;
    double turns, inside = wrap(table, t, &turns);
    double clipped = fmin(fmax(inside, table->times[0]), table->times[table->n - 1]);
    fb_spline_calc(table->times, table->values, table->m, find_piece(table, clipped), clipped, out);
    if (clipped != inside || (inside == table->times[table->n - 1] && !table->is_periodic)) {
        out[0] += out[1] * (inside - clipped);
        out[2] = 0.0;
    }
}

// Straight pieces have corners at all points, a spline that is not periodic at its two ends.
static double next_break(const FbLaw* law, double t) {
    const Table* table = law->data;
    if (!table->is_linear) {
        const double ends[2] = {table->times[0], table->times[table->n - 1]};
        return table->is_periodic ? INFINITY : fb_law_first_after(ends, 2, t);
    }
    if (!table->is_periodic) {
        return fb_law_first_after(table->times + 1, table->n - 2, t);
    }
    double turns;
    double inside = wrap(table, t, &turns);
    double period = table->times[table->n - 1] - table->times[0];
    for (int k = 0; k < 2; k++) {
        for (int i = find_piece(table, inside) * (k == 0); i < table->n; i++) {
            double corner = table->times[i] + (turns + k) * period;
            if (fb_law_first_after(&corner, 1, t) == corner) {
                return corner;
            }
        }
    }
    return INFINITY;
}

static int roughness(const FbLaw* law) {
    const Table* table = law->data;
    if (table->is_linear) {
        return table->n > 2 || table->is_periodic ? 1 : 3;
    }
    return table->is_periodic ? 3 : 2;
}

static const FbField fields[] = {
    {.key = "times",
     .kind = FB_FIELD_REALS,
     .offset = offsetof(FbTableLawDef, times),
     .offset2 = offsetof(FbTableLawDef, n_points),
     .unit = "s",
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "The times of the points, increasing."},
    {.key = "values",
     .kind = FB_FIELD_REALS,
     .offset = offsetof(FbTableLawDef, values),
     .offset2 = offsetof(FbTableLawDef, n_points),
     .unit = "",
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "The values at these times, as many as there are times."},
    {.key = "interpolation",
     .kind = FB_FIELD_CHOICE,
     .offset = offsetof(FbTableLawDef, is_linear),
     .unit = "",
     .default_text = "spline",
     .is_optional = true,
     .choices = "spline|linear",
     .doc = "A smooth cubic spline, or straight lines with corners at the points."},
    {.key = "periodic",
     .kind = FB_FIELD_BOOL,
     .offset = offsetof(FbTableLawDef, is_periodic),
     .unit = "",
     .default_text = "false",
     .is_optional = true,
     .doc = "Repeat the table forever; its last value must equal its first."},
};

FbTableLawDef fb_table_law_def_default(void) {
    FbTableLawDef def;
    fb_type_fill(&fb_law_table.info, &def);
    return def;
}

const FbLawType fb_law_table = {
    .info = {.name = "table",
             .doc = "A value through given points, smoothly or along straight lines; beyond its "
                    "ends it continues linearly, or it repeats.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbTableLawDef)},
    .build = build,
    .calc = calc,
    .next_break = next_break,
    .roughness = roughness,
};
