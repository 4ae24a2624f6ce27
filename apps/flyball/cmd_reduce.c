// `flyball reduce`: the structures of a model that say `reduce`, as small matrices for other
// models; by one process, or by those of mpirun together.
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "folder.h"
#include "load.h"
#include "mpi_ranks.h"
#include "read/read.h"
#include "record/json_pair.h"
#include "record/reduced_files.h"
#include "terminal.h"

typedef struct Reducing {
    const Options* options;
    const FbReducer* reducer;  // NULL: alone
    FbReducer shared;
    Document document;
    int n_structures;
} Reducing;

static double frequency_of(double square) {
    return sqrt(fmax(square, 0.0)) / (2.0 * 3.14159265358979323846);
}

static void describe_json(FbJson* json, const FbReducedStructure* s) {
    fb_json_begin_object(json);
    fb_json_pair_text(json, "name", s->s->name);
    fb_json_pair_integer(json, "coordinates", s->n_whole);
    fb_json_pair_integer(json, "node_coordinates", s->r->n_boundary);
    fb_json_key(json, "held_modes_hz");
    fb_json_begin_array(json);
    for (int i = 0; i < s->r->n_modes; i++) {
        fb_json_number(json, frequency_of(s->r->squares[i]));
    }
    fb_json_end_array(json);
    fb_json_end_object(json);
}

static void describe(Reducing* r, const FbReducedStructure* s) {
    const FbReduced* reduced = s->r;
    if (r->options->is_json) {
        describe_json(&r->document.json, s);
        return;
    }
    printf("%-19s coordinates %d, reduced to %d of nodes and %d modes", s->s->name, s->n_whole,
           reduced->n_boundary, reduced->n_modes);
    if (reduced->n_modes > 0) {
        printf(" from %.6g to %.6g Hz with the nodes held", frequency_of(reduced->squares[0]),
               frequency_of(reduced->squares[reduced->n_modes - 1]));
    }
    printf("\n");
}

// Called while the model is read.
static FbStatus take(void* self, const FbReducedStructure* structure, FbError* err) {
    Reducing* r = self;
    r->n_structures++;
    if (r->reducer && r->reducer->rank > 0) {
        return FB_OK;
    }
    describe(r, structure);
    if (!r->options->is_quiet && (structure->n_loads > 0 || structure->n_places > 0)) {
        print_warning(
            "the loads and stresses of structure '%s' are not written: matrices have "
            "none",
            structure->s->name);
    }
    FB_TRY(make_folder(r->options->output, err));
    return fb_reduced_write(r->options->output, structure, err);
}

static FbStatus read_model(Reducing* r, LoadedModel* loaded) {
    FbReduction reduction = {.reducer = r->reducer, .self = r, .take = take};
    FbReadOptions options = {.overrides = r->options->overrides,
                             .n_overrides = r->options->n_overrides,
                             .reduction = &reduction};
    return fb_model_def_read_file(loaded->path, &options, &loaded->def, loaded->diagnostics);
}

static int finish(Reducing* r, double start) {
    double memory_mb = r->reducer ? r->reducer->measure_memory(r->reducer->self) : 0.0;
    int n_ranks = r->reducer ? r->reducer->n_ranks : 1;
    double wall_s = fb_clock_wall_s() - start;
    if (r->reducer && r->reducer->rank > 0) {
        return EXIT_OK;
    }
    if (r->options->is_json) {
        FbJson* json = &r->document.json;
        fb_json_end_array(json);
        fb_json_pair_integer(json, "processes", n_ranks);
        fb_json_pair_number(json, "wall_s", wall_s);
        if (r->reducer) {
            fb_json_pair_number(json, "memory_mb", memory_mb);
        }
        fb_json_end_object(json);
        return print_document(&r->document);
    }
    if (!r->options->is_quiet && r->reducer) {
        print_note("%d processes, %.1f s, at most %.0f MB each", n_ranks, wall_s, memory_mb);
    }
    return EXIT_OK;
}

static int reduce(Reducing* r) {
    LoadedModel loaded = {.path = r->options->operands[0]};
    double start = fb_clock_wall_s();
    bool is_first = !r->reducer || r->reducer->rank == 0;
    loaded.diagnostics = fb_diagnostics_create();
    begin_document(&r->document);
    fb_json_begin_object(&r->document.json);
    fb_json_key(&r->document.json, "structures");
    fb_json_begin_array(&r->document.json);
    FbStatus status = loaded.diagnostics ? read_model(r, &loaded) : FB_ERR_MEMORY;
    int code = exit_code_of(status);
    if (status < 0 && is_first) {
        code = report_errors(r->options, &loaded, status);
    } else if (status >= 0 && r->n_structures == 0) {
        code = EXIT_MODEL;
        if (is_first) {
            FbError err;
            fb_fail(&err, FB_ERR_MODEL, &(FbPlace){.file = loaded.path},
                    "no structure has 'reduce'; write reduce: {modes: 20} in the one to reduce");
            report_error(r->options, loaded.path, &err);
        }
    } else if (status >= 0) {
        code = finish(r, start);
    }
    if (code != EXIT_OK || !is_first || !r->options->is_json) {
        fb_text_free(&r->document.text);
    }
    free_model(&loaded);
    return code;
}

static int reduce_with_ranks(Reducing* r) {
    FbError err;
    FbStatus status = open_reducer(&r->shared, &err);
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    r->reducer = &r->shared;
    if (r->shared.rank > 0) {
        leave_document_to_others();
    }
    int code = reduce(r);
    fflush(stdout);
    r->shared.close(r->shared.self, code == EXIT_OK);
    return code;
}

int cmd_reduce(const Options* options) {
    Reducing r = {.options = options};
    if (options->output == NULL) {
        return usage_error(options, "give the folder for the matrices with -o");
    }
    return options->is_mpi ? reduce_with_ranks(&r) : reduce(&r);
}
