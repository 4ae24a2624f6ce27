// Reads the damping of structures of every kind: Rayleigh's factors, a ratio at two frequencies, or
// a ratio of every mode.
#include <math.h>

#include "describe/structure_table.h"
#include "read/field.h"

// Rayleigh damping with the ratio z at the frequencies a and b: alpha/(2 w) + beta w/2 = z.
static void set_rayleigh(FbReader* r, const FbNode* node, const FbFrameDamping* d, FbRatios out) {
    double a = d->between[0], b = d->between[1];
    if (!(a > 0.0 && b > a)) {
        fb_report(r, FB_ERR_RANGE, node->line, node->col,
                  "between is [%g, %g] rad/s; it must be two frequencies > 0, the lower one first",
                  a, b);
        return;
    }
    *out.alpha = 2.0 * d->ratio * a * b / (a + b);
    *out.beta = 2.0 * d->ratio / (a + b);
}

void fb_read_damping(FbReader* r, const FbNode* map, FbRatios out) {
    static const char* const others[] = {"between", NULL};
    FbTable table = {"'damping'", fb_frame_damping_table.fields, fb_frame_damping_table.n_fields,
                     others};
    FbFrameDamping d = {NAN, NAN, NAN, {NAN, NAN}};
    FbOrigin origin;
    if (!map) {
        return;
    }
    fb_fill_origin(r, map, map->line, map->col, &origin);
    if (!fb_read_table(r, map, &table, &d, &origin)) {
        return;
    }
    const FbNode* between = fb_node_get(map, "between");
    bool has_rayleigh = !isnan(d.alpha) || !isnan(d.beta), has_ratio = !isnan(d.ratio);
    if (has_rayleigh == has_ratio || (between && !has_ratio)) {
        fb_report(r, FB_ERR_MODEL, map->line, map->col,
                  "damping is written {alpha: .., beta: ..}, {ratio: .., between: [f1, f2]} or "
                  "{ratio: ..}");
    } else if (has_rayleigh) {
        *out.alpha = isnan(d.alpha) ? 0.0 : d.alpha;
        *out.beta = isnan(d.beta) ? 0.0 : d.beta;
    } else if (!between) {
        *out.ratio = d.ratio;
    } else if (fb_read_numbers(r, between, "between", "rad/s", 2, d.between)) {
        set_rayleigh(r, between, &d, out);
    }
}
