// `flyball equilibrium`: where a model rests or moves steadily, what holds it there, and whether it
// is stable.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flyball/force.h"
#include "flyball/sensor.h"
#include "lowest.h"
#include "operating.h"
#include "record/json_pair.h"
#include "terminal.h"

// Relative to |lambda|: growth above it is more than what rounding makes of an undamped, possibly
// defective, pair.
static const double GROWTH = 1e-7;
// Up to this size eigenvalues are cheap and give the growth rate too; beyond it, definiteness of
// the matrices decides.
enum { FEW_FREEDOMS = 60 };

typedef enum Verdict {
    VERDICT_STABLE,
    VERDICT_UNSTABLE,
    VERDICT_FREE,
    VERDICT_RIGID,
    VERDICT_OPEN
} Verdict;
static const char* const verdict_names[] = {"stable", "unstable", "free motions", "immobile",
                                            "undecided"};

typedef struct Finding {
    const Options* options;
    const LoadedModel* loaded;
    FbOperatingPoint* point;
    int n_own;       // outputs of the model file; those that follow are reactions and forces
    double* values;  // of all outputs
    Verdict verdict;
    double growth;  // largest real part of a physical eigenvalue, 1/s
    int n_free;     // rigid-body eigenvalues
} Finding;

// Reactions of all joints and forces of all springs as outputs named "part.reaction" and the like.
// Names that the model has taken are left to it.
static FbStatus add_named(FbModelDef* def, const char* part, const char* kind, FbSensorDef* sensor,
                          FbError* err) {
    FbText name;
    fb_text_init(&name);
    fb_text_addf(&name, "%s.%s", part, kind);
    sensor->name = name.data;
    FbStatus status =
        name.has_failed ? fb_fail_memory(err) : fb_model_def_add_sensor(def, sensor, err);
    fb_text_free(&name);
    return status == FB_ERR_NAME ? FB_OK : status;
}

static FbStatus add_reaction(FbModelDef* def, const char* joint, const char* type, FbError* err) {
    FbReactionSensorDef sensor = fb_reaction_sensor_def_default(type);
    sensor.joint = joint;
    return add_named(def, joint, type, &sensor.head, err);
}

static FbStatus add_tension(FbModelDef* def, const char* spring, FbError* err) {
    FbText expression;
    fb_text_init(&expression);
    fb_text_addf(&expression, "%s.force", spring);
    FbExpressionSensorDef sensor = fb_expression_sensor_def_default();
    sensor.value = expression.data;
    FbStatus status = expression.has_failed ? fb_fail_memory(err)
                                            : add_named(def, spring, "tension", &sensor.head, err);
    fb_text_free(&expression);
    return status;
}

static FbStatus add_holding_forces(FbModelDef* def, FbError* err) {
    for (int j = 0; j < fb_model_def_get_joint_count(def); j++) {
        const char* name = fb_model_def_get_joint(def, j)->name;
        FB_TRY(add_reaction(def, name, "reaction", err));
        FB_TRY(add_reaction(def, name, "reaction_torque", err));
    }
    for (int f = 0; f < fb_model_def_get_force_count(def); f++) {
        const FbForceDef* force = fb_model_def_get_force(def, f);
        if (strcmp(force->type, "spring") == 0) {
            FB_TRY(add_tension(def, force->name, err));
        }
    }
    return FB_OK;
}

// The output "part.kind" or the number of them, whichever is less.
static int find_earlier_output(const FbModel* model, const char* part, const char* kind, int n) {
    FbText name;
    fb_text_init(&name);
    fb_text_addf(&name, "%s.%s", part, kind);
    int at = name.has_failed ? -1 : fb_model_find_output(model, name.data);
    fb_text_free(&name);
    return at >= 0 && at < n ? at : n;
}

// The first output that add_holding_forces made.
static int count_own_outputs(const FbModel* model, const FbModelDef* def) {
    int n = fb_model_get_output_count(model);
    for (int j = 0; j < fb_model_def_get_joint_count(def); j++) {
        n = find_earlier_output(model, fb_model_def_get_joint(def, j)->name, "reaction.x", n);
    }
    for (int f = 0; f < fb_model_def_get_force_count(def); f++) {
        n = find_earlier_output(model, fb_model_def_get_force(def, f)->name, "tension", n);
    }
    return n;
}

