// Reports of benchmark cases and examples, and the landing page that leads to them.
#include "bench_pages.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "bench_methods.h"
#include "bench_run.h"
#include "machine.h"
#include "run_report.h"
#include "study/bench_measure.h"
#include "terminal.h"
#include "view/index.h"
#include "view/thumbnail.h"

// Rows of the runs that are shown; fewer with many bodies, because each row holds the poses of all.
enum {
    SHOWN_ROWS = 1000,
    FEWER_ROWS = 400,
    MANY_BODIES = 20,
    MAX_REFERENCES = 32,
    SPARK_POINTS = 400
};

typedef struct Pages {
    const Options* options;
    FbArena* arena;
    FbIndexItem* items;  // cases, then examples
    int n_cases, n_examples;
    char machine[512];
    char created[32];
} Pages;

// One case while its report is made.
typedef struct CasePage {
    const FbBenchCase* c;
    LoadedModel loaded, other;
    FbResult *result, *other_result;
    FbReportMeasure* measures;  // [n_measures]
    FbReportReference references[MAX_REFERENCES];
    int n_references;
} CasePage;

static const char* page_path(const Pages* p, const char* file) {
    return fb_arena_format(p->arena, "%s/%s", p->options->report, file);
}

static bool has_reference(const CasePage* page, const char* output) {
    for (int i = 0; i < page->n_references; i++) {
        if (strcmp(page->references[i].output, output) == 0) {
            return true;
        }
    }
    return page->n_references == MAX_REFERENCES;
}

// Leaves out the samples that the measure leaves out: known outliers of the reference.
static void skip_samples(const FbCaseMeasure* m, FbReportReference* r) {
    double *times = (double*)r->times, *values = (double*)r->values;  // our own copies
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        bool is_skipped = false;
        for (int k = 0; k < m->n_skip_times; k++) {
            is_skipped = is_skipped || fabs(times[i] - m->skip_times[k]) <= FB_SAME_TIME;
        }
        if (!is_skipped) {
            times[n] = times[i];
            values[n++] = values[i];
        }
    }
    r->n = n;
}

// Columns of the measure's table, under the names of the outputs that they belong to.
static FbStatus add_table(const Pages* p, CasePage* page, const FbCaseMeasure* m, FbError* err) {
    FbSamples table = {0};
    FB_TRY(fb_samples_read_csv(&table, m->reference, err));
    int n = 0;
    for (int k = 0; n >= 0 && k < m->n_outputs; k++) {
        FbReportReference* found;
        int column = fb_samples_find(&table, m->columns[k]);
        if (column < 0 || has_reference(page, m->outputs[k])) {
            continue;
        }
        table.names[column] = m->outputs[k];
        n = find_references(&table, &m->outputs[k], 1, p->arena, &found);
        if (n > 0) {
            skip_samples(m, &found[0]);
            page->references[page->n_references++] = found[0];
        }
    }
    fb_samples_free(&table);
    return n < 0 ? fb_fail_memory(err) : FB_OK;
}

// An output of the measure's other model.
static FbStatus add_other(const Pages* p, CasePage* page, const FbCaseMeasure* m, FbError* err) {
    const FbModel* model = fb_result_get_model(page->other_result);
    int n = fb_result_get_row_count(page->other_result);
    for (int k = 0; k < m->n_outputs; k++) {
        int column = fb_model_find_output(model, m->outputs[k]);
        if (column < 0 || has_reference(page, m->outputs[k])) {
            continue;
        }
        double* times = FB_TAKE(p->arena, double, n + 1);
        double* values = FB_TAKE(p->arena, double, n + 1);
        if (times == NULL || values == NULL) {
            return fb_fail_memory(err);
        }
        for (int i = 0; i < n; i++) {
            times[i] = fb_result_get_time(page->other_result, i);
            values[i] = fb_result_get_value(page->other_result, i, column);
        }
        page->references[page->n_references++] =
            (FbReportReference){m->outputs[k], times, values, n};
    }
    return FB_OK;
}

static int count_rows(const FbModel* model) {
    FbModelInfo info;
    fb_model_get_info(model, &info);
    return info.n_bodies > MANY_BODIES ? FEWER_ROWS : SHOWN_ROWS;
}

