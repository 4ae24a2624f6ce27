// The lowest modes of a large model: found as the command line asks, and what is known about the
// list.
#include "lowest.h"

#include <math.h>
#include <string.h>

#include "record/json_pair.h"
#include "terminal.h"

static const double TWO_PI = 6.283185307179586;
// From here on finding all modes takes seconds, growing with the cube of the number.
enum { MANY_FREEDOMS = 400 };

FbStatus find_lowest(const Options* o, FbOperatingPoint* point, FbLowest** out, FbError* err) {
    FbLowestOptions options = fb_lowest_options_default();
    options.count = o->lowest;
    options.is_damped = !o->is_undamped;
    options.has_shift = !isnan(o->shift_hz);
    double omega = options.has_shift ? TWO_PI * o->shift_hz : 0.0;
    options.shift = options.is_damped ? 0.0 : omega * omega;
    options.shift_im = options.is_damped ? omega : 0.0;
    return fb_modes_lowest(point, &options, out, err);
}

static double get_highest(const FbLowest* lowest) {
    double highest = 0.0;
    for (int k = 0; k < fb_lowest_get_count(lowest); k++) {
        highest = fmax(highest, fb_lowest_get_mode(lowest, k)->frequency_hz);
    }
    return highest;
}

// A basis that spans all degrees of freedom needs no search for missed modes.
static bool is_whole(const FbLowestInfo* info) {
    return info->is_complete && isinf(info->reach);
}

static double to_hz(double square) {
    return square > 0.0 ? sqrt(square) / TWO_PI : 0.0;
}

// What Sylvester's law of inertia says about the list.
static void print_count(const Options* o, const FbLowestInfo* info) {
    bool has_shift = !isnan(o->shift_hz);
    double low = has_shift ? info->shift - info->counted : 0.0;
    double high = has_shift ? info->shift + info->counted : info->counted;
    printf("%s: inertia counts %d mode%s ", info->is_complete ? "complete" : "incomplete",
           info->n_counted, info->n_counted == 1 ? "" : "s");
    if (low > 0.0) {
        printf("between %.10g and %.10g Hz", to_hz(low), to_hz(high));
    } else {
        printf("below %.10g Hz", to_hz(high));
    }
}

static void print_completeness(const Options* o, const FbLowest* lowest, const FbLowestInfo* info) {
    if (info->counted > 0.0) {
        print_count(o, info);
    } else if (is_whole(info)) {
        printf("complete: all degrees of freedom were searched");
    } else if (info->is_complete && isnan(o->shift_hz)) {
        printf("complete: a second search found no other mode up to %.10g Hz", get_highest(lowest));
    } else if (info->is_complete) {
        printf("complete: a second search found no other mode nearer to %.10g Hz", o->shift_hz);
    } else if (info->reach > 0.0) {
        printf("possibly incomplete: a second search could not rule out other modes");
    } else {
        printf("not checked: other modes may lie between these");
    }
}

void print_lowest_info(const Options* o, const FbLowest* lowest) {
    FbLowestInfo info;
    fb_lowest_get_info(lowest, &info);
    int n = fb_lowest_get_count(lowest);
    printf("\nlist         ");
    print_completeness(o, lowest, &info);
    if (info.n_recovered > 0) {
        printf("; a second search found %d of them", info.n_recovered);
    }
    printf("\nsearch       %d factorization%s, %d solves; shift moved away from modes %d time%s\n",
           info.n_factorizations, info.n_factorizations == 1 ? "" : "s", info.n_solves,
           info.n_shift_moves, info.n_shift_moves == 1 ? "" : "s");
    if (n < o->lowest) {
        printf("fewer        %d modes were requested, but there are only %d\n", o->lowest, n);
    }
    if (info.unstable_rate > 0.0) {
        printf("unstable     a mode outside the list grows at %.6g 1/s\n", info.unstable_rate);
    }
}

void write_lowest_info(FbJson* json, const Options* o, const FbLowest* lowest) {
    FbLowestInfo info;
    fb_lowest_get_info(lowest, &info);
    fb_json_key(json, "lowest");
    fb_json_begin_object(json);
    fb_json_pair_integer(json, "asked", o->lowest);
    fb_json_pair_bool(json, "is_complete", info.is_complete);
    fb_json_pair_bool(json, "is_checked", info.reach > 0.0 || info.counted > 0.0);
    fb_json_pair_bool(json, "is_counted", info.counted > 0.0);
    fb_json_pair_integer(json, "counted", info.n_counted);
    fb_json_pair_number(json, "counted_to", info.counted > 0.0 ? info.counted : NAN);
    fb_json_pair_integer(json, "recovered", info.n_recovered);
    fb_json_pair_number(json, "unstable_rate", info.unstable_rate > 0.0 ? info.unstable_rate : NAN);
    fb_json_pair_number(json, "shift_re", info.shift);
    fb_json_pair_number(json, "shift_im", info.shift_im);
    fb_json_pair_text(json, "shift_unit", o->is_undamped ? "rad^2/s^2" : "1/s");
    fb_json_pair_integer(json, "shift_moves", info.n_shift_moves);
    fb_json_pair_integer(json, "factorizations", info.n_factorizations);
    fb_json_pair_integer(json, "solves", info.n_solves);
    fb_json_end_object(json);
}

bool has_many_freedoms(const FbOperatingPoint* point) {
    FbOperatingInfo info;
    fb_operating_point_get_info(point, &info);
    return info.degrees_of_freedom > MANY_FREEDOMS;
}

void note_size(const Options* o, const FbOperatingPoint* point) {
    FbOperatingInfo info;
    fb_operating_point_get_info(point, &info);
    if (o->lowest == 0 && has_many_freedoms(point) && !o->is_quiet) {
        print_note(
            "the model has %d degrees of freedom, and finding all modes takes a long time; "
            "'flyball modes --lowest 20' finds the lowest 20 quickly",
            info.degrees_of_freedom);
    }
}
