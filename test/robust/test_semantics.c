// Models that read well but make no sense: each mistake has its message, with the names and the
// place. Every file of semantics/ announces what it expects: `# error:` a part of the message (all
// must stand in it; `|` parts alternatives), `# without:` what must not, `# status:` and `# line:`.
// A file that announces nothing is accepted. A new mistake is a new file.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flyball/flyball.h"
#include "model_file.h"

// The first error on the way from the file to a simulation.
static FbStatus first_error(const char* path, FbError* out) {
    FbDiagnostics* list = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbSimulation* sim = NULL;
    FbStatus status = fb_model_def_read_file(path, NULL, &def, list);
    if (status == FB_OK) {
        status = fb_model_create(def, &model, list);
    }
    *out = (FbError){.status = status};
    for (int i = fb_diagnostics_count(list) - 1; status < 0 && i >= 0; i--) {
        const FbDiagnostic* d = fb_diagnostics_get(list, i);
        if (d->severity == FB_SEVERE) {
            out->status = d->status;
            out->place = d->place;
            snprintf(out->text, sizeof(out->text), "%s", d->text);
        }
    }
    if (status == FB_OK) {
        FbRunOptions o = fb_run_options_default(model);
        status = fb_simulation_create(model, &o, &sim, out);
    }
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(list);
    return status;
}

static bool contains_one(const char* message, char* alternatives) {
    for (char *word = alternatives, *next; word; word = next) {
        next = strstr(word, " | ");
        if (next) {
            *next = 0;
            next += 3;
        }
        if (strstr(message, word)) {
            return true;
        }
    }
    return false;
}

static FbStatus status_of(const char* name) {
    static const struct {
        const char* name;
        FbStatus status;
    } list[] = {{"FB_ERR_NAME", FB_ERR_NAME},         {"FB_ERR_UNIT", FB_ERR_UNIT},
                {"FB_ERR_RANGE", FB_ERR_RANGE},       {"FB_ERR_MODEL", FB_ERR_MODEL},
                {"FB_ERR_ASSEMBLY", FB_ERR_ASSEMBLY}, {"FB_ERR_SINGULAR", FB_ERR_SINGULAR}};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        if (strcmp(list[i].name, name) == 0) {
            return list[i].status;
        }
    }
    fail_msg("unknown status %s", name);
    return FB_OK;
}

static bool is_listed(const char* lines, int line) {
    for (char* end; *lines; lines = end) {
        if (strtol(lines, &end, 10) == line) {
            return true;
        }
        if (end == lines) {
            break;
        }
    }
    return false;
}

// One line of what the file announces; one without a colon is a comment.
static void check_line(const char* path, char* line, FbStatus status, const FbError* err) {
    char* value = strstr(line, ": ");
    if (!value) {
        return;
    }
    *value = 0;
    value += 2;
    bool is_right = strcmp(line, "# error") == 0     ? contains_one(err->text, value)
                    : strcmp(line, "# without") == 0 ? !strstr(err->text, value)
                    : strcmp(line, "# status") == 0  ? err->status == status_of(value)
                    : strcmp(line, "# line") == 0    ? is_listed(value, err->place.line)
                                                     : false;
    if (!is_right || status >= 0) {
        fail_msg("%s: '%s: %s' does not fit status %d, line %d: %s", path, line, value,
                 (int)err->status, err->place.line, err->text);
    }
}

static void check_file(const char* path) {
    FbError err;
    FbStatus status = first_error(path, &err);
    char *text = test_text_of_file(path), *line = text, *next;
    if (*text != '#' && status != FB_OK) {
        fail_msg("%s is refused, line %d: %s", path, err.place.line, err.text);
    }
    for (; *line == '#'; line = next) {
        next = strchr(line, '\n') + 1;
        next[-1] = 0;
        check_line(path, line, status, &err);
    }
    free(text);
}

static void check_folder(void** state) {
    char folder[200], path[500];
    int n = 0;
    snprintf(folder, sizeof(folder), "test/robust/semantics/%s", (const char*)*state);
    DIR* dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
        if (strstr(entry->d_name, ".yaml")) {
            snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
            check_file(path);
            n++;
        }
    }
    closedir(dir);
    assert_true(n > 0);
}

// A folder that is missing below would go unnoticed.
static int count_folders(void) {
    DIR* dir = opendir("test/robust/semantics");
    assert_non_null(dir);
    int n = 0;
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
        n += !strchr(entry->d_name, '.');
    }
    closedir(dir);
    return n;
}

#define FOLDER(name) \
    { name, check_folder, NULL, NULL, (void*)name }

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER("assemblies"),
        FOLDER("balls_are_not_numbers"),
        FOLDER("bodies_without_mass"),
        FOLDER("callbacks"),
        FOLDER("causes_and_circles"),
        FOLDER("contradictory_values"),
        FOLDER("feedback"),
        FOLDER("floating_bodies"),
        FOLDER("good"),
        FOLDER("guides_through_nodes"),
        FOLDER("impossible_parts"),
        FOLDER("inputs"),
        FOLDER("motions_without_rates"),
        FOLDER("quantities_of_the_motion"),
        FOLDER("settings"),
        FOLDER("units_of_coordinates"),
        FOLDER("units_of_couplings"),
        FOLDER("units_of_drives"),
        FOLDER("units_of_initial_values"),
        FOLDER("units_of_laws"),
        FOLDER("unknown_names"),
    };
    assert_int_equal(count_folders(), (int)(sizeof(tests) / sizeof(tests[0])));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
