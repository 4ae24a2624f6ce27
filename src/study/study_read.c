// Reads a study file: the model it is about, what varies, what is measured, and the objective.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "linear/mode_set.h"
#include "read/field.h"
#include "read/kept.h"
#include "read/read.h"
#include "study/point.h"
#include "study/samples.h"
#include "study/study_tables.h"

static void read_version(FbStudyReader* r, const FbNode* root) {
    const FbNode* node = fb_node_get(root, "flyball_study");
    double version;
    if (!node) {
        fb_report(&r->base, FB_ERR_MODEL, root->line, root->col,
                  "the format version is missing; begin the file with 'flyball_study: %d'",
                  FB_STUDY_FORMAT);
    } else if (fb_read_number(&r->base, node, "flyball_study", "1", &version) &&
               version != FB_STUDY_FORMAT) {
        fb_report(&r->base, FB_ERR_MODEL, node->line, node->col,
                  "the file has format version %g, but this program reads version %d", version,
                  FB_STUDY_FORMAT);
    }
}

// "studies/a.yaml" and "../m.yaml" -> "studies/../m.yaml"
static const char* resolve_path(FbArena* arena, const char* file, const char* path) {
    const char* slash = strrchr(file, '/');
    if (path[0] == '/' || !slash) {
        return fb_arena_text(arena, path);
    }
    return fb_arena_format(arena, "%.*s/%s", (int)(slash - file), file, path);
}

