// The output of `flyball bench`: a readable table, one JSON document, or a CSV file.
#include "bench_report.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine.h"
#include "record/csv.h"
#include "record/json_pair.h"
#include "terminal.h"

void print_table_header(void) {
    printf("%-12s %9s %9s  %-4s %10s %8s  %-10s %s\n", "case", "error", "limit", "pass", "CPU [s]",
           "steps", "integrator", "quantity");
    fflush(stdout);
}

static const char* color(const char* code) {
    return stream_has_color(STDOUT_FILENO) ? code : "";
}

void print_table_row(const CaseOutcome* c) {
    const FbBenchOutcome* o = &c->outcome;
    bool has_several = c->info.n_measures > 1;
    printf("%-12s %9.2g %9.2g  %s%-4s%s %10.4f %8ld  %-10s %s%s%s\n", c->info.name, o->error,
           o->limit, color(o->is_within ? "\033[32m" : "\033[1;31m"), o->is_within ? "yes" : "NO",
           color("\033[0m"), o->stats.cpu_s, o->stats.steps,
           o->stats.integrator[0] != '\0' ? o->stats.integrator : "-", c->info.quantity,
           has_several ? "; worst: " : "", has_several ? o->worst_name : "");
    fflush(stdout);
}

void print_table_end(const CaseOutcome* outcomes, int n) {
    int n_within = 0;
    double cpu_s = 0.0;
    for (int i = 0; i < n; i++) {
        n_within += outcomes[i].outcome.is_within;
        cpu_s += outcomes[i].outcome.stats.cpu_s;
    }
    printf("%d of %d cases within their limits, %.4f s of processor time\n", n_within, n, cpu_s);
}

static void write_verdict(FbJson* json, double error, double limit, bool is_within) {
    fb_json_pair_number(json, "error", error);
    fb_json_pair_number(json, "limit", limit);
    fb_json_pair_bool(json, "pass", is_within);
}

static void get_measure(const CaseOutcome* c, int k, FbBenchMeasure* m) {
    fb_bench_run_get_measure(c->run, k, m);
    if (c->is_untimed && strcmp(m->kind, "linearization-time") == 0) {
        m->error = 0.0;
    }
}

