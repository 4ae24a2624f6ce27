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

void print_table_row(const CaseOutcome* o) {
    const BenchCase* c = o->bench_case;
    const MeasureOutcome* m = &o->measures[o->worst];
    bool has_several = c->n_measures > 1;
    printf("%-12s %9.2g %9.2g  %s%-4s%s %10.4f %8ld  %-10s %s%s%s\n", c->name, m->error, m->limit,
           color(o->is_passed ? "\033[32m" : "\033[1;31m"), o->is_passed ? "yes" : "NO",
           color("\033[0m"), o->stats.cpu_s, o->stats.steps,
           o->integrator[0] != '\0' ? o->integrator : "-", c->quantity,
           has_several ? "; worst: " : "", has_several ? c->measures[o->worst].name : "");
    fflush(stdout);
}

void print_table_end(const CaseOutcome* outcomes, int n) {
    int n_passed = 0;
    double cpu_s = 0.0;
    for (int i = 0; i < n; i++) {
        n_passed += outcomes[i].is_passed;
        cpu_s += outcomes[i].stats.cpu_s;
    }
    printf("%d of %d cases within their limits, %.4f s of processor time\n", n_passed, n, cpu_s);
}

static void write_verdict(FbJson* json, const MeasureOutcome* m, bool is_passed) {
    fb_json_pair_number(json, "error", m->error);
    fb_json_pair_number(json, "limit", m->limit);
    fb_json_pair_bool(json, "pass", is_passed);
}

static void write_measures(FbJson* json, const CaseOutcome* o) {
    fb_json_key(json, "measures");
    fb_json_begin_array(json);
    for (int k = 0; k < o->bench_case->n_measures; k++) {
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", o->bench_case->measures[k].name);
        fb_json_pair_text(json, "kind", measure_kind_names[o->bench_case->measures[k].kind]);
        write_verdict(json, &o->measures[k], o->measures[k].is_passed);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_case(FbJson* json, const CaseOutcome* o) {
    const FbRunStats* s = &o->stats;
    fb_json_begin_object(json);
    fb_json_pair_text(json, "case", o->bench_case->name);
    fb_json_pair_text(json, "title", o->bench_case->title);
    fb_json_pair_text(json, "quantity", o->bench_case->quantity);
    write_verdict(json, &o->measures[o->worst], o->is_passed);
    fb_json_pair_number(json, "wall_s", s->wall_s);
    fb_json_pair_number(json, "cpu_s", s->cpu_s);
    fb_json_pair_number(json, "load_s", o->load_s);
    fb_json_pair_integer(json, "steps", s->steps);
    fb_json_pair_integer(json, "rejected", s->rejected);
    fb_json_pair_integer(json, "rhs_evals", s->rhs_evals);
    fb_json_pair_integer(json, "jacobian_evals", s->jacobian_evals);
    fb_json_pair_integer(json, "factorizations", s->factorizations);
    fb_json_pair_text(json, "integrator", o->integrator);
    fb_json_pair_number(json, "rtol", s->rtol);
    fb_json_pair_number(json, "atol", s->atol);
    fb_json_pair_number(json, "max_constraint_error", s->max_constraint_error);
    write_measures(json, o);
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

static void write_csv_row(FbCsvWriter* writer, const CaseOutcome* o, int k) {
    const FbRunStats* s = &o->stats;
    const double numbers[] = {s->rtol,
                              s->atol,
                              s->cpu_s,
                              s->wall_s,
                              o->load_s,
                              (double)s->steps,
                              (double)s->rejected,
                              (double)s->rhs_evals,
                              (double)s->jacobian_evals,
                              (double)s->factorizations};
    fb_csv_writer_add_text(writer, o->bench_case->name);
    fb_csv_writer_add_text(writer, o->bench_case->measures[k].name);
    fb_csv_writer_add_text(writer, o->bench_case->quantity);
    fb_csv_writer_add_number(writer, o->measures[k].error);
    fb_csv_writer_add_number(writer, o->measures[k].limit);
    fb_csv_writer_add_text(writer, o->measures[k].is_passed ? "yes" : "no");
    fb_csv_writer_add_text(writer, o->integrator);
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
        for (int k = 0; k < outcomes[i].bench_case->n_measures; k++) {
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
        const BenchCase* c = &cases->cases[i];
        fb_json_begin_object(&document.json);
        fb_json_pair_text(&document.json, "case", c->name);
        fb_json_pair_text(&document.json, "title", c->title);
        fb_json_pair_text(&document.json, "quantity", c->quantity);
        fb_json_pair_text(&document.json, "source", c->source);
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
        printf("%-12s %s\n", cases->cases[i].name, cases->cases[i].title);
    }
    return EXIT_OK;
}