static const char* stem_of(FbArena* arena, const char* file) {
    const char* slash = strrchr(file, '/');
    const char* base = slash ? slash + 1 : file;
    const char* dot = strrchr(base, '.');
    return fb_arena_text_n(arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static void read_header(FbStudyReader* r, const FbNode* root) {
    FbStudy* s = r->study;
    const FbNode *name = fb_node_get(root, "name"), *title = fb_node_get(root, "title");
    const char* text;
    s->name = stem_of(s->arena, s->file);
    if (name && fb_read_text(&r->base, name, "name", &text)) {
        bool is_good = fb_name_is_valid(text) && !strchr(text, '.');
        if (!is_good) {
            fb_report(&r->base, FB_ERR_NAME, name->line, name->col,
                      "the name '%s' must consist of letters, digits and '_'", text);
        }
        s->name = fb_arena_text(s->arena, text);
    }
    if (title && fb_read_text(&r->base, title, "title", &text)) {
        s->title = fb_arena_text(s->arena, text);
    }
}

// `set` of the file, then the caller's, of which the last one counts.
static void read_overrides(FbStudyReader* r, const FbNode* map, const FbOverride* extra, int n) {
    FbStudy* s = r->study;
    bool is_map = map && map->kind == FB_NODE_MAP;
    if (map && !is_map) {
        fb_report(&r->base, FB_ERR_SYNTAX, map->line, map->col,
                  "'set' must be a map {parameter: value, ...}, but this is %s",
                  fb_node_describe(map));
    }
    int most = (is_map ? map->count : 0) + n;
    FbOverride* all = FB_TAKE(s->arena, FbOverride, most + 1);
    s->overrides = all;
    for (int i = 0; all && is_map && i < map->count; i++) {
        const char* value;
        if (fb_read_text(&r->base, map->entries[i].value, "set", &value)) {
            all[s->n_overrides++] = (FbOverride){fb_arena_text(s->arena, map->entries[i].key),
                                                 fb_arena_text(s->arena, value)};
        }
    }
    for (int i = 0; all && i < n; i++) {
        all[s->n_overrides++] = (FbOverride){fb_arena_text(s->arena, extra[i].name),
                                             fb_arena_text(s->arena, extra[i].value)};
    }
}

static bool read_model_text(FbStudyReader* r, const FbNode* root) {
    FbStudy* s = r->study;
    const FbNode* node = fb_node_get(root, "model");
    const char* path;
    char* text;
    FbError err;
    if (!node) {
        fb_report(&r->base, FB_ERR_MODEL, root->line, root->col,
                  "a study needs 'model': the path of the model file, relative to the folder of "
                  "the study");
        return false;
    }
    if (!fb_read_text(&r->base, node, "model", &path)) {
        return false;
    }
    s->model_path = resolve_path(s->arena, s->file, path);
    if (!s->model_path || fb_read_file(s->model_path, &text, &s->model_size, &err) < 0) {
        if (s->model_path) {
            fb_report(&r->base, FB_ERR_IO, node->line, node->col, "the model %s: %s", s->model_path,
                      err.text);
        }
        return false;
    }
    s->model_text = fb_arena_text_n(s->arena, text, s->model_size);
    free(text);
    return s->model_text != NULL;
}

// Points of a study share what does not depend on their parameters.
static bool keep_parts(FbStudyReader* r) {
    r->study->parsed.kept = fb_kept_create();
    r->base.is_out_of_memory |= !r->study->parsed.kept;
    return r->study->parsed.kept != NULL;
}

// The model at the values of its file and of `set`: for names, and for numbers that use its
// parameters.
static bool read_model(FbStudyReader* r, FbModelDef** def, FbModel** model) {
    FbStudy* s = r->study;
    FbReadOptions options = {.overrides = s->overrides, .n_overrides = s->n_overrides};
    return fb_model_def_read_text(s->model_text, s->model_size, s->model_path, &options, def,
                                  r->base.diagnostics) == FB_OK &&
           fb_parse_model(s->model_text, s->model_size, s->model_path, s->arena, &s->parsed,
                          r->base.diagnostics) &&
           keep_parts(r) && fb_model_create(*def, model, r->base.diagnostics) == FB_OK;
}

static bool add_file(FbSha256* h, const char* path, FbError* err) {
    char block[1 << 14];
    size_t n;
    unsigned long long size = 0;
    FILE* in = fb_input_file_open(path);
    FbPlace place = {.file = path};
    if (!in) {
        fb_fail(err, FB_ERR_IO, &place, "cannot read the file: %s", strerror(errno));
        return false;
    }
    while ((n = fread(block, 1, sizeof block, in)) > 0) {
        fb_sha256_add(h, block, n);
        size += n;
    }
    bool is_good = !ferror(in);
    if (!is_good) {
        fb_fail(err, FB_ERR_IO, &place, "cannot read the file: %s", strerror(errno));
    }
    fclose(in);
    char digits[32];  // where the next one begins
    fb_sha256_add(h, digits, (size_t)snprintf(digits, sizeof digits, " %llu ", size));
    return is_good;
}

// The bytes of the files that the model names at the values of its file. fb_model_get_hash() covers
// them too, but by the numbers that became of them, whose last bits may differ between machines:
// the parts of a sweep that are joined to one table need not come from the same one.
static bool hash_files(FbStudyReader* r, const FbModelDef* def) {
    FbSha256 h;
    FbError err;
    fb_sha256_init(&h);
    for (int i = 0; i < def->n_files; i++) {
        if (!add_file(&h, def->files[i], &err)) {
            fb_diagnose_error(r->base.diagnostics, &err);
            return false;
        }
    }
    fb_sha256_end(&h, r->study->files_sha256);
    return true;
}

static void read_sections(FbStudyReader* r, const FbNode* root) {
    fb_study_read_settings(r, fb_node_get(root, "simulation"));
    fb_study_read_parameters(r, fb_node_get(root, "parameters"));
    fb_study_read_samples(r, fb_node_get(root, "samples"));
    fb_study_read_modes(r, fb_node_get(root, "modes"));
    fb_study_read_measures(r, fb_node_get(root, "measures"));
    fb_study_find_reference(r, fb_node_get(root, "modes"));
    fb_study_read_constraints(r, fb_node_get(root, "constraints"));
    fb_study_read_objective(r, fb_node_get(root, "objective"));
    fb_study_read_search(r, fb_node_get(root, "optimize"));
    fb_study_read_slurm(r, fb_node_get(root, "slurm"));
}

static void check_top_keys(FbStudyReader* r, const FbNode* root) {
    const char* keys[32] = {NULL};
    for (int i = 0; i < 31 && fb_study_sections[i].key; i++) {
        keys[i] = fb_study_sections[i].key;
    }
    fb_check_keys(&r->base, root, "study", keys);
}

static void read_root(FbStudyReader* r, const FbNode* root, const FbOverride* overrides, int n) {
    FbModelDef *names = NULL, *def = NULL;
    FbModel* model = NULL;
    if (root->kind != FB_NODE_MAP) {
        fb_report(&r->base, FB_ERR_SYNTAX, root->line, root->col,
                  "a study file is a map that begins with 'flyball_study: %d', but this is %s",
                  FB_STUDY_FORMAT, fb_node_describe(root));
        return;
    }
    if (fb_node_get(root, "flyball") && !fb_node_get(root, "flyball_study")) {
        fb_report(&r->base, FB_ERR_MODEL, root->line, root->col,
                  "this is a model file, not a study; a study begins with 'flyball_study: %d' and "
                  "names its model",
                  FB_STUDY_FORMAT);
        return;
    }
    if (fb_model_def_create("study", &names, NULL) < 0) {
        r->base.is_out_of_memory = true;
        return;
    }
    r->base.def = names;  // no parameters yet
    check_top_keys(r, root);
    read_version(r, root);
    read_header(r, root);
    read_overrides(r, fb_node_get(root, "set"), overrides, n);
    if (read_model_text(r, root) && read_model(r, &def, &model) && hash_files(r, def)) {
        r->base.def = def;
        r->model = model;
        r->study->settings = *fb_model_get_settings(model);
        read_sections(r, root);
    }
    // Texts of settings belong to the model.
    r->study->settings.integrator = fb_arena_text(r->study->arena, r->study->settings.integrator);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_model_def_destroy(names);
}

static void add_number(FbText* text, double value) {
    char number[32];
    fb_format_double(value, number);
    fb_text_addf(text, " %s", number);
}

static void add_measure(FbText* text, const FbStudyMeasure* m) {
    fb_text_addf(text, "measure %s %d %s %d", m->name, m->kind, m->output ? m->output : "-",
                 m->cycles);
    add_number(text, m->about);
    add_number(text, m->from);
    add_number(text, m->to);
    fb_text_addf(text, " %d %d %s\n", m->mode, m->counts_all, m->text ? m->text : "");
}

// Ranges, the objective and the search are left out: rows stay good when these change.
static bool calc_hash(FbStudy* s) {
    FbText text;
    fb_text_init(&text);
    fb_text_addf(&text, "flyball study %d\n", FB_STUDY_FORMAT);
    for (int i = 0; i < s->n_overrides; i++) {
        fb_text_addf(&text, "set %s=%s\n", s->overrides[i].name, s->overrides[i].value);
    }
    const FbSettings* t = &s->settings;
    fb_text_addf(&text, "simulation %s %d", t->integrator, t->max_steps);
    const double numbers[] = {t->start, t->duration, t->sample, t->rtol, t->atol, t->max_step};
    for (int i = 0; i < 6; i++) {
        add_number(&text, numbers[i]);
    }
    for (int i = 0; i < s->n_parameters; i++) {
        fb_text_addf(&text, "\nparameter %s", s->parameters[i].name);
    }
    fb_text_add(&text, "\n");
    for (int i = 0; i < s->n_measures; i++) {
        add_measure(&text, &s->measures[i]);
    }
    fb_text_addf(&text, "modes %d %d\n", s->modes.is_initial, s->modes.is_tracked);
    for (int i = 0; i < s->modes.n_steady; i++) {
        fb_text_addf(&text, "steady %s=%s\n", s->modes.steady[i].joint, s->modes.steady[i].text);
    }
    for (int i = 0; i < s->n_constraints; i++) {
        fb_text_addf(&text, "constraint %s\n", s->constraints[i].text);
    }
    fb_text_addf(&text, "files %s\n", s->files_sha256);
    fb_text_add_n(&text, s->model_text, s->model_size);
    if (!text.has_failed) {
        fb_sha256_hex(text.data, text.length, s->sha256);
    }
    bool is_good = !text.has_failed;
    fb_text_free(&text);
    return is_good;
}

static FbStatus read_text(FbStudyReader* r, const char* text, size_t size,
                          const FbOverride* overrides, int n) {
    const FbNode* root =
        fb_yaml_parse(text, size, r->base.file, r->base.arena, r->base.diagnostics);
    if (root) {
        read_root(r, root, overrides, n);
    }
    FbStatus status = fb_diagnostics_status(r->base.diagnostics);
    bool is_short = r->base.is_out_of_memory || fb_arena_has_failed(r->base.arena) ||
                    fb_arena_has_failed(r->study->arena);
    if (status == FB_OK && !is_short && !root) {
        return FB_ERR_SYNTAX;
    }
    return status < 0 ? status : is_short || !calc_hash(r->study) ? FB_ERR_MEMORY : FB_OK;
}

static FbStatus read_file(const char* path, FbStudy* s, const FbOverride* overrides, int n,
                          FbDiagnostics* diagnostics) {
    char* text;
    size_t size;
    FbError err;
    FbStatus status = fb_read_file(path, &text, &size, &err);
    if (status < 0) {
        fb_diagnose_error(diagnostics, &err);
        return status;
    }
    s->file = fb_arena_text(s->arena, path);
    FbStudyReader r = {.base = {.file = path, .diagnostics = diagnostics}, .study = s};
    r.base.env.R = fb_mat3_identity();
    r.base.arena = fb_arena_create();
    status = s->file && r.base.arena ? read_text(&r, text, size, overrides, n) : FB_ERR_MEMORY;
    fb_arena_destroy(r.base.arena);
    free(text);
    return status;
}

FbStatus fb_study_read(const char* path, const FbOverride* overrides, int n_overrides,
                       FbStudy** out, FbDiagnostics* diagnostics) {
    *out = NULL;
    FbStudy* s = calloc(1, sizeof *s);
    FbStatus status = FB_ERR_MEMORY;
    if (s && (s->arena = fb_arena_create())) {
        status = read_file(path, s, overrides, n_overrides, diagnostics);
    }
    if (status == FB_OK) {
        *out = s;
        return FB_OK;
    }
    if (status == FB_ERR_MEMORY) {
        fb_diagnose(diagnostics, FB_SEVERE, FB_ERR_MEMORY, NULL, "out of memory");
    }
    fb_study_destroy(s);
    return status;
}

void fb_study_destroy(FbStudy* study) {
    if (study) {
        fb_mode_set_destroy(study->modes.reference);
        fb_kept_destroy(study->parsed.kept);
        fb_arena_destroy(study->arena);
        free(study);
    }
}