// The unit of a measure: its own, or that of the output that it is of.
static const char* unit_of(const FbCaseMeasure* m, const FbModel* model) {
    static const struct {
        FbCaseMeasureKind kind;
        const char* unit;
    } units[] = {{FB_CASE_REL_RMS, "relative"},
                 {FB_CASE_OF_RANGE, "of the range"},
                 {FB_CASE_ENERGY_SPREAD, "%"},
                 {FB_CASE_EVENT_TIMES, "s"},
                 {FB_CASE_DAMPING, ""},
                 {FB_CASE_DAMPING_AT_LEAST, ""},
                 {FB_CASE_ORDER, ""},
                 {FB_CASE_PENALTY_ORDER, ""},
                 {FB_CASE_FREQUENCIES, "relative"},
                 {FB_CASE_EIGENVALUES, "1/s"},
                 {FB_CASE_LINEARIZATION_TIME, "s"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (units[i].kind == m->kind) {
            return units[i].unit;
        }
    }
    int output = m->n_outputs > 0 ? fb_model_find_output(model, m->outputs[0]) : -1;
    const char* unit = output >= 0 ? fb_model_get_output_unit(model, output) : NULL;
    return unit != NULL && strcmp(unit, "1") != 0 ? unit : "";
}

// "corner [m]"
static const char* name_with_unit(const Pages* p, const char* name, const char* unit) {
    return unit[0] ? fb_arena_format(p->arena, "%s [%s]", name, unit) : name;
}

// As the table has it.
static void copy_measure(const Pages* p, CasePage* page, const CaseOutcome* o, int k) {
    FbBenchMeasure m;
    fb_bench_run_get_measure(o->run, k, &m);
    const char* unit = unit_of(&page->c->measures[k], page->loaded.model);
    page->measures[k] =
        (FbReportMeasure){name_with_unit(p, m.name, unit), m.error, m.limit, m.is_within};
}

// The errors of the very run that the report shows.
static FbStatus measure(const Pages* p, CasePage* page, const CaseOutcome* o, int k, FbError* err) {
    const FbCaseMeasure* m = &page->c->measures[k];
    if (m->run >= 0 || m->kind == FB_CASE_ORDER) {  // of models that the report does not show
        copy_measure(p, page, o, k);
        return FB_OK;
    }
    if (m->other != NULL && page->other_result == NULL) {
        int rows = fb_result_get_row_count(page->result) - 1;
        int code = run_case_model(p->options, page->c, m->other, rows, &page->other,
                                  &page->other_result, err);
        if (code != EXIT_OK) {
            return err->status < 0 ? err->status : FB_ERR_MODEL;
        }
    }
    FbReportMeasure* out = &page->measures[k];
    const char* name =
        fb_arena_format(p->arena, "%s (%s)", m->name, fb_case_measure_names[m->kind]);
    out->name = name_with_unit(p, name, unit_of(m, page->loaded.model));
    FbBenchMeasure measured;
    fb_bench_run_get_measure(o->run, k, &measured);
    out->limit = measured.limit;
    FB_TRY(fb_case_calc_measure(m, page->result, page->other_result, &out->error, err));
    out->is_passed = isnan(out->limit) ? !isnan(out->error) : out->error <= out->limit;
    if (m->reference != NULL) {
        FB_TRY(add_table(p, page, m, err));
    }
    return m->other != NULL ? add_other(p, page, m, err) : FB_OK;
}

static void keep_spark(const Pages* p, const FbResult* result, const char* output,
                       FbIndexItem* item) {
    int column = output != NULL ? fb_model_find_output(fb_result_get_model(result), output) : 0;
    int n_rows = fb_result_get_row_count(result);
    int n = n_rows < SPARK_POINTS ? n_rows : SPARK_POINTS;
    double* xy = FB_TAKE(p->arena, double, 2 * n + 1);
    if (column < 0 || fb_result_get_column_count(result) == 0 || xy == NULL || n < 2) {
        return;
    }
    for (int i = 0; i < n; i++) {
        int row = (int)((long long)i * (n_rows - 1) / (n - 1));
        xy[2 * i] = fb_result_get_time(result, row);
        xy[2 * i + 1] = fb_result_get_value(result, row, column);
    }
    const char* name = fb_model_get_output_name(fb_result_get_model(result), column);
    item->curve = (FbSeries){.name = fb_arena_text(p->arena, name),
                             .times = xy,
                             .values = xy + 1,
                             .time_stride = 2,
                             .value_stride = 2,
                             .n = n};
}

static FbStatus write_case(const Pages* p, CasePage* page, const CaseOutcome* o, FbIndexItem* item,
                           FbError* err) {
    const FbBenchCase* c = page->c;
    ReportContext context;
    FbReportOptions options;
    for (int k = 0; k < c->n_measures; k++) {
        FB_TRY(measure(p, page, o, k, err));
    }
    const FbCaseMeasure* first = &c->measures[0];
    keep_spark(p, page->result, first->n_outputs > 0 ? first->outputs[0] : NULL, item);
    FbStatus status = init_report(&context, &page->loaded, &options, err);
    if (status >= 0) {
        options.title = c->title;
        options.source = c->source;
        options.overview = "index.html";
        options.measures = page->measures;
        options.n_measures = c->n_measures;
        options.references = page->references;
        options.n_references = page->n_references;
        status = fb_report_write_run(page->result, &options, page_path(p, item->link), err);
    }
    free_report(&context);
    return status;
}

// A linearized case: its modes, and the errors as the table has them.
static void keep_thumbnail(const Pages* p, char* svg, FbIndexItem* item) {
    item->thumbnail = svg != NULL ? fb_arena_text(p->arena, svg) : NULL;
    fb_free(svg);
}

static FbStatus write_linear_case(const Pages* p, CasePage* page, const CaseOutcome* o,
                                  FbIndexItem* item, FbError* err) {
    const FbBenchCase* c = page->c;
    ReportContext context;
    FbReportOptions options;
    FbStatus status = init_report(&context, &page->loaded, &options, err);
    for (int k = 0; k < c->n_measures; k++) {
        copy_measure(p, page, o, k);
    }
    options.title = c->title;
    options.source = c->source;
    options.overview = "index.html";
    options.measures = page->measures;
    options.n_measures = c->n_measures;
    if (status >= 0) {
        char* svg;
        status =
            write_methods_page(&page->loaded, c, &options, page_path(p, item->link), &svg, err);
        keep_thumbnail(p, svg, item);
    }
    free_report(&context);
    return status;
}

// All measures of a case, as the table of the program has them.
static void add_measures(const Pages* p, const CaseOutcome* o, const FbModel* model,
                         FbIndexItem* item) {
    FbIndexMeasure* list = FB_TAKE(p->arena, FbIndexMeasure, o->info.n_measures + 1);
    for (int k = 0; list != NULL && k < o->info.n_measures; k++) {
        FbBenchMeasure m;
        fb_bench_run_get_measure(o->run, k, &m);
        const char* unit = unit_of(&o->bench_case->measures[k], model);
        list[k] = (FbIndexMeasure){.name = m.name,
                                   .unit = fb_arena_text(p->arena, unit),
                                   .error = m.error,
                                   .limit = m.limit,
                                   .is_passed = m.is_within};
    }
    item->measures = list;
    item->n_measures = list != NULL ? o->info.n_measures : 0;
}

static int show_case(const Pages* p, const CaseOutcome* o, FbIndexItem* item) {
    const FbBenchCase* c = o->bench_case;
    CasePage page = {.c = c, .measures = FB_TAKE(p->arena, FbReportMeasure, c->n_measures + 1)};
    FbError err = {0};
    FbStatus status = page.measures != NULL ? FB_OK : fb_fail_memory(&err);
    int code = status < 0 ? EXIT_COMPUTATION
                          : load_case_model(p->options, c, c->model, &page.loaded, &err);
    if (code == EXIT_OK && o->info.is_linear) {
        status = write_linear_case(p, &page, o, item, &err);
    } else if (code == EXIT_OK) {
        int rows = count_rows(page.loaded.model);
        free_model(&page.loaded);
        code = run_case_model(p->options, c, c->model, rows, &page.loaded, &page.result, &err);
        status = code == EXIT_OK ? write_case(p, &page, o, item, &err) : FB_OK;
    }
    if (status < 0) {
        print_error(&err);
        code = exit_code_of(status);
    }
    if (page.loaded.model != NULL) {
        add_measures(p, o, page.loaded.model, item);
    }
    if (page.result != NULL) {
        keep_thumbnail(p, fb_thumbnail_create(page.result, THUMB_WIDTH, THUMB_HEIGHT), item);
    }
    fb_result_destroy(page.result);
    fb_result_destroy(page.other_result);
    free_model(&page.loaded);
    free_model(&page.other);
    return code;
}

static FbIndexItem make_item(const Pages* p, const CaseOutcome* o) {
    const FbBenchOutcome* outcome = &o->outcome;
    return (FbIndexItem){
        .link = fb_arena_format(p->arena, "%s.html", o->info.name),
        .name = o->info.name,
        .title = o->info.title,
        .note = outcome->failure,
        .is_passed = outcome->is_within,
        .cpu_s = outcome->stats.cpu_s,
        .steps = outcome->stats.steps,
        .integrator = o->info.is_linear ? "linearization" : outcome->stats.integrator};
}

static FbStatus write_example(const Pages* p, const LoadedModel* loaded, const FbResult* result,
                              FbIndexItem* item, FbError* err) {
    FbModelInfo info;
    fb_model_get_info(loaded->model, &info);
    const FbRunStats* s = fb_result_get_stats(result);
    int freedom = fb_result_get_assembly(result)->degrees_of_freedom;
    item->name = fb_arena_text(p->arena, info.name);
    item->title = fb_arena_text(p->arena, info.title != NULL ? info.title : info.name);
    item->link = fb_arena_format(p->arena, "%s.html", info.name);
    item->note = fb_arena_format(p->arena, "%d bod%s, %d degree%s of freedom; %g s in %.3g ms",
                                 info.n_bodies, info.n_bodies == 1 ? "y" : "ies", freedom,
                                 freedom == 1 ? "" : "s", s->t_end - s->t_start, 1e3 * s->cpu_s);
    if (fb_arena_has_failed(p->arena)) {
        return fb_fail_memory(err);
    }
    keep_spark(p, result, NULL, item);
    keep_thumbnail(p, fb_thumbnail_create(result, THUMB_WIDTH, THUMB_HEIGHT), item);
    RunViews views = {.report_path = page_path(p, item->link), .overview = "index.html"};
    return write_run_views(loaded, result, &views, err);
}

static int show_example(const Pages* p, const char* path, FbIndexItem* item) {
    Options plain = {.is_quiet = p->options->is_quiet};
    LoadedModel loaded;
    FbResult* result = NULL;
    FbError err = {0};
    int code = load_model(&plain, path, &loaded);
    if (code == EXIT_OK) {
        ProgressBar bar;
        init_progress(&bar, base_name(path), p->options->is_quiet);
        FbRunOptions run = fb_run_options_default(loaded.model);
        refine_samples(&run.settings, count_rows(loaded.model));
        run.record_poses = true;
        run.progress = show_progress;
        run.progress_self = &bar;
        FbStatus status = fb_simulate(loaded.model, &run, &result, &err);
        end_progress(&bar);
        if (status >= 0) {
            status = write_example(p, &loaded, result, item, &err);
        }
        if (status < 0) {
            print_error(&err);
        }
        code = exit_code_of(status);
    }
    fb_result_destroy(result);
    free_model(&loaded);
    return code;
}

static int write_index(const Pages* p) {
    FbIndexPage page = {.title = "Flyball: multibody dynamics",
                        .version = fb_version(),
                        .machine = p->machine,
                        .created = p->created,
                        .cases = p->items,
                        .n_cases = p->n_cases,
                        .examples = p->items + p->n_cases,
                        .n_examples = p->n_examples};
    const char* path = page_path(p, "index.html");
    FbError err;
    FbStatus status = path != NULL && !fb_arena_has_failed(p->arena)
                          ? fb_index_write(&page, path, &err)
                          : fb_fail_memory(&err);
    if (status < 0) {
        print_error(&err);
    } else if (!p->options->is_quiet) {
        int n = p->n_examples;
        for (int i = 0; i < p->n_cases; i++) {
            n += p->items[i].link != NULL;
        }
        print_note("wrote %d report%s and %s", n, n == 1 ? "" : "s", path);
    }
    return exit_code_of(status);
}

// Cases whose report could not be made are in the table without a link.
static int show_all(Pages* p, const CaseOutcome* outcomes, int n) {
    int code = EXIT_OK;
    for (int i = 0; i < n && !is_interrupted(); i++) {
        FbIndexItem* item = &p->items[p->n_cases++];
        *item = make_item(p, &outcomes[i]);
        int one = show_case(p, &outcomes[i], item);
        item->link = one == EXIT_OK ? item->link : NULL;
        code = code == EXIT_OK ? one : code;
    }
    for (int i = 0; i < p->options->examples.n && !is_interrupted(); i++) {
        FbIndexItem* item = &p->items[p->n_cases + p->n_examples];
        int one = show_example(p, p->options->examples.items[i], item);
        p->n_examples += one == EXIT_OK;
        code = code == EXIT_OK ? one : code;
    }
    int written = write_index(p);
    return is_interrupted() ? EXIT_INTERRUPTED : code == EXIT_OK ? written : code;
}

int write_bench_pages(const Options* options, const CaseOutcome* outcomes, int n) {
    Pages pages = {.options = options, .arena = fb_arena_create()};
    if (pages.arena != NULL) {
        pages.items = FB_TAKE(pages.arena, FbIndexItem, n + options->examples.n + 1);
    }
    if (pages.items == NULL) {
        fb_arena_destroy(pages.arena);
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    describe_machine(pages.machine, sizeof pages.machine);
    describe_now(pages.created, sizeof pages.created);
    int code = show_all(&pages, outcomes, n);
    fb_arena_destroy(pages.arena);
    return code;
}