static void write_measures(FbJson* json, const CaseOutcome* c) {
    fb_json_key(json, "measures");
    fb_json_begin_array(json);
    for (int k = 0; k < c->info.n_measures; k++) {
        FbBenchMeasure m;
        get_measure(c, k, &m);
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", m.name);
        fb_json_pair_text(json, "kind", m.kind);
        write_verdict(json, m.error, m.limit, m.is_within);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_case(FbJson* json, const CaseOutcome* c) {
    const FbBenchOutcome* o = &c->outcome;
    const FbRunStats* s = &o->stats;
    fb_json_begin_object(json);
    fb_json_pair_text(json, "case", c->info.name);
    fb_json_pair_text(json, "title", c->info.title);
    fb_json_pair_text(json, "quantity", c->info.quantity);
    write_verdict(json, o->error, o->limit, o->is_within);
    fb_json_pair_number(json, "wall_s", s->wall_s);
    fb_json_pair_number(json, "cpu_s", s->cpu_s);
    fb_json_pair_number(json, "load_s", o->load_s);
    fb_json_pair_integer(json, "steps", s->steps);
    fb_json_pair_integer(json, "rejected", s->rejected);
    fb_json_pair_integer(json, "rhs_evals", s->rhs_evals);
    fb_json_pair_integer(json, "jacobian_evals", s->jacobian_evals);
    fb_json_pair_integer(json, "factorizations", s->factorizations);
    fb_json_pair_text(json, "integrator", s->integrator);
    fb_json_pair_number(json, "rtol", s->rtol);
    fb_json_pair_number(json, "atol", s->atol);
    fb_json_pair_number(json, "max_constraint_error", s->max_constraint_error);
    write_measures(json, c);
    fb_json_pair_text(json, "failure", o->failure[0] != '\0' ? o->failure : NULL);
    fb_json_end_object(json);
}

int print_bench_document(const CaseOutcome* outcomes, int n) {
    Document document;
    char machine[512];
    describe_machine(machine, sizeof machine);
    begin_document(&document);
    fb_json_begin_object(&document.json);
    fb_json_pair_text(&document.json, "machine", machine);
    fb_json_pair_text(&document.json, "version", fb_version());
    fb_json_key(&document.json, "cases");
    fb_json_begin_array(&document.json);
    for (int i = 0; i < n; i++) {
        write_case(&document.json, &outcomes[i]);
    }
    fb_json_end_array(&document.json);
    fb_json_end_object(&document.json);
    return print_document(&document);
}

static void write_csv_row(FbCsvWriter* writer, const CaseOutcome* c, int k) {
    const FbRunStats* s = &c->outcome.stats;
    FbBenchMeasure m;
    get_measure(c, k, &m);
    const double numbers[] = {s->rtol,
                              s->atol,
                              s->cpu_s,
                              s->wall_s,
                              c->outcome.load_s,
                              (double)s->steps,
                              (double)s->rejected,
                              (double)s->rhs_evals,
                              (double)s->jacobian_evals,
                              (double)s->factorizations};
    fb_csv_writer_add_text(writer, c->info.name);
    fb_csv_writer_add_text(writer, m.name);
    fb_csv_writer_add_text(writer, c->info.quantity);
    fb_csv_writer_add_number(writer, m.error);
    fb_csv_writer_add_number(writer, m.limit);
    fb_csv_writer_add_text(writer, m.is_within ? "yes" : "no");
    fb_csv_writer_add_text(writer, s->integrator);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fb_csv_writer_add_number(writer, numbers[i]);
    }
    fb_csv_writer_end_row(writer);
}

FbStatus write_bench_csv(const char* path, const CaseOutcome* outcomes, int n, FbError* err) {
    static const char* const header[][2] = {
        {"case", ""},          {"measure", ""},  {"quantity", ""},   {"error", ""},
        {"limit", ""},         {"pass", ""},     {"integrator", ""}, {"rtol", ""},
        {"atol", ""},          {"cpu", "s"},     {"wall", "s"},      {"load", "s"},
        {"steps", ""},         {"rejected", ""}, {"rhs_evals", ""},  {"jacobian_evals", ""},
        {"factorizations", ""}};
    FbCsvWriter writer;
    FB_TRY(fb_csv_writer_open(&writer, path, err));
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
        fb_csv_writer_add_name(&writer, header[i][0], header[i][1]);
    }
    fb_csv_writer_end_row(&writer);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < outcomes[i].info.n_measures; k++) {
            write_csv_row(&writer, &outcomes[i], k);
        }
    }
    return fb_csv_writer_close(&writer, err);
}

static int print_case_document(const BenchCases* cases) {
    Document document;
    begin_document(&document);
    fb_json_begin_object(&document.json);
    fb_json_key(&document.json, "cases");
    fb_json_begin_array(&document.json);
    for (int i = 0; i < cases->n_cases; i++) {
        FbBenchInfo info;
        fb_bench_case_get_info(cases->cases[i], &info);
        fb_json_begin_object(&document.json);
        fb_json_pair_text(&document.json, "case", info.name);
        fb_json_pair_text(&document.json, "title", info.title);
        fb_json_pair_text(&document.json, "quantity", info.quantity);
        fb_json_pair_text(&document.json, "source", info.source);
        fb_json_end_object(&document.json);
    }
    fb_json_end_array(&document.json);
    fb_json_end_object(&document.json);
    return print_document(&document);
}

int print_case_list(const Options* options, const BenchCases* cases) {
    if (options->is_json) {
        return print_case_document(cases);
    }
    for (int i = 0; i < cases->n_cases; i++) {
        FbBenchInfo info;
        fb_bench_case_get_info(cases->cases[i], &info);
        printf("%-12s %s\n", info.name, info.title);
    }
    return EXIT_OK;
}