static void judge_mode(Finding* f, const FbMode* mode) {
    f->n_free += mode->class_ == FB_MODE_RIGID_BODY;
    if (mode->class_ == FB_MODE_PHYSICAL) {
        f->growth = fmax(f->growth, mode->re);
        if (mode->re > GROWTH * hypot(mode->re, mode->im)) {
            f->verdict = VERDICT_UNSTABLE;
        }
    }
}

// For a large model only the lowest modes are examined and, where stiffness alone decides, the
// result of the search for unstable ones among the others. Stability cannot be asserted then.
static FbStatus judge_large(Finding* f, bool is_damped, FbError* err) {
    enum { SEEN_MODES = 10 };
    FbLowestOptions options = fb_lowest_options_default();
    FbLowest* lowest = NULL;
    options.count = SEEN_MODES;
    options.is_damped = is_damped;
    FbStatus status = fb_modes_lowest(f->point, &options, &lowest, err);
    if (status < 0) {
        return status == FB_ERR_UNAVAILABLE || status == FB_ERR_CONVERGENCE ? FB_OK : status;
    }
    FbLowestInfo info;
    fb_lowest_get_info(lowest, &info);
    f->n_free = 0;
    for (int k = 0; k < fb_lowest_get_count(lowest); k++) {
        judge_mode(f, fb_lowest_get_mode(lowest, k));
    }
    if (info.unstable_rate > 0.0) {
        f->growth = fmax(f->growth, info.unstable_rate);
        f->verdict = VERDICT_UNSTABLE;
    }
    fb_lowest_destroy(lowest);
    return FB_OK;
}

static FbStatus judge(Finding* f, FbError* err) {
    FbOperatingInfo info;
    fb_operating_point_get_info(f->point, &info);
    FbModelInfo model;
    fb_model_get_info(f->loaded->model, &model);
    if (info.degrees_of_freedom == 0 && model.n_states == 0) {
        f->verdict = VERDICT_RIGID;
        return FB_OK;
    }
    bool is_stable = false;
    if (info.degrees_of_freedom > FEW_FREEDOMS) {
        FB_TRY(fb_operating_point_check_stable(f->point, &is_stable, err));
    }
    if (is_stable) {
        f->verdict = VERDICT_STABLE;
        f->growth = NAN;
        return FB_OK;
    }
    if (has_many_freedoms(f->point)) {
        f->verdict = VERDICT_OPEN;
        FB_TRY(judge_large(f, false, err));
        return judge_large(f, true, err);
    }
    FbLinearOptions options = fb_linear_options_default();
    FbLinearization* l = NULL;
    FbStatus status = fb_linearization_create(f->point, &options, &l, err);
    if (status >= 0) {
        status = fb_linearization_run(l, err);
    }
    f->verdict = VERDICT_STABLE;
    for (int k = 0; status >= 0 && k < fb_linearization_get_mode_count(l); k++) {
        judge_mode(f, fb_linearization_get_mode(l, k));
    }
    if (f->verdict == VERDICT_STABLE && f->n_free > 0) {
        f->verdict = VERDICT_FREE;
    }
    fb_linearization_destroy(l);
    return status;
}

static void print_verdict(const Finding* f) {
    switch (f->verdict) {
        case VERDICT_STABLE:
            printf("verdict      stable\n");
            break;
        case VERDICT_UNSTABLE:
            printf("verdict      unstable: disturbances grow at %.6g 1/s\n", f->growth);
            break;
        case VERDICT_FREE:
            printf("verdict      free motions: %d eigenvalue%s of motions that no force resists\n",
                   f->n_free, f->n_free == 1 ? "" : "s");
            break;
        case VERDICT_RIGID:
            printf("verdict      immobile: no degree of freedom\n");
            break;
        case VERDICT_OPEN:
            printf(
                "verdict      undecided: no unstable mode was found, but only the lowest modes of "
                "this large model were examined\n");
            break;
    }
}

static void print_outputs(const Finding* f, const char* title, int from, int to) {
    const FbModel* model = f->loaded->model;
    if (from < to) {
        printf("\n%s\n", title);
    }
    for (int i = from; i < to; i++) {
        printf("  %-32s %22.15g %s%s\n", fb_model_get_output_name(model, i),
               f->values[i] + 0.0,  // no negative zeros
               fb_model_get_output_unit(model, i),
               fb_operating_point_is_unique(f->point, i) ? "" : " (not unique)");
    }
}

static void print_finding(const Finding* f) {
    FbModelInfo model;
    FbOperatingInfo info;
    fb_model_get_info(f->loaded->model, &model);
    fb_operating_point_get_info(f->point, &info);
    printf("model        %s\n", model.name);
    print_verdict(f);
    printf("solution     %d Newton iteration%s, %d relaxation step%s\n", info.iterations,
           info.iterations == 1 ? "" : "s", info.relaxations, info.relaxations == 1 ? "" : "s");
    print_point(f->options, f->point, ALL_COORDINATES);
    print_outputs(f, "outputs", 0, f->n_own);
    print_outputs(f, "reactions of joints on their second body, tension of springs", f->n_own,
                  fb_model_get_output_count(f->loaded->model));
    if (info.n_redundant_rows > 0) {
        printf("  %d constraint row%s redundant, so some reactions are not unique.\n",
               info.n_redundant_rows, info.n_redundant_rows == 1 ? " is" : "s are");
    }
}

static void write_outputs(FbJson* json, const Finding* f, const char* key, int from, int to) {
    fb_json_key(json, key);
    fb_json_begin_object(json);
    for (int i = from; i < to; i++) {
        fb_json_pair_number(json, fb_model_get_output_name(f->loaded->model, i), f->values[i]);
    }
    fb_json_end_object(json);
}

static void write_not_unique(FbJson* json, const Finding* f) {
    const FbModel* model = f->loaded->model;
    fb_json_key(json, "not_unique");
    fb_json_begin_array(json);
    for (int i = 0; i < fb_model_get_output_count(model); i++) {
        if (!fb_operating_point_is_unique(f->point, i)) {
            fb_json_string(json, fb_model_get_output_name(model, i));
        }
    }
    fb_json_end_array(json);
}

static int print_finding_document(const Finding* f) {
    Document document;
    FbOperatingInfo info;
    fb_operating_point_get_info(f->point, &info);
    begin_document(&document);
    FbJson* json = &document.json;
    fb_json_begin_object(json);
    fb_json_pair_text(json, "model", f->loaded->path);
    fb_json_pair_text(json, "model_sha256", f->loaded->sha256);
    fb_json_pair_text(json, "version", fb_version());
    fb_json_pair_text(json, "verdict", verdict_names[f->verdict]);
    fb_json_pair_number(json, "growth_rate", f->growth);
    fb_json_pair_integer(json, "free_eigenvalues", f->n_free);
    fb_json_pair_integer(json, "redundant_rows", info.n_redundant_rows);
    write_point_pairs(json, f->options, f->point);
    write_outputs(json, f, "outputs", 0, f->n_own);
    write_outputs(json, f, "forces", f->n_own, fb_model_get_output_count(f->loaded->model));
    write_not_unique(json, f);
    fb_json_end_object(json);
    return print_document(&document);
}

static int print_answer(Finding* f) {
    int n = fb_model_get_output_count(f->loaded->model);
    FbError err;
    FbStatus status = FB_OK;
    f->n_own = count_own_outputs(f->loaded->model, f->loaded->def);
    f->values = malloc(sizeof(double) * (size_t)(n + 1));
    if (f->values == NULL) {
        status = fb_fail_memory(&err);
    }
    if (status >= 0) {
        status = fb_operating_point_calc_outputs(f->point, f->values, &err);
    }
    if (status >= 0) {
        status = judge(f, &err);
    }
    int code = EXIT_OK;
    if (status < 0) {
        code = report_failure(f->options, f->loaded->path, &err);
    } else if (f->options->is_json) {
        code = print_finding_document(f);
    } else {
        print_finding(f);
    }
    free(f->values);
    return code;
}

int cmd_equilibrium(const Options* options) {
    LoadedModel loaded;
    Finding finding = {.options = options, .loaded = &loaded, .growth = -INFINITY};
    int code = load_model_with(options, options->operands[0], add_holding_forces, &loaded);
    if (code == EXIT_OK) {
        code = find_operating_point(options, &loaded, &finding.point);
    }
    if (code == EXIT_OK) {
        code = print_answer(&finding);
    }
    fb_operating_point_destroy(finding.point);
    free_model(&loaded);
    return code;
}
